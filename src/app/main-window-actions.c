/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window's actions and keys. What the keys are stands in commands.c. */
#include <glib/gi18n.h>

#include "app/commands.h"
#include "app/compat.h"
#include "app/main-window-private.h"

#define SELF(data) TS_MAIN_WINDOW (data)

/* --- opening ----------------------------------------------------------------------------------------------------------------- */

static void
on_file_chosen (GtkWindow *window, GFile *file, gpointer unused)
{
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    ts_main_window_open (SELF (window), path);
  else if (file != NULL)
    ts_main_window_tell (SELF (window), _("Only files of this computer can be opened"));
}

static void
open_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  static const char *const inputs[] = { "*.py", "*.ttir", "*.mlir", "*.svg", NULL };
  static const char *const everything[] = { "*", NULL };
  const TsFileKind kinds[] = { { _("Kernels, Triton IR, exported figures"), inputs }, { _("All files"), everything } };

  ts_compat_choose_file (GTK_WINDOW (data), TS_CHOOSE_FILE, _("Open"), NULL, kinds, G_N_ELEMENTS (kinds), on_file_chosen, NULL);
}

static void
open_folder_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_compat_choose_file (GTK_WINDOW (data), TS_CHOOSE_FOLDER, _("Open a Folder of Dumps"), NULL, NULL, 0, on_file_chosen, NULL);
}

static void
open_spec_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_main_window_open (SELF (data), g_variant_get_string (target, NULL));
}

static void
open_entry_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_document_open_entry (SELF (data)->document, g_variant_get_string (target, NULL));
}

static void
reload_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_document_reload (SELF (data)->document);
}

static void
cancel_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_document_cancel (SELF (data)->document);
}

static void
export_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_main_window_ask_export (SELF (data));
}

static void
bindings_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_main_window_ask_bindings (SELF (data));
}

/* --- passes ------------------------------------------------------------------------------------------------------------------ */

/* The next snapshot in a direction whose pass touches what is selected. */
static gboolean
step_touching (TsMainWindow *self, int step)
{
  TsRun *run = ts_document_get_run (self->document);
  guint of;
  gint32 op;
  gint64 index;

  if (run == NULL || !ts_selection_anchor (ts_document_get_selection (self->document), &of, &op)
      || of >= ts_run_n_snapshots (run))
    return FALSE;
  index = (gint64) ts_document_get_index (self->document) + step;
  for (; index >= 0 && index < ts_run_n_snapshots (run); index += step)
    if (ts_run_pass_touches (run, (guint) index, of, op))
      {
        ts_document_show_snapshot (self->document, (guint) index);
        return TRUE;
      }
  return FALSE;
}

static void
pass_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsMainWindow *self = SELF (data);
  const char *where = g_variant_get_string (target, NULL);
  int step = g_str_has_prefix (where, "next") ? 1 : -1;
  gboolean found;

  if (g_str_has_suffix (where, "-touching"))
    found = step_touching (self, step);
  else
    found = ts_pass_list_step (self->pass_list, step, g_str_has_suffix (where, "-changed"));
  if (!found && g_str_has_suffix (where, "-touching"))
    ts_main_window_tell (self, _("No further pass touches the selection"));
}

static void
show_snapshot_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_document_show_snapshot (SELF (data)->document, g_variant_get_uint32 (target));
}

static void
step_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_inspector_step (SELF (data)->inspector, g_str_equal (g_variant_get_string (target, NULL), "next") ? 1 : -1);
}

static void
search_passes_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_pass_list_search (SELF (data)->pass_list);
}

static void
hide_unchanged_action (GSimpleAction *action, GVariant *state, gpointer data)
{
  g_simple_action_set_state (action, state);
  ts_settings_set (SELF (data)->settings, TS_SETTING_HIDE_UNCHANGED, g_variant_new_boolean (g_variant_get_boolean (state)));
  ts_pass_list_set_hide_unchanged (SELF (data)->pass_list, g_variant_get_boolean (state));
}

