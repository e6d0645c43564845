/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chrome trace events that Perfetto and MindStudio Insight open. Source: cli.md, `--trace`; machines.md (c).
 * A cycle is a microsecond there: viewers know no other unit that keeps whole numbers. */
#include "sim/simulate.h"

#include "base/json.h"
#include "sim/writing.h"

#define MAX_ROWS 256u

/* --- sub-rows ----------------------------------------------------------------------------------------------------------- */

guint8 *
ts_schedule_sub_rows (const TsStream *stream, const TsSchedule *schedule)
{
  guint8 *rows = g_new0 (guint8, (gsize) stream->n_instructions + 1);
  g_autofree gint64 *until = g_new0 (gint64, (gsize) TS_MAX_CORES * TS_N_PIPES * MAX_ROWS);

  for (guint i = 0; i < stream->n_instructions; i++)
    {
      const TsSite *site = ts_stream_site (stream, i);
      gint64 *row = until + ((gsize) site->core * TS_N_PIPES + site->pipe) * MAX_ROWS;
      guint k = 0;
      if (schedule->start[i] < 0)
        continue;
      while (k < MAX_ROWS - 1 && row[k] > schedule->start[i])
        k++;
      row[k] = schedule->end[i];
      rows[i] = (guint8) k;
    }
  return rows;
}

/* --- events ------------------------------------------------------------------------------------------------------------- */

static guint
thread_of (const TsSite *site, guint row)
{
  return site->pipe * MAX_ROWS + row + 1;
}

static void
put_name (TsJson *json, const char *what, guint core, gint64 thread, const char *name)
{
  ts_json_begin_object (json, NULL);
  ts_json_string (json, "ph", "M");
  ts_json_string (json, "name", what);
  ts_json_int (json, "pid", core + 1);
  if (thread >= 0)
    ts_json_int (json, "tid", thread);
  ts_json_begin_object (json, "args");
  ts_json_string (json, "name", name);
  ts_json_end_object (json);
  ts_json_end_object (json);
}

static void
put_names (TsJson *json, const TsSimulation *s, const guint8 *rows)
{
  guint most[TS_MAX_CORES][TS_N_PIPES] = { 0 };

  for (guint i = 0; i < s->stream->n_instructions; i++)
    {
      const TsSite *site = ts_stream_site (s->stream, i);
      if (s->schedule->start[i] >= 0)
        most[site->core][site->pipe] = MAX (most[site->core][site->pipe], rows[i] + 1u);
    }
  for (guint k = 0; k < s->stream->n_cores; k++)
    {
      put_name (json, "process_name", k, -1, s->stream->cores[k].name);
      for (guint p = 0; p < TS_N_PIPES; p++)
        for (guint row = 0; row < most[k][p]; row++)
          {
            g_autofree char *name = row == 0 ? g_strdup (ts_pipe_name ((TsPipe) p))
                                             : g_strdup_printf ("%s#%u", ts_pipe_name ((TsPipe) p), row);
            put_name (json, "thread_name", k, thread_of (&(TsSite) { .pipe = (guint8) p }, row), name);
          }
    }
}

/* What was filled in by period has no slices of its own: one slice on a thread of its own says so. */
#define FILLED_THREAD (TS_N_PIPES * MAX_ROWS + 1)

static void
put_fills (TsJson *json, const TsSimulation *s)
{
  const TsSchedule *t = s->schedule;

  for (guint i = 0; i < t->n_fills && i < s->stream->n_repeats; i++)
    {
      const TsRepeat *repeat = &s->stream->repeats[i];
      if (i == 0 || t->fills[i - 1].core != t->fills[i].core)
        put_name (json, "thread_name", t->fills[i].core, FILLED_THREAD, "filled in by period");
      g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT " iterations", repeat->omitted);
      ts_json_begin_object (json, NULL);
      ts_json_string (json, "ph", "X");
      ts_json_string (json, "name", name);
      ts_json_string (json, "cat", "filled");
      ts_json_int (json, "pid", (gint64) t->fills[i].core + 1);
      ts_json_int (json, "tid", FILLED_THREAD);
      ts_json_int (json, "ts", t->fills[i].time);
      ts_json_int (json, "dur", t->fills[i].times * t->fills[i].cycles);
      ts_json_begin_object (json, "args");
      ts_json_int (json, "line", s->stream->loops[repeat->loop].line);
      ts_json_int (json, "iterations", repeat->omitted);
      ts_json_int (json, "repeats", t->fills[i].times);
      ts_json_int (json, "cycles", t->fills[i].cycles);
      ts_json_end_object (json);
      ts_json_end_object (json);
    }
}

