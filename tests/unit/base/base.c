/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/intern.h"

static void
test_arena (void)
{
  g_autoptr (TsArena) arena = ts_arena_new ();

  for (guint i = 0; i < 20000; i++)
    {
      gsize size = i % 97 == 0 ? 70000 : i % 33;
      guchar *p = ts_arena_alloc (arena, size);

      g_assert_cmpuint ((gsize) p % 8, ==, 0);
      for (gsize k = 0; k < MIN (size, 40); k++)
        g_assert_cmpuint (p[k], ==, 0);
      memset (p, 0xff, size);
    }
  g_assert_cmpuint (ts_arena_bytes (arena), >, 206u * 70000u);
  g_assert_cmpstr (ts_arena_strndup (arena, "abcdef", 3), ==, "abc");
}

static void
test_strings (void)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  const char *kept[3000];

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_autofree char *name = g_strdup_printf ("name_%u", i);

      kept[i] = ts_intern (strings, name);
    }
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_autofree char *name = g_strdup_printf ("name_%u!", i);

      g_assert_true (ts_intern_n (strings, name, strlen (name) - 1) == kept[i]);
    }
  g_assert_true (ts_intern (strings, "") == ts_intern_n (strings, "xyz", 0));
}

static void
test_floor (void)
{
  const struct { gint64 a, b, div, mod; } rows[] = {
    { 7, 2, 3, 1 }, { -7, 2, -4, 1 }, { 7, -2, -4, -1 }, { -7, -2, 3, -1 }, { 6, 3, 2, 0 }, { -6, 3, -2, 0 }, { 0, 5, 0, 0 },
  };
  gint64 out;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_assert_true (ts_floor_div (rows[i].a, rows[i].b, &out));
      g_assert_cmpint (out, ==, rows[i].div);
      g_assert_true (ts_floor_mod (rows[i].a, rows[i].b, &out));
      g_assert_cmpint (out, ==, rows[i].mod);
    }
  g_assert_false (ts_floor_div (1, 0, &out));
  g_assert_false (ts_floor_div (G_MININT64, -1, &out));
  g_assert_false (ts_floor_mod (1, 0, &out));
  g_assert_true (ts_floor_mod (G_MININT64, -1, &out));
  g_assert_cmpint (out, ==, 0);
}

