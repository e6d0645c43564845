/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window: passes at the left, two drawings over code in the middle, inspector at the right. One document each. */
#pragma once

#include <adwaita.h>

#include "app/document.h"
#include "app/settings.h"

G_BEGIN_DECLS

#define TS_TYPE_MAIN_WINDOW (ts_main_window_get_type ())
G_DECLARE_FINAL_TYPE (TsMainWindow, ts_main_window, TS, MAIN_WINDOW, AdwApplicationWindow)

/* `application` may be NULL (tests). */
TsMainWindow *ts_main_window_new (GtkApplication *application, TsSettings *settings);
/* Opens a path, "sample:NAME" or "-" in this window. */
void          ts_main_window_open (TsMainWindow *self, const char *spec);
/* Nothing is open here, or on its way. */
gboolean      ts_main_window_is_free (TsMainWindow *self);
TsDocument   *ts_main_window_get_document (TsMainWindow *self);

typedef enum { TS_FIGURE_OF_TIMELINE, TS_FIGURE_OF_GRAPH, TS_FIGURE_OF_MEMORY } TsFigureOf;
/* Writes what is shown, whole or not at all; the format is that of the extension (svg, png, pdf). */
gboolean      ts_main_window_export (TsMainWindow *self, TsFigureOf what, const char *path, GError **error);

G_END_DECLS
