/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lifetimes and memory facts of small kernels, in words. */
#include <string.h>

#include "ir/memory-facts.h"
#include "kernel.h"
#include "lang/pypto/pypto.h"

static char *
describe (const TsMemoryFacts *f)
{
  GString *out = g_string_new (f->placed ? "placed\n" : "");
  for (guint32 i = 0; i < f->n_spaces; i++)
    {
      const TsMemorySpace *s = &f->spaces[i];
      g_string_append_printf (out, "space %s: %u buffers, high %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT ", reserved %"
                              G_GINT64_FORMAT ", live %" G_GINT64_FORMAT " at %u:", ts_space_name (s->space), s->n_buffers,
                              s->high_water, s->capacity, s->reserved, s->live_max, s->live_max_at);
      for (guint32 k = 0; k < s->n_live; k++)
        g_string_append_printf (out, " %u=%" G_GINT64_FORMAT, s->live[k].position, s->live[k].bytes);
      g_string_append_c (out, '\n');
    }
  for (guint32 i = 0; i < f->n_buffers; i++)
    g_string_append_printf (out, "buffer %s %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT " live %u-%u%s\n", f->buffers[i].name,
                            f->buffers[i].size, f->buffers[i].address, f->buffers[i].def, f->buffers[i].last,
                            f->buffers[i].pinned ? " pinned" : "");
  for (guint32 i = 0; i < f->n_tiles; i++)
    {
      const TsMemoryTile *t = &f->tiles[i];
      g_string_append_printf (out, "tile %s in %s+%" G_GINT64_FORMAT " at %" G_GINT64_FORMAT " live %u-%u %s", t->value->hint,
                              f->buffers[t->buffer].name, t->offset, t->address, t->def, t->last, ts_memory_role_name (t->role));
      if (t->source != TS_MEMORY_NONE)
        g_string_append_printf (out, " of %s", f->tiles[t->source].value->hint);
      g_string_append_c (out, '\n');
    }
  for (guint32 i = 0; i < f->n_stages; i++)
    g_string_append_printf (out, "stage %d:%d %s: %u tiles, %u buffers, %" G_GINT64_FORMAT " bytes\n", f->stages[i].group,
                            f->stages[i].stage, ts_space_name (f->stages[i].space), f->stages[i].n_tiles, f->stages[i].n_buffers,
                            f->stages[i].bytes);
  for (guint32 i = 0; i < f->n_collapses; i++)
    {
      const TsMemoryCollapse *c = &f->collapses[i];
      g_string_append_printf (out, "collapse group %d stages %d and %d: %s in %s, %s in %s, %" G_GINT64_FORMAT " bytes\n", c->group,
                              c->stage_a, c->stage_b, f->tiles[c->tile_a].value->hint, f->buffers[c->buffer_a].name,
                              f->tiles[c->tile_b].value->hint, f->buffers[c->buffer_b].name, c->bytes);
    }
  return g_string_free (out, FALSE);
}

static void
expect (const char *kernel, const char *passes, const char *planner, TsMemoryOptions *options, const char *expected)
{
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (GPtrArray) snapshots = ts_kernel_run (kernel, "InCore", passes, "ascend910b", planner, diags);
  g_assert_nonnull (snapshots);
  const TsPassSnapshot *last = snapshots->pdata[snapshots->len - 1];
  g_assert_nonnull (last->module);
  g_autoptr (TsMemoryFacts) facts = ts_memory_facts_new (last->module, last->module->functions[0], options);
  g_autofree char *text = facts != NULL ? describe (facts) : g_strdup ("none\n");
  g_assert_cmpstr (text, ==, expected);
}

#define LOAD "tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vec"

static const char chain[] = "(x: Tensor(64, 64; FP32)):\n"
                            "    a: Tile(64, 64; FP32; Vec) = " LOAD ")\n"
                            "    s: Tile(16, 64; FP32; Vec) = tile.slice(a, [16, 64], [16, 0])\n"
                            "    b: Tile(16, 64; FP32; Vec) = tile.recip(s)\n"
                            "    c: Tile(64, 64; FP32; Vec) = " LOAD ")\n"
                            "    d: Tile(64, 64; FP32; Vec) = tile.fillpad_inplace(c, pad_value=PadValue.zero)\n"
                            "    r: Tensor(64, 64; FP32) = tile.store(d, [0, 0], x)\n"
                            "    q: Tensor(64, 64; FP32) = tile.store(b, [0, 0], x)\n";

