/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic execution of loops: trip counts, carried values, iterations. Source: spec simulator.md section 2. */
#include "sim/execute-private.h"

#include "base/limits.h"
#include "base/number.h"
#include "sim/periodic-loop.h"

/* Values that one iteration computes for the next. */
static guint
count_carried (const TsOp *op)
{
  const TsBlock *block = ts_op_body (op, 0);
  guint n = 0;

  for (guint i = op->code == TS_OP_FOR; i < block->n_args; i++)
    {
      const TsType *type = ts_type_element (block->args[i]->type);
      n += !ts_type_is_tensor (type) && !ts_type_is (type, TS_TYPE_POINTER) && !ts_type_is (type, TS_TYPE_PTR);
    }
  return n;
}

static gint32
prepare_loop (Exec *x, const TsOp *op)
{
  TsLoop loop = { .statement = op->id, .line = ts_module_line (x->module, op->span), .core = (guint8) x->core, .kind = op->sub,
                  .is_while = op->code == TS_OP_WHILE || op->code == TS_OP_SCF_WHILE,
                  .stages = ts_op_attr_int (op, TS_ATTR_STAGES, 0), .carried = count_carried (op), .var = "", .parent = -1 };

  if (op->code == TS_OP_FOR && ts_op_body (op, 0)->n_args > 0)
    loop.var = ts_for_var (op)->hint;
  loop.depth = (gint32) x->loops->len;
  if (x->loops->len > 0)
    loop.parent = g_array_index (x->loops, LoopFrame, x->loops->len - 1).loop;
  return ts_stream_builder_add_loop (x->builder, &loop);
}

gint64
exec_open_loop (Exec *x, const Node *node)
{
  exec_note (x, node->op, TS_SEVERITY_NOTE, "unknown-bound", node->op,
             "the bound of this loop is known only at run time: %d iterations are simulated", TS_SIM_DEFAULT_TRIPS);
  return TS_SIM_DEFAULT_TRIPS;
}

void
exec_carry (Exec *x, TsValue *const *to, guint n, struct PeriodicLoop *loop)
{
  for (guint i = 0; i < n && i < x->yields->len; i++)
    {
      Cell cell = g_array_index (x->yields, Cell, i);
      if (cell.kind == CELL_NONE)
        continue;
      if (loop != NULL && loop->level < TS_MAX_LEVELS)
        periodic_loop_carry (loop, i, &x->env[to[i]->id], &cell);
      exec_set (x, to[i], &cell);
    }
}

guint
exec_patience (const Exec *x, const TsOp *op)
{
  return x->plan->patience != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (x->plan->patience, GINT_TO_POINTER (op->id + 1))) : 0;
}

gint64
exec_plan_omitted (const Exec *x, gint64 omitted)
{
  const GArray *most = x->plan->omitted;

  if (most == NULL)
    return omitted;
  return x->n_repeats < most->len ? MIN (omitted, g_array_index (most, gint64, x->n_repeats)) : 0;
}

void
exec_enter_loop (Exec *x, Node *node, gint64 trips)
{
  if (node->loop < 0)
    node->loop = prepare_loop (x, node->op);
  LoopFrame frame = { .loop = node->loop, .iteration = -1, .trips = trips };
  g_array_append_val (x->loops, frame);
}

/* An iteration that issues nothing counts as a step. */
gboolean
exec_count_iteration (Exec *x, guint before)
{
  return ts_stream_builder_length (x->builder) != before || exec_step (x);
}

static gint64
trips_of (Exec *x, Node *node, gint64 *start, gint64 *step)
{
  const TsOp *op = node->op;
  gint64 stop = 0;
  gboolean known = exec_int (x, op->operands[TS_FOR_START], start);

  known &= exec_int (x, op->operands[TS_FOR_STOP], &stop);
  known &= exec_int (x, op->operands[TS_FOR_STEP], step);
  exec_scalars_pending (x);
  if (!known)
    {
      *start = 0;
      *step = 1;
      return exec_open_loop (x, node);
    }
  if (*step == 0)
    {
      exec_note (x, node->op, TS_SEVERITY_ERROR, "zero-step", op, "the step of this loop is 0: it never ends and is left out");
      return 0;
    }
  gint64 trips;
  if (!ts_trip_count_exact (*start, stop, *step, &trips))
    exec_note (x, node, TS_SEVERITY_WARNING, "number-limit", op,
               "this loop has more iterations than fit in 64 bits: %" G_GINT64_FORMAT " are taken", trips);
  return trips;
}

