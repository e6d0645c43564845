/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilescope-cli check: parse, verify, report; one line per file. */

#include <string.h>

#include "cli/cli.h"
#include "draw/open.h"
#include "ir/report.h"
#include "ir/verify.h"

typedef struct
{
  TsDiagList *diags;
  guint       n_functions, n_snapshots;
  gint64      n_ops;
  char       *advice; /* how to see more of it; NULL: nothing to say */
  GError     *error; /* could not be opened or read at all */
} Report;

static gboolean
count_op (TsOp *op, gpointer data)
{
  (*(gint64 *) data)++;
  return TRUE;
}

static void
check_run (TsRun *run, Report *report)
{
  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    {
      const TsModule *module = ts_run_snapshot (run, i)->module;

      report->n_snapshots++;
      if (module == NULL)
        continue;
      report->n_functions = MAX (report->n_functions, module->n_functions);
      for (guint f = 0; f < module->n_functions; f++)
        ts_region_walk (&module->functions[f]->body, count_op, &report->n_ops);
      if (!ts_run_snapshot (run, i)->failed)
        ts_run_verify_loaded (run, i, module, report->diags);
    }
}

static void
check_file (TsCli *cli, const char *spec, Report *report)
{
  g_autoptr (TsFigureInfo) figure = NULL;
  g_autoptr (TsInput) input = ts_open (spec, cli->format, &figure, NULL, &report->error);
  TsRunOptions options = cli->options;
  g_autoptr (TsDiagList) said = NULL;
  g_autoptr (TsRun) run = NULL;

  report->diags = ts_diag_list_new ();
  options.passes = "none";
  run = input != NULL ? ts_run_new (input, &options, &report->error) : NULL;
  if (run == NULL)
    return;
  ts_run_prepare (run, NULL, NULL, NULL, &report->error);
  said = ts_cli_run_diags (run);
  ts_diag_list_append_copies (report->diags, said);
  report->advice = g_strdup (ts_run_advice (run));
  if (report->error == NULL)
    check_run (run, report);
}

static void
print_summary (const char *spec, const Report *report)
{
  guint errors = ts_diag_list_count (report->diags, TS_SEVERITY_ERROR);
  guint warnings = ts_diag_list_count (report->diags, TS_SEVERITY_WARNING);

  if (errors == 0 && report->error != NULL)
    ts_cli_print ("%s: cannot be read\n", spec);
  else if (errors > 0)
    ts_cli_print ("%s: %u error%s, %u warning%s\n", spec, errors, errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
  else
    ts_cli_print ("%s: ok, %u function%s, %" G_GINT64_FORMAT " operations%s\n", spec, report->n_functions,
                  report->n_functions == 1 ? "" : "s", report->n_ops, warnings > 0 ? ", with warnings" : "");
}

static void
print_report (const Report *report)
{
  g_autoptr (GString) out = g_string_new (NULL);

  ts_verify_report (report->diags, out);
  ts_cli_write_string (out);
}

static void
json_report (TsJson *json, const char *spec, const Report *report)
{
  ts_json_begin_object (json, NULL);
  ts_json_string (json, "file", spec);
  ts_json_bool (json, "ok", report->error == NULL && !ts_diag_list_has_errors (report->diags));
  ts_json_int (json, "functions", report->n_functions);
  ts_json_int (json, "operations", report->n_ops);
  ts_json_string (json, "problem", report->error != NULL ? report->error->message : NULL);
  ts_cli_json_diags (json, "diagnostics", report->diags);
  ts_json_end_object (json);
}

/* Says what was found; returns the status of this file. */
static TsExit
tell (TsCli *cli, const char *spec, const Report *report, TsJson *json)
{
  TsExit status = ts_diag_list_has_errors (report->diags) ? TS_EXIT_INPUT : TS_EXIT_DONE;

  if (json != NULL)
    json_report (json, spec, report);
  else
    ts_cli_print_diags (cli, report->diags);
  if (report->error != NULL)
    status = ts_cli_fail (report->error);
  if (json == NULL && cli->verbose && report->error == NULL)
    print_report (report);
  if (json == NULL && !cli->quiet)
    print_summary (spec, report);
  if (json == NULL && !cli->quiet && report->advice != NULL)
    g_printerr ("tilescope-cli: %s: %s\n", spec, report->advice);
  return status;
}

TsExit
ts_command_check (TsCli *cli, int argc, char **argv)
{
  g_autoptr (GString) out = g_string_new (NULL);
  TsExit status = TS_EXIT_DONE;
  TsJson json;

  if (!ts_cli_parse (cli, TS_CLI_RUN | TS_CLI_JSON, NULL, 1, G_MAXUINT, argc, argv, &status))
    return status;
  ts_json_init (&json, out, TRUE);
  ts_json_begin_object (&json, NULL);
  ts_json_string (&json, "format", "tilescope-check");
  ts_json_int (&json, "version", 1);
  ts_json_begin_array (&json, "files");
  for (char **file = cli->files; *file != NULL; file++)
    {
      Report report = { 0 };
      TsExit one;

      check_file (cli, *file, &report);
      one = tell (cli, strcmp (*file, "-") == 0 ? "<stdin>" : *file, &report, cli->json ? &json : NULL);
      status = MAX (status, one);
      ts_diag_list_free (report.diags);
      g_free (report.advice);
      g_clear_error (&report.error);
    }
  ts_json_end_array (&json);
  ts_json_end_object (&json);
  g_string_append_c (out, '\n');
  if (cli->json)
    ts_cli_write_string (out);
  return status;
}
