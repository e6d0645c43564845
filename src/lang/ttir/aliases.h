/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text with aliases, for the reader and the printer. */
#pragma once

#include <glib.h>

/* What `name` (not terminated) stands for, or NULL. */
typedef const char *(*TtAliasMeaning) (gpointer data, const char *name, gsize length, gsize *meaning_length);
/* Appends the text with every alias replaced by what it stands for, and what that mentions too; strings stay. FALSE: it gets too
 * long or too deep (a circle). */
gboolean tt_expand_aliases (GString *out, const char *text, TtAliasMeaning meaning, gpointer data);
