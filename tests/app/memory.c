/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map in the window: which pane it takes, its part in the one selection, zoom, and what it says of shared buffers. */
#include "harness.h"

#include <glib/gstdio.h>
#include <string.h>

#include "app/pass-row.h"

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

static const TsMemoryFacts *
facts_of (TsMainWindow *window)
{
  g_assert_nonnull (shown_of (window)->map);
  return shown_of (window)->map->input.facts;
}

static TsLink
tile_link (TsMainWindow *window, guint32 tile)
{
  TsLink link = TS_LINK_INIT;

  link.kind = TS_LINK_BUFFER;
  link.count = (gint32) tile;
  link.op = facts_of (window)->tiles[tile].op;
  return link;
}

static char *
describe (TsMainWindow *window, guint32 tile)
{
  TsLink link = tile_link (window, tile);

  return TS_CANVAS_GET_CLASS (window->memory)->describe (TS_CANVAS (window->memory), &link);
}

static gboolean
is_highlighted (TsMainWindow *window, TsMapHighlightKind kind, gboolean whole_buffer, guint32 index)
{
  guint n;
  const TsMapHighlight *highlights = ts_memory_canvas_highlights (window->memory, &n);

  for (guint i = 0; i < n; i++)
    if (highlights[i].kind == kind && highlights[i].whole_buffer == whole_buffer && highlights[i].index == index)
      return TRUE;
  return FALSE;
}

/* --- panes ------------------------------------------------------------------------------------------------------------------- */

static gboolean
is_seen (gpointer widget)
{
  return gtk_widget_get_mapped (GTK_WIDGET (widget));
}

/* Any view can take any of the two panes; each is there once. */
static void
test_panes (void)
{
  TsMainWindow *window = harness_open ("sample:collapse", 1300, 860), *second;

  g_assert_true (is_seen (window->dag) && is_seen (window->timeline));
  g_assert_false (is_seen (window->memory));
  harness_activate (window, "win.focus::memory");
  harness_settle (window);
  g_assert_true (is_seen (window->memory) && is_seen (window->timeline));
  g_assert_false (is_seen (window->dag));
  g_assert_true (gtk_root_get_focus (GTK_ROOT (window)) == GTK_WIDGET (window->memory));

  /* The lower pane takes what the upper one has: they change places. */
  harness_activate (window, "win.lower-view::memory");
  harness_settle (window);
  g_assert_true (gtk_paned_get_start_child (window->lower_paned) == GTK_WIDGET (window->memory_page));
  g_assert_true (gtk_paned_get_start_child (window->upper_paned) == GTK_WIDGET (window->timeline_page));
  harness_activate (window, "win.upper-view::graph");
  harness_settle (window);
  g_assert_true (is_seen (window->dag) && is_seen (window->memory));
  g_assert_false (is_seen (window->timeline));

  /* The next window begins like this one ends. */
  second = harness_open ("sample:collapse", 1300, 860);
  g_assert_true (is_seen (second->dag) && is_seen (second->memory));
  harness_close (second);
  /* A view that is not seen comes when it is asked for; what is unknown changes nothing. */
  harness_activate (window, "win.focus::timeline");
  harness_activate (window, "win.upper-view::nothing");
  harness_settle (window);
  g_assert_true (is_seen (window->dag) && is_seen (window->timeline));
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (window->memory), GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (window->memory), GTK_ACCESSIBLE_PROPERTY_LABEL, "Memory map");
  harness_close (window);
}

