/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LoadStoreTranspose: the accept and reject table of spec graph-optimize section 6.3. */
#include <string.h>

#include "harness.h"

#define HEADER                                                                                                                     \
  "%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32, %k: i32, %c: i1, %lb: i32, %ub: i32, %targ: tensor<2x3xf32>, %flat: tensor<6xf32>"

/* Two lanes, i of 2 rows and j of 3 columns, as rank-2 values. */
#define LANES                                                                                                                      \
  "    %ri = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>\n"                                                     \
  "    %rj = tt.make_range {end = 3 : i32, start = 0 : i32} : tensor<3xi32>\n"                                                     \
  "    %i = tt.expand_dims %ri {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>\n"                                              \
  "    %j = tt.expand_dims %rj {axis = 0 : i32} : tensor<3xi32> -> tensor<1x3xi32>\n"                                              \
  "    %ib = tt.broadcast %i : tensor<2x1xi32> -> tensor<2x3xi32>\n"                                                               \
  "    %jb = tt.broadcast %j : tensor<1x3xi32> -> tensor<2x3xi32>\n"                                                               \
  "    %two = arith.constant dense<2> : tensor<1x3xi32>\n    %three = arith.constant dense<3> : tensor<2x1xi32>\n"                 \
  "    %j2 = arith.muli %j, %two : tensor<1x3xi32>\n    %j2b = tt.broadcast %j2 : tensor<1x3xi32> -> tensor<2x3xi32>\n"            \
  "    %i3 = arith.muli %i, %three : tensor<2x1xi32>\n    %i3b = tt.broadcast %i3 : tensor<2x1xi32> -> tensor<2x3xi32>\n"
/* Column-major offsets i + 2j, row-major 3i + j. */
#define OFFSETS "    %cm = arith.addi %ib, %j2b : tensor<2x3xi32>\n    %rm = arith.addi %i3b, %jb : tensor<2x3xi32>\n"
#define POINTER(name, base, offset)                                                                                                \
  "    %s" name " = tt.splat %" base " : !tt.ptr<f32> -> tensor<2x3x!tt.ptr<f32>>\n    %" name " = tt.addptr %s" name ", %" offset \
  " : tensor<2x3x!tt.ptr<f32>>, tensor<2x3xi32>\n"
#define PREAMBLE LANES OFFSETS POINTER ("a", "p", "cm") POINTER ("b", "q", "cm") POINTER ("br", "q", "rm") POINTER ("ar", "p", "rm")
#define LOAD "    %x = tt.load %a : tensor<2x3x!tt.ptr<f32>>\n"
#define NEG "    %y = arith.negf %x : tensor<2x3xf32>\n"
#define STORE "    tt.store %b, %y : tensor<2x3x!tt.ptr<f32>>\n"

/* i + cj with a dense constant or the splat of a scalar. */
#define SCALED(constant)                                                                                                           \
  LANES constant "    %jc = arith.muli %j, %cc : tensor<1x3xi32>\n"                                                                \
  "    %jcb = tt.broadcast %jc : tensor<1x3xi32> -> tensor<2x3xi32>\n"                                                             \
  "    %cm = arith.addi %ib, %jcb : tensor<2x3xi32>\n" POINTER ("a", "p", "cm") POINTER ("b", "q", "cm") LOAD NEG STORE
#define DENSE(c) "    %cc = arith.constant dense<" c "> : tensor<1x3xi32>\n"
#define SPLAT(c) "    %sc = arith.constant " c " : i32\n    %cc = tt.splat %sc : i32 -> tensor<1x3xi32>\n"

