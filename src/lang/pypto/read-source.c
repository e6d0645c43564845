/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A user's file: what it offers is found, its constants are evaluated, the chosen program is read. Source: spec dsl 2.2, 9. */
#include <string.h>

#include "base/number.h"
#include "lang/pypto/near-name.h"
#include "lang/pypto/source.h"

/* --- functions of the program -------------------------------------------------------------------------------------------- */

/* The signature now, the body when all signatures are known. */
static TsKernel *
declare_as (TsReader *reader, TsStatement *def, TsScope *scope, const char *name)
{
  TsKernel *kernel = ts_arena_new0 (reader->module->arena, TsKernel);
  guint mark = ts_reader_mark (reader);
  TsScope *before = reader->scope;
  TsSource *source = reader->source;

  kernel->def = def;
  kernel->scope = scope;
  g_hash_table_add (reader->used, def);
  reader->scope = scope;
  ts_reader_set_source (reader, ts_scope_source (scope));
  kernel->function = ts_read_function_head (reader, def);
  ts_module_rename_function (reader->module, kernel->function, name);
  ts_reader_undo (reader, mark);
  ts_reader_set_source (reader, source);
  reader->scope = before;
  g_hash_table_insert (reader->kernels, (gpointer) kernel->function->name, kernel);
  g_ptr_array_add (reader->pending, kernel);
  return kernel;
}

/* A function of the class, under its own name. */
static void
declare (TsReader *reader, TsStatement *def, TsScope *scope)
{
  if (g_hash_table_contains (reader->kernels, def->name->text))
    ts_reader_error_at (reader, "already-defined", def->offset, def->end, "a function '%s' is already defined", def->name->text);
  else
    declare_as (reader, def, scope, def->name->text);
}

/* The kernel that a value stands for, if it has joined the program. */
static TsKernel *
find_joined (const TsReader *reader, const TsConst *value)
{
  for (guint i = 0; i < reader->pending->len; i++)
    {
      TsKernel *kernel = reader->pending->pdata[i];

      if (kernel->def == value->def && kernel->scope == value->scope)
        return kernel;
    }
  return NULL;
}

/* Two kernels that a factory made of one function, or two files' kernels of one name: f, f_1, ... */
static TsKernel *
join (TsReader *reader, const TsConst *value)
{
  const char *base = value->def->name->text;
  g_autofree char *name = g_strdup (base);

  for (guint i = 1; ts_module_find_function (reader->module, name) != NULL; i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s_%u", base, i);
    }
  return declare_as (reader, value->def, value->scope, name);
}

static gboolean
is_unknown (const TsType *type)
{
  return ts_type_is (type, TS_TYPE_MARKER) && strcmp (type->text, "pl.UnknownType") == 0;
}

static void
read_pending (TsReader *reader)
{
  /* Reading a body may add kernels that it calls. */
  for (guint i = 0; i < reader->pending->len && !reader->stopped; i++)
    {
      TsKernel *kernel = reader->pending->pdata[i];
      guint mark = ts_reader_mark (reader);

      reader->scope = kernel->scope;
      ts_reader_set_source (reader, ts_scope_source (kernel->scope));
      for (guint k = 0; k < kernel->function->n_params; k++)
        {
          TsValue *param = kernel->function->params[k];

          /* One whose type could not be read has been spoken of. */
          ts_reader_bind (reader, ts_lexicon_get (reader->lexicon, param->hint, strlen (param->hint)),
                          is_unknown (param->type) ? &reader->poison : param);
        }
      ts_read_function_body (reader, kernel->function, kernel->def, mark);
    }
}

