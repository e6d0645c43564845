/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilescope-cli passes: a summary line per pass, a dump folder, one snapshot's text, or every step. */

#include <string.h>

#include "cli/cli.h"
#include "passes/steps.h"

typedef struct
{
  gboolean print;
  gboolean steps;
} PassesOptions;

static gboolean
print_snapshot (TsCli *cli, TsExit *status)
{
  g_autoptr (GError) error = NULL;
  const TsSnapshotText *text;
  gboolean picked;
  guint index;

  /* Of a broken file of a folder there is its raw text. */
  picked = ts_cli_pick_snapshot (cli, cli->run, &index, status);
  if (!picked && (*status != TS_EXIT_INPUT || !ts_run_snapshot (cli->run, index)->loaded))
    return FALSE;
  text = ts_run_text (cli->run, index, NULL, &error);
  if (text == NULL)
    {
      *status = ts_cli_fail (error);
      return FALSE;
    }
  ts_cli_write (text->text, text->length);
  return picked;
}

/* One JSON object a line. */
static void
print_steps (TsCli *cli)
{
  for (guint i = 0; i < ts_run_n_snapshots (cli->run); i++)
    {
      const TsSteps *steps = ts_run_steps (cli->run, i, NULL);
      g_autoptr (GString) out = g_string_new (NULL);

      for (guint k = 0; steps != NULL && k < ts_steps_length (steps); k++)
        {
          ts_step_to_json (ts_steps_get (steps, k), ts_run_snapshot (cli->run, i)->pass, k, out);
          g_string_append_c (out, '\n');
        }
      ts_cli_write_string (out);
    }
}

static const char *
state_of (const TsSnapshot *snapshot)
{
  if (snapshot->failed)
    return snapshot->loaded ? "has errors" : "failed";
  if (snapshot->index == 0)
    return "input";
  return snapshot->changed ? "changed" : "no change";
}

/* What a pass says, beside it: each code once, with the memory space or buffer it speaks of: "PH-MR-001 Vec, capacity Mat". What
 * the input says is no pass's. NULL: nothing. */
static char *
said_by (const TsSnapshot *snapshot)
{
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; snapshot->index > 0 && i < ts_diag_list_length (snapshot->diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (snapshot->diags, i);
      char *words = diag->subject != NULL ? g_strdup_printf ("%s %s", diag->code, diag->subject) : g_strdup (diag->code);

      if (diag->detail || g_ptr_array_find_with_equal_func (said, words, g_str_equal, NULL))
        g_free (words);
      else
        g_ptr_array_add (said, words);
    }
  if (said->len == 0)
    return NULL;
  g_ptr_array_add (said, NULL);
  return g_strjoinv (", ", (char **) said->pdata);
}

static gboolean
does_any_pass_speak (TsCli *cli)
{
  for (guint i = 0; i < ts_run_n_snapshots (cli->run); i++)
    {
      g_autofree char *said = said_by (ts_run_snapshot (cli->run, i));

      if (said != NULL)
        return TRUE;
    }
  return FALSE;
}

/* The columns that are there only where they are asked for, or where there is something to say. */
typedef enum
{
  COLUMN_TRACED = 1 << 0,
  COLUMN_TIME   = 1 << 1,
  COLUMN_SAYS   = 1 << 2,
} Columns;

/* Links that had to be guessed are told of unasked, others with --verbose. */
static Columns
columns_of (TsCli *cli)
{
  Columns columns = cli->verbose ? COLUMN_TRACED | COLUMN_TIME : 0;
  TsProvenanceCount count;

  for (guint i = 0; i < ts_run_n_snapshots (cli->run); i++)
    if (ts_run_provenance (cli->run, i, &count) && count.inferred)
      columns |= COLUMN_TRACED;
  return columns | (does_any_pass_speak (cli) ? COLUMN_SAYS : 0);
}

/* "12/14 inferred": so many of the operations are known to come from the snapshot before. */
static void
add_traced (TsCli *cli, TsTable *table, guint index)
{
  g_autofree char *traced = NULL;
  TsProvenanceCount count;

  if (ts_run_provenance (cli->run, index, &count))
    traced = g_strdup_printf ("%u/%u %s", count.matched, count.of, count.inferred ? "inferred" : "recorded");
  ts_table_cell (table, traced != NULL ? traced : "-");
}