static const GraphCase block_cases[] = {
  { "a negative dense stride", SCALED (DENSE ("-2")), "rule-mask=1", FALSE, "NegativeStride" },
  { "a negative splat", SCALED (SPLAT ("-2")), "rule-mask=1", FALSE, "NegativeStride" },
  { "a stride of zero", SCALED (DENSE ("0")), "rule-mask=1", FALSE, "ZeroStride" },
  { "1 block", PREAMBLE LOAD NEG STORE, "rule-mask=1", TRUE,
    "tt.load %7 : tensor<3x2x!tt.ptr<f32>>\n...\narith.negf %10 : tensor<3x2xf32>\n...\ntensor<3x2x!tt.ptr<f32>>\n" },
  { "2 inside scf.if", "    scf.if %c {\n" PREAMBLE LOAD NEG STORE "    }", "rule-mask=1", TRUE, "tensor<3x2x!tt.ptr<f32>>" },
  { "3 inside scf.while",
    "    %w = scf.while (%u = %lb) : (i32) -> i32 {\n      %go = arith.cmpi slt, %u, %ub : i32\n      scf.condition(%go) %u : "
    "i32\n    } do {\n"
    "    ^bb0(%v: i32):\n" PREAMBLE LOAD NEG STORE "      scf.yield %v : i32\n    }",
    "rule-mask=1", TRUE, "tensor<3x2x!tt.ptr<f32>>" },
  { "7 row-major copy", PREAMBLE "    %x = tt.load %ar : tensor<2x3x!tt.ptr<f32>>\n    tt.store %br, %x : tensor<2x3x!tt.ptr<f32>>",
    "rule-mask=1", FALSE, "IdentityPermutation" },
  { "8 incomparable strides",
    LANES "    %sn = tt.splat %n : i32 -> tensor<2x1xi32>\n    %sk = tt.splat %k : i32 -> tensor<1x3xi32>\n    %in = arith.muli "
          "%i, %sn : tensor<2x1xi32>\n"
          "    %jk = arith.muli %j, %sk : tensor<1x3xi32>\n    %inb = tt.broadcast %in : tensor<2x1xi32> -> tensor<2x3xi32>\n"
          "    %jkb = tt.broadcast %jk : tensor<1x3xi32> -> tensor<2x3xi32>\n    %cm = arith.addi %inb, %jkb : "
          "tensor<2x3xi32>\n" POINTER ("a", "p", "cm") POINTER ("b", "q", "cm") LOAD NEG STORE,
    "rule-mask=1", FALSE, "IncomparableStrides" },
  { "9 symbolic stride without mask",
    LANES
    "    %sn = tt.splat %n : i32 -> tensor<1x3xi32>\n    %jn = arith.muli %j, %sn : tensor<1x3xi32>\n"
    "    %jnb = tt.broadcast %jn : tensor<1x3xi32> -> tensor<2x3xi32>\n    %cm = arith.addi %ib, %jnb : tensor<2x3xi32>\n" POINTER (
        "a", "p", "cm") POINTER ("b", "q", "cm") LOAD NEG STORE,
    "rule-mask=1", FALSE, "NoDomainProof" },
  { "10 load transposed, store row-major", PREAMBLE LOAD NEG "    tt.store %br, %y : tensor<2x3x!tt.ptr<f32>>", "rule-mask=1",
    FALSE, "IdentityPermutation" },
  { "11 loaded tile yielded",
    PREAMBLE
    "    %z = scf.if %c -> (tensor<2x3xf32>) {\n      %aa = tt.addptr %sa, %cm : tensor<2x3x!tt.ptr<f32>>, tensor<2x3xi32>\n"
    "      %x = tt.load %aa : tensor<2x3x!tt.ptr<f32>>\n      tt.store %aa, %x : tensor<2x3x!tt.ptr<f32>>\n      scf.yield %x : "
    "tensor<2x3xf32>\n    } else {\n"
    "      %d = arith.constant dense<0.0> : tensor<2x3xf32>\n      scf.yield %d : tensor<2x3xf32>\n    }",
    "rule-mask=1", FALSE, "NotClonable" },
  { "11 loaded tile used in a region", PREAMBLE LOAD NEG STORE "    scf.if %c {\n      %z = math.exp %x : tensor<2x3xf32>\n    }",
    "rule-mask=1", FALSE, "Escapes math.exp" },
  { "11 computed tile used in a region",
    PREAMBLE LOAD NEG STORE "    scf.if %c {\n      tt.store %br, %y : tensor<2x3x!tt.ptr<f32>>\n    }", "rule-mask=1", FALSE,
    "Escapes tt.store" },
  { "12 pointer built outside", PREAMBLE "    scf.if %c {\n" LOAD NEG STORE "    }", "rule-mask=1", FALSE, "DifferentBlocks" },
  { "15 reduce in the component",
    PREAMBLE LOAD NEG STORE
    "    %r = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({\n    ^bb0(%e: f32, %f: f32):\n      %g = arith.addf %e, %f : f32\n"
    "      tt.reduce.return %g : f32\n    }) : (tensor<2x3xf32>) -> tensor<3xf32>",
    "rule-mask=1", FALSE, "NotClonable" },
  { "15 reshape in the component", PREAMBLE LOAD NEG STORE "    %r = tt.reshape %x : tensor<2x3xf32> -> tensor<6xf32>",
    "rule-mask=1", FALSE, "NotClonable" },
  { "15 dot in the component",
    PREAMBLE LOAD NEG STORE
    "    %k3 = arith.constant dense<1.0> : tensor<3x4xf32>\n    %c0 = arith.constant dense<0.0> : tensor<2x4xf32>\n"
    "    %d = tt.dot %x, %k3, %c0 : tensor<2x3xf32> * tensor<3x4xf32> -> tensor<2x4xf32>",
    "rule-mask=1", FALSE, "NotClonable" },
  { "16 boundaryCheck", PREAMBLE "    %x = tt.load %a {boundaryCheck = array<i32: 0>} : tensor<2x3x!tt.ptr<f32>>\n" NEG STORE,
    "rule-mask=1", FALSE, "BoundaryCheck" },
  { "safer: a base that is made behind the first load",
    LANES OFFSETS POINTER ("a", "p", "cm") LOAD NEG "    %late = tt.addptr %q, %n : !tt.ptr<f32>, i32\n" POINTER ("b", "late", "cm")
        STORE,
    "rule-mask=1", FALSE, "NotRebuildable tt.addptr" },
  { "safer: a constant of several values in the component",
    PREAMBLE LOAD "    %kk = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n"
                  "    %y = arith.addf %x, %kk : tensor<2x3xf32>\n" STORE,
    "rule-mask=1", FALSE, "NotRebuildable arith.constant" },
  { "15 a loaded tile gets one more axis",
    PREAMBLE LOAD NEG STORE "    %e = tt.expand_dims %x {axis = 2 : i32} : tensor<2x3xf32> -> tensor<2x3x1xf32>", "rule-mask=1",
    FALSE, "NotClonable tt.expand_dims" },
  { "15 a loaded tile goes through a block pointer",
    "    %bp = my.pointer\n" PREAMBLE LOAD NEG STORE "    tt.store %bp, %x : !tt.ptr<tensor<2x3xf32>>", "rule-mask=1", FALSE,
    "NotClonable tt.store" },
  { "a stored value that an unknown operation makes, of the type the store implies",
    PREAMBLE LOAD NEG STORE "    %u = my.op\n    tt.store %b, %u : tensor<2x3x!tt.ptr<f32>>", "rule-mask=1", FALSE,
    "NotRebuildable my.op" },
  { "a mask that an unknown operation makes, of the type the store implies",
    PREAMBLE "    %u = my.op\n" LOAD NEG "    tt.store %b, %y, %u : tensor<2x3x!tt.ptr<f32>>", "rule-mask=1", FALSE,
    "NotRebuildable my.op" },
  { "15 an operation of tensors of two ranks",
    PREAMBLE LOAD "    %y = tt.extern_elementwise %x, %rj {libname = \"l\", libpath = \"\", pure = true, symbol = \"s\"} : "
                  "(tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x3xf32>\n" STORE,
    "rule-mask=1", FALSE, "NotClonable tt.extern_elementwise" },
  { "15 an encoded result",
    PREAMBLE LOAD "    %hh = arith.truncf %x : tensor<2x3xf32> to tensor<2x3xf16, #x.y<z>>\n" NEG STORE, "rule-mask=1", FALSE,
    "NotClonable arith.truncf" },
  { "a value from outside cannot be rebuilt: the operation that makes it",
    PREAMBLE "    %o = tt.reshape %flat : tensor<6xf32> -> tensor<2x3xf32>\n    %o2 = arith.negf %o : tensor<2x3xf32>\n" LOAD
             "    %y = arith.addf %x, %o2 : tensor<2x3xf32>\n" STORE,
    "rule-mask=1", FALSE, "NotRebuildable tt.reshape" },
  { "an argument cannot be rebuilt: the operation that uses it",
    PREAMBLE LOAD "    %y = arith.addf %x, %targ : tensor<2x3xf32>\n" STORE, "rule-mask=1", FALSE, "NotRebuildable arith.addf" },
  { "16 volatile", PREAMBLE "    %x = tt.load %a {isVolatile = true} : tensor<2x3x!tt.ptr<f32>>\n" NEG STORE, "rule-mask=1", FALSE,
    "VolatileLoad" },
  { "16 non-splat other",
    PREAMBLE "    %m = arith.constant dense<true> : tensor<2x3xi1>\n    %o = arith.constant dense<[[1.0, 2.0, 3.0], [1.0, 2.0, "
             "3.0]]> : tensor<2x3xf32>\n"
             "    %x = tt.load %a, %m, %o : tensor<2x3x!tt.ptr<f32>>\n" NEG STORE,
    "rule-mask=1", FALSE, "UnsupportedAccess" },
  { "17 two-stage addptr",
    PREAMBLE
    "    %a2 = tt.addptr %a, %ib : tensor<2x3x!tt.ptr<f32>>, tensor<2x3xi32>\n    %x = tt.load %a2 : tensor<2x3x!tt.ptr<f32>>\n" NEG
        STORE,
    "rule-mask=1", FALSE, "UnsupportedPointerForm" },
  { "19 load not feeding a store", PREAMBLE LOAD "    %y = arith.constant dense<1.0> : tensor<2x3xf32>\n" STORE, "rule-mask=1",
    FALSE, "NoDataPath" },
};