static void
test_trip (void)
{
  const struct { gint64 start, stop, step, trip; gboolean saturates; } rows[] = {
    { 0, 10, 1, 10, FALSE }, { 0, 10, 3, 4, FALSE }, { 0, 0, 1, 0, FALSE }, { 5, 0, 1, 0, FALSE }, { 8, 0, -2, 4, FALSE },
    { 7, 0, -2, 4, FALSE }, { 0, 8, 0, 0, FALSE }, { G_MININT64, G_MAXINT64, 1, G_MAXINT64, TRUE },
    { G_MININT64, G_MAXINT64, 2, G_MAXINT64, TRUE }, { G_MININT64, G_MAXINT64, 3, G_MAXINT64 / 3 * 2 + 1, FALSE },
    { 0, G_MAXINT64, 1, G_MAXINT64, FALSE }, { G_MAXINT64, G_MININT64, G_MININT64, 2, FALSE },
    { 0, G_MAXINT64, G_MAXINT64, 1, FALSE }, { 0, -9, G_MININT64, 1, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gint64 trip;
      gboolean exact = ts_trip_count_exact (rows[i].start, rows[i].stop, rows[i].step, &trip);
      g_assert_cmpint (ts_trip_count (rows[i].start, rows[i].stop, rows[i].step), ==, rows[i].trip);
      g_assert_cmpint (trip, ==, rows[i].trip);
      g_assert_cmpint (exact, ==, !rows[i].saturates);
    }
}

static void
test_percent (void)
{
  static const struct
  {
    double share;
    int    percent;
  } rows[] = { { 0, 0 }, { 0.004, 0 }, { 0.005, 1 }, { 0.5777, 58 }, { 0.994, 99 }, { 0.995, 100 }, { 1, 100 }, { -0.5, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpint (ts_percent (rows[i].share), ==, rows[i].percent);
}

static void
test_numbers (void)
{
  const struct { double value; const char *text; } rows[] = {
    { 0.5, "0.5" }, { 3.0, "3.0" }, { 0.1, "0.10000000000000001" }, { 1e20, "1e+20" }, { -2, "-2.0" },
    { 0.088388, "0.088387999999999994" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GString) out = g_string_new (NULL);

      ts_append_double (out, rows[i].value);
      g_assert_cmpstr (out->str, ==, rows[i].text);
    }
  g_autoptr (GString) out = g_string_new (NULL);
  ts_append_int (out, G_MININT64);
  ts_append_int (out, 0);
  ts_append_int (out, 120);
  g_assert_cmpstr (out->str, ==, "-92233720368547758080120");
  g_assert_cmpint (ts_round_up (33, 32), ==, 64);
  g_assert_cmpint (ts_round_up (G_MAXINT64 - 1, 32), ==, G_MAXINT64);
}

static void
test_source (void)
{
  g_autoptr (TsSource) source = ts_source_new_text ("k.py", "ab\r\nc\xc3\xa4 d\n\nlast");
  gsize length;
  const char *line;

  g_assert_cmpuint (ts_source_n_lines (source), ==, 4);
  line = ts_source_line (source, 1, &length);
  g_assert_cmpmem (line, length, "ab", 2);
  line = ts_source_line (source, 4, &length);
  g_assert_cmpmem (line, length, "last", 4);
  TsPlace place = ts_source_place (source, 8); /* the d, after a two-byte letter */
  g_assert_cmpuint (place.line, ==, 2);
  g_assert_cmpuint (place.column, ==, 4);
  g_assert_cmpuint (ts_source_place (source, 100000).line, ==, 4);
}

static void
test_diag (void)
{
  g_autoptr (TsDiagList) list = ts_diag_list_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("k.py", "x = 1\n\t\xe4\xbd\xa0 = zz\n");
  g_autoptr (GString) out = g_string_new (NULL);

  ts_diag_add (list, TS_SEVERITY_ERROR, "undefined-name", source, (TsSpan) { 13, 2, 0 }, "undefined variable '%s'", "zz");
  ts_diag_list_format (list, TS_DIAGS_NOTES, out);
  g_assert_cmpstr (out->str, ==, "k.py:2:6: error: undefined variable 'zz' [undefined-name]\n   \xe4\xbd\xa0 = zz\n        ^~\n");
  for (guint i = 0; i < TS_MAX_DIAGS_KEPT + 50; i++)
    ts_diag_add (list, TS_SEVERITY_WARNING, "w", NULL, TS_SPAN_NONE, "again");
  g_assert_cmpuint (ts_diag_list_count (list, TS_SEVERITY_WARNING), ==, TS_MAX_DIAGS_KEPT + 50);
  g_assert_cmpuint (ts_diag_list_length (list), ==, TS_MAX_DIAGS_KEPT);
  g_string_truncate (out, 0);
  ts_diag_list_format (list, TS_DIAGS_NOTES, out);
  g_assert_nonnull (strstr (out->str, "... and 9951 more (at most 100 are shown)"));
}

/* The same words of another file are no news; of another place in the same file, or as a warning, they are. */
static void
test_diag_unsaid (void)
{
  g_autoptr (TsDiagList) list = ts_diag_list_new (), first = ts_diag_list_new (), second = ts_diag_list_new ();
  g_autoptr (TsSource) a = ts_source_new_text ("a.py", "x\n"), b = ts_source_new_text ("b.py", "x\n");

  ts_diag_add (first, TS_SEVERITY_NOTE, "n", a, (TsSpan) { 0, 1, 0 }, "said");
  ts_diag_add (first, TS_SEVERITY_NOTE, "n", a, (TsSpan) { 1, 1, 0 }, "said");
  ts_diag_add (first, TS_SEVERITY_NOTE, "n", NULL, TS_SPAN_NONE, "of no file");
  ts_diag_add (second, TS_SEVERITY_NOTE, "n", b, (TsSpan) { 0, 1, 0 }, "said");
  ts_diag_add (second, TS_SEVERITY_NOTE, "other", b, (TsSpan) { 0, 1, 0 }, "said");
  ts_diag_add (second, TS_SEVERITY_WARNING, "n", b, (TsSpan) { 0, 1, 0 }, "said");
  ts_diag_add (second, TS_SEVERITY_NOTE, "n", b, (TsSpan) { 0, 1, 0 }, "news");
  ts_diag_add (second, TS_SEVERITY_NOTE, "n", NULL, TS_SPAN_NONE, "of no file");
  ts_diag_list_append_unsaid (list, first);
  g_assert_cmpuint (ts_diag_list_length (list), ==, 3);
  ts_diag_list_append_unsaid (list, second);
  g_assert_cmpuint (ts_diag_list_length (list), ==, 7);
  g_assert_cmpuint (ts_diag_list_count (list, TS_SEVERITY_NOTE), ==, 6);
  g_assert_cmpstr (ts_diag_list_get (list, 3)->code, ==, "other");
  g_assert_cmpuint (ts_diag_list_length (second), ==, 5);
}

static void
test_json (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  TsJson json;

  ts_json_init (&json, out, FALSE);
  ts_json_begin_object (&json, NULL);
  ts_json_int (&json, "a", -5);
  ts_json_begin_array (&json, "b");
  ts_json_bool (&json, NULL, TRUE);
  ts_json_null (&json, NULL);
  ts_json_string (&json, NULL, "q\"\\\n\x01");
  ts_json_end_array (&json);
  ts_json_begin_object (&json, "c");
  ts_json_end_object (&json);
  ts_json_ratio (&json, "d", 2.0 / 3.0);
  ts_json_end_object (&json);
  g_assert_cmpstr (out->str, ==, "{\"a\": -5, \"b\": [true, null, \"q\\\"\\\\\\n\\u0001\"], \"c\": {}, \"d\": 0.667}");
}

/* A link stays a link, a device a device, a FIFO a FIFO. */
static void
test_write_targets (void)
{
  g_autofree char *folder = g_dir_make_tmp ("ts-write-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "file", NULL);
  g_autofree char *link = g_build_filename (folder, "link", NULL);
  g_autofree char *pipe = g_build_filename (folder, "pipe", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  struct stat info;
  char got[8] = "";
  int fd;

  g_assert_true (ts_file_write (file, "old", 3, NULL));
  g_assert_cmpint (symlink ("file", link), ==, 0);
  g_assert_true (ts_file_write (link, "new", 3, NULL));
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "new");

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  fd = g_open (pipe, O_RDWR | O_NONBLOCK, 0);
  g_assert_true (ts_file_write (pipe, "data", 4, NULL));
  g_assert_cmpint (read (fd, got, sizeof got - 1), ==, 4);
  g_assert_cmpstr (got, ==, "data");
  g_assert_true (stat (pipe, &info) == 0 && S_ISFIFO (info.st_mode));
  close (fd);

  g_assert_true (ts_file_write ("/dev/null", "gone", 4, NULL));
  g_assert_true (stat ("/dev/null", &info) == 0 && S_ISCHR (info.st_mode));
  g_assert_false (ts_file_write (folder, "x", 1, &error));
  g_assert_nonnull (error);

  g_unlink (link);
  g_unlink (pipe);
  g_unlink (file);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/arena", test_arena);
  g_test_add_func ("/base/strings", test_strings);
  g_test_add_func ("/base/number/floor", test_floor);
  g_test_add_func ("/base/number/trip", test_trip);
  g_test_add_func ("/base/number/text", test_numbers);
  g_test_add_func ("/base/number/percent", test_percent);
  g_test_add_func ("/base/source", test_source);
  g_test_add_func ("/base/diag", test_diag);
  g_test_add_func ("/base/diag-unsaid", test_diag_unsaid);
  g_test_add_func ("/base/json", test_json);
  g_test_add_func ("/base/write-targets", test_write_targets);
  return g_test_run ();
}
