/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The greedy placement, its orders, and the validator. */
#include "passes/dsa-rp.h"

#include <string.h>

#include "base/number.h"
#include "passes/mersenne-twister.h"

#define ALIGNMENT 32
#define N_SHUFFLES 4
/* Pairs looked at before the remaining orders are not tried any more: seconds, not minutes. */
#define MAX_PAIRS G_GUINT64_CONSTANT (2000000000)

typedef struct
{
  const TsDsaProblem *problem;
  gint64  *offsets;       /* of the order being tried */
  gint64  *best_offsets;
  gboolean have_best;
  TsDsaScore best;
  guint32 *by_start, *by_end; /* buffers placed so far, pool by pool (rows of `row_start`), each sorted by that address */
  guint32 *row_start, *row_length;
  guint8  *cached;        /* n x n relations as bytes, see relation(); NULL: too many */
  gint64  *relations;     /* per buffer: its relation to the one being placed */
  gint64  *starts, *ends; /* of the neighbours in conflict with the buffer being placed, each sorted */
  GArray  *soft_starts, *soft_ends; /* Weighed: of the penalised neighbours, each sorted, weights summed up */
  GArray  *candidates;    /* gint64 */
  gint64  *incident;      /* per buffer: penalties it is part of */
  guint64  pairs;
  gboolean invalid;
} Solver;

typedef struct
{
  gint64 at, weight;
} Weighed;

static gint64
penalty_of (Solver *s, guint32 a, guint32 b)
{
  const TsDsaProblem *p = s->problem;
  gint64 weight = p->penalty != NULL ? p->penalty (a, b, p->data) : 0;
  if (weight < 0 || (weight > 0 && ts_dsa_lives_meet (&p->buffers[a], &p->buffers[b])))
    s->invalid = TRUE;
  return weight;
}

static gboolean
conflict (const TsDsaProblem *p, guint32 a, guint32 b)
{
  return ts_dsa_lives_meet (&p->buffers[a], &p->buffers[b]) || (p->separated != NULL && p->separated (a, b, p->data));
}

/* What two buffers of one pool are to each other: CONFLICT, or the penalty of sharing bytes (0: free to). It is asked for once per
 * order, so that up to MAX_CACHED buffers the answers are kept: a byte each. */
#define CONFLICT G_GINT64_CONSTANT (-1)
#define MAX_CACHED 8192u
enum { BYTE_UNKNOWN = 255, BYTE_CONFLICT = 254, BYTE_LARGE = 253 };

static gint64
fresh_relation (Solver *s, guint32 a, guint32 b)
{
  gint64 weight = penalty_of (s, a, b);
  return conflict (s->problem, a, b) ? CONFLICT : weight;
}

static gint64
relation (Solver *s, guint32 a, guint32 b)
{
  if (s->cached == NULL)
    return fresh_relation (s, a, b);
  guint8 *byte = &s->cached[(gsize) a * s->problem->n + b];
  if (*byte < BYTE_LARGE)
    return *byte;
  if (*byte == BYTE_CONFLICT)
    return CONFLICT;
  gint64 answer = fresh_relation (s, a, b);
  *byte = answer == CONFLICT ? BYTE_CONFLICT : answer < BYTE_LARGE ? (guint8) answer : BYTE_LARGE;
  s->cached[(gsize) b * s->problem->n + a] = *byte;
  return answer;
}

/* --- one buffer --------------------------------------------------------------------------------------------------------- */

