/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans (--passes, planners), running them, verification between passes, what stays after a failure. Source: cli.md, spec
 * passes-schedule section 9. */
#include <string.h>

#include "cases.h"
#include "lang/pypto/pypto.h"
#include "passes/compiler-order.h"

/* --- plans ------------------------------------------------------------------------------------------------------------------- */

static char *
plan_text (const GArray *plan)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < plan->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", g_array_index (plan, TsPlannedPass, i).pass->id);
  return g_string_free (text, FALSE);
}

#define SCHEDULE                                                                                                        \
  "unroll-loops,convert-to-ssa,normalize-return-order,skew-cross-core-pipeline,lower-pipeline-to-slots,lower-pipeline-loops," \
  "canonicalize-io-order"
#define BUFFERS "materialize-tensor-strides,init-mem-ref,materialize-semantic-aliases"

static void
test_default_orders (void)
{
  static const char *const orders[TS_N_PLANNERS] = {
    [TS_PLANNER_PYPTO] = SCHEDULE "," BUFFERS ",memory-reuse,allocate-memory-addr",
    [TS_PLANNER_PTOAS] = SCHEDULE "," BUFFERS,
    [TS_PLANNER_DSA_RP] = SCHEDULE "," BUFFERS ",allocate-memory-addr",
  };
  for (guint i = 0; i < TS_N_PLANNERS; i++)
    {
      g_autoptr (GArray) plan = ts_pass_plan_default (TS_LANGUAGE_PYPTO, i);
      g_autofree char *text = plan_text (plan);
      g_assert_cmpstr (text, ==, orders[i]);
      g_autoptr (GArray) parsed = ts_pass_plan_parse ("default", TS_LANGUAGE_PYPTO, i, NULL);
      g_autofree char *again = plan_text (parsed);
      g_assert_cmpstr (again, ==, text);
    }
}

static const struct
{
  const char *text, *plan;
  TsPassError error;
  const char *says;
} plans[] = {
  { "none", "", 0, NULL },
  { "LowerPipelineLoops", "lower-pipeline-loops", 0, NULL },
  { "lower-pipeline-loops, CanonicalizeIOOrder", "lower-pipeline-loops,canonicalize-io-order", 0, NULL },
  { "unroll-loops,none,unroll-loops", "unroll-loops,unroll-loops", 0, NULL },
  { "lower-pipeline-loops{}", "lower-pipeline-loops", 0, NULL },
  { "lower-pipeline-loop", NULL, TS_PASS_ERROR_UNKNOWN_PASS, "did you mean lower-pipeline-loops" },
  { "xyzzy", NULL, TS_PASS_ERROR_UNKNOWN_PASS, "xyzzy" },
  { "", NULL, TS_PASS_ERROR_SYNTAX, "empty name" },
  { "unroll-loops,,convert-to-ssa", NULL, TS_PASS_ERROR_SYNTAX, "empty name" },
  { "unroll-loops{a=1", NULL, TS_PASS_ERROR_SYNTAX, "Braces" },
  { "unroll-loops}", NULL, TS_PASS_ERROR_SYNTAX, "Braces" },
  { "unroll-loops{a=1}x", NULL, TS_PASS_ERROR_SYNTAX, "Braces" },
  { "unroll-loops{a{b}}", NULL, TS_PASS_ERROR_SYNTAX, "Braces" },
  { "unroll-loops{a}", NULL, TS_PASS_ERROR_SYNTAX, "NAME=VALUE" },
  { "unroll-loops{a=1}", NULL, TS_PASS_ERROR_UNKNOWN_OPTION, "takes no options" },
};

static void
test_plan (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) plan = ts_pass_plan_parse (plans[i].text, TS_LANGUAGE_PYPTO, TS_PLANNER_PYPTO, &error);
  if (plans[i].plan != NULL)
    {
      g_assert_no_error (error);
      g_autofree char *text = plan_text (plan);
      g_assert_cmpstr (text, ==, plans[i].plan);
      return;
    }
  g_assert_null (plan);
  g_assert_error (error, TS_PASS_ERROR, (gint) plans[i].error);
  g_assert_nonnull (strstr (error->message, plans[i].says));
}

static void
test_other_language (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) plan = ts_pass_plan_parse ("unroll-loops", TS_LANGUAGE_TTIR, TS_PLANNER_PYPTO, &error);
  g_assert_null (plan);
  g_assert_error (error, TS_PASS_ERROR, TS_PASS_ERROR_LANGUAGE);
}

