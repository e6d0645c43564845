/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one table of passes, in the order of the default pipelines. A new pass is one line in passes.def. */
#include <string.h>

#include "passes/pass.h"

#define TS_PASS(symbol) extern const TsPassInfo symbol;
#include "passes/passes.def"
#undef TS_PASS

static const TsPassInfo *const registry[] = {
#define TS_PASS(symbol) &symbol,
#include "passes/passes.def"
#undef TS_PASS
};

const TsPassInfo *const *
ts_pass_registry (guint *n)
{
  *n = G_N_ELEMENTS (registry);
  return registry;
}

const TsPassInfo *
ts_pass_find (const char *name)
{
  guint n;
  const TsPassInfo *const *passes = ts_pass_registry (&n);
  for (guint i = 0; i < n; i++)
    if (strcmp (passes[i]->name, name) == 0 || strcmp (passes[i]->id, name) == 0)
      return passes[i];
  return NULL;
}
