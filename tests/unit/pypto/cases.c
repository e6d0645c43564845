/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases as data: a piece of text, what it prints as, what is said about it. The files in cases/ hold
 *   === name
 *   --- body | dump | file | dump-file [-D NAME=VALUE ...] [entry NAME]
 *   --- prints      (optional: not compared when it is missing)
 *   --- says        (optional: nothing may be said when it is missing; "LINE:COLUMN code: message", help behind "; ")
 * A `body` stands in a function of source mode, a `dump` in one of dump mode; lines and columns count from the body's own.
 * The files cases/MODE-*.lines hold one case a line:
 *   given STATEMENT        stands before the cases that follow, up to an empty line
 *   TEXT                   prints as it stands (dump mode's golden round trip)
 *   TEXT => EXPECTED       prints as that; "\n" in both begins another line
 * Whatever is read without an error must read back equal from its print, and print the same again. */
#include <string.h>

#include "ir/compare.h"
#include "lang/pypto/pypto.h"

typedef struct
{
  char  *mode;
  char **defines;
  char  *entry;
  char  *text;
  char  *prints; /* NULL: not compared */
  char  *says;
  gboolean is_tail; /* `prints` is the end of what is printed */
} Case;

static void
case_free (gpointer data)
{
  Case *c = data;

  g_free (c->mode);
  g_strfreev (c->defines);
  g_free (c->entry);
  g_free (c->text);
  g_free (c->prints);
  g_free (c->says);
  g_free (c);
}

static const char source_frame[] =
  "import pypto.language as pl\n"
  "@pl.program\n"
  "class P:\n"
  "    @pl.function(type=pl.FunctionType.InCore)\n"
  "    def f(self, x: pl.Tensor[[64, 128], pl.FP32], h: pl.Tensor[[64, 128], pl.FP16], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], "
  "n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], k: pl.Scalar[pl.INT64], r: pl.Scalar[pl.FP32], c: pl.Scalar[pl.BOOL]):\n";

static const char dump_frame[] =
  "# pypto.program: P\n"
  "import pypto.language as pl\n"
  "\n"
  "@pl.program\n"
  "class P:\n"
  "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
  "    def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], "
  "m: pl.Scalar[pl.INT32], "
  "c: pl.Scalar[pl.BOOL]):\n";

#define BODY_INDENT 8u

static guint
count_lines (const char *text)
{
  guint n = 0;

  for (; *text != '\0'; text++)
    n += *text == '\n';
  return n;
}

/* The body's lines at the indentation of a method. */
static char *
frame_body (const char *frame, const char *body)
{
  GString *out = g_string_new (frame);
  g_auto (GStrv) lines = g_strsplit (body, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    g_string_append_printf (out, "%s%s\n", lines[i][0] != '\0' ? "        " : "", lines[i]);
  return g_string_free (out, FALSE);
}

/* What is printed below the line of the `def`, at column 0. */
static char *
body_of (const char *printed)
{
  const char *p = strstr (printed, "\n    def f(");
  GString *out = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;

  if (p == NULL)
    return g_strdup (printed);
  lines = g_strsplit (strchr (p + 1, '\n') + 1, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    g_string_append_printf (out, "%s\n", strlen (lines[i]) > BODY_INDENT ? lines[i] + BODY_INDENT : "");
  return g_strchomp (g_string_free (out, FALSE));
}

static char *
said_in (const TsDiagList *diags, guint lines_before, guint columns_before)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, i);

      if (diag->source != NULL && !ts_span_is_none (diag->span))
        {
          TsPlace place = ts_source_place (diag->source, diag->span.offset);

          g_string_append_printf (out, "%d:%d ", (int) place.line - (int) lines_before, (int) place.column - (int) columns_before);
        }
      g_string_append_printf (out, "%s %s: %s", ts_severity_name (diag->severity), diag->code, diag->message);
      if (diag->help != NULL)
        g_string_append_printf (out, "; %s", diag->help);
      g_string_append_c (out, '\n');
    }
  return g_strchomp (g_string_free (out, FALSE));
}

/* parse (print (m)) equals m, and its print is the same text. */
static void
check_round_trip (const TsModule *module, TsStrings *strings, TsPyptoMode mode)
{
  g_autofree char *first = ts_pypto_print (module, NULL, NULL);
  g_autoptr (TsSource) source = ts_source_new_text ("printed.py", first);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = mode };
  g_autoptr (TsModule) again = ts_pypto_parse (source, strings, &options, diags);
  g_autofree char *second = NULL, *said = said_in (diags, 0, 0);
  g_autoptr (GPtrArray) differences = NULL;

  if (ts_diag_list_has_errors (diags))
    g_test_message ("%s", said);
  g_assert_false (ts_diag_list_has_errors (diags));
  second = ts_pypto_print (again, NULL, NULL);
  g_assert_cmpstr (second, ==, first);
  differences = ts_module_compare (module, again, TS_COMPARE_DEFAULT);
  for (guint i = 0; i < differences->len; i++)
    g_test_message ("%s", ((const TsDifference *) differences->pdata[i])->reason);
  g_assert_cmpuint (differences->len, ==, 0);
}

