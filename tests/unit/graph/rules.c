/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TransposePointwiseReorder and StoreCoalescing: the accept and reject tables of spec graph-optimize sections 7 and 8, and the
 * driver. */
#include <string.h>

#include "harness.h"
#include "passes/pipeline.h"

/* --- transposes ------------------------------------------------------------------------------------------------------------ */

#define T_HEADER "%x: tensor<16x8xf32>, %y: tensor<16x4xf32>, %acc: tensor<8x4xf32>, %h: tensor<16x8xf16>, %c: i1"
#define TRANS "    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x8xf32> -> tensor<8x16xf32>\n"
#define DOT(a) "    %d = tt.dot " a ", %y, %acc : tensor<8x16xf32> * tensor<16x4xf32> -> tensor<8x4xf32>"

static const GraphCase transposes[] = {
  { "1 trans, truncf, bitcast on A",
    "    %yi = arith.bitcast %y : tensor<16x4xf32> to tensor<16x4xi32>\n    %yh = arith.trunci %yi : tensor<16x4xi32> to "
    "tensor<16x4xi16>\n" TRANS "    %a = arith.truncf %t : tensor<8x16xf32> to tensor<8x16xf16>\n"
    "    %b = arith.bitcast %a : tensor<8x16xf16> to tensor<8x16xi16>\n    %z = arith.constant dense<0> : tensor<8x4xi32>\n"
    "    %d = tt.dot %b, %yh, %z : tensor<8x16xi16> * tensor<16x4xi16> -> tensor<8x4xi32>",
    "rule-mask=2", TRUE,
    "%0 = arith.truncf %x : tensor<16x8xf32> to tensor<16x8xf16>\n    %1 = arith.bitcast %0 : tensor<16x8xf16> to "
    "tensor<16x8xi16>\n"
    "    %2 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<16x8xi16> -> tensor<8x16xi16>" },
  { "3 mixed chain",
    TRANS "    %a = arith.negf %t : tensor<8x16xf32>\n    %b = math.absf %a : tensor<8x16xf32>\n    %e = math.exp %b : "
          "tensor<8x16xf32>\n" DOT ("%e"),
    "rule-mask=2", TRUE, "math.exp %1 : tensor<16x8xf32>\n    %3 = tt.trans %2" },
  { "3 five operations with casts",
    TRANS "    %a = arith.negf %t : tensor<8x16xf32>\n    %b = math.absf %a : tensor<8x16xf32>\n"
          "    %e = arith.truncf %b : tensor<8x16xf32> to tensor<8x16xf16>\n    %g = math.exp %e : tensor<8x16xf16>\n"
          "    %i = arith.bitcast %g : tensor<8x16xf16> to tensor<8x16xi16>\n    %j = arith.constant dense<1> : tensor<16x4xi16>\n"
          "    %z = arith.constant dense<0> : tensor<8x4xi32>\n"
          "    %d = tt.dot %i, %j, %z : tensor<8x16xi16> * tensor<16x4xi16> -> tensor<8x4xi32>",
    "rule-mask=2", TRUE, "tt.trans %4 {order = array<i32: 1, 0>} : tensor<16x8xi16> -> tensor<8x16xi16>" },
  { "4 fifteen operations",
    TRANS "    %u0 = arith.negf %t : tensor<8x16xf32>\n"
          "    %u1 = math.absf %u0 : tensor<8x16xf32>\n"
          "    %u2 = math.ceil %u1 : tensor<8x16xf32>\n"
          "    %u3 = math.floor %u2 : tensor<8x16xf32>\n"
          "    %u4 = math.round %u3 : tensor<8x16xf32>\n"
          "    %u5 = math.sin %u4 : tensor<8x16xf32>\n"
          "    %u6 = math.cos %u5 : tensor<8x16xf32>\n"
          "    %u7 = math.tanh %u6 : tensor<8x16xf32>\n"
          "    %u8 = math.erf %u7 : tensor<8x16xf32>\n"
          "    %u9 = math.exp %u8 : tensor<8x16xf32>\n"
          "    %u10 = math.exp2 %u9 : tensor<8x16xf32>\n"
          "    %u11 = math.log %u10 : tensor<8x16xf32>\n"
          "    %u12 = math.log2 %u11 : tensor<8x16xf32>\n"
          "    %u13 = math.sqrt %u12 : tensor<8x16xf32>\n"
          "    %u14 = tt.precise_sqrt %u13 : tensor<8x16xf32>\n" DOT ("%u14"),
    "rule-mask=2", TRUE, "%14 = tt.precise_sqrt %13 : tensor<16x8xf32>\n    %15 = tt.trans %14" },
  { "8 order [0,2,1]",
    "    %w = arith.constant dense<1.0> : tensor<2x16x8xf32>\n    %v = arith.constant dense<1.0> : tensor<2x16x4xf32>\n"
    "    %z = arith.constant dense<0.0> : tensor<2x8x4xf32>\n"
    "    %t = tt.trans %w {order = array<i32: 0, 2, 1>} : tensor<2x16x8xf32> -> tensor<2x8x16xf32>\n"
    "    %a = arith.negf %t : tensor<2x8x16xf32>\n"
    "    %d = tt.dot %a, %v, %z : tensor<2x8x16xf32> * tensor<2x16x4xf32> -> tensor<2x8x4xf32>",
    "rule-mask=2", TRUE, "arith.negf %w : tensor<2x16x8xf32>\n    %1 = tt.trans %0 {order = array<i32: 0, 2, 1>}" },
  { "9 sitofp",
    "    %i = arith.constant dense<1> : tensor<16x8xi32>\n    %t = tt.trans %i {order = array<i32: 1, 0>} : tensor<16x8xi32> -> "
    "tensor<8x16xi32>\n    %a = arith.sitofp %t : tensor<8x16xi32> to tensor<8x16xf32>\n" DOT ("%a"),
    "rule-mask=2", FALSE, "TypeChange" },
  { "9 extsi",
    "    %i = arith.constant dense<1> : tensor<16x8xi8>\n    %t = tt.trans %i {order = array<i32: 1, 0>} : tensor<16x8xi8> -> "
    "tensor<8x16xi8>\n    %a = arith.extsi %t : tensor<8x16xi8> to tensor<8x16xi16>\n"
    "    %j = arith.constant dense<1> : tensor<16x4xi16>\n    %z = arith.constant dense<0> : tensor<8x4xi32>\n"
    "    %d = tt.dot %a, %j, %z : tensor<8x16xi16> * tensor<16x4xi16> -> tensor<8x4xi32>",
    "rule-mask=2", FALSE, "TypeChange" },
  { "16 broadcast between",
    "    %w = arith.constant dense<1.0> : tensor<16x1xf32>\n    %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<16x1xf32> -> "
    "tensor<1x16xf32>\n    %r = tt.broadcast %t : tensor<1x16xf32> -> tensor<8x16xf32>\n"
    "    %a = arith.negf %r : tensor<8x16xf32>\n" DOT ("%a"),
    "rule-mask=2", FALSE, "NotAChain" },
  { "16 expand_dims between",
    TRANS "    %r = tt.expand_dims %t {axis = 0 : i32} : tensor<8x16xf32> -> tensor<1x8x16xf32>\n"
          "    %a = arith.negf %r : tensor<1x8x16xf32>\n    %v = arith.constant dense<1.0> : tensor<1x16x4xf32>\n"
          "    %z = arith.constant dense<0.0> : tensor<1x8x4xf32>\n"
          "    %d = tt.dot %a, %v, %z : tensor<1x8x16xf32> * tensor<1x16x4xf32> -> tensor<1x8x4xf32>",
    "rule-mask=2", FALSE, "NotAChain" },
  { "5 math.absi",
    "    %i = arith.constant dense<1> : tensor<16x8xi16>\n    %t = tt.trans %i {order = array<i32: 1, 0>} : tensor<16x8xi16> -> "
    "tensor<8x16xi16>\n"
    "    %a = math.absi %t : tensor<8x16xi16>\n    %j = arith.constant dense<1> : tensor<16x4xi16>\n    %z = arith.constant "
    "dense<0> : tensor<8x4xi32>\n"
    "    %d = tt.dot %a, %j, %z : tensor<8x16xi16> * tensor<16x4xi16> -> tensor<8x4xi32>",
    "rule-mask=2", TRUE, "math.absi %i : tensor<16x8xi16>" },
  { "6 math.atan", TRANS "    %a = math.atan %t : tensor<8x16xf32>\n" DOT ("%a"), "rule-mask=2", TRUE, "math.atan %x" },
  { "2 extf on B",
    "    %w = arith.constant dense<1.0> : tensor<4x16xf16>\n    %v = arith.constant dense<1.0> : tensor<8x16xf32>\n"
    "    %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<4x16xf16> -> tensor<16x4xf16>\n"
    "    %b = arith.extf %t : tensor<16x4xf16> to tensor<16x4xf32>\n    %d = tt.dot %v, %b, %acc : tensor<8x16xf32> * "
    "tensor<16x4xf32> -> tensor<8x4xf32>",
    "rule-mask=2", TRUE, "arith.extf %w : tensor<4x16xf16> to tensor<4x16xf32>" },
  { "9 fptosi",
    TRANS "    %a = arith.fptosi %t : tensor<8x16xf32> to tensor<8x16xi32>\n    %j = arith.constant dense<1> : tensor<16x4xi32>\n"
          "    %z = arith.constant dense<0> : tensor<8x4xi32>\n    %d = tt.dot %a, %j, %z : tensor<8x16xi32> * tensor<16x4xi32> -> "
          "tensor<8x4xi32>",
    "rule-mask=2", FALSE, "TypeChange" },
  { "10 addf",
    TRANS "    %k = arith.constant dense<1.0> : tensor<8x16xf32>\n    %a = arith.addf %t, %k : tensor<8x16xf32>\n" DOT ("%a"),
    "rule-mask=2", FALSE, "OperandCount" },
  { "11 trans has another user",
    TRANS "    %a = arith.negf %t : tensor<8x16xf32>\n    %o = math.absf %t : tensor<8x16xf32>\n" DOT ("%a"), "rule-mask=2", FALSE,
    "SeveralUses" },
  { "12 middle has another user",
    TRANS "    %a = arith.negf %t : tensor<8x16xf32>\n    %b = math.absf %a : tensor<8x16xf32>\n"
          "    %o = math.exp %a : tensor<8x16xf32>\n" DOT ("%b"),
    "rule-mask=2", FALSE, "SeveralUses" },
  { "13 chain on C",
    "    %u = arith.constant dense<1.0> : tensor<4x8xf32>\n    %t = tt.trans %u {order = array<i32: 1, 0>} : tensor<4x8xf32> -> "
    "tensor<8x4xf32>\n"
    "    %n = arith.negf %t : tensor<8x4xf32>\n    %v = arith.constant dense<1.0> : tensor<8x16xf32>\n"
    "    %d = tt.dot %v, %y, %n : tensor<8x16xf32> * tensor<16x4xf32> -> tensor<8x4xf32>",
    "rule-mask=2", FALSE, "NotAChain" },
  { "14 other block",
    TRANS "    scf.if %c {\n      %a = arith.negf %t : tensor<8x16xf32>\n      %d = tt.dot %a, %y, %acc : tensor<8x16xf32> * "
          "tensor<16x4xf32> -> tensor<8x4xf32>\n    }",
    "rule-mask=2", FALSE, "DifferentBlocks" },
  { "15 directly on trans", TRANS DOT ("%t"), "rule-mask=2", FALSE, "EmptyChain" },
  { "16 reshape between",
    TRANS "    %r = tt.reshape %t : tensor<8x16xf32> -> tensor<8x16xf32>\n    %a = arith.negf %r : tensor<8x16xf32>\n" DOT ("%a"),
    "rule-mask=2", FALSE, "NotAChain" },
  { "off by mask", TRANS "    %a = arith.negf %t : tensor<8x16xf32>\n" DOT ("%a"), "rule-mask=5", FALSE, NULL },
};

