/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffers, lives and bytes of a function, read off its types and operations. */
#include "ir/memory-facts.h"

#include "base/disjoint.h"
#include "base/number.h"
#include "ir/memory-facts-private.h"
#include "ir/op-info.h"
#include "ir/reserved-bytes.h"

typedef struct
{
  TsMemoryFactsFull     *full;
  const TsLifetimes     *life;
  const TsMemoryOptions *options;
  GArray                *roots;    /* union-find over values: guint32 */
  TsMap                  root_of;  /* value id to index in `roots` */
  guint32               *buffer_of_interval;
  gint64                *lowest;   /* per interval: smallest constant offset of its tiles */
} Build;

const char *
ts_memory_role_name (TsMemoryRole role)
{
  static const char *const names[] = { "own", "view", "in-place", "reuse" };
  return names[role];
}

/* --- webs: variables that are one value handed on ----------------------------------------------------------------------- */

static guint32
find_root (Build *b, const TsValue *value)
{
  guint32 index = (guint32) ts_map_get (&b->root_of, (guint32) value->id, TS_MEMORY_NONE);
  if (index == TS_MEMORY_NONE)
    {
      index = b->roots->len;
      g_array_append_val (b->roots, index);
      ts_map_set (&b->root_of, (guint32) value->id, index);
      return index;
    }
  return ts_disjoint_root ((guint32 *) (gpointer) b->roots->data, index);
}

static void
join (Build *b, const TsValue *x, const TsExpr *e)
{
  const TsValue *y = ts_expr_as_value (e);
  if (y == NULL || !ts_type_is_tile (x->type) || !ts_type_is_tile (y->type))
    return;
  guint32 rx = find_root (b, x), ry = find_root (b, y);
  ts_disjoint_join ((guint32 *) (gpointer) b->roots->data, rx, ry);
}

static const TsExpr *
yield_operand (const TsOp *op, guint region, guint index)
{
  TsOp *yield = region < op->n_regions ? ts_block_yield (ts_op_body (op, region)) : NULL;
  return yield != NULL && index < yield->n_operands ? yield->operands[index] : NULL;
}

static gboolean
join_op (TsOp *op, gpointer data)
{
  Build *b = data;
  if (op->code == TS_OP_FOR || op->code == TS_OP_WHILE)
    {
      guint first_init = op->code == TS_OP_FOR ? TS_FOR_INITS : 0, first_arg = op->code == TS_OP_FOR ? 1 : 0;
      TsBlock *body = ts_op_body (op, 0);
      for (guint i = 0; i + first_init < op->n_operands && i + first_arg < body->n_args; i++)
        {
          join (b, body->args[i + first_arg], op->operands[i + first_init]);
          join (b, body->args[i + first_arg], yield_operand (op, 0, i));
          if (i < op->n_results)
            join (b, op->results[i], op->operands[i + first_init]);
        }
    }
  else if (op->code == TS_OP_IF)
    {
      for (guint i = 0; i < op->n_results; i++)
        for (guint r = 0; r < op->n_regions; r++)
          join (b, op->results[i], yield_operand (op, r, i));
    }
  else if (op->n_results == 1)
    {
      gint k = ts_op_shared_argument (op);
      if (k >= 0 && (guint) k < op->n_operands)
        join (b, op->results[0], op->operands[k]);
    }
  return TRUE;
}

/* --- addresses ---------------------------------------------------------------------------------------------------------- */

gboolean
ts_memref_start (const TsMemRef *memref, gint64 *out)
{
  gint64 slot;
  const TsExpr *e = memref->offset;
  if (e == NULL)
    return FALSE;
  if (!ts_expr_as_int (e, out))
    return e->kind == TS_EXPR_BINARY && e->op == TS_OPERATOR_ADD && ts_expr_as_int (e->items[0], out);
  if (memref->slots > 1 && memref->slot_index != NULL && ts_expr_fold_int (memref->slot_index, &slot))
    return ts_mul (slot, memref->size, &slot) && ts_sub (*out, slot, out);
  return TRUE;
}

