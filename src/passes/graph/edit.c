/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/edit.h"

#include "ir/verify-ttir.h"
#include "passes/graph/track.h"
#include "passes/graph/values.h"

typedef struct
{
  guint   index;
  TsExpr *to;
} Operand;

void
ts_graph_edit_begin (TsGraphEdit *edit, TsGraph *graph)
{
  *edit = (TsGraphEdit) { .graph = graph, .module = graph->module };
  edit->created = g_ptr_array_new ();
  edit->erased = g_ptr_array_new ();
  edit->switched = g_ptr_array_new ();
  edit->updated = g_ptr_array_new ();
  edit->operands = g_array_new (FALSE, FALSE, sizeof (Operand));
  if (graph->switches == NULL)
    graph->switches = ts_cloner_new (graph->module);
  edit->switches = graph->switches;
  g_string_truncate (graph->failure, 0);
}

void
ts_graph_edit_fail (TsGraphEdit *edit, const char *format, ...)
{
  va_list args;

  if (edit->failed)
    return;
  edit->failed = TRUE;
  va_start (args, format);
  g_string_append_vprintf (edit->graph->failure, format, args);
  va_end (args);
}

/* Counts towards fault injection: the n-th operation that any rewrite of the pass creates fails. */
void
ts_graph_edit_adopt (TsGraphEdit *edit, TsOp *op)
{
  g_ptr_array_add (edit->created, op);
  if (++edit->graph->n_created == edit->graph->options.fail_after)
    ts_graph_edit_fail (edit, "injected failure at created operation %" G_GINT64_FORMAT, edit->graph->n_created);
}

static void
inherit (TsOp *op, const TsOp *from)
{
  if (from == NULL)
    return;
  op->span = from->span;
  op->origin = from->origin;
  op->extra = from->extra;
}

TsOp *
ts_graph_create (TsGraphEdit *edit, TsOp *anchor, TsOpCode code, TsExpr *const *operands, guint n, const TsType *type,
                 const TsOp *from)
{
  TsOp *op;

  for (guint i = 0; i < n; i++)
    if (operands[i] == NULL)
      ts_graph_edit_fail (edit, "an operand could not be made");
  if (edit->failed)
    return NULL;
  op = ts_op_new (edit->module, code, NULL, operands, n);
  if (type != NULL)
    ts_op_add_result (edit->module, op, "", type);
  inherit (op, from);
  ts_block_insert_before (anchor, op);
  ts_graph_edit_adopt (edit, op);
  return edit->failed ? NULL : op;
}

TsOp *
ts_graph_edit_copy (TsGraphEdit *edit, const TsOp *op)
{
  TsOp *copy;

  if (edit->graph->copier == NULL)
    edit->graph->copier = ts_cloner_new (edit->module);
  copy = ts_cloner_op (edit->graph->copier, op);
  ts_cloner_reset (edit->graph->copier);
  return copy;
}

TsOp *
ts_graph_create_like (TsGraphEdit *edit, TsOp *anchor, const TsOp *like, TsExpr *const *operands, const TsType *type)
{
  TsOp *op;

  for (guint i = 0; i < like->n_operands; i++)
    if (operands[i] == NULL)
      ts_graph_edit_fail (edit, "an operand could not be made");
  if (edit->failed)
    return NULL;
  op = ts_graph_edit_copy (edit, like);
  ts_op_set_operands (edit->module, op, operands, like->n_operands);
  if (op->n_results > 0)
    {
      op->results[0]->type = type;
      op->results[0]->hint = ts_module_intern (edit->module, "");
    }
  ts_block_insert_before (anchor, op);
  ts_graph_edit_adopt (edit, op);
  return edit->failed ? NULL : op;
}

gboolean
ts_graph_edit_check (TsGraphEdit *edit, TsOp *op)
{
  g_autofree char *problem = op != NULL && !edit->failed ? ts_ttir_check_op (op) : NULL;

  if (problem != NULL)
    ts_graph_edit_fail (edit, "%s does not verify: %s", op->name, problem);
  return !edit->failed;
}

TsExpr *
ts_graph_result (TsGraphEdit *edit, TsOp *op)
{
  if (op == NULL || !ts_graph_edit_check (edit, op) || op->n_results == 0)
    return NULL;
  return ts_expr_value (edit->module, op->results[0]);
}

void
ts_graph_edit_switch (TsGraphEdit *edit, const TsValue *from, TsExpr *to)
{
  if (to == NULL)
    ts_graph_edit_fail (edit, "a replacement could not be made");
  else
    {
      ts_cloner_set (edit->switches, from, to);
      g_ptr_array_add (edit->switched, (gpointer) from);
    }
}

void
ts_graph_edit_set_operand (TsGraphEdit *edit, TsOp *op, guint index, TsExpr *to)
{
  Operand operand = { index, to };

  if (to == NULL)
    {
      ts_graph_edit_fail (edit, "an operand could not be made");
      return;
    }
  g_ptr_array_add (edit->updated, op);
  g_array_append_val (edit->operands, operand);
}

void
ts_graph_edit_erase (TsGraphEdit *edit, TsOp *op)
{
  g_ptr_array_add (edit->erased, op);
}

static void
update_and_erase (TsGraphEdit *edit)
{
  for (guint i = 0; i < edit->updated->len; i++)
    {
      const Operand *operand = &g_array_index (edit->operands, Operand, i);

      ((TsOp *) g_ptr_array_index (edit->updated, i))->operands[operand->index] = operand->to;
    }
  for (guint i = 0; i < edit->erased->len; i++)
    ts_op_unlink (g_ptr_array_index (edit->erased, i));
}

