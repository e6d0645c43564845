/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result types of operations that compute: elementwise, broadcast, reductions, selection, gathers, sorts, matrix products.
 * Source: spec ops.md 2 to 8. */
#include "ir/infer-private.h"

#include "base/number.h"

/* --- whole arguments ------------------------------------------------------------------------------------------------------ */

const TsType *
infer_none (Infer *f)
{
  return NULL;
}

/* The argument's type as the operation's result: the same tile where the memory is shared, else a new one of that shape. */
/* pl.tile.add takes tiles and pl.tensor.add tensors; only pl.add takes either. Source: spec dsl 4.6, item 3. */
static const TsType *
of_level (Infer *f, guint arg)
{
  const TsType *type = infer_shaped (f, arg);
  TsDialect other = ts_type_is_tile (type) ? TS_DIALECT_TENSOR : TS_DIALECT_TILE;

  if (type == NULL || f->info->dialect != other)
    return type;
  return infer_fail (f, "mixed-levels", "argument %u must be a %s, not a %s", arg + 1,
                     other == TS_DIALECT_TENSOR ? "tensor" : "tile", other == TS_DIALECT_TENSOR ? "tile" : "tensor");
}

static const TsType *
like_argument (Infer *f, guint arg)
{
  const TsType *type = arg < f->op->n_operands ? f->types[arg] : NULL;
  Draft         draft;
  if (ts_type_is (type, TS_TYPE_ARRAY))
    return type;
  type = arg == 0 ? of_level (f, arg) : infer_shaped (f, arg); /* what a store returns is the tensor it was given */
  if (type == NULL)
    return NULL;
  if (f->info->buffer != TS_BUFFER_FRESH || ts_type_is_tensor (type))
    return type->memref != NULL ? ts_type_with_memref (f->module, type, NULL) : type;
  infer_draft_from (f, &draft, type);
  return infer_draft_type (f, &draft);
}

const TsType *
infer_arg0 (Infer *f)
{
  return like_argument (f, 0);
}

const TsType *
infer_arg1 (Infer *f)
{
  return like_argument (f, 1);
}

const TsType *
infer_arg2 (Infer *f)
{
  return like_argument (f, 2);
}

const TsType *
infer_last (Infer *f)
{
  return like_argument (f, f->op->n_operands - 1);
}

/* --- broadcast ------------------------------------------------------------------------------------------------------------ */

static gboolean
is_one (const TsExpr *dim)
{
  gint64 n;
  return ts_expr_fold_int (dim, &n) && n == 1;
}

/* Right-aligned; 1 stretches. The draft keeps its own valid extents where it keeps its own dimension. */
static gboolean
broadcast (Infer *f, Draft *draft, const TsType *type)
{
  Draft other, out = *draft;
  infer_draft_from (f, &other, type);
  out.rank = MAX (draft->rank, other.rank);
  for (guint i = 0; i < out.rank; i++)
    {
      /* from the right */
      const gint a = (gint) draft->rank - 1 - (gint) i, b = (gint) other.rank - 1 - (gint) i;
      const guint to = out.rank - 1 - i;
      const gboolean take_other = a < 0 || (b >= 0 && is_one (draft->dims[a]) && !is_one (other.dims[b]));
      if (a >= 0 && b >= 0 && !take_other && !is_one (other.dims[b]) && !infer_same_dim (draft->dims[a], other.dims[b]))
        {
          infer_fail (f, "shape-mismatch", "shapes cannot be broadcast: they differ in dimension %u from the right", i + 1);
          return FALSE;
        }
      out.dims[to] = take_other ? other.dims[b] : draft->dims[a];
      out.valid[to] = take_other ? other.valid[b] : draft->valid[a];
      if (take_other)
        {
          out.has_layout = other.has_layout;
          out.blayout = other.blayout;
          out.slayout = other.slayout;
        }
    }
  *draft = out;
  return TRUE;
}

