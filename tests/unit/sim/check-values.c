/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worked check values of spec simulator.md section 5, all ten of them, and one run looked at in full. */
#include "kernel-text.h"

static const char natural_1[] = "for i in pl.range(0, 4, 1):\n" LOAD ("0") ADD ("0") STORE ("0");
static const char natural_2[] = "for i in pl.range(0, 4, 2):\n" LOAD ("0") ADD ("0") STORE ("0") LOAD ("1") ADD ("1") STORE ("1");
static const char reordered_2[] = "for i in pl.range(0, 4, 2):\n" LOAD ("0") LOAD ("1") ADD ("0") STORE ("0") ADD ("1") STORE ("1");
static const char reordered_4[] = "for i in pl.range(0, 4, 4):\n" LOAD ("0") LOAD ("1") LOAD ("2") LOAD ("3") ADD ("0") STORE (
  "0") ADD ("1") STORE ("1") ADD ("2") STORE ("2") ADD ("3") STORE ("3");
static const char stores_last[] = "for i in pl.range(0, 4, 4):\n" LOAD ("0") LOAD ("1") LOAD ("2") LOAD ("3") ADD ("0") ADD ("1")
  ADD ("2") ADD ("3") STORE ("0") STORE ("1") STORE ("2") STORE ("3");

typedef struct
{
  const char *name;
  const char *body;
  gint64      in_order, queue_8;
} CheckValue;

static const CheckValue check_values[] = {
  { "one-body", natural_1, 588, 588 },
  { "two-natural", natural_2, 588, 552 },
  { "two-reordered", reordered_2, 564, 552 },
  { "four-reordered", reordered_4, 768, 552 },
  { "four-stores-last", stores_last, 864, 552 },
};

static void
test_check_value (gconstpointer data)
{
  const CheckValue *value = data;
  g_autoptr (TsModule) module = kernel_body (NULL, value->body);
  g_autoptr (TsSimulation) in_order = kernel_simulate (module, "main", NULL, NULL, NULL);
  g_autoptr (TsSimulation) queued = kernel_simulate (module, "main", NULL, "queue-depth=8", NULL);

  g_assert_cmpint (in_order->result->makespan, ==, value->in_order);
  g_assert_cmpint (queued->result->makespan, ==, value->queue_8);
}

/* Row 3, first column, as the specification reads it. */
static void
test_row_three (void)
{
  static const gint64 starts[] = { 0, 108, 108, 120, 216, 228, 228, 336, 336, 348, 444, 456 };
  static const guint32 critical[] = { 0, 1, 4, 5, 6, 7, 10, 11 };
  g_autoptr (TsModule) module = kernel_body (NULL, reordered_2);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
  const TsResult *r = s->result;

  g_assert_cmpuint (s->stream->n_instructions, ==, G_N_ELEMENTS (starts));
  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    g_assert_cmpint (s->schedule->start[i], ==, starts[i]);
  g_assert_cmpint (r->resource, ==, 432);
  g_assert_cmpint (r->dependence, ==, 228);
  g_assert_cmpint (r->bound, ==, 432);
  g_assert_cmpint (r->overlap[0], ==, 0);
  g_assert_cmpint (r->overlap[0] + r->overlap[1] + r->overlap[2] + r->overlap[3], ==, 564);
  g_assert_cmpuint (r->n_critical, ==, G_N_ELEMENTS (critical));
  for (guint i = 0; i < r->n_critical; i++)
    g_assert_cmpuint (r->critical[i], ==, critical[i]);
  g_assert_cmpuint (r->n_loops, ==, 1);
  g_assert_cmpint (r->loops[0].iterations, ==, 2);
  g_assert_cmpint (r->loops[0].interval, ==, 228);
  g_assert_cmpint (r->loops[0].res_mii, ==, 216);
  g_assert_cmpint (r->loops[0].rec_mii, ==, 0);
  g_assert_cmpint (r->loops[0].binding, ==, TS_BINDING_RESOURCE);
  g_assert_cmpint (r->loops[0].steady_begin - r->loops[0].begin, ==, 0);
  g_assert_cmpint (r->loops[0].steady_end - r->loops[0].steady_begin, ==, 456);
  g_assert_cmpint (r->loops[0].end - r->loops[0].steady_end, ==, 108);
  g_assert_cmpuint (r->n_memory, ==, 1);
  g_assert_cmpint (r->memory[0].high_water, ==, 2048);
  g_assert_cmpint (r->memory[0].capacity, ==, 65536);
  g_assert_cmpint (r->pipes[0].pipe, ==, TS_PIPE_MTE2);
  g_assert_cmpint (r->pipes[0].idle[TS_CAUSE_DISPATCH], ==, 12);
  g_assert_cmpint (r->pipes[0].done, ==, 120);
}

/* Busy, idle by cause and what is left at the end make up the makespan on every pipe; bounds hold. */
static void
check_sums (const TsSimulation *s)
{
  const TsResult *r = s->result;
  gint64 overlap = 0;

  for (guint i = 0; i < r->n_pipes; i++)
    {
      gint64 sum = r->pipes[i].busy + r->pipes[i].done;
      for (guint c = 0; c < TS_N_CAUSES; c++)
        sum += r->pipes[i].idle[c];
      g_assert_cmpint (sum, ==, r->makespan);
      g_assert_cmpint (r->pipes[i].idle[TS_CAUSE_PIPE], ==, 0);
      g_assert_cmpint (r->pipes[i].idle[TS_CAUSE_NONE], ==, 0);
    }
  for (guint n = 0; n <= TS_N_LANES; n++)
    overlap += r->overlap[n];
  g_assert_cmpint (overlap, ==, r->makespan);
  g_assert_cmpint (r->makespan, >=, r->bound);
}

static void
test_sums (void)
{
  static const char *const machines[] = { "teaching", "ascend910b", "ascend950" };

  for (guint m = 0; m < G_N_ELEMENTS (machines); m++)
    for (guint i = 0; i < G_N_ELEMENTS (check_values); i++)
      {
        g_autoptr (TsModule) module = kernel_body (NULL, check_values[i].body);
        g_autoptr (TsSimulation) s = kernel_simulate (module, "main", machines[m], NULL, NULL);
        check_sums (s);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (check_values); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/check-values/", check_values[i].name, NULL);
      g_test_add_data_func (path, &check_values[i], test_check_value);
    }
  g_test_add_func ("/sim/check-values/row-three", test_row_three);
  g_test_add_func ("/sim/check-values/sums", test_sums);
  return g_test_run ();
}
