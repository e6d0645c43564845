/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of reading, verifying, optimising and printing Triton IR over a module that grows: `ttir [MEGABYTES]`. */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "lang/ttir/ttir.h"
#include "passes/pass.h"

/* One function with `n` groups of address arithmetic, a load, element-wise work and a store. */
static char *
make_module (guint n)
{
  GString *out = g_string_new ("module {\n");

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
  g_string_append (out, "}\n");
  return g_string_free (out, FALSE);
}

static double
since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / 1000.0;
}

static void
measure (guint n)
{
  g_autofree char *text = make_module (n), *printed = NULL;
  g_autoptr (TsSource) source = ts_source_new_text ("big.ttir", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, NULL);
  const TsPassInfo *pass = ts_pass_find ("graph-optimize");
  TsPassContext context = { .pass_name = pass->name, .machine = machine, .diags = diags };
  gint64 start = g_get_monotonic_time ();
  g_autoptr (TsModule) module = ts_ttir_parse (source, 0, strings, NULL, diags);
  double parse = since (start), verify, optimise, print;

  start = g_get_monotonic_time ();
  ts_verify (module, TS_PROPERTY_TTIR_VALID, diags);
  verify = since (start);
  start = g_get_monotonic_time ();
  pass->run (&context, module);
  optimise = since (start);
  start = g_get_monotonic_time ();
  printed = ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  print = since (start);
  g_print ("%6.2f MB  parse %7.1f ms  verify %7.1f ms  optimise %7.1f ms  print %7.1f ms  together %7.1f ms  arena %.1f bytes per "
           "byte\n",
           (double) strlen (text) / 1e6, parse, verify, optimise, print, parse + verify + optimise + print,
           (double) ts_arena_bytes (module->arena) / (double) strlen (text));
}

int
main (int argc, char **argv)
{
  guint steps[] = { 1000, 4000, 12000, 48000 };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    measure (steps[i]);
  return 0;
}
