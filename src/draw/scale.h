/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps time (cycles) and bytes to pixels, and chooses ticks. Values passed by value; all integers until the last step. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* [from, to) shown over [x, x + width). */
typedef struct
{
  gint64 from, to;
  double x, width;
} TsScale;

/* Offsets are taken from `from` before anything becomes floating point, so that far cycles do not jitter; results are
 * clamped to one width outside the view. */
double ts_scale_to_x (TsScale scale, gint64 value);
/* Value under a pixel, rounded down; saturates. */
gint64 ts_scale_to_value (TsScale scale, double x);
static inline double
ts_scale_per_unit (TsScale scale)
{
  return scale.to > scale.from ? scale.width / (double) (scale.to - scale.from) : 0.0;
}

/* Distance of ticks: the smallest of 1, 2, 5 times a power of ten (or a power of two for bytes) that keeps them `room` pixels
 * apart. Never below 1: no label repeats. */
gint64 ts_scale_step (TsScale scale, double room);
gint64 ts_scale_step_bytes (TsScale scale, double room);
/* First multiple of `step` at or after `value`. */
gint64 ts_scale_first_tick (gint64 value, gint64 step);

/* Zooms by `factor` (> 1: closer) keeping `anchor` still, within [0, total] (at least one cycle of 40 px when width is known). */
TsScale ts_scale_zoom (TsScale scale, double factor, gint64 anchor, gint64 total);
/* Moves by a number of cycles, kept within [0, total]. */
TsScale ts_scale_pan (TsScale scale, gint64 by, gint64 total);

/* Cycles as "12", "1512", "12 345" (a narrow no-break space groups five digits and more); bytes as "512 B", "1.5 KiB". */
void    ts_append_cycles (GString *out, gint64 cycles);
void    ts_append_bytes (GString *out, gint64 bytes);

G_END_DECLS
