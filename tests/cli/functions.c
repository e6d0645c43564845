/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions of a program are simulated, and what is said of those that are not. Source: issue "The kernel language,
 * whole". */
#include <string.h>

#include "harness.h"

#define KINDS "@G/../cli/kernels/function-kinds.py"
#define TENSOR_LEVEL "nothing in the function uses a pipe: tensor-level code gets its pipes when it is tiled"
#define HOW "tilescope-cli: <stdin>: This kernel works on whole tensors"
#define TENSORS \
  "import pypto.language as pl\n\n@pl.function\n" \
  "def f(x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:\n" \
  "    z: pl.Tensor[[64, 64], pl.FP32] = pl.add(x, x)\n    return z\n"

/* One function of each kind; `why` NULL: it is simulated. */
static void
test_kinds (void)
{
  static const struct { const char *function, *why; } rows[] = {
    { "core", NULL },
    { "vector", NULL },
    { "group", NULL },
    { "opaque", TENSOR_LEVEL },
    { "inline", TENSOR_LEVEL },
    { "tensors", TENSOR_LEVEL },
    { "idle_group", "the group calls no function for a cube or vector core" },
    { "outside", "its code is in a source file of its own, outside the program" },
    { "main", "orchestration runs on the scheduler, not on the pipes of a core" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *args = g_strconcat ("simulate " KINDS " --passes none --function ", rows[i].function, NULL), *says = NULL;
      Result result;

      says = rows[i].why != NULL ? g_strdup_printf ("Function %s cannot be simulated: %s\n", rows[i].function, rows[i].why)
                                 : g_strdup_printf ("%s, frontend on ascend910b, simulated\n", rows[i].function);
      run_cli (args, NULL, &result);
      g_assert_cmpint (result.status, ==, rows[i].why != NULL ? 1 : 0);
      if (strstr (rows[i].why != NULL ? result.err : result.out, says) == NULL)
        g_error ("%s: not said: %s, but %s%s", args, says, result.out, result.err);
      result_clear (&result);
    }
}

/* By itself the group is taken, whatever stands before it. */
static void
test_default (void)
{
  Result result;

  run_cli ("simulate " KINDS " --passes none", NULL, &result);
  g_assert_cmpint (result.status, ==, 0);
  g_assert_true (g_str_has_prefix (result.out, "group, "));
  result_clear (&result);
}

/* check says of tensor-level code what the other commands say of it, and nothing where a function can be simulated. */
static void
test_check (void)
{
  static const struct { const char *args, *input; gboolean says; } rows[] = {
    { "check -", TENSORS, TRUE },
    { "check --quiet -", TENSORS, FALSE },
    { "check --json -", TENSORS, FALSE },
    { "check " KINDS, NULL, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Result result;

      run_cli (rows[i].args, rows[i].input, &result);
      g_assert_cmpint (result.status, ==, 0);
      if ((strstr (result.err, HOW) != NULL) != rows[i].says)
        g_error ("%s: %s", rows[i].args, result.err);
      result_clear (&result);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli/functions/kinds", test_kinds);
  g_test_add_func ("/cli/functions/default", test_default);
  g_test_add_func ("/cli/functions/check", test_check);
  return g_test_run ();
}
