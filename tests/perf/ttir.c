/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of reading, verifying, optimising and printing Triton IR over modules that grow, each of a shape that puts the many into
 * one place: `ttir [--brief] [SHAPE]...`. The figure behind each phase is its growth: time over size, in proportion to the size
 * before (1.0 is linear). With --brief the sizes are small and growth beyond doubt is a failure. Without it the largest module of
 * each shape must take less than a second for 5 MB, all phases together. */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "cpu-time.h"
#include "lang/ttir/ttir.h"
#include "passes/pass.h"

/* --- shapes ---------------------------------------------------------------------------------------------------------------- */

/* Functions with 200 groups of address arithmetic, a load, element-wise work and a store. */
static void
groups (GString *out, guint n)
{
  for (guint f = 0; f * 200 < n; f++)
    {
      g_string_append_printf (out, "  tt.func private @f%u(%%p: !tt.ptr<f32>, %%q: !tt.ptr<f32>, %%n: i32) {\n", f);
      g_string_append (out, "    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
                            "    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n");
      for (guint i = 0; i < 200; i++)
        g_string_append_printf (
            out,
            "    %%c%u = arith.constant %u : i32\n    %%s%u = tt.splat %%c%u : i32 -> tensor<128xi32>\n"
            "    %%o%u = arith.addi %%s%u, %%r : tensor<128xi32>\n"
            "    %%a%u = tt.addptr %%ps, %%o%u : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
            "    %%x%u = tt.load %%a%u : tensor<128x!tt.ptr<f32>>\n    %%y%u = math.exp %%x%u : tensor<128xf32>\n"
            "    tt.store %%a%u, %%y%u : tensor<128x!tt.ptr<f32>>\n",
            i, i * 256, i, i, i, i, i, i, i, i, i, i, i, i);
      g_string_append (out, "    tt.return\n  }\n");
    }
}

#define OPEN "  tt.func public @f(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %k: i32, %c: i1) {\n"
#define CLOSE "    tt.return\n  }\n"
#define VALUE "    %v = arith.constant dense<7> : tensor<4xi32>\n    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>\n" \
              "    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>\n"

static void
store_at (GString *out, guint i, guint at, const char *base)
{
  g_string_append_printf (out,
                          "    %%r%u = tt.make_range {end = %u : i32, start = %u : i32} : tensor<4xi32>\n"
                          "    %%a%u = tt.addptr %%%s, %%r%u : tensor<4x!tt.ptr<i32>>, tensor<4xi32>\n"
                          "    tt.store %%a%u, %%v : tensor<4x!tt.ptr<i32>>\n",
                          i, at + 4, at, i, base, i, i);
}

/* Stores side by side in one block: one run. */
static void
stores (GString *out, guint n)
{
  g_string_append (out, OPEN VALUE);
  for (guint i = 0; i < n; i++)
    store_at (out, i, i * 4, "ps");
  g_string_append (out, CLOSE);
}

/* The same, in turns with stores that reach other places of the same buffer: each stands between two of the run. */
static void
turns (GString *out, guint n)
{
  g_string_append (out, OPEN VALUE);
  for (guint i = 0; i < n; i++)
    store_at (out, i, i % 2 == 0 ? i * 2 : 20000000 + i * 8, i % 2 == 0 ? "ps" : i % 4 == 1 ? "ps" : "qs");
  g_string_append (out, CLOSE);
}

/* Stores with gaps: as many runs of one as there are stores. */
static void
gaps (GString *out, guint n)
{
  g_string_append (out, OPEN VALUE);
  for (guint i = 0; i < n; i++)
    store_at (out, i, i * 8, "ps");
  g_string_append (out, CLOSE);
}

/* Pairs of stores side by side, with gaps between: more plans than one function has rewrites. */
static void
pairs (GString *out, guint n)
{
  g_string_append (out, OPEN VALUE);
  for (guint i = 0; i < n; i++)
    store_at (out, i, i / 2 * 12 + i % 2 * 4, "ps");
  g_string_append (out, CLOSE);
}

/* Pairs of stores side by side, the first of all before the second of all: every run reaches over half of the others. */
static void
interleaved (GString *out, guint n)
{
  g_string_append (out, OPEN VALUE);
  for (guint i = 0; i < n; i++)
    store_at (out, i, i % (n / 2) * 12 + i / (n / 2) * 4, "ps");
  g_string_append (out, CLOSE);
}

