/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine files: what is read, what is refused and how it is said, and the figures of the shipped ones. */
#include "machine/machine.h"

#include <glib/gstdio.h>
#include <string.h>

static TsMachine *
load (const char *name, const char *override)
{
  const char *const     overrides[] = { override, NULL };
  g_autoptr (GError)    error = NULL;
  TsMachine            *machine = ts_machine_load (name, overrides, &error);
  g_assert_no_error (error);
  return machine;
}

static void
test_shipped (void)
{
  for (const char *const *name = ts_machine_shipped_names (); *name != NULL; name++)
    {
      g_autoptr (TsMachine) machine = load (*name, NULL);
      guint                 n;
      const TsFigure       *figures = ts_machine_figures (machine, &n);
      g_assert_cmpstr (ts_machine_name (machine), ==, *name);
      g_assert_cmpuint (n, >, 30);
      for (guint i = 0; i < n; i++)
        {
          g_test_message ("%s: %s.%s", *name, figures[i].group, figures[i].key);
          g_assert_nonnull (figures[i].source);
          g_assert_nonnull (figures[i].confidence);
          g_assert_nonnull (strstr ("H M L", figures[i].confidence));
        }
    }
}

static void
check_capacities (const char *name, const gint64 *expected)
{
  g_autoptr (TsMachine) machine = load (name, NULL);
  for (guint space = 0; space < TS_N_SPACES; space++)
    g_assert_cmpint (ts_machine_capacity (machine, space), ==, expected[space]);
  g_assert_cmpint (ts_machine_capacity (machine, TS_SPACE_NONE), ==, 0);
}

/* passes-memory 1.1 and machines.md a.3; in the order of the spaces. */
static void
test_capacities (void)
{
  check_capacities ("teaching", (const gint64[]){ 0, 65536, 131072, 16384, 16384, 65536, 1024, 0, 0, 0 });
  check_capacities ("ascend910b", (const gint64[]){ 0, 188416, 524288, 65536, 65536, 131072, 1024, 0, 0, 0 });
  check_capacities ("ascend950", (const gint64[]){ 0, 245760, 524288, 65536, 65536, 262144, 4096, 0, 4096, 4096 });
}

static void
test_backend (void)
{
  g_autoptr (TsMachine) teaching = load ("teaching", NULL);
  g_autoptr (TsMachine) none = load ("teaching", "backend=none");
  g_autoptr (TsMachine) a5 = load ("ascend950", NULL);
  g_assert_cmpint (ts_machine_backend (teaching), ==, TS_BACKEND_A2A3);
  g_assert_cmpint (ts_machine_backend (none), ==, TS_BACKEND_NONE);
  g_assert_cmpint (ts_machine_backend (a5), ==, TS_BACKEND_A5);
  g_assert_cmpint (ts_machine_acc_rows (teaching, TS_DTYPE_FP32), ==, 16);
  g_assert_cmpint (ts_machine_acc_rows (teaching, TS_DTYPE_INT32), ==, 32);
  g_assert_cmpint (ts_machine_acc_rows (none, TS_DTYPE_INT32), ==, 32);
  g_assert_cmpint (ts_machine_acc_rows (a5, TS_DTYPE_INT32), ==, 16);
  g_assert_cmpfloat (ts_machine_clock_ghz (a5), ==, 1.65);
}

static void
test_timing (void)
{
  g_autoptr (TsMachine)  teaching = load ("teaching", NULL);
  g_autoptr (TsMachine)  a2 = load ("ascend910b", NULL);
  g_autoptr (TsMachine)  a5 = load ("ascend950", NULL);
  const TsMachineTiming *t = ts_machine_timing (teaching);
  g_assert_cmpint (t->dispatch_cost, ==, 0);
  g_assert_cmpint (t->gm_alias, ==, TS_GM_ALIAS_WINDOW);
  for (guint i = 0; i < TS_N_PIPES; i++)
    {
      g_assert_cmpint (t->queue_depth[i], ==, 0);
      g_assert_cmpint (t->in_flight[i], ==, 1);
      for (guint j = 0; j < TS_N_PIPES; j++)
        g_assert_cmpint (t->sync[i][j], ==, 0);
    }
  t = ts_machine_timing (a2);
  g_assert_cmpint (t->queue_depth[TS_PIPE_MTE3], ==, 32);
  g_assert_cmpint (t->in_flight[TS_PIPE_MTE2], ==, 2);
  g_assert_cmpint (t->sync[TS_PIPE_MTE2][TS_PIPE_V], ==, 5);
  g_assert_cmpint (t->sync[TS_PIPE_V][TS_PIPE_V], ==, 18);
  g_assert_cmpint (t->sync[TS_PIPE_M][TS_PIPE_M], ==, 0);
  t = ts_machine_timing (a5);
  g_assert_cmpint (t->sync[TS_PIPE_MTE2][TS_PIPE_V], ==, 15);
  g_assert_cmpint (t->sync[TS_PIPE_V][TS_PIPE_MTE3], ==, 9);
  g_assert_cmpint (t->in_flight[TS_PIPE_MTE2], ==, 4);
}