static gint64
lowest_offset (const TsLifetimes *life, const TsLifeInterval *interval)
{
  gint64 lowest = G_MAXINT64, at;
  for (guint32 t = interval->representative; t != TS_LIFE_NONE; t = life->tiles[t].next_member)
    if (ts_memref_start (life->tiles[t].value->type->memref, &at))
      lowest = MIN (lowest, at);
  return lowest == G_MAXINT64 ? 0 : lowest;
}

/* Offsets are addresses when some buffer does not start at 0, or when no space has a second buffer to tell by. */
static gboolean
guess_placed (const TsLifetimes *life, const gint64 *lowest)
{
  guint per_space[TS_N_SPACES + 1] = { 0 };
  gboolean several = FALSE;
  for (guint32 i = 0; i < life->n_intervals; i++)
    {
      if (lowest[i] > 0)
        return TRUE;
      several = several || ++per_space[life->intervals[i].space] > 1;
    }
  return !several;
}

/* --- buffers ------------------------------------------------------------------------------------------------------------ */

static int
compare_buffers (gconstpointer x, gconstpointer y)
{
  const TsMemoryBuffer *a = x, *b = y;
  if (a->space != b->space)
    return a->space < b->space ? -1 : 1;
  if (a->address != b->address)
    return a->address < b->address ? -1 : 1;
  if (a->def != b->def)
    return a->def < b->def ? -1 : 1;
  return a->base->id < b->base->id ? -1 : a->base->id > b->base->id;
}

static void
fill_buffer (const Build *b, const TsLifeInterval *interval, TsMemoryBuffer *buffer)
{
  gint64 lowest = b->lowest[interval - b->life->intervals], at, end;
  *buffer = (TsMemoryBuffer) { .base = interval->base, .name = interval->base->hint, .space = interval->space, .slots = 1,
                               .pinned = interval->pinned && interval->alloc != NULL, .def = interval->def, .last = interval->last,
                               .address = b->full->facts.placed ? lowest : TS_MEMORY_UNPLACED };
  for (guint32 t = interval->representative; t != TS_LIFE_NONE; t = b->life->tiles[t].next_member)
    {
      const TsMemRef *memref = b->life->tiles[t].value->type->memref;
      buffer->slots = MAX (buffer->slots, memref->slots);
      if (ts_memref_start (memref, &at) && ts_sub (at, lowest, &at) && ts_add (at, ts_mul_sat (memref->size, memref->slots), &end))
        buffer->size = MAX (buffer->size, end);
    }
  if (interval->alloc != NULL && interval->alloc->n_operands > 1 && ts_expr_as_int (interval->alloc->operands[1], &at))
    buffer->size = MAX (buffer->size, at);
}

static void
build_buffers (Build *b)
{
  TsMemoryFacts *f = &b->full->facts;
  f->buffers = g_new0 (TsMemoryBuffer, (gsize) b->life->n_intervals + 1);
  f->n_buffers = b->life->n_intervals;
  for (guint32 i = 0; i < f->n_buffers; i++)
    fill_buffer (b, &b->life->intervals[i], &f->buffers[i]);
  qsort (f->buffers, f->n_buffers, sizeof (TsMemoryBuffer), compare_buffers);
  b->buffer_of_interval = g_new (guint32, (gsize) f->n_buffers + 1);
  for (guint32 i = 0; i < f->n_buffers; i++)
    {
      ts_map_set (&b->full->buffer_of, (guint32) f->buffers[i].base->id, i);
      b->buffer_of_interval[ts_lifetimes_interval (b->life, f->buffers[i].base)] = i;
    }
}

/* --- tiles -------------------------------------------------------------------------------------------------------------- */

