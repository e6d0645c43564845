/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scheduling loop: one instruction after the other, each as early as its constraints allow. */
#include "sim/scheduler.h"

#include <string.h>

/* Instructions between two looks at the cancellable: about a millisecond. */
#define LOOK_EVERY 4096

static const char *const cause_names[TS_N_CAUSES] = { "raw", "war", "waw", "memory", "fifo", "barrier", "pipe", "scalar", "queue",
                                                      "dispatch", "none" };

const char *
ts_cause_name (TsCause cause)
{
  return cause_names[cause];
}

/* --- progress ------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  GCancellable *cancellable;
  TsSimProgress progress;
  gpointer      data;
  guint         until_look;
  gint64        done, total;
  TsPeriodic   *periodic; /* NULL: no repeats */
} Drive;

/* Says how far it is; TRUE: cancelled. */
static gboolean
look (gconstpointer data)
{
  const Drive *drive = data;

  if (drive->progress != NULL)
    drive->progress ("schedule", drive->done, drive->total, drive->data);
  return g_cancellable_is_cancelled (drive->cancellable);
}

/* --- setting up ------------------------------------------------------------------------------------------------------------ */

static void
ring_init (TsMarkRing *ring, gint64 n)
{
  guint64 capacity = 1;

  while (capacity < (guint64) n)
    capacity *= 2;
  ring->marks = g_new0 (TsMark, capacity);
  ring->mask = (guint32) (capacity - 1);
}

static void
pipe_init (TsPipeState *pipe, const TsMachineTiming *timing, guint which, guint n)
{
  gint64 queue = which == TS_PIPE_S ? 0 : MAX (timing->queue_depth[which], 0);

  /* Looking back further than there are instructions finds nothing. */
  pipe->queue = MIN (queue, (gint64) n + 1);
  pipe->flight = CLAMP (timing->in_flight[which], 1, (gint64) n + 1);
  ring_init (&pipe->starts, pipe->queue);
  ring_init (&pipe->ends, pipe->flight);
  pipe->next.on = pipe->last.on = pipe->barrier.on = pipe->empty.on = -1;
}

static void
core_init (TsScheduler *x, guint k)
{
  const TsCore *core = &x->stream->cores[k];
  TsCoreState *c = &x->cores[k];

  c->pos = core->first;
  c->end = core->first + core->n;
  c->dispatched = -1;
  c->dispatcher.on = -1;
  c->late = g_array_new (FALSE, FALSE, sizeof (TsLateFlag));
  for (guint p = 0; p < TS_N_PIPES; p++)
    pipe_init (&c->pipes[p], x->timing, p, core->n);
}

static gint64
largest_sync (const TsMachineTiming *timing)
{
  gint64 max = 0;

  for (guint p = 0; p < TS_N_PIPES; p++)
    for (guint q = 0; q < TS_N_PIPES; q++)
      max = MAX (max, MAX (timing->sync[p][q], timing->barrier[p]));
  return max;
}

static gboolean
figures_sane (const TsStream *stream, const TsMachineTiming *timing)
{
  gint64 max = MAX (MAX (timing->dispatch_cost, timing->cross_core), largest_sync (timing));

  for (guint i = 0; i < stream->n_costs; i++)
    max = MAX (max, MAX (MAX (stream->costs[i].occupancy, stream->costs[i].latency), stream->costs[i].transfer));
  return max < TS_FIGURE_LIMIT;
}

static void
scheduler_init (TsScheduler *x, const TsStream *stream, const TsMachineTiming *timing, const Drive *drive)
{
  gsize n = stream->n_instructions;

  *x = (TsScheduler) { .stream = stream, .timing = timing, .stop = look, .stop_data = drive,
                       .max_sync = largest_sync (timing) };
  x->dispatch = g_new (gint64, n);
  x->start = g_new (gint64, n);
  x->end = g_new (gint64, n);
  x->wait = g_new (gint64, n);
  x->on = g_new (gint32, n);
  x->buffer = g_new (gint32, n);
  x->cause = g_new (guint8, n);
  for (guint k = 0; k < stream->n_cores; k++)
    core_init (x, k);
  ts_segments_init (x, TRUE);
  ts_windows_init (x);
  ts_signals_init (x);
}