/* Core, pipe, pair of pipes, kinds of value: all can be set by hand, and say so. */
static void
test_overrides (void)
{
  const char *const      overrides[] = { "queue-depth=8", "mte2.queue-depth=2", "mte2.in-flight=3", "flag-cost=4", "v.flag-cost=6",
                                         "sync.v-mte3=1", "gm-alias=none", "memory.vec=1024", "vector-ops.exp.fp16=1 2", NULL };
  g_autoptr (GError)     error = NULL;
  g_autoptr (TsMachine)  machine = ts_machine_load ("teaching", overrides, &error);
  const TsMachineTiming *t;
  const TsFigure        *figures;
  guint                  n, by_hand = 0;
  g_assert_no_error (error);
  t = ts_machine_timing (machine);
  g_assert_cmpint (t->queue_depth[TS_PIPE_MTE2], ==, 2);
  g_assert_cmpint (t->queue_depth[TS_PIPE_V], ==, 8);
  g_assert_cmpint (t->in_flight[TS_PIPE_MTE2], ==, 3);
  g_assert_cmpint (t->sync[TS_PIPE_MTE2][TS_PIPE_V], ==, 4);
  g_assert_cmpint (t->sync[TS_PIPE_V][TS_PIPE_FIX], ==, 6);
  g_assert_cmpint (t->sync[TS_PIPE_V][TS_PIPE_MTE3], ==, 1);
  g_assert_cmpint (t->gm_alias, ==, TS_GM_ALIAS_NONE);
  g_assert_cmpint (ts_machine_capacity (machine, TS_SPACE_VEC), ==, 1024);
  figures = ts_machine_figures (machine, &n);
  for (guint i = 0; i < n; i++)
    by_hand += g_strcmp0 (figures[i].source, "set by hand") == 0;
  g_assert_cmpuint (by_hand, ==, G_N_ELEMENTS (overrides) - 1);
}

/* --- refusals ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  const char *override; /* NULL: see `text` */
  int         code;
  const char *says;
} Refusal;

