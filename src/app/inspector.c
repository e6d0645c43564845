/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel with everything known about the selection. The facts come from facts.c; which pass made two operations share a buffer
 * takes a walk over earlier snapshots and is added when it is known. */
#include "app/inspector.h"

#include <glib/gi18n.h>

#include "app/compat.h"
#include "app/facts.h"
#include "app/job.h"
#include "app/label.h"
#include "app/step-player.h"
#include "app/why-not.h"
#include "draw/picture-charts.h"

struct _TsInspector
{
  GtkWidget   parent_instance;
  TsDocument *document;
  GPtrArray  *shown_facts; /* TsFact */
  TsJobSlot   asking;
  GtkBox     *facts;
  TsWhyNot   *why_not;
  TsStepPlayer *steps;
};

G_DEFINE_FINAL_TYPE (TsInspector, ts_inspector, GTK_TYPE_WIDGET)

/* --- rows -------------------------------------------------------------------------------------------------------------------- */

static void
on_link (GtkButton *button, TsInspector *self)
{
  ts_document_pick_op (self->document, GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "op")));
}

/* Text that selects what it speaks of. */
static GtkWidget *
make_link (TsInspector *self, const TsFact *fact)
{
  GtkWidget *button = gtk_button_new (), *label = ts_label_new (fact->text, NULL, 1);

  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_RIGHT);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "fact-link");
  gtk_widget_set_tooltip_text (button, _("Select it"));
  gtk_widget_set_hexpand (button, TRUE);
  gtk_widget_set_halign (button, GTK_ALIGN_END);
  g_object_set_data (G_OBJECT (button), "op", GINT_TO_POINTER (fact->op));
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_link), self, 0);
  return button;
}

static GtkWidget *
make_row (TsInspector *self, const TsFact *fact)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *key = ts_label_new (fact->key, "key", 0);
  GtkWidget *value = fact->op >= 0 ? make_link (self, fact) : ts_label_new (fact->text, NULL, 1);

  gtk_label_set_wrap (GTK_LABEL (key), FALSE);
  gtk_widget_set_valign (key, GTK_ALIGN_START);
  gtk_widget_set_hexpand (value, TRUE);
  if (GTK_IS_LABEL (value))
    gtk_label_set_justify (GTK_LABEL (value), GTK_JUSTIFY_RIGHT);
  gtk_box_append (GTK_BOX (row), key);
  gtk_box_append (GTK_BOX (row), value);
  return row;
}

static GtkWidget *
make_fact (TsInspector *self, const TsFact *fact)
{
  switch (fact->kind)
    {
    case TS_FACT_HEADING:
      return ts_label_new (fact->text, "heading", 0);
    case TS_FACT_SENTENCE:
      return ts_label_new (fact->text, NULL, 0);
    default:
      return make_row (self, fact);
    }
}

static void
fill (TsInspector *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->facts))) != NULL)
    gtk_box_remove (self->facts, child);
  for (guint i = 0; self->shown_facts != NULL && i < self->shown_facts->len; i++)
    gtk_box_append (self->facts, make_fact (self, g_ptr_array_index (self->shown_facts, i)));
}

/* --- since which pass -------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsShown *shown; /* (owned) */
  gint32   op, on;
  char    *buffer;
} SinceRequest;

static void
since_request_free (gpointer data)
{
  SinceRequest *request = data;

  ts_shown_unref (request->shown);
  g_free (request->buffer);
  g_free (request);
}

static gpointer
since_work (gpointer data, GCancellable *cancellable, GError **error)
{
  SinceRequest *request = data;
  guint since = 0;
  g_autofree char *rule = NULL;
  g_autofree char *pass = ts_picture_sharing (request->shown->run, request->shown->index, request->shown->function, request->op,
                                              request->on, request->buffer, &since, &rule, cancellable);

  if (pass == NULL || since == 0)
    return g_strdup (_("They have shared it from the start."));
  if (rule != NULL)
    return g_strdup_printf (_("They have shared it since pass %s, %s."), pass, rule);
  return g_strdup_printf (_("They have shared it since pass %s."), pass);
}

