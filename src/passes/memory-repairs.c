/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repairs after moving tiles onto other allocations: carries, accumulators seeded in a branch, yields, copies. */
#include "passes/memory-repairs.h"

#include "base/number.h"
#include "ir/build.h"
#include "ir/op-info.h"
#include "passes/allocations.h"
#include "passes/loops.h"

/* --- views follow their source ------------------------------------------------------------------------------------------ */

void
ts_moves_init (TsMoves *moves, TsModule *module, TsFunction *function)
{
  *moves = (TsMoves) { module, function, { 0 } };
}

void
ts_moves_clear (TsMoves *moves)
{
  ts_map_clear (&moves->before);
}

static const TsMemRef *
before_move (const TsMoves *moves, const TsValue *value)
{
  return GSIZE_TO_POINTER (ts_map_get (&moves->before, (guint32) value->id, 0));
}

void
ts_moves_add (TsMoves *moves, TsValue *value, const TsMemRef *memref, TsSpace space)
{
  if (before_move (moves, value) == NULL)
    ts_map_set (&moves->before, (guint32) value->id, GPOINTER_TO_SIZE (value->type->memref));
  if (value->type->space != space)
    value->type = ts_type_with_space (moves->module, value->type, space);
  ts_value_set_memref (moves->module, value, memref);
}

/* The MemRef of a view whose source went from `old` to `now`. */
static const TsMemRef *
reanchor (TsModule *module, const TsMemRef *view, const TsMemRef *old, const TsMemRef *now)
{
  gint64 at, from, to, delta;
  TsExpr *offset = now->offset;
  if (ts_expr_as_int (view->offset, &at) && ts_expr_as_int (old->offset, &from) && ts_sub (at, from, &delta))
    {
      if (delta == 0 && view->size == now->size)
        return now;
      if (delta != 0 && ts_expr_as_int (now->offset, &to) && ts_add (to, delta, &to))
        offset = ts_expr_int (module, to, view->offset->dtype);
      else if (delta != 0)
        offset = ts_expr_binary (module, TS_OPERATOR_ADD, now->offset, ts_expr_index (module, delta));
    }
  else if (ts_expr_as_int (old->offset, &from) && from == 0)
    offset = ts_expr_as_int (now->offset, &to) && to == 0 ? view->offset
             : ts_expr_binary (module, TS_OPERATOR_ADD, now->offset, view->offset);
  return ts_memref_at (module, now, now->base, offset, view->size);
}

static void
follow_source (TsMoves *moves, TsValue *value, const TsValue *source)
{
  const TsMemRef *view = ts_tile_memref (value);
  const TsMemRef *old = source != NULL ? before_move (moves, source) : NULL;
  if (view == NULL || old == NULL || before_move (moves, value) != NULL || view->base != old->base)
    return;
  ts_moves_add (moves, value, reanchor (moves->module, view, old, source->type->memref), source->type->space);
}

static gboolean
follow_op (TsOp *op, gpointer data)
{
  TsMoves *moves = data;
  gint k = ts_op_shared_argument (op);
  if (k >= 0 && (guint) k < op->n_operands && op->n_results == 1)
    follow_source (moves, op->results[0], ts_expr_as_value (op->operands[k]));
  TsCarries c = ts_loop_carries (op);
  for (guint i = 0; i < c.n; i++)
    {
      const TsValue *init = ts_expr_as_value (op->operands[c.first_init + i]);
      follow_source (moves, ts_op_body (op, 0)->args[c.first_arg + i], init);
      if (i < op->n_results)
        follow_source (moves, op->results[i], init);
    }
  return TRUE;
}

void
ts_moves_follow (TsMoves *moves)
{
  ts_region_walk (&moves->function->body, follow_op, moves);
}

