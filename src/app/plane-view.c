/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a plane (the graph) is shown, and how large. */
#include "app/plane-view.h"

#include <math.h>

struct _TsPlaneView
{
  GObject  parent_instance;
  gboolean fit;
  double   zoom, x, y;
};

enum { MOVED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsPlaneView, ts_plane_view, G_TYPE_OBJECT)

static void
ts_plane_view_class_init (TsPlaneViewClass *class)
{
  signals[MOVED] = g_signal_new ("moved", TS_TYPE_PLANE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_plane_view_init (TsPlaneView *self)
{
  self->fit = TRUE;
  self->zoom = 1.0;
}

TsPlaneView *
ts_plane_view_new (void)
{
  return g_object_new (TS_TYPE_PLANE_VIEW, NULL);
}

static void
move_to (TsPlaneView *self, double zoom, double x, double y)
{
  self->fit = FALSE;
  self->zoom = CLAMP (zoom, TS_PLANE_MIN_ZOOM, TS_PLANE_MAX_ZOOM);
  self->x = x;
  self->y = y;
  g_signal_emit (self, signals[MOVED], 0);
}

gboolean
ts_plane_view_get_fit (TsPlaneView *self)
{
  return self->fit;
}

void
ts_plane_view_fit (TsPlaneView *self)
{
  if (self->fit)
    return;
  self->fit = TRUE;
  g_signal_emit (self, signals[MOVED], 0);
}

void
ts_plane_view_fitted (TsPlaneView *self, double zoom, double x, double y)
{
  g_return_if_fail (self->fit);

  self->zoom = CLAMP (zoom, TS_PLANE_MIN_ZOOM, TS_PLANE_MAX_ZOOM);
  self->x = x;
  self->y = y;
}

double
ts_plane_view_get_zoom (TsPlaneView *self)
{
  return self->zoom;
}

double
ts_plane_view_get_x (TsPlaneView *self)
{
  return self->x;
}

double
ts_plane_view_get_y (TsPlaneView *self)
{
  return self->y;
}

void
ts_plane_view_zoom (TsPlaneView *self, double factor, double x, double y)
{
  double zoom = CLAMP (self->zoom * factor, TS_PLANE_MIN_ZOOM, TS_PLANE_MAX_ZOOM);

  if (!isfinite (zoom) || zoom == self->zoom)
    return;
  move_to (self, zoom, self->x + x / self->zoom - x / zoom, self->y + y / self->zoom - y / zoom);
}

void
ts_plane_view_pan (TsPlaneView *self, double dx, double dy)
{
  if (dx != 0 || dy != 0)
    move_to (self, self->zoom, self->x + dx / self->zoom, self->y + dy / self->zoom);
}

void
ts_plane_view_show (TsPlaneView *self, double x, double y, double w, double h, double width, double height)
{
  double zoom = MIN (1.0, MIN (width / MAX (w, 1), height / MAX (h, 1)));

  zoom = CLAMP (zoom, TS_PLANE_MIN_ZOOM, TS_PLANE_MAX_ZOOM);
  move_to (self, zoom, x + w / 2 - width / zoom / 2, y + h / 2 - height / zoom / 2);
}
