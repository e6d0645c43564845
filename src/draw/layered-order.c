/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order within levels: a depth-first start, sweeps that sort by the mean place of neighbours, swaps of neighbours that remove
 * crossings. The best order seen is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/layered.h"

#define DEFAULT_SWEEPS 16u
/* Sweeps without a gain after which it stops. */
#define PATIENCE 4u
#define MAX_SWAP_ROUNDS 12u

/* Working memory of one run. */
typedef struct
{
  TsLayered *l;
  double    *key;    /* per node: where it wants to be */
  guint32   *best;   /* per node: position in the best order */
  guint64   *tree;   /* counting crossings */
  guint      tree_size;
  guint32   *widest; /* scratch of a level */
} Ordering;

static void
set_positions (TsLayered *l)
{
  for (guint level = 0; level < l->n_levels; level++)
    for (guint32 i = l->level_start[level]; i < l->level_start[level + 1]; i++)
      l->nodes[l->order[i]].pos = i - l->level_start[level];
}

static void
make_levels (TsLayered *l)
{
  g_autofree guint32 *cursor = NULL;

  l->level_start = g_new0 (guint32, l->n_levels + 1);
  l->order = g_new (guint32, MAX (l->n_nodes, 1));
  for (guint i = 0; i < l->n_nodes; i++)
    l->level_start[l->nodes[i].level + 1]++;
  for (guint level = 0; level < l->n_levels; level++)
    l->level_start[level + 1] += l->level_start[level];
  cursor = g_memdup2 (l->level_start, sizeof (guint32) * (l->n_levels + 1));
  for (guint i = 0; i < l->n_nodes; i++)
    l->order[cursor[l->nodes[i].level]++] = i;
  set_positions (l);
}

/* Walks down (or up) from each node in turn and gives every level its nodes in the order in which they are met: what belongs
 * together starts together. */
static void
start_order (TsLayered *l, gboolean upwards)
{
  const guint32 *start = upwards ? l->up_start : l->down_start, *list = upwards ? l->up : l->down;
  g_autofree guint8 *seen = g_new0 (guint8, MAX (l->n_nodes, 1));
  g_autofree guint32 *filled = g_memdup2 (l->level_start, sizeof (guint32) * (l->n_levels + 1));
  g_autofree guint32 *stack = g_new (guint32, MAX (l->n_nodes + l->n_pieces, 1));
  g_autofree guint32 *roots = g_memdup2 (l->order, sizeof (guint32) * MAX (l->n_nodes, 1));

  for (guint k = 0; k < l->n_nodes; k++)
    {
      guint depth = 0;

      stack[depth++] = roots[upwards ? l->n_nodes - 1 - k : k];
      while (depth > 0)
        {
          guint32 node = stack[--depth];

          if (seen[node])
            continue;
          seen[node] = TRUE;
          l->order[filled[l->nodes[node].level]++] = node;
          for (guint32 e = start[node + 1]; e-- > start[node];)
            {
              guint32 next = upwards ? l->pieces[list[e]].upper : l->pieces[list[e]].lower;

              if (!seen[next])
                stack[depth++] = next;
            }
        }
    }
  if (upwards)
    /* Met from the last root on: turned round, the first items stand left again. */
    for (guint level = 0; level < l->n_levels; level++)
      for (guint32 i = l->level_start[level], k = l->level_start[level + 1]; i + 1 < k; i++)
        {
          guint32 swap = l->order[i];

          l->order[i] = l->order[--k];
          l->order[k] = swap;
        }
  set_positions (l);
}

/* --- crossings ----------------------------------------------------------------------------------------------------------- */

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const guint32 *x = a, *y = b;

  if (x[0] != y[0])
    return x[0] < y[0] ? -1 : 1;
  return x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Between a level and the next: pieces sorted by upper end, inversions of the lower ends counted with a tree. O(E log V). */
