/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a timeline shows: visible cycles, selected range, pointer, colours. */
#include "app/time-view.h"

struct _TsTimeView
{
  GObject   parent_instance;
  gint64    total;
  TsCycles  visible;
  TsCycles  range;
  gint64    cursor;
  TsColorBy color_by;
  gboolean  critical_path;
};

enum { MOVED, MARKED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsTimeView, ts_time_view, G_TYPE_OBJECT)

static void
ts_time_view_class_init (TsTimeViewClass *class)
{
  signals[MOVED] = g_signal_new ("moved", TS_TYPE_TIME_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MARKED] = g_signal_new ("marked", TS_TYPE_TIME_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_time_view_init (TsTimeView *self)
{
  self->cursor = -1;
}

TsTimeView *
ts_time_view_new (void)
{
  return g_object_new (TS_TYPE_TIME_VIEW, NULL);
}

void
ts_time_view_set_total (TsTimeView *self, gint64 total)
{
  gboolean all = self->visible.from == 0 && self->visible.to == self->total;

  g_return_if_fail (TS_IS_TIME_VIEW (self));

  total = MAX (total, 1);
  if (total == self->total)
    return;
  self->total = total;
  if (all || self->visible.to <= self->visible.from)
    self->visible = (TsCycles) { 0, total };
  else
    {
      gint64 span = MIN (self->visible.to - self->visible.from, total);

      self->visible.from = CLAMP (self->visible.from, 0, total - span);
      self->visible.to = self->visible.from + span;
    }
  g_signal_emit (self, signals[MOVED], 0);
}

gint64
ts_time_view_get_total (TsTimeView *self)
{
  return self->total;
}

TsCycles
ts_time_view_get_visible (TsTimeView *self)
{
  return self->visible;
}

void
ts_time_view_show (TsTimeView *self, TsCycles cycles)
{
  g_return_if_fail (TS_IS_TIME_VIEW (self));

  cycles.from = CLAMP (cycles.from, 0, MAX (self->total - 1, 0));
  cycles.to = CLAMP (cycles.to, cycles.from + 1, MAX (self->total, cycles.from + 1));
  if (cycles.from == self->visible.from && cycles.to == self->visible.to)
    return;
  self->visible = cycles;
  g_signal_emit (self, signals[MOVED], 0);
}

void
ts_time_view_fit (TsTimeView *self)
{
  ts_time_view_show (self, (TsCycles) { 0, self->total });
}

void
ts_time_view_zoom (TsTimeView *self, double factor, gint64 anchor, double width)
{
  TsScale scale = { self->visible.from, self->visible.to, 0, width };

  scale = ts_scale_zoom (scale, factor, anchor, self->total);
  ts_time_view_show (self, (TsCycles) { scale.from, scale.to });
}

void
ts_time_view_pan (TsTimeView *self, gint64 cycles)
{
  TsScale scale = { self->visible.from, self->visible.to, 0, 1 };

  scale = ts_scale_pan (scale, cycles, self->total);
  ts_time_view_show (self, (TsCycles) { scale.from, scale.to });
}

TsCycles
ts_time_view_get_range (TsTimeView *self)
{
  return self->range;
}

void
ts_time_view_set_range (TsTimeView *self, TsCycles range)
{
  if (range.from >= range.to)
    range = (TsCycles) { 0, 0 };
  if (range.from == self->range.from && range.to == self->range.to)
    return;
  self->range = range;
  g_signal_emit (self, signals[MARKED], 0);
}

gint64
ts_time_view_get_cursor (TsTimeView *self)
{
  return self->cursor;
}

void
ts_time_view_set_cursor (TsTimeView *self, gint64 cycle)
{
  if (cycle == self->cursor)
    return;
  self->cursor = cycle;
  g_signal_emit (self, signals[MARKED], 0);
}

TsColorBy
ts_time_view_get_color_by (TsTimeView *self)
{
  return self->color_by;
}

void
ts_time_view_set_color_by (TsTimeView *self, TsColorBy by)
{
  if (by == self->color_by)
    return;
  self->color_by = by;
  g_signal_emit (self, signals[MOVED], 0);
}

gboolean
ts_time_view_get_critical_path (TsTimeView *self)
{
  return self->critical_path;
}

void
ts_time_view_set_critical_path (TsTimeView *self, gboolean shown)
{
  if (!shown == !self->critical_path)
    return;
  self->critical_path = shown;
  g_signal_emit (self, signals[MARKED], 0);
}
