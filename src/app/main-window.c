/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window: what it shows of its document. Actions, export and drag and drop have files of their own. */
#include "app/main-window.h"

#include <glib/gi18n.h>

#include "app/function-chooser.h"
#include "app/main-window-private.h"
#include "app/recent.h"
#include "draw/pictures.h"

/* Shares of the height that a new window gives to its panes, and what is not theirs, in pixels. */
#define HEADER_HEIGHT 48
#define GRAPH_SHARE 0.33
#define MOST_TIMELINE_SHARE 0.46
/* Heading and scrollbar around the timeline. */
#define TIMELINE_FRAME 58

G_DEFINE_FINAL_TYPE (TsMainWindow, ts_main_window, ADW_TYPE_APPLICATION_WINDOW)

/* --- pages and titles -------------------------------------------------------------------------------------------------------- */

/* The diagnostics of an input that could not be opened, as text. */
static char *
problem_details (TsDocument *document)
{
  const TsDiagList *diags = ts_document_get_problem_diags (document);
  g_autoptr (GString) text = g_string_new (NULL);

  if (diags != NULL)
    ts_diag_list_format (diags, TS_DIAGS_NOTES, text);
  return g_utf8_make_valid (text->str, (gssize) text->len);
}

/* There is always something to see, and if it is only the reason why there is nothing. */
static void
update_page (TsMainWindow *self)
{
  const GError *problem = ts_document_get_problem (self->document);

  if (ts_document_get_shown (self->document) != NULL)
    {
      gtk_stack_set_visible_child_name (self->pages, "document");
      return;
    }
  gtk_stack_set_visible_child_name (self->pages, "start");
  if (problem != NULL)
    {
      g_autofree char *details = problem_details (self->document);

      ts_start_page_show_problem (self->start_page, ts_document_get_problem_spec (self->document),
                                  ts_document_get_problem_reason (self->document), details);
    }
  else if (self->opening != NULL && ts_document_is_busy (self->document))
    ts_start_page_show_loading (self->start_page, self->opening);
  else
    ts_start_page_show_welcome (self->start_page);
}

static void
update_title (TsMainWindow *self)
{
  TsShown *shown = ts_document_get_shown (self->document);
  g_autofree char *subtitle = NULL, *title = NULL;

  if (shown == NULL)
    return;
  subtitle = ts_picture_subtitle (shown->run, shown->index, shown->function, NULL);
  title = g_utf8_make_valid (ts_input_title (ts_run_input (shown->run)), -1);
  adw_window_title_set_title (self->title, title);
  adw_window_title_set_subtitle (self->title, subtitle);
  gtk_window_set_title (GTK_WINDOW (self), title);
}

static void
show_or_say (GtkStack *stack, GtkLabel *label, gboolean there, const char *format, const char *reason)
{
  g_autofree char *text = NULL;

  gtk_stack_set_visible_child_name (stack, there ? "canvas" : "reason");
  if (there)
    return;
  text = g_strdup_printf ("%s %s.", format, reason != NULL ? reason : _("nothing is shown"));
  gtk_label_set_text (label, text);
}

/* --- functions --------------------------------------------------------------------------------------------------------------- */

static void
update_functions (TsMainWindow *self, const TsShown *shown)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  guint selected = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; i < shown->n_functions; i++)
    {
      const TsRunFunction *function = &shown->functions[i];

      gtk_string_list_append (names, function->name);
      if (g_strcmp0 (function->name, shown->function) == 0)
        selected = i;
    }
  self->updating = TRUE;
  gtk_drop_down_set_model (self->functions, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (self->functions, selected);
  self->updating = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (self->functions), shown->n_functions > 1);
}

static void
on_function_selected (TsMainWindow *self)
{
  GtkStringObject *chosen = gtk_drop_down_get_selected_item (self->functions);

  if (!self->updating && chosen != NULL)
    ts_document_show_function (self->document, gtk_string_object_get_string (chosen));
}

/* Graph, timeline and code share the height of the window: the timeline gets what its first picture needs, within limits.
 * Afterwards the dividers are the user's. */
