/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From functions to instruction streams: control flow, bindings, buffers, windows, what is assumed and what is reported. */
#include "kernel-text.h"

#include <string.h>

/* Names of the instructions with their pipes, "load@MTE2 add@V". */
static char *
ops_of (const TsSimulation *s)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < s->stream->n_instructions; i++)
    {
      const TsSite *site = ts_stream_site (s->stream, i);
      const char *dot = strchr (site->name, '.');
      g_string_append_printf (out, "%s%s@%s", i > 0 ? " " : "", dot != NULL ? dot + 1 : site->name,
                              ts_pipe_name ((TsPipe)site->pipe));
    }
  return g_string_free (out, FALSE);
}

typedef struct
{
  const char *name;
  const char *params, *body;
  const char *defines[3];
  const char *ops;     /* NULL: not looked at */
  gint        count;   /* of instructions; -1: not looked at */
  const char *code;    /* of a diagnostic that must be there once, or NULL */
} Case;

#define TILE "pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec]"
#define LOAD_AT(name, at) name ": " TILE " = pl.tile.load(x, [" at ", 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
#define STORE_AT(tile, at) "pl.tile.store(" tile ", [" at ", 0], z)\n"

static const Case cases[] = {
  { "straight", NULL, LOAD_AT ("t", "0") STORE_AT ("t", "0"), { NULL }, "load@MTE2 store@MTE3", 2, NULL },
  { "default-bound", "n: pl.Scalar[pl.INDEX]", "for i in pl.range(0, n, 1):\n" LOAD ("0"), { NULL }, NULL, 8, "assumed-value" },
  { "bound-by-user", "n: pl.Scalar[pl.INDEX]", "for i in pl.range(0, n, 1):\n" LOAD ("0"), { "n=3", NULL }, NULL, 3, NULL },
  { "bound-by-stem",
    "n__ssa_v0: pl.Scalar[pl.INDEX]",
    "for i in pl.range(0, n__ssa_v0, 1):\n" LOAD ("0"),
    { "n=5", NULL },
    NULL,
    5,
    NULL },
  { "bound-by-number",
    "n_1__ssa_v0: pl.Scalar[pl.INDEX]",
    "for i in pl.range(0, n_1__ssa_v0, 1):\n" LOAD ("0"),
    { "n_1=3", NULL },
    NULL,
    3,
    NULL },
  { "bound-by-whole-name",
    "n__ssa_v0: pl.Scalar[pl.INDEX]",
    "for i in pl.range(0, n__ssa_v0, 1):\n" LOAD ("0"),
    { "n=5", "n__ssa_v0=6", NULL },
    NULL,
    6,
    NULL },
  { "not-bound-by-stem",
    "n_1__ssa_v0: pl.Scalar[pl.INDEX]",
    "for i in pl.range(0, n_1__ssa_v0, 1):\n" LOAD ("0"),
    { "n=3", NULL },
    NULL,
    8,
    "assumed-value" },
  { "default-start",
    "lo: pl.Scalar[pl.INDEX], hi: pl.Scalar[pl.INDEX]",
    "for i in pl.range(lo, hi, 3):\n" LOAD ("0"),
    { NULL },
    NULL,
    3,
    NULL },
  { "no-iterations", NULL, "for i in pl.range(4, 4, 1):\n" LOAD ("0"), { NULL }, "", 0, NULL },
  { "downwards", NULL, "for i in pl.range(9, 0, -3):\n" LOAD ("0"), { NULL }, NULL, 3, NULL },
  { "nested", NULL, "for i in pl.range(0, 3, 1):\n    for j in pl.range(0, 2, 1):\n    " LOAD ("0"), { NULL }, NULL, 6, NULL },
  { "zero-step", "st: pl.Scalar[pl.INDEX]", "for i in pl.range(0, 4, st):\n" LOAD ("0"), { "st=0", NULL }, "", 0, "zero-step" },
  { "branch-then",
    NULL,
    "for i in pl.range(0, 2, 1):\n    if i == 0:\n    " LOAD ("0") "    else:\n    " LOAD ("1") "    " ADD ("1"),
    { NULL },
    "load@MTE2 load@MTE2 add@V",
    3,
    NULL },
  { "branch-unknown",
    NULL,
    LOAD_AT ("t", "0") "v: pl.Scalar[pl.INT32] = pl.tile.read(t, [0, 0])\nfor i in pl.range(0, 2, 1):\n    if v > 0:\n    " LOAD (
        "0") "    else:\n    " ADD ("0"),
    { NULL },
    "load@MTE2 read@S load@MTE2 load@MTE2",
    4,
    "unknown-branch" },
  { "unknown-bound",
    NULL,
    LOAD_AT ("t", "0") "v: pl.Scalar[pl.INDEX] = pl.tile.read(t, [0, 0])\nfor i in pl.range(0, v, 1):\n" LOAD ("0"),
    { NULL },
    NULL,
    10,
    "unknown-bound" },
  { "while",
    NULL,
    "n: pl.Scalar[pl.INDEX] = 0\nfor (i,) in pl.while_(init_values=(n,)):\n    pl.cond(i < 6)\n" LOAD (
        "0") "    m: pl.Scalar[pl.INDEX] = i + 2\n    r: pl.Scalar[pl.INDEX] = pl.yield_(m)\n",
    { NULL },
    "assign@S load@MTE2 assign@S load@MTE2 assign@S load@MTE2 assign@S",
    7,
    NULL },
  { "while-unknown",
    NULL,
    LOAD_AT ("t", "0") "v: pl.Scalar[pl.INT32] = pl.tile.read(t, [0, 0])\nfor (i,) in pl.while_(init_values=(v,)):\n"
                       "    pl.cond(i < 6)\n" LOAD ("0") "    r: pl.Scalar[pl.INT32] = pl.yield_(i)\n",
    { NULL },
    NULL,
    10,
    "unknown-bound" },
  { "scalar",
    NULL,
    "for i in pl.range(0, 2, 1):\n    row: pl.Scalar[pl.INDEX] = i * 4\n    " LOAD_AT ("t", "row"),
    { NULL },
    "assign@S load@MTE2 assign@S load@MTE2",
    4,
    NULL },
  { "unknown-operation",
    NULL,
    LOAD_AT ("t", "0") "for i in pl.range(0, 3, 1):\n    u: " TILE " = pl.tile.something_new(t)\n",
    { NULL },
    "load@MTE2 something_new@V something_new@V something_new@V",
    4,
    NULL }, /* who reads it says so, once */
  { "create-and-view",
    NULL,
    "t: " TILE " = pl.tile.create([1, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)\n"
    "v: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [1, 64], [0, 64])\n"
    "w: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.exp(v)\n",
    { NULL },
    "exp@V",
    1,
    NULL },
  { "break", NULL, "for i in pl.range(0, 9, 1):\n    if i == 2:\n        break\n" LOAD ("0"), { NULL }, NULL, 2, NULL },
  { "continue", NULL, "for i in pl.range(0, 9, 1):\n    if i == 2:\n        continue\n" LOAD ("0"), { NULL }, NULL, 8, NULL },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TsModule) module = kernel_body (c->params, c->body);
  TsSimOptions options = { .defines = c->defines };
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, &options);
  g_autofree char *ops = ops_of (s);

  if (c->ops != NULL)
    g_assert_cmpstr (ops, ==, c->ops);
  if (c->count >= 0)
    g_assert_cmpint (s->stream->n_instructions, ==, c->count);
  if (c->code != NULL)
    g_assert_cmpuint (kernel_count (s, c->code), ==, 1);
  else
    g_assert_cmpuint (ts_diag_list_count (s->diags, TS_SEVERITY_WARNING), ==, 0);
}

