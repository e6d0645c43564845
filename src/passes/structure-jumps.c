/* SPDX-License-Identifier: GPL-3.0-or-later */
/* break and continue as branches and flags.
 *
 *     for i in pl.range(n):            done = False
 *         if i == k:                   for i in pl.range(n):
 *             break                        if not done:
 *         a = a + 1                            if i == k:
 *                                                  done = True
 *                                              else:
 *                                                  a = a + 1
 *
 * A while loop asks the flag in its condition instead. `continue` needs a flag only where it may or may not have been reached.
 *
 * Beyond a hundred levels the pieces between jumps are guarded one behind the other instead.
 *
 * A pipeline loop must have this form before its body is copied: a jump in one copy would leave the others too. */
#include "passes/structure-jumps.h"

#include "base/limits.h"
#include "ir/build.h"
#include "passes/loops.h"

/* Levels up to which guards nest. */
#define MAX_NESTED_GUARDS (TS_MAX_NESTING / 2)

/* How control leaves a statement or block. */
typedef enum
{
  MAY_BREAK = 1 << 0,
  MAY_CONTINUE = 1 << 1,
  JUMPS = MAY_BREAK | MAY_CONTINUE,
  NEVER_FALLS_THROUGH = 1 << 2,
} Flow;

/* One function. */
typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  guint          n_old;   /* variables of the input */
  guint32       *n_seen;  /* by id: definitions and reads in the function */
  guint32       *n_inside; /* by id: those in the loop that is looked at; zero between loops */
  gboolean       changed, failed;
} Structuring;

/* One loop. */
typedef struct
{
  Structuring *s;
  TsOp        *loop;
  TsValue     *done, *skip;     /* flags of break and continue */
  GPtrArray   *skip_statements; /* those that set `skip` */
  gboolean     skip_is_read;
  guint        depth;           /* blocks that were put within each other */
  guint        flat_from;       /* from this depth on, branches stand behind each other */
} Loop;

static guint structure_from (Loop *l, TsOp *first);

/* --- which loops ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  guint32 *counts;
  guint    n;
} Counting;

static void
count_value (TsValue *value, gpointer data)
{
  const Counting *counting = data;
  if ((guint) value->id < counting->n)
    counting->counts[value->id]++;
}

static gboolean
count_op (TsOp *op, gpointer data)
{
  ts_op_foreach_use (op, count_value, data);
  for (guint i = 0; i < op->n_results; i++)
    count_value (op->results[i], data);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint i = 0; i < ts_op_body (op, r)->n_args; i++)
      count_value (ts_op_body (op, r)->args[i], data);
  return TRUE;
}

typedef struct
{
  const Structuring *s;
  gboolean           found;
} Search;

/* A variable that the loop assigns and that stands elsewhere too. */
static gboolean
find_shared (TsOp *op, gpointer data)
{
  Search *search = data;
  for (guint i = 0; i < op->n_results; i++)
    {
      guint id = (guint) op->results[i]->id;
      search->found |= id < search->s->n_old && search->s->n_seen[id] > search->s->n_inside[id];
    }
  return TRUE;
}

static void
forget_value (TsValue *value, gpointer data)
{
  const Counting *counting = data;
  if ((guint) value->id < counting->n)
    counting->counts[value->id] = 0;
}

static gboolean
forget_op (TsOp *op, gpointer data)
{
  ts_op_foreach_use (op, forget_value, data);
  for (guint i = 0; i < op->n_results; i++)
    forget_value (op->results[i], data);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint i = 0; i < ts_op_body (op, r)->n_args; i++)
      forget_value (ts_op_body (op, r)->args[i], data);
  return TRUE;
}

static gboolean
changes_outer_values (Structuring *s, TsOp *op)
{
  Counting counting = { s->n_inside, s->n_old };
  Search search = { s, FALSE };
  ts_op_walk_regions (op, count_op, &counting);
  ts_op_walk_regions (op, find_shared, &search);
  ts_op_walk_regions (op, forget_op, &counting);
  return search.found;
}

/* A branch with a jump of the loop in it that would have to hand on what it assigns: behind a jump it cannot. */
static gboolean
joins_beside_jump (Structuring *s, TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      if (op->n_regions == 0 || ts_op_is_loop (op) || ts_jump_of (op) == NULL)
        continue;
      if (op->code == TS_OP_IF && changes_outer_values (s, op))
        return TRUE;
      for (guint r = 0; r < op->n_regions; r++)
        if (joins_beside_jump (s, ts_op_body (op, r)))
          return TRUE;
    }
  return FALSE;
}

