/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic execution: control flow, calls, the cores of a group. Source: spec simulator.md section 2. */
#include "sim/execute-private.h"

#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "sim/periodic-loop.h"

/* Statements and nodes of expressions between two looks at the cancellable: a few milliseconds. */
#define LOOK_EVERY 4096u

/* Statements without an instruction that may pass however low the bound is: declarations come before the first instruction. */
#define LEAST_IDLE 1000

/* --- reporting ---------------------------------------------------------------------------------------------------------- */

void
exec_note (Exec *x, gconstpointer once, TsSeverity severity, const char *code, const TsOp *op, const char *format, ...)
{
  TsSpan span = op != NULL ? op->span : TS_SPAN_NONE;
  va_list args;

  if (!g_hash_table_add (x->noted, (gpointer) once))
    return;
  va_start (args, format);
  TsDiag *diag = ts_diag_add_valist (x->diags, severity, code, ts_module_source (x->module, span), span, format, args);
  va_end (args);
  diag->function = g_strdup (x->function->name);
  diag->op = op != NULL ? op->id : -1;
}

/* Says how far it is; TRUE: cancelled. A TsSortStop. */
static gboolean
stop (gconstpointer exec)
{
  const Exec *x = exec;

  if (x->options->progress != NULL)
    x->options->progress ("execute", x->steps, 0, x->options->progress_data);
  return g_cancellable_is_cancelled (x->cancellable);
}

/* Counts work that takes as long as a statement; FALSE: cancelled. */
static gboolean
look (Exec *x)
{
  if (++x->unlooked < LOOK_EVERY)
    return TRUE;
  x->unlooked = 0;
  x->cancelled |= stop (x);
  return !x->cancelled;
}

void
exec_cut (Exec *x, gboolean idle)
{
  TsCore *core = ts_stream_builder_core (x->builder);
  const LoopFrame *frame = x->loops->len > 0 ? &g_array_index (x->loops, LoopFrame, 0) : NULL;

  if (core->cut)
    return;
  core->cut = TRUE;
  if (!x->alone)
    g_string_append_printf (x->cuts, "%s%s ", x->cuts->len > 0 ? "; " : "", core->name);
  g_string_append_printf (x->cuts, "stops after %u instruction%s", core->n, core->n == 1 ? "" : "s");
  if (idle)
    g_string_append_printf (x->cuts, " and %" G_GINT64_FORMAT " statements without one", x->idle_limit);
  if (frame == NULL)
    return;
  g_string_append_printf (x->cuts, ", in iteration %" G_GINT64_FORMAT, frame->index + 1);
  if (frame->trips >= 0)
    g_string_append_printf (x->cuts, " of %" G_GINT64_FORMAT, frame->trips);
  g_string_append_printf (x->cuts, " of the loop in line %u", ts_stream_builder_loop (x->builder, frame->loop)->line);
}

/* Instructions have their own bound (exec_emit); as much work again may pass without any, so that empty loops end too. */
gboolean
exec_step (Exec *x)
{
  if (x->steps - ts_stream_builder_length (x->builder) - x->idle_before >= x->idle_limit)
    {
      exec_cut (x, TRUE);
      return FALSE;
    }
  x->steps++;
  return look (x);
}

/* --- preparing blocks --------------------------------------------------------------------------------------------------- */

static Action
structural_action (const TsOp *op)
{
  switch (op->code)
    {
    case TS_OP_ASSIGN:
      return DO_ASSIGN;
    case TS_OP_CALL:
    case TS_OP_SUBMIT:
    case TS_OP_SPMD_SUBMIT:
      return DO_CALL;
    case TS_OP_FOR:
      return DO_FOR;
    case TS_OP_WHILE:
      return DO_WHILE;
    case TS_OP_COND:
      return DO_COND;
    case TS_OP_IF:
      return DO_IF;
    case TS_OP_YIELD:
      return DO_YIELD;
    case TS_OP_RETURN:
      return DO_RETURN;
    case TS_OP_BREAK:
      return DO_BREAK;
    case TS_OP_CONTINUE:
      return DO_CONTINUE;
    case TS_OP_SCOPE:
      return DO_SCOPE;
    default:
      return DO_NOTHING;
    }
}

