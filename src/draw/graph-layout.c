/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups over the flat layout: each group is laid out by itself, innermost first, and stands as one item in the group around it.
 * Edges that enter or leave a group do so through ports on its border, one per source. */
#include "draw/graph-layout.h"

#include <math.h>

#include "draw/layered.h"

#define GROUP_PAD 14.0
#define GROUP_TITLE 22.0
#define DEFAULT_RANK_GAP 34.0
#define DEFAULT_NODE_GAP 18.0

/* A stretch of an edge within one group. */
typedef struct
{
  gint32  group;
  guint32 edge; /* of the group's own problem */
  guint32 of;   /* edge of the graph */
} Stretch;

/* One group's own problem; index 0 is the picture, group g has index g + 1. */
typedef struct
{
  GArray    *items;   /* TsLayeredItem */
  GArray    *edges;   /* TsLayeredEdge */
  GArray    *stretches; /* guint32: its entries in the layout's stretches */
  GHashTable *ports;  /* source node, sign by direction, to item index + 1 */
  TsLayered  layered;
  gint32     item;    /* its item in the group around it */
  double     x, y;    /* absolute place of its inner origin */
  double     width, height; /* of the box */
} Level;

typedef struct
{
  const TsGraphNode    *nodes;
  guint                 n_nodes;
  const TsGraphEdge    *edges;
  guint                 n_edges;
  const TsGraphGroup   *groups;
  guint                 n_groups;
  const TsGraphOptions *options;
  Level                *levels;
  guint                *depth;     /* per group index */
  guint32              *item_of;   /* per node: item in its group's problem */
  GArray               *stretches; /* Stretch */
  guint32              *first_stretch; /* per edge */
  double               *hints;     /* per node; NAN: unknown */
  gboolean              keep_order;
} Layout;

/* Room between a group's border and what is in it. The title stands at the top of the finished picture, which is the left of one
 * that will be turned. */
static double
pad_left (const Layout *layout)
{
  return layout->options->left_to_right ? GROUP_TITLE : GROUP_PAD;
}

static double
pad_top (const Layout *layout)
{
  return layout->options->left_to_right ? GROUP_PAD : GROUP_TITLE;
}

static Level *
level_of (const Layout *layout, gint32 group)
{
  return &layout->levels[group + 1];
}

static gint32
parent_of (const Layout *layout, gint32 group)
{
  return layout->groups[group].parent;
}

static gint32
group_of (const Layout *layout, guint32 node)
{
  return layout->nodes[node].group;
}

static guint
depth_of (const Layout *layout, gint32 group)
{
  return layout->depth[group + 1];
}

static gint32
common_group (const Layout *layout, gint32 a, gint32 b)
{
  while (a != b)
    if (depth_of (layout, a) >= depth_of (layout, b))
      a = parent_of (layout, a);
    else
      b = parent_of (layout, b);
  return a;
}

static guint32
add_item (Level *level, double width, double height, double hint, TsPin pin)
{
  TsLayeredItem item = { .width = width, .height = height, .hint = hint, .pin = (guint8) pin };

  g_array_append_val (level->items, item);
  return level->items->len - 1;
}

/* The port of a group for edges of one source node. */
static guint32
port_item (Level *level, guint32 source, TsPin pin)
{
  gint64 key = (gint64) source * 2 + (pin == TS_PIN_TOP);
  gpointer found = g_hash_table_lookup (level->ports, &key);
  guint32 item;

  if (found != NULL)
    return GPOINTER_TO_UINT (found) - 1;
  item = add_item (level, 2, 0, NAN, pin);
  g_hash_table_insert (level->ports, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (item + 1));
  return item;
}

/* --- hints of a previous layout ------------------------------------------------------------------------------------------ */

static void
take_hints (Layout *layout)
{
  const TsGraphLayout *previous = layout->options->previous;
  g_autoptr (GHashTable) known = NULL;
  guint matched = 0;

  layout->hints = g_new (double, MAX (layout->n_nodes, 1));
  for (guint i = 0; i < layout->n_nodes; i++)
    layout->hints[i] = NAN;
  if (previous == NULL)
    return;
  known = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < previous->n_nodes; i++)
    g_hash_table_insert (known, &previous->keys[i], GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < layout->n_nodes; i++)
    {
      gpointer found = g_hash_table_lookup (known, &layout->nodes[i].key);

      if (found == NULL)
        continue;
      layout->hints[i] = layout->options->left_to_right ? previous->centers[GPOINTER_TO_UINT (found) - 1].y
                                                        : previous->centers[GPOINTER_TO_UINT (found) - 1].x;
      matched++;
    }
  /* A graph that is mostly new is laid out afresh: old places would only hinder. */
  layout->keep_order = matched * 2 > layout->n_nodes;
}

