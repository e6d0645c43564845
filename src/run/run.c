/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making runs and deriving one from another; what they share. */

#include "run/run-private.h"

#include <string.h>

#include "base/limits.h"
#include "ir/op-info.h"

G_DEFINE_QUARK (ts-run-error-quark, ts_run_error)

/* --- options ----------------------------------------------------------------------------------------------------------------- */

static const char *const *
copy_strv (const char *const *list)
{
  return (const char *const *) g_strdupv ((char **) list);
}

static void
copy_options (TsRunOptions *to, const TsRunOptions *from)
{
  *to = *from;
  to->entry = g_strdup (from->entry);
  to->function = g_strdup (from->function);
  to->machine = g_strdup (from->machine);
  to->passes = g_strdup (from->passes);
  to->defines = copy_strv (from->defines);
  to->args = copy_strv (from->args);
  to->overrides = copy_strv (from->overrides);
  to->loop_stages = copy_strv (from->loop_stages);
  if (to->max_instructions <= 0)
    to->max_instructions = TS_DEFAULT_MAX_INSTRUCTIONS;
}

static void
clear_options (TsRunOptions *options)
{
  g_free ((char *) options->entry);
  g_free ((char *) options->function);
  g_free ((char *) options->machine);
  g_free ((char *) options->passes);
  g_strfreev ((char **) options->defines);
  g_strfreev ((char **) options->args);
  g_strfreev ((char **) options->overrides);
  g_strfreev ((char **) options->loop_stages);
}

static gboolean
same_strv (const char *const *a, const char *const *b)
{
  gsize i = 0;

  if (a == NULL || b == NULL)
    return (a == NULL || a[0] == NULL) && (b == NULL || b[0] == NULL);
  for (; a[i] != NULL && b[i] != NULL; i++)
    if (strcmp (a[i], b[i]) != 0)
      return FALSE;
  return a[i] == b[i];
}

gboolean
ts_run_same_reading (const TsRun *a, const TsRun *b)
{
  return a->input == b->input && g_strcmp0 (a->options.entry, b->options.entry) == 0
         && same_strv (a->options.defines, b->options.defines) && same_strv (a->options.args, b->options.args);
}

gboolean
ts_run_same_stages (const TsRun *a, const TsRun *b)
{
  return a->options.stages == b->options.stages && same_strv (a->options.loop_stages, b->options.loop_stages);
}

/* --- life -------------------------------------------------------------------------------------------------------------------- */

static TsLanguage
language_of (TsInput *input)
{
  guint n;
  const TsDumpFile *dumps = ts_input_dumps (input, &n);

  if (n > 0)
    return g_str_has_suffix (dumps[0].file, ".py") ? TS_LANGUAGE_PYPTO : TS_LANGUAGE_TTIR;
  return ts_input_kind (input) == TS_INPUT_TTIR ? TS_LANGUAGE_TTIR : TS_LANGUAGE_PYPTO;
}

static gboolean
check_options (const TsRunOptions *options, GError **error)
{
  if (!ts_run_check_defines (options->defines, error))
    return FALSE;
  if (options->args != NULL && options->args[0] != NULL)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE,
                   "Shapes of bare parameters (--arg %s) belong to pl.jit functions, which are not specialised yet",
                     options->args[0]);
      return FALSE;
    }
  if (options->stages < 0 || options->stages > (gint) TS_MAX_STAGES)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "A stage depth of %d is not between 1 and %u", options->stages,
                   TS_MAX_STAGES);
      return FALSE;
    }
  return TRUE;
}

TsRun *
ts_run_new (TsInput *input, const TsRunOptions *options, GError **error)
{
  const char *machine_name = options->machine != NULL ? options->machine : TS_DEFAULT_MACHINE;
  const char *passes = options->passes;
  TsLanguage language = language_of (input);
  g_autoptr (TsMachine) machine = NULL;
  g_autoptr (GArray) plan = NULL;
  TsRun *run;

  if (!check_options (options, error))
    return NULL;
  if (passes == NULL && ts_input_kind (input) == TS_INPUT_DUMPS)
    passes = "none";
  machine = ts_machine_load (machine_name, options->overrides, error);
  if (machine == NULL)
    return NULL;
  plan = ts_pass_plan_parse (passes, language, options->planner, error);
  if (plan == NULL)
    return NULL;

  run = g_new0 (TsRun, 1);
  run->refs = 1;
  run->input = ts_input_ref (input);
  copy_options (&run->options, options);
  run->machine = g_steal_pointer (&machine);
  run->plan = g_steal_pointer (&plan);
  run->language = language;
  run->diags = ts_diag_list_new ();
  ts_machine_warn_hidden (machine_name, run->diags);
  run->snaps = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_snap_unref);
  run->facts = g_ptr_array_new ();
  g_mutex_init (&run->prepare_lock);
  g_mutex_init (&run->facts_lock);
  return run;
}

TsRun *
ts_run_derive (TsRun *run, const TsRunOptions *options, GError **error)
{
  TsRun *derived = ts_run_new (run->input, options, error);

  if (derived != NULL)
    derived->base = ts_run_ref (run);
  return derived;
}

TsRun *
ts_run_ref (TsRun *run)
{
  g_atomic_int_inc (&run->refs);
  return run;
}

