/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verifiers that look at one statement at a time: loop kinds, nested calls, terminators. Source: spec passes-schedule section 8. */
#include "ir/verify-private.h"

typedef struct
{
  TsVerifier *verifier;
  void      (*check) (TsVerifier *verifier, const TsOp *op);
} Walk;

static gboolean
visit (TsOp *op, gpointer data)
{
  const Walk *walk = data;
  walk->check (walk->verifier, op);
  return TRUE;
}

static void
walk_function (TsVerifier *verifier, void (*check) (TsVerifier *, const TsOp *))
{
  Walk walk = { verifier, check };
  ts_region_walk ((TsRegion *) &verifier->function->body, visit, &walk);
}

/* --- loop kinds -------------------------------------------------------------------------------------------------------------- */

static void
check_pipeline_loop (TsVerifier *verifier, const TsOp *op)
{
  if (op->code != TS_OP_FOR)
    return;
  gboolean has_stages = ts_op_attr (op, TS_ATTR_STAGES) != NULL;
  if (op->sub == TS_LOOP_PIPELINE && !has_stages)
    ts_verifier_error (verifier, op, "0", "Pipeline loop has no attribute '%s'", TS_ATTR_STAGES);
  if (op->sub != TS_LOOP_PIPELINE && has_stages)
    ts_verifier_error (verifier, op, "1", "Attribute '%s' stands on a loop that is no pipeline", TS_ATTR_STAGES);
}

void
ts_verify_pipeline_loop_valid (TsVerifier *verifier)
{
  walk_function (verifier, check_pipeline_loop);
}

static void
check_pipeline_resolved (TsVerifier *verifier, const TsOp *op)
{
  if (op->code == TS_OP_FOR && op->sub == TS_LOOP_PIPELINE)
    ts_verifier_error (verifier, op, "0", "Pipeline loop is left");
}

void
ts_verify_pipeline_resolved (TsVerifier *verifier)
{
  walk_function (verifier, check_pipeline_resolved);
}

static void
check_unroll_resolved (TsVerifier *verifier, const TsOp *op)
{
  if (op->code == TS_OP_FOR && op->sub == TS_LOOP_UNROLL)
    ts_verifier_error (verifier, op, "0", "Unroll loop is left");
}

void
ts_verify_unroll_resolved (TsVerifier *verifier)
{
  walk_function (verifier, check_unroll_resolved);
}

/* --- nested calls ------------------------------------------------------------------------------------------------------------ */

static void
nested_call (TsVerifier *verifier, const TsOp *op, const TsExpr *call, const char *code, const char *where)
{
  ts_verifier_error (verifier, op, code, "Call of '%s' stands inside %s", call->call->name, where);
}

/* Reports calls that stand as operand of an operator or as argument of another call; `code` and `where` speak of the place of `e`
 * itself, NULL where a call may stand. */
static void
check_expr (TsVerifier *verifier, const TsOp *op, const TsExpr *e, const char *code, const char *where)
{
  if (e == NULL || !e->has_values)
    return;
  switch ((int) e->kind)
    {
    case TS_EXPR_CALL:
      if (code != NULL)
        nested_call (verifier, op, e, code, where);
      for (guint i = 0; i < e->call->n_operands; i++)
        check_expr (verifier, op, e->call->operands[i], "201", "an argument of a call");
      break;
    case TS_EXPR_BINARY:
      check_expr (verifier, op, e->items[0], "204", "an operand of a binary operator");
      check_expr (verifier, op, e->items[1], "204", "an operand of a binary operator");
      break;
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
      check_expr (verifier, op, e->items[0], "205", "the operand of a unary operator or cast");
      break;
    case TS_EXPR_GET:
      check_expr (verifier, op, e->items[0], NULL, NULL);
      break;
    case TS_EXPR_LIST:
      for (guint i = 0; i < e->n; i++)
        check_expr (verifier, op, e->list[i], NULL, NULL); /* a tuple may hold calls */
      break;
    default:
      break;
    }
}

static void
check_nested_calls (TsVerifier *verifier, const TsOp *op)
{
  const char *code = "201", *where = "an argument of a call";
  switch ((int) op->code)
    {
    case TS_OP_FOR:
      for (guint i = 0; i < op->n_operands; i++)
        check_expr (verifier, op, op->operands[i], i < TS_FOR_INITS ? "203" : NULL, "a bound of a loop");
      return;
    case TS_OP_IF:
      code = "202", where = "the condition of an if";
      break;
    case TS_OP_COND:
      code = "206", where = "the condition of a while";
      break;
    case TS_OP_ASSIGN:
    case TS_OP_YIELD:
    case TS_OP_RETURN:
    case TS_OP_WHILE:
    case TS_OP_SCOPE:
      code = NULL, where = NULL;
      break;
    default:
      break;
    }
  /* Keywords (dispatch predicates) are exempt. */
  for (guint i = 0; i < op->n_operands; i++)
    check_expr (verifier, op, op->operands[i], code, where);
}

void
ts_verify_no_nested_calls (TsVerifier *verifier)
{
  walk_function (verifier, check_nested_calls);
}

/* --- terminators ------------------------------------------------------------------------------------------------------------- */

static void
check_normalized (TsVerifier *verifier, const TsOp *op)
{
  if (op->code == TS_OP_YIELD && op->next != NULL)
    ts_verifier_error (verifier, op, "0", "Yield is not the last statement of its block");
}

void
ts_verify_normalized (TsVerifier *verifier)
{
  walk_function (verifier, check_normalized);
}

/* The loop that a break or continue leaves; NULL outside of any. */
static const TsOp *
enclosing_loop (const TsOp *op)
{
  do
    op = ts_op_parent (op);
  while (op != NULL && op->code != TS_OP_FOR && op->code != TS_OP_WHILE);
  return op;
}

static void
check_break_continue (TsVerifier *verifier, const TsOp *op)
{
  if (op->code != TS_OP_BREAK && op->code != TS_OP_CONTINUE)
    return;
  gboolean is_break = op->code == TS_OP_BREAK;
  const char *word = is_break ? "break" : "continue";
  const TsOp *loop = enclosing_loop (op);
  if (loop == NULL)
    ts_verifier_error (verifier, op, is_break ? "301" : "303", "'%s' stands outside of any loop", word);
  else if (loop->code == TS_OP_FOR && (loop->sub == TS_LOOP_PARALLEL || loop->sub == TS_LOOP_UNROLL))
    ts_verifier_error (verifier, op, is_break ? "302" : "304", "'%s' is not supported in %s loops", word,
                       loop->sub == TS_LOOP_PARALLEL ? "parallel" : "unroll");
}

void
ts_verify_break_continue (TsVerifier *verifier)
{
  walk_function (verifier, check_break_continue);
}
