/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR: what each operation asks of its types, and the structure of functions. Source: spec ttir section 7. */
#include "ir/verify-ttir.h"

#include <string.h>

#include "base/number.h"
#include "ir/dominance.h"
#include "ir/op-info.h"
#include "ir/verify-private.h"

/* --- types ----------------------------------------------------------------------------------------------------------------- */

static gboolean
is_opaque (const TsType *type)
{
  return type == NULL || type->kind == TS_TYPE_OPAQUE;
}

static guint
rank_of (const TsType *type)
{
  return ts_type_is (type, TS_TYPE_RANKED) ? type->rank : 0;
}

static gint64
extent (const TsType *type, guint i)
{
  return type->dims[i]->i;
}

static gboolean
same_shape (const TsType *a, const TsType *b)
{
  if (rank_of (a) != rank_of (b) || ts_type_is (a, TS_TYPE_RANKED) != ts_type_is (b, TS_TYPE_RANKED))
    return FALSE;
  for (guint i = 0; i < rank_of (a); i++)
    if (extent (a, i) != extent (b, i))
      return FALSE;
  return TRUE;
}

static gboolean
int_attr (const TsOp *op, const char *key, gint64 *out)
{
  const TsExpr *value = ts_op_attr (op, key);

  if (value == NULL || value->kind != TS_EXPR_INT)
    return FALSE;
  *out = value->i;
  return TRUE;
}

typedef enum { CLASS_NOTHING, CLASS_BOOL, CLASS_INTEGER, CLASS_PLAIN_INTEGER, CLASS_FLOAT, CLASS_NUMBER } ElementClass;
typedef enum { WIDTH_ANY, WIDTH_WIDER, WIDTH_NARROWER, WIDTH_EQUAL } WidthRule;

static const struct
{
  const char *what;
} classes[] = { [CLASS_BOOL] = { "i1" },
                [CLASS_INTEGER] = { "integers" },
                [CLASS_PLAIN_INTEGER] = { "integers of some width" },
                [CLASS_FLOAT] = { "floating point" },
                [CLASS_NUMBER] = { "numbers" } };

static const struct
{
  TsOpCode     first, last;
  ElementClass operands, result;
  WidthRule    widths;
} element_rules[] = {
#define TS_TTIR_TYPES(first, last, operands, result, widths)                                                                       \
  { TS_OP_##first, TS_OP_##last, CLASS_##operands, CLASS_##result, WIDTH_##widths },
#include "ir/types-ttir.def"
#undef TS_TTIR_TYPES
};

/* The scalar that a type consists of; NULL: nobody knows, or it is none. */
static const TsType *
scalar_of (const TsType *type)
{
  const TsType *element = is_opaque (type) ? NULL : ts_type_element (type);

  return element != NULL && element->kind == TS_TYPE_SCALAR ? element : NULL;
}

static gboolean
is_of_class (const TsType *type, ElementClass class)
{
  const TsType *element = is_opaque (type) ? NULL : ts_type_element (type), *scalar = scalar_of (type);
  TsDtype dtype;

  if (class == CLASS_NOTHING || element == NULL || is_opaque (element))
    return TRUE;
  if (scalar == NULL)
    return element->kind != TS_TYPE_POINTER && element->kind != TS_TYPE_RANKED;
  dtype = (TsDtype) scalar->dtype;
  switch (class)
    {
    case CLASS_BOOL: return dtype == TS_DTYPE_BOOL;
    case CLASS_INTEGER: return dtype == TS_DTYPE_BOOL || ts_dtype_is_integer (dtype);
    case CLASS_PLAIN_INTEGER: return dtype == TS_DTYPE_BOOL || (ts_dtype_is_integer (dtype) && dtype != TS_DTYPE_INDEX);
    case CLASS_FLOAT: return ts_dtype_is_float (dtype);
    case CLASS_NUMBER:
    case CLASS_NOTHING: break;
    }
  return TRUE;
}

/* --- one check per group; each returns NULL or a new sentence -------------------------------------------------------------- */

static char *
check_same (const TsOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!is_opaque (ts_op_operand_type (op, i)) && !ts_type_equal (ts_op_operand_type (op, i), ts_op_result_type (op, 0)))
      return g_strdup_printf ("operand %u and the result must have one type", i);
  return NULL;
}

