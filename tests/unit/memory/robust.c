/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory passes and facts on input they were not made for: every reference snapshot at every stage, whole and damaged,
 * through every pass and planner without verification. Nothing may crash, hang or overflow; what they say does not matter here. */
#include <stdlib.h>
#include <string.h>

#include "ir/memory-facts.h"
#include "kernel.h"
#include "lang/pypto/pypto.h"
#include "machine/machine.h"
#include "passes/pipeline.h"

static const char *const runs[] = {
  "MaterializeTensorStrides", "InitMemRef",  "MaterializeSemanticAliases",
  "MemoryReuse",              "AllocateMemoryAddr", "InitMemRef,MaterializeSemanticAliases,MemoryReuse,AllocateMemoryAddr",
};

static void
run_all (const char *text, const TsMachine *machine, guint first, guint step)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("damaged.py", text);
  g_autoptr (TsModule) module = ts_pypto_parse (source, strings, NULL, diags);
  if (module == NULL || ts_diag_list_has_errors (diags))
    return;
  for (guint i = first; i < G_N_ELEMENTS (runs) * TS_N_PLANNERS; i += step)
    {
      TsPipelineOptions options = { .machine = machine, .planner = i % TS_N_PLANNERS, .record_steps = TRUE };
      g_autoptr (GArray) plan = ts_pass_plan_parse (runs[i / TS_N_PLANNERS], TS_LANGUAGE_PYPTO, options.planner, NULL);
      g_assert_nonnull (plan);
      g_autoptr (GPtrArray) snapshots = ts_pipeline_run (ts_module_clone (module), plan, &options);
      const TsPassSnapshot *last = snapshots->pdata[snapshots->len - 1];
      for (guint f = 0; last->module != NULL && f < last->module->n_functions; f++)
        ts_memory_facts_free (ts_memory_facts_new (last->module, last->module->functions[f], NULL));
      if (last->module != NULL)
        g_free (ts_pypto_print (last->module, NULL, NULL));
    }
}

/* --- damage ------------------------------------------------------------------------------------------------------------- */

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* A random place where a word (or a number) begins, at or after the middle of some line; G_MAXSIZE when the text has none there. */
static gsize
word_at (const GString *text, GRand *rand)
{
  gsize at = (gsize) g_rand_int_range (rand, 0, (gint) text->len);
  while (at < text->len && !(is_word (text->str[at]) && (at == 0 || !is_word (text->str[at - 1]))))
    at++;
  return at < text->len ? at : G_MAXSIZE;
}

static gsize
word_length (const GString *text, gsize at)
{
  gsize n = 0;
  while (at + n < text->len && is_word (text->str[at + n]))
    n++;
  return n;
}

static void
damage_word (GString *text, GRand *rand)
{
  static const char *const numbers[] = { "0", "1", "2", "3", "7", "31", "4096", "65536", "2147483648", "9223372036854775807",
                                         "4611686018427387904" };
  gsize at = word_at (text, rand), other = word_at (text, rand);
  if (at == G_MAXSIZE || other == G_MAXSIZE)
    return;
  g_autofree char *copy = g_strndup (text->str + other, word_length (text, other));
  const char *with = g_ascii_isdigit (text->str[at]) ? numbers[g_rand_int_range (rand, 0, G_N_ELEMENTS (numbers))] : copy;
  g_string_erase (text, (gssize) at, (gssize) word_length (text, at));
  g_string_insert (text, (gssize) at, with);
}

/* Drops, doubles or moves one line. */
static void
damage_line (GString *text, GRand *rand)
{
  gsize at = (gsize) g_rand_int_range (rand, 0, (gint) text->len);
  while (at > 0 && text->str[at - 1] != '\n')
    at--;
  gsize n = strcspn (text->str + at, "\n") + 1;
  if (at + n > text->len)
    return;
  g_autofree char *line = g_strndup (text->str + at, n);
  gint what = g_rand_int_range (rand, 0, 3);
  if (what != 1)
    g_string_erase (text, (gssize) at, (gssize) n);
  if (what == 0)
    return;
  gsize to = what == 1 ? at : (gsize) g_rand_int_range (rand, 0, (gint) text->len);
  while (to > 0 && text->str[to - 1] != '\n')
    to--;
  g_string_insert (text, (gssize) to, line);
}

static void
test_file (gconstpointer data)
{
  const char *path = data;
  const char *asked = g_getenv ("TS_DAMAGE_ROUNDS");
  guint rounds = asked != NULL ? (guint) atoi (asked) : 6;
  g_autofree char *text = NULL;
  g_autoptr (TsMachine) machine = ts_kernel_machine ("ascend910b");
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_str_hash (path + strlen (g_getenv ("TS_TEST_GOLDEN"))));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  run_all (text, machine, 0, 1);
  for (guint i = 0; i < rounds; i++)
    {
      g_autoptr (GString) damaged = g_string_new (text);
      for (gint k = g_rand_int_range (rand, 1, 4); k > 0 && damaged->len > 0; k--)
        if (g_rand_int_range (rand, 0, 4) == 0)
          damage_line (damaged, rand);
        else
          damage_word (damaged, rand);
      if (g_getenv ("TS_DAMAGE_SHOW") != NULL)
        g_file_set_contents (g_getenv ("TS_DAMAGE_SHOW"), damaged->str, -1, NULL);
      run_all (damaged->str, machine, i % 5, 5);
    }
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
collect (const char *folder, GPtrArray *paths)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        collect (path, paths);
      else if (g_ascii_isdigit (name[0]) && g_str_has_suffix (name, ".py"))
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
}

int
main (int argc, char **argv)
{
  static const char *const groups[] = { "kernels", "dumps" };
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      g_autofree char *folder = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), groups[i], NULL);
      collect (folder, paths);
    }
  g_ptr_array_sort (paths, by_name);
  for (guint i = 0; i < paths->len; i++)
    {
      const char *path = paths->pdata[i];
      g_autofree char *test = g_strconcat ("/memory/robust", path + strlen (g_getenv ("TS_TEST_GOLDEN")), NULL);
      g_test_add_data_func (test, path, test_file);
    }
  return g_test_run ();
}