/* --- buffers ------------------------------------------------------------------------------------------------------------ */

static gint64
makespan_of (const char *body, const char *overrides)
{
  g_autoptr (TsModule) module = kernel_body (NULL, body);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, overrides, NULL);

  return s->result->makespan;
}

#define REF_TILE(ref) "pl.Tile[[1, 128], pl.FP32, " ref ", pl.Mem.Vec]"

/* One body whose load goes round two slots overlaps as two clones do; on one allocation it does not. */
static void
test_slots (void)
{
  static const char one[] = "m: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\nfor i in pl.range(0, 4, 1):\n"
                            "    t0: " REF_TILE ("pl.MemRef(m, pl.const(0, pl.INT64), 512)")
                            " = pl.tile.load(x, [i, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n" ADD ("0") STORE ("0");
  static const char two[]
      = "m: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 1024)\no: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 1024)\n"
        "for i in pl.range(0, 4, 1):\n"
        "    t0: " REF_TILE ("pl.MemRef(m, i % 2 * 512, 512, slots=2)[i % 2]") " = pl.tile.load(x, [i, 0], [1, 128], [1, 128], "
                                                                               "target_memory=pl.Mem.Vec)\n"
                                                                               "    u0: " REF_TILE (
                                                                                   "pl.MemRef(o, i % 2 * 512, 512, slots=2)[i % "
                                                                                   "2]") " = pl.tile.add(t0, t0)\n" STORE ("0");
  static const char declared[] = "for i in pl.range(0, 4, 1):\n    t0: " REF_TILE ("pl.MemRef(\"ring\", slots=2)[i % 2]")
                                 " = pl.tile.load(x, [i, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
                                 "    u0: " REF_TILE ("pl.MemRef(\"out\", slots=2)[i % 2]") " = pl.tile.add(t0, t0)\n" STORE ("0");

  g_assert_cmpint (makespan_of (one, "queue-depth=8"), ==, 588);
  g_assert_cmpint (makespan_of (two, "queue-depth=8"), ==, 552);
  g_assert_cmpint (makespan_of (declared, "queue-depth=8"), ==, 552);
}

/* Two allocations that the planner put on the same address are one buffer: the second load waits for the reader of the first. */
static void
test_shared_addresses (void)
{
#define AT(base, offset) REF_TILE ("pl.MemRef(" base ", pl.const(" offset ", pl.INT64), 512)")
#define TWO_LOADS(second) \
  "a: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\nb: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\n" \
  "t: " AT ("a", "512") " = pl.tile.load(x, [0, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n" \
  "pl.tile.store(t, [0, 0], z)\n" \
  "u: " AT ("b", second) " = pl.tile.load(x, [1, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"
  g_assert_cmpint (makespan_of (TWO_LOADS ("0"), NULL), ==, 216);
  g_assert_cmpint (makespan_of (TWO_LOADS ("512"), NULL), ==, 324);
}

