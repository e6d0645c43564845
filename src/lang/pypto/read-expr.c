/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scalar expressions, lists, constants. Source: spec dsl section 4. */
#include "lang/pypto/reader.h"

#include <math.h>

static TsExpr *
read_enum (TsReader *reader, TsName *name)
{
  if (name->constant == NULL)
    name->constant = name->meaning == TS_MEANING_DTYPE ? ts_expr_dtype (reader->module, (TsDtype) name->detail)
                                                       : ts_expr_enum (reader->module, name->rest);
  return name->constant;
}

/* How a float prints that is infinite or no number, unless the function has a variable of that name. A lone function prints without
 * a header, so that it is read as source: there nothing of the file may have the name either. */
static gboolean
is_unbounded (const TsReader *reader, const TsNode *node)
{
  if ((!ts_node_is_name (node, "inf") && !ts_node_is_name (node, "nan")) || node->name->value != NULL)
    return FALSE;
  return reader->dump
         || (!reader->module->is_program && node->name->symbol == NULL && reader->scope != NULL
             && ts_eval_lookup (reader->eval, reader->scope, node->name) == NULL
             && ts_eval_perhaps_bound (reader->scope, node->name->text) == NULL);
}

static TsExpr *
unbounded (TsReader *reader, const TsNode *name, gboolean negative, TsDtype dtype)
{
  double value = name->name->text[0] == 'n' ? (double) NAN : (double) INFINITY;

  return ts_expr_float (reader->module, negative ? -value : value, dtype);
}

static TsExpr *
read_name (TsReader *reader, const TsNode *node)
{
  TsName *name = node->name;
  TsValue *value;

  switch (ts_name_meaning (reader->lexicon, name))
    {
    case TS_MEANING_DTYPE:
    case TS_MEANING_ENUM:
      return read_enum (reader, name);
    case TS_MEANING_PLAIN:
      break;
    default:
      /* `range` and the like are names of the file when they stand without the prefix. */
      if (name->parent == NULL)
        break;
      return ts_reader_error (reader, "syntax", node, "'%s' is not a value", name->text);
    }
  if (!reader->in_signature && is_unbounded (reader, node))
    return unbounded (reader, node, FALSE, TS_DTYPE_FP32);
  if (!reader->dump && name->value == NULL && name->symbol == NULL)
    return ts_read_closure_name (reader, node);
  if (name->parent != NULL)
    return ts_reader_error (reader, "unsupported", node, "attribute '%s' of '%s' cannot be used here", name->last,
                            name->parent->text);
  value = ts_reader_lookup (reader, node);
  return value != NULL ? ts_reader_value_expr (reader, value) : NULL;
}

static gpointer
too_large (TsReader *reader, const TsNode *node)
{
  return ts_reader_error (reader, "limit", node, "an integer that does not fit in 64 bits");
}

/* The lexer gives what is beyond 2^63 - 1 less 2^64, so that 2^63 is the number that is its own negation. FALSE: has none. */
static gboolean
negate (gint64 value, gint64 *out)
{
  *out = value > G_MININT64 ? -value : value;
  return value >= 0 || value == G_MININT64;
}

static TsExpr *
read_int (TsReader *reader, const TsNode *node)
{
  if (node->i < 0)
    return too_large (reader, node);
  return ts_expr_index (reader->module, node->i);
}

/* A sign directly before a number belongs to it. */
static TsExpr *
read_unary (TsReader *reader, const TsNode *node)
{
  const TsNode *child = node->first;
  gint64 value;
  TsExpr *x;

  if (node->op == TS_OPERATOR_NEG && child->kind == TS_NODE_INT && child->offset == node->offset + 1)
    return negate (child->i, &value) ? ts_expr_index (reader->module, value) : too_large (reader, child);
  if (node->op == TS_OPERATOR_NEG && child->kind == TS_NODE_FLOAT && child->offset == node->offset + 1)
    return ts_expr_float (reader->module, -child->f, TS_DTYPE_FP32);
  if (node->op == TS_OPERATOR_NEG && is_unbounded (reader, child))
    return unbounded (reader, child, TRUE, TS_DTYPE_FP32);
  if (node->op >= TS_N_OPERATORS)
    return ts_reader_unsupported (reader, node);
  x = ts_read_expr (reader, child);
  if (x == NULL)
    return NULL;
  return reader->dump ? ts_expr_unary (reader->module, (TsOperator) node->op, x)
                      : ts_typed_unary (reader, node, (TsOperator) node->op, x);
}