typedef struct
{
  gboolean jumps, by_hand;
} Survey;

/* Jumps of the loop itself; and yields, whose values a jump would have to know. */
static gboolean
survey_op (TsOp *op, gpointer data)
{
  Survey *survey = data;
  survey->jumps |= ts_op_is_jump (op);
  survey->by_hand |= op->code == TS_OP_YIELD;
  return !ts_op_is_loop (op);
}

/* --- flags ------------------------------------------------------------------------------------------------------------------- */

static TsValue *
flag (const Loop *l, TsValue **value, const char *hint)
{
  if (*value == NULL)
    *value = ts_value_new (l->s->module, TS_VALUE_RESULT, hint, ts_type_scalar (l->s->module, TS_DTYPE_BOOL));
  return *value;
}

static TsOp *
set_flag (const Loop *l, TsValue *value, gboolean to, const TsOp *source)
{
  TsExpr *constant = ts_expr_bool (l->s->module, to);
  TsOp *op = ts_op_new (l->s->module, TS_OP_ASSIGN, NULL, &constant, 1);
  ts_op_add_result_value (l->s->module, op, value);
  ts_op_made_from (op, source);
  return op;
}

/* True while none of the jumps has been taken. */
static TsExpr *
still_going (Loop *l, guint flow)
{
  TsModule *module = l->s->module;
  TsExpr *taken = NULL;
  if ((flow & MAY_BREAK) != 0)
    taken = ts_expr_value (module, flag (l, &l->done, "done"));
  if ((flow & MAY_CONTINUE) != 0)
    {
      TsExpr *skip = ts_expr_value (module, flag (l, &l->skip, "skip"));
      l->skip_is_read = TRUE;
      taken = taken != NULL ? ts_expr_binary (module, TS_OPERATOR_OR, taken, skip) : skip;
    }
  return ts_expr_unary (module, TS_OPERATOR_NOT, taken);
}

/* --- statements -------------------------------------------------------------------------------------------------------------- */

static void
drop_after (TsOp *op)
{
  while (op->next != NULL)
    ts_op_unlink (op->next);
}

/* The first statement moved; NULL when nothing stands behind `op`. */
static TsOp *
move_rest (TsOp *op, TsBlock *to)
{
  TsOp *first = op->next;
  for (TsOp *next, *moved = first; moved != NULL; moved = next)
    {
      next = moved->next;
      ts_op_unlink (moved);
      ts_block_append (to, moved);
    }
  return first;
}

/* The jump becomes the setting of its flag. */
static guint
structure_jump (Loop *l, TsOp **op)
{
  gboolean is_break = (*op)->code == TS_OP_BREAK;
  TsValue *value = is_break ? flag (l, &l->done, "done") : flag (l, &l->skip, "skip");
  TsOp *set = set_flag (l, value, TRUE, *op);
  ts_block_insert_after (*op, set);
  ts_op_unlink (*op);
  *op = set;
  if (!is_break)
    g_ptr_array_add (l->skip_statements, set);
  return (is_break ? MAY_BREAK : MAY_CONTINUE) | NEVER_FALLS_THROUGH;
}

static guint
structure_arm (Loop *l, TsOp *op, guint region)
{
  return region < op->n_regions ? structure_from (l, ts_op_body (op, region)->first) : 0;
}

/* What stands behind a branch of which one arm always jumps and the other never does belongs to the other. */
static guint
structure_if (Loop *l, TsOp *op)
{
  guint arms[2] = { structure_arm (l, op, 0), structure_arm (l, op, 1) };
  for (guint r = 0; r < 2 && l->depth < l->flat_from; r++)
    if ((arms[r] & NEVER_FALLS_THROUGH) != 0 && arms[1 - r] == 0)
      {
        if (op->next != NULL && op->n_regions < 2)
          ts_op_add_region (l->s->module, op);
        TsOp *rest = op->next != NULL ? move_rest (op, ts_op_body (op, 1 - r)) : NULL;
        arms[1 - r] = structure_from (l, rest);
        break;
      }
  return ((arms[0] | arms[1]) & JUMPS) | (arms[0] & arms[1] & NEVER_FALLS_THROUGH);
}

