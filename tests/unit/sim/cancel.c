/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every phase of a simulation says how far it is and leaves off when told to. How fast is measured by tests/perf/simulate.c;
 * here the callback itself cancels, so that nothing depends on the clock. */
#include "kernel-text.h"

#include <string.h>

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
  g_test_add_func ("/sim/cancel/writing", test_cancel_writing);
  return g_test_run ();
}
