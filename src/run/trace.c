/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Following operations through the snapshots of a run: links between neighbours, sets of counterparts, stages that passes stripped,
 * the user's line. */

#include "run/run-private.h"

#include <string.h>

const TsProvenance *
ts_run_links (TsRun *run, guint index, GCancellable *cancellable)
{
  TsSnap *snap = ts_run_snap (run, index);
  gint before = ts_run_previous_with_module (run, index);
  const TsModule *from;
  gpointer value;

  if (before < 0 || snap->public.module == NULL || !ts_slot_begin (&snap->links, cancellable, &value))
    return NULL;
  if (value != NULL)
    return value;
  from = ts_run_snap (run, (guint) before)->public.module;
  return ts_slot_end (&snap->links, snap->public.loaded ? ts_provenance_match (from, snap->public.module)
                                                        : ts_provenance_exact (from, snap->public.module));
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  gint32 x = *(const gint32 *) a, y = *(const gint32 *) b;

  return x < y ? -1 : x > y;
}

static void
sort_unique (GArray *ids)
{
  guint kept = 0;

  g_array_sort (ids, compare_ids);
  for (guint i = 0; i < ids->len; i++)
    if (i == 0 || g_array_index (ids, gint32, i) != g_array_index (ids, gint32, i - 1))
      g_array_index (ids, gint32, kept++) = g_array_index (ids, gint32, i);
  g_array_set_size (ids, kept);
}

typedef const gint32 *(*Follow) (const TsProvenance *provenance, gint32 op, guint *n);

/* One step of all ids; `links` NULL: nothing is left. */
static GArray *
follow (GArray *ids, const TsProvenance *links, Follow way)
{
  GArray *next = g_array_new (FALSE, FALSE, sizeof (gint32));

  for (guint i = 0; links != NULL && i < ids->len; i++)
    {
      guint n;
      const gint32 *found = way (links, g_array_index (ids, gint32, i), &n);

      g_array_append_vals (next, found, n);
    }
  sort_unique (next);
  g_array_unref (ids);
  return next;
}

GArray *
ts_run_trace (TsRun *run, guint from, gint32 op, guint to, gboolean *inferred)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  gboolean guessed = FALSE;
  guint at = from;

  g_array_append_val (ids, op);
  while (at > to && ids->len > 0)
    {
      const TsProvenance *links = ts_run_links (run, at, NULL);
      gint before = ts_run_previous_with_module (run, at);

      guessed |= links != NULL && ts_provenance_is_inferred (links);
      ids = follow (ids, before >= (gint) to ? links : NULL, ts_provenance_backward);
      at = before < 0 ? to : (guint) before;
    }
  while (at < to && ids->len > 0)
    {
      guint next = at + 1;
      const TsProvenance *links;

      while (next < to && ts_run_snapshot (run, next)->module == NULL)
        next++;
      links = ts_run_links (run, next, NULL);
      guessed |= links != NULL && ts_provenance_is_inferred (links);
      ids = follow (ids, links, ts_provenance_forward);
      at = next;
    }
  if (inferred != NULL)
    *inferred = guessed;
  return ids;
}

typedef struct
{
  const TsProvenance *links;
  TsProvenanceCount   count;
} LinkCounter;

static gboolean
count_link (TsOp *op, gpointer data)
{
  LinkCounter *counter = data;
  guint n;

  ts_provenance_backward (counter->links, op->id, &n);
  counter->count.of++;
  counter->count.matched += n > 0;
  return TRUE;
}

gboolean
ts_run_provenance (TsRun *run, guint index, TsProvenanceCount *out)
{
  LinkCounter counter = { .links = ts_run_links (run, index, NULL) };
  const TsModule *module = ts_run_snapshot (run, index)->module;

  if (counter.links == NULL)
    return FALSE;
  for (guint i = 0; i < module->n_functions; i++)
    ts_region_walk (&module->functions[i]->body, count_link, &counter);
  counter.count.inferred = ts_provenance_is_inferred (counter.links);
  *out = counter.count;
  return TRUE;
}

/* --- stages ------------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  TsStageTable       *table;
  const TsStageTable *before;
  const TsProvenance *links;
} StageFiller;

static gboolean
fill_stages (TsOp *op, gpointer data)
{
  StageFiller *filler = data;
  guint n, n_origins = 0;
  const TsStage *own = ts_op_membership (op, &n);
  const gint32 *origins = NULL;

  if (n > 0)
    {
      filler->table->stages[op->id] = own;
      filler->table->counts[op->id] = n;
      return TRUE;
    }
  if (filler->before == NULL || filler->links == NULL)
    return TRUE;
  origins = ts_provenance_backward (filler->links, op->id, &n_origins);
  for (guint i = 0; i < n_origins; i++)
    if (filler->before->counts[origins[i]] > 0)
      {
        filler->table->stages[op->id] = filler->before->stages[origins[i]];
        filler->table->counts[op->id] = filler->before->counts[origins[i]];
        return TRUE;
      }
  return TRUE;
}

/* The table of one snapshot; that of the snapshot before is there already, unless it has no module. */
static const TsStageTable *
make_stage_table (TsRun *run, guint index, GCancellable *cancellable)
{
  TsSnap *snap = ts_run_snap (run, index);
  const TsModule *module = snap->public.module;
  gint before = ts_run_previous_with_module (run, index);
  StageFiller filler = { 0 };
  gpointer value;

  if (module == NULL || !ts_slot_begin (&snap->stages, cancellable, &value))
    return NULL;
  if (value != NULL)
    return value;
  filler.table = g_new0 (TsStageTable, 1);
  filler.table->n = (guint) MAX (module->n_ops, 0);
  filler.table->stages = g_new0 (const TsStage *, (gsize) filler.table->n + 1);
  filler.table->counts = g_new0 (guint32, (gsize) filler.table->n + 1);
  filler.before = before >= 0 ? make_stage_table (run, (guint) before, NULL) : NULL;
  filler.links = before >= 0 ? ts_run_links (run, index, NULL) : NULL;
  for (guint i = 0; i < module->n_functions; i++)
    ts_region_walk (&module->functions[i]->body, fill_stages, &filler);
  return ts_slot_end (&snap->stages, filler.table);
}

