/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LowerPipelineLoops: copies the body of a pipeline loop once per stage, so that every stage owns its buffers.
 * Source: spec passes-schedule section 6. */
#include "base/limits.h"
#include "base/number.h"
#include "ir/build.h"
#include "passes/loops.h"

/* One function. */
typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  TsCloner      *cloner;
  gint32         next_group;
  gboolean       has_jumps; /* seen so far: only then a loop is searched for its own */
  gboolean       changed, failed;
} Lowering;

/* One loop with its body cut in statements and yielded values. */
typedef struct
{
  TsOp     *loop;
  TsBlock  *body;
  TsOp     *yield;    /* detached while copies are made; NULL when nothing is carried */
  TsOp    **ops;      /* statements of the body, without the yield */
  guint     n_ops;
  guint     n_carried;
  gint64    n_nested; /* operations of the body with everything inside */
  guint     height;   /* levels of regions inside the body */
  TsExpr   *start, *stop, *step_expr;
  gint64    step, factor;
  gboolean  double_buffer_c;
} Loop;

#define fail(lowering, op, ...)                                                                  \
  G_STMT_START                                                                                   \
  {                                                                                              \
    ts_pass_fail ((lowering)->context, (lowering)->module, (op), __VA_ARGS__);                   \
    (lowering)->failed = TRUE;                                                                   \
  }                                                                                              \
  G_STMT_END

static void
step_begin (Lowering *lowering, const char *kind, const TsOp *op)
{
  ts_step_begin (lowering->context->steps, kind, lowering->module, lowering->function, op);
}

/* --- tags -------------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  Lowering  *lowering;
  TsStage    pair;
  TsTagCache cache;
  gboolean   double_buffer_c; /* of the loop that is lowered */
} Tagging;

/* `nearest` tells whether the nearest pipeline loop around `op` double-buffers its accumulators. */
static void
tag_op (Tagging *tagging, TsOp *op, gboolean nearest)
{
  TsSteps *steps = tagging->lowering->context->steps;
  if (ts_op_makes_tile (op))
    {
      /* An accumulator is written by the cube one stage after the other: it needs a buffer per stage only when its own loop says
       * so. */
      gboolean left = ts_op_is_accumulation (op) && !(tagging->double_buffer_c && nearest);
      if (!left)
        ts_tag (tagging->lowering->module, op, tagging->pair, &tagging->cache);
      if (steps != NULL)
        {
          g_autofree char *text = ts_membership_text (op);
          step_begin (tagging->lowering, left ? "untagged" : "tag", op);
          ts_step_int (steps, "group", tagging->pair.group);
          ts_step_int (steps, "stage", tagging->pair.stage);
          ts_step_text (steps, "membership", text);
          if (left)
            ts_step_text (steps, "reason", "an accumulator needs one buffer: the cube writes it one stage after the other");
        }
    }
  if (op->n_regions == 0)
    return;
  if (op->code == TS_OP_FOR && op->sub == TS_LOOP_PIPELINE)
    nearest = ts_op_attr_bool (op, TS_ATTR_DOUBLE_BUFFER_C, FALSE);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      for (TsOp *inner = op->regions[r].blocks[b]->first; inner != NULL; inner = inner->next)
        tag_op (tagging, inner, nearest);
}

/* --- copies ------------------------------------------------------------------------------------------------------------------ */

static void
record_clone (Lowering *lowering, const Loop *loop, gint32 group, gint32 stage)
{
  TsSteps *steps = lowering->context->steps;
  step_begin (lowering, "clone", loop->loop);
  ts_step_int (steps, "group", group);
  ts_step_int (steps, "stage", stage);
  ts_step_int (steps, "offset", stage * loop->step);
  ts_step_int (steps, "statements", loop->n_ops);
}

/* One copy of the body, at `index` instead of the loop variable, appended to `to` and tagged. `state` holds what the carried values
 * are before it and is replaced by what they are after it. The last copy tags the body itself as stage 0, while its statements are
 * at hand. */