static guint64
count_between (Ordering *o, guint level, GArray *triples)
{
  TsLayered *l = o->l;
  guint width = l->level_start[level + 2] - l->level_start[level + 1];
  guint first = 1;
  guint64 crossings = 0;

  g_array_set_size (triples, 0);
  for (guint32 i = l->level_start[level]; i < l->level_start[level + 1]; i++)
    {
      guint32 node = l->order[i];

      for (guint32 e = l->down_start[node]; e < l->down_start[node + 1]; e++)
        {
          const TsLevelEdge *piece = &l->pieces[l->down[e]];
          guint32 triple[3] = { l->nodes[node].pos, l->nodes[piece->lower].pos, piece->weight };

          g_array_append_val (triples, triple);
        }
    }
  qsort (triples->data, triples->len, sizeof (guint32[3]), compare_places);
  while (first < width)
    first *= 2;
  memset (o->tree, 0, sizeof *o->tree * (2 * first));
  for (guint k = 0; k < triples->len; k++)
    {
      const guint32 *triple = (const guint32 *) (gpointer) triples->data + 3 * k;
      guint64 right = 0;
      guint at = first + triple[1];

      o->tree[at] += triple[2];
      while (at > 1)
        {
          if (at % 2 == 0)
            right += o->tree[at + 1];
          at /= 2;
          o->tree[at] += triple[2];
        }
      crossings += right * triple[2];
    }
  return crossings;
}

static guint64
count_crossings (Ordering *o)
{
  g_autoptr (GArray) triples = g_array_new (FALSE, FALSE, sizeof (guint32[3]));
  guint64 sum = 0;

  for (guint level = 0; level + 1 < o->l->n_levels; level++)
    sum += count_between (o, level, triples);
  return sum;
}

/* --- sweeps -------------------------------------------------------------------------------------------------------------- */

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  const Ordering *o = data;
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  if (o->key[x] != o->key[y])
    return o->key[x] < o->key[y] ? -1 : 1;
  return o->l->nodes[x].pos < o->l->nodes[y].pos ? -1 : 1;
}

/* Median of the neighbours' places, leaning to the denser side; NAN when there are none. */
static double
median_place (const TsLayered *l, guint32 node, gboolean from_above, guint32 *places)
{
  const guint32 *start = from_above ? l->up_start : l->down_start, *list = from_above ? l->up : l->down;
  guint n = 0;

  for (guint32 e = start[node]; e < start[node + 1]; e++)
    {
      guint32 place = l->nodes[from_above ? l->pieces[list[e]].upper : l->pieces[list[e]].lower].pos;
      guint at = n++;

      /* Insertion: lists are short, and nearly sorted already. */
      for (; at > 0 && places[at - 1] > place; at--)
        places[at] = places[at - 1];
      places[at] = place;
    }
  if (n == 0)
    return NAN;
  if (n % 2 == 1)
    return places[n / 2];
  if (n == 2)
    return (places[0] + places[1]) / 2.0;
  {
    double left = places[n / 2 - 1] - places[0], right = places[n - 1] - places[n / 2];

    if (left + right <= 0)
      return places[n / 2];
    return (places[n / 2 - 1] * right + places[n / 2] * left) / (left + right);
  }
}

/* The mean instead: for nodes with very many neighbours, where insertion would be quadratic, and as the other measure. */
static double
mean_place (const TsLayered *l, guint32 node, gboolean from_above)
{
  const guint32 *start = from_above ? l->up_start : l->down_start, *list = from_above ? l->up : l->down;
  double sum = 0, weight = 0;

  for (guint32 e = start[node]; e < start[node + 1]; e++)
    {
      const TsLevelEdge *piece = &l->pieces[list[e]];

      sum += (double) l->nodes[from_above ? piece->upper : piece->lower].pos * piece->weight;
      weight += piece->weight;
    }
  return weight > 0 ? sum / weight : NAN;
}

