/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Live ranges of tiles over program order, grouped by allocation. */
#include "ir/lifetimes.h"

#include <string.h>

#include "ir/op-info.h"

/* A variable that is another one under a new name: a carried value, or the result of a loop or an IF. Reading it reads its
 * targets. */
typedef struct
{
  const TsValue *value;
  guint32 first_target, n_targets; /* of `targets` */
  guint32 first_leaf, n_leaves;    /* of `leaves`: the tiles it may be, as far as they are defined inside its branch */
} Alias;

typedef struct
{
  const TsFunction *function;
  GArray  *ops, *loop_at, *tiles, *intervals, *loops, *families;
  GArray  *aliases;  /* Alias, in order of definition */
  GArray  *targets;  /* const TsValue * */
  GArray  *leaves;   /* guint32 tile */
  TsMap    last_use; /* by value id; absent: never read */
  TsMap    alias_of; /* by value id, index in `aliases` */
  TsMap    tile_of, interval_of;
  guint32  loop; /* innermost one around */
  guint32  n_family_ids;
} Scan;

/* Tiles one variable may stand for before the rest is forgotten: forgetting only means that fewer of them may share bytes. */
#define MAX_LEAVES 256u

static void scan_block (Scan *scan, const TsBlock *block);

static guint32
lookup (const TsMap *map, const TsValue *value)
{
  return (guint32) ts_map_get (map, (guint32) value->id, TS_LIFE_NONE);
}

static void
read_at (Scan *scan, const TsValue *value, guint32 position)
{
  guint32 last = lookup (&scan->last_use, value);
  if (last == TS_LIFE_NONE || last < position)
    ts_map_set (&scan->last_use, (guint32) value->id, position);
}

static void
use_value (TsValue *value, gpointer data)
{
  gpointer *args = data;
  if (ts_type_is_tile (value->type))
    read_at (args[0], value, GPOINTER_TO_UINT (args[1]));
}

static void
use_expr (Scan *scan, const TsExpr *e, guint32 position)
{
  gpointer args[2] = { scan, GUINT_TO_POINTER (position) };
  ts_expr_foreach_value (e, use_value, args);
}

static guint32
take_position (Scan *scan, TsOp *op)
{
  guint32 position = scan->ops->len;
  g_array_append_val (scan->ops, op);
  g_array_append_val (scan->loop_at, scan->loop);
  return position;
}

TsOp *
ts_alloc_of (const TsValue *base)
{
  return ts_op_is (base->def, TS_OP_TILE_ALLOC) || ts_op_is (base->def, TS_OP_TENSOR_ALLOC) ? base->def : NULL;
}

gboolean
ts_alloc_is_pinned (const TsOp *alloc)
{
  TsExpr *flag = alloc != NULL ? ts_op_keyword (alloc, "pinned") : NULL;
  return flag != NULL && flag->kind == TS_EXPR_INT && flag->i != 0;
}

static guint32
open_interval (Scan *scan, const TsValue *value, guint32 tile, guint32 position)
{
  const TsMemRef *memref = value->type->memref;
  TsLifeInterval fresh = {
    .base = memref->base, .alloc = ts_alloc_of (memref->base), .size = memref->size, .def = position, .last = position,
    .representative = tile, .last_member = tile, .space = value->type->space,
  };
  fresh.pinned = ts_alloc_is_pinned (fresh.alloc);
  g_array_append_val (scan->intervals, fresh);
  ts_map_set (&scan->interval_of, (guint32) memref->base->id, scan->intervals->len - 1);
  return scan->intervals->len - 1;
}

static void
define_tile (Scan *scan, TsValue *value, TsOp *op, guint32 position)
{
  const TsMemRef *memref = ts_type_is_tile (value->type) ? value->type->memref : NULL;
  if (memref == NULL || memref->base == NULL || lookup (&scan->tile_of, value) != TS_LIFE_NONE)
    return;
  guint32 index = scan->tiles->len;
  guint32 interval = lookup (&scan->interval_of, memref->base);
  if (interval == TS_LIFE_NONE)
    interval = open_interval (scan, value, index, position);
  TsLifeInterval *group = &g_array_index (scan->intervals, TsLifeInterval, interval);
  if (group->n_members > 0)
    g_array_index (scan->tiles, TsLifeTile, group->last_member).next_member = index;
  group->last_member = index;
  group->n_members++;
  if (group->n_stages == 0 && op != NULL)
    {
      group->stages = ts_op_membership (op, &group->n_stages);
      group->is_load = group->n_stages > 0 && (op->code == TS_OP_TILE_LOAD || op->code == TS_OP_TILE_READ);
    }
  TsLifeTile tile = { .value = value, .op = op, .def = position, .last = position, .interval = interval,
                      .next_member = TS_LIFE_NONE, .first_family = TS_LIFE_NONE };
  g_array_append_val (scan->tiles, tile);
  ts_map_set (&scan->tile_of, (guint32) value->id, index);
}