/* From argument `first` on: every tile but the scratch. */
static gboolean
combine (Infer *f, Draft *draft, guint first, guint end)
{
  const TsType *type = of_level (f, first);
  if (type == NULL)
    return FALSE;
  infer_draft_from (f, draft, type);
  for (guint i = first + 1; i < MIN (end, f->op->n_operands); i++)
    {
      type = f->types[i];
      if ((!ts_type_is_tile (type) && !ts_type_is_tensor (type)) || infer_is_scratch (f, i))
        continue;
      if (type->kind != draft->kind)
        {
          infer_fail (f, "mixed-levels", "tensors and tiles do not mix");
          return FALSE;
        }
      if (!broadcast (f, draft, type))
        return FALSE;
      draft->dtype = infer_promote (draft->dtype, type->dtype);
    }
  return TRUE;
}

const TsType *
infer_elementwise (Infer *f)
{
  Draft draft;
  return combine (f, &draft, 0, G_MAXUINT) ? infer_draft_type (f, &draft) : NULL;
}

const TsType *
infer_elementwise_arg0 (Infer *f)
{
  Draft draft;
  if (!combine (f, &draft, 0, G_MAXUINT))
    return NULL;
  draft.dtype = f->types[0]->dtype;
  return infer_draft_type (f, &draft);
}

const TsType *
infer_select (Infer *f)
{
  Draft draft;
  return combine (f, &draft, 1, 3) ? infer_draft_type (f, &draft) : NULL;
}

const TsType *
infer_scalar_promote (Infer *f)
{
  const TsType *type = of_level (f, 0);
  Draft         draft;
  if (type == NULL)
    return NULL;
  infer_draft_from (f, &draft, type);
  if (f->op->n_operands > 1 && ts_type_is_scalar (f->types[1]))
    draft.dtype = infer_promote (draft.dtype, f->types[1]->dtype);
  return infer_draft_type (f, &draft);
}

const TsType *
infer_expand (Infer *f)
{
  const TsType *target = of_level (f, 0), *vector = of_level (f, 1);
  Draft         draft;
  if (target == NULL || vector == NULL)
    return NULL;
  infer_draft_from (f, &draft, target);
  draft.dtype = infer_promote (target->dtype, vector->dtype);
  return infer_draft_type (f, &draft);
}

const TsType *
infer_cast (Infer *f)
{
  const TsDtype dtype = infer_keyword_dtype (f, "target_type", TS_DTYPE_NONE);
  const TsType *type = of_level (f, 0);
  Draft         draft;
  if (type == NULL)
    return NULL;
  if (dtype == TS_DTYPE_NONE)
    return infer_fail (f, "missing-argument", "target_type must be an element type");
  if (dtype == type->dtype)
    return infer_fail (f, "bad-dtype", "the argument is %s already", ts_dtype_name (dtype));
  infer_draft_from (f, &draft, type);
  draft.dtype = dtype;
  return infer_draft_type (f, &draft);
}

/* --- reductions ----------------------------------------------------------------------------------------------------------- */

/* Replaces one axis, counted from the right (1 is the last), by 1. A tile's layout is fixed by the direction. */
static const TsType *
reduce (Infer *f, guint from_right, TsTileLayout blayout, TsDtype dtype)
{
  const TsType *type = of_level (f, 0);
  Draft         draft;
  if (type == NULL)
    return NULL;
  if (type->rank < from_right)
    return infer_fail (f, "bad-argument", "%u dimensions are needed", from_right);
  infer_draft_from (f, &draft, type);
  draft.dims[draft.rank - from_right] = draft.valid[draft.rank - from_right] = ts_expr_index (f->module, 1);
  draft.blayout = blayout;
  draft.slayout = TS_TILE_LAYOUT_NONE_BOX;
  if (dtype != TS_DTYPE_NONE)
    draft.dtype = dtype;
  return infer_draft_type (f, &draft);
}

const TsType *
infer_row_reduce (Infer *f)
{
  return reduce (f, 1, TS_TILE_LAYOUT_COL_MAJOR, TS_DTYPE_NONE);
}

const TsType *
infer_row_index (Infer *f)
{
  return reduce (f, 1, TS_TILE_LAYOUT_COL_MAJOR, TS_DTYPE_INT32);
}

const TsType *
infer_col_reduce (Infer *f)
{
  return reduce (f, 2, TS_TILE_LAYOUT_ROW_MAJOR, TS_DTYPE_NONE);
}

const TsType *
infer_col_index (Infer *f)
{
  return reduce (f, 2, TS_TILE_LAYOUT_ROW_MAJOR, TS_DTYPE_INT32);
}

/* --- compare and pad ------------------------------------------------------------------------------------------------------ */

