/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR simulated: one program of a launch, accesses priced by the runs they touch. */
#include "kernel-text.h"

#include <string.h>

#include "lang/ttir/ttir.h"
#include "passes/pass.h"

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

/* --- helpers ---------------------------------------------------------------------------------------------------------------- */

#define RANGE "    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
#define XS "    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n"
#define YS "    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n"
#define XP XS "    %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
#define YP YS "    %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
#define CONSTANTS \
  "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n    %c3 = arith.constant 3 : i32\n" \
  "    %c128 = arith.constant 128 : i32\n    %d128 = arith.constant dense<128> : tensor<128xi32>\n"
#define COPY "    %v = tt.load %xp : tensor<128x!tt.ptr<f32>>\n    tt.store %yp, %v : tensor<128x!tt.ptr<f32>>\n"

static TsSimulation *
simulate (const char *text, const char *define, gint64 max)
{
  g_autoptr (TsModule) module = ttir_module (text);
  const char *defines[] = { define, NULL };
  TsSimOptions options = { .defines = define != NULL ? defines : NULL, .max_instructions = max };

  return kernel_simulate (module, "k", NULL, NULL, &options);
}

static guint
on_pipe (const TsSimulation *s, TsPipe pipe)
{
  guint n = 0;

  for (guint i = 0; i < s->stream->n_instructions; i++)
    n += ts_stream_site (s->stream, i)->pipe == pipe;
  return n;
}

static guint
named (const TsSimulation *s, const char *name)
{
  guint n = 0;

  for (guint i = 0; i < s->stream->n_instructions; i++)
    n += strcmp (ts_stream_site (s->stream, i)->name, name) == 0;
  return n;
}

static gint64
window_offset (const TsSimulation *s, guint i)
{
  g_assert_cmpuint (i, <, s->stream->n_windows);
  return s->stream->offsets[s->stream->windows[i].offsets];
}

/* --- accesses --------------------------------------------------------------------------------------------------------------- */

/* A load of 128 elements through `mask` lines that define %m; with -D `define`. */
static gint64
masked (const char *mask, const char *define)
{
  g_autofree char *text = g_strconcat (HEAD CONSTANTS RANGE XP, mask,
                                       "    %v = tt.load %xp, %m : tensor<128x!tt.ptr<f32>>\n" TAIL, NULL);
  g_autoptr (TsSimulation) s = simulate (text, define, 0);

  g_assert_cmpuint (named (s, "tt.load"), ==, 1);
  g_assert_cmpuint (on_pipe (s, TS_PIPE_V), ==, 0);
  for (guint i = 0; i < s->stream->n_instructions; i++)
    if (strcmp (ts_stream_site (s->stream, i)->name, "tt.load") == 0)
      return s->schedule->end[i] - s->schedule->start[i];
  g_assert_not_reached ();
}