/* --- aliases ------------------------------------------------------------------------------------------------------------ */

static Alias *
begin_alias (Scan *scan, const TsValue *value)
{
  Alias alias = { value, scan->targets->len, 0, scan->leaves->len, 0 };
  g_array_append_val (scan->aliases, alias);
  ts_map_set (&scan->alias_of, (guint32) value->id, scan->aliases->len - 1);
  return &g_array_index (scan->aliases, Alias, scan->aliases->len - 1);
}

/* Adds a source, and what it may be of what is defined at `from` or later. */
static void
add_target (Scan *scan, Alias *alias, const TsValue *target, guint32 from)
{
  if (target == NULL || !ts_type_is_tile (target->type))
    return;
  g_array_append_val (scan->targets, target);
  alias->n_targets++;
  guint32 tile = lookup (&scan->tile_of, target);
  if (tile != TS_LIFE_NONE && g_array_index (scan->tiles, TsLifeTile, tile).def >= from)
    {
      g_array_append_val (scan->leaves, tile);
      alias->n_leaves++;
      return;
    }
  guint32 other = lookup (&scan->alias_of, target);
  if (other == TS_LIFE_NONE)
    return;
  Alias inner = g_array_index (scan->aliases, Alias, other);
  for (guint32 i = 0; i < inner.n_leaves; i++)
    {
      guint32 leaf = g_array_index (scan->leaves, guint32, inner.first_leaf + i);
      if (g_array_index (scan->tiles, TsLifeTile, leaf).def < from)
        continue;
      if (alias->n_leaves == MAX_LEAVES)
        break;
      g_array_append_val (scan->leaves, leaf);
      alias->n_leaves++;
    }
}

static void
add_family (Scan *scan, const Alias *alias)
{
  if (alias->n_leaves < 2)
    return;
  guint32 family = scan->n_family_ids++;
  for (guint32 i = 0; i < alias->n_leaves; i++)
    {
      TsLifeTile *tile = &g_array_index (scan->tiles, TsLifeTile, g_array_index (scan->leaves, guint32, alias->first_leaf + i));
      TsLifeFamily entry = { family, g_array_index (scan->leaves, guint32, alias->first_leaf + i), tile->first_family };
      g_array_append_val (scan->families, entry);
      tile->first_family = scan->families->len - 1;
      g_array_index (scan->intervals, TsLifeInterval, tile->interval).has_family = TRUE;
    }
}

static TsValue *
yielded (const TsBlock *block, guint32 index)
{
  TsOp *yield = ts_block_yield (block);
  return yield != NULL && index < yield->n_operands ? ts_expr_as_value (yield->operands[index]) : NULL;
}

/* --- the walk ----------------------------------------------------------------------------------------------------------- */

static void
scan_loop (Scan *scan, TsOp *op)
{
  guint first_init = op->code == TS_OP_FOR ? TS_FOR_INITS : 0;
  guint first_arg = op->code == TS_OP_FOR ? 1 : 0;
  guint32 start = scan->ops->len;
  TsBlock *body = ts_op_body (op, 0);
  for (guint i = 0; i < op->n_operands; i++)
    use_expr (scan, op->operands[i], start);
  for (guint i = first_init; i < op->n_operands && i - first_init + first_arg < body->n_args; i++)
    {
      const TsValue *carried = body->args[i - first_init + first_arg];
      if (ts_type_is_tile (carried->type))
        add_target (scan, begin_alias (scan, carried), ts_expr_as_value (op->operands[i]), 0);
    }
  TsLifeLoop loop = { start, 0, scan->loop };
  g_array_append_val (scan->loops, loop);
  guint32 outer = scan->loop;
  scan->loop = scan->loops->len - 1;
  scan_block (scan, body);
  /* An empty body ends before it starts: start 0 wraps, which the reader never meets because no position is inside. */
  g_array_index (scan->loops, TsLifeLoop, scan->loop).end = scan->ops->len - 1;
  scan->loop = outer;
  for (guint i = 0; i < op->n_results; i++)
    if (ts_type_is_tile (op->results[i]->type) && i + first_init < op->n_operands)
      add_target (scan, begin_alias (scan, op->results[i]), ts_expr_as_value (op->operands[i + first_init]), 0);
}

