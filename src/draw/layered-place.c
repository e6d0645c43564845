/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coordinates: four alignments (from above and below, to the left and right) after Brandes and Koepf, their middle taken; each one
 * compacted as a graph of blocks. Then routes with a straight stretch through every rank they pass. */
#include <math.h>
#include <string.h>

#include "draw/layered.h"

/* Room that a passage takes beside others. */
#define PASSAGE_WIDTH 6.0
/* Gap beside a rank of ports, as a share of the common one. */
#define PORT_GAP 0.5

typedef struct
{
  TsLayered *l;
  guint8    *conflict; /* per piece: crosses a straight passage, must not be aligned */
  guint32   *root, *align;
  double    *x;
} Placing;

static gboolean
is_passage (const TsLayered *l, guint32 node)
{
  return l->nodes[node].item < 0;
}

/* Piece between two passages that leads into `node` from above, or G_MAXUINT32. */
static guint32
inner_piece (const TsLayered *l, guint32 node)
{
  if (is_passage (l, node))
    for (guint32 e = l->up_start[node]; e < l->up_start[node + 1]; e++)
      if (is_passage (l, l->pieces[l->up[e]].upper))
        return l->up[e];
  return G_MAXUINT32;
}

/* Marks pieces that cross one between two passages: long edges stay straight. */
static void
mark_conflicts (Placing *p)
{
  TsLayered *l = p->l;

  for (guint level = 1; level < l->n_levels; level++)
    {
      guint32 first = l->level_start[level], end = l->level_start[level + 1], done = first;
      guint32 left = 0;

      for (guint32 i = first; i < end; i++)
        {
          guint32 inner = inner_piece (l, l->order[i]);
          guint32 right = l->level_start[level] - l->level_start[level - 1];

          if (inner == G_MAXUINT32 && i + 1 < end)
            continue;
          if (inner != G_MAXUINT32)
            right = l->nodes[l->pieces[inner].upper].pos;
          for (; done <= i; done++)
            for (guint32 e = l->up_start[l->order[done]]; e < l->up_start[l->order[done] + 1]; e++)
              {
                const TsLevelEdge *piece = &l->pieces[l->up[e]];
                guint32 place = l->nodes[piece->upper].pos;

                if ((place < left || place > right) && !(is_passage (l, piece->upper) && is_passage (l, piece->lower)))
                  p->conflict[l->up[e]] = TRUE;
              }
          left = right;
        }
    }
}

/* Sorts the pieces of every node by the place of their other end: one walk over the ends in order, no sorting. */
static void
sort_pieces (TsLayered *l)
{
  g_autofree guint32 *up = g_memdup2 (l->up_start, sizeof (guint32) * (l->n_nodes + 1));
  g_autofree guint32 *down = g_memdup2 (l->down_start, sizeof (guint32) * (l->n_nodes + 1));

  for (guint i = 0; i < l->n_nodes; i++)
    {
      guint32 node = l->order[i];

      for (guint32 e = l->down_start[node]; e < l->down_start[node + 1]; e++)
        l->up[up[l->pieces[l->down[e]].lower]++] = l->down[e];
    }
  for (guint i = 0; i < l->n_nodes; i++)
    {
      guint32 node = l->order[i];

      for (guint32 e = l->up_start[node]; e < l->up_start[node + 1]; e++)
        l->down[down[l->pieces[l->up[e]].upper]++] = l->up[e];
    }
}

/* Joins each node to its median neighbour where that does not cross an alignment already made. */
static void
align_nodes (Placing *p, gboolean from_above, gboolean to_left)
{
  TsLayered *l = p->l;
  const guint32 *start = from_above ? l->up_start : l->down_start, *list = from_above ? l->up : l->down;

  for (guint i = 0; i < l->n_nodes; i++)
    p->root[i] = p->align[i] = i;
  for (guint s = 1; s < l->n_levels; s++)
    {
      guint level = from_above ? s : l->n_levels - 1 - s;
      guint32 first = l->level_start[level], n = l->level_start[level + 1] - first;
      gint64 limit = to_left ? -1 : (gint64) G_MAXINT32;

      for (guint32 i = 0; i < n; i++)
        {
          guint32 node = l->order[first + (to_left ? i : n - 1 - i)];
          guint degree = start[node + 1] - start[node];
          guint low = degree > 0 ? (degree - 1) / 2 : 0, high = degree / 2;

          for (guint m = 0; degree > 0 && m <= high - low && p->align[node] == node; m++)
            {
              guint32 piece = list[start[node] + (to_left ? low + m : high - m)];
              guint32 other = from_above ? l->pieces[piece].upper : l->pieces[piece].lower;
              gint64 place = l->nodes[other].pos;

              if (p->conflict[piece] || (to_left ? place <= limit : place >= limit))
                continue;
              p->align[other] = node;
              p->root[node] = p->root[other];
              p->align[node] = p->root[node];
              limit = place;
            }
        }
    }
}

