/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verifiers of the memory passes: what they accept, and every way to fail them. Source: spec passes-memory 3.6, 6.2. */
#include <string.h>

#include "ir/verify.h"
#include "kernel.h"
#include "passes/allocations.h"

#define CHAIN "(x: Tensor(64, 64; FP32)):\n" \
              "    a: Tile(64, 64; FP32; Vec) = tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vec)\n" \
              "    b: Tile(64, 64; FP32; Vec) = tile.exp(a)\n"
#define SLOTS "(x: Tensor(64, 64; FP32)):\n" \
              "    a: Tile(64, 64; FP32; Vec; MemRef(\"ring\", slots=4)[2]) = tile.load(x, [0, 0], [64, 64], [64, 64], " \
              "target_memory=Mem.Vec)\n"

static TsModule *
run (const char *kernel, const char *passes, GPtrArray **snapshots)
{
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  *snapshots = ts_kernel_run (kernel, "InCore", passes, "none", "pypto", diags);
  g_assert_nonnull (*snapshots);
  TsPassSnapshot *last = (*snapshots)->pdata[(*snapshots)->len - 1];
  g_assert_nonnull (last->module);
  return last->module;
}

/* What a verifier says, one message a line. */
static char *
verdict (const TsModule *module, TsProperty property, gint64 vec)
{
  gint64 capacity[TS_N_SPACES] = { [TS_SPACE_VEC] = vec };
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  gboolean holds = ts_verify_set (module, TS_PROPERTY_BIT (property), vec >= 0 ? capacity : NULL, diags);
  GString *said = g_string_new (NULL);
  g_assert_cmpint (holds, ==, !ts_diag_list_has_errors (diags));
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    g_string_append_printf (said, "%s: %s\n", ts_diag_list_get (diags, i)->code, ts_diag_list_get (diags, i)->message);
  return g_string_free (said, FALSE);
}

static TsValue *
first_tile (TsModule *module)
{
  for (TsOp *op = ts_function_block (module->functions[0])->first; op != NULL; op = op->next)
    if (op->n_results == 1 && ts_type_is_tile (op->results[0]->type))
      return op->results[0];
  g_assert_not_reached ();
}

static void
test_mem_refs (void)
{
  g_autoptr (GPtrArray) before = NULL, after = NULL;
  g_autofree char *bare = verdict (run (CHAIN, "none", &before), TS_PROPERTY_HAS_MEM_REFS, -1);
  g_autofree char *done = verdict (run (CHAIN, "InitMemRef", &after), TS_PROPERTY_HAS_MEM_REFS, -1);
  g_assert_cmpstr (bare, ==, "0: Tile 'a' has no MemRef (function 'f')\n0: Tile 'b' has no MemRef (function 'f')\n");
  g_assert_cmpstr (done, ==, "");
}

static void
test_addresses (void)
{
  g_autoptr (GPtrArray) snapshots = NULL;
  TsModule *module = run (CHAIN, "InitMemRef,AllocateMemoryAddr", &snapshots);
  TsValue *a = first_tile (module);
  const TsMemRef *memref = a->type->memref;
  g_autofree char *right = verdict (module, TS_PROPERTY_ALLOCATED_MEMORY_ADDR, -1);
  g_assert_cmpstr (right, ==, "");
  ts_value_set_memref (module, a, ts_memref_at (module, memref, memref->base, ts_expr_bytes (module, -32), memref->size));
  g_autofree char *negative = verdict (module, TS_PROPERTY_ALLOCATED_MEMORY_ADDR, -1);
  g_assert_cmpstr (negative, ==, "1: Tile 'a' has the negative address -32 (function 'f')\n");
  ts_value_set_memref (module, a, ts_memref_at (module, memref, memref->base, NULL, memref->size));
  g_autofree char *missing = verdict (module, TS_PROPERTY_ALLOCATED_MEMORY_ADDR, -1);
  g_assert_cmpstr (missing, ==, "1: Tile 'a' has no address (function 'f')\n");
}

/* Where the machine is known, high-water counts: of all slots, bound or not. */
static void
test_capacity (void)
{
  static const struct
  {
    const char *kernel;
    gint64      capacity;
    const char *said;
  } rows[] = {
    { CHAIN, -1, "" },
    { CHAIN, 0, "" },
    { CHAIN, 32768, "" },
    { CHAIN, 32767, "1: Vec buffer usage (32768 bytes) exceeds platform limit (32767 bytes) (function 'f')\n" },
    { SLOTS, 65536, "" },
    { SLOTS, 65535, "1: Vec buffer usage (65536 bytes) exceeds platform limit (65535 bytes) (function 'f')\n" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GPtrArray) snapshots = NULL;
      TsModule *module = run (rows[i].kernel, "InitMemRef,AllocateMemoryAddr", &snapshots);
      g_autofree char *said = verdict (module, TS_PROPERTY_ALLOCATED_MEMORY_ADDR, rows[i].capacity);
      g_assert_cmpstr (said, ==, rows[i].said);
    }
}

