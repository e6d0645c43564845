/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may stand between two accesses of one block (spec graph-optimize 5.3). */
#pragma once

#include "passes/graph/static-access.h"

G_BEGIN_DECLS

/* Strict mode: may an access move over everything strictly between two operations of one block? No load and no store may stand
 * there. TS_GRAPH_PROVEN, or why not; *at is then the first operation in the way, if one is. */
TsGraphReason ts_graph_interval (const TsOp *after, const TsOp *before, const TsOp **at);

/* Conflict mode: what is in the way of stores that are delayed together to the last of them. Built once for the blocks of the
 * function's body; an answer costs what the stores are many, however far apart they stand. */
typedef struct TsObstacles TsObstacles;
TsObstacles *ts_obstacles_new (const TsGraph *graph);
void         ts_obstacles_free (TsObstacles *obstacles);

/* Position of an operation that accesses memory, sought from position `from` on. */
guint ts_obstacles_position (const TsObstacles *obstacles, const TsOp *op, guint from);

/* Positions, ascending, of stores of one block with a proven static access each, of one base and one origin, disjoint from each
 * other. Over each gap between two of them all before it are delayed. TS_GRAPH_PROVEN, or why not; *at is then the first operation
 * in the way. */
TsGraphReason ts_obstacles_find (const TsObstacles *obstacles, const guint *positions, guint n, const TsOp **at);

G_END_DECLS
