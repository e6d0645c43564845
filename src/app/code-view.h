/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The printed IR of the shown snapshot, with the selected operations marked. */
#pragma once

#include "app/document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_CODE_VIEW (ts_code_view_get_type ())
G_DECLARE_FINAL_TYPE (TsCodeView, ts_code_view, TS, CODE_VIEW, GtkWidget)

/* Watches the document; call once. */
void       ts_code_view_set_document (TsCodeView *self, TsDocument *document);
/* Scrolls so that the selection is in the middle. */
void       ts_code_view_reveal (TsCodeView *self);
/* Line (from 1) the caret is on. */
guint      ts_code_view_get_line (TsCodeView *self);
/* Puts the caret on a line, as a click would. */
void       ts_code_view_set_line (TsCodeView *self, guint line);
GtkWidget *ts_code_view_get_text_view (TsCodeView *self);

G_END_DECLS
