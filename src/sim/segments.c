/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who last read and wrote which bytes of a core's buffers. Ranges are cut into segments once, before scheduling starts. */
#include "sim/scheduler.h"

/* Segments or accesses between two looks at the cancellable: a millisecond. A segment is some hundred bytes, of memory that
 * nobody has touched yet. */
#define LOOK_EVERY 2048u

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

static gboolean
stopped (const TsScheduler *x, guint i)
{
  return i % LOOK_EVERY == 0 && x->stop (x->stop_data);
}

static guint
find_cut (const Cut *cuts, guint lo, guint hi, gint64 at)
{
  while (lo < hi)
    {
      guint mid = lo + (hi - lo) / 2;
      if (cuts[mid].at < at)
        lo = mid + 1;
      else
        hi = mid;
    }
  return lo;
}

/* Where ranges of buffers begin and end, each place once, by buffer. FALSE: cancelled. */
static gboolean
collect_cuts (const TsScheduler *x, Cut *cuts, guint *n)
{
  const TsStream *s = x->stream;
  guint n_access = s->access_start[s->n_access_lists];

  *n = 0;
  for (guint i = 0; i < n_access; i++)
    {
      if (stopped (x, i))
        return FALSE;
      cuts[2 * i] = (Cut) { .buffer = s->access[i].buffer, .at = s->access[i].begin };
      cuts[2 * i + 1] = (Cut) { .buffer = s->access[i].buffer, .at = s->access[i].end };
    }
  if (!ts_sort_pieces (cuts, (gsize) n_access * 2, sizeof (Cut), compare_cuts, x->stop, x->stop_data))
    return FALSE;
  for (guint i = 0; i < n_access * 2; i++)
    {
      if (stopped (x, i))
        return FALSE;
      if (i == 0 || compare_cuts (&cuts[i], &cuts[*n - 1]) != 0)
        cuts[(*n)++] = cuts[i];
    }
  return TRUE;
}

/* Which segments each access touches. */
static void
find_ranges (TsScheduler *x, const Cut *cuts)
{
  const TsStream *s = x->stream;
  guint n_access = s->access_start[s->n_access_lists];
  /* Cuts of buffer b are first[b] .. end[b] - 1. */
  g_autofree guint *first = g_new0 (guint, (gsize) s->n_buffers + 1), *end = g_new0 (guint, (gsize) s->n_buffers + 1);

  for (guint i = 0; i < x->n_segments; i++)
    {
      if (stopped (x, i))
        return;
      if (i == 0 || cuts[i].buffer != cuts[i - 1].buffer)
        first[cuts[i].buffer] = i;
      end[cuts[i].buffer] = i + 1;
    }
  for (guint i = 0; i < n_access; i++)
    {
      const TsAccess *a = &s->access[i];
      guint from = first[a->buffer], to = end[a->buffer];
      if (stopped (x, i))
        return;
      x->segment_first[i] = find_cut (cuts, from, to, a->begin);
      x->segment_end[i] = MAX (find_cut (cuts, from, to, a->end), x->segment_first[i]);
    }
}

/* Nobody has read or written anything. FALSE: cancelled. */
static gboolean
blank_segments (TsScheduler *x)
{
  x->segments = g_new (TsSegment, x->n_segments);
  for (guint i = 0; i < x->n_segments; i++)
    {
      if (stopped (x, i))
        return FALSE;
      x->segments[i] = (TsSegment) { .producer = { .on = -1 } };
    }
  return TRUE;
}

void
ts_segments_init (TsScheduler *x, gboolean marks)
{
  const TsStream *s = x->stream;
  guint n_access = s->access_start[s->n_access_lists], n;
  g_autofree Cut *cuts = g_new (Cut, (gsize) n_access * 2 + 1);

  /* Until all is well no access touches anything. */
  x->segment_first = g_new0 (guint32, n_access);
  x->segment_end = g_new0 (guint32, n_access);
  if (!collect_cuts (x, cuts, &n))
    return;
  /* Segment k lies between cuts k and k + 1; the one after a buffer's last cut is never used. */
  x->n_segments = n;
  x->segment_bytes = g_new0 (gint64, n);
  for (guint i = 0; i + 1 < n && !stopped (x, i); i++)
    if (cuts[i + 1].buffer == cuts[i].buffer)
      x->segment_bytes[i] = cuts[i + 1].at - cuts[i].at;
  if (!marks || blank_segments (x))
    find_ranges (x, cuts);
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