static Action
ttir_action (const TsOp *op, const TsOpInfo *info)
{
  switch (op->code)
    {
    case TS_OP_SCF_WHILE:
      return DO_WHILE_REGIONS;
    case TS_OP_SCF_CONDITION:
      return DO_YIELD; /* the condition, then what is passed on */
    case TS_OP_CF_BR:
    case TS_OP_CF_COND_BR:
      return DO_BRANCH;
    default:
      return (info->flags & TS_OPF_TERMINATOR) != 0 ? DO_NOTHING : DO_TTIR;
    }
}

static Action
action_of (const TsOp *op, const TsOpInfo *info, TsPipe pipe)
{
  if (info->dialect == TS_DIALECT_STRUCTURAL)
    return structural_action (op);
  if (info->dialect == TS_DIALECT_TTIR)
    return ttir_action (op, info);
  switch (op->code)
    {
    case TS_OP_SYSTEM_AIC_INITIALIZE_PIPE:
    case TS_OP_SYSTEM_AIV_INITIALIZE_PIPE:
      return DO_OPEN_PIPE;
    case TS_OP_SYSTEM_TFREE_TO_AIC:
    case TS_OP_SYSTEM_TFREE_TO_AIV:
      return DO_RELEASE;
    case TS_OP_TILE_GET_BLOCK_IDX:
    case TS_OP_TILE_GET_BLOCK_NUM:
    case TS_OP_TILE_GET_SUBBLOCK_IDX:
    case TS_OP_TENSOR_DIM:
      return DO_QUERY;
    default:
      return pipe == TS_PIPE_NONE ? DO_BIND : DO_ISSUE;
    }
}

static void
prepare_stage (const Exec *x, Node *node, const Node *around)
{
  node->stages = ts_op_membership (node->op, &node->n_stages);
  if (node->n_stages == 0 && x->options->membership != NULL)
    node->stages = x->options->membership (node->op->id, &node->n_stages, x->options->membership_data);
  if (node->n_stages == 0 && around != NULL)
    {
      node->stages = around->stages;
      node->n_stages = around->n_stages;
    }
}

static void
prepare_node (Exec *x, Node *node, TsOp *op, const Node *around)
{
  gboolean known = TRUE;

  *node = (Node) { .op = op, .info = ts_op_info (op->code), .site = -1, .buffer = -1, .cost = -1, .loop = -1 };
  node->pipe = (guint8) ts_op_pipe (op, x->backend, &known);
  node->known = known != FALSE;
  node->action = (guint8) action_of (op, node->info, (TsPipe) node->pipe);
  if (node->action == DO_TTIR)
    node->pipe = (guint8) exec_ttir_pipe (x, op, (TsPipe) node->pipe);
  node->scratch = (gint8) exec_argument (node->info, "tmp");
  prepare_stage (x, node, around);
  if (node->action == DO_ISSUE)
    node->fixed = exec_work_is_fixed (op) != FALSE;
  if (!known && node->action == DO_ISSUE && (node->info->flags & (TS_OPF_PUSH | TS_OPF_POP)) != 0)
    exec_note (x, node->info, TS_SEVERITY_NOTE, "assumed-pipe", op, "the spaces of %s do not say which pipe runs it: %s is taken",
               op->name, ts_pipe_name ((TsPipe) node->pipe));
}

/* Every call path prepares its callee anew; how much that may come to in all is bounded. FALSE: too much, or cancelled. */
static gboolean
prepare_body (Exec *x, Body *body, TsBlock *block, const Node *around)
{
  guint i = 0;

  x->prepared += block->n_ops;
  if (x->prepared > 3 * (gint64) x->module->n_ops + TS_SIM_MAX_INSTRUCTIONS)
    {
      exec_cut (x, FALSE);
      return FALSE;
    }
  body->n = block->n_ops;
  body->nodes = ts_arena_array (x->arena, Node, MAX (block->n_ops, 1));
  for (TsOp *op = block->first; op != NULL && i < body->n && look (x); op = op->next)
    prepare_node (x, &body->nodes[i++], op, around);
  body->ready = !x->cancelled;
  return body->ready;
}