static void
copy_body (Lowering *lowering, const Loop *loop, TsBlock *to, TsExpr *index, TsExpr **state, gint32 group, gint32 stage,
           gboolean last)
{
  TsCloner *cloner = lowering->cloner;
  ts_cloner_reset (cloner);
  ts_cloner_set_clone_number (cloner, stage);
  ts_cloner_set (cloner, ts_for_var (loop->loop), index);
  for (guint i = 0; i < loop->n_carried; i++)
    ts_cloner_set (cloner, ts_for_carried (loop->loop, i), state[i]);

  record_clone (lowering, loop, group, stage);
  Tagging tagging = { .lowering = lowering, .pair = { group, stage }, .double_buffer_c = loop->double_buffer_c };
  Tagging own = { .lowering = lowering, .pair = { group, 0 }, .double_buffer_c = loop->double_buffer_c };
  for (guint i = 0; i < loop->n_ops; i++)
    {
      ts_ops_prefetch (loop->ops, loop->n_ops, i);
      TsOp *copy = ts_cloner_op (cloner, loop->ops[i]);
      ts_block_append (to, copy);
      tag_op (&tagging, copy, loop->double_buffer_c);
      if (last)
        tag_op (&own, loop->ops[i], loop->double_buffer_c);
    }
  for (guint i = 0; i < loop->n_carried; i++)
    state[i] = ts_cloner_expr (cloner, loop->yield->operands[i]);
}

/* Replicate(n, base, seeds) of the specification. FALSE when cancelled. */
static gboolean
replicate (Lowering *lowering, const Loop *loop, TsBlock *to, gint64 n, TsExpr *base, TsExpr **state)
{
  gint32 group = lowering->next_group++;
  for (gint64 k = 0; k < n; k++)
    {
      if (ts_pass_cancelled (lowering->context))
        lowering->failed = TRUE;
      if (lowering->failed)
        return FALSE;
      copy_body (lowering, loop, to, ts_expr_offset (lowering->module, base, k * loop->step), state, group, (gint32) k, FALSE);
    }
  return TRUE;
}

static TsExpr **
value_exprs (Lowering *lowering, TsValue *const *values, guint n)
{
  TsExpr **exprs = g_new (TsExpr *, n + 1);
  for (guint i = 0; i < n; i++)
    exprs[i] = ts_expr_value (lowering->module, values[i]);
  return exprs;
}

static TsExpr **
init_exprs (const Loop *loop)
{
  TsExpr **exprs = g_new (TsExpr *, loop->n_carried + 1);
  for (guint i = 0; i < loop->n_carried; i++)
    exprs[i] = loop->loop->operands[TS_FOR_INITS + i];
  return exprs;
}

/* Fresh variables for what a loop or branch leaves: the names of `values` with a suffix. */
static void
set_suffixed_results (Lowering *lowering, TsOp *op, TsValue *const *values, guint n, const char *suffix)
{
  ts_op_set_results (lowering->module, op, NULL, 0);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *hint = g_strconcat (values[i]->hint, suffix, NULL);
      ts_op_add_result (lowering->module, op, hint, values[i]->type);
    }
}

/* --- main loop --------------------------------------------------------------------------------------------------------------- */

/* Turns the loop itself into the main loop: its body stays as the copy of stage 0, the others follow. The copies outside of the
 * loop must have been made before: they copy the untagged body. */