static TsCause
last_cause (const char *body, const char *overrides)
{
  g_autoptr (TsModule) module = kernel_body (NULL, body);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, overrides, NULL);

  return (TsCause) s->schedule->cause[s->stream->n_instructions - 1];
}

/* A view, an in-place result and a plain copy stand for the bytes of their source. */
static void
test_sharing (void)
{
#define LOADED LOAD_AT ("t", "0")
  g_assert_cmpint (last_cause (LOADED "v: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [1, 64], [0, 0])\n"
                                      "w: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.exp(v)\n",
                               NULL),
                   ==, TS_CAUSE_RAW);
  g_assert_cmpint (last_cause (LOADED "c: " TILE " = t\nw: " TILE " = pl.tile.exp(c)\n", NULL), ==, TS_CAUSE_RAW);
  g_assert_cmpint (last_cause (LOADED "f: " TILE " = pl.tile.fillpad_inplace(t, pad_value=pl.PadValue.zero)\n"
                                      "w: " TILE " = pl.tile.exp(t)\n",
                               NULL),
                   ==, TS_CAUSE_RAW);
}

/* --- global memory ------------------------------------------------------------------------------------------------------ */

static const char store_then_load_same[] = LOAD_AT ("t", "0") "pl.tile.store(t, [0, 0], z)\n"
                                                              "u: " TILE " = pl.tile.load(z, [0, 0], [1, 128], [1, 128], "
                                                              "target_memory=pl.Mem.Vec)\n";
static const char store_then_load_other[] = LOAD_AT ("t", "0") "pl.tile.store(t, [0, 0], z)\n"
                                                               "u: " TILE " = pl.tile.load(z, [1, 0], [1, 128], [1, 128], "
                                                               "target_memory=pl.Mem.Vec)\n";

static void
test_windows (void)
{
  g_assert_cmpint (makespan_of (store_then_load_same, NULL), ==, 324);
  g_assert_cmpint (last_cause (store_then_load_same, NULL), ==, TS_CAUSE_MEMORY);
  g_assert_cmpint (makespan_of (store_then_load_other, NULL), ==, 216);
  g_assert_cmpint (makespan_of (store_then_load_other, "gm-alias=tensor"), ==, 324);
  g_assert_cmpint (makespan_of (store_then_load_same, "gm-alias=none"), ==, 216);
}

/* --- scalars ------------------------------------------------------------------------------------------------------------ */

static void
test_scalar_operand (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, "row: pl.Scalar[pl.INDEX] = 3\n" LOAD_AT ("t", "row * 2"));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);

  g_assert_cmpint (s->schedule->start[1], ==, 1);
  g_assert_cmpint (s->schedule->cause[1], ==, TS_CAUSE_SCALAR);
  g_assert_cmpint (s->schedule->on[1], ==, 0);
  g_assert_cmpint (s->stream->offsets[s->stream->windows[0].offsets], ==, 6);
}

/* --- calls and groups --------------------------------------------------------------------------------------------------- */

#define HEAD "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n"
#define IN_CORE "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"

static void
test_call (void)
{
  static const char text[] = HEAD IN_CORE "    def helper(t: " TILE ", z: pl.Out[pl.Tensor[[4096, 128], pl.FP32]]) -> " TILE ":\n"
                             "        u: " TILE " = pl.tile.exp(t)\n        pl.tile.store(u, [0, 0], z)\n        return u\n" IN_CORE
                             "    def main(self, x: pl.Tensor[[4096, 128], pl.FP32], z: pl.Out[pl.Tensor[[4096, 128], pl.FP32]]):\n"
                             "        " LOAD_AT ("t", "0") "        a: " TILE " = self.helper(t, z)\n"
                             "        b: " TILE " = self.helper(a, z)\n";
  g_autoptr (TsModule) module = kernel_module (text);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
  g_autofree char *ops = ops_of (s);

  g_assert_cmpstr (ops, ==, "load@MTE2 exp@V store@MTE3 exp@V store@MTE3");
  g_assert_cmpint (s->schedule->start[1], ==, 108); /* the callee reads what the caller loaded */
  g_assert_cmpuint (s->stream->n_sites, ==, 5);     /* a site per call */
}

#define AIC "    @pl.function(type=pl.FunctionType.AIC, level=pl.Level.AIC, role=pl.Role.SubWorker)\n"
#define AIV "    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)\n"
#define ACC "pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc]"
#define VEC "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]"
#define OPEN(side)                                                                                                               \
  "        pl.system." side                                                                                                      \
  "_initialize_pipe(pl.const(0, pl.INT32), pl.const(0, pl.INT32), dir_mask=1, slot_size=1024, slot_num=2)\n"
