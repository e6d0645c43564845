/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bars and waits of the lanes. What is narrower than a few pixels merges into strips of density; the cost of a row depends on its
 * width in pixels, not on its events. */
#include <math.h>
#include <string.h>

#include "draw/timeline-private.h"
#include "draw/words.h"

/* Bars and gaps narrower than this merge (more, when there are many rows). */
#define LEAST_BAR_PX 3.0
/* Bars narrower than this carry no text. */
#define LEAST_TEXT_PX 9.0
#define TEXT_PAD 5.0
#define BADGE_PX 13.0
#define DEFAULT_MAX_BARS 3000u
#define FIGURE_MAX_BARS 20000u

typedef struct
{
  TsTimelineDrawing *d;
  const TsRow       *row;
  double             y, h;       /* of the bars */
  gint64             least;      /* cycles that make a bar of its own */
  gint64             least_gap;
} RowDrawing;

TsColor
ts_timeline_bar_color (const TsTimelineDrawing *d, const TsTimelineEvent *event)
{
  const TsTheme *theme = d->theme;

  if (d->view->highlight_stage >= 0 && event->stage != d->view->highlight_stage)
    return theme->muted;
  switch (d->view->color_by)
    {
    case TS_COLOR_BY_UNIT:
      return theme->lane[d->timeline->data.lanes[event->lane].unit % TS_N_LANES];
    case TS_COLOR_BY_ITERATION:
      return ts_theme_stage_color (theme, event->iteration);
    case TS_COLOR_BY_OP:
      return ts_theme_stage_color (theme, event->op);
    case TS_COLOR_BY_STAGE:
    default:
      return ts_theme_stage_color (theme, event->stage);
    }
}

/* Number behind a bar's colour, which decides its texture. */
static gint
color_number (const TsTimelineDrawing *d, const TsTimelineEvent *event)
{
  switch (d->view->color_by)
    {
    case TS_COLOR_BY_ITERATION:
      return event->iteration;
    case TS_COLOR_BY_OP:
      return event->op;
    case TS_COLOR_BY_STAGE:
      return event->stage;
    case TS_COLOR_BY_UNIT:
    default:
      return -1;
    }
}

static char *
title_of (const TsTimelineDrawing *d, const TsLink *link)
{
  return (d->view->parts & TS_TIMELINE_TITLES) != 0 ? ts_timeline_describe (d->timeline, link) : NULL;
}

static void
begin_mark (const TsTimelineDrawing *d, const TsLink *link)
{
  g_autofree char *title = title_of (d, link);

  ts_scene_begin (d->scene, link, title);
}

/* The name, where it fits; else its last word, which tells "x_0" from "x_1" (the lane says: a load); else its beginning. */
static void
put_name (const TsTimelineDrawing *d, double x, double baseline, double room, TsTextStyle style, const char *text)
{
  const char *last = strrchr (text, ' ');

  if (ts_put_text_whole (d->scene, d->measurer, x, baseline, room, style, text) > 0)
    return;
  if (last != NULL && ts_put_text_whole (d->scene, d->measurer, x, baseline, room, style, last + 1) > 0)
    return;
  ts_put_text (d->scene, d->measurer, x, baseline, room, style, text);
}

/* The tag of a narrow bar: "s0", else "0", in the middle. */
static void
draw_stage_only (const RowDrawing *r, const char *stage, double x, double w, double baseline, TsTextStyle style)
{
  const TsTimelineDrawing *d = r->d;

  style.anchor = TS_ANCHOR_MIDDLE;
  if (ts_put_text_whole (d->scene, d->measurer, x + w / 2, baseline, w - 2, style, stage) == 0)
    ts_put_text_whole (d->scene, d->measurer, x + w / 2, baseline, w - 2, style, stage + 1);
}

/* The name left, stage and iteration right; where both do not fit they share the height, or the iteration goes, then the name. The
 * stage number goes last. */
