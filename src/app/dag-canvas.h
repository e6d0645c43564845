/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependency graph as a widget. */
#pragma once

#include "app/canvas.h"
#include "app/document.h"
#include "app/plane-view.h"

G_BEGIN_DECLS

#define TS_TYPE_DAG_CANVAS (ts_dag_canvas_get_type ())
G_DECLARE_FINAL_TYPE (TsDagCanvas, ts_dag_canvas, TS, DAG_CANVAS, TsCanvas)

/* Watches the document; call once, before it is shown. */
void         ts_dag_canvas_set_document (TsDagCanvas *self, TsDocument *document);
TsPlaneView *ts_dag_canvas_get_view (TsDagCanvas *self);

/* The whole graph for a file, titled. Free with ts_scene_free; NULL when there is no graph. */
TsScene     *ts_dag_canvas_figure (TsDagCanvas *self, TsMeasurer *measurer);

G_END_DECLS
