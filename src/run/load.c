/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From an input to its first snapshots: parsing one file or every file of a folder, and other stage depths than the file's. */

#include "run/run-private.h"

#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "ir/clone.h"
#include "lang/ttir/ttir.h"
#include "passes/compiler-order.h"
#include "sim/simulate.h"

/* All modules of a file with several, or the one that `entry` names, counted from 1. */
static guint
find_section (TsRun *run, TsSource *source, TsDiagList *diags)
{
  guint n = ts_ttir_n_sections (source);
  gint64 wanted;

  if (run->options.entry == NULL)
    return TS_TTIR_ALL_SECTIONS;
  if (ts_parse_int64 (run->options.entry, &wanted) && wanted >= 1 && wanted <= n)
    return (guint) wanted - 1;
  ts_diag_add (diags, TS_SEVERITY_ERROR, "no-such-module", source, TS_SPAN_NONE,
               "There is no module %s in this file; it holds %u", run->options.entry, n);
  return 0;
}

static TsParsed *
parse (TsRun *run, TsSource *source, TsLanguage language, gboolean printed, GCancellable *cancellable)
{
  TsParsed *parsed = g_new0 (TsParsed, 1);
  TsPyptoOptions options = { TS_PYPTO_AUTO, run->options.entry, run->options.defines, ts_input_folder (run->input), cancellable,
                             ts_simulate_knows_name };

  parsed->refs = 1;
  parsed->diags = ts_diag_list_new ();
  if (language == TS_LANGUAGE_TTIR)
    parsed->module = ts_ttir_parse (source, printed ? TS_TTIR_ALL_SECTIONS : find_section (run, source, parsed->diags),
                                    ts_input_strings (run->input), cancellable,
                                    parsed->diags);
  else
    parsed->module = ts_pypto_parse (source, ts_input_strings (run->input), &options, parsed->diags);
  return parsed;
}

gboolean
ts_run_check_round_trip (const TsModule *module, TsDiagList *diags, gpointer data)
{
  TsRun *run = data;
  g_autofree char *text = ts_print_module (module, NULL, NULL);
  g_autoptr (TsSource) source = ts_source_new_text ("<printed>", text);
  TsParsed *parsed = parse (run, source, module->language, TRUE, NULL);
  gboolean ok = parsed->module != NULL && !ts_diag_list_has_errors (parsed->diags);

  if (!ok)
    {
      ts_diag_list_append_copies (diags, parsed->diags);
      ts_diag_add (diags, TS_SEVERITY_ERROR, "round-trip", NULL, TS_SPAN_NONE, "The printed text cannot be read again");
    }
  else
    {
      g_autoptr (GPtrArray) differences = ts_module_compare (module, parsed->module, TS_COMPARE_DEFAULT);

      ok = differences->len == 0;
      if (!ok)
        {
          const TsDifference *first = g_ptr_array_index (differences, 0);

          ts_diag_add (diags, TS_SEVERITY_ERROR, "round-trip", NULL, TS_SPAN_NONE,
                       "Function %s differs after printing and reading: %s",
                       first->function, first->reason);
        }
    }
  ts_parsed_unref (parsed);
  return ok;
}

/* --- other stage depths ------------------------------------------------------------------------------------------------------ */

typedef struct
{
  TsModule *module;
  gint      all;    /* > 0: the depth of every loop whose stage is above 1 */
  guint     line;   /* or: only the loop on this line ... */
  gint64    depth;  /* ... gets this depth */
  guint     n_set;
} StageChange;

static gboolean
change_stage (TsOp *op, gpointer data)
{
  StageChange *change = data;

  if (op->code != TS_OP_FOR || op->sub != TS_LOOP_PIPELINE)
    return TRUE;
  if (change->line > 0 ? ts_module_line (change->module, op->span) == change->line : ts_op_attr_int (op, TS_ATTR_STAGES, 0) > 1)
    {
      ts_op_set_attr (change->module, op, TS_ATTR_STAGES, ts_expr_index (change->module, change->depth));
      change->n_set++;
    }
  return TRUE;
}

static void
change_stages (StageChange *change)
{
  for (guint i = 0; i < change->module->n_functions; i++)
    ts_region_walk (&change->module->functions[i]->body, change_stage, change);
}

/* "LINE=DEPTH" */
static gboolean
parse_loop_stage (const char *text, StageChange *change)
{
  g_auto (GStrv) parts = g_strsplit (text, "=", 2);
  gint64 line, depth;

  if (parts[0] == NULL || parts[1] == NULL || !ts_parse_int64 (parts[0], &line) || !ts_parse_int64 (parts[1], &depth))
    return FALSE;
  if (line < 1 || line > G_MAXUINT || depth < 1 || depth > TS_MAX_STAGES)
    return FALSE;
  change->line = (guint) line;
  change->depth = depth;
  return TRUE;
}