static char *
check_same_operands (const TsOp *op)
{
  if (!is_opaque (ts_op_operand_type (op, 0)) && !ts_type_equal (ts_op_operand_type (op, 0), ts_op_operand_type (op, 1)))
    return g_strdup ("both operands must have one type");
  return same_shape (ts_op_operand_type (op, 0), ts_op_result_type (op, 0)) ? NULL
                                                                            : g_strdup ("the result must have the operands' shape");
}

static char *
check_shape_kept (const TsOp *op)
{
  return is_opaque (ts_op_operand_type (op, 0)) || same_shape (ts_op_operand_type (op, 0), ts_op_result_type (op, 0))
             ? NULL
             : g_strdup ("the result must have the operand's shape");
}

static char *
check_select (const TsOp *op)
{
  const TsType *condition = ts_op_operand_type (op, 0);

  for (guint i = 1; i < 3; i++)
    if (!is_opaque (ts_op_operand_type (op, i)) && !ts_type_equal (ts_op_operand_type (op, i), ts_op_result_type (op, 0)))
      return g_strdup ("both values and the result must have one type");
  if (rank_of (condition) > 0 && !same_shape (condition, ts_op_result_type (op, 0)))
    return g_strdup ("the condition must have the values' shape");
  return NULL;
}

static char *
check_make_range (const TsOp *op)
{
  const TsType *type = ts_op_result_type (op, 0);
  gint64 start, end, count;

  if (!int_attr (op, "start", &start) || !int_attr (op, "end", &end))
    return g_strdup ("start and end are needed");
  if (rank_of (type) != 1 || type->dtype != TS_DTYPE_INT32)
    return g_strdup ("the result must be a tensor of rank 1 of i32");
  if (!ts_sub (end, start, &count) || count <= 0 || extent (type, 0) != count)
    return g_strdup_printf ("the result must have end - start elements, from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, start,
                            end);
  return NULL;
}

static char *
check_splat (const TsOp *op)
{
  return ts_type_equal (ts_type_element (ts_op_result_type (op, 0)), ts_op_operand_type (op, 0))
                 || is_opaque (ts_op_operand_type (op, 0))
             ? NULL
             : g_strdup ("the result must be a tensor of the operand's type");
}

static char *
check_expand_dims (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_result_type (op, 0);
  gint64 axis;

  if (!int_attr (op, "axis", &axis))
    return g_strdup ("axis is needed");
  if (rank_of (to) != rank_of (from) + 1 || axis < 0 || axis >= rank_of (to))
    return g_strdup ("the result must have one more dimension, at axis");
  for (guint i = 0; i < rank_of (to); i++)
    if (extent (to, i) != (i == axis ? 1 : extent (from, i - (i > axis))))
      return g_strdup ("the result must be the operand's shape with 1 at axis");
  return ts_type_equal (ts_type_element (from), ts_type_element (to)) ? NULL : g_strdup ("the element type must stay");
}

static char *
check_broadcast (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_result_type (op, 0);

  if (rank_of (from) != rank_of (to) || !ts_type_equal (ts_type_element (from), ts_type_element (to)))
    return g_strdup ("rank and element type must stay");
  for (guint i = 0; i < rank_of (to); i++)
    if (extent (from, i) != extent (to, i) && extent (from, i) != 1)
      return g_strdup_printf ("dimension %u must be 1 or equal", i);
  return NULL;
}

static gint64
count (const TsType *type)
{
  gint64 n = 1;

  for (guint i = 0; i < rank_of (type); i++)
    if (extent (type, i) < 0 || __builtin_mul_overflow (n, extent (type, i), &n))
      return -1;
  return n;
}

static char *
check_reshape (const TsOp *op)
{
  return count (ts_op_operand_type (op, 0)) == count (ts_op_result_type (op, 0)) ? NULL
                                                                                 : g_strdup ("the number of elements must stay");
}

