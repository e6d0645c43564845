/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order within levels: a depth-first start, sweeps that sort by the mean place of neighbours, swaps of neighbours that remove
 * crossings. The best order seen is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/layered.h"

#define DEFAULT_SWEEPS 40u
#define START_SWEEPS 8u
/* Sweeps without a gain worth the name after which it stops. */
#define PATIENCE 16u
/* After so many it goes on from the best order. */
#define RESTART 8u
/* Sweeps in which ties turn: bits from the first on. */
#define TIE_PATTERN 0x0Au
#define TIE_PERIOD 8u
#define CONVERGENCE 0.995
#define MAX_SWAP_ROUNDS 12u
/* Places to either side that a node is tried at, and how often all are. */
#define SIFT_REACH 30u
#define SIFT_ROUNDS 6u
#define SIDEWAYS_ROUNDS 20u

/* Where a neighbour stands, and how many edges lead there. */
typedef struct { guint32 at, weight; } Place;

/* Working memory of one run. */
typedef struct
{
  TsLayered *l;
  double    *key;    /* per node: where it wants to be */
  guint32   *best;   /* per node: position in the best order */
  guint64   *tree;   /* counting crossings */
  guint      tree_size;
  Place     *up, *down; /* per entry of the level graph's up and down: sorted within a node; valid while the level is looked at */
  guint32   *moved, *slots; /* scratch of a level */
  gboolean   turn_ties;
  guint64   *count, *least; /* per part: crossings as it stands, and of its best order */
  guint32   *part;   /* per node: its connected part; parts stand side by side and never mix */
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

static guint32
find_part (guint32 *part, guint32 node)
{
  while (part[node] != node)
    {
      part[node] = part[part[node]];
      node = part[node];
    }
  return node;
}

/* Numbers the connected parts in the order of their first node. */
static guint32 *
find_parts (const TsLayered *l)
{
  guint32 *part = g_new (guint32, MAX (l->n_nodes, 1));

  for (guint i = 0; i < l->n_nodes; i++)
    part[i] = i;
  for (guint p = 0; p < l->n_pieces; p++)
    {
      guint32 a = find_part (part, l->pieces[p].upper), b = find_part (part, l->pieces[p].lower);

      part[MAX (a, b)] = MIN (a, b);
    }
  for (guint i = 0; i < l->n_nodes; i++)
    part[i] = find_part (part, i);
  return part;
}

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  const Ordering *o = data;
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  if (o->part[x] != o->part[y])
    return o->part[x] < o->part[y] ? -1 : 1;
  if (o->key[x] != o->key[y])
    return o->key[x] < o->key[y] ? -1 : 1;
  return o->l->nodes[x].pos < o->l->nodes[y].pos ? -1 : 1;
}

/* Keeps the order within each part and puts the parts side by side. */
static void
separate_parts (Ordering *o)
{
  TsLayered *l = o->l;

  for (guint i = 0; i < l->n_nodes; i++)
    o->key[i] = l->nodes[i].pos;
  for (guint level = 0; level < l->n_levels; level++)
    g_qsort_with_data (l->order + l->level_start[level], (gint) (l->level_start[level + 1] - l->level_start[level]),
                       sizeof (guint32), compare_keys, o);
  set_positions (l);
}

/* Walks down (or up) from each node in turn and gives every level its nodes in the order in which they are met: what belongs
 * together starts together. */
static void
start_order (Ordering *o, gboolean upwards)
{
  TsLayered *l = o->l;
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
  separate_parts (o);
}

/* Reads where the neighbours above (or below) of a node stand, in order. Lists are short and nearly sorted: insertion. */
static void
fill_node (Ordering *o, guint32 node, gboolean above)
{
  const TsLayered *l = o->l;
  guint32 first = above ? l->up_start[node] : l->down_start[node], end = above ? l->up_start[node + 1] : l->down_start[node + 1];
  const guint32 *list = above ? l->up : l->down;
  Place *places = above ? o->up : o->down;

  for (guint32 e = first; e < end; e++)
    {
      const TsLevelEdge *piece = &l->pieces[list[e]];
      Place place = { l->nodes[above ? piece->upper : piece->lower].pos, piece->weight };
      guint32 at = e;

      for (; at > first && places[at - 1].at > place.at; at--)
        places[at] = places[at - 1];
      places[at] = place;
    }
}

