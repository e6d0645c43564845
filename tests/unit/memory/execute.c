/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random kernels go through all memory passes and are then run on a toy memory, so that any tile that loses its bytes too early is
 * caught, whatever pass is to blame. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "lang/pypto/pypto.h"
#include "random-kernels.h"
#include "toy-memory.h"

typedef struct
{
  const char *planner, *passes;
  char     *(*gen) (GRand *rand);
  const char *kind; /* of kernels, as the path of the test says it */
} Plan;

#define REUSE "InitMemRef,MaterializeSemanticAliases,MemoryReuse,AllocateMemoryAddr"
#define NO_REUSE "InitMemRef,MaterializeSemanticAliases,AllocateMemoryAddr"
#define PIPELINE "LowerPipelineLoops,CanonicalizeIOOrder,"

static void
check_planner (gconstpointer data)
{
  const Plan *plan = data;
  const char *planner = plan->planner, *passes = plan->passes;
  const char *seed = g_getenv ("TS_EXECUTE_SEED");
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed != NULL ? (guint32) atoi (seed) : 1475);
  const char *asked = g_getenv ("TS_EXECUTE_ROUNDS");
  gboolean tame = plan->gen == ts_random_kernel || plan->gen == ts_random_cube_kernel;
  guint rounds = asked != NULL ? (guint) atoi (asked) : tame ? 200 : 60;
  g_autofree char *shortest = NULL;
  gsize length = 0;
  guint faults = 0;
  for (guint round = 0; round < rounds; round++)
    {
      g_autofree char *kernel = plan->gen (rand);
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (GPtrArray) snapshots = ts_kernel_run (kernel, "InCore", passes, round % 2 ? "none" : "ascend910b", planner, diags);
      if (snapshots == NULL)
        {
          g_autoptr (GString) said = g_string_new (NULL);
          ts_diag_list_format (diags, TRUE, said);
          g_error ("%s\n%s", said->str, kernel);
        }
      const TsPassSnapshot *last = snapshots->pdata[snapshots->len - 1];
      if (last->module == NULL)
        {
          /* Too much may be live for this core; sums always fit. */
          g_assert_true (plan->gen != ts_random_cube_kernel || round % 2 == 0);
          continue;
        }
      for (guint way = 0; way < 4; way++)
        {
          guint64 choices = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
          g_autofree char *wrong = ts_toy_execute (last->module->functions[0], choices);
          if (wrong != NULL)
            {
              g_autofree char *text = ts_pypto_print (last->module, NULL, NULL);
              faults++;
              if (shortest == NULL || strlen (kernel) < length)
                {
                  length = strlen (kernel);
                  g_free (shortest);
                  shortest = g_strdup_printf ("round %u: %s\n%s\n%s", round, wrong, kernel, text);
                }
              break;
            }
        }
    }
  if (faults == 0)
    return;
  g_test_message ("%u of %u kernels lose a tile, the shortest of them in %s", faults, rounds, shortest);
  g_test_fail ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  static const Plan plans[] = {
    { "pypto", REUSE, ts_random_kernel, "" },
    { "dsa-rp", NO_REUSE, ts_random_kernel, "" },
    { "pypto", PIPELINE REUSE, ts_random_cube_kernel, "cube/" },
    { "dsa-rp", PIPELINE NO_REUSE, ts_random_cube_kernel, "cube/" },
    { "pypto", REUSE, ts_random_wild_kernel, "wild/" },
    { "dsa-rp", NO_REUSE, ts_random_wild_kernel, "wild/" },
    { "pypto", PIPELINE REUSE, ts_random_pipeline_kernel, "pipeline/" },
    { "dsa-rp", PIPELINE NO_REUSE, ts_random_pipeline_kernel, "pipeline/" },
    { "pypto", PIPELINE REUSE, ts_random_nest_kernel, "nest/" },
    { "dsa-rp", PIPELINE NO_REUSE, ts_random_nest_kernel, "nest/" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    {
      g_autofree char *path = g_strdup_printf ("/memory/execute/%s%s", plans[i].kind, plans[i].planner);
      g_test_add_data_func (path, &plans[i], check_planner);
    }
  return g_test_run ();
}
