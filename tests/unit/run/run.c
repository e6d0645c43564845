/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs: snapshots of kernels and of dump folders, text and places, functions, provenance, bills, sharing between derived runs. */
#include <glib/gstdio.h>
#include <string.h>

#include "run/run.h"
#include "run/sweep.h"

static TsInput *
load (const char *spec)
{
  g_autoptr (GError) error = NULL;
  TsInput *input = ts_input_load (spec, NULL, NULL, &error);

  g_assert_no_error (error);
  return input;
}

static TsInput *
load_golden (const char *path)
{
  g_autofree char *full = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), path, NULL);

  return load (full);
}

static TsRun *
run_with (TsInput *input, const TsRunOptions *options)
{
  g_autoptr (GError) error = NULL;
  TsRun *run = ts_run_new (input, options, &error);

  g_assert_no_error (error);
  ts_run_prepare (run, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return run;
}

static TsRun *
run_sample (const char *name, const char *machine)
{
  g_autofree char *spec = g_strconcat ("sample:", name, NULL);
  g_autoptr (TsInput) input = load (spec);
  TsRunOptions options = TS_RUN_OPTIONS_INIT;

  options.machine = machine;
  options.verify = TS_VERIFY_FULL;
  return run_with (input, &options);
}

/* --- samples: through all passes, each snapshot prints, simulates and reads back ---------------------------------------------- */

static void
print_diags (TsRun *run)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    ts_diag_list_format (ts_run_snapshot (run, i)->diags, FALSE, out);
  if (out->len > 0)
    g_test_message ("%s", out->str);
}

