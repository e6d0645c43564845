/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the on-chip memory of a function looks like in one snapshot: buffers with address and life, high-water against capacity,
 * bytes live over program order, stages that share bytes. Works on every snapshot whose tiles carry MemRefs, whoever made it. */
#pragma once

#include "ir/live-bytes.h"
#include "ir/module.h"

G_BEGIN_DECLS

#define TS_MEMORY_NONE G_MAXUINT32
/* No address yet: AllocateMemoryAddr has not run. */
#define TS_MEMORY_UNPLACED G_GINT64_CONSTANT (-1)

typedef enum
{
  TS_MEMORY_OWN,   /* the first tile of its bytes */
  TS_MEMORY_VIEW,  /* same bytes as a tile it was made from: slice, reshape, copy; `source` says which */
  TS_MEMORY_INPLACE, /* the operation writes over an argument by its nature: matmul_acc, fillpad_inplace, a carried value's next */
  TS_MEMORY_REUSE, /* bytes of an earlier, unrelated tile, given to this one once that one is no longer needed */
} TsMemoryRole;

typedef struct
{
  const TsValue *value;
  gint32         op;       /* id of the operation that defines it; -1: a parameter */
  guint32        buffer;   /* index in `buffers` */
  gint64         offset;   /* bytes from the start of the buffer; -1 when only known at run time (a slot) */
  gint64         address;  /* bytes from the start of the space, or TS_MEMORY_UNPLACED; of slot 0 when `offset` is -1 */
  gint64         size;     /* bytes; of one slot */
  guint32        def, last;/* positions it is live at: see n_positions */
  guint8         role;     /* TsMemoryRole */
  gboolean       begins;   /* its operation begins a value in these bytes: no view, nothing written over its own argument */
  gboolean       collapsed;/* shares bytes with another stage of a group: see TsMemoryCollapse */
  guint32        source;   /* tile: what VIEW and INPLACE were made from, whose bytes REUSE took; TS_MEMORY_NONE for OWN */
  const TsStage *stages;   /* pipeline membership, innermost pair first; may be NULL */
  guint32        n_stages;
} TsMemoryTile;

typedef struct
{
  const TsValue *base;
  const char    *name;    /* "mem_vec_3" */
  TsSpace        space;
  gint64         size;    /* bytes, all slots */
  gint64         address; /* or TS_MEMORY_UNPLACED */
  gint64         slots;
  gboolean       pinned;  /* declared */
  guint32        def, last;
  guint32        first_tile, n_tiles; /* of `by_buffer` */
} TsMemoryBuffer;

typedef TsLiveBytes TsMemoryLive;

typedef struct
{
  TsSpace space;
  gint64  capacity;    /* as given; 0: no limit known */
  gint64  reserved;    /* bytes at the start taken by reserve_buffer */
  gint64  high_water;  /* largest address + size, rounded to 32, once placed; before that (`placed` tells) what placing the buffers
                          one after the other would need */
  gint64  live_max;    /* most bytes live at one position: the union of the ranges of the tiles that are live there, at their
                          addresses or, before they have some, where placing the buffers one after the other would put them;
                          never more than high_water */
  guint32 live_max_at; /* that position */
  guint32 n_buffers;
  const TsMemoryLive *live; /* steps of the curve, ascending positions; the last step is 0 */
  guint32 n_live;
} TsMemorySpace;

/* Buffers of one stage of one pipeline group in one space. */
typedef struct
{
  gint32  group, stage;
  TsSpace space;
  guint32 n_tiles;
  guint32 n_buffers;
  gint64  bytes; /* sum of these buffers' sizes */
} TsMemoryStage;

/* Two stages of one group that share bytes: they cannot be in flight together. This is the only place that decides what a collapsed
 * stage is: the simulator's results, the map and the texts all read it here. One record per pair of stages and per pair of
 * buffers (which is one buffer, except where addresses of two overlap). Only tiles that begin a value there
 * count (a view of another stage's tile is no second one), and not stages that hand one value on (an accumulator): they wait for
 * each other anyway. Of more than 8 stages in one buffer only neighbours are paired. */
