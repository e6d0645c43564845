/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a run to what the views draw: titles, the timeline of a simulation, the graph of a function. */
#include "draw/pictures.h"

#include "base/number.h"
#include "config.h"

/* Buffer edges drawn beside the values; beyond it a graph is unreadable anyway. */
#define MAX_EXTRA_EDGES 2000u

/* --- names and titles ---------------------------------------------------------------------------------------------------- */

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

char *
ts_picture_figures (const TsSimulation *simulation)
{
  GString *out = g_string_new (NULL);
  const TsResult *result = simulation->result;
  gint64 interval = main_interval (result);

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
  if (ts_simulation_fault (simulation) == NULL)
    g_string_append_printf (out, " · %d %%", ts_percent (result->efficiency));
  return g_string_free (out, FALSE);
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
    {
      g_autofree char *figures = ts_picture_figures (simulation);

      g_string_append_printf (out, ", simulated · %s", figures);
    }
  return g_string_free (out, FALSE);
}

static void
add_list (TsFigureInfo *figure, const char *key, const char *const *values)
{
  for (guint i = 0; values != NULL && values[i] != NULL; i++)
    ts_figure_add (figure, key, values[i]);
}

/* Larger inputs are only named in a figure, not carried along. */
#define MAX_SOURCE_BYTES 65536u

/* The text, when it is small, needs no folder beside it, and an XML file can carry it. */
static void
add_source (TsFigureInfo *figure, TsInput *input)
{
  TsSource *source = ts_input_source (input);
  gsize length;
  const char *text;

  if (source == NULL || g_str_has_prefix (ts_input_spec (input), "sample:"))
    return;
  text = ts_source_text (source, &length);
  if (length <= MAX_SOURCE_BYTES && memchr (text, '\0', length) == NULL && memchr (text, '\r', length) == NULL
      && g_utf8_validate (text, (gssize) length, NULL))
    ts_figure_add (figure, TS_FIGURE_SOURCE, text);
}

TsFigureInfo *
ts_picture_figure (TsRun *run, guint index, const char *function, const char *view)
{
  TsFigureInfo *figure = ts_figure_new ();
  const TsRunOptions *options = ts_run_options (run);

  ts_figure_add (figure, TS_FIGURE_PROGRAM, "Tilescope " TS_VERSION);
  ts_figure_add (figure, TS_FIGURE_INPUT, ts_input_spec (ts_run_input (run)));
  ts_figure_add (figure, TS_FIGURE_SHA256, ts_input_sha256 (ts_run_input (run)));
  add_source (figure, ts_run_input (run));
  ts_figure_add (figure, TS_FIGURE_FUNCTION, function);
  ts_figure_add (figure, TS_FIGURE_MACHINE, options->machine != NULL ? options->machine : TS_DEFAULT_MACHINE);
  add_list (figure, TS_FIGURE_OVERRIDE, options->overrides);
  add_list (figure, TS_FIGURE_BINDING, options->defines);
  add_list (figure, TS_FIGURE_ARG, options->args);
  ts_figure_add (figure, TS_FIGURE_PLANNER, ts_planner_name (options->planner));
  ts_figure_add (figure, TS_FIGURE_PASSES, options->passes);
  ts_figure_add (figure, TS_FIGURE_PASS, ts_run_snapshot (run, index)->pass);
  ts_figure_add_int (figure, TS_FIGURE_SNAPSHOT, index);
  ts_figure_add (figure, TS_FIGURE_VIEW, view);
  return figure;
}

/* --- timeline ------------------------------------------------------------------------------------------------------------ */

typedef struct { TsRun *run; guint index; const GPtrArray *names; const char *function; } NameSource;

static const char *
waits_since (gint32 op, gint32 on, gpointer data)
{
  const NameSource *source = data;

  return ts_run_buffer_since (source->run, source->index, source->function, op, on, NULL);
}

static char *
name_statement (gint32 op, gpointer data)
{
  const NameSource *source = data;
  const TsOp *found = ts_run_op (source->run, source->index, op);

  return found != NULL ? ts_picture_op_name (found, source->names) : NULL;
}

TsTimeline *
ts_picture_timeline (TsRun *run, guint index, const TsSimulation *simulation, gboolean since, GCancellable *cancellable)
{
  const TsSnapshotText *text = ts_run_text (run, index, cancellable, NULL);
  NameSource source = { run, index, text != NULL ? text->names : NULL, simulation->function };
  g_autofree char *subtitle = ts_picture_subtitle (run, index, simulation->function, simulation);

  return ts_timeline_from_simulation (simulation, ts_input_title (ts_run_input (run)), subtitle, name_statement,
                                      since ? waits_since : NULL, &source, cancellable);
}

/* --- graph --------------------------------------------------------------------------------------------------------------- */

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

typedef struct
{
  TsRun *run;
  guint  index;
} StageSource;

/* Stages of an operation where a pass has stripped them: what it was says it. */
static const TsStage *
stages_of (gint32 op, guint *n, gpointer data)
{
  const StageSource *source = data;

  return ts_run_membership (source->run, source->index, op, n);
}

TsDag *
ts_picture_dag (TsRun *run, guint index, const TsFunction *function, const TsSimulation *simulation, const TsDagOptions *options,
                TsMeasurer *measurer, GCancellable *cancellable)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) extra = simulation != NULL ? binding_edges (simulation, function->id, labels) : NULL;
  const TsSnapshotText *text = ts_run_text (run, index, cancellable, NULL);
  StageSource source = { run, index };
  TsDagInput input = {
    .module = ts_run_snapshot (run, index)->module, .function = function,
    .names = text != NULL ? text->names : NULL, .stages = stages_of, .stages_data = &source,
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
