/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The early square form of LoadStoreTranspose: the accept and reject table of spec graph-optimize section 6.4. */
#include <string.h>

#include "harness.h"

#define HEADER                                                                                                                     \
  "%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %pi: !tt.ptr<i32>, %qi: !tt.ptr<i32>, %s: i32, %m: tensor<4x4xi1>, %u: tensor<4x8xf32>"
#define OPTIONS "rule-mask=1 square-form=true"

/* The address of a ROWS x COLUMNS access; NAME keeps the values of two apart, flags stand behind the products and the sum. */
typedef struct
{
  const char *name, *base, *type;
  guint       rows, columns;
  const char *stride0, *stride1; /* text of scalars */
  const char *flag0, *flag1, *sum_flag;
} Address;

static void
append_term (GString *out, const Address *a, guint axis, const char *stride, const char *flag)
{
  guint n = axis == 0 ? a->rows : a->columns;
  g_autofree char *lane = axis == 0 ? g_strdup_printf ("%ux1", n) : g_strdup_printf ("1x%u", n);

  g_string_append_printf (out, "    %%%sr%u = tt.make_range {end = %u : i32, start = 0 : i32} : tensor<%uxi32>\n", a->name, axis, n,
                          n);
  g_string_append_printf (out, "    %%%se%u = tt.expand_dims %%%sr%u {axis = %u : i32} : tensor<%uxi32> -> tensor<%sxi32>\n",
                          a->name, axis, a->name, axis, 1 - axis, n, lane);
  if (stride[0] == '%')
    g_string_append_printf (out, "    %%%sk%u = tt.splat %s : i32 -> tensor<%sxi32>\n", a->name, axis, stride, lane);
  else
    g_string_append_printf (out, "    %%%sc%u = arith.constant %s : i32\n    %%%sk%u = tt.splat %%%sc%u : i32 -> tensor<%sxi32>\n",
                            a->name, axis, stride, a->name, axis, a->name, axis, lane);
  g_string_append_printf (out, "    %%%sm%u = arith.muli %%%se%u, %%%sk%u%s : tensor<%sxi32>\n", a->name, axis, a->name, axis,
                          a->name, axis, flag, lane);
  g_string_append_printf (out, "    %%%sb%u = tt.broadcast %%%sm%u : tensor<%sxi32> -> tensor<%ux%uxi32>\n", a->name, axis, a->name,
                          axis, lane, a->rows, a->columns);
}

static void
append_address (GString *out, const Address *a)
{
  g_autofree char *shape = g_strdup_printf ("%ux%u", a->rows, a->columns);

  append_term (out, a, 0, a->stride0, a->flag0);
  append_term (out, a, 1, a->stride1, a->flag1);
  g_string_append_printf (out, "    %%%so = arith.addi %%%sb0, %%%sb1%s : tensor<%sxi32>\n", a->name, a->name, a->name,
                          a->sum_flag, shape);
  g_string_append_printf (out, "    %%%ss = tt.splat %s : !tt.ptr<%s> -> tensor<%sx!tt.ptr<%s>>\n", a->name, a->base, a->type,
                          shape, a->type);
  g_string_append_printf (out, "    %%%s = tt.addptr %%%ss, %%%so : tensor<%sx!tt.ptr<%s>>, tensor<%sxi32>\n", a->name, a->name,
                          a->name, shape, a->type, shape);
}

/* A row-major square of f32. */
static Address
square (const char *name, const char *base, guint n, const char *stride)
{
  return (Address) { name, base, "f32", n, n, stride, "1", "", "", "" };
}

typedef struct
{
  const char *name;
  Address     from, to;
  const char *between; /* load, chain, store; NULL: load, negf, store of 4 x 4 */
  gboolean    taken;
  const char *expect;
} SquareCase;

#define CALL                                                                                                                       \
  "    tt.call @f(%p, %q, %pi, %qi, %s, %m, %u) : (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<i32>, !tt.ptr<i32>, i32, tensor<4x4xi1>, "  \
  "tensor<4x8xf32>) -> ()\n"
#define LOAD "    %x = tt.load %a : tensor<4x4x!tt.ptr<f32>>\n"
#define NEG "    %y = arith.negf %x : tensor<4x4xf32>\n"
#define STORE "    tt.store %b, %y : tensor<4x4x!tt.ptr<f32>>\n"