static void
arrange_panes (TsMainWindow *self)
{
  int height = gtk_widget_get_height (GTK_WIDGET (self)), width, needed;

  if (self->arranged)
    return;
  self->arranged = TRUE;
  if (height <= 0)
    gtk_window_get_default_size (GTK_WINDOW (self), &width, &height); /* 4.8 wants both */
  height = MAX (height - HEADER_HEIGHT, 300);
  gtk_widget_measure (GTK_WIDGET (self->timeline), GTK_ORIENTATION_VERTICAL, -1, NULL, &needed, NULL, NULL);
  gtk_paned_set_position (self->upper_paned, (int) (height * GRAPH_SHARE));
  gtk_paned_set_position (self->lower_paned, (int) MIN (needed + TIMELINE_FRAME, height * MOST_TIMELINE_SHARE));
}

/* --- document ---------------------------------------------------------------------------------------------------------------- */

static void
on_shown_changed (TsMainWindow *self)
{
  TsShown *shown = ts_document_get_shown (self->document);
  g_autofree char *figures = shown->simulation != NULL ? ts_picture_figures (shown->simulation) : g_strdup ("");

  update_title (self);
  update_page (self);
  ts_main_window_update_panes (self);
  arrange_panes (self);
  update_functions (self, shown);
  show_or_say (self->graph_stack, self->graph_reason, shown->dag != NULL, _("There is no graph:"), shown->no_graph);
  show_or_say (self->timeline_stack, self->timeline_reason, shown->timeline != NULL, _("Not schedulable:"), shown->no_schedule);
  show_or_say (self->memory_stack, self->memory_reason, shown->map != NULL, _("There is no memory map:"), shown->no_map);
  gtk_widget_set_visible (GTK_WIDGET (self->memory_go), shown->map == NULL && shown->map_at >= 0);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->memory_go), "u", (guint) MAX (shown->map_at, 0));
  gtk_widget_set_visible (GTK_WIDGET (self->time_scrollbar), shown->timeline != NULL);
  gtk_label_set_text (self->timeline_figures, figures);
  ts_main_window_update_actions (self);
}

/* A file with more than one kernel offers the others. */
static void
update_entries (TsMainWindow *self)
{
  const GArray *entries = ts_document_get_entries (self->document);

  ts_start_page_show_entries (self->start_page, ts_document_get_problem (self->document) != NULL ? entries : NULL);
  ts_start_page_fill_entries (self->entries_menu, entries);
}

static void
on_problem_changed (TsMainWindow *self)
{
  update_entries (self);
  update_page (self);
}

static void
on_run_changed (TsMainWindow *self)
{
  TsRun *run = ts_document_get_run (self->document);

  ts_recent_add (ts_input_spec (ts_run_input (run)));
  update_entries (self);
  ts_main_window_update_actions (self);
}

static void
on_busy_changed (TsMainWindow *self)
{
  double fraction;
  const char *what = ts_document_get_progress (self->document, &fraction);
  gboolean busy = ts_document_is_busy (self->document);

  /* Work that ends before the first report is not worth a bar. */
  gtk_revealer_set_reveal_child (self->busy, busy && what != NULL);
  gtk_label_set_text (self->busy_label, what != NULL ? what : "");
  if (busy && fraction < 0)
    gtk_progress_bar_pulse (self->busy_progress);
  else
    gtk_progress_bar_set_fraction (self->busy_progress, MAX (fraction, 0));
  ts_main_window_update_actions (self);
}

void
ts_main_window_tell (TsMainWindow *self, const char *message)
{
  g_autofree char *safe = g_markup_escape_text (message, -1);

  adw_toast_overlay_add_toast (self->toasts, adw_toast_new (safe));
}

void
ts_main_window_open (TsMainWindow *self, const char *spec)
{
  g_autofree char *machine = NULL;

  g_return_if_fail (TS_IS_MAIN_WINDOW (self));

  machine = ts_settings_get_string (self->settings, TS_SETTING_MACHINE);
  g_free (self->opening);
  self->opening = g_strdup (spec);
  ts_document_open (self->document, spec, machine);
  update_page (self);
}

gboolean
ts_main_window_is_free (TsMainWindow *self)
{
  return self->opening == NULL;
}

