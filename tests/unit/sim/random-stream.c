/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random instruction streams and random timing figures. */
#include "random-stream.h"

static gint32
pick (GRand *rand, gint32 n)
{
  return g_rand_int_range (rand, 0, n);
}

void
random_timing (GRand *rand, const RandomOptions *options, TsMachineTiming *timing)
{
  *timing = (TsMachineTiming) { .gm_alias = (TsGmAlias) pick (rand, 3) };
  if (options->sync)
    {
      timing->dispatch_cost = pick (rand, 3);
      timing->cross_core = pick (rand, 6);
    }
  for (guint p = 0; p < TS_N_PIPES; p++)
    {
      timing->queue_depth[p] = options->queue >= 0 ? options->queue : pick (rand, 5);
      timing->in_flight[p] = options->flight && pick (rand, 3) == 0 ? 1 + pick (rand, 4) : 1;
      timing->barrier[p] = options->sync ? pick (rand, 9) : 0;
      for (guint q = 0; q < TS_N_PIPES; q++)
        timing->sync[p][q] = options->sync && (p != q || p == TS_PIPE_V) ? pick (rand, 9) : 0;
    }
}

#define N_SITES 8
#define N_SYNC_SITES (TS_N_PIPES * 3) /* on each pipe a flag set, a flag waited for, a barrier */
#define N_BUFFERS 3
#define BUFFER_BYTES 12
#define N_TENSORS 2

static void
add_tables (TsStreamBuilder *b, GRand *rand, guint core, gint32 *sites, gint32 *syncs, gint32 *buffers)
{
  for (guint k = 0; k < N_SYNC_SITES; k++)
    {
      TsSite site = { .statement = (gint32) (N_SITES + k), .name = "sync", .loop = -1, .core = (guint8) core,
                      .pipe = (guint8) (k / 3), .sync = (guint8) (TS_SYNC_SET + k % 3) };
      syncs[k] = ts_stream_builder_add_site (b, &site, NULL, 0);
    }
  for (guint k = 0; k < N_SITES; k++)
    {
      TsSite site = { .statement = (gint32) k, .name = "op", .loop = -1, .core = (guint8) core,
                      .pipe = (guint8) pick (rand, TS_N_PIPES) };
      sites[k] = ts_stream_builder_add_site (b, &site, NULL, 0);
    }
  for (guint k = 0; k < N_BUFFERS; k++)
    {
      TsBuffer buffer = { .label = "b", .space = TS_SPACE_VEC, .core = (guint8) core, .statement = -1, .address = -1 };
      buffers[k] = ts_stream_builder_add_buffer (b, &buffer);
    }
}

static gint32
random_accesses (TsStreamBuilder *b, GRand *rand, const gint32 *buffers)
{
  TsAccess accesses[3];
  guint n = (guint) pick (rand, 4);

  for (guint k = 0; k < n; k++)
    {
      gint64 begin = pick (rand, BUFFER_BYTES);
      accesses[k] = (TsAccess) { .buffer = buffers[pick (rand, N_BUFFERS)], .access = (guint8) (1 + pick (rand, 3)), .begin = begin,
                                 .end = begin + 1 + pick (rand, BUFFER_BYTES - (gint32) begin) };
    }
  return ts_stream_builder_access_list (b, accesses, n);
}

static void
random_windows (TsStreamBuilder *b, GRand *rand)
{
  for (guint n = (guint) pick (rand, 3); n > 0; n--)
    {
      TsWindowShape shape
          = { .tensor = pick (rand, N_TENSORS), .access = (guint8) (1 + pick (rand, 3)), .rank = (guint8) pick (rand, 3) };
      gint64 offsets[2] = { pick (rand, 6), pick (rand, 6) };
      for (guint d = 0; d < shape.rank; d++)
        shape.extent[d] = 1 + pick (rand, 3);
      ts_stream_builder_window (b, ts_stream_builder_window_shape (b, &shape), offsets);
    }
}

/* Channel 0 is a FIFO that core 0 pushes. */
static void
random_signals (TsStreamBuilder *b, GRand *rand, const RandomOptions *options, guint core, gint32 site, gint32 accesses)
{
  TsSignal signal = { .channel = 0, .site = site, .accesses = -1 };

  if (pick (rand, 8) == 0 && options->cores > 1)
    {
      signal.kind = core == 0 ? TS_SIGNAL_PUSH : TS_SIGNAL_POP;
      ts_stream_builder_signal (b, &signal);
      if (core != 0)
        {
          signal.kind = TS_SIGNAL_RELEASE;
          signal.accesses = accesses;
          ts_stream_builder_signal (b, &signal);
        }
    }
}

