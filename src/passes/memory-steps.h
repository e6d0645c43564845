/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that more than one memory pass records. */
#pragma once

#include "ir/lifetimes.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* The step "interval": what is known of one allocation before it is placed. Nothing when no steps are asked for. */
void ts_step_interval (const TsPassContext *context, const TsModule *module, const TsFunction *function, const TsLifetimes *life,
                       const TsLifeInterval *interval);
/* The field "limit" of a step of which a list holds only `listed` of `n` entries. Nothing when it holds all. */
void ts_step_listed (TsSteps *steps, guint listed, guint n);

G_END_DECLS
