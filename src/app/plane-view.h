/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a plane (the graph) is shown, and how large. Widgets watch it and hold no copy. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define TS_PLANE_MIN_ZOOM 0.02
#define TS_PLANE_MAX_ZOOM 4.0

#define TS_TYPE_PLANE_VIEW (ts_plane_view_get_type ())
G_DECLARE_FINAL_TYPE (TsPlaneView, ts_plane_view, TS, PLANE_VIEW, GObject)

/* Signal "moved". A new view fits everything, whatever the size, until it is moved or zoomed. */
TsPlaneView *ts_plane_view_new (void);

gboolean     ts_plane_view_get_fit (TsPlaneView *self);
void         ts_plane_view_fit (TsPlaneView *self);
/* The place that the fit came to, told by whoever draws, so that zooming goes on from there. No signal. */
void         ts_plane_view_fitted (TsPlaneView *self, double zoom, double x, double y);

double       ts_plane_view_get_zoom (TsPlaneView *self);
double       ts_plane_view_get_x (TsPlaneView *self); /* plane coordinate at the left edge */
double       ts_plane_view_get_y (TsPlaneView *self);
/* Keeps what is under the pixel (x, y) still. */
void         ts_plane_view_zoom (TsPlaneView *self, double factor, double x, double y);
void         ts_plane_view_pan (TsPlaneView *self, double dx, double dy); /* pixels */
/* Shows a box of the plane in the middle of a picture of `width` x `height` pixels, as large as it fits but at most natural
 * size. */
void         ts_plane_view_show (TsPlaneView *self, double x, double y, double w, double h, double width, double height);

G_END_DECLS
