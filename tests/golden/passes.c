/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our passes against the compiler's snapshots, byte for byte. For every folder of reference output and every snapshot made by one
 * of the passes listed below: the snapshot before it goes through our pass, and the text must be that of the snapshot. */
#include <gio/gio.h>
#include <string.h>

#include "folders.h"
#include "lang/pypto/pypto.h"
#include "passes/pipeline.h"

/* Passes that are compared. A pass that is not ours (yet) stands in no line. */
static const char *const checked[] = {
  "UnrollLoops",
  "ConvertToSSA",
  "NormalizeReturnOrder",
  "SkewCrossCorePipeline",
  "LowerPipelineToSlots",
  "LowerPipelineLoops",
  "CanonicalizeIOOrder",
  "MaterializeTensorStrides",
  "InitMemRef",
  "MaterializeSemanticAliases",
  "MemoryReuse",
  "AllocateMemoryAddr",
  NULL,
};

#define MACHINE "ascend910b"

typedef struct
{
  char *folder; /* path */
  char *name;   /* of the folder */
  char *before; /* file names */
  char *after;
  char *pass;   /* "LowerPipelineLoops" */
} Case;

static char *
read_text (const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

static void
assert_clean (const TsDiagList *diags)
{
  if (!ts_diag_list_has_errors (diags))
    return;
  g_autoptr (GString) text = g_string_new (NULL);
  ts_diag_list_format (diags, FALSE, text);
  g_error ("%s", text->str);
}

static TsModule *
load (const char *folder, const char *file)
{
  g_autofree char *text = read_text (folder, file);
  g_autoptr (TsSource) source = ts_source_new_text (file, text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };
  TsModule *module = ts_pypto_parse (source, strings, &options, diags);
  assert_clean (diags);
  g_assert_nonnull (module);
  return module;
}

static TsPipelineOptions
pipeline_options (TsMachine *machine, const char *folder, TsVerifyLevel verify)
{
  return (TsPipelineOptions) { .machine = machine, .planner = golden_planner (folder), .verify = verify };
}

static TsMachine *
load_machine (void)
{
  g_autoptr (GError) error = NULL;
  TsMachine *machine = ts_machine_load (MACHINE, NULL, &error);
  g_assert_no_error (error);
  return machine;
}

/* The first line that differs says more than two whole texts. */
static void
assert_same_text (const char *got, const char *expected)
{
  g_auto (GStrv) a = g_strsplit (got, "\n", -1);
  g_auto (GStrv) b = g_strsplit (expected, "\n", -1);
  for (guint i = 0; a[i] != NULL || b[i] != NULL; i++)
    {
      if (g_strcmp0 (a[i], b[i]) != 0)
        g_error ("line %u\n     got: %s\nexpected: %s", i + 1, a[i] != NULL ? a[i] : "(end)", b[i] != NULL ? b[i] : "(end)");
      g_assert_nonnull (a[i]);
    }
  g_assert_cmpstr (got, ==, expected);
}

/* --- one pass ---------------------------------------------------------------------------------------------------------------- */

static void
test_pass (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (TsMachine) machine = load_machine ();
  g_autoptr (TsModule) before = load (test->folder, test->before);
  TsPipelineOptions options = pipeline_options (machine, test->name, TS_VERIFY_NONE);
  TsPlannedPass planned = { .pass = ts_pass_find (test->pass) };
  TsPropertySet known = 0;
  g_assert_nonnull (planned.pass);

  g_autoptr (TsPassSnapshot) snapshot = ts_pipeline_run_pass (before, &planned, &options, &known);
  if (g_str_has_suffix (test->after, "_failed.log"))
    {
      g_assert_cmpint (snapshot->status, ==, TS_SNAPSHOT_FAILED);
      return;
    }
  assert_clean (snapshot->diags);
  g_assert_cmpint (snapshot->status, ==, TS_SNAPSHOT_OK);
  g_autofree char *got = ts_pypto_print (snapshot->module, NULL, NULL);
  g_autofree char *expected = read_text (test->folder, test->after);
  g_autofree char *unchanged = read_text (test->folder, test->before);
  assert_same_text (got, expected);
  /* "Changed" is what a reader of the texts would say. */
  g_assert_cmpint (snapshot->changed, ==, strcmp (expected, unchanged) != 0);
}

/* --- the chain --------------------------------------------------------------------------------------------------------------- */

/* From the first compared pass on, as long as the passes follow each other: one run of the pipeline, verified. */
typedef struct
{
  char      *folder, *name, *first;
  GPtrArray *cases; /* Case */
} Chain;

static void
test_chain (gconstpointer data)
{
  const Chain *chain = data;
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < chain->cases->len; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? "," : "", ((Case *) chain->cases->pdata[i])->pass);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) plan = ts_pass_plan_parse (list->str, TS_LANGUAGE_PYPTO, golden_planner (chain->name), &error);
  g_assert_no_error (error);

  g_autoptr (TsMachine) machine = load_machine ();
  TsPipelineOptions options = pipeline_options (machine, chain->name, TS_VERIFY_BASIC);
  g_autoptr (GPtrArray) snapshots = ts_pipeline_run (load (chain->folder, chain->first), plan, &options);
  for (guint i = 0; i < chain->cases->len; i++)
    {
      const Case *test = chain->cases->pdata[i];
      g_assert_cmpuint (i + 1, <, snapshots->len);
      const TsPassSnapshot *snapshot = snapshots->pdata[i + 1];
      if (g_str_has_suffix (test->after, "_failed.log"))
        {
          g_assert_cmpint (snapshot->status, ==, TS_SNAPSHOT_FAILED);
          return;
        }
      assert_clean (snapshot->diags);
      g_autofree char *got = ts_pypto_print (snapshot->module, NULL, NULL);
      g_autofree char *expected = read_text (test->folder, test->after);
      assert_same_text (got, expected);
    }
}