static void
add_row (TsCli *cli, TsTable *table, guint index, Columns columns)
{
  const TsSnapshot *snapshot = ts_run_snapshot (cli->run, index);
  const TsBillRow *bill = ts_run_bill_row (cli->run, index, NULL, NULL);
  g_autofree char *cycles = NULL, *delta = NULL, *time = NULL, *said = NULL;

  ts_table_cell_int (table, index);
  ts_table_cell (table, snapshot->pass);
  ts_table_cell (table, state_of (snapshot));
  ts_table_cell_int (table, bill->operations);
  cycles = bill->truncated ? g_strdup_printf (">%" G_GINT64_FORMAT, bill->cycles) : NULL;
  if (cycles != NULL)
    ts_table_cell (table, cycles);
  else
    ts_table_cell_int (table, bill->cycles);
  delta = bill->has_delta_cycles ? g_strdup_printf ("%+" G_GINT64_FORMAT, bill->delta_cycles) : g_strdup ("");
  ts_table_cell (table, delta);
  ts_table_cell_int (table, bill->bytes_total);
  ts_table_cell_percent (table, bill->efficiency);
  if (columns & COLUMN_TRACED)
    add_traced (cli, table, index);
  time = columns & COLUMN_TIME ? g_strdup_printf ("%.3f", (double) snapshot->microseconds / 1000.0) : NULL;
  if (time != NULL)
    ts_table_cell (table, time);
  said = columns & COLUMN_SAYS ? said_by (snapshot) : NULL;
  if (columns & COLUMN_SAYS)
    ts_table_cell (table, said != NULL ? said : "-");
}

/* Says where the rows marked with > end. */
static void
tell_cut (TsCli *cli)
{
  gint64 instructions = 0;
  guint n = 0;

  for (guint i = 0; i < ts_run_n_snapshots (cli->run); i++)
    {
      const TsBillRow *bill = ts_run_bill_row (cli->run, i, NULL, NULL);

      n += bill->truncated;
      instructions = bill->truncated ? MAX (instructions, bill->instructions) : instructions;
    }
  if (n > 0 && !cli->quiet)
    g_printerr ("tilescope-cli: the simulations of %u snapshots (>) were cut, after at most %" G_GINT64_FORMAT
                " instructions; --max-instructions N sets the bound\n", n, instructions);
}

/* Says once why rows have no cycles. What failed is told already. */
static void
tell_problem (TsCli *cli)
{
  for (guint i = ts_run_n_snapshots (cli->run); i > 0 && !cli->quiet; i--)
    {
      const TsBillRow *bill = ts_run_bill_row (cli->run, i - 1, NULL, NULL);

      if (bill->problem == NULL || ts_run_snapshot (cli->run, i - 1)->failed)
        continue;
      g_printerr ("tilescope-cli: no cycles for %s: %s\n", ts_run_snapshot (cli->run, i - 1)->pass, bill->problem);
      return;
    }
}

static void
print_summary (TsCli *cli)
{
  static const struct { const char *header, *align; } always[] = {
    { "#", "r" }, { "pass", "l" }, { "", "l" }, { "ops", "r" }, { "cycles", "r" }, { "", "r" }, { "bytes reserved", "r" },
    { "of bound", "r" },
  };
  static const struct { Columns column; const char *header, *align; } some[] = {
    { COLUMN_TRACED, "traced", "l" }, { COLUMN_TIME, "ms", "r" }, { COLUMN_SAYS, "says", "l" },
  };
  const char *headers[G_N_ELEMENTS (always) + G_N_ELEMENTS (some)];
  g_autoptr (GString) align = g_string_new (NULL);
  Columns columns = columns_of (cli);
  TsTable *table;

  for (guint i = 0; i < G_N_ELEMENTS (always); i++)
    {
      headers[align->len] = always[i].header;
      g_string_append (align, always[i].align);
    }
  for (guint i = 0; i < G_N_ELEMENTS (some); i++)
    if (columns & some[i].column)
      {
        headers[align->len] = some[i].header;
        g_string_append (align, some[i].align);
      }
  table = ts_table_new (headers, align->str);
  for (guint i = 0; i < ts_run_n_snapshots (cli->run); i++)
    add_row (cli, table, i, columns);
  ts_table_print (table);
  tell_cut (cli);
  tell_problem (cli);
}