static void
draw_bar_text (const RowDrawing *r, const TsTimelineEvent *event, double x, double w, TsColor fill)
{
  const TsTimelineDrawing *d = r->d;
  TsColor color = ts_theme_text_on (fill);
  TsTextStyle name = { d->size, TS_WEIGHT_NORMAL, color, TS_ANCHOR_START };
  TsTextStyle tag = { d->small, TS_WEIGHT_NORMAL, color, TS_ANCHOR_END };
  const char *text = ts_timeline_name (d->timeline, event->name);
  double baseline = r->y + r->h / 2 + d->size * 0.36;
  double room = w - 2 * TEXT_PAD;
  double name_width, stage_width, full_width;
  char stage[48], full[128];

  if (w < LEAST_TEXT_PX || r->h < d->small + 2)
    return;
  if (event->stage < 0)
    {
      /* No room would mean: as long as it likes. */
      if (room > 0)
        put_name (d, x + TEXT_PAD, baseline, room, name, text);
      return;
    }
  g_snprintf (full, sizeof full, event->iteration >= 0 ? "%ss%d·i%d" : "%ss%d", ts_timeline_around_tag (d->timeline, event),
              event->stage, event->iteration);
  g_snprintf (stage, sizeof stage, "s%d", event->stage);
  name_width = ts_measure (d->measurer, text, d->size, TS_WEIGHT_NORMAL);
  stage_width = ts_measure (d->measurer, stage, d->small, TS_WEIGHT_NORMAL);
  full_width = ts_measure (d->measurer, full, d->small, TS_WEIGHT_NORMAL);
  if (name_width + 6 + full_width <= room)
    {
      ts_put_text (d->scene, d->measurer, x + TEXT_PAD, baseline, room, name, text);
      ts_put_text (d->scene, d->measurer, x + w - TEXT_PAD, baseline, room, tag, full);
    }
  else if (r->h >= d->size + d->small + 5 && room >= 2 * d->size && stage_width <= room)
    {
      double middle = r->y + r->h / 2;

      tag.anchor = TS_ANCHOR_START;
      put_name (d, x + TEXT_PAD, middle - 1, room, name, text);
      ts_put_text (d->scene, d->measurer, x + TEXT_PAD, middle + d->small, room, tag, full_width <= room ? full : stage);
    }
  else if (stage_width + 4 + 2.5 * d->size <= room)
    {
      put_name (d, x + TEXT_PAD, baseline, room - stage_width - 4, name, text);
      ts_put_text (d->scene, d->measurer, x + w - TEXT_PAD, baseline, room, tag, stage);
    }
  else
    draw_stage_only (r, stage, x, w, baseline, tag);
}

static void
draw_bar (const RowDrawing *r, guint position)
{
  const TsTimelineDrawing *d = r->d;
  const TsTheme *theme = d->theme;
  gint32 id = r->row->event[position];
  const TsTimelineEvent *event = &d->timeline->data.events[id];
  TsLink link = { TS_LINK_EVENT, event->cause, (gint16) event->lane, event->op, id, event->on, event->stage, event->start,
                  event->end };
  double x0 = ts_scale_to_x (d->geometry.axis, event->start), x1 = ts_scale_to_x (d->geometry.axis, event->end);
  double w = x1 - x0;
  double left, right;
  TsColor fill = ts_timeline_bar_color (d, event);
  TsHatch texture = ts_theme_stage_texture (color_number (d, event));
  /* Neighbours must touch in time yet be told apart: half a pixel is taken from wide bars on the right. */
  double gap = w > 6 ? 1.0 : 0.0;
  TsPaint paint = { .fill = fill, .radius = w > 6 ? 4.0f : 0.0f };

  if (w < 1)
    w = 1;
  if ((theme->bar_outline > 0 || fill == theme->untagged) && w > 3)
    {
      paint.stroke = theme->outline;
      paint.width = MAX (theme->bar_outline, 1.0f);
    }
  begin_mark (d, &link);
  ts_scene_rect (d->scene, x0, r->y, w - gap, r->h, paint);
  if (texture != TS_HATCH_NONE && w > 6)
    {
      ts_scene_hatch (d->scene, x0 + 2, r->y + 1, w - gap - 4, r->h - 2, texture, ts_theme_text_on (fill) - 0xFF + 0x60);
      ts_scene_no_hit (d->scene);
    }
  /* The label stands in the visible part of a bar that reaches beyond the picture. */
  left = MAX (x0, d->geometry.axis.x);
  right = MIN (x0 + w - gap, d->geometry.axis.x + d->geometry.axis.width);
  draw_bar_text (r, event, left, right - left, fill);
  ts_scene_end (d->scene);
}

