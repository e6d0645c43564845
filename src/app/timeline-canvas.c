/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timeline as a widget: scenes of draw/timeline.h for the cycles that the time view says. */
#include "app/timeline-canvas.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/job.h"
#include "draw/pictures.h"

/* Room left and right of what "fit selection" shows, as a share of it. */
#define FIT_MARGIN 0.15
#define LANE_HEIGHT 30.0
/* A timeline of more events is not built a second time to say since which pass each wait is there: the inspector says it of one. */
#define MAX_EVENTS_SINCE 200000u

struct _TsTimelineCanvas
{
  TsCanvas    parent_instance;
  TsDocument *document;
  TsTimeView *view;
  TsTimeline *timeline; /* of what is shown; NULL: there is none */
  TsJobSlot   asking;   /* since which passes its waits are there */
};

G_DEFINE_FINAL_TYPE (TsTimelineCanvas, ts_timeline_canvas, TS_TYPE_CANVAS)

/* --- the view as draw/timeline.h wants it ------------------------------------------------------------------------------------ */

static TsTimelineView
view_for (TsTimelineCanvas *self, guint parts, double width)
{
  TsCycles visible = ts_time_view_get_visible (self->view), range = ts_time_view_get_range (self->view);
  TsPick pick = self->document != NULL ? ts_selection_get (ts_document_get_selection (self->document)) : TS_PICK_NONE;
  TsTimelineView view;

  ts_timeline_view_init (&view);
  view.parts = parts;
  view.width = width;
  view.lane_height = LANE_HEIGHT;
  view.from = visible.from;
  view.to = visible.to;
  view.color_by = ts_time_view_get_color_by (self->view);
  view.critical_path = ts_time_view_get_critical_path (self->view);
  view.selected_op = pick.op;
  view.selected_event = pick.event;
  view.hops = 1;
  view.range_from = range.from;
  view.range_to = range.to;
  view.cursor = ts_time_view_get_cursor (self->view);
  return view;
}

static TsTimelineView
window_view (TsTimelineCanvas *self, guint parts)
{
  return view_for (self, parts, gtk_widget_get_width (GTK_WIDGET (self)));
}

static TsTimelineGeometry
geometry (TsTimelineCanvas *self)
{
  TsTimelineView view = window_view (self, TS_TIMELINE_WINDOW);

  return ts_timeline_geometry (self->timeline, &view, ts_canvas_measurer (TS_CANVAS (self)));
}

static gint64
cycle_at (TsTimelineCanvas *self, double x)
{
  return ts_scale_to_value (geometry (self).axis, x);
}

static void
ts_timeline_canvas_draw (TsCanvas *canvas, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);
  TsTimelineView view = window_view (self, TS_TIMELINE_WINDOW & ~TS_TIMELINE_OVERLAY);

  if (self->timeline == NULL)
    return;
  ts_timeline_scene (self->timeline, &view, theme, measurer, scene);
}

static void
ts_timeline_canvas_draw_overlay (TsCanvas *canvas, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);
  TsTimelineView view = window_view (self, TS_TIMELINE_OVERLAY);

  if (self->timeline == NULL)
    return;
  /* Everything has the place it has in the picture below. */
  view.room_for = TS_TIMELINE_WINDOW;
  ts_timeline_scene (self->timeline, &view, theme, measurer, scene);
}

