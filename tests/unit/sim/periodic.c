/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filled-in loops give what simulating every iteration gives. */
#include "kernel-text.h"

#include <stdlib.h>
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
    TRUE },
  { "changing-bound", HEAD ("1500") "    for j in pl.range(0, i // 500, 1):\n    " LOAD ("0"), TRUE },
  { "peeled-ends",
    HEAD ("3000") LOAD ("0") "    if i == 0:\n    " ADD ("0") "    else:\n        u0: " TILE " = pl.tile.exp(t0)\n"
                  "    if i < 2999:\n    " LOAD ("1") STORE ("0"),
    TRUE },
  { "last-tile", /* the last iteration is smaller */
    HEAD ("3000") "    n: pl.Scalar[pl.INDEX] = min(128, 383990 - i * 128)\n"
                  "    t0: pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[1, n])] = "
                  "pl.tile.load(x, [i, 0], [1, 128], [1, n], target_memory=pl.Mem.Vec)\n" ADD ("0") STORE ("0"),
    TRUE },
  { "counted", /* a loop that counts for itself */
    "for i, (n,) in pl.range(0, 3000, 1, init_values=(5,)):\n" LOAD ("0") "    t1: " TILE
    " = pl.tile.load(x, [n, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n" ADD ("0") "    m: pl.Scalar[pl.INDEX] = n + 2\n"
    "    r: pl.Scalar[pl.INDEX] = pl.yield_(m)\nfor j in pl.range(0, r - 6000, 1):\n    " LOAD_ROW ("q"),
    TRUE },
  { "toggled",
    "for i, (n,) in pl.range(0, 3000, 1, init_values=(0,)):\n" LOAD ("0") "    if n == 0:\n    " ADD ("0") "    else:\n        u0: "
    TILE " = pl.tile.exp(t0)\n" STORE ("0") "    m: pl.Scalar[pl.INDEX] = 1 - n\n    r: pl.Scalar[pl.INDEX] = pl.yield_(m)\n",
    TRUE },
  { "turned", /* a slot that comes round by itself */
    "for i, (n,) in pl.range(0, 3000, 1, init_values=(0,)):\n" LOAD ("0") "    if n == 2:\n    " ADD ("0") "    else:\n        u0: "
    TILE " = pl.tile.exp(t0)\n" STORE ("0") "    m: pl.Scalar[pl.INDEX] = (n + 1) % 5\n    r: pl.Scalar[pl.INDEX] = pl.yield_(m)\n",
    TRUE },
  { "swapped",
    "c: " TILE " = pl.tile.load(x, [0, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
    "d: " TILE " = pl.tile.load(x, [1, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
    "for i, (a, b) in pl.range(0, 3000, 1, init_values=(c, d)):\n" LOAD ("0") "    n: " TILE " = pl.tile.exp(a)\n"
    "    r, q = pl.yield_(b, a)\ne: " TILE " = pl.tile.exp(r)\n",
    TRUE },
  { "ever-larger", /* what is carried cannot be told: nothing is left out */
    "for i, (n,) in pl.range(0, 3000, 1, init_values=(1,)):\n" LOAD ("0") "    m: pl.Scalar[pl.INDEX] = (n * n + 7) % 1009\n"
    "    if m < 500:\n    " ADD ("0") "    else:\n        u0: " TILE " = pl.tile.exp(t0)\n" STORE ("0")
    "    r: pl.Scalar[pl.INDEX] = pl.yield_(m)\n",
    FALSE },
  { "nest", "for k in pl.range(0, 110, 1):\n    for i in pl.range(0, 110, 1):\n    " LOAD ("0") "    " ADD ("0") "    "
      STORE ("0"), TRUE },
  { "nest-places",
    "for k in pl.range(0, 110, 1):\n    for i in pl.range(0, 110, 1):\n        t0: " TILE
    " = pl.tile.load(z, [k * 110 + i, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n    " ADD ("0")
    "        pl.tile.store(u0, [k * 110 + i + 3, 0], z)\n    s0: " TILE " = pl.tile.exp(u0)\n", TRUE },
  { "nest-parity",
    "for k in pl.range(0, 130, 1):\n    for i in pl.range(0, 130, 1):\n    " LOAD ("0") "        if (i + k) % 2 == 0:\n        "
        ADD ("0")
    "        else:\n            u0: " TILE " = pl.tile.exp(t0)\n    " STORE ("0"), TRUE },
  { "nest-carried", /* a chain through both loops */
    "c: " TILE " = pl.tile.load(x, [0, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
    "for k, (a,) in pl.range(0, 110, 1, init_values=(c,)):\n"
    "    for i, (b,) in pl.range(0, 110, 1, init_values=(a,)):\n    " LOAD ("0") "        n: " TILE " = pl.tile.add(b, t0)\n"
    "        o: " TILE " = pl.yield_(n)\n    m: " TILE " = pl.tile.exp(o)\n    r: " TILE " = pl.yield_(m)\n"
    "pl.tile.store(r, [0, 0], z)\n", TRUE },
  { "nest-counted", /* a number carried through both */
    "for k, (a,) in pl.range(0, 110, 1, init_values=(0,)):\n"
    "    for i, (b,) in pl.range(0, 110, 1, init_values=(a,)):\n        t0: " TILE
    " = pl.tile.load(z, [b, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n    " ADD ("0")
    "        pl.tile.store(u0, [b + 1, 0], z)\n        n: pl.Scalar[pl.INDEX] = b + 1\n"
    "        o: pl.Scalar[pl.INDEX] = pl.yield_(n)\n    r: pl.Scalar[pl.INDEX] = pl.yield_(o)\n", TRUE },
  { "nest-triangle", /* an inner loop that grows */
    "for k in pl.range(0, 150, 1):\n    for i in pl.range(0, k, 1):\n    " LOAD ("0") "    " ADD ("0") "    " STORE ("0"), TRUE },
  { "three-deep",
    "for l in pl.range(0, 120, 1):\n    for k in pl.range(0, 2, 1):\n        for i in pl.range(0, 120, 1):\n        " LOAD ("0")
    "        " ADD ("0") "        " STORE ("0") "    w: " TILE " = pl.tile.exp(u0)\n", TRUE },
  { "one-after-the-other",
    HEAD ("300") CHAIN "for i in pl.range(0, 500, 1):\n" LOAD ("1") "    u1: " TILE " = pl.tile.exp(t1)\n" STORE ("1"), TRUE },
  { "division",
    HEAD ("3000") "    t0: " TILE " = pl.tile.load(x, [i * 4 // 2, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n" ADD ("0")
        STORE ("0"),
    TRUE },
};

