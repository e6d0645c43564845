/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics of verifiers as one text. */
#include "ir/report.h"

static void
append_place (const TsDiag *diag, GString *out)
{
  if (diag->source == NULL)
    {
      g_string_append (out, "no place");
      return;
    }
  g_string_append (out, ts_source_name (diag->source));
  if (ts_span_is_none (diag->span))
    return;
  TsPlace place = ts_source_place (diag->source, diag->span.offset);
  g_string_append_printf (out, ":%u:%u", place.line, place.column);
}

void
ts_verify_report (const TsDiagList *diags, GString *out)
{
  guint errors = ts_diag_list_count (diags, TS_SEVERITY_ERROR), warnings = ts_diag_list_count (diags, TS_SEVERITY_WARNING);
  guint number = 0;

  g_string_append_printf (out, "IR Verification Report\n%u error%s, %u warning%s\n\n", errors, errors == 1 ? "" : "s", warnings,
                          warnings == 1 ? "" : "s");
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, i);
      if (diag->detail)
        g_string_append_printf (out, "%s\n", diag->message);
      if (diag->severity == TS_SEVERITY_NOTE)
        continue;
      g_string_append_printf (out, "%u. %s: %s: %s\n   ", ++number, ts_severity_name (diag->severity),
                              diag->rule != NULL ? diag->rule : "-", diag->message);
      append_place (diag, out);
      g_string_append_printf (out, " [%s]\n", diag->code);
    }
  if (errors + warnings > number)
    g_string_append_printf (out, "... and %u more\n", errors + warnings - number);
  g_string_append_printf (out, "%sStatus: %s\n", number > 0 ? "\n" : "", errors > 0 ? "failed" : "passed");
}
