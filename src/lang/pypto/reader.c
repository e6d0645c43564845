/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all parts of the reader need: errors, names and their scopes. */
#include "lang/pypto/reader.h"

#include <string.h>

#include "ir/names.h"
#include "lang/pypto/near-name.h"

/* --- errors -------------------------------------------------------------------------------------------------------------- */

TsSpan
ts_reader_span (const TsReader *reader, guint32 offset, guint32 end)
{
  return (TsSpan) { offset, end > offset ? end - offset : 0, reader->file };
}

void
ts_reader_set_source (TsReader *reader, TsSource *source)
{
  if (source == reader->source)
    return;
  reader->source = source;
  reader->file = ts_module_add_source (reader->module, source);
}

/* Errors that say what kind of value belongs here: a value that is not known is why there is none. */
static gboolean
asks_for_value (const char *code)
{
  static const char *const codes[] = { "bad-argument", "bad-type", "missing-argument", NULL };

  return g_strv_contains (codes, code);
}

gpointer
ts_reader_error (TsReader *reader, const char *code, const TsNode *node, const char *format, ...)
{
  va_list args;
  TsDiag *diag;

  va_start (args, format);
  diag = ts_diag_add_valist (reader->diags, TS_SEVERITY_ERROR, code, reader->source,
                             ts_reader_span (reader, node->offset, node->end),
                             format, args);
  va_end (args);
  if (reader->function != NULL && diag->function == NULL)
    diag->function = g_strdup (reader->function->name);
  if (diag->help == NULL && asks_for_value (code))
    diag->help = ts_reader_missing_value (reader, node);
  return NULL;
}

gpointer
ts_reader_error_at (TsReader *reader, const char *code, guint32 offset, guint32 end, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  ts_diag_add_valist (reader->diags, TS_SEVERITY_ERROR, code, reader->source, ts_reader_span (reader, offset, end), format, args);
  va_end (args);
  return NULL;
}

TsDiag *
ts_reader_refuse (TsReader *reader, guint32 offset, guint32 end, const char *format, ...)
{
  va_list args;
  TsDiag *diag;

  va_start (args, format);
  diag = ts_diag_add_valist (reader->diags, TS_SEVERITY_ERROR, "unsupported", reader->source, ts_reader_span (reader, offset, end),
                             format, args);
  va_end (args);
  return diag;
}

TsDiag *
ts_reader_note (TsReader *reader, TsSeverity severity, const char *code, const TsNode *node, const char *format, ...)
{
  va_list args;
  TsDiag *diag;

  va_start (args, format);
  diag = ts_diag_add_valist (reader->diags, severity, code, reader->source, ts_reader_span (reader, node->offset, node->end),
                             format,
                             args);
  va_end (args);
  return diag;
}

static const char *
operator_name (guint8 op)
{
  switch (op)
    {
    case TS_SYNTAX_AT: return "the operator '@'";
    case TS_SYNTAX_IN:
    case TS_SYNTAX_NOT_IN: return "the operator 'in'";
    case TS_SYNTAX_IS:
    case TS_SYNTAX_IS_NOT: return "the operator 'is'";
    case TS_SYNTAX_PLUS: return "the unary operator '+'";
    default: return "this operator";
    }
}

/* What to write instead of a construct of Python. */
static const struct { const char *what, *help; } ways_round[] = {
  { "match", "write it as if / elif / else" },
  { "try", "nothing raises an exception in a kernel: leave it out" },
  { "raise", "pl.static_assert(condition, \"...\") checks constants" },
  { "del", "leave it out: variables end with the kernel" },
  { "global", "constants of the file can be read without it" },
  { "nonlocal", "constants of the file can be read without it" },
  { "a conditional expression", "use if / else with an assignment in each arm, or pl.min() and pl.max()" },
  { "yield", "a loop or a branch gives values with pl.yield_(value), a function with return" },
  { "await", "operations of a kernel run in order: leave it out" },
  { "a lambda", "write what it computes in its place, or as an @pl.inline function" },
  { "an assignment expression", "assign on a line of its own" },
  { "an f-string", "f-strings stand in pl.static_print() and pl.static_assert()" },
  { "the operator '**'", "write the product out" },
  { "the operator '&'", "conditions are joined with 'and', tiles with pl.and_()" },
  { "the operator '|'", "conditions are joined with 'or', tiles with pl.or_()" },
  { "the operator '^'", "tiles are joined with pl.xor()" },
  { "the operator '@'", "use pl.matmul()" },
  { "the operator 'is'", "compare with ==" },
  { "the operator 'in'", "compare with == and join with 'or'" },
};

