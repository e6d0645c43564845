/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Life of an evaluator; values; scopes. */
#include <string.h>

#include "lang/pypto/eval-private.h"

TsConst *
ts_const_new (TsEval *eval, TsConstKind kind)
{
  TsConst *value = ts_arena_new0 (eval->arena, TsConst);

  value->kind = (guint8) kind;
  return value;
}

const TsConst *
ts_const_int (TsEval *eval, gint64 i)
{
  TsConst *value = ts_const_new (eval, TS_CONST_INT);

  value->i = i;
  return value;
}

const TsConst *
ts_const_bool (TsEval *eval, gboolean b)
{
  TsConst *value = ts_const_new (eval, TS_CONST_BOOL);

  value->i = b ? 1 : 0;
  return value;
}

const TsConst *
ts_const_float (TsEval *eval, double f)
{
  TsConst *value = ts_const_new (eval, TS_CONST_FLOAT);

  value->f = f;
  return value;
}

const TsConst *
ts_const_text (TsEval *eval, TsConstKind kind, const char *text)
{
  TsConst *value = ts_const_new (eval, kind);

  value->text = ts_eval_intern (eval, text);
  return value;
}

const TsConst *
ts_const_items (TsEval *eval, TsConstKind kind, const TsConst *const *items, guint n)
{
  TsConst *value = ts_const_new (eval, kind);

  for (guint i = 0; i < n; i++)
    value->height = MAX (value->height, items[i]->height + 1);
  if (value->height > TS_EVAL_HEIGHT)
    {
      value->kind = TS_CONST_OPAQUE;
      value->text = ts_eval_intern (eval, "a value nested too deeply");
      value->height = 0;
      return value;
    }
  value->n = n;
  value->items = ts_arena_memdup (eval->arena, items, sizeof (gpointer) * n);
  return value;
}

const TsConst *
ts_const_opaque (TsEval *eval, TsScope *scope, guint32 offset, const char *format, ...)
{
  TsConst *value = ts_const_new (eval, TS_CONST_OPAQUE);
  g_autofree char *reason = NULL;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  value->text = ts_eval_intern (eval, reason);
  value->source = scope->source;
  value->offset = offset;
  return value;
}

char *
ts_const_reason (const TsConst *value)
{
  TsPlace place;

  if (value->source == NULL)
    return g_strdup (value->text);
  place = ts_source_place (value->source, value->offset);
  return g_strdup_printf ("%s:%u: %s", ts_source_name (value->source), place.line, value->text);
}

const char *
ts_const_kind_name (const TsConst *value)
{
  static const char *const names[] = {
    [TS_CONST_OPAQUE] = "a value that is not known", [TS_CONST_NONE] = "None", [TS_CONST_BOOL] = "a bool",
      [TS_CONST_INT] = "an integer",
    [TS_CONST_FLOAT] = "a float", [TS_CONST_STRING] = "a string", [TS_CONST_TUPLE] = "a tuple", [TS_CONST_LIST] = "a list",
    [TS_CONST_DICT] = "a dictionary", [TS_CONST_DTYPE] = "an element type", [TS_CONST_ENUM] = "an enumeration value",
    [TS_CONST_DYNAMIC] = "a dynamic dimension", [TS_CONST_SYNTAX] = "a type", [TS_CONST_FUNCTION] = "a Python function",
    [TS_CONST_KERNEL] = "a kernel", [TS_CONST_CLASS] = "a class", [TS_CONST_INSTANCE] = "an object", [TS_CONST_MODULE] = "a module",
    [TS_CONST_PARSER] = "a parser of the command line", [TS_CONST_BUILTIN] = "a Python function",
  };

  return names[value->kind];
}

gint
ts_const_truth (const TsConst *value)
{
  switch ((TsConstKind) value->kind)
    {
    case TS_CONST_NONE: return 0;
    case TS_CONST_BOOL:
    case TS_CONST_INT: return value->i != 0;
    case TS_CONST_FLOAT: return value->f != 0;
    case TS_CONST_STRING: return value->text[0] != '\0';
    case TS_CONST_TUPLE:
    case TS_CONST_LIST:
    case TS_CONST_DICT: return value->n > 0;
    case TS_CONST_OPAQUE: return -1;
    default: return 1;
    }
}

/* Pairs that one comparison looks at: values may share their parts, so that a small file holds a value of any size. */
#define MAX_COMPARED 1000000u

static gboolean
equal_within (const TsConst *a, const TsConst *b, guint *budget)
{
  if (a == b)
    return TRUE;
  if (*budget == 0)
    return FALSE;
  (*budget)--;
  if (ts_const_is_number (a) && ts_const_is_number (b))
    return a->kind == TS_CONST_FLOAT || b->kind == TS_CONST_FLOAT ? ts_const_as_double (a) == ts_const_as_double (b) : a->i == b->i;
  if (a->kind != b->kind)
    return FALSE;
  switch ((TsConstKind) a->kind)
    {
    case TS_CONST_NONE: return TRUE;
    case TS_CONST_STRING:
    case TS_CONST_ENUM:
    case TS_CONST_DYNAMIC: return strcmp (a->text, b->text) == 0;
    case TS_CONST_DTYPE: return a->detail == b->detail;
    case TS_CONST_TUPLE:
    case TS_CONST_LIST:
      if (a->n != b->n)
        return FALSE;
      for (guint i = 0; i < a->n; i++)
        if (!equal_within (a->items[i], b->items[i], budget))
          return FALSE;
      return TRUE;
    case TS_CONST_CLASS: return a->class == b->class;
    default: return FALSE;
    }
}

