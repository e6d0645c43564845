/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copying a whole module into an arena of its own, with the same ids. Values are made empty on first mention and get their types
 * from a work list, so that types which mention variables (which have types ...) need no recursion. */
#include <string.h>

#include "ir/build.h"
#include "ir/module-private.h"

typedef struct
{
  TsModule    *to;
  TsValue    **values;  /* by id */
  GPtrArray   *pending; /* old values whose copy has no type yet */
  GHashTable  *types;   /* old type to new */
  GHashTable  *memrefs; /* old MemRef to new: identity of the object is kept, as passes rely on it */
  GHashTable  *constants; /* constant expressions of the copy, one of each: bodies repeat shapes, spaces and memberships */
  GHashTable  *nests; /* old list of lists to new: aliases share them, and a tree of them may be exponentially large */
} Copier;

static TsOp *copy_op (Copier *copier, const TsOp *op);

static TsValue *
copy_value (Copier *copier, const TsValue *value)
{
  TsValue **slot = &copier->values[value->id];

  if (*slot == NULL)
    {
      *slot = ts_arena_memdup (copier->to->arena, value, sizeof *value);
      memset (&(*slot)->expr, 0, sizeof (*slot)->expr);
      (*slot)->type = NULL;
      (*slot)->def = NULL;
      (*slot)->block = NULL;
      g_ptr_array_add (copier->pending, (gpointer) value);
    }
  return *slot;
}

static TsExpr *copy_expr (Copier *copier, const TsExpr *e);

static TsExpr **
copy_exprs (Copier *copier, TsExpr *const *exprs, guint n)
{
  TsExpr **copy = exprs != NULL ? ts_array_copy (copier->to, exprs, n, sizeof (TsExpr *)) : NULL;

  for (guint i = 0; copy != NULL && i < n; i++)
    copy[i] = copy_expr (copier, exprs[i]);
  return copy;
}

/* --- constants --------------------------------------------------------------------------------------------------------------- */

static guint
hash_constant (gconstpointer data)
{
  const TsExpr *e = data;
  guint h = e->kind * 31u + e->dtype + e->n * 1031u;

  if (e->kind == TS_EXPR_LIST)
    for (guint i = 0; i < e->n; i++)
      h = h * 33u + g_direct_hash (e->list[i]);
  else if (e->kind == TS_EXPR_MEMBERSHIP)
    for (guint i = 0; i < e->n; i++)
      h = h * 33u + (guint) e->pairs[i].group * 7u + (guint) e->pairs[i].stage;
  else
    h = h * 33u + g_direct_hash (e->text);
  return h;
}

/* Items of a list have been shared before the list: equal ones are the same. */
static gboolean
equal_constants (gconstpointer a, gconstpointer b)
{
  const TsExpr *x = a, *y = b;

  if (x->kind != y->kind || x->dtype != y->dtype || x->n != y->n)
    return FALSE;
  if (x->kind == TS_EXPR_LIST)
    return x->raw == y->raw && memcmp (x->list, y->list, sizeof (TsExpr *) * x->n) == 0;
  if (x->kind == TS_EXPR_MEMBERSHIP)
    return x->raw == y->raw && memcmp (x->pairs, y->pairs, sizeof (TsStage) * x->n) == 0;
  return x->text == y->text;
}

/* Kinds that are worth a look-up; integers of small value are shared anyway. */
static gboolean
is_shared_constant (const TsExpr *e)
{
  switch ((int) e->kind)
    {
    case TS_EXPR_ENUM:
    case TS_EXPR_STRING:
    case TS_EXPR_MEMBERSHIP:
      return TRUE;
    case TS_EXPR_LIST:
      return !e->has_values && e->n > 0 && e->n <= 8;
    default:
      return FALSE;
    }
}

/* The one copy of a constant. Lists are looked up by the copies of their items, which stand on the stack until there is a new
 * one. */
static TsExpr *
copy_constant (Copier *copier, const TsExpr *e)
{
  TsExpr probe = *e;
  TsExpr *items[8];
  TsExpr *copy;

  if (e->kind == TS_EXPR_LIST)
    {
      for (guint i = 0; i < e->n; i++)
        items[i] = copy_expr (copier, e->list[i]);
      probe.list = items;
    }
  copy = g_hash_table_lookup (copier->constants, &probe);
  if (copy != NULL)
    return copy;
  copy = ts_arena_memdup (copier->to->arena, e, sizeof *e);
  if (e->kind == TS_EXPR_LIST)
    copy->list = ts_array_copy (copier->to, items, e->n, sizeof (TsExpr *));
  else if (e->kind == TS_EXPR_MEMBERSHIP)
    copy->pairs = ts_arena_memdup (copier->to->arena, e->pairs, sizeof (TsStage) * e->n);
  g_hash_table_add (copier->constants, copy);
  return copy;
}

static gboolean
is_nest (const TsExpr *e)
{
  for (guint i = 0; e->kind == TS_EXPR_LIST && i < e->n; i++)
    if (e->list[i] != NULL && e->list[i]->kind == TS_EXPR_LIST)
      return TRUE;
  return FALSE;
}

