/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a function whose tiles have addresses: every operation leaves a token in the bytes of its result, and every operand must
 * still find there the token of the very value it names. Written from the meaning of the kernel alone. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* `choices` says which way branches go and how often while loops turn, a bit each. Returns what is wrong, for the caller to free,
 * or NULL. All tiles have the size that random-kernels.h makes. */
char *ts_toy_execute (const TsFunction *function, guint64 choices);

G_END_DECLS
