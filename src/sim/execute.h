/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic execution of a function into an instruction stream. Source: spec simulator.md section 2. */
#pragma once

#include <gio/gio.h>

#include "sim/simulate.h"

G_BEGIN_DECLS

/* Never NULL: a function that goes wrong half-way gives the stream up to there. `diags` gets what was assumed, what is not known
 * and where the stream was cut; `bindings` (TsBoundName) every name the function left open with the value taken. The stream is
 * marked truncated when the bound was reached or `cancellable` fired. */
TsStream *ts_execute (const TsModule *module, const TsFunction *function, const TsMachine *machine, const TsSimOptions *options,
                      TsDiagList *diags, GArray *bindings, GCancellable *cancellable);

G_END_DECLS