static void
test_transposes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (transposes); i++)
    graph_check (T_HEADER, &transposes[i]);
}

/* 7 both operands: the larger chain first, then A before B. */
static void
test_transpose_order (void)
{
  const char *body = "    %v = arith.constant dense<1.0> : tensor<4x16xf32>\n" TRANS
                     "    %a = arith.negf %t : tensor<8x16xf32>\n"
                     "    %s = tt.trans %v {order = array<i32: 1, 0>} : tensor<4x16xf32> -> tensor<16x4xf32>\n"
                     "    %b = arith.negf %s : tensor<16x4xf32>\n    %b2 = math.absf %b : tensor<16x4xf32>\n"
                     "    %d = tt.dot %a, %b2, %acc : tensor<8x16xf32> * tensor<16x4xf32> -> tensor<8x4xf32>";
  g_autofree char *text = graph_wrap (T_HEADER, body);
  g_autoptr (GString) log = g_string_new (NULL);
  gboolean changed;
  g_autofree char *after = graph_run (text, "rule-mask=2", &changed, log);
  const char *first = strstr (log->str, "operand=B"), *second = strstr (log->str, "operand=A");

  g_assert_true (changed);
  g_assert_nonnull (first);
  g_assert_nonnull (second);
  g_assert_true (first < second);
  g_assert_nonnull (strstr (log->str, "event=pass-end function=f rewrites-general=2 rewrites-row=0 rewrites-total=2"));
  g_assert_cmpuint (graph_check_rollback (text, "rule-mask=2"), ==, 5);
}

