/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RowCoalescing: the accept and reject table of spec graph-optimize section 9. */
#include <string.h>

#include "harness.h"

#define OPTIONS "rule-mask=8 force-simt-only=true"

/* A row kernel of a width: `prologue` stands before the guard, `extra` in the work block between load and store. */
static char *
row_kernel (guint width, const char *guard, const char *prologue, const char *extra, const char *axis, const char *head)
{
  return g_strdup_printf (
      "%smodule {\n%s  tt.func public @f(%%p: !tt.ptr<f32>, %%q: !tt.ptr<f32>, %%n: i32, %%lb: i32, %%fl: f32, %%cnd: i1, "
      "%%blk: !tt.ptr<tensor<16xf32>>, %%ptrs: !tt.ptr<!tt.ptr<f32>>) {\n"
      "    %%pid = tt.get_program_id %s : i32\n%s    %%g = arith.cmpi %s : i32\n    cf.cond_br %%g, ^bb1, ^bb2\n  ^bb1:\n    "
      "tt.return\n  ^bb2:\n"
      "    %%w = arith.constant %u : i32\n    %%base = arith.muli %%pid, %%w : i32\n"
      "    %%r = tt.make_range {end = %u : i32, start = 0 : i32} : tensor<%uxi32>\n    %%sb = tt.splat %%base : i32 -> "
      "tensor<%uxi32>\n"
      "    %%o = arith.addi %%sb, %%r : tensor<%uxi32>\n    %%sp = tt.splat %%p : !tt.ptr<f32> -> tensor<%ux!tt.ptr<f32>>\n"
      "    %%a = tt.addptr %%sp, %%o : tensor<%ux!tt.ptr<f32>>, tensor<%uxi32>\n    %%x = tt.load %%a : tensor<%ux!tt.ptr<f32>>\n"
      "    %%y = math.exp %%x : tensor<%uxf32>\n%s    %%sq = tt.splat %%q : !tt.ptr<f32> -> tensor<%ux!tt.ptr<f32>>\n"
      "    %%b = tt.addptr %%sq, %%o : tensor<%ux!tt.ptr<f32>>, tensor<%uxi32>\n    tt.store %%b, %%y : tensor<%ux!tt.ptr<f32>>\n  "
      "  tt.return\n  }\n}\n",
      "", head, axis, prologue, guard, width, width, width, width, width, width, width, width, width, width, extra, width, width,
      width, width);
}

#define GUARD "sge, %pid, %n"

static void
check (const char *name, char *text, const char *options, gboolean taken, const char *expect)
{
  const GraphCase c = { name, text, options, taken, expect };

  graph_check (NULL, &c);
  g_free (text);
}

static void
test_widths (void)
{
  check ("1 width 16", row_kernel (16, GUARD, "", "", "x", ""), OPTIONS, TRUE,
         "module attributes {hacc.coalesce_axis = 0 : i32, hacc.coalesce_factor = 8 : i32, hacc.coalesce_grid_ceil_div = 1 : "
         "i32}\n...\n"
         "cf.br ^bb2\n...\ntensor<8x16x!tt.ptr<f32>>");
  check ("1 width 32", row_kernel (32, GUARD, "", "", "x", ""), OPTIONS, TRUE, "tensor<4x32xf32>");
  check ("1 width 1024", row_kernel (1024, GUARD, "", "", "x", ""), OPTIONS, TRUE, "tensor<2x1024xf32>");
  check ("2 width 2048", row_kernel (2048, GUARD, "", "", "x", ""), OPTIONS, FALSE, "RowTooLarge tt.make_range");
  check ("7 axis y", row_kernel (16, GUARD, "", "", "y", ""), OPTIONS, TRUE, "hacc.coalesce_axis = 1 : i32");
}

#define REDUCE16                                                                                                                   \
  "    %m = \"tt.reduce\"(%y) <{axis = 0 : i32}> ({\n    ^bb0(%e: f32, %f: f32):\n      %h = arith.addf %e, %f : f32\n"            \
  "      tt.reduce.return %h : f32\n    }) : (tensor<16xf32>) -> f32\n    %ms = tt.splat %m : f32 -> tensor<16xf32>\n"             \
  "    %z = arith.subf %y, %ms : tensor<16xf32>\n"
