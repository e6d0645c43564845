/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control flow of Triton IR that the kernel language does not have: scf.while and branches between blocks. Both are bounded like
 * every loop. Source: spec simulator.md section 2. */
#include "sim/ttir-private.h"

/* The condition and what is passed on, as scf.condition gave them: the condition is taken off. */
static gboolean
goes_on (Exec *x, const Node *node, gint64 done)
{
  gboolean holds = FALSE;

  exec_scalars_pending (x);
  if (x->yields->len == 0)
    return FALSE;
  const Cell *condition = &g_array_index (x->yields, Cell, 0);
  if (condition->kind == CELL_SCALAR && condition->known)
    holds = condition->value != 0;
  else
    holds = done < exec_open_loop (x, node);
  g_array_remove_index (x->yields, 0);
  return holds;
}

/* One round: the region before the condition, then the one after it. */
static Flow
run_round (Exec *x, Node *node, gint64 done)
{
  const TsOp *op = node->op;
  const TsBlock *before = ts_op_body (op, 0), *after = ts_op_body (op, 1);

  g_array_set_size (x->yields, 0);
  Flow flow = exec_region (x, node, 0);
  if (flow != FLOW_YIELD)
    return flow == FLOW_NEXT || flow == FLOW_BRANCH ? FLOW_BREAK : flow;
  if (!goes_on (x, node, done))
    {
      exec_carry (x, op->results, op->n_results, NULL);
      return FLOW_BREAK;
    }
  exec_carry (x, after->args, after->n_args, NULL);
  g_array_set_size (x->yields, 0);
  flow = exec_region (x, node, 1);
  if (flow == FLOW_YIELD)
    exec_carry (x, before->args, before->n_args, NULL);
  return flow == FLOW_BRANCH ? FLOW_BREAK : flow;
}

Flow
exec_while_regions (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  guint depth = x->loops->len;
  Flow flow = FLOW_NEXT;

  if (op->n_regions < 2 || op->regions[0].n_blocks == 0 || op->regions[1].n_blocks == 0)
    return FLOW_NEXT;
  const TsBlock *before = ts_op_body (op, 0);
  for (guint i = 0; i < op->n_operands && i < before->n_args; i++)
    {
      Cell cell = exec_operand (x, op->operands[i]);
      exec_set (x, before->args[i], &cell);
    }
  exec_enter_loop (x, node, -1);
  for (gint64 k = 0; flow != FLOW_RETURN && flow != FLOW_STOP && flow != FLOW_BREAK; k++)
    {
      LoopFrame *frame = &g_array_index (x->loops, LoopFrame, depth);
      guint issued = ts_stream_builder_length (x->builder);
      frame->index = k;
      frame->iteration = -1;
      flow = run_round (x, node, k);
      if (flow != FLOW_STOP && !exec_count_iteration (x, issued))
        flow = FLOW_STOP;
    }
  g_array_set_size (x->loops, depth);
  return flow == FLOW_RETURN || flow == FLOW_STOP ? flow : FLOW_NEXT;
}

/* --- branches ------------------------------------------------------------------------------------------------------------- */

/* Successor 0 while the condition holds. One that is known only at run time holds as often as an open loop goes round, so that a
 * loop of blocks ends as well. */
static guint
choose (Exec *x, Node *node, guint32 entry)
{
  const TsOp *op = node->op;
  gint64 holds = 1;

  if (op->code != TS_OP_CF_COND_BR || op->n_successors < 2)
    return 0;
  if (!exec_int (x, op->operands[0], &holds))
    {
      if (node->entry != entry)
        {
          node->entry = entry;
          node->visits = 0;
        }
      if (node->visits == 0)
        exec_note (x, op, TS_SEVERITY_NOTE, "unknown-branch", op,
                   "the condition is known only at run time: the first block is simulated, at most %d times", TS_SIM_DEFAULT_TRIPS);
      holds = node->visits++ < TS_SIM_DEFAULT_TRIPS;
      if (!holds)
        node->visits = 0;
    }
  exec_scalars_pending (x);
  return holds != 0 ? 0 : 1;
}

/* Operands of a branch follow each other, one successor's after the other's; the condition stands first. */
static guint
first_operand (const TsOp *op, guint successor)
{
  const TsExpr *sizes = ts_op_attr (op, "operandSegmentSizes");
  gint64 n = 0;

  if (op->code == TS_OP_CF_BR)
    return 0;
  if (successor > 0 && sizes != NULL && sizes->kind == TS_EXPR_LIST && sizes->n == 3 && !ts_expr_as_int (sizes->list[1], &n))
    n = 0;
  return 1 + (guint) CLAMP (n, 0, (gint64) op->n_operands);
}

TsBlock *
exec_branch (Exec *x, Node *node, guint32 entry)
{
  const TsOp *op = node->op;
  guint chosen = op->n_operands > 0 ? choose (x, node, entry) : 0;
  TsBlock *to = chosen < op->n_successors ? op->successors[chosen] : NULL;

  if (to == NULL)
    return NULL;
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  for (guint i = first_operand (op, chosen), k = 0; i < op->n_operands && k < to->n_args; i++, k++)
    {
      Cell cell = exec_operand (x, op->operands[i]);
      g_array_append_val (cells, cell);
    }
  for (guint k = 0; k < cells->len; k++)
    exec_set (x, to->args[k], &g_array_index (cells, Cell, k));
  return to;
}