#define SYNC(kind, set, wait, id) \
  "pl.system." kind "(set_pipe=pl.PipeType." set ", wait_pipe=pl.PipeType." wait ", event_id=" id ")\n"
#define SET(set, wait, id) SYNC ("sync_src", set, wait, id)
#define WAIT(set, wait, id) SYNC ("sync_dst", set, wait, id)

/* The same with flags and barriers. */
static const Kernel flagged[] = {
  { "chain", HEAD ("3000") LOAD ("0") "    " SET ("MTE2", "V", "0") "    " WAIT ("MTE2", "V", "0") ADD ("0")
      "    " SET ("V", "MTE3", "0") "    " WAIT ("V", "MTE3", "0") STORE ("0"), TRUE },
  { "double-buffer", /* flags of one iteration are waited for two later */
    SET ("V", "MTE2", "0") SET ("V", "MTE2", "1") "for i in pl.range(0, 6000, 2):\n    " WAIT ("V", "MTE2", "0") LOAD ("0")
      "    " SET ("MTE2", "V", "0") "    " WAIT ("V", "MTE2", "1") LOAD ("1") "    " SET ("MTE2", "V", "1") "    "
      WAIT ("MTE2", "V", "0") ADD ("0") "    " SET ("V", "MTE2", "0") "    " WAIT ("MTE2", "V", "1") ADD ("1") "    "
      SET ("V", "MTE2", "1") WAIT ("V", "MTE2", "0") WAIT ("V", "MTE2", "1"), TRUE },
  { "barriers", HEAD ("3000") LOAD ("0") ADD ("0") "    pl.system.bar_v()\n    v0: " TILE " = pl.tile.exp(u0)\n"
      "    pl.system.bar_all()\n" STORE ("0"), TRUE },
  { "flags-alone", /* nothing but flags on MTE3, after a store that is still going on */
    "t9: " TILE " = pl.tile.load(x, [0, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\npl.tile.store(t9, [0, 0], z)\n"
      HEAD ("3000") LOAD ("0") "    " SET ("MTE3", "MTE2", "0") "    " WAIT ("MTE3", "MTE2", "0") ADD ("0")
      "pl.tile.store(t9, [1, 0], z)\n", TRUE },
  { "nobody-waits", /* a flag that is set and never waited for holds nobody, however often */
    HEAD ("3000") LOAD ("0") ADD ("0") "    " SET ("V", "MTE2", "5") STORE ("0"), TRUE },
  { "waited-once-before", SET ("V", "MTE2", "5") WAIT ("V", "MTE2", "5") HEAD ("3000") LOAD ("0") ADD ("0") "    "
      SET ("V", "MTE2", "5") STORE ("0"), TRUE },
  { "waited-behind", /* one of the flags is waited for: which one, and so when, is known only if all are set */
    HEAD ("3000") LOAD ("0") ADD ("0") "    " SET ("V", "MTE2", "5") STORE ("0") WAIT ("V", "MTE2", "5") LOAD_ROW ("t7"), FALSE },
  { "nest", "for k in pl.range(0, 110, 1):\n    " SET ("V", "MTE2", "3") "    for i in pl.range(0, 110, 1):\n    " LOAD ("0")
      "        " SET ("MTE2", "V", "0") "        " WAIT ("MTE2", "V", "0") "    " ADD ("0") "    " STORE ("0")
      "        pl.system.bar_m()\n    " WAIT ("V", "MTE2", "3"), TRUE },
};

