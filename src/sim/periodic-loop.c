/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which loops repeat themselves, proved while their first iterations run.
 *
 * Every value remembers how it changes from one iteration of a loop to the next: not at all, by a constant, by coming round
 * after some iterations, or in no such way (periodic-value.c). Whatever shapes instructions (branches, inner bounds, shapes, slots)
 * may only depend on values of the first and third kind; places in global memory also on the second. Then the rest of the loop is
 * known without running it, up to the iteration in which the first comparison comes out otherwise. Of loops inside each other
 * several are looked at, each at a level of its own.
 *
 * What a loop carries is proved by induction: how it changes is guessed from what it was, an iteration is executed under this
 * assumption, and what it hands on must change in the same way. */
#include "sim/periodic-loop.h"

#include "base/number.h"
#include "sim/loop-growth.h"

/* Iterations before a loop is left, one try after the other. */
static const gint64 settles[] = { 64, 512, 8192 };
/* Periods that are left out come in multiples of this: what the scheduler may need until its state returns. */
static const gint64 units[] = { 12, TS_REPEAT_UNIT, TS_REPEAT_UNIT };
/* Fewer instructions than this are executed one by one. */
#define FILL_FROM 200000
/* Guesses about what a loop carries: the first few that it moves on evenly. */
#define MAX_EVEN_TRIES 3
#define MAX_TRIES 24
/* Iterations that are executed behind a gap: one period in which every statement that goes on runs for the last time, the window
 * before it that tells how chains grow, and a period before that: what the statement did last before the window counts as well. */
static gint64
tail_of (const PeriodicLoop *p)
{
  return 2 * p->period + TS_GROWTH_WINDOW;
}

/* --- carried values ------------------------------------------------------------------------------------------------------ */

static gboolean
is_number (const Cell *c)
{
  return (c->kind == CELL_SCALAR && c->known) || ((c->kind == CELL_OTHER || c->kind == CELL_TENSOR) && c->placed == PLACE_KNOWN);
}

static gint64
number_of (const Cell *c)
{
  return c->kind == CELL_SCALAR ? c->value : c->offset;
}

static gboolean
same_but_number (const Cell *a, const Cell *b)
{
  gboolean same = a->kind == b->kind && a->known == b->known && a->placed == b->placed && a->whole == b->whole;

  if (a->kind == CELL_TILE || a->kind == CELL_TENSOR)
    same &= a->ref == b->ref;
  if (a->kind == CELL_TILE)
    same &= a->begin == b->begin && a->end == b->end;
  for (guint d = 0; d < TS_MAX_PLACE_RANK && a->placed != PLACE_NONE; d++)
    same &= a->steps[d] == b->steps[d];
  return same && (a->kind != CELL_TUPLE || a->items == b->items);
}

/* What tells a value from others: equal values have equal ones. */
static gint64
identity (const Cell *c)
{
  guint64 h = (guint64) c->kind << 3 | (guint64) c->known << 2 | c->whole;

  if (is_number (c) && c->kind == CELL_SCALAR)
    return c->value;
  h = (h ^ (guint64) (guint32) c->ref << 8 ^ (guint64) c->placed << 50) * 0x9e3779b97f4a7c15u;
  if (c->kind == CELL_TILE)
    h = ((h ^ (guint64) c->begin) * 0xff51afd7ed558ccdu ^ (guint64) c->end) * 0x9e3779b97f4a7c15u;
  for (guint d = 0; d < TS_MAX_PLACE_RANK && c->placed != PLACE_NONE; d++)
    h = (h ^ (guint64) c->steps[d]) * 0xff51afd7ed558ccdu;
  return (gint64) (c->placed == PLACE_KNOWN ? (h ^ (guint64) c->offset) * 0x9e3779b97f4a7c15u : h);
}

/* Was a value the same `period` iterations before, through a whole period? `k`: the last iteration it is known of. */
static gboolean
came_round (const PeriodicLoop *p, const Carried *c, gint64 k, gint64 period)
{
  if (k - p->base < 2 * period)
    return FALSE;
  for (gint64 j = 0; j < period; j++)
    if (c->history[(k - j) % (2 * TS_MAX_PERIOD)] != c->history[(k - j - period) % (2 * TS_MAX_PERIOD)])
      return FALSE;
  return TRUE;
}

static gint64
shortest_round (const PeriodicLoop *p, const Carried *c, gint64 k, gint64 step)
{
  for (gint64 period = step; period <= TS_MAX_PERIOD; period += step)
    if (came_round (p, c, k, period))
      return period;
  return 0;
}

static void
mark (const PeriodicLoop *p, Carried *c, ChangeKind change, gint64 stride)
{
  if (change == CHANGE_ROUND && stride <= 1)
    change = stride == 1 ? CHANGE_NONE : CHANGE_ANY;
  if (change == CHANGE_EVEN && stride == 0)
    change = CHANGE_NONE;
  c->change = (guint8) change;
  c->stride = change == CHANGE_EVEN || change == CHANGE_ROUND ? stride : 0;
}