static TsExpr *
read_binary (TsReader *reader, const TsNode *node)
{
  TsExpr *a, *b;

  if (node->op >= TS_N_OPERATORS)
    return ts_reader_unsupported (reader, node);
  a = ts_read_expr (reader, node->first);
  b = ts_read_expr (reader, node->first->next);
  if (a == NULL || b == NULL)
    return NULL;
  return reader->dump ? ts_expr_binary (reader->module, (TsOperator) node->op, a, b)
                      : ts_typed_binary (reader, node, (TsOperator) node->op, a, b);
}

typedef TsExpr *(*ReadItem) (TsReader *reader, const TsNode *node);

static TsExpr **
read_each (TsReader *reader, const TsNode *node, ReadItem read_item, guint *n)
{
  TsExpr **items = ts_pool_array (reader->pool, TsExpr *, MAX (node->n, 1));
  gboolean good = TRUE;

  *n = 0;
  for (const TsNode *item = node->first; item != NULL; item = item->next)
    {
      items[*n] = read_item (reader, item);
      good = good && items[*n] != NULL;
      (*n)++;
    }
  return good ? items : NULL;
}

TsExpr **
ts_read_items (TsReader *reader, const TsNode *node, guint *n)
{
  return read_each (reader, node, ts_read_expr, n);
}

TsExpr *
ts_read_whole_number (TsReader *reader, const TsNode *node)
{
  TsExpr *e = ts_read_expr (reader, node);
  const TsValue *value = e != NULL ? ts_expr_as_value (e) : NULL;

  if (e == NULL)
    return NULL;
  if (value != NULL && value->type != NULL && !ts_type_is_scalar (value->type))
    return ts_reader_error (reader, "bad-type", node, "a whole number is expected here");
  switch ((TsExprKind) e->kind)
    {
    case TS_EXPR_INT:
    case TS_EXPR_VALUE:
    case TS_EXPR_UNARY:
    case TS_EXPR_BINARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET:
    case TS_EXPR_CALL:
      if (e->dtype == TS_DTYPE_NONE || ts_dtype_is_integer ((TsDtype) e->dtype))
        return e;
      G_GNUC_FALLTHROUGH;
    default:
      return ts_reader_error (reader, "bad-type", node, "a whole number is expected here");
    }
}

TsExpr **
ts_read_whole_numbers (TsReader *reader, const TsNode *node, guint *n)
{
  return read_each (reader, node, ts_read_whole_number, n);
}

static TsExpr *
read_list (TsReader *reader, const TsNode *node, ReadItem read_item)
{
  guint n;
  TsExpr **items = read_each (reader, node, read_item, &n);

  return items != NULL ? ts_expr_list (reader->module, items, n) : NULL;
}

static TsExpr *
read_get (TsReader *reader, const TsNode *node)
{
  const TsNode *index = node->first->next;
  TsExpr *tuple = ts_read_expr (reader, node->first);

  if (tuple == NULL)
    return NULL;
  if (index->kind != TS_NODE_INT || index->i < 0 || index->i > G_MAXINT32)
    return ts_reader_error (reader, "syntax", index, "a tuple is indexed by a constant");
  return ts_expr_get (reader->module, tuple, (guint) index->i);
}

/* --- calls that are expressions ------------------------------------------------------------------------------------------ */

