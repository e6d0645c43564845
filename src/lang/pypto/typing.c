/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scalar arithmetic as users write it: which operators there are, what they accept, which casts are inserted. Source: spec dsl 4.2,
 * 4.3. */
#include "ir/infer.h"
#include "lang/pypto/reader.h"

const TsType *
ts_reader_type_of (TsReader *reader, const TsExpr *e)
{
  g_autoptr (TsDiagList) silent = ts_diag_list_new ();

  return ts_infer_expr (reader->module, e, silent, TS_SPAN_NONE);
}

typedef enum { CATEGORY_NONE, CATEGORY_BOOL, CATEGORY_INTEGER, CATEGORY_FLOAT, CATEGORY_OTHER } NumberCategory;

static NumberCategory
category_of (const TsExpr *e)
{
  switch (ts_dtype_class ((TsDtype) e->dtype))
    {
    case TS_DTYPE_CLASS_NONE: return CATEGORY_NONE;
    case TS_DTYPE_CLASS_BOOL: return CATEGORY_BOOL;
    case TS_DTYPE_CLASS_INT:
    case TS_DTYPE_CLASS_UINT:
    case TS_DTYPE_CLASS_INDEX: return CATEGORY_INTEGER;
    case TS_DTYPE_CLASS_FLOAT: return CATEGORY_FLOAT;
    default: return CATEGORY_OTHER;
    }
}

static gboolean
is_logic (TsOperator op)
{
  return op == TS_OPERATOR_AND || op == TS_OPERATOR_OR;
}

/* Operators the language has for scalars; the printer knows more. */
static gboolean
is_supported (TsOperator op)
{
  switch ((int) op)
    {
    case TS_OPERATOR_ADD:
    case TS_OPERATOR_SUB:
    case TS_OPERATOR_MUL:
    case TS_OPERATOR_DIV:
    case TS_OPERATOR_FLOOR_DIV:
    case TS_OPERATOR_FLOOR_MOD:
    case TS_OPERATOR_SHL:
    case TS_OPERATOR_SHR:
    case TS_OPERATOR_MIN:
    case TS_OPERATOR_MAX:
    case TS_OPERATOR_NEG:
    case TS_OPERATOR_NOT:
    case TS_OPERATOR_BIT_NOT:
      return TRUE;
    default:
      return ts_operator_is_comparison (op) || is_logic (op);
    }
}

static gboolean
are_interchangeable (TsDtype a, TsDtype b)
{
  return (a == TS_DTYPE_INDEX && b == TS_DTYPE_INT64) || (a == TS_DTYPE_INT64 && b == TS_DTYPE_INDEX);
}

static gboolean
is_shaped (TsReader *reader, const TsExpr *e)
{
  const TsType *type = e->dtype == TS_DTYPE_NONE ? ts_reader_type_of (reader, e) : NULL;

  return ts_type_is_tensor (type) || ts_type_is_tile (type);
}

/* Texts, element types and the like are arguments only. */
static gboolean
is_operand (const TsExpr *e)
{
  return e->kind != TS_EXPR_STRING && e->kind != TS_EXPR_DTYPE && e->kind != TS_EXPR_ENUM && e->kind != TS_EXPR_LIST
         && e->kind != TS_EXPR_NONE;
}

/* FALSE (reported) when the operands are not of one kind of number. */
static gboolean
check_operands (TsReader *reader, const TsNode *node, TsOperator op, const TsExpr *a, const TsExpr *b)
{
  NumberCategory x = category_of (a), y = category_of (b);
  const char *symbol = ts_operator_symbol (op);

  if (!is_operand (a) || !is_operand (b))
    return ts_reader_error (reader, "type-mismatch", node, "'%s' takes scalars", symbol) != NULL;
  if (is_logic (op))
    {
      if ((x == CATEGORY_BOOL || x == CATEGORY_NONE) && (y == CATEGORY_BOOL || y == CATEGORY_NONE))
        return TRUE;
      return ts_reader_error (reader, "type-mismatch", node, "'%s' takes conditions", symbol) != NULL;
    }
  if (x == CATEGORY_BOOL || y == CATEGORY_BOOL)
    return ts_reader_error (reader, "type-mismatch", node, "'%s' does not accept bool dtype", symbol) != NULL;
  if (x != CATEGORY_NONE && y != CATEGORY_NONE && x != y)
    return ts_reader_error (reader, "type-mismatch", node, "'%s' requires same numeric dtype category, not %s and %s", symbol,
                            ts_dtype_name ((TsDtype) a->dtype), ts_dtype_name ((TsDtype) b->dtype)) != NULL;
  return TRUE;
}

TsExpr *
ts_typed_binary (TsReader *reader, const TsNode *node, TsOperator op, TsExpr *a, TsExpr *b)
{
  TsDtype x = (TsDtype) a->dtype, y = (TsDtype) b->dtype;

  if (!is_supported (op))
    return ts_reader_unsupported (reader, node);
  if (is_shaped (reader, a) || is_shaped (reader, b))
    return ts_reader_error (reader, "unsupported", node,
                            "'%s' is for scalars; write pl.add(), pl.mul() and the like for tensors and tiles",
                            ts_operator_symbol (op));
  if (!check_operands (reader, node, op, a, b))
    return NULL;
  if ((op == TS_OPERATOR_DIV || op == TS_OPERATOR_FLOOR_DIV || op == TS_OPERATOR_FLOOR_MOD) && b->kind == TS_EXPR_INT && b->i == 0)
    return ts_reader_error (reader, "bad-argument", node, "a division by zero");
  if (!is_logic (op) && x != TS_DTYPE_NONE && y != TS_DTYPE_NONE && x != y && !are_interchangeable (x, y))
    {
      if (ts_dtype_bits (y) > ts_dtype_bits (x))
        a = ts_expr_cast (reader->module, a, y);
      else
        b = ts_expr_cast (reader->module, b, x);
    }
  return ts_expr_binary (reader->module, op, a, b);
}

TsExpr *
ts_typed_unary (TsReader *reader, const TsNode *node, TsOperator op, TsExpr *x)
{
  NumberCategory category = category_of (x);

  if (!is_supported (op))
    return ts_reader_unsupported (reader, node);
  if (is_shaped (reader, x))
    return ts_reader_error (reader, "unsupported", node, "'%s' is for scalars", ts_operator_symbol (op));
  if (!is_operand (x))
    return ts_reader_error (reader, "type-mismatch", node, "'%s' takes a scalar", ts_operator_symbol (op));
  if (op == TS_OPERATOR_NOT && category != CATEGORY_BOOL && category != CATEGORY_NONE)
    return ts_reader_error (reader, "type-mismatch", node, "'not' takes a condition");
  if (op != TS_OPERATOR_NOT && category == CATEGORY_BOOL)
    return ts_reader_error (reader, "type-mismatch", node, "'%s' does not accept bool dtype", ts_operator_symbol (op));
  return ts_expr_unary (reader->module, op, x);
}
