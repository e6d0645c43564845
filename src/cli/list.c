/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilescope-cli list: passes, rules, machines, operations, views, sample kernels. */

#include <string.h>

#include "cli/cli.h"
#include "cli/export.h"
#include "ir/op-info.h"
#include "passes/graph/graph.h"

typedef struct
{
  const char *name;
  TsExit    (*text) (TsCli *cli); /* status: of what could not be listed */
  TsExit    (*json) (TsJson *json, TsDiagList *diags);
} Topic;

/* --- passes ------------------------------------------------------------------------------------------------------------------ */

static const char *
language_name (TsLanguage language)
{
  return language == TS_LANGUAGE_TTIR ? "Triton IR" : "PyPTO";
}

static char *
planners_of (const TsPassInfo *pass)
{
  GString *out = g_string_new (NULL);

  for (guint p = 0; p < TS_N_PLANNERS; p++)
    if (pass->planners & (1u << p))
      g_string_append_printf (out, "%s%s", out->len > 0 ? "," : "", ts_planner_name (p));
  return g_string_free (out, FALSE);
}

static char *
properties_text (TsPropertySet set)
{
  GString *out = g_string_new (NULL);

  for (guint p = 0; p < TS_N_PROPERTIES; p++)
    if (set & TS_PROPERTY_BIT (p))
      g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", ts_property_name (p));
  if (out->len == 0)
    g_string_append (out, "none");
  return g_string_free (out, FALSE);
}

static void
print_pass (const TsPassInfo *pass)
{
  g_autofree char *planners = planners_of (pass), *required = properties_text (pass->required);
  g_autofree char *produced = properties_text (pass->produced), *invalidated = properties_text (pass->invalidated);
  g_autofree char *options = ts_pass_option_names (pass);

  ts_cli_print ("%s (%s), %s\n  %s\n", pass->name, pass->id, language_name (pass->language), pass->summary);
  ts_cli_print ("  by default: %s%s%s\n  requires: %s\n  produces: %s\n  invalidates: %s\n", pass->in_default ? "planners " : "no",
                pass->in_default ? planners : "", "", required, produced, invalidated);
  if (options != NULL)
    ts_cli_print ("  options: %s\n", options);
  if (pass->help != NULL)
    ts_cli_print ("  %s\n", pass->help);
  ts_cli_print ("\n");
}

static TsExit
list_passes (TsCli *cli)
{
  static const char *const headers[] = { "pass", "name in --passes", "language", "default", "summary" };
  guint n;
  const TsPassInfo *const *passes = ts_pass_registry (&n);
  TsTable *table = cli->verbose ? NULL : ts_table_new (headers, "lllll");

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *planners = planners_of (passes[i]);

      if (cli->verbose)
        {
          print_pass (passes[i]);
          continue;
        }
      ts_table_cell (table, passes[i]->name);
      ts_table_cell (table, passes[i]->id);
      ts_table_cell (table, language_name (passes[i]->language));
      ts_table_cell (table, passes[i]->in_default ? planners : "-");
      ts_table_cell (table, passes[i]->summary);
    }
  if (table != NULL)
    ts_table_print (table);
  return TS_EXIT_DONE;
}

static TsExit
json_passes (TsJson *json, TsDiagList *diags)
{
  guint n;
  const TsPassInfo *const *passes = ts_pass_registry (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *planners = planners_of (passes[i]), *options = ts_pass_option_names (passes[i]);

      ts_json_begin_object (json, NULL);
      ts_json_string (json, "name", passes[i]->name);
      ts_json_string (json, "id", passes[i]->id);
      ts_json_string (json, "language", language_name (passes[i]->language));
      ts_json_bool (json, "default", passes[i]->in_default);
      ts_json_string (json, "planners", planners);
      ts_json_string (json, "options", options);
      ts_json_string (json, "summary", passes[i]->summary);
      ts_json_end_object (json);
    }
  return TS_EXIT_DONE;
}

/* --- rules of GraphOptimize -------------------------------------------------------------------------------------------------- */

#define TS_GRAPH_RULE(rule) extern const TsGraphRule rule;
#include "passes/graph/rules.def"
#undef TS_GRAPH_RULE

static const TsGraphRule *const rules[] = {
#define TS_GRAPH_RULE(rule) &rule,
#include "passes/graph/rules.def"
#undef TS_GRAPH_RULE
};

static TsExit
list_rules (TsCli *cli)
{
  static const char *const headers[] = { "rule", "bit of rule-mask", "runs" };
  TsTable *table = ts_table_new (headers, "lrl");

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      ts_table_cell (table, rules[i]->name);
      ts_table_cell_int (table, rules[i]->bit);
      ts_table_cell (table, rules[i]->once ? "once, behind the others, under force-simt-only" : "in every phase");
    }
  ts_table_print (table);
  return TS_EXIT_DONE;
}

