/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a schedule amounts to: pipes, bounds, overlap, critical path. */
#include "sim/result.h"

#include <string.h>

#include "base/number.h"
#include "sim/analysis.h"
#include "sim/sort.h"

const char *
ts_binding_name (TsBinding binding)
{
  static const char *const names[] = { "none", "resource", "recurrence" };
  return names[binding];
}

/* --- pipes -------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  gint64 instructions, busy;
  TsPipeNeed need;
  gint64 idle[TS_N_CAUSES];
  gint64 end;  /* of the last one */
  gint64 last; /* that instruction */
} PipeSum;

typedef PipeSum PipeSums[TS_MAX_CORES][TS_N_PIPES];

/* Behind a filled loop its pipes are busy until its last copy ends. */
static void
cross_fill (PipeSums sums, const TsFill *fill)
{
  for (guint p = 0; p < TS_N_PIPES; p++)
    {
      PipeSum *sum = &sums[fill->core][p];
      if (sum->instructions > 0 && sum->last >= fill->from)
        sum->end += fill->times * fill->cycles;
    }
}

static void
sum_pipes (const TsAnalysis *a, PipeSums sums)
{
  const TsStream *s = a->stream;
  const TsSchedule *t = a->schedule;
  TsFillCursor fill = { 0 };
  guint crossed = 0;

  for (guint i = 0; i < s->n_instructions; i++)
    {
      const TsSite *site = ts_stream_site (s, i);
      PipeSum *sum = &sums[site->core][site->pipe];
      gint64 weight = ts_analysis_weight (a, i, &fill);
      if (ts_analysis_stop (a, i))
        return;
      if (t->start[i] < 0)
        continue;
      while (crossed < t->n_fills && t->fills[crossed].at <= i)
        cross_fill (sums, &t->fills[crossed++]);
      sum->instructions = ts_add_sat (sum->instructions, weight);
      ts_pipe_need_add (&sum->need, site, &s->costs[s->cost[i]], weight);
      sum->idle[t->cause[i]] = ts_add_sat (sum->idle[t->cause[i]], ts_mul_sat (t->wait[i], weight));
      sum->busy = ts_add_sat (sum->busy, ts_mul_sat (MAX (t->end[i] - MAX (t->start[i], sum->end), 0), weight));
      sum->end = MAX (sum->end, t->end[i]);
      sum->last = i;
    }
  while (crossed < t->n_fills)
    cross_fill (sums, &t->fills[crossed++]);
}

static void
fill_pipes (const TsAnalysis *a, TsResult *r, PipeSums sums)
{
  TsPipeResult *pipes = g_new0 (TsPipeResult, TS_MAX_CORES * TS_N_PIPES);

  for (guint k = 0; k < a->stream->n_cores; k++)
    for (guint p = 0; p < TS_N_PIPES; p++)
      {
        const PipeSum *sum = &sums[k][p];
        TsPipeResult *out = &pipes[r->n_pipes];
        if (sum->instructions == 0)
          continue;
        r->n_pipes++;
        out->core = (guint8) k;
        out->pipe = (guint8) p;
        out->lane = (guint8) ts_pipe_lane ((TsPipe) p);
        out->instructions = sum->instructions;
        out->busy = sum->busy;
        out->utilization = r->makespan > 0 ? (double) sum->busy / (double) r->makespan : 0;
        memcpy (out->idle, sum->idle, sizeof out->idle);
        out->done = r->makespan - sum->end;
        out->resource = ts_pipe_need_cycles (&sum->need, a->timing, p);
        if (out->resource > r->resource || r->n_pipes == 1)
          {
            r->resource = out->resource;
            r->bound_pipe = p;
            r->bound_core = k;
          }
      }
  r->pipes = pipes;
}

/* --- overlap ------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  gint64 time;
  gint8  step; /* +1 a pipe becomes busy, -1 it stops */
  guint8 lane;
} Edge;

static gint
compare_edges (gconstpointer a, gconstpointer b)
{
  const Edge *x = a, *y = b;
  return x->time < y->time ? -1 : x->time > y->time;
}

