/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which panes the window shows at its width: all three, the views beside one other, or one at a time. */
#include "app/main-window-private.h"

/* Pixels below which the inspector and the passes take turns, and below which only one pane is shown at all. */
#define THREE_PANES 1000
#define TWO_PANES 620

typedef enum { LAYOUT_THREE, LAYOUT_TWO, LAYOUT_ONE } PaneLayout;

static PaneLayout
layout_for (int width)
{
  return width >= THREE_PANES ? LAYOUT_THREE : width >= TWO_PANES ? LAYOUT_TWO : LAYOUT_ONE;
}

static void
show (gpointer widget, gboolean visible)
{
  if (gtk_widget_get_visible (GTK_WIDGET (widget)) != visible)
    gtk_widget_set_visible (GTK_WIDGET (widget), visible);
}

/* Does what the present width and the chosen pane ask for. */
static void
apply (TsMainWindow *self)
{
  PaneLayout layout = layout_for (self->pane_width);
  gboolean inspector = g_str_equal (self->pane, "inspector"), passes = g_str_equal (self->pane, "passes");
  gboolean wanted = ts_settings_get_boolean (self->settings, TS_SETTING_SHOW_INSPECTOR);

  show (self->pass_list, layout == LAYOUT_THREE || (layout == LAYOUT_TWO && !inspector) || (layout == LAYOUT_ONE && passes));
  show (self->inspector, layout == LAYOUT_THREE ? wanted : inspector);
  show (self->upper_paned, layout != LAYOUT_ONE || (!inspector && !passes));
  show (self->right_paned, layout != LAYOUT_ONE || !passes);
  show (self->pass_buttons, layout != LAYOUT_ONE);
  show (self->inspector_button, layout == LAYOUT_THREE);
  show (self->pane_switcher, layout != LAYOUT_THREE && ts_document_get_shown (self->document) != NULL);
}

static gboolean
apply_later (gpointer data)
{
  TsMainWindow *self = data;

  self->pane_source = 0;
  apply (self);
  return G_SOURCE_REMOVE;
}

void
ts_main_window_set_pane_width (TsMainWindow *self, int width)
{
  gboolean changed = self->pane_width == 0 || layout_for (width) != layout_for (self->pane_width);

  self->pane_width = width;
  /* Panes may not come and go while sizes are being given out. */
  if (changed && self->pane_source == 0 && self->settings != NULL)
    self->pane_source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, apply_later, self, NULL);
}

void
ts_main_window_show_pane (TsMainWindow *self, const char *pane)
{
  self->pane = g_intern_string (pane);
  apply (self);
}

void
ts_main_window_update_panes (TsMainWindow *self)
{
  apply (self);
}