static const char *const settings[] = { "", "queue-depth=8", "queue-depth=2 dispatch-cost=3", "mte2.in-flight=3 queue-depth=4" };
/* What flags and barriers depend on. */
static const char *const sync_settings[]
    = { "", "queue-depth=8 flag-cost=5 barrier-cost=18", "queue-depth=4 mte2.in-flight=3 mte3.in-flight=2 flag-cost=5 s.sync=2",
        "queue-depth=32 v.head-occupies=no barrier-cost=18 flag-cost=7 mte2.in-flight=2 dispatch-cost=1" };

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
      g_assert_cmpint (x->steady_begin, ==, y->steady_begin);
      g_assert_cmpint (x->steady_end, ==, y->steady_end);
      g_assert_cmpint (x->loop, ==, y->loop);
      g_assert_cmpuint (x->res_pipe, ==, y->res_pipe);
      g_assert_cmpuint (x->binding, ==, y->binding);
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

/* Statement and iterations tell an event. */
static gboolean
same_event (const TsStream *s, guint i, const TsStream *t, guint j)
{
  gint64 a[8], b[8];

  if (s->site[i] != t->site[j])
    return FALSE;
  guint n = MIN (ts_stream_iteration_vector (s, i, a, 8), 8), m = MIN (ts_stream_iteration_vector (t, j, b, 8), 8);
  return n == m && memcmp (a, b, n * sizeof *a) == 0;
}

/* Every event that was not left out is the one of the full simulation. Both have them in the same order. */
static void
compare_events (const TsSimulation *whole, const TsSimulation *filled)
{
  const TsSchedule *x = whole->schedule, *y = filled->schedule;
  guint k = 0;

  for (guint i = 0; i < filled->stream->n_instructions; i++, k++)
    {
      while (k < whole->stream->n_instructions && !same_event (whole->stream, k, filled->stream, i))
        k++;
      g_assert_cmpuint (k, <, whole->stream->n_instructions);
      if (x->start[k] != y->start[i])
        g_test_message ("instruction %u and its like %u: %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, k, i, x->start[k],
                        y->start[i]);
      g_assert_cmpint (x->start[k], ==, y->start[i]);
      g_assert_cmpint (x->end[k], ==, y->end[i]);
      g_assert_cmpint (ts_schedule_visible (x, whole->stream, ts_machine_timing (whole->machine), k), ==,
                       ts_schedule_visible (y, filled->stream, ts_machine_timing (filled->machine), i));
      g_assert_cmpint (x->dispatch[k], ==, y->dispatch[i]);
      g_assert_cmpint (x->wait[k], ==, y->wait[i]);
      g_assert_cmpint (x->cause[k], ==, y->cause[i]);
    }
}

