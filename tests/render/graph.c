/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layered layout and the pictures of dependency graphs and memory maps. */
#include <math.h>
#include <string.h>

#include "draw/dag.h"
#include "draw/dump.h"
#include "draw/graph-layout.h"
#include "draw/memory-map.h"
#include "draw/svg.h"
#include "lang/pypto/pypto.h"
#include "sample.h"

/* --- layout of random graphs ------------------------------------------------------------------------------------------------ */

typedef struct
{
  TsGraphNode  nodes[400];
  TsGraphEdge  edges[900];
  TsGraphGroup groups[12];
  guint        n_nodes, n_edges, n_groups;
} Random;

static void
make_random (Random *r, guint seed, gboolean cycles)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  r->n_nodes = (guint) g_rand_int_range (rand, 1, 200);
  r->n_groups = (guint) g_rand_int_range (rand, 0, 12);
  r->n_edges = 0;
  for (guint g = 0; g < r->n_groups; g++)
    r->groups[g].parent = g_rand_int_range (rand, -1, (gint) g);
  for (guint i = 0; i < r->n_nodes; i++)
    r->nodes[i] = (TsGraphNode) { 40 + g_rand_int_range (rand, 0, 120), 20 + g_rand_int_range (rand, 0, 30),
                                  r->n_groups > 0 ? g_rand_int_range (rand, -1, (gint) r->n_groups) : -1, i };
  for (guint i = 0; i < r->n_nodes * 2; i++)
    {
      guint a = (guint) g_rand_int_range (rand, 0, (gint) r->n_nodes), b = (guint) g_rand_int_range (rand, 0, (gint) r->n_nodes);

      if (!cycles && a >= b)
        continue;
      r->edges[r->n_edges++] = (TsGraphEdge) { a, b, 1 + g_rand_int_range (rand, 0, 2) };
    }
}

static gboolean
is_in_group (const Random *r, gint32 group, gint32 inner)
{
  while (inner >= 0 && inner != group)
    inner = r->groups[inner].parent;
  return inner == group;
}

static void
check_boxes (const Random *r, const TsGraphLayout *layout)
{
  for (guint i = 0; i < r->n_nodes; i++)
    {
      g_assert_cmpfloat (layout->centers[i].x - r->nodes[i].width / 2, >=, -0.51);
      g_assert_cmpfloat (layout->centers[i].x + r->nodes[i].width / 2, <=, layout->width + 0.51);
      g_assert_cmpfloat (layout->centers[i].y + r->nodes[i].height / 2, <=, layout->height + 0.51);
      for (guint k = 0; k < i; k++)
        g_assert_false (fabs (layout->centers[i].x - layout->centers[k].x) < (r->nodes[i].width + r->nodes[k].width) / 2 - 0.6
                        && fabs (layout->centers[i].y - layout->centers[k].y)
                               < (r->nodes[i].height + r->nodes[k].height) / 2 - 0.6);
      /* A node stands within its groups and within no other. */
      for (guint g = 0; g < r->n_groups; g++)
        {
          gboolean inside = layout->centers[i].x > layout->boxes[g].x
                            && layout->centers[i].x < layout->boxes[g].x + layout->boxes[g].w
                            && layout->centers[i].y > layout->boxes[g].y
                            && layout->centers[i].y < layout->boxes[g].y + layout->boxes[g].h;

          g_assert_cmpint (inside, ==, is_in_group (r, (gint32) g, r->nodes[i].group));
        }
    }
}

static void
check_routes (const Random *r, const TsGraphLayout *layout)
{
  for (guint e = 0; e < r->n_edges; e++)
    {
      const TsGraphEdge *edge = &r->edges[e];
      guint32 first = layout->route_start[e], end = layout->route_start[e + 1];
      TsPoint a, b;

      if (edge->from == edge->to)
        continue;
      g_assert_cmpuint (end - first, >=, 2);
      a = layout->route[first];
      b = layout->route[end - 1];
      /* It begins and ends on the borders of its nodes. */
      g_assert_cmpfloat (fabs (a.x - layout->centers[edge->from].x), <=, r->nodes[edge->from].width / 2 + 0.6);
      g_assert_cmpfloat (fabs (fabs (a.y - layout->centers[edge->from].y) - r->nodes[edge->from].height / 2), <=, 0.6);
      g_assert_cmpfloat (fabs (b.x - layout->centers[edge->to].x), <=, r->nodes[edge->to].width / 2 + 0.6);
      g_assert_cmpfloat (fabs (fabs (b.y - layout->centers[edge->to].y) - r->nodes[edge->to].height / 2), <=, 0.6);
    }
}