Flow
exec_region (Exec *x, Node *node, guint region)
{
  if (region >= node->op->n_regions || node->op->regions[region].n_blocks == 0)
    return FLOW_NEXT;
  if (!node->body[region].ready && !prepare_body (x, &node->body[region], ts_op_body (node->op, region), node))
    return FLOW_STOP;
  return exec_body (x, &node->body[region]);
}

/* --- statements without an instruction ---------------------------------------------------------------------------------- */

static void
set_result (Exec *x, const TsOp *op, guint i, const Cell *cell)
{
  if (i < op->n_results && cell->kind != CELL_NONE)
    exec_set (x, op->results[i], cell);
}

static void
do_bind (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  gint shared = ts_op_shared_argument (op);
  Cell cell = { .kind = CELL_OTHER, .producer = -1, .channel = -1 };

  if (op->n_results == 0)
    return;
  const TsType *type = op->results[0]->type;
  if (shared >= 0 && (guint) shared < op->n_operands)
    {
      Cell source = exec_operand (x, op->operands[shared]);
      if (source.kind == CELL_TILE || source.kind == CELL_TENSOR)
        {
          cell = exec_view (x, op, &source);
          set_result (x, op, 0, &cell);
          return;
        }
    }
  if (ts_type_is_tile (type))
    cell = exec_fresh_tile (x, type, op, op->results[0]->hint, &node->buffer);
  else if (ts_type_is_tensor (type))
    cell = *exec_cell (x, op->results[0]);
  else if (ts_type_is_scalar (type))
    cell.kind = CELL_SCALAR;
  set_result (x, op, 0, &cell);
}

static void
do_query (Exec *x, const TsOp *op)
{
  Cell cell = { .kind = CELL_SCALAR, .producer = -1, .channel = -1, .known = TRUE };
  gint64 axis = 0;

  if (op->code == TS_OP_TILE_GET_SUBBLOCK_IDX)
    cell.value = x->alone ? exec_named (x, NAMED_SUBBLOCK_IDX) : x->subblock;
  else if (op->code == TS_OP_TILE_GET_BLOCK_IDX)
    cell.value = exec_named (x, NAMED_BLOCK_IDX);
  else if (op->code == TS_OP_TILE_GET_BLOCK_NUM)
    cell.value = exec_named (x, NAMED_BLOCK_NUM);
  else
    {
      TsValue *tensor = op->n_operands > 1 ? ts_expr_as_value (op->operands[0]) : NULL;
      cell.known = FALSE;
      if (tensor != NULL && tensor->type != NULL && exec_int (x, op->operands[1], &axis))
        {
          axis = axis < 0 ? axis + tensor->type->rank : axis;
          if (axis >= 0 && axis < tensor->type->rank)
            cell.known = exec_int (x, tensor->type->dims[axis], &cell.value) != FALSE;
        }
    }
  set_result (x, op, 0, &cell);
}

/* A scalar assignment is an instruction on S; a copy of a tile, a tensor or a tuple item only names it again. */
static Flow
do_assign (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  Cell cell = exec_operand (x, op->operands[0]);

  if (node->pipe != TS_PIPE_NONE)
    {
      if (!exec_emit (x, node, exec_cost (x, node)))
        return FLOW_STOP;
      if (cell.kind != CELL_SCALAR)
        cell = (Cell) { .kind = CELL_SCALAR, .channel = -1 };
      cell.producer = (gint32) ts_stream_builder_length (x->builder) - 1;
    }
  set_result (x, op, 0, &cell);
  return FLOW_NEXT;
}

/* The next instruction has to wait for what decided control flow. */
void
exec_scalars_pending (Exec *x)
{
  g_array_append_vals (x->pending, x->scalars->data, x->scalars->len);
  g_array_set_size (x->scalars, 0);
  /* Many branches may pass before the next instruction. All of them name earlier instructions; the dispatcher is in order, so a
   * few of the last decide. */
  if (x->pending->len > 64)
    g_array_remove_range (x->pending, 0, x->pending->len - 64);
}

