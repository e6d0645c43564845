/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of placing buffers that stand by themselves: the shuffle, the DSA-RP solver, and the packing against its plain
 * rules. */
#include <string.h>

#include "base/number.h"
#include "kernel.h"
#include "passes/dsa-bound.h"
#include "passes/dsa-lives.h"
#include "passes/dsa-place.h"
#include "passes/dsa-ranges.h"
#include "passes/memory-packer.h"
#include "passes/mersenne-twister.h"

/* --- shuffle ------------------------------------------------------------------------------------------------------------ */

/* Four successive shuffles of 0, 1, .. n - 1 from seed 0. Source: spec passes-memory 6.3, check vectors. */
static void
test_shuffle (void)
{
  static const struct
  {
    guint32     n;
    const char *expected;
  } rows[] = { { 3, "201,201,120,021," }, { 5, "20134,14302,02134,13042," }, { 6, "452310,103542,120345,152403," },
               { 1, "0,0,0,0," },         { 0, ",,,," } };
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      guint32 v[8];
      TsTwister twister;
      g_autoptr (GString) text = g_string_new (NULL);
      ts_twister_seed (&twister, 0);
      for (guint32 i = 0; i < rows[r].n; i++)
        v[i] = i;
      for (guint round = 0; round < 4; round++)
        {
          ts_twister_shuffle (&twister, v, rows[r].n);
          for (guint32 i = 0; i < rows[r].n; i++)
            g_string_append_printf (text, "%u", v[i]);
          g_string_append_c (text, ',');
        }
      g_assert_cmpstr (text->str, ==, rows[r].expected);
    }
}

static void
test_below_is_below (void)
{
  TsTwister twister;
  ts_twister_seed (&twister, 5489);
  /* The published check value: the 10000th number of mt19937_64 with its default seed. */
  guint64 x = 0;
  for (guint i = 0; i < 10000; i++)
    x = ts_twister_next (&twister);
  g_assert_cmpuint (x, ==, G_GUINT64_CONSTANT (9981545732273789042));
  for (guint64 bound = 1; bound < 1000; bound++)
    g_assert_cmpuint (ts_twister_below (&twister, bound), <, bound);
}

/* --- solver ------------------------------------------------------------------------------------------------------------- */

static guint32 one_family[] = { 0 };

static TsDsaStatus
solve (const TsDsaBuffer *buffers, guint32 n, TsDsaPool pool, const TsDsaPair *pairs, guint32 n_pairs, gint64 *offsets,
       TsDsaScore *score)
{
  TsDsaProblem problem = { .buffers = buffers, .n = n, .pools = &pool, .n_pools = 1, .n_kinds = 1, .family = one_family,
                           .pairs = pairs, .n_pairs = n_pairs };
  TsDsaStatus status = ts_dsa_solve (&problem, offsets, score);
  if (status == TS_DSA_OK)
    {
      g_autofree char *wrong = ts_dsa_validate (&problem, offsets);
      g_assert_cmpstr (wrong, ==, NULL);
    }
  return status;
}

/* 6.4/18 */
static void
test_no_fit (void)
{
  const TsDsaBuffer buffers[] = { { 1, 9, 64 }, { 1, 9, 64 }, { 1, 9, 64 } };
  gint64 offsets[3];
  TsDsaScore score;
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 128, 0 }, NULL, 0, offsets, &score), ==, TS_DSA_NO_FIT);
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 192, 0 }, NULL, 0, offsets, &score), ==, TS_DSA_OK);
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 192, 32 }, NULL, 0, offsets, &score), ==, TS_DSA_NO_FIT);
}

/* 6.4/20 */
static void
test_cheapest_pair (void)
{
  const TsDsaBuffer buffers[] = { { 1, 3, 64 }, { 3, 5, 64 }, { 5, 7, 64 } };
  const TsDsaPair pairs[] = { { 0, 1, 10 }, { 0, 2, 1 }, { 1, 2, 1 } };
  gint64 offsets[3];
  TsDsaScore score;
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 128, 0 }, pairs, 3, offsets, &score), ==, TS_DSA_OK);
  g_assert_cmpint (score.penalty, ==, 1);
  g_assert_cmpint (offsets[0], !=, offsets[1]);
}

