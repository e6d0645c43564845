/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filled-in loops give what simulating every iteration gives. */
#include "kernel-text.h"

#include <string.h>

#define TILE "pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec]"
#define CHAIN LOAD ("0") ADD ("0") STORE ("0")
#define HEAD(trips) "for i in pl.range(0, " trips ", 1):\n"

typedef struct
{
  const char *name;
  const char *body;
  gboolean    fills; /* is anything left out? */
} Kernel;

static const Kernel kernels[] = {
  { "chain", HEAD ("3000") CHAIN, TRUE },
  { "clones", "for i in pl.range(0, 6000, 2):\n" LOAD ("0") LOAD ("1") ADD ("0") STORE ("0") ADD ("1") STORE ("1"), TRUE },
  { "scalar", HEAD ("3000") "    row: pl.Scalar[pl.INDEX] = i * 2 + 1\n" CHAIN, TRUE },
  /* What is loaded was stored some iterations ago: windows order accesses. */
  { "memory",
    HEAD ("3000") "    t0: " TILE " = pl.tile.load(z, [i, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n" ADD (
        "0") "    pl.tile.store(u0, [i + 3, 0], z)\n",
    TRUE },
  { "memory-after",
    HEAD ("3000") CHAIN "t: " TILE " = pl.tile.load(z, [2999, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
                        "r: " TILE " = pl.tile.load(z, [2500, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n",
    TRUE },
  { "memory-even-odd",
    HEAD ("3000") "    t0: " TILE " = pl.tile.load(z, [i, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n" ADD (
        "0") "    pl.tile.store(u0, [2 * i, 0], z)\n",
    FALSE },
  { "parity",
    HEAD ("3000") LOAD ("0") "    if i % 3 == 0:\n    " ADD ("0") "    else:\n        u0: " TILE
                                                                  " = pl.tile.exp(t0)\n" STORE ("0"),
    TRUE },
  { "slots",
    HEAD (
        "3000") "    t0: pl.Tile[[1, 128], pl.FP32, pl.MemRef(\"a\", slots=3)[i % 3], pl.Mem.Vec] = "
                "pl.tile.load(x, [i, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
                "    u0: pl.Tile[[1, 128], pl.FP32, pl.MemRef(\"b\", slots=2)[i % 2], pl.Mem.Vec] = pl.tile.add(t0, t0)\n" STORE (
                    "0"),
    TRUE },
  { "carried-value",
    "c: " TILE " = pl.tile.load(x, [0, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
    "for i, (a,) in pl.range(0, 3000, 1, init_values=(c,)):\n" LOAD ("0") "    n: " TILE " = pl.tile.add(a, t0)\n"
                                                                          "    r: " TILE
                                                                          " = pl.yield_(n)\npl.tile.store(r, [0, 0], z)\n",
    TRUE },
  { "two-chains", /* one grows faster than the other, but starts far behind */
    "c: " TILE " = pl.tile.load(x, [0, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
    "d: pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [64, 128], [64, 128], target_memory=pl.Mem.Vec)\n"
    "for i, (a, b) in pl.range(0, 3000, 1, init_values=(c, d)):\n"
    "    n: " TILE " = pl.tile.exp(a)\n    m: pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec] = pl.tile.exp(b)\n"
    "    r, q = pl.yield_(n, m)\n"
    "e: " TILE " = pl.tile.exp(r)\n",
    TRUE },
  { "inner-loop",
    HEAD ("2000") "    for j in pl.range(0, 3, 1):\n        t0: " TILE
                  " = pl.tile.load(x, [i * 3 + j, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n    " ADD ("0") STORE ("0"),
    TRUE },
  { "long-inner",
    "for k in pl.range(0, 3, 1):\n    for i in pl.range(0, 2000, 1):\n    " LOAD ("0") "    " ADD ("0") "    " STORE ("0"),
    TRUE },
  { "branch-on-count",
    HEAD ("3000") LOAD ("0") "    if i < 2000:\n    " ADD ("0") "    else:\n        u0: " TILE " = pl.tile.exp(t0)\n" STORE ("0"),
    FALSE },
  { "changing-bound", HEAD ("1500") "    for j in pl.range(0, i // 500, 1):\n    " LOAD ("0"), FALSE },
  { "division",
    HEAD ("3000") "    t0: " TILE " = pl.tile.load(x, [i * 4 // 2, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n" ADD ("0")
        STORE ("0"),
    TRUE },
};

static const char *const settings[] = { "", "queue-depth=8", "queue-depth=2 dispatch-cost=3", "mte2.in-flight=3 queue-depth=4" };

