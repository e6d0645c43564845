/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies within a module. The substitution is an array by value id, with a list of what was set, so that a reset is cheap. */
#include "ir/clone.h"

#include "ir/build.h"
#include "ir/module-private.h"

struct TsCloner
{
  TsModule *module;
  GArray   *map;     /* TsExpr * by value id */
  GArray   *touched; /* ids set since the last reset */
  gboolean  keep_definitions;
  gint      clone_number;
};

TsCloner *
ts_cloner_new (TsModule *module)
{
  TsCloner *cloner = g_new0 (TsCloner, 1);

  cloner->module = module;
  cloner->map = g_array_new (FALSE, TRUE, sizeof (TsExpr *));
  cloner->touched = g_array_new (FALSE, FALSE, sizeof (gint32));
  cloner->clone_number = -1;
  return cloner;
}

void
ts_cloner_free (TsCloner *cloner)
{
  if (cloner == NULL)
    return;
  g_array_unref (cloner->map);
  g_array_unref (cloner->touched);
  g_free (cloner);
}

void
ts_cloner_reset (TsCloner *cloner)
{
  for (guint i = 0; i < cloner->touched->len; i++)
    g_array_index (cloner->map, TsExpr *, g_array_index (cloner->touched, gint32, i)) = NULL;
  g_array_set_size (cloner->touched, 0);
}

void
ts_cloner_set (TsCloner *cloner, const TsValue *value, TsExpr *replacement)
{
  guint id = (guint) value->id;

  if (id >= cloner->map->len)
    g_array_set_size (cloner->map, MAX (id + 1, MIN ((guint) cloner->module->n_values, 2 * cloner->map->len + 64)));
  if (g_array_index (cloner->map, TsExpr *, id) == NULL)
    g_array_append_val (cloner->touched, value->id);
  g_array_index (cloner->map, TsExpr *, id) = replacement;
}

TsExpr *
ts_cloner_get (const TsCloner *cloner, const TsValue *value)
{
  return (guint) value->id < cloner->map->len ? g_array_index (cloner->map, TsExpr *, value->id) : NULL;
}

void
ts_cloner_set_keep_definitions (TsCloner *cloner, gboolean keep)
{
  cloner->keep_definitions = keep;
}

void
ts_cloner_set_clone_number (TsCloner *cloner, gint number)
{
  cloner->clone_number = number;
}

/* --- expressions ----------------------------------------------------------------------------------------------------------- */

/* Returns the array itself when no entry changes. */
static TsExpr **
clone_exprs (TsCloner *cloner, TsExpr **exprs, guint n)
{
  TsExpr **copy = NULL;

  for (guint i = 0; exprs != NULL && i < n; i++)
    {
      TsExpr *e = ts_cloner_expr (cloner, exprs[i]);

      if (e != exprs[i] && copy == NULL)
        copy = ts_array_copy (cloner->module, exprs, n, sizeof (TsExpr *));
      if (copy != NULL)
        copy[i] = e;
    }
  return copy != NULL ? copy : exprs;
}

static TsExpr *
clone_unary (TsCloner *cloner, TsExpr *e)
{
  TsModule *module = cloner->module;
  TsExpr *x = ts_cloner_expr (cloner, e->items[0]);

  if (x == e->items[0])
    return e;
  switch ((int) e->kind)
    {
    case TS_EXPR_CAST:
      return ts_expr_cast (module, x, (TsDtype) e->dtype);
    case TS_EXPR_GET:
      return ts_expr_get (module, x, e->n);
    default:
      return ts_expr_unary (module, (TsOperator) e->op, x);
    }
}

static TsExpr *
clone_binary (TsCloner *cloner, TsExpr *e)
{
  TsExpr *a = ts_cloner_expr (cloner, e->items[0]);
  TsExpr *b = ts_cloner_expr (cloner, e->items[1]);
  TsExpr *copy;

  if (a == e->items[0] && b == e->items[1])
    return e;
  copy = ts_expr_binary (cloner->module, (TsOperator) e->op, a, b);
  copy->dtype = e->dtype;
  return copy;
}

