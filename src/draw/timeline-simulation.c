/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a simulation to what the timeline draws: lanes of pipes, bars of instructions, loops, live bytes, data dependencies. */
#include <string.h>

#include "draw/timeline-private.h"
#include "draw/words.h"

/* Levels of pipelines in one another that are named. */
#define MAX_AROUND 6u
/* Pairs of statements traced back to the pass that made them wait. */
#define MAX_SINCE 64u

/* Pieces of a buffer with different last writers that are followed; beyond, the oldest is forgotten. Only arrows depend on it. */
#define MAX_PIECES 64u
#define MAX_BAND_ROWS 2u
#define CANCEL_STRIDE 65536u

typedef struct
{
  const TsSimulation *simulation;
  GArray  *events, *lanes, *loops, *spaces, *names; /* TsTimelineEvent, TsTimelineLane, TsTimelineLoop, TsTimelineSpace, char * */
  GArray  *fills;                                  /* TsTimelineFill */
  GArray  *dep_start, *deps;                       /* guint32, gint32 */
  gint32  *site_name;                              /* per site: index in names */
  TsTimelineSince since;
  gpointer data;
  GHashTable *since_of;                            /* two statements (gint64) to the name of what their waits go through */
  gint32  *site_around;                            /* per site: `around` of its events */
  gint32  *buffer_name, *tensor_name, *channel_name;
  guint8   lane_of[TS_MAX_CORES][TS_N_PIPES];
  GArray  *steps;                                  /* GArray of TsTimelineBytes per space, to be freed */
} Builder;

static gint32
add_name (Builder *b, char *name)
{
  g_array_append_val (b->names, name);
  return (gint32) b->names->len - 1;
}

static char *
site_words (const TsSite *site)
{
  const char *verb = ts_op_verb (site->name);
  gboolean named = site->result != NULL && site->result[0] != '\0';

  /* A scalar assignment is known by what it defines. */
  if (named && strcmp (verb, "assign") == 0)
    return g_strdup (site->result);
  return named ? g_strdup_printf ("%s %s", verb, site->result) : g_strdup (verb);
}

/* "s1·" and " in stage 1 of group 1": the pipelines around the innermost one, outermost first in tags. */
static gint32
name_around (Builder *b, const TsSite *site)
{
  guint n;
  const TsStage *stages = ts_stream_stages (b->simulation->stream, site, &n);
  g_autoptr (GString) tag = g_string_new (NULL), words = g_string_new (NULL);
  gint32 first;

  if (n < 2)
    return 0;
  n = MIN (n, MAX_AROUND);
  g_string_append_printf (words, _ (" of group %d"), stages[0].group);
  for (guint i = 1; i < n; i++)
    {
      g_string_append_printf (words, _ (" in stage %d of group %d"), stages[i].stage, stages[i].group);
      g_string_append_printf (tag, "s%d·", stages[n - i].stage);
    }
  first = add_name (b, g_strdup (tag->str));
  add_name (b, g_strdup (words->str));
  return first + 1;
}

static void
name_things (Builder *b, TsTimelineNamer namer, gpointer data)
{
  const TsStream *stream = b->simulation->stream;

  b->site_name = g_new (gint32, MAX (stream->n_sites, 1));
  b->site_around = g_new (gint32, MAX (stream->n_sites, 1));
  for (guint i = 0; i < stream->n_sites; i++)
    {
      char *words = namer != NULL ? namer (stream->sites[i].statement, data) : NULL;

      b->site_name[i] = add_name (b, words != NULL ? words : site_words (&stream->sites[i]));
      b->site_around[i] = name_around (b, &stream->sites[i]);
    }
  b->buffer_name = g_new (gint32, MAX (stream->n_buffers, 1));
  for (guint i = 0; i < stream->n_buffers; i++)
    b->buffer_name[i] = add_name (b, g_strdup (stream->buffers[i].label));
  b->tensor_name = g_new (gint32, MAX (stream->n_tensors, 1));
  for (guint i = 0; i < stream->n_tensors; i++)
    b->tensor_name[i] = add_name (b, g_strdup (stream->tensors[i].name));
  b->channel_name = g_new (gint32, MAX (stream->n_channels, 1));
  for (guint i = 0; i < stream->n_channels; i++)
    b->channel_name[i] = add_name (b, g_strdup (stream->channels[i].name));
}