/* --- loop carries ------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsModule *module;
  guint     n;
} Align;

static void
align (Align *state, TsValue *value, const TsValue *source)
{
  const TsMemRef *target = ts_tile_memref (source);
  if (target == NULL || ts_tile_memref (value) == NULL || value->type->memref == target)
    return;
  ts_value_set_memref (state->module, value, target);
  state->n++;
}

static gboolean
align_loop (TsOp *op, gpointer data)
{
  TsCarries c = ts_loop_carries (op);
  for (guint i = 0; i < c.n; i++)
    {
      const TsValue *init = ts_expr_as_value (op->operands[c.first_init + i]);
      align (data, ts_op_body (op, 0)->args[c.first_arg + i], init);
      if (i < op->n_results)
        align (data, op->results[i], init);
    }
  return TRUE;
}

guint
ts_align_loop_carries (TsModule *module, TsFunction *function)
{
  Align state = { module, 0 };
  ts_region_walk (&function->body, align_loop, &state);
  return state.n;
}

/* --- accumulators seeded in one branch ---------------------------------------------------------------------------------- */

typedef struct
{
  const TsValue *base;
  gboolean       found;
} Touch;

static gboolean
touch_op (TsOp *op, gpointer data)
{
  Touch *touch = data;
  for (guint i = 0; i < op->n_operands && !touch->found; i++)
    {
      const TsMemRef *memref = ts_tile_memref (ts_expr_as_value (op->operands[i]));
      touch->found = memref != NULL && memref->base == touch->base;
    }
  for (guint i = 0; i < op->n_results && !touch->found; i++)
    {
      const TsMemRef *memref = ts_tile_memref (op->results[i]);
      touch->found = memref != NULL && memref->base == touch->base;
    }
  return !touch->found;
}

/* Does anything after `op` in its block read or write the base? */
static gboolean
tail_touches (const TsOp *op, const TsValue *base)
{
  Touch touch = { base, FALSE };
  for (TsOp *next = op->next; next != NULL && !touch.found; next = next->next)
    {
      touch_op (next, &touch);
      if (!touch.found)
        ts_op_walk_regions (next, touch_op, &touch);
    }
  return touch.found;
}

/* An in-place operation's result that lies on its own input's allocation. */
static gboolean
is_accumulation (const TsValue *value)
{
  const TsOp *op = value->kind == TS_VALUE_RESULT ? value->def : NULL;
  if (op == NULL || ts_op_info (op->code)->buffer != TS_BUFFER_REUSES)
    return FALSE;
  gint k = ts_op_shared_argument (op);
  const TsValue *input = k >= 0 && (guint) k < op->n_operands ? ts_expr_as_value (op->operands[k]) : NULL;
  return ts_memref_same_base (ts_tile_memref (value), ts_tile_memref (input));
}

static gboolean
is_seed (const TsValue *value, const TsBlock *branch)
{
  const TsOp *op = value->kind == TS_VALUE_RESULT ? value->def : NULL;
  return op != NULL && op->block == branch && op->code != TS_OP_ASSIGN && op->code != TS_OP_IF && op->code != TS_OP_FOR
         && op->code != TS_OP_WHILE && op->code != TS_OP_SCOPE;
}

static TsValue *
yielded_tile (const TsOp *op, guint region, guint index)
{
  TsOp *yield = region < op->n_regions ? ts_block_yield (ts_op_body (op, region)) : NULL;
  TsValue *value = yield != NULL && index < yield->n_operands ? ts_expr_as_value (yield->operands[index]) : NULL;
  return ts_tile_memref (value) != NULL ? value : NULL;
}

typedef struct
{
  TsPassContext *context;
  TsMoves       *moves;
  guint          n;
} Phis;

