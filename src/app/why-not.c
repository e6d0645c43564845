/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each rule of a pass said of the selected operation. The pass is run again with recording on, and operations are followed
 * through the snapshots, so the sentences are made on a worker. */
#include "app/why-not.h"

#include <glib/gi18n.h>

#include "app/compat.h"
#include "app/job.h"
#include "draw/pictures.h"
#include "run/verdicts.h"

/* Operations named for one that became several. */
#define MAX_NAMED 3u

/* One rule's answer. */
typedef struct
{
  TsVerdictKind kind;
  const char   *pass; /* belongs to the run, like the next two */
  const char   *rule, *part; /* part NULL: all of the operation */
  char         *markup; /* sentence with links "SNAPSHOT/OPERATION" */
} Answer;

struct _TsWhyNot
{
  GtkWidget   parent_instance;
  TsDocument *document;
  TsShown    *shown;   /* (owned) (nullable) what the answers are about */
  GPtrArray  *answers; /* Answer */
  TsJobSlot   asking;
};

G_DEFINE_FINAL_TYPE (TsWhyNot, ts_why_not, GTK_TYPE_WIDGET)

/* --- sentences, on a worker -------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsShown *shown; /* (owned) */
  gint32   op;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  ts_shown_unref (request->shown);
  g_free (request);
}

static void
answer_free (gpointer data)
{
  Answer *answer = data;

  g_free (answer->markup);
  g_free (answer);
}

static void
answers_free (gpointer data)
{
  g_ptr_array_unref (data);
}

/* The operation as a link to itself: in the shown snapshot if it is still there, else where the pass saw it. */
static char *
link_to (const Request *request, guint snapshot, gint32 op)
{
  const TsShown *shown = request->shown;
  const TsOp *found = ts_run_op (shown->run, snapshot, op);
  const TsSnapshotText *text = ts_run_text (shown->run, snapshot, NULL, NULL);
  guint line = ts_run_source_line (shown->run, snapshot, op, NULL);
  g_autoptr (GArray) here = ts_run_trace (shown->run, snapshot, op, shown->index, NULL);
  g_autofree char *name = NULL, *escaped = NULL, *target = NULL;

  if (found == NULL)
    return NULL;
  name = ts_picture_op_name (found, text != NULL ? text->names : NULL);
  escaped = g_markup_escape_text (name, -1);
  target = here->len > 0 && shown->snapshot->module != NULL
             ? g_strdup_printf ("%u/%d", shown->index, g_array_index (here, gint32, 0))
             : g_strdup_printf ("%u/%d", snapshot, op);
  if (line > 0)
    return g_strdup_printf (_("<a href=\"%s\">%s (line %u)</a>"), target, escaped, line);
  return g_strdup_printf ("<a href=\"%s\">%s</a>", target, escaped);
}

/* Links to what an operation is after the pass: of its own kind first of all, as its address is made anew along with it. */
static char *
became (const Request *request, const TsVerdict *verdict)
{
  TsRun *run = request->shown->run;
  const TsOp *was = ts_run_op (run, verdict->snapshot - 1, verdict->op);
  g_autoptr (GArray) after = ts_run_trace (run, verdict->snapshot - 1, verdict->op, verdict->snapshot, NULL);
  GString *text = g_string_new (NULL);
  gboolean any_alike = FALSE;
  guint n = 0;

  for (guint i = 0; i < after->len && was != NULL; i++)
    {
      const TsOp *op = ts_run_op (run, verdict->snapshot, g_array_index (after, gint32, i));

      any_alike |= op != NULL && op->code == was->code;
    }
  for (guint i = 0; i < after->len && was != NULL && n < MAX_NAMED; i++)
    {
      const TsOp *op = ts_run_op (run, verdict->snapshot, g_array_index (after, gint32, i));
      g_autofree char *link = NULL;

      if (op == NULL || (any_alike && op->code != was->code))
        continue;
      link = link_to (request, verdict->snapshot, op->id);
      g_string_append_printf (text, "%s%s", n++ > 0 ? ", " : "", link);
    }
  return g_string_free (text, text->len == 0);
}

