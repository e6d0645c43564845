/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order and choice of GraphOptimize's plans, with rules made for the purpose. Source: spec graph-optimize section 2. */
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "lang/ttir/ttir.h"
#include "passes/graph/graph.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/graph/driver/order", Fixture, NULL, set_up, test_order, tear_down);
  g_test_add ("/graph/driver/choice", Fixture, NULL, set_up, test_choice, tear_down);
  return g_test_run ();
}
