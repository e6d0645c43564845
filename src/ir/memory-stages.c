/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pipeline stages have buffers of their own, and which share bytes. */
#include "base/number.h"
#include "ir/memory-facts-private.h"

/* Stages of one group in one buffer up to which every pair is recorded. */
#define MAX_PAIRED 8u
/* Pairs of tiles of two stages that are looked at for one that overlaps. */
#define MAX_LOOKED 256u
/* Pairs of buffers whose addresses overlap that are looked at. */
#define MAX_OVERLAPS 1000000u

/* One tile in one stage of one group. */
typedef struct
{
  gint32  group, stage;
  guint32 buffer, tile;
} Use;

#define COMPARE(x, y) if ((x) != (y)) return (x) < (y) ? -1 : 1

static int
by_stage (gconstpointer x, gconstpointer y, gpointer data)
{
  const TsMemoryFacts *f = data;
  const Use *a = x, *b = y;
  COMPARE (a->group, b->group);
  COMPARE (a->stage, b->stage);
  COMPARE (f->buffers[a->buffer].space, f->buffers[b->buffer].space);
  COMPARE (a->buffer, b->buffer);
  COMPARE (a->tile, b->tile);
  return 0;
}

static int
by_buffer (gconstpointer x, gconstpointer y)
{
  const Use *a = x, *b = y;
  COMPARE (a->buffer, b->buffer);
  COMPARE (a->group, b->group);
  COMPARE (a->stage, b->stage);
  COMPARE (a->tile, b->tile);
  return 0;
}

static int
by_collapse (gconstpointer x, gconstpointer y)
{
  const TsMemoryCollapse *a = x, *b = y;
  COMPARE (a->group, b->group);
  COMPARE (a->stage_a, b->stage_a);
  COMPARE (a->stage_b, b->stage_b);
  COMPARE (a->buffer_a, b->buffer_a);
  COMPARE (a->buffer_b, b->buffer_b);
  return 0;
}

/* Of all tiles, or of those that begin a value. */
static GArray *
collect_uses (const TsMemoryFacts *f, gboolean all)
{
  GArray *uses = g_array_new (FALSE, FALSE, sizeof (Use));
  for (guint32 t = 0; t < f->n_tiles; t++)
    for (guint32 k = 0; k < f->tiles[t].n_stages && (all || f->tiles[t].begins); k++)
      {
        Use use = { f->tiles[t].stages[k].group, f->tiles[t].stages[k].stage, f->tiles[t].buffer, t };
        g_array_append_val (uses, use);
      }
  return uses;
}

static void
sum_stages (TsMemoryFacts *f, GArray *uses)
{
  f->stages = g_new0 (TsMemoryStage, (gsize) uses->len + 1);
  g_array_sort_with_data (uses, by_stage, f);
  for (guint i = 0; i < uses->len; i++)
    {
      const Use *use = &g_array_index (uses, Use, i), *last = i > 0 ? use - 1 : NULL;
      TsMemoryStage *stage = f->n_stages > 0 ? &f->stages[f->n_stages - 1] : NULL;
      TsSpace space = f->buffers[use->buffer].space;
      gboolean fresh = stage == NULL || stage->group != use->group || stage->stage != use->stage || stage->space != space;
      if (fresh)
        {
          stage = &f->stages[f->n_stages++];
          stage->group = use->group;
          stage->stage = use->stage;
          stage->space = space;
        }
      stage->n_tiles++;
      if (fresh || last->buffer != use->buffer)
        {
          stage->n_buffers++;
          stage->bytes = ts_add_sat (stage->bytes, f->buffers[use->buffer].size);
        }
    }
}