static void
since_done (gpointer owner, gpointer result, const GError *error)
{
  TsInspector *self = owner;
  g_autofree char *sentence = result;

  if (sentence == NULL || self->shown_facts == NULL)
    return;
  /* The second fact is the reason that this adds to. */
  for (guint i = 0; i < self->shown_facts->len; i++)
    {
      TsFact *fact = g_ptr_array_index (self->shown_facts, i);

      if (fact->kind == TS_FACT_SENTENCE)
        {
          char *longer = g_strdup_printf ("%s %s", fact->text, sentence);

          g_free (fact->text);
          fact->text = longer;
          break;
        }
    }
  fill (self);
}

static void
ask_since (TsInspector *self, TsShown *shown, gint32 event)
{
  SinceRequest *request;
  gint32 op, on;
  g_autofree char *why = event >= 0 ? ts_facts_why (shown, event) : NULL;
  const TsBuffer *buffer;

  ts_job_cancel (&self->asking);
  if (why == NULL || !ts_facts_shared_pair (shown, event, &op, &on))
    return;
  request = g_new0 (SinceRequest, 1);
  request->shown = ts_shown_ref (shown);
  request->op = op;
  request->on = on;
  buffer = ts_facts_blamed_buffer (shown, event);
  request->buffer = buffer != NULL ? g_strdup (buffer->base) : NULL;
  ts_job_start (&self->asking, self, since_work, request, since_request_free, g_free, since_done);
}

/* --- document ---------------------------------------------------------------------------------------------------------------- */

static void
update (TsInspector *self)
{
  TsShown *shown = ts_document_get_shown (self->document);
  TsSelection *selection = ts_document_get_selection (self->document);
  TsPick pick = ts_selection_get (selection);
  guint n;

  if (shown == NULL)
    return;
  ts_selection_ops (selection, &n);
  g_clear_pointer (&self->shown_facts, g_ptr_array_unref);
  self->shown_facts = ts_facts_new (shown, pick, n);
  fill (self);
  ask_since (self, shown, pick.event);
}

void
ts_inspector_set_document (TsInspector *self, TsDocument *document)
{
  g_return_if_fail (TS_IS_INSPECTOR (self) && self->document == NULL);

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "shown-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (ts_document_get_selection (document), "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  ts_why_not_set_document (self->why_not, document);
  ts_step_player_set_document (self->steps, document);
}

char *
ts_inspector_get_text (TsInspector *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; self->shown_facts != NULL && i < self->shown_facts->len; i++)
    {
      const TsFact *fact = g_ptr_array_index (self->shown_facts, i);

      if (fact->key != NULL)
        g_string_append_printf (text, "%s: ", fact->key);
      g_string_append_printf (text, "%s\n", fact->text);
    }
  ts_why_not_append_text (self->why_not, text);
  ts_step_player_append_text (self->steps, text);
  return g_string_free (text, FALSE);
}

gboolean
ts_inspector_is_asking (TsInspector *self)
{
  return ts_job_is_running (&self->asking) || ts_why_not_is_asking (self->why_not) || ts_step_player_is_busy (self->steps);
}

void
ts_inspector_step (TsInspector *self, int by)
{
  g_return_if_fail (TS_IS_INSPECTOR (self));

  ts_step_player_step (self->steps, by);
}

/* --- class ------------------------------------------------------------------------------------------------------------------- */

static void
ts_inspector_dispose (GObject *object)
{
  TsInspector *self = TS_INSPECTOR (object);

  ts_job_cancel (&self->asking);
  g_clear_object (&self->document);
  ts_compat_dispose_template (GTK_WIDGET (self), TS_TYPE_INSPECTOR);
  G_OBJECT_CLASS (ts_inspector_parent_class)->dispose (object);
}

static void
ts_inspector_finalize (GObject *object)
{
  g_clear_pointer (&TS_INSPECTOR (object)->shown_facts, g_ptr_array_unref);
  G_OBJECT_CLASS (ts_inspector_parent_class)->finalize (object);
}

static void
ts_inspector_class_init (TsInspectorClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  g_type_ensure (TS_TYPE_WHY_NOT);
  g_type_ensure (TS_TYPE_STEP_PLAYER);
  G_OBJECT_CLASS (class)->dispose = ts_inspector_dispose;
  G_OBJECT_CLASS (class)->finalize = ts_inspector_finalize;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tilescope/Tilescope/ui/inspector.ui");
  gtk_widget_class_bind_template_child (widget_class, TsInspector, facts);
  gtk_widget_class_bind_template_child (widget_class, TsInspector, why_not);
  gtk_widget_class_bind_template_child (widget_class, TsInspector, steps);
}

static void
ts_inspector_init (TsInspector *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