/* A chain of pointer arithmetic with a load at each link, between two stores that are neighbours. */
static void
links (GString *out, guint n)
{
  g_string_append (out, OPEN VALUE "    %x0 = tt.addptr %p, %k : !tt.ptr<i32>, i32\n");
  store_at (out, 0, 0, "qs");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (out,
                            "    %%x%u = tt.addptr %%x%u, %%k : !tt.ptr<i32>, i32\n"
                            "    %%l%u = tt.load %%x%u : !tt.ptr<i32>\n",
                            i, i - 1, i, i);
  store_at (out, n, 4, "qs");
  g_string_append (out, CLOSE);
}

/* Operations with many attributes. */
static void
attributes (GString *out, guint n)
{
  g_string_append (out, OPEN);
  for (guint i = 0; i < n; i += 20000)
    {
      g_string_append_printf (out, "    %%x%u = \"my.op\"(%%k) {", i);
      for (guint k = 0; k < MIN (n, 20000); k++)
        g_string_append_printf (out, "%sa%u = %u : i32", k > 0 ? ", " : "", k, k);
      g_string_append (out, "} : (i32) -> i32\n");
    }
  g_string_append (out, CLOSE);
}

/* Each store with an origin of its own: as many buckets as there are stores. */
static void
origins (GString *out, guint n)
{
  g_string_append (out, OPEN VALUE "    %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out,
                            "    %%o%u = arith.muli %%k, %%k : i32\n    %%s%u = tt.splat %%o%u : i32 -> tensor<4xi32>\n"
                            "    %%t%u = arith.addi %%s%u, %%r : tensor<4xi32>\n"
                            "    %%a%u = tt.addptr %%ps, %%t%u : tensor<4x!tt.ptr<i32>>, tensor<4xi32>\n"
                            "    tt.store %%a%u, %%v : tensor<4x!tt.ptr<i32>>\n",
                            i, i, i, i, i, i, i, i);
  g_string_append (out, CLOSE);
}

/* A 2 x 3 tile at i + 2j of each base, named by `tag`: address, load, negation, store. */
static void
columns (GString *out, const char *tag)
{
  g_string_append_printf (
      out,
      "    %%%1$sr = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>\n"
      "    %%%1$ss = tt.make_range {end = 3 : i32, start = 0 : i32} : tensor<3xi32>\n"
      "    %%%1$sx = tt.expand_dims %%%1$sr {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>\n"
      "    %%%1$sy = tt.expand_dims %%%1$ss {axis = 0 : i32} : tensor<3xi32> -> tensor<1x3xi32>\n"
      "    %%%1$su = arith.constant dense<2> : tensor<1x3xi32>\n"
      "    %%%1$sm = arith.muli %%%1$sy, %%%1$su : tensor<1x3xi32>\n"
      "    %%%1$sxb = tt.broadcast %%%1$sx : tensor<2x1xi32> -> tensor<2x3xi32>\n"
      "    %%%1$syb = tt.broadcast %%%1$sm : tensor<1x3xi32> -> tensor<2x3xi32>\n"
      "    %%%1$so = arith.addi %%%1$sxb, %%%1$syb : tensor<2x3xi32>\n"
      "    %%%1$sps = tt.splat %%p : !tt.ptr<i32> -> tensor<2x3x!tt.ptr<i32>>\n"
      "    %%%1$sa = tt.addptr %%%1$sps, %%%1$so : tensor<2x3x!tt.ptr<i32>>, tensor<2x3xi32>\n",
      tag);
}

/* Functions each of which has something to transpose. */
static void
functions (GString *out, guint n)
{
  for (guint f = 0; f < n; f++)
    {
      g_string_append_printf (out, "  tt.func private @f%u(%%p: !tt.ptr<i32>) {\n", f);
      columns (out, "c");
      g_string_append (out, "    %v = tt.load %ca : tensor<2x3x!tt.ptr<i32>>\n    %w = math.absi %v : tensor<2x3xi32>\n"
                            "    tt.store %ca, %w : tensor<2x3x!tt.ptr<i32>>\n" CLOSE);
    }
}

/* A chain of calls through all functions. */
static void
calls (GString *out, guint n)
{
  for (guint f = 0; f < n; f++)
    {
      g_string_append_printf (out, "  tt.func private @function_%u(%%p: !tt.ptr<i32>) {\n", f);
      if (f + 1 < n)
        g_string_append_printf (out, "    tt.call @function_%u(%%p) : (!tt.ptr<i32>) -> ()\n", f + 1);
      g_string_append (out, CLOSE);
    }
}

