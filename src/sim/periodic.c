/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filling in periodic loops: where the state of the scheduler returns (but for a shift in time), so does everything that follows.
 *
 * The stream promises that what it left out repeats the last period: same statements, costs and ranges, windows that move on
 * evenly. Here it is checked that the state that decides the next start is the same at `at` as some periods before. Then every
 * iteration left out takes the same cycles, and jumping over them is exact. What can hold nothing any more is no part of the
 * state. */
#include "sim/scheduler.h"

#include <string.h>

#include "base/number.h"

static const guint candidates[] = { 1, 2, 3, 4, 5, 6, 8, 10, 12 };

struct TsPeriodic
{
  guint   repeat;   /* next repeat to come to */
  GArray *states[TS_REPEAT_BOUNDARIES]; /* gint64: the state at each boundary, once passed */
  gint64  dispatch[TS_REPEAT_BOUNDARIES];
  gint    next;     /* boundary to come to next; -1: repeat not looked at yet */
  GArray *touched;  /* guint32: segments that the last period touches */
  guint   pipes;    /* bit per pipe it uses */
  gint64 *shifts;   /* per tensor TS_MAX_WINDOW_RANK elements per period */
  GPtrArray *kept;  /* shift vectors that marks point to */
};

TsPeriodic *
ts_periodic_new (const TsScheduler *x)
{
  TsPeriodic *p = g_new0 (TsPeriodic, 1);

  for (guint k = 0; k < TS_REPEAT_BOUNDARIES; k++)
    p->states[k] = g_array_new (FALSE, FALSE, sizeof (gint64));
  p->touched = g_array_new (FALSE, FALSE, sizeof (guint32));
  p->shifts = g_new0 (gint64, ((gsize) x->stream->n_tensors + 1) * TS_MAX_WINDOW_RANK);
  p->kept = g_ptr_array_new_with_free_func (g_free);
  p->next = -1;
  return p;
}

void
ts_periodic_free (TsPeriodic *p)
{
  for (guint k = 0; k < TS_REPEAT_BOUNDARIES; k++)
    g_array_unref (p->states[k]);
  g_array_unref (p->touched);
  g_free (p->shifts);
  g_ptr_array_unref (p->kept);
  g_free (p);
}

/* --- is the stream what it promises? ------------------------------------------------------------------------------------------ */

static gint
compare_segments (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  return x < y ? -1 : x > y;
}

/* Which pipes and segments an iteration uses. */
static void
survey (TsPeriodic *p, const TsScheduler *x, const TsRepeat *repeat)
{
  const TsStream *s = x->stream;
  guint n = 0;

  p->pipes = 0;
  g_array_set_size (p->touched, 0);
  for (guint i = repeat->boundary[1]; i < repeat->at; i++)
    {
      p->pipes |= 1u << ts_stream_site (s, i)->pipe;
      gint32 list = s->accesses[i];
      for (guint32 k = list < 0 ? 0 : s->access_start[list]; list >= 0 && k < s->access_start[list + 1]; k++)
        for (guint32 g = x->segment_first[k]; g < x->segment_end[k]; g++)
          g_array_append_val (p->touched, g);
    }
  g_array_sort (p->touched, compare_segments);
  guint32 *g = (guint32 *) (gpointer) p->touched->data;
  for (guint k = 0; k < p->touched->len; k++)
    if (k == 0 || g[k] != g[n - 1])
      g[n++] = g[k];
  g_array_set_size (p->touched, n);
}

static gboolean
same_scalars (const TsStream *s, guint i, guint j, guint from)
{
  guint32 n = s->scalar_start[i + 1] - s->scalar_start[i];

  if (n != s->scalar_start[j + 1] - s->scalar_start[j])
    return FALSE;
  for (guint32 k = 0; k < n; k++)
    {
      gint32 a = s->scalars[s->scalar_start[i] + k], b = s->scalars[s->scalar_start[j] + k];
      gboolean outside = (guint) a < from && a == b;
      if (!outside && (gint32) i - a != (gint32) j - b)
        return FALSE;
    }
  return TRUE;
}

