/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flags and barriers move and compute nothing: what they hold and what they do not. */
#include "kernel-text.h"

#define TILE "pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec]"
#define LOAD_AT(t, row) \
  t ": " TILE " = pl.tile.load(x, [" row ", 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
#define VECTOR(t, op) t ": " TILE " = pl.tile." op "\n"
#define SYNC(kind, set, wait) \
  "pl.system." kind "(set_pipe=pl.PipeType." set ", wait_pipe=pl.PipeType." wait ", event_id=0)\n"
#define FLAG(set, wait) SYNC ("sync_src", set, wait) SYNC ("sync_dst", set, wait)
#define STORE_AT(t) "pl.tile.store(" t ", [0, 0], z)\n"
#define FOUR(flag) LOAD_AT ("a", "0") flag LOAD_AT ("b", "1") flag LOAD_AT ("c", "2") flag LOAD_AT ("d", "3") flag

typedef struct
{
  guint  at;
  gint64 start, end, visible;
} Expected;

typedef struct
{
  const char *name, *body, *machine, *overrides;
  gint64      makespan;
  Expected    events[4]; /* ends with one that has no `visible` */
} Row;

/* Two tiles of 16 rows of 64 bytes, to L1, to L0A and L0B, multiplied, and out of L0C. */
#define SQUARE(space) "pl.Tile[[16, 16], pl.FP32, pl.Mem." space "]"
#define INTO_L1(t) t ": " SQUARE ("Mat") " = pl.tile.load(x, [0, 0], [16, 16], [16, 16], target_memory=pl.Mem.Mat)\n"
#define INTO_L0(t, from, space) t ": " SQUARE (space) " = pl.tile.move(" from ", target_memory=pl.Mem." space ")\n"
#define CUBE \
  INTO_L1 ("a") INTO_L1 ("b") FLAG ("MTE2", "MTE1") INTO_L0 ("l", "a", "Left") INTO_L0 ("r", "b", "Right") FLAG ("MTE1", "M") \
  "c: " SQUARE ("Acc") " = pl.tile.matmul(l, r)\n" FLAG ("M", "FIX") STORE_AT ("c")

