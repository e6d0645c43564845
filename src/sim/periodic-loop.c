/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which loops repeat themselves, proved while their first iterations run.
 *
 * Every value remembers how it changes from one iteration of the loop to the next: not at all, by a constant, by coming round
 * after some iterations, or in no such way. Whatever shapes instructions (branches, inner bounds, shapes, slots) may only depend
 * on values of the first and third kind; places in global memory also on the second. Then the rest of the loop is known without
 * running it. */
#include "sim/periodic-loop.h"

#include "base/number.h"

#define MIN_TRIPS 1024
#define MAX_PERIOD 64

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

/* Least common multiple of periods; 0 when it is too long to be of use. */
static gint64
join_periods (gint64 a, gint64 b)
{
  gint64 m = a / gcd (a, b) * b;
  return m > MAX_PERIOD ? 0 : m;
}

static void
fail (Exec *x)
{
  if (x->candidate != NULL)
    x->candidate->active = FALSE;
  x->candidate = NULL;
}

void
periodic_decide (Exec *x, const Cell *cell)
{
  if (x->candidate == NULL || cell->change == CHANGE_NONE)
    return;
  gint64 period = cell->change == CHANGE_ROUND ? join_periods (x->candidate->period, cell->stride) : 0;
  if (period == 0)
    fail (x);
  else
    x->candidate->period = period;
}

void
periodic_place (Exec *x, const Cell *cell)
{
  if (cell->change != CHANGE_EVEN)
    periodic_decide (x, cell);
}

void
periodic_read (Exec *x, const Cell *cell)
{
  gboolean matters = (cell->kind == CELL_SCALAR && cell->known) || cell->kind == CELL_TUPLE;

  if (x->candidate != NULL && matters && cell->epoch < x->iteration_epoch && cell->epoch >= x->candidate_epoch)
    fail (x);
}

/* --- how values change -------------------------------------------------------------------------------------------------- */

static void
set_change (Cell *cell, ChangeKind change, gint64 stride)
{
  cell->change = (guint8) change;
  cell->stride = stride;
  if (change == CHANGE_EVEN && stride == 0)
    cell->change = CHANGE_NONE;
  if (change == CHANGE_ROUND && stride <= 1)
    {
      cell->change = stride == 1 ? CHANGE_NONE : CHANGE_ANY;
      cell->stride = 0;
    }
}

static gint64
stride_of (const Cell *c)
{
  return c->change == CHANGE_EVEN ? c->stride : 0;
}

static gboolean
is_even (const Cell *c)
{
  return c->change == CHANGE_NONE || c->change == CHANGE_EVEN;
}

static gboolean
combine_even (TsOperator op, const Cell *a, const Cell *b, Cell *result)
{
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
    case TS_OPERATOR_FLOOR_DIV:
      if (b->change != CHANGE_NONE || b->value == 0 || b->value == -1 || stride_of (a) % b->value != 0)
        return FALSE;
      stride = stride_of (a) / b->value;
      break;
    case TS_OPERATOR_FLOOR_MOD:
      if (b->change != CHANGE_NONE || b->value <= 0)
        return FALSE;
      set_change (result, CHANGE_ROUND, b->value / gcd (stride_of (a) % b->value, b->value));
      return TRUE;
    default:
      return FALSE;
    }
  set_change (result, CHANGE_EVEN, stride);
  return TRUE;
}

void
periodic_combine (TsOperator op, const Cell *a, const Cell *b, Cell *result)
{
  if (!result->known || (a->change == CHANGE_NONE && b->change == CHANGE_NONE))
    return;
  if (combine_even (op, a, b, result))
    return;
  if ((a->change == CHANGE_NONE || a->change == CHANGE_ROUND) && (b->change == CHANGE_NONE || b->change == CHANGE_ROUND))
    {
      gint64 p = a->change == CHANGE_ROUND ? a->stride : 1, q = b->change == CHANGE_ROUND ? b->stride : 1;
      set_change (result, CHANGE_ROUND, p > MAX_PERIOD || q > MAX_PERIOD ? 0 : join_periods (p, q));
      return;
    }
  set_change (result, CHANGE_ANY, 0);
}

/* --- the loop ----------------------------------------------------------------------------------------------------------- */

void
periodic_loop_begin (PeriodicLoop *p, Exec *x, const Node *node, gint64 trips)
{
  *p = (PeriodicLoop) { .loop = node->loop, .op = node->op, .trips = trips, .period = 1, .settle = x->settle };
  x->epoch++;
  /* Without being asked for it, only where there is no other way to come to the end within the bound. */
  if (!x->options->periodic && trips <= x->limit - ts_stream_builder_core (x->builder)->n)
    return;
  if (!x->alone || x->settle == 0 || trips < MAX (MIN_TRIPS, x->settle + TS_REPEAT_UNIT))
    return;
  /* Of several long loops inside each other the innermost is the one to shorten. */
  fail (x);
  p->active = TRUE;
  p->signals = x->n_signals;
  x->candidate = p;
  x->candidate_epoch = x->iteration_epoch = x->epoch;
}

void
periodic_loop_end (PeriodicLoop *p, Exec *x)
{
  if (x->candidate == p)
    x->candidate = NULL;
}

/* Place of the boundaries: the last one is where iterations are left out. */
static gint64
boundary_index (const PeriodicLoop *p, gint64 k)
{
  gint64 back = p->settle - k;

  return back >= 0 && back % p->period == 0 && back / p->period < TS_REPEAT_BOUNDARIES ? back / p->period : -1;
}

gint64
periodic_loop_visit (PeriodicLoop *p, Exec *x, gint64 k)
{
  x->epoch++;
  if (!p->active || k > p->settle)
    return 0;
  x->iteration_epoch = x->epoch;
  if (x->n_signals != p->signals)
    {
      fail (x);
      return 0;
    }
  /* The period is known only when it has been gone through: that is why boundaries begin late. */
  gint64 index = boundary_index (p, k);
  if (index >= 0)
    p->boundary[index] = ts_stream_builder_length (x->builder);
  if (k < p->settle)
    return 0;
  gint64 unit = p->period * TS_REPEAT_UNIT, omitted = (p->trips - k - p->period) / unit * unit;
  p->active = FALSE;
  x->candidate = NULL;
  if (omitted <= 0)
    return 0;
  TsRepeat repeat = { .loop = p->loop, .at = p->boundary[0], .omitted = omitted, .period = p->period };
  for (guint i = 0; i < TS_REPEAT_BOUNDARIES; i++)
    repeat.boundary[i] = p->boundary[i];
  if (repeat.boundary[1] != repeat.at)
    ts_stream_builder_repeat (x->builder, &repeat);
  exec_note (x, p->op, TS_SEVERITY_NOTE, "filled-in", p->op,
             "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " iterations repeat the ones before and are filled in", omitted, p->trips);
  return omitted;
}