Flow
exec_for (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  TsBlock *block = ts_op_body (op, 0);
  guint n = MIN (ts_for_n_carried (op), block->n_args > 0 ? block->n_args - 1 : 0), depth = x->loops->len;
  gint64 start = 0, step = 1, trips = trips_of (x, node, &start, &step), value = start;
  Flow flow = FLOW_NEXT;
  PeriodicLoop periodic;

  for (guint i = 0; i < n; i++)
    {
      Cell cell = exec_operand (x, op->operands[TS_FOR_INITS + i]);
      exec_set (x, block->args[1 + i], &cell);
    }
  exec_enter_loop (x, node, trips);
  periodic_loop_begin (&periodic, x, node, trips, n);
  for (gint64 k = 0; k < trips && flow != FLOW_RETURN && flow != FLOW_STOP && flow != FLOW_BREAK; k++)
    {
      LoopFrame *frame = &g_array_index (x->loops, LoopFrame, depth);
      guint before = ts_stream_builder_length (x->builder);
      /* Before the variables of this iteration are set: what is left out counts for them. */
      gint64 skip = periodic_loop_visit (&periodic, x, k);
      k += skip;
      value = ts_add_sat (value, ts_mul_sat (step, skip));
      frame->index = k;
      frame->iteration = -1;
      Cell var = { .kind = CELL_SCALAR, .known = TRUE, .value = value, .producer = -1, .channel = -1 };
      periodic_loop_mark (&periodic, step, &var);
      if (block->n_args > 0)
        exec_set (x, block->args[0], &var);
      for (guint i = 0; i < n; i++) /* carried into this iteration: not left over from the one before */
        x->env[block->args[1 + i]->id].epoch = x->epoch;
      g_array_set_size (x->yields, 0);
      flow = exec_region (x, node, 0);
      if (n > 0)
        exec_carry (x, block->args + 1, n, &periodic);
      value = ts_add_sat (value, step);
      if (flow != FLOW_STOP && !exec_count_iteration (x, before))
        flow = FLOW_STOP;
    }
  periodic_loop_end (&periodic, x);
  g_array_set_size (x->loops, depth);
  for (guint i = 0; i < n && i < op->n_results; i++)
    exec_set (x, op->results[i], &x->env[block->args[1 + i]->id]);
  return flow == FLOW_RETURN || flow == FLOW_STOP ? flow : FLOW_NEXT;
}

Flow
exec_while (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  TsBlock *block = ts_op_body (op, 0);
  guint n = MIN (op->n_operands, block->n_args), depth = x->loops->len;
  Flow flow = FLOW_NEXT;

  for (guint i = 0; i < n; i++)
    {
      Cell cell = exec_operand (x, op->operands[i]);
      exec_set (x, block->args[i], &cell);
    }
  exec_enter_loop (x, node, -1);
  for (gint64 k = 0; flow != FLOW_RETURN && flow != FLOW_STOP && flow != FLOW_BREAK; k++)
    {
      LoopFrame *frame = &g_array_index (x->loops, LoopFrame, depth);
      guint before = ts_stream_builder_length (x->builder);
      frame->index = k;
      frame->iteration = -1;
      g_array_set_size (x->yields, 0);
      /* The body's first statement is the condition: it breaks when it does not hold. */
      flow = exec_region (x, node, 0);
      if (n > 0 && flow != FLOW_BREAK)
        exec_carry (x, block->args, n, NULL);
      if (flow != FLOW_STOP && !exec_count_iteration (x, before))
        flow = FLOW_STOP;
    }
  g_array_set_size (x->loops, depth);
  for (guint i = 0; i < n && i < op->n_results; i++)
    exec_set (x, op->results[i], &x->env[block->args[i]->id]);
  return flow == FLOW_RETURN || flow == FLOW_STOP ? flow : FLOW_NEXT;
}

Flow
exec_cond (Exec *x, Node *node)
{
  gint64 holds = 0;

  if (!exec_int (x, node->op->operands[0], &holds))
    holds = g_array_index (x->loops, LoopFrame, x->loops->len - 1).index < exec_open_loop (x, node);
  exec_scalars_pending (x);
  return holds != 0 ? FLOW_NEXT : FLOW_BREAK;
}
