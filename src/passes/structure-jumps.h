/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops without break and continue, for what cannot carry values past them. */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

/* Is there any break or continue in the function? */
gboolean ts_has_jumps (TsFunction *function);

/* Rewrites every loop of a function that is left by break or continue and either changes variables known outside of it, or does so
 * in a branch that jumps with variables known outside of the branch, or is a pipeline loop: what stands behind the jump goes into
 * the arm that does not jump, or into a branch on a flag; a flag ends the loop. Variables may have several definitions, before and
 * after. Loops with values carried by hand are left as they are. `changed` tells whether there was any. FALSE, with a diagnostic,
 * when the branches would nest too deep. */
gboolean ts_structure_jumps (TsPassContext *context, TsModule *module, TsFunction *function, gboolean *changed);

G_END_DECLS
