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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/odd/", rows[i].name, NULL);
      g_test_add_data_func (path, &rows[i], test_row);
    }
  return g_test_run ();
}
