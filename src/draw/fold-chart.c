/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One interval of the steady state: what each unit does in it and for which iteration. A bar that reaches past the end comes in
 * again at the start. */
#include "draw/fold-chart.h"

#include <math.h>

#include "draw/timeline-private.h"
#include "draw/words.h"

#define MARGIN 16.0
#define HEADER 64.0
#define ROW 34.0
#define ROW_GAP 8.0
#define PANEL_GAP 14.0
#define FOOT 34.0
/* Least share of the width for each of prologue and epilogue, and the most. */
#define LEAST_SIDE 0.12
#define MOST_SIDE 0.3

typedef struct
{
  const TsTimeline  *timeline;
  const TsFoldInput *input;
  const TsTheme     *theme;
  TsMeasurer        *measurer;
  TsScene           *scene;
  double             label, top, row;
  gint32             first_iteration; /* of the period: shown as "i" */
} FoldDrawing;

/* A panel: cycles [from, to) over a part of the width. */
typedef struct { TsScale axis; gboolean folded; } FoldPanel;

static const TsTimelineLoop *
find_part (const TsTimeline *timeline, gint32 loop, guint part)
{
  for (guint i = 0; i < timeline->data.n_loops; i++)
    if (timeline->data.loops[i].op == loop && timeline->data.loops[i].part == part)
      return &timeline->data.loops[i];
  return NULL;
}

gint32
ts_fold_loop (const TsTimeline *timeline, gint32 wanted)
{
  gint32 best = -1;
  gint64 longest = 0;

  for (guint i = 0; i < timeline->data.n_loops; i++)
    {
      const TsTimelineLoop *loop = &timeline->data.loops[i];

      if (loop->part != 1 || loop->interval <= 0 || (wanted >= 0 && loop->op != wanted))
        continue;
      if (loop->to - loop->from > longest)
        {
          longest = loop->to - loop->from;
          best = loop->op;
        }
    }
  return best;
}

static double
lane_top (const FoldDrawing *d, guint lane)
{
  return d->top + lane * (d->row + ROW_GAP);
}

/* One piece of a bar, in pixels within the panel. */
static void
draw_piece (const FoldDrawing *d, const FoldPanel *panel, gint32 id, double x, double w)
{
  const TsTimelineEvent *event = &d->timeline->data.events[id];
  TsLink link = { TS_LINK_EVENT, event->cause, (gint16) event->lane, event->op, id,
                  event->on,     event->stage, event->start,         event->end };
  gint32 behind = event->iteration - d->first_iteration;
  TsColor fill = ts_theme_stage_color (d->theme, event->stage);
  guint sub = d->timeline->row_of[id] - d->timeline->lane_first[event->lane];
  guint rows = d->timeline->lane_first[event->lane + 1] - d->timeline->lane_first[event->lane];
  double h = d->row / rows, y = lane_top (d, event->lane) + sub * h;
  TsTextStyle style = { TS_FONT_SIZE, TS_WEIGHT_NORMAL, 0, TS_ANCHOR_START }, tag;
  g_autofree char *title = d->input->titles ? ts_timeline_describe (d->timeline, &link) : NULL;
  char iteration[32];

  /* In the folded part later iterations are paler and counted from the first; beside it they have their numbers. */
  if (event->iteration >= 0 && panel->folded)
    fill = ts_color_mix (fill, d->theme->background, MIN (0.18 * MAX (behind, 0), 0.6));
  style.color = ts_theme_text_on (fill);
  tag = style;
  tag.size = TS_FONT_SMALL;
  if (panel->folded)
    g_snprintf (iteration, sizeof iteration, behind == 0 ? "i" : "i%+d", behind);
  else
    g_snprintf (iteration, sizeof iteration, "i%d", event->iteration);
  ts_scene_begin (d->scene, &link, title);
  ts_scene_rect (
      d->scene, x, y + 1, MAX (w - 1, 1), h - 2,
      (TsPaint) { .fill = fill, .stroke = event->stage < 0 ? d->theme->outline : TS_COLOR_NONE, .radius = w > 6 ? 4.0f : 0 });
  style.size = h < 26 ? TS_FONT_SMALL : TS_FONT_SIZE;
  if (h >= 13 && h < 26)
    ts_put_text (d->scene, d->measurer, x + 5, y + h / 2 + style.size * 0.36, w - 10, style,
                 ts_timeline_name (d->timeline, event->name));
  else if (h >= 26)
    {
      ts_put_text (d->scene, d->measurer, x + 5, y + h / 2 - 1, w - 10, style, ts_timeline_name (d->timeline, event->name));
      if (event->iteration >= 0)
        ts_put_text (d->scene, d->measurer, x + 5, y + h / 2 + 11, w - 10, tag, iteration);
    }
  ts_scene_end (d->scene);
}

