/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/static-access.h"

#include "base/number.h"

/* --- 5.1 ------------------------------------------------------------------------------------------------------------------- */

TsGraphReason
ts_static_attributes (const TsOp *op)
{
  if (op->n_operands > ts_graph_mask_index (op))
    return TS_GRAPH_MASKED_ACCESS;
  if (ts_graph_has_boundary_check (op) || ts_graph_has_padding (op))
    return TS_GRAPH_BOUNDARY_CHECK;
  return ts_graph_is_volatile (op) ? TS_GRAPH_VOLATILE_LOAD : TS_GRAPH_PROVEN;
}

/* addptr (splat (base), offset) of a static tensor; *found is that addptr. */
static TsGraphReason
split_pointer (const TsExpr *pointer, const TsOp **found, TsValue **base, TsExpr **offset, const TsOp **at)
{
  const TsType *type = ts_expr_as_value (pointer) != NULL ? ts_expr_as_value (pointer)->type : NULL;
  const TsOp *addptr, *splat;

  if (!ts_graph_is_pointer_tensor (type) || type->elems[0]->elems[0]->kind != TS_TYPE_SCALAR)
    return TS_GRAPH_UNSUPPORTED_POINTER_TYPE;
  if (type->text != NULL)
    return TS_GRAPH_UNSUPPORTED_ENCODING;
  if (!ts_graph_is_plain_tensor (type))
    return TS_GRAPH_DYNAMIC_SHAPE;
  if (type->rank < 1 || type->rank > TS_GRAPH_MAX_RANK)
    return TS_GRAPH_UNSUPPORTED_RANK;
  addptr = ts_graph_def (pointer);
  if (addptr == NULL)
    return TS_GRAPH_UNRESOLVED_POINTER;
  *found = *at = addptr;
  splat = addptr->code == TS_OP_TT_ADDPTR ? ts_graph_def (addptr->operands[0]) : NULL;
  if (splat == NULL || splat->code != TS_OP_TT_SPLAT)
    return TS_GRAPH_UNSUPPORTED_POINTER_FORM;
  *base = ts_graph_operand (splat, 0);
  *offset = addptr->operands[1];
  if (ts_type_element (ts_op_operand_type (addptr, 1))->dtype != TS_DTYPE_INT32)
    return TS_GRAPH_UNSUPPORTED_INDEX_ELEMENT_TYPE;
  return TS_GRAPH_PROVEN;
}

static gboolean
range_bounds (const TsOp *range, gint64 *start, gint64 *end)
{
  const TsExpr *s, *e;

  if (range == NULL || range->code != TS_OP_TT_MAKE_RANGE)
    return FALSE;
  s = ts_op_attr (range, "start");
  e = ts_op_attr (range, "end");
  if (s == NULL || e == NULL || !ts_expr_as_int (s, start) || !ts_expr_as_int (e, end))
    return FALSE;
  return TRUE;
}

/* The scalar behind a splat as a dynamic origin plus a constant. */
static TsGraphReason
split_origin (TsExpr *scalar, TsStaticAccess *out, gint64 *residual)
{
  const TsOp *def = ts_graph_def (scalar);

  *residual = 0;
  if (ts_graph_const_scalar (scalar, residual))
    return TS_GRAPH_PROVEN;
  if (def != NULL && def->code == TS_OP_ARITH_ADDI)
    {
      gint64 a, b;
      gboolean left = ts_graph_const_scalar (def->operands[0], &a), right = ts_graph_const_scalar (def->operands[1], &b);

      if (ts_graph_has_flags (def))
        return TS_GRAPH_OVERFLOW_FLAGS;
      if (left == right)
        return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
      *residual = left ? a : b;
      out->origin = ts_graph_operand (def, left ? 1 : 0);
      return TS_GRAPH_PROVEN;
    }
  out->origin = ts_expr_as_value (scalar);
  return TS_GRAPH_PROVEN;
}

