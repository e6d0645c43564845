/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map as a widget: scenes of draw/memory-map.h for the part that the view says, and on top of them what the selection is
 * there. Since which pass stages share bytes takes a walk over earlier snapshots and is added when it is known. */
#include "app/memory-canvas.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/facts.h"
#include "app/job.h"
#include "draw/picture-charts.h"

/* Pixels of height from which a legend has room. */
#define LEGEND_FROM 240.0
/* Share of the picture that "fit selection" fills at most. */
#define FIT_SHARE 0.7
#define FIT_STEPS 40
/* Operations of a selection whose buffers are marked. */
#define MAX_MARKED_OPS 64u

struct _TsMemoryCanvas
{
  TsCanvas        parent_instance;
  TsDocument     *document;
  TsMapViewport   *view;
  TsShown        *shown;  /* (owned) (nullable) */
  TsPictureNotes *notes;  /* of what is shown; NULL: not known yet, or nothing to know */
  TsJobSlot       asking;
  GArray         *highlights; /* TsMapHighlight */
  double          pointer_x, pointer_y;
};

G_DEFINE_FINAL_TYPE (TsMemoryCanvas, ts_memory_canvas, TS_TYPE_CANVAS)

/* --- the view as draw/memory-map.h wants it ---------------------------------------------------------------------------------- */

static gboolean
get_input (TsMemoryCanvas *self, TsMapInput *input)
{
  if (self->shown == NULL || self->shown->map == NULL)
    return FALSE;
  *input = self->shown->map->input;
  if (self->notes != NULL)
    {
      input->notes = (const char *const *) self->notes->since;
      input->rules = (const char *const *) self->notes->rules;
    }
  return TRUE;
}

/* Without zoom and cursor. */
static TsMapView
whole_view (TsMemoryCanvas *self)
{
  TsMapView view;

  ts_map_view_init (&view);
  view.width = gtk_widget_get_width (GTK_WIDGET (self));
  view.height = gtk_widget_get_height (GTK_WIDGET (self));
  view.header = view.titles = FALSE;
  view.legend = view.height >= LEGEND_FROM;
  return view;
}

static TsMapView
window_view (TsMemoryCanvas *self, const TsMapInput *input)
{
  TsMapView view = whole_view (self);
  double closeness = ts_map_viewport_get_closeness (self->view), most_x, most_y;

  if (closeness > 0)
    {
      ts_map_most_zoom (input, &view, ts_canvas_measurer (TS_CANVAS (self)), &most_x, &most_y);
      view.zoom_x = pow (most_x, closeness);
      view.zoom_y = pow (most_y, closeness);
      view.left = ts_map_viewport_get_left (self->view);
      view.top = ts_map_viewport_get_top (self->view);
    }
  return view;
}

static void
ts_memory_canvas_draw (TsCanvas *canvas, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (canvas);
  TsMapInput input;
  TsMapView view;

  if (!get_input (self, &input))
    return;
  view = window_view (self, &input);
  ts_map_scene (&input, &view, theme, measurer, scene);
}

static void
ts_memory_canvas_draw_overlay (TsCanvas *canvas, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (canvas);
  TsMapInput input;
  TsMapView view;

  if (!get_input (self, &input))
    return;
  view = window_view (self, &input);
  view.highlights = (const TsMapHighlight *) (gpointer) self->highlights->data;
  view.n_highlights = self->highlights->len;
  if (self->pointer_x >= 0)
    view.cursor = ts_map_position_at (&input, &view, ts_canvas_measurer (TS_CANVAS (self)), self->pointer_y);
  ts_map_overlay (&input, &view, theme, measurer, scene);
}

