/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses of allocations, by base and position. */
#include "passes/base-accesses.h"

#include "ir/op-info.h"
#include "passes/allocations.h"
#include "passes/loops.h"

#define NONE G_MAXUINT32
/* Accesses looked at one by one before every base counts as still needed: the safe answer, at the price of a move. */
#define MAX_LOOKED G_GUINT64_CONSTANT (50000000)

typedef struct
{
  guint32 position;
  guint32 birth; /* of the contents that are accessed; of two at one position the earlier one */
  guint32 next;  /* access of the same base after this one, or NONE; of no use once they are sorted */
} Access;

guint64
ts_base_accesses_base (const TsBaseAccesses *a, const TsMemRef *memref)
{
  return ts_map_get (&a->later_base, (guint32) memref->base->id, (guint32) memref->base->id);
}

guint32
ts_base_accesses_end (const TsBaseAccesses *a, const TsOp *op)
{
  return (guint32) ts_map_get (&a->end_of, (guint32) op->id, 0);
}

static guint32
start_of (const TsBaseAccesses *a, const TsOp *op)
{
  return (guint32) ts_map_get (&a->start_of, (guint32) op->id, 0);
}

/* --- collecting --------------------------------------------------------------------------------------------------------- */

static void
note_later_place (TsBaseAccesses *a, const TsValue *value, const TsValue *source)
{
  const TsMemRef *from = ts_tile_memref (source), *to = ts_tile_memref (value);
  if (from != NULL && to != NULL && from->base != to->base)
    ts_map_set (&a->later_base, (guint32) to->base->id, ts_base_accesses_base (a, from));
}

static void
note_later_places (TsBaseAccesses *a, const TsOp *op)
{
  if (op->code == TS_OP_ASSIGN && op->n_operands == 1 && op->n_results == 1)
    note_later_place (a, op->results[0], ts_expr_as_value (op->operands[0]));
  TsCarries c = op->code == TS_OP_WHILE ? ts_loop_carries (op) : (TsCarries) { 0 };
  for (guint i = 0; i < c.n && i < op->n_results; i++)
    note_later_place (a, op->results[i], ts_expr_as_value (op->operands[c.first_init + i]));
}

static guint32
birth_of (const TsBaseAccesses *a, const TsValue *value)
{
  return (guint32) ts_map_get (&a->birth_of, (guint32) value->id, 0);
}

static void
add_access (TsBaseAccesses *a, const TsValue *value)
{
  const TsMemRef *memref = value != NULL && value->type != NULL ? value->type->memref : NULL;
  if (memref == NULL)
    return;
  guint64 base = ts_base_accesses_base (a, memref);
  guint32 last = (guint32) ts_map_get (&a->last_of, base, NONE), index = a->rows->len;
  Access access = { a->position, birth_of (a, value), NONE }, *before = NULL;
  if (last != NONE)
    before = &g_array_index (a->rows, Access, last);
  if (before != NULL && before->position == a->position)
    {
      before->birth = MIN (before->birth, access.birth);
      return;
    }
  if (before != NULL)
    before->next = index;
  else
    ts_map_set (&a->first_of, base, index);
  g_array_append_val (a->rows, access);
  ts_map_set (&a->last_of, base, index);
}

/* Views, copies and what is written in place hold what their source does, as far as anybody's bytes are concerned. */
static void
add_results (TsBaseAccesses *a, const TsOp *op)
{
  gint k = op->code == TS_OP_TILE_TRANSPOSE ? -1 : ts_op_shared_argument (op);
  const TsValue *source = k >= 0 && (guint) k < op->n_operands ? ts_expr_as_value (op->operands[k]) : NULL;
  for (guint i = 0; i < op->n_results; i++)
    {
      ts_map_set (&a->birth_of, (guint32) op->results[i]->id, source != NULL ? birth_of (a, source) : a->position);
      add_access (a, op->results[i]);
    }
}

static void
index_block (TsBaseAccesses *a, const TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      note_later_places (a, op);
      for (guint i = 0; i < op->n_operands; i++)
        add_access (a, ts_expr_as_value (op->operands[i]));
      if (op->n_regions == 0)
        add_results (a, op);
      else
        ts_map_set (&a->start_of, (guint32) op->id, a->position);
      guint32 start = a->position++;
      for (guint r = 0; r < op->n_regions; r++)
        {
          const TsBlock *body = ts_op_body (op, r);
          for (guint i = 0; i < body->n_args; i++)
            ts_map_set (&a->birth_of, (guint32) body->args[i]->id, start);
          index_block (a, body);
        }
      ts_map_set (&a->end_of, (guint32) op->id, a->position - 1);
      for (guint i = 0; i < op->n_results && op->n_regions > 0; i++)
        ts_map_set (&a->birth_of, (guint32) op->results[i]->id, a->position - 1);
    }
}

