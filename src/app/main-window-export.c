/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of what is shown. */
#include <glib/gi18n.h>

#include "app/compat.h"
#include "app/main-window-private.h"
#include "base/file.h"
#include "draw/cairo.h"
#include "draw/pictures.h"
#include "draw/svg.h"

/* Width of an exported timeline, and pixels per unit of a PNG: sharp in print and on dense screens. */
#define FIGURE_WIDTH 1180.0
#define PNG_SCALE 2.0

static GBytes *
svg_bytes (const TsScene *scene, const TsFigureInfo *figure, GError **error)
{
  GString *text = g_string_new (NULL);

  ts_svg_append (scene, figure, text);
  return g_string_free_to_bytes (text);
}

static GBytes *
png_bytes (const TsScene *scene, const TsFigureInfo *figure, GError **error)
{
  return ts_scene_to_png (scene, figure, PNG_SCALE, error);
}

static const struct
{
  const char *extension;
  GBytes   *(*encode) (const TsScene *scene, const TsFigureInfo *figure, GError **error);
} formats[] = {
  { ".svg", svg_bytes },
  { ".png", png_bytes },
  { ".pdf", ts_scene_to_pdf },
};

static TsScene *
make_scene (TsMainWindow *self, TsFigureOf what, TsMeasurer *measurer)
{
  if (what == TS_FIGURE_OF_GRAPH)
    return ts_dag_canvas_figure (self->dag, measurer);
  if (what == TS_FIGURE_OF_MEMORY)
    return ts_memory_canvas_figure (self->memory, FIGURE_WIDTH, measurer);
  return ts_timeline_canvas_figure (self->timeline, FIGURE_WIDTH, TRUE, measurer);
}

/* Names of the views, as `export --view` of the command line knows them. */
static const char *
figure_name (TsFigureOf what)
{
  static const char *const names[] = { [TS_FIGURE_OF_TIMELINE] = "timeline", [TS_FIGURE_OF_GRAPH] = "dag",
                                       [TS_FIGURE_OF_MEMORY] = "memory" };

  return names[what];
}

static TsFigureInfo *
make_figure (TsMainWindow *self, TsFigureOf what)
{
  TsShown *shown = ts_document_get_shown (self->document);
  TsFigureInfo *figure = ts_picture_figure (shown->run, shown->index, shown->function, figure_name (what));

  if (what == TS_FIGURE_OF_TIMELINE)
    {
      TsTimeView *view = ts_timeline_canvas_get_view (self->timeline);
      TsCycles visible = ts_time_view_get_visible (view);
      g_autofree char *range = g_strdup_printf ("%" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, visible.from, visible.to);

      ts_figure_add (figure, TS_FIGURE_RANGE, range);
      ts_figure_add (figure, TS_FIGURE_COLOR_BY, ts_color_by_name (ts_time_view_get_color_by (view)));
    }
  return figure;
}

gboolean
ts_main_window_export (TsMainWindow *self, TsFigureOf what, const char *path, GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = make_scene (self, what, measurer);
  g_autoptr (TsFigureInfo) figure = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize length;
  const char *data;

  g_return_val_if_fail (TS_IS_MAIN_WINDOW (self), FALSE);

  if (scene == NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("there is no picture to export"));
      return FALSE;
    }
  figure = make_figure (self, what);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_has_suffix (lower, formats[i].extension))
      {
        bytes = formats[i].encode (scene, figure, error);
        if (bytes == NULL)
          return FALSE;
      }
  if (bytes == NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, _("a figure is an .svg, .png or .pdf file"));
      return FALSE;
    }
  data = g_bytes_get_data (bytes, &length);
  return ts_file_write (path, data, length, error);
}

/* What is exported: the drawing that has the focus, else the timeline, else the first that is seen and there. */
static TsFigureOf
what_is_meant (TsMainWindow *self)
{
  static const TsFigureOf figures[TS_N_VIEWS] = { [TS_VIEW_GRAPH] = TS_FIGURE_OF_GRAPH, [TS_VIEW_TIMELINE] = TS_FIGURE_OF_TIMELINE,
                                                  [TS_VIEW_MEMORY] = TS_FIGURE_OF_MEMORY };
  static const TsViewKind order[] = { TS_VIEW_TIMELINE, TS_VIEW_GRAPH, TS_VIEW_MEMORY };
  TsShown *shown = ts_document_get_shown (self->document);
  gboolean there[TS_N_VIEWS] = { [TS_VIEW_GRAPH] = shown->dag != NULL, [TS_VIEW_TIMELINE] = shown->timeline != NULL,
                                 [TS_VIEW_MEMORY] = shown->map != NULL };
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (self));

  for (TsViewKind view = 0; view < TS_N_VIEWS; view++)
    if (there[view] && focus == GTK_WIDGET (ts_main_window_canvas (self, view)))
      return figures[view];
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (there[order[i]] && ts_main_window_sees_view (self, order[i]))
      return figures[order[i]];
  return shown->timeline != NULL ? TS_FIGURE_OF_TIMELINE : shown->dag != NULL ? TS_FIGURE_OF_GRAPH : TS_FIGURE_OF_MEMORY;
}

static void
on_chosen (GtkWindow *window, GFile *file, gpointer data)
{
  TsMainWindow *self = TS_MAIN_WINDOW (window);
  TsFigureOf what = GPOINTER_TO_INT (data);
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autofree char *base = file != NULL ? g_file_get_basename (file) : NULL;
  g_autofree char *message = NULL;
  g_autoptr (GError) error = NULL;

  if (file == NULL || ts_document_get_shown (self->document) == NULL)
    return;
  if (path != NULL && strrchr (base, '.') == NULL)
    {
      char *with_extension = g_strconcat (path, ".svg", NULL);

      g_free (path);
      path = with_extension;
    }
  if (path == NULL)
    message = g_strdup (_("Figures can only be written to this computer"));
  else if (ts_main_window_export (self, what, path, &error))
    message = g_strdup_printf (_("Wrote %s"), base);
  else
    message = g_strdup_printf (_("Not exported: %s"), error->message);
  ts_main_window_tell (self, message);
}

void
ts_main_window_ask_export (TsMainWindow *self)
{
  static const char *const svg[] = { "*.svg", NULL }, *const png[] = { "*.png", NULL }, *const pdf[] = { "*.pdf", NULL };
  const TsFileKind kinds[] = { { _("Scalable drawing (SVG)"), svg }, { _("Picture (PNG)"), png }, { _("Document (PDF)"), pdf } };
  TsShown *shown = ts_document_get_shown (self->document);
  g_autofree char *name = NULL;
  TsFigureOf what;

  if (shown == NULL)
    return;
  what = what_is_meant (self);
  name = g_strdup_printf ("%s-%s.svg", ts_input_title (ts_run_input (shown->run)), figure_name (what));
  ts_compat_choose_file (GTK_WINDOW (self), TS_CHOOSE_SAVE, _("Export a Figure"), name, kinds, G_N_ELEMENTS (kinds), on_chosen,
                         GINT_TO_POINTER (what));
}