static void
draw_events (const FoldDrawing *d, const FoldPanel *panel)
{
  TsScale axis = panel->axis;
  gint64 interval = axis.to - axis.from;

  ts_scene_clip (d->scene, axis.x, d->top, axis.width, lane_top (d, d->timeline->data.n_lanes) - d->top);
  for (guint r = 0; r < d->timeline->n_rows; r++)
    {
      const TsRow *row = &d->timeline->rows[r];
      guint end = ts_row_first_starting_at (row, axis.to);

      for (guint i = panel->folded ? ts_row_first_starting_at (row, axis.from) : ts_row_first_ending_after (row, axis.from);
           i < end; i++)
        {
          double x = ts_scale_to_x (axis, row->start[i]), w = (double) (row->end[i] - row->start[i]) * ts_scale_per_unit (axis);

          draw_piece (d, panel, row->event[i], x, w);
          if (panel->folded && row->end[i] > axis.to)
            draw_piece (d, panel, row->event[i], x - (double) interval * ts_scale_per_unit (axis), w);
        }
    }
  ts_scene_unclip (d->scene);
}

static void
draw_panel (const FoldDrawing *d, const FoldPanel *panel, const char *name)
{
  TsScale axis = panel->axis;
  gint64 step = ts_scale_step (axis, 56);
  TsTextStyle head = { TS_FONT_SIZE, TS_WEIGHT_MEDIUM, d->theme->text, TS_ANCHOR_MIDDLE };
  TsTextStyle soft = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_MIDDLE };
  double bottom = lane_top (d, d->timeline->data.n_lanes) - ROW_GAP, last = -G_MAXDOUBLE;

  ts_scene_rect (
      d->scene, axis.x, d->top - 42, axis.width, 18,
      (TsPaint) { .fill = panel->folded ? d->theme->panel_strong : d->theme->panel, .stroke = d->theme->outline, .radius = 4 });
  ts_put_text_whole (d->scene, d->measurer, axis.x + axis.width / 2, d->top - 29, axis.width - 8, head, name);
  for (guint lane = 0; lane < d->timeline->data.n_lanes; lane++)
    ts_scene_rect (d->scene, axis.x, lane_top (d, lane), axis.width, d->row, (TsPaint) { .fill = d->theme->panel, .radius = 4 });
  /* In the folded part cycles count from the start of the interval. */
  for (gint64 at = panel->folded ? 0 : ts_scale_first_tick (axis.from, step); at <= (panel->folded ? axis.to - axis.from : axis.to);
       at += step)
    {
      double x = ts_scale_to_x (axis, panel->folded ? axis.from + at : at);
      g_autoptr (GString) label = g_string_new (NULL);
      double width;

      ts_append_cycles (label, at);
      width = ts_measure (d->measurer, label->str, soft.size, soft.weight);
      ts_scene_line (d->scene, x, d->top - 8, x, bottom, (TsPaint) { .stroke = d->theme->grid });
      if (x - width / 2 >= MAX (last + 6, axis.x - 6) && x + width / 2 <= axis.x + axis.width + 6)
        {
          ts_put_text (d->scene, d->measurer, x, d->top - 11, 0, soft, label->str);
          last = x + width / 2;
        }
    }
  draw_events (d, panel);
}

static void
draw_labels (const FoldDrawing *d)
{
  TsTextStyle strong = { TS_FONT_SIZE, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };

  for (guint lane = 0; lane < d->timeline->data.n_lanes; lane++)
    {
      double y = lane_top (d, lane) + d->row / 2;

      ts_put_text (d->scene, d->measurer, MARGIN, y - 2, d->label - 6, strong, d->timeline->data.lanes[lane].name);
      ts_put_text (d->scene, d->measurer, MARGIN, y + 11, d->label - 6, soft, d->timeline->data.lanes[lane].detail);
    }
}

