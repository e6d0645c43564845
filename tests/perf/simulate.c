/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speed and memory of the simulator: the scheduling loop alone, the whole way from a function, growth, a filled loop, and
 * llvm-mca simulating as many instructions in the same run. Prints one line per measurement; fails when a budget of design
 * section 9 is missed by an optimised build. */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cpu-time.h"
#include "ir/build.h"
#include "sim/simulate.h"

static gboolean failed;

/* Processor time of this process or of its children, in microseconds: other work on the machine does not count. */
static gint64
cpu_time (int who)
{
  struct rusage usage;

  getrusage (who, &usage);
  return (gint64) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC + usage.ru_utime.tv_usec
         + usage.ru_stime.tv_usec;
}

static double
seconds_since (gint64 from)
{
  return (double) (cpu_time (RUSAGE_SELF) - from) / 1e6;
}

static void
expect (gboolean holds, const char *what)
{
#ifdef __OPTIMIZE__
  if (!holds)
    {
      g_print ("MISSED: %s\n", what);
      failed = TRUE;
    }
#endif
}

/* --- the scheduling loop ------------------------------------------------------------------------------------------------ */

/* Load, two vector operations and a store per iteration, four clones that each have their own buffers. */
static TsStream *
make_stream (guint n)
{
  TsStreamBuilder *b = ts_stream_builder_new (NULL, G_MAXINT32 - 1);
  TsCore core = { .name = "core0" };
  TsLoop loop = { .var = "i", .parent = -1 };
  TsTensor in = { .name = "x" }, out = { .name = "z" };
  TsCost costs[] = { { 108, 108, 8 }, { 12, 30, 0 }, { 12, 30, 0 }, { 108, 108, 8 } };
  guint8 pipes[] = { TS_PIPE_MTE2, TS_PIPE_V, TS_PIPE_V, TS_PIPE_MTE3 };
  gint32 sites[16], lists[16], shapes[2], iteration = -1;

  ts_stream_builder_begin_core (b, &core);
  ts_stream_builder_add_loop (b, &loop);
  TsWindowShape from
      = { .tensor = ts_stream_builder_add_tensor (b, &in), .access = TS_ACCESS_READ, .rank = 2, .extent = { 1, 128 } };
  TsWindowShape to
      = { .tensor = ts_stream_builder_add_tensor (b, &out), .access = TS_ACCESS_WRITE, .rank = 2, .extent = { 1, 128 } };
  shapes[0] = ts_stream_builder_window_shape (b, &from);
  shapes[1] = ts_stream_builder_window_shape (b, &to);
  for (gint32 k = 0; k < 16; k++)
    {
      TsSite site = { .statement = k, .name = "op", .pipe = pipes[k % 4], .stage = k / 4, .group = 0 };
      TsBuffer buffer = { .label = "t", .space = TS_SPACE_VEC, .statement = k, .address = -1 };
      gint32 mine = k % 4 == 3 ? -1 : ts_stream_builder_add_buffer (b, &buffer);
      TsAccess accesses[2] = { { mine, TS_ACCESS_WRITE, 0, 512 }, { mine - 1, TS_ACCESS_READ, 0, 512 } };
      sites[k] = ts_stream_builder_add_site (b, &site, NULL, 0);
      if (k % 4 == 3)
        accesses[0] = (TsAccess) { (gint32) (k / 4 * 3 + 2), TS_ACCESS_READ, 0, 512 };
      lists[k] = ts_stream_builder_access_list (b, accesses, k % 4 == 1 || k % 4 == 2 ? 2 : 1);
    }
  for (guint i = 0; i < n; i++)
    {
      guint k = i % 16;
      if (k == 0)
        {
          TsIteration it = { .parent = -1, .loop = 0, .index = i / 16 };
          iteration = ts_stream_builder_add_iteration (b, &it);
        }
      ts_stream_builder_emit (b, sites[k], iteration, ts_stream_builder_cost (b, &costs[k % 4]), lists[k]);
      if (k % 4 == 0 || k % 4 == 3)
        ts_stream_builder_window (b, shapes[k % 4 == 3], (gint64[]){ i / 4, 0 });
    }
  return ts_stream_builder_finish (b, n, FALSE, NULL, NULL);
}

