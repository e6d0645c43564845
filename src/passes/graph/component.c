/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be copied or rebuilt with permuted axes. Source: spec graph-optimize 6.2. */
#include "passes/graph/component.h"

#define MAX_DEPTH 128

TsComponent *
ts_component_new (void)
{
  TsComponent *component = g_new0 (TsComponent, 1);

  component->n_owners = 1;
  component->selected = g_ptr_array_new ();
  component->in_set = g_hash_table_new (NULL, NULL);
  component->outside = g_ptr_array_new ();
  component->outside_set = g_hash_table_new (NULL, NULL);
  component->heights = g_hash_table_new (NULL, NULL);
  component->reductions = g_ptr_array_new ();
  component->asserts = g_ptr_array_new ();
  component->retired = g_ptr_array_new ();
  return component;
}

TsComponent *
ts_component_share (TsComponent *component)
{
  component->n_owners++;
  return component;
}

void
ts_component_free (gpointer data)
{
  TsComponent *component = data;

  if (component == NULL || --component->n_owners > 0)
    return;
  g_ptr_array_unref (component->selected);
  g_hash_table_unref (component->in_set);
  g_ptr_array_unref (component->outside);
  g_hash_table_unref (component->outside_set);
  g_hash_table_unref (component->heights);
  g_ptr_array_unref (component->reductions);
  g_ptr_array_unref (component->asserts);
  g_ptr_array_unref (component->retired);
  g_free (component);
}

TsExpr *
ts_component_expand_source (const TsOp *expand, guint *axis)
{
  const TsOp *chain[TS_GRAPH_MAX_RANK];
  guint n = 0;
  TsExpr *source = NULL;

  while (expand != NULL && expand->code == TS_OP_TT_EXPAND_DIMS && n < TS_GRAPH_MAX_RANK)
    {
      chain[n++] = expand;
      source = expand->operands[0];
      expand = ts_graph_def (source);
    }
  if (n == 0 || ts_expr_as_value (source) == NULL || !ts_type_is (ts_expr_as_value (source)->type, TS_TYPE_RANKED)
      || ts_expr_as_value (source)->type->rank != 1)
    return NULL;
  *axis = 0;
  while (n-- > 0)
    if ((guint) ts_op_attr_int (chain[n], "axis", 0) <= *axis)
      (*axis)++;
  return source;
}

static gboolean
is_dense_splat (const TsOp *op)
{
  const TsExpr *value = ts_op_attr (op, "value");

  return op->code == TS_OP_ARITH_CONSTANT && value != NULL && value->kind == TS_EXPR_LIST && g_strcmp0 (value->raw, "dense") == 0;
}

static gboolean
makes_rank (const TsOp *op, guint rank)
{
  return op->n_results > 0 && ts_type_is (op->results[0]->type, TS_TYPE_RANKED) && op->results[0]->type->rank == rank;
}

/* Types whose axes are relabelled, and types with axes that are not: no operation but expand_dims joins the two. */
static void
note_axes (const TsType *type, guint rank, gboolean *moved, gboolean *fixed)
{
  if (ts_type_is (type, TS_TYPE_RANKED) && type->rank == rank && ts_graph_is_plain_tensor (type))
    *moved = TRUE;
  else if (ts_type_is_unknown (type) || ts_type_is (type, TS_TYPE_RANKED)
           || (ts_type_is (type, TS_TYPE_POINTER) && type->elems[0]->kind == TS_TYPE_RANKED))
    *fixed = TRUE;
}

/* Would a copy with permuted types still verify? What is copied asks for equal shapes or scalars, whatever the order of axes; so it
 * does unless only some of the types change. */
static gboolean
axes_move_together (const TsOp *op, guint rank)
{
  gboolean moved = FALSE, fixed = FALSE;

  if (op->code == TS_OP_TT_EXPAND_DIMS && makes_rank (op, rank)) /* made anew from its rank-1 source */
    return ts_graph_is_plain_tensor (op->results[0]->type);
  for (guint i = 0; i < op->n_operands; i++)
    note_axes (ts_op_operand_type (op, i), rank, &moved, &fixed);
  for (guint i = 0; i < op->n_results; i++)
    note_axes (op->results[i]->type, rank, &moved, &fixed);
  return !moved || !fixed;
}

