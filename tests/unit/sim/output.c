/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON and traces have the shape that cli.md promises; memory results, collapsed stages and buffer edges say what the kernel
 * does. */
#include "kernel-text.h"

#include <json-glib/json-glib.h>
#include <string.h>

static const char reordered[] = "for i in pl.range(0, 4, 2):\n" LOAD ("0") LOAD ("1") ADD ("0") STORE ("0") ADD ("1") STORE ("1");

static JsonParser *
parse (const char *text)
{
  JsonParser *parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  return parser;
}

/* Members in this very order: readers may rely on it no less than on the names. */
static void
check_members (JsonObject *object, const char *names)
{
  g_autoptr (GList) members = json_object_get_members (object);
  g_autoptr (GString) found = g_string_new (NULL);

  for (GList *m = members; m != NULL; m = m->next)
    g_string_append_printf (found, "%s%s", found->len > 0 ? " " : "", (const char *) m->data);
  g_assert_cmpstr (found->str, ==, names);
}

static JsonObject *
element (JsonObject *object, const char *name, guint i)
{
  return json_array_get_object_element (json_object_get_array_member (object, name), i);
}

static const char *
since_reuse (gint32 op, gint32 on, gpointer data)
{
  return op != on ? data : NULL;
}

static void
test_json (void)
{
  g_autoptr (TsModule) module = kernel_body ("n: pl.Scalar[pl.INDEX]", reordered);
  const char *defines[] = { NULL };
  TsSimOptions options = { .defines = defines };
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, &options);
  TsSimContext context
      = { .snapshot = 7, .pass = "CanonicalizeIOOrder", .since = since_reuse, .since_data = (gpointer) "MemoryReuse" };
  g_autoptr (GString) text = g_string_new (NULL);
  ts_simulation_to_json (s, &context, FALSE, text);
  g_autoptr (JsonParser) parser = parse (text->str);
  JsonObject *root = json_node_get_object (json_parser_get_root (parser)), *event;

  check_members (root,
                 "format version kernel machine snapshot clock_ghz makespan instructions truncated bindings diagnostics bounds "
                 "overlap pipes loops memory critical_path events");
  g_assert_cmpstr (json_object_get_string_member (root, "format"), ==, "tilescope-simulation");
  g_assert_cmpstr (json_object_get_string_member (root, "kernel"), ==, "main");
  g_assert_cmpstr (json_object_get_string_member (root, "machine"), ==, "teaching");
  g_assert_cmpint (json_object_get_int_member (root, "makespan"), ==, 564);
  g_assert_cmpint (json_object_get_int_member (root, "instructions"), ==, 12);
  g_assert_cmpfloat (json_object_get_double_member (json_object_get_object_member (root, "bounds"), "efficiency"), ==, 0.766);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (root, "overlap")), ==, 6);
  check_members (element (root, "pipes", 0), "core pipe lane instructions busy utilization idle");
  check_members (json_object_get_object_member (element (root, "pipes", 0), "idle"),
                 "raw war waw memory fifo barrier scalar queue dispatch done");
  check_members (element (root, "loops", 0), "line iterations interval res_mii rec_mii binding prologue steady epilogue pipes");
  check_members (element (element (root, "loops", 0), "pipes", 0), "pipe interval");
  check_members (element (root, "memory", 0), "space high_water capacity collapsed_stages");
  event = element (root, "events", 6);
  check_members (event, "id core statement line op result pipe lane dispatch start end visible stage group iteration buffers wait");
  check_members (element (event, "buffers", 0), "space base offset size access");
  g_assert_true (json_object_get_null_member (element (event, "buffers", 0), "base"));
  g_assert_true (json_object_get_null_member (event, "stage"));
  event = json_object_get_object_member (event, "wait");
  check_members (event, "cause cycles on buffer since");
  g_assert_cmpstr (json_object_get_string_member (event, "cause"), ==, "dispatch");
  g_assert_cmpint (json_object_get_int_member (event, "cycles"), ==, 12);
  g_assert_cmpint (json_object_get_int_member (event, "on"), ==, 5);
}

static void
test_json_same (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, reordered);
  g_autoptr (GString) first = g_string_new (NULL), second = g_string_new (NULL);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (TsSimulation) s = kernel_simulate (module, "main", "ascend910b", NULL, NULL);
      ts_simulation_to_json (s, NULL, TRUE, i == 0 ? first : second);
    }
  g_assert_cmpstr (first->str, ==, second->str);
}