const TsStageTable *
ts_run_stage_table (TsRun *run, guint index, GCancellable *cancellable)
{
  guint first = index;

  /* From the front, so that a folder of thousands of dumps costs no deep recursion. */
  while (first > 0 && ts_slot_peek (&ts_run_snap (run, first - 1)->stages) == NULL)
    first--;
  for (; first < index; first++)
    make_stage_table (run, first, cancellable);
  return make_stage_table (run, index, cancellable);
}

const TsStage *
ts_stage_table_lookup (gint32 op, guint *n, gpointer data)
{
  const TsStageTable *table = data;

  *n = 0;
  if (table == NULL || op < 0 || (guint) op >= table->n)
    return NULL;
  *n = table->counts[op];
  return table->stages[op];
}

const TsStage *
ts_run_membership (TsRun *run, guint index, gint32 op, guint *n)
{
  return ts_stage_table_lookup (op, n, (gpointer) ts_run_stage_table (run, index, NULL));
}

/* --- places ------------------------------------------------------------------------------------------------------------------ */

static guint
line_of (TsRun *run, guint index, gint32 op, TsSource **source)
{
  const TsOp *found = ts_run_op (run, index, op);
  const TsModule *module = ts_run_snapshot (run, index)->module;
  guint line = found != NULL ? ts_module_line (module, found->span) : 0;

  if (line > 0 && source != NULL)
    *source = ts_module_source (module, found->span);
  return line;
}

guint
ts_run_source_line (TsRun *run, guint index, gint32 op, TsSource **source)
{
  guint line = 0;

  if (source != NULL)
    *source = NULL;
  /* Passes of ours carry places along; those that wrote a dump did not. */
  if (ts_run_snapshot (run, index)->loaded && index > 0)
    {
      g_autoptr (GArray) ids = ts_run_trace (run, index, op, 0, NULL);

      if (ids->len > 0)
        line = line_of (run, 0, g_array_index (ids, gint32, 0), source);
    }
  return line > 0 ? line : line_of (run, index, op, source);
}

/* The printed line of an operation, without the names that only tell clashes apart; NULL when it has none. */
static char *
printed_line (TsRun *run, guint index, gint32 op)
{
  const TsSnapshotText *text = ts_run_text (run, index, NULL, NULL);
  const TsTextPlace *place = text != NULL ? ts_text_place_of (text, op) : NULL;

  return place != NULL ? g_strndup (text->text + place->offset, place->length) : NULL;
}

/* Does the operation stand behind something else than before? */
static gboolean
moved (TsRun *run, guint index, gint32 op, guint before, gint32 origin)
{
  const TsOp *now = ts_run_op (run, index, op), *then = ts_run_op (run, before, origin);
  g_autoptr (GArray) ids = NULL;

  if (now == NULL || then == NULL || (now->prev == NULL) != (then->prev == NULL))
    return TRUE;
  if (now->prev == NULL)
    return FALSE;
  ids = ts_run_trace (run, index, now->prev->id, before, NULL);
  return ids->len == 0 || g_array_index (ids, gint32, 0) != then->prev->id;
}

gboolean
ts_run_pass_touches (TsRun *run, guint index, guint of, gint32 op)
{
  const TsSnapshot *snapshot = ts_run_snapshot (run, index);
  gint before = ts_run_previous_with_module (run, index);
  g_autoptr (GArray) now = NULL, then = NULL;

  if (snapshot->module == NULL || before < 0 || !snapshot->changed)
    return FALSE;
  now = ts_run_trace (run, of, op, index, NULL);
  then = ts_run_trace (run, of, op, (guint) before, NULL);
  if (now->len != then->len)
    return TRUE;
  for (guint i = 0; i < now->len; i++)
    {
      g_autofree char *a = printed_line (run, index, g_array_index (now, gint32, i));
      g_autofree char *b = printed_line (run, (guint) before, g_array_index (then, gint32, i));

      if (g_strcmp0 (a, b) != 0 || moved (run, index, g_array_index (now, gint32, i), (guint) before,
                                          g_array_index (then, gint32, i)))
        return TRUE;
    }
  return FALSE;
}
