/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts events into rows that do not overlap and builds a pyramid over each, so that any range can be drawn in time that depends on
 * the width of the picture only. */
#include <string.h>

#include "draw/timeline-private.h"

/* Cancellation is looked at once per so many events. */
#define CANCEL_STRIDE 65536u

/* --- queries ------------------------------------------------------------------------------------------------------------- */

/* First position in [low, high] whose value is at least `cycle`; the values do not fall. */
static guint
first_at_least (const gint64 *values, guint low, guint high, gint64 cycle)
{
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (values[middle] >= cycle)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

guint
ts_row_first_ending_after (const TsRow *row, gint64 cycle)
{
  return cycle == G_MAXINT64 ? row->n : first_at_least (row->end, 0, row->n, cycle + 1);
}

guint
ts_row_next_ending_after (const TsRow *row, guint from, gint64 cycle)
{
  guint step = 1, low = from;

  if (cycle == G_MAXINT64)
    return row->n;
  while (low < row->n && row->end[low] <= cycle)
    {
      low += step;
      step *= 2;
    }
  return first_at_least (row->end, step > 1 ? low - step / 2 : from, MIN (low, row->n), cycle + 1);
}

guint
ts_row_first_starting_at (const TsRow *row, gint64 cycle)
{
  return first_at_least (row->start, 0, row->n, cycle);
}

static inline gint64
length_at (const TsRow *row, guint i)
{
  return row->end[i] - row->start[i];
}

static inline gint64
gap_at (const TsRow *row, guint i)
{
  return i == 0 ? 0 : row->start[i] - row->end[i - 1];
}

/* Does the node or event `i` of `level` (0: events) reach the length asked for? */
static inline gboolean
reaches (const TsRow *row, guint level, guint i, gint64 length, gboolean gaps)
{
  if (level == 0)
    return (gaps ? gap_at (row, i) : length_at (row, i)) >= length;
  return (gaps ? row->levels[level - 1][i].gap : length_at (row, row->levels[level - 1][i].longest)) >= length;
}

/* Climbs while whole nodes can be skipped, then descends into the first that reaches. */
static guint
next_reaching (const TsRow *row, guint from, guint limit, gint64 length, gboolean gaps)
{
  guint level = 0;
  guint64 span = 1; /* events under one node of the level */
  guint64 i = from; /* node of the level */

  while (i * span < limit)
    {
      if (reaches (row, level, (guint) i, length, gaps))
        {
          if (level == 0)
            return (guint) i;
          level--;
          span /= TS_PYRAMID_FAN;
          i *= TS_PYRAMID_FAN;
          continue;
        }
      i++;
      while (level < row->n_levels && i % TS_PYRAMID_FAN == 0)
        {
          level++;
          span *= TS_PYRAMID_FAN;
          i /= TS_PYRAMID_FAN;
        }
      /* The next node may lie past the end of its level; then so does everything. */
      if (level > 0 && i >= row->n_level[level - 1])
        break;
    }
  return limit;
}

guint
ts_row_next_long (const TsRow *row, guint from, guint limit, gint64 length)
{
  return next_reaching (row, from, limit, length, FALSE);
}

guint
ts_row_next_gap (const TsRow *row, guint from, guint limit, gint64 length)
{
  return next_reaching (row, from, limit, length, TRUE);
}

guint
ts_row_longest (const TsRow *row, guint from, guint to)
{
  guint best = from;

  while (from < to)
    {
      guint level = 0;
      guint64 span = 1;

      /* The largest node that begins here and ends before `to`. */
      while (level < row->n_levels && from % (span * TS_PYRAMID_FAN) == 0 && from + span * TS_PYRAMID_FAN <= to)
        {
          level++;
          span *= TS_PYRAMID_FAN;
        }
      {
        guint candidate = level == 0 ? from : row->levels[level - 1][from / span].longest;

        if (length_at (row, candidate) > length_at (row, best))
          best = candidate;
      }
      from += (guint) span;
    }
  return best;
}

/* --- building ------------------------------------------------------------------------------------------------------------ */

static void
build_pyramid (TsArena *arena, TsRow *row)
{
  guint n = row->n;

  for (guint level = 0; level < TS_PYRAMID_LEVELS && n > TS_PYRAMID_FAN; level++)
    {
      guint n_nodes = (n + TS_PYRAMID_FAN - 1) / TS_PYRAMID_FAN;
      TsPyramidNode *nodes = ts_arena_array (arena, TsPyramidNode, n_nodes);

      for (guint i = 0; i < n; i++)
        {
          TsPyramidNode *node = &nodes[i / TS_PYRAMID_FAN];
          guint longest = level == 0 ? i : row->levels[level - 1][i].longest;
          gint64 gap = level == 0 ? gap_at (row, i) : row->levels[level - 1][i].gap;

          if (i % TS_PYRAMID_FAN == 0 || length_at (row, longest) > length_at (row, node->longest))
            node->longest = longest;
          node->gap = i % TS_PYRAMID_FAN == 0 ? gap : MAX (node->gap, gap);
        }
      row->levels[level] = nodes;
      row->n_level[level] = n_nodes;
      row->n_levels = level + 1;
      n = n_nodes;
    }
}

static gint
compare_starts (gconstpointer a, gconstpointer b, gpointer data)
{
  const TsTimelineEvent *events = data;
  const TsTimelineEvent *x = &events[*(const gint32 *) a], *y = &events[*(const gint32 *) b];

  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return *(const gint32 *) a < *(const gint32 *) b ? -1 : 1;
}

/* Event ids by lane, each lane in order of start. `first` gets n_lanes + 1 offsets. Most schedules come nearly sorted. */
static gint32 *
sort_by_lane (const TsTimelineInput *input, guint *first)
{
  gint32 *order = g_new (gint32, MAX (input->n_events, 1));
  g_autofree guint *cursor = g_new0 (guint, input->n_lanes + 1);

  for (guint i = 0; i < input->n_events; i++)
    if (input->events[i].lane < input->n_lanes)
      first[input->events[i].lane + 1]++;
  for (guint lane = 0; lane < input->n_lanes; lane++)
    first[lane + 1] += first[lane];
  memcpy (cursor, first, sizeof (guint) * input->n_lanes);
  for (guint i = 0; i < input->n_events; i++)
    if (input->events[i].lane < input->n_lanes)
      order[cursor[input->events[i].lane]++] = (gint32) i;
  for (guint lane = 0; lane < input->n_lanes; lane++)
    {
      gboolean sorted = TRUE;

      for (guint i = first[lane] + 1; sorted && i < first[lane + 1]; i++)
        sorted = compare_starts (&order[i - 1], &order[i], (gpointer) input->events) < 0;
      if (!sorted)
        g_qsort_with_data (order + first[lane], (gint) (first[lane + 1] - first[lane]), sizeof (gint32), compare_starts,
                           (gpointer) input->events);
    }
  return order;
}

/* Puts each event into the lowest sub-row that is free: the row numbers of a lane's events, and how many rows there are. */
static guint
pack_lane (const TsTimelineEvent *events, const gint32 *order, guint n, guint32 *row_of)
{
  g_autoptr (GArray) free_at = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < n; i++)
    {
      const TsTimelineEvent *event = &events[order[i]];
      guint row = 0;

      while (row < free_at->len && g_array_index (free_at, gint64, row) > event->start)
        row++;
      if (row == free_at->len)
        g_array_append_val (free_at, event->end);
      else
        g_array_index (free_at, gint64, row) = MAX (event->end, event->start);
      row_of[order[i]] = row;
    }
  return MAX (free_at->len, 1u);
}

