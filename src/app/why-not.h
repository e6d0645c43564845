/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of the inspector: what each rule of a pass said of the selected operation, and the operation that a proof failed at as a
 * link. Empty for operations that no rule judges. */
#pragma once

#include <gtk/gtk.h>

#include "app/document.h"

G_BEGIN_DECLS

#define TS_TYPE_WHY_NOT (ts_why_not_get_type ())
G_DECLARE_FINAL_TYPE (TsWhyNot, ts_why_not, TS, WHY_NOT, GtkWidget)

/* Watches the document; call once. */
void     ts_why_not_set_document (TsWhyNot *self, TsDocument *document);
/* Adds everything it says, a line per rule. */
void     ts_why_not_append_text (TsWhyNot *self, GString *out);
/* Is the answer for the present selection still being looked for? */
gboolean ts_why_not_is_asking (TsWhyNot *self);

G_END_DECLS
