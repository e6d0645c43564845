/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The labels that the inspector and what stands in it are made of. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A label that wraps, also within words; `class` is its style class or NULL, `xalign` from 0 (start) to 1 (end). Floating. */
GtkWidget *ts_label_new (const char *text, const char *class, float xalign);

G_END_DECLS
