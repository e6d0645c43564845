/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a memory map is shown, and how close. Widgets watch it and hold no copy. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define TS_TYPE_MAP_VIEWPORT (ts_map_viewport_get_type ())
G_DECLARE_FINAL_TYPE (TsMapViewport, ts_map_viewport, TS, MAP_VIEWPORT, GObject)

/* Signal "moved". A new view shows everything. */
TsMapViewport *ts_map_viewport_new (void);

/* 0: everything is seen; 1: as close as it goes. Both axes go from one to the other together, each at its own rate: a kernel of
 * 10 000 rows and ten buffers grows a hundred times as fast downwards as across. */
double        ts_map_viewport_get_closeness (TsMapViewport *self);
double        ts_map_viewport_get_left (TsMapViewport *self); /* share of the map left of what is shown */
double        ts_map_viewport_get_top (TsMapViewport *self);
void          ts_map_viewport_move (TsMapViewport *self, double closeness, double left, double top);

G_END_DECLS
