/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every command of the program in one table: the actions' keys, the shortcuts window and the tests all read it.
 * Source: ux.md section 2. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Where the keys of a command work. */
typedef enum
{
  TS_KEYS_WINDOW,  /* anywhere in the window */
  TS_KEYS_LETTER,  /* anywhere but where text can be typed: keys without Ctrl or Alt */
  TS_KEYS_CANVAS,  /* while a drawing has the focus */
} TsKeyScope;

typedef struct
{
  const char *action; /* "win.next-pass"; a target follows in double colons: "canvas.zoom::in" */
  const char *keys;   /* accelerators, separated by blanks; "@w" is a place on the keyboard: the key that is W on a US layout */
  TsKeyScope  scope;
  const char *group;  /* heading in the shortcuts window */
  const char *title;
} TsCommand;

const TsCommand *ts_commands (guint *n);
/* The row of an action, or NULL. */
const TsCommand *ts_command_find (const char *action);

/* Splits "win.zoom::in" into its name and target. `*target` is NULL when there is none. Free the name with g_free. */
char            *ts_command_split (const TsCommand *command, GVariant **target);
/* Accelerators of one command, NULL-terminated, without the positional ones. Free with g_strfreev. */
char           **ts_command_accelerators (const TsCommand *command);
/* The canvas command at a physical key (an X11 or Wayland key code), or NULL. */
const TsCommand *ts_command_at_keycode (guint keycode, GdkModifierType modifiers);

/* The text of a GtkShortcutsWindow with every command. Positional keys are shown as the letters of the display's layout. */
char            *ts_commands_shortcuts_ui (GdkDisplay *display);

G_END_DECLS
