/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filling in periodic loops: where the state of the scheduler returns (but for a shift in time), so does everything that follows.
 *
 * The stream promises that what it left out repeats the last period: same statements, costs and ranges, windows that move on
 * evenly. Here it is checked that the state that decides the next start (periodic-state.c) is the same at `at` as some periods
 * before. Then every iteration left out takes the same cycles, and jumping over them is exact. The cores of a group leave out the
 * same at the same time: their states and what is in their FIFOs return together. Loops inside each other are filled in from the
 * inside. */
#include "sim/scheduler.h"

#include <string.h>

#include "base/number.h"

static const guint candidates[] = { 1, 2, 3, 4, 5, 6, 8, 10, 12 };
#define N_STATES TS_REPEAT_BOUNDARIES

/* A repeat that is being come to. */
typedef struct
{
  TsPeriodUse     use;
  TsBoundaryState states[N_STATES];
} Watch;

/* A place where something is to be done. */
typedef struct
{
  guint pos, repeat, boundary;
} Stop;

typedef struct
{
  Stop    *stops; /* in the order of the stream */
  guint    n_stops, next;
  guint    first, n, done; /* repeats of the core: first .. first + n - 1 of the stream; filled in so far */
  gboolean waits; /* at the next of them */
} CoreWatch;

struct TsPeriodic
{
  CoreWatch  cores[TS_MAX_CORES];
  Watch    **watches; /* per repeat: NULL before its first boundary and when it is done */
  GPtrArray *kept;    /* shift vectors that marks point to */
  gint32     failed;
};

/* --- places --------------------------------------------------------------------------------------------------------------- */

static gint
compare_stops (gconstpointer a, gconstpointer b)
{
  const Stop *x = a, *y = b;

  if (x->pos != y->pos)
    return x->pos < y->pos ? -1 : 1;
  if ((x->boundary == 0) != (y->boundary == 0))
    return x->boundary == 0 ? -1 : 1;
  return x->repeat < y->repeat ? -1 : x->repeat > y->repeat;
}

static void
find_stops (CoreWatch *w, const TsStream *s, guint core)
{
  GArray *stops = g_array_new (FALSE, FALSE, sizeof (Stop));

  for (guint r = 0; r < s->n_repeats; r++)
    {
      if (s->loops[s->repeats[r].loop].core != core)
        continue;
      w->first = w->n == 0 ? r : w->first;
      w->n++;
      for (guint k = 0; k < s->repeats[r].n_boundaries; k++)
        {
          Stop stop = { .pos = s->repeats[r].boundary[k], .repeat = r, .boundary = k };
          g_array_append_val (stops, stop);
        }
    }
  g_array_sort (stops, compare_stops);
  w->n_stops = stops->len;
  w->stops = (Stop *) (gpointer) g_array_free (stops, FALSE);
}

TsPeriodic *
ts_periodic_new (const TsScheduler *x)
{
  TsPeriodic *p = g_new0 (TsPeriodic, 1);

  p->watches = g_new0 (Watch *, x->stream->n_repeats + 1);
  p->kept = g_ptr_array_new_with_free_func (g_free);
  p->failed = -1;
  for (guint k = 0; k < x->stream->n_cores; k++)
    find_stops (&p->cores[k], x->stream, k);
  return p;
}

static void
watch_free (Watch *w)
{
  if (w == NULL)
    return;
  for (guint k = 0; k < N_STATES; k++)
    ts_boundary_state_clear (&w->states[k]);
  g_clear_pointer (&w->use.touched, g_array_unref);
  g_free (w);
}

void
ts_periodic_free (TsPeriodic *p)
{
  for (guint k = 0; k < TS_MAX_CORES; k++)
    {
      for (guint r = 0; r < p->cores[k].n; r++)
        watch_free (p->watches[p->cores[k].first + r]);
      g_free (p->cores[k].stops);
    }
  g_free (p->watches);
  g_ptr_array_unref (p->kept);
  g_free (p);
}

gint32
ts_periodic_failed (const TsPeriodic *p)
{
  return p->failed;
}