/* Returns the branch whose seed was moved, -1 for none. */
static gint
coalesce_result (Phis *phis, TsOp *op, guint index)
{
  TsValue *arms[2] = { yielded_tile (op, 0, index), yielded_tile (op, 1, index) };
  if (arms[0] == NULL || arms[1] == NULL || op->results[index]->type->space != TS_SPACE_ACC
      || is_accumulation (arms[0]) == is_accumulation (arms[1]))
    return -1;
  guint seed_arm = is_accumulation (arms[0]) ? 1 : 0;
  TsValue *seed = arms[seed_arm], *sum = arms[1 - seed_arm];
  const TsMemRef *target = sum->type->memref;
  if (!is_seed (seed, ts_op_body (op, seed_arm)) || seed->type->memref->base == target->base
      || seed->type->space != sum->type->space || tail_touches (seed->def, target->base))
    return -1;
  ts_step_begin (phis->context->steps, "coalesce", phis->moves->module, phis->moves->function, op);
  ts_step_value (phis->context->steps, "seed", seed);
  ts_step_text (phis->context->steps, "from", seed->type->memref->base->hint);
  ts_step_text (phis->context->steps, "to", target->base->hint);
  ts_moves_add (phis->moves, seed, target, sum->type->space);
  phis->n++;
  return (gint) seed_arm;
}

/* The result of an IF lies where its then branch leaves it; what the else branch leaves elsewhere is moved later. */
static void
settle_result (Phis *phis, TsOp *op, guint index)
{
  const TsValue *rules = yielded_tile (op, 0, index);
  TsValue *result = op->results[index];
  if (rules == NULL || ts_tile_memref (result) == NULL || ts_memref_same_place (rules->type->memref, result->type->memref))
    return;
  ts_moves_add (phis->moves, result, rules->type->memref, rules->type->space);
  phis->n++;
}

/* Does the operation leave its argument where it lies, and may a plan have moved one without the other? Of two carried values that
 * come from one tile, the tile itself goes with the second, and what was made of it for the first stays behind. */
static gboolean
may_be_left_behind (const TsOp *op)
{
  return ts_op_info (op->code)->buffer == TS_BUFFER_REUSES || op->code == TS_OP_TILE_SET_VALIDSHAPE;
}

/* What is written over its argument, on another allocation than the argument. */
static void
settle_written_over (Phis *phis, TsOp *op)
{
  gint k = op->n_results == 1 ? ts_op_shared_argument (op) : -1;
  const TsValue *source = k >= 0 && (guint) k < op->n_operands ? ts_expr_as_value (op->operands[k]) : NULL;
  const TsMemRef *to = ts_tile_memref (source);
  if (to == NULL || ts_tile_memref (op->results[0]) == NULL || ts_memref_same_base (to, op->results[0]->type->memref)
      || !may_be_left_behind (op))
    return;
  ts_moves_add (phis->moves, op->results[0], to, source->type->space);
  phis->n++;
}

/* The result of a loop lies where its initial value does. InitMemRef gives that of a while loop a buffer of its own, and what is a
 * view of it must not be packed as if it stayed there. */
static void
settle_loop (Phis *phis, TsOp *op)
{
  TsCarries c = ts_loop_carries (op);
  for (guint i = 0; i < c.n && i < op->n_results; i++)
    {
      const TsValue *init = ts_expr_as_value (op->operands[c.first_init + i]);
      if (ts_tile_memref (init) == NULL || ts_tile_memref (op->results[i]) == NULL
          || ts_memref_same_place (init->type->memref, op->results[i]->type->memref))
        continue;
      ts_moves_add (phis->moves, op->results[i], init->type->memref, init->type->space);
      phis->n++;
    }
}

/* In program order, so that each operation finds its arguments where they stay: a chain of sums seeded in branches moves as a
 * whole, each onto what the one before has become. */
static void
settle_block (Phis *phis, TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      follow_op (op, phis->moves);
      settle_written_over (phis, op);
      for (guint r = 0; r < op->n_regions; r++)
        settle_block (phis, ts_op_body (op, r));
      settle_loop (phis, op);
      for (guint i = 0; i < op->n_results && op->code == TS_OP_IF; i++)
        {
          gint moved = op->n_regions == 2 && ts_type_is_tile (op->results[i]->type) ? coalesce_result (phis, op, i) : -1;
          if (moved >= 0)
            settle_block (phis, ts_op_body (op, (guint) moved));
          settle_result (phis, op, i);
        }
    }
}

