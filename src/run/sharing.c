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

/* The steps by the buffer they speak of: thousands of pairs of stages may ask. */
static GHashTable *
index_steps (const TsSteps *steps)
{
  GHashTable *index = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_numbers);

  for (guint i = 0; i < ts_steps_length (steps); i++)
    {
      const TsStep *step = ts_steps_get (steps, i);
      const char *base = ts_step_find_text (step, "base");
      GArray *numbers;

      /* What was thrown away, and what only lists the lives, decided nothing. */
      if (base == NULL)
        base = ts_step_find_text (step, "to");
      if (base == NULL || g_str_equal (step->kind, "discarded") || g_str_equal (step->kind, "interval"))
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

          const char *into = ts_step_find_text (step, "buffer");

          /* Names of buffers begin anew in every function. */
          if (into == NULL || g_strcmp0 (base, into) == 0 || (buffer != NULL && !g_str_equal (into, buffer))
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

/* --- stages that collapse ------------------------------------------------------------------------------------------------- */

static const TsMemoryTile *
tile_of (const TsMemoryFacts *facts, const TsOp *op)
{
  for (guint i = 0; op != NULL && i < op->n_results; i++)
    {
      const TsMemoryTile *tile = ts_memory_facts_tile (facts, op->results[i]);
      if (tile != NULL)
        return tile;
    }
  return NULL;
}

static const TsMemoryFacts *
facts_around (TsRun *run, guint index, const TsOp *op, GCancellable *cancellable)
{
  const TsFunction *function = op != NULL && op->block != NULL ? ts_op_function (op) : NULL;

  return function != NULL ? ts_run_memory (run, index, function->name, cancellable, NULL) : NULL;
}

/* Do two different operations, of these and those, have bytes in common in a snapshot? What is one statement yet shares nothing. */
static gboolean
tiles_meet (TsRun *run, guint index, const GArray *these, const GArray *those, GCancellable *cancellable)
{
  for (guint i = 0; i < these->len; i++)
    for (guint k = 0; k < those->len; k++)
      {
        const TsOp *a = ts_run_op (run, index, g_array_index (these, gint32, i));
        const TsOp *b = ts_run_op (run, index, g_array_index (those, gint32, k));
        const TsMemoryFacts *facts = a != b ? facts_around (run, index, a, cancellable) : NULL;
        const TsMemoryTile *x = facts != NULL ? tile_of (facts, a) : NULL, *y = facts != NULL ? tile_of (facts, b) : NULL;

        if (x != NULL && y != NULL && ts_memory_shared_bytes (facts, x, y) > 0)
          return TRUE;
      }
  return FALSE;
}

/* The first snapshot from which on the two share bytes. */
static guint
collapse_since (TsRun *run, guint index, gint32 op, gint32 on, GCancellable *cancellable)
{
  for (guint first = index;; )
    {
      gint before = ts_run_previous_with_module (run, first);
      g_autoptr (GArray) a = before >= 0 ? ts_run_trace (run, index, op, (guint) before, NULL) : NULL;
      g_autoptr (GArray) b = before >= 0 ? ts_run_trace (run, index, on, (guint) before, NULL) : NULL;

      if (before < 0 || a == NULL || b == NULL || !tiles_meet (run, (guint) before, a, b, cancellable))
        return first;
      first = (guint) before;
    }
}

/* Names of the buffers that an operation of snapshot `index` makes, as they are in snapshot `in`. */
static void
collect_names (TsRun *run, guint index, gint32 op, guint in, GHashTable *names)
{
  g_autoptr (GArray) was = ts_run_trace (run, index, op, in, NULL);

  for (guint i = 0; i < was->len; i++)
    {
      const TsOp *found = ts_run_op (run, in, g_array_index (was, gint32, i));

      for (guint k = 0; found != NULL && k < found->n_results; k++)
        add_base (names, found->results[k]);
    }
}

/* How much a step says of two buffers: that one went into the other, and what let their stages; the same without that; or only
 * that it placed one of them. */
static guint
weigh (const TsStep *step, GHashTable *names)
{
  const char *into = ts_step_find_text (step, "buffer"), *base = ts_step_find_text (step, "base");

  if (into == NULL || g_strcmp0 (into, base) == 0 || !g_hash_table_contains (names, into))
    return 1;
  return ts_step_find_text (step, "allowed") != NULL ? 3 : 2;
}

static const TsStep *
weightiest (const TsSteps *steps, GHashTable *by_base, GHashTable *names, const TsFunction *function, guint *number)
{
  const TsStep *found = NULL;
  GHashTableIter iter;
  gpointer base;
  guint most = 0;

  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &base, NULL))
    {
      const GArray *numbers = g_hash_table_lookup (by_base, base);

      for (guint i = 0; numbers != NULL && i < numbers->len; i++)
        {
          guint k = g_array_index (numbers, guint, i), weight;
          const TsStep *step = ts_steps_get (steps, k);

          /* Names of buffers begin anew in every function. Of equals the last one: it came to what was there. */
          if (function != NULL && g_strcmp0 (step->function, function->name) != 0)
            continue;
          weight = weigh (step, names);
          if (weight < most || (weight == most && k < *number))
            continue;
          most = weight;
          found = step;
          *number = k;
        }
    }
  return found;
}

static const char *
reason_of (const TsStep *step)
{
  const char *allowed = ts_step_find_text (step, "allowed"), *rule = ts_step_find_text (step, "rule");

  return allowed != NULL ? allowed : rule != NULL ? rule : "their lives do not meet";
}

gboolean
ts_run_collapse_origin (TsRun *run, guint index, gint32 op, gint32 on, GCancellable *cancellable, TsSharing *out)
{
  const TsOp *here = ts_run_op (run, index, op);
  const TsFunction *function = here != NULL && here->block != NULL ? ts_op_function (here) : NULL;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTable *by_base;
  const TsSteps *steps;
  gint before;

  *out = (TsSharing) { .since = collapse_since (run, index, op, on, cancellable) };
  if (g_cancellable_is_cancelled (cancellable))
    return FALSE;
  before = ts_run_previous_with_module (run, out->since);
  out->pass = ts_run_snapshot (run, out->since)->pass;
  out->reason = before < 0 ? "they do in what was read" : "no pass of ours: it does not say why";
  steps = before >= 0 ? ts_run_steps (run, out->since, cancellable) : NULL;
  by_base = steps != NULL ? indexed_steps (run, out->since, steps, cancellable) : NULL;
  if (by_base == NULL)
    return !g_cancellable_is_cancelled (cancellable);
  for (guint k = 0; k < 4; k++)
    collect_names (run, index, k % 2 == 0 ? op : on, k < 2 ? out->since : (guint) before, names);
  out->step = weightiest (steps, by_base, names, function, &out->number);
  out->reason = out->step != NULL ? reason_of (out->step) : "no step of the pass speaks of these buffers";
  return TRUE;
}
