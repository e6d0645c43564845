/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timeline's index and scenes: what is under the pointer, what fits, how much is drawn. */
#include <math.h>
#include <string.h>

#include "draw/dump.h"
#include "draw/svg.h"
#include "lang/pypto/pypto.h"
#include "sample.h"

static TsScene *
draw (const TsTimeline *timeline, const TsTimelineView *view, TsThemeId theme)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  TsScene *scene = ts_scene_new (1, 1, TS_COLOR_NONE);

  ts_timeline_scene (timeline, view, ts_theme (theme), measurer, scene);
  return scene;
}

/* The index answers as a walk over all events does. */
static void
test_queries (void)
{
  Sample *sample = sample_large (3000);
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);
  const TsTimelineEvent *events = sample->input.events;

  for (gint64 at = 0; at < sample->input.makespan; at += 997)
    for (guint lane = 0; lane < 5; lane++)
      {
        gint32 found = ts_timeline_event_at (timeline, lane, at);
        gboolean covered = FALSE;

        for (guint i = 0; i < sample->input.n_events; i++)
          covered |= events[i].lane == lane && events[i].start <= at && at < events[i].end;
        g_assert_cmpint (found >= 0, ==, covered);
        if (found >= 0)
          g_assert_true (events[found].lane == lane && events[found].start <= at && at < events[found].end);
      }
  for (gint32 op = -1; op < 70; op++)
    {
      gint32 expected = -1, found = ts_timeline_event_of_op (timeline, op, 20000);

      for (guint i = 0; i < sample->input.n_events && op >= 0; i++)
        if (events[i].op == op && events[i].start >= 20000 && (expected < 0 || events[i].start < events[expected].start))
          expected = (gint32) i;
      g_assert_cmpint (found >= 0 ? events[found].start : -1, ==, expected >= 0 ? events[expected].start : -1);
    }
  sample_free (sample);
}

static void
test_neighbours (void)
{
  Sample *sample = sample_pingpong (6);
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);
  gint32 id = 0;
  guint steps = 0;

  /* Along the load lane: six loads, then no more; and back. */
  for (gint32 next; (next = ts_timeline_neighbour (timeline, id, 1)) >= 0; id = next, steps++)
    g_assert_cmpint (sample->input.events[next].start, >=, sample->input.events[id].end);
  g_assert_cmpuint (steps, ==, 5);
  for (gint32 next; (next = ts_timeline_neighbour (timeline, id, -1)) >= 0; id = next)
    steps--;
  g_assert_cmpuint (steps, ==, 0);
  g_assert_cmpint (ts_timeline_nearest_edge (timeline, 1, 110), ==, 108);
  g_assert_cmpint (ts_timeline_nearest_edge (timeline, 1, 200), ==, 216);
  g_assert_cmpint (ts_timeline_nearest_edge (timeline, -1, 290), ==, 288);
  sample_free (sample);
}

/* Every event of a small picture is a mark, and the middle of its box hits it; each gap says what it waits for. */
static void
test_hits (void)
{
  Sample *sample = sample_pingpong (6);
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);
  TsTimelineView view;
  g_autoptr (TsScene) scene = NULL;

  ts_timeline_view_init (&view);
  scene = draw (timeline, &view, TS_THEME_LIGHT);
  for (guint i = 0; i < sample->input.n_events; i++)
    {
      const TsTimelineEvent *event = &sample->input.events[i];
      const TsMark *mark = ts_scene_find (scene, TS_LINK_EVENT, -1, (gint32) i), *hit, *gap;
      double x, y, w, h;

      g_assert_nonnull (mark);
      g_assert_true (ts_scene_mark_box (scene, mark, &x, &y, &w, &h));
      hit = ts_scene_hit (scene, x + w / 2, y + h / 2, 2);
      g_assert_true (hit == mark);
      g_assert_cmpint (hit->link.op, ==, event->op);
      gap = ts_scene_find (scene, TS_LINK_GAP, -1, (gint32) i);
      g_assert_cmpint (gap != NULL, ==, event->start > event->idle_from);
      if (gap == NULL)
        continue;
      g_assert_cmpint (gap->link.cause, ==, event->cause);
      g_assert_cmpint (gap->link.other, ==, event->on);
      hit = ts_scene_hit (scene, x - 4, y + h / 2, 0);
      g_assert_true (hit == gap);
    }
  sample_free (sample);
}

