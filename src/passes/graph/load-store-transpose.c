/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LoadStoreTranspose: when a component's loads and stores walk memory in another order than their axes, relabel the component so
 * that the axes follow memory. Source: spec graph-optimize section 6. */
#include <string.h>

#include "passes/graph/candidates.h"
#include "passes/graph/component.h"

extern const TsGraphRule ts_graph_load_store_transpose, ts_graph_square_form;

typedef struct
{
  TsGraph           *graph;
  TsComponent       *component;
  TsGraphReason      reason;
  const TsOp        *at;
} Matcher;

static gboolean
refuse (Matcher *m, TsGraphReason reason, const TsOp *at)
{
  m->reason = reason;
  if (at != NULL)
    m->at = at;
  return FALSE;
}

static gboolean
is_access (const TsOp *op)
{
  return op->code == TS_OP_TT_LOAD || op->code == TS_OP_TT_STORE;
}

static guint
access_rank (const TsOp *op)
{
  const TsType *type = ts_op_operand_type (op, 0);

  return ts_type_is (type, TS_TYPE_RANKED) ? type->rank : 0;
}

/* Value for masked lanes: absent, a scalar, a splat or a dense splat. */
static gboolean
is_uniform_other (const TsOp *op)
{
  const TsOp *def;
  const TsExpr *value;

  if (op->code != TS_OP_TT_LOAD || op->n_operands < 3)
    return TRUE;
  if (!ts_type_is (ts_op_operand_type (op, 2), TS_TYPE_RANKED))
    return TRUE;
  def = ts_graph_def (op->operands[2]);
  value = def != NULL ? ts_op_attr (def, "value") : NULL;
  return def != NULL
         && (def->code == TS_OP_TT_SPLAT
             || (def->code == TS_OP_ARITH_CONSTANT && value != NULL && value->kind == TS_EXPR_LIST
                 && g_strcmp0 (value->raw, "dense") == 0));
}

static gboolean
check_access_form (Matcher *m, const TsOp *op)
{
  if (ts_graph_is_volatile (op))
    return refuse (m, TS_GRAPH_VOLATILE_LOAD, op);
  if (ts_graph_has_boundary_check (op) || ts_graph_has_padding (op))
    return refuse (m, TS_GRAPH_BOUNDARY_CHECK, op);
  return is_uniform_other (op) || refuse (m, TS_GRAPH_UNSUPPORTED_ACCESS, op);
}

/* One access: layout of its pointer (in a loop: of the pointer's initial value), the proof, and the common order. */
static gboolean
check_access_layout (Matcher *m, const TsOp *op, const TsExpr *pointer)
{
  TsComponent *c = m->component;
  guint mask = ts_graph_mask_index (op);
  TsAffine affine;
  TsGraphReason reason = ts_affine_layout (pointer, &affine, &m->at);

  if (reason == TS_GRAPH_PROVEN)
    reason = ts_affine_domain (&affine, op->n_operands > mask ? op->operands[mask] : NULL, m->graph->uses, &m->at);
  if (reason != TS_GRAPH_PROVEN)
    return refuse (m, reason, NULL);
  if (c->endpoints++ == 0)
    c->order = affine.order;
  else if (!ts_permutation_equal (&c->order, &affine.order))
    return refuse (m, TS_GRAPH_NO_COMMON_PERMUTATION, op);
  return TRUE;
}