/* Mean of the hints in a group and below; summed up from the nodes. */
static double *
group_hints (const Layout *layout)
{
  double *sum = g_new0 (double, layout->n_groups + 1);
  g_autofree guint *n = g_new0 (guint, layout->n_groups + 1);

  for (guint i = 0; i < layout->n_nodes; i++)
    for (gint32 g = group_of (layout, i); g >= 0 && !isnan (layout->hints[i]); g = parent_of (layout, g))
      {
        sum[g] += layout->hints[i];
        n[g]++;
      }
  for (guint g = 0; g < layout->n_groups; g++)
    sum[g] = n[g] > 0 ? sum[g] / n[g] : NAN;
  return sum;
}

/* --- making the problems ------------------------------------------------------------------------------------------------- */

static void
make_levels (Layout *layout)
{
  const gboolean turned = layout->options->left_to_right;
  g_autofree double *hints = group_hints (layout);

  layout->levels = g_new0 (Level, layout->n_groups + 1);
  layout->depth = g_new0 (guint, layout->n_groups + 1);
  layout->item_of = g_new0 (guint32, MAX (layout->n_nodes, 1));
  for (guint g = 0; g <= layout->n_groups; g++)
    {
      layout->levels[g].items = g_array_new (FALSE, TRUE, sizeof (TsLayeredItem));
      layout->levels[g].edges = g_array_new (FALSE, TRUE, sizeof (TsLayeredEdge));
      layout->levels[g].stretches = g_array_new (FALSE, FALSE, sizeof (guint32));
      layout->levels[g].ports = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    }
  for (guint i = 0; i < layout->n_nodes; i++)
    {
      const TsGraphNode *node = &layout->nodes[i];

      layout->item_of[i] = add_item (level_of (layout, node->group), turned ? node->height : node->width,
                                     turned ? node->width : node->height, layout->hints[i], TS_PIN_NONE);
    }
  for (guint g = 0; g < layout->n_groups; g++)
    {
      layout->depth[g + 1] = layout->depth[parent_of (layout, (gint32) g) + 1] + 1;
      layout->levels[g + 1].item = (gint32)add_item (level_of (layout, parent_of (layout, (gint32)g)), 0, 0, hints[g], TS_PIN_NONE);
    }
}

static void
add_stretch (Layout *layout, guint32 of, gint32 group, guint32 from, guint32 to)
{
  TsLayeredEdge edge = { .from = from, .to = to, .weight = layout->edges[of].weight };
  Stretch stretch = { group, level_of (layout, group)->edges->len, of };
  guint32 index = layout->stretches->len;

  g_array_append_val (level_of (layout, group)->edges, edge);
  g_array_append_val (layout->stretches, stretch);
  g_array_append_val (level_of (layout, group)->stretches, index);
}

/* Splits every edge at the borders it crosses: out of the tail's groups, across, into the head's. */
static void
split_edges (Layout *layout)
{
  g_autoptr (GArray) inward = g_array_new (FALSE, FALSE, sizeof (gint32));

  layout->stretches = g_array_new (FALSE, FALSE, sizeof (Stretch));
  layout->first_stretch = g_new0 (guint32, layout->n_edges + 1);
  for (guint e = 0; e < layout->n_edges; e++)
    {
      const TsGraphEdge *edge = &layout->edges[e];
      gint32 meet = common_group (layout, group_of (layout, edge->from), group_of (layout, edge->to));
      guint32 from = layout->item_of[edge->from], to = layout->item_of[edge->to];

      layout->first_stretch[e] = layout->stretches->len;
      for (gint32 g = group_of (layout, edge->from); g != meet; g = parent_of (layout, g))
        {
          add_stretch (layout, e, g, from, port_item (level_of (layout, g), edge->from, TS_PIN_BOTTOM));
          from = (guint32) level_of (layout, g)->item;
        }
      g_array_set_size (inward, 0);
      for (gint32 g = group_of (layout, edge->to); g != meet; g = parent_of (layout, g))
        g_array_append_val (inward, g);
      if (inward->len > 0)
        to = (guint32) level_of (layout, g_array_index (inward, gint32, inward->len - 1))->item;
      add_stretch (layout, e, meet, from, to);
      for (guint k = inward->len; k-- > 0;)
        {
          gint32 g = g_array_index (inward, gint32, k);

          to = k > 0 ? (guint32) level_of (layout, g_array_index (inward, gint32, k - 1))->item : layout->item_of[edge->to];
          add_stretch (layout, e, g, port_item (level_of (layout, g), edge->from, TS_PIN_TOP), to);
        }
    }
  layout->first_stretch[layout->n_edges] = layout->stretches->len;
}

