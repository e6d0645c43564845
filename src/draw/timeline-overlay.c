/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lies over the lanes: selection, its dependencies, the critical path, markers, cursor, selected range. */
#include <math.h>

#include "draw/timeline-private.h"
#include "draw/words.h"

#define MAX_ARROWS 400u
#define LEAST_STEP_PX 3.0

static gboolean
shown (const TsTimelineDrawing *d, gint32 id)
{
  const TsTimelineEvent *event = &d->timeline->data.events[id];

  return event->lane < d->timeline->data.n_lanes && d->lane_y[event->lane] >= 0;
}

static void
ring (TsTimelineDrawing *d, gint32 id, TsColor color, double width)
{
  double x, y, w, h;

  if (!shown (d, id))
    return;
  ts_timeline_bar_box (d, id, &x, &y, &w, &h);
  ts_scene_rect (d->scene, x - 1, y - 1, w + 1, h + 2,
                 (TsPaint) { .stroke = color, .width = (float) width, .radius = w > 6 ? 5.0f : 1.0f });
  ts_scene_no_hit (d->scene);
}

/* Every bar of an operation; bars closer than a few pixels are ringed once. */
static void
draw_operation (TsTimelineDrawing *d, gint32 op)
{
  const TsTimelineEvent *events = d->timeline->data.events;
  gint64 step = (gint64) ceil (LEAST_STEP_PX / MAX (ts_scale_per_unit (d->geometry.axis), 1e-12));
  guint n;
  const gint32 *own = ts_timeline_events_of_op (d->timeline, op, &n);
  guint i = ts_timeline_op_position (d->timeline, op, d->from);

  /* The one before may still run. */
  if (i > 0 && events[own[i - 1]].end > d->from)
    ring (d, own[i - 1], d->theme->select, 2);
  while (i < n && events[own[i]].start < d->to)
    {
      guint next = ts_timeline_op_position (d->timeline, op, ts_add_sat (events[own[i]].start, step));

      ring (d, own[i], d->theme->select, 2);
      i = MAX (next, i + 1);
    }
}

/* In-order issue and a full queue wait for another instruction to start, everything else for its end. */
static gboolean
waits_for_start (const TsTimelineEvent *event, gint32 on)
{
  return event->on == on && (event->cause == TS_CAUSE_DISPATCH || event->cause == TS_CAUSE_QUEUE);
}

static void
arrow (TsTimelineDrawing *d, gint32 from, gint32 to, gboolean binding)
{
  const TsTimelineEvent *a = &d->timeline->data.events[from], *b = &d->timeline->data.events[to];
  gint64 leaves = waits_for_start (b, from) ? a->start : a->end;
  TsLink link = { TS_LINK_EDGE, b->cause, -1, a->op, from, to, 0, leaves, b->start };
  TsPaint paint = { .stroke = binding ? d->theme->alert : d->theme->edge, .width = binding ? 2.0f : 1.25f, .arrow = TRUE };
  double ax, ay, aw, ah, bx, by, bw, bh, reach;
  g_autofree char *title = NULL;

  if (!shown (d, from) || !shown (d, to))
    return;
  ts_timeline_bar_box (d, from, &ax, &ay, &aw, &ah);
  ts_timeline_bar_box (d, to, &bx, &by, &bw, &bh);
  ax += leaves == a->end ? aw : 0;
  reach = CLAMP (fabs (bx - ax) / 2, 14, 70);
  /* An edge against time is drawn and flagged, never dropped. */
  if (b->start < leaves)
    {
      paint.stroke = d->theme->alert;
      paint.dash = TS_DASH_DASHED;
    }
  title = (d->view->parts & TS_TIMELINE_TITLES) != 0 ? ts_timeline_describe (d->timeline, &link) : NULL;
  ts_scene_begin (d->scene, &link, title);
  ts_scene_curve (d->scene,
                  (TsPoint[]) { { ax, ay + ah / 2 }, { ax + reach, ay + ah / 2 }, { bx - reach, by + bh / 2 },
                                { bx, by + bh / 2 } }, 4, paint);
  ts_scene_end (d->scene);
}