static gboolean
make_main (Lowering *lowering, const Loop *loop, TsExpr *stop, gint32 group)
{
  TsModule *module = lowering->module;
  TsSteps *steps = lowering->context->steps;
  TsOp *op = loop->loop;

  step_begin (lowering, "main", op);
  ts_step_int (steps, "group", group);
  ts_step_int (steps, "copies", loop->factor);
  ts_step_int (steps, "stride", loop->factor * loop->step);
  g_autofree TsExpr **state = g_new (TsExpr *, loop->n_carried + 1);
  for (guint i = 0; i < loop->n_carried; i++)
    state[i] = loop->yield->operands[i];

  TsExpr *variable = ts_expr_value (module, ts_for_var (op));
  record_clone (lowering, loop, group, 0);
  for (gint64 k = 1; k < loop->factor; k++)
    {
      if (ts_pass_cancelled (lowering->context))
        {
          lowering->failed = TRUE;
          return FALSE;
        }
      copy_body (lowering, loop, loop->body, ts_expr_offset (module, variable, k * loop->step), state, group, (gint32) k,
                 k + 1 == loop->factor);
    }
  if (loop->yield != NULL)
    {
      for (guint i = 0; i < loop->n_carried; i++)
        loop->yield->operands[i] = state[i];
      ts_block_append (loop->body, loop->yield);
    }
  op->operands[TS_FOR_STOP] = stop;
  op->operands[TS_FOR_STEP] = ts_literal_like (module, loop->step_expr, loop->factor * loop->step);
  ts_op_remove_attr (op, TS_ATTR_STAGES);
  ts_op_add_attr (module, op, TS_ATTR_STAGES, ts_expr_index (module, 1));
  return TRUE;
}

/* --- static bounds ----------------------------------------------------------------------------------------------------------- */

static void
demote (Lowering *lowering, const Loop *loop)
{
  if (loop->yield != NULL)
    ts_block_append (loop->body, loop->yield);
  ts_loop_demote (loop->loop);
}

static void
lower_static (Lowering *lowering, const Loop *loop, gint64 start, gint64 trip)
{
  TsModule *module = lowering->module;
  TsOp *op = loop->loop;
  gint64 main_trips = trip / loop->factor, rest = trip % loop->factor;
  gint64 end = start; /* where the main loop ends: cannot overflow by more than one trip, which is checked */
  gint64 span;

  if (trip == 0)
    {
      demote (lowering, loop);
      return;
    }
  if (!ts_mul (main_trips * loop->factor, loop->step, &span) || !ts_add (start, span, &end))
    {
      fail (lowering, op, "overflow",
            "The main loop would end outside of 64 bits (start %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " trips)", start, trip);
      return;
    }

  TsValue **results = g_memdup2 (op->results, sizeof (TsValue *) * op->n_results);
  guint n = op->n_results;
  gint32 main_group = lowering->next_group;
  TsBlock *tail = NULL;
  TsOp *holder = NULL; /* an operation whose region collects the tail: nothing else can own a block */
  g_autofree TsExpr **state = NULL;
  if (main_trips > 0)
    {
      lowering->next_group++;
      if (rest > 0)
        set_suffixed_results (lowering, op, results, n, "_main");
      state = value_exprs (lowering, op->results, n);
    }
  else
    state = init_exprs (loop);

  if (rest > 0)
    {
      step_begin (lowering, "tail", op);
      ts_step_int (lowering->context->steps, "group", lowering->next_group);
      ts_step_int (lowering->context->steps, "copies", rest);
      ts_step_int (lowering->context->steps, "from", end);
      holder = ts_op_new (module, TS_OP_SCOPE, NULL, NULL, 0);
      tail = ts_op_add_region (module, holder);
      replicate (lowering, loop, tail, rest, ts_literal_like (module, loop->start, end), state);
      for (guint i = 0; i < n; i++)
        ts_block_append (tail, ts_assign_to (module, results[i], state[i], op));
    }
  if (main_trips > 0 && !lowering->failed)
    make_main (lowering, loop, ts_literal_like (module, loop->stop, end), main_group);

  TsOp *anchor = op;
  for (TsOp *next, *moved = tail != NULL ? tail->first : NULL; moved != NULL; moved = next)
    {
      next = moved->next;
      ts_op_unlink (moved);
      ts_block_insert_after (anchor, moved);
      anchor = moved;
    }
  if (main_trips == 0)
    ts_op_unlink (op);
  g_free (results);
}

/* --- run-time bounds --------------------------------------------------------------------------------------------------------- */

