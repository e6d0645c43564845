/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks: breaks cycles, takes longest paths, then moves items towards where most of their edges lead. Then the level graph. */
#include <math.h>
#include <string.h>

#include "draw/layered.h"

/* Rounds of moving items within their slack. */
#define TIGHTEN_ROUNDS 6
/* Passages kept at most, as a multiple of items and as a base: an edge that would exceed it is drawn without a lane of its own. */
#define PASSAGES_PER_ITEM 40u
#define PASSAGES_BASE 200000u
/* Items higher than this are boxes of groups. */
#define TALL 80.0

/* Edges by their (acyclic) tail and head, as compressed rows. */
typedef struct
{
  guint32 *out_start, *out, *in_start, *in;
} Adjacency;

static guint32
tail (const TsLayeredEdge *edge)
{
  return edge->reversed ? edge->to : edge->from;
}

static guint32
head (const TsLayeredEdge *edge)
{
  return edge->reversed ? edge->from : edge->to;
}

/* Rows of the edges that decide ranks, or of all between different items. */
static void
index_edges (const TsLayered *l, gboolean all, gboolean incoming, guint32 **start, guint32 **list)
{
  guint32 *first = *start = g_new0 (guint32, l->n_items + 1);
  g_autofree guint32 *cursor = NULL;

  *list = g_new (guint32, MAX (l->n_edges, 1));
  for (guint e = 0; e < l->n_edges; e++)
    if (all ? l->edges[e].from != l->edges[e].to : ts_layered_edge_ranks (l, &l->edges[e]))
      first[(incoming ? head (&l->edges[e]) : tail (&l->edges[e])) + 1]++;
  for (guint i = 0; i < l->n_items; i++)
    first[i + 1] += first[i];
  cursor = g_memdup2 (first, sizeof (guint32) * (l->n_items + 1));
  for (guint e = 0; e < l->n_edges; e++)
    if (all ? l->edges[e].from != l->edges[e].to : ts_layered_edge_ranks (l, &l->edges[e]))
      (*list)[cursor[incoming ? head (&l->edges[e]) : tail (&l->edges[e])]++] = e;
}

static void
clear_adjacency (Adjacency *a)
{
  g_clear_pointer (&a->out_start, g_free);
  g_clear_pointer (&a->out, g_free);
  g_clear_pointer (&a->in_start, g_free);
  g_clear_pointer (&a->in, g_free);
}

/* Depth first in the order of the items; an edge back to an item still open closes a cycle and is turned round. No recursion: paths
 * are as long as programs. */
static void
break_cycles (TsLayered *l)
{
  enum { FRESH, OPEN, DONE };
  Adjacency a = { 0 };
  g_autofree guint8 *state = g_new0 (guint8, MAX (l->n_items, 1));
  g_autofree guint32 *cursor = NULL, *stack = g_new (guint32, MAX (l->n_items, 1));

  index_edges (l, FALSE, FALSE, &a.out_start, &a.out);
  cursor = g_memdup2 (a.out_start, sizeof (guint32) * (l->n_items + 1));
  for (guint root = 0; root < l->n_items; root++)
    {
      guint depth = 0;

      if (state[root] != FRESH)
        continue;
      state[root] = OPEN;
      stack[depth++] = root;
      while (depth > 0)
        {
          guint32 item = stack[depth - 1];

          if (cursor[item] == a.out_start[item + 1])
            {
              state[item] = DONE;
              depth--;
              continue;
            }
          {
            TsLayeredEdge *edge = &l->edges[a.out[cursor[item]++]];

            if (state[edge->to] == OPEN)
              edge->reversed = TRUE;
            else if (state[edge->to] == FRESH)
              {
                state[edge->to] = OPEN;
                stack[depth++] = edge->to;
              }
          }
        }
    }
  clear_adjacency (&a);
}

/* Items so that every edge leads forward. */
static guint32 *
topological_order (const TsLayered *l, const Adjacency *a)
{
  guint32 *order = g_new (guint32, MAX (l->n_items, 1));
  g_autofree guint32 *missing = g_new (guint32, MAX (l->n_items, 1));
  guint n = 0;

  for (guint i = 0; i < l->n_items; i++)
    {
      missing[i] = a->in_start[i + 1] - a->in_start[i];
      if (missing[i] == 0)
        order[n++] = i;
    }
  for (guint k = 0; k < n; k++)
    for (guint32 e = a->out_start[order[k]]; e < a->out_start[order[k] + 1]; e++)
      if (--missing[head (&l->edges[a->out[e]])] == 0)
        order[n++] = head (&l->edges[a->out[e]]);
  g_assert (n == l->n_items); /* break_cycles() left no cycle */
  return order;
}

