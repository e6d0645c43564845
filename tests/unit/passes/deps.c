/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dependencies between statements and the InOut-use discipline: the table of spec passes-schedule section 1, row by row; the memory
 * constraints that CanonicalizeIOOrder adds; the ready queue. */
#include <string.h>

#include "cases.h"
#include "ir/deps.h"
#include "ir/build.h"
#include "passes/ready-queue.h"

static TsModule *
parse (const char *params, const char *body, gboolean whole)
{
  TsCase c = { .params = (char *) params, .whole = whole };
  g_autofree char *program = ts_case_program (&c, body);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsModule *module = ts_case_parse (program, diags);
  g_autoptr (GString) said = g_string_new (NULL);
  ts_diag_list_format (diags, TRUE, said);
  if (module == NULL || ts_diag_list_has_errors (diags))
    g_error ("%s", said->str);
  return module;
}

/* --- graph ------------------------------------------------------------------------------------------------------------------- */

/* Edges as "0 | 1: 0 | 2: 0 1": a statement and what it waits for. */
static char *
graph_text (const TsDeps *deps)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < deps->n_ops; i++)
    {
      g_string_append_printf (text, "%s%u", i > 0 ? " | " : "", i);
      for (guint p = deps->pred_start[i]; p < deps->pred_start[i + 1]; p++)
        g_string_append_printf (text, "%s%u", p == deps->pred_start[i] ? ": " : " ", deps->preds[p]);
    }
  return g_string_free (text, FALSE);
}

static const struct
{
  const char *name, *params, *body, *graph;
} graphs[] = {
  { "1-one-assign", "n: $I", "a: $I = n + 1\n", "0" },
  { "2-chain", "n: $I", "a: $I = n + 1\nb: $I = a + 1\nc: $I = b + 1\nreturn c\n", "0 | 1: 0 | 2: 1 | 3: 2" },
  { "3-parameter", "n: $I", "a: $I = n + 1\nb: $I = n + 2\nc: $I = n + 3\n", "0 | 1 | 2" },
  { "4-if-reads", "n: $I", "a: $I = n + 1\nif n == 0:\n    b: $I = a + 1\nelse:\n    c: $I = a + 2\n", "0 | 1: 0" },
  { "5-loop", "n: $I",
    "z: $I = n\nfor i, (a,) in pl.range(4, init_values=(z,)):\n    b: $I = a + i\n    r: $I = pl.yield_(b)\nc: $I = r + 1\n",
    "0 | 1: 0 | 2: 1" },
  { "each-once-in-order", "n: $I", "a: $I = n\nb: $I = n\nc: $I = b + a + b + a\n", "0 | 1 | 2: 0 1" },
  { "types-are-not-searched", "x: $G, n: $I",
    "m: $I = n\nt: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[m, 64])] = pl.tile.create([32, 64], "
    "dtype=pl.FP32, "
    "target_memory=pl.Mem.Vec)\n",
    "0 | 1" },
  { "submit-deps", "x: $G",
    "s: pl.Tuple[$G, pl.Scalar[pl.TASK_ID]] = pl.submit(self.main, x)\nt: pl.Scalar[pl.TASK_ID] = s[1]\n"
    "u: pl.Tuple[$G, pl.Scalar[pl.TASK_ID]] = pl.submit(self.main, x, deps=[t])\n",
    "0 | 1: 0 | 2: 1" },
};

static void
test_graph (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (TsModule) module = parse (graphs[i].params, graphs[i].body, FALSE);
  g_autoptr (TsDeps) deps = ts_deps_new (module, ts_function_block (module->functions[0]));
  g_autofree char *text = graph_text (deps);
  g_assert_cmpstr (text, ==, graphs[i].graph);
  g_assert_cmpint (deps->too_early, ==, -1);
}

static void
test_too_early (void)
{
  g_autoptr (TsModule) module = parse ("n: $I", "a: $I = n\nb: $I = a + 1\nc: $I = n\n", FALSE);
  TsBlock *block = ts_function_block (module->functions[0]);
  TsOp *order[] = { block->last, block->first->next, block->first };
  ts_block_set_order (block, order, 3);
  g_autoptr (TsDeps) deps = ts_deps_new (module, block);
  g_assert_cmpint (deps->too_early, ==, 1);
}

