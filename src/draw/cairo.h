/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scene to a cairo context: PNG and PDF files, and the parts of the window that have no render node of their own. */
#pragma once

#include <cairo.h>

#include "draw/figure.h"
#include "draw/scene.h"

G_BEGIN_DECLS

/* Paints the whole scene, background included, at the context's origin. `family` NULL: TS_FONT_FAMILY. */
void     ts_scene_paint (const TsScene *scene, cairo_t *cr, const char *family);
/* Paints primitives [first, last) only, without background; clips must balance within the range. */
void     ts_scene_paint_range (const TsScene *scene, cairo_t *cr, const char *family, guint first, guint last);

/* Encoded files in memory; the caller writes them whole. `scale` is pixels per unit (1 or more). Sizes are bounded (32767 pixels a
 * side): beyond, a G_IO_ERROR names the limit. Free the bytes with g_bytes_unref. */
GBytes  *ts_scene_to_png (const TsScene *scene, const TsFigureInfo *figure, double scale, GError **error);
GBytes  *ts_scene_to_pdf (const TsScene *scene, const TsFigureInfo *figure, GError **error);

G_END_DECLS
