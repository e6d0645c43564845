/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order of accesses to global memory. Only tensors that someone writes are followed.
 *
 * Per tensor, use and pipe the accesses are kept in order, newest last. An access that was over before the last dispatch can hold
 * nothing any more, so it is forgotten, and a search from the newest back ends where no older one can matter. What is left to
 * look at is about as much as queues hold: the cost per instruction does not grow with the stream. */
#include "sim/scheduler.h"

#include <string.h>

void
ts_windows_init (TsScheduler *x)
{
  const TsStream *s = x->stream;

  x->tensor_written = g_new0 (gboolean, s->n_tensors + 1);
  if (x->timing->gm_alias == TS_GM_ALIAS_NONE)
    return;
  for (guint i = 0; i < s->n_window_shapes; i++)
    if ((s->window_shapes[i].access & TS_ACCESS_WRITE) != 0)
      x->tensor_written[s->window_shapes[i].tensor] = TRUE;
  for (guint k = 0; k < s->n_cores; k++)
    x->cores[k].tensors = g_new0 (TsTensorState, s->n_tensors + 1);
}

void
ts_windows_free (TsScheduler *x)
{
  for (guint k = 0; k < x->stream->n_cores; k++)
    {
      TsTensorState *tensors = x->cores[k].tensors;
      for (guint t = 0; tensors != NULL && t < x->stream->n_tensors; t++)
        for (guint use = 0; use < 2; use++)
          for (guint p = 0; p < TS_N_PIPES; p++)
            g_free (tensors[t].queue[use][p].marks);
      g_free (tensors);
    }
  g_free (x->tensor_written);
}

gboolean
ts_windows_overlap (const TsScheduler *x, guint32 window, const TsWindowMark *mark)
{
  const TsStream *s = x->stream;
  const TsWindow *w = &s->windows[window], *v = &s->windows[mark->window];
  const TsWindowShape *ws = &s->window_shapes[w->shape], *vs = &s->window_shapes[v->shape];

  if (x->timing->gm_alias == TS_GM_ALIAS_TENSOR)
    return TRUE;
  if (mark->shift == NULL)
    return ts_stream_windows_overlap (s, window, mark->window);
  for (guint d = 0; ws->rank == vs->rank && d < ws->rank; d++)
    {
      gint64 wo = s->offsets[w->offsets + d], vo = s->offsets[v->offsets + d] + mark->shift[d];
      if (wo + ws->extent[d] <= vo || vo + vs->extent[d] <= wo)
        return FALSE;
    }
  return TRUE;
}

/* Everything of a queue that overlaps; `visible` says which of the two times counts. */
static void
constrain_queue (const TsScheduler *x, const TsCoreState *core, const TsWindowQueue *queue, guint32 window, guint from, guint pipe,
                 gboolean visible, gint32 tensor, TsConstraint *best)
{
  for (guint k = queue->n; k > queue->head; k--)
    {
      const TsWindowMark *mark = &queue->marks[k - 1];
      if (mark->horizon + x->max_sync < best->time)
        return;
      if (ts_windows_overlap (x, window, mark))
        ts_constraint_data (best, x, core, (TsMark) { .time = visible ? mark->visible : mark->end, .on = mark->on }, from, pipe,
                            TS_CAUSE_MEMORY, tensor);
    }
}

static void
constrain_use (const TsScheduler *x, const TsCoreState *core, const TsTensorState *tensor, guint use, guint32 window, guint pipe,
               gboolean visible, TsConstraint *best)
{
  gint32 name = x->stream->window_shapes[x->stream->windows[window].shape].tensor;

  for (guint pipes = tensor->pipes[use]; pipes != 0; pipes &= pipes - 1)
    {
      guint p = (guint) __builtin_ctz (pipes);
      constrain_queue (x, core, &tensor->queue[use][p], window, p, pipe, visible, name, best);
    }
}

void
ts_windows_constrain (const TsScheduler *x, const TsCoreState *core, guint i, guint pipe, TsConstraint *best)
{
  const TsStream *s = x->stream;

  for (guint32 w = s->window_start[i]; w < s->window_start[i + 1]; w++)
    {
      const TsWindowShape *shape = &s->window_shapes[s->windows[w].shape];
      if (!x->tensor_written[shape->tensor])
        continue;
      const TsTensorState *tensor = &core->tensors[shape->tensor];
      if ((shape->access & TS_ACCESS_READ) != 0)
        constrain_use (x, core, tensor, 1, w, pipe, TRUE, best);
      if ((shape->access & TS_ACCESS_WRITE) != 0)
        {
          constrain_use (x, core, tensor, 0, w, pipe, FALSE, best);
          constrain_use (x, core, tensor, 1, w, pipe, FALSE, best);
        }
    }
}

/* Drops what cannot hold anything any more: a later start is never before the last dispatch. */
static void
forget (TsWindowQueue *queue, gint64 before)
{
  while (queue->head < queue->n && MAX (queue->marks[queue->head].end, queue->marks[queue->head].visible) < before)
    queue->head++;
  if (queue->head > queue->n / 2)
    {
      memmove (queue->marks, queue->marks + queue->head, sizeof (TsWindowMark) * (queue->n - queue->head));
      queue->n -= queue->head;
      queue->head = 0;
    }
}

static void
push (TsWindowQueue *queue, const TsWindowMark *mark, gint64 before)
{
  forget (queue, before);
  if (queue->n == queue->capacity)
    {
      queue->capacity = MAX (8, queue->capacity * 2);
      queue->marks = g_renew (TsWindowMark, queue->marks, queue->capacity);
    }
  TsWindowMark *to = &queue->marks[queue->n++];
  *to = *mark;
  to->horizon = MAX (mark->end, mark->visible);
  if (queue->n - 1 > queue->head)
    to->horizon = MAX (to->horizon, to[-1].horizon);
}

void
ts_windows_update (TsScheduler *x, TsCoreState *core, guint i, guint pipe, gint64 end, gint64 visible)
{
  const TsStream *s = x->stream;

  for (guint32 w = s->window_start[i]; w < s->window_start[i + 1]; w++)
    {
      const TsWindowShape *shape = &s->window_shapes[s->windows[w].shape];
      TsWindowMark mark = { .end = end, .visible = visible, .on = (gint32) i, .window = w };
      if (!x->tensor_written[shape->tensor])
        continue;
      for (guint use = 0; use < 2; use++)
        if ((shape->access & (use == 0 ? TS_ACCESS_READ : TS_ACCESS_WRITE)) != 0)
          {
            core->tensors[shape->tensor].pipes[use] |= (guint8) (1u << pipe);
            push (&core->tensors[shape->tensor].queue[use][pipe], &mark, core->dispatch - x->max_sync);
          }
    }
}
