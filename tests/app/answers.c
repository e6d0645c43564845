/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers the window gives where something did not happen: rules that left an operation alone, passes that failed. */
#include "harness.h"

#include <string.h>

static TsDocument *
document_of (TsMainWindow *window)
{
  return ts_main_window_get_document (window);
}

static gboolean
has_answered (gpointer data)
{
  return !ts_inspector_is_asking (((TsMainWindow *) data)->inspector);
}

/* Everything the inspector says of an operation of the shown snapshot. */
static char *
ask (TsMainWindow *window, gint32 op)
{
  ts_document_pick_op (document_of (window), op);
  harness_wait (has_answered, window);
  return ts_inspector_get_text (window->inspector);
}

static gint32
find_op (TsMainWindow *window, TsOpCode code)
{
  TsShown *shown = ts_document_get_shown (document_of (window));

  for (gint32 op = 0; op < shown->snapshot->module->n_ops; op++)
    {
      const TsOp *found = ts_run_op (shown->run, shown->index, op);

      if (found != NULL && found->code == code)
        return op;
    }
  g_assert_not_reached ();
}

static void
assert_says (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    g_test_message ("“%s” is not in:\n%s", part, text);
  g_assert_nonnull (strstr (text, part));
}

/* The first label below a widget that holds a link. */
static GtkLabel *
find_link (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_label (GTK_LABEL (widget)), "<a href") != NULL)
    return GTK_LABEL (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkLabel *found = find_link (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
follow_link (GtkLabel *label)
{
  g_auto (GStrv) parts = g_strsplit (gtk_label_get_label (label), "\"", 3);
  gboolean done = FALSE;

  g_signal_emit_by_name (label, "activate-link", parts[1], &done);
  g_assert_true (done);
}

/* A dot with one operand rewritten, one not: both are said, and every rule has its word. */
static void
test_dot (void)
{
  TsMainWindow *window = harness_open ("sample:scores", 1440, 900);
  g_autofree char *after = ask (window, find_op (window, TS_OP_TT_DOT));
  g_autofree char *before = NULL;

  assert_says (after, "TransposePointwiseReorder, operand A: Rejected: no transpose behind element-wise operations, at load");
  assert_says (after, "TransposePointwiseReorder, operand B: Applied as rewrite 1; it became");
  assert_says (after, "LoadStoreTranspose: Not considered: this rule takes up loads and stores only.");
  assert_says (after, "RowCoalescing: Not considered: this rule runs with force-simt-only only.");
  harness_settle (window);
  g_object_unref (harness_picture (window, "why-not-dot"));
  /* The log of events is no list of problems. */
  g_assert_false (ts_problems_bar_is_shown (window->problems));
  ts_document_show_snapshot (document_of (window), 0);
  harness_settle (window);
  before = ask (window, find_op (window, TS_OP_TT_DOT));
  assert_says (before, "operand B: Applied as rewrite 1");
  harness_close (window);
}

/* The same in the dark, and where the panes take turns. */
static void
test_looks (void)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  TsMainWindow *window = harness_open ("sample:halves", 420, 760);
  GtkLabel *link;

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  harness_activate (window, "win.show-pane::inspector");
  g_free (ask (window, find_op (window, TS_OP_TT_STORE)));
  harness_settle (window);
  link = find_link (GTK_WIDGET (window->inspector));
  g_assert_nonnull (link);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (link)));
  g_object_unref (harness_picture (window, "why-not-narrow-dark"));
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_LIGHT);
  harness_close (window);
}

/* The operation a proof failed at is selected by its link. */
static void
test_link (void)
{
  TsMainWindow *window = harness_open ("sample:scores", 1440, 900);
  TsDocument *document = document_of (window);
  gint32 store = find_op (window, TS_OP_TT_STORE);
  g_autofree char *text = ask (window, store);
  GtkLabel *link = find_link (GTK_WIDGET (window->inspector));
  const TsOp *op;

  assert_says (text, "LoadStoreTranspose: Rejected: ");
  g_assert_nonnull (link);
  follow_link (link);
  harness_settle (window);
  op = ts_shown_op (ts_document_get_shown (document), ts_selection_get (ts_document_get_selection (document)).op);
  g_assert_nonnull (op);
  g_assert_cmpint (op->id, !=, store);
  g_assert_cmpstr (op->name, ==, "tt.load");
  harness_close (window);
}