/* --- solving ------------------------------------------------------------------------------------------------------------- */

/* Tells the edges of the group around where the ports of a solved group lie. */
static void
attach_ports (Layout *layout, gint32 group)
{
  const Level *inner = level_of (layout, group);
  gint32 around = parent_of (layout, group);

  for (guint k = 0; k < inner->stretches->len; k++)
    {
      guint32 s = g_array_index (inner->stretches, guint32, k);
      const Stretch *stretch = &g_array_index (layout->stretches, Stretch, s);
      const TsLayeredEdge *edge = &inner->layered.edges[stretch->edge];
      guint32 first = layout->first_stretch[stretch->of], end = layout->first_stretch[stretch->of + 1];

      if (s + 1 < end && stretch[1].group == around)
        g_array_index (level_of (layout, around)->edges, TsLayeredEdge, stretch[1].edge).from_x
          = inner->layered.items[edge->to].center.x + pad_left (layout) - inner->width / 2;
      if (s > first && stretch[-1].group == around)
        g_array_index (level_of (layout, around)->edges, TsLayeredEdge, stretch[-1].edge).to_x
          = inner->layered.items[edge->from].center.x + pad_left (layout) - inner->width / 2;
    }
}

static gboolean
solve (Layout *layout, gint32 group, GCancellable *cancellable)
{
  Level *level = level_of (layout, group);
  TsLayered *l = &level->layered;

  *l = (TsLayered) {
    .items = (TsLayeredItem *) (gpointer) level->items->data, .n_items = level->items->len,
    .edges = (TsLayeredEdge *) (gpointer) level->edges->data, .n_edges = level->edges->len,
    .node_gap = layout->options->node_gap > 0 ? layout->options->node_gap : DEFAULT_NODE_GAP,
    .rank_gap = layout->options->rank_gap > 0 ? layout->options->rank_gap : DEFAULT_RANK_GAP,
    .sweeps = layout->options->sweeps, .keep_order = layout->keep_order, .cancellable = cancellable,
  };
  if (!ts_layered_run (l))
    return FALSE;
  level->width = l->width + (group >= 0 ? pad_left (layout) + GROUP_PAD : 0);
  level->height = l->height + (group >= 0 ? pad_top (layout) + GROUP_PAD : 0);
  if (group >= 0)
    {
      TsLayeredItem *box = &g_array_index (level_of (layout, parent_of (layout, group))->items, TsLayeredItem, level->item);

      box->width = level->width;
      box->height = level->height;
    }
  return TRUE;
}

/* --- results ------------------------------------------------------------------------------------------------------------- */

/* Absolute places of the groups, outermost first. */
static void
place_groups (Layout *layout, TsGraphLayout *out)
{
  for (guint g = 0; g < layout->n_groups; g++)
    {
      Level *level = &layout->levels[g + 1];
      const Level *around = level_of (layout, parent_of (layout, (gint32) g));
      TsPoint center = around->layered.items[level->item].center;

      out->boxes[g].x = around->x + center.x - level->width / 2;
      out->boxes[g].y = around->y + center.y - level->height / 2;
      out->boxes[g].w = level->width;
      out->boxes[g].h = level->height;
      level->x = out->boxes[g].x + pad_left (layout);
      level->y = out->boxes[g].y + pad_top (layout);
    }
}

static void
join_routes (Layout *layout, TsGraphLayout *out)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (TsPoint));

  for (guint e = 0; e < layout->n_edges; e++)
    {
      out->route_start[e] = points->len;
      for (guint32 s = layout->first_stretch[e]; s < layout->first_stretch[e + 1]; s++)
        {
          const Stretch *stretch = &g_array_index (layout->stretches, Stretch, s);
          const Level *level = level_of (layout, stretch->group);
          const TsLayeredEdge *edge = &level->layered.edges[stretch->edge];

          out->reversed[e] |= edge->reversed;
          for (guint32 k = 0; k < edge->n_route; k++)
            {
              TsPoint point = g_array_index (level->layered.route, TsPoint, edge->route + k);

              point.x += level->x;
              point.y += level->y;
              g_array_append_val (points, point);
            }
        }
    }
  out->route_start[layout->n_edges] = points->len;
  out->route = (TsPoint *) (gpointer) g_array_free (g_steal_pointer (&points), FALSE);
}

