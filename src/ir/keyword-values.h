/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an operation's keyword arguments may say, row by row of keyword-values.def. Source: spec dsl 4.4, 4.5; ops.md. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* What is wrong with a keyword of the operation, NULL when nothing is: a member that its enumeration does not have, a member of
 * another enumeration, a word or a number that is not listed. Enumerations and keywords without a row, and values known only at
 * run time, are not judged. Free with g_free. */
char *ts_op_keyword_fault (const TsOp *op);
/* Is the memory space that the operation asks for one that no pipe reaches from global memory, on any backend? What is wrong, or
 * NULL. Source: ops.md 1 (transfers) and 9. Free with g_free. */
char *ts_op_target_fault (const TsOp *op);
/* Is there anything in a list of extents, offsets or indices that is no whole number? What is wrong, or NULL. An item whose type is
 * not known is not judged. Free with g_free. Source: dsl 3 (dimensions). */
char *ts_op_places_fault (const TsOp *op);

G_END_DECLS
