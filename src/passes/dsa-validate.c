/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The check of a placement. It shares nothing with the search: two sweeps over sorted buffers, one through time (whose lives meet
 * must not share bytes) and one through addresses (whose kinds must not). */
#include <stdlib.h>

#include "base/number.h"
#include "passes/dsa-rp.h"

typedef struct
{
  const TsDsaProblem *problem;
  const gint64       *offsets;
} Check;

static gint64
end_of (const Check *c, guint32 i)
{
  return c->offsets[i] + c->problem->buffers[i].size;
}

static char *
sharing (guint32 a, guint32 b)
{
  return g_strdup_printf ("buffers %u and %u share bytes but must not", MIN (a, b), MAX (a, b));
}

static char *
check_places (const Check *c)
{
  const TsDsaProblem *p = c->problem;
  for (guint32 i = 0; i < p->n; i++)
    {
      const TsDsaPool *pool = &p->pools[p->buffers[i].pool];
      gint64 end;
      if (c->offsets[i] < 0 || c->offsets[i] % TS_DSA_ALIGNMENT != 0)
        return g_strdup_printf ("buffer %u has no aligned address", i);
      if (c->offsets[i] < pool->reserved)
        return g_strdup_printf ("buffer %u lies in reserved bytes", i);
      if (!ts_add (c->offsets[i], p->buffers[i].size, &end) || end > pool->capacity)
        return g_strdup_printf ("buffer %u ends beyond its pool", i);
    }
  return NULL;
}

static char *
check_pairs (const Check *c)
{
  const TsDsaProblem *p = c->problem;
  for (guint32 k = 0; k < p->n_pairs; k++)
    {
      guint32 a = p->pairs[k].a, b = p->pairs[k].b;
      if (p->pairs[k].weight < 0 && p->buffers[a].pool == p->buffers[b].pool && c->offsets[a] < end_of (c, b)
          && c->offsets[b] < end_of (c, a))
        return sharing (a, b);
    }
  return NULL;
}

/* --- through time ------------------------------------------------------------------------------------------------------- */

static int
compare_addresses (gconstpointer x, gconstpointer y, gpointer data)
{
  const Check *c = data;
  guint32 a = GPOINTER_TO_UINT (x), b = GPOINTER_TO_UINT (y);
  guint32 pool_a = c->problem->buffers[a].pool, pool_b = c->problem->buffers[b].pool;
  if (pool_a != pool_b)
    return pool_a < pool_b ? -1 : 1;
  return c->offsets[a] < c->offsets[b] ? -1 : c->offsets[a] > c->offsets[b];
}

typedef struct
{
  guint32 at, buffer;
  gboolean begins;
} Moment;

static int
compare_moments (gconstpointer x, gconstpointer y)
{
  const Moment *a = x, *b = y;
  if (a->at != b->at)
    return a->at < b->at ? -1 : 1;
  return a->begins != b->begins ? (a->begins ? 1 : -1) : 0; /* what ends goes first */
}

/* Buffers that are live together, by address: each newcomer must fit between its two neighbours. */
static char *
check_lives (const Check *c)
{
  const TsDsaProblem *p = c->problem;
  g_autofree Moment *moments = g_new (Moment, (gsize) p->n * 2 + 1);
  g_autoptr (GTree) live = g_tree_new_full (compare_addresses, (gpointer) c, NULL, NULL);
  for (guint32 i = 0; i < p->n; i++)
    {
      moments[2 * i] = (Moment) { p->buffers[i].begin, i, TRUE };
      moments[2 * i + 1] = (Moment) { p->buffers[i].end, i, FALSE };
    }
  qsort (moments, (gsize) p->n * 2, sizeof (Moment), compare_moments);
  for (gsize k = 0; k < (gsize) p->n * 2; k++)
    {
      guint32 i = moments[k].buffer;
      if (!moments[k].begins)
        {
          g_tree_remove (live, GUINT_TO_POINTER (i));
          continue;
        }
      GTreeNode *above = g_tree_lower_bound (live, GUINT_TO_POINTER (i));
      GTreeNode *below = above != NULL ? g_tree_node_previous (above) : g_tree_node_last (live);
      guint32 high = above != NULL ? GPOINTER_TO_UINT (g_tree_node_key (above)) : i;
      guint32 low = below != NULL ? GPOINTER_TO_UINT (g_tree_node_key (below)) : i;
      if (high != i && p->buffers[high].pool == p->buffers[i].pool && c->offsets[high] < end_of (c, i))
        return sharing (i, high);
      if (low != i && p->buffers[low].pool == p->buffers[i].pool && end_of (c, low) > c->offsets[i])
        return sharing (i, low);
      g_tree_insert (live, GUINT_TO_POINTER (i), NULL);
    }
  return NULL;
}