const char *
ts_reader_way_round (const char *what)
{
  for (guint i = 0; what != NULL && i < G_N_ELEMENTS (ways_round); i++)
    if (strcmp (ways_round[i].what, what) == 0)
      return ways_round[i].help;
  return NULL;
}

gpointer
ts_reader_unsupported (TsReader *reader, const TsNode *node)
{
  g_autofree char *operator = NULL;
  const char *what = node->kind == TS_NODE_OTHER && node->text != NULL ? node->text : ts_node_kind_name ((TsNodeKind) node->kind);
  TsDiag *diag;

  if (node->kind == TS_NODE_BINARY || node->kind == TS_NODE_UNARY)
    {
      if (node->op < TS_N_OPERATORS)
        operator = g_strdup_printf ("the operator '%s'", ts_operator_symbol ((TsOperator) node->op));
      what = operator != NULL ? operator : operator_name (node->op);
    }
  diag = ts_reader_refuse (reader, node->offset, node->end, "%s cannot stand in a kernel", what);
  diag->help = g_strdup (ts_reader_way_round (what));
  return NULL;
}

typedef struct
{
  TsNearName near;
} NameSearch;

static void
consider_name (TsName *name, gpointer data)
{
  NameSearch *search = data;

  if (name->value != NULL && name->parent == NULL)
    ts_near_name_consider (&search->near, name->text);
}

/* Searching all names is linear, so only the first few errors of a file get a suggestion. */
#define SUGGESTIONS 20u

gboolean
ts_reader_may_suggest (TsReader *reader)
{
  if (reader->n_suggested >= SUGGESTIONS)
    return FALSE;
  reader->n_suggested++;
  return TRUE;
}

gpointer
ts_reader_undefined (TsReader *reader, const TsNode *node)
{
  const char *text = node->name->text;
  NameSearch search = { { text } };
  TsDiag *diag;

  if (!g_hash_table_add (reader->reported, (gpointer) text))
    return NULL;
  ts_reader_error (reader, "undefined-name", node, "undefined variable '%s'", text);
  if (!ts_reader_may_suggest (reader))
    return NULL;
  ts_lexicon_foreach (reader->lexicon, consider_name, &search);
  if (search.near.best != NULL)
    {
      diag = (TsDiag *) ts_diag_list_get (reader->diags, ts_diag_list_length (reader->diags) - 1);
      diag->help = g_strdup_printf ("did you mean '%s'?", search.near.best);
    }
  return NULL;
}

/* --- names --------------------------------------------------------------------------------------------------------------- */

void
ts_reader_bind (TsReader *reader, TsName *name, TsValue *value)
{
  TsBinding binding = { name, name->value };

  if (name->value == value)
    return;
  /* An annotation with this name in it would now read differently. */
  if (name->value != NULL && reader->types != NULL)
    ts_type_cache_forget (reader->types);
  g_array_append_val (reader->bindings, binding);
  name->value = value;
}

guint
ts_reader_mark (const TsReader *reader)
{
  return reader->bindings->len;
}

void
ts_reader_undo (TsReader *reader, guint mark)
{
  while (reader->bindings->len > mark)
    {
      const TsBinding *binding = &g_array_index (reader->bindings, TsBinding, reader->bindings->len - 1);

      binding->name->value = binding->before;
      g_array_set_size (reader->bindings, reader->bindings->len - 1);
    }
}

