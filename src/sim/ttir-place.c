/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Index tensors, pointers and masks followed as an offset and a step per axis. Source: spec simulator.md section 1: what describes
 * an access. Whatever does not fit this form is not followed, and the access that uses it says so. */
#include "sim/ttir-private.h"

#include "base/number.h"
#include "sim/periodic-loop.h"

#define ALL_LANES G_MAXINT64

static gboolean
has_lanes (const Cell *cell)
{
  return cell->placed == PLACE_KNOWN || cell->placed == PLACE_STEPS;
}

/* A scalar is the same in every lane. */
static Cell
as_place (const Cell *cell)
{
  if (cell->kind != CELL_SCALAR)
    return *cell;
  Cell place = { .placed = cell->known ? PLACE_KNOWN : PLACE_STEPS, .offset = cell->known ? cell->value : 0,
                 .assumed = cell->assumed };
  periodic_copy (cell, &place);
  return place;
}

static gboolean
is_uniform (const Cell *cell)
{
  gboolean flat = has_lanes (cell);

  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    flat = flat && cell->steps[d] == 0;
  return flat;
}

static gboolean
is_known_uniform (const Cell *cell)
{
  return cell->placed == PLACE_KNOWN && is_uniform (cell);
}

gboolean
ttir_place_range (const Cell *place, const TsType *type, gint64 *low, gint64 *high)
{
  gint64 dims[TS_MAX_PLACE_RANK];
  guint n = ttir_extents (type, dims);

  *low = *high = place->offset;
  for (guint d = 0; d < n; d++)
    {
      gint64 reach;
      if (!ts_mul (place->steps[d], dims[d] - 1, &reach) || !ts_add (reach < 0 ? *low : *high, reach, reach < 0 ? low : high))
        return FALSE;
    }
  return place->placed == PLACE_KNOWN;
}

/* --- arithmetic ----------------------------------------------------------------------------------------------------------- */

static guint8
add_places (const Cell *a, const Cell *b, gint64 sign, Cell *out)
{
  gint64 more;

  if (!has_lanes (a) || !has_lanes (b) || !ts_mul (b->offset, sign, &more) || !ts_add (a->offset, more, &out->offset))
    return PLACE_NONE;
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    if (!ts_mul (b->steps[d], sign, &more) || !ts_add (a->steps[d], more, &out->steps[d]))
      return PLACE_NONE;
  return a->placed == PLACE_KNOWN && b->placed == PLACE_KNOWN ? PLACE_KNOWN : PLACE_STEPS;
}

static guint8
scale_place (const Cell *a, const Cell *by, Cell *out)
{
  gboolean ok = has_lanes (a) && is_known_uniform (by) && ts_mul (a->offset, by->offset, &out->offset);

  for (guint d = 0; ok && d < TS_MAX_PLACE_RANK; d++)
    ok = ts_mul (a->steps[d], by->offset, &out->steps[d]);
  return ok ? a->placed : PLACE_NONE;
}

static guint8
multiply_places (const Cell *a, const Cell *b, Cell *out)
{
  guint8 placed = scale_place (a, b, out);

  if (placed == PLACE_NONE)
    placed = scale_place (b, a, out);
  /* Both the same in every lane, one of them open. */
  if (placed == PLACE_NONE && is_uniform (a) && is_uniform (b))
    placed = PLACE_STEPS;
  return placed;
}

/* Lanes of one period keep their steps. Where the divisor is a guess, so would be a fold of the lanes: they stay together then. */
static guint8
wrap_place (const TsOp *op, const Cell *a, const Cell *b, Cell *out)
{
  gint64 low, high;

  if (!has_lanes (a) || !is_known_uniform (b) || b->offset <= 0)
    return PLACE_NONE;
  out->offset = a->offset;
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = a->steps[d];
  if (a->assumed || b->assumed)
    return PLACE_STEPS;
  if (!ttir_place_range (a, op->results[0]->type, &low, &high) || low < 0 || low / b->offset != high / b->offset)
    return PLACE_NONE;
  out->offset -= low / b->offset * b->offset;
  return PLACE_KNOWN;
}

