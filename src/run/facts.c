/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is computed per function of a snapshot: simulation, buffer edges, memory facts, the row of the bill. */

#include "run/run-private.h"

#include <string.h>

void
ts_function_facts_free (gpointer data)
{
  TsFunctionFacts *facts = data;

  ts_simulation_free (facts->simulation.value);
  ts_buffer_edges_free (facts->edges.value);
  ts_memory_facts_free (facts->memory.value);
  g_free (facts->bill.value);
  ts_slot_clear (&facts->simulation);
  ts_slot_clear (&facts->edges);
  ts_slot_clear (&facts->memory);
  ts_slot_clear (&facts->bill);
  g_free (facts);
}

TsFunctionFacts *
ts_run_facts (TsRun *run, guint index, const char *function)
{
  GHashTable *table;
  TsFunctionFacts *facts;

  g_mutex_lock (&run->facts_lock);
  table = g_ptr_array_index (run->facts, index);
  if (table == NULL)
    {
      table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, ts_function_facts_free);
      g_ptr_array_index (run->facts, index) = table;
    }
  facts = g_hash_table_lookup (table, function);
  if (facts == NULL)
    {
      facts = g_new0 (TsFunctionFacts, 1);
      ts_slot_init (&facts->simulation);
      ts_slot_init (&facts->edges);
      ts_slot_init (&facts->memory);
      ts_slot_init (&facts->bill);
      g_hash_table_insert (table, g_strdup (function), facts);
    }
  g_mutex_unlock (&run->facts_lock);
  return facts;
}

/* --- simulation -------------------------------------------------------------------------------------------------------------- */

/* `name` is one of the snapshot's functions. */
static TsSimulation *
simulate (TsRun *run, guint index, const char *name, gint64 max_instructions, GCancellable *cancellable, TsRunProgress progress,
          gpointer data, GError **error)
{
  const TsModule *module = ts_run_snapshot (run, index)->module;
  TsFunction *function = ts_module_find_function (module, name);
  g_auto (GStrv) defines = ts_run_defines_for (run, function);
  TsSimOptions options = { .defines = (const char *const *) defines, .max_instructions = max_instructions,
                           .membership = ts_stage_table_lookup, .progress = progress, .progress_data = data };

  options.membership_data = (gpointer) ts_run_stage_table (run, index, NULL);
  return ts_simulate (module, function, run->machine, &options, cancellable, error);
}

const TsSimulation *
ts_run_simulate (TsRun *run, guint index, const char *function, GCancellable *cancellable, TsRunProgress progress, gpointer data,
                 GError **error)
{
  const char *name = ts_run_pick_function (run, index, function != NULL ? function : run->options.function, error);
  TsFunctionFacts *facts;
  gpointer value;

  if (name == NULL)
    return NULL;
  facts = ts_run_facts (run, index, name);
  if (!ts_slot_begin (&facts->simulation, cancellable, &value))
    {
      g_cancellable_set_error_if_cancelled (cancellable, error);
      return NULL;
    }
  if (value != NULL)
    return value;
  return ts_slot_end (&facts->simulation,
                      simulate (run, index, name, run->options.max_instructions, cancellable, progress, data, error));
}

static const TsMemoryFacts *
own_memory (TsRun *run, guint index, const char *name, GCancellable *cancellable, GError **error)
{
  const TsModule *module = ts_run_snapshot (run, index)->module;
  TsMemoryOptions options = { .stages = ts_stage_table_lookup };
  TsFunctionFacts *facts = ts_run_facts (run, index, name);
  gpointer value;

  if (!ts_slot_begin (&facts->memory, cancellable, &value))
    {
      g_cancellable_set_error_if_cancelled (cancellable, error);
      return NULL;
    }
  if (value != NULL)
    return value;
  if (!facts->no_memory)
    {
      for (TsSpace space = 0; space < TS_N_SPACES; space++)
        options.capacity[space] = ts_machine_capacity (run->machine, space);
      options.stages_data = (gpointer) ts_run_stage_table (run, index, NULL);
      value = ts_memory_facts_new (module, ts_module_find_function (module, name), &options);
      facts->no_memory = value == NULL;
    }
  return ts_slot_end (&facts->memory, value);
}

typedef struct
{
  TsRun               *run;
  guint                index;
  TsFunctionType       type;
  GCancellable        *cancellable;
  const TsMemoryFacts *found;
} MemberSearch;