TsScene *
ts_memory_canvas_figure (TsMemoryCanvas *self, double width, TsMeasurer *measurer)
{
  TsMapInput input;
  TsMapView view;
  TsScene *scene;

  if (!get_input (self, &input))
    return NULL;
  ts_map_view_init (&view);
  view.width = width;
  view.highlights = (const TsMapHighlight *) (gpointer) self->highlights->data;
  view.n_highlights = self->highlights->len;
  scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  ts_map_scene (&input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  return scene;
}

/* --- the selection in the map ------------------------------------------------------------------------------------------------ */

static void
add_highlight (TsMemoryCanvas *self, TsMapHighlightKind kind, gboolean whole_buffer, gsize index)
{
  TsMapHighlight highlight = { kind, whole_buffer, (guint32) index };

  for (guint i = 0; i < self->highlights->len; i++)
    {
      const TsMapHighlight *other = &g_array_index (self->highlights, TsMapHighlight, i);

      if (other->whole_buffer == whole_buffer && other->index == highlight.index)
        return;
    }
  g_array_append_val (self->highlights, highlight);
}

/* Carried values and results of control flow are no tiles of their own: their buffer is marked. */
static void
add_value (TsMemoryCanvas *self, TsMapHighlightKind kind, const TsValue *value)
{
  const TsMemoryFacts *facts = self->shown->map->input.facts;
  const TsMemoryTile *tile = ts_memory_facts_tile (facts, value);
  const TsMemoryBuffer *buffer = tile == NULL ? ts_memory_facts_buffer (facts, value) : NULL;

  if (tile != NULL)
    add_highlight (self, kind, FALSE, (gsize) (tile - facts->tiles));
  else if (buffer != NULL)
    add_highlight (self, kind, TRUE, (gsize) (buffer - facts->buffers));
}

static void
add_op (TsMemoryCanvas *self, const TsOp *op)
{
  for (guint i = 0; op != NULL && i < op->n_results; i++)
    add_value (self, TS_MAP_DEFINED, op->results[i]);
  for (guint i = 0; op != NULL && i < op->n_operands; i++)
    if (ts_expr_as_value (op->operands[i]) != NULL)
      add_value (self, TS_MAP_READ, ts_expr_as_value (op->operands[i]));
}

/* The buffer through which the selected event waited. */
static void
add_blamed (TsMemoryCanvas *self, gint32 event)
{
  const TsMemoryFacts *facts = self->shown->map->input.facts;
  const TsBuffer *waited = ts_facts_blamed_buffer (self->shown, event);

  for (guint b = 0; waited != NULL && b < facts->n_buffers; b++)
    if (facts->buffers[b].space == waited->space && g_strcmp0 (facts->buffers[b].name, waited->base) == 0)
      add_highlight (self, TS_MAP_BLAMED, TRUE, b);
}

static void
find_highlights (TsMemoryCanvas *self)
{
  TsSelection *selection = ts_document_get_selection (self->document);
  TsPick pick = ts_selection_get (selection);
  const gint32 *ops;
  guint n;

  g_array_set_size (self->highlights, 0);
  if (self->shown == NULL || self->shown->map == NULL)
    return;
  ops = ts_selection_ops (selection, &n);
  for (guint i = 0; i < MIN (n, MAX_MARKED_OPS); i++)
    add_op (self, ts_shown_op (self->shown, ops[i]));
  add_blamed (self, pick.event);
}

/* The tile that the keys start from: the first that the selection makes or reads; -1: none. */
static gint64
current_tile (TsMemoryCanvas *self)
{
  for (guint i = 0; i < self->highlights->len; i++)
    if (!g_array_index (self->highlights, TsMapHighlight, i).whole_buffer)
      return g_array_index (self->highlights, TsMapHighlight, i).index;
  return -1;
}

const TsMapHighlight *
ts_memory_canvas_highlights (TsMemoryCanvas *self, guint *n)
{
  *n = self->highlights->len;
  return (const TsMapHighlight *) (gpointer) self->highlights->data;
}

void
ts_memory_canvas_tile_box (TsMemoryCanvas *self, guint32 tile, double *x, double *y, double *w, double *h)
{
  TsMapInput input;
  TsMapView view;

  *x = *y = *w = *h = 0;
  if (!get_input (self, &input))
    return;
  view = window_view (self, &input);
  ts_map_tile_box (&input, &view, ts_canvas_measurer (TS_CANVAS (self)), tile, x, y, w, h);
}

/* Around all that is marked, in a view; FALSE: nothing is. */
static gboolean
marked_box (TsMemoryCanvas *self, const TsMapInput *input, const TsMapView *view, double *x, double *y, double *w, double *h)
{
  double x1 = G_MAXDOUBLE, y1 = G_MAXDOUBLE, x2 = -G_MAXDOUBLE, y2 = -G_MAXDOUBLE;

  for (guint i = 0; i < self->highlights->len; i++)
    {
      const TsMapHighlight *highlight = &g_array_index (self->highlights, TsMapHighlight, i);

      if (highlight->whole_buffer)
        ts_map_buffer_box (input, view, ts_canvas_measurer (TS_CANVAS (self)), highlight->index, x, y, w, h);
      else
        ts_map_tile_box (input, view, ts_canvas_measurer (TS_CANVAS (self)), highlight->index, x, y, w, h);
      x1 = MIN (x1, *x);
      y1 = MIN (y1, *y);
      x2 = MAX (x2, *x + *w);
      y2 = MAX (y2, *y + *h);
    }
  *x = x1;
  *y = y1;
  *w = x2 - x1;
  *h = y2 - y1;
  return self->highlights->len > 0;
}

/* --- verbs ------------------------------------------------------------------------------------------------------------------- */

/* Moves so that the place (fx, fy), in shares of the whole map, stands at (px, py), in shares of the picture. */
static void
move_to (TsMemoryCanvas *self, const TsMapInput *input, double closeness, double fx, double fy, double px, double py)
{
  TsMapView view = whole_view (self);
  double most_x, most_y, zoom_x, zoom_y;

  closeness = CLAMP (closeness, 0, 1);
  ts_map_most_zoom (input, &view, ts_canvas_measurer (TS_CANVAS (self)), &most_x, &most_y);
  zoom_x = pow (most_x, closeness);
  zoom_y = pow (most_y, closeness);
  ts_map_viewport_move (self->view, closeness, CLAMP (fx - px / zoom_x, 0, 1 - 1 / zoom_x),
                       CLAMP (fy - py / zoom_y, 0, 1 - 1 / zoom_y));
}

static void
ts_memory_canvas_zoom (TsCanvas *canvas, double factor, double x, double y)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (canvas);
  TsMapInput input;
  TsMapView view;
  double ax, ay, aw, ah, most_x, most_y, bx, by, bw, bh, px, py, most;

  if (!get_input (self, &input) || !isfinite (factor) || factor <= 0)
    return;
  view = window_view (self, &input);
  ts_map_area (&input, &view, ts_canvas_measurer (TS_CANVAS (self)), &ax, &ay, &aw, &ah);
  ts_map_most_zoom (&input, &view, ts_canvas_measurer (TS_CANVAS (self)), &most_x, &most_y);
  most = MAX (most_x, most_y);
  if (most <= 1)
    return;
  if (x < 0)
    {
      x = ax + aw / 2;
      y = ay + ah / 2;
      if (marked_box (self, &input, &view, &bx, &by, &bw, &bh) && bx + bw / 2 >= ax && bx + bw / 2 <= ax + aw && by + bh / 2 >= ay
          && by + bh / 2 <= ay + ah)
        {
          x = bx + bw / 2;
          y = by + bh / 2;
        }
    }
  px = CLAMP ((x - ax) / aw, 0, 1);
  py = CLAMP ((y - ay) / ah, 0, 1);
  /* The axis that grows most grows by the factor. */
  move_to (self, &input, ts_map_viewport_get_closeness (self->view) + log (factor) / log (most), view.left + px / view.zoom_x,
           view.top + py / view.zoom_y, px, py);
}

