/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps: what passes record of their decisions, and its JSON form. The worked example of CanonicalizeIOOrder, line by line. */
#include <json-glib/json-glib.h>
#include <string.h>

#include "cases.h"
#include "passes/steps.h"

static const TsStepField *
field (const TsStep *step, const char *key)
{
  for (guint i = 0; i < step->n_fields; i++)
    if (strcmp (step->fields[i].key, key) == 0)
      return &step->fields[i];
  return NULL;
}

static const char *
text (const TsStep *step, const char *key)
{
  const TsStepField *f = field (step, key);
  return f != NULL && f->kind == TS_FIELD_TEXT ? f->text : NULL;
}

static gint64
integer (const TsStep *step, const char *key)
{
  const TsStepField *f = field (step, key);
  g_assert_nonnull (f);
  return f->i;
}

/* The steps of the last of the passes. */
static GPtrArray *
run (const char *passes, const char *planner, const char *params, const char *returns, const char *body)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsCase c = { .name = (char *) "steps", .passes = (char *) passes, .planner = (char *) planner, .params = (char *) params,
               .returns = (char *) returns, .input = (char *) body };
  GPtrArray *snapshots = ts_case_run (&c, machine, TRUE, diags);
  g_assert_nonnull (snapshots);
  return snapshots;
}

static const TsSteps *
steps_of (const GPtrArray *snapshots)
{
  const TsPassSnapshot *last = snapshots->pdata[snapshots->len - 1];
  g_assert_cmpint (last->status, ==, TS_SNAPSHOT_OK);
  return last->steps;
}

/* Kinds in order, runs of one kind as "kind*3". */
static char *
kinds (const TsSteps *steps)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < ts_steps_length (steps);)
    {
      const char *kind = ts_steps_get (steps, i)->kind;
      guint n = 0;
      while (i < ts_steps_length (steps) && strcmp (ts_steps_get (steps, i)->kind, kind) == 0)
        n++, i++;
      g_string_append_printf (out, "%s%s", out->len > 0 ? " " : "", kind);
      if (n > 1)
        g_string_append_printf (out, "*%u", n);
    }
  return g_string_free (out, FALSE);
}

/* --- the worked example ------------------------------------------------------------------------------------------------------ */

#define EXAMPLE                                                                     \
  "for i in pl.pipeline(0, 8, 2, stage=1):\n"                                       \
  "    scalar_0: $I = i * 32\n"                                                     \
  "    load_0: $V = pl.tile.load(x, [scalar_0, 0], $w)\n"                           \
  "    compute_0: $V = pl.tile.exp(load_0)\n"                                       \
  "    store_0: $G = pl.tile.store(compute_0, [scalar_0, 0], y)\n"                  \
  "    scalar_1: $I = (i + 1) * 32\n"                                               \
  "    load_1: $V = pl.tile.load(x, [scalar_1, 0], $w)\n"                           \
  "    compute_1: $V = pl.tile.exp(load_1)\n"                                       \
  "    store_1: $G = pl.tile.store(compute_1, [scalar_1, 0], y)\n"

/* Ready set (any order), the statement taken, its key, the one it beat and by what. */
static const struct
{
  const char *ready, *taken, *key, *beat, *decided_by;
} example[] = {
  { "scalar_0 scalar_1", "scalar_0", "(0, \"\", 0, 0)", "scalar_1", "index" },
  { "load_0 scalar_1", "scalar_1", "(0, \"\", 0, 4)", "load_0", "tier" },
  { "load_0 load_1", "load_0", "(1, \"\", 0, 1)", "load_1", "index" },
  { "compute_0 load_1", "load_1", "(1, \"\", 0, 5)", "compute_0", "tier" },
  { "compute_0 compute_1", "compute_0", "(2, \"\", 0, 2)", "compute_1", "index" },
  { "compute_1 store_0", "compute_1", "(2, \"\", 0, 6)", "store_0", "sub" },
  { "store_0 store_1", "store_0", "(2, \"\", 1, 3)", "store_1", "index" },
  { "store_1", "store_1", "(2, \"\", 1, 7)", NULL, NULL },
};

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static char *
sorted_texts (const TsStepField *f)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  for (guint i = 0; i < f->n; i++)
    g_ptr_array_add (words, (gpointer) f->texts[i]);
  g_ptr_array_sort (words, compare_texts);
  g_ptr_array_add (words, NULL);
  return g_strjoinv (" ", (char **) words->pdata);
}

