/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys of CanonicalizeIOOrder: what decides which ready statement goes next. Source: spec passes-schedule section 7, `Sort`. */
#pragma once

#include "ir/op-info.h"

G_BEGIN_DECLS

/* Compared field by field; statements whose keys are equal go in program order. */
typedef struct
{
  guint8         tier;     /* 0 scalar, 1 load, 2 the rest */
  guint8         sub;      /* 1: store */
  guint8         category; /* TsCategory; does not count */
  gint32         stage;    /* with double-buffered accumulators: number of the first pair, -1 without; else -1 */
  guint32        n_pairs;
  const TsStage *pairs;    /* tier 2: the membership that counts */
} TsIoKey;

/* Less than, equal to, or greater than 0. `decided_by` gets the field: "tier", "stage", "sub", "stage number", or "index" when all
 * are equal. */
gint  ts_io_key_compare (const TsIoKey *a, const TsIoKey *b, gboolean double_buffer_c, const char **decided_by);
/* (tier, "stage", sub, index), or (tier, chunk, sub, stage, index). Free with g_free. */
char *ts_io_key_text (const TsIoKey *key, gboolean double_buffer_c, guint index);

/* Ranks by key, for statements that are added in program order. Bodies have few different keys and long runs of each: one class per
 * key, and a counting sort over the classes. */
typedef struct TsIoRanking TsIoRanking;
TsIoRanking   *ts_io_ranking_new (guint n, gboolean double_buffer_c);
void           ts_io_ranking_free (TsIoRanking *ranking);
void           ts_io_ranking_add (TsIoRanking *ranking, const TsIoKey *key);
/* After the last was added. Arrays of n entries, owned by the ranking: rank by index, and index by rank. */
void           ts_io_ranking_finish (TsIoRanking *ranking, const guint32 **rank_of, const guint32 **at_rank);
const TsIoKey *ts_io_ranking_key (const TsIoRanking *ranking, guint index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsIoRanking, ts_io_ranking_free)

G_END_DECLS
