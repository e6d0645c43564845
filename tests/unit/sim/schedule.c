/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scheduler against a second one and against the laws it must keep. */
#include "random-stream.h"
#include "slow-scheduler.h"

#include "sim/result.h"

static void
compare_with_slow (const TsStream *stream, const TsMachineTiming *timing, guint32 seed)
{
  g_autoptr (TsSchedule) fast = ts_schedule_new (stream, timing, NULL, NULL, NULL);
  gboolean stuck;
  g_autofree SlowEvent *slow = slow_schedule (stream, timing, &stuck);

  g_test_message ("seed %u", seed);
  g_assert_cmpint (fast->status, ==, stuck ? TS_SCHEDULE_DEADLOCK : TS_SCHEDULE_DONE);
  g_assert_cmpint (fast->n_blocked > 0, ==, stuck);
  for (guint i = 0; i < stream->n_instructions; i++)
    {
      if (!slow[i].done)
        {
          g_assert_cmpint (fast->start[i], ==, TS_TIME_NONE);
          continue;
        }
      g_assert_cmpint (fast->dispatch[i], ==, slow[i].dispatch);
      g_assert_cmpint (fast->start[i], ==, slow[i].start);
      g_assert_cmpint (fast->end[i], ==, slow[i].end);
      g_assert_cmpint (ts_schedule_visible (fast, stream, timing, i), ==, slow[i].visible);
      g_assert_cmpint (fast->wait[i], ==, slow[i].wait);
      g_assert_cmpint (fast->cause[i], ==, slow[i].cause);
      g_assert_cmpint (fast->on[i], ==, slow[i].on);
      /* Which of several buffers with the same two statements and the same time is left open. */
      if (fast->cause[i] == TS_CAUSE_MEMORY || fast->cause[i] == TS_CAUSE_FIFO || fast->cause[i] >= TS_CAUSE_PIPE)
        g_assert_cmpint (fast->buffer[i], ==, slow[i].through);
    }
}

static void
run_random (const RandomOptions *options, guint rounds, guint32 base)
{
  for (guint r = 0; r < rounds; r++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (base + r);
      RandomOptions o = *options;
      TsMachineTiming timing;
      o.n = 1 + (guint) g_rand_int_range (rand, 0, (gint32) options->n);
      random_timing (rand, &o, &timing);
      g_autoptr (TsStream) stream = random_stream (rand, &o);
      compare_with_slow (stream, &timing, base + r);
    }
}

static void
test_slow_plain (void)
{
  run_random (&(RandomOptions) { .n = 40, .cores = 1, .queue = 0 }, 1500, 1000);
}

static void
test_slow_full (void)
{
  run_random (&(RandomOptions) { .n = 40, .cores = 1, .queue = -1, .sync = TRUE, .flight = TRUE }, 2500, 20000);
}

static void
test_slow_signals (void)
{
  run_random (&(RandomOptions) { .n = 30, .cores = 1, .queue = -1, .sync = TRUE, .flight = TRUE, .signals = TRUE }, 500, 30000);
}

static void
test_slow_cores (void)
{
  run_random (&(RandomOptions) { .n = 25, .cores = 2, .queue = -1, .sync = TRUE, .flight = TRUE, .signals = TRUE }, 600, 40000);
  run_random (&(RandomOptions) { .n = 20, .cores = 3, .queue = -1, .sync = TRUE, .signals = TRUE }, 600, 50000);
}

/* --- laws ------------------------------------------------------------------------------------------------------------------- */

static void
check_flight (const TsStream *stream, const TsSchedule *schedule, const TsMachineTiming *timing)
{
  for (guint p = 0; p < TS_N_PIPES; p++)
    for (guint i = 0; i < stream->n_instructions; i++)
      {
        gint64 together = 0;
        for (guint j = 0; ts_stream_site (stream, i)->pipe == p && j <= i; j++)
          together += ts_stream_site (stream, j)->pipe == p && ts_stream_site (stream, j)->sync == TS_SYNC_NONE
                      && schedule->end[j] > schedule->start[i];
        g_assert_cmpint (together, <=, timing->in_flight[p]);
      }
}

