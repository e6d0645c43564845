/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants of a file's Python against what the interpreter makes of them: cases/constants.values holds one case a line,
 *   PYTHON => K            with "\n" for a new line; K is what the name K has in the end
 *   PYTHON => open         K has no value that can be found, and stays a symbol
 * A value is right or open, never wrong. */
#include <string.h>

#include "lang/pypto/pypto.h"

static char *
value_of (const char *python)
{
  g_auto (GStrv) lines = g_strsplit (python, "\\n", -1);
  g_autofree char *code = g_strjoinv ("\n", lines);
  g_autofree char *text = g_strconcat ("import pypto.language as pl\n", code,
                                       "\n@pl.function\ndef f(x: pl.Tensor[[K], pl.FP32]):\n    return\n", NULL);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsModule) module = NULL;
  g_autoptr (TsStrings) strings = ts_strings_new ();
  TsSource *source = ts_source_new_text ("case.py", text);
  TsPyptoOptions options = { 0 };
  char *printed, *from, *to, *value;

  module = ts_pypto_parse (source, strings, &options, diags);
  ts_source_unref (source);
  if (module == NULL)
    return g_strdup ("refused");
  printed = ts_pypto_print (module, NULL, NULL);
  from = strstr (printed, "Tensor[[");
  to = from != NULL ? strstr (from, "], pl.FP32") : NULL;
  value = to != NULL ? g_strndup (from + 8, (gsize) (to - from - 8)) : g_strdup ("nothing");
  g_free (printed);
  return value;
}

static void
test_constants (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "unit", "pypto", "cases", "constants.values", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *arrow = g_strrstr (lines[i], " => ");
      g_autofree char *value = NULL;

      if (arrow == NULL || lines[i][0] == '#')
        continue;
      *arrow = '\0';
      value = value_of (lines[i]);
      n++;
      if (strcmp (strcmp (value, "K") == 0 ? "open" : value, arrow + 4) != 0)
        {
          g_test_message ("constants.values:%u: %s: is %s, should be %s", i + 1, lines[i], value, arrow + 4);
          g_test_fail ();
        }
    }
  g_assert_cmpuint (n, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pypto/constants", test_constants);
  return g_test_run ();
}
