/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RowCoalescing: one program handles H rows instead of one; the launcher divides that axis of the grid by H, rounding up. Source:
 * spec graph-optimize section 9. */
#include <string.h>

#include "passes/graph/row-match.h"

extern const TsGraphRule ts_graph_row_coalescing;

typedef struct
{
  TsGraphEdit       edit;
  const TsRowMatch *match;
  GHashTable       *map;  /* TsValue to TsExpr: lifted values */
  TsExpr           *mask; /* tensor<Hxi1>: which rows exist */
} Lifter;

static const TsType *
lift_type (Lifter *l, const TsType *type)
{
  gint64 shape[TS_GRAPH_MAX_RANK];
  guint rank = ts_type_is (type, TS_TYPE_RANKED) ? type->rank : 0;

  shape[0] = l->match->rows;
  for (guint i = 0; i < rank; i++)
    shape[1 + i] = ts_graph_extent (type, i);
  return ts_graph_tensor_type (l->edit.module, shape, rank + 1, ts_type_element (type));
}

static TsExpr *
lifted_value (Lifter *l, const TsExpr *e)
{
  TsValue *value = ts_expr_as_value (e);

  return value != NULL ? g_hash_table_lookup (l->map, value) : NULL;
}

static void
remember (Lifter *l, TsValue *value, TsExpr *lifted)
{
  if (lifted != NULL)
    g_hash_table_insert (l->map, value, lifted);
}

/* One value for each row: what is lifted already, a splat of a scalar, or a tensor repeated along a new first axis. */
static TsExpr *
lift (Lifter *l, TsOp *anchor, TsExpr *e)
{
  TsExpr *known = lifted_value (l, e);
  const TsType *type = ts_graph_type_of (e);

  if (known != NULL || type == NULL)
    return known;
  if (!ts_type_is (type, TS_TYPE_RANKED))
    return ts_graph_make_unary (&l->edit, anchor, TS_OP_TT_SPLAT, e, lift_type (l, type), anchor);
  return ts_graph_make_broadcast (&l->edit, anchor, ts_graph_make_expand_dims (&l->edit, anchor, e, 0, anchor), lift_type (l, type),
                                  anchor);
}

/* tensor<H> widened to the shape of `type` by trailing axes. */
static TsExpr *
widen (Lifter *l, TsOp *anchor, TsExpr *x, const TsType *type)
{
  while (!l->edit.failed && ts_graph_type_of (x)->rank < type->rank)
    x = ts_graph_make_expand_dims (&l->edit, anchor, x, ts_graph_type_of (x)->rank, anchor);
  return l->edit.failed ? NULL : ts_graph_make_broadcast (&l->edit, anchor, x, type, anchor);
}

static const TsType *
with_element (Lifter *l, const TsType *type, const TsType *element)
{
  gint64 shape[TS_GRAPH_MAX_RANK];

  for (guint i = 0; i < type->rank; i++)
    shape[i] = ts_graph_extent (type, i);
  return ts_graph_tensor_type (l->edit.module, shape, type->rank, element);
}

static const TsType *
bool_like (Lifter *l, const TsType *type)
{
  return with_element (l, type, ts_type_scalar (l->edit.module, TS_DTYPE_BOOL));
}

/* The mask of an access: the row mask, and the old one where there was one. */
static TsExpr *
access_mask (Lifter *l, TsOp *op, const TsType *pointers)
{
  guint index = ts_graph_mask_index (op);
  TsExpr *rows = widen (l, op, l->mask, bool_like (l, pointers));

  if (op->n_operands <= index || rows == NULL)
    return rows;
  return ts_graph_make_binary (&l->edit, op, TS_OP_ARITH_ANDI, lift (l, op, op->operands[index]), rows, ts_graph_type_of (rows),
                               op);
}

static TsExpr *
make_zero (Lifter *l, TsOp *anchor, const TsType *type)
{
  TsModule *module = l->edit.module;
  TsDtype dtype = (TsDtype) type->dtype;
  TsExpr *zero = ts_dtype_is_float (dtype) ? ts_expr_float (module, 0.0, dtype) : ts_expr_int (module, 0, dtype);
  TsExpr *dense = ts_expr_list (module, &zero, 1);
  TsOp *op = ts_graph_create (&l->edit, anchor, TS_OP_ARITH_CONSTANT, NULL, 0, type, anchor);

  dense->raw = ts_module_intern (module, "dense");
  dense->dtype = dtype;
  if (op == NULL)
    return NULL;
  ts_op_add_attr (module, op, "value", dense);
  return ts_graph_result (&l->edit, op);
}

