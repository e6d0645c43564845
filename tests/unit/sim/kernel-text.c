/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels as text, simulated. */
#include "kernel-text.h"

#include "lang/ttir/ttir.h"

#include <string.h>

static TsModule *
checked (TsModule *module, const TsDiagList *diags, const char *text)
{
  if (ts_diag_list_has_errors (diags) || module == NULL)
    {
      g_autoptr (GString) out = g_string_new (NULL);
      ts_diag_list_format (diags, TRUE, out);
      g_error ("%s\n%s", out->str, text);
    }
  return module;
}

TsModule *
kernel_module (const char *text)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("kernel.py", text);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };

  return checked (ts_pypto_parse (source, strings, &options, diags), diags, text);
}

TsModule *
kernel_ttir (const char *text)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("kernel.ttir", text);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();

  return checked (ts_ttir_parse (source, 0, strings, NULL, diags), diags, text);
}

TsModule *
kernel_body (const char *params, const char *body)
{
  g_autoptr (GString) text = g_string_new ("# pypto.program: Kernel\nimport pypto.language as pl\n\n@pl.program\nclass Kernel:\n"
                                           "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, "
                                           "role=pl.Role.SubWorker)\n    def main(x: pl.Tensor[[4096, 128], pl.FP32], "
                                           "y: pl.Tensor[[4096, 128], pl.FP32], z: pl.Out[pl.Tensor[[4096, 128], pl.FP32]]");
  g_auto (GStrv) lines = g_strsplit (body, "\n", -1);

  if (params != NULL)
    g_string_append_printf (text, ", %s", params);
  g_string_append (text, "):\n");
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      g_string_append_printf (text, "        %s\n", lines[i]);
  return kernel_module (text->str);
}

TsSimulation *
kernel_simulate (TsModule *module, const char *function, const char *machine, const char *overrides, const TsSimOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) list = g_strsplit (overrides != NULL ? overrides : "", " ", -1);
  g_autoptr (TsMachine) m = ts_machine_load (machine != NULL ? machine : "teaching",
                                             overrides != NULL ? (const char *const *) list : NULL, &error);
  g_assert_no_error (error);
  TsSimulation *s = ts_simulate (module, ts_module_find_function (module, function), m, options, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (s);
  return s;
}

guint
kernel_count (const TsSimulation *simulation, const char *code)
{
  guint n = 0;

  for (guint i = 0; i < ts_diag_list_length (simulation->diags); i++)
    n += strcmp (ts_diag_list_get (simulation->diags, i)->code, code) == 0;
  return n;
}

const char *
kernel_message (const TsSimulation *simulation, const char *code)
{
  for (guint i = 0; i < ts_diag_list_length (simulation->diags); i++)
    if (strcmp (ts_diag_list_get (simulation->diags, i)->code, code) == 0)
      return ts_diag_list_get (simulation->diags, i)->message;
  return "";
}
