/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One simulation from end to end, and what had to be assumed on the way. */
#include "sim/execute.h"

#include <string.h>

#include "base/number.h"
#include "ir/nested-calls.h"
#include "ir/provenance.h"
#include "sim/periodic-loop.h"
#include "sim/report.h"

G_DEFINE_QUARK (ts-sim-error-quark, ts_sim_error)

/* --- can it be simulated? ----------------------------------------------------------------------------------------------- */

/* What the execution follows into another function of the program. */
static gboolean
is_call (const TsOp *op)
{
  return (op->code == TS_OP_CALL || op->code == TS_OP_SUBMIT || op->code == TS_OP_SPMD_SUBMIT) && op->name != NULL;
}

/* Functions still to be looked at: the one asked for and what it calls, each once however they call each other. */
typedef struct
{
  const TsModule *module;
  GPtrArray      *functions; /* const TsFunction */
  GHashTable     *known;
  gboolean        found;   /* an operation on tiles, of Triton IR or of the core itself */
  gboolean        scalars; /* scalar assignments: one instruction on S each */
  gboolean        tensors; /* operations that get their pipes when they are tiled */
} PipeSearch;

static void
search_function (PipeSearch *search, const TsFunction *function)
{
  if (function != NULL && function->body_kind == TS_BODY_STATEMENTS && g_hash_table_add (search->known, (gpointer) function))
    g_ptr_array_add (search->functions, (gpointer) function);
}

static gboolean
find_pipe (TsOp *op, gpointer data)
{
  const TsOpInfo *info = ts_op_info (op->code);
  PipeSearch *search = data;

  if (info->dialect == TS_DIALECT_TTIR || info->dialect == TS_DIALECT_TILE || info->dialect == TS_DIALECT_UNKNOWN
      || info->dialect == TS_DIALECT_SYSTEM)
    search->found |= ts_op_pipe (op, TS_BACKEND_NONE, NULL) != TS_PIPE_NONE;
  else if (info->dialect == TS_DIALECT_STRUCTURAL)
    search->scalars |= ts_op_pipe (op, TS_BACKEND_NONE, NULL) == TS_PIPE_S;
  search->tensors |= info->dialect == TS_DIALECT_TENSOR;
  if (is_call (op) && !search->found)
    search_function (search, ts_module_find_function (search->module, op->name));
  return !search->found;
}

/* As deep as calls are executed. NULL: there is something to simulate; else why not. */
static const char *
find_work (const TsModule *module, const TsFunction *function)
{
  g_autoptr (GPtrArray) functions = g_ptr_array_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  PipeSearch search = { .module = module, .functions = functions, .known = known };

  search_function (&search, function);
  for (guint depth = 0, i = 0; depth <= TS_MAX_CALL_DEPTH && !search.found; depth++)
    for (guint end = functions->len; i < end && !search.found; i++)
      {
        const TsFunction *next = g_ptr_array_index (functions, i);
        search.found = ts_has_nested_calls (next);
        ts_region_walk ((TsRegion *) &next->body, find_pipe, &search);
      }
  if (search.found || (search.scalars && !search.tensors && ts_function_is_on_core (function)))
    return NULL;
  if (search.tensors)
    return "nothing in the function uses a pipe: tensor-level code gets its pipes when it is tiled";
  return search.scalars ? "the function computes scalars only, and none of the types InCore, AIC and AIV says that a core does it"
                        : "nothing in the function uses a pipe: it has no statement that takes time";
}

typedef struct
{
  const TsModule *module;
  gboolean        found;
} CoreCall;

static gboolean
find_core_call (TsOp *op, gpointer data)
{
  CoreCall *c = data;
  TsFunction *callee = is_call (op) ? ts_module_find_function (c->module, op->name) : NULL;

  c->found |= callee != NULL && (callee->type == TS_FUNCTION_AIC || callee->type == TS_FUNCTION_AIV);
  return TRUE;
}

gboolean
ts_simulate_can (const TsModule *module, const TsFunction *function, const char **why)
{
  const char *reason = NULL;
  CoreCall call = { .module = module };

  if (function->external_source != NULL)
    reason = "its code is in a source file of its own, outside the program";
  else if (function->body_kind != TS_BODY_STATEMENTS || function->body.n_blocks == 0)
    reason = "the function has no body to execute";
  else if (function->type == TS_FUNCTION_ORCHESTRATION || function->type == TS_FUNCTION_GRAPH)
    reason = "orchestration runs on the scheduler, not on the pipes of a core";
  else if (function->type == TS_FUNCTION_GROUP)
    {
      ts_region_walk ((TsRegion *) &function->body, find_core_call, &call);
      if (!call.found)
        reason = "the group calls no function for a cube or vector core";
    }
  else
    reason = find_work (module, function);
  if (why != NULL)
    *why = reason;
  return reason == NULL;
}

