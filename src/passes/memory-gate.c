/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The capacity gate: start every pipeline as deep as it asks, give up depth where the space is too small. */
#include "passes/memory-gate.h"

#include "base/number.h"
#include "passes/allocations.h"

/* Repacks one space may cost before the legacy rule takes over. */
#define MAX_REPACKS 256u

static gboolean
is_l0 (TsSpace space)
{
  return space == TS_SPACE_LEFT || space == TS_SPACE_RIGHT || space == TS_SPACE_ACC || space == TS_SPACE_BIAS
         || space == TS_SPACE_LEFT_SCALE || space == TS_SPACE_RIGHT_SCALE;
}

static gint64
buffer_bytes (const TsPackSpace *space, const TsPacking *packing, guint32 buffer)
{
  const TsLifeInterval *interval = &space->life->intervals[space->order[packing->first[buffer]]];
  gint64 asked;
  if (interval->pinned && interval->alloc != NULL && ts_alloc_bytes (interval->alloc, &asked))
    return MAX (asked, interval->size);
  return interval->size;
}

gint64
ts_packing_footprint (const TsPackSpace *space, const TsPacking *packing, gint64 reserved)
{
  gint64 end = ts_round_up (reserved, TS_BUFFER_ALIGNMENT);
  for (guint32 b = 0; b < packing->n_buffers; b++)
    end = ts_round_up (ts_add_sat (end, buffer_bytes (space, packing, b)), TS_BUFFER_ALIGNMENT);
  return end;
}

static gboolean
one_buffer_exceeds (const TsPackSpace *space, const TsPacking *packing, gint64 capacity)
{
  for (guint32 b = 0; b < packing->n_buffers; b++)
    if (buffer_bytes (space, packing, b) > capacity)
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

static void
warn_fallback (const TsGate *gate, const TsPackSpace *space, gboolean budget_spent, gboolean overflows)
{
  TsDiag *diag = ts_pass_report (gate->context, gate->module, NULL, TS_SEVERITY_WARNING, "MemoryReuse", "memory-reuse-fallback",
                                 "capacity-gated reuse could not fit memory space %s %s; fell back to the legacy packing%s",
                                 ts_space_name (space->space),
                                 budget_spent ? "within the shed budget of 256 packings" : "at any double-buffering depth",
                                 overflows ? ", which does not fit either: use smaller tiles or fewer stages" : "");
  diag->function = g_strdup (gate->function->name);
  diag->span = gate->function->span;
  diag->subject = g_strdup (ts_space_name (space->space));
}

static void
hint_depth (const TsGate *gate, const TsPackSpace *space, const TsPackGroup *group, gint64 capacity)
{
  gint64 slot = ts_round_up (group->slot, TS_BUFFER_ALIGNMENT), free_bytes = capacity - gate->reserved;
  gboolean too_large = free_bytes <= 0 || ts_mul_sat (slot, group->n_stages) > free_bytes;
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, "pipeline group %d in %s: requested depth %u, but only %u of %u buffers fit (%" G_GINT64_FORMAT
                          " bytes per stage, %" G_GINT64_FORMAT " bytes free", group->group, ts_space_name (space->space),
                          group->n_stages, group->depth, group->n_stages, slot, MAX (free_bytes, 0));
  if (gate->reserved > 0)
    g_string_append_printf (text, ", %" G_GINT64_FORMAT " bytes reserved", gate->reserved);
  g_string_append_printf (text, "), so that stages %u apart share storage and wait for each other", group->depth);
  TsDiag *diag = ts_pass_report (gate->context, gate->module, NULL, TS_SEVERITY_NOTE, "MemoryReuse", "PH-MR-001", "%s", text->str);
  if (too_large)
    diag->help = g_strdup_printf ("shrink the per-stage tile to %" G_GINT64_FORMAT " bytes, or lower the depth to %u",
                                  MAX (free_bytes, 0) / group->n_stages, group->depth);
  else
    diag->help = g_strdup_printf ("this depth would fit alone, but co-resident tiles and other groups over-subscribe the space: have "
                                  "fewer or smaller ones live at the same time, or lower the depth to %u", group->depth);
  diag->function = g_strdup (gate->function->name);
  diag->span = gate->function->span;
  diag->subject = g_strdup (ts_space_name (space->space));
}

/* Repacks with ever less depth until it fits. Returns whether it does. */
static gboolean
shed_until_fit (const TsGate *gate, TsPackSpace *space, gint64 capacity, TsPacking **packing, gboolean *budget_spent)
{
  for (guint repacks = 0; *packing != NULL; repacks++)
    {
      gint64 footprint = ts_packing_footprint (space, *packing, gate->reserved);
      step_gate (gate, space, "gate", footprint, capacity);
      if (footprint <= capacity)
        return TRUE;
      TsPackGroup *group = next_to_shed (space);
      *budget_spent = group != NULL && repacks == MAX_REPACKS;
      if (group == NULL || *budget_spent)
        return FALSE;
      group->depth--;
      step_shed (gate, space, group);
      ts_packing_free (*packing);
      *packing = ts_pack (space, TS_STAGES_GATED, gate->context->cancellable);
    }
  return FALSE;
}

TsPacking *
ts_gate_pack (const TsGate *gate, TsPackSpace *space, TsStageRule *rule)
{
  TsStageRule legacy = is_l0 (space->space) ? TS_STAGES_FREE : TS_STAGES_LEGACY;
  gint64 capacity = ts_machine_capacity (gate->context->machine, space->space);
  *rule = legacy;
  if (capacity <= 0)
    return ts_pack (space, legacy, gate->context->cancellable);
  set_depths (space, capacity);
  *rule = TS_STAGES_GATED;
  TsPacking *packing = ts_pack (space, TS_STAGES_GATED, gate->context->cancellable);
  gboolean budget_spent = FALSE;
  if (!shed_until_fit (gate, space, capacity, &packing, &budget_spent) && packing != NULL
      && !one_buffer_exceeds (space, packing, capacity))
    {
      ts_packing_free (packing);
      *rule = legacy;
      packing = ts_pack (space, legacy, gate->context->cancellable);
      if (packing == NULL)
        return NULL;
      gint64 footprint = ts_packing_footprint (space, packing, gate->reserved);
      step_gate (gate, space, "fallback", footprint, capacity);
      warn_fallback (gate, space, budget_spent, footprint > capacity);
    }
  for (guint32 i = 0; i < space->n_groups && *rule == TS_STAGES_GATED && packing != NULL; i++)
    if (space->groups[i].depth < space->groups[i].n_stages)
      hint_depth (gate, space, &space->groups[i], capacity);
  return packing;
}