/* A copy of the parsed module with the depths that the options ask for; NULL with an error on one that names no loop. */
static TsModule *
with_stages (const TsRun *run, const TsModule *module, GError **error)
{
  g_autoptr (TsModule) copy = ts_module_clone (module);
  const char *const *loops = run->options.loop_stages;

  if (run->options.stages > 0)
    {
      StageChange change = { copy, run->options.stages, 0, run->options.stages, 0 };

      change_stages (&change);
    }
  for (gsize i = 0; loops != NULL && loops[i] != NULL; i++)
    {
      StageChange change = { copy, 0, 0, 0, 0 };

      if (!parse_loop_stage (loops[i], &change))
        {
          g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "“%s” is not LINE=DEPTH with a depth from 1 to %u", loops[i],
                       TS_MAX_STAGES);
          return NULL;
        }
      change_stages (&change);
      if (change.n_set == 0)
        {
          g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "There is no pipeline loop on line %u", change.line);
          return NULL;
        }
    }
  return g_steal_pointer (&copy);
}

/* --- one file ---------------------------------------------------------------------------------------------------------------- */

static gboolean
has_stage_options (const TsRun *run)
{
  return run->options.stages > 0 || (run->options.loop_stages != NULL && run->options.loop_stages[0] != NULL);
}

static TsParsed *
parsed_of (TsRun *run, GCancellable *cancellable)
{
  TsRun *base = run->base;

  if (base != NULL && base->prepared && base->parsed != NULL && ts_run_same_reading (run, base))
    return ts_parsed_ref (base->parsed);
  return parse (run, ts_input_source (run->input), run->language, FALSE, cancellable);
}

/* What must hold of a loaded snapshot, from the names of the files: of one, or of those before it in its folder. `untold`: its own
 * name tells no place in the compiler's order. */
static TsPropertySet
properties_of (const TsRun *run, guint index, gboolean *untold)
{
  const char *path = ts_input_path (run->input);
  g_autofree char *pass = NULL;
  TsPropertySet held = 0;
  guint n;
  const TsDumpFile *dumps = ts_input_dumps (run->input, &n);

  for (guint i = 0; i < n && i <= index; i++)
    held = ts_properties_after (dumps[i].pass, held);
  if (n == 0 && index == 0 && path != NULL)
    pass = ts_input_pass_of_path (path);
  *untold = n == 0 && (pass == NULL || ts_compiler_pass_find (pass) == NULL)
    && (path == NULL || strstr (path, "frontend.") == NULL);
  return pass != NULL ? ts_properties_after (pass, 0) : held;
}

/* Has the text of a loaded snapshot the form in which the compiler prints programs? */
static gboolean
is_printed (const TsSource *source)
{
  gsize length;
  const char *text = source != NULL ? ts_source_text (source, &length) : NULL;

  return text != NULL && ts_pypto_is_printed (text, length);
}

gboolean
ts_run_verify_loaded (const TsRun *run, guint index, const TsModule *module, TsDiagList *diags)
{
  guint n;
  const TsDumpFile *dumps = ts_input_dumps (run->input, &n);
  gboolean untold, printed = is_printed (n > 0 ? dumps[index].source : ts_input_source (run->input));
  TsPropertySet held = properties_of (run, index, &untold);
  /* Passes that run say themselves what they need; the first may be the one that makes SSA form. */
  TsDumpForm form = !printed ? TS_DUMP_SOURCE : untold && run->plan->len == 0 ? TS_DUMP_PRINTED_ANYWHERE : TS_DUMP_PRINTED;

  return ts_pipeline_verify_dump (module, held, form, n > 0 ? dumps[index].file : "input", ts_pypto_print_function,
                                  diags);
}

/* The input as a snapshot. Verification is part of it, so that a failed one stops the passes. */
static TsSnap *
make_input_snap (TsRun *run, GError **error)
{
  TsSnap *snap = ts_snap_new (0, "frontend");
  TsModule *module = run->parsed->module;

  snap->parsed = ts_parsed_ref (run->parsed);
  snap->own_diags = ts_diag_list_new ();
  if (has_stage_options (run))
    {
      snap->changed_input = with_stages (run, module, error);
      if (snap->changed_input == NULL)
        {
          ts_snap_unref (snap);
          return NULL;
        }
      module = snap->changed_input;
    }
  ts_diag_list_append_copies (snap->own_diags, run->parsed->diags);
  snap->public.module = module;
  snap->public.changed = TRUE;
  snap->public.diags = snap->own_diags;
  snap->public.failed = ts_diag_list_has_errors (snap->own_diags);
  if (!snap->public.failed && run->options.verify == TS_VERIFY_FULL)
    snap->public.failed = !ts_run_verify_loaded (run, 0, module, snap->own_diags);
  else if (!snap->public.failed && run->plan->len > 0)
    snap->public.failed = !ts_pipeline_verify_input (module, run->options.verify, ts_pypto_print_function, snap->own_diags);
  return snap;
}

