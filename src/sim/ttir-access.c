/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What operations of Triton IR move or compute: accesses to global memory by the contiguous runs they touch, the rest by the
 * tensors it works on. Source: spec simulator.md section 1. */
#include "sim/ttir-private.h"

#include "base/number.h"
#include "sim/periodic-loop.h"

#define WINDOW_LIMIT ((gint64) 1 << 60)

typedef struct
{
  gint64 rows, run;   /* runs of so many elements that lie together, in the order of the axes; rows 0: no lane takes part */
  gint64 first, last; /* elements from the pointer's base */
} AccessShape;

/* Operand that is the mask of an access; -1 none. */
static gint
mask_operand (const TsOp *op)
{
  gint i = op->code == TS_OP_TT_LOAD ? 1 : op->code == TS_OP_TT_STORE || op->code == TS_OP_TT_ATOMIC_RMW ? 2 : -1;

  return i >= 0 && (guint) i < op->n_operands ? i : -1;
}

/* Lanes that take part, per axis: all, unless a mask says that some surely do not. */
static guint
active_extents (Exec *x, const TsOp *op, gint64 *dims)
{
  guint n = ttir_extents (ts_op_operand_type (op, 0), dims);
  gint i = mask_operand (op);
  Cell mask = i >= 0 ? exec_operand (x, op->operands[i]) : (Cell) { .placed = PLACE_NONE };

  periodic_decide (x, &mask);
  for (guint d = 0; d < n; d++)
    {
      if (mask.placed == PLACE_MASK)
        dims[d] = CLAMP (mask.steps[d], 0, dims[d]);
      else if (mask.placed == PLACE_KNOWN && !mask.assumed && mask.offset == 0 && mask.steps[d] == 0)
        dims[d] = 0; /* a mask of constants that leaves out everything */
    }
  return n;
}

/* Runs grow from the last axis outwards while axes follow each other without a gap: that is the order in which a tile lies on the
 * core, so elements that are neighbours in memory only along an outer axis are runs of their own. */
static AccessShape
access_shape (const gint64 *dims, guint n, const Cell *pointer)
{
  AccessShape shape = { .rows = 1, .run = 1, .first = pointer->offset, .last = pointer->offset };

  for (guint d = n; d-- > 0;)
    {
      if (dims[d] == 0)
        return (AccessShape) { .rows = 0, .run = 0 };
      gint64 reach = ts_mul_sat (pointer->steps[d], dims[d] - 1);
      if (reach < 0)
        shape.first = ts_add_sat (shape.first, reach);
      else
        shape.last = ts_add_sat (shape.last, reach);
      if (pointer->steps[d] == 0 || dims[d] == 1)
        continue; /* the same elements again */
      if (shape.rows == 1 && pointer->steps[d] == shape.run)
        shape.run = ts_mul_sat (shape.run, dims[d]);
      else
        shape.rows = ts_mul_sat (shape.rows, dims[d]);
    }
  return shape;
}

void
ttir_add_window (Exec *x, const TsOp *op, const Cell *pointer, guint access)
{
  TsWindowShape window = { .tensor = pointer->ref, .access = (guint8) access };
  gint64 offset = 0, dims[TS_MAX_PLACE_RANK];
  guint saved = x->scalars->len, n = active_extents (x, op, dims);

  g_array_set_size (x->scalars, saved); /* operands were looked at already */
  if (pointer->kind != CELL_TENSOR)
    return;
  if (pointer->placed == PLACE_KNOWN && x->gm_alias != TS_GM_ALIAS_TENSOR)
    {
      periodic_place (x, pointer);
      AccessShape shape = access_shape (dims, n, pointer);
      if (shape.rows == 0)
        return;
      if (shape.first > -WINDOW_LIMIT && shape.last < WINDOW_LIMIT)
        {
          window.rank = 1;
          window.extent[0] = shape.last - shape.first + 1;
          offset = shape.first;
        }
    }
  ts_stream_builder_window (x->builder, ts_stream_builder_window_shape (x->builder, &window), &offset);
}

