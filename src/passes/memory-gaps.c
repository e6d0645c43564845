/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first free buffer from trees over gaps.
 *
 * Members of a buffer leave gaps: from where one of them is over to where the next one begins. An interval fits, as far as lives
 * go, where some gap begins no later than it and ends no earlier. All intervals are known beforehand, so every gap has a leaf:
 * that of the member it follows, in order of where lives end; the gap in front of a buffer's first member has one of its own,
 * before all those. A segment tree over the leaves that holds where gaps end tells of a set of buffers whether an interval fits
 * in one of them: something before its own beginning has to end late enough. There is such a tree for each buffer, for each
 * sixteen neighbours, for each sixteen of those, and so on: the first buffer is found from the top. Stages are kept apart by
 * having such trees for each class of buffers: an interval asks only the classes it may join. */
#include "passes/memory-packer.h"

#define NONE TS_LIFE_NONE
#define CLOSED (NONE - 1)

/* Buffers, or groups of them, that have one tree together: 2 to this power. */
#define GROUP_BITS 4u

/* A part of a tree. */
typedef struct
{
  guint32 node, low, width; /* it has leaves low .. low + width - 1 */
} Part;

/* A part of the tree that lies wholly before leaf `end` and has an entry of at least `need` (> 0); node 0: there is none. On the
 * way down to `end` such parts branch off to the left: the first one met, or, with `last`, the one that is met last. */
static Part
find_part (const TsPacker *p, guint32 root, guint32 end, guint32 need, gboolean last)
{
  const TsPackNode *nodes = (const TsPackNode *) (const void *) p->nodes->data;
  Part found = { 0 }, at = { root, 0, p->width };
  if (end >= p->width)
    return nodes[root].best >= need ? at : found;
  while (at.width > 1 && nodes[at.node].best >= need && (last || found.node == 0)) /* node 0 has no entry */
    {
      const TsPackNode *node = &nodes[at.node];
      gboolean right = end - at.low >= at.width / 2;
      at = (Part) { node->child[right], right ? at.low + at.width / 2 : at.low, at.width / 2 };
      if (right && nodes[node->child[0]].best >= need)
        found = (Part) { node->child[0], at.low - at.width, at.width };
    }
  return found;
}

/* Does an interval fit into a gap of this tree? */
static gboolean
has_gap (const TsPacker *p, guint32 root, guint32 i)
{
  const TsLifeInterval *interval = ts_packer_interval (p, i);
  return find_part (p, root, p->gaps.over[interval->def], interval->last + 1, FALSE).node != 0;
}

/* The leaf of the last gap that an interval fits into, or NONE. */
static guint32
find_gap (const TsPacker *p, guint32 root, guint32 i)
{
  const TsLifeInterval *interval = ts_packer_interval (p, i);
  const TsPackNode *nodes = (const TsPackNode *) (const void *) p->nodes->data;
  guint32 need = interval->last + 1;
  Part part = find_part (p, root, p->gaps.over[interval->def], need, TRUE);
  if (part.node == 0)
    return NONE;
  for (; part.width > 1; part.width /= 2)
    {
      gboolean right = nodes[nodes[part.node].child[1]].best >= need;
      part.node = nodes[part.node].child[right];
      part.low += right ? part.width / 2 : 0;
    }
  return part.low;
}

static guint64
group_key (guint32 class, guint32 level, guint32 group)
{
  return ((guint64) class << 4 | level) << 28 | group;
}

static guint32
group_root (TsPacker *p, guint32 class, guint32 level, guint32 group)
{
  guint64 key = group_key (class, level, group);
  guint32 root = (guint32) ts_map_get (&p->gaps.groups, key, 0);
  if (root == 0)
    ts_map_set (&p->gaps.groups, key, root = ts_packer_new_node (p));
  return root;
}

/* The entries below one node enter the tree of another, or leave it; both nodes have the same leaves. Costs as much as the first
 * tree has nodes: what its paths have in common is gone through once. */
static void
move_tree (TsPacker *p, guint32 to, guint32 from, gboolean enter)
{
  const TsPackNode node = g_array_index (p->nodes, TsPackNode, from); /* a copy: the array grows */
  if (node.best == 0)
    return;
  for (guint side = 0; side < 2; side++)
    if (node.child[side] != 0)
      move_tree (p, ts_packer_child (p, to, side), node.child[side], enter);
  if (node.child[0] == 0 && node.child[1] == 0)
    g_array_index (p->nodes, TsPackNode, to).best = enter ? node.best : 0;
  else
    ts_packer_pull (p, to);
}

/* Enters a gap of a buffer (or none, with 0) in the trees of its groups from `level` on. */
static void
set_in_groups (TsPacker *p, guint32 class, guint32 buffer, guint32 leaf, guint32 end, guint32 level)
{
  for (; level < p->gaps.levels; level++)
    ts_packer_tree_set (p, group_root (p, class, level, buffer >> (GROUP_BITS * level)), leaf, end);
}

