/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random pipelines in little memory, under both planners, at every snapshot: the stages that share bytes are the same to the
 * simulator as to the memory map, every pair that meets is told, and of every one it is known which pass and which step made it. */
#include <string.h>

#include "run/run.h"

/* --- kernels ------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  guint    stages, rows;
  gboolean carried; /* a sum goes from one iteration to the next */
} Shape;

#define TILE "pl.Tile[[ROWS, 64], pl.FP32, pl.Mem.Vec]"

static char *
make_kernel (GRand *rand, const Shape *shape)
{
  static const char *const unary[] = { "exp", "recip", "neg", "rsqrt" };
  GString *out = g_string_new ("import pypto.language as pl\n\n");
  guint n = 0, last, length = (guint) g_rand_int_range (rand, 2, 6);

  g_string_append_printf (out, "ROWS = %u\n\n@pl.program\nclass Random:\n    @pl.function(type=pl.FunctionType.InCore)\n"
                          "    def kernel(self, x: pl.Tensor[[ROWS * 16, 64], pl.FP32],\n"
                          "               y: pl.Out[pl.Tensor[[ROWS * 16, 64], pl.FP32]]) -> "
                          "pl.Tensor[[ROWS * 16, 64], pl.FP32]:\n",
                          shape->rows);
  if (shape->carried)
    g_string_append (out, "        s: " TILE " = pl.load(x, [0, 0], [ROWS, 64])\n");
  g_string_append_printf (out, "        for i in pl.pipeline(0, 8, 1, stage=%u):\n", shape->stages);
  g_string_append (out, "            t0: " TILE " = pl.load(x, [i * ROWS, 0], [ROWS, 64])\n");
  for (n = 1; n < length; n++)
    {
      guint a = (guint) g_rand_int_range (rand, 0, (gint) n), b = (guint) g_rand_int_range (rand, 0, (gint) n);

      if (g_rand_int_range (rand, 0, 4) == 0)
        g_string_append_printf (out, "            t%u: " TILE " = pl.load(x, [i * ROWS + %u, 0], [ROWS, 64])\n", n, n);
      else if (g_rand_boolean (rand))
        g_string_append_printf (out, "            t%u: " TILE " = pl.add(t%u, t%u)\n", n, a, b);
      else
        g_string_append_printf (out, "            t%u: " TILE " = pl.tile.%s(t%u)\n", n, unary[g_rand_int_range (rand, 0, 4)], a);
    }
  last = n - 1;
  if (shape->carried)
    g_string_append_printf (out, "            s = pl.add(s, t%u)\n", last);
  g_string_append_printf (out, "            y = pl.store(t%u, [i * ROWS, 0], y)\n", last);
  if (shape->carried)
    g_string_append (out, "        y = pl.store(s, [0, 0], y)\n");
  g_string_append (out, "        return y\n");
  return g_string_free (out, FALSE);
}

static TsRun *
run_kernel (const char *text, TsPlanner planner, gint64 vec)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsInput) input = ts_input_from_text ("random.py", text, strlen (text), NULL, &error);
  g_autofree char *room = g_strdup_printf ("memory.vec=%" G_GINT64_FORMAT, vec);
  const char *overrides[] = { room, NULL };
  TsRunOptions options = TS_RUN_OPTIONS_INIT;
  TsRun *run;

  g_assert_no_error (error);
  options.machine = "ascend910b";
  options.overrides = overrides;
  options.planner = planner;
  run = ts_run_new (input, &options, &error);
  g_assert_no_error (error);
  ts_run_prepare (run, NULL, NULL, NULL, &error); /* a space that is too small after all fails at the end, which is fine */
  g_clear_error (&error);
  return run;
}

/* --- checks ------------------------------------------------------------------------------------------------------------- */

static char *
describe (gint32 group, const gint32 *stages, guint n, const char *base, const char *with, gint64 bytes)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "group %d:", group);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, " %d", stages[i]);
  g_string_append_printf (out, " in %s and %s, %" G_GINT64_FORMAT " bytes\n", base, with != NULL ? with : base, bytes);
  return g_string_free (out, FALSE);
}

static char *
by_facts (const TsMemoryFacts *facts)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < facts->n_sets; i++)
    {
      const TsMemoryCollapseSet *set = &facts->sets[i];
      g_autofree char *line = describe (set->group, set->stages, set->n_stages, facts->buffers[set->buffer_a].name,
                                        facts->buffers[set->buffer_b].name, set->bytes);
      g_string_append (out, line);
    }
  return g_string_free (out, FALSE);
}