static gboolean
ts_memory_canvas_pan (TsCanvas *canvas, double dx, double dy)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (canvas);
  TsMapInput input;
  TsMapView view;
  double ax, ay, aw, ah;

  if (!get_input (self, &input) || ts_map_viewport_get_closeness (self->view) <= 0)
    return FALSE; /* everything is seen */
  view = window_view (self, &input);
  ts_map_area (&input, &view, ts_canvas_measurer (TS_CANVAS (self)), &ax, &ay, &aw, &ah);
  ts_map_viewport_move (self->view, ts_map_viewport_get_closeness (self->view),
                       CLAMP (view.left + dx / (aw * view.zoom_x), 0, 1 - 1 / view.zoom_x),
                       CLAMP (view.top + dy / (ah * view.zoom_y), 0, 1 - 1 / view.zoom_y));
  return TRUE;
}

/* As close as what is marked has room, in the middle. */
static void
fit_selection (TsMemoryCanvas *self, const TsMapInput *input)
{
  TsMapView view = whole_view (self);
  double ax, ay, aw, ah, x, y, w, h, most_x, most_y, closeness = 0;

  if (!marked_box (self, input, &view, &x, &y, &w, &h))
    return;
  ts_map_area (input, &view, ts_canvas_measurer (TS_CANVAS (self)), &ax, &ay, &aw, &ah);
  ts_map_most_zoom (input, &view, ts_canvas_measurer (TS_CANVAS (self)), &most_x, &most_y);
  for (guint k = 0; k <= FIT_STEPS; k++)
    {
      double at = k / (double) FIT_STEPS;

      if (w * pow (most_x, at) <= aw * FIT_SHARE && h * pow (most_y, at) <= ah * FIT_SHARE)
        closeness = at;
    }
  move_to (self, input, closeness, (x + w / 2 - ax) / aw, (y + h / 2 - ay) / ah, 0.5, 0.5);
}