/* Group functions hold calls of what their cores run. */
static gboolean
visit_member (TsOp *op, gpointer data)
{
  MemberSearch *search = data;
  const TsModule *module = ts_run_snapshot (search->run, search->index)->module;
  const TsFunction *callee = op->name != NULL ? ts_module_find_function (module, op->name) : NULL;

  if (search->found == NULL && callee != NULL
      && (callee->type == search->type || (search->type == TS_FUNCTION_GROUP && ts_function_is_on_core (callee))))
    search->found = own_memory (search->run, search->index, callee->name, search->cancellable, NULL);
  return search->found == NULL;
}

const TsMemoryFacts *
ts_run_member_memory (TsRun *run, guint index, const char *function, TsFunctionType type, GCancellable *cancellable)
{
  const TsModule *module = ts_run_snapshot (run, index)->module;
  TsFunction *group = module != NULL ? ts_module_find_function (module, function) : NULL;
  MemberSearch search = { run, index, type, cancellable, NULL };

  if (group == NULL)
    return NULL;
  if (group->type != TS_FUNCTION_GROUP)
    return own_memory (run, index, function, cancellable, NULL);
  ts_region_walk (&group->body, visit_member, &search);
  return search.found;
}

const TsMemoryFacts *
ts_run_memory (TsRun *run, guint index, const char *function, GCancellable *cancellable, GError **error)
{
  const TsModule *module = ts_run_snapshot (run, index)->module;
  const char *name = function != NULL && module != NULL && ts_module_find_function (module, function) != NULL
                       ? function
                       : ts_run_pick_function (run, index, function != NULL ? function : run->options.function, error);
  g_autoptr (GError) local = NULL;
  const TsMemoryFacts *facts;

  if (name == NULL)
    return NULL;
  facts = own_memory (run, index, name, cancellable, &local);
  if (facts == NULL && local == NULL)
    facts = ts_run_member_memory (run, index, name, TS_FUNCTION_GROUP, cancellable);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return facts;
}

/* --- since ------------------------------------------------------------------------------------------------------------------- */

static const TsBufferEdges *
edges_of (TsRun *run, guint index, const char *function, GCancellable *cancellable)
{
  const TsSimulation *simulation = ts_run_simulate (run, index, function, cancellable, NULL, NULL, NULL);
  TsFunctionFacts *facts;
  gpointer value;

  if (simulation == NULL)
    return NULL;
  facts = ts_run_facts (run, index, simulation->function);
  if (!ts_slot_begin (&facts->edges, cancellable, &value))
    return NULL;
  return value != NULL ? value : ts_slot_end (&facts->edges, ts_buffer_edges_new (simulation->stream, cancellable));
}

/* The function that holds an operation; dumps may have outlined it elsewhere. NULL: it cannot be simulated there. */
static const char *
function_of (TsRun *run, guint index, gint32 op)
{
  const TsOp *found = ts_run_op (run, index, op);
  const TsFunction *function = found != NULL && found->block != NULL ? ts_op_function (found) : NULL;

  return function != NULL ? ts_run_pick_function (run, index, function->name, NULL) : NULL;
}

static gboolean
any_edge (const TsBufferEdges *edges, const GArray *a, const GArray *b)
{
  for (guint i = 0; i < a->len; i++)
    for (guint k = 0; k < b->len; k++)
      if (ts_buffer_edges_has (edges, g_array_index (a, gint32, i), g_array_index (b, gint32, k)))
        return TRUE;
  return FALSE;
}

static const TsValue *
base_of (TsRun *run, guint index, gint32 op)
{
  const TsOp *found = ts_run_op (run, index, op);
  const TsType *type = found != NULL && found->n_results > 0 ? found->results[0]->type : NULL;

  return ts_type_is_tile (type) && type->memref != NULL ? type->memref->base : NULL;
}

static gboolean
any_base (TsRun *run, guint index, const GArray *a, const GArray *b)
{
  for (guint i = 0; i < a->len; i++)
    for (guint k = 0; k < b->len; k++)
      {
        const TsValue *base = base_of (run, index, g_array_index (a, gint32, i));

        if (base != NULL && base == base_of (run, index, g_array_index (b, gint32, k)))
          return TRUE;
      }
  return FALSE;
}

typedef enum { MEETS_NO, MEETS_YES, MEETS_UNKNOWN } Meets;

/* Do any of these operations meet in a buffer there? As the simulator saw it, or, where it never came by, as their types say. */
static Meets
meet (TsRun *run, guint index, const char *function, const GArray *a, const GArray *b, gboolean seen)
{
  const TsBufferEdges *edges;

  if (!seen)
    return any_base (run, index, a, b) ? MEETS_YES : MEETS_NO;
  edges = function != NULL ? edges_of (run, index, function, NULL) : NULL;
  if (edges == NULL)
    return MEETS_UNKNOWN;
  return any_edge (edges, a, b) ? MEETS_YES : MEETS_NO;
}