TsExpr *
ts_cloner_expr (TsCloner *cloner, TsExpr *e)
{
  if (e == NULL || !e->has_values)
    return e;
  switch ((int) e->kind)
    {
    case TS_EXPR_VALUE:
      {
        TsExpr *replacement = ts_cloner_get (cloner, e->value);

        return replacement != NULL ? replacement : e;
      }
    case TS_EXPR_BINARY:
      return clone_binary (cloner, e);
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET:
      return clone_unary (cloner, e);
    case TS_EXPR_LIST:
      {
        TsExpr **list = clone_exprs (cloner, e->list, e->n);

        return list == e->list ? e : ts_expr_list_like (cloner->module, e, list, e->n);
      }
    case TS_EXPR_CALL:
      return ts_expr_call (cloner->module, ts_cloner_op (cloner, e->call));
    default:
      return e;
    }
}

/* --- types ----------------------------------------------------------------------------------------------------------------- */

static const TsView *
clone_view (TsCloner *cloner, const TsView *view)
{
  TsView copy;

  if (view == NULL)
    return NULL;
  copy = *view;
  copy.valid_shape = clone_exprs (cloner, view->valid_shape, view->n_valid);
  copy.stride = clone_exprs (cloner, view->stride, view->n_stride);
  copy.start_offset = clone_exprs (cloner, view->start_offset, view->n_start_offset);
  if (copy.valid_shape == view->valid_shape && copy.stride == view->stride && copy.start_offset == view->start_offset)
    return view;
  return ts_arena_memdup (cloner->module->arena, &copy, sizeof copy);
}

static const TsMemRef *
clone_memref (TsCloner *cloner, const TsMemRef *memref)
{
  TsMemRef copy;
  TsValue *base;

  if (memref == NULL)
    return NULL;
  copy = *memref;
  base = ts_expr_as_value (ts_cloner_get (cloner, memref->base));
  if (base != NULL)
    copy.base = base;
  copy.offset = ts_cloner_expr (cloner, memref->offset);
  copy.slot_index = ts_cloner_expr (cloner, memref->slot_index);
  if (copy.base == memref->base && copy.offset == memref->offset && copy.slot_index == memref->slot_index)
    return memref;
  return ts_memref_copy (cloner->module, &copy);
}

static const TsType **
clone_elems (TsCloner *cloner, const TsType *type)
{
  const TsType **copy = NULL;

  for (guint i = 0; i < type->n_elems; i++)
    {
      const TsType *elem = ts_cloner_type (cloner, type->elems[i]);

      if (elem != type->elems[i] && copy == NULL)
        copy = ts_arena_memdup (cloner->module->arena, type->elems, sizeof (TsType *) * type->n_elems);
      if (copy != NULL)
        copy[i] = elem;
    }
  return copy != NULL ? copy : type->elems;
}

const TsType *
ts_cloner_type (TsCloner *cloner, const TsType *type)
{
  TsType copy;

  if (type == NULL || !type->has_values || cloner->touched->len == 0)
    return type;
  copy = *type;
  copy.dims = clone_exprs (cloner, type->dims, type->rank);
  copy.view = clone_view (cloner, type->view);
  copy.memref = clone_memref (cloner, type->memref);
  copy.elems = clone_elems (cloner, type);
  if (copy.dims == type->dims && copy.view == type->view && copy.memref == type->memref && copy.elems == type->elems)
    return type;
  return ts_arena_memdup (cloner->module->arena, &copy, sizeof copy);
}

/* --- operations ------------------------------------------------------------------------------------------------------------ */

static TsAttr *
clone_attrs (TsCloner *cloner, const TsAttr *attrs, guint n)
{
  TsAttr *copy = ts_array_copy (cloner->module, attrs, n, sizeof (TsAttr));

  for (guint i = 0; i < n; i++)
    copy[i].value = ts_cloner_expr (cloner, copy[i].value);
  return copy;
}

static void
clone_args (TsCloner *cloner, const TsBlock *from, TsBlock *to)
{
  for (guint i = 0; i < from->n_args; i++)
    {
      const TsValue *old = from->args[i];
      TsValue *fresh = ts_block_add_arg (cloner->module, to, old->hint, ts_cloner_type (cloner, old->type));

      ts_cloner_set (cloner, old, ts_expr_value (cloner->module, fresh));
    }
}

