/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory passes make, from each reference snapshot before one of them, the next reference snapshot byte for byte; so does the
 * whole chain of them. What they say is checked against the reference logs by content. */
#include <string.h>

#include "folders.h"
#include "lang/pypto/pypto.h"
#include "machine/machine.h"
#include "passes/pipeline.h"

static const char *const memory_passes[] = { "MaterializeTensorStrides", "InitMemRef", "MaterializeSemanticAliases", "MemoryReuse",
                                             "AllocateMemoryAddr" };

typedef struct
{
  char *before, *after; /* snapshot files */
  char *passes;         /* as --passes takes them */
  TsPlanner planner;
} Case;

static void
case_free (gpointer data)
{
  Case *c = data;
  g_free (c->before);
  g_free (c->after);
  g_free (c->passes);
  g_free (c);
}

static TsModule *
load (const char *path, TsStrings *strings)
{
  g_autofree char *text = NULL;
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  gsize length;
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  g_autoptr (TsSource) source = ts_source_new_text (path, text);
  TsModule *module = ts_pypto_parse (source, strings, NULL, diags);
  g_assert_nonnull (module);
  g_assert_false (ts_diag_list_has_errors (diags));
  return module;
}

/* Runs passes on a file; the snapshots are the caller's. */
static GPtrArray *
run_passes (const char *path, const char *passes, TsPlanner planner)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) plan = ts_pass_plan_parse (passes, TS_LANGUAGE_PYPTO, planner, &error);
  g_assert_no_error (error);
  TsPipelineOptions options = { .machine = machine, .planner = planner, .verify = TS_VERIFY_FULL, .record_steps = TRUE };
  return ts_pipeline_run (load (path, strings), plan, &options);
}

static void
show_diags (const TsDiagList *diags)
{
  g_autoptr (GString) said = g_string_new (NULL);
  ts_diag_list_format (diags, TRUE, said);
  if (said->len > 0)
    g_test_message ("%s", said->str);
}

static void
test_snapshot (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (GPtrArray) snapshots = run_passes (c->before, c->passes, c->planner);
  const TsPassSnapshot *last = snapshots->pdata[snapshots->len - 1];
  g_autofree char *expected = NULL;
  show_diags (last->diags);
  g_assert_cmpint (last->status, ==, TS_SNAPSHOT_OK);
  g_assert_true (g_file_get_contents (c->after, &expected, NULL, NULL));
  g_autofree char *printed = ts_pypto_print (last->module, NULL, NULL);
  g_assert_cmpstr (printed, ==, expected);
}

/* What the reference said at this pass: our words differ, the facts do not. Each fragment of a line has to be in one of our
 * messages. */
static void
expect_said (const TsPassSnapshot *snapshot, const char *code, const char *const *fragments)
{
  for (guint i = 0; i < ts_diag_list_length (snapshot->diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (snapshot->diags, i);
      g_autofree char *text = g_strconcat (diag->message, "; ", diag->help, NULL);
      gboolean all = strcmp (diag->code, code) == 0;
      for (guint k = 0; fragments[k] != NULL && all; k++)
        all = strstr (text, fragments[k]) != NULL;
      if (all)
        return;
    }
  show_diags (snapshot->diags);
  g_test_message ("nothing with code %s says '%s'", code, fragments[0]);
  g_test_fail ();
}

static GPtrArray *
run_golden (const char *file, const char *passes)
{
  g_autofree char *path = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), file, NULL);
  return run_passes (path, passes, TS_PLANNER_PYPTO);
}

