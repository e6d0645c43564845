/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of placing buffers that stand by themselves: the shuffle, the DSA-RP solver, and the packing against its plain
 * rules. */
#include <string.h>

#include "kernel.h"
#include "passes/dsa-rp.h"
#include "passes/memory-packing.h"
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

#define MOST 4

typedef struct
{
  gint64   penalty[MOST][MOST];
  gboolean separated[MOST][MOST];
} Matrix;

static gint64
matrix_penalty (guint32 a, guint32 b, gpointer data)
{
  const Matrix *m = data;
  return m->penalty[MIN (a, b)][MAX (a, b)];
}

static gboolean
matrix_separated (guint32 a, guint32 b, gpointer data)
{
  const Matrix *m = data;
  return m->separated[MIN (a, b)][MAX (a, b)];
}

static TsDsaStatus
solve (const TsDsaBuffer *buffers, guint32 n, TsDsaPool pool, Matrix *matrix, gint64 *offsets, TsDsaScore *score)
{
  TsDsaProblem problem = { buffers, n, &pool, 1, matrix_separated, matrix_penalty, matrix, NULL };
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
  const TsDsaBuffer buffers[] = { { 1, 9, 64, 0 }, { 1, 9, 64, 0 }, { 1, 9, 64, 0 } };
  Matrix matrix = { 0 };
  gint64 offsets[3];
  TsDsaScore score;
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 128, 0 }, &matrix, offsets, &score), ==, TS_DSA_NO_FIT);
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 192, 0 }, &matrix, offsets, &score), ==, TS_DSA_OK);
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 192, 32 }, &matrix, offsets, &score), ==, TS_DSA_NO_FIT);
}

/* 6.4/20 */
static void
test_cheapest_pair (void)
{
  const TsDsaBuffer buffers[] = { { 1, 3, 64, 0 }, { 3, 5, 64, 0 }, { 5, 7, 64, 0 } };
  Matrix matrix = { 0 };
  gint64 offsets[3];
  TsDsaScore score;
  matrix.penalty[0][1] = 10;
  matrix.penalty[0][2] = matrix.penalty[1][2] = 1;
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 128, 0 }, &matrix, offsets, &score), ==, TS_DSA_OK);
  g_assert_cmpint (score.penalty, ==, 1);
  g_assert_cmpint (offsets[0], !=, offsets[1]);
}

/* 6.4/21 */
static void
test_invalid (void)
{
  const TsDsaBuffer buffers[] = { { 1, 5, 64, 0 }, { 3, 7, 64, 0 } };
  const TsDsaBuffer empty[] = { { 1, 5, 0, 0 } }, elsewhere[] = { { 1, 5, 64, 1 } }, backwards[] = { { 5, 5, 64, 0 } };
  Matrix matrix = { 0 };
  gint64 offsets[2];
  matrix.penalty[0][1] = 1;
  g_assert_cmpint (solve (buffers, 2, (TsDsaPool) { 256, 0 }, &matrix, offsets, NULL), ==, TS_DSA_INVALID);
  g_assert_cmpint (solve (empty, 1, (TsDsaPool) { 256, 0 }, &matrix, offsets, NULL), ==, TS_DSA_INVALID);
  g_assert_cmpint (solve (elsewhere, 1, (TsDsaPool) { 256, 0 }, &matrix, offsets, NULL), ==, TS_DSA_INVALID);
  g_assert_cmpint (solve (backwards, 1, (TsDsaPool) { 256, 0 }, &matrix, offsets, NULL), ==, TS_DSA_INVALID);
}

static void
test_separation_and_reuse (void)
{
  const TsDsaBuffer buffers[] = { { 1, 3, 100, 0 }, { 3, 5, 100, 0 }, { 5, 7, 100, 0 } };
  Matrix matrix = { 0 };
  gint64 offsets[3];
  TsDsaScore score;
  matrix.separated[0][1] = TRUE;
  g_assert_cmpint (solve (buffers, 3, (TsDsaPool) { 4096, 0 }, &matrix, offsets, &score), ==, TS_DSA_OK);
  g_assert_cmpint (offsets[0], ==, 0);
  g_assert_cmpint (offsets[1], ==, 128); /* 100 bytes end at 100: the next address that is a multiple of 32 */
  g_assert_cmpint (offsets[2], ==, 0);
  g_assert_cmpint (score.total_peak, ==, 228);
}