/* The letter of the cause; where a buffer is waited for since a pass, that too, as far as there is room: in a second line that is
 * put to *after. */
static char *
badge_words (const TsTimelineDrawing *d, const TsTimelineEvent *event, const TsWaitLook *look, double room, double height,
             TsTextStyle style, const char **after)
{
  const char *name = event->buffer >= 0 ? ts_timeline_name (d->timeline, event->buffer) : "", *comma = strchr (name, ',');
  guint first = d->timeline->data.first_since;
  g_autofree char *full = NULL, *brief = NULL;

  *after = NULL;
  if (comma == NULL || first == 0 || (guint) event->buffer < first)
    return g_strdup (look->letter);
  full = g_strdup_printf ("%s %s", look->letter, name);
  brief = g_strndup (full, strlen (look->letter) + 1 + (gsize) (comma - name));
  if (ts_measure (d->measurer, full, style.size, style.weight) + 6 <= room)
    return g_steal_pointer (&full);
  if (ts_measure (d->measurer, brief, style.size, style.weight) + 6 > room)
    return g_strdup (look->letter);
  if (height >= 2 * BADGE_PX && ts_measure (d->measurer, comma + 2, style.size, style.weight) + 6 <= room)
    *after = comma + 2;
  return g_steal_pointer (&brief);
}

static void
draw_gap (const RowDrawing *r, guint position)
{
  const TsTimelineDrawing *d = r->d;
  gint32 id = r->row->event[position];
  const TsTimelineEvent *event = &d->timeline->data.events[id];
  const TsWaitLook *look = ts_wait_look (event->cause);
  TsLink link = { TS_LINK_GAP, event->cause, (gint16) event->lane, event->op, id, event->on, 0, event->idle_from, event->start };
  TsTextStyle style = { d->small, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_MIDDLE };
  double x0, x1, w, h, y;

  if (event->start - event->idle_from < r->least_gap)
    return;
  x0 = MAX (ts_scale_to_x (d->geometry.axis, event->idle_from), d->geometry.axis.x);
  x1 = MIN (ts_scale_to_x (d->geometry.axis, event->start), d->geometry.axis.x + d->geometry.axis.width);
  w = x1 - x0;
  if (w <= 0)
    return;
  h = r->h > 16 ? r->h * 0.6 : r->h;
  y = r->y + (r->h - h) / 2;
  begin_mark (d, &link);
  /* Invisible full-height box: the whole gap answers the pointer, also between the strokes and with no hatch at all. */
  ts_scene_rect (d->scene, x0, r->y, w, r->h, (TsPaint) { 0 });
  ts_scene_hatch (d->scene, x0, y, w - 1, h, look->hatch, d->theme->hatch);
  if (look->letter[0] != '\0' && w >= BADGE_PX + 5 && r->h >= BADGE_PX + 2)
    {
      const char *after;
      g_autofree char *words = badge_words (d, event, look, w - 8, r->h - 2, style, &after);
      double width = g_str_equal (words, look->letter) ? BADGE_PX : ts_measure (d->measurer, words, style.size, style.weight) + 6;
      double height = after != NULL ? 2 * BADGE_PX - 1 : BADGE_PX, bx, by = r->y + (r->h - height) / 2;

      if (after != NULL)
        width = MAX (width, ts_measure (d->measurer, after, style.size, style.weight) + 6);
      bx = x0 + (w - width) / 2;
      ts_scene_rect (d->scene, bx, by, width, height,
                     (TsPaint) { .fill = d->theme->background, .stroke = d->theme->outline, .width = 1, .radius = 3 });
      ts_put_text (d->scene, d->measurer, bx + width / 2, by + BADGE_PX / 2 + d->small * 0.36, 0, style, words);
      if (after != NULL)
        ts_put_text (d->scene, d->measurer, bx + width / 2, by + BADGE_PX * 1.5 - 1 + d->small * 0.36, 0, style, after);
    }
  ts_scene_end (d->scene);
}

