/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness.h"

#include <string.h>

#include "base/intern.h"
#include "lang/ttir/ttir.h"
#include "passes/pass.h"

static GHashTable *
parse_options (const char *options)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) words = g_strsplit (options != NULL ? options : "", " ", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      char *equals = strchr (words[i], '=');

      if (equals != NULL)
        g_hash_table_insert (table, g_strndup (words[i], (gsize) (equals - words[i])), g_strdup (equals + 1));
    }
  return table;
}

static void
assert_no_errors (TsDiagList *diags)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    if (ts_diag_list_get (diags, i)->severity == TS_SEVERITY_ERROR)
      ts_diag_format (ts_diag_list_get (diags, i), out);
  g_assert_cmpstr (out->str, ==, "");
}

typedef struct
{
  char        *before, *after;
  TsPassResult result;
  char        *reason; /* of every rejection that was recorded, and where it failed: each word in spaces */
  char        *error;  /* the first that the pass reported, or NULL */
  GString     *remarks;
  GString     *log;
} Outcome;

static void
outcome_clear (Outcome *o)
{
  g_free (o->before);
  g_free (o->after);
  g_free (o->reason);
  g_free (o->error);
  g_string_free (o->log, TRUE);
  g_string_free (o->remarks, TRUE);
}

static void
read_diags (TsDiagList *diags, Outcome *o)
{
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, i);

      if (diag->severity == TS_SEVERITY_ERROR && o->error == NULL)
        o->error = g_strdup (diag->message);
      if (strcmp (diag->code, "remark") == 0)
        g_string_append_printf (o->remarks, "%s\n", diag->message);
    }
}

static void
read_steps (const TsSteps *steps, Outcome *o)
{
  for (guint i = 0; i < ts_steps_length (steps); i++)
    {
      const TsStep *step = ts_steps_get (steps, i);

      for (guint k = 0; k < step->n_fields; k++)
        {
          if (strcmp (step->kind, "rejected") == 0 && strcmp (step->fields[k].key, "reason") == 0)
            {
              g_autofree char *before = o->reason;

              o->reason = g_strdup_printf ("%s %s ", before != NULL ? before : "", step->fields[k].text);
            }
          if (strcmp (step->kind, "rejected") == 0 && strcmp (step->fields[k].key, "operation") == 0)
            {
              g_autofree char *before = o->reason;

              o->reason = g_strconcat (before, step->fields[k].text, " ", NULL);
            }
          if (strcmp (step->fields[k].key, "log") == 0)
            g_string_append_printf (o->log, "%s\n", step->fields[k].text);
        }
    }
}

/* What the pass makes of the text when nobody asks for its steps: it may keep what it found over a rewrite then. */
static char *
run_without_steps (const char *text, const char *options)
{
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsModule) module = ts_ttir_parse (source, 0, strings, NULL, diags);
  g_autoptr (GHashTable) table = parse_options (options);
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, NULL);
  const TsPassInfo *pass = ts_pass_find ("graph-optimize");
  TsPassContext context = { .pass_name = pass->name, .machine = machine, .diags = diags, .options = table };

  pass->run (&context, module);
  return ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
}

static Outcome
run_pass (const char *text, const char *options, gboolean may_fail, gint64 fail_after)
{
  Outcome o = { .log = g_string_new (NULL), .remarks = g_string_new (NULL) };
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsModule) module = ts_ttir_parse (source, 0, strings, NULL, diags);
  g_autoptr (GHashTable) table = parse_options (options);
  g_autoptr (TsSteps) steps = ts_steps_new ();
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, NULL);
  const TsPassInfo *pass = ts_pass_find ("graph-optimize");
  TsPassContext context = { .pass_name = pass->name, .machine = machine, .steps = steps, .options = table };

  assert_no_errors (diags);
  g_assert_nonnull (module);
  ts_verify (module, TS_PROPERTY_TTIR_VALID, diags);
  assert_no_errors (diags);
  if (fail_after > 0)
    g_hash_table_insert (table, g_strdup ("fail-after"), g_strdup_printf ("%" G_GINT64_FORMAT, fail_after));
  context.diags = diags;
  o.before = ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  o.result = pass->run (&context, module);
  o.after = ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  read_steps (steps, &o);
  read_diags (diags, &o);
  if (!may_fail)
    assert_no_errors (diags);
  ts_verify (module, TS_PROPERTY_TTIR_VALID, diags);
  if (!may_fail)
    assert_no_errors (diags);
  return o;
}

char *
graph_wrap (const char *header, const char *body)
{
  return g_strdup_printf ("module {\n  tt.func public @f(%s) {\n%s\n    tt.return\n  }\n}\n", header, body);
}

void
graph_check (const char *header, const GraphCase *c)
{
  g_autofree char *text = header != NULL ? graph_wrap (header, c->text) : g_strdup (c->text);
  Outcome o = run_pass (text, c->options, FALSE, 0);
  g_autofree char *in_silence = run_without_steps (text, c->options);

  g_assert_cmpstr (o.after, ==, in_silence);
  g_test_message ("case %s: %s %s", c->name, o.result == TS_PASS_CHANGED ? "taken" : "not taken", o.reason != NULL ? o.reason : "");
  g_assert_cmpint (o.result, ==, c->taken ? TS_PASS_CHANGED : TS_PASS_UNCHANGED);
  if (!c->taken)
    {
      g_assert_cmpstr (o.after, ==, o.before);
      if (c->expect != NULL)
        {
          g_autofree char *word = g_strdup_printf (" %s ", c->expect);

          g_assert_nonnull (o.reason);
          g_assert_nonnull (strstr (o.reason, word));
        }
    }
  else if (c->expect != NULL)
    {
      g_auto (GStrv) parts = g_strsplit (c->expect, "\n...\n", -1);

      for (guint i = 0; parts[i] != NULL; i++)
        if (strstr (o.after, parts[i]) == NULL)
          {
            g_test_message ("missing: %s\nin:\n%s", parts[i], o.after);
            g_test_fail ();
          }
    }
  outcome_clear (&o);
}

char *
graph_run (const char *text, const char *options, gboolean *changed, GString *log)
{
  Outcome o = run_pass (text, options, FALSE, 0);
  char *after = g_strdup (o.after);
  g_autofree char *in_silence = run_without_steps (text, options);

  g_assert_cmpstr (after, ==, in_silence);
  if (changed != NULL)
    *changed = o.result == TS_PASS_CHANGED;
  if (log != NULL)
    g_string_append (log, o.log->str);
  outcome_clear (&o);
  return after;
}

guint
graph_check_rollback (const char *text, const char *options)
{
  for (guint n = 1;; n++)
    {
      Outcome o = run_pass (text, options, TRUE, n);
      gboolean done = o.result != TS_PASS_FAILED;

      if (!done && strstr (o.log->str, "apply-ok") == NULL)
        g_assert_cmpstr (o.after, ==, o.before);
      outcome_clear (&o);
      if (done)
        return n - 1;
      g_assert_cmpuint (n, <, 1000);
    }
}

char *
graph_failure (const char *text, const char *options)
{
  Outcome o = run_pass (text, options, TRUE, 0);
  char *error = g_strdup (o.error);

  g_assert_cmpint (o.result == TS_PASS_FAILED, ==, error != NULL);
  if (error != NULL)
    g_assert_cmpstr (o.after, ==, o.before);
  outcome_clear (&o);
  return error;
}

char *
graph_remarks (const char *text, const char *options)
{
  Outcome o = run_pass (text, options, FALSE, 0);
  char *remarks = g_strdup (o.remarks->str);

  outcome_clear (&o);
  return remarks;
}
