/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order constraints between sibling operations, from definitions to uses. Source: spec passes-schedule section 1. */
#pragma once

#include "base/diag.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* Edges of one block as compressed rows: predecessors of operation i are preds[pred_start[i]] .. preds[pred_start[i + 1] - 1],
 * indices into `ops`, in block order, each once. */
typedef struct
{
  TsOp   **ops;
  guint    n_ops;
  guint32 *pred_start; /* n_ops + 1 */
  guint32 *preds;
  gint32   too_early; /* index of the first operation that reads what a later one of the block defines first; -1: none */
} TsDeps;

/* The graph over the operations of a block; uses and definitions are taken over each operation's whole subtree. O(uses). */
TsDeps  *ts_deps_new (const TsModule *module, const TsBlock *block);
void     ts_deps_free (TsDeps *deps);

/* The same for many blocks of one module: keeps its table of definers between blocks, so that a block costs only its own uses. */
typedef struct TsDepsBuilder TsDepsBuilder;
TsDepsBuilder *ts_deps_builder_new (const TsModule *module);
void           ts_deps_builder_free (TsDepsBuilder *builder);
TsDeps        *ts_deps_builder_run (TsDepsBuilder *builder, const TsBlock *block);
/* In steps, for a caller that looks at each operation anyway: begin with the operations of the block in order (the array is taken
 * over), add one after the other, end. */
void           ts_deps_builder_begin (TsDepsBuilder *builder, const TsBlock *block, TsOp **ops, guint n);
void           ts_deps_builder_add (TsDepsBuilder *builder);
TsDeps        *ts_deps_builder_end (TsDepsBuilder *builder);
/* Watches groups of values in the runs to come: `groups` by value id (kept by the caller), 0 for none; below `n_groups`. */
void           ts_deps_builder_watch (TsDepsBuilder *builder, const guint32 *groups, guint n_values, guint n_groups);
typedef void (*TsGroupFunc) (guint32 group, gpointer data);
/* The groups that the block of the last run uses otherwise than along one chain, each member once, one of them from outside.
 * Only their uses can stand in an order that no value enforces. A chain that runs through blocks inside may be among them. */
void           ts_deps_builder_foreach_forked (const TsDepsBuilder *builder, TsGroupFunc func, gpointer data);

/* InOut-use discipline (section 1, `Check`): reports every read of a variable after a call that took it for writing. With the
 * improvements marked Ours: submits kill, bare copies are followed, kill sets are memoised. Returns TRUE when clean.
 * `diags` may be NULL: only the answer is wanted. O(size of the function). */
gboolean ts_check_inout_use (const TsModule *module, const TsFunction *function, TsDiagList *diags);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDeps, ts_deps_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDepsBuilder, ts_deps_builder_free)

G_END_DECLS
