/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First-fit packing of intervals into shared buffers, one memory space at a time. Source: spec passes-memory 5.2, 5.3, 5.5. */
#pragma once

#include "ir/lifetimes.h"
#include "passes/memory-rules.h"

G_BEGIN_DECLS

/* How pipeline stages keep intervals apart. */
typedef enum
{
  TS_STAGES_FREE,   /* not at all */
  TS_STAGES_LEGACY, /* different stages of a group, where one of the two is a load */
  TS_STAGES_GATED,  /* stages of a group that are not a multiple of its depth apart */
} TsStageRule;

/* One pipeline group within a space. */
typedef struct
{
  gint32  group;
  guint32 n_stages; /* distinct ones: the depth asked for */
  guint32 depth;    /* buffers a gated packing keeps apart, 1 .. n_stages */
  gint64  slot;     /* bytes of the group's largest interval */
  gint32 *stages;   /* sorted: the index of a stage is its ordinal */
} TsPackGroup;

/* The intervals of one space with what packing has to know of them. */
typedef struct
{
  const TsLifetimes   *life;
  const TsConstraints *constraints;
  TsSpace              space;
  guint32             *order;   /* intervals by size (largest first), definition, index */
  guint32              n;
  guint32             *rank;    /* per interval of `life`: its position in `order`; only of this space */
  TsPackGroup         *groups;  /* ascending by number */
  guint32              n_groups;
  guint32             *key_start; /* per position in `order`: its entries of `keys`; n + 1 */
  struct { guint32 group; guint32 ordinal; gint32 stage; } *keys; /* group: index in `groups` */
} TsPackSpace;

typedef struct
{
  guint32 *buffer_of;   /* per position in `order` */
  guint32 *first;       /* per buffer: position in `order` of the interval that opened it */
  guint32 *next;        /* per position in `order`: the interval in the same buffer defined next, or TS_LIFE_NONE */
  guint32 *head;        /* per buffer: the interval defined first */
  guint32  n_buffers;
  gint64   bytes;       /* of all buffers, each rounded up to the alignment; saturates */
  gboolean whole;       /* FALSE: the limit was hit */
} TsPacking;

TsPackSpace *ts_pack_space_new (const TsLifetimes *life, const TsConstraints *constraints, TsSpace space);
void         ts_pack_space_free (TsPackSpace *space);

/* Packs under a rule. Gives up as soon as the buffers, each rounded up to the alignment, take more than `limit` bytes; the
 * result then is not whole. O(n log^2 n) for few stage combinations of large groups, however many sizes and small groups there
 * are; buffers that a small group closes are skipped one by one. NULL when cancelled. */
TsPacking   *ts_pack (const TsPackSpace *space, TsStageRule rule, gint64 limit, GCancellable *cancellable);
void         ts_packing_free (TsPacking *packing);

/* Bytes a buffer takes that is opened by the interval at a position of `order`: all slots of a declared one. */
gint64       ts_pack_buffer_bytes (const TsPackSpace *space, guint32 i);
/* Bytes that no packing can do without, whatever the stages: the most that is live at once. O(n log n). */
gint64       ts_pack_floor (const TsPackSpace *space);

/* Why interval `a` and interval `b` (positions in `order`) may not share: "live", "no-alias", "target-hazard", "stage",
 * "pinned"; NULL when they may. The slow, plain statement of the rules: for steps, and for tests to check the packing against. */
const char  *ts_pack_blocked (const TsPackSpace *space, TsStageRule rule, guint32 a, guint32 b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPackSpace, ts_pack_space_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPacking, ts_packing_free)

G_END_DECLS
