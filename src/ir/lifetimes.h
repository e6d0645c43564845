/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When each tile of a function is live, in program order, and the intervals of its allocations. Source: spec passes-memory 5.1. */
#pragma once

#include "base/map.h"
#include "ir/module.h"

G_BEGIN_DECLS

#define TS_LIFE_NONE G_MAXUINT32

/* One tile variable that an operation of its own defines (not a carried value, not a result of control flow). */
typedef struct
{
  TsValue *value;
  TsOp    *op;           /* that defines it; NULL: a parameter (only with TS_LIFETIMES_PARAMS) */
  guint32  def, last;    /* positions in program order; `last` >= `def` */
  guint32  interval;
  guint32  next_member;  /* next tile of the interval in order of definition, or TS_LIFE_NONE */
  guint32  first_family; /* entry of `families`, or TS_LIFE_NONE */
} TsLifeTile;

/* Tiles that become one result of an IF share a family: at most one of them exists in a run. */
typedef struct
{
  guint32 family;
  guint32 tile;
  guint32 next; /* next family of the same tile, or TS_LIFE_NONE */
} TsLifeFamily;

/* All tiles on one allocation. */
typedef struct
{
  TsValue       *base;
  TsOp          *alloc;          /* statement that makes the base, or NULL */
  gint64         size;           /* bytes of the earliest member (one slot, where there are slots) */
  guint32        def, last;      /* first definition, last use of any member */
  guint32        representative; /* tile: the earliest member */
  guint32        last_member;
  guint32        n_members;
  guint32        n_stages;
  const TsStage *stages;         /* pipeline membership: that of the first member which has one */
  guint8         space;          /* TsSpace */
  guint8         is_load;        /* that member comes from tile.load or tile.read */
  guint8         pinned;         /* declared by the author: never shared */
  guint8         has_family;
} TsLifeInterval;

/* A loop's positions: [start, end]; an empty body has end < start. */
typedef struct
{
  guint32 start, end;
  guint32 parent; /* or TS_LIFE_NONE */
} TsLifeLoop;

typedef struct
{
  TsOp          **ops;          /* operation at each position */
  guint32        *loop_at;      /* innermost loop at each position, or TS_LIFE_NONE */
  guint32         n_positions;
  TsLifeTile     *tiles;        /* in order of definition */
  guint32         n_tiles;
  TsLifeInterval *intervals;    /* in order of their first definition */
  guint32         n_intervals;
  TsLifeLoop     *loops;        /* in order of their starts */
  guint32         n_loops;
  TsLifeFamily   *families;
  guint32         n_families;
  TsMap           tile_of_value;     /* value id to index in `tiles` */
  TsMap           interval_of_base;  /* value id of the base to index in `intervals` */
} TsLifetimes;

typedef enum
{
  TS_LIFETIMES_DEFAULT = 0,
  TS_LIFETIMES_PARAMS = 1 << 0, /* tile parameters are tracked too, defined at 0 */
} TsLifetimesFlags;

/* O(operations x nesting of loops). The result refers to the function's operations and values: it lives no longer than the
 * module. */
TsLifetimes *ts_lifetimes_new (const TsModule *module, const TsFunction *function, TsLifetimesFlags flags);
void         ts_lifetimes_free (TsLifetimes *lifetimes);

/* The tile or interval of a variable that is tracked, else TS_LIFE_NONE. */
static inline guint32
ts_lifetimes_tile (const TsLifetimes *l, const TsValue *value)
{
  return (guint32) ts_map_get (&l->tile_of_value, (guint32) value->id, TS_LIFE_NONE);
}

static inline guint32
ts_lifetimes_interval (const TsLifetimes *l, const TsValue *base)
{
  return (guint32) ts_map_get (&l->interval_of_base, (guint32) base->id, TS_LIFE_NONE);
}

/* Do the two intervals need their bytes at the same time? Touching is fine (the last use of one is the definition of the other).
 * Tiles of one family do not count against each other, provided no other pair overlaps. Source: 5.3 (1). */
gboolean     ts_lifetimes_overlap (const TsLifetimes *l, guint32 a, guint32 b);

/* The statement that makes a base (tile.alloc, tensor.alloc), or NULL. */
TsOp        *ts_alloc_of (const TsValue *base);
/* `alloc` may be NULL. */
gboolean     ts_alloc_is_pinned (const TsOp *alloc);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsLifetimes, ts_lifetimes_free)

G_END_DECLS