static const TsStage *
stages_of (const Build *b, const TsOp *op, guint *n)
{
  *n = 0;
  if (op == NULL)
    return NULL;
  if (b->options != NULL && b->options->stages != NULL)
    return b->options->stages (op->id, n, b->options->stages_data);
  return ts_op_membership (op, n);
}

static void
fill_tile (Build *b, guint32 index)
{
  const TsLifeTile *life = &b->life->tiles[index];
  const TsMemRef *memref = life->value->type->memref;
  TsMemoryTile *tile = &b->full->facts.tiles[index];
  guint32 buffer = b->buffer_of_interval[life->interval];
  gint64 at;
  guint n = 0;
  *tile = (TsMemoryTile) { .value = life->value, .op = life->op != NULL ? life->op->id : -1, .buffer = buffer, .size = memref->size,
                           .offset = -1, .address = b->full->facts.buffers[buffer].address, .begins = TRUE,
                           .def = life->def, .last = life->last, .source = TS_MEMORY_NONE };
  tile->stages = stages_of (b, life->op, &n);
  tile->n_stages = n;
  if (ts_expr_as_int (memref->offset, &at) && ts_sub (at, b->lowest[life->interval], &at))
    tile->offset = at;
  if (tile->address != TS_MEMORY_UNPLACED && tile->offset > 0)
    tile->address = ts_add_sat (tile->address, tile->offset);
  ts_map_set (&b->full->tile_of, (guint32) life->value->id, index);
}

static gboolean
bytes_overlap (const TsMemoryTile *a, const TsMemoryTile *b)
{
  if (a->offset < 0 || b->offset < 0)
    return TRUE;
  return a->offset < ts_add_sat (b->offset, b->size) && b->offset < ts_add_sat (a->offset, a->size);
}

/* Earlier tiles of a buffer looked at for one that had the same bytes: slots and views are few, reuse is found at once. */
#define MAX_LOOK_BACK 64u

static void
find_role (Build *b, guint32 index, const guint32 *previous)
{
  TsMemoryFacts *f = &b->full->facts;
  TsMemoryTile *tile = &f->tiles[index];
  const TsOp *op = b->life->tiles[index].op;
  gint k = op != NULL ? ts_op_shared_argument (op) : -1;
  const TsValue *source = k >= 0 && (guint) k < op->n_operands ? ts_expr_as_value (op->operands[k]) : NULL;
  if (source != NULL && ts_type_is_tile (source->type) && source->type->memref != NULL
      && source->type->memref->base == f->buffers[tile->buffer].base)
    {
      tile->begins = FALSE;
      tile->role = ts_op_info (op->code)->buffer == TS_BUFFER_REUSES ? TS_MEMORY_INPLACE : TS_MEMORY_VIEW;
      tile->source = (guint32) ts_map_get (&b->full->tile_of, (guint32) source->id, TS_MEMORY_NONE);
      return;
    }
  gboolean known;
  /* tile.create does nothing by itself: whoever writes there begins the value. */
  tile->begins = op == NULL || ts_op_pipe (op, TS_BACKEND_NONE, &known) != TS_PIPE_NONE;
  guint32 looked = 0;
  for (guint32 p = previous[index]; p != TS_MEMORY_NONE && looked < MAX_LOOK_BACK; p = previous[p], looked++)
    if (bytes_overlap (tile, &f->tiles[p]))
      {
        tile->role = b->full->web[p] == b->full->web[index] ? TS_MEMORY_INPLACE : TS_MEMORY_REUSE;
        while (f->tiles[p].role == TS_MEMORY_VIEW && f->tiles[p].source != TS_MEMORY_NONE)
          p = f->tiles[p].source;
        tile->source = p;
        return;
      }
}