/* The validator finds what the solver must not do. */
static void
test_validator (void)
{
  const TsDsaBuffer buffers[] = { { 1, 5, 64, 0 }, { 3, 7, 64, 0 } };
  static const struct
  {
    gint64      offsets[2];
    const char *wrong;
  } rows[] = { { { 64, 128 }, NULL }, { { 64, 96 }, "share bytes" }, { { 64, 130 }, "no aligned" }, { { 0, 64 }, "reserved" },
               { { 64, 224 }, "beyond" }, { { -32, 64 }, "no aligned" } };
  TsDsaPool pool = { 256, 32 };
  TsDsaProblem problem = { buffers, 2, &pool, 1, NULL, NULL, NULL, NULL };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *wrong = ts_dsa_validate (&problem, rows[i].offsets);
      if (rows[i].wrong == NULL)
        g_assert_cmpstr (wrong, ==, NULL);
      else
        g_assert_nonnull (strstr (wrong != NULL ? wrong : "", rows[i].wrong));
    }
}

/* --- packing ------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  TsLifetimes   life;
  TsConstraints constraints;
  TsStage      *stages;
} Random;

/* Intervals of a few sizes and stages over a short program, each of one tile with a definition of its own; some in branches that
 * exclude each other; some that must not share. */
static void
random_make (Random *r, GRand *rand, guint32 n, guint32 positions)
{
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
      guint32 length = (guint32) g_rand_int_range (rand, 0, 12), last = MIN (positions - 1, def + length);
      *interval = (TsLifeInterval) { .size = 32 << g_rand_int_range (rand, 0, 3), .def = def, .last = last, .representative = i,
                                     .last_member = i, .n_members = 1, .space = TS_SPACE_VEC };
      interval->is_load = g_rand_boolean (rand);
      interval->pinned = g_rand_int_range (rand, 0, 20) == 0;
      r->stages[i] = (TsStage) { g_rand_int_range (rand, 0, 3), g_rand_int_range (rand, 0, 4) };
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

static void
test_packing_is_first_fit (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261130);
  for (guint round = 0; round < 4000; round++)
    {
      Random r;
      guint32 n = (guint32) g_rand_int_range (rand, 1, 80);
      TsStageRule rule = round % 3;
      random_make (&r, rand, n, n + (guint32) g_rand_int_range (rand, 0, 10));
      g_autoptr (TsPackSpace) space = ts_pack_space_new (&r.life, &r.constraints, TS_SPACE_VEC);
      for (guint32 g = 0; g < space->n_groups; g++)
        space->groups[g].depth = (guint32) g_rand_int_range (rand, 1, (gint) space->groups[g].n_stages + 1);
      g_autoptr (TsPacking) packing = ts_pack (space, rule, G_MAXINT64, NULL);
      g_autofree guint32 *first = g_new (guint32, n + 1), *buffer_of = g_new (guint32, n + 1);
      guint32 n_buffers = 0;
      for (guint32 i = 0; i < n; i++)
        {
          buffer_of[i] = plain_choice (space, rule, buffer_of, first, n_buffers, i);
          if (buffer_of[i] == n_buffers)
            first[n_buffers++] = i;
          g_assert_cmpuint (packing->buffer_of[i], ==, buffer_of[i]);
        }
      g_assert_cmpuint (packing->n_buffers, ==, n_buffers);
      g_assert_true (packing->whole);
      g_assert_cmpint (ts_pack_floor (space), <=, packing->bytes);
      g_autoptr (TsPacking) cut = ts_pack (space, rule, packing->bytes - 1, NULL);
      g_assert_false (cut->whole);
      random_clear (&r);
    }
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
  g_test_add_func ("/memory/packing/first-fit", test_packing_is_first_fit);
  return g_test_run ();
}
