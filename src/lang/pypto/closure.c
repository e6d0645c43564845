/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kernel's text mentions from outside: constants of the file, by way of the evaluator. Source: spec dsl 4.3, 9.2. */
#include <string.h>

#include "ir/op-info.h"
#include "lang/pypto/near-name.h"
#include "lang/pypto/reader.h"

TsValue *
ts_reader_symbol (TsReader *reader, const char *text)
{
  TsName *name = ts_lexicon_get (reader->lexicon, text, strlen (text));

  if (name->symbol == NULL)
    name->symbol = ts_value_new (reader->module, TS_VALUE_SYMBOL, text, ts_type_scalar (reader->module, TS_DTYPE_INDEX));
  return name->symbol;
}

/* Items that one constant may become: its lists may share their parts, an expression's do not. */
#define MAX_ITEMS 100000u

static gboolean
count_items (const TsConst *value, guint *n)
{
  if (++*n > MAX_ITEMS)
    return FALSE;
  for (guint i = 0; ts_const_is_sequence (value) && i < value->n; i++)
    if (!count_items (value->items[i], n))
      return FALSE;
  return TRUE;
}

static TsExpr *const_expr (TsReader *reader, const TsNode *node, const TsConst *value);

static TsExpr *
sequence_expr (TsReader *reader, const TsNode *node, const TsConst *value)
{
  TsExpr **items = ts_pool_array (reader->pool, TsExpr *, MAX (value->n, 1));

  for (guint i = 0; i < value->n; i++)
    if ((items[i] = const_expr (reader, node, value->items[i])) == NULL)
      return NULL;
  return ts_expr_list (reader->module, items, value->n);
}

/* An object: a member of an enumeration has a value that may be meant. */
static gpointer
object_error (TsReader *reader, const TsNode *node, const TsConst *value)
{
  const char *name = ts_const_member_name (reader->eval, value);

  if (name == NULL)
    return ts_reader_error (reader, "unsupported", node, "%s cannot be used as a value in a kernel", ts_const_kind_name (value));
  return ts_reader_error (reader, "unsupported", node,
                          "%s, a member of an enumeration, is no number and no text and cannot be used as a value in a kernel;"
                          " write %s.value, or make the enumeration an IntEnum", name, name);
}

static TsExpr *
const_expr (TsReader *reader, const TsNode *node, const TsConst *value)
{
  value = ts_const_plain (value);
  switch ((TsConstKind) value->kind)
    {
    case TS_CONST_NONE: return ts_expr_none (reader->module);
    case TS_CONST_BOOL: return ts_expr_bool (reader->module, value->i != 0);
    case TS_CONST_INT: return ts_expr_index (reader->module, value->i);
    case TS_CONST_FLOAT: return ts_expr_float (reader->module, value->f, TS_DTYPE_FP32);
    case TS_CONST_STRING: return ts_expr_string (reader->module, value->text);
    case TS_CONST_TUPLE:
    case TS_CONST_LIST: return sequence_expr (reader, node, value);
    case TS_CONST_DTYPE: return ts_expr_dtype (reader->module, (TsDtype) value->detail);
    case TS_CONST_ENUM: return ts_expr_enum (reader->module, value->text);
    case TS_CONST_DYNAMIC: return ts_expr_value (reader->module, ts_reader_symbol (reader, value->text));
    default:
      return object_error (reader, node, value);
    }
}

TsExpr *
ts_reader_const_expr (TsReader *reader, const TsNode *node, const TsConst *value)
{
  guint n = 0;

  if (!count_items (value, &n))
    return ts_reader_error (reader, "limit", node, "a constant of more than %u items", MAX_ITEMS);
  return const_expr (reader, node, value);
}

/* --- folding ------------------------------------------------------------------------------------------------------------- */

static gboolean
is_bound (const TsName *name)
{
  while (name->parent != NULL)
    name = name->parent;
  return name->value != NULL;
}

/* Does it mention a variable of the kernel, or call the language? */
static gboolean
mentions_kernel (TsReader *reader, const TsNode *node)
{
  if (node->kind == TS_NODE_NAME)
    return is_bound (node->name);
  if (node->kind == TS_NODE_CALL && node->first->kind == TS_NODE_NAME)
    {
      ts_name_meaning (reader->lexicon, node->first->name);
      if (node->first->name->root == TS_ROOT_PL || node->first->name->root == TS_ROOT_PLD
          || node->first->name->root == TS_ROOT_SELF)
        return strcmp (node->first->name->last, "get_byte") != 0;
    }
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    if (mentions_kernel (reader, child))
      return TRUE;
  return FALSE;
}

