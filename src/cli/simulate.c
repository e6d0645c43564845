/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilescope-cli simulate: one schedule, as text, JSON or a trace. */

#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/cli.h"

typedef struct
{
  TsRun              *run;
  guint               index;
  const TsSimulation *simulation;
} Since;

/* The pass after which a buffer edge first exists, as the JSON wants it. */
static const char *
since (gint32 op, gint32 on, gpointer data)
{
  const Since *s = data;

  return ts_run_buffer_since (s->run, s->index, s->simulation->function, op, on, NULL);
}

static TsCollapseOrigin
collapse (const TsCollapsed *c, gpointer data)
{
  const Since *s = data;
  TsSharing sharing;

  if (!ts_run_collapse_origin (s->run, s->index, c->op, c->other, NULL, &sharing))
    return (TsCollapseOrigin) { NULL, NULL, -1 };
  return (TsCollapseOrigin) { sharing.pass, sharing.reason, sharing.step != NULL ? (gint64) sharing.number : -1 };
}

static const TsMemoryFacts *
facts (const TsCore *core, gpointer data)
{
  const Since *s = data;
  const TsModule *module = ts_run_snapshot (s->run, s->index)->module;

  return core->function >= 0 && (guint) core->function < module->n_functions
           ? ts_run_member_memory (s->run, s->index, module->functions[core->function]->name,
                                   core->kind == TS_CORE_CUBE ? TS_FUNCTION_AIC : TS_FUNCTION_AIV, NULL) : NULL;
}

static void
print_pipes (const TsSimulation *simulation)
{
  static const char *const headers[] = { "core", "pipe", "lane", "instructions", "busy", "of time", "waits most for", "cycles" };
  const TsResult *result = simulation->result;
  TsTable *table = ts_table_new (headers, "lllrrrlr");

  for (guint i = 0; i < result->n_pipes; i++)
    {
      const TsPipeResult *pipe = &result->pipes[i];
      gint worst = -1;

      for (gint c = 0; c < TS_N_CAUSES; c++)
        if (pipe->idle[c] > 0 && (worst < 0 || pipe->idle[c] > pipe->idle[worst]))
          worst = c;
      ts_table_cell (table, simulation->stream->cores[pipe->core].name);
      ts_table_cell (table, ts_pipe_name (pipe->pipe));
      ts_table_cell (table, ts_lane_name (pipe->lane));
      ts_table_cell_int (table, pipe->instructions);
      ts_table_cell_int (table, pipe->busy);
      ts_table_cell_percent (table, pipe->utilization);
      ts_table_cell (table, worst >= 0 ? ts_cause_name ((TsCause) worst) : "-");
      ts_table_cell_int (table, worst >= 0 ? pipe->idle[worst] : -1);
    }
  ts_table_print (table);
}

static void
print_loops (const TsSimulation *simulation)
{
  static const char *const headers[] = { "loop", "line", "iterations", "interval", "resource", "recurrence", "binds" };
  const TsResult *result = simulation->result;
  TsTable *table;

  if (result->n_loops == 0)
    return;
  ts_cli_print ("\n");
  table = ts_table_new (headers, "lrrrrrl");
  for (guint i = 0; i < result->n_loops; i++)
    {
      const TsLoopResult *loop = &result->loops[i];
      const TsLoop *source = &simulation->stream->loops[loop->loop];

      ts_table_cell (table, source->is_while ? "while" : source->var);
      ts_table_cell_int (table, source->line);
      ts_table_cell_int (table, loop->total);
      ts_table_cell_int (table, loop->interval > 0 ? loop->interval : -1);
      ts_table_cell_int (table, loop->res_mii);
      ts_table_cell_int (table, loop->rec_mii);
      ts_table_cell (table, ts_binding_name (loop->binding));
    }
  ts_table_print (table);
}

/* The pace of every pipe of every loop, for those who want to know which one holds the loop. */
static void
print_pipe_intervals (const TsSimulation *simulation)
{
  static const char *const headers[] = { "core", "loop", "line", "pipe", "interval" };
  const TsResult *result = simulation->result;
  TsTable *table = NULL;

  for (guint i = 0; i < result->n_loops; i++)
    for (guint p = 0; p < TS_N_PIPES; p++)
      {
        const TsLoop *source = &simulation->stream->loops[result->loops[i].loop];

        if (result->loops[i].pipe_interval[p] == 0)
          continue;
        if (table == NULL)
          {
            ts_cli_print ("\n");
            table = ts_table_new (headers, "llrlr");
          }
        ts_table_cell (table, simulation->stream->cores[source->core].name);
        ts_table_cell (table, source->is_while ? "while" : source->var);
        ts_table_cell_int (table, source->line);
        ts_table_cell (table, ts_pipe_name ((TsPipe) p));
        ts_table_cell_int (table, result->loops[i].pipe_interval[p]);
      }
  if (table != NULL)
    ts_table_print (table);
}

