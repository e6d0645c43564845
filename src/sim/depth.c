/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The longest chain of values that depend on each other, whatever pipes and buffers there are: the dependence bound.
 * Values pass through buffers, scalars and FIFOs. Order through global memory is left out, which keeps this a lower bound. */
#include "sim/analysis.h"
#include "sim/scheduler.h"

#include <string.h>

#include "base/number.h"

#define NEVER (G_MININT64 / 4)
#define MAX_VARIABLES 64u
#define MAX_SYMBOLIC 10000000u

typedef struct
{
  TsAnalysis  *a;
  TsScheduler  x;           /* only its segments are used: producer.time is the depth of the value there */
  guint        pos[TS_MAX_CORES];
  guint        signal[TS_MAX_CORES], signal_end[TS_MAX_CORES];
  GArray     **pushes;      /* per channel and core: gint64 depths in order */
  guint       *pops;        /* per channel and core */
  guint        fill;
  gint64       longest;
} Depth;

static gint64
entry_depth (const Depth *d, guint i)
{
  const TsStream *s = d->a->stream;
  gint64 depth = 0;
  gint32 list = s->accesses[i];

  for (guint32 k = s->scalar_start[i]; k < s->scalar_start[i + 1]; k++)
    depth = MAX (depth, d->a->depth[s->scalars[k]]);
  for (guint32 k = list < 0 ? 0 : s->access_start[list]; list >= 0 && k < s->access_start[list + 1]; k++)
    for (guint32 g = d->x.segment_first[k]; (s->access[k].access & TS_ACCESS_READ) != 0 && g < d->x.segment_end[k]; g++)
      if (d->x.segments[g].producer.on >= 0)
        depth = MAX (depth, d->x.segments[g].producer.time);
  return depth;
}

/* FALSE: what is popped has not been pushed yet. */
static gboolean
pop_depth (Depth *d, guint core, guint i, gint64 *depth)
{
  const TsStream *s = d->a->stream;

  for (guint k = d->signal[core]; k < d->signal_end[core] && s->signals[k].at <= i; k++)
    {
      const TsSignal *signal = &s->signals[k];
      if (signal->at < i || (signal->kind != TS_SIGNAL_POP && signal->kind != TS_SIGNAL_WAIT))
        continue;
      guint n = d->pops[(guint) signal->channel * TS_MAX_CORES + core];
      for (guint peer = 0; peer < s->n_cores; peer++)
        if ((s->channels[signal->channel].producers >> peer & 1) != 0)
          {
            const GArray *pushed = d->pushes[(guint) signal->channel * TS_MAX_CORES + peer];
            if (pushed->len <= n)
              return FALSE;
            if (signal->kind == TS_SIGNAL_POP)
              *depth = MAX (*depth, g_array_index (pushed, gint64, n));
          }
    }
  return TRUE;
}

static void
note_signals (Depth *d, guint core, guint i)
{
  const TsStream *s = d->a->stream;

  for (; d->signal[core] < d->signal_end[core] && s->signals[d->signal[core]].at <= i; d->signal[core]++)
    {
      const TsSignal *signal = &s->signals[d->signal[core]];
      if (signal->at < i || signal->channel < 0)
        continue;
      guint at = (guint) signal->channel * TS_MAX_CORES + core;
      if (signal->kind == TS_SIGNAL_PUSH || signal->kind == TS_SIGNAL_SET)
        g_array_append_val (d->pushes[at], d->a->depth[i]);
      else if (signal->kind == TS_SIGNAL_POP || signal->kind == TS_SIGNAL_WAIT)
        d->pops[at]++;
    }
}

/* --- filled loops: the chain through many copies, by powers of a matrix over (max, +) ----------------------------------- */

typedef struct
{
  guint       n;        /* variables: segments that the copies write, scalars they hand on; one more: the constant 0 */
  GHashTable *variable; /* segment + 1, or -(instruction + 1), to index + 1 */
  GArray     *keys;
} Variables;

static guint
variable_of (Variables *v, gint64 key, gboolean add)
{
  guint k = GPOINTER_TO_UINT (g_hash_table_lookup (v->variable, GSIZE_TO_POINTER ((gsize) key)));

  if (k == 0 && add)
    {
      g_array_append_val (v->keys, key);
      k = ++v->n;
      g_hash_table_insert (v->variable, GSIZE_TO_POINTER ((gsize) key), GUINT_TO_POINTER (k));
    }
  return k;
}

