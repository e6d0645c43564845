/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a run to what the views draw: titles, the timeline of a simulation, the graph of a function. */
#include "draw/pictures.h"

/* Buffer edges drawn beside the values; beyond it a graph is unreadable anyway. */
#define MAX_EXTRA_EDGES 2000u
/* Latest writers remembered per buffer when the arrows of an event are looked for. */
#define WRITERS 4u

/* --- names and titles ------------------------------------------------------------------------------------------------------- */

static const char *
short_name (const char *name)
{
  const char *dot = strrchr (name, '.');

  return dot != NULL ? dot + 1 : name;
}

char *
ts_picture_op_name (const TsOp *op, const GPtrArray *names)
{
  const TsValue *value = op->n_results > 0 ? op->results[0] : NULL;
  const char *printed = NULL;

  if (op->code == TS_OP_FOR || op->code == TS_OP_WHILE)
    value = op->code == TS_OP_FOR ? ts_for_var (op) : NULL;
  if (value != NULL && names != NULL && value->id >= 0 && (guint) value->id < names->len)
    printed = g_ptr_array_index (names, value->id);
  if (printed == NULL && value != NULL)
    printed = value->hint;
  if (printed == NULL || printed[0] == '\0')
    return g_strdup (short_name (op->name));
  if (op->code == TS_OP_ASSIGN)
    return g_strdup (printed);
  return g_strdup_printf ("%s %s", short_name (op->name), printed);
}

char *
ts_picture_snapshot_title (const TsSnapshot *snapshot)
{
  if (snapshot->index == 0 && snapshot->info == NULL)
    return g_strdup ("as parsed");
  return g_strdup_printf ("after %s", snapshot->pass);
}

/* The interval that speaks for a schedule: of the loop that takes the most cycles and has one; 0 when there is none. */
static gint64
main_interval (const TsResult *result)
{
  gint64 most = -1, interval = 0;

  for (guint i = 0; i < result->n_loops; i++)
    if (result->loops[i].interval > 0 && result->loops[i].end - result->loops[i].begin > most)
      {
        most = result->loops[i].end - result->loops[i].begin;
        interval = result->loops[i].interval;
      }
  return interval;
}

static void
append_figures (const TsSimulation *simulation, GString *out)
{
  const TsResult *result = simulation->result;
  gint64 interval = main_interval (result);

  g_string_append (out, ", simulated · ");
  ts_append_cycles (out, result->makespan);
  g_string_append (out, " cycles");
  if (simulation->stream->truncated)
    g_string_append (out, " (cut)");
  if (interval > 0)
    {
      g_string_append (out, " · interval ");
      ts_append_cycles (out, interval);
    }
  g_string_append (out, " · bound ");
  ts_append_cycles (out, result->bound);
  if (result->resource >= result->dependence && result->bound_pipe < TS_N_PIPES)
    g_string_append_printf (out, " (%s)", ts_lane_name (ts_pipe_lane (result->bound_pipe)));
  else if (result->dependence > result->resource)
    g_string_append (out, " (dependences)");
  g_string_append_printf (out, " · %d %%", (int) (result->efficiency * 100.0 + 0.5));
}

char *
ts_picture_subtitle (TsRun *run, guint index, const char *function, const TsSimulation *simulation)
{
  GString *out = g_string_new (function);
  g_autofree char *pass = ts_picture_snapshot_title (ts_run_snapshot (run, index));

  if (out->len > 0)
    g_string_append (out, " · ");
  g_string_append_printf (out, "%s · %s", pass, ts_machine_name (ts_run_machine (run)));
  if (simulation != NULL)
    append_figures (simulation, out);
  return g_string_free (out, FALSE);
}

/* --- timeline: names and lanes ---------------------------------------------------------------------------------------------- */

typedef struct
{
  TsRun              *run;
  guint               index;
  const TsSimulation *simulation;
  GPtrArray          *names;        /* (owned) char */
  GHashTable         *name_index;   /* text to index + 1 */
  GArray             *lanes;        /* TsTimelineLane */
  guint8              lane_of[TS_MAX_CORES][TS_N_PIPES];
  gint32             *site_names;   /* per site */
} TimelineBuild;