/* Fills the rows of one lane from its sorted events; row_of holds row numbers within the lane and gets global ones. */
static void
fill_rows (TsTimeline *timeline, guint lane, const gint32 *order, guint n, guint n_rows)
{
  TsArena *arena = timeline->arena;
  TsRow *rows = timeline->rows + timeline->n_rows;
  const TsTimelineEvent *events = timeline->data.events;

  for (guint i = 0; i < n; i++)
    rows[timeline->row_of[order[i]]].n++;
  for (guint r = 0; r < n_rows; r++)
    {
      rows[r].lane = lane;
      rows[r].start = ts_arena_array (arena, gint64, rows[r].n);
      rows[r].end = ts_arena_array (arena, gint64, rows[r].n);
      rows[r].busy = ts_arena_array (arena, gint64, rows[r].n + 1);
      rows[r].event = ts_arena_array (arena, gint32, rows[r].n);
      rows[r].n = 0;
    }
  for (guint i = 0; i < n; i++)
    {
      const TsTimelineEvent *event = &events[order[i]];
      TsRow *row = &rows[timeline->row_of[order[i]]];
      guint at = row->n++;

      ((gint64 *) row->start)[at] = event->start;
      ((gint64 *) row->end)[at] = event->end;
      ((gint64 *) row->busy)[at + 1] = row->busy[at] + (event->end - event->start);
      ((gint32 *) row->event)[at] = order[i];
      timeline->position[order[i]] = (gint32) at;
      timeline->row_of[order[i]] += timeline->n_rows;
    }
  for (guint r = 0; r < n_rows; r++)
    build_pyramid (arena, &rows[r]);
  timeline->n_rows += n_rows;
}