/* A search that is too long ends after the order at hand, and says so; one whose outcome is settled does not. */
static void
test_cut_short (void)
{
  const TsDsaBuffer buffers[] = { { 1, 3, 64 }, { 3, 5, 64 }, { 5, 7, 64 }, { 7, 9, 96 } };
  const TsDsaPair pairs[] = { { 0, 1, 10 }, { 0, 2, 1 }, { 1, 2, 1 } };
  static const struct
  {
    gint64   capacity;
    guint64  max_work;
    gboolean cut_short;
  } rows[] = { { 128, 1, TRUE }, { 128, 0, FALSE }, { 4096, 1, TRUE }, { 4096, 0, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      TsDsaPool pool = { rows[i].capacity, 0 };
      TsDsaProblem problem = { .buffers = buffers, .n = 4, .pools = &pool, .n_pools = 1, .n_kinds = 1, .family = one_family,
                               .pairs = pairs, .n_pairs = 3, .max_work = rows[i].max_work };
      gint64 offsets[4];
      TsDsaScore score;
      g_assert_cmpint (ts_dsa_solve (&problem, offsets, &score), ==, TS_DSA_OK);
      g_assert_cmpint (score.cut_short, ==, rows[i].cut_short);
      g_assert_cmpuint (score.n_orders, >=, 1);
      g_assert_cmpuint (score.n_orders, <=, rows[i].cut_short ? 2 : TS_DSA_ORDERS);
    }
  /* One buffer: nothing can be better than the first placement. */
  TsDsaPool pool = { 4096, 0 };
  TsDsaProblem single = { .buffers = buffers, .n = 1, .pools = &pool, .n_pools = 1, .n_kinds = 1, .family = one_family,
                          .max_work = 1 };
  gint64 offset;
  TsDsaScore score;
  g_assert_cmpint (ts_dsa_solve (&single, &offset, &score), ==, TS_DSA_OK);
  g_assert_false (score.cut_short);
}

/* 6.4/21 */
static void
test_invalid (void)
{
  const TsDsaBuffer buffers[] = { { 1, 5, 64 }, { 3, 7, 64 } };
  const TsDsaBuffer empty[] = { { 1, 5, 0 } }, elsewhere[] = { { 1, 5, 64, 1 } }, backwards[] = { { 5, 5, 64 } };
  const TsDsaPair pair = { 0, 1, 1 };
  gint64 offsets[2];
  g_assert_cmpint (solve (buffers, 2, (TsDsaPool) { 256, 0 }, &pair, 1, offsets, NULL), ==, TS_DSA_INVALID);
  g_assert_cmpint (solve (empty, 1, (TsDsaPool) { 256, 0 }, NULL, 0, offsets, NULL), ==, TS_DSA_INVALID);
  g_assert_cmpint (solve (elsewhere, 1, (TsDsaPool) { 256, 0 }, NULL, 0, offsets, NULL), ==, TS_DSA_INVALID);
  g_assert_cmpint (solve (backwards, 1, (TsDsaPool) { 256, 0 }, NULL, 0, offsets, NULL), ==, TS_DSA_INVALID);
}

static void
test_separation_and_reuse (void)
{
  const TsDsaBuffer buffers[] = { { 1, 3, 100 }, { 3, 5, 100 }, { 5, 7, 100 } };
  const TsDsaPair apart = { 0, 1, TS_DSA_APART };
  gint64 offsets[3];
  TsDsaScore score;
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 4096, 0 }, &apart, 1, offsets, &score), ==, TS_DSA_OK);
  g_assert_cmpint (offsets[0], ==, 0);
  g_assert_cmpint (offsets[1], ==, 128); /* 100 bytes end at 100: the next address that is a multiple of 32 */
  g_assert_cmpint (offsets[2], ==, 0);
  g_assert_cmpint (score.total_peak, ==, 228);
}

/* The validator finds what the solver must not do. */
static void
test_validator (void)
{
  const TsDsaBuffer buffers[] = { { 1, 5, 64 }, { 3, 7, 64 } };
  static const struct
  {
    gint64      offsets[2];
    const char *wrong;
  } rows[] = { { { 64, 128 }, NULL }, { { 64, 96 }, "share bytes" }, { { 64, 130 }, "no aligned" }, { { 0, 64 }, "reserved" },
               { { 64, 224 }, "beyond" }, { { -32, 64 }, "no aligned" } };
  TsDsaPool pool = { 256, 32 };
  TsDsaProblem problem = { .buffers = buffers, .n = 2, .pools = &pool, .n_pools = 1, .n_kinds = 1, .family = one_family };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *wrong = ts_dsa_validate (&problem, rows[i].offsets);
      if (rows[i].wrong == NULL)
        g_assert_cmpstr (wrong, ==, NULL);
      else
        g_assert_nonnull (strstr (wrong != NULL ? wrong : "", rows[i].wrong));
    }
}

#define MOST 120u
#define FEW 24u
#define KINDS 6u

/* A problem with its relations written out for every pair of buffers. */
typedef struct
{
  TsDsaBuffer buffers[MOST];
  guint32     n, family[KINDS];
  gint64      kinds[KINDS][KINDS]; /* by (earlier, later) */
  TsDsaPair   pairs[MOST];
  guint32     n_pairs;
  TsDsaPool   pools[2];
  gint64      weight[MOST][MOST];  /* TS_DSA_APART also where lives meet */
} Puzzle;