static gboolean
read_arguments (TsReader *reader, const TsNode *call, guint n, TsExpr **out)
{
  const TsNode *argument = call->first->next;

  if (call->n != n + 1)
    {
      ts_reader_error (reader, "bad-argument", call, "'%s' takes %u argument%s, %u given", call->first->name->text, n, n == 1 ? ""
                       : "s",
                       call->n - 1);
      return FALSE;
    }
  for (guint i = 0; i < n; i++, argument = argument->next)
    if (argument->kind == TS_NODE_KEYWORD || (out[i] = ts_read_expr (reader, argument)) == NULL)
      {
        if (argument->kind == TS_NODE_KEYWORD)
          ts_reader_error (reader, "bad-argument", argument, "'%s' takes no keyword", call->first->name->text);
        return FALSE;
      }
  return TRUE;
}

static TsExpr *
integer_const (TsReader *reader, const TsNode *node, gboolean negative, TsDtype dtype)
{
  gint64 value = node->i;

  if (!negative && value < 0)
    return dtype == TS_DTYPE_UINT64 ? ts_expr_uint64 (reader->module, (guint64) value) : too_large (reader, node);
  if (negative && !negate (node->i, &value))
    return too_large (reader, node);
  return ts_expr_int (reader->module, value, dtype);
}

/* pl.const(-3, pl.INT32) */
static TsExpr *
read_const (TsReader *reader, const TsNode *call)
{
  const TsNode *value = call->first->next, *type = value != NULL ? value->next : NULL;
  gboolean negative = value != NULL && value->kind == TS_NODE_UNARY && value->op == TS_OPERATOR_NEG;
  TsDtype dtype;

  if (call->n != 3 || type->kind != TS_NODE_NAME || ts_name_meaning (reader->lexicon, type->name) != TS_MEANING_DTYPE)
    return ts_reader_error (reader, "bad-argument", call, "pl.const takes a literal and an element type");
  dtype = (TsDtype) type->name->detail;
  if (negative)
    value = value->first;
  switch (value->kind)
    {
    case TS_NODE_INT:
      return integer_const (reader, value, negative, dtype);
    case TS_NODE_FLOAT:
      return ts_expr_float (reader->module, negative ? -value->f : value->f, dtype);
    case TS_NODE_TRUE:
    case TS_NODE_FALSE:
      return ts_expr_int (reader->module, value->kind == TS_NODE_TRUE, dtype);
    case TS_NODE_NAME:
      if (is_unbounded (reader, value))
        return unbounded (reader, value, negative, dtype);
      break;
    default:
      break;
    }
  return ts_reader_error (reader, "bad-argument", value, "pl.const takes a literal, not %s",
                          ts_node_kind_name ((TsNodeKind) value->kind));
}

static TsExpr *
read_cast (TsReader *reader, const TsNode *call)
{
  const TsNode *value = call->first->next, *type = value != NULL ? value->next : NULL;
  TsExpr *x;

  if (call->n != 3 || type->kind != TS_NODE_NAME || ts_name_meaning (reader->lexicon, type->name) != TS_MEANING_DTYPE)
    return ts_reader_error (reader, "bad-argument", call, "pl.cast of a scalar takes a value and an element type");
  x = ts_read_expr (reader, value);
  return x != NULL ? ts_expr_cast (reader->module, x, (TsDtype) type->name->detail) : NULL;
}

static TsExpr *
read_operator_call (TsReader *reader, const TsNode *call)
{
  TsOperator op = (TsOperator) call->first->name->detail;
  guint n = op == TS_OPERATOR_ABS ? 1 : 2;
  TsExpr *items[2];

  if (!read_arguments (reader, call, n, items))
    return NULL;
  return n == 1 ? ts_expr_unary (reader->module, op, items[0]) : ts_expr_binary (reader->module, op, items[0], items[1]);
}

/* A call as an operand. Source mode needs to know whether it gives a scalar, and of which type; NULL when that is an error. */
static TsExpr *
wrap_call (TsReader *reader, TsOp *op, const TsNode *node)
{
  TsExpr *e = ts_expr_call (reader->module, op);

  if (!reader->dump)
    {
      gboolean failed;
      const TsType *type = ts_reader_result_type (reader, op, node, &failed);

      if (failed)
        return NULL;
      e->dtype = ts_type_is_scalar (type) ? type->dtype : TS_DTYPE_NONE;
    }
  return e;
}