/* Both spellings of every pass, no two alike, and a help text for each. */
static void
test_registry (void)
{
  guint n;
  const TsPassInfo *const *registry = ts_pass_registry (&n);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_assert_cmpuint (n, >=, 7);
  for (guint i = 0; i < n; i++)
    {
      g_assert_true (ts_pass_find (registry[i]->name) == registry[i]);
      g_assert_true (ts_pass_find (registry[i]->id) == registry[i]);
      g_assert_true (g_hash_table_add (seen, (gpointer) registry[i]->name));
      g_assert_cmpuint (strlen (registry[i]->summary), >, 0);
      g_assert_cmpuint (strlen (registry[i]->help), >, strlen (registry[i]->summary));
      g_assert_nonnull (registry[i]->run);
    }
  g_assert_null (ts_pass_find ("xyzzy"));
}

/* What our passes declare is what the compiler's passes of that name do. ConvertToSSA does the work of FlattenCallExpr too, and the
 * memory passes vouch for one property that the compiler has no name for. */
static void
test_declarations (void)
{
  const TsPropertySet ours = TS_PROPERTY_BIT (TS_PROPERTY_IN_PLACE_TILES);
  guint n, found = 0;
  const TsPassInfo *const *registry = ts_pass_registry (&n);
  for (guint i = 0; i < n; i++)
    {
      const TsCompilerPass *row = ts_compiler_pass_find (registry[i]->name);
      if (row == NULL)
        continue;
      TsPropertySet more = strcmp (row->name, "ConvertToSSA") == 0 ? TS_PROPERTY_BIT (TS_PROPERTY_NO_NESTED_CALLS) : 0;
      found++;
      g_test_message ("%s", row->name);
      g_assert_cmphex (registry[i]->required, ==, row->required);
      g_assert_cmphex (registry[i]->produced & ~ours, ==, row->produced | more);
      g_assert_cmphex (registry[i]->invalidated, ==, row->invalidated);
    }
  g_assert_cmpuint (found, ==, 12);
  g_assert_null (ts_compiler_pass_find ("GraphOptimize"));
}

/* Along the compiler's order: what holds after each of these passes, and what is over then. */
static void
test_properties_after (void)
{
  static const struct { const char *pass; TsProperty property; gboolean holds; } order[] = {
    { "frontend", TS_PROPERTY_SSA_FORM, FALSE },
    { "UnrollLoops", TS_PROPERTY_UNROLL_RESOLVED, TRUE },
    { "NormalizeStmtStructure", TS_PROPERTY_NORMALIZED_STMT_STRUCTURE, TRUE },
    { "ConvertToSSA", TS_PROPERTY_NORMALIZED_STMT_STRUCTURE, FALSE },
    { "Simplify", TS_PROPERTY_SSA_FORM, TRUE },
    { "Simplify", TS_PROPERTY_NO_NESTED_CALLS, FALSE },
    { "FlattenCallExpr", TS_PROPERTY_NO_NESTED_CALLS, TRUE },
    { "LowerPipelineLoops", TS_PROPERTY_PIPELINE_RESOLVED, FALSE },
    { "CanonicalizeIOOrder", TS_PROPERTY_PIPELINE_RESOLVED, TRUE },
    { "InitMemRef", TS_PROPERTY_SSA_FORM, FALSE },
    { "MemoryReuse", TS_PROPERTY_HAS_MEM_REFS, TRUE },
    { "AllocateMemoryAddr", TS_PROPERTY_UNROLL_RESOLVED, TRUE },
    { "SomebodysOwn", TS_PROPERTY_UNROLL_RESOLVED, FALSE },
    { "InitMemRef", TS_PROPERTY_NO_NESTED_CALLS, TRUE }, /* of itself: it requires tile operations */
    { "InitMemRef", TS_PROPERTY_PIPELINE_RESOLVED, FALSE },
  };
  TsPropertySet held = 0;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      held = ts_properties_after (order[i].pass, held);
      g_test_message ("%s %s", order[i].pass, ts_property_name (order[i].property));
      g_assert_cmpint ((held & TS_PROPERTY_BIT (order[i].property)) != 0, ==, order[i].holds);
    }
}

static void
test_names (void)
{
  TsPlanner planner;
  TsVerifyLevel level;
  for (guint i = 0; i < TS_N_PLANNERS; i++)
    {
      g_assert_true (ts_planner_from_name (ts_planner_name (i), &planner));
      g_assert_cmpint (planner, ==, i);
    }
  for (guint i = 0; i < TS_N_VERIFY_LEVELS; i++)
    {
      g_assert_true (ts_verify_level_from_name (ts_verify_level_name (i), &level));
      g_assert_cmpint (level, ==, i);
    }
  g_assert_false (ts_planner_from_name ("fast", &planner));
  g_assert_false (ts_verify_level_from_name ("roundtrip", &level));
}

