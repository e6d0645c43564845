/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How values change from one iteration to the next, and what may depend on them. See periodic-loop.c. */
#include "sim/periodic-loop.h"

#include "base/number.h"

/* Quotients and remainders are followed between their jumps when those are at least so many iterations apart. */
#define MIN_STRETCH 128

static gint64
gcd (gint64 a, gint64 b)
{
  a = ABS (a);
  b = ABS (b);
  while (b != 0)
    {
      gint64 t = a % b;
      a = b;
      b = t;
    }
  return a;
}

gint64
periodic_join (gint64 a, gint64 b)
{
  if (a <= 0 || b <= 0 || a > TS_MAX_PERIOD || b > TS_MAX_PERIOD)
    return 0;
  gint64 m = a / gcd (a, b) * b;
  return m > TS_MAX_PERIOD ? 0 : m;
}

/* --- what may depend on them ---------------------------------------------------------------------------------------------- */

static void
fail (PeriodicLoop *p)
{
  p->failed_at = p->k;
}

void
periodic_decide (Exec *x, const Cell *cell)
{
  for (guint l = 0; l < x->n_levels && cell->changes != 0; l++)
    {
      PeriodicLoop *p = x->levels[l];
      gint64 period = cell->change[l] == CHANGE_ROUND ? periodic_join (MAX (p->period, 1), cell->stride[l]) : 0;
      if (cell->change[l] == CHANGE_NONE)
        continue;
      if (period == 0)
        fail (p);
      else
        p->period = period;
    }
}

void
periodic_place (Exec *x, const Cell *cell)
{
  for (guint l = 0; l < x->n_levels && cell->changes != 0; l++)
    if (cell->change[l] != CHANGE_EVEN && cell->change[l] != CHANGE_NONE)
      {
        Cell one = { 0 };
        one.change[l] = cell->change[l];
        one.stride[l] = cell->stride[l];
        periodic_decide (x, &one);
      }
}

void
periodic_read (Exec *x, Cell *cell)
{
  if (cell->changes == 0 && x->n_levels == 0)
    return;
  for (guint l = 0; l < TS_MAX_LEVELS; l++)
    {
      const PeriodicLoop *p = l < x->n_levels ? x->levels[l] : NULL;
      /* Set before the loop began it is a constant of it; left by an earlier iteration, nothing is known. */
      if (p == NULL || cell->epoch < p->began)
        cell->change[l] = CHANGE_NONE;
      else if (cell->epoch < p->iteration && cell->kind != CELL_TILE)
        cell->change[l] = CHANGE_ANY;
    }
}

/* --- how they change ------------------------------------------------------------------------------------------------------ */

/* An operand as one loop sees it. */
typedef struct
{
  ChangeKind change;
  gint64     stride, value;
} Operand;

static void
set_change (Operand *out, ChangeKind change, gint64 stride)
{
  out->change = change;
  out->stride = stride;
  if (change == CHANGE_EVEN && stride == 0)
    out->change = CHANGE_NONE;
  if (change == CHANGE_ROUND && stride <= 1)
    {
      out->change = stride == 1 ? CHANGE_NONE : CHANGE_ANY;
      out->stride = 0;
    }
}

static gint64
stride_of (const Operand *c)
{
  return c->change == CHANGE_EVEN ? c->stride : 0;
}

static gboolean
is_even (const Operand *c)
{
  return c->change == CHANGE_NONE || c->change == CHANGE_EVEN;
}

/* Iterations until a value that is now `value` and moves by `stride` changes its sign (below 0, or not); G_MAXINT64: never. */
static gint64
until_sign (gint64 value, gint64 stride)
{
  if (value < 0)
    return stride > 0 ? ts_ceil_div (value == G_MININT64 ? G_MAXINT64 : -value, stride) : G_MAXINT64;
  return stride < 0 && stride > G_MININT64 ? value / -stride + 1 : G_MAXINT64;
}

static void
watch (PeriodicLoop *p, gint64 iterations)
{
  gint64 *horizon = &p->horizon[p->k % TS_MAX_PERIOD];

  *horizon = MIN (*horizon, ts_add_sat (p->k, iterations));
}

/* Comparisons, minimum and maximum stay as they are until the difference of the operands changes sign. */
static gboolean
combine_compared (PeriodicLoop *p, TsOperator op, const Operand *a, const Operand *b, Operand *out)
{
  gboolean equality = op == TS_OPERATOR_EQ || op == TS_OPERATOR_NE, choice = op == TS_OPERATOR_MIN || op == TS_OPERATOR_MAX;
  gint64 difference, stride, until;

  if (!is_even (a) || !is_even (b) || (!choice && !ts_operator_is_comparison (op)) || !ts_sub (a->value, b->value, &difference)
      || !ts_sub (stride_of (a), stride_of (b), &stride))
    return FALSE;
  if (stride == 0)
    until = G_MAXINT64;
  else if (equality)
    until = difference == 0 ? 1 : difference % stride == 0 && difference / stride < 0 ? -(difference / stride) : G_MAXINT64;
  else /* <= and > ask whether the difference is below 1 */
    until = until_sign (op == TS_OPERATOR_LE || op == TS_OPERATOR_GT ? difference - (difference > G_MININT64) : difference, stride);
  watch (p, until);
  set_change (out, CHANGE_NONE, 0);
  if (choice)
    *out = (difference < 0) == (op == TS_OPERATOR_MIN) ? *a : *b;
  return TRUE;
}

