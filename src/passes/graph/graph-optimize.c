/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GraphOptimize: options, phases, selection of plans, event log. Source: spec graph-optimize sections 1 and 2. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "passes/graph/track.h"
#include "passes/graph/values.h"
#include "passes/graph/verdicts.h"

static const struct
{
  const char *name, *sentence;
} reasons[TS_N_GRAPH_REASONS] = {
  [TS_GRAPH_PROVEN] = { "Proven", "" },
#define TS_GRAPH_REASON(id, nm, text) [TS_GRAPH_##id] = { nm, text },
#include "passes/graph/reasons.def"
#undef TS_GRAPH_REASON
};

const char *
ts_graph_reason_name (TsGraphReason reason)
{
  return reasons[reason].name;
}

const char *
ts_graph_reason_sentence (TsGraphReason reason)
{
  return reasons[reason].sentence;
}

#define TS_GRAPH_RULE(symbol) extern const TsGraphRule symbol;
#include "passes/graph/rules.def"
#undef TS_GRAPH_RULE

const TsGraphRule *const ts_graph_rules[TS_N_GRAPH_RULES] = {
#define TS_GRAPH_RULE(symbol) &symbol,
#include "passes/graph/rules.def"
#undef TS_GRAPH_RULE
};

/* --- events ---------------------------------------------------------------------------------------------------------------- */

/* One line of the log: a step with the whole line, and a note that --verbose prints. */
static void
log_event (TsGraph *graph, const char *event, const TsOp *op, const char *format, ...) G_GNUC_PRINTF (4, 5);

static void
log_event (TsGraph *graph, const char *event, const TsOp *op, const char *format, ...)
{
  g_autoptr (GString) line = g_string_new ("[GRAPH] event=");
  va_list args;

  g_string_append (line, event);
  va_start (args, format);
  g_string_append_c (line, ' ');
  g_string_append_vprintf (line, format, args);
  va_end (args);
  ts_step_begin (graph->pass->steps, event, graph->module, graph->function, op);
  ts_step_text (graph->pass->steps, "log", line->str);
  ts_pass_report (graph->pass, graph->module, op, TS_SEVERITY_NOTE, NULL, "graph-event", "%s", line->str)->detail = TRUE;
}

void
ts_graph_reject (TsGraph *graph, const TsGraphRule *rule, const TsOp *candidate, guint part, TsGraphReason reason, const TsOp *at)
{
  TsSteps *steps = graph->pass->steps;

  ts_graph_verdict (graph, rule, candidate, part, TS_GRAPH_REJECTED, reason, at);
  ts_step_begin (steps, "rejected", graph->module, graph->function, candidate);
  ts_step_text (steps, "rule", rule->name);
  if (rule->n_parts > 0)
    ts_step_text (steps, "part", ts_graph_part_name (part));
  ts_step_text (steps, "reason", ts_graph_reason_name (reason));
  ts_step_text (steps, "why", ts_graph_reason_sentence (reason));
  ts_step_int (steps, "at", at != NULL ? at->origin.op : -1);
  ts_step_text (steps, "operation", at != NULL ? at->name : "");
  ts_step_int (steps, "epoch", graph->epoch);
}

/* --- plans ----------------------------------------------------------------------------------------------------------------- */

static void
plan_free (gpointer data)
{
  TsGraphPlan *plan = data;

  if (plan->rule->free_data != NULL)
    plan->rule->free_data (plan->data);
  g_free (plan);
}

void
ts_graph_add_plan (GPtrArray *plans, const TsGraphRule *rule, TsOp *anchor, guint benefit, gpointer data)
{
  TsGraphPlan *plan = g_new0 (TsGraphPlan, 1);

  plan->rule = rule;
  plan->anchor = anchor;
  plan->benefit = benefit;
  plan->discovery = plans->len;
  plan->data = data;
  g_ptr_array_add (plans, plan);
}

/* --- epochs ---------------------------------------------------------------------------------------------------------------- */

