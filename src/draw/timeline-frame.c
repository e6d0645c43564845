/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands around the lanes: loop band, ruler, live bytes, legend. */
#include <math.h>

#include "draw/timeline-private.h"
#include "draw/words.h"

#define TICK_ROOM 64.0
#define SWATCH 13.0
#define LEGEND_ROW 20.0
#define LEGEND_GAP 18.0
/* Stages with a swatch of their own; more are summed up. */
#define MAX_SWATCHES 10

/* --- loop band ----------------------------------------------------------------------------------------------------------- */

static char *
loop_words (const TsTimelineLoop *loop, gboolean brief)
{
  if (loop->part == 0)
    return g_strdup (_ ("prologue"));
  if (loop->part == 2)
    return g_strdup (_ ("epilogue"));
  if (brief || loop->interval <= 0)
    return g_strdup (_ ("steady"));
  return g_strdup_printf (_ ("steady state, interval %" G_GINT64_FORMAT), loop->interval);
}

void
ts_timeline_draw_loops (TsTimelineDrawing *d)
{
  TsScale axis = d->geometry.axis;
  guint rows = 0;

  for (guint i = 0; i < d->timeline->data.n_loops; i++)
    rows = MAX (rows, d->timeline->data.loops[i].depth + 1u);
  if (rows == 0)
    return;
  ts_scene_clip (d->scene, axis.x, d->geometry.band_y, axis.width, d->geometry.band_h);
  for (guint i = 0; i < d->timeline->data.n_loops; i++)
    {
      const TsTimelineLoop *loop = &d->timeline->data.loops[i];
      TsLink link = { TS_LINK_LOOP, 0, -1, loop->op, -1, -1, loop->part, loop->from, loop->to };
      TsTextStyle style = { d->size - 1, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_MIDDLE };
      double x0 = MAX (ts_scale_to_x (axis, loop->from), axis.x), x1 = MIN (ts_scale_to_x (axis, loop->to), axis.x + axis.width);
      double height = d->geometry.band_h / rows - 4, y = d->geometry.band_y + loop->depth * (height + 4) + 1;
      g_autofree char *words = loop_words (loop, FALSE), *brief = loop_words (loop, TRUE), *title = NULL;

      if (x1 - x0 < 1 || loop->to <= d->from || loop->from >= d->to)
        continue;
      title = (d->view->parts & TS_TIMELINE_TITLES) != 0 ? ts_timeline_describe (d->timeline, &link) : NULL;
      ts_scene_begin (d->scene, &link, title);
      ts_scene_rect (d->scene, x0 + 0.5, y, MAX (x1 - x0 - 1, 1), height - 1,
                     (TsPaint) { .fill = loop->part == 1 ? d->theme->panel_strong : d->theme->panel, .stroke = d->theme->outline,
                                 .width = 1, .radius = x1 - x0 > 10 ? 4.0f : 0.0f });
      if (ts_put_text_whole (d->scene, d->measurer, (x0 + x1) / 2, y + height / 2 + d->size * 0.3, x1 - x0 - 8, style, words) == 0)
        ts_put_text_whole (d->scene, d->measurer, (x0 + x1) / 2, y + height / 2 + d->size * 0.3, x1 - x0 - 8, style, brief);
      ts_scene_end (d->scene);
    }
  ts_scene_unclip (d->scene);
}

/* --- ruler --------------------------------------------------------------------------------------------------------------- */

/* Room for the longest label of the range, which is the last, and some air. */
static double
tick_room (const TsTimelineDrawing *d)
{
  g_autoptr (GString) label = g_string_new (NULL);

  ts_append_cycles (label, d->to);
  return MAX (TICK_ROOM * MAX (d->view->text_scale, 1), ts_measure (d->measurer, label->str, d->small, TS_WEIGHT_NORMAL) + 20);
}