/* --- what there is ----------------------------------------------------------------------------------------------------------- */

/* What the cases are made of lives until the end. */
typedef struct
{
  TsArena   *arena;
  GPtrArray *lists; /* GPtrArray of Case, one per chain */
} Keep;

static char *
keep_text (Keep *keep, const char *text)
{
  return ts_arena_strndup (keep->arena, text, strlen (text));
}

static void
add_folder (const char *set, const char *root, const char *name, gpointer data)
{
  Keep *keep = data;
  g_autofree char *path_of_folder = g_build_filename (root, name, NULL);
  char *folder = keep_text (keep, path_of_folder);
  g_autoptr (GPtrArray) files = golden_list (folder);
  const char *before = NULL;
  Chain *chain = NULL;
  gboolean open = TRUE;
  for (guint i = 0; i < files->len; i++)
    {
      const char *file = files->pdata[i];
      g_autofree char *pass = golden_pass_of (file, before);
      if (before != NULL && pass != NULL && g_strv_contains (checked, pass))
        {
          Case *test = ts_arena_new0 (keep->arena, Case);
          *test =
              (Case){ folder, keep_text (keep, name), keep_text (keep, before), keep_text (keep, file), keep_text (keep, pass) };
          g_autofree char *path = g_strdup_printf ("/golden/passes/%s/%s/%s", set, name, file);
          g_test_add_data_func (path, test, test_pass);
          if (chain == NULL)
            {
              chain = ts_arena_new0 (keep->arena, Chain);
              *chain = (Chain) { folder, test->name, test->before, g_ptr_array_new () };
              g_ptr_array_add (keep->lists, chain->cases);
            }
          if (open)
            g_ptr_array_add (chain->cases, test);
        }
      else if (chain != NULL && pass != NULL)
        open = FALSE;
      if (golden_is_snapshot (file))
        before = file;
    }
  g_assert_nonnull (chain);
  g_autofree char *path = g_strdup_printf ("/golden/passes/%s/%s/chain", set, name);
  g_test_add_data_func (path, chain, test_chain);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  Keep keep = { ts_arena_new (), g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref) };
  golden_each_kernel (add_folder, &keep);
  int result = g_test_run ();
  g_ptr_array_unref (keep.lists);
  ts_arena_free (keep.arena);
  return result;
}
