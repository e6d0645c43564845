/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reference dump reads without a word and prints back as the very same text; every kernel as its author wrote it prints as
 * the compiler's first dump. */
#include <string.h>

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

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The dumps of one kernel, sorted so that the order of the tests is that of the passes. */
static void
add_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_ascii_isdigit (name[0]) && g_str_has_suffix (name, ".py"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_name);
  {
    g_autofree char *base = g_path_get_basename (folder);
    g_autofree char *test = g_strdup_printf ("/golden/source/%s", base);

    g_test_add_data_func_full (test, g_strdup (folder), test_kernel, g_free);
  }
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *base = g_path_get_basename (folder);
      g_autofree char *test = g_strdup_printf ("/golden/round-trip/%s/%s", base, (char *) names->pdata[i]);

      g_test_add_data_func_full (test, g_build_filename (folder, names->pdata[i], NULL), test_dump, g_free);
    }
}

static void
add_group (const char *group)
{
  g_autofree char *path = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), group, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = g_build_filename (path, name, NULL);

      add_folder (folder);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_group ("kernels");
  add_group ("dumps");
  return g_test_run ();
}
