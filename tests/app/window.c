/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window at work: opening, passes, the shared selection, zoom, export, bad input. */
#include "harness.h"

#include <glib/gstdio.h>
#include <string.h>

/* --- opening ----------------------------------------------------------------------------------------------------------------- */

static TsShown *
shown_of (TsMainWindow *window)
{
  return ts_document_get_shown (ts_main_window_get_document (window));
}

static TsSelection *
selection_of (TsMainWindow *window)
{
  return ts_document_get_selection (ts_main_window_get_document (window));
}

static void
test_open (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1300, 860);
  TsDocument *document = ts_main_window_get_document (window);
  TsRun *run = ts_document_get_run (document);
  TsShown *shown = shown_of (window);
  guint n = ts_run_n_snapshots (run);

  g_assert_null (ts_document_get_problem (document));
  g_assert_cmpuint (n, >, 5);
  g_assert_cmpuint (ts_document_get_index (document), ==, n - 1);
  g_assert_nonnull (shown->timeline);
  g_assert_nonnull (shown->dag);
  g_assert_nonnull (shown->text);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "document");
  g_assert_cmpstr (adw_window_title_get_title (window->title), ==, "pingpong");
  g_assert_cmpuint (ts_pass_list_n_rows (window->pass_list), ==, n);
  for (guint i = 0; i < n; i++)
    {
      const TsBillRow *row = ts_document_get_bill_row (document, i);

      g_assert_nonnull (row);
      g_assert_cmpint (row->cycles, >, 0);
    }
  g_assert_false (ts_main_window_is_free (window));
  harness_close (window);
}

/* Every sample opens without an error and draws both pictures. */
static void
test_samples (void)
{
  guint n;
  const TsSample *samples = ts_samples (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *spec = g_strconcat ("sample:", samples[i].name, NULL);
      TsMainWindow *window = harness_open (spec, 1200, 800);
      g_autoptr (TsDiagList) diags = ts_document_collect_diags (ts_main_window_get_document (window));

      g_test_message ("%s", spec);
      g_assert_false (ts_diag_list_has_errors (diags));
      g_assert_nonnull (shown_of (window)->dag);
      /* Triton IR that cannot be simulated says why. */
      if (samples[i].kind == TS_INPUT_PYPTO)
        g_assert_nonnull (shown_of (window)->timeline);
      g_assert_true (shown_of (window)->timeline != NULL || shown_of (window)->no_schedule != NULL);
      harness_close (window);
    }
}

/* A second request overtakes the first; nothing of the first appears. */
static void
test_overtaking (void)
{
  TsMainWindow *window = harness_open (NULL, 1200, 800);

  g_assert_true (ts_main_window_is_free (window));
  ts_main_window_open (window, "sample:matmul");
  ts_main_window_open (window, "sample:pingpong");
  harness_settle (window);
  g_assert_cmpstr (ts_input_title (ts_run_input (ts_document_get_run (ts_main_window_get_document (window)))), ==, "pingpong");
  harness_close (window);
}

static void
test_close_while_busy (void)
{
  TsMainWindow *window = harness_open (NULL, 1200, 800);

  ts_main_window_open (window, "sample:matmul");
  harness_close (window);
}

static void
test_cancel (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1200, 800);
  TsShown *before = shown_of (window);

  ts_main_window_open (window, "sample:matmul");
  harness_activate (window, "win.cancel");
  harness_settle (window);
  g_assert_true (shown_of (window) == before);
  harness_close (window);
}

static void
test_reload_and_machine (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1200, 800);
  TsDocument *document = ts_main_window_get_document (window);
  gint64 makespan = shown_of (window)->simulation->result->makespan;

  ts_document_show_snapshot (document, 3);
  harness_settle (window);
  harness_activate (window, "win.reload");
  g_assert_nonnull (shown_of (window)); /* the old picture stays meanwhile */
  harness_settle (window);
  g_assert_cmpuint (ts_document_get_index (document), ==, 3);
  ts_document_show_snapshot (document, ts_run_n_snapshots (ts_document_get_run (document)) - 1);
  harness_settle (window);
  g_assert_cmpint (shown_of (window)->simulation->result->makespan, ==, makespan);

  harness_activate (window, "win.machine::teaching");
  harness_settle (window);
  g_assert_cmpstr (ts_machine_name (ts_run_machine (shown_of (window)->run)), ==, "teaching");
  g_assert_cmpint (shown_of (window)->simulation->result->makespan, !=, makespan);
  harness_activate (window, "win.machine::ascend910b");
  harness_settle (window);
  g_assert_cmpint (shown_of (window)->simulation->result->makespan, ==, makespan);
  harness_close (window);
}