/* Kernels joined while a body is read are declared outside it. */
TsKernel *
ts_reader_join (TsReader *reader, const TsNode *callee)
{
  const TsConst *value = callee->name->value == NULL ? ts_eval_node (reader->eval, reader->scope, callee) : NULL;
  TsKernel *kernel = value != NULL && value->kind == TS_CONST_KERNEL ? find_joined (reader, value) : NULL;
  TsFunction *function = reader->function;
  TsBlock *block = reader->block;
  g_autofree char *reason = NULL;

  if (kernel != NULL)
    return kernel;
  if (value != NULL && value->kind == TS_CONST_KERNEL && value->def->kind == TS_STATEMENT_DEF)
    {
      TsName *decorator = ts_read_decorator (reader, value->def->decorators);

      if (decorator != NULL && decorator->meaning == TS_MEANING_FUNCTION)
        {
          /* Its parameters must not see the caller's variables. */
          g_autoptr (GArray) bindings = reader->bindings;

          reader->bindings = g_array_new (FALSE, FALSE, sizeof (TsBinding));
          kernel = join (reader, value);
          g_array_unref (reader->bindings);
          reader->bindings = g_steal_pointer (&bindings);
          reader->function = function;
          reader->block = block;
          return kernel;
        }
      return ts_reader_error (reader, "unsupported", callee, "'%s' is a @%s kernel, which cannot be called from here yet",
                              callee->name->text, decorator != NULL ? decorator->text : "decorated");
    }
  if (value != NULL && callee->name->parent == NULL && ts_eval_lookup (reader->eval, reader->scope, callee->name) == NULL
      && ts_eval_perhaps_bound (reader->scope, callee->name->text) == NULL)
    {
      return ts_reader_undefined_callee (reader, callee);
    }
  if (value == NULL)
    return ts_reader_error (reader, "unsupported", callee, "'%s' is a variable and cannot be called", callee->name->text);
  if (value->kind != TS_CONST_OPAQUE)
    return ts_reader_error (reader, "unsupported", callee, "'%s' is %s: a kernel calls operations and kernels only",
                            callee->name->text,
                            ts_const_kind_name (value));
  reason = ts_const_reason (value);
  return ts_reader_error (reader, "unsupported", callee, "'%s' cannot be called in a kernel (%s)", callee->name->text, reason);
}

/* --- the chosen entry ---------------------------------------------------------------------------------------------------- */

/* The scope an offer closes over: the module's, or that of the factories around it. */
static TsScope *
scope_of (TsReader *reader, const TsOffer *offer, TsScope *module_scope)
{
  TsScope *scope = module_scope;

  for (guint i = 0; i < offer->n_outer; i++)
    scope = ts_eval_enter (reader->eval, scope, offer->outer[i], i + 1 < offer->n_outer ? offer->outer[i + 1] : offer->def);
  return scope;
}

static gboolean
is_true (const TsNode *node)
{
  return node != NULL && node->kind == TS_NODE_TRUE;
}

/* A function of the class: its signature, or for an inline kernel nothing yet. */
static void
take_member (TsReader *reader, TsStatement *def, TsScope *scope)
{
  TsName *decorator = ts_read_decorator (reader, def->decorators);

  if (decorator != NULL && decorator->meaning == TS_MEANING_FUNCTION)
    declare (reader, def, scope);
  else if (decorator != NULL && decorator->meaning == TS_MEANING_INLINE)
    g_hash_table_insert (reader->inlines, (gpointer) def->name->text, (gpointer) ts_eval_kernel (reader->eval, scope, def));
}

/* A constant of the class. -D NAME and -D CLASS.NAME win over it. */
static TsScope *
bind_member (TsReader *reader, TsScope *scope, const TsStatement *class, const TsNode *target, const TsConst *value)
{
  g_autofree char *full = target->kind == TS_NODE_NAME ? g_strconcat (class->name->text, ".", target->name->text, NULL) : NULL;
  const TsConst *given = full != NULL ? ts_eval_define (reader->eval, full) : NULL;

  if (given == NULL && full != NULL)
    given = ts_eval_define (reader->eval, target->name->text);
  return ts_eval_bind (reader->eval, scope, target, given != NULL ? given : value);
}