static gint32
name_of (TimelineBuild *build, char *text)
{
  gpointer known = g_hash_table_lookup (build->name_index, text);

  if (known != NULL)
    {
      g_free (text);
      return GPOINTER_TO_INT (known) - 1;
    }
  g_ptr_array_add (build->names, text);
  g_hash_table_insert (build->name_index, text, GINT_TO_POINTER (build->names->len));
  return (gint32) build->names->len - 1;
}

/* Units a core has whether the function uses them or not: an idle unit is news, not clutter. */
static guint
usual_pipes (TsCoreKind kind)
{
  static const guint pipes[] = {
    [TS_CORE_SINGLE] = 1u << TS_PIPE_S | 1u << TS_PIPE_MTE2 | 1u << TS_PIPE_M | 1u << TS_PIPE_V | 1u << TS_PIPE_MTE3,
    [TS_CORE_CUBE] = 1u << TS_PIPE_S | 1u << TS_PIPE_MTE2 | 1u << TS_PIPE_M | 1u << TS_PIPE_FIX,
    [TS_CORE_VECTOR] = 1u << TS_PIPE_S | 1u << TS_PIPE_MTE2 | 1u << TS_PIPE_V | 1u << TS_PIPE_MTE3,
  };

  return pipes[kind];
}

static const TsPipeResult *
pipe_result (const TsResult *result, guint core, guint pipe)
{
  for (guint i = 0; i < result->n_pipes; i++)
    if (result->pipes[i].core == core && result->pipes[i].pipe == pipe)
      return &result->pipes[i];
  return NULL;
}

static void
add_lanes (TimelineBuild *build)
{
  const TsStream *stream = build->simulation->stream;

  for (guint core = 0; core < stream->n_cores; core++)
    for (guint pipe = 0; pipe < TS_N_PIPES; pipe++)
      {
        const TsPipeResult *found = pipe_result (build->simulation->result, core, pipe);
        TsTimelineLane lane = { 0 };
        char *detail;

        if (found == NULL && (usual_pipes (stream->cores[core].kind) & 1u << pipe) == 0)
          continue;
        detail = stream->n_cores > 1 ? g_strdup_printf ("%s %s", stream->cores[core].name, ts_pipe_name (pipe))
                                     : g_strdup (ts_pipe_name (pipe));
        lane.unit = ts_pipe_lane (pipe);
        lane.name = ts_lane_name (lane.unit);
        lane.detail = g_ptr_array_index (build->names, name_of (build, detail));
        lane.busy = found != NULL ? found->busy : 0;
        build->lane_of[core][pipe] = (guint8) build->lanes->len;
        g_array_append_val (build->lanes, lane);
      }
}

static void
name_sites (TimelineBuild *build, const GPtrArray *value_names)
{
  const TsStream *stream = build->simulation->stream;

  build->site_names = g_new (gint32, MAX (stream->n_sites, 1));
  for (guint i = 0; i < stream->n_sites; i++)
    {
      const TsSite *site = &stream->sites[i];
      const TsOp *op = ts_run_op (build->run, build->index, site->statement);
      char *text;

      if (op != NULL)
        text = ts_picture_op_name (op, value_names);
      else if (site->result != NULL && site->result[0] != '\0')
        text = g_strdup_printf ("%s %s", short_name (site->name), site->result);
      else
        text = g_strdup (short_name (site->name));
      build->site_names[i] = name_of (build, text);
    }
}

/* --- timeline: events ------------------------------------------------------------------------------------------------------- */

/* The simulator and the drawings order causes differently: they meet by name. */
static void
map_causes (guint8 kinds[TS_N_CAUSES])
{
  for (guint cause = 0; cause < TS_N_CAUSES; cause++)
    {
      kinds[cause] = TS_WAIT_KIND_NONE;
      for (guint kind = 0; kind < TS_N_WAIT_KINDS; kind++)
        if (g_str_equal (ts_wait_look (kind)->name, ts_cause_name (cause)))
          kinds[cause] = (guint8) kind;
    }
}

