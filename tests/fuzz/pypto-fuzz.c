/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target of the kernel language: any bytes are read without harm, and what reads without errors prints to a text that
 * reads and prints the same again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lang/pypto/pypto.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static TsModule *
read_text (TsSource *source, TsStrings *strings, TsPyptoMode mode, gboolean *has_errors)
{
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (GString) said = g_string_new (NULL);
  TsPyptoOptions options = { .mode = mode };
  TsModule *module = ts_pypto_parse (source, strings, &options, diags);

  *has_errors = ts_diag_list_has_errors (diags);
  ts_diag_list_format (diags, TRUE, said);
  return module;
}

static void
check_round_trip (const TsModule *module, TsStrings *strings)
{
  g_autofree char *first = ts_pypto_print (module, NULL, NULL);
  g_autofree char *second = NULL;
  g_autoptr (TsSource) source = ts_source_new_text ("printed.py", first);
  g_autoptr (TsModule) again = NULL;
  gboolean has_errors;

  again = read_text (source, strings, TS_PYPTO_DUMP, &has_errors);
  if (again == NULL || has_errors)
    abort ();
  second = ts_pypto_print (again, NULL, NULL);
  if (strcmp (first, second) != 0)
    abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (TsSource) source = ts_source_new ("input.py", bytes);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (GArray) entries = NULL;
  g_autoptr (TsModule) module = NULL;
  gboolean has_errors;

  ts_pypto_recognise ((const char *) data, size);
  entries = ts_pypto_list_entries (source, strings);
  module = read_text (source, strings, TS_PYPTO_AUTO, &has_errors);
  if (module != NULL && !has_errors)
    check_round_trip (module, strings);
  return 0;
}