/* Bytes that hold one bit for each of `n` columns. */
static TsExpr *
packed_columns (Infer *f, TsExpr *n, gint64 unit)
{
  gint64 columns;
  if (ts_expr_fold_int (n, &columns) && columns >= 0)
    return ts_expr_index (f->module, ts_round_up (ts_ceil_div (columns, 8), unit));
  n = ts_expr_binary (f->module, TS_OPERATOR_ADD, n, ts_expr_index (f->module, 8 * unit - 1));
  n = ts_expr_binary (f->module, TS_OPERATOR_FLOOR_DIV, n, ts_expr_index (f->module, 8 * unit));
  return unit == 1 ? n : ts_expr_binary (f->module, TS_OPERATOR_MUL, n, ts_expr_index (f->module, unit));
}

const TsType *
infer_compare (Infer *f)
{
  Draft draft;
  guint last;
  if (!combine (f, &draft, 0, G_MAXUINT))
    return NULL;
  last = draft.rank - 1;
  draft.dtype = TS_DTYPE_UINT8;
  draft.dims[last] = packed_columns (f, draft.dims[last], 32);
  draft.valid[last] = packed_columns (f, draft.valid[last], 1);
  return infer_draft_type (f, &draft);
}

static gboolean
take_pad (Infer *f, Draft *draft)
{
  draft->pad = infer_keyword_pad (f, "pad_value", TS_PAD_ZERO);
  if (draft->pad != TS_PAD_NULL)
    return TRUE;
  infer_fail (f, "bad-argument", "pad_value must be zero, max or min");
  return FALSE;
}

const TsType *
infer_fillpad (Infer *f)
{
  const TsType *type = of_level (f, 0);
  Draft         draft;
  if (type == NULL)
    return NULL;
  infer_draft_from (f, &draft, type);
  infer_draft_fill (&draft);
  return take_pad (f, &draft) ? infer_draft_type (f, &draft) : NULL;
}

const TsType *
infer_fillpad_expand (Infer *f)
{
  const TsType *type = of_level (f, 0);
  Draft         draft;
  gint64        have, want;
  if (type == NULL || !infer_draft_shape (f, &draft, type->kind, infer_list (f, "shape"), type->dtype))
    return NULL;
  if (draft.rank != type->rank)
    return infer_fail (f, "shape-mismatch", "the shape must have as many dimensions as the argument");
  for (guint i = 0; i < draft.rank; i++)
    if (!ts_expr_fold_int (draft.dims[i], &want) || (ts_type_const_dim (type, i, &have) && want < have))
      return infer_fail (f, "shape-mismatch", "the shape must be constant and no smaller than the argument's");
  return take_pad (f, &draft) ? infer_draft_type (f, &draft) : NULL;
}

/* --- gathers and sorts ---------------------------------------------------------------------------------------------------- */

const TsType *
infer_gather (Infer *f)
{
  const TsType *src = of_level (f, 0), *index = of_level (f, 1);
  Draft         draft;
  if (src == NULL || index == NULL)
    return NULL;
  infer_draft_from (f, &draft, index);
  draft.dtype = src->dtype;
  return infer_draft_type (f, &draft);
}

/* Each offset fetches one block of 32 bytes. */
const TsType *
infer_gather_bytes (Infer *f)
{
  const TsType *src = of_level (f, 0), *offset = of_level (f, 1);
  Draft         draft;
  gint64        columns;
  guint         last;
  if (src == NULL || offset == NULL)
    return NULL;
  if (offset->dtype != TS_DTYPE_UINT32 || offset->rank == 0)
    return infer_fail (f, "bad-dtype", "offsets must be UINT32");
  last = MIN (offset->rank, TS_MAX_RANK) - 1;
  if (!ts_type_const_dim (offset, last, &columns) || columns <= 0 || columns % 8 != 0)
    return infer_fail (f, "bad-argument", "the offsets must have a multiple of 8 columns");
  infer_draft_from (f, &draft, offset);
  draft.dtype = infer_keyword_dtype (f, "output_dtype", src->dtype);
  draft.dims[last] = ts_expr_index (f->module, ts_mul_sat (columns, 32 / MAX (ts_dtype_bytes (draft.dtype, 1), 1)));
  infer_draft_fill (&draft);
  return infer_draft_type (f, &draft);
}

