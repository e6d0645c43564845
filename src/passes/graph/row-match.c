/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/row-match.h"

#include <string.h>

typedef struct
{
  TsGraph      *graph;
  TsRowMatch   *match;
  TsGraphReason reason;
  const TsOp   *at;
  guint         n_pids, n_calls;
  gboolean      grid_visible;
  gint64        widest; /* elements of the widest type in the work block; dynamic counts as 1025 */
  guint         top_stores;
  GHashTable   *derived;
} Matcher;

static gboolean
refuse (Matcher *m, TsGraphReason reason, const TsOp *at)
{
  m->reason = reason;
  m->at = at;
  return FALSE;
}

static gboolean
is_public (const TsFunction *function)
{
  for (guint i = 0; i < function->n_attrs; i++)
    if (strcmp (function->attrs[i].key, "sym_visibility") == 0)
      return FALSE;
  return function->body_kind == TS_BODY_STATEMENTS;
}

/* Is there another public function in the same part, before or behind? The nearest one ends the search, so that a module of many
 * public functions costs no more than one of many private ones. */
static gboolean
has_public_neighbour (const TsModule *module, const TsFunction *function, gint step)
{
  for (gint64 i = function->id + step; i >= 0 && i < module->n_functions && module->functions[i]->part == function->part; i += step)
    if (is_public (module->functions[i]))
      return TRUE;
  return FALSE;
}

static gboolean
check_module (Matcher *m)
{
  static const char *const taken[] = { TS_ROW_FACTOR, TS_ROW_AXIS, TS_ROW_CEIL_DIV };
  const TsFunction *function = m->graph->function;
  const TsModulePart *part = &m->graph->module->parts[function->part];

  if (!is_public (function) || has_public_neighbour (m->graph->module, function, 1)
      || has_public_neighbour (m->graph->module, function, -1))
    return refuse (m, TS_GRAPH_CALL_OPERATION, NULL);
  for (guint i = 0; i < part->n_attrs; i++)
    for (guint k = 0; k < G_N_ELEMENTS (taken); k++)
      if (strcmp (part->attrs[i].key, taken[k]) == 0)
        return refuse (m, TS_GRAPH_UNSUPPORTED_ACCESS, NULL);
  return TRUE;
}

static gboolean
count_op (TsOp *op, gpointer data)
{
  Matcher *m = data;

  if (op->code == TS_OP_TT_GET_PROGRAM_ID)
    {
      m->n_pids++;
      m->match->pid = op;
      m->match->axis = ts_op_attr_int (op, "axis", 0);
    }
  m->n_calls += op->code == TS_OP_CALL;
  return TRUE;
}

static gboolean
see_grid (TsOp *op, gpointer data)
{
  Matcher *m = data;

  if (op->code == TS_OP_TT_GET_NUM_PROGRAMS && ts_op_attr_int (op, "axis", 0) == m->match->axis)
    m->grid_visible = TRUE;
  return TRUE;
}

static gboolean
check_function (Matcher *m)
{
  TsRegion *body = &m->graph->function->body;

  ts_region_walk (body, count_op, m);
  if (m->n_calls > 0)
    return refuse (m, TS_GRAPH_CALL_OPERATION, NULL);
  if (m->n_pids != 1)
    return refuse (m, TS_GRAPH_NOT_A_CHAIN, m->match->pid);
  ts_region_walk (body, see_grid, m);
  return !m->grid_visible || refuse (m, TS_GRAPH_SIDE_USE, m->match->pid);
}

/* --- guard ----------------------------------------------------------------------------------------------------------------- */

static guint
n_predecessors (const TsBlock *block)
{
  guint n = 0;

  for (guint b = 0; b < block->region->n_blocks; b++)
    {
      const TsOp *last = block->region->blocks[b]->last;

      for (guint s = 0; last != NULL && s < last->n_successors; s++)
        n += last->successors[s] == block;
    }
  return n;
}