/* --- stores ---------------------------------------------------------------------------------------------------------------- */

#define S_HEADER "%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %o: i32, %c: i1, %m: tensor<4xi1>, %a: i64"
#define RANGE(name, start, end) "    %" name " = tt.make_range {end = " #end " : i32, start = " #start " : i32} : tensor<4xi32>\n"
#define POINTER(name, base, range)                                                                                                 \
  "    %s" name " = tt.splat %" base " : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>\n    %" name " = tt.addptr %s" name ", %" range    \
  " : tensor<4x!tt.ptr<i32>>, tensor<4xi32>\n"
#define VALUE "    %v = arith.constant dense<7> : tensor<4xi32>\n"
#define STORE(name) "    tt.store %" name ", %v : tensor<4x!tt.ptr<i32>>\n"
#define LOAD(name, base) "    %l" name " = tt.load %" name " : tensor<4x!tt.ptr<i32>>\n"
#define PREAMBLE                                                                                                                   \
  VALUE RANGE ("r0", 0, 4) RANGE ("r4", 4, 8) RANGE ("r8", 8, 12) POINTER ("p0", "p", "r0") POINTER ("p4", "p", "r4")              \
      POINTER ("p8", "p", "r8") POINTER ("q0", "q", "r0")

static const GraphCase stores[] = {
  { "1 high then low", PREAMBLE STORE ("p4") STORE ("p0"), "rule-mask=4 ub-capacity-bytes=64", TRUE,
    "tensor.insert_slice %v into %0[0] [4] [1] : tensor<4xi32> into tensor<8xi32>\n...\n"
    "tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>" },
  { "4 load of the earlier interval between", PREAMBLE STORE ("p0") LOAD ("p4", "p") STORE ("p4"),
    "rule-mask=4 ub-capacity-bytes=64", TRUE, NULL },
  { "5 store with other cache between",
    PREAMBLE STORE ("p0") "    tt.store %p8, %v cacheModifier = cg : tensor<4x!tt.ptr<i32>>\n" STORE ("p4"),
    "rule-mask=4 ub-capacity-bytes=64", TRUE, NULL },
  { "6 three stores", PREAMBLE STORE ("p0") LOAD ("p4", "p") STORE ("p4") LOAD ("p8", "p") STORE ("p8"),
    "rule-mask=4 ub-capacity-bytes=64", TRUE, "tensor<12x!tt.ptr<i32>>" },
  { "7 another entry pointer between", PREAMBLE STORE ("p0") STORE ("q0") STORE ("p4"), "rule-mask=4 ub-capacity-bytes=64", TRUE,
    NULL },
  { "10 gap", PREAMBLE STORE ("p0") STORE ("p8"), "rule-mask=4 ub-capacity-bytes=64", FALSE, "NoNeighbour" },
  { "11 overlap",
    PREAMBLE "    %r2 = tt.make_range {end = 6 : i32, start = 2 : i32} : tensor<4xi32>\n" POINTER ("p2", "p", "r2") STORE ("p0")
        STORE ("p2"),
    "rule-mask=4 ub-capacity-bytes=64", FALSE, "OverlappingAccessRange" },
  { "12 masked", PREAMBLE STORE ("p0") "    tt.store %p4, %v, %m : tensor<4x!tt.ptr<i32>>\n", "rule-mask=4 ub-capacity-bytes=64",
    FALSE, "MaskedAccess" },
  { "14 cache words differ",
    PREAMBLE "    tt.store %p0, %v cacheModifier = ca : tensor<4x!tt.ptr<i32>>\n    tt.store %p4, %v cacheModifier = cg : "
             "tensor<4x!tt.ptr<i32>>\n",
    "rule-mask=4 ub-capacity-bytes=64", FALSE, "NoNeighbour" },
  { "14 eviction words differ",
    PREAMBLE "    tt.store %p0, %v evictionPolicy = evict_first : tensor<4x!tt.ptr<i32>>\n    tt.store %p4, %v : "
             "tensor<4x!tt.ptr<i32>>\n",
    "rule-mask=4 ub-capacity-bytes=64", FALSE, "NoNeighbour" },
  { "15 two origins",
    PREAMBLE "    %o2 = arith.muli %o, %o : i32\n    %so = tt.splat %o : i32 -> tensor<4xi32>\n    %so2 = tt.splat %o2 : i32 -> "
             "tensor<4xi32>\n"
             "    %a0 = arith.addi %so, %r0 : tensor<4xi32>\n    %a4 = arith.addi %so2, %r4 : tensor<4xi32>\n" POINTER (
                 "d0", "p", "a0") POINTER ("d4", "p", "a4") STORE ("d0") STORE ("d4"),
    "rule-mask=4 ub-capacity-bytes=64", FALSE, "NoNeighbour" },
  { "20 call",
    PREAMBLE STORE ("p0") "    tt.call @f(%p, %q, %o, %c, %m, %a) : (!tt.ptr<i32>, !tt.ptr<i32>, i32, i1, tensor<4xi1>, i64) -> "
                          "()\n" STORE ("p4"),
    "rule-mask=4 ub-capacity-bytes=64", FALSE, "CallOperation" },
  { "20 atomic",
    PREAMBLE STORE ("p0") "    %at = tt.atomic_rmw add, acq_rel, gpu, %q, %o : (!tt.ptr<i32>, i32) -> i32\n" STORE ("p4"),
    "rule-mask=4 ub-capacity-bytes=64", FALSE, "InterveningMemoryEffect" },
  { "23 base of a later block is no argument of it",
    PREAMBLE "    cf.br ^bb1\n  ^bb1:\n    %w = arith.constant dense<7> : tensor<4xi32>\n"
             "    tt.store %p0, %w : tensor<4x!tt.ptr<i32>>\n    tt.store %p4, %w : tensor<4x!tt.ptr<i32>>\n",
    "rule-mask=4 ub-capacity-bytes=64", FALSE, "ValueFromOutside" },
  { "15 two bases", PREAMBLE POINTER ("q4", "q", "r4") STORE ("p0") STORE ("q4"), "rule-mask=4 ub-capacity-bytes=64", FALSE,
    "NoNeighbour" },
  { "16 load of a delayed store", PREAMBLE STORE ("p0") LOAD ("p0", "p") STORE ("p4"), "rule-mask=4 ub-capacity-bytes=64", FALSE,
    "OverlappingAccessRange" },
  { "17 whole prefix", PREAMBLE STORE ("p0") STORE ("p4") LOAD ("p0", "p") STORE ("p8"), "rule-mask=4 ub-capacity-bytes=64", FALSE,
    "OverlappingAccessRange" },
  { "18 masked load of another root", PREAMBLE STORE ("p0") "    %l = tt.load %q0, %m : tensor<4x!tt.ptr<i32>>\n" STORE ("p4"),
    "rule-mask=4 ub-capacity-bytes=64", FALSE, "UnsupportedInterveningMemoryAccess" },
  { "19 through int_to_ptr",
    PREAMBLE "    %i = tt.int_to_ptr %a : i64 -> !tt.ptr<i32>\n" STORE ("p0") "    %l = tt.load %i : !tt.ptr<i32>\n" STORE ("p4"),
    "rule-mask=4 ub-capacity-bytes=64", FALSE, "DifferentAccessBase" },
  { "20 barrier", PREAMBLE STORE ("p0") "    gpu.barrier\n" STORE ("p4"), "rule-mask=4 ub-capacity-bytes=64", FALSE,
    "BarrierOperation" },
  { "20 assert", PREAMBLE STORE ("p0") "    tt.assert %c, \"x\" : i1\n" STORE ("p4"), "rule-mask=4 ub-capacity-bytes=64", FALSE,
    "InterveningMemoryEffect" },
  { "21 both inside scf.if", PREAMBLE "    scf.if %c {\n" STORE ("p0") STORE ("p4") "    }", "rule-mask=4 ub-capacity-bytes=64",
    FALSE, "Nested" },
  { "22 capacity 0", PREAMBLE STORE ("p0") STORE ("p4"), "rule-mask=4 ub-capacity-bytes=0", FALSE, NULL },
  { "capacity one too small", PREAMBLE STORE ("p0") STORE ("p4"), "rule-mask=4 ub-capacity-bytes=31", FALSE, "Capacity" },
};

