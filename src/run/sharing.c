/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision of a pass by which two operations came to share a buffer: found among its steps. */
#include "run/run-private.h"

static void
add_base (GHashTable *bases, const TsValue *value)
{
  if (value != NULL && ts_type_is_tile (value->type) && value->type->memref != NULL && value->type->memref->base != NULL)
    g_hash_table_add (bases, (gpointer) value->type->memref->base->hint);
}

/* Names of the buffers that an operation of snapshot `of` made and read in snapshot `in`. */
static void
collect_bases (TsRun *run, guint of, gint32 op, guint in, GHashTable *bases)
{
  g_autoptr (GArray) was = ts_run_trace (run, of, op, in, NULL);

  for (guint i = 0; i < was->len; i++)
    {
      const TsOp *found = ts_run_op (run, in, g_array_index (was, gint32, i));

      for (guint k = 0; found != NULL && k < found->n_results; k++)
        add_base (bases, found->results[k]);
      for (guint k = 0; found != NULL && k < found->n_operands; k++)
        add_base (bases, ts_expr_as_value (found->operands[k]));
    }
}

const TsStep *
ts_run_sharing_step (TsRun *run, guint index, guint since, gint32 op, gint32 on, const char *buffer, guint *number,
                     GCancellable *cancellable)
{
  gint before = since < ts_run_n_snapshots (run) ? ts_run_previous_with_module (run, since) : -1;
  const TsSteps *steps = before >= 0 ? ts_run_steps (run, since, cancellable) : NULL;
  g_autoptr (GHashTable) bases = g_hash_table_new (g_str_hash, g_str_equal);
  const TsStep *found = NULL;

  if (steps == NULL)
    return NULL;
  collect_bases (run, index, op, (guint) before, bases);
  collect_bases (run, index, on, (guint) before, bases);
  for (guint i = 0; i < ts_steps_length (steps); i++)
    {
      const TsStep *step = ts_steps_get (steps, i);
      const char *base = ts_step_find_text (step, "base"), *into = ts_step_find_text (step, "buffer");

      if (base == NULL || into == NULL || g_str_equal (base, into) || !g_hash_table_contains (bases, base)
          || (buffer != NULL && !g_str_equal (into, buffer)))
        continue;
      /* What let stages together says more than that two lives do not meet. */
      if (found != NULL && ts_step_find_text (step, "allowed") == NULL)
        continue;
      found = step;
      *number = i;
      if (ts_step_find_text (step, "allowed") != NULL)
        break;
    }
  return found;
}
