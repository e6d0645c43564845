/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demands on arguments: one function for each row of op-checks.def that is checked. */
#include "ir/infer-check.h"

#include <string.h>

#include "base/number.h"

static gboolean
refuse (Infer *f, const char *text)
{
  infer_fail (f, "bad-argument", "%s", text);
  return FALSE;
}

static gboolean
is_shaped (const TsType *type)
{
  return ts_type_is_tile (type) || ts_type_is_tensor (type);
}

/* The first tile or tensor argument; -1 when there is none. */
static gint
first_shaped (const Infer *f)
{
  for (guint i = 0; i < f->op->n_operands; i++)
    if (is_shaped (f->types[i]))
      return (gint) i;
  return -1;
}

/* Are both known, and not the same? */
static gboolean
differ (const TsExpr *a, const TsExpr *b)
{
  gint64 x, y;
  return ts_expr_fold_int (a, &x) && ts_expr_fold_int (b, &y) && x != y;
}

static const TsExpr *
valid_dim (const TsType *type, guint i)
{
  return type->view != NULL && i < type->view->n_valid ? type->view->valid_shape[i] : type->dims[i];
}

static gboolean
valid_is_equal (const TsType *a, const TsType *b)
{
  for (guint i = 0; i < a->rank; i++)
    {
      if (!infer_same_dim (valid_dim (a, i), valid_dim (b, i)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
shape_is_equal (const TsType *a, const TsType *b)
{
  if (a->rank != b->rank)
    return FALSE;
  for (guint i = 0; i < a->rank; i++)
    if (!infer_same_dim (a->dims[i], b->dims[i]))
      return FALSE;
  return TRUE;
}

/* --- element types -------------------------------------------------------------------------------------------------------- */

static gboolean
dtype_is_listed (TsDtype dtype, const char *list)
{
  const char *name = ts_dtype_name (dtype);
  const gsize length = strlen (name);
  if (strcmp (list, "integer") == 0)
    return ts_dtype_is_integer (dtype);
  for (const char *p = list; p != NULL; p = strchr (p, ','))
    {
      p += *p == ',';
      if (strncmp (p, name, length) == 0 && (p[length] == ',' || p[length] == '\0'))
        return TRUE;
    }
  return FALSE;
}

static gboolean
check_dtype (Infer *f, TsDtype dtype)
{
  if (dtype == TS_DTYPE_NONE || dtype_is_listed (dtype, f->info->dtypes))
    return TRUE;
  infer_fail (f, "bad-dtype", "element type %s is not allowed (%s)", ts_dtype_name (dtype), f->info->dtypes);
  return FALSE;
}

static gboolean
check_dtypes (Infer *f)
{
  if (f->info->dtypes == NULL)
    return TRUE;
  if (f->info->result == TS_RESULT_SHAPED)
    return check_dtype (f, infer_keyword_dtype (f, "dtype", TS_DTYPE_NONE));
  for (guint i = 0; i < f->op->n_operands; i++)
    {
      if (!is_shaped (f->types[i]) || infer_is_scratch (f, i))
        continue;
      if (!check_dtype (f, f->types[i]->dtype))
        return FALSE;
      if ((f->info->checks & TS_CHECK_ALL_DTYPES) == 0)
        return TRUE;
    }
  return TRUE;
}

/* --- the demands, each told by name --------------------------------------------------------------------------------------- */

static gboolean
check_same (Infer *f)
{
  const gint    first = first_shaped (f);
  const guint32 checks = f->info->checks;
  for (guint i = (guint) (first + 1); first >= 0 && i < f->op->n_operands; i++)
    {
      const TsType *a = f->types[first], *b = f->types[i];
      if (!is_shaped (b))
        continue;
      if ((checks & TS_CHECK_SAME_DTYPE) != 0 && a->dtype != b->dtype)
        return refuse (f, "the arguments must have the same element type");
      if ((checks & TS_CHECK_SAME_SHAPE) != 0 && !shape_is_equal (a, b))
        return refuse (f, "the arguments must have the same shape");
      if ((checks & TS_CHECK_SAME_VALID) != 0 && a->rank == b->rank && !valid_is_equal (a, b))
        return refuse (f, "the arguments must have the same valid shape");
    }
  return TRUE;
}

static gboolean
check_rank_2 (Infer *f)
{
  const gint    first = first_shaped (f);
  const TsExpr *shape = infer_list (f, "shape");
  const guint   rank = first >= 0 ? f->types[first]->rank : shape != NULL ? shape->n : 2;
  return rank == 2 || refuse (f, "two dimensions are needed");
}

static gboolean
check_precise (Infer *f)
{
  const gint first = first_shaped (f);
  if (first < 0 || !infer_keyword_bool (f, "high_precision"))
    return TRUE;
  return f->types[first]->dtype == TS_DTYPE_FP16 || f->types[first]->dtype == TS_DTYPE_FP32
         || refuse (f, "high_precision needs FP16 or FP32");
}

static gboolean
check_scalars_are_integers (Infer *f)
{
  for (guint i = 0; i < f->op->n_operands; i++)
    if (ts_type_is_scalar (f->types[i]) && !ts_dtype_is_integer (f->types[i]->dtype))
      return refuse (f, "the scalar must be an integer");
  return TRUE;
}

static gboolean
check_slope (Infer *f)
{
  const TsType *tile = f->types[0], *slope = f->types[1];
  if (!is_shaped (tile) || !is_shaped (slope))
    return refuse (f, "tile and slope must be tiles");
  return (tile->dtype == slope->dtype && shape_is_equal (tile, slope) && valid_is_equal (tile, slope))
         || refuse (f, "the slope must have the tile's element type, shape and valid shape");
}

/* A column, or one packed block of 32 bytes a row. */
static gboolean
check_row_vector (Infer *f)
{
  const TsType *target = f->types[0], *vector = f->types[1];
  const TsExpr *columns;
  gint64        n;
  gboolean      is_column;
  if (!ts_type_is_tile (target) || !ts_type_is_tile (vector) || vector->rank == 0)
    return TRUE;
  if (ts_type_tile_view (target).blayout != TS_TILE_LAYOUT_ROW_MAJOR)
    return refuse (f, "the target must be row-major");
  columns = vector->view != NULL && vector->view->n_valid > 0 ? vector->view->valid_shape[vector->view->n_valid - 1]
                                                              : vector->dims[vector->rank - 1];
  if (!ts_expr_fold_int (columns, &n))
    return TRUE;
  is_column = ts_type_tile_view (vector).blayout == TS_TILE_LAYOUT_COL_MAJOR;
  return n == (is_column ? 1 : 32 / MAX (ts_dtype_bytes (vector->dtype, 1), 1)) || (n == 1 && vector->rank >= 2)
         || refuse (f, "the row vector must have one valid column, or 32 bytes of them in row-major order");
}

static gboolean
check_scratch (Infer *f)
{
  const gint    i = infer_arg (f, "tmp");
  const TsType *tile = f->types[0], *tmp = i > 0 ? f->types[i] : NULL;
  gint64        have, need;
  if (!is_shaped (tile) || !is_shaped (tmp))
    return refuse (f, "a scratch tile is needed (tmp_tile)");
  if (tile->dtype != tmp->dtype || tile->rank != tmp->rank)
    return refuse (f, "the scratch tile must have the tile's element type and rank");
  for (guint d = 0; d < tile->rank; d++)
    if (ts_type_const_dim (tile, d, &need) && ts_type_const_dim (tmp, d, &have) && have < need)
      return refuse (f, "the scratch tile must not be smaller than the tile");
  return TRUE;
}

static TsDtype
signed_counterpart (TsDtype dtype)
{
  switch ((int) dtype)
    {
    case TS_DTYPE_UINT8:
      return TS_DTYPE_INT8;
    case TS_DTYPE_UINT16:
      return TS_DTYPE_INT16;
    case TS_DTYPE_UINT32:
      return TS_DTYPE_INT32;
    default:
      return dtype;
    }
}

static gboolean
check_mask (Infer *f)
{
  const TsType *mask = f->types[0], *src = f->types[1], *scalar = f->types[3];
  const guint   bits = is_shaped (mask) ? ts_dtype_bits (mask->dtype) : 0;
  gint64        mask_cols, cols;
  if (!is_shaped (mask) || !is_shaped (src) || mask->rank == 0 || src->rank == 0)
    return refuse (f, "mask and source must be tiles");
  if (!ts_dtype_is_integer (mask->dtype) || (bits != 8 && bits != 16 && bits != 32))
    return refuse (f, "the mask must be INT or UINT of 8, 16 or 32 bits");
  if (ts_type_const_dim (mask, mask->rank - 1, &mask_cols) && ts_type_const_dim (src, src->rank - 1, &cols)
      && mask_cols >= 0 && cols >= 0 && ts_mul_sat (mask_cols, bits / 8) < ts_ceil_div (cols, 8))
    return refuse (f, "the mask does not cover every column of the source");
  return !ts_type_is_scalar (scalar) || scalar->dtype == signed_counterpart (src->dtype)
         || refuse (f, "the scalar must have the signed counterpart of the source's element type");
}

static gboolean
check_scatter_index (Infer *f)
{
  const TsType *dst = f->types[0], *index = f->types[2];
  gint64        bytes;
  if (!is_shaped (dst) || !is_shaped (index))
    return refuse (f, "destination and indices must be tiles");
  bytes = ts_dtype_bytes (dst->dtype, 1);
  return ts_dtype_bytes (index->dtype, 1) == (bytes == 4 ? 4 : 2)
         || refuse (f, "indices must be 4 bytes wide for a 4-byte destination, else 2");
}

static gboolean
check_index_shape (Infer *f)
{
  const TsType *src = f->types[0], *index = f->types[1];
  if (!is_shaped (src) || !is_shaped (index))
    return refuse (f, "source and indices must be tiles");
  return (index->dtype == TS_DTYPE_INT32 && shape_is_equal (src, index))
         || refuse (f, "indices must be INT32 of the source's shape");
}

static gboolean
check_one_line (Infer *f)
{
  const TsExpr *shape = infer_list (f, "shape");
  gint64        n;
  for (guint i = 0; shape != NULL && i < shape->n; i++)
    {
      if (!ts_expr_fold_int (shape->list[i], &n))
        continue;
      if (i + 1 < shape->n && n != 1)
        return refuse (f, "leading dimensions must be 1");
      if (i + 1 == shape->n && n == 1)
        return refuse (f, "one column is too few");
    }
  return TRUE;
}

static gboolean
check_one_row (Infer *f)
{
  const gint    i = infer_arg (f, "lhs");
  const TsType *lhs = i >= 0 ? f->types[i] : NULL;
  gint64        rows;
  if (!is_shaped (lhs) || lhs->rank < 2 || !ts_type_const_dim (lhs, lhs->rank - 2, &rows))
    return TRUE;
  return rows == 1 || refuse (f, "the left operand must have one row");
}

static gboolean
check_scale_side (Infer *f)
{
  const TsType *scale = f->types[0], *src = f->types[1];
  if (!ts_type_is_tile (scale) || !ts_type_is_tile (src) || scale->space == TS_SPACE_NONE || src->space == TS_SPACE_NONE)
    return TRUE;
  return (scale->space == TS_SPACE_LEFT_SCALE && src->space == TS_SPACE_LEFT)
         || (scale->space == TS_SPACE_RIGHT_SCALE && src->space == TS_SPACE_RIGHT)
         || refuse (f, "a left scale goes with a left operand, a right scale with a right one");
}

static gboolean
check_narrowing (Infer *f)
{
  const TsType *target = f->types[0], *source = f->types[1];
  if (!is_shaped (target) || !is_shaped (source))
    return refuse (f, "target and source must be tiles");
  return target->dtype == source->dtype
         || (source->dtype == TS_DTYPE_FP32 && (target->dtype == TS_DTYPE_BF16 || target->dtype == TS_DTYPE_FP16))
         || refuse (f, "element types must be equal, or FP32 into BF16 or FP16");
}

/* --- demands of single operations ---------------------------------------------------------------------------------------- */

/* Atomic addition exists for some widths only. */
static gboolean
refuse_bounds (Infer *f, gint64 start, guint dimension)
{
  infer_fail (f, "out-of-bounds", "a store at offset %" G_GINT64_FORMAT " leaves dimension %u of its tensor", start, dimension);
  return FALSE;
}

static gboolean
check_atomic (Infer *f)
{
  static const guint8 allowed[] = { TS_DTYPE_FP32, TS_DTYPE_BF16, TS_DTYPE_FP16, TS_DTYPE_INT32, TS_DTYPE_INT16, TS_DTYPE_INT8 };
  const char         *member = infer_keyword_member (f, "atomic", "AtomicType");
  if (!is_shaped (f->types[0]) || (infer_keyword_int (f, "atomic", 0) == 0 && g_strcmp0 (member, "Add") != 0))
    return TRUE;
  return memchr (allowed, f->types[0]->dtype, sizeof allowed) != NULL
         || refuse (f, "atomic addition needs FP32, BF16, FP16, INT32, INT16 or INT8");
}

/* A store whose constant offset leaves its tensor: what is valid of the tile must fit behind it. */
static gboolean
check_store (Infer *f)
{
  const TsType *tile = f->types[0], *tensor = f->types[2];
  const TsExpr *offsets = f->op->operands[1];

  if (!check_atomic (f))
    return FALSE;
  if (!is_shaped (tile) || !is_shaped (tensor) || tile->rank != tensor->rank || offsets->kind != TS_EXPR_LIST
      || offsets->n != tile->rank || f->op->n_operands > 3)
    return TRUE;
  for (guint i = 0; i < tile->rank; i++)
    {
      const TsExpr *valid = tile->view != NULL && i < tile->view->n_valid ? tile->view->valid_shape[i] : tile->dims[i];
      gint64 start, length, end, dim;

      if (!ts_expr_fold_int (offsets->list[i], &start))
        continue;
      if (start < 0)
        return refuse_bounds (f, start, i);
      if (ts_expr_fold_int (valid, &length) && ts_type_const_dim (tensor, i, &dim) && (!ts_add (start, length, &end) || end > dim))
        return refuse_bounds (f, start, i);
    }
  return TRUE;
}

static gboolean
check_rounds (Infer *f)
{
  const gint64 rounds = infer_keyword_int (f, "rounds", 10);
  return rounds == 7 || rounds == 10 || refuse (f, "rounds must be 7 or 10");
}

static gboolean
check_block_length (Infer *f)
{
  gint64 length;
  return !ts_expr_fold_int (f->op->operands[1], &length) || (length > 0 && length % 64 == 0)
         || refuse (f, "block_len must be a multiple of 64");
}

/* One for each dimension. */
static gboolean
check_indices (Infer *f)
{
  const TsExpr *indices = f->op->operands[1];
  return !is_shaped (f->types[0]) || indices->kind != TS_EXPR_LIST || indices->n == f->types[0]->rank
         || refuse (f, "there must be an index for each dimension");
}

/* A variable must have the element type; a literal takes it, but True and False are no numbers. */
static gboolean
check_written (Infer *f)
{
  const TsValue *value = ts_expr_as_value (f->op->operands[2]);
  if (!check_indices (f))
    return FALSE;
  if (ts_type_is_scalar (f->types[2]) && f->types[2]->dtype == TS_DTYPE_BOOL && is_shaped (f->types[0])
      && f->types[0]->dtype != TS_DTYPE_BOOL)
    return refuse (f, "the value must have the element type of what it is written to");
  return value == NULL || !is_shaped (f->types[0]) || !ts_type_is_scalar (value->type) || value->type->dtype == f->types[0]->dtype
         || refuse (f, "the value must have the element type of what it is written to");
}

static gboolean
check_mat_flags (Infer *f)
{
  const gboolean asked = infer_keyword_bool (f, "transpose") || infer_keyword_bool (f, "flat_layout");
  return !asked || ts_op_result_space (f->op) == TS_SPACE_MAT || refuse (f, "transpose and flat_layout are for Mat only");
}

/* One row, as wide as the product, in the accumulator's type. */
static gboolean
check_bias (Infer *f)
{
  const gint    b = infer_arg (f, "bias"), l = infer_arg (f, "lhs"), r = infer_arg (f, "rhs");
  const TsType *bias = b >= 0 ? f->types[b] : NULL, *lhs = l >= 0 ? f->types[l] : NULL, *rhs = r >= 0 ? f->types[r] : NULL;
  gint64        rows;
  if (!is_shaped (bias) || !is_shaped (lhs) || !is_shaped (rhs))
    return refuse (f, "operands and bias must be tiles");
  if (bias->rank != 2 || rhs->rank != 2 || !ts_type_const_dim (bias, 0, &rows) || rows != 1
      || !infer_same_dim (bias->dims[1], rhs->dims[1]))
    return refuse (f, "the bias must be one row as wide as the right operand");
  return bias->dtype == (ts_dtype_is_integer (lhs->dtype) ? TS_DTYPE_INT32 : TS_DTYPE_FP32)
         || refuse (f, "the bias must have the accumulator's element type");
}

/* The product has the accumulator's shape and element type, and its operands fit each other. */
static gboolean
check_accumulator (Infer *f)
{
  const gint    a = infer_arg (f, "acc"), l = infer_arg (f, "lhs"), r = infer_arg (f, "rhs");
  const TsType *acc = a >= 0 ? f->types[a] : NULL, *lhs = l >= 0 ? f->types[l] : NULL, *rhs = r >= 0 ? f->types[r] : NULL;
  if (!is_shaped (acc) || !is_shaped (lhs) || !is_shaped (rhs) || acc->rank < 2 || lhs->rank < 2 || rhs->rank < 2)
    return refuse (f, "accumulator and operands must be tiles of at least two dimensions");
  if (lhs->dtype != rhs->dtype)
    return refuse (f, "the operands must have the same element type");
  if (differ (lhs->dims[lhs->rank - 1], rhs->dims[rhs->rank - 2]))
    return refuse (f, "the inner dimensions of the operands differ");
  if (differ (acc->dims[acc->rank - 2], lhs->dims[lhs->rank - 2]) || differ (acc->dims[acc->rank - 1], rhs->dims[rhs->rank - 1]))
    return refuse (f, "the accumulator must have the shape of the product");
  return acc->dtype == (ts_dtype_is_integer (lhs->dtype) ? TS_DTYPE_INT32 : TS_DTYPE_FP32)
         || refuse (f, "the accumulator must be FP32, or INT32 for integers");
}

/* A row vector is a column beside its target, a column tile a row on top of it. */
static gboolean
check_expanded (Infer *f)
{
  const TsType *target = f->types[0], *vector = f->types[1];
  const gboolean by_row = infer_arg (f, "row_vec") >= 0;
  gint64        n;
  if (!is_shaped (target) || !is_shaped (vector) || target->rank < 2 || vector->rank < 2)
    return TRUE;
  if (by_row && differ (target->dims[target->rank - 2], vector->dims[vector->rank - 2]))
    return refuse (f, "the row vector must have as many rows as the target");
  if (!by_row && differ (target->dims[target->rank - 1], vector->dims[vector->rank - 1]))
    return refuse (f, "the column tile must have as many columns as the target");
  if (!by_row && ts_expr_fold_int (valid_dim (vector, vector->rank - 2), &n) && n != 1)
    return refuse (f, "the column tile must have one valid row");
  return !by_row || !ts_expr_fold_int (valid_dim (vector, vector->rank - 1), &n) || n == 1
         || n == 32 / MAX (ts_dtype_bytes (vector->dtype, 1), 1)
         || refuse (f, "the row vector must have one valid column, or 32 bytes of them");
}

/* Into Mat the indices stay in global memory, single elements need scratch, and the tile is made of whole fractals. */
static gboolean
check_gather_into_mat (Infer *f)
{
  const TsExpr *mode = ts_op_keyword (f->op, "coalesce");
  const gint    scratch = infer_arg (f, "scratch");
  if (ts_op_result_space (f->op) != TS_SPACE_MAT)
    return TRUE;
  if (!ts_type_is_tensor (f->types[1]))
    return refuse (f, "into Mat the indices must be a tensor in global memory");
  return mode == NULL || mode->kind != TS_EXPR_STRING || strcmp (mode->text, "elem") != 0
         || (scratch >= 0 && is_shaped (f->types[scratch])) || refuse (f, "single elements into Mat need a scratch argument");
}

static const struct
{
  guint16  code;
  gboolean (*check) (Infer *f);
} single_checks[] = {
  { TS_OP_TILE_STORE, check_store },
  { TS_OP_TENSOR_ASSEMBLE, check_atomic },
  { TS_OP_TILE_RANDOM, check_rounds },
  { TS_OP_TENSOR_RANDOM, check_rounds },
  { TS_OP_TILE_MRGSORT_FORMAT1, check_block_length },
  { TS_OP_TENSOR_MRGSORT_FORMAT1, check_block_length },
  { TS_OP_TILE_WRITE, check_written },
  { TS_OP_TENSOR_WRITE, check_written },
  { TS_OP_TILE_CREATE, check_mat_flags },
  { TS_OP_TILE_MATMUL_BIAS, check_bias },
  { TS_OP_TILE_GEMV_BIAS, check_bias },
  { TS_OP_TILE_MATMUL_MX_BIAS, check_bias },
  { TS_OP_TILE_MGATHER, check_gather_into_mat },
  { TS_OP_TILE_MATMUL_ACC, check_accumulator },
  { TS_OP_TILE_GEMV_ACC, check_accumulator },
  { TS_OP_TILE_BATCH_MATMUL_ACC, check_accumulator },
  { TS_OP_TILE_MATMUL_MX_ACC, check_accumulator },
  { TS_OP_TILE_READ, check_indices },
  { TS_OP_TENSOR_READ, check_indices },
};

typedef struct
{
  guint32   bits;
  guint     min_args; /* arguments the check reads without looking */
  gboolean (*check) (Infer *f);
} Check;

static const Check checks[] = {
  { TS_CHECK_SAME_DTYPE | TS_CHECK_SAME_SHAPE | TS_CHECK_SAME_VALID, 0, check_same },
  { TS_CHECK_RANK_2, 0, check_rank_2 },
  { TS_CHECK_FLOAT_IF_PRECISE, 0, check_precise },
  { TS_CHECK_SCALAR_INTEGER, 0, check_scalars_are_integers },
  { TS_CHECK_SLOPE, 2, check_slope },
  { TS_CHECK_ROW_VECTOR, 2, check_row_vector },
  { TS_CHECK_SCRATCH, 1, check_scratch },
  { TS_CHECK_MASK, 4, check_mask },
  { TS_CHECK_SCATTER_INDEX, 3, check_scatter_index },
  { TS_CHECK_INDEX_SHAPE, 2, check_index_shape },
  { TS_CHECK_ONE_LINE, 0, check_one_line },
  { TS_CHECK_ONE_ROW, 0, check_one_row },
  { TS_CHECK_SCALE_SIDE, 2, check_scale_side },
  { TS_CHECK_NARROWING, 2, check_narrowing },
};

gboolean
infer_check_arguments (Infer *f)
{
  const TsOpInfo *info = f->info;
  const guint     n = f->op->n_operands;
  if (n < info->min_args || (n > info->max_args && (info->flags & TS_OPF_VARIADIC) == 0))
    {
      infer_fail (f, "argument-count", "%u argument%s given, %s%u needed (%s)", n, n == 1 ? "" : "s",
                  info->min_args == info->max_args ? "" : n < info->min_args ? "at least " : "at most ",
                  n < info->min_args ? info->min_args : info->max_args, info->args != NULL ? info->args : "");
      return FALSE;
    }
  if (!check_dtypes (f))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (checks); i++)
    if ((info->checks & checks[i].bits) != 0 && n >= checks[i].min_args && !checks[i].check (f))
      return FALSE;
  if (info->result == TS_RESULT_EXPAND && n >= 2 && !check_expanded (f))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (single_checks); i++)
    if (single_checks[i].code == f->op->code && !single_checks[i].check (f))
      return FALSE;
  return TRUE;
}