/* Slices of one thread never overlap; every flow has both ends. */
static void
check_trace (const TsSimulation *s)
{
  g_autoptr (GString) text = g_string_new (NULL);
  ts_simulation_to_trace (s, NULL, text);
  g_autoptr (JsonParser) parser = parse (text->str);
  JsonArray *events = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "traceEvents");
  g_autoptr (GHashTable) until = g_hash_table_new (NULL, NULL);
  gint64 flows = 0, slices = 0;

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *e = json_array_get_object_element (events, i);
      const char *ph = json_object_get_string_member (e, "ph");
      flows += strcmp (ph, "s") == 0 ? 1 : strcmp (ph, "f") == 0 ? -1 : 0;
      g_assert_cmpint (flows, >=, 0);
      if (strcmp (ph, "X") != 0)
        continue;
      gint64 ts = json_object_get_int_member (e, "ts"), dur = json_object_get_int_member (e, "dur");
      gpointer key
          = GINT_TO_POINTER ((gint) (json_object_get_int_member (e, "pid") * 100000 + json_object_get_int_member (e, "tid")));
      g_assert_cmpint (ts, >=, (gint64) (gintptr) g_hash_table_lookup (until, key));
      g_hash_table_insert (until, key, (gpointer) (gintptr) (ts + dur));
      slices++;
    }
  g_assert_cmpint (flows, ==, 0);
  g_assert_cmpint (slices, ==, s->stream->n_instructions);
}

static void
test_trace (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, reordered);
  g_autoptr (TsSimulation) plain = kernel_simulate (module, "main", NULL, NULL, NULL);
  g_autoptr (TsSimulation) flight = kernel_simulate (module, "main", "ascend950", NULL, NULL);
  g_autofree guint8 *rows = ts_schedule_sub_rows (flight->stream, flight->schedule);
  guint most = 0;

  check_trace (plain);
  check_trace (flight);
  for (guint i = 0; i < flight->stream->n_instructions; i++)
    most = MAX (most, rows[i]);
  g_assert_cmpuint (most, >, 0); /* several transfers in flight need rows of their own */
}

/* What was filled in takes one slice on a thread of its own, as long as what it stands for. */
static void
test_trace_filled (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, "for i in pl.range(0, 100000000, 1):\n" LOAD ("0") ADD ("0") STORE ("0"));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  guint found = 0;

  g_assert_true (ts_simulation_to_trace (s, NULL, text));
  g_autoptr (JsonParser) parser = parse (text->str);
  JsonArray *events = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "traceEvents");
  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *e = json_array_get_object_element (events, i);
      if (!json_object_has_member (e, "cat") || strcmp (json_object_get_string_member (e, "cat"), "filled") != 0)
        continue;
      gint64 iterations = json_object_get_int_member (json_object_get_object_member (e, "args"), "iterations");
      g_assert_cmpint (iterations, >, 99000000);
      g_assert_cmpint (json_object_get_int_member (e, "dur"), ==, iterations * 120);
      found++;
    }
  g_assert_cmpuint (found, ==, 1);
}

/* --- against another simulation ------------------------------------------------------------------------------------------ */

static void
check_change (const GPtrArray *changes, const char *figure, gint64 before, gint64 after)
{
  for (guint i = 0; i < changes->len; i++)
    {
      const TsResultChange *change = g_ptr_array_index (changes, i);
      if (strcmp (change->figure, figure) != 0)
        continue;
      g_assert_cmpint (change->before, ==, before);
      g_assert_cmpint (change->after, ==, after);
      return;
    }
  g_assert_cmpstr (figure, ==, "there");
}

static void
test_changes (void)
{
  g_autoptr (TsModule) plain = kernel_body (NULL, "for i in pl.range(0, 4, 1):\n" LOAD ("0") ADD ("0") STORE ("0"));
  g_autoptr (TsModule) straight = kernel_body (
      NULL, "t: pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n");
  g_autoptr (TsModule) clones = kernel_body (NULL, reordered);
  g_autoptr (TsSimulation) a = kernel_simulate (plain, "main", NULL, NULL, NULL);
  g_autoptr (TsSimulation) b = kernel_simulate (clones, "main", NULL, NULL, NULL);
  g_autoptr (TsSimulation) c = kernel_simulate (straight, "main", NULL, NULL, NULL);
  g_autoptr (GPtrArray) none = ts_simulation_changes (a, a), changes = ts_simulation_changes (a, b);
  g_autoptr (GPtrArray) gone = ts_simulation_changes (b, c);
  TsSimContext context = { .before = a };
  g_autoptr (GString) text = g_string_new (NULL);

  g_assert_cmpuint (none->len, ==, 0);
  check_change (changes, "makespan", 588, 564);
  check_change (changes, "efficiency, per mille", 734, 765);
  check_change (changes, "core0 loop i iterations", 4, 2);
  check_change (changes, "core0 loop i resource MII", 108, 216);
  check_change (changes, "core0 Vec high water", 1024, 2048);
  check_change (gone, "core0 loop i interval", 228, -1);
  ts_simulation_to_json (b, &context, FALSE, text);
  g_autoptr (JsonParser) parser = parse (text->str);
  JsonObject *first = element (json_node_get_object (json_parser_get_root (parser)), "changes", 0);
  check_members (first, "figure before after");
  g_assert_cmpstr (json_object_get_string_member (first, "figure"), ==, "makespan");
}