/* --- the simulation ----------------------------------------------------------------------------------------------------- */

static gboolean
check_define (const char *define, const TsValue *p, GError **error)
{
  const char *value = strchr (define, '=') + 1;
  const int   length = (int) (value - 1 - define); /* the name as the user says it, not as a dump numbers it */
  gint64      whole;

  if (!ts_type_is_scalar (p->type))
    g_set_error (error, TS_SIM_ERROR, TS_SIM_ERROR_DEFINE,
                 "%s: parameter %.*s is no scalar; -D binds scalar parameters and constants", define, length, define);
  else if (ts_dtype_is_integer (p->type->dtype) && !ts_parse_int64 (value, &whole))
    g_set_error (error, TS_SIM_ERROR, TS_SIM_ERROR_DEFINE, "%s: parameter %.*s takes a whole number", define, length,
                 define);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_defines (const TsSimOptions *options, const TsFunction *function, GError **error)
{
  for (const char *const *d = options->defines; d != NULL && *d != NULL; d++)
    {
      const char *equal = strchr (*d, '=');

      for (guint i = 0; equal != NULL && i < function->n_params; i++)
        if (ts_name_answers (function->params[i]->hint, *d, (gsize) (equal - *d))
            && !check_define (*d, function->params[i], error))
          return FALSE;
    }
  return TRUE;
}

static gboolean
is_bound (const TsSimulation *s, const char *define, gsize length)
{
  for (guint i = 0; i < s->n_bindings; i++)
    if (ts_name_answers (s->bindings[i].name, define, length))
      return TRUE;
  return FALSE;
}

/* What the define could bind, had the simulation asked for it; NULL: nothing of a module. */
static const char *
unasked (const TsModule *module, const TsFunction *function, const char *define, gsize length)
{
  g_autofree char *name = g_strndup (define, length);

  if (ts_simulate_knows_name (name))
    return "does not ask for it";
  for (guint f = 0; f < module->n_functions; f++)
    for (guint i = 0; i < module->functions[f]->n_params; i++)
      {
        const TsValue *param = module->functions[f]->params[i];

        if (ts_name_answers (param->hint, define, length) && ts_type_is_scalar (param->type))
          return strcmp (module->functions[f]->name, function->name) == 0 ? "does not read it" : "has no such parameter";
      }
  return NULL;
}

/* A name that a kernel could have asked for, and this one did not. */
static void
warn_unused_defines (const TsModule *module, const TsFunction *function, const TsSimOptions *options, TsSimulation *s)
{
  for (const char *const *d = options->defines; d != NULL && *d != NULL; d++)
    {
      gsize length = strcspn (*d, "=");
      const char *why = is_bound (s, *d, length) ? NULL : unasked (module, function, *d, length);

      if (why != NULL)
        ts_diag_add (s->diags, TS_SEVERITY_WARNING, "unused-define", NULL, TS_SPAN_NONE, "-D %s binds nothing here: '%s' %s", *d,
                     function->name, why);
    }
}

typedef struct
{
  TsStream   *stream;
  TsSchedule *schedule;
  TsDiagList *diags;
  GArray     *bindings;
} Attempt;

static void
attempt_clear (Attempt *a)
{
  g_clear_pointer (&a->stream, ts_stream_free);
  g_clear_pointer (&a->schedule, ts_schedule_free);
  g_clear_pointer (&a->diags, ts_diag_list_free);
  g_clear_pointer (&a->bindings, g_array_unref);
}

/* The bound is shared: what one core leaves of its part goes to those that were cut. FALSE: nobody gains anything. */
static gboolean
share_bound (TsExecPlan *plan, const TsStream *stream, gint64 max)
{
  gint64 left = max;
  guint n_cut = 0;
  gboolean more = FALSE;

  for (guint k = 0; k < stream->n_cores; k++)
    {
      left -= stream->cores[k].cut ? 0 : stream->cores[k].n;
      n_cut += stream->cores[k].cut;
    }
  for (guint k = 0; k < stream->n_cores; k++)
    if (stream->cores[k].cut && left / n_cut > plan->limit[k])
      {
        plan->limit[k] = left / n_cut;
        more = TRUE;
      }
  return more;
}

/* Where cores wait for what others were cut before sending, all of them end where they got to. FALSE: that is not why they wait. */
static gboolean
trim (TsExecPlan *plan, const TsStream *stream, const TsSchedule *schedule)
{
  gint64 reached[TS_MAX_CORES];
  gboolean cut = FALSE;

  for (guint k = 0; k < stream->n_cores; k++)
    {
      const TsCore *core = &stream->cores[k];
      for (reached[k] = 0; reached[k] < core->n && schedule->start[core->first + reached[k]] >= 0; reached[k]++)
        ;
      cut |= core->cut && reached[k] == core->n;
    }
  for (guint k = 0; cut && k < stream->n_cores; k++)
    plan->limit[k] = reached[k];
  return cut;
}

/* The n-th repeat of a core; NULL: it has fewer. */
static const TsRepeat *
repeat_of (const TsStream *stream, guint core, guint n)
{
  for (guint r = 0; r < stream->n_repeats; r++)
    if (stream->loops[stream->repeats[r].loop].core == core && n-- == 0)
      return &stream->repeats[r];
  return NULL;
}

static guint
count_repeats (const TsStream *stream, guint core)
{
  guint n = 0;

  for (guint r = 0; r < stream->n_repeats; r++)
    n += stream->loops[stream->repeats[r].loop].core == core;
  return n;
}

#define MAX_GROUP_REPEATS 2000u

/* Each loop leaves out what the core that leaves out least of it can. TRUE: they do already. */
static gboolean
same_omitted (TsExecPlan *plan, const TsStream *stream, guint n_repeats)
{
  gboolean same = TRUE;
  g_autoptr (GArray) omitted = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint n = 0; n < n_repeats; n++)
    {
      gint64 fewest = G_MAXINT64, greatest = 0;
      for (guint k = 0; k < stream->n_cores; k++)
        if (stream->cores[k].n > 0)
          {
            fewest = MIN (fewest, repeat_of (stream, k, n)->omitted);
            greatest = MAX (greatest, repeat_of (stream, k, n)->omitted);
          }
      same &= fewest == greatest;
      g_array_append_val (omitted, fewest);
    }
  if (same)
    return TRUE;
  plan->never |= plan->omitted != NULL;
  g_clear_pointer (&plan->omitted, g_array_unref);
  plan->omitted = g_steal_pointer (&omitted);
  return FALSE;
}

