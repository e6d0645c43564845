/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decisions of a pass, one after the other. */
#include "app/step-player.h"

#include <glib/gi18n.h>

#include "app/compat.h"
#include "app/job.h"
#include "app/label.h"

/* Numbers of a list that are written out. */
#define MAX_LISTED 12u

struct _TsStepPlayer
{
  GtkWidget      parent_instance;
  TsDocument    *document;
  TsRun         *run;   /* (owned) (nullable) whose snapshot the steps are of; keeps them alive */
  guint          index;
  const TsSteps *steps; /* NULL: not recorded yet, or none */
  guint          at;
  TsJobSlot      recording;

  GtkExpander   *expander;
  GtkWidget     *back, *forward;
  GtkLabel      *position, *kind;
  GtkBox        *fields;
};

G_DEFINE_FINAL_TYPE (TsStepPlayer, ts_step_player, GTK_TYPE_WIDGET)

/* --- one step ---------------------------------------------------------------------------------------------------------------- */

static char *
value_text (const TsStepField *field)
{
  GString *text = g_string_new (NULL);

  switch (field->kind)
    {
    case TS_FIELD_INT:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, field->i);
      break;
    case TS_FIELD_BOOL:
      g_string_append (text, field->i != 0 ? _("yes") : _("no"));
      break;
    case TS_FIELD_TEXT:
      g_string_append (text, field->text != NULL && field->text[0] != '\0' ? field->text : "–");
      break;
    case TS_FIELD_INTS:
    case TS_FIELD_TEXTS:
      for (guint i = 0; i < MIN (field->n, MAX_LISTED); i++)
        if (field->kind == TS_FIELD_INTS)
          g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", field->ints[i]);
        else
          g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", field->texts[i]);
      if (field->n > MAX_LISTED)
        g_string_append (text, ", …");
      break;
    }
  return g_string_free (text, FALSE);
}

static void
add_field (TsStepPlayer *self, const TsStepField *field)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *key = ts_label_new (field->key, "key", 0), *value;
  g_autofree char *text = value_text (field);

  value = ts_label_new (text, NULL, 1);
  gtk_label_set_wrap (GTK_LABEL (key), FALSE);
  gtk_widget_set_valign (key, GTK_ALIGN_START);
  gtk_widget_set_hexpand (value, TRUE);
  gtk_label_set_justify (GTK_LABEL (value), GTK_JUSTIFY_RIGHT);
  gtk_box_append (GTK_BOX (row), key);
  gtk_box_append (GTK_BOX (row), value);
  gtk_box_append (self->fields, row);
}

static guint
n_steps (TsStepPlayer *self)
{
  return self->steps != NULL ? ts_steps_length (self->steps) : 0;
}

static void
fill (TsStepPlayer *self)
{
  guint n = n_steps (self);
  const TsStep *step = n > 0 ? ts_steps_get (self->steps, self->at) : NULL;
  g_autofree char *position = NULL, *kind = NULL;
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->fields))) != NULL)
    gtk_box_remove (self->fields, child);
  if (ts_job_is_running (&self->recording))
    position = g_strdup (_("The pass is run again…"));
  else
    position = step != NULL ? g_strdup_printf (_("%u of %u"), self->at + 1, n) : g_strdup (_("It recorded no decision."));
  gtk_label_set_text (self->position, position);
  gtk_widget_set_sensitive (self->back, step != NULL && self->at > 0);
  gtk_widget_set_sensitive (self->forward, step != NULL && self->at + 1 < n);
  if (step != NULL && step->line > 0)
    kind = g_strdup_printf (_("%s (line %u)"), step->kind, step->line);
  else
    kind = g_strdup (step != NULL ? step->kind : "");
  gtk_label_set_text (self->kind, kind);
  for (guint i = 0; step != NULL && i < step->n_fields; i++)
    add_field (self, &step->fields[i]);
}

/* What the step is about, where it can be seen now. */
static void
select_subject (TsStepPlayer *self)
{
  const TsStep *step = n_steps (self) > 0 ? ts_steps_get (self->steps, self->at) : NULL;
  TsShown *shown = ts_document_get_shown (self->document);
  g_autoptr (GArray) here = NULL;

  if (step == NULL || step->op < 0 || shown == NULL || shown->run != self->run || shown->index != self->index)
    return;
  here = ts_run_trace (self->run, self->index - 1, step->op, self->index, NULL);
  if (here->len > 0 && shown->snapshot->module != NULL)
    ts_document_pick_op (self->document, g_array_index (here, gint32, 0));
}

/* --- recording --------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsRun *run; /* (owned) */
  guint  index;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  ts_run_unref (request->run);
  g_free (request);
}