/* Trees of the run-time trip count. The specification fixes their exact shape. */
static TsExpr *
trip_expr (Lowering *lowering, const Loop *loop)
{
  TsModule *module = lowering->module;
  TsExpr *span = ts_promoted_binary (module, TS_OPERATOR_SUB, loop->stop, loop->start);
  if (loop->step == 1)
    return span;
  TsExpr *up = ts_promoted_binary (module, TS_OPERATOR_ADD, span, ts_literal_like (module, loop->step_expr, loop->step - 1));
  return ts_promoted_binary (module, TS_OPERATOR_FLOOR_DIV, up, ts_literal_like (module, loop->step_expr, loop->step));
}

static TsOp *
assign_scalar (Lowering *lowering, const Loop *loop, const char *hint, TsExpr *value)
{
  TsModule *module = lowering->module;
  TsDtype dtype = ts_for_var (loop->loop)->type->dtype;
  TsValue *target = ts_value_new (module, TS_VALUE_RESULT, hint, ts_type_scalar (module, dtype));
  return ts_assign_to (module, target, value, loop->loop);
}

static void
append_yield (Lowering *lowering, TsBlock *block, TsExpr *const *values, guint n, const TsOp *source)
{
  if (n > 0)
    ts_op_made_from (ts_build_yield (lowering->module, block, values, n), source);
}

/* `if unroll_rem == k`, whose else arm holds the branch for k + 1. */
static TsOp *
make_branch (Lowering *lowering, const Loop *loop, TsExpr *rest, gint64 k, TsOp *inner, TsExpr *end, TsValue *const *main_results,
             TsValue *const *results)
{
  TsModule *module = lowering->module;
  TsOp *op = loop->loop;
  guint n = loop->n_carried;
  TsExpr *condition = ts_expr_binary (module, TS_OPERATOR_EQ, rest, ts_literal_like (module, rest, k));
  TsOp *branch = ts_op_new (module, TS_OP_IF, NULL, &condition, 1);
  ts_op_made_from (branch, op);

  step_begin (lowering, "cascade", op);
  ts_step_int (lowering->context->steps, "group", lowering->next_group);
  ts_step_int (lowering->context->steps, "remainder", k);
  g_autofree TsExpr **state = value_exprs (lowering, main_results, n);
  TsBlock *then = ts_op_add_region (module, branch);
  if (!replicate (lowering, loop, then, k, end, state))
    return NULL;
  append_yield (lowering, then, state, n, op);

  if (inner != NULL || n > 0)
    {
      TsBlock *other = ts_op_add_region (module, branch);
      if (inner != NULL)
        ts_block_append (other, inner);
      g_autofree TsExpr **values = value_exprs (lowering, inner != NULL ? inner->results : main_results, n);
      append_yield (lowering, other, values, n, op);
    }
  if (k == 1)
    ts_op_set_results (module, branch, results, n);
  else
    {
      g_autofree char *suffix = g_strdup_printf ("_rem%" G_GINT64_FORMAT, k);
      set_suffixed_results (lowering, branch, results, n, suffix);
    }
  return branch;
}

