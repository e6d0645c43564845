/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ir/split-mode.h"

#include <string.h>

gboolean
ts_split_mode (const TsExpr *e, gint64 *split)
{
  static const char *const members[] = { "SplitMode.NONE", "SplitMode.UP_DOWN", "SplitMode.LEFT_RIGHT" };

  if (e == NULL)
    return FALSE;
  if (e->kind == TS_EXPR_INT)
    *split = e->i;
  else
    {
      *split = G_N_ELEMENTS (members);
      for (guint i = 0; e->kind == TS_EXPR_ENUM && i < G_N_ELEMENTS (members); i++)
        if (strcmp (members[i], e->text) == 0)
          *split = i;
    }
  return *split >= 0 && *split < (gint64) G_N_ELEMENTS (members);
}

gboolean
ts_block_split_mode (const TsBlock *block, gint64 *split)
{
  for (const TsOp *outer = block != NULL ? block->region->op : NULL; outer != NULL; outer = ts_op_parent (outer))
    if (outer->code == TS_OP_SCOPE && outer->sub == TS_SCOPE_SPLIT_AIV)
      return ts_split_mode (ts_op_keyword (outer, "mode"), split);
  return FALSE;
}

gboolean
ts_op_inherits_split (const TsOp *op)
{
  return op->code == TS_OP_TILE_AIV_SHARD || op->code == TS_OP_TILE_AIC_GATHER;
}