/* Patterns 1 and 2 keep every other column, 3 to 6 every fourth, 7 all. */
const TsType *
infer_gather_mask (Infer *f)
{
  const gint64  pattern = infer_keyword_int (f, "mask_pattern", 0);
  const gint64  divisor = pattern == 7 ? 1 : pattern >= 3 ? 4 : 2;
  const TsType *src = of_level (f, 0);
  Draft         draft;
  gint64        columns;
  guint         last;
  if (src == NULL)
    return NULL;
  if (pattern < 1 || pattern > 7)
    return infer_fail (f, "bad-argument", "mask_pattern must be 1 to 7");
  infer_draft_from (f, &draft, src);
  last = draft.rank - 1;
  draft.dtype = infer_keyword_dtype (f, "output_dtype", src->dtype);
  if (ts_dtype_bits (draft.dtype) != ts_dtype_bits (src->dtype))
    return infer_fail (f, "bad-dtype", "output_dtype must be as wide as the source's element type");
  if (!ts_type_const_dim (src, last, &columns) || columns % divisor != 0)
    return infer_fail (f, "bad-argument", "the number of columns must be a constant multiple of %d", (int) divisor);
  draft.dims[last] = ts_expr_index (f->module, columns / divisor);
  draft.valid[last] = draft.dims[last];
  return infer_draft_type (f, &draft);
}

const TsType *
infer_gather_compare (Infer *f)
{
  const TsType *src = of_level (f, 0);
  const gint64  columns = infer_keyword_int (f, "out_cols", 0);
  const TsType *elems[2];
  Draft         found, count;
  if (src == NULL)
    return NULL;
  if (columns <= 0 || src->rank != 2)
    return infer_fail (f, "bad-argument", "out_cols must be positive and the source two-dimensional");
  infer_draft_from (f, &found, src);
  found.dtype = TS_DTYPE_INT32;
  found.dims[1] = found.valid[1] = ts_expr_index (f->module, columns);
  infer_draft_from (f, &count, src);
  count.dtype = infer_keyword_dtype (f, "count_dtype", TS_DTYPE_INT32);
  count.dims[1] = count.valid[1] = src->dims[0];
  count.dims[0] = count.valid[0] = ts_expr_index (f->module, 1);
  elems[0] = infer_draft_type (f, &found);
  elems[1] = infer_draft_type (f, &count);
  return ts_type_tuple (f->module, elems, 2);
}

const TsType *
infer_sort (Infer *f)
{
  const TsType *src = of_level (f, 0);
  Draft         draft;
  gint64        columns;
  guint         last;
  if (src == NULL || src->rank == 0)
    return NULL;
  infer_draft_from (f, &draft, src);
  last = draft.rank - 1;
  if (!ts_type_const_dim (src, last, &columns) || !ts_mul (columns, 2, &columns))
    return infer_fail (f, "bad-argument", "the number of columns must be a constant");
  draft.dims[last] = ts_expr_index (f->module, columns);
  draft.valid[last] = draft.dims[last];
  return infer_draft_type (f, &draft);
}

/* --- matrix products ------------------------------------------------------------------------------------------------------ */

typedef struct
{
  TsExpr *rows, *columns, *valid_rows, *valid_columns;
} Matrix;

/* The last two dimensions, exchanged when the operand is taken transposed. */
static Matrix
matrix_of (const TsType *type, gboolean transposed)
{
  const guint r = type->rank - 2, c = type->rank - 1;
  TsExpr    **valid = type->view != NULL && type->view->n_valid == type->rank ? type->view->valid_shape : type->dims;
  return transposed ? (Matrix){ type->dims[c], type->dims[r], valid[c], valid[r] }
                    : (Matrix){ type->dims[r], type->dims[c], valid[r], valid[c] };
}

static TsDtype
product_dtype (Infer *f, TsDtype lhs, TsDtype rhs)
{
  if (f->info->dialect == TS_DIALECT_TENSOR)
    return infer_keyword_dtype (f, "out_dtype", infer_promote (lhs, rhs));
  return ts_dtype_is_integer (lhs) ? TS_DTYPE_INT32 : TS_DTYPE_FP32;
}

