/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result types of operations that move, cut, view or create: loads, moves, slices, reshapes, scalars read, shares of a core.
 * Source: spec ops.md 7 and 9 to 11. */
#include "ir/infer-private.h"

#include <string.h>

#include "base/number.h"

/* --- scalars, pointers, arrays -------------------------------------------------------------------------------------------- */

const TsType *
infer_pointer (Infer *f)
{
  return ts_type_ptr (f->module);
}

const TsType *
infer_index (Infer *f)
{
  return ts_type_scalar (f->module, TS_DTYPE_INDEX);
}

const TsType *
infer_int32 (Infer *f)
{
  return ts_type_scalar (f->module, TS_DTYPE_INT32);
}

const TsType *
infer_task (Infer *f)
{
  return ts_type_scalar (f->module, TS_DTYPE_TASK_ID);
}

const TsType *
infer_element (Infer *f)
{
  const TsType *type = f->types[0];
  if (!ts_type_is (type, TS_TYPE_ARRAY))
    type = infer_shaped (f, 0);
  return type != NULL ? ts_type_scalar (f->module, (TsDtype) type->dtype) : NULL;
}

const TsType *
infer_array (Infer *f)
{
  const TsDtype dtype = infer_keyword_dtype (f, "dtype", TS_DTYPE_NONE);
  gint64        length;
  if (dtype == TS_DTYPE_NONE)
    return infer_fail (f, "missing-argument", "dtype must be an element type");
  if (!ts_expr_fold_int (f->op->operands[0], &length) || length <= 0)
    return infer_fail (f, "bad-argument", "the length must be a positive constant");
  return ts_type_array (f->module, f->op->operands[0], dtype);
}

/* --- created shapes ------------------------------------------------------------------------------------------------------- */

/* Layouts a user may ask for in Mat: transposed (ZN) or flat. */
static void
created_layout (Infer *f, Draft *draft)
{
  if (draft->kind != TS_TYPE_TILE || draft->space != TS_SPACE_MAT)
    return;
  draft->has_layout = infer_keyword_bool (f, "transpose") || infer_keyword_bool (f, "flat_layout");
  draft->blayout = TS_TILE_LAYOUT_ROW_MAJOR;
  draft->slayout = infer_keyword_bool (f, "transpose") ? TS_TILE_LAYOUT_COL_MAJOR : TS_TILE_LAYOUT_NONE_BOX;
}

static const TsType *
with_tensor_layout (Infer *f, const TsType *type)
{
  const char *name = infer_keyword_member (f, "layout", "TensorLayout");
  TsLayout    layout = TS_LAYOUT_ND;
  TsView      view = { .has_stride = TRUE };
  if (!ts_type_is_tensor (type) || name == NULL || !ts_layout_from_name (name, -1, &layout) || layout == TS_LAYOUT_ND)
    return type;
  view.layout = layout;
  return ts_type_with_view (f->module, type, &view);
}

const TsType *
infer_shaped_by_call (Infer *f)
{
  const TsTypeKind kind = f->info->dialect == TS_DIALECT_TILE ? TS_TYPE_TILE : TS_TYPE_TENSOR;
  const TsDtype    dtype = infer_keyword_dtype (f, "dtype", TS_DTYPE_NONE);
  Draft            draft;
  gint64           dim;
  if (dtype == TS_DTYPE_NONE)
    return infer_fail (f, "missing-argument", "dtype must be an element type");
  if (!infer_draft_shape (f, &draft, kind, infer_list (f, "shape"), dtype))
    return NULL;
  for (guint i = 0; i < draft.rank; i++)
    if (kind == TS_TYPE_TILE && (!ts_expr_fold_int (draft.dims[i], &dim) || dim <= 0))
      return infer_fail (f, "bad-argument", "a tile's shape must be of positive constants");
  if (draft.space == TS_SPACE_LEFT_SCALE || draft.space == TS_SPACE_RIGHT_SCALE)
    return infer_fail (f, "bad-argument", "tiles cannot be created in scale spaces");
  draft.distributed = f->info->dialect == TS_DIALECT_PLD;
  infer_draft_set_valid (&draft, infer_list (f, "valid_shape"));
  created_layout (f, &draft);
  return with_tensor_layout (f, infer_draft_type (f, &draft));
}

