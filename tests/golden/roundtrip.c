/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reference dump reads without a word and prints back as the very same text; every kernel as its author wrote it prints as
 * the compiler's first dump. */
#include "folders.h"
#include "lang/pypto/pypto.h"

static char *
read_and_print (const char *path)
{
  g_autofree char *text = NULL;
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsSource) source = NULL;
  g_autoptr (TsModule) module = NULL;
  g_autoptr (GString) said = g_string_new (NULL);
  gsize length;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  source = ts_source_new_text (path, text);
  module = ts_pypto_parse (source, strings, NULL, diags);
  ts_diag_list_format (diags, TRUE, said);
  g_assert_cmpstr (said->str, ==, "");
  g_assert_nonnull (module);
  return ts_pypto_print (module, NULL, NULL);
}

static void
test_dump (gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autofree char *printed = read_and_print (data);

  g_assert_true (g_file_get_contents (data, &text, NULL, NULL));
  g_assert_cmpstr (printed, ==, text);
}

/* The data is the folder. */
static void
test_kernel (gconstpointer data)
{
  g_autofree char *source = g_build_filename (data, "kernel.py", NULL);
  g_autofree char *first = g_build_filename (data, "00_frontend.py", NULL);
  g_autofree char *text = NULL;
  g_autofree char *printed = read_and_print (source);

  g_assert_true (g_file_get_contents (first, &text, NULL, NULL));
  g_assert_cmpstr (printed, ==, text);
}

/* The dumps of one kernel, in the order of the passes. */
static void
add_folder (const char *set, const char *root, const char *name, gpointer data)
{
  g_autofree char *folder = g_build_filename (root, name, NULL);
  g_autoptr (GPtrArray) names = golden_snapshots (folder);
  g_autofree char *source = g_strdup_printf ("/golden/source/%s", name);

  g_test_add_data_func_full (source, g_strdup (folder), test_kernel, g_free);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *test = g_strdup_printf ("/golden/round-trip/%s/%s", name, (char *) names->pdata[i]);

      g_test_add_data_func_full (test, g_build_filename (folder, names->pdata[i], NULL), test_dump, g_free);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  golden_each_kernel (add_folder, NULL);
  return g_test_run ();
}
