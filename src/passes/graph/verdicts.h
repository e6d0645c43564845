/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every rule says of every load, store and dot of a function: applied, or the reason it was not. Kept only when steps are
 * recorded, and written as one "verdict" step per operation, rule and part when the function is done. */
#pragma once

#include "passes/graph/graph.h"

G_BEGIN_DECLS

typedef enum
{
  TS_GRAPH_SKIPPED,  /* the rule did not get as far as a proof */
  TS_GRAPH_REJECTED, /* a proof failed */
  TS_GRAPH_APPLIED,
  TS_GRAPH_FAILED,   /* the rewrite was begun and taken back */
} TsGraphVerdictKind;

/* Of graph->function as it stands; NULL when no steps are recorded. Every function below then does nothing. */
TsGraphVerdicts *ts_graph_verdicts_new (const TsGraph *graph);
void             ts_graph_verdicts_free (TsGraphVerdicts *verdicts);

/* The rule's verdict of an operation, or of all of them when it judges the function; replaces an earlier one, but never "applied":
 * what was rewritten is a candidate again, and found to be in order. */
void ts_graph_verdict (TsGraph *graph, const TsGraphRule *rule, const TsOp *candidate, guint part, TsGraphVerdictKind kind,
                       TsGraphReason reason, const TsOp *at);
/* The same for everything that a plan covers. */
void ts_graph_verdict_plan (TsGraph *graph, const TsGraphPlan *plan, TsGraphVerdictKind kind, TsGraphReason reason);
/* Whatever still waits for the rule's turn will not get it, for this reason. */
void ts_graph_verdict_pending (TsGraph *graph, const TsGraphRule *rule, TsGraphReason reason);
/* Writes the steps. */
void ts_graph_verdicts_record (TsGraph *graph);

/* "operand A", "operand B". */
const char *ts_graph_part_name (guint part);

G_END_DECLS
