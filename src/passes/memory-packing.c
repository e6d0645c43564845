/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First fit without looking at every buffer for every interval: what stages, pins and other rare pairs forbid, and the choice of
 * the way in which lives are asked (memory-packer.h). Stages are kept apart by classes of buffers, those that hold the same stages
 * of the same groups. The rare pairs that may not share for another reason are skipped one by one, and the rare pairs that may
 * overlap (branches of an IF) are looked at besides. */
#include "passes/memory-packer.h"

#include "base/number.h"
#include "passes/allocations.h"

#define NONE G_MAXUINT32
/* Stages a buffer holds of one group: one number, or these. */
#define STAGE_NONE G_MAXUINT32
#define STAGE_MIXED (G_MAXUINT32 - 1)

/* --- trees -------------------------------------------------------------------------------------------------------------- */

guint32
ts_packer_new_node (TsPacker *p)
{
  TsPackNode node = { { 0, 0 }, 0 };
  g_array_append_val (p->nodes, node);
  return p->nodes->len - 1;
}

void
ts_packer_tree_set (TsPacker *p, guint32 root, guint32 at, guint32 best)
{
  guint32 path[40], depth = 0, node = root;
  for (guint32 half = p->width / 2; half > 0; half /= 2)
    {
      path[depth++] = node;
      node = ts_packer_child (p, node, (at & half) != 0);
    }
  g_array_index (p->nodes, TsPackNode, node).best = best;
  while (depth > 0 && ts_packer_pull (p, path[depth - 1]))
    depth--;
}

/* --- classes of buffers ------------------------------------------------------------------------------------------------- */

static guint32
new_class (TsPacker *p)
{
  TsPackClass class = { 0 };
  g_array_append_val (p->classes, class);
  return p->classes->len - 1;
}

static void
enter_class (TsPacker *p, guint32 id, guint32 buffer)
{
  TsPackClass *class = &g_array_index (p->classes, TsPackClass, id);
  class->example = buffer;
  if (class->n_buffers++ > 0)
    return;
  class->active_at = p->active->len;
  g_array_append_val (p->active, id);
}

static void
leave_class (TsPacker *p, guint32 id)
{
  TsPackClass *class = &g_array_index (p->classes, TsPackClass, id);
  if (--class->n_buffers > 0)
    return;
  guint32 last = g_array_index (p->active, guint32, p->active->len - 1);
  g_array_index (p->active, guint32, class->active_at) = last;
  g_array_index (p->classes, TsPackClass, last).active_at = class->active_at;
  g_array_set_size (p->active, p->active->len - 1);
}

static guint32
intern (TsMap *map, guint32 a, guint32 b, guint32 *n)
{
  guint64 key = (guint64) a << 32 | b;
  guint32 id = (guint32) ts_map_get (map, key, NONE);
  if (id == NONE)
    ts_map_set (map, key, id = (*n)++);
  return id;
}

/* The class a buffer is in after its stages of one group became `state`. */
static guint32
class_after (TsPacker *p, guint32 class, guint32 group, guint32 any, guint32 load)
{
  guint32 pair = intern (&p->pairs, group, intern (&p->states, any, load, &p->n_states), &p->n_pairs);
  guint64 key = (guint64) class << 32 | pair;
  guint32 next = (guint32) ts_map_get (&p->next_class, key, NONE);
  if (next == NONE)
    ts_map_set (&p->next_class, key, next = new_class (p));
  return next;
}

static guint32
stage_key (const TsPacker *p, guint32 key)
{
  const TsPackSpace *space = p->space;
  guint32 ordinal = space->keys[key].ordinal;
  return p->rule == TS_STAGES_GATED ? ordinal % space->groups[space->keys[key].group].depth : ordinal;
}

#define EMPTY_STATE ((guint64) STAGE_NONE << 32 | STAGE_NONE)

/* Do the stages of those groups allow interval `i` in the buffer: of all groups, or of the large ones? */
static gboolean
groups_allow (const TsPacker *p, guint32 i, guint32 buffer, gboolean only_large)
{
  const TsPackSpace *space = p->space;
  gboolean any = p->rule == TS_STAGES_GATED || ts_packer_interval (p, i)->is_load;
  for (guint32 k = space->key_start[i]; k < space->key_start[i + 1]; k++)
    {
      if (only_large && !p->is_large[space->keys[k].group])
        continue;
      guint64 state = ts_map_get (&p->stage_of, (guint64) buffer << 32 | space->keys[k].group, EMPTY_STATE);
      guint32 held = any ? (guint32) (state >> 32) : (guint32) state;
      if (held != STAGE_NONE && held != stage_key (p, k))
        return FALSE;
    }
  return TRUE;
}

gboolean
ts_packer_stages_allow (const TsPacker *p, guint32 i, guint32 buffer)
{
  return groups_allow (p, i, buffer, FALSE);
}

