/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UnrollLoops: writes out the copies of pl.unroll loops. Source: spec passes-schedule section 2. */
#include "base/limits.h"
#include "base/number.h"
#include "ir/build.h"
#include "passes/loops.h"

typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  TsCloner      *cloner;
  gboolean       changed, failed;
} Unrolling;

static void unroll_block (Unrolling *unrolling, TsBlock *block);

static void
refuse (Unrolling *unrolling, const TsOp *loop, const char *code, const char *message)
{
  ts_pass_fail (unrolling->context, unrolling->module, loop, code, "%s", message);
  unrolling->failed = TRUE;
}

/* A jump of the loop would bind to some loop around its copies, or to none. */
static gboolean
refuse_jump (Unrolling *unrolling, const TsOp *loop)
{
  const TsOp *jump = ts_jump_of (loop);
  if (jump == NULL)
    return FALSE;
  refuse (unrolling, jump, "jump-in-unroll",
          jump->code == TS_OP_BREAK ? "'break' cannot leave an unroll loop: its copies stand one behind the other"
                                    : "'continue' cannot leave a trip of an unroll loop: its copies stand one behind the other");
  return TRUE;
}

/* Bounds as constants: 1,024 trips at most. */
static gboolean
find_bounds (Unrolling *unrolling, const TsOp *loop, gint64 bounds[3], gint64 *trip)
{
  static const char *const names[] = { "start", "stop", "step" };
  if (ts_for_n_carried (loop) > 0)
    {
      refuse (unrolling, loop, "iter-args", "An unroll loop cannot carry values");
      return FALSE;
    }
  for (guint i = 0; i < 3; i++)
    if (!ts_expr_as_int (loop->operands[i], &bounds[i]))
      {
        g_autofree char *message = g_strdup_printf ("The %s of an unroll loop must be a constant", names[i]);
        refuse (unrolling, loop, "symbolic-bound", message);
        return FALSE;
      }
  if (bounds[TS_FOR_STEP] == 0)
    {
      refuse (unrolling, loop, "zero-step", "The step of an unroll loop is 0");
      return FALSE;
    }
  gboolean exact = ts_trip_count_exact (bounds[TS_FOR_START], bounds[TS_FOR_STOP], bounds[TS_FOR_STEP], trip);
  if (*trip > TS_MAX_UNROLL)
    {
      g_autofree char *message =
          g_strdup_printf ("The unroll loop has %s%" G_GINT64_FORMAT " trips, which exceeds maximum allowed %u",
                           exact ? "" : "more than ", *trip, TS_MAX_UNROLL);
      refuse (unrolling, loop, "too-many-trips", message);
      return FALSE;
    }
  return TRUE;
}

/* Operations a block expands to, with the copies of the unroll loops inside as far as their bounds are known already. */
static gint64
expanded_size (const TsBlock *block)
{
  gint64 total = 0;
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    {
      gint64 inside = 0, bounds[3], trip = 1;
      for (guint r = 0; r < op->n_regions; r++)
        for (guint b = 0; b < op->regions[r].n_blocks; b++)
          inside = ts_add_sat (inside, expanded_size (op->regions[r].blocks[b]));
      if (op->code == TS_OP_FOR && op->sub == TS_LOOP_UNROLL && ts_expr_as_int (op->operands[0], &bounds[0])
          && ts_expr_as_int (op->operands[1], &bounds[1]) && ts_expr_as_int (op->operands[2], &bounds[2]))
        trip = ts_trip_count (bounds[0], bounds[1], bounds[2]);
      total = ts_add_sat (total, ts_add_sat (1, ts_mul_sat (inside, trip)));
    }
  return total;
}

/* The copies keep the variables of the body (SSA conversion renames them): the first copy takes over as their first definition. */
static gboolean
take_definitions (TsOp *op, gpointer data)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      op->results[i]->def = op;
      op->results[i]->index = i;
    }
  return TRUE;
}

static void
move_comments (TsModule *module, const TsOp *loop, TsOp *first)
{
  if (loop->n_comments == 0)
    return;
  guint n = first->n_comments;
  const char **old = first->comments;
  first->comments = NULL;
  first->n_comments = 0;
  for (guint i = 0; i < loop->n_comments; i++)
    ts_op_add_comment (module, first, loop->comments[i]);
  for (guint i = 0; i < n; i++)
    ts_op_add_comment (module, first, old[i]);
}

