/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR simulated: one program of a launch, accesses priced by the runs they touch. */
#include "kernel-text.h"

#include <string.h>

#include "lang/ttir/ttir.h"

static TsModule *
ttir_module (const char *text)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("kernel.ttir", text);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsModule *module = ts_ttir_parse (source, 0, strings, NULL, diags);

  if (module == NULL || ts_diag_list_has_errors (diags))
    {
      g_autoptr (GString) out = g_string_new (NULL);
      ts_diag_list_format (diags, TRUE, out);
      g_error ("%s\n%s", out->str, text);
    }
  return module;
}

#define HEAD "module {\n  tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {\n"
#define TAIL "    tt.return\n  }\n}\n"

/* A 16 x 128 tile; `row` and `col` are the steps between rows and columns in memory. */
#define TILE(row, col) \
  HEAD "    %rs = arith.constant dense<" row "> : tensor<16x1xi32>\n    %cs = arith.constant dense<" col "> : tensor<1x128xi32>\n" \
  "    %r0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n" \
  "    %c0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n" \
  "    %r1 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>\n" \
  "    %c1 = tt.expand_dims %c0 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>\n" \
  "    %r2 = arith.muli %r1, %rs : tensor<16x1xi32>\n    %c2 = arith.muli %c1, %cs : tensor<1x128xi32>\n" \
  "    %r3 = tt.broadcast %r2 : tensor<16x1xi32> -> tensor<16x128xi32>\n" \
  "    %c3 = tt.broadcast %c2 : tensor<1x128xi32> -> tensor<16x128xi32>\n" \
  "    %off = arith.addi %r3, %c3 : tensor<16x128xi32>\n" \
  "    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x128x!tt.ptr<f32>>\n" \
  "    %xp = tt.addptr %xs, %off : tensor<16x128x!tt.ptr<f32>>, tensor<16x128xi32>\n" \
  "    %v = tt.load %xp : tensor<16x128x!tt.ptr<f32>>\n" TAIL

static gint64
load_cycles (const char *text)
{
  g_autoptr (TsModule) module = ttir_module (text);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "k", NULL, NULL, NULL);

  for (guint i = 0; i < s->stream->n_instructions; i++)
    if (strcmp (ts_stream_site (s->stream, i)->name, "tt.load") == 0)
      return s->schedule->end[i] - s->schedule->start[i];
  g_assert_not_reached ();
}

static void
test_access (void)
{
  g_assert_cmpint (load_cycles (TILE ("128", "1")), ==, 100 + 8192 / 64);          /* one run */
  g_assert_cmpint (load_cycles (TILE ("256", "1")), ==, 100 + 16 * 512 / 64);      /* 16 rows */
  g_assert_cmpint (load_cycles (TILE ("1", "16")), ==, 100 + 2048 * 32 / 64);      /* each element on its own */
}

/* Index tensors that only say where an access goes are scalar work; one that is stored is data. */
static void
test_address_arithmetic (void)
{
  g_autoptr (TsModule) address = ttir_module (TILE ("128", "1"));
  g_autoptr (TsModule) data = ttir_module (HEAD
    "    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
    "    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n"
    "    %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
    "    %f = arith.sitofp %r : tensor<128xi32> to tensor<128xf32>\n    tt.store %yp, %f : tensor<128x!tt.ptr<f32>>\n" TAIL);
  g_autoptr (TsSimulation) a = kernel_simulate (address, "k", NULL, NULL, NULL);
  g_autoptr (TsSimulation) b = kernel_simulate (data, "k", NULL, NULL, NULL);

  for (guint i = 0; i < a->stream->n_instructions; i++)
    g_assert_cmpint (ts_stream_site (a->stream, i)->pipe, !=, TS_PIPE_V);
  g_assert_cmpint (ts_stream_site (b->stream, 0)->pipe, ==, TS_PIPE_V);
}