static gboolean
is_bare_return (const TsBlock *block)
{
  return block->n_args == 0 && block->n_ops == 1 && block->last->code == TS_OP_RETURN && block->last->n_operands == 0;
}

static gboolean
check_guard (Matcher *m)
{
  enum { SGE = 5 };
  TsRowMatch *r = m->match;
  const TsBlock *block = r->pid->block;
  TsOp *branch = block->last;

  if (branch == NULL || branch->code != TS_OP_CF_COND_BR || branch->n_successors != 2)
    return refuse (m, TS_GRAPH_NOT_A_CHAIN, r->pid);
  r->branch = branch;
  r->guard = ts_graph_def (branch->operands[0]);
  if (r->guard == NULL || r->guard->code != TS_OP_ARITH_CMPI || r->guard->block != block
      || ts_op_attr_int (r->guard, "predicate", -1) != SGE || ts_graph_operand (r->guard, 0) != r->pid->results[0])
    return refuse (m, TS_GRAPH_NOT_A_CHAIN, branch);
  if (ts_graph_n_uses (m->graph->uses, r->guard->results[0]) != 1)
    return refuse (m, TS_GRAPH_SEVERAL_USES, r->guard);
  r->count = ts_graph_operand (r->guard, 1);
  if (r->count == NULL || !ts_type_is_scalar (r->count->type) || r->count->type->dtype != TS_DTYPE_INT32)
    return refuse (m, TS_GRAPH_UNSUPPORTED_INDEX_ELEMENT_TYPE, r->guard);
  r->work = branch->successors[1];
  if (branch->n_operands != 1 || !is_bare_return (branch->successors[0]) || r->work->n_args != 0 || n_predecessors (r->work) != 1
      || !ts_op_is (r->work->last, TS_OP_RETURN))
    return refuse (m, TS_GRAPH_NOT_A_CHAIN, branch);
  return TRUE;
}

/* --- work block ------------------------------------------------------------------------------------------------------------ */

static gboolean
is_within (const TsOp *op, const TsBlock *block)
{
  while (op != NULL && op->block != block)
    op = ts_op_parent (op);
  return op != NULL;
}

static gboolean
is_allowed (const TsOp *op)
{
  switch ((int) op->code)
    {
    case TS_OP_TT_SPLAT:
    case TS_OP_TT_ADDPTR:
    case TS_OP_TT_BROADCAST:
    case TS_OP_TT_EXPAND_DIMS:
    case TS_OP_TT_LOAD:
    case TS_OP_TT_STORE:
    case TS_OP_TT_MAKE_RANGE:
    case TS_OP_TT_SCAN:
    case TS_OP_TT_REDUCE:
    case TS_OP_TT_CLAMPF:
    case TS_OP_TT_FP_TO_FP:
    case TS_OP_FOR:
    case TS_OP_YIELD:
    case TS_OP_RETURN:
    case TS_OP_TT_REDUCE_RETURN:
    case TS_OP_TT_SCAN_RETURN:
      return TRUE;
    default:
      return g_str_has_prefix (op->name, "arith.") || g_str_has_prefix (op->name, "math.");
    }
}

static void
note_type (Matcher *m, const TsType *type)
{
  if (!ts_type_is (type, TS_TYPE_RANKED))
    return;
  if (!ts_graph_is_plain_tensor (type) || type->rank >= TS_GRAPH_MAX_RANK)
    m->widest = MAX (m->widest, 1025);
  else
    m->widest = MAX (m->widest, ts_graph_n_elements (type));
}

static gboolean
any_derived (const Matcher *m, const TsOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (ts_graph_operand (op, i) != NULL && g_hash_table_contains (m->derived, ts_graph_operand (op, i)))
      return TRUE;
  return FALSE;
}

/* Everything a loop carries may come to depend on the row: its carried values and results count as derived. */
static void
note_derived (Matcher *m, TsOp *op)
{
  gboolean derived = op->code == TS_OP_FOR || any_derived (m, op) || op->code == TS_OP_TT_LOAD;

  for (guint i = 0; derived && i < op->n_results; i++)
    g_hash_table_add (m->derived, op->results[i]);
  for (guint i = 1; op->code == TS_OP_FOR && i < ts_op_body (op, 0)->n_args; i++)
    g_hash_table_add (m->derived, ts_op_body (op, 0)->args[i]);
}

