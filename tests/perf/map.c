/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map of 10,000 tiles: a kernel of pipelined loops through the passes, its facts, and its scenes and overlays from the
 * whole to the closest zoom. Budgets, after those of the timeline in design.md section 9: facts 20 ms, a scene 4 ms, an SVG of the
 * whole 100 ms. Prints figures; fails when a budget is missed and TS_PERF_STRICT is set.
 *
 *   bench-map [--brief]   brief: 1,000 tiles */
#include <stdlib.h>
#include <string.h>

#include "cpu-time.h"
#include "draw/memory-map.h"
#include "draw/svg.h"
#include "lang/pypto/pypto.h"
#include "passes/pipeline.h"

#define BUDGET_FACTS 20.0
#define BUDGET_SCENE 4.0
#define BUDGET_SVG 100.0
#define STAGES 4u
#define ROUNDS 5u /* per loop, of four tiles each */

#define TENSOR "pl.Tensor[[4096, 64], pl.FP32]"
#define TILE "pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec]"

static void
add_loop (GString *text, guint loop)
{
  g_string_append_printf (text, "        for i%u, (c%u_0,) in pl.pipeline(0, 64, 1, stage=%u, init_values=(r%u,)):\n", loop, loop,
                          STAGES, loop);
  for (guint k = 0; k < ROUNDS; k++)
    g_string_append_printf (text,
                            "            a%u_%u: " TILE " = pl.tile.load(x, [i%u * 32, 0], [32, 64], [32, 64], "
                            "target_memory=pl.Mem.Vec)\n"
                            "            b%u_%u: " TILE " = pl.tile.load(x, [i%u * 32, 0], [32, 64], [32, 64], "
                            "target_memory=pl.Mem.Vec)\n"
                            "            d%u_%u: " TILE " = pl.tile.add(a%u_%u, b%u_%u)\n"
                            "            e%u_%u: " TILE " = pl.tile.recip(d%u_%u)\n"
                            "            c%u_%u: " TENSOR " = pl.tile.store(e%u_%u, [i%u * 32, 0], c%u_%u)\n",
                            loop, k, loop, loop, k, loop, loop, k, loop, k, loop, k, loop, k, loop, k, loop, k + 1, loop, k, loop,
                            loop, k);
  g_string_append_printf (text, "            r%u: " TENSOR " = pl.yield_(c%u_%u)\n", loop + 1, loop, ROUNDS);
}

static TsModule *
make_kernel (guint tiles)
{
  g_autoptr (GString) text = g_string_new ("# pypto.program: Bench\nimport pypto.language as pl\n\n@pl.program\nclass Bench:\n"
                                           "    @pl.function(type=pl.FunctionType.InCore)\n"
                                           "    def main(x: " TENSOR ", r0: pl.Out[" TENSOR "]) -> " TENSOR ":\n");
  guint loops = MAX (tiles / (4 * ROUNDS * STAGES), 1);
  for (guint loop = 0; loop < loops; loop++)
    add_loop (text, loop);
  g_string_append_printf (text, "        return r%u\n", loops);
  g_autoptr (TsSource) source = ts_source_new_text ("bench.py", text->str);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };
  TsModule *module = ts_pypto_parse (source, strings, &options, diags);
  if (module == NULL || ts_diag_list_has_errors (diags))
    g_error ("the kernel cannot be read");
  return module;
}