static const Refusal refusals[] = {
  { "queue-depth=x", TS_MACHINE_ERROR_BAD_VALUE, "teaching: [core] queue-depth (set by hand): 'x' is not a number" },
  { "queue-depth=", TS_MACHINE_ERROR_BAD_VALUE, "teaching: 'queue-depth=' is not [GROUP.]KEY=VALUE" },
  { "queue-depth", TS_MACHINE_ERROR_BAD_VALUE, "teaching: 'queue-depth' is not [GROUP.]KEY=VALUE" },
  { "=3", TS_MACHINE_ERROR_BAD_VALUE, "teaching: '=3' is not [GROUP.]KEY=VALUE" },
  { "queue-depth=-1", TS_MACHINE_ERROR_BAD_VALUE, "teaching: [core] queue-depth (set by hand): '-1' is negative" },
  { "queue-depth=1.5", TS_MACHINE_ERROR_BAD_VALUE, "teaching: [core] queue-depth (set by hand): '1.5' is not a whole number" },
  { "queue-depth=1e99", TS_MACHINE_ERROR_BAD_VALUE, "teaching: [core] queue-depth (set by hand): '1e99' is not a whole number" },
  { "queue-depth=99999999", TS_MACHINE_ERROR_BAD_VALUE, "out of range (0 to 65536)" },
  { "mte2.in-flight=0", TS_MACHINE_ERROR_BAD_VALUE, "teaching: [mte2] in-flight (set by hand): '0' is out of range (1 to 4096)" },
  { "mte2.bandwidth=0", TS_MACHINE_ERROR_BAD_VALUE, "teaching: [mte2] bandwidth (set by hand): '0' is out of range" },
  { "mte2.bandwidth=inf", TS_MACHINE_ERROR_BAD_VALUE, "'inf' is not a number" },
  { "mte2.bandwidth=nan", TS_MACHINE_ERROR_BAD_VALUE, "'nan' is not a number" },
  { "clock=0", TS_MACHINE_ERROR_BAD_VALUE, "[core] clock" },
  { "clock=1,85", TS_MACHINE_ERROR_BAD_VALUE, "'1,85' is not a number" },
  { "backend=a3", TS_MACHINE_ERROR_BAD_VALUE, "teaching: [core] backend (set by hand): 'a3' is not one of none,a2a3,a5" },
  { "scenario=warm", TS_MACHINE_ERROR_BAD_VALUE, "'warm' is not one of shared,hot,cold" },
  { "queue-dept=8", TS_MACHINE_ERROR_UNKNOWN_KEY, "teaching: [core] queue-dept (set by hand): unknown key" },
  { "mte4.bandwidth=8", TS_MACHINE_ERROR_UNKNOWN_KEY, "teaching: [mte4] bandwidth (set by hand): unknown group" },
  { "sync.mte2-w=8", TS_MACHINE_ERROR_UNKNOWN_KEY, "teaching: [sync] mte2-w (set by hand): not a pair of pipes" },
  { "sync.mte2=8", TS_MACHINE_ERROR_UNKNOWN_KEY, "not a pair of pipes" },
  { "sync.mte2-v=-8", TS_MACHINE_ERROR_BAD_VALUE, "teaching: [sync] mte2-v (set by hand): '-8' is negative" },
  { "vector-ops.exp=3", TS_MACHINE_ERROR_BAD_VALUE, "teaching: [vector-ops] exp (set by hand): '3' is not two numbers" },
  { "vector-ops.exp=3 -1", TS_MACHINE_ERROR_BAD_VALUE, "neither negative" },
  { "vector-ops.exq=3 1", TS_MACHINE_ERROR_UNKNOWN_KEY, "[vector-ops] exq (set by hand): neither a cost class nor an operation" },
  { "vector-ops.exp.fp17=3 1", TS_MACHINE_ERROR_UNKNOWN_KEY, "neither a cost class nor an operation" },
  { "vector-ops.none=3 1", TS_MACHINE_ERROR_UNKNOWN_KEY, "neither a cost class nor an operation" },
  { " = 3", TS_MACHINE_ERROR_BAD_VALUE, "is not [GROUP.]KEY=VALUE" },
  { "mte2. bandwidth=3", TS_MACHINE_ERROR_UNKNOWN_KEY, "teaching: [mte2]  bandwidth (set by hand): unknown key" },
  { "queue\ndepth=3", TS_MACHINE_ERROR_UNKNOWN_KEY, "unknown key" },
  { "source.*=H: me", TS_MACHINE_ERROR_UNKNOWN_KEY, "teaching: [source] * (set by hand): sources stand in the file only" },
  { "sync.m-m=8", TS_MACHINE_ERROR_UNKNOWN_KEY, "teaching: [sync] m-m (set by hand): a pipe has no flag to itself" },
  { "core.]=3", TS_MACHINE_ERROR_UNKNOWN_KEY, "unknown key" },
  { "core.clock[de]=3", TS_MACHINE_ERROR_UNKNOWN_KEY, "unknown key" },
};

static void
test_refused_overrides (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      const char *const     overrides[] = { refusals[i].override, NULL };
      g_autoptr (GError)    error = NULL;
      g_autoptr (TsMachine) machine = ts_machine_load ("teaching", overrides, &error);
      g_assert_null (machine);
      g_test_message ("%s: %s", refusals[i].override, error->message);
      g_assert_error (error, TS_MACHINE_ERROR, refusals[i].code);
      g_assert_nonnull (strstr (error->message, refusals[i].says));
    }
}

