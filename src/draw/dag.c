/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependency graph as an object: reading and laying out, questions about places, words, and Graphviz text. */
#include "draw/dag-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/words.h"
#include "ir/nested-calls.h"

/* Pull of edges in the layout: a value within a stage is kept straighter than one that leaves it. */
#define PULL_WITHIN 2.0f

const char *
ts_edge_kind_name (TsEdgeKind kind)
{
  static const char *const NAMES[TS_N_EDGE_KINDS] = {
#define TS_EDGE_ROW(id, name, dash, words) [TS_EDGE_##id] = name,
#include "draw/edges.def"
#undef TS_EDGE_ROW
  };

  return NAMES[(guint) kind < TS_N_EDGE_KINDS ? kind : TS_EDGE_VALUE];
}

const TsEdgeLook *
ts_edge_look (TsEdgeKind kind)
{
  static const TsEdgeLook LOOKS[TS_N_EDGE_KINDS] = {
#define TS_EDGE_ROW(id, name, dash, words) [TS_EDGE_##id] = { TS_DASH_##dash, words },
#include "draw/edges.def"
#undef TS_EDGE_ROW
  };

  return &LOOKS[(guint) kind < TS_N_EDGE_KINDS ? kind : TS_EDGE_VALUE];
}

/* Buffer and memory edges do not shape the picture: they join what the values have placed, in either direction. */
static void
lay_out (TsDag *dag, const TsDagInput *input, GCancellable *cancellable)
{
  g_autofree TsGraphNode *nodes = g_new0 (TsGraphNode, MAX (dag->n_nodes, 1));
  g_autofree TsGraphEdge *edges = g_new0 (TsGraphEdge, MAX (dag->n_edges, 1));
  g_autofree TsGraphGroup *groups = g_new0 (TsGraphGroup, MAX (dag->n_groups, 1));
  TsGraphOptions options = { .left_to_right = input->left_to_right,
                             .previous = input->previous != NULL ? input->previous->layout : NULL };
  guint n_edges = 0;

  for (guint i = 0; i < dag->n_nodes; i++)
    {
      const TsDagNode *node = &dag->nodes[i];

      nodes[i] = (TsGraphNode) { node->width, node->height, node->group, node->op >= 0 ? node->op : -2 - (gint64) node->stage };
    }
  for (guint g = 0; g < dag->n_groups; g++)
    groups[g].parent = dag->groups[g].parent;
  for (guint e = 0; e < dag->n_edges; e++)
    {
      TsDagEdge *edge = &dag->edges[e];

      if (edge->kind != TS_EDGE_VALUE || edge->carried)
        continue;
      edge->route = (gint32) n_edges;
      edges[n_edges++] = (TsGraphEdge) { edge->from, edge->to,
                                         dag->nodes[edge->from].group == dag->nodes[edge->to].group ? PULL_WITHIN : 1.0f };
    }
  dag->layout = ts_graph_layout (nodes, dag->n_nodes, edges, n_edges, groups, dag->n_groups, &options, cancellable);
}

static TsDag *
read_and_lay_out (const TsDagInput *input, TsMeasurer *measurer, GCancellable *cancellable)
{
  TsDag *dag = g_new0 (TsDag, 1);

  g_atomic_ref_count_init (&dag->ref_count);
  dag->arena = ts_arena_new ();
  dag->left_to_right = input->left_to_right;
  dag->max_stage = -1;
  if (ts_dag_build (dag, input, measurer, cancellable))
    lay_out (dag, input, cancellable);
  if (dag->layout == NULL)
    g_clear_pointer (&dag, ts_dag_unref);
  return dag;
}

TsDag *
ts_dag_new (const TsDagInput *input, TsMeasurer *measurer, GCancellable *cancellable)
{
  TsDagInput apart = *input;
  /* A block of its own is looked at as it is. */
  g_autoptr (TsModule) copy = input->block == NULL ? ts_module_with_calls_apart (input->module, &apart.function) : NULL;
  apart.module = copy != NULL ? copy : input->module;
  return read_and_lay_out (&apart, measurer, cancellable);
}

