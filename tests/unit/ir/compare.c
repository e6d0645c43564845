/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equality up to renaming: one change of a small program at a time, with what the comparison must say. Source: spec dsl 8.1. */
#include <string.h>

#include "ir/compare.h"
#include "lang/pypto/pypto.h"

static const char base[]
  = "# pypto.program: P\n"
    "import pypto.language as pl\n"
    "\n"
    "M = pl.dynamic(\"M\")\n"
    "\n"
    "@pl.program\n"
    "class P:\n"
    "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
    "    def f(x: pl.Tensor[[M, 64], pl.FP32], y: pl.Out[pl.Tensor[[128, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]) -> "
    "pl.Tensor[[128, 64], pl.FP32]:\n"
    "        pl.func_attr({\"slot_num\": 2, \"split_aiv\": True})\n"
    "        # the loop\n"
    "        for i, (acc,) in pl.pipeline(0, n, 1, stage=2, init_values=(y,), attrs={\"pipeline_overlap_stores\": False}):\n"
    "            r: pl.Scalar[pl.INDEX] = i * 64 + 3\n"
    "            t: pl.Tile[[64, 64], pl.FP32, pl.MemRef(\"mem_vec_1\", pl.const(0, pl.INT64), 16384), pl.Mem.Vec] = "
    "pl.tile.load(x, [r, 0], [64, 64], [64, 64], target_memory=pl.Mem.Vec, attrs={\"pipeline_membership\": \"0:1\"})\n"
    "            u: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tile.adds(t, 1.5)\n"
    "            w: pl.Tensor[[128, 64], pl.FP32] = pl.tile.store(u, [r, 0], acc)\n"
    "            z: pl.Tensor[[128, 64], pl.FP32] = pl.yield_(w)\n"
    "        if n < 4:\n"
    "            k: pl.Scalar[pl.INDEX] = pl.yield_(n)\n"
    "        else:\n"
    "            k: pl.Scalar[pl.INDEX] = pl.yield_(n - 4)\n"
    "        c: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tile.create([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)\n"
    "        return z\n"
    "    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)\n"
    "    def g(self, x: pl.Tensor[[M, 64], pl.FP32], y: pl.Out[pl.Tensor[[128, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]) -> "
    "pl.Tensor[[128, 64], pl.FP32]:\n"
    "        o: pl.Tensor[[128, 64], pl.FP32] = self.f(x, y, n)\n"
    "        return o\n";

typedef struct
{
  const char    *name;
  const char    *from, *to; /* every occurrence is replaced */
  TsCompareFlags flags;
  const char    *function;  /* that differs first; NULL: equal */
  const char    *reason;    /* part of the reason */
} Row;

static const Row rows[] = {
  { "itself", "", "", 0, NULL, NULL },
  { "itself-by-values", "", "", TS_COMPARE_VALUES, NULL, NULL },
  { "renamed-variables", "acc", "carried", 0, NULL, NULL },
  { "renamed-by-values",
    "u: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tile.adds(t, 1.5)\n            w: pl.Tensor[[128, 64], pl.FP32] = "
    "pl.tile.store(u",
    "q: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tile.adds(t, 1.5)\n            w: pl.Tensor[[128, 64], pl.FP32] = "
    "pl.tile.store(q",
    TS_COMPARE_VALUES, "f", "name u against q" },
  { "comment", "        # the loop\n", "", 0, NULL, NULL },
  { "memref", "mem_vec_1\", pl.const(0, pl.INT64), 16384", "mem_vec_1\", pl.const(0, pl.INT64), 32768", 0, NULL, NULL },
  { "memref-by-values", "pl.const(0, pl.INT64), 16384", "pl.const(0, pl.INT64), 32768", TS_COMPARE_VALUES, "f",
    "16384 bytes against 32768" },
  { "memref-gone-by-values", "pl.MemRef(\"mem_vec_1\", pl.const(0, pl.INT64), 16384), ", "", TS_COMPARE_VALUES, "f",
    "MemRef in one" },
  { "swapped-use", "self.f(x, y, n)", "self.f(x, x, n)", 0, "g", "operand 2: y against x" },
  { "other-operation", "pl.tile.adds", "pl.tile.muls", 0, "f", "tile.adds against tile.muls" },
  { "constant", "1.5", "1.25", 0, "f", "operand 2: 1.5 against 1.25" },
  { "constant-type", "adds(t, 1.5)", "adds(t, pl.const(1.5, pl.FP16))", 0, "f", "1.5, as FP32 against FP16" },
  { "operator", "i * 64 + 3", "i * 64 - 3", 0, "f", "against" },
  { "operand-order", "i * 64 + 3", "3 + i * 64", 0, "f", "operand 1" },
  { "loop-kind", "pl.pipeline(0, n, 1, stage=2, ", "pl.range(0, n, 1, ", 0, "f", "for of different kinds" },
  { "stage", "stage=2", "stage=3", 0, "f", "pipeline_stages: 2 against 3" },
  { "loop-attribute", "{\"pipeline_overlap_stores\": False}", "{\"pipeline_overlap_stores\": True}", 0, "f",
    "pipeline_overlap_stores: False against True" },
  { "keyword-value", "target_memory=pl.Mem.Vec, attrs", "target_memory=pl.Mem.Mat, attrs", 0, "f",
    "target_memory: Mem.Vec against Mem.Mat" },
  { "keyword-order", "dtype=pl.FP32, target_memory=pl.Mem.Vec)", "target_memory=pl.Mem.Vec, dtype=pl.FP32)", 0, NULL, NULL },
  { "attribute-order", "{\"slot_num\": 2, \"split_aiv\": True}", "{\"split_aiv\": True, \"slot_num\": 2}", 0, NULL, NULL },
  { "attribute-gone", "{\"slot_num\": 2, \"split_aiv\": True}", "{\"slot_num\": 2}", 0, "f",
    "split_aiv: function attribute in the first only" },
  { "membership", "\"0:1\"", "\"0:0\"", 0, "f", "pipeline_membership: 0:1 against 0:0" },
  { "shape", "u: pl.Tile[[64, 64]", "u: pl.Tile[[64, 32]", 0, "f", "result: 64 against 32" },
  { "space", "pl.FP32, pl.Mem.Vec] = pl.tile.adds", "pl.FP32, pl.Mem.Mat] = pl.tile.adds", 0, "f", "memory space Vec against Mat" },
  { "dtype", "u: pl.Tile[[64, 64], pl.FP32", "u: pl.Tile[[64, 64], pl.FP16", 0, "f", "FP32 against FP16" },
  { "view", "u: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec]",
    "u: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.TileView(pad=pl.PadValue.zero)]", 0,
    "f", "view in one" },
  { "direction", "y: pl.Out[pl.Tensor[[128, 64], pl.FP32]]", "y: pl.InOut[pl.Tensor[[128, 64], pl.FP32]]", 0, "f", "direction" },
  { "function-type", "type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator",
    "type=pl.FunctionType.Graph, level=pl.Level.CHIP, role=pl.Role.Orchestrator",
    0, "g", "function type Orchestration against Graph" },
  { "else-gone", "        else:\n            k: pl.Scalar[pl.INDEX] = pl.yield_(n - 4)\n", "", 0, "f",
    "else arm in the first only" },
  { "statement-gone",
    "        c: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tile.create([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)\n", "",
      0,
    "f", "tile.create against return" },
  { "symbol-made-static", "x: pl.Tensor[[M, 64]", "x: pl.Tensor[[256, 64]", 0, "f", "parameter x: M against 256" },
  { "program-name", "pypto.program: P\n", "pypto.program: Q\n", 0, NULL, NULL },
};

