/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result types of operations: used by source mode (to type what the user left out) and by the verifier. */
#pragma once

#include "base/diag.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* The type of the result of `op`, whose operands are typed; NULL when it has none or cannot be known (TS_RESULT_NONE, unknown
 * operations). On misuse adds errors at `span` (code "bad-argument" and the like) and returns NULL. New types go to `module`. */
const TsType *ts_infer_result (TsModule *module, const TsOp *op, TsDiagList *diags, TsSpan span);
/* The type of an expression operand: scalar for arithmetic, the variable's type for a value, tuple items, nested calls. */
const TsType *ts_infer_expr (TsModule *module, const TsExpr *e, TsDiagList *diags, TsSpan span);
/* Fills defaulted positional arguments and keywords of a call written by a user, in canonical order (spec dsl 4.5): tile.load
 * gets its valid shape and target_memory, cast its mode, and so on. Unknown keywords and wrong counts are errors. */
gboolean      ts_infer_complete (TsModule *module, TsOp *op, TsDiagList *diags, TsSpan span);

G_END_DECLS
