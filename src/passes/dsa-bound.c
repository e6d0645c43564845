/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lower bound of the bytes a placement without penalties takes.
 *
 * Within one family, kinds fall into clusters such that a buffer of one cluster and one of another never share bytes, whichever
 * comes first: they are held apart, or either would wait for the other. So the clusters of a family lie side by side, and each
 * takes at least what is live in it at once. Buffers that share with nobody come on top. What is live at once counts, besides the
 * buffers live when one begins, those that end just then and must be apart from it: an operation that may not write over its
 * operand without a price. */
#include "passes/dsa-bound.h"

#include <stdlib.h>

#include "base/disjoint.h"
#include "base/number.h"

#define NONE G_MAXUINT32

typedef struct
{
  const TsDsaRelations *relations;
  const TsDsaProblem   *problem;
  guint32 *cluster;        /* per kind: the first kind of its cluster */
  guint32 *by_begin, *by_end, *start; /* buffers that may share, by pool and cluster; `start` by cell */
} Bound;

static gint64
bytes_of (const TsDsaBuffer *buffer)
{
  return ts_round_up (buffer->size, TS_DSA_ALIGNMENT);
}

/* --- clusters ----------------------------------------------------------------------------------------------------------- */

/* Kinds of one family that may share bytes at no cost in one order or the other. A family too large for a table is one cluster. */
static void
find_clusters (Bound *b)
{
  const TsDsaProblem *p = b->problem;
  g_autofree guint32 *first = g_new (guint32, (gsize) p->n_kinds + 1), *next = g_new (guint32, (gsize) p->n_kinds + 1);
  for (guint32 k = 0; k < p->n_kinds; k++)
    {
      b->cluster[k] = k;
      first[k] = NONE;
    }
  for (guint32 k = 0; k < p->n_kinds; k++)
    {
      guint32 family = p->family[k];
      gboolean table = b->relations->table[family] != NULL;
      for (guint32 other = first[family]; other != NONE; other = table ? next[other] : NONE)
        if (!table || ts_dsa_relation (b->relations, k, other) == 0 || ts_dsa_relation (b->relations, other, k) == 0)
          ts_disjoint_join (b->cluster, k, other);
      next[k] = first[family];
      first[family] = k;
    }
  for (guint32 k = 0; k < p->n_kinds; k++)
    b->cluster[k] = ts_disjoint_root (b->cluster, k);
}

/* --- what is live at once ----------------------------------------------------------------------------------------------- */

static gsize
cell_of (const Bound *b, guint32 i)
{
  const TsDsaBuffer *buffer = &b->problem->buffers[i];
  return (gsize) buffer->pool * b->problem->n_kinds + b->cluster[buffer->kind];
}

static int
compare_keys (gconstpointer x, gconstpointer y)
{
  guint64 a = *(const guint64 *) x, b = *(const guint64 *) y;
  return a < b ? -1 : a > b;
}

/* The buffers that may share, by pool and cluster and, within one, by when they begin or end. */
static guint32 *
sort_buffers (const Bound *b, gboolean ends)
{
  const TsDsaProblem *p = b->problem;
  gsize n_cells = (gsize) p->n_pools * p->n_kinds;
  g_autofree guint64 *keys = g_new (guint64, (gsize) p->n + 1);
  g_autofree guint32 *at = g_memdup2 (b->start, sizeof (guint32) * (n_cells + 1));
  guint32 *sorted = g_new (guint32, (gsize) p->n + 1);
  for (guint32 i = 0; i < p->n; i++)
    keys[i] = (guint64) (ends ? p->buffers[i].end : p->buffers[i].begin) << 32 | i;
  qsort (keys, p->n, sizeof (guint64), compare_keys);
  for (guint32 k = 0; k < p->n; k++)
    {
      guint32 i = (guint32) keys[k];
      if (!p->buffers[i].exclusive)
        sorted[at[cell_of (b, i)]++] = i;
    }
  return sorted;
}

static void
sort_cells (Bound *b)
{
  const TsDsaProblem *p = b->problem;
  gsize n_cells = (gsize) p->n_pools * p->n_kinds;
  b->start = g_new0 (guint32, n_cells + 2);
  for (guint32 i = 0; i < p->n; i++)
    b->start[cell_of (b, i) + 1] += !p->buffers[i].exclusive;
  for (gsize c = 0; c < n_cells; c++)
    b->start[c + 1] += b->start[c];
  b->by_begin = sort_buffers (b, FALSE);
  b->by_end = sort_buffers (b, TRUE);
}