static char *
replace_all (const char *text, const char *from, const char *to)
{
  g_auto (GStrv) parts = *from != '\0' ? g_strsplit (text, from, -1) : NULL;

  return parts != NULL ? g_strjoinv (to, parts) : g_strdup (text);
}

static TsModule *
read_program (const char *text)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("test.py", text);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };
  TsModule *module = ts_pypto_parse (source, strings, &options, diags);

  if (module == NULL || ts_diag_list_has_errors (diags))
    {
      g_autoptr (GString) out = g_string_new (NULL);

      ts_diag_list_format (diags, TRUE, out);
      g_error ("%s", out->str);
    }
  return module;
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autofree char *text = replace_all (base, row->from, row->to);
  g_autoptr (TsModule) a = read_program (base), b = read_program (text);
  g_autoptr (GPtrArray) list = ts_module_compare (a, b, row->flags);

  if (row->function == NULL)
    {
      if (list->len > 0)
        g_test_message ("%s", ((TsDifference *) g_ptr_array_index (list, 0))->reason);
      g_assert_true (ts_module_equal (a, b, row->flags));
      return;
    }
  g_assert_cmpuint (list->len, >=, 1);
  const TsDifference *first = g_ptr_array_index (list, 0);
  if (strcmp (first->function, row->function) != 0 && list->len > 1)
    first = g_ptr_array_index (list, 1);
  g_assert_cmpstr (first->function, ==, row->function);
  g_test_message ("[%s] in [%s]", row->reason, first->reason);
  g_assert_nonnull (strstr (first->reason, row->reason));
}

/* A function that one side has not, and both directions of it. */
static void
test_missing_function (void)
{
  g_autofree char *shorter = g_strndup (base, strstr (base, "    @pl.function(type=pl.FunctionType.Orch") - base);
  g_autoptr (TsModule) a = read_program (base), b = read_program (shorter);
  g_autoptr (GPtrArray) there = ts_module_compare (a, b, 0), back = ts_module_compare (b, a, 0);
  const TsDifference *first = g_ptr_array_index (there, 0), *second = g_ptr_array_index (back, 0);

  g_assert_cmpuint (there->len, ==, 1);
  g_assert_cmpstr (first->function, ==, "g");
  g_assert_cmpstr (first->reason, ==, "only the first has this function");
  g_assert_cmpstr (second->reason, ==, "only the second has this function");
}

/* Two variables of one side must not both pair with one of the other. */
static void
test_one_to_one (void)
{
  static const char head[] = "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n    @pl.function\n"
                             "    def f(self, a: pl.Scalar[pl.INDEX], b: pl.Scalar[pl.INDEX]):\n";
  g_autofree char *two = g_strconcat (head, "        c: pl.Scalar[pl.INDEX] = a + b\n", NULL);
  g_autofree char *one = g_strconcat (head, "        c: pl.Scalar[pl.INDEX] = a + a\n", NULL);
  g_autoptr (TsModule) x = read_program (two), y = read_program (one);

  g_assert_false (ts_module_equal (x, y, 0));
  g_assert_false (ts_module_equal (y, x, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/compare/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/compare/missing-function", test_missing_function);
  g_test_add_func ("/compare/one-to-one", test_one_to_one);
  return g_test_run ();
}
