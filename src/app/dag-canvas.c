/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependency graph as a widget: scenes of draw/dag.h for the part of the plane that the view says. */
#include "app/dag-canvas.h"

#include <glib/gi18n.h>
#include <math.h>

#include "draw/pictures.h"

/* Room around what "fit selection" shows, in graph units. */
#define FIT_MARGIN 120.0

struct _TsDagCanvas
{
  TsCanvas     parent_instance;
  TsDocument  *document;
  TsPlaneView *view;
  TsDag       *dag; /* of what is shown; NULL: there is none */
};

G_DEFINE_FINAL_TYPE (TsDagCanvas, ts_dag_canvas, TS_TYPE_CANVAS)

static TsDagView
view_for (TsDagCanvas *self)
{
  TsPick pick = self->document != NULL ? ts_selection_get (ts_document_get_selection (self->document)) : TS_PICK_NONE;
  TsDagView view;

  ts_dag_view_init (&view);
  view.selected_op = pick.op;
  return view;
}

/* Where everything is seen: what ts_dag_scene() does with `fit`, told to the view so that zooming goes on from there. */
static void
apply_fit (TsDagCanvas *self, double width, double height)
{
  double w, h, zoom;

  ts_dag_size (self->dag, &w, &h);
  zoom = MIN (1.0, MIN ((width - 2 * TS_DAG_MARGIN) / MAX (w, 1), (height - 2 * TS_DAG_MARGIN) / MAX (h, 1)));
  zoom = MAX (zoom, TS_PLANE_MIN_ZOOM);
  ts_plane_view_fitted (self->view, zoom, w / 2 - width / zoom / 2, h / 2 - height / zoom / 2);
}

static void
ts_dag_canvas_draw (TsCanvas *canvas, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  TsDagCanvas *self = TS_DAG_CANVAS (canvas);
  TsDagView view = view_for (self);

  if (self->dag == NULL)
    return;
  view.width = scene->width;
  view.height = scene->height;
  if (ts_plane_view_get_fit (self->view))
    apply_fit (self, view.width, view.height);
  view.zoom = ts_plane_view_get_zoom (self->view);
  /* The scene keeps a margin at its top left; ours starts at the edge. */
  view.pan_x = ts_plane_view_get_x (self->view) + TS_DAG_MARGIN / view.zoom;
  view.pan_y = ts_plane_view_get_y (self->view) + TS_DAG_MARGIN / view.zoom;
  ts_dag_scene (self->dag, &view, theme, measurer, scene);
}

TsScene *
ts_dag_canvas_figure (TsDagCanvas *self, TsMeasurer *measurer)
{
  TsShown *shown = self->document != NULL ? ts_document_get_shown (self->document) : NULL;
  TsDagView view = view_for (self);
  g_autofree char *subtitle = NULL;
  TsScene *scene;

  if (self->dag == NULL || shown == NULL)
    return NULL;
  subtitle = ts_picture_subtitle (shown->run, shown->index, shown->function, NULL);
  view.titles = TRUE;
  view.legend = TRUE;
  view.title = ts_input_title (ts_run_input (shown->run));
  view.subtitle = subtitle;
  scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  ts_dag_scene (self->dag, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  return scene;
}

/* --- verbs ------------------------------------------------------------------------------------------------------------------- */

static void
ts_dag_canvas_zoom (TsCanvas *canvas, double factor, double x, double y)
{
  TsDagCanvas *self = TS_DAG_CANVAS (canvas);
  TsPick pick = ts_selection_get (ts_document_get_selection (self->document));
  double bx, by, bw, bh, zoom = ts_plane_view_get_zoom (self->view);
  double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));

  if (self->dag == NULL)
    return;
  if (x < 0)
    {
      x = width / 2;
      y = height / 2;
      if (pick.op >= 0 && ts_dag_node_box (self->dag, pick.op, &bx, &by, &bw, &bh))
        {
          double px = (bx + bw / 2 - ts_plane_view_get_x (self->view)) * zoom;
          double py = (by + bh / 2 - ts_plane_view_get_y (self->view)) * zoom;

          if (px >= 0 && px <= width && py >= 0 && py <= height)
            {
              x = px;
              y = py;
            }
        }
    }
  ts_plane_view_zoom (self->view, factor, x, y);
}

static gboolean
ts_dag_canvas_pan (TsCanvas *canvas, double dx, double dy)
{
  TsDagCanvas *self = TS_DAG_CANVAS (canvas);

  if (self->dag == NULL)
    return FALSE;
  ts_plane_view_pan (self->view, dx, dy);
  return TRUE;
}

static void
ts_dag_canvas_fit (TsCanvas *canvas, const char *what)
{
  TsDagCanvas *self = TS_DAG_CANVAS (canvas);
  TsPick pick = ts_selection_get (ts_document_get_selection (self->document));
  double x, y, w, h;

  if (self->dag == NULL)
    return;
  if (g_str_equal (what, "all"))
    ts_plane_view_fit (self->view);
  else if (g_str_equal (what, "selection") && pick.op >= 0 && ts_dag_node_box (self->dag, pick.op, &x, &y, &w, &h))
    ts_plane_view_show (self->view, x - FIT_MARGIN, y - FIT_MARGIN, w + 2 * FIT_MARGIN, h + 2 * FIT_MARGIN,
                        gtk_widget_get_width (GTK_WIDGET (self)), gtk_widget_get_height (GTK_WIDGET (self)));
}