static void
take_values (Exec *x, const TsOp *op)
{
  GArray *to = x->yields;
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (Cell));

  for (guint i = 0; i < op->n_operands; i++)
    {
      Cell cell = exec_operand (x, op->operands[i]);
      g_array_append_val (cells, cell);
    }
  g_array_set_size (to, 0);
  g_array_append_vals (to, cells->data, cells->len);
}

/* --- branches, scopes, calls -------------------------------------------------------------------------------------------- */

static Flow
do_if (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  gint64 holds = 1;

  if (!exec_int (x, op->operands[0], &holds))
    {
      holds = 1;
      exec_note (x, op, TS_SEVERITY_NOTE, "unknown-branch", op,
                 "the condition is known only at run time: the then side is simulated");
    }
  exec_scalars_pending (x);
  g_array_set_size (x->yields, 0);
  Flow flow = exec_region (x, node, holds != 0 ? 0 : 1);
  if (flow == FLOW_YIELD || flow == FLOW_NEXT)
    {
      for (guint i = 0; i < op->n_results && i < x->yields->len; i++)
        set_result (x, op, i, &g_array_index (x->yields, Cell, i));
      return FLOW_NEXT;
    }
  return flow;
}

static Flow
do_scope (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  TsBlock *block = op->n_regions > 0 && op->regions[0].n_blocks > 0 ? ts_op_body (op, 0) : NULL;
  gint64 index = op->sub == TS_SCOPE_SPLIT_AIV ? (x->alone ? exec_named (x, NAMED_SUBBLOCK_IDX) : x->subblock)
                                               : exec_named (x, NAMED_BLOCK_IDX);

  if (block != NULL && block->n_args > 0)
    exec_set (x, block->args[0], &(Cell) { .kind = CELL_SCALAR, .known = TRUE, .value = index, .producer = -1, .channel = -1 });
  Flow flow = exec_region (x, node, 0);
  return flow == FLOW_YIELD ? FLOW_NEXT : flow;
}

/* Of a group, each core runs the calls meant for it. */
static gboolean
runs_here (const Exec *x, const TsFunction *callee)
{
  if (x->alone)
    return TRUE;
  if (callee->type == TS_FUNCTION_AIC)
    return x->core_kind == TS_CORE_CUBE;
  if (callee->type == TS_FUNCTION_AIV)
    return x->core_kind == TS_CORE_VECTOR;
  return TRUE;
}

static gboolean
prepare_call (Exec *x, Node *node)
{
  TsFunction *callee = node->op->name != NULL ? ts_module_find_function (x->module, node->op->name) : NULL;

  if (callee == NULL || callee->body_kind != TS_BODY_STATEMENTS || callee->body.n_blocks == 0)
    {
      exec_note (x, node->op, TS_SEVERITY_NOTE, "unknown-callee", node->op,
                 "%s is not part of this program: the call costs nothing",
                 node->op->name != NULL ? node->op->name : "the callee");
      return FALSE;
    }
  if (x->call_depth >= TS_MAX_CALL_DEPTH)
    {
      exec_note (x, node->op, TS_SEVERITY_ERROR, "call-depth", node->op, "calls are nested more than %u deep: this one is left out",
                 TS_MAX_CALL_DEPTH);
      return FALSE;
    }
  node->callee = ts_arena_new0 (x->arena, Frame);
  node->callee->function = callee;
  exec_find_placed (x, callee);
  return TRUE;
}

static void
bind_arguments (Exec *x, const TsOp *op, const TsFunction *callee)
{
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (Cell));

  for (guint i = 0; i < op->n_operands && i < callee->n_params; i++)
    {
      Cell cell = exec_operand (x, op->operands[i]);
      g_array_append_val (cells, cell);
    }
  for (guint i = 0; i < cells->len; i++)
    exec_set (x, callee->params[i], &g_array_index (cells, Cell, i));
}

