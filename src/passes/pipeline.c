/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs passes over clones of a module, verifies between them, and keeps what each left. */
#include "passes/pipeline.h"

#include "ir/hints.h"
#include "ir/nested-calls.h"
#include "passes/compiler-order.h"

/* Properties that hold of every module, whatever passes it has seen. Source: spec passes-schedule section 9. */
#define STRUCTURAL                                                                                                          \
  (TS_PROPERTY_BIT (TS_PROPERTY_TYPE_CHECKED) | TS_PROPERTY_BIT (TS_PROPERTY_BREAK_CONTINUE_VALID)                          \
   | TS_PROPERTY_BIT (TS_PROPERTY_NO_REDUNDANT_BLOCKS) | TS_PROPERTY_BIT (TS_PROPERTY_IN_OUT_USE_VALID))
/* What TS_VERIFY_FULL adds to them. A load where no pipe goes is read and lowered as the compiler does, but it is no program. */
#define STRUCTURAL_FULL                                                                                                     \
  (STRUCTURAL | TS_PROPERTY_BIT (TS_PROPERTY_USE_AFTER_DEF) | TS_PROPERTY_BIT (TS_PROPERTY_PIPELINE_LOOP_VALID)             \
   | TS_PROPERTY_BIT (TS_PROPERTY_LOAD_TARGET_VALID))

/* Looked at under TS_VERIFY_FULL only: an unknown operation may stay within another one, and the passes warn of it. */
#define FULL_ONLY TS_PROPERTY_BIT (TS_PROPERTY_NO_NESTED_CALLS)

static const char *const verify_names[TS_N_VERIFY_LEVELS] = {
  [TS_VERIFY_NONE] = "none",
  [TS_VERIFY_BASIC] = "basic",
  [TS_VERIFY_FULL] = "full",
};

const char *
ts_verify_level_name (TsVerifyLevel level)
{
  return verify_names[level];
}

gboolean
ts_verify_level_from_name (const char *name, TsVerifyLevel *out)
{
  for (guint i = 0; i < TS_N_VERIFY_LEVELS; i++)
    if (g_strcmp0 (name, verify_names[i]) == 0)
      {
        *out = i;
        return TRUE;
      }
  return FALSE;
}

void
ts_pass_snapshot_free (TsPassSnapshot *snapshot)
{
  if (snapshot == NULL)
    return;
  g_clear_pointer (&snapshot->module, ts_module_free);
  ts_diag_list_free (snapshot->diags);
  ts_steps_free (snapshot->steps);
  g_free (snapshot);
}

static TsPassSnapshot *
snapshot_new (const TsPassInfo *pass)
{
  TsPassSnapshot *snapshot = g_new0 (TsPassSnapshot, 1);
  snapshot->pass = pass;
  snapshot->diags = ts_diag_list_new ();
  return snapshot;
}

/* Properties with a verifier: the others are only names that passes declare. */
static TsPropertySet
verifiable (TsPropertySet set)
{
  for (guint i = 0; i < TS_N_PROPERTIES; i++)
    if (!ts_property_is_verifiable (i))
      set &= ~TS_PROPERTY_BIT (i);
  return set;
}

/* Below the first fault of a rule of SSAForm in a function: the function. */
static void
show_functions (const TsModule *module, guint first, TsFunctionText print, TsDiagList *diags)
{
  g_autoptr (GHashTable) shown = g_hash_table_new (NULL, NULL);
  for (guint i = first, n = ts_diag_list_length (diags); print != NULL && i < n; i++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, i);
      const TsFunction *function = diag->function != NULL ? ts_module_find_function (module, diag->function) : NULL;
      if (function == NULL || g_strcmp0 (diag->rule, "SSAVerify") != 0 || !g_hash_table_add (shown, (gpointer) function))
        continue;
      g_autofree char *text = print (module, function);
      TsDiag *detail = ts_diag_add (diags, TS_SEVERITY_NOTE, "function", NULL, TS_SPAN_NONE, "%s", text);
      detail->function = g_strdup (function->name);
      detail->detail = TRUE;
    }
}

/* Verifies and says when (a note: the errors are those of what does not hold): `phase` is "Verification", at TS_VERIFY_FULL
 * "Pre-verification" or "Post-verification", `when` "after". `printed`: see ts_verify_printed(). TRUE when all hold. */
