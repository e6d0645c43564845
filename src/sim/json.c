/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object of `simulate --json`. Source: cli.md. */
#include "sim/simulate.h"

#include "base/json.h"
#include "sim/writing.h"

static const char *
since_of (const TsSimContext *context, gint32 op, gint32 on)
{
  return context != NULL && context->since != NULL ? context->since (op, on, context->since_data) : NULL;
}

static void
int_or_null (TsJson *json, const char *key, gint64 value)
{
  if (value < 0)
    ts_json_null (json, key);
  else
    ts_json_int (json, key, value);
}

static void
put_head (TsJson *json, const TsSimulation *s, const TsSimContext *context)
{
  gint64 instructions = 0;

  for (guint i = 0; i < s->result->n_pipes; i++)
    instructions += s->result->pipes[i].instructions;
  ts_json_string (json, "format", "tilescope-simulation");
  ts_json_int (json, "version", 1);
  ts_json_string (json, "kernel", s->function);
  ts_json_string (json, "machine", ts_machine_name (s->machine));
  ts_json_begin_object (json, "snapshot");
  ts_json_int (json, "index", context != NULL ? context->snapshot : 0);
  ts_json_string (json, "pass", context != NULL ? context->pass : NULL);
  ts_json_end_object (json);
  ts_json_double (json, "clock_ghz", ts_machine_clock_ghz (s->machine));
  ts_json_int (json, "makespan", s->result->makespan);
  ts_json_int (json, "instructions", instructions);
  ts_json_bool (json, "truncated", s->stream->truncated);
  ts_json_begin_object (json, "bindings");
  for (guint i = 0; i < s->n_bindings; i++)
    ts_json_int (json, s->bindings[i].shown, s->bindings[i].value);
  ts_json_end_object (json);
  ts_json_begin_array (json, "diagnostics");
  if (context != NULL && context->diags != NULL)
    ts_diag_list_to_json (context->diags, json);
  ts_diag_list_to_json (s->diags, json);
  ts_json_end_array (json);
}

static void
put_bounds (TsJson *json, const TsSimulation *s)
{
  const TsResult *r = s->result;

  ts_json_begin_object (json, "bounds");
  ts_json_int (json, "resource", r->resource);
  ts_json_int (json, "dependence", r->dependence);
  ts_json_int (json, "bound", r->bound);
  if (ts_simulation_fault (s) == NULL)
    ts_json_ratio (json, "efficiency", r->efficiency);
  else /* what stands still is not efficient */
    ts_json_null (json, "efficiency");
  ts_json_end_object (json);
  ts_json_begin_array (json, "overlap");
  for (guint n = 0; n <= TS_N_LANES; n++)
    ts_json_int (json, NULL, r->overlap[n]);
  ts_json_end_array (json);
}

static void
put_pipes (TsJson *json, const TsSimulation *s)
{
  ts_json_begin_array (json, "pipes");
  for (guint i = 0; i < s->result->n_pipes; i++)
    {
      const TsPipeResult *p = &s->result->pipes[i];
      ts_json_begin_object (json, NULL);
      ts_json_string (json, "core", s->stream->cores[p->core].name);
      ts_json_string (json, "pipe", ts_pipe_name ((TsPipe) p->pipe));
      ts_json_string (json, "lane", ts_lane_name ((TsLane) p->lane));
      ts_json_int (json, "instructions", p->instructions);
      ts_json_int (json, "busy", p->busy);
      ts_json_ratio (json, "utilization", p->utilization);
      ts_json_begin_object (json, "idle");
      for (guint c = 0; c < TS_CAUSE_NONE; c++)
        if (c != TS_CAUSE_PIPE) /* a pipe that is busy is not idle */
          ts_json_int (json, ts_cause_name ((TsCause) c), p->idle[c]);
      ts_json_int (json, "done", p->done);
      ts_json_end_object (json);
      ts_json_end_object (json);
    }
  ts_json_end_array (json);
}

/* Loops and memories say which core they belong to only where there are several. */
static void
put_core (TsJson *json, const TsSimulation *s, guint core)
{
  if (s->stream->n_cores > 1)
    ts_json_string (json, "core", s->stream->cores[core].name);
}