/* Reads the case; what it prints and what is said are to be freed. */
static void
run_case (const Case *c, char **prints, char **says)
{
  gboolean is_dump = g_str_has_prefix (c->mode, "dump"), is_body = strcmp (c->mode, "body") == 0 || strcmp (c->mode, "dump") == 0;
  const char *frame = is_dump ? dump_frame : source_frame;
  g_autofree char *text = is_body ? frame_body (frame, c->text) : g_strconcat (c->text, "\n", NULL);
  g_autoptr (TsSource) source = ts_source_new_text ("case.py", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = is_dump ? TS_PYPTO_DUMP : TS_PYPTO_SOURCE, .entry = c->entry,
                             .defines = (const char *const *) c->defines };
  g_autoptr (TsModule) module = ts_pypto_parse (source, strings, &options, diags);
  g_autofree char *printed = module != NULL ? ts_pypto_print (module, NULL, NULL) : g_strdup ("nothing");

  *prints = is_body ? body_of (printed) : g_strchomp (g_steal_pointer (&printed));
  if (module != NULL && !ts_diag_list_has_errors (diags))
    {
      check_round_trip (module, strings, TS_PYPTO_DUMP);
      /* A printed file that is opened like any other. */
      if (!is_dump)
        check_round_trip (module, strings, TS_PYPTO_AUTO);
    }
  *says = said_in (diags, is_body ? count_lines (frame) : 0, is_body ? BODY_INDENT : 0);
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *prints = NULL;
  g_autofree char *says = NULL;

  run_case (c, &prints, &says);
  if (c->is_tail)
    {
      /* Operations that nobody knows are noted. */
      g_assert_null (strstr (says, "error "));
      g_assert_null (strstr (says, "warning "));
    }
  else
    g_assert_cmpstr (says, ==, c->says != NULL ? c->says : "");
  if (c->prints != NULL && !(c->is_tail && g_str_has_suffix (prints, c->prints)))
    g_assert_cmpstr (prints, ==, c->prints);
}

/* --- the files ----------------------------------------------------------------------------------------------------------- */

/* "--- body -D A=1 entry P": the mode and what goes with it. */
static void
read_mode (Case *c, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  g_autoptr (GPtrArray) defines = g_ptr_array_new ();

  c->mode = g_strdup (words[0]);
  for (guint i = 1; words[0] != NULL && words[i] != NULL; i++)
    if (strcmp (words[i], "-D") == 0 && words[i + 1] != NULL)
      g_ptr_array_add (defines, g_strdup (words[++i]));
    else if (strcmp (words[i], "entry") == 0 && words[i + 1] != NULL)
      c->entry = g_strdup (words[++i]);
  g_ptr_array_add (defines, NULL);
  c->defines = (char **) g_ptr_array_free (g_steal_pointer (&defines), FALSE);
}

static Case *
read_case (const char *block)
{
  Case *c = g_new0 (Case, 1);
  g_auto (GStrv) sections = g_strsplit (block, "\n--- ", -1);

  for (guint i = 1; sections[i] != NULL; i++)
    {
      char *line_end = strchr (sections[i], '\n');
      char *text = line_end != NULL ? g_strchomp (g_strdup (line_end + 1)) : g_strdup ("");

      if (line_end != NULL)
        *line_end = '\0';
      if (strcmp (sections[i], "prints") == 0)
        c->prints = text;
      else if (strcmp (sections[i], "says") == 0)
        c->says = text;
      else
        {
          read_mode (c, sections[i]);
          c->text = text;
        }
    }
  g_assert_nonnull (c->text);
  return c;
}

static void
add_file (const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) blocks = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  blocks = g_strsplit (text, "=== ", -1);
  for (guint i = 1; blocks[i] != NULL; i++)
    {
      g_autofree char *name = g_strndup (blocks[i], strcspn (blocks[i], "\n"));
      g_autofree char *stem = g_strndup (file, strlen (file) - strlen (".cases"));
      g_autofree char *test = g_strdup_printf ("/pypto/cases/%s/%s", stem, g_strdelimit (name, " ", '-'));

      g_test_add_data_func_full (test, read_case (blocks[i]), test_case, case_free);
    }
}

/* "a\\nb" as two lines. */
static char *
unfold (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\\n", -1);

  return g_strjoinv ("\n", lines);
}

static Case *
case_of_line (const char *mode, const char *given, const char *line)
{
  Case *c = g_new0 (Case, 1);
  g_auto (GStrv) sides = g_strsplit (line, " => ", 2);
  g_autofree char *text = unfold (sides[0]);

  c->mode = g_strdup (mode);
  c->text = g_strconcat (given, text, NULL);
  c->prints = sides[1] != NULL ? unfold (sides[1]) : g_strdup (text);
  c->is_tail = TRUE;
  return c;
}

static void
add_lines (const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *text = NULL;
  g_autofree char *stem = g_strndup (file, strlen (file) - strlen (".lines"));
  g_autofree char *mode = g_strndup (file, strcspn (file, "-"));
  g_autoptr (GString) given = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *test = g_strdup_printf ("/pypto/lines/%s/%u", stem, i + 1);

      if (lines[i][0] == '\0')
        g_string_truncate (given, 0);
      else if (g_str_has_prefix (lines[i], "given "))
        g_string_append_printf (given, "%s\n", lines[i] + strlen ("given "));
      else if (!g_str_has_prefix (lines[i], "## "))
        g_test_add_data_func_full (test, case_of_line (mode, given->str, lines[i]), test_case, case_free);
    }
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_test_build_filename (G_TEST_DIST, "unit", "pypto", "cases", NULL);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".cases") || g_str_has_suffix (name, ".lines"))
      g_ptr_array_add (files, g_strdup (name));
  g_ptr_array_sort (files, by_name);
  for (guint i = 0; i < files->len; i++)
    if (g_str_has_suffix (files->pdata[i], ".cases"))
      add_file (folder, files->pdata[i]);
    else
      add_lines (folder, files->pdata[i]);
  return g_test_run ();
}
