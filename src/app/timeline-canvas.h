/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timeline as a widget. */
#pragma once

#include "app/canvas.h"
#include "app/document.h"
#include "app/time-view.h"

G_BEGIN_DECLS

#define TS_TYPE_TIMELINE_CANVAS (ts_timeline_canvas_get_type ())
G_DECLARE_FINAL_TYPE (TsTimelineCanvas, ts_timeline_canvas, TS, TIMELINE_CANVAS, TsCanvas)

/* Watches the document; call once, before it is shown. */
void        ts_timeline_canvas_set_document (TsTimelineCanvas *self, TsDocument *document);
TsTimeView *ts_timeline_canvas_get_view (TsTimelineCanvas *self);

/* The picture for a file: everything, or only the cycles that are seen. `width` in pixels. Free with ts_scene_free; NULL when there
 * is no timeline. */
TsScene    *ts_timeline_canvas_figure (TsTimelineCanvas *self, double width, gboolean visible_only, TsMeasurer *measurer);

G_END_DECLS