static TsExit
json_rules (TsJson *json, TsDiagList *diags)
{
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      ts_json_begin_object (json, NULL);
      ts_json_string (json, "name", rules[i]->name);
      ts_json_int (json, "bit", rules[i]->bit);
      ts_json_bool (json, "once", rules[i]->once);
      ts_json_end_object (json);
    }
  return TS_EXIT_DONE;
}

/* --- machines ---------------------------------------------------------------------------------------------------------------- */

/* A file of the user's may be wrong, or hidden by a shipped machine: that is said, and the others are listed all the same. */
static TsMachine *
load_machine (const char *name, TsDiagList *diags)
{
  g_autoptr (GError) error = NULL;
  TsMachine *machine = ts_machine_load (name, NULL, &error);

  if (machine == NULL)
    ts_cli_add_error (diags, ts_cli_error_code (error), error->message);
  ts_machine_warn_hidden (name, diags);
  return machine;
}

/* Text: to standard error, as any other error. */
static TsExit
tell_machines (const TsDiagList *diags)
{
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    g_printerr ("tilescope-cli: %s\n", ts_diag_list_get (diags, i)->message);
  return ts_diag_list_has_errors (diags) ? TS_EXIT_USAGE : TS_EXIT_DONE;
}

static void
print_figures (const TsMachine *machine)
{
  static const char *const headers[] = { "group", "key", "value", "sure", "source" };
  TsTable *table = ts_table_new (headers, "lllll");
  guint n;
  const TsFigure *figures = ts_machine_figures (machine, &n);

  for (guint i = 0; i < n; i++)
    {
      ts_table_cell (table, figures[i].group);
      ts_table_cell (table, figures[i].key);
      ts_table_cell (table, figures[i].value);
      ts_table_cell (table, figures[i].confidence);
      ts_table_cell (table, figures[i].source);
    }
  ts_table_print (table);
  ts_cli_print ("\n");
}

static TsExit
list_machines (TsCli *cli)
{
  static const char *const headers[] = { "machine", "clock", "rules", "Vec", "Mat", "Left", "Right", "Acc" };
  static const TsSpace spaces[] = { TS_SPACE_VEC, TS_SPACE_MAT, TS_SPACE_LEFT, TS_SPACE_RIGHT, TS_SPACE_ACC };
  g_auto (GStrv) names = ts_machine_names ();
  TsTable *table = cli->verbose ? NULL : ts_table_new (headers, "lrlrrrrr");
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (TsMachine) machine = load_machine (names[i], diags);
      g_autofree char *clock = NULL;

      if (machine == NULL)
        continue;
      clock = g_strdup_printf ("%.3g GHz", ts_machine_clock_ghz (machine));
      if (cli->verbose)
        {
          ts_cli_print ("%s, %s, rules of %s\n", names[i], clock, ts_backend_name (ts_machine_backend (machine)));
          print_figures (machine);
          continue;
        }
      ts_table_cell (table, names[i]);
      ts_table_cell (table, clock);
      ts_table_cell (table, ts_backend_name (ts_machine_backend (machine)));
      for (guint s = 0; s < G_N_ELEMENTS (spaces); s++)
        ts_table_cell_int (table, ts_machine_capacity (machine, spaces[s]));
    }
  if (table != NULL)
    ts_table_print (table);
  return tell_machines (diags);
}

static TsExit
json_machines (TsJson *json, TsDiagList *diags)
{
  g_auto (GStrv) names = ts_machine_names ();

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (TsMachine) machine = load_machine (names[i], diags);
      guint n = 0;
      const TsFigure *figures = machine != NULL ? ts_machine_figures (machine, &n) : NULL;

      if (machine == NULL)
        continue;
      ts_json_begin_object (json, NULL);
      ts_json_string (json, "name", names[i]);
      ts_json_begin_array (json, "figures");
      for (guint k = 0; k < n; k++)
        {
          ts_json_begin_object (json, NULL);
          ts_json_string (json, "group", figures[k].group);
          ts_json_string (json, "key", figures[k].key);
          ts_json_string (json, "value", figures[k].value);
          ts_json_string (json, "confidence", figures[k].confidence);
          ts_json_string (json, "source", figures[k].source);
          ts_json_end_object (json);
        }
      ts_json_end_array (json);
      ts_json_end_object (json);
    }
  return ts_diag_list_has_errors (diags) ? TS_EXIT_USAGE : TS_EXIT_DONE;
}

/* --- operations -------------------------------------------------------------------------------------------------------------- */

static const TsOpInfo *
op_row (guint code)
{
  const TsOpInfo *info = ts_op_info ((TsOpCode) code);

  return info->dialect != TS_DIALECT_STRUCTURAL && info->dialect != TS_DIALECT_UNKNOWN && info->name != NULL ? info : NULL;
}