/* What the iteration took for granted did not come true. */
static void
guess_again (PeriodicLoop *p, Carried *c, ChangeKind how, gint64 stride, gboolean even, gint64 step)
{
  p->unsettled_at = p->k;
  if (how == CHANGE_ROUND)
    mark (p, c, CHANGE_ROUND, stride);
  else if (c->tries++ < MAX_EVEN_TRIES && even)
    mark (p, c, CHANGE_EVEN, step);
  else
    mark (p, c, CHANGE_ROUND, shortest_round (p, c, p->k + 1, 1));
}

void
periodic_loop_carry (PeriodicLoop *p, guint i, const Cell *old, Cell *cell)
{
  Carried *c = i < p->n_carried ? &p->carried[i] : NULL;
  ChangeKind how = (ChangeKind) cell->change[p->level];
  gint64 stride = cell->stride[p->level], step = 0;

  if (c == NULL)
    return;
  c->history[(p->k + 1) % (2 * TS_MAX_PERIOD)] = identity (cell);
  gboolean even = is_number (cell) && is_number (old) && same_but_number (old, cell)
                  && ts_sub (number_of (cell), number_of (old), &step);
  gboolean kept = (c->change == CHANGE_NONE && how == CHANGE_NONE && ((even && step == 0) || same_but_number (old, cell))
                   && (!is_number (cell) || step == 0))
                  || (c->change == CHANGE_EVEN && how == CHANGE_EVEN && even && stride == c->stride && step == stride)
                  || (c->change == CHANGE_ROUND && (how == CHANGE_NONE || (how == CHANGE_ROUND && c->stride % stride == 0)))
                  || (c->change == CHANGE_ANY && c->tries >= MAX_TRIES);
  if (!kept)
    guess_again (p, c, how, stride, even, step);
  c->number = is_number (cell);
  for (guint l = 0; l < p->level; l++)
    c->moves[l] = old->change[l] != cell->change[l] || old->stride[l] != cell->stride[l];
  cell->change[p->level] = c->change;
  cell->stride[p->level] = c->stride;
}

/* What comes round (also tiles that change places) must really have done so; the period is made long enough for it. */
static gboolean
carried_come_round (PeriodicLoop *p)
{
  for (guint i = 0; i < p->n_carried; i++)
    {
      const Carried *c = &p->carried[i];
      if (c->change == CHANGE_EVEN)
        continue;
      if (c->change == CHANGE_ANY && !c->number)
        continue; /* what is not known stays so */
      if (c->change == CHANGE_ANY)
        return FALSE;
      gint64 round = shortest_round (p, c, p->k, p->period);
      if (round == 0)
        return FALSE;
      p->period = round;
    }
  return TRUE;
}

/* --- the loop ----------------------------------------------------------------------------------------------------------- */

/* The next longer try; FALSE: there is none. */
static gboolean
be_patient (PeriodicLoop *p)
{
  if (++p->patience >= G_N_ELEMENTS (settles))
    p->over = TRUE;
  else
    p->settle = settles[p->patience];
  return !p->over;
}

static void
start_over (PeriodicLoop *p, Exec *x, gint64 k)
{
  p->base = k;
  p->base_steps = x->steps;
  g_array_set_size (p->starts, 0);
  p->over |= p->trips - k <= p->settle + units[p->patience];
}

void
periodic_loop_begin (PeriodicLoop *p, Exec *x, const Node *node, gint64 trips, guint n_carried)
{
  guint patience = exec_patience (x, node->op);

  *p = (PeriodicLoop) { .level = TS_MAX_LEVELS };
  x->epoch++;
  if (patience >= G_N_ELEMENTS (settles) || x->options->fill == TS_SIM_FILL_NEVER || x->plan->never || x->n_levels >= TS_MAX_LEVELS
      || trips <= settles[patience] + units[patience])
    return;
  *p = (PeriodicLoop) { .level = x->n_levels, .loop = node->loop, .op = node->op, .trips = trips, .period = x->plan->period,
                        .patience = patience, .settle = settles[patience], .failed_at = -1, .unsettled_at = -1,
                        .began = x->epoch, .iteration = x->epoch, .starts = g_array_new (FALSE, FALSE, sizeof (guint)),
                        .carried = g_new0 (Carried, n_carried + 1), .n_carried = n_carried, .popped = x->popped };
  start_over (p, x, 0);
  x->levels[x->n_levels++] = p;
}

void
periodic_loop_end (PeriodicLoop *p, Exec *x)
{
  if (p->level == TS_MAX_LEVELS)
    return;
  if (p->omitted > 0) /* all the times it was filled in together, of the first execution that was */
    exec_note (x, (const char *) p->op + 4, TS_SEVERITY_NOTE, "filled-in", p->op,
               "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " iterations repeat the ones before and are filled in", p->omitted,
               p->trips);
  x->n_levels = p->level;
  g_array_unref (p->starts);
  g_free (p->carried);
}

void
periodic_loop_mark (const PeriodicLoop *p, gint64 step, Cell *cell)
{
  if (p->level == TS_MAX_LEVELS)
    return;
  cell->change[p->level] = CHANGE_EVEN;
  cell->stride[p->level] = step;
}

