/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How deep a pipeline may be buffered in what a space holds: the capacity gate around the packing. Source: spec passes-memory
 * 5.5. */
#pragma once

#include "passes/memory-packing.h"

G_BEGIN_DECLS

typedef struct
{
  TsPassContext  *context;
  TsModule       *module;
  TsFunction     *function;
  gint64          reserved; /* bytes at the start of `space` that are not to be had */
  /* Shown every packing that is thrown away, while the depths are still those it was made with; asked for only with steps. */
  void          (*discarded) (const TsPackSpace *space, const TsPacking *packing, TsStageRule rule, guint attempt, gpointer data);
  gpointer        data;
} TsGate;

/* Packs a space: gated by its capacity where that is known, by the legacy rule otherwise or as a fallback. Adds the fallback
 * warning and the hints PH-MR-001. *rule tells what the packing obeys. NULL when cancelled. */
TsPacking *ts_gate_pack (const TsGate *gate, TsPackSpace *space, TsStageRule *rule);

G_END_DECLS
