/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants and what works on each lane alone. */
#include <math.h>
#include <string.h>

#include "toy-private.h"

/* --- integers -------------------------------------------------------------------------------------------------------------- */

/* Division by zero, which the language leaves open, gives zero. */
static gint64
divide (gint64 x, gint64 y)
{
  return y == 0 ? 0 : y == -1 ? (gint64) (0 - (guint64) x) : x / y;
}

static gboolean
integer_binary (guint code, ToyElement e, guint64 x, guint64 y, guint64 *out)
{
  gint64 a = toy_signed (e, x), b = toy_signed (e, y);

  switch (code)
    {
    case TS_OP_ARITH_ADDI: *out = x + y; return TRUE;
    case TS_OP_ARITH_SUBI: *out = x - y; return TRUE;
    case TS_OP_ARITH_MULI: *out = x * y; return TRUE;
    case TS_OP_ARITH_SHLI: *out = y < e.bits ? x << y : 0; return TRUE;
    case TS_OP_ARITH_SHRUI: *out = y < e.bits ? x >> y : 0; return TRUE;
    case TS_OP_ARITH_SHRSI: *out = (guint64) (a >> MIN (y, 63)); return TRUE;
    case TS_OP_ARITH_DIVSI: *out = (guint64) divide (a, b); return TRUE;
    case TS_OP_ARITH_DIVUI: *out = y != 0 ? x / y : 0; return TRUE;
    case TS_OP_ARITH_REMSI: *out = (guint64) (b != 0 && b != -1 ? a % b : 0); return TRUE;
    case TS_OP_ARITH_REMUI: *out = y != 0 ? x % y : 0; return TRUE;
    case TS_OP_ARITH_ANDI: *out = x & y; return TRUE;
    case TS_OP_ARITH_ORI: *out = x | y; return TRUE;
    case TS_OP_ARITH_XORI: *out = x ^ y; return TRUE;
    case TS_OP_ARITH_MAXSI: *out = (guint64) MAX (a, b); return TRUE;
    case TS_OP_ARITH_MINSI: *out = (guint64) MIN (a, b); return TRUE;
    case TS_OP_ARITH_MAXUI: *out = MAX (x, y); return TRUE;
    case TS_OP_ARITH_MINUI: *out = MIN (x, y); return TRUE;
    default: return FALSE;
    }
}

static gboolean
compare_integers (gint64 predicate, ToyElement e, guint64 x, guint64 y)
{
  gint64 a = toy_signed (e, x), b = toy_signed (e, y);

  switch (predicate)
    {
    case 0: return x == y;
    case 1: return x != y;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a >= b;
    case 6: return x < y;
    case 7: return x <= y;
    case 8: return x > y;
    default: return x >= y;
    }
}

/* --- floating point -------------------------------------------------------------------------------------------------------- */

double
toy_get_float (ToyElement e, guint64 x)
{
  guint32 bits = (guint32) (e.bits == 16 ? x << 16 : x);
  float f;
  double d;

  if (e.bits == 64)
    {
      memcpy (&d, &x, sizeof d);
      return d;
    }
  memcpy (&f, &bits, sizeof f);
  return (double) f;
}

