/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the pictures of the tests as SVG into a folder, for people to look at: show-pictures FOLDER. Not a test. */
#include "draw/bill-chart.h"
#include "draw/compare-chart.h"
#include "draw/fold-chart.h"
#include "draw/svg.h"
#include "sample.h"

static void
save (const char *folder, const char *name, const TsScene *scene)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  ts_svg_append (scene, NULL, out);
  if (!g_file_set_contents (path, out->str, (gssize) out->len, &error))
    g_printerr ("%s\n", error->message);
}

static void
show_timeline (const char *folder, const char *name, Sample *sample, TsThemeId theme, const TsTimelineView *view)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);

  ts_timeline_scene (timeline, view, ts_theme (theme), measurer, scene);
  save (folder, name, scene);
}

static void
show_timelines (const char *folder)
{
  Sample *pingpong = sample_pingpong (6), *large = sample_large (20000), *odd = sample_odd ();
  TsTimelineMarker markers[] = { { 300, "first store" }, { 1480, "end of it all" } };
  TsTimelineView view;

  ts_timeline_view_init (&view);
  show_timeline (folder, "timeline-light.svg", pingpong, TS_THEME_LIGHT, &view);
  view.caption = "Figure 1: two stages overlap.";
  show_timeline (folder, "timeline-dark.svg", pingpong, TS_THEME_DARK, &view);
  view.width = 560;
  show_timeline (folder, "timeline-small.svg", pingpong, TS_THEME_LIGHT, &view);
  view.width = 1180;
  view.selected_event = 8;
  view.hops = 2;
  view.critical_path = TRUE;
  view.markers = markers;
  view.n_markers = G_N_ELEMENTS (markers);
  view.range_from = 576;
  view.range_to = 756;
  view.cursor = 640;
  show_timeline (folder, "timeline-selection.svg", pingpong, TS_THEME_LIGHT, &view);
  ts_timeline_view_init (&view);
  show_timeline (folder, "timeline-large.svg", large, TS_THEME_LIGHT, &view);
  view.from = 100000;
  view.to = 108000;
  show_timeline (folder, "timeline-large-zoom.svg", large, TS_THEME_PRINT, &view);
  ts_timeline_view_init (&view);
  show_timeline (folder, "timeline-odd.svg", odd, TS_THEME_HIGH_CONTRAST, &view);
  view.color_by = TS_COLOR_BY_UNIT;
  view.height = 300;
  show_timeline (folder, "timeline-odd-low.svg", odd, TS_THEME_DARK, &view);
  sample_free (pingpong);
  sample_free (large);
  sample_free (odd);
}

static void
show_charts (const char *folder)
{
  Sample *short_one = sample_pingpong (6), *long_one = sample_pingpong (10);
  g_autoptr (TsTimeline) a = ts_timeline_new (&long_one->input, NULL), b = ts_timeline_new (&short_one->input, NULL);
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsFoldInput fold = { .loop = -1, .res_mii = 360, .res_unit = "vector", .rec_mii = 228, .binding = "resource", .width = 1100 };
  TsBillInput bill = { .title = "pingpong", .subtitle = "main · teaching", .width = 900, .selected = 3 };
  TsTimelineView view;

  ts_timeline_view_init (&view);
  ts_compare_scene (a, b, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  save (folder, "compare.svg", scene);
  ts_fold_scene (a, &fold, ts_theme (TS_THEME_LIGHT), measurer, scene);
  save (folder, "fold.svg", scene);
  bill.rows = sample_bill (&bill.n_rows);
  ts_bill_scene (&bill, ts_theme (TS_THEME_LIGHT), measurer, scene);
  save (folder, "bill.svg", scene);
  sample_free (short_one);
  sample_free (long_one);
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    {
      g_printerr ("usage: show-pictures FOLDER\n");
      return 2;
    }
  show_timelines (argv[1]);
  show_charts (argv[1]);
  return 0;
}