/* When each pipe is busy, in glued time; one stretch of work is two edges however many instructions it holds. */
static Edge *
busy_edges (const TsAnalysis *a, guint *n)
{
  const TsStream *s = a->stream;
  const TsSchedule *t = a->schedule;
  gint64 until[TS_MAX_CORES][TS_N_PIPES];
  TsFillCursor fill = { 0 };
  guint open[TS_MAX_CORES][TS_N_PIPES];
  TsColumn edges;

  ts_column_init (&edges, sizeof (Edge));
  memset (until, 0xff, sizeof until);
  memset (open, 0, sizeof open);
  for (guint i = 0; i < s->n_instructions; i++)
    {
      const TsSite *site = ts_stream_site (s, i);
      gint64 *end = &until[site->core][site->pipe], by = ts_analysis_shift (a, i, &fill);
      guint *last = &open[site->core][site->pipe];
      gint64 from = t->start[i] - by, to = t->end[i] - by;
      if (ts_analysis_stop (a, i))
        break;
      if (t->start[i] < 0 || to <= from)
        continue;
      if (*end >= from)
        {
          *end = MAX (*end, to);
          ts_column_index (&edges, Edge, *last).time = *end;
          continue;
        }
      Edge begin = { .time = from, .step = 1, .lane = (guint8) ts_pipe_lane ((TsPipe) site->pipe) };
      Edge stop = { .time = to, .step = -1, .lane = begin.lane };
      ts_column_add (&edges, begin);
      ts_column_add (&edges, stop);
      *last = edges.len - 1;
      *end = to;
    }
  return ts_analysis_sort (a, &edges, compare_edges, n);
}

/* A stretch of glued time that stands for itself and for its copies: what a fill copies looks like [begin, end). */
typedef struct
{
  gint64 begin, end;
  gint64 weight;
  gint32 around; /* the stretch that this one lies in, -1 */
} Stretch;

/* One for every fill of the core that comes first among those that have any: the others are filled in along with it. Each begins to
 * repeat when the last of them does. Stretches come in the order of their ends, inner before outer ones. */
static GArray *
find_stretches (const TsAnalysis *a)
{
  const TsSchedule *t = a->schedule;
  GArray *out = g_array_new (FALSE, FALSE, sizeof (Stretch));
  guint n = 0;
  gint64 shift = 0;

  while (n < t->n_fills && t->fills[n].core == t->fills[0].core)
    n++;
  for (guint f = 0; f < n; f++)
    {
      const TsFill *fill = &t->fills[f];
      gint64 end = fill->time, inner = 0;
      for (guint k = f; k < t->n_fills; k += n) /* the same one of every core */
        end = MAX (end, t->fills[k].time);
      for (guint k = f; k > 0 && t->fills[k - 1].at > fill->from; k--)
        inner += t->fills[k - 1].times * t->fills[k - 1].cycles;
      Stretch stretch = { .end = end - shift, .weight = 1 + fill->times, .around = fill->parent };
      stretch.begin = stretch.end - (fill->cycles - inner);
      g_array_append_val (out, stretch);
      shift += fill->times * fill->cycles;
    }
  for (guint f = n; f-- > 0;)
    {
      Stretch *stretch = &g_array_index (out, Stretch, f);
      if (stretch->around >= 0)
        stretch->weight = ts_mul_sat (stretch->weight, g_array_index (out, Stretch, stretch->around).weight);
    }
  return out;
}

/* Real cycles for the glued ones from .. to. *next: the first stretch that may end behind `from`; ask in ascending order. */
static gint64
real_cycles (const GArray *stretches, gint64 from, gint64 to, guint *next)
{
  gint64 sum = 0;

  while (from < to)
    {
      gint64 until = to, weight = 1;
      while (*next < stretches->len && g_array_index (stretches, Stretch, *next).end <= from)
        (*next)++;
      for (gint32 f = *next < stretches->len ? (gint32) *next : -1; f >= 0; f = g_array_index (stretches, Stretch, f).around)
        {
          const Stretch *stretch = &g_array_index (stretches, Stretch, f);
          if (stretch->begin <= from)
            {
              weight = stretch->weight;
              until = MIN (until, stretch->end);
              break;
            }
          until = MIN (until, stretch->begin);
        }
      sum = ts_add_sat (sum, ts_mul_sat (until - from, weight));
      from = until;
    }
  return sum;
}