/* Where the bytes that two tiles have in common begin, and how many there are. */
static gint64
shared_range (const TsMemoryFacts *f, const TsMemoryTile *a, const TsMemoryTile *b, gint64 *start)
{
  gboolean within = a->buffer == b->buffer;
  gint64 bytes, end;
  *start = 0;
  if (within && (a->offset < 0 || b->offset < 0))
    return ts_expr_equal (a->value->type->memref->offset, b->value->type->memref->offset) ? MIN (a->size, b->size) : 0;
  if (!within && (!f->placed || a->offset < 0 || b->offset < 0
                  || f->buffers[a->buffer].space != f->buffers[b->buffer].space))
    return 0;
  gint64 start_a = within ? a->offset : a->address, start_b = within ? b->offset : b->address;
  end = MIN (ts_add_sat (start_a, a->size), ts_add_sat (start_b, b->size));
  *start = MAX (start_a, start_b);
  return ts_sub (end, *start, &bytes) ? MAX (bytes, 0) : 0;
}

gint64
ts_memory_shared_bytes (const TsMemoryFacts *f, const TsMemoryTile *a, const TsMemoryTile *b)
{
  gint64 start;
  return shared_range (f, a, b, &start);
}

/* The uses of one stage of one group in one buffer: entries first .. end - 1 of the array. */
typedef struct
{
  guint first, end;
} Range;

static Range
stage_range (const GArray *uses, guint first)
{
  const Use *x = &g_array_index (uses, Use, first);
  guint end = first + 1;
  for (; end < uses->len; end++)
    {
      const Use *y = &g_array_index (uses, Use, end);
      if (y->buffer != x->buffer || y->group != x->group || y->stage != x->stage)
        break;
    }
  return (Range) { first, end };
}

/* All tiles of a stage that have bytes of a tile of the other one. */
static void
mark (TsMemoryFactsFull *full, const GArray *uses, Range range, guint32 other)
{
  TsMemoryFacts *f = &full->facts;
  for (guint i = range.first; i < range.end; i++)
    {
      TsMemoryTile *tile = &f->tiles[g_array_index (uses, Use, i).tile];
      tile->collapsed = tile->collapsed || ts_memory_shared_bytes (f, tile, &f->tiles[other]) > 0;
    }
}

/* Records two stages by the first of their tiles whose bytes overlap and that are not one value handed on. */
static void
record (TsMemoryFactsFull *full, const GArray *uses, GArray *collapses, Range x, Range y)
{
  const TsMemoryFacts *f = &full->facts;
  guint looked = 0;
  for (guint i = x.first; i < x.end && looked < MAX_LOOKED; i++)
    for (guint k = y.first; k < y.end && looked < MAX_LOOKED; k++, looked++)
      {
        const Use *p = &g_array_index (uses, Use, i), *q = &g_array_index (uses, Use, k);
        const Use *a = p->stage < q->stage ? p : q, *b = a == p ? q : p;
        gint64 bytes = a->stage == b->stage || full->web[a->tile] == full->web[b->tile]
                         ? 0 : ts_memory_shared_bytes (f, &f->tiles[a->tile], &f->tiles[b->tile]);
        if (bytes <= 0)
          continue;
        TsMemoryCollapse collapse = { a->group, a->stage, b->stage, a->buffer, b->buffer, a->tile, b->tile, bytes };
        g_array_append_val (collapses, collapse);
        mark (full, uses, x, q->tile);
        mark (full, uses, y, p->tile);
        return;
      }
}

/* Stages of one group in one buffer. Slots are told apart by their bytes. */
static void
pair_stages (TsMemoryFactsFull *full, const GArray *uses, GArray *collapses, const GArray *stages)
{
  for (guint i = 0; i < stages->len; i++)
    for (guint k = i + 1; k < stages->len && (stages->len <= MAX_PAIRED || k == i + 1); k++)
      record (full, uses, collapses, g_array_index (stages, Range, i), g_array_index (stages, Range, k));
}