static gboolean
check_work_op (Matcher *m, TsOp *op)
{
  if (!is_allowed (op))
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  if (op->code == TS_OP_FOR)
    for (guint i = 0; i < 3; i++)
      if (ts_graph_operand (op, i) == m->match->count || g_hash_table_contains (m->derived, ts_graph_operand (op, i)))
        return refuse (m, TS_GRAPH_DYNAMIC_STRIDE, op);
  if (op->code == TS_OP_ARITH_SELECT && ts_type_is_scalar (ts_op_operand_type (op, 0))
      && g_hash_table_contains (m->derived, ts_graph_operand (op, 0)) && ts_type_is (op->results[0]->type, TS_TYPE_RANKED))
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  if (op->n_results > 1 && op->code != TS_OP_FOR && op->code != TS_OP_TT_REDUCE && op->code != TS_OP_TT_SCAN)
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  if ((op->code == TS_OP_TT_LOAD || op->code == TS_OP_TT_STORE) && ts_graph_has_boundary_check (op))
    return refuse (m, TS_GRAPH_BOUNDARY_CHECK, op);
  note_derived (m, op);
  return TRUE;
}

static gboolean
check_work_block (Matcher *m, const TsBlock *block, gboolean top)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      if (!check_work_op (m, op))
        return FALSE;
      m->top_stores += top && op->code == TS_OP_TT_STORE;
      for (guint i = 0; top && i < op->n_operands; i++)
        note_type (m, ts_op_operand_type (op, i));
      for (guint i = 0; top && i < op->n_results; i++)
        note_type (m, op->results[i]->type);
      if (op->code == TS_OP_FOR && !check_work_block (m, ts_op_body (op, 0), FALSE))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_uses (Matcher *m)
{
  const TsRowMatch *r = m->match;
  guint n;
  TsOp *const *users = ts_graph_users (m->graph->uses, r->pid->results[0], &n);

  for (guint i = 0; i < n; i++)
    if (users[i] != r->guard && !is_within (users[i], r->work))
      return refuse (m, TS_GRAPH_SIDE_USE, users[i]);
  for (const TsOp *op = r->work->first; op != NULL; op = op->next)
    for (guint k = 0; k < op->n_results; k++)
      {
        users = ts_graph_users (m->graph->uses, op->results[k], &n);
        for (guint i = 0; i < n; i++)
          if (!is_within (users[i], r->work))
            return refuse (m, TS_GRAPH_ESCAPES, users[i]);
      }
  return TRUE;
}

static gboolean
choose_rows (Matcher *m)
{
  m->match->rows = m->widest <= 16 ? 8 : m->widest <= 1023 ? 4 : m->widest == 1024 ? 2 : 0;
  return m->match->rows > 0 || refuse (m, TS_GRAPH_CAPACITY, NULL);
}

static gboolean
check_work (Matcher *m)
{
  g_hash_table_add (m->derived, m->match->pid->results[0]);
  if (!check_work_block (m, m->match->work, TRUE) || !check_uses (m))
    return FALSE;
  if (m->top_stores == 0)
    return refuse (m, TS_GRAPH_NO_DATA_PATH, NULL);
  return choose_rows (m);
}

TsRowMatch *
ts_row_match (TsGraph *graph, TsGraphReason *reason, const TsOp **at)
{
  Matcher m = { .graph = graph, .match = g_new0 (TsRowMatch, 1) };
  gboolean matched;

  m.derived = g_hash_table_new (NULL, NULL);
  matched = check_module (&m) && check_function (&m) && check_guard (&m) && check_work (&m);
  g_hash_table_unref (m.derived);
  *reason = m.reason;
  *at = m.at;
  if (matched)
    return m.match;
  g_free (m.match);
  return NULL;
}
