/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flat layered layout: items and edges without groups. Sugiyama's four steps, each in a file: ranks, order, coordinates, routes.
 * Private to the drawing layer; graph-layout.h puts groups on top. */
#pragma once

#include <gio/gio.h>

#include "draw/scene.h"

G_BEGIN_DECLS

typedef enum { TS_PIN_NONE, TS_PIN_TOP, TS_PIN_BOTTOM } TsPin;

typedef struct
{
  double   width, height;
  double   hint;     /* previous x of its centre; NAN: none */
  guint8   pin;      /* TsPin: alone in the first or last rank (ports of a group) */
  guint32  rank;     /* out */
  TsPoint  center;   /* out */
} TsLayeredItem;

typedef struct
{
  guint32 from, to;      /* items */
  float   weight;        /* pull towards short and straight; 1 is normal */
  double  from_x, to_x;  /* where it leaves and arrives, from the centres */
  guint8  reversed;      /* out: was turned round to break a cycle */
  guint8  chained;       /* out: has way points of its own (false: so long that it is drawn behind everything) */
  guint32 route, n_route;/* out: way points in `route`, from `from` to `to` */
} TsLayeredEdge;

/* Node of the level graph: an item, or a place where edges of one source pass a rank. */
typedef struct
{
  gint32  item;   /* -1: a passage */
  guint32 level;
  guint32 pos;    /* within its level */
  double  width;
  double  x;      /* of the centre */
} TsLevelNode;

/* Piece of edges between neighbouring levels; `weight` edges run on it. */
typedef struct { guint32 upper, lower; guint32 weight; float pull; } TsLevelEdge;

typedef struct
{
  TsLayeredItem *items;
  guint          n_items;
  TsLayeredEdge *edges;
  guint          n_edges;
  double         node_gap, rank_gap;
  guint          sweeps;
  gboolean       keep_order;  /* start from the hints and only remove crossings */
  GCancellable  *cancellable;

  /* Made on the way. */
  guint          n_levels;
  TsLevelNode   *nodes;
  guint          n_nodes;
  TsLevelEdge   *pieces;
  guint          n_pieces;
  guint32       *up_start, *down_start; /* n_nodes + 1: pieces of a node, as indices into up, down */
  guint32       *up, *down;             /* piece indices, sorted by the other end's position when needed */
  guint32       *level_start;           /* n_levels + 1 */
  guint32       *order;                 /* nodes by level and position */
  guint32       *chain_start;           /* n_edges + 1: passages of each edge */
  GArray        *chains;                /* guint32 nodes */

  /* Out. */
  GArray        *route;     /* TsPoint */
  double         width, height;
  guint64        crossings; /* each edge of a shared piece counted by itself */
} TsLayered;

/* Runs all steps. FALSE when cancelled. The caller sets the first block of fields; ts_layered_clear() frees the rest. */
gboolean ts_layered_run (TsLayered *layered);
void     ts_layered_clear (TsLayered *layered);

/* The steps. */
void     ts_layered_rank (TsLayered *layered);
/* Moves items so that the sum of weighted edge lengths is least; ranks must be feasible before. */
void     ts_layered_shorten (TsLayered *layered);
void     ts_layered_build_levels (TsLayered *layered);
void     ts_layered_order (TsLayered *layered);
void     ts_layered_place (TsLayered *layered);

/* Edges at ports say nothing about ranks: ports stand at the ends whatever happens, and loops on one item lead nowhere. */
static inline gboolean
ts_layered_edge_ranks (const TsLayered *layered, const TsLayeredEdge *edge)
{
  return edge->from != edge->to && layered->items[edge->from].pin == TS_PIN_NONE && layered->items[edge->to].pin == TS_PIN_NONE;
}

/* The node at the other end of a piece. */
static inline guint32
ts_level_upper (const TsLayered *layered, guint32 piece)
{
  return layered->pieces[piece].upper;
}

static inline guint32
ts_level_lower (const TsLayered *layered, guint32 piece)
{
  return layered->pieces[piece].lower;
}

G_END_DECLS