static void
compare_fills (TsModule *module, const char *function, const char *name, gboolean fills, const char *const *overridden)
{
  TsSimOptions whole = { .fill = TS_SIM_FILL_NEVER }, filled = { .fill = TS_SIM_FILL_ALWAYS };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      const char *overrides = *overridden[i] != '\0' ? overridden[i] : NULL;
      g_autoptr (TsSimulation) a = kernel_simulate (module, function, NULL, overrides, &whole);
      g_autoptr (TsSimulation) b = kernel_simulate (module, function, NULL, overrides, &filled);
      g_test_message ("%s %s: %u and %u instructions, %u fills", name, overridden[i], a->stream->n_instructions,
                      b->stream->n_instructions, b->schedule->n_fills);
      compare_events (a, b);
      compare (a, b);
      if (fills && i == 0)
        g_assert_cmpuint (b->stream->n_instructions, <, a->stream->n_instructions);
      if (!fills)
        g_assert_cmpuint (b->schedule->n_fills, ==, 0);
    }
}

static void
test_kernel (gconstpointer data)
{
  const Kernel *kernel = data;
  g_autoptr (TsModule) module = kernel_body (NULL, kernel->body);

  compare_fills (module, "main", kernel->name, kernel->fills, settings);
}

static void
test_flagged (gconstpointer data)
{
  const Kernel *kernel = data;
  g_autoptr (TsModule) module = kernel_body (NULL, kernel->body);

  G_STATIC_ASSERT (G_N_ELEMENTS (settings) == G_N_ELEMENTS (sync_settings));
  compare_fills (module, "main", kernel->name, kernel->fills, sync_settings);
}

/* --- groups --------------------------------------------------------------------------------------------------------------- */

#define ROLE(type, level) "    @pl.function(type=pl.FunctionType." type ", level=pl.Level." level ", role=pl.Role.SubWorker)\n"
#define ACC "pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc]"
#define VEC "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]"
#define OPEN(side, dir, slots) \
  "        pl.system." side "_initialize_pipe(pl.const(0, pl.INT32), pl.const(0, pl.INT32), dir_mask=" dir \
  ", slot_size=1024, slot_num=" slots ")\n"
#define GROUP(dir, slots, cube, vector) \
  "# pypto.program: K\nimport pypto.language as pl\n\n@pl.program\nclass K:\n" ROLE ("AIC", "AIC") \
  "    def cube(z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n" OPEN ("aic", dir, slots) \
  "        s: " ACC " = pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Acc)\n" cube ROLE ("AIV", "AIV") \
  "    def vector(z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n" OPEN ("aiv", dir, slots) vector ROLE ("Group", "CORE_GROUP") \
  "    def main(self, z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n        self.cube(z)\n        self.vector(z)\n"
#define FOR(n) "        for i in pl.range(0, " n ", 1):\n"
#define PUSH "            pl.tile.tpush_to_aiv(s, split=0)\n"
#define POP "            v: " VEC " = pl.tile.tpop_from_aic(split=0)\n            e: " VEC " = pl.tile.exp(v)\n"
#define FREE "            pl.system.tfree_to_aic(v, split=0)\n"
#define PUT "            pl.tile.store(e, [i * 16, 0], z)\n"
#define BACK "            pl.tile.tpush_to_aic(e, split=0)\n"
#define TAKE "            b: pl.Tile[[16, 16], pl.FP32, pl.Mem.Mat] = pl.tile.tpop_from_aiv(split=0)\n"

typedef struct
{
  const char *name, *text;
  gboolean    fills;
} Group;

static const Group groups[] = {
  { "push-pop", GROUP ("1", "2", FOR ("600") PUSH, FOR ("600") POP FREE PUT), TRUE },
  { "slots-by-pop", GROUP ("1", "3", FOR ("600") PUSH, FOR ("600") POP PUT), TRUE },
  { "many-slots", GROUP ("1", "8", FOR ("600") PUSH, FOR ("600") POP FREE PUT), TRUE },
  { "slow-cube", GROUP ("1", "2", FOR ("600") "            x: " ACC " = pl.tile.create([16, 16], dtype=pl.FP32, "
                                                               "target_memory=pl.Mem.Acc)\n            pl.tile.store(s, [0, 0], "
                                                                   "z)\n" PUSH,
                        FOR ("600") POP FREE), TRUE },
  { "there-and-back", GROUP ("3", "2", FOR ("600") PUSH TAKE "            pl.system.tfree_to_aiv(b, split=0)\n", FOR ("600"
      ) POP FREE BACK), TRUE },
  { "skewed", /* the cube core is one ahead */
    GROUP ("3", "4", "        pl.tile.tpush_to_aiv(s, split=0)\n" FOR ("600"
        ) PUSH TAKE "            pl.system.tfree_to_aiv(b, split=0)\n"
           "        c: pl.Tile[[16, 16], pl.FP32, pl.Mem.Mat] = pl.tile.tpop_from_aiv(split=0)\n",
           FOR ("601") POP FREE BACK), TRUE },
  { "nested", GROUP ("1", "2", FOR ("140") "            for j in pl.range(0, 140, 1):\n    " PUSH,
                     FOR ("140") "            for j in pl.range(0, 140, 1):\n                v: "
                         VEC " = pl.tile.tpop_from_aic(split=0)\n"
                     "                e: " VEC " = pl.tile.exp(v)\n                pl.system.tfree_to_aic(v, split=0)\n" PUT),
                         TRUE },
  { "other-loops", /* four iterations of one core for one of the others */
    GROUP ("1", "2", FOR ("600") PUSH, FOR ("150") "            for j in pl.range(0, 4, 1):\n                v: " VEC
           " = pl.tile.tpop_from_aic(split=0)\n                e: " VEC " = pl.tile.exp(v)\n"
           "                pl.system.tfree_to_aic(v, split=0)\n" PUT), FALSE },
};

