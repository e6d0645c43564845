/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables that every path assigns before it reads them, though no single statement around the read shows it: behind a loop that
 * certainly runs, or behind a branch whose other arm jumps. */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

/* By variable id: the first statement that may read it before every assignment, or NULL. `n` entries; free with g_free. */
const TsOp **ts_unassigned_reads (TsFunction *function, guint n);

/* Gives a first value to every variable that a conversion to one definition each would miss at some read, though `unassigned`
 * (which ts_unassigned_reads() found before the function was rewritten) says that none is missing: 0, an empty tile, or the buffer
 * that a store writes to. Nobody reads it. What has no such value stays as it is. Near-linear. */
void         ts_give_first_values (TsPassContext *context, TsModule *module, TsFunction *function, const TsOp *const *unassigned,
                                   guint n);

G_END_DECLS
