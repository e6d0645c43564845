/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and folders opened lately, by GTK's own list. */
#include "app/recent.h"

#define APP_NAME "Tilescope"

static int
newest_first (gconstpointer a, gconstpointer b)
{
  GtkRecentInfo *first = (gpointer) a, *second = (gpointer) b;

  return g_date_time_compare (gtk_recent_info_get_modified (second), gtk_recent_info_get_modified (first));
}

char **
ts_recent_list (guint n)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();
  GList *items = g_list_sort (gtk_recent_manager_get_items (gtk_recent_manager_get_default ()), newest_first);
  guint found = 0;

  for (GList *link = items; link != NULL && found < n; link = link->next)
    {
      g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (link->data), NULL, NULL);

      if (path == NULL || !gtk_recent_info_has_application (link->data, APP_NAME) || !gtk_recent_info_exists (link->data))
        continue;
      g_strv_builder_add (paths, path);
      found++;
    }
  g_list_free_full (items, (GDestroyNotify) gtk_recent_info_unref);
  return g_strv_builder_end (paths);
}

void
ts_recent_add (const char *spec)
{
  g_autofree char *uri = NULL;
  g_autofree char *path = NULL;
  GtkRecentData data = { .mime_type = (char *) "text/plain", .app_name = (char *) APP_NAME, .app_exec = (char *) "tilescope %u" };

  if (g_str_has_prefix (spec, "sample:") || g_str_equal (spec, "-"))
    return;
  path = g_canonicalize_filename (spec, NULL);
  uri = g_filename_to_uri (path, NULL, NULL);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    data.mime_type = (char *) "inode/directory";
  if (uri != NULL)
    gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}
