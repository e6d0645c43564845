/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes of a document as a bill. */
#include "app/pass-list.h"

#include <glib/gi18n.h>

#include "app/compat.h"
#include "app/pass-row.h"

struct _TsPassList
{
  GtkWidget           parent_instance;
  TsDocument         *document;
  GListStore         *items;     /* TsPassItem, all of them */
  GtkCustomFilter    *filter;
  GtkSingleSelection *selection; /* over the filtered items */
  gboolean            hide_unchanged;
  guint               scrolling; /* tick callback, 0: none */
  int                 frames_to_scroll;
  gboolean            updating;  /* the selection follows the document, not the other way round */

  GtkListView        *list;
  GtkSearchEntry     *search;
  GtkSearchBar       *search_bar;
  GtkToggleButton    *search_toggle;
};

G_DEFINE_FINAL_TYPE (TsPassList, ts_pass_list, GTK_TYPE_WIDGET)

static gboolean
is_listed (gpointer data, gpointer user_data)
{
  TsPassItem *item = data;
  TsPassList *self = user_data;
  const char *wanted = gtk_editable_get_text (GTK_EDITABLE (self->search));
  g_autofree char *name = g_utf8_casefold (ts_pass_item_get_name (item), -1);
  g_autofree char *part = g_utf8_casefold (wanted, -1);
  gboolean current = self->document != NULL && ts_pass_item_get_index (item) == ts_document_get_index (self->document);

  if (part[0] != '\0' && gtk_search_bar_get_search_mode (self->search_bar))
    return strstr (name, part) != NULL;
  return !self->hide_unchanged || ts_pass_item_is_changed (item) || current;
}

static void
refilter (TsPassList *self)
{
  self->updating = TRUE;
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
  self->updating = FALSE;
}

/* Position of a snapshot in the filtered list; GTK_INVALID_LIST_POSITION when it is not listed. */
static guint
position_of (TsPassList *self, guint index)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->selection));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TsPassItem) item = g_list_model_get_item (G_LIST_MODEL (self->selection), i);

      if (ts_pass_item_get_index (item) == index)
        return i;
    }
  return GTK_INVALID_LIST_POSITION;
}

/* A list that has not been laid out yet cannot scroll: the frame after the next can. */
static gboolean
scroll_to_selected (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  TsPassList *self = TS_PASS_LIST (widget);
  guint position = gtk_single_selection_get_selected (self->selection);

  if (self->frames_to_scroll-- > 0)
    return G_SOURCE_CONTINUE;
  self->scrolling = 0;
  if (position != GTK_INVALID_LIST_POSITION)
    ts_compat_list_scroll_to (self->list, position);
  return G_SOURCE_REMOVE;
}

static void
follow_document (TsPassList *self)
{
  guint position;

  refilter (self);
  position = position_of (self, ts_document_get_index (self->document));
  self->updating = TRUE;
  gtk_single_selection_set_selected (self->selection, position);
  self->updating = FALSE;
  self->frames_to_scroll = 2;
  if (self->scrolling == 0)
    self->scrolling = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_to_selected, NULL, NULL);
}

static void
on_selected (TsPassList *self)
{
  TsPassItem *item = gtk_single_selection_get_selected_item (self->selection);

  if (!self->updating && item != NULL && self->document != NULL)
    ts_document_show_snapshot (self->document, ts_pass_item_get_index (item));
}

/* A folder of dumps whose compiler stopped ends with the word of its log. */
static void
add_stopped (GPtrArray *items, TsRun *run)
{
  const TsDiagList *diags = ts_input_diags (ts_run_input (run));

  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, i);

      if (g_strcmp0 (diag->code, "dump-failed") == 0 && items->len > 0)
        g_ptr_array_add (items, ts_pass_item_new_stopped (items->len - 1, _("the compiler stopped"), diag->help));
    }
}

static void
on_run_changed (TsPassList *self)
{
  TsRun *run = ts_document_get_run (self->document);
  guint n = ts_run_n_snapshots (run);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n; i++)
    {
      TsPassItem *item = ts_pass_item_new (ts_run_snapshot (run, i));

      ts_pass_item_set_row (item, ts_document_get_bill_row (self->document, i));
      g_ptr_array_add (items, item);
    }
  add_stopped (items, run);
  self->updating = TRUE;
  g_list_store_splice (self->items, 0, g_list_model_get_n_items (G_LIST_MODEL (self->items)), items->pdata, items->len);
  self->updating = FALSE;
  follow_document (self);
}