/* The cores of a group leave out the same number of iterations, loop by loop. TRUE: they do; else the plan says how they will. */
static gboolean
align (TsExecPlan *plan, const TsStream *stream)
{
  gint64 period = plan->period;
  guint most = 0, least = G_MAXUINT;
  gboolean same = TRUE;

  for (guint k = 0; k < stream->n_cores; k++)
    if (stream->cores[k].n > 0)
      {
        most = MAX (most, count_repeats (stream, k));
        least = MIN (least, count_repeats (stream, k));
      }
  if (stream->n_cores < 2 || most == 0)
    return TRUE;
  for (guint r = 0; r < stream->n_repeats; r++)
    period = periodic_join (period, stream->repeats[r].period);
  for (guint r = 0; r < stream->n_repeats; r++)
    same &= stream->repeats[r].period == period;
  if (period == 0 || most > MAX_GROUP_REPEATS)
    plan->never = TRUE;
  else if (!same && period != plan->period)
    plan->period = period;
  else if (most != least && !plan->always)
    plan->always = TRUE;
  else if (most != least || !same)
    plan->never = TRUE;
  else
    return same_omitted (plan, stream, most);
  return FALSE;
}

/* The loop whose state did not return is given more time to settle, and with it its like on the other cores. */
static void
lose_patience (TsExecPlan *plan, const TsStream *stream, gint32 failed)
{
  guint n = 0;

  if (failed < 0)
    {
      plan->never = TRUE;
      return;
    }
  for (gint32 r = 0; r < failed; r++)
    n += stream->loops[stream->repeats[r].loop].core == stream->loops[stream->repeats[failed].loop].core;
  for (guint k = 0; k < stream->n_cores; k++)
    {
      const TsRepeat *repeat = repeat_of (stream, k, n);
      gpointer key = repeat != NULL ? GINT_TO_POINTER (stream->loops[repeat->loop].statement + 1) : NULL;
      if (repeat != NULL)
        g_hash_table_insert (plan->patience, key, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (plan->patience,
            key)) + 1));
    }
  g_clear_pointer (&plan->omitted, g_array_unref);
}

#define MAX_ROUNDS 24u