static void
drop_analyses (TsGraph *graph)
{
  GHashTableIter iter;
  gpointer analysis, built;

  if (graph->analyses == NULL)
    return;
  g_hash_table_iter_init (&iter, graph->analyses);
  while (g_hash_table_iter_next (&iter, &analysis, &built))
    ((const TsGraphAnalysis *) analysis)->free (built);
  g_hash_table_remove_all (graph->analyses);
}

gpointer
ts_graph_analysis (TsGraph *graph, const TsGraphAnalysis *analysis)
{
  gpointer built;

  if (graph->analyses == NULL)
    graph->analyses = g_hash_table_new (NULL, NULL);
  built = g_hash_table_lookup (graph->analyses, analysis);
  if (built == NULL)
    {
      built = analysis->build (graph);
      g_hash_table_insert (graph->analyses, (gpointer) analysis, built);
    }
  return built;
}

static void
begin_epoch (TsGraph *graph)
{
  if (graph->is_current)
    return;
  drop_analyses (graph);
  ts_graph_track_all (graph);
  graph->is_current = TRUE;
}

/* --- order of plans -------------------------------------------------------------------------------------------------------- */

static gint
compare_plans (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint32 *numbers = data;
  const TsGraphPlan *x = *(TsGraphPlan *const *) a, *y = *(TsGraphPlan *const *) b;
  guint32 nx = numbers[x->anchor->id], ny = numbers[y->anchor->id];

  if (x->benefit != y->benefit)
    return x->benefit > y->benefit ? -1 : 1;
  if (nx != ny)
    return nx < ny ? -1 : 1;
  if (x->rule->bit != y->rule->bit)
    return x->rule->bit < y->rule->bit ? -1 : 1;
  return x->discovery < y->discovery ? -1 : x->discovery > y->discovery;
}

void
ts_graph_sort_plans (GPtrArray *plans, guint32 *numbers)
{
  for (guint i = 1; i < plans->len; i++) /* most are found in order */
    if (compare_plans (&plans->pdata[i - 1], &plans->pdata[i], numbers) > 0)
      {
        g_ptr_array_sort_with_data (plans, compare_plans, numbers);
        return;
      }
}

static GPtrArray *
find_plans (TsGraph *graph, const TsGraphRule *rule)
{
  GPtrArray *plans = g_ptr_array_new_with_free_func (plan_free);

  rule->find (graph, plans);
  for (guint i = 0; i < plans->len; i++)
    {
      TsGraphPlan *plan = g_ptr_array_index (plans, i);

      plan->epoch = graph->epoch;
      ts_graph_verdict_plan (graph, plan, TS_GRAPH_SKIPPED, TS_GRAPH_NOT_REACHED);
    }
  ts_graph_sort_plans (plans, graph->numbers);
  return plans;
}

/* --- driver ---------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  guint general, row;
  guint success[TS_N_GRAPH_RULES]; /* by position in rules.def */
  TsGraphSkipped skipped;
  gboolean exhausted;
} Counters;

static void
remark (TsGraph *graph, const TsGraphRule *rule)
{
  if (graph->options.emit_remarks)
    ts_pass_note_function (graph->pass, graph->module, graph->function, "remark", "function '%s': rule %u (%s) applied",
                           graph->function->name, rule->bit, rule->name);
}

const TsGraphPlan *
ts_graph_select_plan (TsGraph *graph, const GPtrArray *plans, guint from, TsGraphSkipped *skipped, guint *ordinal)
{
  for (guint i = from; i < plans->len; i++)
    {
      const TsGraphPlan *plan = g_ptr_array_index (plans, i);

      if (plan->epoch + graph->n_kept < graph->epoch)
        {
          skipped->stale++;
          ts_step_begin (graph->pass->steps, "stale", graph->module, graph->function, plan->anchor);
          continue;
        }
      if (!plan->rule->revalidate (graph, plan))
        {
          skipped->refused++;
          ts_step_begin (graph->pass->steps, "revalidation-refused", graph->module, graph->function, plan->anchor);
          ts_graph_verdict_plan (graph, plan, TS_GRAPH_REJECTED, TS_GRAPH_REFUSED);
          continue;
        }
      *ordinal = i - from + 1;
      return plan;
    }
  return NULL;
}