static const Row rows[] = {
  /* By the formulas of simulator.md section 5: a load takes 100 + 1024/64 = 116 cycles, a move 10 + 1024/128 = 18, the product
     10 + 1 x 1 x 16/8 = 12, the way out 50 + 1024/64 = 66; each flag is set, and waited for, in a cycle of its pipe. Loads 0, 116;
     flag 232, 233; moves 234, 252; flag 270, 271; product 272; flag 284, 285; out 286 to 352. */
  { "cube-chain", CUBE, "teaching", "", 352,
    { { 4, 234, 252, 252 }, { 6, 270, 271, 271 }, { 8, 272, 284, 284 }, { 11, 286, 352, 352 } } },
  /* Each of the three flags travels for 5 cycles: whoever waits starts 6 cycles after the flag does. */
  { "cube-chain-cost", CUBE, "teaching", "flag-cost=5", 367,
    { { 3, 238, 239, 239 }, { 7, 281, 282, 282 }, { 10, 300, 301, 301 }, { 11, 301, 367, 367 } } },
  /* With queues a flag waits for what stands in front of it on its own pipe only: the first move starts while the second
     load, from 117 to 233, is under way; the second move needs that load. */
  { "mte1-queued", INTO_L1 ("a") SYNC ("sync_src", "MTE2", "MTE1") INTO_L1 ("b") SYNC ("sync_dst", "MTE2", "MTE1")
      INTO_L0 ("l", "a", "Left") INTO_L0 ("r", "b", "Right"), "teaching", "queue-depth=8", 251,
    { { 1, 116, 117, 117 }, { 3, 117, 118, 118 }, { 4, 118, 136, 136 }, { 5, 233, 251, 251 } } },
  /* The barrier cost is paid whatever flag stands between an operation and the one that needs it: 120 + 18. */
  { "barrier-without", LOAD_AT ("t", "0") VECTOR ("a", "add(t, t)") VECTOR ("b", "exp(a)") STORE_AT ("b"), "teaching",
    "barrier-cost=18", 260, { { 2, 138, 152, 152 } } },
  { "barrier-across-set", LOAD_AT ("t", "0") VECTOR ("a", "add(t, t)") FLAG ("V", "MTE3") VECTOR ("b", "exp(a)") STORE_AT ("b"),
    "teaching", "barrier-cost=18", 260, { { 2, 120, 121, 121 }, { 4, 138, 152, 152 } } },
  { "barrier-across-wait", LOAD_AT ("t", "0") VECTOR ("a", "add(t, t)") FLAG ("MTE2", "V") VECTOR ("b", "exp(a)") STORE_AT ("b"),
    "teaching", "barrier-cost=18", 260, { { 3, 120, 121, 121 }, { 4, 138, 152, 152 } } },
  /* A barrier has waited for the same already: it is not paid twice (120 + 18, its own cycle, then the next). */
  { "barrier-once", LOAD_AT ("t", "0") VECTOR ("a", "add(t, t)") "pl.system.bar_v()\n" VECTOR ("b", "exp(a)"), "teaching",
    "barrier-cost=18", 153, { { 2, 138, 139, 139 }, { 3, 139, 153, 153 } } },
  /* Flags take no place in flight: the transfers overlap as without them, and the last flag is set a cycle after the last end. */
  { "four-910b", FOUR (""), "ascend910b", "", 404, { { 0, 0, 198, 198 }, { 1, 1, 206, 206 }, { 3, 206, 404, 404 } } },
  { "four-910b-flags", FOUR (SYNC ("sync_src", "MTE2", "V")), "ascend910b", "", 405,
    { { 1, 1, 2, 199 }, { 2, 2, 206, 206 }, { 6, 206, 404, 404 }, { 7, 206, 207, 405 } } },
  { "four-950", FOUR (""), "ascend950", "", 414, { { 3, 3, 414, 414 } } },
  { "four-950-flags", FOUR (SYNC ("sync_src", "MTE2", "V")), "ascend950", "", 415,
    { { 1, 1, 2, 397 }, { 6, 6, 414, 414 }, { 7, 7, 8, 415 } } },
  /* An add holds the vector unit for 4 cycles and is visible after 29: the flag is set then, and the next add does not wait. */
  { "visible-910b", LOAD_AT ("t", "0") VECTOR ("a", "add(t, t)") FLAG ("V", "MTE3") VECTOR ("b", "mul(t, t)"), "ascend910b", "",
    239, { { 1, 203, 207, 232 }, { 2, 207, 208, 233 }, { 3, 238, 239, 239 }, { 4, 208, 212, 237 } } },
  /* Its own cycles, also where several are in flight: 116 + 3 for the flag, as long for the one that waits for it. */
  { "own-cycles", LOAD_AT ("t", "0") LOAD_AT ("u", "1") FLAG ("MTE2", "V") VECTOR ("b", "mul(t, t)") LOAD_AT ("w", "2"), "teaching",
    "mte2.in-flight=2 queue-depth=8 s.sync=3", 216,
    { { 2, 0, 3, 119 }, { 3, 119, 122, 122 }, { 4, 122, 134, 134 }, { 5, 108, 216, 216 } } },
  /* A flag that is waited for holds what stands behind it on its pipe, but takes none of the places. */
  { "wait-holds", LOAD_AT ("t", "0") FLAG ("V", "MTE2") LOAD_AT ("u", "1") LOAD_AT ("w", "2"), "teaching",
    "mte2.in-flight=3 queue-depth=8 s.sync=3 flag-cost=5", 127,
    { { 1, 0, 3, 3 }, { 2, 8, 11, 11 }, { 3, 11, 119, 119 }, { 4, 11, 127, 127 } } },
};

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (TsModule) module = kernel_body (NULL, row->body);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", row->machine, row->overrides, NULL);
  const TsSchedule *t = s->schedule;

  for (guint k = 0; k < G_N_ELEMENTS (row->events) && row->events[k].visible > 0; k++)
    {
      const Expected *e = &row->events[k];
      g_test_message ("instruction %u", e->at);
      g_assert_cmpint (t->start[e->at], ==, e->start);
      g_assert_cmpint (t->end[e->at], ==, e->end);
      g_assert_cmpint (ts_schedule_visible (t, s->stream, ts_machine_timing (s->machine), e->at), ==, e->visible);
    }
  g_assert_cmpint (t->makespan, ==, row->makespan);
}

/* The path goes on behind a flag with what was over last before it, not with what held the instruction that sets it. */
static void
test_critical_path (void)
{
  g_autoptr (TsModule) module
      = kernel_body (NULL, LOAD_AT ("t", "0") LOAD_AT ("u", "1") FLAG ("MTE2", "MTE3") STORE_AT ("t"));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", "ascend910b", NULL, NULL);
  const TsResult *r = s->result;

  g_assert_cmpuint (r->n_critical, ==, 5);
  for (guint i = 0; i < r->n_critical; i++)
    g_assert_cmpuint (r->critical[i], ==, i);
}

/* Flags on a pipe with several in flight come one after the other; they pass through none of the places. */
static void
test_bound (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, "for i in pl.range(0, 8, 1):\n    " LOAD_AT ("t", "0") "    "
      SYNC ("sync_src", "MTE2", "V") "    " SYNC ("sync_src", "MTE2", "V") "    " SYNC ("sync_src", "MTE2", "V"));
  g_autoptr (TsSimulation) few = kernel_simulate (module, "main", NULL, "mte2.in-flight=4 queue-depth=64", NULL);
  g_autoptr (TsSimulation) many = kernel_simulate (module, "main", NULL, "mte2.in-flight=4 queue-depth=64 s.sync=40", NULL);

  /* Eight loads of 108 cycles through four places; 24 flags of 40 cycles each. */
  g_assert_cmpint (few->result->resource, ==, 216);
  g_assert_cmpint (few->result->loops[0].res_mii, ==, 27);
  g_assert_cmpint (many->result->resource, ==, 960);
  g_assert_cmpint (many->result->loops[0].res_mii, ==, 120);
  g_assert_cmpint (few->result->resource, <=, few->result->makespan);
  g_assert_cmpint (many->result->resource, <=, many->result->makespan);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/flags/", rows[i].name, NULL);
      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/sim/flags/critical-path", test_critical_path);
  g_test_add_func ("/sim/flags/bound", test_bound);
  return g_test_run ();
}
