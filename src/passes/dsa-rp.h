/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dynamic storage allocation with reuse penalties: addresses for buffers of known lives, in pools of known size. Source: spec
 * passes-memory 6.3. Knows nothing of tiles: the caller says which buffers must not overlap and which had better not. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  gint64  begin, end; /* life, half open: two buffers whose lives meet must not overlap */
  gint64  size;       /* bytes, > 0 */
  guint32 pool;
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

typedef struct
{
  const TsDsaBuffer *buffers;
  guint32            n;
  const TsDsaPool   *pools;
  guint32            n_pools;
  /* Must the two stay apart though their lives do not meet? Asked only for buffers of one pool. May be NULL. */
  gboolean         (*separated) (guint32 a, guint32 b, gpointer data);
  /* What it costs when the two share bytes, >= 0. May be NULL. */
  gint64           (*penalty) (guint32 a, guint32 b, gpointer data);
  gpointer           data;
  GCancellable      *cancellable;
} TsDsaProblem;

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
  gboolean cut_short; /* the problem was too large to try all of them */
} TsDsaScore;

/* Tries the orders of the specification and keeps the best placement. `offsets` gets n addresses. O(orders x n^2). */
TsDsaStatus ts_dsa_solve (const TsDsaProblem *problem, gint64 *offsets, TsDsaScore *score);
/* Checks a placement by itself, from the problem alone: NULL when it is right, else what is wrong (free with g_free). O(n^2). */
char       *ts_dsa_validate (const TsDsaProblem *problem, const gint64 *offsets);

G_END_DECLS