/* Buffers of the cell that end when buffer i begins and must be apart from it: they all met each other, and all that is live on. */
static gint64
bytes_handing_over (const Bound *b, guint32 i)
{
  const TsDsaRelations *r = b->relations;
  const TsDsaBuffer *buffer = &b->problem->buffers[i];
  gint64 bytes = 0;
  for (guint32 k = r->pair_start[i]; k < r->pair_start[i + 1]; k++)
    {
      const TsDsaBuffer *other = &b->problem->buffers[r->pairs[k].b];
      if (r->pairs[k].weight != 0 && !other->exclusive && other->end == buffer->begin
          && cell_of (b, r->pairs[k].b) == cell_of (b, i))
        bytes = ts_add_sat (bytes, bytes_of (other));
    }
  return bytes;
}

static gint64
most_live (const Bound *b, gsize cell)
{
  const TsDsaBuffer *buffers = b->problem->buffers;
  guint32 begun = b->start[cell], ended = b->start[cell], end = b->start[cell + 1];
  gint64 live = 0, most = 0;
  while (begun < end)
    {
      guint32 now = buffers[b->by_begin[begun]].begin, first = begun;
      for (; ended < end && buffers[b->by_end[ended]].end <= now; ended++)
        live -= bytes_of (&buffers[b->by_end[ended]]);
      gint64 living_on = live;
      for (; begun < end && buffers[b->by_begin[begun]].begin == now; begun++)
        live = ts_add_sat (live, bytes_of (&buffers[b->by_begin[begun]]));
      most = MAX (most, live);
      for (guint32 k = first; k < begun; k++)
        {
          guint32 i = b->by_begin[k];
          gint64 together = ts_add_sat (living_on, ts_add_sat (bytes_of (&buffers[i]), bytes_handing_over (b, i)));
          most = MAX (most, together);
        }
    }
  return most;
}

/* --- the bound ---------------------------------------------------------------------------------------------------------- */

static gint64
most_of_families (const Bound *b, guint32 pool)
{
  const TsDsaProblem *p = b->problem;
  g_autofree gint64 *families = g_new0 (gint64, (gsize) p->n_kinds + 1);
  gint64 most = 0;
  for (guint32 k = 0; k < p->n_kinds; k++)
    {
      gint64 *bytes = &families[p->family[k]];
      if (b->cluster[k] == k)
        *bytes = ts_add_sat (*bytes, most_live (b, (gsize) pool * p->n_kinds + k));
      most = MAX (most, *bytes);
    }
  return most;
}

void
ts_dsa_bound_peaks (const TsDsaRelations *relations, gint64 *peaks)
{
  const TsDsaProblem *p = relations->problem;
  Bound b = { .relations = relations, .problem = p };
  g_autofree gint64 *slack = g_new0 (gint64, (gsize) p->n_pools + 1), *alone = g_new0 (gint64, (gsize) p->n_pools + 1);
  g_autofree guint32 *used = g_new0 (guint32, (gsize) p->n_pools + 1);
  b.cluster = g_new (guint32, (gsize) p->n_kinds + 1);
  find_clusters (&b);
  sort_cells (&b);
  for (guint32 i = 0; i < p->n; i++)
    {
      const TsDsaBuffer *buffer = &p->buffers[i];
      used[buffer->pool]++;
      slack[buffer->pool] = MAX (slack[buffer->pool], bytes_of (buffer) - buffer->size); /* the last one need not end aligned */
      if (buffer->exclusive)
        alone[buffer->pool] = ts_add_sat (alone[buffer->pool], bytes_of (buffer));
    }
  for (guint32 pool = 0; pool < p->n_pools; pool++)
    {
      gint64 lowest = ts_round_up (MAX (p->pools[pool].reserved, 0), TS_DSA_ALIGNMENT);
      gint64 bytes = ts_add_sat (lowest, ts_add_sat (alone[pool], used[pool] > 0 ? most_of_families (&b, pool) : 0));
      peaks[pool] = used[pool] > 0 ? bytes - slack[pool] : 0;
    }
  g_free (b.cluster);
  g_free (b.start);
  g_free (b.by_begin);
  g_free (b.by_end);
}
