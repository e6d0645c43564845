/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window makes of inputs that are not whole: tensor-level code, kernels that are only recognised, factories with open
 * names, folders of dumps with gaps and broken files. */
#include "harness.h"

#include <glib/gstdio.h>
#include <string.h>

#include "app/function-chooser.h"

static TsShown *
shown_of (TsMainWindow *window)
{
  return ts_document_get_shown (ts_main_window_get_document (window));
}

static void
take (TsMainWindow *window, const char *name)
{
  harness_settle (window);
  g_object_unref (harness_picture (window, name));
}

static guint
count_code (TsMainWindow *window, const char *code)
{
  g_autoptr (TsDiagList) diags = ts_document_collect_diags (ts_main_window_get_document (window));
  guint n = 0;

  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    n += strcmp (ts_diag_list_get (diags, i)->code, code) == 0;
  return n;
}

static TsMainWindow *
open_text (const char *name, const char *text)
{
  g_autofree char *path = harness_write (name, text, -1);

  return harness_open (path, 1300, 860);
}

#define PROGRAM "import pypto.language as pl\n\n\n@pl.program\nclass K:\n"

/* Code on whole tensors: structure and graph, and one sentence on where the rest is to be had. */
static void
test_tensor_level (void)
{
  TsMainWindow *window
      = open_text ("tensor.py", PROGRAM "    @pl.function\n"
                                        "    def main(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Tensor[[64, 64], pl.FP32]) -> "
                                        "pl.Tensor[[64, 64], pl.FP32]:\n"
                                        "        with pl.at(level=pl.Level.CORE_GROUP):\n            a = pl.add(x, y)\n"
                                        "            b = pl.exp(a)\n        return b\n");

  g_assert_nonnull (shown_of (window)->dag);
  g_assert_null (shown_of (window)->timeline);
  g_assert_nonnull (strstr (gtk_label_get_text (window->timeline_reason), "passes_dump"));
  g_assert_nonnull (strstr (gtk_label_get_text (window->timeline_reason), "dump_passes=True"));
  take (window, "tensor-level");
  harness_close (window);
}

/* Recognised, named, and one sentence why it is not opened. */
static void
test_jit (void)
{
  TsMainWindow *window = open_text ("jit.py", "import pypto.language as pl\n\n\n@pl.jit\ndef softmax(x, y):\n    return x\n\n\n"
                                              "@pl.jit.incore\ndef helper(x):\n    return x\n");
  g_autoptr (GString) text = g_string_new (NULL);
  const TsDiagList *diags = ts_document_get_problem_diags (ts_main_window_get_document (window));

  g_assert_nonnull (diags);
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    g_string_append_printf (text, "%s\n%s\n", ts_diag_list_get (diags, i)->message, ts_diag_list_get (diags, i)->help);
  g_test_message ("%s", text->str);
  g_assert_nonnull (strstr (text->str, "softmax"));
  g_assert_nonnull (strstr (text->str, "helper"));
  g_assert_nonnull (strstr (text->str, "passes_dump"));
  take (window, "jit");
  harness_close (window);
}

static const char factory[]
    = "import pypto.language as pl\n\n\ndef build(rows: int, cols: int):\n    @pl.program\n    class Scale:\n"
      "        @pl.function(type=pl.FunctionType.InCore)\n"
      "        def main(self, x: pl.Tensor[[rows, cols], pl.FP32], o: pl.Out[pl.Tensor[[rows, cols], pl.FP32]]) -> "
      "pl.Tensor[[rows, cols], pl.FP32]:\n"
      "            t = pl.load(x, [0, 0], [rows, cols])\n            u = pl.exp(t)\n"
      "            r = pl.store(u, [0, 0], o)\n            return r\n\n    return Scale\n";

static GtkWindow *
dialog_of (TsMainWindow *window)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *l = windows; l != NULL; l = l->next)
    if (ADW_IS_MESSAGE_DIALOG (l->data) && gtk_window_get_transient_for (l->data) == GTK_WINDOW (window))
      return l->data;
  return NULL;
}

/* A program made by a function: its parameters are bound in the window. */
static void
test_bindings (void)
{
  TsMainWindow *window = open_text ("factory.py", factory);
  TsDocument *document = ts_main_window_get_document (window);
  TsRun *run = ts_document_get_run (document);
  GtkWindow *dialog;
  GtkWidget *entry;

  g_assert_true (ts_run_snapshot (run, ts_run_n_snapshots (run) - 1)->failed);
  harness_activate (window, "win.bindings");
  dialog = dialog_of (window);
  g_assert_nonnull (dialog);
  entry = adw_message_dialog_get_extra_child (ADW_MESSAGE_DIALOG (dialog));
  gtk_editable_set_text (GTK_EDITABLE (entry), "rows = 64, cols=128");
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "apply");
  harness_settle (window);
  run = ts_document_get_run (document);
  g_assert_false (ts_run_snapshot (run, ts_run_n_snapshots (run) - 1)->failed);
  g_assert_cmpuint (count_code (window, "not-evaluated"), ==, 0);
  g_assert_cmpstr (ts_document_get_defines (document)[1], ==, "cols=128");
  take (window, "bindings");
  /* Values belong to the input they were given for. */
  ts_main_window_open (window, "sample:pingpong");
  harness_settle (window);
  g_assert_null (ts_document_get_defines (document));
  harness_close (window);
}

