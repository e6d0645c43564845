/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs by the formulas: the teaching machine by hand, the others against the evidence of machines.md (b). */
#include "machine/machine.h"

static TsMachine *
load (const char *name, const char *override)
{
  const char *const  overrides[] = { override, NULL };
  g_autoptr (GError) error = NULL;
  TsMachine         *machine = ts_machine_load (name, overrides, &error);
  g_assert_no_error (error);
  return machine;
}

typedef struct
{
  TsWork      work;
  gint64      occupancy, latency;
  const char *words; /* NULL: not pinned */
} Case;

static void
check (const char *name, const char *override, const Case *cases, guint n)
{
  g_autoptr (TsMachine) machine = load (name, override);
  for (guint i = 0; i < n; i++)
    {
      const TsCost     cost = ts_machine_cost (machine, &cases[i].work);
      g_autofree char *words = ts_machine_explain (machine, &cases[i].work);
      g_test_message ("%s %u: %s", name, i, words);
      g_assert_cmpint (cost.occupancy, ==, cases[i].occupancy);
      g_assert_cmpint (cost.latency, ==, cases[i].latency);
      if (cases[i].words != NULL)
        g_assert_cmpstr (words, ==, cases[i].words);
    }
}

#define MOVE(pipe_, from_, to_, rows_, row_) \
  { .pipe = TS_PIPE_##pipe_, .cost = TS_COST_TRANSFER, .from = TS_SPACE_##from_, .to = TS_SPACE_##to_, .rows = rows_, \
    .row_bytes = row_, .bytes = (rows_) * (row_) }
#define VECTOR(class, dtype_, rows_, row_) \
  { .pipe = TS_PIPE_V, .cost = TS_COST_##class, .dtype = TS_DTYPE_##dtype_, .rows = rows_, .row_bytes = row_, \
    .bytes = (rows_) * (row_) }