static TsGraphLayout *
lay_out (const Random *r, const TsGraphOptions *options)
{
  return ts_graph_layout (r->nodes, r->n_nodes, r->edges, r->n_edges, r->groups, r->n_groups, options, NULL);
}

static void
test_layout_random (void)
{
  g_autofree Random *r = g_new0 (Random, 1);

  for (guint seed = 0; seed < 60; seed++)
    {
      TsGraphOptions options = { 0 };
      g_autoptr (TsGraphLayout) layout = NULL, again = NULL;

      make_random (r, seed, seed % 3 == 0);
      layout = lay_out (r, &options);
      again = lay_out (r, &options);
      check_boxes (r, layout);
      check_routes (r, layout);
      g_assert_cmpmem (layout->centers, sizeof (TsPoint) * r->n_nodes, again->centers, sizeof (TsPoint) * r->n_nodes);
      if (seed % 3 != 0)
        for (guint e = 0; e < r->n_edges; e++)
          if (r->nodes[r->edges[e].from].group == r->nodes[r->edges[e].to].group)
            g_assert_cmpfloat (layout->centers[r->edges[e].from].y, <, layout->centers[r->edges[e].to].y);
    }
}

/* Turned, everything is the same with x and y exchanged, but for where titles take room. */
static void
test_layout_turned (void)
{
  g_autofree Random *r = g_new0 (Random, 1);
  TsGraphOptions options = { .left_to_right = TRUE };
  g_autoptr (TsGraphLayout) layout = NULL;

  make_random (r, 4, FALSE);
  layout = lay_out (r, &options);
  check_boxes (r, layout);
  for (guint e = 0; e < r->n_edges; e++)
    if (r->nodes[r->edges[e].from].group == r->nodes[r->edges[e].to].group)
      g_assert_cmpfloat (layout->centers[r->edges[e].from].x, <, layout->centers[r->edges[e].to].x);
}

/* A known minimum: a ladder has no crossing, K(3,3) between two ranks has nine. */
static void
test_layout_crossings (void)
{
  TsGraphNode nodes[40];
  TsGraphEdge edges[80];
  TsGraphOptions options = { 0 };
  guint n = 0;
  g_autoptr (TsGraphLayout) ladder = NULL, full = NULL;

  for (guint i = 0; i < 40; i++)
    nodes[i] = (TsGraphNode) { 50, 30, -1, i };
  for (guint i = 0; i + 2 < 40; i++)
    edges[n++] = (TsGraphEdge) { i, i + 2, 1 };
  ladder = ts_graph_layout (nodes, 40, edges, n, NULL, 0, &options, NULL);
  g_assert_cmpuint (ladder->crossings, ==, 0);
  n = 0;
  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < 3; k++)
      edges[n++] = (TsGraphEdge) { i, 3 + k, 1 };
  full = ts_graph_layout (nodes, 6, edges, n, NULL, 0, &options, NULL);
  g_assert_cmpuint (full->crossings, ==, 9);
}

/* Ranks are as tight as they can be: a chain beside a long one hangs at its end, not at its start. */
static void
test_layout_ranks (void)
{
  TsGraphNode nodes[12];
  TsGraphEdge edges[12];
  TsGraphOptions options = { 0 };
  g_autoptr (TsGraphLayout) layout = NULL;

  for (guint i = 0; i < 12; i++)
    nodes[i] = (TsGraphNode) { 50, 30, -1, i };
  for (guint i = 0; i < 7; i++)
    edges[i] = (TsGraphEdge) { i, i + 1, 1 };
  /* 8 -> 9 -> 10 -> 7 and 8 -> 11: all pulled down to 7. */
  edges[7] = (TsGraphEdge) { 8, 9, 1 };
  edges[8] = (TsGraphEdge) { 9, 10, 1 };
  edges[9] = (TsGraphEdge) { 10, 7, 1 };
  edges[10] = (TsGraphEdge) { 8, 11, 1 };
  layout = ts_graph_layout (nodes, 12, edges, 11, NULL, 0, &options, NULL);
  g_assert_cmpuint (layout->ranks[10], ==, 6);
  g_assert_cmpuint (layout->ranks[9], ==, 5);
  g_assert_cmpuint (layout->ranks[8], ==, 4);
  g_assert_cmpuint (layout->ranks[11], ==, 5);
}