/* --- crossings ----------------------------------------------------------------------------------------------------------- */

/* Between a level and the next: pieces in order of their upper end, then of the lower; inversions counted with a tree. O(E log V).
 */
static guint64
count_between (Ordering *o, guint level)
{
  TsLayered *l = o->l;
  guint width = l->level_start[level + 2] - l->level_start[level + 1];
  guint first = 1;
  guint64 crossings = 0;

  while (first < width)
    first *= 2;
  memset (o->tree, 0, sizeof *o->tree * (2 * first));
  for (guint32 i = l->level_start[level]; i < l->level_start[level + 1]; i++)
    {
      guint32 node = l->order[i];

      fill_node (o, node, FALSE);
      for (guint32 e = l->down_start[node]; e < l->down_start[node + 1]; e++)
        {
          guint64 right = 0;
          guint32 weight = o->down[e].weight;
          guint at = first + o->down[e].at;

          o->tree[at] += weight;
          while (at > 1)
            {
              if (at % 2 == 0)
                right += o->tree[at + 1];
              at /= 2;
              o->tree[at] += weight;
            }
          crossings += right * weight;
          o->count[o->part[node]] += right * weight;
        }
    }
  return crossings;
}

static guint64
count_crossings (Ordering *o)
{
  guint64 sum = 0;

  memset (o->count, 0, sizeof *o->count * o->l->n_nodes);
  for (guint level = 0; level + 1 < o->l->n_levels; level++)
    sum += count_between (o, level);
  return sum;
}

/* --- sweeps -------------------------------------------------------------------------------------------------------------- */

/* Median of the neighbours' places, leaning to the denser side; NAN when there are none. */
static double
median_place (Ordering *o, guint32 node, gboolean from_above)
{
  const guint32 *start = from_above ? o->l->up_start : o->l->down_start;
  const Place *places = (from_above ? o->up : o->down) + start[node];
  guint n = start[node + 1] - start[node];
  double left, right;

  fill_node (o, node, from_above);
  if (n == 0)
    return NAN;
  if (n % 2 == 1)
    return places[n / 2].at;
  if (n == 2)
    return (places[0].at + places[1].at) / 2.0;
  left = places[n / 2 - 1].at - places[0].at;
  right = places[n - 1].at - places[n / 2].at;
  if (left + right <= 0)
    return places[n / 2].at;
  return (places[n / 2 - 1].at * right + places[n / 2].at * left) / (left + right);
}

static int
compare_moved (gconstpointer a, gconstpointer b, gpointer data)
{
  const Ordering *o = data;
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  guint32 px = o->l->nodes[x].pos, py = o->l->nodes[y].pos;

  if (o->key[x] != o->key[y])
    return o->key[x] < o->key[y] ? -1 : 1;
  return (px < py) != o->turn_ties ? -1 : 1;
}

/* Sorts the nodes of [first, end) that have neighbours on the fixed side among the slots they hold; the others keep their places.
 */
static void
sort_part (Ordering *o, guint32 first, guint32 end, gboolean from_above)
{
  TsLayered *l = o->l;
  guint n = 0;

  for (guint32 i = first; i < end; i++)
    {
      guint32 node = l->order[i];

      o->key[node] = median_place (o, node, from_above);
      if (!isnan (o->key[node]))
        o->moved[n++] = node;
    }
  g_qsort_with_data (o->moved, (gint) n, sizeof (guint32), compare_moved, o);
  for (guint32 i = first, k = 0; i < end; i++)
    if (!isnan (o->key[l->order[i]]))
      o->slots[k++] = i;
  for (guint k = 0; k < n; k++)
    l->order[o->slots[k]] = o->moved[k];
}

static void
sort_level (Ordering *o, guint level, gboolean from_above)
{
  TsLayered *l = o->l;
  guint32 end = l->level_start[level + 1];

  for (guint32 i = l->level_start[level], k; i < end; i = k)
    {
      for (k = i + 1; k < end && o->part[l->order[k]] == o->part[l->order[i]]; k++)
        ;
      sort_part (o, i, k, from_above);
    }
  for (guint32 i = l->level_start[level]; i < end; i++)
    l->nodes[l->order[i]].pos = i - l->level_start[level];
}