/* A block that the parser would not let through is an error of the pass, and the snapshot before it stays. */
static void
test_ill_formed_region (void)
{
  TsModule *module =
      parse (NULL,
             "for i in pl.pipeline(0, 4, 1, stage=1):\n"
             "    l: $V = pl.tile.load(x, [i * 32, 0], $w)\n    c: $V = pl.tile.exp(l)\n    d: $V = pl.tile.exp(c)\n",
             FALSE);
  TsBlock *body = ts_op_body (ts_function_block (module->functions[0])->first, 0);
  TsOp *order[] = { body->last, body->first->next, body->first };
  ts_block_set_order (body, order, 3);
  g_autoptr (GArray) plan = ts_pass_plan_parse ("canonicalize-io-order", TS_LANGUAGE_PYPTO, TS_PLANNER_PYPTO, NULL);
  TsPipelineOptions options = { .verify = TS_VERIFY_NONE };
  g_autoptr (GPtrArray) snapshots = ts_pipeline_run (module, plan, &options);
  const TsPassSnapshot *input = snapshots->pdata[0], *last = snapshots->pdata[1];
  g_assert_nonnull (input->module);
  g_assert_cmpint (last->status, ==, TS_SNAPSHOT_FAILED);
  g_assert_null (last->module);
  g_assert_cmpstr (ts_diag_list_get (last->diags, 0)->code, ==, "ill-formed");
}

/* --- InOut-use discipline ---------------------------------------------------------------------------------------------------- */

#define KERNELS                                                                                                                 \
  "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"                            \
  "    def k(a: $G, o: pl.InOut[$G]) -> $G:\n        return o\n"                                                                \
  "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"                            \
  "    def f(a: $G, o: pl.Out[$G]) -> $G:\n        return o\n"                                                                  \
  "    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)\n"                      \
  "    def main(self, x: $G, y: $G, n: $I):\n"