static void
test_group (gconstpointer data)
{
  const Group *group = data;
  g_autoptr (TsModule) module = kernel_module (group->text);

  compare_fills (module, "main", group->name, group->fills, settings);
}

/* What is filled in counts where cores are told to wait for each other for ever. */
static void
test_group_deadlock (void)
{
  g_autoptr (TsModule) module = kernel_module (GROUP ("1", "2", FOR ("1000000") PUSH, FOR ("1000001") POP FREE PUT));
  TsSimOptions options = { .fill = TS_SIM_FILL_ALWAYS };
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, &options);

  g_assert_cmpint (s->schedule->status, ==, TS_SCHEDULE_DEADLOCK);
  g_assert_cmpuint (s->schedule->n_fills, ==, 3);
  g_assert_nonnull (strstr (kernel_message (s, "deadlock"), "for push number 1000001 of"));
  g_assert_nonnull (strstr (kernel_message (s, "fifo-mismatch"), "cube0 pushes 1000000 times"));
}

/* In front of what would have been filled in: nothing was, the notes do not say so, and the flags are counted as the program has
 * them. */
static void
test_deadlock_before (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, WAIT ("V", "MTE2", "5") HEAD ("3000") LOAD ("0") ADD ("0") "    "
      SET ("V", "MTE2", "5") STORE ("0"));
  TsSimOptions whole = { .fill = TS_SIM_FILL_NEVER }, filled = { .fill = TS_SIM_FILL_ALWAYS };
  g_autoptr (TsSimulation) a = kernel_simulate (module, "main", NULL, NULL, &whole);
  g_autoptr (TsSimulation) b = kernel_simulate (module, "main", NULL, NULL, &filled);

  g_assert_cmpint (a->schedule->status, ==, TS_SCHEDULE_DEADLOCK);
  g_assert_cmpint (b->schedule->status, ==, TS_SCHEDULE_DEADLOCK);
  g_assert_cmpuint (b->stream->n_repeats, ==, 1);
  g_assert_cmpuint (b->schedule->n_fills, ==, 0);
  g_assert_cmpuint (kernel_count (b, "filled-in"), ==, 0);
  g_assert_nonnull (strstr (kernel_message (a, "flag-mismatch"), "sets it 3000 times"));
  g_assert_cmpstr (kernel_message (a, "flag-mismatch"), ==, kernel_message (b, "flag-mismatch"));
  g_assert_cmpstr (kernel_message (a, "deadlock"), ==, kernel_message (b, "deadlock"));
}

/* --- Triton IR ------------------------------------------------------------------------------------------------------------- */

#define TT(args, body) "module {\n  tt.func @k(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>" args ") {\n" \
  "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n    %n = arith.constant 500 : i32\n" \
  "    %c64 = arith.constant 64 : i32\n    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n" \
  "    %px = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n    %pz = tt.splat %z : !tt.ptr<f32> -> " \
      "tensor<64x!tt.ptr<f32>>\n" \
  body "    tt.return\n  }\n}\n"
#define P "tensor<64x!tt.ptr<f32>>"

