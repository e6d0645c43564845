/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relations of buffers, and the address of each: the first gap without any penalty, which dsa-taken.c finds, or the cheapest
 * address when there is none.
 *
 * The least (penalty, address) over all addresses is always found at 0, behind the reserved bytes, or where some buffer ends:
 * moving down from anywhere else to the next such address never adds a neighbour. Buffers of one size placed at one address form a
 * column. All of them share bytes, so their lives do not meet: whether a column is free for a given life is one binary search.
 * Which kinds a column holds is kept beside it. The columns of a pool are the leaves of a tree over addresses. As long as there
 * are gaps, nobody needs columns: what is placed goes into them when the first question comes. */
#include "passes/dsa-place.h"

#include <string.h>

#include "base/map.h"
#include "base/number.h"
#include "passes/dsa-lives.h"
#include "passes/dsa-taken.h"

#define NONE G_MAXUINT32
/* Kinds of a family whose relations are looked up in a table. */
#define MAX_TABLE 1024u

typedef struct
{
  gint64   start, end;   /* aligned */
  TsDsaLives lives;
  guint32  next;         /* column of another size at the same address */
  guint32  asked;        /* number of the buffer a pair was looked up for, and what the pairs say */
  gboolean apart;
  gint64   weight;
  gboolean exclusive;
} Column;

/* Buffers of one kind in a column. */
typedef struct
{
  guint32 kind, count;
  guint32 min_end, max_begin;
  guint32 next;
} Entry;

typedef struct
{
  guint32 child[2];     /* 0: none; leaves use child[0] for their first column */
  gint64  first, end;   /* lowest start and highest end below */
} Node;

typedef struct
{
  guint32 root;
  guint   depth;
  gint64  unit;              /* every start in the pool is a multiple of it */
  GArray *by_start, *by_end; /* guint32 columns; from the first weighing on, `stale` before */
  gboolean stale;
} Pool;

typedef struct
{
  gint64 at, weight;
} Weighed;

struct _TsDsaPlacer
{
  const TsDsaRelations *relations;
  const TsDsaProblem   *problem;
  gboolean first_fit;
  TsDsaTaken *taken;
  guint32 *placed;           /* buffers, in turn */
  gint64  *offsets;          /* of each of these */
  guint32  n_placed, n_in_columns;
  Pool    *pools;
  GArray  *nodes, *columns, *entries;
  TsMap    cells;            /* (column, family) to the first of its entries */
  guint32 *column_of;        /* per placed buffer */
  GArray  *hard_starts, *hard_ends;  /* gint64, for weighing */
  GArray  *soft_starts, *soft_ends;  /* Weighed, sums so far */
  GArray  *candidates;       /* gint64 */
  guint32  asking;           /* number of the current question */
  guint64  work;
};

#define node_at(p, i) (&g_array_index ((p)->nodes, Node, i))
#define column_at(p, i) (&g_array_index ((p)->columns, Column, i))

/* --- relations ---------------------------------------------------------------------------------------------------------- */

gint64
ts_dsa_relation (const TsDsaRelations *r, guint32 earlier, guint32 later)
{
  const TsDsaProblem *p = r->problem;
  guint32 family = p->family[earlier];
  if (p->relation == NULL)
    return 0;
  if (r->table[family] == NULL)
    return p->relation (earlier, later, p->data);
  return r->table[family][(gsize) r->local[earlier] * r->family_size[family] + r->local[later]];
}

static void
sort_pairs (TsDsaRelations *r, const TsDsaProblem *p)
{
  r->pair_start = g_new0 (guint32, (gsize) p->n + 2);
  r->pairs = g_new (TsDsaPair, (gsize) p->n_pairs * 2 + 1);
  for (guint32 k = 0; k < p->n_pairs; k++)
    {
      r->pair_start[p->pairs[k].a + 1]++;
      r->pair_start[p->pairs[k].b + 1]++;
    }
  for (guint32 i = 0; i < p->n; i++)
    r->pair_start[i + 1] += r->pair_start[i];
  g_autofree guint32 *at = g_memdup2 (r->pair_start, sizeof (guint32) * ((gsize) p->n + 1));
  for (guint32 k = 0; k < p->n_pairs; k++)
    {
      const TsDsaPair *pair = &p->pairs[k];
      r->pairs[at[pair->a]++] = *pair;
      r->pairs[at[pair->b]++] = (TsDsaPair) { pair->b, pair->a, pair->weight };
    }
}