static double
separation (const TsLayered *l, guint32 a, guint32 b)
{
  double wa = is_passage (l, a) ? PASSAGE_WIDTH : l->nodes[a].width, wb = is_passage (l, b) ? PASSAGE_WIDTH : l->nodes[b].width;
  guint passages = is_passage (l, a) + is_passage (l, b);

  return (wa + wb) / 2 + l->node_gap * (1 - 0.25 * passages);
}

/* The graph of blocks: for each pair of neighbours in a level, the right one's block lies so far right of the left one's. */
typedef struct
{
  guint32 *start, *other; /* compressed rows by left block */
  double  *gap;
  guint32 *order;         /* blocks, left before right */
  guint    n;
} Blocks;

static void
make_blocks (Placing *p, Blocks *b)
{
  TsLayered *l = p->l;
  g_autofree guint32 *cursor = NULL, *missing = g_new0 (guint32, l->n_nodes + 1);

  b->start = g_new0 (guint32, l->n_nodes + 1);
  b->other = g_new (guint32, MAX (l->n_nodes, 1));
  b->gap = g_new (double, MAX (l->n_nodes, 1));
  b->order = g_new (guint32, MAX (l->n_nodes, 1));
  b->n = 0;
  for (guint level = 0; level < l->n_levels; level++)
    for (guint32 i = l->level_start[level] + 1; i < l->level_start[level + 1]; i++)
      b->start[p->root[l->order[i - 1]] + 1]++;
  for (guint i = 0; i < l->n_nodes; i++)
    b->start[i + 1] += b->start[i];
  cursor = g_memdup2 (b->start, sizeof (guint32) * (l->n_nodes + 1));
  for (guint level = 0; level < l->n_levels; level++)
    for (guint32 i = l->level_start[level] + 1; i < l->level_start[level + 1]; i++)
      {
        guint32 left = l->order[i - 1], right = l->order[i], at = cursor[p->root[left]]++;

        b->other[at] = p->root[right];
        b->gap[at] = separation (l, left, right);
        missing[p->root[right]]++;
      }
  for (guint i = 0; i < l->n_nodes; i++)
    if (p->root[i] == i && missing[i] == 0)
      b->order[b->n++] = i;
  for (guint k = 0; k < b->n; k++)
    for (guint32 e = b->start[b->order[k]]; e < b->start[b->order[k] + 1]; e++)
      if (--missing[b->other[e]] == 0)
        b->order[b->n++] = b->other[e];
}

/* Blocks as far left as they go, then each moved right up to what follows it. */
static void
compact_left (Placing *p, const Blocks *b)
{
  for (guint k = 0; k < b->n; k++)
    for (guint32 e = b->start[b->order[k]]; e < b->start[b->order[k] + 1]; e++)
      p->x[b->other[e]] = MAX (p->x[b->other[e]], p->x[b->order[k]] + b->gap[e]);
  for (guint k = b->n; k-- > 0;)
    {
      guint32 block = b->order[k];
      double room = INFINITY;

      for (guint32 e = b->start[block]; e < b->start[block + 1]; e++)
        room = MIN (room, p->x[b->other[e]] - b->gap[e]);
      if (isfinite (room))
        p->x[block] = room;
    }
}

/* The mirror image: as far right as they go, then each moved left up to what precedes it. */
static void
compact_right (Placing *p, const Blocks *b)
{
  g_autofree double *room = g_new (double, MAX (p->l->n_nodes, 1));

  for (guint i = 0; i < p->l->n_nodes; i++)
    room[i] = -INFINITY;
  for (guint k = b->n; k-- > 0;)
    for (guint32 e = b->start[b->order[k]]; e < b->start[b->order[k] + 1]; e++)
      p->x[b->order[k]] = MIN (p->x[b->order[k]], p->x[b->other[e]] - b->gap[e]);
  for (guint k = 0; k < b->n; k++)
    {
      guint32 block = b->order[k];

      if (isfinite (room[block]))
        p->x[block] = room[block];
      for (guint32 e = b->start[block]; e < b->start[block + 1]; e++)
        room[b->other[e]] = MAX (room[b->other[e]], p->x[block] + b->gap[e]);
    }
}