static const struct
{
  const char *name, *body;
  guint       violations;
  const char *variable; /* quoted in the first */
} uses[] = {
  { "6-returned-value", "        r: $G = self.k(x, y)\n        s: $G = self.k(r, x)\n", 0, NULL },
  { "7-old-name-inout", "        r: $G = self.k(x, y)\n        s: $G = self.k(y, r)\n", 1, "'y'" },
  { "7-old-name-out", "        r: $G = self.f(x, y)\n        s: $G = self.f(y, r)\n", 1, "'y'" },
  { "8-later-branch", "        r: $G = self.k(x, y)\n        if n == 0:\n            s: $G = self.k(y, r)\n", 1, "'y'" },
  { "8-later-loop", "        r: $G = self.k(x, y)\n        for i in pl.range(4):\n            s: $G = y\n", 1, "'y'" },
  { "9-other-arm", "        if n == 0:\n            r: $G = self.k(x, y)\n        else:\n            s: $G = y\n", 0, NULL },
  { "14-assigned-again-in-else",
    "        if n == 0:\n            s: $G = x\n        else:\n            y: $G = self.k(x, y)\n        t: $G = y\n", 0, NULL },
  { "14-assigned-again-in-else-of-a-loop",
    "        for i in pl.range(4):\n            y: $G = self.k(x, y)\n            if n == 0:\n                s: $G = x\n"
    "            else:\n                y: $G = self.k(x, y)\n        t: $G = y\n", 0, NULL },
  { "14-killed-again-in-else",
    "        if n == 0:\n            s: $G = x\n        else:\n            y: $G = self.k(x, y)\n            u: $G = self.k(x, y)\n"
    "        t: $G = y\n", 1, "'y'" },
  { "9-after-the-if", "        if n == 0:\n            r: $G = self.k(x, y)\n        s: $G = y\n", 1, "'y'" },
  { "10-in-and-inout", "        r: $G = self.k(y, y)\n", 0, NULL },
  { "11-builtins", "        a: $G = pl.tensor.add(x, y)\n        b: $G = pl.tensor.add(x, y)\n", 0, NULL },
  { "12-back-edge", "        for i in pl.range(4):\n            s: $G = pl.tensor.add(x, y)\n            r: $G = self.k(s, y)\n", 2,
    "'y'" },
  { "14-assigned-again", "        r: $G = self.k(x, y)\n        y: $G = r\n        s: $G = y\n", 0, NULL },
  { "a-submit-kills", "        r: pl.Tuple[$G, pl.Scalar[pl.TASK_ID]] = pl.submit(self.k, x, y)\n        s: $G = y\n", 1, "'y'" },
  { "b-copies-are-followed", "        c: $G = y\n        r: $G = self.k(x, y)\n        s: $G = c\n", 1, "'c'" },
  { "b-copies-both-ways", "        c: $G = y\n        r: $G = self.k(x, c)\n        s: $G = y\n", 1, "'y'" },
  { "carried-is-fresh",
    "        for i, (a,) in pl.range(4, init_values=(y,)):\n            r: $G = self.k(x, a)\n            q: $G = pl.yield_(r)\n",
    0, NULL },
  { "c-carried-reads-its-start",
    "        for i, (a,) in pl.range(4, init_values=(x,)):\n            r: $G = self.k(a, y)\n            q: $G = pl.yield_(r)\n"
    "        s: $G = self.k(q, x)\n",
    1, "'y'" }, /* y itself, by the back edge; x dies behind the loop */
  { "c-start-killed-in-the-loop",
    "        for i, (a,) in pl.range(4, init_values=(y,)):\n            s: $G = pl.tensor.add(a, x)\n"
    "            r: $G = self.k(s, x)\n            q: $G = pl.yield_(r)\n",
    2, "'x'" }, /* x, read by the addition and the call */
  { "c-start-killed-by-its-name",
    "        for i, (a,) in pl.range(4, init_values=(y,)):\n            r: $G = self.k(x, y)\n"
    "            s: $G = pl.tensor.add(a, x)\n            q: $G = pl.yield_(s)\n",
    2, "'y'" }, /* by the call itself, and by the addition through the carried value */
  { "c-start-of-a-start",
    "        for i, (a,) in pl.range(4, init_values=(y,)):\n            for j, (b,) in pl.range(4, init_values=(a,)):\n"
    "                s: $G = pl.tensor.add(b, x)\n                p: $G = pl.yield_(s)\n            q: $G = pl.yield_(p)\n"
    "            r: $G = self.f(x, y)\n",
    3, "'y'" }, /* in the header of the inner loop, in its body, by the call */
  { "nested-back-edge", "        for i in pl.range(4):\n            for j in pl.range(4):\n                r: $G = self.k(x, y)\n",
    1, "'y'" },
  { "both-arms-kill",
    "        if n == 0:\n            r: $G = self.k(x, y)\n        else:\n            s: $G = self.f(x, y)\n        t: $G = y\n", 1,
    "'y'" },
  { "revived-in-one-arm",
    "        r: $G = self.k(x, y)\n        if n == 0:\n            y: $G = r\n        else:\n            s: $G = x\n        t: $G "
    "= y\n",
    1, "'y'" },
  { "revived-in-both-arms",
    "        r: $G = self.k(x, y)\n        if n == 0:\n            y: $G = r\n        else:\n            y: $G = x\n        t: $G "
    "= y\n",
    0, NULL },
};

static void
test_use (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *text = g_strconcat (KERNELS, uses[i].body, NULL);
  g_autoptr (TsModule) module = parse (NULL, text, TRUE);
  const TsFunction *function = ts_module_find_function (module, "main");
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  gboolean clean = ts_check_inout_use (module, function, diags);
  g_assert_cmpuint (ts_diag_list_count (diags, TS_SEVERITY_ERROR), ==, uses[i].violations);
  g_assert_cmpint (clean, ==, uses[i].violations == 0);
  g_assert_cmpint (ts_check_inout_use (module, function, NULL), ==, clean);
  if (uses[i].violations == 0)
    return;
  const TsDiag *diag = ts_diag_list_get (diags, 0);
  g_assert_cmpstr (diag->rule, ==, "InOutUseDiscipline");
  g_assert_cmpstr (diag->code, ==, "0");
  g_assert_nonnull (strstr (diag->message, uses[i].variable));
  g_assert_nonnull (strstr (diag->message, "line "));
  g_assert_true (g_str_has_suffix (diag->message, " (function 'main')"));
  g_assert_nonnull (diag->help);
  g_assert_false (ts_span_is_none (diag->span));
}

