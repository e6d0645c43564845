/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR: what operations ask of pointers and of what lies behind them. Source: spec ttir section 7, 7. */
#include "ir/op-info.h"
#include "ir/verify-ttir-private.h"

/* A pointer to a whole tensor. */
static const TsType *
block_of (const TsType *pointer)
{
  return ts_type_is (pointer, TS_TYPE_POINTER) && ts_ttir_is_tensor (pointer->elems[0]) ? pointer->elems[0] : NULL;
}

static gboolean
is_integer (const TsType *type)
{
  const TsType *element = ts_ttir_is_open (type) ? NULL : ts_type_element (type);

  if (ts_ttir_is_open (element))
    return element != NULL || ts_ttir_is_open (type);
  return element->kind == TS_TYPE_SCALAR && (element->dtype == TS_DTYPE_BOOL || ts_dtype_is_integer ((TsDtype) element->dtype));
}

char *
ts_ttir_check_addptr (const TsOp *op)
{
  const TsType *pointer = ts_op_operand_type (op, 0);

  if (ts_ttir_is_open (pointer))
    return NULL;
  if (ts_ttir_pointer_of (pointer) == NULL || block_of (pointer) != NULL)
    return g_strdup ("operand 0 must be a pointer to an element");
  if (!ts_ttir_same_shape (pointer, ts_op_operand_type (op, 1)))
    return g_strdup ("pointer and offset must have one shape");
  if (!is_integer (ts_op_operand_type (op, 1)))
    return g_strdup ("the offset must be integers");
  return ts_type_equal (pointer, ts_op_result_type (op, 0)) ? NULL : g_strdup ("the result must have the pointer's type");
}

static gboolean
is_mask_of (const TsType *mask, const TsType *pointer)
{
  return ts_type_is_unknown (mask) || (ts_ttir_same_shape (pointer, mask) && ts_type_element (mask)->dtype == TS_DTYPE_BOOL);
}

/* What lies behind a pointer: element type of the access; block pointers point to whole tensors. */
static char *
check_access (const TsOp *op, const TsType *value, const TsType *mask)
{
  const TsType *pointer = ts_op_operand_type (op, 0), *block = block_of (pointer);

  if (ts_ttir_is_open (pointer))
    return NULL;
  if (ts_ttir_pointer_of (pointer) == NULL)
    return g_strdup ("operand 0 must be a pointer");
  if (block != NULL)
    {
      if (!ts_type_is_unknown (value) && !ts_type_equal (block, value))
        return g_strdup ("the value must be what the pointer points to");
      return is_mask_of (mask, block) ? NULL : g_strdup ("the mask must be i1 in the shape of what the pointer points to");
    }
  if (!ts_type_is_unknown (value)
      && (!ts_ttir_same_shape (pointer, value) || !ts_type_equal (ts_type_element (pointer)->elems[0], ts_type_element (value))))
    return g_strdup ("the value must have the pointer's shape and element");
  return is_mask_of (mask, pointer) ? NULL : g_strdup ("the mask must be i1 in the pointer's shape");
}

/* boundaryCheck names dimensions of what is accessed; padding is zero (1) or NaN (2). */
static char *
check_bounds (const TsOp *op)
{
  const TsType *pointer = ts_op_operand_type (op, 0), *block = block_of (pointer);
  const TsExpr *padding = ts_op_attr (op, "padding"), *is_volatile = ts_op_attr (op, "isVolatile");

  if (!ts_ttir_is_open (pointer)
      && !ts_ttir_is_choice (ts_op_attr (op, "boundaryCheck"), ts_ttir_rank (block != NULL ? block : pointer), FALSE))
    return g_strdup ("boundaryCheck must name dimensions of the access, each once");
  if (padding != NULL && (padding->kind != TS_EXPR_INT || padding->i < 1 || padding->i > 2))
    return g_strdup ("padding must be 1 or 2");
  if (is_volatile != NULL && (is_volatile->kind != TS_EXPR_INT || is_volatile->dtype != TS_DTYPE_BOOL))
    return g_strdup ("isVolatile must be true or false");
  return NULL;
}

char *
ts_ttir_check_load (const TsOp *op)
{
  char *problem = check_access (op, ts_op_result_type (op, 0), ts_ttir_part_type (op, 1));
  const TsType *other = ts_ttir_part_type (op, 2);

  if (problem == NULL && other != NULL && !ts_type_is_unknown (other) && !ts_type_equal (other, ts_op_result_type (op, 0)))
    problem = g_strdup ("the value for masked lanes must have the result's type");
  return problem != NULL ? problem : check_bounds (op);
}

char *
ts_ttir_check_store (const TsOp *op)
{
  char *problem = check_access (op, ts_op_operand_type (op, 1), ts_op_operand_type (op, 2));

  return problem != NULL ? problem : check_bounds (op);
}