static const Group ttir[] = {
  { "offsets", TT ("", "    scf.for %i = %c0 to %n step %c1 : i32 {\n      %o = arith.muli %i, %c64 : i32\n"
                       "      %s = tt.splat %o : i32 -> tensor<64xi32>\n      %q = arith.addi %s, %r : tensor<64xi32>\n"
                       "      %p = tt.addptr %px, %q : " P ", tensor<64xi32>\n      %l = tt.load %p : " P "\n"
                       "      %m = arith.addf %l, %l : tensor<64xf32>\n      %w = tt.addptr %pz, %q : " P ", tensor<64xi32>\n"
                       "      tt.store %w, %m : " P "\n    }\n"), TRUE },
  { "carried-pointer", TT ("", "    %d = arith.constant dense<64> : tensor<64xi32>\n    %p0 = tt.addptr %px, %r : "
      P ", tensor<64xi32>\n"
                               "    %a0 = arith.constant dense<0.0> : tensor<64xf32>\n"
                               "    %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %a = %a0) -> ("
                                   P ", tensor<64xf32>) : i32 {\n"
                               "      %l = tt.load %p : " P "\n      %b = arith.addf %a, %l : tensor<64xf32>\n"
                               "      %q = tt.addptr %p, %d : " P ", tensor<64xi32>\n      scf.yield %q, %b : "
                                   P ", tensor<64xf32>\n    }\n"
                               "    %w = tt.addptr %pz, %r : " P ", tensor<64xi32>\n    tt.store %w, %e#1 : " P "\n"), TRUE },
  { "masked-end", TT ("", "    %m = arith.constant 31990 : i32\n    %ms = tt.splat %m : i32 -> tensor<64xi32>\n"
                          "    scf.for %i = %c0 to %n step %c1 : i32 {\n      %o = arith.muli %i, %c64 : i32\n"
                          "      %s = tt.splat %o : i32 -> tensor<64xi32>\n      %q = arith.addi %s, %r : tensor<64xi32>\n"
                          "      %k = arith.cmpi slt, %q, %ms : tensor<64xi32>\n"
                          "      %p = tt.addptr %px, %q : " P ", tensor<64xi32>\n      %l = tt.load %p, %k : " P "\n"
                          "      %w = tt.addptr %pz, %q : " P ", tensor<64xi32>\n      tt.store %w, %l, %k : " P "\n    }\n"),
                              TRUE },
  { "nested", TT ("", "    %few = arith.constant 110 : i32\n    scf.for %j = %c0 to %few step %c1 : i32 {\n    scf.for %i = %c0 "
      "to %few step %c1 : i32 {\n"
                      "      %h = arith.muli %j, %n : i32\n      %g = arith.addi %h, %i : i32\n      %o = arith.muli %g, %c64 : "
                          "i32\n"
                      "      %s = tt.splat %o : i32 -> tensor<64xi32>\n      %q = arith.addi %s, %r : tensor<64xi32>\n"
                      "      %p = tt.addptr %px, %q : " P ", tensor<64xi32>\n      %l = tt.load %p : " P "\n"
                      "      tt.store %p, %l : " P "\n    }\n    }\n"), TRUE },
  { "parity", TT ("", "    scf.for %i = %c0 to %n step %c1 : i32 {\n      %h = arith.andi %i, %c1 : i32\n"
                      "      %g = arith.cmpi eq, %h, %c0 : i32\n      scf.if %g {\n        %p = tt.addptr %px, %r : "
                          P ", tensor<64xi32>\n"
                      "        %l = tt.load %p : " P "\n        tt.store %p, %l : " P "\n      }\n      %q = tt.addptr %pz, %r : " P
                      ", tensor<64xi32>\n      %v = tt.load %q : " P "\n      %u = arith.mulf %v, %v : tensor<64xf32>\n"
                      "      tt.store %q, %u : " P "\n    }\n"), TRUE },
};

static void
test_ttir (gconstpointer data)
{
  const Group *row = data;
  g_autoptr (TsModule) module = kernel_ttir (row->text);

  compare_fills (module, "k", row->name, row->fills, settings);
}

/* --- random kernels -------------------------------------------------------------------------------------------------------- */

static gint
below (GRand *rand, gint n)
{
  return g_rand_int_range (rand, 0, n);
}