static void
test_sample (gconstpointer data)
{
  g_autoptr (TsRun) run = run_sample (data, "ascend910b");
  guint n = ts_run_n_snapshots (run);

  print_diags (run);
  g_assert_cmpuint (n, >, 5);
  g_assert_cmpstr (ts_run_snapshot (run, 0)->pass, ==, "frontend");
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      const TsSnapshotText *text;
      const TsSimulation *simulation;

      g_assert_false (ts_run_snapshot (run, i)->failed);
      text = ts_run_text (run, i, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (text->n_places, >, 5);
      simulation = ts_run_simulate (run, i, NULL, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (simulation->result->makespan, >=, simulation->result->bound);
      g_assert_true (ts_run_simulate (run, i, simulation->function, NULL, NULL, NULL, NULL) == simulation);
    }
}

/* The story of the sample: stages overlap until MemoryReuse puts them on the same bytes, and the blame says so. */
static void
test_collapse (void)
{
  g_autoptr (TsRun) run = run_sample ("collapse", "ascend910b");
  gint canonical = ts_run_find_snapshot (run, "canonicalize-io-order"), reuse = ts_run_find_snapshot (run, "MemoryReuse");
  const TsSimulation *simulation;
  gboolean blamed = FALSE;

  g_assert_cmpint (canonical, >, 0);
  g_assert_cmpint (reuse, >, canonical);
  g_assert_cmpint (ts_run_bill_row (run, (guint) reuse, NULL, NULL)->cycles, >,
                   ts_run_bill_row (run, (guint) canonical, NULL, NULL)->cycles);
  simulation = ts_run_simulate (run, (guint) reuse, NULL, NULL, NULL, NULL, NULL);
  for (guint i = 0; i < simulation->stream->n_instructions && !blamed; i++)
    if (simulation->schedule->cause[i] == TS_CAUSE_WAR && simulation->schedule->on[i] >= 0)
      {
        guint since = 0;
        const char *pass
          = ts_run_buffer_since (run, (guint) reuse, simulation->function, ts_stream_site (simulation->stream, i)->statement,
                                 ts_stream_site (simulation->stream, (guint) simulation->schedule->on[i])->statement, &since);

        blamed = pass != NULL && strcmp (pass, "MemoryReuse") == 0 && since == (guint) reuse;
      }
  g_assert_true (blamed);
  gboolean collapsed = FALSE;
  for (guint i = 0; i < simulation->result->n_memory; i++)
    collapsed |= simulation->result->memory[i].n_collapsed > 0;
  g_assert_true (collapsed);
}

/* --- text and places ---------------------------------------------------------------------------------------------------------- */

static void
test_places (void)
{
  g_autoptr (TsRun) run = run_sample ("pingpong", "teaching");
  gint index = ts_run_find_snapshot (run, "LowerPipelineLoops");
  const TsSnapshotText *text = ts_run_text (run, (guint) index, NULL, NULL);

  g_assert_true (ts_run_text (run, (guint) index, NULL, NULL) == text);
  for (guint i = 0; i < text->n_places; i++)
    {
      const TsTextPlace *place = &text->places[i];

      g_assert_cmpuint (place->offset + place->length, <, text->length);
      g_assert_cmpint (text->text[place->offset + place->length], ==, '\n');
      g_assert_true (ts_text_place_of (text, place->op) == place);
      if (place->op >= 0 && place->line == place->end_line)
        g_assert_cmpint (ts_text_op_at_line (text, place->line), ==, place->op);
      if (place->op >= 0)
        g_assert_nonnull (ts_run_op (run, (guint) index, place->op));
    }
  g_assert_cmpint (ts_text_op_at_line (text, 1), ==, -1);
  g_assert_null (ts_text_place_of (text, 100000));
  g_assert_null (ts_run_op (run, (guint) index, -1));
  g_assert_null (ts_run_op (run, (guint) index, 100000));
}

/* Every operation of the last snapshot leads back to a line of the user's file; copies of a load lead to the same one. */
static void
test_trace (void)
{
  g_autoptr (TsRun) run = run_sample ("pingpong", "ascend910b");
  guint last = ts_run_last_snapshot (run);
  gint loops = ts_run_find_snapshot (run, "LowerPipelineLoops");
  guint n_loads = 0;
  const TsSnapshotText *text = ts_run_text (run, last, NULL, NULL);

  for (guint i = 0; i < text->n_places; i++)
    {
      const TsOp *op = text->places[i].op >= 0 ? ts_run_op (run, last, text->places[i].op) : NULL;
      g_autoptr (GArray) ids = NULL, back = NULL;
      gboolean inferred = TRUE;
      TsSource *source = NULL;

      if (op == NULL || g_strcmp0 (op->name, "tile.load") != 0)
        continue;
      n_loads++;
      ids = ts_run_trace (run, last, op->id, 0, &inferred);
      g_assert_false (inferred);
      g_assert_cmpuint (ids->len, ==, 1);
      g_assert_cmpuint (ts_run_source_line (run, last, op->id, &source), ==, 23);
      g_assert_cmpstr (ts_source_name (source), ==, "pingpong.py");
      back = ts_run_trace (run, 0, g_array_index (ids, gint32, 0), last, NULL);
      g_assert_cmpuint (back->len, ==, 2);

      guint n;
      const TsStage *stages = ts_run_membership (run, last, op->id, &n);
      g_assert_cmpuint (n, ==, 1);
      g_assert_cmpint (stages[0].group, ==, 0);
      g_assert_true (ts_run_pass_touches (run, (guint) loops, last, op->id));
      g_assert_false (ts_run_pass_touches (run, 0, last, op->id));
    }
  g_assert_cmpuint (n_loads, ==, 2);
}

static void
test_steps (void)
{
  g_autoptr (TsRun) run = run_sample ("pingpong", "ascend910b");
  gint loops = ts_run_find_snapshot (run, "LowerPipelineLoops");
  const TsSteps *steps = ts_run_steps (run, (guint) loops, NULL);

  g_assert_nonnull (steps);
  g_assert_cmpuint (ts_steps_length (steps), >, 0);
  g_assert_true (ts_run_steps (run, (guint) loops, NULL) == steps);
  g_assert_null (ts_run_steps (run, 0, NULL));
}

/* --- derived runs ------------------------------------------------------------------------------------------------------------ */

static void
test_derive (void)
{
  g_autoptr (TsInput) input = load ("sample:pingpong");
  TsRunOptions options = TS_RUN_OPTIONS_INIT;
  g_autoptr (TsRun) run = run_with (input, &options), same = NULL, deeper = NULL;
  g_autoptr (GError) error = NULL;

  /* Another figure of the machine that no pass looks at: every snapshot is shared. */
  const char *const queue[] = { "queue-depth=8", NULL };
  options.overrides = queue;
  same = ts_run_derive (run, &options, &error);
  g_assert_no_error (error);
  g_assert_true (ts_run_prepare (same, NULL, NULL, NULL, NULL));
  g_assert_cmpuint (ts_run_n_snapshots (same), ==, ts_run_n_snapshots (run));
  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    g_assert_true (ts_run_snapshot (same, i)->module == ts_run_snapshot (run, i)->module);

  /* Another depth: the loop on line 21 of the file is cloned four times. */
  const char *const depth[] = { "21=4", NULL };
  options.overrides = NULL;
  options.loop_stages = depth;
  deeper = ts_run_derive (run, &options, &error);
  g_assert_no_error (error);
  g_assert_true (ts_run_prepare (deeper, NULL, NULL, NULL, NULL));
  g_assert_true (ts_run_snapshot (deeper, 0)->module != ts_run_snapshot (run, 0)->module);
  g_assert_nonnull (strstr (ts_run_text (deeper, 0, NULL, NULL)->text, "stage=4"));
  g_assert_nonnull (strstr (ts_run_text (run, 0, NULL, NULL)->text, "stage=2"));

  const char *const nowhere[] = { "3=4", NULL };
  options.loop_stages = nowhere;
  g_clear_pointer (&deeper, ts_run_unref);
  deeper = ts_run_derive (run, &options, &error);
  g_assert_no_error (error);
  g_assert_false (ts_run_prepare (deeper, NULL, NULL, NULL, &error));
  g_assert_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE);
}