static void
compact (Placing *p, gboolean to_left)
{
  Blocks b = { 0 };

  make_blocks (p, &b);
  if (to_left)
    compact_left (p, &b);
  else
    compact_right (p, &b);
  for (guint i = 0; i < p->l->n_nodes; i++)
    if (p->root[i] != i)
      p->x[i] = p->x[p->root[i]];
  g_free (b.start);
  g_free (b.other);
  g_free (b.gap);
  g_free (b.order);
}

static double
half_width (const TsLayered *l, guint32 node)
{
  return (is_passage (l, node) ? PASSAGE_WIDTH : l->nodes[node].width) / 2;
}

static void
extent (const TsLayered *l, const double *x, double *left, double *right)
{
  *left = INFINITY;
  *right = -INFINITY;
  for (guint i = 0; i < l->n_nodes; i++)
    {
      *left = MIN (*left, x[i] - half_width (l, i));
      *right = MAX (*right, x[i] + half_width (l, i));
    }
}

static int
compare_doubles (const double *a, const double *b)
{
  return *a < *b ? -1 : *a > *b;
}

/* The four results, put over each other at the narrowest one's edges, and the mean of the middle two per node. */
static void
balance (TsLayered *l, double *const xs[4])
{
  double left[4], right[4];
  guint narrowest = 0;

  for (guint k = 0; k < 4; k++)
    {
      extent (l, xs[k], &left[k], &right[k]);
      if (right[k] - left[k] < right[narrowest] - left[narrowest])
        narrowest = k;
    }
  for (guint i = 0; i < l->n_nodes; i++)
    {
      double four[4];

      for (guint k = 0; k < 4; k++)
        four[k] = xs[k][i] + (k % 2 == 0 ? left[narrowest] - left[k] : right[narrowest] - right[k]);
      for (guint a = 1; a < 4; a++)
        for (guint k = a; k > 0 && compare_doubles (&four[k - 1], &four[k]) > 0; k--)
          {
            double swap = four[k];

            four[k] = four[k - 1];
            four[k - 1] = swap;
          }
      l->nodes[i].x = (four[1] + four[2]) / 2;
    }
}

/* A last pass from left to right: the mean of valid placements is valid but for rounding, and this also moves all to x >= 0. */
static void
settle (TsLayered *l)
{
  double left = INFINITY, right = 0;

  for (guint level = 0; level < l->n_levels; level++)
    for (guint32 i = l->level_start[level] + 1; i < l->level_start[level + 1]; i++)
      {
        guint32 a = l->order[i - 1], b = l->order[i];

        l->nodes[b].x = MAX (l->nodes[b].x, l->nodes[a].x + separation (l, a, b));
      }
  for (guint i = 0; i < l->n_nodes; i++)
    left = MIN (left, l->nodes[i].x - half_width (l, i));
  for (guint i = 0; i < l->n_nodes; i++)
    {
      l->nodes[i].x = round (l->nodes[i].x - left);
      right = MAX (right, l->nodes[i].x + half_width (l, i));
    }
  l->width = right;
}

/* --- y and routes -------------------------------------------------------------------------------------------------------- */

/* Top and bottom of every rank; the height of the picture. */
static void
place_ranks (TsLayered *l, double *top, double *bottom)
{
  double y = 0, last_height;

  for (guint level = 0; level < l->n_levels; level++)
    bottom[level] = 0;
  for (guint i = 0; i < l->n_items; i++)
    bottom[l->items[i].rank] = MAX (bottom[l->items[i].rank], l->items[i].height);
  last_height = l->n_levels > 0 ? bottom[l->n_levels - 1] : 0;
  for (guint level = 0; level < l->n_levels; level++)
    {
      top[level] = y;
      y += bottom[level];
      bottom[level] = y;
      /* Ranks of ports have no height; they need room to bend only. */
      if (level + 1 < l->n_levels)
        y += bottom[level] == top[level] || (level + 2 == l->n_levels && last_height == 0) ? l->rank_gap * PORT_GAP : l->rank_gap;
    }
  l->height = y;
  for (guint i = 0; i < l->n_items; i++)
    l->items[i].center = (TsPoint) { l->nodes[i].x, (top[l->items[i].rank] + bottom[l->items[i].rank]) / 2 };
}

