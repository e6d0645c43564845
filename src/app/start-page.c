/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window shows while nothing is open. */
#include "app/start-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/compat.h"
#include "app/recent.h"
#include "lang/pypto/pypto.h"
#include "run/input.h"

#define MAX_RECENT 6u
#define MAX_ENTRIES 20u

struct _TsStartPage
{
  GtkWidget            parent_instance;
  AdwStatusPage       *status;
  GtkTextView         *details;
  AdwPreferencesGroup *samples;
  AdwPreferencesGroup *recent;
  AdwPreferencesGroup *entries;
  GPtrArray           *recent_rows, *entry_rows; /* not owned: in `recent` and `entries` */
};

G_DEFINE_FINAL_TYPE (TsStartPage, ts_start_page, GTK_TYPE_WIDGET)

static GtkWidget *
make_row (const char *title, const char *subtitle, const char *action, const char *target)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *safe_title = g_markup_escape_text (title, -1);
  g_autofree char *safe_subtitle = g_markup_escape_text (subtitle, -1);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), safe_title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), safe_subtitle);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (row), "s", target);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), action);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), gtk_image_new_from_icon_name ("go-next-symbolic"));
  return row;
}

static void
add_samples (TsStartPage *self)
{
  guint n;
  const TsSample *samples = ts_samples (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *spec = g_strconcat ("sample:", samples[i].name, NULL);

      adw_preferences_group_add (self->samples, make_row (samples[i].name, samples[i].summary, "win.open-spec", spec));
    }
}

static char *
display_path (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  return g_filename_display_name (folder);
}

static void
remove_rows (AdwPreferencesGroup *group, GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    adw_preferences_group_remove (group, g_ptr_array_index (rows, i));
  g_ptr_array_set_size (rows, 0);
}

static void
update_recent (TsStartPage *self)
{
  g_auto (GStrv) paths = ts_recent_list (MAX_RECENT);

  remove_rows (self->recent, self->recent_rows);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *name = g_filename_display_basename (paths[i]);
      g_autofree char *folder = display_path (paths[i]);
      GtkWidget *row = make_row (name, folder, "win.open-spec", paths[i]);

      adw_preferences_group_add (self->recent, row);
      g_ptr_array_add (self->recent_rows, row);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->recent), self->recent_rows->len > 0);
}

void
ts_start_page_show_entries (TsStartPage *self, const GArray *entries)
{
  remove_rows (self->entries, self->entry_rows);
  for (guint i = 0; entries != NULL && i < MIN (entries->len, MAX_ENTRIES); i++)
    {
      const TsPyptoEntry *entry = &g_array_index (entries, TsPyptoEntry, i);
      g_autofree char *subtitle = g_strdup_printf (_("%s, line %u"), entry->kind, entry->line);
      GtkWidget *row = make_row (entry->name, entry->problem != NULL ? entry->problem : subtitle, "win.open-entry", entry->name);

      gtk_widget_set_sensitive (row, entry->problem == NULL);
      adw_preferences_group_add (self->entries, row);
      g_ptr_array_add (self->entry_rows, row);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->entries), self->entry_rows->len > 0);
}

static void
set_status (TsStartPage *self, const char *icon, const char *title, const char *description, const char *details)
{
  g_autofree char *safe = g_markup_escape_text (description, -1);

  adw_status_page_set_icon_name (self->status, icon);
  adw_status_page_set_title (self->status, title);
  adw_status_page_set_description (self->status, safe);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->details), details != NULL ? details : "", -1);
  gtk_widget_set_visible (GTK_WIDGET (self->details), details != NULL && details[0] != '\0');
  update_recent (self);
}

void
ts_start_page_show_welcome (TsStartPage *self)
{
  set_status (self, "io.github.tilescope.Tilescope-symbolic", _("Open a kernel"),
              _("A kernel, Triton IR, or a folder with a compiler's dumps.\nYou can also drop it here."), NULL);
}

void
ts_start_page_show_problem (TsStartPage *self, const char *spec, const char *why, const char *details)
{
  g_autofree char *name = g_filename_display_basename (spec);
  g_autofree char *title = g_strdup_printf (_("Cannot open %s"), name);
  g_autofree char *safe = g_markup_escape_text (title, -1);

  set_status (self, "dialog-warning-symbolic", safe, why, details);
}

void
ts_start_page_show_loading (TsStartPage *self, const char *spec)
{
  g_autofree char *name = g_filename_display_basename (spec);
  g_autofree char *title = g_strdup_printf (_("Opening %s"), name);
  g_autofree char *safe = g_markup_escape_text (title, -1);

  set_status (self, "content-loading-symbolic", safe, _("Its passes are run and simulated."), NULL);
}

static void
append_item (GMenu *menu, const char *label, const char *action, const char *target)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, action, "s", target);
  g_menu_append_item (menu, item);
}

void
ts_start_page_fill_entries (GMenu *menu, const GArray *entries)
{
  g_menu_remove_all (menu);
  for (guint i = 0; entries != NULL && entries->len > 1 && i < MIN (entries->len, MAX_ENTRIES); i++)
    {
      const TsPyptoEntry *entry = &g_array_index (entries, TsPyptoEntry, i);
      g_autofree char *label = g_strdup_printf ("%s (%s)", entry->name, entry->kind);

      append_item (menu, label, "win.open-entry", entry->name);
    }
}

void
ts_start_page_fill_menus (GMenu *samples_menu, GMenu *recent_menu)
{
  g_auto (GStrv) paths = ts_recent_list (MAX_RECENT);
  guint n;
  const TsSample *samples = ts_samples (&n);

  g_menu_remove_all (samples_menu);
  g_menu_remove_all (recent_menu);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *spec = g_strconcat ("sample:", samples[i].name, NULL);

      append_item (samples_menu, samples[i].name, "win.open-spec", spec);
    }
  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *name = g_filename_display_basename (paths[i]);

      append_item (recent_menu, name, "win.open-spec", paths[i]);
    }
}

static void
ts_start_page_dispose (GObject *object)
{
  ts_compat_dispose_template (GTK_WIDGET (object), TS_TYPE_START_PAGE);
  G_OBJECT_CLASS (ts_start_page_parent_class)->dispose (object);
}

static void
ts_start_page_finalize (GObject *object)
{
  g_ptr_array_unref (TS_START_PAGE (object)->recent_rows);
  g_ptr_array_unref (TS_START_PAGE (object)->entry_rows);
  G_OBJECT_CLASS (ts_start_page_parent_class)->finalize (object);
}

static void
ts_start_page_class_init (TsStartPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ts_start_page_dispose;
  G_OBJECT_CLASS (class)->finalize = ts_start_page_finalize;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tilescope/Tilescope/ui/start-page.ui");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_bind_template_child (widget_class, TsStartPage, status);
  gtk_widget_class_bind_template_child (widget_class, TsStartPage, details);
  gtk_widget_class_bind_template_child (widget_class, TsStartPage, samples);
  gtk_widget_class_bind_template_child (widget_class, TsStartPage, entries);
  gtk_widget_class_bind_template_child (widget_class, TsStartPage, recent);
}

static void
ts_start_page_init (TsStartPage *self)
{
  self->recent_rows = g_ptr_array_new ();
  self->entry_rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  add_samples (self);
  ts_start_page_show_welcome (self);
}
