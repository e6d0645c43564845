/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "Why not": every load, store and dot of Triton IR has an answer of every rule, found from any snapshot. */
#include <string.h>

#include "run/verdicts.h"

#define N_RULES 4u /* and two parts of a dot for one of them */

static TsRun *
run_with (const char *spec, const char *passes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsInput) input = ts_input_load (spec, NULL, NULL, &error);
  TsRunOptions options = TS_RUN_OPTIONS_INIT;
  TsRun *run;

  g_assert_no_error (error);
  options.passes = passes;
  run = ts_run_new (input, &options, &error);
  g_assert_no_error (error);
  ts_run_prepare (run, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return run;
}

typedef struct
{
  TsRun *run;
  guint  index;
  guint  n; /* operations that must have answers */
} Check;

static void
check_verdict (const Check *check, const TsVerdict *verdict)
{
  g_assert_cmpuint (verdict->snapshot, ==, 1);
  g_assert_nonnull (verdict->rule);
  g_assert_nonnull (ts_run_op (check->run, 0, verdict->op));
  if (verdict->kind == TS_VERDICT_APPLIED)
    {
      g_assert_null (verdict->why);
      return;
    }
  g_assert_nonnull (verdict->why);
  g_assert_cmpstr (verdict->why, !=, "");
  g_assert_cmpstr (verdict->reason, !=, "NotReached");
  if (verdict->kind == TS_VERDICT_REJECTED && verdict->at >= 0)
    {
      const TsOp *at = ts_run_op (check->run, 0, verdict->at);

      g_assert_nonnull (at);
      g_assert_nonnull (verdict->operation);
    }
}

static gboolean
check_op (TsOp *op, gpointer data)
{
  Check *check = data;
  gboolean dot = op->code == TS_OP_TT_DOT;
  g_autoptr (GArray) verdicts = NULL;

  if (op->code != TS_OP_TT_LOAD && op->code != TS_OP_TT_STORE && !dot)
    return TRUE;
  check->n++;
  verdicts = ts_run_verdicts (check->run, check->index, op->id, NULL);
  g_assert_cmpuint (verdicts->len, >=, N_RULES + dot);
  for (guint i = 0; i < verdicts->len; i++)
    {
      const TsVerdict *verdict = &g_array_index (verdicts, TsVerdict, i);

      check_verdict (check, verdict);
      /* Parts belong to dots, and to one rule. */
      if (verdict->part != NULL)
        g_assert_true (dot);
    }
  if (check->index == 0)
    g_assert_cmpuint (verdicts->len, ==, N_RULES + dot);
  return TRUE;
}

static void
check_all (TsRun *run)
{
  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    {
      const TsModule *module = ts_run_snapshot (run, i)->module;
      Check check = { run, i, 0 };

      for (guint f = 0; f < module->n_functions; f++)
        ts_region_walk (&module->functions[f]->body, check_op, &check);
      g_assert_cmpuint (check.n, >, 0);
    }
}

static void
test_samples (void)
{
  static const struct { const char *spec, *rule; } cases[] = {
    { "sample:columns", "LoadStoreTranspose" },
    { "sample:scores", "TransposePointwiseReorder" },
    { "sample:halves", "StoreCoalescing" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TsRun) run = run_with (cases[i].spec, NULL);
      const TsModule *module = ts_run_snapshot (run, 0)->module;
      guint applied = 0;

      check_all (run);
      for (gint32 op = 0; op < module->n_ops; op++)
        {
          g_autoptr (GArray) verdicts = ts_run_verdicts (run, 0, op, NULL);

          for (guint k = 0; k < verdicts->len; k++)
            {
              const TsVerdict *verdict = &g_array_index (verdicts, TsVerdict, k);

              if (verdict->kind != TS_VERDICT_APPLIED)
                continue;
              applied++;
              g_assert_cmpstr (verdict->rule, ==, cases[i].rule);
            }
        }
      g_assert_cmpuint (applied, >, 0);
    }
}

