/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copying operations within a module, with substitution. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct TsCloner TsCloner;

/* A cloner remembers what each variable becomes. Making one costs O(1); memory grows with the ids it has seen. */
TsCloner     *ts_cloner_new (TsModule *module);
void          ts_cloner_free (TsCloner *cloner);
/* Forgets all substitutions: O(number of them), so that one cloner serves many copies. */
void          ts_cloner_reset (TsCloner *cloner);

/* Every use of `value` becomes `replacement` (not visited again). */
void          ts_cloner_set (TsCloner *cloner, const TsValue *value, TsExpr *replacement);
/* What a use of `value` becomes: NULL when it stays. */
TsExpr       *ts_cloner_get (const TsCloner *cloner, const TsValue *value);
/* Keep the variables that copied operations define (UnrollLoops: SSA conversion renames later). Default FALSE: each definition
 * becomes a fresh variable with the same hint, its type rewritten. */
void          ts_cloner_set_keep_definitions (TsCloner *cloner, gboolean keep);
/* Number of the copy, written to origin.clone of every copied operation; -1 (default) leaves the source's. */
void          ts_cloner_set_clone_number (TsCloner *cloner, gint number);

/* Rewritten trees; the same pointer when nothing in them changes. */
TsExpr       *ts_cloner_expr (TsCloner *cloner, TsExpr *e);
const TsType *ts_cloner_type (TsCloner *cloner, const TsType *type);
/* Deep copy of an operation with its regions, detached; span, comments, origin come along. */
TsOp         *ts_cloner_op (TsCloner *cloner, const TsOp *op);
/* Copies all operations of `from` (with its terminator) to the end of `to`. */
void          ts_cloner_block (TsCloner *cloner, const TsBlock *from, TsBlock *to);
/* Rewrites operands, keywords, attributes and nested regions of an operation in place (no copies; definitions stay). Result types
 * are rewritten too. */
void          ts_cloner_rewrite (TsCloner *cloner, TsOp *op);
/* The same without what is inside of it. */
void          ts_cloner_rewrite_only (TsCloner *cloner, TsOp *op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCloner, ts_cloner_free)

G_END_DECLS