static void
ts_dag_canvas_go (TsCanvas *canvas, int dx, int dy)
{
  TsDagCanvas *self = TS_DAG_CANVAS (canvas);
  TsPick pick = ts_selection_get (ts_document_get_selection (self->document));
  gint32 next = -1;

  if (self->dag == NULL)
    return;
  if (pick.op >= 0)
    next = ts_dag_neighbour (self->dag, pick.op, dx, dy);
  else
    for (guint i = 1; next < 0 && i < ts_canvas_scene (canvas)->n_marks; i++)
      if (ts_canvas_scene (canvas)->marks[i].link.kind == TS_LINK_NODE)
        next = ts_canvas_scene (canvas)->marks[i].link.op;
  if (next >= 0)
    ts_document_pick_op (self->document, next);
}

static void
ts_dag_canvas_pick (TsCanvas *canvas, const TsLink *link, gboolean twice)
{
  TsDagCanvas *self = TS_DAG_CANVAS (canvas);

  if (self->document == NULL)
    return;
  if (link == NULL || link->op < 0)
    {
      if (link == NULL)
        ts_selection_clear (ts_document_get_selection (self->document));
      return;
    }
  /* An edge leads to the end that waits. */
  ts_document_pick_op (self->document, link->kind == TS_LINK_EDGE ? link->other : link->op);
  if (twice)
    ts_dag_canvas_fit (canvas, "selection");
}

static char *
ts_dag_canvas_describe (TsCanvas *canvas, const TsLink *link)
{
  TsDagCanvas *self = TS_DAG_CANVAS (canvas);

  return self->dag != NULL ? ts_dag_describe (self->dag, link) : NULL;
}

/* --- document ---------------------------------------------------------------------------------------------------------------- */

static void
describe_for_readers (TsDagCanvas *self)
{
  TsPick pick = ts_selection_get (ts_document_get_selection (self->document));
  g_autofree char *text = NULL;

  if (pick.op >= 0 && self->dag != NULL)
    {
      TsLink link = TS_LINK_INIT;

      link.kind = TS_LINK_NODE;
      link.op = pick.op;
      text = ts_dag_describe (self->dag, &link);
    }
  ts_canvas_set_description (TS_CANVAS (self), _("Dependency graph"), text);
}

static void
on_selection_changed (TsDagCanvas *self)
{
  describe_for_readers (self);
  ts_canvas_invalidate (TS_CANVAS (self));
}

static void
on_shown_changed (TsDagCanvas *self)
{
  TsShown *shown = ts_document_get_shown (self->document);

  g_clear_pointer (&self->dag, ts_dag_unref);
  if (shown->dag != NULL)
    self->dag = ts_dag_ref (shown->dag);
  ts_canvas_invalidate (TS_CANVAS (self));
  describe_for_readers (self);
}

void
ts_dag_canvas_set_document (TsDagCanvas *self, TsDocument *document)
{
  g_return_if_fail (TS_IS_DAG_CANVAS (self) && self->document == NULL);

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "shown-changed", G_CALLBACK (on_shown_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (ts_document_get_selection (document), "changed", G_CALLBACK (on_selection_changed), self,
                           G_CONNECT_SWAPPED);
}

TsPlaneView *
ts_dag_canvas_get_view (TsDagCanvas *self)
{
  return self->view;
}

/* --- class ------------------------------------------------------------------------------------------------------------------- */

static void
ts_dag_canvas_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  *minimum = 80;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 400 : 280;
}

static void
ts_dag_canvas_dispose (GObject *object)
{
  TsDagCanvas *self = TS_DAG_CANVAS (object);

  g_clear_object (&self->document);
  g_clear_object (&self->view);
  g_clear_pointer (&self->dag, ts_dag_unref);
  G_OBJECT_CLASS (ts_dag_canvas_parent_class)->dispose (object);
}

static void
ts_dag_canvas_class_init (TsDagCanvasClass *class)
{
  TsCanvasClass *canvas_class = TS_CANVAS_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_dag_canvas_dispose;
  GTK_WIDGET_CLASS (class)->measure = ts_dag_canvas_measure;
  canvas_class->draw = ts_dag_canvas_draw;
  canvas_class->zoom = ts_dag_canvas_zoom;
  canvas_class->pan = ts_dag_canvas_pan;
  canvas_class->fit = ts_dag_canvas_fit;
  canvas_class->go = ts_dag_canvas_go;
  canvas_class->pick = ts_dag_canvas_pick;
  canvas_class->describe = ts_dag_canvas_describe;
}

static void
ts_dag_canvas_init (TsDagCanvas *self)
{
  self->view = ts_plane_view_new ();
  g_signal_connect_object (self->view, "moved", G_CALLBACK (ts_canvas_invalidate), self, G_CONNECT_SWAPPED);
  ts_canvas_set_description (TS_CANVAS (self), _("Dependency graph"), NULL);
}