/* null for the first snapshot and for one that could not be read. */
static void
json_provenance (TsCli *cli, TsJson *json, guint index)
{
  TsProvenanceCount count;

  if (!ts_run_provenance (cli->run, index, &count))
    {
      ts_json_string (json, "provenance", NULL);
      return;
    }
  ts_json_begin_object (json, "provenance");
  ts_json_string (json, "kind", count.inferred ? "inferred" : "recorded");
  ts_json_int (json, "matched", count.matched);
  ts_json_int (json, "of", count.of);
  ts_json_end_object (json);
}

static void
json_row (TsCli *cli, TsJson *json, guint index)
{
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  const TsSnapshot *snapshot = ts_run_snapshot (cli->run, index);
  const TsBillRow *bill = ts_run_bill_row (cli->run, index, NULL, NULL);

  ts_json_begin_object (json, NULL);
  ts_json_int (json, "index", index);
  ts_json_string (json, "pass", snapshot->pass);
  ts_json_string (json, "file", snapshot->file);
  ts_json_bool (json, "changed", snapshot->changed);
  ts_json_bool (json, "failed", snapshot->failed);
  ts_json_begin_array (json, "diagnostics");
  ts_diag_list_append_plain (diags, snapshot->diags);
  ts_diag_list_to_json (diags, json);
  ts_json_end_array (json);
  json_provenance (cli, json, index);
  if (bill->cycles >= 0)
    {
      ts_json_int (json, "cycles", bill->cycles);
      ts_json_int (json, "bound", bill->bound);
      ts_json_ratio (json, "efficiency", bill->efficiency);
      ts_json_int (json, "bytes", bill->bytes_total);
      ts_json_int (json, "operations", bill->operations);
      ts_json_int (json, "instructions", bill->instructions);
      ts_json_bool (json, "truncated", bill->truncated);
    }
  else
    ts_json_string (json, "problem", bill->problem);
  ts_json_end_object (json);
}

static void
print_json (TsCli *cli)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (TsDiagList) diags = ts_cli_run_diags (cli->run);
  TsJson json;

  ts_json_init (&json, out, TRUE);
  ts_json_begin_object (&json, NULL);
  ts_json_string (&json, "format", "tilescope-passes");
  ts_json_int (&json, "version", 1);
  ts_cli_json_diags (&json, "diagnostics", diags);
  ts_json_begin_array (&json, "snapshots");
  for (guint i = 0; i < ts_run_n_snapshots (cli->run); i++)
    json_row (cli, &json, i);
  ts_json_end_array (&json);
  ts_json_end_object (&json);
  g_string_append_c (out, '\n');
  ts_cli_write_string (out);
}

/* 1 when reading or a pass failed, whatever could be shown. */
static TsExit
status_of (TsRun *run)
{
  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    if (ts_run_snapshot (run, i)->failed)
      return TS_EXIT_INPUT;
  return TS_EXIT_DONE;
}

TsExit
ts_command_passes (TsCli *cli, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = NULL;
  PassesOptions own = { 0 };
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &folder,
      "Write the snapshots into a folder, in place of those that an earlier run wrote there", "DIR" },
    { "print", 0, 0, G_OPTION_ARG_NONE, &own.print, "Print the selected snapshot and nothing else", NULL },
    { "steps", 0, 0, G_OPTION_ARG_NONE, &own.steps, "Print every decision of every pass, one JSON object a line", NULL },
    G_OPTION_ENTRY_NULL,
  };
  TsExit status = TS_EXIT_DONE;

  if (!ts_cli_parse (cli, TS_CLI_RUN | TS_CLI_SNAPSHOT | TS_CLI_JSON, entries, 1, 1, argc, argv, &status))
    return status;
  if (own.print + own.steps + cli->json > 1)
    return ts_cli_usage (cli, "--print, --steps and --json exclude each other");
  if (!ts_cli_open (cli, &status))
    return status;
  if (!cli->json)
    {
      g_autoptr (TsDiagList) diags = own.print ? ts_cli_shown_diags (cli, cli->run) : ts_cli_run_diags (cli->run);

      ts_cli_print_diags (cli, diags);
    }
  if (folder != NULL && !ts_run_write_dumps (cli->run, folder, NULL, &error))
    return ts_cli_fail (error);
  if (own.print)
    return print_snapshot (cli, &status) ? TS_EXIT_DONE : status;
  if (own.steps)
    print_steps (cli);
  else if (cli->json)
    print_json (cli);
  else if (folder == NULL)
    print_summary (cli);
  if (!cli->json && !cli->quiet && ts_run_advice (cli->run) != NULL)
    g_printerr ("tilescope-cli: %s\n", ts_run_advice (cli->run));
  return status_of (cli->run);
}