static void
collect_variables (const Depth *d, const TsFill *fill, Variables *v)
{
  const TsStream *s = d->a->stream;
  gint64 length = fill->at - fill->from;

  for (guint i = fill->from; i < fill->at; i++)
    {
      gint32 list = s->accesses[i];
      for (guint32 k = list < 0 ? 0 : s->access_start[list]; list >= 0 && k < s->access_start[list + 1]; k++)
        for (guint32 g = d->x.segment_first[k]; (s->access[k].access & TS_ACCESS_WRITE) != 0 && g < d->x.segment_end[k]; g++)
          variable_of (v, (gint64) g + 1, TRUE);
      for (guint32 k = s->scalar_start[i]; k < s->scalar_start[i + 1]; k++)
        if (s->scalars[k] < (gint64) fill->from && s->scalars[k] >= (gint64) fill->from - length)
          variable_of (v, -(s->scalars[k] + length + 1), TRUE);
    }
}

static inline void
raise_row (gint64 *to, const gint64 *from, guint n, gint64 by)
{
  for (guint k = 0; k < n; k++)
    if (from[k] > NEVER)
      to[k] = MAX (to[k], from[k] + by);
}

/* One copy: row v of `matrix` says how variable v after it follows from the variables before it. */
static void
build_matrix (const Depth *d, const TsFill *fill, Variables *v, gint64 *matrix)
{
  const TsStream *s = d->a->stream;
  guint n = v->n + 1, length = fill->at - fill->from;
  g_autofree gint64 *rows = g_new (gint64, (gsize) length * n);

  for (guint r = 0; r < n; r++)
    for (guint c = 0; c < n; c++)
      matrix[r * n + c] = r == c ? 0 : NEVER;
  for (guint i = fill->from; i < fill->at; i++)
    {
      gint64 *row = rows + (gsize) (i - fill->from) * n, latency = s->costs[s->cost[i]].latency;
      gint32 list = s->accesses[i];
      for (guint c = 0; c < n; c++)
        row[c] = c == v->n ? latency : NEVER;
      for (guint32 k = s->scalar_start[i]; k < s->scalar_start[i + 1]; k++)
        {
          gint64 from = s->scalars[k];
          guint at = from < (gint64) fill->from ? variable_of (v, -(from + length + 1), FALSE) : 0;
          if (from >= (gint64) fill->from)
            raise_row (row, rows + (gsize) (from - fill->from) * n, n, latency);
          else if (at > 0)
            row[at - 1] = MAX (row[at - 1], latency);
          else
            row[v->n] = MAX (row[v->n], d->a->depth[from] + latency);
        }
      for (guint32 k = list < 0 ? 0 : s->access_start[list]; list >= 0 && k < s->access_start[list + 1]; k++)
        for (guint32 g = d->x.segment_first[k]; (s->access[k].access & TS_ACCESS_READ) != 0 && g < d->x.segment_end[k]; g++)
          {
            guint at = variable_of (v, (gint64) g + 1, FALSE);
            if (at > 0)
              raise_row (row, matrix + (gsize) (at - 1) * n, n, latency);
            else if (d->x.segments[g].producer.on >= 0)
              row[v->n] = MAX (row[v->n], d->x.segments[g].producer.time + latency);
          }
      for (guint32 k = list < 0 ? 0 : s->access_start[list]; list >= 0 && k < s->access_start[list + 1]; k++)
        for (guint32 g = d->x.segment_first[k]; (s->access[k].access & TS_ACCESS_WRITE) != 0 && g < d->x.segment_end[k]; g++)
          memcpy (matrix + (gsize) (variable_of (v, (gint64) g + 1, FALSE) - 1) * n, row, sizeof (gint64) * n);
      guint scalar = variable_of (v, -((gint64) i + 1), FALSE);
      if (scalar > 0)
        memcpy (matrix + (gsize) (scalar - 1) * n, row, sizeof (gint64) * n);
    }
}

static void
multiply (const gint64 *a, const gint64 *b, gint64 *out, guint n)
{
  for (guint r = 0; r < n; r++)
    for (guint c = 0; c < n; c++)
      {
        gint64 best = NEVER;
        for (guint k = 0; k < n; k++)
          if (a[r * n + k] > NEVER && b[k * n + c] > NEVER)
            best = MAX (best, ts_add_sat (a[r * n + k], b[k * n + c]));
        out[r * n + c] = best;
      }
}

static void
apply (const gint64 *matrix, gint64 *vector, guint n)
{
  g_autofree gint64 *out = g_new (gint64, n);

  for (guint r = 0; r < n; r++)
    {
      out[r] = NEVER;
      for (guint c = 0; c < n; c++)
        if (matrix[r * n + c] > NEVER && vector[c] > NEVER)
          out[r] = MAX (out[r], ts_add_sat (matrix[r * n + c], vector[c]));
    }
  memcpy (vector, out, sizeof (gint64) * n);
}