void
ts_timeline_draw_ruler (TsTimelineDrawing *d)
{
  TsScale axis = d->geometry.axis;
  gint64 step = ts_scale_step (axis, tick_room (d));
  TsTextStyle style = { d->small, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_MIDDLE };
  TsLink link = { TS_LINK_RULER, 0, -1, -1, -1, -1, 0, d->from, d->to };
  double bottom = (d->view->parts & TS_TIMELINE_LANES) != 0 ? d->geometry.lanes_y + d->geometry.lanes_h
                                                            : d->geometry.ruler_y + d->geometry.ruler_h;
  double last_end = -G_MAXDOUBLE;
  g_autoptr (GString) label = g_string_new (NULL);

  ts_scene_begin (d->scene, &link, (d->view->parts & TS_TIMELINE_TITLES) != 0 ? _ ("Ruler, in cycles") : NULL);
  ts_scene_rect (d->scene, axis.x, d->geometry.ruler_y, axis.width, d->geometry.ruler_h, (TsPaint) { 0 });
  ts_put_text_whole (d->scene, d->measurer, axis.x - 12, d->geometry.ruler_y + d->geometry.ruler_h - 10, axis.x - 16,
                     (TsTextStyle) { d->small, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_END }, _ ("cycles"));
  for (gint64 tick = ts_scale_first_tick (d->from, step); tick <= d->to; tick = ts_add_sat (tick, step))
    {
      double x = ts_scale_to_x (axis, tick);
      double width;

      g_string_truncate (label, 0);
      ts_append_cycles (label, tick);
      width = ts_measure (d->measurer, label->str, d->small, TS_WEIGHT_NORMAL);
      ts_scene_line (d->scene, x, d->geometry.ruler_y + d->geometry.ruler_h - 6, x, bottom,
                     (TsPaint) { .stroke = d->theme->grid, .width = 1 });
      ts_scene_no_hit (d->scene);
      /* A label at the right edge must not leave the picture, nor touch the one before. */
      if (x + width / 2 <= d->view->width && x - width / 2 >= last_end + 6)
        {
          ts_put_text (d->scene, d->measurer, x, d->geometry.ruler_y + d->geometry.ruler_h - 10, 0, style, label->str);
          last_end = x + width / 2;
        }
      if (tick == G_MAXINT64)
        break;
    }
  ts_scene_end (d->scene);
}

/* --- live bytes ---------------------------------------------------------------------------------------------------------- */

/* Largest number of live bytes within [from, to). `*cursor` is the last step at or before `from`, carried from column to column. */
static gint64
peak_within (const TsTimelineSpace *space, gint64 from, gint64 to, guint *cursor)
{
  guint i = *cursor;
  gint64 peak;

  while (i + 1 < space->n_steps && space->steps[i + 1].at <= from)
    i++;
  *cursor = i;
  peak = space->n_steps > 0 && space->steps[i].at <= from ? space->steps[i].bytes : 0;
  for (; i < space->n_steps && space->steps[i].at < to; i++)
    if (space->steps[i].at >= from)
      peak = MAX (peak, space->steps[i].bytes);
  return peak;
}