/* Row 13: a run whose input breaks the discipline says so and runs no pass. */
static void
test_verified_at_input (void)
{
  TsModule *module = parse (NULL, KERNELS "        r: $G = self.k(x, y)\n        s: $G = self.k(y, r)\n", TRUE);
  g_autoptr (GArray) plan = ts_pass_plan_parse ("canonicalize-io-order", TS_LANGUAGE_PYPTO, TS_PLANNER_PYPTO, NULL);
  TsPipelineOptions options = { .verify = TS_VERIFY_BASIC };
  g_autoptr (GPtrArray) snapshots = ts_pipeline_run (module, plan, &options);
  g_assert_cmpuint (snapshots->len, ==, 1);
  const TsPassSnapshot *input = snapshots->pdata[0];
  g_assert_cmpint (input->status, ==, TS_SNAPSHOT_FAILED);
  g_assert_nonnull (input->module);
  g_assert_cmpstr (ts_diag_list_get (input->diags, 0)->rule, ==, "InOutUseDiscipline");
}

/* Loops in loops: 2^depth walks would never end. */
static void
test_deep_nesting (void)
{
  g_autoptr (GString) text = g_string_new (KERNELS);
  guint depth = 60;
  for (guint d = 0; d < depth; d++)
    {
      g_string_append_printf (text, "%*sfor i%u in pl.range(2):\n", (int) (8 + 4 * d), "", d);
    }
  g_string_append_printf (text, "%*sr: $G = self.k(x, y)\n", (int) (8 + 4 * depth), "");
  g_autoptr (TsModule) module = parse (NULL, text->str, TRUE);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_assert_false (ts_check_inout_use (module, ts_module_find_function (module, "main"), diags));
  g_assert_cmpuint (ts_diag_list_count (diags, TS_SEVERITY_ERROR), ==, 1);
}

/* --- ready queue ------------------------------------------------------------------------------------------------------------- */

static void
test_ready_queue (void)
{
  static const guint32 sizes[] = { 1, 2, 63, 64, 65, 4095, 4096, 4097, 300000 };
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      guint32 n = sizes[s];
      TsReadyQueue *queue = ts_ready_queue_new (n);
      g_autofree guint8 *in = g_new0 (guint8, n);
      g_autoptr (GRand) rand = g_rand_new_with_seed (n);
      g_assert_cmpuint (ts_ready_queue_first (queue), ==, TS_READY_NONE);
      for (guint round = 0; round < 3000; round++)
        {
          guint32 number = (guint32) g_rand_int_range (rand, 0, (gint32) n);
          if (in[number])
            ts_ready_queue_remove (queue, number);
          else
            ts_ready_queue_add (queue, number);
          in[number] ^= 1;
          if (round % 100 != 0)
            continue;
          guint32 at = ts_ready_queue_first (queue);
          for (guint32 i = 0; i < n; i++)
            if (in[i])
              {
                g_assert_cmpuint (at, ==, i);
                at = ts_ready_queue_next (queue, at);
              }
          g_assert_cmpuint (at, ==, TS_READY_NONE);
        }
      ts_ready_queue_free (queue);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    {
      g_autofree char *name = g_strconcat ("/deps/graph/", graphs[i].name, NULL);
      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_graph);
    }
  for (guint i = 0; i < G_N_ELEMENTS (uses); i++)
    {
      g_autofree char *name = g_strconcat ("/deps/inout/", uses[i].name, NULL);
      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_use);
    }
  g_test_add_func ("/deps/too-early", test_too_early);
  g_test_add_func ("/deps/ill-formed-region", test_ill_formed_region);
  g_test_add_func ("/deps/inout/13-verified-at-input", test_verified_at_input);
  g_test_add_func ("/deps/inout/deep-nesting", test_deep_nesting);
  g_test_add_func ("/deps/ready-queue", test_ready_queue);
  return g_test_run ();
}