/* A flag (channel 1 + core) or a barrier on any pipe. */
static void
random_sync (TsStreamBuilder *b, GRand *rand, guint core, const gint32 *syncs, guint *sets)
{
  TsSync sync = (TsSync) (TS_SYNC_SET + pick (rand, 5) % 3); /* barriers are the rarer */
  TsCost cost = { .occupancy = pick (rand, 3) };
  TsSignal signal = { .channel = 1 + (gint32) core, .accesses = -1 };

  if (sync == TS_SYNC_WAIT && *sets == 0)
    sync = TS_SYNC_SET;
  cost.latency = cost.occupancy;
  signal.site = syncs[pick (rand, TS_N_PIPES) * 3 + (gint32) (sync - TS_SYNC_SET)];
  ts_stream_builder_emit (b, signal.site, -1, ts_stream_builder_cost (b, &cost), -1);
  if (sync == TS_SYNC_BARRIER)
    {
      signal.kind = TS_SIGNAL_BARRIER;
      signal.channel = -1;
      signal.mask = (guint) pick (rand, 1 << TS_N_PIPES);
    }
  else
    {
      signal.kind = sync == TS_SYNC_SET ? TS_SIGNAL_SET : TS_SIGNAL_WAIT;
      *sets = sync == TS_SYNC_SET ? *sets + 1 : *sets - 1;
    }
  ts_stream_builder_signal (b, &signal);
}

static void
random_core (TsStreamBuilder *b, GRand *rand, const RandomOptions *options, guint core)
{
  gint32 sites[N_SITES], syncs[N_SYNC_SITES], buffers[N_BUFFERS], scalars = -1;
  TsCore info = { .name = "core" };
  g_autoptr (GRand) between = options->between > 0 ? g_rand_new_with_seed (options->between + core) : NULL;
  guint sets = 0;

  ts_stream_builder_begin_core (b, &info);
  add_tables (b, rand, core, sites, syncs, buffers);
  for (guint i = 0; i < options->n; i++)
    {
      if (options->signals && pick (rand, 3) == 0)
        {
          random_sync (b, rand, core, syncs, &sets);
          continue;
        }
      while (between != NULL && pick (between, 3) == 0)
        random_sync (b, between, core, syncs, &sets);
      TsCost cost = { .occupancy = pick (rand, 12), .transfer = pick (rand, 6) };
      gint32 site = sites[pick (rand, N_SITES)], accesses = random_accesses (b, rand, buffers);
      cost.latency = cost.occupancy + (pick (rand, 2) == 0 ? pick (rand, 9) : 0);
      ts_stream_builder_emit (b, site, -1, ts_stream_builder_cost (b, &cost), accesses);
      random_windows (b, rand);
      if (scalars >= 0 && pick (rand, 3) == 0)
        ts_stream_builder_scalar (b, scalars);
      if (options->signals)
        random_signals (b, rand, options, core, site, accesses);
      if (pick (rand, 4) == 0)
        scalars = (gint32) ts_stream_builder_length (b) - 1;
    }
}

TsStream *
random_stream (GRand *rand, const RandomOptions *options)
{
  TsStreamBuilder *b = ts_stream_builder_new (NULL, G_MAXINT32);
  TsChannel fifo = { .name = "fifo", .is_fifo = TRUE, .producers = 1, .consumers = (1u << options->cores) - 2,
                     .slots = 1 + pick (rand, 3), .releases = (guint8) pick (rand, 2) };

  ts_stream_builder_add_channel (b, &fifo);
  for (guint k = 0; k < options->cores; k++)
    {
      TsChannel flag = { .name = "flag", .producers = 1u << k, .consumers = 1u << k };
      ts_stream_builder_add_channel (b, &flag);
    }
  for (guint k = 0; k < N_TENSORS; k++)
    {
      TsTensor tensor = { .name = "t" };
      ts_stream_builder_add_tensor (b, &tensor);
    }
  for (guint k = 0; k < options->cores; k++)
    random_core (b, rand, options, k);
  return ts_stream_builder_finish (b, 0, FALSE, NULL, NULL);
}
