/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verifier of Triton IR: what must hold beyond the syntax, with the place of the error. Source: spec ttir section 7. */
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "ir/verify.h"
#include "lang/ttir/ttir.h"

#define REDUCE(args, tail, type)                                                                                                   \
  "%r = \"tt.reduce\"(%t) <{axis = 0 : i32}> ({\n^bb0(" args "):\n" tail "\n}) : (tensor<8xf32>) -> " type

/* Bodies of a function; `line` counts from the first line of the body, 0: not looked at. `code` NULL: no error. */
static const struct
{
  const char *body, *code;
  guint       line;
} rows[] = {
  { "", NULL, 0 },
  /* 1: operands are defined, dominate their uses, and have the stated type */
  { "%a = arith.addi %b, %n : i32\n%b = arith.constant 1 : i32", "dominance", 1 },
  { "scf.if %c {\n%b = arith.constant 1 : i32\n}\n%d = \"u.v\"() ({\n%e = arith.addi %n, %n : i32\n}) : () -> i32", NULL, 0 },
  /* 2: terminators */
  { "cf.br ^bb1\n^bb1:\n%a = arith.constant 1 : i32\ncf.br ^bb2\n^bb2:", NULL, 0 },
  { "tt.return\n%a = arith.constant 1 : i32", "terminator", 1 },
  { "scf.if %c {\ntt.return\n}", "terminator", 2 },
  { "\"scf.if\"(%c) ({\n%a = arith.constant 1 : i32\n}) : (i1) -> ()", "terminator", 2 },
  { "%x = scf.if %c -> (i32) {\nscf.yield %n : i32\n} else {\nscf.yield %f : f32\n}", "terminator", 4 },
  { "%x = scf.if %c -> (i32) {\nscf.yield %n : i32\n}", "type", 1 },
  { "%x = scf.for %i = %n to %n step %n iter_args(%a = %f) -> (f32) : i32 {\nscf.yield %n : i32\n}", "terminator", 2 },
  { "%x = scf.for %i = %n to %n step %n iter_args(%a = %f) -> (f32) : i32 {\nscf.yield\n}", "terminator", 2 },
  { "%w = scf.while (%u = %n) : (i32) -> i32 {\nscf.condition(%c) %u : i32\n} do {\n^bb0(%v: i32):\nscf.yield %v : i32\n}",
    NULL, 0 },
  { "%w = scf.while (%u = %n) : (i32) -> i32 {\nscf.condition(%c) %f : f32\n} do {\n^bb0(%v: i32):\nscf.yield %v : i32\n}",
    "terminator", 2 },
  { "%w = scf.while (%u = %n) : (i32) -> i32 {\nscf.condition(%c) %u : i32\n} do {\n^bb0(%v: i32):\nscf.yield %f : f32\n}",
    "terminator", 5 },
  { "%w = scf.while (%u = %n) : (i32) -> i32 {\nscf.yield %u : i32\n} do {\n^bb0(%v: i32):\nscf.yield %v : i32\n}",
    "terminator", 2 },
  { "cf.cond_br %c, ^bb1, ^bb2(%n : i32)\n^bb1:\ncf.br ^bb2(%n : i32)\n^bb2(%x: i32):", NULL, 0 },
  { "cf.br ^bb1(%f : f32)\n^bb1(%x: i32):", "terminator", 1 },
  { "cf.br ^bb1\n^bb1(%x: i32):", "terminator", 1 },
  { "\"x.y\"()[^bb1] : () -> ()\n^bb1:", NULL, 0 }, /* what no table knows may end a block */
  /* 3: binary, unary, select */
  { "%x = arith.select %c, %n, %n : i32", NULL, 0 },
  { "%x:3 = arith.addi %n, %n : i32", "type", 1 },
  { "%x, %y = tt.get_program_id x : i32", "type", 1 },
  { "%x = scf.if %c -> (i32) {\n} else {\nscf.yield %n : i32\n}", "terminator", 1 }, /* what is implied has a place */
  /* elements, each refused and taken */
  { "%x = arith.addf %n, %n : i32", "type", 1 },
  { "%x = arith.addf %f, %f : f32", NULL, 0 },
  { "%x = arith.addi %t, %t : tensor<8xf32>", "type", 1 },
  { "%x = arith.andi %c, %c : i1", NULL, 0 },
  { "%x = arith.cmpf oeq, %n, %n : i32", "type", 1 },
  { "%x = arith.cmpi eq, %f, %f : f32", "type", 1 },
  { "%x = arith.extsi %n : i32 to i16", "type", 1 },
  { "%x = arith.extui %c : i1 to i32", NULL, 0 },
  { "%x = arith.trunci %n : i32 to i64", "type", 1 },
  { "%x = arith.trunci %n : i32 to i1", NULL, 0 },
  { "%x = arith.extf %f : f32 to f16", "type", 1 },
  { "%x = arith.extf %f : f32 to f64", NULL, 0 },
  { "%x = arith.truncf %f : f32 to f64", "type", 1 },
  { "%x = arith.truncf %t : tensor<8xf32> to tensor<8xbf16>", NULL, 0 },
  { "%x = arith.sitofp %t : tensor<8xf32> to tensor<8xf32>", "type", 1 },
  { "%x = arith.uitofp %c : i1 to f32", NULL, 0 },
  { "%x = arith.fptosi %f : f32 to f32", "type", 1 },
  { "%x = arith.fptoui %f : f32 to i8", NULL, 0 },
  { "%x = arith.bitcast %n : i32 to i64", "type", 1 },
  { "%x = arith.bitcast %n : i32 to f32", NULL, 0 },
  { "%x = math.exp %n : i32", "type", 1 },
  { "%x = math.absi %f : f32", "type", 1 },
  { "tt.assert %n, \"x\" : i32", "type", 1 },
  { "tt.assert %c, \"x\" : i1", NULL, 0 },
  { "%x = tt.addptr %pt, %t : tensor<8x!tt.ptr<f32>>, tensor<8xf32>", "type", 1 },
  { "%x = tt.atomic_rmw fadd, acq_rel, gpu, %p, %n : (!tt.ptr<f32>, i32) -> f32", "type", 1 },
  { "%x = tt.atomic_rmw fadd, acq_rel, gpu, %p, %f : (!tt.ptr<f32>, f32) -> f32", NULL, 0 },
  { "%x = tt.atomic_cas acq_rel, gpu, %p, %n, %n : (!tt.ptr<f32>, i32, i32) -> f32", "type", 1 },
  { "%x = tt.join %t, %t : tensor<8xf32> -> tensor<16xf32>", "type", 1 },
  { "%x = tt.join %t, %t : tensor<8xf32> -> tensor<8x2xf32>", NULL, 0 },
  { "%x, %y = tt.split %t : tensor<8xf32> -> tensor<4xf32>", "type", 1 },
  /* 4: make_range */
  { "%x = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<7xi32>", "type", 1 },
  { "%x = tt.make_range {end = 0 : i32, start = 0 : i32} : tensor<0xi32>", "type", 1 },
  { "%x = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi64>", "type", 1 },
  /* 5: expand_dims, broadcast, splat, reshape */
  { "%x = tt.expand_dims %t {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>", "type", 1 },
  { "%x = tt.expand_dims %t {axis = 5 : i32} : tensor<8xf32> -> tensor<8x1xf32>", "type", 1 },
  { "%x = tt.broadcast %t : tensor<8xf32> -> tensor<8x4xf32>", "type", 1 },
  { "%x = tt.broadcast %t : tensor<8xf32> -> tensor<16xf32>", "type", 1 },
  { "%x = tt.splat %n : i32 -> tensor<8xf32>", "type", 1 },
  { "%x = tt.reshape %t : tensor<8xf32> -> tensor<9xf32>", "type", 1 },
  /* 6: trans */
  { "%x = tt.trans %t {order = array<i32: 1>} : tensor<8xf32> -> tensor<8xf32>", "type", 1 },
  { "%x = tt.trans %m {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<4x8xf32>", "type", 1 },
  /* 7: addptr, load, store */
  { "%x = tt.addptr %pt, %n : tensor<8x!tt.ptr<f32>>, i32", "type", 1 },
  { "%x = tt.load %pt, %c : tensor<8x!tt.ptr<f32>>", "type", 1 },
  { "tt.store %p, %n : !tt.ptr<f32>", "type", 1 },
  { "tt.store %pt, %f : tensor<8x!tt.ptr<f32>>", "type", 1 },
  /* results of operations no table knows: unknown until another operation states them */
  { "%u = my.op : tensor<8xf32>\ntt.store %pt, %u : tensor<8x!tt.ptr<f32>>", NULL, 0 },
  { "%u = my.op : f32\ntt.store %p, %u : !tt.ptr<f32>", NULL, 0 },
  { "%u = my.op : tensor<8xi1>\ntt.store %pt, %t, %u : tensor<8x!tt.ptr<f32>>", NULL, 0 },
  { "%u = my.op : tensor<8xi1>\n%x = tt.load %pt, %u : tensor<8x!tt.ptr<f32>>", NULL, 0 },
  { "%u = my.op : i1\n%x = tt.load %p, %u, %f : !tt.ptr<f32>", NULL, 0 },
  { "%k = my.m\n%u = my.op : tensor<8xf32>\n%x = tt.load %pt, %k, %u : tensor<8x!tt.ptr<f32>>", NULL, 0 },
  { "%b = my.p : !tt.ptr<tensor<8xf32>>\n%u = my.op\ntt.store %b, %u : !tt.ptr<tensor<8xf32>>", NULL, 0 },
  { "%u = my.op : tensor<8xi32>\n%x = arith.addi %u, %u : tensor<8xi32>\ntt.store %pt, %u : tensor<8x!tt.ptr<f32>>", "type", 3 },
  { "%u = \"my.op\"() : () -> !tt.tensordesc<tensor<8xf32>>\ntt.store %pt, %u : tensor<8x!tt.ptr<f32>>", "type", 2 },
  /* 8: dot */
  { "%k = arith.constant dense<1.0> : tensor<9x4xf32>\n%z = arith.constant dense<0.0> : tensor<4x4xf32>\n"
    "%x = tt.dot %m, %k, %z : tensor<4x8xf32> * tensor<9x4xf32> -> tensor<4x4xf32>",
    "type", 3 },
  /* 9: reduce */
  { REDUCE ("%a: f32, %b: f32", "tt.reduce.return %a : f32", "f32"), NULL, 0 },
  { REDUCE ("%a: f32, %b: f32", "tt.reduce.return %n : i32", "f32"), "terminator", 3 },
  { REDUCE ("%a: f32, %b: f32", "tt.scan.return %a : f32", "f32"), "terminator", 3 },
  { REDUCE ("%a: f32", "tt.reduce.return %a : f32", "f32"), "type", 1 },
  { REDUCE ("%a: f32, %b: f32", "tt.reduce.return %a : f32", "tensor<1xf32>"), "type", 1 },
  { "%r = \"tt.reduce\"(%t) <{axis = 1 : i32}> ({\n^bb0(%a: f32, %b: f32):\ntt.reduce.return %a : f32\n}) : (tensor<8xf32>) -> f32",
    "type", 1 },
  /* 10: insert_slice */
  { "%e = tensor.empty() : tensor<16xf32>\n%x = tensor.insert_slice %t into %e[10] [8] [1] : tensor<8xf32> into tensor<16xf32>",
    "type", 2 },
  /* 11: calls */
  { "%x = tt.call @g(%n) : (i32) -> i32", NULL, 0 },
  { "%x = tt.call @nobody(%n) : (i32) -> i32", "undefined-function", 1 },
  { "%x = tt.call @g(%f) : (f32) -> i32", "call", 1 },
  { "%x = tt.call @g(%n) : (i32) -> f32", "call", 1 },
  { "%x = tt.call @g() : () -> i32", "call", 1 },
};