#define TILE "tensor<2x3x!tt.ptr<i32>>"

/* One loop with many carried pointers, each loaded and stored. */
static void
loads (GString *out, guint n)
{
  n = MIN (n, 4000);
  g_string_append (out, OPEN "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n");
  columns (out, "c");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "    %%i%u = tt.addptr %%cps, %%co : " TILE ", tensor<2x3xi32>\n", i);
  g_string_append (out, "    %l");
  g_string_append_printf (out, ":%u = scf.for %%i = %%c0 to %%k step %%c1 iter_args(", n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%s%%a%u = %%i%u", i > 0 ? ", " : "", i, i);
  g_string_append (out, ") -> (");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%s" TILE, i > 0 ? ", " : "");
  g_string_append (out, ")  : i32 {\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out,
                            "      %%v%u = tt.load %%a%u : " TILE "\n      %%w%u = math.absi %%v%u : tensor<2x3xi32>\n"
                            "      tt.store %%a%u, %%w%u : " TILE "\n",
                            i, i, i, i, i, i);
  g_string_append (out, "      scf.yield ");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%s%%a%u", i > 0 ? ", " : "", i);
  g_string_append (out, " : ");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%s" TILE, i > 0 ? ", " : "");
  g_string_append (out, "\n    }\n" CLOSE);
}

/* Loads and stores of one block, each with an address of its own, all transposed together. */
static void
tiles (GString *out, guint n)
{
  g_string_append (out, OPEN);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *tag = g_strdup_printf ("t%u", i);

      columns (out, tag);
      g_string_append_printf (out,
                              "    %%v%u = tt.load %%t%ua : " TILE "\n    %%w%u = math.absi %%v%u : tensor<2x3xi32>\n"
                              "    tt.store %%t%ua, %%w%u : " TILE "\n",
                              i, i, i, i, i, i);
    }
  g_string_append (out, CLOSE);
}

/* Tiles in an arm each. */
static void
arms (GString *out, guint n)
{
  g_string_append (out, OPEN);
  for (guint i = 0; i < n; i++)
    {
      g_string_append (out, "    scf.if %c {\n");
      columns (out, "t");
      g_string_append (out, "    %v = tt.load %ta : " TILE "\n    %w = math.absi %v : tensor<2x3xi32>\n"
                            "    tt.store %ta, %w : " TILE "\n    }\n");
    }
  g_string_append (out, CLOSE);
}

/* Loops side by side behind one overflow assertion each. */
static void
loops (GString *out, guint n)
{
  g_string_append (out, OPEN "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *tag = g_strdup_printf ("t%u", i);

      columns (out, tag);
      g_string_append_printf (
          out,
          "    %%z%1$u = arith.cmpi sge, %%t%1$uo, %%t%1$uo : tensor<2x3xi32>\n"
          "    tt.assert %%z%1$u, \"int32 overflow detected for operation add\" {tt.auto_overflow_assert} : tensor<2x3xi1>\n"
          "    %%l%1$u = scf.for %%i = %%c0 to %%k step %%c1 iter_args(%%b = %%t%1$ua) -> (" TILE ")  : i32 {\n"
          "      %%v = tt.load %%b : " TILE "\n      %%w = math.absi %%v : tensor<2x3xi32>\n      tt.store %%b, %%w : " TILE "\n"
          "      scf.yield %%b : " TILE "\n    }\n",
          i);
    }
  g_string_append (out, CLOSE);
}

/* Dots with a transposed operand behind a short chain. */
static void
dots (GString *out, guint n)
{
  g_string_append (out, "  tt.func public @f(%a: tensor<16x32xf32>, %b: tensor<16x64xf32>, %c: tensor<32x64xf32>) {\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out,
                            "    %%t%1$u = tt.trans %%a {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>\n"
                            "    %%e%1$u = math.exp %%t%1$u : tensor<32x16xf32>\n"
                            "    %%d%1$u = tt.dot %%e%1$u, %%b, %%c : tensor<32x16xf32> * tensor<16x64xf32> -> tensor<32x64xf32>\n",
                            i);
  g_string_append (out, CLOSE);
}

