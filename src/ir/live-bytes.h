/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes live over program order, from the lives of what is live and where it lies. */
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
/* The bytes low .. high - 1 are live from position `from` up to, but not at, `end`. What has no address yet is given one of its
 * own. */
void    ts_live_bytes_add (GArray *lives, guint32 from, guint32 end, gint64 low, gint64 high);
/* The curve, one entry for each change, into `steps` (room for as many as there were lives, times two; NULL: not asked for): at
 * each position the union of the ranges, so that a byte that two tiles have counts once. Returns their number; the highest value
 * and the first position that has it in *peak and *peak_at (may be NULL). O(n log n). */
guint32 ts_live_bytes_curve (const GArray *lives, TsLiveBytes *steps, gint64 *peak, guint32 *peak_at);

G_END_DECLS