/* Numbers of the sorted array below `limit`. */
static guint32
count_below (const gint64 *sorted, guint32 n, gint64 limit)
{
  guint32 low = 0, high = n;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (sorted[middle] < limit)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Sum of the weights of all entries below `limit`. */
static gint64
weight_below (const GArray *sorted, gint64 limit)
{
  guint32 low = 0, high = sorted->len;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (g_array_index (sorted, Weighed, middle).at < limit)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? g_array_index (sorted, Weighed, low - 1).weight : 0;
}

static void
add_weighed (GArray *sorted, gint64 at, gint64 weight)
{
  gint64 before = sorted->len > 0 ? g_array_index (sorted, Weighed, sorted->len - 1).weight : 0;
  Weighed entry = { at, ts_add_sat (before, weight) };
  g_array_append_val (sorted, entry);
}

static void
add_candidate (Solver *s, gint64 at)
{
  gint64 aligned = ts_round_up (at, ALIGNMENT);
  g_array_append_val (s->candidates, aligned);
}

/* Tells apart what is already placed in the pool: conflicts, penalties, neither. The rows are sorted, so that everything made from
 * them is. Returns the number of conflicts. */
static guint32
gather_neighbours (Solver *s, guint32 i)
{
  const TsDsaProblem *p = s->problem;
  guint32 pool = p->buffers[i].pool, length = s->row_length[pool], n = 0, m = 0;
  const guint32 *by_start = s->by_start + s->row_start[pool], *by_end = s->by_end + s->row_start[pool];
  g_array_set_size (s->soft_starts, 0);
  g_array_set_size (s->soft_ends, 0);
  g_array_set_size (s->candidates, 0);
  add_candidate (s, 0);
  add_candidate (s, p->pools[pool].reserved);
  s->pairs += length;
  for (guint32 k = 0; k < length; k++)
    {
      guint32 j = by_start[k];
      gint64 what = s->relations[j] = relation (s, i, j);
      if (what == CONFLICT)
        s->starts[n++] = s->offsets[j];
      else if (what > 0)
        add_weighed (s->soft_starts, s->offsets[j], what);
    }
  for (guint32 k = 0; k < length; k++)
    {
      guint32 j = by_end[k];
      gint64 what = s->relations[j], end = s->offsets[j] + p->buffers[j].size;
      if (what == 0)
        continue;
      if (what == CONFLICT)
        s->ends[m++] = end;
      else
        add_weighed (s->soft_ends, end, what);
      add_candidate (s, end);
    }
  return n;
}

/* Adds a buffer that has its address to a row sorted by start or end. */
static void
insert_sorted (const Solver *s, guint32 *row, guint32 length, guint32 i, gboolean by_end)
{
  const TsDsaBuffer *buffers = s->problem->buffers;
  gint64 key = s->offsets[i] + (by_end ? buffers[i].size : 0);
  guint32 low = 0, high = length;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2, j = row[middle];
      if (s->offsets[j] + (by_end ? buffers[j].size : 0) <= key)
        low = middle + 1;
      else
        high = middle;
    }
  memmove (row + low + 1, row + low, sizeof (guint32) * (length - low));
  row[low] = i;
}

/* The best address for buffer i among what is placed; FALSE when there is none. `first_fit` ignores penalties in the choice. */
static gboolean
place (Solver *s, guint32 i, gboolean first_fit, gint64 *added)
{
  const TsDsaBuffer *buffer = &s->problem->buffers[i];
  const TsDsaPool *pool = &s->problem->pools[buffer->pool];
  guint32 n = gather_neighbours (s, i);
  gboolean found = FALSE;
  gint64 previous = -1;
  for (guint k = 0; k < s->candidates->len; k++)
    {
      gint64 at = g_array_index (s->candidates, gint64, k), end;
      if (at == previous || at < pool->reserved || !ts_add (at, buffer->size, &end) || end > pool->capacity)
        continue;
      previous = at;
      /* Every neighbour that ends at or before `at` also starts before `end`: the difference counts those that overlap. */
      if (count_below (s->starts, n, end) != count_below (s->ends, n, at + 1))
        continue;
      gint64 penalty = weight_below (s->soft_starts, end) - weight_below (s->soft_ends, at + 1);
      if (!found || penalty < *added)
        {
          s->offsets[i] = at;
          *added = penalty;
          found = TRUE;
        }
      if (first_fit || *added == 0)
        break;
    }
  return found;
}

/* --- one order ---------------------------------------------------------------------------------------------------------- */

static gboolean
better (const TsDsaScore *a, const TsDsaScore *b)
{
  if (a->penalty != b->penalty)
    return a->penalty < b->penalty;
  if (a->total_peak != b->total_peak)
    return a->total_peak < b->total_peak;
  return a->largest_peak < b->largest_peak;
}

