/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Putting buffers and control flow back in agreement after tiles were moved onto other allocations. All of it concerns variables of
 * tile type only. Source: spec passes-memory 4 (applying) and 5.7. */
#pragma once

#include "base/map.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* Where moved variables came from. */
typedef struct
{
  TsModule   *module;
  TsFunction *function;
  TsMap       before; /* value id to the address of the MemRef it had; absent: not moved */
} TsMoves;

void     ts_moves_init (TsMoves *moves, TsModule *module, TsFunction *function);
void     ts_moves_clear (TsMoves *moves);
/* Retypes a variable and remembers that. */
void     ts_moves_add (TsMoves *moves, TsValue *value, const TsMemRef *memref, TsSpace space);
/* Lets views and in-place results that shared the old allocation of a moved variable follow it: own size kept, distance to the
 * source kept. One walk in program order. */
void     ts_moves_follow (TsMoves *moves);

/* Carried values and results of loops take the MemRef of their initial value; outermost loop first. Returns how many changed. */
guint    ts_align_loop_carries (TsModule *module, TsFunction *function);

/* Puts what has to lie in place there: in-place results on their argument, results of IFs where the then branch leaves
 * them, and of an IF whose one branch accumulates in place while the other seeds the sum elsewhere the seed onto the accumulator;
 * whatever hangs on a moved tile follows. Comes before lifetimes are taken: it makes allocations live longer. Returns how many
 * moved. */
guint    ts_settle_in_place (TsPassContext *context, TsModule *module, TsFunction *function);

typedef enum { TS_FIX_LOOPS = 1 << 0, TS_FIX_IF = 1 << 1, TS_FIX_COPIES = 1 << 2 } TsYieldFix;
/* Inserts moves before yields whose value is not where the result has to be. With TS_FIX_COPIES copies are put where their source
 * lies on the way, so that the loops behind them see them there. Counts both in *n_changes. FALSE after an error (Acc to Acc cannot
 * be moved). */
gboolean ts_fix_yields (TsPassContext *context, TsModule *module, TsFunction *function, guint which, guint *n_changes);

/* `b = a` on different allocations: b moves onto a's. Returns how many. */
guint    ts_repair_identity_copies (TsModule *module, TsFunction *function);

G_END_DECLS