static void
scheduler_clear (TsScheduler *x)
{
  for (guint k = 0; k < x->stream->n_cores; k++)
    {
      g_array_unref (x->cores[k].late);
      for (guint p = 0; p < TS_N_PIPES; p++)
        {
          g_free (x->cores[k].pipes[p].starts.marks);
          g_free (x->cores[k].pipes[p].ends.marks);
        }
    }
  ts_windows_free (x);
  ts_signals_free (x);
  ts_segments_clear (x);
}

/* --- one instruction --------------------------------------------------------------------------------------------------------- */

gint64
ts_scheduler_visible (const TsScheduler *x, guint k)
{
  if (x->timing->in_flight[ts_stream_site (x->stream, k)->pipe] > 1)
    return x->end[k];
  return x->start[k] + x->stream->costs[x->stream->cost[k]].latency;
}

gint64
ts_scheduler_known (const TsScheduler *x, const TsCoreState *core, gint32 k)
{
  gint64 time = ts_scheduler_visible (x, (guint) k);
  guint lo = 0, hi = core->n_fills;

  while (lo < hi)
    {
      guint mid = lo + (hi - lo) / 2;
      if (core->fills[mid].at <= (guint) k)
        lo = mid + 1;
      else
        hi = mid;
    }
  /* Those that hold it are the first one that ends behind it, or around that one. */
  for (gint32 f = lo < core->n_fills ? (gint32) lo : -1; f >= 0; f = core->fills[f].parent)
    if (core->fills[f].from <= (guint) k)
      time += core->fills[f].times * core->fills[f].cycles;
  return time;
}

/* Dispatch order, the dispatcher itself, scalar operands, room in the queue. */
static void
constrain_dispatch (const TsScheduler *x, const TsCoreState *core, guint i, const TsPipeState *pipe, TsConstraint *best)
{
  const TsStream *s = x->stream;

  if (core->dispatched >= 0)
    ts_constraint_offer (best, core->dispatch + x->timing->dispatch_cost, TS_CAUSE_DISPATCH, core->dispatched, -1);
  if (core->dispatcher.on >= 0)
    ts_constraint_offer (best, core->dispatcher.time, TS_CAUSE_DISPATCH, core->dispatcher.on, -1);
  for (guint32 k = s->scalar_start[i]; k < s->scalar_start[i + 1]; k++)
    ts_constraint_offer (best, ts_scheduler_known (x, core, s->scalars[k]), TS_CAUSE_SCALAR, s->scalars[k], -1);
  const TsMark *room = pipe->queue > 0 ? ts_mark_ring_back (&pipe->starts, pipe->queue) : NULL;
  if (room != NULL)
    ts_constraint_offer (best, room->time, TS_CAUSE_QUEUE, room->on, -1);
}

static void
constrain_pipe (const TsPipeState *pipe, TsSync sync, TsConstraint *best)
{
  const TsMark *place = pipe->flight > 1 && sync == TS_SYNC_NONE ? ts_mark_ring_back (&pipe->ends, pipe->flight) : NULL;

  if (place != NULL)
    ts_constraint_offer (best, place->time, TS_CAUSE_PIPE, place->on, -1);
  if (pipe->next.on >= 0)
    ts_constraint_offer (best, pipe->next.time, TS_CAUSE_PIPE, pipe->next.on, -1);
  if (pipe->barrier.on >= 0)
    ts_constraint_offer (best, pipe->barrier.time, TS_CAUSE_BARRIER, pipe->barrier.on, -1);
}

/* How long an instruction holds its pipe, and when its result can be seen. */
typedef struct
{
  gint64 start, end, visible;
} Span;