static char *
check_trans (const TsOp *op)
{
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_result_type (op, 0);
  const TsExpr *order = ts_op_attr (op, "order");
  guint64 seen = 0;

  if (order == NULL || order->kind != TS_EXPR_LIST || order->n != rank_of (from) || rank_of (to) != rank_of (from) || order->n > 63)
    return g_strdup ("order must name every dimension once");
  for (guint k = 0; k < order->n; k++)
    {
      gint64 axis = order->list[k]->i;

      if (axis < 0 || axis >= order->n || (seen & (G_GUINT64_CONSTANT (1) << axis)) != 0)
        return g_strdup ("order must be a permutation");
      seen |= G_GUINT64_CONSTANT (1) << axis;
      if (extent (to, k) != extent (from, (guint) axis))
        return g_strdup_printf ("dimension %u of the result must be dimension %" G_GINT64_FORMAT " of the operand", k, axis);
    }
  return NULL;
}

static char *
check_addptr (const TsOp *op)
{
  const TsType *pointer = ts_op_operand_type (op, 0);

  if (ts_type_element (pointer) == NULL || ts_type_element (pointer)->kind != TS_TYPE_POINTER)
    return is_opaque (pointer) ? NULL : g_strdup ("operand 0 must be a pointer");
  if (!same_shape (pointer, ts_op_operand_type (op, 1)))
    return g_strdup ("pointer and offset must have one shape");
  if (!is_of_class (ts_op_operand_type (op, 1), CLASS_INTEGER))
    return g_strdup ("the offset must be integers");
  return ts_type_equal (pointer, ts_op_result_type (op, 0)) ? NULL : g_strdup ("the result must have the pointer's type");
}

static gboolean
is_mask_of (const TsType *mask, const TsType *pointer)
{
  return ts_type_is_unknown (mask) || (same_shape (pointer, mask) && ts_type_element (mask)->dtype == TS_DTYPE_BOOL);
}

/* What lies behind a pointer: element type of the access; block pointers point to whole tensors. */
static char *
check_access (const TsOp *op, const TsType *value, guint mask)
{
  const TsType *pointer = ts_op_operand_type (op, 0);

  if (is_opaque (pointer))
    return NULL;
  if (ts_type_element (pointer)->kind != TS_TYPE_POINTER)
    return g_strdup ("operand 0 must be a pointer");
  if (rank_of (pointer) == 0 && pointer->elems[0]->kind == TS_TYPE_RANKED)
    return ts_type_is_unknown (value) || ts_type_equal (pointer->elems[0], value)
               ? NULL
               : g_strdup ("the value must be what the pointer points to");
  if (!ts_type_is_unknown (value)
      && (!same_shape (pointer, value) || !ts_type_equal (ts_type_element (pointer)->elems[0], ts_type_element (value))))
    return g_strdup ("the value must have the pointer's shape and element");
  return is_mask_of (ts_op_operand_type (op, mask), pointer) ? NULL : g_strdup ("the mask must be i1 in the pointer's shape");
}

static char *
check_load (const TsOp *op)
{
  char *problem = check_access (op, ts_op_result_type (op, 0), 1);
  const TsType *other = ts_op_operand_type (op, 2);

  if (problem == NULL && !ts_type_is_unknown (other) && !ts_type_equal (other, ts_op_result_type (op, 0)))
    problem = g_strdup ("the value for masked lanes must have the result's type");
  return problem;
}

static char *
check_store (const TsOp *op)
{
  return check_access (op, ts_op_operand_type (op, 1), 2);
}