static void
test_before_memrefs (void)
{
  expect (chain, "MaterializeTensorStrides", "pypto", NULL, "none\n");
}

static void
test_roles (void)
{
  expect (chain, "InitMemRef,MemoryReuse", "pypto", NULL,
          "space Vec: 2 buffers, high 20480 of 0, reserved 0, live 20480 at 5: 2=16384 4=8192 5=20480 8=4096 9=0\n"
          "buffer mem_vec_1 16384 at -1 live 2-7\n"
          "buffer mem_vec_2 4096 at -1 live 4-8\n"
          "tile a in mem_vec_1+0 at -1 live 2-3 own\n"
          "tile s in mem_vec_1+4096 at -1 live 3-4 view of a\n"
          "tile b in mem_vec_2+0 at -1 live 4-8 own\n"
          "tile c in mem_vec_1+0 at -1 live 5-6 reuse of a\n"
          "tile d in mem_vec_1+0 at -1 live 6-7 in-place of c\n");
}

static void
test_placed (void)
{
  TsMemoryOptions options = { .placed = TS_MEMORY_PLACED_YES };
  options.capacity[TS_SPACE_VEC] = 188416;
  expect (chain, "InitMemRef,MemoryReuse,AllocateMemoryAddr", "pypto", &options,
          "placed\n"
          "space Vec: 2 buffers, high 20480 of 188416, reserved 0, live 20480 at 5: 2=16384 4=8192 5=20480 8=4096 9=0\n"
          "buffer mem_vec_1 16384 at 0 live 2-7\n"
          "buffer mem_vec_2 4096 at 16384 live 4-8\n"
          "tile a in mem_vec_1+0 at 0 live 2-3 own\n"
          "tile s in mem_vec_1+4096 at 4096 live 3-4 view of a\n"
          "tile b in mem_vec_2+0 at 16384 live 4-8 own\n"
          "tile c in mem_vec_1+0 at 0 live 5-6 reuse of a\n"
          "tile d in mem_vec_1+0 at 0 live 6-7 in-place of c\n");
}

static const char stages[] = "(x: Tensor(64, 64; FP32)):\n"
                             "    a: Tile(64, 64; FP32; Vec) = " LOAD ", attrs={\"pipeline_membership\": \"0:0\"})\n"
                             "    r: Tensor(64, 64; FP32) = tile.store(a, [0, 0], x)\n"
                             "    b: Tile(64, 64; FP32; Vec) = " LOAD ", attrs={\"pipeline_membership\": \"0:1\"})\n"
                             "    s: Tensor(64, 64; FP32) = tile.store(b, [0, 0], x)\n";

static void
test_stages (void)
{
  expect (stages, "InitMemRef", "pypto", NULL,
          "space Vec: 2 buffers, high 32768 of 0, reserved 0, live 16384 at 2: 2=16384 6=0\n"
          "buffer mem_vec_1 16384 at -1 live 2-3\n"
          "buffer mem_vec_2 16384 at -1 live 4-5\n"
          "tile a in mem_vec_1+0 at -1 live 2-3 own\n"
          "tile b in mem_vec_2+0 at -1 live 4-5 own\n"
          "stage 0:0 Vec: 1 tiles, 1 buffers, 16384 bytes\n"
          "stage 0:1 Vec: 1 tiles, 1 buffers, 16384 bytes\n");
}

/* What provenance says of operations whose attribute a pass has stripped: every load is of the stage of its order. */
static const TsStage *
stage_by_order (gint32 op, guint *n, gpointer data)
{
  static const TsStage by_op[] = { { 0, 0 }, { 0, 0 }, { 0, 1 } };
  *n = op == 0 || op == 2 ? 1 : 0;
  return *n > 0 ? &by_op[op] : NULL;
}