static void
test_hints (void)
{
  static const char *const right[3][6] = {
    { "group 0 in Right", "requested depth 2", "only 1 of 2 buffers", "32768 bytes per stage", "65536 bytes free",
      "over-subscribe" },
    { "group 1 in Right", "requested depth 2", "only 1 of 2 buffers", "32768 bytes per stage", "65536 bytes free",
      "over-subscribe" },
    { "group 2 in Right", "requested depth 2", "only 1 of 2 buffers", "32768 bytes per stage", "65536 bytes free",
      "over-subscribe" },
  };
  static const char *const vec[] = { "group 0 in Vec", "requested depth 2", "only 1 of 2 buffers", "32768 bytes per stage",
                                     "188416 bytes free", "stages 1 apart share storage", "over-subscribe the space", NULL };
  g_autoptr (GPtrArray) proj = run_golden ("dumps/proj_bias/33_after_MaterializeSemanticAliases.py", "MemoryReuse");
  g_autoptr (GPtrArray) gelu = run_golden ("dumps/gelu_rows/33_after_MaterializeSemanticAliases.py", "MemoryReuse");
  for (guint i = 0; i < G_N_ELEMENTS (right); i++)
    {
      const char *fragments[7] = { NULL };
      memcpy (fragments, right[i], sizeof right[i]);
      expect_said (proj->pdata[1], "PH-MR-001", fragments);
    }
  g_assert_cmpuint (ts_diag_list_length (((TsPassSnapshot *) proj->pdata[1])->diags), ==, 3);
  expect_said (gelu->pdata[1], "PH-MR-001", vec);
  g_assert_cmpuint (ts_diag_list_length (((TsPassSnapshot *) gelu->pdata[1])->diags), ==, 1);
}

static void
test_axpy_tail (void)
{
  static const char *const fallback[] = { "capacity-gated reuse could not fit memory space Vec", "at any double-buffering depth",
                                          "fell back to the legacy packing", NULL };
  static const char *const overflow[] = { "Vec buffer usage (196608 bytes) exceeds platform limit (188416 bytes)", NULL };
  g_autoptr (GPtrArray) snapshots = run_golden ("kernels/axpy_tail/07_after_MaterializeSemanticAliases.py",
                                                "MemoryReuse,AllocateMemoryAddr");
  g_assert_cmpuint (snapshots->len, ==, 3);
  const TsPassSnapshot *reuse = snapshots->pdata[1], *addresses = snapshots->pdata[2];
  expect_said (reuse, "memory-reuse-fallback", fallback);
  g_assert_cmpuint (ts_diag_list_length (reuse->diags), ==, 1);
  g_assert_cmpint (addresses->status, ==, TS_SNAPSHOT_FAILED);
  expect_said (addresses, "capacity", overflow);
}

/* --- finding the cases -------------------------------------------------------------------------------------------------- */

static gint
memory_pass_of (const char *file)
{
  for (guint i = 0; i < G_N_ELEMENTS (memory_passes); i++)
    {
      g_autofree char *suffix = g_strdup_printf ("_after_%s.py", memory_passes[i]);
      if (g_str_has_suffix (file, suffix))
        return (gint) i;
    }
  return -1;
}

static void
add_case (const char *folder, const char *before, const char *after, const char *passes, const char *name)
{
  Case *c = g_new0 (Case, 1);
  g_autofree char *kernel = g_path_get_basename (folder);
  g_autofree char *test = g_strdup_printf ("/golden/memory/%s/%s", kernel, name);
  c->before = g_build_filename (folder, before, NULL);
  c->after = g_build_filename (folder, after, NULL);
  c->passes = g_strdup (passes);
  c->planner = golden_planner (kernel);
  g_test_add_data_func_full (test, c, test_snapshot, case_free);
}

static void
add_folder (const char *set, const char *root, const char *name, gpointer data)
{
  g_autofree char *folder = g_build_filename (root, name, NULL);
  g_autoptr (GPtrArray) names = golden_snapshots (folder);
  g_autoptr (GString) chain = g_string_new (NULL);
  const char *first = NULL;
  for (guint i = 1; i < names->len; i++)
    {
      const char *before = names->pdata[i - 1], *after = names->pdata[i];
      gint pass = memory_pass_of (after);
      if (pass < 0)
        continue;
      if (first == NULL)
        first = before;
      g_string_append_printf (chain, "%s%s", chain->len > 0 ? "," : "", memory_passes[pass]);
      add_case (folder, before, after, memory_passes[pass], memory_passes[pass]);
      if (i + 1 == names->len)
        add_case (folder, first, after, chain->str, "chain");
    }
  g_assert_nonnull (first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  golden_each_kernel (add_folder, NULL);
  g_test_add_func ("/golden/memory/hints", test_hints);
  g_test_add_func ("/golden/memory/fallback-and-overflow", test_axpy_tail);
  return g_test_run ();
}