static void
scan_if (Scan *scan, TsOp *op)
{
  guint32 start = scan->ops->len;
  if (op->n_operands > 0)
    use_expr (scan, op->operands[0], start);
  for (guint i = 0; i < op->n_regions; i++)
    scan_block (scan, ts_op_body (op, i));
  for (guint i = 0; i < op->n_results; i++)
    {
      if (!ts_type_is_tile (op->results[i]->type))
        continue;
      Alias *alias = begin_alias (scan, op->results[i]);
      for (guint k = 0; k < op->n_regions; k++)
        add_target (scan, alias, yielded (ts_op_body (op, k), i), start);
      add_family (scan, alias);
    }
}

static void
scan_statement (Scan *scan, TsOp *op)
{
  guint32 position = take_position (scan, op);
  gpointer args[2] = { scan, GUINT_TO_POINTER (position) };
  ts_op_foreach_use (op, use_value, args);
  for (guint i = 0; i < op->n_results; i++)
    define_tile (scan, op->results[i], op, position);
}

static void
scan_block (Scan *scan, const TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    switch (op->code)
      {
      case TS_OP_FOR:
      case TS_OP_WHILE:
        scan_loop (scan, op);
        break;
      case TS_OP_IF:
        scan_if (scan, op);
        break;
      case TS_OP_SCOPE:
        for (guint i = 0; i < op->n_regions; i++)
          scan_block (scan, ts_op_body (op, i));
        break;
      case TS_OP_COND: /* conditions of while loops do not count as reads */
      case TS_OP_BREAK:
      case TS_OP_CONTINUE:
        break;
      default:
        scan_statement (scan, op);
      }
}

/* --- from uses to ranges ------------------------------------------------------------------------------------------------ */

/* Aliases stand in order of definition and point backwards, so that one pass from the end carries every read to its tiles. */
static void
resolve_aliases (Scan *scan)
{
  for (guint32 i = scan->aliases->len; i-- > 0;)
    {
      const Alias *alias = &g_array_index (scan->aliases, Alias, i);
      guint32 last = lookup (&scan->last_use, alias->value);
      if (last == TS_LIFE_NONE)
        continue;
      for (guint32 k = 0; k < alias->n_targets; k++)
        read_at (scan, g_array_index (scan->targets, const TsValue *, alias->first_target + k), last);
    }
}

/* What is defined before a loop and read in it is read in every iteration: it lives to the end of the outermost such loop. */
static guint32
extend_over_loops (const Scan *scan, guint32 def, guint32 last)
{
  if (last >= scan->loop_at->len)
    return last;
  guint32 end = last;
  for (guint32 i = g_array_index (scan->loop_at, guint32, last); i != TS_LIFE_NONE;)
    {
      const TsLifeLoop *loop = &g_array_index (scan->loops, TsLifeLoop, i);
      if (loop->start <= def)
        break;
      end = loop->end;
      i = loop->parent;
    }
  return MAX (end, last);
}

static void
close_ranges (Scan *scan)
{
  for (guint32 i = 0; i < scan->tiles->len; i++)
    {
      TsLifeTile *tile = &g_array_index (scan->tiles, TsLifeTile, i);
      guint32 last = lookup (&scan->last_use, tile->value);
      if (last != TS_LIFE_NONE && last > tile->def)
        tile->last = last;
      tile->last = extend_over_loops (scan, tile->def, tile->last);
      TsLifeInterval *interval = &g_array_index (scan->intervals, TsLifeInterval, tile->interval);
      interval->last = MAX (interval->last, tile->last);
    }
}

/* --- results ------------------------------------------------------------------------------------------------------------ */

static gpointer
steal (GArray *array, guint32 *n)
{
  *n = array->len;
  return g_array_free (array, FALSE);
}

/* A parameter's buffer belongs to the caller: whatever is a view of it must stay with it. */
static void
pin_parameters (Scan *scan)
{
  for (guint i = 0; i < scan->function->n_params; i++)
    {
      const TsType *type = scan->function->params[i]->type;
      if (!ts_type_is_tile (type) || type->memref == NULL || type->memref->base == NULL)
        continue;
      guint32 interval = lookup (&scan->interval_of, type->memref->base);
      if (interval != TS_LIFE_NONE)
        g_array_index (scan->intervals, TsLifeInterval, interval).pinned = TRUE;
    }
}