static double
measure_schedule (guint n, const char *machine_name)
{
  g_autoptr (TsStream) stream = make_stream (n);
  g_autoptr (TsMachine) machine = ts_machine_load (machine_name, NULL, NULL);
  double best = G_MAXDOUBLE;
  gsize bytes = 0;

  for (guint round = 0; round < 3; round++)
    {
      gint64 from = cpu_time (RUSAGE_SELF);
      g_autoptr (TsSchedule) schedule = ts_schedule_new (stream, ts_machine_timing (machine), NULL, NULL, NULL);
      best = MIN (best, seconds_since (from));
      bytes = ts_schedule_bytes (schedule) + ts_stream_bytes (stream);
    }
  g_print ("schedule %9u instructions, %-10s: %6.1f million a second, %5.1f bytes each\n", n, machine_name, n / best / 1e6,
           (double) bytes / n);
  expect ((double) bytes / n <= 96, "at most 96 bytes an instruction");
  return best;
}

/* --- the whole way ------------------------------------------------------------------------------------------------------ */

/* `clones` bodies of load, add and store, each with tiles of its own, in a loop. */
static TsModule *
make_kernel (gint64 trips, guint clones)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  TsModule *m = ts_module_new (TS_LANGUAGE_PYPTO, strings);
  TsFunction *f = ts_module_add_function (m, "main");
  TsExpr *dims[2] = { ts_expr_index (m, G_MAXINT32), ts_expr_index (m, 128) }, *shape[2] = { ts_expr_index (m, 1), dims[1] };
  const TsType *tensor = ts_type_tensor (m, dims, 2, TS_DTYPE_FP32, NULL, NULL);
  const TsType *tile = ts_type_tile (m, shape, 2, TS_DTYPE_FP32, TS_SPACE_VEC, NULL, NULL);

  f->type = TS_FUNCTION_INCORE;
  TsValue *x = ts_function_add_param (m, f, "x", tensor, TS_DIRECTION_IN), *z = ts_function_add_param (m, f, "z", tensor,
                                                                                                       TS_DIRECTION_OUT);
  TsOp *loop = ts_build_for (m, ts_function_block (f), TS_LOOP_SEQUENTIAL, "i", TS_DTYPE_INDEX, ts_expr_index (m, 0),
                             ts_expr_index (m, trips), ts_expr_index (m, 1));
  TsBlock *body = ts_op_body (loop, 0);
  TsExpr *at[2] = { ts_expr_value (m, ts_for_var (loop)), ts_expr_index (m, 0) };
  TsExpr *offsets = ts_expr_list (m, at, 2), *window = ts_expr_list (m, shape, 2);
  for (guint k = 0; k < clones; k++)
    {
      TsOp *load = ts_op_new (m, TS_OP_TILE_LOAD, NULL, (TsExpr *[]){ ts_expr_value (m, x), offsets, window, window }, 4);
      TsValue *t = ts_op_add_result (m, load, "t", tile);
      TsOp *add = ts_op_new (m, TS_OP_TILE_ADD, NULL, (TsExpr *[]){ ts_expr_value (m, t), ts_expr_value (m, t) }, 2);
      TsValue *u = ts_op_add_result (m, add, "u", tile);
      TsOp *store = ts_op_new (m, TS_OP_TILE_STORE, NULL, (TsExpr *[]){ ts_expr_value (m, u), offsets, ts_expr_value (m, z) }, 3);
      ts_op_add_result (m, store, "s", tensor);
      ts_block_append (body, load);
      ts_block_append (body, add);
      ts_block_append (body, store);
    }
  return m;
}

static void
measure_kernel (gint64 trips, gboolean periodic, gint64 max)
{
  g_autoptr (TsModule) module = make_kernel (trips, 1);
  g_autoptr (TsMachine) machine = ts_machine_load ("teaching", NULL, NULL);
  TsSimOptions options = { .fill = periodic ? TS_SIM_FILL_ALWAYS : TS_SIM_FILL_NEVER, .max_instructions = max };
  gint64 from = cpu_time (RUSAGE_SELF);
  g_autoptr (TsSimulation) s = ts_simulate (module, module->functions[0], machine, &options, NULL, NULL);

  g_print ("%s of a loop of %" G_GINT64_FORMAT " iterations: %.3f ms, makespan %" G_GINT64_FORMAT "%s\n",
           periodic ? "filling in" : "whole simulation", trips, seconds_since (from) * 1e3, s->result->makespan,
           s->stream->truncated ? ", cut" : "");
  if (!periodic)
    {
      double bytes = (double) (ts_stream_bytes (s->stream) + ts_schedule_bytes (s->schedule)) / s->stream->n_instructions;
      g_print ("  %.1f bytes kept per instruction\n", bytes);
      expect (bytes <= 96, "at most 96 bytes an instruction of a kernel");
    }
}

