/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls that GTK and libadwaita replaced after the versions of our floor: moving on means editing this file only. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

typedef enum { TS_CHOOSE_FILE, TS_CHOOSE_FOLDER, TS_CHOOSE_SAVE } TsChooseKind;

/* `file` is NULL when the dialog was closed without a choice. */
typedef void (*TsFileChosen) (GtkWindow *parent, GFile *file, gpointer data);

/* One choice of a file dialog: a name for people and patterns such as "*.svg". */
typedef struct
{
  const char        *name;
  const char *const *patterns;
} TsFileKind;

/* Shows a modal file dialog. `suggested` is the name offered for saving, or NULL. `kinds` has `n_kinds` rows and may be NULL.
 * The answer comes later, once, unless the parent goes away before. */
void ts_compat_choose_file (GtkWindow *parent, TsChooseKind kind, const char *title, const char *suggested, const TsFileKind *kinds,
                            guint n_kinds, TsFileChosen chosen, gpointer data);

/* The colour text has in a widget at present. */
void ts_compat_text_color (GtkWidget *widget, GdkRGBA *color);

/* Scrolls a list so that the item is seen. */
void ts_compat_list_scroll_to (GtkListView *list, guint position);

/* A window with the shortcuts of `groups`, made from the text of a GtkShortcutsWindow definition with the object id "window". */
GtkWindow *ts_compat_shortcuts_window (const char *definition);

/* Releases the children of a template, those without a name too, which GTK's own call leaves behind. For plain widgets. */
void ts_compat_dispose_template (GtkWidget *widget, GType type);

/* The about window, modal to its parent. */
void ts_compat_show_about (GtkWindow *parent, const char *application_id, const char *version);

G_END_DECLS
