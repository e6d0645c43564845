/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the parts of the timeline's picture together: where each stands, header, names of lanes, caption. */
#include <math.h>
#include <string.h>

#include "draw/timeline-private.h"
#include "draw/words.h"

#define LANE_HEIGHT 34.0
#define LANE_GAP 8.0
#define LEAST_ROW_HEIGHT 10.0
#define BAND_ROW 22.0
#define RULER_HEIGHT 24.0
#define MARKER_ROW 14.0
#define BYTES_HEIGHT 34.0
#define BYTES_GAP 12.0
#define MOST_LABEL_SHARE 0.3

static const char *const COLOR_BY_NAMES[TS_N_COLOR_BY] = {
  [TS_COLOR_BY_STAGE] = "stage", [TS_COLOR_BY_UNIT] = "unit", [TS_COLOR_BY_ITERATION] = "iteration", [TS_COLOR_BY_OP] = "op",
};

const char *
ts_color_by_name (TsColorBy by)
{
  return COLOR_BY_NAMES[(guint) by < TS_N_COLOR_BY ? by : TS_COLOR_BY_STAGE];
}

gboolean
ts_color_by_from_name (const char *name, TsColorBy *out)
{
  for (guint i = 0; i < TS_N_COLOR_BY; i++)
    if (g_strcmp0 (name, COLOR_BY_NAMES[i]) == 0)
      {
        *out = (TsColorBy) i;
        return TRUE;
      }
  return FALSE;
}

const TsWaitLook *
ts_wait_look (TsCause cause)
{
  static const TsWaitLook LOOKS[TS_N_CAUSES] = {
#define TS_WAIT_ROW(id, letter, hatch, words) [TS_CAUSE_##id] = { letter, TS_HATCH_##hatch, words },
#include "draw/waits.def"
#undef TS_WAIT_ROW
  };

  return &LOOKS[(guint) cause < TS_N_CAUSES ? cause : TS_CAUSE_NONE];
}

void
ts_timeline_view_init (TsTimelineView *view)
{
  *view = (TsTimelineView) {
    .parts = TS_TIMELINE_FIGURE,
    .width = 1180,
    .text_scale = 1,
    .highlight_stage = -1,
    .selected_event = -1,
    .selected_op = -1,
    .hops = 1,
    .cursor = -1,
  };
}

gboolean
ts_timeline_lane_shown (const TsTimeline *timeline, const TsTimelineView *view, guint lane)
{
  if (lane < 64 && (view->hidden_lanes >> lane & 1) != 0)
    return FALSE;
  return !view->hide_idle_lanes || timeline->rows[timeline->lane_first[lane]].n > 0;
}

static float
text_size (const TsTimelineView *view, float size)
{
  return size * (float) (view->text_scale > 0 ? view->text_scale : 1);
}

/* Second line under a lane's name: "MTE2 · 43 %". Free with g_free. */
static char *
lane_detail (const TsTimeline *timeline, guint lane)
{
  const TsTimelineLane *l = &timeline->data.lanes[lane];
  gint64 span = MAX (timeline->data.makespan, 1);
  /* A lane that works at all never says 0. */
  int percent = ts_percent ((double) l->busy / (double) span);

  if (percent == 0 && l->busy > 0)
    return g_strdup_printf ("%s · <1 %%", l->detail);
  return g_strdup_printf ("%s · %d %%", l->detail, percent);
}

static gboolean
new_unit (const TsTimeline *timeline, guint lane)
{
  const TsTimelineLane *lanes = timeline->data.lanes;

  return lane == 0 || lanes[lane].unit != lanes[lane - 1].unit || lanes[lane].core != lanes[lane - 1].core;
}

static guint
laid_out (const TsTimelineView *view)
{
  return view->parts | view->room_for;
}

static double
needed_label_width (const TsTimeline *timeline, const TsTimelineView *view, TsMeasurer *measurer)
{
  double widest = 48;

  for (guint lane = 0; lane < timeline->data.n_lanes; lane++)
    {
      g_autofree char *detail = lane_detail (timeline, lane);

      widest = MAX (widest, ts_measure (measurer, timeline->data.lanes[lane].name, text_size (view, TS_FONT_SIZE), TS_WEIGHT_BOLD));
      widest = MAX (widest, ts_measure (measurer, detail, text_size (view, TS_FONT_SMALL), TS_WEIGHT_NORMAL));
    }
  /* The live bytes below: "Vec bytes", and "128 KiB / 184 KiB" at the most. */
  for (guint i = 0; i < timeline->data.n_spaces && (laid_out (view) & TS_TIMELINE_BYTES) != 0; i++)
    {
      g_autofree char *name = g_strdup_printf (_ ("%s bytes"), timeline->data.spaces[i].name);

      widest = MAX (widest, ts_measure (measurer, name, text_size (view, TS_FONT_SIZE), TS_WEIGHT_BOLD));
      widest = MAX (widest, ts_measure (measurer, "188.8 KiB / 188 KiB", text_size (view, TS_FONT_SMALL), TS_WEIGHT_NORMAL));
    }
  return MIN (ceil (widest) + 14, view->width * MOST_LABEL_SHARE);
}