/* --- runs -------------------------------------------------------------------------------------------------------------------- */

static TsModule *
parse (const char *body)
{
  TsCase c = { 0 };
  g_autofree char *program = ts_case_program (&c, body);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsModule *module = ts_case_parse (program, diags);
  g_assert_false (ts_diag_list_has_errors (diags));
  return module;
}

static GPtrArray *
run (const char *body, const char *passes, TsPipelineOptions options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) plan = ts_pass_plan_parse (passes, TS_LANGUAGE_PYPTO, options.planner, &error);
  g_assert_no_error (error);
  return ts_pipeline_run (parse (body), plan, &options);
}

#define KERNEL                                                       \
  "for i in pl.pipeline(0, 4, 1, stage=2):\n"                        \
  "    l: $V = pl.tile.load(x, [i * 32, 0], $w)\n"                   \
  "    c: $V = pl.tile.exp(l)\n"                                     \
  "    pl.tile.store(c, [i * 32, 0], y)\n"

static void
test_snapshots (void)
{
  static const gboolean changed[] = { FALSE, FALSE, FALSE, TRUE, TRUE };
  g_autoptr (GPtrArray) snapshots = run (KERNEL, "unroll-loops,convert-to-ssa,lower-pipeline-loops,canonicalize-io-order",
                                         (TsPipelineOptions){ .verify = TS_VERIFY_FULL });
  g_assert_cmpuint (snapshots->len, ==, 5);
  for (guint i = 0; i < snapshots->len; i++)
    {
      const TsPassSnapshot *snapshot = snapshots->pdata[i];
      g_autofree char *name = ts_pass_snapshot_file_name (snapshot, i, TS_LANGUAGE_PYPTO);
      g_assert_cmpint (snapshot->status, ==, TS_SNAPSHOT_OK);
      g_assert_nonnull (snapshot->module);
      g_assert_cmpint (snapshot->changed, ==, changed[i]);
      g_assert_null (snapshot->steps);
      g_assert_true (g_str_has_prefix (
          name, i == 0 ? "00_frontend.py" : (const char *[]){ "", "01_after_U", "02_after_C", "03_after_L", "04_after_C" }[i]));
    }
}

/* Snapshots before the failure stay; the failed one says why and has no module. */
static void
test_failure_keeps_snapshots (void)
{
  g_autoptr (GPtrArray) snapshots = run ("for i in pl.pipeline(0, 4, n, stage=2):\n    o: $I = i * 2\n",
                                         "unroll-loops,lower-pipeline-loops,canonicalize-io-order", (TsPipelineOptions) { 0 });
  g_assert_cmpuint (snapshots->len, ==, 3);
  const TsPassSnapshot *before = snapshots->pdata[1], *failed = snapshots->pdata[2];
  g_assert_nonnull (before->module);
  g_assert_cmpint (failed->status, ==, TS_SNAPSHOT_FAILED);
  g_assert_null (failed->module);
  const TsDiag *diag = ts_diag_list_get (failed->diags, 0);
  g_assert_cmpstr (diag->rule, ==, "LowerPipelineLoops");
  g_assert_cmpstr (diag->function, ==, "main");
  g_autofree char *name = ts_pass_snapshot_file_name (failed, 2, TS_LANGUAGE_PYPTO);
  g_assert_cmpstr (name, ==, "02_failed.log");
}

static gboolean
says (const TsPassSnapshot *snapshot, const char *words)
{
  g_autoptr (GString) text = g_string_new (NULL);
  ts_diag_list_format (snapshot->diags, TRUE, text);
  return strstr (text->str, words) != NULL;
}