/* What did not change keeps its order: a node more at the end, and the rest stands as before relative to each other. */
static void
test_layout_stable (void)
{
  g_autofree Random *r = g_new0 (Random, 1);
  TsGraphOptions options = { 0 };
  g_autoptr (TsGraphLayout) before = NULL, after = NULL;
  guint moved = 0, pairs = 0;

  make_random (r, 7, FALSE);
  r->n_groups = 0;
  for (guint i = 0; i < r->n_nodes; i++)
    r->nodes[i].group = -1;
  before = lay_out (r, &options);
  r->nodes[r->n_nodes] = (TsGraphNode) { 60, 30, -1, 999 };
  r->edges[r->n_edges++] = (TsGraphEdge) { r->n_nodes / 2, r->n_nodes, 1 };
  r->n_nodes++;
  options.previous = before;
  after = lay_out (r, &options);
  for (guint i = 0; i + 1 < r->n_nodes; i++)
    for (guint k = 0; k < i; k++)
      if (before->ranks[i] == before->ranks[k] && after->ranks[i] == after->ranks[k])
        {
          pairs++;
          moved += (before->centers[i].x < before->centers[k].x) != (after->centers[i].x < after->centers[k].x);
        }
  g_assert_cmpuint (pairs, >, 100);
  g_assert_cmpuint (moved * 50, <=, pairs);
}

static void
test_layout_odd (void)
{
  TsGraphNode nodes[2] = { { 50, 30, -1, 0 }, { 50, 30, -1, 1 } };
  TsGraphEdge edges[4] = { { 0, 0, 1 }, { 0, 1, 1 }, { 1, 0, 1 }, { 0, 1, 1 } };
  TsGraphOptions options = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (TsGraphLayout) empty = ts_graph_layout (NULL, 0, NULL, 0, NULL, 0, &options, NULL);
  g_autoptr (TsGraphLayout) tangle = ts_graph_layout (nodes, 2, edges, 4, NULL, 0, &options, NULL);

  g_assert_cmpuint (empty->n_nodes, ==, 0);
  g_assert_cmpuint (tangle->ranks[0], !=, tangle->ranks[1]);
  g_assert_cmpint (tangle->reversed[1], !=, tangle->reversed[2]);
  g_cancellable_cancel (cancellable);
  g_assert_null (ts_graph_layout (nodes, 2, edges, 4, NULL, 0, &options, cancellable));
}

/* --- graphs of functions ---------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsSource   *source;
  TsStrings  *strings;
  TsDiagList *diags;
  TsModule   *module;
  TsFunction *function;
} Kernel;

/* `function` NULL: the first. */
static void
open_text (Kernel *kernel, const char *file, const char *text, const char *function)
{
  TsPyptoOptions options = { 0 };

  kernel->source = ts_source_new_text (file, text);
  kernel->strings = ts_strings_new ();
  kernel->diags = ts_diag_list_new ();
  kernel->module = ts_pypto_parse (kernel->source, kernel->strings, &options, kernel->diags);
  g_assert_nonnull (kernel->module);
  kernel->function = function != NULL ? ts_module_find_function (kernel->module, function) : kernel->module->functions[0];
  g_assert_nonnull (kernel->function);
}

static void
open_golden (Kernel *kernel, const char *folder, const char *file, const char *function)
{
  g_autofree char *path = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), folder, file, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  open_text (kernel, file, text, function);
}

static void
open_dump (Kernel *kernel, const char *dump, const char *file)
{
  g_autofree char *folder = g_build_filename ("dumps", dump, NULL);

  open_golden (kernel, folder, file, "main_incore_0");
}

static void
close_dump (Kernel *kernel)
{
  ts_module_free (kernel->module);
  ts_diag_list_free (kernel->diags);
  ts_strings_unref (kernel->strings);
  ts_source_unref (kernel->source);
}

static TsScene *
draw_dag (const TsDag *dag, const TsDagView *view, TsThemeId theme)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  TsScene *scene = ts_scene_new (1, 1, TS_COLOR_NONE);

  ts_dag_scene (dag, view, ts_theme (theme), measurer, scene);
  return scene;
}