static void
apply_power (const Depth *d, gint64 *matrix, gint64 times, gint64 *vector, guint n)
{
  g_autofree gint64 *square = g_new (gint64, (gsize) n * n);

  for (; times > 0 && !g_cancellable_is_cancelled (d->a->cancellable); times >>= 1)
    {
      if ((times & 1) != 0)
        apply (matrix, vector, n);
      multiply (matrix, matrix, square, n);
      memcpy (matrix, square, sizeof (gint64) * n * n);
    }
}

static void
load_variables (const Depth *d, const TsFill *fill, const Variables *v, gint64 *vector)
{
  for (guint k = 0; k < v->n; k++)
    {
      gint64 key = g_array_index (v->keys, gint64, k);
      const TsMark *producer = key > 0 ? &d->x.segments[key - 1].producer : NULL;
      vector[k] = key < 0 ? d->a->depth[-key - 1] : producer->on >= 0 ? producer->time : 0;
    }
  vector[v->n] = 0;
}

static void
store_variables (Depth *d, const Variables *v, const gint64 *vector)
{
  for (guint k = 0; k < v->n; k++)
    {
      gint64 key = g_array_index (v->keys, gint64, k);
      if (key > 0)
        d->x.segments[key - 1].producer.time = vector[k];
      else
        d->a->depth[-key - 1] = vector[k];
      d->longest = MAX (d->longest, vector[k]);
    }
}

static void
pass_fill (Depth *d, const TsFill *fill)
{
  Variables v = { .variable = g_hash_table_new (NULL, NULL), .keys = g_array_new (FALSE, FALSE, sizeof (gint64)) };

  collect_variables (d, fill, &v);
  guint n = v.n + 1;
  if (v.n <= MAX_VARIABLES && (gsize) n * (fill->at - fill->from) <= MAX_SYMBOLIC)
    {
      g_autofree gint64 *matrix = g_new (gint64, (gsize) n * n), *vector = g_new (gint64, n);
      build_matrix (d, fill, &v, matrix);
      load_variables (d, fill, &v, vector);
      apply_power (d, matrix, fill->times, vector, n);
      store_variables (d, &v, vector);
    }
  g_hash_table_unref (v.variable);
  g_array_unref (v.keys);
}

/* --- all instructions --------------------------------------------------------------------------------------------------- */

static gboolean
run_core (Depth *d, guint k)
{
  const TsStream *s = d->a->stream;
  guint end = s->cores[k].first + s->cores[k].n;
  gboolean moved = FALSE;

  while (d->pos[k] < end)
    {
      guint i = d->pos[k];
      if (ts_analysis_stop (d->a, i))
        return FALSE;
      while (d->fill < d->a->schedule->n_fills && d->a->schedule->fills[d->fill].at <= i
             && !g_cancellable_is_cancelled (d->a->cancellable))
        pass_fill (d, &d->a->schedule->fills[d->fill++]);
      gint64 depth = entry_depth (d, i);
      if (!pop_depth (d, k, i, &depth))
        return moved;
      d->a->depth[i] = depth + s->costs[s->cost[i]].latency;
      d->longest = MAX (d->longest, d->a->depth[i]);
      ts_segments_update (&d->x, i, ts_stream_site (s, i)->pipe, 0, d->a->depth[i]);
      note_signals (d, k, i);
      d->pos[k]++;
      moved = TRUE;
    }
  return moved;
}

static void
depth_init (Depth *d)
{
  const TsStream *s = d->a->stream;
  guint at = 0;

  ts_segments_init (&d->x, TRUE);
  d->pushes = g_new0 (GArray *, (gsize) s->n_channels * TS_MAX_CORES + 1);
  d->pops = g_new0 (guint, (gsize) s->n_channels * TS_MAX_CORES + 1);
  for (guint c = 0; c < s->n_channels * TS_MAX_CORES; c++)
    d->pushes[c] = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint k = 0; k < s->n_cores; k++)
    {
      d->pos[k] = s->cores[k].first;
      d->signal[k] = at;
      while (at < s->n_signals && s->sites[s->signals[at].site].core == k)
        at++;
      d->signal_end[k] = at;
    }
}

gint64
ts_analyse_depth (TsAnalysis *a)
{
  Depth d = { .a = a, .x = { .stream = a->stream, .timing = a->timing, .stop = ts_analysis_stop_sorting,
                                .stop_data = a } };
  gboolean moved = TRUE;

  a->depth = g_new0 (gint64, (gsize) a->stream->n_instructions + 1);
  depth_init (&d);
  while (moved && !g_cancellable_is_cancelled (a->cancellable))
    {
      moved = FALSE;
      for (guint k = 0; k < a->stream->n_cores; k++)
        moved |= run_core (&d, k);
    }
  for (guint c = 0; c < a->stream->n_channels * TS_MAX_CORES; c++)
    g_array_unref (d.pushes[c]);
  g_free (d.pushes);
  g_free (d.pops);
  ts_segments_clear (&d.x);
  return d.longest;
}