TsScene *
ts_timeline_canvas_figure (TsTimelineCanvas *self, double width, gboolean visible_only, TsMeasurer *measurer)
{
  TsTimelineView view = view_for (self, TS_TIMELINE_FIGURE | TS_TIMELINE_OVERLAY, width);
  TsScene *scene;

  if (self->timeline == NULL)
    return NULL;
  if (!visible_only)
    view.from = view.to = 0;
  view.cursor = -1;
  scene = ts_scene_new (width, 0, TS_COLOR_NONE);
  ts_timeline_scene (self->timeline, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  return scene;
}

/* --- verbs ------------------------------------------------------------------------------------------------------------------- */

/* Cycles of the selected bar, or of all bars of the selected operation's first visible event. FALSE when nothing is selected. */
static gboolean
selected_cycles (TsTimelineCanvas *self, TsCycles *cycles)
{
  TsPick pick = ts_selection_get (ts_document_get_selection (self->document));
  const TsTimelineEvent *event;
  gint32 id = pick.event;

  if (self->timeline == NULL || pick.op < 0)
    return FALSE;
  if (id < 0)
    id = ts_timeline_event_of_op (self->timeline, pick.op, ts_time_view_get_visible (self->view).from);
  if (id < 0)
    id = ts_timeline_event_of_op (self->timeline, pick.op, 0);
  if (id < 0)
    return FALSE;
  event = ts_timeline_event (self->timeline, id);
  *cycles = pick.gap ? (TsCycles) { event->idle_from, event->start } : (TsCycles) { event->start, event->end };
  return TRUE;
}

static void
ts_timeline_canvas_zoom (TsCanvas *canvas, double factor, double x, double y)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);
  TsCycles visible = ts_time_view_get_visible (self->view), selected;
  gint64 anchor = visible.from + (visible.to - visible.from) / 2;
  TsScale axis;

  if (self->timeline == NULL || !isfinite (factor) || factor <= 0)
    return;
  axis = geometry (self).axis;
  if (x >= 0)
    anchor = ts_scale_to_value (axis, MAX (x, axis.x));
  else if (selected_cycles (self, &selected) && selected.from < visible.to && selected.to > visible.from)
    anchor = selected.from + (selected.to - selected.from) / 2;
  ts_time_view_zoom (self->view, factor, anchor, axis.width);
}

static gboolean
ts_timeline_canvas_pan (TsCanvas *canvas, double dx, double dy)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);
  TsScale axis;
  gint64 cycles;

  if (self->timeline == NULL || dx == 0)
    return FALSE; /* up and down belongs to the scrolled window around */
  axis = geometry (self).axis;
  if (axis.width <= 0)
    return FALSE;
  cycles = (gint64) llround (dx * (double) (axis.to - axis.from) / axis.width);
  ts_time_view_pan (self->view, cycles != 0 ? cycles : dx > 0 ? 1 : -1);
  return TRUE;
}

static void
show_with_margin (TsTimelineCanvas *self, TsCycles cycles)
{
  gint64 margin = MAX ((gint64) ((double) (cycles.to - cycles.from) * FIT_MARGIN), 1);

  ts_time_view_show (self->view, (TsCycles) { cycles.from - margin, cycles.to + margin });
}

static void
ts_timeline_canvas_fit (TsCanvas *canvas, const char *what)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);
  TsCycles range = ts_time_view_get_range (self->view), selected;

  if (g_str_equal (what, "all"))
    ts_time_view_fit (self->view);
  else if (g_str_equal (what, "range") && range.from < range.to)
    ts_time_view_show (self->view, range);
  else if (g_str_equal (what, "selection") && selected_cycles (self, &selected))
    show_with_margin (self, selected);
}

/* The event the keys start from: the selected one, or the first one of the selected operation that can be seen. */
static gint32
current_event (TsTimelineCanvas *self)
{
  TsPick pick = ts_selection_get (ts_document_get_selection (self->document));

  if (pick.event >= 0 || pick.op < 0)
    return pick.event;
  return ts_timeline_event_of_op (self->timeline, pick.op, ts_time_view_get_visible (self->view).from);
}

static void
pick_event (TsTimelineCanvas *self, gint32 event)
{
  ts_document_pick (self->document, (TsPick) { ts_timeline_event (self->timeline, event)->op, event, FALSE });
}

static void
ts_timeline_canvas_go (TsCanvas *canvas, int dx, int dy)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);
  gint32 current, found = -1;
  const TsTimelineEvent *event;

  if (self->timeline == NULL || ts_timeline_n_events (self->timeline) == 0)
    return;
  current = current_event (self);
  if (current < 0)
    {
      pick_event (self, 0);
      return;
    }
  event = ts_timeline_event (self->timeline, current);
  if (dx != 0)
    found = ts_timeline_neighbour (self->timeline, current, dx);
  /* Up and down: the next lane that is busy at this time. */
  for (int lane = event->lane + dy, n = (int) ts_timeline_n_lanes (self->timeline);
       dy != 0 && found < 0 && lane >= 0 && lane < n; lane += dy)
    found = ts_timeline_event_at (self->timeline, (guint) lane, event->start);
  if (found >= 0)
    pick_event (self, found);
}