static const char *
binding_name (const TsStream *stream, TsCause cause, gint32 buffer)
{
  if (buffer < 0)
    return NULL;
  if (cause == TS_CAUSE_MEMORY)
    return stream->tensors[buffer].name;
  if (cause == TS_CAUSE_FIFO)
    return stream->channels[buffer].name;
  return stream->buffers[buffer].label;
}

static TsTimelineEvent *
make_events (TimelineBuild *build)
{
  const TsStream *stream = build->simulation->stream;
  const TsSchedule *schedule = build->simulation->schedule;
  TsTimelineEvent *events = g_new0 (TsTimelineEvent, MAX (stream->n_instructions, 1));
  guint8 kinds[TS_N_CAUSES];

  map_causes (kinds);
  for (guint i = 0; i < stream->n_instructions; i++)
    {
      const TsSite *site = ts_stream_site (stream, i);
      const char *binding = binding_name (stream, schedule->cause[i], schedule->buffer[i]);
      TsTimelineEvent *event = &events[i];

      /* An instruction that was never reached (deadlock) has no place in time: an empty bar at the end keeps the numbering. */
      event->start = schedule->start[i] < 0 ? schedule->makespan : schedule->start[i];
      event->end = schedule->start[i] < 0 ? schedule->makespan : schedule->end[i];
      event->idle_from = event->start - (schedule->start[i] < 0 ? 0 : schedule->wait[i]);
      event->op = site->statement;
      event->on = schedule->on[i];
      event->name = build->site_names[stream->site[i]];
      event->buffer = binding != NULL ? name_of (build, g_strdup (binding)) : -1;
      event->iteration = stream->iteration[i] < 0 ? -1 : (gint32) MIN (stream->iterations[stream->iteration[i]].index, G_MAXINT32);
      event->stage = (gint16) MIN (site->stage, G_MAXINT16);
      event->lane = build->lane_of[site->core][site->pipe];
      event->wait = kinds[schedule->cause[i]];
    }
  return events;
}

/* --- timeline: what an event depends on ------------------------------------------------------------------------------------- */

typedef struct
{
  gint32 event;
  gint64 begin, end;
} Writer;

static void
add_dependency (GArray *deps, guint first, gint32 on)
{
  for (guint i = first; i < deps->len; i++)
    if (g_array_index (deps, gint32, i) == on)
      return;
  g_array_append_val (deps, on);
}

/* Events that made what instruction `i` reads, as far as the last few writers of each buffer tell. */
static void
add_producers (const TsStream *stream, guint i, Writer *writers, GArray *deps, guint first)
{
  guint n;
  const TsAccess *accesses = ts_stream_accesses (stream, i, &n);

  for (guint a = 0; a < n; a++)
    {
      Writer *of_buffer = writers + (gsize) accesses[a].buffer * WRITERS;

      for (guint w = 0; (accesses[a].access & TS_ACCESS_READ) && w < WRITERS; w++)
        if (of_buffer[w].event >= 0 && of_buffer[w].begin < accesses[a].end && accesses[a].begin < of_buffer[w].end)
          {
            add_dependency (deps, first, of_buffer[w].event);
            break;
          }
    }
  for (guint a = 0; a < n; a++)
    if (accesses[a].access & TS_ACCESS_WRITE)
      {
        Writer *of_buffer = writers + (gsize) accesses[a].buffer * WRITERS;

        memmove (of_buffer + 1, of_buffer, (WRITERS - 1) * sizeof *of_buffer);
        of_buffer[0] = (Writer) { (gint32) i, accesses[a].begin, accesses[a].end };
      }
}

static GArray *
make_dependencies (const TsSimulation *simulation, guint32 *starts)
{
  const TsStream *stream = simulation->stream;
  GArray *deps = g_array_new (FALSE, FALSE, sizeof (gint32));
  gsize n_writers = (gsize) stream->n_buffers * WRITERS;
  g_autofree Writer *writers = g_new (Writer, MAX (n_writers, 1));

  for (gsize w = 0; w < n_writers; w++)
    writers[w] = (Writer) { -1, 0, 0 };
  for (guint i = 0; i < stream->n_instructions; i++)
    {
      guint first = deps->len;

      starts[i] = first;
      add_producers (stream, i, writers, deps, first);
      for (guint32 s = stream->scalar_start[i]; s < stream->scalar_start[i + 1]; s++)
        add_dependency (deps, first, stream->scalars[s]);
      if (simulation->schedule->on[i] >= 0)
        add_dependency (deps, first, simulation->schedule->on[i]);
    }
  starts[stream->n_instructions] = deps->len;
  return deps;
}

