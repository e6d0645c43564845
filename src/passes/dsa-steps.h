/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What DSA-RP looked at, as steps: every buffer with what it must and should keep away from, every order tried, every address
 * asked for with what was in the way. */
#pragma once

#include "passes/dsa-rp.h"
#include "passes/memory-rules.h"

G_BEGIN_DECLS

/* Buffers of which steps say what they keep away from, and placements of one order that are described; steps say so where these
 * limits leave something out. */
#define TS_DSA_STEPS_BUFFERS 2048u
#define TS_DSA_STEPS_PLACEMENTS 512u
/* Entries of one list. */
#define TS_DSA_STEPS_LISTED 32u

typedef struct
{
  const TsPassContext *context;
  const TsModule      *module;
  const TsFunction    *function;
  const TsLifetimes   *life;
  const TsConstraints *constraints;
  const TsDsaProblem  *problem;
  const guint32       *interval; /* per buffer */
} TsDsaSteps;

/* The steps "interval" and "apart". */
void ts_dsa_steps_problem (const TsDsaSteps *steps);
/* Listens to a solver: steps "order", "place" and "order-end". `data` is the TsDsaSteps. */
extern const TsDsaListener ts_dsa_steps_listener;
/* The steps "address": where each buffer lies, whose bytes it takes over, and what let it. */
void ts_dsa_steps_addresses (const TsDsaSteps *steps, const gint64 *offsets);
/* The step `kind` about `n` pairs held apart by their stages only: of which of them `offsets`, when given, share bytes; without,
 * those whose lives allow it. */
void ts_dsa_steps_relaxed (const TsDsaSteps *steps, const char *kind, guint64 n, const gint64 *offsets);

G_END_DECLS