/* Moves one item within its slack to where its edges are shortest in sum. */
static void
tighten_item (TsLayered *l, const Adjacency *a, guint32 item, guint32 last)
{
  gint64 low = 0, high = last;
  double above = 0, below = 0;

  for (guint32 e = a->in_start[item]; e < a->in_start[item + 1]; e++)
    {
      low = MAX (low, (gint64) l->items[tail (&l->edges[a->in[e]])].rank + 1);
      above += l->edges[a->in[e]].weight;
    }
  for (guint32 e = a->out_start[item]; e < a->out_start[item + 1]; e++)
    {
      high = MIN (high, (gint64) l->items[head (&l->edges[a->out[e]])].rank - 1);
      below += l->edges[a->out[e]].weight;
    }
  /* Tall boxes stay as early as they may: moved down, each would get a rank of its own, and boxes that could stand side by side
   * would stand in a column. */
  if (above > below || l->items[item].height > TALL)
    l->items[item].rank = (guint32) low;
  else if (below > above)
    l->items[item].rank = (guint32) high;
}

static gboolean
is_isolated (const TsLayered *l, const Adjacency *a, guint item)
{
  return l->items[item].pin == TS_PIN_NONE && a->in_start[item + 1] == a->in_start[item]
         && a->out_start[item + 1] == a->out_start[item];
}

/* Items without any edge would all stand in the first rank: they are spread over rows about as wide as the rest. */
static void
spread_isolated (TsLayered *l, const Adjacency *a, guint32 last)
{
  g_autofree guint *width = g_new0 (guint, last + 1);
  guint isolated = 0, widest = 0, k = 0;
  guint per_row = 1;

  for (guint i = 0; i < l->n_items; i++)
    if (is_isolated (l, a, i))
      isolated++;
    else
      widest = MAX (widest, ++width[l->items[i].rank]);
  while (per_row * per_row < isolated)
    per_row++;
  per_row = MAX (2 * per_row, widest);
  for (guint i = 0; i < l->n_items; i++)
    if (is_isolated (l, a, i))
      l->items[i].rank = k++ / per_row;
}

static void
pin_ports (TsLayered *l, guint32 last)
{
  gboolean top = FALSE;

  for (guint i = 0; i < l->n_items; i++)
    top |= l->items[i].pin == TS_PIN_TOP;
  for (guint i = 0; i < l->n_items; i++)
    if (l->items[i].pin == TS_PIN_NONE)
      l->items[i].rank += top;
    else
      l->items[i].rank = l->items[i].pin == TS_PIN_TOP ? 0 : last + 1 + top;
}

/* Ranks that ended up empty are closed, so that the picture has no holes. */
static void
close_empty_ranks (TsLayered *l)
{
  guint32 last = 0, used = 0;
  g_autofree guint32 *map = NULL;

  for (guint i = 0; i < l->n_items; i++)
    last = MAX (last, l->items[i].rank);
  map = g_new0 (guint32, last + 1);
  for (guint i = 0; i < l->n_items; i++)
    map[l->items[i].rank] = 1;
  for (guint32 r = 0; r <= last; r++)
    {
      guint32 present = map[r];

      map[r] = used;
      used += present;
    }
  for (guint i = 0; i < l->n_items; i++)
    l->items[i].rank = map[l->items[i].rank];
  l->n_levels = l->n_items > 0 ? used : 0;
}