/* How often a loop was filled in, 0: fill `i` is not its first; and whether that was always as many iterations at the same pace. */
static guint
count_fills (const TsSimulation *simulation, guint i, gint64 *iterations, gboolean *alike)
{
  const TsRepeat *repeats = simulation->stream->repeats;
  const TsFill *fills = simulation->schedule->fills;
  guint n = 0;

  *iterations = 0;
  *alike = TRUE;
  for (guint k = 0; k < simulation->schedule->n_fills && k < simulation->stream->n_repeats; k++)
    {
      if (repeats[k].loop != repeats[i].loop)
        continue;
      if (n++ == 0 && k < i)
        return 0;
      *iterations = ts_add_sat (*iterations, repeats[k].omitted);
      *alike &= repeats[k].omitted == repeats[i].omitted && fills[k].times == fills[i].times && fills[k].cycles == fills[i].cycles;
    }
  return n;
}

/* What the events leave out. */
static void
print_fills (const TsSimulation *simulation)
{
  const TsSchedule *schedule = simulation->schedule;

  for (guint i = 0; i < schedule->n_fills && i < simulation->stream->n_repeats; i++)
    {
      const TsRepeat *repeat = &simulation->stream->repeats[i];
      gint64 iterations;
      gboolean alike;
      guint n = count_fills (simulation, i, &iterations, &alike);

      if (n == 0)
        continue;
      gboolean group = simulation->stream->n_cores > 1;
      ts_cli_print ("%sline %u%s%s: %" G_GINT64_FORMAT " iterations filled in by period, ", i == 0 ? "\n" : "",
                    simulation->stream->loops[repeat->loop].line, group ? " on " : "",
                    group ? simulation->stream->cores[schedule->fills[i].core].name : "", repeat->omitted);
      ts_cli_print ("%" G_GINT64_FORMAT " every %" G_GINT64_FORMAT " cycles, from cycle %" G_GINT64_FORMAT " on",
                    repeat->omitted / MAX (schedule->fills[i].times, 1), schedule->fills[i].cycles, schedule->fills[i].time);
      if (n > 1)
        ts_cli_print (", the first of %u times", n);
      if (!alike)
        ts_cli_print (", %" G_GINT64_FORMAT " iterations in all", iterations);
      ts_cli_print ("\n");
    }
}

static void
print_memory (const TsSimulation *simulation)
{
  static const char *const headers[] = { "core", "space", "high water", "capacity", "buffers", "shared by stages" };
  const TsResult *result = simulation->result;
  TsTable *table;

  if (result->n_memory == 0)
    return;
  ts_cli_print ("\n");
  table = ts_table_new (headers, "llrrrr");
  for (guint i = 0; i < result->n_memory; i++)
    {
      const TsMemoryResult *memory = &result->memory[i];

      ts_table_cell (table, simulation->stream->cores[memory->core].name);
      ts_table_cell (table, ts_space_name (memory->space));
      ts_table_cell_int (table, memory->high_water);
      ts_table_cell_int (table, memory->capacity > 0 ? memory->capacity : -1);
      ts_table_cell_int (table, memory->n_buffers);
      ts_table_cell_int (table, memory->n_collapsed);
    }
  ts_table_print (table);
}

static const TsMemoryFacts *
facts_of_core (const Since *data, guint core)
{
  const TsCore *cores = data->simulation->stream->cores;

  /* Two cores that run one function have the same buffers. */
  return core > 0 && cores[core - 1].kind == cores[core].kind && cores[core - 1].function == cores[core].function
           ? NULL : facts (&cores[core], (gpointer) data);
}

/* What every stage of every pipeline has of its own. */
static void
print_stages (const Since *data)
{
  static const char *const headers[] = { "core", "space", "group", "stage", "tiles", "buffers", "bytes" };
  TsTable *table = NULL;

  for (guint core = 0; core < data->simulation->stream->n_cores; core++)
    {
      const TsMemoryFacts *f = facts_of_core (data, core);

      for (guint i = 0; f != NULL && i < f->n_stages; i++)
        {
          const TsMemoryStage *stage = &f->stages[i];

          if (table == NULL)
            {
              ts_cli_print ("\n");
              table = ts_table_new (headers, "llrrrrr");
            }
          ts_table_cell (table, data->simulation->stream->cores[core].name);
          ts_table_cell (table, ts_space_name (stage->space));
          ts_table_cell_int (table, stage->group);
          ts_table_cell_int (table, stage->stage);
          ts_table_cell_int (table, stage->n_tiles);
          ts_table_cell_int (table, stage->n_buffers);
          ts_table_cell_int (table, stage->bytes);
        }
    }
  if (table != NULL)
    ts_table_print (table);
}

