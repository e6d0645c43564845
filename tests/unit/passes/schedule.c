/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of spec passes-schedule, row by row: tests/golden/schedule/NAME.cases. */
#include "cases.h"

static const char *const files[] = { "unroll-loops", "convert-to-ssa", "normalize-return-order", "skew-cross-core-pipeline",
                                     "lower-pipeline-to-slots", "lower-pipeline-loops", "canonicalize-io-order" };

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  for (guint f = 0; f < G_N_ELEMENTS (files); f++)
    {
      g_autofree char *file = g_strconcat (files[f], ".cases", NULL);
      g_autofree char *path = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), "schedule", file, NULL);
      GPtrArray *cases = ts_cases_read (path);
      g_ptr_array_add (all, cases);
      for (guint i = 0; i < cases->len; i++)
        {
          TsCase *c = cases->pdata[i];
          if (c->passes == NULL)
            c->passes = g_strdup (files[f]);
          g_autofree char *name = g_strdup_printf ("/passes/%s/%s", files[f], c->name);
          g_test_add_data_func (name, c, ts_case_check);
        }
    }
  return g_test_run ();
}