void
ts_run_unref (TsRun *run)
{
  if (run == NULL || !g_atomic_int_dec_and_test (&run->refs))
    return;
  ts_run_unref (run->base);
  for (guint i = 0; i < run->facts->len; i++)
    g_clear_pointer (&g_ptr_array_index (run->facts, i), g_hash_table_unref);
  g_ptr_array_unref (run->facts);
  g_ptr_array_unref (run->snaps);
  g_clear_pointer (&run->parsed, ts_parsed_unref);
  g_array_unref (run->plan);
  ts_machine_unref (run->machine);
  ts_input_unref (run->input);
  ts_diag_list_free (run->diags);
  g_clear_error (&run->prepare_error);
  clear_options (&run->options);
  g_free (run->advice);
  g_mutex_clear (&run->prepare_lock);
  g_mutex_clear (&run->facts_lock);
  g_free (run);
}

/* --- prepare ----------------------------------------------------------------------------------------------------------------- */

/* Tile-level code runs through our passes; tensor-level code is shown as it is. */
static gboolean
find_tensor_op (TsOp *op, gpointer data)
{
  gboolean *found = data;

  if (op->code < TS_OP_UNKNOWN && ts_op_info (op->code)->dialect == TS_DIALECT_TENSOR && op->n_results > 0
      && ts_type_is_tensor (op->results[0]->type))
    *found = TRUE;
  return !*found;
}

static void
find_advice (TsRun *run)
{
  const TsModule *module = run->snaps->len > 0 ? ts_run_snapshot (run, ts_run_last_snapshot (run))->module : NULL;
  gboolean tensor_level = FALSE;
  guint n;
  const TsRunFunction *functions;

  if (module == NULL || run->language != TS_LANGUAGE_PYPTO || ts_input_kind (run->input) == TS_INPUT_DUMPS)
    return;
  functions = ts_run_functions (run, ts_run_last_snapshot (run), &n);
  for (guint i = 0; i < n; i++)
    if (functions[i].can_simulate)
      return;
  for (guint i = 0; i < module->n_functions && !tensor_level; i++)
    ts_region_walk (&module->functions[i]->body, find_tensor_op, &tensor_level);
  if (tensor_level)
    run->advice
      = g_strdup ("This kernel works on whole tensors, and the passes that cut it into tiles are the compiler's: compile it "
                            "with PyPTO with pass dumps on (dump_passes=True) and open the passes_dump folder to see the rest");
}

static gboolean
prepare (TsRun *run, GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error)
{
  gboolean ok = ts_input_kind (run->input) == TS_INPUT_DUMPS ? ts_run_load_folder (run, cancellable, progress, data, error)
                                                             : ts_run_load_file (run, cancellable, progress, data, error);

  if (!ok || !ts_run_passes (run, cancellable, progress, data, error))
    return FALSE;
  g_ptr_array_set_size (run->facts, (gint) run->snaps->len);
  ts_run_warn_defines (run);
  find_advice (run);
  return TRUE;
}

gboolean
ts_run_prepare (TsRun *run, GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error)
{
  gboolean ok;

  g_mutex_lock (&run->prepare_lock);
  if (!run->prepared)
    {
      GError *cause = NULL;

      if (!prepare (run, cancellable, progress, data, &cause))
        run->prepare_error = cause;
      /* A cancelled run may be prepared again: nothing of the attempt is kept. */
      if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          g_ptr_array_set_size (run->snaps, 0);
          g_propagate_error (error, g_steal_pointer (&run->prepare_error));
          g_mutex_unlock (&run->prepare_lock);
          return FALSE;
        }
      run->prepared = TRUE;
      g_clear_pointer (&run->base, ts_run_unref);
    }
  ok = run->prepare_error == NULL;
  if (!ok && error != NULL)
    *error = g_error_copy (run->prepare_error);
  g_mutex_unlock (&run->prepare_lock);
  return ok;
}

/* --- questions --------------------------------------------------------------------------------------------------------------- */

TsInput *
ts_run_input (const TsRun *run)
{
  return run->input;
}

const TsRunOptions *
ts_run_options (const TsRun *run)
{
  return &run->options;
}

TsMachine *
ts_run_machine (const TsRun *run)
{
  return run->machine;
}

TsLanguage
ts_run_language (const TsRun *run)
{
  return run->language;
}

const TsDiagList *
ts_run_diags (const TsRun *run)
{
  return run->diags;
}

const char *
ts_run_advice (const TsRun *run)
{
  return run->advice;
}

guint
ts_run_n_snapshots (const TsRun *run)
{
  return run->snaps->len;
}

const TsSnapshot *
ts_run_snapshot (const TsRun *run, guint index)
{
  g_return_val_if_fail (index < run->snaps->len, NULL);
  return &((TsSnap *) g_ptr_array_index (run->snaps, index))->public;
}

gint
ts_run_find_snapshot (const TsRun *run, const char *pass)
{
  const TsPassInfo *info = ts_pass_find (pass);
  const char *name = info != NULL ? info->name : pass;

  for (gint i = (gint) run->snaps->len - 1; i >= 0; i--)
    if (g_ascii_strcasecmp (ts_run_snapshot (run, (guint) i)->pass, name) == 0)
      return i;
  return -1;
}

guint
ts_run_last_snapshot (const TsRun *run)
{
  for (guint i = run->snaps->len; i > 0; i--)
    if (ts_run_snapshot (run, i - 1)->module != NULL)
      return i - 1;
  return 0;
}

gint
ts_run_previous_with_module (const TsRun *run, guint index)
{
  for (gint i = (gint) index - 1; i >= 0; i--)
    if (ts_run_snapshot (run, (guint) i)->module != NULL)
      return i;
  return -1;
}
