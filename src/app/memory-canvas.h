/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map as a widget. */
#pragma once

#include "app/canvas.h"
#include "app/document.h"
#include "app/map-viewport.h"
#include "draw/memory-map.h"

G_BEGIN_DECLS

#define TS_TYPE_MEMORY_CANVAS (ts_memory_canvas_get_type ())
G_DECLARE_FINAL_TYPE (TsMemoryCanvas, ts_memory_canvas, TS, MEMORY_CANVAS, TsCanvas)

/* Watches the document; call once, before it is shown. */
void                  ts_memory_canvas_set_document (TsMemoryCanvas *self, TsDocument *document);
TsMapViewport         *ts_memory_canvas_get_view (TsMemoryCanvas *self);
/* What the selection is in the map. */
const TsMapHighlight *ts_memory_canvas_highlights (TsMemoryCanvas *self, guint *n);
/* Box of a tile in the widget, as it is drawn now. */
void                  ts_memory_canvas_tile_box (TsMemoryCanvas *self, guint32 tile, double *x, double *y, double *w, double *h);

/* The whole map for a file, titled. Free with ts_scene_free; NULL when there is no map. */
TsScene              *ts_memory_canvas_figure (TsMemoryCanvas *self, double width, TsMeasurer *measurer);

G_END_DECLS
