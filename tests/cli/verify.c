/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each verifier of spec passes-schedule section 8 as a user meets it: a file that breaks it, and what `check` and
 * `passes --verify full` say of it, with place and code. Where a property holds only from
 * some pass on, the file is named like a dump of it; what the compiler printed under any other name counts as being in SSA form. */
#include <string.h>

#include "harness.h"

#define HEAD \
  "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n" \
  "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n" \
  "    def main(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):\n"
#define INDEX "pl.Scalar[pl.INDEX]"
#define TILE "pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec]"
#define LOAD "pl.tile.load(x, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)"
#define ARMS(carried) \
  "        if n == 0:\n            b: " INDEX " = n + 2\n            r: " INDEX " = pl.yield_(b)\n" \
  "        else:\n            d: " INDEX " = n + 3\n            r: " INDEX " = pl.yield_(d)\n" \
  "        c: " INDEX " = " carried " + 1\n"
#define CARRY(last) \
  "        for i, (a,) in pl.range(4, init_values=(n,)):\n            r: " INDEX " = pl.yield_(a)\n" \
  "            b: " INDEX " = a + i\n" last
#define UNKNOWN \
  "        t: " TILE " = pl.tile.exp(pl.tile.frob(x, [0, 0]))\n        pl.tile.store(t, [0, 0], y)\n"
#define INOUT \
  HEAD "        pass\n" \
  "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n" \
  "    def fill(o: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:\n        return o\n" \
  "    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)\n" \
  "    def top(self, z: pl.Tensor[[64, 64], pl.FP32]):\n" \
  "        r: pl.Tensor[[64, 64], pl.FP32] = self.fill(z)\n        s: pl.Tensor[[64, 64], pl.FP32] = self.fill(z)\n"

typedef struct
{
  const char *name;
  const char *file;   /* its name */
  const char *text;
  const char *says;   /* "LINE:COLUMN: error: MESSAGE [CODE]" */
  const char *passes; /* what is run beside `check`; NULL: it is the text itself that `check` finds at fault */
} Row;