static void
collapse_within (TsMemoryFactsFull *full, const GArray *uses, GArray *collapses)
{
  g_autoptr (GArray) stages = g_array_new (FALSE, FALSE, sizeof (Range));
  for (guint i = 0; i < uses->len; i = g_array_index (stages, Range, stages->len - 1).end)
    {
      const Use *use = &g_array_index (uses, Use, i), *last = i > 0 ? use - 1 : NULL;
      if (last != NULL && (last->buffer != use->buffer || last->group != use->group))
        {
          pair_stages (full, uses, collapses, stages);
          g_array_set_size (stages, 0);
        }
      Range range = stage_range (uses, i);
      g_array_append_val (stages, range);
    }
  pair_stages (full, uses, collapses, stages);
}

/* First use of a buffer in the array sorted by buffer. */
static guint
first_use (const GArray *uses, guint32 buffer)
{
  guint low = 0, high = uses->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (g_array_index (uses, Use, middle).buffer < buffer)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
collapse_pair (TsMemoryFactsFull *full, const GArray *uses, GArray *collapses, guint32 a, guint32 b)
{
  Range x, y;
  for (guint i = first_use (uses, a); i < uses->len && g_array_index (uses, Use, i).buffer == a; i = x.end)
    {
      x = stage_range (uses, i);
      for (guint k = first_use (uses, b); k < uses->len && g_array_index (uses, Use, k).buffer == b; k = y.end)
        {
          y = stage_range (uses, k);
          if (g_array_index (uses, Use, k).group == g_array_index (uses, Use, i).group)
            record (full, uses, collapses, x, y);
        }
    }
}

/* A tile that had bytes of another buffer before it is no longer the first one there. */
static void
mark_reuse (TsMemoryFacts *f, guint32 a, guint32 b)
{
  guint32 earlier = f->buffers[a].def <= f->buffers[b].def ? a : b, later = earlier == a ? b : a;
  TsMemoryTile *tile = &f->tiles[f->by_buffer[f->buffers[later].first_tile]];
  if (tile->role != TS_MEMORY_OWN)
    return;
  tile->role = TS_MEMORY_REUSE;
  tile->source = f->by_buffer[f->buffers[earlier].first_tile];
}

/* Buffers are sorted by space and address: each is compared with those after it that begin before it ends. */
static void
collapse_across (TsMemoryFactsFull *full, const GArray *uses, GArray *collapses)
{
  TsMemoryFacts *f = &full->facts;
  guint overlaps = 0;
  for (guint32 a = 0; a < f->n_buffers && f->placed; a++)
    {
      gint64 end = ts_add_sat (f->buffers[a].address, f->buffers[a].size);
      for (guint32 b = a + 1; b < f->n_buffers && overlaps < MAX_OVERLAPS; b++, overlaps++)
        {
          if (f->buffers[b].space != f->buffers[a].space || f->buffers[b].address >= end)
            break;
          mark_reuse (f, a, b);
          collapse_pair (full, uses, collapses, a, b);
        }
    }
}

/* --- sets --------------------------------------------------------------------------------------------------------------- */

static int
compare_set (const TsMemoryCollapse *a, const TsMemoryCollapse *b)
{
  COMPARE (a->group, b->group);
  COMPARE (MIN (a->buffer_a, a->buffer_b), MIN (b->buffer_a, b->buffer_b));
  COMPARE (MAX (a->buffer_a, a->buffer_b), MAX (b->buffer_a, b->buffer_b));
  return 0;
}

static int
by_set (gconstpointer x, gconstpointer y, gpointer data)
{
  const TsMemoryFacts *f = data;
  const TsMemoryCollapse *a = &f->collapses[*(const guint32 *) x], *b = &f->collapses[*(const guint32 *) y];
  int order = compare_set (a, b);
  if (order != 0)
    return order;
  COMPARE (a->stage_a, b->stage_a);
  COMPARE (a->stage_b, b->stage_b);
  return 0;
}

static int
compare_stages (gconstpointer x, gconstpointer y)
{
  COMPARE (*(const gint32 *) x, *(const gint32 *) y);
  return 0;
}

typedef struct
{
  gint64 start, end;
} Bytes;

static int
compare_bytes (gconstpointer x, gconstpointer y)
{
  const Bytes *a = x, *b = y;
  COMPARE (a->start, b->start);
  COMPARE (a->end, b->end);
  return 0;
}

static gint64
union_of (GArray *ranges)
{
  gint64 sum = 0, covered = G_MININT64;
  g_array_sort (ranges, compare_bytes);
  for (guint i = 0; i < ranges->len; i++)
    {
      const Bytes *range = &g_array_index (ranges, Bytes, i);
      if (range->end > MAX (range->start, covered))
        sum = ts_add_sat (sum, range->end - MAX (range->start, covered));
      covered = MAX (covered, range->end);
    }
  return sum;
}

/* One set of the records order[0] .. order[n - 1]. */
static void
fill_set (TsMemoryFacts *f, const guint32 *order, guint32 n, TsMemoryCollapseSet *set)
{
  const TsMemoryCollapse *first = &f->collapses[order[0]];
  g_autoptr (GArray) stages = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (Bytes));
  *set = (TsMemoryCollapseSet) { .group = first->group, .buffer_a = MIN (first->buffer_a, first->buffer_b),
                                 .buffer_b = MAX (first->buffer_a, first->buffer_b), .collapse = order[0] };
  for (guint32 i = 0; i < n; i++)
    {
      const TsMemoryCollapse *c = &f->collapses[order[i]];
      Bytes range;
      gint64 bytes = shared_range (f, &f->tiles[c->tile_a], &f->tiles[c->tile_b], &range.start);
      range.end = ts_add_sat (range.start, bytes);
      g_array_append_val (ranges, range);
      g_array_append_val (stages, c->stage_a);
      g_array_append_val (stages, c->stage_b);
    }
  g_array_sort (stages, compare_stages);
  gint32 *distinct = g_new (gint32, stages->len);
  for (guint i = 0; i < stages->len; i++)
    if (i == 0 || g_array_index (stages, gint32, i) != distinct[set->n_stages - 1])
      distinct[set->n_stages++] = g_array_index (stages, gint32, i);
  set->stages = distinct;
  set->bytes = union_of (ranges);
}

