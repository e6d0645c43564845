/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timeline scenes of a million events at every zoom, and SVG text of a hundred thousand bars. Budgets: design.md section 9. Prints
 * figures; fails when a budget is missed and TS_PERF_STRICT is set. */
#include <stdlib.h>
#include <string.h>

#include "cpu-time.h"
#include "draw/svg.h"
#include "draw/timeline.h"

static double
milliseconds_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / 1e3;
}

/* Five lanes, lengths of 1 to 120 cycles, gaps now and then: a fixed sequence. */
static TsTimelineEvent *
make_events (guint n, gint64 *makespan)
{
  TsTimelineEvent *events = g_new0 (TsTimelineEvent, n);
  gint64 free_at[5] = { 0 };
  guint32 state = 1;

  *makespan = 0;
  for (guint i = 0; i < n; i++)
    {
      guint lane = i % 5;
      gint64 gap, length;

      state = state * 1664525u + 1013904223u;
      gap = (state >> 28) % 5 == 0 ? (state >> 8) % 400 : 0;
      length = 1 + (state >> 4) % 120;
      events[i] = (TsTimelineEvent) {
        .start = free_at[lane] + gap, .end = free_at[lane] + gap + length, .idle_from = free_at[lane], .op = (gint32) (i % 64),
        .on = i > 4 ? (gint32) i - 4 : -1, .buffer = -1, .iteration = (gint32) (i / 64), .stage = (gint16) (i % 4),
        .lane = (guint8) lane, .cause = (guint8) (i % TS_CAUSE_NONE),
      };
      free_at[lane] = events[i].end;
      *makespan = MAX (*makespan, events[i].end);
    }
  return events;
}

static TsTimeline *
make_timeline (guint n)
{
  static const char *const NAMES[] = { "load tile_0" };
  TsTimelineLane lanes[5];
  TsTimelineInput input = {
    .n_events = n, .lanes = lanes, .n_lanes = 5, .names = NAMES, .n_names = 1, .title = "large", .subtitle = ""
  };
  g_autofree TsTimelineEvent *events = make_events (n, &input.makespan);

  for (guint lane = 0; lane < 5; lane++)
    lanes[lane] = (TsTimelineLane) { .name = ts_lane_name ((TsLane) lane), .detail = "P", .unit = (guint8) lane };
  input.events = events;
  return ts_timeline_new (&input, NULL);
}

/* Every zoom from all to a hundred cycles; the slowest frame counts, each taken as the best of nine. */
static gboolean
zoom_through (const TsTimeline *timeline)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_pango (NULL);
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  double worst = 0;
  guint most = 0;

  for (gint64 span = ts_timeline_makespan (timeline); span > 100; span = span * 2 / 3)
    {
      double best = G_MAXDOUBLE;
      TsTimelineView view;

      ts_timeline_view_init (&view);
      view.parts = TS_TIMELINE_WINDOW;
      view.width = 1600;
      view.from = (ts_timeline_makespan (timeline) - span) / 2;
      view.to = view.from + span;
      for (guint k = 0; k < 9; k++)
        {
          gint64 start = g_get_monotonic_time ();

          ts_timeline_scene (timeline, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
          best = MIN (best, milliseconds_since (start));
        }
      worst = MAX (worst, best);
      most = MAX (most, scene->n_prims);
    }
  g_print ("%u events: slowest frame %.2f ms, at most %u primitives\n", ts_timeline_n_events (timeline), worst, most);
  return worst < 4;
}

/* A bar, a title and a text per event, without any merging: what an SVG of so many costs to write. */
static gboolean
write_svg (guint n)
{
  g_autoptr (TsScene) scene = ts_scene_new (20000, 400, TS_RGB (0xFFFFFF));
  g_autoptr (GString) out = g_string_new (NULL);
  gint64 start = g_get_monotonic_time ();
  double elapsed;

  for (guint i = 0; i < n; i++)
    {
      TsLink link = { TS_LINK_EVENT, 0, 0, (gint32) i, (gint32) i, -1, 0, i, i + 1 };
      double x = (double) i * 0.2;

      ts_scene_begin (scene, &link, "load tile_0, MTE2, 0–108 (108 cycles), stage 0");
      ts_scene_rect (scene, x, 10, 0.2, 30, (TsPaint) { .fill = TS_RGB (0x0072B2), .radius = 4 });
      ts_scene_text (scene, x, 30, (TsTextStyle) { 12, TS_WEIGHT_NORMAL, TS_RGB (0xFFFFFF), TS_ANCHOR_START }, "load tile_0", 60,
                     0);
      ts_scene_end (scene);
    }
  ts_svg_append (scene, NULL, out);
  elapsed = milliseconds_since (start);
  g_print ("SVG of %u bars: %.1f ms, %.1f MB\n", n, elapsed, (double) out->len / 1e6);
  return elapsed < 500;
}

int
main (int argc, char **argv)
{
  int status = bench_usage (argc, argv, "--brief", "bench-draw [--brief]");
  if (status >= 0)
    return status;
  gboolean brief = argc > 1 && strcmp (argv[1], "--brief") == 0, good = TRUE;
  guint n = brief ? 20000 : 1000000;
  gint64 start = g_get_monotonic_time ();
  g_autoptr (TsTimeline) timeline = make_timeline (n);

  g_print ("%u events: index built in %.1f ms\n", n, milliseconds_since (start));
  good &= zoom_through (timeline);
  good &= write_svg (brief ? 2000 : 100000);
  return good || g_getenv ("TS_PERF_STRICT") == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
