/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading and checking cases of passes. */
#include "cases.h"

#include <string.h>

#include "lang/pypto/pypto.h"

/* Words that keep the cases readable. */
static const struct
{
  const char *word, *text;
} words[] = {
  { "$V", "pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec]" },
  { "$M", "pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat]" },
  { "$L", "pl.Tile[[64, 64], pl.BF16, pl.Mem.Left]" },
  { "$R", "pl.Tile[[64, 64], pl.BF16, pl.Mem.Right]" },
  { "$A", "pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc]" },
  { "$G", "pl.Tensor[[4096, 64], pl.FP32]" },
  { "$H", "pl.Tensor[[4096, 64], pl.BF16]" },
  { "$I", "pl.Scalar[pl.INDEX]" },
  { "$F", "pl.Scalar[pl.FP32]" },
  { "$w", "[32, 64], [32, 64], target_memory=pl.Mem.Vec" },
  { "$q", "[64, 64], [64, 64], target_memory=pl.Mem.Mat" },
};

#define USUAL_PARAMS "x: $G, z: $G, y: pl.Out[$G], n: $I, lo: $I"
#define INCORE "type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker"

static void
case_free (gpointer data)
{
  TsCase *c = data;
  char *texts[] = { c->name,    c->passes, c->planner, c->machine, c->params, c->after,
                    c->returns, c->verify, c->input,   c->output,  c->error,  c->says };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
  g_free (c);
}

/* Length of "<0:1;2:3>" at the start of a text; 0 when there is none. */
static gsize
membership_length (const char *text)
{
  if (*text != '<' || !g_ascii_isdigit (text[1]))
    return 0;
  gsize n = 1 + strspn (text + 1, "0123456789:;");
  return text[n] == '>' ? n + 1 : 0;
}

char *
ts_case_expand (const char *text)
{
  GString *out = g_string_new (NULL);
  while (*text != '\0')
    {
      gsize length = membership_length (text);
      const char *found = NULL;
      if (length > 0)
        {
          g_string_append_printf (out, "attrs={\"pipeline_membership\": \"%.*s\"}", (int) length - 2, text + 1);
          text += length;
          continue;
        }
      for (guint i = 0; i < G_N_ELEMENTS (words) && *text == '$'; i++)
        if (g_str_has_prefix (text, words[i].word))
          found = words[i].text;
      if (found != NULL)
        g_string_append (out, found);
      else
        g_string_append_c (out, *text);
      text += found != NULL ? 2 : 1;
    }
  return g_string_free (out, FALSE);
}

/* --- reading ----------------------------------------------------------------------------------------------------------------- */

static void
set_header (TsCase *c, const char *path, const char *line)
{
  const struct
  {
    const char *key;
    char      **field;
  } fields[] = { { "passes: ", &c->passes }, { "planner: ", &c->planner }, { "machine: ", &c->machine },
                 { "params: ", &c->params }, { "after: ", &c->after },     { "returns: ", &c->returns },
                 { "verify: ", &c->verify }, { "error: ", &c->error },     { "says: ", &c->says } };
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (g_str_has_prefix (line, fields[i].key))
      {
        g_free (*fields[i].field);
        *fields[i].field = g_strdup (line + strlen (fields[i].key));
        return;
      }
  if (strcmp (line, "whole") == 0)
    c->whole = TRUE;
  else
    g_error ("%s: “%s” is no header of case %s", path, line, c->name);
}

GPtrArray *
ts_cases_read (const char *path)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GPtrArray *cases = g_ptr_array_new_with_free_func (case_free);
  TsCase *c = NULL;
  g_autoptr (GString) section = NULL;
  char **target = NULL;
  for (char **line = lines; *line != NULL; line++)
    {
      gboolean starts = g_str_has_prefix (*line, "=== "), divides = g_str_has_prefix (*line, "--- ");
      if ((starts || divides || line[1] == NULL) && target != NULL)
        {
          *target = g_strchomp (g_string_free (g_steal_pointer (&section), FALSE));
          target = NULL;
        }
      if (starts)
        {
          c = g_new0 (TsCase, 1);
          c->name = g_strdup (*line + 4);
          g_ptr_array_add (cases, c);
        }
      else if (divides)
        {
          g_assert_nonnull (c);
          target = strcmp (*line, "--- in") == 0 ? &c->input : &c->output;
          section = g_string_new (NULL);
          if (strcmp (*line, "--- same") == 0) /* the passes change nothing */
            g_string_append (section, c->input);
        }
      else if (target != NULL)
        g_string_append_printf (section, "%s\n", *line);
      else if (c != NULL && **line != '\0')
        set_header (c, path, *line);
    }
  g_assert_cmpuint (cases->len, >, 0);
  return cases;
}

/* --- running ----------------------------------------------------------------------------------------------------------------- */

static char *
header_of (const TsCase *c, const char *params)
{
  g_autofree char *text = g_strdup_printf ("# pypto.program: Case\nimport pypto.language as pl\n\n@pl.program\nclass Case:\n"
                                           "    @pl.function(" INCORE ")\n    def main(%s)%s%s:\n",
                                           params != NULL ? params : USUAL_PARAMS, c->returns != NULL ? " -> " : "",
                                           c->returns != NULL ? c->returns : "");
  return ts_case_expand (text);
}

char *
ts_case_program (const TsCase *c, const char *body)
{
  g_autofree char *expanded = ts_case_expand (body);
  if (c->whole)
    {
      return g_strdup_printf ("# pypto.program: Case\nimport pypto.language as pl\n\n@pl.program\nclass Case:\n%s\n", expanded);
    }
  GString *text = g_string_new (NULL);
  g_autofree char *header = header_of (c, body == c->output && c->after != NULL ? c->after : c->params);
  g_string_append (text, header);
  g_auto (GStrv) lines = g_strsplit (expanded, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (**line != '\0')
      g_string_append_printf (text, "        %s\n", *line);
  return g_string_free (text, FALSE);
}

TsModule *
ts_case_parse (const char *program, TsDiagList *diags)
{
  g_autoptr (TsSource) source = ts_source_new_text ("case.py", program);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };
  return ts_pypto_parse (source, strings, &options, diags);
}