static char *
check_dot (const TsOp *op)
{
  const TsType *a = ts_op_operand_type (op, 0), *b = ts_op_operand_type (op, 1), *c = ts_op_operand_type (op, 2);
  guint rank = rank_of (a);

  if (rank < 2 || rank_of (b) != rank || rank_of (c) != rank || !ts_type_equal (c, ts_op_result_type (op, 0)))
    return g_strdup ("operands and result must be tensors of one rank, at least 2");
  for (guint i = 0; i + 2 < rank; i++)
    if (extent (a, i) != extent (b, i) || extent (a, i) != extent (c, i))
      return g_strdup ("batch dimensions must agree");
  if (extent (a, rank - 1) != extent (b, rank - 2) || extent (a, rank - 2) != extent (c, rank - 2)
      || extent (b, rank - 1) != extent (c, rank - 1))
    return g_strdup ("shapes must be MxK, KxN and MxN");
  return NULL;
}

static char *
check_reduce (const TsOp *op)
{
  gint64 axis;
  gboolean scan = op->code == TS_OP_TT_SCAN;

  if (!int_attr (op, "axis", &axis) || axis < 0 || axis >= rank_of (ts_op_operand_type (op, 0)))
    return g_strdup ("axis must be a dimension of the operand");
  if (op->n_results != op->n_operands || op->n_regions != 1 || ts_op_body (op, 0)->n_args != 2 * op->n_operands)
    return g_strdup ("one result and two region arguments are needed for each operand");
  for (guint k = 0; k < op->n_operands; k++)
    {
      const TsType *from = ts_op_operand_type (op, k), *to = ts_op_result_type (op, k);

      if (scan ? !same_shape (from, to) : rank_of (to) + 1 != rank_of (from))
        return g_strdup (scan ? "a scan keeps the shape" : "a reduction drops its axis");
      for (guint i = 0; !scan && i < rank_of (to); i++)
        if (extent (to, i) != extent (from, i + (i >= axis)))
          return g_strdup ("a reduction drops its axis");
    }
  return NULL;
}

/* The element that lies behind a pointer must be that of each value. */
static char *
check_atomic (const TsOp *op)
{
  const TsType *pointer = ts_op_operand_type (op, 0);
  guint n_values = op->code == TS_OP_TT_ATOMIC_CAS ? 2 : 1;

  for (guint i = 1; i <= n_values; i++)
    {
      const TsType *value = ts_op_operand_type (op, i);

      if (is_opaque (pointer) || is_opaque (value))
        continue;
      if (ts_type_element (pointer)->kind != TS_TYPE_POINTER)
        return g_strdup ("operand 0 must be a pointer");
      if (!same_shape (pointer, value) || !ts_type_equal (ts_type_element (pointer)->elems[0], ts_type_element (value)))
        return g_strdup ("the value must have the pointer's shape and element");
    }
  return check_access (op, ts_op_result_type (op, 0), n_values + 1);
}

/* join: a last dimension of 2; split: takes it away; cat: along dimension 0. */
static char *
check_joined (const TsType *part, const TsType *whole)
{
  if (is_opaque (part) || is_opaque (whole))
    return NULL;
  if (rank_of (whole) != rank_of (part) + 1 || extent (whole, rank_of (part)) != 2
      || !ts_type_equal (ts_type_element (part), ts_type_element (whole)))
    return g_strdup ("the joined tensor must have the parts' shape and a last dimension of 2");
  for (guint i = 0; i < rank_of (part); i++)
    if (extent (part, i) != extent (whole, i))
      return g_strdup ("the joined tensor must have the parts' shape and a last dimension of 2");
  return NULL;
}

static char *
check_join (const TsOp *op)
{
  return check_joined (ts_op_operand_type (op, 0), ts_op_result_type (op, 0));
}

static char *
check_split (const TsOp *op)
{
  return check_joined (ts_op_result_type (op, 0), ts_op_operand_type (op, 0));
}