/* A pass that leaves what it says it resolves: CanonicalizeIOOrder skips a function, PipelineResolved notices. */
static void
test_verification_after (void)
{
  const char *program = "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
                        "    def fill(y: pl.InOut[$G]) -> $G:\n        return y\n"
                        "    @pl.function(type=pl.FunctionType.Group, level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker)\n"
                        "    def main(y: pl.InOut[$G]):\n"
                        "        for i in pl.pipeline(0, 4, 1, stage=1):\n"
                        "            u: $G = self.fill(y)\n            o: $I = i * 32\n";
  TsCase c = { .name = (char *) "group", .whole = TRUE, .input = (char *) program, .passes = (char *) "canonicalize-io-order",
               .verify = (char *) "basic" };
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (GPtrArray) snapshots = ts_case_run (&c, NULL, FALSE, diags);
  g_assert_cmpuint (snapshots->len, ==, 2);
  const TsPassSnapshot *last = snapshots->pdata[1];
  g_assert_cmpint (last->status, ==, TS_SNAPSHOT_FAILED);
  g_assert_true (says (last, "Pipeline loop is left (function 'main')"));
  g_assert_true (says (last, "Verification failed after CanonicalizeIOOrder"));
  c.verify = (char *) "full";
  g_autoptr (GPtrArray) full = ts_case_run (&c, NULL, FALSE, diags);
  g_assert_true (says (full->pdata[full->len - 1], "Post-verification failed after CanonicalizeIOOrder"));
}

/* Under `full` what a pass requires is looked at before it runs, under `basic` what it produces afterwards, under `none` nothing.
 */
static void
test_verification_before (void)
{
  const char *body = "a: $I = n\na: $I = a + 1\nfor i in pl.pipeline(0, 4, 1, stage=2):\n    o: $I = i * 2\n";
  g_autoptr (GPtrArray) full = run (body, "lower-pipeline-loops", (TsPipelineOptions) { .verify = TS_VERIFY_FULL });
  const TsPassSnapshot *last = full->pdata[full->len - 1];
  g_assert_cmpint (last->status, ==, TS_SNAPSHOT_FAILED);
  g_assert_cmpstr (ts_diag_list_get (last->diags, 0)->rule, ==, "SSAVerify");
  g_assert_true (says (last, "Pre-verification failed before LowerPipelineLoops"));
  g_autoptr (GPtrArray) basic = run (body, "lower-pipeline-loops", (TsPipelineOptions) { .verify = TS_VERIFY_BASIC });
  last = basic->pdata[basic->len - 1];
  g_assert_cmpint (last->status, ==, TS_SNAPSHOT_FAILED);
  g_assert_true (says (last, "Verification failed after LowerPipelineLoops"));
  g_autoptr (GPtrArray) none = run (body, "lower-pipeline-loops", (TsPipelineOptions) { .verify = TS_VERIFY_NONE });
  g_assert_cmpint (((TsPassSnapshot *) none->pdata[1])->status, ==, TS_SNAPSHOT_OK);
}

/* Without a machine no capacity is known, and LowerPipelineToSlots refuses nothing for want of room. */
static void
test_slots_without_machine (void)
{
  static const char body[] = "for i in pl.pipeline(32, stage=16):\n"
                             "    l: $V = pl.tile.load(x, [i * 32, 0], $w)\n    m: $V = pl.tile.load(z, [i * 32, 0], $w)\n"
                             "    c: $V = pl.tile.add(l, m)\n    pl.tile.store(c, [i * 32, 0], y)\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, &error);
  g_assert_no_error (error);
  const TsMachine *machines[] = { NULL, machine };
  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      TsPipelineOptions options = { .planner = TS_PLANNER_PTOAS, .machine = machines[i] };
      g_autoptr (GPtrArray) snapshots = run (body, "lower-pipeline-to-slots", options);
      g_assert_cmpint (((TsPassSnapshot *) snapshots->pdata[1])->changed, ==, machines[i] == NULL);
    }
}

static gboolean
refuse_pipelines (const TsModule *module, TsDiagList *diags, gpointer data)
{
  ++*(guint *) data;
  return ts_verify (module, TS_PROPERTY_PIPELINE_RESOLVED, diags);
}

/* The caller's own check (the round trip) runs under `full` only, after every pass. */
static void
test_callers_check (void)
{
  guint n = 0;
  TsPipelineOptions options = { .verify = TS_VERIFY_FULL, .check = refuse_pipelines, .check_data = &n };
  g_autoptr (GPtrArray) full = run (KERNEL, "lower-pipeline-loops,canonicalize-io-order", options);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (full->len, ==, 2);
  g_assert_cmpint (((TsPassSnapshot *) full->pdata[1])->status, ==, TS_SNAPSHOT_FAILED);
  options.verify = TS_VERIFY_BASIC;
  g_autoptr (GPtrArray) basic = run (KERNEL, "lower-pipeline-loops,canonicalize-io-order", options);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (basic->len, ==, 3);
}