static void
test_block (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (block_cases); i++)
    graph_check (HEADER, &block_cases[i]);
}

/* Memory contents must stay: the result of case 1, whole. */
static void
test_block_text (void)
{
  g_autofree char *text = graph_wrap (HEADER, PREAMBLE LOAD NEG STORE);
  gboolean changed;
  g_autofree char *after = graph_run (text, "rule-mask=1", &changed, NULL);
  const char *first = strstr (after, "%0 = ");
  const char *expected =
      "%0 = tt.splat %p : !tt.ptr<f32> -> tensor<3x2x!tt.ptr<f32>>\n"
      "    %1 = tt.expand_dims %ri {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>\n"
      "    %2 = tt.broadcast %1 : tensor<1x2xi32> -> tensor<3x2xi32>\n"
      "    %3 = tt.expand_dims %rj {axis = 1 : i32} : tensor<3xi32> -> tensor<3x1xi32>\n"
      "    %cst = arith.constant dense<2> : tensor<3x1xi32>\n"
      "    %4 = arith.muli %3, %cst : tensor<3x1xi32>\n"
      "    %5 = tt.broadcast %4 : tensor<3x1xi32> -> tensor<3x2xi32>\n"
      "    %6 = arith.addi %2, %5 : tensor<3x2xi32>\n"
      "    %7 = tt.addptr %0, %6 : tensor<3x2x!tt.ptr<f32>>, tensor<3x2xi32>\n"
      "    %8 = tt.splat %q : !tt.ptr<f32> -> tensor<3x2x!tt.ptr<f32>>\n"
      "    %9 = tt.addptr %8, %6 : tensor<3x2x!tt.ptr<f32>>, tensor<3x2xi32>\n"
      "    %10 = tt.load %7 : tensor<3x2x!tt.ptr<f32>>\n"
      "    %11 = arith.negf %10 : tensor<3x2xf32>\n"
      "    tt.store %9, %11 : tensor<3x2x!tt.ptr<f32>>\n"
      "    tt.return\n";

  g_assert_true (changed);
  g_assert_nonnull (first);
  g_assert_true (g_str_has_prefix (first, expected) || (g_test_message ("%s", first), FALSE));
  /* A second run finds the axes in order. */
  g_autofree char *again = graph_run (after, "rule-mask=1", &changed, NULL);
  g_assert_false (changed);
  g_assert_cmpuint (graph_check_rollback (text, "rule-mask=1"), ==, 14);
}

