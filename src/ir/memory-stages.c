/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pipeline stages have buffers of their own, and which share bytes. */
#include "base/number.h"
#include "ir/memory-facts-private.h"

/* Stages of one group in one buffer up to which every pair is recorded. */
#define MAX_PAIRED 8u
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

static GArray *
collect_uses (const TsMemoryFacts *f)
{
  GArray *uses = g_array_new (FALSE, FALSE, sizeof (Use));
  for (guint32 t = 0; t < f->n_tiles; t++)
    for (guint32 k = 0; k < f->tiles[t].n_stages; k++)
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

/* Bytes two tiles share: within one buffer by offset, in two buffers by address. */
static gint64
shared_bytes (const TsMemoryFacts *f, const TsMemoryTile *a, const TsMemoryTile *b)
{
  if (a->buffer == b->buffer && (a->offset < 0 || b->offset < 0))
    return MIN (a->size, b->size);
  gint64 start_a = a->buffer == b->buffer ? a->offset : a->address, start_b = a->buffer == b->buffer ? b->offset : b->address;
  gint64 end = MIN (ts_add_sat (start_a, a->size), ts_add_sat (start_b, b->size)), bytes;
  return ts_sub (end, MAX (start_a, start_b), &bytes) ? bytes : 0;
}

/* Records the stages of two uses when their bytes overlap and they are not one value handed on. */
static void
record (TsMemoryFactsFull *full, GArray *collapses, const Use *x, const Use *y)
{
  const TsMemoryFacts *f = &full->facts;
  const Use *a = x->stage < y->stage ? x : y, *b = a == x ? y : x;
  gint64 bytes = shared_bytes (f, &f->tiles[a->tile], &f->tiles[b->tile]);
  if (x->stage == y->stage || full->web[a->tile] == full->web[b->tile] || bytes <= 0)
    return;
  TsMemoryCollapse collapse = { a->group, a->stage, b->stage, a->buffer, b->buffer, a->tile, b->tile, bytes };
  g_array_append_val (collapses, collapse);
}

/* Stages in one buffer, given one use per stage (the first tile of each). Slots are told apart by their bytes. */
static void
pair_stages (TsMemoryFactsFull *full, GArray *collapses, const GArray *firsts)
{
  for (guint i = 0; i < firsts->len; i++)
    for (guint k = i + 1; k < firsts->len && (firsts->len <= MAX_PAIRED || k == i + 1); k++)
      record (full, collapses, &g_array_index (firsts, Use, i), &g_array_index (firsts, Use, k));
}

static void
collapse_within (TsMemoryFactsFull *full, const GArray *uses, GArray *collapses)
{
  g_autoptr (GArray) firsts = g_array_new (FALSE, FALSE, sizeof (Use));
  for (guint i = 0; i < uses->len; i++)
    {
      const Use *use = &g_array_index (uses, Use, i), *last = i > 0 ? use - 1 : NULL;
      if (last != NULL && (last->buffer != use->buffer || last->group != use->group))
        {
          pair_stages (full, collapses, firsts);
          g_array_set_size (firsts, 0);
        }
      if (firsts->len == 0 || last->stage != use->stage)
        g_array_append_vals (firsts, use, 1);
    }
  pair_stages (full, collapses, firsts);
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
  guint i = first_use (uses, a);
  for (const Use *last_x = NULL; i < uses->len && g_array_index (uses, Use, i).buffer == a; i++)
    {
      const Use *x = &g_array_index (uses, Use, i), *last_y = NULL;
      if (last_x != NULL && last_x->group == x->group && last_x->stage == x->stage)
        continue;
      last_x = x;
      for (guint k = first_use (uses, b); k < uses->len && g_array_index (uses, Use, k).buffer == b; k++)
        {
          const Use *y = &g_array_index (uses, Use, k);
          if (y->group != x->group || (last_y != NULL && last_y->stage == y->stage))
            continue;
          last_y = y;
          record (full, collapses, x, y);
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

void
ts_memory_facts_find_stages (TsMemoryFactsFull *full)
{
  TsMemoryFacts *f = &full->facts;
  g_autoptr (GArray) uses = collect_uses (f);
  GArray *collapses = g_array_new (FALSE, FALSE, sizeof (TsMemoryCollapse));
  sum_stages (f, uses);
  g_array_sort (uses, by_buffer);
  collapse_within (full, uses, collapses);
  collapse_across (full, uses, collapses);
  g_array_sort (collapses, by_collapse);
  f->n_collapses = collapses->len;
  f->collapses = (TsMemoryCollapse *) (gpointer) g_array_free (collapses, FALSE);
}
