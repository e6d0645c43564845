/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders of dumps. passes -o over one that is in use: what an earlier run wrote goes, what others put there stays. What is said
 * of a folder that is read is said once. */
#include <glib/gstdio.h>
#include <string.h>

#include "harness.h"

#define SHORT "passes sample:pingpong --passes unroll-loops,convert-to-ssa -o "
#define LONG "passes sample:pingpong -o "
#define FAILING "passes sample:pingpong --set memory.vec=1024 -o "
#define UNVERIFIED "passes sample:pingpong --passes lower-pipeline-loops --verify full -o "
#define SHORT_FILES "00_frontend.py 01_after_UnrollLoops.py 02_after_ConvertToSSA.py"

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* What is in a folder, hidden files aside: sorted, with blanks between. */
static char *
names_in (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (name[0] != '.')
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (char **) names->pdata);
}

static void
put (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
assert_text (const char *folder, const char *name, const char *expected)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

/* Runs into `folder`; `says`: part of standard error, or NULL. */
static void
run_into (const char *args, const char *folder, gint status, const char *says)
{
  g_autofree char *all = g_strconcat (args, folder, NULL);
  Result result;

  run_cli (all, NULL, &result);
  if (result.status != status || (says != NULL && strstr (result.err, says) == NULL))
    g_error ("%s: status %d, said: %s", all, result.status, result.err);
  result_clear (&result);
}

static void
assert_names (const char *folder, const char *expected)
{
  g_autofree char *names = names_in (folder);

  g_assert_cmpstr (names, ==, expected);
}

/* A long run, a short one, one that fails and a good one again: each time the folder is that run's, and the notes stay. */
static void
test_runs_replace_each_other (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *names = NULL, *after_failure = NULL;

  put (folder, "notes.txt", "mine\n");
  put (folder, "kernel.py", "# mine too\n");
  run_into (LONG, folder, 0, NULL);
  names = names_in (folder);
  g_assert_nonnull (strstr (names, "12_after_AllocateMemoryAddr.py"));
  run_into (SHORT, folder, 0, NULL);
  assert_names (folder, SHORT_FILES " kernel.py notes.txt");
  run_into (FAILING, folder, 1, NULL);
  after_failure = names_in (folder);
  g_assert_nonnull (strstr (after_failure, "12_failed.log"));
  g_assert_null (strstr (after_failure, "12_after_"));
  run_into (UNVERIFIED, folder, 1, NULL);
  assert_names (folder, "00_frontend.py 01_failed.log kernel.py notes.txt");
  run_into (LONG, folder, 0, NULL);
  assert_names (folder, names);
  run_into ("passes --quiet ", folder, 0, NULL); /* and it opens as one run that did not fail */
  assert_text (folder, "notes.txt", "mine\n");
  assert_text (folder, "kernel.py", "# mine too\n");
  remove_tree (folder);
}

/* Dumps of a compiler, or dumps that somebody worked on: refused before anything is written. */
static void
test_others_are_left_alone (void)
{
  static const struct { const char *name, *says; } foreign[] = {
    { "00_frontend.py", "(00_frontend.py)" },
    { "07_after_FlattenCallExpr.py", "(07_after_FlattenCallExpr.py)" },
    { "02_failed.log", "(02_failed.log)" },
    { "03_after_Simplify.mlir", "(03_after_Simplify.mlir)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    {
      g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL);

      put (folder, foreign[i].name, "the compiler's\n");
      run_into (SHORT, folder, 2, foreign[i].says);
      assert_names (folder, foreign[i].name);
      assert_text (folder, foreign[i].name, "the compiler's\n");
      remove_tree (folder);
    }

  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *names = NULL;
  run_into (LONG, folder, 0, NULL);
  names = names_in (folder);
  put (folder, "05_after_LowerPipelineToSlots.py", "# tried something\n");
  run_into (SHORT, folder, 2, "(05_after_LowerPipelineToSlots.py)");
  assert_names (folder, names);
  assert_text (folder, "05_after_LowerPipelineToSlots.py", "# tried something\n");
  remove_tree (folder);
}

/* Without the list of what was written the files are somebody else's: the same ones may be written again, but they do not become
 * ours by that. What the list says of other places does not count. */
static void
test_list (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *list = NULL, *inner = NULL, *text = NULL;

  inner = g_build_filename (folder, "out", NULL);
  run_into (SHORT, inner, 0, NULL);
  list = g_build_filename (inner, ".tilescope-dumps", NULL);
  g_assert_true (g_file_get_contents (list, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "  02_after_ConvertToSSA.py\n"));
  g_assert_cmpint (g_remove (list), ==, 0);
  run_into (SHORT, inner, 0, NULL);
  run_into (UNVERIFIED, inner, 2, "(01_after_UnrollLoops.py, ...)");
  assert_names (inner, SHORT_FILES);

  put (folder, "09_after_Elsewhere.py", "");
  put (inner, ".tilescope-dumps",
       "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  ../09_after_Elsewhere.py\n\xff\n");
  run_into (SHORT, inner, 0, NULL);
  assert_names (inner, SHORT_FILES);
  assert_text (folder, "09_after_Elsewhere.py", "");
  remove_tree (folder);
}

/* A folder or a link where a dump would stand is nobody's dump of ours. */
static void
test_no_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *path = NULL;

  path = g_build_filename (folder, "04_after_Simplify.py", NULL);
  g_assert_cmpint (g_mkdir (path, 0777), ==, 0);
  run_into (SHORT, folder, 2, "(04_after_Simplify.py)");
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_DIR));
  remove_tree (folder);
}

