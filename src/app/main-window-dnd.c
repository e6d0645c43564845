/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening by dropping files on the window. */
#include <glib/gi18n.h>

#include "app/main-window-private.h"

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, TsMainWindow *self)
{
  GSList *files = g_value_get_boxed (value);
  guint opened = 0;

  gtk_widget_remove_css_class (GTK_WIDGET (self), "drop-target");
  for (GSList *link = files; link != NULL; link = link->next)
    {
      g_autofree char *path = g_file_get_path (link->data);

      if (path == NULL)
        continue;
      /* The first one here, each further one in a window of its own. */
      if (opened == 0)
        ts_main_window_open (self, path);
      else
        {
          TsMainWindow *other = ts_main_window_new (gtk_window_get_application (GTK_WINDOW (self)), self->settings);

          ts_main_window_open (other, path);
          gtk_window_present (GTK_WINDOW (other));
        }
      opened++;
    }
  if (opened == 0)
    ts_main_window_tell (self, _("Only files of this computer can be opened"));
  return opened > 0;
}

static GdkDragAction
on_enter (GtkDropTarget *target, double x, double y, TsMainWindow *self)
{
  gtk_widget_add_css_class (GTK_WIDGET (self), "drop-target");
  return GDK_ACTION_COPY;
}

static void
on_leave (GtkDropTarget *target, TsMainWindow *self)
{
  gtk_widget_remove_css_class (GTK_WIDGET (self), "drop-target");
}

void
ts_main_window_init_drop (TsMainWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  g_signal_connect (target, "enter", G_CALLBACK (on_enter), self);
  g_signal_connect (target, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
