/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A second scheduler, slow and plain. It shares no code with the one it checks, and keeps no state but the events themselves. */
#include "slow-scheduler.h"

typedef struct
{
  const TsStream        *s;
  const TsMachineTiming *t;
  SlowEvent             *e;
} Slow;

/* The answer so far. */
typedef struct
{
  gint64  time;
  TsCause cause;
  gint32  on, through;
} Answer;

static void
consider (Answer *a, gint64 time, TsCause cause, gint32 on, gint32 through)
{
  gboolean better = time > a->time;

  if (time == a->time)
    better = cause < a->cause || (cause == a->cause && on > a->on);
  if (better)
    *a = (Answer) { time, cause, on, through };
}

static guint
pipe_of (const Slow *x, guint i)
{
  return x->s->sites[x->s->site[i]].pipe;
}

static const TsCost *
cost_of (const Slow *x, guint i)
{
  return &x->s->costs[x->s->cost[i]];
}

/* Flags and barriers move and compute nothing. */
static gboolean
is_operation (const Slow *x, guint i)
{
  return x->s->sites[x->s->site[i]].sync == TS_SYNC_NONE;
}

/* The k-th previous instruction on a pipe (k = 1: the last one), -1 none. */
static gint64
previous_on_pipe (const Slow *x, const TsCore *core, guint i, guint pipe, gint64 k)
{
  for (gint64 j = (gint64) i - 1; j >= core->first; j--)
    if (pipe_of (x, (guint) j) == pipe && --k == 0)
      return j;
  return -1;
}

/* The same of operations alone. */
static gint64
previous_operation (const Slow *x, const TsCore *core, guint i, guint pipe, gint64 k)
{
  for (gint64 j = (gint64) i - 1; j >= core->first; j--)
    if (pipe_of (x, (guint) j) == pipe && is_operation (x, (guint) j) && --k == 0)
      return j;
  return -1;
}

static void
consider_data (const Slow *x, const TsCore *core, guint i, Answer *a, gint64 time, TsCause cause, guint j, gint32 through)
{
  guint p = pipe_of (x, j), q = pipe_of (x, i);

  consider (a, p == q ? time : time + x->t->sync[p][q], cause, (gint32) j, through);
  if (p == TS_PIPE_V && q == TS_PIPE_V && x->t->sync[p][q] > 0 && previous_operation (x, core, i, TS_PIPE_V, 1) == j)
    consider (a, time + x->t->sync[p][q], TS_CAUSE_BARRIER, (gint32) j, through);
}

static gboolean
touches (const Slow *x, guint j, gint32 buffer, gint64 byte, guint8 access)
{
  guint n;
  const TsAccess *list = ts_stream_accesses (x->s, j, &n);

  for (guint k = 0; k < n; k++)
    if (list[k].buffer == buffer && list[k].begin <= byte && byte < list[k].end && (list[k].access & access) != 0)
      return TRUE;
  return FALSE;
}

static void
consider_buffers (const Slow *x, const TsCore *core, guint i, Answer *a)
{
  guint n;
  const TsAccess *list = ts_stream_accesses (x->s, i, &n);

  for (guint k = 0; k < n; k++)
    for (gint64 byte = list[k].begin; byte < list[k].end; byte++)
      {
        gboolean produced = FALSE;
        for (gint64 j = (gint64) i - 1; j >= core->first; j--)
          {
            guint b = (guint) j;
            gboolean writes = touches (x, b, list[k].buffer, byte, TS_ACCESS_WRITE);
            if ((list[k].access & TS_ACCESS_READ) != 0 && writes && !produced)
              {
                consider_data (x, core, i, a, x->e[b].visible, TS_CAUSE_RAW, b, list[k].buffer);
                produced = TRUE;
              }
            if ((list[k].access & TS_ACCESS_WRITE) != 0 && touches (x, b, list[k].buffer, byte, TS_ACCESS_READ))
              consider_data (x, core, i, a, x->e[b].end, TS_CAUSE_WAR, b, list[k].buffer);
            if ((list[k].access & TS_ACCESS_WRITE) != 0 && writes)
              consider_data (x, core, i, a, x->e[b].end, TS_CAUSE_WAW, b, list[k].buffer);
          }
      }
}

