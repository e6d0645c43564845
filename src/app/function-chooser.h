/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of functions of a snapshot: which are simulated, and why the others are not. */
#pragma once

#include <gtk/gtk.h>

#include "app/document.h"

G_BEGIN_DECLS

/* Lists functions of what the document shows, whose names are the strings of the drop-down's model. */
void  ts_function_chooser_init (GtkDropDown *drop_down, TsDocument *document);
/* "simulated", or why it is not. Free with g_free. */
char *ts_function_chooser_say (TsShown *shown, const char *function);

G_END_DECLS