/* Cycles busy before `cycle`, of events from position `p` on; `p` is the first that ends after it. */
static gint64
busy_before (const TsRow *row, guint p, gint64 cycle)
{
  return row->busy[p] + (p < row->n && row->start[p] < cycle ? cycle - row->start[p] : 0);
}

/* A bar without a stage is told by its outline; a column has none and takes a darker grey. */
static TsColor
strip_color (const TsTimelineDrawing *d, const TsTimelineEvent *event)
{
  TsColor color = ts_timeline_bar_color (d, event);

  return color == d->theme->untagged ? d->theme->outline : color;
}

/* Events [first, last), all narrow, as columns of a pixel: how busy, and the colour of the longest. */
static void
draw_run (const RowDrawing *r, guint first, guint last)
{
  const TsTimelineDrawing *d = r->d;
  const TsRow *row = r->row;
  TsScale axis = d->geometry.axis;
  gint64 from = MAX (row->start[first], d->from), to = MIN (MAX (row->end[last - 1], from + 1), d->to);
  double x0 = ts_scale_to_x (axis, from), x1 = ts_scale_to_x (axis, to);
  guint n = (guint) CLAMP (ceil (x1 - x0), 1, 100000);
  TsLink link = { TS_LINK_DENSE, 0, (gint16) row->lane, -1, row->event[first], -1, (gint32) (last - first), from, to };
  TsTextStyle style = { d->small, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_MIDDLE };
  g_autoptr (GString) count = g_string_new (NULL);
  double width;
  TsColumn *columns;
  guint p = first;
  gint64 before;

  ts_append_cycles (count, last - first);
  g_string_append_printf (count, " %s", _ ("ops"));
  begin_mark (d, &link);
  columns = ts_scene_strip (d->scene, x0, r->y, MAX (x1 - x0, 1), r->h, n);
  before = busy_before (row, p, from);
  for (guint c = 0; c < n; c++)
    {
      gint64 begin = from + (gint64) ((double) (to - from) * c / n), end = from + (gint64) ((double) (to - from) * (c + 1) / n);
      guint q = ts_row_next_ending_after (row, p, end);
      gint64 after = busy_before (row, q, end);
      guint reach = MIN (last, q < row->n && row->start[q] < end ? q + 1 : q);
      double share = end > begin ? (double) (after - before) / (double) (end - begin) : after > before || reach > p;

      if (reach > p)
        columns[c] = (TsColumn) {
          .color = strip_color (d, &d->timeline->data.events[row->event[ts_row_longest (row, p, reach)]]),
          /* Something stands here, however short: at least a tenth of the height shows it. */
          .share = (guint8) CLAMP (share * 255, 26, 255),
        };
      p = q;
      before = after;
    }
  width = ts_measure (d->measurer, count->str, d->small, TS_WEIGHT_NORMAL);
  if (width + 10 <= x1 - x0 && r->h >= d->small + 6)
    {
      double middle = (x0 + x1) / 2, baseline = r->y + r->h / 2 + d->small * 0.36;

      ts_scene_rect (d->scene, middle - width / 2 - 4, baseline - d->small, width + 8, d->small + 4,
                     (TsPaint) { .fill = d->theme->background, .stroke = d->theme->outline, .width = 1, .radius = 3 });
      ts_put_text (d->scene, d->measurer, middle, baseline, 0, style, count->str);
    }
  ts_scene_end (d->scene);
}

