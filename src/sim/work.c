/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an operation moves or computes, in the terms machines are priced in. Source: spec machines.md (b), simulator.md section 5.
 */
#include "sim/execute-private.h"

#include <string.h>

#include "base/limits.h"
#include "base/number.h"

static const TsType *
type_of (const TsExpr *e)
{
  TsValue *value = ts_expr_as_value (e);

  if (value != NULL)
    return value->type;
  if (e != NULL && e->kind == TS_EXPR_CALL && e->call->n_results > 0)
    return e->call->results[0]->type;
  if (e != NULL && e->kind == TS_EXPR_GET)
    {
      const TsType *tuple = type_of (e->items[0]);
      if (ts_type_is (tuple, TS_TYPE_TUPLE) && e->n < tuple->n_elems)
        return tuple->elems[e->n];
    }
  return NULL;
}

static TsSpace
space_of (const TsType *type)
{
  if (ts_type_is_tensor (type))
    return TS_SPACE_DDR;
  return ts_type_is_tile (type) ? (TsSpace) type->space : TS_SPACE_NONE;
}

gint
exec_argument (const TsOpInfo *info, const char *name)
{
  gsize length = strlen (name);
  const char *p = info->args;

  for (gint k = 0; p != NULL && *p != '\0'; k++)
    {
      gsize n = strcspn (p, ",");
      if (n >= length && strncmp (p, name, length) == 0 && (n == length || p[length] == '?'))
        return k;
      p += n + (p[n] == ',');
    }
  return -1;
}

static const TsType *
argument_type (const TsOp *op, const TsOpInfo *info, const char *name)
{
  gint k = exec_argument (info, name);

  return k >= 0 && (guint) k < op->n_operands ? type_of (op->operands[k]) : NULL;
}

/* --- shapes ------------------------------------------------------------------------------------------------------------- */

static gint64
product (const gint64 *dims, guint from, guint to)
{
  gint64 p = 1;

  for (guint d = from; d < to; d++)
    p = ts_mul_sat (p, dims[d]);
  return p;
}

/* How a block of elements lies in memory: axes from the one whose neighbours are next to each other to the slowest, and from how
 * many elements on the next axis goes on (0: not known). */
typedef struct
{
  guint  rank;
  guint  axis[TS_MAX_RANK];
  gint64 pitch[TS_MAX_RANK]; /* pitch[k]: elements between neighbours of axis[k] */
} Storage;

static Storage
dense_storage (const gint64 *dims, guint rank, gboolean column_major)
{
  Storage out = { .rank = rank };
  gint64 pitch = 1;

  for (guint k = 0; k < rank; k++)
    {
      out.axis[k] = rank - 1 - k;
      if (column_major && rank > 1 && k < 2)
        out.axis[k] = rank - 2 + k;
      out.pitch[k] = pitch;
      pitch = ts_mul_sat (pitch, dims[out.axis[k]]);
    }
  return out;
}

/* Strides that a tensor gives; those that follow from its shape are no different from none. */
static Storage
tensor_storage (Exec *x, const TsType *tensor, const gint64 *dims, guint rank)
{
  const TsView *view = tensor->view;
  Storage out = dense_storage (dims, rank, view != NULL && view->layout == TS_LAYOUT_DN);

  if (view == NULL || !view->has_stride || view->n_stride != rank)
    return out;
  for (guint k = 0; k < rank; k++)
    if (!exec_int (x, view->stride[out.axis[k]], &out.pitch[k]))
      out.pitch[k] = 0;
  return out;
}

/* The contiguous runs of a part of a block: axes it covers whole make them longer. */
static void
set_runs (TsWork *work, const Storage *storage, const gint64 *part, const gint64 *dims, TsDtype dtype)
{
  gint64 run = part[storage->axis[0]], rows = 1;
  guint k = 1;

  for (; k < storage->rank; k++)
    {
      guint inner = storage->axis[k - 1];
      if (part[inner] != dims[inner] || storage->pitch[k] == 0
          || storage->pitch[k] != ts_mul_sat (storage->pitch[k - 1], dims[inner]))
        break;
      run = ts_mul_sat (run, part[storage->axis[k]]);
    }
  for (; k < storage->rank; k++)
    rows = ts_mul_sat (rows, part[storage->axis[k]]);
  work->rows = rows;
  work->row_bytes = ts_dtype_bytes (dtype, run);
  work->bytes = ts_mul_sat (rows, work->row_bytes);
}