static void
set_gap (TsPacker *p, guint32 buffer, guint32 leaf, guint32 end)
{
  const TsPackBuffer *b = ts_packer_buffer (p, buffer);
  guint32 root = b->root, class = b->class;
  if (b->closed || p->gaps.end[leaf] == end)
    return;
  p->gaps.end[leaf] = end;
  ts_packer_tree_set (p, root, leaf, end);
  set_in_groups (p, class, buffer, leaf, end, 1);
}

/* All gaps of a buffer leave the trees of one class's groups, or enter them. */
static void
move_gaps (TsPacker *p, guint32 buffer, guint32 class, gboolean enter, guint32 level)
{
  for (; level < p->gaps.levels; level++)
    move_tree (p, group_root (p, class, level, buffer >> (GROUP_BITS * level)), ts_packer_buffer (p, buffer)->root, enter);
}

/* One level more: so many buffers are asked one by one no longer. */
static void
add_level (TsPacker *p)
{
  p->gaps.levels++;
  for (guint32 b = 0; b < p->buffers->len; b++)
    if (!ts_packer_buffer (p, b)->closed)
      move_gaps (p, b, ts_packer_buffer (p, b)->class, TRUE, p->gaps.levels - 1);
}

/* Where the gap after a member ends: at the next one. */
static guint32
end_before (const TsPacker *p, guint32 next)
{
  return next == NONE ? G_MAXUINT32 : ts_packer_interval (p, next)->def + 1;
}

/* The gaps of a buffer whose members overlap: each begins where the longest-lived member so far is over. */
static void
renew_gaps (TsPacker *p, guint32 buffer)
{
  guint32 longest = buffer, last = 0, head = g_array_index (p->head, guint32, buffer);
  for (guint32 k = head; k != NONE; k = p->packing->next[k])
    set_gap (p, buffer, p->gaps.leaf_of[k], 0);
  set_gap (p, buffer, buffer, end_before (p, head));
  for (guint32 k = head; k != NONE; k = p->packing->next[k])
    {
      if (k == head || ts_packer_interval (p, k)->last >= last)
        {
          longest = p->gaps.leaf_of[k];
          last = ts_packer_interval (p, k)->last;
        }
      set_gap (p, buffer, longest, MAX (p->gaps.end[longest], end_before (p, p->packing->next[k])));
    }
}

/* The member that interval `i` comes after, from `before` on (NONE: from the first one on). */
static guint32
place_in_list (const TsPacker *p, guint32 i, guint32 buffer, guint32 before)
{
  guint32 next = before == NONE ? g_array_index (p->head, guint32, buffer) : p->packing->next[before];
  for (; next != NONE && ts_packer_interval (p, next)->def <= ts_packer_interval (p, i)->def; next = p->packing->next[next])
    before = next;
  return before;
}

/* Links interval `i` into its buffer in order of definition: into a gap, unless it overlaps a member of another branch. */
static void
add_member (TsPacker *p, guint32 i, guint32 buffer)
{
  TsPackBuffer *b = ts_packer_buffer (p, buffer);
  guint32 *next = p->packing->next, *head = &g_array_index (p->head, guint32, buffer);
  guint32 gap = find_gap (p, b->root, i);
  b->mixed = b->mixed || (gap == NONE && *head != NONE);
  guint32 before = place_in_list (p, i, buffer, gap == NONE || gap < p->space->n ? NONE : p->gaps.of_leaf[gap]);
  guint32 *link = before == NONE ? head : &next[before];
  next[i] = *link;
  *link = i;
  p->packing->buffer_of[i] = buffer;
  if (b->closed)
    return;
  ts_packer_add_stages (p, i, buffer); /* first: a new buffer has no gaps yet that would change their class */
  if (b->mixed)
    renew_gaps (p, buffer);
  else
    {
      set_gap (p, buffer, before == NONE ? buffer : p->gaps.leaf_of[before], ts_packer_interval (p, i)->def + 1);
      set_gap (p, buffer, p->gaps.leaf_of[i], end_before (p, next[i]));
    }
}

/* The buffer if it is of the class and lets interval `i` in; CLOSED when large groups close all of the class, which it tells from
 * now on, to it; or NONE. Stages first: they are looked up at once, a gap is searched for. */
static guint32
ask_buffer (TsPacker *p, guint32 i, guint32 class, guint32 buffer)
{
  const TsPackBuffer *b = ts_packer_buffer (p, buffer);
  if (b->class != class || !ts_packer_is_open (p, i, buffer))
    return NONE;
  if (ts_packer_stages_allow (p, i, buffer))
    return has_gap (p, b->root, i) ? buffer : NONE;
  g_array_index (p->classes, TsPackClass, class).example = buffer;
  return ts_packer_class_allows (p, i, class) ? NONE : CLOSED;
}

/* The first buffer before `end` of one class, in one group of a level, that lets interval `i` in; or CLOSED, or NONE. The depth is
 * that of the levels. */
