/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/row-match.h"

#include <string.h>

typedef struct
{
  TsGraph      *graph;
  TsRowMatch   *match;
  TsGraphReason reason;
  const TsOp   *at;
  guint         n_pids;
  const TsOp   *call, *second_pid, *grid; /* what stands in the way, or NULL */
  gint64        widest;  /* elements of the widest type in the work block; dynamic counts as 1025 */
  const TsOp   *widest_at;
  guint         top_stores;
  GHashTable   *lifted; /* values that become one for each row; all others stay as they are */
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
  return function->body_kind == TS_BODY_STATEMENTS && ts_graph_is_public (function);
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
    return refuse (m, TS_GRAPH_NOT_THE_ENTRY, NULL);
  for (guint i = 0; i < part->n_attrs; i++)
    for (guint k = 0; k < G_N_ELEMENTS (taken); k++)
      if (strcmp (part->attrs[i].key, taken[k]) == 0)
        return refuse (m, TS_GRAPH_ALREADY_COALESCED, NULL);
  return TRUE;
}

static gboolean
count_op (TsOp *op, gpointer data)
{
  Matcher *m = data;

  if (op->code == TS_OP_TT_GET_PROGRAM_ID && m->n_pids++ == 0)
    {
      m->match->pid = op;
      m->match->axis = ts_op_attr_int (op, "axis", 0);
    }
  else if (op->code == TS_OP_TT_GET_PROGRAM_ID && m->second_pid == NULL)
    m->second_pid = op;
  else if (op->code == TS_OP_CALL && m->call == NULL)
    m->call = op;
  return TRUE;
}

static gboolean
see_grid (TsOp *op, gpointer data)
{
  Matcher *m = data;

  if (m->grid == NULL && op->code == TS_OP_TT_GET_NUM_PROGRAMS && ts_op_attr_int (op, "axis", 0) == m->match->axis)
    m->grid = op;
  return TRUE;
}

static gboolean
check_function (Matcher *m)
{
  TsRegion *body = &m->graph->function->body;

  ts_region_walk (body, count_op, m);
  if (m->call != NULL)
    return refuse (m, TS_GRAPH_MAKES_CALLS, m->call);
  if (m->n_pids == 0)
    return refuse (m, TS_GRAPH_NO_PROGRAM_ID, NULL);
  if (m->second_pid != NULL)
    return refuse (m, TS_GRAPH_SEVERAL_PROGRAM_IDS, m->second_pid);
  ts_region_walk (body, see_grid, m);
  return m->grid == NULL || refuse (m, TS_GRAPH_GRID_VISIBLE, m->grid);
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
    return refuse (m, TS_GRAPH_GUARD_FORM, branch != NULL ? branch : r->pid);
  r->branch = branch;
  r->guard = ts_graph_def (branch->operands[0]);
  if (r->guard == NULL || r->guard->code != TS_OP_ARITH_CMPI || r->guard->block != block
      || ts_op_attr_int (r->guard, "predicate", -1) != SGE || ts_graph_operand (r->guard, 0) != r->pid->results[0])
    return refuse (m, TS_GRAPH_GUARD_FORM, r->guard != NULL ? r->guard : branch);
  if (ts_graph_n_uses (m->graph->uses, r->guard->results[0]) != 1)
    return refuse (m, TS_GRAPH_SEVERAL_USES, r->guard);
  r->count = ts_graph_operand (r->guard, 1);
  if (r->count == NULL || !ts_type_is_scalar (r->count->type) || r->count->type->dtype != TS_DTYPE_INT32)
    return refuse (m, TS_GRAPH_COUNT_TYPE, r->guard);
  r->work = branch->successors[1];
  if (branch->n_operands != 1 || !is_bare_return (branch->successors[0]) || r->work->n_args != 0 || n_predecessors (r->work) != 1
      || !ts_op_is (r->work->last, TS_OP_RETURN))
    return refuse (m, TS_GRAPH_GUARD_FORM, branch);
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

/* What works on one value as on several. What no table knows may carry types in its text. */
static gboolean
is_plain (const TsOp *op)
{
  return op->code == TS_OP_TT_CLAMPF || op->code == TS_OP_TT_FP_TO_FP
         || (op->code != TS_OP_UNKNOWN && (g_str_has_prefix (op->name, "arith.") || g_str_has_prefix (op->name, "math.")));
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
    case TS_OP_FOR:
    case TS_OP_YIELD:
    case TS_OP_RETURN:
    case TS_OP_TT_REDUCE_RETURN:
    case TS_OP_TT_SCAN_RETURN:
      return TRUE;
    default:
      return is_plain (op);
    }
}