/* --- windows -------------------------------------------------------------------------------------------------------------- */

/* Extent of dimension `i` that holds data. */
static TsExpr *
valid_extent (const TsType *type, guint i)
{
  return type->view != NULL && i < type->view->n_valid ? type->view->valid_shape[i] : type->dims[i];
}

/* What is valid in a window: what was asked for, cut to what the source holds behind the offset, where both are constants. */
static TsExpr *
window_extent (Infer *f, TsExpr *asked, TsExpr *have, TsExpr *offset)
{
  gint64 want, held, skip, left;
  if (!ts_expr_fold_int (asked, &want) || !ts_expr_fold_int (have, &held) || !ts_expr_fold_int (offset, &skip)
      || !ts_sub (held, skip, &left) || want <= left)
    return asked;
  return ts_expr_index (f->module, MAX (left, 0));
}

/* FALSE (and an error) when a window of `extent` at `offset` provably leaves dimension `i` of the source. */
static gboolean
window_fits (Infer *f, const TsType *source, guint i, const TsExpr *offset, const TsExpr *extent)
{
  gint64 start, length, end, dim;
  if (!ts_expr_fold_int (offset, &start))
    return TRUE;
  if (start < 0)
    {
      infer_fail (f, "out-of-bounds", "offset %" G_GINT64_FORMAT " of dimension %u is negative", start, i);
      return FALSE;
    }
  if (!ts_expr_fold_int (extent, &length) || !ts_type_const_dim (source, i, &dim))
    return TRUE;
  if (ts_add (start, length, &end) && end <= dim)
    return TRUE;
  infer_fail (f, "out-of-bounds",
              "past the end of dimension %u: %" G_GINT64_FORMAT " + %" G_GINT64_FORMAT " is more than %" G_GINT64_FORMAT, i, start,
              length, dim);
  return FALSE;
}

/* Fills the draft's valid shape for a window of the source's rank. `exact`: the whole window must lie inside, not only what is
 * read. */
static gboolean
cut_window (Infer *f, Draft *draft, const TsType *source, const TsExpr *offsets, gboolean exact)
{
  const gboolean clamp = infer_keyword_bool (f, "clamp");
  if (offsets == NULL || offsets->n != draft->rank)
    {
      infer_fail (f, "shape-mismatch", "offsets and shape must have as many dimensions as each other");
      return FALSE;
    }
  if (source->rank != draft->rank)
    return TRUE; /* a window of another rank reads the source in its own way: nothing can be cut */
  for (guint i = 0; i < draft->rank; i++)
    {
      if (!clamp && !window_fits (f, source, i, offsets->list[i], exact ? draft->dims[i] : draft->valid[i]))
        return FALSE;
      draft->valid[i] = window_extent (f, draft->valid[i], valid_extent (source, i), offsets->list[i]);
    }
  return TRUE;
}

/* Into Mat a window becomes a block of columns (swapped for a source stored by columns); a single row stays a row. */
static void
loaded_layout (Draft *draft, const TsType *tensor)
{
  const TsLayout layout = tensor->view != NULL ? (TsLayout) tensor->view->layout : TS_LAYOUT_ND;
  gint64         rows;
  if (draft->space != TS_SPACE_MAT)
    return;
  draft->has_layout = TRUE;
  draft->blayout = TS_TILE_LAYOUT_COL_MAJOR;
  draft->slayout = TS_TILE_LAYOUT_ROW_MAJOR;
  if (layout == TS_LAYOUT_DN)
    {
      draft->blayout = TS_TILE_LAYOUT_ROW_MAJOR;
      draft->slayout = TS_TILE_LAYOUT_COL_MAJOR;
    }
  else if (layout == TS_LAYOUT_MX_A_ZZ || layout == TS_LAYOUT_MX_B_NN)
    {
      draft->blayout = draft->slayout = layout == TS_LAYOUT_MX_A_ZZ ? TS_TILE_LAYOUT_ROW_MAJOR : TS_TILE_LAYOUT_COL_MAJOR;
      draft->fractal = 32;
    }
  else if (draft->rank >= 2 && ts_expr_fold_int (draft->dims[draft->rank - 2], &rows) && rows == 1)
    {
      draft->blayout = TS_TILE_LAYOUT_ROW_MAJOR;
      draft->slayout = TS_TILE_LAYOUT_NONE_BOX;
    }
}

