/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first free buffer by sweeps through the program.
 *
 * Intervals come by size, and within one size in order of definition: so each size is one sweep. At any moment of the sweep a
 * buffer is described by one number, its limit: where the next of its members that is not over yet begins. An interval fits, as
 * far as lives go, where the limit is not before its last use. A segment tree over the buffers finds the first such one. Stages
 * are kept apart by having one tree per class of buffers: an interval asks only the classes it may join. */
#include "passes/memory-packer.h"

#define NONE TS_LIFE_NONE

/* The first buffer at or after `from` whose entry is at least `need`. Depth is the logarithm of the number of buffers. */
static guint32
tree_find (const TsPacker *p, guint32 index, guint32 low, guint32 width, guint32 from, guint32 need)
{
  const TsPackNode *node = &g_array_index (p->nodes, TsPackNode, index);
  if (node->best < need || low + width <= from)
    return NONE;
  if (width == 1)
    return low;
  guint32 found = node->child[0] ? tree_find (p, node->child[0], low, width / 2, from, need) : NONE;
  if (found == NONE && node->child[1])
    found = tree_find (p, node->child[1], low + width / 2, width / 2, from, need);
  return found;
}

static void
publish_limit (TsPacker *p, guint32 buffer)
{
  const TsPackBuffer *b = ts_packer_buffer (p, buffer);
  if (b->closed)
    return;
  guint32 limit = b->cursor == NONE ? G_MAXUINT32 : ts_packer_interval (p, b->cursor)->def + 1;
  TsPackClass *class = &g_array_index (p->classes, TsPackClass, b->class);
  if (class->root == 0)
    class->root = ts_packer_new_node (p);
  ts_packer_tree_set (p, class->root, buffer, limit);
}

static void
advance (TsPacker *p, guint32 buffer, guint32 position)
{
  TsPackBuffer *b = ts_packer_buffer (p, buffer);
  gboolean moved = FALSE;
  while (b->cursor != NONE && ts_packer_interval (p, b->cursor)->last <= position)
    {
      b->before = b->cursor;
      b->cursor = p->packing->next[b->cursor];
      moved = TRUE;
    }
  if (moved)
    publish_limit (p, buffer);
}

static void
expire_at (TsPacker *p, guint32 i)
{
  guint32 *head = &p->sweep.head[ts_packer_interval (p, i)->last];
  p->sweep.next[i] = *head;
  *head = i;
}

static void
sweep_to (TsPacker *p, guint32 position)
{
  for (; p->sweep.now <= position; p->sweep.now++)
    for (guint32 i = p->sweep.head[p->sweep.now]; i != NONE; i = p->sweep.next[i])
      advance (p, p->packing->buffer_of[i], p->sweep.now);
}

/* Back to the start of the program, with everything that the larger sizes have placed: the first `n` intervals. */
static void
restart_sweep (TsPacker *p, guint32 n)
{
  for (guint32 i = 0; i < p->space->life->n_positions; i++)
    p->sweep.head[i] = NONE;
  for (guint32 i = 0; i < n; i++)
    expire_at (p, i);
  for (guint32 b = 0; b < p->buffers->len; b++)
    {
      TsPackBuffer *buffer = ts_packer_buffer (p, b);
      buffer->cursor = g_array_index (p->head, guint32, b);
      buffer->before = NONE;
      publish_limit (p, b);
    }
  p->sweep.now = 0;
}

/* Links interval `i` into its buffer in order of definition and updates the buffer's limit. */
static void
add_member (TsPacker *p, guint32 i, guint32 buffer)
{
  const TsLifeInterval *interval = ts_packer_interval (p, i);
  sweep_to (p, interval->def);
  TsPackBuffer *b = ts_packer_buffer (p, buffer);
  guint32 *next = p->packing->next, *head = &g_array_index (p->head, guint32, buffer);
  guint32 before = b->before;
  if (b->cursor != NONE && ts_packer_interval (p, b->cursor)->def < interval->def)
    { /* it overlaps a member of another branch: find its place from there */
      before = b->cursor;
      while (next[before] != NONE && ts_packer_interval (p, next[before])->def <= interval->def)
        before = next[before];
    }
  guint32 *link = before == NONE ? head : &next[before];
  next[i] = *link;
  *link = i;
  p->packing->buffer_of[i] = buffer;
  if (before == b->before)
    b->cursor = i;
  ts_packer_add_stages (p, i, buffer);
  advance (p, buffer, p->sweep.now > 0 ? p->sweep.now - 1 : 0);
  publish_limit (p, buffer);
  expire_at (p, i);
}

/* The first buffer of a class, before `best`, that interval `i` may join. What large groups say is the same for all of the class;
 * the few buffers that something else closes are skipped one by one. */
static guint32
first_in_class (TsPacker *p, guint32 i, guint32 id, guint32 best)
{
  TsPackClass *class = &g_array_index (p->classes, TsPackClass, id);
  guint32 need = ts_packer_interval (p, i)->last + 1;
  for (guint32 from = 0; from < best && ts_packer_class_allows (p, i, id); from++)
    {
      from = tree_find (p, class->root, 0, p->width, from, need);
      if (from >= best)
        return NONE;
      if (ts_packer_is_open (p, i, from) && ts_packer_stages_allow (p, i, from))
        return from;
      class->example = from;
    }
  return NONE;
}

static guint32
first_free (TsPacker *p, guint32 i)
{
  guint32 best = NONE;
  sweep_to (p, ts_packer_interval (p, i)->def);
  for (guint32 k = 0; k < p->active->len; k++)
    best = MIN (best, first_in_class (p, i, g_array_index (p->active, guint32, k), best));
  return best;
}

static void
opened (TsPacker *p, guint32 buffer)
{
  ts_packer_buffer (p, buffer)->cursor = NONE;
  ts_packer_buffer (p, buffer)->before = NONE;
}

/* Out of the tree of its class: the class it enters gets its limit once it has its new member. */
static void
leave_class (TsPacker *p, guint32 buffer)
{
  guint32 root = g_array_index (p->classes, TsPackClass, ts_packer_buffer (p, buffer)->class).root;
  if (root != 0)
    ts_packer_tree_set (p, root, buffer, 0);
}

static void
enter_class (TsPacker *p G_GNUC_UNUSED, guint32 buffer G_GNUC_UNUSED)
{
}

static void
begin (TsPacker *p)
{
  while (p->width < MAX (p->space->n, 1u))
    p->width *= 2;
  p->sweep.head = g_new (guint32, (gsize) p->space->life->n_positions + 1);
  p->sweep.next = g_new (guint32, (gsize) p->space->n + 1);
  restart_sweep (p, 0);
}

static void
end (TsPacker *p)
{
  g_free (p->sweep.head);
  g_free (p->sweep.next);
}

const TsPackMethod ts_pack_sweep = {
  .begin = begin, .begin_size = restart_sweep, .opened = opened, .first_free = first_free, .add = add_member,
  .leave = leave_class, .enter = enter_class, .end = end,
};
