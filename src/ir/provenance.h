/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an operation of one snapshot was in the snapshot before. Exact where a pass of ours made the snapshot (TsOp.origin); else
 * recovered by names, structure and order, and marked inferred. Source: design section 4. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct TsProvenance TsProvenance;

/* Links made from the origins of `after`, a module a pass made from a clone of `before`. O(operations). Neither module is kept. */
TsProvenance *ts_provenance_exact (const TsModule *before, const TsModule *after);
/* Links recovered for two modules read from text. Functions pair by name (also with suffixes "_incore_N", "_aic", "_aiv" cut), then
 * operations by result name (clone suffix "_N" and role suffixes cut), code and order. O(n log n). */
TsProvenance *ts_provenance_match (const TsModule *before, const TsModule *after);
void          ts_provenance_free (TsProvenance *provenance);

gboolean      ts_provenance_is_inferred (const TsProvenance *provenance);
/* Ids in `before` that operation `op` of `after` comes from, ascending; *n is 0 for a new one. Belongs to the provenance. */
const gint32 *ts_provenance_backward (const TsProvenance *provenance, gint32 op, guint *n);
/* Ids in `after` that come from operation `op` of `before`, ascending. */
const gint32 *ts_provenance_forward (const TsProvenance *provenance, gint32 op, guint *n);

/* The part of a compiler-made name that stays the same across passes: cut at the first "__" (not at the very start), then a clone
 * suffix "_N". "acc__rv_v2" gives "acc". Returns its length. Source: dsl section 6. */
gsize         ts_name_stem (const char *name);
/* The part of a name that the user wrote: cut in front of "__[qualifier_]role_vN" and the clone suffix behind it, where the role
 * is one that passes give. "n_1__ssa_v0" gives "n_1"; "block__size" and "n_1" stay whole. Returns its length.
 * Source: dsl section 6. */
gsize         ts_name_written (const char *name);
/* Is `name` what somebody who says the first `length` characters of `said` may mean: the name itself, or what was written for
 * it? */
gboolean      ts_name_answers (const char *name, const char *said, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsProvenance, ts_provenance_free)

G_END_DECLS