static void
build_tiles (Build *b)
{
  TsMemoryFacts *f = &b->full->facts;
  f->n_tiles = b->life->n_tiles;
  f->tiles = g_new0 (TsMemoryTile, (gsize) f->n_tiles + 1);
  b->full->web = g_new (guint32, (gsize) f->n_tiles + 1);
  g_autofree guint32 *previous = g_new (guint32, (gsize) f->n_tiles + 1);
  g_autofree guint32 *latest = g_new (guint32, (gsize) f->n_buffers + 1);
  guint32 *rows = g_new (guint32, (gsize) f->n_tiles + 1), at = 0;
  for (guint32 i = 0; i < f->n_buffers; i++)
    latest[i] = TS_MEMORY_NONE;
  for (guint32 i = 0; i < f->n_tiles; i++)
    {
      fill_tile (b, i);
      b->full->web[i] = find_root (b, f->tiles[i].value);
      previous[i] = latest[f->tiles[i].buffer];
      latest[f->tiles[i].buffer] = i;
      f->buffers[f->tiles[i].buffer].n_tiles++;
      find_role (b, i, previous);
    }
  for (guint32 i = 0; i < f->n_buffers; i++)
    {
      f->buffers[i].first_tile = at;
      at += f->buffers[i].n_tiles;
      latest[i] = f->buffers[i].first_tile;
    }
  for (guint32 i = 0; i < f->n_tiles; i++)
    rows[latest[f->tiles[i].buffer]++] = i;
  f->by_buffer = rows;
}

/* --- bytes live over program order -------------------------------------------------------------------------------------- */

/* Each tile counts with its own bytes while it is live: those it shares with others, through one buffer or by address, count once.
 * A slot chosen at run time counts as all of them. */
static void
add_buffer_lives (const TsMemoryFacts *f, const TsMemoryBuffer *buffer, gint64 start, GArray *lives)
{
  for (guint32 k = 0; k < buffer->n_tiles; k++)
    {
      const TsMemoryTile *tile = &f->tiles[f->by_buffer[buffer->first_tile + k]];
      gint64 low = ts_add_sat (start, MAX (tile->offset, 0));
      ts_live_bytes_add (lives, tile->def, tile->last + 1, low, ts_add_sat (low, tile->offset < 0 ? buffer->size : tile->size));
    }
}

static void
build_curve (TsMemorySpace *space, const GArray *lives)
{
  TsMemoryLive *live = g_new (TsMemoryLive, (gsize) lives->len * 2 + 1);
  space->n_live = ts_live_bytes_curve (lives, live, &space->live_max, &space->live_max_at);
  space->live = live;
}

static void
build_space (Build *b, TsMemorySpace *space, guint32 first, guint32 n, const TsReserved *reserved)
{
  const TsMemoryFacts *f = &b->full->facts;
  g_autoptr (GArray) lives = ts_live_bytes_new ();
  space->space = f->buffers[first].space;
  space->capacity = b->options != NULL && space->space < TS_N_SPACES ? b->options->capacity[space->space] : 0;
  space->reserved = reserved->space == space->space ? reserved->end : 0;
  space->n_buffers = n;
  gint64 cursor = space->reserved;
  for (guint32 i = first; i < first + n; i++)
    {
      const TsMemoryBuffer *buffer = &f->buffers[i];
      gint64 start = f->placed ? buffer->address : cursor;
      cursor = ts_round_up (ts_add_sat (start, buffer->size), TS_BUFFER_ALIGNMENT);
      space->high_water = MAX (space->high_water, cursor);
      add_buffer_lives (f, buffer, start, lives);
    }
  build_curve (space, lives);
}

static void
build_spaces (Build *b, const TsFunction *function)
{
  TsMemoryFacts *f = &b->full->facts;
  TsReserved reserved = ts_reserved_bytes (function);
  f->spaces = g_new0 (TsMemorySpace, TS_N_SPACES + 1);
  for (guint32 i = 0, end; i < f->n_buffers; i = end)
    {
      for (end = i; end < f->n_buffers && f->buffers[end].space == f->buffers[i].space; end++)
        ;
      build_space (b, &f->spaces[f->n_spaces++], i, end - i, &reserved);
    }
}

