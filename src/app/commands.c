/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every command of the program in one table. */
#include "app/commands.h"

#include <glib/gi18n.h>

#define DRAWINGS N_("Graph, Timeline and Memory Map")
#define PASSES N_("Passes")
#define SELECTION N_("Selection")
#define GENERAL N_("General")

static const TsCommand commands[] = {
  { "win.open", "<Control>o", TS_KEYS_WINDOW, GENERAL, N_("Open a file") },
  { "win.open-folder", "<Control><Shift>o", TS_KEYS_WINDOW, GENERAL, N_("Open a folder of dumps") },
  { "win.reload", "<Control>r", TS_KEYS_WINDOW, GENERAL, N_("Reload and simulate again") },
  { "win.bindings", "<Control>b", TS_KEYS_WINDOW, GENERAL, N_("Set values of open names") },
  { "win.export", "<Control>e", TS_KEYS_WINDOW, GENERAL, N_("Export a figure") },
  { "win.cancel", "", TS_KEYS_WINDOW, GENERAL, N_("Stop the work under way") },
  { "app.new-window", "<Control>n", TS_KEYS_WINDOW, GENERAL, N_("New window") },
  { "win.toggle-inspector", "F9", TS_KEYS_WINDOW, GENERAL, N_("Show or hide the inspector") },
  { "win.toggle-fullscreen", "F11", TS_KEYS_WINDOW, GENERAL, N_("Full screen") },
  { "win.pane::next", "F6", TS_KEYS_WINDOW, GENERAL, N_("Next pane") },
  { "win.pane::previous", "<Shift>F6", TS_KEYS_WINDOW, GENERAL, N_("Previous pane") },
  { "win.focus::code", "<Alt>1", TS_KEYS_WINDOW, GENERAL, N_("Go to the code") },
  { "win.focus::graph", "<Alt>2", TS_KEYS_WINDOW, GENERAL, N_("Go to the graph") },
  { "win.focus::timeline", "<Alt>3", TS_KEYS_WINDOW, GENERAL, N_("Go to the timeline") },
  { "win.focus::memory", "<Alt>4", TS_KEYS_WINDOW, GENERAL, N_("Go to the memory map") },
  { "win.menu", "F10", TS_KEYS_WINDOW, GENERAL, N_("Open the menu") },
  { "win.shortcuts", "<Control>question question", TS_KEYS_LETTER, GENERAL, N_("Keyboard shortcuts") },
  { "window.close", "<Control>w", TS_KEYS_WINDOW, GENERAL, N_("Close the window") },
  { "app.quit", "<Control>q", TS_KEYS_WINDOW, GENERAL, N_("Quit") },

  { "win.pass::next", "j", TS_KEYS_LETTER, PASSES, N_("Next pass") },
  { "win.pass::previous", "k", TS_KEYS_LETTER, PASSES, N_("Previous pass") },
  { "win.pass::next-changed", "<Shift>j", TS_KEYS_LETTER, PASSES, N_("Next pass that changed something") },
  { "win.pass::previous-changed", "<Shift>k", TS_KEYS_LETTER, PASSES, N_("Previous pass that changed something") },
  { "win.pass::next-touching", "<Alt>Down", TS_KEYS_WINDOW, PASSES, N_("Next pass that touched the selection") },
  { "win.pass::previous-touching", "<Alt>Up", TS_KEYS_WINDOW, PASSES, N_("Previous pass that touched the selection") },
  { "win.step::next", "<Alt>Right", TS_KEYS_WINDOW, PASSES, N_("Next decision of the pass") },
  { "win.step::previous", "<Alt>Left", TS_KEYS_WINDOW, PASSES, N_("Decision before") },
  { "win.hide-unchanged", "n", TS_KEYS_LETTER, PASSES, N_("Show or hide passes without effect") },
  { "win.search-passes", "slash", TS_KEYS_LETTER, PASSES, N_("Jump to a pass by name") },

  { "win.clear-selection", "Escape", TS_KEYS_LETTER, SELECTION, N_("Clear the selection") },
  { "win.reveal", "", TS_KEYS_WINDOW, SELECTION, N_("Reveal the selection in every view") },
  { "win.blocker", "b", TS_KEYS_LETTER, SELECTION, N_("Go to what it waits for") },
  { "win.critical-path", "c", TS_KEYS_LETTER, SELECTION, N_("Show or hide the critical path") },
  { "win.color-by::next", "<Shift>c", TS_KEYS_LETTER, SELECTION, N_("Colour by stage, unit, iteration or operation") },

  { "win.turn-graph", "<Shift>g", TS_KEYS_LETTER, DRAWINGS, N_("Turn the graph: downwards or to the right") },
  { "canvas.zoom::in", "@w <Control>plus <Control>equal <Control>KP_Add", TS_KEYS_CANVAS, DRAWINGS, N_("Zoom in") },
  { "canvas.zoom::out", "@s <Control>minus <Control>KP_Subtract", TS_KEYS_CANVAS, DRAWINGS, N_("Zoom out") },
  { "canvas.pan::left", "@a", TS_KEYS_CANVAS, DRAWINGS, N_("Move left") },
  { "canvas.pan::right", "@d", TS_KEYS_CANVAS, DRAWINGS, N_("Move right") },
  { "canvas.pan::left-little", "<Shift>@a", TS_KEYS_CANVAS, DRAWINGS, N_("Move a little to the left") },
  { "canvas.pan::right-little", "<Shift>@d", TS_KEYS_CANVAS, DRAWINGS, N_("Move a little to the right") },
  { "canvas.pan::up", "Page_Up", TS_KEYS_CANVAS, DRAWINGS, N_("A screen up") },
  { "canvas.pan::down", "Page_Down", TS_KEYS_CANVAS, DRAWINGS, N_("A screen down") },
  { "canvas.fit::all", "Home <Control>0", TS_KEYS_CANVAS, DRAWINGS, N_("Fit everything") },
  { "canvas.fit::selection", "f", TS_KEYS_CANVAS, DRAWINGS, N_("Fit the selection") },
  { "canvas.fit::range", "z", TS_KEYS_CANVAS, DRAWINGS, N_("Zoom to the selected range") },
  { "canvas.go::right", "Right period", TS_KEYS_CANVAS, DRAWINGS, N_("Next in the lane, node to the right") },
  { "canvas.go::left", "Left comma", TS_KEYS_CANVAS, DRAWINGS, N_("Previous in the lane, node to the left") },
  { "canvas.go::up", "Up", TS_KEYS_CANVAS, DRAWINGS, N_("Lane or node above") },
  { "canvas.go::down", "Down", TS_KEYS_CANVAS, DRAWINGS, N_("Lane or node below") },
  { "canvas.range-from-selection", "r", TS_KEYS_CANVAS, DRAWINGS, N_("Select the range of the operation") },
};

