/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values for names that a file leaves open: parameters of a factory, sizes, scalar parameters. The -D of the command line. */
#include <glib/gi18n.h>

#include "app/main-window-private.h"

/* "rows=64 cols = 128, N=3" to its parts; whatever is wrong with one is the engine's to say. */
char **
ts_main_window_split_bindings (const char *text)
{
  g_autoptr (GRegex) around = g_regex_new ("\\s*=\\s*", 0, 0, NULL);
  g_autofree char *tight = g_regex_replace_literal (around, text, -1, 0, "=", 0, NULL);
  g_auto (GStrv) words = g_strsplit_set (tight != NULL ? tight : "", " \t\n,;", -1);
  g_autoptr (GStrvBuilder) found = g_strv_builder_new ();

  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0')
      g_strv_builder_add (found, words[i]);
  return g_strv_builder_end (found);
}

/* The names that the present simulation had to assume values for. */
static char *
open_names (TsMainWindow *self)
{
  TsShown *shown = ts_document_get_shown (self->document);
  GString *text = g_string_new (NULL);

  for (guint i = 0; shown != NULL && shown->simulation != NULL && i < shown->simulation->n_bindings; i++)
    if (shown->simulation->bindings[i].assumed)
      g_string_append_printf (text, "%s%s = %" G_GINT64_FORMAT, text->len > 0 ? ", " : "", shown->simulation->bindings[i].shown,
                              shown->simulation->bindings[i].value);
  return g_string_free (text, FALSE);
}

static void
on_response (AdwMessageDialog *dialog, const char *response, gpointer data)
{
  TsMainWindow *self = data;
  GtkEditable *entry = GTK_EDITABLE (adw_message_dialog_get_extra_child (dialog));
  g_auto (GStrv) defines = ts_main_window_split_bindings (gtk_editable_get_text (entry));

  if (g_str_equal (response, "apply"))
    ts_document_set_defines (self->document, (const char *const *) defines);
}

void
ts_main_window_ask_bindings (TsMainWindow *self)
{
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), _("Bindings"), NULL), *entry = gtk_entry_new ();
  const char *const *defines = ts_document_get_defines (self->document);
  g_autofree char *now = defines != NULL ? g_strjoinv (" ", (char **) defines) : g_strdup ("");
  g_autofree char *open = open_names (self);
  g_autofree char *body = open[0] != '\0' ? g_strdup_printf (_("Values for names the file leaves open. Assumed now: %s."), open)
                                          : g_strdup (_("Values for names the file leaves open."));

  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog), body);
  gtk_editable_set_text (GTK_EDITABLE (entry), now);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _("NAME=VALUE, separated by spaces"));
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Bindings"), -1);
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), entry);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _("_Cancel"), "apply", _("_Apply"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "apply", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "apply");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
  gtk_widget_grab_focus (entry);
}
