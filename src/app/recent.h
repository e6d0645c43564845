/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and folders opened lately. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Paths that this program has opened and that are still there, newest first, at most `n`. Free with g_strfreev. */
char **ts_recent_list (guint n);
/* Remembers a path; samples and standard input are not remembered. Never fails visibly. */
void   ts_recent_add (const char *spec);

G_END_DECLS