static void
test_loop (void)
{
  static const char text[] = HEAD
    "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n    %c128 = arith.constant 128 : i32\n"
    "    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
    "    scf.for %i = %c0 to %n step %c1 : i32 {\n"
    "      %o = arith.muli %i, %c128 : i32\n      %os = tt.splat %o : i32 -> tensor<128xi32>\n"
    "      %off = arith.addi %os, %range : tensor<128xi32>\n"
    "      %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n"
    "      %xp = tt.addptr %xs, %off : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
    "      %v = tt.load %xp : tensor<128x!tt.ptr<f32>>\n      %e = math.exp %v : tensor<128xf32>\n"
    "      %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n"
    "      %yp = tt.addptr %ys, %off : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
    "      tt.store %yp, %e : tensor<128x!tt.ptr<f32>>\n    }\n" TAIL;
  g_autoptr (TsModule) module = ttir_module (text);
  const char *defines[] = { "n=3", NULL };
  TsSimOptions options = { .defines = defines };
  g_autoptr (TsSimulation) bound = kernel_simulate (module, "k", NULL, NULL, &options);
  g_autoptr (TsSimulation) assumed = kernel_simulate (module, "k", NULL, NULL, NULL);

  g_assert_cmpint (bound->result->loops[0].iterations, ==, 3);
  g_assert_cmpint (assumed->result->loops[0].iterations, ==, 8);
  g_assert_cmpuint (kernel_count (assumed, "assumed-value"), ==, 1);
  g_assert_cmpuint (kernel_count (bound, "unknown-access"), ==, 0);
  g_assert_cmpuint (bound->stream->n_windows, ==, 6);
  /* Windows move on with the loop: the third store writes elements 256 to 383. */
  const TsWindow *last = &bound->stream->windows[5];
  g_assert_cmpint (bound->stream->offsets[last->offsets], ==, 256);
  g_assert_cmpint (bound->stream->window_shapes[last->shape].extent[0], ==, 128);
  /* exp waits for the load, the store for exp. */
  for (guint i = 0; i < bound->stream->n_instructions; i++)
    if (strcmp (ts_stream_site (bound->stream, i)->name, "tt.store") == 0)
      g_assert_cmpint (bound->schedule->cause[i], ==, TS_CAUSE_RAW);
}

static void
test_program (void)
{
  static const char text[] = HEAD
    "    %pid = tt.get_program_id x : i32\n    %c64 = arith.constant 64 : i32\n    %o = arith.muli %pid, %c64 : i32\n"
    "    %p = tt.addptr %x, %o : !tt.ptr<f32>, i32\n    %v = tt.load %p : !tt.ptr<f32>\n    tt.store %y, %v : !tt.ptr<f32>\n" TAIL;
  g_autoptr (TsModule) module = ttir_module (text);
  const char *defines[] = { "program_id=5", NULL };
  TsSimOptions options = { .defines = defines };
  g_autoptr (TsSimulation) s = kernel_simulate (module, "k", NULL, NULL, &options);

  g_assert_cmpint (s->stream->offsets[s->stream->windows[0].offsets], ==, 320);
}

static void
test_samples (void)
{
  static const char *const names[] = { "columns.ttir", "halves.ttir", "scores.ttir" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (g_getenv ("TS_TEST_KERNELS"), names[i], NULL), *text = NULL;
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_autoptr (TsModule) module = ttir_module (text);
      g_autoptr (TsSimulation) s = kernel_simulate (module, module->functions[0]->name, NULL, NULL, NULL);
      g_assert_cmpint (s->result->makespan, >, 200);
      g_assert_cmpint (s->result->makespan, >=, s->result->bound);
      g_assert_cmpuint (kernel_count (s, "unknown-access"), ==, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/ttir/access", test_access);
  g_test_add_func ("/sim/ttir/address-arithmetic", test_address_arithmetic);
  g_test_add_func ("/sim/ttir/loop", test_loop);
  g_test_add_func ("/sim/ttir/program", test_program);
  g_test_add_func ("/sim/ttir/samples", test_samples);
  return g_test_run ();
}