static gint64
puzzle_relation (guint32 earlier, guint32 later, gpointer data)
{
  return ((const Puzzle *) data)->kinds[earlier][later];
}

static gint64
weigh_pair (const Puzzle *z, guint32 a, guint32 b)
{
  const TsDsaBuffer *x = &z->buffers[a], *y = &z->buffers[b];
  gint64 weight = 0;
  if (x->pool != y->pool)
    return 0;
  if (ts_dsa_lives_meet (x, y) || x->exclusive || y->exclusive)
    return TS_DSA_APART;
  if (z->family[x->kind] == z->family[y->kind])
    weight = x->begin < y->begin ? z->kinds[x->kind][y->kind] : z->kinds[y->kind][x->kind];
  for (guint32 k = 0; k < z->n_pairs && weight >= 0; k++)
    if ((z->pairs[k].a == a && z->pairs[k].b == b) || (z->pairs[k].a == b && z->pairs[k].b == a))
      weight = z->pairs[k].weight < 0 ? TS_DSA_APART : weight + z->pairs[k].weight;
  return weight;
}

/* Up to `most` buffers, as crowded as few are; `room` times the memory. */
static void
puzzle_make (Puzzle *z, GRand *rand, guint32 most, gint room)
{
  gint length = (gint) MAX (40, most * 5 / 3);
  *z = (Puzzle) { .n = (guint32) g_rand_int_range (rand, 1, (gint) most + 1) };
  for (guint32 k = 0; k < KINDS; k++)
    z->family[k] = k / 3;
  for (guint32 a = 0; a < KINDS; a++)
    for (guint32 b = 0; b < KINDS; b++)
      z->kinds[a][b] = g_rand_int_range (rand, 0, 3);
  for (guint32 a = 0; a < KINDS; a++)
    for (guint32 b = 0; b < a; b++)
      if (g_rand_int_range (rand, 0, 5) == 0)
        z->kinds[a][b] = z->kinds[b][a] = TS_DSA_APART;
  for (guint32 i = 0; i < z->n; i++)
    {
      guint32 begin = (guint32) g_rand_int_range (rand, 0, length);
      z->buffers[i] = (TsDsaBuffer) { begin, begin + 1 + (guint32) g_rand_int_range (rand, 0, 12), g_rand_int_range (rand, 1, 200),
                                      (guint32) g_rand_int_range (rand, 0, 2), (guint32) g_rand_int_range (rand, 0, KINDS),
                                      g_rand_int_range (rand, 0, 16) == 0 };
    }
  for (guint32 i = 0; i + 1 < z->n; i += 2)
    { /* pairs (i, i + 1) with i even: none stands twice */
      gint64 weight = g_rand_boolean (rand) ? TS_DSA_APART : g_rand_int_range (rand, 0, 4);
      guint32 first = i + (guint32) g_rand_int_range (rand, 0, 2);
      if (weight <= 0 || !ts_dsa_lives_meet (&z->buffers[i], &z->buffers[i + 1]))
        z->pairs[z->n_pairs++] = (TsDsaPair) { first, first ^ 1, weight };
    }
  for (guint i = 0; i < 2; i++)
    z->pools[i] = (TsDsaPool) { g_rand_int_range (rand, 200, 1600) * room, g_rand_int_range (rand, 0, 3) * 50 };
  for (guint32 a = 0; a < z->n; a++)
    for (guint32 b = 0; b < z->n; b++)
      z->weight[a][b] = a != b ? weigh_pair (z, a, b) : 0;
}

/* One order as the specification words it: every candidate address, every buffer placed so far. */
static gboolean
plain_order (const Puzzle *z, const guint32 *order, gboolean first_fit, gint64 *offsets, TsDsaScore *score)
{
  gint64 peaks[2] = { 0, 0 };
  *score = (TsDsaScore) { 0 };
  for (guint32 k = 0; k < z->n; k++)
    {
      const TsDsaBuffer *buffer = &z->buffers[order[k]];
      const TsDsaPool *pool = &z->pools[buffer->pool];
      gint64 best = -1, least = 0;
      for (gint64 at = 0; at + buffer->size <= pool->capacity; at += TS_DSA_ALIGNMENT)
        {
          gboolean candidate = at == 0 || at == ts_round_up (pool->reserved, TS_DSA_ALIGNMENT), fits = at >= pool->reserved;
          gint64 penalty = 0;
          for (guint32 e = 0; e < k; e++)
            {
              guint32 j = order[e];
              gint64 end = offsets[j] + z->buffers[j].size, weight = z->weight[order[k]][j];
              if (z->buffers[j].pool != buffer->pool || weight == 0)
                continue;
              candidate = candidate || at == ts_round_up (end, TS_DSA_ALIGNMENT);
              if (offsets[j] < at + buffer->size && at < end)
                {
                  fits = fits && weight > 0;
                  penalty += weight;
                }
            }
          if (!candidate || !fits || (best >= 0 && (first_fit || penalty >= least)))
            continue;
          best = at;
          least = penalty;
        }
      if (best < 0)
        return FALSE;
      offsets[order[k]] = best;
      score->penalty += least;
      peaks[buffer->pool] = MAX (peaks[buffer->pool], best + buffer->size);
    }
  score->total_peak = peaks[0] + peaks[1];
  score->largest_peak = MAX (peaks[0], peaks[1]);
  return TRUE;
}