/* Rewrites that matter to other runs of the same epoch: what was found before is no answer after. Cases of two caches: their runs
 * share addresses, but no bucket. */
#define CACHED(name) "    tt.store %" name ", %v cacheModifier = cg : tensor<4x!tt.ptr<i32>>\n"
#define COUNTED "rule-mask=4 ub-capacity-bytes=64"

static const struct
{
  const char *name, *body;
  guint       rewrites;
} meetings[] = {
  { "one behind the other", PREAMBLE STORE ("p0") STORE ("p4") CACHED ("p0") CACHED ("p4"), 2 },
  { "one behind the other, and longer", PREAMBLE STORE ("p0") STORE ("p4") CACHED ("p0") CACHED ("p4") CACHED ("p8"), 2 },
  { "in turns, one address shared", PREAMBLE STORE ("p0") CACHED ("p4") STORE ("p4") CACHED ("p8"), 1 },
  { "what was in the way is gone", PREAMBLE STORE ("p4") CACHED ("p4") STORE ("p8") CACHED ("p8"), 2 },
  { "what was in the way is gone: the store with the highest address of its run",
    PREAMBLE STORE ("p4") CACHED ("p4") STORE ("p8") CACHED ("p0"), 2 },
  { "what was in the way is gone: the middle store of its run",
    PREAMBLE STORE ("p4") CACHED ("p4") STORE ("p0") CACHED ("p8") CACHED ("p0"), 2 },
  { "what was in the way of the shorter is gone",
    PREAMBLE CACHED ("p8") STORE ("p0") CACHED ("p0") STORE ("p4") CACHED ("p4"), 2 },
  { "it has only moved", PREAMBLE STORE ("p4") CACHED ("p0") STORE ("p0") STORE ("p8") CACHED ("p4"), 1 },
  { "each is in the way of the other",
    PREAMBLE CACHED ("p4") STORE ("p0") STORE ("p4") CACHED ("p0") CACHED ("p8") STORE ("p8"), 0 },
};