/* Can a type get one more axis? In the work block itself what is dynamic counts as too large. */
static gboolean
check_type (Matcher *m, const TsType *type, const TsOp *op, gboolean top)
{
  gint64 n = 1025;

  if (type == NULL)
    return TRUE;
  if (type->kind == TS_TYPE_OPAQUE)
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  if (type->kind != TS_TYPE_RANKED)
    return TRUE;
  if (type->text != NULL)
    return refuse (m, TS_GRAPH_UNSUPPORTED_ENCODING, op);
  if (type->rank >= TS_GRAPH_MAX_RANK)
    return refuse (m, TS_GRAPH_UNSUPPORTED_RANK, op);
  if (ts_graph_is_plain_tensor (type))
    n = ts_graph_n_elements (type);
  else if (!top)
    return refuse (m, TS_GRAPH_DYNAMIC_SHAPE, op);
  if (top && n > m->widest)
    {
      m->widest = n;
      m->widest_at = op;
    }
  return TRUE;
}

static gboolean
check_types (Matcher *m, const TsOp *op, gboolean top)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!check_type (m, ts_op_operand_type (op, i), op, top))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!check_type (m, op->results[i]->type, op, top))
      return FALSE;
  return TRUE;
}

static gboolean
is_lifted (const Matcher *m, const TsOp *op, guint operand)
{
  return ts_graph_operand (op, operand) != NULL && g_hash_table_contains (m->lifted, ts_graph_operand (op, operand));
}

/* As the rewrite does it: constants and what is built from scalars that are the same for all rows stays. */
static gboolean
becomes_rows (const Matcher *m, const TsOp *op)
{
  switch ((int) op->code)
    {
    case TS_OP_FOR:
    case TS_OP_TT_LOAD:
    case TS_OP_TT_REDUCE:
    case TS_OP_TT_SCAN:
      return TRUE;
    default:
      break;
    }
  for (guint i = 0; i < op->n_operands; i++)
    if (is_lifted (m, op, i) || ts_type_is (ts_op_operand_type (op, i), TS_TYPE_RANKED))
      return TRUE;
  return op->n_results > 0 && ts_type_is (op->results[0]->type, TS_TYPE_RANKED);
}

static void
note_lifted (Matcher *m, TsOp *op)
{
  for (guint i = 0; i < op->n_results && becomes_rows (m, op); i++)
    g_hash_table_add (m->lifted, op->results[i]);
  for (guint i = 1; op->code == TS_OP_FOR && i < ts_op_body (op, 0)->n_args; i++)
    g_hash_table_add (m->lifted, ts_op_body (op, 0)->args[i]);
}

/* A region that combines two values is kept as it is: it may not use what becomes one value for each row. */
static gboolean
check_combiner_op (TsOp *op, gpointer data)
{
  Matcher *m = data;

  if (m->reason != TS_GRAPH_PROVEN)
    return FALSE;
  if (!is_plain (op) && op->code != TS_OP_TT_REDUCE_RETURN && op->code != TS_OP_TT_SCAN_RETURN)
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  for (guint i = 0; i < op->n_operands; i++)
    if (is_lifted (m, op, i) && ts_graph_operand (op, i) != m->match->count)
      return refuse (m, TS_GRAPH_ROW_IN_REGION, op);
  return TRUE;
}

static gboolean
check_access (Matcher *m, const TsOp *op)
{
  const TsType *pointer = ts_op_operand_type (op, 0);
  const TsType *element = ts_type_element (ts_op_result_type (op, 0));

  if (ts_graph_has_boundary_check (op))
    return refuse (m, TS_GRAPH_BOUNDARY_CHECK, op);
  if (ts_type_is (pointer, TS_TYPE_POINTER) && pointer->elems[0]->kind == TS_TYPE_RANKED)
    return refuse (m, TS_GRAPH_UNSUPPORTED_POINTER_TYPE, op);
  /* Rows beyond the last get zero, and no pointer is zero. */
  if (op->code == TS_OP_TT_LOAD && op->n_operands < 3 && ts_type_is (element, TS_TYPE_POINTER))
    return refuse (m, TS_GRAPH_UNSUPPORTED_ACCESS, op);
  return TRUE;
}