static void
test_dag_golden (void)
{
  Kernel kernel;
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  TsDagInput input = { .backend = TS_BACKEND_A2A3, .group_by_stage = TRUE };
  g_autoptr (TsDag) dag = NULL;
  g_autoptr (TsScene) scene = NULL;
  g_autoptr (GString) dot = g_string_new (NULL);
  g_autofree char *dump = NULL;
  TsDagView view;

  open_dump (&kernel, "gelu_rows", "30_after_CanonicalizeIOOrder.py");
  input.module = kernel.module;
  input.function = kernel.function;
  dag = ts_dag_new (&input, measurer, NULL);
  close_dump (&kernel); /* the graph keeps what it needs */
  g_assert_cmpuint (ts_dag_n_nodes (dag), ==, 16);
  g_assert_cmpuint (ts_dag_crossings (dag), ==, 0);
  ts_dag_view_init (&view);
  view.titles = TRUE;
  view.legend = TRUE;
  view.title = "gelu_rows";
  scene = draw_dag (dag, &view, TS_THEME_LIGHT);
  dump = ts_scene_dump (scene);
  assert_golden ("dag-gelu.txt", dump);
  ts_dag_append_dot (dag, dot);
  assert_golden ("dag-gelu.dot", dot->str);
}

/* Every node is found by its operation, hit in its middle, described, and reached from another by arrow keys. */
static void
test_dag_hits (void)
{
  Kernel kernel;
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  TsDagInput input = { .backend = TS_BACKEND_A2A3, .group_by_stage = TRUE };
  g_autoptr (TsDag) dag = NULL;
  g_autoptr (TsScene) scene = NULL;
  TsDagView view;
  guint nodes = 0;

  open_dump (&kernel, "proj_bias", "30_after_CanonicalizeIOOrder.py");
  input.module = kernel.module;
  input.function = kernel.function;
  dag = ts_dag_new (&input, measurer, NULL);
  ts_dag_view_init (&view);
  scene = draw_dag (dag, &view, TS_THEME_DARK);
  for (guint i = 1; i < scene->n_marks; i++)
    {
      const TsMark *mark = &scene->marks[i];
      double x, y, w, h;
      g_autofree char *words = NULL;

      if (mark->link.kind != TS_LINK_NODE)
        continue;
      nodes++;
      g_assert_true (ts_dag_node_box (dag, mark->link.op, &x, &y, &w, &h));
      g_assert_true (ts_scene_mark_box (scene, mark, &x, &y, &w, &h));
      g_assert_true (ts_scene_hit (scene, x + w / 2, y + h / 2, 3) == mark);
      words = ts_dag_describe (dag, &mark->link);
      g_assert_cmpuint (strlen (words), >, 5);
      g_assert_true (ts_dag_neighbour (dag, mark->link.op, 0, 1) >= 0 || ts_dag_neighbour (dag, mark->link.op, 0, -1) >= 0);
    }
  g_assert_cmpuint (nodes, ==, ts_dag_n_nodes (dag));
  close_dump (&kernel);
}

#define KERNEL                                                                                                \
  "import pypto.language as pl\n\n@pl.function(type=pl.FunctionType.InCore)\n"                                \
  "def f(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:\n"

/* Calls in a statement are nodes of their own that stand for the statement. */
static void
test_dag_nested (void)
{
  static const struct
  {
    const char *body;
    guint       n_nodes;
  } rows[] = { { "    return pl.store(pl.exp(pl.load(x, [0, 0], [8, 64])), [0, 0], y)\n", 3 },
               { "    y = pl.store(pl.exp(pl.load(x, [0, 0], [8, 64])), [0, 0], y)\n    return y\n", 3 },
               { "    a = pl.load(x, [0, 0], [8, 64])\n    return pl.store(pl.add(pl.exp(a), pl.exp(a)), [0, 0], y)\n", 5 } };
  static const char all[] = "digraph tilescope {\n  n0 [shape=invtrapezium, label=\"load t__tmp_v0 (mte-in)\"];\n"
                            "  n1 [shape=box, label=\"exp t__tmp_v1 (vector)\"];\n"
                            "  n2 [shape=trapezium, label=\"store y (mte-out)\"];\n"
                            "  n0 -> n1 [style=solid];\n  n1 -> n2 [style=solid];\n}\n";
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Kernel kernel;
      g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
      TsDagInput input = { .backend = TS_BACKEND_A2A3 };
      g_autofree char *text = g_strconcat (KERNEL, rows[i].body, NULL);
      g_autoptr (GString) dot = g_string_new (NULL);
      double x, y, w, h;
      gint32 last;

      open_text (&kernel, "kernel.py", text, "f");
      input.module = kernel.module;
      input.function = kernel.function;
      last = kernel.module->n_ops;
      g_autoptr (TsDag) dag = ts_dag_new (&input, measurer, NULL);
      g_assert_cmpuint (ts_dag_n_nodes (dag), ==, rows[i].n_nodes);
      ts_dag_append_dot (dag, dot);
      if (i == 1)
        g_assert_cmpstr (dot->str, ==, all);
      g_assert_true (ts_dag_node_box (dag, ts_function_block (kernel.function)->first->id, &x, &y, &w, &h));
      g_assert_false (ts_dag_node_box (dag, last, &x, &y, &w, &h)); /* no ids that the module does not have */
      close_dump (&kernel);
    }
}

