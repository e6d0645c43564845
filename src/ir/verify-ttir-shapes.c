/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR: what operations ask of the shapes of their operands and results. Source: spec ttir section 7, 3 to 6 and 8 to 10. */
#include <string.h>

#include "base/number.h"
#include "ir/verify-ttir-private.h"

/* --- element-wise ---------------------------------------------------------------------------------------------------------- */

char *
ts_ttir_check_same (const TsOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!ts_ttir_is_open (ts_op_operand_type (op, i)) && !ts_type_equal (ts_op_operand_type (op, i), ts_op_result_type (op, 0)))
      return g_strdup_printf ("operand %u and the result must have one type", i);
  return NULL;
}

static char *
check_same_operands (const TsOp *op)
{
  if (!ts_ttir_is_open (ts_op_operand_type (op, 0)) && !ts_type_equal (ts_op_operand_type (op, 0), ts_op_operand_type (op, 1)))
    return g_strdup ("both operands must have one type");
  return ts_ttir_same_shape (ts_op_operand_type (op, 0), ts_op_result_type (op, 0)) ? NULL
                                                                            : g_strdup ("the result must have the operands' shape");
}

char *
ts_ttir_check_shape_kept (const TsOp *op)
{
  return ts_ttir_is_open (ts_op_operand_type (op, 0)) || ts_ttir_same_shape (ts_op_operand_type (op, 0), ts_op_result_type (op, 0))
             ? NULL
             : g_strdup ("the result must have the operand's shape");
}

char *
ts_ttir_check_select (const TsOp *op)
{
  const TsType *condition = ts_op_operand_type (op, 0);

  for (guint i = 1; i < 3; i++)
    if (!ts_ttir_is_open (ts_op_operand_type (op, i)) && !ts_type_equal (ts_op_operand_type (op, i), ts_op_result_type (op, 0)))
      return g_strdup ("both values and the result must have one type");
  if (!ts_ttir_is_open (condition) && !ts_ttir_is_scalar (ts_type_element (condition), TS_DTYPE_BOOL))
    return g_strdup ("the condition must be i1");
  if (ts_ttir_is_tensor (condition) && !ts_ttir_same_shape (condition, ts_op_result_type (op, 0)))
    return g_strdup ("the condition must have the values' shape");
  return NULL;
}

/* The predicate is a number of the table: from 0 to `highest`. */
static char *
check_predicate (const TsOp *op, gint64 highest)
{
  gint64 predicate;

  if (!ts_ttir_int_attr (op, "predicate", &predicate) || predicate < 0 || predicate > highest)
    return g_strdup_printf ("predicate must be a number from 0 to %" G_GINT64_FORMAT, highest);
  return check_same_operands (op);
}

char *
ts_ttir_check_cmpi (const TsOp *op)
{
  return check_predicate (op, 9);
}

char *
ts_ttir_check_cmpf (const TsOp *op)
{
  return check_predicate (op, 15);
}

static gboolean
is_index (const TsType *type)
{
  const TsType *element = ts_ttir_is_open (type) ? NULL : ts_type_element (type);

  return ts_ttir_is_scalar (element, TS_DTYPE_INDEX);
}

char *
ts_ttir_check_index_cast (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0);

  if (!ts_ttir_is_open (from) && is_index (from) == is_index (ts_op_result_type (op, 0)))
    return g_strdup ("one side must be index, the other integers of some width");
  return ts_ttir_check_shape_kept (op);
}

/* Both results, and the operands, are one type. */
char *
ts_ttir_check_wide_product (const TsOp *op)
{
  if (!ts_type_equal (ts_op_result_type (op, 0), ts_op_result_type (op, 1)))
    return g_strdup ("both results must have one type");
  return ts_ttir_check_same (op);
}

char *
ts_ttir_check_carry (const TsOp *op)
{
  const TsType *carry = ts_op_result_type (op, 1);

  if (!ts_ttir_same_shape (ts_op_result_type (op, 0), carry) || !ts_ttir_is_scalar (ts_type_element (carry), TS_DTYPE_BOOL))
    return g_strdup ("the second result must be i1 in the shape of the first");
  return ts_ttir_check_same (op);
}