static void
test_worked_example (void)
{
  g_autoptr (GPtrArray) snapshots = run ("canonicalize-io-order", NULL, NULL, NULL, EXAMPLE);
  const TsSteps *steps = steps_of (snapshots);
  g_autofree char *all = kinds (steps);
  g_assert_cmpstr (all, ==, "loop category*8 depends*6 emit*8");
  for (guint i = 0; i < G_N_ELEMENTS (example); i++)
    {
      const TsStep *step = ts_steps_get (steps, 1 + 8 + 6 + i);
      g_autofree char *ready = sorted_texts (field (step, "ready"));
      g_assert_cmpstr (ready, ==, example[i].ready);
      g_assert_cmpstr (text (step, "name"), ==, example[i].taken);
      g_assert_cmpstr (field (step, "ready")->texts[0], ==, example[i].taken);
      g_assert_cmpstr (field (step, "keys")->texts[0], ==, example[i].key);
      g_assert_cmpstr (text (step, "beat"), ==, example[i].beat);
      g_assert_cmpstr (text (step, "decided_by"), ==, example[i].decided_by);
      g_assert_cmpint (integer (step, "position"), ==, i);
      g_assert_cmpint (integer (step, "ready_count"), ==, field (step, "ready")->n);
      g_assert_cmpstr (step->function, ==, "main");
      g_assert_cmpuint (step->line, >, 0);
    }
}

static void
test_categories_and_edges (void)
{
  static const char *const categories[] = { "scalar", "load", "compute", "store", "scalar", "load", "compute", "store" };
  g_autoptr (GPtrArray) snapshots = run ("canonicalize-io-order", NULL, NULL, NULL, EXAMPLE);
  const TsSteps *steps = steps_of (snapshots);
  for (guint i = 0; i < G_N_ELEMENTS (categories); i++)
    g_assert_cmpstr (text (ts_steps_get (steps, 1 + i), "category"), ==, categories[i]);
  /* store_0 waits for scalar_0 and compute_0. */
  const TsStep *depends = ts_steps_get (steps, 1 + 8 + 2);
  g_assert_cmpstr (text (depends, "name"), ==, "store_0");
  g_autofree char *on = sorted_texts (field (depends, "on_names"));
  g_assert_cmpstr (on, ==, "compute_0 scalar_0");
  g_assert_cmpuint (field (depends, "on")->n, ==, 2);
}

/* Memory constraints and the turning of accumulators have steps too. */
static void
test_other_steps_of_ordering (void)
{
  g_autoptr (GPtrArray) memory = run ("canonicalize-io-order", NULL, NULL, NULL,
                                      "for i in pl.pipeline(4, stage=1):\n    l: $V = pl.tile.load(x, [i * 32, 0], $w)\n"
                                      "    pl.tile.store(l, [i * 32, 0], y)\n    m: $V = pl.tile.load(y, [n, 0], $w)\n");
  g_autofree char *first = kinds (steps_of (memory));
  g_assert_cmpstr (first, ==, "loop category*3 depends memory-order emit*3");

  g_autoptr (GPtrArray) turned = run ("lower-pipeline-loops,canonicalize-io-order", NULL, "c: pl.Out[$G], m: $M, l: $L", NULL,
                                      "for i in pl.pipeline(0, 3, 1, stage=3, attrs={\"pipeline_double_buffer_c\": True}):\n"
                                      "    r: $R = pl.tile.extract(m, i, 0, [64, 64], target_memory=pl.Mem.Right)\n"
                                      "    d: $A = pl.tile.matmul(l, r)\n    pl.tile.store(d, [i * 64, 0], c)\n");
  const TsSteps *steps = steps_of (turned);
  const TsStep *last = ts_steps_get (steps, ts_steps_length (steps) - 1);
  g_assert_cmpstr (last->kind, ==, "rotate");
  g_assert_cmpint (integer (last, "stage"), ==, 2);
  g_assert_cmpint (integer (last, "buffer"), ==, 0);
}