/* --- the whole ---------------------------------------------------------------------------------------------------------- */

TsMemoryFacts *
ts_memory_facts_new (const TsModule *module, const TsFunction *function, const TsMemoryOptions *options)
{
  if (function->body_kind != TS_BODY_STATEMENTS)
    return NULL;
  g_autoptr (TsLifetimes) life = ts_lifetimes_new (module, function, TS_LIFETIMES_PARAMS);
  if (life->n_tiles == 0)
    return NULL;
  TsMemoryFactsFull *full = g_new0 (TsMemoryFactsFull, 1);
  TsMemoryFacts *f = &full->facts;
  Build b = { .full = full, .life = life, .options = options, .roots = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  f->function = function;
  b.lowest = g_new (gint64, life->n_intervals);
  for (guint32 i = 0; i < life->n_intervals; i++)
    b.lowest[i] = lowest_offset (life, &life->intervals[i]);
  f->placed = options != NULL && options->placed != TS_MEMORY_PLACED_UNKNOWN ? options->placed == TS_MEMORY_PLACED_YES
                                                                            : guess_placed (life, b.lowest);
  f->n_positions = life->n_positions;
  gint32 *op_at = g_new (gint32, (gsize) life->n_positions + 1);
  for (guint32 i = 0; i < life->n_positions; i++)
    op_at[i] = life->ops[i]->id;
  f->op_at = op_at;
  ts_region_walk ((TsRegion *) &function->body, join_op, &b);
  build_buffers (&b);
  build_tiles (&b);
  build_spaces (&b, function);
  ts_memory_facts_find_stages (full);
  g_array_unref (b.roots);
  ts_map_clear (&b.root_of);
  g_free (b.buffer_of_interval);
  g_free (b.lowest);
  return f;
}

void
ts_memory_facts_free (TsMemoryFacts *f)
{
  if (f == NULL)
    return;
  TsMemoryFactsFull *full = (TsMemoryFactsFull *) f;
  for (guint32 i = 0; i < f->n_spaces; i++)
    g_free ((gpointer) f->spaces[i].live);
  g_free ((gpointer) f->op_at);
  g_free (f->tiles);
  g_free (f->buffers);
  g_free ((gpointer) f->by_buffer);
  g_free (f->spaces);
  g_free (f->stages);
  g_free (f->collapses);
  for (guint32 i = 0; i < f->n_sets; i++)
    g_free ((gpointer) f->sets[i].stages);
  g_free (f->sets);
  g_free (full->web);
  ts_map_clear (&full->buffer_of);
  ts_map_clear (&full->tile_of);
  g_free (full);
}

const TsMemorySpace *
ts_memory_facts_space (const TsMemoryFacts *f, TsSpace space)
{
  for (guint32 i = 0; i < f->n_spaces; i++)
    if (f->spaces[i].space == space)
      return &f->spaces[i];
  return NULL;
}

const TsMemoryTile *
ts_memory_facts_tile (const TsMemoryFacts *f, const TsValue *value)
{
  const TsMemoryFactsFull *full = (const TsMemoryFactsFull *) f;
  guint32 tile = (guint32) ts_map_get (&full->tile_of, (guint32) value->id, TS_MEMORY_NONE);
  return tile != TS_MEMORY_NONE ? &f->tiles[tile] : NULL;
}

const TsMemoryBuffer *
ts_memory_facts_buffer (const TsMemoryFacts *f, const TsValue *value)
{
  const TsMemoryFactsFull *full = (const TsMemoryFactsFull *) f;
  if (!ts_type_is_tile (value->type) || value->type->memref == NULL)
    return NULL;
  guint32 buffer = (guint32) ts_map_get (&full->buffer_of, (guint32) value->type->memref->base->id, TS_MEMORY_NONE);
  return buffer != TS_MEMORY_NONE ? &f->buffers[buffer] : NULL;
}
