/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the window share. */
#include "harness.h"

#include <glib/gstdio.h>

#include "app/application.h"

#define PATIENCE_SECONDS 60

static TsSettings *settings;

/* AdwApplication does this by itself, but here is none. */
static void
load_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider, "/io/github/tilescope/Tilescope/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (), GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

void
harness_init (int *argc, char ***argv)
{
  gtk_test_init (argc, argv, NULL);
  adw_init ();
  ts_application_register_data (gdk_display_get_default ());
  load_style ();
  settings = ts_settings_new ();
  /* Animations would make every picture a matter of luck. */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), ADW_COLOR_SCHEME_FORCE_LIGHT);
}

static gboolean
on_tick (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

void
harness_wait (gboolean (*done) (gpointer data), gpointer data)
{
  gint64 end = g_get_monotonic_time () + PATIENCE_SECONDS * G_USEC_PER_SEC;
  guint tick = g_timeout_add (20, on_tick, NULL);

  while (!done (data))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (tick);
}

static gboolean
is_idle (gpointer data)
{
  return !ts_document_is_busy (data);
}

void
harness_settle (TsMainWindow *window)
{
  harness_wait (is_idle, ts_main_window_get_document (window));
  while (g_main_context_iteration (NULL, FALSE))
    ;
  if (gtk_widget_get_mapped (GTK_WIDGET (window)))
    gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

TsMainWindow *
harness_open (const char *spec, int width, int height)
{
  TsMainWindow *window = ts_main_window_new (NULL, settings);

  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_present (GTK_WINDOW (window));
  if (spec != NULL)
    ts_main_window_open (window, spec);
  harness_settle (window);
  return window;
}

void
harness_close (TsMainWindow *window)
{
  gpointer weak = window;

  g_object_add_weak_pointer (G_OBJECT (window), &weak);
  gtk_window_close (GTK_WINDOW (window));
  for (guint i = 0; weak != NULL && i < 200; i++)
    {
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_usleep (5000);
    }
  g_assert_null (weak);
  /* The next one begins as a new user does. */
  ts_settings_set (settings, TS_SETTING_UPPER_VIEW, g_variant_new_string ("graph"));
  ts_settings_set (settings, TS_SETTING_LOWER_VIEW, g_variant_new_string ("timeline"));
}

void
harness_activate (gpointer widget, const char *detailed_action)
{
  const char *colons = strstr (detailed_action, "::");
  g_autofree char *name
      = colons != NULL ? g_strndup (detailed_action, (gsize) (colons - detailed_action)) : g_strdup (detailed_action);
  gboolean found = colons != NULL ? gtk_widget_activate_action (widget, name, "s", colons + 2)
                                  : gtk_widget_activate_action (widget, name, NULL);

  g_assert_true (found);
}

char *
harness_golden (const char *name)
{
  return g_build_filename (g_getenv ("TS_TEST_GOLDEN"), name, NULL);
}

char *
harness_scratch (const char *name)
{
  g_autofree char *folder = g_build_filename (g_get_tmp_dir (), "tilescope-app-test", NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  return g_build_filename (folder, name, NULL);
}

char *
harness_write (const char *name, const char *text, gssize length)
{
  char *path = harness_scratch (name);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, text, length, &error);
  g_assert_no_error (error);
  return path;
}

GdkTexture *
harness_picture (TsMainWindow *window, const char *name)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (GTK_WIDGET (window));
  g_autoptr (GskRenderNode) node = NULL;
  g_autofree char *file = g_strconcat (name, ".png", NULL);
  g_autofree char *path = g_build_filename (g_getenv ("TS_TEST_PICTURES"), file, NULL);
  int width = gtk_widget_get_width (GTK_WIDGET (window)), height = gtk_widget_get_height (GTK_WIDGET (window));
  GskRenderer *renderer = gtk_native_get_renderer (GTK_NATIVE (window));
  GdkTexture *texture;

  g_assert_cmpint (g_mkdir_with_parents (g_getenv ("TS_TEST_PICTURES"), 0700), ==, 0);
  /* A frame may be under way: then there is nothing to take until it is done. */
  for (guint i = 0; node == NULL && i < 50; i++)
    {
      GtkSnapshot *snapshot = gtk_snapshot_new ();

      gdk_paintable_snapshot (paintable, snapshot, width, height);
      node = gtk_snapshot_free_to_node (snapshot);
      if (node == NULL)
        {
          gtk_widget_queue_draw (GTK_WIDGET (window));
          gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
        }
    }
  g_assert_nonnull (node);
  texture = gsk_renderer_render_texture (renderer, node, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  g_assert_cmpint (gdk_texture_get_width (texture), ==, width);
  g_assert_true (gdk_texture_save_to_png (texture, path));
  return texture;
}