/* `*op` is replaced when it is a jump. */
static guint
structure_op (Loop *l, TsOp **op)
{
  if (ts_op_is_jump (*op))
    return structure_jump (l, op);
  if ((*op)->code == TS_OP_IF)
    return structure_if (l, *op);
  if (ts_op_is_loop (*op)) /* its jumps are its own */
    return 0;
  guint flow = 0;
  for (guint r = 0; r < (*op)->n_regions; r++)
    flow |= structure_arm (l, *op, r);
  return flow;
}

/* Moves what stands behind `op`, up to the next statement that may jump, into a branch behind it. */
static TsOp *
guard_next (Loop *l, TsOp *op, guint flow)
{
  TsExpr *condition = still_going (l, flow);
  TsOp *branch = ts_op_new (l->s->module, TS_OP_IF, NULL, &condition, 1);
  ts_op_made_from (branch, op);
  TsBlock *then = ts_op_add_region (l->s->module, branch);
  gboolean jumps = FALSE;
  for (TsOp *next, *moved = op->next; moved != NULL && !jumps; moved = next)
    {
      next = moved->next;
      jumps = ts_op_is_jump (moved) || (!ts_op_is_loop (moved) && ts_jump_of (moved) != NULL);
      ts_op_unlink (moved);
      ts_block_append (then, moved);
    }
  ts_block_insert_after (op, branch);
  return branch;
}

/* Many guards in a row would nest without end: each piece between two of them gets a branch of its own. */
static guint
guard_flat (Loop *l, TsOp *op, guint flow)
{
  guint all = flow & JUMPS;
  while (op->next != NULL && !l->s->failed)
    {
      op = guard_next (l, op, all);
      all |= structure_from (l, ts_op_body (op, 0)->first) & JUMPS;
    }
  return all;
}

/* What stands behind `op`, which may have jumped as `flow` says, only runs when it has not. */
static guint
guard_rest (Loop *l, TsOp *op, guint flow)
{
  if (l->depth >= l->flat_from)
    return guard_flat (l, op, flow);
  TsExpr *condition = still_going (l, flow);
  TsOp *branch = ts_op_new (l->s->module, TS_OP_IF, NULL, &condition, 1);
  ts_op_made_from (branch, op);
  TsOp *first = move_rest (op, ts_op_add_region (l->s->module, branch));
  ts_block_insert_after (op, branch);
  return structure_from (l, first) & JUMPS;
}

/* `op` and what follows it in its block; nothing when it is NULL. */
static guint
structure_from (Loop *l, TsOp *op)
{
  if (l->depth >= TS_MAX_NESTING)
    {
      l->s->failed = TRUE;
      return 0;
    }
  l->depth++;
  guint flow = 0;
  for (; op != NULL && flow == 0; op = op->next)
    {
      flow = structure_op (l, &op);
      if ((flow & NEVER_FALLS_THROUGH) != 0)
        drop_after (op);
      else if (flow != 0 && op->next != NULL)
        flow |= guard_rest (l, op, flow);
    }
  l->depth--;
  return flow;
}

/* --- loops ------------------------------------------------------------------------------------------------------------------- */

/* An empty then arm goes, the condition turned round; so does an empty else arm, and a branch without either, and what that leaves
 * empty. */
static void
tidy_branch (TsModule *module, TsOp *op)
{
  if (!ts_op_is (op, TS_OP_IF))
    return;
  if (op->n_regions > 1 && ts_op_body (op, 1)->first == NULL)
    op->n_regions = 1;
  if (ts_op_body (op, 0)->first != NULL)
    return;
  if (op->n_regions < 2)
    {
      TsOp *parent = ts_op_parent (op);
      ts_op_unlink (op);
      tidy_branch (module, parent);
      return;
    }
  op->operands[0] = ts_expr_unary (module, TS_OPERATOR_NOT, op->operands[0]);
  ts_block_splice (ts_op_body (op, 0), ts_op_body (op, 1));
  op->n_regions = 1;
}

/* A flag that nobody reads is not set. */
static void
drop_skip (Loop *l)
{
  for (guint i = 0; i < l->skip_statements->len; i++)
    {
      TsOp *set = l->skip_statements->pdata[i];
      TsOp *parent = ts_op_parent (set);
      ts_op_unlink (set);
      tidy_branch (l->s->module, parent);
    }
}

static void
start_skip (Loop *l, TsBlock *body)
{
  TsOp *set = set_flag (l, l->skip, FALSE, l->loop);
  if (ts_op_is (body->first, TS_OP_COND))
    ts_block_insert_after (body->first, set);
  else
    ts_block_insert_before (body->first, set);
}