/* --- through addresses -------------------------------------------------------------------------------------------------- */

static int
by_family (gconstpointer x, gconstpointer y, gpointer data)
{
  const Check *c = data;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  const TsDsaBuffer *ba = &c->problem->buffers[a], *bb = &c->problem->buffers[b];
  guint32 family_a = c->problem->family[ba->kind], family_b = c->problem->family[bb->kind];
  if (ba->pool != bb->pool)
    return ba->pool < bb->pool ? -1 : 1;
  if (family_a != family_b)
    return family_a < family_b ? -1 : 1;
  if (c->offsets[a] != c->offsets[b])
    return c->offsets[a] < c->offsets[b] ? -1 : 1;
  return a < b ? -1 : a > b;
}

/* Of each kind that reaches up to here, the buffer that reaches farthest. */
static char *
check_kind (const Check *c, GArray *reaching, guint32 i)
{
  const TsDsaProblem *p = c->problem;
  guint32 kind = p->buffers[i].kind, own = G_MAXUINT32;
  for (guint k = 0; k < reaching->len;)
    {
      guint32 other = g_array_index (reaching, guint32, k);
      if (end_of (c, other) <= c->offsets[i])
        {
          g_array_remove_index_fast (reaching, k);
          continue;
        }
      if (p->relation (p->buffers[other].kind, kind, p->data) < 0)
        return sharing (i, other);
      if (p->buffers[other].kind == kind)
        own = k;
      k++;
    }
  if (own == G_MAXUINT32)
    g_array_append_val (reaching, i);
  else if (end_of (c, g_array_index (reaching, guint32, own)) < end_of (c, i))
    g_array_index (reaching, guint32, own) = i;
  return NULL;
}

static char *
check_kinds (const Check *c)
{
  const TsDsaProblem *p = c->problem;
  g_autofree guint32 *order = g_new (guint32, (gsize) p->n + 1);
  g_autoptr (GArray) reaching = g_array_new (FALSE, FALSE, sizeof (guint32));
  char *wrong = NULL;
  for (guint32 i = 0; i < p->n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) p->n, sizeof (guint32), by_family, (gpointer) c);
  for (guint32 k = 0; k < p->n && wrong == NULL && p->relation != NULL; k++)
    {
      const TsDsaBuffer *buffer = &p->buffers[order[k]], *before = k > 0 ? &p->buffers[order[k - 1]] : NULL;
      if (before == NULL || before->pool != buffer->pool || p->family[before->kind] != p->family[buffer->kind])
        g_array_set_size (reaching, 0);
      wrong = check_kind (c, reaching, order[k]);
    }
  return wrong;
}

static int
by_address (gconstpointer x, gconstpointer y, gpointer data)
{
  const Check *c = data;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  int order = compare_addresses (GUINT_TO_POINTER (a), GUINT_TO_POINTER (b), data);
  return order != 0 ? order : (int) c->problem->buffers[b].exclusive - (int) c->problem->buffers[a].exclusive;
}

/* Nobody reaches into an exclusive buffer, and it reaches into nobody. */
static char *
check_exclusive (const Check *c)
{
  const TsDsaProblem *p = c->problem;
  g_autofree guint32 *order = g_new (guint32, (gsize) p->n + 1);
  guint32 farthest = G_MAXUINT32, exclusive = G_MAXUINT32; /* of all before, and of the exclusive ones among them */
  for (guint32 i = 0; i < p->n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) p->n, sizeof (guint32), by_address, (gpointer) c);
  for (guint32 k = 0; k < p->n; k++)
    {
      guint32 i = order[k];
      if (k > 0 && p->buffers[order[k - 1]].pool != p->buffers[i].pool)
        farthest = exclusive = G_MAXUINT32;
      guint32 other = p->buffers[i].exclusive ? farthest : exclusive;
      if (other != G_MAXUINT32 && end_of (c, other) > c->offsets[i])
        return sharing (i, other);
      if (farthest == G_MAXUINT32 || end_of (c, farthest) < end_of (c, i))
        farthest = i;
      if (p->buffers[i].exclusive)
        exclusive = i;
    }
  return NULL;
}

char *
ts_dsa_validate (const TsDsaProblem *p, const gint64 *offsets)
{
  static char *(*const checks[]) (const Check *) = { check_places, check_pairs, check_lives, check_kinds, check_exclusive };
  Check c = { p, offsets };
  char *wrong = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (checks) && wrong == NULL; i++)
    wrong = checks[i] (&c);
  return wrong;
}
