/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the passes over pipeline loops share: bounds, literals, demotion, copies of a body, membership tags.
 * Source: spec passes-schedule section 0. */
#pragma once

#include "ir/clone.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* A FOR of kind pipeline that says how many stages it has. */
static inline gboolean
ts_loop_is_pipeline (const TsOp *op)
{
  return op->code == TS_OP_FOR && op->sub == TS_LOOP_PIPELINE && ts_op_attr (op, TS_ATTR_STAGES) != NULL;
}

static inline gboolean
ts_op_is_loop (const TsOp *op)
{
  return op->code == TS_OP_FOR || op->code == TS_OP_WHILE;
}

static inline gboolean
ts_op_is_jump (const TsOp *op)
{
  return op->code == TS_OP_BREAK || op->code == TS_OP_CONTINUE;
}

/* The first break or continue inside an operation that binds to it, or to a loop around it, at any depth; NULL: none. The jumps of
 * loops inside are their own. */
TsOp     *ts_jump_of (const TsOp *op);
/* What ends a trip of the loop, or all of it, before the end of its body: a jump of its own, else a return anywhere in it; NULL:
 * nothing. O(operations of the loop). */
const TsOp *ts_exit_of (const TsOp *loop);

/* What a loop carries: how many, and where among its operands and the arguments of its body the first of them stands. */
typedef struct
{
  guint n, first_init, first_arg;
} TsCarries;

/* Of a FOR or WHILE; anything else carries nothing. Where there are not as many arguments as initial values, the fewer count. */
TsCarries ts_loop_carries (const TsOp *op);

/* Kind sequential, no stage count; every other attribute stays. */
void      ts_loop_demote (TsOp *loop);
/* Drops the two policy attributes of a pipeline loop. */
void      ts_loop_strip_policy (TsOp *loop);

/* The literal n with the dtype of `like` (INDEX where that has none): keeps INT64 loops INT64. */
TsExpr   *ts_literal_like (TsModule *module, const TsExpr *like, gint64 n);
/* A binary node; the narrower operand is cast to the wider one's dtype, except between INDEX and INT64. Nothing folds. */
TsExpr   *ts_promoted_binary (TsModule *module, TsOperator op, TsExpr *a, TsExpr *b);

/* An operation made by a pass on behalf of `source`: takes over its place in the source and its provenance. */
void      ts_op_made_from (TsOp *op, const TsOp *source);
/* `value = expr` with an existing variable as target, standing for `source`. Detached. */
TsOp     *ts_assign_to (TsModule *module, TsValue *target, TsExpr *value, const TsOp *source);

/* Depth of nesting at which an operation stands: 0 at the top of a function. */
guint     ts_op_depth (const TsOp *op);
/* Levels of regions inside an operation: 0 when it has none. */
guint     ts_op_height (const TsOp *op);

/* A call in the sense of the specification: a row of the op table, an unknown operation, a call or submit of a function. */
gboolean  ts_op_is_any_call (const TsOp *op);
/* Assigns a tile that a call makes. */
gboolean  ts_op_makes_tile (const TsOp *op);
/* A multiplication (tile.matmul...) whose result is an accumulator. */
gboolean  ts_op_is_accumulation (const TsOp *op);

/* Appends (group, stage) to the membership of an operation; the attribute moves to the end. `cache` remembers the last pair made
 * for an untagged operation, so that the copies of one stage share it: start with { 0 }. */
typedef struct
{
  TsAttr *attr;
  TsStage pair;
} TsTagCache;
void      ts_tag (TsModule *module, TsOp *op, TsStage pair, TsTagCache *cache);
/* "0:1;3:0" as printed. Free with g_free. */
char     *ts_membership_text (const TsOp *op);

/* Is there room for `factor` more copies of something that took `n_ops` operations? Bound: TS_MAX_PASS_OPS. */
gboolean  ts_room_for (const TsModule *module, gint64 n_ops, gint64 factor);

G_END_DECLS