/* "stages 0 and 1 of group 0 share 49152 bytes of mem_vec_2, since MemoryReuse, step 10: ..." */
static void
print_collapsed (const Since *data)
{
  const TsSimulation *simulation = data->simulation;

  for (guint i = 0, lines = 0; i < simulation->result->n_memory; i++)
    for (guint k = 0; k < simulation->result->memory[i].n_collapsed; k++)
      {
        const TsCollapsed *c = &simulation->result->memory[i].collapsed[k];
        g_autoptr (GString) words = g_string_new (lines++ == 0 ? "\nstages " : "stages ");
        TsCollapseOrigin origin = collapse (c, (gpointer) data);

        for (guint s = 0; s < c->n_stages; s++)
          g_string_append_printf (words, "%s%d", s == 0 ? "" : s + 1 < c->n_stages ? ", " : " and ", c->stages[s]);
        g_string_append_printf (words, " of group %d share %" G_GINT64_FORMAT " bytes of %s", c->group, c->bytes, c->base);
        if (c->with != NULL)
          g_string_append_printf (words, " and %s", c->with);
        if (origin.pass != NULL)
          g_string_append_printf (words, ", since %s", origin.pass);
        if (origin.step >= 0)
          g_string_append_printf (words, " (step %" G_GINT64_FORMAT ": %s)", origin.step, origin.rule);
        else if (origin.rule != NULL)
          g_string_append_printf (words, " (%s)", origin.rule);
        ts_cli_print ("%s\n", words->str);
      }
}

/* Bytes live over program order. */
static void
print_live (const Since *data)
{
  static const char *const headers[] = { "core", "space", "position", "line", "bytes live" };
  const TsModule *module = ts_run_snapshot (data->run, data->index)->module;
  TsTable *table = NULL;

  for (guint core = 0; core < data->simulation->stream->n_cores; core++)
    {
      const TsMemoryFacts *f = facts_of_core (data, core);

      for (guint s = 0; f != NULL && s < f->n_spaces; s++)
        for (guint i = 0; i < f->spaces[s].n_live; i++)
          {
            guint position = f->spaces[s].live[i].position;
            const TsOp *op = position < f->n_positions ? ts_run_op (data->run, data->index, f->op_at[position]) : NULL;
            guint line = op != NULL ? ts_module_line (module, op->span) : 0;

            if (table == NULL)
              {
                ts_cli_print ("\n");
                table = ts_table_new (headers, "llrrr");
              }
            ts_table_cell (table, data->simulation->stream->cores[core].name);
            ts_table_cell (table, ts_space_name (f->spaces[s].space));
            ts_table_cell_int (table, position);
            ts_table_cell_int (table, line > 0 ? (gint64) line : -1);
            ts_table_cell_int (table, f->spaces[s].live[i].bytes);
          }
    }
  if (table != NULL)
    ts_table_print (table);
}

/* The last earlier snapshot that can be simulated; NULL: none. */
static const TsSimulation *
simulate_before (TsCli *cli, guint index, const char *function)
{
  const TsSimulation *found = NULL;

  while (found == NULL && index-- > 0)
    found = ts_run_simulate (cli->run, index, function, NULL, NULL, NULL, NULL);
  return found;
}

/* What the pass changed, all of it. */
static void
print_changes (const TsSimulation *before, const TsSimulation *simulation)
{
  static const char *const headers[] = { "against the snapshot before", "was", "is" };
  g_autoptr (GPtrArray) changes = before != NULL ? ts_simulation_changes (before, simulation) : NULL;
  TsTable *table;

  if (changes == NULL)
    return;
  ts_cli_print ("\n");
  table = ts_table_new (headers, "lrr");
  for (guint i = 0; i < changes->len; i++)
    {
      const TsResultChange *change = g_ptr_array_index (changes, i);

      ts_table_cell (table, change->figure);
      ts_table_cell_int (table, change->before);
      ts_table_cell_int (table, change->after);
    }
  ts_table_print (table);
}

/* Those of filled-in iterations included. */
static gint64
count_instructions (const TsResult *result)
{
  gint64 n = 0;

  for (guint i = 0; i < result->n_pipes; i++)
    n += result->pipes[i].instructions;
  return n;
}