/* --- the other passes -------------------------------------------------------------------------------------------------------- */

static void
test_lower_pipeline_loops (void)
{
  g_autoptr (GPtrArray) snapshots =
      run ("lower-pipeline-loops", NULL, "a: $H, c: pl.Out[$G], r: $R", NULL,
           "for i in pl.pipeline(0, 5, 1, stage=2):\n    l: $M = pl.tile.load(a, [i * 64, 0], $q)\n"
           "    m: $L = pl.tile.move(l, target_memory=pl.Mem.Left)\n    d: $A = pl.tile.matmul(m, r)\n"
           "    pl.tile.store(d, [i * 64, 0], c)\n"
           "for j in pl.pipeline(4, stage=1):\n    k: $I = j * 2\n");
  const TsSteps *steps = steps_of (snapshots);
  g_autofree char *all = kinds (steps);
  g_assert_cmpstr (all, ==, "loop tail clone tag*2 untagged main clone*2 tag*4 untagged*2 loop");
  const TsStep *loop = ts_steps_get (steps, 0);
  g_assert_cmpint (integer (loop, "accepted"), ==, 1);
  g_assert_cmpint (integer (loop, "stages"), ==, 2);
  const TsStep *left = ts_steps_get (steps, ts_steps_length (steps) - 1);
  g_assert_cmpint (integer (left, "accepted"), ==, 0);
  g_assert_nonnull (text (left, "reason"));
  const TsStep *tag = ts_steps_get (steps, 3);
  g_assert_cmpstr (text (tag, "membership"), ==, "1:0");
}

static void
test_cascade (void)
{
  g_autoptr (GPtrArray) snapshots =
      run ("lower-pipeline-loops", NULL, NULL, NULL, "for i in pl.pipeline(n, stage=3):\n    o: $I = i * 2\n");
  g_autofree char *all = kinds (steps_of (snapshots));
  g_assert_cmpstr (all, ==, "loop cascade clone*2 cascade clone main clone*3");
}

static void
test_skew (void)
{
  g_autoptr (GPtrArray) snapshots = run ("skew-cross-core-pipeline", NULL, NULL, NULL,
                                         "for i in pl.pipeline(0, 4, 1, stage=2):\n    p: $V = pl.tile.load(x, [i * 32, 0], $w)\n"
                                         "    pl.tile.tpush_to_aiv(p, split=0)\n    g: $V = pl.tile.tpop_from_aiv(split=0)\n");
  const TsSteps *steps = steps_of (snapshots);
  g_autofree char *all = kinds (steps);
  g_assert_cmpstr (all, ==, "gate*6 loop role*3 copy tag copy tag copy*3 tag copy tag copy*2");
  const TsStep *loop = ts_steps_get (steps, 6);
  g_assert_cmpint (integer (loop, "depth_wanted"), ==, 2);
  g_assert_cmpint (integer (loop, "depth"), ==, 2);
  g_assert_cmpstr (text (ts_steps_get (steps, 8), "half"), ==, "send");
  g_assert_cmpint (integer (ts_steps_get (steps, 8), "lead"), ==, 1);
}

/* The step of a kind with this text in a field; fails when there is none. */
static const TsStep *
find_step (const TsSteps *steps, const char *kind, const char *key, const char *value)
{
  for (guint i = 0; i < ts_steps_length (steps); i++)
    {
      const TsStep *step = ts_steps_get (steps, i);
      if (strcmp (step->kind, kind) == 0 && (key == NULL || g_strcmp0 (text (step, key), value) == 0))
        return step;
    }
  g_error ("no step %s with %s = %s", kind, key, value);
}

/* Every gate of the skew that can fail, with the value that failed and where. */
static const struct
{
  const char *gate, *body, *value;
  gint        at; /* statement; -1: the loop itself */
} skew_gates[] = {
  { "one-message",
    "p: $V = pl.tile.load(x, [i * 32, 0], $w)\n    pl.tile.tpush_to_aiv(p, split=0)\n    pl.tile.tpush_to_aiv(p, split=0)\n"
    "    g: $V = pl.tile.tpop_from_aiv(split=0)\n",
    "2 pushes and 1 pops, 3 messages with those of inner blocks", -1 },
  { "hidden-effects",
    "p: $V = pl.tile.load(x, [i * 32, 0], $w)\n    pl.tile.tpush_to_aiv(p, split=0)\n"
    "    g: $V = pl.tile.tpop_from_aiv(split=0)\n    pl.tile.write(p, [0, i], f)\n",
    "tile.write", 4 },
  { "scalar-slices",
    "p: $V = pl.tile.load(x, [i * 32, 0], $w)\n    pl.tile.tpush_to_aiv(p, split=0)\n"
    "    g: $V = pl.tile.tpop_from_aiv(split=0)\n    h: $V = pl.tile.add(g, p)\n",
    NULL, -1 },
};

