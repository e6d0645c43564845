/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes of a document as a bill: changed or not, cycles, difference, bytes. */
#pragma once

#include "app/document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_PASS_LIST (ts_pass_list_get_type ())
G_DECLARE_FINAL_TYPE (TsPassList, ts_pass_list, TS, PASS_LIST, GtkWidget)

/* Watches the document; call once. */
void     ts_pass_list_set_document (TsPassList *self, TsDocument *document);
void     ts_pass_list_set_hide_unchanged (TsPassList *self, gboolean hide);
/* Shows the pass `step` rows further in the list as it is filtered; `changed_only` jumps over those without effect. FALSE at the
 * end. */
gboolean ts_pass_list_step (TsPassList *self, int step, gboolean changed_only);
void     ts_pass_list_search (TsPassList *self);
/* Rows that are listed at present. */
guint    ts_pass_list_n_rows (TsPassList *self);

G_END_DECLS
