/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory passes make, from each reference snapshot before one of them, the next reference snapshot byte for byte; so does the
 * whole chain of them. What they say is compared in logs.c. */
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
  return g_test_run ();
}
