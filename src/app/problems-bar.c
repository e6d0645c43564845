/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bar that says what is wrong or was assumed, with the list of diagnostics behind it. */
#include "app/problems-bar.h"

#include <glib/gi18n.h>

#include "app/compat.h"
#include "base/limits.h"

struct _TsProblemsBar
{
  GtkWidget        parent_instance;
  TsDocument      *document;
  TsDiagList      *diags;
  char            *dismissed; /* the summary that was closed: it does not come back by itself */
  GtkRevealer     *revealer;
  GtkBox          *bar;
  GtkImage        *icon;
  GtkLabel        *summary;
  GtkToggleButton *toggle;
  GtkListBox      *list;
};

G_DEFINE_FINAL_TYPE (TsProblemsBar, ts_problems_bar, GTK_TYPE_WIDGET)

const char *
ts_problems_bar_icon (TsSeverity severity)
{
  static const char *const icons[] = {
    [TS_SEVERITY_ERROR] = "dialog-error-symbolic",
    [TS_SEVERITY_WARNING] = "dialog-warning-symbolic",
    [TS_SEVERITY_NOTE] = "dialog-information-symbolic",
  };

  return icons[severity];
}

static const char *
severity_word (TsSeverity severity)
{
  static const char *const words[] = { [TS_SEVERITY_ERROR] = N_("Error"), [TS_SEVERITY_WARNING] = N_("Warning"),
                                       [TS_SEVERITY_NOTE] = N_("Note") };

  return _(words[severity]);
}

/* The place, the source line and the caret, without the message that heads them. */
static char *
excerpt (const TsDiag *diag)
{
  g_autoptr (GString) all = g_string_new (NULL);
  char *line_end;

  ts_diag_format (diag, all);
  line_end = strchr (all->str, '\n');
  return line_end != NULL ? g_strchomp (g_utf8_make_valid (line_end + 1, -1)) : g_strdup ("");
}

static char *
place_text (const TsDiag *diag)
{
  g_autofree char *file = NULL;
  TsPlace place;

  if (diag->source == NULL)
    return g_strdup (diag->rule);
  file = g_path_get_basename (ts_source_name (diag->source));
  if (ts_span_is_none (diag->span))
    return g_steal_pointer (&file);
  place = ts_source_place (diag->source, diag->span.offset);
  return g_strdup_printf ("%s:%u:%u", file, place.line, place.column);
}

static GtkWidget *
make_label (const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, class);
  return label;
}

static GtkWidget *
make_row (const TsDiag *diag)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *icon = gtk_image_new_from_icon_name (ts_problems_bar_icon (diag->severity));
  GtkWidget *message;
  g_autofree char *place = place_text (diag), *source = excerpt (diag);
  g_autofree char *headline = g_strdup_printf ("%s%s%s [%s]", place != NULL ? place : "", place != NULL ? ": " : "", diag->message,
                                               diag->code);

  gtk_widget_set_valign (icon, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (icon, severity_word (diag->severity));
  message = make_label (headline, "message");
  gtk_label_set_wrap (GTK_LABEL (message), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (message), PANGO_WRAP_WORD_CHAR);
  gtk_box_append (GTK_BOX (texts), message);
  if (source[0] != '\0')
    {
      GtkWidget *code = make_label (source, "source");

      gtk_label_set_ellipsize (GTK_LABEL (code), PANGO_ELLIPSIZE_END);
      gtk_box_append (GTK_BOX (texts), code);
    }
  if (diag->help != NULL)
    gtk_box_append (GTK_BOX (texts), make_label (diag->help, "dim-label"));
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_box_append (GTK_BOX (row), icon);
  gtk_box_append (GTK_BOX (row), texts);
  return row;
}

static char *
count_text (const TsDiagList *diags)
{
  guint errors = ts_diag_list_count (diags, TS_SEVERITY_ERROR), warnings = ts_diag_list_count (diags, TS_SEVERITY_WARNING);
  guint notes = ts_diag_list_count (diags, TS_SEVERITY_NOTE);
  g_autofree char *error_text = g_strdup_printf (ngettext ("%u error", "%u errors", errors), errors);
  g_autofree char *warning_text = g_strdup_printf (ngettext ("%u warning", "%u warnings", warnings), warnings);

  if (errors > 0 && warnings > 0)
    return g_strdup_printf (_("%s, %s"), error_text, warning_text);
  if (errors + warnings == 0)
    return g_strdup_printf (ngettext ("%u note", "%u notes", notes), notes);
  return g_strdup (errors > 0 ? error_text : warning_text);
}

/* What opening said, or the first of the worst diagnostics. */
static char *
summarise (TsProblemsBar *self)
{
  const GError *problem = ts_document_get_problem (self->document);
  g_autofree char *counts = count_text (self->diags);

  if (problem != NULL)
    {
      g_autofree char *name = g_filename_display_basename (ts_document_get_problem_spec (self->document));

      return g_strdup_printf (_("Cannot open %s: %s"), name, ts_document_get_problem_reason (self->document));
    }
  for (guint severity = TS_SEVERITY_ERROR; severity <= TS_SEVERITY_NOTE; severity++)
    for (guint i = 0; i < ts_diag_list_length (self->diags); i++)
      {
        const TsDiag *diag = ts_diag_list_get (self->diags, i);

        if (diag->severity == severity)
          return g_strdup_printf (_("%s: %s"), counts, diag->message);
      }
  return NULL;
}