void
ts_layered_rank (TsLayered *l)
{
  Adjacency a = { 0 };
  g_autofree guint32 *order = NULL;
  guint32 last = 0;

  for (guint e = 0; e < l->n_edges; e++)
    l->edges[e].reversed = FALSE;
  break_cycles (l);
  index_edges (l, FALSE, FALSE, &a.out_start, &a.out);
  index_edges (l, FALSE, TRUE, &a.in_start, &a.in);
  order = topological_order (l, &a);
  for (guint k = 0; k < l->n_items; k++)
    {
      TsLayeredItem *item = &l->items[order[k]];

      item->rank = 0;
      for (guint32 e = a.in_start[order[k]]; e < a.in_start[order[k] + 1]; e++)
        item->rank = MAX (item->rank, l->items[tail (&l->edges[a.in[e]])].rank + 1);
      last = MAX (last, item->rank);
    }
  ts_layered_shorten (l);
  for (guint i = 0; i < l->n_items; i++)
    last = MAX (last, l->items[i].rank);
  for (guint round = 0; round < TIGHTEN_ROUNDS; round++)
    for (guint k = 0; k < l->n_items; k++)
      tighten_item (l, &a, order[round % 2 == 0 ? l->n_items - 1 - k : k], last);
  spread_isolated (l, &a, last);
  for (guint i = 0; i < l->n_items; i++)
    last = MAX (last, l->items[i].rank);
  pin_ports (l, last);
  close_empty_ranks (l);
  clear_adjacency (&a);
}

/* --- the level graph ----------------------------------------------------------------------------------------------------- */

static guint32
add_node (GArray *nodes, gint32 item, guint32 level, double width)
{
  TsLevelNode node = { .item = item, .level = level, .width = width };

  g_array_append_val (nodes, node);
  return nodes->len - 1;
}

static guint32
add_piece (GArray *pieces, guint32 upper, guint32 lower, float pull)
{
  TsLevelEdge piece = { upper, lower, 0, pull };

  g_array_append_val (pieces, piece);
  return pieces->len - 1;
}

/* Span of the longest edge that still gets passages. */
static guint32
longest_span (const TsLayered *l)
{
  guint64 allowed = (guint64) l->n_items * PASSAGES_PER_ITEM + PASSAGES_BASE;
  guint64 sum = 0;
  g_autofree guint64 *by_span = g_new0 (guint64, l->n_levels + 1);

  for (guint e = 0; e < l->n_edges; e++)
    by_span[l->items[head (&l->edges[e])].rank - l->items[tail (&l->edges[e])].rank]++;
  for (guint32 span = 1; span < l->n_levels; span++)
    {
      sum += by_span[span] * (span - 1);
      if (sum > allowed)
        return span;
    }
  return l->n_levels;
}

static double
leaving_x (const TsLayeredEdge *edge)
{
  return edge->reversed ? edge->to_x : edge->from_x;
}

/* By place on the source, then rank, then item of the other end: edges that share passages and pieces follow each other. */
static int
compare_heads (gconstpointer a, gconstpointer b, gpointer data)
{
  const TsLayered *l = data;
  guint32 i = *(const guint32 *) a, k = *(const guint32 *) b;
  const TsLayeredEdge *x = &l->edges[i], *y = &l->edges[k];
  guint32 rx = l->items[head (x)].rank, ry = l->items[head (y)].rank;

  if (leaving_x (x) != leaving_x (y))
    return leaving_x (x) < leaving_x (y) ? -1 : 1;
  if (rx != ry)
    return rx < ry ? -1 : 1;
  if (head (x) != head (y))
    return head (x) < head (y) ? -1 : 1;
  return i < k ? -1 : 1;
}

static void
index_pieces (TsLayered *l, gboolean up, guint32 **start, guint32 **list)
{
  guint32 *first = *start = g_new0 (guint32, l->n_nodes + 1);
  g_autofree guint32 *cursor = NULL;

  *list = g_new (guint32, MAX (l->n_pieces, 1));
  for (guint p = 0; p < l->n_pieces; p++)
    first[(up ? l->pieces[p].lower : l->pieces[p].upper) + 1]++;
  for (guint i = 0; i < l->n_nodes; i++)
    first[i + 1] += first[i];
  cursor = g_memdup2 (first, sizeof (guint32) * (l->n_nodes + 1));
  for (guint p = 0; p < l->n_pieces; p++)
    (*list)[cursor[up ? l->pieces[p].lower : l->pieces[p].upper]++] = p;
}

/* The line from one place of an item downwards: a passage per rank it goes through, and the piece that leads into each. */
typedef struct
{
  GArray *passages; /* guint32 nodes */
  GArray *into;     /* guint32 pieces */
} Trunk;

