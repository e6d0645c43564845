/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a snapshot that runs share, and what it computes by itself: text, operations by id, functions, steps. */

#include "run/run-private.h"

#include <string.h>

#include "lang/ttir/ttir.h"

/* Both languages note places in the same shape. */
G_STATIC_ASSERT (sizeof (TsTextPlace) == sizeof (TsTtirPlace));
G_STATIC_ASSERT (offsetof (TsTextPlace, op) == offsetof (TsTtirPlace, op));
G_STATIC_ASSERT (offsetof (TsTextPlace, end_line) == offsetof (TsTtirPlace, end_line));

TsParsed *
ts_parsed_ref (TsParsed *parsed)
{
  g_atomic_int_inc (&parsed->refs);
  return parsed;
}

void
ts_parsed_unref (TsParsed *parsed)
{
  if (!g_atomic_int_dec_and_test (&parsed->refs))
    return;
  g_clear_pointer (&parsed->module, ts_module_free);
  ts_diag_list_free (parsed->diags);
  g_free (parsed);
}

TsSnap *
ts_snap_new (guint index, const char *pass)
{
  TsSnap *snap = g_new0 (TsSnap, 1);

  snap->refs = 1;
  snap->public.index = index;
  snap->public.pass = pass;
  ts_slot_init (&snap->text);
  ts_slot_init (&snap->ops);
  ts_slot_init (&snap->functions);
  ts_slot_init (&snap->steps);
  ts_slot_init (&snap->sharing);
  ts_slot_init (&snap->links);
  ts_slot_init (&snap->stages);
  return snap;
}

TsSnap *
ts_snap_ref (TsSnap *snap)
{
  g_atomic_int_inc (&snap->refs);
  return snap;
}

static void
free_text (TsSnapshotText *text)
{
  if (text == NULL)
    return;
  g_free ((char *) text->text);
  g_free ((TsTextPlace *) text->places);
  g_free ((guint32 *) text->place_of);
  g_clear_pointer (&text->names, g_ptr_array_unref);
  g_free (text);
}

static void
free_stages (TsStageTable *table)
{
  if (table == NULL)
    return;
  g_free (table->stages);
  g_free (table->counts);
  g_free (table);
}

void
ts_snap_unref (TsSnap *snap)
{
  if (snap == NULL || !g_atomic_int_dec_and_test (&snap->refs))
    return;
  free_text (snap->text.value);
  g_free (snap->ops.value);
  if (snap->functions.value != NULL)
    g_array_unref (snap->functions.value);
  if (snap->sharing.value != NULL)
    g_hash_table_unref (snap->sharing.value);
  ts_steps_free (snap->steps.value);
  ts_provenance_free (snap->links.value);
  free_stages (snap->stages.value);
  ts_slot_clear (&snap->text);
  ts_slot_clear (&snap->ops);
  ts_slot_clear (&snap->functions);
  ts_slot_clear (&snap->steps);
  ts_slot_clear (&snap->sharing);
  ts_slot_clear (&snap->links);
  ts_slot_clear (&snap->stages);
  ts_pass_snapshot_free (snap->pass);
  g_clear_pointer (&snap->changed_input, ts_module_free);
  g_clear_pointer (&snap->parsed, ts_parsed_unref);
  g_clear_pointer (&snap->source, ts_source_unref);
  ts_diag_list_free (snap->own_diags);
  g_free (snap);
}

/* --- text -------------------------------------------------------------------------------------------------------------------- */

char *
ts_print_module (const TsModule *module, GArray *places, GPtrArray *names)
{
  if (module->language == TS_LANGUAGE_TTIR)
    return ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, places, names);
  return ts_pypto_print (module, places, names);
}

static gint
by_line (gconstpointer a, gconstpointer b)
{
  const TsTextPlace *x = a, *y = b;

  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return x->op < y->op ? -1 : x->op > y->op;
}

static void
index_places (TsSnapshotText *text, gint32 n_ops)
{
  guint32 *index = g_new (guint32, MAX (n_ops, 1));

  memset (index, 0xff, sizeof *index * (gsize) MAX (n_ops, 1));
  for (guint i = 0; i < text->n_places; i++)
    if (text->places[i].op >= 0 && text->places[i].op < n_ops)
      index[text->places[i].op] = i;
  text->place_of = index;
  text->n_ops = (guint) MAX (n_ops, 0);
}

