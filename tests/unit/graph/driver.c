/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order and choice of GraphOptimize's plans, with rules made for the purpose. Source: spec graph-optimize section 2. */
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "lang/ttir/ttir.h"
#include "passes/graph/graph.h"
#include "passes/graph/track.h"

/* Refuses what its data says. */
static gboolean
holds (TsGraph *graph, const TsGraphPlan *plan)
{
  return plan->data == NULL;
}

static const TsGraphRule first_rule = { .bit = 1, .name = "First", .revalidate = holds };
static const TsGraphRule second_rule = { .bit = 2, .name = "Second", .revalidate = holds };

typedef struct
{
  TsStrings    *strings;
  TsDiagList   *diags;
  TsSource     *source;
  TsModule     *module;
  TsSteps      *steps;
  TsPassContext pass;
  TsGraph       graph;
  GPtrArray    *plans;
  TsOp         *ops[3];
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  TsOp *op;

  f->strings = ts_strings_new ();
  f->diags = ts_diag_list_new ();
  f->source = ts_source_new_text ("k.ttir", "tt.func public @f(%a: i32) {\n  %0 = arith.addi %a, %a : i32\n"
                                            "  %1 = arith.addi %a, %0 : i32\n  tt.return\n}\n");
  f->module = ts_ttir_parse (f->source, 0, f->strings, NULL, f->diags);
  f->steps = ts_steps_new ();
  f->pass = (TsPassContext) { .pass_name = "GraphOptimize", .steps = f->steps, .diags = f->diags };
  f->graph = (TsGraph) { .pass = &f->pass, .module = f->module, .function = f->module->functions[0] };
  f->plans = g_ptr_array_new_with_free_func (g_free);
  op = ts_function_block (f->graph.function)->first;
  for (guint i = 0; i < G_N_ELEMENTS (f->ops); i++, op = op->next)
    f->ops[i] = op;
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_ptr_array_unref (f->plans);
  ts_steps_free (f->steps);
  ts_module_free (f->module);
  ts_source_unref (f->source);
  ts_diag_list_free (f->diags);
  ts_strings_unref (f->strings);
}

/* A plan that is told apart by its data (not NULL: it no longer holds). */
static TsGraphPlan *
add (Fixture *f, const TsGraphRule *rule, guint op, guint benefit)
{
  ts_graph_add_plan (f->plans, rule, f->ops[op], benefit, NULL);
  return g_ptr_array_index (f->plans, f->plans->len - 1);
}

static void
test_order (Fixture *f, gconstpointer data)
{
  g_autofree guint32 *numbers = g_new0 (guint32, f->module->n_ops);
  TsGraphPlan *late = add (f, &first_rule, 1, 1), *unknown = add (f, &first_rule, 2, 1), *twin = add (f, &first_rule, 1, 1);
  TsGraphPlan *early = add (f, &second_rule, 0, 1), *other = add (f, &second_rule, 1, 1), *large = add (f, &second_rule, 2, 5);
  const TsGraphPlan *const expected[] = { large, early, late, twin, other, unknown };

  numbers[f->ops[0]->id] = 4;
  numbers[f->ops[1]->id] = 5;
  numbers[f->ops[2]->id] = G_MAXUINT32;
  ts_graph_sort_plans (f->plans, numbers);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_true (g_ptr_array_index (f->plans, i) == (gpointer) expected[i]);
}

static void
test_choice (Fixture *f, gconstpointer data)
{
  TsGraphPlan *stale = add (f, &first_rule, 0, 3), *refused = add (f, &first_rule, 1, 2), *good = add (f, &first_rule, 2, 1);
  TsGraphSkipped skipped = { 0 };
  guint ordinal = 0;

  f->graph.epoch = 7;
  stale->epoch = 6;
  refused->epoch = good->epoch = 7;
  refused->data = f;
  g_assert_true (ts_graph_select_plan (&f->graph, f->plans, 0, &skipped, &ordinal) == good);
  g_assert_cmpuint (ordinal, ==, 3);
  g_assert_cmpuint (skipped.stale, ==, 1);
  g_assert_cmpuint (skipped.refused, ==, 1);
  g_assert_cmpuint (ts_steps_length (f->steps), ==, 2);
  g_assert_cmpstr (ts_steps_get (f->steps, 0)->kind, ==, "stale");
  g_assert_cmpstr (ts_steps_get (f->steps, 1)->kind, ==, "revalidation-refused");
  good->epoch = 6;
  g_assert_null (ts_graph_select_plan (&f->graph, f->plans, 0, &skipped, &ordinal));
  g_assert_cmpuint (skipped.stale, ==, 3);
}

/* --- plans of the pass's own rules ----------------------------------------------------------------------------------------- */

/* One program of a row each, and two neighbouring stores. */
#define KERNEL                                                                                                                     \
  "tt.func public @f(%p: !tt.ptr<i32>, %n: i32) {\n  %pid = tt.get_program_id x : i32\n"                                           \
  "  %g = arith.cmpi sge, %pid, %n : i32\n  cf.cond_br %g, ^bb1, ^bb2\n^bb1:\n  tt.return\n^bb2:\n"                              \
  "  %a = tt.addptr %p, %pid : !tt.ptr<i32>, i32\n  tt.store %a, %n : !tt.ptr<i32>\n  tt.return\n}\n"