/* All results have one shape, and some operand has it. */
char *
ts_ttir_check_elementwise (const TsOp *op)
{
  const TsType *shape = ts_op_result_type (op, 0);
  const TsExpr *attr = ts_op_attr (op, "pure");
  gboolean some = op->n_operands == 0;

  for (guint i = 1; i < op->n_results; i++)
    if (!ts_ttir_same_shape (shape, ts_op_result_type (op, i)))
      return g_strdup ("all results must have one shape");
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsType *type = ts_op_operand_type (op, i);

      some = some || ts_ttir_is_open (type) || ts_ttir_same_shape (type, shape);
    }
  if (attr != NULL && (attr->kind != TS_EXPR_INT || attr->dtype != TS_DTYPE_BOOL))
    return g_strdup ("pure must be true or false");
  return some ? NULL : g_strdup ("no operand has the results' shape");
}

/* --- constants ------------------------------------------------------------------------------------------------------------- */

/* Numbers of types that no table has: iN, and floats of other formats. */
static gboolean
is_number_text (const TsType *type)
{
  return type->kind == TS_TYPE_OPAQUE
         && ((type->text[0] == 'i' && g_ascii_isdigit (type->text[1])) || type->text[0] == 'f' || strcmp (type->text, "tf32") == 0);
}

char *
ts_ttir_check_constant (const TsOp *op)
{
  static const char *const elements[] = { "dense<", "dense_resource<", "sparse<" };
  const TsExpr *value = ts_op_attr (op, "value");
  const TsType *type = ts_op_result_type (op, 0);
  gboolean several = FALSE;

  if (value == NULL)
    return g_strdup ("a value is needed");
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    several = several || (value->kind == TS_EXPR_TEXT && g_str_has_prefix (value->text, elements[i]));
  several = several || (value->kind == TS_EXPR_LIST && value->raw != NULL && strcmp (value->raw, "dense") == 0);
  if (several && !ts_ttir_is_tensor (type) && !ts_type_is (type, TS_TYPE_OPAQUE))
    return g_strdup ("a dense value needs a tensor as its type");
  if (several || (value->kind == TS_EXPR_TEXT && value->text[0] == '#')) /* an alias, or an attribute of a dialect */
    return NULL;
  if (value->kind == TS_EXPR_INT || value->kind == TS_EXPR_FLOAT)
    return ts_ttir_is_scalar (type, (TsDtype) value->dtype) ? NULL : g_strdup ("the value must have the result's type");
  if (value->kind == TS_EXPR_TEXT && (g_ascii_isdigit (value->text[0]) || value->text[0] == '-'))
    return is_number_text (type) ? NULL : g_strdup ("a number needs an integer without sign in its type, or a float");
  return g_strdup ("the value must be a number or dense");
}

/* --- tensors --------------------------------------------------------------------------------------------------------------- */

/* `axis` in the generic form and the old one: 0 is x. */
char *
ts_ttir_check_program (const TsOp *op)
{
  gint64 axis;

  if (!ts_ttir_int_attr (op, "axis", &axis) || axis < 0 || axis > 2)
    return g_strdup ("axis must be 0, 1 or 2");
  return ts_ttir_is_scalar (ts_op_result_type (op, 0), TS_DTYPE_INT32) ? NULL : g_strdup ("the result must be i32");
}

char *
ts_ttir_check_make_range (const TsOp *op)
{
  const TsType *type = ts_op_result_type (op, 0);
  gint64 start, end, count;

  if (!ts_ttir_int_attr (op, "start", &start) || !ts_ttir_int_attr (op, "end", &end))
    return g_strdup ("start and end are needed");
  if (ts_ttir_rank (type) != 1 || type->dtype != TS_DTYPE_INT32)
    return g_strdup ("the result must be a tensor of rank 1 of i32");
  if (!ts_sub (end, start, &count) || count <= 0 || ts_ttir_extent (type, 0) != count)
    return g_strdup_printf ("the result must have end - start elements, from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, start,
                            end);
  return NULL;
}

char *
ts_ttir_check_splat (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_result_type (op, 0);

  if (!ts_ttir_is_tensor (to))
    return g_strdup ("the result must be a tensor");
  if (ts_ttir_is_open (from) || ts_type_equal (ts_type_element (to), from))
    return NULL;
  return g_strdup ("the result must be a tensor of the operand's type");
}

