/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the memory passes take, InitMemRef to AllocateMemoryAddr, on chains and on replicated loop bodies of 1,000 to 100,000
 * tiles, under the planners pypto and dsa-rp.
 *
 *   bench-memory                         the table, and whether the budget holds (exit status 1 when it does not)
 *   bench-memory PLANNER SHAPE [TILES]   some rows; shapes are the names in the table
 *
 * Times are processor time of this thread, the best of several runs: other load on the machine only adds to them. Large kernels are
 * run again only when they break the budget. */
#include <string.h>

#include "cpu-time.h"
#include "ir/memory-facts.h"
#include "lang/pypto/pypto.h"
#include "passes/pipeline.h"

#define BUDGET_MS 150.0
/* How much dearer a tile of 100,000 may be than one of 1,000, in time. The logarithms' ratio is 1.7 and instructions per tile grow
 * by 1.2 (callgrind), but 100,000 tiles lie far beyond the caches: up to 4.5 was measured. n^1.5 would give 10. */
#define BUDGET_GROWTH 6.0

typedef struct
{
  const char *name;
  guint       stages; /* 0: straight-line code */
  gboolean    sizes;  /* also tiles of half the size: reuse across sizes */
  gboolean    distinct; /* no two tiles of a chain, no two rounds of a pipeline are of one size */
  gboolean    loops;  /* many short pipelines instead of one long one */
  guint       rounds; /* in each of these; 0: five */
  gboolean    fits;   /* on a core with room for everything: stages stay apart; otherwise a 910B */
  gboolean    bare;   /* addresses without a backend: nobody knows which pipe waits for which */
  const char *room;   /* dsa-rp: so little that pipes have to wait for each other; NULL: without limit */
} Shape;

static const Shape shapes[] = {
  { "chain" },
  { "distinct", .distinct = TRUE },
  { "distinct4", .stages = 4, .distinct = TRUE },
  { "stage2", .stages = 2 },
  { "stage4", .stages = 4 },
  { "stage8", .stages = 8 },
  { "sizes4", .stages = 4, .sizes = TRUE },
  { "loops4", .stages = 4, .loops = TRUE },
  { "distinctloops4", .stages = 4, .distinct = TRUE, .loops = TRUE },
  { "distinctlong4", .stages = 4, .distinct = TRUE, .loops = TRUE, .rounds = 50 },
  { "fits4", .stages = 4, .sizes = TRUE, .fits = TRUE },
  { "fits8", .stages = 8, .fits = TRUE },
  { "fitsloops4", .stages = 4, .sizes = TRUE, .loops = TRUE, .fits = TRUE },
  { "bare4", .stages = 4, .sizes = TRUE, .bare = TRUE },
  { "bareloops4", .stages = 4, .sizes = TRUE, .loops = TRUE, .bare = TRUE },
  { "tight", .room = "memory.vec=20000" },
  { "tightloops4", .stages = 4, .loops = TRUE, .room = "memory.vec=400000" },
};

#define TENSOR "pl.Tensor[[4096, 64], pl.FP32]"
#define TILE "pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec]"
#define HALF "pl.Tile[[32, 64], pl.FP16, pl.Mem.Vec]"

/* The type of tile number k of n: of one size, or each of its own, in no order. What is read is printed IR, whose operations are
 * taken at their word. */
static char *
tile_type (const Shape *shape, guint k, guint n)
{
  return shape->distinct ? g_strdup_printf ("pl.Tile[[1, %" G_GUINT64_FORMAT "], pl.FP32, pl.Mem.Vec]",
                                            8 * (((guint64) k * 7919) % n + 1))
                         : g_strdup (TILE);
}

static void
chain_text (GString *text, const Shape *shape, guint n)
{
  for (guint k = 0; k < n; k++)
    {
      g_autofree char *type = tile_type (shape, k, n);
      if (k == 0)
        g_string_append_printf (text, "        t0: %s = pl.tile.load(x, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)\n",
                                type);
      else
        g_string_append_printf (text, "        t%u: %s = pl.tile.%s(t%u)\n", k, type, k % 3 == 0 ? "recip" : "exp", k - 1);
    }
  g_string_append_printf (text, "        r: " TENSOR " = pl.tile.store(t%u, [0, 0], y)\n        return r\n", n - 1);
}