gboolean
ts_periodic_waits (const TsPeriodic *p)
{
  gboolean any = FALSE;

  for (guint k = 0; k < TS_MAX_CORES; k++)
    any |= p->cores[k].waits;
  return any;
}

/* --- is the stream what it promises? ------------------------------------------------------------------------------------------ */

static gboolean
same_scalars (const TsStream *s, guint i, guint j, guint from)
{
  gint64 length = (gint64) j - i;

  guint32 n = s->scalar_start[i + 1] - s->scalar_start[i];

  if (n != s->scalar_start[j + 1] - s->scalar_start[j])
    return FALSE;
  for (guint32 k = 0; k < n; k++)
    {
      gint32 a = s->scalars[s->scalar_start[i] + k], b = s->scalars[s->scalar_start[j] + k];
      gboolean outside = (guint) a < from && a == b;
      if (!outside && ((gint64) i - a != (gint64) j - b || (gint64) i - a > length))
        return FALSE;
    }
  return TRUE;
}

/* Windows of one tensor move on by the same offsets, if the tensor is one whose accesses are ordered. */
static gboolean
same_windows (gint64 *shifts, const TsScheduler *x, guint i, guint j, gboolean *known)
{
  const TsStream *s = x->stream;
  guint32 n = s->window_start[i + 1] - s->window_start[i];

  if (n != s->window_start[j + 1] - s->window_start[j])
    return FALSE;
  for (guint32 k = 0; k < n; k++)
    {
      const TsWindow *a = &s->windows[s->window_start[i] + k], *b = &s->windows[s->window_start[j] + k];
      const TsWindowShape *shape = &s->window_shapes[a->shape];
      gint64 *shift = shifts + (gsize) shape->tensor * TS_MAX_WINDOW_RANK;
      if (a->shape != b->shape)
        return FALSE;
      for (guint d = 0; x->tensor_written[shape->tensor] && d < shape->rank; d++)
        {
          gint64 step = s->offsets[b->offsets + d] - s->offsets[a->offsets + d];
          if (known[shape->tensor] && step != shift[d])
            return FALSE;
          shift[d] = step;
        }
      known[shape->tensor] = TRUE;
    }
  return TRUE;
}

/* Fills inside one period are the same ones in the next. */
static gboolean
same_fills (const TsCoreState *core, guint from, guint middle, guint to)
{
  guint n = core->n_fills, i, j;

  for (i = n; i > 0 && core->fills[i - 1].at > middle; i--)
    ;
  for (j = i; j > 0 && core->fills[j - 1].at > from; j--)
    ;
  if (n - i != i - j)
    return FALSE;
  for (guint k = 0; k < i - j; k++)
    {
      const TsFill *a = &core->fills[j + k], *b = &core->fills[i + k];
      if (b->at - a->at != middle - from || b->from - a->from != middle - from || a->times != b->times || a->cycles != b->cycles
          || b->at > to)
        return FALSE;
    }
  return TRUE;
}

static gboolean
stream_repeats (gint64 *shifts, const TsScheduler *x, const TsRepeat *repeat)
{
  const TsStream *s = x->stream;
  guint length = repeat->at - repeat->boundary[1];
  g_autofree gboolean *known = g_new0 (gboolean, (gsize) s->n_tensors + 1);

  if (length == 0 || repeat->n_boundaries < 3 || repeat->boundary[1] - repeat->boundary[2] != length)
    return FALSE;
  for (guint i = repeat->boundary[2]; i < repeat->boundary[1]; i++)
    {
      guint j = i + length;
      if (s->site[i] != s->site[j] || s->cost[i] != s->cost[j] || s->accesses[i] != s->accesses[j]
          || !same_scalars (s, i, j, repeat->boundary[2]) || !same_windows (shifts, x, i, j, known))
        return FALSE;
    }
  return same_fills (&x->cores[s->loops[repeat->loop].core], repeat->boundary[2], repeat->boundary[1], repeat->at);
}

static gboolean
same_numbers (const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, (gsize) a->len * sizeof (gint64)) == 0;
}