static void
sort_level (Ordering *o, guint level, gboolean from_above, gboolean use_mean)
{
  TsLayered *l = o->l;
  guint32 first = l->level_start[level], end = l->level_start[level + 1];
  const guint32 *start = from_above ? l->up_start : l->down_start;
  double last = -1;

  for (guint32 i = first; i < end; i++)
    {
      guint32 node = l->order[i];
      gboolean many = start[node + 1] - start[node] > 64;
      double place = use_mean || many ? mean_place (l, node, from_above) : median_place (l, node, from_above, o->widest);

      /* Nothing pulls it: it stays beside its left neighbour. */
      o->key[node] = isnan (place) ? last : place;
      last = o->key[node];
    }
  g_qsort_with_data (l->order + first, (gint) (end - first), sizeof (guint32), compare_keys, o);
  for (guint32 i = first; i < end; i++)
    l->nodes[l->order[i]].pos = i - first;
}

/* Places of a node's neighbours, sorted, with weights. */
static guint
neighbour_places (const TsLayered *l, guint32 node, gboolean above, guint32 (*out)[2], guint max)
{
  const guint32 *start = above ? l->up_start : l->down_start, *list = above ? l->up : l->down;
  guint n = 0;

  for (guint32 e = start[node]; e < start[node + 1] && n < max; e++)
    {
      const TsLevelEdge *piece = &l->pieces[list[e]];
      guint32 place = l->nodes[above ? piece->upper : piece->lower].pos;
      guint at = n++;

      for (; at > 0 && out[at - 1][0] > place; at--)
        memcpy (out[at], out[at - 1], sizeof out[0]);
      out[at][0] = place;
      out[at][1] = piece->weight;
    }
  return n;
}

#define MAX_SWAP_DEGREE 48u

/* Crossings of two neighbours' pieces: as they stand, minus swapped. Above 0: a swap helps. */
static gint64
swap_gain (const TsLayered *l, guint32 left, guint32 right)
{
  gint64 gain = 0;

  for (guint above = 0; above < 2; above++)
    {
      guint32 a[MAX_SWAP_DEGREE][2], b[MAX_SWAP_DEGREE][2];
      guint n = neighbour_places (l, left, above, a, MAX_SWAP_DEGREE), m = neighbour_places (l, right, above, b, MAX_SWAP_DEGREE);
      guint less = 0, equal = 0;
      guint64 weight_less = 0, weight_equal = 0, weight_all = 0;

      for (guint k = 0; k < m; k++)
        weight_all += b[k][1];
      for (guint i = 0; i < n; i++)
        {
          while (less < m && b[less][0] < a[i][0])
            weight_less += b[less++][1];
          equal = MAX (equal, less);
          weight_equal = 0;
          for (guint k = less; k < m && b[k][0] == a[i][0]; k++)
            weight_equal += b[k][1];
          /* Now pieces of `right` that end left of ours cross it; swapped, those that end right of it do. */
          gain += (gint64) (a[i][1] * weight_less) - (gint64) (a[i][1] * (weight_all - weight_less - weight_equal));
        }
    }
  return gain;
}

/* Swaps neighbours while it removes crossings. With `sideways`, in one round also where it changes nothing: that leaves plateaus.
 */
static void
swap_neighbours (Ordering *o, gboolean sideways)
{
  TsLayered *l = o->l;
  g_autofree guint8 *active = g_malloc (MAX (l->n_levels, 1));
  gboolean improved = TRUE;

  memset (active, TRUE, MAX (l->n_levels, 1));
  for (guint round = 0; round < MAX_SWAP_ROUNDS && improved; round++)
    {
      improved = FALSE;
      for (guint level = 0; level < l->n_levels; level++)
        {
          gboolean changed = FALSE;

          if (!active[level])
            continue;
          active[level] = FALSE;
          for (guint32 i = l->level_start[level]; i + 1 < l->level_start[level + 1]; i++)
            {
              guint32 left = l->order[i], right = l->order[i + 1];
              gint64 gain = swap_gain (l, left, right);

              if (gain < 0 || (gain == 0 && !(sideways && round == 0)))
                continue;
              l->order[i] = right;
              l->order[i + 1] = left;
              l->nodes[right].pos--;
              l->nodes[left].pos++;
              changed |= gain > 0;
            }
          if (changed)
            {
              improved = TRUE;
              active[level] = TRUE;
              if (level > 0)
                active[level - 1] = TRUE;
              if (level + 1 < l->n_levels)
                active[level + 1] = TRUE;
            }
        }
    }
}

