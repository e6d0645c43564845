/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window shows while nothing is open: why, how to open something, samples and recent files. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_START_PAGE (ts_start_page_get_type ())
G_DECLARE_FINAL_TYPE (TsStartPage, ts_start_page, TS, START_PAGE, GtkWidget)

/* Rows activate the action win.open-spec with their input. */

/* Nothing is open yet. */
void ts_start_page_show_welcome (TsStartPage *self);
/* `spec` could not be opened: why, and what was found in it (plain text, may be NULL). */
void ts_start_page_show_problem (TsStartPage *self, const char *spec, const char *why, const char *details);
void ts_start_page_show_loading (TsStartPage *self, const char *spec);
/* What the file that could not be opened offers to open by name (TsPyptoEntry); NULL: nothing. */
void ts_start_page_show_entries (TsStartPage *self, const GArray *entries);
/* Menu items for what a file offers, where that is more than one thing. They activate win.open-entry. */
void ts_start_page_fill_entries (GMenu *menu, const GArray *entries);

/* Menu items for samples and for recent files and folders that are still there, newest first. */
void ts_start_page_fill_menus (GMenu *samples, GMenu *recent);

G_END_DECLS