static void
test_masks (void)
{
#define BOUND(b) "    %b = arith.constant dense<" b "> : tensor<128xi32>\n"
#define LESS(p) "    %m = arith.cmpi " p ", %r, %b : tensor<128xi32>\n"
#define OPEN "    %b = tt.splat %n : i32 -> tensor<128xi32>\n"
  g_assert_cmpint (masked ("    %m = arith.constant dense<true> : tensor<128xi1>\n", NULL), ==, 108);
  g_assert_cmpint (masked ("    %m = arith.constant dense<false> : tensor<128xi1>\n", NULL), ==, 100);
  g_assert_cmpint (masked (BOUND ("64") LESS ("slt"), NULL), ==, 104);
  g_assert_cmpint (masked (BOUND ("63") LESS ("sle"), NULL), ==, 104);
  g_assert_cmpint (masked (BOUND ("64") LESS ("ult"), NULL), ==, 104);
  g_assert_cmpint (masked (BOUND ("500") LESS ("slt"), NULL), ==, 108);
  g_assert_cmpint (masked (BOUND ("0") LESS ("slt"), NULL), ==, 100);
  g_assert_cmpint (masked (BOUND ("0") LESS ("sge"), NULL), ==, 108);
  g_assert_cmpint (masked (BOUND ("200") LESS ("sgt"), NULL), ==, 100);
  g_assert_cmpint (masked (BOUND ("64") "    %m = arith.cmpi sgt, %b, %r : tensor<128xi32>\n", NULL), ==, 104);
  g_assert_cmpint (masked (BOUND ("64") LESS ("sgt"), NULL), ==, 108); /* the upper half: not followed, nothing is taken off */
  /* An open bound takes nothing off until it is bound. */
  g_assert_cmpint (masked (OPEN LESS ("slt"), NULL), ==, 108);
  g_assert_cmpint (masked (OPEN LESS ("slt"), "n=32"), ==, 102);
  /* Of two masks the tighter one, one of them open. */
  g_assert_cmpint (masked (OPEN "    %o = arith.cmpi slt, %r, %b : tensor<128xi32>\n"
  "    %e = arith.constant dense<64> : tensor<128xi32>\n"
                           "    %f = arith.cmpi slt, %r, %e : tensor<128xi32>\n"
                           "    %m = arith.andi %o, %f : tensor<128xi1>\n", NULL),
                   ==, 104);
#undef BOUND
#undef LESS
#undef OPEN
}

/* Runs that block pointers, reshapes, remainders and pointers of open origin make. */
static void
test_more_accesses (void)
{
#define BLOCK(strides, offsets) HEAD "    %c1 = arith.constant 1 : i64\n    %c16 = arith.constant 16 : i64\n" \
  "    %c128 = arith.constant 128 : i64\n    %c512 = arith.constant 512 : i64\n    %o = arith.constant 3 : i32\n" \
  "    %p = tt.make_tensor_ptr %x, [%c16, %c512], [" strides "], [" offsets "] {order = array<i32: 1, 0>} : " \
  "!tt.ptr<tensor<16x128xf32>>\n" \
  "    %q = tt.advance %p, [%o, %n] : !tt.ptr<tensor<16x128xf32>>\n    %v = tt.load %q : !tt.ptr<tensor<16x128xf32>>\n" TAIL
#define LANES(lines) HEAD CONSTANTS RANGE XS lines "    %xp = tt.addptr %xs, %l : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n" \
  "    %v = tt.load %xp : tensor<128x!tt.ptr<f32>>\n" TAIL
  g_assert_cmpint (load_cycles (BLOCK ("%c512, %c1", "%o, %o")), ==, 100 + 16 * 512 / 64);
  g_assert_cmpint (load_cycles (BLOCK ("%c128, %c1", "%o, %o")), ==, 100 + 8192 / 64);
  g_assert_cmpint (load_cycles (BLOCK ("%c1, %c16", "%o, %o")), ==, 100 + 2048 * 32 / 64);
  /* A period that holds every lane changes nothing, one that folds them is not followed. */
  g_assert_cmpint (load_cycles (LANES ("    %l = arith.remsi %r, %d128 : tensor<128xi32>\n")), ==, 108);
  g_assert_cmpint (load_cycles (LANES ("    %l = arith.shli %r, %r : tensor<128xi32>\n")), ==, 108);
  g_assert_cmpint (load_cycles (LANES ("    %e = arith.constant dense<1> : tensor<128xi32>\n"
                                       "    %l = arith.shli %r, %e : tensor<128xi32>\n")), ==, 100 + 128 * 32 / 64);
  g_assert_cmpint (load_cycles (LANES ("    %z = arith.subi %d128, %r : tensor<128xi32>\n"
  "    %l = arith.addi %z, %r : tensor<128xi32>\n")),
                   ==, 101);
  /* A divisor that is a guess keeps the lanes together. */
  g_assert_cmpint (load_cycles (LANES ("    %e = tt.splat %n : i32 -> tensor<128xi32>\n"
  "    %l = arith.remsi %r, %e : tensor<128xi32>\n")),
                   ==, 108);
  g_autoptr (TsSimulation) block = simulate (BLOCK ("%c512, %c1", "%o, %o"), "n=128", 0);
  g_assert_cmpint (window_offset (block, 0), ==, 3 * 512 + 3 + 3 * 512 + 128);
  g_assert_cmpint (block->stream->window_shapes[block->stream->windows[0].shape].extent[0], ==, 15 * 512 + 128);
#undef BLOCK
#undef LANES
}

