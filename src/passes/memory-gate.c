/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The capacity gate: start every pipeline as deep as it asks, give up depth where the space is too small. */
#include "passes/memory-gate.h"

#include "base/number.h"
#include "ir/reserved-bytes.h"
#include "passes/allocations.h"

/* Repacks one space may cost before the legacy rule takes over. */
#define MAX_REPACKS 256u

/* Bytes of a packing whose buffers are placed one after the other behind the reserved ones. */
static gint64
footprint_of (const TsGate *gate, gint64 bytes)
{
  return ts_add_sat (ts_round_up (gate->reserved, TS_BUFFER_ALIGNMENT), bytes);
}

static gboolean
one_interval_exceeds (const TsPackSpace *space, gint64 capacity)
{
  for (guint32 i = 0; i < space->n; i++)
    if (ts_pack_buffer_bytes (space, i) > capacity)
      return TRUE;
  return FALSE;
}

static void
set_depths (TsPackSpace *space, gint64 capacity)
{
  for (guint32 i = 0; i < space->n_groups; i++)
    {
      TsPackGroup *group = &space->groups[i];
      gint64 fit = group->slot > 0 ? capacity / group->slot : group->n_stages;
      group->depth = (guint32) CLAMP (fit, 1, (gint64) group->n_stages);
    }
}

/* The group that gives up a buffer next: the largest aligned slot among those that have one to give, the lowest number on ties. */
static TsPackGroup *
next_to_shed (TsPackSpace *space)
{
  TsPackGroup *chosen = NULL;
  for (guint32 i = 0; i < space->n_groups; i++)
    {
      TsPackGroup *group = &space->groups[i];
      if (group->depth > 1
          && (chosen == NULL
              || ts_round_up (group->slot, TS_BUFFER_ALIGNMENT) > ts_round_up (chosen->slot, TS_BUFFER_ALIGNMENT)))
        chosen = group;
    }
  return chosen;
}

/* One look at what the space needs: "live" at least, whatever the depths; "gate" at these depths; "fallback" without them. */
static void
step_gate (const TsGate *gate, const TsPackSpace *space, const char *kind, gint64 footprint, gint64 capacity)
{
  TsSteps *steps = gate->context->steps;
  if (steps == NULL)
    return;
  ts_step_begin (steps, kind, gate->module, gate->function, NULL);
  ts_step_text (steps, "space", ts_space_name (space->space));
  ts_step_int (steps, "footprint", footprint);
  ts_step_int (steps, "capacity", capacity);
  if (gate->reserved > 0)
    ts_step_int (steps, "reserved", gate->reserved);
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) depths = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint32 i = 0; i < space->n_groups; i++)
    {
      gint64 number = space->groups[i].group, depth = space->groups[i].depth;
      g_array_append_val (numbers, number);
      g_array_append_val (depths, depth);
    }
  ts_step_ints (steps, "groups", (const gint64 *) numbers->data, numbers->len);
  ts_step_ints (steps, "depths", (const gint64 *) depths->data, depths->len);
}

static void
step_shed (const TsGate *gate, const TsPackSpace *space, const TsPackGroup *group)
{
  TsSteps *steps = gate->context->steps;
  ts_step_begin (steps, "shed", gate->module, gate->function, NULL);
  ts_step_text (steps, "space", ts_space_name (space->space));
  ts_step_int (steps, "group", group->group);
  ts_step_int (steps, "bytes", group->slot);
  ts_step_int (steps, "depth", group->depth);
}

/* Callers match these texts byte for byte in logs (tests/golden): a warning carries its advice within. */
static void
warn_fallback (const TsGate *gate, const TsPackSpace *space, gboolean budget_spent, gboolean overflows)
{
  ts_report_about (gate->context, gate->module, gate->function, NULL, TS_SEVERITY_WARNING, "memory-reuse-fallback",
                   ts_space_name (space->space), "capacity-gated reuse could not fit memory space %s %s; fell back to the legacy "
                   "packing%s", ts_space_name (space->space),
                   budget_spent ? "within the shed budget of 256 packings" : "at any double-buffering depth",
                   overflows ? " (which also overflows — reduce tile size or stage count)" : "");
}

