/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the compiler's passes. Source: spec passes-schedule section 9. */
#include "passes/compiler-order.h"

#include <string.h>

#define P(property) TS_PROPERTY_BIT (TS_PROPERTY_##property)
/* The letters of the specification. */
#define S P (SSA_FORM)
#define N P (NORMALIZED_STMT_STRUCTURE)
#define O P (SPLIT_INCORE_ORCH)
#define I P (INCORE_TILE_OPS)
#define D P (TILE_OPS_2D)
#define M P (TILE_MEMORY_INFERRED)
#define T6 (S | O | I | D | M | N)

static const TsCompilerPass passes[] = {
#define TS_COMPILER_PASS(name, required, produced, invalidated) { #name, required, produced, invalidated },
#include "passes/compiler-order.def"
#undef TS_COMPILER_PASS
};

const TsCompilerPass *
ts_compiler_pass_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    if (strcmp (passes[i].name, name) == 0)
      return &passes[i];
  return NULL;
}

TsPropertySet
ts_properties_implied (TsPropertySet required)
{
  return (required & I) != 0 ? required | P (NO_NESTED_CALLS) : required;
}

TsPropertySet
ts_properties_after (const char *pass, TsPropertySet held)
{
  const TsCompilerPass *row = ts_compiler_pass_find (pass);

  if (row == NULL)
    return 0;
  return ((held | ts_properties_implied (row->required)) & ~row->invalidated) | row->produced;
}
