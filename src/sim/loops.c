/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops as the schedule ran them: initiation interval, what bounds it, prologue, steady state, epilogue.
 * Source: spec simulator.md section 4, `per loop`. */
#include "sim/analysis.h"

#include <string.h>

#include "base/number.h"
#include "sim/loop-growth.h"

/* Last time a statement came round in one of the loops around it: its first occurrence in that iteration. */
typedef struct
{
  gint32 node;        /* iteration; -1 none yet */
  guint  instruction;
  gint64 start, glued;
  TsGrowth growth;    /* of the chain that ends here */
  gboolean again;     /* it came round at least once */
} Visit;

/* Equal distances of one loop on one pipe, counted. */
typedef struct
{
  gint32 loop;
  guint8 pipe;
  gint64 distance;
  gint64 count;
} Distance;

typedef struct
{
  TsPipeNeed need[TS_N_PIPES];
  gint32 latest[TS_N_PIPES]; /* entry of `distances` added last, -1 */
  gint32 parent;  /* enclosing iteration of the execution at hand; -2 none yet */
  gint64 iterations, begin, end; /* of it */
  gint32 best_parent;
  gint64 best_iterations, best_begin, best_end;
  gint64 executions, total;
  gint64 weight;
  gboolean seen;
} LoopSum;

typedef struct
{
  const TsAnalysis *a;
  LoopSum *sums;
  guint   *first_visit; /* per site */
  Visit   *visits;
  TsColumn distances; /* Distance */
  TsGrowthStore growths;
} Loops;

static guint
depth_of_site (const TsStream *s, const TsSite *site)
{
  guint n = 0;

  for (gint32 loop = site->loop; loop >= 0; loop = s->loops[loop].parent)
    n++;
  return n;
}

static void
loops_init (Loops *l)
{
  const TsStream *s = l->a->stream;
  guint n = 0;

  l->sums = g_new0 (LoopSum, (gsize) s->n_loops + 1);
  l->first_visit = g_new (guint, (gsize) s->n_sites + 1);
  for (guint i = 0; i < s->n_sites && !ts_analysis_stop (l->a, i); i++)
    {
      l->first_visit[i] = n;
      n += depth_of_site (s, &s->sites[i]);
    }
  l->visits = g_new (Visit, (gsize) n + 1);
  for (guint i = 0; i < n && !ts_analysis_stop (l->a, i); i++)
    l->visits[i] = (Visit) { .node = -1 };
  ts_column_init (&l->distances, sizeof (Distance));
  ts_growth_store_init (&l->growths);
  for (guint i = 0; i < s->n_loops; i++)
    {
      l->sums[i].parent = l->sums[i].best_parent = -2;
      for (guint p = 0; p < TS_N_PIPES; p++)
        l->sums[i].latest[p] = -1;
    }
}

static void
add_distance (Loops *l, gint32 loop, guint pipe, gint64 distance, gint64 count)
{
  LoopSum *sum = &l->sums[loop];
  Distance fresh = { .loop = loop, .pipe = (guint8) pipe, .distance = distance, .count = count };

  if (sum->latest[pipe] >= 0)
    {
      Distance *last = &ts_column_index (&l->distances, Distance, sum->latest[pipe]);
      if (last->distance == distance)
        {
          last->count = ts_add_sat (last->count, count);
          return;
        }
    }
  sum->latest[pipe] = (gint32) l->distances.len;
  ts_column_add (&l->distances, fresh);
}

/* Iterations of a loop that were left out between two instructions. */
static gint64
omitted_between (const Loops *l, gint32 loop, guint from, guint to)
{
  const TsStream *s = l->a->stream;
  guint lo = 0, hi = s->n_repeats;
  gint64 n = 0;

  while (lo < hi)
    {
      guint mid = lo + (hi - lo) / 2;
      if (s->repeats[mid].at <= from)
        lo = mid + 1;
      else
        hi = mid;
    }
  for (guint r = lo; r < s->n_repeats && s->repeats[r].at <= to; r++)
    if (s->repeats[r].loop == loop)
      n += s->repeats[r].omitted;
  return n;
}

