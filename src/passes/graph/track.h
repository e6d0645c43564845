/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who uses what, and what stands where, in the function under work: found once, then kept up to date by every rewrite at the cost
 * of what the rewrite touched. */
#pragma once

#include "passes/graph/graph.h"

G_BEGIN_DECLS

/* Makes uses and numbers of the graph describe its function as it is. Numbers follow a post-order walk, with room between them. */
void ts_graph_track_all (TsGraph *graph);
void ts_graph_track_free (TsGraph *graph);

/* What a rewrite is about to do, and did. Between the two the operations named change their operands. */
typedef struct
{
  GPtrArray  *changed; /* operations that stay and get other operands, each once */
  GPtrArray  *created; /* with those inside of them, each once */
  GHashTable *gone;    /* operations to be erased, with those inside of them */
} TsGraphTouched;

/* Values of `switched` get others in their place, `updated` operations other operands, `created` ones are in their places,
 * `erased` ones go. */
TsGraphTouched *ts_graph_track_before (TsGraph *graph, const GPtrArray *switched, const GPtrArray *updated,
                                       const GPtrArray *created, const GPtrArray *erased);
/* To be called when everything is done. Frees `touched`. */
void            ts_graph_track_after (TsGraph *graph, TsGraphTouched *touched);

/* Does a walk that meets an operation before what is inside of it come to `a` before `b`? */
gboolean ts_graph_comes_before (const TsGraph *graph, const TsOp *a, const TsOp *b);

/* --- what changed ---------------------------------------------------------------------------------------------------------- */

/* Counts the rewrites of the pass, from 1. */
guint            ts_graph_serial (const TsGraph *graph);
/* Everything that rewrites of this function created, also what is gone again; never shrinks. */
const GPtrArray *ts_graph_created (const TsGraph *graph);
/* Did an operand of `op` change after the rewrite of that serial, or an operand of what made one, and so on? */
gboolean         ts_graph_op_changed (const TsGraph *graph, const TsOp *op, guint since);
/* Did that happen to an operation of the block, or was one created there or erased? */
gboolean         ts_graph_block_changed (const TsGraph *graph, const TsBlock *block, guint since);
/* Was a load or a store created in the block? */
gboolean         ts_graph_block_got_access (const TsGraph *graph, const TsBlock *block, guint since);

/* What a rule read beyond its candidate: ids of values whose users it asked for, and of operations it came to through them. */
typedef struct
{
  GArray *values, *ops; /* NULL: none */
} TsGraphReads;

/* From here on users that are asked for are noted in `reads`, which forgets what it had. */
void     ts_graph_reads_begin (TsGraph *graph, TsGraphReads *reads);
void     ts_graph_reads_end (TsGraph *graph);
void     ts_graph_reads_op (TsGraph *graph, const TsOp *op);
gboolean ts_graph_reads_changed (const TsGraph *graph, const TsGraphReads *reads, guint since);
void     ts_graph_reads_clear (TsGraphReads *reads);

G_END_DECLS
