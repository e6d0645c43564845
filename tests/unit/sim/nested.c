/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls in expressions cost what they cost as statements, in the kernel as it was read and after every pass. */
#include "kernel-text.h"
#include "passes/pipeline.h"

#include <string.h>

typedef struct
{
  const char *name;
  const char *nested, *flat; /* bodies of a kernel as users write it */
  const char *ops;           /* what both execute as they are read; NULL: not looked at */
} Pair;

#define AT "[i * 8, 0]"
#define LOAD_X "pl.load(x, " AT ", [8, 64])"

static const Pair pairs[] = {
  { "store-exp-load", "for i in pl.range(2):\n    y = pl.store(pl.exp(" LOAD_X "), " AT ", y)\n",
    "for i in pl.range(2):\n    t = " LOAD_X "\n    e = pl.exp(t)\n    y = pl.store(e, " AT ", y)\n",
    "load@MTE2 exp@V store@MTE3 load@MTE2 exp@V store@MTE3 " },
  { "pipeline", "for i in pl.pipeline(8, stage=2):\n    y = pl.store(pl.exp(" LOAD_X "), " AT ", y)\n",
    "for i in pl.pipeline(8, stage=2):\n    t = " LOAD_X "\n    e = pl.exp(t)\n    y = pl.store(e, " AT ", y)\n", NULL },
  { "two-loads", "for i in pl.range(1):\n    y = pl.store(pl.add(" LOAD_X ", pl.mul(" LOAD_X ", 2.0)), " AT ", y)\n",
    "for i in pl.range(1):\n    a = " LOAD_X "\n    b = " LOAD_X "\n    c = pl.mul(b, 2.0)\n    d = pl.add(a, c)\n"
    "    y = pl.store(d, " AT ", y)\n",
    "load@MTE2 load@MTE2 muls@V add@V store@MTE3 " },
  { "return", "t = pl.load(x, [0, 0], [8, 64])\nreturn pl.store(pl.exp(t), [0, 0], y)\n",
    "t = pl.load(x, [0, 0], [8, 64])\ne = pl.exp(t)\ny = pl.store(e, [0, 0], y)\nreturn y\n", "load@MTE2 exp@V store@MTE3 " },
  { "only-a-return", "return pl.store(pl.load(x, [0, 0], [8, 64]), [0, 0], y)\n",
    "t = pl.load(x, [0, 0], [8, 64])\ny = pl.store(t, [0, 0], y)\nreturn y\n", "load@MTE2 store@MTE3 " },
  { "condition", "t = pl.load(x, [0, 0], [8, 64])\nif pl.tile.read(t, [0, 0]) > 0.0:\n    y = pl.store(t, [0, 0], y)\n",
    "t = pl.load(x, [0, 0], [8, 64])\nv = pl.tile.read(t, [0, 0])\nif v > 0.0:\n    y = pl.store(t, [0, 0], y)\n",
    "load@MTE2 read@S store@MTE3 " },
  { "while",
    "t = pl.load(x, [0, 0], [8, 64])\nc = 0\nwhile pl.tile.read(t, [c, 0]) > 0.0:\n    c = c + 1\n"
    "    y = pl.store(t, [0, 0], y)\n",
    "t = pl.load(x, [0, 0], [8, 64])\nc = 0\nv = pl.tile.read(t, [c, 0])\ngo = v > 0.0\nwhile go:\n    c = c + 1\n"
    "    y = pl.store(t, [0, 0], y)\n    v = pl.tile.read(t, [c, 0])\n    go = v > 0.0\n",
    NULL },
  { "carried",
    "t = pl.load(x, [0, 0], [8, 64])\nfor i, (a,) in pl.range(4, init_values=(pl.exp(t),)):\n"
    "    b = pl.yield_(pl.add(a, " LOAD_X "))\n"
    "y = pl.store(b, [0, 0], y)\n",
    "t = pl.load(x, [0, 0], [8, 64])\ne = pl.exp(t)\nfor i, (a,) in pl.range(4, init_values=(e,)):\n    u = " LOAD_X "\n"
    "    s = pl.add(a, u)\n    b = pl.yield_(s)\ny = pl.store(b, [0, 0], y)\n",
    NULL },
  { "block-index",
    "t = pl.load(x, [pl.tile.get_block_idx() * 8, 0], [8, 64])\ny = pl.store(t, [pl.tile.get_block_idx() * 8, 0], y)\n",
    "k = pl.tile.get_block_idx()\nt = pl.load(x, [k * 8, 0], [8, 64])\n"
    "m = pl.tile.get_block_idx()\ny = pl.store(t, [m * 8, 0], y)\n",
    "load@MTE2 store@MTE3 " },
  { "view", "t = pl.load(x, [0, 0], [8, 64])\ny = pl.store(pl.tile.reshape(pl.exp(t), [8, 64]), [0, 0], y)\n",
    "t = pl.load(x, [0, 0], [8, 64])\ne = pl.exp(t)\nr = pl.tile.reshape(e, [8, 64])\ny = pl.store(r, [0, 0], y)\n",
    "load@MTE2 exp@V store@MTE3 " },
};

