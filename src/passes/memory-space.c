/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The intervals of one memory space: their order, their pipeline groups, and the plain statement of what may share. */
#include "passes/memory-packing.h"

#include "base/number.h"
#include "ir/live-bytes.h"
#include "passes/allocations.h"

static int
compare_intervals (gconstpointer x, gconstpointer y, gpointer data)
{
  const TsLifetimes *life = data;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  const TsLifeInterval *ia = &life->intervals[a], *ib = &life->intervals[b];
  if (ia->size != ib->size)
    return ia->size > ib->size ? -1 : 1;
  if (ia->def != ib->def)
    return ia->def < ib->def ? -1 : 1;
  return a < b ? -1 : a > b;
}

typedef struct
{
  gint32 group, stage;
} GroupStage;

static int
compare_group_stage (gconstpointer x, gconstpointer y)
{
  const GroupStage *a = x, *b = y;
  if (a->group != b->group)
    return a->group < b->group ? -1 : 1;
  return a->stage < b->stage ? -1 : a->stage > b->stage;
}

/* The distinct (group, stage) pairs of the space, sorted, cut into groups. */
static void
collect_groups (TsPackSpace *space)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (GroupStage));
  for (guint32 i = 0; i < space->n; i++)
    {
      const TsLifeInterval *interval = &space->life->intervals[space->order[i]];
      for (guint32 k = 0; k < interval->n_stages; k++)
        {
          GroupStage pair = { interval->stages[k].group, interval->stages[k].stage };
          g_array_append_val (pairs, pair);
        }
    }
  g_array_sort (pairs, compare_group_stage);
  space->groups = g_new0 (TsPackGroup, pairs->len + 1);
  for (guint i = 0; i < pairs->len; i++)
    {
      const GroupStage *pair = &g_array_index (pairs, GroupStage, i);
      TsPackGroup *group = space->n_groups > 0 ? &space->groups[space->n_groups - 1] : NULL;
      if (group == NULL || group->group != pair->group)
        {
          group = &space->groups[space->n_groups++];
          group->group = pair->group;
          guint end = i;
          while (end < pairs->len && g_array_index (pairs, GroupStage, end).group == pair->group)
            end++;
          group->stages = g_new (gint32, end - i);
        }
      if (group->n_stages == 0 || group->stages[group->n_stages - 1] != pair->stage)
        group->stages[group->n_stages++] = pair->stage;
      group->depth = group->n_stages;
    }
}

static guint32
find_group (const TsPackSpace *space, gint32 number)
{
  guint32 low = 0, high = space->n_groups;
  while (low + 1 < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (space->groups[middle].group <= number)
        low = middle;
      else
        high = middle;
    }
  return low;
}

static guint32
find_ordinal (const TsPackGroup *group, gint32 stage)
{
  guint32 low = 0, high = group->n_stages;
  while (low + 1 < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (group->stages[middle] <= stage)
        low = middle;
      else
        high = middle;
    }
  return low;
}

static void
collect_keys (TsPackSpace *space)
{
  guint32 total = 0;
  space->key_start = g_new (guint32, (gsize) space->n + 1);
  for (guint32 i = 0; i < space->n; i++)
    {
      space->key_start[i] = total;
      total += space->life->intervals[space->order[i]].n_stages;
    }
  space->key_start[space->n] = total;
  space->keys = g_malloc0 (sizeof *space->keys * ((gsize) total + 1));
  for (guint32 i = 0; i < space->n; i++)
    {
      const TsLifeInterval *interval = &space->life->intervals[space->order[i]];
      for (guint32 k = 0; k < interval->n_stages; k++)
        {
          guint32 at = space->key_start[i] + k, index = find_group (space, interval->stages[k].group);
          TsPackGroup *group = &space->groups[index];
          space->keys[at].group = index;
          space->keys[at].stage = interval->stages[k].stage;
          space->keys[at].ordinal = find_ordinal (group, interval->stages[k].stage);
          group->slot = MAX (group->slot, interval->size);
        }
    }
}