gboolean
ts_packer_class_allows (const TsPacker *p, guint32 i, guint32 id)
{
  const TsPackClass *class = &g_array_index (p->classes, TsPackClass, id);
  return ts_packer_buffer (p, class->example)->class != id || groups_allow (p, i, class->example, TRUE);
}

static guint32
merge_stage (guint32 held, guint32 stage)
{
  return held == STAGE_NONE || held == stage ? stage : STAGE_MIXED;
}

/* Records the stages of a new member; the buffer may change its class. */
void
ts_packer_add_stages (TsPacker *p, guint32 i, guint32 buffer)
{
  const TsPackSpace *space = p->space;
  TsPackBuffer *b = ts_packer_buffer (p, buffer);
  if (b->closed || p->rule == TS_STAGES_FREE || space->key_start[i] == space->key_start[i + 1])
    return;
  guint32 class = b->class;
  for (guint32 k = space->key_start[i]; k < space->key_start[i + 1]; k++)
    {
      guint64 key = (guint64) buffer << 32 | space->keys[k].group, state = ts_map_get (&p->stage_of, key, EMPTY_STATE);
      guint32 any = merge_stage ((guint32) (state >> 32), stage_key (p, k)), load = (guint32) state;
      if (ts_packer_interval (p, i)->is_load)
        load = merge_stage (load, stage_key (p, k));
      guint64 now = (guint64) any << 32 | load;
      if (now == state)
        continue;
      ts_map_set (&p->stage_of, key, now);
      if (p->is_large[space->keys[k].group])
        class = class_after (p, class, space->keys[k].group, any, load);
    }
  if (class == b->class)
    return;
  p->method->leave (p, buffer);
  leave_class (p, b->class);
  b->class = class;
  enter_class (p, class, buffer);
  p->method->enter (p, buffer);
}

/* --- members ------------------------------------------------------------------------------------------------------------ */

static guint32
open_buffer (TsPacker *p, guint32 i)
{
  TsPackBuffer buffer = { .closed = ts_packer_interval (p, i)->pinned };
  guint32 none = NONE;
  g_array_append_val (p->buffers, buffer);
  g_array_append_val (p->first, i);
  g_array_append_val (p->head, none);
  if (!buffer.closed)
    enter_class (p, 0, p->buffers->len - 1);
  p->method->opened (p, p->buffers->len - 1);
  gint64 bytes = ts_round_up (ts_pack_buffer_bytes (p->space, i), TS_BUFFER_ALIGNMENT);
  p->packing->bytes = ts_add_sat (p->packing->bytes, bytes);
  return p->buffers->len - 1;
}

/* --- choosing ----------------------------------------------------------------------------------------------------------- */

static void
mark_forbidden (TsPacker *p, guint32 i)
{
  const TsConstraints *c = p->space->constraints;
  guint32 interval = p->space->order[i];
  for (guint32 k = c->start[interval]; k < c->start[interval + 1]; k++)
    {
      guint32 buffer = p->packing->buffer_of[p->space->rank[c->entries[k].interval]];
      if (buffer != NONE)
        p->blocked_for[buffer] = i + 1;
    }
}

/* May interval `i` go into this buffer? Other than by lives. */
gboolean
ts_packer_is_open (const TsPacker *p, guint32 i, guint32 buffer)
{
  return !ts_packer_buffer (p, buffer)->closed && p->blocked_for[buffer] != i + 1;
}

static gboolean
fits_exactly (const TsPacker *p, guint32 i, guint32 buffer)
{
  for (guint32 k = g_array_index (p->head, guint32, buffer); k != NONE; k = p->packing->next[k])
    if (ts_pack_blocked (p->space, p->rule, i, k) != NULL)
      return FALSE;
  return TRUE;
}

/* The first buffer, before `best`, that holds a tile of another branch and fits by the exact rule. */
static guint32
first_of_family (const TsPacker *p, guint32 i, guint32 best)
{
  const TsLifetimes *life = p->space->life;
  const TsLifeInterval *interval = ts_packer_interval (p, i);
  guint32 tiles = 0;
  for (guint32 t = interval->representative; t != TS_LIFE_NONE && tiles < 1024; t = life->tiles[t].next_member, tiles++)
    for (guint32 f = life->tiles[t].first_family; f != TS_LIFE_NONE; f = life->families[f].next)
      {
        guint32 low = f, family = life->families[f].family;
        while (low > 0 && life->families[low - 1].family == family)
          low--;
        for (; low < life->n_families && life->families[low].family == family; low++)
          {
            guint32 other = life->tiles[life->families[low].tile].interval;
            if (life->intervals[other].space != p->space->space || life->intervals[other].pinned)
              continue;
            guint32 buffer = p->packing->buffer_of[p->space->rank[other]];
            if (buffer < best && fits_exactly (p, i, buffer))
              best = buffer;
          }
      }
  return best;
}

