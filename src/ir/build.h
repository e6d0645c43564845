/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making and moving operations and values. Everything lives in the module's arena; what is removed is simply forgotten. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* A fresh value of a kind; `hint` is interned by the call. */
TsValue *ts_value_new (TsModule *module, TsValueKind kind, const char *hint, const TsType *type);
/* The same with a hint that is interned in the module's pool already: no look-up, for copies. */
TsValue *ts_value_new_like (TsModule *module, TsValueKind kind, const TsValue *like, const TsType *type);
TsValue *ts_function_add_param (TsModule *module, TsFunction *function, const char *hint, const TsType *type,
                                TsDirection direction);
void     ts_function_set_returns (TsModule *module, TsFunction *function, const TsType *const *types, guint n);

/* A detached operation. `name` may be NULL for codes that a table names. Operands are copied. */
TsOp    *ts_op_new (TsModule *module, TsOpCode code, const char *name, TsExpr *const *operands, guint n_operands);
/* Adds a fresh result. */
TsValue *ts_op_add_result (TsModule *module, TsOp *op, const char *hint, const TsType *type);
/* Makes an existing variable the (next) result: a second definition of it before SSA. Sets value->def when it has none. */
void     ts_op_add_result_value (TsModule *module, TsOp *op, TsValue *value);
void     ts_op_add_operand (TsModule *module, TsOp *op, TsExpr *operand);
void     ts_op_set_operands (TsModule *module, TsOp *op, TsExpr *const *operands, guint n);
void     ts_op_set_results (TsModule *module, TsOp *op, TsValue *const *results, guint n); /* sets def and index of each */
void     ts_op_add_keyword (TsModule *module, TsOp *op, const char *key, TsExpr *value);   /* appends without looking */
void     ts_op_add_attr (TsModule *module, TsOp *op, const char *key, TsExpr *value);
/* The same with a key that is interned in the module's pool already. */
void     ts_op_add_attr_interned (TsModule *module, TsOp *op, const char *key, TsExpr *value);
void     ts_op_add_comment (TsModule *module, TsOp *op, const char *text);
/* Adds a region with one empty block and returns that block. */
TsBlock *ts_op_add_region (TsModule *module, TsOp *op);
TsBlock *ts_region_add_block (TsModule *module, TsRegion *region);
TsValue *ts_block_add_arg (TsModule *module, TsBlock *block, const char *hint, const TsType *type);

/* Linking. An operation stands in at most one block. */
void     ts_block_append (TsBlock *block, TsOp *op);
void     ts_block_insert_before (TsOp *anchor, TsOp *op);
void     ts_block_insert_after (TsOp *anchor, TsOp *op);
void     ts_op_unlink (TsOp *op);
/* Moves every operation of `from` to the end of `to`. */
void     ts_block_splice (TsBlock *to, TsBlock *from);
/* Relinks the block in the order of the array, which must hold exactly its operations. */
void     ts_block_set_order (TsBlock *block, TsOp *const *ops, guint n);
/* The operations as an array of n_ops pointers; free with g_free. */
TsOp   **ts_block_ops (const TsBlock *block);

/* Shorthands used by passes and tests. Each appends to `block` and returns the operation. */
TsOp    *ts_build_assign (TsModule *module, TsBlock *block, const char *hint, const TsType *type, TsExpr *value);
/* FOR with its region; the loop variable has `hint` and dtype INDEX (or INT64). Carried values and results are added by the
 * caller. */
TsOp    *ts_build_for (TsModule *module, TsBlock *block, TsLoopKind kind, const char *hint, TsDtype dtype,
                       TsExpr *start, TsExpr *stop,
                       TsExpr *step);
TsOp    *ts_build_yield (TsModule *module, TsBlock *block, TsExpr *const *values, guint n);

G_END_DECLS