TsLifetimes *
ts_lifetimes_new (const TsModule *module, const TsFunction *function, TsLifetimesFlags flags)
{
  Scan scan = {
    .function = function, .loop = TS_LIFE_NONE,
    .ops = g_array_new (FALSE, FALSE, sizeof (TsOp *)), .loop_at = g_array_new (FALSE, FALSE, sizeof (guint32)),
    .tiles = g_array_new (FALSE, FALSE, sizeof (TsLifeTile)), .intervals = g_array_new (FALSE, FALSE, sizeof (TsLifeInterval)),
    .loops = g_array_new (FALSE, FALSE, sizeof (TsLifeLoop)), .families = g_array_new (FALSE, FALSE, sizeof (TsLifeFamily)),
    .aliases = g_array_new (FALSE, FALSE, sizeof (Alias)), .targets = g_array_new (FALSE, FALSE, sizeof (TsValue *)),
    .leaves = g_array_new (FALSE, FALSE, sizeof (guint32)),
  };
  if (flags & TS_LIFETIMES_PARAMS)
    for (guint i = 0; i < function->n_params; i++)
      define_tile (&scan, function->params[i], NULL, 0);
  scan_block (&scan, ts_function_block (function));
  resolve_aliases (&scan);
  close_ranges (&scan);
  if ((flags & TS_LIFETIMES_PARAMS) == 0)
    pin_parameters (&scan);

  TsLifetimes *l = g_new0 (TsLifetimes, 1);
  guint32 n_loop_at;
  l->ops = steal (scan.ops, &l->n_positions);
  l->loop_at = steal (scan.loop_at, &n_loop_at);
  l->tiles = steal (scan.tiles, &l->n_tiles);
  l->intervals = steal (scan.intervals, &l->n_intervals);
  l->loops = steal (scan.loops, &l->n_loops);
  l->families = steal (scan.families, &l->n_families);
  l->tile_of_value = scan.tile_of;
  l->interval_of_base = scan.interval_of;
  g_array_unref (scan.aliases);
  g_array_unref (scan.targets);
  g_array_unref (scan.leaves);
  ts_map_clear (&scan.last_use);
  ts_map_clear (&scan.alias_of);
  return l;
}

void
ts_lifetimes_free (TsLifetimes *l)
{
  if (l == NULL)
    return;
  g_free (l->ops);
  g_free (l->loop_at);
  g_free (l->tiles);
  g_free (l->intervals);
  g_free (l->loops);
  g_free (l->families);
  ts_map_clear (&l->tile_of_value);
  ts_map_clear (&l->interval_of_base);
  g_free (l);
}

static gboolean
ranges_overlap (guint32 def_a, guint32 last_a, guint32 def_b, guint32 last_b)
{
  return def_a < last_b && def_b < last_a;
}

static gboolean
share_family (const TsLifetimes *l, const TsLifeTile *a, const TsLifeTile *b)
{
  for (guint32 i = a->first_family; i != TS_LIFE_NONE; i = l->families[i].next)
    for (guint32 k = b->first_family; k != TS_LIFE_NONE; k = l->families[k].next)
      if (l->families[i].family == l->families[k].family)
        return TRUE;
  return FALSE;
}

/* Pairs of members looked at before two intervals count as overlapping without further proof: the safe answer. */
#define MAX_PAIRS 1000000u

gboolean
ts_lifetimes_overlap (const TsLifetimes *l, guint32 a, guint32 b)
{
  const TsLifeInterval *ia = &l->intervals[a], *ib = &l->intervals[b];
  if (!ranges_overlap (ia->def, ia->last, ib->def, ib->last))
    return FALSE;
  if (!ia->has_family || !ib->has_family || (guint64) ia->n_members * ib->n_members > MAX_PAIRS)
    return TRUE;
  gboolean family = FALSE;
  for (guint32 i = ia->representative; i != TS_LIFE_NONE; i = l->tiles[i].next_member)
    for (guint32 k = ib->representative; k != TS_LIFE_NONE; k = l->tiles[k].next_member)
      {
        const TsLifeTile *x = &l->tiles[i], *y = &l->tiles[k];
        if (share_family (l, x, y))
          family = TRUE;
        else if (ranges_overlap (x->def, x->last, y->def, y->last))
          return TRUE;
      }
  return !family;
}