/* The pace of each pipe that came round more than once. */
static void
put_pipe_intervals (TsJson *json, const TsLoopResult *loop)
{
  ts_json_begin_array (json, "pipes");
  for (guint p = 0; p < TS_N_PIPES; p++)
    if (loop->pipe_interval[p] > 0)
      {
        ts_json_begin_object (json, NULL);
        ts_json_string (json, "pipe", ts_pipe_name ((TsPipe) p));
        ts_json_int (json, "interval", loop->pipe_interval[p]);
        ts_json_end_object (json);
      }
  ts_json_end_array (json);
}

static void
put_loops (TsJson *json, const TsSimulation *s)
{
  ts_json_begin_array (json, "loops");
  for (guint i = 0; i < s->result->n_loops; i++)
    {
      const TsLoopResult *l = &s->result->loops[i];
      ts_json_begin_object (json, NULL);
      ts_json_int (json, "line", s->stream->loops[l->loop].line);
      put_core (json, s, s->stream->loops[l->loop].core);
      ts_json_int (json, "iterations", l->iterations);
      ts_json_int (json, "interval", l->interval);
      ts_json_int (json, "res_mii", l->res_mii);
      int_or_null (json, "rec_mii", l->rec_mii);
      ts_json_string (json, "binding", ts_binding_name ((TsBinding) l->binding));
      ts_json_int (json, "prologue", l->steady_begin - l->begin);
      ts_json_int (json, "steady", l->steady_end - l->steady_begin);
      ts_json_int (json, "epilogue", l->end - l->steady_end);
      put_pipe_intervals (json, l);
      ts_json_end_object (json);
    }
  ts_json_end_array (json);
}

static void
put_collapsed (TsJson *json, const TsSimContext *context, const TsCollapsed *c)
{
  ts_json_begin_object (json, NULL);
  ts_json_int (json, "group", c->group);
  ts_json_begin_array (json, "stages");
  for (guint k = 0; k < c->n_stages; k++)
    ts_json_int (json, NULL, c->stages[k]);
  ts_json_end_array (json);
  ts_json_string (json, "base", c->base);
  if (c->with != NULL)
    ts_json_string (json, "with", c->with);
  ts_json_int (json, "bytes", c->bytes);
  TsCollapseOrigin origin = { NULL, NULL, -1 };
  if (context != NULL && context->collapse != NULL)
    origin = context->collapse (c, context->since_data);
  ts_json_string (json, "since", origin.pass);
  ts_json_string (json, "rule", origin.rule);
  int_or_null (json, "step", origin.step);
  ts_json_end_object (json);
}

/* Bytes live from each position of the program on: where the number changes, with the statement that stands there. */
static void
put_live (TsJson *json, const TsMemoryFacts *facts, const TsMemorySpace *space)
{
  ts_json_begin_array (json, "live");
  for (guint32 i = 0; i < space->n_live; i++)
    {
      guint32 position = space->live[i].position;
      ts_json_begin_object (json, NULL);
      ts_json_int (json, "position", position);
      int_or_null (json, "statement", position < facts->n_positions ? facts->op_at[position] : -1);
      ts_json_int (json, "bytes", space->live[i].bytes);
      ts_json_end_object (json);
    }
  ts_json_end_array (json);
}

static void
put_stages (TsJson *json, const TsMemoryFacts *facts, const TsMemorySpace *space)
{
  ts_json_begin_array (json, "stages");
  for (guint32 i = 0; i < facts->n_stages; i++)
    {
      const TsMemoryStage *stage = &facts->stages[i];
      if (stage->space != space->space)
        continue;
      ts_json_begin_object (json, NULL);
      ts_json_int (json, "group", stage->group);
      ts_json_int (json, "stage", stage->stage);
      ts_json_int (json, "tiles", stage->n_tiles);
      ts_json_int (json, "buffers", stage->n_buffers);
      ts_json_int (json, "bytes", stage->bytes);
      ts_json_end_object (json);
    }
  ts_json_end_array (json);
}

/* What the program says by itself, before it is run; for a space whose tiles have MemRefs. */
static void
put_facts (TsJson *json, const TsMemoryFacts *facts, TsSpace id)
{
  const TsMemorySpace *space = facts != NULL ? ts_memory_facts_space (facts, id) : NULL;
  if (space == NULL)
    return;
  ts_json_int (json, "reserved", space->reserved);
  ts_json_int (json, "buffers", space->n_buffers);
  ts_json_int (json, "live_max", space->live_max);
  put_live (json, facts, space);
  put_stages (json, facts, space);
}

