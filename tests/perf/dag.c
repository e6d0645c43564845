/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout of dependency graphs against Graphviz dot: time and crossings on the same graphs, in the same run. Budgets: design.md
 * section 9. Prints figures; fails when a budget is missed and TS_PERF_STRICT is set. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <gio/gio.h>

#include "cpu-time.h"
#include "draw/graph-layout.h"

typedef struct
{
  GArray *nodes, *edges; /* TsGraphNode, TsGraphEdge */
} Graph;

static void
add_edge (Graph *graph, guint from, guint to)
{
  TsGraphEdge edge = { from, to, 1 };

  g_array_append_val (graph->edges, edge);
}

static guint
add_node (Graph *graph)
{
  TsGraphNode node = { 100, 36, -1, (gint64) graph->nodes->len };

  g_array_append_val (graph->nodes, node);
  return graph->nodes->len - 1;
}

/* A straight-line kernel: loads, a few operations on what is recent, stores; now and then a value from far above. */
static Graph *
make_kernel (guint n, guint seed)
{
  Graph *graph = g_new0 (Graph, 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  graph->nodes = g_array_new (FALSE, FALSE, sizeof (TsGraphNode));
  graph->edges = g_array_new (FALSE, FALSE, sizeof (TsGraphEdge));
  for (guint i = 0; i < n; i++)
    {
      guint node = add_node (graph);
      guint n_inputs = i % 6 == 0 ? 0 : i % 2 == 1 ? 2 : 1;

      for (guint k = 0; k < n_inputs && i > 0; k++)
        {
          guint reach = g_rand_int_range (rand, 0, 50) == 0 ? 200 : 12;

          add_edge (graph, node - 1 - (guint) g_rand_int_range (rand, 0, (gint) MIN (reach, i)), node);
        }
    }
  return graph;
}

static void
free_graph (Graph *graph)
{
  g_array_unref (graph->nodes);
  g_array_unref (graph->edges);
  g_free (graph);
}

/* Processor time: on a busy machine wall time says more about the others. */
static double
processor_seconds (int who)
{
  struct rusage usage;

  getrusage (who, &usage);
  return (double) usage.ru_utime.tv_sec + (double) usage.ru_stime.tv_sec
         + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static TsGraphLayout *
lay_out (const Graph *graph, double *seconds)
{
  TsGraphOptions options = { 0 };
  double start = processor_seconds (RUSAGE_SELF);
  TsGraphLayout *layout = ts_graph_layout ((const TsGraphNode *) (gpointer) graph->nodes->data, graph->nodes->len,
                                           (const TsGraphEdge *) (gpointer) graph->edges->data, graph->edges->len, NULL, 0,
                                           &options, NULL);

  *seconds = processor_seconds (RUSAGE_SELF) - start;
  return layout;
}

/* dot's own count of crossings, which it prints when verbose; FALSE when dot is absent or says nothing. */
static gboolean
run_dot (const Graph *graph, double *seconds, guint64 *crossings)
{
  g_autoptr (GString) text = g_string_new ("digraph g { node [shape=box, width=1.04, height=0.375, fixedsize=true];\n");
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *errors = NULL;
  double start;
  const char *last;

  for (guint i = 0; i < graph->nodes->len; i++)
    g_string_append_printf (text, "n%u;\n", i);
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const TsGraphEdge *edge = &g_array_index (graph->edges, TsGraphEdge, i);

      g_string_append_printf (text, "n%u->n%u;\n", edge->from, edge->to);
    }
  g_string_append (text, "}\n");
  process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, NULL,
                              "dot", "-v", "-Tplain", NULL);
  if (process == NULL)
    return FALSE;
  start = processor_seconds (RUSAGE_CHILDREN);
  if (!g_subprocess_communicate_utf8 (process, text->str, NULL, NULL, &errors, NULL))
    return FALSE;
  *seconds = processor_seconds (RUSAGE_CHILDREN) - start;
  /* "mincross g: 1234 crossings, 5.67 secs." */
  last = errors != NULL ? g_strrstr (errors, " crossings, ") : NULL;
  if (last == NULL)
    return FALSE;
  while (last > errors && g_ascii_isdigit (last[-1]))
    last--;
  *crossings = g_ascii_strtoull (last, NULL, 10);
  return TRUE;
}

static gboolean
compare (guint n, guint seed)
{
  Graph *graph = make_kernel (n, seed);
  double ours, theirs;
  guint64 crossings;
  g_autoptr (TsGraphLayout) layout = lay_out (graph, &ours);
  gboolean good = TRUE;

  g_print ("%u nodes, %u edges: ours %.1f ms, %" G_GUINT64_FORMAT " crossings", n, graph->edges->len, ours * 1e3,
           layout->crossings);
  if (run_dot (graph, &theirs, &crossings))
    {
      g_print ("; dot %.1f ms, %" G_GUINT64_FORMAT " crossings: %.0f x faster, %+.1f %% crossings", theirs * 1e3, crossings,
               theirs / ours, crossings > 0 ? ((double) layout->crossings / (double) crossings - 1) * 100 : 0.0);
      good = n < 2000 || (theirs / ours >= 50 && (double) layout->crossings <= (double) crossings * 1.1);
    }
  else
    g_print ("; dot is not here");
  g_print ("\n");
  free_graph (graph);
  return good;
}

int
main (int argc, char **argv)
{
  int status = bench_usage (argc, argv, "--brief", "bench-dag [--brief]");
  if (status >= 0)
    return status;
  gboolean good = TRUE, brief = argc > 1 && strcmp (argv[1], "--brief") == 0;
  double seconds;
  Graph *graph;

  good &= compare (200, 1);
  if (!brief)
    {
      good &= compare (1000, 2);
      good &= compare (2000, 3);
      good &= compare (2000, 4);
    }
  graph = make_kernel (brief ? 2000 : 20000, 5);
  ts_graph_layout_free (lay_out (graph, &seconds));
  g_print ("%u nodes, %u edges: %.1f ms\n", graph->nodes->len, graph->edges->len, seconds * 1e3);
  good &= brief || seconds < 2;
  free_graph (graph);
  return good || g_getenv ("TS_PERF_STRICT") == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
