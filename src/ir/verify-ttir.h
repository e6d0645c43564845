/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of one operation of Triton IR by itself: types of operands, results and attributes. Source: spec ttir section 7, 3 to 10.
 * The whole function is checked by the property TritonIRValid. */
#pragma once

#include "base/diag.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* Returns NULL when the operation is well typed, else one sentence that says what is wrong; free with g_free. Operations that no
 * table knows are always well typed. */
char *ts_ttir_check_op (const TsOp *op);

G_END_DECLS