/* Rounds of four tiles (five with the half-sized one) in pipelined loops of `per_loop` rounds. */
static void
loops_text (GString *text, const Shape *shape, guint rounds, guint per_loop)
{
  const char *carried = "y";
  g_autofree char *owned = NULL;
  for (guint k = 0, loop = 0; k < rounds; loop++)
    {
      g_string_append_printf (text, "        for i%u, (c%u_0,) in pl.pipeline(0, 64, 1, stage=%u, init_values=(%s,)):\n", loop,
                              loop, shape->stages, carried);
      guint in_loop = 0;
      for (; in_loop < per_loop && k < rounds; in_loop++, k++)
        {
          g_autofree char *type = tile_type (shape, k, rounds);
          g_string_append_printf (text, "            a%u: %s = pl.tile.load(x, [i%u * 32, 0], [32, 64], [32, 64], "
                                  "target_memory=pl.Mem.Vec)\n", k, type, loop);
          g_string_append_printf (text, "            b%u: %s = pl.tile.load(x, [i%u * 32 + %u, 0], [32, 64], [32, 64], "
                                  "target_memory=pl.Mem.Vec)\n", k, type, loop, k);
          g_string_append_printf (text, "            d%u: %s = pl.tile.add(a%u, b%u)\n", k, type, k, k);
          g_string_append_printf (text, "            e%u: %s = pl.tile.recip(d%u)\n", k, type, k);
          if (shape->sizes)
            g_string_append_printf (text, "            h%u: " HALF " = pl.tile.cast(e%u, target_type=pl.FP16, mode='round')\n"
                                    "            g%u: " TILE " = pl.tile.cast(h%u, target_type=pl.FP32, mode='round')\n",
                                    k, k, k, k);
          g_string_append_printf (text, "            c%u_%u: " TENSOR " = pl.tile.store(%c%u, [i%u * 32, 0], c%u_%u)\n", loop,
                                  in_loop + 1, shape->sizes ? 'g' : 'e', k, loop, loop, in_loop);
        }
      g_string_append_printf (text, "            r%u: " TENSOR " = pl.yield_(c%u_%u)\n", loop, loop, in_loop);
      g_free (owned);
      carried = owned = g_strdup_printf ("r%u", loop);
    }
  g_string_append_printf (text, "        return %s\n", carried);
}

static TsModule *
make_kernel (const Shape *shape, guint tiles)
{
  g_autoptr (GString) text = g_string_new ("# pypto.program: Bench\nimport pypto.language as pl\n\n@pl.program\nclass Bench:\n"
                                           "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, "
                                           "role=pl.Role.SubWorker)\n"
                                           "    def main(x: " TENSOR ", y: pl.Out[" TENSOR "]) -> " TENSOR ":\n");
  if (shape->stages == 0)
    chain_text (text, shape, tiles);
  else
    {
      guint rounds = MAX (tiles / ((shape->sizes ? 6 : 4) * shape->stages), 1);
      loops_text (text, shape, rounds, !shape->loops ? rounds : shape->rounds > 0 ? shape->rounds : 5);
    }
  g_autoptr (TsSource) source = ts_source_new_text ("bench.py", text->str);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };
  TsModule *module = ts_pypto_parse (source, strings, &options, diags);
  if (module == NULL || ts_diag_list_has_errors (diags))
    g_error ("the kernel cannot be read");
  return module;
}

static double
run_pass (TsModule *module, const char *name, const TsMachine *machine, TsPlanner planner)
{
  const TsPassInfo *pass = ts_pass_find (name);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPassContext context = { .pass_name = pass->name, .machine = machine, .planner = planner, .diags = diags };
  if ((pass->planners & 1u << planner) == 0)
    return 0;
  double start = cpu_ms ();
  if (pass->run (&context, module) == TS_PASS_FAILED)
    g_error ("%s failed", name);
  return cpu_ms () - start;
}

static const TsPlanner planners[] = { TS_PLANNER_PYPTO, TS_PLANNER_DSA_RP };

#define ALL_PLANNERS (~0u)

static const char *const passes[] = { "init-mem-ref", "materialize-semantic-aliases", "memory-reuse", "allocate-memory-addr" };

typedef struct
{
  double each[G_N_ELEMENTS (passes)], together; /* milliseconds */
  double facts;                                 /* memory facts of the result; not part of the budget */
} Times;

/* How often a row is run: `least` times, up to `most` times when it breaks the budget. */
typedef struct
{
  guint tiles, least, most;
} Size;

static const Size sizes[] = { { 1000, 7, 7 }, { 10000, 3, 7 }, { 100000, 1, 3 } };

static Times
run_passes (const TsModule *kernel, const TsMachine *gated, const TsMachine *open, TsPlanner planner)
{
  Times times = { .together = 0 };
  g_autoptr (TsModule) module = ts_module_clone (kernel);
  for (guint p = 0; p < G_N_ELEMENTS (passes); p++)
    times.together += times.each[p] = run_pass (module, passes[p], p == 3 ? open : gated, planner);
  double start = cpu_ms ();
  ts_memory_facts_free (ts_memory_facts_new (module, module->functions[0], NULL));
  times.facts = cpu_ms () - start;
  return times;
}

