/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilescope-cli sweep: what each stage depth costs on each machine. */

#include <string.h>

#include "base/number.h"
#include "cli/cli.h"
#include "draw/open.h"
#include "run/sweep.h"

/* "1..8" or "3" */
static gboolean
parse_range (const char *text, gint *first, gint *last)
{
  g_auto (GStrv) parts = g_strsplit (text, "..", 2);
  gint64 a, b;

  if (parts[0] == NULL || !ts_parse_int64 (parts[0], &a))
    return FALSE;
  b = a;
  if (parts[1] != NULL && !ts_parse_int64 (parts[1], &b))
    return FALSE;
  if (a < 1 || b < a || b > G_MAXINT)
    return FALSE;
  *first = (gint) a;
  *last = (gint) b;
  return TRUE;
}

/* Spaces that hold bytes in some row. */
static guint
used_spaces (const GPtrArray *rows, TsSpace out[TS_N_SPACES])
{
  guint n = 0;

  for (TsSpace space = 0; space < TS_N_SPACES; space++)
    for (guint i = 0; i < rows->len; i++)
      if (((const TsSweepRow *) g_ptr_array_index (rows, i))->bytes[space] > 0)
        {
          out[n++] = space;
          break;
        }
  return n;
}

static char *
depths_text (const TsSweepRow *row)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < row->depths.n; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? "/" : "", row->depths.depths[i]);
  if (out->len == 0)
    g_string_append_c (out, '-');
  return g_string_free (out, FALSE);
}

static const char *
problem_text (const TsSweepRow *row)
{
  if (row->problem != NULL)
    return row->problem;
  return row->truncated ? "the stream was cut" : "";
}

static gboolean
any_problem (const GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    if (*problem_text (g_ptr_array_index (rows, i)) != '\0')
      return TRUE;
  return FALSE;
}

/* Cycles with a decimal place, as a share of a loop's interval need not be whole. */
static void
cell_cycles (TsTable *table, double cycles)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  ts_table_cell (table, cycles >= 0 ? g_ascii_formatd (text, sizeof text, "%.1f", cycles) : NULL);
}

#define N_FIXED 10 /* columns in front of those of the memory spaces */

static TsTable *
make_table (const GPtrArray *rows)
{
  gboolean problems = any_problem (rows);
  const char *headers[N_FIXED + TS_N_SPACES + 2] = { "machine", "stages", "cycles", "interval", "copies", "per iteration",
                                                     "efficiency", "depth", "binds", "busiest" };
  char alignment[N_FIXED + TS_N_SPACES + 2] = "lrrrrrrlll";
  TsSpace spaces[TS_N_SPACES];
  guint n = used_spaces (rows, spaces);
  TsTable *table;

  for (guint i = 0; i < n; i++)
    {
      headers[N_FIXED + i] = ts_space_name (spaces[i]);
      alignment[N_FIXED + i] = 'r';
    }
  if (problems)
    {
      headers[N_FIXED + n] = "problem";
      alignment[N_FIXED + n] = 'l';
    }
  table = ts_table_new (headers, alignment);
  for (guint i = 0; i < rows->len; i++)
    {
      const TsSweepRow *row = g_ptr_array_index (rows, i);
      g_autofree char *depths = depths_text (row);

      ts_table_cell (table, row->machine);
      ts_table_cell_int (table, row->stages);
      ts_table_cell_int (table, row->cycles);
      ts_table_cell_int (table, row->interval);
      ts_table_cell_int (table, row->copies);
      cell_cycles (table, row->per_copy);
      ts_table_cell_percent (table, row->efficiency);
      ts_table_cell (table, depths);
      ts_table_cell (table, row->binding);
      ts_table_cell (table, row->busiest);
      for (guint k = 0; k < n; k++)
        ts_table_cell_int (table, row->bytes[spaces[k]]);
      if (problems)
        ts_table_cell (table, problem_text (row));
    }
  return table;
}

static void
json_int_or_null (TsJson *json, const char *key, gint64 value)
{
  if (value >= 0)
    ts_json_int (json, key, value);
  else
    ts_json_null (json, key);
}

