/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the first gap without looking at every buffer.
 *
 * Buffers placed at one address form a column. All of them share bytes, so their lives do not meet: whether a column is free for a
 * given life is one binary search. Which kinds a column holds is kept beside it. The columns of a pool are the leaves of a tree
 * over addresses. Each node knows, for every kind, two stretches of time in which all columns below it are taken for that kind
 * (the common part of their longest lives, and that of their latest ones; all of time, where a column is closed to the kind). A
 * life that meets one of them skips the whole subtree: a thousand loads that are live together cost one step, not a thousand.
 * Where buffers come in order of time, the latest lives alone say exactly what is taken. Columns within the bytes of a lower one
 * do not count: where that one is taken, they are of no use.
 *
 * The least (penalty, address) over all addresses is always found at 0, behind the reserved bytes, or where some column ends:
 * moving down from anywhere else to the next such address never adds a neighbour. So the first gap without any penalty wins, and
 * only when a pool has none are its columns weighed one by one. */
#include "passes/dsa-place.h"

#include <string.h>

#include "base/map.h"
#include "base/number.h"
#include "passes/dsa-lives.h"

#define NONE G_MAXUINT32
/* Kinds whose stretches are kept apart in the tree; with more, one stretch serves all of them, and only lives count. */
#define MAX_SUMMARIES 64u
#define STRETCHES 2u /* per summary: of the longest and of the latest lives */
/* Kinds of a family whose relations are looked up in a table. */
#define MAX_TABLE 1024u

typedef struct
{
  gint64   start, end;   /* aligned */
  TsDsaLives lives;
  guint64  closed;       /* kinds (below MAX_SUMMARIES) that never get in */
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
  gint64  gap;          /* largest hole between the columns below */
} Node;

typedef struct
{
  guint32 begin, end;
} Stretch;

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
  guint    n_summaries;
  guint    width;            /* stretches of a node */
  guint64 *hard, *soft;      /* per kind: the kinds a column closes to once it holds one of this kind */
  Pool    *pools;
  GArray  *nodes, *stretches, *columns, *entries;
  TsMap    cells;            /* (column, family) to the first of its entries */
  guint32 *column_of;        /* per placed buffer */
  GArray  *hard_starts, *hard_ends;  /* gint64, for weighing */
  GArray  *soft_starts, *soft_ends;  /* Weighed, sums so far */
  GArray  *candidates;       /* gint64 */
  guint32  asking;           /* number of the current question */
  guint64  work;
};

/* What the tree is asked. */
typedef struct
{
  const TsDsaBuffer *buffer;
  gint64  size;    /* aligned */
  gint64  at;      /* no lower address is free */
  guint   summary;
  gboolean soft;   /* penalties block as well */
  gboolean done;
} Question;

#define node_at(p, i) (&g_array_index ((p)->nodes, Node, i))
#define column_at(p, i) (&g_array_index ((p)->columns, Column, i))
#define stretches_at(p, i) (&g_array_index ((p)->stretches, Stretch, (gsize) (i) * (p)->width))

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
  g_autofree guint32 *members = g_new (guint32, (gsize) p->n_kinds + 1), *start = g_new0 (guint32, (gsize) p->n_kinds + 2);
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
  g_free (r->pair_start);
  g_free (r->pairs);
}

/* --- columns ------------------------------------------------------------------------------------------------------------ */

static guint32
first_entry (const TsDsaPlacer *p, guint32 column, guint32 kind)
{
  return (guint32) ts_map_get (&p->cells, (guint64) column << 32 | p->problem->family[kind], NONE);
}