/* --- stages that share bytes -------------------------------------------------------------------------------------------- */

#define STAGED(k, base, stage) \
  "    t" k ": pl.Tile[[1, 128], pl.FP32, pl.MemRef(" base ", pl.const(0, pl.INT64), 512), pl.Mem.Vec] = " \
  "pl.tile.load(x, [i + " k ", 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n" STORE_OF (k)
#define STORE_OF(k) "    s" k ": pl.Tensor[[4096, 128], pl.FP32] = pl.tile.store(t" k ", [i + " k ", 0], z)\n"

typedef struct
{
  gint32 first, second; /* operation ids of the two loads */
} Loads;

static const TsStage *
membership (gint32 op, guint *n, gpointer data)
{
  static const TsStage stages[] = { { 0, 0 }, { 0, 1 } };
  const Loads *loads = data;

  *n = op == loads->first || op == loads->second;
  return op == loads->first ? &stages[0] : op == loads->second ? &stages[1] : NULL;
}

static Loads
find_loads (const TsModule *module)
{
  Loads loads = { -1, -1 };
  g_autofree TsOp **ops = ts_module_ops_by_id (module);

  for (gint32 i = 0; i < module->n_ops; i++)
    if (ts_op_is (ops[i], TS_OP_TILE_LOAD))
      *(loads.first < 0 ? &loads.first : &loads.second) = i;
  return loads;
}

static void
test_collapsed (void)
{
  static const char apart[] = "a: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\nb: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\n"
                              "for i in pl.range(0, 4, 2):\n" STAGED ("0", "a", 0) STAGED ("1", "b", 1);
  static const char merged[] = "a: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\n"
                               "for i in pl.range(0, 4, 2):\n" STAGED ("0", "a", 0) STAGED ("1", "a", 1);

  for (guint m = 0; m < 2; m++)
    {
      g_autoptr (TsModule) module = kernel_body (NULL, m == 0 ? apart : merged);
      Loads loads = find_loads (module);
      TsSimOptions options = { .membership = membership, .membership_data = &loads };
      g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, "queue-depth=8", &options);
      g_autoptr (TsBufferEdges) edges = ts_buffer_edges_new (s->stream, NULL);
      const TsMemoryResult *memory = &s->result->memory[0];

      g_assert_cmpint (memory->high_water, ==, m == 0 ? 1024 : 512);
      g_assert_cmpint (ts_buffer_edges_has (edges, loads.first, loads.second), ==, m == 1);
      g_assert_cmpuint (memory->n_collapsed, ==, m);
      if (m == 0)
        continue;
      g_assert_cmpuint (memory->collapsed[0].n_stages, ==, 2);
      g_assert_cmpint (memory->collapsed[0].bytes, ==, 512);
      g_assert_cmpint (memory->collapsed[0].group, ==, 0);
      g_assert_cmpint (MIN (memory->collapsed[0].op, memory->collapsed[0].other), ==, MIN (loads.first, loads.second));
    }
}

