/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions about operations, their attributes, and walking. */
#include "ir/op.h"

#include <string.h>

#include "ir/build.h"
#include "ir/module-private.h"
#include "ir/op-info.h"

TsOp *
ts_op_parent (const TsOp *op)
{
  return op->block != NULL ? op->block->region->op : NULL;
}

TsFunction *
ts_op_function (const TsOp *op)
{
  while (op->block != NULL && op->block->region->op != NULL)
    op = op->block->region->op;
  return op->block != NULL ? op->block->region->function : NULL;
}

TsOp *
ts_block_yield (const TsBlock *block)
{
  return ts_op_is (block->last, TS_OP_YIELD) ? block->last : NULL;
}

gboolean
ts_op_is_terminator (const TsOp *op)
{
  switch ((int) op->code)
    {
    case TS_OP_YIELD:
    case TS_OP_RETURN:
    case TS_OP_BREAK:
    case TS_OP_CONTINUE:
      return TRUE;
    default:
      return (ts_op_info ((TsOpCode) op->code)->flags & TS_OPF_TERMINATOR) != 0;
    }
}

const char *
ts_op_verb (const char *name)
{
  const char *dot = strrchr (name, '.');

  return dot != NULL && dot[1] != '\0' ? dot + 1 : name;
}

gint
ts_value_compare_hints (gconstpointer a, gconstpointer b)
{
  const TsValue *x = *(const TsValue *const *) a, *y = *(const TsValue *const *) b;
  int order = strcmp (x->hint, y->hint);

  return order != 0 ? order : x->id - y->id;
}

/* --- keywords and attributes: short lists, searched in order ---------------------------------------------------------------- */

static TsAttr *
find_attr (TsAttr *attrs, guint n, const char *key)
{
  for (guint i = 0; i < n; i++)
    if (attrs[i].key == key || strcmp (attrs[i].key, key) == 0)
      return &attrs[i];
  return NULL;
}

TsExpr *
ts_op_keyword (const TsOp *op, const char *key)
{
  TsAttr *attr = find_attr (op->keywords, op->n_keywords, key);

  return attr != NULL ? attr->value : NULL;
}

TsExpr *
ts_op_attr (const TsOp *op, const char *key)
{
  TsAttr *attr = find_attr (op->attrs, op->n_attrs, key);

  return attr != NULL ? attr->value : NULL;
}

gint64
ts_op_attr_int (const TsOp *op, const char *key, gint64 fallback)
{
  TsExpr *value = ts_op_attr (op, key);
  gint64 result;

  return value != NULL && ts_expr_fold_int (value, &result) ? result : fallback;
}

gboolean
ts_op_attr_bool (const TsOp *op, const char *key, gboolean fallback)
{
  return ts_op_attr_int (op, key, fallback ? 1 : 0) != 0;
}

void
ts_op_set_attr (TsModule *module, TsOp *op, const char *key, TsExpr *value)
{
  const TsAttr *attr = find_attr (op->attrs, op->n_attrs, key);
  gsize index = attr != NULL ? (gsize) (attr - op->attrs) : 0;

  if (attr == NULL)
    {
      ts_op_add_attr (module, op, key, value);
      return;
    }
  op->attrs = ts_array_copy (module, op->attrs, op->n_attrs, sizeof *op->attrs); /* the old ones may be shared */
  op->attrs[index] = (TsAttr) { .key = op->attrs[index].key, .value = value };
}

void
ts_op_set_keyword (TsModule *module, TsOp *op, const char *key, TsExpr *value)
{
  TsAttr *attr = find_attr (op->keywords, op->n_keywords, key);

  if (attr != NULL)
    *attr = (TsAttr) { .key = attr->key, .value = value };
  else
    ts_op_add_keyword (module, op, key, value);
}

gboolean
ts_op_remove_attr (TsOp *op, const char *key)
{
  TsAttr *attr = find_attr (op->attrs, op->n_attrs, key);

  if (attr == NULL)
    return FALSE;
  memmove (attr, attr + 1, sizeof *attr * (gsize) (op->attrs + op->n_attrs - attr - 1));
  op->n_attrs--;
  return TRUE;
}

const TsStage *
ts_op_membership (const TsOp *op, guint *n)
{
  TsExpr *value = ts_op_attr (op, TS_ATTR_MEMBERSHIP);

  if (value == NULL || value->kind != TS_EXPR_MEMBERSHIP)
    {
      *n = 0;
      return NULL;
    }
  *n = value->n;
  return value->pairs;
}

/* --- walking ------------------------------------------------------------------------------------------------------------------ */

void
ts_op_foreach_use (const TsOp *op, TsValueVisitor visit, gpointer data)
{
  for (guint i = 0; i < op->n_operands; i++)
    ts_expr_foreach_value (op->operands[i], visit, data);
  for (guint i = 0; i < op->n_keywords; i++)
    ts_expr_foreach_value (op->keywords[i].value, visit, data);
  for (guint i = 0; i < op->n_attrs; i++)
    ts_expr_foreach_value (op->attrs[i].value, visit, data);
}

void
ts_block_walk (TsBlock *block, TsOpVisitor visit, gpointer data)
{
  TsOp *next;

  for (TsOp *op = block->first; op != NULL; op = next)
    {
      next = op->next; /* the visitor may unlink op */
      if (visit (op, data))
        ts_op_walk_regions (op, visit, data);
    }
}

void
ts_region_walk (TsRegion *region, TsOpVisitor visit, gpointer data)
{
  for (guint i = 0; i < region->n_blocks; i++)
    ts_block_walk (region->blocks[i], visit, data);
}

void
ts_op_walk_regions (TsOp *op, TsOpVisitor visit, gpointer data)
{
  for (guint i = 0; i < op->n_regions; i++)
    ts_region_walk (&op->regions[i], visit, data);
}