static char *
shipped_text (const char *name)
{
  g_autofree char   *file = g_strconcat (name, ".machine", NULL);
  g_autofree char   *path = g_test_build_filename (G_TEST_DIST, "..", "data", "machines", file, NULL);
  char              *text = NULL;
  g_autoptr (GError) error = NULL;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

static void
check_text (const char *text, int code, const char *says)
{
  g_autoptr (GError)    error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load_text ("mine", text, NULL, &error);
  g_assert_null (machine);
  g_test_message ("%s", error->message);
  g_assert_error (error, TS_MACHINE_ERROR, code);
  g_assert_nonnull (strstr (error->message, says));
}

static void
test_refused_texts (void)
{
  g_autofree char *whole = shipped_text ("teaching");
  g_autofree char *with_group = g_strconcat (whole, "\n[mte9]\nstartup=1\n", NULL);
  g_autofree char *with_source = g_strconcat (whole, "\nmte2.bandwith=H: me\n", NULL);
  g_autofree char *with_confidence = g_strconcat (whole, "\nmte2.bandwidth=me\n", NULL);
  g_autofree char *with_nothing = g_strconcat (whole, "\nmte2.bandwidth=\n", NULL);
  check_text ("", TS_MACHINE_ERROR_MISSING_KEY, "mine: [core] clock: missing");
  check_text ("nonsense", TS_MACHINE_ERROR_SYNTAX, "mine: not a machine file");
  check_text ("clock=1", TS_MACHINE_ERROR_SYNTAX, "mine: not a machine file: it has no line such as [core]");
  check_text ("clock=1\n[core]\n", TS_MACHINE_ERROR_SYNTAX, "mine: line 1 is in no group: clock=1");
  check_text ("[nothing]\n", TS_MACHINE_ERROR_UNKNOWN_KEY, "mine: [nothing] : unknown group");
  check_text ("\xff\xfe", TS_MACHINE_ERROR_SYNTAX, "not UTF-8");
  check_text (with_group, TS_MACHINE_ERROR_UNKNOWN_KEY, "mine: [mte9] startup: unknown group");
  check_text (with_source, TS_MACHINE_ERROR_UNKNOWN_KEY, "mine: [source] mte2.bandwith: the file has no such figure");
  check_text (with_confidence, TS_MACHINE_ERROR_BAD_VALUE, "does not begin with a confidence");
  check_text (with_nothing, TS_MACHINE_ERROR_BAD_VALUE, "does not begin with a confidence");
}

/* A file is mended in one go: everything wrong with it is told at once, and --set too. Every fault of a kind of its own. */
static void
test_all_faults_at_once (void)
{
  g_autofree char      *whole = shipped_text ("teaching");
  g_auto (GStrv)        parts = g_strsplit (whole, "dispatch-cost=0\n", 2);
  g_autofree char      *text = g_strconcat (parts[0], "nonsense\nqueue-dept=8\n", parts[1],
                                            "clock=2\n[mte9]\na=1\nb=2\n[core]\nclock=-1\n[broken\n", NULL);
  const char *const     overrides[] = { "m.in-flight=0", "frob", "backend=a3", NULL };
  const char *const     faults[] = {
    "is neither [GROUP] nor KEY=VALUE: nonsense", "mine: [core] clock: given twice, in line ", "KEY=VALUE: [broken",
    "mine: 'frob' is not [GROUP.]KEY=VALUE", "mine: [core] backend (set by hand): 'a3' is not one of",
    "mine: [core] queue-dept: unknown key", "mine: [m] in-flight (set by hand): '0' is out of range",
    "mine: [source] clock: '2' does not begin",
    "mine: [mte9] a: unknown group", "mine: [core] dispatch-cost: missing",
  };
  g_autoptr (GError)    error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load_text ("mine", text, overrides, &error);
  g_auto (GStrv)        lines = NULL;
  g_assert_null (machine);
  g_test_message ("%s", error->message);
  g_assert_error (error, TS_MACHINE_ERROR, TS_MACHINE_ERROR_SYNTAX);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    g_assert_nonnull (strstr (error->message, faults[i]));
  lines = g_strsplit (error->message, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, G_N_ELEMENTS (faults));
}

/* ... as long as anybody would read them. */
static void
test_many_faults (void)
{
  g_autoptr (GString)   text = g_string_new ("[core]\n");
  g_autoptr (GError)    error = NULL;
  g_auto (GStrv)        lines = NULL;
  for (guint i = 0; i < 1000; i++)
    g_string_append_printf (text, "key%u=1\n", i);
  g_assert_null (ts_machine_load_text ("mine", text->str, NULL, &error));
  lines = g_strsplit (error->message, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 101);
  g_assert_true (g_str_has_prefix (lines[100], "... and ") && g_str_has_suffix (lines[100], " more errors"));
}

static void
test_byte_order_mark (void)
{
  g_autofree char      *whole = shipped_text ("teaching");
  g_autofree char      *text = g_strconcat ("\xef\xbb\xbf", whole, NULL);
  g_autoptr (GError)    error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load_text ("mine", text, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (ts_machine_capacity (machine, TS_SPACE_VEC), ==, 65536);
}

/* Every line of the teaching file that is not optional is missed when it goes. */
static void
test_missing_keys (void)
{
  g_autofree char *whole = shipped_text ("teaching");
  g_auto (GStrv)   lines = g_strsplit (whole, "\n", -1);
  const char      *optional = " title scenario gm-alias bias ";
  g_autofree char *group = NULL;
  guint            tried = 0;
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *kept = lines[i];
      g_autofree char *key = g_strndup (kept, strcspn (kept, "="));
      g_autofree char *spaced = g_strconcat (" ", key, " ", NULL);
      g_autofree char *expected = NULL, *text = NULL;
      if (kept[0] == '[')
        {
          g_free (group);
          group = g_strndup (kept + 1, strlen (kept) - 2);
        }
      lines[i] = g_strdup ("");
      text = g_strjoinv ("\n", lines);
      g_free (lines[i]);
      lines[i] = g_steal_pointer (&kept);
      if (strchr ("#[", lines[i][0]) != NULL || strstr (optional, spaced) != NULL || strcmp (group, "source") == 0)
        continue;
      expected = g_strdup_printf ("mine: [%s] %s: missing", group, key);
      check_text (text, TS_MACHINE_ERROR_MISSING_KEY, expected);
      tried++;
    }
  g_assert_cmpuint (tried, >, 40);
}

/* The comments of the teaching file are the key table for people: no key may be missing from it. A key of one path of a pipe is
 * documented by its prefix and its plain form. */
static void
test_every_key_is_documented (void)
{
  static const char *const keys[] = {
#define TS_MACHINE_KEY(id, group, key, ...) key,
#include "machine/keys.def"
#undef TS_MACHINE_KEY
  };
  static const char *const prefixes[] = { "l1-", "l0b-", "bias-", "ub-" };
  g_autofree char         *text = shipped_text ("teaching");
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const char *plain = keys[i];
      for (guint j = 0; j < G_N_ELEMENTS (prefixes); j++)
        if (strstr (text, plain) == NULL && g_str_has_prefix (plain, prefixes[j]))
          {
            g_assert_nonnull (strstr (text, prefixes[j]));
            plain += strlen (prefixes[j]);
          }
      g_test_message ("%s", keys[i]);
      g_assert_nonnull (strstr (text, plain));
    }
}

