/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the scheduler at a place in the stream, as numbers that are equal when the same will follow. What can hold nothing
 * any more is no part of it. */
#include "sim/scheduler.h"

static gint
compare_segments (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  return x < y ? -1 : x > y;
}

void
ts_period_use_find (TsPeriodUse *use, const TsScheduler *x, const TsRepeat *repeat)
{
  const TsStream *s = x->stream;
  guint n = 0;

  use->pipes = use->busy = 0;
  use->length = repeat->at - repeat->boundary[1];
  use->touched = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = repeat->boundary[1]; i < repeat->at; i++)
    {
      const TsSite *site = ts_stream_site (s, i);
      use->pipes |= 1u << site->pipe;
      use->busy |= (site->sync == TS_SYNC_NONE ? 1u : 0u) << site->pipe;
      gint32 list = s->accesses[i];
      for (guint32 k = list < 0 ? 0 : s->access_start[list]; list >= 0 && k < s->access_start[list + 1]; k++)
        for (guint32 g = x->segment_first[k]; g < x->segment_end[k]; g++)
          g_array_append_val (use->touched, g);
    }
  g_array_sort (use->touched, compare_segments);
  guint32 *g = (guint32 *) (gpointer) use->touched->data;
  for (guint k = 0; k < use->touched->len; k++)
    if (k == 0 || g[k] != g[n - 1])
      g[n++] = g[k];
  g_array_set_size (use->touched, n);
}

/* --- one core ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  const TsScheduler *x;
  const TsCoreState *core;
  GArray            *out;
} Writer;

static void
put (Writer *w, gint64 value)
{
  g_array_append_val (w->out, value);
}

static gboolean
is_live (const Writer *w, gint64 time)
{
  return time + w->x->max_sync >= w->core->dispatch;
}

static void
put_mark (Writer *w, TsMark mark)
{
  gboolean live = mark.on >= 0 && is_live (w, mark.time);

  put (w, live);
  if (live)
    {
      put (w, mark.time - w->core->dispatch);
      put (w, (gint64) mark.on - w->core->pos);
    }
}

static void
put_ring (Writer *w, const TsMarkRing *ring, gint64 depth)
{
  gint64 n = MIN (depth, ring->n);

  put (w, n);
  for (gint64 k = 1; k <= n; k++)
    put_mark (w, *ts_mark_ring_back (ring, k));
}

/* `busy`: the period has operations on it. */
static void
put_pipe (Writer *w, const TsPipeState *pipe, gboolean busy)
{
  /* Also where it is long over: the idle time before the next start counts from it, and the bandwidth of the next transfer. */
  put (w, pipe->end - w->core->dispatch);
  if (busy && pipe->ends.n > 0)
    put (w, ts_mark_ring_back (&pipe->ends, 1)->time - w->core->dispatch);
  put_ring (w, &pipe->starts, pipe->queue);
  put_ring (w, &pipe->ends, pipe->flight);
  put_mark (w, pipe->next);
  put_mark (w, pipe->last);
  put_mark (w, pipe->barrier);
  put_mark (w, pipe->empty);
}

static void
put_segment (Writer *w, const TsSegment *segment)
{
  for (guint p = 0; p < TS_N_PIPES; p++)
    {
      put_mark (w, (segment->readers >> p & 1) != 0 ? segment->reader[p] : (TsMark) { .on = -1 });
      put_mark (w, (segment->writers >> p & 1) != 0 ? segment->writer[p] : (TsMark) { .on = -1 });
    }
  put_mark (w, segment->producer);
  put (w, segment->producer_pipe);
}

static void
put_tensor (Writer *w, const TsTensorState *tensor)
{
  for (guint use = 0; use < 2; use++)
    for (guint p = 0; p < TS_N_PIPES; p++)
      {
        const TsWindowQueue *queue = &tensor->queue[use][p];
        for (guint k = queue->head; k < queue->n; k++)
          if (is_live (w, MAX (queue->marks[k].end, queue->marks[k].visible)))
            {
              put (w, queue->marks[k].end - w->core->dispatch);
              put (w, queue->marks[k].visible - w->core->dispatch);
              put (w, (gint64) queue->marks[k].on - w->core->pos);
            }
        put (w, G_MININT64);
      }
}

/* Results of the last period that are not known yet and that a scalar operand may wait for. */
static void
put_scalars (Writer *w, guint length)
{
  const TsStream *s = w->x->stream;
  guint from = w->core->pos > length ? w->core->pos - length : 0;

  for (guint i = from; s->n_scalars > 0 && i < w->core->pos; i++)
    put_mark (w, (TsMark) { .time = ts_scheduler_known (w->x, w->core, (gint32) i), .on = (gint32) i });
}