static char *
check_insert_slice (const TsOp *op)
{
  const TsExpr *sizes = ts_op_attr (op, "static_sizes"), *offsets = ts_op_attr (op, "static_offsets");
  const TsType *from = ts_op_operand_type (op, 0), *to = ts_op_operand_type (op, 1);

  if (sizes == NULL || offsets == NULL || sizes->kind != TS_EXPR_LIST || offsets->kind != TS_EXPR_LIST || sizes->n != rank_of (to)
      || offsets->n != rank_of (to) || rank_of (from) != rank_of (to) || !ts_type_equal (to, ts_op_result_type (op, 0)))
    return g_strdup ("one offset and one size for each dimension are needed");
  for (guint i = 0; i < sizes->n; i++)
    {
      gint64 size = sizes->list[i]->i, offset = offsets->list[i]->i, end;

      if (size == G_MININT64)
        continue;
      if (size != extent (from, i))
        return g_strdup_printf ("size %u must be the source's extent", i);
      if (offset != G_MININT64
          && (offset < 0 || __builtin_add_overflow (offset, size, &end) || (extent (to, i) >= 0 && end > extent (to, i))))
        return g_strdup_printf ("dimension %u does not fit", i);
    }
  return NULL;
}

typedef char *(*CheckFunction) (const TsOp *op);

static CheckFunction
check_of (TsOpCode code)
{
  switch ((int) code)
    {
    case TS_OP_TT_MAKE_RANGE: return check_make_range;
    case TS_OP_TT_SPLAT: return check_splat;
    case TS_OP_TT_EXPAND_DIMS: return check_expand_dims;
    case TS_OP_TT_BROADCAST: return check_broadcast;
    case TS_OP_TT_RESHAPE: return check_reshape;
    case TS_OP_TT_TRANS: return check_trans;
    case TS_OP_TT_ADDPTR: return check_addptr;
    case TS_OP_TT_LOAD: return check_load;
    case TS_OP_TT_STORE: return check_store;
    case TS_OP_TT_DOT: return check_dot;
    case TS_OP_TT_REDUCE:
    case TS_OP_TT_SCAN: return check_reduce;
    case TS_OP_TT_ATOMIC_RMW:
    case TS_OP_TT_ATOMIC_CAS: return check_atomic;
    case TS_OP_TT_JOIN: return check_join;
    case TS_OP_TT_SPLIT: return check_split;
    case TS_OP_TENSOR_INSERT_SLICE: return check_insert_slice;
    case TS_OP_ARITH_SELECT: return check_select;
    case TS_OP_ARITH_CMPI:
    case TS_OP_ARITH_CMPF: return check_same_operands;
    default: break;
    }
  if (code >= TS_OP_ARITH_EXTSI && code <= TS_OP_ARITH_INDEX_CASTUI)
    return check_shape_kept;
  if ((code >= TS_OP_ARITH_ADDI && code <= TS_OP_ARITH_NEGF) || (code >= TS_OP_MATH_ABSF && code <= TS_OP_MATH_FMA)
      || code == TS_OP_TT_CLAMPF || code == TS_OP_TT_PRECISE_SQRT || code == TS_OP_TT_PRECISE_DIVF || code == TS_OP_TT_MULHIUI)
    return check_same;
  return NULL;
}

static char *
check_own (const TsOp *op)
{
  CheckFunction check = check_of ((TsOpCode) op->code);

  if (check == NULL || op->n_operands < ts_op_info ((TsOpCode) op->code)->min_args)
    return NULL;
  if (op->n_results == 0 && op->code != TS_OP_TT_STORE)
    return g_strdup ("a result is needed");
  return check (op);
}

/* --- elements and results -------------------------------------------------------------------------------------------------- */

static gboolean
widths_fit (const TsOp *op, WidthRule rule)
{
  const TsType *from = scalar_of (ts_op_operand_type (op, 0)), *to = scalar_of (ts_op_result_type (op, 0));
  guint before, after;

  if (from == NULL || to == NULL)
    return TRUE;
  before = from->dtype == TS_DTYPE_BOOL ? 1 : ts_dtype_bits ((TsDtype) from->dtype);
  after = to->dtype == TS_DTYPE_BOOL ? 1 : ts_dtype_bits ((TsDtype) to->dtype);
  switch (rule)
    {
    case WIDTH_WIDER: return after > before;
    case WIDTH_NARROWER: return after < before;
    case WIDTH_EQUAL: return after == before;
    case WIDTH_ANY: break;
    }
  return TRUE;
}