/* Time that was filled in by period is marked on every lane that works, said in words, and answers the pointer. */
static void
test_fills (void)
{
  Sample *sample = sample_pingpong (6);
  const TsTimelineFill fills[] = { { .from = 1000, .to = 2000, .iterations = 50, .step = 1, .cycles = 20, .op = 9 },
                                   { .from = 2000, .to = 4000, .iterations = 300, .step = 3, .cycles = 20, .op = 9 } };
  TsTimelineView view;
  guint lanes = 0;

  sample->input.makespan = 5000;
  sample->input.fills = fills;
  sample->input.n_fills = 2;
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);
  ts_timeline_view_init (&view);
  view.from = 500;
  view.to = 1900; /* the first of them */
  g_autoptr (TsScene) one = draw (timeline, &view, TS_THEME_LIGHT);
  view.from = view.to = 0;
  g_autoptr (TsScene) both = draw (timeline, &view, TS_THEME_DARK);
  for (guint i = 0; i < one->n_marks; i++)
    lanes += one->marks[i].link.kind == TS_LINK_FILL && one->marks[i].link.lane >= 0;
  g_assert_cmpuint (lanes, ==, 3); /* load, exp, store: scalar and cube are idle */

  const TsMark *mark = ts_scene_find (one, TS_LINK_FILL, 9, -1);
  g_assert_nonnull (mark);
  g_autofree char *words = ts_timeline_describe (timeline, &mark->link);
  g_assert_true (g_str_has_prefix (words, "× 50 iterations, every 20 cycles, filled in by period\n"));
  g_autofree char *dump = ts_scene_dump (one), *dump_both = ts_scene_dump (both);
  g_assert_nonnull (strstr (dump, "\"× 50 iterations\""));
  g_assert_nonnull (strstr (dump, "\"every 20 cycles, filled in by period\""));
  /* Two that touch are one box; they keep no common pace. */
  g_assert_nonnull (strstr (dump_both, "\"× 350 iterations\""));
  g_assert_nonnull (strstr (dump_both, "\"filled in by period\""));
  sample_free (sample);
}

/* No bar lies on the box that stands for what was left out, however far ahead of the work instructions are dispatched. */
static void
test_fill_edges (void)
{
#define TILE "pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec]"
  static const char text[]
      = "# pypto.program: K\nimport pypto.language as pl\n\n@pl.program\nclass K:\n"
        "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
        "    def main(x: pl.Tensor[[4096, 128], pl.FP32], z: pl.Out[pl.Tensor[[4096, 128], pl.FP32]]):\n"
        "        for i in pl.range(0, 1000, 1):\n"
        "            t: " TILE " = pl.tile.load(x, [i, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
        "            u: " TILE " = pl.tile.add(t, t)\n            s: pl.Tensor[[4096, 128], pl.FP32] = pl.tile.store(u, [i, 0], "
            "z)\n";
  static const char *const settings[] = { "queue-depth=0", "queue-depth=8", "mte2.in-flight=3" };

  for (guint k = 0; k < G_N_ELEMENTS (settings); k++)
    {
      const char *overrides[] = { settings[k], NULL };
      g_autoptr (TsStrings) strings = ts_strings_new ();
      g_autoptr (TsSource) source = ts_source_new_text ("k.py", text);
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      TsPyptoOptions mode = { .mode = TS_PYPTO_DUMP };
      g_autoptr (TsModule) module = ts_pypto_parse (source, strings, &mode, diags);
      g_autoptr (TsMachine) machine = ts_machine_load ("teaching", overrides, NULL);
      TsSimOptions options = { .fill = TS_SIM_FILL_ALWAYS };
      g_autoptr (TsSimulation) s = ts_simulate (module, ts_module_find_function (module, "main"), machine, &options, NULL, NULL);
      g_autoptr (TsTimeline) timeline = ts_timeline_from_simulation (s, "k", "", NULL, NULL, NULL, NULL);
      TsTimelineView view;
      ts_timeline_view_init (&view);
      g_autoptr (TsScene) scene = draw (timeline, &view, TS_THEME_LIGHT);
      const TsMark *box = NULL;
      for (guint i = 0; i < scene->n_marks; i++)
        box = scene->marks[i].link.kind == TS_LINK_FILL ? &scene->marks[i] : box;
      g_assert_nonnull (box);
      for (guint i = 0; i < s->stream->n_instructions; i++)
        g_assert_true (s->schedule->end[i] <= box->link.from || s->schedule->start[i] >= box->link.to);
    }
#undef TILE
}