/* One tensor becomes another of the same elements. */
static char *
check_tensors (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_result_type (op, 0);

  if (!ts_ttir_is_tensor (to) || (!ts_ttir_is_open (from) && !ts_ttir_is_tensor (from)))
    return g_strdup ("operand and result must be tensors");
  return ts_ttir_is_open (from) || ts_type_equal (ts_type_element (from), ts_type_element (to)) ? NULL
                                                                                          : g_strdup ("the element type must stay");
}

char *
ts_ttir_check_expand_dims (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_result_type (op, 0);
  char *problem = check_tensors (op);
  gint64 axis;

  if (problem != NULL || ts_ttir_is_open (from))
    return problem;
  if (!ts_ttir_int_attr (op, "axis", &axis))
    return g_strdup ("axis is needed");
  if (ts_ttir_rank (to) != ts_ttir_rank (from) + 1 || axis < 0 || axis >= ts_ttir_rank (to))
    return g_strdup ("the result must have one more dimension, at axis");
  for (guint i = 0; i < ts_ttir_rank (to); i++)
    if (ts_ttir_extent (to, i) != (i == axis ? 1 : ts_ttir_extent (from, i - (i > axis))))
      return g_strdup ("the result must be the operand's shape with 1 at axis");
  return NULL;
}

char *
ts_ttir_check_broadcast (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_result_type (op, 0);

  char *problem = check_tensors (op);

  if (problem != NULL || ts_ttir_is_open (from))
    return problem;
  if (ts_ttir_rank (from) != ts_ttir_rank (to))
    return g_strdup ("the rank must stay");
  for (guint i = 0; i < ts_ttir_rank (to); i++)
    if (ts_ttir_extent (from, i) != ts_ttir_extent (to, i) && ts_ttir_extent (from, i) != 1)
      return g_strdup_printf ("dimension %u must be 1 or equal", i);
  return NULL;
}

static gint64
count (const TsType *type)
{
  gint64 n = 1;

  for (guint i = 0; i < ts_ttir_rank (type); i++)
    if (ts_ttir_extent (type, i) < 0 || __builtin_mul_overflow (n, ts_ttir_extent (type, i), &n))
      return -1;
  return n;
}

char *
ts_ttir_check_reshape (const TsOp *op)
{
  char *problem = check_tensors (op);

  if (problem != NULL || ts_ttir_is_open (ts_op_operand_type (op, 0)))
    return problem;
  return count (ts_op_operand_type (op, 0)) == count (ts_op_result_type (op, 0)) ? NULL
                                                                                 : g_strdup ("the number of elements must stay");
}

char *
ts_ttir_check_trans (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_result_type (op, 0);
  const TsExpr *order = ts_op_attr (op, "order");
  char *problem = check_tensors (op);

  if (problem != NULL || ts_ttir_is_open (from))
    return problem;
  if (ts_ttir_rank (to) != ts_ttir_rank (from) || !ts_ttir_is_choice (order, ts_ttir_rank (from), TRUE))
    return g_strdup ("order must name every dimension once");
  for (guint k = 0; k < order->n; k++)
    if (ts_ttir_extent (to, k) != ts_ttir_extent (from, (guint) order->list[k]->i))
      return g_strdup_printf ("dimension %u of the result must be dimension %" G_GINT64_FORMAT " of the operand", k,
                              order->list[k]->i);
  return NULL;
}

char *
ts_ttir_check_dot (const TsOp *op)
{
  const TsType *a = ts_op_operand_type (op, 0), *b = ts_op_operand_type (op, 1), *c = ts_op_operand_type (op, 2);
  guint rank = ts_ttir_rank (a);

  if (ts_ttir_is_open (a) || ts_ttir_is_open (b) || ts_ttir_is_open (c))
    return NULL;
  if (rank < 2 || ts_ttir_rank (b) != rank || ts_ttir_rank (c) != rank || !ts_type_equal (c, ts_op_result_type (op, 0)))
    return g_strdup ("operands and result must be tensors of one rank, at least 2");
  for (guint i = 0; i + 2 < rank; i++)
    if (ts_ttir_extent (a, i) != ts_ttir_extent (b, i) || ts_ttir_extent (a, i) != ts_ttir_extent (c, i))
      return g_strdup ("batch dimensions must agree");
  if (ts_ttir_extent (a, rank - 1) != ts_ttir_extent (b, rank - 2) || ts_ttir_extent (a, rank - 2) != ts_ttir_extent (c, rank - 2)
      || ts_ttir_extent (b, rank - 1) != ts_ttir_extent (c, rank - 1))
    return g_strdup ("shapes must be MxK, KxN and MxN");
  return NULL;
}