static void
compare_loops (const TsSimulation *a, const TsSimulation *b)
{
  g_assert_cmpuint (a->result->n_loops, ==, b->result->n_loops);
  for (guint i = 0; i < a->result->n_loops; i++)
    {
      const TsLoopResult *x = &a->result->loops[i], *y = &b->result->loops[i];
      g_assert_cmpint (x->executions, ==, y->executions);
      g_assert_cmpint (x->iterations, ==, y->iterations);
      g_assert_cmpint (x->total, ==, y->total);
      g_assert_cmpint (x->interval, ==, y->interval);
      g_assert_cmpint (x->res_mii, ==, y->res_mii);
      g_assert_cmpint (x->rec_mii, ==, y->rec_mii);
      g_assert_cmpint (x->begin, ==, y->begin);
      g_assert_cmpint (x->end, ==, y->end);
      for (guint p = 0; p < TS_N_PIPES; p++)
        g_assert_cmpint (x->pipe_interval[p], ==, y->pipe_interval[p]);
    }
}

static void
compare (const TsSimulation *a, const TsSimulation *b)
{
  const TsResult *x = a->result, *y = b->result;

  g_assert_cmpint (x->makespan, ==, y->makespan);
  g_assert_cmpint (x->resource, ==, y->resource);
  g_assert_cmpint (x->dependence, ==, y->dependence);
  for (guint n = 0; n <= TS_N_LANES; n++)
    g_assert_cmpint (x->overlap[n], ==, y->overlap[n]);
  g_assert_cmpuint (x->n_pipes, ==, y->n_pipes);
  for (guint i = 0; i < x->n_pipes; i++)
    {
      g_assert_cmpint (x->pipes[i].instructions, ==, y->pipes[i].instructions);
      g_assert_cmpint (x->pipes[i].busy, ==, y->pipes[i].busy);
      g_assert_cmpint (x->pipes[i].done, ==, y->pipes[i].done);
      for (guint c = 0; c < TS_N_CAUSES; c++)
        g_assert_cmpint (x->pipes[i].idle[c], ==, y->pipes[i].idle[c]);
    }
  compare_loops (a, b);
  g_assert_cmpuint (x->n_memory, ==, y->n_memory);
  for (guint i = 0; i < x->n_memory; i++)
    {
      g_assert_cmpint (x->memory[i].high_water, ==, y->memory[i].high_water);
      g_assert_cmpint (x->memory[i].live_max, ==, y->memory[i].live_max);
    }
  /* The last instruction is the same one, at the same time. */
  g_assert_cmpint (a->schedule->start[a->stream->n_instructions - 1], ==, b->schedule->start[b->stream->n_instructions - 1]);
  g_assert_cmpint (a->schedule->cause[a->stream->n_instructions - 1], ==, b->schedule->cause[b->stream->n_instructions - 1]);
}

static void
test_kernel (gconstpointer data)
{
  const Kernel *kernel = data;
  g_autoptr (TsModule) module = kernel_body (NULL, kernel->body);
  TsSimOptions whole = { .periodic = FALSE }, filled = { .periodic = TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      const char *overrides = *settings[i] != '\0' ? settings[i] : NULL;
      g_autoptr (TsSimulation) a = kernel_simulate (module, "main", NULL, overrides, &whole);
      g_autoptr (TsSimulation) b = kernel_simulate (module, "main", NULL, overrides, &filled);
      g_test_message ("%s: %u and %u instructions, %u fills", settings[i], a->stream->n_instructions, b->stream->n_instructions,
                      b->schedule->n_fills);
      compare (a, b);
      if (kernel->fills && i == 0)
        g_assert_cmpuint (b->stream->n_instructions, <, a->stream->n_instructions);
      if (!kernel->fills)
        g_assert_cmpuint (b->schedule->n_fills, ==, 0);
    }
}

/* Far beyond what could be executed. */
static void
test_huge (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, HEAD ("100000000") CHAIN);
  g_autoptr (TsModule) deep
      = kernel_body (NULL, "for k in pl.range(0, 2, 1):\n    for i in pl.range(0, 1000000000000, 1):\n    " LOAD (
                               "0") "    " ADD ("0") "    " STORE ("0"));
  gint64 from = g_get_monotonic_time ();
  g_autoptr (TsSimulation) a = kernel_simulate (module, "main", NULL, NULL, NULL);
  g_autoptr (TsSimulation) b = kernel_simulate (deep, "main", NULL, NULL, NULL);

  g_assert_cmpint (g_get_monotonic_time () - from, <, 10 * G_USEC_PER_SEC);
  g_assert_false (a->stream->truncated);
  g_assert_cmpint (a->result->makespan, ==, 120 * G_GINT64_CONSTANT (100000000) + 108);
  g_assert_cmpint (a->result->pipes[0].instructions, ==, 100000000);
  g_assert_cmpint (a->result->loops[0].iterations, ==, 100000000);
  g_assert_cmpint (a->result->loops[0].interval, ==, 120);
  g_assert_cmpuint (kernel_count (a, "filled-in"), ==, 1);
  g_assert_cmpint (b->result->pipes[0].instructions, ==, G_GINT64_CONSTANT (2000000000000));
  g_assert_cmpint (b->result->loops[1].executions, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/periodic/", kernels[i].name, NULL);
      g_test_add_data_func (path, &kernels[i], test_kernel);
    }
  g_test_add_func ("/sim/periodic/huge", test_huge);
  return g_test_run ();
}
