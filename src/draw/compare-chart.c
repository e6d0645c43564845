/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the scenes of two timelines together, with a line that says how much they differ. */
#include "draw/compare-chart.h"

#include "draw/words.h"

#define STRIP 30.0

static char *
difference (const TsTimeline *a, const TsTimeline *b)
{
  gint64 from = ts_timeline_makespan (a), to = ts_timeline_makespan (b);
  GString *out = g_string_new (NULL);

  ts_append_cycles (out, from);
  g_string_append (out, " → ");
  ts_append_cycles (out, to);
  g_string_append_printf (out, " %s", _ ("cycles"));
  if (from > 0 && from != to)
    {
      char percent[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append (out, to > from ? ", +" : ", −");
      ts_append_cycles (out, ABS (to - from));
      g_ascii_formatd (percent, sizeof percent, "%.1f", (double) ABS (to - from) / (double) from * 100.0);
      g_string_append_printf (out, " (%s%s %%)", to > from ? "+" : "−", percent);
    }
  return g_string_free (out, FALSE);
}

void
ts_compare_scene (const TsTimeline *a, const TsTimeline *b, const TsTimelineView *view, const TsTheme *theme, TsMeasurer *measurer,
                  TsScene *scene)
{
  g_autoptr (TsScene) upper = ts_scene_new (1, 1, TS_COLOR_NONE), lower = ts_scene_new (1, 1, TS_COLOR_NONE);
  g_autofree char *words = difference (a, b);
  g_autofree char *name = NULL;
  TsTimelineView half = *view;
  TsTextStyle style = { TS_FONT_SIZE, TS_WEIGHT_MEDIUM, theme->text, TS_ANCHOR_START };

  if (half.to <= half.from)
    {
      half.from = 0;
      half.to = MAX (MAX (ts_timeline_makespan (a), ts_timeline_makespan (b)), 1);
    }
  /* The same room for names in both, or the scales would not meet. */
  if (half.label_width <= 0)
    {
      TsTimelineGeometry ga = ts_timeline_geometry (a, &half, measurer), gb = ts_timeline_geometry (b, &half, measurer);
      double margin = (half.parts & TS_TIMELINE_HEADER) != 0 ? 16 : 0;

      half.label_width = MAX (ga.axis.x, gb.axis.x) - margin;
    }
  half.height = view->height > STRIP ? (view->height - STRIP) / 2 : 0;
  /* The upper one leaves legend and caption to the lower one, whose title is its own. */
  half.parts = view->parts & ~(guint) (TS_TIMELINE_LEGEND | TS_TIMELINE_CAPTION);
  ts_timeline_scene (a, &half, theme, measurer, upper);
  half.parts = view->parts;
  ts_timeline_scene (b, &half, theme, measurer, lower);
  ts_scene_reset (scene, view->width, upper->height + STRIP + lower->height, theme->background);
  name = g_strdup_printf ("%s / %s: %s", upper->name, lower->name, words);
  ts_scene_set_name (scene, name);
  ts_scene_append (scene, upper, 0, 0, "");
  ts_scene_rect (scene, 16, upper->height + 2, view->width - 32, STRIP - 6, (TsPaint) { .fill = theme->panel_strong, .radius = 4 });
  ts_put_text (scene, measurer, 26, upper->height + STRIP / 2 + 3, view->width - 52, style, words);
  ts_scene_append (scene, lower, 0, upper->height + STRIP, "b-");
}