static char *
check_elements (const TsOp *op)
{
  static const char *const widths[] = { "", "wider than", "narrower than", "as wide as" };

  for (guint i = 0; i < G_N_ELEMENTS (element_rules); i++)
    {
      if (op->code < element_rules[i].first || op->code > element_rules[i].last)
        continue;
      for (guint k = 0; k < op->n_operands; k++)
        if (!is_of_class (ts_op_operand_type (op, k), element_rules[i].operands))
          return g_strdup_printf ("operand %u must be %s", k, classes[element_rules[i].operands].what);
      if (op->n_results > 0 && !is_of_class (ts_op_result_type (op, 0), element_rules[i].result))
        return g_strdup_printf ("the result must be %s", classes[element_rules[i].result].what);
      if (op->n_results > 0 && !widths_fit (op, element_rules[i].widths))
        return g_strdup_printf ("the result must be %s the operand", widths[element_rules[i].widths]);
    }
  return NULL;
}

/* How many results an operation of this table has; -1: that depends. */
static gint
result_count (TsOpCode code)
{
  if (code == TS_OP_TT_SPLIT || (code >= TS_OP_ARITH_MULUI_EXTENDED && code <= TS_OP_ARITH_ADDUI_EXTENDED))
    return 2;
  if (code == TS_OP_ARITH_CONSTANT || code == TS_OP_TT_GET_PROGRAM_ID || code == TS_OP_TT_GET_NUM_PROGRAMS)
    return 1;
  if (code >= TS_OP_ARITH_ADDI && code <= TS_OP_TT_LOAD)
    return 1;
  return code == TS_OP_TT_STORE || code == TS_OP_TT_ASSERT || code == TS_OP_TT_PRINT ? 0 : -1;
}

static char *
check_result_count (const TsOp *op)
{
  gint n = result_count ((TsOpCode) op->code);

  return n < 0 || op->n_results == (guint) n
             ? NULL
             : g_strdup_printf ("%d result%s expected, not %u", n, n == 1 ? " is" : "s are", op->n_results);
}

char *
ts_ttir_check_op (const TsOp *op)
{
  char *problem = check_result_count (op);

  if (problem == NULL)
    problem = check_elements (op);
  return problem != NULL ? problem : check_own (op);
}

/* --- structure ------------------------------------------------------------------------------------------------------------- */

/* Where a terminator may stand: in a region of this operation; TS_OP_UNKNOWN: of the function itself. */
static const struct
{
  TsOpCode    terminator, parents[3];
  guint       n_parents;
  const char *where;
} places[] = {
  { TS_OP_RETURN, { TS_OP_UNKNOWN }, 1, "a function" },
  { TS_OP_YIELD, { TS_OP_FOR, TS_OP_IF, TS_OP_SCF_WHILE }, 3, "scf.for, scf.if or scf.while" },
  { TS_OP_SCF_CONDITION, { TS_OP_SCF_WHILE }, 1, "scf.while" },
  { TS_OP_TT_REDUCE_RETURN, { TS_OP_TT_REDUCE }, 1, "tt.reduce" },
  { TS_OP_TT_SCAN_RETURN, { TS_OP_TT_SCAN }, 1, "tt.scan" },
};

static gboolean
check_place (TsVerifier *verifier, const TsOp *op)
{
  const TsOp *parent = ts_op_parent (op);
  TsOpCode code = parent != NULL ? (TsOpCode) parent->code : TS_OP_UNKNOWN;
  gboolean right = parent != NULL && code == TS_OP_UNKNOWN; /* nobody knows what may stand there */

  for (guint i = 0; i < G_N_ELEMENTS (places) && !right; i++)
    {
      if (places[i].terminator != op->code)
        continue;
      for (guint k = 0; k < places[i].n_parents; k++)
        right = right || places[i].parents[k] == code;
      /* Of the two regions of scf.while the first ends with a condition, the second with a yield. */
      if (right && code == TS_OP_SCF_WHILE)
        right = (op->block->region == &parent->regions[0]) == (op->code == TS_OP_SCF_CONDITION);
      if (!right)
        ts_verifier_error (verifier, op, "terminator", "%s ends a block of %s", op->name, places[i].where);
      return right;
    }
  return TRUE;
}