static void
analyse_overlap (TsAnalysis *a, TsResult *r)
{
  guint n_edges = 0;
  g_autofree Edge *edges = busy_edges (a, &n_edges);
  g_autoptr (GArray) stretches = find_stretches (a);
  guint busy[TS_N_LANES] = { 0 }, lanes = 0, next = 0;
  gint64 before = 0, glued = r->makespan;

  for (guint f = 0; f < a->schedule->n_fills && a->schedule->fills[f].core == a->schedule->fills[0].core; f++)
    glued -= a->schedule->fills[f].times * a->schedule->fills[f].cycles;
  for (guint i = 0; i < n_edges && !ts_analysis_stop (a, i); i++)
    {
      const Edge *e = &edges[i];
      r->overlap[lanes] += real_cycles (stretches, before, e->time, &next);
      before = MAX (before, e->time);
      if (e->step > 0)
        lanes += busy[e->lane]++ == 0;
      else
        lanes -= --busy[e->lane] == 0;
    }
  r->overlap[lanes] += real_cycles (stretches, before, glued, &next);
}

/* --- critical path ------------------------------------------------------------------------------------------------------ */

#define MAX_LOOK_BACK 4096u

/* What decided when an instruction was dispatched (its record says what decided its start): a scalar, room in the queue, the
 * dispatcher; -1: nothing. */
static gint64
dispatch_reason (const TsAnalysis *a, guint i)
{
  const TsStream *s = a->stream;
  const TsSchedule *t = a->schedule;
  const TsSite *site = ts_stream_site (s, i);
  gint64 queue = a->timing->queue_depth[site->pipe];
  guint first = s->cores[site->core].first, back = i;

  for (guint32 k = s->scalar_start[i]; k < s->scalar_start[i + 1]; k++)
    if (ts_schedule_visible (t, s, a->timing, (guint) s->scalars[k]) == t->dispatch[i])
      return s->scalars[k];
  for (guint n = 0; queue > 0 && back > first && n < MAX_LOOK_BACK; n++)
    if (ts_stream_site (s, --back)->pipe == site->pipe && --queue == 0 && t->start[back] == t->dispatch[i])
      return back;
  return i > first ? (gint64) i - 1 : -1;
}

/* Where the path goes on. An instruction that was dispatched behind one which then waited in its queue was not held by that one's
 * start, but by what held its dispatch. */
static gint64
step_back (const TsAnalysis *a, guint i)
{
  const TsSchedule *t = a->schedule;
  gint64 k = t->on[i];

  while (k >= 0 && t->cause[i] == TS_CAUSE_DISPATCH && t->start[k] > t->start[i])
    k = dispatch_reason (a, (guint) k);
  return k;
}

/* The path from `last` back to the start. Somebody who waits until a flag is set waits for what is over last before it, not for
 * what held the instruction that sets it. */
/* Newest first. */
static void
path_back (const TsAnalysis *a, gint64 last, TsColumn *path)
{
  const TsSchedule *t = a->schedule;
  gboolean over = TRUE; /* the path goes through when `i` is over, not through when it leaves its pipe */

  for (gint64 i = last; i >= 0 && path->len <= a->stream->n_instructions && !ts_analysis_stop (a, path->len);)
    {
      guint32 k = (guint32) i;
      const TsLateFlag *late = over ? ts_schedule_late (t, k) : NULL;
      ts_column_add (path, k);
      i = late != NULL ? late->on : step_back (a, k);
      over = late != NULL || t->cause[k] == TS_CAUSE_FIFO || t->cause[k] == TS_CAUSE_BARRIER;
    }
}

