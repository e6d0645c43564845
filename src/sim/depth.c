/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The longest chain of values that depend on each other, whatever pipes and buffers there are: the dependence bound.
 * Values pass through buffers, scalars and FIFOs. Order through global memory is left out, which keeps this a lower bound. */
#include "sim/depth-private.h"

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

/* --- all instructions --------------------------------------------------------------------------------------------------- */

/* Cores wait for each other where a loop was filled in: FALSE: not all of them have come there. */
static gboolean
pass_fills (Depth *d, guint k)
{
  while (d->passed < d->n_fills[k] && depth_fill (d, k, d->passed)->at <= d->pos[k])
    {
      for (guint j = 0; j < d->a->stream->n_cores; j++)
        if (d->n_fills[j] > d->passed && d->pos[j] < depth_fill (d, j, d->passed)->at)
          return FALSE;
      if (g_cancellable_is_cancelled (d->a->cancellable))
        return FALSE;
      depth_pass_fill (d, d->passed);
      d->passed++;
    }
  return TRUE;
}

static gboolean
run_core (Depth *d, guint k)
{
  const TsStream *s = d->a->stream;
  guint end = s->cores[k].first + s->cores[k].n;
  gboolean moved = FALSE;

  while (pass_fills (d, k) && d->pos[k] < end)
    {
      guint i = d->pos[k];
      if (ts_analysis_stop (d->a, i))
        return FALSE;
      gint64 depth = entry_depth (d, i);
      if (!pop_depth (d, k, i, &depth))
        return moved;
      d->a->depth[i] = ts_add_sat (depth, s->costs[s->cost[i]].latency);
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
  for (guint f = d->a->schedule->n_fills; f-- > 0;)
    {
      guint core = d->a->schedule->fills[f].core;
      d->first_fill[core] = f;
      d->n_fills[core]++;
    }
  d->pushes = g_new0 (GArray *, (gsize) s->n_channels * TS_MAX_CORES + 1);
  d->pops = g_new0 (guint, (gsize) s->n_channels * TS_MAX_CORES + 1);
  for (guint c = 0; c < s->n_channels * TS_MAX_CORES; c++)
    d->pushes[c] = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint k = 0; k < s->n_cores; k++)
    {
      d->pos[k] = s->cores[k].first;
      d->signal[k] = d->signal_first[k] = at;
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