/* Breadth first along one direction, a bounded number of arrows. */
static void
walk_dependencies (TsTimelineDrawing *d, gint32 start, gboolean forward, guint *arrows)
{
  const TsTimeline *timeline = d->timeline;
  const guint32 *first = forward ? timeline->succ_start : timeline->data.dep_start;
  const gint32 *edges = forward ? timeline->succ : timeline->data.deps;
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (gint32));
  guint level_end = 1, hop = 0;

  g_array_append_val (queue, start);
  g_hash_table_add (seen, GINT_TO_POINTER (start));
  for (guint i = 0; i < queue->len && hop < d->view->hops && *arrows < MAX_ARROWS; i++)
    {
      gint32 id = g_array_index (queue, gint32, i);

      for (guint32 k = first[id]; k < first[id + 1] && *arrows < MAX_ARROWS; k++, (*arrows)++)
        {
          gint32 other = edges[k];
          gint32 producer = forward ? id : other, consumer = forward ? other : id;

          arrow (d, producer, consumer, timeline->data.events[consumer].on == producer);
          if (g_hash_table_add (seen, GINT_TO_POINTER (other)))
            g_array_append_val (queue, other);
        }
      if (i + 1 == level_end)
        {
          hop++;
          level_end = queue->len;
        }
    }
}

static void
draw_dependencies (TsTimelineDrawing *d, gint32 id)
{
  const TsTimelineEvent *event = &d->timeline->data.events[id];
  gboolean drawn = FALSE;
  guint arrows = 0;

  if (d->view->hops == 0)
    return;
  if (d->timeline->data.dep_start != NULL)
    {
      for (guint32 k = d->timeline->data.dep_start[id]; k < d->timeline->data.dep_start[id + 1]; k++)
        drawn |= d->timeline->data.deps[k] == event->on;
      walk_dependencies (d, id, FALSE, &arrows);
      walk_dependencies (d, id, TRUE, &arrows);
    }
  /* What it waited for may be no data dependency: the unit, the queue, a buffer. */
  if (event->on >= 0 && !drawn)
    arrow (d, event->on, id, TRUE);
}

