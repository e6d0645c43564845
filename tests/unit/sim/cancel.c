/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every phase of a simulation says how far it is and leaves off when told to. How fast is measured by tests/perf/simulate.c;
 * here the callback itself cancels, so that nothing depends on the clock. */
#include "kernel-text.h"

#include <string.h>

#include "sim/column.h"

#define TRIPS "20000"
#define BODY \
  "for i in pl.range(0, " TRIPS ", 1):\n    a: pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [1, 128], " \
  "[1, 128], target_memory=pl.Mem.Vec)\n    b: pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec] = pl.tile.add(a, a)\n" \
  "    pl.tile.store(b, [0, 0], z)\n"

static const char *const phases[] = { "execute", "schedule", "results" };

typedef struct
{
  GCancellable *cancellable;
  guint  at;      /* cancels at this call */
  guint  calls, later; /* later: calls after that */
  guint  phase, seen[G_N_ELEMENTS (phases)];
  gint64 done;
} Listener;

static void
listen (const char *what, gint64 done, gint64 total, gpointer data)
{
  Listener *l = data;

  if (strcmp (what, phases[l->phase]) != 0)
    {
      g_assert_cmpuint (++l->phase, <, G_N_ELEMENTS (phases));
      g_assert_cmpstr (what, ==, phases[l->phase]);
      l->done = 0;
    }
  g_assert_cmpint (done, >=, l->done);
  if (total > 0)
    g_assert_cmpint (done, <=, total);
  l->done = done;
  l->seen[l->phase]++;
  l->later += l->cancellable != NULL && g_cancellable_is_cancelled (l->cancellable);
  if (l->calls++ == l->at && l->cancellable != NULL)
    g_cancellable_cancel (l->cancellable);
}

static TsSimulation *
simulate (TsModule *module, const char *machine_name, Listener *l, GError **error)
{
  g_autoptr (TsMachine) machine = ts_machine_load (machine_name, NULL, NULL);
  TsSimOptions options = { .progress = listen, .progress_data = l };

  return ts_simulate (module, ts_module_find_function (module, "main"), machine, &options, l->cancellable, error);
}

static void
test_progress (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, BODY);
  Listener l = { 0 };
  g_autoptr (TsSimulation) s = simulate (module, "ascend910b", &l, NULL);

  g_assert_nonnull (s);
  g_assert_cmpuint (l.phase, ==, G_N_ELEMENTS (phases) - 1);
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    g_assert_cmpuint (l.seen[i], >, 3);
}

/* Wherever it is cancelled, each piece of work under way notices at its next look, and it ends with the right error. */
static void
test_cancel (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, BODY);
  Listener all = { 0 };
  g_autoptr (TsSimulation) whole = simulate (module, "teaching", &all, NULL);

  for (guint at = 0; at < all.calls; at += MAX (all.calls / 24, 1))
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      Listener l = { .cancellable = cancellable, .at = at };
      g_autoptr (TsSimulation) s = simulate (module, "teaching", &l, &error);
      g_assert_null (s);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpuint (l.later, <=, 8);
    }
}

/* A long list of statements is prepared before any of them runs. */
static void
test_cancel_straight (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Listener l = { 0 };

  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (text, "t%u: pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [%u, 0], [1, 128], [1, 128], "
                                  "target_memory=pl.Mem.Vec)\n", i, i % 4096);
  g_autoptr (TsModule) module = kernel_body (NULL, text->str);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  l.cancellable = cancellable;
  g_autoptr (TsSimulation) s = simulate (module, "teaching", &l, &error);
  g_assert_null (s);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (l.calls, ==, 1);
}

/* Statements, instructions or entries that may pass without a word, whatever the program looks like. */
#define MOST_AT_ONCE 4096

/* Work between two looks is bounded by count, and every analysis of the results looks all along the stream, not only when it is
 * through; the second program has thousands of statements, buffers and values. */
