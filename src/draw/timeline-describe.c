/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything in the timeline, in words: tooltips, alt text, what a screen reader says. */
#include "draw/timeline-private.h"
#include "draw/words.h"

static void
append_span (GString *out, gint64 from, gint64 to)
{
  ts_append_cycles (out, from);
  g_string_append (out, "–");
  ts_append_cycles (out, to);
  g_string_append (out, " (");
  ts_append_cycles (out, to - from);
  g_string_append_printf (out, " %s)", _ ("cycles"));
}

static void
append_wait (const TsTimeline *timeline, const TsTimelineEvent *event, GString *out)
{
  const TsTimelineEvent *on = ts_timeline_event (timeline, event->on);

  g_string_append (out, _ (ts_wait_look (event->cause)->words));
  if (on != NULL)
    g_string_append_printf (out, ", %s %s", _ ("on"), ts_timeline_name (timeline, on->name));
  if (on != NULL && on->stage >= 0)
    g_string_append_printf (out, " %ss%d·i%d", ts_timeline_around_tag (timeline, on), on->stage, on->iteration);
  if (event->buffer >= 0)
    g_string_append_printf (out, " %s %s", _ ("through"), ts_timeline_name (timeline, event->buffer));
}

static const char *
lane_name (const TsTimeline *timeline, gint lane)
{
  const TsTimelineLane *l = lane >= 0 ? ts_timeline_lane (timeline, (guint) lane) : NULL;

  return l != NULL ? l->detail : "";
}

static void
describe_event (const TsTimeline *timeline, const TsTimelineEvent *event, GString *out)
{
  g_string_append_printf (out, "%s, %s, ", ts_timeline_name (timeline, event->name), lane_name (timeline, event->lane));
  append_span (out, event->start, event->end);
  if (event->stage >= 0)
    g_string_append_printf (out, _ (", stage %d"), event->stage);
  if (event->stage >= 0 && event->around > 0)
    g_string_append (out, ts_timeline_name (timeline, event->around));
  if (event->iteration >= 0)
    g_string_append_printf (out, _ (", iteration %d"), event->iteration);
  if (event->line > 0)
    g_string_append_printf (out, _ (", line %d"), event->line);
  if (event->start > event->idle_from)
    {
      g_string_append (out, "\n");
      g_string_append (out, _ ("before it: "));
      ts_append_cycles (out, event->start - event->idle_from);
      g_string_append_printf (out, " %s, ", _ ("cycles"));
      append_wait (timeline, event, out);
    }
}

static void
describe_gap (const TsTimeline *timeline, const TsTimelineEvent *event, GString *out)
{
  g_string_append_printf (out, _ ("%s idle "), lane_name (timeline, event->lane));
  append_span (out, event->idle_from, event->start);
  g_string_append_printf (out, _ (" before %s: "), ts_timeline_name (timeline, event->name));
  append_wait (timeline, event, out);
}

static void
describe_edge (const TsTimeline *timeline, const TsLink *link, GString *out)
{
  const TsTimelineEvent *from = ts_timeline_event (timeline, link->event), *to = ts_timeline_event (timeline, link->other);

  if (from == NULL || to == NULL)
    return;
  g_string_append_printf (out, "%s → %s", ts_timeline_name (timeline, from->name), ts_timeline_name (timeline, to->name));
  if (to->on == link->event)
    g_string_append_printf (out, ": %s", _ (ts_wait_look (to->cause)->words));
  if (to->start < from->end)
    g_string_append (out, _ (" (starts before the other ends)"));
}

static void
describe_loop (const TsTimeline *timeline, const TsLink *link, GString *out)
{
  static const char *const PARTS[] = { N_ ("prologue"), N_ ("steady state"), N_ ("epilogue") };

  for (guint i = 0; i < timeline->data.n_loops; i++)
    {
      const TsTimelineLoop *loop = &timeline->data.loops[i];

      if (loop->op != link->op || loop->part != link->count)
        continue;
      g_string_append_printf (out, _ ("Loop of %" G_GINT64_FORMAT " iterations, %s, cycles "), loop->iterations,
                              _ (PARTS[loop->part % G_N_ELEMENTS (PARTS)]));
      append_span (out, loop->from, loop->to);
      if (loop->interval > 0)
        g_string_append_printf (out, _ (", interval %" G_GINT64_FORMAT), loop->interval);
      return;
    }
}

static void
describe_fill (const TsTimeline *timeline, const TsLink *link, GString *out)
{
  guint first = (guint) MAX (link->count, 0), n = 0;
  g_autoptr (GString) rest = g_string_new (NULL);

  while (first + n < timeline->data.n_fills && timeline->data.fills[first + n].to <= link->to)
    n++;
  if (n == 0)
    return;
  ts_timeline_fill_words (timeline, first, n, out, rest);
  g_string_append_printf (out, ", %s\n", rest->str);
  append_span (out, link->from, link->to);
  g_string_append (out, _ (": the state returns, so these iterations repeat those before; they are counted in full"));
}

static void
describe_lane (const TsTimeline *timeline, gint lane, GString *out)
{
  const TsTimelineLane *l = lane >= 0 ? ts_timeline_lane (timeline, (guint) lane) : NULL;
  guint events = 0;

  if (l == NULL)
    return;
  for (guint r = timeline->lane_first[lane]; r < timeline->lane_first[lane + 1]; r++)
    events += timeline->rows[r].n;
  g_string_append_printf (out, _ ("%s (%s), %u operations, busy "), l->name, l->detail, events);
  ts_append_cycles (out, l->busy);
  g_string_append (out, _ (" of "));
  ts_append_cycles (out, timeline->data.makespan);
  g_string_append_printf (out, " %s", _ ("cycles"));
}

static void
describe_space (const TsTimeline *timeline, gint index, GString *out)
{
  const TsTimelineSpace *space;
  gint64 peak = 0;

  if (index < 0 || (guint) index >= timeline->data.n_spaces)
    return;
  space = &timeline->data.spaces[index];
  for (guint i = 0; i < space->n_steps; i++)
    peak = MAX (peak, space->steps[i].bytes);
  g_string_append_printf (out, _ ("Bytes live in %s over time, at most "), space->name);
  ts_append_bytes (out, peak);
  if (space->capacity > 0)
    {
      g_string_append (out, _ (" of "));
      ts_append_bytes (out, space->capacity);
    }
}

char *
ts_timeline_describe (const TsTimeline *timeline, const TsLink *link)
{
  GString *out = g_string_new (NULL);
  const TsTimelineEvent *event = ts_timeline_event (timeline, link->event);

  switch (link->kind)
    {
    case TS_LINK_EVENT:
      if (event != NULL)
        describe_event (timeline, event, out);
      break;
    case TS_LINK_GAP:
      if (event != NULL)
        describe_gap (timeline, event, out);
      break;
    case TS_LINK_DENSE:
      g_string_append_printf (out, _ ("%d operations on %s, "), link->count, lane_name (timeline, link->lane));
      append_span (out, link->from, link->to);
      break;
    case TS_LINK_EDGE:
      describe_edge (timeline, link, out);
      break;
    case TS_LINK_LOOP:
      describe_loop (timeline, link, out);
      break;
    case TS_LINK_FILL:
      describe_fill (timeline, link, out);
      break;
    case TS_LINK_LANE:
      describe_lane (timeline, link->lane, out);
      break;
    case TS_LINK_SPACE:
      describe_space (timeline, link->lane, out);
      break;
    case TS_LINK_RULER:
      g_string_append (out, _ ("Ruler, in cycles"));
      break;
    default:
      break;
    }
  return g_string_free (out, FALSE);
}