static void
json_row (TsJson *json, const TsSweepRow *row)
{
  ts_json_begin_object (json, NULL);
  ts_json_string (json, "machine", row->machine);
  ts_json_int (json, "stages", row->stages);
  json_int_or_null (json, "cycles", row->cycles);
  json_int_or_null (json, "bound", row->bound);
  json_int_or_null (json, "interval", row->interval);
  json_int_or_null (json, "copies", row->copies);
  if (row->per_copy >= 0)
    ts_json_ratio (json, "interval_per_iteration", row->per_copy);
  else
    ts_json_null (json, "interval_per_iteration");
  if (row->efficiency >= 0)
    ts_json_ratio (json, "efficiency", row->efficiency);
  else
    ts_json_null (json, "efficiency");
  json_int_or_null (json, "instructions", row->instructions);
  ts_json_bool (json, "truncated", row->truncated);
  ts_json_begin_object (json, "high_water");
  for (TsSpace space = 0; space < TS_N_SPACES; space++)
    if (row->bytes[space] > 0)
      ts_json_int (json, ts_space_name (space), row->bytes[space]);
  ts_json_end_object (json);
  ts_json_begin_array (json, "depth");
  for (guint i = 0; i < row->depths.n; i++)
    {
      ts_json_begin_object (json, NULL);
      ts_json_int (json, "group", row->depths.groups[i]);
      ts_json_int (json, "reached", row->depths.depths[i]);
      ts_json_end_object (json);
    }
  ts_json_end_array (json);
  ts_json_string (json, "binding", row->binding);
  ts_json_string (json, "busiest", row->busiest);
  ts_json_string (json, "problem", row->problem);
  ts_cli_json_diags (json, "diagnostics", row->diags);
  ts_json_end_object (json);
}

static void
print_json (const GPtrArray *rows)
{
  g_autoptr (GString) out = g_string_new (NULL);
  TsJson json;

  ts_json_init (&json, out, TRUE);
  ts_json_begin_object (&json, NULL);
  ts_json_string (&json, "format", "tilescope-sweep");
  ts_json_int (&json, "version", 1);
  ts_json_begin_array (&json, "rows");
  for (guint i = 0; i < rows->len; i++)
    json_row (&json, g_ptr_array_index (rows, i));
  ts_json_end_array (&json);
  ts_json_end_object (&json);
  g_string_append_c (out, '\n');
  ts_cli_write_string (out);
}

/* As `simulate` of that combination would say. */
static TsExit
status_of (const GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    if (((const TsSweepRow *) g_ptr_array_index (rows, i))->problem != NULL)
      return TS_EXIT_INPUT;
  return TS_EXIT_DONE;
}

/* The diagnostics of the first row that failed, or was cut: the rest would say the same. */
static void
print_problem (const TsCli *cli, const GPtrArray *rows)
{
  const TsSweepRow *first = NULL;

  for (guint i = 0; i < rows->len && (first == NULL || first->problem == NULL); i++)
    {
      const TsSweepRow *row = g_ptr_array_index (rows, i);

      if (row->problem != NULL || (first == NULL && row->truncated))
        first = row;
    }
  if (first != NULL)
    ts_cli_print_diags (cli, first->diags);
}

TsExit
ts_command_sweep (TsCli *cli, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *stages = NULL, *machines = NULL;
  gboolean csv = FALSE;
  const GOptionEntry entries[] = {
    { "stages", 0, 0, G_OPTION_ARG_STRING, &stages, "Stage depths; default: 1..4", "A..B" },
    { "machines", 0, 0, G_OPTION_ARG_STRING, &machines, "Machines, comma separated; default: that of --machine", "NAME,..." },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &csv, "Print comma separated values", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (TsFigureInfo) figure = NULL;
  g_autoptr (TsInput) input = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  g_auto (GStrv) list = NULL;
  TsFigureOptions keep = { 0 };
  TsExit status = TS_EXIT_DONE;
  gint first = 1, last = 4;

  if (!ts_cli_parse (cli, TS_CLI_RUN | TS_CLI_JSON, entries, 1, 1, argc, argv, &status))
    return status;
  if (stages != NULL && !parse_range (stages, &first, &last))
    return ts_cli_usage (cli, "“%s” is not a range of stage depths like 1..8", stages);
  if (csv && cli->json)
    return ts_cli_usage (cli, "--json and --csv exclude each other");
  list = machines != NULL ? g_strsplit (machines, ",", -1) : NULL;
  for (guint i = 0; list != NULL && (i == 0 || list[i] != NULL); i++)
    if (list[i] == NULL || *g_strstrip (list[i]) == '\0')
      return ts_cli_usage (cli, "--machines “%s” leaves out a name", machines);
  input = ts_open (cli->files[0], cli->format, &figure, NULL, &error);
  if (input == NULL)
    return ts_cli_fail_json (cli, error, NULL);
  if (figure != NULL)
    ts_figure_fill_options (figure, &cli->options, &keep);
  rows = ts_sweep (input, &cli->options, (const char *const *) list, first, last, NULL, NULL, NULL, &error);
  ts_figure_options_clear (&keep);
  if (rows == NULL)
    return ts_cli_fail_json (cli, error, NULL);
  if (cli->json)
    print_json (rows);
  else
    {
      print_problem (cli, rows);
      if (csv)
        ts_table_print_csv (make_table (rows));
      else
        ts_table_print (make_table (rows));
    }
  return status_of (rows);
}