static void
test_collapse (void)
{
  TsMemoryOptions options = { .stages = stage_by_order };
  const char *no_room = "(x: Tensor(64, 64; FP32)):\n"
                        "    a: Tile(64, 64; FP32; Vec) = " LOAD ")\n"
                        "    r: Tensor(64, 64; FP32) = tile.store(a, [0, 0], x)\n"
                        "    b: Tile(64, 64; FP32; Vec) = " LOAD ")\n"
                        "    s: Tensor(64, 64; FP32) = tile.store(b, [0, 0], x)\n";
  expect (no_room, "InitMemRef,MemoryReuse", "pypto", &options,
          "placed\n"
          "space Vec: 1 buffers, high 16384 of 0, reserved 0, live 16384 at 1: 1=16384 5=0\n"
          "buffer mem_vec_1 16384 at 0 live 1-4\n"
          "tile a in mem_vec_1+0 at 0 live 1-2 own\n"
          "tile b in mem_vec_1+0 at 0 live 3-4 reuse of a\n"
          "stage 0:0 Vec: 1 tiles, 1 buffers, 16384 bytes\n"
          "stage 0:1 Vec: 1 tiles, 1 buffers, 16384 bytes\n"
          "collapse group 0 stages 0 and 1: a in mem_vec_1, b in mem_vec_1, 16384 bytes\n");
}

/* A pipeline in a pipeline: what the inner stages have of their own the outer ones may share. That the first tiles of two stages
 * lie apart does not help the others. */
static void
test_nested_stages (void)
{
  const char *kernel = "(x: Tensor(64, 64; FP32)):\n"
                       "    a: Tile(64, 64; FP32; Vec; MemRef(\"p\", slots=2)[0]) = "
                       LOAD ", attrs={\"pipeline_membership\": \"0:0;1:0\"})\n"
                       "    b: Tile(64, 64; FP32; Vec; MemRef(\"p\", slots=2)[1]) = "
                       LOAD ", attrs={\"pipeline_membership\": \"0:1;1:1\"})\n"
                       "    c: Tile(64, 64; FP32; Vec; MemRef(\"p\", slots=2)[0]) = "
                       LOAD ", attrs={\"pipeline_membership\": \"0:0;1:1\"})\n";
  expect (kernel, "InitMemRef", "pypto", NULL,
          "placed\n"
          "space Vec: 1 buffers, high 32768 of 0, reserved 0, live 16384 at 1: 1=16384 4=0\n"
          "buffer p 32768 at 0 live 1-3 pinned\n"
          "tile a in p+0 at 0 live 1-1 own\n"
          "tile b in p+16384 at 16384 live 2-2 own\n"
          "tile c in p+0 at 0 live 3-3 reuse of a\n"
          "stage 0:0 Vec: 2 tiles, 1 buffers, 32768 bytes\n"
          "stage 0:1 Vec: 1 tiles, 1 buffers, 32768 bytes\n"
          "stage 1:0 Vec: 1 tiles, 1 buffers, 32768 bytes\n"
          "stage 1:1 Vec: 2 tiles, 1 buffers, 32768 bytes\n"
          "collapse group 1 stages 0 and 1: a in p, c in p, 16384 bytes\n");
}

/* Under dsa-rp two buffers get the same addresses: the later one reuses the earlier one's bytes, and their stages collapse. */
static void
test_addresses_overlap (void)
{
  g_autoptr (GString) kernel = g_string_new ("(x: Tensor(256, 64; FP32)):\n");
  TsMemoryOptions options = { .stages = stage_by_order, .placed = TS_MEMORY_PLACED_YES };
  for (guint i = 0; i < 2; i++)
    g_string_append_printf (kernel, "    a%u: Tile(512, 64; FP32; Vec) = tile.load(x, [0, 0], [512, 64], [512, 64], "
                            "target_memory=Mem.Vec)\n    s%u: Tensor(256, 64; FP32) = tile.store(a%u, [0, 0], x)\n", i, i, i);
  expect (kernel->str, "InitMemRef,AllocateMemoryAddr", "dsa-rp", &options,
          "placed\n"
          "space Vec: 2 buffers, high 131072 of 0, reserved 0, live 131072 at 2: 2=131072 6=0\n"
          "buffer mem_vec_1 131072 at 0 live 2-3\n"
          "buffer mem_vec_2 131072 at 0 live 4-5\n"
          "tile a0 in mem_vec_1+0 at 0 live 2-3 own\n"
          "tile a1 in mem_vec_2+0 at 0 live 4-5 reuse of a0\n"
          "stage 0:0 Vec: 1 tiles, 1 buffers, 131072 bytes\n"
          "stage 0:1 Vec: 1 tiles, 1 buffers, 131072 bytes\n"
          "collapse group 0 stages 0 and 1: a0 in mem_vec_1, a1 in mem_vec_2, 131072 bytes\n");
}

