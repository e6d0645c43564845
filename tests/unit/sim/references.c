/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every function of every reference output is simulated: nothing is left out of the account, nothing waits for ever. */
#include "kernel-text.h"

#include <string.h>

static void
check_account (const TsSimulation *s, const char *what)
{
  const TsResult *r = s->result;
  gint64 overlap = 0;

  g_test_message ("%s: %" G_GINT64_FORMAT, what, r->makespan);
  g_assert_cmpint (s->schedule->status, ==, TS_SCHEDULE_DONE);
  g_assert_false (ts_diag_list_has_errors (s->diags));
  g_assert_cmpint (r->makespan, >=, r->bound);
  g_assert_cmpint (r->makespan, >, 0);
  for (guint i = 0; i < r->n_pipes; i++)
    {
      gint64 sum = r->pipes[i].busy + r->pipes[i].done;
      for (guint c = 0; c < TS_N_CAUSES; c++)
        sum += r->pipes[i].idle[c];
      g_assert_cmpint (sum, ==, r->makespan);
    }
  for (guint n = 0; n <= TS_N_LANES; n++)
    overlap += r->overlap[n];
  g_assert_cmpint (overlap, ==, r->makespan);
  for (guint i = 0; i < r->n_loops; i++)
    {
      const TsLoopResult *l = &r->loops[i];
      g_assert_cmpint (l->begin, <=, l->steady_begin);
      g_assert_cmpint (l->steady_begin, <=, l->steady_end);
      g_assert_cmpint (l->steady_end, <=, l->end);
    }
}

static void
simulate_file (const char *path, guint *simulated)
{
  static const char *const machines[] = { "teaching", "ascend910b", "ascend950" };
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (TsModule) module = kernel_module (text);
  for (guint f = 0; f < module->n_functions; f++)
    for (guint m = 0; m < G_N_ELEMENTS (machines); m++)
      {
        const TsFunction *function = module->functions[f];
        /* A core of a group is not complete on its own, but must still run. */
        if (!ts_simulate_can (module, function, NULL))
          continue;
        g_autoptr (TsSimulation) s = kernel_simulate (module, function->name, machines[m], NULL, NULL);
        check_account (s, path);
        (*simulated)++;
      }
}

static gint
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static GPtrArray *
list_dir (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, compare_paths);
  return names;
}

static void
test_references (gconstpointer data)
{
  g_autofree char *root = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), data, NULL);
  g_autoptr (GPtrArray) kernels = list_dir (root);
  guint simulated = 0;

  for (guint k = 0; k < kernels->len; k++)
    {
      g_autoptr (GPtrArray) files = list_dir (g_ptr_array_index (kernels, k));
      for (guint i = 0; i < files->len; i++)
        {
          const char *path = g_ptr_array_index (files, i);
          g_autofree char *name = g_path_get_basename (path);
          if (g_ascii_isdigit (name[0]) && g_str_has_suffix (name, ".py"))
            simulate_file (path, &simulated);
        }
    }
  g_assert_cmpuint (simulated, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/sim/references/kernels", "kernels", test_references);
  g_test_add_data_func ("/sim/references/dumps", "dumps", test_references);
  return g_test_run ();
}