TsDag *
ts_dag_ref (TsDag *dag)
{
  g_atomic_ref_count_inc (&dag->ref_count);
  return dag;
}

void
ts_dag_unref (TsDag *dag)
{
  if (dag == NULL || !g_atomic_ref_count_dec (&dag->ref_count))
    return;
  ts_graph_layout_free (dag->layout);
  ts_arena_free (dag->arena);
  g_free (dag);
}

guint
ts_dag_n_nodes (const TsDag *dag)
{
  return dag->n_nodes;
}

guint
ts_dag_n_hidden (const TsDag *dag)
{
  return dag->n_hidden;
}

void
ts_dag_size (const TsDag *dag, double *width, double *height)
{
  *width = dag->layout->width;
  *height = dag->layout->height;
}

guint64
ts_dag_crossings (const TsDag *dag)
{
  return dag->layout->crossings;
}

gint32
ts_dag_node_of (const TsDag *dag, gint32 op)
{
  guint low = 0, high = dag->n_places;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (dag->places[middle].op < op)
        low = middle + 1;
      else
        high = middle;
    }
  /* What was taken out of a statement has its id and stands before it. */
  while (low + 1 < dag->n_places && dag->places[low + 1].op == op)
    low++;
  return low < dag->n_places && dag->places[low].op == op ? (gint32) dag->places[low].node : -1;
}

gboolean
ts_dag_node_box (const TsDag *dag, gint32 op, double *x, double *y, double *w, double *h)
{
  gint32 node = ts_dag_node_of (dag, op);

  if (node < 0)
    return FALSE;
  *w = dag->nodes[node].width;
  *h = dag->nodes[node].height;
  *x = dag->layout->centers[node].x - *w / 2;
  *y = dag->layout->centers[node].y - *h / 2;
  return TRUE;
}

gint32
ts_dag_neighbour (const TsDag *dag, gint32 op, gint dx, gint dy)
{
  gint32 here = ts_dag_node_of (dag, op), best = -1;
  double least = INFINITY;

  if (here < 0)
    return -1;
  for (guint i = 0; i < dag->n_nodes; i++)
    {
      double x = dag->layout->centers[i].x - dag->layout->centers[here].x,
             y = dag->layout->centers[i].y - dag->layout->centers[here].y;
      double along = x * dx + y * dy, across = fabs (x * dy) + fabs (y * dx);

      /* Straight ahead first: being off to the side counts twice. */
      if (dag->nodes[i].op == op || dag->nodes[i].op < 0 || along <= 0.5)
        continue;
      if (along + 2 * across < least)
        {
          least = along + 2 * across;
          best = dag->nodes[i].op;
        }
    }
  return best;
}

/* --- words --------------------------------------------------------------------------------------------------------------- */

static void
describe_edge (const TsDag *dag, const TsLink *link, GString *out)
{
  const TsDagEdge *edge = link->count >= 0 && (guint) link->count < dag->n_edges ? &dag->edges[link->count] : NULL;

  if (edge == NULL)
    return;
  g_string_append_printf (out, "%s → %s: %s", dag->nodes[edge->from].name, dag->nodes[edge->to].name,
                          _ (ts_edge_look ((TsEdgeKind) edge->kind)->words));
  if (edge->label[0] != '\0')
    g_string_append_printf (out, " %s", edge->label);
  if (edge->carried)
    g_string_append (out, _ (", to the next iteration"));
  if (edge->binding)
    g_string_append (out, _ (", decided a start in the simulation"));
}

static void
describe_node (const TsDag *dag, const TsDagNode *node, GString *out)
{
  g_string_append_printf (out, "%s, %s", node->name, node->unit);
  if (node->stage >= 0)
    g_string_append_printf (out, _ (", stage %d"), node->stage);
  if (node->detail[0] != '\0')
    g_string_append_printf (out, "\n%s", node->detail);
}