static TsExpr *
read_call_expr (TsReader *reader, const TsNode *node)
{
  gboolean is_expr;
  TsExpr *expr = NULL;
  TsOp *op;

  if (node->first->kind == TS_NODE_NAME)
    switch (ts_name_meaning (reader->lexicon, node->first->name))
      {
      case TS_MEANING_CONST: return read_const (reader, node);
      case TS_MEANING_CAST:
        if (reader->dump)
          return read_cast (reader, node);
        break;
      case TS_MEANING_OPERATOR:
        if (reader->dump)
          return read_operator_call (reader, node);
        break;
      default: break;
      }
  op = reader->dump ? ts_read_call (reader, node, &is_expr) : ts_read_user_call (reader, node, &is_expr, &expr);
  return op != NULL ? wrap_call (reader, op, node) : expr;
}

/* Source mode: x[...] may be any of several operations. */
static TsExpr *
read_subscript (TsReader *reader, const TsNode *node)
{
  TsExpr *e = NULL;
  TsOp *op;

  if (reader->dump)
    return read_get (reader, node);
  op = ts_read_subscript (reader, node, &e);
  return op != NULL ? wrap_call (reader, op, node) : e;
}

/* Kinds that Python would evaluate before the kernel is built, when they mention none of its variables. */
static gboolean
may_fold (const TsNode *node)
{
  switch ((TsNodeKind) node->kind)
    {
    case TS_NODE_UNARY:
    case TS_NODE_BINARY:
    case TS_NODE_CHAIN:
    case TS_NODE_CONDITIONAL:
    case TS_NODE_SUBSCRIPT:
    case TS_NODE_ATTRIBUTE:
    case TS_NODE_CALL:
    case TS_NODE_COMPREHENSION:
      return TRUE;
    default:
      return FALSE;
    }
}

TsExpr *
ts_read_expr (TsReader *reader, const TsNode *node)
{
  g_autofree char *reason = NULL;
  TsExpr *folded = !reader->dump && may_fold (node) ? ts_read_constant (reader, node) : NULL;

  if (folded != NULL)
    return folded;
  switch ((TsNodeKind) node->kind)
    {
    case TS_NODE_NAME: return read_name (reader, node);
    case TS_NODE_INT: return read_int (reader, node);
    case TS_NODE_FLOAT: return ts_expr_float (reader->module, node->f, TS_DTYPE_FP32);
    case TS_NODE_TRUE: return ts_expr_bool (reader->module, TRUE);
    case TS_NODE_FALSE: return ts_expr_bool (reader->module, FALSE);
    case TS_NODE_NONE: return ts_expr_none (reader->module);
    case TS_NODE_UNARY: return read_unary (reader, node);
    case TS_NODE_BINARY: return read_binary (reader, node);
    case TS_NODE_TUPLE:
    case TS_NODE_LIST: return read_list (reader, node, ts_read_expr);
    case TS_NODE_SUBSCRIPT: return read_subscript (reader, node);
    case TS_NODE_COMPREHENSION: return reader->dump ? ts_reader_unsupported (reader, node) : ts_read_comprehension (reader, node);
    case TS_NODE_CALL: return read_call_expr (reader, node);
    case TS_NODE_STRING: return ts_reader_error (reader, "unsupported", node, "a string cannot stand here");
    case TS_NODE_CHAIN: return ts_reader_error (reader, "unsupported", node, "only simple comparisons are supported");
    case TS_NODE_ATTRIBUTE:
      if ((reason = ts_reader_why_not (reader, node)) != NULL)
        return ts_reader_error (reader, "not-evaluated", node, "cannot evaluate this attribute (%s)", reason);
      return ts_reader_unsupported (reader, node);
    default: return ts_reader_unsupported (reader, node);
    }
}