/* One chain of element-wise operations that runs through everything, and a mask tree as long. */
static void
chain (GString *out, guint n)
{
  g_string_append (out, OPEN VALUE "    %x0 = arith.addi %v, %v : tensor<4xi32>\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (out, "    %%x%u = arith.addi %%x%u, %%x%u : tensor<4xi32>\n", i, i - 1, i - 1);
  g_string_append (out, CLOSE);
}

/* A chain of blocks, each of which uses a value of the first. */
static void
blocks (GString *out, guint n)
{
  g_string_append (out, OPEN "    %x = arith.addi %k, %k : i32\n    cf.br ^b0\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "  ^b%u:\n    %%y%u = arith.addi %%x, %%k : i32\n    cf.cond_br %%c, ^b%u, ^b%u\n", i, i,
                            i + 1, MIN (i + 2, n));
  g_string_append_printf (out, "  ^b%u:\n" CLOSE, n);
}

/* A chain of blocks, each of which may leave for the last: the dominator of that one is far from most that lead to it. */
static void
exits (GString *out, guint n)
{
  g_string_append (out, OPEN "    %x = arith.addi %k, %k : i32\n    cf.br ^b0\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "  ^b%u:\n    cf.cond_br %%c, ^b%u, ^b%u\n", i, i + 1, n);
  g_string_append_printf (out, "  ^b%u:\n    %%y = arith.addi %%x, %%k : i32\n" CLOSE, n);
}

/* Conditions side by side, with a result each. */
static void
branches (GString *out, guint n)
{
  g_string_append (out, OPEN);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "    %%x%u = scf.if %%c -> (i32) {\n      scf.yield %%k : i32\n    } else {\n"
                                 "      scf.yield %%k : i32\n    }\n", i);
  g_string_append (out, CLOSE);
}

/* Every operation with a location, every location an alias of its own. */
static void
locations (GString *out, guint n)
{
  g_string_append (out, OPEN);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "    %%x%u = arith.addi %%k, %%k : i32 loc(#loc%u)\n", i, i);
  g_string_append (out, CLOSE);
}

static void
location_aliases (GString *out, guint n)
{
  for (guint i = 0; i < n; i++)
    if (i % 2 == 0)
      g_string_append_printf (out, "#loc%u = loc(\"k.py\":%u:3)\n", i, i);
    else
      g_string_append_printf (out, "#loc%u = loc(callsite(#loc%u at #loc%u))\n", i, i - 1, i - 1);
}

/* Operations that no table knows. */
static void
unknown (GString *out, guint n)
{
  g_string_append (out, OPEN);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, i % 2 == 0 ? "    %%x%u = \"my.op\"(%%k) <{a = 1 : i32}> {b = [1, 2]} : (i32) -> i32\n"
                                            : "    %%x%u = my.pretty %%k {a = 1} : i32\n", i);
  g_string_append (out, CLOSE);
}

typedef void (*Write) (GString *out, guint n);

static const struct
{
  const char *name;
  Write       write, after;
  guint       n; /* the smallest size */
} shapes[] = {
  { "groups", groups, NULL, 4000 },     { "stores", stores, NULL, 2000 },       { "turns", turns, NULL, 2000 },
  { "gaps", gaps, NULL, 2000 },         { "pairs", pairs, NULL, 2000 },         { "arms", arms, NULL, 250 },
  { "interleaved", interleaved, NULL, 2000 },                                   { "links", links, NULL, 4000 },
  { "attributes", attributes, NULL, 4000 },
  { "origins", origins, NULL, 2000 },     { "functions", functions, NULL, 500 },
  { "calls", calls, NULL, 2000 },       { "loads", loads, NULL, 200 },          { "tiles", tiles, NULL, 200 },
  { "loops", loops, NULL, 200 },        { "dots", dots, NULL, 1000 },           { "chain", chain, NULL, 4000 },
  { "blocks", blocks, NULL, 2000 },     { "exits", exits, NULL, 2000 },         { "branches", branches, NULL, 2000 },
  { "locations", locations, location_aliases, 4000 },                           { "unknown", unknown, NULL, 4000 },
};

static char *
make_module (guint shape, guint n)
{
  GString *out = g_string_new ("module {\n");

  shapes[shape].write (out, n);
  g_string_append (out, "}\n");
  if (shapes[shape].after != NULL)
    shapes[shape].after (out, n);
  return g_string_free (out, FALSE);
}

/* --- phases ---------------------------------------------------------------------------------------------------------------- */

enum { PARSE, VERIFY, OPTIMISE, PRINT, N_PHASES };