/* --- jumping ------------------------------------------------------------------------------------------------------------ */

/* Everything that can still hold somebody belongs to periods that look alike: after the copies it is what it is now, so much later.
 * What is over long ago may stay where it is. */
typedef struct
{
  TsPeriodic   *p;
  TsScheduler  *x;
  const TsFill *fill;
  gint64        by;
  gint64        live; /* times from here on matter */
} Jump;

static gboolean
moves (const Jump *j, gint64 time, gint32 on)
{
  return on >= 0 && (time >= j->live || (guint) on >= j->fill->from);
}

static void
shift_mark (const Jump *j, TsMark *mark)
{
  if (moves (j, mark->time, mark->on))
    mark->time += j->by;
}

/* Windows move on as well. */
static void
shift_window (const Jump *j, TsWindowMark *mark, const gint64 *shift, gint64 periods)
{
  if (!moves (j, MAX (mark->end, mark->visible), mark->on))
    return;
  gint64 *moved = g_new0 (gint64, TS_MAX_WINDOW_RANK);
  for (guint d = 0; d < TS_MAX_WINDOW_RANK; d++)
    moved[d] = ts_add_sat (mark->shift != NULL ? mark->shift[d] : 0, ts_mul_sat (shift[d], periods));
  g_ptr_array_add (j->p->kept, moved);
  mark->end += j->by;
  mark->visible += j->by;
  mark->horizon += j->by;
  mark->shift = moved;
}

static void
shift_windows (const Jump *j, const gint64 *shifts, gint64 periods)
{
  const TsCoreState *core = &j->x->cores[j->fill->core];

  for (guint t = 0; t < j->x->stream->n_tensors && core->tensors != NULL; t++)
    for (guint use = 0; use < 2; use++)
      for (guint q = 0; q < TS_N_PIPES; q++)
        {
          TsWindowQueue *queue = &core->tensors[t].queue[use][q];
          for (guint k = queue->head; k < queue->n; k++)
            shift_window (j, &queue->marks[k], shifts + (gsize) t * TS_MAX_WINDOW_RANK, periods);
        }
}

/* As far back as somebody may look: a FIFO has `slots`. */
static void
shift_marks (const Jump *j, GArray *marks, guint since, gint64 slots)
{
  gint64 from = MIN ((gint64) since, (gint64) marks->len - MAX (slots, 0));

  for (guint i = (guint) MAX (from, 0); i < marks->len; i++)
    shift_mark (j, &g_array_index (marks, TsMark, i));
}

static void
shift_channels (const Jump *jump, const TsTraffic *since)
{
  guint core = jump->fill->core;

  for (guint c = 0; c < jump->x->stream->n_channels; c++)
    {
      gint64 slots = jump->x->stream->channels[c].slots;
      shift_marks (jump, jump->x->channels[c].pushes[core], since[c].pushes, slots);
      shift_marks (jump, jump->x->channels[c].pops[core], since[c].pops, slots);
      shift_marks (jump, jump->x->channels[c].releases[core], since[c].releases, slots);
    }
}

static void
shift_ring (const Jump *j, TsMarkRing *ring)
{
  for (gint64 i = 0; i <= ring->mask && i < ring->n; i++)
    shift_mark (j, &ring->marks[i]);
}

static void
shift_pipe (const Jump *j, TsPipeState *pipe, gboolean used)
{
  if (used)
    pipe->end += j->by;
  shift_ring (j, &pipe->starts);
  shift_ring (j, &pipe->ends);
  shift_mark (j, &pipe->next);
  shift_mark (j, &pipe->last);
  shift_mark (j, &pipe->barrier);
  shift_mark (j, &pipe->empty);
}