/* --- lanes --------------------------------------------------------------------------------------------------------------- */

static const TsPipeResult *
find_pipe (const TsResult *result, guint core, guint pipe)
{
  for (guint i = 0; i < result->n_pipes; i++)
    if (result->pipes[i].core == core && result->pipes[i].pipe == pipe)
      return &result->pipes[i];
  return NULL;
}

static gboolean
lane_is_used (const TsResult *result, guint core, TsLane lane)
{
  for (guint i = 0; i < result->n_pipes; i++)
    if (result->pipes[i].core == core && result->pipes[i].lane == lane && result->pipes[i].instructions > 0)
      return TRUE;
  return FALSE;
}

/* Pipes with instructions; a unit of a lone core without any keeps one empty lane, so that idleness is seen. */
static void
add_lanes (Builder *b)
{
  const TsStream *stream = b->simulation->stream;
  const TsResult *result = b->simulation->result;

  for (guint core = 0; core < stream->n_cores; core++)
    {
      guint empty_seen = 0;

      for (guint pipe = 0; pipe < TS_N_PIPES; pipe++)
        {
          TsLane lane = ts_pipe_lane ((TsPipe) pipe);
          const TsPipeResult *found = find_pipe (result, core, pipe);
          gboolean active = found != NULL && found->instructions > 0;
          TsTimelineLane entry = { .name = ts_lane_name (lane), .unit = (guint8) lane, .core = (guint8) core };
          char *detail;

          if (!active)
            {
              if (stream->n_cores > 1 || lane_is_used (result, core, lane) || (empty_seen >> lane & 1) != 0)
                continue;
              empty_seen |= 1u << lane;
            }
          detail = stream->n_cores > 1 ? g_strdup_printf ("%s %s", stream->cores[core].name, ts_pipe_name ((TsPipe) pipe))
                                       : g_strdup (ts_pipe_name ((TsPipe) pipe));
          entry.detail = detail;
          entry.busy = active ? found->busy : 0;
          add_name (b, detail); /* owned there */
          b->lane_of[core][pipe] = (guint8) b->lanes->len;
          g_array_append_val (b->lanes, entry);
        }
    }
}

/* --- events -------------------------------------------------------------------------------------------------------------- */

static gint32
wait_name (const Builder *b, TsCause cause, gint32 index)
{
  if (index < 0)
    return -1;
  if (cause == TS_CAUSE_MEMORY)
    return b->tensor_name[index];
  if (cause == TS_CAUSE_FIFO)
    return b->channel_name[index];
  return b->buffer_name[index];
}

/* "mem_vec_2, since MemoryReuse" where a wait until a buffer is free came with a pass. */
static gint32
name_since (Builder *b, guint i, gint32 buffer)
{
  const TsSchedule *schedule = b->simulation->schedule;
  TsCause cause = (TsCause) schedule->cause[i];
  gint32 op = ts_stream_site (b->simulation->stream, i)->statement, on;
  const char *pass;
  gint64 key;
  gpointer known;

  if (b->since == NULL || buffer < 0 || schedule->on[i] < 0 || schedule->wait[i] <= 0
      || (cause != TS_CAUSE_WAR && cause != TS_CAUSE_WAW))
    return buffer;
  on = ts_stream_site (b->simulation->stream, (guint) schedule->on[i])->statement;
  key = (gint64) on << 32 | (guint32) op;
  if (g_hash_table_lookup_extended (b->since_of, &key, NULL, &known))
    return GPOINTER_TO_INT (known);
  if (g_hash_table_size (b->since_of) >= MAX_SINCE)
    return buffer;
  pass = b->since (op, on, b->data);
  if (pass != NULL)
    buffer = add_name (b, g_strdup_printf (_ ("%s, since %s"), g_array_index (b->names, char *, buffer), pass));
  g_hash_table_insert (b->since_of, g_memdup2 (&key, sizeof key), GINT_TO_POINTER (buffer));
  return buffer;
}