static char *
sentence_for (const Request *request, const TsVerdict *verdict)
{
  g_autofree char *why = verdict->why != NULL ? g_markup_escape_text (verdict->why, -1) : NULL;
  gboolean elsewhere = verdict->at >= 0 && verdict->at != verdict->op;
  g_autofree char *at = elsewhere ? link_to (request, verdict->snapshot - 1, verdict->at) : NULL;
  g_autofree char *result = verdict->kind == TS_VERDICT_APPLIED ? became (request, verdict) : NULL;

  switch (verdict->kind)
    {
    case TS_VERDICT_APPLIED:
      return result != NULL ? g_strdup_printf (_("Applied as rewrite %u; it became %s."), verdict->epoch + 1, result)
                            : g_strdup_printf (_("Applied as rewrite %u; others took its place."), verdict->epoch + 1);
    case TS_VERDICT_REJECTED:
      return at != NULL ? g_strdup_printf (_("Rejected: %s, at %s."), why, at) : g_strdup_printf (_("Rejected: %s."), why);
    case TS_VERDICT_FAILED:
      return g_strdup_printf (_("Failed: %s."), why);
    default:
      return g_strdup_printf (_("Not considered: %s."), why);
    }
}

static gpointer
ask_work (gpointer data, GCancellable *cancellable, GError **error)
{
  const Request *request = data;
  TsRun *run = request->shown->run;
  g_autoptr (GArray) verdicts = ts_run_verdicts (run, request->shown->index, request->op, cancellable);
  GPtrArray *answers = g_ptr_array_new_with_free_func (answer_free);

  for (guint i = 0; i < verdicts->len; i++)
    {
      const TsVerdict *verdict = &g_array_index (verdicts, TsVerdict, i);
      Answer *answer = g_new0 (Answer, 1);

      answer->kind = verdict->kind;
      answer->pass = ts_run_snapshot (run, verdict->snapshot)->pass;
      answer->rule = verdict->rule;
      answer->part = verdict->part;
      answer->markup = sentence_for (request, verdict);
      g_ptr_array_add (answers, answer);
    }
  return answers;
}

/* --- widgets ----------------------------------------------------------------------------------------------------------------- */

static void
clear (TsWhyNot *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
}

static gboolean
on_link (TsWhyNot *self, const char *target)
{
  guint snapshot = 0;
  gint32 op = -1;

  if (sscanf (target, "%u/%d", &snapshot, &op) == 2 && self->shown != NULL && self->shown == ts_document_get_shown (self->document))
    ts_document_go_to_op (self->document, snapshot, op);
  return TRUE;
}

static GtkWidget *
make_label (const char *markup, const char *class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (class != NULL)
    gtk_widget_add_css_class (label, class);
  return label;
}

static const struct
{
  const char *mark, *class;
} marks[] = {
  [TS_VERDICT_NOT_CONSIDERED] = { "○", "unchanged" },
  [TS_VERDICT_REJECTED] = { "✕", "key" },
  [TS_VERDICT_APPLIED] = { "✓", "better" },
  [TS_VERDICT_FAILED] = { "✕", "worse" },
};

/* The rule's name stands above its first answer. */
static GtkWidget *
make_answer (TsWhyNot *self, const Answer *answer, gboolean named)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  g_autofree char *title = g_markup_escape_text (answer->rule, -1);
  g_autofree char *with_part = answer->part != NULL ? g_strdup_printf ("%s – %s", answer->part, answer->markup) : NULL;
  GtkWidget *sentence = make_label (with_part != NULL ? with_part : answer->markup, NULL);
  GtkWidget *mark = make_label (marks[answer->kind].mark, marks[answer->kind].class);

  gtk_label_set_wrap (GTK_LABEL (mark), FALSE);
  gtk_widget_set_valign (mark, GTK_ALIGN_START);
  gtk_widget_set_hexpand (texts, TRUE);
  g_signal_connect_object (sentence, "activate-link", G_CALLBACK (on_link), self, G_CONNECT_SWAPPED);
  if (named)
    gtk_box_append (GTK_BOX (texts), make_label (title, "rule"));
  gtk_box_append (GTK_BOX (texts), sentence);
  gtk_box_append (GTK_BOX (row), mark);
  gtk_box_append (GTK_BOX (row), texts);
  return row;
}