/* --- passes ------------------------------------------------------------------------------------------------------------------ */

static void
test_passes (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1200, 800);
  TsDocument *document = ts_main_window_get_document (window);
  TsRun *run = ts_document_get_run (document);
  guint last = ts_run_n_snapshots (run) - 1, rows = ts_pass_list_n_rows (window->pass_list);

  harness_activate (window, "win.pass::previous");
  g_assert_cmpuint (ts_document_get_index (document), ==, last - 1);
  harness_settle (window);
  g_assert_cmpuint (shown_of (window)->index, ==, last - 1);
  harness_activate (window, "win.pass::next");
  harness_activate (window, "win.pass::next");
  harness_settle (window);
  g_assert_cmpuint (shown_of (window)->index, ==, last);

  /* Only what changed something, and the input. */
  while (ts_document_get_index (document) > 0)
    {
      guint before = ts_document_get_index (document);

      harness_activate (window, "win.pass::previous-changed");
      g_assert_cmpuint (ts_document_get_index (document), <, before);
      g_assert_true (ts_document_get_index (document) == 0 || ts_run_snapshot (run, ts_document_get_index (document))->changed);
    }
  harness_settle (window);

  g_action_group_change_action_state (G_ACTION_GROUP (window), "hide-unchanged", g_variant_new_boolean (TRUE));
  g_assert_cmpuint (ts_pass_list_n_rows (window->pass_list), <, rows);
  harness_activate (window, "win.pass::next");
  g_assert_true (ts_run_snapshot (run, ts_document_get_index (document))->changed);
  g_action_group_change_action_state (G_ACTION_GROUP (window), "hide-unchanged", g_variant_new_boolean (FALSE));
  g_assert_cmpuint (ts_pass_list_n_rows (window->pass_list), ==, rows);
  harness_settle (window);
  harness_close (window);
}

static void
test_dumps (void)
{
  g_autofree char *folder = harness_golden ("dumps/mix_scores");
  TsMainWindow *window = harness_open (folder, 1200, 800);
  TsDocument *document = ts_main_window_get_document (window);
  TsShown *shown = shown_of (window);
  guint n = shown->n_functions, other = 0;

  g_assert_cmpuint (ts_run_n_snapshots (shown->run), ==, 36);
  g_assert_cmpuint (n, >, 1);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (window->functions)));
  while (g_str_equal (shown->functions[other].name, shown->function))
    other++;
  gtk_drop_down_set_selected (window->functions, other);
  g_assert_cmpstr (ts_document_get_function (document), ==, shown->functions[other].name);
  harness_settle (window);
  shown = shown_of (window);
  g_assert_cmpstr (shown->function, ==, shown->functions[other].name);
  /* What cannot be simulated says why. */
  if (shown->timeline == NULL)
    {
      g_assert_nonnull (shown->no_schedule);
      g_assert_cmpstr (gtk_stack_get_visible_child_name (window->timeline_stack), ==, "reason");
      g_assert_nonnull (strstr (gtk_label_get_text (window->timeline_reason), shown->no_schedule));
    }

  /* The first files are tensor-level code: nothing to simulate, but there is a graph or a reason, and the text. */
  ts_document_show_snapshot (document, 0);
  harness_settle (window);
  g_assert_nonnull (shown_of (window)->text);
  g_assert_true (shown_of (window)->timeline != NULL || shown_of (window)->no_schedule != NULL);
  harness_close (window);
}

/* --- selection --------------------------------------------------------------------------------------------------------------- */