static void
expect_new_error (const TsRunOptions *options, GQuark domain, gint code)
{
  g_autoptr (TsInput) input = load ("sample:pingpong");
  g_autoptr (GError) error = NULL;

  g_assert_null (ts_run_new (input, options, &error));
  g_assert_error (error, domain, code);
}

static void
test_wrong_options (void)
{
  const char *const define[] = { "n", NULL }, *const arg[] = { "a=4x4:fp32", NULL };
  TsRunOptions options = TS_RUN_OPTIONS_INIT;

  options.machine = "no-such-machine";
  expect_new_error (&options, TS_MACHINE_ERROR, TS_MACHINE_ERROR_UNKNOWN_MACHINE);
  options = (TsRunOptions) TS_RUN_OPTIONS_INIT;
  options.passes = "no-such-pass";
  expect_new_error (&options, TS_PASS_ERROR, TS_PASS_ERROR_UNKNOWN_PASS);
  options = (TsRunOptions) TS_RUN_OPTIONS_INIT;
  options.defines = define;
  expect_new_error (&options, TS_RUN_ERROR, TS_RUN_ERROR_USAGE);
  options = (TsRunOptions) TS_RUN_OPTIONS_INIT;
  options.args = arg;
  expect_new_error (&options, TS_RUN_ERROR, TS_RUN_ERROR_USAGE);
  options = (TsRunOptions) TS_RUN_OPTIONS_INIT;
  options.stages = 1000000;
  expect_new_error (&options, TS_RUN_ERROR, TS_RUN_ERROR_USAGE);
}

