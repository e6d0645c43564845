/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the inspector says, as data. */
#include "app/facts.h"

#include <glib/gi18n.h>

#include "base/number.h"
#include "draw/pictures.h"
#include "draw/scale.h"

/* Buffers listed for one operation. */
#define MAX_BUFFERS 8u
#define MAX_ITERATION_DEPTH 8u
#define MAX_COLLAPSES 4u
/* Characters of a log. */
#define MAX_LOG_TEXT 600

static void
fact_free (gpointer data)
{
  TsFact *fact = data;

  g_free (fact->key);
  g_free (fact->text);
  g_free (fact);
}

/* Takes the text. */
static void
add (GPtrArray *facts, TsFactKind kind, const char *key, char *text)
{
  TsFact *fact = g_new0 (TsFact, 1);

  fact->kind = kind;
  fact->key = g_strdup (key);
  fact->text = text;
  fact->op = -1;
  g_ptr_array_add (facts, fact);
}

static void
add_row (GPtrArray *facts, const char *key, char *text)
{
  add (facts, TS_FACT_ROW, key, text);
}

/* A row that leads to an operation. */
static void
add_link (GPtrArray *facts, const char *key, char *text, gint32 op)
{
  add_row (facts, key, text);
  ((TsFact *) g_ptr_array_index (facts, facts->len - 1))->op = op;
}

static char *
cycles_text (gint64 cycles)
{
  GString *text = g_string_new (NULL);

  ts_append_cycles (text, cycles);
  return g_string_free (text, FALSE);
}

static char *
bytes_text (gint64 bytes)
{
  GString *text = g_string_new (NULL);

  ts_append_bytes (text, bytes);
  return g_string_free (text, FALSE);
}

/* --- why --------------------------------------------------------------------------------------------------------------------- */

static const TsSite *
site_of (const TsShown *shown, gint32 event)
{
  const TsStream *stream = shown->simulation->stream;

  return event >= 0 && (guint) event < stream->n_instructions ? ts_stream_site (stream, (guint) event) : NULL;
}

/* What an event is called: the name on its bar. */
static char *
event_name (const TsShown *shown, gint32 event)
{
  const TsSite *site = site_of (shown, event);
  const TsOp *op = site != NULL ? ts_shown_op (shown, site->statement) : NULL;

  if (site == NULL)
    return g_strdup (_("another operation"));
  if (op == NULL)
    return g_strdup (site->name);
  return ts_shown_op_name (shown, op);
}

static const char *
buffer_name (const TsShown *shown, gint32 event)
{
  const TsStream *stream = shown->simulation->stream;
  const TsSchedule *schedule = shown->simulation->schedule;
  gint32 buffer = schedule->buffer[event];

  if (buffer < 0)
    return NULL;
  switch (schedule->cause[event])
    {
    case TS_CAUSE_MEMORY:
      return stream->tensors[buffer].name;
    case TS_CAUSE_FIFO:
      return stream->channels[buffer].name;
    default:
      return stream->buffers[buffer].label;
    }
}

/* One sentence per cause; %1$s is the other operation, %2$s the buffer. */
static const char *
cause_sentence (TsCause cause)
{
  static const char *const sentences[TS_N_CAUSES] = {
    [TS_CAUSE_RAW] = N_("It waits for %1$s, which makes %2$s (read after write)."),
    [TS_CAUSE_WAR] = N_("It waits until %1$s has read buffer %2$s, which it is going to overwrite (write after read)."),
    [TS_CAUSE_WAW] = N_("It waits until %1$s has written buffer %2$s, which it is going to overwrite (write after write)."),
    [TS_CAUSE_MEMORY] = N_("It waits until %1$s is done with %2$s in global memory."),
    [TS_CAUSE_FIFO] = N_("It waits for %1$s at %2$s."),
    [TS_CAUSE_BARRIER] = N_("It waits at a barrier behind %1$s (%2$s)."),
    [TS_CAUSE_PIPE] = N_("Its unit was busy with %1$s."),
    [TS_CAUSE_SCALAR] = N_("It waits until %1$s has computed a number it needs."),
    [TS_CAUSE_QUEUE] = N_("The queue of its unit was full behind %1$s."),
    [TS_CAUSE_DISPATCH] = N_("It had not been issued yet: the core issues in order, and %1$s came before it."),
    [TS_CAUSE_NONE] = N_("Nothing held it back."),
  };

  return _(sentences[cause]);
}