/* Several returned values are a tuple where the call binds one variable. */
static void
bind_returns (Exec *x, Node *node)
{
  const TsOp *op = node->op;

  if (op->n_results == 1 && x->yields->len > 1)
    {
      Cell cell = { .kind = CELL_TUPLE, .ref = (gint32) x->yields->len, .producer = -1, .channel = -1 };
      if (node->items == NULL)
        node->items = ts_arena_array (x->arena, Cell, x->yields->len);
      memcpy (node->items, x->yields->data, sizeof (Cell) * x->yields->len);
      cell.items = node->items;
      set_result (x, op, 0, &cell);
      return;
    }
  for (guint i = 0; i < op->n_results && i < x->yields->len; i++)
    set_result (x, op, i, &g_array_index (x->yields, Cell, i));
}

/* A function's blocks; those of the kernel language have one. */
static Flow
run_frame (Exec *x, Frame *frame, const Node *around)
{
  const TsRegion *region = &frame->function->body;
  TsBlock *block = region->blocks[0];
  guint32 entry = ++x->entries;

  if (frame->blocks == NULL)
    frame->blocks = ts_arena_array (x->arena, Body, region->n_blocks);
  for (;;)
    {
      Body *body = &frame->blocks[block->index];
      if (!body->ready && !prepare_body (x, body, block, around))
        return FLOW_STOP;
      Flow flow = exec_body (x, body);
      if (flow != FLOW_BRANCH)
        return flow;
      block = exec_branch (x, x->branch, entry);
      if (block == NULL || block->region != region || block->index >= region->n_blocks)
        return FLOW_NEXT;
    }
}

static Flow
do_call (Exec *x, Node *node)
{
  if (node->callee == NULL && !prepare_call (x, node))
    return FLOW_NEXT;
  const TsFunction *callee = node->callee->function;
  if (!runs_here (x, callee))
    return FLOW_NEXT;
  bind_arguments (x, node->op, callee);
  g_array_set_size (x->yields, 0);
  x->call_depth++;
  Flow flow = run_frame (x, node->callee, node);
  x->call_depth--;
  if (flow == FLOW_STOP)
    return flow;
  bind_returns (x, node);
  return FLOW_NEXT;
}

/* --- the interpreter ---------------------------------------------------------------------------------------------------- */

static Flow
run_node (Exec *x, Node *node)
{
  switch ((Action) node->action)
    {
    case DO_NOTHING:
      return FLOW_NEXT;
    case DO_ISSUE:
      return exec_is_channel_op (node->op) ? exec_channel_op (x, node) : exec_issue (x, node);
    case DO_TTIR:
      return exec_ttir (x, node);
    case DO_BIND:
      do_bind (x, node);
      return FLOW_NEXT;
    case DO_QUERY:
      do_query (x, node->op);
      return FLOW_NEXT;
    case DO_ASSIGN:
      return do_assign (x, node);
    case DO_CALL:
      return do_call (x, node);
    case DO_FOR:
      return exec_for (x, node);
    case DO_WHILE:
      return exec_while (x, node);
    case DO_COND:
      return exec_cond (x, node);
    case DO_WHILE_REGIONS:
      return exec_while_regions (x, node);
    case DO_BRANCH:
      x->branch = node;
      return FLOW_BRANCH;
    case DO_IF:
      return do_if (x, node);
    case DO_YIELD:
      take_values (x, node->op);
      return FLOW_YIELD;
    case DO_RETURN:
      take_values (x, node->op);
      return FLOW_RETURN;
    case DO_BREAK:
      return FLOW_BREAK;
    case DO_CONTINUE:
      return FLOW_CONTINUE;
    case DO_SCOPE:
      return do_scope (x, node);
    case DO_OPEN_PIPE:
      exec_open_pipe (x, node->op);
      return FLOW_NEXT;
    case DO_RELEASE:
      exec_release (x, node);
      return FLOW_NEXT;
    }
  return FLOW_NEXT;
}

