/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts of rules, read from recorded steps. */
#include "run/verdicts.h"

#include <string.h>

static const char *const kind_words[] = {
  [TS_VERDICT_NOT_CONSIDERED] = "not-considered", [TS_VERDICT_REJECTED] = "rejected", [TS_VERDICT_APPLIED] = "applied",
  [TS_VERDICT_FAILED] = "failed",
};

static TsVerdictKind
kind_of (const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (kind_words); i++)
    if (g_strcmp0 (word, kind_words[i]) == 0)
      return (TsVerdictKind) i;
  return TS_VERDICT_NOT_CONSIDERED;
}

static void
read_field (const TsStepField *field, TsVerdict *verdict)
{
  const struct
  {
    const char  *key;
    const char **text;
  } texts[] = { { "rule", &verdict->rule },
                { "part", &verdict->part },
                { "reason", &verdict->reason },
                { "why", &verdict->why },
                { "operation", &verdict->operation } };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (strcmp (field->key, texts[i].key) == 0)
      *texts[i].text = field->text;
  if (strcmp (field->key, "verdict") == 0)
    verdict->kind = kind_of (field->text);
  else if (strcmp (field->key, "at") == 0)
    verdict->at = (gint32) field->i;
  else if (strcmp (field->key, "epoch") == 0)
    verdict->epoch = (guint) field->i;
}

static gboolean
contains (const GArray *ops, gint32 op)
{
  for (guint i = 0; i < ops->len; i++)
    if (g_array_index (ops, gint32, i) == op)
      return TRUE;
  return FALSE;
}

/* What the pass of one snapshot said. */
static void
add_verdicts (TsRun *run, guint snapshot, const GArray *ops, GCancellable *cancellable, GArray *out)
{
  const TsSteps *steps = ops->len > 0 ? ts_run_steps (run, snapshot, cancellable) : NULL;
  guint n = steps != NULL ? ts_steps_length (steps) : 0;

  for (guint i = 0; i < n; i++)
    {
      const TsStep *step = ts_steps_get (steps, i);
      TsVerdict verdict = { .snapshot = snapshot, .op = step->op, .at = -1 };

      if (strcmp (step->kind, "verdict") != 0 || !contains (ops, step->op))
        continue;
      for (guint k = 0; k < step->n_fields; k++)
        read_field (&step->fields[k], &verdict);
      if (verdict.rule != NULL)
        g_array_append_val (out, verdict);
    }
}

GArray *
ts_run_verdicts (TsRun *run, guint index, gint32 op, GCancellable *cancellable)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (TsVerdict));

  for (guint i = 1; op >= 0 && i < ts_run_n_snapshots (run) && !g_cancellable_is_cancelled (cancellable); i++)
    {
      const TsSnapshot *snapshot = ts_run_snapshot (run, i);
      g_autoptr (GArray) ops = NULL;

      if (snapshot->info == NULL || !snapshot->info->judges || ts_run_snapshot (run, i - 1)->module == NULL)
        continue;
      ops = ts_run_trace (run, index, op, i - 1, NULL);
      add_verdicts (run, i, ops, cancellable, out);
    }
  return out;
}