static const TsType *
product (Infer *f, const TsType *lhs, const TsType *rhs)
{
  const Matrix a = matrix_of (lhs, infer_keyword_bool (f, "a_trans"));
  const Matrix b = matrix_of (rhs, infer_keyword_bool (f, "b_trans"));
  const TsType *larger = lhs->rank >= rhs->rank ? lhs : rhs;
  const TsType *smaller = larger == lhs ? rhs : lhs;
  Draft        draft;
  gint64       x, y;
  if (ts_expr_fold_int (a.columns, &x) && ts_expr_fold_int (b.rows, &y) && x != y)
    return infer_fail (f, "shape-mismatch", "inner dimensions differ: %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, x, y);
  infer_draft_from (f, &draft, larger);
  for (guint i = 0; i + 2 < smaller->rank; i++)
    {
      const guint to = draft.rank - smaller->rank + i;
      if (is_one (draft.dims[to]))
        draft.dims[to] = draft.valid[to] = smaller->dims[i];
      else if (!is_one (smaller->dims[i]) && !infer_same_dim (draft.dims[to], smaller->dims[i]))
        return infer_fail (f, "shape-mismatch", "batch dimensions differ");
    }
  draft.has_layout = FALSE;
  draft.dims[draft.rank - 2] = a.rows;
  draft.dims[draft.rank - 1] = b.columns;
  draft.valid[draft.rank - 2] = a.valid_rows;
  draft.valid[draft.rank - 1] = b.valid_columns;
  draft.dtype = product_dtype (f, lhs->dtype, rhs->dtype);
  return infer_draft_type (f, &draft);
}

static gboolean
product_operands (Infer *f, const TsType **lhs, const TsType **rhs)
{
  const gint l = infer_arg (f, "lhs"), r = infer_arg (f, "rhs");
  *lhs = l >= 0 ? of_level (f, (guint) l) : NULL;
  *rhs = r >= 0 ? of_level (f, (guint) r) : NULL;
  if (*lhs == NULL || *rhs == NULL)
    return FALSE;
  if ((*lhs)->rank >= 2 && (*rhs)->rank >= 2 && (*lhs)->rank <= TS_MAX_RANK && (*rhs)->rank <= TS_MAX_RANK)
    return TRUE;
  infer_fail (f, "bad-argument", "both operands need at least two dimensions");
  return FALSE;
}

const TsType *
infer_matmul (Infer *f)
{
  const TsType *lhs, *rhs;
  if (!product_operands (f, &lhs, &rhs))
    return NULL;
  if (f->info->dialect == TS_DIALECT_TILE && lhs->dtype != rhs->dtype)
    return infer_fail (f, "bad-dtype", "the operands must have the same element type, not %s and %s", ts_dtype_name (lhs->dtype),
                       ts_dtype_name (rhs->dtype));
  return product (f, lhs, rhs);
}

/* Block-scaled: K a multiple of 64 shared by scales of one per 32 elements. */
const TsType *
infer_matmul_mx (Infer *f)
{
  static const struct { const char *name; gboolean left; } scales[] = { { "lhs_scale", TRUE }, { "rhs_scale", FALSE } };
  const TsType *lhs, *rhs;
  gint64        m, k, n, have;
  if (!product_operands (f, &lhs, &rhs))
    return NULL;
  if (lhs->dtype != rhs->dtype)
    return infer_fail (f, "bad-dtype", "the operands must have the same element type");
  if (!ts_type_const_dim (lhs, 0, &m) || !ts_type_const_dim (lhs, 1, &k) || !ts_type_const_dim (rhs, 1, &n) || m % 16 != 0
      || k % 64 != 0 || n % 32 != 0)
    return infer_fail (f, "bad-argument", "M must be a multiple of 16, K of 64, N of 32");
  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      const gint    arg = infer_arg (f, scales[i].name);
      const TsType *scale = arg >= 0 ? of_level (f, (guint) arg) : NULL;
      if (scale == NULL)
        return NULL;
      if (scale->dtype != TS_DTYPE_FP8E8M0)
        return infer_fail (f, "bad-dtype", "%s must be FP8E8M0", scales[i].name);
      if (scale->rank != 2 || !ts_type_const_dim (scale, scales[i].left ? 1 : 0, &have) || have != ts_ceil_div (k, 32))
        return infer_fail (f, "shape-mismatch", "%s must hold one scale for each 32 elements of K", scales[i].name);
    }
  return product (f, lhs, rhs);
}