static void
turn (TsGraphLayout *out)
{
  double swap = out->width;

  out->width = out->height;
  out->height = swap;
  for (guint i = 0; i < out->n_nodes; i++)
    out->centers[i] = (TsPoint) { out->centers[i].y, out->centers[i].x };
  for (guint32 i = 0; i < out->route_start[out->n_edges]; i++)
    out->route[i] = (TsPoint) { out->route[i].y, out->route[i].x };
  for (guint g = 0; g < out->n_groups; g++)
    {
      double x = out->boxes[g].x, w = out->boxes[g].w;

      out->boxes[g].x = out->boxes[g].y;
      out->boxes[g].y = x;
      out->boxes[g].w = out->boxes[g].h;
      out->boxes[g].h = w;
    }
}

static TsGraphLayout *
make_result (Layout *layout)
{
  TsGraphLayout *out = g_new0 (TsGraphLayout, 1);

  out->n_nodes = layout->n_nodes;
  out->n_edges = layout->n_edges;
  out->n_groups = layout->n_groups;
  out->centers = g_new0 (TsPoint, MAX (layout->n_nodes, 1));
  out->ranks = g_new0 (guint32, MAX (layout->n_nodes, 1));
  out->keys = g_new0 (gint64, MAX (layout->n_nodes, 1));
  out->route_start = g_new0 (guint32, layout->n_edges + 1);
  out->reversed = g_new0 (guint8, MAX (layout->n_edges, 1));
  out->boxes = g_malloc0 (sizeof *out->boxes * MAX (layout->n_groups, 1));
  place_groups (layout, out);
  for (guint i = 0; i < layout->n_nodes; i++)
    {
      const Level *level = level_of (layout, group_of (layout, i));
      const TsLayeredItem *item = &level->layered.items[layout->item_of[i]];

      out->centers[i] = (TsPoint) { level->x + item->center.x, level->y + item->center.y };
      out->ranks[i] = item->rank;
      out->keys[i] = layout->nodes[i].key;
    }
  join_routes (layout, out);
  for (guint g = 0; g <= layout->n_groups; g++)
    out->crossings += layout->levels[g].layered.crossings;
  out->width = layout->levels[0].width;
  out->height = layout->levels[0].height;
  if (layout->options->left_to_right)
    turn (out);
  return out;
}

static void
clear_layout (Layout *layout)
{
  for (guint g = 0; g <= layout->n_groups; g++)
    {
      ts_layered_clear (&layout->levels[g].layered);
      g_array_unref (layout->levels[g].items);
      g_array_unref (layout->levels[g].edges);
      g_array_unref (layout->levels[g].stretches);
      g_hash_table_unref (layout->levels[g].ports);
    }
  g_free (layout->levels);
  g_free (layout->depth);
  g_free (layout->item_of);
  g_array_unref (layout->stretches);
  g_free (layout->first_stretch);
  g_free (layout->hints);
}

TsGraphLayout *
ts_graph_layout (const TsGraphNode *nodes, guint n_nodes, const TsGraphEdge *edges, guint n_edges, const TsGraphGroup *groups,
                 guint n_groups, const TsGraphOptions *options, GCancellable *cancellable)
{
  Layout layout = { .nodes = nodes, .n_nodes = n_nodes, .edges = edges, .n_edges = n_edges, .groups = groups, .n_groups = n_groups,
                    .options = options };
  TsGraphLayout *out = NULL;
  gboolean whole = TRUE;

  take_hints (&layout);
  make_levels (&layout);
  split_edges (&layout);
  /* A group has a higher number than the one around it: from the last to the first, everything inside is solved before. */
  for (gint32 g = (gint32) n_groups - 1; g >= -1 && whole; g--)
    {
      whole = solve (&layout, g, cancellable);
      if (whole && g >= 0)
        attach_ports (&layout, g);
    }
  if (whole)
    out = make_result (&layout);
  clear_layout (&layout);
  return out;
}

void
ts_graph_layout_free (TsGraphLayout *layout)
{
  if (layout == NULL)
    return;
  g_free (layout->centers);
  g_free (layout->ranks);
  g_free (layout->keys);
  g_free (layout->route_start);
  g_free (layout->route);
  g_free (layout->reversed);
  g_free (layout->boxes);
  g_free (layout);
}
