/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures text, shortens it to a room, and puts it into a scene. */
#pragma once

#include "draw/scene.h"

G_BEGIN_DECLS

/* Not thread-safe: one per thread. Keeps measured widths. */
typedef struct TsMeasurer TsMeasurer;

/* Widths of the widest family of the list, from a built-in table: the same on every machine, so that exported figures are too. */
TsMeasurer *ts_measurer_new_fixed (void);
/* Widths of the fonts of this machine, by pango. `family` NULL: TS_FONT_FAMILY. For the screen. */
TsMeasurer *ts_measurer_new_pango (const char *family);
void        ts_measurer_free (TsMeasurer *measurer);

/* Width in pixels. Broken UTF-8 counts as replacement characters. */
double      ts_measure (TsMeasurer *measurer, const char *text, float size, TsWeight weight);
/* The longest beginning that fits into `room`, with "…" when shortened; "" when not even one letter and the dots fit.
 * Free with g_free. */
char       *ts_measure_fit (TsMeasurer *measurer, const char *text, float size, TsWeight weight, double room);

/* Puts the text, shortened to `box` (0: never shortened; below 0: no room at all). Returns the width used; 0 when nothing fitted
 * and nothing was drawn. */
double      ts_put_text (TsScene *scene, TsMeasurer *measurer, double x, double baseline, double box, TsTextStyle style,
                         const char *text);
/* Puts the text only when all of it fits into `box`; returns its width or 0. */
double      ts_put_text_whole (TsScene *scene, TsMeasurer *measurer, double x, double baseline, double box, TsTextStyle style,
                               const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsMeasurer, ts_measurer_free)

G_END_DECLS