/* The snapshots of all passes up to the addresses; memory enough for all stages to keep apart. */
static GPtrArray *
run_passes (guint tiles, TsPlanner planner)
{
  static const char *const large[] = { "memory.vec=1000000000", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", large, &error);
  TsPipelineOptions options = { .machine = machine, .planner = planner, .verify = TS_VERIFY_NONE };
  g_autoptr (GArray) plan = ts_pass_plan_parse (planner == TS_PLANNER_DSA_RP
                                                  ? "LowerPipelineLoops,CanonicalizeIOOrder,InitMemRef,AllocateMemoryAddr"
                                                  : "LowerPipelineLoops,CanonicalizeIOOrder,InitMemRef,MemoryReuse,"
                                                    "AllocateMemoryAddr",
                                                TS_LANGUAGE_PYPTO, planner, &error);
  if (machine == NULL || plan == NULL)
    g_error ("%s", error->message);
  return ts_pipeline_run (make_kernel (tiles), plan, &options);
}

/* One scene with its overlay, the best of nine. */
static double
draw (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, TsScene *scene, guint *most)
{
  double best = G_MAXDOUBLE;
  for (guint k = 0; k < 9; k++)
    {
      double start = cpu_ms ();
      ts_map_scene (input, view, ts_theme (TS_THEME_LIGHT), measurer, scene);
      *most = MAX (*most, scene->n_prims);
      ts_map_overlay (input, view, ts_theme (TS_THEME_LIGHT), measurer, scene);
      best = MIN (best, cpu_ms () - start);
    }
  return best;
}

/* From all of it to the closest zoom, around the middle; the slowest picture counts. */
static gboolean
zoom_through (const TsMapInput *input)
{
  const TsMapHighlight highlight = { TS_MAP_DEFINED, FALSE, input->facts->n_tiles / 2 };
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_pango (NULL);
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  double worst = 0, most_x, most_y;
  guint most = 0;
  TsMapView view;
  ts_map_view_init (&view);
  view.width = 1600;
  view.height = 900;
  view.titles = FALSE; /* as the window has it */
  view.highlights = &highlight;
  view.n_highlights = 1;
  ts_map_most_zoom (input, &view, measurer, &most_x, &most_y);
  for (double zoom = 1; zoom <= MAX (most_x, most_y); zoom *= 1.5)
    {
      view.zoom_x = MIN (zoom, most_x);
      view.zoom_y = MIN (zoom, most_y);
      view.left = (1 - 1 / view.zoom_x) / 2;
      view.top = (1 - 1 / view.zoom_y) / 2;
      worst = MAX (worst, draw (input, &view, measurer, scene, &most));
    }
  g_print ("  slowest scene with overlay %.2f ms, at most %u primitives\n", worst, most);
  return worst < BUDGET_SCENE;
}

static gboolean
write_svg (const TsMapInput *input)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_pango (NULL);
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  g_autoptr (GString) out = g_string_new (NULL);
  TsMapView view;
  double start = cpu_ms ();
  ts_map_view_init (&view);
  view.width = 1600;
  view.titles = TRUE;
  ts_map_scene (input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  ts_svg_append (scene, NULL, out);
  double elapsed = cpu_ms () - start;
  g_print ("  SVG of the whole %.1f ms, %.1f MB\n", elapsed, (double) out->len / 1e6);
  return elapsed < BUDGET_SVG;
}

static gboolean
run_planner (guint tiles, TsPlanner planner)
{
  g_autoptr (GPtrArray) snapshots = run_passes (tiles, planner);
  const TsPassSnapshot *last = snapshots->pdata[snapshots->len - 1];
  if (last->module == NULL)
    g_error ("a pass failed");
  double best = G_MAXDOUBLE;
  TsMemoryFacts *facts = NULL;
  for (guint k = 0; k < 5; k++)
    {
      ts_memory_facts_free (facts);
      double start = cpu_ms ();
      facts = ts_memory_facts_new (last->module, last->module->functions[0], NULL);
      best = MIN (best, cpu_ms () - start);
    }
  TsMapInput input = { .facts = facts, .title = "large", .subtitle = ts_planner_name (planner) };
  g_print ("%s, %u tiles in %u buffers: facts %.2f ms\n", ts_planner_name (planner), facts->n_tiles, facts->n_buffers, best);
  gboolean good = best < BUDGET_FACTS;
  good &= zoom_through (&input);
  good &= write_svg (&input);
  ts_memory_facts_free (facts);
  return good;
}

int
main (int argc, char **argv)
{
  int status = bench_usage (argc, argv, "--brief", "bench-map [--brief]");
  if (status >= 0)
    return status;
  guint tiles = argc > 1 && strcmp (argv[1], "--brief") == 0 ? 1000 : 10000;
  gboolean good = run_planner (tiles, TS_PLANNER_PYPTO);
  good &= run_planner (tiles, TS_PLANNER_DSA_RP);
  g_print ("budget: facts %.0f ms, scene %.0f ms, SVG %.0f ms: %s\n", BUDGET_FACTS, BUDGET_SCENE, BUDGET_SVG,
           good ? "kept" : "EXCEEDED");
  return good || g_getenv ("TS_PERF_STRICT") == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