static void
put_slice (TsJson *json, const TsSimulation *s, guint i, guint row)
{
  const TsSite *site = ts_stream_site (s->stream, i);
  const TsSchedule *t = s->schedule;

  ts_json_begin_object (json, NULL);
  ts_json_string (json, "ph", "X");
  ts_json_string (json, "name", site->name);
  ts_json_string (json, "cat", ts_lane_name (ts_pipe_lane ((TsPipe) site->pipe)));
  ts_json_int (json, "pid", site->core + 1);
  ts_json_int (json, "tid", thread_of (site, row));
  ts_json_int (json, "ts", t->start[i]);
  ts_json_int (json, "dur", t->end[i] - t->start[i]);
  ts_json_begin_object (json, "args");
  ts_json_int (json, "id", i);
  ts_json_int (json, "line", site->line);
  ts_json_string (json, "result", site->result);
  if (site->stage >= 0)
    ts_json_int (json, "stage", site->stage);
  ts_json_string (json, "wait", ts_cause_name ((TsCause) t->cause[i]));
  ts_json_int (json, "wait_cycles", t->wait[i]);
  if (t->on[i] >= 0)
    ts_json_int (json, "wait_on", t->on[i]);
  ts_json_end_object (json);
  ts_json_end_object (json);
}

/* Both ends lie within their slices: viewers bind a flow to the slice that holds its time. */
static void
put_flow (TsJson *json, const TsSimulation *s, guint i, guint end, const guint8 *rows, gint64 time)
{
  const TsSite *site = ts_stream_site (s->stream, end);

  ts_json_begin_object (json, NULL);
  ts_json_string (json, "ph", end == i ? "f" : "s");
  if (end == i)
    ts_json_string (json, "bp", "e");
  ts_json_string (json, "name", ts_cause_name ((TsCause) s->schedule->cause[i]));
  ts_json_string (json, "cat", "dependency");
  ts_json_int (json, "id", i);
  ts_json_int (json, "pid", site->core + 1);
  ts_json_int (json, "tid", thread_of (site, rows[end]));
  ts_json_int (json, "ts", time);
  ts_json_end_object (json);
}

static void
put_dependency (TsJson *json, const TsSimulation *s, guint i, const guint8 *rows)
{
  const TsSchedule *t = s->schedule;
  gint32 on = t->on[i];

  if (on < 0 || t->cause[i] > TS_CAUSE_BARRIER)
    return;
  put_flow (json, s, i, (guint) on, rows, MAX (t->end[on] - 1, t->start[on]));
  put_flow (json, s, i, i, rows, t->start[i]);
}

gboolean
ts_simulation_to_trace (const TsSimulation *s, const TsSimContext *context, GString *out)
{
  GCancellable *cancellable = context != NULL ? context->cancellable : NULL;
  g_autofree guint8 *rows = ts_schedule_sub_rows (s->stream, s->schedule);
  TsJson json;

  ts_json_init (&json, out, FALSE);
  ts_json_begin_object (&json, NULL);
  ts_json_string (&json, "displayTimeUnit", "ns");
  ts_json_begin_object (&json, "otherData");
  ts_json_string (&json, "kernel", s->function);
  ts_json_string (&json, "machine", ts_machine_name (s->machine));
  ts_json_string (&json, "pass", context != NULL ? context->pass : NULL);
  ts_json_string (&json, "unit", "cycles");
  ts_json_string (&json, "evidence", "simulated");
  ts_json_double (&json, "clock_ghz", ts_machine_clock_ghz (s->machine));
  ts_json_end_object (&json);
  ts_json_begin_array (&json, "traceEvents");
  put_names (&json, s, rows);
  put_fills (&json, s);
  const gsize begin = out->len;
  for (guint i = 0; i < s->stream->n_instructions; i++)
    {
      if (ts_writing_stop (out, begin, i, s->stream->n_instructions, cancellable))
        return FALSE;
      if (s->schedule->start[i] < 0)
        continue;
      put_slice (&json, s, i, rows[i]);
      put_dependency (&json, s, i, rows);
    }
  ts_json_end_array (&json);
  ts_json_end_object (&json);
  g_string_append_c (out, '\n');
  return !g_cancellable_is_cancelled (cancellable);
}
