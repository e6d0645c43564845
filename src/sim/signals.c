/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FIFOs between cores, flags and barriers within one. Source: spec simulator.md section 3, cross-core. */
#include "sim/scheduler.h"

void
ts_signals_init (TsScheduler *x)
{
  const TsStream *s = x->stream;
  guint at = 0;

  x->channels = g_new0 (TsChannelState, s->n_channels + 1);
  for (guint c = 0; c < s->n_channels; c++)
    for (guint k = 0; k < s->n_cores; k++)
      {
        x->channels[c].pushes[k] = g_array_new (FALSE, FALSE, sizeof (TsMark));
        x->channels[c].pops[k] = g_array_new (FALSE, FALSE, sizeof (TsMark));
        x->channels[c].releases[k] = g_array_new (FALSE, FALSE, sizeof (TsMark));
      }
  for (guint k = 0; k < s->n_cores; k++)
    {
      x->cores[k].signal = at;
      for (; at < s->n_signals && s->sites[s->signals[at].site].core == k; at++)
        if (s->signals[at].kind == TS_SIGNAL_POP || s->signals[at].kind == TS_SIGNAL_WAIT)
          x->channels[s->signals[at].channel].pops_end[k] = s->signals[at].at + 1;
      x->cores[k].signal_end = at;
    }
}

void
ts_signals_free (TsScheduler *x)
{
  for (guint c = 0; c < x->stream->n_channels; c++)
    for (guint k = 0; k < x->stream->n_cores; k++)
      {
        g_array_unref (x->channels[c].pushes[k]);
        g_array_unref (x->channels[c].pops[k]);
        g_array_unref (x->channels[c].releases[k]);
      }
  g_free (x->channels);
}

static inline guint
count_of (const GArray *marks)
{
  return marks->len;
}

static inline const TsMark *
mark_at (const GArray *marks, guint k)
{
  return &g_array_index (marks, TsMark, k);
}

/* A slot is free once every consumer has let go of what was pushed `slots` before. */
static gboolean
constrain_push (const TsScheduler *x, const TsChannel *channel, gint32 c, guint core, TsConstraint *best)
{
  guint k = count_of (x->channels[c].pushes[core]);

  if (channel->slots <= 0 || k < (guint64) channel->slots)
    return TRUE;
  for (guint peer = 0; peer < x->stream->n_cores; peer++)
    if ((channel->consumers >> peer & 1) != 0)
      {
        const GArray *freed = channel->releases ? x->channels[c].releases[peer] : x->channels[c].pops[peer];
        guint want = k - (guint) channel->slots;
        if (count_of (freed) <= want)
          return FALSE;
        ts_constraint_offer (best, mark_at (freed, want)->time, TS_CAUSE_FIFO, mark_at (freed, want)->on, c);
      }
  return TRUE;
}

/* How long the news travels: to the other core, or as a flag from one pipe to another. */
static gint64
propagation (const TsScheduler *x, const TsChannel *channel, const TsMark *push, guint pipe)
{
  guint from = push->on >= 0 ? ts_stream_site (x->stream, (guint) push->on)->pipe : pipe;

  if (channel->is_fifo)
    return x->timing->cross_core;
  return from != pipe ? x->timing->sync[from][pipe] : 0;
}

static gboolean
constrain_pop (const TsScheduler *x, const TsChannel *channel, gint32 c, guint core, guint pipe, TsConstraint *best)
{
  guint k = count_of (x->channels[c].pops[core]);

  for (guint peer = 0; peer < x->stream->n_cores; peer++)
    if ((channel->producers >> peer & 1) != 0)
      {
        if (count_of (x->channels[c].pushes[peer]) <= k)
          return FALSE;
        const TsMark *push = mark_at (x->channels[c].pushes[peer], k);
        ts_constraint_offer (best, push->time + propagation (x, channel, push, pipe), TS_CAUSE_FIFO, push->on, c);
      }
  return TRUE;
}

/* The pipes have to be empty; then the barrier pays its own cost. Source: machines.md b.6. */
static void
constrain_barrier (const TsScheduler *x, const TsCoreState *core, guint pipe, guint mask, TsConstraint *best)
{
  for (guint p = 0; p < TS_N_PIPES; p++)
    if ((mask >> p & 1) != 0 && core->pipes[p].empty.on >= 0)
      ts_constraint_offer (best, core->pipes[p].empty.time + x->timing->barrier[pipe], TS_CAUSE_BARRIER, core->pipes[p].empty.on,
                           -1);
}