static gboolean
check_work_op (Matcher *m, TsOp *op, gboolean top)
{
  if (!is_allowed (op))
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  if (!check_types (m, op, top))
    return FALSE;
  for (guint i = 0; op->code == TS_OP_FOR && i < 3; i++)
    if (is_lifted (m, op, i))
      return refuse (m, TS_GRAPH_ROW_IN_BOUNDS, op);
  if (op->code == TS_OP_ARITH_SELECT && ts_type_is_scalar (ts_op_operand_type (op, 0)) && is_lifted (m, op, 0)
      && ts_type_is (op->results[0]->type, TS_TYPE_RANKED))
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  if (op->n_results > 1 && op->code != TS_OP_FOR && op->code != TS_OP_TT_REDUCE && op->code != TS_OP_TT_SCAN)
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  if ((op->code == TS_OP_TT_LOAD || op->code == TS_OP_TT_STORE) && !check_access (m, op))
    return FALSE;
  if (op->code == TS_OP_TT_REDUCE || op->code == TS_OP_TT_SCAN)
    ts_op_walk_regions (op, check_combiner_op, m);
  note_lifted (m, op);
  return m->reason == TS_GRAPH_PROVEN;
}

static gboolean
check_work_block (Matcher *m, const TsBlock *block, gboolean top)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      if (!check_work_op (m, op, top))
        return FALSE;
      m->top_stores += top && op->code == TS_OP_TT_STORE;
      if (op->code == TS_OP_FOR && !check_work_block (m, ts_op_body (op, 0), FALSE))
        return FALSE;
    }
  return TRUE;
}

/* What stands outside the work block runs once for each program, and there will be fewer of them. */
static gboolean
check_outside_op (TsOp *op, gpointer data)
{
  Matcher *m = data;

  if (m->reason != TS_GRAPH_PROVEN || op->block == m->match->work)
    return FALSE;
  if (op->n_regions > 0 && op->code != TS_OP_UNKNOWN) /* the operations in it are looked at one by one */
    return TRUE;
  if (ts_graph_is_pure (op) || ts_op_is_terminator (op) || (op->code == TS_OP_TT_LOAD && !ts_graph_is_volatile (op)))
    return TRUE;
  return refuse (m, TS_GRAPH_ONCE_PER_PROGRAM, op);
}

static gboolean
check_outside (Matcher *m)
{
  ts_region_walk (&m->graph->function->body, check_outside_op, m);
  return m->reason == TS_GRAPH_PROVEN;
}

static gboolean
check_uses (Matcher *m)
{
  const TsRowMatch *r = m->match;
  guint n;
  TsOp *const *users = ts_graph_users (m->graph->uses, r->pid->results[0], &n);

  for (guint i = 0; i < n; i++)
    if (users[i] != r->guard && !is_within (users[i], r->work))
      return refuse (m, TS_GRAPH_ROW_OUTSIDE, users[i]);
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
  return m->match->rows > 0 || refuse (m, TS_GRAPH_ROW_TOO_LARGE, m->widest_at);
}

static gboolean
check_work (Matcher *m)
{
  g_hash_table_add (m->lifted, m->match->pid->results[0]);
  g_hash_table_add (m->lifted, m->match->count);
  if (!check_work_block (m, m->match->work, TRUE) || !check_uses (m))
    return FALSE;
  if (m->top_stores == 0)
    return refuse (m, TS_GRAPH_NO_ROW_STORE, m->match->work->last);
  return choose_rows (m);
}

TsRowMatch *
ts_row_match (TsGraph *graph, TsGraphReason *reason, const TsOp **at)
{
  Matcher m = { .graph = graph, .match = g_new0 (TsRowMatch, 1) };
  gboolean matched;

  m.lifted = g_hash_table_new (NULL, NULL);
  matched = check_module (&m) && check_function (&m) && check_guard (&m) && check_work (&m) && check_outside (&m);
  g_hash_table_unref (m.lifted);
  *reason = m.reason;
  *at = m.at;
  if (matched)
    return m.match;
  g_free (m.match);
  return NULL;
}