static void
lower_dynamic (Lowering *lowering, const Loop *loop)
{
  TsModule *module = lowering->module;
  TsOp *op = loop->loop;
  TsExpr *trip = trip_expr (lowering, loop);
  TsExpr *main_trips =
      ts_promoted_binary (module, TS_OPERATOR_FLOOR_DIV, trip, ts_literal_like (module, loop->step_expr, loop->factor));
  TsExpr *span = ts_promoted_binary (module, TS_OPERATOR_MUL, main_trips,
                                     ts_literal_like (module, loop->step_expr, loop->factor * loop->step));
  TsOp *end_op = assign_scalar (lowering, loop, "unroll_main_end", ts_promoted_binary (module, TS_OPERATOR_ADD, loop->start, span));
  TsExpr *end = ts_expr_value (module, end_op->results[0]);
  ts_block_insert_before (op, end_op);

  TsExpr *rest = loop->step == 1
                   ? ts_promoted_binary (module, TS_OPERATOR_SUB, loop->stop, end)
                   : ts_promoted_binary (module, TS_OPERATOR_SUB, trip,
                                         ts_promoted_binary (module, TS_OPERATOR_MUL, main_trips,
                                                             ts_literal_like (module, loop->step_expr, loop->factor)));
  TsOp *rest_op = assign_scalar (lowering, loop, "unroll_rem", rest);
  ts_block_insert_after (op, rest_op);

  g_autofree TsValue **results = g_memdup2 (op->results, sizeof (TsValue *) * op->n_results);
  set_suffixed_results (lowering, op, results, loop->n_carried, "_main");
  gint32 main_group = lowering->next_group++;
  TsOp *branch = NULL;
  for (gint64 k = loop->factor - 1; k >= 1; k--)
    {
      branch = make_branch (lowering, loop, ts_expr_value (module, rest_op->results[0]), k, branch, end, op->results, results);
      if (branch == NULL)
        return;
    }
  ts_block_insert_after (rest_op, branch);
  make_main (lowering, loop, end, main_group);
}

/* --- one loop ---------------------------------------------------------------------------------------------------------------- */

/* An expression that is yielded would be copied into every use of the next copy: bind it to a variable first. */
static void
bind_yields (Lowering *lowering, const Loop *loop)
{
  for (guint i = 0; i < loop->n_carried; i++)
    {
      TsExpr *value = loop->yield->operands[i];
      if (!value->has_values || value->kind == TS_EXPR_VALUE)
        continue;
      const TsValue *carried = ts_for_carried (loop->loop, i);
      TsValue *target = ts_value_new (lowering->module, TS_VALUE_RESULT, carried->hint, carried->type);
      ts_block_insert_before (loop->yield, ts_assign_to (lowering->module, target, value, loop->yield));
      loop->yield->operands[i] = ts_expr_value (lowering->module, target);
    }
}

static gboolean
count_op (TsOp *op, gpointer data)
{
  ++*(gint64 *) data;
  return TRUE;
}

static gboolean
cut_body (Lowering *lowering, Loop *loop)
{
  TsOp *op = loop->loop;
  loop->body = ts_op_body (op, 0);
  loop->yield = ts_block_yield (loop->body);
  loop->n_carried = ts_for_n_carried (op);
  guint n_yielded = loop->yield != NULL ? loop->yield->n_operands : 0;
  if (n_yielded != loop->n_carried || op->n_results != loop->n_carried || loop->body->n_args != loop->n_carried + 1)
    {
      fail (lowering, op, "carried-values", "The loop carries %u values, yields %u and leaves %u", loop->n_carried, n_yielded,
            op->n_results);
      return FALSE;
    }
  bind_yields (lowering, loop);
  if (loop->yield != NULL)
    ts_op_unlink (loop->yield);
  loop->ops = g_new (TsOp *, loop->body->n_ops + 1);
  loop->n_nested = loop->body->n_ops;
  for (TsOp *inner = loop->body->first; inner != NULL; inner = ts_op_next_ahead (inner))
    {
      loop->ops[loop->n_ops++] = inner;
      if (inner->n_regions == 0)
        continue;
      loop->height = MAX (loop->height, ts_op_height (inner));
      ts_op_walk_regions (inner, count_op, &loop->n_nested);
    }
  return TRUE;
}

/* Says why and stops, or fills in step and factor. */
static gboolean
check_loop (Lowering *lowering, Loop *loop)
{
  TsOp *op = loop->loop;
  gint64 scaled;
  if (loop->factor < 1)
    fail (lowering, op, "bad-stage", "The loop has %" G_GINT64_FORMAT " stages; at least 1 is needed", loop->factor);
  else if (loop->factor > TS_MAX_STAGES)
    fail (lowering, op, "too-many-stages", "The loop has %" G_GINT64_FORMAT " stages; the limit is %u", loop->factor,
          TS_MAX_STAGES);
  else if (!ts_expr_as_int (loop->step_expr, &loop->step))
    fail (lowering, op, "symbolic-step", "The step of a pipeline loop must be a constant to copy its body");
  else if (loop->step == 0)
    fail (lowering, op, "zero-step", "The step of the loop is 0");
  else if (!ts_mul (loop->step, loop->factor, &scaled))
    fail (lowering, op, "overflow", "The step %" G_GINT64_FORMAT " times %" G_GINT64_FORMAT " stages does not fit in 64 bits",
          loop->step, loop->factor);
  return !lowering->failed;
}

