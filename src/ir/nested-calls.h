/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls inside expressions as statements of their own: `y = store(exp(load(x)), at, y)` is three statements. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* The names of the variables made here: "t__tmp_v0", "t__tmp_v1", ... */
#define TS_NESTED_CALL_PREFIX "t__tmp_v"

/* The first statement with a call that ts_take_calls_apart() would take out of its expression; NULL: there is none. */
const TsOp *ts_find_nested_calls (const TsFunction *function);

static inline gboolean
ts_has_nested_calls (const TsFunction *function)
{
  return ts_find_nested_calls (function) != NULL;
}

/* Told of each operation that is made: a call that has become a statement, or what stands for a condition. `statement` is the one
 * it was taken out of. */
typedef void (*TsCallTakenApart) (TsOp *made, const TsOp *statement, gpointer data);

/* Puts every call that stands where NoNestedCalls forbids it, and every other one that costs anything, before the statement that
 * holds it, in Python's order of evaluation: left to right, inside out. What `and` and `or` may leave out goes into a branch; the
 * condition of a while loop is asked anew at the end of each trip and before each continue. A function in SSA form stays so but for
 * these two. Calls whose type nobody knows stay where they are. Returns how many statements were made. */
guint    ts_take_calls_apart (TsModule *module, TsFunction *function, TsCallTakenApart told, gpointer data);
/* A copy of a module in which that is done, for whoever looks at a module that no pass has seen; NULL when there is nothing to do.
 * `function`, one of its functions, becomes that of the copy. What was taken out of a statement has the id of the statement: no id
 * is one that the module does not have. */
TsModule *ts_module_with_calls_apart (const TsModule *module, const TsFunction **function);

G_END_DECLS