/* --- masks ---------------------------------------------------------------------------------------------------------------- */

static guint8
set_mask (Cell *out, gint64 lanes)
{
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = lanes;
  return PLACE_MASK;
}

/* Which lanes of `difference` are below zero? */
static guint8
negative_lanes (Exec *x, const Cell *difference, const TsType *type, Cell *out)
{
  gint64 low, high, dims[TS_MAX_PLACE_RANK];
  guint n = ttir_extents (type, dims), axis = TS_MAX_PLACE_RANK, moving = 0;

  if (!ttir_place_range (difference, type, &low, &high))
    return PLACE_NONE;
  /* A mask that leaves out all or nothing stays so for a while; one in between changes with the place. */
  out->changes = 0;
  if (high < 0 || low >= 0)
    {
      periodic_watch_sign (x, difference, high < 0 ? high : low);
      for (guint l = 0; l < TS_MAX_LEVELS; l++)
        out->change[l] = difference->change[l] == CHANGE_EVEN ? CHANGE_NONE : difference->change[l];
      for (guint l = 0; l < TS_MAX_LEVELS; l++)
        out->stride[l] = difference->stride[l];
      return set_mask (out, high < 0 ? ALL_LANES : 0);
    }
  periodic_lose (x, difference, out);
  for (guint d = 0; d < n; d++)
    if (difference->steps[d] != 0 && dims[d] > 1)
      {
        axis = d;
        moving++;
      }
  if (moving != 1 || difference->steps[axis] < 0 || difference->offset == G_MININT64)
    return PLACE_NONE;
  set_mask (out, ALL_LANES);
  out->steps[axis] = ts_ceil_div (-difference->offset, difference->steps[axis]);
  return PLACE_MASK;
}

/* A comparison, unless a guess has a part in it: what is guessed must not make an access smaller. Codes as in the specification:
 * eq ne slt sle sgt sge ult ule ugt uge. */
static guint8
compare_places (Exec *x, const TsOp *op, const Cell *a, const Cell *b, Cell *out)
{
  gint64 predicate = ts_op_attr_int (op, "predicate", -1), low, high;
  gboolean swapped = (predicate >= 4 && predicate <= 5) || predicate >= 8, or_equal = predicate == 3 || predicate == 5
                                                                                      || predicate == 7 || predicate == 9;
  const TsType *type = op->results[0]->type;
  Cell difference = { .placed = PLACE_NONE };

  if (predicate < 2 || predicate > 9 || a->assumed || b->assumed)
    return PLACE_NONE;
  if (predicate >= 6
      && (!ttir_place_range (a, type, &low, &high) || low < 0 || !ttir_place_range (b, type, &low, &high) || low < 0))
    return PLACE_NONE;
  difference.placed = swapped ? add_places (b, a, -1, &difference) : add_places (a, b, -1, &difference);
  periodic_combine_numbers (x, TS_OPERATOR_SUB, swapped ? b : a, 0, swapped ? a : b, 0, &difference);
  if (or_equal && !ts_sub (difference.offset, 1, &difference.offset))
    return PLACE_NONE;
  return negative_lanes (x, &difference, type, out);
}

static gboolean
mask_of (const Cell *cell, Cell *mask)
{
  *mask = *cell;
  if (cell->placed == PLACE_MASK)
    return TRUE;
  if (!is_known_uniform (cell) || cell->assumed)
    return FALSE;
  set_mask (mask, cell->offset != 0 ? ALL_LANES : 0);
  return TRUE;
}

/* Lanes that one side leaves out are left out, whatever the other says. */
static guint8
join_masks (const Cell *a, const Cell *b, Cell *out)
{
  Cell m, k;
  gboolean first = mask_of (a, &m), second = mask_of (b, &k);

  if ((a->placed != PLACE_MASK && b->placed != PLACE_MASK) || (!first && !second))
    return PLACE_NONE;
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = MIN (first ? m.steps[d] : ALL_LANES, second ? k.steps[d] : ALL_LANES);
  return PLACE_MASK;
}