typedef struct
{
  gint32  group, stage_a, stage_b; /* stage_a < stage_b */
  guint32 buffer_a, buffer_b;      /* equal: one allocation */
  guint32 tile_a, tile_b;          /* the first tiles that meet */
  gint64  bytes;                   /* size of the overlap */
} TsMemoryCollapse;

/* All stages of one group that meet in one pair of buffers: what is told of as one. */
typedef struct
{
  gint32        group;
  guint32       buffer_a, buffer_b; /* buffer_a <= buffer_b; equal: one allocation */
  const gint32 *stages;             /* ascending */
  guint32       n_stages;
  gint64        bytes;              /* that at least two of the stages have, by the tiles of the records */
  guint32       collapse;           /* the first of its records */
} TsMemoryCollapseSet;

typedef struct
{
  const TsFunction *function;
  gboolean          placed;      /* offsets are addresses */
  guint32           n_positions; /* program order: assignments, expression statements, yields and returns */
  const gint32     *op_at;       /* operation id at each position */
  TsMemoryTile     *tiles;       /* in order of definition */
  guint32           n_tiles;
  TsMemoryBuffer   *buffers;     /* by space, then address (or first definition before placing) */
  guint32           n_buffers;
  const guint32    *by_buffer;   /* tiles, grouped by buffer, in order of definition */
  TsMemorySpace    *spaces;      /* those in use, in order of their ids */
  guint32           n_spaces;
  TsMemoryStage    *stages;      /* by group, stage, space */
  guint32           n_stages;
  TsMemoryCollapse *collapses;   /* by group, stages, buffer */
  guint32           n_collapses;
  TsMemoryCollapseSet *sets;     /* the same by group and buffers */
  guint32           n_sets;
} TsMemoryFacts;

/* Stages of an operation by its id, innermost first; for snapshots whose membership a pass has stripped. NULL with *n = 0: none. */
typedef const TsStage *(*TsStageLookup) (gint32 op, guint *n, gpointer data);

/* Whether offsets are addresses. The text alone does not always tell: a lone buffer lies at 0 before and after placing. */
typedef enum { TS_MEMORY_PLACED_UNKNOWN, TS_MEMORY_PLACED_NO, TS_MEMORY_PLACED_YES } TsMemoryPlaced;

typedef struct
{
  gint64        capacity[TS_N_SPACES]; /* 0: no limit known */
  TsMemoryPlaced placed;               /* YES once AllocateMemoryAddr has run; UNKNOWN: told from the offsets */
  TsStageLookup stages;                /* NULL: the attribute of each operation */
  gpointer      stages_data;
} TsMemoryOptions;

/* Facts of one function; `options` may be NULL. NULL when no tile of it carries a MemRef. O(n log n). The result points into the
 * module. */
TsMemoryFacts        *ts_memory_facts_new (const TsModule *module, const TsFunction *function, const TsMemoryOptions *options);
void                  ts_memory_facts_free (TsMemoryFacts *facts);

/* Where slot 0 of a MemRef starts: the constant part of its offset. FALSE when there is none. */
gboolean              ts_memref_start (const TsMemRef *memref, gint64 *out);
/* Entry of a space, or NULL. */
const TsMemorySpace  *ts_memory_facts_space (const TsMemoryFacts *facts, TsSpace space);
/* The tile a variable is, or NULL: carried values and results of control flow are not tiles of their own. */
const TsMemoryTile   *ts_memory_facts_tile (const TsMemoryFacts *facts, const TsValue *value);
/* The buffer of a variable of tile type, however it was made; NULL when it has none. */
const TsMemoryBuffer *ts_memory_facts_buffer (const TsMemoryFacts *facts, const TsValue *value);
/* Is this tile one of those that the two stages share bytes by? */
gboolean              ts_memory_tile_is_in (const TsMemoryTile *tile, const TsMemoryCollapse *collapse);
/* Bytes that two tiles have in common: by their offsets within one buffer, by their addresses in two; 0: none. Of slots that are
 * chosen at run time only two that are chosen alike are known to meet. */
gint64                ts_memory_shared_bytes (const TsMemoryFacts *facts, const TsMemoryTile *a, const TsMemoryTile *b);
const char           *ts_memory_role_name (TsMemoryRole role); /* "own", "view", "in-place", "reuse" */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsMemoryFacts, ts_memory_facts_free)

G_END_DECLS