typedef enum { ROUND_NOTHING, ROUND_APPLIED, ROUND_FAILED } Round;

/* The form of a rule that the options ask for. */
static const TsGraphRule *
chosen_rule (const TsGraph *graph, guint index)
{
  return graph->options.square_form && ts_graph_rules[index]->square_form != NULL
             ? ts_graph_rules[index]->square_form
             : ts_graph_rules[index];
}

/* What a plan rests on is proven once more right before anything changes. */
static gboolean
apply_plan (TsGraph *graph, const TsGraphPlan *plan)
{
  if (plan->rule->revalidate (graph, plan))
    return plan->rule->apply (graph, plan);
  g_string_assign (graph->failure, "the match no longer holds");
  return FALSE;
}

/* Rounds of one rule. */
typedef struct
{
  const TsGraphRule *rule;
  GPtrArray *plans; /* sorted; NULL: to be found */
  guint      next;  /* the first that was not applied */
  gboolean   begun;
} Phase;

static void
find_anew (TsGraph *graph, Phase *phase)
{
  begin_epoch (graph);
  phase->plans = find_plans (graph, phase->rule);
  phase->next = 0;
  graph->n_kept = 0;
  if (!phase->begun)
    log_event (graph, "candidates", NULL, "rule=%s count=%u epoch=%u", phase->rule->name, phase->plans->len, graph->epoch);
  phase->begun = TRUE;
}

/* After a rewrite: what was found before it is let go of, unless it is known to stand. Whoever asks for steps wants each search in
 * full; a plan that was passed over has to be met again. */
static void
end_round (TsGraph *graph, Phase *phase, const TsGraphPlan *applied, guint ordinal)
{
  if (graph->pass->steps == NULL && ordinal == 1 && phase->rule->keeps != NULL && phase->rule->keeps (graph, applied))
    {
      phase->next++;
      graph->n_kept++;
    }
  else
    g_clear_pointer (&phase->plans, g_ptr_array_unref);
}

static Round
run_round (TsGraph *graph, Phase *phase, Counters *counters)
{
  g_autoptr (GString) detail = g_string_new (NULL);
  const TsGraphRule *rule = phase->rule;
  const TsGraphPlan *plan;
  guint ordinal = 0;

  if (phase->plans == NULL)
    find_anew (graph, phase);
  plan = ts_graph_select_plan (graph, phase->plans, phase->next, &counters->skipped, &ordinal);
  if (plan == NULL)
    return ROUND_NOTHING;
  rule->describe (plan, detail);
  log_event (graph, "plan-selected", plan->anchor, "rule=%s benefit=%u ordinal=%u epoch=%u%s%s", rule->name, plan->benefit, ordinal,
             graph->epoch, detail->str, rule->once ? " sandbox=not-run" : "");
  if (rule->once) /* it may change anything, and nothing comes after it */
    graph->is_current = FALSE;
  if (!apply_plan (graph, plan))
    {
      ts_graph_verdict_plan (graph, plan, TS_GRAPH_FAILED, TS_GRAPH_NOT_APPLIED);
      ts_step_begin (graph->pass->steps, "rolled-back", graph->module, graph->function, plan->anchor);
      ts_step_text (graph->pass->steps, "why", graph->failure->str);
      ts_pass_fail_function (graph->pass, graph->module, graph->function, "graph-apply",
                             "%s could not be applied to function '%s': %s", rule->name, graph->function->name,
                             graph->failure->str);
      return ROUND_FAILED;
    }
  ts_graph_verdict_plan (graph, plan, TS_GRAPH_APPLIED, TS_GRAPH_PROVEN);
  log_event (graph, "apply-ok", NULL, "rule=%s benefit=%u ordinal=%u epoch=%u%s%s", rule->name, plan->benefit, ordinal,
             graph->epoch, detail->str, rule->once ? " sandbox=verified" : "");
  remark (graph, rule);
  end_round (graph, phase, plan, ordinal);
  return ROUND_APPLIED;
}

