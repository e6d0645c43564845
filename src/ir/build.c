/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making and linking. Arrays that grow one by one double in the arena; the old copies are the price of one-call freeing. */
#include "ir/build.h"

#include <string.h>

#include "base/limits.h"
#include "ir/module-private.h"
#include "ir/op-info.h"

/* Appends to an arena array whose capacity is the next power of two of its length: no capacity field is needed. */
static gpointer
append_slot (TsModule *module, gpointer *array, guint n, gsize size)
{
  if ((n & (n - 1)) == 0) /* 0, 1, 2, 4, 8, ...: full */
    {
      gpointer grown = ts_arena_alloc (module->arena, size * MAX (2u * n, 1u));

      if (n > 0)
        memcpy (grown, *array, size * n);
      *array = grown;
    }
  return (char *) *array + size * n;
}

gpointer
ts_array_copy (TsModule *module, gconstpointer array, gsize n, gsize size)
{
  gpointer copy;

  if (n == 0)
    return NULL;
  copy = ts_arena_alloc (module->arena, ts_array_room (n) * size);
  memcpy (copy, array, n * size);
  return copy;
}

static TsValue *
new_value (TsModule *module, TsValueKind kind, const char *interned_hint, const TsType *type)
{
  TsValue *value = ts_arena_new0 (module->arena, TsValue);

  value->kind = kind;
  value->hint = interned_hint;
  value->type = type;
  value->id = module->n_values++;
  return value;
}

TsValue *
ts_value_new (TsModule *module, TsValueKind kind, const char *hint, const TsType *type)
{
  return new_value (module, kind, ts_module_intern (module, hint), type);
}

TsValue *
ts_value_new_like (TsModule *module, TsValueKind kind, const TsValue *like, const TsType *type)
{
  return new_value (module, kind, like->hint, type);
}

TsValue *
ts_function_add_param (TsModule *module, TsFunction *function, const char *hint, const TsType *type, TsDirection direction)
{
  TsValue *value = ts_value_new (module, TS_VALUE_PARAM, hint, type);

  value->index = function->n_params;
  *(TsValue **) append_slot (module, (gpointer *) &function->params, function->n_params, sizeof (TsValue *)) = value;
  *(guint8 *) append_slot (module, (gpointer *) &function->directions, function->n_params, 1) = (guint8) direction;
  function->n_params++;
  return value;
}

void
ts_function_set_returns (TsModule *module, TsFunction *function, const TsType *const *types, guint n)
{
  function->returns = ts_array_copy (module, types, n, sizeof (TsType *));
  function->n_returns = n;
}

TsOp *
ts_op_new (TsModule *module, TsOpCode code, const char *name, TsExpr *const *operands, guint n_operands)
{
  TsOp *op = ts_arena_new0 (module->arena, TsOp);

  op->code = code;
  op->id = module->n_ops++;
  op->name = name != NULL ? ts_module_intern (module, name) : ts_module_intern (module, ts_op_info (code)->name);
  op->span = TS_SPAN_NONE;
  op->origin = (TsOrigin) { -1, 0, NULL };
  ts_op_set_operands (module, op, operands, n_operands);
  return op;
}

void
ts_op_set_operands (TsModule *module, TsOp *op, TsExpr *const *operands, guint n)
{
  op->operands = ts_array_copy (module, operands, n, sizeof (TsExpr *));
  op->n_operands = n;
}

void
ts_op_add_operand (TsModule *module, TsOp *op, TsExpr *operand)
{
  *(TsExpr **) append_slot (module, (gpointer *) &op->operands, op->n_operands, sizeof (TsExpr *)) = operand;
  op->n_operands++;
}

void
ts_op_add_result_value (TsModule *module, TsOp *op, TsValue *value)
{
  if (value->def == NULL)
    {
      value->def = op;
      value->index = op->n_results;
    }
  *(TsValue **) append_slot (module, (gpointer *) &op->results, op->n_results, sizeof (TsValue *)) = value;
  op->n_results++;
}

TsValue *
ts_op_add_result (TsModule *module, TsOp *op, const char *hint, const TsType *type)
{
  TsValue *value = ts_value_new (module, TS_VALUE_RESULT, hint, type);

  ts_op_add_result_value (module, op, value);
  return value;
}

void
ts_op_set_results (TsModule *module, TsOp *op, TsValue *const *results, guint n)
{
  op->results = NULL;
  op->n_results = 0;
  for (guint i = 0; i < n; i++)
    {
      results[i]->def = NULL;
      ts_op_add_result_value (module, op, results[i]);
    }
}

static TsAttr *
append_attr (TsModule *module, TsAttr **attrs, guint16 *n)
{
  TsAttr *attr = append_slot (module, (gpointer *) attrs, *n, sizeof (TsAttr));

  (*n)++;
  return attr;
}

void
ts_op_add_keyword (TsModule *module, TsOp *op, const char *key, TsExpr *value)
{
  *append_attr (module, &op->keywords, &op->n_keywords) = (TsAttr) { .key = ts_module_intern (module, key), .value = value };
}

void
ts_op_add_attr (TsModule *module, TsOp *op, const char *key, TsExpr *value)
{
  *append_attr (module, &op->attrs, &op->n_attrs) = (TsAttr) { .key = ts_module_intern (module, key), .value = value };
}

void
ts_op_add_attr_interned (TsModule *module, TsOp *op, const char *key, TsExpr *value)
{
  *append_attr (module, &op->attrs, &op->n_attrs) = (TsAttr) { .key = key, .value = value };
}