/* Case 4: carried pointers of stride N, mask lane < N, an accumulator that is reduced on axis 1. */
#define N_LANES                                                                                                                    \
  LANES "    %sn = tt.splat %n : i32 -> tensor<1x3xi32>\n    %jn = arith.muli %j, %sn : tensor<1x3xi32>\n"                         \
  "    %jnb = tt.broadcast %jn : tensor<1x3xi32> -> tensor<2x3xi32>\n    %off = arith.addi %ib, %jnb : tensor<2x3xi32>\n"          \
  "    %bn = tt.splat %n : i32 -> tensor<2x1xi32>\n    %lt = arith.cmpi PRED, %i, %bn : tensor<2x1xi32>\n"                         \
  "    %mask = tt.broadcast %lt : tensor<2x1xi1> -> tensor<2x3xi1>\n"
#define N_LOOP                                                                                                                     \
  POINTER ("a", "p", "off")                                                                                                        \
  POINTER ("b", "q",                                                                                                               \
           "off") "    %zero = arith.constant dense<0.0> : tensor<2x3xf32>\n    %one = arith.constant 1 : i32\n    %step = "       \
                  "arith.constant dense<1> : tensor<2x3xi32>\n"                                                                    \
                  "    %l:3 = scf.for %t = %lb to %ub step %one iter_args(%pa = %a, %pb = %b, %acc = %zero) -> "                   \
                  "(tensor<2x3x!tt.ptr<f32>>, tensor<2x3x!tt.ptr<f32>>, tensor<2x3xf32>) : i32 {\n"                                \
                  "      %x = tt.load %pa, %mask, %zero : tensor<2x3x!tt.ptr<f32>>\n      %y = math.exp %x : tensor<2x3xf32>\n"    \
                  "      tt.store %pb, %y, %mask : tensor<2x3x!tt.ptr<f32>>\n      %s = arith.addf %acc, %y : tensor<2x3xf32>\n"   \
                  "      %na = tt.addptr %pa, %step : tensor<2x3x!tt.ptr<f32>>, tensor<2x3xi32>\n      %nb = tt.addptr %pb, "      \
                  "%step : tensor<2x3x!tt.ptr<f32>>, tensor<2x3xi32>\n"                                                            \
                  "      scf.yield %na, %nb, %s : tensor<2x3x!tt.ptr<f32>>, tensor<2x3x!tt.ptr<f32>>, tensor<2x3xf32>\n    } "     \
                  "{tt.num_stages = 2 : i32}\n"