/* --- shape ---------------------------------------------------------------------------------------------------------------- */

/* An axis that is not there: the same along it; of a mask, every lane. */
static gint64
along_new_axis (const Cell *source)
{
  return source->placed == PLACE_MASK ? ALL_LANES : 0;
}

static guint8
expand_place (const TsOp *op, const Cell *source, Cell *out)
{
  gint64 axis = ts_op_attr_int (op, "axis", 0);
  const TsType *from = ts_op_operand_type (op, 0);

  if (!ts_type_is (from, TS_TYPE_RANKED) || from->rank >= TS_MAX_PLACE_RANK)
    return PLACE_NONE;
  for (gint64 d = 0, k = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = d == axis || k >= TS_MAX_PLACE_RANK ? along_new_axis (source) : source->steps[k++];
  return source->placed;
}

static guint8
broadcast_place (const TsOp *op, const Cell *source, Cell *out)
{
  gint64 dims[TS_MAX_PLACE_RANK];
  guint n = ttir_extents (ts_op_operand_type (op, 0), dims);

  for (guint d = 0; d < n; d++)
    if (dims[d] == 1 && !(source->placed == PLACE_MASK && source->steps[d] == 0))
      out->steps[d] = along_new_axis (source);
  return source->placed;
}

static guint8
permute_place (const TsOp *op, const Cell *source, Cell *out)
{
  const TsExpr *order = ts_op_attr (op, "order");

  if (order == NULL || order->kind != TS_EXPR_LIST || order->n > TS_MAX_PLACE_RANK)
    return PLACE_NONE;
  for (guint d = 0; d < order->n; d++)
    {
      gint64 from = 0;
      if (!ts_expr_as_int (order->list[d], &from) || from < 0 || from >= TS_MAX_PLACE_RANK)
        return PLACE_NONE;
      out->steps[d] = source->steps[from];
    }
  return source->placed;
}

/* Only axes of one lane come or go. */
static guint8
reshape_place (const TsOp *op, const Cell *source, Cell *out)
{
  gint64 from[TS_MAX_PLACE_RANK], to[TS_MAX_PLACE_RANK];
  guint n = ttir_extents (ts_op_operand_type (op, 0), from), m = ttir_extents (op->results[0]->type, to), k = 0;

  if (is_uniform (source))
    return source->placed;
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = along_new_axis (source);
  for (guint d = 0; d < n; d++)
    {
      if (from[d] == 1)
        continue;
      while (k < m && to[k] == 1)
        k++;
      if (k >= m || to[k] != from[d])
        return PLACE_NONE;
      out->steps[k++] = source->steps[d];
    }
  return source->placed;
}

/* Elements of another size are counted differently. */
static guint8
cast_place (const TsOp *op, const Cell *source)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = op->results[0]->type;
  gboolean resized = ttir_is_pointer (from) && ts_dtype_bytes (ttir_dtype (from), 1) != ts_dtype_bytes (ttir_dtype (to), 1);

  return resized || ttir_is_pointer (from) != ttir_is_pointer (to) ? PLACE_NONE : source->placed;
}

/* --- block pointers --------------------------------------------------------------------------------------------------------- */

/* An offset moves on by a multiple of what is added to it. */
static void
move_along (Exec *x, const Cell *by, gint64 factor, Cell *out)
{
  Cell constant = { .kind = CELL_SCALAR }, product = { 0 }, base = *out;

  periodic_combine_numbers (x, TS_OPERATOR_MUL, by, by->value, &constant, factor, &product);
  out->changes = 0;
  periodic_combine_numbers (x, TS_OPERATOR_ADD, &base, 0, &product, 0, out);
}