#define STORES                                                                                                                     \
  "tt.func public @f(%p: !tt.ptr<i32>) {\n  %v = arith.constant dense<7> : tensor<4xi32>\n"                                       \
  "  %r0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>\n"                                                       \
  "  %r4 = tt.make_range {end = 8 : i32, start = 4 : i32} : tensor<4xi32>\n"                                                       \
  "  %b = tt.splat %p : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>\n"                                                                  \
  "  %p0 = tt.addptr %b, %r0 : tensor<4x!tt.ptr<i32>>, tensor<4xi32>\n"                                                            \
  "  %p4 = tt.addptr %b, %r4 : tensor<4x!tt.ptr<i32>>, tensor<4xi32>\n"                                                            \
  "  tt.store %p0, %v : tensor<4x!tt.ptr<i32>>\n  tt.store %p4, %v : tensor<4x!tt.ptr<i32>>\n  tt.return\n}\n"

static void
set_up_own (Fixture *f, gconstpointer text)
{
  f->strings = ts_strings_new ();
  f->diags = ts_diag_list_new ();
  f->source = ts_source_new_text ("k.ttir", text);
  f->module = ts_ttir_parse (f->source, 0, f->strings, NULL, f->diags);
  f->steps = ts_steps_new ();
  f->pass = (TsPassContext) { .pass_name = "GraphOptimize", .steps = f->steps, .diags = f->diags };
  f->graph = (TsGraph) { .pass = &f->pass, .module = f->module, .function = f->module->functions[0], .is_entry = TRUE,
                         .options = { .ub_capacity = 64, .force_simt_only = TRUE } };
  f->plans = g_ptr_array_new_with_free_func (g_free);
  ts_graph_track_all (&f->graph);
}

static void
tear_down_own (Fixture *f, gconstpointer text)
{
  GHashTableIter iter;
  gpointer analysis, built;

  for (guint i = 0; i < f->plans->len; i++)
    {
      TsGraphPlan *plan = g_ptr_array_index (f->plans, i);

      if (plan->rule->free_data != NULL)
        plan->rule->free_data (plan->data);
    }
  if (f->graph.analyses != NULL)
    {
      g_hash_table_iter_init (&iter, f->graph.analyses);
      while (g_hash_table_iter_next (&iter, &analysis, &built))
        ((const TsGraphAnalysis *) analysis)->free (built);
      g_hash_table_unref (f->graph.analyses);
    }
  ts_graph_track_free (&f->graph);
  tear_down (f, text);
}

/* A rewrite of this function, of nothing. */
static void
count_rewrite (TsGraph *graph)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  ts_graph_track_after (graph, ts_graph_track_before (graph, none, none, none, none));
}

/* A plan of RowCoalescing is passed over in another epoch, and when its guard has become another comparison. */
static void
test_row_choice (Fixture *f, gconstpointer data)
{
  const TsGraphRule *rule = ts_graph_rules[TS_GRAPH_RULE_ts_graph_row_coalescing];
  TsGraphSkipped skipped = { 0 };
  TsExpr *predicate;
  guint ordinal = 0;
  TsOp *guard;

  rule->find (&f->graph, f->plans);
  g_assert_cmpuint (f->plans->len, ==, 1);
  guard = ((TsGraphPlan *) g_ptr_array_index (f->plans, 0))->anchor;
  g_assert_cmpstr (guard->name, ==, "arith.cmpi");
  g_assert_nonnull (ts_graph_select_plan (&f->graph, f->plans, 0, &skipped, &ordinal));
  g_assert_cmpuint (ordinal, ==, 1);

  f->graph.epoch = 1;
  g_assert_null (ts_graph_select_plan (&f->graph, f->plans, 0, &skipped, &ordinal));
  g_assert_cmpuint (skipped.stale, ==, 1);
  g_assert_cmpuint (skipped.refused, ==, 0);

  f->graph.epoch = 0;
  predicate = ts_op_attr (guard, "predicate");
  ts_op_set_attr (f->module, guard, "predicate", ts_expr_int (f->module, 2 /* slt */, TS_DTYPE_INT64));
  g_assert_null (ts_graph_select_plan (&f->graph, f->plans, 0, &skipped, &ordinal));
  g_assert_cmpuint (skipped.stale, ==, 1);
  g_assert_cmpuint (skipped.refused, ==, 1);

  ts_op_set_attr (f->module, guard, "predicate", predicate);
  g_assert_nonnull (ts_graph_select_plan (&f->graph, f->plans, 0, &skipped, &ordinal));
}

/* What StoreCoalescing found is no answer after a rewrite it was not asked about, whether to look again or to keep its plans. */
static void
test_store_serial (Fixture *f, gconstpointer data)
{
  const TsGraphRule *rule = ts_graph_rules[TS_GRAPH_RULE_ts_graph_store_coalescing];
  const TsGraphPlan *plan;

  rule->find (&f->graph, f->plans);
  g_assert_cmpuint (f->plans->len, ==, 1);
  plan = g_ptr_array_index (f->plans, 0);
  g_assert_true (rule->revalidate (&f->graph, plan));
  count_rewrite (&f->graph);
  g_assert_false (rule->revalidate (&f->graph, plan));
  g_assert_true (rule->keeps (&f->graph, plan));
  g_assert_true (rule->revalidate (&f->graph, plan));
  count_rewrite (&f->graph);
  count_rewrite (&f->graph);
  g_assert_false (rule->keeps (&f->graph, plan));
  g_assert_false (rule->revalidate (&f->graph, plan));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/graph/driver/order", Fixture, NULL, set_up, test_order, tear_down);
  g_test_add ("/graph/driver/choice", Fixture, NULL, set_up, test_choice, tear_down);
  g_test_add ("/graph/driver/row-choice", Fixture, KERNEL, set_up_own, test_row_choice, tear_down_own);
  g_test_add ("/graph/driver/store-serial", Fixture, STORES, set_up_own, test_store_serial, tear_down_own);
  return g_test_run ();
}