static void
shift_core (const Jump *j, const TsPeriodUse *use)
{
  TsCoreState *core = &j->x->cores[j->fill->core];

  core->dispatch += j->by;
  shift_mark (j, &core->dispatcher);
  for (guint k = 0; k < TS_N_PIPES; k++)
    shift_pipe (j, &core->pipes[k], use->pipes >> k & 1);
  for (guint k = 0; k < use->touched->len; k++)
    {
      TsSegment *segment = &j->x->segments[g_array_index (use->touched, guint32, k)];
      for (guint q = 0; q < TS_N_PIPES; q++)
        {
          if ((segment->readers >> q & 1) != 0)
            shift_mark (j, &segment->reader[q]);
          if ((segment->writers >> q & 1) != 0)
            shift_mark (j, &segment->writer[q]);
        }
      if (segment->writers != 0)
        shift_mark (j, &segment->producer);
    }
}

static void
add_fill (TsCoreState *core, const TsFill *fill)
{
  core->fills = g_renew (TsFill, core->fills, core->n_fills + 1);
  core->fills[core->n_fills] = *fill;
  for (guint i = core->n_fills; i > 0 && core->fills[i - 1].at > fill->from; i--)
    if (core->fills[i - 1].parent < 0)
      core->fills[i - 1].parent = (gint32) core->n_fills;
  core->n_fills++;
}

/* --- all cores at once -------------------------------------------------------------------------------------------------------- */

/* The repeat that every core has come to. */
typedef struct
{
  const TsRepeat *repeat[TS_MAX_CORES]; /* NULL: the core has none */
  Watch          *watch[TS_MAX_CORES];
  gint64         *shifts[TS_MAX_CORES];
  guint           n;
} Joint;

static const TsBoundaryState nobody = { 0 };

/* How many cycles `q` periods take, if everything is as it was before them; -1: it is not. */
static gint64
cycles_of (const TsScheduler *x, const Joint *joint, guint q)
{
  const TsBoundaryState *now[TS_MAX_CORES], *then[TS_MAX_CORES];
  gint64 cycles = -1, times = -1;

  for (guint k = 0; k < joint->n; k++)
    {
      const TsRepeat *repeat = joint->repeat[k];
      now[k] = then[k] = &nobody;
      if (repeat == NULL)
        continue;
      gint64 unit = ts_mul_sat (repeat->period, q);
      if (q >= repeat->n_boundaries || repeat->omitted % unit != 0 || (times >= 0 && repeat->omitted / unit != times))
        return -1;
      now[k] = &joint->watch[k]->states[0];
      then[k] = &joint->watch[k]->states[q];
      if ((cycles >= 0 && now[k]->dispatch - then[k]->dispatch != cycles) || !same_numbers (now[k]->numbers, then[k]->numbers))
        return -1;
      cycles = now[k]->dispatch - then[k]->dispatch;
      times = repeat->omitted / unit;
    }
  return ts_boundary_same_channels (x, now, then, joint->n) ? cycles : -1;
}

static void
fill_in (TsPeriodic *p, TsScheduler *x, const Joint *joint, guint q, gint64 cycles)
{
  gint64 earliest = G_MAXINT64;

  for (guint k = 0; k < joint->n; k++)
    earliest = joint->repeat[k] != NULL ? MIN (earliest, x->cores[k].dispatch) : earliest;
  for (guint k = 0; k < joint->n; k++)
    {
      const TsRepeat *repeat = joint->repeat[k];
      if (repeat == NULL)
        continue;
      TsFill fill = { .from = repeat->boundary[q], .at = repeat->at, .core = k, .parent = -1,
                      .times = repeat->omitted / (repeat->period * q), .cycles = cycles, .time =
                          joint->watch[k]->states[0].dispatch };
      Jump jump = { .p = p, .x = x, .fill = &fill, .by = fill.times * fill.cycles, .live = x->cores[k].dispatch - x->max_sync };
      shift_windows (&jump, joint->shifts[k], repeat->omitted / repeat->period);
      shift_core (&jump, &joint->watch[k]->use);
      jump.live = earliest - x->max_sync - x->timing->cross_core;
      shift_channels (&jump, joint->watch[k]->states[q].traffic);
      add_fill (&x->cores[k], &fill);
    }
}

