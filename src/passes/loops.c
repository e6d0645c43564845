/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers of the passes over pipeline loops. */
#include "passes/loops.h"

#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "ir/build.h"
#include "ir/op-info.h"

static gboolean
find_jump (TsOp *op, gpointer data)
{
  TsOp **found = data;
  if (*found == NULL && ts_op_is_jump (op))
    *found = op;
  return *found == NULL && !ts_op_is_loop (op);
}

TsOp *
ts_jump_of (const TsOp *op)
{
  TsOp *found = NULL;
  ts_op_walk_regions ((TsOp *) op, find_jump, &found);
  return found;
}

static gboolean
find_return (TsOp *op, gpointer data)
{
  const TsOp **found = data;
  if (*found == NULL && op->code == TS_OP_RETURN)
    *found = op;
  return *found == NULL;
}

const TsOp *
ts_exit_of (const TsOp *loop)
{
  const TsOp *found = ts_jump_of (loop);
  if (found == NULL)
    ts_block_walk (ts_op_body (loop, 0), find_return, &found);
  return found;
}

TsCarries
ts_loop_carries (const TsOp *op)
{
  TsCarries c = { 0, op->code == TS_OP_FOR ? TS_FOR_INITS : 0, op->code == TS_OP_FOR ? 1 : 0 };
  guint n_args = ts_op_is_loop (op) ? ts_op_body (op, 0)->n_args : 0;
  if (op->n_operands > c.first_init && n_args > c.first_arg)
    c.n = MIN (op->n_operands - c.first_init, n_args - c.first_arg);
  return c;
}

void
ts_loop_demote (TsOp *loop)
{
  loop->sub = TS_LOOP_SEQUENTIAL;
  ts_op_remove_attr (loop, TS_ATTR_STAGES);
}

void
ts_loop_strip_policy (TsOp *loop)
{
  ts_op_remove_attr (loop, TS_ATTR_OVERLAP_STORES);
  ts_op_remove_attr (loop, TS_ATTR_DOUBLE_BUFFER_C);
}

TsExpr *
ts_literal_like (TsModule *module, const TsExpr *like, gint64 n)
{
  TsDtype dtype = ts_dtype_is_integer (like->dtype) ? like->dtype : TS_DTYPE_INDEX;
  return ts_expr_int (module, n, dtype);
}

static gboolean
is_index (TsDtype dtype)
{
  return dtype == TS_DTYPE_INDEX || dtype == TS_DTYPE_INT64;
}

TsExpr *
ts_promoted_binary (TsModule *module, TsOperator op, TsExpr *a, TsExpr *b)
{
  if (a->dtype != b->dtype && a->dtype != TS_DTYPE_NONE && b->dtype != TS_DTYPE_NONE
      && !(is_index (a->dtype) && is_index (b->dtype)))
    {
      if (ts_dtype_bits (a->dtype) >= ts_dtype_bits (b->dtype))
        b = ts_expr_cast (module, b, a->dtype);
      else
        a = ts_expr_cast (module, a, b->dtype);
    }
  return ts_expr_binary (module, op, a, b);
}

void
ts_op_made_from (TsOp *op, const TsOp *source)
{
  op->span = source->span;
  op->origin = source->origin;
}

TsOp *
ts_assign_to (TsModule *module, TsValue *target, TsExpr *value, const TsOp *source)
{
  TsOp *op = ts_op_new (module, TS_OP_ASSIGN, NULL, &value, 1);
  target->def = NULL;
  ts_op_add_result_value (module, op, target);
  ts_op_made_from (op, source);
  return op;
}

guint
ts_op_depth (const TsOp *op)
{
  guint depth = 0;
  for (op = ts_op_parent (op); op != NULL; op = ts_op_parent (op))
    depth++;
  return depth;
}