/* Does some stored value depend on a load of the component? */
static gboolean
has_data_path (Matcher *m)
{
  g_autoptr (GHashTable) loaded = g_hash_table_new (NULL, NULL);
  const TsOp *store = NULL;

  for (guint i = 0; i < m->component->selected->len; i++)
    {
      const TsOp *op = g_ptr_array_index (m->component->selected, i);
      gboolean depends = op->code == TS_OP_TT_LOAD;

      if (store == NULL && op->code == TS_OP_TT_STORE)
        store = op;

      for (guint k = 0; k < op->n_operands && !depends; k++)
        depends = ts_graph_operand (op, k) != NULL && g_hash_table_contains (loaded, ts_graph_operand (op, k));
      if (!depends)
        continue;
      if (op->code == TS_OP_TT_STORE && ts_graph_operand (op, 1) != NULL
          && g_hash_table_contains (loaded, ts_graph_operand (op, 1)))
        return TRUE;
      if (op->n_results > 0)
        g_hash_table_add (loaded, op->results[0]);
    }
  return refuse (m, TS_GRAPH_NO_DATA_PATH, store);
}

static gboolean
is_inside (const TsComponent *c, const TsValue *value)
{
  if (value->kind == TS_VALUE_RESULT)
    return value->def != NULL && g_hash_table_contains (c->in_set, value->def);
  return c->loop != NULL && value->kind == TS_VALUE_BLOCK_ARG && value->block == c->block;
}

static gboolean
note_outside (Matcher *m, const TsOp *user, TsValue *value)
{
  TsComponent *c = m->component;
  const TsOp *at = user;
  TsGraphReason reason;

  if (value == NULL || !ts_component_has_rank (c, value) || is_inside (c, value) || g_hash_table_contains (c->outside_set, value))
    return TRUE;
  reason = ts_component_rebuildable (c, ts_component_dominance (m->graph), value, &at);
  if (reason != TS_GRAPH_PROVEN)
    return refuse (m, reason, at);
  g_ptr_array_add (c->outside, value);
  g_hash_table_add (c->outside_set, value);
  return TRUE;
}

static gboolean
collect_outside (Matcher *m)
{
  TsComponent *c = m->component;

  for (guint i = 3; c->loop != NULL && i < c->loop->n_operands; i++)
    if (!note_outside (m, c->loop, ts_graph_operand (c->loop, i)))
      return FALSE;
  for (guint i = 0; i < c->selected->len; i++)
    {
      const TsOp *op = g_ptr_array_index (c->selected, i);

      /* A chain of expand_dims is built anew from its rank-1 source. */
      for (guint k = 0; k < op->n_operands && op->code != TS_OP_TT_EXPAND_DIMS; k++)
        if (!note_outside (m, op, ts_graph_operand (op, k)))
          return FALSE;
    }
  /* What the loop hands on need not be made in it. */
  for (guint i = 0; c->loop != NULL && i < c->block->last->n_operands; i++)
    if (!note_outside (m, c->block->last, ts_graph_operand (c->block->last, i)))
      return FALSE;
  return TRUE;
}

static gboolean
check_clonable (Matcher *m, const TsOp *op)
{
  const TsComponent *c = m->component;

  if (!ts_component_clonable (op, c->order.rank))
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  if (op->code == TS_OP_TT_ASSERT && (c->loop == NULL || ts_component_has_rank (c, ts_graph_operand (op, 0))))
    return refuse (m, TS_GRAPH_NOT_CLONABLE, op);
  return TRUE;
}

static gboolean
collect_asserts (Matcher *m)
{
  TsGraphReason reason = ts_component_asserts (m->graph, m->component, &m->at);

  return reason == TS_GRAPH_PROVEN || refuse (m, reason, NULL);
}

/* --- loop form ------------------------------------------------------------------------------------------------------------- */

static const TsExpr *
initial_pointer (const TsOp *loop, const TsExpr *pointer)
{
  TsValue *value = ts_expr_as_value (pointer);

  if (value == NULL || value->kind != TS_VALUE_BLOCK_ARG || value->block != ts_op_body (loop, 0) || value->index == 0)
    return NULL;
  return loop->operands[2 + value->index];
}