/* Adds a machine once, before whatever else is in the menu. A file chosen by hand joins under its own name. */
static void
list_machine (TsMainWindow *self, const char *label, const char *machine)
{
  GMenuModel *menu = G_MENU_MODEL (self->machine_menu);
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);
  int at = 0;

  for (; at < g_menu_model_get_n_items (menu); at++)
    {
      g_autoptr (GVariant) known = g_menu_model_get_item_attribute_value (menu, at, G_MENU_ATTRIBUTE_TARGET, G_VARIANT_TYPE_STRING);

      if (known == NULL)
        break;
      if (g_strcmp0 (g_variant_get_string (known, NULL), machine) == 0)
        return;
    }
  g_menu_item_set_action_and_target (item, "win.machine", "s", machine);
  g_menu_insert_item (self->machine_menu, at, item);
}

/* A machine that cannot be read changes nothing but is told. */
static void
machine_action (GSimpleAction *action, GVariant *state, gpointer data)
{
  TsMainWindow *self = SELF (data);
  const char *name = g_variant_get_string (state, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load (name, NULL, &error);
  g_autofree char *label = g_path_get_basename (name);

  if (machine == NULL)
    {
      /* A toast has room for one line; the command line tells the others. */
      g_auto (GStrv) faults = g_strsplit (error->message, "\n", -1);
      guint more = g_strv_length (faults) - 1;
      g_autofree char *several = more > 0 ? g_strdup_printf (_("%s (and %u more)"), faults[0], more) : NULL;

      ts_main_window_tell (self, several != NULL ? several : error->message);
      return;
    }
  list_machine (self, label, name);
  g_simple_action_set_state (action, state);
  ts_settings_set (self->settings, TS_SETTING_MACHINE, g_variant_new_string (name));
  ts_document_set_machine (self->document, name);
}

static void
on_machine_file_chosen (GtkWindow *window, GFile *file, gpointer unused)
{
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    g_action_group_change_action_state (G_ACTION_GROUP (window), "machine", g_variant_new_string (path));
}

static void
machine_file_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  static const char *const machines[] = { "*.machine", NULL };
  static const char *const everything[] = { "*", NULL };
  const TsFileKind kinds[] = { { _("Machine files"), machines }, { _("All files"), everything } };

  ts_compat_choose_file (GTK_WINDOW (data), TS_CHOOSE_FILE, _("Open a Machine File"), NULL, kinds, G_N_ELEMENTS (kinds),
                         on_machine_file_chosen, NULL);
}

/* --- selection --------------------------------------------------------------------------------------------------------------- */

/* Escape peels one layer: the range, then the selection. */
static void
clear_selection_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsMainWindow *self = SELF (data);
  TsTimeView *view = ts_timeline_canvas_get_view (self->timeline);
  TsCycles range = ts_time_view_get_range (view);

  if (range.from < range.to)
    ts_time_view_set_range (view, (TsCycles) { 0, 0 });
  else
    ts_selection_clear (ts_document_get_selection (self->document));
}

static void
reveal_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsMainWindow *self = SELF (data);

  gtk_widget_activate_action (GTK_WIDGET (self->dag), "canvas.fit", "s", "selection");
  gtk_widget_activate_action (GTK_WIDGET (self->timeline), "canvas.fit", "s", "selection");
  gtk_widget_activate_action (GTK_WIDGET (self->memory), "canvas.fit", "s", "selection");
  ts_code_view_reveal (self->code);
}

