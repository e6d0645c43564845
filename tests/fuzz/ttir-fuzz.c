/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target of Triton IR: any bytes are read, verified, optimised, simulated and printed without harm, and what reads
 * without errors prints to a text that reads and prints the same again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ir/compare.h"
#include "lang/ttir/ttir.h"
#include "passes/pass.h"
#include "sim/simulate.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static TsModule *
read_text (TsSource *source, TsStrings *strings, gboolean *has_errors)
{
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (GString) said = g_string_new (NULL);
  TsModule *module = ts_ttir_parse (source, TS_TTIR_ALL_SECTIONS, strings, NULL, diags);

  *has_errors = ts_diag_list_has_errors (diags);
  ts_diag_list_format (diags, TS_DIAGS_DETAILS, said);
  return module;
}

static void
check_round_trip (const TsModule *module, TsStrings *strings)
{
  g_autofree char *first = ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  g_autofree char *second = NULL;
  g_autoptr (TsSource) source = ts_source_new_text ("printed.ttir", first);
  g_autoptr (GPtrArray) differences = NULL;
  gboolean has_errors;
  g_autoptr (TsModule) again = read_text (source, strings, &has_errors);

  if (again == NULL || has_errors)
    abort ();
  second = ts_ttir_print (again, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
  if (strcmp (first, second) != 0)
    abort ();
  differences = ts_module_compare (module, again, TS_COMPARE_DEFAULT);
  if (differences->len > 0)
    abort ();
}

/* What verifies before the pass must verify behind it. */
static void
check_pass (const TsModule *module)
{
  g_autoptr (TsModule) copy = ts_module_clone (module);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsMachine) machine = ts_machine_load ("teaching", NULL, NULL);
  const TsPassInfo *pass = ts_pass_find ("graph-optimize");
  TsPassContext context = { .pass_name = pass->name, .machine = machine, .diags = diags };
  g_autofree char *text = NULL;

  if (!ts_verify (copy, TS_PROPERTY_TTIR_VALID, diags))
    return;
  if (pass->run (&context, copy) != TS_PASS_FAILED && !ts_verify (copy, TS_PROPERTY_TTIR_VALID, diags))
    abort ();
  text = ts_ttir_print (copy, TS_TTIR_LOCATIONS_INLINE, NULL, NULL);
}

/* Every function that claims to be simulated, within a bound: of instructions, and as many statements again without one. */
static void
check_simulation (const TsModule *module)
{
  g_autoptr (TsMachine) machine = ts_machine_load ("teaching", NULL, NULL);
  TsSimOptions options = { .max_instructions = 2000 };

  for (guint i = 0; i < module->n_functions && i < 8; i++)
    if (ts_simulate_can (module, module->functions[i], NULL))
      {
        g_autoptr (TsSimulation) s = ts_simulate (module, module->functions[i], machine, &options, NULL, NULL);
        if (s != NULL && s->stream->steps > 2 * options.max_instructions)
          abort ();
      }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (TsSource) source = ts_source_new ("input.ttir", bytes);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsModule) module = NULL;
  gboolean has_errors;

  ts_ttir_recognise ((const char *) data, size);
  module = read_text (source, strings, &has_errors);
  if (module != NULL && !has_errors)
    {
      check_round_trip (module, strings);
      check_pass (module);
      check_simulation (module);
    }
  return 0;
}