static void
test_meetings (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (meetings); i++)
    {
      g_autofree char *text = graph_wrap (S_HEADER, meetings[i].body), *after = NULL;
      g_autofree char *expected = g_strdup_printf (" rewrites-general=%u ", meetings[i].rewrites);
      g_autoptr (GString) log = g_string_new (NULL);

      after = graph_run (text, COUNTED, NULL, log);
      g_test_message ("%s: %s%s", meetings[i].name, log->str, after);
      g_assert_nonnull (strstr (log->str, expected));
    }
}

static void
test_stores (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (stores); i++)
    graph_check (S_HEADER, &stores[i]);
}

/* A plan weighs as many operations as it moves: rows 1 to 5 of the table, and of the stores row 6. */
static void
test_weights (void)
{
  static const struct { const GraphCase *cases; guint n; const char *header, *name; guint benefit; } rows[] = {
    { transposes, G_N_ELEMENTS (transposes), T_HEADER, "1 trans, truncf, bitcast on A", 2 },
    { transposes, G_N_ELEMENTS (transposes), T_HEADER, "2 extf on B", 1 },
    { transposes, G_N_ELEMENTS (transposes), T_HEADER, "3 five operations with casts", 5 },
    { transposes, G_N_ELEMENTS (transposes), T_HEADER, "4 fifteen operations", 15 },
    { transposes, G_N_ELEMENTS (transposes), T_HEADER, "5 math.absi", 1 },
    { stores, G_N_ELEMENTS (stores), S_HEADER, "1 high then low", 1 },
    { stores, G_N_ELEMENTS (stores), S_HEADER, "6 three stores", 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *expected = g_strdup_printf (" benefit=%u ordinal=1 ", rows[i].benefit);
      g_autoptr (GString) log = g_string_new (NULL);
      const GraphCase *c = NULL;

      for (guint k = 0; k < rows[i].n; k++)
        if (strcmp (rows[i].cases[k].name, rows[i].name) == 0)
          c = &rows[i].cases[k];
      g_assert_nonnull (c);
      g_autofree char *text = graph_wrap (rows[i].header, c->text);
      g_autofree char *after = graph_run (text, c->options, NULL, log);
      g_test_message ("%s: %s", c->name, log->str);
      g_assert_nonnull (strstr (log->str, expected));
    }
}

/* What is promised of the arguments of a kernel is not promised of those of other functions. */
static void
test_entries (void)
{
  static const struct { const char *visibility, *caller, *expect; } rows[] = {
    { "public", "", NULL },
    { "private", "", "DifferentAccessBase tt.store" },
    { "nested", "", "DifferentAccessBase tt.store" },
    { "public",
      "  tt.func public @g(%p: !tt.ptr<i32>, %o: i32, %c: i1, %m: tensor<4xi1>, %a: i64) {\n    tt.call @f(%p, %p, %o, %c, %m, %a) "
      ": (!tt.ptr<i32>, !tt.ptr<i32>, i32, i1, tensor<4xi1>, i64) -> ()\n    tt.return\n  }\n",
      "DifferentAccessBase tt.store" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf ("module {\n  tt.func %s @f(%s) {\n%s\n    tt.return\n  }\n%s}\n", rows[i].visibility,
                                               S_HEADER, PREAMBLE STORE ("p0") STORE ("q0") STORE ("p4"), rows[i].caller);
      const GraphCase c = { rows[i].visibility, text, "rule-mask=4 ub-capacity-bytes=64", rows[i].expect == NULL, rows[i].expect };

      graph_check (NULL, &c);
    }
}

/* Two tiles of rank 2: rows 0-1 and 2-3 of a 3-wide matrix. */
static void
test_store_tiles (void)
{
  g_autoptr (GString) body = g_string_new (
      "    %v = arith.constant dense<7> : tensor<2x3xi32>\n    %c3 = arith.constant 3 : i32\n    %c1 = arith.constant 1 : i32\n");
  GraphCase c = { "2 two tiles", NULL, "rule-mask=4 ub-capacity-bytes=64", TRUE,
                  "tt.reshape %v : tensor<2x3xi32> -> tensor<6xi32>\n...\ntensor<12x!tt.ptr<i32>>" };

  for (guint k = 0; k < 2; k++)
    g_string_append_printf (
        body,
        "    %%r%u = tt.make_range {end = %u : i32, start = %u : i32} : tensor<2xi32>\n"
        "    %%w%u = tt.make_range {end = 3 : i32, start = 0 : i32} : tensor<3xi32>\n"
        "    %%re%u = tt.expand_dims %%r%u {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>\n"
        "    %%we%u = tt.expand_dims %%w%u {axis = 0 : i32} : tensor<3xi32> -> tensor<1x3xi32>\n"
        "    %%s3%u = tt.splat %%c3 : i32 -> tensor<2x1xi32>\n    %%s1%u = tt.splat %%c1 : i32 -> tensor<1x3xi32>\n"
        "    %%rm%u = arith.muli %%re%u, %%s3%u : tensor<2x1xi32>\n    %%wm%u = arith.muli %%we%u, %%s1%u : tensor<1x3xi32>\n"
        "    %%rb%u = tt.broadcast %%rm%u : tensor<2x1xi32> -> tensor<2x3xi32>\n    %%wb%u = tt.broadcast %%wm%u : tensor<1x3xi32> "
        "-> tensor<2x3xi32>\n"
        "    %%of%u = arith.addi %%rb%u, %%wb%u : tensor<2x3xi32>\n    %%sp%u = tt.splat %%p : !tt.ptr<i32> -> "
        "tensor<2x3x!tt.ptr<i32>>\n"
        "    %%pt%u = tt.addptr %%sp%u, %%of%u : tensor<2x3x!tt.ptr<i32>>, tensor<2x3xi32>\n    tt.store %%pt%u, %%v : "
        "tensor<2x3x!tt.ptr<i32>>\n",
        k, 2 + 2 * k, 2 * k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k);
  c.text = body->str;
  graph_check (S_HEADER, &c);
}

/* Case 3: two tiles of rank 3 fill the capacity to the byte. */
static void
test_store_cubes (void)
{
  g_autoptr (GString) body = g_string_new ("    %v = arith.constant dense<7> : tensor<2x2x2xi32>\n"
                                           "    %k1 = arith.constant 1 : i32\n    %k2 = arith.constant 2 : i32\n"
                                           "    %k4 = arith.constant 4 : i32\n");
  GraphCase c = { "3 two cubes of 64 bytes together", NULL, "rule-mask=4 ub-capacity-bytes=64", TRUE,
                  "tt.reshape %v : tensor<2x2x2xi32> -> tensor<8xi32>\n...\ntensor<16x!tt.ptr<i32>>" };
  static const struct { guint first, second; const char *inner, *shape; } axes[] = {
    { 1, 2, "2x1", "2x1x1" }, { 0, 2, "1x2", "1x2x1" }, { 0, 0, "1x2", "1x1x2" },
  };
  static const char *const strides[] = { "k4", "k2", "k1" };

  for (guint k = 0; k < 2; k++)
    {
      for (guint i = 0; i < 3; i++)
        g_string_append_printf (
            body,
            "    %%r%u%u = tt.make_range {end = %u : i32, start = %u : i32} : tensor<2xi32>\n"
            "    %%e%u%u = tt.expand_dims %%r%u%u {axis = %u : i32} : tensor<2xi32> -> tensor<%sxi32>\n"
            "    %%l%u%u = tt.expand_dims %%e%u%u {axis = %u : i32} : tensor<%sxi32> -> tensor<%sxi32>\n"
            "    %%s%u%u = tt.splat %%%s : i32 -> tensor<%sxi32>\n    %%m%u%u = arith.muli %%l%u%u, %%s%u%u : tensor<%sxi32>\n"
            "    %%b%u%u = tt.broadcast %%m%u%u : tensor<%sxi32> -> tensor<2x2x2xi32>\n",
            k, i, i == 0 ? 2 + 2 * k : 2, i == 0 ? 2 * k : 0, k, i, k, i, axes[i].first, axes[i].inner, k, i, k, i, axes[i].second,
            axes[i].inner, axes[i].shape, k, i, strides[i], axes[i].shape, k, i, k, i, k, i, axes[i].shape, k, i, k, i,
            axes[i].shape);
      g_string_append_printf (
          body,
          "    %%u%u = arith.addi %%b%u0, %%b%u1 : tensor<2x2x2xi32>\n    %%o%u = arith.addi %%u%u, %%b%u2 : tensor<2x2x2xi32>\n"
          "    %%sp%u = tt.splat %%p : !tt.ptr<i32> -> tensor<2x2x2x!tt.ptr<i32>>\n"
          "    %%pt%u = tt.addptr %%sp%u, %%o%u : tensor<2x2x2x!tt.ptr<i32>>, tensor<2x2x2xi32>\n"
          "    tt.store %%pt%u, %%v : tensor<2x2x2x!tt.ptr<i32>>\n",
          k, k, k, k, k, k, k, k, k, k, k);
    }
  c.text = body->str;
  graph_check (S_HEADER, &c);
  c.options = "rule-mask=4 ub-capacity-bytes=63";
  c.taken = FALSE;
  c.expect = "Capacity";
  graph_check (S_HEADER, &c);
}

/* Case 13: i1 is no whole number of bytes. */
static void
test_store_bits (void)
{
  const GraphCase c = { "13 i1",
                        "    %v = arith.constant dense<true> : tensor<4xi1>\n" RANGE ("r0", 0, 4) RANGE ("r4", 4, 8)
                        "    %s = tt.splat %b : !tt.ptr<i1> -> tensor<4x!tt.ptr<i1>>\n"
                        "    %p0 = tt.addptr %s, %r0 : tensor<4x!tt.ptr<i1>>, tensor<4xi32>\n"
                        "    %p4 = tt.addptr %s, %r4 : tensor<4x!tt.ptr<i1>>, tensor<4xi32>\n"
                        "    tt.store %p0, %v : tensor<4x!tt.ptr<i1>>\n    tt.store %p4, %v : tensor<4x!tt.ptr<i1>>\n",
                        "rule-mask=4 ub-capacity-bytes=64", FALSE, "UnsupportedElementType" };

  graph_check ("%b: !tt.ptr<i1>", &c);
}

/* Cases 8 and 9: a dynamic origin; 2 x 64 elements of bf16 are 256 bytes. */
static void
test_store_origin (void)
{
  const char *body
      = "    %v = arith.constant dense<1.0> : tensor<64xbf16>\n    %c64 = arith.constant 64 : i32\n"
        "    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n    %o2 = arith.addi %o, %c64 : i32\n"
        "    %so = tt.splat %o : i32 -> tensor<64xi32>\n    %so2 = tt.splat %o2 : i32 -> tensor<64xi32>\n"
        "    %a0 = arith.addi %so, %r : tensor<64xi32>\n    %a1 = arith.addi %so2, %r : tensor<64xi32>\n"
        "    %sp = tt.splat %b : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>\n"
        "    %p0 = tt.addptr %sp, %a0 : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>\n    %p1 = tt.addptr %sp, %a1 : "
        "tensor<64x!tt.ptr<bf16>>, tensor<64xi32>\n"
        "    tt.store %p0, %v : tensor<64x!tt.ptr<bf16>>\n    %s = tt.load %z : !tt.ptr<f32>\n    tt.store %p1, %v : "
        "tensor<64x!tt.ptr<bf16>>";
  const GraphCase fits = { "8", body, "rule-mask=4 ub-capacity-bytes=256", TRUE, "tt.splat %o : i32 -> tensor<128xi32>" };
  const GraphCase small = { "9", body, "rule-mask=4 ub-capacity-bytes=255", FALSE, "Capacity" };
  g_autofree char *text = graph_wrap ("%b: !tt.ptr<bf16>, %z: !tt.ptr<f32>, %o: i32", body);

  graph_check ("%b: !tt.ptr<bf16>, %z: !tt.ptr<f32>, %o: i32", &fits);
  graph_check ("%b: !tt.ptr<bf16>, %z: !tt.ptr<f32>, %o: i32", &small);
  g_assert_cmpuint (graph_check_rollback (text, "rule-mask=4 ub-capacity-bytes=256"), ==, 9);
}

/* --- driver ---------------------------------------------------------------------------------------------------------------- */

static void
test_log (void)
{
  g_autofree char *text = graph_wrap (S_HEADER, PREAMBLE STORE ("p4") STORE ("p0"));
  g_autoptr (GString) log = g_string_new (NULL);
  gboolean changed;
  g_autofree char *after = graph_run (text, "ub-capacity-bytes=64", &changed, log);

  g_assert_cmpstr (
      log->str, ==,
      "[GRAPH] event=pass-start function=f rule-mask=127 max-rewrites=64 ub-capacity-bytes=64 force-simt-only=false\n"
      "[GRAPH] event=candidates rule=LoadStoreTranspose count=0 epoch=0\n"
      "[GRAPH] event=candidates rule=TransposePointwiseReorder count=0 epoch=0\n"
      "[GRAPH] event=candidates rule=StoreCoalescing count=1 epoch=0\n"
      "[GRAPH] event=plan-selected rule=StoreCoalescing benefit=1 ordinal=1 epoch=0 ub-capacity-bytes=64 stores=2 program-stores=2 "
      "elements=8 "
      "bytes=32 element-bytes=4 dynamic-origin=false address-order=ascending program-order=preserved offsets=[0,8) erased=2\n"
      "[GRAPH] event=apply-ok rule=StoreCoalescing benefit=1 ordinal=1 epoch=0 ub-capacity-bytes=64 stores=2 program-stores=2 "
      "elements=8 "
      "bytes=32 element-bytes=4 dynamic-origin=false address-order=ascending program-order=preserved offsets=[0,8) erased=2\n"
      "[GRAPH] event=rule-skip rule=RowCoalescing reason=force-simt-only-false\n"
      "[GRAPH] event=pass-end function=f rewrites-general=1 rewrites-row=0 rewrites-total=1 success-load-store=0 "
      "success-transpose-pointwise=0 "
      "success-store-coalescing=1 success-row-coalescing=0 stale-skipped=0 revalidation-skipped=0 budget-exhausted=false\n");
}

static void
test_budget (void)
{
  g_autofree char *text = graph_wrap (S_HEADER, PREAMBLE STORE ("p4") STORE ("p0"));
  g_autoptr (GString) log = g_string_new (NULL);
  gboolean changed;
  g_autofree char *after = graph_run (text, "max-rewrites-per-function=0", &changed, log);

  g_assert_false (changed);
  g_assert_nonnull (strstr (log->str, "rule=StoreCoalescing status=not-scanned reason=rewrite-budget-exhausted epoch=0"));
  g_assert_nonnull (strstr (log->str, "event=budget-exhausted function=f rewrites=0 max-rewrites=0"));
  g_assert_true (strstr (log->str, "event=budget-exhausted") == g_strrstr (log->str, "event=budget-exhausted"));
  g_assert_nonnull (strstr (log->str, "budget-exhausted=true"));
  g_string_truncate (log, 0);
  g_autofree char *one = graph_run (text, "max-rewrites-per-function=1 ub-capacity-bytes=64", &changed, log);
  g_assert_true (changed);
  g_assert_nonnull (strstr (log->str, "event=budget-exhausted function=f rewrites=1 max-rewrites=1"));
}

/* A bad option fails the pass with the option and its value, and the text stays. */
static void
test_options (void)
{
  static const struct { const char *options, *name, *value; } rows[] = {
    { "rule-mask=128", "rule-mask", "128" },
    { "rule-mask=-1", "rule-mask", "-1" },
    { "rule-mask=0x7", "rule-mask", "0x7" },
    { "rule-mask=", "rule-mask", "" },
    { "max-rewrites-per-function=4294967296", "max-rewrites-per-function", "4294967296" },
    { "ub-capacity-bytes=4294967296", "ub-capacity-bytes", "4294967296" },
    { "ub-capacity-bytes=many", "ub-capacity-bytes", "many" },
    { "emit-remarks=yes", "emit-remarks", "yes" },
    { "force-simt-only=1", "force-simt-only", "1" },
    { "square-form=on", "square-form", "on" },
  };
  static const char *const good[] = { "rule-mask=0", "rule-mask=127", "rule-mask=112", "max-rewrites-per-function=4294967295",
                                      "ub-capacity-bytes=4294967295", "emit-remarks=true" };
  g_autofree char *text = graph_wrap (S_HEADER, PREAMBLE STORE ("p4") STORE ("p0"));

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *message = graph_failure (text, rows[i].options);
      g_autofree char *quoted = g_strdup_printf ("'%s'", rows[i].value);

      g_test_message ("%s: %s", rows[i].options, message);
      g_assert_nonnull (message);
      g_assert_nonnull (strstr (message, rows[i].name));
      g_assert_nonnull (strstr (message, quoted));
    }
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autofree char *message = graph_failure (text, good[i]);

      g_assert_null (message);
    }
}

