/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the dependency graph share. */
#pragma once

#include "base/arena.h"
#include "draw/dag.h"
#include "draw/graph-layout.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;    /* "load x_0" */
  const char *unit;    /* "mte-in"; of a folded node what it holds: "24 operations" */
  const char *detail;  /* for tooltips: type, line, pipe */
  double      width, height;
  gint32      op;      /* -1: a folded stage */
  gint32      stage;   /* -1: none */
  gint32      group;   /* index in groups, or -1 */
  guint8      lane;    /* TsLane; TS_N_LANES: no unit */
  guint8      folded;
} TsDagNode;

typedef struct
{
  guint32     from, to;  /* nodes */
  const char *label;     /* value or buffer that carries it; may be "" */
  guint8      kind;      /* TsEdgeKind */
  guint8      binding;
  guint8      carried;   /* to the next iteration */
  gint32      route;     /* edge of the layout; -1: not laid out, drawn straight */
} TsDagEdge;

typedef struct
{
  const char *title;
  gint32      parent;
  gint32      op;        /* loop or branch; -1: a stage */
  gint32      stage;     /* of a stage band; -1 otherwise */
  gint32      number;    /* arm of a branch, or stage */
} TsDagGroup;

/* Where an operation is: its node, or the one that holds it. */
typedef struct { gint32 op; guint32 node; } TsDagPlace;

struct TsDag
{
  gatomicrefcount ref_count;
  TsArena        *arena;
  TsDagNode      *nodes;
  guint           n_nodes;
  TsDagEdge      *edges;
  guint           n_edges;
  TsDagGroup     *groups;
  guint           n_groups;
  TsDagPlace     *places; /* by operation */
  guint           n_places;
  guint           n_hidden;
  gboolean        left_to_right;
  gint32          max_stage;
  TsGraphLayout  *layout;
};

/* --- reading ------------------------------------------------------------------------------------------------------------- */

/* Nodes that may have made a value: two where a branch joins. */
typedef struct { gint32 node[2]; } TsDagMakers;

/* A use of a carried value, waiting for the yield that closes the circle. */
typedef struct { const TsValue *value; guint32 node; } TsDagCarriedUse;

typedef struct
{
  TsDag            *dag;
  const TsDagInput *input;
  TsMeasurer       *measurer;
  GCancellable     *cancellable;
  GArray           *nodes, *edges, *groups, *places, *carried; /* TsDagNode, TsDagEdge, TsDagGroup, TsDagPlace,
                                                                 TsDagCarriedUse */
  TsDagMakers        *makers;       /* per value id */
  GHashTable       *folded;       /* operation ids + 1 */
  GHashTable       *stage_nodes;  /* (group, stage) of folded stages to node + 1 */
  gint32            group;        /* current */
  gint32            inside;       /* node that swallows what is being read (a folded group), or -1 */
  guint             seen;
} TsDagReader;

const char *ts_dag_keep (TsDagReader *r, const char *text);
/* Finishes what was read and hands it over to the graph; at most `max` nodes. */
void        ts_dag_trim (TsDagReader *r, guint max);

/* --- the graph ----------------------------------------------------------------------------------------------------------- */

/* The node that an operation is or is in; -1. O(log n). */
gint32 ts_dag_node_of (const TsDag *dag, gint32 op);
/* Reads the function into `dag`: nodes, edges, groups, places. FALSE when cancelled. */
gboolean ts_dag_build (TsDag *dag, const TsDagInput *input, TsMeasurer *measurer, GCancellable *cancellable);

/* How an edge kind looks: rows of edges.def. */
typedef struct
{
  TsDash      dash;
  const char *words;
} TsEdgeLook;
const TsEdgeLook *ts_edge_look (TsEdgeKind kind);

#define TS_DAG_NODE_HEIGHT 36.0
/* Band with the stage's number at the left of a node. */
#define TS_DAG_BAND 16.0

G_END_DECLS
