/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a memory map is shown, and how close. */
#include "app/map-viewport.h"

struct _TsMapViewport
{
  GObject parent_instance;
  double  closeness, left, top;
};

enum { MOVED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsMapViewport, ts_map_viewport, G_TYPE_OBJECT)

static void
ts_map_viewport_class_init (TsMapViewportClass *class)
{
  signals[MOVED] = g_signal_new ("moved", TS_TYPE_MAP_VIEWPORT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_map_viewport_init (TsMapViewport *self)
{
}

TsMapViewport *
ts_map_viewport_new (void)
{
  return g_object_new (TS_TYPE_MAP_VIEWPORT, NULL);
}

double
ts_map_viewport_get_closeness (TsMapViewport *self)
{
  return self->closeness;
}

double
ts_map_viewport_get_left (TsMapViewport *self)
{
  return self->left;
}

double
ts_map_viewport_get_top (TsMapViewport *self)
{
  return self->top;
}

void
ts_map_viewport_move (TsMapViewport *self, double closeness, double left, double top)
{
  g_return_if_fail (TS_IS_MAP_VIEWPORT (self));

  closeness = CLAMP (closeness, 0, 1);
  left = CLAMP (left, 0, 1);
  top = CLAMP (top, 0, 1);
  if (closeness == self->closeness && left == self->left && top == self->top)
    return;
  self->closeness = closeness;
  self->left = left;
  self->top = top;
  g_signal_emit (self, signals[MOVED], 0);
}