/* base, extents, strides, offsets: a group of as many operands each as the block has axes. */
static guint8
block_pointer (Exec *x, const TsOp *op, const Cell *cells, Cell *out)
{
  guint n = (op->n_operands - 1) / 3;

  if (n == 0 || n > TS_MAX_PLACE_RANK || op->n_operands != 1 + 3 * n || !has_lanes (&cells[0]))
    return PLACE_NONE;
  out->placed = cells[0].placed;
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = 0;
  for (guint d = 0; d < n; d++)
    {
      const Cell *stride = &cells[1 + n + d], *start = &cells[1 + 2 * n + d];
      gint64 more;
      if (stride->kind != CELL_SCALAR || !stride->known)
        return PLACE_NONE;
      out->steps[d] = stride->value;
      if (start->kind != CELL_SCALAR || !start->known)
        out->placed = PLACE_STEPS;
      else if (!ts_mul (start->value, stride->value, &more) || !ts_add (out->offset, more, &out->offset))
        return PLACE_NONE;
      else
        move_along (x, start, stride->value, out);
      periodic_lose (x, stride, out);
    }
  return out->placed;
}

static guint8
advance_pointer (Exec *x, const TsOp *op, const Cell *cells, Cell *out)
{
  guint8 placed = cells[0].placed;

  for (guint d = 0; has_lanes (&cells[0]) && d + 1 < op->n_operands && d < TS_MAX_PLACE_RANK; d++)
    {
      const Cell *by = &cells[1 + d];
      gint64 more;
      if (by->kind != CELL_SCALAR || !by->known)
        placed = PLACE_STEPS;
      else if (!ts_mul (by->value, cells[0].steps[d], &more) || !ts_add (out->offset, more, &out->offset))
        return PLACE_NONE;
      else
        move_along (x, by, cells[0].steps[d], out);
    }
  return placed;
}

/* --- operations ------------------------------------------------------------------------------------------------------------- */

static guint8
place_of_one (const TsOp *op, const Cell *source, Cell *out)
{
  out->offset = source->offset;
  periodic_copy (source, out);
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = source->steps[d];
  switch (op->code)
    {
    case TS_OP_TT_SPLAT:
      return source->placed;
    case TS_OP_TT_EXPAND_DIMS:
      return expand_place (op, source, out);
    case TS_OP_TT_BROADCAST:
      return broadcast_place (op, source, out);
    case TS_OP_TT_TRANS:
      return permute_place (op, source, out);
    case TS_OP_TT_RESHAPE:
      return reshape_place (op, source, out);
    default:
      return ttir_passes_through (op->code) ? cast_place (op, source) : PLACE_NONE;
    }
}

/* How the place of two operands changes: offsets as numbers do; whatever else depends on them is lost. */
static void
change_of_two (Exec *x, const TsOp *op, const Cell *a, const Cell *b, Cell *out)
{
  gboolean product = op->code == TS_OP_ARITH_MULI || op->code == TS_OP_ARITH_SHLI;
  gboolean numbers = op->code == TS_OP_TT_ADDPTR || op->code == TS_OP_ARITH_ADDI || op->code == TS_OP_ARITH_SUBI
                     || (is_known_uniform (a) && is_known_uniform (b)) || (product && is_uniform (a) && is_uniform (b));

  if ((a->changes | b->changes) == 0)
    return;
  if (op->code == TS_OP_TT_ADDPTR)
    periodic_combine_numbers (x, TS_OPERATOR_ADD, a, a->offset, b, b->offset, out);
  else if (numbers)
    ttir_combine (x, op, a, a->offset, b, b->offset, out);
  else if (product && a->changes != 0 && b->changes == 0 && is_uniform (b))
    ttir_combine (x, op, a, a->offset, b, b->offset, out);
  else if (op->code == TS_OP_ARITH_MULI && a->changes == 0 && is_uniform (a))
    ttir_combine (x, op, a, a->offset, b, b->offset, out);
  else
    {
      periodic_lose (x, a, out);
      periodic_lose (x, b, out);
    }
}