static void
add_event (Builder *b, guint i)
{
  const TsStream *stream = b->simulation->stream;
  const TsSchedule *schedule = b->simulation->schedule;
  const TsSite *site = ts_stream_site (stream, i);
  TsCause cause = (TsCause) schedule->cause[i];
  gint64 iteration = stream->iteration[i] >= 0 ? stream->iterations[stream->iteration[i]].index : -1;
  TsTimelineEvent event = {
    .start = schedule->start[i], .end = MAX (schedule->end[i], schedule->start[i]),
    .idle_from = schedule->start[i] - schedule->wait[i],
    .op = site->statement, .on = schedule->on[i], .name = b->site_name[stream->site[i]],
    .buffer = name_since (b, i, wait_name (b, cause, schedule->buffer[i])),
    .iteration = (gint32) MIN (iteration, G_MAXINT32), .line = (gint32) MIN (site->line, (guint) G_MAXINT32),
    .stage = (gint16) MIN (site->stage, G_MAXINT16), .lane = b->lane_of[site->core][site->pipe], .cause = (guint8) cause,
    .around = b->site_around[stream->site[i]],
  };

  if (event.start < 0)
    {
      /* Never reached: a deadlock before it. The id stays taken. */
      event.start = event.end = event.idle_from = 0;
      event.lane = TS_TIMELINE_NO_LANE;
    }
  g_array_append_val (b->events, event);
}

/* Who wrote a stretch of a buffer last. */
typedef struct
{
  gint64 begin, end;
  gint32 writer;
} Piece;

static void
add_dep (Builder *b, guint32 first, gint32 producer)
{
  for (guint32 k = first; k < b->deps->len; k++)
    if (g_array_index (b->deps, gint32, k) == producer)
      return;
  g_array_append_val (b->deps, producer);
}

static void
read_pieces (Builder *b, guint32 first, const GArray *pieces, const TsAccess *access)
{
  for (guint k = 0; pieces != NULL && k < pieces->len; k++)
    {
      const Piece *piece = &g_array_index (pieces, Piece, k);

      if (piece->begin < access->end && access->begin < piece->end)
        add_dep (b, first, piece->writer);
    }
}

/* What the write covers is forgotten; a piece it cuts keeps its remaining ends. */
static void
write_piece (GArray **slot, const TsAccess *access, gint32 writer)
{
  GArray *pieces = *slot;
  Piece fresh = { access->begin, access->end, writer };

  if (pieces == NULL)
    pieces = *slot = g_array_new (FALSE, FALSE, sizeof (Piece));
  for (guint k = 0; k < pieces->len;)
    {
      Piece piece = g_array_index (pieces, Piece, k);
      Piece right = { access->end, piece.end, piece.writer };

      if (piece.begin >= access->end || access->begin >= piece.end)
        {
          k++;
          continue;
        }
      if (right.begin < right.end)
        g_array_append_val (pieces, right);
      if (piece.begin < access->begin)
        g_array_index (pieces, Piece, k++).end = access->begin;
      else
        g_array_remove_index (pieces, k);
    }
  if (pieces->len >= MAX_PIECES)
    g_array_remove_index (pieces, 0);
  g_array_append_val (pieces, fresh);
}

static gboolean
add_events (Builder *b, GCancellable *cancellable)
{
  const TsStream *stream = b->simulation->stream;
  g_autofree GArray **pieces = g_new0 (GArray *, MAX (stream->n_buffers, 1));
  gboolean whole = TRUE;

  for (guint i = 0; i < stream->n_instructions && whole; i++)
    {
      guint32 first = b->deps->len;
      guint n;
      const TsAccess *accesses = ts_stream_accesses (stream, i, &n);

      add_event (b, i);
      g_array_append_val (b->dep_start, first);
      for (guint k = 0; k < n; k++)
        if ((accesses[k].access & TS_ACCESS_READ) != 0)
          read_pieces (b, first, pieces[accesses[k].buffer], &accesses[k]);
      for (guint32 k = stream->scalar_start[i]; k < stream->scalar_start[i + 1]; k++)
        if (stream->scalars[k] >= 0)
          add_dep (b, first, stream->scalars[k]);
      for (guint k = 0; k < n; k++)
        if ((accesses[k].access & TS_ACCESS_WRITE) != 0)
          write_piece (&pieces[accesses[k].buffer], &accesses[k], (gint32) i);
      if (i % CANCEL_STRIDE == 0)
        whole = !g_cancellable_is_cancelled (cancellable);
    }
  g_array_append_val (b->dep_start, b->deps->len);
  for (guint i = 0; i < stream->n_buffers; i++)
    g_clear_pointer (&pieces[i], g_array_unref);
  return whole;
}