/* Under dsa-rp what an operation writes may lie where what it reads lies: at that statement both are live, and their bytes count
 * once. So does a view together with what it looks at, and what is left of it when that is over. */
static void
test_live_is_a_union (void)
{
  const char *kernel = "(x: Tensor(512, 64; FP32)):\n"
                       "    a: Tile(512, 64; FP32; Vec) = tile.load(x, [0, 0], [512, 64], [512, 64], target_memory=Mem.Vec)\n"
                       "    b: Tile(512, 64; FP32; Vec) = tile.exp(a)\n"
                       "    s: Tile(64, 64; FP32; Vec) = tile.slice(b, [64, 64], [64, 0])\n"
                       "    c: Tile(64, 64; FP32; Vec) = tile.exp(s)\n"
                       "    r: Tensor(512, 64; FP32) = tile.store(c, [0, 0], x)\n"
                       "    q: Tensor(512, 64; FP32) = tile.store(s, [0, 0], x)\n";
  TsMemoryOptions options = { .placed = TS_MEMORY_PLACED_YES };
  expect (kernel, "InitMemRef,AllocateMemoryAddr", "dsa-rp", &options,
          "placed\n"
          "space Vec: 3 buffers, high 147456 of 0, reserved 0, live 131072 at 3: 3=131072 6=32768 8=16384 9=0\n"
          "buffer mem_vec_1 131072 at 0 live 3-4\n"
          "buffer mem_vec_2 131072 at 0 live 4-8\n"
          "buffer mem_vec_3 16384 at 131072 live 6-7\n"
          "tile a in mem_vec_1+0 at 0 live 3-4 own\n"
          "tile b in mem_vec_2+0 at 0 live 4-5 reuse of a\n"
          "tile s in mem_vec_2+16384 at 16384 live 5-8 view of b\n"
          "tile c in mem_vec_3+0 at 131072 live 6-7 own\n");
}

/* A sum handed on by stages is one value, no collapse; slots of one declaration are different bytes; and who looks
 * at a tile of another stage has none of its own. */
static void
test_no_collapse (void)
{
  const char *sum = "(x: Tensor(64, 64; FP16)):\n"
                    "    l: Tile(64, 64; FP16; Left) = tile.create([64, 64], dtype=FP16, target_memory=Mem.Left)\n"
                    "    r: Tile(64, 64; FP16; Right) = tile.create([64, 64], dtype=FP16, target_memory=Mem.Right)\n"
                    "    c: Tile(64, 64; FP32; Acc) = tile.matmul(l, r, attrs={\"pipeline_membership\": \"0:0\"})\n"
                    "    d: Tile(64, 64; FP32; Acc) = tile.matmul_acc(c, l, r, attrs={\"pipeline_membership\": \"0:1\"})\n";
  const char *slots = "(x: Tensor(64, 64; FP32)):\n"
                      "    a: Tile(64, 64; FP32; Vec; MemRef(\"buf\", slots=2)[0]) = "
                      LOAD ", attrs={\"pipeline_membership\": \"0:0\"})\n"
                      "    b: Tile(64, 64; FP32; Vec; MemRef(\"buf\", slots=2)[1]) = "
                      LOAD ", attrs={\"pipeline_membership\": \"0:1\"})\n";
  const char *view = "(x: Tensor(64, 64; FP32)):\n"
                     "    a: Tile(64, 64; FP32; Vec; MemRef(\"buf\", slots=2)[0]) = "
                     LOAD ", attrs={\"pipeline_membership\": \"0:0\"})\n"
                     "    r: Tensor(64, 64; FP32) = tile.store(a, [0, 0], x)\n"
                     "    b: Tile(64, 64; FP32; Vec; MemRef(\"buf\", slots=2)[0]) = "
                     LOAD ", attrs={\"pipeline_membership\": \"0:0\"})\n"
                     "    v: Tile(32, 128; FP32; Vec) = tile.reshape(b, [32, 128], attrs={\"pipeline_membership\": \"0:1\"})\n"
                     "    s: Tensor(64, 64; FP32) = tile.store(v, [0, 0], x)\n";
  const char *kernels[] = { sum, slots, view };
  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++)
    {
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (GPtrArray) snapshots = ts_kernel_run (kernels[i], "InCore", "InitMemRef", "ascend910b", "pypto", diags);
      g_assert_nonnull (snapshots);
      const TsPassSnapshot *last = snapshots->pdata[1];
      g_autoptr (TsMemoryFacts) facts = ts_memory_facts_new (last->module, last->module->functions[0], NULL);
      g_assert_nonnull (facts);
      g_assert_cmpuint (facts->n_stages, >=, 2);
      g_assert_cmpuint (facts->n_collapses, ==, 0);
    }
}