/* --- progress and cancelling -------------------------------------------------------------------------------------------- */

/* Processor time of one thread, in microseconds: what it does between two looks, whoever else has the machine. */
static gint64
thread_time (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (gint64) t.tv_sec * G_USEC_PER_SEC + t.tv_nsec / 1000;
}

/* What a worker does; returns when it is done or when `cancellable` has fired. */
typedef struct
{
  const char *name;
  TsModule   *module;
  gint64      max;
  gboolean    periodic;
  const TsSimulation *written; /* not NULL: write this one as JSON, as a trace, and find its buffer edges */
} Work;

typedef struct
{
  gint64 last, gap;      /* processor time of the last word, longest silence */
  const char *said, *before; /* what was said last, and what before the longest silence */
  gint64 said_at, before_at; /* how far that was, per cent */
} Listener;

static void
listen (const char *what, gint64 done, gint64 total, gpointer data)
{
  Listener *l = data;
  gint64 now = thread_time (CLOCK_THREAD_CPUTIME_ID);

  if (now - l->last > l->gap)
    {
      l->gap = now - l->last;
      l->before = l->said;
      l->before_at = l->said_at;
    }
  l->last = now;
  l->said = what;
  l->said_at = total > 0 ? done * 100 / total : 0;
}

static void
do_work (const Work *work, GCancellable *cancellable, Listener *listener)
{
  if (work->written != NULL)
    {
      TsSimContext context = { .cancellable = cancellable };
      g_autoptr (GString) out = g_string_new (NULL);
      g_autoptr (TsBufferEdges) edges = ts_buffer_edges_new (work->written->stream, cancellable);
      ts_simulation_to_trace (work->written, &context, out);
      g_string_truncate (out, 0);
      ts_simulation_to_json (work->written, &context, TRUE, out);
      return;
    }
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, NULL);
  TsSimOptions options
      = { .fill = work->periodic ? TS_SIM_FILL_ALWAYS : TS_SIM_FILL_NEVER, .max_instructions = work->max, .progress = listen,
          .progress_data = listener };
  listener->last = thread_time (CLOCK_THREAD_CPUTIME_ID);
  listener->said = "nothing";
  g_autoptr (TsSimulation) s = ts_simulate (work->module, work->module->functions[0], machine, &options, cancellable, NULL);
  listen ("nothing", 0, 0, listener);
}

typedef struct
{
  GCancellable *cancellable;
  clockid_t     clock; /* of the worker */
  gint64        after; /* microseconds of its processor time */
  gint64        wall, worked; /* when it cancelled */
} Canceller;

static gpointer
cancel_later (gpointer data)
{
  Canceller *c = data;

  while (thread_time (c->clock) < c->after)
    g_usleep (200);
  c->worked = thread_time (c->clock);
  c->wall = g_get_monotonic_time ();
  g_cancellable_cancel (c->cancellable);
  return NULL;
}

/* Cancels the same work again and again, at points spread over its whole length; everything is freed within the time. */
static void
measure_cancel (const Work *work)
{
  const guint rounds = 20;
  Listener listener = { 0 };
  gint64 from = thread_time (CLOCK_THREAD_CPUTIME_ID), whole, worst = 0, worst_wall = 0, where = 0;
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  do_work (work, NULL, &listener);
  whole = thread_time (CLOCK_THREAD_CPUTIME_ID) - from;
  for (guint round = 0; round < rounds; round++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Canceller c = { .cancellable = cancellable };
      Listener silent = { 0 };
      double at = (round + g_rand_double (rand)) / rounds;

      pthread_getcpuclockid (pthread_self (), &c.clock);
      c.after = thread_time (c.clock) + (gint64) (at * (double) whole);
      GThread *thread = g_thread_new ("cancel", cancel_later, &c);
      do_work (work, cancellable, &silent);
      gint64 worked = thread_time (c.clock), wall = g_get_monotonic_time ();
      /* Work that was done early lets the other thread go. */
      while (!g_cancellable_is_cancelled (cancellable) && thread_time (c.clock) < c.after)
        ;
      g_thread_join (thread);
      if (worked - c.worked > worst)
        {
          worst = worked - c.worked;
          where = (gint64) (at * 100);
        }
      worst_wall = MAX (worst_wall, wall - c.wall);
    }
  g_print ("cancel %-22s %6.0f ms whole: worst of %u cancels %5.1f ms of the thread (at %d %%), %5.1f ms by the clock", work->name,
           (double) whole / 1e3, rounds, (double) worst / 1e3, (int) where, (double) worst_wall / 1e3);
  if (work->written == NULL)
    g_print ("; longest silence %.1f ms (after %s, %d %%)", (double) listener.gap / 1e3, listener.before, (int) listener.before_at);
  g_print ("\n");
  expect (worst <= 100000, "cancelling within 100 ms");
  expect (listener.gap <= 100000, "a word of progress every 100 ms");
}

