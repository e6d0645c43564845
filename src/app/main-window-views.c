/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which drawing takes which of the two panes above the code: any view can take a pane, and each is there once. */
#include <glib/gi18n.h>

#include "app/main-window-private.h"

static const struct { const char *name, *label, *tooltip; gboolean upper; } views[TS_N_VIEWS] = {
  [TS_VIEW_GRAPH] = { "graph", N_("Dependencies"), N_("Operations and what they depend on (Alt+2)"), TRUE },
  [TS_VIEW_TIMELINE] = { "timeline", N_("Timeline"), N_("Units over time (Alt+3)"), FALSE },
  [TS_VIEW_MEMORY] = { "memory", N_("Memory"), N_("Buffers by address and program order (Alt+4)"), TRUE },
};

static GtkWidget *
page_of (TsMainWindow *self, TsViewKind view)
{
  GtkBox *pages[TS_N_VIEWS] = { [TS_VIEW_GRAPH] = self->graph_page, [TS_VIEW_TIMELINE] = self->timeline_page,
                                [TS_VIEW_MEMORY] = self->memory_page };

  return GTK_WIDGET (pages[view]);
}

static GtkWidget *
switch_of (TsMainWindow *self, TsViewKind view)
{
  GtkBox *switches[TS_N_VIEWS] = { [TS_VIEW_GRAPH] = self->graph_switch, [TS_VIEW_TIMELINE] = self->timeline_switch,
                                   [TS_VIEW_MEMORY] = self->memory_switch };

  return GTK_WIDGET (switches[view]);
}

TsCanvas *
ts_main_window_canvas (TsMainWindow *self, TsViewKind view)
{
  gpointer canvases[TS_N_VIEWS] = { [TS_VIEW_GRAPH] = self->dag, [TS_VIEW_TIMELINE] = self->timeline,
                                    [TS_VIEW_MEMORY] = self->memory };

  return canvases[view];
}

const char *
ts_view_name (TsViewKind view)
{
  return views[view].name;
}

gboolean
ts_view_from_name (const char *name, TsViewKind *out)
{
  for (guint i = 0; i < TS_N_VIEWS; i++)
    if (g_strcmp0 (views[i].name, name) == 0)
      {
        *out = (TsViewKind) i;
        return TRUE;
      }
  return FALSE;
}

/* The buttons of a page speak of the pane that the page is in. */
static void
point_switch (TsMainWindow *self, TsViewKind page, gboolean upper)
{
  guint view = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (switch_of (self, page)); child != NULL;
       child = gtk_widget_get_next_sibling (child), view++)
    {
      /* The target first: an action that misses it complains. */
      gtk_actionable_set_action_target (GTK_ACTIONABLE (child), "s", views[view].name);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (child), upper ? "win.upper-view" : "win.lower-view");
    }
}

static void
tell_state (TsMainWindow *self, const char *action, const char *key, TsViewKind view)
{
  GAction *found = g_action_map_lookup_action (G_ACTION_MAP (self), action);

  if (found != NULL)
    g_simple_action_set_state (G_SIMPLE_ACTION (found), g_variant_new_string (views[view].name));
  if (self->settings != NULL)
    ts_settings_set (self->settings, key, g_variant_new_string (views[view].name));
}

static void
arrange (TsMainWindow *self)
{
  gtk_paned_set_start_child (self->upper_paned, NULL);
  gtk_paned_set_start_child (self->lower_paned, NULL);
  point_switch (self, self->upper_view, TRUE);
  point_switch (self, self->lower_view, FALSE);
  gtk_paned_set_start_child (self->upper_paned, page_of (self, self->upper_view));
  gtk_paned_set_start_child (self->lower_paned, page_of (self, self->lower_view));
  tell_state (self, "upper-view", TS_SETTING_UPPER_VIEW, self->upper_view);
  tell_state (self, "lower-view", TS_SETTING_LOWER_VIEW, self->lower_view);
}

gboolean
ts_main_window_sees_view (TsMainWindow *self, TsViewKind view)
{
  return view == self->upper_view || view == self->lower_view;
}

void
ts_main_window_place_view (TsMainWindow *self, gboolean upper, TsViewKind view)
{
  TsViewKind *here = upper ? &self->upper_view : &self->lower_view, *there = upper ? &self->lower_view : &self->upper_view;

  if (*here == view)
    return;
  if (*there == view)
    *there = *here;
  *here = view;
  arrange (self);
}

void
ts_main_window_focus_view (TsMainWindow *self, TsViewKind view)
{
  if (!ts_main_window_sees_view (self, view))
    ts_main_window_place_view (self, views[view].upper, view);
  gtk_widget_grab_focus (GTK_WIDGET (ts_main_window_canvas (self, view)));
}

static void
restore (TsMainWindow *self)
{
  g_autofree char *upper = ts_settings_get_string (self->settings, TS_SETTING_UPPER_VIEW);
  g_autofree char *lower = ts_settings_get_string (self->settings, TS_SETTING_LOWER_VIEW);

  /* What is stored may be of another version, or name one view twice. */
  if (!ts_view_from_name (upper, &self->upper_view) || !ts_view_from_name (lower, &self->lower_view)
      || self->upper_view == self->lower_view)
    {
      self->upper_view = TS_VIEW_GRAPH;
      self->lower_view = TS_VIEW_TIMELINE;
    }
}

void
ts_main_window_init_views (TsMainWindow *self)
{
  for (TsViewKind page = 0; page < TS_N_VIEWS; page++)
    for (TsViewKind view = 0; view < TS_N_VIEWS; view++)
      {
        GtkWidget *button = gtk_toggle_button_new_with_label (_(views[view].label));

        gtk_widget_set_tooltip_text (button, _(views[view].tooltip));
        gtk_widget_add_css_class (button, "flat");
        gtk_box_append (GTK_BOX (switch_of (self, page)), button);
      }
  for (TsViewKind page = 0; page < TS_N_VIEWS; page++)
    gtk_widget_add_css_class (switch_of (self, page), "view-switch");
  restore (self);
  arrange (self);
}
