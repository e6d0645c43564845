/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics of verifiers as one text. Source: spec passes-schedule section 8, `Report`. */
#pragma once

#include "base/diag.h"

G_BEGIN_DECLS

/* Appends the header, the totals, numbered entries (severity, rule, message, file:line:column, code), each followed by its details,
 * and the status. Notes are not numbered. */
void ts_verify_report (const TsDiagList *diags, GString *out);

G_END_DECLS