static Span
span_of (TsCoreState *core, guint i, const TsPipeState *pipe, TsSync sync, const TsCost *cost, gint64 start)
{
  Span span = { .start = start, .end = start + cost->occupancy, .visible = start + cost->latency };

  if (sync == TS_SYNC_NONE && pipe->flight > 1)
    {
      const TsMark *before = ts_mark_ring_back (&pipe->ends, 1);
      span.end = span.visible = MAX (span.visible, before != NULL ? before->time + cost->transfer : 0);
    }
  else if (sync == TS_SYNC_SET && pipe->empty.time > start)
    {
      TsLateFlag late = { .instruction = i, .on = pipe->empty.on, .visible = pipe->empty.time + cost->latency };
      g_array_append_val (core->late, late);
      span.visible = late.visible;
    }
  return span;
}

/* What it leaves behind on its pipe. A pipe is a queue: nothing overtakes what waits in front of it; with one in flight the next
 * has to wait for its end, and of flags and barriers always. */
static void
pass_pipe (TsPipeState *pipe, guint i, TsSync sync, const Span *span)
{
  TsMark start = { .time = span->start, .on = (gint32) i }, end = { .time = span->end, .on = (gint32) i };
  TsMark over = { .time = MAX (span->end, span->visible), .on = (gint32) i };

  if (pipe->queue > 0)
    ts_mark_ring_add (&pipe->starts, start);
  pipe->next = sync == TS_SYNC_NONE && pipe->flight > 1 ? start : end;
  pipe->end = MAX (pipe->end, span->end);
  if (over.time >= pipe->empty.time)
    pipe->empty = over;
  if (sync != TS_SYNC_NONE)
    return;
  if (pipe->flight > 1)
    ts_mark_ring_add (&pipe->ends, end);
  pipe->last = over;
}

static void
record (TsScheduler *x, guint i, gint64 dispatch, const TsConstraint *best, gint64 end, gint64 wait)
{
  gboolean none = best->time == 0; /* nothing held it */

  x->dispatch[i] = dispatch;
  x->start[i] = best->time;
  x->end[i] = end;
  x->wait[i] = wait;
  x->cause[i] = none ? TS_CAUSE_NONE : best->cause;
  x->on[i] = none ? -1 : best->on;
  x->buffer[i] = none ? -1 : best->through;
}

/* FALSE: instruction core->pos has to wait for another core. */
static gboolean
schedule_one (TsScheduler *x, guint k)
{
  TsCoreState *core = &x->cores[k];
  guint i = core->pos;
  const TsSite *site = ts_stream_site (x->stream, i);
  guint which = site->pipe;
  TsSync sync = (TsSync) site->sync;
  TsPipeState *pipe = &core->pipes[which];
  const TsCost *cost = &x->stream->costs[x->stream->cost[i]];
  TsConstraint issue = { .cause = TS_CAUSE_NONE, .on = -1, .through = -1 }, best;

  gboolean signals = core->signal < core->signal_end && x->stream->signals[core->signal].at <= i;
  gboolean windows = x->stream->window_start[i] != x->stream->window_start[i + 1];

  constrain_dispatch (x, core, i, pipe, &issue);
  best = issue;
  if (signals && !ts_signals_constrain (x, k, which, &best))
    return FALSE;
  constrain_pipe (pipe, sync, &best);
  ts_segments_constrain (x, core, i, which, &best);
  if (windows)
    ts_windows_constrain (x, core, i, which, &best);

  Span span = span_of (core, i, pipe, sync, cost, best.time);
  gint64 dispatch = pipe->queue > 0 ? issue.time : span.start;
  record (x, i, dispatch, &best, span.end, MAX (span.start - pipe->end, 0));
  core->dispatch = dispatch;
  core->dispatched = (gint32) i;
  if (which == TS_PIPE_S)
    core->dispatcher = (TsMark) { .time = span.start + cost->occupancy, .on = (gint32) i };
  pass_pipe (pipe, i, sync, &span);
  ts_segments_update (x, i, which, span.end, span.visible);
  if (windows)
    ts_windows_update (x, core, i, which, span.end, span.visible);
  if (signals)
    ts_signals_update (x, k, i, span.end, span.visible);
  core->pos++;
  return TRUE;
}

/* --- all of them ------------------------------------------------------------------------------------------------------------- */

