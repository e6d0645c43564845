/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparing two snapshots, of one run or of two. */

#include "run/run-private.h"

GPtrArray *
ts_run_compare (TsRun *a, guint index_a, TsRun *b, guint index_b, TsCompareFlags flags, GError **error)
{
  const TsSnapshot *x = ts_run_snapshot (a, index_a), *y = ts_run_snapshot (b, index_b);
  const TsSnapshot *missing = x->module == NULL ? x : y->module == NULL ? y : NULL;

  if (missing != NULL)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SNAPSHOT, "Snapshot %u (%s) has no module to compare", missing->index,
                   missing->pass);
      return NULL;
    }
  if (x->module->language != y->module->language)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "A kernel cannot be compared with Triton IR");
      return NULL;
    }
  return ts_module_compare (x->module, y->module, flags);
}