static void
test_blanks (void)
{
  g_autofree char      *whole = shipped_text ("teaching");
  g_auto (GStrv)        lines = g_strsplit (whole, "\n", -1);
  g_autofree char      *text = g_strjoinv (" \t\r\n", lines);
  g_autoptr (GError)    error = NULL;
  const char *const     overrides[] = { " queue-depth = 8 ", "vector-ops.exp=1 \t 2", "\tmte2.bandwidth =128", NULL };
  g_autoptr (TsMachine) machine = ts_machine_load_text ("mine", text, overrides, &error);
  g_assert_no_error (error);
  g_assert_cmpint (ts_machine_timing (machine)->queue_depth[TS_PIPE_V], ==, 8);
}

/* Whatever stands in the file, the answer is a machine or an error that begins with its name. */
static void
test_damaged_texts (void)
{
  g_autofree char *whole = shipped_text ("ascend910b");
  const gsize      length = strlen (whole);
  const char       bytes[] = { '=', '[', ']', '\n', '9', '-', '#', 'e' };
  for (gsize i = 0; i < length; i += 97)
    {
      g_autoptr (GError)    error = NULL;
      g_autoptr (TsMachine) machine = NULL;
      const char            kept = whole[i];
      whole[i] = bytes[i % sizeof bytes];
      machine = ts_machine_load_text ("mine", whole, NULL, &error);
      g_assert_true ((machine == NULL) == (error != NULL));
      if (error != NULL)
        g_assert_true (g_str_has_prefix (error->message, "mine: "));
      whole[i] = kept;
    }
}

