/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedules for tests of pictures. */
#include "sample.h"

#include <string.h>

enum { LANE_SCALAR, LANE_IN, LANE_CUBE, LANE_VECTOR, LANE_OUT, N_LANES };

static Sample *
sample_new (void)
{
  static const char *const PIPES[N_LANES] = { "S", "MTE2", "M", "V", "MTE3" };
  Sample *sample = g_new0 (Sample, 1);

  sample->events = g_array_new (FALSE, TRUE, sizeof (TsTimelineEvent));
  sample->names = g_ptr_array_new_with_free_func (g_free);
  sample->dep_start = g_array_new (FALSE, FALSE, sizeof (guint32));
  sample->deps = g_array_new (FALSE, FALSE, sizeof (gint32));
  sample->critical = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (guint lane = 0; lane < N_LANES; lane++)
    sample->lanes[lane] = (TsTimelineLane) { .name = ts_lane_name ((TsLane) lane), .detail = PIPES[lane], .unit = (guint8) lane };
  return sample;
}

static gint32
name_of (Sample *sample, const char *text)
{
  g_ptr_array_add (sample->names, g_strdup (text));
  return (gint32) sample->names->len - 1;
}

static void
finish (Sample *sample, const char *title, const char *subtitle)
{
  gint64 makespan = 0;
  guint32 end = sample->deps->len;

  for (guint i = 0; i < sample->events->len; i++)
    {
      const TsTimelineEvent *event = &g_array_index (sample->events, TsTimelineEvent, i);

      makespan = MAX (makespan, event->end);
      sample->lanes[event->lane].busy += event->end - event->start;
    }
  g_array_append_val (sample->dep_start, end);
  sample->input = (TsTimelineInput) {
    .events = (const TsTimelineEvent *) (gpointer) sample->events->data, .n_events = sample->events->len,
    .lanes = sample->lanes, .n_lanes = N_LANES,
    .names = (const char *const *) sample->names->pdata, .n_names = sample->names->len,
    .critical = (const gint32 *) (gpointer) sample->critical->data, .n_critical = sample->critical->len,
    .dep_start = sample->dep_start->len == sample->events->len + 1 ? (const guint32 *) (gpointer) sample->dep_start->data : NULL,
    .deps = (const gint32 *) (gpointer) sample->deps->data,
    .makespan = makespan, .title = title, .subtitle = subtitle,
  };
}

void
sample_free (Sample *sample)
{
  g_array_unref (sample->events);
  g_ptr_array_unref (sample->names);
  g_array_unref (sample->dep_start);
  g_array_unref (sample->deps);
  g_array_unref (sample->critical);
  g_free (sample->steps);
  g_free (sample);
}

/* Adds an event that may start at `ready`, caused by event `on`; the lane decides the rest. Returns its id. */
static gint32
add (Sample *sample, gint64 *free_at, guint lane, gint64 ready, gint64 length, gint32 on, TsTimelineEvent what)
{
  guint32 first = sample->deps->len;

  what.lane = (guint8) lane;
  what.idle_from = free_at[lane];
  what.start = MAX (ready, free_at[lane]);
  what.end = what.start + length;
  what.on = what.start > what.idle_from ? on : -1;
  free_at[lane] = what.end;
  g_array_append_val (sample->dep_start, first);
  if (on >= 0)
    g_array_append_val (sample->deps, on);
  g_array_append_val (sample->events, what);
  return (gint32) sample->events->len - 1;
}

static const TsTimelineEvent *
event_at (const Sample *sample, gint32 id)
{
  return &g_array_index (sample->events, TsTimelineEvent, id);
}