static void
begin_execution (LoopSum *sum, gint32 parent)
{
  if (sum->parent != -2 && sum->iterations > sum->best_iterations)
    {
      sum->best_parent = sum->parent;
      sum->best_iterations = sum->iterations;
      sum->best_begin = sum->begin;
      sum->best_end = sum->end;
    }
  if (sum->parent != -2)
    sum->total = ts_add_sat (sum->total, ts_mul_sat (sum->iterations, sum->weight));
  sum->parent = parent;
  sum->iterations = 0;
  sum->begin = G_MAXINT64;
  sum->end = 0;
}

static void
visit_level (Loops *l, guint i, gint32 node, Visit *v, gint64 glued, gint64 weight, gboolean *again)
{
  const TsStream *s = l->a->stream;
  const TsIteration *it = &s->iterations[node];

  *again = v->node == node;
  if (*again)
    return;
  if (v->node >= 0 && s->iterations[v->node].parent == it->parent)
    {
      gint64 steps = it->index - s->iterations[v->node].index, start = l->a->schedule->start[i];
      gint64 omitted = steps > 1 && s->n_repeats > 0 ? omitted_between (l, it->loop, v->instruction, i) : 0;
      if (steps - omitted == 1)
        add_distance (l, it->loop, ts_stream_site (s, i)->pipe, omitted > 0 ? glued - v->glued : start - v->start, weight);
      v->again = TRUE;
      ts_growth_again (&l->growths, &v->growth, it->index, l->a->depth[i]);
    }
  else
    ts_growth_begin (&l->growths, &v->growth, it->index, l->a->depth[i]);
  v->node = node;
  v->instruction = i;
  v->start = l->a->schedule->start[i];
  v->glued = glued;
}

static void
add_instruction (Loops *l, guint i, gint64 weight, gint64 glued)
{
  const TsStream *s = l->a->stream;
  const TsSchedule *t = l->a->schedule;
  const TsSite *site = ts_stream_site (s, i);
  Visit *visits = l->visits + l->first_visit[s->site[i]];
  gboolean again = FALSE;
  guint level = 0;
  gint64 over = MAX (t->end[i], ts_schedule_visible (t, s, l->a->timing, i));

  for (gint32 node = s->iteration[i]; node >= 0; node = s->iterations[node].parent, level++)
    {
      const TsIteration *it = &s->iterations[node];
      LoopSum *sum = &l->sums[it->loop];
      if (!sum->seen || sum->parent != it->parent)
        {
          begin_execution (sum, it->parent);
          sum->weight = weight;
          sum->executions = ts_add_sat (sum->executions, weight);
          sum->seen = TRUE;
        }
      ts_pipe_need_add (&sum->need[site->pipe], site, &s->costs[s->cost[i]], weight);
      sum->iterations = MAX (sum->iterations, it->index + 1);
      sum->begin = MIN (sum->begin, t->start[i]);
      sum->end = MAX (sum->end, over); /* as the makespan counts: a result may be visible after its unit is free */
      if (!again)
        visit_level (l, i, node, &visits[level], glued, weight, &again);
    }
}

/* --- medians ------------------------------------------------------------------------------------------------------------ */

static gint
compare_distances (gconstpointer a, gconstpointer b)
{
  const Distance *x = a, *y = b;

  if (x->loop != y->loop)
    return x->loop < y->loop ? -1 : 1;
  return x->distance < y->distance ? -1 : x->distance > y->distance;
}

/* The lower median over entries from .. to - 1 that are on `pipe`. */
static gint64
median (const Distance *d, guint from, guint to, guint pipe)
{
  gint64 n = 0, k = 0;

  for (guint i = from; i < to; i++)
    if (d[i].pipe == pipe)
      n = ts_add_sat (n, d[i].count);
  for (guint i = from; i < to; i++)
    if (d[i].pipe == pipe)
      {
        k = ts_add_sat (k, d[i].count);
        if (k >= n / 2 + n % 2)
          return d[i].distance;
      }
  return 0;
}

/* Statements that are dispatched far ahead (scalar ones above all) come at the dispatcher's pace while the loop goes on at the pace
 * of its slowest pipe, however few statements that one has: their number must not decide. */