static gboolean
verify (const TsModule *module, TsPropertySet set, gboolean printed, const TsPipelineOptions *options, TsDiagList *diags,
        const char *phase, const char *when, const char *name)
{
  const TsMachine *machine = options != NULL ? options->machine : NULL;
  guint first = ts_diag_list_length (diags);
  gint64 capacity[TS_N_SPACES];
  for (guint space = 0; space < TS_N_SPACES; space++)
    capacity[space] = machine != NULL ? ts_machine_capacity (machine, space) : 0;
  gboolean holds = ts_verify_set (module, verifiable (set), capacity, diags);
  if (printed)
    holds &= ts_verify_printed (module, set, diags);
  if (holds)
    return TRUE;
  show_functions (module, first, options != NULL ? options->print_function : NULL, diags);
  TsDiag *diag =
      ts_diag_add (diags, TS_SEVERITY_NOTE, "verification", NULL, TS_SPAN_NONE, "%s failed %s %s", phase, when, name);
  diag->rule = g_strdup ("Verification");
  return FALSE;
}

gboolean
ts_pipeline_verify_input (const TsModule *module, TsVerifyLevel level, TsFunctionText print, TsDiagList *diags)
{
  TsPipelineOptions options = { .print_function = print };
  if (level == TS_VERIFY_NONE)
    return TRUE;
  if (module->language == TS_LANGUAGE_TTIR)
    return verify (module, TS_PROPERTY_BIT (TS_PROPERTY_TTIR_VALID), FALSE, &options, diags, "Verification", "at", "input");
  return verify (module, level == TS_VERIFY_FULL ? STRUCTURAL_FULL : STRUCTURAL, FALSE, &options, diags, "Verification", "at",
                 "input");
}

gboolean
ts_pipeline_verify_dump (const TsModule *module, TsPropertySet held, TsDumpForm form, const char *name,
                         TsFunctionText print, TsDiagList *diags)
{
  TsPipelineOptions options = { .print_function = print };
  TsPropertySet set = module->language == TS_LANGUAGE_TTIR ? TS_PROPERTY_BIT (TS_PROPERTY_TTIR_VALID) : STRUCTURAL_FULL | held;
  if (form == TS_DUMP_PRINTED && (set & TS_PROPERTY_BIT (TS_PROPERTY_SSA_FORM)) == 0)
    set |= TS_PROPERTY_BIT (TS_PROPERTY_YIELDS_VALID);
  return verify (module, set, form == TS_DUMP_PRINTED_ANYWHERE, &options, diags, "Verification", "at", name);
}

/* `known` holds what has been verified and not been invalidated since. */
static gboolean
verify_after (TsPassSnapshot *snapshot, const TsPipelineOptions *options, TsPropertySet *known)
{
  const TsPassInfo *pass = snapshot->pass;
  if (options->verify == TS_VERIFY_NONE)
    return TRUE;
  if (pass->language == TS_LANGUAGE_TTIR) /* a rewrite checks what it creates; this sees the whole */
    return verify (snapshot->module, pass->produced, FALSE, options, snapshot->diags, "Verification", "after", pass->name);

  *known &= ~pass->invalidated;
  gboolean full = options->verify == TS_VERIFY_FULL;
  TsPropertySet set = full ? pass->produced | STRUCTURAL_FULL : pass->produced & ~*known & ~FULL_ONLY;
  if (!verify (snapshot->module, set, FALSE, options, snapshot->diags, full ? "Post-verification" : "Verification", "after",
               pass->name))
    return FALSE;
  *known |= pass->produced;
  if (full && options->check != NULL && !options->check (snapshot->module, snapshot->diags, options->check_data))
    return FALSE;
  return TRUE;
}

/* Drops the module: what a failed pass leaves is not shown. */
static void
snapshot_stop (TsPassSnapshot *snapshot, TsSnapshotStatus status)
{
  g_clear_pointer (&snapshot->module, ts_module_free);
  snapshot->status = status;
  snapshot->changed = FALSE;
}

