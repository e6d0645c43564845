/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Odd and hostile kernels: each says what was taken for granted, and none is taken for another. */
#include "kernel-text.h"

#include <string.h>

#define ROW(text) "    " text "\n"
#define BIG_TILE(n) "pl.Tile[[" n ", 128], pl.FP32, pl.Mem.Vec]"

typedef struct
{
  const char *name;
  const char *body;  /* of a kernel; Triton IR where it begins with "tt." */
  gint64      bound; /* --max-instructions; 0: default */
  const char *code;  /* a diagnostic there must be; "!x": x must not be there; NULL: no warning and no error at all */
  gint64      makespan; /* -1: any */
} Row;

static const Row rows[] = {
  { "one", LOAD_ROW ("t"), 0, NULL, 108 },
  { "no-trips", "for i in pl.range(0, 0, 1):\n" LOAD ("0") LOAD_ROW ("t"), 0, NULL, 108 },
  { "backwards", "for i in pl.range(4, 0, 1):\n" LOAD ("0") LOAD_ROW ("t"), 0, NULL, 108 },
  { "divides-by-0", "n: pl.Scalar[pl.INDEX] = 7 // 0\n" LOAD_ROW ("t"), 0, "division-by-zero", -1 },
  { "remainder-by-0", "if 7 % (3 - 3) == 0:\n" ROW (LOAD_ROW ("t")), 0, "division-by-zero", -1 },
  { "leaves-64-bits", "n: pl.Scalar[pl.INDEX] = 4611686018427387904 * 4\n" LOAD_ROW ("t"), 0, "number-limit", -1 },
  { "endless-range", "for i in pl.range(-9223372036854775807, 9223372036854775807, 1):\n    pass\n" LOAD_ROW ("t"), 1000,
    "number-limit", -1 },
  { "absurd-tile",
    "a: " BIG_TILE ("4611686018427387904") " = pl.tile.create([4611686018427387904, 128], dtype=pl.FP32, "
    "target_memory=pl.Mem.Vec)\nb: " BIG_TILE ("4611686018427387904") " = pl.tile.add(a, a)\n", 0, "size-limit", -1 },
  { "nested-and-unknown", LOAD_ROW ("t") "pl.tile.store(pl.tile.magic(pl.tile.exp(t)), [0, 0], z)\n", 0, "nested-call", -1 },
  { "nested-and-known", LOAD_ROW ("t") "pl.tile.store(pl.tile.exp(pl.tile.exp(t)), [0, 0], z)\n", 0, NULL, -1 },
  { "exactly-the-bound", "for i in pl.range(0, 4, 1):\n" LOAD ("0") ADD ("0") STORE ("0"), 12, "!stream-cut", 588 },
  { "bound-of-1", "for i in pl.range(0, 4, 1):\n" LOAD ("0") ADD ("0") STORE ("0"), 1, "stream-cut", 108 },
  { "one-too-many", "for i in pl.range(0, 4, 1):\n" LOAD ("0") ADD ("0") STORE ("0"), 11, "stream-cut", -1 },
  { "empty-loop", "for i in pl.range(0, 1000000, 1):\n    pass\n" LOAD_ROW ("t"), 1000, "!stream-cut", 108 },
  { "ttir-absurd-tile",
    "tt.func @k(%a: tensor<4294967296x4294967296xf32>) {\n"
    "  %0 = arith.addf %a, %a : tensor<4294967296x4294967296xf32>\n  tt.return\n}\n", 0, "size-limit", -1 },
  { "ttir-divides-by-0",
    "tt.func @k(%p: !tt.ptr<f32>) {\n  %c0 = arith.constant 0 : i32\n  %c7 = arith.constant 7 : i32\n"
    "  %0 = arith.divsi %c7, %c0 : i32\n  %1 = tt.addptr %p, %0 : !tt.ptr<f32>, i32\n  %2 = tt.load %1 : !tt.ptr<f32>\n"
    "  tt.store %1, %2 : !tt.ptr<f32>\n  tt.return\n}\n", 0, "division-by-zero", -1 },
};

static TsModule *
module_of (const Row *row)
{
  if (!g_str_has_prefix (row->body, "tt."))
    return kernel_body (NULL, row->body);
  g_autofree char *text = g_strdup_printf ("module {\n%s}\n", row->body);
  return kernel_ttir (text);
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (TsModule) module = module_of (row);
  TsSimOptions options = { .max_instructions = row->bound };
  g_autoptr (TsSimulation) s
      = kernel_simulate (module, g_str_has_prefix (row->body, "tt.") ? "k" : "main", NULL, NULL, &options);

  for (guint i = 0; i < ts_diag_list_length (s->diags); i++)
    g_test_message ("%s: %s", ts_diag_list_get (s->diags, i)->code, ts_diag_list_get (s->diags, i)->message);
  if (row->code == NULL)
    g_assert_cmpuint (ts_diag_list_length (s->diags), ==, 0);
  else if (*row->code == '!')
    g_assert_cmpuint (kernel_count (s, row->code + 1), ==, 0);
  else
    g_assert_cmpuint (kernel_count (s, row->code), >=, 1);
  if (row->makespan >= 0)
    g_assert_cmpint (s->result->makespan, ==, row->makespan);
  for (guint i = 0; i < s->stream->n_instructions; i++)
    g_assert_cmpint (s->schedule->start[i], >=, 0);
}

