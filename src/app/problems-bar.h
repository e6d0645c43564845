/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bar that says what is wrong, with the list of diagnostics behind it. */
#pragma once

#include "app/document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Name of the icon of a severity. */
const char *ts_problems_bar_icon (TsSeverity severity);

#define TS_TYPE_PROBLEMS_BAR (ts_problems_bar_get_type ())
G_DECLARE_FINAL_TYPE (TsProblemsBar, ts_problems_bar, TS, PROBLEMS_BAR, GtkWidget)

/* Watches the document; call once. */
void        ts_problems_bar_set_document (TsProblemsBar *self, TsDocument *document);
gboolean    ts_problems_bar_is_shown (TsProblemsBar *self);
/* One sentence, as the bar says it. */
const char *ts_problems_bar_get_summary (TsProblemsBar *self);
guint       ts_problems_bar_n_rows (TsProblemsBar *self);
void        ts_problems_bar_show_list (TsProblemsBar *self, gboolean shown);

G_END_DECLS