static void
ts_timeline_canvas_pick (TsCanvas *canvas, const TsLink *link, gboolean twice)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);

  if (self->document == NULL)
    return;
  if (link == NULL || link->kind == TS_LINK_RULER)
    {
      ts_time_view_set_range (self->view, (TsCycles) { 0, 0 });
      ts_selection_clear (ts_document_get_selection (self->document));
      return;
    }
  switch (link->kind)
    {
    case TS_LINK_EVENT:
    case TS_LINK_GAP:
      ts_document_pick (self->document, (TsPick) { ts_timeline_event (self->timeline, link->event)->op, link->event,
                                                   link->kind == TS_LINK_GAP });
      break;
    case TS_LINK_LOOP:
      ts_document_pick_op (self->document, link->op);
      break;
    case TS_LINK_DENSE:
      if (twice)
        show_with_margin (self, (TsCycles) { link->from, link->to });
      return;
    default:
      return;
    }
  if (twice && link->to > link->from)
    {
      if (link->kind == TS_LINK_GAP)
        ts_time_view_set_range (self->view, (TsCycles) { link->from, link->to });
      else
        show_with_margin (self, (TsCycles) { link->from, link->to });
    }
}

static char *
ts_timeline_canvas_describe (TsCanvas *canvas, const TsLink *link)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);

  return self->timeline != NULL ? ts_timeline_describe (self->timeline, link) : NULL;
}

static void
ts_timeline_canvas_hover (TsCanvas *canvas, double x, double y)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);
  TsScale axis;

  if (self->timeline == NULL)
    return;
  axis = geometry (self).axis;
  ts_time_view_set_cursor (self->view, x >= axis.x && x < axis.x + axis.width ? ts_scale_to_value (axis, x) : -1);
}

static gboolean
ts_timeline_canvas_drag_range (TsCanvas *canvas, double x1, double y1, double x2, double y2, gboolean snap)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (canvas);
  const TsMark *mark = ts_scene_hit (ts_canvas_scene (canvas), x1, y1, 4.0);
  gint lane = mark != NULL ? mark->link.lane : -1;
  gint64 a, b;

  if (self->timeline == NULL)
    return FALSE;
  a = cycle_at (self, MIN (x1, x2));
  b = cycle_at (self, MAX (x1, x2)) + 1;
  if (snap)
    {
      a = ts_timeline_nearest_edge (self->timeline, lane, a);
      b = ts_timeline_nearest_edge (self->timeline, lane, b);
    }
  ts_time_view_set_range (self->view, (TsCycles) { MAX (a, 0), MIN (b, ts_time_view_get_total (self->view)) });
  return TRUE;
}

static void
range_from_selection (GtkWidget *widget, const char *name, GVariant *target)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (widget);
  TsCycles selected;

  if (selected_cycles (self, &selected))
    ts_time_view_set_range (self->view, selected);
}

/* --- document ---------------------------------------------------------------------------------------------------------------- */

static void
describe_for_readers (TsTimelineCanvas *self)
{
  g_autofree char *text = NULL;
  gint32 event = self->timeline != NULL ? ts_selection_get (ts_document_get_selection (self->document)).event : -1;

  if (event >= 0)
    {
      TsLink link = TS_LINK_INIT;

      link.kind = TS_LINK_EVENT;
      link.event = event;
      text = ts_timeline_describe (self->timeline, &link);
    }
  ts_canvas_set_description (TS_CANVAS (self), _("Timeline"), text);
}

static void
on_selection_changed (TsTimelineCanvas *self)
{
  describe_for_readers (self);
  ts_canvas_invalidate_overlay (TS_CANVAS (self));
}

/* --- since which pass -------------------------------------------------------------------------------------------------------- */

static gpointer
since_work (gpointer data, GCancellable *cancellable, GError **error)
{
  const TsShown *shown = data;
  TsTimeline *timeline = ts_picture_timeline (shown->run, shown->index, shown->simulation, TRUE, cancellable);

  if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    return timeline;
  g_clear_pointer (&timeline, ts_timeline_unref);
  return NULL;
}