/* Where lanes go is read from memory: the access waits for that and is priced by rows. */
static void
test_gather (void)
{
  g_autoptr (TsSimulation) s = simulate (
    "module {\n  tt.func public @k(%i: !tt.ptr<i32>, %x: !tt.ptr<f32>) attributes {noinline = false} {\n" RANGE XS
    "    %is = tt.splat %i : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>\n"
    "    %ip = tt.addptr %is, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>\n    %at = tt.load %ip : tensor<128x!tt.ptr<i32>>\n"
    "    %xp = tt.addptr %xs, %at : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n    %v = tt.load %xp : tensor<128x!tt.ptr<f32>>\n"
    "    %w = tt.load %xp : tensor<128x!tt.ptr<f32>>\n" TAIL, NULL, 0);

  g_assert_cmpuint (s->stream->n_instructions, ==, 3);
  g_assert_cmpuint (kernel_count (s, "unknown-access"), ==, 2); /* once for each load */
  g_assert_cmpint (s->schedule->dispatch[1], >=, s->schedule->end[0]);
  g_assert_cmpint (s->stream->window_shapes[s->stream->windows[0].shape].rank, ==, 1);
  g_assert_cmpint (s->stream->window_shapes[s->stream->windows[1].shape].rank, ==, 0); /* the whole tensor */
}

/* --- control flow ------------------------------------------------------------------------------------------------------------ */

static void
test_carried_pointer (void)
{
  g_autoptr (TsSimulation) s = simulate (HEAD CONSTANTS RANGE XP YP
    "    %e:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %xp, %q = %yp) -> (tensor<128x!tt.ptr<f32>>, "
    "tensor<128x!tt.ptr<f32>>)"
    "  : i32 {\n      %v = tt.load %p : tensor<128x!tt.ptr<f32>>\n      tt.store %q, %v : tensor<128x!tt.ptr<f32>>\n"
    "      %p1 = tt.addptr %p, %d128 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
    "      %q1 = tt.addptr %q, %d128 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
    "      scf.yield %p1, %q1 : tensor<128x!tt.ptr<f32>>, tensor<128x!tt.ptr<f32>>\n    }\n"
    "    %v = tt.load %e#0 : tensor<128x!tt.ptr<f32>>\n" TAIL, NULL, 0);

  g_assert_cmpuint (s->stream->n_instructions, ==, 7); /* pointers cost nothing */
  for (guint k = 0; k < 3; k++)
    {
      g_assert_cmpint (window_offset (s, 2 * k), ==, 128 * k);
      g_assert_cmpint (window_offset (s, 2 * k + 1), ==, 128 * k);
    }
  g_assert_cmpint (window_offset (s, 6), ==, 384);
}

