/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The printed IR of the shown snapshot. Selection goes both ways: the caret selects the operation of its line, and a selection made
 * elsewhere moves the caret and marks its lines. */
#include "app/code-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#include "app/compat.h"

/* Past this size highlighting is left off: the view stays quick with dumps of many megabytes. */
#define MAX_HIGHLIGHTED (4u * 1024u * 1024u)
/* A text view keeps its lines in memory several times over; longer texts are cut, and say so. */
#define MAX_SHOWN (48u * 1024u * 1024u)

struct _TsCodeView
{
  GtkWidget      parent_instance;
  TsDocument    *document;
  GtkTextTag    *selected;
  GtkTextTag    *faulty;
  gboolean       updating; /* the caret follows the selection, not the other way round */
  gboolean       loading;

  GtkLabel      *subtitle;
  GtkSourceView *source;
};

G_DEFINE_FINAL_TYPE (TsCodeView, ts_code_view, GTK_TYPE_WIDGET)

static GtkTextBuffer *
buffer_of (TsCodeView *self)
{
  return gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->source));
}

static const TsSnapshotText *
text_of (TsCodeView *self)
{
  TsShown *shown = self->document != NULL ? ts_document_get_shown (self->document) : NULL;

  return shown != NULL ? shown->text : NULL;
}

/* --- colours ----------------------------------------------------------------------------------------------------------------- */

static void
update_colors (TsCodeView *self)
{
  AdwStyleManager *manager = adw_style_manager_get_for_display (gtk_widget_get_display (GTK_WIDGET (self)));
  gboolean dark = adw_style_manager_get_dark (manager);
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();
  GtkSourceStyleScheme *scheme = gtk_source_style_scheme_manager_get_scheme (schemes, dark ? "Adwaita-dark" : "Adwaita");

  if (scheme != NULL)
    gtk_source_buffer_set_style_scheme (GTK_SOURCE_BUFFER (buffer_of (self)), scheme);
  g_object_set (self->selected, "paragraph-background", dark ? "#24486e" : "#cfe3f8", NULL);
  g_object_set (self->faulty, "underline", PANGO_UNDERLINE_ERROR, NULL);
}

static GtkSourceLanguage *
language_for (TsRun *run)
{
  static const char *const ids[] = { [TS_LANGUAGE_PYPTO] = "tilescope-pypto", [TS_LANGUAGE_TTIR] = "tilescope-ttir" };

  return gtk_source_language_manager_get_language (gtk_source_language_manager_get_default (), ids[ts_run_language (run)]);
}

/* --- selection --------------------------------------------------------------------------------------------------------------- */

static void
mark_lines (TsCodeView *self, guint line)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_iter_at_line (buffer_of (self), &start, (int) line - 1);
  end = start;
  gtk_text_iter_forward_line (&end);
  gtk_text_buffer_apply_tag (buffer_of (self), self->selected, &start, &end);
}

static void
place_caret (TsCodeView *self, guint line)
{
  GtkTextIter at;

  gtk_text_buffer_get_iter_at_line (buffer_of (self), &at, (int) line - 1);
  self->updating = TRUE;
  gtk_text_buffer_place_cursor (buffer_of (self), &at);
  self->updating = FALSE;
}

/* A line that can be seen is not moved. */
static void
scroll_to_caret (TsCodeView *self, gboolean centre)
{
  GtkTextMark *caret = gtk_text_buffer_get_insert (buffer_of (self));

  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->source), caret, centre ? 0.0 : 0.05, centre, 0.0, 0.5);
}

static void
on_selection_changed (TsCodeView *self)
{
  const TsSnapshotText *text = text_of (self);
  TsSelection *selection = ts_document_get_selection (self->document);
  GtkTextIter start, end;
  guint n, line = ts_code_view_get_line (self);
  const gint32 *ops = ts_selection_ops (selection, &n);
  gint32 primary = ts_selection_get (selection).op;

  gtk_text_buffer_get_bounds (buffer_of (self), &start, &end);
  gtk_text_buffer_remove_tag (buffer_of (self), self->selected, &start, &end);
  if (text == NULL)
    return;
  for (guint i = 0; i < n; i++)
    {
      const TsTextPlace *place = ts_text_place_of (text, ops[i]);

      if (place == NULL)
        continue;
      mark_lines (self, place->line);
      /* The caret may be anywhere on its operation already: then it stays. */
      if (ops[i] == primary && ts_text_op_at_line (text, line) != primary)
        {
          place_caret (self, place->line);
          scroll_to_caret (self, FALSE);
        }
    }
}

static void
on_caret_moved (TsCodeView *self)
{
  const TsSnapshotText *text = text_of (self);
  gint32 op;

  if (self->updating || self->loading || text == NULL)
    return;
  op = ts_text_op_at_line (text, ts_code_view_get_line (self));
  if (op >= 0 && !ts_selection_contains (ts_document_get_selection (self->document), op))
    ts_document_pick_op (self->document, op);
}

