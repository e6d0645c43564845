/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of the passes that place buffers, where there is much to tell: what is left out is said, and telling changes nothing. */
#include <string.h>

#include "kernel.h"
#include "lang/pypto/pypto.h"

#define TENSOR "pl.Tensor[[384, 64], pl.FP32]"
#define LOAD(rows) "pl.Tile[[" rows ", 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [" rows ", 64], [" rows ", 64], " \
                   "target_memory=pl.Mem.Vec"

/* `n` tiles loaded and stored one after the other, as stages 0 to 3 of a pipeline, beside one that is live all the time. */
static TsModule *
long_kernel (guint n)
{
  g_autoptr (GString) text = g_string_new ("# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n"
                                           "    @pl.function(type=pl.FunctionType.InCore)\n    def f(x: " TENSOR "):\n"
                                           "        k: " LOAD ("384") ")\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "        t%u: " LOAD ("96") ", attrs={\"pipeline_membership\": \"0:%u\"})\n"
                            "        s%u: " TENSOR " = pl.tile.store(t%u, [0, 0], x)\n", i, i % 4, i, i);
  g_string_append (text, "        e: " TENSOR " = pl.tile.store(k, [0, 0], x)\n");
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("kernel.py", text->str);
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };
  TsModule *module = ts_pypto_parse (source, strings, &options, diags);
  g_assert_false (ts_diag_list_has_errors (diags));
  return module;
}

static TsPassSnapshot *
run (const TsModule *kernel, const char *passes, TsPlanner planner, gboolean steps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_kernel_machine ("ascend910b");
  TsPipelineOptions options = { .machine = machine, .planner = planner, .verify = TS_VERIFY_NONE, .record_steps = steps };
  g_autoptr (GArray) plan = ts_pass_plan_parse (passes, TS_LANGUAGE_PYPTO, planner, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) snapshots = ts_pipeline_run (ts_module_clone (kernel), plan, &options);
  g_assert_nonnull (((TsPassSnapshot *) snapshots->pdata[snapshots->len - 1])->module);
  return g_ptr_array_steal_index (snapshots, snapshots->len - 1);
}

static guint
count_kind (const TsSteps *steps, const char *kind)
{
  guint n = 0;
  for (guint i = 0; i < ts_steps_length (steps); i++)
    n += g_str_equal (ts_steps_get (steps, i)->kind, kind);
  return n;
}

static void
assert_said (const TsSteps *steps, const char *kind, const char *key, const char *text)
{
  for (guint i = 0; i < ts_steps_length (steps); i++)
    {
      const TsStep *step = ts_steps_get (steps, i);
      if (g_str_equal (step->kind, kind) && g_strcmp0 (ts_step_find_text (step, key), text) == 0)
        return;
    }
  g_test_fail_printf ("no step '%s' says '%s'", kind, text);
}

/* The result with steps and without them is the same text; returns the snapshot with steps. */
static TsPassSnapshot *
run_both (const TsModule *kernel, const char *passes, TsPlanner planner)
{
  TsPassSnapshot *told = run (kernel, passes, planner, TRUE), *silent = run (kernel, passes, planner, FALSE);
  g_autofree char *with = ts_pypto_print (told->module, NULL, NULL), *without = ts_pypto_print (silent->module, NULL, NULL);
  g_assert_cmpstr (with, ==, without);
  g_assert_null (silent->steps);
  ts_pass_snapshot_free (silent);
  return told;
}

static void
test_dsa_limits (void)
{
  g_autoptr (TsModule) kernel = long_kernel (2100);
  TsPassSnapshot *snapshot = run_both (kernel, "InitMemRef,AllocateMemoryAddr", TS_PLANNER_DSA_RP);
  const TsSteps *steps = snapshot->steps;
  g_assert_cmpuint (count_kind (steps, "interval"), ==, 2101);
  g_assert_cmpuint (count_kind (steps, "apart"), ==, 2048);
  g_assert_cmpuint (count_kind (steps, "address"), ==, 2101);
  assert_said (steps, "limit", "message", "what keeps buffers apart is told of the first 2048 of 2101 buffers");
  assert_said (steps, "apart", "limit", "32 of 1536 are listed");
  assert_said (steps, "order-end", "limit", "the first 512 placements of an order are told");
  g_assert_cmpuint (count_kind (steps, "order"), ==, count_kind (steps, "order-end"));
  g_assert_cmpuint (count_kind (steps, "place"), >, 512);
  g_assert_cmpuint (count_kind (steps, "place"), <=, 16 * 513);
  ts_pass_snapshot_free (snapshot);
}

static void
test_reuse_limits (void)
{
  g_autoptr (TsModule) kernel = long_kernel (4200);
  TsPassSnapshot *snapshot = run_both (kernel, "InitMemRef,MemoryReuse", TS_PLANNER_PYPTO);
  const TsSteps *steps = snapshot->steps;
  g_assert_cmpuint (count_kind (steps, "shed"), ==, 1);
  g_assert_cmpuint (count_kind (steps, "discarded"), ==, 4096);
  g_assert_cmpuint (count_kind (steps, "place"), ==, 4201);
  assert_said (steps, "limit", "message", "the first 4096 placements of discarded packings are told");
  ts_pass_snapshot_free (snapshot);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/steps/dsa-limits", test_dsa_limits);
  g_test_add_func ("/memory/steps/reuse-limits", test_reuse_limits);
  return g_test_run ();
}