#define GROUP(pushes, pops, frees) \
  HEAD AIC "    def cube(z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n" OPEN ("aic") \
  "        s: " ACC " = pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Acc)\n" \
  "        for i in pl.range(0, " pushes ", 1):\n            pl.tile.tpush_to_aiv(s, split=0)\n" AIV \
  "    def vector(z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n" OPEN ("aiv") \
  "        for i in pl.range(0, " pops ", 1):\n            v: " VEC " = pl.tile.tpop_from_aic(split=0)\n" \
  "            e: " VEC " = pl.tile.exp(v)\n" frees "            pl.tile.store(e, [i * 16, 0], z)\n" \
  "    @pl.function(type=pl.FunctionType.Group, level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker)\n" \
  "    def main(self, z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n        self.cube(z)\n        self.vector(z)\n"
#define FREE "            pl.system.tfree_to_aic(v, split=0)\n"

static void
test_group (void)
{
  g_autoptr (TsModule) module = kernel_module (GROUP ("4", "4", FREE));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);

  g_assert_cmpuint (s->stream->n_cores, ==, 3);
  g_assert_cmpint (s->schedule->status, ==, TS_SCHEDULE_DONE);
  g_assert_cmpuint (s->stream->n_channels, ==, 1);
  g_assert_cmpint (s->stream->channels[0].slots, ==, 2);
  g_assert_true (s->stream->channels[0].releases);
  /* The third push waits until both vector cores have let go of the first slot: their exp has read it. */
  guint third = s->stream->cores[0].first + 2, exp = s->stream->cores[1].first + 1;
  g_assert_cmpint (s->schedule->start[third], ==, s->schedule->end[exp]);
  g_assert_cmpint (s->schedule->cause[third], ==, TS_CAUSE_FIFO);
  g_assert_cmpuint (kernel_count (s, "fifo-mismatch"), ==, 0);
}

/* A group that is cut ends where all of its cores got to: nobody waits for what lies beyond, nobody is left out. */
static void
test_group_cut (void)
{
  static const char *const bodies[] = { GROUP ("9000", "9000", FREE), GROUP ("9000", "9000", ""), GROUP ("8999", "9000", FREE) };

  for (guint k = 0; k < G_N_ELEMENTS (bodies); k++)
    for (gint64 bound = 1; bound < 4000; bound = bound * 2 + 1)
      {
        g_autoptr (TsModule) module = kernel_module (bodies[k]);
        TsSimOptions options = { .max_instructions = bound, .fill = TS_SIM_FILL_NEVER };
        g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, &options);

        g_assert_cmpint (s->schedule->status, ==, TS_SCHEDULE_DONE);
        g_assert_true (s->stream->truncated);
        g_assert_cmpuint (kernel_count (s, "stream-cut"), ==, 1);
        g_assert_nonnull (strstr (kernel_message (s, "stream-cut"), "cube0 stops after"));
        g_assert_nonnull (strstr (kernel_message (s, "stream-cut"), "vector1 stops after"));
        g_assert_cmpint (s->stream->n_instructions, <=, MAX (bound, 3));
        for (guint i = 0; i < s->stream->n_instructions; i++)
          g_assert_cmpint (s->schedule->start[i], >=, 0);
        for (guint c = 0; c < 3 && bound > 100; c++) /* the cube core has one instruction for three of the others */
          g_assert_cmpint (s->stream->cores[c].n, >, c == 0 ? bound / 12 : bound / 4);
      }
}

/* What a core does not need is for the others. */
static void
test_group_shares (void)
{
  g_autoptr (TsModule) module = kernel_module (GROUP ("300", "300", FREE));
  TsSimOptions options = { .max_instructions = 2100, .fill = TS_SIM_FILL_NEVER };
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, &options);

  g_assert_false (s->stream->truncated);
  g_assert_cmpuint (s->stream->n_instructions, ==, 2100);
}

/* A core whose peer never answers. */
static void
test_group_alone (void)
{
  g_autoptr (TsModule) module = kernel_module (GROUP ("0", "2", FREE));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);

  g_assert_cmpint (s->schedule->status, ==, TS_SCHEDULE_DEADLOCK);
  g_assert_nonnull (strstr (kernel_message (s, "fifo-mismatch"), "cube0 never pushes, vector0 pops 2 times"));
}

/* Both arms of a branch on the sub-block are taken, each by its core. */
static void
test_group_arms (void)
{
  static const char text[] = HEAD AIV
      "    def vector(z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n"
      "        k: pl.Scalar[pl.INDEX] = pl.tile.get_subblock_idx()\n"
      "        v: " VEC " = pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Vec)\n"
      "        if k == 0:\n            e: " VEC " = pl.tile.exp(v)\n"
      "        else:\n            f: " VEC " = pl.tile.add(v, v)\n"
      "    @pl.function(type=pl.FunctionType.Group, level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker)\n"
      "    def main(self, z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n        self.vector(z)\n";
  g_autoptr (TsModule) module = kernel_module (text);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
  g_autofree char *ops = ops_of (s);

  g_assert_cmpstr (ops, ==, "exp@V add@V");
  g_assert_cmpuint (ts_stream_site (s->stream, 0)->core, ==, 1);
  g_assert_cmpuint (ts_stream_site (s->stream, 1)->core, ==, 2);
}

