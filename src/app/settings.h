/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preferences and remembered state. Without an installed schema everything works with the defaults, and nothing is remembered. */
#pragma once

#include <gio/gio.h>

#include "app/types.h"

G_BEGIN_DECLS

#define TS_SETTING_COLOR_SCHEME "color-scheme"     /* enum: system, light, dark */
#define TS_SETTING_MACHINE "machine"               /* string */
#define TS_SETTING_DRAG_PANS "drag-pans"           /* boolean */
#define TS_SETTING_HIDE_UNCHANGED "hide-unchanged" /* boolean */
#define TS_SETTING_SHOW_INSPECTOR "show-inspector" /* boolean */
#define TS_SETTING_UPPER_VIEW "upper-view"         /* string: graph, timeline, memory */
#define TS_SETTING_LOWER_VIEW "lower-view"         /* likewise */
#define TS_SETTING_WINDOW_SIZE "window-size"       /* (ii) */
#define TS_SETTING_MAXIMIZED "window-maximized"    /* boolean */

#define TS_TYPE_SETTINGS (ts_settings_get_type ())
G_DECLARE_FINAL_TYPE (TsSettings, ts_settings, TS, SETTINGS, GObject)

/* Signal "changed" has the key as its detail. */
TsSettings *ts_settings_new (void);

GVariant   *ts_settings_get (TsSettings *self, const char *key); /* free with g_variant_unref */
void        ts_settings_set (TsSettings *self, const char *key, GVariant *value); /* a floating value is taken */
gboolean    ts_settings_get_boolean (TsSettings *self, const char *key);
char       *ts_settings_get_string (TsSettings *self, const char *key); /* free with g_free */

G_END_DECLS
