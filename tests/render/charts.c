/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bill, fold and comparison. */
#include <math.h>
#include <string.h>

#include "draw/compare-chart.h"
#include "draw/dump.h"
#include "draw/fold-chart.h"
#include "draw/svg.h"
#include "sample.h"

static void
test_bill (void)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsBillInput input = { .title = "pingpong", .subtitle = "main · teaching", .width = 900, .selected = 3, .titles = TRUE };
  g_autofree char *dump = NULL, *words = NULL;

  input.rows = sample_bill (&input.n_rows);
  ts_bill_scene (&input, ts_theme (TS_THEME_LIGHT), measurer, scene);
  dump = ts_scene_dump (scene);
  assert_golden ("bill.txt", dump);
  for (guint i = 0; i < input.n_rows; i++)
    {
      double x, y, w, h;
      const TsMark *mark = &scene->marks[i + 1];

      g_assert_cmpint (mark->link.count, ==, i);
      g_assert_true (ts_scene_mark_box (scene, mark, &x, &y, &w, &h));
      g_assert_true (ts_scene_hit (scene, x + w / 2, y + h / 2, 0) == mark);
    }
  words = ts_bill_describe (&input.rows[5]);
  g_assert_cmpstr (words, ==, "5 MemoryReuse, changed, 1690 cycles (+286), 1.5 KiB");

  /* What was not simulated to its end says so. */
  TsBillBar cut = { .pass = "MemoryReuse", .index = 5, .cycles = 1690, .bytes = -1, .cut = TRUE };
  g_autofree char *cut_words = ts_bill_describe (&cut), *cut_dump = NULL;
  g_assert_cmpstr (cut_words, ==, "5 MemoryReuse, no change, 1690 cycles (cut)");
  input.rows = &cut;
  input.n_rows = 1;
  ts_bill_scene (&input, ts_theme (TS_THEME_LIGHT), measurer, scene);
  cut_dump = ts_scene_dump (scene);
  g_assert_nonnull (strstr (cut_dump, "1690 (cut)"));
}

/* Narrow pictures keep every text within the picture. */
static void
test_bill_fits (void)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsBillInput input = { .title = "a title that is much longer than the picture is wide", .selected = -1 };

  input.rows = sample_bill (&input.n_rows);
  for (input.width = 480; input.width < 1600; input.width += 160)
    {
      ts_bill_scene (&input, ts_theme (TS_THEME_DARK), measurer, scene);
      for (guint i = 0; i < scene->n_prims; i++)
        if (scene->prims[i].kind == TS_PRIM_TEXT)
          {
            double x, y, w, h;

            ts_prim_box (&scene->prims[i], &x, &y, &w, &h);
            g_assert_cmpfloat (x, >=, 0);
            g_assert_cmpfloat (x + w, <=, scene->width);
          }
    }
}

/* Every bar of the folded part lies within the interval, and each statement stands in it once (twice where it wraps). */
static void
test_fold (void)
{
  Sample *sample = sample_pingpong (10);
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsFoldInput input = { .loop = -1, .res_mii = 360, .res_unit = "vector", .rec_mii = 228, .binding = "resource", .width = 1100 };
  g_autofree char *dump = NULL;

  g_assert_cmpint (ts_fold_loop (timeline, -1), ==, 9);
  g_assert_cmpint (ts_fold_loop (timeline, 3), ==, -1);
  ts_fold_scene (timeline, &input, ts_theme (TS_THEME_LIGHT), measurer, scene);
  dump = ts_scene_dump (scene);
  assert_golden ("fold.txt", dump);
  g_assert_nonnull (strstr (scene->name, "interval of 468"));
  sample_free (sample);
}

static void
test_fold_without_loop (void)
{
  Sample *sample = sample_large (100);
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsFoldInput input = { .loop = -1, .width = 600 };

  ts_fold_scene (timeline, &input, ts_theme (TS_THEME_LIGHT), measurer, scene);
  g_assert_nonnull (strstr (scene->name, "nothing to fold"));
  sample_free (sample);
}

/* Both halves share one scale; ids of the two differ. */
static void
test_compare (void)
{
  Sample *a = sample_pingpong (10), *b = sample_pingpong (6);
  g_autoptr (TsTimeline) first = ts_timeline_new (&a->input, NULL), second = ts_timeline_new (&b->input, NULL);
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  g_autoptr (GString) svg = g_string_new (NULL);
  TsTimelineView view;
  double x[2] = { 0 }, y, w[2] = { 0 }, h;
  guint found = 0;

  ts_timeline_view_init (&view);
  ts_compare_scene (first, second, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  for (guint i = 1; i < scene->n_marks && found < 2; i++)
    if (scene->marks[i].link.kind == TS_LINK_EVENT && scene->marks[i].link.event == 5)
      {
        g_assert_true (ts_scene_mark_box (scene, &scene->marks[i], &x[found], &y, &w[found], &h));
        found++;
      }
  g_assert_cmpuint (found, ==, 2);
  g_assert_cmpfloat (fabs (x[0] - x[1]), <, 1e-6);
  g_assert_cmpfloat (fabs (w[0] - w[1]), <, 1e-6);
  ts_svg_append (scene, NULL, svg);
  g_assert_nonnull (strstr (svg->str, "id=\"e5\""));
  g_assert_nonnull (strstr (svg->str, "id=\"b-e5\""));
  g_assert_nonnull (strstr (scene->name, "−936"));
  sample_free (a);
  sample_free (b);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/bill", test_bill);
  g_test_add_func ("/render/bill/fits", test_bill_fits);
  g_test_add_func ("/render/fold", test_fold);
  g_test_add_func ("/render/fold/none", test_fold_without_loop);
  g_test_add_func ("/render/compare", test_compare);
  return g_test_run ();
}