static void
copy_attrs (Lifter *l, TsOp *to, const TsOp *from)
{
  for (guint i = 0; to != NULL && i < from->n_attrs; i++)
    ts_op_set_attr (l->edit.module, to, from->attrs[i].key, from->attrs[i].value);
}

static void
lift_access (Lifter *l, TsOp *op)
{
  gboolean load = op->code == TS_OP_TT_LOAD;
  TsExpr *operands[3];
  const TsType *value_type = load ? lift_type (l, op->results[0]->type) : NULL;
  TsOp *copy;

  operands[0] = lift (l, op, op->operands[0]);
  if (l->edit.failed || operands[0] == NULL)
    return;
  if (load)
    {
      operands[1] = access_mask (l, op, ts_graph_type_of (operands[0]));
      operands[2] = op->n_operands > 2 ? lift (l, op, op->operands[2]) : make_zero (l, op, value_type);
    }
  else
    {
      operands[1] = lift (l, op, op->operands[1]);
      operands[2] = access_mask (l, op, ts_graph_type_of (operands[0]));
    }
  copy = ts_graph_create (&l->edit, op, (TsOpCode) op->code, operands, 3, value_type, op);
  copy_attrs (l, copy, op);
  if (copy != NULL && ts_graph_edit_check (&l->edit, copy) && load)
    remember (l, op->results[0], ts_expr_value (l->edit.module, copy->results[0]));
}

/* constant and make_range: the original stays, its value is repeated. */
static void
lift_source (Lifter *l, TsOp *op)
{
  TsOp *copy;

  if (!ts_type_is (op->results[0]->type, TS_TYPE_RANKED))
    return; /* a scalar constant stays uniform */
  copy = ts_graph_create (&l->edit, op, (TsOpCode) op->code, NULL, 0, op->results[0]->type, op);
  copy_attrs (l, copy, op);
  remember (l, op->results[0], lift (l, op, ts_graph_result (&l->edit, copy)));
}

static void
lift_splat (Lifter *l, TsOp *op)
{
  const TsType *type = lift_type (l, op->results[0]->type);
  TsExpr *row = lifted_value (l, op->operands[0]);
  TsExpr *result = row != NULL ? widen (l, op, row, type)
                               : ts_graph_make_unary (&l->edit, op, TS_OP_TT_SPLAT, op->operands[0], type, op);

  remember (l, op->results[0], result);
}

/* expand_dims, reduce, scan: the axis moves by one, region and attributes are kept. */
static void
lift_axis (Lifter *l, TsOp *op)
{
  g_autofree TsExpr **operands = g_new (TsExpr *, MAX (op->n_operands, 1u));
  TsOp *copy;

  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = lift (l, op, op->operands[i]);
  copy = ts_graph_create_like (&l->edit, op, op, operands, lift_type (l, op->results[0]->type));
  if (copy == NULL)
    return;
  ts_op_set_attr (l->edit.module, copy, "axis", ts_expr_int (l->edit.module, ts_op_attr_int (op, "axis", 0) + 1, TS_DTYPE_INT32));
  for (guint i = 0; i < op->n_results; i++)
    {
      copy->results[i]->type = lift_type (l, op->results[i]->type);
      remember (l, op->results[i], ts_expr_value (l->edit.module, copy->results[i]));
    }
  ts_graph_edit_check (&l->edit, copy);
}

static gboolean
touches_rows (Lifter *l, const TsOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (lifted_value (l, op->operands[i]) != NULL || ts_type_is (ts_op_operand_type (op, i), TS_TYPE_RANKED))
      return TRUE;
  return FALSE;
}

/* An operand beside tensors: a scalar that is the same for all rows, as the condition of a select may be, gets the result's shape
 * at once. */
static TsExpr *
lift_beside (Lifter *l, TsOp *op, TsExpr *e)
{
  const TsType *type = ts_graph_type_of (e), *result = op->results[0]->type;
  const TsType *shape;

  if (lifted_value (l, e) != NULL || type == NULL || type->kind == TS_TYPE_RANKED || result->kind != TS_TYPE_RANKED)
    return lift (l, op, e);
  shape = lift_type (l, result);
  return ts_graph_make_unary (&l->edit, op, TS_OP_TT_SPLAT, e, with_element (l, shape, type), op);
}

static void
lift_plain (Lifter *l, TsOp *op)
{
  g_autofree TsExpr **operands = g_new (TsExpr *, MAX (op->n_operands, 1u));
  TsOp *copy;

  if (!touches_rows (l, op))
    return; /* uniform: stays as it is */
  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = lift_beside (l, op, op->operands[i]);
  copy = ts_graph_create_like (&l->edit, op, op, operands, lift_type (l, op->results[0]->type));
  if (copy != NULL && ts_graph_edit_check (&l->edit, copy))
    remember (l, op->results[0], ts_expr_value (l->edit.module, copy->results[0]));
}