/* The best of the runs of a kernel as it is read; `budget` is in milliseconds. */
static Times
measure (const TsModule *text, const Shape *shape, const Size *size, TsPlanner planner, double budget)
{
  /* Unlimited memory for the last pass, which would refuse these kernels. */
  const char *room = planner == TS_PLANNER_DSA_RP && shape->room != NULL ? shape->room : "memory.vec=0";
  const char *const unlimited[] = { room, shape->bare ? "core.backend=none" : NULL, NULL };
  static const char *const large[] = { "memory.vec=1000000000000", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) gated = ts_machine_load ("ascend910b", shape->fits ? large : NULL, &error);
  g_autoptr (TsMachine) open = ts_machine_load ("ascend910b", unlimited, &error);
  if (gated == NULL || open == NULL)
    g_error ("%s", error->message);
  Times best = { .together = G_MAXDOUBLE };
  g_autoptr (TsModule) kernel = ts_module_clone (text);
  if (shape->stages > 0)
    {
      run_pass (kernel, "lower-pipeline-loops", gated, planner);
      run_pass (kernel, "canonicalize-io-order", gated, planner);
    }
  for (guint i = 0; i < size->least || (i < size->most && best.together > budget); i++)
    {
      Times times = run_passes (kernel, gated, open, planner);
      if (times.together < best.together)
        best = times;
    }
  return best;
}

static void
print_row (const Shape *shape, guint tiles, TsPlanner planner, const Times *times)
{
  g_print ("%-7s  %-14s  %7u  %10.3f  %8.3f  %11.3f  %9.3f  %11.3f  %11.1f  %8.3f\n", ts_planner_name (planner), shape->name, tiles,
           times->each[0], times->each[1], times->each[2], times->each[3], times->together, times->together * 1e6 / tiles,
           times->facts);
}

/* Milliseconds within which the budget holds, given the time of a tile of the smallest size. */
static double
budget_of (guint tiles, double first)
{
  if (tiles == 10000)
    return BUDGET_MS;
  return first > 0 ? BUDGET_GROWTH * first * tiles : G_MAXDOUBLE;
}

/* One shape of one size, under the planners asked for (bits by number in the table). `first` holds what a tile took at the smallest
 * size, per planner; it is set there. FALSE when a row breaks the budget. */
static gboolean
run_size (const Shape *shape, const Size *size, guint asked, double *first)
{
  gboolean good = TRUE;
  g_autoptr (TsModule) text = make_kernel (shape, size->tiles);
  for (guint p = 0; p < G_N_ELEMENTS (planners); p++)
    {
      if ((asked >> p & 1) == 0)
        continue;
      double budget = budget_of (size->tiles, first[p]);
      Times times = measure (text, shape, size, planners[p], budget);
      print_row (shape, size->tiles, planners[p], &times);
      good = good && times.together <= budget;
      if (first[p] <= 0)
        first[p] = times.together / size->tiles;
    }
  return good;
}

/* One shape at every size, or at the one asked for (not 0); FALSE when it breaks the budget. */
static gboolean
run_shape (const Shape *shape, guint asked, guint only_tiles)
{
  double first[G_N_ELEMENTS (planners)] = { 0 };
  gboolean good = TRUE;
  if (only_tiles != 0)
    return run_size (shape, &(Size) { only_tiles, only_tiles <= 10000 ? 7 : 3, 0 }, asked, first);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    good = run_size (shape, &sizes[i], asked, first) && good;
  return good;
}

static char *
usage (void)
{
  GString *text = g_string_new ("bench-memory [PLANNER SHAPE [TILES]]\n\nplanners: pypto, dsa-rp\nshapes:");
  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    g_string_append_printf (text, " %s", shapes[s].name);
  return g_string_free (text, FALSE);
}

/* The rows that the arguments select (all of them without any); FALSE when there are none. */
static gboolean
run_selected (int argc, char **argv, guint tiles, gboolean *good)
{
  gboolean any = FALSE, all = argc < 3;
  guint asked = all ? ALL_PLANNERS : 0;
  for (guint p = 0; !all && p < G_N_ELEMENTS (planners); p++)
    asked |= (guint) (strcmp (argv[1], ts_planner_name (planners[p])) == 0) << p;
  for (guint s = 0; s < G_N_ELEMENTS (shapes) && asked != 0; s++)
    if (all || strcmp (argv[2], shapes[s].name) == 0)
      {
        if (!any)
          g_print ("planner  shape             tiles  InitMemRef   aliases  MemoryReuse  addresses  together ms  ns per tile"
                   "  facts ms\n");
        *good = run_shape (&shapes[s], asked, tiles) && *good;
        any = TRUE;
      }
  return any;
}

int
main (int argc, char **argv)
{
  g_autofree char *text = usage ();
  gboolean good = TRUE;
  guint64 tiles = 0;
  int status = bench_usage (argc, argv, NULL, text);
  if (status >= 0)
    return status;
  if (argc == 2 || argc > 4 || (argc == 4 && !g_ascii_string_to_unsigned (argv[3], 10, 1, 10000000, &tiles, NULL))
      || !run_selected (argc, argv, (guint) tiles, &good))
    {
      g_printerr ("no such planner, shape or number of tiles\nusage: %s\n", text);
      return 2;
    }
  g_print ("budget: 10,000 tiles in %.0f ms, a tile of 100,000 at most %.1f times one of 1,000: %s\n", BUDGET_MS, BUDGET_GROWTH,
           good ? "kept" : "EXCEEDED");
  return good ? 0 : 1;
}