#define MATMUL(dtype_, m_, n_, k_) \
  { .pipe = TS_PIPE_M, .cost = TS_COST_MATMUL, .dtype = TS_DTYPE_##dtype_, .m = m_, .n = n_, .k = k_ }
#define SCALAR(class, code_) { .pipe = TS_PIPE_S, .cost = TS_COST_##class, .code = code_ }

/* simulator.md 5. */
static const Case teaching[] = {
  { MOVE (MTE2, DDR, VEC, 1, 512), 108, 108, "100 + 512/64 = 108" },
  { MOVE (MTE2, DDR, MAT, 1, 512), 108, 108, NULL },
  { MOVE (MTE2, DDR, VEC, 1, 513), 109, 109, "100 + 544/64 = 109" },
  { MOVE (MTE2, DDR, VEC, 16, 40), 116, 116, "100 + 16 rows x 64/64 = 116" },
  { MOVE (MTE2, DDR, VEC, 16, 1), 108, 108, "100 + 16 rows x 32/64 = 108" },
  { MOVE (MTE3, VEC, DDR, 1, 512), 108, 108, "100 + 512/64 = 108" },
  { MOVE (MTE1, MAT, LEFT, 1, 4096), 42, 42, "10 + 4096/128 = 42" },
  { MOVE (MTE1, MAT, RIGHT, 1, 4096), 42, 42, NULL },
  { MOVE (MTE1, MAT, BIAS, 1, 256), 12, 12, NULL },
  { MOVE (FIX, ACC, DDR, 16, 256), 114, 114, "50 + 16 rows x 256/64 = 114" },
  { VECTOR (ADD, FP32, 1, 512), 12, 12, "10 + 2 repeats x 1 = 12" },
  { VECTOR (ADD, FP32, 1, 4), 11, 11, NULL },
  { VECTOR (MUL, FP16, 64, 128), 42, 42, NULL },
  { VECTOR (EXP, FP32, 1, 512), 14, 14, "10 + 2 repeats x 2 = 14" },
  { VECTOR (SQRT, FP32, 1, 512), 14, 14, NULL },
  { VECTOR (RECIPROCAL, FP32, 1, 512), 14, 14, NULL },
  { VECTOR (DIV, FP32, 1, 512), 18, 18, "10 + 2 repeats x 4 = 18" },
  { VECTOR (REDUCE_SUM, FP32, 1, 512), 26, 26, "10 + 2 repeats x 8 = 26" },
  { VECTOR (REDUCE_MAX, FP32, 1, 512), 26, 26, NULL },
  { VECTOR (UNKNOWN, FP32, 1, 512), 12, 12, NULL },
  { MATMUL (FP16, 16, 16, 16), 11, 11, "10 + 1 x 1 x 1 = 11" },
  { MATMUL (FP16, 128, 256, 64), 522, 522, "10 + 8 x 16 x 4 = 522" },
  { MATMUL (FP32, 16, 16, 64), 18, 18, "10 + 1 x 1 x 8 = 18" },
  { MATMUL (INT8, 16, 16, 33), 12, 12, NULL },
  { MATMUL (INT4, 16, 16, 65), 12, 12, NULL },
  { MATMUL (FP16, 1, 1, 1), 11, 11, NULL },
  { SCALAR (SCALAR, TS_OP_ASSIGN), 1, 1, "1 for a scalar operation" },
  { SCALAR (SCALAR, TS_OP_TILE_READ), 1, 1, "1 for a scalar load" },
  { SCALAR (UNKNOWN, TS_OP_UNKNOWN), 1, 1, "1 for an operation nobody knows" },
  { { .pipe = TS_PIPE_NONE }, 0, 0, "0 without a unit" },
};

static void
test_teaching (void)
{
  check ("teaching", NULL, teaching, G_N_ELEMENTS (teaching));
}

/* The figures beside each are those of machines.md (b), "How well it fits", and (a.1). */
static const Case ascend910b[] = {
  { MOVE (MTE1, MAT, LEFT, 1, 16384), 79, 139, "15 + 16384/256 = 79, visible 60 later" },
  { MOVE (MTE1, MAT, RIGHT, 1, 32768), 271, 371, "15 + 32768/128 = 271, visible 100 later" }, /* 79 + 271 = 350 */
  { MOVE (MTE1, MAT, BIAS, 1, 512), 16, 76, NULL },
  { MOVE (MTE2, DDR, VEC, 1, 20480), 510, 510, "190 + 20480/64 = 510" },
  { MOVE (MTE2, DDR, VEC, 1, 40960), 830, 830, NULL },
  { MOVE (MTE2, DDR, MAT, 1, 65536), 962, 962, "190 + 65536/85 = 962" },
  { MOVE (MTE2, DDR, VEC, 8, 128), 254, 254, "190 + 8 rows x 512/64 = 254" },
  { MOVE (MTE3, VEC, DDR, 1, 8192), 258, 258, "160 + 8192/84 = 258" },
  { MOVE (FIX, ACC, DDR, 1, 65536), 911, 911, "0 + 65536/72 = 911" },
  { MOVE (FIX, ACC, MAT, 1, 7400), 101, 101, "0 + 7424/74 = 101" },
  { MATMUL (FP16, 128, 256, 64), 524, 524, "12 + 8 x 16 x 4 = 524" },
  { MATMUL (FP32, 16, 16, 64), 28, 28, "12 + 2 passes x 1 x 1 x 8 = 28" },
  { VECTOR (ADD, FP32, 1, 256), 3, 27, "25 + 1 repeats x 2 = 27, the pipe is held for max(3, 2) = 3" },
  { VECTOR (EXP, FP32, 1, 2048), 16, 48, NULL },
  { VECTOR (EXP, FP16, 1, 2048), 32, 64, NULL },
  { VECTOR (EXP, BF16, 1, 2048), 32, 64, NULL },
  { VECTOR (ADD, FP32, 256, 64), 512, 537, "25 + 256 rows x 1 repeats x 2 = 537, the pipe is held for max(3, 512) = 512" },
};

static void
test_ascend910b (void)
{
  const Case hot[] = { { MOVE (MTE2, DDR, VEC, 1, 12600), 292, 292, "190 + 12800/126 = 292" },
                       { MOVE (MTE2, DDR, MAT, 1, 17408), 293, 293, "190 + 17408/170 = 293" },
                       { MOVE (FIX, ACC, DDR, 1, 13400), 101, 101, NULL },
                       { MOVE (MTE3, VEC, DDR, 1, 8192), 258, 258, NULL } };
  const Case cold[] = { { MOVE (MTE2, DDR, MAT, 1, 32000), 1198, 1198, "190 + 32256/32 = 1198" } };
  check ("ascend910b", NULL, ascend910b, G_N_ELEMENTS (ascend910b));
  check ("ascend910b", "scenario=hot", hot, G_N_ELEMENTS (hot));
  check ("ascend910b", "scenario=cold", cold, G_N_ELEMENTS (cold));
}

/* Changes of layout on the way: ND2NZ with floor and padded rows, NZ2ND with its cliff, transposed B slower. */
static void
test_layout_changes (void)
{
  Case cases[] = { { MOVE (MTE2, DDR, MAT, 32, 256), 780, 780, "max(780, 190 + 32 rows x 512/85) = 780" },
                   { MOVE (MTE2, DDR, MAT, 256, 512), 1733, 1733, "max(780, 190 + 256 rows x 512/85) = 1733" },
                   { MOVE (FIX, ACC, DDR, 128, 1024), 1821, 1821, "max(164 + 128 rows x 8.67797, 0 + 128 rows x 1024/72) = 1821" },
                   { MOVE (FIX, ACC, DDR, 128, 96), 1400, 1400, NULL },
                   { MOVE (MTE1, MAT, RIGHT, 1, 32768), 326, 426, "1.2 x (15 + 32768/128) = 326, visible 100 later" } };
  cases[0].work.nd2nz = cases[1].work.nd2nz = TRUE;
  cases[2].work.nz2nd = cases[3].work.nz2nd = TRUE;
  cases[2].work.out_dtype = cases[3].work.out_dtype = TS_DTYPE_FP32;
  cases[4].work.transposed = TRUE;
  check ("ascend910b", NULL, cases, G_N_ELEMENTS (cases));
}

static void
test_ascend950 (void)
{
  Case cases[] = { { VECTOR (ADD, FP32, 1, 1024), 60, 60, "55 + 4 repeats x 1.25 = 60" },
                   { VECTOR (ADD, FP32, 1, 8192), 95, 95, NULL },
                   { VECTOR (EXP, FP32, 1, 512), 67, 67, NULL },
                   { VECTOR (EXP, FP16, 1, 512), 74, 74, NULL },
                   { VECTOR (ADD, FP32, 16, 64), 121, 121, "44 + 16 rows x (1.875 x 1 + 2.9) = 121" },
                   { MOVE (MTE2, DDR, MAT, 1, 8192), 485, 485, NULL },
                   { MOVE (MTE2, DDR, VEC, 4, 100), 396, 396, "390 + 4 rows x 128/87 = 396" },
                   { MOVE (MTE3, VEC, DDR, 1, 1024), 228, 228, NULL },
                   { MOVE (MTE3, VEC, MAT, 1, 1170), 11, 11, NULL },
                   { MOVE (FIX, ACC, DDR, 128, 512), 964, 964, "max(343 + 128 rows x 4.6, 0 + 128 rows x 512/68) = 964" },
                   { MOVE (FIX, ACC, VEC, 1, 11700), 101, 101, NULL },
                   { MATMUL (FP8E4M3FN, 128, 256, 128), 527, 527, NULL } };
  cases[9].work.nz2nd = TRUE;
  cases[9].work.out_dtype = TS_DTYPE_BF16;
  check ("ascend950", NULL, cases, G_N_ELEMENTS (cases));
}

/* A figure for one operation wins over its class, one for an element type over the general one. */
static void
test_rates (void)
{
  Case cases[] = { { VECTOR (GATHER, FP32, 1, 256), 107, 107, NULL } };
  cases[0].work.code = TS_OP_TILE_GATHERB;
  check ("teaching", "vector-ops.tile.gatherb=100 7", cases, 1);
  cases[0].work.dtype = TS_DTYPE_BF16;
  check ("teaching", "vector-ops.tile.gatherb.fp16=100 7", cases, 1);
  cases[0].occupancy = cases[0].latency = 11;
  cases[0].work.code = TS_OP_TILE_GATHER;
  check ("teaching", "vector-ops.tile.gatherb=100 7", cases, 1);
}

/* Absurd sizes saturate; nothing wraps or divides by zero. */
static void
test_extremes (void)
{
  for (const char *const *name = ts_machine_shipped_names (); *name != NULL; name++)
    {
      g_autoptr (TsMachine) machine = load (*name, NULL);
      for (guint pipe = 0; pipe <= TS_N_PIPES; pipe++)
        for (guint class = 0; class <= TS_N_COST_CLASSES; class++)
          {
            const gint64 sizes[] = { G_MININT64, -1, 0, 1, G_MAXINT64 };
            for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
              {
                const TsWork work = { .pipe = pipe, .cost = class, .rows = sizes[i], .row_bytes = sizes[i], .bytes = sizes[i],
                                      .m = sizes[i], .n = sizes[i], .k = sizes[i], .nd2nz = TRUE, .nz2nd = TRUE };
                const TsCost cost = ts_machine_cost (machine, &work);
                g_assert_cmpint (cost.occupancy, >=, 0);
                g_assert_cmpint (cost.latency, >=, cost.occupancy);
                g_assert_cmpint (cost.transfer, >=, 0);
              }
          }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/machine/cost/teaching", test_teaching);
  g_test_add_func ("/machine/cost/ascend910b", test_ascend910b);
  g_test_add_func ("/machine/cost/layout-changes", test_layout_changes);
  g_test_add_func ("/machine/cost/ascend950", test_ascend950);
  g_test_add_func ("/machine/cost/rates", test_rates);
  g_test_add_func ("/machine/cost/extremes", test_extremes);
  return g_test_run ();
}
