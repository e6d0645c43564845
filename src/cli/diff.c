/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilescope-cli diff: two programs, compared up to renaming. */

#include <string.h>

#include "cli/cli.h"
#include "lang/ttir/ttir.h"

/* The line of an operation as its language prints it; NULL for none. */
static char *
line_of (const TsModule *module, const TsOp *op)
{
  if (op == NULL)
    return NULL;
  return module->language == TS_LANGUAGE_TTIR ? ts_ttir_print_op (module, op) : ts_pypto_print_op (module, op);
}

/* "FILE:LINE" of an operation, or the file alone. */
static char *
place_of (TsRun *run, const TsModule *module, const TsOp *op)
{
  const char *spec = ts_input_spec (ts_run_input (run));
  guint line = op != NULL ? ts_module_line (module, op->span) : 0;
  TsSource *source = line > 0 ? ts_module_source (module, op->span) : NULL;

  return source != NULL ? g_strdup_printf ("%s:%u", ts_source_name (source), line) : g_strdup (spec);
}

typedef struct
{
  TsRun          *run[2];
  const TsModule *module[2];
} Sides;

static void
print_difference (const Sides *sides, const TsDifference *difference)
{
  const TsOp *ops[] = { difference->a, difference->b };
  static const char marks[] = "-+";

  ts_cli_print ("%s: %s\n", difference->function, difference->reason);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *place = place_of (sides->run[i], sides->module[i], ops[i]), *line = line_of (sides->module[i], ops[i]);

      if (line != NULL)
        ts_cli_print ("%c %s: %s\n", marks[i], place, line);
    }
}

static void
json_side (TsJson *json, const char *key, const Sides *sides, guint i, const TsOp *op)
{
  g_autofree char *line = line_of (sides->module[i], op);
  guint number = op != NULL ? ts_module_line (sides->module[i], op->span) : 0;

  if (op == NULL)
    {
      ts_json_null (json, key);
      return;
    }
  ts_json_begin_object (json, key);
  ts_json_int (json, "statement", op->id);
  ts_json_int (json, "line", number);
  ts_json_string (json, "text", line);
  ts_json_end_object (json);
}

static void
print_json (const Sides *sides, const GPtrArray *list)
{
  g_autoptr (GString) out = g_string_new (NULL);
  TsJson json;

  ts_json_init (&json, out, TRUE);
  ts_json_begin_object (&json, NULL);
  ts_json_string (&json, "format", "tilescope-diff");
  ts_json_int (&json, "version", 1);
  ts_json_bool (&json, "equal", list->len == 0);
  ts_json_begin_array (&json, "differences");
  for (guint i = 0; i < list->len; i++)
    {
      const TsDifference *difference = g_ptr_array_index (list, i);

      ts_json_begin_object (&json, NULL);
      ts_json_string (&json, "function", difference->function);
      ts_json_string (&json, "reason", difference->reason);
      json_side (&json, "a", sides, 0, difference->a);
      json_side (&json, "b", sides, 1, difference->b);
      ts_json_end_object (&json);
    }
  ts_json_end_array (&json);
  ts_json_end_object (&json);
  g_string_append_c (out, '\n');
  ts_cli_write_string (out);
}

/* Only those of the function asked for. Neither side having it is wrong use. */
static gboolean
keep_function (const TsCli *cli, GPtrArray *list, const Sides *sides, const char *function, TsExit *status)
{
  if (ts_module_find_function (sides->module[0], function) == NULL && ts_module_find_function (sides->module[1], function) == NULL)
    {
      *status = ts_cli_usage (cli, "neither side has a function “%s”", function);
      return FALSE;
    }
  for (guint i = list->len; i > 0; i--)
    if (strcmp (((const TsDifference *) g_ptr_array_index (list, i - 1))->function, function) != 0)
      g_ptr_array_remove_index (list, i - 1);
  return TRUE;
}

static gboolean
open_side (TsCli *cli, Sides *sides, guint side, guint *index, TsExit *status)
{
  sides->run[side] = ts_cli_open_run (cli, cli->files[side], status);
  if (sides->run[side] == NULL)
    return FALSE;
  if (!cli->json)
    ts_cli_print_shown_diags (cli, sides->run[side]);
  return ts_cli_pick_snapshot (cli, sides->run[side], index, status);
}

TsExit
ts_command_diff (TsCli *cli, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = NULL;
  gboolean values = FALSE;
  const GOptionEntry entries[] = {
    { "values", 0, 0, G_OPTION_ARG_NONE, &values, "Also compare names, MemRefs and what types ignore", NULL },
    G_OPTION_ENTRY_NULL,
  };
  Sides sides = { 0 };
  TsExit status = TS_EXIT_DONE;
  guint index[2];

  if (!ts_cli_parse (cli, TS_CLI_RUN | TS_CLI_SNAPSHOT | TS_CLI_JSON, entries, 2, 2, argc, argv, &status))
    return status;
  /* A single file is compared as it is unless a snapshot is asked for. */
  if (cli->after == NULL && cli->snapshot < 0 && cli->passes == NULL)
    cli->options.passes = "none";
  if (open_side (cli, &sides, 0, &index[0], &status) && open_side (cli, &sides, 1, &index[1], &status))
    {
      list = ts_run_compare (sides.run[0], index[0], sides.run[1], index[1], values ? TS_COMPARE_VALUES : TS_COMPARE_DEFAULT,
                             &error);
      if (list == NULL)
        status = ts_cli_fail (error);
    }
  if (list != NULL)
    {
      for (guint i = 0; i < 2; i++)
        sides.module[i] = ts_run_snapshot (sides.run[i], index[i])->module;
      if (cli->function == NULL || keep_function (cli, list, &sides, cli->function, &status))
        {
          if (cli->json)
            print_json (&sides, list);
          else if (!cli->quiet)
            for (guint i = 0; i < list->len; i++)
              print_difference (&sides, g_ptr_array_index (list, i));
          status = list->len == 0 ? TS_EXIT_DONE : TS_EXIT_INPUT;
        }
    }
  ts_run_unref (sides.run[0]);
  ts_run_unref (sides.run[1]);
  return status;
}