/* --- declarations that no text can say, because the reader refuses or merges them ----------------------------------------- */

typedef void (*Spoil) (TsModule *module, TsValue *first, TsValue *second);

static void
same_name (TsModule *module, TsValue *first, TsValue *second)
{
  second->type->memref->base->hint = first->type->memref->base->hint;
}

static void
no_space (TsModule *module, TsValue *first, TsValue *second)
{
  second->type = ts_type_with_space (module, second->type, TS_SPACE_NONE);
}

static void
no_slots (TsModule *module, TsValue *first, TsValue *second)
{
  TsMemRef *memref = (TsMemRef *) ts_memref_copy (module, second->type->memref);
  memref->slots = 0;
  second->type = ts_type_with_memref (module, second->type, memref);
}

static void
test_declarations (void)
{
  static const struct
  {
    Spoil       spoil;
    const char *says;
  } rows[] = { { same_name, "both resolve to the name 'p'" },
               { no_space, "explicit memory space" },
               { no_slots, "at least one slot" } };
  const char *kernel = "(x: Tensor(64, 64; FP32)):\n"
                       "    a: Tile(64, 64; FP32; Vec; MemRef(\"p\")) = " LOAD ")\n"
                       "    b: Tile(64, 64; FP32; Vec; MemRef(\"q\")) = " LOAD ")\n";
  g_autoptr (TsMachine) machine = ts_kernel_machine ("ascend910b");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = ts_kernel_parse (kernel, "InCore", diags);
      g_assert_nonnull (module);
      TsOp *first = ts_function_block (module->functions[0])->first;
      TsPassContext context = { .pass_name = "InitMemRef", .machine = machine, .diags = diags };
      rows[i].spoil (module, first->results[0], first->next->results[0]);
      g_assert_cmpint (ts_pass_find ("InitMemRef")->run (&context, module), ==, TS_PASS_FAILED);
      g_assert_cmpuint (ts_diag_list_length (diags), ==, 1);
      g_assert_nonnull (strstr (ts_diag_list_get (diags, 0)->message, rows[i].says));
    }
}

static gint
compare_starts (gconstpointer x, gconstpointer y)
{
  const gint64 *a = x, *b = y;
  return a[0] < b[0] ? -1 : a[0] > b[0];
}

/* Bytes of a space that some tile has at a position, told range by range. */
static gint64
bytes_at (const TsMemoryFacts *f, TsSpace space, guint32 position)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, 2 * sizeof (gint64));
  gint64 bytes = 0, covered = 0;
  for (guint32 t = 0; t < f->n_tiles; t++)
    {
      const TsMemoryTile *tile = &f->tiles[t];
      const TsMemoryBuffer *buffer = &f->buffers[tile->buffer];
      gint64 base = f->placed ? buffer->address : (gint64) tile->buffer << 32, low = base + MAX (tile->offset, 0);
      gint64 range[2] = { low, low + (tile->offset < 0 ? buffer->size : tile->size) };
      if (buffer->space == space && tile->def <= position && position <= tile->last)
        g_array_append_vals (ranges, range, 1);
    }
  g_array_sort (ranges, compare_starts);
  for (guint i = 0; i < ranges->len; i++)
    {
      const gint64 *range = &g_array_index (ranges, gint64, 2 * i);
      gint64 low = i == 0 ? range[0] : MAX (range[0], covered);
      bytes += MAX (range[1] - low, 0);
      covered = i == 0 ? range[1] : MAX (covered, range[1]);
    }
  return bytes;
}