/* Turns the list of each base into a row of ascending positions, so that a range can be asked for by bisection. */
static void
sort_accesses (TsBaseAccesses *a)
{
  GArray *rows = g_array_sized_new (FALSE, FALSE, sizeof (Access), a->rows->len + 1);
  for (gsize i = 0; a->first_of.keys != NULL && i <= a->first_of.mask; i++)
    {
      if (a->first_of.keys[i] == 0)
        continue;
      guint32 start = rows->len;
      for (guint32 k = (guint32) a->first_of.values[i]; k != NONE; k = g_array_index (a->rows, Access, k).next)
        g_array_append_val (rows, g_array_index (a->rows, Access, k));
      a->first_of.values[i] = start;
      ts_map_set (&a->last_of, a->first_of.keys[i] - 1, rows->len - 1);
    }
  g_array_unref (a->rows);
  a->rows = rows;
}

void
ts_base_accesses_init (TsBaseAccesses *a, const TsFunction *function)
{
  *a = (TsBaseAccesses) { .position = 1 }; /* parameters are there before */
  a->rows = g_array_new (FALSE, FALSE, sizeof (Access));
  index_block (a, ts_function_block (function));
  sort_accesses (a);
}

void
ts_base_accesses_clear (TsBaseAccesses *a)
{
  g_array_unref (a->rows);
  TsMap *maps[] = { &a->first_of, &a->last_of, &a->later_base, &a->start_of, &a->end_of, &a->birth_of };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    ts_map_clear (maps[i]);
}

/* --- asking ------------------------------------------------------------------------------------------------------------- */

/* First access of the base behind a position, and in *end the one behind its last. */
static guint32
first_behind (const TsBaseAccesses *a, guint64 base, guint32 after, guint32 *end)
{
  guint32 low = (guint32) ts_map_get (&a->first_of, base, NONE);
  if (low == NONE)
    return *end = 0;
  guint32 high = (guint32) ts_map_get (&a->last_of, base, 0) + 1;
  *end = high;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (g_array_index (a->rows, Access, middle).position > after)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

gboolean
ts_base_touched_later (const TsBaseAccesses *a, const TsOp *op, guint64 base)
{
  for (const TsOp *at = op; at != NULL; at = ts_op_parent (at))
    {
      if (at != op && at->code == TS_OP_FOR)
        return FALSE;
      guint32 until = ts_base_accesses_end (a, at->block->last), end;
      guint32 next = first_behind (a, base, ts_base_accesses_end (a, at), &end);
      if (next < end && g_array_index (a->rows, Access, next).position <= until)
        return TRUE;
    }
  return FALSE;
}

/* Is something that came about before `born` accessed at a position in (after, until]? */
static gboolean
old_touched (TsBaseAccesses *a, guint64 base, guint32 after, guint32 until, guint32 born)
{
  guint32 end, i = first_behind (a, base, after, &end);
  for (; i < end && g_array_index (a->rows, Access, i).position <= until; i++)
    if (g_array_index (a->rows, Access, i).birth < born || ++a->n_looked > MAX_LOOKED)
      return TRUE;
  return FALSE;
}

gboolean
ts_base_needed_after (TsBaseAccesses *a, const TsOp *first, const TsOp *second, guint64 base)
{
  guint32 made = ts_base_accesses_end (a, first), written = ts_base_accesses_end (a, second);
  for (const TsOp *at = second; at != NULL; at = ts_op_parent (at))
    {
      if (old_touched (a, base, ts_base_accesses_end (a, at), ts_base_accesses_end (a, at->block->last), written))
        return TRUE;
      const TsOp *around = ts_op_parent (at);
      if (around == NULL || !ts_op_is_loop (around))
        continue;
      guint32 start = start_of (a, around), end = ts_base_accesses_end (a, around);
      if (start < made && made <= end)
        return FALSE; /* every trip makes both anew */
      if (old_touched (a, base, start, end, start))
        return TRUE;
    }
  return FALSE;
}