static TsDsaStatus
try_order (Solver *s, const guint32 *order, gboolean first_fit, guint number)
{
  const TsDsaProblem *p = s->problem;
  TsDsaScore score = { .order = number };
  g_autofree gint64 *peaks = g_new0 (gint64, p->n_pools + 1);
  memset (s->row_length, 0, sizeof (guint32) * p->n_pools);
  for (guint32 k = 0; k < p->n; k++)
    {
      guint32 i = order[k], pool = p->buffers[i].pool;
      gint64 added = 0;
      if ((k & 255) == 0 && g_cancellable_is_cancelled (p->cancellable))
        return TS_DSA_CANCELLED;
      if (!place (s, i, first_fit, &added))
        return s->invalid ? TS_DSA_INVALID : TS_DSA_NO_FIT;
      insert_sorted (s, s->by_start + s->row_start[pool], s->row_length[pool], i, FALSE);
      insert_sorted (s, s->by_end + s->row_start[pool], s->row_length[pool]++, i, TRUE);
      score.penalty = ts_add_sat (score.penalty, added);
      peaks[pool] = MAX (peaks[pool], s->offsets[i] + p->buffers[i].size);
    }
  for (guint32 i = 0; i < p->n_pools; i++)
    {
      score.total_peak = ts_add_sat (score.total_peak, peaks[i]);
      score.largest_peak = MAX (score.largest_peak, peaks[i]);
    }
  if (s->invalid)
    return TS_DSA_INVALID;
  if (!s->have_best || better (&score, &s->best))
    {
      memcpy (s->best_offsets, s->offsets, sizeof (gint64) * p->n);
      s->best = score;
      s->have_best = TRUE;
    }
  return TS_DSA_OK;
}

/* --- the orders --------------------------------------------------------------------------------------------------------- */

static int
by_size (gconstpointer x, gconstpointer y, gpointer data)
{
  const Solver *s = data;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  const TsDsaBuffer *ba = &s->problem->buffers[a], *bb = &s->problem->buffers[b];
  if (ba->size != bb->size)
    return ba->size > bb->size ? -1 : 1;
  if (ba->begin != bb->begin)
    return ba->begin < bb->begin ? -1 : 1;
  return a < b ? -1 : a > b;
}

static int
by_begin (gconstpointer x, gconstpointer y, gpointer data)
{
  const Solver *s = data;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  gint64 begin_a = s->problem->buffers[a].begin, begin_b = s->problem->buffers[b].begin;
  if (begin_a != begin_b)
    return begin_a < begin_b ? -1 : 1;
  return a < b ? -1 : a > b;
}

static int
by_weight (gconstpointer x, gconstpointer y, gpointer data)
{
  const Solver *s = data;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  if (s->incident[a] != s->incident[b])
    return s->incident[a] > s->incident[b] ? -1 : 1;
  gint64 size_a = s->problem->buffers[a].size, size_b = s->problem->buffers[b].size;
  if (size_a != size_b)
    return size_a > size_b ? -1 : 1;
  return a < b ? -1 : a > b;
}

static gboolean
find_incident_weights (Solver *s)
{
  const TsDsaProblem *p = s->problem;
  for (guint32 a = 0; a < p->n && p->penalty != NULL; a++)
    {
      if ((a & 63) == 0 && g_cancellable_is_cancelled (p->cancellable))
        return FALSE;
      for (guint32 b = a + 1; b < p->n; b++)
        {
          if (p->buffers[a].pool != p->buffers[b].pool)
            continue;
          gint64 weight = MAX (relation (s, a, b), 0);
          s->incident[a] = ts_add_sat (s->incident[a], weight);
          s->incident[b] = ts_add_sat (s->incident[b], weight);
        }
    }
  s->pairs += (guint64) p->n * p->n / 2;
  return TRUE;
}

typedef int (*Compare) (gconstpointer, gconstpointer, gpointer);

static TsDsaStatus
try_orders (Solver *s)
{
  static const Compare sorts[] = { by_size, by_size, by_begin, by_weight };
  const TsDsaProblem *p = s->problem;
  guint n_orders = G_N_ELEMENTS (sorts) + N_SHUFFLES;
  g_autofree guint32 *orders = g_new (guint32, (gsize) (p->n + 1) * n_orders);
  TsTwister twister;
  ts_twister_seed (&twister, 0);
  for (guint k = 0; k < n_orders; k++)
    {
      guint32 *order = orders + (gsize) k * p->n;
      gboolean duplicate = FALSE;
      if (k > 0 && s->pairs > MAX_PAIRS)
        {
          s->best.cut_short = TRUE;
          break;
        }
      if (k == 3 && !find_incident_weights (s))
        return TS_DSA_CANCELLED;
      for (guint32 i = 0; i < p->n && k < G_N_ELEMENTS (sorts); i++)
        order[i] = i;
      if (k < G_N_ELEMENTS (sorts))
        g_qsort_with_data (order, (gint) p->n, sizeof (guint32), sorts[k], s);
      else
        {
          memcpy (order, order - p->n, sizeof (guint32) * p->n);
          ts_twister_shuffle (&twister, order, p->n);
        }
      for (guint e = 1; e < k && !duplicate; e++)
        duplicate = memcmp (orders + (gsize) e * p->n, order, sizeof (guint32) * p->n) == 0;
      if (duplicate)
        continue;
      TsDsaStatus status = try_order (s, order, k == 0, k + 1);
      s->best.n_orders = k + 1;
      if (status != TS_DSA_OK && status != TS_DSA_NO_FIT)
        return status;
    }
  return s->have_best ? TS_DSA_OK : TS_DSA_NO_FIT;
}

