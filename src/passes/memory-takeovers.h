/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles whose bytes a loop or a branch takes over although somebody still reads them.
 *
 * A carried value lives where its initial value does, and the result of an IF where its then branch leaves it. From the first
 * yield (or the else branch) on, these bytes hold something else. Whoever reads the initial value later, under whatever name, or
 * in the next trip of a loop further out, would find that. Source: spec passes-memory 3.3 and 5.7, which share without asking. */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

/* Gives carries, results of branches and yields a copy (tile.move) of their own of every tile that is still needed after they take
 * over its bytes; to be run before buffers are given out, so that the copies get theirs like any tile. What cannot be copied
 * (outside of Vec and Mat), and a carried value that is yielded in another one's place (never moved: kept quirk of 5.7), stays as
 * it is, with a warning "overwritten". Returns the number of copies; a function without such tiles is not touched.
 * O(operations), and the reads of each tile once per loop that carries it. */
guint ts_separate_takeovers (TsPassContext *context, TsModule *module, TsFunction *function);

G_END_DECLS
