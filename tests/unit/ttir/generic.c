/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known operations in generic form with anything in them: operands, regions, results, types and properties that do not belong
 * together, and names of odd bytes. What reads without errors prints to a text that reads as the same module and prints the same
 * again. Source: spec ttir sections 2 and 8. */
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "ir/compare.h"
#include "ir/op-info.h"
#include "lang/ttir/ttir.h"

/* So many texts, and so many of them at least must be ones that read, or the test would say nothing. */
#define N_TEXTS 2000
#define MIN_READ 1000
/* Triton IR's rows are the last of the table. */
#define FIRST_OP TS_OP_ARITH_ADDI

static const struct { const char *name, *type; } params[] = {
  { "%n", "i32" }, { "%m", "i32" }, { "%c", "i1" }, { "%i", "index" }, { "%w", "i64" }, { "%x", "f32" }, { "%t", "tensor<8xf32>" },
  { "%p", "!tt.ptr<f32>" }, { "%q", "tensor<8x!tt.ptr<f32>>" }, { "%b", "!tt.ptr<tensor<4x4xf32>>" },
};
static const char *const types[] = { "i32", "i1", "i64", "index", "f32", "tensor<8xf32>", "tensor<8xi1>", "!tt.ptr<f32>",
                                     "tensor<8x!tt.ptr<f32>>", "!tt.ptr<tensor<4x4xf32>>", "tensor<*xf32>", "none", "!a.b" };
static const char *const keys[] = { "value", "predicate", "axis", "overflowFlags", "fastmath", "operandSegmentSizes", "callee",
                                    "static_offsets", "static_sizes", "static_strides", "cache", "evict", "isVolatile",
                                    "boundaryCheck", "order", "branch_weights", "unsignedCmp", "atomic_rmw_op", "sem", "scope",
                                    "message", "prefix", "reverse", "propagateNan", "text", "\"odd key\"" };
static const char *const values[] = { "0 : i32", "1 : i32", "2 : i64", "1 : index", "77 : i64", "65535 : i32", "true", "\"s\\0A\"",
                                      "@h", "@\"h h\"", "@h::@g", "array<i32: 1>", "array<i64: 8>", "array<i32: 1, 0, 1>",
                                      "array<i64: 1, 0, 1>", "array<i64: -9223372036854775808>", "array<i64>", "[0]", "[1, 2]",
                                      "dense<1> : tensor<8xi32>", "dense<0.0> : tensor<8xf32>", "#arith.overflow<nsw>",
                                      "#arith.overflow<none>", "#arith.fastmath<fast>", "1.0 : f32", "i32", "{a = 1 : i32}" };
static const char *const odd_bytes[] = { "a", ".", "\\22", "\\5C", "\\0A", "\\0E", "\xc3\xa9", " ", "-" };
static const char *const ends[] = { "", "", "\"scf.yield\"() : () -> ()\n", "\"scf.yield\"() {a} : () -> ()\n",
                                    "\"scf.yield\"() : () -> ()\n\"scf.yield\"() : () -> ()\n", "tt.return\n",
                                    "\"scf.condition\"(%c) : (i1) -> ()\n", "\"tt.reduce.return\"() : () -> ()\n",
                                    "scf.yield %n : i32\n" };

#define ANY(rand, list) list[g_rand_int_range (rand, 0, G_N_ELEMENTS (list))]

typedef struct
{
  GRand   *rand;
  GString *out;
  guint    n_names; /* of values and blocks, so that none comes twice */
} Writer;

static guint
less_than (Writer *w, guint n)
{
  return (guint) g_rand_int_range (w->rand, 0, (gint32) n);
}

static void
append_dict (Writer *w, const char *before, const char *after)
{
  guint n = less_than (w, 4), first = less_than (w, G_N_ELEMENTS (keys));

  if (n == 0)
    return;
  g_string_append (w->out, before);
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (w->out, "%s%s", i > 0 ? ", " : "", keys[(first + i) % G_N_ELEMENTS (keys)]);
      if (less_than (w, 8) > 0)
        g_string_append_printf (w->out, " = %s", ANY (w->rand, values));
    }
  g_string_append (w->out, after);
}

static void append_op (Writer *w, guint depth);

static void
append_region (Writer *w, guint depth)
{
  guint n_args = less_than (w, 3);

  g_string_append (w->out, "{\n");
  if (less_than (w, 2) > 0)
    {
      g_string_append_printf (w->out, "^b%u", w->n_names++);
      for (guint i = 0; i < n_args; i++)
        g_string_append_printf (w->out, "%s%%v%u: %s%s", i > 0 ? ", " : "(", w->n_names++, ANY (w->rand, types),
                                i + 1 == n_args ? ")" : "");
      g_string_append (w->out, ":\n");
    }
  if (less_than (w, 2) > 0)
    append_op (w, depth + 1);
  g_string_append_printf (w->out, "%s}", ANY (w->rand, ends));
}

static void
append_name (Writer *w)
{
  if (less_than (w, 10) == 0)
    for (guint i = 0; i < 3; i++)
      g_string_append (w->out, ANY (w->rand, odd_bytes));
  else
    g_string_append (w->out, ts_op_info ((TsOpCode) (FIRST_OP + less_than (w, TS_OP_UNKNOWN - FIRST_OP)))->name);
}