static void
test_split_bindings (void)
{
  g_auto (GStrv) parts = ts_main_window_split_bindings ("  rows = 64,cols=128;\tN\n");

  g_assert_cmpuint (g_strv_length (parts), ==, 3);
  g_assert_cmpstr (parts[0], ==, "rows=64");
  g_assert_cmpstr (parts[1], ==, "cols=128");
  g_assert_cmpstr (parts[2], ==, "N");
}

/* Each function says whether it is simulated, or why not. */
static void
test_functions (void)
{
  g_autofree char *folder = harness_golden ("dumps/mix_scores");
  TsMainWindow *window = harness_open (folder, 1300, 860);
  TsShown *shown = shown_of (window);
  guint simulated = 0;

  g_assert_cmpuint (shown->n_functions, >, 1);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (window->functions)));
  for (guint i = 0; i < shown->n_functions; i++)
    {
      g_autofree char *word = ts_function_chooser_say (shown, shown->functions[i].name);

      simulated += g_str_equal (word, "simulated");
      g_assert_true (g_str_equal (word, "simulated") || g_str_has_prefix (word, "not simulated: "));
    }
  g_assert_cmpuint (simulated, >, 0);
  g_assert_cmpuint (simulated, <, shown->n_functions);
  gtk_widget_activate (GTK_WIDGET (window->functions));
  take (window, "functions");
  harness_close (window);
}

static void
copy_file (const char *from_folder, const char *to_folder, const char *name)
{
  g_autofree char *from = g_build_filename (from_folder, name, NULL), *to = g_build_filename (to_folder, name, NULL);
  g_autofree char *text = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (from, &text, &length, NULL));
  g_assert_true (g_file_set_contents (to, text, (gssize) length, NULL));
}

static void
empty_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_mkdir_with_parents (folder, 0700);
}

static const char broken_text[] = "    def main(self, x: pl.Tensor[[\n";

/* A folder of which some files are missing, one is broken, and some are not its own. */
static char *
make_folder (void)
{
  static const char *const kept[] = { "01_after_InlineFunctions.py", "02_after_UnrollLoops.py", "29_after_LowerPipelineLoops.py",
                                      "30_after_CanonicalizeIOOrder.py", "34_after_MemoryReuse.py", "34_after_MemoryReuse.log",
                                      "35_after_AllocateMemoryAddr.py" };
  g_autofree char *from = harness_golden ("dumps/gelu_rows");
  char *folder = harness_scratch ("half-a-folder");
  g_autofree char *broken = g_build_filename (folder, "03_after_CtrlFlowTransform.py", NULL);
  g_autofree char *stray = g_build_filename (folder, "99_after_Nothing.log", NULL);
  g_autofree char *other = g_build_filename (folder, "notes.py", NULL);

  empty_folder (folder);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    copy_file (from, folder, kept[i]);
  g_assert_true (g_file_set_contents (broken, broken_text, -1, NULL));
  g_assert_true (g_file_set_contents (stray, "hello\n", -1, NULL));
  g_assert_true (g_file_set_contents (other, "x = 1\n", -1, NULL));
  return folder;
}

static void
test_half_a_folder (void)
{
  static const char *const said[] = { "dump-frontend", "dump-gap", "dump-log", "dump-other" };
  g_autofree char *folder = make_folder ();
  TsMainWindow *window = harness_open (folder, 1300, 860);
  TsDocument *document = ts_main_window_get_document (window);
  TsRun *run = ts_document_get_run (document);

  g_assert_null (ts_document_get_problem (document));
  g_assert_cmpuint (ts_run_n_snapshots (run), ==, 7);
  g_assert_nonnull (shown_of (window)->timeline);
  for (guint i = 0; i < G_N_ELEMENTS (said); i++)
    g_assert_cmpuint (count_code (window, said[i]), ==, i == 1 ? 2 : 1); /* two gaps; each is said once */
  take (window, "half-a-folder");
  /* The broken one shows its text as it is, and what is wrong with it. */
  ts_document_show_snapshot (document, 2);
  harness_settle (window);
  g_assert_cmpstr (shown_of (window)->text->text, ==, broken_text);
  g_assert_true (ts_problems_bar_is_shown (window->problems));
  g_assert_nonnull (strstr (ts_problems_bar_get_summary (window->problems), "error"));
  g_assert_null (shown_of (window)->dag);
  g_assert_nonnull (shown_of (window)->no_graph);
  take (window, "broken-dump");
  /* The rest works, on either side. */
  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    {
      g_autofree char *text = NULL;

      ts_document_show_snapshot (document, i);
      harness_settle (window);
      g_assert_cmpint (shown_of (window)->dag != NULL, ==, i != 2);
      text = ts_inspector_get_text (window->inspector);
      /* The log stands with its own snapshot only. */
      g_assert_cmpint (strstr (text, "Log\n") != NULL, ==, g_str_equal (ts_run_snapshot (run, i)->pass, "MemoryReuse"));
    }
  harness_close (window);
}