/* An index tensor that a loop carries is an address as long as nobody computes with it. */
static void
test_carried_index (void)
{
#define CARRIED(last) HEAD CONSTANTS RANGE XS YS \
  "    %e = scf.for %i = %c0 to %c3 step %c1 iter_args(%o = %r) -> (tensor<128xi32>)  : i32 {\n" \
  "      %p = tt.addptr %xs, %o : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n      %v = tt.load %p : tensor<128x!tt.ptr<f32>>\n" \
  "      %o1 = arith.addi %o, %d128 : tensor<128xi32>\n      scf.yield %o1 : tensor<128xi32>\n    }\n" last TAIL
  g_autoptr (TsSimulation) address = simulate (CARRIED (""), NULL, 0);
  g_autoptr (TsSimulation) data = simulate (CARRIED (
    "    %f = arith.sitofp %e : tensor<128xi32> to tensor<128xf32>\n    tt.store %ys, %f : tensor<128x!tt.ptr<f32>>\n"), NULL, 0);

  g_assert_cmpuint (on_pipe (address, TS_PIPE_V), ==, 0);
  g_assert_cmpuint (on_pipe (address, TS_PIPE_S), ==, 3);
  g_assert_cmpuint (on_pipe (data, TS_PIPE_S), ==, 0);
  g_assert_cmpuint (on_pipe (data, TS_PIPE_V), ==, 1 + 3 + 1); /* the range, its steps, the conversion */
  g_assert_cmpint (window_offset (address, 2), ==, 256);
#undef CARRIED
}

static void
test_if (void)
{
#define CHOICE(condition) HEAD CONSTANTS RANGE XP YP condition \
  "    %v = scf.if %c -> (tensor<128xf32>) {\n      %a = tt.load %xp : tensor<128x!tt.ptr<f32>>\n" \
  "      scf.yield %a : tensor<128xf32>\n" \
  "    } else {\n      %b = arith.constant dense<0.000000e+00> : tensor<128xf32>\n      scf.yield %b : tensor<128xf32>\n    }\n" \
  "    tt.store %yp, %v : tensor<128x!tt.ptr<f32>>\n" TAIL
  static const char known[] = CHOICE ("    %c = arith.cmpi sgt, %n, %c3 : i32\n");
  g_autoptr (TsSimulation) yes = simulate (known, "n=4", 0);
  g_autoptr (TsSimulation) no = simulate (known, "n=3", 0);
  g_autoptr (TsSimulation) open = simulate (CHOICE ("    %s = tt.load %x : !tt.ptr<f32>\n"
  "    %z = arith.constant 0.000000e+00 : f32\n"
                                                    "    %c = arith.cmpf ogt, %s, %z : f32\n"), NULL, 0);

  g_assert_cmpuint (named (yes, "tt.load"), ==, 1);
  g_assert_cmpuint (named (no, "tt.load"), ==, 0);
  g_assert_cmpuint (named (open, "tt.load"), ==, 2);
  g_assert_cmpuint (kernel_count (open, "unknown-branch"), ==, 1);
  g_assert_cmpuint (kernel_count (yes, "unknown-branch"), ==, 0);
#undef CHOICE
}

#define WHILE(condition) HEAD CONSTANTS RANGE XP YP \
  "    %w = scf.while (%i = %c0) : (i32) -> i32 {\n" condition "      scf.condition(%go) %i : i32\n    } do {\n" \
  "    ^bb0(%j: i32):\n" \
  "  " COPY "      %k = arith.addi %j, %c1 : i32\n      scf.yield %k : i32\n    }\n" \
  "    %p = tt.addptr %x, %w : !tt.ptr<f32>, i32\n    %s = tt.load %p : !tt.ptr<f32>\n" TAIL

static void
test_while (void)
{
  static const char counted[] = WHILE ("      %go = arith.cmpi slt, %i, %n : i32\n");
  g_autoptr (TsSimulation) three = simulate (counted, "n=3", 0);
  g_autoptr (TsSimulation) none = simulate (counted, "n=0", 0);
  g_autoptr (TsSimulation) open = simulate (WHILE ("      %f = tt.load %x : !tt.ptr<f32>\n"
  "      %z = arith.constant 0.000000e+00 : f32\n"
                                                   "      %go = arith.cmpf ogt, %f, %z : f32\n"), NULL, 0);

  g_assert_cmpuint (named (three, "tt.store"), ==, 3);
  g_assert_cmpint (three->result->loops[0].iterations, ==, 4); /* the last one only finds out */
  g_assert_true (three->stream->loops[0].is_while);
  g_assert_cmpint (window_offset (three, 6), ==, 3); /* what the condition passed on */
  g_assert_cmpuint (named (none, "tt.store"), ==, 0);
  g_assert_cmpuint (named (open, "tt.store"), ==, 8);
  g_assert_cmpuint (kernel_count (open, "unknown-bound"), ==, 1);
}