static TsSnapshotText *
make_text (const TsSnap *snap)
{
  TsSnapshotText *text = g_new0 (TsSnapshotText, 1);
  GArray *places = g_array_new (FALSE, FALSE, sizeof (TsTextPlace));

  if (snap->public.module != NULL)
    {
      text->names = g_ptr_array_new ();
      text->text = ts_print_module (snap->public.module, places, text->names);
      text->length = strlen (text->text);
    }
  else
    {
      const char *raw = ts_source_text (snap->source, &text->length);

      text->text = g_utf8_make_valid (raw, (gssize) text->length);
      text->length = strlen (text->text);
    }
  g_array_sort (places, by_line);
  text->n_places = places->len;
  text->places = (const TsTextPlace *) (gpointer) g_array_free (places, FALSE);
  index_places (text, snap->public.module != NULL ? snap->public.module->n_ops : 0);
  return text;
}

const TsSnapshotText *
ts_run_text (TsRun *run, guint index, GCancellable *cancellable, GError **error)
{
  TsSnap *snap = ts_run_snap (run, index);
  gpointer value;

  if (snap->public.module == NULL && snap->source == NULL)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SNAPSHOT, "There is no text after %s: the pass failed", snap->public.pass);
      return NULL;
    }
  if (!ts_slot_begin (&snap->text, cancellable, &value))
    {
      g_cancellable_set_error_if_cancelled (cancellable, error);
      return NULL;
    }
  return value != NULL ? value : ts_slot_end (&snap->text, make_text (snap));
}

gint32
ts_text_op_at_line (const TsSnapshotText *text, guint line)
{
  guint low = 0, high = text->n_places;

  /* The last place that begins at or before the line; then outwards to one whose lines hold it. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (text->places[middle].line <= line)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low > 0; low--)
    if (text->places[low - 1].end_line >= line)
      return text->places[low - 1].op < 0 ? -1 : text->places[low - 1].op;
  return -1;
}

const TsTextPlace *
ts_text_place_of (const TsSnapshotText *text, gint32 op)
{
  if (op >= 0)
    return (guint) op < text->n_ops && text->place_of[op] != G_MAXUINT32 ? &text->places[text->place_of[op]] : NULL;
  for (guint i = 0; i < text->n_places; i++) /* the signature of a function */
    if (text->places[i].op == op)
      return &text->places[i];
  return NULL;
}

/* --- operations, functions --------------------------------------------------------------------------------------------------- */

const TsOp *
ts_run_op (TsRun *run, guint index, gint32 op)
{
  TsSnap *snap = ts_run_snap (run, index);
  gpointer value;
  TsOp **ops;

  if (snap->public.module == NULL || op < 0 || op >= snap->public.module->n_ops)
    return NULL;
  ts_slot_begin (&snap->ops, NULL, &value);
  ops = value != NULL ? value : ts_slot_end (&snap->ops, ts_module_ops_by_id (snap->public.module));
  return ops[op];
}

static GArray *
list_functions (const TsSnapshot *snapshot)
{
  const TsModule *module = snapshot->module;
  GArray *list = g_array_new (FALSE, TRUE, sizeof (TsRunFunction));
  g_autofree TsFunction **order = ts_module_print_order (module);

  for (guint i = 0; i < module->n_functions; i++)
    {
      TsRunFunction entry = { .name = order[i]->name, .function = order[i] };

      entry.can_simulate = ts_simulate_can (module, order[i], &entry.why_not);
      if (entry.can_simulate)
        entry.why_not = NULL;
      /* What an erroneous file still gave is missing statements: its schedule would be a lie. */
      if (snapshot->failed)
        {
          entry.can_simulate = FALSE;
          entry.why_not = "the file has errors: what could be read of it is incomplete";
        }
      g_array_append_val (list, entry);
    }
  return list;
}

const TsRunFunction *
ts_run_functions (TsRun *run, guint index, guint *n)
{
  TsSnap *snap = ts_run_snap (run, index);
  gpointer value;
  GArray *list;

  *n = 0;
  if (snap->public.module == NULL)
    return NULL;
  ts_slot_begin (&snap->functions, NULL, &value);
  list = value != NULL ? value : ts_slot_end (&snap->functions, list_functions (&snap->public));
  *n = list->len;
  return (const TsRunFunction *) (gpointer) list->data;
}