static guint32
first_in_group (TsPacker *p, guint32 i, guint32 class, guint32 level, guint32 group, guint32 end)
{
  if (level == 0)
    return ask_buffer (p, i, class, group);
  guint32 root = (guint32) ts_map_get (&p->gaps.groups, group_key (class, level, group), 0), found = NONE;
  if (root == 0 || !has_gap (p, root, i))
    return NONE;
  guint32 low = group << GROUP_BITS, last = MIN ((end - 1) >> (GROUP_BITS * (level - 1)), low + (1u << GROUP_BITS) - 1);
  for (guint32 k = low; k <= last && found == NONE; k++)
    found = first_in_group (p, i, class, level - 1, k, end);
  return found;
}

/* The first buffer of a class, before `best`, that interval `i` may join. What large groups say is the same for all of the class;
 * the few buffers that a small group closes are skipped one by one. */
static guint32
first_in_class (TsPacker *p, guint32 i, guint32 class, guint32 best)
{
  guint32 level = p->gaps.levels - 1, end = MIN (best, p->buffers->len), found = NONE;
  if (end == 0 || !ts_packer_class_allows (p, i, class))
    return NONE;
  for (guint32 group = 0; group <= (end - 1) >> (GROUP_BITS * level) && found == NONE; group++)
    found = first_in_group (p, i, class, level, group, end);
  return found == CLOSED ? NONE : found;
}

/* Few buffers are asked one by one; else the groups of every class that the interval may join. */
static guint32
first_free (TsPacker *p, guint32 i)
{
  guint32 best = NONE;
  for (guint32 b = 0; p->gaps.levels == 1 && b < p->buffers->len; b++)
    if (ask_buffer (p, i, ts_packer_buffer (p, b)->class, b) == b)
      return b;
  for (guint32 k = 0; p->gaps.levels > 1 && k < p->active->len; k++)
    best = MIN (best, first_in_class (p, i, g_array_index (p->active, guint32, k), best));
  return best;
}

static int
compare_ends (gconstpointer x, gconstpointer y, gpointer data)
{
  const TsPacker *p = data;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  guint32 last_a = ts_packer_interval (p, a)->last, last_b = ts_packer_interval (p, b)->last;
  if (last_a != last_b)
    return last_a < last_b ? -1 : 1;
  return a < b ? -1 : a > b;
}

/* Leaves 0 .. n - 1 are of the gaps in front of buffers, n .. 2 n - 1 of those after intervals. */
static void
number_leaves (TsPacker *p)
{
  guint32 n = p->space->n, k = 0;
  guint32 *ends = g_new (guint32, (gsize) n + 1);
  for (guint32 i = 0; i < n; i++)
    ends[i] = i;
  g_qsort_with_data (ends, (gint) n, sizeof (guint32), compare_ends, p);
  p->gaps.leaf_of = g_new (guint32, (gsize) n + 1);
  p->gaps.of_leaf = g_new (guint32, (gsize) n * 2 + 1);
  p->gaps.end = g_new0 (guint32, (gsize) n * 2 + 1);
  p->gaps.over = g_new (guint32, (gsize) p->space->life->n_positions + 1);
  for (guint32 i = 0; i < n; i++)
    {
      p->gaps.leaf_of[ends[i]] = n + i;
      p->gaps.of_leaf[n + i] = ends[i];
    }
  for (guint32 at = 0; at < p->space->life->n_positions; at++)
    {
      while (k < n && ts_packer_interval (p, ends[k])->last <= at)
        k++;
      p->gaps.over[at] = n + k;
    }
  g_free (ends);
}

static void
begin (TsPacker *p)
{
  while (p->width / 2 < MAX (p->space->n, 1u))
    p->width *= 2;
  p->gaps.levels = 1;
  number_leaves (p);
}

static void
begin_size (TsPacker *p G_GNUC_UNUSED, guint32 i G_GNUC_UNUSED)
{
}

static void
opened (TsPacker *p, guint32 buffer)
{
  guint32 root = ts_packer_new_node (p);
  ts_packer_buffer (p, buffer)->root = root;
  if (p->buffers->len > 1u << (GROUP_BITS * p->gaps.levels))
    add_level (p);
}

static void
leave_class (TsPacker *p, guint32 buffer)
{
  move_gaps (p, buffer, ts_packer_buffer (p, buffer)->class, FALSE, 1);
}

static void
enter_class (TsPacker *p, guint32 buffer)
{
  move_gaps (p, buffer, ts_packer_buffer (p, buffer)->class, TRUE, 1);
}

static void
end (TsPacker *p)
{
  g_free (p->gaps.leaf_of);
  g_free (p->gaps.of_leaf);
  g_free (p->gaps.end);
  g_free (p->gaps.over);
  ts_map_clear (&p->gaps.groups);
}

const TsPackMethod ts_pack_gaps = {
  .begin = begin, .begin_size = begin_size, .opened = opened, .first_free = first_free, .add = add_member,
  .leave = leave_class, .enter = enter_class, .end = end,
};
