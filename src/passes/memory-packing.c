/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First fit without looking at every buffer for every interval.
 *
 * Intervals come by size, and within one size in order of definition: so each size is one sweep through the program. At any moment
 * of the sweep a buffer is described by one number, its limit: where the next of its members that is not over yet begins. An
 * interval fits, as far as lives go, where the limit is not before its last use. A segment tree over the buffers finds the first
 * such one. Stages are kept apart by having one tree per class of buffers, those that hold the same stages of the same groups: an
 * interval asks only the classes it may join. The rare pairs that may not share for another reason are skipped one by one, and the
 * rare pairs that may overlap (branches of an IF) are looked at besides. */
#include "passes/memory-packing.h"

#include "base/map.h"
#include "base/number.h"
#include "passes/allocations.h"

#define NONE G_MAXUINT32
/* Stages a buffer holds of one group: one number, or these. */
#define STAGE_NONE G_MAXUINT32
#define STAGE_MIXED (G_MAXUINT32 - 1)

typedef struct
{
  guint32 child[2]; /* 0: none */
  guint32 best;     /* largest limit + 1 below; 0: no buffer */
} Node;

typedef struct
{
  guint32 root;
  guint32 n_buffers;
  guint32 active_at; /* index in `active` while n_buffers > 0 */
} Class;

typedef struct
{
  guint32 cursor; /* first member, in order of definition, that is not over */
  guint32 before; /* the one before it */
  guint32 class;
  gboolean closed;
} Buffer;

typedef struct
{
  const TsPackSpace *space;
  TsStageRule        rule;
  TsPacking         *packing;
  GArray            *nodes, *classes, *active, *buffers;
  GArray            *first, *head;
  guint32           *expire_head, *expire_next; /* per position: intervals over there; linked per interval */
  guint32           *blocked_for;  /* per buffer: the interval it is forbidden for, + 1 */
  guint32            width;        /* leaves of a tree */
  guint32            now;          /* position of the sweep */
  TsMap              stage_of;     /* (buffer, group) to (any stage, stage of loads) */
  TsMap              states, pairs, next_class;
  guint32            n_states, n_pairs;
} Packer;

static const TsLifeInterval *
interval_at (const Packer *p, guint32 i)
{
  return &p->space->life->intervals[p->space->order[i]];
}

/* --- trees -------------------------------------------------------------------------------------------------------------- */

static guint32
new_node (Packer *p)
{
  Node node = { { 0, 0 }, 0 };
  g_array_append_val (p->nodes, node);
  return p->nodes->len - 1;
}

static void
tree_set (Packer *p, guint32 root, guint32 at, guint32 best)
{
  guint32 path[40], depth = 0, node = root, low = 0, width = p->width;
  while (width > 1)
    {
      path[depth++] = node;
      width /= 2;
      guint side = at >= low + width;
      guint32 child = g_array_index (p->nodes, Node, node).child[side];
      if (child == 0)
        {
          child = new_node (p);
          g_array_index (p->nodes, Node, node).child[side] = child;
        }
      if (side)
        low += width;
      node = child;
    }
  g_array_index (p->nodes, Node, node).best = best;
  while (depth-- > 0)
    {
      Node *up = &g_array_index (p->nodes, Node, path[depth]);
      guint32 left = up->child[0] ? g_array_index (p->nodes, Node, up->child[0]).best : 0;
      guint32 right = up->child[1] ? g_array_index (p->nodes, Node, up->child[1]).best : 0;
      up->best = MAX (left, right);
    }
}

/* The first buffer at or after `from` whose entry is at least `need`. Depth is the logarithm of the number of buffers. */
static guint32
tree_find (const Packer *p, guint32 index, guint32 low, guint32 width, guint32 from, guint32 need)
{
  const Node *node = &g_array_index (p->nodes, Node, index);
  if (node->best < need || low + width <= from)
    return NONE;
  if (width == 1)
    return low;
  guint32 found = node->child[0] ? tree_find (p, node->child[0], low, width / 2, from, need) : NONE;
  if (found == NONE && node->child[1])
    found = tree_find (p, node->child[1], low + width / 2, width / 2, from, need);
  return found;
}

