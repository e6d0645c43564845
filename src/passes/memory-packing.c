/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First fit without looking at every buffer for every interval.
 *
 * Members of a buffer leave gaps: from where one of them is over to where the next one begins. An interval fits, as far as lives
 * go, where some gap begins no later than it and ends no earlier. All intervals are known beforehand, so every gap has a leaf:
 * that of the member it follows, in order of where lives end; the gap in front of a buffer's first member has one of its own,
 * before all those. A segment tree over the leaves that holds where gaps end tells of a set of buffers whether an interval fits
 * in one of them: something before its own beginning has to end late enough. There is such a tree for each buffer, for each
 * sixteen neighbours, for each sixteen of those, and so on: the first buffer is found from the top. Stages are kept apart by
 * having such trees for each class of buffers, those that hold the same stages of the same groups: an interval asks only the
 * classes it may join. The rare pairs that may not share for another reason are skipped one by one, and the rare pairs that may
 * overlap (branches of an IF) are looked at besides. */
#include "passes/memory-packing.h"

#include "base/map.h"
#include "base/number.h"
#include "passes/allocations.h"

#define NONE G_MAXUINT32
/* Stages a buffer holds of one group: one number, or these. */
#define STAGE_NONE G_MAXUINT32
#define STAGE_MIXED (G_MAXUINT32 - 1)

/* Buffers, or groups of them, that have one tree together: 2 to this power. */
#define GROUP_BITS 4u

typedef struct
{
  guint32 child[2]; /* 0: none */
  guint32 best;     /* where the latest gap below ends, + 1; 0: none */
} Node;

typedef struct
{
  guint32 n_buffers;
  guint32 active_at; /* index in `active` while n_buffers > 0 */
} Class;

typedef struct
{
  guint32  root;   /* of its own tree */
  guint32  class;
  gboolean closed;
  gboolean mixed;  /* members overlap: branches of an IF */
} Buffer;