void
ts_dsa_relations_init (TsDsaRelations *r, const TsDsaProblem *p)
{
  *r = (TsDsaRelations) { .problem = p };
  r->local = g_new (guint32, (gsize) p->n_kinds + 1);
  r->family_size = g_new0 (guint32, (gsize) p->n_kinds + 1);
  r->table = g_new0 (gint64 *, (gsize) p->n_kinds + 1);
  for (guint32 k = 0; k < p->n_kinds; k++)
    r->local[k] = r->family_size[p->family[k]]++;
  guint32 *members = r->members = g_new (guint32, (gsize) p->n_kinds + 1);
  guint32 *start = r->first_member = g_new0 (guint32, (gsize) p->n_kinds + 2);
  for (guint32 f = 0; f < p->n_kinds; f++)
    start[f + 1] = start[f] + r->family_size[f];
  for (guint32 k = 0; k < p->n_kinds; k++)
    members[start[p->family[k]] + r->local[k]] = k;
  for (guint32 f = 0; f < p->n_kinds && p->relation != NULL; f++)
    {
      guint32 size = r->family_size[f];
      if (size == 0 || size > MAX_TABLE)
        continue;
      r->table[f] = g_new (gint64, (gsize) size * size);
      for (guint32 a = 0; a < size; a++)
        for (guint32 b = 0; b < size; b++)
          r->table[f][(gsize) a * size + b] = p->relation (members[start[f] + a], members[start[f] + b], p->data);
    }
  sort_pairs (r, p);
}

void
ts_dsa_relations_clear (TsDsaRelations *r)
{
  for (guint32 f = 0; f < r->problem->n_kinds; f++)
    g_free (r->table[f]);
  g_free (r->table);
  g_free (r->local);
  g_free (r->family_size);
  g_free (r->members);
  g_free (r->first_member);
  g_free (r->pair_start);
  g_free (r->pairs);
}

/* --- columns ------------------------------------------------------------------------------------------------------------ */

static guint32
first_entry (const TsDsaPlacer *p, guint32 column, guint32 kind)
{
  return (guint32) ts_map_get (&p->cells, (guint64) column << 32 | p->problem->family[kind], NONE);
}

/* Is the column taken for the buffer? */
static gboolean
is_blocked (const TsDsaPlacer *p, guint32 index, const TsDsaBuffer *buffer)
{
  const Column *column = column_at (p, index);
  if (column->exclusive || buffer->exclusive)
    return TRUE;
  if (column->asked == p->asking && column->apart)
    return TRUE;
  if (ts_dsa_lives_meet_any (&column->lives, buffer->begin, buffer->end))
    return TRUE;
  for (guint32 e = first_entry (p, index, buffer->kind); e != NONE; e = g_array_index (p->entries, Entry, e).next)
    {
      const Entry *entry = &g_array_index (p->entries, Entry, e);
      if (ts_dsa_relation (p->relations, entry->kind, buffer->kind) < 0)
        return TRUE;
    }
  return FALSE;
}

/* What sharing with all of the column costs; it is not blocked. */
static gint64
weight_of (TsDsaPlacer *p, guint32 index, const TsDsaBuffer *buffer)
{
  const Column *column = column_at (p, index);
  gint64 weight = column->asked == p->asking ? column->weight : 0;
  for (guint32 e = first_entry (p, index, buffer->kind); e != NONE; e = g_array_index (p->entries, Entry, e).next)
    {
      const Entry *entry = &g_array_index (p->entries, Entry, e);
      gint64 before = ts_dsa_relation (p->relations, entry->kind, buffer->kind);
      gint64 after = ts_dsa_relation (p->relations, buffer->kind, entry->kind);
      if (before == after)
        {
          weight = ts_add_sat (weight, ts_mul_sat (before, entry->count));
          continue;
        }
      guint32 over = entry->max_begin < buffer->begin ? entry->count : entry->min_end > buffer->begin ? 0 : NONE;
      if (over == NONE)
        {
          over = ts_dsa_lives_over (&column->lives, entry->kind, buffer->begin);
          p->work += column->lives.n_sorted + column->lives.n_late;
        }
      weight = ts_add_sat (weight, ts_mul_sat (before, over));
      weight = ts_add_sat (weight, ts_mul_sat (after, entry->count - over));
    }
  return weight;
}