/* What a dump says is held against the tables: members of enumerations, and where a load may go. */
static void
test_arguments (void)
{
  static const struct
  {
    const char *statement;
    TsProperty  property;
    const char *said;
  } rows[] = {
    { "tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vec)", TS_PROPERTY_TYPE_CHECKED, "" },
    { "tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vac)", TS_PROPERTY_TYPE_CHECKED,
      "0: tile.load: Mem has no member 'Vac'; it has DDR, Vec, Mat, Left, Right, Acc, Bias, ScalarLocal, LeftScale, RightScale "
      "(function 'f')\n" },
    { "tile.move(t, target_memory=Mem.Vec, blayout=TileLayout.diagonal)", TS_PROPERTY_TYPE_CHECKED,
      "0: tile.move: TileLayout has no member 'diagonal'; it has none_box, row_major, col_major (function 'f')\n" },
    { "tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Mat)", TS_PROPERTY_LOAD_TARGET_VALID, "" },
    { "tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Right)", TS_PROPERTY_LOAD_TARGET_VALID,
      "0: tile.load: no pipe brings global memory into Right: it reaches Vec and Mat, what lies in Mat is moved on "
      "(function 'f')\n" },
    { "tile.unheard_of(x, target_memory=Mem.Vac)", TS_PROPERTY_TYPE_CHECKED, "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autofree char *kernel = g_strdup_printf ("(x: Tensor(64, 64; FP32), t: Tile(64, 64; FP32; Vec)):\n"
                                                 "    a: Tile(64, 64; FP32; Vec) = %s\n", rows[i].statement);
      g_autoptr (TsModule) module = ts_kernel_parse (kernel, "InCore", diags);
      g_assert_nonnull (module);
      g_autofree char *said = verdict (module, rows[i].property, -1);
      g_assert_cmpstr (said, ==, rows[i].said);
    }
}

/* A sum in place, a branch and a loop; `move` is the variable that is put on another allocation, or nothing. */
#define SUMS "(x: Tensor(64, 64; FP32), n: Scalar[INDEX]):\n" \
             "    z: Tile(64, 64; FP32; Vec) = tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vec)\n" \
             "    other: Tile(64, 64; FP32; Vec) = tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vec)\n" \
             "    for k, (acc,) in range(0, 4, 1, init_values=(z,)):\n" \
             "        w: Tile(64, 64; FP32; Vec) = tile.fillpad_inplace(acc)\n" \
             "        if n == 0:\n" \
             "            v: Tile(64, 64; FP32; Vec) = tile.set_validshape(w, 8, 8)\n" \
             "            p: Tile(64, 64; FP32; Vec) = yield_(v)\n" \
             "        else:\n" \
             "            p: Tile(64, 64; FP32; Vec) = yield_(w)\n" \
             "        e: Tile(64, 64; FP32; Vec) = yield_(p)\n" \
             "    c: Tile(64, 64; FP32; Vec) = e\n" \
             "    d: Tile(64, 64; FP32; Vec) = tile.add(c, other)\n"

typedef struct
{
  const char     *name;
  TsValue        *value;
  const TsMemRef *other;
} Find;

static void
find_value (TsValue *value, TsOp *op, gpointer data)
{
  Find *find = data;
  if (g_strcmp0 (value->hint, find->name) == 0)
    find->value = value;
  if (g_strcmp0 (value->hint, "other") == 0)
    find->other = value->type->memref;
}

static void
test_in_place (void)
{
  static const struct
  {
    const char *moved, *said;
  } rows[] = {
    { "", "" },
    { "d", "" },
    { "acc", "0: Tile 'acc' lies on 'mem_vec_2' at 0, but has to lie where 'z' does, on 'mem_vec_1' at 0 (function 'f')\n"
             "0: Tile 'w' lies on 'mem_vec_1' at 0, but has to lie where 'acc' does, on 'mem_vec_2' at 0 (function 'f')\n" },
    { "w", "0: Tile 'w' lies on 'mem_vec_2' at 0, but has to lie where 'acc' does, on 'mem_vec_1' at 0 (function 'f')\n"
           "0: Tile 'w' lies on 'mem_vec_2' at 0, but has to lie where 'p' does, on 'mem_vec_1' at 0 (function 'f')\n"
           "0: Tile 'v' lies on 'mem_vec_1' at 0, but has to lie where 'w' does, on 'mem_vec_2' at 0 (function 'f')\n" },
    { "p", "0: Tile 'p' lies on 'mem_vec_2' at 0, but has to lie where 'z' does, on 'mem_vec_1' at 0 (function 'f')\n"
           "0: Tile 'v' lies on 'mem_vec_1' at 0, but has to lie where 'p' does, on 'mem_vec_2' at 0 (function 'f')\n"
           "0: Tile 'w' lies on 'mem_vec_1' at 0, but has to lie where 'p' does, on 'mem_vec_2' at 0 (function 'f')\n" },
    { "e", "0: Tile 'e' lies on 'mem_vec_2' at 0, but has to lie where 'z' does, on 'mem_vec_1' at 0 (function 'f')\n"
           "0: Tile 'c' lies on 'mem_vec_1' at 0, but has to lie where 'e' does, on 'mem_vec_2' at 0 (function 'f')\n" },
    { "c", "0: Tile 'c' lies on 'mem_vec_2' at 0, but has to lie where 'e' does, on 'mem_vec_1' at 0 (function 'f')\n" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GPtrArray) snapshots = NULL;
      TsModule *module = run (SUMS, "InitMemRef", &snapshots);
      Find find = { rows[i].moved, NULL, NULL };
      ts_function_foreach_value (module->functions[0], find_value, &find);
      if (find.value != NULL)
        ts_value_set_memref (module, find.value, find.other);
      g_autofree char *said = verdict (module, TS_PROPERTY_IN_PLACE_TILES, -1);
      g_assert_cmpstr (said, ==, rows[i].said);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/verify/arguments", test_arguments);
  g_test_add_func ("/memory/verify/mem-refs", test_mem_refs);
  g_test_add_func ("/memory/verify/addresses", test_addresses);
  g_test_add_func ("/memory/verify/capacity", test_capacity);
  g_test_add_func ("/memory/verify/in-place", test_in_place);
  return g_test_run ();
}