guint
ts_settle_in_place (TsPassContext *context, TsModule *module, TsFunction *function)
{
  TsMoves moves;
  ts_moves_init (&moves, module, function);
  Phis phis = { context, &moves, 0 };
  settle_block (&phis, ts_function_block (function));
  ts_moves_clear (&moves);
  return phis.n;
}

/* --- copies ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsMoves *moves;
  guint    n;
} Copies;

static gboolean
repair_copy (TsOp *op, gpointer data)
{
  Copies *copies = data;
  if (op->code != TS_OP_ASSIGN || op->n_results != 1 || op->n_operands != 1)
    return TRUE;
  TsValue *from = ts_expr_as_value (op->operands[0]);
  const TsMemRef *source = ts_tile_memref (from), *own = ts_tile_memref (op->results[0]);
  if (source == NULL || own == NULL || ts_memref_same_base (source, own))
    return TRUE;
  ts_moves_add (copies->moves, op->results[0], source, from->type->space);
  copies->n++;
  return TRUE;
}

/* --- yields ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  guint          which;
  guint          n_changes;
  gboolean       failed;
  TsMoves        moves;
} Fix;

/* A yielded variable that has to go elsewhere. */
typedef struct
{
  guint          index; /* of the yield's operand */
  TsValue       *from;
  const TsValue *target; /* lies where it has to go */
  guint32        next;   /* move to the same base, or NONE */
  gboolean       done;
} Move;

/* The moves before one yield. */
typedef struct
{
  GArray *moves;    /* Move */
  TsMap   readers;  /* base id to how many moves have yet to read from it */
  TsMap   first_to; /* base id to a move that goes there */
  GTree  *ready;    /* numbers of the moves that no other one has to come before */
} Order;

#define NONE G_MAXUINT32

/* Moves a variable to a place before the yield, and lets the yield have the copy. */
static TsValue *
insert_move (Fix *fix, TsOp *yield, guint index, TsValue *from, const TsMemRef *to, TsSpace space)
{
  TsExpr *operand = ts_expr_value (fix->module, from);
  TsOp *move = ts_op_new (fix->module, TS_OP_TILE_MOVE, NULL, &operand, 1);
  ts_op_add_keyword (fix->module, move, "target_memory", ts_expr_space (fix->module, space));
  g_autofree char *name = g_strdup_printf ("%s_mv", from->hint);
  const TsType *type = ts_type_with_memref (fix->module, ts_type_with_space (fix->module, from->type, space), to);
  TsValue *moved = ts_op_add_result (fix->module, move, name, type);
  move->span = yield->span;
  move->origin.op = -1;
  ts_block_insert_before (yield, move);
  yield->operands[index] = ts_expr_value (fix->module, moved);
  fix->n_changes++;
  ts_step_begin (fix->context->steps, "move", fix->module, fix->function, yield);
  ts_step_value (fix->context->steps, "variable", from);
  ts_step_text (fix->context->steps, "from", from->type->memref->base->hint);
  ts_step_text (fix->context->steps, "to", to->base->hint);
  return moved;
}

static guint32
base_id (const TsValue *value)
{
  return (guint32) value->type->memref->base->id;
}

static gint
compare_numbers (gconstpointer x, gconstpointer y)
{
  guint a = GPOINTER_TO_UINT (x), b = GPOINTER_TO_UINT (y);
  return (a > b) - (a < b);
}

static void
order_init (Order *o, GArray *moves)
{
  *o = (Order) { .moves = moves, .ready = g_tree_new (compare_numbers) };
  for (guint i = 0; i < moves->len; i++)
    {
      Move *m = &g_array_index (moves, Move, i);
      m->next = (guint32) ts_map_get (&o->first_to, base_id (m->target), NONE);
      ts_map_set (&o->first_to, base_id (m->target), i);
      ts_map_set (&o->readers, base_id (m->from), ts_map_get (&o->readers, base_id (m->from), 0) + 1);
    }
}

static void
order_clear (Order *o)
{
  g_tree_unref (o->ready);
  ts_map_clear (&o->readers);
  ts_map_clear (&o->first_to);
}