gboolean
ts_const_equal (const TsConst *a, const TsConst *b)
{
  guint budget = MAX_COMPARED;

  return equal_within (a, b, &budget);
}

const TsConst *
ts_const_iterate (TsEval *eval, const TsConst *value)
{
  g_autoptr (GPtrArray) items = NULL;

  if (ts_const_is_sequence (value))
    return value;
  items = g_ptr_array_new ();
  if (value->kind == TS_CONST_DICT)
    for (guint i = 0; i < value->n; i += 2)
      g_ptr_array_add (items, (gpointer) value->items[i]);
  else if (value->kind == TS_CONST_STRING)
    for (const char *p = value->text; *p != '\0'; p = g_utf8_next_char (p))
      {
        g_autofree char *letter = g_strndup (p, (gsize) (g_utf8_next_char (p) - p));

        g_ptr_array_add (items, (gpointer) ts_const_text (eval, TS_CONST_STRING, letter));
      }
  else
    return NULL;
  return ts_const_items (eval, TS_CONST_LIST, (const TsConst *const *) items->pdata, items->len);
}

/* --- scopes -------------------------------------------------------------------------------------------------------------- */

const char *
ts_eval_intern (TsEval *eval, const char *text)
{
  return ts_intern (eval->strings, text);
}

GHashTable *
ts_eval_table (TsEval *eval)
{
  GHashTable *table = g_hash_table_new (NULL, NULL);

  g_ptr_array_add (eval->tables, table);
  return table;
}

TsScope *
ts_scope_new (TsEval *eval, TsScope *up, TsSource *source)
{
  TsScope *scope = ts_arena_new0 (eval->arena, TsScope);

  scope->up = up;
  scope->names = ts_eval_table (eval);
  scope->source = source;
  scope->module = up != NULL ? up->module : "";
  return scope;
}

TsSource *
ts_scope_source (const TsScope *scope)
{
  return scope->source;
}

void
ts_scope_set (TsScope *scope, const char *name, const TsConst *value)
{
  g_hash_table_replace (scope->names, (gpointer) name, (gpointer) value);
}

const TsConst *
ts_scope_get (TsScope *scope, const char *name)
{
  return g_hash_table_lookup (scope->names, name);
}

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
ts_scope_foreach (TsScope *scope, void (*visit) (const char *name, gpointer data), gpointer data)
{
  for (; scope != NULL; scope = scope->up)
    {
      /* Hash tables keep no order; texts must come in one. */
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      GHashTableIter iter;
      gpointer name;

      g_hash_table_iter_init (&iter, scope->names);
      while (g_hash_table_iter_next (&iter, &name, NULL))
        g_ptr_array_add (names, name);
      g_ptr_array_sort (names, by_text);
      for (guint i = 0; i < names->len; i++)
        visit (names->pdata[i], data);
    }
}

gboolean
ts_eval_step (TsEval *eval)
{
  return eval->steps < TS_EVAL_STEPS && ++eval->steps < TS_EVAL_STEPS;
}

void
ts_eval_renew_steps (TsEval *eval)
{
  eval->total_steps += eval->steps;
  eval->steps = eval->total_steps < TS_EVAL_TOTAL_STEPS ? 0 : TS_EVAL_STEPS;
}

/* --- -D ------------------------------------------------------------------------------------------------------------------ */

const TsConst *
ts_eval_define (TsEval *eval, const char *name)
{
  return g_hash_table_lookup (eval->defines, ts_eval_intern (eval, name));
}

static gboolean
mentions_name (const TsNode *node)
{
  if (node->kind == TS_NODE_NAME)
    return TRUE;
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    if (mentions_name (child))
      return TRUE;
  return FALSE;
}

/* What a number that we cannot hold is told by; NULL when the text is no such number. To be freed. */
static char *
number_trouble (const TsDiagList *said, const TsNode *node, const TsConst *value)
{
  for (guint i = 0; i < ts_diag_list_length (said); i++)
    if (strcmp (ts_diag_list_get (said, i)->code, "limit") == 0)
      return g_strdup (ts_diag_list_get (said, i)->message);
  return value != NULL && value->kind == TS_CONST_OPAQUE && !mentions_name (node) ? g_strdup (value->text) : NULL;
}