static void
test_describe (void)
{
  Sample *sample = sample_pingpong (6);
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);
  TsLink gap = { TS_LINK_GAP, TS_CAUSE_RAW, 4, 4, 3, 2, 0, 0, 288 }, lane = { TS_LINK_LANE, 0, 3, -1, -1, -1, 0, 0, 0 };
  g_autofree char *words = ts_timeline_describe (timeline, &gap), *lane_words = ts_timeline_describe (timeline, &lane);

  g_assert_cmpstr (words, ==,
                   "MTE3 idle 0–288 (288 cycles) before store: waits for data, on exp y_0 s0·i0 through mem_vec_3");
  g_assert_cmpstr (lane_words, ==, "vector (V), 6 operations, busy 1080 of 1512 cycles");
  sample_free (sample);
}

/* No text leaves the room it was given, none leaves the picture, and bars of different events never overlap. */
static void
check_scene (const TsScene *scene)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();

  for (guint i = 0; i < scene->n_prims; i++)
    {
      const TsPrim *prim = &scene->prims[i];
      double x, y, w, h;

      if (prim->kind != TS_PRIM_TEXT)
        continue;
      g_assert_cmpfloat (fabs (ts_measure (measurer, prim->text, prim->size, prim->weight) - prim->w), <, 0.01);
      if (prim->h > 0)
        g_assert_cmpfloat (prim->w, <=, prim->h + 0.01);
      ts_prim_box (prim, &x, &y, &w, &h);
      g_assert_cmpfloat (x, >=, -1);
      g_assert_cmpfloat (x + w, <=, scene->width + 1);
      g_assert_cmpfloat (y + h, <=, scene->height + 3);
      g_assert_true (g_utf8_validate (prim->text, -1, NULL));
    }
}

static void
check_no_overlap (const TsScene *scene)
{
  double last_right[200];

  for (guint i = 0; i < G_N_ELEMENTS (last_right); i++)
    last_right[i] = -1e9;
  for (guint i = 0; i < scene->n_prims; i++)
    {
      const TsPrim *prim = &scene->prims[i];
      guint row = (guint) (prim->y / 4);

      if (prim->kind != TS_PRIM_RECT || scene->marks[prim->mark].link.kind != TS_LINK_EVENT || row >= G_N_ELEMENTS (last_right))
        continue;
      /* Bars of a row come in order of time; a bar shorter than a pixel may cover its neighbour by that pixel. */
      g_assert_cmpfloat (prim->x + 1.01, >=, last_right[row]);
      last_right[row] = prim->x + prim->w;
    }
}