static gint32
first_event_of_lane (TsShown *shown, TsLane unit)
{
  for (guint i = 0; i < ts_timeline_n_events (shown->timeline); i++)
    {
      const TsTimelineEvent *event = ts_timeline_event (shown->timeline, (gint32) i);

      if (ts_timeline_lane (shown->timeline, event->lane)->unit == unit)
        return (gint32) i;
    }
  g_assert_not_reached ();
}

static void
click_event (TsMainWindow *window, gint32 event)
{
  TsLink link = TS_LINK_INIT;

  link.kind = TS_LINK_EVENT;
  link.event = event;
  TS_CANVAS_GET_CLASS (window->timeline)->pick (TS_CANVAS (window->timeline), &link, FALSE);
}

static void
test_shared_selection (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1300, 860);
  TsShown *shown = shown_of (window);
  gint32 event = first_event_of_lane (shown, TS_LANE_VECTOR), op = ts_timeline_event (shown->timeline, event)->op;
  g_autofree char *name = ts_shown_op_name (shown, ts_shown_op (shown, op));
  const TsTextPlace *place = ts_text_place_of (shown->text, op);
  g_autofree char *facts = NULL, *facts_of_other = NULL;
  gint32 other;

  /* From the timeline: code, graph and inspector follow. */
  click_event (window, event);
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, ==, op);
  g_assert_nonnull (place);
  g_assert_cmpuint (ts_code_view_get_line (window->code), ==, place->line);
  g_assert_nonnull (ts_scene_find (ts_canvas_scene (TS_CANVAS (window->dag)), TS_LINK_NODE, op, -1));
  facts = ts_inspector_get_text (window->inspector);
  g_assert_nonnull (strstr (facts, name));
  g_assert_nonnull (strstr (facts, "vector"));

  /* From the code: the caret selects the operation of its line. */
  other = ts_timeline_event (shown->timeline, first_event_of_lane (shown, TS_LANE_MTE_IN))->op;
  ts_code_view_set_line (window->code, ts_text_place_of (shown->text, other)->line);
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, ==, other);
  g_assert_cmpint (ts_selection_get (selection_of (window)).event, ==, -1);
  facts_of_other = ts_inspector_get_text (window->inspector);
  g_assert_nonnull (strstr (facts_of_other, "tile.load"));

  /* From the graph. */
  {
    TsLink link = TS_LINK_INIT;

    link.kind = TS_LINK_NODE;
    link.op = op;
    TS_CANVAS_GET_CLASS (window->dag)->pick (TS_CANVAS (window->dag), &link, FALSE);
    g_assert_cmpint (ts_selection_get (selection_of (window)).op, ==, op);
    g_assert_cmpuint (ts_code_view_get_line (window->code), ==, place->line);
  }
  harness_activate (window, "win.clear-selection");
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, ==, -1);
  harness_settle (window);
  harness_close (window);
}

/* A selection is followed into another snapshot and back. */
static void
test_followed_selection (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1300, 860);
  TsDocument *document = ts_main_window_get_document (window);
  TsShown *shown = shown_of (window);
  guint last = shown->index, n;
  gint32 op = ts_timeline_event (shown->timeline, first_event_of_lane (shown, TS_LANE_VECTOR))->op, in_source;

  ts_document_pick_op (document, op);
  ts_document_show_snapshot (document, 0);
  harness_settle (window);
  in_source = ts_selection_get (selection_of (window)).op;
  g_assert_cmpint (in_source, >=, 0);
  g_assert_nonnull (ts_shown_op (shown_of (window), in_source));
  ts_document_show_snapshot (document, last);
  harness_settle (window);
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, ==, op);

  /* One statement of the source is several after the pipeline is lowered: all of them are selected. */
  ts_document_show_snapshot (document, 0);
  harness_settle (window);
  ts_document_pick_op (document, in_source);
  ts_document_show_snapshot (document, last);
  harness_settle (window);
  ts_selection_ops (selection_of (window), &n);
  g_assert_cmpuint (n, >=, 2);
  g_assert_true (ts_selection_contains (selection_of (window), op));
  harness_close (window);
}