static void
test_cancel (void)
{
  g_autoptr (TsInput) input = load ("sample:pingpong");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  TsRunOptions options = TS_RUN_OPTIONS_INIT;
  g_autoptr (TsRun) run = ts_run_new (input, &options, NULL);
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_false (ts_run_prepare (run, cancellable, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  /* It can be prepared afterwards. */
  g_assert_true (ts_run_prepare (run, NULL, NULL, NULL, NULL));
  g_clear_error (&error);
  g_assert_null (ts_run_simulate (run, 0, NULL, cancellable, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_nonnull (ts_run_simulate (run, 0, NULL, NULL, NULL, NULL, NULL));
}

/* --- folders ----------------------------------------------------------------------------------------------------------------- */

static void
test_folder (void)
{
  g_autoptr (TsInput) input = load_golden ("dumps/gelu_rows");
  TsRunOptions options = TS_RUN_OPTIONS_INIT;
  g_autoptr (TsRun) run = run_with (input, &options);
  guint n = ts_run_n_snapshots (run), n_functions, last = ts_run_last_snapshot (run);
  const TsRunFunction *functions;
  gboolean inferred = FALSE;

  g_assert_cmpuint (n, ==, 36);
  g_assert_false (ts_run_snapshot (run, 1)->changed);
  g_assert_true (ts_run_snapshot (run, 4)->changed);
  g_assert_cmpint (ts_run_find_snapshot (run, "lower-pipeline-loops"), ==, 29);
  g_assert_nonnull (ts_run_snapshot (run, 34)->log);
  functions = ts_run_functions (run, last, &n_functions);
  g_assert_cmpuint (n_functions, ==, 2);
  for (guint i = 0; i < n_functions; i++)
    g_assert_true (functions[i].can_simulate == (functions[i].why_not == NULL));
  for (guint i = 0; i < n; i++)
    {
      gsize length;
      guint n_dumps;
      const TsSnapshotText *text = ts_run_text (run, i, NULL, NULL);
      const char *raw = ts_source_text (ts_input_dumps (input, &n_dumps)[i].source, &length);

      g_assert_cmpmem (text->text, text->length, raw, length);
    }

  /* A clone in the last dump comes from the user's line, by matching. */
  const TsSnapshotText *text = ts_run_text (run, last, NULL, NULL);
  for (guint i = 0; i < text->n_places; i++)
    if (g_str_has_prefix (text->text + text->places[i].offset, "e__ssa_v0_1:"))
      {
        g_autoptr (GArray) ids = ts_run_trace (run, last, text->places[i].op, 0, &inferred);

        g_assert_true (inferred);
        g_assert_cmpuint (ids->len, ==, 1);
        g_assert_cmpuint (ts_run_source_line (run, last, text->places[i].op, NULL), ==, 13);
      }
  g_assert_true (inferred);
}

/* One broken file: its snapshot shows the text and the errors, the others work. */
static void
test_broken_dump (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL);
  g_autofree char *good = NULL, *a = g_build_filename (folder, "00_frontend.py", NULL);
  g_autofree char *b = g_build_filename (folder, "01_after_Broken.py", NULL), *c
    = g_build_filename (folder, "02_after_Good.py", NULL);
  g_autofree char *source = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), "kernels", "dyn_copy",
                                              "02_after_LowerPipelineToSlots.py", NULL);
  g_autoptr (TsInput) input = NULL;
  g_autoptr (TsRun) run = NULL;
  g_autoptr (GError) error = NULL;
  TsRunOptions options = TS_RUN_OPTIONS_INIT;

  g_assert_true (g_file_get_contents (source, &good, NULL, NULL));
  g_assert_true (g_file_set_contents (a, good, -1, NULL));
  g_assert_true (g_file_set_contents (b, "# pypto.program: X\nclass (((\n", -1, NULL));
  g_assert_true (g_file_set_contents (c, good, -1, NULL));
  input = load (folder);
  run = run_with (input, &options);
  g_assert_cmpuint (ts_run_n_snapshots (run), ==, 3);
  g_assert_true (ts_run_snapshot (run, 1)->failed);
  g_assert_null (ts_run_snapshot (run, 1)->module);
  g_assert_true (ts_diag_list_has_errors (ts_run_snapshot (run, 1)->diags));
  g_assert_cmpstr (ts_run_text (run, 1, NULL, NULL)->text, ==, "# pypto.program: X\nclass (((\n");
  g_assert_null (ts_run_simulate (run, 1, NULL, NULL, NULL, NULL, &error));
  g_assert_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SNAPSHOT);
  g_assert_nonnull (ts_run_simulate (run, 2, NULL, NULL, NULL, NULL, NULL));
  g_assert_cmpint (ts_run_bill_row (run, 1, NULL, NULL)->cycles, ==, -1);
  g_assert_nonnull (ts_run_bill_row (run, 1, NULL, NULL)->problem);
  g_assert_cmpint (ts_run_bill_row (run, 2, NULL, NULL)->delta_cycles, ==, 0);
  /* Provenance looks through it. */
  g_autoptr (GArray) ids = ts_run_trace (run, 2, 0, 0, NULL);
  g_assert_cmpuint (ids->len, ==, 1);

  /* Passes on the good one, and refusal on the broken one. */
  g_clear_pointer (&run, ts_run_unref);
  options.passes = "default";
  options.start = 0;
  run = run_with (input, &options);
  g_assert_cmpint (ts_run_find_snapshot (run, "LowerPipelineLoops"), >, 0);
  g_assert_null (ts_run_snapshot (run, 1)->file);
  g_clear_pointer (&run, ts_run_unref);
  options.start = 1;
  run = ts_run_new (input, &options, NULL);
  g_clear_error (&error);
  g_assert_false (ts_run_prepare (run, NULL, NULL, NULL, &error));
  g_assert_error (error, TS_RUN_ERROR, TS_RUN_ERROR_INPUT);
  g_remove (a);
  g_remove (b);
  g_remove (c);
  g_rmdir (folder);
}

/* --- threads, sweep ---------------------------------------------------------------------------------------------------------- */

static gpointer
ask (gpointer data)
{
  TsRun *run = data;
  guint last = ts_run_last_snapshot (run);

  for (guint i = 0; i <= last; i++)
    g_assert_nonnull (ts_run_bill_row (run, i, NULL, NULL));
  return (gpointer) ts_run_simulate (run, last, NULL, NULL, NULL, NULL, NULL);
}

/* Several threads share one computation of everything. */
static void
test_threads (void)
{
  g_autoptr (TsRun) run = run_sample ("nested", "ascend910b");
  GThread *threads[4];
  gpointer first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("ask", ask, run);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      gpointer found = g_thread_join (threads[i]);

      g_assert_nonnull (found);
      g_assert_true (first == NULL || first == found);
      first = found;
    }
}