#define BLOCKS(condition) HEAD CONSTANTS RANGE XP YP "    cf.br ^bb1(%c0 : i32)\n  ^bb1(%i: i32):\n" condition \
  "    cf.cond_br %go, ^bb2(%c1 : i32), ^bb3\n  ^bb2(%by: i32):\n" COPY "    %k = arith.addi %i, %by : i32\n" \
  "    cf.br ^bb1(%k : i32)\n" \
  "  ^bb3:\n" TAIL

static void
test_blocks (void)
{
  static const char early[] = HEAD CONSTANTS RANGE XP YP "    %c = arith.cmpi sgt, %n, %c3 : i32\n    cf.cond_br %c, ^bb1, ^bb2\n"
                                   "  ^bb1:\n    tt.return\n  ^bb2:\n" COPY TAIL;
  static const char counted[] = BLOCKS ("    %go = arith.cmpi slt, %i, %n : i32\n");
  g_autoptr (TsSimulation) returned = simulate (early, "n=4", 0);
  g_autoptr (TsSimulation) worked = simulate (early, "n=3", 0);
  g_autoptr (TsSimulation) five = simulate (counted, "n=5", 0);
  g_autoptr (TsSimulation) open = simulate (BLOCKS ("    %f = tt.load %x : !tt.ptr<f32>\n"
  "    %z = arith.constant 0.000000e+00 : f32\n"
                                                    "    %go = arith.cmpf ogt, %f, %z : f32\n"), NULL, 0);

  g_assert_cmpuint (named (returned, "tt.store"), ==, 0);
  g_assert_cmpuint (named (worked, "tt.store"), ==, 1);
  g_assert_cmpuint (named (five, "tt.store"), ==, 5);
  g_assert_cmpuint (named (open, "tt.store"), ==, 8);
  g_assert_cmpuint (kernel_count (open, "unknown-branch"), ==, 1);
  g_assert_false (open->stream->truncated);
}

/* What never ends is cut, and says so: with instructions and without any. */
static void
test_endless (void)
{
  static const char *const texts[] = {
    BLOCKS ("    %go = arith.constant true\n"),
    WHILE ("      %go = arith.constant true\n"),
    HEAD "    cf.br ^bb1\n  ^bb1:\n    cf.br ^bb1\n  }\n}\n",
    HEAD "    %t = arith.constant true\n    scf.while : () -> () {\n      scf.condition(%t)\n    } do {\n      scf.yield\n"
    "    }\n" TAIL,
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *text = NULL;
      g_autoptr (TsSimulation) s = NULL;
      if (strstr (texts[i], "tt.load") == NULL) /* something to simulate */
        {
          g_auto (GStrv) parts = g_strsplit (texts[i], HEAD, 2);
          text = g_strconcat (HEAD "    %l = tt.load %x : !tt.ptr<f32>\n", parts[1], NULL);
        }
      s = simulate (text != NULL ? text : texts[i], NULL, 2000);
      g_assert_true (s->stream->truncated);
      g_assert_cmpuint (kernel_count (s, "stream-cut"), ==, 1);
      /* Statements without an instruction have a bound of their own, of the same size. */
      g_assert_cmpint (s->stream->n_instructions, <=, 2000);
      g_assert_cmpint (s->stream->steps - s->stream->n_instructions, <=, 2000);
    }
}