static void
test_blocker (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1300, 860);
  TsShown *shown = shown_of (window);
  gint32 event = -1;

  for (guint i = 0; i < ts_timeline_n_events (shown->timeline) && event < 0; i++)
    if (ts_timeline_event (shown->timeline, (gint32) i)->on >= 0
        && ts_timeline_event (shown->timeline, (gint32) i)->idle_from < ts_timeline_event (shown->timeline, (gint32) i)->start)
      event = (gint32) i;
  g_assert_cmpint (event, >=, 0);
  click_event (window, event);
  {
    g_autofree char *facts = ts_inspector_get_text (window->inspector);

    g_assert_nonnull (strstr (facts, "stood idle for"));
  }
  harness_activate (window, "win.blocker");
  g_assert_cmpint (ts_selection_get (selection_of (window)).event, ==, ts_timeline_event (shown->timeline, event)->on);
  harness_settle (window);
  harness_close (window);
}

static void
test_keyboard (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1300, 860);
  TsShown *shown = shown_of (window);
  gint32 first, second;

  harness_activate (window->timeline, "canvas.go::right");
  first = ts_selection_get (selection_of (window)).event;
  g_assert_cmpint (first, >=, 0);
  harness_activate (window->timeline, "canvas.go::right");
  second = ts_selection_get (selection_of (window)).event;
  g_assert_cmpint (second, !=, first);
  g_assert_cmpint (ts_timeline_event (shown->timeline, second)->lane, ==, ts_timeline_event (shown->timeline, first)->lane);
  harness_activate (window->timeline, "canvas.go::left");
  g_assert_cmpint (ts_selection_get (selection_of (window)).event, ==, first);

  harness_activate (window, "win.clear-selection");
  harness_activate (window->dag, "canvas.go::down");
  first = ts_selection_get (selection_of (window)).op;
  g_assert_cmpint (first, >=, 0);
  harness_activate (window->dag, "canvas.go::down");
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, !=, first);

  harness_activate (window, "win.focus::timeline");
  g_assert_true (gtk_root_get_focus (GTK_ROOT (window)) == GTK_WIDGET (window->timeline));
  harness_activate (window, "win.pane::next");
  g_assert_false (gtk_root_get_focus (GTK_ROOT (window)) == GTK_WIDGET (window->timeline));
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (window->timeline), GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (window->timeline), GTK_ACCESSIBLE_PROPERTY_LABEL, "Timeline");
  harness_settle (window);
  harness_close (window);
}

/* --- drawing ----------------------------------------------------------------------------------------------------------------- */

static GtkEventController *
find_controller (gpointer widget, GType type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (widget));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (G_OBJECT_TYPE (controller) == type)
        return controller; /* kept by its widget */
    }
  g_assert_not_reached ();
}