TsPackSpace *
ts_pack_space_new (const TsLifetimes *life, const TsConstraints *constraints, TsSpace id)
{
  TsPackSpace *space = g_new0 (TsPackSpace, 1);
  space->life = life;
  space->constraints = constraints;
  space->space = id;
  space->order = g_new (guint32, (gsize) life->n_intervals + 1);
  for (guint32 i = 0; i < life->n_intervals; i++)
    if (life->intervals[i].space == id)
      space->order[space->n++] = i;
  g_qsort_with_data (space->order, (gint) space->n, sizeof (guint32), compare_intervals, (gpointer) life);
  space->rank = g_new (guint32, (gsize) life->n_intervals + 1);
  for (guint32 i = 0; i < space->n; i++)
    space->rank[space->order[i]] = i;
  collect_groups (space);
  collect_keys (space);
  return space;
}

void
ts_pack_space_free (TsPackSpace *space)
{
  if (space == NULL)
    return;
  for (guint32 i = 0; i < space->n_groups; i++)
    g_free (space->groups[i].stages);
  g_free (space->groups);
  g_free (space->order);
  g_free (space->rank);
  g_free (space->key_start);
  g_free (space->keys);
  g_free (space);
}

gint64
ts_pack_buffer_bytes (const TsPackSpace *space, guint32 i)
{
  const TsLifeInterval *interval = &space->life->intervals[space->order[i]];
  gint64 asked;
  if (interval->pinned && interval->alloc != NULL && ts_alloc_bytes (interval->alloc, &asked))
    return MAX (asked, interval->size);
  return MAX (interval->size, 0);
}

gint64
ts_pack_floor (const TsPackSpace *space)
{
  g_autoptr (GArray) lives = ts_live_bytes_new ();
  gint64 most, cursor = 0;
  for (guint32 i = 0; i < space->n; i++)
    {
      const TsLifeInterval *interval = &space->life->intervals[space->order[i]];
      gint64 end = ts_add_sat (cursor, ts_round_up (ts_pack_buffer_bytes (space, i), TS_BUFFER_ALIGNMENT));
      /* Branches may share what overlaps, and lives may touch. There are no addresses yet: each has bytes of its own. */
      if (!interval->has_family && interval->def != interval->last)
        ts_live_bytes_add (lives, interval->def, interval->last, cursor, end);
      cursor = end;
    }
  ts_live_bytes_curve (lives, NULL, &most, NULL);
  return most;
}

static gboolean
stages_block (const TsPackSpace *space, TsStageRule rule, guint32 a, guint32 b)
{
  gboolean load = space->life->intervals[space->order[a]].is_load || space->life->intervals[space->order[b]].is_load;
  if (rule == TS_STAGES_FREE || (rule == TS_STAGES_LEGACY && !load))
    return FALSE;
  for (guint32 i = space->key_start[a]; i < space->key_start[a + 1]; i++)
    for (guint32 k = space->key_start[b]; k < space->key_start[b + 1]; k++)
      {
        if (space->keys[i].group != space->keys[k].group)
          continue;
        guint32 depth = rule == TS_STAGES_GATED ? space->groups[space->keys[i].group].depth : G_MAXUINT32;
        if (space->keys[i].ordinal % depth != space->keys[k].ordinal % depth)
          return TRUE;
      }
  return FALSE;
}

const char *
ts_pack_blocked (const TsPackSpace *space, TsStageRule rule, guint32 a, guint32 b)
{
  guint32 ia = space->order[a], ib = space->order[b];
  if (space->life->intervals[ia].pinned || space->life->intervals[ib].pinned)
    return "pinned";
  if (ts_lifetimes_overlap (space->life, ia, ib))
    return "live";
  const TsConstraints *c = space->constraints;
  for (guint32 i = c->start[ia]; i < c->start[ia + 1]; i++)
    if (c->entries[i].interval == ib)
      return ts_constraint_name (c->entries[i].kind);
  return stages_block (space, rule, a, b) ? "stage" : NULL;
}

void
ts_packing_free (TsPacking *packing)
{
  if (packing == NULL)
    return;
  g_free (packing->buffer_of);
  g_free (packing->first);
  g_free (packing->next);
  g_free (packing->head);
  g_free (packing);
}