#define SCAN16                                                                                                                     \
  "    %m = \"tt.scan\"(%y) <{axis = 0 : i32, reverse = true}> ({\n    ^bb0(%e: f32, %f: f32):\n      %h = arith.addf %e, %f : "   \
  "f32\n"                                                                                                                          \
  "      tt.scan.return %h : f32\n    }) : (tensor<16xf32>) -> tensor<16xf32>\n"
#define FOR16_WITH(attributes)                                                                                                     \
  "    %one = arith.constant 1 : i32\n    %l = scf.for %i = %lb to %lb step %one iter_args(%acc = %y) -> (tensor<16xf32>) : i32 "  \
  "{\n      %s = arith.addf %acc, %y : tensor<16xf32>\n      scf.yield %s : tensor<16xf32>\n    }" attributes "\n"
#define FOR16 FOR16_WITH ("")

static void
test_constructs (void)
{
  check ("3 own mask and other",
         row_kernel (
             16, GUARD, "",
             "    %k = arith.constant dense<3> : tensor<16xi32>\n    %mk = arith.cmpi slt, %r, %k : tensor<16xi32>\n"
             "    %ot = arith.constant dense<1.0> : tensor<16xf32>\n    %xx = tt.load %a, %mk, %ot : tensor<16x!tt.ptr<f32>>\n",
             "x", ""),
         OPTIONS, TRUE, "arith.andi");
  check ("4 reduce to a scalar, splat back", row_kernel (16, GUARD, "", REDUCE16, "x", ""), OPTIONS, TRUE,
         "<{axis = 1 : i32}>\n...\n(tensor<8x16xf32>) -> tensor<8xf32>\n...\ntensor<8x1xf32> -> tensor<8x16xf32>");
  check ("5 scan keeps reverse", row_kernel (16, GUARD, "", SCAN16, "x", ""), OPTIONS, TRUE, "<{axis = 1 : i32, reverse = true}>");
  check ("6 loop with a tensor", row_kernel (16, GUARD, "", FOR16, "x", ""), OPTIONS, TRUE, "-> (tensor<8x16xf32>)  : i32");
  check ("6 loop with attributes: they are copied",
         row_kernel (16, GUARD, "", FOR16_WITH (" {tt.num_stages = 3 : i32}"), "x", ""), OPTIONS, TRUE,
         "-> (tensor<8x16xf32>)  : i32\n...\n} {tt.num_stages = 3 : i32}\n");
  check ("8 unused private function", row_kernel (16, GUARD, "", "", "x", "  tt.func private @g() {\n    tt.return\n  }\n"),
         OPTIONS, TRUE, NULL);
}