#define REDUCE                                                                                                                     \
  "    %r = \"tt.reduce\"(%l#2) <{axis = 1 : i32}> ({\n    ^bb0(%e: f32, %f: f32):\n      %g = arith.addf %e, %f : f32\n"          \
  "      tt.reduce.return %g : f32\n    }) : (tensor<2x3xf32>) -> tensor<2xf32>\n"

/* Case 4 whole: four carried pointers, two accumulators, one of them reduced. */
#define FOUR_POINTERS                                                                                                              \
  POINTER ("a", "p", "off")                                                                                                        \
  POINTER ("b", "q", "off")                                                                                                        \
  POINTER ("d", "p", "off")                                                                                                        \
  POINTER ("e", "q", "off")
#define T23P "tensor<2x3x!tt.ptr<f32>>"
#define N_LOOP_4                                                                                                                   \
  FOUR_POINTERS                                                                                                                    \
  "    %zero = arith.constant dense<0.0> : tensor<2x3xf32>\n    %one = arith.constant 1 : i32\n    %step = arith.constant "        \
  "dense<1> : tensor<2x3xi32>\n"                                                                                                   \
  "    %l:6 = scf.for %t = %lb to %ub step %one iter_args(%pa = %a, %pb = %b, %pd = %d, %pe = %e, %s0 = %zero, %s1 = %zero) -> "   \
  "(" T23P ", " T23P ", " T23P ", " T23P ", tensor<2x3xf32>, tensor<2x3xf32>) : i32 {\n"                                           \
  "      %x = tt.load %pa, %mask, %zero : " T23P "\n      %w = tt.load %pd, %mask, %zero : " T23P "\n"                             \
  "      %y = arith.mulf %x, %w : tensor<2x3xf32>\n      tt.store %pb, %y, %mask : " T23P "\n"                                   \
  "      tt.store %pe, %x, %mask : " T23P "\n"                                                                                     \
  "      %n0 = arith.addf %s0, %y : tensor<2x3xf32>\n      %n1 = arith.maximumf %s1, %x : tensor<2x3xf32>\n"                     \
  "      %na = tt.addptr %pa, %step : " T23P ", tensor<2x3xi32>\n      %nb = tt.addptr %pb, %step : " T23P ", tensor<2x3xi32>\n"   \
  "      %nd = tt.addptr %pd, %step : " T23P ", tensor<2x3xi32>\n      %ne = tt.addptr %pe, %step : " T23P ", tensor<2x3xi32>\n"   \
  "      scf.yield %na, %nb, %nd, %ne, %n0, %n1 : " T23P ", " T23P ", " T23P ", " T23P ", tensor<2x3xf32>, tensor<2x3xf32>\n"      \
  "    }\n"                                                                                                                       \
  "    %r = \"tt.reduce\"(%l#4) <{axis = 1 : i32}> ({\n    ^bb0(%u: f32, %v: f32):\n      %g = arith.addf %u, %v : f32\n"          \
  "      tt.reduce.return %g : f32\n    }) : (tensor<2x3xf32>) -> tensor<2xf32>\n"

/* The loop of case 4 hands on something else as its accumulator, or has one more operation. */
static char *
with_loop_line (const char *text, const char *line, const char *with)
{
  g_auto (GStrv) parts = g_strsplit (text, line, 2);

  g_assert_nonnull (parts[1]);
  return g_strjoinv (with, parts);
}

static char *
with_predicate (const char *text, const char *predicate)
{
  g_auto (GStrv) parts = g_strsplit (text, "PRED", -1);

  return g_strjoinv (predicate, parts);
}