static void
test_fits (void)
{
  Sample *samples[] = { sample_pingpong (6), sample_large (5000), sample_odd () };
  static const double WIDTHS[] = { 240, 560, 1180, 2400 }, HEIGHTS[] = { 0, 180, 300, 900 };

  for (guint s = 0; s < G_N_ELEMENTS (samples); s++)
    {
      g_autoptr (TsTimeline) timeline = ts_timeline_new (&samples[s]->input, NULL);

      for (guint k = 0; k < G_N_ELEMENTS (WIDTHS) * G_N_ELEMENTS (HEIGHTS); k++)
        {
          TsTimelineView view;
          g_autoptr (TsScene) scene = NULL;

          ts_timeline_view_init (&view);
          view.width = WIDTHS[k % G_N_ELEMENTS (WIDTHS)];
          view.height = HEIGHTS[k / G_N_ELEMENTS (WIDTHS)];
          view.caption = "A caption that says what this picture is meant to show to whoever reads it";
          view.text_scale = k % 3 == 0 ? 1.5 : 1;
          view.from = k % 2 == 0 ? 0 : samples[s]->input.makespan / 3;
          view.to = k % 2 == 0 ? 0 : samples[s]->input.makespan / 3 + 500;
          scene = draw (timeline, &view, (TsThemeId) (k % TS_N_THEMES));
          if (view.text_scale <= 1)
            check_scene (scene);
          check_no_overlap (scene);
        }
      sample_free (samples[s]);
    }
}

/* However many events and whatever the zoom: a few thousand primitives, and nothing that happens within the range is left undrawn.
 */
static void
test_bounds (void)
{
  Sample *sample = sample_large (200000);
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);

  for (gint64 span = sample->input.makespan; span > 100; span /= 3)
    {
      TsTimelineView view;
      g_autoptr (TsScene) scene = NULL;
      guint drawn = 0, within = 0;
      gint64 from = (sample->input.makespan - span) / 2;

      ts_timeline_view_init (&view);
      view.parts = TS_TIMELINE_WINDOW;
      view.width = 1600;
      view.from = from;
      view.to = from + span;
      scene = draw (timeline, &view, TS_THEME_LIGHT);
      g_assert_cmpuint (scene->n_prims, <=, 16000);
      for (guint i = 1; i < scene->n_marks; i++)
        {
          const TsLink *link = &scene->marks[i].link;

          if (link->kind == TS_LINK_EVENT)
            drawn++;
          else if (link->kind == TS_LINK_DENSE)
            drawn += (guint) link->count;
        }
      for (guint i = 0; i < sample->input.n_events; i++)
        within += sample->input.events[i].end > from && sample->input.events[i].start < from + span;
      g_assert_cmpuint (drawn, ==, within);
    }
  sample_free (sample);
}

/* Far out in time the picture is the same as at the start: no rounding of cycles. */
static void
test_far_cycles (void)
{
  const gint64 far = G_GINT64_CONSTANT (1) << 40;
  Sample *sample = sample_pingpong (6);
  g_autoptr (TsTimeline) near_timeline = ts_timeline_new (&sample->input, NULL), far_timeline = NULL;
  g_autoptr (TsScene) a = NULL, b = NULL;
  TsTimelineView view;
  g_autofree char *first = NULL, *second = NULL;

  ts_timeline_view_init (&view);
  view.parts = TS_TIMELINE_LANES;
  view.from = 0;
  view.to = 1512;
  a = draw (near_timeline, &view, TS_THEME_LIGHT);
  for (guint i = 0; i < sample->events->len; i++)
    {
      TsTimelineEvent *event = &g_array_index (sample->events, TsTimelineEvent, i);

      event->start += far;
      event->end += far;
      event->idle_from += far;
    }
  sample->input.makespan += far;
  far_timeline = ts_timeline_new (&sample->input, NULL);
  view.from = far;
  view.to = far + 1512;
  b = draw (far_timeline, &view, TS_THEME_LIGHT);
  first = ts_scene_dump (a);
  second = ts_scene_dump (b);
  g_assert_cmpstr (first, ==, second);
  sample_free (sample);
}