/* One copy of the body with the loop variable as a literal, its own unroll loops written out, in front of the loop. */
static void
expand_copy (Unrolling *unrolling, TsOp *loop, gint64 k, gint64 value)
{
  TsModule *module = unrolling->module;
  TsBlock *body = ts_op_body (loop, 0);
  ts_cloner_reset (unrolling->cloner);
  ts_cloner_set_clone_number (unrolling->cloner, (gint) k);
  ts_cloner_set (unrolling->cloner, ts_for_var (loop), ts_expr_int (module, value, ts_for_var (loop)->type->dtype));

  TsOp *holder = ts_op_new (module, TS_OP_SCOPE, NULL, NULL, 0);
  TsBlock *copy = ts_op_add_region (module, holder);
  for (const TsOp *op = body->first; op != NULL; op = op->next)
    ts_block_append (copy, ts_cloner_op (unrolling->cloner, op));
  if (k == 0)
    ts_block_walk (copy, take_definitions, NULL);
  ts_step_begin (unrolling->context->steps, "copy", module, unrolling->function, loop);
  ts_step_int (unrolling->context->steps, "copy", k);
  ts_step_int (unrolling->context->steps, "value", value);

  unroll_block (unrolling, copy);
  if (k == 0 && copy->first != NULL)
    move_comments (module, loop, copy->first);
  for (TsOp *next, *op = copy->first; op != NULL; op = next)
    {
      next = op->next;
      ts_op_unlink (op);
      ts_block_insert_before (loop, op);
    }
}

static void
unroll_loop (Unrolling *unrolling, TsOp *loop)
{
  gint64 bounds[3], trip;
  if (refuse_jump (unrolling, loop) || !find_bounds (unrolling, loop, bounds, &trip))
    return;
  gint64 n_nested = expanded_size (ts_op_body (loop, 0));
  if (!ts_room_for (unrolling->module, n_nested, trip))
    {
      g_autofree char *message = g_strdup_printf ("%" G_GINT64_FORMAT " copies of %" G_GINT64_FORMAT
                                                  " statements are more than a module may hold (limit %d)",
                                                  trip, n_nested, TS_MAX_PASS_OPS);
      refuse (unrolling, loop, "too-large", message);
      return;
    }

  ts_step_begin (unrolling->context->steps, "loop", unrolling->module, unrolling->function, loop);
  ts_step_int (unrolling->context->steps, "trips", trip);
  gint64 value = bounds[TS_FOR_START];
  for (gint64 k = 0; k < trip && !unrolling->failed; k++)
    {
      if (ts_pass_cancelled (unrolling->context))
        unrolling->failed = TRUE;
      else
        expand_copy (unrolling, loop, k, value);
      /* The last addition may leave 64 bits; its result is not used. */
      if (k + 1 < trip)
        value += bounds[TS_FOR_STEP];
    }
  ts_op_unlink (loop);
  unrolling->changed = TRUE;
}

static void
unroll_block (Unrolling *unrolling, TsBlock *block)
{
  TsOp *next;
  for (TsOp *op = block->first; op != NULL && !unrolling->failed; op = next)
    {
      next = op->next;
      if (op->code == TS_OP_FOR && op->sub == TS_LOOP_UNROLL)
        {
          unroll_loop (unrolling, op);
          continue;
        }
      for (guint r = 0; r < op->n_regions; r++)
        for (guint b = 0; b < op->regions[r].n_blocks; b++)
          unroll_block (unrolling, op->regions[r].blocks[b]);
    }
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  g_autoptr (TsCloner) cloner = ts_cloner_new (module);
  ts_cloner_set_keep_definitions (cloner, TRUE);
  gboolean changed = FALSE;
  for (guint i = 0; i < module->n_functions; i++)
    {
      Unrolling unrolling = { .context = context, .module = module, .function = module->functions[i], .cloner = cloner };
      for (guint b = 0; b < unrolling.function->body.n_blocks; b++)
        unroll_block (&unrolling, unrolling.function->body.blocks[b]);
      if (unrolling.failed)
        return TS_PASS_FAILED;
      changed |= unrolling.changed;
    }
  return changed ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

const TsPassInfo ts_pass_unroll_loops = {
  .name = "UnrollLoops",
  .id = "unroll-loops",
  .summary = "Write out the copies of unroll loops",
  .help = "Each pl.unroll loop is replaced by copies of its body with the loop variable as a literal. Bounds must be constants, "
          "the step not 0, and a loop may have 1024 trips; nested loops multiply. Inner loops may use the outer variable as a "
          "bound, since they are written out after it became a literal. A break or continue of the loop itself is refused. The "
          "copies keep their variables: ConvertToSSA renames them.",
  .language = TS_LANGUAGE_PYPTO,
  .produced = TS_PROPERTY_BIT (TS_PROPERTY_UNROLL_RESOLVED),
  .planners = TS_PLANNERS_ALL,
  .in_default = TRUE,
  .whole_module = TRUE,
  .run = run,
};