/* Regions of tt.reduce and tt.scan take two scalars for each operand: first all of one side, then all of the other. */
static char *
check_combiner (const TsOp *op)
{
  const TsBlock *body = ts_op_body (op, 0);

  if (op->n_results != op->n_operands || body->n_args != 2 * op->n_operands)
    return g_strdup ("one result and two region arguments are needed for each operand");
  for (guint i = 0; i < body->n_args; i++)
    {
      const TsType *operand = ts_op_operand_type (op, i % op->n_operands);

      if (!ts_ttir_is_open (operand) && !ts_type_equal (body->args[i]->type, ts_type_element (operand)))
        return g_strdup_printf ("region argument %u must have the element type of operand %u", i, i % op->n_operands);
    }
  return NULL;
}

/* Extents without `axis`; a scan keeps it. */
static gboolean
is_along (const TsType *from, const TsType *to, gint64 axis, gboolean keeps)
{
  if (keeps)
    return ts_ttir_same_shape (from, to);
  if (ts_ttir_rank (to) + 1 != ts_ttir_rank (from))
    return FALSE;
  for (guint i = 0; i < ts_ttir_rank (to); i++)
    if (ts_ttir_extent (to, i) != ts_ttir_extent (from, i + (i >= axis)))
      return FALSE;
  return TRUE;
}

static char *
check_along (const TsOp *op, gboolean keeps)
{
  const TsType *first = ts_op_operand_type (op, 0);
  char *problem;
  gint64 axis;

  if (ts_ttir_is_open (first))
    return NULL;
  if (!ts_ttir_int_attr (op, "axis", &axis) || axis < 0 || axis >= ts_ttir_rank (first))
    return g_strdup ("axis must be a dimension of the operand");
  problem = check_combiner (op);
  for (guint k = 0; k < op->n_operands && problem == NULL; k++)
    {
      const TsType *from = ts_op_operand_type (op, k), *to = ts_op_result_type (op, k);

      if (ts_ttir_is_open (from))
        continue;
      if (!ts_ttir_same_shape (from, first))
        problem = g_strdup ("all operands must have one shape");
      else if (!is_along (from, to, axis, keeps))
        problem = g_strdup (keeps ? "a scan keeps the shape" : "a reduction drops its axis");
      else if (!ts_type_equal (ts_type_element (from), ts_type_element (to)))
        problem = g_strdup ("the element type must stay");
    }
  return problem;
}

char *
ts_ttir_check_reduce (const TsOp *op)
{
  return check_along (op, FALSE);
}

char *
ts_ttir_check_scan (const TsOp *op)
{
  const TsExpr *reverse = ts_op_attr (op, "reverse");

  if (reverse != NULL && (reverse->kind != TS_EXPR_INT || reverse->dtype != TS_DTYPE_BOOL))
    return g_strdup ("reverse must be true or false");
  return check_along (op, TRUE);
}

/* --- several tensors of one ------------------------------------------------------------------------------------------------ */

/* join: a last dimension of 2; split: takes it away. */
static char *
check_joined (const TsType *part, const TsType *whole)
{
  if (ts_ttir_is_open (part) || ts_ttir_is_open (whole))
    return NULL;
  if (ts_ttir_rank (whole) != ts_ttir_rank (part) + 1 || ts_ttir_extent (whole, ts_ttir_rank (part)) != 2
      || !ts_type_equal (ts_type_element (part), ts_type_element (whole)))
    return g_strdup ("the joined tensor must have the parts' shape and a last dimension of 2");
  for (guint i = 0; i < ts_ttir_rank (part); i++)
    if (ts_ttir_extent (part, i) != ts_ttir_extent (whole, i))
      return g_strdup ("the joined tensor must have the parts' shape and a last dimension of 2");
  return NULL;
}