static gboolean
windows_meet (const Slow *x, const TsWindow *v, const TsWindow *w)
{
  const TsWindowShape *a = &x->s->window_shapes[v->shape], *b = &x->s->window_shapes[w->shape];

  if (a->tensor != b->tensor)
    return FALSE;
  if (x->t->gm_alias == TS_GM_ALIAS_TENSOR || a->rank != b->rank)
    return TRUE;
  for (guint d = 0; d < a->rank; d++)
    {
      gint64 a0 = x->s->offsets[v->offsets + d], b0 = x->s->offsets[w->offsets + d];
      if (MAX (a0, b0) >= MIN (a0 + a->extent[d], b0 + b->extent[d]))
        return FALSE;
    }
  return TRUE;
}

static void
consider_memory (const Slow *x, const TsCore *core, guint i, Answer *a)
{
  const TsStream *s = x->s;

  if (x->t->gm_alias == TS_GM_ALIAS_NONE)
    return;
  for (guint v = s->window_start[i]; v < s->window_start[i + 1]; v++)
    for (guint j = core->first; j < i; j++)
      for (guint w = s->window_start[j]; w < s->window_start[j + 1]; w++)
        {
          const TsWindowShape *mine = &s->window_shapes[s->windows[v].shape], *theirs = &s->window_shapes[s->windows[w].shape];
          if (!windows_meet (x, &s->windows[v], &s->windows[w]))
            continue;
          if ((mine->access & TS_ACCESS_READ) != 0 && (theirs->access & TS_ACCESS_WRITE) != 0)
            consider_data (x, core, i, a, x->e[j].visible, TS_CAUSE_MEMORY, j, mine->tensor);
          if ((mine->access & TS_ACCESS_WRITE) != 0)
            consider_data (x, core, i, a, x->e[j].end, TS_CAUSE_MEMORY, j, mine->tensor);
        }
}

/* How many signals of a kind a core has given on a channel before instruction `before`; or the instruction of the k-th one. */
static gint64
count_signals (const Slow *x, guint core, gint32 channel, guint kind, guint before)
{
  gint64 n = 0;

  for (guint k = 0; k < x->s->n_signals; k++)
    n += x->s->sites[x->s->signals[k].site].core == core && x->s->signals[k].channel == channel && x->s->signals[k].kind == kind
         && x->s->signals[k].at < before;
  return n;
}

static const TsSignal *
nth_signal (const Slow *x, guint core, gint32 channel, guint kind, gint64 n)
{
  for (guint k = 0; k < x->s->n_signals; k++)
    if (x->s->sites[x->s->signals[k].site].core == core && x->s->signals[k].channel == channel && x->s->signals[k].kind == kind
        && n-- == 0)
      return &x->s->signals[k];
  return NULL;
}

/* A release happens when the pop and all earlier users of the slot's bytes have ended. FALSE: not known yet. */
static gboolean
released (const Slow *x, guint core, gint32 channel, gint64 n, gint64 *time, gint32 *on)
{
  const TsSignal *r = nth_signal (x, core, channel, TS_SIGNAL_RELEASE, n), *pop = nth_signal (x, core, channel, TS_SIGNAL_POP, n);
  const TsCore *c = &x->s->cores[core];

  if (r == NULL)
    return FALSE;
  for (guint j = c->first; j < r->at; j++)
    if (!x->e[j].done)
      return FALSE;
  *time = 0;
  *on = -1;
  if (pop != NULL && pop->at < r->at)
    {
      *time = x->e[pop->at].end;
      *on = (gint32) pop->at;
    }
  if (r->accesses < 0)
    return TRUE;
  for (guint32 a = x->s->access_start[r->accesses]; a < x->s->access_start[r->accesses + 1]; a++)
    for (gint64 byte = x->s->access[a].begin; byte < x->s->access[a].end; byte++)
      for (guint j = c->first; j < r->at; j++)
        if (touches (x, j, x->s->access[a].buffer, byte, TS_ACCESS_READ | TS_ACCESS_WRITE)
            && (x->e[j].end > *time || (x->e[j].end == *time && (gint32) j > *on)))
          {
            *time = x->e[j].end;
            *on = (gint32) j;
          }
  return TRUE;
}