static void
put_memory (TsJson *json, const TsSimulation *s, const TsSimContext *context)
{
  ts_json_begin_array (json, "memory");
  for (guint i = 0; i < s->result->n_memory; i++)
    {
      const TsMemoryResult *m = &s->result->memory[i];
      ts_json_begin_object (json, NULL);
      put_core (json, s, m->core);
      ts_json_string (json, "space", ts_space_name ((TsSpace) m->space));
      ts_json_int (json, "high_water", m->high_water);
      ts_json_int (json, "capacity", m->capacity);
      put_facts (json, context != NULL && context->facts != NULL
                         ? context->facts (&s->stream->cores[m->core], context->since_data) : NULL, (TsSpace) m->space);
      ts_json_begin_array (json, "collapsed_stages");
      for (guint k = 0; k < m->n_collapsed; k++)
        put_collapsed (json, context, &m->collapsed[k]);
      ts_json_end_array (json);
      ts_json_end_object (json);
    }
  ts_json_end_array (json);
}

/* --- events ------------------------------------------------------------------------------------------------------------- */

static void
put_access (TsJson *json, const TsSimulation *s, const TsAccess *a)
{
  static const char *const words[] = { "none", "read", "write", "read-write" };
  const TsBuffer *buffer = &s->stream->buffers[a->buffer];

  ts_json_begin_object (json, NULL);
  ts_json_string (json, "space", buffer->space < TS_N_SPACES ? ts_space_name ((TsSpace) buffer->space) : NULL);
  ts_json_string (json, "base", buffer->base);
  ts_json_int (json, "offset", a->begin);
  ts_json_int (json, "size", a->end - a->begin);
  ts_json_string (json, "access", words[a->access & 3]);
  ts_json_end_object (json);
}

static gboolean
through_buffer (guint cause)
{
  return cause == TS_CAUSE_RAW || cause == TS_CAUSE_WAR || cause == TS_CAUSE_WAW || cause == TS_CAUSE_BARRIER;
}

/* Name of what a wait goes through: a buffer (a private one by its tile), a tensor, a FIFO. */
static const char *
through_name (const TsSimulation *s, guint i)
{
  gint32 through = s->schedule->buffer[i];

  if (through < 0)
    return NULL;
  if (s->schedule->cause[i] == TS_CAUSE_MEMORY)
    return s->stream->tensors[through].name;
  if (s->schedule->cause[i] == TS_CAUSE_FIFO)
    return s->stream->channels[through].name;
  return s->stream->buffers[through].label;
}

static void
put_wait (TsJson *json, const TsSimulation *s, const TsSimContext *context, guint i)
{
  const TsSchedule *t = s->schedule;
  const char *since = NULL;

  if (through_buffer (t->cause[i]) && t->on[i] >= 0)
    since = since_of (context, ts_stream_site (s->stream, i)->statement, ts_stream_site (s->stream, (guint) t->on[i])->statement);
  ts_json_begin_object (json, "wait");
  ts_json_string (json, "cause", ts_cause_name ((TsCause) t->cause[i]));
  ts_json_int (json, "cycles", t->wait[i]);
  int_or_null (json, "on", t->on[i]);
  ts_json_string (json, "buffer", through_name (s, i));
  ts_json_string (json, "since", since);
  ts_json_end_object (json);
}

/* Only where a statement stands in more than one pipeline: `stage` and `group` say the innermost. */
static void
put_membership (TsJson *json, const TsSimulation *s, const TsSite *site)
{
  guint n;
  const TsStage *stages = ts_stream_stages (s->stream, site, &n);

  if (n < 2)
    return;
  ts_json_begin_array (json, "membership");
  for (guint i = 0; i < n; i++)
    {
      ts_json_begin_object (json, NULL);
      ts_json_int (json, "group", stages[i].group);
      ts_json_int (json, "stage", stages[i].stage);
      ts_json_end_object (json);
    }
  ts_json_end_array (json);
}