static void
test_call (void)
{
  g_autoptr (TsSimulation) s = simulate (
    "module {\n  tt.func private @at(%p: !tt.ptr<f32>, %i: i32) -> (!tt.ptr<f32>, f32) {\n"
    "    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32\n    %v = tt.load %q : !tt.ptr<f32>\n"
    "    tt.return %q, %v : !tt.ptr<f32>, f32\n  }\n"
    "  tt.func public @k(%x: !tt.ptr<f32>) attributes {noinline = false} {\n    %c5 = arith.constant 5 : i32\n"
    "    %a:2 = tt.call @at(%x, %c5) : (!tt.ptr<f32>, i32) -> (!tt.ptr<f32>, f32)\n"
    "    %b:2 = tt.call @at(%a#0, %c5) : (!tt.ptr<f32>, i32) -> (!tt.ptr<f32>, f32)\n    tt.store %b#0, %a#1 : !tt.ptr<f32>\n" TAIL,
    NULL, 0);
  g_autoptr (TsSimulation) endless = simulate (
    "module {\n  tt.func public @k(%x: !tt.ptr<f32>) attributes {noinline = false} {\n    %v = tt.load %x : !tt.ptr<f32>\n"
    "    tt.call @k(%x) : (!tt.ptr<f32>) -> ()\n" TAIL, NULL, 0);

  g_assert_cmpuint (s->stream->n_windows, ==, 3);
  g_assert_cmpint (window_offset (s, 0), ==, 5);
  g_assert_cmpint (window_offset (s, 1), ==, 10);
  g_assert_cmpint (window_offset (s, 2), ==, 10);
  g_assert_cmpuint (s->stream->n_tensors, ==, 1); /* all of it is x */
  g_assert_cmpuint (kernel_count (endless, "call-depth"), ==, 1);
}

static void
test_launch (void)
{
  static const char text[] = HEAD "    %i = tt.get_program_id y : i32\n    %m = tt.get_num_programs x : i32\n"
                                  "    %o = arith.muli %i, %m : i32\n    %p = tt.addptr %x, %o : !tt.ptr<f32>, i32\n"
                                  "    %v = tt.load %p : !tt.ptr<f32>\n" TAIL;
  g_autoptr (TsModule) module = ttir_module (text);
  const char *defines[] = { "program_id_y=3", "num_programs=7", NULL };
  TsSimOptions options = { .defines = defines };
  g_autoptr (TsSimulation) bound = kernel_simulate (module, "k", NULL, NULL, &options);
  g_autoptr (TsSimulation) first = kernel_simulate (module, "k", NULL, NULL, NULL);

  g_assert_cmpint (window_offset (bound, 0), ==, 21);
  g_assert_cmpuint (bound->n_bindings, ==, 2);
  g_assert_cmpint (window_offset (first, 0), ==, 0);
}

/* --- units and buffers -------------------------------------------------------------------------------------------------------- */

static void
test_units (void)
{
  g_autoptr (TsSimulation) s = simulate (HEAD CONSTANTS RANGE XP YP "    %v = tt.load %xp : tensor<128x!tt.ptr<f32>>\n"
    "    %m = tt.reshape %v : tensor<128xf32> -> tensor<1x128xf32>\n"
    "    %t = tt.expand_dims %v {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>\n"
    "    %e = math.exp %m : tensor<1x128xf32>\n    %f = math.exp %t : tensor<128x1xf32>\n"
    "    %s = \"tt.reduce\"(%v) <{axis = 0 : i32}> ({\n    ^bb0(%a: f32, %b: f32):\n      %z = arith.addf %a, %b : f32\n"
    "      tt.reduce.return %z : f32\n    }) : (tensor<128xf32>) -> f32\n"
    "    %true = arith.constant true\n    %o = tt.atomic_rmw fadd, acq_rel, gpu, %y, %s, %true : (!tt.ptr<f32>, f32, i1) -> "
    "f32\n" TAIL, NULL, 0);
  guint n;

  g_assert_cmpuint (on_pipe (s, TS_PIPE_MTE2), ==, 1);
  g_assert_cmpuint (on_pipe (s, TS_PIPE_V), ==, 3);
  g_assert_cmpuint (on_pipe (s, TS_PIPE_MTE3), ==, 1);
  g_assert_cmpuint (s->stream->n_instructions, ==, 5);
  g_assert_cmpuint (s->stream->n_buffers, ==, 3); /* views share the loaded bytes */
  const TsAccess *loaded = ts_stream_accesses (s->stream, 0, &n);
  g_assert_cmpuint (n, ==, 1);
  for (guint i = 1; i < 4; i++)
    g_assert_cmpint (ts_stream_accesses (s->stream, i, &n)[0].buffer, ==, loaded[0].buffer);
  const TsWindow *atomic = &s->stream->windows[1];
  g_assert_cmpint (s->stream->window_shapes[atomic->shape].access, ==, TS_ACCESS_READ | TS_ACCESS_WRITE);
}