/* A statement; tiles t0 .. t3 exist, `i` is the innermost loop's variable. */
static void
random_statement (GRand *rand, GString *out, const char *indent, const char *var)
{
  static const char *const binary[] = { "add", "mul", "sub" }, *const unary[] = { "exp", "relu", "sqrt" };
  static const char *const shifts[] = { "", " + 1", " + 3", " * 2", " % 3", " // 2" };
  gint a = below (rand, 4), b = below (rand, 4), c = below (rand, 4);

  switch (below (rand, 7))
    {
    case 0:
    case 1:
      g_string_append_printf (out, "%st%d: " TILE " = pl.tile.load(%s, [%s%s, 0], [1, 128], [1, 128], "
          "target_memory=pl.Mem.Vec)\n", indent,
                              a, below (rand, 3) == 0 ? "z" : "x", var, shifts[below (rand, 5)]);
      break;
    case 2:
      g_string_append_printf (out, "%sw: pl.Tensor[[4096, 128], pl.FP32] = pl.tile.store(t%d, [%s%s, 0], z)\n", indent, a, var,
                              shifts[below (rand, 5)]);
      break;
    case 3:
      g_string_append_printf (out, "%st%d: " TILE " = pl.tile.%s(t%d, t%d)\n", indent, a, binary[below (rand, 3)], b, c);
      break;
    case 4:
      g_string_append_printf (out, "%st%d: " TILE " = pl.tile.%s(t%d)\n", indent, a, unary[below (rand, 3)], b);
      break;
    case 5:
      g_string_append_printf (out, "%sn%d: pl.Scalar[pl.INDEX] = %s%s\n", indent, a, var, shifts[below (rand, 6)]);
      break;
    default:
      g_string_append_printf (out, "%sif %s %s %d:\n%s    t%d: " TILE " = pl.tile.exp(t%d)\n", indent, var,
                              below (rand, 2) == 0 ? "% 3 ==" : "<", below (rand, 200), indent, a, b);
      break;
    }
}

/* A flag that is set and waited for, or a barrier; sometimes with a statement between them. */
static void
random_sync (GRand *rand, GString *out, const char *indent, const char *var)
{
  static const char *const pipes[] = { "S", "MTE2", "MTE1", "M", "V", "MTE3", "FIX" };
  static const char *const barriers[] = { "bar_v", "bar_m", "bar_all" };
  gint from = below (rand, 7), to = (from + 1 + below (rand, 6)) % 7;

  if (below (rand, 4) == 0)
    {
      g_string_append_printf (out, "%spl.system.%s()\n", indent, barriers[below (rand, 3)]);
      return;
    }
  for (guint k = 0; k < 2; k++)
    {
      g_string_append_printf (out, "%spl.system.%s(set_pipe=pl.PipeType.%s, wait_pipe=pl.PipeType.%s, event_id=1)\n", indent,
                              k == 0 ? "sync_src" : "sync_dst", pipes[from], pipes[to]);
      if (k == 0 && below (rand, 2) == 0)
        random_statement (rand, out, indent, var);
    }
}

/* `sync`: with flags and barriers. */
static void
random_body (GRand *rand, GString *out, const char *indent, const char *var, gboolean sync)
{
  for (gint n = 1 + below (rand, 3); n > 0; n--)
    {
      random_statement (rand, out, indent, var);
      if (sync && below (rand, 2) == 0)
        random_sync (rand, out, indent, var);
    }
}

static char *
random_kernel (GRand *rand, gboolean sync)
{
  GString *out = g_string_new (NULL);
  gint loops = 1 + below (rand, 2);

  for (gint t = 0; t < 4; t++)
    g_string_append_printf (out, "t%d: " TILE " = pl.tile.load(x, [%d, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n", t, t);
  for (gint l = 0; l < loops; l++)
    {
      gboolean nested = below (rand, 2) == 0;
      gint least = nested && below (rand, 2) == 0 ? 2 : 80; /* an outer loop of few iterations, or one to be filled in itself */
      g_string_append_printf (out, "for i in pl.range(0, %d, %d):\n", least + below (rand, nested ? 20 : 300), 1 + below (rand,
          nested ? 1 : 2));
      random_body (rand, out, "    ", "i", sync);
      if (!nested)
        continue;
      g_string_append_printf (out, "    for j in pl.range(%d, %d, 1):\n", below (rand, 4), 100 + below (rand, 50));
      random_body (rand, out, "        ", below (rand, 3) == 0 ? "(i + j)" : "j", sync);
      random_statement (rand, out, "    ", "i");
    }
  random_statement (rand, out, "", "5");
  return g_string_free (out, FALSE);
}

/* Enough that are filled in (some are not: what they load was stored where they cannot tell), and a bound to the kernels tried.
 * TS_PERIODIC_SEED and TS_PERIODIC_ROUNDS ask for others, and more. */
#define RANDOM_FILLED 10u
#define RANDOM_KERNELS 60u