#define WITH_UNKNOWN_OPERATION(twice) \
  "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n" \
  "    @pl.function(type=pl.FunctionType.InCore)\n" \
  "    def f(x: pl.Tensor[[16, 128], pl.FP32], y: pl.Out[pl.Tensor[[16, 128], pl.FP32]]):\n" \
  "        t: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 128], [16, 128], " \
  "target_memory=pl.Mem.Vec)\n" \
  "        u: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tile.frob(t)\n" twice \
  "        z: pl.Tensor[[16, 128], pl.FP32] = pl.tile.store(u, [0, 0], y)\n"
#define ANOTHER_UNKNOWN "        w: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tile.grob(u)\n"
#define FROB(stem) stem ".py:9:54: note: operation 'pl.tile.frob'"
#define GROB "02_after_Simplify.py:10:54: note: operation 'pl.tile.grob'"

/* An operation that no table knows stands in every dump; it is noted where it first does, whichever dumps are looked at. */
static void
test_notes_once (void)
{
  static const struct { const char *args, *noted[2]; } rows[] = {
    { "simulate ", { FROB ("00_frontend"), GROB } },
    { "passes ", { FROB ("00_frontend"), GROB } },
    { "check ", { FROB ("00_frontend"), GROB } },
    { "simulate --after ConvertToSSA ", { FROB ("01_after_ConvertToSSA"), NULL } },
    { "simulate --after Simplify ", { FROB ("02_after_Simplify"), GROB } },
  };
  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL);

  put (folder, "00_frontend.py", WITH_UNKNOWN_OPERATION (""));
  put (folder, "01_after_ConvertToSSA.py", WITH_UNKNOWN_OPERATION (""));
  put (folder, "02_after_Simplify.py", WITH_UNKNOWN_OPERATION (ANOTHER_UNKNOWN));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *all = g_strconcat (rows[i].args, folder, NULL);
      guint n = 0;
      Result result;

      run_cli (all, NULL, &result);
      for (const char *at = result.err; (at = strstr (at, "[unknown-operation]")) != NULL; at++)
        n++;
      g_assert_cmpuint (n, ==, rows[i].noted[1] != NULL ? 2 : 1);
      for (guint k = 0; k < n; k++)
        if (strstr (result.err, rows[i].noted[k]) == NULL)
          g_error ("%s: not noted: %s, but %s", all, rows[i].noted[k], result.err);
      result_clear (&result);
    }
  remove_tree (folder);
}

static void
put_bytes (const char *folder, const char *name, const char *bytes, gssize n)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, bytes, n, NULL));
}