TsExpr *
ts_read_keyword_value (TsReader *reader, const TsNode *node)
{
  switch ((TsNodeKind) node->kind)
    {
    case TS_NODE_STRING: return ts_expr_string (reader->module, node->text);
    case TS_NODE_TUPLE:
    case TS_NODE_LIST: return read_list (reader, node, ts_read_keyword_value);
    default: return ts_read_expr (reader, node);
    }
}

/* --- arguments of operations that no table knows ------------------------------------------------------------------------- */

static gboolean
mentions_variable (const TsNode *node)
{
  const TsName *root = node->kind == TS_NODE_NAME || node->kind == TS_NODE_WALRUS ? node->name : NULL;

  while (root != NULL && root->parent != NULL)
    root = root->parent;
  if (root != NULL && root->value != NULL)
    return TRUE;
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    if (mentions_variable (child))
      return TRUE;
  return FALSE;
}

/* As it is written, on one line. What mentions a variable cannot be kept so: the variable may get another name. */
static TsExpr *
keep_text (TsReader *reader, const TsNode *node)
{
  gsize size;
  const char *text = ts_source_text (reader->source, &size);
  g_autofree char *written = node->end <= size && node->offset <= node->end
                               ? g_strndup (text + node->offset, node->end - node->offset) : NULL;

  if (written == NULL || *written == '\0' || mentions_variable (node))
    return ts_reader_unsupported (reader, node);
  return ts_expr_text (reader->module, g_strdelimit (written, "\r\n", ' '));
}

static TsExpr *
keep_items (TsReader *reader, const TsNode *node)
{
  guint n;
  TsExpr **items;

  for (const TsNode *entry = node->first; entry != NULL; entry = entry->next)
    if (entry->kind == TS_NODE_STAR || entry->kind == TS_NODE_DOUBLE_STAR)
      return keep_text (reader, node);
  if ((items = read_each (reader, node, ts_read_foreign_argument, &n)) == NULL)
    return NULL;
  return node->kind == TS_NODE_DICT ? ts_expr_dict (reader->module, items, n) : ts_expr_list (reader->module, items, n);
}

static gboolean
is_value (TsReader *reader, const TsNode *node)
{
  TsNameMeaning meaning = ts_name_meaning (reader->lexicon, node->name);

  return meaning == TS_MEANING_DTYPE || meaning == TS_MEANING_ENUM || meaning == TS_MEANING_PLAIN || node->name->parent == NULL;
}

TsExpr *
ts_read_foreign_argument (TsReader *reader, const TsNode *node)
{
  switch ((TsNodeKind) node->kind)
    {
    case TS_NODE_STRING: return ts_expr_string (reader->module, node->text);
    case TS_NODE_DICT:
    case TS_NODE_TUPLE:
    case TS_NODE_LIST: return keep_items (reader, node);
    case TS_NODE_NAME: return is_value (reader, node) ? ts_read_expr (reader, node) : keep_text (reader, node);
    case TS_NODE_SUBSCRIPT:
      return node->first->next->kind == TS_NODE_INT || !reader->dump ? ts_read_expr (reader, node) : keep_text (reader, node);
    case TS_NODE_INT:
    case TS_NODE_FLOAT:
    case TS_NODE_TRUE:
    case TS_NODE_FALSE:
    case TS_NODE_NONE:
    case TS_NODE_UNARY:
    case TS_NODE_BINARY:
    case TS_NODE_CALL: return ts_read_expr (reader, node);
    default: return keep_text (reader, node);
    }
}

TsExpr *
ts_reader_bare_literal (TsReader *reader, TsExpr *e)
{
  if (e == NULL || (e->kind != TS_EXPR_INT && e->kind != TS_EXPR_FLOAT) || e->dtype == TS_DTYPE_BOOL)
    return e;
  return e->kind == TS_EXPR_INT ? ts_expr_index (reader->module, e->i) : ts_expr_float (reader->module, e->f, TS_DTYPE_FP32);
}

TsExpr *
ts_read_keyword_argument (TsReader *reader, const TsNode *node)
{
  return ts_reader_bare_literal (reader, ts_read_keyword_value (reader, node));
}
