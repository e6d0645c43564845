/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hints of a module that was read from printed text. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Printing tells variables that share a hint apart by numbers: a, a_1, a_2. Read back, each has a hint of its own, and copies that
 * a pass makes would be numbered differently from those of the run that printed the text. This gives them their common hint again:
 * where the names that begin with a compiler name (one with a double underscore) occur as a, a_1, a_2, ... in the order of their
 * definitions, without a gap. The module prints as before. O(size). */
void ts_module_recover_hints (TsModule *module);

G_END_DECLS