static gboolean
is_seen (TsRun *run, guint index, const char *function, gint32 op, gint32 on)
{
  const TsBufferEdges *edges = edges_of (run, index, function, NULL);

  return edges == NULL || ts_buffer_edges_has (edges, op, on);
}

const char *
ts_run_buffer_since (TsRun *run, guint index, const char *function, gint32 op, gint32 on, guint *since)
{
  guint first = index; /* the earliest snapshot known to have the edge */
  gboolean seen = TRUE;

  while (TRUE)
    {
      gint before = ts_run_previous_with_module (run, first);
      g_autoptr (GArray) a = NULL, b = NULL;
      Meets meets = MEETS_NO;

      if (before < 0)
        return NULL;
      a = ts_run_trace (run, index, op, (guint) before, NULL);
      b = ts_run_trace (run, index, on, (guint) before, NULL);
      /* A statement that the pass put in brings its edges with it. */
      if (a->len > 0 && b->len > 0)
        meets = meet (run, (guint) before, function_of (run, (guint) before, g_array_index (a, gint32, 0)), a, b, seen);
      if (meets == MEETS_UNKNOWN)
        return NULL;
      /* Asked last: most pairs met before, and the edges of this snapshot are not needed otherwise. */
      if (meets == MEETS_NO && first == index && seen && !is_seen (run, index, function, op, on))
        {
          seen = FALSE;
          continue;
        }
      if (meets == MEETS_YES)
        {
          first = (guint) before;
          continue;
        }
      if (since != NULL)
        *since = first;
      return ts_run_snapshot (run, first)->pass;
    }
}

/* --- bill -------------------------------------------------------------------------------------------------------------------- */

static gboolean
count_op (TsOp *op, gpointer data)
{
  (*(gint64 *) data)++;
  return TRUE;
}

/* Of the loops that hold no other, the one that takes the most cycles; NULL: there is none. */
static const TsLoopResult *
main_loop (const TsSimulation *simulation)
{
  const TsStream *stream = simulation->stream;
  const TsResult *result = simulation->result;
  const TsLoopResult *best = NULL;

  for (guint i = 0; i < result->n_loops; i++)
    {
      const TsLoopResult *loop = &result->loops[i];
      gboolean is_parent = FALSE;

      for (guint k = 0; k < stream->n_loops; k++)
        is_parent |= stream->loops[k].parent == loop->loop;
      if (!is_parent && loop->interval > 0 && (best == NULL || loop->interval * loop->total > best->interval * best->total))
        best = loop;
    }
  return best;
}

/* Copies of the body that a loop has in one iteration: the stages its own statements are tagged with. Tags of a loop further out
 * number copies of that one, so the innermost group of the first tagged statement counts. */
static gint64
count_copies (const TsStream *stream, gint32 loop)
{
  g_autoptr (GHashTable) stages = g_hash_table_new (NULL, NULL);
  gint32 group = -1;

  for (guint i = 0; i < stream->n_sites; i++)
    {
      const TsSite *site = &stream->sites[i];
      if (site->loop != loop || site->stage < 0)
        continue;
      group = group < 0 ? site->group : group;
      if (site->group == group)
        g_hash_table_add (stages, GINT_TO_POINTER (site->stage + 1));
    }
  return MAX (g_hash_table_size (stages), 1);
}

static void
fill_bytes (TsBillRow *row, const TsResult *result)
{
  row->bytes_total = 0;
  for (guint i = 0; i < result->n_memory; i++)
    {
      const TsMemoryResult *memory = &result->memory[i];

      if (memory->space == TS_SPACE_DDR)
        continue;
      row->bytes[memory->space] = MAX (row->bytes[memory->space], memory->high_water);
    }
  for (TsSpace space = 0; space < TS_N_SPACES; space++)
    row->bytes_total += MAX (row->bytes[space], 0);
}

static void
fill_row (TsBillRow *row, const TsModule *module, const TsSimulation *simulation)
{
  row->cycles = simulation->result->makespan;
  row->bound = simulation->result->bound;
  row->efficiency = simulation->result->efficiency;
  const TsLoopResult *loop = main_loop (simulation);
  row->interval = loop != NULL ? loop->interval : -1;
  row->copies = loop != NULL ? count_copies (simulation->stream, loop->loop) : -1;
  row->instructions = simulation->stream->n_instructions;
  row->truncated = simulation->stream->truncated;
  row->operations = 0;
  /* A group is what its cores run; two vector cores that run one function are counted once. */
  for (guint i = 0; i < simulation->stream->n_cores; i++)
    if (i == 0 || simulation->stream->cores[i].function != simulation->stream->cores[i - 1].function)
      ts_region_walk (&module->functions[simulation->stream->cores[i].function]->body, count_op, &row->operations);
  fill_bytes (row, simulation->result);
}