static void
analyse_critical (TsAnalysis *a, TsResult *r)
{
  const TsSchedule *t = a->schedule;
  gint64 last = -1, best = -1;

  for (guint i = 0; i < a->stream->n_instructions && !ts_analysis_stop (a, i); i++)
    if (t->start[i] >= 0)
      {
        gint64 end = MAX (t->end[i], ts_schedule_visible (t, a->stream, a->timing, i));
        if (end >= best)
          {
            best = end;
            last = i;
          }
      }
  TsColumn path;
  ts_column_init (&path, sizeof (guint32));
  path_back (a, last, &path);
  r->n_critical = path.len;
  guint32 *critical = ts_column_take (&path, ts_analysis_stop_sorting, a);
  r->critical = critical;
  for (guint i = 0; critical != NULL && i < r->n_critical / 2; i++)
    {
      guint32 k = critical[i];
      critical[i] = critical[r->n_critical - 1 - i];
      critical[r->n_critical - 1 - i] = k;
    }
}

/* --- all of it ---------------------------------------------------------------------------------------------------------- */

gboolean
ts_analysis_look (const TsAnalysis *a, guint i)
{
  TsAnalysisProgress *p = a->progress;
  gint64 n = a->stream->n_instructions;

  p->done = MAX (p->done, p->phase * n + MIN (i, n));
  if (p->tell != NULL)
    p->tell ("results", p->done, TS_ANALYSIS_PHASES * n, p->data);
  return g_cancellable_is_cancelled (a->cancellable);
}

gboolean
ts_analysis_stop_sorting (gconstpointer analysis)
{
  return ts_analysis_look (analysis, 0);
}

gpointer
ts_analysis_sort (const TsAnalysis *a, TsColumn *column, GCompareFunc compare, guint *n)
{
  const guint len = column->len, size = column->size;
  g_autofree char *all = ts_column_take (column, ts_analysis_stop_sorting, a);

  *n = 0;
  if (all == NULL || !ts_sort_pieces (all, len, size, compare, ts_analysis_stop_sorting, a))
    return NULL;
  *n = len;
  return g_steal_pointer (&all);
}

static void
analyse_pipes (TsAnalysis *a, TsResult *r)
{
  PipeSums sums;

  memset (sums, 0, sizeof sums);
  sum_pipes (a, sums);
  fill_pipes (a, r, sums);
}

static void
analyse_depth (TsAnalysis *a, TsResult *r)
{
  r->dependence = ts_analyse_depth (a);
}

static void
analyse_loops (TsAnalysis *a, TsResult *r)
{
  r->loops = ts_analyse_loops (a, &r->n_loops);
}

static void
analyse_memory (TsAnalysis *a, TsResult *r)
{
  r->memory = ts_analyse_memory (a, &r->n_memory);
}

TsResult *
ts_result_new (const TsStream *stream, const TsSchedule *schedule, const TsMachine *machine, GCancellable *cancellable,
               TsSimProgress progress, gpointer data)
{
  static void (*const analyses[]) (TsAnalysis *, TsResult *)
      = { analyse_pipes, analyse_depth, analyse_overlap, analyse_critical, analyse_loops, analyse_memory };
  TsAnalysisProgress told = { .tell = progress, .data = data };
  TsAnalysis a = { .stream = stream, .schedule = schedule, .machine = machine, .timing = ts_machine_timing (machine),
                   .cancellable = cancellable, .progress = &told };
  TsResult *r = g_new0 (TsResult, 1);

  r->makespan = schedule->makespan;
  for (guint i = 0; i < G_N_ELEMENTS (analyses) && !ts_analysis_look (&a, 0); i++, told.phase++)
    analyses[i](&a, r);
  r->bound = MAX (r->resource, r->dependence);
  r->efficiency = r->makespan > 0 ? (double) r->bound / (double) r->makespan : 1;
  g_free (a.depth);
  if (g_cancellable_is_cancelled (cancellable))
    g_clear_pointer (&r, ts_result_free);
  return r;
}

void
ts_result_free (TsResult *r)
{
  if (r == NULL)
    return;
  g_free ((gpointer) r->pipes);
  g_free ((gpointer) r->loops);
  ts_memory_results_free ((TsMemoryResult *) r->memory, r->n_memory);
  g_free ((gpointer) r->critical);
  g_free (r);
}