/* Key codes of the letters' places: evdev numbers plus 8, the same under X11 and Wayland. */
static const struct { char letter; guint keycode; } places[] = { { 'w', 25 }, { 'a', 38 }, { 's', 39 }, { 'd', 40 } };

const TsCommand *
ts_commands (guint *n)
{
  *n = G_N_ELEMENTS (commands);
  return commands;
}

const TsCommand *
ts_command_find (const char *action)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (commands[i].action, action))
      return &commands[i];
  return NULL;
}

char *
ts_command_split (const TsCommand *command, GVariant **target)
{
  const char *colons = strstr (command->action, "::");

  *target = colons != NULL ? g_variant_new_string (colons + 2) : NULL;
  return colons != NULL ? g_strndup (command->action, (gsize) (colons - command->action)) : g_strdup (command->action);
}

static gboolean
is_positional (const char *key)
{
  return strchr (key, '@') != NULL;
}

char **
ts_command_accelerators (const TsCommand *command)
{
  g_auto (GStrv) words = g_strsplit (command->keys, " ", -1);
  g_autoptr (GStrvBuilder) found = g_strv_builder_new ();

  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0' && !is_positional (words[i]))
      g_strv_builder_add (found, words[i]);
  return g_strv_builder_end (found);
}

/* Key code and modifiers of a positional key such as "<Shift>@a". */
static guint
positional_keycode (const char *key, GdkModifierType *modifiers)
{
  const char *at = strchr (key, '@');

  *modifiers = g_str_has_prefix (key, "<Shift>") ? GDK_SHIFT_MASK : 0;
  for (guint i = 0; at != NULL && i < G_N_ELEMENTS (places); i++)
    if (places[i].letter == at[1])
      return places[i].keycode;
  return 0;
}

