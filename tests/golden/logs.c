/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a pass says, as `passes -o` writes it, is byte for byte what the compiler wrote, for every reference snapshot made by a pass
 * of ours; where the compiler wrote no log, neither do we. Lines of passes that are not ours do not count. What was written is read
 * again, whole. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "folders.h"
#include "run/run.h"

/* Of the reference logs: a hint on the width of transfers, which no pass of ours gives. */
#define FOREIGN "I | [perf_hint PH001] "

typedef struct
{
  char     *before, *log, *pass; /* log: path of the reference's, whether it is there or not */
  gboolean  fails;
  TsPlanner planner;
} Case;

static void
case_free (gpointer data)
{
  Case *c = data;

  g_free (c->before);
  g_free (c->log);
  g_free (c->pass);
  g_free (c);
}

/* Of a file that is not there: nothing. */
static char *
text_of (const char *path)
{
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : g_strdup ("");
}

static char *
without_foreign (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GString) kept = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++)
    if (!g_str_has_prefix (lines[i], FOREIGN))
      g_string_append_printf (kept, "%s%s", lines[i], lines[i + 1] != NULL ? "\n" : "");
  return g_string_free (g_steal_pointer (&kept), FALSE);
}

static TsRun *
prepared (const char *path, const TsRunOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsInput) input = ts_input_load (path, NULL, NULL, &error);
  TsRun *run;

  g_assert_no_error (error);
  run = ts_run_new (input, options, &error);
  g_assert_no_error (error);
  ts_run_prepare (run, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return run;
}

static void
write_dumps (TsRun *run, const char *folder)
{
  g_autoptr (GError) error = NULL;

  ts_run_write_dumps (run, folder, NULL, &error);
  g_assert_no_error (error);
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GPtrArray) names = golden_list (folder);

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static const TsDiag *
find_diag (const TsDiagList *diags, const char *code)
{
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    if (strcmp (ts_diag_list_get (diags, i)->code, code) == 0)
      return ts_diag_list_get (diags, i);
  return NULL;
}

/* The folder `folder` opened as one of dumps says `log` of its last pass, and writes it again as it was. */
static void
check_read (const Case *c, const char *folder, const char *log_name, const char *log)
{
  TsRunOptions options = TS_RUN_OPTIONS_INIT;
  g_autoptr (TsRun) run = prepared (folder, &options);

  if (c->fails)
    {
      g_autofree char *stripped = g_strchomp (g_strdup (log));
      const TsDiag *diag = find_diag (ts_input_diags (ts_run_input (run)), "dump-failed");

      g_assert_nonnull (diag);
      g_assert_cmpstr (diag->help, ==, stripped);
      return;
    }
  g_autofree char *again = g_build_filename (folder, "again", NULL), *path = g_build_filename (again, log_name, NULL);

  g_assert_cmpuint (ts_run_n_snapshots (run), ==, 2);
  g_assert_cmpstr (ts_run_snapshot (run, 1)->log, ==, log);
  write_dumps (run, again);
  g_autofree char *rewritten = text_of (path);
  g_assert_cmpstr (rewritten, ==, log);
  remove_folder (again);
}

static void
test_log (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("ts-logs-XXXXXX", &error);
  g_autofree char *name = c->fails ? g_strdup ("01_failed.log") : g_strdup_printf ("01_after_%s.log", c->pass);
  g_autofree char *path = g_build_filename (folder, name, NULL), *theirs = text_of (c->log);
  g_autofree char *expected = without_foreign (theirs);
  TsRunOptions options = TS_RUN_OPTIONS_INIT;

  g_assert_no_error (error);
  options.passes = c->pass;
  options.planner = c->planner;
  g_autoptr (TsRun) run = prepared (c->before, &options);
  write_dumps (run, folder);
  g_autofree char *ours = text_of (path);
  g_assert_cmpstr (ours, ==, expected);
  if (ours[0] != '\0')
    check_read (c, folder, name, ours);
  remove_folder (folder);
}

/* --- finding the cases -------------------------------------------------------------------------------------------------- */

/* Of a snapshot's file name, that of its log; of a log its own. */
static char *
log_name_of (const char *file)
{
  const char *dot = strrchr (file, '.');

  return g_strdup_printf ("%.*s.log", (int) (dot - file), file);
}

static void
add_folder (const char *set, const char *root, const char *name, gpointer data)
{
  g_autofree char *folder = g_build_filename (root, name, NULL);
  g_autoptr (GPtrArray) files = golden_list (folder);
  guint *n_said = data;
  const char *before = NULL;

  for (guint i = 0; i < files->len; i++)
    {
      const char *file = files->pdata[i];
      g_autofree char *pass = golden_pass_of (file, before);

      if (before != NULL && pass != NULL && ts_pass_find (pass) != NULL)
        {
          Case *c = g_new0 (Case, 1);
          g_autofree char *log = log_name_of (file), *test = g_strdup_printf ("/golden/logs/%s/%s/%s", set, name, log);

          c->before = g_build_filename (folder, before, NULL);
          c->log = g_build_filename (folder, log, NULL);
          c->fails = g_str_has_suffix (file, "_failed.log");
          c->planner = golden_planner (name);
          *n_said += g_file_test (c->log, G_FILE_TEST_EXISTS);
          c->pass = g_steal_pointer (&pass);
          g_test_add_data_func_full (test, c, test_log, case_free);
        }
      if (golden_is_snapshot (file))
        before = file;
    }
}

int
main (int argc, char **argv)
{
  guint n_said = 0;

  g_test_init (&argc, &argv, NULL);
  golden_each_kernel (add_folder, &n_said);
  /* Without these the comparison would be of nothing with nothing. */
  g_assert_cmpuint (n_said, >=, 4);
  return g_test_run ();
}
