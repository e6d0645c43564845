/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts of the rules, by operation. */
#include "passes/graph/verdicts.h"

#define MAX_PARTS 2u

typedef struct
{
  TsGraphVerdictKind kind;
  TsGraphReason      reason;
  const TsOp        *at; /* or NULL */
  guint              epoch;
} Verdict;

typedef struct
{
  const TsOp *op; /* as it was found; a rewrite may have erased it since */
  Verdict     by_rule[TS_N_GRAPH_RULES][MAX_PARTS];
} Candidate;

struct TsGraphVerdicts
{
  GArray     *candidates; /* Candidate, in program order */
  GHashTable *positions;  /* id in the module before the pass to position + 1 */
};

static const char *const kind_names[] = {
  [TS_GRAPH_SKIPPED] = "not-considered", [TS_GRAPH_REJECTED] = "rejected", [TS_GRAPH_APPLIED] = "applied",
  [TS_GRAPH_FAILED] = "failed",
};

const char *
ts_graph_part_name (guint part)
{
  static const char *const names[MAX_PARTS] = { "operand A", "operand B" };

  return names[MIN (part, MAX_PARTS - 1)];
}

static gboolean
takes (const TsGraphRule *rule, const TsOp *op)
{
  return rule->takes == NULL || rule->takes (op);
}

static gboolean
collect (TsOp *op, gpointer data)
{
  TsGraphVerdicts *verdicts = data;
  Candidate candidate = { .op = op };

  if (op->code != TS_OP_TT_LOAD && op->code != TS_OP_TT_STORE && op->code != TS_OP_TT_DOT)
    return TRUE;
  for (guint i = 0; i < TS_N_GRAPH_RULES; i++)
    for (guint part = 0; part < MAX_PARTS; part++)
      candidate.by_rule[i][part].reason
          = takes (ts_graph_rules[i], op) ? TS_GRAPH_NOT_REACHED : TS_GRAPH_OTHER_OPERATION;
  g_array_append_val (verdicts->candidates, candidate);
  g_hash_table_insert (verdicts->positions, GINT_TO_POINTER (op->origin.op), GUINT_TO_POINTER (verdicts->candidates->len));
  return TRUE;
}

TsGraphVerdicts *
ts_graph_verdicts_new (const TsGraph *graph)
{
  TsGraphVerdicts *verdicts;

  if (graph->pass->steps == NULL)
    return NULL;
  verdicts = g_new0 (TsGraphVerdicts, 1);
  verdicts->candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  verdicts->positions = g_hash_table_new (NULL, NULL);
  ts_region_walk (&graph->function->body, collect, verdicts);
  return verdicts;
}

void
ts_graph_verdicts_free (TsGraphVerdicts *verdicts)
{
  if (verdicts == NULL)
    return;
  g_array_unref (verdicts->candidates);
  g_hash_table_unref (verdicts->positions);
  g_free (verdicts);
}

static guint
rule_index (const TsGraphRule *rule)
{
  for (guint i = 0; i < TS_N_GRAPH_RULES; i++)
    if (ts_graph_rules[i] == rule || ts_graph_rules[i]->square_form == rule)
      return i;
  g_return_val_if_reached (0);
}

static Candidate *
nth (const TsGraphVerdicts *verdicts, guint i)
{
  return &g_array_index (verdicts->candidates, Candidate, i);
}

static void
set (Verdict *verdict, Verdict to)
{
  if (verdict->kind != TS_GRAPH_APPLIED)
    *verdict = to;
}

void
ts_graph_verdict (TsGraph *graph, const TsGraphRule *rule, const TsOp *candidate, guint part, TsGraphVerdictKind kind,
                  TsGraphReason reason, const TsOp *at)
{
  const Verdict verdict = { kind, reason, at, graph->epoch };
  guint rule_at, position;

  if (graph->verdicts == NULL)
    return;
  rule_at = rule_index (rule);
  for (guint i = 0; rule->takes == NULL && i < graph->verdicts->candidates->len; i++)
    set (&nth (graph->verdicts, i)->by_rule[rule_at][0], verdict);
  if (rule->takes == NULL || candidate == NULL)
    return;
  position = GPOINTER_TO_UINT (g_hash_table_lookup (graph->verdicts->positions, GINT_TO_POINTER (candidate->origin.op)));
  if (position > 0)
    set (&nth (graph->verdicts, position - 1)->by_rule[rule_at][MIN (part, MAX_PARTS - 1)], verdict);
}

void
ts_graph_verdict_plan (TsGraph *graph, const TsGraphPlan *plan, TsGraphVerdictKind kind, TsGraphReason reason)
{
  g_autoptr (GPtrArray) ops = NULL;
  guint part;

  if (graph->verdicts == NULL)
    return;
  ops = g_ptr_array_new ();
  part = plan->rule->n_parts > 0 ? plan->rule->part (plan) : 0;
  if (plan->rule->members != NULL)
    plan->rule->members (plan, ops);
  else
    g_ptr_array_add (ops, plan->anchor);
  for (guint i = 0; i < ops->len; i++)
    ts_graph_verdict (graph, plan->rule, g_ptr_array_index (ops, i), part, kind, reason, NULL);
}

void
ts_graph_verdict_pending (TsGraph *graph, const TsGraphRule *rule, TsGraphReason reason)
{
  guint rule_at = rule_index (rule);

  for (guint i = 0; graph->verdicts != NULL && i < graph->verdicts->candidates->len; i++)
    for (guint part = 0; part < MAX_PARTS; part++)
      {
        Verdict *verdict = &nth (graph->verdicts, i)->by_rule[rule_at][part];

        if (verdict->kind == TS_GRAPH_SKIPPED && verdict->reason == TS_GRAPH_NOT_REACHED)
          verdict->reason = reason;
      }
}

static void
record (const TsGraph *graph, const TsGraphRule *rule, const TsOp *op, guint part, const Verdict *verdict)
{
  TsSteps *steps = graph->pass->steps;

  ts_step_begin (steps, "verdict", graph->module, graph->function, op);
  ts_step_text (steps, "rule", rule->name);
  if (rule->n_parts > 0 && takes (rule, op))
    ts_step_text (steps, "part", ts_graph_part_name (part));
  ts_step_text (steps, "verdict", kind_names[verdict->kind]);
  if (verdict->kind != TS_GRAPH_APPLIED)
    {
      ts_step_text (steps, "reason", ts_graph_reason_name (verdict->reason));
      if (verdict->reason == TS_GRAPH_OTHER_OPERATION)
        ts_step_textf (steps, "why", "this rule takes up %s only", rule->candidates);
      else
        ts_step_text (steps, "why", ts_graph_reason_sentence (verdict->reason));
    }
  if (verdict->at != NULL)
    {
      ts_step_int (steps, "at", verdict->at->origin.op);
      ts_step_text (steps, "operation", verdict->at->name);
    }
  ts_step_int (steps, "epoch", verdict->epoch);
}

void
ts_graph_verdicts_record (TsGraph *graph)
{
  for (guint i = 0; graph->verdicts != NULL && i < graph->verdicts->candidates->len; i++)
    {
      const Candidate *candidate = nth (graph->verdicts, i);

      for (guint r = 0; r < TS_N_GRAPH_RULES; r++)
        {
          const TsGraphRule *rule = ts_graph_rules[r];
          guint n_parts = takes (rule, candidate->op) ? MAX (rule->n_parts, 1) : 1;

          for (guint part = 0; part < n_parts; part++)
            record (graph, rule, candidate->op, part, &candidate->by_rule[r][part]);
        }
    }
}
