/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an input is recognised as, and what is said about everything that is none. Source: cli.md, `FILE` and exit status. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run/input.h"

#define PROGRAM \
  "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n    @pl.function\n    def f(self):\n        pass\n"

typedef struct
{
  const char *name, *text;
  gssize      length;     /* -1: up to the NUL */
  const char *format;
  gint        error;      /* TsInputError, or -1 */
  TsInputKind kind;
} Row;

static const Row rows[] = {
  { "dump.py", PROGRAM, -1, NULL, -1, TS_INPUT_PYPTO },
  { "no-extension", PROGRAM, -1, NULL, -1, TS_INPUT_PYPTO },
  { "wrong-extension.ttir", PROGRAM, -1, NULL, -1, TS_INPUT_PYPTO },
  { "user.py",
    "\"\"\"Doc.\"\"\"\nimport pypto.language as pl\nN = 3\n@pl.function\ndef f(x: pl.Scalar[pl.INDEX]):\n    return x\n", -1, NULL,
    -1, TS_INPUT_PYPTO },
  { "crlf.py", "\xef\xbb\xbf# pypto.program: P\r\nimport pypto.language as pl\r\n", -1, NULL, -1, TS_INPUT_PYPTO },
  { "kernel.ttir", "module {\n  tt.func public @k() {\n    tt.return\n  }\n}\n", -1, NULL, -1, TS_INPUT_TTIR },
  { "kernel", "#loc = loc(unknown)\nmodule {\n  tt.func public @k() {\n    tt.return\n  }\n}\n", -1, NULL, -1, TS_INPUT_TTIR },
  { "told.txt", "x = 1\n", -1, "py", -1, TS_INPUT_PYPTO },
  { "told", "anything", -1, "ttir", -1, TS_INPUT_TTIR },
  { "by-name.py", "x = 1\n", -1, NULL, -1, TS_INPUT_PYPTO },
  { "by-name.mlir", "// nothing known\n", -1, NULL, -1, TS_INPUT_TTIR },
  { "told-badly", "x", -1, "json", TS_INPUT_ERROR_USAGE, 0 },
  { "empty.py", "", 0, NULL, TS_INPUT_ERROR_EMPTY, 0 },
  { "blank.py", " \n\t\r\n", -1, NULL, TS_INPUT_ERROR_EMPTY, 0 },
  { "empty-told", "", 0, "py", TS_INPUT_ERROR_EMPTY, 0 },
  { "binary.py", "\x7f" "ELF\x02\x00\x00\x00\x01\x02", 10, NULL, TS_INPUT_ERROR_BINARY, 0 },
  { "prose.txt", "To whom it may concern\n", -1, NULL, TS_INPUT_ERROR_UNKNOWN, 0 },
  { "figure.svg", "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n", -1, NULL, TS_INPUT_ERROR_FIGURE, 0 },
};

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (GError) error = NULL;
  gsize length = row->length < 0 ? strlen (row->text) : (gsize) row->length;
  g_autoptr (TsInput) input = ts_input_from_text (row->name, row->text, length, row->format, &error);

  if (row->error >= 0)
    {
      g_assert_null (input);
      g_assert_error (error, TS_INPUT_ERROR, row->error);
      g_assert_nonnull (strstr (error->message, row->error == TS_INPUT_ERROR_USAGE ? row->format : row->name));
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpint (ts_input_kind (input), ==, row->kind);
  g_assert_cmpuint (strlen (ts_input_sha256 (input)), ==, 64);
  g_assert_nonnull (ts_input_source (input));
}

static void
test_title (void)
{
  g_autoptr (TsInput) input = ts_input_from_text ("some/dir/ping.pong.py", PROGRAM, strlen (PROGRAM), NULL, NULL);

  g_assert_cmpstr (ts_input_title (input), ==, "ping.pong");
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, PROGRAM, -1);
  g_assert_cmpstr (ts_input_sha256 (input), ==, hash);
}