/* Kept, drawn, and noted once however often it occurs. */
static void
test_unknown_operation (void)
{
  TsMainWindow *window = open_text (
      "unknown.py", PROGRAM "    @pl.function(type=pl.FunctionType.InCore)\n"
                            "    def main(self, x: pl.Tensor[[64, 64], pl.FP32], o: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> "
                            "pl.Tensor[[64, 64], pl.FP32]:\n"
                            "        t: pl.Tile[[64, 64], pl.FP32] = pl.load(x, [0, 0], [64, 64])\n"
                            "        u: pl.Tile[[64, 64], pl.FP32] = pl.tile.something_new(t)\n"
                            "        v: pl.Tile[[64, 64], pl.FP32] = pl.tile.something_new(u)\n"
                            "        r: pl.Tensor[[64, 64], pl.FP32] = pl.store(v, [0, 0], o)\n        return r\n");

  for (guint i = 0; i < ts_run_n_snapshots (ts_document_get_run (ts_main_window_get_document (window))); i++)
    {
      ts_document_show_snapshot (ts_main_window_get_document (window), i);
      harness_settle (window);
      g_assert_cmpuint (count_code (window, "unknown-operation"), ==, 1);
      g_assert_nonnull (strstr (shown_of (window)->text->text, "pl.tile.something_new"));
    }
  take (window, "unknown-operation");
  harness_close (window);
}

/* Where passes ran elsewhere, what comes from what was found by matching, and is marked so. */
static void
test_inferred (void)
{
  static const struct { const char *spec; gboolean inferred; } cases[] = { { "dumps/gelu_rows", TRUE },
                                                                           { "kernels/acc_if/kernel.py", FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = harness_golden (cases[i].spec);
      TsMainWindow *window = harness_open (path, 1300, 860);
      g_autofree char *text = NULL;
      const gint32 *ops;
      guint n = 0;

      ts_document_pick_op (ts_main_window_get_document (window), ts_timeline_event (shown_of (window)->timeline, 0)->op);
      ops = ts_selection_ops (ts_document_get_selection (ts_main_window_get_document (window)), &n);
      g_assert_cmpuint (n, ==, 1);
      g_assert_cmpint (ops[0], >=, 0);
      text = ts_inspector_get_text (window->inspector);
      g_assert_nonnull (strstr (text, "comes from"));
      g_assert_cmpint (strstr (text, "(inferred)") != NULL, ==, cases[i].inferred);
      harness_close (window);
    }
}

/* A file that offers several kernels: each is opened by its name, from the page or the menu. */
static void
test_entries (void)
{
  static const char two[]
      = "import pypto.language as pl\n\n\n@pl.program\nclass First:\n    @pl.function(type=pl.FunctionType.InCore)\n"
        "    def one(self, x: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n"
        "        t = pl.load(x, [0], [64])\n        return pl.store(t, [0], o)\n\n\n"
        "@pl.program\nclass Second:\n    @pl.function(type=pl.FunctionType.InCore)\n"
        "    def two(self, x: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n"
        "        t = pl.load(x, [0], [64])\n        u = pl.exp(t)\n        return pl.store(u, [0], o)\n";
  static const struct { const char *entry, *function; } cases[] = { { "Second", "two" }, { "First", "one" } };
  TsMainWindow *window = open_text ("several.py", two);

  g_assert_nonnull (ts_document_get_problem (ts_main_window_get_document (window)));
  g_assert_cmpint (g_menu_model_get_n_items (G_MENU_MODEL (window->entries_menu)), ==, 2);
  take (window, "entries");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *action = g_strconcat ("win.open-entry::", cases[i].entry, NULL);

      harness_activate (window, action);
      harness_settle (window);
      g_assert_null (ts_document_get_problem (ts_main_window_get_document (window)));
      g_assert_cmpstr (shown_of (window)->function, ==, cases[i].function);
      g_assert_cmpint (g_menu_model_get_n_items (G_MENU_MODEL (window->entries_menu)), ==, 2);
    }
  harness_close (window);
}

int
main (int argc, char **argv)
{
  harness_init (&argc, &argv);
  g_test_add_func ("/app/inputs/tensor-level", test_tensor_level);
  g_test_add_func ("/app/inputs/jit", test_jit);
  g_test_add_func ("/app/inputs/bindings", test_bindings);
  g_test_add_func ("/app/inputs/split-bindings", test_split_bindings);
  g_test_add_func ("/app/inputs/entries", test_entries);
  g_test_add_func ("/app/inputs/functions", test_functions);
  g_test_add_func ("/app/inputs/half-a-folder", test_half_a_folder);
  g_test_add_func ("/app/inputs/unknown-operation", test_unknown_operation);
  g_test_add_func ("/app/inputs/inferred", test_inferred);
  return g_test_run ();
}