static void
read_program (TsReader *reader, const TsOffer *offer, TsScope *scope)
{
  reader->module->is_program = TRUE;
  reader->module->name = ts_module_intern (reader->module, offer->def->name->text);
  for (const TsNode *decorator = offer->def->decorators; decorator != NULL; decorator = decorator->next)
    reader->strict_ssa = reader->strict_ssa
        || (decorator->kind == TS_NODE_CALL && is_true (ts_node_keyword (decorator, "strict_ssa")));
  for (TsStatement *member = offer->def->body; member != NULL; member = member->next)
    if (member->kind == TS_STATEMENT_DEF && member->decorators != NULL)
      take_member (reader, member, scope);
    else if (member->kind == TS_STATEMENT_ASSIGN)
      for (const TsNode *target = member->targets; target != NULL && member->value != NULL; target = target->next)
        scope = bind_member (reader, scope, offer->def, target, ts_eval_node (reader->eval, scope, member->value));
  if (reader->pending->len == 0)
    ts_reader_error_at (reader, "syntax", offer->def->offset, offer->def->end, "the class '%s' has no decorated methods",
                        offer->def->name->text);
}

/* Of several of one name the last, as in Python; NAME#2 is the second of them. */
static const TsOffer *
offer_named (const GArray *offers, const char *name)
{
  const char *mark = strrchr (name, '#');
  g_autofree char *base = mark != NULL ? g_strndup (name, (gsize) (mark - name)) : g_strdup (name);
  const TsOffer *found = NULL;
  gint64 wanted = G_MAXINT64, n = 0;

  if (mark != NULL && (!ts_parse_int64 (mark + 1, &wanted) || wanted < 1))
    return NULL;
  for (guint i = 0; i < offers->len && n < wanted; i++)
    if (strcmp (g_array_index (offers, TsOffer, i).def->name->text, base) == 0)
      {
        found = &g_array_index (offers, TsOffer, i);
        n++;
      }
  return mark == NULL || n == wanted ? found : NULL;
}

/* Does a later definition of the same module take its name away? */
static gboolean
is_shadowed (const GArray *offers, guint index)
{
  const TsOffer *offer = &g_array_index (offers, TsOffer, index);

  for (guint i = index + 1; offer->n_outer == 0 && i < offers->len; i++)
    {
      const TsOffer *later = &g_array_index (offers, TsOffer, i);

      if (later->n_outer == 0 && later->def->name == offer->def->name)
        return TRUE;
    }
  return FALSE;
}

/* Of the jit family, what a program calls; the others are its parts. */
static gboolean
is_entry (const TsOffer *offer)
{
  return offer->meaning != TS_MEANING_JIT || g_str_has_suffix (offer->decorator, ".jit")
         || g_str_has_suffix (offer->decorator, ".host");
}

/* A program wins over loose functions; several of the best kind must be told apart by name. */
static const TsOffer *
choose_offer (const GArray *offers, guint *n_candidates)
{
  static const TsNameMeaning ranks[] = { TS_MEANING_PROGRAM, TS_MEANING_FUNCTION, TS_MEANING_JIT, TS_MEANING_INLINE };

  for (guint rank = 0; rank < G_N_ELEMENTS (ranks); rank++)
    {
      const TsOffer *first = NULL;

      *n_candidates = 0;
      for (guint i = 0; i < offers->len; i++)
        if (g_array_index (offers, TsOffer, i).meaning == ranks[rank] && !is_shadowed (offers, i))
          {
            const TsOffer *offer = &g_array_index (offers, TsOffer, i);

            if (first == NULL || (is_entry (offer) && !is_entry (first)))
              first = offer;
            (*n_candidates)++;
          }
      if (first != NULL)
        return first;
    }
  return NULL;
}

