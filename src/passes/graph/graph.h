/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the driver and the rules of GraphOptimize share. Source: spec graph-optimize sections 1 to 4. */
#pragma once

#include "ir/build.h"
#include "ir/clone.h"
#include "ir/op-info.h"
#include "passes/pass.h"

G_BEGIN_DECLS

typedef enum
{
  TS_GRAPH_PROVEN, /* no reason: the proof stands */
#define TS_GRAPH_REASON(id, name, sentence) TS_GRAPH_##id,
#include "passes/graph/reasons.def"
#undef TS_GRAPH_REASON
  TS_N_GRAPH_REASONS,
} TsGraphReason;

const char *ts_graph_reason_name (TsGraphReason reason);
const char *ts_graph_reason_sentence (TsGraphReason reason);

/* Users of every value of a function; valid for one epoch. */
typedef struct TsGraphUses TsGraphUses;
/* Number of uses (an operation that reads a value twice counts twice) and the users, each once, in walk order. */
guint        ts_graph_n_uses (const TsGraphUses *uses, const TsValue *value);
TsOp *const *ts_graph_users (const TsGraphUses *uses, const TsValue *value, guint *n);

typedef struct TsGraphRule TsGraphRule;

typedef struct
{
  guint32  rule_mask;
  guint32  max_rewrites;
  guint32  ub_capacity; /* bytes */
  gboolean emit_remarks;
  gboolean force_simt_only;
  gboolean square_form; /* the early form of LoadStoreTranspose instead of the general one, section 6.4 */
  gint64   fail_after;  /* fault injection: the n-th created operation (from 1) fails; 0: never */
} TsGraphOptions;

/* Something that rules ask for about the function as it is now: built on demand, once for an epoch. */
typedef struct TsGraph TsGraph;
typedef struct
{
  gpointer     (*build) (TsGraph *graph);
  GDestroyNotify free;
} TsGraphAnalysis;

/* What every rule says of every load, store and dot; see verdicts.h. */
typedef struct TsGraphVerdicts TsGraphVerdicts;

/* One function under work. */
struct TsGraph
{
  TsPassContext  *pass;
  TsModule       *module;
  TsFunction     *function;
  gboolean        is_entry; /* public and called by no other function: what its arguments are is for the launcher to promise */
  TsGraphOptions  options;
  guint           epoch;
  guint           n_kept;  /* epochs before this one whose plans stand as they are */
  gboolean        is_current; /* uses, numbers and analyses describe the function as it is */
  TsGraphUses    *uses;
  guint32        *numbers;  /* post-order number by operation id; G_MAXUINT32: not of this function */
  guint           n_numbers;
  GArray         *numbered; /* ids that have one */
  GHashTable     *analyses; /* TsGraphAnalysis to what it built */
  TsCloner       *copier, *switches; /* of edit.c: substitutions, empty between two edits */
  gint64          n_created; /* over the whole pass, for fault injection */
  GString        *failure;  /* why apply failed, or empty */
  TsGraphVerdicts *verdicts; /* NULL: nobody asked for steps */
};

gpointer ts_graph_analysis (TsGraph *graph, const TsGraphAnalysis *analysis);

typedef struct
{
  const TsGraphRule *rule;
  TsOp   *anchor;
  guint   benefit;
  guint   discovery; /* order in which find() met it */
  guint   epoch;
  gpointer data;     /* the rule's own; freed by it */
} TsGraphPlan;

struct TsGraphRule
{
  guint       bit;
  const char *name;
  gboolean    once;      /* runs once behind the phases, outside the budget, and only under force-simt-only */
  const TsGraphRule *square_form; /* what runs in its place under the option square-form; NULL: nothing else */
  gboolean    (*takes) (const TsOp *op); /* is this a candidate? NULL: it judges the function, and with it every operation */
  const char *candidates; /* these in words; NULL together with takes */
  guint       n_parts;   /* parts of a candidate that are judged by themselves (the operands of a dot); 0: none */
  /* Adds plans; never changes anything. Reports each rejected candidate through ts_graph_reject(). */
  void        (*find) (TsGraph *graph, GPtrArray *plans);
  /* Matches again and asks for the same operations. */
  gboolean    (*revalidate) (TsGraph *graph, const TsGraphPlan *plan);
  /* The driver has asked revalidate() right before. FALSE: nothing was changed, graph->failure says why. */
  gboolean    (*apply) (TsGraph *graph, const TsGraphPlan *plan);
  /* After apply(): would find() find the other plans again, just as they are, and nothing else? NULL: it may find others. */
  gboolean    (*keeps) (TsGraph *graph, const TsGraphPlan *plan);
  /* The candidates that a plan covers. NULL: the whole function. */
  void        (*members) (const TsGraphPlan *plan, GPtrArray *ops);
  /* Which part of its candidate a plan is about; with n_parts only. */
  guint       (*part) (const TsGraphPlan *plan);
  /* Appends the fields of the event log, each with a leading space. */
  void        (*describe) (const TsGraphPlan *plan, GString *out);
  void        (*free_data) (gpointer data);
};

/* Plans that were passed over: of an earlier epoch, or refused by their rule when it looked again. */
typedef struct
{
  guint stale, refused;
} TsGraphSkipped;

/* Benefit descending, number of the anchor ascending, rule, order of discovery. `numbers` by operation id; an unknown anchor has
 * the highest. */
void ts_graph_sort_plans (GPtrArray *plans, guint32 *numbers);
/* The first plan of this epoch, from place `from` on, that still holds; *ordinal counts from 1, in sorted order, from that place.
 * NULL: none. */
const TsGraphPlan *ts_graph_select_plan (TsGraph *graph, const GPtrArray *plans, guint from, TsGraphSkipped *skipped,
                                         guint *ordinal);

void ts_graph_add_plan (GPtrArray *plans, const TsGraphRule *rule, TsOp *anchor, guint benefit, gpointer data);
/* A candidate (load, store, dot, guard) that a rule does not take: the first proof that failed, and the operation it failed at.
 * `part`: which of the rule's n_parts, else 0. */
void ts_graph_reject (TsGraph *graph, const TsGraphRule *rule, const TsOp *candidate, guint part, TsGraphReason reason,
                      const TsOp *at);

enum
{
#define TS_GRAPH_RULE(symbol) TS_GRAPH_RULE_##symbol,
#include "passes/graph/rules.def"
#undef TS_GRAPH_RULE
  TS_N_GRAPH_RULES
};

/* In the order of rules.def. */
extern const TsGraphRule *const ts_graph_rules[TS_N_GRAPH_RULES];

G_END_DECLS
