/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading where one text is not enough: sibling files, lists of entries, cancellation, limits, damaged files. */
#include <string.h>

#include <glib/gstdio.h>

#include "base/limits.h"
#include "lang/pypto/pypto.h"

/* --- helpers ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsModule *module;
  char     *printed; /* "" when nothing was read */
  GString  *said;    /* codes, one a line */
  GString  *messages;
} Reading;

static Reading
read_text (const char *text, gssize length, const TsPyptoOptions *options)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, length < 0 ? strlen (text) : (gsize) length);
  g_autoptr (TsSource) source = ts_source_new ("kernel.py", bytes);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  Reading reading = { .said = g_string_new (NULL) };

  reading.module = ts_pypto_parse (source, strings, options, diags);
  reading.printed = reading.module != NULL ? ts_pypto_print (reading.module, NULL, NULL) : g_strdup ("");
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    g_string_append_printf (reading.said, "%s\n", ts_diag_list_get (diags, i)->code);
  reading.messages = g_string_new (NULL);
  ts_diag_list_format (diags, TS_DIAGS_DETAILS, reading.messages);
  return reading;
}

static void
reading_clear (Reading *reading)
{
  if (reading->module != NULL)
    ts_module_free (reading->module);
  g_free (reading->printed);
  g_string_free (reading->said, TRUE);
  g_string_free (reading->messages, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reading, reading_clear)

static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      remove_tree (inner);
    }
  g_remove (path);
}

static char *
repeat (const char *piece, guint n)
{
  GString *out = g_string_new (NULL);

  while (n-- > 0)
    g_string_append (out, piece);
  return g_string_free (out, FALSE);
}

/* --- sibling modules ----------------------------------------------------------------------------------------------------- */

static const char sibling_kernel[] =
  "import pypto.language as pl\n"
  "from .config import HIDDEN as H, CFG\n"
  "from models.shapes import *\n"
  "import config as C\n"
  "from . import config\n"
  "import pack.inner\n"
  "import pack.other\n"
  "import loose.part\n"
  "@pl.program\n"
  "class P:\n"
  "    @pl.function\n"
  "    def f(self, a: pl.Tensor[[H, C.ROWS, config.ROWS, CFG.cols, WIDE], pl.FP32],\n"
  "          b: pl.Tensor[[pack.TOP, pack.inner.DEEP, pack.other.DEEP, loose.part.DEEP], pl.FP32]):\n"
  "        pass\n";