typedef struct
{
  const Puzzle *puzzle;
  guint         order; /* 0, 1: size; 2: begin; 3: weight */
} Sorting;

static int
plain_compare (gconstpointer x, gconstpointer y, gpointer data)
{
  const Sorting *sorting = data;
  const Puzzle *z = sorting->puzzle;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  const TsDsaBuffer *ba = &z->buffers[a], *bb = &z->buffers[b];
  gint64 difference = 0;
  if (sorting->order == 3)
    for (guint32 i = 0; i < z->n; i++)
      difference += MAX (z->weight[b][i], 0) - MAX (z->weight[a][i], 0);
  if (difference == 0 && sorting->order != 2)
    difference = bb->size - ba->size;
  if (difference == 0 && sorting->order != 3)
    difference = (gint64) ba->begin - bb->begin;
  if (difference == 0)
    difference = (gint64) a - b;
  return difference < 0 ? -1 : difference > 0;
}

static gboolean
plain_solve (const Puzzle *z, gint64 *offsets, TsDsaScore *best)
{
  guint32 order[MOST];
  TsTwister twister;
  gboolean found = FALSE;
  ts_twister_seed (&twister, 0);
  for (guint k = 0; k < 8; k++)
    {
      gint64 tried[MOST];
      TsDsaScore score;
      Sorting sorting = { z, k };
      for (guint32 i = 0; i < z->n && k < 4; i++)
        order[i] = i;
      if (k < 4)
        g_qsort_with_data (order, (gint) z->n, sizeof (guint32), plain_compare, &sorting);
      else
        ts_twister_shuffle (&twister, order, z->n);
      if (!plain_order (z, order, k == 0, tried, &score))
        continue;
      if (found && (score.penalty > best->penalty
                    || (score.penalty == best->penalty
                        && (score.total_peak > best->total_peak
                            || (score.total_peak == best->total_peak && score.largest_peak >= best->largest_peak)))))
        continue;
      *best = score;
      memcpy (offsets, tried, sizeof (gint64) * z->n);
      found = TRUE;
    }
  return found;
}

/* No placement without penalties reaches less far than the bound says. Returns whether this one reaches just as far. */
static gboolean
check_bound (const Puzzle *z, const TsDsaProblem *problem, const gint64 *offsets)
{
  gint64 bound[2], peaks[2] = { 0, 0 };
  TsDsaRelations relations;
  ts_dsa_relations_init (&relations, problem);
  ts_dsa_bound_peaks (&relations, bound);
  ts_dsa_relations_clear (&relations);
  for (guint32 i = 0; i < z->n; i++)
    peaks[z->buffers[i].pool] = MAX (peaks[z->buffers[i].pool], offsets[i] + z->buffers[i].size);
  g_assert_cmpint (bound[0], <=, peaks[0]);
  g_assert_cmpint (bound[1], <=, peaks[1]);
  return bound[0] + bound[1] == peaks[0] + peaks[1];
}

static void
hear_order (guint number, gpointer data)
{
  g_assert_cmpuint (number, ==, ++*(guint *) data);
}

static void
hear_place (const TsDsaPlacement *placement, gpointer data)
{
  g_assert_cmpuint (placement->number, ==, *(guint *) data);
}

static void
hear_end (const TsDsaOutcome *outcome, gpointer data)
{
  g_assert_cmpuint (outcome->score.order, ==, *(guint *) data);
}

/* Somebody who listens hears of all orders, in turn, and changes nothing. */
static void
check_listening (TsDsaProblem problem, const gint64 *expected)
{
  static const TsDsaListener listener = { hear_order, hear_place, hear_end };
  gint64 offsets[MOST];
  guint number = 0;
  problem.listener = &listener;
  problem.listener_data = &number;
  g_assert_cmpint (ts_dsa_solve (&problem, offsets, NULL), ==, TS_DSA_OK);
  g_assert_cmpmem (offsets, sizeof (gint64) * problem.n, expected, sizeof (gint64) * problem.n);
  g_assert_cmpuint (number, ==, 8);
}