char *
ts_ttir_check_join (const TsOp *op)
{
  if (!ts_ttir_is_open (ts_op_operand_type (op, 0)) && !ts_type_equal (ts_op_operand_type (op, 0), ts_op_operand_type (op, 1)))
    return g_strdup ("both operands must have one type");
  return check_joined (ts_op_operand_type (op, 0), ts_op_result_type (op, 0));
}

char *
ts_ttir_check_split (const TsOp *op)
{
  if (!ts_type_equal (ts_op_result_type (op, 0), ts_op_result_type (op, 1)))
    return g_strdup ("both results must have one type");
  return check_joined (ts_op_result_type (op, 0), ts_op_operand_type (op, 0));
}

/* Along dimension 0. */
char *
ts_ttir_check_cat (const TsOp *op)
{
  const TsType *a = ts_op_operand_type (op, 0), *b = ts_op_operand_type (op, 1), *to = ts_op_result_type (op, 0);
  char *problem = check_tensors (op);
  gint64 both;

  if (problem != NULL || ts_ttir_is_open (a) || ts_ttir_is_open (b))
    return problem;
  if (ts_ttir_rank (a) == 0 || ts_ttir_rank (b) != ts_ttir_rank (a) || ts_ttir_rank (to) != ts_ttir_rank (a)
      || !ts_type_equal (ts_type_element (a), ts_type_element (b)))
    return g_strdup ("operands and result must have one rank, from 1, and one element type");
  if (!ts_add (ts_ttir_extent (a, 0), ts_ttir_extent (b, 0), &both) || ts_ttir_extent (to, 0) != both)
    return g_strdup ("dimension 0 of the result must hold those of both operands");
  for (guint i = 1; i < ts_ttir_rank (a); i++)
    if (ts_ttir_extent (a, i) != ts_ttir_extent (b, i) || ts_ttir_extent (to, i) != ts_ttir_extent (a, i))
      return g_strdup ("operands and result must agree in every dimension but 0");
  return NULL;
}

char *
ts_ttir_check_histogram (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *mask = ts_op_operand_type (op, 1), *to = ts_op_result_type (op, 0);

  if (ts_ttir_is_open (from))
    return NULL;
  if (ts_ttir_rank (from) != 1 || ts_ttir_rank (to) != 1)
    return g_strdup ("operand and result must be tensors of rank 1");
  return ts_ttir_is_open (mask) || (ts_ttir_same_shape (mask, from) && ts_ttir_is_scalar (ts_type_element (mask), TS_DTYPE_BOOL))
             ? NULL
             : g_strdup ("the mask must be i1 in the operand's shape");
}

char *
ts_ttir_check_gather (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *index = ts_op_operand_type (op, 1), *to = ts_op_result_type (op, 0);
  char *problem = check_tensors (op);
  gint64 axis;

  if (problem != NULL || ts_ttir_is_open (from) || ts_ttir_is_open (index))
    return problem;
  if (!ts_ttir_int_attr (op, "axis", &axis) || axis < 0 || axis >= ts_ttir_rank (from))
    return g_strdup ("axis must be a dimension of the operand");
  if (!ts_ttir_is_tensor (index) || !ts_dtype_is_integer ((TsDtype) ts_type_element (index)->dtype))
    return g_strdup ("the indices must be a tensor of integers");
  if (!ts_ttir_same_shape (index, to) || ts_ttir_rank (index) != ts_ttir_rank (from))
    return g_strdup ("the result must have the indices' shape, of the operand's rank");
  for (guint i = 0; i < ts_ttir_rank (from); i++)
    if (i != axis && ts_ttir_extent (from, i) != ts_ttir_extent (index, i))
      return g_strdup ("indices and operand must agree in every dimension but axis");
  return NULL;
}

/* --- slices ---------------------------------------------------------------------------------------------------------------- */

#define DYNAMIC G_MININT64 /* in the lists: the next operand says it */

static gint64
entry (const TsExpr *list, guint i)
{
  return list->list[i]->kind == TS_EXPR_INT ? list->list[i]->i : DYNAMIC;
}