static void
release (TsScheduler *x, guint core, const TsSignal *signal)
{
  TsChannelState *state = &x->channels[signal->channel];
  guint k = state->releases[core]->len;
  TsMark mark = { .on = -1 };

  if (k < state->pops[core]->len)
    mark = *mark_at (state->pops[core], k);
  ts_segments_last_use (x, signal->accesses, &mark);
  g_array_append_val (state->releases[core], mark);
}

/* Releases take effect when they are met, so that a core that then waits has let go of its slots. */
static void
take_releases (TsScheduler *x, guint core)
{
  TsCoreState *c = &x->cores[core];

  while (c->signal < c->signal_end && x->stream->signals[c->signal].at <= c->pos
         && x->stream->signals[c->signal].kind == TS_SIGNAL_RELEASE)
    release (x, core, &x->stream->signals[c->signal++]);
}

gboolean
ts_signals_constrain (TsScheduler *x, guint core, guint pipe, TsConstraint *best)
{
  TsCoreState *c = &x->cores[core];

  take_releases (x, core);
  for (guint k = c->signal; k < c->signal_end && x->stream->signals[k].at == c->pos; k++)
    {
      const TsSignal *signal = &x->stream->signals[k];
      const TsChannel *channel = signal->channel >= 0 ? &x->stream->channels[signal->channel] : NULL;
      switch ((TsSignalKind) signal->kind)
        {
        case TS_SIGNAL_PUSH:
          if (!constrain_push (x, channel, signal->channel, core, best))
            return FALSE;
          break;
        case TS_SIGNAL_POP:
        case TS_SIGNAL_WAIT:
          if (!constrain_pop (x, channel, signal->channel, core, pipe, best))
            return FALSE;
          break;
        case TS_SIGNAL_BARRIER:
          constrain_barrier (x, c, pipe, signal->mask, best);
          break;
        case TS_SIGNAL_SET:
        case TS_SIGNAL_RELEASE:
          break;
        }
    }
  return TRUE;
}

void
ts_signals_update (TsScheduler *x, guint core, guint i, gint64 end, gint64 visible)
{
  TsCoreState *c = &x->cores[core];

  for (; c->signal < c->signal_end && x->stream->signals[c->signal].at == i; c->signal++)
    {
      const TsSignal *signal = &x->stream->signals[c->signal];
      TsMark shown = { .time = visible, .on = (gint32) i }, ended = { .time = end, .on = (gint32) i };
      switch ((TsSignalKind) signal->kind)
        {
        case TS_SIGNAL_PUSH:
        case TS_SIGNAL_SET:
          g_array_append_val (x->channels[signal->channel].pushes[core], shown);
          break;
        case TS_SIGNAL_POP:
        case TS_SIGNAL_WAIT:
          g_array_append_val (x->channels[signal->channel].pops[core], ended);
          break;
        case TS_SIGNAL_BARRIER:
          for (guint p = 0; p < TS_N_PIPES; p++)
            if ((signal->mask >> p & 1) != 0 && ended.time >= c->pipes[p].barrier.time)
              c->pipes[p].barrier = ended;
          break;
        case TS_SIGNAL_RELEASE:
          break;
        }
    }
}

void
ts_signals_drain (TsScheduler *x, guint core)
{
  take_releases (x, core);
}

gboolean
ts_signals_describe (const TsScheduler *x, guint core, TsBlocked *blocked)
{
  const TsCoreState *c = &x->cores[core];

  if (c->pos >= c->end)
    return FALSE;
  *blocked = (TsBlocked) { .core = core, .site = x->stream->site[c->pos], .instruction = c->pos, .channel = -1 };
  for (guint k = c->signal; k < c->signal_end && x->stream->signals[k].at == c->pos; k++)
    {
      const TsSignal *signal = &x->stream->signals[k];
      if (signal->channel < 0)
        continue;
      blocked->channel = signal->channel;
      blocked->is_push = signal->kind == TS_SIGNAL_PUSH;
      blocked->count = blocked->is_push ? x->channels[signal->channel].pushes[core]->len
                                        : x->channels[signal->channel].pops[core]->len;
    }
  return TRUE;
}