static void lift_block (Lifter *l, TsBlock *block);

/* The new loop takes over the old body: its operations are lifted in place, then the old ones go. */
static void
lift_for (Lifter *l, TsOp *op)
{
  TsModule *module = l->edit.module;
  TsOp *copy = ts_graph_edit_copy (&l->edit, op), *yield;
  TsBlock *body;

  body = ts_op_body (copy, 0);
  for (guint i = 3; i < op->n_operands; i++)
    {
      TsExpr *init = lift (l, op, op->operands[i]);

      if (init == NULL)
        return;
      copy->operands[i] = init;
      body->args[i - 2]->type = ts_graph_type_of (init);
      remember (l, body->args[i - 2], ts_expr_value (module, body->args[i - 2]));
      copy->results[i - 3]->type = ts_graph_type_of (init);
    }
  ts_block_insert_before (op, copy);
  ts_graph_edit_adopt (&l->edit, copy);
  lift_block (l, body);
  yield = body->last;
  for (guint i = 0; i < yield->n_operands && !l->edit.failed; i++)
    {
      yield->operands[i] = lift (l, yield, yield->operands[i]);
      if (yield->operands[i] == NULL || !ts_type_equal (ts_graph_type_of (yield->operands[i]), copy->results[i]->type))
        ts_graph_edit_fail (&l->edit, "a carried value changes its type");
    }
  for (guint i = 0; i < op->n_results; i++)
    remember (l, op->results[i], ts_expr_value (module, copy->results[i]));
}

static gboolean
lift_op (Lifter *l, TsOp *op)
{
  switch ((int) op->code)
    {
    case TS_OP_ARITH_CONSTANT:
    case TS_OP_TT_MAKE_RANGE:
      lift_source (l, op);
      break;
    case TS_OP_TT_SPLAT:
      lift_splat (l, op);
      break;
    case TS_OP_TT_EXPAND_DIMS:
    case TS_OP_TT_REDUCE:
    case TS_OP_TT_SCAN:
      lift_axis (l, op);
      break;
    case TS_OP_TT_LOAD:
    case TS_OP_TT_STORE:
      lift_access (l, op);
      return TRUE;
    case TS_OP_FOR:
      lift_for (l, op);
      return TRUE;
    default:
      lift_plain (l, op);
    }
  return op->n_results > 0 && g_hash_table_contains (l->map, op->results[0]);
}

/* Lifts every operation before its original and notes the originals for erasure, last first. */
static void
lift_block (Lifter *l, TsBlock *block)
{
  g_autofree TsOp **ops = ts_block_ops (block);
  guint n = block->n_ops;
  g_autoptr (GPtrArray) old = g_ptr_array_new ();

  for (guint i = 0; i < n && !l->edit.failed; i++)
    if (!ts_op_is_terminator (ops[i]) && lift_op (l, ops[i]))
      g_ptr_array_add (old, ops[i]);
  for (guint i = old->len; i-- > 0;)
    ts_graph_edit_erase (&l->edit, g_ptr_array_index (old, i));
}

/* H rows from pid * H on, and which of them exist. Behind both the program id and the count: before the guard. */
static void
make_prologue (Lifter *l)
{
  const TsRowMatch *r = l->match;
  TsOp *at = r->guard;
  TsGraphEdit *edit = &l->edit;
  const TsType *i32 = ts_type_scalar (edit->module, TS_DTYPE_INT32);
  gint64 rows = r->rows;
  const TsType *vector = ts_graph_tensor_type (edit->module, &rows, 1, i32);
  TsExpr *factor = ts_graph_make_constant (edit, at, rows, TS_DTYPE_INT32, r->pid);
  TsExpr *first
      = ts_graph_make_binary (edit, at, TS_OP_ARITH_MULI, ts_expr_value (edit->module, r->pid->results[0]), factor, i32, r->pid);
  TsExpr *range = ts_graph_make_range (edit, at, 0, rows, r->pid);
  TsExpr *splat = ts_graph_make_unary (edit, at, TS_OP_TT_SPLAT, first, vector, r->pid);
  TsExpr *numbers = ts_graph_make_binary (edit, at, TS_OP_ARITH_ADDI, splat, range, vector, r->pid);
  TsExpr *count = ts_graph_make_unary (edit, at, TS_OP_TT_SPLAT, ts_expr_value (edit->module, r->count), vector, r->pid);
  TsExpr *operands[] = { numbers, count };
  TsOp *mask
      = ts_graph_create (edit, at, TS_OP_ARITH_CMPI, operands, 2,
                         ts_graph_tensor_type (edit->module, &rows, 1, ts_type_scalar (edit->module, TS_DTYPE_BOOL)), r->pid);

  if (mask == NULL)
    return;
  ts_op_add_attr (edit->module, mask, "predicate", ts_expr_int (edit->module, 2 /* slt */, TS_DTYPE_INT64));
  l->mask = ts_graph_result (edit, mask);
  remember (l, r->pid->results[0], numbers);
  remember (l, r->count, count);
}