/* Looks after loops that are filled in. FALSE: *status says what stops the core. */
static gboolean
visit (TsScheduler *x, guint k, Drive *drive, TsScheduleStatus *status)
{
  switch (drive->periodic != NULL ? ts_periodic_visit (drive->periodic, x, k) : TS_PERIODIC_GO)
    {
    case TS_PERIODIC_WAIT:
      *status = TS_SCHEDULE_DONE;
      return FALSE;
    case TS_PERIODIC_FAILED:
      *status = TS_SCHEDULE_NOT_PERIODIC;
      return FALSE;
    case TS_PERIODIC_TOO_LONG:
      *status = TS_SCHEDULE_OVERFLOW;
      return FALSE;
    case TS_PERIODIC_GO:
      break;
    }
  return TRUE;
}

/* Runs one core until it ends or waits for another. *moved tells whether anything was scheduled. */
static TsScheduleStatus
run_core (TsScheduler *x, guint k, Drive *drive, gboolean *moved)
{
  TsCoreState *core = &x->cores[k];
  TsScheduleStatus status = TS_SCHEDULE_DONE;

  while (core->pos < core->end)
    {
      if (!visit (x, k, drive, &status))
        return status;
      if (!schedule_one (x, k))
        return TS_SCHEDULE_DONE;
      *moved = TRUE;
      drive->done++;
      if (x->end[core->pos - 1] > TS_TIME_LIMIT || x->start[core->pos - 1] > TS_TIME_LIMIT)
        return TS_SCHEDULE_OVERFLOW;
      if (--drive->until_look > 0)
        continue;
      drive->until_look = LOOK_EVERY;
      if (look (drive))
        return TS_SCHEDULE_CANCELLED;
    }
  ts_signals_drain (x, k);
  return visit (x, k, drive, &status) ? TS_SCHEDULE_DONE : status;
}

/* Cores take turns: each runs as far as FIFOs let it. The result does not depend on whose turn it is, since every wait names the
 * one push or release it waits for. */
static TsScheduleStatus
run_all (TsScheduler *x, Drive *drive)
{
  for (;;)
    {
      gboolean moved = FALSE, left = FALSE;
      for (guint k = 0; k < x->stream->n_cores; k++)
        {
          TsScheduleStatus status = run_core (x, k, drive, &moved);
          if (status != TS_SCHEDULE_DONE)
            return status;
        }
      for (guint k = 0; k < x->stream->n_cores; k++)
        left |= x->cores[k].pos < x->cores[k].end;
      if (drive->periodic != NULL && !moved && ts_periodic_waits (drive->periodic))
        return TS_SCHEDULE_NOT_PERIODIC;
      if (!left)
        return TS_SCHEDULE_DONE;
      if (!moved)
        return TS_SCHEDULE_DEADLOCK;
    }
}

/* Each pipe knows when all of it is over, copies that were filled in included. */
static gint64
find_makespan (const TsScheduler *x)
{
  gint64 makespan = 0;

  for (guint k = 0; k < x->stream->n_cores; k++)
    for (guint p = 0; p < TS_N_PIPES; p++)
      makespan = MAX (makespan, x->cores[k].pipes[p].empty.time);
  return makespan;
}

/* Instructions that nobody came to have no times. */
static void
blank_rest (TsScheduler *x)
{
  for (guint k = 0; k < x->stream->n_cores; k++)
    for (guint i = x->cores[k].pos; i < x->cores[k].end; i++)
      {
        x->dispatch[i] = x->start[i] = x->end[i] = TS_TIME_NONE;
        x->wait[i] = 0;
        x->on[i] = x->buffer[i] = -1;
        x->cause[i] = TS_CAUSE_NONE;
      }
}

/* Those of all cores, one after the other. */
static void
join_fills (TsScheduler *x, TsSchedule *schedule)
{
  TsFill *all = NULL;
  guint n = 0;

  for (guint k = 0; k < x->stream->n_cores; k++)
    {
      guint first = n;
      all = g_renew (TsFill, all, n + x->cores[k].n_fills);
      for (guint f = 0; f < x->cores[k].n_fills; f++)
        {
          all[n] = x->cores[k].fills[f];
          all[n].parent += all[n].parent >= 0 ? (gint32) first : 0;
          n++;
        }
      g_clear_pointer (&x->cores[k].fills, g_free);
    }
  schedule->fills = all;
  schedule->n_fills = n;
}

