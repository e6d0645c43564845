/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses by DSA-RP: the problem a function poses, strict and relaxed, and its answer. Source: spec passes-memory 6.3. */
#pragma once

#include "base/map.h"
#include "passes/allocations.h"

G_BEGIN_DECLS

/* Finds an address for every base of the function (base id to address) and adds the hint PH-DSA-001. FALSE after an error, or when
 * cancelled. */
gboolean ts_place_dsa (TsPassContext *context, TsModule *module, TsFunction *function, const TsReserved *reserved,
                       TsMap *addresses);

G_END_DECLS