/* Before there are buffers, the pane says where they are and leads there. */
static void
test_no_map (void)
{
  TsMainWindow *window = harness_open ("sample:collapse", 1300, 860);
  TsDocument *document = ts_main_window_get_document (window);
  TsShown *shown;

  harness_activate (window, "win.upper-view::memory");
  ts_document_show_snapshot (document, 0);
  harness_settle (window);
  shown = shown_of (window);
  g_assert_null (shown->map);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->memory_stack), ==, "reason");
  g_assert_nonnull (strstr (gtk_label_get_text (window->memory_reason), "InitMemRef"));
  g_assert_true (is_seen (window->memory_go));
  g_signal_emit_by_name (window->memory_go, "clicked");
  harness_settle (window);
  g_assert_cmpstr (shown_of (window)->snapshot->pass, ==, "InitMemRef");
  g_assert_false (facts_of (window)->placed);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->memory_stack), ==, "canvas");
  ts_main_window_open (window, "sample:columns");
  harness_settle (window);
  g_assert_null (shown_of (window)->map);
  g_assert_false (is_seen (window->memory_go));
  harness_close (window);
}

/* Three tiles of 128 KiB, live together, have no room in 184 KiB: the last pass fails, and what it was given is one click away. */
static void
test_failed_pass (void)
{
  static const char text[]
      = "import pypto.language as pl\n\n\n@pl.program\nclass K:\n    @pl.function(type=pl.FunctionType.InCore)\n"
        "    def main(self, x: pl.Tensor[[256, 128], pl.FP32], y: pl.Out[pl.Tensor[[256, 128], pl.FP32]]) -> "
        "pl.Tensor[[256, 128], pl.FP32]:\n"
        "        a = pl.load(x, [0, 0], [256, 128])\n        b = pl.load(x, [0, 0], [256, 128])\n"
        "        c = pl.add(a, b)\n        d = pl.add(c, a)\n        y = pl.store(d, [0, 0], y)\n        return y\n";
  g_autofree char *path = harness_write ("overflow.py", text, -1);
  TsMainWindow *window = harness_open (path, 1300, 860);
  TsDocument *document = ts_main_window_get_document (window);
  guint last = ts_run_n_snapshots (ts_document_get_run (document)) - 1;

  harness_activate (window, "win.upper-view::memory");
  ts_document_show_snapshot (document, last);
  harness_settle (window);
  g_assert_true (shown_of (window)->snapshot->failed);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->memory_stack), ==, "reason");
  g_assert_true (is_seen (window->memory_go));
  g_signal_emit_by_name (window->memory_go, "clicked");
  harness_settle (window);
  g_assert_cmpuint (shown_of (window)->index, ==, last - 1);
  g_assert_cmpint (facts_of (window)->spaces[0].high_water, >, facts_of (window)->spaces[0].capacity);
  {
    g_autoptr (TsPassItem) item = ts_pass_item_new (ts_run_snapshot (shown_of (window)->run, last));

    g_assert_nonnull (strstr (ts_pass_item_get_remarks (item), "capacity"));
  }
  harness_close (window);
}

/* --- selection --------------------------------------------------------------------------------------------------------------- */