static void
fill_intervals (const Distance *d, guint from, guint to, TsLoopResult *out)
{
  for (guint p = 0; p < TS_N_PIPES; p++)
    {
      out->pipe_interval[p] = median (d, from, to, p);
      out->interval = MAX (out->interval, out->pipe_interval[p]);
    }
}

/* What goes through as many values as the loop carries comes round after so many iterations, and one more where a statement of it
 * is left out of an iteration (the first one, of a peeled sum). `once`: there is such a statement. */
static gboolean
chain_may_hide (const Loops *l, const TsLoopResult *out, gboolean once)
{
  gint64 carried = l->a->stream->loops[out->loop].carried;

  return out->rec_mii == 0 && carried > 0 && out->iterations <= carried + (once ? 1 : 0);
}

/* The fastest growing chain through each loop. */
static void
find_growth (Loops *l, TsLoopResult *results, const gint32 *result_of)
{
  const TsStream *s = l->a->stream;
  g_autofree gboolean *once = g_new0 (gboolean, (gsize) s->n_loops + 1);

  for (guint i = 0; i < s->n_sites && !ts_analysis_stop (l->a, i); i++)
    {
      Visit *v = l->visits + l->first_visit[i];
      for (gint32 loop = s->sites[i].loop; loop >= 0; loop = s->loops[loop].parent, v++)
        if (result_of[loop] >= 0)
          {
            results[result_of[loop]].rec_mii = MAX (results[result_of[loop]].rec_mii, ts_growth_settle (&l->growths, &v->growth));
            once[loop] |= v->node >= 0 && !v->again;
          }
    }
  for (guint i = 0; i < s->n_loops; i++)
    if (result_of[i] >= 0 && chain_may_hide (l, &results[result_of[i]], once[i]))
      results[result_of[i]].rec_mii = TS_REC_UNKNOWN;
}

static void
fill_binding (TsLoopResult *out)
{
  if (out->res_mii > 0 || out->rec_mii > 0)
    out->binding = out->rec_mii > out->res_mii ? TS_BINDING_RECURRENCE : TS_BINDING_RESOURCE;
}

static void
fill_bounds (const Loops *l, gint32 loop, TsLoopResult *out)
{
  const LoopSum *sum = &l->sums[loop];

  out->res_pipe = TS_PIPE_NONE;
  for (guint p = 0; p < TS_N_PIPES && out->total > 0; p++)
    {
      gint64 each = ts_ceil_div (ts_pipe_need_cycles (&sum->need[p], l->a->timing, p), out->total);
      if (each > out->res_mii)
        {
          out->res_mii = each;
          out->res_pipe = (guint8) p;
        }
    }
}

/* --- steady state ------------------------------------------------------------------------------------------------------- */

typedef struct
{
  gint64 index, start;       /* last iteration's number and first start; index -1: none yet */
  gint64 run_begin, run_end; /* the run of even distances at hand: starts of its first and last iteration */
  gint64 best_begin, best_end;
  guint8 pipe;               /* iterations are told by their first instruction on it */
} Steady;

static void
note_iteration (Steady *y, gint64 index, gint64 start, gint64 interval)
{
  gboolean even = y->index >= 0 && start - y->start == ts_mul_sat (interval, index - y->index);

  if (!even)
    y->run_begin = start;
  y->run_end = start;
  if (y->index < 0 || y->run_end - y->run_begin > y->best_end - y->best_begin)
    {
      y->best_begin = y->run_begin;
      y->best_end = y->run_end;
    }
  y->index = index;
  y->start = start;
}

/* The unit that sets the loop's pace; of several the one it keeps busy longest. Where units have queues, the first statements of an
 * iteration (scalar ones above all) may be issued long before its work: iterations are told by what they do on this unit. */
static TsPipe
pacing_pipe (const LoopSum *sum, const TsLoopResult *result)
{
  gint best = -1;

  for (gint p = 0; p < TS_N_PIPES; p++)
    if (result->pipe_interval[p] == result->interval && (best < 0 || sum->need[p].occupancy > sum->need[best].occupancy))
      best = p;
  return (TsPipe) best;
}

