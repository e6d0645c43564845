/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic execution of a function into an instruction stream. Source: spec simulator.md section 2. */
#pragma once

#include <gio/gio.h>

#include "sim/simulate.h"

G_BEGIN_DECLS

/* What an execution is told by the ones before it. */
typedef struct
{
  gint64      limit[TS_MAX_CORES]; /* instructions of each core */
  gboolean    never, always; /* leave nothing out; wherever it can be done */
  GHashTable *patience;  /* operation of a loop to how often it did not settle */
  gint64      period;    /* iterations are left out in multiples of it */
  GArray     *omitted;   /* gint64: what the n-th loop of a core that leaves iterations out may leave out at most; NULL: no limit */
} TsExecPlan;

/* NULL only when `cancellable` fired: a function that goes wrong half-way gives the stream up to there. `diags` gets what was
 * assumed, what is not known and where the stream was cut; `bindings` (TsBoundName) every name the function left open with the
 * value taken. The stream is marked truncated when a core reached its limit. */
TsStream *ts_execute (const TsModule *module, const TsFunction *function, const TsMachine *machine, const TsSimOptions *options,
                      const TsExecPlan *plan, TsDiagList *diags, GArray *bindings, GCancellable *cancellable);

G_END_DECLS
