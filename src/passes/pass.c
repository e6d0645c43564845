/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every pass shares: reporting, cancelling, names of planners. */
#include "passes/pass.h"

static const char *const planner_names[TS_N_PLANNERS] = {
  [TS_PLANNER_PYPTO] = "pypto",
  [TS_PLANNER_PTOAS] = "ptoas",
  [TS_PLANNER_DSA_RP] = "dsa-rp",
};

const char *
ts_planner_name (TsPlanner planner)
{
  return planner_names[planner];
}

gboolean
ts_planner_from_name (const char *name, TsPlanner *out)
{
  for (guint i = 0; i < TS_N_PLANNERS; i++)
    if (g_strcmp0 (name, planner_names[i]) == 0)
      {
        *out = i;
        return TRUE;
      }
  return FALSE;
}

static TsDiag *
report (TsPassContext *context, const TsModule *module, const TsOp *op, TsSeverity severity, const char *rule, const char *code,
        const char *format, va_list args)
{
  TsSpan span = op != NULL ? op->span : TS_SPAN_NONE;
  TsDiag *diag = ts_diag_add_valist (context->diags, severity, code, ts_module_source (module, span), span, format, args);
  if (diag->rule == NULL)
    diag->rule = g_strdup (rule);
  if (op != NULL)
    {
      const TsFunction *function = ts_op_function (op);
      diag->op = op->origin.op;
      if (function != NULL && diag->function == NULL)
        diag->function = g_strdup (function->name);
    }
  return diag;
}

/* At the function as a whole: where its head stands. */
static TsDiag *
report_function (TsPassContext *context, const TsModule *module, const TsFunction *function, TsSeverity severity, const char *code,
                 const char *format, va_list args)
{
  TsDiag *diag = ts_diag_add_valist (context->diags, severity, code, ts_module_source (module, function->span), function->span,
                                     format, args);

  g_free (diag->rule);
  diag->rule = g_strdup (context->pass_name);
  g_free (diag->function);
  diag->function = g_strdup (function->name);
  return diag;
}

TsPassResult
ts_pass_fail_function (TsPassContext *context, const TsModule *module, const TsFunction *function, const char *code,
                       const char *format, ...)
{
  va_list args;
  va_start (args, format);
  report_function (context, module, function, TS_SEVERITY_ERROR, code, format, args);
  va_end (args);
  return TS_PASS_FAILED;
}

void
ts_pass_note_function (TsPassContext *context, const TsModule *module, const TsFunction *function, const char *code,
                       const char *format, ...)
{
  va_list args;
  va_start (args, format);
  report_function (context, module, function, TS_SEVERITY_NOTE, code, format, args);
  va_end (args);
}

TsPassResult
ts_pass_fail (TsPassContext *context, const TsModule *module, const TsOp *op, const char *code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  report (context, module, op, TS_SEVERITY_ERROR, context->pass_name, code, format, args);
  va_end (args);
  return TS_PASS_FAILED;
}

TsDiag *
ts_pass_report (TsPassContext *context, const TsModule *module, const TsOp *op, TsSeverity severity, const char *rule,
                const char *code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  TsDiag *diag = report (context, module, op, severity, rule != NULL ? rule : context->pass_name, code, format, args);
  va_end (args);
  return diag;
}

gboolean
ts_pass_cancelled (const TsPassContext *context)
{
  return g_cancellable_is_cancelled (context->cancellable);
}
