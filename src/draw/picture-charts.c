/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory facts, bill rows and bounds of a run as inputs of the charts. */
#include "draw/picture-charts.h"

#include "draw/pictures.h"
#include "draw/words.h"

/* Collapses that are traced back to the pass that made them; there are rarely more than a handful. */
#define MAX_NOTES 64u
/* Diagnostics beside spaces and buffers. */
#define MAX_REMARKS 256u

/* --- memory map -------------------------------------------------------------------------------------------------------------- */

static char *
describe_step (const TsSharing *sharing, const char *reason)
{
  const char *into = ts_step_find_text (sharing->step, "buffer"), *base = ts_step_find_text (sharing->step, "base");

  if (into == NULL || g_strcmp0 (into, base) == 0)
    return g_strdup_printf (_ ("step %u: %s"), sharing->number, _ (reason));
  return g_strdup_printf (_ ("step %u: %s goes into %s, %s"), sharing->number, base, into, _ (reason));
}

char *
ts_picture_sharing (TsRun *run, guint index, const char *function, gint32 op, gint32 on, const char *buffer, guint *since,
                    char **rule, GCancellable *cancellable)
{
  const char *allowed;
  TsSharing sharing;

  *rule = NULL;
  if (!ts_run_sharing (run, index, function, op, on, buffer, cancellable, &sharing))
    return NULL;
  *since = sharing.since;
  allowed = sharing.step != NULL ? ts_step_find_text (sharing.step, "allowed") : NULL;
  if (sharing.step != NULL)
    *rule = describe_step (&sharing, allowed != NULL ? allowed : N_ ("their lives do not meet"));
  return g_strdup (sharing.pass);
}

TsPictureNotes *
ts_picture_notes (TsRun *run, guint index, const TsMemoryFacts *facts, GCancellable *cancellable)
{
  TsPictureNotes *notes = g_new0 (TsPictureNotes, 1);

  notes->n = facts->n_collapses;
  notes->since = g_new0 (char *, (gsize) notes->n + 1);
  notes->rules = g_new0 (char *, (gsize) notes->n + 1);
  for (guint c = 0; c < MIN (notes->n, MAX_NOTES) && !g_cancellable_is_cancelled (cancellable); c++)
    {
      const TsMemoryCollapse *collapse = &facts->collapses[c];
      TsSharing sharing;

      if (!ts_run_collapse_origin (run, index, facts->tiles[collapse->tile_a].op, facts->tiles[collapse->tile_b].op, cancellable,
                                   &sharing))
        break;
      notes->since[c] = g_strdup_printf (_ ("since %s"), sharing.pass);
      notes->rules[c] = sharing.step == NULL ? g_strdup (sharing.reason) : describe_step (&sharing, sharing.reason);
    }
  for (guint c = MAX_NOTES; c < notes->n; c++)
    notes->rules[c] =
        g_strdup_printf (_ ("only the first %u pairs of stages that share bytes are traced to their pass"), MAX_NOTES);
  return notes;
}

void
ts_picture_notes_free (TsPictureNotes *notes)
{
  if (notes == NULL)
    return;
  /* Entries may be NULL before the last one. */
  for (guint c = 0; c < notes->n; c++)
    {
      g_free (notes->since[c]);
      g_free (notes->rules[c]);
    }
  g_free (notes->since);
  g_free (notes->rules);
  g_free (notes);
}

/* Diagnostics of this and of earlier snapshots that name a space or a buffer: what a pass decided stays true after it. */
static GArray *
collect_remarks (TsRun *run, guint index, const char *function)
{
  GArray *remarks = g_array_new (FALSE, FALSE, sizeof (TsMapRemark));

  for (guint i = 0; i <= index; i++)
    {
      const TsDiagList *diags = ts_run_snapshot (run, i)->diags;

      for (guint k = 0; k < ts_diag_list_length (diags) && remarks->len < MAX_REMARKS; k++)
        {
          const TsDiag *diag = ts_diag_list_get (diags, k);
          TsMapRemark remark = { diag->subject, diag->code, diag->message, diag->severity };

          if (diag->subject != NULL && !diag->detail && (diag->function == NULL || g_str_equal (diag->function, function)))
            g_array_append_val (remarks, remark);
        }
    }
  return remarks;
}

/* Another function of the snapshot whose tiles have buffers, or NULL. */
static const char *
function_with_buffers (TsRun *run, guint index, const char *but, GCancellable *cancellable)
{
  const TsModule *module = ts_run_snapshot (run, index)->module;

  for (guint i = 0; module != NULL && i < module->n_functions && !g_cancellable_is_cancelled (cancellable); i++)
    if (g_strcmp0 (module->functions[i]->name, but) != 0
        && ts_run_memory (run, index, module->functions[i]->name, cancellable, NULL) != NULL)
      return module->functions[i]->name;
  return NULL;
}

