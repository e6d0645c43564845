/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard output and standard error: texts, tables, diagnostics, errors. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/number.h"
#include "cli/cli.h"
#include "sim/simulate.h"

/* --- standard output --------------------------------------------------------------------------------------------------------- */

void
ts_cli_write (const char *text, gsize length)
{
  if (fwrite (text, 1, length, stdout) == length && fflush (stdout) == 0)
    return;
  if (errno == EPIPE) /* the reader has seen enough */
    _Exit (TS_EXIT_DONE);
  fprintf (stderr, "tilescope-cli: cannot write to standard output: %s\n", g_strerror (errno));
  _Exit (TS_EXIT_USAGE);
}

void
ts_cli_write_string (const GString *text)
{
  ts_cli_write (text->str, text->len);
}

void
ts_cli_print (const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  ts_cli_write (text, strlen (text));
}

/* --- errors ------------------------------------------------------------------------------------------------------------------ */

/* Errors whose domain alone, or domain and code, make the input the one at fault; everything else is status 2. */
static gboolean
is_input_error (const GError *error)
{
  if (error->domain == TS_INPUT_ERROR)
    return error->code != TS_INPUT_ERROR_READ && error->code != TS_INPUT_ERROR_USAGE;
  if (error->domain == TS_RUN_ERROR)
    return error->code != TS_RUN_ERROR_USAGE;
  if (error->domain == TS_SIM_ERROR)
    return error->code != TS_SIM_ERROR_DEFINE;
  return error->domain == TS_FIGURE_ERROR;
}

/* An error may be several, a line each (a machine file's). */
static void
tell (const char *message)
{
  g_auto (GStrv) lines = g_strsplit (message, "\n", -1);

  for (gsize i = 0; lines[i] != NULL; i++)
    fprintf (stderr, "tilescope-cli: %s\n", lines[i]);
}

TsExit
ts_cli_fail (const GError *error)
{
  tell (error->message);
  return is_input_error (error) ? TS_EXIT_INPUT : TS_EXIT_USAGE;
}

/* --- diagnostics ------------------------------------------------------------------------------------------------------------- */

/* Only the errors, under the same bound as the whole list. */
static void
format_errors (const TsDiagList *diags, GString *out)
{
  guint shown = 0;

  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    if (ts_diag_list_get (diags, i)->severity == TS_SEVERITY_ERROR && shown++ < TS_MAX_DIAGS_PRINTED)
      ts_diag_format (ts_diag_list_get (diags, i), out);
  shown = MIN (shown, TS_MAX_DIAGS_PRINTED);
  if (ts_diag_list_count (diags, TS_SEVERITY_ERROR) > shown)
    g_string_append_printf (out, "... and %u more errors\n", ts_diag_list_count (diags, TS_SEVERITY_ERROR) - shown);
}

void
ts_cli_print_diags (const TsCli *cli, const TsDiagList *diags)
{
  g_autoptr (GString) out = g_string_new (NULL);

  if (cli->quiet)
    format_errors (diags, out);
  else
    ts_diag_list_format (diags, cli->verbose ? TS_DIAGS_DETAILS : TS_DIAGS_NOTES, out);
  fputs (out->str, stderr);
}

TsDiagList *
ts_cli_run_diags (TsRun *run)
{
  TsDiagList *diags = ts_diag_list_new ();

  ts_diag_list_append_copies (diags, ts_run_diags (run));
  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    ts_diag_list_append_unsaid (diags, ts_run_snapshot (run, i)->diags);
  return diags;
}

TsDiagList *
ts_cli_shown_diags (const TsCli *cli, TsRun *run)
{
  TsDiagList *diags;
  gint picked = cli->after != NULL ? ts_run_find_snapshot (run, cli->after) : cli->snapshot;
  guint n_broken = 0;

  if (picked < 0 || (guint) picked >= ts_run_n_snapshots (run))
    return ts_cli_run_diags (run);
  diags = ts_diag_list_new ();
  ts_diag_list_append_copies (diags, ts_run_diags (run));
  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    {
      const TsSnapshot *snapshot = ts_run_snapshot (run, i);

      if (!snapshot->loaded || i == (guint) picked || ts_input_kind (ts_run_input (run)) != TS_INPUT_DUMPS)
        ts_diag_list_append_unsaid (diags, snapshot->diags);
      else
        n_broken += ts_diag_list_has_errors (snapshot->diags);
    }
  if (n_broken > 0)
    ts_diag_add (diags, TS_SEVERITY_NOTE, "other-files", NULL, TS_SPAN_NONE,
                 n_broken == 1 ? "%u other file of the folder has errors" : "%u other files of the folder have errors", n_broken);
  return diags;
}

void
ts_cli_print_shown_diags (const TsCli *cli, TsRun *run)
{
  g_autoptr (TsDiagList) diags = ts_cli_shown_diags (cli, run);

  ts_cli_print_diags (cli, diags);
}

void
ts_cli_json_diags (TsJson *json, const char *key, const TsDiagList *diags)
{
  ts_json_begin_array (json, key);
  ts_diag_list_to_json (diags, json);
  ts_json_end_array (json);
}

void
ts_cli_print_json_diags (const TsDiagList *diags)
{
  g_autoptr (GString) out = g_string_new (NULL);
  TsJson json;

  ts_json_init (&json, out, TRUE);
  ts_json_begin_object (&json, NULL);
  ts_cli_json_diags (&json, "diagnostics", diags);
  ts_json_end_object (&json);
  g_string_append_c (out, '\n');
  ts_cli_write_string (out);
}

