/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program: command line, application-wide actions, windows. */
#include "app/application.h"

#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#include "app/compat.h"
#include "config.h"
#include "resources.h"

#define RESOURCE_PATH "/io/github/tilescope/Tilescope"

struct _TsApplication
{
  AdwApplication parent_instance;
  TsSettings    *settings;
};

G_DEFINE_FINAL_TYPE (TsApplication, ts_application, ADW_TYPE_APPLICATION)

void
ts_application_register_data (GdkDisplay *display)
{
  GtkSourceLanguageManager *languages = gtk_source_language_manager_get_default ();

  g_resources_register (ts_resources_get_resource ());
  gtk_source_language_manager_append_search_path (languages, "resource://" RESOURCE_PATH "/language-specs");
  if (display != NULL)
    gtk_icon_theme_add_resource_path (gtk_icon_theme_get_for_display (display), RESOURCE_PATH "/icons");
}

/* --- settings ---------------------------------------------------------------------------------------------------------------- */

static void
apply_color_scheme (TsApplication *self)
{
  static const struct { const char *name; AdwColorScheme scheme; } schemes[] = {
    { "system", ADW_COLOR_SCHEME_DEFAULT }, { "light", ADW_COLOR_SCHEME_FORCE_LIGHT }, { "dark", ADW_COLOR_SCHEME_FORCE_DARK },
  };
  g_autofree char *name = ts_settings_get_string (self->settings, TS_SETTING_COLOR_SCHEME);

  for (guint i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (g_str_equal (schemes[i].name, name))
      adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[i].scheme);
}

static void
color_scheme_action (GSimpleAction *action, GVariant *state, gpointer data)
{
  TsApplication *self = data;

  g_simple_action_set_state (action, state);
  ts_settings_set (self->settings, TS_SETTING_COLOR_SCHEME, g_variant_new_string (g_variant_get_string (state, NULL)));
  apply_color_scheme (self);
}

static void
drag_pans_action (GSimpleAction *action, GVariant *state, gpointer data)
{
  TsApplication *self = data;

  g_simple_action_set_state (action, state);
  ts_settings_set (self->settings, TS_SETTING_DRAG_PANS, g_variant_new_boolean (g_variant_get_boolean (state)));
}

/* --- actions ----------------------------------------------------------------------------------------------------------------- */

static void
new_window_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsApplication *self = data;

  gtk_window_present (GTK_WINDOW (ts_main_window_new (GTK_APPLICATION (self), self->settings)));
}

static void
about_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  GtkWindow *parent = gtk_application_get_active_window (GTK_APPLICATION (data));

  ts_compat_show_about (parent, TS_APPLICATION_ID, TS_VERSION);
}

static void
quit_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  GList *windows = g_list_copy (gtk_application_get_windows (GTK_APPLICATION (data)));

  /* Closing them one by one lets each remember its size. */
  for (GList *link = windows; link != NULL; link = link->next)
    gtk_window_close (link->data);
  g_list_free (windows);
}

static const GActionEntry entries[] = {
  { .name = "new-window", .activate = new_window_action },
  { .name = "about", .activate = about_action },
  { .name = "quit", .activate = quit_action },
  { .name = "color-scheme", .change_state = color_scheme_action, .parameter_type = "s", .state = "'system'" },
  { .name = "drag-pans", .change_state = drag_pans_action, .state = "false" },
};

/* --- windows and command line ------------------------------------------------------------------------------------------------ */

