/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the window's class share. */
#pragma once

#include "app/code-view.h"
#include "app/dag-canvas.h"
#include "app/inspector.h"
#include "app/main-window.h"
#include "app/memory-canvas.h"
#include "app/pass-list.h"
#include "app/problems-bar.h"
#include "app/start-page.h"
#include "app/timeline-canvas.h"

G_BEGIN_DECLS

/* The drawings; two of them are seen at a time. */
typedef enum { TS_VIEW_GRAPH, TS_VIEW_TIMELINE, TS_VIEW_MEMORY, TS_N_VIEWS } TsViewKind;

struct _TsMainWindow
{
  AdwApplicationWindow parent_instance;
  TsSettings          *settings;
  TsDocument          *document;
  char                *opening;    /* what was asked for last */
  gboolean             updating;   /* the function selector follows the document */
  GtkAdjustment       *time;       /* of the scrollbar below the timeline, in cycles */
  const char          *pane;       /* interned: what is shown where not all panes have room */
  int                  pane_width; /* 0: not known yet */
  guint                pane_source;
  gboolean             arranged;   /* the heights of the panes have been chosen */
  TsViewKind           upper_view, lower_view; /* what the two panes above the code show */

  AdwToastOverlay     *toasts;
  AdwWindowTitle      *title;
  GtkBox              *pass_buttons;
  GtkMenuButton       *menu_button;
  GMenu               *machine_menu, *entries_menu, *samples_menu, *recent_menu;
  GtkRevealer         *busy;
  GtkLabel            *busy_label;
  GtkProgressBar      *busy_progress;
  TsProblemsBar       *problems;
  GtkPaned            *right_paned, *upper_paned, *lower_paned;
  GtkBox              *pane_switcher;
  GtkToggleButton     *inspector_button;
  GtkBox              *graph_page, *timeline_page, *memory_page, *graph_switch, *timeline_switch, *memory_switch;
  GtkStack            *pages, *graph_stack, *timeline_stack, *memory_stack;
  TsStartPage         *start_page;
  TsPassList          *pass_list;
  GtkDropDown         *functions;
  TsDagCanvas         *dag;
  GtkLabel            *graph_reason, *timeline_reason, *timeline_figures, *memory_reason;
  GtkButton           *memory_go;
  TsTimelineCanvas    *timeline;
  TsMemoryCanvas      *memory;
  GtkScrollbar        *time_scrollbar;
  TsCodeView          *code;
  TsInspector         *inspector;
};

/* main-window-actions.c: the window's actions and keys. */
void ts_main_window_init_actions (TsMainWindow *self);
/* Actions that make no sense at present are disabled. */
void ts_main_window_update_actions (TsMainWindow *self);
/* main-window-panes.c: what has room. `pane` is "passes", "views" or "inspector". */
void ts_main_window_set_pane_width (TsMainWindow *self, int width);
void ts_main_window_show_pane (TsMainWindow *self, const char *pane);
void ts_main_window_update_panes (TsMainWindow *self);
/* main-window-views.c: which drawing takes which pane. */
void ts_main_window_init_views (TsMainWindow *self);
const char *ts_view_name (TsViewKind view); /* "graph" */
gboolean ts_view_from_name (const char *name, TsViewKind *out);
/* Gives a pane to a view; the view that had it moves to the other pane, if this one was there. */
void ts_main_window_place_view (TsMainWindow *self, gboolean upper, TsViewKind view);
/* Makes a view visible where it belongs, unless it is, and gives it the focus. */
void ts_main_window_focus_view (TsMainWindow *self, TsViewKind view);
gboolean ts_main_window_sees_view (TsMainWindow *self, TsViewKind view);
TsCanvas *ts_main_window_canvas (TsMainWindow *self, TsViewKind view);
/* main-window-dnd.c: opening by dropping files. */
void ts_main_window_init_drop (TsMainWindow *self);
/* main-window-export.c: the dialog and the file. */
void ts_main_window_ask_export (TsMainWindow *self);
/* main-window-bindings.c: values for open names. */
void ts_main_window_ask_bindings (TsMainWindow *self);
/* NAME=VALUE texts of what was typed. Free with g_strfreev. */
char **ts_main_window_split_bindings (const char *text);
/* A short message that goes away by itself. */
void ts_main_window_tell (TsMainWindow *self, const char *message);

G_END_DECLS