static void
test_laws (void)
{
  for (guint32 seed = 0; seed < 400; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      RandomOptions o = { .n = 60, .cores = 1, .queue = -1, .sync = TRUE, .flight = TRUE, .signals = seed % 2 == 0 };
      TsMachineTiming timing;
      random_timing (rand, &o, &timing);
      g_autoptr (TsStream) stream = random_stream (rand, &o);
      g_autoptr (TsSchedule) a = ts_schedule_new (stream, &timing, NULL, NULL, NULL);
      g_autoptr (TsSchedule) b = ts_schedule_new (stream, &timing, NULL, NULL, NULL);
      check_flight (stream, a, &timing);
      for (guint i = 0; i < stream->n_instructions; i++)
        {
          g_assert_cmpint (a->start[i], >=, a->dispatch[i]);
          g_assert_cmpint (a->end[i], >=, a->start[i]);
          g_assert_cmpint (i == 0 ? 0 : a->dispatch[i - 1] + timing.dispatch_cost, <=, a->dispatch[i]);
          g_assert_cmpint (a->start[i], ==, b->start[i]);
          g_assert_cmpint (a->cause[i], ==, b->cause[i]);
          g_assert_cmpint (a->on[i], ==, b->on[i]);
          g_assert_cmpint (a->buffer[i], ==, b->buffer[i]);
        }
    }
}

/* More room in the queues never makes a stream slower, whatever synchronising costs: all constraints name instructions by their
 * place in the stream, none by when they happen. */
static void
test_queue_monotone (void)
{
  for (guint32 seed = 0; seed < 500; seed++)
    {
      gint64 last = G_MAXINT64;
      for (gint queue = 0; queue <= 6; queue++)
        {
          g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
          RandomOptions o = { .n = 60, .cores = 1, .queue = queue, .flight = seed % 2 == 0, .sync = seed % 3 != 0,
                              .signals = seed % 5 != 0 };
          TsMachineTiming timing;
          random_timing (rand, &o, &timing);
          g_autoptr (TsStream) stream = random_stream (rand, &o);
          g_autoptr (TsSchedule) schedule = ts_schedule_new (stream, &timing, NULL, NULL, NULL);
          g_assert_cmpint (schedule->makespan, <=, last);
          last = schedule->makespan;
        }
    }
}

/* Flags and barriers put between the operations of a stream never let any of them start earlier. */
static void
test_flags_monotone (void)
{
  guint later = 0;

  for (guint32 seed = 0; seed < 1500; seed++)
    {
      RandomOptions o = { .n = 40, .cores = 1 + seed % 3, .queue = -1, .sync = seed % 4 != 0, .flight = TRUE };
      TsMachineTiming timing;
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed), again = g_rand_new_with_seed (seed);
      random_timing (rand, &o, &timing);
      g_autoptr (TsStream) plain = random_stream (rand, &o);
      o.between = seed + 1;
      random_timing (again, &o, &timing);
      g_autoptr (TsStream) flagged = random_stream (again, &o);
      g_autoptr (TsSchedule) a = ts_schedule_new (plain, &timing, NULL, NULL, NULL);
      g_autoptr (TsSchedule) b = ts_schedule_new (flagged, &timing, NULL, NULL, NULL);
      guint k = 0;
      g_assert_cmpint (b->status, ==, TS_SCHEDULE_DONE);
      for (guint i = 0; i < flagged->n_instructions; i++)
        if (ts_stream_site (flagged, i)->sync == TS_SYNC_NONE)
          {
            g_assert_cmpint (a->start[k], <=, b->start[i]);
            g_assert_cmpint (a->end[k], <=, b->end[i]);
            k++;
          }
      g_assert_cmpuint (k, ==, plain->n_instructions);
      g_assert_cmpint (a->makespan, <=, b->makespan);
      later += a->makespan < b->makespan;
    }
  g_assert_cmpuint (later, >, 500);
}

/* The account of any schedule is complete, and no bound lies above it. */
static void
check_results (const TsStream *stream, const TsMachine *machine)
{
  g_autoptr (TsSchedule) schedule = ts_schedule_new (stream, ts_machine_timing (machine), NULL, NULL, NULL);
  g_autoptr (TsResult) r = ts_result_new (stream, schedule, machine, NULL, NULL, NULL);
  gint64 overlap = 0;

  g_assert_cmpint (r->makespan, >=, r->resource);
  g_assert_cmpint (r->makespan, >=, r->dependence);
  for (guint i = 0; i < r->n_pipes; i++)
    {
      gint64 sum = r->pipes[i].busy + r->pipes[i].done;
      for (guint c = 0; c < TS_N_CAUSES; c++)
        sum += r->pipes[i].idle[c];
      g_assert_cmpint (sum, ==, r->makespan);
      g_assert_cmpint (r->pipes[i].done, >=, 0);
    }
  for (guint n = 0; n <= TS_N_LANES; n++)
    overlap += r->overlap[n];
  g_assert_cmpint (overlap, ==, r->makespan);
  for (guint i = 1; i < r->n_critical; i++)
    g_assert_cmpint (schedule->start[r->critical[i - 1]], <=, schedule->start[r->critical[i]]);
}