/* The search that skips what it need not look at finds what looking at everything finds. */
static void
test_solver_is_plain (void)
{
  static const struct
  {
    guint   rounds;
    guint32 most;
    gint    room;
    guint   fit, penalised, free, tight; /* at least so many of each */
  } rows[] = { { 3000, FEW, 1, 500, 50, 100, 10 }, { 1000, FEW, 3, 500, 10, 400, 50 }, { 60, MOST, 3, 10, 10, 0, 0 },
               { 40, MOST, 8, 20, 2, 5, 1 } };
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261201);
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      guint n_fit = 0, n_penalised = 0, n_tight = 0;
      for (guint round = 0; round < rows[r].rounds; round++)
        {
          Puzzle z;
          gint64 offsets[MOST], expected[MOST];
          TsDsaScore score, best = { 0 };
          puzzle_make (&z, rand, rows[r].most, rows[r].room);
          TsDsaProblem problem = { .buffers = z.buffers, .n = z.n, .pools = z.pools, .n_pools = 2, .n_kinds = KINDS,
                                   .family = z.family, .relation = puzzle_relation, .data = &z, .pairs = z.pairs,
                                   .n_pairs = z.n_pairs };
          TsDsaStatus status = ts_dsa_solve (&problem, offsets, &score);
          gboolean fits = plain_solve (&z, expected, &best);
          g_assert_cmpint (status, ==, fits ? TS_DSA_OK : TS_DSA_NO_FIT);
          if (!fits)
            continue;
          g_assert_cmpint (score.penalty, ==, best.penalty);
          g_assert_cmpint (score.total_peak, ==, best.total_peak);
          g_assert_cmpmem (offsets, sizeof (gint64) * z.n, expected, sizeof (gint64) * z.n);
          g_autofree char *wrong = ts_dsa_validate (&problem, offsets);
          g_assert_cmpstr (wrong, ==, NULL);
          check_listening (problem, expected);
          n_fit++;
          n_penalised += score.penalty > 0;
          n_tight += score.penalty == 0 && check_bound (&z, &problem, offsets);
        }
      g_test_message ("%u fit, %u penalised, %u at the bound", n_fit, n_penalised, n_tight);
      g_assert_cmpuint (n_fit, >=, rows[r].fit);
      g_assert_cmpuint (n_penalised, >=, rows[r].penalised);
      g_assert_cmpuint (n_fit - n_penalised, >=, rows[r].free);
      g_assert_cmpuint (n_tight, >=, rows[r].tight);
    }
}

/* Addresses drawn at random: the validator's sweeps say the same as looking at every pair. */
static void
test_validator_is_plain (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261202);
  guint n_right = 0;
  for (guint round = 0; round < 20000; round++)
    {
      Puzzle z;
      gint64 offsets[MOST];
      gboolean right = TRUE;
      puzzle_make (&z, rand, FEW, 1);
      z.n = MIN (z.n, 5);
      z.n_pairs = MIN (z.n_pairs, z.n / 2);
      while (z.n_pairs > 0 && MAX (z.pairs[z.n_pairs - 1].a, z.pairs[z.n_pairs - 1].b) >= z.n)
        z.n_pairs--;
      for (guint i = 0; i < 2; i++)
        z.pools[i] = (TsDsaPool) { 2000, 0 };
      for (guint32 i = 0; i < z.n; i++)
        offsets[i] = g_rand_int_range (rand, 0, 40) * TS_DSA_ALIGNMENT;
      for (guint32 a = 0; a < z.n; a++)
        for (guint32 b = 0; b < a; b++)
          right = right && (weigh_pair (&z, a, b) >= 0 || offsets[a] >= offsets[b] + z.buffers[b].size
                            || offsets[b] >= offsets[a] + z.buffers[a].size);
      TsDsaProblem problem = { .buffers = z.buffers, .n = z.n, .pools = z.pools, .n_pools = 2, .n_kinds = KINDS,
                               .family = z.family, .relation = puzzle_relation, .data = &z, .pairs = z.pairs,
                               .n_pairs = z.n_pairs };
      g_autofree char *wrong = ts_dsa_validate (&problem, offsets);
      g_assert_cmpint (wrong == NULL, ==, right);
      n_right += right;
    }
  g_assert_cmpuint (n_right, >, 1000);
  g_assert_cmpuint (n_right, <, 19000);
}