static gboolean
consider_push (const Slow *x, guint core, guint i, const TsSignal *signal, Answer *a)
{
  const TsChannel *channel = &x->s->channels[signal->channel];
  gint64 n = count_signals (x, core, signal->channel, TS_SIGNAL_PUSH, i) - channel->slots, time;
  gint32 on;

  if (channel->slots <= 0 || n < 0)
    return TRUE;
  for (guint peer = 0; peer < x->s->n_cores; peer++)
    if ((channel->consumers >> peer & 1) != 0)
      {
        const TsSignal *pop = nth_signal (x, peer, signal->channel, TS_SIGNAL_POP, n);
        if (channel->releases)
          {
            if (!released (x, peer, signal->channel, n, &time, &on))
              return FALSE;
          }
        else
          {
            if (pop == NULL || !x->e[pop->at].done)
              return FALSE;
            time = x->e[pop->at].end;
            on = (gint32) pop->at;
          }
        consider (a, time, TS_CAUSE_FIFO, on, signal->channel);
      }
  return TRUE;
}

static gint64
flag_way (const Slow *x, guint from, guint to)
{
  return pipe_of (x, from) != pipe_of (x, to) ? x->t->sync[pipe_of (x, from)][pipe_of (x, to)] : 0;
}

static gboolean
consider_pop (const Slow *x, guint core, guint i, const TsSignal *signal, Answer *a)
{
  const TsChannel *channel = &x->s->channels[signal->channel];
  gboolean flag = signal->kind == TS_SIGNAL_WAIT;
  gint64 n = count_signals (x, core, signal->channel, signal->kind, i);

  for (guint peer = 0; peer < x->s->n_cores; peer++)
    if ((channel->producers >> peer & 1) != 0)
      {
        const TsSignal *push = nth_signal (x, peer, signal->channel, flag ? TS_SIGNAL_SET : TS_SIGNAL_PUSH, n);
        if (push == NULL || !x->e[push->at].done)
          return FALSE;
        consider (a, flag ? x->e[push->at].visible + flag_way (x, push->at, i) : x->e[push->at].visible + x->t->cross_core,
                  TS_CAUSE_FIFO, (gint32) push->at, signal->channel);
      }
  return TRUE;
}

/* FALSE: has to wait for another core. */
static gboolean
consider_signals (const Slow *x, guint core, guint i, Answer *a)
{
  const TsCore *c = &x->s->cores[core];

  for (guint k = 0; k < x->s->n_signals; k++)
    {
      const TsSignal *signal = &x->s->signals[k];
      if (x->s->sites[signal->site].core != core)
        continue;
      if (signal->at == i && signal->kind == TS_SIGNAL_PUSH && !consider_push (x, core, i, signal, a))
        return FALSE;
      if (signal->at == i && (signal->kind == TS_SIGNAL_POP || signal->kind == TS_SIGNAL_WAIT)
          && !consider_pop (x, core, i, signal, a))
        return FALSE;
      if (signal->kind != TS_SIGNAL_BARRIER)
        continue;
      if (signal->at == i)
        for (guint p = 0; p < TS_N_PIPES; p++)
          for (guint j = c->first; (signal->mask >> p & 1) != 0 && j < i; j++)
            if (pipe_of (x, j) == p)
              consider (a, MAX (x->e[j].end, x->e[j].visible) + x->t->barrier[pipe_of (x, i)], TS_CAUSE_BARRIER, (gint32) j, -1);
      if (signal->at < i && (signal->mask >> pipe_of (x, i) & 1) != 0)
        consider (a, x->e[signal->at].end, TS_CAUSE_BARRIER, (gint32) signal->at, -1);
    }
  return TRUE;
}

static void
consider_dispatch (const Slow *x, const TsCore *core, guint i, gint64 queue, Answer *a)
{
  if (i > core->first)
    consider (a, x->e[i - 1].dispatch + x->t->dispatch_cost, TS_CAUSE_DISPATCH, (gint32) i - 1, -1);
  for (guint j = core->first; j < i; j++)
    if (pipe_of (x, j) == TS_PIPE_S)
      consider (a, x->e[j].start + cost_of (x, j)->occupancy, TS_CAUSE_DISPATCH, (gint32) j, -1);
  for (guint k = x->s->scalar_start[i]; k < x->s->scalar_start[i + 1]; k++)
    consider (a, x->e[x->s->scalars[k]].visible, TS_CAUSE_SCALAR, x->s->scalars[k], -1);
  if (queue > 0)
    {
      gint64 j = previous_on_pipe (x, core, i, pipe_of (x, i), queue);
      if (j >= 0)
        consider (a, x->e[j].start, TS_CAUSE_QUEUE, (gint32) j, -1);
    }
}