/* What the original shares stays shared. */
static TsExpr *
copy_nest (Copier *copier, const TsExpr *e)
{
  TsExpr *copy = g_hash_table_lookup (copier->nests, e);

  if (copy != NULL)
    return copy;
  copy = ts_arena_memdup (copier->to->arena, e, sizeof *e);
  copy->list = copy_exprs (copier, e->list, e->n);
  g_hash_table_insert (copier->nests, (gpointer) e, copy);
  return copy;
}

static TsExpr *
copy_expr (Copier *copier, const TsExpr *e)
{
  TsModule *to = copier->to;
  TsExpr *copy;

  if (e == NULL)
    return NULL;
  if (e->kind == TS_EXPR_INT && e->n == 0)
    return ts_expr_int (to, e->i, (TsDtype) e->dtype);
  if (e->kind == TS_EXPR_VALUE)
    {
      copy = ts_expr_value (to, copy_value (copier, e->value));
      copy->dtype = e->dtype; /* the variable's type may not be there yet */
      return copy;
    }
  if (is_nest (e))
    return copy_nest (copier, e);
  if (is_shared_constant (e))
    return copy_constant (copier, e);
  copy = ts_arena_memdup (to->arena, e, sizeof *e);
  switch ((int) e->kind)
    {
    case TS_EXPR_BINARY:
      copy->items[1] = copy_expr (copier, e->items[1]);
      G_GNUC_FALLTHROUGH;
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET:
      copy->items[0] = copy_expr (copier, e->items[0]);
      break;
    case TS_EXPR_LIST:
      copy->list = copy_exprs (copier, e->list, e->n);
      break;
    case TS_EXPR_CALL:
      copy->call = copy_op (copier, e->call);
      break;
    default: /* constants and interned texts: the pool is shared */
      break;
    }
  return copy;
}

static const TsMemRef *
copy_memref (Copier *copier, const TsMemRef *memref)
{
  TsMemRef *copy;

  if (memref == NULL)
    return NULL;
  copy = g_hash_table_lookup (copier->memrefs, memref);
  if (copy == NULL)
    {
      copy = ts_arena_memdup (copier->to->arena, memref, sizeof *memref);
      copy->base = copy_value (copier, memref->base);
      copy->offset = copy_expr (copier, memref->offset);
      copy->slot_index = copy_expr (copier, memref->slot_index);
      g_hash_table_insert (copier->memrefs, (gpointer) memref, copy);
    }
  return copy;
}

static const TsView *
copy_view (Copier *copier, const TsView *view)
{
  TsView *copy;

  if (view == NULL)
    return NULL;
  copy = ts_arena_memdup (copier->to->arena, view, sizeof *view);
  copy->valid_shape = copy_exprs (copier, view->valid_shape, view->n_valid);
  copy->stride = copy_exprs (copier, view->stride, view->n_stride);
  copy->start_offset = copy_exprs (copier, view->start_offset, view->n_start_offset);
  return copy;
}

static const TsType *
copy_type (Copier *copier, const TsType *type)
{
  TsType *copy;

  if (type == NULL)
    return NULL;
  if (type->kind == TS_TYPE_SCALAR && type->written == NULL)
    return ts_type_scalar (copier->to, (TsDtype) type->dtype);
  if (type->kind == TS_TYPE_PTR)
    return ts_type_ptr (copier->to);
  copy = g_hash_table_lookup (copier->types, type);
  if (copy != NULL)
    return copy;
  copy = ts_arena_memdup (copier->to->arena, type, sizeof *type);
  g_hash_table_insert (copier->types, (gpointer) type, copy);
  copy->dims = copy_exprs (copier, type->dims, type->rank);
  copy->view = copy_view (copier, type->view);
  copy->memref = copy_memref (copier, type->memref);
  copy->elems = ts_arena_memdup (copier->to->arena, type->elems, sizeof (TsType *) * type->n_elems);
  for (guint i = 0; i < type->n_elems; i++)
    copy->elems[i] = copy_type (copier, type->elems[i]);
  return copy;
}

static TsAttr *
copy_attrs (Copier *copier, const TsAttr *attrs, guint n)
{
  TsAttr *copy = ts_array_copy (copier->to, attrs, n, sizeof (TsAttr));

  for (guint i = 0; i < n; i++)
    copy[i].value = copy_expr (copier, attrs[i].value);
  return copy;
}

static void
copy_block_ops (Copier *copier, const TsBlock *from, TsBlock *to)
{
  for (const TsOp *op = from->first; op != NULL; op = op->next)
    {
      TsOp *copy = copy_op (copier, op);

      ts_block_append (to, copy);
      if (op->n_successors > 0)
        copy->successors = ts_array_copy (copier->to, op->successors, op->n_successors, sizeof (TsBlock *));
      for (guint i = 0; i < op->n_successors; i++)
        copy->successors[i] = to->region->blocks[op->successors[i]->index];
    }
}