/* Selects what the selected event waited for. */
static void
blocker_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsMainWindow *self = SELF (data);
  TsShown *shown = ts_document_get_shown (self->document);
  TsPick pick = ts_selection_get (ts_document_get_selection (self->document));
  gint32 event = pick.event, on = -1;

  if (shown == NULL || shown->timeline == NULL)
    return;
  if (event < 0 && pick.op >= 0)
    event = ts_timeline_event_of_op (shown->timeline, pick.op, 0);
  if (event >= 0)
    on = ts_timeline_event (shown->timeline, event)->on;
  if (on >= 0)
    ts_document_pick (self->document, (TsPick) { ts_timeline_event (shown->timeline, on)->op, on, FALSE });
  else
    ts_main_window_tell (self, event >= 0 ? _("It waits for nothing") : _("Select an operation of the timeline first"));
}

static void
turn_graph_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  ts_document_turn_graph (SELF (data)->document);
}

static void
critical_path_action (GSimpleAction *action, GVariant *state, gpointer data)
{
  g_simple_action_set_state (action, state);
  ts_time_view_set_critical_path (ts_timeline_canvas_get_view (SELF (data)->timeline), g_variant_get_boolean (state));
}

static void
color_by_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsTimeView *view = ts_timeline_canvas_get_view (SELF (data)->timeline);
  const char *name = g_variant_get_string (target, NULL);
  TsColorBy by = ts_time_view_get_color_by (view);

  if (g_str_equal (name, "next"))
    by = (by + 1) % TS_N_COLOR_BY;
  else if (!ts_color_by_from_name (name, &by))
    return;
  ts_time_view_set_color_by (view, by);
  g_simple_action_set_state (action, g_variant_new_string (ts_color_by_name (by)));
}

/* --- window ------------------------------------------------------------------------------------------------------------------ */

static void
toggle_inspector_action (GSimpleAction *action, GVariant *state, gpointer data)
{
  g_simple_action_set_state (action, state);
  ts_settings_set (SELF (data)->settings, TS_SETTING_SHOW_INSPECTOR, g_variant_new_boolean (g_variant_get_boolean (state)));
  ts_main_window_update_panes (SELF (data));
}

static void
show_pane_action (GSimpleAction *action, GVariant *state, gpointer data)
{
  g_simple_action_set_state (action, state);
  ts_main_window_show_pane (SELF (data), g_variant_get_string (state, NULL));
}

/* The state follows in ts_main_window_place_view(). */
static void
upper_view_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsViewKind view;

  if (ts_view_from_name (g_variant_get_string (target, NULL), &view))
    ts_main_window_place_view (SELF (data), TRUE, view);
}

static void
lower_view_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsViewKind view;

  if (ts_view_from_name (g_variant_get_string (target, NULL), &view))
    ts_main_window_place_view (SELF (data), FALSE, view);
}

static void
toggle_fullscreen_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  if (gtk_window_is_fullscreen (GTK_WINDOW (data)))
    gtk_window_unfullscreen (GTK_WINDOW (data));
  else
    gtk_window_fullscreen (GTK_WINDOW (data));
}

static void
focus_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsMainWindow *self = SELF (data);
  const char *where = g_variant_get_string (target, NULL);
  TsViewKind view;

  if (ts_view_from_name (where, &view))
    ts_main_window_focus_view (self, view);
  else if (g_str_equal (where, "code"))
    gtk_widget_grab_focus (ts_code_view_get_text_view (self->code));
}

static void
pane_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  TsMainWindow *self = SELF (data);
  GtkWidget *panes[] = { GTK_WIDGET (self->pass_list), GTK_WIDGET (ts_main_window_canvas (self, self->upper_view)),
                         GTK_WIDGET (ts_main_window_canvas (self, self->lower_view)), GTK_WIDGET (self->code),
                         GTK_WIDGET (self->inspector) };
  int n = G_N_ELEMENTS (panes), step = g_str_equal (g_variant_get_string (target, NULL), "next") ? 1 : -1, at = step > 0 ? -1 : 0;
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (self));

  for (int i = 0; focus != NULL && i < n; i++)
    if (focus == panes[i] || gtk_widget_is_ancestor (focus, panes[i]))
      at = i;
  /* A pane that cannot take the focus (hidden, nothing in it to focus) is passed over. */
  for (int i = 1; i <= n; i++)
    {
      GtkWidget *pane = panes[((at + step * i) % n + n) % n];

      if (gtk_widget_get_mapped (pane) && (gtk_widget_grab_focus (pane) || gtk_widget_child_focus (pane, GTK_DIR_TAB_FORWARD)))
        return;
    }
}

