/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dynamic storage allocation with reuse penalties: addresses for buffers of known lives, in pools of known size. Source: spec
 * passes-memory 6.3. Knows nothing of tiles: the caller says which buffers must not overlap and which had better not. Most of
 * that follows from what kind of buffer each of the two is, so that nobody ever has to look at every pair of buffers. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define TS_DSA_ALIGNMENT 32
#define TS_DSA_ORDERS 8u
/* Steps taken before the remaining orders are not tried any more: seconds, not minutes. */
#define TS_DSA_MAX_WORK G_GUINT64_CONSTANT (1000000000)
/* In place of a penalty: the two must not share bytes, whatever their lives. */
#define TS_DSA_APART G_GINT64_CONSTANT (-1)

typedef struct
{
  guint32  begin, end; /* life, half open: two buffers whose lives meet must not overlap */
  gint64   size;       /* bytes, > 0 */
  guint32  pool;
  guint32  kind;       /* < n_kinds */
  gboolean exclusive;  /* shares bytes with nobody */
} TsDsaBuffer;

static inline gboolean
ts_dsa_lives_meet (const TsDsaBuffer *a, const TsDsaBuffer *b)
{
  return a->begin < b->end && b->begin < a->end;
}

typedef struct
{
  gint64 capacity; /* bytes */
  gint64 reserved; /* bytes at the start that are not to be had */
} TsDsaPool;

/* What holds for one pair of buffers besides their kinds; no pair stands twice. */
typedef struct
{
  guint32 a, b;
  gint64  weight; /* TS_DSA_APART, or what it costs when the two share bytes */
} TsDsaPair;

typedef enum
{
  TS_DSA_OK,
  TS_DSA_NO_FIT,
  TS_DSA_INVALID,   /* a penalty on buffers that can never share, an empty buffer, a pool that is not there */
  TS_DSA_CANCELLED,
} TsDsaStatus;

typedef struct
{
  gint64 penalty, total_peak, largest_peak;
  guint  order;     /* which of the orders won, from 1 */
  guint  n_orders;  /* how many were tried */
  gboolean cut_short; /* the problem was too large to try all of them, as far as that could have mattered */
  guint32 stuck;    /* after TS_DSA_NO_FIT: a buffer that found no address */
} TsDsaScore;

/* One buffer, order[index], has been placed at its offset after those before it, or there is no address for it. */
typedef struct
{
  guint          number; /* of the order, from 1 */
  const guint32 *order;
  guint32        index;
  const gint64  *offsets;
  gboolean       found;
  gint64         added;  /* penalty */
} TsDsaPlacement;

typedef enum
{
  TS_DSA_ORDER_KEPT,       /* the best so far */
  TS_DSA_ORDER_NO_FIT,
  TS_DSA_ORDER_NOT_BETTER, /* given up as soon as that was clear */
  TS_DSA_ORDER_DUPLICATE,
} TsDsaOrderKind;

typedef struct
{
  TsDsaOrderKind kind;
  TsDsaScore     score; /* as far as it came */
  guint32        n_placed;
} TsDsaOutcome;

/* Told of all that a solver does. */
typedef struct
{
  void (*order) (guint number, gpointer data);
  void (*place) (const TsDsaPlacement *placement, gpointer data);
  void (*order_end) (const TsDsaOutcome *outcome, gpointer data);
} TsDsaListener;

typedef struct
{
  const TsDsaBuffer *buffers;
  guint32            n;
  const TsDsaPool   *pools;
  guint32            n_pools;
  guint32            n_kinds;
  const guint32     *family;  /* per kind, < n_kinds: buffers of different families have nothing to do with each other */
  /* What it costs when a buffer of kind `later` gets bytes that one of kind `earlier` had, or TS_DSA_APART, which then is the
   * answer both ways. Asked only within a family. NULL: always 0. */
  gint64           (*relation) (guint32 earlier, guint32 later, gpointer data);
  gpointer           data;
  const TsDsaPair   *pairs;
  guint32            n_pairs;
  GCancellable      *cancellable;
  guint64            max_work; /* 0: TS_DSA_MAX_WORK */
  const TsDsaListener *listener; /* may be NULL; with one, all orders are tried, in turn, to the same end */
  gpointer           listener_data;
} TsDsaProblem;

/* Tries the orders of the specification and keeps the best placement. `offsets` gets n addresses. An order is given up as soon as
 * it can no longer win. O(orders x n log n) for few kinds side by side, where what stands in the way of a buffer lies in few
 * stretches and memory suffices without penalties; bounded by a count of steps otherwise. */
TsDsaStatus ts_dsa_solve (const TsDsaProblem *problem, gint64 *offsets, TsDsaScore *score);
/* Checks a placement by itself, from the problem alone: NULL when it is right, else what is wrong (free with g_free).
 * O(n log n) for few kinds side by side. */
char       *ts_dsa_validate (const TsDsaProblem *problem, const gint64 *offsets);

G_END_DECLS