static void
replace_branch (Lifter *l)
{
  TsOp *branch = l->match->branch;
  TsOp *jump = ts_graph_create (&l->edit, branch, TS_OP_CF_BR, NULL, 0, NULL, branch);

  if (jump == NULL)
    return;
  jump->n_successors = 1;
  jump->successors = ts_arena_array (l->edit.module->arena, TsBlock *, 1);
  jump->successors[0] = l->match->work;
  ts_graph_edit_erase (&l->edit, branch);
  ts_graph_edit_erase (&l->edit, l->match->guard);
}

static void
set_module_attrs (TsModule *module, TsModulePart *part, const TsRowMatch *match)
{
  const struct { const char *key; gint64 value; } added[] = {
    { TS_ROW_AXIS, match->axis }, { TS_ROW_FACTOR, match->rows }, { TS_ROW_CEIL_DIV, 1 },
  };
  TsAttr *attrs = ts_arena_array (module->arena, TsAttr, part->n_attrs + G_N_ELEMENTS (added));
  guint n = part->n_attrs;

  if (n > 0)
    memcpy (attrs, part->attrs, sizeof (TsAttr) * n);
  for (guint i = 0; i < G_N_ELEMENTS (added); i++)
    {
      guint at = n++;

      while (at > 0 && strcmp (attrs[at - 1].key, added[i].key) > 0)
        {
          attrs[at] = attrs[at - 1];
          at--;
        }
      attrs[at] = (TsAttr) { .key = ts_module_intern (module, added[i].key),
                             .value = ts_expr_int (module, added[i].value, TS_DTYPE_INT32) };
    }
  part->attrs = attrs;
  part->n_attrs = n;
}

gboolean
ts_row_rewrite (TsGraph *graph, const TsRowMatch *match)
{
  Lifter l = { .match = match };
  gboolean done;

  l.map = g_hash_table_new (NULL, NULL);
  ts_graph_edit_begin (&l.edit, graph);
  make_prologue (&l);
  if (!l.edit.failed)
    lift_block (&l, match->work);
  replace_branch (&l);
  done = ts_graph_edit_commit (&l.edit);
  if (done)
    set_module_attrs (graph->module, &graph->module->parts[graph->function->part], match);
  g_hash_table_unref (l.map);
  return done;
}

/* --- rule ------------------------------------------------------------------------------------------------------------------ */

static gboolean
is_guard_candidate (TsOp *op, gpointer data)
{
  const TsOp **found = data;

  if (*found == NULL && op->code == TS_OP_TT_GET_PROGRAM_ID)
    *found = op;
  return TRUE;
}

static void
find (TsGraph *graph, GPtrArray *plans)
{
  TsGraphReason reason;
  const TsOp *at, *candidate = NULL;
  TsRowMatch *match = ts_row_match (graph, &reason, &at);

  if (match != NULL)
    {
      ts_graph_add_plan (plans, &ts_graph_row_coalescing, match->guard, 1, match);
      return;
    }
  ts_region_walk (&graph->function->body, is_guard_candidate, &candidate);
  ts_graph_reject (graph, &ts_graph_row_coalescing, candidate, 0, reason, at);
}

static gboolean
revalidate (TsGraph *graph, const TsGraphPlan *plan)
{
  const TsRowMatch *old = plan->data;
  TsGraphReason reason;
  const TsOp *at;
  g_autofree TsRowMatch *again = ts_row_match (graph, &reason, &at);

  return again != NULL && again->pid == old->pid && again->guard == old->guard && again->branch == old->branch
         && again->work == old->work && again->rows == old->rows;
}

static gboolean
apply (TsGraph *graph, const TsGraphPlan *plan)
{
  return ts_row_rewrite (graph, plan->data);
}

static void
describe (const TsGraphPlan *plan, GString *out)
{
  const TsRowMatch *match = plan->data;

  g_string_append_printf (out, " axis=%" G_GINT64_FORMAT " rows-per-program=%" G_GINT64_FORMAT
                               " entry-contract=public-unique-pid factor=%" G_GINT64_FORMAT " ceil-div=1",
                          match->axis, match->rows, match->rows);
}

const TsGraphRule ts_graph_row_coalescing = {
  .bit = 8,
  .name = "RowCoalescing",
  .once = TRUE,
  .find = find,
  .revalidate = revalidate,
  .apply = apply,
  .describe = describe,
  .free_data = g_free,
};