const TsType *
infer_load (Infer *f)
{
  const TsType *tensor = f->types[0];
  const TsExpr *valid = infer_list (f, "valid_shape"), *shape = infer_list (f, "shapes");
  Draft         draft;
  if (!ts_type_is_tensor (tensor))
    return infer_fail (f, "bad-argument", "argument 1 must be a tensor");
  if (!infer_draft_shape (f, &draft, TS_TYPE_TILE, shape != NULL ? shape : infer_list (f, "shape"), tensor->dtype))
    return NULL;
  if (valid != NULL && valid->n != draft.rank)
    return infer_fail (f, "shape-mismatch", "shapes and valid_shape must have as many dimensions as each other");
  if (tensor->view != NULL && (tensor->view->layout == TS_LAYOUT_MX_A_ZZ || tensor->view->layout == TS_LAYOUT_MX_B_NN)
      && draft.space != TS_SPACE_MAT)
    return infer_fail (f, "bad-argument", "a tensor of MX layout is loaded into Mat only");
  infer_draft_set_valid (&draft, valid);
  loaded_layout (&draft, tensor);
  return cut_window (f, &draft, tensor, infer_list (f, "offsets"), FALSE) ? infer_draft_type (f, &draft) : NULL;
}

/* --- moves ---------------------------------------------------------------------------------------------------------------- */

static gboolean
take_layout (const Infer *f, const char *key, guint8 *out)
{
  const char  *name = infer_keyword_member (f, key, "TileLayout");
  TsTileLayout layout;
  if (name == NULL || !ts_tile_layout_from_name (name, -1, &layout))
    return FALSE;
  *out = layout;
  return TRUE;
}

static gboolean
is_scale_space (TsSpace space)
{
  return space == TS_SPACE_LEFT_SCALE || space == TS_SPACE_RIGHT_SCALE;
}

const TsType *
infer_move (Infer *f)
{
  const TsType *type = infer_shaped (f, 0);
  Draft         draft;
  TsView        implicit;
  gboolean      has_block, has_scatter;
  if (type == NULL)
    return NULL;
  infer_draft_from (f, &draft, type);
  draft.kind = TS_TYPE_TILE;
  draft.space = ts_op_result_space (f->op);
  draft.has_layout = FALSE;
  draft.pad = type->view != NULL ? type->view->pad : TS_PAD_NULL;
  if (is_scale_space (draft.space))
    {
      if (type->space != TS_SPACE_MAT && type->space != TS_SPACE_NONE)
        return infer_fail (f, "bad-argument", "scale spaces are reached from Mat only");
      if (type->dtype != TS_DTYPE_UINT8 && type->dtype != TS_DTYPE_FP8E8M0)
        return infer_fail (f, "bad-dtype", "scales are UINT8 or FP8E8M0");
      draft.dtype = TS_DTYPE_FP8E8M0;
    }
  implicit = ts_type_implicit_view (ts_type_tile (f->module, draft.dims, draft.rank, draft.dtype, draft.space, NULL, NULL));
  draft.blayout = implicit.blayout;
  draft.slayout = implicit.slayout;
  has_block = take_layout (f, "blayout", &draft.blayout);
  has_scatter = take_layout (f, "slayout", &draft.slayout);
  draft.has_layout = has_block || has_scatter;
  return infer_draft_type (f, &draft);
}