static void
test_dag_folding (void)
{
  Kernel kernel;
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  TsDagInput input = { .backend = TS_BACKEND_A2A3, .group_by_stage = TRUE };
  g_autoptr (TsDag) whole = NULL, folded = NULL, stages = NULL, near_dag = NULL, small = NULL;
  const TsOp *the_loop = NULL;
  gint32 loop = -1, first_load = -1;
  const gint32 both[] = { 0, 1 };
  double x, y, w, h;

  open_dump (&kernel, "gelu_rows", "30_after_CanonicalizeIOOrder.py");
  input.module = kernel.module;
  input.function = kernel.function;
  for (const TsOp *op = ts_function_block (kernel.function)->first; op != NULL; op = op->next)
    if (op->code == TS_OP_FOR)
      the_loop = op;
  g_assert_nonnull (the_loop);
  loop = the_loop->id;
  whole = ts_dag_new (&input, measurer, NULL);
  input.folded = &loop;
  input.n_folded = 1;
  folded = ts_dag_new (&input, measurer, NULL);
  g_assert_cmpuint (ts_dag_n_nodes (folded), <, ts_dag_n_nodes (whole));
  /* Operations inside are found at the folded node. */
  for (const TsOp *op = ts_op_body (the_loop, 0)->first; op != NULL; op = op->next)
    if (!ts_op_is_terminator (op))
      {
        g_assert_true (ts_dag_node_box (folded, op->id, &x, &y, &w, &h));
        first_load = first_load < 0 ? op->id : first_load;
      }
  input.n_folded = 0;
  input.folded_stages = both;
  input.n_folded_stages = 2;
  stages = ts_dag_new (&input, measurer, NULL);
  g_assert_cmpuint (ts_dag_n_nodes (stages), ==, ts_dag_n_nodes (whole) - 14 + 2);
  input.n_folded_stages = 0;
  input.focus = first_load;
  input.hops = 1;
  near_dag = ts_dag_new (&input, measurer, NULL);
  g_assert_cmpuint (ts_dag_n_nodes (near_dag), >=, 2);
  g_assert_cmpuint (ts_dag_n_nodes (near_dag), <, 6);
  input.hops = 0;
  input.max_nodes = 1;
  small = ts_dag_new (&input, measurer, NULL);
  g_assert_cmpuint (ts_dag_n_nodes (small), ==, 1);
  close_dump (&kernel);
}

/* --- memory maps ------------------------------------------------------------------------------------------------------------ */