/* The curve of a space is what its tiles say at every position, and never more than the space's high-water. */
static void
check_live (const TsMemoryFacts *f, const TsMemorySpace *space)
{
  gint64 most = 0, now = 0;
  for (guint32 position = 0, step = 0; position < f->n_positions; position++)
    {
      if (step < space->n_live && space->live[step].position == position)
        now = space->live[step++].bytes;
      g_assert_cmpint (now, ==, bytes_at (f, space->space, position));
      most = MAX (most, now);
    }
  g_assert_cmpint (space->live_max, ==, most);
  g_assert_cmpint (space->live_max, <=, space->high_water);
}

/* Every reference snapshot with MemRefs has facts, and they are sane: inside the buffers, lives in order, curves that end at 0. */
static void
test_references (void)
{
  static const char *const files[] = { "kernels/axpy_tail/08_after_MemoryReuse.py",
                                       "kernels/views_chain/09_after_AllocateMemoryAddr.py",
                                       "kernels/views_dsa/08_after_AllocateMemoryAddr.py", "kernels/acc_if/06_after_InitMemRef.py",
                                       "kernels/slots_ptoas/06_after_InitMemRef.py", "kernels/mm_two_level/08_after_MemoryReuse.py",
                                       "dumps/mix_scores/35_after_AllocateMemoryAddr.py" };
  static const gboolean branches[G_N_ELEMENTS (files)] = { [3] = TRUE, [6] = TRUE };
  guint seen = 0;
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), files[i], NULL);
      g_autofree char *text = NULL;
      g_autoptr (TsStrings) strings = ts_strings_new ();
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_autoptr (TsSource) source = ts_source_new_text (path, text);
      g_autoptr (TsModule) module = ts_pypto_parse (source, strings, NULL, diags);
      for (guint k = 0; k < module->n_functions; k++)
        {
          g_autoptr (TsMemoryFacts) f = ts_memory_facts_new (module, module->functions[k], NULL);
          seen += f != NULL;
          for (guint32 t = 0; f != NULL && t < f->n_tiles; t++)
            {
              const TsMemoryTile *tile = &f->tiles[t];
              g_assert_cmpuint (tile->def, <=, tile->last);
              g_assert_cmpuint (tile->last, <, f->n_positions);
              g_assert_cmpint (MAX (tile->offset, 0) + tile->size, <=, f->buffers[tile->buffer].size);
              if (tile->role == TS_MEMORY_REUSE && !branches[i]) /* nothing is taken from a tile that is still needed */
                g_assert_cmpuint (f->tiles[tile->source].last, <=, tile->def);
              g_assert_true (ts_memory_facts_tile (f, tile->value) == tile);
              g_assert_true (ts_memory_facts_buffer (f, tile->value) == &f->buffers[tile->buffer]);
            }
          for (guint32 s = 0; f != NULL && s < f->n_spaces; s++)
            {
              g_assert_cmpint (f->spaces[s].live[f->spaces[s].n_live - 1].bytes, ==, 0);
              g_assert_true (ts_memory_facts_space (f, f->spaces[s].space) == &f->spaces[s]);
              check_live (f, &f->spaces[s]);
            }
        }
    }
  g_assert_cmpuint (seen, ==, 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/facts/before-memrefs", test_before_memrefs);
  g_test_add_func ("/memory/facts/roles", test_roles);
  g_test_add_func ("/memory/facts/placed", test_placed);
  g_test_add_func ("/memory/facts/stages", test_stages);
  g_test_add_func ("/memory/facts/collapse", test_collapse);
  g_test_add_func ("/memory/facts/addresses-overlap", test_addresses_overlap);
  g_test_add_func ("/memory/facts/live-is-a-union", test_live_is_a_union);
  g_test_add_func ("/memory/facts/nested-stages", test_nested_stages);
  g_test_add_func ("/memory/facts/no-collapse", test_no_collapse);
  g_test_add_func ("/memory/declarations", test_declarations);
  g_test_add_func ("/memory/facts/references", test_references);
  return g_test_run ();
}