/* The flag stands before the loop and is asked at the start of every trip. */
static void
end_when_done (Loop *l, TsBlock *body)
{
  TsModule *module = l->s->module;
  ts_block_insert_before (l->loop, set_flag (l, l->done, FALSE, l->loop));
  TsExpr *going = still_going (l, MAY_BREAK);
  if (ts_op_is (body->first, TS_OP_COND))
    {
      TsOp *cond = body->first;
      cond->operands[0] = ts_expr_binary (module, TS_OPERATOR_AND, cond->operands[0], going);
      return;
    }
  TsOp *branch = ts_op_new (module, TS_OP_IF, NULL, &going, 1);
  ts_op_made_from (branch, l->loop);
  ts_block_splice (ts_op_add_region (module, branch), body);
  ts_block_append (body, branch);
}

static void
structure_loop (Structuring *s, TsOp *op)
{
  TsBlock *body = ts_op_body (op, 0);
  Survey survey = { FALSE, op->n_results > 0 };
  ts_op_walk_regions (op, survey_op, &survey);
  gboolean is_pipeline = op->code == TS_OP_FOR && op->sub == TS_LOOP_PIPELINE;
  if (!survey.jumps || survey.by_hand || !(is_pipeline || changes_outer_values (s, op) || joins_beside_jump (s, body)))
    return;

  Loop l = { .s = s, .loop = op, .skip_statements = g_ptr_array_new () };
  guint depth = ts_op_depth (op);
  l.flat_from = depth < MAX_NESTED_GUARDS ? MAX_NESTED_GUARDS - depth : 0;
  guint flow = structure_from (&l, body->first);
  if (l.skip != NULL && l.skip_is_read)
    start_skip (&l, body);
  else
    drop_skip (&l);
  if ((flow & MAY_BREAK) != 0)
    end_when_done (&l, body);
  g_ptr_array_unref (l.skip_statements);

  s->changed = TRUE;
  s->failed |= ts_op_depth (op) + ts_op_height (op) > TS_MAX_NESTING;
  if (s->failed)
    ts_pass_fail (s->context, s->module, op, "nesting-limit",
                  "The branches that stand for break and continue would nest deeper than the limit of %u", TS_MAX_NESTING);
  ts_step_begin (s->context->steps, "jumps", s->module, s->function, op);
  ts_step_text (s->context->steps, "reason",
                is_pipeline ? "a jump in one copy of a pipeline loop's body would leave the other copies too"
                            : "a loop that changes values known outside of it cannot be left in its middle");
  ts_step_bool (s->context->steps, "break", (flow & MAY_BREAK) != 0);
  ts_step_bool (s->context->steps, "continue", (flow & MAY_CONTINUE) != 0);
}

/* Inner loops first. */
static void
structure_region (Structuring *s, TsRegion *region)
{
  for (guint b = 0; b < region->n_blocks; b++)
    for (TsOp *op = region->blocks[b]->first; op != NULL && !s->failed; op = op->next)
      {
        for (guint r = 0; r < op->n_regions; r++)
          structure_region (s, &op->regions[r]);
        if (ts_op_is_loop (op) && !s->failed)
          structure_loop (s, op);
      }
}

static gboolean
find_jump (TsOp *op, gpointer data)
{
  gboolean *found = data;
  *found |= ts_op_is_jump (op);
  return !*found;
}

gboolean
ts_has_jumps (TsFunction *function)
{
  gboolean found = FALSE;
  ts_region_walk (&function->body, find_jump, &found);
  return found;
}

gboolean
ts_structure_jumps (TsPassContext *context, TsModule *module, TsFunction *function, gboolean *changed)
{
  *changed = FALSE;
  if (!ts_has_jumps (function))
    return TRUE;
  guint n = (guint) module->n_values;
  Structuring s = { .context = context, .module = module, .function = function, .n_old = n };
  s.n_seen = g_new0 (guint32, MAX (n, 1));
  s.n_inside = g_new0 (guint32, MAX (n, 1));
  Counting counting = { s.n_seen, n };
  for (guint i = 0; i < function->n_params; i++)
    count_value (function->params[i], &counting);
  ts_region_walk (&function->body, count_op, &counting);
  structure_region (&s, &function->body);
  g_free (s.n_seen);
  g_free (s.n_inside);
  *changed = s.changed;
  return !s.failed;
}