#define SIGNATURE                                                                                                                  \
  "tt.func private @g(%a: i32) -> i32 {\n  tt.return %a : i32\n}\n"                                                                \
  "tt.func public @f(%p: !tt.ptr<f32>, %pt: tensor<8x!tt.ptr<f32>>, %t: tensor<8xf32>, %m: tensor<4x8xf32>, %n: i32, %f: f32, "    \
  "%c: i1) {\n"
#define FIRST_LINE 5

static void
test_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strconcat (SIGNATURE, rows[i].body, "\ntt.return\n}\n", NULL);
      g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text);
      g_autoptr (TsStrings) strings = ts_strings_new ();
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = ts_ttir_parse (source, 0, strings, NULL, diags);
      g_autoptr (GString) said = g_string_new (NULL);
      gboolean valid;

      ts_diag_list_format (diags, FALSE, said);
      g_test_message ("%s\n%s", rows[i].body, said->str);
      g_assert_false (ts_diag_list_has_errors (diags));
      valid = ts_verify (module, TS_PROPERTY_TTIR_VALID, diags);
      g_assert_cmpint (valid, ==, rows[i].code == NULL);
      if (rows[i].code == NULL)
        continue;
      for (guint k = 0; k < ts_diag_list_length (diags); k++)
        {
          const TsDiag *diag = ts_diag_list_get (diags, k);

          if (diag->severity != TS_SEVERITY_ERROR)
            continue;
          g_assert_cmpstr (diag->code, ==, rows[i].code);
          g_assert_cmpuint (ts_source_place (diag->source, diag->span.offset).line, ==, FIRST_LINE - 1 + rows[i].line);
          break;
        }
    }
}