/* Labels of the ruler are all different and do not touch, at every zoom. */
static void
test_ruler (void)
{
  Sample *sample = sample_large (2000);
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&sample->input, NULL);

  for (gint64 span = sample->input.makespan; span > 0; span /= 2)
    {
      TsTimelineView view;
      g_autoptr (TsScene) scene = NULL;
      g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
      double last = -1e9;

      ts_timeline_view_init (&view);
      view.parts = TS_TIMELINE_RULER;
      view.from = 12345;
      view.to = 12345 + span;
      scene = draw (timeline, &view, TS_THEME_LIGHT);
      for (guint i = 0; i < scene->n_prims; i++)
        if (scene->prims[i].kind == TS_PRIM_TEXT && scene->prims[i].anchor == TS_ANCHOR_MIDDLE)
          {
            double x, y, w, h;

            g_assert_true (g_hash_table_add (seen, (gpointer) scene->prims[i].text));
            ts_prim_box (&scene->prims[i], &x, &y, &w, &h);
            g_assert_cmpfloat (x, >, last);
            last = x + w;
          }
      g_assert_cmpuint (g_hash_table_size (seen), >=, 1);
    }
  sample_free (sample);
}

static void
test_golden (void)
{
  Sample *pingpong = sample_pingpong (6), *odd = sample_odd ();
  g_autoptr (TsTimeline) timeline = ts_timeline_new (&pingpong->input, NULL), strange = ts_timeline_new (&odd->input, NULL);
  g_autoptr (TsScene) scene = NULL, selected = NULL, hostile = NULL;
  g_autofree char *dump = NULL, *selected_dump = NULL;
  g_autoptr (GString) svg = g_string_new (NULL);
  TsTimelineView view;

  ts_timeline_view_init (&view);
  scene = draw (timeline, &view, TS_THEME_LIGHT);
  dump = ts_scene_dump (scene);
  assert_golden ("timeline-pingpong.txt", dump);
  view.parts = TS_TIMELINE_OVERLAY | TS_TIMELINE_LANES;
  view.selected_event = 8;
  view.selected_op = 2;
  view.critical_path = TRUE;
  view.cursor = 640;
  view.range_from = 576;
  view.range_to = 756;
  selected = draw (timeline, &view, TS_THEME_DARK);
  selected_dump = ts_scene_dump (selected);
  assert_golden ("timeline-selection.txt", selected_dump);
  ts_timeline_view_init (&view);
  hostile = draw (strange, &view, TS_THEME_PRINT);
  ts_svg_append (hostile, NULL, svg);
  g_assert_null (strstr (svg->str, "<script"));
  assert_golden ("timeline-odd.svg", svg->str);
  sample_free (pingpong);
  sample_free (odd);
}

static void
test_wait_looks (void)
{
  g_autoptr (GHashTable) letters = g_hash_table_new (g_str_hash, g_str_equal), hatches = g_hash_table_new (NULL, NULL);

  for (guint cause = 0; cause < TS_CAUSE_NONE; cause++)
    {
      const TsWaitLook *look = ts_wait_look ((TsCause) cause);

      g_assert_cmpuint (strlen (look->letter), ==, 1);
      g_assert_true (g_hash_table_add (letters, (gpointer) look->letter));
      g_assert_true (g_hash_table_add (hatches, GUINT_TO_POINTER (look->hatch + 1)));
      g_assert_cmpstr (look->words, !=, "");
    }
}

static void
test_cancel (void)
{
  Sample *sample = sample_pingpong (6);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_cancellable_cancel (cancellable);
  g_assert_null (ts_timeline_new (&sample->input, cancellable));
  sample_free (sample);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/timeline/queries", test_queries);
  g_test_add_func ("/render/timeline/neighbours", test_neighbours);
  g_test_add_func ("/render/timeline/hits", test_hits);
  g_test_add_func ("/render/timeline/describe", test_describe);
  g_test_add_func ("/render/timeline/fits", test_fits);
  g_test_add_func ("/render/timeline/bounds", test_bounds);
  g_test_add_func ("/render/timeline/far-cycles", test_far_cycles);
  g_test_add_func ("/render/timeline/ruler", test_ruler);
  g_test_add_func ("/render/timeline/golden", test_golden);
  g_test_add_func ("/render/timeline/wait-looks", test_wait_looks);
  g_test_add_func ("/render/timeline/cancel", test_cancel);
  g_test_add_func ("/render/timeline/fills", test_fills);
  g_test_add_func ("/render/timeline/fill-edges", test_fill_edges);
  return g_test_run ();
}