static void
test_selection (void)
{
  TsMainWindow *window = harness_open ("sample:matmul", 1300, 860);
  const TsMemoryFacts *facts = facts_of (window);
  TsCanvas *canvas = TS_CANVAS (window->memory);
  guint drawn;

  harness_activate (window, "win.upper-view::memory");
  harness_settle (window);
  drawn = ts_canvas_n_drawn (canvas);
  /* From the map: every view follows. */
  for (guint32 tile = 0; tile < facts->n_tiles; tile++)
    {
      TsLink link = tile_link (window, tile);
      const TsTextPlace *place = ts_text_place_of (shown_of (window)->text, link.op);
      g_autofree char *text = NULL, *tooltip = describe (window, tile);

      TS_CANVAS_GET_CLASS (canvas)->pick (canvas, &link, FALSE);
      g_assert_cmpint (ts_selection_get (selection_of (window)).op, ==, link.op);
      g_assert_true (is_highlighted (window, TS_MAP_DEFINED, FALSE, tile));
      g_assert_nonnull (place);
      g_assert_cmpuint (ts_code_view_get_line (window->code), ==, place->line);
      text = ts_inspector_get_text (window->inspector);
      g_assert_nonnull (strstr (text, facts->buffers[facts->tiles[tile].buffer].name));
      g_assert_nonnull (strstr (text, "live from: statement"));
      g_assert_nonnull (strstr (tooltip, facts->buffers[facts->tiles[tile].buffer].name));
    }
  /* To the map: what an operation reads is marked too. */
  for (guint32 tile = 0; tile < facts->n_tiles; tile++)
    {
      guint32 last = facts->tiles[tile].last;
      const TsOp *op = last < facts->n_positions ? ts_shown_op (shown_of (window), facts->op_at[last]) : NULL;
      gboolean reads = FALSE;

      for (guint i = 0; op != NULL && i < op->n_operands; i++)
        reads |= ts_expr_as_value (op->operands[i]) == facts->tiles[tile].value;
      if (!reads)
        continue;
      ts_code_view_set_line (window->code, ts_text_place_of (shown_of (window)->text, op->id)->line);
      g_assert_true (is_highlighted (window, TS_MAP_READ, FALSE, tile));
    }
  /* Selecting draws the layer on top only. */
  harness_settle (window);
  g_assert_cmpuint (ts_canvas_n_drawn (canvas), ==, drawn);
  TS_CANVAS_GET_CLASS (canvas)->pick (canvas, NULL, FALSE);
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, ==, -1);
  /* Arrow keys go from tile to tile. */
  harness_activate (canvas, "canvas.go::down");
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, ==, facts->tiles[0].op);
  harness_activate (canvas, "canvas.go::down");
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, !=, facts->tiles[0].op);
  harness_activate (canvas, "canvas.go::up");
  harness_close (window);
}