/* A move is ready when no other one still has to read what lies where it goes. */
static void
note_ready (Order *o, guint32 i)
{
  const Move *m = &g_array_index (o->moves, Move, i);
  guint64 own = base_id (m->from) == base_id (m->target) ? 1 : 0;
  if (!m->done && ts_map_get (&o->readers, base_id (m->target), 0) <= own)
    g_tree_insert (o->ready, GUINT_TO_POINTER (i), NULL);
}

/* One move less has to read from the base. Whoever goes there is only looked at when one reader or none is left: twice in all. */
static void
release_base (Order *o, guint32 base)
{
  guint64 left = ts_map_get (&o->readers, base, 0) - 1;
  ts_map_set (&o->readers, base, left);
  for (guint32 i = left <= 1 ? (guint32) ts_map_get (&o->first_to, base, NONE) : NONE; i != NONE;
       i = g_array_index (o->moves, Move, i).next)
    note_ready (o, i);
}

/* Two that wait for each other: one of them waits in a buffer of its own. */
static void
set_aside (Fix *fix, TsOp *yield, Order *o, Move *move)
{
  TsSpace space = move->from->type->space;
  const TsMemRef *memref = move->from->type->memref;
  TsValue *base = ts_alloc_new (fix->module, fix->function, space, memref->size);
  const TsMemRef *aside = ts_memref_new (fix->module, base, ts_expr_bytes (fix->module, 0), memref->size);
  move->from = insert_move (fix, yield, move->index, move->from, aside, space);
  ts_map_set (&o->readers, base_id (move->from), 1);
  release_base (o, (guint32) memref->base->id);
}

static gboolean
may_move (Fix *fix, TsOp *yield, const Move *m)
{
  if (m->from->type->space != TS_SPACE_ACC || m->target->type->space != TS_SPACE_ACC)
    return TRUE;
  ts_pass_fail (fix->context, fix->module, yield, "internal", "cannot reconcile divergent L0C accumulator buffers: '%s' "
                "is on %s, '%s' on %s, and no unit moves Acc to Acc", m->from->hint, m->from->type->memref->base->hint,
                m->target->hint, m->target->type->memref->base->hint);
  fix->failed = TRUE;
  return FALSE;
}

/* All moves before one yield, as if they were done at once: in their order, except that none goes where a later one still has to
 * read. O(n log n). */
static void
insert_moves (Fix *fix, TsOp *yield, GArray *moves)
{
  for (guint i = 0; i < moves->len; i++)
    if (!may_move (fix, yield, &g_array_index (moves, Move, i)))
      return;
  Order o;
  order_init (&o, moves);
  for (guint i = 0; i < moves->len; i++)
    note_ready (&o, i);
  for (guint left = moves->len, first = 0; left > 0;)
    {
      GTreeNode *node = g_tree_node_first (o.ready);
      while (g_array_index (moves, Move, first).done)
        first++;
      if (node == NULL)
        {
          set_aside (fix, yield, &o, &g_array_index (moves, Move, first));
          continue;
        }
      gpointer key = g_tree_node_key (node);
      Move *m = &g_array_index (moves, Move, GPOINTER_TO_UINT (key));
      g_tree_remove (o.ready, key);
      insert_move (fix, yield, m->index, m->from, m->target->type->memref, m->target->type->space);
      m->done = TRUE;
      left--;
      release_base (&o, base_id (m->from));
    }
  order_clear (&o);
}

static void
add_move (GArray *moves, guint index, TsValue *from, const TsValue *target)
{
  Move move = { index, from, target, NONE, FALSE };
  g_array_append_val (moves, move);
}

static void
place (Fix *fix, TsValue *value, const TsValue *where)
{
  if (ts_tile_memref (value) != NULL && value->type->memref != where->type->memref)
    ts_moves_add (&fix->moves, value, where->type->memref, where->type->space);
}