static void
test_skew_gates (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (skew_gates); i++)
    {
      g_autofree char *body = g_strconcat ("for i in pl.pipeline(0, 4, 1, stage=2):\n    ", skew_gates[i].body, NULL);
      g_autoptr (GPtrArray) snapshots = run ("skew-cross-core-pipeline", NULL, "x: $G, f: $F", NULL, body);
      const TsSteps *steps = steps_of (snapshots);
      const TsStep *loop = find_step (steps, "loop", NULL, NULL);
      g_test_message ("%s", skew_gates[i].gate);
      const TsStep *gate = find_step (steps, "gate", "gate", skew_gates[i].gate);
      g_assert_nonnull (text (gate, "value"));
      g_assert_cmpint (integer (gate, "passed"), ==, 0);
      if (skew_gates[i].value != NULL)
        g_assert_cmpstr (text (gate, "value"), ==, skew_gates[i].value);
      if (skew_gates[i].at >= 0)
        g_assert_cmpint (integer (gate, "failed_statement"), ==, skew_gates[i].at);
      g_assert_nonnull (text (loop, "reason"));
    }
}

static void
test_unroll (void)
{
  g_autoptr (GPtrArray) snapshots =
      run ("unroll-loops", NULL, NULL, NULL,
           "for i in pl.unroll(2, 6, 2):\n    for j in pl.unroll(2):\n        o: $I = i * 2 + j\n");
  const TsSteps *steps = steps_of (snapshots);
  g_autofree char *all = kinds (steps);
  g_assert_cmpstr (all, ==, "loop copy loop copy*3 loop copy*2");
  g_assert_cmpint (integer (ts_steps_get (steps, 0), "trips"), ==, 2);
  g_assert_cmpint (integer (ts_steps_get (steps, 5), "value"), ==, 4);
}

#define TWO_OUTPUTS "x: $G, u: pl.Out[$G], v: pl.Out[$G]"

/* Every return that became a parameter, the new order, or why it stays. */
static void
test_return_order (void)
{
  static const struct
  {
    const char *params, *returns, *body, *kinds, *reason;
  } rows[] = {
    { TWO_OUTPUTS, "tuple[$G, $G]",
      "t: $V = pl.tile.load(x, [0, 0], $w)\na: $G = pl.tile.store(t, [0, 0], u)\nb: $G = pl.tile.store(t, [0, 0], v)\n"
      "return b, a\n",
      "return*2 permute", NULL },
    { TWO_OUTPUTS, "tuple[$G, $G]",
      "t: $V = pl.tile.load(x, [0, 0], $w)\na: $G = pl.tile.store(t, [0, 0], u)\nb: $G = pl.tile.store(t, [0, 0], v)\n"
      "return a, b\n",
      "return*2 kept", "its returns stand in the order of its parameters" },
    { TWO_OUTPUTS, "$G", "t: $V = pl.tile.load(x, [0, 0], $w)\na: $G = pl.tile.store(t, [0, 0], v)\nreturn a\n", "return kept",
      "it has more output parameters than returns" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GPtrArray) snapshots = run ("normalize-return-order", NULL, rows[i].params, rows[i].returns, rows[i].body);
      const TsSteps *steps = steps_of (snapshots);
      g_autofree char *all = kinds (steps);
      g_assert_cmpstr (all, ==, rows[i].kinds);
      if (rows[i].reason != NULL)
        find_step (steps, "kept", "reason", rows[i].reason);
    }
}