static void
join_late (TsScheduler *x, TsSchedule *schedule)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (TsLateFlag));

  for (guint k = 0; k < x->stream->n_cores; k++)
    g_array_append_vals (all, x->cores[k].late->data, x->cores[k].late->len);
  schedule->n_late = all->len;
  schedule->late = (const TsLateFlag *) (gpointer) g_array_free (all, FALSE);
}

static TsSchedule *
take_columns (TsScheduler *x, TsScheduleStatus status)
{
  TsSchedule *schedule = g_new0 (TsSchedule, 1);

  /* Nobody reads what was cancelled: to fill its columns to the end would only touch memory that nothing has touched yet. */
  if (status == TS_SCHEDULE_CANCELLED)
    for (guint k = 0; k < x->stream->n_cores; k++)
      x->cores[k].pos = x->cores[k].end = x->stream->cores[k].first;
  blank_rest (x);
  schedule->n_instructions = status == TS_SCHEDULE_CANCELLED ? 0 : x->stream->n_instructions;
  schedule->dispatch = x->dispatch;
  schedule->start = x->start;
  schedule->end = x->end;
  schedule->wait = x->wait;
  schedule->on = x->on;
  schedule->buffer = x->buffer;
  schedule->cause = x->cause;
  join_fills (x, schedule);
  join_late (x, schedule);
  schedule->status = status;
  if (status == TS_SCHEDULE_DEADLOCK)
    for (guint k = 0; k < x->stream->n_cores; k++)
      if (ts_signals_describe (x, k, &schedule->blocked[schedule->n_blocked]))
        schedule->n_blocked++;
  return schedule;
}

TsSchedule *
ts_schedule_new (const TsStream *stream, const TsMachineTiming *timing, GCancellable *cancellable, TsSimProgress progress,
                 gpointer data)
{
  TsScheduler x;
  Drive drive = { .cancellable = cancellable, .progress = progress, .data = data, .until_look = LOOK_EVERY,
                  .total = stream->n_instructions };
  TsScheduleStatus status = TS_SCHEDULE_OVERFLOW;

  scheduler_init (&x, stream, timing, &drive);
  if (stream->n_repeats > 0)
    drive.periodic = ts_periodic_new (&x);
  if (figures_sane (stream, timing))
    status = look (&drive) ? TS_SCHEDULE_CANCELLED : run_all (&x, &drive);
  TsSchedule *schedule = take_columns (&x, status);
  schedule->makespan = find_makespan (&x);
  schedule->failed = drive.periodic != NULL ? ts_periodic_failed (drive.periodic) : -1;
  g_clear_pointer (&drive.periodic, ts_periodic_free);
  scheduler_clear (&x);
  return schedule;
}

void
ts_schedule_free (TsSchedule *schedule)
{
  if (schedule == NULL)
    return;
  g_free ((gpointer) schedule->dispatch);
  g_free ((gpointer) schedule->start);
  g_free ((gpointer) schedule->end);
  g_free ((gpointer) schedule->wait);
  g_free ((gpointer) schedule->on);
  g_free ((gpointer) schedule->buffer);
  g_free ((gpointer) schedule->cause);
  g_free ((gpointer) schedule->fills);
  g_free ((gpointer) schedule->late);
  g_free (schedule);
}

const TsLateFlag *
ts_schedule_late (const TsSchedule *schedule, guint i)
{
  guint lo = 0, hi = schedule->n_late;

  while (lo < hi)
    {
      guint mid = lo + (hi - lo) / 2;
      if (schedule->late[mid].instruction < i)
        lo = mid + 1;
      else
        hi = mid;
    }
  return lo < schedule->n_late && schedule->late[lo].instruction == i ? &schedule->late[lo] : NULL;
}

gsize
ts_schedule_bytes (const TsSchedule *schedule)
{
  return sizeof *schedule + schedule->n_fills * sizeof (TsFill) + schedule->n_late * sizeof (TsLateFlag)
         + (gsize) schedule->n_instructions * (4 * sizeof (gint64) + 2 * sizeof (gint32) + sizeof (guint8));
}
