/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the snapshots of a run as a passes_dump folder. Source: cli.md, passes; passes-schedule section 9. */

#include "run/run-private.h"

#include <string.h>

#include "ir/report.h"
#include "run/dump-folder.h"

/* How the compiler calls what a pass refused, and the condition it prints with it; a code without a row is a plain ValueError. */
static const struct
{
  const char *code, *exception, *check;
} refusals[] = {
  { "capacity", "ValueError", "limit == 0 || used <= limit" },
  { "internal", "InternalError", NULL },
};

static void
append_refusal (GString *out, const TsDiag *diag)
{
  const char *exception = "ValueError", *check = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    if (strcmp (refusals[i].code, diag->code) == 0)
      {
        exception = refusals[i].exception;
        check = refusals[i].check;
      }
  g_string_append_printf (out, "%s: %s\n", exception, diag->message);
  if (check != NULL)
    g_string_append_printf (out, "Check failed: %s\n", check);
}

/* Messages and helps are sentences without capital and period; NULL adds nothing. */
static void
append_sentence (GString *out, const char *sentence, gboolean first)
{
  if (sentence == NULL || sentence[0] == '\0')
    return;
  if (!first)
    g_string_append_printf (out, " %c%s", g_ascii_toupper (sentence[0]), sentence + 1);
  else
    g_string_append (out, sentence);
  if (strchr (".!?", out->str[out->len - 1]) == NULL)
    g_string_append_c (out, '.');
}

/* "W | [warning] [Rule] (Pass) ..." and "I | [perf_hint CODE] Rule: ..." are what tools for such folders read, one line each.
 * Errors of the verifier are told apart from what a pass refused: they are followed by the whole report. */
static void
append_log_line (GString *out, const TsSnapshot *snapshot, const TsDiag *diag, gboolean verified)
{
  const char *rule = diag->rule != NULL ? diag->rule : snapshot->pass;

  /* That verification failed is a note, since the errors are those it lists; in a log it stands as what stopped the pass. */
  switch (g_strcmp0 (diag->code, "verification") == 0 ? TS_SEVERITY_ERROR : diag->severity)
    {
    case TS_SEVERITY_ERROR:
      if (verified)
        append_refusal (out, diag);
      else
        g_string_append_printf (out, "E | [error] [%s] (%s) %s\n", rule, snapshot->pass, diag->message);
      return;
    case TS_SEVERITY_WARNING:
      g_string_append_printf (out, "W | [warning] [%s] (%s) ", rule, snapshot->pass);
      break;
    case TS_SEVERITY_NOTE:
      g_string_append_printf (out, "I | [perf_hint %s] %s: ", diag->code, rule);
      break;
    }
  append_sentence (out, diag->message, TRUE);
  append_sentence (out, diag->help, FALSE);
  g_string_append_c (out, '\n');
}

static gboolean
is_verified (const TsSnapshot *snapshot)
{
  for (guint i = 0; i < ts_diag_list_length (snapshot->diags); i++)
    if (g_strcmp0 (ts_diag_list_get (snapshot->diags, i)->code, "verification") == 0)
      return FALSE;
  return TRUE;
}

/* NULL when the pass has nothing to say. */
static char *
log_text (const TsSnapshot *snapshot)
{
  GString *out = g_string_new (NULL);
  gboolean verified = is_verified (snapshot);

  /* The compiler's own words first. */
  if (snapshot->log != NULL && snapshot->log[0] != '\0')
    g_string_append_printf (out, "%s%s", snapshot->log, g_str_has_suffix (snapshot->log, "\n") ? "" : "\n");
  for (guint i = 0; i < ts_diag_list_length (snapshot->diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (snapshot->diags, i);

      if (!diag->detail)
        append_log_line (out, snapshot, diag, verified);
    }
  if (!verified)
    {
      g_string_append_c (out, '\n');
      ts_verify_report (snapshot->diags, out);
    }
  return g_string_free (out, out->len == 0);
}

static void
add_text (TsDumpFolder *folder, char *name, char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));

  ts_dump_folder_add (folder, name, bytes);
}

/* The text of a snapshot belongs to the run, which outlives the folder's. */
static gboolean
add_snapshot (TsRun *run, guint index, TsDumpFolder *folder, GCancellable *cancellable, GError **error)
{
  const TsSnapshot *snapshot = ts_run_snapshot (run, index);
  const char *extension = run->language == TS_LANGUAGE_TTIR ? "ttir" : "py";
  g_autofree char *log = log_text (snapshot), *stem = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const TsSnapshotText *text;

  if (snapshot->failed && snapshot->module == NULL && !snapshot->loaded)
    {
      add_text (folder, g_strdup_printf ("%02u_failed.log", index), log != NULL ? g_steal_pointer (&log) : g_strdup (""));
      return TRUE;
    }
  text = ts_run_text (run, index, cancellable, error);
  if (text == NULL)
    return FALSE;
  stem = index == 0 ? g_strdup ("00_frontend") : g_strdup_printf ("%02u_after_%s", index, snapshot->pass);
  bytes = g_bytes_new_static (text->text, strlen (text->text));
  ts_dump_folder_add (folder, g_strdup_printf ("%s.%s", stem, extension), bytes);
  if (log != NULL)
    add_text (folder, g_strdup_printf ("%s.log", stem), g_steal_pointer (&log));
  return TRUE;
}

gboolean
ts_run_write_dumps (TsRun *run, const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (TsDumpFolder) folder = ts_dump_folder_new (path);

  for (guint i = 0; i < run->snaps->len; i++)
    if (!add_snapshot (run, i, folder, cancellable, error))
      return FALSE;
  return ts_dump_folder_write (folder, error);
}
