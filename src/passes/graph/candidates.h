/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rule looks at one by one - operations of some kind, or blocks - in program order, with what it found there. Kept over the
 * rewrites of a function: only what a rewrite may have changed is looked at anew. */
#pragma once

#include "passes/graph/track.h"

G_BEGIN_DECLS

#define TS_GRAPH_MAX_PARTS 2u

typedef struct
{
  TsOp         *op;    /* the operation, or NULL */
  TsBlock      *block; /* the block, or NULL */
  guint         judged; /* serial at that time; 0: never */
  TsGraphReads  reads;
  gpointer      found[TS_GRAPH_MAX_PARTS]; /* what the rule made of it; NULL: it was refused for `reason` at `at` */
  TsGraphReason reason[TS_GRAPH_MAX_PARTS];
  const TsOp   *at[TS_GRAPH_MAX_PARTS];
} TsGraphCandidate;

typedef struct
{
  gboolean     (*takes) (const TsOp *op); /* NULL: blocks */
  GDestroyNotify free_found;
} TsGraphCandidateKind;

typedef struct TsGraphCandidates TsGraphCandidates;

TsGraphCandidates *ts_graph_candidates_new (TsGraph *graph, const TsGraphCandidateKind *kind);
void               ts_graph_candidates_free (TsGraphCandidates *candidates);
/* Takes in what rewrites created, lets go of what they erased. TsGraphCandidate in program order, a block before those inside. */
const GPtrArray   *ts_graph_candidates_refresh (TsGraphCandidates *candidates, TsGraph *graph);

/* Judging: TRUE when the candidate has to be looked at (what was found is gone then, and what is read is noted until
 * ts_graph_candidate_judged()); FALSE when what was found still stands. */
gboolean ts_graph_candidate_judge (const TsGraphCandidates *candidates, TsGraph *graph, TsGraphCandidate *candidate);
void     ts_graph_candidate_judged (TsGraph *graph, TsGraphCandidate *candidate);

G_END_DECLS