guint
ts_op_height (const TsOp *op)
{
  guint height = 0;
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      {
        height = MAX (height, 1);
        for (const TsOp *inner = op->regions[r].blocks[b]->first; inner != NULL; inner = inner->next)
          {
            /* Not within MAX, which would ask twice at every level. */
            guint levels = inner->n_regions > 0 ? 1 + ts_op_height (inner) : 0;
            height = MAX (height, levels);
          }
      }
  return height;
}

gboolean
ts_op_is_any_call (const TsOp *op)
{
  switch ((int) op->code)
    {
    case TS_OP_CALL:
    case TS_OP_SUBMIT:
    case TS_OP_SPMD_SUBMIT:
    case TS_OP_UNKNOWN:
      return TRUE;
    default:
      return ts_op_info (op->code)->dialect != TS_DIALECT_STRUCTURAL;
    }
}

gboolean
ts_op_makes_tile (const TsOp *op)
{
  return op->n_results == 1 && ts_type_is_tile (op->results[0]->type) && ts_op_is_any_call (op);
}

gboolean
ts_op_is_accumulation (const TsOp *op)
{
  return op->n_results == 1 && (ts_op_info (op->code)->flags & TS_OPF_MATMUL) != 0 && ts_type_is_tile (op->results[0]->type)
         && op->results[0]->type->space == TS_SPACE_ACC;
}

/* --- membership -------------------------------------------------------------------------------------------------------------- */

static TsExpr *
extend_membership (TsModule *module, const TsExpr *old, TsStage pair)
{
  guint n = old->kind == TS_EXPR_MEMBERSHIP ? old->n : 0;
  g_autofree TsStage *pairs = g_new (TsStage, n + 1);
  if (n > 0)
    memcpy (pairs, old->pairs, sizeof *pairs * n);
  pairs[n] = pair;

  /* A text that is not canonical is kept as it stands, with the pair behind it. */
  const char *text = NULL;
  if (old->kind == TS_EXPR_MEMBERSHIP)
    text = old->raw;
  else if (old->kind == TS_EXPR_STRING || old->kind == TS_EXPR_TEXT)
    text = old->text;
  g_autofree char *raw = NULL;
  if (text != NULL)
    raw = *text != '\0' ? g_strdup_printf ("%s;%d:%d", text, pair.group, pair.stage)
                        : g_strdup_printf ("%d:%d", pair.group, pair.stage);
  return ts_expr_membership (module, pairs, n + 1, raw);
}

void
ts_tag (TsModule *module, TsOp *op, TsStage pair, TsTagCache *cache)
{
  const TsExpr *old = op->n_attrs > 0 ? ts_op_attr (op, TS_ATTR_MEMBERSHIP) : NULL;
  if (old != NULL)
    {
      TsExpr *extended = extend_membership (module, old, pair);
      ts_op_remove_attr (op, TS_ATTR_MEMBERSHIP);
      ts_op_add_attr (module, op, TS_ATTR_MEMBERSHIP, extended);
      return;
    }
  if (cache->attr == NULL || cache->pair.group != pair.group || cache->pair.stage != pair.stage)
    {
      cache->pair = pair;
      cache->attr = ts_arena_new0 (module->arena, TsAttr);
      cache->attr->key = ts_module_intern (module, TS_ATTR_MEMBERSHIP);
      cache->attr->value = ts_expr_membership (module, &pair, 1, NULL);
    }
  if (op->n_attrs == 0)
    {
      op->attrs = cache->attr;
      op->n_attrs = 1;
    }
  else
    ts_op_add_attr_interned (module, op, cache->attr->key, cache->attr->value);
}

char *
ts_membership_text (const TsOp *op)
{
  guint n;
  const TsStage *pairs = ts_op_membership (op, &n);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%d:%d", i > 0 ? ";" : "", pairs[i].group, pairs[i].stage);
  return g_string_free (text, FALSE);
}

gboolean
ts_room_for (const TsModule *module, gint64 n_ops, gint64 factor)
{
  return ts_add_sat (module->n_ops, ts_mul_sat (n_ops, factor)) <= TS_MAX_PASS_OPS;
}