/* Windows of one tensor move on by the same offsets, if the tensor is one whose accesses are ordered. */
static gboolean
same_windows (TsPeriodic *p, const TsScheduler *x, guint i, guint j, gboolean *known)
{
  const TsStream *s = x->stream;
  guint32 n = s->window_start[i + 1] - s->window_start[i];

  if (n != s->window_start[j + 1] - s->window_start[j])
    return FALSE;
  for (guint32 k = 0; k < n; k++)
    {
      const TsWindow *a = &s->windows[s->window_start[i] + k], *b = &s->windows[s->window_start[j] + k];
      const TsWindowShape *shape = &s->window_shapes[a->shape];
      gint64 *shift = p->shifts + (gsize) shape->tensor * TS_MAX_WINDOW_RANK;
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

static gboolean
stream_repeats (TsPeriodic *p, const TsScheduler *x, const TsRepeat *repeat)
{
  const TsStream *s = x->stream;
  guint length = repeat->at - repeat->boundary[1];
  g_autofree gboolean *known = g_new0 (gboolean, (gsize) s->n_tensors + 1);

  if (length == 0 || repeat->boundary[1] - repeat->boundary[2] != length)
    return FALSE;
  for (guint i = repeat->boundary[2]; i < repeat->boundary[1]; i++)
    {
      guint j = i + length;
      if (s->site[i] != s->site[j] || s->cost[i] != s->cost[j] || s->accesses[i] != s->accesses[j]
          || !same_scalars (s, i, j, repeat->boundary[2]) || !same_windows (p, x, i, j, known))
        return FALSE;
    }
  return TRUE;
}

/* --- the state, as numbers that do not depend on when and where --------------------------------------------------------- */

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
put_pipe (Writer *w, const TsPipeState *pipe)
{
  guint64 depth = MIN ((guint64) MAX (pipe->queue, pipe->flight), pipe->count);

  /* Also where it is long over: the idle time before the next start counts from it. */
  put (w, pipe->end - w->core->dispatch);
  put (w, (gint64) depth);
  for (guint64 k = 1; k <= depth; k++)
    {
      const TsPipeSlot *slot = &pipe->slots[(pipe->count - k) & pipe->mask];
      put_mark (w, (TsMark) { .time = slot->start, .on = slot->on });
      put_mark (w, (TsMark) { .time = slot->end, .on = slot->on });
    }
  put_mark (w, pipe->barrier);
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
    put_mark (w, (TsMark) { .time = ts_scheduler_visible (w->x, i), .on = (gint32) i });
}

static void
write_state (const TsPeriodic *p, const TsScheduler *x, guint length, GArray *out)
{
  Writer w = { .x = x, .core = &x->cores[0], .out = out };

  g_array_set_size (out, 0);
  put_mark (&w, w.core->dispatcher);
  put (&w, (gint64) w.core->dispatched - w.core->pos);
  put_scalars (&w, length);
  for (guint k = 0; k < TS_N_PIPES; k++)
    if ((p->pipes >> k & 1) != 0)
      put_pipe (&w, &w.core->pipes[k]);
  for (guint k = 0; k < p->touched->len; k++)
    put_segment (&w, &x->segments[g_array_index (p->touched, guint32, k)]);
  for (guint t = 0; t < x->stream->n_tensors; t++)
    if (x->tensor_written[t] && w.core->tensors != NULL)
      put_tensor (&w, &w.core->tensors[t]);
}

static gboolean
same_state (const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, (gsize) a->len * sizeof (gint64)) == 0;
}

/* --- jumping ------------------------------------------------------------------------------------------------------------ */

static void
shift_mark (TsMark *mark, guint from, gint64 by)
{
  if (mark->on >= 0 && (guint) mark->on >= from)
    mark->time += by;
}

static void
shift_windows (TsPeriodic *p, TsScheduler *x, const TsFill *fill, gint64 periods, gint64 by)
{
  for (guint t = 0; t < x->stream->n_tensors && x->cores[0].tensors != NULL; t++)
    {
      gint64 *shift = NULL;
      for (guint use = 0; use < 2; use++)
        for (guint q = 0; q < TS_N_PIPES; q++)
          {
            TsWindowQueue *queue = &x->cores[0].tensors[t].queue[use][q];
            for (guint k = queue->head; k < queue->n; k++)
              if ((guint) queue->marks[k].on >= fill->from)
                {
                  if (shift == NULL)
                    {
                      shift = g_new0 (gint64, TS_MAX_WINDOW_RANK);
                      for (guint d = 0; d < TS_MAX_WINDOW_RANK; d++)
                        shift[d] = ts_mul_sat (p->shifts[(gsize) t * TS_MAX_WINDOW_RANK + d], periods);
                      g_ptr_array_add (p->kept, shift);
                    }
                  queue->marks[k].end += by;
                  queue->marks[k].visible += by;
                  queue->marks[k].horizon += by;
                  queue->marks[k].shift = shift;
                }
          }
    }
}

static void
jump (TsPeriodic *p, TsScheduler *x, const TsFill *fill, gint64 periods)
{
  TsCoreState *core = &x->cores[0];
  gint64 by = fill->times * fill->cycles;

  core->dispatch += by;
  shift_mark (&core->dispatcher, fill->from, by);
  for (guint k = 0; k < TS_N_PIPES; k++)
    {
      TsPipeState *pipe = &core->pipes[k];
      if (pipe->count > 0 && (guint) pipe->slots[(pipe->count - 1) & pipe->mask].on >= fill->from)
        pipe->end += by;
      for (guint64 j = 0; j <= pipe->mask && j < pipe->count; j++)
        if ((guint) pipe->slots[j].on >= fill->from)
          {
            pipe->slots[j].start += by;
            pipe->slots[j].end += by;
          }
      shift_mark (&pipe->barrier, fill->from, by);
    }
  for (guint k = 0; k < p->touched->len; k++)
    {
      TsSegment *segment = &x->segments[g_array_index (p->touched, guint32, k)];
      for (guint q = 0; q < TS_N_PIPES; q++)
        {
          shift_mark (&segment->reader[q], fill->from, (segment->readers >> q & 1) != 0 ? by : 0);
          shift_mark (&segment->writer[q], fill->from, (segment->writers >> q & 1) != 0 ? by : 0);
        }
      shift_mark (&segment->producer, fill->from, by);
    }
  shift_windows (p, x, fill, periods, by);
}

/* At `at`: finds how many periods it takes until the state returns, and jumps. */
static gboolean
try_fill (TsPeriodic *p, TsScheduler *x, const TsRepeat *repeat)
{
  if (!stream_repeats (p, x, repeat))
    return FALSE;
  for (guint c = 0; c < G_N_ELEMENTS (candidates); c++)
    {
      guint q = candidates[c];
      gint64 unit = ts_mul_sat (repeat->period, q), cycles = p->dispatch[0] - p->dispatch[q];
      if (repeat->omitted % unit != 0 || !same_state (p->states[0], p->states[q]))
        continue;
      TsFill fill = { .from = repeat->boundary[q], .at = repeat->at, .times = repeat->omitted / unit, .cycles = cycles,
                      .time = p->dispatch[0] };
      if (ts_mul_sat (fill.times, fill.cycles) > TS_TIME_LIMIT)
        return FALSE;
      jump (p, x, &fill, repeat->omitted / repeat->period);
      x->fills = g_renew (TsFill, x->fills, x->n_fills + 1);
      x->fills[x->n_fills++] = fill;
      return TRUE;
    }
  return FALSE;
}

gboolean
ts_periodic_visit (TsPeriodic *p, TsScheduler *x)
{
  const TsStream *s = x->stream;
  guint pos = x->cores[0].pos;

  while (p->repeat < s->n_repeats)
    {
      const TsRepeat *repeat = &s->repeats[p->repeat];
      if (p->next < 0)
        {
          if (pos < repeat->boundary[TS_REPEAT_BOUNDARIES - 1])
            return TRUE;
          survey (p, x, repeat);
          p->next = TS_REPEAT_BOUNDARIES - 1;
        }
      if (pos != repeat->boundary[p->next])
        return TRUE;
      write_state (p, x, repeat->at - repeat->boundary[1], p->states[p->next]);
      p->dispatch[p->next] = x->cores[0].dispatch;
      if (p->next-- > 0)
        return TRUE;
      if (!try_fill (p, x, repeat))
        return FALSE;
      p->repeat++;
    }
  return TRUE;
}