gboolean
ts_component_clonable (const TsOp *op, guint rank)
{
  TsPermutation order;
  guint axis;

  if (op->n_regions > 0 || op->n_results > 1 || !axes_move_together (op, rank))
    return FALSE;
  switch ((int) op->code)
    {
    case TS_OP_TT_LOAD:
    case TS_OP_TT_STORE:
    case TS_OP_TT_ASSERT:
    case TS_OP_TT_SPLAT:
    case TS_OP_TT_BROADCAST:
    case TS_OP_TT_ADDPTR:
      return TRUE;
    case TS_OP_ARITH_CONSTANT:
      return !makes_rank (op, rank) || is_dense_splat (op);
    case TS_OP_TT_EXPAND_DIMS:
      return !makes_rank (op, rank) || ts_component_expand_source (op, &axis) != NULL;
    case TS_OP_TT_TRANS:
      return !makes_rank (op, rank) || (ts_permutation_from_order (op, &order) && order.rank == rank);
    default:
      return ts_graph_is_elementwise (op) && ts_graph_is_pure (op);
    }
}

/* `*at` stays what uses the value where nothing defines it. */
static TsGraphReason
check_leaf (const TsComponent *component, TsDominance *dominance, const TsValue *value, const TsOp **at)
{
  if (ts_dominance_value (dominance, value, component->anchor))
    return TS_GRAPH_PROVEN;
  if (value->kind == TS_VALUE_RESULT)
    *at = value->def;
  return TS_GRAPH_NOT_REBUILDABLE;
}

static gboolean
may_be_rebuilt (const TsOp *def, guint rank)
{
  return ts_graph_is_plain_tensor (def->results[0]->type) && def->code != TS_OP_TT_LOAD && ts_component_clonable (def, rank);
}

/* Each value is proven once; its height comes out, so that a limit of depth does not depend on who asks first. `*at` comes in as
 * the operation that uses the value. */
static TsGraphReason
rebuildable (TsComponent *component, TsDominance *dominance, const TsValue *value, guint depth, guint *height,
             const TsOp **at)
{
  const TsOp *def = value->kind == TS_VALUE_RESULT ? value->def : NULL;
  guint axis, below = 0;

  *height = 0;
  if (!ts_component_has_rank (component, value))
    return check_leaf (component, dominance, value, at);
  *height = GPOINTER_TO_UINT (g_hash_table_lookup (component->heights, value));
  if (*height > 0)
    return depth + *height <= MAX_DEPTH ? TS_GRAPH_PROVEN : TS_GRAPH_NOT_REBUILDABLE;
  if (def == NULL || depth > MAX_DEPTH)
    return TS_GRAPH_NOT_REBUILDABLE;
  *at = def;
  if (!may_be_rebuilt (def, component->order.rank))
    return TS_GRAPH_NOT_REBUILDABLE;
  if (def->code == TS_OP_TT_EXPAND_DIMS)
    {
      TsGraphReason reason = check_leaf (component, dominance, ts_expr_as_value (ts_component_expand_source (def, &axis)), at);

      if (reason != TS_GRAPH_PROVEN)
        return reason;
    }
  for (guint i = 0; i < def->n_operands && def->code != TS_OP_TT_EXPAND_DIMS; i++)
    {
      TsValue *operand = ts_graph_operand (def, i);
      guint operand_height = 0;
      TsGraphReason reason;

      *at = def;
      reason = operand != NULL ? rebuildable (component, dominance, operand, depth + 1, &operand_height, at) : TS_GRAPH_PROVEN;
      if (reason != TS_GRAPH_PROVEN)
        return reason;
      below = MAX (below, operand_height);
    }
  *height = below + 1;
  g_hash_table_insert (component->heights, (gpointer) value, GUINT_TO_POINTER (*height));
  return TS_GRAPH_PROVEN;
}

TsGraphReason
ts_component_rebuildable (TsComponent *component, TsDominance *dominance, const TsValue *value, const TsOp **at)
{
  const TsOp *found = *at;
  guint height;
  TsGraphReason reason = rebuildable (component, dominance, value, 0, &height, &found);

  if (reason != TS_GRAPH_PROVEN)
    *at = found;
  return reason;
}

static gpointer
build_dominance (TsGraph *graph)
{
  return ts_dominance_new_numbered (&graph->numbers);
}

TsDominance *
ts_component_dominance (TsGraph *graph)
{
  static const TsGraphAnalysis analysis = { build_dominance, (GDestroyNotify) ts_dominance_free };

  return ts_graph_analysis (graph, &analysis);
}