/* --- classes of buffers ------------------------------------------------------------------------------------------------- */

static guint32
new_class (Packer *p)
{
  Class class = { new_node (p), 0, 0 };
  g_array_append_val (p->classes, class);
  return p->classes->len - 1;
}

static void
enter_class (Packer *p, guint32 id)
{
  Class *class = &g_array_index (p->classes, Class, id);
  if (class->n_buffers++ > 0)
    return;
  class->active_at = p->active->len;
  g_array_append_val (p->active, id);
}

static void
leave_class (Packer *p, guint32 id)
{
  Class *class = &g_array_index (p->classes, Class, id);
  if (--class->n_buffers > 0)
    return;
  guint32 last = g_array_index (p->active, guint32, p->active->len - 1);
  g_array_index (p->active, guint32, class->active_at) = last;
  g_array_index (p->classes, Class, last).active_at = class->active_at;
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
class_after (Packer *p, guint32 class, guint32 group, guint32 any, guint32 load)
{
  guint32 pair = intern (&p->pairs, group, intern (&p->states, any, load, &p->n_states), &p->n_pairs);
  guint64 key = (guint64) class << 32 | pair;
  guint32 next = (guint32) ts_map_get (&p->next_class, key, NONE);
  if (next == NONE)
    ts_map_set (&p->next_class, key, next = new_class (p));
  return next;
}

static guint32
stage_key (const Packer *p, guint32 key)
{
  const TsPackSpace *space = p->space;
  guint32 ordinal = space->keys[key].ordinal;
  return p->rule == TS_STAGES_GATED ? ordinal % space->groups[space->keys[key].group].depth : ordinal;
}

#define EMPTY_STATE ((guint64) STAGE_NONE << 32 | STAGE_NONE)

/* May interval `i` join the buffers that hold the stages of `buffer`? */
static gboolean
stages_allow (const Packer *p, guint32 i, guint32 buffer)
{
  const TsPackSpace *space = p->space;
  gboolean any = p->rule == TS_STAGES_GATED || interval_at (p, i)->is_load;
  for (guint32 k = space->key_start[i]; k < space->key_start[i + 1]; k++)
    {
      guint64 state = ts_map_get (&p->stage_of, (guint64) buffer << 32 | space->keys[k].group, EMPTY_STATE);
      guint32 held = any ? (guint32) (state >> 32) : (guint32) state;
      if (held != STAGE_NONE && held != stage_key (p, k))
        return FALSE;
    }
  return TRUE;
}

static guint32
merge_stage (guint32 held, guint32 stage)
{
  return held == STAGE_NONE || held == stage ? stage : STAGE_MIXED;
}

/* Records the stages of a new member; the buffer may change its class. */
static void
add_stages (Packer *p, guint32 i, guint32 buffer)
{
  const TsPackSpace *space = p->space;
  Buffer *b = &g_array_index (p->buffers, Buffer, buffer);
  if (b->closed || p->rule == TS_STAGES_FREE || space->key_start[i] == space->key_start[i + 1])
    return;
  guint32 class = b->class;
  for (guint32 k = space->key_start[i]; k < space->key_start[i + 1]; k++)
    {
      guint64 key = (guint64) buffer << 32 | space->keys[k].group, state = ts_map_get (&p->stage_of, key, EMPTY_STATE);
      guint32 any = merge_stage ((guint32) (state >> 32), stage_key (p, k)), load = (guint32) state;
      if (interval_at (p, i)->is_load)
        load = merge_stage (load, stage_key (p, k));
      guint64 now = (guint64) any << 32 | load;
      if (now == state)
        continue;
      ts_map_set (&p->stage_of, key, now);
      class = class_after (p, class, space->keys[k].group, any, load);
    }
  if (class == b->class)
    return;
  tree_set (p, g_array_index (p->classes, Class, b->class).root, buffer, 0);
  leave_class (p, b->class);
  b->class = class;
  enter_class (p, class);
}

/* --- the sweep ---------------------------------------------------------------------------------------------------------- */

static void
publish_limit (Packer *p, guint32 buffer)
{
  const Buffer *b = &g_array_index (p->buffers, Buffer, buffer);
  if (b->closed)
    return;
  guint32 limit = b->cursor == NONE ? G_MAXUINT32 : interval_at (p, b->cursor)->def + 1;
  tree_set (p, g_array_index (p->classes, Class, b->class).root, buffer, limit);
}

static void
advance (Packer *p, guint32 buffer, guint32 position)
{
  Buffer *b = &g_array_index (p->buffers, Buffer, buffer);
  gboolean moved = FALSE;
  while (b->cursor != NONE && interval_at (p, b->cursor)->last <= position)
    {
      b->before = b->cursor;
      b->cursor = p->packing->next[b->cursor];
      moved = TRUE;
    }
  if (moved)
    publish_limit (p, buffer);
}

static void
expire_at (Packer *p, guint32 i)
{
  guint32 *head = &p->expire_head[interval_at (p, i)->last];
  p->expire_next[i] = *head;
  *head = i;
}

static void
sweep_to (Packer *p, guint32 position)
{
  for (; p->now <= position; p->now++)
    for (guint32 i = p->expire_head[p->now]; i != NONE; i = p->expire_next[i])
      advance (p, p->packing->buffer_of[i], p->now);
}

/* Back to the start of the program, with everything that the larger sizes have placed: the first `n` intervals. */
static void
restart_sweep (Packer *p, guint32 n)
{
  for (guint32 i = 0; i < p->space->life->n_positions; i++)
    p->expire_head[i] = NONE;
  for (guint32 i = 0; i < n; i++)
    expire_at (p, i);
  for (guint32 b = 0; b < p->buffers->len; b++)
    {
      Buffer *buffer = &g_array_index (p->buffers, Buffer, b);
      buffer->cursor = g_array_index (p->head, guint32, b);
      buffer->before = NONE;
      publish_limit (p, b);
    }
  p->now = 0;
}

/* Links interval `i` into its buffer in order of definition and updates the buffer's limit. */
static void
add_member (Packer *p, guint32 i, guint32 buffer)
{
  const TsLifeInterval *interval = interval_at (p, i);
  Buffer *b = &g_array_index (p->buffers, Buffer, buffer);
  guint32 *next = p->packing->next, *head = &g_array_index (p->head, guint32, buffer);
  guint32 before = b->before;
  if (b->cursor != NONE && interval_at (p, b->cursor)->def < interval->def)
    { /* it overlaps a member of another branch: find its place from there */
      before = b->cursor;
      while (next[before] != NONE && interval_at (p, next[before])->def <= interval->def)
        before = next[before];
    }
  guint32 *link = before == NONE ? head : &next[before];
  next[i] = *link;
  *link = i;
  p->packing->buffer_of[i] = buffer;
  if (before == b->before)
    b->cursor = i;
  add_stages (p, i, buffer);
  advance (p, buffer, p->now > 0 ? p->now - 1 : 0);
  publish_limit (p, buffer);
  expire_at (p, i);
}

static guint32
open_buffer (Packer *p, guint32 i)
{
  Buffer buffer = { NONE, NONE, 0, interval_at (p, i)->pinned };
  guint32 none = NONE;
  g_array_append_val (p->buffers, buffer);
  g_array_append_val (p->first, i);
  g_array_append_val (p->head, none);
  if (!buffer.closed)
    enter_class (p, 0);
  gint64 bytes = ts_round_up (ts_pack_buffer_bytes (p->space, i), TS_BUFFER_ALIGNMENT);
  p->packing->bytes = ts_add_sat (p->packing->bytes, bytes);
  return p->buffers->len - 1;
}

/* --- choosing ----------------------------------------------------------------------------------------------------------- */

static void
mark_forbidden (Packer *p, guint32 i)
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

static guint32
first_free (Packer *p, guint32 i)
{
  guint32 need = interval_at (p, i)->last + 1, from = 0;
  while (TRUE)
    {
      guint32 best = NONE;
      for (guint32 k = 0; k < p->active->len; k++)
        {
          const Class *class = &g_array_index (p->classes, Class, g_array_index (p->active, guint32, k));
          guint32 found = tree_find (p, class->root, 0, p->width, from, need);
          if (found < best && stages_allow (p, i, found))
            best = found;
        }
      if (best == NONE || p->blocked_for[best] != i + 1)
        return best;
      from = best + 1;
    }
}

static gboolean
fits_exactly (const Packer *p, guint32 i, guint32 buffer)
{
  for (guint32 k = g_array_index (p->head, guint32, buffer); k != NONE; k = p->packing->next[k])
    if (ts_pack_blocked (p->space, p->rule, i, k) != NULL)
      return FALSE;
  return TRUE;
}

/* The first buffer, before `best`, that holds a tile of another branch and fits by the exact rule. */
static guint32
first_of_family (const Packer *p, guint32 i, guint32 best)
{
  const TsLifetimes *life = p->space->life;
  const TsLifeInterval *interval = interval_at (p, i);
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
place (Packer *p, guint32 i)
{
  const TsLifeInterval *interval = interval_at (p, i);
  guint32 buffer = NONE;
  sweep_to (p, interval->def);
  if (!interval->pinned)
    {
      mark_forbidden (p, i);
      buffer = first_free (p, i);
      if (interval->has_family)
        buffer = first_of_family (p, i, buffer);
    }
  add_member (p, i, buffer != NONE ? buffer : open_buffer (p, i));
}

static Packer
packer_new (const TsPackSpace *space, TsStageRule rule, TsPacking *packing)
{
  Packer p = { .space = space, .rule = rule, .packing = packing, .width = 1 };
  while (p.width < MAX (space->n, 1u))
    p.width *= 2;
  p.nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  p.classes = g_array_new (FALSE, FALSE, sizeof (Class));
  p.active = g_array_new (FALSE, FALSE, sizeof (guint32));
  p.buffers = g_array_new (FALSE, FALSE, sizeof (Buffer));
  p.first = g_array_new (FALSE, FALSE, sizeof (guint32));
  p.head = g_array_new (FALSE, FALSE, sizeof (guint32));
  p.expire_head = g_new (guint32, (gsize) space->life->n_positions + 1);
  p.expire_next = g_new (guint32, (gsize) space->n + 1);
  p.blocked_for = g_new0 (guint32, (gsize) space->n + 1);
  new_node (&p); /* index 0 means none */
  new_class (&p);
  return p;
}

static void
packer_clear (Packer *p)
{
  GArray *arrays[] = { p->nodes, p->classes, p->active, p->buffers };
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (arrays[i]);
  g_free (p->expire_head);
  g_free (p->expire_next);
  g_free (p->blocked_for);
  TsMap *maps[] = { &p->stage_of, &p->states, &p->pairs, &p->next_class };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    ts_map_clear (maps[i]);
}

TsPacking *
ts_pack (const TsPackSpace *space, TsStageRule rule, gint64 limit, GCancellable *cancellable)
{
  TsPacking *packing = g_new0 (TsPacking, 1);
  packing->buffer_of = g_new (guint32, (gsize) space->n + 1);
  packing->next = g_new (guint32, (gsize) space->n + 1);
  for (guint32 i = 0; i < space->n; i++)
    packing->buffer_of[i] = packing->next[i] = NONE;
  Packer p = packer_new (space, rule, packing);
  gboolean cancelled = FALSE;
  packing->whole = TRUE;
  for (guint32 i = 0; i < space->n && !cancelled && packing->whole; i++)
    {
      if (i == 0 || interval_at (&p, i)->size != interval_at (&p, i - 1)->size)
        restart_sweep (&p, i);
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