Flow
exec_body (Exec *x, Body *body)
{
  for (guint i = 0; i < body->n; i++)
    {
      Node *node = &body->nodes[i];
      gboolean terminator = node->action == DO_YIELD || node->action == DO_RETURN;
      if (!terminator && !exec_step (x))
        return FLOW_STOP;
      x->at = node->op;
      g_array_set_size (x->scalars, 0);
      g_array_set_size (x->accesses, 0);
      if (g_hash_table_size (x->nested) > 0)
        g_hash_table_remove_all (x->nested);
      Flow flow = run_node (x, node);
      if (flow != FLOW_NEXT)
        return flow;
    }
  return FLOW_NEXT;
}

/* A call inside an expression runs before the statement that holds it, once. Most are statements by now; what is left gives nobody
 * knows what. */
Cell
exec_nested (Exec *x, const TsOp *op)
{
  Cell none = { .kind = CELL_OTHER, .producer = -1, .channel = -1 }, *done = g_hash_table_lookup (x->nested, op);

  if (done != NULL)
    return *done;
  if (op == NULL || x->nested_depth >= TS_MAX_NESTING || !exec_step (x))
    return none;
  Node *node = g_hash_table_lookup (x->nested_nodes, op);
  if (node == NULL)
    {
      node = ts_arena_new0 (x->arena, Node);
      prepare_node (x, node, (TsOp *) op, NULL);
      g_hash_table_insert (x->nested_nodes, (gpointer) op, node);
    }
  if (node->pipe != TS_PIPE_NONE && op->n_results == 0)
    exec_note (x, node, TS_SEVERITY_WARNING, "nested-call", x->at,
               "nobody knows what %s gives within an expression: nothing waits for it; make it a statement with a type",
               op->name != NULL ? op->name : "the call");
  GArray *accesses = x->accesses, *scalars = x->scalars;
  guint budget = x->eval_budget;
  x->accesses = g_array_new (FALSE, FALSE, sizeof (TsAccess));
  x->scalars = g_array_new (FALSE, FALSE, sizeof (gint32));
  x->nested_depth++;
  run_node (x, node);
  x->nested_depth--;
  x->eval_budget = budget;
  g_array_unref (x->accesses);
  g_array_unref (x->scalars);
  x->accesses = accesses;
  x->scalars = scalars;
  Cell cell = op->n_results > 0 ? x->env[op->results[0]->id] : none;
  if (cell.kind == CELL_SCALAR && cell.producer >= 0)
    g_array_append_val (x->scalars, cell.producer);
  g_hash_table_insert (x->nested, (gpointer) op, ts_arena_memdup (x->arena, &cell, sizeof cell));
  return cell;
}

/* --- cores -------------------------------------------------------------------------------------------------------------- */

/* No variable holds anything. FALSE: cancelled. */
static gboolean
forget_values (Exec *x)
{
  guint n = (guint) MAX (x->module->n_values, 1);

  for (guint from = 0; from < n && !x->cancelled; from += LOOK_EVERY)
    {
      guint some = MIN (LOOK_EVERY, n - from);
      memset (x->env + from, 0, sizeof (Cell) * some);
      x->unlooked += some;
      look (x);
    }
  return !x->cancelled;
}

static void
run_on_core (Exec *x, TsCoreKind kind, const char *name, gint64 subblock, gint64 limit)
{
  TsCore core = { .name = name, .kind = (guint8) kind, .function = x->function->id, .subblock = subblock };
  Frame root = { .function = x->function };

  x->core = ts_stream_builder_begin_core (x->builder, &core);
  x->core_kind = kind;
  x->subblock = subblock;
  x->limit = limit;
  x->n_levels = x->n_repeats = 0;
  x->popped = 0;
  x->idle_before = x->steps - ts_stream_builder_length (x->builder);
  if (!forget_values (x))
    return;
  g_hash_table_remove_all (x->buffer_of);
  g_hash_table_remove_all (x->nested_nodes);
  g_hash_table_remove_all (x->nested);
  g_array_set_size (x->pending, 0);
  g_array_set_size (x->loops, 0);
  if (x->function->body.n_blocks == 0)
    return;
  run_frame (x, &root, NULL);
}