static gboolean
is_column_major (const TsType *tile)
{
  TsView view = ts_type_tile_view (tile);

  return view.blayout == TS_TILE_LAYOUT_COL_MAJOR && view.slayout == TS_TILE_LAYOUT_NONE_BOX;
}

/* Rows and bytes per row of what a tile holds; of a tile in column-major order these are columns. */
static void
set_rows (Exec *x, TsWork *work, const TsType *type)
{
  gint64 dims[TS_MAX_RANK], whole[TS_MAX_RANK];
  guint rank, axis, whole_rank;

  exec_dims (x, type, TRUE, dims, &rank);
  exec_dims (x, type, FALSE, whole, &whole_rank);
  if (rank == 0)
    return;
  axis = rank > 1 && is_column_major (type) ? rank - 2 : rank - 1;
  work->bytes = ts_dtype_bytes (type->dtype, product (dims, 0, rank));
  work->row_bytes = ts_dtype_bytes (type->dtype, dims[axis]);
  work->rows = 1;
  for (guint d = 0; d < rank; d++)
    if (d != axis)
      work->rows = ts_mul_sat (work->rows, dims[d]);
  work->gaps = dims[axis] < whole[axis];
}

/* A window of a tensor, or what of it a tile covers where no window is written. */
static void
set_window (Exec *x, TsWork *work, const TsType *tensor, const TsExpr *shape, const TsType *tile)
{
  gint64 dims[TS_MAX_RANK], window[TS_MAX_RANK], valid[TS_MAX_RANK];
  guint rank, n = 0, valid_rank = 0;

  exec_dims (x, tensor, FALSE, dims, &rank);
  if (ts_type_is_tile (tile))
    exec_dims (x, tile, TRUE, valid, &valid_rank);
  for (; n < rank && n < (shape != NULL ? exec_list_length (shape) : valid_rank); n++)
    {
      if (shape == NULL || !exec_item_int (x, shape, n, &window[n]))
        window[n] = n < valid_rank ? valid[n] : 1;
      window[n] = MAX (window[n], 0);
    }
  if (n != rank || rank == 0 || (shape == NULL && valid_rank != rank))
    {
      if (ts_type_is_tile (tile))
        set_rows (x, work, tile);
      return;
    }
  Storage storage = tensor_storage (x, tensor, dims, rank);
  set_runs (work, &storage, window, dims, (TsDtype) tensor->dtype);
}

static gboolean
is_fixed_type (const TsType *type)
{
  gint64 v;

  if (ts_type_is (type, TS_TYPE_TUPLE))
    {
      for (guint i = 0; i < type->n_elems; i++)
        if (!is_fixed_type (type->elems[i]))
          return FALSE;
      return TRUE;
    }
  if (!ts_type_is_tile (type) && !ts_type_is_tensor (type))
    return TRUE;
  for (guint d = 0; d < type->rank; d++)
    if (!ts_type_const_dim (type, d, &v))
      return FALSE;
  for (guint d = 0; type->view != NULL && type->view->valid_shape != NULL && d < type->view->n_valid; d++)
    if (!ts_expr_as_int (type->view->valid_shape[d], &v))
      return FALSE;
  for (guint d = 0; type->view != NULL && d < type->view->n_stride; d++)
    if (!ts_expr_as_int (type->view->stride[d], &v))
      return FALSE;
  return TRUE;
}

gboolean
exec_work_is_fixed (const TsOp *op)
{
  gboolean windowed = op->code == TS_OP_TILE_LOAD || op->code == TS_OP_TILE_STORE;

  for (guint i = 0; i < op->n_operands; i++)
    if (!is_fixed_type (type_of (op->operands[i])) || (windowed && i >= 2 && op->operands[i]->kind == TS_EXPR_LIST
                                                       && op->operands[i]->has_values))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!is_fixed_type (op->results[i]->type))
      return FALSE;
  return TRUE;
}

/* --- kinds of work ------------------------------------------------------------------------------------------------------ */

static gboolean
is_nd (const TsType *tensor)
{
  return tensor->view == NULL || tensor->view->layout == TS_LAYOUT_ND;
}