/* --- paces ---------------------------------------------------------------------------------------------------------------- */

#define ADDRESSES(n) "    b" n ": pl.Scalar[pl.INDEX] = i // 4\n    c" n ": pl.Scalar[pl.INDEX] = b" n " * 4\n"
#define MANY_ADDRESSES ADDRESSES ("1") ADDRESSES ("2") ADDRESSES ("3") ADDRESSES ("4")

/* However many scalar statements run ahead of a loop's work, its interval is the pace of the slowest pipe; long loops filled in or
 * not. */
static void
test_interval (void)
{
  static const struct
  {
    const char *trips, *overrides;
    gint64 interval;
  } cases[] = {
    { "16", "", 128 },
    { "16", "queue-depth=8", 120 },
    { "16", "queue-depth=3", 120 },
    { "40000", "queue-depth=8", 120 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *body
          = g_strdup_printf ("for i in pl.range(0, %s, 1):\n" MANY_ADDRESSES LOAD ("0") ADD ("0") STORE ("0"), cases[i].trips);
      g_autoptr (TsModule) module = kernel_body (NULL, body);
      g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, cases[i].overrides, NULL);
      const TsLoopResult *loop = &s->result->loops[0];
      g_test_message ("%s trips, %s: interval %" G_GINT64_FORMAT ", res_mii %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                      " + %" G_GINT64_FORMAT " + %" G_GINT64_FORMAT, cases[i].trips, cases[i].overrides, loop->interval,
                      loop->res_mii, loop->steady_begin - loop->begin, loop->steady_end - loop->steady_begin,
                      loop->end - loop->steady_end);
      g_assert_cmpint (loop->interval, ==, cases[i].interval);
      g_assert_cmpint (loop->interval, >=, loop->res_mii);
      g_assert_cmpint (loop->interval, ==, loop->pipe_interval[TS_PIPE_MTE2]);
      g_assert_cmpint ((loop->steady_end - loop->steady_begin) * 2, >, loop->end - loop->begin);
    }
}

/* A loop ends when its last result is visible, as the makespan does: also where a unit is free before that. */
static void
test_tail (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, "for i in pl.range(0, 16, 1):\n" LOAD ("0") ADD ("0"));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, "v.head-occupies=no", NULL);
  const TsLoopResult *loop = &s->result->loops[0];
  guint last = s->stream->n_instructions - 1;

  g_assert_cmpint (s->schedule->end[last], <, s->result->makespan);
  g_assert_cmpint (loop->end, ==, s->result->makespan);
}

/* --- functions that only call ------------------------------------------------------------------------------------------- */

#define FUNCTION(name, body) \
  "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n    def " name \
  "(self, x: pl.Tensor[[64, 128], pl.FP32]):\n        " body
#define CALLERS(leaf) \
  "# pypto.program: K\nimport pypto.language as pl\n\n@pl.program\nclass K:\n" FUNCTION ("leaf", leaf) \
  FUNCTION ("middle", "self.leaf(x)\n") FUNCTION ("top", "self.middle(x)\n") \
  FUNCTION ("ring", "self.gnir(x)\n") FUNCTION ("gnir", "self.ring(x)\n")

static void
test_only_calls (void)
{
  g_autoptr (TsModule) module = kernel_module (CALLERS (LOAD_ROW ("t")));
  g_autoptr (TsModule) empty = kernel_module (CALLERS ("pass\n"));
  static const char *const names[] = { "leaf", "middle", "top" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *why = NULL;
      g_autoptr (TsSimulation) s = kernel_simulate (module, names[i], NULL, NULL, NULL);
      g_assert_cmpint (s->result->makespan, ==, 108);
      g_assert_false (ts_simulate_can (empty, ts_module_find_function (empty, names[i]), &why));
      g_assert_nonnull (why);
    }
  g_assert_false (ts_simulate_can (module, ts_module_find_function (module, "ring"), NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/odd/", rows[i].name, NULL);
      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/sim/interval", test_interval);
  g_test_add_func ("/sim/tail", test_tail);
  g_test_add_func ("/sim/only-calls", test_only_calls);
  return g_test_run ();
}