static gpointer
record_work (gpointer data, GCancellable *cancellable, GError **error)
{
  const Request *request = data;

  return (gpointer) ts_run_steps (request->run, request->index, cancellable);
}

static void
record_done (gpointer owner, gpointer result, const GError *error)
{
  TsStepPlayer *self = owner;

  self->steps = result; /* the run's */
  self->at = 0;
  fill (self);
}

static void
record (TsStepPlayer *self)
{
  Request *request;

  if (self->run == NULL || self->steps != NULL || ts_job_is_running (&self->recording)
      || !gtk_expander_get_expanded (self->expander))
    return;
  request = g_new0 (Request, 1);
  request->run = ts_run_ref (self->run);
  request->index = self->index;
  ts_job_start (&self->recording, self, record_work, request, request_free, NULL, record_done);
  fill (self);
}

/* --- document ---------------------------------------------------------------------------------------------------------------- */

static void
update (TsStepPlayer *self)
{
  TsShown *shown = ts_document_get_shown (self->document);
  gboolean recorded = shown != NULL && shown->index > 0 && shown->snapshot->info != NULL && !shown->snapshot->loaded;

  if (shown != NULL && self->run == shown->run && self->index == shown->index)
    return;
  ts_job_cancel (&self->recording);
  g_clear_pointer (&self->run, ts_run_unref);
  self->steps = NULL;
  self->at = 0;
  gtk_widget_set_visible (GTK_WIDGET (self), recorded);
  if (!recorded)
    return;
  self->run = ts_run_ref (shown->run);
  self->index = shown->index;
  fill (self);
  record (self);
}

void
ts_step_player_set_document (TsStepPlayer *self, TsDocument *document)
{
  g_return_if_fail (TS_IS_STEP_PLAYER (self) && self->document == NULL);

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "shown-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
}

void
ts_step_player_step (TsStepPlayer *self, int by)
{
  gint64 to = (gint64) self->at + by;

  if (self->run == NULL)
    return;
  if (!gtk_expander_get_expanded (self->expander))
    {
      gtk_expander_set_expanded (self->expander, TRUE);
      return;
    }
  if (n_steps (self) == 0 || to < 0 || to >= n_steps (self))
    return;
  self->at = (guint) to;
  fill (self);
  select_subject (self);
}

gboolean
ts_step_player_is_busy (TsStepPlayer *self)
{
  return ts_job_is_running (&self->recording);
}

void
ts_step_player_append_text (TsStepPlayer *self, GString *out)
{
  gboolean open = n_steps (self) > 0 && gtk_expander_get_expanded (self->expander);
  const TsStep *step = open ? ts_steps_get (self->steps, self->at) : NULL;

  if (step == NULL)
    return;
  g_string_append_printf (out, "%s: %s\n", gtk_label_get_text (self->position), gtk_label_get_text (self->kind));
  for (guint i = 0; i < step->n_fields; i++)
    {
      g_autofree char *value = value_text (&step->fields[i]);

      g_string_append_printf (out, "%s: %s\n", step->fields[i].key, value);
    }
}

/* --- class ------------------------------------------------------------------------------------------------------------------- */

static void
on_back (TsStepPlayer *self)
{
  ts_step_player_step (self, -1);
}

static void
on_forward (TsStepPlayer *self)
{
  ts_step_player_step (self, 1);
}

static void
ts_step_player_dispose (GObject *object)
{
  TsStepPlayer *self = TS_STEP_PLAYER (object);

  ts_job_cancel (&self->recording);
  self->steps = NULL;
  g_clear_pointer (&self->run, ts_run_unref);
  g_clear_object (&self->document);
  ts_compat_dispose_template (GTK_WIDGET (self), TS_TYPE_STEP_PLAYER);
  G_OBJECT_CLASS (ts_step_player_parent_class)->dispose (object);
}

static void
ts_step_player_class_init (TsStepPlayerClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_step_player_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tilescope/Tilescope/ui/step-player.ui");
  gtk_widget_class_bind_template_child (widget_class, TsStepPlayer, expander);
  gtk_widget_class_bind_template_child (widget_class, TsStepPlayer, back);
  gtk_widget_class_bind_template_child (widget_class, TsStepPlayer, forward);
  gtk_widget_class_bind_template_child (widget_class, TsStepPlayer, position);
  gtk_widget_class_bind_template_child (widget_class, TsStepPlayer, kind);
  gtk_widget_class_bind_template_child (widget_class, TsStepPlayer, fields);
  gtk_widget_class_bind_template_callback (widget_class, on_back);
  gtk_widget_class_bind_template_callback (widget_class, on_forward);
}

static void
ts_step_player_init (TsStepPlayer *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->expander, "notify::expanded", G_CALLBACK (record), self, G_CONNECT_SWAPPED);
}
