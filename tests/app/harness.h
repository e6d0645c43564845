/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the window share: a window that is ready, waiting, and pictures of it. */
#pragma once

#include "app/main-window.h"
#include "app/main-window-private.h"

/* Starts GTK, libadwaita and the program's data. */
void          harness_init (int *argc, char ***argv);
/* Runs the main loop until `done` says so; fails the test after half a minute. */
void          harness_wait (gboolean (*done) (gpointer data), gpointer data);
/* A presented window of that size that has opened `spec` (NULL: nothing) and finished all its work. */
TsMainWindow *harness_open (const char *spec, int width, int height);
/* Waits until the document has no work left and what it shows has been drawn. */
void          harness_settle (TsMainWindow *window);
/* Closes the window, asserts that nothing keeps it alive, and resets which views are seen. */
void          harness_close (TsMainWindow *window);
/* Activates "win.pass::next" and the like, in the form of the table of commands. */
void          harness_activate (gpointer widget, const char *detailed_action);
/* Path of a sample's text, of a file of ours under tests/app, and of a scratch file. Free with g_free. */
char         *harness_golden (const char *name);
char         *harness_scratch (const char *name);
/* Writes a file into the scratch folder and returns its path. Free with g_free. */
char         *harness_write (const char *name, const char *text, gssize length);
/* A picture of the window as pixels; saved as NAME.png among the build's pictures. */
GdkTexture   *harness_picture (TsMainWindow *window, const char *name);