static void
test_zoom (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1300, 860);
  TsCanvas *canvas = TS_CANVAS (window->timeline);
  TsTimeView *view = ts_timeline_canvas_get_view (window->timeline);
  gint64 total = ts_time_view_get_total (view), under;
  TsCycles visible;

  g_assert_cmpint (total, ==, shown_of (window)->simulation->result->makespan);
  /* The cycle under the pointer stays under it. */
  TS_CANVAS_GET_CLASS (canvas)->hover (canvas, 600, 60);
  under = ts_time_view_get_cursor (view);
  g_assert_cmpint (under, >=, 0);
  TS_CANVAS_GET_CLASS (canvas)->zoom (canvas, 2.0, 600, 60);
  TS_CANVAS_GET_CLASS (canvas)->hover (canvas, 601, 60);
  TS_CANVAS_GET_CLASS (canvas)->hover (canvas, 600, 60);
  g_assert_cmpint (ABS (ts_time_view_get_cursor (view) - under), <=, 2);
  visible = ts_time_view_get_visible (view);
  g_assert_cmpint (ABS (visible.to - visible.from - total / 2), <=, 2);

  harness_activate (canvas, "canvas.pan::right");
  g_assert_cmpint (ts_time_view_get_visible (view).from, >, visible.from);
  harness_activate (canvas, "canvas.fit::all");
  visible = ts_time_view_get_visible (view);
  g_assert_cmpint (visible.from, ==, 0);
  g_assert_cmpint (visible.to, ==, total);
  harness_activate (canvas, "canvas.zoom::in");
  harness_activate (canvas, "canvas.zoom::out");
  click_event (window, 0);
  harness_activate (canvas, "canvas.fit::selection");
  visible = ts_time_view_get_visible (view);
  g_assert_cmpint (visible.from, <=, ts_timeline_event (shown_of (window)->timeline, 0)->start);
  g_assert_cmpint (visible.to - visible.from, <, total);
  harness_activate (canvas, "canvas.range-from-selection");
  g_assert_cmpint (ts_time_view_get_range (view).to, ==, ts_timeline_event (shown_of (window)->timeline, 0)->end);
  harness_activate (window, "win.clear-selection"); /* the range first */
  g_assert_cmpint (ts_time_view_get_range (view).to, ==, 0);
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, >=, 0);

  TS_CANVAS_GET_CLASS (window->dag)->zoom (TS_CANVAS (window->dag), 1.5, 200, 100);
  g_assert_false (ts_plane_view_get_fit (ts_dag_canvas_get_view (window->dag)));
  harness_activate (window->dag, "canvas.pan::down");
  harness_activate (window->dag, "canvas.fit::selection");
  harness_activate (window->dag, "canvas.fit::all");
  g_assert_true (ts_plane_view_get_fit (ts_dag_canvas_get_view (window->dag)));
  harness_settle (window);
  harness_close (window);
}

/* Moving the pointer, selecting and marking a range draw the layer on top only. */
static void
test_layers (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1300, 860);
  GtkEventController *motion = find_controller (window->timeline, GTK_TYPE_EVENT_CONTROLLER_MOTION);
  guint before = ts_canvas_n_drawn (TS_CANVAS (window->timeline));

  for (guint i = 0; i < 20; i++)
    {
      g_signal_emit_by_name (motion, "motion", 200.0 + 20 * i, 80.0);
      harness_settle (window);
    }
  click_event (window, first_event_of_lane (shown_of (window), TS_LANE_MTE_IN));
  {
    /* The ring lies where the bar is. */
    g_autoptr (TsScene) overlay = ts_scene_new (1, 1, TS_COLOR_NONE);
    TsCanvas *canvas = TS_CANVAS (window->timeline);
    const TsScene *picture = ts_canvas_scene (canvas);
    const TsMark *bar = ts_scene_find (picture, TS_LINK_EVENT, -1, ts_selection_get (selection_of (window)).event);
    double x, y, w, h, px, py, pw, ph;
    gboolean found = FALSE;

    g_assert_true (ts_scene_mark_box (picture, bar, &x, &y, &w, &h));
    TS_CANVAS_GET_CLASS (canvas)->draw_overlay (canvas, ts_canvas_theme (canvas), ts_canvas_measurer (canvas), overlay);
    for (guint i = 0; i < overlay->n_prims; i++)
      {
        ts_prim_box (&overlay->prims[i], &px, &py, &pw, &ph);
        /* Nearly the same corners: texts may make the bar's box a little larger. */
        found = found || (overlay->prims[i].kind == TS_PRIM_RECT && overlay->prims[i].paint.stroke != TS_COLOR_NONE
                          && ABS (px - x) < 4 && ABS (py - y) < 4 && ABS (py + ph - y - h) < 4);
      }
    g_test_message ("bar at %g, %g, %g x %g; %u primitives on top", x, y, w, h, overlay->n_prims);
    g_assert_true (found);
  }
  ts_time_view_set_range (ts_timeline_canvas_get_view (window->timeline), (TsCycles) { 10, 200 });
  harness_settle (window);
  g_assert_cmpuint (ts_canvas_n_drawn (TS_CANVAS (window->timeline)), ==, before);
  harness_activate (window->timeline, "canvas.zoom::in");
  harness_settle (window);
  g_assert_cmpuint (ts_canvas_n_drawn (TS_CANVAS (window->timeline)), ==, before + 1);
  harness_close (window);
}