/* --- dominance ------------------------------------------------------------------------------------------------------------- */

#define BLOCKS 9

typedef struct
{
  guint to[BLOCKS][2];
} Flow;

static void
reach (const Flow *flow, guint block, guint without, gboolean *seen)
{
  if (block == without || seen[block])
    return;
  seen[block] = TRUE;
  for (guint i = 0; i < 2; i++)
    reach (flow, flow->to[block][i], without, seen);
}

/* By definition: every way from the entry to b leads through a, or there is none. */
static gboolean
dominates (const Flow *flow, guint a, guint b)
{
  gboolean seen[BLOCKS] = { FALSE }, seen_without[BLOCKS] = { FALSE };

  reach (flow, 0, BLOCKS, seen);
  reach (flow, 0, a, seen_without);
  return !seen[b] || (seen[a] && !seen_without[b]);
}

/* Every block defines a value and uses those of all others; the errors must be those that the definition asks for. */
static void
check_flow (const Flow *flow)
{
  g_autoptr (GString) text = g_string_new ("tt.func @f(%n: i32, %c: i1) {\n");
  g_autoptr (GHashTable) expected = g_hash_table_new (NULL, NULL);
  guint line = 2;

  for (guint b = 0; b < BLOCKS; b++)
    {
      g_string_append_printf (text, "^b%u:\n%%v%u = arith.addi %%n, %%n : i32\n", b, b);
      line += 2;
      for (guint a = 0; a < BLOCKS; a++, line++)
        {
          g_string_append_printf (text, "%%u%u_%u = arith.addi %%v%u, %%n : i32\n", a, b, a);
          if (a != b && !dominates (flow, a, b))
            g_hash_table_add (expected, GUINT_TO_POINTER (line));
        }
      g_string_append_printf (text, "cf.cond_br %%c, ^b%u, ^b%u\n", flow->to[b][0], flow->to[b][1]);
      line++;
    }
  g_string_append (text, "}\n");
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text->str);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsModule) module = ts_ttir_parse (source, 0, strings, NULL, diags);

  g_assert_cmpuint (ts_diag_list_length (diags), ==, 0);
  ts_verify (module, TS_PROPERTY_TTIR_VALID, diags);
  for (guint k = 0; k < ts_diag_list_length (diags); k++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, k);
      guint at = ts_source_place (diag->source, diag->span.offset).line;

      gboolean found = g_hash_table_remove (expected, GUINT_TO_POINTER (at));

      if (!found)
        g_test_message ("line %u of\n%s", at, text->str);
      g_assert_true (found);
      g_assert_cmpstr (diag->code, ==, "dominance");
    }
  g_assert_cmpuint (g_hash_table_size (expected), ==, 0);
}

static void
test_dominance (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint round = 0; round < 200; round++)
    {
      Flow flow;

      for (guint b = 0; b < BLOCKS; b++)
        for (guint i = 0; i < 2; i++)
          flow.to[b][i] = (guint) g_rand_int_range (random, round % 2 == 0 ? 0 : (gint32) MIN (b, BLOCKS - 2) / 2, BLOCKS);
      check_flow (&flow);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ttir/verify", test_rows);
  g_test_add_func ("/ttir/dominance", test_dominance);
  return g_test_run ();
}