static gboolean
can_share_input (const TsRun *run)
{
  const TsRun *base = run->base;

  return base != NULL && base->prepared && base->snaps->len > 0 && run->parsed == base->parsed && ts_run_same_stages (run, base)
         && run->options.verify == base->options.verify && (run->plan->len > 0) == (base->plan->len > 0);
}

gboolean
ts_run_load_file (TsRun *run, GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error)
{
  TsSnap *snap;

  if (progress != NULL)
    progress ("Reading", 0, 0, data);
  ts_diag_list_append_copies (run->diags, ts_input_diags (run->input));
  if (run->parsed == NULL)
    run->parsed = parsed_of (run, cancellable);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    {
      g_clear_pointer (&run->parsed, ts_parsed_unref);
      return FALSE;
    }
  if (run->parsed->module == NULL)
    {
      ts_diag_list_append_copies (run->diags, run->parsed->diags);
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_INPUT, "%s cannot be read as %s", ts_input_spec (run->input),
                   run->language == TS_LANGUAGE_TTIR ? "Triton IR" : "a PyPTO kernel");
      return FALSE;
    }
  snap = can_share_input (run) ? ts_snap_ref (ts_run_snap (run->base, 0)) : make_input_snap (run, error);
  if (snap == NULL)
    return FALSE;
  g_ptr_array_add (run->snaps, snap);
  return TRUE;
}

/* --- a folder ---------------------------------------------------------------------------------------------------------------- */

static gboolean
same_bytes (const TsSource *a, const TsSource *b)
{
  gsize length_a, length_b;
  const char *text_a = ts_source_text (a, &length_a), *text_b = ts_source_text (b, &length_b);

  return length_a == length_b && memcmp (text_a, text_b, length_a) == 0;
}

static TsSnap *
load_dump (TsRun *run, guint index, const TsDumpFile *dump, const TsDumpFile *before, GCancellable *cancellable)
{
  TsSnap *snap = ts_snap_new (index, dump->pass);
  const TsPassInfo *info = ts_pass_find (dump->pass);

  snap->own_diags = ts_diag_list_new ();
  snap->public.info = info;
  snap->public.file = dump->file;
  snap->public.log = dump->log;
  snap->public.loaded = TRUE;
  snap->public.changed = before == NULL || before->source == NULL || dump->source == NULL
    || !same_bytes (before->source, dump->source);
  if (dump->source != NULL)
    {
      snap->source = ts_source_ref (dump->source);
      snap->parsed = parse (run, dump->source, run->language, FALSE, cancellable);
      ts_diag_list_append_copies (snap->own_diags, snap->parsed->diags);
      if (!ts_diag_list_has_errors (snap->own_diags))
        snap->public.module = snap->parsed->module;
    }
  else
    {
      snap->source = ts_source_new_text (dump->file, "");
      ts_diag_add (snap->own_diags, TS_SEVERITY_ERROR, "dump-unreadable", NULL, TS_SPAN_NONE, "%s", dump->problem);
    }
  if (snap->public.module != NULL && run->options.verify == TS_VERIFY_FULL)
    snap->public.failed = !ts_run_verify_loaded (run, index, snap->public.module, snap->own_diags);
  if (dump->log != NULL && dump->log[0] != '\0')
    ts_diag_add (snap->own_diags, TS_SEVERITY_NOTE, "log", NULL, TS_SPAN_NONE, "%s", dump->log)->detail = TRUE;
  snap->public.failed |= snap->public.module == NULL;
  snap->public.diags = snap->own_diags;
  return snap;
}

/* How many files are read: up to the one that passes are to run on. */
static gboolean
count_dumps (const TsRun *run, guint *n, GError **error)
{
  if (run->plan->len == 0 || run->options.start < 0)
    return TRUE;
  if ((guint) run->options.start >= *n)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "There is no snapshot %d; the folder has %u (0 to %u)",
                   run->options.start, *n,
                   *n - 1);
      return FALSE;
    }
  *n = (guint) run->options.start + 1;
  return TRUE;
}

/* Files that are the same for both runs, read and verified alike. */
static gboolean
can_share_dumps (const TsRun *run)
{
  return run->base != NULL && run->base->prepared && ts_run_same_reading (run, run->base)
         && run->options.verify == run->base->options.verify;
}

