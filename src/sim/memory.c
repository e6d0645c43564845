/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory spaces over time: what buffers take, what is live. Source: spec simulator.md section 4. */
#include "sim/analysis.h"
#include "sim/scheduler.h"

#include <string.h>

#include "base/number.h"
#include "ir/memory-facts.h"

#define MAX_POINTS 2048u

/* --- live bytes --------------------------------------------------------------------------------------------------------- */

typedef struct
{
  gint64 time; /* glued */
  gint64 bytes;
} Change;

/* The value that a segment holds. */
typedef struct
{
  gint64   begin, end;
  gboolean open;
} Life;

typedef TsColumn Changes[TS_MAX_CORES][TS_N_SPACES]; /* of Change; size 0: not used */

static void
end_life (TsColumn *changes, const Life *life, gint64 bytes)
{
  Change up = { .time = life->begin, .bytes = bytes }, down = { .time = life->end, .bytes = -bytes };

  if (!life->open || bytes == 0 || life->end <= life->begin)
    return;
  ts_column_add (changes, up);
  ts_column_add (changes, down);
}

static void
note_access (Life *life, TsColumn *changes, gint64 bytes, guint access, gint64 start, gint64 end)
{
  if (access == TS_ACCESS_WRITE)
    {
      end_life (changes, life, bytes);
      life->open = FALSE;
    }
  if (!life->open)
    *life = (Life) { .begin = start, .end = end, .open = TRUE };
  life->end = MAX (life->end, end);
}

static TsColumn *
changes_of (Changes changes, const TsBuffer *buffer)
{
  TsColumn *at = &changes[buffer->core][MIN (buffer->space, TS_N_SPACES - 1)];

  if (at->size == 0)
    ts_column_init (at, sizeof (Change));
  return at;
}

static gboolean
counts (const TsBuffer *buffer)
{
  return buffer->space < TS_N_SPACES && buffer->space != TS_SPACE_DDR;
}

static void
collect_changes (const TsAnalysis *a, const TsScheduler *x, Changes changes)
{
  const TsStream *s = a->stream;
  g_autofree Life *lives = g_new0 (Life, (gsize) x->n_segments + 1);
  TsFillCursor fill = { 0 };

  for (guint i = 0; i < s->n_instructions; i++)
    {
      gint32 list = s->accesses[i];
      gint64 by = ts_analysis_shift (a, i, &fill);
      if (ts_analysis_stop (a, i))
        return;
      if (list < 0 || a->schedule->start[i] < 0)
        continue;
      for (guint32 k = s->access_start[list]; k < s->access_start[list + 1]; k++)
        {
          const TsBuffer *buffer = &s->buffers[s->access[k].buffer];
          for (guint32 g = x->segment_first[k]; counts (buffer) && g < x->segment_end[k]; g++)
            note_access (&lives[g], changes_of (changes, buffer), x->segment_bytes[g], s->access[k].access,
                         a->schedule->start[i] - by, a->schedule->end[i] - by);
        }
    }
  for (guint k = 0; k < s->access_start[s->n_access_lists] && !ts_analysis_stop (a, k); k++)
    for (guint32 g = x->segment_first[k]; counts (&s->buffers[s->access[k].buffer]) && g < x->segment_end[k]; g++)
      {
        end_life (changes_of (changes, &s->buffers[s->access[k].buffer]), &lives[g], x->segment_bytes[g]);
        lives[g].open = FALSE;
      }
}

static gint
compare_changes (gconstpointer a, gconstpointer b)
{
  const Change *x = a, *y = b;
  return x->time < y->time ? -1 : x->time > y->time;
}

/* From glued back to real time, for times that rise. */
typedef struct
{
  guint  next;
  gint64 shift;
} Unglue;

static gint64
unglue (const TsAnalysis *a, guint core, gint64 time, Unglue *at)
{
  const TsSchedule *t = a->schedule;

  for (; at->next < t->n_fills && (t->fills[at->next].core != core || time + at->shift >= t->fills[at->next].time); at->next++)
    at->shift += t->fills[at->next].core == core ? t->fills[at->next].times * t->fills[at->next].cycles : 0;
  return time + at->shift;
}

/* The curve as steps; of several that fall together the highest and the last are kept. */
static void
fill_curve (const TsAnalysis *a, TsColumn *column, TsMemoryResult *out)
{
  guint n_changes, n_steps = 0, n = 0;
  g_autofree Change *steps = ts_analysis_sort (a, column, compare_changes, &n_changes);
  gint64 bytes = 0;

  /* From changes to what is live behind them, in place: there are never more steps than changes. */
  for (guint i = 0; i < n_changes && !ts_analysis_stop (a, i); i++)
    {
      Change step = { .time = steps[i].time };
      step.bytes = bytes = ts_add_sat (bytes, steps[i].bytes);
      n_steps += n_steps == 0 || steps[n_steps - 1].time != step.time;
      steps[n_steps - 1] = step;
    }
  guint group = n_steps / (MAX_POINTS / 2) + 1;
  TsLivePoint *points = g_new (TsLivePoint, MIN (n_steps, MAX_POINTS) + 1);
  for (guint from = 0; from < n_steps && !ts_analysis_look (a, from); from += group)
    {
      guint to = MIN (from + group, n_steps), high = from;
      for (guint k = from; k < to; k++)
        if (steps[k].bytes > steps[high].bytes)
          high = k;
      out->live_max = MAX (out->live_max, steps[high].bytes);
      points[n++] = (TsLivePoint) { .time = steps[high].time, .bytes = steps[high].bytes };
      if (high != to - 1)
        points[n++] = (TsLivePoint) { .time = steps[to - 1].time, .bytes = steps[to - 1].bytes };
    }
  Unglue at = { 0 };
  for (guint k = 0; k < n; k++)
    points[k].time = unglue (a, out->core, points[k].time, &at);
  out->live = points;
  out->n_live = n;
}