static void
put_event (TsJson *json, const TsSimulation *s, const TsSimContext *context, guint i)
{
  const TsSite *site = ts_stream_site (s->stream, i);
  const TsSchedule *t = s->schedule;
  gint64 vector[32];
  guint n, depth = ts_stream_iteration_vector (s->stream, i, vector, G_N_ELEMENTS (vector));
  const TsAccess *accesses = ts_stream_accesses (s->stream, i, &n);

  ts_json_begin_object (json, NULL);
  ts_json_int (json, "id", i);
  ts_json_string (json, "core", s->stream->cores[site->core].name);
  ts_json_int (json, "statement", site->statement);
  ts_json_int (json, "line", site->line);
  ts_json_string (json, "op", site->name);
  ts_json_string (json, "result", site->result);
  ts_json_string (json, "pipe", ts_pipe_name ((TsPipe) site->pipe));
  ts_json_string (json, "lane", ts_lane_name (ts_pipe_lane ((TsPipe) site->pipe)));
  int_or_null (json, "dispatch", t->dispatch[i]);
  int_or_null (json, "start", t->start[i]);
  int_or_null (json, "end", t->end[i]);
  int_or_null (json, "visible", ts_schedule_visible (t, s->stream, ts_machine_timing (s->machine), i));
  int_or_null (json, "stage", site->stage);
  int_or_null (json, "group", site->group);
  put_membership (json, s, site);
  ts_json_begin_array (json, "iteration");
  for (guint k = 0; k < MIN (depth, G_N_ELEMENTS (vector)); k++)
    ts_json_int (json, NULL, vector[k]);
  ts_json_end_array (json);
  ts_json_begin_array (json, "buffers");
  for (guint k = 0; k < n; k++)
    put_access (json, s, &accesses[k]);
  ts_json_end_array (json);
  put_wait (json, s, context, i);
  ts_json_end_object (json);
}

/* Loops whose middle was filled in: what the events leave out. */
static void
put_fills (TsJson *json, const TsSimulation *s)
{
  if (s->schedule->n_fills == 0)
    return;
  ts_json_begin_array (json, "filled");
  for (guint i = 0; i < s->schedule->n_fills; i++)
    {
      const TsFill *fill = &s->schedule->fills[i];
      ts_json_begin_object (json, NULL);
      ts_json_int (json, "from", fill->from);
      ts_json_int (json, "before", fill->at);
      ts_json_int (json, "times", fill->times);
      ts_json_int (json, "cycles", fill->cycles);
      ts_json_end_object (json);
    }
  ts_json_end_array (json);
}

/* Against the snapshot before, where one is given. */
static void
put_changes (TsJson *json, const TsSimulation *s, const TsSimContext *context)
{
  if (context == NULL || context->before == NULL)
    return;
  g_autoptr (GPtrArray) changes = ts_simulation_changes (context->before, s);

  ts_json_begin_array (json, "changes");
  for (guint i = 0; i < changes->len; i++)
    {
      const TsResultChange *change = g_ptr_array_index (changes, i);
      ts_json_begin_object (json, NULL);
      ts_json_string (json, "figure", change->figure);
      int_or_null (json, "before", change->before);
      int_or_null (json, "after", change->after);
      ts_json_end_object (json);
    }
  ts_json_end_array (json);
}

gboolean
ts_simulation_to_json (const TsSimulation *s, const TsSimContext *context, gboolean pretty, GString *out)
{
  GCancellable *cancellable = context != NULL ? context->cancellable : NULL;
  TsJson json;

  ts_json_init (&json, out, pretty);
  ts_json_begin_object (&json, NULL);
  put_head (&json, s, context);
  put_bounds (&json, s);
  put_pipes (&json, s);
  put_loops (&json, s);
  put_memory (&json, s, context);
  put_changes (&json, s, context);
  put_fills (&json, s);
  ts_json_begin_array (&json, "critical_path");
  for (guint i = 0; i < s->result->n_critical; i++)
    ts_json_int (&json, NULL, s->result->critical[i]);
  ts_json_end_array (&json);
  ts_json_begin_array (&json, "events");
  const gsize begin = out->len;
  for (guint i = 0; i < s->stream->n_instructions; i++)
    {
      if (ts_writing_stop (out, begin, i, s->stream->n_instructions, cancellable))
        return FALSE;
      put_event (&json, s, context, i);
    }
  ts_json_end_array (&json);
  ts_json_end_object (&json);
  g_string_append_c (out, '\n');
  return !g_cancellable_is_cancelled (cancellable);
}