/* Crossings between the pieces of two neighbours: as they stand, and were they swapped. */
static void
count_pair (const Place *a, guint n, const Place *b, guint m, gint64 *now, gint64 *swapped)
{
  guint64 less = 0, all = 0;
  guint k = 0;

  if (n == 0 || m == 0)
    return;
  for (guint i = 0; i < m; i++)
    all += b[i].weight;
  for (guint i = 0; i < n; i++)
    {
      guint64 equal = 0;

      while (k < m && b[k].at < a[i].at)
        less += b[k++].weight;
      for (guint j = k; j < m && b[j].at == a[i].at; j++)
        equal += b[j].weight;
      *now += (gint64) (a[i].weight * less);
      *swapped += (gint64) (a[i].weight * (all - less - equal));
    }
}

/* Crossings that a swap of two neighbours removes; below 0 when it removes none. Their places have been read. */
static gint64
swap_gain (const Ordering *o, guint32 left, guint32 right)
{
  const TsLayered *l = o->l;
  const Place *up_left = o->up + l->up_start[left], *up_right = o->up + l->up_start[right];
  const Place *down_left = o->down + l->down_start[left], *down_right = o->down + l->down_start[right];
  guint n = l->up_start[left + 1] - l->up_start[left], m = l->up_start[right + 1] - l->up_start[right];
  guint p = l->down_start[left + 1] - l->down_start[left], q = l->down_start[right + 1] - l->down_start[right];
  gint64 now = 0, swapped = 0;

  /* Most neighbours do not cross at all, and most often one look at the ends tells: then there is nothing to gain. */
  if ((n == 0 || m == 0 || up_left[n - 1].at <= up_right[0].at)
      && (p == 0 || q == 0 || down_left[p - 1].at <= down_right[0].at))
    return -1;
  count_pair (up_left, n, up_right, m, &now, &swapped);
  count_pair (down_left, p, down_right, q, &now, &swapped);
  return now - swapped;
}