static void
test_results (void)
{
  static const char *const machines[] = { "teaching", "ascend910b", "ascend950" };

  for (guint m = 0; m < G_N_ELEMENTS (machines); m++)
    {
      g_autoptr (TsMachine) machine = ts_machine_load (machines[m], NULL, NULL);
      for (guint32 seed = 0; seed < 300; seed++)
        {
          g_autoptr (GRand) rand = g_rand_new_with_seed (70000 + seed);
          RandomOptions o = { .n = 60, .cores = 1 + seed % 3, .signals = seed % 2 == 0 };
          g_autoptr (TsStream) stream = random_stream (rand, &o);
          check_results (stream, machine);
        }
    }
}

/* --- ends --------------------------------------------------------------------------------------------------------------- */

static void
test_overflow (void)
{
  TsStreamBuilder *b = ts_stream_builder_new (NULL, 100);
  TsCore core = { .name = "core0" };
  TsSite site = { .name = "op", .pipe = TS_PIPE_V, .loop = -1, .stage = -1, .group = -1 };
  TsCost cost = { .occupancy = ((gint64) 1 << 60) - 1, .latency = ((gint64) 1 << 60) - 1 };
  TsMachineTiming timing = { .in_flight = { 1, 1, 1, 1, 1, 1, 1 } };

  ts_stream_builder_begin_core (b, &core);
  gint32 s = ts_stream_builder_add_site (b, &site, NULL, 0);
  for (guint i = 0; i < 50; i++)
    ts_stream_builder_emit (b, s, -1, ts_stream_builder_cost (b, &cost), -1);
  g_autoptr (TsStream) stream = ts_stream_builder_finish (b, 50, FALSE, NULL, NULL);
  g_autoptr (TsSchedule) schedule = ts_schedule_new (stream, &timing, NULL, NULL, NULL);
  g_assert_cmpint (schedule->status, ==, TS_SCHEDULE_OVERFLOW);
  g_assert_cmpint (schedule->start[49], ==, TS_TIME_NONE);
}

static void
test_cancel (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  RandomOptions o = { .n = 20000, .cores = 1, .queue = 0 };
  TsMachineTiming timing;
  random_timing (rand, &o, &timing);
  g_autoptr (TsStream) stream = random_stream (rand, &o);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_cancellable_cancel (cancellable);
  g_autoptr (TsSchedule) schedule = ts_schedule_new (stream, &timing, cancellable, NULL, NULL);
  g_assert_cmpint (schedule->status, ==, TS_SCHEDULE_CANCELLED);
}

static void
test_bound (void)
{
  TsStreamBuilder *b = ts_stream_builder_new (NULL, 3);
  TsCore core = { .name = "core0" };
  TsSite site = { .name = "op", .pipe = TS_PIPE_V };
  TsCost cost = { 1, 1, 0 };

  ts_stream_builder_begin_core (b, &core);
  gint32 s = ts_stream_builder_add_site (b, &site, NULL, 0);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (ts_stream_builder_emit (b, s, -1, ts_stream_builder_cost (b, &cost), -1), ==, i < 3);
  g_autoptr (TsStream) stream = ts_stream_builder_finish (b, 5, FALSE, NULL, NULL);
  g_assert_true (stream->truncated);
  g_assert_cmpuint (stream->n_instructions, ==, 3);
  g_assert_cmpuint (stream->n_costs, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/schedule/slow/plain", test_slow_plain);
  g_test_add_func ("/sim/schedule/slow/full", test_slow_full);
  g_test_add_func ("/sim/schedule/slow/signals", test_slow_signals);
  g_test_add_func ("/sim/schedule/slow/cores", test_slow_cores);
  g_test_add_func ("/sim/schedule/laws", test_laws);
  g_test_add_func ("/sim/schedule/queue-monotone", test_queue_monotone);
  g_test_add_func ("/sim/schedule/flags-monotone", test_flags_monotone);
  g_test_add_func ("/sim/schedule/results", test_results);
  g_test_add_func ("/sim/schedule/overflow", test_overflow);
  g_test_add_func ("/sim/schedule/cancel", test_cancel);
  g_test_add_func ("/sim/schedule/bound", test_bound);
  return g_test_run ();
}