static void
add_entry (TsDsaPlacer *p, guint32 index, const TsDsaBuffer *buffer)
{
  guint32 first = first_entry (p, index, buffer->kind);
  for (guint32 e = first; e != NONE; e = g_array_index (p->entries, Entry, e).next)
    {
      Entry *entry = &g_array_index (p->entries, Entry, e);
      if (entry->kind != buffer->kind)
        continue;
      entry->count++;
      entry->min_end = MIN (entry->min_end, buffer->end);
      entry->max_begin = MAX (entry->max_begin, buffer->begin);
      return;
    }
  Entry entry = { buffer->kind, 1, buffer->end, buffer->begin, first };
  g_array_append_val (p->entries, entry);
  ts_map_set (&p->cells, (guint64) index << 32 | p->problem->family[buffer->kind], p->entries->len - 1);
}

/* --- the tree ----------------------------------------------------------------------------------------------------------- */

static guint32
new_node (TsDsaPlacer *p)
{
  Node node = { { 0, 0 }, G_MAXINT64, 0 };
  g_array_append_val (p->nodes, node);
  return p->nodes->len - 1;
}

/* The leaf of an address, made when absent; all nodes on the way take in the bytes up to `end`. */
static guint32
find_leaf (TsDsaPlacer *p, const Pool *pool, gint64 start, gint64 end)
{
  guint64 slot = (guint64) (start / pool->unit);
  guint32 index = pool->root;
  for (guint level = 0;; level++)
    {
      Node *node = node_at (p, index);
      node->first = MIN (node->first, start);
      node->end = MAX (node->end, end);
      if (level == pool->depth)
        return index;
      guint side = slot >> (pool->depth - 1 - level) & 1;
      guint32 child = node->child[side];
      if (child == 0)
        {
          child = new_node (p);
          node_at (p, child)->child[0] = level + 1 == pool->depth ? NONE : 0;
          node_at (p, index)->child[side] = child;
        }
      index = child;
    }
}

/* Adds a column to one that is sorted by start or by end. */
static void
insert_sorted (const TsDsaPlacer *p, GArray *sorted, guint32 index, gboolean by_end)
{
  gint64 key = by_end ? column_at (p, index)->end : column_at (p, index)->start;
  guint32 low = 0, high = sorted->len;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      const Column *column = column_at (p, g_array_index (sorted, guint32, middle));
      if ((by_end ? column->end : column->start) <= key)
        low = middle + 1;
      else
        high = middle;
    }
  g_array_insert_val (sorted, low, index);
}

static guint32
find_column (TsDsaPlacer *p, Pool *pool, guint32 leaf, gint64 start, gint64 end)
{
  for (guint32 c = node_at (p, leaf)->child[0]; c != NONE; c = column_at (p, c)->next)
    if (column_at (p, c)->end == end)
      return c;
  Column column = { .start = start, .end = end, .next = node_at (p, leaf)->child[0] };
  g_array_append_val (p->columns, column);
  guint32 index = node_at (p, leaf)->child[0] = p->columns->len - 1;
  if (!pool->stale)
    {
      insert_sorted (p, pool->by_start, index, FALSE);
      insert_sorted (p, pool->by_end, index, TRUE);
    }
  return index;
}

static void
add_to_column (TsDsaPlacer *p, guint32 i, gint64 start)
{
  const TsDsaBuffer *buffer = &p->problem->buffers[i];
  Pool *pool = &p->pools[buffer->pool];
  gint64 end = ts_add_sat (start, ts_round_up (buffer->size, TS_DSA_ALIGNMENT));
  guint32 leaf = find_leaf (p, pool, start, end);
  guint32 index = find_column (p, pool, leaf, start, end);
  p->column_of[i] = index;
  ts_dsa_lives_add (&column_at (p, index)->lives, (TsDsaLife) { buffer->begin, buffer->end, buffer->kind });
  add_entry (p, index, buffer);
  column_at (p, index)->exclusive |= buffer->exclusive;
  p->work += pool->depth;
}