static TsGraphReason
access_rank_1 (TsExpr *offset, TsStaticAccess *out, const TsOp **at)
{
  const TsOp *def = ts_graph_def (offset), *range = def, *splat = NULL;
  gint64 start, end, residual = 0;

  if (def == NULL)
    return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
  *at = def;
  if (def->code == TS_OP_ARITH_ADDI)
    {
      const TsOp *a = ts_graph_def (def->operands[0]), *b = ts_graph_def (def->operands[1]);
      gboolean left = a != NULL && a->code == TS_OP_TT_MAKE_RANGE, right = b != NULL && b->code == TS_OP_TT_MAKE_RANGE;
      TsGraphReason reason;

      if (ts_graph_has_flags (def))
        return TS_GRAPH_OVERFLOW_FLAGS;
      range = left ? a : b;
      splat = left ? b : a;
      if (left == right || splat == NULL || splat->code != TS_OP_TT_SPLAT)
        return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
      reason = split_origin (splat->operands[0], out, &residual);
      if (reason != TS_GRAPH_PROVEN)
        return reason;
    }
  if (!range_bounds (range, &start, &end))
    return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
  out->first = ts_add_sat (start, residual);
  out->last = ts_add_sat (end - 1, residual);
  if (out->first < G_MININT32 || out->last > G_MAXINT32)
    return TS_GRAPH_OFFSET_OVERFLOW;
  return TS_GRAPH_PROVEN;
}

/* Collects the leaves of a sum of flag-free additions. At most `max`. */
static TsGraphReason
flatten (TsExpr *e, TsExpr **leaves, guint *n, guint max, guint depth)
{
  const TsOp *def = ts_graph_def (e);

  if (def != NULL && def->code == TS_OP_ARITH_ADDI && depth < 64)
    {
      TsGraphReason reason;

      if (ts_graph_has_flags (def))
        return TS_GRAPH_OVERFLOW_FLAGS;
      reason = flatten (def->operands[0], leaves, n, max, depth + 1);
      return reason != TS_GRAPH_PROVEN ? reason : flatten (def->operands[1], leaves, n, max, depth + 1);
    }
  if (*n >= max)
    return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
  leaves[(*n)++] = e;
  return TS_GRAPH_PROVEN;
}

/* The axis of a lane: expand_dims over a range, followed from the innermost outwards (an insertion at or before it shifts it). */
static TsGraphReason
lane_axis (const TsOp *lane, guint *axis, const TsOp **range)
{
  const TsOp *chain[TS_GRAPH_MAX_RANK];
  guint n = 0;

  while (lane != NULL && lane->code == TS_OP_TT_EXPAND_DIMS && n < TS_GRAPH_MAX_RANK)
    {
      chain[n++] = lane;
      lane = ts_graph_def (lane->operands[0]);
    }
  if (n == 0 || lane == NULL || lane->code != TS_OP_TT_MAKE_RANGE)
    return TS_GRAPH_INVALID_EXPAND_DIMS_CHAIN;
  *range = lane;
  *axis = 0;
  while (n-- > 0)
    if ((guint) ts_op_attr_int (chain[n], "axis", 0) <= *axis)
      (*axis)++;
  return TS_GRAPH_PROVEN;
}