/* The list of passes says which of two values is meant, or is refused: equal ones too. */
static void
test_repeated_option (void)
{
  static const char *const lists[]
      = { "graph-optimize{rule-mask=4 rule-mask=2}", "graph-optimize{rule-mask=4,emit-remarks=true,rule-mask=4}" };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) plan = ts_pass_plan_parse (lists[i], TS_LANGUAGE_TTIR, TS_PLANNER_PYPTO, &error);

      g_assert_null (plan);
      g_assert_error (error, TS_PASS_ERROR, TS_PASS_ERROR_SYNTAX);
      g_assert_nonnull (strstr (error->message, "rule-mask"));
    }
}

/* Half the machine's buffer when nothing is said: 96 KiB of 192. */
static void
test_default_capacity (void)
{
  g_autofree char *text = graph_wrap (S_HEADER, PREAMBLE STORE ("p4") STORE ("p0"));
  g_autoptr (GString) log = g_string_new (NULL);
  gboolean changed;
  g_autofree char *after = graph_run (text, NULL, &changed, log);

  g_assert_true (changed);
  g_assert_nonnull (strstr (log->str, "ub-capacity-bytes=98304 force-simt-only=false"));
}

/* Bits of later passes are legal and without effect. */
static void
test_zero_mask (void)
{
  static const char *const options[] = { "rule-mask=0", "rule-mask=112" };
  g_autofree char *text = graph_wrap (S_HEADER, PREAMBLE STORE ("p4") STORE ("p0"));

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autoptr (GString) log = g_string_new (NULL);
      gboolean changed;
      g_autofree char *after = graph_run (text, options[i], &changed, log);

      g_assert_false (changed);
      g_assert_null (strstr (log->str, "event=candidates"));
      g_assert_nonnull (strstr (log->str, "event=rule-skip rule=RowCoalescing reason=not-registered"));
    }
}