gboolean
ts_run_load_folder (TsRun *run, GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error)
{
  guint n, n_modules = 0;
  const TsDumpFile *dumps = ts_input_dumps (run->input, &n);

  if (!count_dumps (run, &n, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      TsSnap *snap = NULL;

      if (progress != NULL)
        progress ("Reading", i, n, data);
      if (can_share_dumps (run) && i < run->base->snaps->len && ts_run_snap (run->base, i)->public.loaded)
        snap = ts_snap_ref (ts_run_snap (run->base, i));
      else
        snap = load_dump (run, i, &dumps[i], i > 0 ? &dumps[i - 1] : NULL, cancellable);
      g_ptr_array_add (run->snaps, snap);
      n_modules += snap->public.module != NULL;
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
    }
  ts_diag_list_append_copies (run->diags, ts_input_diags (run->input));
  if (n_modules == 0)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_INPUT, "None of the %u dumps in %s can be read", n,
                   ts_input_spec (run->input));
      return FALSE;
    }
  return TRUE;
}

/* --- passes ------------------------------------------------------------------------------------------------------------------ */

/* Do two machines look alike to passes: rules, capacities, rounding? */
static gboolean
same_for_passes (const TsMachine *a, const TsMachine *b)
{
  if (ts_machine_backend (a) != ts_machine_backend (b))
    return FALSE;
  for (TsSpace space = 0; space < TS_N_SPACES; space++)
    if (ts_machine_capacity (a, space) != ts_machine_capacity (b, space))
      return FALSE;
  for (TsDtype dtype = 0; dtype < TS_N_DTYPES; dtype++)
    if (ts_machine_acc_rows (a, dtype) != ts_machine_acc_rows (b, dtype))
      return FALSE;
  return TRUE;
}

static gboolean
same_options (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer key, value;

  if ((a != NULL ? g_hash_table_size (a) : 0) != (b != NULL ? g_hash_table_size (b) : 0))
    return FALSE;
  if (a == NULL)
    return TRUE;
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (g_strcmp0 (g_hash_table_lookup (b, key), value) != 0)
      return FALSE;
  return TRUE;
}

/* How many passes in front give the same as in the run this one derives from. */
static guint
count_shared_passes (const TsRun *run)
{
  const TsRun *base = run->base;
  guint n = 0, first = run->snaps->len;

  if (base == NULL || !base->prepared || first > base->snaps->len || first == 0
      || g_ptr_array_index (run->snaps, first - 1) != g_ptr_array_index (base->snaps, first - 1)
      || run->options.planner != base->options.planner || run->options.verify != base->options.verify
      || !same_for_passes (run->machine, base->machine))
    return 0;
  while (n < run->plan->len && n < base->plan->len && first + n < base->snaps->len)
    {
      const TsPlannedPass *a = &g_array_index (run->plan, TsPlannedPass, n), *b = &g_array_index (base->plan, TsPlannedPass, n);

      if (a->pass != b->pass || !same_options (a->options, b->options))
        break;
      n++;
    }
  return n;
}

/* Takes `pass`. `known`: what is verified after it. */
static TsSnap *
snap_of_pass (TsPassSnapshot *pass, guint index, TsPropertySet known)
{
  TsSnap *snap = ts_snap_new (index, pass->pass->name);

  snap->pass = pass;
  snap->known = known;
  snap->public.info = pass->pass;
  snap->public.module = pass->module;
  snap->public.changed = pass->changed;
  snap->public.failed = pass->status != TS_SNAPSHOT_OK;
  snap->public.diags = pass->diags;
  snap->public.microseconds = pass->usec;
  return snap;
}

gboolean
ts_run_passes (TsRun *run, GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error)
{
  TsPipelineOptions options = { .machine = run->machine, .planner = run->options.planner, .verify = run->options.verify,
                                .cancellable = cancellable, .check = ts_run_check_round_trip, .check_data = run,
                                .print_function = ts_pypto_print_function };
  guint shared = count_shared_passes (run), first = run->snaps->len;
  TsSnap *last = ts_run_snap (run, first - 1);

  if (run->plan->len > 0 && last->public.module == NULL)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_INPUT, "No pass can run on %s: it has errors", last->public.file);
      return FALSE;
    }
  for (guint i = 0; i < run->plan->len && !last->public.failed; i++)
    {
      const TsPlannedPass *planned = &g_array_index (run->plan, TsPlannedPass, i);
      TsPropertySet known = last->known;

      if (progress != NULL)
        progress (planned->pass->name, i, run->plan->len, data);
      if (i < shared)
        last = ts_snap_ref (ts_run_snap (run->base, first + i));
      else
        {
          TsPassSnapshot *made = ts_pipeline_run_pass (last->public.module, planned, &options, &known);

          last = snap_of_pass (made, first + i, known);
        }
      g_ptr_array_add (run->snaps, last);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
    }
  return TRUE;
}