/* Lives that come in any order, many of them late, against a table of all moments. */
static void
test_lives (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261203);
  for (guint round = 0; round < 6; round++)
    {
      guint32 n = 300u << round, length = 0;
      g_autofree TsDsaLife *all = g_new (TsDsaLife, n);
      for (guint32 i = 0; i < n; i++)
        {
          guint32 begin = length + (guint32) g_rand_int_range (rand, 0, 4);
          length = begin + 1 + (guint32) g_rand_int_range (rand, 0, 6);
          all[i] = (TsDsaLife) { begin, length, (guint32) g_rand_int_range (rand, 0, 3) };
        }
      g_autofree guint8 *taken = g_new0 (guint8, length + 64);
      TsDsaLives lives = { 0 };
      guint32 over[3] = { 0 }, moment = length / 2;
      for (guint32 i = 0; i < n; i++)
        {
          guint32 k = i + (guint32) g_rand_int_range (rand, 0, (gint) (n - i));
          TsDsaLife life = all[k];
          all[k] = all[i];
          ts_dsa_lives_add (&lives, life);
          memset (taken + life.begin, 1, life.end - life.begin);
          over[life.kind] += life.end <= moment;
          guint32 begin = (guint32) g_rand_int_range (rand, 0, (gint) length), end = begin + 1 + g_rand_int (rand) % 9;
          g_assert_cmpint (ts_dsa_lives_meet_any (&lives, begin, end), ==, memchr (taken + begin, 1, end - begin) != NULL);
        }
      for (guint32 kind = 0; kind < 3; kind++)
        g_assert_cmpuint (ts_dsa_lives_over (&lives, kind, moment), ==, over[kind]);
      g_assert_cmpuint (lives.n_sorted + lives.n_late, ==, n);
      ts_dsa_lives_clear (&lives);
    }
}

/* Stretches of taken bytes against a table of all bytes. */
static void
test_ranges (void)
{
  enum { BYTES = 400 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261204);
  for (guint round = 0; round < 200; round++)
    {
      guint8 taken[BYTES] = { 0 };
      TsDsaRanges ranges = { 0 };
      for (guint k = 0; k < 60; k++)
        {
          gint start = g_rand_int_range (rand, 0, BYTES - 12), end = start + g_rand_int_range (rand, 1, 12), at = 0;
          ts_dsa_ranges_add (&ranges, start, end);
          memset (taken + start, 1, (gsize) (end - start));
          for (guint32 r = 0; r < ranges.n; r++)
            { /* a free byte before each of them, and nothing but taken ones in it */
              for (; at < ranges.at[r].start; at++)
                g_assert_cmpint (taken[at], ==, 0);
              g_assert_true (r == 0 || ranges.at[r].start > ranges.at[r - 1].end);
              for (; at < ranges.at[r].end; at++)
                g_assert_cmpint (taken[at], ==, 1);
            }
          g_assert_null (memchr (taken + at, 1, (gsize) (BYTES - at)));
          guint32 from = (guint32) g_rand_int_range (rand, 0, (gint) ranges.n + 1), expected = from;
          gint64 behind = g_rand_int_range (rand, 0, BYTES);
          while (expected < ranges.n && ranges.at[expected].end <= behind)
            expected++;
          g_assert_cmpuint (ts_dsa_ranges_first_behind (&ranges, from, behind), ==, expected);
        }
      ts_dsa_ranges_clear (&ranges);
    }
}

/* Steps it takes to place n buffers of n sizes, the largest first. Each hands on to the next, as in a chain, or lives as long as a
 * loop body does in which `together` are live. */
static guint64
count_steps (guint32 n, guint32 together)
{
  g_autofree TsDsaBuffer *buffers = g_new0 (TsDsaBuffer, n);
  g_autofree gint64 *offsets = g_new0 (gint64, n);
  TsDsaPool pool = { G_MAXINT64 / 2, 0 };
  for (guint32 i = 0; i < n; i++)
    {
      guint32 moment = (guint32) ((guint64) i * 7919 % n), body = moment / together * together; /* 7919 is prime to n */
      buffers[i] = (TsDsaBuffer) { together > 1 ? 2 * body : 2 * moment, together > 1 ? 2 * (body + together) : 2 * moment + 3,
                                   32 * (gint64) (n - i) };
    }
  TsDsaProblem problem = { .buffers = buffers, .n = n, .pools = &pool, .n_pools = 1, .n_kinds = 1, .family = one_family };
  TsDsaRelations relations;
  ts_dsa_relations_init (&relations, &problem);
  TsDsaPlacer *placer = ts_dsa_placer_new (&relations);
  ts_dsa_placer_reset (placer, FALSE);
  for (guint32 i = 0; i < n; i++)
    {
      gint64 added = -1;
      g_assert_true (ts_dsa_placer_place (placer, i, &offsets[i], &added));
      g_assert_cmpint (added, ==, 0);
    }
  guint64 steps = ts_dsa_placer_work (placer);
  ts_dsa_placer_free (placer);
  ts_dsa_relations_clear (&relations);
  return steps;
}