static void
draw_space (TsTimelineDrawing *d, guint index, double y, double height)
{
  const TsTimelineSpace *space = &d->timeline->data.spaces[index];
  TsScale axis = d->geometry.axis;
  TsTextStyle strong = { d->size, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { d->small, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  double label_x = (d->view->parts & TS_TIMELINE_HEADER) != 0 ? TS_TIMELINE_MARGIN : 6;
  TsLink link = { TS_LINK_SPACE, 0, (gint16) index, -1, -1, -1, 0, d->from, d->to };
  g_autofree char *title = (d->view->parts & TS_TIMELINE_TITLES) != 0 ? ts_timeline_describe (d->timeline, &link) : NULL;
  g_autofree char *name = g_strdup_printf (_ ("%s bytes"), space->name);
  g_autoptr (GString) words = g_string_new (NULL);
  guint n = (guint) MAX (ceil (axis.width), 1), cursor = 0;
  gint64 peak = 0, top;
  TsColumn *columns;

  for (guint i = 0; i < space->n_steps; i++)
    peak = MAX (peak, space->steps[i].bytes);
  /* Little use of a large memory would be a line: then the peak sets the scale and the words say so. */
  top = space->capacity > 0 && peak * 2 > space->capacity ? MAX (space->capacity, peak) : MAX (peak, 1);
  ts_append_bytes (words, peak);
  if (space->capacity > 0)
    {
      g_string_append (words, " / ");
      ts_append_bytes (words, space->capacity);
    }
  ts_scene_begin (d->scene, &link, title);
  if ((d->view->parts & TS_TIMELINE_LABELS) != 0)
    {
      ts_put_text (d->scene, d->measurer, label_x, y + height / 2 - 2, axis.x - label_x - 6, strong, name);
      ts_put_text (d->scene, d->measurer, label_x, y + height / 2 + d->small + 1, axis.x - label_x - 4, soft, words->str);
    }
  columns = ts_scene_strip (d->scene, axis.x, y, axis.width, height, n);
  for (guint c = 0; c < n; c++)
    {
      gint64 from = ts_scale_to_value (axis, axis.x + c * axis.width / n);
      gint64 to = ts_scale_to_value (axis, axis.x + (c + 1) * axis.width / n);
      gint64 bytes = peak_within (space, from, MAX (to, from + 1), &cursor);

      columns[c] = (TsColumn) { space->capacity > 0 && bytes > space->capacity ? d->theme->alert : d->theme->bytes,
                                bytes > 0 ? (guint8) CLAMP ((double) bytes / (double) top * 255, 6, 255) : 0 };
    }
  ts_scene_line (d->scene, axis.x, y + height, axis.x + axis.width, y + height, (TsPaint) { .stroke = d->theme->outline });
  if (space->capacity > 0 && top >= space->capacity && peak * 2 > space->capacity)
    {
      double line = y + height - height * (double) space->capacity / (double) top;

      ts_scene_line (d->scene, axis.x, line, axis.x + axis.width, line,
                     (TsPaint) { .stroke = d->theme->alert, .dash = TS_DASH_DASHED });
    }
  ts_scene_end (d->scene);
}

void
ts_timeline_draw_bytes (TsTimelineDrawing *d)
{
  guint n = d->timeline->data.n_spaces;
  double pitch = n > 0 ? d->geometry.bytes_h / n : 0;

  for (guint i = 0; i < n; i++)
    draw_space (d, i, d->geometry.bytes_y + i * pitch + pitch * 0.2, pitch * 0.7);
}

/* --- legend -------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsTimelineDrawing *d;        /* NULL scene in it: only measured */
  TsMeasurer        *measurer;
  float              size;
  double             left, right, x, y;
} Legend;

/* Makes room for an entry of a swatch and words; returns the swatch's x, *y its top. */
static double
legend_place (Legend *legend, const char *words, double *y)
{
  double width = SWATCH + 6 + ts_measure (legend->measurer, words, legend->size, TS_WEIGHT_NORMAL);
  double x;

  if (legend->x > legend->left && legend->x + width > legend->right)
    {
      legend->x = legend->left;
      legend->y += LEGEND_ROW;
    }
  x = legend->x;
  *y = legend->y;
  legend->x += width + LEGEND_GAP;
  return x;
}

static void
legend_words (Legend *legend, double x, double y, const char *words)
{
  TsTextStyle style = { legend->size, TS_WEIGHT_NORMAL, legend->d->theme->text, TS_ANCHOR_START };

  ts_put_text (legend->d->scene, legend->measurer, x + SWATCH + 6, y + SWATCH / 2 + legend->size * 0.36,
               legend->right - x - SWATCH - 6, style, words);
}

static void
legend_swatch (Legend *legend, TsColor fill, TsHatch texture, const char *words)
{
  double y, x = legend_place (legend, words, &y);

  if (legend->d == NULL)
    return;
  ts_scene_rect (legend->d->scene, x + 0.5, y + 0.5, SWATCH - 1, SWATCH - 1,
                 (TsPaint) { .fill = fill, .radius = 3,
                             .stroke = fill == legend->d->theme->untagged ? legend->d->theme->outline : TS_COLOR_NONE });
  ts_scene_hatch (legend->d->scene, x + 1, y + 1, SWATCH - 2, SWATCH - 2, texture, ts_theme_text_on (fill) - 0xFF + 0x60);
  legend_words (legend, x, y, words);
}

static void
legend_wait (Legend *legend, const TsWaitLook *look, const char *words)
{
  double y, x = legend_place (legend, words, &y);

  if (legend->d == NULL)
    return;
  ts_scene_rect (legend->d->scene, x + 0.5, y + 0.5, SWATCH - 1, SWATCH - 1, (TsPaint) { .stroke = legend->d->theme->outline });
  ts_scene_hatch (legend->d->scene, x + 1, y + 1, SWATCH - 2, SWATCH - 2, look->hatch, legend->d->theme->hatch);
  legend_words (legend, x, y, words);
}

/* "W waits for the buffer to be read: mem_vec_2, since MemoryReuse": what no gap may have room for is told here, if need be in an
 * entry of its own. */
static void
legend_cause (Legend *legend, const TsTimeline *timeline, TsCause cause)
{
  const TsWaitLook *look = ts_wait_look (cause);
  g_autoptr (GString) words = g_string_new (NULL);
  g_autofree char *names = NULL;
  double room = legend->right - legend->left - SWATCH - 6;

  for (guint i = 0; i < timeline->n_since[cause]; i++)
    g_string_append_printf (words, "%s%s", i > 0 ? "; " : "", ts_timeline_name (timeline, timeline->since[cause][i]));
  names = g_strdup (words->str);
  g_string_printf (words, "%s %s%s%s", look->letter, _ (look->words), *names != '\0' ? ": " : "", names);
  if (ts_measure (legend->measurer, words->str, legend->size, TS_WEIGHT_NORMAL) <= room || *names == '\0')
    {
      legend_wait (legend, look, words->str);
      return;
    }
  g_string_printf (words, "%s %s", look->letter, _ (look->words));
  legend_wait (legend, look, words->str);
  g_string_printf (words, "%s %s", look->letter, names);
  legend_wait (legend, look, words->str);
}

static void
legend_colors (Legend *legend, const TsTimeline *timeline, const TsTimelineView *view, const TsTheme *theme)
{
  guint lanes_seen = 0;

  if (view->color_by == TS_COLOR_BY_STAGE)
    {
      for (gint stage = 0; stage <= MIN (timeline->max_stage, MAX_SWATCHES - 1); stage++)
        {
          g_autofree char *words = g_strdup_printf (_ ("stage %d"), stage);

          legend_swatch (legend, ts_theme_stage_color (theme, stage), ts_theme_stage_texture (stage), words);
        }
      if (timeline->max_stage >= MAX_SWATCHES)
        {
          g_autofree char *words = g_strdup_printf (_ ("… up to stage %d"), timeline->max_stage);

          legend_swatch (legend, theme->panel_strong, TS_HATCH_NONE, words);
        }
      if (timeline->untagged || timeline->max_stage < 0)
        legend_swatch (legend, theme->untagged, TS_HATCH_NONE, _ ("no stage"));
    }
  else if (view->color_by == TS_COLOR_BY_UNIT)
    {
      for (guint lane = 0; lane < timeline->data.n_lanes; lane++)
        {
          guint unit = timeline->data.lanes[lane].unit % TS_N_LANES;

          if ((lanes_seen >> unit & 1) == 0)
            legend_swatch (legend, theme->lane[unit], TS_HATCH_NONE, ts_lane_name ((TsLane) unit));
          lanes_seen |= 1u << unit;
        }
    }
  else
    legend_swatch (legend, theme->stage[0], TS_HATCH_NONE,
                   view->color_by == TS_COLOR_BY_OP ? _ ("colour by statement") : _ ("colour by iteration"));
}

static void
fill_legend (Legend *legend, const TsTimeline *timeline, const TsTimelineView *view, const TsTheme *theme)
{
  legend_colors (legend, timeline, view, theme);
  for (guint cause = 0; cause < TS_CAUSE_NONE; cause++)
    if ((timeline->causes >> cause & 1) != 0)
      legend_cause (legend, timeline, (TsCause) cause);
  if (view->critical_path)
    {
      double y, x = legend_place (legend, _ ("critical path"), &y);

      if (legend->d != NULL)
        {
          ts_scene_rect (legend->d->scene, x + 1, y + 1, SWATCH - 2, SWATCH - 2,
                         (TsPaint) { .stroke = theme->critical, .width = 2, .radius = 2 });
          legend_words (legend, x, y, _ ("critical path"));
        }
    }
}

static Legend
start_legend (const TsTimelineView *view, TsMeasurer *measurer, double y)
{
  return (Legend) {
    .measurer = measurer,
    .size = TS_FONT_SIZE * (float) (view->text_scale > 0 ? view->text_scale : 1),
    .left = TS_TIMELINE_MARGIN, .right = view->width - TS_TIMELINE_MARGIN, .x = TS_TIMELINE_MARGIN, .y = y,
  };
}

double
ts_timeline_legend_height (const TsTimeline *timeline, const TsTimelineView *view, TsMeasurer *measurer)
{
  Legend legend = start_legend (view, measurer, 0);

  fill_legend (&legend, timeline, view, ts_theme (TS_THEME_LIGHT));
  return legend.y + LEGEND_ROW + 12;
}

void
ts_timeline_draw_legend (TsTimelineDrawing *d, double y)
{
  Legend legend = start_legend (d->view, d->measurer, y + 10);

  legend.d = d;
  fill_legend (&legend, d->timeline, d->view, d->theme);
}