/* The types a terminator must hand on, from operand *first on. NULL: nothing is asked. Free with g_ptr_array_unref. */
static GPtrArray *
expected_types (const TsFunction *function, const TsOp *op, guint *first)
{
  const TsOp *parent = ts_op_parent (op);
  GPtrArray *types = g_ptr_array_new ();

  *first = 0;
  switch ((int) op->code)
    {
    case TS_OP_RETURN:
      for (guint i = 0; i < function->n_returns; i++)
        g_ptr_array_add (types, (gpointer) function->returns[i]);
      return types;
    case TS_OP_YIELD:
      if (parent->code == TS_OP_SCF_WHILE)
        for (guint i = 0; i < parent->n_operands; i++)
          g_ptr_array_add (types, (gpointer) ts_op_operand_type (parent, i));
      else
        for (guint i = 0; i < parent->n_results; i++)
          g_ptr_array_add (types, (gpointer) parent->results[i]->type);
      return types;
    case TS_OP_SCF_CONDITION:
      *first = 1;
      for (guint i = 0; i < parent->n_results; i++)
        g_ptr_array_add (types, (gpointer) parent->results[i]->type);
      return types;
    case TS_OP_TT_REDUCE_RETURN:
    case TS_OP_TT_SCAN_RETURN:
      for (guint i = 0; i < parent->n_operands; i++)
        g_ptr_array_add (types, (gpointer) ts_type_element (ts_op_operand_type (parent, i)));
      return types;
    default:
      g_ptr_array_unref (types);
      return NULL;
    }
}

static void
check_handed_on (TsVerifier *verifier, const TsOp *op, guint first, guint n, const TsType *const *types, guint n_types)
{
  if (n != n_types)
    {
      ts_verifier_error (verifier, op, "terminator", "%u values are handed on where %u are expected", n, n_types);
      return;
    }
  for (guint i = 0; i < n; i++)
    if (!is_opaque (ts_op_operand_type (op, first + i)) && types[i] != NULL && !is_opaque (types[i])
        && !ts_type_equal (ts_op_operand_type (op, first + i), types[i]))
      ts_verifier_error (verifier, op, "terminator", "value %u has another type than what is around it expects", i);
}

/* Operands of a branch against the arguments of its target. */
static void
check_branch (TsVerifier *verifier, const TsOp *op)
{
  const TsExpr *sizes = ts_op_attr (op, "operandSegmentSizes");
  guint first = op->code == TS_OP_CF_COND_BR ? 1 : 0, n_true = op->n_operands - first;

  if (op->code == TS_OP_CF_COND_BR)
    n_true = sizes != NULL && sizes->kind == TS_EXPR_LIST && sizes->n == 3
                 ? (guint) CLAMP (sizes->list[1]->i, 0, (gint64) op->n_operands - 1)
                 : 0;
  for (guint s = 0; s < op->n_successors; s++)
    {
      const TsBlock *target = op->successors[s];
      guint n = s == 0 ? n_true : op->n_operands - first - n_true;
      g_autofree const TsType **types = g_new (const TsType *, MAX (target->n_args, 1u));

      for (guint i = 0; i < target->n_args; i++)
        types[i] = target->args[i]->type;
      check_handed_on (verifier, op, first + (s == 0 ? 0 : n_true), n, types, target->n_args);
    }
}

static void
check_terminator (TsVerifier *verifier, const TsOp *op)
{
  g_autoptr (GPtrArray) types = NULL;
  const TsOp *parent = ts_op_parent (op);
  guint first;

  if (op->code == TS_OP_CF_BR || op->code == TS_OP_CF_COND_BR)
    check_branch (verifier, op);
  if (!check_place (verifier, op) || (parent != NULL && parent->code == TS_OP_UNKNOWN))
    return;
  types = expected_types (verifier->function, op, &first);
  if (types != NULL)
    check_handed_on (verifier, op, first, op->n_operands - MIN (first, op->n_operands), (const TsType *const *) types->pdata,
                     types->len);
}