/* Position in the critical path of the first event that ends after `cycle`; ends ascend along it. */
static guint
critical_after (const TsTimeline *timeline, gint64 cycle)
{
  guint low = 0, high = timeline->data.n_critical;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (timeline->data.events[timeline->data.critical[middle]].end > cycle)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

static void
draw_critical (TsTimelineDrawing *d)
{
  const TsTimeline *timeline = d->timeline;
  TsScale axis = d->geometry.axis;
  gint64 step = (gint64) ceil (LEAST_STEP_PX / MAX (ts_scale_per_unit (axis), 1e-12));
  gint32 last = -1;

  for (guint i = critical_after (timeline, d->from); i < timeline->data.n_critical;)
    {
      gint32 id = timeline->data.critical[i];
      guint next = critical_after (timeline, ts_add_sat (timeline->data.events[id].start, step));

      if (timeline->data.events[id].start >= d->to)
        break;
      ring (d, id, d->theme->critical, 2);
      if (last >= 0 && shown (d, last) && shown (d, id))
        {
          double ax, ay, aw, ah, bx, by, bw, bh;

          ts_timeline_bar_box (d, last, &ax, &ay, &aw, &ah);
          ts_timeline_bar_box (d, id, &bx, &by, &bw, &bh);
          if (by != ay)
            {
              ts_scene_line (d->scene, ax + aw, by > ay ? ay + ah : ay, bx, by > ay ? by : by + bh,
                             (TsPaint) { .stroke = d->theme->critical, .width = 2 });
              ts_scene_no_hit (d->scene);
            }
        }
      last = id;
      i = MAX (next, i + 1);
    }
}

/* Words on a small plate around a point, when they fit. */
static void
draw_chip (TsTimelineDrawing *d, double x, double y, double room, TsTextStyle style, const char *words)
{
  double width = ts_measure (d->measurer, words, style.size, style.weight);

  if (width + 8 > room)
    return;
  ts_scene_rect (d->scene, x - width / 2 - 4, y - style.size / 2 - 2, width + 8, style.size + 4,
                 (TsPaint) { .fill = d->theme->background, .stroke = style.color, .radius = 3 });
  ts_scene_no_hit (d->scene);
  ts_put_text (d->scene, d->measurer, x, y + style.size * 0.36, 0, style, words);
}

static void
draw_range (TsTimelineDrawing *d)
{
  TsScale axis = d->geometry.axis;
  double x0 = MAX (ts_scale_to_x (axis, d->view->range_from), axis.x);
  double x1 = MIN (ts_scale_to_x (axis, d->view->range_to), axis.x + axis.width);
  TsTextStyle style = { d->small, TS_WEIGHT_MEDIUM, d->theme->select, TS_ANCHOR_MIDDLE };
  g_autoptr (GString) words = g_string_new (NULL);

  if (x1 <= x0)
    return;
  ts_scene_rect (d->scene, x0, d->geometry.lanes_y, x1 - x0, d->geometry.lanes_h,
                 (TsPaint) { .fill = (d->theme->select & ~0xFFu) | 0x22, .stroke = d->theme->select });
  ts_scene_no_hit (d->scene);
  ts_append_cycles (words, d->view->range_to - d->view->range_from);
  g_string_append_printf (words, " %s", _ ("cycles"));
  draw_chip (d, (x0 + x1) / 2, d->geometry.lanes_y + d->geometry.lanes_h - d->small / 2 - 4, x1 - x0, style, words->str);
}

static void
draw_marker (TsTimelineDrawing *d, guint index)
{
  const TsTimelineMarker *marker = &d->view->markers[index];
  TsScale axis = d->geometry.axis;
  double x = ts_scale_to_x (axis, marker->at);
  TsLink link = { TS_LINK_MARKER, 0, -1, -1, -1, -1, (gint32) index, marker->at, marker->at };
  TsTextStyle style = { d->small, TS_WEIGHT_MEDIUM, ts_theme_text_on (d->theme->marker), TS_ANCHOR_START };
  double width = MIN (ts_measure (d->measurer, marker->name, d->small, TS_WEIGHT_MEDIUM), 160);
  double y = d->geometry.ruler_y + 2, left;

  if (marker->at < d->from || marker->at > d->to)
    return;
  /* The flag turns to the left where it would leave the picture. */
  left = x + width + 8 <= axis.x + axis.width ? x : x - width - 8;
  ts_scene_begin (d->scene, &link, (d->view->parts & TS_TIMELINE_TITLES) != 0 ? marker->name : NULL);
  ts_scene_line (d->scene, x, y, x, d->geometry.lanes_y + d->geometry.lanes_h,
                 (TsPaint) { .stroke = d->theme->marker, .width = 1.5f });
  ts_scene_rect (d->scene, left, y, width + 8, d->small + 4, (TsPaint) { .fill = d->theme->marker, .radius = 2 });
  ts_put_text (d->scene, d->measurer, left + 4, y + d->small, width + 1, style, marker->name);
  ts_scene_end (d->scene);
}

static void
draw_cursor (TsTimelineDrawing *d)
{
  double x = ts_scale_to_x (d->geometry.axis, d->view->cursor);

  if (d->view->cursor < d->from || d->view->cursor > d->to)
    return;
  ts_scene_line (d->scene, x, d->geometry.ruler_y, x, d->geometry.lanes_y + d->geometry.lanes_h,
                 (TsPaint) { .stroke = d->theme->select, .width = 1 });
  ts_scene_no_hit (d->scene);
}

void
ts_timeline_draw_overlay (TsTimelineDrawing *d)
{
  TsScale axis = d->geometry.axis;
  const TsTimelineEvent *selected = ts_timeline_event (d->timeline, d->view->selected_event);
  double top = d->geometry.ruler_h > 0 ? d->geometry.ruler_y : d->geometry.lanes_y;

  ts_scene_clip (d->scene, axis.x, top, axis.width, d->geometry.lanes_y + d->geometry.lanes_h - top);
  if (d->view->range_to > d->view->range_from)
    draw_range (d);
  if (d->view->critical_path)
    draw_critical (d);
  if (d->view->selected_op >= 0)
    draw_operation (d, d->view->selected_op);
  if (selected != NULL)
    {
      draw_dependencies (d, d->view->selected_event);
      ring (d, d->view->selected_event, d->theme->select, 3);
    }
  for (guint i = 0; i < d->view->n_markers; i++)
    draw_marker (d, i);
  if (d->view->cursor >= 0)
    draw_cursor (d);
  ts_scene_unclip (d->scene);
}