/* --- timeline: loops and memory --------------------------------------------------------------------------------------------- */

/* The band has one row: the outermost loops of the first core, split where they reach and leave their steady state. */
static GArray *
make_loops (const TsSimulation *simulation)
{
  GArray *parts = g_array_new (FALSE, TRUE, sizeof (TsTimelineLoop));

  for (guint i = 0; i < simulation->result->n_loops; i++)
    {
      const TsLoopResult *loop = &simulation->result->loops[i];
      const TsLoop *of = &simulation->stream->loops[loop->loop];
      const gint64 cuts[4] = { loop->begin, loop->steady_begin, loop->steady_end, loop->end };

      if (of->parent >= 0 || of->core != 0)
        continue;
      for (guint part = 0; part < 3; part++)
        if (cuts[part] < cuts[part + 1])
          {
            TsTimelineLoop row = { .from = cuts[part], .to = cuts[part + 1], .first = -1, .last = -1,
                                   .interval = part == 1 ? loop->interval : 0, .op = of->statement, .part = (guint8) part };

            g_array_append_val (parts, row);
          }
    }
  return parts;
}

/* Points of the live bytes as the timeline wants them; the arrays are freed with `points`. */
static GArray *
make_spaces (const TsSimulation *simulation, GPtrArray *points)
{
  GArray *spaces = g_array_new (FALSE, TRUE, sizeof (TsTimelineSpace));

  for (guint i = 0; i < simulation->result->n_memory; i++)
    {
      const TsMemoryResult *memory = &simulation->result->memory[i];
      TsTimelineBytes *steps = g_new (TsTimelineBytes, MAX (memory->n_live, 1));
      TsTimelineSpace space = { ts_space_name (memory->space), memory->capacity, steps, memory->n_live };

      for (guint k = 0; k < memory->n_live; k++)
        steps[k] = (TsTimelineBytes) { memory->live[k].time, memory->live[k].bytes };
      g_ptr_array_add (points, steps);
      if (memory->core == 0)
        g_array_append_val (spaces, space);
    }
  return spaces;
}

/* --- timeline --------------------------------------------------------------------------------------------------------------- */

static TsTimeline *
assemble (TimelineBuild *build, const char *subtitle, GCancellable *cancellable)
{
  const TsSimulation *simulation = build->simulation;
  const TsStream *stream = simulation->stream;
  g_autofree TsTimelineEvent *events = make_events (build);
  g_autofree guint32 *dep_start = g_new (guint32, (gsize) stream->n_instructions + 1);
  g_autoptr (GArray) deps = make_dependencies (simulation, dep_start);
  g_autoptr (GArray) loops = make_loops (simulation);
  g_autoptr (GPtrArray) points = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) spaces = make_spaces (simulation, points);
  TsTimelineInput input = {
    .events = events, .n_events = stream->n_instructions,
    .lanes = (const TsTimelineLane *) build->lanes->data, .n_lanes = build->lanes->len,
    .names = (const char *const *) build->names->pdata, .n_names = build->names->len,
    .loops = (const TsTimelineLoop *) loops->data, .n_loops = loops->len,
    .spaces = (const TsTimelineSpace *) spaces->data, .n_spaces = spaces->len,
    .critical = (const gint32 *) simulation->result->critical, .n_critical = simulation->result->n_critical,
    .dep_start = dep_start, .deps = (const gint32 *) deps->data,
    .makespan = simulation->schedule->makespan,
    .title = ts_input_title (ts_run_input (build->run)), .subtitle = subtitle,
  };

  return ts_timeline_new (&input, cancellable);
}