static guint
shown_rows (const TsTimeline *timeline, const TsTimelineView *view, guint *lanes)
{
  guint rows = 0;

  *lanes = 0;
  for (guint lane = 0; lane < timeline->data.n_lanes; lane++)
    if (ts_timeline_lane_shown (timeline, view, lane))
      {
        rows += timeline->lane_first[lane + 1] - timeline->lane_first[lane];
        (*lanes)++;
      }
  return rows;
}

static guint
band_rows (const TsTimeline *timeline)
{
  guint rows = 0;

  for (guint i = 0; i < timeline->data.n_loops; i++)
    rows = MAX (rows, timeline->data.loops[i].depth + 1u);
  return rows;
}

static double
row_height (const TsTimeline *timeline, const TsTimelineView *view, double room)
{
  guint lanes, rows = shown_rows (timeline, view, &lanes);

  if (view->height <= 0 || (laid_out (view) & TS_TIMELINE_LANES) == 0 || rows == 0)
    return view->lane_height > 0 ? view->lane_height : LANE_HEIGHT * MAX (view->text_scale, 0.5);
  room -= lanes * LANE_GAP;
  return CLAMP (room / rows, LEAST_ROW_HEIGHT, view->lane_height > 0 ? view->lane_height : 3 * LANE_HEIGHT);
}

/* One pass over the parts from top to bottom; `lane_y` may be NULL. */
static TsTimelineGeometry
place (const TsTimeline *timeline, const TsTimelineView *view, TsMeasurer *measurer, double *lane_y, double *height_of_row)
{
  const guint parts = laid_out (view);
  const double scale = view->text_scale > 0 ? view->text_scale : 1;
  TsTimelineGeometry g = { 0 };
  gboolean framed = (parts & TS_TIMELINE_HEADER) != 0;
  double margin = framed ? TS_TIMELINE_MARGIN : 0;
  double y = framed ? 44 * scale : 0;
  double below = 0;
  double label = (parts & TS_TIMELINE_LABELS) == 0 ? 0
                 : view->label_width > 0 ? view->label_width : needed_label_width (timeline, view, measurer);
  guint lanes;

  g.axis.from = view->to > view->from ? view->from : 0;
  g.axis.to = view->to > view->from ? view->to : MAX (timeline->data.makespan, 1);
  g.axis.x = margin + label;
  g.axis.width = MAX (view->width - g.axis.x - margin, 1);
  if ((parts & TS_TIMELINE_LOOPS) != 0)
    {
      g.band_y = y;
      g.band_h = band_rows (timeline) * BAND_ROW * scale;
      y += g.band_h + (g.band_h > 0 ? 4 : 0);
    }
  if ((parts & TS_TIMELINE_RULER) != 0)
    {
      g.ruler_y = y;
      /* Flags of markers stand above the numbers. */
      g.ruler_h = (RULER_HEIGHT + (view->n_markers > 0 ? MARKER_ROW : 0)) * scale;
      y += g.ruler_h;
    }
  if ((parts & TS_TIMELINE_BYTES) != 0 && timeline->data.n_spaces > 0)
    {
      g.bytes_h = timeline->data.n_spaces * (BYTES_HEIGHT + BYTES_GAP) * scale;
      below += g.bytes_h;
    }
  if ((parts & TS_TIMELINE_LEGEND) != 0)
    below += ts_timeline_legend_height (timeline, view, measurer);
  if ((parts & TS_TIMELINE_CAPTION) != 0 && view->caption != NULL)
    below += 20 * scale;
  below += framed ? 12 : 0;
  *height_of_row = row_height (timeline, view, view->height - y - below);
  g.lanes_y = y;
  if ((parts & (TS_TIMELINE_LANES | TS_TIMELINE_LABELS)) != 0)
    {
      g.lanes_h = shown_rows (timeline, view, &lanes) * *height_of_row + lanes * LANE_GAP;
      y += g.lanes_h;
    }
  g.bytes_y = y;
  g.height = view->height > 0 && (parts & TS_TIMELINE_LANES) == 0 ? view->height : y + below;
  if (lane_y == NULL)
    return g;
  y = g.lanes_y;
  for (guint lane = 0; lane < timeline->data.n_lanes; lane++)
    {
      lane_y[lane] = -1;
      if (!ts_timeline_lane_shown (timeline, view, lane))
        continue;
      lane_y[lane] = y;
      y += (timeline->lane_first[lane + 1] - timeline->lane_first[lane]) * *height_of_row + LANE_GAP;
    }
  return g;
}

TsTimelineGeometry
ts_timeline_geometry (const TsTimeline *timeline, const TsTimelineView *view, TsMeasurer *measurer)
{
  double unused;

  return place (timeline, view, measurer, NULL, &unused);
}