char *
ts_facts_why (const TsShown *shown, gint32 event)
{
  const TsSite *site = shown->simulation != NULL ? site_of (shown, event) : NULL;
  const TsSchedule *schedule;
  g_autofree char *name = NULL, *other = NULL, *cycles = NULL, *idle = NULL, *because = NULL;
  const char *buffer;

  if (site == NULL)
    return NULL;
  schedule = shown->simulation->schedule;
  if (schedule->start[event] < 0)
    return g_strdup (_("It was never reached: the cores wait for each other."));
  if (schedule->wait[event] <= 0)
    return NULL;
  name = event_name (shown, event);
  other = schedule->on[event] >= 0 ? event_name (shown, schedule->on[event]) : g_strdup (_("an earlier operation"));
  buffer = buffer_name (shown, event);
  cycles = cycles_text (schedule->wait[event]);
  idle = g_strdup_printf (_("%s (%s) stood idle for %s cycles before %s."), ts_lane_name (ts_pipe_lane (site->pipe)),
                          ts_pipe_name (site->pipe), cycles, name);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the sentences of the table above, and their translations */
  because = g_strdup_printf (cause_sentence (schedule->cause[event]), other, buffer != NULL ? buffer : _("a value"));
#pragma GCC diagnostic pop
  return g_strdup_printf ("%s %s", idle, because);
}

const TsBuffer *
ts_facts_blamed_buffer (const TsShown *shown, gint32 event)
{
  gint32 op, on, buffer;

  if (!ts_facts_shared_pair (shown, event, &op, &on) || shown->simulation->schedule->wait[event] <= 0)
    return NULL;
  buffer = shown->simulation->schedule->buffer[event];
  return buffer >= 0 ? &shown->simulation->stream->buffers[buffer] : NULL;
}

gboolean
ts_facts_shared_pair (const TsShown *shown, gint32 event, gint32 *op, gint32 *on)
{
  const TsSite *site = shown->simulation != NULL ? site_of (shown, event) : NULL;
  const TsSite *other;
  TsCause cause;

  if (site == NULL)
    return FALSE;
  cause = shown->simulation->schedule->cause[event];
  other = site_of (shown, shown->simulation->schedule->on[event]);
  if (other == NULL || (cause != TS_CAUSE_WAR && cause != TS_CAUSE_WAW && cause != TS_CAUSE_RAW))
    return FALSE;
  *op = site->statement;
  *on = other->statement;
  return *op >= 0 && *on >= 0;
}

/* --- one operation ----------------------------------------------------------------------------------------------------------- */

static void
add_source (GPtrArray *facts, const TsShown *shown, gint32 op)
{
  TsSource *source = NULL;
  guint line = ts_run_source_line (shown->run, shown->index, op, &source);
  g_autofree char *file = source != NULL ? g_path_get_basename (ts_source_name (source)) : NULL;

  if (line > 0 && file != NULL)
    add_row (facts, _("source"), g_strdup_printf ("%s:%u", file, line));
}