static void
draw_row (RowDrawing *r)
{
  const TsRow *row = r->row;
  guint i = ts_row_first_ending_after (row, r->d->from);
  guint limit = ts_row_first_starting_at (row, r->d->to);

  /* The gap that the picture's right edge cuts belongs to the next event. */
  while (i < limit)
    {
      guint wide = ts_row_next_long (row, i, limit, r->least);

      while (i < wide)
        {
          guint end = ts_row_next_gap (row, i + 1, wide, r->least_gap);

          draw_gap (r, i);
          if (end == i + 1)
            draw_bar (r, i);
          else
            draw_run (r, i, end);
          i = end;
        }
      if (i < limit)
        {
          draw_gap (r, i);
          draw_bar (r, i);
          i++;
        }
    }
  if (limit < row->n && r->d->timeline->data.events[row->event[limit]].idle_from < r->d->to)
    draw_gap (r, limit);
}

static gint64
cycles_of_pixels (TsScale axis, double pixels)
{
  double per_unit = ts_scale_per_unit (axis);

  return per_unit > 0 ? (gint64) MAX (1.0, ceil (pixels / per_unit - 1e-9)) : 1;
}

void
ts_timeline_draw_lanes (TsTimelineDrawing *d)
{
  const TsTimeline *timeline = d->timeline;
  TsScale axis = d->geometry.axis;
  guint max_bars = d->view->max_bars != 0 ? d->view->max_bars
                   : (d->view->parts & TS_TIMELINE_TITLES) != 0 ? FIGURE_MAX_BARS : DEFAULT_MAX_BARS;
  guint rows = 0;
  double least;

  for (guint lane = 0; lane < timeline->data.n_lanes; lane++)
    if (d->lane_y[lane] >= 0)
      rows += timeline->lane_first[lane + 1] - timeline->lane_first[lane];
  /* A bar and a gap each take `least` pixels or more, so rows x width / least bounds what is drawn. */
  least = MAX (LEAST_BAR_PX, rows * axis.width / max_bars);
  ts_scene_clip (d->scene, axis.x, d->geometry.lanes_y, axis.width, d->geometry.lanes_h);
  for (guint lane = 0; lane < timeline->data.n_lanes; lane++)
    {
      TsLink link = { TS_LINK_LANE, 0, (gint16) lane, -1, -1, -1, 0, d->from, d->to };
      guint first = timeline->lane_first[lane], end = timeline->lane_first[lane + 1];

      if (d->lane_y[lane] < 0)
        continue;
      ts_scene_begin (d->scene, &link, NULL);
      ts_scene_rect (d->scene, axis.x, d->lane_y[lane], axis.width, (end - first) * d->row_height,
                     (TsPaint) { .fill = d->theme->panel, .radius = 4 });
      ts_scene_end (d->scene);
      ts_timeline_draw_fill (d, lane, d->lane_y[lane], (end - first) * d->row_height);
      for (guint k = first; k < end; k++)
        {
          double inset = d->row_height > 18 ? 2 : 1;
          RowDrawing r = { d, &timeline->rows[k], d->lane_y[lane] + (k - first) * d->row_height + inset, d->row_height - 2 * inset,
                           cycles_of_pixels (axis, least), cycles_of_pixels (axis, least) };

          draw_row (&r);
        }
    }
  ts_timeline_draw_fill_words (d);
  ts_scene_unclip (d->scene);
}

void
ts_timeline_bar_box (const TsTimelineDrawing *d, gint32 id, double *x, double *y, double *w, double *h)
{
  const TsTimelineEvent *event = &d->timeline->data.events[id];
  double inset = d->row_height > 18 ? 2 : 1;
  guint sub = d->timeline->row_of[id] - d->timeline->lane_first[event->lane];

  *x = ts_scale_to_x (d->geometry.axis, event->start);
  *w = MAX (ts_scale_to_x (d->geometry.axis, event->end) - *x, 1);
  *y = d->lane_y[event->lane] + sub * d->row_height + inset;
  *h = d->row_height - 2 * inset;
}