void
ts_op_add_comment (TsModule *module, TsOp *op, const char *text)
{
  if (op->n_comments == G_MAXUINT16)
    return;
  *(const char **) append_slot (module, (gpointer *) &op->comments, op->n_comments, sizeof (char *))
      = ts_module_intern (module, text);
  op->n_comments++;
}

TsBlock *
ts_region_add_block (TsModule *module, TsRegion *region)
{
  TsBlock *block = ts_arena_new0 (module->arena, TsBlock);

  block->region = region;
  block->index = region->n_blocks;
  *(TsBlock **) append_slot (module, (gpointer *) &region->blocks, region->n_blocks, sizeof (TsBlock *)) = block;
  region->n_blocks++;
  return block;
}

TsBlock *
ts_op_add_region (TsModule *module, TsOp *op)
{
  TsRegion *region = append_slot (module, (gpointer *) &op->regions, op->n_regions, sizeof (TsRegion));

  /* Growing moved the earlier regions: their blocks point to the old place. */
  for (guint i = 0; i < op->n_regions; i++)
    for (guint b = 0; b < op->regions[i].n_blocks; b++)
      op->regions[i].blocks[b]->region = &op->regions[i];
  op->n_regions++;
  region->op = op;
  return ts_region_add_block (module, region);
}

TsValue *
ts_block_add_arg (TsModule *module, TsBlock *block, const char *hint, const TsType *type)
{
  TsValue *value = ts_value_new (module, TS_VALUE_BLOCK_ARG, hint, type);

  value->block = block;
  value->index = block->n_args;
  *(TsValue **) append_slot (module, (gpointer *) &block->args, block->n_args, sizeof (TsValue *)) = value;
  block->n_args++;
  return value;
}

/* --- linking ------------------------------------------------------------------------------------------------------------------ */

void
ts_block_append (TsBlock *block, TsOp *op)
{
  op->block = block;
  op->prev = block->last;
  op->next = NULL;
  if (block->last != NULL)
    block->last->next = op;
  else
    block->first = op;
  block->last = op;
  block->n_ops++;
}

void
ts_block_insert_before (TsOp *anchor, TsOp *op)
{
  TsBlock *block = anchor->block;

  op->block = block;
  op->next = anchor;
  op->prev = anchor->prev;
  if (anchor->prev != NULL)
    anchor->prev->next = op;
  else
    block->first = op;
  anchor->prev = op;
  block->n_ops++;
}

void
ts_block_insert_after (TsOp *anchor, TsOp *op)
{
  if (anchor->next != NULL)
    ts_block_insert_before (anchor->next, op);
  else
    ts_block_append (anchor->block, op);
}

void
ts_op_unlink (TsOp *op)
{
  TsBlock *block = op->block;

  if (block == NULL)
    return;
  if (op->prev != NULL)
    op->prev->next = op->next;
  else
    block->first = op->next;
  if (op->next != NULL)
    op->next->prev = op->prev;
  else
    block->last = op->prev;
  op->prev = op->next = NULL;
  op->block = NULL;
  block->n_ops--;
}

void
ts_block_splice (TsBlock *to, TsBlock *from)
{
  TsOp *next;

  for (TsOp *op = from->first; op != NULL; op = next)
    {
      next = op->next;
      ts_block_append (to, op);
    }
  from->first = from->last = NULL;
  from->n_ops = 0;
}

void
ts_block_set_order (TsBlock *block, TsOp *const *ops, guint n)
{
  g_assert (n == block->n_ops);
  block->first = block->last = NULL;
  block->n_ops = 0;
  for (guint i = 0; i < n; i++)
    {
      if (i + 8 < n)
        __builtin_prefetch (ops[i + 8], 1); /* the new order jumps about */
      ts_block_append (block, ops[i]);
    }
}

TsOp **
ts_block_ops (const TsBlock *block)
{
  TsOp **ops = g_new (TsOp *, MAX (block->n_ops, 1u));
  guint i = 0;

  for (TsOp *op = block->first; op != NULL; op = ts_op_next_ahead (op))
    ops[i++] = op;
  return ops;
}

/* --- shorthands --------------------------------------------------------------------------------------------------------------- */

TsOp *
ts_build_assign (TsModule *module, TsBlock *block, const char *hint, const TsType *type, TsExpr *value)
{
  TsOp *op = ts_op_new (module, TS_OP_ASSIGN, NULL, &value, 1);

  ts_op_add_result (module, op, hint, type);
  ts_block_append (block, op);
  return op;
}

TsOp *
ts_build_for (TsModule *module, TsBlock *block, TsLoopKind kind, const char *hint, TsDtype dtype, TsExpr *start, TsExpr *stop,
              TsExpr *step)
{
  TsExpr *bounds[] = { start, stop, step };
  TsOp *op = ts_op_new (module, TS_OP_FOR, NULL, bounds, 3);

  op->sub = kind;
  ts_block_add_arg (module, ts_op_add_region (module, op), hint, ts_type_scalar (module, dtype));
  ts_block_append (block, op);
  return op;
}

TsOp *
ts_build_yield (TsModule *module, TsBlock *block, TsExpr *const *values, guint n)
{
  TsOp *op = ts_op_new (module, TS_OP_YIELD, NULL, values, n);

  ts_block_append (block, op);
  return op;
}