static void
measure_cancels (guint n)
{
  g_autoptr (TsModule) loop = make_kernel (n / 3, 1), long_loop = make_kernel (100000000, 1);
  g_autoptr (TsModule) straight = make_kernel (4, n / 12);
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, NULL);
  g_autoptr (TsModule) written = make_kernel (n / 30, 1);
  g_autoptr (TsSimulation) s = ts_simulate (written, written->functions[0], machine, NULL, NULL, NULL);
  const Work works[] = {
    { .name = "loop", .module = loop, .max = n + 10 },
    { .name = "straight code", .module = straight, .max = n + 10 },
    { .name = "loop, filled in", .module = long_loop, .max = n, .periodic = TRUE },
    { .name = "trace, JSON, edges", .written = s },
  };

  for (guint i = 0; i < G_N_ELEMENTS (works); i++)
    measure_cancel (&works[i]);
}

/* --- llvm-mca ----------------------------------------------------------------------------------------------------------- */

/* Simulates about `n` instructions of a small x86 loop of the same shape: load, two operations, store. */
static double
measure_mca (guint n)
{
  g_autofree char *path = g_find_program_in_path ("llvm-mca"), *iterations = g_strdup_printf ("--iterations=%u", n / 4);
  g_autofree char *input = NULL;
  g_autoptr (GError) error = NULL;
  static const char code[] = "movups (%rdi), %xmm0\naddps %xmm0, %xmm1\nmulps %xmm1, %xmm1\nmovups %xmm1, (%rsi)\n";
  gint fd, status = 0;

  if (path == NULL)
    return 0;
  fd = g_file_open_tmp ("mca-XXXXXX.s", &input, &error);
  g_close (fd, NULL);
  g_file_set_contents (input, code, -1, NULL);
  char *argv[] = { path, (char *) "--mcpu=skylake", (char *) "--mtriple=x86_64-linux-gnu", iterations, input, NULL };
  gint64 from = cpu_time (RUSAGE_CHILDREN);
  gboolean ran = g_spawn_sync (NULL, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                               &status, NULL);
  double seconds = (double) (cpu_time (RUSAGE_CHILDREN) - from) / 1e6;
  g_unlink (input);
  return ran && g_spawn_check_wait_status (status, NULL) ? seconds : 0;
}

/* bench-simulate [N [cancel]]: `cancel` leaves the rest out. */
int
main (int argc, char **argv)
{
  int status = bench_usage (argc, argv, NULL, "bench-simulate [INSTRUCTIONS [cancel]]");
  if (status >= 0)
    return status;
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 1000000;

  if (argc > 2)
    {
      measure_cancels (n);
      return failed;
    }
  double small = measure_schedule (n / 10, "teaching"), large = measure_schedule (n, "teaching"), mca;

  measure_schedule (n, "ascend910b");
  measure_schedule (n, "ascend950");
  g_print ("growth: %.2f times the time for 10 times the instructions\n", large / small);
  expect (n / large >= 5e6, "5 million instructions a second");
  expect (large / small <= 20, "linear growth");
  measure_kernel (n / 3, FALSE, n + 10);
  measure_kernel (100000000, TRUE, n);
  measure_cancels (MIN (n, 1000000));
  mca = measure_mca (n);
  if (mca > 0)
    g_print ("llvm-mca, %u instructions: %.1f ms; the scheduling loop: %.1f ms; ratio %.1f\n", n, mca * 1e3, large * 1e3,
             mca / large);
  else
    g_print ("llvm-mca is not installed: no comparison\n");
  return failed;
}