/* b->value > 0 and constant. */
static gboolean
combine_quotient (PeriodicLoop *p, TsOperator op, const Operand *a, const Operand *b, Operand *out)
{
  gint64 stride = stride_of (a), remainder = 0;

  if (op == TS_OPERATOR_FLOOR_DIV && stride % b->value == 0)
    {
      set_change (out, CHANGE_EVEN, stride / b->value);
      return TRUE;
    }
  gint64 round = b->value / gcd (stride % b->value, b->value);
  if (op == TS_OPERATOR_FLOOR_MOD && round <= TS_MAX_PERIOD)
    {
      set_change (out, CHANGE_ROUND, round);
      return TRUE;
    }
  if (stride == G_MININT64 || ABS (stride) > b->value / MIN_STRETCH || !ts_floor_mod (a->value, b->value, &remainder))
    return FALSE;
  watch (p, stride > 0 ? until_sign (remainder - b->value, stride) : until_sign (remainder, stride));
  set_change (out, op == TS_OPERATOR_FLOOR_MOD ? CHANGE_EVEN : CHANGE_NONE, stride);
  return TRUE;
}

static gboolean
combine_even (PeriodicLoop *p, TsOperator op, const Operand *a, const Operand *b, Operand *out)
{
  Operand power = *b;
  gint64 stride = 0;

  if (!is_even (a) || !is_even (b))
    return FALSE;
  switch (op)
    {
    case TS_OPERATOR_ADD:
      if (!ts_add (stride_of (a), stride_of (b), &stride))
        return FALSE;
      break;
    case TS_OPERATOR_SUB:
      if (!ts_sub (stride_of (a), stride_of (b), &stride))
        return FALSE;
      break;
    case TS_OPERATOR_MUL:
      if (a->change == CHANGE_NONE ? !ts_mul (a->value, stride_of (b), &stride)
                                   : b->change != CHANGE_NONE || !ts_mul (b->value, stride_of (a), &stride))
        return FALSE;
      break;
    case TS_OPERATOR_SHL:
      if (b->change != CHANGE_NONE || b->value < 0 || b->value > 62 || !ts_mul (stride_of (a), (gint64) 1 << b->value, &stride))
        return FALSE;
      break;
    case TS_OPERATOR_FLOOR_DIV:
    case TS_OPERATOR_FLOOR_MOD:
      return b->change == CHANGE_NONE && b->value > 0 && combine_quotient (p, op, a, b, out);
    case TS_OPERATOR_SHR:
      if (b->change != CHANGE_NONE || b->value < 0 || b->value > 62)
        return FALSE;
      power.value = (gint64) 1 << b->value;
      return combine_quotient (p, TS_OPERATOR_FLOOR_DIV, a, &power, out);
    case TS_OPERATOR_BIT_AND: /* with 2^n - 1 it is a remainder, whatever the sign */
      if (b->change != CHANGE_NONE || b->value < 1 || b->value == G_MAXINT64 || (b->value & (b->value + 1)) != 0)
        return FALSE;
      power.value = b->value + 1;
      return combine_quotient (p, TS_OPERATOR_FLOOR_MOD, a, &power, out);
    default:
      return combine_compared (p, op, a, b, out);
    }
  set_change (out, CHANGE_EVEN, stride);
  return TRUE;
}

static Operand
combine (PeriodicLoop *p, TsOperator op, const Operand *a, const Operand *b)
{
  Operand out = { 0 };
  gboolean rounds = (a->change == CHANGE_NONE || a->change == CHANGE_ROUND) && (b->change == CHANGE_NONE || b->change ==
      CHANGE_ROUND);

  if (a->change == CHANGE_NONE && b->change == CHANGE_NONE)
    return out;
  /* One side that stays is enough where it decides alone. */
  if ((op == TS_OPERATOR_AND && ((a->change == CHANGE_NONE && a->value == 0) || (b->change == CHANGE_NONE && b->value == 0)))
      || (op == TS_OPERATOR_OR && ((a->change == CHANGE_NONE && a->value != 0) || (b->change == CHANGE_NONE && b->value != 0))))
    return out;
  if (rounds)
    set_change (&out, CHANGE_ROUND, periodic_join (a->change == CHANGE_ROUND ? a->stride : 1, b->change == CHANGE_ROUND
        ? b->stride : 1));
  else if (!combine_even (p, op, a, b, &out))
    set_change (&out, CHANGE_ANY, 0);
  return out;
}

void
periodic_combine_numbers (Exec *x, TsOperator op, const Cell *a, gint64 value_a, const Cell *b, gint64 value_b, Cell *result)
{
  for (guint l = 0; l < x->n_levels && (a->changes | b->changes) != 0; l++)
    {
      Operand left = { (ChangeKind) a->change[l], a->stride[l], value_a }, right = { (ChangeKind) b->change[l], b->stride[l],
          value_b };
      Operand out = combine (x->levels[l], op, &left, &right);
      result->change[l] = (guint8) out.change;
      result->stride[l] = out.stride;
    }
}

void
periodic_combine (Exec *x, TsOperator op, const Cell *a, const Cell *b, Cell *result)
{
  if (result->known && (a->changes | b->changes) != 0)
    periodic_combine_numbers (x, op, a, a->value, b, b->value, result);
}

void
periodic_copy (const Cell *from, Cell *result)
{
  result->changes = from->changes;
  for (guint l = 0; l < TS_MAX_LEVELS; l++)
    result->stride[l] = from->stride[l];
}

void
periodic_lose (Exec *x, const Cell *operand, Cell *result)
{
  for (guint l = 0; l < x->n_levels; l++)
    if (operand->change[l] != CHANGE_NONE)
      result->change[l] = CHANGE_ANY;
}

void
periodic_watch_sign (Exec *x, const Cell *cell, gint64 value)
{
  for (guint l = 0; l < x->n_levels; l++)
    if (cell->change[l] == CHANGE_EVEN)
      watch (x->levels[l], until_sign (value, cell->stride[l]));
}