static void
cancel_at_second (guint index, guint n, const TsPassInfo *pass, gpointer data)
{
  g_assert_cmpuint (n, ==, 3);
  if (index == 1)
    g_cancellable_cancel (data);
}

static void
test_cancel (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  TsPipelineOptions options = { .cancellable = cancellable, .progress = cancel_at_second, .progress_data = cancellable };
  g_autoptr (GPtrArray) snapshots = run (KERNEL, "unroll-loops,lower-pipeline-loops,canonicalize-io-order", options);
  g_assert_cmpuint (snapshots->len, ==, 3);
  g_assert_cmpint (((TsPassSnapshot *) snapshots->pdata[1])->status, ==, TS_SNAPSHOT_OK);
  const TsPassSnapshot *last = snapshots->pdata[2];
  g_assert_cmpint (last->status, ==, TS_SNAPSHOT_CANCELLED);
  g_assert_null (last->module);
}

/* --- provenance -------------------------------------------------------------------------------------------------------------- */

static void
test_provenance (void)
{
  g_autoptr (GPtrArray) snapshots = run (KERNEL, "lower-pipeline-loops", (TsPipelineOptions) { 0 });
  const TsPassSnapshot *input = snapshots->pdata[0], *last = snapshots->pdata[1];
  const TsOp *loop = ts_function_block (input->module->functions[0])->first;
  const TsOp *load = ts_op_body (loop, 0)->first;
  const TsOp *copied = ts_op_body (ts_function_block (last->module->functions[0])->first, 0)->first;
  g_assert_cmpint (copied->origin.op, ==, load->id);
  g_assert_cmpint (copied->origin.clone, ==, 0);
  for (guint i = 0; i < 3; i++)
    copied = copied->next;
  g_assert_cmpint (copied->origin.op, ==, load->id);
  g_assert_cmpint (copied->origin.clone, ==, 1);
  g_assert_cmpuint (ts_module_line (last->module, copied->span), ==, ts_module_line (input->module, load->span));
}

/* What a pass makes on its own comes from the loop it was made for. */
static void
test_provenance_of_new (void)
{
  g_autoptr (GPtrArray) snapshots = run ("for i in pl.pipeline(0, n, 1, stage=2):\n    o: $I = i * 2\n", "lower-pipeline-loops",
                                         (TsPipelineOptions) { 0 });
  const TsPassSnapshot *input = snapshots->pdata[0], *last = snapshots->pdata[1];
  gint32 loop = ts_function_block (input->module->functions[0])->first->id;
  guint n = 0;
  for (const TsOp *op = ts_function_block (last->module->functions[0])->first; op != NULL; op = op->next, n++)
    g_assert_cmpint (op->origin.op, ==, loop);
  g_assert_cmpuint (n, ==, 4); /* end, loop, remainder, if */
}

/* The same input gives the same text. */
static void
test_deterministic (void)
{
  g_autofree char *texts[2] = { NULL, NULL };
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) snapshots = run (KERNEL, "lower-pipeline-loops,canonicalize-io-order", (TsPipelineOptions) { 0 });
      texts[i] = ts_pypto_print (((TsPassSnapshot *) snapshots->pdata[2])->module, NULL, NULL);
    }
  g_assert_cmpstr (texts[0], ==, texts[1]);
  g_free (texts[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pipeline/default-orders", test_default_orders);
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    {
      g_autofree char *name = g_strdup_printf ("/pipeline/plan/%u", i);
      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_plan);
    }
  g_test_add_func ("/pipeline/other-language", test_other_language);
  g_test_add_func ("/pipeline/registry", test_registry);
  g_test_add_func ("/pipeline/declarations", test_declarations);
  g_test_add_func ("/pipeline/properties-after", test_properties_after);
  g_test_add_func ("/pipeline/names", test_names);
  g_test_add_func ("/pipeline/snapshots", test_snapshots);
  g_test_add_func ("/pipeline/failure-keeps-snapshots", test_failure_keeps_snapshots);
  g_test_add_func ("/pipeline/verification-after", test_verification_after);
  g_test_add_func ("/pipeline/verification-before", test_verification_before);
  g_test_add_func ("/pipeline/callers-check", test_callers_check);
  g_test_add_func ("/pipeline/slots-without-machine", test_slots_without_machine);
  g_test_add_func ("/pipeline/cancel", test_cancel);
  g_test_add_func ("/pipeline/provenance", test_provenance);
  g_test_add_func ("/pipeline/provenance-of-new", test_provenance_of_new);
  g_test_add_func ("/pipeline/deterministic", test_deterministic);
  return g_test_run ();
}