static const Row rows[] = {
  { "pipeline-loop-valid", "kernel.py",
    HEAD "        for i in pl.range(4, attrs={\"pipeline_stages\": 2}):\n            a: " INDEX " = i\n",
    "8:9: error: Attribute 'pipeline_stages' stands on a loop that is no pipeline (function 'main') [1]", NULL },
  { "pipeline-resolved", "30_after_CanonicalizeIOOrder.py",
    HEAD "        for i in pl.pipeline(4, stage=2):\n            a: " INDEX " = i\n",
    "8:9: error: Pipeline loop is left (function 'main') [0]", NULL },
  { "unroll-resolved", "02_after_UnrollLoops.py", HEAD "        for i in pl.unroll(4):\n            a: " INDEX " = i\n",
    "8:9: error: Unroll loop is left (function 'main') [0]", NULL },
  { "ssa-form-1", "04_after_ConvertToSSA.py", HEAD "        a: " INDEX " = n\n        a: " INDEX " = a + 1\n",
    "9:9: error: Variable 'a' is defined more than once (function 'main') [1]", NULL },
  { "ssa-form-3", "05_after_FlattenCallExpr.py", HEAD CARRY (""),
    "8:9: error: ForStmt with iter_args must have YieldStmt as its last statement (function 'main') [3]", NULL },
  { "ssa-form-6", "08_after_OutlineHierarchyScopes.py", HEAD ARMS ("d"),
    "14:9: error: Variable 'd' is used outside its defining scope (function 'main') [6]", NULL },
  { "ssa-form-7", "30_after_CanonicalizeIOOrder.py", HEAD CARRY ("            r: " INDEX " = pl.yield_(b)\n"),
    "9:13: error: YieldStmt before the terminating position of its block (function 'main') [7]", NULL },
  { "ssa-form-required", "kernel.py", HEAD "        a: " INDEX " = n\n        a: " INDEX " = a + 1\n",
    "9:9: error: Variable 'a' is defined more than once (function 'main') [1]", "lower-pipeline-loops" },
  { "use-after-def", "kernel.py", HEAD ARMS ("d"),
    "14:9: error: Variable 'd' is used before definition (function 'main') [401]", NULL },
  { "no-nested-calls-201", "07_after_FlattenCallExpr.py", HEAD "        t: " TILE " = pl.tile.exp(" LOAD ")\n",
    "8:9: error: Call of 'tile.load' stands inside an argument of a call (function 'main') [201]", NULL },
  { "no-nested-calls-202", "12_after_OptimizeOrchTensors.py",
    HEAD "        if pl.tensor.dim(x, 0):\n            a: " INDEX " = n\n",
    "8:9: error: Call of 'tensor.dim' stands inside the condition of an if (function 'main') [202]", NULL },
  { "no-nested-calls-203", "29_after_LowerPipelineLoops.py",
    HEAD "        for i in pl.range(pl.tensor.dim(x, 0)):\n            a: " INDEX " = i\n",
    "8:9: error: Call of 'tensor.dim' stands inside a bound of a loop (function 'main') [203]", NULL },
  { "no-nested-calls-204", "32_after_InitMemRef.py", HEAD "        a: " INDEX " = pl.tensor.dim(x, 0) + n\n",
    "8:9: error: Call of 'tensor.dim' stands inside an operand of a binary operator (function 'main') [204]", NULL },
  { "no-nested-calls-205", "07_after_FlattenCallExpr.py", HEAD "        a: " INDEX " = -pl.tensor.dim(x, 0)\n",
    "8:9: error: Call of 'tensor.dim' stands inside the operand of a unary operator or cast (function 'main') [205]", NULL },
  { "no-nested-calls-206", "07_after_FlattenCallExpr.py",
    HEAD "        for (a,) in pl.while_(init_values=(n,)):\n            pl.cond(pl.tensor.dim(x, 0))\n"
         "            b: " INDEX " = a + 1\n            c: " INDEX " = pl.yield_(b)\n",
    "9:13: error: Call of 'tensor.dim' stands inside the condition of a while (function 'main') [206]", NULL },
  { "no-nested-calls-left", "00_frontend.py", HEAD UNKNOWN,
    "8:9: error: Call of 'tile.frob' stands inside an argument of a call (function 'main') [201]", "convert-to-ssa" },
  { "no-nested-calls-required", "00_frontend.py", HEAD UNKNOWN,
    "8:9: error: Call of 'tile.frob' stands inside an argument of a call (function 'main') [201]", "canonicalize-io-order" },
  { "printed-if-without-else", "any.py", HEAD "        if n == 0:\n            r: " INDEX " = pl.yield_(n)\n",
    "8:9: error: IfStmt with return_vars must have else branch (function 'main') [3]", NULL },
  { "printed-else-without-yield", "any.py",
    HEAD "        if n == 0:\n            r: " INDEX " = pl.yield_(n)\n        else:\n            q: " INDEX " = n + 1\n",
    "8:9: error: else branch must have YieldStmt as its last statement (function 'main') [3]", NULL },
  { "printed-iter-args", "any.py",
    HEAD "        for i, (c, d) in pl.range(4, init_values=(n, n)):\n            r: " INDEX " = pl.yield_(c)\n",
    "8:9: error: iter_args count (2) does not match return_vars count (1) (function 'main') [4]", NULL },
  { "printed-iter-args-early", "00_frontend.py",
    HEAD "        for i, (c, d) in pl.range(4, init_values=(n, n)):\n            r: " INDEX " = pl.yield_(c)\n",
    "8:9: error: iter_args count (2) does not match return_vars count (1) (function 'main') [4]", NULL },
  { "printed-yield-in-mid-body", "any.py", HEAD CARRY ("            r: " INDEX " = pl.yield_(b)\n"),
    "9:13: error: YieldStmt before the terminating position of its block (function 'main') [7]", NULL },
  { "printed-out-of-scope", "any.py",
    HEAD "        for i in pl.range(4):\n            s: " INDEX " = i\n        t: " INDEX " = s\n",
    "10:9: error: Variable 's' is used outside its defining scope (function 'main') [6]", NULL },
  { "printed-nested-call", "any.py", HEAD "        t: " TILE " = pl.tile.exp(" LOAD ")\n",
    "8:9: error: Call of 'tile.load' stands inside an argument of a call (function 'main') [201]", NULL },
  { "normalized-stmt-structure", "06_after_NormalizeStmtStructure.py", HEAD CARRY ("            r: " INDEX " = pl.yield_(b)\n"),
    "9:13: error: Yield is not the last statement of its block (function 'main') [0]", NULL },
  { "in-out-use-valid", "kernel.py", INOUT,
    "15:9: error: 'z' is read after the call of 'fill' on line 14 took it for writing (function 'top') [0]", NULL },
};