void
ts_boundary_state_write (TsBoundaryState *state, const TsScheduler *x, guint k, const TsPeriodUse *use)
{
  Writer w = { .x = x, .core = &x->cores[k], .out = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  const TsStream *s = x->stream;

  put_mark (&w, w.core->dispatcher);
  put (&w, (gint64) w.core->dispatched - w.core->pos);
  put_scalars (&w, use->length);
  for (guint p = 0; p < TS_N_PIPES; p++)
    if ((use->pipes >> p & 1) != 0)
      put_pipe (&w, &w.core->pipes[p], use->busy >> p & 1);
    else /* what is still going on there goes on beside the loop, once */
      {
        put (&w, MAX (w.core->pipes[p].end - w.core->dispatch, 0));
        put_mark (&w, w.core->pipes[p].empty);
      }
  for (guint i = 0; i < use->touched->len; i++)
    put_segment (&w, &x->segments[g_array_index (use->touched, guint32, i)]);
  for (guint t = 0; t < s->n_tensors; t++)
    if (x->tensor_written[t] && w.core->tensors != NULL)
      put_tensor (&w, &w.core->tensors[t]);
  *state = (TsBoundaryState) { .numbers = w.out, .dispatch = w.core->dispatch, .pos = w.core->pos,
                               .traffic = g_new (TsTraffic, s->n_channels + 1) };
  for (guint c = 0; c < s->n_channels; c++)
    state->traffic[c] = (TsTraffic) { x->channels[c].pushes[k]->len, x->channels[c].pops[k]->len, x->channels[c].releases[k]->len };
}

void
ts_boundary_state_clear (TsBoundaryState *state)
{
  g_clear_pointer (&state->numbers, g_array_unref);
  g_clear_pointer (&state->traffic, g_free);
}

/* --- channels ------------------------------------------------------------------------------------------------------------- */

/* All cores at one boundary. */
typedef struct
{
  const TsScheduler            *x;
  const TsBoundaryState *const *states;
  guint                         n;
  gint64                        earliest; /* dispatch of the core that is furthest behind */
} Cut;

static Cut
cut_at (const TsScheduler *x, const TsBoundaryState *const *states, guint n)
{
  Cut cut = { .x = x, .states = states, .n = n, .earliest = G_MAXINT64 };

  for (guint k = 0; k < n; k++)
    if (states[k]->numbers != NULL)
      cut.earliest = MIN (cut.earliest, states[k]->dispatch);
  return cut;
}

/* Is entry i of a core's marks the same at both cuts, in time and place? What was over long ago holds nobody. */
static gboolean
same_mark (const Cut *a, const Cut *b, guint core, const TsMark *m, const TsMark *n)
{
  gint64 reach = a->x->timing->cross_core + a->x->max_sync;
  gboolean live = m->time + reach >= a->earliest, alive = n->time + reach >= b->earliest;

  if (live != alive)
    return FALSE;
  return !live || (m->time - a->earliest == n->time - b->earliest
                   && (gint64) m->on - a->states[core]->pos == (gint64) n->on - b->states[core]->pos);
}

/* Marks from .. to - 1, counted from `base` in each cut. */
static gboolean
same_marks (const Cut *a, const Cut *b, guint core, const GArray *marks, gint64 base_a, gint64 base_b, gint64 from, gint64 to)
{
  for (gint64 i = from; i < to; i++)
    {
      gint64 j = base_a + i, k = base_b + i;
      gboolean there = j >= 0 && j < marks->len, other = k >= 0 && k < marks->len;
      if (there != other)
        return FALSE;
      if (there && !same_mark (a, b, core, &g_array_index (marks, TsMark, j), &g_array_index (marks, TsMark, k)))
        return FALSE;
    }
  return TRUE;
}

/* One producer and one consumer of a channel: what is on the way, and the slots that are taken. */
static gboolean
same_pair (const Cut *a, const Cut *b, guint c, guint producer, guint consumer)
{
  const TsChannel *channel = &a->x->stream->channels[c];
  const TsChannelState *state = &a->x->channels[c];
  const TsTraffic *pa = &a->states[producer]->traffic[c], *pb = &b->states[producer]->traffic[c];
  const TsTraffic *ca = &a->states[consumer]->traffic[c], *cb = &b->states[consumer]->traffic[c];
  const GArray *freed = channel->releases ? state->releases[consumer] : state->pops[consumer];
  gint64 open = (gint64) pa->pushes - ca->pops, taken_a = channel->releases ? ca->releases : ca->pops;
  gint64 taken_b = channel->releases ? cb->releases : cb->pops;

  if (open != (gint64) pb->pushes - cb->pops || (channel->releases && ca->pops - ca->releases != cb->pops - cb->releases))
    return FALSE;
  /* Pushes that are still to be popped; pops that are still to be released; slots that the next pushes wait for. */
  if (!same_marks (a, b, producer, state->pushes[producer], ca->pops, cb->pops, 0, MAX (open, 0))
      || (channel->releases
          && !same_marks (a, b, consumer, state->pops[consumer], ca->releases, cb->releases, 0, (gint64) ca->pops - ca->releases)))
    return FALSE;
  if (channel->slots <= 0)
    return TRUE;
  return taken_a - (gint64) pa->pushes == taken_b - (gint64) pb->pushes
         && same_marks (a, b, consumer, freed, pa->pushes - channel->slots, pb->pushes - channel->slots, 0,
                        taken_a - (pa->pushes - channel->slots));
}

/* Whoever popped or waited did so before the older cut, and what is pushed waits for no room: no push holds anybody any more,
 * however many there are. What is left out repeats what stands between the cuts, so nobody waits there either. */
static gboolean
is_past (const Cut *before, guint c, guint consumer)
{
  return before->x->stream->channels[c].slots <= 0
         && before->x->channels[c].pops_end[consumer] <= before->states[consumer]->pos;
}

gboolean
ts_boundary_same_channels (const TsScheduler *x, const TsBoundaryState *const *a, const TsBoundaryState *const *b, guint n)
{
  const TsStream *s = x->stream;
  Cut at = cut_at (x, a, n), before = cut_at (x, b, n);

  for (guint c = 0; c < s->n_channels; c++)
    for (guint p = 0; p < n; p++)
      for (guint q = 0; q < n; q++)
        if ((s->channels[c].producers >> p & 1) != 0 && (s->channels[c].consumers >> q & 1) != 0 && a[p]->numbers != NULL
            && a[q]->numbers != NULL && !is_past (&before, c, q) && !same_pair (&at, &before, c, p, q))
          return FALSE;
  return TRUE;
}
