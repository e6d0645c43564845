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

static void
free_numbers (gpointer numbers)
{
  g_array_unref (numbers);
}

/* The steps by the buffer they put into another one: thousands of pairs of stages may ask. */
static GHashTable *
index_steps (const TsSteps *steps)
{
  GHashTable *index = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_numbers);

  for (guint i = 0; i < ts_steps_length (steps); i++)
    {
      const TsStep *step = ts_steps_get (steps, i);
      const char *base = ts_step_find_text (step, "base"), *into = ts_step_find_text (step, "buffer");
      GArray *numbers;

      if (base == NULL || into == NULL || g_str_equal (base, into))
        continue;
      numbers = g_hash_table_lookup (index, base);
      if (numbers == NULL)
        {
          numbers = g_array_new (FALSE, FALSE, sizeof (guint));
          g_hash_table_insert (index, (gpointer) base, numbers);
        }
      g_array_append_val (numbers, i);
    }
  return index;
}

static GHashTable *
indexed_steps (TsRun *run, guint index, const TsSteps *steps, GCancellable *cancellable)
{
  TsSnap *snap = ts_run_snap (run, index);
  gpointer value;

  if (!ts_slot_begin (&snap->sharing, cancellable, &value))
    return NULL;
  return value != NULL ? value : ts_slot_end (&snap->sharing, index_steps (steps));
}

/* What let stages together says more than that two lives do not meet; then the earlier one. */
static gboolean
says_more (const TsStep *step, guint number, const TsStep *than, guint than_number)
{
  gboolean allowed = ts_step_find_text (step, "allowed") != NULL;

  if (than == NULL || allowed != (ts_step_find_text (than, "allowed") != NULL))
    return than == NULL || allowed;
  return number < than_number;
}

const TsStep *
ts_run_sharing_step (TsRun *run, guint index, guint since, gint32 op, gint32 on, const char *buffer, guint *number,
                     GCancellable *cancellable)
{
  gint before = since < ts_run_n_snapshots (run) ? ts_run_previous_with_module (run, since) : -1;
  const TsSteps *steps = before >= 0 ? ts_run_steps (run, since, cancellable) : NULL;
  GHashTable *by_base = steps != NULL ? indexed_steps (run, since, steps, cancellable) : NULL;
  g_autoptr (GHashTable) bases = g_hash_table_new (g_str_hash, g_str_equal);
  const TsOp *here = ts_run_op (run, index, op);
  const TsFunction *function = here != NULL ? ts_op_function (here) : NULL;
  const TsStep *found = NULL;
  GHashTableIter iter;
  gpointer base;

  if (by_base == NULL)
    return NULL;
  collect_bases (run, index, op, (guint) before, bases);
  collect_bases (run, index, on, (guint) before, bases);
  g_hash_table_iter_init (&iter, bases);
  while (g_hash_table_iter_next (&iter, &base, NULL))
    {
      const GArray *numbers = g_hash_table_lookup (by_base, base);

      for (guint i = 0; numbers != NULL && i < numbers->len; i++)
        {
          guint k = g_array_index (numbers, guint, i);
          const TsStep *step = ts_steps_get (steps, k);

          /* Names of buffers begin anew in every function. */
          if ((buffer != NULL && !g_str_equal (ts_step_find_text (step, "buffer"), buffer))
              || (function != NULL && g_strcmp0 (step->function, function->name) != 0)
              || !says_more (step, k, found, *number))
            continue;
          found = step;
          *number = k;
        }
    }
  return found;
}

gboolean
ts_run_sharing (TsRun *run, guint index, const char *function, gint32 op, gint32 on, const char *buffer, GCancellable *cancellable,
                TsSharing *out)
{
  *out = (TsSharing) { 0 };
  out->pass = ts_run_buffer_since (run, index, function, op, on, &out->since);
  if (out->pass == NULL)
    return FALSE;
  out->step = ts_run_sharing_step (run, index, out->since, op, on, buffer, &out->number, cancellable);
  return TRUE;
}

const char *
ts_sharing_reason (const TsStep *step)
{
  const char *allowed = ts_step_find_text (step, "allowed");

  return allowed != NULL ? allowed : "their lives do not meet";
}