static void
test_slots (void)
{
  g_autoptr (GPtrArray) taken = run ("lower-pipeline-to-slots", "ptoas", NULL, NULL,
                                     "for i in pl.pipeline(n, stage=2):\n    u: $V = pl.tile.load(x, [i * 32, 0], $w)\n"
                                     "    v: $V = pl.tile.exp(u)\n");
  g_autofree char *first = kinds (steps_of (taken));
  g_assert_cmpstr (first, ==, "gate*8 slots loop");
  g_autoptr (GPtrArray) refused = run ("lower-pipeline-to-slots", "ptoas", NULL, NULL,
                                       "for i in pl.pipeline(0, 64, 16, stage=2):\n    u: $V = pl.tile.load(x, [i * 32, 0], $w)\n");
  const TsSteps *steps = steps_of (refused);
  const TsStep *loop = ts_steps_get (steps, ts_steps_length (steps) - 1);
  g_assert_cmpstr (loop->kind, ==, "loop");
  g_assert_cmpint (integer (loop, "accepted"), ==, 0);
  g_assert_cmpstr (text (loop, "gate"), ==, "step");
  g_assert_cmpstr (text (loop, "value"), ==, "16");
}

/* --- JSON -------------------------------------------------------------------------------------------------------------------- */

static void
test_json (void)
{
  g_autoptr (GPtrArray) snapshots = run ("lower-pipeline-loops,canonicalize-io-order", NULL, NULL, NULL,
                                         "for i in pl.pipeline(4, stage=2):\n    l: $V = pl.tile.load(x, [i * 32, 0], $w)\n"
                                         "    c: $V = pl.tile.exp(l)\n");
  const TsSteps *steps = steps_of (snapshots);
  for (guint i = 0; i < ts_steps_length (steps); i++)
    {
      g_autoptr (GString) line = g_string_new (NULL);
      g_autoptr (JsonParser) parser = json_parser_new ();
      g_autoptr (GError) error = NULL;
      ts_step_to_json (ts_steps_get (steps, i), "CanonicalizeIOOrder", i, line);
      g_assert_null (strchr (line->str, '\n'));
      g_assert_true (json_parser_load_from_data (parser, line->str, -1, &error));
      JsonObject *object = json_node_get_object (json_parser_get_root (parser));
      g_assert_cmpstr (json_object_get_string_member (object, "pass"), ==, "CanonicalizeIOOrder");
      g_assert_cmpstr (json_object_get_string_member (object, "function"), ==, "main");
      g_assert_cmpint (json_object_get_int_member (object, "step"), ==, i);
      g_assert_cmpstr (json_object_get_string_member (object, "kind"), ==, ts_steps_get (steps, i)->kind);
      g_assert_cmpint (json_object_get_int_member (object, "statement"), >=, 0);
      g_assert_cmpint (json_object_get_int_member (object, "line"), >, 0);
    }
}

/* Every function accepts no recorder. */
static void
test_no_recorder (void)
{
  const gint64 numbers[] = { 1 };
  const char *const texts[] = { "a" };
  ts_step_begin (NULL, "kind", NULL, NULL, NULL);
  ts_step_int (NULL, "a", 1);
  ts_step_bool (NULL, "b", TRUE);
  ts_step_text (NULL, "c", "d");
  ts_step_textf (NULL, "e", "%d", 1);
  ts_step_ints (NULL, "f", numbers, 1);
  ts_step_texts (NULL, "g", texts, 1);
  ts_steps_free (NULL);
  g_assert_cmpuint (ts_steps_length (NULL), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/steps/worked-example", test_worked_example);
  g_test_add_func ("/steps/categories-and-edges", test_categories_and_edges);
  g_test_add_func ("/steps/other-steps-of-ordering", test_other_steps_of_ordering);
  g_test_add_func ("/steps/lower-pipeline-loops", test_lower_pipeline_loops);
  g_test_add_func ("/steps/cascade", test_cascade);
  g_test_add_func ("/steps/skew", test_skew);
  g_test_add_func ("/steps/skew-gates", test_skew_gates);
  g_test_add_func ("/steps/unroll", test_unroll);
  g_test_add_func ("/steps/return-order", test_return_order);
  g_test_add_func ("/steps/slots", test_slots);
  g_test_add_func ("/steps/json", test_json);
  g_test_add_func ("/steps/no-recorder", test_no_recorder);
  return g_test_run ();
}