static gboolean
match_loop_accesses (Matcher *m)
{
  TsOp *loop = m->component->loop;
  guint loads = 0, stores = 0;

  for (const TsOp *op = m->component->block->first; op != NULL; op = op->next)
    {
      const TsExpr *pointer;

      if (!is_access (op))
        continue;
      m->at = op;
      pointer = initial_pointer (loop, op->operands[0]);
      if (pointer == NULL)
        return refuse (m, TS_GRAPH_UNRESOLVED_POINTER, op);
      if (!check_access_form (m, op) || !check_access_layout (m, op, pointer))
        return FALSE;
      loads += op->code == TS_OP_TT_LOAD;
      stores += op->code == TS_OP_TT_STORE;
    }
  return (loads > 0 && stores > 0) || refuse (m, TS_GRAPH_NO_DATA_PATH, loop);
}

/* Axes that survive a reduction must keep their relative order, or the result would be transposed. */
static gboolean
check_reduction (Matcher *m, TsOp *reduce)
{
  TsComponent *c = m->component;
  gint64 axis = ts_op_attr_int (reduce, "axis", -1);
  gint previous = -1;

  if (reduce->code != TS_OP_TT_REDUCE || reduce->n_operands != 1 || reduce->n_results != 1 || axis < 0 || axis >= c->order.rank)
    return refuse (m, TS_GRAPH_ESCAPES, reduce);
  for (guint i = 0; i < c->order.rank; i++)
    if (c->order.axes[i] != axis)
      {
        if ((gint) c->order.axes[i] < previous)
          return refuse (m, TS_GRAPH_ESCAPES, reduce);
        previous = c->order.axes[i];
      }
  g_ptr_array_add (c->reductions, reduce);
  return TRUE;
}

static gboolean
check_loop_results (Matcher *m)
{
  const TsOp *loop = m->component->loop;

  for (guint i = 0; i < loop->n_results; i++)
    {
      guint n;
      TsOp *const *users = ts_graph_users (m->graph->uses, loop->results[i], &n);

      if (!ts_component_has_rank (m->component, loop->results[i]))
        continue;
      for (guint k = 0; k < n; k++)
        if (!check_reduction (m, users[k]))
          return FALSE;
    }
  return TRUE;
}

static gboolean
match_loop (Matcher *m, TsOp *loop)
{
  TsComponent *c = m->component;

  c->loop = c->anchor = loop;
  c->block = ts_op_body (loop, 0);
  if (!match_loop_accesses (m))
    return FALSE;
  for (TsOp *op = c->block->first; op != NULL && op != c->block->last; op = op->next)
    {
      if (!check_clonable (m, op))
        return FALSE;
      g_ptr_array_add (c->selected, op);
      g_hash_table_add (c->in_set, op);
    }
  return has_data_path (m) && collect_outside (m) && check_loop_results (m) && collect_asserts (m);
}

/* --- block form ------------------------------------------------------------------------------------------------------------ */

static gboolean
match_block_accesses (Matcher *m)
{
  TsComponent *c = m->component;

  for (TsOp *op = c->block->first; op != NULL; op = op->next)
    {
      const TsOp *pointer;

      if (!is_access (op))
        continue;
      m->at = op;
      if (!check_access_form (m, op))
        return FALSE;
      if (access_rank (op) < 2)
        continue;
      pointer = ts_graph_def (op->operands[0]);
      if (pointer == NULL || pointer->block != c->block)
        return refuse (m, TS_GRAPH_DIFFERENT_BLOCKS, op);
      if (!check_access_layout (m, op, op->operands[0]))
        return FALSE;
      if (c->anchor == NULL && op->code == TS_OP_TT_LOAD)
        c->anchor = op;
      g_hash_table_add (c->in_set, op);
    }
  return c->anchor != NULL || refuse (m, TS_GRAPH_NO_DATA_PATH, NULL);
}

