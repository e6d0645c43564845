/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collecting the pairs of intervals that must stay apart. */
#include "passes/memory-rules.h"

#include <string.h>

#include "base/limits.h"
#include "ir/op-info.h"
#include "passes/allocations.h"

typedef struct
{
  guint32 a, b, op;
  guint8  kind;
} Pair;

typedef struct
{
  const TsLifetimes *life;
  TsBackend          backend;
  gboolean           hazards; /* the target has them in this function */
  GArray            *pairs;
} Collect;

const char *
ts_constraint_name (TsConstraintKind kind)
{
  return kind == TS_CONSTRAINT_NO_ALIAS ? "no-alias" : "target-hazard";
}

gboolean
ts_function_is_split (const TsFunction *function)
{
  for (guint i = 0; i < function->n_attrs; i++)
    {
      const TsExpr *value = function->attrs[i].value;
      if (strcmp (function->attrs[i].key, "split_aiv") == 0 && value->kind == TS_EXPR_INT && value->i != 0)
        return TRUE;
      if (strcmp (function->attrs[i].key, "split") == 0
          && ((value->kind == TS_EXPR_ENUM && strcmp (value->text, "SplitMode.NONE") != 0)
              || (value->kind == TS_EXPR_INT && value->i != 0)))
        return TRUE;
    }
  return FALSE;
}

static void
add_pair (Collect *collect, guint32 a, guint32 b, guint32 op, TsConstraintKind kind)
{
  if (a == TS_LIFE_NONE || b == TS_LIFE_NONE || a == b || collect->life->intervals[a].space != collect->life->intervals[b].space)
    return;
  Pair pair = { a, b, op, kind };
  g_array_append_val (collect->pairs, pair);
}

/* The result of `maker` may be `value` itself or a tuple it was taken from. */
static void
add_no_alias (Collect *collect, const TsOp *maker, const TsValue *value, guint32 position)
{
  guint32 output = ts_tile_interval (collect->life, value);
  if (output == TS_LIFE_NONE)
    return;
  for (guint i = 0; i < maker->n_operands; i++)
    {
      guint32 input = ts_tile_interval (collect->life, ts_expr_as_value (maker->operands[i]));
      if (input != TS_LIFE_NONE && input != output && ts_op_forbids_alias (maker, i, collect->backend))
        add_pair (collect, output, input, position, TS_CONSTRAINT_NO_ALIAS);
    }
}

/* The load a tile comes from, directly or through operations that only look at it differently. */
static gboolean
comes_from_load (const TsValue *value)
{
  for (guint hops = 0; value != NULL && value->kind == TS_VALUE_RESULT && value->def != NULL && hops < TS_MAX_NESTING; hops++)
    switch (value->def->code)
      {
      case TS_OP_TILE_LOAD:
        return TRUE;
      case TS_OP_TILE_RESHAPE:
      case TS_OP_TILE_EXTRACT:
      case TS_OP_TILE_SLICE:
      case TS_OP_TILE_FILLPAD:
      case TS_OP_TILE_FILLPAD_INPLACE:
      case TS_OP_TILE_TRANSPOSE_VIEW:
      case TS_OP_TILE_REINTERPRET_VIEW:
      case TS_OP_TENSOR_SLICE:
        value = value->def->n_operands > 0 ? ts_expr_as_value (value->def->operands[0]) : NULL;
        break;
      default:
        return FALSE;
      }
  return FALSE;
}

static gboolean
is_popped (const TsValue *value)
{
  return value != NULL && value->kind == TS_VALUE_RESULT && ts_op_is (value->def, TS_OP_TILE_TPOP_FROM_AIC);
}

static void
add_hazards (Collect *collect, const TsOp *op, guint32 position)
{
  guint32 output = op->n_results == 1 ? ts_tile_interval (collect->life, op->results[0]) : TS_LIFE_NONE;
  gboolean pops = FALSE;
  for (guint i = 0; i < op->n_operands && !pops; i++)
    pops = is_popped (ts_expr_as_value (op->operands[i]));
  if (!pops || output == TS_LIFE_NONE || collect->life->intervals[output].def != position)
    return;
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsValue *value = ts_expr_as_value (op->operands[i]);
      guint32 input = ts_tile_interval (collect->life, value);
      if (input != TS_LIFE_NONE && collect->life->intervals[input].last == position && comes_from_load (value))
        add_pair (collect, output, input, position, TS_CONSTRAINT_TARGET_HAZARD);
    }
}

static void
collect_position (Collect *collect, guint32 position)
{
  const TsOp *op = collect->life->ops[position];
  for (guint i = 0; i < op->n_results; i++)
    {
      const TsExpr *e = op->code == TS_OP_ASSIGN && op->n_operands == 1 ? op->operands[0] : NULL;
      const TsValue *tuple = e != NULL && e->kind == TS_EXPR_GET ? ts_expr_as_value (e->items[0]) : NULL;
      const TsOp *maker = tuple != NULL && tuple->kind == TS_VALUE_RESULT && tuple->def != NULL ? tuple->def : op;
      add_no_alias (collect, maker, op->results[i], position);
    }
  if (collect->hazards)
    add_hazards (collect, op, position);
}

/* Pairs to rows, both directions, by counting. */
static TsConstraints *
rows_of (const GArray *pairs, guint32 n_intervals)
{
  TsConstraints *c = g_new0 (TsConstraints, 1);
  c->n_intervals = n_intervals;
  c->start = g_new0 (guint32, (gsize) n_intervals + 2);
  c->entries = g_new (TsConstraint, (gsize) pairs->len * 2 + 1);
  for (guint i = 0; i < pairs->len; i++)
    {
      const Pair *pair = &g_array_index (pairs, Pair, i);
      c->start[pair->a + 2]++;
      c->start[pair->b + 2]++;
    }
  for (guint32 i = 2; i < n_intervals + 2; i++)
    c->start[i] += c->start[i - 1];
  for (guint i = 0; i < pairs->len; i++)
    {
      const Pair *pair = &g_array_index (pairs, Pair, i);
      c->entries[c->start[pair->a + 1]++] = (TsConstraint) { pair->b, pair->op, pair->kind };
      c->entries[c->start[pair->b + 1]++] = (TsConstraint) { pair->a, pair->op, pair->kind };
    }
  return c;
}

TsConstraints *
ts_constraints_new (const TsPassContext *context, const TsFunction *function, const TsLifetimes *life)
{
  TsBackend backend = ts_machine_backend (context->machine);
  Collect collect = { life, backend, FALSE, g_array_new (FALSE, FALSE, sizeof (Pair)) };
  collect.hazards = backend == TS_BACKEND_A2A3 && function->type == TS_FUNCTION_AIV && ts_function_is_split (function);
  for (guint32 i = 0; i < life->n_positions; i++)
    collect_position (&collect, i);
  TsConstraints *c = rows_of (collect.pairs, life->n_intervals);
  g_array_unref (collect.pairs);
  return c;
}

void
ts_constraints_free (TsConstraints *c)
{
  if (c == NULL)
    return;
  g_free (c->start);
  g_free (c->entries);
  g_free (c);
}

gboolean
ts_stages_differ (const TsLifeInterval *a, const TsLifeInterval *b)
{
  for (guint32 i = 0; i < a->n_stages; i++)
    for (guint32 k = 0; k < b->n_stages; k++)
      if (a->stages[i].group == b->stages[k].group && a->stages[i].stage != b->stages[k].stage)
        return TRUE;
  return FALSE;
}