/* Why there is nothing to draw, and where there is something. */
static void
explain_no_map (TsRun *run, guint index, const char *function, GCancellable *cancellable, GError **error)
{
  const TsModule *module = ts_run_snapshot (run, index)->module;
  const char *name = ts_run_pick_function (run, index, function != NULL ? function : ts_run_options (run)->function, NULL), *other;

  name = name != NULL ? name : function != NULL ? function : "";
  if (module != NULL && module->language == TS_LANGUAGE_TTIR)
    {
      g_set_error_literal (error, TS_RUN_ERROR, TS_RUN_ERROR_SNAPSHOT,
                           _ ("Triton IR names no buffers: which bytes its tensors get is decided after it, so there is no "
                              "memory map of it"));
      return;
    }
  for (guint i = index + 1; i < ts_run_n_snapshots (run) && !g_cancellable_is_cancelled (cancellable); i++)
    if (ts_run_snapshot (run, i)->module != NULL && ts_run_memory (run, i, name, cancellable, NULL) != NULL)
      {
        g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SNAPSHOT,
                     _ ("No tile of “%s” has a buffer in this snapshot: the first that has them is the one after %s"), name,
                     ts_run_snapshot (run, i)->pass);
        return;
      }
  other = function_with_buffers (run, index, name, cancellable);
  if (other != NULL)
    g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SNAPSHOT,
                 _ ("No tile of “%s” has a buffer in this snapshot; tiles of “%s” have"), name, other);
  else
    g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_SNAPSHOT,
                 _ ("No tile of “%s” has a buffer: InitMemRef gives them, and has not run or found none to give"), name);
}

TsPictureMap *
ts_picture_map (TsRun *run, guint index, const char *function, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) local = NULL;
  const TsMemoryFacts *facts = ts_run_memory (run, index, function, cancellable, &local);
  const TsSnapshotText *text;
  TsPictureMap *map;

  if (facts == NULL)
    {
      if (local != NULL)
        g_propagate_error (error, g_steal_pointer (&local));
      else if (error != NULL)
        explain_no_map (run, index, function, cancellable, error);
      return NULL;
    }
  text = ts_run_text (run, index, cancellable, NULL);
  map = g_new0 (TsPictureMap, 1);
  map->title = g_strdup (ts_input_title (ts_run_input (run)));
  map->subtitle = ts_picture_subtitle (run, index, facts->function->name, NULL);
  map->remarks = collect_remarks (run, index, facts->function->name);
  map->input = (TsMapInput) { .facts = facts, .names = text != NULL ? text->names : NULL, .title = map->title,
                              .remarks = (const TsMapRemark *) (gpointer) map->remarks->data, .n_remarks = map->remarks->len,
                              .subtitle = map->subtitle };
  return map;
}

void
ts_picture_map_free (TsPictureMap *map)
{
  if (map == NULL)
    return;
  g_array_unref (map->remarks);
  g_free (map->title);
  g_free (map->subtitle);
  g_free (map);
}

/* --- bill ----------------------------------------------------------------------------------------------------------------------
 */

TsPictureBill *
ts_picture_bill (TsRun *run, const char *function, GCancellable *cancellable)
{
  TsPictureBill *bill = g_new0 (TsPictureBill, 1);

  bill->rows = g_array_new (FALSE, TRUE, sizeof (TsBillBar));
  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    {
      const TsSnapshot *snapshot = ts_run_snapshot (run, i);
      const TsBillRow *row = ts_run_bill_row (run, i, function, cancellable);
      TsBillBar bar = { .pass = snapshot->pass, .index = i, .changed = snapshot->changed, .failed = snapshot->failed, .cycles = -1,
                        .bytes = -1, .interval = -1 };

      if (row == NULL)
        {
          g_clear_pointer (&bill, ts_picture_bill_free);
          return NULL;
        }
      bar.cycles = row->cycles;
      bar.bytes = row->bytes_total;
      bar.interval = row->interval;
      bar.delta_cycles = row->delta_cycles;
      bar.delta_bytes = row->delta_bytes;
      bar.has_delta_cycles = row->has_delta_cycles;
      bar.has_delta_bytes = row->has_delta_bytes;
      bar.cut = row->truncated;
      bar.problem = row->problem;
      g_array_append_val (bill->rows, bar);
    }
  bill->title = g_strdup (ts_input_title (ts_run_input (run)));
  bill->subtitle = g_strdup_printf ("%s · %s", function != NULL ? function : "", ts_machine_name (ts_run_machine (run)));
  bill->input = (TsBillInput) { .rows = (const TsBillBar *) (gpointer) bill->rows->data,
                                .n_rows = bill->rows->len,
                                .title = bill->title,
                                .subtitle = bill->subtitle,
                                .width = 900,
                                .selected = -1,
                                .titles = TRUE };
  return bill;
}

void
ts_picture_bill_free (TsPictureBill *bill)
{
  if (bill == NULL)
    return;
  g_array_unref (bill->rows);
  g_free (bill->title);
  g_free (bill->subtitle);
  g_free (bill);
}

/* --- fold ------------------------------------------------------------------------------------------------------------------------
 */

void
ts_picture_fold (const TsSimulation *simulation, const TsTimeline *timeline, TsFoldInput *out)
{
  gint32 loop = ts_fold_loop (timeline, -1);

  *out = (TsFoldInput) { .loop = loop, .width = 1100, .titles = TRUE };
  for (guint i = 0; i < simulation->result->n_loops; i++)
    {
      const TsLoopResult *result = &simulation->result->loops[i];

      if (loop < 0 || simulation->stream->loops[result->loop].statement != loop)
        continue;
      out->res_mii = result->res_mii;
      out->res_unit = result->res_pipe < TS_N_PIPES ? ts_lane_name (ts_pipe_lane ((TsPipe) result->res_pipe)) : NULL;
      out->rec_mii = result->rec_mii;
      out->binding = result->binding != TS_BINDING_NONE ? ts_binding_name ((TsBinding) result->binding) : NULL;
      return;
    }
}
