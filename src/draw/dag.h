/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependency graph of a function or block: nodes with unit shape and stage band, edges by kind, groups that fold.
 * Two steps as in the timeline: ts_dag_new() reads and lays out, ts_dag_scene() draws a window onto it. */
#pragma once

#include <gio/gio.h>

#include "draw/scene.h"
#include "draw/text.h"
#include "draw/theme.h"
#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
#define TS_EDGE_ROW(id, name, dash, words) TS_EDGE_##id,
#include "draw/edges.def"
#undef TS_EDGE_ROW
  TS_N_EDGE_KINDS,
} TsEdgeKind;
const char *ts_edge_kind_name (TsEdgeKind kind);

/* An edge that the IR's values do not show: from the memory facts or the simulation. */
typedef struct
{
  gint32      from, to; /* operation ids */
  TsEdgeKind  kind;     /* BUFFER, MEMORY or ORDER */
  gboolean    binding;  /* decided a start in the simulation: drawn in the alert colour */
  const char *label;    /* "WAR mem_vec_3", or NULL */
} TsDagExtraEdge;

typedef struct
{
  const TsModule        *module;
  const TsFunction      *function;
  const TsBlock         *block;       /* NULL: the function's body; loops inside are groups */
  TsBackend              backend;     /* decides units */
  const GPtrArray       *names;       /* printed names of values by id, entries may be NULL; NULL: their hints */
  /* Pipeline pairs of an operation, innermost first, where a pass has stripped them; NULL: the attribute only. */
  const TsStage       *(*stages) (gint32 op, guint *n, gpointer data);
  gpointer               stages_data;
  const TsDagExtraEdge  *extra;
  guint                  n_extra;
  const gint32          *folded;      /* ids of operations whose regions (loops, branches) are folded into one node */
  guint                  n_folded;
  const gint32          *folded_stages; /* stage numbers folded into one node each */
  guint                  n_folded_stages;
  gint32                 focus;       /* with hops > 0: only what is within so many edges of this operation */
  guint                  hops;
  gboolean               group_by_stage; /* bands behind the nodes of each stage */
  gboolean               left_to_right;
  guint                  max_nodes;   /* loops are folded until it holds, then the rest is left out and counted; 0: 20000 */
  const struct TsDag    *previous;    /* layout of the snapshot before, or NULL: keeps places */
} TsDagInput;

typedef struct TsDag TsDag;

/* Pixels left free around the graph. */
#define TS_DAG_MARGIN 16.0

/* Keeps texts, not the module: the module may go away. NULL when cancelled. */
TsDag      *ts_dag_new (const TsDagInput *input, TsMeasurer *measurer, GCancellable *cancellable);
TsDag      *ts_dag_ref (TsDag *dag);
void        ts_dag_unref (TsDag *dag);

guint       ts_dag_n_nodes (const TsDag *dag);
guint       ts_dag_n_hidden (const TsDag *dag); /* nodes left out by max_nodes */
void        ts_dag_size (const TsDag *dag, double *width, double *height); /* at zoom 1, without margins */
guint64     ts_dag_crossings (const TsDag *dag);

typedef struct
{
  double   width, height;      /* of the picture; 0: as large as the graph */
  double   zoom;               /* 1: natural size; below about 0.35 texts go, below 0.08 nodes become dots */
  double   pan_x, pan_y;       /* graph coordinate at the picture's top left */
  gboolean fit;                /* choose zoom and pan so that all is seen (never closer than 1) */
  guint    edge_kinds;         /* bit per TsEdgeKind; 0: all */
  gint32   selected_op;        /* -1: none */
  gint     highlight_stage;    /* -1: none */
  gboolean titles;             /* a title per node and edge: for files */
  gboolean legend;
  const char *title, *subtitle, *caption; /* NULL: none */
} TsDagView;

void        ts_dag_view_init (TsDagView *view);
/* Fills `scene` (which is reset). Only what is within the picture is drawn. */
void        ts_dag_scene (const TsDag *dag, const TsDagView *view, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene);
/* Full text of a node, edge or group. Free with g_free. */
char       *ts_dag_describe (const TsDag *dag, const TsLink *link);
/* Box of an operation's node (or of the folded group it is in) in graph coordinates; FALSE when it is not in the graph. */
gboolean    ts_dag_node_box (const TsDag *dag, gint32 op, double *x, double *y, double *w, double *h);
/* For arrow keys: the nearest node from `op` to dx, dy in {-1, 0, 1}; -1 when there is none. */
gint32      ts_dag_neighbour (const TsDag *dag, gint32 op, gint dx, gint dy);

/* Graphviz text of the same graph, for other tools. */
void        ts_dag_append_dot (const TsDag *dag, GString *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDag, ts_dag_unref)

G_END_DECLS