static void
clone_regions (TsCloner *cloner, const TsOp *op, TsOp *copy)
{
  for (guint r = 0; r < op->n_regions; r++)
    {
      const TsRegion *from = &op->regions[r];
      TsRegion *to;

      ts_op_add_region (cloner->module, copy);
      to = &copy->regions[r];
      for (guint b = 1; b < from->n_blocks; b++)
        ts_region_add_block (cloner->module, to);
      for (guint b = 0; b < from->n_blocks; b++)
        clone_args (cloner, from->blocks[b], to->blocks[b]);
      for (guint b = 0; b < from->n_blocks; b++)
        {
          to->blocks[b]->label = from->blocks[b]->label;
          ts_cloner_block (cloner, from->blocks[b], to->blocks[b]);
        }
    }
}

static void
clone_results (TsCloner *cloner, const TsOp *op, TsOp *copy)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      TsValue *old = op->results[i];
      TsValue *fresh;

      if (cloner->keep_definitions)
        {
          ts_op_add_result_value (cloner->module, copy, old);
          continue;
        }
      fresh = ts_value_new_like (cloner->module, TS_VALUE_RESULT, old, ts_cloner_type (cloner, old->type));
      ts_op_add_result_value (cloner->module, copy, fresh);
      ts_cloner_set (cloner, old, ts_expr_value (cloner->module, fresh));
    }
}

TsOp *
ts_cloner_op (TsCloner *cloner, const TsOp *op)
{
  TsModule *module = cloner->module;
  TsOp *copy = ts_arena_memdup (module->arena, op, sizeof *op);

  copy->prev = copy->next = NULL;
  copy->block = NULL;
  copy->id = module->n_ops++;
  copy->operands = ts_array_copy (module, op->operands, op->n_operands, sizeof (TsExpr *));
  for (guint i = 0; i < op->n_operands; i++)
    copy->operands[i] = ts_cloner_expr (cloner, op->operands[i]);
  copy->keywords = clone_attrs (cloner, op->keywords, op->n_keywords);
  copy->attrs = clone_attrs (cloner, op->attrs, op->n_attrs);
  copy->comments = ts_array_copy (module, op->comments, op->n_comments, sizeof (char *));
  if (cloner->clone_number >= 0)
    copy->origin.clone = cloner->clone_number;
  copy->regions = NULL;
  copy->n_regions = 0;
  clone_regions (cloner, op, copy);
  copy->results = NULL;
  copy->n_results = 0;
  clone_results (cloner, op, copy);
  return copy;
}

/* A branch names blocks of its own region: the copy names the block at the same place of the copied region. */
static void
map_successors (TsCloner *cloner, const TsOp *op, TsOp *copy)
{
  if (op->n_successors == 0)
    return;
  copy->successors = ts_array_copy (cloner->module, op->successors, op->n_successors, sizeof (TsBlock *));
  for (guint i = 0; i < op->n_successors; i++)
    if (op->successors[i]->region == op->block->region && op->successors[i]->index < copy->block->region->n_blocks)
      copy->successors[i] = copy->block->region->blocks[op->successors[i]->index];
}

void
ts_cloner_block (TsCloner *cloner, const TsBlock *from, TsBlock *to)
{
  for (const TsOp *op = from->first; op != NULL; op = op->next)
    {
      TsOp *copy = ts_cloner_op (cloner, op);

      ts_block_append (to, copy);
      if (from != to)
        map_successors (cloner, op, copy);
    }
}

static gboolean
rewrite_op (TsOp *op, gpointer data)
{
  TsCloner *cloner = data;

  for (guint i = 0; i < op->n_operands; i++)
    op->operands[i] = ts_cloner_expr (cloner, op->operands[i]);
  for (guint i = 0; i < op->n_keywords; i++)
    op->keywords[i].value = ts_cloner_expr (cloner, op->keywords[i].value);
  for (guint i = 0; i < op->n_attrs; i++)
    op->attrs[i].value = ts_cloner_expr (cloner, op->attrs[i].value);
  for (guint i = 0; i < op->n_results; i++)
    op->results[i]->type = ts_cloner_type (cloner, op->results[i]->type);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      {
        TsBlock *block = op->regions[r].blocks[b];

        for (guint i = 0; i < block->n_args; i++)
          block->args[i]->type = ts_cloner_type (cloner, block->args[i]->type);
      }
  return TRUE;
}

void
ts_cloner_rewrite_only (TsCloner *cloner, TsOp *op)
{
  rewrite_op (op, cloner);
}

void
ts_cloner_rewrite (TsCloner *cloner, TsOp *op)
{
  if (rewrite_op (op, cloner))
    ts_op_walk_regions (op, rewrite_op, cloner);
}