static void
ts_memory_canvas_fit (TsCanvas *canvas, const char *what)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (canvas);
  TsMapInput input;

  if (!get_input (self, &input))
    return;
  if (g_str_equal (what, "all"))
    ts_map_viewport_move (self->view, 0, 0, 0);
  else if (g_str_equal (what, "selection"))
    fit_selection (self, &input);
}

static void
pick_tile (TsMemoryCanvas *self, gint64 tile)
{
  const TsMemoryFacts *facts = self->shown->map->input.facts;

  if (tile >= 0 && tile < facts->n_tiles && facts->tiles[tile].op >= 0)
    ts_document_pick_op (self->document, facts->tiles[tile].op);
}

static void
ts_memory_canvas_go (TsCanvas *canvas, int dx, int dy)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (canvas);
  gint64 tile = current_tile (self);
  TsMapInput input;

  if (!get_input (self, &input))
    return;
  pick_tile (self, tile >= 0 ? ts_map_neighbour (&input, (guint32) tile, dx, dy) : 0);
}

/* What a link of the scene is: where tiles are merged, the one under the pointer. */
static TsLink
resolve (TsMemoryCanvas *self, const TsLink *link)
{
  TsLink found = *link;
  TsMapInput input;
  TsMapView view;
  gint64 tile;

  if (link->kind != TS_LINK_DENSE || !get_input (self, &input))
    return found;
  view = window_view (self, &input);
  tile = ts_map_tile_at (&input, &view, ts_canvas_measurer (TS_CANVAS (self)), self->pointer_x, self->pointer_y);
  if (tile >= 0)
    {
      found.kind = TS_LINK_BUFFER;
      found.count = (gint32) tile;
    }
  return found;
}

static void
ts_memory_canvas_pick (TsCanvas *canvas, const TsLink *link, gboolean twice)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (canvas);
  TsLink found;

  if (self->document == NULL)
    return;
  if (link == NULL || link->kind == TS_LINK_SPACE)
    {
      ts_selection_clear (ts_document_get_selection (self->document));
      return;
    }
  found = resolve (self, link);
  if (found.kind == TS_LINK_BUFFER)
    pick_tile (self, found.count);
  if (twice)
    ts_memory_canvas_fit (canvas, "selection");
}

static char *
ts_memory_canvas_describe (TsCanvas *canvas, const TsLink *link)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (canvas);
  TsLink found = resolve (self, link);
  TsMapInput input;

  return get_input (self, &input) ? ts_map_describe (&input, &found) : NULL;
}

static void
ts_memory_canvas_hover (TsCanvas *canvas, double x, double y)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (canvas);

  self->pointer_x = x;
  self->pointer_y = y;
  ts_canvas_invalidate_overlay (canvas);
}

/* --- since which pass -------------------------------------------------------------------------------------------------------- */

static gpointer
notes_work (gpointer data, GCancellable *cancellable, GError **error)
{
  const TsShown *shown = data;
  TsPictureNotes *notes = ts_picture_notes (shown->run, shown->index, shown->map->input.facts, cancellable);

  if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    return notes;
  ts_picture_notes_free (notes);
  return NULL;
}

static void
notes_done (gpointer owner, gpointer result, const GError *error)
{
  TsMemoryCanvas *self = owner;

  g_clear_pointer (&self->notes, ts_picture_notes_free);
  self->notes = result;
  ts_canvas_invalidate (TS_CANVAS (self));
}

static void
ask_notes (TsMemoryCanvas *self)
{
  ts_job_cancel (&self->asking);
  g_clear_pointer (&self->notes, ts_picture_notes_free);
  if (self->shown->map != NULL && self->shown->map->input.facts->n_collapses > 0)
    ts_job_start (&self->asking, self, notes_work, ts_shown_ref (self->shown), ts_shown_unref,
                  (GDestroyNotify) ts_picture_notes_free, notes_done);
}