static void
build_rows (TsTimeline *timeline)
{
  const TsTimelineInput *data = &timeline->data;
  g_autofree guint *first = g_new0 (guint, data->n_lanes + 1);
  g_autofree gint32 *order = sort_by_lane (data, first);
  g_autofree guint *counts = g_new0 (guint, MAX (data->n_lanes, 1));
  guint total = 0;

  for (guint lane = 0; lane < data->n_lanes; lane++)
    {
      counts[lane] = pack_lane (data->events, order + first[lane], first[lane + 1] - first[lane], timeline->row_of);
      total += counts[lane];
    }
  timeline->rows = ts_arena_array (timeline->arena, TsRow, total);
  timeline->lane_first = ts_arena_array (timeline->arena, guint, data->n_lanes + 1);
  for (guint lane = 0; lane < data->n_lanes; lane++)
    {
      timeline->lane_first[lane] = timeline->n_rows;
      fill_rows (timeline, lane, order + first[lane], first[lane + 1] - first[lane], counts[lane]);
    }
  timeline->lane_first[data->n_lanes] = timeline->n_rows;
}

/* Events by operation, each in order of start: a counting sort over the rows would mix sub-rows, so it goes by id and repairs
 * what is out of order, which is little. */
static void
build_operations (TsTimeline *timeline)
{
  const TsTimelineEvent *events = timeline->data.events;
  gint32 largest = -1;
  g_autofree gint32 *cursor = NULL;

  for (guint i = 0; i < timeline->data.n_events; i++)
    largest = MAX (largest, events[i].op);
  timeline->n_ops = largest + 1;
  timeline->op_start = ts_arena_array (timeline->arena, gint32, timeline->n_ops + 1);
  timeline->op_events = ts_arena_array (timeline->arena, gint32, timeline->data.n_events);
  for (guint i = 0; i < timeline->data.n_events; i++)
    if (events[i].op >= 0)
      timeline->op_start[events[i].op + 1]++;
  for (gint32 k = 0; k < timeline->n_ops; k++)
    timeline->op_start[k + 1] += timeline->op_start[k];
  cursor = g_memdup2 (timeline->op_start, sizeof (gint32) * ((gsize) timeline->n_ops + 1));
  for (guint i = 0; i < timeline->data.n_events; i++)
    {
      gint32 op = events[i].op;
      gint32 at;

      if (op < 0)
        continue;
      for (at = cursor[op]++; at > timeline->op_start[op] && events[timeline->op_events[at - 1]].start > events[i].start; at--)
        timeline->op_events[at] = timeline->op_events[at - 1];
      timeline->op_events[at] = (gint32) i;
    }
}

/* Dependents from predecessors: counting sort. */
static void
build_successors (TsTimeline *timeline)
{
  const TsTimelineInput *data = &timeline->data;
  guint n = data->n_events;
  g_autofree guint32 *cursor = NULL;

  if (data->dep_start == NULL)
    return;
  timeline->succ_start = ts_arena_array (timeline->arena, guint32, n + 1);
  timeline->succ = ts_arena_array (timeline->arena, gint32, data->dep_start[n]);
  for (guint32 k = 0; k < data->dep_start[n]; k++)
    timeline->succ_start[data->deps[k] + 1]++;
  for (guint i = 0; i < n; i++)
    timeline->succ_start[i + 1] += timeline->succ_start[i];
  cursor = g_memdup2 (timeline->succ_start, sizeof (guint32) * (n + 1));
  for (guint i = 0; i < n; i++)
    for (guint32 k = data->dep_start[i]; k < data->dep_start[i + 1]; k++)
      timeline->succ[cursor[data->deps[k]]++] = (gint32) i;
}

static char *
copy_text (TsArena *arena, const char *text)
{
  return ts_arena_strndup (arena, text != NULL ? text : "", text != NULL ? strlen (text) : 0);
}