/* Of two pipelines in one another each is asked; a sum that stages hand on is one value. */
static void
test_collapsed_nested (void)
{
#define LOAD_OF(k, stages) \
  "    t" k ": pl.Tile[[1, 128], pl.FP32, pl.MemRef(a, pl.const(0, pl.INT64), 512), pl.Mem.Vec] = " \
  "pl.tile.load(x, [i + " k ", 0], " \
  "[1, 128], [1, 128], target_memory=pl.Mem.Vec, attrs={\"pipeline_membership\": \"" stages "\"})\n" STORE_OF (k)
  static const char nested[] = "a: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\n"
                               "for i in pl.range(0, 4, 2):\n" LOAD_OF ("0", "0:0;1:0") LOAD_OF ("1", "0:0;1:1");
  static const char sum[] = "a: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\n"
                            "for i in pl.range(0, 4, 2):\n" LOAD_OF ("0", "0:0")
                            "    t1: pl.Tile[[1, 128], pl.FP32, pl.MemRef(a, pl.const(0, pl.INT64), 512), pl.Mem.Vec] = "
                            "pl.tile.fillpad_inplace(t0, pad_value=pl.PadValue.zero, "
                            "attrs={\"pipeline_membership\": \"0:1\"})\n"
                            STORE_OF ("1");
  const char *kernels[] = { nested, sum };

  for (guint m = 0; m < 2; m++)
    {
      g_autoptr (TsModule) module = kernel_body (NULL, kernels[m]);
      g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
      g_autoptr (GString) text = g_string_new (NULL);
      guint n = 0;
      const TsStage *stages = ts_stream_stages (s->stream, ts_stream_site (s->stream, 0), &n);

      g_assert_cmpuint (n, ==, m == 0 ? 2 : 1);
      g_assert_cmpint (stages[n - 1].group, ==, m == 0 ? 1 : 0);
      g_assert_cmpuint (s->result->memory[0].n_collapsed, ==, m == 0 ? 1 : 0);
      ts_simulation_to_json (s, NULL, FALSE, text);
      g_assert_true ((strstr (text->str, "\"membership\":") != NULL) == (m == 0));
      if (m == 0)
        g_assert_cmpint (s->result->memory[0].collapsed[0].group, ==, 1);
    }
}

/* Slots chosen at run time stand where their ring stands, all of them. */
static void
test_ring_high_water (void)
{
  g_autoptr (TsModule) module = kernel_body (
    NULL, "a: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\nring: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 1024, pinned=True)\n"
          "for i in pl.range(0, 4, 1):\n"
          "    t0: pl.Tile[[1, 128], pl.FP32, pl.MemRef(a, pl.const(0, pl.INT64), 512), pl.Mem.Vec] = "
          "pl.tile.load(x, [i, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
          "    t1: pl.Tile[[1, 128], pl.FP32, pl.MemRef(ring, pl.const(512, pl.INT64) + i % 2 * 512, 512, slots=2)[i % 2], "
          "pl.Mem.Vec] = pl.tile.exp(t0)\n" STORE_OF ("1"));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);

  g_assert_cmpint (s->result->memory[0].high_water, ==, 1536);
}

/* A value is live from its first write to its last use. */
static void
test_live (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, "for i in pl.range(0, 1, 1):\n" LOAD ("0") ADD ("0") STORE ("0"));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
  const TsMemoryResult *memory = &s->result->memory[0];
  static const TsLivePoint points[] = { { 0, 512 }, { 108, 1024 }, { 120, 512 }, { 228, 0 } };

  g_assert_cmpuint (memory->n_live, ==, G_N_ELEMENTS (points));
  for (guint i = 0; i < memory->n_live; i++)
    {
      g_assert_cmpint (memory->live[i].time, ==, points[i].time);
      g_assert_cmpint (memory->live[i].bytes, ==, points[i].bytes);
    }
  g_assert_cmpint (memory->live_max, ==, 1024);
}

/* A carried accumulator: the chain grows by one addition per iteration. */
static void
test_recurrence (void)
{
  g_autoptr (TsModule) module = kernel_body (
    NULL, "c: pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [64, 128], [64, 128], target_memory=pl.Mem.Vec)\n"
          "for i, (a,) in pl.range(0, 8, 1, init_values=(c,)):\n"
          "    n: pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec] = pl.tile.exp(a)\n"
          "    r: pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec] = pl.yield_(n)\n");
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);

  /* 32 KiB: 128 repeats of 2 cycles. */
  g_assert_cmpint (s->result->loops[0].rec_mii, ==, 266);
  g_assert_cmpint (s->result->loops[0].res_mii, ==, 266);
  g_assert_cmpint (s->result->loops[0].interval, ==, 266);
  g_assert_cmpint (s->result->dependence, ==, 612 + 8 * 266);
}