static void
draw_header (TsTimelineDrawing *d)
{
  const char *title = d->view->title != NULL ? d->view->title : d->timeline->data.title;
  float size = text_size (d->view, TS_FONT_TITLE);
  TsTextStyle strong = { size, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { d->size, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  double room = d->view->width - 2 * TS_TIMELINE_MARGIN;
  double used = ts_put_text (d->scene, d->measurer, TS_TIMELINE_MARGIN, 10 + size, room, strong, title);

  if (used > 0)
    used += 12;
  ts_put_text (d->scene, d->measurer, TS_TIMELINE_MARGIN + used, 10 + size, room - used, soft, d->timeline->data.subtitle);
}

static void
draw_labels (TsTimelineDrawing *d)
{
  const TsTimeline *timeline = d->timeline;
  TsTextStyle strong = { d->size, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { d->small, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  double x = (d->view->parts & TS_TIMELINE_HEADER) != 0 ? TS_TIMELINE_MARGIN : 6;
  double room = d->geometry.axis.x - x - 6;

  for (guint lane = 0; lane < timeline->data.n_lanes; lane++)
    {
      TsLink link = { TS_LINK_LANE, 0, (gint16) lane, -1, -1, -1, 0, d->from, d->to };
      guint rows = timeline->lane_first[lane + 1] - timeline->lane_first[lane];
      double height = rows * d->row_height, y = d->lane_y[lane];
      g_autofree char *detail = lane_detail (timeline, lane);
      g_autofree char *title = NULL;

      if (y < 0 || room <= 0)
        continue;
      title = (d->view->parts & TS_TIMELINE_TITLES) != 0 ? ts_timeline_describe (timeline, &link) : NULL;
      ts_scene_begin (d->scene, &link, title);
      if (height >= d->size + d->small + 6)
        {
          double middle = y + MIN (height, 60) / 2;

          if (new_unit (timeline, lane))
            {
              ts_put_text (d->scene, d->measurer, x, middle - 2, room, strong, timeline->data.lanes[lane].name);
              ts_put_text (d->scene, d->measurer, x, middle + d->small + 1, room, soft, detail);
            }
          else
            ts_put_text (d->scene, d->measurer, x, middle + d->small * 0.36, room, soft, detail);
        }
      else if (height >= d->small)
        {
          strong.size = MIN (d->size, (float) height);
          ts_put_text (d->scene, d->measurer, x, y + height / 2 + strong.size * 0.36, room, strong,
                       new_unit (timeline, lane) ? timeline->data.lanes[lane].name : timeline->data.lanes[lane].detail);
        }
      ts_scene_end (d->scene);
    }
}

static void
draw_caption (TsTimelineDrawing *d)
{
  TsTextStyle soft = { d->size, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };

  if (d->view->caption != NULL)
    ts_put_text (d->scene, d->measurer, TS_TIMELINE_MARGIN, d->geometry.height - 12, d->view->width - 2 * TS_TIMELINE_MARGIN, soft,
                 d->view->caption);
}

static void
name_scene (TsTimelineDrawing *d)
{
  const char *title = d->view->title != NULL ? d->view->title : d->timeline->data.title;
  g_autofree char *name = g_strdup_printf (_ ("Timeline of %s: %s"), title, d->timeline->data.subtitle);

  ts_scene_set_name (d->scene, name);
}

void
ts_timeline_scene (const TsTimeline *timeline, const TsTimelineView *view, const TsTheme *theme, TsMeasurer *measurer,
                   TsScene *scene)
{
  g_autofree double *lane_y = g_new0 (double, MAX (timeline->data.n_lanes, 1));
  TsTimelineDrawing d = {
    .timeline = timeline, .view = view, .theme = theme, .measurer = measurer, .scene = scene, .lane_y = lane_y,
    .size = text_size (view, TS_FONT_SIZE), .small = text_size (view, TS_FONT_SMALL),
  };
  guint parts = view->parts;

  d.geometry = place (timeline, view, measurer, lane_y, &d.row_height);
  d.from = d.geometry.axis.from;
  d.to = d.geometry.axis.to;
  ts_scene_reset (scene, view->width, MAX (d.geometry.height, 1), theme->background);
  name_scene (&d);
  if ((parts & TS_TIMELINE_HEADER) != 0)
    draw_header (&d);
  if ((parts & TS_TIMELINE_LOOPS) != 0)
    ts_timeline_draw_loops (&d);
  if ((parts & TS_TIMELINE_RULER) != 0)
    ts_timeline_draw_ruler (&d);
  if ((parts & TS_TIMELINE_LABELS) != 0)
    draw_labels (&d);
  if ((parts & TS_TIMELINE_LANES) != 0)
    ts_timeline_draw_lanes (&d);
  if ((parts & TS_TIMELINE_BYTES) != 0)
    ts_timeline_draw_bytes (&d);
  if ((parts & TS_TIMELINE_OVERLAY) != 0)
    ts_timeline_draw_overlay (&d);
  if ((parts & TS_TIMELINE_LEGEND) != 0)
    ts_timeline_draw_legend (&d, d.geometry.bytes_y + d.geometry.bytes_h);
  if ((parts & TS_TIMELINE_CAPTION) != 0)
    draw_caption (&d);
}