const TsConst *
ts_reader_closure (TsReader *reader, const TsNode *node)
{
  const TsConst *value;

  if (reader->eval == NULL || mentions_kernel (reader, node))
    return NULL;
  value = ts_eval_node (reader->eval, reader->scope, node);
  return value->kind != TS_CONST_OPAQUE ? ts_const_plain (value) : NULL;
}

char *
ts_reader_why_not (TsReader *reader, const TsNode *node)
{
  const TsConst *value;

  if (reader->eval == NULL || mentions_kernel (reader, node))
    return NULL;
  value = ts_eval_node (reader->eval, reader->scope, node);
  return value->kind == TS_CONST_OPAQUE ? ts_const_reason (value) : NULL;
}

/* The reason for a name of the file that is bound to what is not known; NULL for every other: one of the kernel or of the language,
 * one that nothing binds, one whose reason was told where it became a symbol. */
static char *
why_open (TsReader *reader, const TsNode *node)
{
  TsName *root = node->name;

  while (root->parent != NULL)
    root = root->parent;
  ts_name_meaning (reader->lexicon, node->name);
  if (node->name->root != TS_ROOT_NONE || root->value != NULL || g_hash_table_contains (reader->noted, node->name->text)
      || (ts_eval_lookup (reader->eval, reader->scope, root) == NULL && ts_eval_perhaps_bound (reader->scope, root->text) == NULL))
    return NULL;
  return ts_reader_why_not (reader, node);
}

static char *
missing_value (TsReader *reader, const TsNode *node)
{
  g_autofree char *reason = node->kind == TS_NODE_NAME ? why_open (reader, node) : NULL;

  if (reason != NULL)
    return g_strdup_printf ("cannot evaluate %s (%s): pass -D %s=VALUE", node->name->text, reason, node->name->text);
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    {
      char *help = missing_value (reader, child);

      if (help != NULL)
        return help;
    }
  return NULL;
}

char *
ts_reader_missing_value (TsReader *reader, const TsNode *node)
{
  if (reader->dump || reader->eval == NULL || !ts_reader_may_suggest (reader))
    return NULL;
  return missing_value (reader, node);
}

TsExpr *
ts_read_constant (TsReader *reader, const TsNode *node)
{
  const TsConst *value = ts_reader_closure (reader, node);

  if (value == NULL || value->kind > TS_CONST_DYNAMIC)
    return NULL;
  return ts_reader_const_expr (reader, node, value);
}

/* --- open names ---------------------------------------------------------------------------------------------------------- */

/* A name whose value we do not find stays a symbol: the kernel can be looked at. Said once. */
static TsExpr *
open_name (TsReader *reader, const TsNode *node, const TsConst *value)
{
  g_autofree char *hint = g_strdelimit (g_strdup (node->name->text), ".", '_');
  TsValue *symbol = ts_reader_symbol (reader, hint);

  if (g_hash_table_add (reader->noted, (gpointer) node->name->text))
    {
      g_autofree char *reason = ts_const_reason (value);
      TsDiag *diag = ts_reader_note (reader, TS_SEVERITY_WARNING, "not-evaluated", node,
                                     "cannot evaluate %s (%s): it stays a symbol",
                                     node->name->text, reason);

      diag->help = g_strdup_printf ("pass -D %s=VALUE", node->name->text);
    }
  return ts_expr_value (reader->module, symbol);
}

static void
consider (const char *name, gpointer data)
{
  ts_near_name_consider (data, name);
}

static void
consider_variable (TsName *name, gpointer data)
{
  if (name->value != NULL && name->parent == NULL)
    ts_near_name_consider (data, name->text);
}

/* Says it once per function; `what` the name was to be. Returns the diagnostic, or NULL when it is not said again. */
static TsDiag *
note_undefined (TsReader *reader, const TsNode *node, const char *what)
{
  TsNearName near = { node->name->text, NULL, 0 };
  TsDiag *diag;

  if (!g_hash_table_add (reader->reported, (gpointer) node->name->text))
    return NULL;
  diag = ts_reader_note (reader, TS_SEVERITY_ERROR, "undefined-name", node, "undefined %s '%s'", what, node->name->text);
  if (reader->function != NULL)
    diag->function = g_strdup (reader->function->name);
  if (strcmp (node->name->text, "print") == 0)
    {
      diag->help = g_strdup ("pl.static_print() prints constants while the kernel is read");
      return diag;
    }
  if (!ts_reader_may_suggest (reader))
    return diag;
  ts_lexicon_foreach (reader->lexicon, consider_variable, &near);
  ts_scope_foreach (reader->scope, consider, &near);
  if (near.best != NULL)
    diag->help = g_strdup_printf ("did you mean '%s'?", near.best);
  return diag;
}

