/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a tile is split between the two vector cores of a group: 0 not at all, 1 by rows (UP_DOWN), 2 by columns (LEFT_RIGHT).
 * Source: spec dsl 4.5, 5.3. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* The number of a mode written as an integer or as a member of pl.SplitMode; FALSE when it is neither. `e` may be NULL. */
gboolean ts_split_mode (const TsExpr *e, gint64 *split);
/* The mode of the nearest pl.split_aiv() around the statements of `block`; FALSE when there is none or it names no mode. `block`
 * may be NULL. */
gboolean ts_block_split_mode (const TsBlock *block, gint64 *split);
/* Is the operation one that takes its split= from the pl.split_aiv() around it when it has none? */
gboolean ts_op_inherits_split (const TsOp *op);

G_END_DECLS
