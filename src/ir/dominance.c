/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dominators by Lengauer and Tarjan's algorithm with path compression, one region at a time. Source: "A fast algorithm for finding
 * dominators in a flowgraph", TOPLAS 1979. Vertices are numbered in the order a depth-first search meets them. */
#include "ir/dominance.h"

#define NONE G_MAXUINT

/* By block index: place in a walk over the dominator tree, and how many follow below. What a block dominates is a range. */
typedef struct
{
  guint *place; /* NONE: not reachable */
  guint *size;
} RegionInfo;

struct TsDominance
{
  GHashTable *positions; /* TsOp to its place in its block, from 1; NULL: numbers say */
  guint32 *const *numbers;
  GHashTable *regions;   /* TsRegion to RegionInfo, only those with several blocks */
};

static void
region_info_free (gpointer data)
{
  RegionInfo *info = data;

  g_free (info->place);
  g_free (info->size);
  g_free (info);
}

/* All by vertex, but `number`, which is by block index. */
typedef struct
{
  guint  n;
  guint *number, *block, *parent;
  guint *first, *sources; /* predecessors of v: sources[first[v]] .. sources[first[v + 1] - 1] */
  guint *semi, *label, *ancestor, *dominator;
  guint *bucket, *next; /* lists of vertices by semidominator */
  GArray *path;
} Search;

/* With a stack of our own: a chain of blocks may be long. */
static void
number_blocks (Search *s, const TsRegion *region)
{
  g_autofree guint *next = g_new0 (guint, region->n_blocks);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));
  guint entry = 0;

  for (guint b = 0; b < region->n_blocks; b++)
    s->number[b] = NONE;
  s->number[0] = s->n++;
  s->parent[0] = s->block[0] = 0;
  g_array_append_val (stack, entry);
  while (stack->len > 0)
    {
      guint b = g_array_index (stack, guint, stack->len - 1);
      const TsOp *last = region->blocks[b]->last;
      const TsBlock *successor;

      if (last == NULL || next[b] >= last->n_successors)
        {
          g_array_set_size (stack, stack->len - 1);
          continue;
        }
      successor = last->successors[next[b]++];
      if (successor->region != region || s->number[successor->index] != NONE)
        continue;
      s->parent[s->n] = s->number[b];
      s->block[s->n] = successor->index;
      s->number[successor->index] = s->n++;
      g_array_append_val (stack, successor->index);
    }
}

static void
collect_sources (Search *s, const TsRegion *region)
{
  g_autofree guint *fill = NULL;

  s->first = g_new0 (guint, s->n + 1);
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint v = 0; v < s->n; v++)
        {
          const TsOp *last = region->blocks[s->block[v]]->last;

          for (guint i = 0; last != NULL && i < last->n_successors; i++)
            if (last->successors[i]->region == region)
              {
                guint to = s->number[last->successors[i]->index];

                if (pass == 0)
                  s->first[to + 1]++;
                else
                  s->sources[fill[to]++] = v;
              }
        }
      if (pass == 1)
        return;
      for (guint v = 0; v < s->n; v++)
        s->first[v + 1] += s->first[v];
      s->sources = g_new (guint, MAX (s->first[s->n], 1u));
      fill = g_memdup2 (s->first, sizeof (guint) * (s->n + 1));
    }
}

/* The vertex of least semidominator on the way from v up the forest built so far, which gets shorter by it. */
static guint
evaluate (Search *s, guint v)
{
  if (s->ancestor[v] == NONE)
    return v;
  g_array_set_size (s->path, 0);
  for (guint at = v; s->ancestor[s->ancestor[at]] != NONE; at = s->ancestor[at])
    g_array_append_val (s->path, at);
  for (guint i = s->path->len; i-- > 0;)
    {
      guint at = g_array_index (s->path, guint, i), above = s->ancestor[at];

      if (s->semi[s->label[above]] < s->semi[s->label[at]])
        s->label[at] = s->label[above];
      s->ancestor[at] = s->ancestor[above];
    }
  return s->label[v];
}

static void
find_dominators (Search *s)
{
  for (guint v = 0; v < s->n; v++)
    {
      s->semi[v] = s->label[v] = v;
      s->ancestor[v] = s->bucket[v] = s->next[v] = NONE;
    }
  for (guint w = s->n; w-- > 1;)
    {
      guint parent = s->parent[w];

      for (guint i = s->first[w]; i < s->first[w + 1]; i++)
        s->semi[w] = MIN (s->semi[w], s->semi[evaluate (s, s->sources[i])]);
      s->next[w] = s->bucket[s->semi[w]];
      s->bucket[s->semi[w]] = w;
      s->ancestor[w] = parent;
      for (guint v = s->bucket[parent]; v != NONE; v = s->next[v])
        {
          guint u = evaluate (s, v);

          s->dominator[v] = s->semi[u] < s->semi[v] ? u : parent;
        }
      s->bucket[parent] = NONE;
    }
  s->dominator[0] = 0;
  for (guint w = 1; w < s->n; w++)
    if (s->dominator[w] != s->semi[w])
      s->dominator[w] = s->dominator[s->dominator[w]];
}

