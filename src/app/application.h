/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program: one per session, any number of windows. */
#pragma once

#include <adwaita.h>

#include "app/main-window.h"
#include "app/settings.h"

G_BEGIN_DECLS

#define TS_TYPE_APPLICATION (ts_application_get_type ())
G_DECLARE_FINAL_TYPE (TsApplication, ts_application, TS, APPLICATION, AdwApplication)

TsApplication *ts_application_new (void);
TsSettings    *ts_application_get_settings (TsApplication *self);
/* Opens `spec` (a path, "sample:NAME", "-", NULL for nothing) in a free window, else in a new one, and shows it. */
TsMainWindow  *ts_application_open_spec (TsApplication *self, const char *spec);

/* Resources, icons and language definitions; called once by the program and by tests that have no application. */
void           ts_application_register_data (GdkDisplay *display);

G_END_DECLS
