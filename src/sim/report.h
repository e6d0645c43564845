/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the figures of a simulation do not say. */
#pragma once

#include "sim/simulate.h"

G_BEGIN_DECLS

/* Adds to the diagnostics of a simulation whose results are there: deadlock, pushes and pops or flags whose counts differ, memory
 * over its capacity, time that ended, recurrences left open. Takes back that iterations were filled in where they were not.
 * Source: simulator.md sections 2 to 4. */
void ts_simulation_report (const TsModule *module, const TsFunction *function, TsSimulation *simulation);

G_END_DECLS
