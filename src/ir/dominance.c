/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dominators by the iterative scheme over reverse post-order (Cooper, Harvey, Kennedy), one region at a time. */
#include "ir/dominance.h"

typedef struct
{
  guint *idom;   /* by block index; the entry's is itself; G_MAXUINT: not reachable */
  guint *number; /* post-order number by block index */
} RegionInfo;

struct TsDominance
{
  GHashTable *positions; /* TsOp to its place in its block, from 1 */
  GHashTable *regions;   /* TsRegion to RegionInfo, only those with several blocks */
};

static void
region_info_free (gpointer data)
{
  RegionInfo *info = data;

  g_free (info->idom);
  g_free (info->number);
  g_free (info);
}

/* Post-order from the entry, with a stack of our own: a chain of blocks may be long. */
static GArray *
post_order (const TsRegion *region, guint *number)
{
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint *next = g_new0 (guint, region->n_blocks);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));
  guint entry = 0;

  for (guint b = 0; b < region->n_blocks; b++)
    number[b] = G_MAXUINT;
  number[0] = 0;
  g_array_append_val (stack, entry);
  while (stack->len > 0)
    {
      guint b = g_array_index (stack, guint, stack->len - 1);
      const TsOp *last = region->blocks[b]->last;

      if (last != NULL && next[b] < last->n_successors)
        {
          const TsBlock *successor = last->successors[next[b]++];

          if (successor->region == region && number[successor->index] == G_MAXUINT)
            {
              number[successor->index] = 0;
              g_array_append_val (stack, successor->index);
            }
          continue;
        }
      number[b] = order->len;
      g_array_append_val (order, b);
      g_array_set_size (stack, stack->len - 1);
    }
  return order;
}

static guint
intersect (const RegionInfo *info, guint a, guint b)
{
  while (a != b)
    {
      while (info->number[a] < info->number[b])
        a = info->idom[a];
      while (info->number[b] < info->number[a])
        b = info->idom[b];
    }
  return a;
}

static RegionInfo *
analyse_region (const TsRegion *region)
{
  RegionInfo *info = g_new0 (RegionInfo, 1);
  g_autoptr (GArray) order = NULL;
  gboolean changed = TRUE;

  info->idom = g_new (guint, region->n_blocks);
  info->number = g_new (guint, region->n_blocks);
  order = post_order (region, info->number);
  for (guint b = 0; b < region->n_blocks; b++)
    info->idom[b] = G_MAXUINT;
  info->idom[0] = 0;
  while (changed)
    {
      changed = FALSE;
      for (guint i = order->len; i-- > 0;)
        {
          guint b = g_array_index (order, guint, i);
          const TsOp *last = region->blocks[b]->last;

          if (info->idom[b] == G_MAXUINT || last == NULL)
            continue;
          for (guint s = 0; s < last->n_successors; s++)
            {
              const TsBlock *successor = last->successors[s];
              guint to, dominator;

              if (successor->region != region || successor->index == 0)
                continue;
              to = successor->index;
              dominator = info->idom[to] == G_MAXUINT ? b : intersect (info, info->idom[to], b);
              changed = changed || dominator != info->idom[to];
              info->idom[to] = dominator;
            }
        }
    }
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

void
ts_dominance_free (TsDominance *dominance)
{
  if (dominance == NULL)
    return;
  g_hash_table_unref (dominance->positions);
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

static gboolean
block_dominates (const TsDominance *dominance, const TsBlock *a, const TsBlock *b)
{
  const RegionInfo *info;
  guint at = b->index;

  if (a == b)
    return TRUE;
  info = g_hash_table_lookup (dominance->regions, a->region);
  if (info == NULL || info->idom[at] == G_MAXUINT) /* what cannot be reached is dominated by everything */
    return info != NULL;
  while (at != 0 && at != a->index)
    at = info->idom[at];
  return at == a->index;
}

gboolean
ts_dominance_op (const TsDominance *dominance, const TsOp *a, const TsOp *b)
{
  if (a->block == NULL)
    return FALSE;
  b = ancestor_in (b, a->block->region);
  if (b == NULL || a == b)
    return FALSE;
  if (a->block == b->block)
    return GPOINTER_TO_UINT (g_hash_table_lookup (dominance->positions, a))
           < GPOINTER_TO_UINT (g_hash_table_lookup (dominance->positions, b));
  return block_dominates (dominance, a->block, b->block);
}

gboolean
ts_dominance_value (const TsDominance *dominance, const TsValue *value, const TsOp *op)
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
