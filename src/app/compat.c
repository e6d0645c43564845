/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls that GTK and libadwaita replaced after the versions of our floor. */
#include "app/compat.h"

#include <glib/gi18n.h>

typedef struct
{
  GtkWindow   *parent; /* weak */
  TsFileChosen chosen;
  gpointer     data;
} ChooseRequest;

static void
choose_request_free (ChooseRequest *request)
{
  g_clear_weak_pointer (&request->parent);
  g_free (request);
}

static void
on_choose_response (GtkNativeDialog *dialog, int response, gpointer data)
{
  ChooseRequest *request = data;
  g_autoptr (GFile) file = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  if (request->parent != NULL)
    request->chosen (request->parent, file, request->data);
  choose_request_free (request);
  g_object_unref (dialog);
}

static void
add_filters (GtkFileChooser *chooser, const TsFileKind *kinds, guint n_kinds)
{
  for (guint i = 0; i < n_kinds; i++)
    {
      g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

      gtk_file_filter_set_name (filter, kinds[i].name);
      for (guint k = 0; kinds[i].patterns[k] != NULL; k++)
        gtk_file_filter_add_pattern (filter, kinds[i].patterns[k]);
      gtk_file_chooser_add_filter (chooser, filter);
    }
}

void
ts_compat_choose_file (GtkWindow *parent, TsChooseKind kind, const char *title, const char *suggested, const TsFileKind *kinds,
                       guint n_kinds, TsFileChosen chosen, gpointer data)
{
  static const GtkFileChooserAction actions[] = {
    [TS_CHOOSE_FILE] = GTK_FILE_CHOOSER_ACTION_OPEN,
    [TS_CHOOSE_FOLDER] = GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
    [TS_CHOOSE_SAVE] = GTK_FILE_CHOOSER_ACTION_SAVE,
  };
  /* The dialog has no owner but us: it is kept until it answers. */
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (title, parent, actions[kind], NULL, NULL);
  ChooseRequest *request = g_new0 (ChooseRequest, 1);

  g_set_weak_pointer (&request->parent, parent);
  request->chosen = chosen;
  request->data = data;
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  add_filters (GTK_FILE_CHOOSER (dialog), kinds, n_kinds);
  if (suggested != NULL)
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), suggested);
  g_signal_connect (dialog, "response", G_CALLBACK (on_choose_response), request);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

void
ts_compat_text_color (GtkWidget *widget, GdkRGBA *color)
{
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), color);
}

void
ts_compat_list_scroll_to (GtkListView *list, guint position)
{
  gtk_widget_activate_action (GTK_WIDGET (list), "list.scroll-to-item", "u", position);
}

GtkWindow *
ts_compat_shortcuts_window (const char *definition)
{
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_string (definition, -1);
  GObject *window = gtk_builder_get_object (builder, "window");

  return GTK_WINDOW (window);
}

void
ts_compat_dispose_template (GtkWidget *widget, GType type)
{
  GtkWidget *child;

  gtk_widget_dispose_template (widget, type);
  while ((child = gtk_widget_get_first_child (widget)) != NULL)
    gtk_widget_unparent (child);
}

void
ts_compat_show_about (GtkWindow *parent, const char *application_id, const char *version)
{
  adw_show_about_window (parent, "application-name", "Tilescope", "application-icon", application_id, "version", version,
                         "developer-name", _("The Tilescope developers"), "license-type", GTK_LICENSE_GPL_3_0, "comments",
                         _("See how a tile kernel becomes a schedule. Every figure comes from the simulator inside the program."),
                         "website", "https://tilescope.github.io/", "translator-credits", _("translator-credits"), NULL);
}