static void
fill (TsWhyNot *self)
{
  const char *pass = NULL, *rule = NULL;

  clear (self);
  for (guint i = 0; self->answers != NULL && i < self->answers->len; i++)
    {
      const Answer *answer = g_ptr_array_index (self->answers, i);

      if (answer->pass != pass)
        {
          g_autofree char *heading = g_markup_printf_escaped (_("Why not? Rules of %s"), answer->pass);

          gtk_widget_set_parent (make_label (heading, "heading"), GTK_WIDGET (self));
        }
      gtk_widget_set_parent (make_answer (self, answer, answer->pass != pass || g_strcmp0 (answer->rule, rule) != 0),
                             GTK_WIDGET (self));
      pass = answer->pass;
      rule = answer->rule;
    }
  gtk_widget_set_visible (GTK_WIDGET (self), self->answers != NULL && self->answers->len > 0);
}

static void
ask_done (gpointer owner, gpointer result, const GError *error)
{
  TsWhyNot *self = owner;

  g_clear_pointer (&self->answers, g_ptr_array_unref);
  self->answers = result;
  fill (self);
}

static void
update (TsWhyNot *self)
{
  TsShown *shown = ts_document_get_shown (self->document);
  TsPick pick = ts_selection_get (ts_document_get_selection (self->document));
  Request *request;

  ts_job_cancel (&self->asking);
  g_clear_pointer (&self->shown, ts_shown_unref);
  if (shown == NULL || pick.op < 0)
    {
      ask_done (self, NULL, NULL);
      return;
    }
  self->shown = ts_shown_ref (shown);
  request = g_new0 (Request, 1);
  request->shown = ts_shown_ref (shown);
  request->op = pick.op;
  ts_job_start (&self->asking, self, ask_work, request, request_free, answers_free, ask_done);
}

void
ts_why_not_set_document (TsWhyNot *self, TsDocument *document)
{
  g_return_if_fail (TS_IS_WHY_NOT (self) && self->document == NULL);

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "shown-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (ts_document_get_selection (document), "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
}

gboolean
ts_why_not_is_asking (TsWhyNot *self)
{
  return ts_job_is_running (&self->asking);
}

void
ts_why_not_append_text (TsWhyNot *self, GString *out)
{
  for (guint i = 0; self->answers != NULL && i < self->answers->len; i++)
    {
      const Answer *answer = g_ptr_array_index (self->answers, i);
      g_autoptr (GtkWidget) label = g_object_ref_sink (make_label (answer->markup, NULL)); /* knows links, unlike Pango */

      g_string_append_printf (out, "%s%s%s: %s\n", answer->rule, answer->part != NULL ? ", " : "",
                              answer->part != NULL ? answer->part : "", gtk_label_get_text (GTK_LABEL (label)));
    }
}

/* --- class ------------------------------------------------------------------------------------------------------------------- */

static void
ts_why_not_dispose (GObject *object)
{
  TsWhyNot *self = TS_WHY_NOT (object);

  ts_job_cancel (&self->asking);
  clear (self);
  g_clear_pointer (&self->answers, g_ptr_array_unref);
  g_clear_pointer (&self->shown, ts_shown_unref);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (ts_why_not_parent_class)->dispose (object);
}

static void
ts_why_not_class_init (TsWhyNotClass *class)
{
  G_OBJECT_CLASS (class)->dispose = ts_why_not_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BOX_LAYOUT);
}

static void
ts_why_not_init (TsWhyNot *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 6);
  gtk_widget_add_css_class (GTK_WIDGET (self), "facts");
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
