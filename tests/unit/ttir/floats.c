/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floats of Triton IR: bits, text, and back. Source: spec ttir section 8. */
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "ir/compare.h"
#include "lang/ttir/float-text.h"
#include "lang/ttir/ttir.h"

static TsModule *
parse (const char *text, TsDiagList *diags)
{
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();

  return ts_ttir_parse (source, 0, strings, NULL, diags);
}

static void
test_floats (void)
{
  static const struct { double value; TsDtype dtype; const char *text;
  } rows[] = {
    { 0.1, TS_DTYPE_FP32, "1.000000e-01" },      { 0.127517432, TS_DTYPE_FP32, "0.127517432" },
    { 16777216.0, TS_DTYPE_FP32, "0x4B800000" }, { 1.0, TS_DTYPE_BF16, "1.000000e+00" },
    { 65504.0, TS_DTYPE_FP16, "6.550400e+04" },  { 1.0 / 0.0, TS_DTYPE_FP16, "0x7C00" },
    { -0.0, TS_DTYPE_FP32, "-0.000000e+00" },    { 0.1, TS_DTYPE_FP64, "1.000000e-01" },
    /* as MLIR lays digits out */
    { 1.2345678e-6, TS_DTYPE_FP32, "1.23456778E-6" },
    { -0.00127517432, TS_DTYPE_FP32, "-0.00127517432" },
    { 0.000127517432, TS_DTYPE_FP32, "1.27517429E-4" },
    { 1234567040.0, TS_DTYPE_FP32, "1.23456704E+9" },
    { 1234.56789, TS_DTYPE_FP32, "1234.56787" },
    { 1.4426950408889634, TS_DTYPE_FP64, "1.4426950408889634" },
    { 123456789.0, TS_DTYPE_FP64, "0x419D6F3454000000" },
    { 1.0e300, TS_DTYPE_FP64, "1.000000e+300" },
    { 5.0e-324, TS_DTYPE_FP64, "4.940660e-324" },
    /* what the type makes of it */
    { 1e30, TS_DTYPE_FP16, "0x7C00" },
    { -1e39, TS_DTYPE_BF16, "0xFF80" },
    { 448.0, TS_DTYPE_FP8E4M3FN, "4.480000e+02" },
    { 1000.0, TS_DTYPE_FP8E4M3FN, "0x7F" },
    { -1.0 / 0.0, TS_DTYPE_FP8E5M2, "0xFC" },
    { 100.0, TS_DTYPE_FP4, "6.000000e+00" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GString) out = g_string_new (NULL);

      tt_append_float (out, rows[i].value, rows[i].dtype);
      g_assert_cmpstr (out->str, ==, rows[i].text);
    }
}

/* Every pattern of the small formats, numbers or not, is the same after value and text. */
static void
test_float_patterns (void)
{
  static const TsDtype dtypes[]
      = { TS_DTYPE_FP16, TS_DTYPE_BF16, TS_DTYPE_FP8E4M3FN, TS_DTYPE_FP8E5M2, TS_DTYPE_FP8E8M0, TS_DTYPE_FP4 };

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    for (guint64 bits = 0; bits < (G_GUINT64_CONSTANT (1) << tt_float_bits (dtypes[i])); bits++)
      {
        double value = tt_float_from_bits (bits, dtypes[i]);
        g_autoptr (GString) out = g_string_new (NULL);

        g_assert_cmphex (tt_float_to_bits (value, dtypes[i]), ==, bits);
        tt_append_float (out, value, dtypes[i]);
        if (g_str_has_prefix (out->str, "0x"))
          g_assert_cmphex (g_ascii_strtoull (out->str + 2, NULL, 16), ==, bits);
        else
          g_assert_cmphex (tt_float_to_bits (g_ascii_strtod (out->str, NULL), dtypes[i]), ==, bits);
      }
}

/* Random patterns of the wide formats through reader and printer: equal and stable. */
static void
test_float_round_trip (void)
{
  static const TsDtype dtypes[] = { TS_DTYPE_FP32, TS_DTYPE_FP64 };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  g_autoptr (GString) body = g_string_new (NULL);

  for (guint i = 0; i < 4000; i++)
    {
      TsDtype dtype = dtypes[i % 2];
      guint64 bits = ((guint64) g_rand_int (random) << 32) | g_rand_int (random);

      if (i % 4 < 2) /* near what people write: few digits */
        bits = tt_float_to_bits (g_rand_double (random) * (i % 8 < 4 ? 1000 : 1e-3), dtype);
      g_string_append_printf (body, "%s%%%u = arith.constant 0x%" G_GINT64_MODIFIER "X : %s", i > 0 ? "\n" : "", i,
                              dtype == TS_DTYPE_FP32 ? bits & G_MAXUINT32 : bits, ts_dtype_ttir_name (dtype));
    }
  g_autofree char *text = g_strdup_printf ("tt.func public @f() {\n%s\n  tt.return\n}\n", body->str);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsModule) module = parse (text, diags);
  g_autofree char *once = ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  g_autoptr (TsModule) again = parse (once, diags);
  g_autofree char *twice = ts_ttir_print (again, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  g_autoptr (GPtrArray) differences = ts_module_compare (module, again, TS_COMPARE_DEFAULT);

  g_assert_cmpuint (ts_diag_list_length (diags), ==, 0);
  g_assert_cmpuint (differences->len, ==, 0);
  g_assert_cmpstr (once, ==, twice);
}

/* A byte order mark is no part of the text; anywhere else it is an error. */
static void
test_byte_order_mark (void)
{
  static const char text[] = "\xef\xbb\xbftt.func public @f() {\n  tt.return\n}\n";
  static const char aliased[] = "\xef\xbb\xbf#loc = loc(unknown)\ntt.func public @f() {\n  tt.return loc(#loc)\n}\n";
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsModule) module = parse (text, diags);
  g_autoptr (TsModule) plain = parse (text + 3, diags);
  g_autoptr (TsModule) named = parse (aliased, diags);
  g_autoptr (GPtrArray) differences = ts_module_compare (module, plain, TS_COMPARE_DEFAULT);

  g_assert_cmpuint (ts_diag_list_length (diags), ==, 0);
  g_assert_cmpuint (differences->len, ==, 0);
  g_assert_cmpuint (named->n_functions, ==, 1);
  g_autoptr (TsModule) inside = parse ("tt.func public @f() {\n\xef\xbb\xbf  tt.return\n}\n", diags);
  g_assert_cmpuint (ts_diag_list_length (diags), >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ttir/floats", test_floats);
  g_test_add_func ("/ttir/float-patterns", test_float_patterns);
  g_test_add_func ("/ttir/float-round-trip", test_float_round_trip);
  g_test_add_func ("/ttir/byte-order-mark", test_byte_order_mark);
  return g_test_run ();
}