TsDocument *
ts_main_window_get_document (TsMainWindow *self)
{
  return self->document;
}

/* --- time scrollbar ---------------------------------------------------------------------------------------------------------- */

static void
on_time_moved (TsMainWindow *self)
{
  TsTimeView *view = ts_timeline_canvas_get_view (self->timeline);
  TsCycles visible = ts_time_view_get_visible (view);
  double span = (double) (visible.to - visible.from);

  self->updating = TRUE;
  gtk_adjustment_configure (self->time, (double) visible.from, 0, (double) ts_time_view_get_total (view), span / 10, span * 0.9,
                            span);
  self->updating = FALSE;
  /* Where everything is seen there is nothing to scroll. */
  gtk_widget_set_opacity (GTK_WIDGET (self->time_scrollbar), visible.to - visible.from < ts_time_view_get_total (view) ? 1.0 : 0.0);
}

static void
on_time_scrolled (TsMainWindow *self)
{
  TsTimeView *view = ts_timeline_canvas_get_view (self->timeline);
  gint64 from = (gint64) gtk_adjustment_get_value (self->time);

  if (!self->updating)
    ts_time_view_pan (view, from - ts_time_view_get_visible (view).from);
}

/* --- settings ---------------------------------------------------------------------------------------------------------------- */

static void
on_setting_changed (TsMainWindow *self)
{
  ts_canvas_set_drag_pans (TS_CANVAS (self->timeline), ts_settings_get_boolean (self->settings, TS_SETTING_DRAG_PANS));
}

static void
restore_size (TsMainWindow *self)
{
  g_autoptr (GVariant) size = ts_settings_get (self->settings, TS_SETTING_WINDOW_SIZE);
  int width, height;

  g_variant_get (size, "(ii)", &width, &height);
  gtk_window_set_default_size (GTK_WINDOW (self), CLAMP (width, 360, 16384), CLAMP (height, 360, 16384));
  if (ts_settings_get_boolean (self->settings, TS_SETTING_MAXIMIZED))
    gtk_window_maximize (GTK_WINDOW (self));
}

static gboolean
ts_main_window_close_request (GtkWindow *window)
{
  TsMainWindow *self = TS_MAIN_WINDOW (window);
  int width, height;

  gtk_window_get_default_size (window, &width, &height);
  ts_settings_set (self->settings, TS_SETTING_WINDOW_SIZE, g_variant_new ("(ii)", width, height));
  ts_settings_set (self->settings, TS_SETTING_MAXIMIZED, g_variant_new_boolean (gtk_window_is_maximized (window)));
  ts_document_cancel (self->document);
  return GTK_WINDOW_CLASS (ts_main_window_parent_class)->close_request (window);
}

/* --- class ------------------------------------------------------------------------------------------------------------------- */

static void
ts_main_window_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  GTK_WIDGET_CLASS (ts_main_window_parent_class)->size_allocate (widget, width, height, baseline);
  ts_main_window_set_pane_width (TS_MAIN_WINDOW (widget), width);
}

static void
ts_main_window_dispose (GObject *object)
{
  TsMainWindow *self = TS_MAIN_WINDOW (object);

  g_clear_handle_id (&self->pane_source, g_source_remove);
  if (self->document != NULL)
    ts_document_cancel (self->document);
  g_clear_object (&self->time);
  G_OBJECT_CLASS (ts_main_window_parent_class)->dispose (object);
}

static void
ts_main_window_finalize (GObject *object)
{
  TsMainWindow *self = TS_MAIN_WINDOW (object);

  g_clear_object (&self->document);
  g_clear_object (&self->settings);
  g_free (self->opening);
  G_OBJECT_CLASS (ts_main_window_parent_class)->finalize (object);
}