/* What it was in the snapshot before. */
static void
add_provenance (GPtrArray *facts, const TsShown *shown, const TsOp *op)
{
  gboolean inferred = FALSE;
  g_autoptr (GArray) before = NULL;
  GString *text;

  if (shown->index == 0)
    return;
  before = ts_run_trace (shown->run, shown->index, op->id, shown->index - 1, &inferred);
  text = g_string_new (NULL);
  for (guint i = 0; i < before->len && i < MAX_BUFFERS; i++)
    {
      const TsOp *was = ts_run_op (shown->run, shown->index - 1, g_array_index (before, gint32, i));
      g_autofree char *name = was != NULL ? ts_picture_op_name (was, NULL) : NULL;

      if (name != NULL)
        g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", name);
    }
  if (text->len == 0)
    g_string_append (text, _("new in this pass"));
  else if (op->origin.clone > 0 && !inferred)
    g_string_append_printf (text, _(" (copy %d)"), op->origin.clone);
  if (inferred)
    g_string_append (text, _(" (inferred)"));
  add_row (facts, _("comes from"), g_string_free (text, FALSE));
}

static void
add_membership (GPtrArray *facts, const TsShown *shown, gint32 op)
{
  guint n = 0;
  const TsStage *pairs = ts_run_membership (shown->run, shown->index, op, &n);

  if (n > 0)
    add_row (facts, _("stage, group"), g_strdup_printf ("%d, %d", pairs[0].stage,
                                                        pairs[0].group));
}

static void
add_operation (GPtrArray *facts, const TsShown *shown, const TsOp *op, guint n_ops)
{
  const TsOpInfo *info = ts_op_info (op->code);
  gboolean known = TRUE;
  TsPipe pipe = ts_op_pipe (op, ts_machine_backend (ts_run_machine (shown->run)), &known);

  add (facts, TS_FACT_HEADING, NULL, ts_shown_op_name (shown, op));
  if (n_ops > 1)
    add (facts, TS_FACT_SENTENCE, NULL,
         g_strdup_printf (ngettext ("%u operation is selected.", "%u operations are selected.", n_ops), n_ops));
  if (info != NULL && info->help != NULL && info->help[0] != '\0')
    add (facts, TS_FACT_SENTENCE, NULL, g_strdup (info->help));
  add_row (facts, _("operation"), g_strdup (op->name));
  if (pipe < TS_N_PIPES)
    add_row (facts, _("unit"), g_strdup_printf ("%s (%s)%s", ts_lane_name (ts_pipe_lane (pipe)), ts_pipe_name (pipe),
                                                known ? "" : _(", assumed")));
  add_membership (facts, shown, op->id);
  add_source (facts, shown, op->id);
  add_provenance (facts, shown, op);
}

/* --- one event --------------------------------------------------------------------------------------------------------------- */

static void
add_times (GPtrArray *facts, const TsShown *shown, gint32 event)
{
  const TsSimulation *simulation = shown->simulation;
  const TsCost *cost = &simulation->stream->costs[simulation->stream->cost[event]];
  g_autofree char *start = cycles_text (simulation->schedule->start[event]), *end = cycles_text (simulation->schedule->end[event]);
  g_autofree char *dispatch = cycles_text (simulation->schedule->dispatch[event]);
  gint64 vector[MAX_ITERATION_DEPTH];
  guint n = ts_stream_iteration_vector (simulation->stream, (guint) event, vector, MAX_ITERATION_DEPTH);

  if (simulation->schedule->start[event] < 0)
    return;
  add_row (facts, _("start – end"), g_strdup_printf ("%s – %s", start, end));
  add_row (facts, _("issued at"), g_strdup (dispatch));
  add_row (facts, _("holds its unit"), g_strdup_printf (_("%" G_GINT64_FORMAT " cycles (simulated)"), cost->occupancy));
  add_row (facts, _("result after"), g_strdup_printf (_("%" G_GINT64_FORMAT " cycles"), cost->latency));
  if (n > 0)
    {
      GString *text = g_string_new (NULL);

      for (guint i = 0; i < MIN (n, MAX_ITERATION_DEPTH); i++)
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", vector[i]);
      add_row (facts, _("iteration"), g_string_free (text, FALSE));
    }
}