static guint8
place_of_two (Exec *x, const TsOp *op, const Cell *a, const Cell *b, Cell *out)
{
  Cell power = *b;

  /* A comparison of lanes says itself how its mask changes. */
  if (op->code != TS_OP_ARITH_CMPI || (is_known_uniform (a) && is_known_uniform (b)))
    change_of_two (x, op, a, b, out);
  if (is_known_uniform (a) && is_known_uniform (b) && op->code != TS_OP_TT_ADDPTR)
    {
      for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
        out->steps[d] = 0;
      return ttir_binary (op, a->offset, b->offset, &out->offset) ? PLACE_KNOWN : PLACE_NONE;
    }
  switch (op->code)
    {
    case TS_OP_ARITH_ADDI:
    case TS_OP_TT_ADDPTR:
      return add_places (a, b, 1, out);
    case TS_OP_ARITH_SUBI:
      return add_places (a, b, -1, out);
    case TS_OP_ARITH_MULI:
      return multiply_places (a, b, out);
    case TS_OP_ARITH_SHLI:
      if (!is_known_uniform (b) || b->offset < 0 || b->offset > 32)
        return PLACE_NONE;
      power.offset = (gint64) 1 << b->offset;
      return scale_place (a, &power, out);
    case TS_OP_ARITH_REMSI:
    case TS_OP_ARITH_REMUI:
      return wrap_place (op, a, b, out);
    case TS_OP_ARITH_CMPI:
      return compare_places (x, op, a, b, out);
    case TS_OP_ARITH_ANDI:
      return join_masks (a, b, out);
    default:
      return PLACE_NONE;
    }
}

static guint8
select_place (Exec *x, const Cell *cells, Cell *out)
{
  Cell condition = as_place (&cells[0]);

  periodic_decide (x, &condition);
  if (!is_known_uniform (&condition))
    return PLACE_NONE;
  Cell chosen = as_place (&cells[condition.offset != 0 ? 1 : 2]);
  out->offset = chosen.offset;
  periodic_copy (&chosen, out);
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = chosen.steps[d];
  return chosen.placed;
}

void
ttir_place (Exec *x, const TsOp *op, const Cell *cells, Cell *result)
{
  const TsType *type = op->results[0]->type;
  Cell out = *result;

  if (result->kind != CELL_SCALAR && op->code != TS_OP_TT_MAKE_TENSOR_PTR && op->code != TS_OP_TT_ADVANCE)
    out.changes = 0;
  else if (result->kind != CELL_SCALAR)
    periodic_copy (&cells[0], &out);

  for (guint i = 0; i < op->n_operands && i < TS_MAX_TTIR_OPERANDS; i++)
    out.assumed |= cells[i].assumed;
  out.placed = PLACE_NONE;
  if (op->code == TS_OP_TT_MAKE_RANGE)
    {
      out.placed = PLACE_KNOWN;
      out.offset = ts_op_attr_int (op, "start", 0);
      out.steps[0] = 1;
      out.steps[1] = out.steps[2] = 0;
    }
  else if (op->code == TS_OP_TT_MAKE_TENSOR_PTR && op->n_operands <= TS_MAX_TTIR_OPERANDS)
    out.placed = block_pointer (x, op, cells, &out);
  else if (op->code == TS_OP_TT_ADVANCE)
    out.placed = advance_pointer (x, op, cells, &out);
  else if (op->code == TS_OP_ARITH_SELECT && op->n_operands == 3)
    out.placed = select_place (x, cells, &out);
  else if (op->n_operands == 1 || op->n_operands == 2)
    {
      Cell a = as_place (&cells[0]), b = as_place (&cells[1]);
      out.placed = op->n_operands == 1 ? place_of_one (op, &a, &out) : place_of_two (x, op, &a, &b, &out);
    }
  if (ts_type_is (type, TS_TYPE_RANKED) && type->rank > TS_MAX_PLACE_RANK)
    out.placed = PLACE_NONE;
  *result = out;
}