/* Copies that outgrow what a module may hold are refused before the first is made. */
static gboolean
check_size (Lowering *lowering, const Loop *loop, gboolean is_static)
{
  gint64 copies = is_static ? loop->factor * 2 : loop->factor + loop->factor * (loop->factor - 1) / 2;
  guint levels = ts_op_depth (loop->loop) + 1 + loop->height;
  if (!ts_room_for (lowering->module, loop->n_nested, copies))
    fail (lowering, loop->loop, "too-large",
          "%" G_GINT64_FORMAT " copies of %" G_GINT64_FORMAT " statements are more than a module may hold (limit %d)", copies,
          loop->n_nested, TS_MAX_PASS_OPS);
  else if (!is_static && levels + loop->factor > TS_MAX_NESTING)
    fail (lowering, loop->loop, "nesting-limit",
          "The branches for the rest of %" G_GINT64_FORMAT " stages would nest deeper than the limit of %u; use constant bounds",
          loop->factor, TS_MAX_NESTING);
  return !lowering->failed;
}

static void
record_loop (Lowering *lowering, const Loop *loop, gboolean accepted, const char *reason)
{
  TsSteps *steps = lowering->context->steps;
  step_begin (lowering, "loop", loop->loop);
  ts_step_bool (steps, "accepted", accepted);
  ts_step_int (steps, "stages", loop->factor);
  ts_step_text (steps, "reason", reason);
}

/* A jump in one copy would leave the other copies too, and in a copy behind the main loop some other loop, or none. */
static void
leave_to_jump (Lowering *lowering, const Loop *loop, const TsOp *jump)
{
  const char *word = jump->code == TS_OP_RETURN ? "return" : jump->code == TS_OP_BREAK ? "break" : "continue";
  g_autofree char *reason = g_strdup_printf ("'%s' leaves the loop: copies of its body would not run as often", word);
  record_loop (lowering, loop, FALSE, reason);
  TsDiag *diag = ts_pass_report (lowering->context, lowering->module, jump, TS_SEVERITY_NOTE, NULL, "jump-in-pipeline",
                                 "'%s' leaves a pipeline loop of %" G_GINT64_FORMAT " stages: its body is not copied", word,
                                 loop->factor);
  g_free (diag->help);
  diag->help = g_strdup (jump->code == TS_OP_RETURN
                             ? "return behind the loop"
                             : "run ConvertToSSA before, which makes it a branch; it cannot where values are yielded by hand: put "
                               "what stands behind the jump into the other arm");
}