static void
test_work_between_looks (void)
{
  g_autoptr (GString) straight = g_string_new (NULL);
  g_string_append (straight, "for i in pl.range(0, 8, 1):\n");
  for (guint i = 0; i < 2500; i++)
    g_string_append_printf (straight, "    t%u: pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [%u, 0], [1, 128], "
                                      "[1, 128], target_memory=pl.Mem.Vec)\n", i, i);
  const char *const bodies[] = { BODY, straight->str };

  for (guint b = 0; b < G_N_ELEMENTS (bodies); b++)
    {
      g_autoptr (TsModule) module = kernel_body (NULL, bodies[b]);
      g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, NULL);
      Listener l = { 0 };
      TsSimOptions options = { .progress = listen, .progress_data = &l, .fill = TS_SIM_FILL_NEVER };
      g_autoptr (TsSimulation) s = ts_simulate (module, ts_module_find_function (module, "main"), machine, &options, NULL, NULL);
      const guint pieces = s->stream->n_instructions / MOST_AT_ONCE;
      g_assert_cmpuint (pieces, >, 3);
      for (guint p = 0; p < 2; p++)
        g_assert_cmpuint (l.seen[p], >=, pieces);
      /* Pipes, depths, what is busy, the last one, loops and their steady state, memory. */
      g_assert_cmpuint (l.seen[2], >=, 7 * pieces);
    }
}

static gboolean
count_down (gconstpointer left)
{
  return (*(guint *) left)-- == 0;
}

/* However long a column grows, its entries stay where they are; all of it is taken out in pieces, or not at all. */
static void
test_column (void)
{
  const guint n = 1000000;
  guint left = G_MAXUINT;
  TsColumn column;

  ts_column_init (&column, sizeof (guint64));
  for (guint round = 0; round < 2; round++)
    {
      const guint64 *first = NULL, *some = NULL;
      for (guint64 i = 0; i < n; i++)
        {
          ts_column_add (&column, i);
          first = i == 0 ? ts_column_at (&column, 0) : first;
          some = i == 777 ? ts_column_at (&column, 777) : some;
        }
      g_assert_true (first == ts_column_at (&column, 0) && some == ts_column_at (&column, 777));
      for (guint i = 0; i < n; i++)
        g_assert_cmpuint (ts_column_index (&column, guint64, i), ==, i);
      left = round == 0 ? G_MAXUINT : 2;
      g_autofree guint64 *all = ts_column_take (&column, count_down, &left);
      g_assert_cmpuint (column.len, ==, 0);
      if (round == 1)
        {
          g_assert_null (all);
          continue;
        }
      g_assert_cmpuint (G_MAXUINT - left, >=, n * sizeof (guint64) / (256 * 1024));
      for (guint i = 0; i < n; i++)
        g_assert_cmpuint (all[i], ==, i);
    }
  g_autofree guint64 *none = ts_column_take (&column, NULL, NULL);
  g_assert_nonnull (none);
}

typedef struct
{
  GCancellable *cancellable;
  guint left, asked;
} Countdown;

static const char *
since_then_cancel (gint32 op, gint32 on, gpointer data)
{
  Countdown *c = data;

  c->asked++;
  if (c->left-- == 0)
    g_cancellable_cancel (c->cancellable);
  return NULL;
}

static void
test_cancel_writing (void)
{
  g_autoptr (TsModule) module = kernel_body (NULL, BODY);
  g_autoptr (TsSimulation) s = kernel_simulate (module, "main", NULL, NULL, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GString) out = g_string_new (NULL);
  Countdown count = { .cancellable = cancellable, .left = 5000 };
  TsSimContext context = { .since = since_then_cancel, .since_data = &count, .cancellable = cancellable };

  g_assert_false (ts_simulation_to_json (s, &context, FALSE, out));
  g_assert_cmpuint (count.asked, <, 5000 + 2000);
  gsize cut = out->len;
  context = (TsSimContext) { 0 };
  g_string_truncate (out, 0);
  g_assert_true (ts_simulation_to_json (s, &context, FALSE, out));
  g_assert_cmpuint (cut, <, out->len / 2);

  context.cancellable = cancellable;
  g_string_truncate (out, 0);
  g_assert_false (ts_simulation_to_trace (s, &context, out));
  g_assert_cmpuint (out->len, <, 10000);
  g_assert_null (ts_buffer_edges_new (s->stream, cancellable));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/cancel/progress", test_progress);
  g_test_add_func ("/sim/cancel/simulation", test_cancel);
  g_test_add_func ("/sim/cancel/straight-code", test_cancel_straight);
  g_test_add_func ("/sim/cancel/work-between-looks", test_work_between_looks);
  g_test_add_func ("/sim/cancel/column", test_column);
  g_test_add_func ("/sim/cancel/writing", test_cancel_writing);
  return g_test_run ();
}