static void
extend_trunk (Trunk *trunk, const TsLayered *l, guint32 item, guint32 length, GArray *nodes, GArray *pieces)
{
  while (trunk->passages->len < length)
    {
      guint n = trunk->passages->len;
      guint32 node = add_node (nodes, -1, l->items[item].rank + 1 + n, 0);
      guint32 before = n > 0 ? g_array_index (trunk->passages, guint32, n - 1) : item;
      guint32 piece = add_piece (pieces, before, node, 1);

      g_array_append_val (trunk->passages, node);
      g_array_append_val (trunk->into, piece);
    }
}

/* Edges of one source share their passages: one line that branches reads better than many side by side. Ports at different places
 * of a group's border are different sources. */
static void
chain_source (TsLayered *l, guint32 item, const guint32 *out, guint n, guint32 longest, Trunk *trunk, GArray *nodes, GArray *pieces,
              GArray **chain_of)
{
  guint32 last_piece = 0, last_target = G_MAXUINT32;

  for (guint k = 0; k < n; k++)
    {
      TsLayeredEdge *edge = &l->edges[out[k]];
      guint32 target = head (edge);
      guint32 length = l->items[target].rank - l->items[item].rank - 1;

      if (k == 0 || leaving_x (edge) != leaving_x (&l->edges[out[k - 1]]))
        {
          g_array_set_size (trunk->passages, 0);
          g_array_set_size (trunk->into, 0);
          last_target = G_MAXUINT32;
        }
      edge->chained = length < longest;
      if (!edge->chained)
        continue;
      extend_trunk (trunk, l, item, length, nodes, pieces);
      for (guint32 s = 0; s < length; s++)
        {
          TsLevelEdge *piece = &g_array_index (pieces, TsLevelEdge, g_array_index (trunk->into, guint32, s));

          piece->weight++;
          piece->pull = MAX (piece->pull, edge->weight);
        }
      if (target != last_target)
        last_piece = add_piece (pieces, length > 0 ? g_array_index (trunk->passages, guint32, length - 1) : item, target,
                                edge->weight);
      last_target = target;
      g_array_index (pieces, TsLevelEdge, last_piece).weight++;
      chain_of[out[k]] = g_array_sized_new (FALSE, FALSE, sizeof (guint32), length);
      g_array_append_vals (chain_of[out[k]], trunk->passages->data, length);
    }
}

void
ts_layered_build_levels (TsLayered *l)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, TRUE, sizeof (TsLevelNode));
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (TsLevelEdge));
  Trunk trunk = { g_array_new (FALSE, FALSE, sizeof (guint32)), g_array_new (FALSE, FALSE, sizeof (guint32)) };
  g_autofree GArray **chain_of = g_new0 (GArray *, MAX (l->n_edges, 1));
  guint32 longest = longest_span (l);
  Adjacency a = { 0 };

  for (guint i = 0; i < l->n_items; i++)
    add_node (nodes, (gint32) i, l->items[i].rank, l->items[i].width);
  index_edges (l, TRUE, FALSE, &a.out_start, &a.out);
  for (guint i = 0; i < l->n_items; i++)
    {
      guint n = a.out_start[i + 1] - a.out_start[i];

      if (n > 1)
        g_qsort_with_data (a.out + a.out_start[i], (gint) n, sizeof (guint32), compare_heads, l);
      chain_source (l, i, a.out + a.out_start[i], n, longest, &trunk, nodes, pieces, chain_of);
    }
  g_array_unref (trunk.passages);
  g_array_unref (trunk.into);
  clear_adjacency (&a);
  l->chain_start = g_new0 (guint32, l->n_edges + 1);
  l->chains = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint e = 0; e < l->n_edges; e++)
    {
      l->chain_start[e] = l->chains->len;
      if (chain_of[e] == NULL)
        continue;
      g_array_append_vals (l->chains, chain_of[e]->data, chain_of[e]->len);
      g_array_unref (chain_of[e]);
    }
  l->chain_start[l->n_edges] = l->chains->len;
  l->n_nodes = nodes->len;
  l->nodes = (TsLevelNode *) (gpointer) g_array_free (g_steal_pointer (&nodes), FALSE);
  l->n_pieces = pieces->len;
  l->pieces = (TsLevelEdge *) (gpointer) g_array_free (g_steal_pointer (&pieces), FALSE);
  index_pieces (l, TRUE, &l->up_start, &l->up);
  index_pieces (l, FALSE, &l->down_start, &l->down);
}
