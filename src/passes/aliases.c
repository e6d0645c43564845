/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of one memory: union-find over everything that hands a tile or tensor on under another name. */
#include "passes/aliases.h"

#include "base/disjoint.h"
#include "ir/op-info.h"

typedef struct
{
  const TsModule *module;
  guint32        *class_parent; /* by value id: all that may share memory */
  guint32        *frame_parent; /* by value id: of those, the ones with the same elements at the same indices */
  GArray         *written;      /* guint32: value ids */
} Finding;

/* --- what is written --------------------------------------------------------------------------------------------------------- */

void
ts_op_foreach_written (const TsModule *module, const TsOp *op, TsWrittenFunc func, gpointer data)
{
  guint mask = ts_op_written_arguments (op);
  const TsFunction *callee = ts_op_is_user_call (op) ? ts_module_find_function (module, op->name) : NULL;
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsExpr *e = op->operands[i];
      if (e == NULL)
        continue;
      if (e->kind == TS_EXPR_CALL)
        ts_op_foreach_written (module, e->call, func, data);
      gboolean written = callee != NULL ? i < callee->n_params && callee->directions[i] != TS_DIRECTION_IN
                                        : i < 32 && (mask >> i & 1) != 0;
      TsValue *value = written ? ts_expr_as_value (e) : NULL;
      if (value != NULL)
        func (value, data);
    }
}

/* --- classes ----------------------------------------------------------------------------------------------------------------- */

static gboolean
has_memory (const TsValue *value)
{
  return value != NULL && !ts_type_is_scalar (value->type);
}

static void
join_values (Finding *f, const TsValue *a, const TsValue *b, gboolean same_elements)
{
  if (!has_memory (a) || !has_memory (b))
    return;
  ts_disjoint_join (f->class_parent, (guint32) a->id, (guint32) b->id);
  if (same_elements)
    ts_disjoint_join (f->frame_parent, (guint32) a->id, (guint32) b->id);
}

/* What the block yields, under the names it gets outside. */
static void
join_yield (Finding *f, const TsBlock *block, TsValue *const *to, guint n)
{
  const TsOp *yield = ts_block_yield (block);
  for (guint i = 0; yield != NULL && i < n && i < yield->n_operands; i++)
    join_values (f, ts_expr_as_value (yield->operands[i]), to[i], TRUE);
}

static void
join_loop (Finding *f, const TsOp *op)
{
  guint first_operand = op->code == TS_OP_FOR ? TS_FOR_INITS : 0, first_arg = op->code == TS_OP_FOR ? 1 : 0;
  const TsBlock *body = ts_op_body (op, 0);
  for (guint i = 0; first_operand + i < op->n_operands && first_arg + i < body->n_args; i++)
    {
      const TsValue *carried = body->args[first_arg + i];
      join_values (f, ts_expr_as_value (op->operands[first_operand + i]), carried, TRUE);
      if (i < op->n_results)
        join_values (f, carried, op->results[i], TRUE);
    }
  if (body->n_args > first_arg)
    join_yield (f, body, body->args + first_arg, body->n_args - first_arg);
}

typedef struct
{
  Finding    *f;
  const TsOp *op;
  gboolean    same_elements;
} Writing;

static void
note_written (TsValue *value, gpointer data)
{
  const Writing *writing = data;
  guint32 id = (guint32) value->id;
  g_array_append_val (writing->f->written, id);
  for (guint i = 0; i < writing->op->n_results; i++)
    join_values (writing->f, value, writing->op->results[i], writing->same_elements);
}

static void
join_op (Finding *f, const TsOp *op)
{
  switch ((int) op->code)
    {
    case TS_OP_ASSIGN:
      if (op->n_results == 1 && op->n_operands == 1 && op->operands[0]->kind == TS_EXPR_GET)
        join_values (f, ts_expr_as_value (op->operands[0]->items[0]), op->results[0], FALSE);
      else if (op->n_results == 1 && op->n_operands == 1)
        join_values (f, ts_expr_as_value (op->operands[0]), op->results[0], TRUE);
      break;
    case TS_OP_IF:
      for (guint r = 0; r < op->n_regions; r++)
        join_yield (f, ts_op_body (op, r), op->results, op->n_results);
      return;
    case TS_OP_FOR:
    case TS_OP_WHILE:
      join_loop (f, op);
      return;
    default:
      if (ts_op_info (op->code)->buffer == TS_BUFFER_VIEW && op->n_results == 1 && op->n_operands > 0)
        join_values (f, ts_expr_as_value (op->operands[0]), op->results[0], FALSE);
      break;
    }
  /* A written buffer comes back as the result; what a callee returns may be a view of it. */
  Writing writing = { f, op, !ts_op_is_user_call (op) };
  ts_op_foreach_written (f->module, op, note_written, &writing);
}

static void
join_region (Finding *f, const TsRegion *region)
{
  for (guint b = 0; b < region->n_blocks; b++)
    for (TsOp *op = region->blocks[b]->first; op != NULL; op = ts_op_next_ahead (op))
      {
        join_op (f, op);
        for (guint r = 0; r < op->n_regions; r++)
          join_region (f, &op->regions[r]);
      }
}

TsAliases *
ts_aliases_new (const TsModule *module)
{
  guint n = (guint) module->n_values;
  Finding f = { .module = module };
  f.class_parent = g_new (guint32, MAX (n, 1));
  f.frame_parent = g_new (guint32, MAX (n, 1));
  f.written = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < n; i++)
    f.class_parent[i] = f.frame_parent[i] = i;
  for (guint i = 0; i < module->n_functions; i++)
    join_region (&f, &module->functions[i]->body);

  TsAliases *aliases = g_new0 (TsAliases, 1);
  aliases->n_values = n;
  aliases->n_classes = 1;
  aliases->class_of = g_new0 (guint32, MAX (n, 1));
  for (guint i = 0; i < f.written->len; i++)
    {
      guint32 root = ts_disjoint_root (f.class_parent, g_array_index (f.written, guint32, i));
      if (aliases->class_of[root] == 0)
        aliases->class_of[root] = aliases->n_classes++;
    }
  for (guint i = 0; i < n; i++)
    aliases->class_of[i] = aliases->class_of[ts_disjoint_root (f.class_parent, i)];
  for (guint i = 0; i < n; i++)
    f.frame_parent[i] = ts_disjoint_root (f.frame_parent, i);
  aliases->frame_of = f.frame_parent;
  g_free (f.class_parent);
  g_array_unref (f.written);
  return aliases;
}

void
ts_aliases_free (TsAliases *aliases)
{
  if (aliases == NULL)
    return;
  g_free (aliases->class_of);
  g_free (aliases->frame_of);
  g_free (aliases);
}