/* The value is a Python expression, or else the text itself. */
static const TsConst *
define_value (TsEval *eval, const char *name, const char *text)
{
  g_autofree char *trouble = NULL;
  g_autoptr (TsDiagList) silent = ts_diag_list_new ();
  TsSource *source = ts_source_new_text ("-D", text);
  TsParser *parser = ts_parser_new (source, 0, eval->lexicon, silent);
  TsNode *node = ts_parser_lone_expression (parser);
  TsScope *scope = ts_scope_new (eval, NULL, source);
  const TsConst *value = node != NULL ? ts_eval_node (eval, scope, node) : NULL;

  g_ptr_array_add (eval->sources, source);
  g_ptr_array_add (eval->parsers, parser);
  if ((trouble = number_trouble (silent, node, value)) != NULL)
    {
      ts_diag_add (eval->diags, TS_SEVERITY_ERROR, "limit", NULL, TS_SPAN_NONE, "-D %s=%s: %s", name, text, trouble);
      return ts_const_opaque (eval, scope, 0, "%s", trouble);
    }
  if (value == NULL || value->kind == TS_CONST_OPAQUE)
    return ts_const_text (eval, TS_CONST_STRING, text);
  return value;
}

static void
add_define (TsEval *eval, const char *define)
{
  const char *equals = strchr (define, '=');
  g_autofree char *name = equals != NULL ? g_strndup (define, (gsize) (equals - define)) : NULL;

  if (name != NULL && *name != '\0')
    g_hash_table_insert (eval->defines, (gpointer) ts_eval_intern (eval, name), (gpointer) define_value (eval, name, equals + 1));
}

/* --- life ---------------------------------------------------------------------------------------------------------------- */

TsEval *
ts_eval_new (TsLexicon *lexicon, const char *const *defines, const char *folder, TsDiagList *diags)
{
  TsEval *eval = g_new0 (TsEval, 1);

  eval->lexicon = lexicon;
  eval->strings = ts_lexicon_strings (lexicon);
  eval->arena = ts_arena_new ();
  eval->diags = diags;
  eval->folder = g_strdup (folder);
  eval->defines = g_hash_table_new (NULL, NULL);
  eval->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  eval->tables = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  eval->arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  eval->parsers = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_parser_free);
  eval->sources = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_source_unref);
  eval->noted = g_hash_table_new (NULL, NULL);
  eval->none = ts_const_new (eval, TS_CONST_NONE);
  for (; defines != NULL && *defines != NULL; defines++)
    add_define (eval, *defines);
  return eval;
}

void
ts_eval_free (TsEval *eval)
{
  if (eval == NULL)
    return;
  g_hash_table_unref (eval->defines);
  g_hash_table_unref (eval->files);
  g_ptr_array_unref (eval->tables);
  g_ptr_array_unref (eval->arrays);
  g_ptr_array_unref (eval->parsers);
  g_ptr_array_unref (eval->sources);
  g_hash_table_unref (eval->noted);
  ts_arena_free (eval->arena);
  g_free (eval->folder);
  g_free (eval);
}

TsScope *
ts_eval_module (TsEval *eval, TsSource *source, TsStatement *body)
{
  TsScope *scope = ts_scope_new (eval, NULL, source);
  g_autofree char *base = g_path_get_basename (ts_source_name (source));
  char *dot = strrchr (base, '.');
  const TsConst *ignored;

  if (dot != NULL)
    *dot = '\0';
  scope->is_module = TRUE;
  scope->module = ts_eval_intern (eval, base);
  /* Not "__main__": the part of a file that runs it is not for us. */
  ts_scope_set (scope, ts_eval_intern (eval, "__name__"), ts_const_text (eval, TS_CONST_STRING, base));
  ts_scope_set (scope, ts_eval_intern (eval, "__file__"), ts_const_text (eval, TS_CONST_STRING, ts_source_name (source)));
  ts_eval_statements (eval, scope, body, NULL, &ignored);
  ts_eval_renew_steps (eval);
  return scope;
}

/* The value a factory's parameter has when nobody calls it. */
static const TsConst *
parameter_value (TsEval *eval, TsScope *scope, const TsParameter *param)
{
  const TsConst *given = ts_eval_define (eval, param->name->text);

  if (given != NULL)
    return given;
  if (param->value != NULL)
    return ts_eval_node (eval, scope, param->value);
  return ts_const_opaque (eval, scope, param->offset, "the parameter '%s' has no default", param->name->text);
}

TsScope *
ts_eval_enter (TsEval *eval, TsScope *scope, TsStatement *def, const TsStatement *until)
{
  TsScope *inner = ts_scope_new (eval, scope, scope->source);
  const TsConst *ignored;

  for (const TsParameter *param = def->params; param != NULL; param = param->next)
    if (param->name != NULL)
      ts_scope_set (inner, param->name->text, parameter_value (eval, scope, param));
  ts_eval_statements (eval, inner, def->body, until, &ignored);
  return inner;
}

TsScope *
ts_eval_bind (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value)
{
  TsScope *inner = ts_scope_new (eval, scope, scope->source);

  ts_eval_assign (eval, inner, target, value);
  return inner;
}

const TsConst *
ts_eval_lookup (TsEval *eval, TsScope *scope, TsName *name)
{
  for (TsScope *each = scope; each != NULL; each = each->up)
    {
      const TsConst *value = ts_scope_get (each, name->text);

      if (value != NULL)
        return value;
    }
  return g_hash_table_lookup (eval->defines, name->text);
}