static void
copy_input (TsTimeline *timeline, const TsTimelineInput *input)
{
  TsArena *arena = timeline->arena;
  TsTimelineInput *data = &timeline->data;
  TsTimelineLane *lanes;
  TsTimelineSpace *spaces;
  const char **names;

  *data = *input;
  data->events = ts_arena_memdup (arena, input->events, sizeof *input->events * input->n_events);
  data->loops = ts_arena_memdup (arena, input->loops, sizeof *input->loops * input->n_loops);
  data->fills = ts_arena_memdup (arena, input->fills, sizeof *input->fills * input->n_fills);
  data->critical = ts_arena_memdup (arena, input->critical, sizeof *input->critical * input->n_critical);
  data->lanes = lanes = ts_arena_memdup (arena, input->lanes, sizeof *input->lanes * input->n_lanes);
  for (guint i = 0; i < input->n_lanes; i++)
    {
      lanes[i].name = copy_text (arena, lanes[i].name);
      lanes[i].detail = copy_text (arena, lanes[i].detail);
    }
  data->spaces = spaces = ts_arena_memdup (arena, input->spaces, sizeof *input->spaces * input->n_spaces);
  for (guint i = 0; i < input->n_spaces; i++)
    {
      spaces[i].name = copy_text (arena, spaces[i].name);
      spaces[i].steps = ts_arena_memdup (arena, spaces[i].steps, sizeof *spaces[i].steps * spaces[i].n_steps);
    }
  names = ts_arena_array (arena, const char *, input->n_names);
  for (guint i = 0; i < input->n_names; i++)
    names[i] = copy_text (arena, input->names[i]);
  data->names = names;
  if (input->dep_start != NULL)
    {
      data->dep_start = ts_arena_memdup (arena, input->dep_start, sizeof (guint32) * (input->n_events + 1));
      data->deps = ts_arena_memdup (arena, input->deps, sizeof (gint32) * input->dep_start[input->n_events]);
    }
  data->title = copy_text (arena, input->title);
  data->subtitle = copy_text (arena, input->subtitle);
}

/* Which causes occur, and through which buffers since which passes. */
static void
note_cause (TsTimeline *timeline, const TsTimelineEvent *event)
{
  guint first = timeline->data.first_since, cause = event->cause;
  const char *name;

  timeline->causes |= 1u << cause;
  if (first == 0 || event->buffer < 0 || (guint) event->buffer < first || cause >= TS_CAUSE_NONE
      || timeline->n_since[cause] == TS_TIMELINE_MAX_SINCE)
    return;
  name = ts_timeline_name (timeline, event->buffer);
  for (guint i = 0; i < timeline->n_since[cause]; i++)
    if (timeline->since[cause][i] == event->buffer || strcmp (ts_timeline_name (timeline, timeline->since[cause][i]), name) == 0)
      return;
  timeline->since[cause][timeline->n_since[cause]++] = event->buffer;
}

TsTimeline *
ts_timeline_new (const TsTimelineInput *input, GCancellable *cancellable)
{
  TsTimeline *timeline = g_new0 (TsTimeline, 1);

  g_atomic_ref_count_init (&timeline->ref_count);
  timeline->arena = ts_arena_new ();
  copy_input (timeline, input);
  timeline->position = ts_arena_array (timeline->arena, gint32, input->n_events);
  timeline->row_of = ts_arena_array (timeline->arena, guint32, input->n_events);
  timeline->max_stage = -1;
  for (guint i = 0; i < input->n_events; i++)
    {
      timeline->max_stage = MAX (timeline->max_stage, input->events[i].stage);
      timeline->untagged |= input->events[i].stage < 0;
      if (input->events[i].start > input->events[i].idle_from)
        note_cause (timeline, &input->events[i]);
      if (i % CANCEL_STRIDE == 0 && g_cancellable_is_cancelled (cancellable))
        break;
    }
  if (!g_cancellable_is_cancelled (cancellable))
    build_rows (timeline);
  if (!g_cancellable_is_cancelled (cancellable))
    {
      build_operations (timeline);
      build_successors (timeline);
    }
  if (g_cancellable_is_cancelled (cancellable))
    g_clear_pointer (&timeline, ts_timeline_unref);
  return timeline;
}

TsTimeline *
ts_timeline_ref (TsTimeline *timeline)
{
  g_atomic_ref_count_inc (&timeline->ref_count);
  return timeline;
}

void
ts_timeline_unref (TsTimeline *timeline)
{
  if (timeline == NULL || !g_atomic_ref_count_dec (&timeline->ref_count))
    return;
  ts_arena_free (timeline->arena);
  g_free (timeline);
}

/* --- reading ------------------------------------------------------------------------------------------------------------- */