static void
add_buffers (GPtrArray *facts, const TsShown *shown, gint32 event)
{
  const TsStream *stream = shown->simulation->stream;
  guint n;
  const TsAccess *accesses = ts_stream_accesses (stream, (guint) event, &n);

  if (n == 0)
    return;
  add (facts, TS_FACT_HEADING, NULL, g_strdup (_("Buffers")));
  for (guint i = 0; i < MIN (n, MAX_BUFFERS); i++)
    {
      const TsBuffer *buffer = &stream->buffers[accesses[i].buffer];
      g_autofree char *size = bytes_text (accesses[i].end - accesses[i].begin);
      const char *how = accesses[i].access == TS_ACCESS_READ    ? _("reads")
                        : accesses[i].access == TS_ACCESS_WRITE ? _("writes")
                                                                : _("reads, writes");

      add_row (facts, how, g_strdup_printf ("%s %s + %" G_GINT64_FORMAT ", %s", ts_space_name (buffer->space),
                                            buffer->label != NULL ? buffer->label : "?", accesses[i].begin, size));
    }
  if (n > MAX_BUFFERS)
    add (facts, TS_FACT_SENTENCE, NULL, g_strdup_printf (_("and %u more"), n - MAX_BUFFERS));
}

/* --- buffers of one operation ------------------------------------------------------------------------------------------------ */

/* Tiles that had or get the same bytes, each a way to its definition. */
static void
add_sharers (GPtrArray *facts, const TsMapInput *map, guint32 index)
{
  static const char *const keys[] = { [TS_MEMORY_OWN] = N_("shares bytes with"), [TS_MEMORY_VIEW] = N_("is a view of"),
                                      [TS_MEMORY_INPLACE] = N_("is written over"), [TS_MEMORY_REUSE] = N_("has the bytes of") };
  const TsMemoryTile *tile = &map->facts->tiles[index];
  const TsMemoryBuffer *buffer = &map->facts->buffers[tile->buffer];
  guint n = 0;

  if (tile->source != TS_MEMORY_NONE)
    {
      const TsMemoryTile *source = &map->facts->tiles[tile->source];

      add_link (facts, _(keys[tile->role]), g_strdup (ts_map_tile_name (map, source)), source->op);
    }
  for (guint32 k = 0; k < buffer->n_tiles && n < MAX_BUFFERS; k++)
    {
      const TsMemoryTile *heir = &map->facts->tiles[map->facts->by_buffer[buffer->first_tile + k]];

      if (heir->source != index)
        continue;
      add_link (facts, heir->role == TS_MEMORY_REUSE ? _("gives its bytes to") : _("is also"),
                g_strdup (ts_map_tile_name (map, heir)), heir->op);
      n++;
    }
}

static void
add_collapses (GPtrArray *facts, const TsMapInput *map, guint32 index)
{
  guint n = 0;

  for (guint c = 0; c < map->facts->n_collapses && map->facts->tiles[index].collapsed; c++)
    {
      const TsMemoryCollapse *collapse = &map->facts->collapses[c];
      g_autofree char *bytes = NULL;

      if (!ts_memory_tile_is_in (&map->facts->tiles[index], collapse) || n++ >= MAX_COLLAPSES)
        continue;
      bytes = bytes_text (collapse->bytes);
      add (facts, TS_FACT_SENTENCE, NULL,
           g_strdup_printf (_("Stages %d and %d of group %d share %s: they cannot be under way together."), collapse->stage_a,
                            collapse->stage_b, collapse->group, bytes));
    }
}

/* Diagnostics that speak of a buffer stand beside it. */
static void
add_remarks (GPtrArray *facts, const TsMapInput *map, const TsMemoryBuffer *buffer)
{
  for (guint i = 0; i < map->n_remarks; i++)
    if (ts_map_remark_is_about (&map->remarks[i], buffer->name)
        || ts_map_remark_is_about (&map->remarks[i], ts_space_name (buffer->space)))
      add (facts, TS_FACT_SENTENCE, NULL, g_strdup_printf ("%s: %s.", map->remarks[i].code, map->remarks[i].message));
}