static void
access_work (Exec *x, const TsOp *op, TsWork *work)
{
  const TsType *type = ts_op_operand_type (op, 0);
  Cell pointer = op->n_operands > 0 ? exec_operand (x, op->operands[0]) : (Cell) { .kind = CELL_NONE };
  gint64 dims[TS_MAX_PLACE_RANK], size = MAX (ts_dtype_bytes (ttir_dtype (type), 1), 1), count = ttir_count (type);
  guint n = active_extents (x, op, dims);

  work->from = work->pipe == TS_PIPE_MTE2 ? TS_SPACE_DDR : TS_SPACE_VEC;
  work->to = work->pipe == TS_PIPE_MTE2 ? TS_SPACE_VEC : TS_SPACE_DDR;
  work->dtype = work->out_dtype = ttir_dtype (type);
  if (pointer.placed == PLACE_KNOWN || pointer.placed == PLACE_STEPS)
    {
      AccessShape shape = access_shape (dims, n, &pointer);
      work->rows = MAX (shape.rows, 1);
      work->row_bytes = ts_mul_sat (shape.run, size);
    }
  else
    {
      gint64 run = n > 0 ? MAX (dims[n - 1], 1) : 1;
      work->rows = n > 0 ? count / run : count;
      work->row_bytes = ts_mul_sat (run, size);
      if (count > 1)
        exec_note (x, op, TS_SEVERITY_NOTE, "unknown-access", op,
                   "where this access goes is not known: one run for each row of the tile is taken");
    }
  work->bytes = ts_mul_sat (work->rows, work->row_bytes);
}

static void
dot_work (const TsOp *op, TsWork *work)
{
  const TsType *a = ts_op_operand_type (op, 0), *b = ts_op_operand_type (op, 1);
  gint64 v;

  work->dtype = ttir_dtype (a);
  if (!ts_type_is (a, TS_TYPE_RANKED) || !ts_type_is (b, TS_TYPE_RANKED) || a->rank < 2 || b->rank < 2)
    return;
  work->k = ts_type_const_dim (a, a->rank - 1, &v) ? v : 1;
  work->m = ttir_count (a) / MAX (work->k, 1);
  work->n = ts_type_const_dim (b, b->rank - 1, &v) ? v : 1;
}

/* The tensor that says how much there is to do: the widest, of slices the slice. */
static const TsType *
worked_on (const TsOp *op)
{
  const TsType *widest = op->n_results > 0 ? op->results[0]->type : NULL;

  if (op->code == TS_OP_TENSOR_INSERT_SLICE)
    return ts_op_operand_type (op, 0);
  if (op->code == TS_OP_TENSOR_EXTRACT_SLICE)
    return widest;
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsType *type = ts_op_operand_type (op, i);
      if (type != NULL && (widest == NULL || ttir_bytes (type) > ttir_bytes (widest)))
        widest = type;
    }
  return widest;
}

gint64
exec_ttir_most_bytes (const Node *node)
{
  const TsOp *op = node->op;
  gint64 most = 0;

  if (node->info->dialect != TS_DIALECT_TTIR)
    return 0;
  for (guint i = 0; i < op->n_operands; i++)
    most = MAX (most, ttir_bytes (ts_op_operand_type (op, i)));
  for (guint i = 0; i < op->n_results; i++)
    most = MAX (most, ttir_bytes (op->results[i]->type));
  return most;
}

void
exec_ttir_work (Exec *x, const TsOp *op, TsWork *work)
{
  const TsType *type, *first = ts_op_operand_type (op, 0);
  gint64 v;

  if (ts_op_info (op->code)->cost == TS_COST_TRANSFER)
    {
      access_work (x, op, work);
      return;
    }
  if (work->cost == TS_COST_MATMUL)
    {
      dot_work (op, work);
      return;
    }
  type = worked_on (op);
  work->from = work->to = TS_SPACE_VEC;
  work->dtype = work->out_dtype = ttir_dtype (first != NULL ? first : type);
  work->bytes = ttir_bytes (type);
  work->row_bytes = work->bytes;
  if (ts_type_is (type, TS_TYPE_RANKED) && type->rank > 0 && ts_type_const_dim (type, type->rank - 1, &v) && v > 0)
    {
      work->rows = ttir_count (type) / v;
      work->row_bytes = ts_dtype_bytes (ttir_dtype (type), v);
    }
}