/* What the pointer finds says what it is. */
static void
test_tooltips (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1300, 860);
  TsCanvas *canvases[] = { TS_CANVAS (window->timeline), TS_CANVAS (window->dag) };
  guint described = 0;

  for (guint c = 0; c < G_N_ELEMENTS (canvases); c++)
    {
      const TsScene *scene = ts_canvas_scene (canvases[c]);

      for (guint i = 1; i < scene->n_marks; i++)
        if (scene->marks[i].link.kind == TS_LINK_EVENT || scene->marks[i].link.kind == TS_LINK_NODE)
          {
            g_autofree char *text = TS_CANVAS_GET_CLASS (canvases[c])->describe (canvases[c], &scene->marks[i].link);

            g_assert_nonnull (text);
            g_assert_cmpuint (strlen (text), >, 0);
            described++;
          }
    }
  g_assert_cmpuint (described, >, 10);
  harness_close (window);
}

/* --- export ------------------------------------------------------------------------------------------------------------------ */

static void
check_figure (TsMainWindow *window, TsFigureOf what, const char *name, const char *magic, const char *text)
{
  g_autofree char *path = harness_scratch (name);
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_assert_true (ts_main_window_export (window, what, path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  g_assert_cmpuint (length, >, 1000);
  g_assert_true (memcmp (content, magic, strlen (magic)) == 0);
  if (text != NULL)
    g_assert_nonnull (strstr (content, text));
  g_assert_cmpint (g_remove (path), ==, 0);
}

static void
test_export (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1300, 860);
  g_autofree char *odd = harness_scratch ("figure.txt"), *nowhere = harness_scratch ("no/such/folder/figure.svg");
  g_autoptr (GError) error = NULL;

  check_figure (window, TS_FIGURE_OF_TIMELINE, "timeline.svg", "<", "mte-in");
  check_figure (window, TS_FIGURE_OF_TIMELINE, "timeline.PNG", "\x89PNG", NULL);
  check_figure (window, TS_FIGURE_OF_TIMELINE, "timeline.pdf", "%PDF", NULL);
  check_figure (window, TS_FIGURE_OF_GRAPH, "graph.svg", "<", "load");
  check_figure (window, TS_FIGURE_OF_GRAPH, "graph.png", "\x89PNG", NULL);
  g_assert_false (ts_main_window_export (window, TS_FIGURE_OF_TIMELINE, odd, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (ts_main_window_export (window, TS_FIGURE_OF_TIMELINE, nowhere, &error));
  g_assert_nonnull (error);
  harness_close (window);
}

/* --- bad input --------------------------------------------------------------------------------------------------------------- */

/* Each kind of bad input is named, keeps what is open, and leaves no window empty. */
static void
test_bad_input (void)
{
  static const char syntax[] = "import pypto.language as pl\n\n@pl.function\ndef f(x: pl.Tensor[[4], pl.FP32]):\n    y = (\n";
  g_autofree char *folder = harness_scratch ("empty-folder");
  g_autofree char *paths[] = {
    harness_scratch ("missing.py"),
    g_strdup (folder),
    harness_write ("binary.py",
                   "\x7f"
                   "ELF\0\0\1\2\3\0\0\0",
                   12),
    harness_write ("empty.py", "", 0),
    harness_write ("prose.py", "Nothing to see here.\n", -1),
    harness_write ("syntax.py", syntax, -1),
    g_strdup ("sample:no-such-sample"),
    g_strdup ("https://example.org/kernel.py"),
    NULL,
  };

  g_mkdir_with_parents (folder, 0700);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      TsMainWindow *window = harness_open (paths[i], 1000, 700);
      TsDocument *document = ts_main_window_get_document (window);
      g_autoptr (TsDiagList) diags = ts_document_collect_diags (document);

      g_test_message ("%s", paths[i]);
      g_assert_true (ts_document_get_problem (document) != NULL || ts_diag_list_has_errors (diags));
      g_assert_true (ts_problems_bar_is_shown (window->problems));
      g_assert_cmpuint (strlen (ts_problems_bar_get_summary (window->problems)), >, 10);

      ts_main_window_open (window, "sample:pingpong");
      harness_settle (window);
      g_assert_null (ts_document_get_problem (document));
      ts_main_window_open (window, paths[i]);
      harness_settle (window);
      g_assert_true (ts_problems_bar_is_shown (window->problems));
      g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "document");
      g_assert_nonnull (shown_of (window));
      harness_close (window);
    }
  for (guint i = 0; paths[i] != NULL; i++)
    g_clear_pointer (&paths[i], g_free);
}

/* A loop of 10^12 iterations is filled in or cut, and says so; steps and stages of zero are errors with a place. None takes long.
 */
static void
test_hostile_kernels (void)
{
  static const char form[]
      = "import pypto.language as pl\n\n\n@pl.program\nclass K:\n    @pl.function(type=pl.FunctionType.InCore)\n"
        "    def main(self, x: pl.Tensor[[128], pl.FP32], y: pl.Out[pl.Tensor[[128], pl.FP32]]) -> "
        "pl.Tensor[[128], pl.FP32]:\n        for i, (o,) in %s:\n"
        "            t: pl.Tile[[128], pl.FP32] = pl.load(x, [0], [128])\n"
        "            r: pl.Tensor[[128], pl.FP32] = pl.store(t, [0], o)\n"
        "            o_rv = pl.yield_(r)\n        return o_rv\n";
  static const char *const loops[] = { "pl.range(0, 1000000000000, 1, init_values=(y,))", "pl.range(0, 8, 0, init_values=(y,))",
                                       "pl.pipeline(0, 8, 1, stage=0, init_values=(y,))" };

  for (guint i = 0; i < G_N_ELEMENTS (loops); i++)
    {
      g_autofree char *text = NULL;
      g_autofree char *path = NULL;
      TsMainWindow *window;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      text = g_strdup_printf (form, loops[i]);
#pragma GCC diagnostic pop
      path = harness_write ("hostile.py", text, -1);
      window = harness_open (path, 1000, 700);
      g_test_message ("%s", loops[i]);
      g_assert_true (ts_problems_bar_is_shown (window->problems));
      g_assert_nonnull (strpbrk (ts_problems_bar_get_summary (window->problems), "0123456789"));
      harness_close (window);
    }
}

static void
test_drop (void)
{
  TsMainWindow *window = harness_open (NULL, 1000, 700);
  GtkEventController *target = find_controller (window, GTK_TYPE_DROP_TARGET);
  g_autofree char *folder = harness_golden ("dumps/gelu_rows");
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  GdkFileList *files = gdk_file_list_new_from_array (&file, 1);
  GValue value = G_VALUE_INIT;
  gboolean taken = FALSE;

  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, files);
  g_signal_emit_by_name (target, "drop", &value, 10.0, 10.0, &taken);
  g_value_unset (&value);
  g_assert_true (taken);
  harness_settle (window);
  g_assert_cmpstr (adw_window_title_get_title (window->title), ==, "gelu_rows");
  harness_close (window);
}

int
main (int argc, char **argv)
{
  static const struct { const char *name; void (*run) (void);
  } tests[] = {
    { "open", test_open },
    { "samples", test_samples },
    { "overtaking", test_overtaking },
    { "close-while-busy", test_close_while_busy },
    { "cancel", test_cancel },
    { "reload-and-machine", test_reload_and_machine },
    { "passes", test_passes },
    { "dumps", test_dumps },
    { "shared-selection", test_shared_selection },
    { "followed-selection", test_followed_selection },
    { "blocker", test_blocker },
    { "keyboard", test_keyboard },
    { "zoom", test_zoom },
    { "layers", test_layers },
    { "tooltips", test_tooltips },
    { "export", test_export },
    { "bad-input", test_bad_input },
    { "hostile-kernels", test_hostile_kernels },
    { "drop", test_drop },
  };

  harness_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/app/window/%s", tests[i].name);

      g_test_add_func (path, tests[i].run);
    }
  return g_test_run ();
}
