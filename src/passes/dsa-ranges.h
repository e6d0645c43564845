/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes that are taken, as stretches of which no two touch. For dsa-taken.c only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 start, end; /* half open */
} TsDsaRange;

/* Zero-initialise to make an empty one; n = 0 empties it again. */
typedef struct
{
  TsDsaRange *at; /* ascending */
  guint32     n, room;
} TsDsaRanges;

/* Adds bytes that may be taken already. O(log n), and moving what lies behind them where they touch nothing. */
void ts_dsa_ranges_add (TsDsaRanges *ranges, gint64 start, gint64 end);
void ts_dsa_ranges_clear (TsDsaRanges *ranges);
/* The first stretch, from number `from` on, that ends behind `at`; n: none. O(log of how far it is from there). */
guint32 ts_dsa_ranges_first_behind (const TsDsaRanges *ranges, guint32 from, gint64 at);

G_END_DECLS