static void
bind_children (GtkWidgetClass *class)
{
  static const struct { const char *name; gssize offset; } children[] = {
#define CHILD(name) { #name, G_STRUCT_OFFSET (TsMainWindow, name) }
    CHILD (toasts), CHILD (title), CHILD (pass_buttons), CHILD (menu_button), CHILD (machine_menu), CHILD (entries_menu),
    CHILD (samples_menu),
    CHILD (recent_menu), CHILD (busy), CHILD (busy_label), CHILD (busy_progress), CHILD (problems), CHILD (pages),
    CHILD (graph_stack), CHILD (timeline_stack), CHILD (start_page), CHILD (pass_list), CHILD (functions), CHILD (dag),
    CHILD (graph_reason), CHILD (timeline_reason), CHILD (timeline_figures), CHILD (timeline), CHILD (time_scrollbar), CHILD (code),
    CHILD (inspector), CHILD (right_paned), CHILD (upper_paned), CHILD (lower_paned),
    CHILD (pane_switcher), CHILD (inspector_button), CHILD (graph_page), CHILD (timeline_page), CHILD (memory_page),
    CHILD (graph_switch), CHILD (timeline_switch), CHILD (memory_switch), CHILD (memory_stack), CHILD (memory),
    CHILD (memory_reason), CHILD (memory_go),
#undef CHILD
  };

  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    gtk_widget_class_bind_template_child_full (class, children[i].name, FALSE, children[i].offset);
}

static void
ts_main_window_class_init (TsMainWindowClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_main_window_dispose;
  G_OBJECT_CLASS (class)->finalize = ts_main_window_finalize;
  GTK_WINDOW_CLASS (class)->close_request = ts_main_window_close_request;
  widget_class->size_allocate = ts_main_window_size_allocate;
  g_type_ensure (TS_TYPE_CODE_VIEW);
  g_type_ensure (TS_TYPE_DAG_CANVAS);
  g_type_ensure (TS_TYPE_INSPECTOR);
  g_type_ensure (TS_TYPE_MEMORY_CANVAS);
  g_type_ensure (TS_TYPE_PASS_LIST);
  g_type_ensure (TS_TYPE_PROBLEMS_BAR);
  g_type_ensure (TS_TYPE_START_PAGE);
  g_type_ensure (TS_TYPE_TIMELINE_CANVAS);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tilescope/Tilescope/ui/main-window.ui");
  bind_children (widget_class);
}

static void
ts_main_window_init (TsMainWindow *self)
{
  TsTimeView *view;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->document = ts_document_new ();
  self->pane = "views";
  self->time = g_object_ref_sink (gtk_adjustment_new (0, 0, 1, 1, 1, 1));
  gtk_scrollbar_set_adjustment (self->time_scrollbar, self->time);

  ts_pass_list_set_document (self->pass_list, self->document);
  ts_dag_canvas_set_document (self->dag, self->document);
  ts_timeline_canvas_set_document (self->timeline, self->document);
  ts_memory_canvas_set_document (self->memory, self->document);
  ts_code_view_set_document (self->code, self->document);
  ts_inspector_set_document (self->inspector, self->document);
  ts_problems_bar_set_document (self->problems, self->document);
  ts_function_chooser_init (self->functions, self->document);
  g_signal_connect_object (self->document, "shown-changed", G_CALLBACK (on_shown_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document, "run-changed", G_CALLBACK (on_run_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document, "problem-changed", G_CALLBACK (on_problem_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document, "busy-changed", G_CALLBACK (on_busy_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->functions, "notify::selected-item", G_CALLBACK (on_function_selected), self, G_CONNECT_SWAPPED);

  view = ts_timeline_canvas_get_view (self->timeline);
  g_signal_connect_object (view, "moved", G_CALLBACK (on_time_moved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->time, "value-changed", G_CALLBACK (on_time_scrolled), self, G_CONNECT_SWAPPED);
  ts_main_window_init_drop (self);
}

TsMainWindow *
ts_main_window_new (GtkApplication *application, TsSettings *settings)
{
  TsMainWindow *self = g_object_new (TS_TYPE_MAIN_WINDOW, "application", application, NULL);

  self->settings = g_object_ref (settings);
  g_signal_connect_object (settings, "changed", G_CALLBACK (on_setting_changed), self, G_CONNECT_SWAPPED);
  ts_main_window_init_actions (self);
  ts_main_window_init_views (self);
  ts_start_page_fill_menus (self->samples_menu, self->recent_menu);
  on_setting_changed (self);
  restore_size (self);
  update_page (self);
  return self;
}