static void
set_function_error (GError **error, const TsRunFunction *functions, guint n, const char *wanted)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", functions[i].name);
  if (n == 0)
    g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SIMULATE, "There is no function in this snapshot");
  else if (wanted != NULL)
    g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "There is no function “%s” in this snapshot; there are: %s", wanted,
                 names->str);
  else if (n == 1)
    g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SIMULATE, "Function %s cannot be simulated: %s", functions[0].name,
                 functions[0].why_not);
  else
    g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SIMULATE, "None of the functions (%s) can be simulated; the first: %s",
                 names->str,
                 functions[0].why_not);
}

static gboolean
find_operation (TsOp *op, gpointer found)
{
  *(gboolean *) found |= ts_op_info (op->code)->dialect != TS_DIALECT_STRUCTURAL || op->code == TS_OP_CALL;
  return !*(gboolean *) found;
}

/* Which of two functions is taken by itself: a Group before others, what can be launched before what is for the file only, that
 * before what only computes scalars for others. */
static guint
rank_of (const TsFunction *function)
{
  const char *visibility = NULL;
  gboolean operates = FALSE;

  for (guint i = 0; i < function->n_attrs; i++)
    if (strcmp (function->attrs[i].key, "sym_visibility") == 0 && function->attrs[i].value->kind == TS_EXPR_STRING)
      visibility = function->attrs[i].value->text;
  if (function->type == TS_FUNCTION_GROUP)
    return 3;
  ts_region_walk ((TsRegion *) &function->body, find_operation, &operates);
  if (!operates)
    return 0;
  return visibility == NULL || strcmp (visibility, "public") == 0 ? 2 : 1;
}

const char *
ts_run_pick_function (TsRun *run, guint index, const char *wanted, GError **error)
{
  guint n;
  const TsRunFunction *functions = ts_run_functions (run, index, &n), *first = NULL;

  if (ts_run_snapshot (run, index)->module == NULL)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SNAPSHOT, "Snapshot %u (%s) has no module: %s", index,
                   ts_run_snapshot (run, index)->pass,
                   ts_run_snapshot (run, index)->loaded ? "its file has errors" : "the pass failed");
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    if (wanted != NULL && strcmp (functions[i].name, wanted) == 0)
      {
        if (!functions[i].can_simulate)
          g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SIMULATE, "Function %s cannot be simulated: %s", wanted,
                       functions[i].why_not);
        return functions[i].can_simulate ? functions[i].name : NULL;
      }
    else if (functions[i].can_simulate && (first == NULL || rank_of (functions[i].function) > rank_of (first->function)))
      first = &functions[i];
  if (wanted == NULL && first != NULL)
    return first->name;
  set_function_error (error, functions, n, wanted);
  return NULL;
}

/* --- steps ------------------------------------------------------------------------------------------------------------------- */

const TsSteps *
ts_run_steps (TsRun *run, guint index, GCancellable *cancellable)
{
  TsSnap *snap = ts_run_snap (run, index), *before = index > 0 ? ts_run_snap (run, index - 1) : NULL;
  guint first = run->snaps->len; /* of the snapshots that passes made */
  TsPipelineOptions options = { .machine = run->machine, .planner = run->options.planner, .record_steps = TRUE,
                                .cancellable = cancellable };
  TsPropertySet known = 0;
  TsPassSnapshot *again;
  gpointer value;

  if (snap->pass == NULL || before == NULL || before->public.module == NULL || !ts_slot_begin (&snap->steps, cancellable, &value))
    return NULL;
  if (value != NULL)
    return value;
  while (first > 0 && ts_run_snap (run, first - 1)->pass != NULL)
    first--;
  again = ts_pipeline_run_pass (before->public.module, &g_array_index (run->plan, TsPlannedPass, index - first), &options, &known);
  value = again->status != TS_SNAPSHOT_CANCELLED ? g_steal_pointer (&again->steps) : NULL;
  ts_pass_snapshot_free (again);
  return ts_slot_end (&snap->steps, value);
}