/* Without tfree a slot is free when it has been popped. */
static void
test_group_pop_frees (void)
{
  g_autoptr (TsModule) module = kernel_module (GROUP ("4", "4", ""));
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
  guint third = s->stream->cores[0].first + 2, pop = s->stream->cores[1].first;

  g_assert_cmpint (s->schedule->start[third], ==, s->schedule->end[pop]);
}

/* Two sides that do not lay out their FIFO alike. */
static void
test_group_layout (void)
{
  g_autoptr (GString) text = g_string_new (GROUP ("4", "4", FREE)), same = g_string_new (text->str);

  g_assert_cmpuint (g_string_replace (text, "slot_num=2", "slot_num=3", 1), ==, 1);
  g_autoptr (TsModule) module = kernel_module (text->str), alike = kernel_module (same->str);
  g_autoptr (TsSimulation) a = kernel_simulate (module, "main", NULL, NULL, NULL);
  g_autoptr (TsSimulation) b = kernel_simulate (alike, "main", NULL, NULL, NULL);
  g_assert_cmpuint (kernel_count (a, "fifo-layout"), ==, 1);
  g_assert_nonnull (strstr (kernel_message (a, "fifo-layout"), "slot_num of "));
  g_assert_cmpuint (kernel_count (b, "fifo-layout"), ==, 0);
}

static void
test_deadlock (void)
{
  g_autoptr (TsModule) starved = kernel_module (GROUP ("2", "3", FREE)), full = kernel_module (GROUP ("4", "1", FREE));
  g_autoptr (TsModule) uneven = kernel_module (GROUP ("3", "2", FREE));
  g_autoptr (TsSimulation) a = kernel_simulate (starved, "main", NULL, NULL, NULL);
  g_autoptr (TsSimulation) b = kernel_simulate (full, "main", NULL, NULL, NULL);
  g_autoptr (TsSimulation) c = kernel_simulate (uneven, "main", NULL, NULL, NULL);

  g_assert_cmpint (a->schedule->status, ==, TS_SCHEDULE_DEADLOCK);
  g_assert_cmpuint (a->schedule->n_blocked, ==, 2);
  g_assert_cmpuint (kernel_count (a, "deadlock"), ==, 1);
  const char *message = kernel_message (a, "deadlock");
  g_assert_nonnull (strstr (message, "vector0 waits at tile.tpop_from_aic"));
  g_assert_nonnull (strstr (message, "cube0 has ended with tile.tpush_to_aiv"));
  g_assert_cmpint (b->schedule->status, ==, TS_SCHEDULE_DEADLOCK);
  g_assert_true (b->schedule->blocked[0].is_push);
  g_assert_cmpint (b->schedule->blocked[0].count, ==, 3);
  /* Nobody starves, but the counts differ all the same: an error that names both statements. */
  g_assert_cmpint (c->schedule->status, ==, TS_SCHEDULE_DONE);
  g_assert_cmpuint (kernel_count (c, "fifo-mismatch"), ==, 2);
  g_assert_nonnull (strstr (kernel_message (c, "fifo-mismatch"), "cube0 pushes 3 times (tile.tpush_to_aiv, line "));
  g_assert_nonnull (strstr (kernel_message (c, "fifo-mismatch"), "vector0 pops 2 times (tile.tpop_from_aic, line "));
  g_assert_cmpstr (ts_simulation_fault (c), ==, kernel_message (c, "fifo-mismatch"));
}

/* --- flags and barriers --- */

#define SYNC(kind, set, wait) \
  "pl.system." kind "(set_pipe=pl.PipeType." set ", wait_pipe=pl.PipeType." wait ", event_id=0)\n"

static void
test_flags (void)
{
  /* The store does not depend on the second load, but the flag makes it wait for it. */
  static const char flagged[] = LOAD_AT ("t", "0") LOAD_AT ("u", "1") SYNC ("sync_src", "MTE2", "MTE3")
      SYNC ("sync_dst", "MTE2", "MTE3") "pl.tile.store(t, [0, 0], z)\n";
  static const char barrier[] = LOAD_AT ("t", "0") "pl.system.bar_all()\nv: " TILE " = pl.tile.expands(t, 1.0)\n";
  g_autoptr (TsModule) module = kernel_body (NULL, flagged), all = kernel_body (NULL, barrier);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, "queue-depth=8", NULL);
  g_autoptr (TsSimulation) b = kernel_simulate (all, "main", NULL, NULL, NULL);

  g_assert_cmpuint (s->stream->n_channels, ==, 1);
  g_assert_cmpint (ts_stream_site (s->stream, 2)->pipe, ==, TS_PIPE_MTE2);
  g_assert_cmpint (ts_stream_site (s->stream, 3)->pipe, ==, TS_PIPE_MTE3);
  g_assert_cmpint (s->schedule->start[3], >=, s->schedule->end[2]);
  g_assert_cmpint (s->schedule->start[4], >=, 216);
  g_assert_cmpint (b->schedule->start[1], ==, 108);
  g_assert_cmpint (b->schedule->cause[1], ==, TS_CAUSE_BARRIER);
}