/* The longest run of iterations that begin one interval after the other, of the longest execution of each loop. */
static void
find_steady (const Loops *l, TsLoopResult *results, const gint32 *result_of)
{
  const TsStream *s = l->a->stream;
  g_autofree Steady *steady = g_new0 (Steady, (gsize) s->n_loops + 1);

  for (guint i = 0; i < s->n_loops; i++)
    {
      steady[i].index = -1;
      steady[i].pipe = result_of[i] >= 0 ? pacing_pipe (&l->sums[i], &results[result_of[i]]) : TS_PIPE_NONE;
    }
  for (guint i = 0; i < s->n_instructions && !ts_analysis_stop (l->a, i); i++)
    for (gint32 node = l->a->schedule->start[i] < 0 ? -1 : s->iteration[i]; node >= 0; node = s->iterations[node].parent)
      {
        const TsIteration *it = &s->iterations[node];
        if (l->sums[it->loop].best_parent == it->parent && steady[it->loop].index != it->index
            && ts_stream_site (s, i)->pipe == steady[it->loop].pipe)
          note_iteration (&steady[it->loop], it->index, l->a->schedule->start[i], results[result_of[it->loop]].interval);
      }
  for (guint i = 0; i < s->n_loops; i++)
    if (result_of[i] >= 0)
      {
        TsLoopResult *r = &results[result_of[i]];
        r->steady_begin = CLAMP (steady[i].best_begin, r->begin, r->end);
        r->steady_end = CLAMP (steady[i].best_end + r->interval, r->steady_begin, r->end);
        if (r->interval == 0)
          r->steady_begin = r->steady_end = r->begin;
      }
}

static gint
compare_results (gconstpointer a, gconstpointer b, gpointer data)
{
  const TsLoop *x = &((const TsStream *) data)->loops[((const TsLoopResult *) a)->loop];
  const TsLoop *y = &((const TsStream *) data)->loops[((const TsLoopResult *) b)->loop];

  if (x->core != y->core)
    return x->core < y->core ? -1 : 1;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return ((const TsLoopResult *) a)->loop - ((const TsLoopResult *) b)->loop;
}

TsLoopResult *
ts_analyse_loops (const TsAnalysis *a, guint *n)
{
  const TsStream *s = a->stream;
  Loops l = { .a = a };
  TsLoopResult *results = g_new0 (TsLoopResult, (gsize) s->n_loops + 1);
  g_autofree gint32 *result_of = g_new (gint32, (gsize) s->n_loops + 1);
  TsFillCursor fill = { 0 }, crossed = { 0 };
  guint at = 0;

  *n = 0;
  loops_init (&l);
  for (guint i = 0; i < s->n_instructions && !ts_analysis_stop (a, i); i++)
    if (a->schedule->start[i] >= 0 && s->iteration[i] >= 0)
      add_instruction (&l, i, ts_analysis_weight (a, i, &fill),
                       a->schedule->start[i] - ts_analysis_shift (a, i, &crossed));
  a->progress->phase++;
  guint n_distances = 0;
  g_autofree Distance *d = ts_analysis_sort (a, &l.distances, compare_distances, &n_distances);
  for (guint i = 0; i < s->n_loops; i++)
    {
      LoopSum *sum = &l.sums[i];
      guint from = at;
      while (at < n_distances && d[at].loop == (gint32) i)
        at++;
      result_of[i] = -1;
      if (!sum->seen)
        continue;
      begin_execution (sum, -2);
      TsLoopResult *out = &results[*n];
      result_of[i] = (gint32) (*n)++;
      *out = (TsLoopResult) { .loop = (gint32) i, .executions = sum->executions, .iterations = sum->best_iterations,
                              .total = sum->total, .begin = sum->best_begin, .end = sum->best_end };
      fill_intervals (d, from, at, out);
      fill_bounds (&l, (gint32) i, out);
    }
  find_growth (&l, results, result_of);
  for (guint i = 0; i < *n; i++)
    fill_binding (&results[i]);
  find_steady (&l, results, result_of);
  g_qsort_with_data (results, (gint) *n, sizeof *results, compare_results, (gpointer) s);
  g_free (l.sums);
  g_free (l.first_visit);
  g_free (l.visits);
  ts_growth_store_clear (&l.growths);
  return results;
}
