/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order constraints between statements that read and write the same memory without a value passing between them: a load of `out`
 * after a bare store to `out`, a tile.read after a tile.write, a store of a tile before an operation that writes over it, a read of
 * a received tile before it is released.
 * Source: spec passes-schedule section 7, quirks, Ours. */
#pragma once

#include "ir/deps.h"
#include "passes/aliases.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 from, to; /* indices of statements, from < to */
} TsOrderEdge;

/* Does the operation give a received tile back to the FIFO it came from? */
gboolean ts_op_releases (const TsOp *op);

/* One per function: keeps its tables between blocks. */
typedef struct TsIoEffects TsIoEffects;
TsIoEffects *ts_io_effects_new (const TsModule *module, const TsFunction *function, const TsAliases *aliases);
void         ts_io_effects_free (TsIoEffects *effects);

/* `uses` has just run over the block and watches the classes: one whose uses follow one chain of values needs no further look.
 * Appends to `edges` (TsOrderEdge) a constraint for every write and later access, and access and later write, of one class, unless
 * their windows are provably disjoint. A pair may occur twice, and pairs that others imply are left out. Near-linear. */
void         ts_io_effects_find (TsIoEffects *effects, const TsDepsBuilder *uses, TsOp *const *ops, guint n, GArray *edges);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsIoEffects, ts_io_effects_free)

G_END_DECLS