static gsize
measure (guint shape, guint n, double times[N_PHASES])
{
  g_autofree char *text = make_module (shape, n), *printed = NULL;
  g_autoptr (TsSource) source = ts_source_new_text ("big.ttir", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, NULL);
  g_autoptr (GHashTable) options = g_hash_table_new (g_str_hash, g_str_equal);
  const TsPassInfo *pass = ts_pass_find ("graph-optimize");
  TsPassContext context = { .pass_name = pass->name, .machine = machine, .diags = diags, .options = options };
  double start = cpu_ms ();
  g_autoptr (TsModule) module = ts_ttir_parse (source, 0, strings, NULL, diags);

  times[PARSE] = cpu_ms () - start;
  if (module == NULL || ts_diag_list_has_errors (diags))
    {
      g_printerr ("%s: the module is not valid\n", shapes[shape].name);
      exit (1);
    }
  g_hash_table_insert (options, (gpointer) "ub-capacity-bytes", (gpointer) "4000000000");
  start = cpu_ms ();
  ts_verify (module, TS_PROPERTY_TTIR_VALID, diags);
  times[VERIFY] = cpu_ms () - start;
  start = cpu_ms ();
  pass->run (&context, module);
  times[OPTIMISE] = cpu_ms () - start;
  start = cpu_ms ();
  printed = ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  times[PRINT] = cpu_ms () - start;
  return strlen (text);
}

#define STEPS 3
#define RUNS 3 /* of which the best counts: what disturbs a run makes it slower, never faster */
/* Milliseconds for 5 MB, all phases together, in a build that is made for speed. */
#define BOUND 1000.0
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define IS_FAST TRUE
#else
#define IS_FAST FALSE
#endif
/* What a size four times as large may take beyond four times the time, and times too short to say anything. */
#define TOO_MUCH 2.5
#define TOO_SHORT 40.0
/* The large sizes leave the caches, which is no growth of the work. */
#define TOO_SHORT_LARGE 100.0

static gsize
measure_best (guint shape, guint n, double times[N_PHASES])
{
  double again[N_PHASES];
  gsize bytes = measure (shape, n, times);

  for (guint run = 1; run < RUNS; run++)
    {
      measure (shape, n, again);
      for (guint p = 0; p < N_PHASES; p++)
        times[p] = MIN (times[p], again[p]);
    }
  return bytes;
}

/* FALSE: a phase grows faster than its input, or everything together takes too long. */
static gboolean
measure_shape (guint shape, gboolean brief)
{
  static const char *const names[] = { "parse", "verify", "optimise", "print" };
  double before[N_PHASES], times[N_PHASES];
  gsize bytes_before = 0;
  gboolean linear = TRUE;

  for (guint step = brief ? 1 : 0, n = brief ? shapes[shape].n / 2 : shapes[shape].n; step < STEPS; step++, n *= 4)
    {
      gsize bytes = measure_best (shape, n, times);
      double all = 0;

      g_print ("# %-10s %6.2f MB ", shapes[shape].name, (double) bytes / 1e6);
      for (guint p = 0; p < N_PHASES; p++)
        {
          g_print (" %s %8.1f ms", names[p], times[p]);
          if (bytes_before > 0)
            {
              double growth = times[p] / MAX (before[p], 0.5) / ((double) bytes / (double) bytes_before);

              g_print (" (%4.2f)", growth);
              linear = linear && (growth < TOO_MUCH || times[p] < (brief ? TOO_SHORT : TOO_SHORT_LARGE));
            }
          before[p] = times[p];
          all += times[p];
        }
      all *= 5e6 / (double) bytes;
      g_print (" 5 MB: %6.1f ms\n", all);
      linear = linear && (!IS_FAST || brief || step + 1 < STEPS || all < BOUND);
      bytes_before = bytes;
    }
  return linear;
}

int
main (int argc, char **argv)
{
  int status = bench_usage (argc, argv, "--brief", "bench-ttir [--brief] [SHAPE]...");
  if (status >= 0)
    return status;
  gboolean brief = argc > 1 && strcmp (argv[1], "--brief") == 0;
  guint n = 0, n_bad = 0;

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    if (argc < 2 + brief || g_strv_contains ((const char *const *) argv + 1 + brief, shapes[i].name))
      {
        gboolean linear = measure_shape (i, brief) || (brief && measure_shape (i, brief)); /* a long hiccup does not repeat */

        g_print ("%s %u - %s\n", linear ? "ok" : "not ok", ++n, shapes[i].name);
        n_bad += !linear;
      }
  g_print ("1..%u\n", n);
  return n_bad > 0 ? 1 : 0;
}
