/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/values.h"

#include <string.h>

TsValue *
ts_graph_operand (const TsOp *op, guint i)
{
  return i < op->n_operands ? ts_expr_as_value (op->operands[i]) : NULL;
}

TsOp *
ts_graph_def (const TsExpr *operand)
{
  TsValue *value = ts_expr_as_value (operand);

  return value != NULL && value->kind == TS_VALUE_RESULT ? value->def : NULL;
}

gboolean
ts_graph_is_plain_tensor (const TsType *type)
{
  if (!ts_type_is (type, TS_TYPE_RANKED) || type->text != NULL)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (type->dims[i]->i < 0)
      return FALSE;
  return TRUE;
}

gint64
ts_graph_extent (const TsType *type, guint axis)
{
  return type->dims[axis]->i;
}

gint64
ts_graph_n_elements (const TsType *type)
{
  gint64 n = 1;

  for (guint i = 0; i < type->rank; i++)
    if (__builtin_mul_overflow (n, type->dims[i]->i, &n))
      return G_MAXINT64;
  return n;
}

gboolean
ts_graph_same_shape (const TsType *a, const TsType *b)
{
  if (!ts_type_is (a, TS_TYPE_RANKED) || !ts_type_is (b, TS_TYPE_RANKED) || a->rank != b->rank || g_strcmp0 (a->text, b->text) != 0)
    return FALSE;
  for (guint i = 0; i < a->rank; i++)
    if (a->dims[i]->i != b->dims[i]->i)
      return FALSE;
  return TRUE;
}

const TsType *
ts_graph_tensor_type (TsModule *module, const gint64 *shape, guint rank, const TsType *elem)
{
  return ts_type_ranked (module, shape, rank, elem, NULL);
}

gboolean
ts_graph_is_pointer_tensor (const TsType *type)
{
  return ts_type_is (type, TS_TYPE_RANKED) && type->elems[0]->kind == TS_TYPE_POINTER;
}

static const TsExpr *
constant_value (const TsExpr *operand)
{
  const TsOp *def = ts_graph_def (operand);

  return def != NULL && def->code == TS_OP_ARITH_CONSTANT ? ts_op_attr (def, "value") : NULL;
}

gboolean
ts_graph_const_scalar (const TsExpr *operand, gint64 *out)
{
  const TsExpr *value = constant_value (operand);

  if (value == NULL || value->kind != TS_EXPR_INT)
    return FALSE;
  *out = value->i;
  return TRUE;
}

gboolean
ts_graph_const_splat (const TsExpr *operand, gint64 *out)
{
  const TsExpr *value = constant_value (operand);

  if (value == NULL || value->kind != TS_EXPR_LIST || g_strcmp0 (value->raw, "dense") != 0 || value->list[0]->kind != TS_EXPR_INT)
    return FALSE;
  *out = value->list[0]->i;
  return TRUE;
}

gboolean
ts_graph_has_flags (const TsOp *op)
{
  return ts_op_attr (op, "overflowFlags") != NULL;
}

gboolean
ts_graph_is_elementwise (const TsOp *op)
{
  return (ts_op_info ((TsOpCode) op->code)->flags & TS_OPF_ELEMENTWISE) != 0;
}

gboolean
ts_graph_is_pure (const TsOp *op)
{
  const TsOpInfo *info = ts_op_info ((TsOpCode) op->code);
  const TsExpr *pure = ts_op_attr (op, "pure");

  if (op->code == TS_OP_TT_EXTERN_ELEMENTWISE || op->code == TS_OP_TT_ELEMENTWISE_INLINE_ASM)
    return pure != NULL && pure->kind == TS_EXPR_INT && pure->i != 0;
  return (info->flags & TS_OPF_PURE) != 0;
}

gboolean
ts_graph_is_barrier (const TsOp *op)
{
  return strstr (op->name, "barrier") != NULL;
}

gboolean
ts_graph_is_volatile (const TsOp *op)
{
  return ts_op_attr_bool (op, "isVolatile", FALSE);
}

gboolean
ts_graph_has_boundary_check (const TsOp *op)
{
  return ts_op_attr (op, "boundaryCheck") != NULL;
}

gboolean
ts_graph_has_padding (const TsOp *op)
{
  return ts_op_attr (op, "padding") != NULL;
}

guint
ts_graph_mask_index (const TsOp *op)
{
  return op->code == TS_OP_TT_LOAD ? 1 : 2;
}

gboolean
ts_graph_is_public (const TsFunction *function)
{
  for (guint i = 0; i < function->n_attrs; i++)
    if (strcmp (function->attrs[i].key, "sym_visibility") == 0)
      return function->attrs[i].value->kind == TS_EXPR_STRING && strcmp (function->attrs[i].value->text, "public") == 0;
  return TRUE;
}

const TsExpr *
ts_graph_pointer_source (const TsExpr *pointer)
{
  const TsOp *def = ts_graph_def (pointer);

  switch (def != NULL ? (int) def->code : TS_OP_INVALID)
    {
    case TS_OP_TT_ADDPTR:
    case TS_OP_TT_SPLAT:
    case TS_OP_TT_BROADCAST:
    case TS_OP_TT_MAKE_TENSOR_PTR:
      return def->operands[0];
    default:
      return NULL;
    }
}

TsValue *
ts_graph_pointer_argument (const TsExpr *pointer)
{
  TsValue *value = ts_expr_as_value (pointer);

  return value != NULL && value->kind == TS_VALUE_PARAM && ts_type_is (value->type, TS_TYPE_POINTER)
                 && value->type->address_space <= 1
             ? value
             : NULL;
}

/* --- permutations ---------------------------------------------------------------------------------------------------------- */

gboolean
ts_permutation_from_order (const TsOp *trans, TsPermutation *out)
{
  const TsExpr *order = ts_op_attr (trans, "order");
  guint seen = 0;

  if (order == NULL || order->kind != TS_EXPR_LIST || order->n == 0 || order->n > TS_GRAPH_MAX_RANK)
    return FALSE;
  out->rank = order->n;
  for (guint i = 0; i < order->n; i++)
    {
      gint64 axis = order->list[i]->i;

      if (axis < 0 || axis >= order->n || (seen & (1u << axis)) != 0)
        return FALSE;
      seen |= 1u << axis;
      out->axes[i] = (guint8) axis;
    }
  return TRUE;
}

TsPermutation
ts_permutation_inverse (const TsPermutation *p)
{
  TsPermutation inverse = { .rank = p->rank };

  for (guint i = 0; i < p->rank; i++)
    inverse.axes[p->axes[i]] = (guint8) i;
  return inverse;
}

gboolean
ts_permutation_is_identity (const TsPermutation *p)
{
  for (guint i = 0; i < p->rank; i++)
    if (p->axes[i] != i)
      return FALSE;
  return TRUE;
}

gboolean
ts_permutation_equal (const TsPermutation *a, const TsPermutation *b)
{
  return a->rank == b->rank && memcmp (a->axes, b->axes, a->rank) == 0;
}

void
ts_permutation_append (const TsPermutation *p, GString *out)
{
  g_string_append_c (out, '[');
  for (guint i = 0; i < p->rank; i++)
    g_string_append_printf (out, "%s%u", i > 0 ? "," : "", p->axes[i]);
  g_string_append_c (out, ']');
}