static gpointer
undefined (TsReader *reader, const TsNode *node)
{
  note_undefined (reader, node, "variable");
  return NULL;
}

/* How to call what a bare name was meant to call. */
static char *
calling_help (TsReader *reader, const char *name)
{
  static const char *const levels[] = { "tile.", "tensor.", "system." };

  if (ts_module_find_function (reader->module, name) != NULL)
    return g_strdup_printf ("did you mean 'self.%s'?", name);
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      g_autofree char *full = g_strconcat (levels[i], name, NULL);

      if (ts_op_code_from_name (full, -1) != TS_OP_UNKNOWN)
        return g_strdup_printf ("did you mean '%s.%s'?", ts_lexicon_prefix (reader->lexicon), name);
    }
  return g_strdup ("a kernel calls operations as pl.NAME(), methods of its class as self.NAME(), and functions that are "
                   "@pl.function or @pl.inline by their name");
}

gpointer
ts_reader_undefined_callee (TsReader *reader, const TsNode *callee)
{
  TsDiag *diag = note_undefined (reader, callee, "function");

  if (diag != NULL && diag->help == NULL)
    diag->help = calling_help (reader, callee->name->text);
  return NULL;
}

/* A buffer that system.reserve_buffer made or a peer reserved, under whatever name. */
static gboolean
is_buffer (const TsValue *value)
{
  const TsOp *op = value->kind == TS_VALUE_RESULT ? value->def : NULL;

  for (; op != NULL && op->code == TS_OP_ASSIGN && op->n_operands > 0; op = value->def)
    {
      if ((value = ts_expr_as_value (op->operands[0])) == NULL || value->kind != TS_VALUE_RESULT)
        return FALSE;
    }
  return op != NULL && (op->code == TS_OP_SYSTEM_RESERVE_BUFFER || op->code == TS_OP_SYSTEM_IMPORT_PEER_BUFFER);
}

TsExpr *
ts_read_closure_name (TsReader *reader, const TsNode *node)
{
  TsName *root = node->name;
  const TsConst *value;

  while (root->parent != NULL)
    root = root->parent;
  if (root->value == &reader->poison)
    return NULL;
  if (root->value != NULL)
    {
      /* The one attribute a value has: where a reserved buffer lies, which is what the value stands for. */
      if (strcmp (node->name->last, "base") == 0 && node->name->parent == root && is_buffer (root->value))
        return ts_reader_value_expr (reader, root->value);
      return ts_reader_error (reader, "unsupported", node, "attribute '%s' of '%s' cannot be used here", node->name->last,
                              node->name->parent->text);
    }
  if (ts_eval_lookup (reader->eval, reader->scope, root) == NULL && ts_eval_perhaps_bound (reader->scope, root->text) == NULL)
    {
      if (reader->in_signature && !reader->module->is_program && node->name == root)
        return ts_expr_value (reader->module, ts_reader_symbol (reader, root->text));
      return undefined (reader, node);
    }
  value = ts_eval_node (reader->eval, reader->scope, node);
  return value->kind == TS_CONST_OPAQUE ? open_name (reader, node, value) : ts_reader_const_expr (reader, node, value);
}

/* --- comprehensions ------------------------------------------------------------------------------------------------------ */

#define MAX_UNROLLED 4096u

TsExpr *
ts_read_comprehension (TsReader *reader, const TsNode *node)
{
  const TsNode *element = node->first, *clause = element->next;
  const TsConst *items = clause->kind == TS_NODE_CLAUSE ? ts_reader_closure (reader, clause->first->next) : NULL;
  TsScope *before = reader->scope;
  TsExpr **values;
  gboolean good = TRUE;

  items = items != NULL ? ts_const_iterate (reader->eval, items) : NULL;
  if (items == NULL || items->n > MAX_UNROLLED || clause->next != NULL || clause->first->next->next != NULL)
    return ts_reader_error (reader, "unsupported", node, "a comprehension in a kernel goes over one constant range");
  values = ts_pool_array (reader->pool, TsExpr *, MAX (items->n, 1));
  for (guint i = 0; i < items->n && good; i++)
    {
      reader->scope = ts_eval_bind (reader->eval, before, clause->first, items->items[i]);
      good = (values[i] = ts_read_expr (reader, element)) != NULL;
    }
  reader->scope = before;
  return good ? ts_expr_list (reader->module, values, items->n) : NULL;
}