/* --- document ---------------------------------------------------------------------------------------------------------------- */

static void
describe_for_readers (TsMemoryCanvas *self)
{
  gint64 tile = current_tile (self);
  g_autofree char *text = NULL;
  TsMapInput input;

  if (tile >= 0 && get_input (self, &input))
    {
      TsLink link = TS_LINK_INIT;

      link.kind = TS_LINK_BUFFER;
      link.count = (gint32) tile;
      text = ts_map_describe (&input, &link);
    }
  ts_canvas_set_description (TS_CANVAS (self), _("Memory map"), text);
}

static void
on_selection_changed (TsMemoryCanvas *self)
{
  find_highlights (self);
  describe_for_readers (self);
  ts_canvas_invalidate_overlay (TS_CANVAS (self));
}

static void
on_shown_changed (TsMemoryCanvas *self)
{
  TsShown *shown = ts_document_get_shown (self->document);

  /* From pass to pass the place stays; another run is another map. */
  if (self->shown != NULL && self->shown->run != shown->run)
    ts_map_viewport_move (self->view, 0, 0, 0);
  g_clear_pointer (&self->shown, ts_shown_unref);
  self->shown = ts_shown_ref (shown);
  ask_notes (self);
  find_highlights (self);
  ts_canvas_invalidate (TS_CANVAS (self));
  describe_for_readers (self);
}

void
ts_memory_canvas_set_document (TsMemoryCanvas *self, TsDocument *document)
{
  g_return_if_fail (TS_IS_MEMORY_CANVAS (self) && self->document == NULL);

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "shown-changed", G_CALLBACK (on_shown_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (ts_document_get_selection (document), "changed", G_CALLBACK (on_selection_changed), self,
                           G_CONNECT_SWAPPED);
}

TsMapViewport *
ts_memory_canvas_get_view (TsMemoryCanvas *self)
{
  return self->view;
}

/* --- class ------------------------------------------------------------------------------------------------------------------- */

static void
ts_memory_canvas_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                          int *minimum_baseline, int *natural_baseline)
{
  *minimum = 80;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 400 : 280;
}

static void
ts_memory_canvas_dispose (GObject *object)
{
  TsMemoryCanvas *self = TS_MEMORY_CANVAS (object);

  ts_job_cancel (&self->asking);
  g_clear_object (&self->document);
  g_clear_object (&self->view);
  g_clear_pointer (&self->shown, ts_shown_unref);
  g_clear_pointer (&self->notes, ts_picture_notes_free);
  G_OBJECT_CLASS (ts_memory_canvas_parent_class)->dispose (object);
}

static void
ts_memory_canvas_finalize (GObject *object)
{
  g_array_unref (TS_MEMORY_CANVAS (object)->highlights);
  G_OBJECT_CLASS (ts_memory_canvas_parent_class)->finalize (object);
}

static void
ts_memory_canvas_class_init (TsMemoryCanvasClass *class)
{
  TsCanvasClass *canvas_class = TS_CANVAS_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_memory_canvas_dispose;
  G_OBJECT_CLASS (class)->finalize = ts_memory_canvas_finalize;
  GTK_WIDGET_CLASS (class)->measure = ts_memory_canvas_measure;
  canvas_class->draw = ts_memory_canvas_draw;
  canvas_class->draw_overlay = ts_memory_canvas_draw_overlay;
  canvas_class->zoom = ts_memory_canvas_zoom;
  canvas_class->pan = ts_memory_canvas_pan;
  canvas_class->fit = ts_memory_canvas_fit;
  canvas_class->go = ts_memory_canvas_go;
  canvas_class->pick = ts_memory_canvas_pick;
  canvas_class->describe = ts_memory_canvas_describe;
  canvas_class->hover = ts_memory_canvas_hover;
}

static void
ts_memory_canvas_init (TsMemoryCanvas *self)
{
  self->view = ts_map_viewport_new ();
  self->highlights = g_array_new (FALSE, FALSE, sizeof (TsMapHighlight));
  self->pointer_x = self->pointer_y = -1;
  g_signal_connect_object (self->view, "moved", G_CALLBACK (ts_canvas_invalidate), self, G_CONNECT_SWAPPED);
  ts_canvas_set_description (TS_CANVAS (self), _("Memory map"), NULL);
}
