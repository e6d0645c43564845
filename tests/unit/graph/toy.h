/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs functions of Triton IR, operation by operation, on a small memory. Source: spec ttir section 5.
 * Where the language leaves an outcome open it is settled here, in a way that no rule of GraphOptimize may change: lanes store in
 * row-major order, a lane that a mask switches off reads zero, a reduction takes its axis from the first element to the last. */
#pragma once

#include "ir/module.h"

/* Bytes from address 0 on. Only the ranges may be touched, anything else is a fault. */
typedef struct
{
  guint8 *bytes;
  gsize   size;
  struct { gint64 from, to; } ranges[8];
  guint   n_ranges;
} ToyMemory;

/* One program after the other, from number 0 on along every axis that is asked for. `args` are bits, one word an argument (pointers
 * are addresses). Returns NULL, or what went wrong; free that with g_free. */
char *toy_run (const TsModule *module, const TsFunction *function, const guint64 *args, guint n_programs, ToyMemory *memory);
/* How many programs the launcher starts where it would have started `n`: RowCoalescing has it divide. */
guint toy_n_programs (const TsModule *module, guint n);
