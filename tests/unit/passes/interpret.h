/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kernel does, told from its meaning alone: the writes of every place in memory, in order. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Runs the first function, its scalar parameters as `n`. One line per place that is written, "buffer row,column: what ...", sorted;
 * the writes of one place in the order they happen. What is written is a word for how the tile was made and what memory held.
 * Messages to the other core and what ends the run early ("reads 'x', ...") have lines too. Free with g_free. */
char *ts_interpret (const TsModule *module, gint64 n);

G_END_DECLS