/* Whatever the files of a folder hold, each is a snapshot with its own errors, and those around it are read. */
static void
test_hostile_contents (void)
{
  static const char plain[] = WITH_UNKNOWN_OPERATION ("");
  static const struct { const char *name, *bytes; gssize n; const char *says; } rows[] = {
    { "02_after_Nul.py", "# pypto.program: P\nx\0y = 1\n", 27, "02_after_Nul.py:2:2: error: a NUL byte in the text [syntax]" },
    { "03_after_Bytes.py", "# pypto.program: P\nx\xff = 1\n", -1,
      "03_after_Bytes.py:2:2: error: byte 0xff is not UTF-8 [bad-utf8]" },
    { "04_after_Empty.py", "", 0, "04_after_Empty.py: error: nothing to open" },
    { "05_after_Open.py", "# pypto.program: P\nf((((\n", -1, "05_after_Open.py:2:2: error: '(' is never closed [syntax]" },
  };
  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *all = g_strconcat ("passes ", folder, NULL);
  g_autofree char *line = g_strnfill (10000000, 'x'), *marked = g_strconcat ("\xef\xbb\xbf", plain, NULL);
  g_auto (GStrv) lines = g_strsplit (plain, "\n", -1);
  g_autofree char *crlf = g_strjoinv ("\r\n", lines);
  static const char *const good[] = { "frontend", "Mark", "Crlf", "\xe4\xb8\xad\xe6\x96\x87" };
  Result result;

  put (folder, "00_frontend.py", plain);
  put (folder, "01_after_Mark.py", marked);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    put_bytes (folder, rows[i].name, rows[i].bytes, rows[i].n);
  put (folder, "06_after_Line.py", line);
  put (folder, "07_after_Crlf.py", crlf);
  put (folder, "08_after_\xe4\xb8\xad\xe6\x96\x87.py", plain);
  run_cli (all, NULL, &result);
  g_assert_cmpint (result.status, ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strstr (result.err, rows[i].says) == NULL)
      g_error ("not said: %s, but %s", rows[i].says, result.err);
  g_assert_nonnull (strstr (result.err, "06_after_Line.py:1:1: error: a name is longer than 1048576 bytes [limit]"));
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      const char *row = strstr (result.out, good[i]), *end = row != NULL ? strchr (row, '\n') : NULL;
      g_autofree char *found = end != NULL ? g_strndup (row, (gsize) (end - row)) : NULL;

      if (found == NULL || strstr (found, "has errors") != NULL)
        g_error ("%s: %s", good[i], result.out);
    }
  result_clear (&result);
  remove_tree (folder);
}

/* What is known of each snapshot's operations: matched in a folder of the compiler's dumps, recorded by passes of ours, both where
 * ours run on a folder. */
static void
test_provenance (void)
{
  static const struct { const char *args, *loaded, *made; } rows[] = {
    { "passes --json @G/dumps/gelu_rows", "inferred", NULL },
    { "passes --json sample:pingpong", NULL, "recorded" },
    { "passes --json --passes unroll-loops @G/dumps/gelu_rows", "inferred", "recorded" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (JsonParser) parser = json_parser_new ();
      gint64 n_matched = 0;
      JsonArray *snapshots;
      Result result;

      run_cli (rows[i].args, NULL, &result);
      snapshots = json_object_get_array_member (json_of (result.out, parser), "snapshots");
      g_assert_cmpuint (json_array_get_length (snapshots), >, 1);
      for (guint k = 0; k < json_array_get_length (snapshots); k++)
        {
          JsonObject *snapshot = json_array_get_object_element (snapshots, k), *provenance;
          const char *kind;

          if (k == 0)
            {
              g_assert_true (json_object_get_null_member (snapshot, "provenance"));
              continue;
            }
          provenance = json_object_get_object_member (snapshot, "provenance");
          kind = json_object_get_string_member (provenance, "kind");
          g_assert_cmpstr (kind, ==, k + 1 == json_array_get_length (snapshots) && rows[i].made != NULL ? rows[i].made
                                     : rows[i].loaded != NULL ? rows[i].loaded : rows[i].made);
          g_assert_cmpint (json_object_get_int_member (provenance, "matched"), <=, json_object_get_int_member (provenance, "of"));
          n_matched += json_object_get_int_member (provenance, "matched");
        }
      g_assert_cmpint (n_matched, >, 0);
      result_clear (&result);
    }
}

/* The table tells of matched links unasked, of recorded ones with --verbose. */
static void
test_provenance_in_table (void)
{
  static const struct { const char *args, *has, *not; } rows[] = {
    { "passes @G/dumps/gelu_rows", "11/12 inferred", "recorded" },
    { "passes --verbose sample:pingpong", "13/13 recorded", "inferred" },
    { "passes sample:pingpong", "LowerPipelineLoops", "traced" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Result result;

      run_cli (rows[i].args, NULL, &result);
      if (strstr (result.out, rows[i].has) == NULL || strstr (result.out, rows[i].not) != NULL)
        g_error ("%s: %s", rows[i].args, result.out);
      result_clear (&result);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli/dumps/runs-replace-each-other", test_runs_replace_each_other);
  g_test_add_func ("/cli/dumps/others-are-left-alone", test_others_are_left_alone);
  g_test_add_func ("/cli/dumps/list", test_list);
  g_test_add_func ("/cli/dumps/no-files", test_no_files);
  g_test_add_func ("/cli/dumps/notes-once", test_notes_once);
  g_test_add_func ("/cli/dumps/hostile-contents", test_hostile_contents);
  g_test_add_func ("/cli/dumps/provenance", test_provenance);
  g_test_add_func ("/cli/dumps/provenance-in-table", test_provenance_in_table);
  return g_test_run ();
}