/* Loads of a pair are issued once the last store of the pair before has started: in-order issue. */
Sample *
sample_pingpong (guint iterations)
{
  Sample *sample = sample_new ();
  gint64 free_at[N_LANES] = { 0 };
  gint32 loads[2], last_store = -1;
  gint32 names[3][2] = { { name_of (sample, "load x_0"), name_of (sample, "load x_1") },
                         { name_of (sample, "exp y_0"), name_of (sample, "exp y_1") },
                         { name_of (sample, "store"), name_of (sample, "store") } };
  gint32 buffer = name_of (sample, "mem_vec_3");

  for (guint pair = 0; pair < iterations / 2; pair++)
    {
      gint64 issue = last_store >= 0 ? event_at (sample, last_store)->start : 0;

      for (guint s = 0; s < 2; s++)
        loads[s] = add (sample, free_at, LANE_IN, issue, 108, last_store,
                        (TsTimelineEvent) { .op = (gint32) s, .name = names[0][s], .buffer = -1, .iteration = (gint32) pair,
                                            .line = 8, .stage = (gint16) s, .cause = TS_CAUSE_DISPATCH });
      for (guint s = 0; s < 2; s++)
        {
          gint32 exp = add (sample, free_at, LANE_VECTOR, event_at (sample, loads[s])->end, 180, loads[s],
                            (TsTimelineEvent) { .op = 2 + (gint32) s,
                                               .name = names[1][s],
                                               .buffer = buffer,
                                               .iteration = (gint32) pair,
                                               .line = 9,
                                               .stage = (gint16) s,
                                               .cause = TS_CAUSE_RAW });

          last_store = add (sample, free_at, LANE_OUT, event_at (sample, exp)->end, 108, exp,
                            (TsTimelineEvent) { .op = 4 + (gint32) s,
                                               .name = names[2][s],
                                               .buffer = buffer,
                                               .iteration = (gint32) pair,
                                               .line = 10,
                                               .stage = (gint16) s,
                                               .cause = TS_CAUSE_RAW });
          g_array_append_val (sample->critical, exp);
        }
    }
  g_array_append_val (sample->critical, last_store);
  finish (sample, "pingpong",
          "after CanonicalizeIOOrder · teaching, simulated · 1512 cycles · interval 468 · bound 1080 (vector)");
  sample->loops[0] = (TsTimelineLoop) { .from = 0, .to = 468, .iterations = iterations / 2, .op = 9, .part = 0 };
  sample->loops[1] = (TsTimelineLoop) { .from = 468, .to = sample->input.makespan - 576, .iterations = iterations / 2,
                                        .interval = 468, .op = 9, .part = 1 };
  sample->loops[2] = (TsTimelineLoop) { .from = sample->input.makespan - 576, .to = sample->input.makespan,
                                        .iterations = iterations / 2, .op = 9, .part = 2 };
  sample->input.loops = sample->loops;
  sample->input.n_loops = 3;
  sample->steps = g_new0 (TsTimelineBytes, iterations + 1);
  for (guint i = 0; i < iterations; i++)
    sample->steps[i] = (TsTimelineBytes) { (gint64) i * 234, i % 2 == 0 ? 1024 : 2048 };
  sample->steps[iterations].at = sample->input.makespan;
  sample->space = (TsTimelineSpace) { "Vec", 65536, sample->steps, iterations + 1 };
  sample->input.spaces = &sample->space;
  sample->input.n_spaces = 1;
  return sample;
}

Sample *
sample_large (guint n)
{
  Sample *sample = sample_new ();
  gint64 free_at[N_LANES] = { 0 };
  guint32 state = 1;
  gint32 name = name_of (sample, "load tile_0");

  for (guint i = 0; i < n; i++)
    {
      guint lane;
      gint64 gap, length;
      TsTimelineEvent event = { .op = (gint32) (i % 64), .name = name, .buffer = -1, .iteration = (gint32) (i / 64), .line = 3,
                                .stage = (gint16) (i % 4), .cause = (guint8) (i % TS_CAUSE_NONE) };

      state = state * 1664525u + 1013904223u;
      lane = state >> 24 & 3;
      lane = lane >= LANE_CUBE ? lane + 1 : lane;
      gap = state % 5 == 0 ? (state >> 8) % 400 : 0;
      length = 1 + (state >> 4) % 120;
      add (sample, free_at, lane, free_at[lane] + gap, length, i > 4 ? (gint32) i - 4 : -1, event);
      /* The next load may enter while this one is in flight. */
      if (lane == LANE_IN)
        free_at[lane] -= length / 2;
    }
  finish (sample, "large", "made up");
  return sample;
}

