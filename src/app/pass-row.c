/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row of the bill. */
#include "app/pass-row.h"

#include <glib/gi18n.h>

#include "app/compat.h"
#include "app/problems-bar.h"
#include "draw/scale.h"

/* Diagnostics of a pass that its row tells; the bar below the title has all. */
#define MAX_REMARKS 6u

/* --- item -------------------------------------------------------------------------------------------------------------------- */

struct _TsPassItem
{
  GObject          parent_instance;
  guint            index;
  char            *name;
  char            *problem; /* why it failed, or NULL */
  gboolean         changed, failed;
  char            *remarks;  /* what the pass had to say, a line each, or NULL */
  TsSeverity       severity; /* of the worst of them */
  const TsBillRow *row; /* NULL: not known yet */
};

enum { CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsPassItem, ts_pass_item, G_TYPE_OBJECT)

static void
ts_pass_item_finalize (GObject *object)
{
  g_free (TS_PASS_ITEM (object)->name);
  g_free (TS_PASS_ITEM (object)->remarks);
  g_free (TS_PASS_ITEM (object)->problem);
  G_OBJECT_CLASS (ts_pass_item_parent_class)->finalize (object);
}

static void
ts_pass_item_class_init (TsPassItemClass *class)
{
  G_OBJECT_CLASS (class)->finalize = ts_pass_item_finalize;
  signals[CHANGED] = g_signal_new ("changed", TS_TYPE_PASS_ITEM, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_pass_item_init (TsPassItem *self)
{
}

static void
collect_remarks (TsPassItem *self, const TsDiagList *diags)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;

  self->severity = TS_SEVERITY_NOTE;
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, i);

      if (diag->detail)
        continue;
      self->severity = MIN (self->severity, diag->severity);
      if (n++ < MAX_REMARKS)
        g_string_append_printf (text, "%s%s: %s", n > 1 ? "\n" : "", diag->code, diag->message);
    }
  if (n > MAX_REMARKS)
    g_string_append_printf (text, _("\nand %u more"), n - MAX_REMARKS);
  if (n > 0)
    self->remarks = g_utf8_make_valid (text->str, (gssize) text->len);
}

static const char *
first_error (const TsDiagList *diags)
{
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    if (ts_diag_list_get (diags, i)->severity == TS_SEVERITY_ERROR)
      return ts_diag_list_get (diags, i)->message;
  return NULL;
}

TsPassItem *
ts_pass_item_new (const TsSnapshot *snapshot)
{
  TsPassItem *self = g_object_new (TS_TYPE_PASS_ITEM, NULL);

  self->index = snapshot->index;
  self->name = g_str_equal (snapshot->pass, "frontend") ? g_strdup (_("as parsed")) : g_strdup (snapshot->pass);
  self->changed = snapshot->changed || snapshot->index == 0;
  self->failed = snapshot->failed;
  collect_remarks (self, snapshot->diags);
  self->problem = snapshot->failed ? g_strdup (first_error (snapshot->diags)) : NULL;
  return self;
}

TsPassItem *
ts_pass_item_new_stopped (guint index, const char *name, const char *problem)
{
  TsPassItem *self = g_object_new (TS_TYPE_PASS_ITEM, NULL);

  self->index = index;
  self->name = g_strdup (name);
  self->failed = self->changed = TRUE;
  self->problem = g_strdup (problem);
  return self;
}

const char *
ts_pass_item_get_problem (TsPassItem *self)
{
  return self->problem;
}

guint
ts_pass_item_get_index (TsPassItem *self)
{
  return self->index;
}

const char *
ts_pass_item_get_name (TsPassItem *self)
{
  return self->name;
}

gboolean
ts_pass_item_is_changed (TsPassItem *self)
{
  return self->changed || self->failed;
}

void
ts_pass_item_set_row (TsPassItem *self, const TsBillRow *row)
{
  self->row = row;
  g_signal_emit (self, signals[CHANGED], 0);
}

const char *
ts_pass_item_get_remarks (TsPassItem *self)
{
  return self->remarks;
}

const char *
ts_pass_item_mark (TsPassItem *self)
{
  if (self->failed)
    return "✕";
  if (self->row != NULL && self->row->has_delta_cycles && self->row->delta_cycles > 0)
    return "▲";
  return self->changed ? "●" : "○";
}

/* --- row --------------------------------------------------------------------------------------------------------------------- */

struct _TsPassRow
{
  GtkWidget   parent_instance;
  TsPassItem *item; /* (owned) (nullable) */
  GtkBox     *figures;
  GtkLabel   *mark, *name, *cycles, *difference, *bytes, *problem;
  GtkImage   *remark;
};

G_DEFINE_FINAL_TYPE (TsPassRow, ts_pass_row, GTK_TYPE_WIDGET)

static void
set_class (gpointer widget, const char *class, gboolean on)
{
  if (on)
    gtk_widget_add_css_class (GTK_WIDGET (widget), class);
  else
    gtk_widget_remove_css_class (GTK_WIDGET (widget), class);
}

