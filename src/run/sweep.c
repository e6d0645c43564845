/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage depths x machines: one derived run per combination. */

#include "run/sweep.h"

#include <string.h>

#include "base/limits.h"

static void
free_row (gpointer data)
{
  TsSweepRow *row = data;

  g_free (row->machine);
  g_free (row->depths.groups);
  g_free (row->depths.depths);
  g_free (row->binding);
  g_free (row->busiest);
  g_free (row->problem);
  ts_diag_list_free (row->diags);
  g_free (row);
}

static TsSweepRow *
new_row (const char *machine, gint stages)
{
  TsSweepRow *row = g_new0 (TsSweepRow, 1);

  row->machine = g_strdup (machine);
  row->stages = stages;
  row->cycles = row->bound = row->interval = row->copies = row->instructions = -1;
  row->efficiency = row->per_copy = -1;
  for (TsSpace space = 0; space < TS_N_SPACES; space++)
    row->bytes[space] = -1;
  row->diags = ts_diag_list_new ();
  return row;
}

/* --- depth reached ---------------------------------------------------------------------------------------------------------- */

/* The stages of a group, and those that share bytes with another. */
typedef struct
{
  gint32      group;
  GHashTable *stages;
  GHashTable *joined; /* stages that follow another of a collapsed set */
} GroupDepth;

static gint
by_group (gconstpointer a, gconstpointer b)
{
  const GroupDepth *x = a, *y = b;

  return x->group < y->group ? -1 : x->group > y->group;
}

static void
clear_group (gpointer data)
{
  GroupDepth *group = data;

  g_hash_table_unref (group->stages);
  g_hash_table_unref (group->joined);
}

static GroupDepth *
find_group (GArray *groups, gint32 id)
{
  GroupDepth fresh = { id, NULL, NULL };

  for (guint i = 0; i < groups->len; i++)
    if (g_array_index (groups, GroupDepth, i).group == id)
      return &g_array_index (groups, GroupDepth, i);
  fresh.stages = g_hash_table_new (NULL, NULL);
  fresh.joined = g_hash_table_new (NULL, NULL);
  g_array_append_val (groups, fresh);
  return &g_array_index (groups, GroupDepth, groups->len - 1);
}

/* A stage counts when no earlier stage of its group has the same bytes. */
static void
fill_depths (TsSweepRow *row, const TsSimulation *simulation)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (GroupDepth));
  const TsStream *stream = simulation->stream;
  const TsResult *result = simulation->result;

  g_array_set_clear_func (groups, clear_group);
  for (guint i = 0; i < stream->n_sites; i++)
    if (stream->sites[i].stage >= 0)
      g_hash_table_add (find_group (groups, stream->sites[i].group)->stages, GINT_TO_POINTER (stream->sites[i].stage + 1));
  for (guint i = 0; i < result->n_memory; i++)
    for (guint k = 0; k < result->memory[i].n_collapsed; k++)
      {
        const TsCollapsed *collapsed = &result->memory[i].collapsed[k];

        for (guint s = 1; s < collapsed->n_stages; s++)
          g_hash_table_add (find_group (groups, collapsed->group)->joined, GINT_TO_POINTER (collapsed->stages[s] + 1));
      }
  g_array_sort (groups, by_group);
  row->depths.n = groups->len;
  row->depths.groups = g_new0 (gint32, groups->len + 1);
  row->depths.depths = g_new0 (gint64, groups->len + 1);
  for (guint i = 0; i < groups->len; i++)
    {
      const GroupDepth *group = &g_array_index (groups, GroupDepth, i);

      row->depths.groups[i] = group->group;
      row->depths.depths[i] = MAX ((gint64) g_hash_table_size (group->stages) - g_hash_table_size (group->joined), 1);
    }
}

/* --- one combination -------------------------------------------------------------------------------------------------------- */

