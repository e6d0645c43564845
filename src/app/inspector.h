/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel with everything known about the selection, or about the snapshot when nothing is selected. */
#pragma once

#include "app/document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_INSPECTOR (ts_inspector_get_type ())
G_DECLARE_FINAL_TYPE (TsInspector, ts_inspector, TS, INSPECTOR, GtkWidget)

/* Watches the document; call once. */
void  ts_inspector_set_document (TsInspector *self, TsDocument *document);
/* Everything it says, a line per fact, for tests and for copying. Free with g_free. */
char *ts_inspector_get_text (TsInspector *self);
/* Opens the decisions of the shown pass, or goes some of them on. */
void  ts_inspector_step (TsInspector *self, int by);
/* Is some of it still being looked for? */
gboolean ts_inspector_is_asking (TsInspector *self);

G_END_DECLS