static void
exec_init (Exec *x, const TsModule *module, gint64 max)
{
  x->builder = ts_stream_builder_new (module->strings, max);
  x->arena = ts_arena_new ();
  x->env = g_new (Cell, MAX (module->n_values, 1)); /* run_on_core() clears it, with looks at the cancellable */
  x->yields = g_array_new (FALSE, FALSE, sizeof (Cell));
  x->loops = g_array_new (FALSE, FALSE, sizeof (LoopFrame));
  x->scalars = g_array_new (FALSE, FALSE, sizeof (gint32));
  x->pending = g_array_new (FALSE, FALSE, sizeof (gint32));
  x->accesses = g_array_new (FALSE, FALSE, sizeof (TsAccess));
  x->placed = g_array_new (FALSE, FALSE, sizeof (PlacedGroup));
  x->fifos = g_array_new (FALSE, FALSE, sizeof (Fifo));
  x->flags = g_array_new (FALSE, FALSE, sizeof (Flag));
  x->buffer_of = g_hash_table_new (NULL, NULL);
  x->tensor_of = g_hash_table_new (NULL, NULL);
  x->noted = g_hash_table_new (NULL, NULL);
  x->groups = g_hash_table_new (NULL, NULL);
  x->cuts = g_string_new (NULL);
  x->nested = g_hash_table_new (NULL, NULL);
  x->nested_nodes = g_hash_table_new (NULL, NULL);
}

static void
exec_clear (Exec *x)
{
  GArray *arrays[] = { x->yields, x->loops, x->scalars, x->pending, x->accesses, x->placed, x->fifos, x->flags };
  GHashTable *tables[] = { x->buffer_of, x->tensor_of, x->noted, x->groups, x->nested, x->nested_nodes };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (arrays[i]);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    g_hash_table_unref (tables[i]);
  g_clear_pointer (&x->shown, g_hash_table_unref);
  g_clear_pointer (&x->bound_uses, g_hash_table_unref);
  g_clear_pointer (&x->uses, exec_ttir_uses_free);
  g_free (x->env);
  g_string_free (x->cuts, TRUE);
  ts_arena_free (x->arena);
}

static void
report_cuts (const Exec *x, gint64 asked, gint64 max)
{
  const TsFunction *function = x->function;

  if (x->cuts->len > 0)
    ts_diag_add (x->diags, TS_SEVERITY_WARNING, "stream-cut", ts_module_source (x->module, function->span), function->span,
                 "the simulation %s%s: the bound is %" G_GINT64_FORMAT "%s", x->alone ? "" : "does not come to the end: ",
                 x->cuts->str, max, asked > max ? ", the most that is ever kept" : "");
}

TsStream *
ts_execute (const TsModule *module, const TsFunction *function, const TsMachine *machine, const TsSimOptions *options,
            const TsExecPlan *plan, TsDiagList *diags, GArray *bindings, GCancellable *cancellable)
{
  gboolean group = function->type == TS_FUNCTION_GROUP;
  gint64 asked = options->max_instructions > 0 ? options->max_instructions : TS_SIM_MAX_INSTRUCTIONS;
  gint64 max = MIN (asked, TS_SIM_MOST_INSTRUCTIONS);
  Exec x = { .module = module, .function = function, .machine = machine, .options = options, .diags = diags, .bindings = bindings,
             .cancellable = cancellable, .idle_limit = MAX (max, LEAST_IDLE),
             .plan = plan, .backend = ts_machine_backend (machine),
             .gm_alias = ts_machine_timing (machine)->gm_alias, .alone = !group };

  exec_init (&x, module, max);
  exec_find_placed (&x, function);
  run_on_core (&x, group ? TS_CORE_CUBE : TS_CORE_SINGLE, group ? "cube0" : "core0", 0, plan->limit[0]);
  for (guint k = 0; group && k < 2 && !x.cancelled; k++)
    run_on_core (&x, TS_CORE_VECTOR, k == 0 ? "vector0" : "vector1", k, plan->limit[k + 1]);
  report_cuts (&x, asked, max);
  TsStream *stream = NULL;
  if (x.cancelled)
    ts_stream_builder_free (x.builder);
  else
    stream = ts_stream_builder_finish (x.builder, x.steps, x.cuts->len > 0, stop, &x);
  exec_clear (&x);
  return stream;
}