const TsType *
infer_extract (Infer *f)
{
  const TsType *src = infer_shaped (f, 0);
  const gint    row = infer_arg (f, "index_row"), col = infer_arg (f, "index_col");
  Draft         draft;
  gint64        dim;
  if (src == NULL || !infer_draft_shape (f, &draft, TS_TYPE_TILE, infer_list (f, "shape"), src->dtype))
    return NULL;
  if (src->rank != 2 || draft.rank != 2)
    return infer_fail (f, "bad-argument", "source and shape must have two dimensions");
  for (guint i = 0; i < 2; i++)
    {
      const TsExpr *offset = f->op->operands[i == 0 ? row : col];
      if (!ts_expr_fold_int (draft.dims[i], &dim) || dim <= 0)
        return infer_fail (f, "bad-argument", "the shape must be of positive constants");
      if (!window_fits (f, src, i, offset, draft.dims[i]))
        return NULL;
      draft.valid[i] = window_extent (f, draft.valid[i], valid_extent (src, i), (TsExpr *) offset);
    }
  draft.has_layout = draft.space == TS_SPACE_LEFT || draft.space == TS_SPACE_RIGHT;
  draft.blayout = TS_TILE_LAYOUT_ROW_MAJOR;
  draft.slayout = draft.space == TS_SPACE_LEFT ? TS_TILE_LAYOUT_ROW_MAJOR : TS_TILE_LAYOUT_COL_MAJOR;
  return infer_draft_type (f, &draft);
}

static gboolean
is_whole_fractals (const Draft *draft)
{
  const gint64 columns = MAX (32 / MAX (ts_dtype_bytes (draft->dtype, 1), 1), 1);
  gint64       n;
  return draft->rank >= 2 && (!ts_expr_fold_int (draft->dims[draft->rank - 2], &n) || n % 16 == 0)
         && (!ts_expr_fold_int (draft->dims[draft->rank - 1], &n) || n % columns == 0);
}

/* mgather: rows of the source by index, or single elements; into Mat the indices stay in global memory. */
const TsType *
infer_gather_gm (Infer *f)
{
  const TsType *mem = f->types[0], *index = infer_shaped (f, 1);
  const TsExpr *mode = ts_op_keyword (f->op, "coalesce");
  const gboolean by_row = mode == NULL || mode->kind != TS_EXPR_STRING || strcmp (mode->text, "elem") != 0;
  Draft         draft;
  gint64        count;
  if (!ts_type_is_tensor (mem) || mem->rank == 0)
    return infer_fail (f, "bad-argument", "argument 1 must be a tensor");
  if (index == NULL)
    return NULL;
  infer_draft_from (f, &draft, index);
  draft.kind = TS_TYPE_TILE;
  draft.distributed = FALSE;
  draft.has_layout = FALSE;
  draft.dtype = mem->dtype;
  draft.space = ts_op_result_space (f->op);
  if (by_row)
    {
      draft.dims[0] = ts_type_element_count (index, &count) ? ts_expr_index (f->module, count) : index->dims[index->rank - 1];
      draft.dims[1] = mem->dims[mem->rank - 1];
      draft.rank = 2;
      infer_draft_fill (&draft);
    }
  if (draft.space == TS_SPACE_MAT && !is_whole_fractals (&draft))
    return infer_fail (f, "bad-argument", "into Mat the rows must be a multiple of 16 and each row of 32 bytes");
  infer_draft_set_valid (&draft, infer_list (f, "valid_shape"));
  return infer_draft_type (f, &draft);
}