/* Does it save anything worth while? All executions of the loop count: few iterations in each may be many in all. */
static gboolean
pays (const PeriodicLoop *p, const Exec *x)
{
  gint64 done = MAX (p->k - p->base, 1), each = MAX ((x->steps - p->base_steps) / done, 1);
  gint64 rest = ts_mul_sat (each, p->trips - p->k);

  if (x->options->fill == TS_SIM_FILL_ALWAYS || x->plan->always)
    return TRUE;
  for (guint i = 0; i + 1 < x->loops->len; i++)
    rest = ts_mul_sat (rest, MAX (g_array_index (x->loops, LoopFrame, i).trips, 1));
  return rest > MIN (FILL_FROM, x->limit / 2);
}

/* The iteration up to which nothing that is compared comes out otherwise; 0: something just has. */
static gint64
horizon_of (const PeriodicLoop *p)
{
  gint64 horizon = p->trips;

  for (gint64 j = 1; j <= p->period && j <= p->k - p->base; j++)
    horizon = MIN (horizon, p->horizon[(p->k - j) % TS_MAX_PERIOD]);
  return horizon > p->k ? horizon : 0;
}

/* Slots of a FIFO come round as well. */
static gboolean
join_slots (PeriodicLoop *p, const Exec *x)
{
  for (guint i = 0; i < x->fifos->len && x->popped != p->popped; i++)
    {
      const Fifo *fifo = &g_array_index (x->fifos, Fifo, i);
      if (fifo->slots > 1 && fifo->popped[x->core] > 0)
        p->period = periodic_join (p->period, fifo->slots);
      if (p->period == 0)
        return FALSE;
    }
  return TRUE;
}

/* What is carried is what it would be after the iterations that are left out. */
static void
advance (const PeriodicLoop *p, Exec *x, gint64 omitted)
{
  const TsBlock *block = ts_op_body (p->op, 0);

  for (guint i = 0; i < p->n_carried; i++)
    {
      const Carried *c = &p->carried[i];
      Cell *cell = &x->env[block->args[1 + i]->id];
      gint64 *number = cell->kind == CELL_SCALAR ? &cell->value : &cell->offset;
      if (c->change == CHANGE_EVEN)
        *number = ts_add_sat (*number, ts_mul_sat (c->stride, omitted));
      for (guint l = 0; l < p->level; l++)
        if (c->moves[l])
          cell->change[l] = CHANGE_ANY;
    }
}

static gint64
leave_out (PeriodicLoop *p, Exec *x, gint64 omitted)
{
  TsRepeat repeat = { .loop = p->loop, .omitted = omitted, .period = p->period };
  guint done = (guint) (p->k - p->base);

  repeat.n_boundaries = (guint) MIN (TS_REPEAT_BOUNDARIES, done / p->period + 1);
  for (guint j = 0; j < repeat.n_boundaries; j++)
    repeat.boundary[j] = g_array_index (p->starts, guint, done - j * (guint) p->period);
  repeat.at = repeat.boundary[0];
  if (repeat.boundary[1] != repeat.at)
    {
      omitted = exec_plan_omitted (x, omitted);
      repeat.omitted = omitted;
      if (omitted > 0)
        ts_stream_builder_repeat (x->builder, &repeat);
      x->n_repeats++;
    }
  p->omitted += omitted;
  return omitted;
}

/* How many iterations may be left out now; 0: it does not repeat itself (yet). */
static gint64
provable (PeriodicLoop *p, const Exec *x)
{
  gint64 period = p->period, horizon, omitted = 0;

  if (!join_slots (p, x) || !carried_come_round (p) || p->failed_at >= p->k - p->period || p->unsettled_at >= p->k - p->period
      || 2 * p->period > p->k - p->base)
    p->period = MAX (period, 1);
  else if ((horizon = horizon_of (p)) > 0)
    omitted = (horizon - p->k - tail_of (p)) / (p->period * units[p->patience]) * p->period * units[p->patience];
  return MAX (omitted, 0);
}

gint64
periodic_loop_visit (PeriodicLoop *p, Exec *x, gint64 k)
{
  guint start = ts_stream_builder_length (x->builder);

  x->epoch++;
  if (p->level == TS_MAX_LEVELS)
    return 0;
  p->k = k;
  p->iteration = x->epoch;
  p->horizon[k % TS_MAX_PERIOD] = G_MAXINT64;
  if (p->over)
    return 0;
  g_array_append_val (p->starts, start);
  if (k - p->base < p->settle)
    return 0;
  gint64 omitted = pays (p, x) ? provable (p, x) : 0;
  if (omitted > 0)
    omitted = leave_out (p, x, omitted);
  if (omitted == 0)
    be_patient (p);
  else
    {
      advance (p, x, omitted);
      p->patience = exec_patience (x, p->op);
      p->settle = settles[p->patience];
      start_over (p, x, k + omitted);
      g_array_append_val (p->starts, start);
    }
  p->k = k + omitted;
  p->horizon[p->k % TS_MAX_PERIOD] = G_MAXINT64;
  return omitted;
}