static void
menu_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  gtk_menu_button_popup (SELF (data)->menu_button);
}

static void
shortcuts_action (GSimpleAction *action, GVariant *target, gpointer data)
{
  g_autofree char *ui = ts_commands_shortcuts_ui (gtk_widget_get_display (GTK_WIDGET (data)));
  GtkWindow *window = ts_compat_shortcuts_window (ui);

  gtk_window_set_transient_for (window, GTK_WINDOW (data));
  gtk_window_present (window);
}

/* --- keys -------------------------------------------------------------------------------------------------------------------- */

/* Letters are text where text can be typed. */
static gboolean
is_typing (GtkWidget *window)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (window));

  if (focus == NULL)
    return FALSE;
  return GTK_IS_EDITABLE (focus) || (GTK_IS_TEXT_VIEW (focus) && gtk_text_view_get_editable (GTK_TEXT_VIEW (focus)));
}

static gboolean
on_letter (GtkWidget *window, GVariant *args, gpointer data)
{
  g_autoptr (GVariant) target = NULL;
  g_autofree char *name = NULL;

  if (is_typing (window))
    return FALSE;
  name = ts_command_split (data, &target);
  if (target != NULL)
    g_variant_ref_sink (target);
  return gtk_widget_activate_action_variant (window, name, target);
}

static void
add_shortcut (GtkShortcutController *controller, const TsCommand *command, const char *key)
{
  GtkShortcutTrigger *trigger = gtk_shortcut_trigger_parse_string (key);
  GtkShortcutAction *action;

  if (trigger == NULL)
    g_error ("bad key in the table of commands: %s", key);
  if (command->scope == TS_KEYS_LETTER)
    action = gtk_callback_action_new (on_letter, (gpointer) command, NULL);
  else
    {
      g_autoptr (GVariant) target = NULL;
      g_autofree char *name = ts_command_split (command, &target);
      GtkShortcut *shortcut = gtk_shortcut_new (trigger, gtk_named_action_new (name));

      gtk_shortcut_set_arguments (shortcut, g_steal_pointer (&target));
      gtk_shortcut_controller_add_shortcut (controller, shortcut);
      return;
    }
  gtk_shortcut_controller_add_shortcut (controller, gtk_shortcut_new (trigger, action));
}

static void
init_keys (TsMainWindow *self)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();
  guint n;
  const TsCommand *commands = ts_commands (&n);

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) keys = ts_command_accelerators (&commands[i]);

      for (guint k = 0; commands[i].scope != TS_KEYS_CANVAS && keys[k] != NULL; k++)
        add_shortcut (GTK_SHORTCUT_CONTROLLER (controller), &commands[i], keys[k]);
    }
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

/* --- table ------------------------------------------------------------------------------------------------------------------- */