static gpointer
report_missing (TsReader *reader, const GArray *offers, const char *name)
{
  TsNearName near = { name, NULL, 0 };
  TsDiag *diag = ts_diag_add (reader->diags, TS_SEVERITY_ERROR, "no-such-entry", reader->source, TS_SPAN_NONE,
                              "the file has no program or function '%s'", name);

  for (guint i = 0; i < offers->len; i++)
    ts_near_name_consider (&near, g_array_index (offers, TsOffer, i).def->name->text);
  if (near.best != NULL)
    diag->help = g_strdup_printf ("did you mean '%s'?", near.best);
  return NULL;
}

/* Names that a message lists. */
#define MAX_LISTED 8u

static gpointer
report_several (TsReader *reader, const GArray *offers, const TsOffer *first)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < offers->len; i++)
    {
      const TsOffer *offer = &g_array_index (offers, TsOffer, i);

      if (offer->meaning == first->meaning && !is_shadowed (offers, i) && n++ < MAX_LISTED)
        {
          g_autofree char *name = ts_offer_name (offers, i);

          g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
        }
    }
  ts_diag_add (reader->diags, TS_SEVERITY_ERROR, "several-entries", reader->source, TS_SPAN_NONE,
               "the file offers %u %s: choose one by name (%s%s)", n, first->meaning == TS_MEANING_PROGRAM ? "programs"
                   : "functions",
               names->str, n > MAX_LISTED ? ", ..." : "");
  return NULL;
}

/* Nothing decorated, but kernels in strings: the one asked for is read as a file of its own. None is opened unasked. */
static gboolean
pick_text (TsReader *reader, const TsStatement *file, const char *entry)
{
  guint n = 0;

  if (reader->is_text)
    return FALSE;
  reader->text = ts_choose_text (reader->source, ts_lexicon_strings (reader->lexicon), file, entry, &n);
  if (n > 0 && entry == NULL)
    {
      g_autoptr (GArray) entries = ts_pypto_list_entries (reader->source, ts_lexicon_strings (reader->lexicon));
      g_autoptr (GString) names = g_string_new (NULL);

      for (guint i = 0; i < MIN (entries->len, MAX_LISTED); i++)
        g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", g_array_index (entries, TsPyptoEntry, i).name);
      g_clear_pointer (&reader->text, ts_source_unref);
      ts_diag_add (reader->diags, TS_SEVERITY_ERROR, "several-entries", reader->source, TS_SPAN_NONE,
                   "the file holds %u kernel%s in strings only: choose one by name (%s%s)", n, n == 1 ? "" : "s", names->str,
                   entries->len > MAX_LISTED ? ", ..." : "");
    }
  return n > 0;
}

/* What the file offers of this kind, by name and decorator. */
static char *
names_of (const GArray *offers, TsNameMeaning meaning)
{
  GString *names = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < offers->len; i++)
    {
      const TsOffer *other = &g_array_index (offers, TsOffer, i);

      if (other->meaning == meaning && n++ < MAX_LISTED)
        g_string_append_printf (names, "%s%s (@%s)", names->len > 0 ? ", " : "", other->def->name->text, other->decorator);
    }
  if (n > MAX_LISTED)
    g_string_append (names, ", ...");
  return g_string_free (names, FALSE);
}

/* The kernels that cannot be opened yet, by name. */
static gpointer
report_problem (TsReader *reader, const GArray *offers, const TsOffer *offer, const char *problem)
{
  TsSpan span = ts_reader_span (reader, offer->def->offset, offer->def->end);
  g_autofree char *names = names_of (offers, offer->meaning);
  TsDiag *diag = ts_diag_add (reader->diags, TS_SEVERITY_ERROR, "jit", reader->source, span, "%s", problem);

  diag->help = g_strdup_printf ("the file holds %s", names);
  return NULL;
}