TsMainWindow *
ts_application_open_spec (TsApplication *self, const char *spec)
{
  TsMainWindow *window = NULL;

  for (GList *link = gtk_application_get_windows (GTK_APPLICATION (self)); link != NULL && window == NULL; link = link->next)
    if (TS_IS_MAIN_WINDOW (link->data) && ts_main_window_is_free (link->data))
      window = link->data;
  if (window == NULL)
    window = ts_main_window_new (GTK_APPLICATION (self), self->settings);
  if (spec != NULL)
    ts_main_window_open (window, spec);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

/* "sample:NAME" and "-" as they are; anything else is a file, relative to where the command was typed. */
static char *
spec_of_argument (GApplicationCommandLine *line, const char *argument)
{
  g_autoptr (GFile) file = NULL;
  char *path;

  if (g_str_has_prefix (argument, "sample:") || g_str_equal (argument, "-"))
    return g_strdup (argument);
  file = g_application_command_line_create_file_for_arg (line, argument);
  path = g_file_get_path (file);
  /* Not on this computer: opening it says so. */
  return path != NULL ? path : g_file_get_uri (file);
}

static int
ts_application_command_line (GApplication *application, GApplicationCommandLine *line)
{
  TsApplication *self = TS_APPLICATION (application);
  GVariantDict *options = g_application_command_line_get_options_dict (line);
  g_autoptr (GVariant) arguments = g_variant_dict_lookup_value (options, G_OPTION_REMAINING, G_VARIANT_TYPE_BYTESTRING_ARRAY);
  g_autofree const char **names = arguments != NULL ? g_variant_get_bytestring_array (arguments, NULL) : NULL;

  if (g_variant_dict_contains (options, "new-window"))
    new_window_action (NULL, NULL, self);
  else if (names == NULL || names[0] == NULL)
    ts_application_open_spec (self, NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *spec = spec_of_argument (line, names[i]);

      ts_application_open_spec (self, spec);
    }
  return 0;
}

static int
ts_application_handle_local_options (GApplication *application, GVariantDict *options)
{
  if (g_variant_dict_contains (options, "version"))
    {
      g_print ("tilescope %s\n", TS_VERSION);
      return 0;
    }
  return -1;
}

static void
ts_application_activate (GApplication *application)
{
  ts_application_open_spec (TS_APPLICATION (application), NULL);
}

static void
ts_application_startup (GApplication *application)
{
  TsApplication *self = TS_APPLICATION (application);
  g_autofree char *scheme = NULL;

  G_APPLICATION_CLASS (ts_application_parent_class)->startup (application);
  ts_application_register_data (gdk_display_get_default ());
  gtk_window_set_default_icon_name (TS_APPLICATION_ID);
  self->settings = ts_settings_new ();
  scheme = ts_settings_get_string (self->settings, TS_SETTING_COLOR_SCHEME);
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_action_group_change_action_state (G_ACTION_GROUP (self), "color-scheme", g_variant_new_string (scheme));
  g_action_group_change_action_state (G_ACTION_GROUP (self), "drag-pans",
                                      g_variant_new_boolean (ts_settings_get_boolean (self->settings, TS_SETTING_DRAG_PANS)));
}

TsSettings *
ts_application_get_settings (TsApplication *self)
{
  return self->settings;
}

/* --- class ------------------------------------------------------------------------------------------------------------------- */

static void
ts_application_finalize (GObject *object)
{
  g_clear_object (&TS_APPLICATION (object)->settings);
  G_OBJECT_CLASS (ts_application_parent_class)->finalize (object);
}

static void
ts_application_class_init (TsApplicationClass *class)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = ts_application_finalize;
  application_class->startup = ts_application_startup;
  application_class->activate = ts_application_activate;
  application_class->command_line = ts_application_command_line;
  application_class->handle_local_options = ts_application_handle_local_options;
}

static void
ts_application_init (TsApplication *self)
{
  static const GOptionEntry options[] = {
    { "new-window", 0, 0, G_OPTION_ARG_NONE, NULL, N_("Open a new window"), NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, NULL, N_("Print the version and exit"), NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, N_("[FILE…]") },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  g_application_add_main_option_entries (G_APPLICATION (self), options);
  g_application_set_option_context_summary (G_APPLICATION (self),
                                            _("FILE is a kernel, Triton IR, a folder of dumps, or sample:NAME."));
}

TsApplication *
ts_application_new (void)
{
  return g_object_new (TS_TYPE_APPLICATION, "application-id", TS_APPLICATION_ID, "flags", G_APPLICATION_HANDLES_COMMAND_LINE,
                       "resource-base-path", RESOURCE_PATH, NULL);
}