static void
fill_from_simulation (TsSweepRow *row, const TsSimulation *simulation, const TsBillRow *bill)
{
  const TsResult *result = simulation->result;
  const TsPipeResult *busiest = NULL;
  gint64 most = -1;

  row->cycles = result->makespan;
  row->bound = result->bound;
  row->efficiency = result->efficiency;
  row->instructions = simulation->stream->n_instructions;
  row->interval = bill->interval;
  row->copies = bill->copies;
  row->per_copy = bill->copies > 0 ? (double) bill->interval / (double) bill->copies : -1;
  memcpy (row->bytes, bill->bytes, sizeof row->bytes);
  for (guint i = 0; i < result->n_loops; i++)
    if (result->loops[i].interval * result->loops[i].total > most)
      {
        most = result->loops[i].interval * result->loops[i].total;
        g_free (row->binding);
        row->binding = g_strdup (ts_binding_name (result->loops[i].binding));
      }
  for (guint i = 0; i < result->n_pipes; i++)
    if (busiest == NULL || result->pipes[i].busy > busiest->busy)
      busiest = &result->pipes[i];
  row->busiest = busiest != NULL ? g_strdup (ts_pipe_name (busiest->pipe)) : NULL;
  fill_depths (row, simulation);
}

/* FALSE only when cancelled; every other failure is the row's problem. */
static gboolean
measure (TsRun *run, TsSweepRow *row, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) cause = NULL;
  const TsSimulation *simulation = NULL;
  guint last;

  if (ts_run_prepare (run, cancellable, NULL, NULL, &cause))
    {
      last = ts_run_n_snapshots (run) - 1;
      for (guint i = 0; i <= last; i++)
        ts_diag_list_append_unsaid (row->diags, ts_run_snapshot (run, i)->diags);
      if (ts_run_snapshot (run, last)->failed)
        row->problem = g_strdup_printf ("%s failed", ts_run_snapshot (run, last)->pass);
      else
        simulation = ts_run_simulate (run, last, NULL, cancellable, NULL, NULL, &cause);
    }
  else
    ts_diag_list_append_copies (row->diags, ts_run_diags (run));
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (simulation != NULL)
    {
      ts_diag_list_append_copies (row->diags, simulation->diags);
      row->truncated = simulation->stream->truncated;
      row->problem = g_strdup (ts_simulation_fault (simulation)); /* as `simulate` would fail */
    }
  if (simulation != NULL && row->problem == NULL)
    {
      fill_from_simulation (row, simulation, ts_run_bill_row (run, last, simulation->function, NULL));
    }
  if (simulation == NULL && row->problem == NULL)
    row->problem = g_strdup (cause->message);
  return TRUE;
}

static TsRun *
new_run (TsInput *input, TsRun *base, const TsRunOptions *options, GError **error)
{
  return base != NULL ? ts_run_derive (base, options, error) : ts_run_new (input, options, error);
}

GPtrArray *
ts_sweep (TsInput *input, const TsRunOptions *options, const char *const *machines, gint first, gint last,
          GCancellable *cancellable,
          TsRunProgress progress, gpointer data, GError **error)
{
  const char *own[] = { options->machine != NULL ? options->machine : TS_DEFAULT_MACHINE, NULL };
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (free_row);
  g_autoptr (TsRun) base = NULL;
  gint64 total, done = 0;

  if (first < 1 || last < first || last > (gint) TS_MAX_STAGES)
    {
      g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "Stage depths %d..%d are not a range within 1..%u", first, last,
                   TS_MAX_STAGES);
      return NULL;
    }
  if (machines == NULL)
    machines = own;
  total = (gint64) g_strv_length ((char **) machines) * (last - first + 1);
  for (gsize m = 0; machines[m] != NULL; m++)
    for (gint depth = first; depth <= last; depth++)
      {
        TsRunOptions changed = *options;
        TsSweepRow *row;
        TsRun *run;

        changed.machine = machines[m];
        changed.stages = depth;
        run = new_run (input, base, &changed, error);
        if (run == NULL)
          return NULL;
        row = new_row (ts_machine_name (ts_run_machine (run)), depth);
        g_ptr_array_add (rows, row);
        if (progress != NULL)
          progress ("Simulating", done, total, data);
        done++;
        if (!measure (run, row, cancellable, error))
          {
            ts_run_unref (run);
            return NULL;
          }
        ts_run_unref (base);
        base = run;
      }
  return g_steal_pointer (&rows);
}