/* --- all spaces --------------------------------------------------------------------------------------------------------- */

static void
fill_sizes (const TsAnalysis *a, TsMemoryResult *out)
{
  gint64 sum = 0, top = 0;

  for (guint b = 0; b < a->stream->n_buffers && !ts_analysis_stop (a, b); b++)
    {
      const TsBuffer *buffer = &a->stream->buffers[b];
      if (buffer->core != out->core || buffer->space != out->space)
        continue;
      out->n_buffers++;
      sum = ts_add_sat (sum, buffer->size);
      if (buffer->address >= 0)
        top = MAX (top, ts_add_sat (buffer->address, buffer->size));
    }
  out->high_water = top > 0 ? top : sum;
  out->capacity = ts_machine_capacity (a->machine, (TsSpace) out->space);
}

TsMemoryResult *
ts_analyse_memory (const TsAnalysis *a, guint *n)
{
  TsScheduler x = { .stream = a->stream, .timing = a->timing, .stop = ts_analysis_stop_sorting, .stop_data = a };
  TsMemoryResult *results = g_new0 (TsMemoryResult, TS_MAX_CORES * TS_N_SPACES);
  Changes changes;

  *n = 0;
  memset (changes, 0, sizeof changes);
  ts_segments_init (&x, FALSE);
  collect_changes (a, &x, changes);
  a->progress->phase++;
  for (guint core = 0; core < a->stream->n_cores; core++)
    for (guint space = 0; space < TS_N_SPACES; space++)
      if (changes[core][space].size != 0)
        {
          TsMemoryResult *out = &results[(*n)++];
          out->core = (guint8) core;
          out->space = (guint8) space;
          fill_sizes (a, out);
          fill_curve (a, &changes[core][space], out);
        }
  ts_segments_clear (&x);
  return results;
}

/* --- the program -------------------------------------------------------------------------------------------------------- */

static void
take_collapsed (const TsMemoryFacts *facts, TsMemoryResult *out)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsCollapsed));

  for (guint32 i = 0; i < facts->n_sets; i++)
    {
      const TsMemoryCollapseSet *set = &facts->sets[i];
      const TsMemoryCollapse *first = &facts->collapses[set->collapse];
      const TsMemoryBuffer *a = &facts->buffers[set->buffer_a], *b = &facts->buffers[set->buffer_b];
      TsCollapsed collapsed = { .base = a->name, .with = a == b ? NULL : b->name, .group = set->group, .n_stages = set->n_stages,
                                .bytes = set->bytes, .op = facts->tiles[first->tile_a].op,
                                .other = facts->tiles[first->tile_b].op };

      if (a->space != out->space)
        continue;
      collapsed.stages = g_memdup2 (set->stages, set->n_stages * sizeof *set->stages);
      g_array_append_val (found, collapsed);
    }
  out->n_collapsed = found->len;
  out->collapsed = (const TsCollapsed *) (gpointer) g_array_free (g_steal_pointer (&found), FALSE);
}

void
ts_result_take_facts (TsResult *result, const TsModule *module, const TsStream *stream, TsStageLookup stages, gpointer data)
{
  TsMemoryResult *memory = (TsMemoryResult *) (gpointer) result->memory; /* const for those who read it */
  TsMemoryOptions options = { .stages = stages, .stages_data = data };
  g_autoptr (TsMemoryFacts) facts = NULL;

  for (guint core = 0; core < stream->n_cores; core++)
    {
      gint32 function = stream->cores[core].function;

      /* The vector cores of a group run one function. */
      if (core == 0 || function != stream->cores[core - 1].function)
        {
          ts_memory_facts_free (facts);
          facts = ts_memory_facts_new (module, module->functions[function], &options);
        }
      for (guint i = 0; facts != NULL && i < result->n_memory; i++)
        {
          const TsMemorySpace *space = memory[i].core == core ? ts_memory_facts_space (facts, (TsSpace) memory[i].space) : NULL;
          if (space == NULL)
            continue;
          memory[i].high_water = MAX (memory[i].high_water, space->high_water);
          take_collapsed (facts, &memory[i]);
        }
    }
}

void
ts_memory_results_free (TsMemoryResult *memory, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      for (guint k = 0; k < memory[i].n_collapsed; k++)
        g_free ((gpointer) memory[i].collapsed[k].stages);
      g_free ((gpointer) memory[i].collapsed);
      g_free ((gpointer) memory[i].live);
    }
  g_free (memory);
}