/* --- loops and memory ---------------------------------------------------------------------------------------------------- */

static void
add_loop_parts (Builder *b, const TsLoopResult *loop, guint row)
{
  const TsStream *stream = b->simulation->stream;
  const gint64 ends[] = { loop->begin, loop->steady_begin, loop->steady_end, loop->end };

  for (guint part = 0; part < 3; part++)
    {
      TsTimelineLoop entry = {
        .from = ends[part], .to = ends[part + 1], .iterations = loop->iterations, .interval = part == 1 ? loop->interval : 0,
        .op = stream->loops[loop->loop].statement, .depth = (guint8) row, .part = (guint8) part,
      };

      if (entry.to > entry.from)
        g_array_append_val (b->loops, entry);
    }
}

/* Outer loops first; each takes the first row of the band where it overlaps nothing, and is left out when there is none. */
static void
add_loops (Builder *b)
{
  const TsResult *result = b->simulation->result;
  const TsStream *stream = b->simulation->stream;
  gint32 deepest = -1;

  for (guint i = 0; i < stream->n_loops; i++)
    deepest = MAX (deepest, stream->loops[i].depth);
  for (gint32 depth = 0; depth <= deepest; depth++)
    for (guint i = 0; i < result->n_loops; i++)
      {
        const TsLoopResult *loop = &result->loops[i];
        guint row = 0;

        if (stream->loops[loop->loop].depth != depth || loop->iterations < 2 || loop->end <= loop->begin)
          continue;
        for (guint k = 0; k < b->loops->len; k++)
          {
            const TsTimelineLoop *other = &g_array_index (b->loops, TsTimelineLoop, k);

            if (other->depth >= row && other->from < loop->end && loop->begin < other->to)
              row = other->depth + 1u;
          }
        if (row < MAX_BAND_ROWS)
          add_loop_parts (b, loop, row);
      }
}

/* What was left out lies between the last bar of what is copied and the first one behind it; no bar touches it. */
static void
widen_gap (const Builder *b, const TsFill *fill, gint64 *from, gint64 *to)
{
  const TsSchedule *schedule = b->simulation->schedule;
  const TsCore *core = &b->simulation->stream->cores[fill->core];

  for (guint i = fill->from; i < fill->at; i++)
    *from = MAX (*from, schedule->end[i]);
  for (guint i = fill->at; i < MIN (2 * fill->at - fill->from, core->first + core->n); i++)
    if (schedule->start[i] >= 0)
      *to = MIN (*to, schedule->start[i]);
}

/* The cores of a group leave out the same: one gap for all of them. */
static void
add_fills (Builder *b)
{
  const TsStream *stream = b->simulation->stream;
  const TsSchedule *schedule = b->simulation->schedule;
  gint64 before = 0;
  guint n = 0;

  while (n < schedule->n_fills && schedule->fills[n].core == schedule->fills[0].core)
    n++;
  for (guint i = 0; i < n && i < stream->n_repeats; i++)
    {
      const TsFill *fill = &schedule->fills[i];
      const TsRepeat *repeat = &stream->repeats[i];
      TsTimelineFill entry = {
        .from = before, .to = G_MAXINT64, .iterations = repeat->omitted,
        .step = fill->times > 0 ? repeat->omitted / fill->times : 0, .cycles = fill->cycles,
        .op = stream->loops[repeat->loop].statement,
      };

      for (guint k = i; k < schedule->n_fills; k += n)
        widen_gap (b, &schedule->fills[k], &entry.from, &entry.to);
      if (entry.to <= entry.from || entry.to == G_MAXINT64)
        continue;
      before = entry.to;
      g_array_append_val (b->fills, entry);
    }
}