const TsType *
infer_concat (Infer *f)
{
  const TsType *a = infer_shaped (f, 0), *b = infer_shaped (f, 1);
  Draft         draft;
  gint64        x, y, sum;
  guint         last;
  if (a == NULL || b == NULL)
    return NULL;
  if (a->rank == 0 || a->rank != b->rank)
    return infer_fail (f, "shape-mismatch", "both must have as many dimensions as each other");
  infer_draft_from (f, &draft, a);
  last = draft.rank - 1;
  for (guint i = 0; i < last; i++)
    if (!infer_same_dim (a->dims[i], b->dims[i]))
      return infer_fail (f, "shape-mismatch", "dimension %u differs", i);
  if (ts_type_const_dim (a, last, &x) && ts_type_const_dim (b, last, &y) && ts_add (x, y, &sum))
    draft.dims[last] = ts_expr_index (f->module, sum);
  else
    draft.dims[last] = ts_expr_binary (f->module, TS_OPERATOR_ADD, a->dims[last], b->dims[last]);
  draft.valid[last] = draft.dims[last];
  return infer_draft_type (f, &draft);
}

/* --- exchanged axes ------------------------------------------------------------------------------------------------------- */

static gboolean
take_axis (Infer *f, guint arg, guint rank, guint *out)
{
  gint64 axis;
  if (!ts_expr_fold_int (f->op->operands[arg], &axis) || axis < -(gint64) rank || axis >= (gint64) rank)
    {
      infer_fail (f, "bad-argument", "axis %u must be a constant within the %u dimensions", arg, rank);
      return FALSE;
    }
  *out = (guint) (axis < 0 ? axis + rank : axis);
  return TRUE;
}

static void
exchange (Draft *draft, guint a, guint b)
{
  TsExpr *dim = draft->dims[a], *valid = draft->valid[a];
  draft->dims[a] = draft->dims[b];
  draft->valid[a] = draft->valid[b];
  draft->dims[b] = dim;
  draft->valid[b] = valid;
}

const TsType *
infer_transpose (Infer *f)
{
  const TsType *type = infer_shaped (f, 0);
  Draft         draft;
  guint         a, b;
  if (type == NULL)
    return NULL;
  infer_draft_from (f, &draft, type);
  if (!take_axis (f, 1, draft.rank, &a) || !take_axis (f, 2, draft.rank, &b))
    return NULL;
  draft.has_layout = FALSE;
  exchange (&draft, a, b);
  infer_draft_set_valid (&draft, infer_list (f, "valid_shape"));
  return infer_draft_type (f, &draft);
}

static guint8
other_major (guint8 layout)
{
  if (layout == TS_TILE_LAYOUT_NONE_BOX)
    return layout;
  return layout == TS_TILE_LAYOUT_ROW_MAJOR ? TS_TILE_LAYOUT_COL_MAJOR : TS_TILE_LAYOUT_ROW_MAJOR;
}

const TsType *
infer_transpose_view (Infer *f)
{
  const TsType *type = infer_shaped (f, 0);
  Draft         draft;
  if (type == NULL)
    return NULL;
  if (type->rank < 2)
    return infer_fail (f, "bad-argument", "two dimensions are needed");
  infer_draft_from (f, &draft, type);
  exchange (&draft, draft.rank - 2, draft.rank - 1);
  draft.blayout = other_major (draft.blayout);
  draft.slayout = other_major (draft.slayout);
  return infer_draft_type (f, &draft);
}

/* --- views ---------------------------------------------------------------------------------------------------------------- */

/* Erases the listed axes, each a single element wide; a tile stays two-dimensional. */
static gboolean
drop_axes (Infer *f, Draft *draft, const TsExpr *list)
{
  gboolean dropped[TS_MAX_RANK] = { FALSE };
  guint    kept = 0;
  for (guint i = 0; list != NULL && i < list->n; i++)
    {
      gint64 axis, dim;
      if (!ts_expr_fold_int (list->list[i], &axis) || axis < 0 || axis >= (gint64) draft->rank
          || !ts_expr_fold_int (draft->dims[axis], &dim) || dim != 1)
        {
          infer_fail (f, "bad-argument", "drop_dims must name dimensions of extent 1");
          return FALSE;
        }
      dropped[axis] = TRUE;
    }
  for (guint i = 0; i < draft->rank; i++)
    if (!dropped[i])
      {
        draft->dims[kept] = draft->dims[i];
        draft->valid[kept++] = draft->valid[i];
      }
  draft->rank = kept;
  while (draft->kind == TS_TYPE_TILE && draft->rank < 2)
    {
      memmove (&draft->dims[1], &draft->dims[0], sizeof draft->dims[0] * draft->rank);
      memmove (&draft->valid[1], &draft->valid[0], sizeof draft->valid[0] * draft->rank);
      draft->dims[0] = draft->valid[0] = ts_expr_index (f->module, 1);
      draft->rank++;
    }
  return TRUE;
}