static void
run_on (const char *args, const char *path, gint status, const char *says)
{
  g_autofree char *all = g_strdup_printf (args, path), *line = says != NULL ? g_strdup_printf ("%s:%s\n", path, says) : NULL;
  Result result;

  run_cli (all, NULL, &result);
  if (result.status != status || (line != NULL && strstr (result.err, line) == NULL))
    g_error ("%s: status %d, expected %d and %s, said:\n%s", all, result.status, status, line, result.err);
  if (line == NULL)
    g_assert_null (strstr (result.err, " error: "));
  result_clear (&result);
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *path = g_build_filename (folder, row->file, NULL);
  g_autofree char *full = g_strdup_printf ("passes %%s --verify full --passes %s", row->passes != NULL ? row->passes : "none");
  g_autofree char *lax = g_strdup_printf ("passes %%s --verify none --passes none");

  g_assert_true (g_file_set_contents (path, row->text, -1, NULL));
  run_on ("check %s", path, row->passes == NULL ? 1 : 0, row->passes == NULL ? row->says : NULL);
  run_on (full, path, 1, row->says);
  run_on (lax, path, 0, NULL);
  remove_tree (folder);
}

/* In a folder the files before one say what must hold in it: nothing undoes what FlattenCallExpr did. The file at fault is named,
 * the others are not. */
static void
test_folder (void)
{
  static const struct { const char *name, *text; } files[] = {
    { "00_frontend.py", HEAD UNKNOWN },
    { "01_after_FlattenCallExpr.py", HEAD "        pass\n" },
    { "02_after_Simplify.py", HEAD UNKNOWN },
  };
  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *check = NULL, *full = NULL, *basic = NULL, *says = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i].name, NULL);

      g_assert_true (g_file_set_contents (path, files[i].text, -1, NULL));
    }
  says = g_build_filename (folder, "02_after_Simplify.py:8:9: error: Call of 'tile.frob' stands inside", NULL);
  check = g_strconcat ("check ", folder, NULL);
  full = g_strconcat ("passes --verify full ", folder, NULL);
  basic = g_strconcat ("passes ", folder, NULL);
  const struct { const char *args; gint status; } runs[] = { { check, 1 }, { full, 1 }, { basic, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      Result result;

      run_cli (runs[i].args, NULL, &result);
      g_test_message ("%s: %s", runs[i].args, result.err);
      g_assert_cmpint (result.status, ==, runs[i].status);
      g_assert_true ((strstr (result.err, says) != NULL) == (runs[i].status == 1));
      g_assert_null (strstr (result.err, "00_frontend.py:8:9: error"));
      result_clear (&result);
    }
  remove_tree (folder);
}

/* The function at fault is shown below the first fault of SSA form, whoever verifies: `check`, a file before its passes, a pass. */
static void
test_function_shown (void)
{
  static const char text[] = HEAD "        a: " INDEX " = n\n        a: " INDEX " = a + 1\n";
  static const struct { const char *name, *args; } runs[] = {
    { "04_after_ConvertToSSA.py", "check --verbose" },
    { "04_after_ConvertToSSA.py", "passes --verify full --verbose --passes none" },
    { "kernel.py", "passes --verify full --verbose --passes lower-pipeline-loops" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *path = g_build_filename (folder, runs[i].name, NULL);
      g_autofree char *args = NULL, *all = NULL;
      Result result;

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
      args = g_strconcat (runs[i].args, " ", path, NULL);
      run_cli (args, NULL, &result);
      all = g_strconcat (result.out, result.err, NULL);
      g_test_message ("%s: %s", args, all);
      g_assert_cmpint (result.status, ==, 1);
      /* Of the file itself only the lines at fault are shown, and its functions are indented. */
      g_assert_nonnull (strstr (all, "\ndef main("));
      result_clear (&result);
      remove_tree (folder);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/cli/verify/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/cli/verify/folder", test_folder);
  g_test_add_func ("/cli/verify/function-shown", test_function_shown);
  return g_test_run ();
}