static TsGraphReason
read_term (TsExpr *leaf, const TsType *shape, TsStaticAxis *axes, const TsOp **at)
{
  const TsOp *broadcast = ts_graph_def (leaf), *muli, *range, *stride;
  gint64 factor;
  guint axis;
  TsGraphReason reason;

  if (broadcast == NULL || broadcast->code != TS_OP_TT_BROADCAST)
    return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
  *at = broadcast;
  muli = ts_graph_def (broadcast->operands[0]);
  if (muli == NULL || muli->code != TS_OP_ARITH_MULI)
    return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
  if (ts_graph_has_flags (muli))
    return TS_GRAPH_OVERFLOW_FLAGS;
  stride = ts_graph_def (muli->operands[1]);
  if (stride == NULL || stride->code != TS_OP_TT_SPLAT)
    return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET; /* a dense constant is none of the forms that section 5.1 lists */
  if (!ts_graph_const_scalar (stride->operands[0], &factor))
    return TS_GRAPH_DYNAMIC_STRIDE;
  if (factor <= 0)
    return factor == 0 ? TS_GRAPH_ZERO_STRIDE : TS_GRAPH_NEGATIVE_STRIDE;
  reason = lane_axis (ts_graph_def (muli->operands[0]), &axis, &range);
  if (reason != TS_GRAPH_PROVEN)
    return reason;
  if (axis >= shape->rank || axes[axis].seen)
    return TS_GRAPH_DUPLICATE_AXIS_PROVENANCE;
  for (guint i = 0; i < shape->rank; i++)
    if (axes[i].seen && axes[i].range == range)
      return TS_GRAPH_DUPLICATE_RANGE_SOURCE;
  axes[axis] = (TsStaticAxis) { .seen = TRUE, .stride = factor, .range = range };
  if (!range_bounds (range, &axes[axis].start, &axes[axis].end)
      || axes[axis].end - axes[axis].start != ts_graph_extent (shape, axis))
    return TS_GRAPH_INVALID_MAKE_RANGE;
  return TS_GRAPH_PROVEN;
}

static TsGraphReason
read_axes (const TsType *shape, TsExpr *offset, TsStaticAxis *axes, const TsOp **at)
{
  TsExpr *leaves[TS_GRAPH_MAX_RANK];
  guint n = 0;
  TsGraphReason reason = flatten (offset, leaves, &n, shape->rank, 0);

  if (reason == TS_GRAPH_PROVEN && n != shape->rank)
    reason = TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
  for (guint i = 0; i < n && reason == TS_GRAPH_PROVEN; i++)
    reason = read_term (leaves[i], shape, axes, at);
  return reason;
}

TsGraphReason
ts_static_lanes (const TsExpr *pointer, TsStaticLanes *out, const TsOp **at)
{
  TsExpr *offset;
  const TsType *type;
  TsGraphReason reason;

  *out = (TsStaticLanes) { 0 };
  reason = split_pointer (pointer, &out->addptr, &out->base, &offset, at);
  if (reason != TS_GRAPH_PROVEN)
    return reason;
  type = ts_expr_as_value (pointer)->type;
  out->rank = type->rank;
  return out->rank < 2 ? TS_GRAPH_UNSUPPORTED_RANK : read_axes (type, offset, out->axes, at);
}

static TsGraphReason
access_rank_n (const TsType *shape, TsExpr *offset, TsStaticAccess *out, const TsOp **at)
{
  TsStaticAxis axes[TS_GRAPH_MAX_RANK] = { { 0 } };
  gint64 expected = 1;
  TsGraphReason reason = read_axes (shape, offset, axes, at);

  if (reason != TS_GRAPH_PROVEN)
    return reason;
  for (guint i = shape->rank; i-- > 0;)
    {
      if (axes[i].stride != expected)
        return TS_GRAPH_NON_ROW_MAJOR;
      out->first = ts_add_sat (out->first, ts_mul_sat (axes[i].start, axes[i].stride));
      out->last = ts_add_sat (out->last, ts_mul_sat (axes[i].end - 1, axes[i].stride));
      expected = ts_mul_sat (expected, ts_graph_extent (shape, i));
    }
  return out->first < G_MININT32 || out->last > G_MAXINT32 ? TS_GRAPH_OFFSET_OVERFLOW : TS_GRAPH_PROVEN;
}

TsGraphReason
ts_static_access (const TsOp *access, TsStaticAccess *out, const TsOp **at)
{
  const TsType *type = ts_op_operand_type (access, 0);
  const TsOp *addptr;
  TsExpr *offset;
  TsGraphReason reason;

  *out = (TsStaticAccess) { 0 };
  *at = access;
  reason = ts_static_attributes (access);
  if (reason == TS_GRAPH_PROVEN)
    reason = split_pointer (access->operands[0], &addptr, &out->base, &offset, at);
  if (reason != TS_GRAPH_PROVEN)
    return reason;
  out->rank = type->rank;
  out->count = ts_graph_n_elements (type);
  return out->rank == 1 ? access_rank_1 (offset, out, at) : access_rank_n (type, offset, out, at);
}
