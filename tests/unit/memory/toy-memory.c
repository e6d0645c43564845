/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a function on a toy memory. */
#include "toy-memory.h"

#include "ir/op-info.h"
#include "passes/allocations.h"

#define CELL 16384 /* every tile of these kernels */

typedef struct
{
  GHashTable *cells;  /* address / CELL to token */
  GHashTable *tokens; /* value to the token it stands for */
  guint       n_tokens;
  guint64     choices; /* which way branches go, a bit each */
  char       *wrong;
} Machine;

static gint64
address_of (const TsValue *value)
{
  gint64 at = -1;
  g_assert_true (ts_expr_as_int (value->type->memref->offset, &at));
  g_assert_cmpint (at % CELL, ==, 0);
  return at / CELL + (gint64) value->type->space * 4096;
}

static void
check_read (Machine *m, const TsOp *op, const TsValue *value)
{
  gpointer held = g_hash_table_lookup (m->cells, GSIZE_TO_POINTER (address_of (value) + 1));
  if (m->wrong == NULL && held != g_hash_table_lookup (m->tokens, value))
    m->wrong = g_strdup_printf ("%s reads '%s' after its bytes were taken", op->name != NULL ? op->name : "a copy", value->hint);
}

static gpointer
token_of (Machine *m, const TsExpr *e)
{
  return g_hash_table_lookup (m->tokens, ts_expr_as_value (e));
}

static void
write_result (Machine *m, const TsValue *value, gpointer token)
{
  g_hash_table_insert (m->tokens, (gpointer) value, token);
  g_hash_table_insert (m->cells, GSIZE_TO_POINTER (address_of (value) + 1), token);
}

static void
execute_op (Machine *m, const TsOp *op)
{
  const TsValue *result = op->n_results == 1 && ts_type_is_tile (op->results[0]->type) ? op->results[0] : NULL;
  gint shared = ts_op_shared_argument (op);
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsValue *value = ts_expr_as_value (op->operands[i]);
      if (value == NULL || !ts_type_is_tile (value->type))
        continue;
      check_read (m, op, value);
      if (result != NULL && ts_op_forbids_alias (op, i, TS_BACKEND_A2A3) && address_of (value) == address_of (result)
          && m->wrong == NULL)
        m->wrong = g_strdup_printf ("%s writes '%s' over its operand '%s'", op->name, result->hint, value->hint);
    }
  if (result == NULL || op->code == TS_OP_TILE_ALLOC)
    return;
  gboolean sums = ts_op_info (op->code)->buffer == TS_BUFFER_REUSES;
  const TsValue *over = shared >= 0 ? ts_expr_as_value (op->operands[shared]) : NULL;
  if (over != NULL && address_of (over) != address_of (result) && m->wrong == NULL)
    m->wrong = g_strdup_printf ("'%s' does not lie where '%s' does", result->hint, over->hint);
  if (shared == 0 && op->code != TS_OP_TILE_MOVE && !sums)
    g_hash_table_insert (m->tokens, (gpointer) result, token_of (m, op->operands[0])); /* the same bytes under another name */
  else if (op->code == TS_OP_TILE_MOVE)
    write_result (m, result, token_of (m, op->operands[0]));
  else
    write_result (m, result, GUINT_TO_POINTER (++m->n_tokens));
}

static gboolean execute_block (Machine *m, const TsBlock *block);

static void
take_yield (Machine *m, const TsBlock *block, TsValue *const *to, guint n)
{
  const TsOp *yield = ts_block_yield (block);
  g_autofree gpointer *tokens = g_new (gpointer, n + 1);
  for (guint i = 0; i < n; i++)
    tokens[i] = token_of (m, yield->operands[i]);
  for (guint i = 0; i < n; i++)
    g_hash_table_insert (m->tokens, to[i], tokens[i]);
}

static guint
choose (Machine *m)
{
  guint choice = m->choices & 1;
  m->choices = m->choices >> 1 | m->choices << 63;
  return choice;
}

static void
execute_loop (Machine *m, const TsOp *op)
{
  gboolean is_for = op->code == TS_OP_FOR;
  guint first = is_for ? TS_FOR_INITS : 0;
  TsValue *const *carried = ts_op_body (op, 0)->args + (is_for ? 1 : 0);
  gint64 bounds[3] = { 0, 4, 1 };
  for (guint i = 0; i < 3 && is_for; i++)
    g_assert_true (ts_expr_fold_int (op->operands[i], &bounds[i]));
  for (guint i = 0; i < op->n_results; i++)
    g_hash_table_insert (m->tokens, carried[i], token_of (m, op->operands[first + i]));
  for (gint64 i = bounds[0]; i < bounds[1] && m->wrong == NULL; i += bounds[2])
    {
      if (!execute_block (m, ts_op_body (op, 0)))
        break;
      take_yield (m, ts_op_body (op, 0), carried, op->n_results);
    }
  for (guint i = 0; i < op->n_results; i++)
    g_hash_table_insert (m->tokens, op->results[i], g_hash_table_lookup (m->tokens, carried[i]));
}

static void
execute_if (Machine *m, const TsOp *op)
{
  const TsBlock *arm = ts_op_body (op, choose (m));
  execute_block (m, arm);
  take_yield (m, arm, op->results, op->n_results);
}

/* FALSE when the condition of a while loop ends it. */
static gboolean
execute_block (Machine *m, const TsBlock *block)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    if (op->code == TS_OP_FOR || op->code == TS_OP_WHILE)
      execute_loop (m, op);
    else if (op->code == TS_OP_IF)
      execute_if (m, op);
    else if (op->code == TS_OP_COND && choose (m) == 0)
      return FALSE;
    else if (op->code != TS_OP_YIELD && op->code != TS_OP_COND)
      execute_op (m, op);
  return TRUE;
}

char *
ts_toy_execute (const TsFunction *function, guint64 choices)
{
  Machine m = { g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL), 0, choices, NULL };
  execute_block (&m, ts_function_block (function));
  g_hash_table_unref (m.cells);
  g_hash_table_unref (m.tokens);
  return m.wrong;
}