/* Eight times as many sizes, all different, take about eight times the steps: n log n, not n squared. */
static void
test_sizes_are_cheap (void)
{
  static const guint32 together[] = { 1, 20, 250 };
  for (guint i = 0; i < G_N_ELEMENTS (together); i++)
    {
      guint64 few = count_steps (1000, together[i]), many = count_steps (8000, together[i]);
      g_test_message ("%u live together: %" G_GUINT64_FORMAT " steps, then %" G_GUINT64_FORMAT, together[i], few, many);
      g_assert_cmpuint (many, <, 12 * few);
    }
}

/* --- packing ------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  TsLifetimes   life;
  TsConstraints constraints;
  TsStage      *stages;
} Random;

/* From so many intervals on most stages are of one group: one that is large enough to tell classes of buffers apart. */
#define MANY 900u

/* Intervals of so many sizes and of a few stages over a short program, each of one tile with a definition of its own; some in
 * branches that exclude each other; some that must not share. They live for up to `longest` positions. */
static void
random_make (Random *r, GRand *rand, guint32 n, guint32 positions, guint32 n_sizes, guint32 longest)
{
  guint32 n_groups = n / 40 + 3;
  *r = (Random) { 0 };
  r->life.n_positions = positions;
  r->life.n_tiles = r->life.n_intervals = n;
  r->life.tiles = g_new0 (TsLifeTile, n + 1);
  r->life.intervals = g_new0 (TsLifeInterval, n + 1);
  r->life.families = g_new0 (TsLifeFamily, n + 1);
  r->stages = g_new0 (TsStage, n + 1);
  g_autofree guint32 *defs = g_new (guint32, positions);
  for (guint32 i = 0; i < positions; i++)
    {
      guint32 k = (guint32) g_rand_int_range (rand, 0, (gint) i + 1);
      defs[i] = defs[k];
      defs[k] = i;
    }
  for (guint32 i = 0; i < n; i++)
    {
      TsLifeInterval *interval = &r->life.intervals[i];
      guint32 def = defs[i];
      guint32 length = (guint32) g_rand_int_range (rand, 0, (gint) longest), last = MIN (positions - 1, def + length);
      *interval = (TsLifeInterval) { .size = 32 * g_rand_int_range (rand, 1, (gint) n_sizes + 1), .def = def, .last = last,
                                     .representative = i, .last_member = i, .n_members = 1, .space = TS_SPACE_VEC };
      interval->is_load = g_rand_boolean (rand);
      interval->pinned = g_rand_int_range (rand, 0, 20) == 0;
      gboolean in_first = n >= MANY && g_rand_int_range (rand, 0, 4) > 0;
      r->stages[i] = (TsStage) { in_first ? 0 : g_rand_int_range (rand, 0, (gint) n_groups), g_rand_int_range (rand, 0, 4) };
      interval->stages = &r->stages[i];
      interval->n_stages = g_rand_boolean (rand) ? 1 : 0;
      r->life.tiles[i] = (TsLifeTile) { .def = def, .last = last, .interval = i, .next_member = TS_LIFE_NONE,
                                        .first_family = TS_LIFE_NONE };
      if (i % 2 == 1 && g_rand_int_range (rand, 0, 4) == 0)
        for (guint32 k = i - 1; k <= i; k++)
          {
            r->life.families[r->life.n_families] = (TsLifeFamily) { i / 2, k, TS_LIFE_NONE };
            r->life.tiles[k].first_family = r->life.n_families++;
            r->life.intervals[k].has_family = TRUE;
          }
    }
  r->constraints.n_intervals = n;
  r->constraints.start = g_new0 (guint32, n + 2);
  r->constraints.entries = g_new0 (TsConstraint, n + 1);
  for (guint32 i = 0; i < n; i++)
    { /* pairs (i, i + 1) with i even: one entry each way */
      gboolean pair = (i ^ 1) < n && (i / 2) % 5 == 0;
      r->constraints.entries[r->constraints.start[i]] = (TsConstraint) { i ^ 1, 0, TS_CONSTRAINT_NO_ALIAS };
      r->constraints.start[i + 1] = r->constraints.start[i] + (pair ? 1 : 0);
    }
}

static void
random_clear (Random *r)
{
  g_free (r->life.tiles);
  g_free (r->life.intervals);
  g_free (r->life.families);
  g_free (r->stages);
  g_free (r->constraints.start);
  g_free (r->constraints.entries);
}

/* First fit as the specification words it: the first open buffer whose members it may all share with. */
static guint32
plain_choice (const TsPackSpace *space, TsStageRule rule, const guint32 *buffer_of, const guint32 *first, guint32 n_buffers,
              guint32 i)
{
  for (guint32 b = 0; b < n_buffers; b++)
    {
      gboolean fits = !space->life->intervals[space->order[i]].pinned && !space->life->intervals[space->order[first[b]]].pinned;
      for (guint32 k = 0; k < i && fits; k++)
        fits = buffer_of[k] != b || ts_pack_blocked (space, rule, i, k) == NULL;
      if (fits)
        return b;
    }
  return n_buffers;
}

