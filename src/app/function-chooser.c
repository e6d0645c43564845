/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the function selector: the name, and below it whether the function is simulated. */
#include "app/function-chooser.h"

#include <glib/gi18n.h>

char *
ts_function_chooser_say (TsShown *shown, const char *function)
{
  for (guint i = 0; shown != NULL && i < shown->n_functions; i++)
    {
      const TsRunFunction *found = &shown->functions[i];

      if (!g_str_equal (found->name, function))
        continue;
      if (found->can_simulate)
        return g_strdup (_("simulated"));
      if (found->why_not != NULL)
        return g_strdup_printf (_("not simulated: %s"), found->why_not);
      return g_strdup (_("not simulated"));
    }
  return g_strdup ("");
}

static GtkWidget *
make_label (const char *class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  if (class != NULL)
    gtk_widget_add_css_class (label, class);
  return label;
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *reason = make_label ("figures");

  gtk_label_set_wrap (GTK_LABEL (reason), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (reason), 44);
  gtk_box_append (GTK_BOX (box), make_label (NULL));
  gtk_box_append (GTK_BOX (box), reason);
  gtk_list_item_set_child (item, box);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *name = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  const char *function = gtk_string_object_get_string (gtk_list_item_get_item (item));
  g_autofree char *reason = ts_function_chooser_say (ts_document_get_shown (data), function);

  gtk_label_set_text (GTK_LABEL (name), function);
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_next_sibling (name)), reason);
}

static void
on_button_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *label = make_label (NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_list_item_set_child (item, label);
}

static void
on_button_bind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), gtk_string_object_get_string (gtk_list_item_get_item (item)));
}

void
ts_function_chooser_init (GtkDropDown *drop_down, TsDocument *document)
{
  g_autoptr (GtkListItemFactory) rows = gtk_signal_list_item_factory_new (), button = gtk_signal_list_item_factory_new ();

  g_signal_connect (rows, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect_object (rows, "bind", G_CALLBACK (on_bind), document, 0);
  g_signal_connect (button, "setup", G_CALLBACK (on_button_setup), NULL);
  g_signal_connect (button, "bind", G_CALLBACK (on_button_bind), NULL);
  gtk_drop_down_set_factory (drop_down, button);
  gtk_drop_down_set_list_factory (drop_down, rows);
}
