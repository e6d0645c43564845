/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of packing (memory-packing.c): what it has in common with its two ways of looking for the first free buffer.
 *
 * A sweep (memory-sweep.c) goes through the program once per size: cheap, but only for few sizes. Gaps (memory-gaps.c) ask trees
 * that hold all the free time of buffers: for any number of sizes, but several times dearer for each interval, and a buffer that
 * changes its class takes all its gaps along. Both find the same buffers. */
#pragma once

#include "base/map.h"
#include "passes/memory-packing.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 child[2]; /* 0: none */
  guint32 best;     /* the largest entry below; 0: none */
} TsPackNode;

/* Buffers that hold the same stages of the same large groups. */
typedef struct
{
  guint32 n_buffers;
  guint32 active_at; /* index in `active` while n_buffers > 0 */
  guint32 example;   /* the buffer that came last, or was found last; it may have left since */
  guint32 root;      /* sweep: of the tree of its buffers' limits; 0: none yet */
} TsPackClass;

typedef struct
{
  guint32  class;
  gboolean closed; /* pinned: nothing joins */
  guint32  cursor; /* sweep: first member, in order of definition, that is not over */
  guint32  before; /* sweep: the one before it */
  guint32  root;   /* gaps: of the tree of its gaps */
  gboolean mixed;  /* gaps: members overlap (branches of an IF) */
} TsPackBuffer;

typedef struct TsPacker TsPacker;

/* A way of looking for the first free buffer. Intervals are positions in `order` and come in this order. */
typedef struct
{
  void    (*begin) (TsPacker *p);
  void    (*begin_size) (TsPacker *p, guint32 i);  /* interval `i` is smaller than the one before it */
  void    (*opened) (TsPacker *p, guint32 buffer); /* a buffer has been opened; it has no members yet */
  guint32 (*first_free) (TsPacker *p, guint32 i);  /* the first open buffer where lives and stages let `i` in, or TS_LIFE_NONE */
  void    (*add) (TsPacker *p, guint32 i, guint32 buffer); /* links `i` into the buffer in order of definition */
  void    (*leave) (TsPacker *p, guint32 buffer); /* the buffer's class is about to change */
  void    (*enter) (TsPacker *p, guint32 buffer); /* it has changed */
  void    (*end) (TsPacker *p);
} TsPackMethod;

struct TsPacker
{
  const TsPackSpace  *space;
  const TsPackMethod *method;
  TsStageRule         rule;
  TsPacking          *packing;
  GArray             *nodes, *classes, *active, *buffers;
  GArray             *first, *head;
  gboolean           *is_large;    /* per group: it tells classes apart */
  guint32            *blocked_for; /* per buffer: the interval it is forbidden for, + 1 */
  guint32             width;       /* leaves of a tree, a power of two */
  TsMap               stage_of;    /* (buffer, group) to (any stage, stage of loads) */
  TsMap               states, pairs, next_class;
  guint32             n_states, n_pairs;
  struct
  {
    guint32 *head, *next; /* per position: intervals over there; linked per interval */
    guint32  now;         /* position */
  } sweep;
  struct
  {
    guint32 *leaf_of; /* per interval: the leaf of the gap after it; the gap in front of buffer b has leaf b */
    guint32 *of_leaf; /* per leaf from n on: its interval */
    guint32 *over;    /* per position: leaves of gaps that begin there or before */
    guint32 *end;     /* per leaf: where the gap ends, + 1; 0: there is none */
    guint32  levels;  /* of groups of buffers: 1 while every buffer is asked by itself */
    TsMap    groups;  /* (class, level, group) to the root of its tree */
  } gaps;
};

extern const TsPackMethod ts_pack_sweep, ts_pack_gaps;

/* As ts_pack, in a given way: which one ts_pack takes does not show in the result. */
TsPacking *ts_pack_by (const TsPackSpace *space, TsStageRule rule, const TsPackMethod *method, gint64 limit,
                       GCancellable *cancellable);

/* --- used by both methods; memory-packing.c ------------------------------------------------------------------------------- */

guint32  ts_packer_new_node (TsPacker *p);
/* Sets the entry of a leaf of a tree. O(log width). */
void     ts_packer_tree_set (TsPacker *p, guint32 root, guint32 leaf, guint32 entry);
/* May interval `i` go into this buffer? Other than by lives and stages. */
gboolean ts_packer_is_open (const TsPacker *p, guint32 i, guint32 buffer);
/* Do the stages the buffer holds let interval `i` in? */
gboolean ts_packer_stages_allow (const TsPacker *p, guint32 i, guint32 buffer);
/* FALSE: the stages of large groups close all buffers of the class to it. TRUE: they do not, or no buffer is at hand that tells. */
gboolean ts_packer_class_allows (const TsPacker *p, guint32 i, guint32 class);
/* Records the stages of a new member; the buffer may change its class. */
void     ts_packer_add_stages (TsPacker *p, guint32 i, guint32 buffer);

static inline const TsLifeInterval *
ts_packer_interval (const TsPacker *p, guint32 i)
{
  return &p->space->life->intervals[p->space->order[i]];
}

static inline TsPackBuffer *
ts_packer_buffer (const TsPacker *p, guint32 buffer)
{
  return &g_array_index (p->buffers, TsPackBuffer, buffer);
}

/* The node below another one on a side, made when absent. */
static inline guint32
ts_packer_child (TsPacker *p, guint32 node, guint side)
{
  guint32 child = g_array_index (p->nodes, TsPackNode, node).child[side];
  if (child != 0)
    return child;
  child = ts_packer_new_node (p); /* the array moves */
  g_array_index (p->nodes, TsPackNode, node).child[side] = child;
  return child;
}

/* A node's entry becomes the larger one of its children's. Returns whether that is another one than before. */
static inline gboolean
ts_packer_pull (TsPacker *p, guint32 node)
{
  TsPackNode *nodes = (TsPackNode *) (void *) p->nodes->data, *up = &nodes[node];
  guint32 old = up->best; /* the node 0, which means none, has no entry */
  up->best = MAX (nodes[up->child[0]].best, nodes[up->child[1]].best);
  return up->best != old;
}

G_END_DECLS