/* The matrix unit reads a transposed operand as it is; for anybody else a transpose is work. */
static void
test_transpose (void)
{
#define PRODUCT(more) HEAD "    %z = arith.constant dense<0.000000e+00> : tensor<16x16xf32>\n" \
  "    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>\n    %v = tt.load %xs : tensor<16x16x!tt.ptr<f32>>\n" \
  "    %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>\n" \
  "    %d = tt.dot %v, %t, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>\n" more TAIL
  g_autoptr (TsSimulation) alone = simulate (PRODUCT (""), NULL, 0);
  g_autoptr (TsSimulation) shared = simulate (PRODUCT ("    %e = math.exp %t : tensor<16x16xf32>\n"), NULL, 0);

  g_assert_cmpuint (named (alone, "tt.trans"), ==, 0);
  g_assert_cmpuint (on_pipe (alone, TS_PIPE_M), ==, 1);
  g_assert_cmpuint (named (shared, "tt.trans"), ==, 1);
#undef PRODUCT
}

/* Slices are written where they belong; a store of the whole waits for both. A slice that somebody else reads too is copied. */
static void
test_slices (void)
{
#define SLICES(more) HEAD RANGE XP "    %v = tt.load %xp : tensor<128x!tt.ptr<f32>>\n    %a = math.exp %v : tensor<128xf32>\n" \
  "    %b = math.log %v : tensor<128xf32>\n    %e = tensor.empty() : tensor<256xf32>\n" \
  "    %f = tensor.insert_slice %a into %e[0] [128] [1] : tensor<128xf32> into tensor<256xf32>\n" \
  "    %g = tensor.insert_slice %b into %f[128] [128] [1] : tensor<128xf32> into tensor<256xf32>\n" \
  "    %r2 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>\n" \
  "    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>\n" \
  "    %yp = tt.addptr %ys, %r2 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>\n" \
  "    tt.store %yp, %g : tensor<256x!tt.ptr<f32>>\n" more TAIL
  g_autoptr (TsSimulation) packed = simulate (SLICES (""), NULL, 0);
  g_autoptr (TsSimulation) copied = simulate (SLICES ("    %h = math.exp %b : tensor<128xf32>\n"), NULL, 0);
  guint n;

  g_assert_cmpuint (packed->stream->n_instructions, ==, 4);
  g_assert_cmpuint (packed->stream->n_buffers, ==, 2);
  const TsAccess *store = ts_stream_accesses (packed->stream, 3, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (store->end, ==, 1024);
  const TsAccess *second = ts_stream_accesses (packed->stream, 2, &n);
  g_assert_cmpint (second[1].buffer, ==, store->buffer);
  g_assert_cmpint (second[1].begin, ==, 512);
  g_assert_cmpint (packed->schedule->start[3], >=, packed->schedule->end[2]);
  g_assert_cmpuint (named (copied, "tensor.insert_slice"), ==, 1);
#undef SLICES
}

/* --- samples ------------------------------------------------------------------------------------------------------------------ */

static TsModule *
sample (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("TS_TEST_KERNELS"), name, NULL), *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return ttir_module (text);
}

