/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who last read and wrote which bytes of a core's buffers. Ranges are cut into segments once, before scheduling starts. */
#include "sim/scheduler.h"

typedef struct
{
  gint32 buffer;
  gint64 at;
} Cut;

static gint
compare_cuts (gconstpointer a, gconstpointer b)
{
  const Cut *x = a, *y = b;

  if (x->buffer != y->buffer)
    return x->buffer < y->buffer ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static guint
find_cut (const Cut *cuts, guint n, Cut key)
{
  guint lo = 0, hi = n;

  while (lo < hi)
    {
      guint mid = lo + (hi - lo) / 2;
      if (compare_cuts (&cuts[mid], &key) < 0)
        lo = mid + 1;
      else
        hi = mid;
    }
  return lo;
}

void
ts_segments_init (TsScheduler *x)
{
  const TsStream *s = x->stream;
  guint n_access = s->access_start[s->n_access_lists], n = 0;
  g_autofree Cut *cuts = g_new (Cut, (gsize) n_access * 2 + 1);

  for (guint i = 0; i < n_access; i++)
    {
      cuts[2 * i] = (Cut) { .buffer = s->access[i].buffer, .at = s->access[i].begin };
      cuts[2 * i + 1] = (Cut) { .buffer = s->access[i].buffer, .at = s->access[i].end };
    }
  qsort (cuts, (gsize) n_access * 2, sizeof (Cut), compare_cuts);
  for (guint i = 0; i < n_access * 2; i++)
    if (i == 0 || compare_cuts (&cuts[i], &cuts[n - 1]) != 0)
      cuts[n++] = cuts[i];

  /* Segment k lies between cuts k and k + 1; the one after a buffer's last cut is never used. */
  x->n_segments = n;
  x->segments = g_new0 (TsSegment, n);
  x->segment_bytes = g_new0 (gint64, n);
  x->segment_first = g_new (guint32, n_access);
  x->segment_end = g_new (guint32, n_access);
  for (guint i = 0; i < n; i++)
    {
      x->segments[i].producer.on = -1;
      if (i + 1 < n && cuts[i + 1].buffer == cuts[i].buffer)
        x->segment_bytes[i] = cuts[i + 1].at - cuts[i].at;
    }
  for (guint i = 0; i < n_access; i++)
    {
      const TsAccess *a = &s->access[i];
      x->segment_first[i] = find_cut (cuts, n, (Cut) { .buffer = a->buffer, .at = a->begin });
      x->segment_end[i] = MAX (find_cut (cuts, n, (Cut) { .buffer = a->buffer, .at = a->end }), x->segment_first[i]);
    }
}

void
ts_segments_clear (TsScheduler *x)
{
  g_free (x->segments);
  g_free (x->segment_bytes);
  g_free (x->segment_first);
  g_free (x->segment_end);
}

static inline void
constrain_marks (const TsScheduler *x, const TsCoreState *core, const TsMark *marks, guint pipes, guint pipe, TsCause cause,
                 gint32 buffer, TsConstraint *best)
{
  while (pipes != 0)
    {
      guint p = (guint) __builtin_ctz (pipes);
      pipes &= pipes - 1;
      ts_constraint_data (best, x, core, marks[p], p, pipe, cause, buffer);
    }
}

void
ts_segments_constrain (const TsScheduler *x, const TsCoreState *core, guint i, guint pipe, TsConstraint *best)
{
  const TsStream *s = x->stream;
  gint32 list = s->accesses[i];

  if (list < 0)
    return;
  for (guint32 k = s->access_start[list]; k < s->access_start[list + 1]; k++)
    {
      const TsAccess *a = &s->access[k];
      for (guint32 g = x->segment_first[k]; g < x->segment_end[k]; g++)
        {
          const TsSegment *segment = &x->segments[g];
          if ((a->access & TS_ACCESS_READ) != 0 && segment->producer.on >= 0)
            ts_constraint_data (best, x, core, segment->producer, segment->producer_pipe, pipe, TS_CAUSE_RAW, a->buffer);
          if ((a->access & TS_ACCESS_WRITE) != 0)
            {
              constrain_marks (x, core, segment->reader, segment->readers, pipe, TS_CAUSE_WAR, a->buffer, best);
              constrain_marks (x, core, segment->writer, segment->writers, pipe, TS_CAUSE_WAW, a->buffer, best);
            }
        }
    }
}

void
ts_segments_update (TsScheduler *x, guint i, guint pipe, gint64 end, gint64 visible)
{
  const TsStream *s = x->stream;
  gint32 list = s->accesses[i];
  TsMark mark = { .time = end, .on = (gint32) i };

  if (list < 0)
    return;
  for (guint32 k = s->access_start[list]; k < s->access_start[list + 1]; k++)
    for (guint32 g = x->segment_first[k]; g < x->segment_end[k]; g++)
      {
        TsSegment *segment = &x->segments[g];
        if ((s->access[k].access & TS_ACCESS_READ) != 0)
          {
            segment->reader[pipe] = mark;
            segment->readers |= (guint8) (1u << pipe);
          }
        if ((s->access[k].access & TS_ACCESS_WRITE) != 0)
          {
            segment->writer[pipe] = mark;
            segment->writers |= (guint8) (1u << pipe);
            segment->producer = (TsMark) { .time = visible, .on = (gint32) i };
            segment->producer_pipe = (guint8) pipe;
          }
      }
}

void
ts_segments_last_use (const TsScheduler *x, gint32 list, TsMark *mark)
{
  const TsStream *s = x->stream;

  if (list < 0)
    return;
  for (guint32 k = s->access_start[list]; k < s->access_start[list + 1]; k++)
    for (guint32 g = x->segment_first[k]; g < x->segment_end[k]; g++)
      for (guint p = 0; p < TS_N_PIPES; p++)
        {
          const TsSegment *segment = &x->segments[g];
          if ((segment->readers >> p & 1) != 0 && (segment->reader[p].time > mark->time
                                                   || (segment->reader[p].time == mark->time && segment->reader[p].on > mark->on)))
            *mark = segment->reader[p];
          if ((segment->writers >> p & 1) != 0 && (segment->writer[p].time > mark->time
                                                   || (segment->writer[p].time == mark->time && segment->writer[p].on > mark->on)))
            *mark = segment->writer[p];
        }
}