static void
draw_words (const FoldDrawing *d, gint64 interval)
{
  const TsFoldInput *input = d->input;
  TsTextStyle strong = { TS_FONT_TITLE, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { TS_FONT_SIZE, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  const char *title = input->title != NULL ? input->title : d->timeline->data.title;
  double room = input->width - 2 * MARGIN, used = ts_put_text (d->scene, d->measurer, MARGIN, 26, room, strong, title) + 12;
  g_autoptr (GString) words = g_string_new (NULL);
  g_autofree char *name = NULL;

  if (interval > 0)
    g_string_append_printf (words, _ ("one interval of %" G_GINT64_FORMAT " cycles"), interval);
  else
    g_string_append (words, _ ("no loop has a steady state: nothing to fold"));
  if (input->res_mii > 0)
    g_string_append_printf (words, _ (" · busiest unit %s needs %" G_GINT64_FORMAT), input->res_unit != NULL ? input->res_unit : "",
                            input->res_mii);
  if (input->rec_mii > 0)
    g_string_append_printf (words, _ (" · longest circle of dependences %" G_GINT64_FORMAT), input->rec_mii);
  if (input->binding != NULL)
    g_string_append_printf (words, _ (" · %s binds"), input->binding);
  ts_put_text (d->scene, d->measurer, MARGIN + used, 26, room - used, soft, words->str);
  if (input->caption != NULL)
    ts_put_text (d->scene, d->measurer, MARGIN, d->scene->height - 8, room, soft, input->caption);
  name = g_strdup_printf ("%s: %s", title, words->str);
  ts_scene_set_name (d->scene, name);
}

/* Width of a side panel: by its cycles on the folded part's scale, within bounds. */
static double
side_width (const TsTimelineLoop *part, gint64 interval, double room)
{
  if (part == NULL || part->to <= part->from)
    return 0;
  return CLAMP ((double) (part->to - part->from) / (double) interval * room * 0.5, LEAST_SIDE * room, MOST_SIDE * room);
}

static void
draw_panels (FoldDrawing *d, const TsTimelineLoop *steady)
{
  const TsTimelineLoop *prologue = find_part (d->timeline, steady->op, 0), *epilogue = find_part (d->timeline, steady->op, 2);
  double x = MARGIN + d->label, room = d->input->width - MARGIN - x;
  double left = side_width (prologue, steady->interval, room), right = side_width (epilogue, steady->interval, room);
  /* A whole interval from the middle of the steady state, where it has settled. */
  gint64 periods = MAX ((steady->to - steady->from) / steady->interval, 1);
  gint64 from = steady->from + periods / 2 * steady->interval;
  FoldPanel panel;

  d->first_iteration = G_MAXINT32;
  for (guint r = 0; r < d->timeline->n_rows; r++)
    {
      const TsRow *row = &d->timeline->rows[r];
      guint i = ts_row_first_starting_at (row, from);

      if (i < row->n && row->start[i] < from + steady->interval && d->timeline->data.events[row->event[i]].iteration >= 0)
        d->first_iteration = MIN (d->first_iteration, d->timeline->data.events[row->event[i]].iteration);
    }
  d->first_iteration = d->first_iteration == G_MAXINT32 ? 0 : d->first_iteration;
  if (left > 0)
    {
      panel = (FoldPanel) { { prologue->from, prologue->to, x, left - PANEL_GAP }, FALSE };
      draw_panel (d, &panel, _ ("prologue"));
    }
  panel = (FoldPanel) { { from, from + steady->interval, x + left, room - left - right }, TRUE };
  draw_panel (d, &panel, _ ("every interval"));
  if (right > 0)
    {
      panel = (FoldPanel) { { epilogue->from, epilogue->to, x + room - right + PANEL_GAP, right - PANEL_GAP }, FALSE };
      draw_panel (d, &panel, _ ("epilogue"));
    }
}

void
ts_fold_scene (const TsTimeline *timeline, const TsFoldInput *input, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  gint32 loop = ts_fold_loop (timeline, input->loop);
  const TsTimelineLoop *steady = loop >= 0 ? find_part (timeline, loop, 1) : NULL;
  FoldDrawing d = { .timeline = timeline, .input = input, .theme = theme, .measurer = measurer, .scene = scene, .top = HEADER + 26,
                    .row = ROW };
  guint lanes = MAX (timeline->data.n_lanes, 1u);
  double height;

  for (guint lane = 0; lane < timeline->data.n_lanes; lane++)
    d.label = MAX (d.label, 14 + ts_measure (measurer, timeline->data.lanes[lane].name, TS_FONT_SIZE, TS_WEIGHT_BOLD));
  if (input->height > 0)
    d.row = CLAMP ((input->height - d.top - FOOT) / lanes - ROW_GAP, 12, 3 * ROW);
  height = steady != NULL ? d.top + lanes * (d.row + ROW_GAP) + FOOT : HEADER;
  ts_scene_reset (scene, input->width, height, theme->background);
  if (steady != NULL)
    {
      draw_labels (&d);
      draw_panels (&d, steady);
    }
  draw_words (&d, steady != NULL ? steady->interval : 0);
}