static void
test_rejections (void)
{
  check ("9 second public function", row_kernel (16, GUARD, "", "", "x", "  tt.func public @g() {\n    tt.return\n  }\n"), OPTIONS,
         FALSE, "NotTheOnlyEntry");
  check ("10 call",
         row_kernel (16, GUARD, "", "    tt.call @g() : () -> ()\n", "x", "  tt.func private @g() {\n    tt.return\n  }\n"),
         OPTIONS, FALSE, "MakesCalls g");
  check ("11 grid visible", row_kernel (16, GUARD, "    %np = tt.get_num_programs x : i32\n", "", "x", ""), OPTIONS, FALSE,
         "GridVisible tt.get_num_programs");
  check ("12 grid of another axis in the work block",
         row_kernel (16, GUARD, "", "    %np = tt.get_num_programs y : i32\n", "x", ""), OPTIONS, FALSE, "NotClonable");
  check ("13 pid + 1 before the branch",
         row_kernel (16, GUARD, "    %c1 = arith.constant 1 : i32\n    %pp = arith.addi %pid, %c1 : i32\n",
                     "    %use = arith.addi %pp, %n : i32\n", "x", ""),
         OPTIONS, FALSE, "RowOutside arith.addi");
  check ("14 two program ids", row_kernel (16, GUARD, "    %p2 = tt.get_program_id y : i32\n", "", "x", ""), OPTIONS, FALSE,
         "SeveralProgramIds tt.get_program_id");
  check ("15 slt guard", row_kernel (16, "slt, %pid, %n", "", "", "x", ""), OPTIONS, FALSE, "GuardForm arith.cmpi");
  check ("15 swapped operands", row_kernel (16, "sge, %n, %pid", "", "", "x", ""), OPTIONS, FALSE, "GuardForm arith.cmpi");
  check ("17 assert", row_kernel (16, GUARD, "", "    %t = arith.constant true\n    tt.assert %t, \"m\" : i1\n", "x", ""), OPTIONS,
         FALSE, "NotClonable");
  check ("17 dot",
         row_kernel (16, GUARD, "",
                     "    %k = arith.constant dense<1.0> : tensor<4x4xf32>\n    %d = tt.dot %k, %k, %k : tensor<4x4xf32> * "
                     "tensor<4x4xf32> -> tensor<4x4xf32>\n",
                     "x", ""),
         OPTIONS, FALSE, "NotClonable");
  check ("17 trans",
         row_kernel (16, GUARD, "", "    %t = tt.trans %y {order = array<i32: 0>} : tensor<16xf32> -> tensor<16xf32>\n", "x", ""),
         OPTIONS, FALSE, "NotClonable");
  check ("17 atomic",
         row_kernel (16, GUARD, "",
                     "    %t = tt.atomic_rmw fadd, acq_rel, gpu, %a, %y : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) -> "
                     "tensor<16xf32>\n",
                     "x", ""),
         OPTIONS, FALSE, "NotClonable");
  check ("2 dynamic tensor", row_kernel (16, GUARD, "", "    %dy = tt.splat %n : i32 -> tensor<?xi32>\n", "x", ""), OPTIONS, FALSE,
         "RowTooLarge tt.splat");
  check ("safer: a row condition selects tensors",
         row_kernel (16, GUARD, "",
                     "    %cc = arith.cmpi sgt, %base, %lb : i32\n    %se = arith.select %cc, %x, %y : tensor<16xf32>\n", "x", ""),
         OPTIONS, FALSE, "NotClonable");
  check ("19 without force-simt-only", row_kernel (16, GUARD, "", "", "x", ""), "rule-mask=8", FALSE, NULL);
  check ("19 mask 7", row_kernel (16, GUARD, "", "", "x", ""), "rule-mask=7 force-simt-only=true", FALSE, NULL);
  check ("20 cap 0", row_kernel (16, GUARD, "", "", "x", ""), OPTIONS " max-rewrites-per-function=0", TRUE, NULL);
  check ("bounds from the count",
         row_kernel (16, GUARD, "",
                     "    %one = arith.constant 1 : i32\n    scf.for %i = %lb to %n step %one : i32 {\n      %s = arith.addi %i, "
                     "%one : i32\n    }\n",
                     "x", ""),
         OPTIONS, FALSE, "RowInBounds scf.for");
}

/* Kernels whose shape row_kernel() does not have: `%s` is the type of the count, the block of the early return, the work. */
static char *
other_kernel (const char *count, const char *early, const char *work)
{
  return g_strdup_printf ("module {\n  tt.func public @f(%%p: !tt.ptr<f32>, %%n: %s, %%lb: i32, %%v: f32) {\n"
                          "    %%pid = tt.get_program_id x : i32\n%s    %%g = arith.cmpi sge, %%pid%s, %%n : %s\n"
                          "    cf.cond_br %%g, ^bb1, ^bb2\n  ^bb1:\n%s    tt.return\n  ^bb2:\n%s    tt.return\n  }\n}\n",
                          count, strcmp (count, "i32") == 0 ? "" : "    %pidw = arith.extsi %pid : i32 to i64\n",
                          strcmp (count, "i32") == 0 ? "" : "w", count, early, work);
}

#define SPLAT16                                                                                                                    \
  "    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n    %sp = tt.splat %p : !tt.ptr<f32> -> "            \
  "tensor<16x!tt.ptr<f32>>\n    %a = tt.addptr %sp, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>\n    %x = tt.splat %v : f32 -> " \
  "tensor<16xf32>\n"
#define STORE16 "    tt.store %a, %x : tensor<16x!tt.ptr<f32>>\n"