static gboolean
shape_is_static (Infer *f, const Draft *draft)
{
  gint64 dim;
  for (guint i = 0; i < draft->rank; i++)
    if (!ts_expr_fold_int (draft->dims[i], &dim) || dim <= 0)
      {
        infer_fail (f, "bad-argument", "a tile's shape must be of positive constants");
        return FALSE;
      }
  return TRUE;
}

const TsType *
infer_slice (Infer *f)
{
  const TsType *type = infer_shaped (f, 0);
  const TsExpr *valid = infer_list (f, "valid_shape");
  Draft         draft;
  if (type == NULL || !infer_draft_shape (f, &draft, type->kind, infer_list (f, "shape"), type->dtype))
    return NULL;
  draft.space = type->space;
  if (draft.kind == TS_TYPE_TILE && !shape_is_static (f, &draft))
    return NULL;
  /* A window keeps a layout that was written; an implicit one follows from the window's own shape. */
  draft.has_layout = type->view != NULL && type->kind == TS_TYPE_TILE;
  if (draft.has_layout)
    {
      draft.blayout = type->view->blayout;
      draft.slayout = type->view->slayout;
      draft.fractal = type->view->fractal;
      draft.compact = type->view->compact;
    }
  draft.pad = infer_keyword_pad (f, "pad_value", type->view != NULL ? type->view->pad : TS_PAD_NULL);
  infer_draft_set_valid (&draft, valid);
  if (!cut_window (f, &draft, type, infer_list (f, "offset"), TRUE) || !drop_axes (f, &draft, infer_list (f, "drop_dims")))
    return NULL;
  return infer_draft_type (f, &draft);
}

static gboolean
is_same_shape (const Draft *draft, const TsType *type)
{
  for (guint i = 0; i < draft->rank; i++)
    if (draft->rank != type->rank || !infer_same_dim (draft->dims[i], type->dims[i]))
      return FALSE;
  return TRUE;
}

const TsType *
infer_reshape (Infer *f)
{
  const TsType *type = infer_shaped (f, 0);
  const TsExpr *valid = infer_list (f, "valid_shape");
  Draft         draft;
  gint64        before, after;
  if (type != NULL && infer_list (f, "shape") == NULL && ts_op_keyword (f->op, "layout") != NULL)
    return with_tensor_layout (f, type->memref != NULL ? ts_type_with_memref (f->module, type, NULL) : type);
  if (type == NULL || !infer_draft_shape (f, &draft, type->kind, infer_list (f, "shape"), type->dtype))
    return NULL;
  if (is_same_shape (&draft, type) && valid == NULL)
    return type->memref != NULL ? ts_type_with_memref (f->module, type, NULL) : type;
  draft.space = type->space;
  if (ts_type_element_count (type, &before)
      && ts_type_element_count (ts_type_tensor (f->module, draft.dims, draft.rank, draft.dtype, NULL, NULL), &after)
      && before != after)
    return infer_fail (f, "shape-mismatch", "%" G_GINT64_FORMAT " elements cannot become %" G_GINT64_FORMAT, before, after);
  if (valid == NULL && type->view != NULL && type->view->n_valid > 0)
    ts_diag_add (f->diags, TS_SEVERITY_NOTE, "valid-shape-lost", ts_module_source (f->module, f->span), f->span,
                 "%s: which part of the result is valid is not followed through the reshape", f->info->name);
  draft.pad = type->view != NULL ? type->view->pad : TS_PAD_NULL;
  infer_draft_set_valid (&draft, valid);
  return infer_draft_type (f, &draft);
}

