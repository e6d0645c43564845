/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which definitions reach which operations, also across branches. Source: spec ttir section 7. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct TsDominance TsDominance;

/* Numbers the operations of a function and finds the immediate dominators of regions with several blocks. O(size) in practice.
 * Valid until the function changes. */
TsDominance *ts_dominance_new (const TsFunction *function);
/* The same by numbers of the caller's, by operation id, that grow within each block: they are read when they are needed. Regions
 * are looked at when somebody asks for them. Stays valid as long as blocks and what leads to them stay. */
TsDominance *ts_dominance_new_numbered (guint32 *const *numbers);
void         ts_dominance_free (TsDominance *dominance);
/* Is `value` defined at every point where `op` runs (and before it)? Arguments of a function always are. */
gboolean     ts_dominance_value (TsDominance *dominance, const TsValue *value, const TsOp *op);
/* Does `a` run before `b` whenever b runs? FALSE for the same operation. */
gboolean     ts_dominance_op (TsDominance *dominance, const TsOp *a, const TsOp *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDominance, ts_dominance_free)

G_END_DECLS