/* `scf.for` and its like have regions more often than others. */
static guint
regions_of (Writer *w, const char *name, guint depth)
{
  static const char *const structural[] = { "scf.for", "scf.if", "scf.while", "tt.reduce", "tt.scan" };

  for (guint i = 0; i < G_N_ELEMENTS (structural); i++)
    if (strcmp (name, structural[i]) == 0)
      return depth < 2 ? less_than (w, 4) : 0;
  return depth < 2 && less_than (w, 16) == 0;
}

static void
append_op (Writer *w, guint depth)
{
  static const char *const structural[]
      = { "scf.for", "scf.if",  "scf.while", "scf.yield", "scf.condition", "tt.reduce",
          "tt.scan", "tt.return", "tt.call",   "cf.br",     "cf.cond_br" };
  guint n_operands = less_than (w, 5), n_results = less_than (w, 3), start, n_regions;
  guint operands[5], shared = less_than (w, G_N_ELEMENTS (params));
  gboolean same = less_than (w, 2) > 0;
  g_autofree char *name = NULL;

  for (guint i = 0; i < n_operands; i++)
    operands[i] = same ? shared : less_than (w, G_N_ELEMENTS (params));
  if (n_results > 0)
    g_string_append_printf (w->out, "%%v%u:%u = ", w->n_names++, n_results);
  g_string_append_c (w->out, '"');
  start = (guint) w->out->len;
  if (less_than (w, 3) == 0)
    g_string_append (w->out, ANY (w->rand, structural));
  else
    append_name (w);
  name = g_strdup (w->out->str + start);
  g_string_append (w->out, "\"(");
  for (guint i = 0; i < n_operands; i++)
    g_string_append_printf (w->out, "%s%s", i > 0 ? ", " : "", params[operands[i]].name);
  g_string_append_c (w->out, ')');
  if (depth == 0 && less_than (w, 12) == 0)
    g_string_append (w->out, less_than (w, 2) > 0 ? "[^end, ^end]" : "[^end]");
  append_dict (w, " <{", "}>");
  n_regions = regions_of (w, name, depth);
  for (guint i = 0; i < n_regions; i++)
    {
      g_string_append (w->out, i > 0 ? ", " : " (");
      append_region (w, depth);
    }
  if (n_regions > 0)
    g_string_append_c (w->out, ')');
  append_dict (w, " {", "}");
  g_string_append (w->out, " : (");
  for (guint i = 0; i < n_operands; i++)
    g_string_append_printf (w->out, "%s%s", i > 0 ? ", " : "", params[operands[i]].type);
  g_string_append (w->out, ") -> (");
  for (guint i = 0; i < n_results; i++)
    g_string_append_printf (w->out, "%s%s", i > 0 ? ", " : "", same && n_operands > 0 ? params[shared].type : ANY (w->rand, types));
  g_string_append (w->out, ")\n");
}

static char *
random_text (guint32 seed)
{
  Writer w = { g_rand_new_with_seed (seed), g_string_new ("tt.func public @k("), 0 };

  for (guint i = 0; i < G_N_ELEMENTS (params); i++)
    g_string_append_printf (w.out, "%s%s: %s", i > 0 ? ", " : "", params[i].name, params[i].type);
  g_string_append (w.out, ") {\n");
  append_op (&w, 0);
  g_string_append (w.out, "cf.br ^end\n^end:\ntt.return\n}\n");
  g_rand_free (w.rand);
  return g_string_free (w.out, FALSE);
}

static TsModule *
parse (const char *text, TsStrings *strings, TsDiagList *diags)
{
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text);

  return ts_ttir_parse (source, 0, strings, NULL, diags);
}

/* FALSE: the text has errors, and there is nothing to print. */
static gboolean
check_round_trip (const char *text)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new (), no_diags = ts_diag_list_new ();
  g_autoptr (TsModule) module = parse (text, strings, diags), again = NULL;
  g_autoptr (GPtrArray) differences = NULL;
  g_autofree char *first = NULL, *second = NULL;

  if (module == NULL || ts_diag_list_has_errors (diags))
    return FALSE;
  first = ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  again = parse (first, strings, no_diags);
  if (again == NULL || ts_diag_list_has_errors (no_diags))
    g_error ("not read again:\n%s\nprinted:\n%s", text, first);
  second = ts_ttir_print (again, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  g_assert_cmpstr (first, ==, second);
  differences = ts_module_compare (module, again, TS_COMPARE_DEFAULT);
  if (differences->len > 0)
    g_error ("%s:\n%s\nprinted:\n%s", ((TsDifference *) differences->pdata[0])->reason, text, first);
  return TRUE;
}

static void
test_round_trip (void)
{
  guint n_read = 0;

  for (guint32 seed = 0; seed < N_TEXTS; seed++)
    {
      g_autofree char *text = random_text (seed);

      n_read += check_round_trip (text);
    }
  g_test_message ("%u of %u texts read", n_read, N_TEXTS);
  g_assert_cmpuint (n_read, >=, MIN_READ);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ttir/generic/round-trip", test_round_trip);
  return g_test_run ();
}
