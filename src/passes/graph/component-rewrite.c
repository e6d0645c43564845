/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies a component with permuted axes. Source: spec graph-optimize 6.3. */
#include "passes/graph/component.h"

typedef struct
{
  TsGraphEdit        edit;
  const TsComponent *component;
  TsPermutation      inverse;
  GHashTable        *map; /* TsValue to TsExpr; values of other ranks stand for themselves */
} Rewriter;

static const TsType *
permute_type (Rewriter *r, const TsType *type)
{
  const TsPermutation *order = &r->component->order;
  gint64 shape[TS_GRAPH_MAX_RANK];

  if (!ts_type_is (type, TS_TYPE_RANKED) || type->rank != order->rank)
    return type;
  for (guint i = 0; i < order->rank; i++)
    shape[i] = ts_graph_extent (type, order->axes[i]);
  return ts_graph_tensor_type (r->edit.module, shape, order->rank, type->elems[0]);
}

static TsExpr *
mapped (Rewriter *r, TsExpr *e)
{
  TsValue *value = ts_expr_as_value (e);
  TsExpr *known = value != NULL ? g_hash_table_lookup (r->map, value) : NULL;

  return known != NULL ? known : e;
}

static void
map_value (Rewriter *r, TsValue *from, TsExpr *to)
{
  if (to != NULL)
    g_hash_table_insert (r->map, from, to);
}

/* R - 1 expand_dims from the rank-1 source, axes ascending, skipping the lane's new axis. */
static TsExpr *
copy_expand (Rewriter *r, TsOp *anchor, const TsOp *op)
{
  guint axis = 0;
  TsExpr *x = mapped (r, ts_component_expand_source (op, &axis));
  guint lane = r->inverse.axes[axis];

  for (guint i = 0; i < r->component->order.rank; i++)
    if (i != lane)
      x = ts_graph_make_expand_dims (&r->edit, anchor, x, i, op);
  return x;
}

/* Q' with P[Q'[i]] = Q[P[i]] */
static void
conjugate_order (Rewriter *r, TsOp *copy, const TsOp *op)
{
  const TsPermutation *p = &r->component->order;
  TsExpr *items[TS_GRAPH_MAX_RANK], *list;
  TsPermutation q = { 0 };

  if (copy == NULL || !ts_permutation_from_order (op, &q))
    return;
  for (guint i = 0; i < p->rank; i++)
    items[i] = ts_expr_int (r->edit.module, r->inverse.axes[q.axes[p->axes[i]]], TS_DTYPE_INT32);
  list = ts_expr_list (r->edit.module, items, p->rank);
  list->raw = ts_module_intern (r->edit.module, "array");
  list->dtype = TS_DTYPE_INT32;
  ts_op_set_attr (r->edit.module, copy, "order", list);
}

/* A copy of `op` before `anchor`, with mapped operands and permuted result. */
static TsOp *
copy_op (Rewriter *r, TsOp *anchor, const TsOp *op)
{
  g_autofree TsExpr **operands = g_new (TsExpr *, MAX (op->n_operands, 1u));
  const TsType *type = op->n_results > 0 ? permute_type (r, op->results[0]->type) : NULL;
  TsOp *copy;

  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = mapped (r, op->operands[i]);
  copy = ts_graph_create_like (&r->edit, anchor, op, operands, type);
  if (op->code == TS_OP_TT_TRANS && ts_component_has_rank (r->component, op->results[0]))
    conjugate_order (r, copy, op);
  if (copy != NULL)
    ts_graph_edit_check (&r->edit, copy);
  return copy;
}

/* Makes an outside value of rank R anew, operands first, each once. */
static TsExpr *
rebuild (Rewriter *r, TsOp *anchor, TsValue *value)
{
  TsExpr *known = g_hash_table_lookup (r->map, value), *result;
  const TsOp *def = value->def;
  TsOp *copy;

  if (known != NULL)
    return known;
  if (!ts_component_has_rank (r->component, value) || def == NULL)
    return ts_expr_value (r->edit.module, value);
  if (def->code == TS_OP_TT_EXPAND_DIMS)
    result = copy_expand (r, anchor, def);
  else
    {
      for (guint i = 0; i < def->n_operands; i++)
        if (ts_graph_operand (def, i) != NULL)
          rebuild (r, anchor, ts_graph_operand (def, i));
      copy = copy_op (r, anchor, def);
      result = ts_graph_result (&r->edit, copy);
    }
  map_value (r, value, result);
  return result;
}

static void
rewrite_selected (Rewriter *r, TsOp *anchor, TsOp *op)
{
  if (op->code == TS_OP_TT_EXPAND_DIMS && ts_component_has_rank (r->component, op->results[0]))
    map_value (r, op->results[0], copy_expand (r, anchor, op));
  else
    {
      TsOp *copy = copy_op (r, anchor, op);

      if (copy != NULL && op->n_results > 0)
        map_value (r, op->results[0], ts_expr_value (r->edit.module, copy->results[0]));
    }
}

static void
rewrite_block (Rewriter *r)
{
  const GPtrArray *selected = r->component->selected;

  for (guint i = 0; i < selected->len; i++)
    rewrite_selected (r, g_ptr_array_index (selected, i), g_ptr_array_index (selected, i));
  for (guint i = selected->len; i-- > 0;)
    ts_graph_edit_erase (&r->edit, g_ptr_array_index (selected, i));
}

