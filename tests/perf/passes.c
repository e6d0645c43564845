/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long LowerPipelineLoops and CanonicalizeIOOrder take for bodies of 100 to 100,000 statements and 2 to 8 stages.
 *
 *   bench-passes            the table, and whether the budget of the issue holds (exit status 1 when it does not)
 *   bench-passes N STAGES   one size, for a profiler
 *
 * Times are those of the processor (user and system), the best of several runs: other load on the machine only adds to them. The
 * sizes take turns, so that a busy moment meets all of them, and the small ones run more often, so that all run about as long. */
#include <glib.h>
#include <stdlib.h>

#include "cpu-time.h"
#include "lang/pypto/pypto.h"
#include "passes/pipeline.h"

/* 10,000 statements at stage 4; and how much dearer one statement of 100,000 may be than one of 1,000. */
#define BUDGET_MS 30.0
#define BUDGET_GROWTH 1.5

static const guint sizes[] = { 100, 1000, 10000, 100000 };
enum { AT_1000 = 1, AT_10000 = 2, AT_100000 = 3, N_SIZES = 4, ROUNDS = 7 };

/* A body of `n` statements in rounds of six: an offset, two loads, two vector operations, a store that carries the tensor on. */
static char *
kernel_text (guint n, guint stages)
{
  GString *text = g_string_new ("# pypto.program: Bench\n"
                                "import pypto.language as pl\n\n"
                                "@pl.program\n"
                                "class Bench:\n"
                                "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
                                "    def main(x: pl.Tensor[[4096, 64], pl.FP32], y: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> "
                                "pl.Tensor[[4096, 64], pl.FP32]:\n");
  g_string_append_printf (text, "        for i, (c0,) in pl.pipeline(0, 64, 1, stage=%u, init_values=(y,)):\n", stages);
#define TILE "pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec]"
#define LINE "            "
  guint rounds = MAX (n / 6, 1);
  for (guint k = 0; k < rounds; k++)
    {
      g_string_append_printf (text, LINE "o%u: pl.Scalar[pl.INDEX] = i * 32 + %u\n", k, k * 32);
      g_string_append_printf (
          text, LINE "a%u: " TILE " = pl.tile.load(x, [o%u, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)\n", k, k);
      g_string_append_printf (
          text, LINE "b%u: " TILE " = pl.tile.load(x, [i * 32, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)\n", k);
      g_string_append_printf (text, LINE "d%u: " TILE " = pl.tile.add(a%u, b%u)\n", k, k, k);
      g_string_append_printf (text, LINE "e%u: " TILE " = pl.tile.exp(d%u)\n", k, k);
      g_string_append_printf (text, LINE "c%u: pl.Tensor[[4096, 64], pl.FP32] = pl.tile.store(e%u, [o%u, 0], c%u)\n", k + 1, k, k,
                              k);
    }
  g_string_append_printf (text, LINE "r: pl.Tensor[[4096, 64], pl.FP32] = pl.yield_(c%u)\n        return r\n", rounds);
  return g_string_free (text, FALSE);
}

static TsModule *
make_kernel (guint n, guint stages)
{
  g_autofree char *text = kernel_text (n, stages);
  g_autoptr (TsSource) source = ts_source_new_text ("bench.py", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };
  TsModule *module = ts_pypto_parse (source, strings, &options, diags);
  if (module == NULL || ts_diag_list_has_errors (diags))
    g_error ("the kernel cannot be read");
  return module;
}

typedef struct
{
  double lower, order; /* milliseconds */
} Times;

static double
run_pass (TsModule *module, const char *name)
{
  const TsPassInfo *pass = ts_pass_find (name);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPassContext context = { .pass_name = pass->name, .diags = diags };
  double start = cpu_ms ();
  TsPassResult result = pass->run (&context, module);
  double ms = cpu_ms () - start;
  if (result != TS_PASS_CHANGED)
    g_error ("%s did nothing", name);
  return ms;
}

static void
take_best (Times *best, Times times)
{
  if (times.lower + times.order < best->lower + best->order)
    *best = times;
}

static void
measure (const TsModule *kernel, guint n, Times *best)
{
  guint repeats = CLAMP (20000 / n, 1, 20);
  for (guint i = 0; i < repeats; i++)
    {
      g_autoptr (TsModule) module = ts_module_clone (kernel);
      double lower = run_pass (module, "lower-pipeline-loops");
      double order = run_pass (module, "canonicalize-io-order");
      take_best (best, (Times) { lower, order });
    }
}

static double
per_statement (Times times, guint n, guint stages)
{
  return (times.lower + times.order) * 1e6 / ((double) n * stages);
}

/* All sizes at one number of stages: the rows of the table. FALSE when the budget does not hold. */
static gboolean
measure_stages (guint stages)
{
  g_autoptr (GPtrArray) kernels = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_module_free);
  Times best[N_SIZES];
  double each[N_SIZES];
  for (guint i = 0; i < N_SIZES; i++)
    {
      g_ptr_array_add (kernels, make_kernel (sizes[i], stages));
      best[i] = (Times) { G_MAXDOUBLE, G_MAXDOUBLE };
    }
  for (guint round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < N_SIZES; i++)
      measure (kernels->pdata[i], sizes[i], &best[i]);
  for (guint i = 0; i < N_SIZES; i++)
    {
      each[i] = per_statement (best[i], sizes[i], stages);
      g_print ("%10u  %6u  %21.3f  %22.3f  %11.3f  %21.1f\n", sizes[i], stages, best[i].lower, best[i].order,
               best[i].lower + best[i].order, each[i]);
    }
  double growth = each[AT_100000] / each[AT_1000], budget = best[AT_10000].lower + best[AT_10000].order;
  gboolean holds = growth <= BUDGET_GROWTH && (stages != 4 || budget <= BUDGET_MS);
  g_print ("%u stages: 100,000 against 1,000 per statement %.2f (budget %.1f)", stages, growth, BUDGET_GROWTH);
  if (stages == 4)
    g_print ("; 10,000 statements %.2f ms (budget %.0f)", budget, BUDGET_MS);
  g_print (": %s\n", holds ? "holds" : "DOES NOT HOLD");
  return holds;
}

int
main (int argc, char **argv)
{
  int status = bench_usage (argc, argv, NULL, "bench-passes [STATEMENTS STAGES]");
  if (status >= 0)
    return status;
  static const guint stages[] = { 2, 4, 8 };
  if (argc == 3)
    {
      guint n = (guint) MAX (atoi (argv[1]), 1);
      g_autoptr (TsModule) kernel = make_kernel (n, (guint) atoi (argv[2]));
      Times best = { G_MAXDOUBLE, G_MAXDOUBLE };
      for (guint round = 0; round < ROUNDS; round++)
        measure (kernel, n, &best);
      g_print ("%.2f ms + %.2f ms\n", best.lower, best.order);
      return 0;
    }
  gboolean holds = TRUE;
  g_print ("statements  stages  LowerPipelineLoops ms  CanonicalizeIOOrder ms  together ms  ns per statement made\n");
  for (guint s = 0; s < G_N_ELEMENTS (stages); s++)
    holds &= measure_stages (stages[s]);
  return holds ? 0 : 1;
}