/* Loops of both kinds: what is yielded has to lie where the next trip looks for it. */
static void
fix_loop (Fix *fix, TsOp *op)
{
  TsOp *yield = ts_block_yield (ts_op_body (op, 0));
  TsValue *const *args = ts_op_body (op, 0)->args;
  TsCarries c = ts_loop_carries (op);
  g_autoptr (GArray) moves = g_array_new (FALSE, FALSE, sizeof (Move));
  for (guint i = 0; i < c.n; i++)
    {
      TsValue *init = ts_expr_as_value (op->operands[c.first_init + i]), *from = yielded_tile (op, 0, i);
      /* Kept quirk: a yielded carried value is left where it is, even when that is another carry's buffer. */
      if (ts_tile_memref (init) != NULL && ts_tile_memref (args[c.first_arg + i]) != NULL && from != NULL
          && from->kind != TS_VALUE_BLOCK_ARG && !ts_memref_same_place (from->type->memref, init->type->memref))
        add_move (moves, i, from, init);
    }
  insert_moves (fix, yield, moves);
  for (guint i = 0; i < c.n && !fix->failed; i++)
    {
      const TsValue *init = ts_expr_as_value (op->operands[c.first_init + i]), *now = yielded_tile (op, 0, i);
      if (ts_tile_memref (init) == NULL || ts_tile_memref (args[c.first_arg + i]) == NULL)
        continue;
      place (fix, args[c.first_arg + i], init);
      if (i < op->n_results)
        place (fix, op->results[i], now != NULL && now->kind != TS_VALUE_BLOCK_ARG ? now : init);
    }
}

static void
fix_if (Fix *fix, TsOp *op)
{
  g_autoptr (GArray) moves = g_array_new (FALSE, FALSE, sizeof (Move));
  for (guint i = 0; i < op->n_results; i++)
    {
      TsValue *rules = yielded_tile (op, 0, i), *other = yielded_tile (op, 1, i);
      if (rules != NULL && other != NULL && ts_tile_memref (op->results[i]) != NULL
          && !ts_memref_same_place (rules->type->memref, other->type->memref))
        add_move (moves, i, other, rules);
    }
  if (moves->len > 0)
    insert_moves (fix, ts_block_yield (ts_op_body (op, 1)), moves);
  for (guint i = 0; i < op->n_results && !fix->failed; i++)
    if (yielded_tile (op, 0, i) != NULL && ts_tile_memref (op->results[i]) != NULL)
      place (fix, op->results[i], yielded_tile (op, 0, i));
}

/* In program order: what a loop starts with has to lie where it stays before its yields are looked at. */
static void
fix_block (Fix *fix, TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL && !fix->failed; op = op->next)
    {
      Copies copies = { &fix->moves, 0 };
      follow_op (op, &fix->moves);
      if (fix->which & TS_FIX_COPIES)
        repair_copy (op, &copies);
      fix->n_changes += copies.n;
      for (guint r = 0; r < op->n_regions; r++)
        fix_block (fix, ts_op_body (op, r));
      if ((op->code == TS_OP_FOR || op->code == TS_OP_WHILE) && (fix->which & TS_FIX_LOOPS))
        fix_loop (fix, op);
      else if (op->code == TS_OP_IF && (fix->which & TS_FIX_IF))
        fix_if (fix, op);
    }
}

gboolean
ts_fix_yields (TsPassContext *context, TsModule *module, TsFunction *function, guint which, guint *n_changes)
{
  Fix fix = { context, module, function, which, 0, FALSE, { 0 } };
  ts_moves_init (&fix.moves, module, function);
  fix_block (&fix, ts_function_block (function));
  ts_moves_clear (&fix.moves);
  *n_changes = fix.n_changes;
  return !fix.failed;
}

guint
ts_repair_identity_copies (TsModule *module, TsFunction *function)
{
  TsMoves moves;
  ts_moves_init (&moves, module, function);
  Copies copies = { &moves, 0 };
  ts_region_walk (&function->body, repair_copy, &copies);
  if (copies.n > 0)
    ts_moves_follow (&moves);
  ts_moves_clear (&moves);
  return copies.n;
}