/* A flag has to be set as often as it is waited for; whoever waits in vain is told who sets it. */
static void
test_flag_mismatch (void)
{
#define SET SYNC ("sync_src", "MTE2", "MTE3")
#define WAIT SYNC ("sync_dst", "MTE2", "MTE3")
  static const struct
  {
    const char *body, *deadlock, *mismatch; /* "": there is none */
  } rows[] = {
    { LOAD_AT ("t", "0") SET WAIT, "", "" },
    { LOAD_AT ("t", "0") SET, "", "core0 sets it 1 time (system.sync_src, line 9), core0 never waits for it" },
    { LOAD_AT ("t", "0") SET SET WAIT, "", "core0 sets it 2 times (system.sync_src, line 10), core0 waits for it 1 time" },
    { LOAD_AT ("t", "0") WAIT, "for signal number 1 of flag 0 MTE2 to MTE3, which nothing sets", "core0 never sets it" },
    { LOAD_AT ("t", "0") SET WAIT WAIT, "signal number 2 of flag 0 MTE2 to MTE3, which system.sync_src (line 9) sets",
      "core0 waits for it 2 times (system.sync_dst, line 11)" },
  };
#undef SET
#undef WAIT

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsModule) module = kernel_body (NULL, rows[i].body);
      g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
      g_test_message ("%s | %s", kernel_message (s, "deadlock"), kernel_message (s, "flag-mismatch"));
      g_assert_cmpuint (kernel_count (s, "deadlock"), ==, *rows[i].deadlock != '\0');
      g_assert_cmpuint (kernel_count (s, "flag-mismatch"), ==, *rows[i].mismatch != '\0');
      g_assert_nonnull (strstr (kernel_message (s, "deadlock"), rows[i].deadlock));
      g_assert_nonnull (strstr (kernel_message (s, "flag-mismatch"), rows[i].mismatch));
    }
}

/* A flag costs one cycle on either side and the way between the pipes; a barrier waits until its pipes are empty, results and all,
 * and then pays its own cost. Source: machines.md b.6. */
static void
test_sync_costs (void)
{
#define VECTOR(v, op) v ": " TILE " = pl.tile." op "\n"
#define BARRED(next) LOAD_AT ("t", "0") VECTOR ("a", "add(t, t)") "pl.system.bar_v()\n" VECTOR ("b", next)
#define LOADS LOAD_AT ("t", "0") LOAD_AT ("u", "1")
#define FLAGGED LOADS SYNC ("sync_src", "MTE2", "MTE3") SYNC ("sync_dst", "MTE2", "MTE3") "pl.tile.store(t, [0, 0], z)\n"
  static const struct
  {
    const char *body, *machine, *overrides;
    guint at;     /* instruction that synchronises */
    gint64 start, occupancy;
    gint64 next;  /* start of the one behind it */
  } rows[] = {
    { FLAGGED, "teaching", "", 2, 216, 1, 217 },
    { FLAGGED, "teaching", "", 3, 217, 1, 218 },
    { FLAGGED, "teaching", "flag-cost=5", 3, 222, 1, 223 },
    { FLAGGED, "teaching", "flag-cost=5 sync.mte2-mte3=7 s.sync=3", 3, 226, 3, 229 },
    { LOADS SYNC ("sync_src", "MTE2", "V") SYNC ("sync_dst", "MTE2", "V") VECTOR ("v", "add(t, t)"), "teaching", "flag-cost=5", 3,
      222, 1, 223 },
    { BARRED ("mul(t, t)"), "teaching", "", 2, 120, 1, 121 },
    { BARRED ("mul(t, t)"), "teaching", "barrier-cost=18", 2, 138, 1, 139 },
    { BARRED ("mul(a, a)"), "teaching",
      "barrier-cost=9 v.barrier-cost=18", 2, 138, 1, 139 },
    /* The head of an add is no longer on the pipe when its result is not there yet. */
    { BARRED ("mul(t, t)"), "teaching",
      "v.head-occupies=no v.minimum=3", 2, 120, 1, 121 },
    { LOAD_AT ("t", "0") "pl.system.bar_all()\n" VECTOR ("b", "expands(t, 1.0)"), "teaching", "barrier-cost=18", 1, 126, 1, 127 },
    { LOAD_AT ("t", "0") "pl.system.bar_m()\npl.system.bar_m()\n", "teaching", "barrier-cost=18", 2, 19, 1, 0 },
  };
#undef VECTOR
#undef BARRED
#undef FLAGGED
#undef LOADS

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsModule) module = kernel_body (NULL, rows[i].body);
      g_autoptr (TsSimulation) s = kernel_simulate (module, "main", rows[i].machine, rows[i].overrides, NULL);
      const TsSchedule *t = s->schedule;
      guint at = rows[i].at;
      g_test_message ("row %u", i);
      g_assert_cmpint (t->start[at], ==, rows[i].start);
      g_assert_cmpint (t->end[at] - t->start[at], ==, rows[i].occupancy);
      if (at + 1 < s->stream->n_instructions)
        g_assert_cmpint (t->start[at + 1], ==, rows[i].next);
    }
}

/* --- bounds ------------------------------------------------------------------------------------------------------------- */