/* --- loops ----------------------------------------------------------------------------------------------------------------- */

/* The new loop with mapped inits and an empty body that ends with a yield to be filled. */
static TsOp *
make_loop (Rewriter *r, TsOp **yield)
{
  TsOp *loop = r->component->loop;
  TsModule *module = r->edit.module;
  const TsBlock *old = ts_op_body (loop, 0);
  TsOp *copy = ts_op_new (module, TS_OP_FOR, "scf.for", loop->operands, loop->n_operands);
  TsBlock *body = ts_op_add_region (module, copy);

  copy->span = loop->span;
  copy->origin = loop->origin;
  copy->extra = loop->extra;
  for (guint i = 0; i < loop->n_attrs; i++)
    ts_op_add_attr (module, copy, loop->attrs[i].key, loop->attrs[i].value);
  for (guint i = 0; i < loop->n_operands; i++)
    copy->operands[i] = mapped (r, loop->operands[i]);
  for (guint i = 0; i < old->n_args; i++)
    map_value (r, old->args[i],
               ts_expr_value (module, ts_block_add_arg (module, body, old->args[i]->hint, permute_type (r, old->args[i]->type))));
  for (guint i = 0; i < loop->n_results; i++)
    ts_op_add_result (module, copy, loop->results[i]->hint, permute_type (r, loop->results[i]->type));
  *yield = ts_op_new (module, TS_OP_YIELD, "scf.yield", NULL, 0);
  (*yield)->origin = old->last->origin;
  ts_block_append (body, *yield);
  ts_block_insert_before (loop, copy);
  ts_graph_edit_adopt (&r->edit, copy);
  return copy;
}

static void
rewrite_reduction (Rewriter *r, TsOp *reduce, TsExpr *x)
{
  TsOp *copy = ts_graph_create_like (&r->edit, reduce, reduce, &x, reduce->results[0]->type);
  gint64 axis = ts_op_attr_int (reduce, "axis", 0);

  if (copy == NULL)
    return;
  ts_op_set_attr (r->edit.module, copy, "axis", ts_expr_int (r->edit.module, r->inverse.axes[axis], TS_DTYPE_INT32));
  ts_graph_edit_switch (&r->edit, reduce->results[0], ts_graph_result (&r->edit, copy));
  ts_graph_edit_erase (&r->edit, reduce);
}

static void
rewrite_loop (Rewriter *r)
{
  TsOp *loop = r->component->loop, *yield, *copy = make_loop (r, &yield);
  const TsOp *old_yield = ts_op_body (loop, 0)->last;

  for (guint i = 0; i < r->component->selected->len; i++)
    rewrite_selected (r, yield, g_ptr_array_index (r->component->selected, i));
  for (guint i = 0; i < old_yield->n_operands; i++)
    ts_op_add_operand (r->edit.module, yield, mapped (r, old_yield->operands[i]));
  for (guint i = 0; i < r->component->reductions->len; i++)
    {
      TsOp *reduce = g_ptr_array_index (r->component->reductions, i);
      guint index = ts_graph_operand (reduce, 0)->index;

      rewrite_reduction (r, reduce, ts_expr_value (r->edit.module, copy->results[index]));
    }
  for (guint i = 0; i < loop->n_results; i++)
    if (!ts_component_has_rank (r->component, loop->results[i]))
      ts_graph_edit_switch (&r->edit, loop->results[i], ts_expr_value (r->edit.module, copy->results[i]));
  ts_graph_edit_erase (&r->edit, loop);
}

/* --- everything ------------------------------------------------------------------------------------------------------------ */

/* Conditions of overflow assertions are made anew before the assertion, from the same rebuilt values. */
static void
rewrite_asserts (Rewriter *r, GPtrArray *conditions)
{
  for (guint i = 0; i < r->component->asserts->len; i++)
    {
      TsOp *op = g_ptr_array_index (r->component->asserts, i);

      g_ptr_array_add (conditions, rebuild (r, op, ts_graph_operand (op, 0)));
    }
}

gboolean
ts_component_rewrite (TsGraph *graph, const TsComponent *component)
{
  Rewriter r = { .component = component, .inverse = ts_permutation_inverse (&component->order) };
  g_autoptr (GPtrArray) conditions = g_ptr_array_new ();
  gboolean done;

  r.map = g_hash_table_new (NULL, NULL);
  ts_graph_edit_begin (&r.edit, graph);
  rewrite_asserts (&r, conditions);
  for (guint i = 0; i < component->outside->len; i++)
    rebuild (&r, component->anchor, g_ptr_array_index (component->outside, i));
  if (component->loop != NULL)
    rewrite_loop (&r);
  else
    rewrite_block (&r);
  for (guint i = 0; i < component->retired->len; i++)
    ts_graph_edit_erase (&r.edit, g_ptr_array_index (component->retired, i));
  for (guint i = 0; i < conditions->len; i++)
    ts_graph_edit_set_operand (&r.edit, g_ptr_array_index (component->asserts, i), 0, g_ptr_array_index (conditions, i));
  done = ts_graph_edit_commit (&r.edit);
  g_hash_table_unref (r.map);
  return done;
}