TsTimeline *
ts_picture_timeline (TsRun *run, guint index, const TsSimulation *simulation, GCancellable *cancellable)
{
  const TsSnapshotText *text = ts_run_text (run, index, cancellable, NULL);
  g_autofree char *subtitle = ts_picture_subtitle (run, index, simulation->function, simulation);
  TimelineBuild build = { .run = run, .index = index, .simulation = simulation };
  TsTimeline *timeline = NULL;

  build.names = g_ptr_array_new_with_free_func (g_free);
  build.name_index = g_hash_table_new (g_str_hash, g_str_equal);
  build.lanes = g_array_new (FALSE, TRUE, sizeof (TsTimelineLane));
  add_lanes (&build);
  name_sites (&build, text != NULL ? text->names : NULL);
  if (!g_cancellable_is_cancelled (cancellable))
    timeline = assemble (&build, subtitle, cancellable);
  g_free (build.site_names);
  g_array_unref (build.lanes);
  g_hash_table_unref (build.name_index);
  g_ptr_array_unref (build.names);
  return timeline;
}

/* --- graph ------------------------------------------------------------------------------------------------------------------ */

static gboolean
edge_kind_of (TsCause cause, TsEdgeKind *kind, const char **word)
{
  static const struct { TsCause cause; TsEdgeKind kind; const char *word; } rows[] = {
    { TS_CAUSE_WAR, TS_EDGE_BUFFER, "WAR" },
    { TS_CAUSE_WAW, TS_EDGE_BUFFER, "WAW" },
    { TS_CAUSE_MEMORY, TS_EDGE_MEMORY, "memory" },
    { TS_CAUSE_FIFO, TS_EDGE_ORDER, "FIFO" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].cause == cause)
      {
        *kind = rows[i].kind;
        *word = rows[i].word;
        return TRUE;
      }
  return FALSE;
}

/* Pairs of statements whose sharing of memory decided a start, each once. Labels are freed with `labels`. */
static GArray *
binding_edges (const TsSimulation *simulation, gint32 function, GPtrArray *labels)
{
  GArray *edges = g_array_new (FALSE, TRUE, sizeof (TsDagExtraEdge));
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  const TsStream *stream = simulation->stream;
  const TsSchedule *schedule = simulation->schedule;

  for (guint i = 0; i < stream->n_instructions && edges->len < MAX_EXTRA_EDGES; i++)
    {
      const TsSite *to = ts_stream_site (stream, i), *from;
      TsDagExtraEdge edge = { .binding = TRUE };
      const char *word, *name;
      guint64 key;

      if (schedule->on[i] < 0 || !edge_kind_of (schedule->cause[i], &edge.kind, &word))
        continue;
      from = ts_stream_site (stream, (guint) schedule->on[i]);
      if (from->function != function || to->function != function || from->statement < 0 || to->statement < 0)
        continue;
      /* Ids are bounded (TS_MAX_OPS), so that the kind has room above them. */
      key = (guint64) from->statement << 32 | (guint32) to->statement | (guint64) edge.kind << 60;
      if (!g_hash_table_add (seen, g_memdup2 (&key, sizeof key)))
        continue;
      name = binding_name (stream, schedule->cause[i], schedule->buffer[i]);
      edge.from = from->statement;
      edge.to = to->statement;
      edge.label = name != NULL ? g_strdup_printf ("%s %s", word, name) : g_strdup (word);
      g_ptr_array_add (labels, (gpointer) edge.label);
      g_array_append_val (edges, edge);
    }
  return edges;
}

TsDag *
ts_picture_dag (TsRun *run, guint index, const TsFunction *function, const TsSimulation *simulation, const TsDagOptions *options,
                TsMeasurer *measurer, GCancellable *cancellable)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) extra = simulation != NULL ? binding_edges (simulation, function->id, labels) : NULL;
  TsDagInput input = {
    .module = ts_run_snapshot (run, index)->module, .function = function,
    .backend = ts_machine_backend (ts_run_machine (run)),
    .extra = extra != NULL ? (const TsDagExtraEdge *) extra->data : NULL, .n_extra = extra != NULL ? extra->len : 0,
    .focus = -1, .group_by_stage = TRUE,
  };

  if (options != NULL)
    {
      input.previous = options->previous;
      input.left_to_right = options->left_to_right;
      input.focus = options->hops > 0 ? options->focus : -1;
      input.hops = options->hops;
    }
  return ts_dag_new (&input, measurer, cancellable);
}