static void
on_bill_changed (TsPassList *self, guint index)
{
  g_autoptr (TsPassItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), index);

  if (item != NULL)
    ts_pass_item_set_row (item, ts_document_get_bill_row (self->document, index));
}

void
ts_pass_list_set_document (TsPassList *self, TsDocument *document)
{
  g_return_if_fail (TS_IS_PASS_LIST (self) && self->document == NULL);

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "run-changed", G_CALLBACK (on_run_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "pass-changed", G_CALLBACK (follow_document), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "bill-changed", G_CALLBACK (on_bill_changed), self, G_CONNECT_SWAPPED);
}

void
ts_pass_list_set_hide_unchanged (TsPassList *self, gboolean hide)
{
  self->hide_unchanged = hide;
  refilter (self);
  if (self->document != NULL && ts_document_get_run (self->document) != NULL)
    follow_document (self);
}

gboolean
ts_pass_list_step (TsPassList *self, int step, gboolean changed_only)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  gint64 position;

  if (self->document == NULL || ts_document_get_run (self->document) == NULL)
    return FALSE;
  position = position_of (self, ts_document_get_index (self->document));
  if (position == GTK_INVALID_LIST_POSITION)
    position = step > 0 ? -1 : (gint64) n;
  for (position += step; position >= 0 && position < n; position += step)
    {
      g_autoptr (TsPassItem) item = g_list_model_get_item (G_LIST_MODEL (self->selection), (guint) position);

      if (changed_only && !ts_pass_item_is_changed (item))
        continue;
      ts_document_show_snapshot (self->document, ts_pass_item_get_index (item));
      return TRUE;
    }
  return FALSE;
}

void
ts_pass_list_search (TsPassList *self)
{
  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

guint
ts_pass_list_n_rows (TsPassList *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->selection));
}

static void
on_search_changed (TsPassList *self)
{
  refilter (self);
  if (self->document != NULL && ts_document_get_run (self->document) != NULL)
    {
      self->updating = TRUE;
      gtk_single_selection_set_selected (self->selection, position_of (self, ts_document_get_index (self->document)));
      self->updating = FALSE;
    }
}

/* Return goes to the first pass that is found, and leaves the search. */
static void
on_search_activate (TsPassList *self)
{
  g_autoptr (TsPassItem) item = g_list_model_get_item (G_LIST_MODEL (self->selection), 0);

  gtk_search_bar_set_search_mode (self->search_bar, FALSE);
  if (item != NULL && self->document != NULL)
    ts_document_show_snapshot (self->document, ts_pass_item_get_index (item));
  gtk_widget_grab_focus (GTK_WIDGET (self->list));
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, ts_pass_row_new ());
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  ts_pass_row_set_item (TS_PASS_ROW (gtk_list_item_get_child (item)), gtk_list_item_get_item (item));
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  ts_pass_row_set_item (TS_PASS_ROW (gtk_list_item_get_child (item)), NULL);
}

static void
ts_pass_list_dispose (GObject *object)
{
  TsPassList *self = TS_PASS_LIST (object);

  g_clear_object (&self->document);
  g_clear_object (&self->selection);
  g_clear_object (&self->items);
  ts_compat_dispose_template (GTK_WIDGET (self), TS_TYPE_PASS_LIST);
  G_OBJECT_CLASS (ts_pass_list_parent_class)->dispose (object);
}

static void
ts_pass_list_class_init (TsPassListClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_pass_list_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tilescope/Tilescope/ui/pass-list.ui");
  gtk_widget_class_bind_template_child (widget_class, TsPassList, list);
  gtk_widget_class_bind_template_child (widget_class, TsPassList, search);
  gtk_widget_class_bind_template_child (widget_class, TsPassList, search_bar);
  gtk_widget_class_bind_template_child (widget_class, TsPassList, search_toggle);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_search_activate);
}

static void
ts_pass_list_init (TsPassList *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  GtkFilterListModel *filtered;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->items = g_list_store_new (TS_TYPE_PASS_ITEM);
  self->filter = gtk_custom_filter_new (is_listed, self, NULL);
  filtered = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (self->items)), GTK_FILTER (self->filter));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (filtered));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (on_selected), self, G_CONNECT_SWAPPED);

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
  gtk_list_view_set_factory (self->list, factory);
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
  gtk_search_bar_connect_entry (self->search_bar, GTK_EDITABLE (self->search));
}