static void
test_samples (void)
{
  guint n;
  const TsSample *samples = ts_samples (&n);

  g_assert_cmpuint (n, >=, 7);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *spec = g_strconcat ("sample:", samples[i].name, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (TsInput) input = ts_input_load (spec, NULL, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (ts_input_kind (input), ==, samples[i].kind);
      g_assert_cmpstr (ts_input_title (input), ==, samples[i].name);
      g_assert_cmpstr (ts_input_spec (input), ==, spec);
      g_assert_null (ts_input_path (input));
    }
}

static void
expect_load_error (const char *spec, gint code, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsInput) input = ts_input_load (spec, NULL, NULL, &error);

  g_assert_null (input);
  g_assert_error (error, TS_INPUT_ERROR, code);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_unreadable (void)
{
  expect_load_error ("/nonexistent/kernel.py", TS_INPUT_ERROR_READ, "/nonexistent/kernel.py");
  expect_load_error ("", TS_INPUT_ERROR_READ, "empty");
  expect_load_error ("sample:nothing", TS_INPUT_ERROR_USAGE, "pingpong");
}

/* --- folders ----------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  char *path;
} Folder;

static void
folder_set_up (Folder *folder, gconstpointer data)
{
  folder->path = g_dir_make_tmp ("tilescope-XXXXXX", NULL);
  g_assert_nonnull (folder->path);
}

static void
folder_tear_down (Folder *folder, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (folder->path, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder->path, name, NULL);

      g_remove (path);
    }
  g_rmdir (folder->path);
  g_free (folder->path);
}

static void
put (Folder *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static TsInput *
load (Folder *folder)
{
  g_autoptr (GError) error = NULL;
  TsInput *input = ts_input_load (folder->path, NULL, NULL, &error);

  g_assert_no_error (error);
  return input;
}

static gboolean
has_diag (TsInput *input, const char *code)
{
  const TsDiagList *diags = ts_input_diags (input);

  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    if (strcmp (ts_diag_list_get (diags, i)->code, code) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
has_message (TsInput *input, const char *message)
{
  const TsDiagList *diags = ts_input_diags (input);

  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    if (strcmp (ts_diag_list_get (diags, i)->message, message) == 0)
      return TRUE;
  return FALSE;
}

static guint
count_diags (TsInput *input, const char *code)
{
  const TsDiagList *diags = ts_input_diags (input);
  guint n = 0;

  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    n += strcmp (ts_diag_list_get (diags, i)->code, code) == 0;
  return n;
}

static void
test_folder_plain (Folder *folder, gconstpointer data)
{
  g_autoptr (TsInput) input = NULL;
  const TsDumpFile *dumps;
  guint n;

  put (folder, "01_after_Simplify.py", PROGRAM);
  put (folder, "00_frontend.py", PROGRAM);
  put (folder, "01_after_Simplify.log", "W | said\n");
  put (folder, ".hidden.py", "x");
  input = load (folder);
  dumps = ts_input_dumps (input, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (dumps[0].pass, ==, "frontend");
  g_assert_cmpstr (dumps[1].pass, ==, "Simplify");
  g_assert_cmpint (dumps[1].number, ==, 1);
  g_assert_null (dumps[0].log);
  g_assert_cmpstr (dumps[1].log, ==, "W | said\n");
  g_assert_cmpuint (ts_diag_list_length (ts_input_diags (input)), ==, 0);
  g_assert_cmpint (ts_input_kind (input), ==, TS_INPUT_DUMPS);
}

static void
test_folder_odd (Folder *folder, gconstpointer data)
{
  g_autoptr (TsInput) input = NULL;
  const TsDumpFile *dumps;
  guint n;

  put (folder, "02_after_A.py", PROGRAM);
  put (folder, "05_after_B.py", PROGRAM);
  put (folder, "05_after_C.py", PROGRAM);
  put (folder, "07_after_D.log", "no dump of mine\n");
  put (folder, "08_failed.log", "it broke\n");
  put (folder, "kernel.py", PROGRAM);
  put (folder, "notes.txt", "hello");
  input = load (folder);
  dumps = ts_input_dumps (input, &n);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpstr (dumps[2].pass, ==, "C");
  g_assert_true (has_diag (input, "dump-frontend"));
  g_assert_true (has_diag (input, "dump-gap"));
  g_assert_true (has_diag (input, "dump-twice"));
  g_assert_true (has_diag (input, "dump-log"));
  g_assert_true (has_diag (input, "dump-failed"));
  g_assert_true (has_diag (input, "dump-other"));
}

/* Names that no compiler writes are read, and told. */
static void
test_folder_names (Folder *folder, gconstpointer data)
{
  g_autoptr (TsInput) input = NULL;
  const TsDumpFile *dumps;
  guint n;

  put (folder, "00_frontend.py", PROGRAM);
  put (folder, "01_after_.py", PROGRAM);
  put (folder, "01_after_.log", "said\n");
  put (folder, "002_after_X.py", PROGRAM);
  put (folder, "02_after_Y.py", PROGRAM);
  put (folder, "3_after_Z.py", PROGRAM);
  input = load (folder);
  dumps = ts_input_dumps (input, &n);
  g_assert_cmpuint (n, ==, 5);
  g_assert_cmpstr (dumps[1].pass, ==, "unnamed");
  g_assert_cmpstr (dumps[1].log, ==, "said\n");
  g_assert_cmpstr (dumps[2].pass, ==, "X");
  g_assert_cmpstr (dumps[3].pass, ==, "Y");
  g_assert_true (has_message (input, "01_after_.py names no pass; it is called 'unnamed' here"));
  g_assert_true (has_message (input, "002_after_X.py is read as number 02, which is written with two digits"));
  g_assert_true (has_message (input, "3_after_Z.py is read as number 03, which is written with two digits"));
  g_assert_true (has_message (input, "Two files are numbered 02: 002_after_X.py and 02_after_Y.py stand in order of their names"));
  g_assert_cmpuint (ts_diag_list_length (ts_input_diags (input)), ==, 4);
}

/* What steers a terminal, is no UTF-8 or is not seen is shown as a string of Python would show it. */
static void
test_folder_hidden (Folder *folder, gconstpointer data)
{
  static const char *const rows[][2] = {
    { "00_frontend.py", "frontend" },
    { "01_after_A\x01\x1b[31mB.py", "A\\x01\\x1b[31mB" },
    { "02_after_X\xff\xc3.py", "X\\xff\\xc3" },
    { "03_after_L\nM.py", "L\\x0aM" },
    { "04_after_a b\xc3\xa9.py", "a b\xc3\xa9" },
    { "05_after_\xe2\x80\xaerev\xe2\x80\xa8.py", "\\u202erev\\u2028" },
    { "06_after_\xf3\xa0\x80\x81.py", "\\U000e0001" },
  };
  g_autoptr (TsInput) input = NULL;
  const TsDumpFile *dumps;
  guint n;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    put (folder, rows[i][0], PROGRAM);
  put (folder, "01_after_A\x01\x1b[31mB.log", "I | said\n");
  put (folder, "no\x1b[2Jtes.txt", "hello");
  input = load (folder);
  dumps = ts_input_dumps (input, &n);
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (rows));
  for (guint i = 0; i < n; i++)
    g_assert_cmpstr (dumps[i].pass, ==, rows[i][1]);
  g_assert_cmpstr (dumps[1].log, ==, "I | said\n");
  g_assert_true (has_message (input, "no\\x1b[2Jtes.txt is not named like a dump and was left out"));
}