/* The valid shape of a load where it is written and smaller, else its shape. */
static const TsExpr *
load_shape (Exec *x, const TsOp *op)
{
  gint64 v;
  const TsExpr *valid = op->n_operands > 3 ? op->operands[3] : NULL;

  for (guint d = 0; valid != NULL && d < exec_list_length (valid); d++)
    if (!exec_item_int (x, valid, d, &v))
      return op->operands[2];
  return valid != NULL && exec_list_length (valid) > 0 ? valid : op->n_operands > 2 ? op->operands[2] : NULL;
}

static void
load_work (Exec *x, const TsOp *op, TsWork *work)
{
  const TsType *tensor = type_of (op->operands[0]), *tile = ts_op_result_type (op, 0);

  work->from = TS_SPACE_DDR;
  work->to = space_of (tile);
  if (ts_type_is_tensor (tensor))
    {
      set_window (x, work, tensor, load_shape (x, op), tile);
      work->nd2nz = work->to == TS_SPACE_MAT && is_nd (tensor);
      work->transposed = tensor->view != NULL && tensor->view->layout == TS_LAYOUT_DN;
    }
}

static void
store_work (Exec *x, const TsOp *op, TsWork *work)
{
  const TsType *tile = type_of (op->operands[0]), *tensor = op->n_operands > 2 ? type_of (op->operands[2]) : NULL;
  gint64 dims[TS_MAX_RANK];
  guint rank;

  work->from = space_of (tile);
  work->to = TS_SPACE_DDR;
  if (!ts_type_is_tile (tile))
    return;
  exec_dims (x, tile, TRUE, dims, &rank);
  if (ts_type_is_tensor (tensor))
    set_window (x, work, tensor, op->n_operands > 3 ? op->operands[3] : NULL, tile);
  else
    set_rows (x, work, tile);
  work->nz2nd = work->from == TS_SPACE_ACC && (tensor == NULL || !ts_type_is_tensor (tensor) || is_nd (tensor));
  work->m = rank > 1 ? product (dims, 0, rank - 1) : 1;
  work->n = rank > 0 ? dims[rank - 1] : 1;
  work->out_dtype = ts_type_is_tensor (tensor) ? (TsDtype) tensor->dtype : (TsDtype) tile->dtype;
}

static void
matmul_work (Exec *x, const TsOp *op, const TsOpInfo *info, TsWork *work)
{
  const TsType *lhs = argument_type (op, info, "lhs"), *rhs = argument_type (op, info, "rhs");
  gint64 a[TS_MAX_RANK], b[TS_MAX_RANK];
  guint ra, rb;

  if (!ts_type_is_tile (lhs) || !ts_type_is_tile (rhs) || lhs->rank < 1 || rhs->rank < 1)
    return;
  exec_dims (x, lhs, TRUE, a, &ra);
  exec_dims (x, rhs, TRUE, b, &rb);
  work->m = product (a, 0, ra - 1);
  work->k = a[ra - 1];
  work->n = b[rb - 1];
  work->dtype = (TsDtype) lhs->dtype;
  work->bytes = exec_tile_bytes (x, lhs, TRUE);
}

/* Payload of a move between two spaces of the core. */
static void
move_work (Exec *x, const TsOp *op, TsWork *work)
{
  const TsType *from = NULL, *to = ts_op_result_type (op, 0), *payload;

  for (guint i = 0; i < op->n_operands && from == NULL; i++)
    if (ts_type_is_tile (type_of (op->operands[i])))
      from = type_of (op->operands[i]);
  work->from = space_of (from);
  work->to = space_of (to);
  payload = ts_type_is_tile (to) ? to : from;
  /* An assemble writes only what its source holds. */
  if (op->code == TS_OP_TILE_ASSEMBLE && op->n_operands > 1 && ts_type_is_tile (type_of (op->operands[1])))
    {
      payload = type_of (op->operands[1]);
      work->from = space_of (payload);
    }
  if (!ts_type_is_tile (payload))
    return;
  work->bytes = exec_tile_bytes (x, payload, TRUE);
  work->rows = 1;
  work->row_bytes = work->bytes;
  work->dtype = from != NULL ? (TsDtype) from->dtype : (TsDtype) payload->dtype;
  work->out_dtype = (TsDtype) payload->dtype;
  if (ts_type_is_tile (from) && from->space == TS_SPACE_MAT)
    {
      TsView view = ts_type_tile_view (from);
      work->transposed = view.blayout == TS_TILE_LAYOUT_ROW_MAJOR && view.slayout == TS_TILE_LAYOUT_COL_MAJOR;
    }
  if (work->from == TS_SPACE_ACC)
    {
      gint64 dims[TS_MAX_RANK];
      guint rank;
      exec_dims (x, payload, TRUE, dims, &rank);
      work->m = rank > 1 ? product (dims, 0, rank - 1) : 1;
      work->n = rank > 0 ? dims[rank - 1] : 1;
    }
}