/* Whatever is filled in, events and results are those of the full simulation. TRUE: something was. */
static gboolean
random_round (guint seed, gboolean sync)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autofree char *body = random_kernel (rand, sync), *overrides
      = g_strdup_printf ("queue-depth=%d mte2.in-flight=%d dispatch-cost=%d mte3.in-flight=%d flag-cost=%d barrier-cost=%d "
                         "v.head-occupies=%s",
                         below (rand, 5), 1 + below (rand, 3), below (rand, 4), 1 + below (rand, sync ? 3 : 1),
                         below (rand, sync ? 9 : 1), below (rand, sync ? 19 : 1), sync && seed % 2 == 0 ? "no" : "yes");
  g_autoptr (TsModule) module = kernel_body (NULL, body);
  TsSimOptions whole = { .fill = TS_SIM_FILL_NEVER }, filled = { .fill = TS_SIM_FILL_ALWAYS };
  g_autoptr (TsSimulation) a = kernel_simulate (module, "main", NULL, overrides, &whole);
  g_autoptr (TsSimulation) b = kernel_simulate (module, "main", NULL, overrides, &filled);

  g_test_message ("seed %u, %s: %u and %u instructions\n%s", seed, overrides, a->stream->n_instructions,
                  b->stream->n_instructions, body);
  compare_events (a, b);
  compare (a, b);
  return b->schedule->n_fills > 0;
}

static void
test_random (gconstpointer data)
{
  const char *first = g_getenv ("TS_PERIODIC_SEED"), *asked = g_getenv ("TS_PERIODIC_ROUNDS");
  guint from = first != NULL ? (guint) atoi (first) : 0, rounds = asked != NULL ? (guint) atoi (asked) : RANDOM_KERNELS, filled = 0;

  for (guint n = 0; n < rounds && (asked != NULL || filled < RANDOM_FILLED); n++)
    filled += random_round (from + n, GPOINTER_TO_INT (data));
  g_assert_cmpuint (filled, >=, MIN (RANDOM_FILLED, rounds / 6));
}

/* Seeds that once told the full simulation from the filled-in one: a branch that turns early changes how fast a chain grows. */
static void
test_random_once_wrong (void)
{
  static const guint seeds[] = { 280 };

  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    g_assert_true (random_round (seeds[i], FALSE));
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

/* A loop that is filled in twice, before and after its branch turns, is told with all of it; so is the one behind it. */
static void
test_notes (void)
{
  g_autoptr (TsModule) module
      = kernel_body (NULL, HEAD ("1000000") LOAD ("0") "    if i < 400000:\n    " ADD ("0") "    else:\n        u0: " TILE
                           " = pl.tile.exp(t0)\n" STORE ("0") "for i in pl.range(0, 2000000, 1):\n" LOAD ("1") ADD ("1"));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
  gint64 omitted = s->stream->repeats[0].omitted + s->stream->repeats[1].omitted;
  g_autofree char *all = g_strdup_printf ("%" G_GINT64_FORMAT " of 1000000 iterations", omitted);

  g_assert_cmpuint (s->schedule->n_fills, ==, 3);
  g_assert_cmpint (omitted, >, 990000);
  g_assert_cmpuint (kernel_count (s, "filled-in"), ==, 2);
  g_assert_true (g_str_has_prefix (kernel_message (s, "filled-in"), all));
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
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/periodic/group/", groups[i].name, NULL);
      g_test_add_data_func (path, &groups[i], test_group);
    }
  g_test_add_func ("/sim/periodic/group/deadlock", test_group_deadlock);
  g_test_add_func ("/sim/periodic/deadlock-before", test_deadlock_before);
  for (guint i = 0; i < G_N_ELEMENTS (ttir); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/periodic/ttir/", ttir[i].name, NULL);
      g_test_add_data_func (path, &ttir[i], test_ttir);
    }
  for (guint i = 0; i < G_N_ELEMENTS (flagged); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/periodic/flags/", flagged[i].name, NULL);
      g_test_add_data_func (path, &flagged[i], test_flagged);
    }
  g_test_add_data_func ("/sim/periodic/random/plain", GINT_TO_POINTER (FALSE), test_random);
  g_test_add_func ("/sim/periodic/random/once-wrong", test_random_once_wrong);
  g_test_add_data_func ("/sim/periodic/random/flags", GINT_TO_POINTER (TRUE), test_random);
  g_test_add_func ("/sim/periodic/huge", test_huge);
  g_test_add_func ("/sim/periodic/notes", test_notes);
  return g_test_run ();
}
