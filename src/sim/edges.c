/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which statements share bytes of a buffer, for finding the pass that made them do so.
 * Pairs are looked up, not listed: a buffer that many statements share would have too many. */
#include "sim/simulate.h"

#define LOOK_EVERY 16384u /* instructions between two looks at the cancellable: a millisecond or two */

/* One statement's use of one range. */
typedef struct
{
  gint32 op, buffer;
  gint64 begin, end;
  guint8 access;
} Use;

struct TsBufferEdges
{
  GArray *uses; /* Use, by statement */
};

static gint
compare_uses (gconstpointer a, gconstpointer b)
{
  const Use *p = a, *q = b;

  if (p->op != q->op)
    return p->op < q->op ? -1 : 1;
  if (p->buffer != q->buffer)
    return p->buffer < q->buffer ? -1 : 1;
  if (p->begin != q->begin)
    return p->begin < q->begin ? -1 : 1;
  return p->end < q->end ? -1 : p->end > q->end;
}

TsBufferEdges *
ts_buffer_edges_new (const TsStream *stream, GCancellable *cancellable)
{
  TsBufferEdges *edges = g_new0 (TsBufferEdges, 1);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autofree gint64 *keys = g_new (gint64, (gsize) stream->n_instructions + 1);

  edges->uses = g_array_new (FALSE, FALSE, sizeof (Use));
  for (guint i = 0; i < stream->n_instructions; i++)
    {
      guint n;
      const TsAccess *list = ts_stream_accesses (stream, i, &n);
      if (i % LOOK_EVERY == 0 && g_cancellable_is_cancelled (cancellable))
        {
          g_clear_pointer (&edges, ts_buffer_edges_free);
          return NULL;
        }
      keys[i] = (gint64) stream->site[i] << 32 | (guint32) stream->accesses[i];
      if (n == 0 || !g_hash_table_add (seen, &keys[i]))
        continue;
      for (guint k = 0; k < n; k++)
        {
          Use use = { .op = ts_stream_site (stream, i)->statement, .buffer = list[k].buffer, .begin = list[k].begin,
                      .end = list[k].end, .access = list[k].access };
          g_array_append_val (edges->uses, use);
        }
    }
  g_array_sort (edges->uses, compare_uses);
  return edges;
}

void
ts_buffer_edges_free (TsBufferEdges *edges)
{
  if (edges == NULL)
    return;
  g_array_unref (edges->uses);
  g_free (edges);
}

static guint
first_use (const TsBufferEdges *edges, gint32 op)
{
  guint lo = 0, hi = edges->uses->len;

  while (lo < hi)
    {
      guint mid = lo + (hi - lo) / 2;
      if (g_array_index (edges->uses, Use, mid).op < op)
        lo = mid + 1;
      else
        hi = mid;
    }
  return lo;
}

gboolean
ts_buffer_edges_has (const TsBufferEdges *edges, gint32 op, gint32 other)
{
  const Use *uses = (const Use *) (gpointer) edges->uses->data;
  guint n = edges->uses->len, from = first_use (edges, other);

  for (guint i = first_use (edges, op); i < n && uses[i].op == op; i++)
    for (guint j = from; j < n && uses[j].op == other; j++)
      if (uses[i].buffer == uses[j].buffer && uses[i].begin < uses[j].end && uses[j].begin < uses[i].end
          && ((uses[i].access | uses[j].access) & TS_ACCESS_WRITE) != 0)
        return TRUE;
  return FALSE;
}