/* Long loops may need some iterations until they settle; when they never do, everything is executed as far as the bound goes. */
static gboolean
attempt (Attempt *a, const TsModule *module, const TsFunction *function, TsMachine *machine, const TsSimOptions *options,
         GCancellable *cancellable)
{
  gint64 asked = options->max_instructions > 0 ? options->max_instructions : TS_SIM_MAX_INSTRUCTIONS;
  gint64 max = MIN (asked, TS_SIM_MOST_INSTRUCTIONS);
  gboolean group = function->type == TS_FUNCTION_GROUP, trimmed = FALSE;
  g_autoptr (GHashTable) patience = g_hash_table_new (NULL, NULL);
  TsExecPlan plan = { .patience = patience, .period = 1 };
  gboolean done = FALSE;

  for (guint k = 0; k < TS_MAX_CORES; k++)
    plan.limit[k] = group ? MAX (max / TS_MAX_CORES, 1) : max;
  for (guint round = 0; round < MAX_ROUNDS && !done; round++)
    {
      attempt_clear (a);
      a->diags = ts_diag_list_new ();
      a->bindings = g_array_new (FALSE, FALSE, sizeof (TsBoundName));
      plan.never |= round > MAX_ROUNDS / 2;
      a->stream = ts_execute (module, function, machine, options, &plan, a->diags, a->bindings, cancellable);
      if (a->stream == NULL || g_cancellable_is_cancelled (cancellable))
        break;
      if ((!trimmed && share_bound (&plan, a->stream, max)) || !align (&plan, a->stream))
        continue;
      a->schedule
          = ts_schedule_new (a->stream, ts_machine_timing (machine), cancellable, options->progress, options->progress_data);
      if (a->schedule->status == TS_SCHEDULE_CANCELLED)
        break;
      if (a->schedule->status == TS_SCHEDULE_NOT_PERIODIC)
        lose_patience (&plan, a->stream, a->schedule->failed);
      else if (a->schedule->status == TS_SCHEDULE_DEADLOCK && !trimmed && trim (&plan, a->stream, a->schedule))
        trimmed = TRUE;
      else
        done = TRUE;
    }
  g_clear_pointer (&plan.omitted, g_array_unref);
  return done;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (((const TsBoundName *) a)->name, ((const TsBoundName *) b)->name);
}

TsSimulation *
ts_simulate (const TsModule *module, const TsFunction *function, TsMachine *machine, const TsSimOptions *options,
             GCancellable *cancellable, GError **error)
{
  static const TsSimOptions defaults = { 0 };
  const char *why = NULL;
  Attempt a = { 0 };

  options = options != NULL ? options : &defaults;
  if (function == NULL || !ts_simulate_can (module, function, &why))
    {
      g_set_error (error, TS_SIM_ERROR, TS_SIM_ERROR_FUNCTION, "%s: %s", function != NULL ? function->name : "?",
                   why != NULL ? why : "there is no such function");
      return NULL;
    }
  if (!check_defines (options, function, error))
    return NULL;
  /* Calls in expressions happen on their own pipes and in buffers of their own. */
  g_autoptr (TsModule) flat = ts_module_with_calls_apart (module, &function);
  module = flat != NULL ? flat : module;
  if (!attempt (&a, module, function, machine, options, cancellable))
    {
      attempt_clear (&a);
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The simulation was cancelled");
      return NULL;
    }
  TsSimulation *s = g_new0 (TsSimulation, 1);
  g_array_sort (a.bindings, compare_names);
  s->function = ts_intern (module->strings, function->name);
  s->machine = ts_machine_ref (machine);
  s->stream = a.stream;
  s->schedule = a.schedule;
  s->stream->truncated |= s->schedule->status == TS_SCHEDULE_OVERFLOW;
  s->diags = a.diags;
  s->n_bindings = a.bindings->len;
  s->bindings = (const TsBoundName *) (gpointer) g_array_free (a.bindings, FALSE);
  s->result = ts_result_new (s->stream, s->schedule, machine, cancellable, options->progress, options->progress_data);
  if (s->result == NULL)
    {
      ts_simulation_free (s);
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The simulation was cancelled");
      return NULL;
    }
  ts_result_take_facts (s->result, module, s->stream, options->membership, options->membership_data);
  warn_unused_defines (module, function, options, s);
  ts_simulation_report (module, function, s);
  return s;
}

const char *
ts_simulation_fault (const TsSimulation *simulation)
{
  for (guint i = 0; i < ts_diag_list_length (simulation->diags); i++)
    if (ts_diag_list_get (simulation->diags, i)->severity == TS_SEVERITY_ERROR)
      return ts_diag_list_get (simulation->diags, i)->message;
  return NULL;
}

void
ts_simulation_free (TsSimulation *s)
{
  if (s == NULL)
    return;
  g_clear_pointer (&s->machine, ts_machine_unref);
  ts_result_free (s->result);
  ts_schedule_free (s->schedule);
  ts_stream_free (s->stream);
  g_clear_pointer (&s->diags, ts_diag_list_free);
  g_free ((gpointer) s->bindings);
  g_free (s);
}