/* Are these sizes the extents of the type? Dimensions of size 1 may be left out of it. */
static gboolean
are_extents (const TsExpr *sizes, const TsType *type)
{
  guint at = 0;

  for (guint i = 0; i < sizes->n; i++)
    {
      gint64 size = entry (sizes, i);

      if (at < ts_ttir_rank (type) && (size == DYNAMIC || ts_ttir_extent (type, at) == size))
        at++;
      else if (size != 1)
        return FALSE;
    }
  return at == ts_ttir_rank (type);
}

/* Does what is known of dimension i lie within `whole`? */
static gboolean
fits (gint64 offset, gint64 size, gint64 stride, gint64 whole)
{
  gint64 last;

  if ((offset != DYNAMIC && offset < 0) || (size != DYNAMIC && size < 0) || (stride != DYNAMIC && stride < 1))
    return FALSE;
  if (offset == DYNAMIC || size == DYNAMIC || stride == DYNAMIC || whole < 0 || size == 0)
    return offset == DYNAMIC || whole < 0 || offset <= whole;
  return ts_mul (size - 1, stride, &last) && ts_add (last, offset, &last) && last < whole;
}

/* `part` is the piece of `whole` that offsets, sizes and strides name. Operands from `first` on say what the lists do not. */
static char *
check_slice (const TsOp *op, const TsType *part, const TsType *whole, guint first)
{
  static const char *const keys[] = { "static_offsets", "static_sizes", "static_strides" };
  const TsExpr *lists[3];

  if (ts_ttir_is_open (part) || ts_ttir_is_open (whole))
    return NULL;
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      lists[k] = ts_op_attr (op, keys[k]);
      if (lists[k] == NULL || lists[k]->kind != TS_EXPR_LIST || lists[k]->n != ts_ttir_rank (whole))
        return g_strdup ("one offset, one size and one stride for each dimension are needed");
    }
  for (guint i = first; i < op->n_operands; i++)
    if (!ts_ttir_is_open (ts_op_operand_type (op, i)) && !ts_ttir_is_scalar (ts_op_operand_type (op, i), TS_DTYPE_INDEX))
      return g_strdup ("offsets, sizes and strides must be index");
  if (!ts_ttir_is_tensor (part) || !ts_type_equal (ts_type_element (part), ts_type_element (whole)))
    return g_strdup ("both tensors must have one element type");
  if (!are_extents (lists[1], part))
    return g_strdup ("the sizes must be the extents of the slice");
  for (guint i = 0; i < ts_ttir_rank (whole); i++)
    if (!fits (entry (lists[0], i), entry (lists[1], i), entry (lists[2], i), ts_ttir_extent (whole, i)))
      return g_strdup_printf ("dimension %u does not fit", i);
  return NULL;
}

char *
ts_ttir_check_insert_slice (const TsOp *op)
{
  const TsType *to = ts_op_operand_type (op, 1);

  if (!ts_ttir_is_open (to) && !ts_type_equal (to, ts_op_result_type (op, 0)))
    return g_strdup ("the result must have the destination's type");
  return check_slice (op, ts_op_operand_type (op, 0), to, 2);
}

char *
ts_ttir_check_extract_slice (const TsOp *op)
{
  return check_slice (op, ts_op_result_type (op, 0), ts_op_operand_type (op, 0), 1);
}

char *
ts_ttir_check_empty (const TsOp *op)
{
  const TsType *type = ts_op_result_type (op, 0);
  guint n = 0;

  if (!ts_ttir_is_tensor (type))
    return g_strdup ("the result must be a tensor");
  for (guint i = 0; i < ts_ttir_rank (type); i++)
    n += ts_ttir_extent (type, i) < 0;
  for (guint i = 0; i < op->n_operands; i++)
    if (!ts_ttir_is_open (ts_op_operand_type (op, i)) && !ts_ttir_is_scalar (ts_op_operand_type (op, i), TS_DTYPE_INDEX))
      return g_strdup ("extents must be index");
  return n == op->n_operands ? NULL : g_strdup_printf ("%u extents are given for %u that the type leaves open", op->n_operands, n);
}