static gint64
full_gain (const Ordering *o, guint32 left, guint32 right)
{
  const TsLayered *l = o->l;
  gint64 now = 0, swapped = 0;

  count_pair (o->up + l->up_start[left], l->up_start[left + 1] - l->up_start[left], o->up + l->up_start[right],
              l->up_start[right + 1] - l->up_start[right], &now, &swapped);
  count_pair (o->down + l->down_start[left], l->down_start[left + 1] - l->down_start[left], o->down + l->down_start[right],
              l->down_start[right + 1] - l->down_start[right], &now, &swapped);
  return now - swapped;
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
          for (guint32 i = l->level_start[level]; i < l->level_start[level + 1]; i++)
            {
              fill_node (o, l->order[i], TRUE);
              fill_node (o, l->order[i], FALSE);
            }
          for (guint32 i = l->level_start[level]; i + 1 < l->level_start[level + 1]; i++)
            {
              guint32 left = l->order[i], right = l->order[i + 1];
              gint64 gain = swap_gain (o, left, right);

              if (gain < 0 || (gain == 0 && !(sideways && round < SIDEWAYS_ROUNDS)) || o->part[left] != o->part[right])
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

/* Best gain of moving the node at `from` through its neighbours on one side, and how far. */
static gint64
best_shift (const Ordering *o, guint32 first, guint32 end, guint32 from, gint step, guint32 *to)
{
  const TsLayered *l = o->l;
  guint32 node = l->order[from];
  gint64 sum = 0, best = 0;

  *to = from;
  for (guint k = 1; k <= SIFT_REACH; k++)
    {
      gint64 at = (gint64) from + step * (gint64) k;
      guint32 other;

      if (at < first || at >= end || o->part[l->order[at]] != o->part[node])
        break;
      other = l->order[at];
      sum += step > 0 ? full_gain (o, node, other) : full_gain (o, other, node);
      if (sum > best)
        {
          best = sum;
          *to = (guint32) at;
        }
    }
  return best;
}

/* Moves each node of a level to the best place within reach, past others that it would be worse beside. */
static gboolean
sift_level (Ordering *o, guint level)
{
  TsLayered *l = o->l;
  guint32 first = l->level_start[level], end = l->level_start[level + 1];
  gboolean changed = FALSE;

  memcpy (o->moved, l->order + first, sizeof (guint32) * (end - first));
  for (guint32 i = first; i < end; i++)
    {
      fill_node (o, l->order[i], TRUE);
      fill_node (o, l->order[i], FALSE);
    }
  for (guint k = 0; k < end - first; k++)
    {
      guint32 node = o->moved[k], from = first + l->nodes[node].pos, left, right;
      gint64 gain_left = best_shift (o, first, end, from, -1, &left), gain_right = best_shift (o, first, end, from, 1, &right);
      guint32 to = gain_left >= gain_right ? left : right;
      gint step = to > from ? 1 : -1;

      for (guint32 at = from; at != to; at += (guint32) step)
        {
          l->order[at] = l->order[at + (guint32) step];
          l->nodes[l->order[at]].pos -= (guint32) step;
        }
      l->order[to] = node;
      l->nodes[node].pos = to - first;
      changed |= to != from;
    }
  return changed;
}

static void
sift (Ordering *o)
{
  gboolean changed = TRUE;

  for (guint round = 0; round < SIFT_ROUNDS && changed && !g_cancellable_is_cancelled (o->l->cancellable); round++)
    {
      changed = FALSE;
      for (guint k = 0; k < o->l->n_levels; k++)
        changed |= sift_level (o, round % 2 == 0 ? k : o->l->n_levels - 1 - k);
    }
}

/* Keeps the order of every part that has fewer crossings than before: parts do not mix, so each has a best order of its own.
 * Returns the crossings of the best orders together. */
static guint64
keep_best (Ordering *o)
{
  guint64 sum = 0;

  count_crossings (o);
  for (guint i = 0; i < o->l->n_nodes; i++)
    if (o->count[o->part[i]] < o->least[o->part[i]])
      o->best[i] = o->l->nodes[i].pos;
  for (guint i = 0; i < o->l->n_nodes; i++)
    if (o->part[i] == i)
      {
        o->least[i] = MIN (o->least[i], o->count[i]);
        sum += o->least[i];
      }
  return sum;
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
      gboolean down = s % 2 == 0;
      guint64 crossings;

      /* Equal keys change sides in some sweeps, which shakes the order up, and keep them in the others, which settles it. */
      o->turn_ties = (TIE_PATTERN >> s % TIE_PERIOD & 1) != 0;
      for (guint k = 1; k < l->n_levels; k++)
        sort_level (o, down ? k : l->n_levels - 1 - k, down);
      swap_neighbours (o, TRUE);
      crossings = keep_best (o);
      idle++;
      if (crossings < best)
        {
          idle = (double) crossings < CONVERGENCE * (double) best ? 0 : idle;
          best = crossings;
        }
      if (idle > 0 && idle % RESTART == 0)
        restore_best (o);
    }
  return best;
}

/* Two starts, a few sweeps each; then from the better of the two until it converges. */
static guint64
search (Ordering *o, guint sweeps)
{
  guint64 best = G_MAXUINT64;

  for (guint start = 0; start < 2 && best > 0; start++)
    {
      start_order (o, start == 1);
      swap_neighbours (o, FALSE);
      best = sweep (o, START_SWEEPS, keep_best (o));
      restore_best (o);
    }
  best = sweep (o, sweeps, best);
  restore_best (o);
  sift (o);
  return keep_best (o);
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
  o.up = g_new (Place, MAX (l->n_pieces, 1));
  o.down = g_new (Place, MAX (l->n_pieces, 1));
  o.moved = g_new0 (guint32, widest);
  o.slots = g_new0 (guint32, widest);
  o.part = find_parts (l);
  o.count = g_new0 (guint64, MAX (l->n_nodes, 1));
  o.least = g_new (guint64, MAX (l->n_nodes, 1));
  memset (o.least, 0xFF, sizeof *o.least * l->n_nodes);
  if (l->keep_order)
    {
      order_by_hints (&o);
      swap_neighbours (&o, FALSE);
      best = keep_best (&o);
    }
  else
    best = search (&o, sweeps);
  restore_best (&o);
  l->crossings = best;
  g_free (o.key);
  g_free (o.best);
  g_free (o.tree);
  g_free (o.up);
  g_free (o.down);
  g_free (o.moved);
  g_free (o.slots);
  g_free (o.part);
  g_free (o.count);
  g_free (o.least);
}
