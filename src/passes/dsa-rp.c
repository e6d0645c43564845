/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The orders in which buffers are placed, and which result is kept.
 *
 * Of placements equally good, that of the first order is kept; an order is tried only as long as it can still win. The first two
 * orders are the same, but that the first one does not look at penalties. So when the second finds a placement without any, the
 * first finds the same one or a dearer one: the second goes first. And when that placement needs no more bytes than every placement
 * without penalties does, nothing is left to try. */
#include "passes/dsa-rp.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "passes/dsa-bound.h"
#include "passes/dsa-place.h"
#include "passes/mersenne-twister.h"

#define N_SHUFFLES 4
/* Steps between two looks at whether the search is cancelled: some milliseconds. */
#define WORK_BETWEEN_QUESTIONS 100000u

typedef struct
{
  const TsDsaProblem *problem;
  TsDsaRelations relations;
  TsDsaPlacer *placer;
  gint64  *offsets;       /* of the order being tried */
  gint64  *best_offsets;
  gboolean have_best;
  TsDsaScore best;
  guint32  stuck;         /* the buffer that found no address in the first order that failed */
  guint    stuck_order;   /* its number; 0: none failed */
  guint    n_tried;
  gint64   bound;         /* total peak of any placement without penalties; -1: not asked yet */
  gint64  *incident;      /* per buffer: penalties it is part of */
  guint64  counted;       /* steps of find_incident_weights() */
} Solver;

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

/* Would the score be kept? */
static gboolean
wins (const Solver *s, const TsDsaScore *score)
{
  return !s->have_best || better (score, &s->best) || (!better (&s->best, score) && score->order < s->best.order);
}

/* Is the best placement so far one that no order can beat? */
static gboolean
cannot_be_beaten (Solver *s)
{
  const TsDsaProblem *p = s->problem;
  if (!s->have_best || s->best.penalty > 0)
    return FALSE;
  if (s->bound < 0)
    {
      g_autofree gint64 *peaks = g_new0 (gint64, (gsize) p->n_pools + 1);
      ts_dsa_bound_peaks (&s->relations, peaks);
      s->bound = 0;
      for (guint32 i = 0; i < p->n_pools; i++)
        s->bound = ts_add_sat (s->bound, peaks[i]);
    }
  return s->best.total_peak <= s->bound; /* so no single pool can need less either */
}

/* Places one buffer and adds it to the score. */
static gboolean
place (Solver *s, const guint32 *order, guint32 index, gint64 *peaks, TsDsaScore *score)
{
  guint32 i = order[index];
  const TsDsaBuffer *buffer = &s->problem->buffers[i];
  gint64 added = 0, *peak = &peaks[buffer->pool];
  gboolean found = ts_dsa_placer_place (s->placer, i, &s->offsets[i], &added);
  if (s->problem->listener != NULL)
    {
      TsDsaPlacement placement = { score->order, order, index, s->offsets, found, added };
      s->problem->listener->place (&placement, s->problem->listener_data);
    }
  if (!found && (s->stuck_order == 0 || score->order < s->stuck_order))
    {
      s->stuck = i;
      s->stuck_order = score->order;
    }
  if (!found)
    return FALSE;
  gint64 end = s->offsets[i] + buffer->size;
  score->penalty = ts_add_sat (score->penalty, added);
  if (end > *peak)
    {
      score->total_peak = ts_add_sat (score->total_peak, end - *peak);
      score->largest_peak = MAX (score->largest_peak, end);
      *peak = end;
    }
  return TRUE;
}

/* Ends an order. */
static TsDsaStatus
end_order (Solver *s, const TsDsaScore *score, guint32 n_placed, TsDsaOrderKind kind)
{
  TsDsaOutcome outcome = { kind, *score, n_placed };
  if (s->problem->listener != NULL)
    s->problem->listener->order_end (&outcome, s->problem->listener_data);
  return kind == TS_DSA_ORDER_NO_FIT ? TS_DSA_NO_FIT : TS_DSA_OK;
}

