/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What operations move or compute: rows and runs of tiles and windows in every order, priced on the 910B, where they matter.
 * Source: machines.md (b): repeats count per row where a tile is not full width or its rows are short; each row of a transfer
 * occupies whole granules. */
#include "kernel-text.h"

#include <string.h>

#define TILE(shape, more) "pl.Tile[" shape ", pl.FP32, pl.Mem.Vec" more "]"
#define COLUMNS ", pl.TileView(blayout=pl.TileLayout.col_major)"
#define VALID(rows, columns) ", pl.TileView(valid_shape=[" rows ", " columns "])"
#define ADD_OF(shape, more) \
  "t: " TILE (shape, more) " = pl.tile.create(" shape ", dtype=pl.FP32, target_memory=pl.Mem.Vec)\nu: " TILE (shape, more) \
  " = pl.tile.add(t, t)\n"
#define VIEW(stride, layout) ", pl.TensorView(stride=" stride ", layout=pl.TensorLayout." layout ")"
#define TENSOR(shape, more) "a: pl.Tensor[" shape ", pl.FP32" more "]"
#define LOAD_OF(shape) \
  "t: " TILE (shape, "") " = pl.tile.load(a, [0, 0], " shape ", " shape ", target_memory=pl.Mem.Vec)\n"

typedef struct
{
  const char *name, *params, *body;
  gint64      occupancy, latency; /* of the last instruction */
} Case;

static const Case cases[] = {
  /* 25 + 2 a repeat of 256 bytes, at least 3. */
  { "rows", NULL, ADD_OF ("[64, 64]", ""), 128, 153 },
  { "short-rows", NULL, ADD_OF ("[64, 8]", ""), 128, 153 },
  { "column", NULL, ADD_OF ("[64, 1]", ""), 3, 27 },
  { "long-columns", NULL, ADD_OF ("[64, 8]", COLUMNS), 16, 41 },
  { "short-columns", NULL, ADD_OF ("[8, 64]", COLUMNS), 128, 153 },
  { "not-full-width", NULL, ADD_OF ("[64, 128]", VALID ("64", "100")), 256, 281 },
  { "full-width", NULL, ADD_OF ("[64, 128]", VALID ("50", "128")), 200, 225 },

  /* 190 + bytes/64 in rows of whole 512 bytes. */
  { "whole-tensor", TENSOR ("[64, 64]", ""), LOAD_OF ("[64, 64]"), 446, 446 },
  { "packed-strides", TENSOR ("[64, 64]", VIEW ("[64, 1]", "ND")), LOAD_OF ("[64, 64]"), 446, 446 },
  { "wide-strides", TENSOR ("[64, 64]", VIEW ("[128, 1]", "ND")), LOAD_OF ("[64, 64]"), 702, 702 },
  { "some-columns", TENSOR ("[64, 64]", ""), LOAD_OF ("[64, 8]"), 702, 702 },
  { "some-rows", TENSOR ("[64, 64]", ""), LOAD_OF ("[8, 64]"), 222, 222 },
  { "column-major-columns", TENSOR ("[64, 64]", VIEW ("[1, 64]", "DN")), LOAD_OF ("[64, 8]"), 222, 222 },
  { "column-major-rows", TENSOR ("[64, 64]", VIEW ("[1, 64]", "DN")), LOAD_OF ("[8, 64]"), 702, 702 },
  { "column-major-wide", TENSOR ("[64, 64]", VIEW ("[1, 100]", "DN")), LOAD_OF ("[64, 8]"), 254, 254 },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TsModule) module = kernel_body (c->params, c->body);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", "ascend910b", NULL, NULL);
  const TsCost *cost = &s->stream->costs[s->stream->cost[s->stream->n_instructions - 1]];

  g_assert_cmpint (cost->occupancy, ==, c->occupancy);
  g_assert_cmpint (cost->latency, ==, c->latency);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/work/", cases[i].name, NULL);
      g_test_add_data_func (path, &cases[i], test_case);
    }
  return g_test_run ();
}