/* Grows the set through users in the block, in program order, so that one sweep is enough. */
static gboolean
grow_set (Matcher *m)
{
  TsComponent *c = m->component;

  for (TsOp *op = c->block->first; op != NULL; op = op->next)
    {
      gboolean inside = g_hash_table_contains (c->in_set, op);

      for (guint i = 0; i < op->n_operands && !inside; i++)
        inside = ts_graph_operand (op, i) != NULL && is_inside (c, ts_graph_operand (op, i));
      if (!inside)
        continue;
      if (!check_clonable (m, op))
        return FALSE;
      g_hash_table_add (c->in_set, op);
      g_ptr_array_add (c->selected, op);
    }
  for (guint i = 0; i < c->selected->len; i++)
    {
      const TsOp *op = g_ptr_array_index (c->selected, i);
      guint n = 0;
      TsOp *const *users = op->n_results > 0 ? ts_graph_users (m->graph->uses, op->results[0], &n) : NULL;

      for (guint k = 0; k < n; k++)
        if (!g_hash_table_contains (c->in_set, users[k]))
          return refuse (m, TS_GRAPH_ESCAPES, users[k]);
    }
  return TRUE;
}

static gboolean
match_block (Matcher *m, TsBlock *block)
{
  TsComponent *c = m->component;

  c->block = block;
  if (!match_block_accesses (m) || !grow_set (m))
    return FALSE;
  /* A store may stand before the first load: everything rebuilt goes before whatever is first. */
  c->anchor = g_ptr_array_index (c->selected, 0);
  return has_data_path (m) && collect_outside (m) && collect_asserts (m);
}

/* --- rule ------------------------------------------------------------------------------------------------------------------ */

static TsComponent *
match_at (TsGraph *graph, TsOp *loop, TsBlock *block, TsGraphReason *reason, const TsOp **at)
{
  Matcher m = { graph, ts_component_new (), TS_GRAPH_PROVEN, NULL };
  gboolean matched = loop != NULL ? match_loop (&m, loop) : match_block (&m, block);

  *reason = m.reason;
  *at = m.at;
  if (matched)
    return m.component;
  ts_component_free (m.component);
  return NULL;
}

static gboolean
has_wide_access (const TsBlock *block)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    if (is_access (op) && access_rank (op) >= 2)
      return TRUE;
  return FALSE;
}

static TsOp *
first_load (const TsComponent *c)
{
  for (guint i = 0; i < c->selected->len; i++)
    if (((TsOp *) g_ptr_array_index (c->selected, i))->code == TS_OP_TT_LOAD)
      return g_ptr_array_index (c->selected, i);
  return c->anchor;
}

/* A pointer to a whole tensor says nothing of its lanes here. */
static gboolean
is_block_access (const TsOp *op)
{
  const TsType *type = ts_op_operand_type (op, 0);

  return ts_type_is (type, TS_TYPE_POINTER) && type->elems[0]->kind == TS_TYPE_RANKED;
}

/* Accesses of one axis have no order to change, and block pointers none that is looked at, whatever becomes of the block; the
 * others share its fate. */
static void
reject_accesses (TsGraph *graph, const TsBlock *block, TsGraphReason reason, const TsOp *at)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    if (is_access (op) && access_rank (op) < 2)
      ts_graph_reject (graph, &ts_graph_load_store_transpose, op, 0,
                       is_block_access (op) ? TS_GRAPH_UNSUPPORTED_POINTER_TYPE : TS_GRAPH_UNSUPPORTED_RANK, op);
    else if (is_access (op) && reason != TS_GRAPH_PROVEN)
      ts_graph_reject (graph, &ts_graph_load_store_transpose, op, 0, reason, at);
}

static gpointer
build_candidates (TsGraph *graph)
{
  static const TsGraphCandidateKind blocks = { NULL, ts_component_free };

  return ts_graph_candidates_new (graph, &blocks);
}

/* A block without accesses of several axes stays so until one is made in it. */
static gboolean
is_still_bare (const TsGraph *graph, const TsGraphCandidate *candidate)
{
  return candidate->judged > 0 && candidate->found[0] == NULL && candidate->reason[0] == TS_GRAPH_PROVEN
         && !ts_graph_block_got_access (graph, candidate->block, candidate->judged);
}