static void
test_loop (void)
{
  g_autofree char *strict = with_predicate (N_LANES N_LOOP REDUCE, "slt");
  g_autofree char *loose = with_predicate (N_LANES N_LOOP REDUCE, "sle");
  g_autofree char *four = with_predicate (N_LANES N_LOOP_4, "slt");
  g_autofree char *escaping = with_predicate (N_LANES N_LOOP REDUCE "    tt.store %b, %l#2 : tensor<2x3x!tt.ptr<f32>>", "slt");
  g_autofree char *outside = with_loop_line (strict, "scf.yield %na, %nb, %s :", "scf.yield %na, %nb, %step2 :");
  g_autofree char *with_outside
      = with_loop_line (outside, "    %step =", "    %step2 = arith.negf %zero : tensor<2x3xf32>\n    %step =");
  g_autofree char *argument = with_loop_line (strict, "scf.yield %na, %nb, %s :", "scf.yield %na, %nb, %targ :");
  g_autofree char *raised = with_loop_line (
      strict, "      %na =", "      %up = tt.expand_dims %x {axis = 0 : i32} : tensor<2x3xf32> -> tensor<1x2x3xf32>\n      %na =");
  const GraphCase cases[] = {
    { "a value from outside is handed on", with_outside, "rule-mask=1", TRUE, "scf.yield %" },
    { "an argument is handed on", argument, "rule-mask=1", FALSE, "NotRebuildable scf.yield" },
    { "15 a tile of the loop gets one more axis", raised, "rule-mask=1", FALSE, "NotClonable tt.expand_dims" },
    { "4 loop with mask and reduction", strict, "rule-mask=1", TRUE,
      "(tensor<3x2x!tt.ptr<f32>>, tensor<3x2x!tt.ptr<f32>>, tensor<3x2xf32>)  : i32 {\n...\n<{axis = 0 : i32}>\n...\n"
      "(tensor<3x2xf32>) -> tensor<2xf32>\n...\n{tt.num_stages = 2 : i32}" },
    { "4 four pointers, two accumulators", four, "rule-mask=1", TRUE, "(tensor<3x2xf32>) -> tensor<2xf32>" },
    { "18 mask lane <= N", loose, "rule-mask=1", FALSE, "NoDomainProof" },
    { "14 result stored after the loop", escaping, "rule-mask=1", FALSE, "Escapes" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    graph_check (HEADER, &cases[i]);
  g_autofree char *text = graph_wrap (HEADER, strict);
  g_assert_cmpuint (graph_check_rollback (text, "rule-mask=1"), >, 15);
}

/* Case 5: rank 3, strides 1, 8, 2 and two transposes. */
static void
test_rank_3 (void)
{
  const char *body
      = "    %r2 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>\n    %r3 = tt.make_range {end = 2 : i32, start = "
        "0 : i32} : tensor<2xi32>\n"
        "    %r4 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>\n"
        "    %a0 = tt.expand_dims %r2 {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>\n    %a = tt.expand_dims %a0 {axis = 2 : "
        "i32} : tensor<2x1xi32> -> tensor<2x1x1xi32>\n"
        "    %b0 = tt.expand_dims %r3 {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>\n    %b = tt.expand_dims %b0 {axis = 2 : "
        "i32} : tensor<1x2xi32> -> tensor<1x2x1xi32>\n"
        "    %c0 = tt.expand_dims %r4 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>\n    %d = tt.expand_dims %c0 {axis = 0 : "
        "i32} : tensor<1x4xi32> -> tensor<1x1x4xi32>\n"
        "    %e8 = arith.constant dense<8> : tensor<1x2x1xi32>\n    %e2 = arith.constant dense<2> : tensor<1x1x4xi32>\n"
        "    %b8 = arith.muli %b, %e8 : tensor<1x2x1xi32>\n    %d2 = arith.muli %d, %e2 : tensor<1x1x4xi32>\n"
        "    %ab = tt.broadcast %a : tensor<2x1x1xi32> -> tensor<2x2x4xi32>\n    %bb = tt.broadcast %b8 : tensor<1x2x1xi32> -> "
        "tensor<2x2x4xi32>\n"
        "    %db = tt.broadcast %d2 : tensor<1x1x4xi32> -> tensor<2x2x4xi32>\n    %o0 = arith.addi %ab, %bb : tensor<2x2x4xi32>\n  "
        "  %o = arith.addi %o0, %db : tensor<2x2x4xi32>\n"
        "    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<2x2x4x!tt.ptr<f32>>\n    %pp = tt.addptr %sp, %o : "
        "tensor<2x2x4x!tt.ptr<f32>>, tensor<2x2x4xi32>\n"
        "    %sq = tt.splat %q : !tt.ptr<f32> -> tensor<2x2x4x!tt.ptr<f32>>\n    %pq = tt.addptr %sq, %o : "
        "tensor<2x2x4x!tt.ptr<f32>>, tensor<2x2x4xi32>\n"
        "    %x = tt.load %pp : tensor<2x2x4x!tt.ptr<f32>>\n    %t = tt.trans %x {order = array<i32: 2, 1, 0>} : tensor<2x2x4xf32> "
        "-> tensor<4x2x2xf32>\n"
        "    %n2 = arith.negf %t : tensor<4x2x2xf32>\n    %u = tt.trans %n2 {order = array<i32: 2, 1, 0>} : tensor<4x2x2xf32> -> "
        "tensor<2x2x4xf32>\n"
        "    tt.store %pq, %u : tensor<2x2x4x!tt.ptr<f32>>";
  const GraphCase c = { "5 rank 3", body, "rule-mask=1", TRUE,
                        "{order = array<i32: 0, 2, 1>} : tensor<2x4x2xf32> -> tensor<2x2x4xf32>\n...\ntt.load" };
  g_autofree char *text = graph_wrap (HEADER, body);
  g_autoptr (GString) log = g_string_new (NULL);
  gboolean changed;
  g_autofree char *after = graph_run (text, "rule-mask=1", &changed, log);

  graph_check (HEADER, &c);
  g_assert_nonnull (strstr (log->str, "scope=block rank=3 permutation=[1,2,0] endpoints=2"));
}

/* Lanes of a tile of rank 3 with strides 1, N and 3N: their sum is %off. */
#define LANES_3                                                                                                                    \
  "    %r0 = tt.make_range {end = 3 : i32, start = 0 : i32} : tensor<3xi32>\n    %r1 = tt.make_range {end = 3 : i32, start = 0 : " \
  "i32} : tensor<3xi32>\n    %r2 = tt.make_range {end = 3 : i32, start = 0 : i32} : tensor<3xi32>\n"                               \
  "    %a0 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<3xi32> -> tensor<3x1xi32>\n    %i = tt.expand_dims %a0 {axis = 2 : "     \
  "i32} : tensor<3x1xi32> -> tensor<3x1x1xi32>\n"                                                                                  \
  "    %b0 = tt.expand_dims %r1 {axis = 0 : i32} : tensor<3xi32> -> tensor<1x3xi32>\n    %j = tt.expand_dims %b0 {axis = 2 : "     \
  "i32} : tensor<1x3xi32> -> tensor<1x3x1xi32>\n"                                                                                  \
  "    %c0 = tt.expand_dims %r2 {axis = 0 : i32} : tensor<3xi32> -> tensor<1x3xi32>\n    %h = tt.expand_dims %c0 {axis = 0 : "     \
  "i32} : tensor<1x3xi32> -> tensor<1x1x3xi32>\n"                                                                                  \
  "    %c3 = arith.constant 3 : i32\n    %n3 = arith.muli %n, %c3 : i32\n"                                                         \
  "    %s1 = tt.splat %n : i32 -> tensor<1x3x1xi32>\n    %s2 = tt.splat %n3 : i32 -> tensor<1x1x3xi32>\n"                          \
  "    %jn = arith.muli %j, %s1 : tensor<1x3x1xi32>\n    %hn = arith.muli %h, %s2 : tensor<1x1x3xi32>\n"                           \
  "    %ib = tt.broadcast %i : tensor<3x1x1xi32> -> tensor<3x3x3xi32>\n    %jb = tt.broadcast %jn : tensor<1x3x1xi32> -> "         \
  "tensor<3x3x3xi32>\n    %hb = tt.broadcast %hn : tensor<1x1x3xi32> -> tensor<3x3x3xi32>\n"                                       \
  "    %o0 = arith.addi %ib, %jb : tensor<3x3x3xi32>\n    %off = arith.addi %o0, %hb : tensor<3x3x3xi32>\n"                        \
  "    %sn = tt.splat %n : i32 -> tensor<3x1x1xi32>\n    %lt = arith.cmpi slt, %i, %sn : tensor<3x1x1xi32>\n"                      \
  "    %mask = tt.broadcast %lt : tensor<3x1x1xi1> -> tensor<3x3x3xi1>\n"                                                          \
  "    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<3x3x3x!tt.ptr<f32>>\n    %pp = tt.addptr %sp, %off : "                           \
  "tensor<3x3x3x!tt.ptr<f32>>, tensor<3x3x3xi32>\n"                                                                                \
  "    %sq = tt.splat %q : !tt.ptr<f32> -> tensor<3x3x3x!tt.ptr<f32>>\n    %pq = tt.addptr %sq, %off : "                           \
  "tensor<3x3x3x!tt.ptr<f32>>, tensor<3x3x3xi32>\n"

/* Case 6, and a reduction of a loop's result behind which the axes that stay would change places. */
static void
test_symbols (void)
{
#define T333 "tensor<3x3x3xf32>"
#define T333P "tensor<3x3x3x!tt.ptr<f32>>"
#define LOOP_3(axis)                                                                                                               \
  LANES_3 "    %zero = arith.constant dense<0.0> : " T333 "\n    %one = arith.constant 1 : i32\n"                                  \
          "    %l:3 = scf.for %t = %lb to %ub step %one iter_args(%pa = %pp, %pb = %pq, %acc = %zero) -> (" T333P ", " T333P       \
          ", " T333 ") : i32 {\n      %x = tt.load %pa, %mask, %zero : " T333P "\n      tt.store %pb, %x, %mask : " T333P          \
          "\n      %s = arith.addf %acc, %x : " T333 "\n      scf.yield %pa, %pb, %s : " T333P ", " T333P ", " T333                \
          "\n    }\n    %r = \"tt.reduce\"(%l#2) <{axis = " axis " : i32}> ({\n    ^bb0(%e: f32, %f: f32):\n"                      \
          "      %g = arith.addf %e, %f : f32\n      tt.reduce.return %g : f32\n    }) : (" T333 ") -> tensor<3x3xf32>\n"
  const GraphCase cases[] = {
    { "6 strides 1, N, 3N, mask on axis 0",
      LANES_3 "    %x = tt.load %pp, %mask : " T333P "\n    %y = math.exp %x : " T333 "\n    tt.store %pq, %y, %mask : " T333P,
      "rule-mask=1", TRUE, "tt.load" },
    { "safer: surviving axes 0 and 2 would swap", LOOP_3 ("1"), "rule-mask=1", FALSE, "Escapes" },
    { "safer: surviving axes 0 and 1 would swap", LOOP_3 ("2"), "rule-mask=1", FALSE, "Escapes" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    graph_check (HEADER, &cases[i]);
}

/* Case 13: assertions made by an overflow check on the address. */
static void
test_asserts (void)
{
#define CM_LANES                                                                                                                   \
  "    %ri = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>\n"                                                     \
  "    %rj = tt.make_range {end = 3 : i32, start = 0 : i32} : tensor<3xi32>\n"                                                     \
  "    %i = tt.expand_dims %ri {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>\n"                                              \
  "    %j = tt.expand_dims %rj {axis = 0 : i32} : tensor<3xi32> -> tensor<1x3xi32>\n"                                              \
  "    %two = arith.constant dense<2> : tensor<1x3xi32>\n    %j2 = arith.muli %j, %two : tensor<1x3xi32>\n"                        \
  "    %ib = tt.broadcast %i : tensor<2x1xi32> -> tensor<2x3xi32>\n    %j2b = tt.broadcast %j2 : tensor<1x3xi32> -> "              \
  "tensor<2x3xi32>\n"                                                                                                              \
  "    %cm = arith.addi %ib, %j2b : tensor<2x3xi32>\n"
#define COND                                                                                                                       \
  "    %lim = arith.constant dense<100> : tensor<2x3xi32>\n    %ok = arith.cmpi slt, %cm, %lim : tensor<2x3xi32>\n"
#define MARKED "    tt.assert %ok, \"int32 overflow detected for operation add\" {tt.auto_overflow_assert} : tensor<2x3xi1>\n"
#define PLAIN "    tt.assert %ok2, \"other\" : tensor<2x3xi1>\n"
  const GraphCase cases[] = {
    { "marked assertion moves along", CM_LANES COND MARKED POINTER ("a", "p", "cm") POINTER ("b", "q", "cm") LOAD NEG STORE,
      "rule-mask=1", TRUE, "tt.assert %" },
    { "13 marked and unmarked", CM_LANES COND "    %ok2 = arith.cmpi sge, %cm, %lim : tensor<2x3xi32>\n" MARKED PLAIN
      POINTER ("a", "p", "cm") POINTER ("b", "q", "cm") LOAD NEG STORE, "rule-mask=1", FALSE, "SideUse" },
    { "unmarked alone does not block", CM_LANES COND "    %ok2 = arith.cmpi sge, %cm, %lim : tensor<2x3xi32>\n" PLAIN
      POINTER ("a", "p", "cm") POINTER ("b", "q", "cm") LOAD NEG STORE, "rule-mask=1", TRUE, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    graph_check (HEADER, &cases[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/load-store/block", test_block);
  g_test_add_func ("/graph/load-store/block-text", test_block_text);
  g_test_add_func ("/graph/load-store/loop", test_loop);
  g_test_add_func ("/graph/load-store/rank-3", test_rank_3);
  g_test_add_func ("/graph/load-store/symbols", test_symbols);
  g_test_add_func ("/graph/load-store/asserts", test_asserts);
  return g_test_run ();
}