/* The same events under the same numbers; only what they wait through has got longer names. */
static void
since_done (gpointer owner, gpointer result, const GError *error)
{
  TsTimelineCanvas *self = owner;

  if (result == NULL)
    return;
  g_clear_pointer (&self->timeline, ts_timeline_unref);
  self->timeline = result;
  ts_canvas_invalidate (TS_CANVAS (self));
  describe_for_readers (self);
}

static void
ask_since (TsTimelineCanvas *self, TsShown *shown)
{
  ts_job_cancel (&self->asking);
  if (shown->timeline != NULL && ts_timeline_n_events (shown->timeline) <= MAX_EVENTS_SINCE)
    ts_job_start (&self->asking, self, since_work, ts_shown_ref (shown), (GDestroyNotify) ts_shown_unref,
                  (GDestroyNotify) ts_timeline_unref, since_done);
}

static void
on_shown_changed (TsTimelineCanvas *self)
{
  TsShown *shown = ts_document_get_shown (self->document);

  ask_since (self, shown);
  g_clear_pointer (&self->timeline, ts_timeline_unref);
  if (shown->timeline != NULL)
    {
      self->timeline = ts_timeline_ref (shown->timeline);
      ts_time_view_set_total (self->view, ts_timeline_makespan (self->timeline));
    }
  gtk_widget_queue_resize (GTK_WIDGET (self));
  ts_canvas_invalidate (TS_CANVAS (self));
  describe_for_readers (self);
}

void
ts_timeline_canvas_set_document (TsTimelineCanvas *self, TsDocument *document)
{
  g_return_if_fail (TS_IS_TIMELINE_CANVAS (self) && self->document == NULL);

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "shown-changed", G_CALLBACK (on_shown_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (ts_document_get_selection (document), "changed", G_CALLBACK (on_selection_changed), self,
                           G_CONNECT_SWAPPED);
}

TsTimeView *
ts_timeline_canvas_get_view (TsTimelineCanvas *self)
{
  return self->view;
}

/* --- class ------------------------------------------------------------------------------------------------------------------- */

static void
ts_timeline_canvas_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                            int *minimum_baseline, int *natural_baseline)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (widget);

  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 240 : 120;
  if (orientation == GTK_ORIENTATION_VERTICAL && self->timeline != NULL)
    *minimum = *natural = (int) ceil (geometry (self).height);
}

static void
ts_timeline_canvas_dispose (GObject *object)
{
  TsTimelineCanvas *self = TS_TIMELINE_CANVAS (object);

  ts_job_cancel (&self->asking);
  g_clear_object (&self->document);
  g_clear_object (&self->view);
  g_clear_pointer (&self->timeline, ts_timeline_unref);
  G_OBJECT_CLASS (ts_timeline_canvas_parent_class)->dispose (object);
}

static void
ts_timeline_canvas_class_init (TsTimelineCanvasClass *class)
{
  TsCanvasClass *canvas_class = TS_CANVAS_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_timeline_canvas_dispose;
  widget_class->measure = ts_timeline_canvas_measure;
  canvas_class->draw = ts_timeline_canvas_draw;
  canvas_class->draw_overlay = ts_timeline_canvas_draw_overlay;
  canvas_class->zoom = ts_timeline_canvas_zoom;
  canvas_class->pan = ts_timeline_canvas_pan;
  canvas_class->fit = ts_timeline_canvas_fit;
  canvas_class->go = ts_timeline_canvas_go;
  canvas_class->pick = ts_timeline_canvas_pick;
  canvas_class->describe = ts_timeline_canvas_describe;
  canvas_class->hover = ts_timeline_canvas_hover;
  canvas_class->drag_range = ts_timeline_canvas_drag_range;
  gtk_widget_class_install_action (widget_class, "canvas.range-from-selection", NULL, range_from_selection);
}

static void
ts_timeline_canvas_init (TsTimelineCanvas *self)
{
  self->view = ts_time_view_new ();
  g_signal_connect_object (self->view, "moved", G_CALLBACK (ts_canvas_invalidate), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "marked", G_CALLBACK (ts_canvas_invalidate_overlay), self, G_CONNECT_SWAPPED);
  ts_canvas_set_description (TS_CANVAS (self), _("Timeline"), NULL);
}