/* Where uses are known, only operations that use a switched value are visited. */
static void
commit_known (TsGraphEdit *edit)
{
  TsGraphTouched *touched
      = ts_graph_track_before (edit->graph, edit->switched, edit->updated, edit->created, edit->erased);

  for (guint i = 0; i < touched->changed->len; i++)
    ts_cloner_rewrite_only (edit->switches, g_ptr_array_index (touched->changed, i));
  for (guint i = 0; i < touched->created->len; i++)
    ts_cloner_rewrite_only (edit->switches, g_ptr_array_index (touched->created, i));
  update_and_erase (edit);
  ts_graph_track_after (edit->graph, touched);
}

static void
commit_anew (TsGraphEdit *edit)
{
  for (guint b = 0; b < edit->graph->function->body.n_blocks; b++)
    for (TsOp *op = edit->graph->function->body.blocks[b]->first; op != NULL; op = op->next)
      ts_cloner_rewrite (edit->switches, op);
  update_and_erase (edit);
}

gboolean
ts_graph_edit_commit (TsGraphEdit *edit)
{
  gboolean done = !edit->failed;

  if (!done)
    for (guint i = edit->created->len; i-- > 0;)
      ts_op_unlink (g_ptr_array_index (edit->created, i));
  else if (edit->graph->is_current)
    commit_known (edit);
  else
    commit_anew (edit);
  g_ptr_array_unref (edit->created);
  g_ptr_array_unref (edit->erased);
  g_ptr_array_unref (edit->switched);
  g_ptr_array_unref (edit->updated);
  g_array_unref (edit->operands);
  ts_cloner_reset (edit->switches);
  return done;
}

/* --- shorthands ------------------------------------------------------------------------------------------------------------ */

const TsType *
ts_graph_type_of (const TsExpr *x)
{
  TsValue *value = x != NULL ? ts_expr_as_value (x) : NULL;

  return value != NULL ? value->type : NULL;
}

TsExpr *
ts_graph_make_constant (TsGraphEdit *edit, TsOp *anchor, gint64 value, TsDtype dtype, const TsOp *from)
{
  TsOp *op = ts_graph_create (edit, anchor, TS_OP_ARITH_CONSTANT, NULL, 0, ts_type_scalar (edit->module, dtype), from);

  if (op == NULL)
    return NULL;
  ts_op_add_attr (edit->module, op, "value", ts_expr_int (edit->module, value, dtype));
  return ts_graph_result (edit, op);
}

TsExpr *
ts_graph_make_unary (TsGraphEdit *edit, TsOp *anchor, TsOpCode code, TsExpr *x, const TsType *type, const TsOp *from)
{
  return ts_graph_result (edit, ts_graph_create (edit, anchor, code, &x, 1, type, from));
}

TsExpr *
ts_graph_make_binary (TsGraphEdit *edit, TsOp *anchor, TsOpCode code, TsExpr *a, TsExpr *b, const TsType *type, const TsOp *from)
{
  TsExpr *operands[] = { a, b };

  return ts_graph_result (edit, ts_graph_create (edit, anchor, code, operands, 2, type, from));
}

TsExpr *
ts_graph_make_range (TsGraphEdit *edit, TsOp *anchor, gint64 start, gint64 end, const TsOp *from)
{
  gint64 extent = end - start;
  const TsType *type = ts_graph_tensor_type (edit->module, &extent, 1, ts_type_scalar (edit->module, TS_DTYPE_INT32));
  TsOp *op = ts_graph_create (edit, anchor, TS_OP_TT_MAKE_RANGE, NULL, 0, type, from);

  if (op == NULL)
    return NULL;
  ts_op_add_attr (edit->module, op, "end", ts_expr_int (edit->module, end, TS_DTYPE_INT32));
  ts_op_add_attr (edit->module, op, "start", ts_expr_int (edit->module, start, TS_DTYPE_INT32));
  return ts_graph_result (edit, op);
}

TsExpr *
ts_graph_make_expand_dims (TsGraphEdit *edit, TsOp *anchor, TsExpr *x, guint axis, const TsOp *from)
{
  const TsType *type = ts_graph_type_of (x);
  gint64 shape[TS_GRAPH_MAX_RANK + 1];
  TsOp *op;

  if (type == NULL || type->rank >= TS_GRAPH_MAX_RANK || axis > type->rank)
    {
      ts_graph_edit_fail (edit, "a value cannot be expanded");
      return NULL;
    }
  for (guint i = 0; i <= type->rank; i++)
    shape[i] = i == axis ? 1 : ts_graph_extent (type, i - (i > axis));
  op = ts_graph_create (edit, anchor, TS_OP_TT_EXPAND_DIMS, &x, 1,
                        ts_graph_tensor_type (edit->module, shape, type->rank + 1, type->elems[0]), from);
  if (op == NULL)
    return NULL;
  ts_op_add_attr (edit->module, op, "axis", ts_expr_int (edit->module, axis, TS_DTYPE_INT32));
  return ts_graph_result (edit, op);
}

TsExpr *
ts_graph_make_broadcast (TsGraphEdit *edit, TsOp *anchor, TsExpr *x, const TsType *type, const TsOp *from)
{
  if (x != NULL && ts_type_equal (ts_graph_type_of (x), type))
    return x;
  return ts_graph_make_unary (edit, anchor, TS_OP_TT_BROADCAST, x, type, from);
}