static void
fill_list (TsProblemsBar *self)
{
  GtkWidget *child;
  guint n = MIN (ts_diag_list_length (self->diags), TS_MAX_DIAGS_PRINTED);

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->list))) != NULL)
    gtk_list_box_remove (self->list, child);
  for (guint i = 0; i < n; i++)
    gtk_list_box_append (self->list, make_row (ts_diag_list_get (self->diags, i)));
  gtk_widget_set_visible (GTK_WIDGET (self->toggle), n > 0);
}

static void
show_severity (TsProblemsBar *self, TsSeverity severity)
{
  static const char *const classes[]
      = { [TS_SEVERITY_ERROR] = "error", [TS_SEVERITY_WARNING] = "warning", [TS_SEVERITY_NOTE] = "note" };

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    gtk_widget_remove_css_class (GTK_WIDGET (self->bar), classes[i]);
  gtk_widget_add_css_class (GTK_WIDGET (self->bar), classes[severity]);
  gtk_image_set_from_icon_name (self->icon, ts_problems_bar_icon (severity));
}

static void
update (TsProblemsBar *self)
{
  g_autofree char *summary = NULL;

  g_clear_pointer (&self->diags, ts_diag_list_free);
  self->diags = ts_document_collect_diags (self->document);
  summary = summarise (self);
  fill_list (self);
  gtk_label_set_text (self->summary, summary != NULL ? summary : "");
  if (ts_document_get_problem (self->document) != NULL || ts_diag_list_has_errors (self->diags))
    show_severity (self, TS_SEVERITY_ERROR);
  else
    show_severity (self, ts_diag_list_count (self->diags, TS_SEVERITY_WARNING) > 0 ? TS_SEVERITY_WARNING : TS_SEVERITY_NOTE);
  gtk_revealer_set_reveal_child (self->revealer, summary != NULL && g_strcmp0 (summary, self->dismissed) != 0);
}

static void
on_dismiss (TsProblemsBar *self)
{
  g_free (self->dismissed);
  self->dismissed = g_strdup (gtk_label_get_text (self->summary));
  gtk_revealer_set_reveal_child (self->revealer, FALSE);
}

/* A diagnostic that names an operation selects it. */
static void
on_row_activated (TsProblemsBar *self, GtkListBoxRow *row)
{
  const TsDiag *diag = ts_diag_list_get (self->diags, (guint) gtk_list_box_row_get_index (row));

  if (diag->op >= 0)
    ts_document_pick_op (self->document, diag->op);
}

void
ts_problems_bar_set_document (TsProblemsBar *self, TsDocument *document)
{
  g_return_if_fail (TS_IS_PROBLEMS_BAR (self) && self->document == NULL);

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "shown-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "problem-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
}

gboolean
ts_problems_bar_is_shown (TsProblemsBar *self)
{
  return gtk_revealer_get_reveal_child (self->revealer);
}

const char *
ts_problems_bar_get_summary (TsProblemsBar *self)
{
  return gtk_label_get_text (self->summary);
}

guint
ts_problems_bar_n_rows (TsProblemsBar *self)
{
  return self->diags != NULL ? MIN (ts_diag_list_length (self->diags), TS_MAX_DIAGS_PRINTED) : 0;
}

void
ts_problems_bar_show_list (TsProblemsBar *self, gboolean shown)
{
  gtk_toggle_button_set_active (self->toggle, shown);
}

static void
ts_problems_bar_dispose (GObject *object)
{
  g_clear_object (&TS_PROBLEMS_BAR (object)->document);
  ts_compat_dispose_template (GTK_WIDGET (object), TS_TYPE_PROBLEMS_BAR);
  G_OBJECT_CLASS (ts_problems_bar_parent_class)->dispose (object);
}

static void
ts_problems_bar_finalize (GObject *object)
{
  TsProblemsBar *self = TS_PROBLEMS_BAR (object);

  g_clear_pointer (&self->diags, ts_diag_list_free);
  g_free (self->dismissed);
  G_OBJECT_CLASS (ts_problems_bar_parent_class)->finalize (object);
}

static void
ts_problems_bar_class_init (TsProblemsBarClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_problems_bar_dispose;
  G_OBJECT_CLASS (class)->finalize = ts_problems_bar_finalize;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tilescope/Tilescope/ui/problems-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, TsProblemsBar, revealer);
  gtk_widget_class_bind_template_child (widget_class, TsProblemsBar, bar);
  gtk_widget_class_bind_template_child (widget_class, TsProblemsBar, icon);
  gtk_widget_class_bind_template_child (widget_class, TsProblemsBar, summary);
  gtk_widget_class_bind_template_child (widget_class, TsProblemsBar, toggle);
  gtk_widget_class_bind_template_child (widget_class, TsProblemsBar, list);
  gtk_widget_class_bind_template_callback (widget_class, on_dismiss);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
}

static void
ts_problems_bar_init (TsProblemsBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
