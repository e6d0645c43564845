/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order constraints between statements that read and write the same memory without a value passing between them: a load of `out`
 * after a bare store to `out`, a tile.read after a tile.write. Source: spec passes-schedule section 7, quirks, Ours. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 from, to; /* indices of statements, from < to */
} TsOrderEdge;

/* One per function: keeps its tables between blocks. For each block: note the statements that may store (or hold some that do),
 * visit the uses of the values in `watched` while the dependencies are found (ts_deps_builder_watch), then find the edges. */
typedef struct TsIoEffects TsIoEffects;
TsIoEffects  *ts_io_effects_new (const TsModule *module, const TsFunction *function);
void          ts_io_effects_free (TsIoEffects *effects);

/* Forgets the block before. */
void          ts_io_effects_begin (TsIoEffects *effects);
void          ts_io_effects_note (TsIoEffects *effects, TsOp *op);
/* By value id: not 0 for what a noted statement stores to. Valid until the next begin. */
const guint8 *ts_io_effects_watched (const TsIoEffects *effects);
void          ts_io_effects_see_use (guint index, TsOp *reader, TsValue *value, gpointer effects);
/* Appends to `edges` (TsOrderEdge) a constraint for every store and later access, and access and later store, of one variable,
 * unless their windows are provably disjoint. A pair may occur twice, and pairs that others imply are left out. Near-linear.
 * Statements from `n` on (a terminator) are ignored. */
void          ts_io_effects_find (TsIoEffects *effects, guint n, GArray *edges);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsIoEffects, ts_io_effects_free)

G_END_DECLS