/* Values that are carried over two or three iterations come round once in as many: the rate is the same however short the loop. */
static void
test_long_recurrence (void)
{
  static const struct
  {
    const char *init, *names, *yield;
    gint64 rate;
    guint least; /* iterations from which on there is a chain at all */
  } cases[] = {
    { "p0: pl.Scalar[pl.INDEX] = 0\n", "(p,)", "r = pl.yield_(a)", 400, 2 },
    { "p0: pl.Scalar[pl.INDEX] = 0\nq0: pl.Scalar[pl.INDEX] = 1\n", "(p, q)", "r, s = pl.yield_(q, a)", 200, 3 },
    { "p0: pl.Scalar[pl.INDEX] = 0\nq0: pl.Scalar[pl.INDEX] = 1\nw0: pl.Scalar[pl.INDEX] = 2\n", "(p, q, w)",
      "r, s, t = pl.yield_(q, w, a)", 134, 4 },
  };
  static const char *const inits[] = { "(p0,)", "(p0, q0)", "(p0, q0, w0)" };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    for (guint trips = cases[c].least; trips < 40; trips++)
      {
        g_autofree char *body = g_strdup_printf ("%sfor i, %s in pl.range(0, %u, 1, init_values=%s):\n"
                                                 "    a: pl.Scalar[pl.INDEX] = p + 2\n" LOAD ("0") "    %s\n",
                                                 cases[c].init, cases[c].names, trips, inits[c], cases[c].yield);
        g_autoptr (TsModule) module = kernel_body (NULL, body);
        g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, "s.op=400", NULL);
        g_test_message ("over %u, %u trips", c + 1, trips);
        g_assert_cmpint (s->result->loops[0].rec_mii, ==, cases[c].rate);
      }
}

/* A chain that needs more iterations than there are to come round is left open, and that is said; one that shows, or a loop that
 * carries nothing, is told. */
static void
test_hidden_recurrence (void)
{
#define T "pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec]"
#define PEELED(n) LOAD_ROW ("c") "for i, (a,) in pl.range(0, " n ", 1, init_values=(c,)):\n" LOAD ("0") "    if i == 0:\n" \
  "        n: " T " = pl.tile.exp(t0)\n        w: " T " = pl.yield_(n)\n    else:\n        m: " T " = pl.tile.add(a, t0)\n" \
  "        w: " T " = pl.yield_(m)\n    r: " T " = pl.yield_(w)\n"
#define TURNED(n) "p0: pl.Scalar[pl.INDEX] = 0\nq0: pl.Scalar[pl.INDEX] = 1\n" \
  "for i, (p, q) in pl.range(0, " n ", 1, init_values=(p0, q0)):\n    a: pl.Scalar[pl.INDEX] = p + 2\n" LOAD ("0") \
  "    r, s = pl.yield_(q, a)\n"
  static const struct
  {
    const char *body;
    gint64 rate;
  } cases[] = {
    { PEELED ("1"), TS_REC_UNKNOWN }, { PEELED ("2"), TS_REC_UNKNOWN }, { PEELED ("3"), 12 }, { PEELED ("30"), 12 },
    { TURNED ("2"), TS_REC_UNKNOWN }, { TURNED ("3"), 1 },
    { "for i in pl.range(0, 2, 1):\n" LOAD ("0") ADD ("0") STORE ("0"), 0 },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_autoptr (TsModule) module = kernel_body (NULL, cases[c].body);
      g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
      g_autoptr (GString) text = g_string_new (NULL);
      ts_simulation_to_json (s, NULL, FALSE, text);
      g_autoptr (JsonParser) parser = parse (text->str);
      JsonObject *loop = element (json_node_get_object (json_parser_get_root (parser)), "loops", 0);

      g_test_message ("case %u", c);
      g_assert_cmpint (s->result->loops[0].rec_mii, ==, cases[c].rate);
      g_assert_cmpuint (kernel_count (s, "recurrence-unknown"), ==, cases[c].rate == TS_REC_UNKNOWN);
      g_assert_true (json_object_get_null_member (loop, "rec_mii") == (cases[c].rate == TS_REC_UNKNOWN));
      g_assert_cmpstr (ts_binding_name ((TsBinding) s->result->loops[0].binding), ==, "resource");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/output/json", test_json);
  g_test_add_func ("/sim/output/json-same", test_json_same);
  g_test_add_func ("/sim/output/trace", test_trace);
  g_test_add_func ("/sim/output/trace-filled", test_trace_filled);
  g_test_add_func ("/sim/output/changes", test_changes);
  g_test_add_func ("/sim/output/collapsed", test_collapsed);
  g_test_add_func ("/sim/output/collapsed-nested", test_collapsed_nested);
  g_test_add_func ("/sim/output/ring-high-water", test_ring_high_water);
  g_test_add_func ("/sim/output/live", test_live);
  g_test_add_func ("/sim/output/recurrence", test_recurrence);
  g_test_add_func ("/sim/output/long-recurrence", test_long_recurrence);
  g_test_add_func ("/sim/output/hidden-recurrence", test_hidden_recurrence);
  return g_test_run ();
}