static void
make_sets (TsMemoryFacts *f)
{
  g_autofree guint32 *order = g_new (guint32, (gsize) f->n_collapses + 1);
  for (guint32 i = 0; i < f->n_collapses; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) f->n_collapses, sizeof (guint32), by_set, f);
  f->sets = g_new0 (TsMemoryCollapseSet, (gsize) f->n_collapses + 1);
  for (guint32 i = 0, end; i < f->n_collapses; i = end)
    {
      for (end = i + 1; end < f->n_collapses && compare_set (&f->collapses[order[i]], &f->collapses[order[end]]) == 0; end++)
        ;
      fill_set (f, &order[i], end - i, &f->sets[f->n_sets++]);
    }
}

gboolean
ts_memory_tile_is_in (const TsMemoryTile *tile, const TsMemoryCollapse *collapse)
{
  if (!tile->collapsed || (tile->buffer != collapse->buffer_a && tile->buffer != collapse->buffer_b))
    return FALSE;
  for (guint i = 0; i < tile->n_stages; i++)
    if (tile->stages[i].group == collapse->group
        && (tile->stages[i].stage == collapse->stage_a || tile->stages[i].stage == collapse->stage_b))
      return TRUE;
  return FALSE;
}

void
ts_memory_facts_find_stages (TsMemoryFactsFull *full)
{
  TsMemoryFacts *f = &full->facts;
  g_autoptr (GArray) all = collect_uses (f, TRUE), uses = collect_uses (f, FALSE);
  GArray *collapses = g_array_new (FALSE, FALSE, sizeof (TsMemoryCollapse));
  sum_stages (f, all);
  g_array_sort (uses, by_buffer);
  collapse_within (full, uses, collapses);
  collapse_across (full, uses, collapses);
  g_array_sort (collapses, by_collapse);
  f->n_collapses = collapses->len;
  f->collapses = (TsMemoryCollapse *) (gpointer) g_array_free (collapses, FALSE);
  make_sets (f);
}