static void
add_point (TsLayered *l, double x, double y)
{
  TsPoint point = { x, y };

  g_array_append_val (l->route, point);
}

static void
route_edge (TsLayered *l, guint e, const double *top, const double *bottom)
{
  TsLayeredEdge *edge = &l->edges[e];
  guint32 upper = edge->reversed ? edge->to : edge->from, lower = edge->reversed ? edge->from : edge->to;
  const TsLayeredItem *a = &l->items[upper], *b = &l->items[lower];
  double ax = a->center.x + (edge->reversed ? edge->to_x : edge->from_x);
  double bx = b->center.x + (edge->reversed ? edge->from_x : edge->to_x);

  edge->route = l->route->len;
  add_point (l, ax, a->center.y + a->height / 2);
  add_point (l, ax, bottom[a->rank]);
  for (guint32 k = l->chain_start[e]; k < l->chain_start[e + 1]; k++)
    {
      const TsLevelNode *node = &l->nodes[g_array_index (l->chains, guint32, k)];

      add_point (l, node->x, top[node->level]);
      add_point (l, node->x, bottom[node->level]);
    }
  add_point (l, bx, top[b->rank]);
  add_point (l, bx, b->center.y - b->height / 2);
  edge->n_route = l->route->len - edge->route;
  if (edge->reversed)
    for (guint32 i = edge->route, k = l->route->len; i + 1 < k; i++)
      {
        TsPoint swap = g_array_index (l->route, TsPoint, i);

        g_array_index (l->route, TsPoint, i) = g_array_index (l->route, TsPoint, --k);
        g_array_index (l->route, TsPoint, k) = swap;
      }
}

void
ts_layered_place (TsLayered *l)
{
  Placing p = { .l = l };
  double *xs[4];
  g_autofree double *top = g_new0 (double, l->n_levels + 1), *bottom = g_new0 (double, l->n_levels + 1);

  p.conflict = g_new0 (guint8, MAX (l->n_pieces, 1));
  p.root = g_new (guint32, MAX (l->n_nodes, 1));
  p.align = g_new (guint32, MAX (l->n_nodes, 1));
  sort_pieces (l);
  mark_conflicts (&p);
  for (guint k = 0; k < 4; k++)
    {
      xs[k] = p.x = g_new0 (double, MAX (l->n_nodes, 1));
      align_nodes (&p, k < 2, k % 2 == 0);
      compact (&p, k % 2 == 0);
    }
  balance (l, xs);
  settle (l);
  place_ranks (l, top, bottom);
  l->route = g_array_new (FALSE, FALSE, sizeof (TsPoint));
  for (guint e = 0; e < l->n_edges; e++)
    if (l->edges[e].from != l->edges[e].to)
      route_edge (l, e, top, bottom);
  for (guint k = 0; k < 4; k++)
    g_free (xs[k]);
  g_free (p.conflict);
  g_free (p.root);
  g_free (p.align);
}

gboolean
ts_layered_run (TsLayered *l)
{
  ts_layered_rank (l);
  if (!g_cancellable_is_cancelled (l->cancellable))
    {
      ts_layered_build_levels (l);
      ts_layered_order (l);
    }
  if (!g_cancellable_is_cancelled (l->cancellable))
    ts_layered_place (l);
  return !g_cancellable_is_cancelled (l->cancellable);
}

void
ts_layered_clear (TsLayered *l)
{
  g_clear_pointer (&l->nodes, g_free);
  g_clear_pointer (&l->pieces, g_free);
  g_clear_pointer (&l->up_start, g_free);
  g_clear_pointer (&l->down_start, g_free);
  g_clear_pointer (&l->up, g_free);
  g_clear_pointer (&l->down, g_free);
  g_clear_pointer (&l->level_start, g_free);
  g_clear_pointer (&l->order, g_free);
  g_clear_pointer (&l->chain_start, g_free);
  g_clear_pointer (&l->chains, g_array_unref);
  g_clear_pointer (&l->route, g_array_unref);
}