/* The element that lies behind a pointer must be that of each value. */
char *
ts_ttir_check_atomic (const TsOp *op)
{
  const TsType *pointer = ts_op_operand_type (op, 0);
  guint n_values = op->code == TS_OP_TT_ATOMIC_CAS ? 2 : 1;

  for (guint i = 1; i <= n_values; i++)
    {
      const TsType *value = ts_op_operand_type (op, i);

      if (ts_ttir_is_open (pointer) || ts_ttir_is_open (value))
        continue;
      if (ts_ttir_pointer_of (pointer) == NULL || block_of (pointer) != NULL)
        return g_strdup ("operand 0 must be a pointer to an element");
      if (!ts_ttir_same_shape (pointer, value) || !ts_type_equal (ts_type_element (pointer)->elems[0], ts_type_element (value)))
        return g_strdup ("the value must have the pointer's shape and element");
    }
  return check_access (op, ts_op_result_type (op, 0), ts_op_operand_type (op, n_values + 1));
}

/* --- conversions ----------------------------------------------------------------------------------------------------------- */

static char *
check_conversion (const TsOp *op, const TsType *integer, const TsType *pointer)
{
  if (!ts_ttir_is_open (integer) && !ts_ttir_is_scalar (ts_type_element (integer), TS_DTYPE_INT64))
    return g_strdup ("the integers must be i64");
  if (!ts_ttir_is_open (pointer) && ts_ttir_pointer_of (pointer) == NULL)
    return g_strdup ("the other side must be pointers");
  if (ts_ttir_is_open (integer) || ts_ttir_is_open (pointer) || ts_ttir_same_shape (integer, pointer))
    return NULL;
  return g_strdup ("the shape must stay");
}

char *
ts_ttir_check_int_to_ptr (const TsOp *op)
{
  return check_conversion (op, ts_op_operand_type (op, 0), ts_op_result_type (op, 0));
}

char *
ts_ttir_check_ptr_to_int (const TsOp *op)
{
  return check_conversion (op, ts_op_result_type (op, 0), ts_op_operand_type (op, 0));
}

/* Pointers become pointers, numbers become numbers; their widths are looked at with their classes. */
char *
ts_ttir_check_bitcast (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_result_type (op, 0);

  if (ts_ttir_is_open (from) || ts_ttir_is_open (to))
    return NULL;
  if ((ts_ttir_pointer_of (from) == NULL) != (ts_ttir_pointer_of (to) == NULL))
    return g_strdup ("pointers become pointers, numbers become numbers");
  return ts_ttir_same_shape (from, to) ? NULL : g_strdup ("the result must have the operand's shape");
}

/* --- block pointers -------------------------------------------------------------------------------------------------------- */

/* Operands `first` to first + n - 1 are numbers of this type. */
static gboolean
are_ints (const TsOp *op, guint first, guint n, TsDtype dtype)
{
  for (guint i = first; i < first + n; i++)
    if (!ts_ttir_is_open (ts_op_operand_type (op, i)) && !ts_ttir_is_scalar (ts_op_operand_type (op, i), dtype))
      return FALSE;
  return TRUE;
}

char *
ts_ttir_check_make_tensor_ptr (const TsOp *op)
{
  const TsType *base = ts_op_operand_type (op, 0), *block = block_of (ts_op_result_type (op, 0));
  guint rank = ts_ttir_rank (block);

  if (block == NULL)
    return g_strdup ("the result must be a pointer to a tensor");
  if (!ts_ttir_is_open (base)
      && (!ts_type_is (base, TS_TYPE_POINTER) || !ts_type_equal (base->elems[0], ts_type_element (block))))
    return g_strdup ("operand 0 must be a pointer to an element of the tensor");
  if (op->n_operands != 1 + 3 * rank)
    return g_strdup_printf ("%u extents, strides and offsets are needed, one each for every dimension", rank);
  if (!are_ints (op, 1, 2 * rank, TS_DTYPE_INT64))
    return g_strdup ("extents and strides must be i64");
  if (!are_ints (op, 1 + 2 * rank, rank, TS_DTYPE_INT32))
    return g_strdup ("offsets must be i32");
  return ts_ttir_is_choice (ts_op_attr (op, "order"), rank, ts_op_attr (op, "order") != NULL) ? NULL
                                                                  : g_strdup ("order must name every dimension once");
}

char *
ts_ttir_check_advance (const TsOp *op)
{
  const TsType *pointer = ts_op_operand_type (op, 0), *block = block_of (pointer);

  if (ts_ttir_is_open (pointer))
    return NULL;
  if (block == NULL)
    return g_strdup ("operand 0 must be a pointer to a tensor");
  if (!ts_type_equal (pointer, ts_op_result_type (op, 0)))
    return g_strdup ("the result must have the pointer's type");
  if (op->n_operands != 1 + ts_ttir_rank (block))
    return g_strdup_printf ("%u offsets are needed, one for every dimension", ts_ttir_rank (block));
  return are_ints (op, 1, ts_ttir_rank (block), TS_DTYPE_INT32) ? NULL : g_strdup ("offsets must be i32");
}