static gboolean
is_well_formed (const TsDsaProblem *p)
{
  for (guint32 i = 0; i < p->n; i++)
    {
      const TsDsaBuffer *b = &p->buffers[i];
      if (b->size <= 0 || b->begin >= b->end || b->pool >= p->n_pools)
        return FALSE;
    }
  return TRUE;
}

TsDsaStatus
ts_dsa_solve (const TsDsaProblem *p, gint64 *offsets, TsDsaScore *score)
{
  if (!is_well_formed (p))
    return TS_DSA_INVALID;
  Solver s = { .problem = p, .best_offsets = offsets };
  s.offsets = g_new0 (gint64, (gsize) p->n + 1);
  s.by_start = g_new (guint32, (gsize) p->n + 1);
  s.by_end = g_new (guint32, (gsize) p->n + 1);
  s.relations = g_new (gint64, (gsize) p->n + 1);
  if (p->n <= MAX_CACHED)
    {
      s.cached = g_malloc ((gsize) p->n * p->n + 1);
      memset (s.cached, BYTE_UNKNOWN, (gsize) p->n * p->n);
    }
  s.row_start = g_new0 (guint32, (gsize) p->n_pools + 2);
  s.row_length = g_new0 (guint32, (gsize) p->n_pools + 1);
  s.starts = g_new (gint64, (gsize) p->n + 1);
  s.ends = g_new (gint64, (gsize) p->n + 1);
  s.incident = g_new0 (gint64, (gsize) p->n + 1);
  s.soft_starts = g_array_new (FALSE, FALSE, sizeof (Weighed));
  s.soft_ends = g_array_new (FALSE, FALSE, sizeof (Weighed));
  s.candidates = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint32 i = 0; i < p->n; i++)
    s.row_start[p->buffers[i].pool + 1]++;
  for (guint32 i = 0; i < p->n_pools; i++)
    s.row_start[i + 1] += s.row_start[i];
  TsDsaStatus status = try_orders (&s);
  if (score != NULL)
    *score = s.best;
  gpointer owned[] = { s.offsets, s.by_start,   s.by_end, s.relations, s.cached,
                       s.row_start, s.row_length, s.starts, s.ends,      s.incident };
  for (guint i = 0; i < G_N_ELEMENTS (owned); i++)
    g_free (owned[i]);
  g_array_unref (s.soft_starts);
  g_array_unref (s.soft_ends);
  g_array_unref (s.candidates);
  return status;
}

/* --- validator ---------------------------------------------------------------------------------------------------------- */

char *
ts_dsa_validate (const TsDsaProblem *p, const gint64 *offsets)
{
  for (guint32 i = 0; i < p->n; i++)
    {
      const TsDsaBuffer *a = &p->buffers[i];
      gint64 end;
      if (offsets[i] < 0 || offsets[i] % ALIGNMENT != 0)
        return g_strdup_printf ("buffer %u has no aligned address", i);
      if (offsets[i] < p->pools[a->pool].reserved)
        return g_strdup_printf ("buffer %u lies in reserved bytes", i);
      if (!ts_add (offsets[i], a->size, &end) || end > p->pools[a->pool].capacity)
        return g_strdup_printf ("buffer %u ends beyond its pool", i);
      for (guint32 k = 0; k < i; k++)
        {
          const TsDsaBuffer *b = &p->buffers[k];
          if (a->pool == b->pool && offsets[k] < end && offsets[i] < offsets[k] + b->size && conflict (p, i, k))
            return g_strdup_printf ("buffers %u and %u share bytes but must not", k, i);
        }
    }
  return NULL;
}