static void
test_cut (void)
{
  g_autoptr (TsModule) module
      = kernel_body (NULL, "for i in pl.range(0, 500, 1):\n    for j in pl.range(0, 10, 1):\n    " LOAD ("0"));
  TsSimOptions options = { .max_instructions = 1000, .fill = TS_SIM_FILL_NEVER };
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, &options);

  g_assert_true (s->stream->truncated);
  g_assert_cmpuint (s->stream->n_instructions, <=, 1000);
  g_assert_cmpuint (s->stream->n_instructions, >, 900);
  g_assert_cmpuint (kernel_count (s, "stream-cut"), ==, 1);
}

/* Why a core stops is said as it is: no work without instructions where the bound left no room for any. */
static void
test_cut_words (void)
{
  g_autoptr (TsModule) module = kernel_module (GROUP ("4", "4", FREE));
  g_autoptr (TsModule) empty = kernel_body (NULL, "for i in pl.range(0, 1000000, 1):\n    while i < 5:\n        pass\n" LOAD ("0"));
  TsSimOptions options = { .max_instructions = 1 };
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, &options);
  const char *words = kernel_message (s, "stream-cut");

  g_assert_nonnull (strstr (words, "cube0 stops after 1 instruction, in iteration 2 of 4"));
  g_assert_nonnull (strstr (words, "vector0 stops after 0 instructions, in iteration"));
  g_autoptr (TsSimulation) e = kernel_simulate (empty, "main", NULL, NULL, &options);
  g_assert_nonnull (strstr (kernel_message (e, "stream-cut"), "statements without one"));
}

/* Loops that issue nothing end too, however large their bounds. */
static void
test_empty_loops (void)
{
  g_autoptr (TsModule) flat = kernel_body (NULL, LOAD_AT ("t", "0") "for i in pl.range(0, 1000000000000, 1):\n    pass\n");
  g_autoptr (TsModule) deep = kernel_body (NULL, LOAD_AT ("t", "0") "for i in pl.range(0, 1000000000000, 1):\n"
                                                                    "    for j in pl.range(0, 1000000000000, 1):\n        pass\n");
  TsSimOptions options = { .max_instructions = 100000 };
  g_autoptr (TsSimulation) a = kernel_simulate (flat, "main", NULL, NULL, &options);
  g_autoptr (TsSimulation) b = kernel_simulate (deep, "main", NULL, NULL, &options);

  g_assert_cmpint (a->result->makespan, ==, 108);
  g_assert_cmpint (b->result->makespan, ==, 108);
}

static gpointer
cancel_soon (gpointer data)
{
  g_usleep (30000);
  g_cancellable_cancel (data);
  return GSIZE_TO_POINTER ((gsize) g_get_monotonic_time ());
}

/* A long simulation ends soon after it is told to, wherever it is. */
static void
test_cancel (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, "for k in pl.range(0, 1000, 1):\n    for i in pl.range(0, 1000, 1):\n    " LOAD (
                                                     "0") "    " ADD ("0") "    " STORE ("0"));
  g_autoptr (TsMachine) machine = ts_machine_load ("teaching", NULL, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);

  g_assert_null (ts_simulate (module, module->functions[0], machine, NULL, cancellable, &error));
  gint64 end = g_get_monotonic_time (), told = (gint64) GPOINTER_TO_SIZE (g_thread_join (thread));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  /* The promise is 100 ms for an optimised build on a machine that has time; this leaves room for sanitizers and company. */
  g_assert_cmpint (end - told, <, G_USEC_PER_SEC);
}

static void
test_capacity (void)
{
  g_autoptr (TsModule) module
      = kernel_body (NULL, "t: pl.Tile[[256, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [256, 128], "
                           "[256, 128], target_memory=pl.Mem.Vec)\n");
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);

  g_assert_cmpuint (kernel_count (s, "capacity"), ==, 1);
  g_assert_cmpint (s->result->memory[0].high_water, ==, 131072);
}