static void
check (const SquareCase *c)
{
  g_autoptr (GString) body = g_string_new (NULL);
  GraphCase g = { c->name, NULL, OPTIONS, c->taken, c->expect };

  append_address (body, &c->from);
  append_address (body, &c->to);
  g_string_append (body, c->between != NULL ? c->between : LOAD NEG STORE);
  g.text = body->str;
  graph_check (HEADER, &g);
}

static SquareCase
with_strides (const char *name, const char *stride0, const char *stride1, const char *reason)
{
  SquareCase c = { name, square ("a", "%p", 4, "4"), square ("b", "%q", 4, "4"), NULL, FALSE, reason };

  c.from.stride0 = stride0;
  c.from.stride1 = stride1;
  return c;
}

static void
test_accepts (void)
{
  SquareCase cases[] = {
    { "1 4x4, negf", square ("a", "%p", 4, "4"), square ("b", "%q", 4, "4"), NULL, TRUE,
      "tt.expand_dims %0 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>\n    %c1_i32 = arith.constant 1 : i32\n...\n"
      "%c4_i32 = arith.constant 4 : i32\n...\ntt.load" },
    { "2 2x2, tanh and precise_sqrt", square ("a", "%p", 2, "2"), square ("b", "%q", 2, "2"),
      "    %x = tt.load %a : tensor<2x2x!tt.ptr<f32>>\n    %y = math.tanh %x : tensor<2x2xf32>\n"
      "    %z = tt.precise_sqrt %y : tensor<2x2xf32>\n    tt.store %b, %z : tensor<2x2x!tt.ptr<f32>>\n",
      TRUE, "math.tanh" },
    { "2 i32 absi", square ("a", "%pi", 2, "2"), square ("b", "%qi", 2, "2"),
      "    %x = tt.load %a : tensor<2x2x!tt.ptr<i32>>\n    %y = math.absi %x : tensor<2x2xi32>\n"
      "    tt.store %b, %y : tensor<2x2x!tt.ptr<i32>>\n",
      TRUE, "math.absi" },
  };

  cases[2].from.type = cases[2].to.type = "i32";
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check (&cases[i]);
}

/* Case 3: the store's address, base included, is built behind the load; each pointer is made where its access stands. */
static void
test_late_base (void)
{
  Address from = square ("a", "%p", 4, "4"), to = square ("b", "%late", 4, "4");
  g_autoptr (GString) body = g_string_new (NULL);
  GraphCase c = { "3 base behind the load", NULL, OPTIONS, TRUE, "tt.load\n...\n%late = tt.addptr\n...\ntt.splat %late" };

  append_address (body, &from);
  g_string_append (body, LOAD NEG "    %late = tt.addptr %q, %s : !tt.ptr<f32>, i32\n");
  append_address (body, &to);
  g_string_append (body, STORE);
  c.text = body->str;
  graph_check (HEADER, &c);
}