static void
add_tile (GPtrArray *facts, const TsMapInput *map, guint32 index)
{
  const TsMemoryTile *tile = &map->facts->tiles[index];
  const TsMemoryBuffer *buffer = &map->facts->buffers[tile->buffer];

  add (facts, TS_FACT_HEADING, NULL, g_strdup_printf (_("Memory of %s"), ts_map_tile_name (map, tile)));
  add_row (facts, _("buffer"), g_strdup_printf ("%s %s", ts_space_name (buffer->space), buffer->name));
  if (tile->address == TS_MEMORY_UNPLACED)
    add_row (facts, _("address"), g_strdup (_("none yet")));
  else if (tile->offset < 0)
    add_row (facts, _("address"), g_strdup_printf (_("a slot from %" G_GINT64_FORMAT " on"), tile->address));
  else
    add_row (facts, _("address"), g_strdup_printf ("%" G_GINT64_FORMAT " – %" G_GINT64_FORMAT, tile->address,
                                                   tile->address + tile->size));
  add_row (facts, _("size"), bytes_text (tile->size));
  add_link (facts, _("live from"), g_strdup_printf (_("statement %u"), tile->def), tile->op);
  add_link (facts, _("live to"), g_strdup_printf (_("statement %u"), tile->last),
            tile->last < map->facts->n_positions ? map->facts->op_at[tile->last] : -1);
  add_sharers (facts, map, index);
  add_collapses (facts, map, index);
  add_remarks (facts, map, buffer);
}

/* The tiles that an operation makes. */
static void
add_tiles (GPtrArray *facts, const TsShown *shown, const TsOp *op)
{
  for (guint i = 0; shown->map != NULL && i < MIN (op->n_results, MAX_BUFFERS); i++)
    {
      const TsMemoryTile *tile = ts_memory_facts_tile (shown->map->input.facts, op->results[i]);

      if (tile != NULL)
        add_tile (facts, &shown->map->input, (guint32) (tile - shown->map->input.facts->tiles));
    }
}

/* --- the whole snapshot ------------------------------------------------------------------------------------------------------ */

static void
add_pipes (GPtrArray *facts, const TsSimulation *simulation)
{
  const TsResult *result = simulation->result;

  add (facts, TS_FACT_HEADING, NULL, g_strdup (_("Units")));
  for (guint i = 0; i < result->n_pipes; i++)
    {
      const TsPipeResult *pipe = &result->pipes[i];
      g_autofree char *busy = cycles_text (pipe->busy);
      g_autofree char *name = simulation->stream->n_cores > 1
                                ? g_strdup_printf ("%s %s", simulation->stream->cores[pipe->core].name, ts_pipe_name (pipe->pipe))
                                : g_strdup_printf ("%s (%s)", ts_lane_name (pipe->lane), ts_pipe_name (pipe->pipe));

      add_row (facts, name, g_strdup_printf (_("%s cycles, %d %%"), busy, ts_percent (pipe->utilization)));
    }
}

static void
add_memory (GPtrArray *facts, const TsResult *result)
{
  if (result->n_memory > 0)
    add (facts, TS_FACT_HEADING, NULL, g_strdup (_("Memory")));
  for (guint i = 0; i < result->n_memory; i++)
    {
      const TsMemoryResult *memory = &result->memory[i];
      g_autofree char *used = bytes_text (memory->high_water);
      g_autofree char *capacity = memory->capacity > 0 ? bytes_text (memory->capacity) : NULL;

      add_row (facts, ts_space_name (memory->space),
               capacity != NULL ? g_strdup_printf (_("%s of %s"), used, capacity) : g_strdup (used));
    }
}

static void
add_assumptions (GPtrArray *facts, const TsSimulation *simulation)
{
  if (simulation->n_bindings > 0)
    add (facts, TS_FACT_HEADING, NULL, g_strdup (_("Open names")));
  for (guint i = 0; i < simulation->n_bindings; i++)
    add_row (facts, simulation->bindings[i].shown,
             g_strdup_printf (simulation->bindings[i].assumed ? _("%" G_GINT64_FORMAT " (assumed)") : "%" G_GINT64_FORMAT,
                              simulation->bindings[i].value));
}