static void
widest_tile (Exec *x, const TsType *type, const TsType **widest, gint64 *bytes)
{
  if (!ts_type_is_tile (type))
    return;
  gint64 n = exec_tile_bytes (x, type, TRUE);
  if (*widest == NULL || n > *bytes)
    {
      *widest = type;
      *bytes = n;
    }
}

static void
vector_work (Exec *x, const TsOp *op, TsWork *work)
{
  const TsType *widest = NULL, *first = NULL, *result = ts_op_result_type (op, 0);
  gint64 bytes = 0;

  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsType *type = type_of (op->operands[i]);
      if (first == NULL && ts_type_is_tile (type))
        first = type;
      widest_tile (x, type, &widest, &bytes);
    }
  widest_tile (x, result, &widest, &bytes);
  for (guint i = 0; ts_type_is (result, TS_TYPE_TUPLE) && i < result->n_elems; i++)
    widest_tile (x, result->elems[i], &widest, &bytes);
  if (widest == NULL)
    return;
  set_rows (x, work, widest);
  work->dtype = (TsDtype) (first != NULL ? first : widest)->dtype;
  work->out_dtype = ts_type_is_tile (result) ? (TsDtype) result->dtype : work->dtype;
  work->from = space_of (first);
  work->to = space_of (result);
}

/* Operations that touch global memory besides load and store: the tile side says how much. */
static void
transfer_work (Exec *x, const TsOp *op, TsWork *work)
{
  const TsType *result = ts_op_result_type (op, 0), *tile = NULL;

  for (guint i = 0; i < op->n_operands && tile == NULL; i++)
    if (ts_type_is_tile (type_of (op->operands[i])))
      tile = type_of (op->operands[i]);
  work->from = work->pipe == TS_PIPE_MTE2 ? TS_SPACE_DDR : space_of (tile);
  work->to = work->pipe == TS_PIPE_MTE2 ? space_of (ts_type_is_tile (result) ? result : tile) : TS_SPACE_DDR;
  if (work->pipe == TS_PIPE_MTE2 && ts_type_is_tile (result))
    tile = result;
  if (tile == NULL)
    return;
  set_rows (x, work, tile);
  work->dtype = work->out_dtype = (TsDtype) tile->dtype;
}

void
exec_work (Exec *x, const Node *node, TsWork *work)
{
  const TsOp *op = node->op;
  const TsType *tile = ts_op_result_type (op, 0);

  *work = (TsWork) { .pipe = (TsPipe) node->pipe, .cost = (TsCostClass) node->info->cost, .code = (TsOpCode) op->code,
                     .from = TS_SPACE_NONE, .to = TS_SPACE_NONE, .rows = 1 };
  if (ts_type_is_tile (tile) || ts_type_is_tensor (tile))
    work->dtype = work->out_dtype = (TsDtype) tile->dtype;
  if (node->info->dialect == TS_DIALECT_TTIR)
    exec_ttir_work (x, op, work);
  else if (op->code == TS_OP_TILE_LOAD && op->n_operands > 0)
    load_work (x, op, work);
  else if (op->code == TS_OP_TILE_STORE && op->n_operands > 0)
    store_work (x, op, work);
  else if (node->info->cost == TS_COST_MATMUL)
    matmul_work (x, op, node->info, work);
  else if (node->pipe == TS_PIPE_MTE2 || (node->pipe == TS_PIPE_MTE3 && ts_type_is_tensor (tile)))
    transfer_work (x, op, work);
  else if (node->pipe == TS_PIPE_MTE1 || node->pipe == TS_PIPE_MTE3 || node->pipe == TS_PIPE_FIX)
    move_work (x, op, work);
  else if (node->pipe != TS_PIPE_S)
    vector_work (x, op, work);
  else if (node->info->cost == TS_COST_TRANSFER)
    move_work (x, op, work);
  work->row_bytes = MAX (work->row_bytes, 0);
}