static const TsBillRow *make_bill_row (TsRun *run, guint index, const char *function, GCancellable *cancellable);

/* The last row before `index` that knows its cycles; NULL when there is none. */
static const TsBillRow *
row_before (TsRun *run, guint index, const char *function, GCancellable *cancellable)
{
  for (gint i = (gint) index - 1; i >= 0; i--)
    {
      const TsBillRow *before = make_bill_row (run, (guint) i, function, cancellable);

      if (before == NULL || before->cycles >= 0)
        return before;
    }
  return NULL;
}

/* Cycles of streams that were cut cannot be compared. */
static void
fill_deltas (TsBillRow *row, const TsBillRow *before)
{
  if (before == NULL || row->cycles < 0)
    return;
  row->delta_cycles = row->cycles - before->cycles;
  row->delta_bytes = row->bytes_total - before->bytes_total;
  row->has_delta_bytes = TRUE;
  row->has_delta_cycles = !row->truncated && !before->truncated;
  if (!row->has_delta_cycles)
    row->delta_cycles = 0;
}

/* What a row tells of; *own is to be freed afterwards. All rows of a bill that are cut are cut at the same bound. */
static const TsSimulation *
simulate_row (TsRun *run, guint index, const char *function, const TsBillRow *before, GCancellable *cancellable,
              TsSimulation **own, GError **error)
{
  gboolean lower = run->options.max_instructions <= TS_DEFAULT_MAX_INSTRUCTIONS; /* nobody asked for more than is usual */
  const char *name;

  if (!lower || before == NULL || !before->truncated)
    {
      const TsSimulation *whole = ts_run_simulate (run, index, function, cancellable, NULL, NULL, error);

      if (whole == NULL || !lower || !whole->stream->truncated)
        return whole;
    }
  name = ts_run_pick_function (run, index, function != NULL ? function : run->options.function, error);
  if (name != NULL)
    *own = simulate (run, index, name, MIN (run->options.max_instructions, TS_BILL_MAX_INSTRUCTIONS), cancellable, NULL, NULL,
                     error);
  return *own;
}

/* One row; rows before it are there already. */
static const TsBillRow *
make_bill_row (TsRun *run, guint index, const char *function, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  TsFunctionFacts *facts = ts_run_facts (run, index, function != NULL ? function : "");
  const TsSimulation *simulation;
  TsSimulation *own = NULL;
  const TsBillRow *before;
  const char *fault;
  TsBillRow *row;
  gpointer value;

  if (!ts_slot_begin (&facts->bill, cancellable, &value))
    return NULL;
  if (value != NULL)
    return value;
  before = row_before (run, index, function, cancellable);
  simulation = simulate_row (run, index, function, before, cancellable, &own, &error);
  if (g_cancellable_is_cancelled (cancellable))
    {
      ts_simulation_free (own);
      return ts_slot_end (&facts->bill, NULL);
    }
  row = g_new0 (TsBillRow, 1);
  row->index = index;
  row->cycles = row->bound = row->interval = row->copies = row->operations = row->instructions = row->bytes_total = -1;
  row->efficiency = -1;
  for (TsSpace space = 0; space < TS_N_SPACES; space++)
    row->bytes[space] = -1;
  fault = simulation != NULL ? ts_simulation_fault (simulation) : error->message;
  if (fault == NULL)
    fill_row (row, ts_run_snapshot (run, index)->module, simulation);
  else
    row->problem = ts_intern (ts_input_strings (run->input), fault);
  fill_deltas (row, before);
  ts_simulation_free (own);
  return ts_slot_end (&facts->bill, row);
}

const TsBillRow *
ts_run_bill_row (TsRun *run, guint index, const char *function, GCancellable *cancellable)
{
  const char *key = function != NULL ? function : "";
  guint first = index;

  /* From the front, so that a folder of thousands of dumps costs no deep recursion. */
  while (first > 0 && ts_slot_peek (&ts_run_facts (run, first - 1, key)->bill) == NULL)
    first--;
  for (; first < index; first++)
    if (make_bill_row (run, first, function, cancellable) == NULL)
      return NULL;
  return make_bill_row (run, index, function, cancellable);
}