static void
test_siblings (void)
{
  g_autofree char *root = g_dir_make_tmp ("pypto-siblings-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (root, "models", NULL);
  const char *const defines[] = { "config.ROWS=99", NULL };
  TsPyptoOptions options = { .folder = folder };

  write_file (root, "models/config.py",
              "from dataclasses import dataclass\nfrom .base import UNIT\n@dataclass\nclass Config:\n    cols: int = 3\n"
              "HIDDEN = 8 * UNIT\nROWS = 7\nCFG = Config(cols=5)\n");
  write_file (root, "models/base.py", "from .config import ROWS\nUNIT = 4\n"); /* each imports the other */
  write_file (root, "models/shapes.py", "WIDE = 64\n_HIDDEN = 1\n");
  write_file (root, "pack/__init__.py", "TOP = 2\n");
  write_file (root, "pack/inner.py", "DEEP = 6\n");
  write_file (root, "pack/other.py", "DEEP = 9\n");
  write_file (root, "loose/part.py", "DEEP = 11\n"); /* a package without __init__.py */
  {
    g_auto (Reading) reading = read_text (sibling_kernel, -1, &options);

    g_assert_cmpstr (reading.said->str, ==, "");
    g_assert_nonnull (strstr (reading.printed, "pl.Tensor[[32, 7, 7, 5, 64], pl.FP32]"));
    g_assert_nonnull (strstr (reading.printed, "pl.Tensor[[2, 6, 9, 11], pl.FP32]"));
  }
  options.defines = defines;
  {
    g_auto (Reading) reading = read_text (sibling_kernel, -1, &options);

    g_assert_nonnull (strstr (reading.printed, "pl.Tensor[[32, 99, 99, 5, 64], pl.FP32]"));
  }
  remove_tree (root);
}

/* What a sibling binds with exec or setattr is open wherever it is asked for, and says where it comes from. */
static void
test_open_sibling (void)
{
  g_autofree char *root = g_dir_make_tmp ("pypto-open-XXXXXX", NULL);
  TsPyptoOptions options = { .folder = root };
  static const char *const asked[] = { "ROWS (", "C.ROWS (", "DEEP (", "WIDE (" };

  write_file (root, "config.py", "import sys\nexec('ROWS = DEEP = 3')\n");
  write_file (root, "shapes.py", "import sys\nsetattr(sys.modules[__name__], 'WIDE', 3)\n");
  {
    g_auto (Reading) reading = read_text ("import pypto.language as pl\n"
                                          "from config import ROWS\n"
                                          "import config as C\n"
                                          "from config import *\n"
                                          "from shapes import *\n"
                                          "@pl.program\n"
                                          "class P:\n"
                                          "    @pl.function\n"
                                          "    def f(self, a: pl.Tensor[[ROWS, C.ROWS, DEEP, WIDE], pl.FP32]):\n"
                                          "        pass\n", -1, &options);

    g_assert_null (strstr (reading.messages->str, "undefined"));
    g_assert_null (strstr (reading.messages->str, "no attribute"));
    g_assert_nonnull (strstr (reading.printed, "pl.Tensor[[ROWS, C_ROWS, DEEP, WIDE], pl.FP32]"));
    for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
      g_assert_nonnull (strstr (reading.messages->str, asked[i]));
    g_assert_nonnull (strstr (reading.messages->str, "config.py:2: perhaps changed by a call to exec"));
    g_assert_nonnull (strstr (reading.messages->str, "shapes.py:2: perhaps changed by a call to setattr"));
  }
  remove_tree (root);
}

/* Two files that import each other see what the other has defined so far, and no more. */
static void
test_circular (void)
{
  g_autofree char *root = g_dir_make_tmp ("pypto-circular-XXXXXX", NULL);
  TsPyptoOptions options = { .folder = root };

  write_file (root, "early.py", "BASE = 6\nfrom late import DOUBLE\nSUM = BASE + DOUBLE\n");
  write_file (root, "late.py", "from early import BASE\nDOUBLE = BASE * 2\n");
  write_file (root, "one.py", "from two import B\nA = B + 1\n");
  write_file (root, "two.py", "from one import A\nB = A + 1\n");
  {
    g_auto (Reading) reading = read_text ("import pypto.language as pl\nfrom early import SUM\nfrom one import A\n@pl.program\n"
                                          "class P:\n    @pl.function\n"
                                          "    def f(self, a: pl.Tensor[[SUM, A], pl.FP32]):\n        pass\n", -1, &options);

    g_assert_cmpstr (reading.said->str, ==, "not-evaluated\n");
    g_assert_nonnull (strstr (reading.printed, "pl.Tensor[[18, A], pl.FP32]"));
    g_assert_nonnull (strstr (reading.messages->str, "a circular import: 'A' is not defined in 'one' yet"));
  }
  remove_tree (root);
}

/* Without a folder nothing is opened, and the names stay symbols. */
static void
test_no_siblings (void)
{
  g_auto (Reading) reading = read_text ("import pypto.language as pl\nfrom .config import ROWS\n@pl.program\nclass P:\n"
                                        "    @pl.function\n"
                                        "    def f(self, a: pl.Tensor[[ROWS], pl.FP32]):\n        pass\n", -1, NULL);

  g_assert_cmpstr (reading.said->str, ==, "not-evaluated\n");
  g_assert_nonnull (strstr (reading.printed, "ROWS = pl.dynamic(\"ROWS\")"));
}

/* The start of a dump whose function is still open. */
static const char dump_head[] =
  "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n    @pl.function\n"
  "    def f(self, n: pl.Scalar[pl.INDEX], c: pl.Scalar[pl.BOOL]):\n";

/* --- entries ------------------------------------------------------------------------------------------------------------- */

static void
test_entries (void)
{
  static const char text[] =
    "import pypto.language as pl\n"
    "@pl.jit\n"
    "def fast(a: pl.Tensor):\n"
    "    pass\n"
    "@pl.function\n"
    "def loose(n: pl.Scalar[pl.INDEX]):\n"
    "    pass\n"
    "def make(rows):\n"
    "    @pl.program\n"
    "    class Made:\n"
    "        pass\n"
    "    return Made\n"
    "if True:\n"
    "    @pl.program\n"
    "    class Main:\n"
    "        pass\n"
    "class Other:\n"
    "    pass\n";
  static const struct { const char *name, *kind; guint line; gboolean problem; } expected[] = {
    { "fast", "jit", 2, TRUE }, { "loose", "function", 5, FALSE }, { "Made", "factory", 9, FALSE },
      { "Main", "program", 14, FALSE },
  };
  g_autoptr (TsSource) source = ts_source_new_text ("kernel.py", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (GArray) entries = ts_pypto_list_entries (source, strings);

  g_assert_cmpuint (entries->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < entries->len; i++)
    {
      const TsPyptoEntry *entry = &g_array_index (entries, TsPyptoEntry, i);

      g_assert_cmpstr (entry->name, ==, expected[i].name);
      g_assert_cmpstr (entry->kind, ==, expected[i].kind);
      g_assert_cmpuint (entry->line, ==, expected[i].line);
      g_assert_true ((entry->problem != NULL) == expected[i].problem);
    }
  g_assert_nonnull (strstr (g_array_index (entries, TsPyptoEntry, 0).problem, "passes_dump"));
}

/* Of a dump the program is found without going through it. */
static void
test_entries_of_dump (void)
{
  g_autofree char *body = repeat ("        a: pl.Scalar[pl.INDEX] = n + 1\n", 1000);
  g_autofree char *text = g_strconcat (dump_head, body, NULL);
  g_autoptr (TsSource) source = ts_source_new_text ("dump.py", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (GArray) entries = ts_pypto_list_entries (source, strings);

  g_assert_cmpuint (entries->len, ==, 1);
  g_assert_cmpstr (g_array_index (entries, TsPyptoEntry, 0).name, ==, "P");
  g_assert_cmpstr (g_array_index (entries, TsPyptoEntry, 0).kind, ==, "program");
  g_assert_null (g_array_index (entries, TsPyptoEntry, 0).problem);
}

static void
test_recognise (void)
{
  static const struct { const char *text; gboolean ours; } rows[] = {
    { "# pypto.program: P\n", TRUE }, { "\xef\xbb\xbf# pypto.program: P\n", TRUE }, { "import pypto.language as pl\n", TRUE },
    { "from pypto import language as lang\n", TRUE }, { "@pl.program\nclass P:\n", TRUE }, { "@pl.jit.host\ndef f():\n", TRUE },
    { "module {\n  tt.func @f() {\n", FALSE }, { "print('hello')\n", FALSE }, { "", FALSE }, { "\x7f" "ELF", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpint (ts_pypto_recognise (rows[i].text, strlen (rows[i].text)), ==, rows[i].ours);
}

/* --- cancellation and limits --------------------------------------------------------------------------------------------- */

static void
test_cancel (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *body = repeat ("        a: pl.Scalar[pl.INDEX] = n + 1\n", 20000);
  g_autofree char *text = g_strconcat (dump_head, body, NULL);
  TsPyptoOptions options = { .cancellable = cancellable };

  {
    g_auto (Reading) whole = read_text (text, -1, &options);

    g_assert_cmpint (whole.module->n_ops, >=, 20000);
  }
  g_cancellable_cancel (cancellable);
  {
    g_auto (Reading) part = read_text (text, -1, &options);

    g_assert_true (part.module == NULL || part.module->n_ops < 20000);
  }
}

static char *
nested_ifs (guint n)
{
  GString *text = g_string_new (dump_head);

  for (guint i = 0; i <= n; i++)
    {
      g_autofree char *blanks = repeat (" ", 8 + i);

      g_string_append_printf (text, "%s%s\n", blanks, i < n ? "if c:" : "a: pl.Scalar[pl.INDEX] = n + 1");
    }
  return g_string_free (text, FALSE);
}

static char *
elif_chain (guint n)
{
  g_autofree char *arms = repeat ("        elif c:\n            pass\n", n);

  return g_strconcat (dump_head, "        if c:\n            pass\n", arms, NULL);
}

static char *
long_sum (guint n)
{
  g_autofree char *terms = repeat (" + n", n);

  return g_strconcat (dump_head, "        a: pl.Scalar[pl.INDEX] = n", terms, "\n", NULL);
}

static char *
nested_brackets (guint n)
{
  g_autofree char *open = repeat ("(", n);
  g_autofree char *close = repeat (")", n);

  return g_strconcat (dump_head, "        a: pl.Scalar[pl.INDEX] = ", open, "n", close, "\n", NULL);
}

static char *
many_minuses (guint n)
{
  g_autofree char *signs = repeat ("-", n);

  return g_strconcat (dump_head, "        a: pl.Scalar[pl.INDEX] = ", signs, "n\n", NULL);
}

typedef char *(*MakeText) (guint n);

/* Just below the limit a text reads and prints back; beyond it a message names the limit, and no cascade follows. */
static void
check_limit (MakeText make, guint good, guint bad)
{
  g_autofree char *small = make (good);
  g_autofree char *large = make (bad);
  g_auto (GStrv) lines = NULL;
  g_auto (Reading) reads = read_text (small, -1, NULL);
  g_auto (Reading) refused = read_text (large, -1, NULL);

  g_assert_cmpstr (reads.said->str, ==, "");
  g_assert_nonnull (strstr (refused.said->str, "limit"));
  lines = g_strsplit (refused.said->str, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), <=, 4);
}

static void
test_limits (void)
{
  check_limit (nested_ifs, TS_MAX_NESTING - 5, TS_MAX_NESTING + 50);
  check_limit (elif_chain, TS_MAX_NESTING - 5, 20000);
  check_limit (long_sum, TS_MAX_EXPR_DEPTH - 10, TS_MAX_EXPR_DEPTH * 10);
  check_limit (nested_brackets, TS_MAX_EXPR_DEPTH / 2 - 10, TS_MAX_EXPR_DEPTH * 10);
  check_limit (many_minuses, TS_MAX_EXPR_DEPTH - 10, TS_MAX_EXPR_DEPTH * 100);
}

/* The same texts as a user's file: the evaluator walks them as well. */
static void
test_limits_of_source (void)
{
  static const MakeText makers[] = { nested_ifs, elif_chain, long_sum, nested_brackets, many_minuses };
  TsPyptoOptions options = { .mode = TS_PYPTO_SOURCE };

  for (guint i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      g_autofree char *text = makers[i](3000);
      g_auto (Reading) reading = read_text (text, -1, &options);

      g_assert_nonnull (strstr (reading.said->str, "limit"));
    }
}

/* Each search for near names looks at all names, so a file of many errors gets only a few: time stays linear. */
static void
test_suggestions (void)
{
  GString *text = g_string_new ("import pypto.language as pl\n@pl.program\nclass P:\n");
  g_autoptr (TsSource) source = NULL;
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = TS_PYPTO_SOURCE };
  TsModule *module;
  guint n_helps = 0;

  for (guint f = 0; f < 10; f++)
    {
      g_string_append_printf (text, "    @pl.function\n    def f%u(self, wanted: pl.Scalar[pl.INDEX]):\n", f);
      for (guint i = 0; i < 10; i++)
        g_string_append_printf (text, "        a%u = wante%u\n        b%u = self.g%u(wanted)\n        c%u = pl.ad%u(wanted)\n",
                                i, i, i, i, i, i);
    }
  source = ts_source_new_text ("kernel.py", text->str);
  g_string_free (text, TRUE);
  module = ts_pypto_parse (source, strings, &options, diags);
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    n_helps += ts_diag_list_get (diags, i)->help != NULL;
  g_assert_cmpuint (ts_diag_list_count (diags, TS_SEVERITY_ERROR), ==, 300);
  g_assert_cmpuint (n_helps, >, 0);
  g_assert_cmpuint (n_helps, <=, 20);
  if (module != NULL)
    ts_module_free (module);
}

/* --- damage -------------------------------------------------------------------------------------------------------------- */

/* Every file cut off anywhere, and with a byte changed, is read without harm. */
static void
test_damaged (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), "kernels", "acc_if", "00_frontend.py", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  gsize length;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  for (gsize cut = 0; cut < length; cut += 13)
    {
      g_auto (Reading) reading = read_text (text, (gssize) cut, NULL);

      g_assert_true (reading.module != NULL || reading.said->len > 0);
    }
  for (guint i = 0; i < 300; i++)
    {
      g_autofree char *copy = g_memdup2 (text, length);
      g_auto (Reading) reading = { 0 };

      copy[g_rand_int_range (rand, 0, (gint32) length)] = (char) g_rand_int_range (rand, 0, 256);
      reading = read_text (copy, (gssize) length, NULL);
      g_assert_true (reading.module != NULL || reading.said->len > 0);
    }
}

/* Ten megabytes on one line: a list that is one operand, with many blanks so that the test stays short. */
static void
test_long_line (void)
{
  g_autofree char *items = repeat ("n,                             ", 340000);
  g_autofree char *text = g_strconcat (dump_head, "        a: pl.UnknownType = [", items, "]\n", NULL);
  g_auto (Reading) reading = read_text (text, -1, NULL);

  g_assert_cmpstr (reading.said->str, ==, "");
  g_assert_cmpuint (strlen (text), >, 10000000);
  g_assert_cmpuint (strlen (reading.printed), >, 340000 * strlen ("n, "));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pypto/reading/siblings", test_siblings);
  g_test_add_func ("/pypto/reading/circular", test_circular);
  g_test_add_func ("/pypto/reading/open-sibling", test_open_sibling);
  g_test_add_func ("/pypto/reading/no-siblings", test_no_siblings);
  g_test_add_func ("/pypto/reading/entries", test_entries);
  g_test_add_func ("/pypto/reading/entries-of-dump", test_entries_of_dump);
  g_test_add_func ("/pypto/reading/recognise", test_recognise);
  g_test_add_func ("/pypto/reading/cancel", test_cancel);
  g_test_add_func ("/pypto/reading/limits", test_limits);
  g_test_add_func ("/pypto/reading/limits-of-source", test_limits_of_source);
  g_test_add_func ("/pypto/reading/suggestions", test_suggestions);
  g_test_add_func ("/pypto/reading/damaged", test_damaged);
  g_test_add_func ("/pypto/reading/long-line", test_long_line);
  return g_test_run ();
}