static void
keep_best (Ordering *o)
{
  for (guint i = 0; i < o->l->n_nodes; i++)
    o->best[i] = o->l->nodes[i].pos;
}

static void
restore_best (Ordering *o)
{
  TsLayered *l = o->l;

  for (guint i = 0; i < l->n_nodes; i++)
    {
      l->nodes[i].pos = o->best[i];
      l->order[l->level_start[l->nodes[i].level] + o->best[i]] = i;
    }
}

/* Sweeps down and up until nothing gets better; `best` is the least number of crossings so far and the order kept for it. */
static guint64
sweep (Ordering *o, guint sweeps, guint64 best)
{
  TsLayered *l = o->l;
  guint idle = 0;

  for (guint s = 0; s < sweeps && idle < PATIENCE && best > 0 && !g_cancellable_is_cancelled (l->cancellable); s++)
    {
      gboolean down = s % 2 == 0, use_mean = s % 4 >= 2;
      guint64 crossings;

      for (guint k = 1; k < l->n_levels; k++)
        sort_level (o, down ? k : l->n_levels - 1 - k, down, use_mean);
      swap_neighbours (o, s % 2 == 1);
      crossings = count_crossings (o);
      idle++;
      if (crossings < best)
        {
          best = crossings;
          idle = 0;
          keep_best (o);
        }
    }
  return best;
}

static int
compare_hints (gconstpointer a, gconstpointer b, gpointer data)
{
  const Ordering *o = data;
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  if (o->key[x] != o->key[y])
    return o->key[x] < o->key[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

/* Order of a previous layout: by the places the items had; passages and new items between their neighbours. */
static void
order_by_hints (Ordering *o)
{
  TsLayered *l = o->l;

  for (guint i = 0; i < l->n_nodes; i++)
    o->key[i] = l->nodes[i].item >= 0 ? l->items[l->nodes[i].item].hint : NAN;
  for (guint level = 0; level < l->n_levels; level++)
    for (guint32 i = l->level_start[level]; i < l->level_start[level + 1]; i++)
      {
        guint32 node = l->order[i];
        double sum = 0;
        guint n = 0;

        if (!isnan (o->key[node]))
          continue;
        for (guint32 e = l->up_start[node]; e < l->up_start[node + 1]; e++, n++)
          sum += o->key[l->pieces[l->up[e]].upper];
        o->key[node] = n > 0 && !isnan (sum) ? sum / n : 0;
      }
  for (guint level = 0; level < l->n_levels; level++)
    g_qsort_with_data (l->order + l->level_start[level], (gint) (l->level_start[level + 1] - l->level_start[level]),
                       sizeof (guint32), compare_hints, o);
  set_positions (l);
}

void
ts_layered_order (TsLayered *l)
{
  Ordering o = { .l = l };
  guint widest = 1;
  guint sweeps = l->sweeps > 0 ? l->sweeps : DEFAULT_SWEEPS;
  guint64 best;

  make_levels (l);
  for (guint level = 0; level < l->n_levels; level++)
    widest = MAX (widest, l->level_start[level + 1] - l->level_start[level]);
  while (o.tree_size < 4 * widest)
    o.tree_size = MAX (4, o.tree_size * 2);
  o.key = g_new0 (double, MAX (l->n_nodes, 1));
  o.best = g_new0 (guint32, MAX (l->n_nodes, 1));
  o.tree = g_new0 (guint64, o.tree_size);
  o.widest = g_new0 (guint32, 65);
  if (l->keep_order)
    {
      order_by_hints (&o);
      swap_neighbours (&o, FALSE);
      best = count_crossings (&o);
      keep_best (&o);
    }
  else
    {
      start_order (l, FALSE);
      swap_neighbours (&o, FALSE);
      best = count_crossings (&o);
      keep_best (&o);
      best = sweep (&o, sweeps, best);
      if (best > 0)
        {
          start_order (l, TRUE);
          best = sweep (&o, sweeps, best);
        }
    }
  restore_best (&o);
  l->crossings = best;
  g_free (o.key);
  g_free (o.best);
  g_free (o.tree);
  g_free (o.widest);
}
