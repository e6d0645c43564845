/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What no placement without penalties can do without: how dsa-rp.c knows that no further order can win. For dsa-rp.c only. */
#pragma once

#include "passes/dsa-place.h"

G_BEGIN_DECLS

/* Bytes that every placement of penalty 0 reaches up to, per pool: `peaks` gets n_pools numbers. Never too much, so a placement
 * that needs no more than this is the best there is. O(n log n + pairs + kinds of a family squared). */
void ts_dsa_bound_peaks (const TsDsaRelations *relations, gint64 *peaks);

G_END_DECLS
