/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting millions of entries in pieces, so that it can be cancelled. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Asked every few thousand entries; TRUE: leave off. */
typedef gboolean (*TsSortStop) (gconstpointer data);

/* By merging sorted blocks. FALSE: told to leave off; the entries are then in no order, and
 * some may be there twice while others are missing. */
gboolean ts_sort_pieces (gpointer data, gsize n, gsize size, GCompareFunc compare, TsSortStop stop, gconstpointer stop_data);

G_END_DECLS