/* Whatever the way of looking for it: by sweeps, by gaps, or by what ts_pack takes for the number of sizes. */
static void
check_packing (const TsPacking *packing, const TsPackSpace *space, const guint32 *buffer_of, guint32 n_buffers)
{
  g_assert_cmpmem (packing->buffer_of, sizeof (guint32) * space->n, buffer_of, sizeof (guint32) * space->n);
  g_assert_cmpuint (packing->n_buffers, ==, n_buffers);
  g_assert_true (packing->whole);
  for (guint32 b = 0; b < n_buffers; b++)
    for (guint32 k = packing->head[b]; packing->next[k] != TS_LIFE_NONE; k = packing->next[k])
      g_assert_cmpuint (space->life->intervals[space->order[k]].def, <,
                        space->life->intervals[space->order[packing->next[k]]].def);
  g_assert_cmpint (ts_pack_floor (space), <=, packing->bytes);
}

static void
check_first_fit (GRand *rand, TsStageRule rule, guint32 n, guint32 n_sizes, guint32 longest)
{
  Random r;
  random_make (&r, rand, n, n + (guint32) g_rand_int_range (rand, 0, 10), n_sizes, longest);
  g_autoptr (TsPackSpace) space = ts_pack_space_new (&r.life, &r.constraints, TS_SPACE_VEC);
  for (guint32 g = 0; g < space->n_groups; g++)
    space->groups[g].depth = (guint32) g_rand_int_range (rand, 1, (gint) space->groups[g].n_stages + 1);
  g_autofree guint32 *first = g_new (guint32, n + 1), *buffer_of = g_new (guint32, n + 1);
  guint32 n_buffers = 0;
  for (guint32 i = 0; i < n; i++)
    {
      buffer_of[i] = plain_choice (space, rule, buffer_of, first, n_buffers, i);
      if (buffer_of[i] == n_buffers)
        first[n_buffers++] = i;
    }
  g_autoptr (TsPacking) packing = ts_pack (space, rule, G_MAXINT64, NULL);
  g_autoptr (TsPacking) swept = ts_pack_by (space, rule, &ts_pack_sweep, G_MAXINT64, NULL);
  g_autoptr (TsPacking) by_gaps = ts_pack_by (space, rule, &ts_pack_gaps, G_MAXINT64, NULL);
  check_packing (packing, space, buffer_of, n_buffers);
  check_packing (swept, space, buffer_of, n_buffers);
  check_packing (by_gaps, space, buffer_of, n_buffers);
  g_autoptr (TsPacking) cut = ts_pack (space, rule, packing->bytes - 1, NULL);
  g_assert_false (cut->whole);
  random_clear (&r);
}

static void
test_packing_is_first_fit (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261130);
  for (guint round = 0; round < 3000; round++)
    {
      guint32 n = (guint32) g_rand_int_range (rand, 1, 80);
      check_first_fit (rand, round % 3, n, round % 2 == 0 ? 3 : 60, round % 5 == 0 ? n + 1 : 12);
    }
  for (guint round = 0; round < 3; round++) /* more buffers than have trees together twice over */
    check_first_fit (rand, round, 500, 100, 500);
  for (guint round = 0; round < 6; round++) /* a large group among small ones */
    check_first_fit (rand, round % 3, MANY, 100, round < 3 ? 100 : 600);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/shuffle/check-vectors", test_shuffle);
  g_test_add_func ("/memory/shuffle/numbers", test_below_is_below);
  g_test_add_func ("/memory/dsa/6.4-18-no-fit", test_no_fit);
  g_test_add_func ("/memory/dsa/6.4-20-cheapest-pair", test_cheapest_pair);
  g_test_add_func ("/memory/dsa/6.4-21-invalid", test_invalid);
  g_test_add_func ("/memory/dsa/separation-and-reuse", test_separation_and_reuse);
  g_test_add_func ("/memory/dsa/validator", test_validator);
  g_test_add_func ("/memory/dsa/solver-is-plain", test_solver_is_plain);
  g_test_add_func ("/memory/dsa/cut-short", test_cut_short);
  g_test_add_func ("/memory/dsa/lives", test_lives);
  g_test_add_func ("/memory/dsa/ranges", test_ranges);
  g_test_add_func ("/memory/dsa/sizes-are-cheap", test_sizes_are_cheap);
  g_test_add_func ("/memory/dsa/validator-is-plain", test_validator_is_plain);
  g_test_add_func ("/memory/packing/first-fit", test_packing_is_first_fit);
  return g_test_run ();
}