static char *
diags_text (const TsDiagList *diags)
{
  GString *text = g_string_new (NULL);
  ts_diag_list_format (diags, TRUE, text);
  return g_string_free (text, FALSE);
}

GPtrArray *
ts_case_run (const TsCase *c, TsMachine *machine, gboolean record_steps, TsDiagList *diags)
{
  TsPipelineOptions options = { .machine = machine, .verify = TS_VERIFY_BASIC, .record_steps = record_steps };
  if (c->planner != NULL)
    g_assert_true (ts_planner_from_name (c->planner, &options.planner));
  if (c->verify != NULL)
    g_assert_true (ts_verify_level_from_name (c->verify, &options.verify));
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) plan = ts_pass_plan_parse (c->passes, TS_LANGUAGE_PYPTO, options.planner, &error);
  g_assert_no_error (error);

  g_autofree char *program = ts_case_program (c, c->input);
  g_autoptr (TsModule) module = ts_case_parse (program, diags);
  if (module == NULL || ts_diag_list_has_errors (diags))
    return NULL;
  return ts_pipeline_run (g_steal_pointer (&module), plan, &options);
}

static const TsDiag *
first_of (const TsDiagList *diags, TsSeverity severity)
{
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    if (ts_diag_list_get (diags, i)->severity == severity)
      return ts_diag_list_get (diags, i);
  return NULL;
}

/* An error of a pass, or of reading: with a code and a place. */
static void
check_error (const TsCase *c, const TsDiagList *diags)
{
  const TsDiag *diag = first_of (diags, TS_SEVERITY_ERROR);
  g_assert_nonnull (diag);
  g_assert_cmpstr (diag->code, ==, c->error);
  g_assert_nonnull (diag->source); /* with a place */
  g_assert_false (ts_span_is_none (diag->span));
  if (c->says != NULL && strstr (diag->message, c->says) == NULL)
    g_error ("%s: “%s” does not say “%s”", c->name, diag->message, c->says);
}

static void
check_output (const TsCase *c, const TsPassSnapshot *last)
{
  g_autofree char *said = diags_text (last->diags);
  if (last->status != TS_SNAPSHOT_OK)
    g_error ("%s: failed:\n%s", c->name, said);
  if (c->says != NULL)
    {
      const TsDiag *diag = first_of (last->diags, TS_SEVERITY_WARNING);
      g_assert_nonnull (diag);
      g_assert_nonnull (strstr (diag->message, c->says));
    }
  g_autofree char *got = ts_pypto_print (last->module, NULL, NULL);
  g_autofree char *expected = ts_case_program (c, c->output);
  if (strcmp (got, expected) != 0)
    g_error ("%s: got:\n%s\nexpected:\n%s", c->name, got, expected);
}

/* A pass that changes nothing says so, and one that says so changed nothing. */
static void
check_unchanged (const TsCase *c, const GPtrArray *snapshots)
{
  g_autofree char *before = NULL;
  for (guint i = 0; i < snapshots->len; i++)
    {
      const TsPassSnapshot *snapshot = snapshots->pdata[i];
      g_autofree char *text = ts_pypto_print (snapshot->module, NULL, NULL);
      if (i > 0 && snapshot->changed != (strcmp (text, before) != 0))
        g_error ("%s: %s says that it %s", c->name, snapshot->pass->name, snapshot->changed ? "changed something" : "did not");
      g_free (before);
      before = g_steal_pointer (&text);
    }
}

/* A key stands once in a step, whatever every step has. */
static void
check_keys (const TsCase *c, const TsSteps *steps)
{
  static const char *const common[] = { "pass", "function", "step", "kind", "statement", "line" };
  for (guint i = 0; i < ts_steps_length (steps); i++)
    {
      const TsStep *step = ts_steps_get (steps, i);
      g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint k = 0; k < G_N_ELEMENTS (common); k++)
        g_hash_table_add (seen, (gpointer) common[k]);
      for (guint k = 0; k < step->n_fields; k++)
        if (!g_hash_table_add (seen, (gpointer) step->fields[k].key))
          g_error ("%s: “%s” stands twice in a step %s", c->name, step->fields[k].key, step->kind);
    }
}

void
ts_case_check (gconstpointer data)
{
  const TsCase *c = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load (c->machine != NULL ? c->machine : "ascend910b", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (GPtrArray) snapshots = ts_case_run (c, machine, FALSE, diags);
  const TsPassSnapshot *last = snapshots != NULL ? snapshots->pdata[snapshots->len - 1] : NULL;
  g_assert_true (c->error != NULL || c->output != NULL);
  if (c->error != NULL)
    {
      g_assert_true (last == NULL || last->status == TS_SNAPSHOT_FAILED);
      check_error (c, last != NULL ? last->diags : diags);
      return;
    }
  g_autofree char *said = diags_text (diags);
  if (last == NULL)
    g_error ("%s: the input cannot be read:\n%s", c->name, said);
  check_output (c, last);
  check_unchanged (c, snapshots);
  /* The text is stable, and recording steps changes nothing. */
  g_autoptr (GPtrArray) again = ts_case_run (c, machine, TRUE, diags);
  check_output (c, again->pdata[again->len - 1]);
  for (guint i = 0; i < again->len; i++)
    check_keys (c, ((const TsPassSnapshot *) again->pdata[i])->steps);
}