static void
test_map (void)
{
  Kernel kernel;
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  TsMemoryOptions options = { .capacity = { [TS_SPACE_VEC] = 196608 } };
  g_autoptr (TsMemoryFacts) facts = NULL;
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  g_autofree char *dump = NULL;
  TsMapInput input = { .title = "gelu_rows" };
  TsMapView view;

  open_dump (&kernel, "gelu_rows", "35_after_AllocateMemoryAddr.py");
  facts = ts_memory_facts_new (kernel.module, kernel.function, &options);
  g_assert_nonnull (facts);
  input.facts = facts;
  ts_map_view_init (&view);
  ts_map_scene (&input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  dump = ts_scene_dump (scene);
  assert_golden ("map-gelu.txt", dump);
  /* Two tiles whose lives and addresses do not meet stand at the same place, one under the other; none overlap. */
  for (guint a = 0; a < facts->n_tiles; a++)
    {
      const TsMark *mark = ts_scene_find (scene, TS_LINK_BUFFER, facts->tiles[a].op, -1);
      double x, y, w, h;
      g_autofree char *words = NULL;

      g_assert_nonnull (mark);
      g_assert_true (ts_scene_mark_box (scene, mark, &x, &y, &w, &h));
      g_assert_true (ts_scene_hit (scene, x + w / 2, y + h / 2, 0) == mark);
      g_assert_cmpint (ts_map_position_at (&input, &view, measurer, y + 3), ==, facts->tiles[a].def);
      words = ts_map_describe (&input, &mark->link);
      g_assert_nonnull (strstr (words, "KiB"));
    }
  close_dump (&kernel);
}

typedef struct { double x, y, w, h; } Box;

static gboolean
boxes_meet (Box a, Box b)
{
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/* Words lie in a tile or beside all of them, never across an edge, and no words lie on others. */
static void
check_map_words (const TsScene *scene, const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer)
{
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (Box));
  Box map;

  ts_map_area (input, view, measurer, &map.x, &map.y, &map.w, &map.h);
  for (guint i = 0; i < scene->n_prims; i++)
    {
      const TsPrim *prim = &scene->prims[i];
      Box box;

      if (prim->kind != TS_PRIM_TEXT)
        continue;
      ts_prim_box (prim, &box.x, &box.y, &box.w, &box.h);
      box = (Box) { box.x, box.y + box.h / 4, box.w, box.h / 2 }; /* letters without the room between lines */
      g_test_message ("%s, %g wide: '%s'", input->title, view->width, prim->text);
      for (guint k = 0; k < words->len; k++)
        g_assert_false (boxes_meet (box, g_array_index (words, Box, k)));
      g_array_append_val (words, box);
      for (guint32 t = 0; t < input->facts->n_tiles && boxes_meet (box, map); t++)
        {
          Box tile;

          ts_map_tile_box (input, view, measurer, t, &tile.x, &tile.y, &tile.w, &tile.h);
          if (boxes_meet (box, tile))
            g_assert_true (box.x >= tile.x - 0.5 && box.x + box.w <= tile.x + tile.w + 0.5);
        }
    }
}

static gboolean
is_said (const TsScene *scene, const char *name)
{
  for (guint i = 0; i < scene->n_prims; i++)
    if (scene->prims[i].kind == TS_PRIM_TEXT && strcmp (scene->prims[i].text, name) == 0)
      return TRUE;
  return FALSE;
}

/* Of real kernels, at any width: no words cover anything, and from some width on no tile is without its name. */
static void
test_map_words (void)
{
  static const struct { const char *folder, *file; double all_named; /* from this width on */ } kernels[] = {
    { "kernels/mm_two_level", "09_after_AllocateMemoryAddr.py", 400 },
    { "kernels/acc_if", "09_after_AllocateMemoryAddr.py", 320 },
    { "kernels/dbc_store", "09_after_AllocateMemoryAddr.py", 320 },
    { "kernels/unroll_mix", "14_after_AllocateMemoryAddr.py", 400 },
    { "kernels/views_dsa", "08_after_AllocateMemoryAddr.py", 320 },
  };
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);

  for (guint k = 0; k < G_N_ELEMENTS (kernels); k++)
    {
      TsMemoryOptions options = { 0 };
      Kernel kernel;
      TsMapInput input = { .title = kernels[k].folder };

      open_golden (&kernel, kernels[k].folder, kernels[k].file, NULL);
      g_autoptr (TsMemoryFacts) facts = ts_memory_facts_new (kernel.module, kernel.function, &options);
      g_assert_nonnull (facts);
      input.facts = facts;
      for (double width = 320; width <= 1600; width += 80)
        {
          TsMapView view;

          ts_map_view_init (&view);
          view.width = width;
          ts_map_scene (&input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
          check_map_words (scene, &input, &view, measurer);
          for (guint32 t = 0; t < facts->n_tiles && width >= kernels[k].all_named; t++)
            if (!is_said (scene, ts_map_tile_name (&input, &facts->tiles[t])))
              g_error ("%s, %g wide: '%s' is not named", kernels[k].folder, width, ts_map_tile_name (&input, &facts->tiles[t]));
        }
      close_dump (&kernel);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/layout/random", test_layout_random);
  g_test_add_func ("/render/layout/turned", test_layout_turned);
  g_test_add_func ("/render/layout/crossings", test_layout_crossings);
  g_test_add_func ("/render/layout/ranks", test_layout_ranks);
  g_test_add_func ("/render/layout/stable", test_layout_stable);
  g_test_add_func ("/render/layout/odd", test_layout_odd);
  g_test_add_func ("/render/dag/golden", test_dag_golden);
  g_test_add_func ("/render/dag/hits", test_dag_hits);
  g_test_add_func ("/render/dag/nested", test_dag_nested);
  g_test_add_func ("/render/dag/folding", test_dag_folding);
  g_test_add_func ("/render/map", test_map);
  g_test_add_func ("/render/map/words", test_map_words);
  return g_test_run ();
}