static void
judge (const TsGraphCandidates *candidates, TsGraph *graph, TsGraphCandidate *candidate)
{
  TsBlock *block = candidate->block;
  TsOp *parent = block->region->op;

  if (is_still_bare (graph, candidate) || !ts_graph_candidate_judge (candidates, graph, candidate))
    return;
  candidate->reason[0] = TS_GRAPH_PROVEN;
  candidate->at[0] = NULL;
  if (has_wide_access (block))
    candidate->found[0] = match_at (graph, ts_op_is (parent, TS_OP_FOR) ? parent : NULL, block, &candidate->reason[0],
                                    &candidate->at[0]);
  ts_graph_candidate_judged (graph, candidate);
}

static void
find (TsGraph *graph, GPtrArray *plans)
{
  static const TsGraphAnalysis analysis = { build_candidates, (GDestroyNotify) ts_graph_candidates_free };
  TsGraphCandidates *candidates = ts_graph_analysis (graph, &analysis);
  const GPtrArray *list = ts_graph_candidates_refresh (candidates, graph);

  for (guint i = 0; i < list->len; i++)
    {
      TsGraphCandidate *candidate = g_ptr_array_index (list, i);
      TsComponent *component;

      judge (candidates, graph, candidate);
      component = candidate->found[0];
      if (component != NULL)
        ts_graph_add_plan (plans, &ts_graph_load_store_transpose, first_load (component), 1, ts_component_share (component));
      if (graph->pass->steps != NULL)
        reject_accesses (graph, candidate->block, component != NULL ? TS_GRAPH_PROVEN : candidate->reason[0], candidate->at[0]);
    }
}

static gboolean
same_members (const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (g_ptr_array_index (a, i) != g_ptr_array_index (b, i))
      return FALSE;
  return TRUE;
}

static gboolean
revalidate (TsGraph *graph, const TsGraphPlan *plan)
{
  const TsComponent *old = plan->data;
  TsGraphReason reason;
  const TsOp *at;
  TsComponent *again = match_at (graph, old->loop, old->block, &reason, &at);
  gboolean same = again != NULL && ts_permutation_equal (&again->order, &old->order)
                  && same_members (again->selected, old->selected) && same_members (again->outside, old->outside);

  ts_component_free (again);
  return same;
}

static gboolean
apply (TsGraph *graph, const TsGraphPlan *plan)
{
  return ts_component_rewrite (graph, plan->data);
}

static void
describe (const TsGraphPlan *plan, GString *out)
{
  const TsComponent *c = plan->data;
  guint transformed = 0;

  for (guint i = 0; c->loop != NULL && i < c->loop->n_results; i++)
    transformed += ts_component_has_rank (c, c->loop->results[i]);
  g_string_append_printf (out, " scope=%s rank=%u permutation=", c->loop != NULL ? "loop" : "block", c->order.rank);
  ts_permutation_append (&c->order, out);
  g_string_append_printf (
      out,
      " endpoints=%u external-tensors=%u reductions=%u transformed-results=%u closure-ops=%u external-asserts=%u "
      "retire-ops=%u",
      c->endpoints, c->outside->len, c->reductions->len, transformed, c->selected->len, c->asserts->len, c->retired->len);
}

static void
members (const TsGraphPlan *plan, GPtrArray *ops)
{
  const TsComponent *c = plan->data;

  for (guint i = 0; i < c->selected->len; i++)
    if (is_access (g_ptr_array_index (c->selected, i)))
      g_ptr_array_add (ops, g_ptr_array_index (c->selected, i));
}

const TsGraphRule ts_graph_load_store_transpose = {
  .bit = 1,
  .name = "LoadStoreTranspose",
  .square_form = &ts_graph_square_form,
  .candidates = "loads and stores",
  .takes = is_access,
  .members = members,
  .find = find,
  .revalidate = revalidate,
  .apply = apply,
  .describe = describe,
  .free_data = ts_component_free,
};
