/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes live over program order, from the lives of what is live. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint32 position; /* from here on */
  gint64  bytes;
} TsLiveBytes;

/* Growing; free with g_array_unref. */
GArray *ts_live_bytes_new (void);
/* So many bytes are live from position `from` up to, but not at, `end`. */
void    ts_live_bytes_add (GArray *events, guint32 from, guint32 end, gint64 bytes);
/* The curve, one entry for each change, into `steps` (room for as many as there were events: two for each life; NULL: not asked
 * for). Returns their number; the highest value and the first position that has it in *peak and *peak_at (may be NULL).
 * O(n log n); the events are sorted. */
guint32 ts_live_bytes_curve (GArray *events, TsLiveBytes *steps, gint64 *peak, guint32 *peak_at);

G_END_DECLS