static char *
by_simulation (const TsSimulation *simulation)
{
  GString *out = g_string_new (NULL);

  for (guint m = 0; m < simulation->result->n_memory; m++)
    for (guint i = 0; i < simulation->result->memory[m].n_collapsed; i++)
      {
        const TsCollapsed *c = &simulation->result->memory[m].collapsed[i];
        g_autofree char *line = describe (c->group, c->stages, c->n_stages, c->base, c->with, c->bytes);
        g_string_append (out, line);
      }
  return g_string_free (out, FALSE);
}

static gboolean
is_recorded (const TsMemoryFacts *facts, const TsMemoryTile *a, const TsMemoryTile *b, const TsStage *x, const TsStage *y)
{
  for (guint i = 0; i < facts->n_collapses; i++)
    {
      const TsMemoryCollapse *c = &facts->collapses[i];
      gboolean buffers = MIN (c->buffer_a, c->buffer_b) == MIN (a->buffer, b->buffer)
                         && MAX (c->buffer_a, c->buffer_b) == MAX (a->buffer, b->buffer);

      if (buffers && c->group == x->group && c->stage_a == MIN (x->stage, y->stage) && c->stage_b == MAX (x->stage, y->stage))
        return TRUE;
    }
  return FALSE;
}

/* Without a carried value no stage hands one on: every two stages whose tiles have bytes in common are recorded. */
static void
check_complete (const TsMemoryFacts *facts)
{
  for (guint t = 0; t < facts->n_tiles; t++)
    for (guint u = 0; u < t; u++)
      {
        const TsMemoryTile *a = &facts->tiles[u], *b = &facts->tiles[t];

        if (!a->begins || !b->begins || ts_memory_shared_bytes (facts, a, b) == 0)
          continue;
        for (guint i = 0; i < a->n_stages; i++)
          for (guint k = 0; k < b->n_stages; k++)
            if (a->stages[i].group == b->stages[k].group && a->stages[i].stage != b->stages[k].stage)
              g_assert_true (is_recorded (facts, a, b, &a->stages[i], &b->stages[k]));
      }
}

/* Returns how many of them it was asked about. */
static guint
check_origins (TsRun *run, guint index, const TsMemoryFacts *facts)
{
  for (guint i = 0; i < facts->n_collapses; i++)
    {
      const TsMemoryCollapse *c = &facts->collapses[i];
      TsSharing sharing;

      g_assert_true (ts_run_collapse_origin (run, index, facts->tiles[c->tile_a].op, facts->tiles[c->tile_b].op, NULL, &sharing));
      g_assert_nonnull (sharing.pass);
      g_assert_cmpuint (sharing.since, <=, index);
      g_assert_nonnull (sharing.reason);
      g_assert_nonnull (sharing.step);
    }
  return facts->n_collapses;
}

static guint
check_run (TsRun *run, gboolean carried)
{
  guint seen = 0;

  for (guint i = 0; i < ts_run_n_snapshots (run); i++)
    {
      const TsMemoryFacts *facts;
      const TsSimulation *simulation;

      if (ts_run_snapshot (run, i)->module == NULL)
        continue;
      facts = ts_run_memory (run, i, NULL, NULL, NULL);
      if (facts == NULL)
        continue;
      for (guint s = 0; s < facts->n_spaces; s++)
        g_assert_cmpint (facts->spaces[s].live_max, <=, facts->spaces[s].high_water);
      simulation = ts_run_simulate (run, i, NULL, NULL, NULL, NULL, NULL);
      g_assert_nonnull (simulation);
      g_autofree char *drawn = by_facts (facts), *simulated = by_simulation (simulation);
      g_assert_cmpstr (simulated, ==, drawn);
      if (!carried)
        check_complete (facts);
      seen += check_origins (run, i, facts);
    }
  return seen;
}

static void
test_random (gconstpointer planner)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20);
  guint seen = 0, n = g_test_thorough () ? 200 : 30;

  for (guint i = 0; i < n; i++)
    {
      Shape shape = { (guint) g_rand_int_range (rand, 2, 5), 16, g_rand_int_range (rand, 0, 3) == 0 };
      g_autofree char *text = make_kernel (rand, &shape);
      g_autoptr (TsRun) run = run_kernel (text, GPOINTER_TO_UINT (planner), 4096 * g_rand_int_range (rand, 2, 9));

      g_test_message ("%s", text);
      seen += check_run (run, shape.carried);
    }
  g_assert_cmpuint (seen, >, n / 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/run/collapse/pypto", GUINT_TO_POINTER (TS_PLANNER_PYPTO), test_random);
  g_test_add_data_func ("/run/collapse/dsa-rp", GUINT_TO_POINTER (TS_PLANNER_DSA_RP), test_random);
  return g_test_run ();
}