typedef struct
{
  TsVerifier        *verifier;
  TsDominance *dominance;
} Walk;

typedef struct
{
  Walk       *walk;
  const TsOp *op;
} Use;

static void
check_use (TsValue *value, gpointer data)
{
  const Use *use = data;

  if (!ts_dominance_value (use->walk->dominance, value, use->op))
    ts_verifier_error (use->walk->verifier, use->op, "dominance", "'%%%s' is used where it is not defined yet", value->hint);
}

static void
check_block (TsVerifier *verifier, const TsBlock *block)
{
  const TsOp *owner = block->region->op;

  if (block->last == NULL || !ts_op_is_terminator (block->last))
    {
      /* Regions of operations that no table knows may end as they like, and what no table knows may end a block. */
      if (ts_op_is (block->last, TS_OP_UNKNOWN))
        return;
      if (owner == NULL || owner->code != TS_OP_UNKNOWN)
        ts_verifier_error (verifier, block->last != NULL ? block->last : owner, "terminator", "a block must end with a terminator");
    }
  for (const TsOp *op = block->first; op != NULL && op->next != NULL; op = op->next)
    if (ts_op_is_terminator (op))
      ts_verifier_error (verifier, op, "terminator", "nothing may follow a terminator");
}

static gboolean
check_op (TsOp *op, gpointer data)
{
  Walk *walk = data;
  Use use = { walk, op };
  g_autofree char *problem = ts_ttir_check_op (op);

  if (problem != NULL)
    ts_verifier_error (walk->verifier, op, "type", "%s: %s", op->name, problem);
  if (op->code == TS_OP_IF && op->n_results > 0 && op->n_regions < 2)
    ts_verifier_error (walk->verifier, op, "type", "scf.if: with results both arms are needed");
  ts_op_foreach_use (op, check_use, &use);
  if (ts_op_is_terminator (op))
    check_terminator (walk->verifier, op);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      check_block (walk->verifier, op->regions[r].blocks[b]);
  return TRUE;
}

static void
check_call (TsVerifier *verifier, const TsOp *op)
{
  const TsFunction *callee = ts_module_find_function (verifier->module, op->name);

  if (callee == NULL || callee->part != verifier->function->part)
    ts_verifier_error (verifier, op, "undefined-function", "function '@%s' is not defined", op->name);
  else if (callee->n_params != op->n_operands || callee->n_returns != op->n_results)
    ts_verifier_error (verifier, op, "call", "'@%s' has another signature", op->name);
  else
    {
      for (guint i = 0; i < op->n_operands; i++)
        if (!is_opaque (ts_op_operand_type (op, i)) && !ts_type_equal (ts_op_operand_type (op, i), callee->params[i]->type))
          ts_verifier_error (verifier, op, "call", "argument %u of '@%s' has another type", i, op->name);
      for (guint i = 0; i < op->n_results; i++)
        if (!ts_type_equal (op->results[i]->type, callee->returns[i]))
          ts_verifier_error (verifier, op, "call", "result %u of '@%s' has another type", i, op->name);
    }
}

static gboolean
check_calls (TsOp *op, gpointer data)
{
  if (op->code == TS_OP_CALL)
    check_call (data, op);
  return TRUE;
}

void
ts_verify_ttir (TsVerifier *verifier)
{
  const TsFunction *function = verifier->function;
  g_autoptr (TsDominance) dominance = NULL;
  Walk walk = { .verifier = verifier };

  if (verifier->module->language != TS_LANGUAGE_TTIR || ts_function_block (function)->first == NULL)
    return;
  dominance = ts_dominance_new (function);
  walk.dominance = dominance;
  for (guint b = 0; b < function->body.n_blocks; b++)
    check_block (verifier, function->body.blocks[b]);
  ts_region_walk ((TsRegion *) &function->body, check_op, &walk);
  ts_region_walk ((TsRegion *) &function->body, check_calls, verifier);
}