/* A flag is set when everything before it on its pipe has ended and is visible, and its own cycles later. */
static gint64
flag_set (const Slow *x, const TsCore *core, guint i)
{
  gint64 over = x->e[i].start;

  for (guint j = core->first; j < i; j++)
    if (pipe_of (x, j) == pipe_of (x, i))
      over = MAX (over, MAX (x->e[j].end, x->e[j].visible));
  return over + cost_of (x, i)->latency;
}

static void
settle (const Slow *x, const TsCore *core, guint i, gint64 queue, gint64 dispatch, const Answer *a)
{
  SlowEvent *e = &x->e[i];
  guint pipe = pipe_of (x, i);
  gint64 before = previous_operation (x, core, i, pipe, 1), held = 0;

  for (guint j = core->first; j < i; j++)
    held = pipe_of (x, j) == pipe ? MAX (held, x->e[j].end) : held;
  e->start = a->time;
  e->dispatch = queue > 0 ? dispatch : e->start;
  e->end = e->start + cost_of (x, i)->occupancy;
  e->visible = e->start + cost_of (x, i)->latency;
  if (x->s->sites[x->s->site[i]].sync == TS_SYNC_SET)
    e->visible = flag_set (x, core, i);
  else if (x->t->in_flight[pipe] > 1 && is_operation (x, i))
    {
      e->end = e->visible;
      if (before >= 0)
        e->end = MAX (e->end, x->e[before].end + cost_of (x, i)->transfer);
      e->visible = e->end;
    }
  e->wait = MAX (0, e->start - held);
  e->cause = e->start == 0 ? TS_CAUSE_NONE : a->cause;
  e->on = e->start == 0 ? -1 : a->on;
  e->through = e->start == 0 ? -1 : a->through;
  e->done = TRUE;
}

static gboolean
try_one (const Slow *x, guint k, guint i)
{
  const TsCore *core = &x->s->cores[k];
  guint pipe = pipe_of (x, i);
  gint64 queue = pipe == TS_PIPE_S ? 0 : x->t->queue_depth[pipe];
  Answer dispatch = { 0, TS_CAUSE_NONE, -1, -1 }, a;
  gint64 j;

  consider_dispatch (x, core, i, queue, &dispatch);
  a = dispatch;
  if (!consider_signals (x, k, i, &a))
    return FALSE;
  j = is_operation (x, i) ? previous_operation (x, core, i, pipe, x->t->in_flight[pipe]) : -1;
  if (j >= 0)
    consider (&a, x->e[j].end, TS_CAUSE_PIPE, (gint32) j, -1);
  /* machines.md (b): each pipe is an in-order queue. What takes a place in flight only has to have started. */
  j = previous_on_pipe (x, core, i, pipe, 1);
  if (j >= 0)
    consider (&a, x->t->in_flight[pipe] > 1 && is_operation (x, (guint) j) ? x->e[j].start : x->e[j].end, TS_CAUSE_PIPE, (gint32) j,
              -1);
  consider_buffers (x, core, i, &a);
  consider_memory (x, core, i, &a);
  settle (x, core, i, queue, dispatch.time, &a);
  return TRUE;
}

SlowEvent *
slow_schedule (const TsStream *stream, const TsMachineTiming *timing, gboolean *stuck)
{
  Slow x = { stream, timing, g_new0 (SlowEvent, stream->n_instructions + 1) };
  guint next[TS_MAX_CORES], left = stream->n_instructions;
  gboolean moved = TRUE;

  for (guint k = 0; k < stream->n_cores; k++)
    next[k] = stream->cores[k].first;
  while (moved)
    {
      moved = FALSE;
      for (guint k = 0; k < stream->n_cores; k++)
        if (next[k] < stream->cores[k].first + stream->cores[k].n && try_one (&x, k, next[k]))
          {
            next[k]++;
            left--;
            moved = TRUE;
          }
    }
  *stuck = left > 0;
  return x.e;
}