typedef struct
{
  const TsPackSpace *space;
  TsStageRule        rule;
  TsPacking         *packing;
  GArray            *nodes, *classes, *active, *buffers;
  GArray            *first, *head;
  guint32           *leaf_of;      /* per interval: the leaf of the gap after it; the gap in front of buffer b has leaf b */
  guint32           *of_leaf;      /* per leaf from n on: its interval */
  guint32           *over;         /* per position: leaves of gaps that begin there or before */
  guint32           *gap_end;      /* per leaf: where the gap ends, + 1; 0: there is none */
  guint32           *blocked_for;  /* per buffer: the interval it is forbidden for, + 1 */
  guint32            width;        /* leaves of a tree */
  guint32            levels;       /* of groups: 1 while every buffer is asked by itself */
  TsMap              groups;       /* (class, level, group) to the root of its tree */
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

/* The last leaf before `end` whose entry is at least `need`, or NONE; the node has leaves low .. low + width - 1. Of the nodes that
 * lie wholly before `end` only one that has such a leaf is entered: the depth is the logarithm of the number of leaves. */
static guint32
tree_find (const Packer *p, guint32 index, guint32 low, guint32 width, guint32 end, guint32 need)
{
  const Node *node = &g_array_index (p->nodes, Node, index);
  if (index == 0 || node->best < need || low >= end)
    return NONE;
  if (width == 1)
    return low;
  guint32 found = tree_find (p, node->child[1], low + width / 2, width / 2, end, need);
  return found != NONE ? found : tree_find (p, node->child[0], low, width / 2, end, need);
}

/* The leaf of the gap that an interval fits into, or NONE. */
static guint32
find_gap (const Packer *p, guint32 root, guint32 i)
{
  const TsLifeInterval *interval = interval_at (p, i);
  return tree_find (p, root, 0, p->width, p->over[interval->def], interval->last + 1);
}

/* --- groups of buffers -------------------------------------------------------------------------------------------------- */

static guint64
group_key (guint32 class, guint32 level, guint32 group)
{
  return ((guint64) class << 4 | level) << 28 | group;
}

static guint32
group_root (Packer *p, guint32 class, guint32 level, guint32 group)
{
  guint64 key = group_key (class, level, group);
  guint32 root = (guint32) ts_map_get (&p->groups, key, 0);
  if (root == 0)
    ts_map_set (&p->groups, key, root = new_node (p));
  return root;
}

/* Enters a gap of a buffer (or none, with 0) in the trees of its groups from `level` on. */
static void
set_in_groups (Packer *p, guint32 class, guint32 buffer, guint32 leaf, guint32 end, guint32 level)
{
  for (; level < p->levels; level++)
    tree_set (p, group_root (p, class, level, buffer >> (GROUP_BITS * level)), leaf, end);
}

static void
set_gap (Packer *p, guint32 buffer, guint32 leaf, guint32 end)
{
  const Buffer *b = &g_array_index (p->buffers, Buffer, buffer);
  guint32 root = b->root, class = b->class;
  if (b->closed || p->gap_end[leaf] == end)
    return;
  p->gap_end[leaf] = end;
  tree_set (p, root, leaf, end);
  set_in_groups (p, class, buffer, leaf, end, 1);
}

/* All gaps of a buffer leave the trees of one class's groups, or enter them. */
static void
move_gaps (Packer *p, guint32 buffer, guint32 class, gboolean enter, guint32 level)
{
  if (p->gap_end[buffer] > 0)
    set_in_groups (p, class, buffer, buffer, enter ? p->gap_end[buffer] : 0, level);
  for (guint32 k = g_array_index (p->head, guint32, buffer); k != NONE; k = p->packing->next[k])
    if (p->gap_end[p->leaf_of[k]] > 0)
      set_in_groups (p, class, buffer, p->leaf_of[k], enter ? p->gap_end[p->leaf_of[k]] : 0, level);
}

/* One level more: so many buffers are asked one by one no longer. */
static void
add_level (Packer *p)
{
  p->levels++;
  for (guint32 b = 0; b < p->buffers->len; b++)
    if (!g_array_index (p->buffers, Buffer, b).closed)
      move_gaps (p, b, g_array_index (p->buffers, Buffer, b).class, TRUE, p->levels - 1);
}

/* --- classes of buffers ------------------------------------------------------------------------------------------------- */

static guint32
new_class (Packer *p)
{
  Class class = { 0, 0 };
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
  move_gaps (p, buffer, b->class, FALSE, 1);
  leave_class (p, b->class);
  b->class = class;
  enter_class (p, class);
  move_gaps (p, buffer, class, TRUE, 1);
}

/* --- members ------------------------------------------------------------------------------------------------------------ */

/* Where the gap after a member ends: at the next one. */
static guint32
end_before (const Packer *p, guint32 next)
{
  return next == NONE ? G_MAXUINT32 : interval_at (p, next)->def + 1;
}

/* The gaps of a buffer whose members overlap: each begins where the longest-lived member so far is over. */
static void
renew_gaps (Packer *p, guint32 buffer)
{
  guint32 longest = buffer, last = 0, head = g_array_index (p->head, guint32, buffer);
  for (guint32 k = head; k != NONE; k = p->packing->next[k])
    set_gap (p, buffer, p->leaf_of[k], 0);
  set_gap (p, buffer, buffer, end_before (p, head));
  for (guint32 k = head; k != NONE; k = p->packing->next[k])
    {
      if (k == head || interval_at (p, k)->last >= last)
        {
          longest = p->leaf_of[k];
          last = interval_at (p, k)->last;
        }
      set_gap (p, buffer, longest, MAX (p->gap_end[longest], end_before (p, p->packing->next[k])));
    }
}

/* The member that interval `i` comes after, from `before` on (NONE: from the first one on). */
static guint32
place_in_list (const Packer *p, guint32 i, guint32 buffer, guint32 before)
{
  guint32 next = before == NONE ? g_array_index (p->head, guint32, buffer) : p->packing->next[before];
  for (; next != NONE && interval_at (p, next)->def <= interval_at (p, i)->def; next = p->packing->next[next])
    before = next;
  return before;
}

/* Links interval `i` into its buffer in order of definition, into the gap of a leaf (NONE: it overlaps a member of another
 * branch). */
static void
add_member (Packer *p, guint32 i, guint32 buffer, guint32 gap)
{
  Buffer *b = &g_array_index (p->buffers, Buffer, buffer);
  guint32 *next = p->packing->next, *head = &g_array_index (p->head, guint32, buffer);
  b->mixed = b->mixed || (gap == NONE && *head != NONE);
  guint32 before = place_in_list (p, i, buffer, gap == NONE || gap < p->space->n ? NONE : p->of_leaf[gap]);
  guint32 *link = before == NONE ? head : &next[before];
  next[i] = *link;
  *link = i;
  p->packing->buffer_of[i] = buffer;
  if (b->closed)
    return;
  if (b->mixed)
    renew_gaps (p, buffer);
  else
    {
      set_gap (p, buffer, before == NONE ? buffer : p->leaf_of[before], interval_at (p, i)->def + 1);
      set_gap (p, buffer, p->leaf_of[i], end_before (p, next[i]));
    }
  add_stages (p, i, buffer);
}

static guint32
open_buffer (Packer *p, guint32 i)
{
  Buffer buffer = { new_node (p), 0, interval_at (p, i)->pinned, FALSE };
  guint32 none = NONE;
  g_array_append_val (p->buffers, buffer);
  g_array_append_val (p->first, i);
  g_array_append_val (p->head, none);
  if (!buffer.closed)
    enter_class (p, 0);
  if (p->buffers->len > 1u << (GROUP_BITS * p->levels))
    add_level (p);
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

/* May interval `i` go into this buffer? Other than by lives. */
static gboolean
is_open_to (const Packer *p, guint32 i, guint32 buffer)
{
  return !g_array_index (p->buffers, Buffer, buffer).closed && p->blocked_for[buffer] != i + 1;
}

/* The first buffer of one class, in one group of a level, that has a gap for interval `i`. The depth is that of the levels. */
static guint32
first_in_group (const Packer *p, guint32 i, guint32 class, guint32 level, guint32 group)
{
  if (level == 0)
    {
      const Buffer *b = &g_array_index (p->buffers, Buffer, group);
      return b->class == class && is_open_to (p, i, group) && find_gap (p, b->root, i) != NONE ? group : NONE;
    }
  guint32 root = (guint32) ts_map_get (&p->groups, group_key (class, level, group), 0);
  if (root == 0 || find_gap (p, root, i) == NONE)
    return NONE;
  guint32 last = (p->buffers->len - 1) >> (GROUP_BITS * (level - 1));
  for (guint32 k = group << GROUP_BITS; k <= MIN (last, (group << GROUP_BITS) + (1u << GROUP_BITS) - 1); k++)
    {
      guint32 found = first_in_group (p, i, class, level - 1, k);
      if (found != NONE)
        return found;
    }
  return NONE;
}

/* Few buffers are asked one by one; else the groups of every class that the interval may join. */
static guint32
first_free (Packer *p, guint32 i)
{
  guint32 best = NONE, level = p->levels - 1;
  for (guint32 b = 0; p->levels == 1 && b < p->buffers->len; b++)
    if (is_open_to (p, i, b) && find_gap (p, g_array_index (p->buffers, Buffer, b).root, i) != NONE && stages_allow (p, i, b))
      return b;
  for (guint32 k = 0; level > 0 && k < p->active->len; k++)
    {
      guint32 found = NONE;
      for (guint32 g = 0; found == NONE && g <= (p->buffers->len - 1) >> (GROUP_BITS * level); g++)
        found = first_in_group (p, i, g_array_index (p->active, guint32, k), level, g);
      if (found < best && stages_allow (p, i, found))
        best = found;
    }
  return best;
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
  if (!interval->pinned)
    {
      mark_forbidden (p, i);
      buffer = first_free (p, i);
      if (interval->has_family)
        buffer = first_of_family (p, i, buffer);
    }
  if (buffer == NONE)
    buffer = open_buffer (p, i);
  add_member (p, i, buffer, find_gap (p, g_array_index (p->buffers, Buffer, buffer).root, i));
}

static int
compare_ends (gconstpointer x, gconstpointer y, gpointer data)
{
  const Packer *p = data;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  guint32 last_a = interval_at (p, a)->last, last_b = interval_at (p, b)->last;
  if (last_a != last_b)
    return last_a < last_b ? -1 : 1;
  return a < b ? -1 : a > b;
}

/* Leaves 0 .. n - 1 are of the gaps in front of buffers, n .. 2 n - 1 of those after intervals. */
static void
number_leaves (Packer *p)
{
  guint32 n = p->space->n, k = 0;
  guint32 *ends = g_new (guint32, (gsize) n + 1);
  for (guint32 i = 0; i < n; i++)
    ends[i] = i;
  g_qsort_with_data (ends, (gint) n, sizeof (guint32), compare_ends, p);
  p->leaf_of = g_new (guint32, (gsize) n + 1);
  p->of_leaf = g_new (guint32, (gsize) n * 2 + 1);
  p->gap_end = g_new0 (guint32, (gsize) n * 2 + 1);
  p->over = g_new (guint32, (gsize) p->space->life->n_positions + 1);
  for (guint32 i = 0; i < n; i++)
    {
      p->leaf_of[ends[i]] = n + i;
      p->of_leaf[n + i] = ends[i];
    }
  for (guint32 at = 0; at < p->space->life->n_positions; at++)
    {
      while (k < n && interval_at (p, ends[k])->last <= at)
        k++;
      p->over[at] = n + k;
    }
  g_free (ends);
}

static Packer
packer_new (const TsPackSpace *space, TsStageRule rule, TsPacking *packing)
{
  Packer p = { .space = space, .rule = rule, .packing = packing, .width = 1 };
  while (p.width / 2 < MAX (space->n, 1u))
    p.width *= 2;
  p.levels = 1;
  p.nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  p.classes = g_array_new (FALSE, FALSE, sizeof (Class));
  p.active = g_array_new (FALSE, FALSE, sizeof (guint32));
  p.buffers = g_array_new (FALSE, FALSE, sizeof (Buffer));
  p.first = g_array_new (FALSE, FALSE, sizeof (guint32));
  p.head = g_array_new (FALSE, FALSE, sizeof (guint32));
  number_leaves (&p);
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
  g_free (p->leaf_of);
  g_free (p->of_leaf);
  g_free (p->gap_end);
  g_free (p->over);
  g_free (p->blocked_for);
  TsMap *maps[] = { &p->stage_of, &p->states, &p->pairs, &p->next_class, &p->groups };
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