/* Said once per function, by the first phase that the budget ends or keeps from beginning. */
static void
note_exhausted (TsGraph *graph, Counters *counters)
{
  if (counters->exhausted)
    return;
  counters->exhausted = TRUE;
  log_event (graph, "budget-exhausted", NULL, "function=%s rewrites=%u max-rewrites=%u", graph->function->name, counters->general,
             graph->options.max_rewrites);
}

/* One rule until it finds nothing or the budget is used up. FALSE: failed. */
static gboolean
run_phase (TsGraph *graph, guint index, Counters *counters)
{
  Phase phase = { chosen_rule (graph, index), NULL, 0, FALSE };
  Round round = ROUND_APPLIED;

  if (counters->general >= graph->options.max_rewrites)
    {
      note_exhausted (graph, counters);
      log_event (graph, "candidates", NULL, "rule=%s status=not-scanned reason=rewrite-budget-exhausted epoch=%u",
                 ts_graph_rules[index]->name, graph->epoch);
      ts_graph_verdict_pending (graph, ts_graph_rules[index], TS_GRAPH_BUDGET);
      return TRUE;
    }
  while (counters->general < graph->options.max_rewrites && !ts_pass_cancelled (graph->pass))
    {
      round = run_round (graph, &phase, counters);
      if (round != ROUND_APPLIED)
        break;
      counters->general++;
      counters->success[index]++;
      graph->epoch++;
    }
  g_clear_pointer (&phase.plans, g_ptr_array_unref);
  if (round == ROUND_NOTHING)
    ts_graph_verdict_pending (graph, ts_graph_rules[index], TS_GRAPH_NOT_MATCHED);
  if (round != ROUND_APPLIED)
    return round == ROUND_NOTHING;
  if (counters->general >= graph->options.max_rewrites)
    {
      ts_graph_verdict_pending (graph, ts_graph_rules[index], TS_GRAPH_BUDGET);
      note_exhausted (graph, counters);
    }
  return TRUE;
}

static gboolean
run_once (TsGraph *graph, guint index, Counters *counters)
{
  const TsGraphRule *rule = ts_graph_rules[index];
  Phase phase = { rule, NULL, 0, FALSE };
  Round round;

  if ((graph->options.rule_mask & rule->bit) == 0 || !graph->options.force_simt_only)
    {
      log_event (graph, "rule-skip", NULL, "rule=%s reason=%s", rule->name,
                 (graph->options.rule_mask & rule->bit) == 0 ? "not-registered" : "force-simt-only-false");
      ts_graph_verdict_pending (graph, rule, TS_GRAPH_SIMT_ONLY);
      return TRUE;
    }
  round = run_round (graph, &phase, counters);
  g_clear_pointer (&phase.plans, g_ptr_array_unref);
  if (round == ROUND_APPLIED)
    {
      counters->row++;
      counters->success[index]++;
      graph->epoch++;
    }
  return round != ROUND_FAILED;
}