static void
test_shapes (void)
{
  check ("the plain shape", other_kernel ("i32", "", SPLAT16 STORE16), OPTIONS, TRUE, "tensor<8x16xf32>");
  check ("16 store only in a loop",
         other_kernel ("i32", "",
                       SPLAT16 "    %one = arith.constant 1 : i32\n    scf.for %i = %lb to %lb step %one : i32 {\n  " STORE16
                               "    }\n"),
         OPTIONS, FALSE, "NoStore");
  check ("safer: count of i64", other_kernel ("i64", "", SPLAT16 STORE16), OPTIONS, FALSE, NULL);
  check ("safer: the early return does something", other_kernel ("i32", "    tt.store %p, %v : !tt.ptr<f32>\n", SPLAT16 STORE16),
         OPTIONS, FALSE, "GuardForm cf.cond_br");
}

/* A reduction of %y whose region has one more line. */
#define REDUCE_WITH(line)                                                                                                          \
  "    %m = \"tt.reduce\"(%y) <{axis = 0 : i32}> ({\n    ^bb0(%e: f32, %f: f32):\n" line                                         \
  "      tt.reduce.return %h : f32\n    }) : (tensor<16xf32>) -> f32\n    %ms = tt.splat %m : f32 -> tensor<16xf32>\n"
#define INT_PRODUCT(v) "      %vf = arith.sitofp " v " : i32 to f32\n      %h = arith.mulf %e, %vf : f32\n"
#define SCALAR_SELECT(a, b)                                                                                                        \
  "    %k0 = arith.constant 0 : i32\n    %cc = arith.cmpi eq, %lb, %k0 : i32\n    %z = arith.select %cc, " a ", " b                \
  " : tensor<16xf32>\n    tt.store %a, %z : tensor<16x!tt.ptr<f32>>\n"

