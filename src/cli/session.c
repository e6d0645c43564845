/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening inputs and picking snapshots, with every way in which that can fail. */

#include <string.h>

#include "cli/cli.h"
#include "draw/open.h"
#include "passes/pass.h"

/* A figure brings its own settings; what the command line says wins. */
static TsRunOptions
options_of (const TsCli *cli, const TsFigureInfo *figure, TsFigureOptions *keep)
{
  TsRunOptions options = cli->options;

  if (figure != NULL)
    ts_figure_fill_options (figure, &options, keep);
  return options;
}

static gboolean
has_code (const TsDiagList *diags, const char *code)
{
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    if (strcmp (ts_diag_list_get (diags, i)->code, code) == 0)
      return TRUE;
  return FALSE;
}

static TsRun *
prepare (TsCli *cli, TsInput *input, const TsRunOptions *options, TsExit *status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRun) run = ts_run_new (input, options, &error);

  if (run == NULL)
    {
      *status = ts_cli_fail_json (cli, error, NULL);
      return NULL;
    }
  if (!ts_run_prepare (run, NULL, NULL, NULL, &error))
    {
      g_autoptr (TsDiagList) diags = ts_cli_run_diags (run);

      if (!cli->json)
        ts_cli_print_diags (cli, diags);
      *status = ts_cli_fail_json (cli, error, diags);
      if (options->entry == NULL && has_code (diags, "several-entries"))
        ts_cli_usage (NULL, "--entry NAME chooses one");
      return NULL;
    }
  return g_steal_pointer (&run);
}

/* The snapshot that passes run on, when the input is a folder and passes are asked for. */
static void
move_start (TsCli *cli, TsInput *input)
{
  if (ts_input_kind (input) != TS_INPUT_DUMPS || cli->passes == NULL || cli->snapshot < 0)
    return;
  cli->options.start = cli->snapshot;
  cli->snapshot = TS_CLI_UNSET;
}

TsRun *
ts_cli_open_run (TsCli *cli, const char *spec, TsExit *status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsFigureInfo) figure = NULL;
  g_autoptr (TsInput) input = ts_open (spec, cli->format, &figure, NULL, &error);
  TsFigureOptions keep = { 0 };
  TsRunOptions options;
  TsRun *run;

  if (input == NULL)
    {
      *status = ts_cli_fail_json (cli, error, NULL);
      return NULL;
    }
  move_start (cli, input);
  options = options_of (cli, figure, &keep);
  run = prepare (cli, input, &options, status);
  ts_figure_options_clear (&keep);
  if (run != NULL && cli->figure == NULL)
    cli->figure = g_steal_pointer (&figure);
  return run;
}

gboolean
ts_cli_open (TsCli *cli, TsExit *status)
{
  cli->run = ts_cli_open_run (cli, cli->files[0], status);
  if (cli->run == NULL)
    return FALSE;
  cli->input = ts_input_ref (ts_run_input (cli->run));
  return TRUE;
}

static TsExit
refuse_failed (const TsCli *cli, TsRun *run, guint index)
{
  const TsSnapshot *snapshot = ts_run_snapshot (run, index);

  if (snapshot->loaded || index == 0)
    return ts_cli_refuse (cli, run, TS_EXIT_INPUT, "%s has errors",
                          snapshot->loaded ? snapshot->file : ts_input_spec (ts_run_input (run)));
  return ts_cli_refuse (cli, run, TS_EXIT_INPUT, "%s failed; --snapshot %u is what was there before", snapshot->pass, index - 1);
}

static gboolean
find_after (TsCli *cli, TsRun *run, guint *index, TsExit *status)
{
  g_autoptr (GString) names = g_string_new (NULL);
  const TsSnapshot *last = ts_run_snapshot (run, ts_run_n_snapshots (run) - 1);
  gint found = ts_run_find_snapshot (run, cli->after);

  if (found >= 0)
    {
      *index = (guint) found;
      return TRUE;
    }
  /* The pass never ran, for the input has errors: that is no fault of the command line. */
  if (last->failed && !last->loaded && ts_pass_find (cli->after) != NULL)
    {
      *status = refuse_failed (cli, run, ts_run_n_snapshots (run) - 1);
      return FALSE;
    }
  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", ts_run_snapshot (run, i)->pass);
  *status = ts_cli_refuse (cli, run, TS_EXIT_USAGE, "there is no snapshot after “%s”; there are: %s", cli->after, names->str);
  return FALSE;
}

gboolean
ts_cli_pick_snapshot (TsCli *cli, TsRun *run, guint *index, TsExit *status)
{
  guint n = ts_run_n_snapshots (run);
  const char *asked = cli->figure != NULL ? ts_figure_get (cli->figure, TS_FIGURE_SNAPSHOT) : NULL;

  *index = n - 1;
  if (cli->after != NULL)
    {
      if (!find_after (cli, run, index, status))
        return FALSE;
    }
  else if (cli->snapshot >= 0)
    *index = (guint) cli->snapshot;
  else if (asked != NULL)
    *index = (guint) g_ascii_strtoull (asked, NULL, 10);
  if (*index >= n)
    {
      *status = ts_cli_refuse (cli, run, TS_EXIT_USAGE, "there is no snapshot %u; there are %u (0 to %u)", *index, n, n - 1);
      return FALSE;
    }
  if (!ts_run_snapshot (run, *index)->failed)
    return TRUE;
  *status = refuse_failed (cli, run, *index);
  return FALSE;
}