char *
ts_dag_describe (const TsDag *dag, const TsLink *link)
{
  GString *out = g_string_new (NULL);

  if (link->kind == TS_LINK_EDGE)
    describe_edge (dag, link, out);
  else if (link->kind == TS_LINK_NODE && link->count >= 0 && (guint) link->count < dag->n_nodes)
    describe_node (dag, &dag->nodes[link->count], out);
  else if (link->kind == TS_LINK_GROUP && link->other >= 0 && (guint) link->other < dag->n_groups)
    g_string_append (out, dag->groups[link->other].title);
  else if (link->kind == TS_LINK_DENSE)
    g_string_append_printf (out, _ ("%d operations"), link->count);
  return g_string_free (out, FALSE);
}

/* --- Graphviz ------------------------------------------------------------------------------------------------------------ */

static void
append_quoted (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++)
    {
      if (*text == '"' || *text == '\\')
        g_string_append_c (out, '\\');
      g_string_append_c (out, *text == '\n' ? ' ' : *text);
    }
  g_string_append_c (out, '"');
}

static void
append_node (const TsDag *dag, guint i, GString *out)
{
  static const char *const SHAPES[TS_N_LANES + 1] = {
    [TS_LANE_SCALAR] = "ellipse", [TS_LANE_MTE_IN] = "invtrapezium", [TS_LANE_CUBE] = "hexagon", [TS_LANE_VECTOR] = "box",
    [TS_LANE_MTE_OUT] = "trapezium", [TS_N_LANES] = "plaintext",
  };
  const TsDagNode *node = &dag->nodes[i];
  const char *shape = node->folded ? "box3d" : SHAPES[MIN (node->lane, TS_N_LANES)];

  g_string_append_printf (out, "  n%u [shape=%s, label=", i, shape);
  if (node->stage >= 0)
    {
      g_autofree char *label = g_strdup_printf ("%s (%s, stage %d)", node->name, node->unit, node->stage);
      TsColor color = ts_theme_stage_color (ts_theme (TS_THEME_PRINT), node->stage);

      append_quoted (out, label);
      g_string_append_printf (out, ", color=\"#%06x\"", color >> 8);
    }
  else
    {
      g_autofree char *label = g_strdup_printf ("%s (%s)", node->name, node->unit);

      append_quoted (out, label);
    }
  g_string_append (out, "];\n");
}

/* A group and those within it, with the nodes of each. Groups nest no deeper than the program (TS_MAX_NESTING). */
static void
append_group (const TsDag *dag, gint32 group, GString *out)
{
  if (group >= 0)
    {
      g_string_append_printf (out, "  subgraph cluster_%d {\n  label=", group);
      append_quoted (out, dag->groups[group].title);
      g_string_append (out, ";\n");
    }
  for (guint i = 0; i < dag->n_nodes; i++)
    if (dag->nodes[i].group == group)
      append_node (dag, i, out);
  for (guint g = 0; g < dag->n_groups; g++)
    if (dag->groups[g].parent == group)
      append_group (dag, (gint32) g, out);
  if (group >= 0)
    g_string_append (out, "  }\n");
}

void
ts_dag_append_dot (const TsDag *dag, GString *out)
{
  static const char *const STYLES[] = { [TS_DASH_NONE] = "solid", [TS_DASH_DASHED] = "dashed", [TS_DASH_DOTTED] = "dotted" };

  g_string_append (out, "digraph tilescope {\n");
  if (dag->left_to_right)
    g_string_append (out, "  rankdir=LR;\n");
  append_group (dag, -1, out);
  for (guint e = 0; e < dag->n_edges; e++)
    {
      const TsDagEdge *edge = &dag->edges[e];

      g_string_append_printf (out, "  n%u -> n%u [style=%s", edge->from, edge->to,
                              STYLES[ts_edge_look ((TsEdgeKind) edge->kind)->dash]);
      if (edge->kind != TS_EDGE_VALUE || edge->carried)
        g_string_append (out, ", constraint=false");
      if (edge->binding)
        g_string_append (out, ", color=red");
      if (edge->label[0] != '\0' && edge->kind != TS_EDGE_VALUE)
        {
          g_string_append (out, ", label=");
          append_quoted (out, edge->label);
        }
      g_string_append (out, "];\n");
    }
  g_string_append (out, "}\n");
}