void
ts_code_view_reveal (TsCodeView *self)
{
  const TsSnapshotText *text = text_of (self);
  const TsTextPlace *place = NULL;

  if (text != NULL)
    place = ts_text_place_of (text, ts_selection_get (ts_document_get_selection (self->document)).op);
  if (place != NULL)
    place_caret (self, place->line);
  scroll_to_caret (self, TRUE);
}

guint
ts_code_view_get_line (TsCodeView *self)
{
  GtkTextIter at;

  gtk_text_buffer_get_iter_at_mark (buffer_of (self), &at, gtk_text_buffer_get_insert (buffer_of (self)));
  return (guint) gtk_text_iter_get_line (&at) + 1;
}

void
ts_code_view_set_line (TsCodeView *self, guint line)
{
  GtkTextIter at;

  gtk_text_buffer_get_iter_at_line (buffer_of (self), &at, (int) line - 1);
  gtk_text_buffer_place_cursor (buffer_of (self), &at);
  scroll_to_caret (self, FALSE);
}

GtkWidget *
ts_code_view_get_text_view (TsCodeView *self)
{
  return GTK_WIDGET (self->source);
}

/* --- text -------------------------------------------------------------------------------------------------------------------- */

/* Underlines the places that the diagnostics of a broken file name. */
static void
mark_faults (TsCodeView *self, const TsShown *shown)
{
  for (guint i = 0; i < ts_diag_list_length (shown->snapshot->diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (shown->snapshot->diags, i);
      GtkTextIter start, end;
      guint line;

      if (diag->source == NULL || ts_span_is_none (diag->span) || diag->severity == TS_SEVERITY_NOTE)
        continue;
      line = ts_source_line_of (diag->source, diag->span.offset);
      gtk_text_buffer_get_iter_at_line (buffer_of (self), &start, (int) line - 1);
      end = start;
      if (!gtk_text_iter_ends_line (&end))
        gtk_text_iter_forward_to_line_end (&end);
      gtk_text_buffer_apply_tag (buffer_of (self), self->faulty, &start, &end);
    }
}

static char *
shown_text (const TsSnapshotText *text)
{
  gsize length = MIN (text->length, (gsize) MAX_SHOWN);
  /* What a broken file holds is shown as it is, but a text view takes clean UTF-8 only. */
  char *clean = g_utf8_make_valid (text->text, (gssize) length);

  if (text->length > length)
    {
      char *cut = g_strdup_printf ("%s\n… %s\n", clean, _("The rest is too long to be shown."));

      g_free (clean);
      return cut;
    }
  return clean;
}

static void
on_shown_changed (TsCodeView *self)
{
  TsShown *shown = ts_document_get_shown (self->document);
  g_autofree char *text = shown->text != NULL ? shown_text (shown->text) : g_strdup ("");
  GtkSourceBuffer *buffer = GTK_SOURCE_BUFFER (buffer_of (self));

  self->loading = TRUE;
  gtk_source_buffer_set_language (buffer, strlen (text) <= MAX_HIGHLIGHTED ? language_for (shown->run) : NULL);
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (buffer), text, -1);
  self->loading = FALSE;
  if (shown->snapshot->module == NULL && shown->text != NULL)
    mark_faults (self, shown);
  gtk_label_set_text (self->subtitle, shown->snapshot->file != NULL ? shown->snapshot->file
                                      : shown->text == NULL         ? _("There is no text: the pass failed")
                                                                    : "");
  place_caret (self, 1);
  on_selection_changed (self);
}

void
ts_code_view_set_document (TsCodeView *self, TsDocument *document)
{
  g_return_if_fail (TS_IS_CODE_VIEW (self) && self->document == NULL);

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "shown-changed", G_CALLBACK (on_shown_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (ts_document_get_selection (document), "changed", G_CALLBACK (on_selection_changed), self,
                           G_CONNECT_SWAPPED);
}

/* --- class ------------------------------------------------------------------------------------------------------------------- */

static void
ts_code_view_dispose (GObject *object)
{
  TsCodeView *self = TS_CODE_VIEW (object);

  g_clear_object (&self->document);
  ts_compat_dispose_template (GTK_WIDGET (self), TS_TYPE_CODE_VIEW);
  G_OBJECT_CLASS (ts_code_view_parent_class)->dispose (object);
}

static void
ts_code_view_class_init (TsCodeViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_code_view_dispose;
  g_type_ensure (GTK_SOURCE_TYPE_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tilescope/Tilescope/ui/code-view.ui");
  gtk_widget_class_bind_template_child (widget_class, TsCodeView, subtitle);
  gtk_widget_class_bind_template_child (widget_class, TsCodeView, source);
}

static void
ts_code_view_init (TsCodeView *self)
{
  AdwStyleManager *manager = adw_style_manager_get_for_display (gtk_widget_get_display (GTK_WIDGET (self)));
  GtkTextBuffer *buffer;

  gtk_widget_init_template (GTK_WIDGET (self));
  buffer = buffer_of (self);
  self->selected = gtk_text_buffer_create_tag (buffer, NULL, NULL);
  self->faulty = gtk_text_buffer_create_tag (buffer, NULL, NULL);
  update_colors (self);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (update_colors), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (buffer, "notify::cursor-position", G_CALLBACK (on_caret_moved), self, G_CONNECT_SWAPPED);
}