static TsModule *
read_kernel (const char *body)
{
  GString *text = g_string_new ("import pypto.language as pl\n\n@pl.function(type=pl.FunctionType.InCore)\n"
                                "def f(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) "
                                "-> pl.Tensor[[64, 64], pl.FP32]:\n");
  g_auto (GStrv) lines = g_strsplit (body, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (**line != '\0')
      g_string_append_printf (text, "    %s\n", *line);
  if (strstr (body, "return") == NULL)
    g_string_append (text, "    return y\n");
  g_autofree char *all = g_string_free (text, FALSE);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("kernel.py", all);
  TsModule *module = ts_pypto_parse (source, strings, NULL, diags);
  g_autoptr (GString) said = g_string_new (NULL);
  ts_diag_list_format (diags, TRUE, said);
  if (module == NULL || ts_diag_list_has_errors (diags))
    g_error ("%s%s", all, said->str);
  return module;
}

static GPtrArray *
run_default (const char *body, TsMachine *machine)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) plan = ts_pass_plan_parse ("default", TS_LANGUAGE_PYPTO, TS_PLANNER_PYPTO, &error);
  TsPipelineOptions options = { .machine = machine, .verify = TS_VERIFY_FULL };
  g_assert_no_error (error);
  return ts_pipeline_run (read_kernel (body), plan, &options);
}

/* Instructions with their pipes, when they start and end, and what memory they need. */
static char *
account (const TsModule *module, TsMachine *machine, gboolean times)
{
  g_autoptr (GError) error = NULL;
  TsSimulation *s = ts_simulate (module, module->functions[0], machine, NULL, NULL, &error);
  g_assert_no_error (error);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < s->stream->n_instructions; i++)
    {
      const TsSite *site = ts_stream_site (s->stream, i);
      const char *dot = strchr (site->name, '.');
      g_assert_cmpint (site->statement, <, module->n_ops);
      g_string_append_printf (text, "%s@%s ", dot != NULL ? dot + 1 : site->name, ts_pipe_name ((TsPipe) site->pipe));
      if (times)
        g_string_append_printf (text, "%" G_GINT64_FORMAT " ", s->schedule->start[i]);
    }
  for (guint i = 0; i < s->result->n_memory && times; i++)
    g_string_append_printf (text, "%s %" G_GINT64_FORMAT "\n", ts_space_name ((TsSpace) s->result->memory[i].space),
                            s->result->memory[i].high_water);
  ts_simulation_free (s);
  return g_string_free (text, FALSE);
}

static void
test_pair (gconstpointer data)
{
  const Pair *pair = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) nested = run_default (pair->nested, machine), flat = run_default (pair->flat, machine);
  g_assert_cmpuint (nested->len, ==, flat->len);
  for (guint i = 0; i < nested->len; i++)
    {
      const TsPassSnapshot *a = nested->pdata[i], *b = flat->pdata[i];
      g_assert_cmpint (a->status, ==, TS_SNAPSHOT_OK);
      g_assert_cmpint (b->status, ==, TS_SNAPSHOT_OK);
      g_autofree char *got = account (a->module, machine, TRUE), *expected = account (b->module, machine, TRUE);
      g_test_message ("snapshot %u", i);
      g_assert_cmpstr (got, ==, expected);
      if (i > 0 || pair->ops == NULL)
        continue;
      g_autofree char *ops = account (a->module, machine, FALSE);
      g_assert_cmpstr (ops, ==, pair->ops);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/nested/", pairs[i].name, NULL);
      g_test_add_data_func (path, &pairs[i], test_pair);
    }
  return g_test_run ();
}