/* The last dimension absorbs the change of width unless a shape is given. */
const TsType *
infer_reinterpret (Infer *f)
{
  const TsType *type = infer_shaped (f, 0);
  const TsExpr *shape = infer_list (f, "shape");
  const TsDtype dtype = infer_keyword_dtype (f, "dtype", TS_DTYPE_NONE);
  Draft         draft;
  gint64        columns, bits, count;
  if (type == NULL)
    return NULL;
  if (dtype == TS_DTYPE_NONE)
    return infer_fail (f, "missing-argument", "dtype must be an element type");
  infer_draft_from (f, &draft, type);
  if (shape != NULL)
    {
      if (!infer_draft_shape (f, &draft, type->kind, shape, dtype))
        return NULL;
    }
  else if (draft.rank > 0 && ts_type_const_dim (type, draft.rank - 1, &columns)
           && ts_mul (columns, ts_dtype_bits (type->dtype), &bits) && bits % ts_dtype_bits (dtype) == 0)
    {
      draft.dims[draft.rank - 1] = ts_expr_index (f->module, bits / ts_dtype_bits (dtype));
      infer_draft_fill (&draft);
    }
  else
    return infer_fail (f, "shape-mismatch", "the last dimension does not divide into elements of %s", ts_dtype_name (dtype));
  draft.dtype = dtype;
  draft.space = type->space;
  if (ts_type_element_count (type, &count)
      && ts_type_element_count (ts_type_tensor (f->module, draft.dims, draft.rank, dtype, NULL, NULL), &columns)
      && ts_dtype_bytes (type->dtype, count) != ts_dtype_bytes (dtype, columns))
    return infer_fail (f, "shape-mismatch", "the bytes differ");
  return infer_draft_type (f, &draft);
}

const TsType *
infer_set_valid_shape (Infer *f)
{
  const TsType *type = infer_shaped (f, 0);
  Draft         draft;
  gint64        extent, dim;
  if (type == NULL)
    return NULL;
  infer_draft_from (f, &draft, type);
  draft.pad = type->view != NULL ? type->view->pad : TS_PAD_NULL;
  for (guint i = 0; i < 2 && i < draft.rank; i++)
    {
      draft.valid[i] = f->op->operands[1 + i];
      if (ts_expr_fold_int (draft.valid[i], &extent)
          && (extent < 0 || (ts_type_const_dim (type, i, &dim) && extent > dim)))
        return infer_fail (f, "out-of-bounds", "valid extent %" G_GINT64_FORMAT " of dimension %u is out of range", extent, i);
    }
  return infer_draft_type (f, &draft);
}

/* --- shares of the cores of a group --------------------------------------------------------------------------------------- */

/* split: 0 none, 1 rows, 2 columns. */
static const TsType *
split_axis (Infer *f, gboolean halve)
{
  const TsType *type = infer_shaped (f, 0);
  const gint64  split = infer_keyword_int (f, "split", 0);
  Draft         draft;
  gint64        dim;
  guint         axis;
  if (type == NULL)
    return NULL;
  if (split < 0 || split > 2 || type->rank < 2)
    return infer_fail (f, "bad-argument", "split must be 0, 1 or 2, on at least two dimensions");
  infer_draft_from (f, &draft, type);
  draft.has_layout = FALSE;
  if (split == 0)
    return infer_draft_type (f, &draft);
  axis = draft.rank - (split == 1 ? 2 : 1);
  if (!ts_type_const_dim (type, axis, &dim) || dim < 0 || (!halve && !ts_mul (dim, 2, &dim)))
    return infer_fail (f, "bad-argument", "the split dimension must be a constant");
  draft.dims[axis] = draft.valid[axis] = ts_expr_index (f->module, halve ? ts_ceil_div (dim, 2) : dim);
  return infer_draft_type (f, &draft);
}

const TsType *
infer_shard (Infer *f)
{
  return split_axis (f, TRUE);
}

const TsType *
infer_unshard (Infer *f)
{
  return split_axis (f, FALSE);
}