static TsExit
list_ops (TsCli *cli)
{
  static const char *const headers[] = { "operation", "arguments", "keywords", "cost", "what it does" };
  TsTable *table = ts_table_new (headers, "lllll");

  for (guint code = 0; code < TS_N_OP_CODES; code++)
    {
      const TsOpInfo *info = op_row (code);

      if (info == NULL)
        continue;
      ts_table_cell (table, info->name);
      ts_table_cell (table, info->args);
      ts_table_cell (table, info->keywords);
      ts_table_cell (table, ts_cost_class_name (info->cost));
      ts_table_cell (table, info->help);
    }
  ts_table_print (table);
  return TS_EXIT_DONE;
}

static TsExit
json_ops (TsJson *json, TsDiagList *diags)
{
  for (guint code = 0; code < TS_N_OP_CODES; code++)
    {
      const TsOpInfo *info = op_row (code);

      if (info == NULL)
        continue;
      ts_json_begin_object (json, NULL);
      ts_json_string (json, "name", info->name);
      ts_json_string (json, "arguments", info->args);
      ts_json_string (json, "keywords", info->keywords);
      ts_json_string (json, "cost", ts_cost_class_name (info->cost));
      ts_json_string (json, "help", info->help);
      ts_json_end_object (json);
    }
  return TS_EXIT_DONE;
}

/* --- views, kernels ---------------------------------------------------------------------------------------------------------- */

static TsExit
list_views (TsCli *cli)
{
  static const char *const headers[] = { "view", "formats", "what it shows" };
  guint n;
  const TsExportView *views = ts_export_views (&n);
  TsTable *table = ts_table_new (headers, "lll");

  for (guint i = 0; i < n; i++)
    {
      ts_table_cell (table, views[i].name);
      ts_table_cell (table, views[i].formats);
      ts_table_cell (table, views[i].summary);
    }
  ts_table_print (table);
  return TS_EXIT_DONE;
}

static TsExit
json_views (TsJson *json, TsDiagList *diags)
{
  guint n;
  const TsExportView *views = ts_export_views (&n);

  for (guint i = 0; i < n; i++)
    {
      ts_json_begin_object (json, NULL);
      ts_json_string (json, "name", views[i].name);
      ts_json_string (json, "formats", views[i].formats);
      ts_json_string (json, "summary", views[i].summary);
      ts_json_end_object (json);
    }
  return TS_EXIT_DONE;
}

static TsExit
list_kernels (TsCli *cli)
{
  static const char *const headers[] = { "kernel", "summary" };
  guint n;
  const TsSample *samples = ts_samples (&n);
  TsTable *table = ts_table_new (headers, "ll");

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strconcat ("sample:", samples[i].name, NULL);

      ts_table_cell (table, name);
      ts_table_cell (table, samples[i].summary);
    }
  ts_table_print (table);
  return TS_EXIT_DONE;
}

static TsExit
json_kernels (TsJson *json, TsDiagList *diags)
{
  guint n;
  const TsSample *samples = ts_samples (&n);

  for (guint i = 0; i < n; i++)
    {
      ts_json_begin_object (json, NULL);
      ts_json_string (json, "name", samples[i].name);
      ts_json_string (json, "summary", samples[i].summary);
      ts_json_end_object (json);
    }
  return TS_EXIT_DONE;
}

static const Topic topics[] = {
  { "passes", list_passes, json_passes },       { "rules", list_rules, json_rules },
  { "machines", list_machines, json_machines }, { "ops", list_ops, json_ops },
  { "views", list_views, json_views },          { "kernels", list_kernels, json_kernels },
};

static TsExit
print_json (const Topic *topic)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsExit status;
  TsJson json;

  ts_json_init (&json, out, TRUE);
  ts_json_begin_object (&json, NULL);
  ts_json_string (&json, "format", "tilescope-list");
  ts_json_int (&json, "version", 1);
  ts_json_begin_array (&json, topic->name);
  status = topic->json (&json, diags);
  ts_json_end_array (&json);
  ts_cli_json_diags (&json, "diagnostics", diags);
  ts_json_end_object (&json);
  g_string_append_c (out, '\n');
  ts_cli_write_string (out);
  return status;
}

TsExit
ts_command_list (TsCli *cli, int argc, char **argv)
{
  TsExit status = TS_EXIT_DONE;

  if (!ts_cli_parse (cli, TS_CLI_JSON, NULL, 1, 1, argc, argv, &status))
    return status;
  for (guint i = 0; i < G_N_ELEMENTS (topics); i++)
    if (strcmp (topics[i].name, cli->files[0]) == 0)
      return cli->json ? print_json (&topics[i]) : topics[i].text (cli);
  return ts_cli_usage (cli, "there is no list of “%s”; there are passes, rules, machines, ops, views and kernels", cli->files[0]);
}