gint64
ts_timeline_makespan (const TsTimeline *timeline)
{
  return timeline->data.makespan;
}

guint
ts_timeline_n_events (const TsTimeline *timeline)
{
  return timeline->data.n_events;
}

guint
ts_timeline_n_lanes (const TsTimeline *timeline)
{
  return timeline->data.n_lanes;
}

const TsTimelineLane *
ts_timeline_lane (const TsTimeline *timeline, guint lane)
{
  return lane < timeline->data.n_lanes ? &timeline->data.lanes[lane] : NULL;
}

const TsTimelineEvent *
ts_timeline_event (const TsTimeline *timeline, gint32 event)
{
  return event >= 0 && (guint) event < timeline->data.n_events ? &timeline->data.events[event] : NULL;
}

const char *
ts_timeline_around_tag (const TsTimeline *timeline, const TsTimelineEvent *event)
{
  return event->around > 0 ? ts_timeline_name (timeline, event->around - 1) : "";
}

const char *
ts_timeline_name (const TsTimeline *timeline, gint32 name)
{
  return name >= 0 && (guint) name < timeline->data.n_names ? timeline->data.names[name] : "";
}

gint32
ts_timeline_event_at (const TsTimeline *timeline, guint lane, gint64 cycle)
{
  if (lane >= timeline->data.n_lanes)
    return -1;
  for (guint r = timeline->lane_first[lane]; r < timeline->lane_first[lane + 1]; r++)
    {
      const TsRow *row = &timeline->rows[r];
      guint i = ts_row_first_ending_after (row, cycle);

      if (i < row->n && row->start[i] <= cycle)
        return row->event[i];
    }
  return -1;
}

gint32
ts_timeline_neighbour (const TsTimeline *timeline, gint32 event, gint step)
{
  const TsTimelineEvent *here = ts_timeline_event (timeline, event);
  gint32 best = -1;

  if (here == NULL || here->lane >= timeline->data.n_lanes || step == 0)
    return -1;
  /* Sub-rows of the lane interleave: the nearest start on either side over all of them. */
  for (guint r = timeline->lane_first[here->lane]; r < timeline->lane_first[here->lane + 1]; r++)
    {
      const TsRow *row = &timeline->rows[r];
      gint64 i = ts_row_first_starting_at (row, here->start);

      if (r == timeline->row_of[event])
        i = timeline->position[event] + (step > 0 ? 1 : -1);
      else if (step < 0)
        i--;
      if (i < 0 || i >= (gint64) row->n)
        continue;
      if (best < 0 || (step > 0 ? row->start[i] < timeline->data.events[best].start
                                : row->start[i] > timeline->data.events[best].start))
        best = row->event[i];
    }
  return best;
}

static void
consider_edge (gint64 edge, gint64 cycle, gint64 *best)
{
  if (*best < 0 || ABS (edge - cycle) < ABS (*best - cycle))
    *best = edge;
}

gint64
ts_timeline_nearest_edge (const TsTimeline *timeline, gint lane, gint64 cycle)
{
  gint64 best = -1;

  for (guint r = 0; r < timeline->n_rows; r++)
    {
      const TsRow *row = &timeline->rows[r];
      guint i;

      if (lane >= 0 && row->lane != (guint) lane)
        continue;
      i = ts_row_first_ending_after (row, cycle);
      for (guint k = i > 0 ? i - 1 : 0; k < MIN (row->n, i + 2); k++)
        {
          consider_edge (row->start[k], cycle, &best);
          consider_edge (row->end[k], cycle, &best);
        }
    }
  return best;
}

const gint32 *
ts_timeline_events_of_op (const TsTimeline *timeline, gint32 op, guint *n)
{
  *n = 0;
  if (op < 0 || op >= timeline->n_ops)
    return NULL;
  *n = (guint) (timeline->op_start[op + 1] - timeline->op_start[op]);
  return timeline->op_events + timeline->op_start[op];
}

guint
ts_timeline_op_position (const TsTimeline *timeline, gint32 op, gint64 from)
{
  guint high, low = 0;
  const gint32 *own = ts_timeline_events_of_op (timeline, op, &high);

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (timeline->data.events[own[middle]].start >= from)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

gint32
ts_timeline_event_of_op (const TsTimeline *timeline, gint32 op, gint64 from)
{
  guint n;
  const gint32 *own = ts_timeline_events_of_op (timeline, op, &n);
  guint i = ts_timeline_op_position (timeline, op, from);

  return i < n ? own[i] : -1;
}