static TsModule *
optimised (const char *name)
{
  TsModule *module = sample (name);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsMachine) machine = ts_machine_load ("teaching", NULL, NULL);
  TsPassContext context = { .machine = machine, .diags = diags };

  g_assert_cmpint (ts_pass_find ("graph-optimize")->run (&context, module), ==, TS_PASS_CHANGED);
  return module;
}

/* What each rule is for shows in the schedule. */
static void
test_samples (void)
{
  static const struct
  {
    const char *name;
    gint64      before, after;     /* cycles on `teaching` */
    guint       loads[2], stores[2], vector[2];
  } rows[] = {
    { "columns.ttir", 2326, 537, { 1, 1 }, { 1, 1 }, { 1, 1 } },
    { "scores.ttir", 3200, 2904, { 5, 5 }, { 4, 4 }, { 12, 8 } },
    { "halves.ttir", 690, 400, { 2, 2 }, { 4, 1 }, { 4, 4 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint after = 0; after < 2; after++)
      {
        g_autoptr (TsModule) module = after ? optimised (rows[i].name) : sample (rows[i].name);
        g_autoptr (TsSimulation) s = kernel_simulate (module, module->functions[0]->name, NULL, NULL, NULL);
        g_assert_cmpint (s->result->makespan, ==, after ? rows[i].after : rows[i].before);
        g_assert_cmpint (s->result->makespan, >=, s->result->bound);
        g_assert_cmpuint (on_pipe (s, TS_PIPE_MTE2), ==, rows[i].loads[after]);
        g_assert_cmpuint (on_pipe (s, TS_PIPE_MTE3), ==, rows[i].stores[after]);
        g_assert_cmpuint (on_pipe (s, TS_PIPE_V), ==, rows[i].vector[after]);
        g_assert_cmpuint (ts_diag_list_length (s->diags), ==, 0);
      }
}

/* ... and on every machine. */
static void
test_samples_everywhere (void)
{
  static const char *const samples[] = { "columns.ttir", "scores.ttir", "halves.ttir" };
  static const char *const machines[] = { "teaching", "ascend910b", "ascend950" };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    for (guint m = 0; m < G_N_ELEMENTS (machines); m++)
      {
        g_autoptr (TsMachine) machine = ts_machine_load (machines[m], NULL, NULL);
        g_autoptr (TsModule) before = sample (samples[i]), after = optimised (samples[i]);
        g_autoptr (TsSimulation) plain = ts_simulate (before, before->functions[0], machine, NULL, NULL, NULL);
        g_autoptr (TsSimulation) better = ts_simulate (after, after->functions[0], machine, NULL, NULL, NULL);

        g_test_message ("%s on %s: %d, %d", samples[i], machines[m], (int) plain->result->makespan, (int) better->result->makespan);
        g_assert_cmpint (better->result->makespan, <, plain->result->makespan);
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
  g_test_add_func ("/sim/ttir/masks", test_masks);
  g_test_add_func ("/sim/ttir/more-accesses", test_more_accesses);
  g_test_add_func ("/sim/ttir/gather", test_gather);
  g_test_add_func ("/sim/ttir/carried-pointer", test_carried_pointer);
  g_test_add_func ("/sim/ttir/carried-index", test_carried_index);
  g_test_add_func ("/sim/ttir/if", test_if);
  g_test_add_func ("/sim/ttir/while", test_while);
  g_test_add_func ("/sim/ttir/blocks", test_blocks);
  g_test_add_func ("/sim/ttir/endless", test_endless);
  g_test_add_func ("/sim/ttir/call", test_call);
  g_test_add_func ("/sim/ttir/launch", test_launch);
  g_test_add_func ("/sim/ttir/units", test_units);
  g_test_add_func ("/sim/ttir/transpose", test_transpose);
  g_test_add_func ("/sim/ttir/slices", test_slices);
  g_test_add_func ("/sim/ttir/samples", test_samples);
  g_test_add_func ("/sim/ttir/samples-everywhere", test_samples_everywhere);
  return g_test_run ();
}