static void
lower_loop (Lowering *lowering, TsOp *op)
{
  Loop loop = { .loop = op, .factor = ts_op_attr_int (op, TS_ATTR_STAGES, 0) };
  if (loop.factor == 1)
    {
      record_loop (lowering, &loop, FALSE, "one stage: nothing to copy");
      return;
    }
  const TsOp *jump = lowering->has_jumps ? ts_exit_of (op) : NULL;
  if (jump != NULL)
    {
      leave_to_jump (lowering, &loop, jump);
      return;
    }
  gint64 start, stop;
  loop.start = op->operands[TS_FOR_START];
  loop.stop = op->operands[TS_FOR_STOP];
  loop.step_expr = op->operands[TS_FOR_STEP];
  loop.double_buffer_c = ts_op_attr_bool (op, TS_ATTR_DOUBLE_BUFFER_C, FALSE);
  gboolean is_static = ts_expr_as_int (loop.start, &start) && ts_expr_as_int (loop.stop, &stop);
  if (!check_loop (lowering, &loop))
    return;
  if (!is_static && loop.step < 0)
    {
      fail (lowering, op, "negative-step", "A loop with a negative step needs constant bounds");
      return;
    }
  if (!cut_body (lowering, &loop))
    return;
  if (check_size (lowering, &loop, is_static))
    {
      gint64 trip = 0;
      lowering->changed = TRUE;
      if (is_static && !ts_trip_count_exact (start, stop, loop.step, &trip))
        fail (lowering, op, "overflow", "The trip count of the loop does not fit in 64 bits");
      else if (!is_static)
        record_loop (lowering, &loop, TRUE, "bounds known at run time: a main loop and a branch per remainder");
      else if (trip == 0)
        record_loop (lowering, &loop, FALSE, "no trips: left as a sequential loop");
      else
        record_loop (lowering, &loop, TRUE, "constant bounds");
      if (is_static && !lowering->failed)
        lower_static (lowering, &loop, start, trip);
      else if (!is_static)
        lower_dynamic (lowering, &loop);
    }
  g_free (loop.ops);
}

/* Inner loops first: their groups get the smaller numbers and stand first in memberships. */
static void
lower_block (Lowering *lowering, TsBlock *block)
{
  TsOp *next;
  for (TsOp *op = block->first; op != NULL && !lowering->failed; op = next)
    {
      next = ts_op_next_ahead (op);
      lowering->has_jumps |= ts_op_is_jump (op) || op->code == TS_OP_RETURN;
      for (guint r = 0; r < op->n_regions; r++)
        for (guint b = 0; b < op->regions[r].n_blocks; b++)
          lower_block (lowering, op->regions[r].blocks[b]);
      if (ts_loop_is_pipeline (op) && !lowering->failed)
        lower_loop (lowering, op);
    }
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  g_autoptr (TsCloner) cloner = ts_cloner_new (module);
  gboolean changed = FALSE;
  for (guint i = 0; i < module->n_functions; i++)
    {
      Lowering lowering = { .context = context, .module = module, .function = module->functions[i], .cloner = cloner };
      for (guint b = 0; b < lowering.function->body.n_blocks; b++)
        lower_block (&lowering, lowering.function->body.blocks[b]);
      if (lowering.failed)
        return TS_PASS_FAILED;
      changed |= lowering.changed;
    }
  return changed ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

const TsPassInfo ts_pass_lower_pipeline_loops = {
  .name = "LowerPipelineLoops",
  .id = "lower-pipeline-loops",
  .summary = "Copy the body of pipeline loops once per stage",
  .help = "Each pipeline loop with F > 1 stages becomes a main loop with F copies of its body and, where the trip count is not "
          "a multiple of F, copies for the rest: inline for constant bounds, in branches on the remainder for run-time bounds. "
          "Copy k of a group tags the tiles it makes with (group, k); accumulators stay untagged unless their own loop "
          "double-buffers them. A loop that a break, continue or return leaves is not copied, with a note; ConvertToSSA leaves "
          "such a jump only beside values yielded by hand.\n"
          "\n"
          "Kept as the compiler does it: the branches for a run-time remainder assume stop >= start; copies outside of the main "
          "loop are not reordered by CanonicalizeIOOrder; a loop without trips keeps its policy attributes; accumulators of "
          "tile.gemv and tile.batch_matmul are tagged like any tile.\n"
          "\n"
          "Limits: the branches for a run-time remainder stand one in the other, as the compiler writes them, so that a loop whose "
          "bounds are not constant may have about 190 stages (blocks nest 200 deep); with constant bounds it may have 1024.",
  .language = TS_LANGUAGE_PYPTO,
  .required = TS_PROPERTIES_TILE,
  .produced = TS_PROPERTIES_TILE,
  .planners = TS_PLANNERS_ALL,
  .in_default = TRUE,
  .run = run,
};