static void
test_regions (void)
{
  static const struct
  {
    const char *name, *prologue, *work, *expect;
    gboolean taken;
  } rows[] = {
    { "a region uses the program id", "", REDUCE_WITH (INT_PRODUCT ("%pid")), "RowInRegion arith.sitofp", FALSE },
    { "a region uses what comes of it", "", REDUCE_WITH (INT_PRODUCT ("%base")), "RowInRegion arith.sitofp", FALSE },
    { "a region uses a reduced value", "", REDUCE16 "    %m2 = \"tt.scan\"(%y) <{axis = 0 : i32, reverse = false}> ({\n"
      "    ^bb0(%e: f32, %f: f32):\n      %h = arith.addf %e, %m : f32\n      tt.scan.return %h : f32\n"
      "    }) : (tensor<16xf32>) -> tensor<16xf32>\n",
      "RowInRegion arith.addf", FALSE },
    { "a region uses a loaded value", "",
      "    %ld = tt.load %p : !tt.ptr<f32>\n" REDUCE_WITH ("      %h = arith.mulf %e, %ld : f32\n"), "RowInRegion arith.mulf",
      FALSE },
    { "a region uses an argument", "", REDUCE_WITH (INT_PRODUCT ("%lb")), "arith.sitofp %lb", TRUE },
    { "a region uses the count", "", REDUCE_WITH (INT_PRODUCT ("%n")), "arith.sitofp %n", TRUE },
    { "a region uses a constant of the block", "", REDUCE_WITH (INT_PRODUCT ("%w")), "arith.sitofp %w", TRUE },
    { "a region has effects", "", REDUCE_WITH ("      %h = tt.load %p : !tt.ptr<f32>\n"), "NotClonable tt.load", FALSE },
    { "a scalar condition selects tensors", "", SCALAR_SELECT ("%x", "%y"), "tt.splat %cc : i1 -> tensor<8x16xi1>", TRUE },
    { "a scalar condition in a loop", "",
      "    %one = arith.constant 1 : i32\n    %l = scf.for %i = %lb to %lb step %one iter_args(%acc = %y) -> (tensor<16xf32>) : "
      "i32 {\n      %ci = arith.cmpi eq, %i, %lb : i32\n      %s = arith.select %ci, %acc, %y : tensor<16xf32>\n"
      "      scf.yield %s : tensor<16xf32>\n    }\n",
      "tt.splat %ci : i1 -> tensor<8x16xi1>", TRUE },
    { "bounds that a reduction gives", "",
      "    %mi = \"tt.reduce\"(%r) <{axis = 0 : i32}> ({\n    ^bb0(%e: i32, %f: i32):\n      tt.reduce.return %e : i32\n    }) : "
      "(tensor<16xi32>) -> i32\n    scf.for %i = %lb to %mi step %lb : i32 {\n      %s = arith.addi %i, %lb : i32\n    }\n",
      "RowInBounds scf.for", FALSE },
    { "an encoding", "", "    %ee = arith.truncf %y : tensor<16xf32> to tensor<16xf16, #x.y<z>>\n",
      "UnsupportedEncoding arith.truncf", FALSE },
    { "an operation no table knows", "", "    %uu = arith.frobnicate %y : tensor<16xf32>\n", "NotClonable arith.frobnicate",
      FALSE },
    { "a block pointer", "", "    %bp = arith.constant 0 : i32\n    tt.store %blk, %y : !tt.ptr<tensor<16xf32>>\n",
      "UnsupportedPointerType tt.store", FALSE },
    { "a loaded pointer", "", "    %lp = tt.load %ptrs : !tt.ptr<!tt.ptr<f32>>\n", "UnsupportedAccess tt.load", FALSE },
    { "an atomic for each program", "    %t = tt.atomic_rmw fadd, acq_rel, gpu, %p, %fl : (!tt.ptr<f32>, f32) -> f32\n", "",
      "OncePerProgram tt.atomic_rmw", FALSE },
    { "a line for each program", "    tt.print \"p\" {hex = false, isSigned = array<i32: 0>} : %n : i32\n", "",
      "OncePerProgram tt.print", FALSE },
    { "a store for each program", "    tt.store %p, %fl : !tt.ptr<f32>\n", "", "OncePerProgram tt.store", FALSE },
    { "an assertion for each program", "    tt.assert %cnd, \"m\" : i1\n", "", "OncePerProgram tt.assert", FALSE },
    { "effects in a region",
      "    scf.if %cnd {\n      tt.store %p, %fl : !tt.ptr<f32>\n    }\n", "", "OncePerProgram tt.store", FALSE },
    { "something unknown for each program", "    my.op\n", "", "OncePerProgram my.op", FALSE },
    { "a load for each program", "    %t = tt.load %p : !tt.ptr<f32>\n", "", "tensor<8x16xf32>", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    check (rows[i].name, row_kernel (16, GUARD, rows[i].prologue, rows[i].work, "x", ""), OPTIONS, rows[i].taken, rows[i].expect);
}

static void
test_marked (void)
{
  g_autofree char *text = row_kernel (16, GUARD, "", "", "x", "");
  g_autofree char *marked = g_strconcat ("module attributes {hacc.coalesce_factor = 2 : i32} ", strchr (text, '{'), NULL);

  check ("18 attributes already present", g_steal_pointer (&marked), OPTIONS, FALSE, "AlreadyCoalesced");
}

static void
test_twice (void)
{
  g_autofree char *text = row_kernel (16, GUARD, "", REDUCE16 FOR16, "x", "");
  gboolean changed;
  g_autofree char *once = graph_run (text, OPTIONS, &changed, NULL);
  g_autofree char *twice = NULL;

  g_assert_true (changed);
  twice = graph_run (once, OPTIONS, &changed, NULL);
  g_assert_false (changed); /* case 18: the attributes are there */
  g_assert_cmpuint (graph_check_rollback (text, OPTIONS), >, 20);
}

/* What the launcher must know of a module that the file does not write. */
static void
test_bare (void)
{
  g_autofree char *inside = row_kernel (16, GUARD, "", "", "x", ""), *text = g_strdup (strstr (inside, "tt.func"));
  gboolean changed;
  g_autofree char *once = NULL;

  *strrchr (text, '}') = '\0';
  once = graph_run (text, OPTIONS, &changed, NULL);
  g_assert_true (changed);
  g_assert_true (g_str_has_prefix (once, "module attributes {hacc.coalesce_axis = 0 : i32, hacc.coalesce_factor = 8 : i32"));
  g_free (graph_run (once, OPTIONS, &changed, NULL));
  g_assert_false (changed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/rows/widths", test_widths);
  g_test_add_func ("/graph/rows/constructs", test_constructs);
  g_test_add_func ("/graph/rows/rejections", test_rejections);
  g_test_add_func ("/graph/rows/shapes", test_shapes);
  g_test_add_func ("/graph/rows/regions", test_regions);
  g_test_add_func ("/graph/rows/marked", test_marked);
  g_test_add_func ("/graph/rows/twice", test_twice);
  g_test_add_func ("/graph/rows/bare", test_bare);
  return g_test_run ();
}