/* "pingpong after MemoryReuse on ascend910b, simulated" and the figures, for people. */
static void
print_text (TsCli *cli, guint index, const TsSimulation *simulation)
{
  const TsResult *result = simulation->result;
  const TsSnapshot *snapshot = ts_run_snapshot (cli->run, index);

  ts_cli_print ("%s, %s%s on %s, simulated\n", simulation->function, index == 0 && !snapshot->loaded ? "" : "after ",
                snapshot->pass,
                ts_machine_name (simulation->machine));
  ts_cli_print ("%" G_GINT64_FORMAT " cycles (%.3f us at %.3g GHz), %" G_GINT64_FORMAT " instructions%s\n", result->makespan,
                (double) result->makespan / ts_machine_clock_ghz (simulation->machine) / 1000.0,
                ts_machine_clock_ghz (simulation->machine), count_instructions (result),
                simulation->stream->truncated ? " (the stream was cut)" : "");
  ts_cli_print ("bound %" G_GINT64_FORMAT " (resource %" G_GINT64_FORMAT " on %s, dependence %" G_GINT64_FORMAT ")", result->bound,
                result->resource, ts_pipe_name (result->bound_pipe), result->dependence);
  if (ts_simulation_fault (simulation) == NULL) /* what stands still is not efficient */
    ts_cli_print (", efficiency %d %%", ts_percent (result->efficiency));
  ts_cli_print ("\n");
  for (guint i = 0; i < simulation->n_bindings; i++)
    ts_cli_print ("%s = %" G_GINT64_FORMAT "%s\n", simulation->bindings[i].shown, simulation->bindings[i].value,
                  simulation->bindings[i].assumed ? " (assumed)" : "");
  ts_cli_print ("\n");
  print_pipes (simulation);
  print_loops (simulation);
  print_fills (simulation);
  print_memory (simulation);
}

static gboolean
write_trace (TsCli *cli, const char *path, const TsSimulation *simulation, const TsSimContext *context, TsExit *status)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  ts_simulation_to_trace (simulation, context, out);
  if (ts_file_write (path, out->str, out->len, &error))
    return TRUE;
  *status = ts_cli_fail (error);
  return FALSE;
}

TsExit
ts_command_simulate (TsCli *cli, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = NULL;
  const GOptionEntry entries[] = {
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &trace, "Also write Chrome trace events", "OUT.json" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (TsDiagList) diags = NULL;
  TsExit status = TS_EXIT_DONE;
  TsSimContext context = { 0 };
  Since data = { 0 };
  guint index;

  if (!ts_cli_parse (cli, TS_CLI_RUN | TS_CLI_SNAPSHOT | TS_CLI_JSON, entries, 1, 1, argc, argv, &status)
      || !ts_cli_open (cli, &status))
    return status;
  diags = ts_cli_shown_diags (cli, cli->run);
  if (!cli->json)
    ts_cli_print_diags (cli, diags);
  if (!ts_cli_pick_snapshot (cli, cli->run, &index, &status))
    return status;
  data.run = cli->run;
  data.index = index;
  data.simulation = ts_run_simulate (cli->run, index, NULL, NULL, NULL, NULL, &error);
  if (data.simulation == NULL)
    {
      if (ts_run_advice (cli->run) != NULL)
        g_printerr ("tilescope-cli: %s\n", ts_run_advice (cli->run));
      return ts_cli_fail_json (cli, error, diags);
    }
  context = (TsSimContext) { .snapshot = index, .pass = ts_run_snapshot (cli->run, index)->pass, .diags = diags, .since = since,
                             .collapse = collapse, .facts = facts, .since_data = &data };
  if (cli->verbose)
    context.before = simulate_before (cli, index, data.simulation->function);
  if (cli->json)
    {
      g_autoptr (GString) out = g_string_new (NULL);

      ts_simulation_to_json (data.simulation, &context, TRUE, out);
      ts_cli_write_string (out);
    }
  else
    {
      ts_cli_print_diags (cli, data.simulation->diags);
      print_text (cli, index, data.simulation);
      print_stages (&data);
      print_collapsed (&data);
      if (cli->verbose)
        {
          print_pipe_intervals (data.simulation);
          print_live (&data);
        }
      print_changes (context.before, data.simulation);
    }
  if (trace != NULL && !write_trace (cli, trace, data.simulation, &context, &status))
    return status;
  return ts_diag_list_has_errors (data.simulation->diags) ? TS_EXIT_INPUT : TS_EXIT_DONE;
}