static TsDsaStatus
try_order (Solver *s, const guint32 *order, gboolean first_fit, guint number)
{
  const TsDsaProblem *p = s->problem;
  TsDsaScore score = { .order = number };
  guint64 asked = ts_dsa_placer_work (s->placer);
  g_autofree gint64 *peaks = g_new0 (gint64, (gsize) p->n_pools + 1);
  ts_dsa_placer_reset (s->placer, first_fit);
  if (p->listener != NULL)
    p->listener->order (number, p->listener_data);
  for (guint32 k = 0; k < p->n; k++)
    {
      if ((k & 255) == 0 || ts_dsa_placer_work (s->placer) - asked > WORK_BETWEEN_QUESTIONS)
        {
          if (g_cancellable_is_cancelled (p->cancellable))
            return TS_DSA_CANCELLED;
          asked = ts_dsa_placer_work (s->placer);
        }
      if (!place (s, order, k, peaks, &score))
        return end_order (s, &score, k, TS_DSA_ORDER_NO_FIT);
      if (!wins (s, &score)) /* a score never falls again: this order cannot win any more */
        return end_order (s, &score, k + 1, TS_DSA_ORDER_NOT_BETTER);
    }
  if (!wins (s, &score))
    return end_order (s, &score, p->n, TS_DSA_ORDER_NOT_BETTER);
  memcpy (s->best_offsets, s->offsets, sizeof (gint64) * p->n);
  s->best = score;
  s->have_best = TRUE;
  return end_order (s, &score, p->n, TS_DSA_ORDER_KEPT);
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

typedef struct
{
  guint32 first, n; /* of `begins` and `ends` */
} Members;

/* When the buffers that may share bytes begin and end, sorted within each pool and kind. */
typedef struct
{
  guint32 *begins, *ends;
  Members *members; /* by pool and kind */
} Census;

static int
compare_numbers (gconstpointer x, gconstpointer y)
{
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  return a < b ? -1 : a > b;
}

static guint32
numbers_below (const guint32 *sorted, guint32 n, guint64 limit)
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

static void
census_init (Census *c, const TsDsaProblem *p)
{
  gsize cells = (gsize) p->n_pools * p->n_kinds;
  c->begins = g_new (guint32, (gsize) p->n + 1);
  c->ends = g_new (guint32, (gsize) p->n + 1);
  c->members = g_new0 (Members, cells + 1);
  for (guint32 i = 0; i < p->n; i++)
    c->members[(gsize) p->buffers[i].pool * p->n_kinds + p->buffers[i].kind].n += !p->buffers[i].exclusive;
  for (gsize k = 1; k < cells; k++)
    c->members[k].first = c->members[k - 1].first + c->members[k - 1].n;
  g_autofree guint32 *filled = g_new0 (guint32, cells + 1);
  for (guint32 i = 0; i < p->n; i++)
    {
      if (p->buffers[i].exclusive)
        continue;
      gsize cell = (gsize) p->buffers[i].pool * p->n_kinds + p->buffers[i].kind;
      guint32 at = c->members[cell].first + filled[cell]++;
      c->begins[at] = p->buffers[i].begin;
      c->ends[at] = p->buffers[i].end;
    }
  for (gsize k = 0; k < cells; k++)
    {
      qsort (c->begins + c->members[k].first, c->members[k].n, sizeof (guint32), compare_numbers);
      qsort (c->ends + c->members[k].first, c->members[k].n, sizeof (guint32), compare_numbers);
    }
}

static void
census_clear (Census *c)
{
  g_free (c->begins);
  g_free (c->ends);
  g_free (c->members);
}

/* Penalties of buffer i with all others of its pool: those over before it begins, and those that begin when it is over. */
static gint64
weigh_kinds (Solver *s, const Census *c, const TsDsaBuffer *buffer)
{
  const TsDsaProblem *p = s->problem;
  guint32 family = p->family[buffer->kind];
  gint64 weight = 0;
  for (guint32 k = s->relations.first_member[family]; k < s->relations.first_member[family + 1]; k++)
    {
      guint32 other = s->relations.members[k];
      const Members *m = &c->members[(gsize) buffer->pool * p->n_kinds + other];
      gint64 before = ts_dsa_relation (&s->relations, other, buffer->kind);
      gint64 after = ts_dsa_relation (&s->relations, buffer->kind, other);
      s->counted++;
      guint32 n_before = numbers_below (c->ends + m->first, m->n, (guint64) buffer->begin + 1);
      guint32 n_after = m->n - numbers_below (c->begins + m->first, m->n, buffer->end);
      weight = ts_add_sat (weight, ts_add_sat (ts_mul_sat (MAX (before, 0), n_before), ts_mul_sat (MAX (after, 0), n_after)));
    }
  return weight;
}

/* What kinds say of one pair whose lives do not meet. */
static gint64
kinds_say (const Solver *s, guint32 a, guint32 b)
{
  const TsDsaBuffer *x = &s->problem->buffers[a], *y = &s->problem->buffers[b];
  if (s->problem->family[x->kind] != s->problem->family[y->kind])
    return 0;
  return x->begin < y->begin ? ts_dsa_relation (&s->relations, x->kind, y->kind)
                             : ts_dsa_relation (&s->relations, y->kind, x->kind);
}

static gboolean
find_incident_weights (Solver *s)
{
  const TsDsaProblem *p = s->problem;
  const TsDsaRelations *r = &s->relations;
  Census census;
  gboolean ok = TRUE;
  census_init (&census, p);
  for (guint32 i = 0; i < p->n && ok; i++)
    {
      if (p->buffers[i].exclusive)
        continue;
      s->incident[i] = weigh_kinds (s, &census, &p->buffers[i]);
      for (guint32 k = r->pair_start[i]; k < r->pair_start[i + 1]; k++)
        {
          guint32 other = r->pairs[k].b;
          if (ts_dsa_lives_meet (&p->buffers[i], &p->buffers[other]) || p->buffers[i].pool != p->buffers[other].pool
              || p->buffers[other].exclusive)
            continue;
          gint64 kinds = kinds_say (s, i, other);
          if (r->pairs[k].weight < 0)
            s->incident[i] -= MAX (kinds, 0);
          else if (kinds >= 0)
            s->incident[i] = ts_add_sat (s->incident[i], r->pairs[k].weight);
        }
      ok = (i & 63) != 0 || !g_cancellable_is_cancelled (p->cancellable);
    }
  census_clear (&census);
  return ok;
}

typedef int (*Compare) (gconstpointer, gconstpointer, gpointer);

static const Compare sorts[] = { by_size, by_size, by_begin, by_weight };

#define N_ORDERS (G_N_ELEMENTS (sorts) + N_SHUFFLES)
G_STATIC_ASSERT (N_ORDERS == TS_DSA_ORDERS);

/* Fills in order k; the shuffles need those before them. FALSE when cancelled. */
static gboolean
make_order (Solver *s, TsTwister *twister, guint32 *orders, guint k)
{
  guint32 n = s->problem->n, *order = orders + (gsize) k * n;
  if (k >= G_N_ELEMENTS (sorts))
    {
      memcpy (order, order - n, sizeof (guint32) * n);
      ts_twister_shuffle (twister, order, n);
      return TRUE;
    }
  if (sorts[k] == by_weight && !find_incident_weights (s))
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) n, sizeof (guint32), sorts[k], s);
  return TRUE;
}