/* Every rule in its turn. FALSE: failed. */
static gboolean
run_rules (TsGraph *graph, Counters *counters)
{
  for (guint i = 0; i < TS_N_GRAPH_RULES; i++)
    {
      const TsGraphRule *rule = ts_graph_rules[i];

      if ((graph->options.rule_mask & rule->bit) == 0)
        ts_graph_verdict_pending (graph, rule, TS_GRAPH_SWITCHED_OFF);
      if (rule->once ? !run_once (graph, i, counters)
                     : (graph->options.rule_mask & rule->bit) != 0 && !run_phase (graph, i, counters))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_function (TsGraph *graph, Counters *counters)
{
  gboolean done;

  const TsGraphOptions *o = &graph->options;

  graph->epoch = 0;
  graph->is_current = FALSE;
  log_event (graph, "pass-start", NULL, "function=%s rule-mask=%u max-rewrites=%u ub-capacity-bytes=%u force-simt-only=%s",
             graph->function->name, o->rule_mask, o->max_rewrites, o->ub_capacity, o->force_simt_only ? "true" : "false");
  graph->verdicts = ts_graph_verdicts_new (graph);
  done = run_rules (graph, counters);
  ts_graph_verdicts_record (graph);
  g_clear_pointer (&graph->verdicts, ts_graph_verdicts_free);
  if (!done)
    return FALSE;
  log_event (
      graph, "pass-end", NULL,
      "function=%s rewrites-general=%u rewrites-row=%u rewrites-total=%u success-load-store=%u success-transpose-pointwise=%u "
      "success-store-coalescing=%u success-row-coalescing=%u stale-skipped=%u revalidation-skipped=%u budget-exhausted=%s",
      graph->function->name, counters->general, counters->row, counters->general + counters->row, counters->success[0],
      counters->success[1], counters->success[2], counters->success[3], counters->skipped.stale, counters->skipped.refused,
      counters->exhausted ? "true" : "false");
  return TRUE;
}

/* --- options --------------------------------------------------------------------------------------------------------------- */

typedef enum { RULE_MASK, MAX_REWRITES, UB_CAPACITY, EMIT_REMARKS, SIMT_ONLY, SQUARE_FORM, FAIL_AFTER, N_OPTIONS } Option;

static const TsPassOption options[N_OPTIONS] = {
  [RULE_MASK] = { "rule-mask", TS_PASS_OPTION_NUMBER, 127 },
  [MAX_REWRITES] = { "max-rewrites-per-function", TS_PASS_OPTION_NUMBER, G_MAXUINT32 },
  [UB_CAPACITY] = { "ub-capacity-bytes", TS_PASS_OPTION_NUMBER, G_MAXUINT32 },
  [EMIT_REMARKS] = { "emit-remarks", TS_PASS_OPTION_FLAG, 1 },
  [SIMT_ONLY] = { "force-simt-only", TS_PASS_OPTION_FLAG, 1 },
  [SQUARE_FORM] = { "square-form", TS_PASS_OPTION_FLAG, 1 },
  [FAIL_AFTER] = { "fail-after", TS_PASS_OPTION_NUMBER, G_MAXINT64 },
};

/* Half the machine's unified buffer by its physical size; the usable figure of machine files is rounded up to a power-of-two share.
 */
static guint64
default_capacity (const TsMachine *machine)
{
  gint64 usable = machine != NULL ? ts_machine_capacity (machine, TS_SPACE_VEC) : 0;

  if (machine == NULL)
    return 0;
  if (ts_machine_backend (machine) == TS_BACKEND_A5)
    return 128 * 1024;
  if (usable > 184 * 1024 - 1)
    return 96 * 1024;
  return (guint64) usable / 2;
}

/* A list of passes was checked when it was read; who calls the pass with a table of his own is told here. */
static gboolean
read_options (TsPassContext *context, const TsModule *module, TsGraphOptions *out)
{
  guint64 values[N_OPTIONS] = { [RULE_MASK] = 127, [MAX_REWRITES] = 64, [UB_CAPACITY] = default_capacity (context->machine) };

  for (guint i = 0; i < N_OPTIONS; i++)
    {
      const char *text = context->options != NULL ? g_hash_table_lookup (context->options, options[i].name) : NULL;
      g_autofree char *needed = text != NULL ? ts_pass_option_read (&options[i], text, &values[i]) : NULL;

      if (needed != NULL)
        {
          ts_pass_fail (context, module, NULL, "option", "option '%s' cannot be '%s': %s is needed", options[i].name, text, needed);
          return FALSE;
        }
    }
  *out = (TsGraphOptions) { .rule_mask = (guint32) values[RULE_MASK],
                            .max_rewrites = (guint32) values[MAX_REWRITES],
                            .ub_capacity = (guint32) values[UB_CAPACITY],
                            .fail_after = (gint64) values[FAIL_AFTER],
                            .emit_remarks = values[EMIT_REMARKS] != 0,
                            .force_simt_only = values[SIMT_ONLY] != 0,
                            .square_form = values[SQUARE_FORM] != 0 };
  return TRUE;
}

static void
graph_clear (TsGraph *graph)
{
  drop_analyses (graph);
  g_clear_pointer (&graph->analyses, g_hash_table_unref);
  ts_graph_track_free (graph);
  ts_cloner_free (graph->copier);
  ts_cloner_free (graph->switches);
  g_string_free (graph->failure, TRUE);
}

static gboolean
note_callee (TsOp *op, gpointer data)
{
  if (op->code == TS_OP_CALL)
    g_hash_table_add (data, (gpointer) op->name);
  return TRUE;
}

/* Names of the functions that others call: names of operations and functions are interned. */
static GHashTable *
find_callees (const TsModule *module)
{
  GHashTable *callees = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < module->n_functions; i++)
    ts_region_walk (&module->functions[i]->body, note_callee, callees);
  return callees;
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  g_autoptr (GHashTable) callees = find_callees (module);
  TsGraph graph = { .pass = context, .module = module };
  TsPassResult result = TS_PASS_UNCHANGED;

  if (!read_options (context, module, &graph.options))
    return TS_PASS_FAILED;
  graph.failure = g_string_new (NULL);
  for (guint i = 0; i < module->n_functions && result != TS_PASS_FAILED; i++)
    {
      Counters counters = { 0 };

      graph.function = module->functions[i];
      if (graph.function->body_kind != TS_BODY_STATEMENTS || ts_function_block (graph.function)->first == NULL)
        continue;
      graph.is_entry = ts_graph_is_public (graph.function) && !g_hash_table_contains (callees, graph.function->name);
      if (!run_function (&graph, &counters))
        result = TS_PASS_FAILED;
      else if (counters.general + counters.row > 0)
        result = TS_PASS_CHANGED;
    }
  graph_clear (&graph);
  return result;
}

const TsPassInfo ts_pass_graph_optimize = {
  .name = "GraphOptimize",
  .id = "graph-optimize",
  .summary
  = "Layout optimization of Triton IR: transposed accesses, transposes before element-wise operations, stores side by side",
  .help
  = "Applies four rules, one after the other: LoadStoreTranspose (1) relabels axes so that they follow memory; "
    "TransposePointwiseReorder (2) moves a transpose behind element-wise operations, next to the dot; StoreCoalescing (4) merges "
    "stores to adjacent intervals; RowCoalescing (8, only with force-simt-only) lets one program handle several rows.\n"
    "Different pointer arguments of a kernel (public, and called by no other function) are taken never to overlap: the calling "
    "convention promises it.\n"
    "Options: rule-mask (127), max-rewrites-per-function (64), ub-capacity-bytes (half the machine's unified buffer), "
    "emit-remarks, force-simt-only, square-form (LoadStoreTranspose in its early form: row-major squares get column-major lanes, "
    "a proof of mechanism that gains nothing), fail-after (for tests of rollback: the n-th created operation fails).",
  .language = TS_LANGUAGE_TTIR,
  .required = TS_PROPERTY_BIT (TS_PROPERTY_TTIR_VALID),
  .produced = TS_PROPERTY_BIT (TS_PROPERTY_TTIR_VALID),
  .planners = (1u << TS_N_PLANNERS) - 1,
  .in_default = TRUE,
  .whole_module = TRUE,
  .judges = TRUE,
  .options = options,
  .n_options = N_OPTIONS,
  .run = run,
};
