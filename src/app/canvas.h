/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Base of the drawn views: shows scenes, and turns pointer, wheel, pinch and keys into the same few verbs for all of them.
 * Two layers: the picture, kept as a render node until ts_canvas_invalidate(), and what lies on top of it and changes with the
 * pointer or the selection. */
#pragma once

#include <gtk/gtk.h>

#include "draw/scene.h"
#include "draw/text.h"
#include "draw/theme.h"

G_BEGIN_DECLS

#define TS_TYPE_CANVAS (ts_canvas_get_type ())
G_DECLARE_DERIVABLE_TYPE (TsCanvas, ts_canvas, TS, CANVAS, GtkWidget)

struct _TsCanvasClass
{
  GtkWidgetClass parent_class;

  /* Fill a scene of the widget's size. `overlay` NULL: the view has one layer only. */
  void     (*draw) (TsCanvas *self, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene);
  void     (*draw_overlay) (TsCanvas *self, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene);
  /* Closer by `factor`, keeping the pixel still; x < 0: from the keyboard, keep the selection or the middle. */
  void     (*zoom) (TsCanvas *self, double factor, double x, double y);
  /* Moves the view by pixels. Returns whether it could. */
  gboolean (*pan) (TsCanvas *self, double dx, double dy);
  void     (*fit) (TsCanvas *self, const char *what); /* "all", "selection", "range" */
  void     (*go) (TsCanvas *self, int dx, int dy);    /* selection to a neighbour */
  /* Something was clicked; `link` is NULL for empty ground. */
  void     (*pick) (TsCanvas *self, const TsLink *link, gboolean twice);
  /* Text for a tooltip; free with g_free. */
  char    *(*describe) (TsCanvas *self, const TsLink *link);
  /* The pointer is at (x, y), or has left (x < 0). */
  void     (*hover) (TsCanvas *self, double x, double y);
  /* A plain drag from one place to another; FALSE: the view has no ranges, dragging pans. */
  gboolean (*drag_range) (TsCanvas *self, double x1, double y1, double x2, double y2, gboolean snap);
};

/* The picture has to be drawn anew. Everything derived from it is dropped here and nowhere else. */
void           ts_canvas_invalidate (TsCanvas *self);
/* Only what lies on top. */
void           ts_canvas_invalidate_overlay (TsCanvas *self);
/* The scene as it is shown; drawn first when it has to be. */
const TsScene *ts_canvas_scene (TsCanvas *self);
const TsTheme *ts_canvas_theme (TsCanvas *self);
TsMeasurer    *ts_canvas_measurer (TsCanvas *self);
/* How often the lower layer was drawn: moving the pointer must not raise it. */
guint          ts_canvas_n_drawn (TsCanvas *self);
/* Whether a plain drag pans where it could also select a range. */
void           ts_canvas_set_drag_pans (TsCanvas *self, gboolean pans);
/* Name and present content for screen readers. */
void           ts_canvas_set_description (TsCanvas *self, const char *label, const char *description);

G_END_DECLS
