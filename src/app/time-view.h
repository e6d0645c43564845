/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a timeline shows: visible cycles, selected range, pointer, colours. Widgets watch it and hold no copy. */
#pragma once

#include <glib-object.h>

#include "draw/timeline.h"

G_BEGIN_DECLS

typedef struct { gint64 from, to; } TsCycles; /* [from, to); from >= to: none */

#define TS_TYPE_TIME_VIEW (ts_time_view_get_type ())
G_DECLARE_FINAL_TYPE (TsTimeView, ts_time_view, TS, TIME_VIEW, GObject)

/* Signals: "moved" when the visible cycles or the colours change, "marked" when only what lies on top does. */
TsTimeView *ts_time_view_new (void);

/* The length of the schedule. The first one is fitted; later ones keep the visible cycles as far as they exist. */
void        ts_time_view_set_total (TsTimeView *self, gint64 total);
gint64      ts_time_view_get_total (TsTimeView *self);

TsCycles    ts_time_view_get_visible (TsTimeView *self);
void        ts_time_view_show (TsTimeView *self, TsCycles cycles); /* clamped */
void        ts_time_view_fit (TsTimeView *self);
/* `width` in pixels bounds the closeness: a cycle is at most 40 of them wide. */
void        ts_time_view_zoom (TsTimeView *self, double factor, gint64 anchor, double width);
void        ts_time_view_pan (TsTimeView *self, gint64 cycles);

TsCycles    ts_time_view_get_range (TsTimeView *self);
void        ts_time_view_set_range (TsTimeView *self, TsCycles range);
gint64      ts_time_view_get_cursor (TsTimeView *self); /* -1: none */
void        ts_time_view_set_cursor (TsTimeView *self, gint64 cycle);

TsColorBy   ts_time_view_get_color_by (TsTimeView *self);
void        ts_time_view_set_color_by (TsTimeView *self, TsColorBy by);
gboolean    ts_time_view_get_critical_path (TsTimeView *self);
void        ts_time_view_set_critical_path (TsTimeView *self, gboolean shown);

G_END_DECLS
