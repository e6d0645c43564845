/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layered graph layout: ranks, order within ranks with few crossings, coordinates, routes. Knows nothing of the IR.
 * Deterministic; near-linear. Positions of a previous layout steer the order, so that what did not change does not move. */
#pragma once

#include <gio/gio.h>

#include "draw/scene.h"

G_BEGIN_DECLS

typedef struct
{
  double width, height;
  gint32 group; /* index of its group, or -1 */
  gint64 key;   /* identity across layouts */
} TsGraphNode;
typedef struct { guint32 from, to; float weight; /* > 1: kept straighter */ } TsGraphEdge;
typedef struct { gint32 parent; /* group it stands in, a smaller index; or -1 */ } TsGraphGroup;

typedef struct
{
  double   rank_gap, node_gap;
  gboolean left_to_right;
  guint    sweeps;               /* of crossing reduction; 0: 8 */
  const struct TsGraphLayout *previous; /* or NULL */
} TsGraphOptions;

typedef struct TsGraphLayout
{
  guint     n_nodes, n_edges, n_groups;
  TsPoint  *centers;      /* per node */
  guint32  *ranks;        /* per node */
  gint64   *keys;         /* per node */
  guint32  *route_start;  /* n_edges + 1 */
  TsPoint  *route;        /* way points of edge i: route[route_start[i]] .. : ends on the node borders included */
  guint8   *reversed;     /* per edge: was turned round to break a cycle */
  struct { double x, y, w, h; } *boxes; /* per group */
  guint64   crossings;    /* between the edges of neighbouring ranks */
  double    width, height;
} TsGraphLayout;

/* NULL when cancelled. Edges may form cycles, repeat, or be loops on one node. */
TsGraphLayout *ts_graph_layout (const TsGraphNode *nodes, guint n_nodes, const TsGraphEdge *edges, guint n_edges,
                                const TsGraphGroup *groups, guint n_groups, const TsGraphOptions *options,
                                GCancellable *cancellable);
void           ts_graph_layout_free (TsGraphLayout *layout);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsGraphLayout, ts_graph_layout_free)

G_END_DECLS