const TsCommand *
ts_command_at_keycode (guint keycode, GdkModifierType modifiers)
{
  modifiers &= GDK_SHIFT_MASK | GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK;
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_auto (GStrv) words = g_strsplit (commands[i].keys, " ", -1);

      for (guint k = 0; words[k] != NULL; k++)
        {
          GdkModifierType wanted;

          if (is_positional (words[k]) && positional_keycode (words[k], &wanted) == keycode && wanted == modifiers)
            return &commands[i];
        }
    }
  return NULL;
}

/* What the key at a place types in the layout of the display, in lower case. */
static char *
layout_letter (GdkDisplay *display, guint keycode, char fallback)
{
  g_autofree GdkKeymapKey *keys = NULL;
  g_autofree guint *keyvals = NULL;
  int n = 0;

  if (display != NULL && gdk_display_map_keycode (display, keycode, &keys, &keyvals, &n))
    for (int i = 0; i < n; i++)
      if (keys[i].group == 0 && keys[i].level == 0 && gdk_keyval_name (keyvals[i]) != NULL)
        return g_strdup (gdk_keyval_name (keyvals[i]));
  return g_strdup_printf ("%c", fallback);
}

static char *
shown_keys (const TsCommand *command, GdkDisplay *display)
{
  g_auto (GStrv) words = g_strsplit (command->keys, " ", -1);
  GString *shown = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    {
      GdkModifierType modifiers;

      /* The same key under three names is one line for people. */
      if (words[i][0] == '\0' || strstr (words[i], "KP_") != NULL || g_str_has_suffix (words[i], ">equal"))
        continue;
      if (shown->len > 0)
        g_string_append_c (shown, ' ');
      if (is_positional (words[i]))
        {
          guint keycode = positional_keycode (words[i], &modifiers);
          g_autofree char *letter = layout_letter (display, keycode, strchr (words[i], '@')[1]);

          g_string_append_printf (shown, "%s%s", modifiers & GDK_SHIFT_MASK ? "<Shift>" : "", letter);
        }
      else
        g_string_append (shown, words[i]);
    }
  return g_string_free (shown, FALSE);
}

static void
append_group (GString *ui, const char *group, GdkDisplay *display)
{
  g_autofree char *heading = g_markup_escape_text (_(group), -1);

  g_string_append_printf (ui,
                          "<child><object class=\"GtkShortcutsGroup\"><property name=\"title\">%s</property>", heading);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *keys = NULL;
      g_autofree char *escaped = NULL;
      g_autofree char *title = NULL;

      if (!g_str_equal (commands[i].group, group) || commands[i].keys[0] == '\0')
        continue;
      keys = shown_keys (&commands[i], display);
      escaped = g_markup_escape_text (keys, -1);
      title = g_markup_escape_text (_(commands[i].title), -1);
      g_string_append_printf (ui,
                              "<child><object class=\"GtkShortcutsShortcut\"><property name=\"accelerator\">%s</property>"
                              "<property name=\"title\">%s</property></object></child>", escaped, title);
    }
  g_string_append (ui, "</object></child>");
}

char *
ts_commands_shortcuts_ui (GdkDisplay *display)
{
  static const char *const groups[] = { GENERAL, PASSES, SELECTION, DRAWINGS };
  GString *ui = g_string_new ("<interface><object class=\"GtkShortcutsWindow\" id=\"window\"><property name=\"modal\">1</property>"
                              "<child><object class=\"GtkShortcutsSection\"><property name=\"section-name\">all</property>"
                              "<property name=\"max-height\">30</property>");

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    append_group (ui, groups[i], display);
  g_string_append (ui, "</object></child></object></interface>");
  return g_string_free (ui, FALSE);
}
