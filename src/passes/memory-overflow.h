/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to look at when a memory space is too small. For the passes that find out. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Advice for an error about a full space: which tiles are live together where most bytes are, the largest first, and the largest
 * buffers. Free with g_free; NULL when no tile of the space has a buffer. O(n log n). */
char *ts_overflow_help (const TsModule *module, const TsFunction *function, TsSpace space);

G_END_DECLS