static void
test_refusals (void)
{
  g_autoptr (TsModule) module = kernel_body ("n: pl.Scalar[pl.INDEX]", "for i in pl.range(0, n, 1):\n" LOAD ("0"));
  g_autoptr (TsModule) host = kernel_module (HEAD "    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, "
                                                  "role=pl.Role.Orchestrator)\n    def main(self, x: pl.Tensor[[8, 8], pl.FP32]):\n"
                                                  "        pass\n");
  g_autoptr (TsMachine) machine = ts_machine_load ("teaching", NULL, NULL);
  const char *bad[] = { "n=many", NULL }, *why = NULL;
  TsSimOptions options = { .defines = bad };
  g_autoptr (GError) error = NULL, cancelled = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_assert_null (ts_simulate (module, module->functions[0], machine, &options, NULL, &error));
  g_assert_error (error, TS_SIM_ERROR, TS_SIM_ERROR_DEFINE);
  g_assert_false (ts_simulate_can (host, host->functions[0], &why));
  g_assert_nonnull (why);
  g_cancellable_cancel (cancellable);
  g_assert_null (ts_simulate (module, module->functions[0], machine, NULL, cancellable, &cancelled));
  g_assert_error (cancelled, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* A scalar assignment is an instruction on S: a function of nothing else takes its cycles. */
static void
test_only_scalars (void)
{
  g_autoptr (TsModule) module = kernel_body ("n: pl.Scalar[pl.INDEX]", "a: pl.Scalar[pl.INDEX] = n * 2\n"
                                             "b: pl.Scalar[pl.INDEX] = a + 1\n");
  g_autoptr (TsModule) nothing = kernel_body (NULL, "for i in pl.range(0, 4, 1):\n    pass\n");
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
  const char *why = NULL;

  g_assert_cmpint (s->result->makespan, ==, 2);
  g_assert_cmpuint (s->result->n_pipes, ==, 1);
  g_assert_cmpuint (s->result->pipes[0].pipe, ==, TS_PIPE_S);
  g_assert_false (ts_simulate_can (nothing, nothing->functions[0], &why));
  g_assert_nonnull (strstr (why, "no statement that takes time"));
}

/* A loop that no time suffices for is cut, and says nothing else: not that it was filled in, nor that the machine is at fault. */
static void
test_time_ends (void)
{
  static const char *const defines[] = { "n=9223372036854775807", NULL };
  g_autoptr (TsModule) module = kernel_body ("n: pl.Scalar[pl.INDEX]", "for i in pl.range(0, n, 1):\n" LOAD ("0") ADD ("0"));
  TsSimOptions options = { .defines = defines };
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, &options);

  g_assert_cmpint (s->schedule->status, ==, TS_SCHEDULE_OVERFLOW);
  g_assert_true (s->stream->truncated);
  g_assert_cmpuint (kernel_count (s, "filled-in"), ==, 0);
  g_assert_nonnull (strstr (kernel_message (s, "time-overflow"), "the iterations of this loop take longer than"));
}

/* Open names are shown as the user wrote them; two that would look alike keep what passes made of them. */
static void
test_shown_names (void)
{
  const struct { const char *params, *body, *shown; } rows[] = {
    { "n__ssa_v0: pl.Scalar[pl.INDEX]", "for i in pl.range(0, n__ssa_v0, 1):\n" LOAD ("0"), "n" },
    { "n_1__ssa_v0: pl.Scalar[pl.INDEX]", "for i in pl.range(0, n_1__ssa_v0, 1):\n" LOAD ("0"), "n_1" },
    { "n__ssa_v0: pl.Scalar[pl.INDEX], n__ssa_v1: pl.Scalar[pl.INDEX]", "for i in pl.range(0, n__ssa_v0, 1):\n" LOAD ("0"),
      "n__ssa_v0" },
    { "n__ssa_v0: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INDEX]", "for i in pl.range(0, n__ssa_v0, 1):\n" LOAD ("0"), "n__ssa_v0" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsModule) module = kernel_body (rows[i].params, rows[i].body);
      g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
      g_autofree char *note = g_strdup_printf ("%s is not bound: taken as 8", rows[i].shown);
      g_autoptr (GString) json = g_string_new (NULL);
      g_autofree char *entry = g_strdup_printf ("\"bindings\": {\"%s\": 8}", rows[i].shown);

      g_assert_cmpuint (s->n_bindings, ==, 1);
      g_assert_cmpstr (s->bindings[0].shown, ==, rows[i].shown);
      g_assert_cmpstr (kernel_message (s, "assumed-value"), ==, note);
      ts_simulation_to_json (s, NULL, FALSE, json);
      g_assert_nonnull (strstr (json->str, entry));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/execute/case/", cases[i].name, NULL);
      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/sim/execute/slots", test_slots);
  g_test_add_func ("/sim/execute/shared-addresses", test_shared_addresses);
  g_test_add_func ("/sim/execute/sharing", test_sharing);
  g_test_add_func ("/sim/execute/windows", test_windows);
  g_test_add_func ("/sim/execute/scalar-operand", test_scalar_operand);
  g_test_add_func ("/sim/execute/call", test_call);
  g_test_add_func ("/sim/execute/group", test_group);
  g_test_add_func ("/sim/execute/group-arms", test_group_arms);
  g_test_add_func ("/sim/execute/group-cut", test_group_cut);
  g_test_add_func ("/sim/execute/group-layout", test_group_layout);
  g_test_add_func ("/sim/execute/group-alone", test_group_alone);
  g_test_add_func ("/sim/execute/group-shares", test_group_shares);
  g_test_add_func ("/sim/execute/group-pop-frees", test_group_pop_frees);
  g_test_add_func ("/sim/execute/deadlock", test_deadlock);
  g_test_add_func ("/sim/execute/flags", test_flags);
  g_test_add_func ("/sim/execute/flag-mismatch", test_flag_mismatch);
  g_test_add_func ("/sim/execute/sync-costs", test_sync_costs);
  g_test_add_func ("/sim/execute/cancel", test_cancel);
  g_test_add_func ("/sim/execute/cut", test_cut);
  g_test_add_func ("/sim/execute/cut-words", test_cut_words);
  g_test_add_func ("/sim/execute/empty-loops", test_empty_loops);
  g_test_add_func ("/sim/execute/capacity", test_capacity);
  g_test_add_func ("/sim/execute/refusals", test_refusals);
  g_test_add_func ("/sim/execute/only-scalars", test_only_scalars);
  g_test_add_func ("/sim/execute/time-ends", test_time_ends);
  g_test_add_func ("/sim/execute/shown-names", test_shown_names);
  return g_test_run ();
}