static void
add_spaces (Builder *b)
{
  const TsResult *result = b->simulation->result;
  const TsStream *stream = b->simulation->stream;

  for (guint i = 0; i < result->n_memory; i++)
    {
      const TsMemoryResult *memory = &result->memory[i];
      GArray *steps = g_array_sized_new (FALSE, FALSE, sizeof (TsTimelineBytes), memory->n_live);
      char *name = stream->n_cores > 1 ? g_strdup_printf ("%s %s", stream->cores[memory->core].name, ts_space_name (memory->space))
                                       : g_strdup (ts_space_name (memory->space));
      TsTimelineSpace space = { .name = name, .capacity = memory->capacity, .n_steps = memory->n_live };

      for (guint k = 0; k < memory->n_live; k++)
        {
          TsTimelineBytes step = { memory->live[k].time, memory->live[k].bytes };

          g_array_append_val (steps, step);
        }
      space.steps = (const TsTimelineBytes *) (gpointer) steps->data;
      add_name (b, name);
      g_array_append_val (b->steps, steps);
      g_array_append_val (b->spaces, space);
    }
}

static void
clear_builder (Builder *b)
{
  for (guint i = 0; i < b->names->len; i++)
    g_free (g_array_index (b->names, char *, i));
  for (guint i = 0; i < b->steps->len; i++)
    g_array_unref (g_array_index (b->steps, GArray *, i));
  g_array_unref (b->events);
  g_array_unref (b->lanes);
  g_array_unref (b->loops);
  g_array_unref (b->spaces);
  g_array_unref (b->fills);
  g_array_unref (b->names);
  g_array_unref (b->steps);
  g_array_unref (b->dep_start);
  g_array_unref (b->deps);
  g_free (b->site_name);
  g_free (b->site_around);
  g_hash_table_unref (b->since_of);
  g_free (b->buffer_name);
  g_free (b->tensor_name);
  g_free (b->channel_name);
}

TsTimeline *
ts_timeline_from_simulation (const TsSimulation *simulation, const char *title, const char *subtitle, TsTimelineNamer namer,
                             TsTimelineSince since, gpointer data, GCancellable *cancellable)
{
  Builder b = {
    .simulation = simulation,
    .since = since,
    .data = data,
    .since_of = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    .events = g_array_sized_new (FALSE, FALSE, sizeof (TsTimelineEvent), simulation->stream->n_instructions),
    .lanes = g_array_new (FALSE, FALSE, sizeof (TsTimelineLane)),
    .loops = g_array_new (FALSE, FALSE, sizeof (TsTimelineLoop)),
    .spaces = g_array_new (FALSE, FALSE, sizeof (TsTimelineSpace)),
    .fills = g_array_new (FALSE, FALSE, sizeof (TsTimelineFill)),
    .names = g_array_new (FALSE, FALSE, sizeof (char *)),
    .steps = g_array_new (FALSE, FALSE, sizeof (GArray *)),
    .dep_start = g_array_sized_new (FALSE, FALSE, sizeof (guint32), simulation->stream->n_instructions + 1),
    .deps = g_array_new (FALSE, FALSE, sizeof (gint32)),
  };
  const TsResult *result = simulation->result;
  TsTimeline *timeline = NULL;
  guint first_since;

  name_things (&b, namer, data);
  add_lanes (&b);
  add_loops (&b);
  add_spaces (&b);
  add_fills (&b);
  first_since = b.names->len;
  if (add_events (&b, cancellable))
    {
      TsTimelineInput input = {
        .events = (const TsTimelineEvent *) (gpointer) b.events->data, .n_events = b.events->len,
        .lanes = (const TsTimelineLane *) (gpointer) b.lanes->data, .n_lanes = b.lanes->len,
        .names = (const char *const *) (gpointer) b.names->data, .n_names = b.names->len,
        .first_since = since != NULL ? first_since : 0,
        .loops = (const TsTimelineLoop *) (gpointer) b.loops->data, .n_loops = b.loops->len,
        .spaces = (const TsTimelineSpace *) (gpointer) b.spaces->data, .n_spaces = b.spaces->len,
        .fills = (const TsTimelineFill *) (gpointer) b.fills->data, .n_fills = b.fills->len,
        .critical = (const gint32 *) result->critical, .n_critical = result->n_critical,
        .dep_start = (const guint32 *) (gpointer) b.dep_start->data, .deps = (const gint32 *) (gpointer) b.deps->data,
        .makespan = result->makespan,
        .title = title != NULL ? title : simulation->function, .subtitle = subtitle,
      };

      timeline = ts_timeline_new (&input, cancellable);
    }
  clear_builder (&b);
  return timeline;
}