/* What an error is about, for programs: a word per domain. */
const char *
ts_cli_error_code (const GError *error)
{
  const struct { GQuark domain; const char *code; } codes[] = {
    { TS_INPUT_ERROR, "input" }, { TS_RUN_ERROR, "run" },     { TS_SIM_ERROR, "simulation" }, { TS_MACHINE_ERROR, "machine" },
    { TS_FIGURE_ERROR, "figure" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (codes[i].domain == error->domain)
      return codes[i].code;
  return "file";
}

void
ts_cli_add_error (TsDiagList *diags, const char *code, const char *message)
{
  g_auto (GStrv) lines = g_strsplit (message, "\n", -1);

  for (gsize i = 0; lines[i] != NULL; i++)
    ts_diag_add (diags, TS_SEVERITY_ERROR, code, NULL, TS_SPAN_NONE, "%s", lines[i]);
}

/* With --json: what was said before and the error, as the one object on standard output. */
static void
json_error (const TsCli *cli, const TsDiagList *diags, const char *code, const char *message)
{
  g_autoptr (TsDiagList) all = ts_diag_list_new ();

  if (cli == NULL || !cli->json)
    return;
  if (diags != NULL)
    ts_diag_list_append_copies (all, diags);
  ts_cli_add_error (all, code, message);
  ts_cli_print_json_diags (all);
}

TsExit
ts_cli_fail_json (const TsCli *cli, const GError *error, const TsDiagList *diags)
{
  json_error (cli, diags, ts_cli_error_code (error), error->message);
  return ts_cli_fail (error);
}

static void
refuse (const TsCli *cli, const TsDiagList *diags, const char *format, va_list args) G_GNUC_PRINTF (3, 0);

static void
refuse (const TsCli *cli, const TsDiagList *diags, const char *format, va_list args)
{
  g_autofree char *message = g_strdup_vprintf (format, args);

  json_error (cli, diags, "usage", message);
  tell (message);
}

TsExit
ts_cli_usage (const TsCli *cli, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  refuse (cli, NULL, format, args);
  va_end (args);
  return TS_EXIT_USAGE;
}

TsExit
ts_cli_refuse (const TsCli *cli, TsRun *run, TsExit status, const char *format, ...)
{
  g_autoptr (TsDiagList) diags = ts_cli_run_diags (run);
  va_list args;

  va_start (args, format);
  refuse (cli, diags, format, args);
  va_end (args);
  return status;
}

/* --- tables ------------------------------------------------------------------------------------------------------------------ */

struct TsTable
{
  guint      n_columns;
  char      *alignment;
  GPtrArray *cells; /* header first */
};

TsTable *
ts_table_new (const char *const *headers, const char *alignment)
{
  TsTable *table = g_new0 (TsTable, 1);

  table->alignment = g_strdup (alignment);
  table->n_columns = (guint) strlen (alignment);
  table->cells = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < table->n_columns; i++)
    g_ptr_array_add (table->cells, g_strdup (headers[i]));
  return table;
}

void
ts_table_cell (TsTable *table, const char *text)
{
  g_ptr_array_add (table->cells, g_strdup (text != NULL ? text : "-"));
}

void
ts_table_cell_int (TsTable *table, gint64 value)
{
  GString *text = g_string_new (NULL);

  if (value < 0)
    g_string_append_c (text, '-');
  else
    ts_append_int (text, value);
  g_ptr_array_add (table->cells, g_string_free (text, FALSE));
}

void
ts_table_cell_percent (TsTable *table, double share)
{
  g_ptr_array_add (table->cells, share < 0 ? g_strdup ("-") : g_strdup_printf ("%d %%", ts_percent (share)));
}

static guint
width_of (const char *text)
{
  return (guint) g_utf8_strlen (text, -1);
}

static void
table_free (TsTable *table)
{
  g_free (table->alignment);
  g_ptr_array_unref (table->cells);
  g_free (table);
}

void
ts_table_print (TsTable *table)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree guint *widths = g_new0 (guint, table->n_columns);
  guint n = table->n_columns;

  for (guint i = 0; i < table->cells->len; i++)
    widths[i % n] = MAX (widths[i % n], width_of (g_ptr_array_index (table->cells, i)));
  for (guint i = 0; i < table->cells->len; i++)
    {
      const char *cell = g_ptr_array_index (table->cells, i);
      guint pad = widths[i % n] - width_of (cell);
      gboolean last = i % n == n - 1;

      if (table->alignment[i % n] == 'r')
        g_string_append_printf (out, "%*s", (int) pad, "");
      g_string_append (out, cell);
      if (!last && table->alignment[i % n] == 'l')
        g_string_append_printf (out, "%*s", (int) pad, "");
      g_string_append (out, last ? "\n" : "  ");
    }
  ts_cli_write_string (out);
  table_free (table);
}

static void
append_csv (GString *out, const char *cell)
{
  if (strpbrk (cell, ",\"\n") == NULL)
    {
      g_string_append (out, cell);
      return;
    }
  g_string_append_c (out, '"');
  for (; *cell != '\0'; cell++)
    {
      if (*cell == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *cell);
    }
  g_string_append_c (out, '"');
}

void
ts_table_print_csv (TsTable *table)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < table->cells->len; i++)
    {
      append_csv (out, g_ptr_array_index (table->cells, i));
      g_string_append (out, i % table->n_columns == table->n_columns - 1 ? "\n" : ",");
    }
  ts_cli_write_string (out);
  table_free (table);
}
