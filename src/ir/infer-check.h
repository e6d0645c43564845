/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demands on arguments, checked before a result type is inferred. */
#pragma once

#include "ir/infer-private.h"

G_BEGIN_DECLS

/* Count of arguments, element types, and every demand in `checks` of the row. Adds one error and returns FALSE at the first
 * that fails. Source: ops.md, columns `Result` and `constraints`. */
gboolean infer_check_arguments (Infer *f);

G_END_DECLS