/* A dominator has the lower number, so that sizes add up from behind and places are dealt out from the front. */
static RegionInfo *
lay_out_tree (Search *s, guint n_blocks)
{
  RegionInfo *info = g_new0 (RegionInfo, 1);
  g_autofree guint *size = g_new (guint, s->n), *place = g_new (guint, s->n), *next = g_new (guint, s->n);

  info->place = g_new (guint, n_blocks);
  info->size = g_new0 (guint, n_blocks);
  for (guint v = 0; v < s->n; v++)
    size[v] = 1;
  for (guint v = s->n; v-- > 1;)
    size[s->dominator[v]] += size[v];
  for (guint v = 0; v < s->n; v++)
    {
      place[v] = 0;
      if (v > 0)
        {
          place[v] = next[s->dominator[v]];
          next[s->dominator[v]] += size[v];
        }
      next[v] = place[v] + 1;
    }
  for (guint b = 0; b < n_blocks; b++)
    {
      info->place[b] = s->number[b] != NONE ? place[s->number[b]] : NONE;
      info->size[b] = s->number[b] != NONE ? size[s->number[b]] : 0;
    }
  return info;
}

static RegionInfo *
analyse_region (const TsRegion *region)
{
  guint **arrays[9];
  Search s = { 0 };
  RegionInfo *info;
  guint n = 0;

  arrays[n++] = &s.number, arrays[n++] = &s.block, arrays[n++] = &s.parent, arrays[n++] = &s.semi, arrays[n++] = &s.label;
  arrays[n++] = &s.ancestor, arrays[n++] = &s.dominator, arrays[n++] = &s.bucket, arrays[n++] = &s.next;
  for (guint i = 0; i < n; i++)
    *arrays[i] = g_new0 (guint, region->n_blocks);
  s.path = g_array_new (FALSE, FALSE, sizeof (guint));
  number_blocks (&s, region);
  collect_sources (&s, region);
  find_dominators (&s);
  info = lay_out_tree (&s, region->n_blocks);
  for (guint i = 0; i < n; i++)
    g_free (*arrays[i]);
  g_free (s.first);
  g_free (s.sources);
  g_array_unref (s.path);
  return info;
}

static void
number_region (TsDominance *dominance, const TsRegion *region)
{
  if (region->n_blocks > 1)
    g_hash_table_insert (dominance->regions, (gpointer) region, analyse_region (region));
  for (guint b = 0; b < region->n_blocks; b++)
    {
      guint position = 1;

      for (const TsOp *op = region->blocks[b]->first; op != NULL; op = op->next, position++)
        {
          g_hash_table_insert (dominance->positions, (gpointer) op, GUINT_TO_POINTER (position));
          for (guint r = 0; r < op->n_regions; r++)
            number_region (dominance, &op->regions[r]);
        }
    }
}

TsDominance *
ts_dominance_new (const TsFunction *function)
{
  TsDominance *dominance = g_new0 (TsDominance, 1);

  dominance->positions = g_hash_table_new (NULL, NULL);
  dominance->regions = g_hash_table_new_full (NULL, NULL, NULL, region_info_free);
  number_region (dominance, &function->body);
  return dominance;
}

TsDominance *
ts_dominance_new_numbered (guint32 *const *numbers)
{
  TsDominance *dominance = g_new0 (TsDominance, 1);

  dominance->numbers = numbers;
  dominance->regions = g_hash_table_new_full (NULL, NULL, NULL, region_info_free);
  return dominance;
}

void
ts_dominance_free (TsDominance *dominance)
{
  if (dominance == NULL)
    return;
  g_clear_pointer (&dominance->positions, g_hash_table_unref);
  g_hash_table_unref (dominance->regions);
  g_free (dominance);
}

/* The operation around `op` (or itself) that stands directly in `region`; NULL when there is none. */
static const TsOp *
ancestor_in (const TsOp *op, const TsRegion *region)
{
  while (op != NULL && op->block != NULL && op->block->region != region)
    op = op->block->region->op;
  return op != NULL && op->block != NULL ? op : NULL;
}

/* NULL: the region has one block. */
static const RegionInfo *
region_info (TsDominance *dominance, const TsRegion *region)
{
  RegionInfo *info = g_hash_table_lookup (dominance->regions, region);

  if (info == NULL && dominance->numbers != NULL && region->n_blocks > 1)
    g_hash_table_insert (dominance->regions, (gpointer) region, info = analyse_region (region));
  return info;
}

static guint
position (const TsDominance *dominance, const TsOp *op)
{
  return dominance->numbers != NULL ? (*dominance->numbers)[op->id]
                                    : GPOINTER_TO_UINT (g_hash_table_lookup (dominance->positions, op));
}

static gboolean
block_dominates (TsDominance *dominance, const TsBlock *a, const TsBlock *b)
{
  const RegionInfo *info;
  guint place;

  if (a == b)
    return TRUE;
  info = region_info (dominance, a->region);
  if (info == NULL)
    return FALSE;
  place = info->place[b->index];
  if (place == NONE) /* what cannot be reached is dominated by everything */
    return TRUE;
  return info->place[a->index] != NONE && place >= info->place[a->index] && place - info->place[a->index] < info->size[a->index];
}

gboolean
ts_dominance_op (TsDominance *dominance, const TsOp *a, const TsOp *b)
{
  if (a->block == NULL)
    return FALSE;
  b = ancestor_in (b, a->block->region);
  if (b == NULL || a == b)
    return FALSE;
  if (a->block == b->block)
    return position (dominance, a) < position (dominance, b);
  return block_dominates (dominance, a->block, b->block);
}

gboolean
ts_dominance_value (TsDominance *dominance, const TsValue *value, const TsOp *op)
{
  if (value->kind == TS_VALUE_PARAM)
    return TRUE;
  if (value->kind == TS_VALUE_BLOCK_ARG && value->block != NULL)
    {
      const TsOp *at = ancestor_in (op, value->block->region);

      return at != NULL && block_dominates (dominance, value->block, at->block);
    }
  return value->kind == TS_VALUE_RESULT && value->def != NULL && ts_dominance_op (dominance, value->def, op);
}