static void
place (TsPacker *p, guint32 i)
{
  const TsLifeInterval *interval = ts_packer_interval (p, i);
  guint32 buffer = NONE;
  if (!interval->pinned)
    {
      mark_forbidden (p, i);
      buffer = p->method->first_free (p, i);
      if (interval->has_family)
        buffer = first_of_family (p, i, buffer);
    }
  if (buffer == NONE)
    buffer = open_buffer (p, i);
  p->method->add (p, i, buffer);
}

/* A group is large when it has more intervals than ten times the square root of all. So few are that a buffer seldom changes its
 * class, however many loops there are; and a small group can close no more buffers than that to an interval. To skip those is
 * cheaper than to ask many classes of few buffers: a lower bound makes loops of medium length dearer. */
static void
find_large_groups (TsPacker *p)
{
  const TsPackSpace *space = p->space;
  g_autofree guint32 *count = g_new0 (guint32, (gsize) space->n_groups + 1);
  p->is_large = g_new0 (gboolean, (gsize) space->n_groups + 1);
  for (guint32 k = 0; k < space->key_start[space->n]; k++)
    count[space->keys[k].group]++;
  for (guint32 g = 0; g < space->n_groups; g++)
    p->is_large[g] = (guint64) count[g] * count[g] > (guint64) space->n * 100;
}

static TsPacker
packer_new (const TsPackSpace *space, TsStageRule rule, const TsPackMethod *method, TsPacking *packing)
{
  TsPacker p = { .space = space, .rule = rule, .method = method, .packing = packing, .width = 1 };
  p.nodes = g_array_new (FALSE, FALSE, sizeof (TsPackNode));
  p.classes = g_array_new (FALSE, FALSE, sizeof (TsPackClass));
  p.active = g_array_new (FALSE, FALSE, sizeof (guint32));
  p.buffers = g_array_new (FALSE, FALSE, sizeof (TsPackBuffer));
  p.first = g_array_new (FALSE, FALSE, sizeof (guint32));
  p.head = g_array_new (FALSE, FALSE, sizeof (guint32));
  p.blocked_for = g_new0 (guint32, (gsize) space->n + 1);
  ts_packer_new_node (&p); /* index 0 means none */
  new_class (&p);
  find_large_groups (&p);
  p.method->begin (&p);
  return p;
}

static void
packer_clear (TsPacker *p)
{
  p->method->end (p);
  GArray *arrays[] = { p->nodes, p->classes, p->active, p->buffers };
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (arrays[i]);
  g_free (p->blocked_for);
  g_free (p->is_large);
  TsMap *maps[] = { &p->stage_of, &p->states, &p->pairs, &p->next_class };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    ts_map_clear (maps[i]);
}

TsPacking *
ts_pack_by (const TsPackSpace *space, TsStageRule rule, const TsPackMethod *method, gint64 limit, GCancellable *cancellable)
{
  TsPacking *packing = g_new0 (TsPacking, 1);
  packing->buffer_of = g_new (guint32, (gsize) space->n + 1);
  packing->next = g_new (guint32, (gsize) space->n + 1);
  for (guint32 i = 0; i < space->n; i++)
    packing->buffer_of[i] = packing->next[i] = NONE;
  TsPacker p = packer_new (space, rule, method, packing);
  gboolean cancelled = FALSE;
  packing->whole = TRUE;
  for (guint32 i = 0; i < space->n && !cancelled && packing->whole; i++)
    {
      if (i > 0 && ts_packer_interval (&p, i)->size != ts_packer_interval (&p, i - 1)->size)
        p.method->begin_size (&p, i);
      place (&p, i);
      packing->whole = packing->bytes <= limit;
      cancelled = (i & 1023) == 0 && g_cancellable_is_cancelled (cancellable);
    }
  packing->n_buffers = p.buffers->len;
  packing->first = (guint32 *) g_array_free (p.first, FALSE);
  packing->head = (guint32 *) g_array_free (p.head, FALSE);
  packer_clear (&p);
  if (cancelled)
    g_clear_pointer (&packing, ts_packing_free);
  return packing;
}

/* A sweep costs about as much as all intervals and positions: up to so many sizes that is less than trees of gaps cost. */
#define MAX_SWEEPS 16u

static const TsPackMethod *
choose_method (const TsPackSpace *space)
{
  guint32 n_sizes = 1;
  for (guint32 i = 1; i < space->n && n_sizes <= MAX_SWEEPS; i++)
    n_sizes += space->life->intervals[space->order[i]].size != space->life->intervals[space->order[i - 1]].size;
  return n_sizes <= MAX_SWEEPS ? &ts_pack_sweep : &ts_pack_gaps;
}

TsPacking *
ts_pack (const TsPackSpace *space, TsStageRule rule, gint64 limit, GCancellable *cancellable)
{
  return ts_pack_by (space, rule, choose_method (space), limit, cancellable);
}