/* What the pass took away is shown where the pass saw it. */
static void
test_link_backwards (void)
{
  TsMainWindow *window = harness_open ("sample:halves", 1440, 900);
  TsDocument *document = document_of (window);
  GtkLabel *link;
  g_autofree char *text = NULL;

  ts_document_show_snapshot (document, 0);
  harness_settle (window);
  text = ask (window, find_op (window, TS_OP_TT_STORE));
  assert_says (text, "StoreCoalescing: Applied as rewrite 1");
  link = find_link (GTK_WIDGET (window->inspector));
  g_assert_nonnull (link);
  ts_document_go_to_op (document, 1, 0);
  harness_settle (window);
  g_assert_cmpuint (ts_document_get_shown (document)->index, ==, 1);
  g_assert_cmpint (ts_selection_get (ts_document_get_selection (document)).op, ==, 0);
  harness_close (window);
}

/* Nothing of it for operations that no rule judges. */
static void
test_silent (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1200, 800);
  g_autofree char *text = ask (window, 0);

  g_assert_null (strstr (text, "Rejected"));
  g_assert_null (strstr (text, "Not considered"));
  harness_close (window);
}

/* --- passes that failed ------------------------------------------------------------------------------------------------------ */

static GtkWidget *
find_label (GtkWidget *widget, const char *part)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), part) != NULL)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_label (child, part);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
test_failed_pass (void)
{
  static const struct { const char *spec, *name; guint more; } cases[] = {
    { "kernels/axpy_tail/kernel.py", "failed-pass", 0 }, /* a pass of ours */
    { "kernels/axpy_tail", "failed-folder", 1 },         /* one of the compiler that wrote the dumps */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = harness_golden (cases[i].spec);
      TsMainWindow *window = harness_open (path, 1300, 860);
      guint n = ts_run_n_snapshots (ts_document_get_run (document_of (window)));

      g_assert_cmpuint (ts_pass_list_n_rows (window->pass_list), ==, n + cases[i].more);
      g_object_unref (harness_picture (window, cases[i].name));
      g_assert_nonnull (find_label (GTK_WIDGET (window->pass_list), "✕"));
      g_assert_nonnull (find_label (GTK_WIDGET (window->pass_list), "exceeds platform limit"));
      harness_close (window);
    }
}

/* --- decisions ------------------------------------------------------------------------------------------------------------- */

/* A pass is replayed decision by decision, in either language; what a decision is about is selected. */
static void
test_steps (void)
{
  static const struct { const char *spec, *pass, *first, *picture; } cases[] = {
    { "sample:scores", "GraphOptimize", "event=pass-start", "steps-graph" },
    { "sample:pingpong", "LowerPipelineLoops", "accepted", "steps-loops" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TsMainWindow *window = harness_open (cases[i].spec, 1440, 900);
      TsDocument *document = document_of (window);
      TsRun *run = ts_document_get_run (document);
      gboolean selected = FALSE;
      g_autofree char *first = NULL, *second = NULL;
      guint n;

      ts_document_show_snapshot (document, (guint) ts_run_find_snapshot (run, cases[i].pass));
      harness_settle (window);
      harness_activate (window, "win.step::next");
      harness_wait (has_answered, window);
      first = ts_inspector_get_text (window->inspector);
      n = ts_steps_length (ts_run_steps (run, ts_document_get_index (document), NULL));
      g_assert_cmpuint (n, >, 2);
      assert_says (first, "1 of ");
      assert_says (first, cases[i].first);
      for (guint k = 1; k < n + 2; k++) /* past the end nothing happens */
        {
          harness_activate (window, "win.step::next");
          selected |= ts_selection_get (ts_document_get_selection (document)).op >= 0;
        }
      harness_wait (has_answered, window);
      second = ts_inspector_get_text (window->inspector);
      g_assert_true (selected);
      g_assert_cmpstr (first, !=, second);
      harness_activate (window, "win.step::previous");
      harness_settle (window);
      g_object_unref (harness_picture (window, cases[i].picture));
      /* Nothing of it where no pass ran. */
      ts_document_show_snapshot (document, 0);
      harness_settle (window);
      harness_activate (window, "win.step::next");
      g_assert_false (ts_inspector_is_asking (window->inspector));
      harness_close (window);
    }
}

int
main (int argc, char **argv)
{
  harness_init (&argc, &argv);
  g_test_add_func ("/app/answers/dot", test_dot);
  g_test_add_func ("/app/answers/looks", test_looks);
  g_test_add_func ("/app/answers/link", test_link);
  g_test_add_func ("/app/answers/link-backwards", test_link_backwards);
  g_test_add_func ("/app/answers/silent", test_silent);
  g_test_add_func ("/app/answers/failed-pass", test_failed_pass);
  g_test_add_func ("/app/answers/steps", test_steps);
  return g_test_run ();
}