/* The beginning of what the compiler wrote beside a dump. */
static void
add_log (GPtrArray *facts, const char *log)
{
  const char *end = g_utf8_strlen (log, -1) > MAX_LOG_TEXT ? g_utf8_offset_to_pointer (log, MAX_LOG_TEXT) : NULL;
  g_autofree char *head = end != NULL ? g_strndup (log, (gsize) (end - log)) : g_strdup (log);

  add (facts, TS_FACT_HEADING, NULL, g_strdup (_("Log")));
  add (facts, TS_FACT_SENTENCE, NULL, g_strconcat (g_strstrip (head), end != NULL ? " …" : NULL, NULL));
}

static void
add_overview (GPtrArray *facts, const TsShown *shown)
{
  g_autofree char *title = ts_picture_snapshot_title (shown->snapshot);
  const TsSimulation *simulation = shown->simulation;
  g_autofree char *makespan = NULL, *bound = NULL;

  add (facts, TS_FACT_HEADING, NULL, g_steal_pointer (&title));
  if (shown->snapshot->info != NULL && shown->snapshot->info->summary != NULL)
    add (facts, TS_FACT_SENTENCE, NULL, g_strdup (shown->snapshot->info->summary));
  if (shown->index > 0 && !shown->snapshot->changed && !shown->snapshot->failed)
    add (facts, TS_FACT_SENTENCE, NULL, g_strdup (_("It changed nothing.")));
  if (shown->function != NULL)
    add_row (facts, _("function"), g_strdup (shown->function));
  add_row (facts, _("machine"), g_strdup (ts_machine_name (ts_run_machine (shown->run))));
  if (simulation == NULL)
    {
      if (shown->no_schedule != NULL)
        add (facts, TS_FACT_SENTENCE, NULL, g_strdup_printf (_("Not schedulable: %s."), shown->no_schedule));
      return;
    }
  makespan = cycles_text (simulation->result->makespan);
  bound = cycles_text (simulation->result->bound);
  add_row (facts, _("length"), g_strdup_printf (_("%s cycles (simulated)"), makespan));
  /* What never came to its end has no efficiency. */
  add_row (facts, _("lower bound"),
           ts_simulation_fault (simulation) == NULL
             ? g_strdup_printf (_("%s cycles, %d %%"), bound, ts_percent (simulation->result->efficiency))
             : g_strdup_printf (_("%s cycles"), bound));
  add_pipes (facts, simulation);
  add_memory (facts, simulation->result);
  add_assumptions (facts, simulation);
}

GPtrArray *
ts_facts_new (const TsShown *shown, TsPick pick, guint n_ops)
{
  GPtrArray *facts = g_ptr_array_new_with_free_func (fact_free);
  const TsOp *op = ts_shown_op (shown, pick.op);
  gboolean has_event = shown->simulation != NULL && site_of (shown, pick.event) != NULL;
  char *why = has_event ? ts_facts_why (shown, pick.event) : NULL;

  if (why != NULL)
    {
      add (facts, TS_FACT_HEADING, NULL, g_strdup (pick.gap ? _("Why this gap?") : _("Why not earlier?")));
      add (facts, TS_FACT_SENTENCE, NULL, why);
    }
  if (op != NULL)
    add_operation (facts, shown, op, n_ops);
  if (op != NULL)
    add_tiles (facts, shown, op);
  if (has_event)
    {
      add_times (facts, shown, pick.event);
      add_buffers (facts, shown, pick.event);
    }
  if (op == NULL && !has_event)
    add_overview (facts, shown);
  if (op == NULL && !has_event && shown->snapshot->log != NULL && shown->snapshot->log[0] != '\0')
    add_log (facts, shown->snapshot->log);
  return facts;
}