static void
test_sweep (void)
{
  g_autoptr (TsInput) input = load ("sample:pingpong");
  const char *const machines[] = { "teaching", "ascend910b", NULL };
  TsRunOptions options = TS_RUN_OPTIONS_INIT;
  g_autoptr (GPtrArray) rows = ts_sweep (input, &options, machines, 1, 3, NULL, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (rows->len, ==, 6);
  for (guint i = 0; i < rows->len; i++)
    {
      const TsSweepRow *row = g_ptr_array_index (rows, i);

      g_assert_cmpstr (row->machine, ==, machines[i / 3]);
      g_assert_cmpint (row->stages, ==, (gint) (i % 3) + 1);
      g_assert_cmpstr (row->problem, ==, NULL);
      g_assert_cmpint (row->cycles, >, 0);
      g_assert_cmpint (row->bytes[TS_SPACE_VEC], >, 0);
    }
  /* Each stage is a copy of the body: what an iteration of the program takes can be compared. */
  for (guint i = 0; i < rows->len; i++)
    {
      const TsSweepRow *row = g_ptr_array_index (rows, i);

      g_assert_cmpint (row->copies, ==, row->stages);
      g_assert_cmpfloat_with_epsilon (row->per_copy * row->stages, (double) row->interval, 1e-6);
    }
  /* Two stages need more bytes than one and are no slower. */
  const TsSweepRow *one = g_ptr_array_index (rows, 3), *two = g_ptr_array_index (rows, 4);
  g_assert_cmpint (two->cycles, <=, one->cycles);
  g_assert_cmpint (two->bytes[TS_SPACE_VEC], >=, one->bytes[TS_SPACE_VEC]);

  g_assert_null (ts_sweep (input, &options, NULL, 3, 1, NULL, NULL, NULL, &error));
  g_assert_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE);
}

/* A module above the kernel is found however the kernel's path is spelled. */
static void
test_siblings_of_relative_path (void)
{
  g_autofree char *root = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *inner = g_build_filename (root, "inner", NULL);
  g_autofree char *above = g_build_filename (root, "above.py", NULL), *kernel = g_build_filename (inner, "kernel.py", NULL);
  g_autofree char *back = g_get_current_dir ();
  const char *const spellings[] = { kernel, "kernel.py", "./kernel.py", "../inner/kernel.py" };
  TsRunOptions options = TS_RUN_OPTIONS_INIT;

  g_assert_cmpint (g_mkdir (inner, 0700), ==, 0);
  g_assert_true (g_file_set_contents (above, "ROWS = 48\n", -1, NULL));
  g_assert_true (g_file_set_contents (kernel, "import pypto.language as pl\nfrom above import ROWS\n@pl.function\n"
                                      "def f(x: pl.Tensor[[ROWS, 16], pl.FP32]):\n    pass\n", -1, NULL));
  g_assert_cmpint (g_chdir (inner), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autoptr (TsInput) input = load (spellings[i]);
      g_autoptr (TsRun) run = run_with (input, &options);

      g_assert_nonnull (strstr (ts_run_text (run, 0, NULL, NULL)->text, "pl.Tensor[[48, 16], pl.FP32]"));
    }
  g_assert_cmpint (g_chdir (back), ==, 0);
  g_remove (kernel);
  g_remove (above);
  g_rmdir (inner);
  g_rmdir (root);
}

int
main (int argc, char **argv)
{
  guint n;
  const TsSample *samples = ts_samples (&n);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n; i++)
    if (samples[i].kind == TS_INPUT_PYPTO)
      {
        g_autofree char *path = g_strconcat ("/run/sample/", samples[i].name, NULL);

        g_test_add_data_func (path, samples[i].name, test_sample);
      }
  g_test_add_func ("/run/siblings-of-relative-path", test_siblings_of_relative_path);
  g_test_add_func ("/run/collapse", test_collapse);
  g_test_add_func ("/run/places", test_places);
  g_test_add_func ("/run/trace", test_trace);
  g_test_add_func ("/run/steps", test_steps);
  g_test_add_func ("/run/derive", test_derive);
  g_test_add_func ("/run/wrong-options", test_wrong_options);
  g_test_add_func ("/run/cancel", test_cancel);
  g_test_add_func ("/run/folder", test_folder);
  g_test_add_func ("/run/broken-dump", test_broken_dump);
  g_test_add_func ("/run/threads", test_threads);
  g_test_add_func ("/run/sweep", test_sweep);
  return g_test_run ();
}