static void
set_number (GtkLabel *label, gint64 value, void (*append) (GString *, gint64))
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (value >= 0)
    append (text, value);
  else
    g_string_append (text, "–"); /* not known, or not yet */
  gtk_label_set_text (label, text->str);
}

/* "=", "+286", "−292": what the pass changed. */
static void
set_difference (GtkLabel *label, const TsBillRow *row)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean known = row != NULL && row->has_delta_cycles && row->index > 0;

  if (known && row->delta_cycles == 0)
    g_string_append (text, "=");
  else if (known)
    {
      g_string_append (text, row->delta_cycles > 0 ? "+" : "−");
      ts_append_cycles (text, ABS (row->delta_cycles));
    }
  gtk_label_set_text (label, text->str);
  set_class (label, "worse", known && row->delta_cycles > 0);
  set_class (label, "better", known && row->delta_cycles < 0);
}

/* What screen readers and tooltips say: all of it in words. */
static char *
row_in_words (TsPassItem *item)
{
  const TsBillRow *row = item->row;
  GString *text = g_string_new (item->name);

  g_string_append_printf (text, ": %s", item->failed ? _("failed") : item->changed ? _("changed") : _("no change"));
  if (item->problem != NULL && item->remarks == NULL)
    g_string_append_printf (text, ": %s", item->problem);
  if (row != NULL && row->cycles >= 0)
    g_string_append_printf (text, _(", %" G_GINT64_FORMAT " cycles"), row->cycles);
  if (row != NULL && row->truncated)
    g_string_append (text, _(" of the part that was simulated"));
  if (row != NULL && row->has_delta_cycles && row->index > 0 && row->delta_cycles != 0)
    g_string_append_printf (text, _(", %+" G_GINT64_FORMAT " against the pass before"), row->delta_cycles);
  if (row != NULL && row->bytes_total >= 0)
    g_string_append_printf (text, _(", %" G_GINT64_FORMAT " bytes"), row->bytes_total);
  if (row != NULL && row->problem != NULL && item->problem == NULL)
    g_string_append_printf (text, _(", not schedulable: %s"), row->problem);
  if (item->remarks != NULL)
    g_string_append_printf (text, "\n%s", item->remarks);
  return g_string_free (text, FALSE);
}

static void
update (TsPassRow *self)
{
  TsPassItem *item = self->item;
  g_autofree char *words = NULL;

  if (item == NULL)
    return;
  words = row_in_words (item);
  gtk_label_set_text (self->mark, ts_pass_item_mark (item));
  gtk_label_set_text (self->name, item->name);
  gtk_widget_set_visible (GTK_WIDGET (self->remark), item->remarks != NULL);
  gtk_image_set_from_icon_name (self->remark, ts_problems_bar_icon (item->severity));
  set_class (self->remark, "worse", item->severity <= TS_SEVERITY_WARNING);
  set_number (self->cycles, item->row != NULL ? item->row->cycles : -1, ts_append_cycles);
  set_number (self->bytes, item->row != NULL ? item->row->bytes_total : -1, ts_append_bytes);
  set_difference (self->difference, item->row);
  /* What failed has no price: its place is the reason's. */
  gtk_label_set_text (self->problem, item->problem != NULL ? item->problem : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), item->problem != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->figures), item->problem == NULL);
  set_class (self->name, "unchanged", !ts_pass_item_is_changed (item));
  set_class (self->mark, "worse", item->failed || g_str_equal (ts_pass_item_mark (item), "▲"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
}

void
ts_pass_row_set_item (TsPassRow *self, TsPassItem *item)
{
  if (self->item != NULL)
    g_signal_handlers_disconnect_by_data (self->item, self);
  g_set_object (&self->item, item);
  if (item != NULL)
    g_signal_connect_swapped (item, "changed", G_CALLBACK (update), self);
  update (self);
}

static void
ts_pass_row_dispose (GObject *object)
{
  ts_pass_row_set_item (TS_PASS_ROW (object), NULL);
  ts_compat_dispose_template (GTK_WIDGET (object), TS_TYPE_PASS_ROW);
  G_OBJECT_CLASS (ts_pass_row_parent_class)->dispose (object);
}

static void
ts_pass_row_class_init (TsPassRowClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_pass_row_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tilescope/Tilescope/ui/pass-row.ui");
  gtk_widget_class_bind_template_child (widget_class, TsPassRow, mark);
  gtk_widget_class_bind_template_child (widget_class, TsPassRow, name);
  gtk_widget_class_bind_template_child (widget_class, TsPassRow, remark);
  gtk_widget_class_bind_template_child (widget_class, TsPassRow, cycles);
  gtk_widget_class_bind_template_child (widget_class, TsPassRow, difference);
  gtk_widget_class_bind_template_child (widget_class, TsPassRow, bytes);
  gtk_widget_class_bind_template_child (widget_class, TsPassRow, figures);
  gtk_widget_class_bind_template_child (widget_class, TsPassRow, problem);
}

static void
ts_pass_row_init (TsPassRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
ts_pass_row_new (void)
{
  return g_object_new (TS_TYPE_PASS_ROW, NULL);
}