static void
test_files (void)
{
  g_autoptr (GError)    error = NULL;
  g_autofree char      *folder = g_dir_make_tmp ("tilescope-machine-XXXXXX", NULL);
  g_autofree char      *path = g_build_filename (folder, "mine.machine", NULL);
  g_autofree char      *text = shipped_text ("teaching");
  g_autoptr (TsMachine) machine = NULL;

  g_assert_null (ts_machine_load ("no-such-machine", NULL, &error));
  g_assert_error (error, TS_MACHINE_ERROR, TS_MACHINE_ERROR_UNKNOWN_MACHINE);
  g_assert_nonnull (strstr (error->message, "teaching, ascend910b, ascend950"));
  g_clear_error (&error);
  g_assert_null (ts_machine_load (path, NULL, &error));
  g_assert_error (error, TS_MACHINE_ERROR, TS_MACHINE_ERROR_READ);
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  machine = ts_machine_load (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ts_machine_name (machine), ==, path);
  g_assert_true (g_file_set_contents (path, "[core]\0\n", 8, NULL));
  g_assert_null (ts_machine_load (path, NULL, &error));
  g_assert_error (error, TS_MACHINE_ERROR, TS_MACHINE_ERROR_SYNTAX);
  g_remove (path);
  g_rmdir (folder);
}

/* The user's own machines are found by name (main() gives the test a home of its own). */
static void
test_user_folder (void)
{
  g_autoptr (GError)    error = NULL;
  g_autofree char      *folder = g_build_filename (g_get_user_data_dir (), "tilescope", "machines", NULL);
  g_autofree char      *path = g_build_filename (folder, "at-home.machine", NULL);
  g_autofree char      *namesake = g_build_filename (folder, "teaching.machine", NULL), *hidden = NULL;
  g_autofree char      *text = shipped_text ("teaching");
  g_autoptr (TsMachine) machine = NULL;
  g_auto (GStrv)        names = NULL;
  g_autofree char      *joined = NULL;
  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  machine = ts_machine_load ("at-home", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (ts_machine_capacity (machine, TS_SPACE_VEC), ==, 65536);
  g_assert_cmpstr (ts_machine_name (machine), ==, "at-home");
  names = ts_machine_names ();
  joined = g_strjoinv (" ", names);
  g_assert_cmpstr (joined, ==, "teaching ascend910b ascend950 at-home");
  g_assert_null (ts_machine_hidden_file ("at-home"));
  g_assert_null (ts_machine_hidden_file ("teaching"));
  g_assert_true (g_file_set_contents (namesake, text, -1, NULL));
  hidden = ts_machine_hidden_file ("teaching");
  g_assert_cmpstr (hidden, ==, namesake);
  g_remove (namesake);
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("tilescope-home-XXXXXX", NULL);
  g_autofree char *of_program = g_build_filename (home, "tilescope", NULL);
  int              status;
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/machine/shipped", test_shipped);
  g_test_add_func ("/machine/capacities", test_capacities);
  g_test_add_func ("/machine/backend", test_backend);
  g_test_add_func ("/machine/timing", test_timing);
  g_test_add_func ("/machine/overrides", test_overrides);
  g_test_add_func ("/machine/refused-overrides", test_refused_overrides);
  g_test_add_func ("/machine/refused-texts", test_refused_texts);
  g_test_add_func ("/machine/all-faults-at-once", test_all_faults_at_once);
  g_test_add_func ("/machine/many-faults", test_many_faults);
  g_test_add_func ("/machine/byte-order-mark", test_byte_order_mark);
  g_test_add_func ("/machine/missing-keys", test_missing_keys);
  g_test_add_func ("/machine/documented", test_every_key_is_documented);
  g_test_add_func ("/machine/blanks", test_blanks);
  g_test_add_func ("/machine/damaged-texts", test_damaged_texts);
  g_test_add_func ("/machine/files", test_files);
  g_test_add_func ("/machine/user-folder", test_user_folder);
  status = g_test_run ();
  g_rmdir (of_program);
  g_rmdir (home);
  return status;
}