static const GActionEntry entries[] = {
  { .name = "open", .activate = open_action },
  { .name = "open-folder", .activate = open_folder_action },
  { .name = "open-spec", .activate = open_spec_action, .parameter_type = "s" },
  { .name = "open-entry", .activate = open_entry_action, .parameter_type = "s" },
  { .name = "reload", .activate = reload_action },
  { .name = "cancel", .activate = cancel_action },
  { .name = "export", .activate = export_action },
  { .name = "bindings", .activate = bindings_action },
  { .name = "pass", .activate = pass_action, .parameter_type = "s" },
  { .name = "show-snapshot", .activate = show_snapshot_action, .parameter_type = "u" },
  { .name = "step", .activate = step_action, .parameter_type = "s" },
  { .name = "search-passes", .activate = search_passes_action },
  { .name = "hide-unchanged", .change_state = hide_unchanged_action, .state = "false" },
  { .name = "machine", .change_state = machine_action, .parameter_type = "s", .state = "''" },
  { .name = "machine-file", .activate = machine_file_action },
  { .name = "clear-selection", .activate = clear_selection_action },
  { .name = "reveal", .activate = reveal_action },
  { .name = "blocker", .activate = blocker_action },
  { .name = "turn-graph", .activate = turn_graph_action },
  { .name = "critical-path", .change_state = critical_path_action, .state = "false" },
  { .name = "color-by", .activate = color_by_action, .parameter_type = "s", .state = "'stage'" },
  { .name = "toggle-inspector", .change_state = toggle_inspector_action, .state = "true" },
  { .name = "show-pane", .change_state = show_pane_action, .parameter_type = "s", .state = "'views'" },
  { .name = "upper-view", .activate = upper_view_action, .parameter_type = "s", .state = "'graph'" },
  { .name = "lower-view", .activate = lower_view_action, .parameter_type = "s", .state = "'timeline'" },
  { .name = "toggle-fullscreen", .activate = toggle_fullscreen_action },
  { .name = "focus", .activate = focus_action, .parameter_type = "s" },
  { .name = "pane", .activate = pane_action, .parameter_type = "s" },
  { .name = "menu", .activate = menu_action },
  { .name = "shortcuts", .activate = shortcuts_action },
};

static void
set_enabled (TsMainWindow *self, const char *name, gboolean enabled)
{
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), name)), enabled);
}

void
ts_main_window_update_actions (TsMainWindow *self)
{
  TsShown *shown = ts_document_get_shown (self->document);
  gboolean open = ts_document_get_run (self->document) != NULL;

  if (g_action_map_lookup_action (G_ACTION_MAP (self), "open") == NULL)
    return; /* while the window is being made */
  set_enabled (self, "pass", open);
  set_enabled (self, "search-passes", open);
  set_enabled (self, "reload", self->opening != NULL);
  set_enabled (self, "bindings", self->opening != NULL);
  set_enabled (self, "cancel", ts_document_is_busy (self->document));
  set_enabled (self, "export", shown != NULL && (shown->timeline != NULL || shown->dag != NULL || shown->map != NULL));
}

static void
fill_machines (TsMainWindow *self)
{
  g_auto (GStrv) names = ts_machine_names ();
  g_autoptr (GMenu) others = g_menu_new ();

  for (guint i = 0; names[i] != NULL; i++)
    list_machine (self, names[i], names[i]);
  g_menu_append (others, _("Machine File…"), "win.machine-file");
  g_menu_append_section (self->machine_menu, NULL, G_MENU_MODEL (others));
}

/* Not so when the settings name one that is gone. */
static gboolean
has_machine (TsMainWindow *self)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (G_ACTION_GROUP (self), "machine");

  return *g_variant_get_string (state, NULL) != '\0';
}

void
ts_main_window_init_actions (TsMainWindow *self)
{
  g_autofree char *machine = ts_settings_get_string (self->settings, TS_SETTING_MACHINE);

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  fill_machines (self);
  g_action_group_change_action_state (G_ACTION_GROUP (self), "machine", g_variant_new_string (machine));
  if (!has_machine (self))
    g_action_group_change_action_state (G_ACTION_GROUP (self), "machine", g_variant_new_string (TS_DEFAULT_MACHINE));
  g_action_group_change_action_state (G_ACTION_GROUP (self), "hide-unchanged",
                                      g_variant_new_boolean (ts_settings_get_boolean (self->settings, TS_SETTING_HIDE_UNCHANGED)));
  g_action_group_change_action_state (G_ACTION_GROUP (self), "toggle-inspector",
                                      g_variant_new_boolean (ts_settings_get_boolean (self->settings, TS_SETTING_SHOW_INSPECTOR)));
  init_keys (self);
  ts_main_window_update_actions (self);
}