static void
test_rejects (void)
{
  Address a = square ("a", "%p", 4, "4"), b = square ("b", "%q", 4, "4");
  SquareCase cases[] = {
    with_strides ("6 dynamic stride", "%s", "1", "DynamicStride"),
    with_strides ("6 equal strides", "4", "4", "DuplicateStride"),
    with_strides ("6 negative stride", "-4", "1", "NegativeStride"),
    with_strides ("6 zero stride", "0", "1", "ZeroStride"),
    with_strides ("4 columns already", "1", "4", "NonRowMajorContiguous"),
    with_strides ("not injective", "2", "1", "NonInjectiveLanes"),
    { "7 mask", a, b, "    %x = tt.load %a, %m : tensor<4x4x!tt.ptr<f32>>\n" NEG STORE, FALSE, "MaskedAccess" },
    { "7 volatile", a, b, "    %x = tt.load %a {isVolatile = true} : tensor<4x4x!tt.ptr<f32>>\n" NEG STORE, FALSE,
      "VolatileLoad" },
    { "9 barrier", a, b, LOAD NEG "    gpu.barrier\n" STORE, FALSE, "BarrierOperation" },
    { "9 call", a, b, LOAD NEG CALL STORE, FALSE, "CallOperation" },
    { "another load between", a, b, LOAD "    %w = tt.load %p : !tt.ptr<f32>\n" NEG STORE, FALSE, "InterveningMemoryEffect" },
    { "10 unrelated transpose", a, b,
      LOAD "    %t = tt.trans %u {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>\n" NEG STORE, FALSE,
      "InterveningTranspose" },
    { "11 second user", a, b, LOAD NEG "    %w = math.exp %x : tensor<4x4xf32>\n" STORE, FALSE, "SeveralUses" },
    { "12 empty chain", a, b, LOAD "    tt.store %b, %x : tensor<4x4x!tt.ptr<f32>>\n", FALSE, "EmptyChain" },
    { "13 same address", a, b, LOAD NEG "    tt.store %a, %y : tensor<4x4x!tt.ptr<f32>>\n", FALSE, "SharedPointer" },
    { "14 addf", a, b,
      "    %k = arith.constant dense<1.0> : tensor<4x4xf32>\n" LOAD "    %y = arith.addf %x, %k : tensor<4x4xf32>\n" STORE, FALSE,
      "OperandCount" },
    { "5 2x4", a, b,
      "    %x = tt.load %a : tensor<2x4x!tt.ptr<f32>>\n    %y = arith.negf %x : tensor<2x4xf32>\n"
      "    tt.store %b, %y : tensor<2x4x!tt.ptr<f32>>\n",
      FALSE, "NotSquare" },
    { "8 nsw on the sum", a, b, NULL, FALSE, "OverflowFlags" },
    { "8 nsw on a term", a, b, NULL, FALSE, "OverflowFlags" },
    { "stored type", a, b,
      LOAD "    %z = arith.bitcast %x : tensor<4x4xf32> to tensor<4x4xi32>\n    %y = arith.bitcast %z : tensor<4x4xi32> to "
           "tensor<4x4xf32>\n" STORE,
      FALSE, "TypeChange" },
  };
  const guint n = G_N_ELEMENTS (cases);

  cases[n - 4].from.rows = cases[n - 4].to.rows = 2;
  cases[n - 3].from.sum_flag = " overflow<nsw>";
  cases[n - 2].to.flag0 = " overflow<nsw>";
  for (guint i = 0; i < n; i++)
    check (&cases[i]);
}

/* Case 5, rank 3. */
static void
test_rank (void)
{
  const GraphCase c = { "5 rank 3",
                        "    %a = tt.splat %p : !tt.ptr<f32> -> tensor<2x2x2x!tt.ptr<f32>>\n"
                        "    %x = tt.load %a : tensor<2x2x2x!tt.ptr<f32>>\n    %y = arith.negf %x : tensor<2x2x2xf32>\n"
                        "    tt.store %a, %y : tensor<2x2x2x!tt.ptr<f32>>\n",
                        OPTIONS, FALSE, "UnsupportedRank" };

  graph_check (HEADER, &c);
}

/* Fifteen operations for each pointer; every one can fail. Off by default, and without effect on its own output. */
static void
test_mode (void)
{
  Address from = square ("a", "%p", 4, "4"), to = square ("b", "%q", 4, "4");
  g_autoptr (GString) body = g_string_new (NULL), log = g_string_new (NULL);
  g_autofree char *text = NULL, *plain = NULL, *once = NULL, *twice = NULL;
  gboolean changed;

  append_address (body, &from);
  append_address (body, &to);
  g_string_append (body, LOAD NEG STORE);
  text = graph_wrap (HEADER, body->str);
  plain = graph_run (text, "rule-mask=1", &changed, NULL);
  g_assert_false (changed);
  once = graph_run (text, OPTIONS, &changed, log);
  g_assert_true (changed);
  g_assert_nonnull (strstr (log->str, "event=apply-ok rule=LoadStoreTranspose benefit=1 ordinal=1 epoch=0 scope=square rank=2"));
  g_assert_nonnull (strstr (log->str, "success-load-store=1"));
  twice = graph_run (once, OPTIONS, &changed, NULL);
  g_assert_false (changed);
  graph_check (NULL, &(GraphCase) { "4 rerun on the output", once, OPTIONS, FALSE, "NonRowMajorContiguous tt.broadcast" });
  g_assert_cmpuint (graph_check_rollback (text, OPTIONS), ==, 30);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/square/accepts", test_accepts);
  g_test_add_func ("/graph/square/late-base", test_late_base);
  g_test_add_func ("/graph/square/rejects", test_rejects);
  g_test_add_func ("/graph/square/rank", test_rank);
  g_test_add_func ("/graph/square/mode", test_mode);
  return g_test_run ();
}