/* A name that a signature mentions: a later parameter or a variable of the body may still define it. */
static TsValue *
forward_value (TsReader *reader, TsName *name)
{
  TsValue *value = ts_value_new (reader->module, TS_VALUE_SYMBOL, name->text, ts_type_scalar (reader->module, TS_DTYPE_INDEX));

  ts_reader_bind (reader, name, value);
  g_ptr_array_add (reader->forward, name);
  return value;
}

TsValue *
ts_reader_lookup (TsReader *reader, const TsNode *node)
{
  TsName *name = node->name;
  TsValue *value = name->value != NULL ? name->value : name->symbol;

  if (G_LIKELY (value != NULL))
    return value != &reader->poison ? value : NULL;
  if (reader->in_signature)
    return forward_value (reader, name);
  if (ts_name_is_free (name->text))
    {
      value = ts_value_new (reader->module, TS_VALUE_FREE, name->text, ts_type_scalar (reader->module, TS_DTYPE_INDEX));
      ts_reader_bind (reader, name, value);
      return value;
    }
  return ts_reader_undefined (reader, node);
}

TsValue *
ts_reader_base (TsReader *reader, TsName *name)
{
  TsValue *value = name->value;

  if (value != NULL && value != &reader->poison && ts_type_is (value->type, TS_TYPE_PTR))
    return value;
  value = ts_value_new (reader->module, TS_VALUE_BASE, name->text, ts_type_ptr (reader->module));
  ts_reader_bind (reader, name, value);
  return value;
}

/* What stands for a parameter of an inline kernel, or NULL. */
static TsExpr *
alias_of (const TsReader *reader, const TsValue *value)
{
  return reader->aliases != NULL ? g_hash_table_lookup (reader->aliases, value) : NULL;
}

TsExpr *
ts_reader_value_expr (TsReader *reader, TsValue *value)
{
  TsExpr *alias = alias_of (reader, value);

  return alias != NULL ? alias : ts_expr_value (reader->module, value);
}

gboolean
ts_reader_may_retype (const TsReader *reader, const TsName *name)
{
  const TsValue *value = name->value;

  return value == NULL || value == &reader->poison || value->kind == TS_VALUE_SYMBOL || alias_of (reader, value) != NULL;
}

/* Was the variable made before its definition was met: by a signature, or as the base of a MemRef? */
static gboolean
awaits_definition (const TsReader *reader, const TsName *name, const TsType *type)
{
  const TsValue *value = name->value;

  if (value->def != NULL)
    return FALSE;
  return (value->kind == TS_VALUE_SYMBOL && value != name->symbol)
         || (value->kind == TS_VALUE_BASE && ts_type_is (type, TS_TYPE_PTR));
}

TsValue *
ts_reader_define (TsReader *reader, const TsNode *target, const TsType *type)
{
  TsName *name = target->name;
  TsValue *value = name->value;

  if (value != NULL && value != &reader->poison)
    {
      if (awaits_definition (reader, name, type))
        {
          value->kind = TS_VALUE_RESULT;
          value->type = type;
          return value;
        }
      if (!ts_reader_may_retype (reader, name) && ts_types_agree (value->type, type))
        return value;
    }
  value = ts_value_new (reader->module, TS_VALUE_RESULT, name->text, type);
  ts_reader_bind (reader, name, value);
  return value;
}

void
ts_reader_poison (TsReader *reader, const TsNode *target)
{
  if (target == NULL)
    return;
  if (target->kind == TS_NODE_NAME && target->name->parent == NULL)
    {
      if (target->name->value == NULL)
        ts_reader_bind (reader, target->name, &reader->poison);
      return;
    }
  if (target->kind == TS_NODE_TUPLE || target->kind == TS_NODE_LIST)
    for (const TsNode *item = target->first; item != NULL; item = item->next)
      if (item->kind == TS_NODE_NAME)
        ts_reader_poison (reader, item);
}