/* 16 bits: bfloat, to the nearest, ties to even. */
guint64
toy_put_float (ToyElement e, double x)
{
  float f = (float) x;
  guint32 bits;
  guint64 wide;

  memcpy (&wide, &x, sizeof wide);
  if (e.bits == 64)
    return wide;
  memcpy (&bits, &f, sizeof bits);
  if (e.bits == 32)
    return bits;
  if (isnan (f))
    return (bits >> 16) | 0x40;
  return (guint64) ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static gboolean
float_binary (guint code, double x, double y, double *out)
{
  switch (code)
    {
    case TS_OP_ARITH_ADDF: *out = x + y; return TRUE;
    case TS_OP_ARITH_SUBF: *out = x - y; return TRUE;
    case TS_OP_ARITH_MULF: *out = x * y; return TRUE;
    case TS_OP_ARITH_DIVF: *out = x / y; return TRUE;
    case TS_OP_ARITH_MAXIMUMF: *out = isnan (x) || isnan (y) ? (double) NAN : x > y ? x : y; return TRUE;
    case TS_OP_ARITH_MINIMUMF: *out = isnan (x) || isnan (y) ? (double) NAN : x < y ? x : y; return TRUE;
    case TS_OP_ARITH_MAXNUMF: *out = fmax (x, y); return TRUE;
    case TS_OP_ARITH_MINNUMF: *out = fmin (x, y); return TRUE;
    default: return FALSE;
    }
}

static gboolean
float_unary (guint code, double x, double *out)
{
  switch (code)
    {
    case TS_OP_ARITH_NEGF: *out = -x; return TRUE;
    case TS_OP_MATH_ABSF: *out = fabs (x); return TRUE;
    case TS_OP_MATH_CEIL: *out = ceil (x); return TRUE;
    case TS_OP_MATH_FLOOR: *out = floor (x); return TRUE;
    case TS_OP_MATH_EXP: *out = exp (x); return TRUE;
    case TS_OP_MATH_EXP2: *out = exp2 (x); return TRUE;
    case TS_OP_MATH_ATAN: *out = atan (x); return TRUE;
    case TS_OP_MATH_TANH: *out = tanh (x); return TRUE;
    case TS_OP_MATH_SQRT:
    case TS_OP_TT_PRECISE_SQRT: *out = sqrt (x); return TRUE;
    default: return FALSE;
    }
}

/* eq gt ge lt le ne behind one another, ordered then unordered. */
static gboolean
compare_floats (gint64 predicate, double x, double y)
{
  gboolean unordered = isnan (x) || isnan (y);
  gint64 which = predicate <= 6 ? predicate - 1 : predicate - 8;

  if (predicate == 0 || predicate == 15)
    return predicate == 15;
  if (predicate == 7 || predicate == 14)
    return (predicate == 14) == unordered;
  if (unordered)
    return predicate > 7;
  switch (which)
    {
    case 0: return x == y;
    case 1: return x > y;
    case 2: return x >= y;
    case 3: return x < y;
    case 4: return x <= y;
    default: return x != y;
    }
}

/* --- casts ----------------------------------------------------------------------------------------------------------------- */

static gint64
to_integer (double x)
{
  return isnan (x) ? 0 : x >= 9e18 ? G_MAXINT64 : x <= -9e18 ? G_MININT64 : (gint64) x;
}

static gboolean
cast (guint code, ToyElement from, ToyElement to, guint64 x, guint64 *out)
{
  switch (code)
    {
    case TS_OP_ARITH_EXTSI:
    case TS_OP_ARITH_TRUNCI:
    case TS_OP_ARITH_INDEX_CAST: *out = (guint64) toy_signed (from, x); return TRUE;
    case TS_OP_ARITH_EXTUI:
    case TS_OP_ARITH_BITCAST:
    case TS_OP_TT_BITCAST:
    case TS_OP_TT_INT_TO_PTR:
    case TS_OP_TT_PTR_TO_INT: *out = x; return TRUE;
    case TS_OP_ARITH_SITOFP: *out = toy_put_float (to, (double) toy_signed (from, x)); return TRUE;
    case TS_OP_ARITH_UITOFP: *out = toy_put_float (to, (double) x); return TRUE;
    case TS_OP_ARITH_FPTOSI: *out = (guint64) to_integer (toy_get_float (from, x)); return TRUE;
    case TS_OP_ARITH_EXTF:
    case TS_OP_ARITH_TRUNCF: *out = toy_put_float (to, toy_get_float (from, x)); return TRUE;
    default: return FALSE;
    }
}

/* --- operations ------------------------------------------------------------------------------------------------------------ */

static guint64
constant_lane (const TsExpr *value, ToyElement e)
{
  double number = value->kind == TS_EXPR_FLOAT ? value->f : (double) value->i;

  return e.is_float ? toy_put_float (e, number) : (guint64) value->i & toy_mask (e.bits);
}

/* "dense<[[1, 2], [3, 4]]>": the numbers in their order. */
static gboolean
read_dense (Toy *toy, const TsOp *op, const char *text, guint64 *out, guint n, ToyElement e)
{
  for (guint i = 0; i < n; i++)
    {
      char *end;
      double number;

      text += strcspn (text, "-0123456789");
      number = g_ascii_strtod (text, &end);
      if (end == text)
        return toy_fail (toy, op, "too few numbers");
      out[i] = e.is_float ? toy_put_float (e, number) : (guint64) (gint64) number & toy_mask (e.bits);
      text = end;
    }
  return TRUE;
}

static gboolean
run_constant (Toy *toy, const TsOp *op)
{
  const TsExpr *value = ts_op_attr (op, "value");
  const TsType *type = op->results[0]->type;
  ToyElement e = toy_element (type);
  guint64 *out = toy_out (toy, op, 0);

  if (value->kind == TS_EXPR_TEXT)
    return read_dense (toy, op, value->text, out, toy_n_lanes (type), e);
  if (value->kind == TS_EXPR_LIST)
    value = value->list[0];
  if (value->kind != TS_EXPR_INT && value->kind != TS_EXPR_FLOAT)
    return toy_fail (toy, op, "no number");
  for (guint i = 0; i < toy_n_lanes (type); i++)
    out[i] = constant_lane (value, e);
  return TRUE;
}

static gboolean
run_addptr (Toy *toy, const TsOp *op)
{
  const TsType *type = op->results[0]->type;
  ToyElement index = toy_element (ts_op_operand_type (op, 1));
  guint64 *p = toy_in (toy, op, 0), *offset = toy_in (toy, op, 1), *out = toy_out (toy, op, 0);
  gint64 bytes = MAX (1, toy_element (ts_type_element (type)->elems[0]).bits / 8);

  for (guint i = 0; i < toy_n_lanes (type); i++)
    out[i] = p[i] + (guint64) (toy_signed (index, offset[i]) * bytes);
  return TRUE;
}

static gboolean
run_select (Toy *toy, const TsOp *op)
{
  guint64 *c = toy_in (toy, op, 0), *x = toy_in (toy, op, 1), *y = toy_in (toy, op, 2), *out = toy_out (toy, op, 0);
  gboolean each = ts_type_is (ts_op_operand_type (op, 0), TS_TYPE_RANKED);

  for (guint i = 0; i < toy_n_lanes (op->results[0]->type); i++)
    out[i] = (c[each ? i : 0] & 1) != 0 ? x[i] : y[i];
  return TRUE;
}

/* One lane of a result of an operation with one or two operands. */
static gboolean
run_lane (const TsOp *op, ToyElement in, ToyElement out, guint64 x, guint64 y, guint64 *result)
{
  double number;

  switch ((int) op->code)
    {
    case TS_OP_ARITH_CMPI:
      *result = compare_integers (ts_op_attr_int (op, "predicate", 0), in, x, y);
      return TRUE;
    case TS_OP_ARITH_CMPF:
      *result = compare_floats (ts_op_attr_int (op, "predicate", 0), toy_get_float (in, x), toy_get_float (in, y));
      return TRUE;
    case TS_OP_MATH_ABSI:
      *result = toy_signed (in, x) < 0 ? 0 - x : x;
      return TRUE;
    default:
      break;
    }
  if (integer_binary (op->code, in, x, y, result) || cast (op->code, in, out, x, result))
    return TRUE;
  if (!float_binary (op->code, toy_get_float (in, x), toy_get_float (in, y), &number)
      && !float_unary (op->code, toy_get_float (in, x), &number))
    return FALSE;
  *result = toy_put_float (out, number);
  return TRUE;
}

static gboolean
run_lanes (Toy *toy, const TsOp *op)
{
  const TsType *type = op->results[0]->type;
  ToyElement in = toy_element (ts_op_operand_type (op, 0)), e = toy_element (type);
  guint64 *x = toy_in (toy, op, 0), *y = op->n_operands > 1 ? toy_in (toy, op, 1) : x, *out = toy_out (toy, op, 0);

  for (guint i = 0; i < toy_n_lanes (type); i++)
    {
      if (!run_lane (op, in, e, x[i], y[i], &out[i]))
        return FALSE;
      out[i] &= toy_mask (e.bits);
    }
  return TRUE;
}

gboolean
toy_run_pointwise (Toy *toy, const TsOp *op)
{
  if (op->n_results != 1)
    return FALSE;
  switch ((int) op->code)
    {
    case TS_OP_ARITH_CONSTANT:
      return run_constant (toy, op);
    case TS_OP_ARITH_SELECT:
      return run_select (toy, op);
    case TS_OP_TT_ADDPTR:
      return run_addptr (toy, op);
    case TS_OP_TT_GET_PROGRAM_ID:
      toy_out (toy, op, 0)[0] = toy->program;
      return TRUE;
    case TS_OP_TT_GET_NUM_PROGRAMS:
      toy_out (toy, op, 0)[0] = toy->n_programs;
      return TRUE;
    default:
      return (op->n_operands == 1 || op->n_operands == 2) && op->n_regions == 0 && run_lanes (toy, op);
    }
}