/* Finds how many periods it takes until the state returns, and jumps. */
static TsPeriodicStep
try_joint (TsPeriodic *p, TsScheduler *x, const Joint *joint)
{
  for (guint k = 0; k < joint->n; k++)
    if (joint->repeat[k] != NULL && !stream_repeats (joint->shifts[k], x, joint->repeat[k]))
      {
        p->failed = (gint32) (joint->repeat[k] - x->stream->repeats);
        return TS_PERIODIC_FAILED;
      }
  for (guint c = 0; c < G_N_ELEMENTS (candidates); c++)
    {
      gint64 cycles = cycles_of (x, joint, candidates[c]);
      if (cycles < 0)
        continue;
      for (guint k = 0; k < joint->n; k++)
        if (joint->repeat[k] != NULL
            && ts_add_sat (ts_mul_sat (joint->repeat[k]->omitted / joint->repeat[k]->period / candidates[c], cycles),
                           x->cores[k].dispatch) > TS_TIME_LIMIT)
          return TS_PERIODIC_TOO_LONG;
      fill_in (p, x, joint, candidates[c], cycles);
      return TS_PERIODIC_GO;
    }
  for (guint k = joint->n; k-- > 0;)
    if (joint->repeat[k] != NULL)
      p->failed = (gint32) (joint->repeat[k] - x->stream->repeats);
  return TS_PERIODIC_FAILED;
}

static TsPeriodicStep
join (TsPeriodic *p, TsScheduler *x)
{
  Joint joint = { .n = x->stream->n_cores };

  for (guint k = 0; k < joint.n; k++)
    {
      CoreWatch *w = &p->cores[k];
      if (w->n == 0)
        continue;
      joint.repeat[k] = &x->stream->repeats[w->first + w->done];
      joint.watch[k] = p->watches[w->first + w->done];
      joint.shifts[k] = g_new0 (gint64, ((gsize) x->stream->n_tensors + 1) * TS_MAX_WINDOW_RANK);
    }
  TsPeriodicStep step = try_joint (p, x, &joint);
  for (guint k = 0; k < joint.n; k++)
    {
      CoreWatch *w = &p->cores[k];
      g_free (joint.shifts[k]);
      if (w->n == 0)
        continue;
      g_clear_pointer (&p->watches[w->first + w->done], watch_free);
      w->done++;
      w->next++;
      w->waits = FALSE;
    }
  return step;
}

/* Cores without a part in it (none of their loops leaves anything out) must have nothing to do at all. */
static gboolean
all_wait (const TsPeriodic *p, const TsScheduler *x, gboolean *possible)
{
  gboolean all = TRUE;

  for (guint k = 0; k < x->stream->n_cores; k++)
    {
      *possible &= p->cores[k].n > 0 || x->stream->cores[k].n == 0;
      all &= p->cores[k].n == 0 || p->cores[k].waits;
    }
  return all;
}

TsPeriodicStep
ts_periodic_visit (TsPeriodic *p, TsScheduler *x, guint k)
{
  CoreWatch *w = &p->cores[k];
  gboolean possible = TRUE;

  while (w->next < w->n_stops && w->stops[w->next].pos == x->cores[k].pos)
    {
      const Stop *stop = &w->stops[w->next];
      const TsRepeat *repeat = &x->stream->repeats[stop->repeat];
      Watch *watch = p->watches[stop->repeat];
      if (w->waits)
        return TS_PERIODIC_WAIT;
      if (watch == NULL)
        {
          watch = p->watches[stop->repeat] = g_new0 (Watch, 1);
          ts_period_use_find (&watch->use, x, repeat);
        }
      ts_boundary_state_write (&watch->states[stop->boundary], x, k, &watch->use);
      if (stop->boundary > 0)
        {
          w->next++;
          continue;
        }
      w->waits = TRUE;
      if (stop->repeat != w->first + w->done)
        return TS_PERIODIC_FAILED;
      gboolean all = all_wait (p, x, &possible);
      if (!possible)
        return TS_PERIODIC_FAILED;
      if (!all)
        return TS_PERIODIC_WAIT;
      TsPeriodicStep step = join (p, x);
      if (step != TS_PERIODIC_GO)
        return step;
    }
  return TS_PERIODIC_GO;
}