/* What stops a rule before it looks is an answer too. */
static void
test_options (void)
{
  static const struct { const char *spec, *passes, *rule, *reason; } cases[] = {
    { "sample:columns", "graph-optimize{rule-mask=2}", "LoadStoreTranspose", "SwitchedOff" },
    { "sample:columns", "graph-optimize{rule-mask=7}", "RowCoalescing", "SwitchedOff" },
    { "sample:columns", "graph-optimize", "RowCoalescing", "ForceSimtOnlyFalse" },
    { "sample:columns", "graph-optimize{max-rewrites-per-function=0}", "LoadStoreTranspose", "RewriteBudgetExhausted" },
    { "sample:halves", "graph-optimize{max-rewrites-per-function=0}", "StoreCoalescing", "RewriteBudgetExhausted" },
    { "sample:halves", "graph-optimize{ub-capacity-bytes=0}", "StoreCoalescing", "NoCapacity" },
    { "sample:halves", "graph-optimize{ub-capacity-bytes=8}", "StoreCoalescing", "Capacity" },
    { "sample:halves", "graph-optimize", "TransposePointwiseReorder", "OtherOperation" },
    { "sample:halves", "graph-optimize", "LoadStoreTranspose", "UnsupportedRank" },
    { "sample:columns", "graph-optimize{rule-mask=8 force-simt-only=true}", "RowCoalescing", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TsRun) run = run_with (cases[i].spec, cases[i].passes);
      const TsModule *module = ts_run_snapshot (run, 0)->module;
      gboolean found = FALSE;

      check_all (run);
      for (gint32 op = 0; op < module->n_ops && !found; op++)
        {
          g_autoptr (GArray) verdicts = ts_run_verdicts (run, 0, op, NULL);

          for (guint k = 0; k < verdicts->len; k++)
            {
              const TsVerdict *verdict = &g_array_index (verdicts, TsVerdict, k);

              found |= strcmp (verdict->rule, cases[i].rule) == 0
                       && (cases[i].reason != NULL ? g_strcmp0 (verdict->reason, cases[i].reason) == 0
                                                   : verdict->kind == TS_VERDICT_REJECTED);
            }
        }
      g_test_message ("%s %s %s", cases[i].passes, cases[i].rule, cases[i].reason != NULL ? cases[i].reason : "rejected");
      g_assert_true (found);
    }
}

/* A rewrite that was begun and taken back, and what then had no turn. */
static void
test_failed (void)
{
  g_autoptr (TsRun) run = run_with ("sample:halves", "graph-optimize{fail-after=1}");
  const TsModule *module = ts_run_snapshot (run, 0)->module;
  guint failed = 0, unreached = 0, n_stores = 0;

  g_assert_true (ts_run_snapshot (run, 1)->failed);
  for (gint32 op = 0; op < module->n_ops; op++)
    {
      g_autoptr (GArray) verdicts = ts_run_verdicts (run, 0, op, NULL);
      const TsOp *found = ts_run_op (run, 0, op);

      n_stores += found != NULL && found->code == TS_OP_TT_STORE;
      for (guint k = 0; k < verdicts->len; k++)
        {
          const TsVerdict *verdict = &g_array_index (verdicts, TsVerdict, k);

          failed += verdict->kind == TS_VERDICT_FAILED;
          unreached += g_strcmp0 (verdict->reason, "NotReached") == 0;
          if (verdict->kind == TS_VERDICT_FAILED)
            g_assert_cmpstr (verdict->rule, ==, "StoreCoalescing");
        }
    }
  /* All of them are one run. */
  g_assert_cmpuint (failed, ==, n_stores);
  g_assert_cmpuint (unreached, >, 0);
}

/* Other languages, and operations no rule judges, have none. */
static void
test_none (void)
{
  g_autoptr (TsRun) run = run_with ("sample:pingpong", NULL);
  guint last = ts_run_last_snapshot (run);
  g_autoptr (GArray) verdicts = ts_run_verdicts (run, last, 0, NULL), nothing = ts_run_verdicts (run, last, -1, NULL);

  g_assert_cmpuint (verdicts->len, ==, 0);
  g_assert_cmpuint (nothing->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/verdicts/samples", test_samples);
  g_test_add_func ("/run/verdicts/options", test_options);
  g_test_add_func ("/run/verdicts/failed", test_failed);
  g_test_add_func ("/run/verdicts/none", test_none);
  return g_test_run ();
}