/* All that is placed goes into columns. */
static void
fill_columns (TsDsaPlacer *p)
{
  for (; p->n_in_columns < p->n_placed; p->n_in_columns++)
    add_to_column (p, p->placed[p->n_in_columns], p->offsets[p->n_in_columns]);
}

/* --- weighing ----------------------------------------------------------------------------------------------------------- */

/* Numbers of the sorted array below `limit`. */
static guint32
count_below (const GArray *sorted, gint64 limit)
{
  guint32 low = 0, high = sorted->len;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (g_array_index (sorted, gint64, middle) < limit)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Sum of the weights of all entries below `limit`. */
static gint64
weight_below (const GArray *sorted, gint64 limit)
{
  guint32 low = 0, high = sorted->len;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (g_array_index (sorted, Weighed, middle).at < limit)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? g_array_index (sorted, Weighed, low - 1).weight : 0;
}

static void
add_weighed (GArray *sorted, gint64 at, gint64 weight)
{
  gint64 before = sorted->len > 0 ? g_array_index (sorted, Weighed, sorted->len - 1).weight : 0;
  Weighed entry = { at, ts_add_sat (before, weight) };
  g_array_append_val (sorted, entry);
}

static void
collect_columns (const TsDsaPlacer *p, guint32 index, guint depth, GArray *out)
{
  const Node *node = node_at (p, index);
  if (depth > 0)
    {
      for (guint side = 0; side < 2; side++)
        if (node->child[side] != 0)
          collect_columns (p, node->child[side], depth - 1, out);
      return;
    }
  for (guint32 c = node->child[0]; c != NONE; c = column_at (p, c)->next)
    g_array_append_val (out, c);
}

static int
compare_ends (gconstpointer x, gconstpointer y, gpointer data)
{
  const TsDsaPlacer *p = data;
  gint64 a = column_at (p, *(const guint32 *) x)->end, b = column_at (p, *(const guint32 *) y)->end;
  return a < b ? -1 : a > b;
}

static void
refresh (TsDsaPlacer *p, Pool *pool)
{
  if (!pool->stale)
    return;
  g_array_set_size (pool->by_start, 0);
  collect_columns (p, pool->root, pool->depth, pool->by_start);
  g_array_set_size (pool->by_end, 0);
  g_array_append_vals (pool->by_end, pool->by_start->data, pool->by_start->len);
  g_array_sort_with_data (pool->by_end, compare_ends, p);
  pool->stale = FALSE;
}

/* Marks the columns where buffers lie that a pair names together with buffer i. */
static void
ask_pairs (TsDsaPlacer *p, guint32 i)
{
  const TsDsaRelations *r = p->relations;
  p->asking++;
  for (guint32 k = r->pair_start[i]; k < r->pair_start[i + 1]; k++)
    {
      guint32 index = p->column_of[r->pairs[k].b];
      if (index == NONE)
        continue;
      Column *column = column_at (p, index);
      if (column->asked != p->asking)
        {
          column->asked = p->asking;
          column->apart = FALSE;
          column->weight = 0;
        }
      if (r->pairs[k].weight < 0)
        column->apart = TRUE;
      else
        column->weight = ts_add_sat (column->weight, r->pairs[k].weight);
    }
}

/* All columns as a sum of starts and ends: of what blocks, and of what costs. */
static void
weigh_columns (TsDsaPlacer *p, Pool *pool, const TsDsaBuffer *buffer)
{
  g_autofree gint64 *what = g_new (gint64, (gsize) p->columns->len + 1);
  GArray *arrays[] = { p->hard_starts, p->hard_ends, p->soft_starts, p->soft_ends, p->candidates };
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_set_size (arrays[i], 0);
  for (guint i = 0; i < pool->by_start->len; i++)
    {
      guint32 c = g_array_index (pool->by_start, guint32, i);
      what[c] = is_blocked (p, c, buffer) ? TS_DSA_APART : weight_of (p, c, buffer);
      if (what[c] == TS_DSA_APART)
        g_array_append_val (p->hard_starts, column_at (p, c)->start);
      else if (what[c] > 0)
        add_weighed (p->soft_starts, column_at (p, c)->start, what[c]);
    }
  for (guint i = 0; i < pool->by_end->len; i++)
    {
      guint32 c = g_array_index (pool->by_end, guint32, i);
      if (what[c] == TS_DSA_APART)
        g_array_append_val (p->hard_ends, column_at (p, c)->end);
      else if (what[c] > 0)
        add_weighed (p->soft_ends, column_at (p, c)->end, what[c]);
      if (what[c] != 0)
        g_array_append_val (p->candidates, column_at (p, c)->end);
    }
  p->work += pool->by_start->len;
}

/* The cheapest address of buffer i when none is free of penalties. */
static gboolean
find_cheapest (TsDsaPlacer *p, guint32 i, gint64 lowest, gint64 *offset, gint64 *added)
{
  const TsDsaBuffer *buffer = &p->problem->buffers[i];
  Pool *pool = &p->pools[buffer->pool];
  gint64 size = ts_round_up (buffer->size, TS_DSA_ALIGNMENT), capacity = p->problem->pools[buffer->pool].capacity;
  gboolean found = FALSE;
  fill_columns (p);
  ask_pairs (p, i);
  refresh (p, pool);
  weigh_columns (p, pool, buffer);
  for (guint k = 0; k <= p->candidates->len; k++)
    {
      gint64 at = k == 0 ? lowest : g_array_index (p->candidates, gint64, k - 1);
      if (at < lowest || at > capacity - buffer->size)
        continue;
      /* Every neighbour that ends at or before `at` also starts before the end: the difference counts those that overlap. */
      if (count_below (p->hard_starts, at + size) != count_below (p->hard_ends, at + 1))
        continue;
      gint64 penalty = weight_below (p->soft_starts, at + size) - weight_below (p->soft_ends, at + 1);
      if (found && penalty >= *added)
        continue;
      *offset = at;
      *added = penalty;
      found = TRUE;
    }
  return found;
}

/* --- placing ------------------------------------------------------------------------------------------------------------ */

/* The penalty of bytes [from, to), chosen without regard to it: of the columns below a node. */
static gint64
penalty_at (TsDsaPlacer *p, guint32 index, guint depth, const TsDsaBuffer *buffer, gint64 from, gint64 to)
{
  const Node *node = node_at (p, index);
  gint64 penalty = 0;
  if (node->end <= from || node->first >= to)
    return 0;
  p->work++;
  for (guint side = 0; side < 2 && depth > 0; side++)
    if (node->child[side] != 0)
      penalty = ts_add_sat (penalty, penalty_at (p, node->child[side], depth - 1, buffer, from, to));
  for (guint32 c = depth == 0 ? node->child[0] : NONE; c != NONE; c = column_at (p, c)->next)
    if (column_at (p, c)->end > from)
      penalty = ts_add_sat (penalty, weight_of (p, c, buffer));
  return penalty;
}

/* What it costs to put buffer i at `offset`. */
static gint64
find_penalty (TsDsaPlacer *p, guint32 i, gint64 offset)
{
  const TsDsaBuffer *buffer = &p->problem->buffers[i];
  const Pool *pool = &p->pools[buffer->pool];
  fill_columns (p);
  ask_pairs (p, i);
  return penalty_at (p, pool->root, pool->depth, buffer, offset, ts_add_sat (offset, ts_round_up (buffer->size, TS_DSA_ALIGNMENT)));
}

gboolean
ts_dsa_placer_place (TsDsaPlacer *p, guint32 i, gint64 *offset, gint64 *added)
{
  const TsDsaBuffer *buffer = &p->problem->buffers[i];
  const TsDsaPool *pool = &p->problem->pools[buffer->pool];
  gint64 lowest = ts_round_up (MAX (pool->reserved, 0), TS_DSA_ALIGNMENT), highest = pool->capacity - buffer->size;
  *offset = ts_dsa_taken_first_gap (p->taken, i, lowest, highest);
  *added = 0;
  if (*offset > highest && (p->first_fit || !find_cheapest (p, i, lowest, offset, added)))
    return FALSE;
  if (p->first_fit)
    *added = find_penalty (p, i, *offset);
  ts_dsa_taken_add (p->taken, i, *offset);
  p->placed[p->n_placed] = i;
  p->offsets[p->n_placed++] = *offset;
  return TRUE;
}

/* --- the whole ---------------------------------------------------------------------------------------------------------- */

static gint64
common_divisor (gint64 a, gint64 b)
{
  while (b != 0)
    {
      gint64 rest = a % b;
      a = b;
      b = rest;
    }
  return a;
}

/* The unit and the depth of each tree: no address is beyond all buffers one after the other. */
static void
size_pools (TsDsaPlacer *p)
{
  const TsDsaProblem *problem = p->problem;
  g_autofree gint64 *total = g_new (gint64, (gsize) problem->n_pools + 1);
  for (guint32 i = 0; i < problem->n_pools; i++)
    p->pools[i].unit = total[i] = ts_round_up (MAX (problem->pools[i].reserved, 0), TS_DSA_ALIGNMENT);
  for (guint32 i = 0; i < problem->n; i++)
    {
      guint32 pool = problem->buffers[i].pool;
      gint64 size = ts_round_up (problem->buffers[i].size, TS_DSA_ALIGNMENT);
      p->pools[pool].unit = common_divisor (p->pools[pool].unit, size);
      total[pool] = ts_add_sat (total[pool], size);
    }
  for (guint32 i = 0; i < problem->n_pools; i++)
    {
      Pool *pool = &p->pools[i];
      pool->unit = MAX (pool->unit, 1);
      pool->depth = 1;
      while (pool->depth < 63 && (total[i] / pool->unit) >> pool->depth != 0)
        pool->depth++;
      pool->by_start = g_array_new (FALSE, FALSE, sizeof (guint32));
      pool->by_end = g_array_new (FALSE, FALSE, sizeof (guint32));
    }
}

TsDsaPlacer *
ts_dsa_placer_new (const TsDsaRelations *relations)
{
  TsDsaPlacer *p = g_new0 (TsDsaPlacer, 1);
  p->relations = relations;
  p->problem = relations->problem;
  p->pools = g_new0 (Pool, (gsize) p->problem->n_pools + 1);
  p->nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  p->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  p->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  p->hard_starts = g_array_new (FALSE, FALSE, sizeof (gint64));
  p->hard_ends = g_array_new (FALSE, FALSE, sizeof (gint64));
  p->soft_starts = g_array_new (FALSE, FALSE, sizeof (Weighed));
  p->soft_ends = g_array_new (FALSE, FALSE, sizeof (Weighed));
  p->candidates = g_array_new (FALSE, FALSE, sizeof (gint64));
  p->column_of = g_new (guint32, (gsize) p->problem->n + 1);
  p->placed = g_new (guint32, (gsize) p->problem->n + 1);
  p->offsets = g_new (gint64, (gsize) p->problem->n + 1);
  p->taken = ts_dsa_taken_new (relations);
  size_pools (p);
  return p;
}

static void
free_lives (TsDsaPlacer *p)
{
  for (guint i = 0; i < p->columns->len; i++)
    ts_dsa_lives_clear (&column_at (p, i)->lives);
}

void
ts_dsa_placer_reset (TsDsaPlacer *p, gboolean first_fit)
{
  free_lives (p);
  p->first_fit = first_fit;
  g_array_set_size (p->nodes, 0);
  g_array_set_size (p->columns, 0);
  g_array_set_size (p->entries, 0);
  ts_map_clear (&p->cells);
  p->asking = 0;
  p->n_placed = p->n_in_columns = 0;
  ts_dsa_taken_reset (p->taken, !first_fit);
  for (guint32 i = 0; i < p->problem->n; i++)
    p->column_of[i] = NONE;
  for (guint32 i = 0; i < p->problem->n_pools; i++)
    {
      p->pools[i].root = new_node (p);
      p->pools[i].stale = TRUE;
    }
}

void
ts_dsa_placer_free (TsDsaPlacer *p)
{
  GArray *arrays[] = { p->nodes, p->entries, p->hard_starts, p->hard_ends, p->soft_starts, p->soft_ends,
                       p->candidates };
  free_lives (p);
  g_array_unref (p->columns);
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (arrays[i]);
  for (guint32 i = 0; i < p->problem->n_pools; i++)
    {
      g_array_unref (p->pools[i].by_start);
      g_array_unref (p->pools[i].by_end);
    }
  ts_map_clear (&p->cells);
  g_free (p->pools);
  g_free (p->column_of);
  g_free (p->placed);
  g_free (p->offsets);
  ts_dsa_taken_free (p->taken);
  g_free (p);
}

guint64
ts_dsa_placer_work (const TsDsaPlacer *p)
{
  return p->work + ts_dsa_taken_work (p->taken);
}