/* Is the column taken for the buffer? With `soft`, also when sharing costs something. */
static gboolean
is_blocked (const TsDsaPlacer *p, guint32 index, const TsDsaBuffer *buffer, gboolean soft)
{
  const Column *column = column_at (p, index);
  if (column->exclusive || buffer->exclusive)
    return TRUE;
  if (column->asked == p->asking && (column->apart || (soft && column->weight > 0)))
    return TRUE;
  if (ts_dsa_lives_meet_any (&column->lives, buffer->begin, buffer->end))
    return TRUE;
  for (guint32 e = first_entry (p, index, buffer->kind); e != NONE; e = g_array_index (p->entries, Entry, e).next)
    {
      const Entry *entry = &g_array_index (p->entries, Entry, e);
      gint64 before = ts_dsa_relation (p->relations, entry->kind, buffer->kind);
      gint64 after = ts_dsa_relation (p->relations, buffer->kind, entry->kind);
      if (before < 0 || (soft && ((before > 0 && entry->min_end <= buffer->begin)
                                  || (after > 0 && entry->max_begin >= buffer->end))))
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
  if (p->n_summaries == p->problem->n_kinds)
    column_at (p, index)->closed |= p->first_fit ? p->hard[buffer->kind] : p->soft[buffer->kind];
}

/* --- the tree ----------------------------------------------------------------------------------------------------------- */

static guint32
new_node (TsDsaPlacer *p)
{
  Node node = { { 0, 0 }, 0, 0, 0 };
  g_array_append_val (p->nodes, node);
  g_array_set_size (p->stretches, p->nodes->len * p->width);
  return p->nodes->len - 1;
}

/* All columns of a leaf start together: where the one that reaches farthest is taken, so is the leaf. */
static void
pull_leaf (TsDsaPlacer *p, guint32 index)
{
  Node *node = node_at (p, index);
  Stretch *out = stretches_at (p, index);
  const Column *farthest = column_at (p, node->child[0]);
  for (guint32 c = farthest->next; c != NONE; c = column_at (p, c)->next)
    if (column_at (p, c)->end > farthest->end)
      farthest = column_at (p, c);
  const TsDsaLives *lives = &farthest->lives;
  *node = (Node) { { node->child[0], 0 }, farthest->start, farthest->end, 0 };
  for (guint k = 0; k < p->n_summaries; k++, out += STRETCHES)
    if (farthest->exclusive || (farthest->closed >> k & 1) != 0)
      out[0] = out[1] = (Stretch) { 0, G_MAXUINT32 };
    else
      {
        out[0] = (Stretch) { lives->longest.begin, lives->longest.end };
        out[1] = (Stretch) { lives->latest.begin, lives->latest.end };
      }
}

static void
pull (TsDsaPlacer *p, guint32 index)
{
  Node *node = node_at (p, index);
  guint32 left = node->child[0], right = node->child[1];
  Stretch *out = stretches_at (p, index);
  if (left == 0 || right == 0)
    {
      const Node *only = node_at (p, left != 0 ? left : right);
      node->first = only->first;
      node->end = only->end;
      node->gap = only->gap;
      memcpy (out, stretches_at (p, left != 0 ? left : right), sizeof (Stretch) * p->width);
      return;
    }
  const Node *a = node_at (p, left), *b = node_at (p, right);
  const Stretch *x = stretches_at (p, left), *y = stretches_at (p, right);
  node->first = a->first;
  node->end = MAX (a->end, b->end);
  node->gap = MAX (MAX (a->gap, b->gap), b->first - a->end);
  if (b->end <= a->end)
    memcpy (out, x, sizeof (Stretch) * p->width);
  for (guint k = 0; k < p->width && b->end > a->end; k++)
    {
      out[k].begin = MAX (x[k].begin, y[k].begin);
      out[k].end = MIN (x[k].end, y[k].end);
    }
}

/* The leaf of an address, made when absent, with the nodes above it in `path`. */
static guint32
find_leaf (TsDsaPlacer *p, Pool *pool, gint64 start, guint32 *path)
{
  guint64 slot = (guint64) (start / pool->unit);
  guint32 node = pool->root;
  for (guint level = 0; level < pool->depth; level++)
    {
      guint side = slot >> (pool->depth - 1 - level) & 1;
      path[level] = node;
      if (node_at (p, node)->child[side] == 0)
        {
          guint32 child = new_node (p);
          if (level + 1 == pool->depth)
            node_at (p, child)->child[0] = NONE;
          node_at (p, node)->child[side] = child;
        }
      node = node_at (p, node)->child[side];
    }
  return node;
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
insert (TsDsaPlacer *p, guint32 i, gint64 start)
{
  const TsDsaBuffer *buffer = &p->problem->buffers[i];
  Pool *pool = &p->pools[buffer->pool];
  guint32 path[64];
  guint32 leaf = find_leaf (p, pool, start, path);
  guint32 index = find_column (p, pool, leaf, start, ts_add_sat (start, ts_round_up (buffer->size, TS_DSA_ALIGNMENT)));
  p->column_of[i] = index;
  ts_dsa_lives_add (&column_at (p, index)->lives, (TsDsaLife) { buffer->begin, buffer->end, buffer->kind });
  add_entry (p, index, buffer);
  column_at (p, index)->exclusive |= buffer->exclusive;
  pull_leaf (p, leaf);
  for (guint level = pool->depth; level-- > 0;)
    pull (p, path[level]);
  p->work += pool->depth;
}

/* Does the life meet one of the stretches of a summary? */
static gboolean
meets (const Stretch *stretches, const TsDsaBuffer *buffer)
{
  for (guint i = 0; i < STRETCHES; i++)
    if (stretches[i].begin < stretches[i].end && buffer->begin < stretches[i].end && stretches[i].begin < buffer->end)
      return TRUE;
  return FALSE;
}

/* Raises question->at over all that is blocked below the node, up to the first hole that is large enough. */
static void
search (TsDsaPlacer *p, guint32 index, guint depth, Question *q)
{
  const Node *node = node_at (p, index);
  if (node->end <= q->at)
    return;
  p->work++;
  if (node->first - q->at >= q->size)
    {
      q->done = TRUE;
      return;
    }
  if (node->gap < q->size && (q->buffer->exclusive || meets (&stretches_at (p, index)[q->summary * STRETCHES], q->buffer)))
    {
      q->at = node->end;
      return;
    }
  if (depth == 0)
    {
      for (guint32 c = node->child[0]; c != NONE; c = column_at (p, c)->next)
        if (column_at (p, c)->end > q->at && is_blocked (p, c, q->buffer, q->soft))
          q->at = column_at (p, c)->end;
      return;
    }
  for (guint side = 0; side < 2 && !q->done; side++)
    if (node->child[side] != 0)
      search (p, node->child[side], depth - 1, q);
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
      what[c] = is_blocked (p, c, buffer, FALSE) ? TS_DSA_APART : weight_of (p, c, buffer);
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

/* The cheapest address when none is free of penalties. */
static gboolean
find_cheapest (TsDsaPlacer *p, const TsDsaBuffer *buffer, gint64 lowest, gint64 *offset, gint64 *added)
{
  Pool *pool = &p->pools[buffer->pool];
  gint64 size = ts_round_up (buffer->size, TS_DSA_ALIGNMENT), capacity = p->problem->pools[buffer->pool].capacity;
  gboolean found = FALSE;
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

gboolean
ts_dsa_placer_place (TsDsaPlacer *p, guint32 i, gint64 *offset, gint64 *added)
{
  const TsDsaBuffer *buffer = &p->problem->buffers[i];
  const TsDsaPool *limits = &p->problem->pools[buffer->pool];
  Pool *pool = &p->pools[buffer->pool];
  gint64 lowest = ts_round_up (MAX (limits->reserved, 0), TS_DSA_ALIGNMENT);
  Question q = { .buffer = buffer, .size = ts_round_up (buffer->size, TS_DSA_ALIGNMENT), .at = lowest, .soft = !p->first_fit,
                 .summary = p->n_summaries == p->problem->n_kinds ? buffer->kind : 0 };
  ask_pairs (p, i);
  search (p, pool->root, pool->depth, &q);
  *added = 0;
  if (q.at <= limits->capacity - buffer->size)
    *offset = q.at;
  else if (p->first_fit || !find_cheapest (p, buffer, lowest, offset, added))
    return FALSE;
  if (p->first_fit)
    *added = penalty_at (p, pool->root, pool->depth, buffer, *offset, ts_add_sat (*offset, q.size));
  insert (p, i, *offset);
  return TRUE;
}

/* --- the whole ---------------------------------------------------------------------------------------------------------- */

/* Which kinds a column is closed to for good once it holds a given kind. */
static void
find_closed (TsDsaPlacer *p)
{
  guint32 n = p->problem->n_kinds;
  p->hard = g_new0 (guint64, MAX_SUMMARIES);
  p->soft = g_new0 (guint64, MAX_SUMMARIES);
  for (guint32 a = 0; a < n && p->n_summaries == n; a++)
    for (guint32 b = 0; b < n; b++)
      {
        if (p->problem->family[a] != p->problem->family[b])
          continue;
        gint64 before = ts_dsa_relation (p->relations, a, b), after = ts_dsa_relation (p->relations, b, a);
        if (before < 0)
          p->hard[a] |= G_GUINT64_CONSTANT (1) << b;
        if (before < 0 || (before > 0 && after > 0))
          p->soft[a] |= G_GUINT64_CONSTANT (1) << b;
      }
}

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
  p->n_summaries = p->problem->n_kinds >= 1 && p->problem->n_kinds <= MAX_SUMMARIES ? p->problem->n_kinds : 1;
  p->width = p->n_summaries * STRETCHES;
  p->pools = g_new0 (Pool, (gsize) p->problem->n_pools + 1);
  p->nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  p->stretches = g_array_new (FALSE, FALSE, sizeof (Stretch));
  p->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  p->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  p->hard_starts = g_array_new (FALSE, FALSE, sizeof (gint64));
  p->hard_ends = g_array_new (FALSE, FALSE, sizeof (gint64));
  p->soft_starts = g_array_new (FALSE, FALSE, sizeof (Weighed));
  p->soft_ends = g_array_new (FALSE, FALSE, sizeof (Weighed));
  p->candidates = g_array_new (FALSE, FALSE, sizeof (gint64));
  p->column_of = g_new (guint32, (gsize) p->problem->n + 1);
  find_closed (p);
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
  GArray *arrays[] = { p->nodes, p->stretches, p->entries, p->hard_starts, p->hard_ends, p->soft_starts, p->soft_ends,
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
  g_free (p->hard);
  g_free (p->soft);
  g_free (p->column_of);
  g_free (p);
}

guint64
ts_dsa_placer_work (const TsDsaPlacer *p)
{
  return p->work;
}