/* Those that stand beside what is opened are not passed over in silence. */
static void
note_problems (TsReader *reader, const GArray *offers)
{
  for (guint i = 0; i < offers->len; i++)
    {
      const TsOffer *offer = &g_array_index (offers, TsOffer, i);
      g_autofree char *problem = ts_offer_problem (offer), *names = NULL;
      TsDiag *diag;

      if (problem == NULL)
        continue;
      names = names_of (offers, offer->meaning);
      diag = ts_diag_add (reader->diags, TS_SEVERITY_NOTE, "jit", reader->source,
                          ts_reader_span (reader, offer->def->offset, offer->def->end), "not opened: %s", names);
      diag->help = g_steal_pointer (&problem);
      return;
    }
}

/* Others of its name in the file: which one is opened, and how to get at another. */
static void
note_namesakes (TsReader *reader, const GArray *offers, const TsOffer *opened)
{
  const char *name = opened->def->name->text;
  guint n = 0;

  for (guint i = 0; i < offers->len; i++)
    n += strcmp (g_array_index (offers, TsOffer, i).def->name->text, name) == 0;
  if (n > 1)
    ts_diag_add (reader->diags, TS_SEVERITY_NOTE, "same-name", reader->source,
                 ts_reader_span (reader, opened->def->offset, opened->def->end),
                 "the file defines '%s' %u times and this one is opened: '%s' is the last of them, '%s#1' the first", name, n, name,
                 name);
}

static const TsOffer *
pick (TsReader *reader, const TsStatement *file, const GArray *offers, const char *entry)
{
  guint n = 0;
  const TsOffer *offer = entry != NULL ? offer_named (offers, entry) : choose_offer (offers, &n);
  g_autofree char *problem = NULL;

  if (offer == NULL)
    {
      if (pick_text (reader, file, entry))
        return NULL;
      if (entry != NULL)
        return report_missing (reader, offers, entry);
      ts_diag_add (reader->diags, TS_SEVERITY_ERROR, "nothing-to-open", reader->source, TS_SPAN_NONE,
                   "nothing to open: no class decorated with @%s.program and no function decorated with @%s.function",
                   ts_lexicon_prefix (reader->lexicon), ts_lexicon_prefix (reader->lexicon));
      return NULL;
    }
  if ((problem = ts_offer_problem (offer)) != NULL)
    return report_problem (reader, offers, offer, problem);
  note_problems (reader, offers);
  if (n > 1)
    return report_several (reader, offers, offer);
  note_namesakes (reader, offers, offer);
  return offer;
}

void
ts_read_source (TsReader *reader, const TsPyptoOptions *options)
{
  TsStatement *file = ts_parser_file (reader->parser);
  guint n_errors = ts_diag_list_length (reader->diags);
  g_autoptr (GArray) offers = NULL;
  const TsOffer *offer;
  TsScope *scope;

  ts_read_prefix (reader->lexicon, file);
  if (strchr (ts_lexicon_prefix (reader->lexicon), '.') == NULL)
    reader->module->prefix = ts_module_intern (reader->module, ts_lexicon_prefix (reader->lexicon));
  offers = ts_find_offers (reader->lexicon, file);
  if ((offer = pick (reader, file, offers, options != NULL ? options->entry : NULL)) == NULL)
    return;
  reader->eval = ts_eval_new (reader->lexicon, options != NULL ? options->defines : NULL, options != NULL ? options->folder : NULL,
                              reader->diags);
  reader->kernels = g_hash_table_new (g_str_hash, g_str_equal);
  reader->inlines = g_hash_table_new (g_str_hash, g_str_equal);
  reader->aliases = g_hash_table_new (NULL, NULL);
  reader->used = g_hash_table_new (NULL, NULL);
  reader->pending = g_ptr_array_new ();
  scope = scope_of (reader, offer, ts_eval_module (reader->eval, reader->source, file));
  reader->scope = scope;
  if (offer->meaning == TS_MEANING_PROGRAM)
    read_program (reader, offer, scope);
  else
    declare (reader, offer->def, scope);
  read_pending (reader);
  ts_reader_store_symbols (reader);
  ts_report_defines (reader, options, scope);
  ts_forgive_skipped (reader, file, n_errors);
}