/* Passes over tile code look at statements. */
static void
warn_of_nested_calls (const TsModule *module, const TsPassInfo *pass, TsDiagList *diags)
{
  const TsOp *found = NULL;
  if ((pass->required & TS_PROPERTY_BIT (TS_PROPERTY_INCORE_TILE_OPS)) == 0)
    return;
  for (guint i = 0; i < module->n_functions && found == NULL; i++)
    found = ts_find_nested_calls (module->functions[i]);
  if (found != NULL)
    ts_diag_add (diags, TS_SEVERITY_WARNING, "nested-calls", ts_module_source (module, found->span), found->span,
                 "%s does not see calls within expressions, nor the tiles they make; ConvertToSSA before it makes statements of "
                 "all whose type is known",
                 pass->name);
}

TsPassSnapshot *
ts_pipeline_run_pass (const TsModule *before, const TsPlannedPass *planned, const TsPipelineOptions *options, TsPropertySet *known)
{
  TsPassSnapshot *snapshot = snapshot_new (planned->pass);
  TsPassContext context = {
    .pass_name = planned->pass->name,
    .machine = options->machine,
    .planner = options->planner,
    .diags = snapshot->diags,
    .steps = options->record_steps ? ts_steps_new () : NULL,
    .cancellable = options->cancellable,
    .options = planned->options,
  };
  snapshot->steps = context.steps;
  if (options->verify == TS_VERIFY_FULL && before->language == TS_LANGUAGE_PYPTO
      && !verify (before, ts_properties_implied (planned->pass->required), FALSE, options, snapshot->diags,
                  "Pre-verification", "before", planned->pass->name))
    {
      snapshot_stop (snapshot, TS_SNAPSHOT_FAILED);
      return snapshot;
    }

  warn_of_nested_calls (before, planned->pass, snapshot->diags);
  gint64 start = g_get_monotonic_time ();
  snapshot->module = ts_module_clone (before);
  ts_module_recover_hints (snapshot->module); /* nothing to do but for a text that was printed in the middle of a run */
  if (snapshot->module->language == TS_LANGUAGE_PYPTO)
    ts_steps_set_names (snapshot->steps, snapshot->module);
  TsPassResult result = planned->pass->run (&context, snapshot->module);
  snapshot->usec = g_get_monotonic_time () - start;

  snapshot->changed = result == TS_PASS_CHANGED;
  if (ts_pass_cancelled (&context))
    snapshot_stop (snapshot, TS_SNAPSHOT_CANCELLED);
  else if (result == TS_PASS_FAILED || !verify_after (snapshot, options, known))
    snapshot_stop (snapshot, TS_SNAPSHOT_FAILED);
  return snapshot;
}

GPtrArray *
ts_pipeline_run (TsModule *module, const GArray *plan, const TsPipelineOptions *options)
{
  GPtrArray *snapshots = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_pass_snapshot_free);
  TsPassSnapshot *last = snapshot_new (NULL);
  TsPropertySet known = 0;
  last->module = module;
  g_ptr_array_add (snapshots, last);
  if (plan->len > 0 && !ts_pipeline_verify_input (last->module, options->verify, options->print_function, last->diags))
    last->status = TS_SNAPSHOT_FAILED;

  for (guint i = 0; i < plan->len && last->status == TS_SNAPSHOT_OK; i++)
    {
      const TsPlannedPass *planned = &g_array_index (plan, TsPlannedPass, i);
      if (options->progress != NULL)
        options->progress (i, plan->len, planned->pass, options->progress_data);
      last = ts_pipeline_run_pass (last->module, planned, options, &known);
      g_ptr_array_add (snapshots, last);
    }
  if (options->progress != NULL)
    options->progress (plan->len, plan->len, NULL, options->progress_data);
  return snapshots;
}

char *
ts_pass_snapshot_file_name (const TsPassSnapshot *snapshot, guint index, TsLanguage language)
{
  const char *extension = language == TS_LANGUAGE_TTIR ? "ttir" : "py";
  if (snapshot->pass == NULL)
    return g_strdup_printf ("%02u_frontend.%s", index, extension);
  if (snapshot->status != TS_SNAPSHOT_OK)
    return g_strdup_printf ("%02u_failed.log", index);
  return g_strdup_printf ("%02u_after_%s.%s", index, snapshot->pass->name, extension);
}