static gboolean
is_duplicate (const guint32 *orders, guint32 n, guint k)
{
  for (guint e = 1; e < k; e++)
    if (memcmp (orders + (gsize) e * n, orders + (gsize) k * n, sizeof (guint32) * n) == 0)
      return TRUE;
  return FALSE;
}

static TsDsaStatus
skip_duplicate (Solver *s, guint number)
{
  TsDsaScore none = { .order = number };
  if (s->problem->listener != NULL)
    s->problem->listener->order (number, s->problem->listener_data);
  return end_order (s, &none, 0, TS_DSA_ORDER_DUPLICATE);
}

static TsDsaStatus
try_orders (Solver *s)
{
  static const guint8 sequence[] = { 1, 0, 2, 3, 4, 5, 6, 7 };
  G_STATIC_ASSERT (G_N_ELEMENTS (sequence) == N_ORDERS);
  gboolean all = s->problem->listener != NULL;
  guint64 max_work = s->problem->max_work > 0 ? s->problem->max_work : TS_DSA_MAX_WORK;
  g_autofree guint32 *orders = g_new (guint32, (gsize) (s->problem->n + 1) * N_ORDERS);
  TsTwister twister;
  ts_twister_seed (&twister, 0);
  for (guint i = 0; i < N_ORDERS && (all || !cannot_be_beaten (s)); i++)
    {
      guint k = all ? i : sequence[i];
      if (k == 0 && s->have_best && s->best.penalty == 0)
        continue;
      if (i > 0 && ts_dsa_placer_work (s->placer) + s->counted > max_work)
        {
          s->best.cut_short = TRUE;
          break;
        }
      if (!make_order (s, &twister, orders, k))
        return TS_DSA_CANCELLED;
      gboolean duplicate = is_duplicate (orders, s->problem->n, k);
      TsDsaStatus status = duplicate ? skip_duplicate (s, k + 1)
                                     : try_order (s, orders + (gsize) k * s->problem->n, k == 0, k + 1);
      s->n_tried += !duplicate;
      if (status == TS_DSA_CANCELLED)
        return status;
    }
  return s->have_best ? TS_DSA_OK : TS_DSA_NO_FIT;
}

static gboolean
is_well_formed (const TsDsaProblem *p)
{
  for (guint32 k = 0; k < p->n_kinds; k++)
    if (p->family[k] >= p->n_kinds)
      return FALSE;
  for (guint32 i = 0; i < p->n; i++)
    {
      const TsDsaBuffer *b = &p->buffers[i];
      if (b->size <= 0 || b->begin >= b->end || b->pool >= p->n_pools || b->kind >= p->n_kinds)
        return FALSE;
    }
  for (guint32 k = 0; k < p->n_pairs; k++)
    {
      const TsDsaPair *pair = &p->pairs[k];
      if (pair->a >= p->n || pair->b >= p->n || pair->a == pair->b
          || (pair->weight > 0 && ts_dsa_lives_meet (&p->buffers[pair->a], &p->buffers[pair->b])))
        return FALSE;
    }
  return TRUE;
}

TsDsaStatus
ts_dsa_solve (const TsDsaProblem *p, gint64 *offsets, TsDsaScore *score)
{
  if (!is_well_formed (p))
    return TS_DSA_INVALID;
  Solver s = { .problem = p, .best_offsets = offsets, .bound = -1 };
  ts_dsa_relations_init (&s.relations, p);
  s.placer = ts_dsa_placer_new (&s.relations);
  s.offsets = g_new0 (gint64, (gsize) p->n + 1);
  s.incident = g_new0 (gint64, (gsize) p->n + 1);
  TsDsaStatus status = try_orders (&s);
  s.best.stuck = s.stuck;
  s.best.n_orders = s.n_tried;
  if (score != NULL)
    *score = s.best;
  ts_dsa_placer_free (s.placer);
  ts_dsa_relations_clear (&s.relations);
  g_free (s.offsets);
  g_free (s.incident);
  return status;
}