/* A hint's message and its help are the two sentences of its line in a log. */
static void
hint_depth (const TsGate *gate, const TsPackSpace *space, const TsPackGroup *group, gint64 capacity)
{
  gint64 slot = ts_round_up (group->slot, TS_BUFFER_ALIGNMENT), free_bytes = capacity - gate->reserved;
  gboolean too_large = free_bytes <= 0 || ts_mul_sat (slot, group->n_stages) > free_bytes;
  g_autofree char *stage = ts_bytes_number (slot), *reserved = ts_bytes_number (gate->reserved);
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, "software pipelining requested depth %u for pipeline group %d in %s, but only %u of %u buffers fit "
                          "(%s B per stage, %" G_GINT64_FORMAT " B free", group->n_stages, group->group,
                          ts_space_name (space->space), group->depth, group->n_stages, stage, MAX (free_bytes, 0));
  if (gate->reserved > 0)
    g_string_append_printf (text, ", %s B reserved", reserved);
  g_string_append_printf (text, ") — stages %u apart share storage and serialize", group->depth);
  TsDiag *diag = ts_report_about (gate->context, gate->module, gate->function, NULL, TS_SEVERITY_NOTE, "PH-MR-001",
                                  ts_space_name (space->space), "%s", text->str);
  if (too_large)
    diag->help = g_strdup_printf ("shrink the per-stage tile to %" G_GINT64_FORMAT " B, or reduce the pipeline depth to %u",
                                  MAX (free_bytes, 0) / group->n_stages, group->depth);
  else
    diag->help = g_strdup_printf ("the operand would fit depth %u on its own, but co-resident buffers / other pipeline groups "
                                  "over-subscribe the space; relieve the co-residents (smaller or fewer co-live tiles) or reduce "
                                  "the pipeline depth to %u", group->n_stages, group->depth);
}

static void
discard (const TsGate *gate, const TsPackSpace *space, TsPacking **packing, guint attempt)
{
  if (*packing != NULL && gate->context->steps != NULL && gate->discarded != NULL)
    gate->discarded (space, *packing, TS_STAGES_GATED, attempt, gate->data);
  g_clear_pointer (packing, ts_packing_free);
}

/* Repacks with ever less depth until it fits; *packing is NULL when cancelled. Returns whether it does. What is live at once
 * does not depend on depths: where that alone is too much, the depths are given up at once, in the same order, and packed only
 * at the end. */
static gboolean
shed_until_fit (const TsGate *gate, TsPackSpace *space, gint64 capacity, TsPacking **packing, gboolean *budget_spent,
                guint *n_attempts)
{
  gint64 lowest = footprint_of (gate, ts_pack_floor (space));
  gint64 limit = gate->context->steps != NULL ? G_MAXINT64 : capacity; /* steps tell the whole footprint of every attempt */
  gboolean hopeless = lowest > capacity;
  if (hopeless)
    step_gate (gate, space, "live", lowest, capacity);
  for (guint repacks = 0;; repacks++)
    {
      TsPackGroup *group = next_to_shed (space);
      *budget_spent = group != NULL && repacks == MAX_REPACKS;
      gboolean last = group == NULL || *budget_spent;
      *n_attempts = repacks + 1;
      if (!hopeless || last)
        {
          *packing = ts_pack (space, TS_STAGES_GATED, last ? G_MAXINT64 : limit, gate->context->cancellable);
          if (*packing == NULL)
            return FALSE;
          gint64 footprint = footprint_of (gate, (*packing)->bytes);
          step_gate (gate, space, "gate", footprint, capacity);
          if ((*packing)->whole && footprint <= capacity)
            return TRUE;
        }
      if (last)
        return FALSE;
      discard (gate, space, packing, *n_attempts);
      group->depth--;
      step_shed (gate, space, group);
    }
}

static void
hint_depths (const TsGate *gate, const TsPackSpace *space, gint64 capacity)
{
  for (guint32 i = 0; i < space->n_groups; i++)
    if (space->groups[i].depth < space->groups[i].n_stages)
      hint_depth (gate, space, &space->groups[i], capacity);
}

TsPacking *
ts_gate_pack (const TsGate *gate, TsPackSpace *space, TsStageRule *rule)
{
  TsStageRule legacy = ts_space_is_l0 (space->space) ? TS_STAGES_FREE : TS_STAGES_LEGACY;
  gint64 capacity = ts_machine_capacity (gate->context->machine, space->space);
  TsPacking *packing = NULL;
  gboolean budget_spent = FALSE;
  guint n_attempts = 0;
  *rule = legacy;
  if (capacity <= 0)
    return ts_pack (space, legacy, G_MAXINT64, gate->context->cancellable);
  set_depths (space, capacity);
  *rule = TS_STAGES_GATED;
  gboolean fits = shed_until_fit (gate, space, capacity, &packing, &budget_spent, &n_attempts);
  if (packing == NULL)
    return NULL;
  if (fits || one_interval_exceeds (space, capacity))
    {
      hint_depths (gate, space, capacity);
      return packing;
    }
  discard (gate, space, &packing, n_attempts);
  *rule = legacy;
  packing = ts_pack (space, legacy, G_MAXINT64, gate->context->cancellable);
  if (packing == NULL)
    return NULL;
  gint64 footprint = footprint_of (gate, packing->bytes);
  step_gate (gate, space, "fallback", footprint, capacity);
  warn_fallback (gate, space, budget_spent, footprint > capacity);
  return packing;
}