/* Fills a region that already has its first block. */
static void
copy_region (Copier *copier, const TsRegion *from, TsRegion *to)
{
  for (guint b = 1; b < from->n_blocks; b++)
    ts_region_add_block (copier->to, to);
  for (guint b = 0; b < from->n_blocks; b++)
    {
      const TsBlock *old = from->blocks[b];
      TsBlock *block = to->blocks[b];

      block->label = old->label;
      block->n_args = old->n_args;
      block->args = ts_array_copy (copier->to, old->args, old->n_args, sizeof (TsValue *));
      for (guint i = 0; i < old->n_args; i++)
        {
          block->args[i] = copy_value (copier, old->args[i]);
          block->args[i]->block = block;
        }
      copy_block_ops (copier, old, block);
    }
}

static TsOp *
copy_op (Copier *copier, const TsOp *op)
{
  TsModule *to = copier->to;
  TsOp *copy = ts_arena_memdup (to->arena, op, sizeof *op);

  copy->prev = copy->next = NULL;
  copy->block = NULL;
  copy->origin = (TsOrigin) { op->id, 0, NULL };
  copy->operands = copy_exprs (copier, op->operands, op->n_operands);
  copy->keywords = copy_attrs (copier, op->keywords, op->n_keywords);
  copy->attrs = copy_attrs (copier, op->attrs, op->n_attrs);
  copy->comments = ts_array_copy (to, op->comments, op->n_comments, sizeof (char *));
  copy->results = ts_array_copy (to, op->results, op->n_results, sizeof (TsValue *));
  for (guint i = 0; i < op->n_results; i++)
    {
      copy->results[i] = copy_value (copier, op->results[i]);
      if (op->results[i]->def == op)
        copy->results[i]->def = copy;
    }
  copy->regions = NULL;
  copy->n_regions = 0;
  for (guint r = 0; r < op->n_regions; r++)
    {
      ts_op_add_region (to, copy);
      copy_region (copier, &op->regions[r], &copy->regions[r]);
    }
  return copy;
}

static void
copy_function (Copier *copier, const TsFunction *function)
{
  TsModule *to = copier->to;
  TsFunction *copy = ts_module_add_function (to, function->name);
  TsRegion body = copy->body;
  gint32 id = copy->id;

  *copy = *function;
  copy->body = body;
  copy->id = id;
  copy->params = ts_array_copy (to, function->params, function->n_params, sizeof (TsValue *));
  copy->directions = ts_array_copy (to, function->directions, function->n_params, 1);
  for (guint i = 0; i < function->n_params; i++)
    copy->params[i] = copy_value (copier, function->params[i]);
  copy->returns = ts_array_copy (to, function->returns, function->n_returns, sizeof (TsType *));
  for (guint i = 0; i < function->n_returns; i++)
    copy->returns[i] = copy_type (copier, function->returns[i]);
  copy->attrs = copy_attrs (copier, function->attrs, function->n_attrs);
  copy->comments = ts_array_copy (to, function->comments, function->n_comments, sizeof (char *));
  copy_region (copier, &function->body, &copy->body);
}

static void
copy_header (const TsModule *module, TsModule *to)
{
  to->name = module->name;
  to->is_program = module->is_program;
  to->prefix = module->prefix;
  to->n_ops = module->n_ops;
  to->n_values = module->n_values;
  to->shared = module->shared != NULL ? ts_arena_ref (module->shared) : NULL;
  to->extra = module->extra;
  for (guint i = 0; i < module->n_sources; i++)
    ts_module_add_source (to, module->sources[i]);
}

TsModule *
ts_module_clone (const TsModule *module)
{
  TsModule *to = ts_module_new (module->language, module->strings);
  Copier copier = { .to = to };

  copy_header (module, to);
  copier.values = g_new0 (TsValue *, MAX (module->n_values, 1));
  copier.pending = g_ptr_array_new ();
  copier.types = g_hash_table_new (NULL, NULL);
  copier.memrefs = g_hash_table_new (NULL, NULL);
  copier.constants = g_hash_table_new (hash_constant, equal_constants);
  copier.nests = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < module->n_parts; i++)
    {
      const TsModulePart *part = &module->parts[i];
      guint at = ts_module_add_part (to);

      to->parts[at] = (TsModulePart) { copy_attrs (&copier, part->attrs, part->n_attrs), part->n_attrs };
    }
  to->symbols = ts_array_copy (to, module->symbols, module->n_symbols, sizeof (TsValue *));
  to->n_symbols = module->n_symbols;
  for (guint i = 0; i < module->n_symbols; i++)
    to->symbols[i] = copy_value (&copier, module->symbols[i]);
  for (guint i = 0; i < module->n_functions; i++)
    copy_function (&copier, module->functions[i]);
  for (guint i = 0; i < copier.pending->len; i++) /* grows while it runs */
    {
      const TsValue *old = g_ptr_array_index (copier.pending, i);

      copier.values[old->id]->type = copy_type (&copier, old->type);
    }
  g_free (copier.values);
  g_ptr_array_unref (copier.pending);
  g_hash_table_unref (copier.types);
  g_hash_table_unref (copier.memrefs);
  g_hash_table_unref (copier.constants);
  g_hash_table_unref (copier.nests);
  return to;
}