/* The first link of the inspector. */
static GtkWidget *
find_link (GtkWidget *widget)
{
  if (GTK_IS_BUTTON (widget) && gtk_widget_has_css_class (widget, "fact-link"))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_link (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The tooltip of the gap before an event. */
static char *
describe_gap (TsMainWindow *window, gint32 event)
{
  TsLink link = TS_LINK_INIT;

  link.kind = TS_LINK_GAP;
  link.event = event;
  return TS_CANVAS_GET_CLASS (window->timeline)->describe (TS_CANVAS (window->timeline), &link);
}

/* --- the chain --------------------------------------------------------------------------------------------------------------- */

static gboolean
tells_everything (gpointer data)
{
  TsMainWindow *window = data;
  const TsMemoryFacts *facts = facts_of (window);
  g_autofree char *text = ts_inspector_get_text (window->inspector);
  g_autofree char *tooltip = describe (window, facts->collapses[0].tile_b);
  g_autofree char *gap = describe_gap (window, ts_selection_get (selection_of (window)).event);

  return strstr (text, "since pass MemoryReuse") != NULL && strstr (tooltip, "since MemoryReuse") != NULL
         && strstr (gap, "since MemoryReuse") != NULL;
}

static gint64
cycles_after (TsMainWindow *window, const char *pass)
{
  gint index = ts_run_find_snapshot (shown_of (window)->run, pass);

  g_assert_cmpint (index, >=, 0);
  return ts_document_get_bill_row (ts_main_window_get_document (window), (guint) index)->cycles;
}

/* From a gap of a serialised timeline to the buffer, the pass, the step, and the slot in the map. */
static void
test_collapse (void)
{
  TsMainWindow *window = harness_open ("sample:collapse", 1440, 900);
  TsShown *shown = shown_of (window);
  const TsMemoryFacts *facts = facts_of (window);
  const TsMemoryCollapse *collapse;
  gint32 gap = -1;
  gint64 before, after;
  TsLink link = TS_LINK_INIT;

  harness_activate (window, "win.upper-view::memory");
  g_assert_cmpuint (facts->n_collapses, ==, 1);
  collapse = &facts->collapses[0];
  /* Serialised: MemoryReuse costs cycles, and its row says so. */
  before = cycles_after (window, "InitMemRef");
  after = cycles_after (window, "MemoryReuse");
  g_assert_cmpint (after, >, before);

  for (guint i = 0; i < ts_timeline_n_events (shown->timeline) && gap < 0; i++)
    if (ts_timeline_event (shown->timeline, (gint32) i)->cause == TS_CAUSE_WAR
        && ts_timeline_event (shown->timeline, (gint32) i)->start > ts_timeline_event (shown->timeline, (gint32) i)->idle_from)
      gap = (gint32) i;
  g_assert_cmpint (gap, >=, 0);
  link.kind = TS_LINK_GAP;
  link.event = gap;
  TS_CANVAS_GET_CLASS (window->timeline)->pick (TS_CANVAS (window->timeline), &link, FALSE);
  g_assert_true (ts_selection_get (selection_of (window)).gap);
  harness_wait (tells_everything, window);
  harness_settle (window);
  {
    g_autofree char *text = ts_inspector_get_text (window->inspector);
    g_autofree char *tooltip = describe (window, collapse->tile_b), *idle = describe_gap (window, gap);

    g_assert_nonnull (strstr (idle, "through mem_vec_2, since MemoryReuse"));
    g_assert_nonnull (strstr (text, "Why this gap?"));
    g_assert_nonnull (strstr (text, "write after read"));
    g_assert_nonnull (strstr (text, facts->buffers[collapse->buffer_a].name));
    g_assert_nonnull (strstr (text, "depth 1 of 2")); /* the rule of the step that allowed it */
    g_assert_nonnull (strstr (text, "PH-MR-001"));
    g_assert_nonnull (strstr (tooltip, "stages 0 and 1 of group 0 share"));
    g_assert_nonnull (strstr (tooltip, "depth 1 of 2"));
  }
  /* The map marks the shared buffer, and what waited in it. */
  g_assert_true (is_highlighted (window, TS_MAP_BLAMED, TRUE, collapse->buffer_a));
  g_assert_true (is_highlighted (window, TS_MAP_DEFINED, FALSE, collapse->tile_a));
  {
    const TsScene *scene = ts_canvas_scene (TS_CANVAS (window->memory));
    gboolean said = FALSE;

    for (guint i = 0; i < scene->n_prims; i++)
      said |= scene->prims[i].kind == TS_PRIM_TEXT && strstr (scene->prims[i].text, "since MemoryReuse") != NULL;
    g_assert_true (said);
  }
  /* The row of the pass carries what the pass had to say. */
  {
    gint index = ts_run_find_snapshot (shown->run, "MemoryReuse");
    g_autoptr (TsPassItem) item = ts_pass_item_new (ts_run_snapshot (shown->run, (guint) index));

    g_assert_nonnull (strstr (ts_pass_item_get_remarks (item), "PH-MR-001"));
  }
  /* From the earlier stage, a click on whom its bytes went to leads to the later one. */
  ts_document_pick_op (ts_main_window_get_document (window), facts->tiles[collapse->tile_b].op);
  g_assert_nonnull (find_link (GTK_WIDGET (window->inspector)));
  g_signal_emit_by_name (find_link (GTK_WIDGET (window->inspector)), "clicked");
  g_assert_cmpint (ts_selection_get (selection_of (window)).op, ==, facts->tiles[collapse->tile_b].op);
  harness_close (window);
}

/* --- zoom -------------------------------------------------------------------------------------------------------------------- */

static void
test_zoom (void)
{
  TsMainWindow *window = harness_open ("sample:rmsnorm", 1300, 860);
  TsCanvas *canvas = TS_CANVAS (window->memory);
  TsMapViewport *viewport = ts_memory_canvas_get_view (window->memory);
  guint32 tile = facts_of (window)->n_tiles / 2;
  double x, y, w, h, x2, y2, w2, h2;
  TsLink link = tile_link (window, tile);

  harness_activate (window, "win.upper-view::memory");
  harness_settle (window);
  ts_memory_canvas_tile_box (window->memory, tile, &x, &y, &w, &h);
  TS_CANVAS_GET_CLASS (canvas)->zoom (canvas, 1.5, x, y);
  ts_memory_canvas_tile_box (window->memory, tile, &x2, &y2, &w2, &h2);
  g_test_message ("%g, %g, %g x %g to %g, %g, %g x %g", x, y, w, h, x2, y2, w2, h2);
  /* What is under the pointer stays there and grows. */
  g_assert_cmpfloat (ABS (x - x2), <, 1);
  g_assert_cmpfloat (ABS (y - y2), <, 1);
  g_assert_cmpfloat (w2 * h2, >, w * h * 1.4);
  /* Panning follows the pointer, within limits. */
  TS_CANVAS_GET_CLASS (canvas)->pan (canvas, 0, 5);
  ts_memory_canvas_tile_box (window->memory, tile, &x, &y, &w, &h);
  g_assert_true (ABS (y2 - y - 5) < 1 || ts_map_viewport_get_top (viewport) == 0);
  for (guint i = 0; i < 50; i++)
    harness_activate (canvas, "canvas.zoom::in");
  g_assert_cmpfloat (ts_map_viewport_get_closeness (viewport), ==, 1);
  for (guint i = 0; i < 50; i++)
    TS_CANVAS_GET_CLASS (canvas)->pan (canvas, 1e6, 1e6);
  g_assert_cmpfloat (ts_map_viewport_get_left (viewport), <, 1);

  TS_CANVAS_GET_CLASS (canvas)->pick (canvas, &link, FALSE);
  harness_activate (canvas, "canvas.fit::selection");
  ts_memory_canvas_tile_box (window->memory, tile, &x, &y, &w, &h);
  g_assert_cmpfloat (x, >=, 0);
  g_assert_cmpfloat (x + w, <=, gtk_widget_get_width (GTK_WIDGET (canvas)));
  g_assert_cmpfloat (y, >=, 0);
  g_assert_cmpfloat (y + h, <=, gtk_widget_get_height (GTK_WIDGET (canvas)));
  harness_activate (canvas, "canvas.fit::all");
  g_assert_cmpfloat (ts_map_viewport_get_closeness (viewport), ==, 0);
  g_assert_false (TS_CANVAS_GET_CLASS (canvas)->pan (canvas, 10, 10));
  harness_close (window);
}

/* --- export ------------------------------------------------------------------------------------------------------------------ */

static void
test_export (void)
{
  static const struct { const char *name, *magic; } cases[]
      = { { "memory.svg", "<" }, { "memory.png", "\x89PNG" }, { "memory.pdf", "%PDF" } };
  TsMainWindow *window = harness_open ("sample:collapse", 1300, 860);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = harness_scratch (cases[i].name), *content = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (ts_main_window_export (window, TS_FIGURE_OF_MEMORY, path, &error));
      g_assert_no_error (error);
      g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
      g_assert_true (memcmp (content, cases[i].magic, strlen (cases[i].magic)) == 0);
      if (i == 0)
        g_assert_nonnull (strstr (content, "stages share bytes"));
      g_assert_cmpint (g_remove (path), ==, 0);
    }
  ts_document_show_snapshot (ts_main_window_get_document (window), 0);
  harness_settle (window);
  {
    g_autofree char *path = harness_scratch ("none.svg");
    g_autoptr (GError) error = NULL;

    g_assert_false (ts_main_window_export (window, TS_FIGURE_OF_MEMORY, path, &error));
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  }
  harness_close (window);
}

int
main (int argc, char **argv)
{
  harness_init (&argc, &argv);
  g_test_add_func ("/app/memory/panes", test_panes);
  g_test_add_func ("/app/memory/no-map", test_no_map);
  g_test_add_func ("/app/memory/failed-pass", test_failed_pass);
  g_test_add_func ("/app/memory/selection", test_selection);
  g_test_add_func ("/app/memory/collapse", test_collapse);
  g_test_add_func ("/app/memory/zoom", test_zoom);
  g_test_add_func ("/app/memory/export", test_export);
  return g_test_run ();
}
