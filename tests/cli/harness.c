/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running the command line from the tests of it. */
#include "harness.h"

#include <gio/gio.h>
#include <glib/gstdio.h>

void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR))
        remove_tree (child);
      else
        g_remove (child);
    }
  g_rmdir (path);
}

void
result_clear (Result *result)
{
  remove_tree (result->folder);
  g_free (result->folder);
  g_free (result->out);
  g_free (result->err);
}

static char *
substitute (const char *word, const char *folder)
{
  g_autoptr (GString) out = g_string_new (word);

  g_string_replace (out, "@G", g_getenv ("TS_TEST_GOLDEN"), 0);
  g_string_replace (out, "@T", folder, 0);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

void
run_cli (const char *args, const char *input, Result *result)
{
  g_auto (GStrv) words = g_strsplit (args, " ", -1);
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;

  result->folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL);
  g_ptr_array_add (argv, g_strdup (g_getenv ("TS_CLI")));
  for (char **word = words; *word != NULL; word++)
    if (**word != '\0')
      g_ptr_array_add (argv, substitute (*word, result->folder));
  g_ptr_array_add (argv, NULL);
  process = g_subprocess_newv ((const char *const *) argv->pdata,
                               G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                                 &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, input != NULL ? input : "", NULL, &result->out, &result->err, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_if_exited (process));
  result->status = g_subprocess_get_exit_status (process);
}

JsonObject *
json_of (const char *text, JsonParser *parser)
{
  g_autoptr (GError) error = NULL;

  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  return json_node_get_object (json_parser_get_root (parser));
}