/* One remark for each rewrite, at the function, with the rule's number; none unless asked for. */
static void
test_remarks (void)
{
  g_autofree char *text = graph_wrap (S_HEADER, PREAMBLE STORE ("p4") STORE ("p0"));
  g_autofree char *none = graph_remarks (text, "ub-capacity-bytes=64");
  g_autofree char *one = graph_remarks (text, "ub-capacity-bytes=64 emit-remarks=true");

  g_assert_cmpstr (none, ==, "");
  g_assert_cmpstr (one, ==, "function 'f': rule 4 (StoreCoalescing) applied\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/store/entries", test_entries);
  g_test_add_func ("/graph/transpose/cases", test_transposes);
  g_test_add_func ("/graph/weights", test_weights);
  g_test_add_func ("/graph/transpose/order", test_transpose_order);
  g_test_add_func ("/graph/store/cases", test_stores);
  g_test_add_func ("/graph/store/meetings", test_meetings);
  g_test_add_func ("/graph/store/tiles", test_store_tiles);
  g_test_add_func ("/graph/store/origin", test_store_origin);
  g_test_add_func ("/graph/store/cubes", test_store_cubes);
  g_test_add_func ("/graph/store/bits", test_store_bits);
  g_test_add_func ("/graph/driver/options", test_options);
  g_test_add_func ("/graph/driver/default-capacity", test_default_capacity);
  g_test_add_func ("/graph/driver/zero-mask", test_zero_mask);
  g_test_add_func ("/graph/driver/remarks", test_remarks);
  g_test_add_func ("/graph/driver/log", test_log);
  g_test_add_func ("/graph/driver/budget", test_budget);
  g_test_add_func ("/graph/driver/repeated-option", test_repeated_option);
  return g_test_run ();
}