/* A pipe among the dumps is not waited for; what is left out is named. */
static void
test_folder_left_out (Folder *folder, gconstpointer data)
{
  g_autofree char *pipe = g_build_filename (folder->path, "02_after_B.py", NULL);
  g_autoptr (TsInput) input = NULL;
  const TsDumpFile *dumps;
  guint n;

  put (folder, "00_frontend.py", PROGRAM);
  put (folder, "01_after_A.PY", PROGRAM);
  put (folder, "notes.txt", "hello");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  input = load (folder);
  dumps = ts_input_dumps (input, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (dumps[1].problem, ==, "02_after_B.py is no regular file");
  g_assert_cmpuint (count_diags (input, "dump-other"), ==, 2);
}

static void
test_folder_unnamed (Folder *folder, gconstpointer data)
{
  g_autoptr (TsInput) input = NULL;
  const TsDumpFile *dumps;
  guint n;

  put (folder, "b.py", PROGRAM);
  put (folder, "a.py", PROGRAM);
  put (folder, "c.py", "import os\n");
  input = load (folder);
  dumps = ts_input_dumps (input, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (dumps[0].pass, ==, "a");
  g_assert_cmpint (dumps[0].number, ==, -1);
  g_assert_true (has_diag (input, "dump-names"));
}

static void
test_folder_none (Folder *folder, gconstpointer data)
{
  expect_load_error (folder->path, TS_INPUT_ERROR_NO_DUMPS, folder->path);
  put (folder, "readme.txt", "hello");
  put (folder, "other.py", "import os\n");
  expect_load_error (folder->path, TS_INPUT_ERROR_NO_DUMPS, folder->path);
}

static void
test_folder_cancelled (Folder *folder, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  put (folder, "00_frontend.py", PROGRAM);
  g_cancellable_cancel (cancellable);
  g_assert_null (ts_input_load (folder->path, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

#define FOLDER(name) g_test_add ("/input/folder/" #name, Folder, NULL, folder_set_up, test_folder_##name, folder_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/input/recognise/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/input/title", test_title);
  g_test_add_func ("/input/samples", test_samples);
  g_test_add_func ("/input/unreadable", test_unreadable);
  FOLDER (plain);
  FOLDER (odd);
  FOLDER (names);
  FOLDER (hidden);
  FOLDER (left_out);
  FOLDER (unnamed);
  FOLDER (none);
  FOLDER (cancelled);
  return g_test_run ();
}
