/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of properties and their verifiers. Source: spec passes-schedule section 8. */
#include "ir/verify.h"

#include "ir/deps.h"
#include "ir/verify-private.h"

static const char *const property_names[] = {
#define TS_PROPERTY(id, name) [TS_PROPERTY_##id] = name,
#include "ir/properties.def"
#undef TS_PROPERTY
};

static void
verify_in_out_use (TsVerifier *verifier)
{
  /* Dispatch functions hand their arguments on by name: they are exempt. */
  if (verifier->function->type == TS_FUNCTION_GROUP || verifier->function->type == TS_FUNCTION_SPMD)
    return;
  if (!ts_check_inout_use (verifier->module, verifier->function, verifier->diags))
    verifier->n_errors++;
}

/* `rule` is what diagnostics say, where it is not the property's name. A property without a row is only a name that passes declare;
 * NoRedundantBlocks is one: this IR has no sequences within sequences. */
static const struct
{
  TsProperty       property;
  const char      *rule;
  TsVerifyFunction verify;
} verifiers[] = {
  { TS_PROPERTY_SSA_FORM, "SSAVerify", ts_verify_ssa_form },
  { TS_PROPERTY_YIELDS_VALID, "SSAVerify", ts_verify_yields_valid },
  { TS_PROPERTY_USE_AFTER_DEF, "UseAfterDefCheck", ts_verify_use_after_def },
  { TS_PROPERTY_TYPE_CHECKED, NULL, ts_verify_type_checked },
  { TS_PROPERTY_NO_NESTED_CALLS, "NoNestedCall", ts_verify_no_nested_calls },
  { TS_PROPERTY_NORMALIZED_STMT_STRUCTURE, NULL, ts_verify_normalized },
  { TS_PROPERTY_BREAK_CONTINUE_VALID, "BreakContinueCheck", ts_verify_break_continue },
  { TS_PROPERTY_IN_OUT_USE_VALID, "InOutUseDiscipline", verify_in_out_use },
  { TS_PROPERTY_PIPELINE_LOOP_VALID, NULL, ts_verify_pipeline_loop_valid },
  { TS_PROPERTY_PIPELINE_RESOLVED, NULL, ts_verify_pipeline_resolved },
  { TS_PROPERTY_UNROLL_RESOLVED, NULL, ts_verify_unroll_resolved },
  { TS_PROPERTY_LOAD_TARGET_VALID, NULL, ts_verify_load_target },
  { TS_PROPERTY_HAS_MEM_REFS, NULL, ts_verify_has_mem_refs },
  { TS_PROPERTY_IN_PLACE_TILES, NULL, ts_verify_in_place_tiles },
  { TS_PROPERTY_ALLOCATED_MEMORY_ADDR, NULL, ts_verify_allocated_memory_addr },
  { TS_PROPERTY_TTIR_VALID, NULL, ts_verify_ttir },
};

static gint
find_verifier (TsProperty property)
{
  for (guint i = 0; i < G_N_ELEMENTS (verifiers); i++)
    if (verifiers[i].property == property)
      return (gint) i;
  return -1;
}

const char *
ts_property_name (TsProperty property)
{
  return property_names[property];
}

gboolean
ts_property_is_verifiable (TsProperty property)
{
  return find_verifier (property) >= 0;
}

void
ts_verifier_error (TsVerifier *verifier, const TsOp *op, const char *code, const char *format, ...)
{
  verifier->n_errors++;
  if (verifier->diags == NULL)
    return;
  const TsOp *placed = op; /* what is implied stands where what is around it does */
  while (placed != NULL && ts_span_is_none (placed->span))
    placed = placed->block != NULL ? placed->block->region->op : NULL;
  TsSpan span = placed != NULL ? placed->span : verifier->function->span;
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  TsDiag *diag = ts_diag_add (verifier->diags, TS_SEVERITY_ERROR, code, ts_module_source (verifier->module, span), span,
                              "%s (function '%s')", message, verifier->function->name);
  g_free (diag->rule);
  diag->rule = g_strdup (verifier->rule);
  g_free (diag->function);
  diag->function = g_strdup (verifier->function->name);
  diag->op = op != NULL ? op->id : -1;
}

static gboolean
verify_function (const TsModule *module, const TsFunction *function, TsProperty property, const gint64 *capacity, TsDiagList *diags)
{
  gint row = find_verifier (property);
  if (row < 0 || function->body_kind != TS_BODY_STATEMENTS)
    return TRUE;
  TsVerifier verifier = { .module = module, .function = function, .capacity = capacity, .diags = diags };
  verifier.rule = verifiers[row].rule != NULL ? verifiers[row].rule : ts_property_name (property);
  verifiers[row].verify (&verifier);
  return verifier.n_errors == 0;
}

gboolean
ts_verify_function (const TsModule *module, const TsFunction *function, TsProperty property, TsDiagList *diags)
{
  return verify_function (module, function, property, NULL, diags);
}

static gboolean
verify_all (const TsModule *module, TsProperty property, const gint64 *capacity, TsDiagList *diags)
{
  gboolean holds = TRUE;
  for (guint i = 0; i < module->n_functions; i++)
    holds &= verify_function (module, module->functions[i], property, capacity, diags);
  return holds;
}

gboolean
ts_verify (const TsModule *module, TsProperty property, TsDiagList *diags)
{
  return verify_all (module, property, NULL, diags);
}

/* Two definitions of one variable: code 1 of SSAForm. */
static gboolean
is_before_ssa (const TsModule *module, const TsFunction *function)
{
  g_autoptr (TsDiagList) faults = ts_diag_list_new ();
  verify_function (module, function, TS_PROPERTY_SSA_FORM, NULL, faults);
  for (guint i = 0; i < ts_diag_list_length (faults); i++)
    if (g_strcmp0 (ts_diag_list_get (faults, i)->code, "1") == 0)
      return TRUE;
  return FALSE;
}

gboolean
ts_verify_printed (const TsModule *module, TsPropertySet verified, TsDiagList *diags)
{
  const TsPropertySet ssa = TS_PROPERTY_BIT (TS_PROPERTY_SSA_FORM) | TS_PROPERTY_BIT (TS_PROPERTY_NO_NESTED_CALLS);
  gboolean holds = TRUE;
  for (guint f = 0; f < module->n_functions; f++)
    {
      const TsFunction *function = module->functions[f];
      TsPropertySet set = is_before_ssa (module, function) ? TS_PROPERTY_BIT (TS_PROPERTY_YIELDS_VALID) : ssa;
      for (guint i = 0; i < TS_N_PROPERTIES; i++)
        if ((set & ~verified & TS_PROPERTY_BIT (i)) != 0)
          holds &= verify_function (module, function, i, NULL, diags);
    }
  return holds;
}

gboolean
ts_verify_set (const TsModule *module, TsPropertySet set, const gint64 *capacity, TsDiagList *diags)
{
  gboolean holds = TRUE;
  for (guint i = 0; i < TS_N_PROPERTIES; i++)
    if ((set & TS_PROPERTY_BIT (i)) != 0 && !verify_all (module, i, capacity, diags))
      holds = FALSE;
  return holds;
}