Sample *
sample_odd (void)
{
  static const char *const NAMES[] = {
    "load a_tile_with_a_name_that_goes_on_and_on_and_on_and_never_fits", "装载 矩阵块 x_0", "<script>alert(1)</script>",
    "a & b \"q\" 'r'",
    "bad\001control\nbreak", "\xff\xfe not UTF-8", "x", "",
  };
  Sample *sample = sample_new ();
  gint64 free_at[N_LANES] = { 0 };
  gint32 names[G_N_ELEMENTS (NAMES)];

  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++)
    names[i] = name_of (sample, NAMES[i]);
  for (guint i = 0; i < 40; i++)
    {
      gint64 length = i % 7 == 6 ? 1 : 20 + 40 * (i % 5);
      guint lane = i % N_LANES;
      TsTimelineEvent event = { .op = (gint32) i, .name = names[i % G_N_ELEMENTS (NAMES)], .buffer = i % 3 == 0 ? names[1] : -1,
                                .iteration = i % 4 == 0 ? -1 : (gint32) i, .stage = (gint16) (i % 13) - 1,
                                .cause = (guint8) (i % TS_CAUSE_NONE) };

      add (sample, free_at, lane, free_at[lane] + (i * 37) % 90, length, i > 3 ? (gint32) i - 3 : -1, event);
    }
  finish (sample, "奇怪的 <kernel> & \"co\"", "名称测试 · ascend910b, simulated · 很长的说明文字");
  return sample;
}

const TsBillBar *
sample_bill (guint *n)
{
  static const TsBillBar ROWS[] = {
    { "frontend", 0, TRUE, FALSE, 1804, 1024, -1, 0, 0, FALSE, FALSE, NULL },
    { "UnrollLoops", 1, FALSE, FALSE, 1804, 1024, -1, 0, 0, TRUE, TRUE, NULL },
    { "LowerPipelineLoops", 2, TRUE, FALSE, 1512, 2048, 468, -292, 1024, TRUE, TRUE, NULL },
    { "CanonicalizeIOOrder", 3, TRUE, FALSE, 1404, 2048, 468, -108, 0, TRUE, TRUE, NULL },
    { "InitMemRef", 4, TRUE, FALSE, 1404, 2048, 468, 0, 0, TRUE, TRUE, NULL },
    { "MemoryReuse", 5, TRUE, FALSE, 1690, 1536, 512, 286, -512, TRUE, TRUE, NULL },
    { "OutlineIncoreScopes <&>", 6, TRUE, FALSE, -1, -1, -1, 0, 0, FALSE, FALSE, "not schedulable yet: tensor-level code" },
    { "AllocateMemoryAddr", 7, FALSE, TRUE, -1, -1, -1, 0, 0, FALSE, FALSE, "the pass failed" },
  };

  *n = G_N_ELEMENTS (ROWS);
  return ROWS;
}

void
assert_golden (const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "render", "golden", name, NULL);
  g_autofree char *expected = NULL;
  g_autoptr (GError) error = NULL;

  if (g_getenv ("TS_UPDATE_GOLDEN") != NULL)
    {
      g_file_set_contents (path, text, -1, &error);
      g_assert_no_error (error);
      return;
    }
  g_file_get_contents (path, &expected, NULL, &error);
  g_assert_no_error (error);
  if (strcmp (expected, text) != 0)
    {
      guint line = 1;
      gsize i = 0;

      for (; expected[i] != '\0' && expected[i] == text[i]; i++)
        line += expected[i] == '\n';
      g_error ("%s differs from line %u on; set TS_UPDATE_GOLDEN to write it anew after looking at the picture", path, line);
    }
}
