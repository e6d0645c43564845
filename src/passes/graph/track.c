/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/track.h"

#include <string.h>

#include "passes/graph/users.h"

/* --- uses ------------------------------------------------------------------------------------------------------------------ */

/* By value id of the whole module, kept for the whole pass: what one function noted is taken out again before the next. */
struct TsGraphUses
{
  const TsGraph   *graph;
  TsGraphUserList *users;
  gint32      n;
  GArray     *noted; /* ids that had a use */
  TsGraphReads *reads; /* whom to tell what is asked for, or NULL */
  guint       serial;
  guint       all_changed; /* serial of the last rewrite that may have changed everything */
  GHashTable *ops;         /* id of an operation to the serial of the last rewrite that reached it */
  GHashTable *blocks;      /* the same by TsBlock */
  GHashTable *accesses;    /* TsBlock to the serial of the last rewrite that created a load or store in it */
  GPtrArray  *created;
};

typedef struct
{
  TsGraph *graph;
  TsOp    *op;
} UseVisit;

static TsGraphUserList *
list_of (TsGraphUses *uses, const TsValue *value)
{
  TsGraphUserList *list = &uses->users[value->id];

  if (list->n == 0)
    g_array_append_val (uses->noted, value->id);
  return list;
}

static void
note_use (TsValue *value, gpointer data)
{
  UseVisit *visit = data;

  ts_user_list_append (list_of (visit->graph->uses, value), visit->op);
}

static gboolean
note_op (TsOp *op, gpointer data)
{
  UseVisit visit = { data, op };

  ts_op_foreach_use (op, note_use, &visit);
  return TRUE;
}

static void
uses_clear (TsGraphUses *uses)
{
  for (guint i = 0; i < uses->noted->len; i++)
    ts_user_list_clear (&uses->users[g_array_index (uses->noted, gint32, i)]);
  g_array_set_size (uses->noted, 0);
}

/* Room for `n` values: at least doubled, so that growing costs little in all. */
static void
uses_grow (TsGraphUses *uses, gint32 n)
{
  gint32 old = uses->n;

  if (n <= old)
    return;
  uses->n = MAX (n, old + MIN (old, G_MAXINT32 - old));
  uses->users = g_renew (TsGraphUserList, uses->users, uses->n);
  memset (uses->users + old, 0, sizeof (TsGraphUserList) * (gsize) (uses->n - old));
}

static void
find_uses (TsGraph *graph)
{
  if (graph->uses == NULL)
    {
      graph->uses = g_new0 (TsGraphUses, 1);
      graph->uses->graph = graph;
      graph->uses->noted = g_array_new (FALSE, FALSE, sizeof (gint32));
      graph->uses->ops = g_hash_table_new (NULL, NULL);
      graph->uses->blocks = g_hash_table_new (NULL, NULL);
      graph->uses->accesses = g_hash_table_new (NULL, NULL);
      graph->uses->created = g_ptr_array_new ();
    }
  uses_clear (graph->uses);
  graph->uses->all_changed = ++graph->uses->serial;
  g_hash_table_remove_all (graph->uses->ops);
  g_hash_table_remove_all (graph->uses->blocks);
  g_hash_table_remove_all (graph->uses->accesses);
  g_ptr_array_set_size (graph->uses->created, 0);
  uses_grow (graph->uses, graph->module->n_values);
  ts_region_walk (&graph->function->body, note_op, graph);
}

static void
note_id (GArray **ids, gint32 id)
{
  if (*ids == NULL)
    *ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_array_append_val (*ids, id);
}

guint
ts_graph_n_uses (const TsGraphUses *uses, const TsValue *value)
{
  if (uses->reads != NULL)
    note_id (&uses->reads->values, value->id);
  return value->id < uses->n ? uses->users[value->id].n_uses : 0;
}

/* In silence: nobody is told who asked. */
static TsOp *const *
users_of (const TsGraphUses *uses, const TsValue *value, guint *n)
{
  *n = 0;
  return value->id < uses->n ? ts_user_list_get (&uses->users[value->id], uses->graph, uses->serial, n) : NULL;
}

TsOp *const *
ts_graph_users (const TsGraphUses *uses, const TsValue *value, guint *n)
{
  if (uses->reads != NULL)
    note_id (&uses->reads->values, value->id);
  return users_of (uses, value, n);
}

/* --- numbers --------------------------------------------------------------------------------------------------------------- */

#define WIDEST_STEP 65536u

static void
set_number (TsGraph *graph, const TsOp *op, guint32 number)
{
  graph->numbers[op->id] = number;
  g_array_append_val (graph->numbered, op->id);
}

/* Post-order; returns the last number given out. */
static guint32
number_op (TsGraph *graph, const TsOp *op, guint32 last, guint32 step)
{
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      for (const TsOp *inner = op->regions[r].blocks[b]->first; inner != NULL; inner = inner->next)
        last = number_op (graph, inner, last, step);
  set_number (graph, op, last + step);
  return last + step;
}

static void
numbers_grow (TsGraph *graph)
{
  guint old = graph->n_numbers, n = (guint) graph->module->n_ops;

  if (n <= old)
    return;
  graph->n_numbers = MAX (n, 2 * old);
  graph->numbers = g_renew (guint32, graph->numbers, graph->n_numbers);
  memset (graph->numbers + old, 0xff, sizeof (guint32) * (gsize) (graph->n_numbers - old));
}

static void
number_all (TsGraph *graph)
{
  guint32 last = 0, step = CLAMP (G_MAXINT32 / ((guint32) graph->module->n_ops + 1), 1, WIDEST_STEP);

  if (graph->numbered == NULL)
    graph->numbered = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (guint i = 0; i < graph->numbered->len; i++)
    graph->numbers[g_array_index (graph->numbered, gint32, i)] = G_MAXUINT32;
  g_array_set_size (graph->numbered, 0);
  numbers_grow (graph);
  for (guint b = 0; b < graph->function->body.n_blocks; b++)
    for (const TsOp *op = graph->function->body.blocks[b]->first; op != NULL; op = op->next)
      last = number_op (graph, op, last, step);
}

static gboolean
has_number (const TsGraph *graph, const TsOp *op)
{
  return graph->numbers[op->id] != G_MAXUINT32;
}

/* The last operation of the blocks before block `b` of the region, or NULL. */
static const TsOp *
last_before (const TsRegion *region, guint b)
{
  while (b-- > 0)
    if (region->blocks[b]->last != NULL)
      return region->blocks[b]->last;
  return NULL;
}

/* Number of what a post-order walk meets right before `op` and what is inside of it; 0: nothing. */
static guint32
number_before (const TsGraph *graph, const TsOp *op)
{
  for (; op != NULL; op = op->block->region->op)
    {
      const TsRegion *region = op->block->region;
      const TsOp *before = op->prev != NULL ? op->prev : last_before (region, op->block->index);

      for (guint r = region->op != NULL ? (guint) (region - region->op->regions) : 0; before == NULL && r-- > 0;)
        before = last_before (&region->op->regions[r], region->op->regions[r].n_blocks);
      if (before != NULL)
        return graph->numbers[before->id];
    }
  return 0;
}

/* The lowest number inside of `op`. */
static guint32
first_number (const TsGraph *graph, const TsOp *op)
{
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      if (op->regions[r].blocks[b]->first != NULL)
        return first_number (graph, op->regions[r].blocks[b]->first);
  return graph->numbers[op->id];
}

static gboolean
count_op (TsOp *op, gpointer n)
{
  (void) op;
  ++*(guint32 *) n;
  return TRUE;
}

/* Numbers a run of new operations side by side. FALSE: there is no room. */
static gboolean
number_run (TsGraph *graph, TsOp *op)
{
  guint32 n = 0, low, high;
  TsOp *end;

  while (op->prev != NULL && !has_number (graph, op->prev))
    op = op->prev;
  for (end = op; end != NULL && !has_number (graph, end); end = end->next)
    {
      n++;
      ts_op_walk_regions (end, count_op, &n);
    }
  if (end == NULL)
    return FALSE;
  low = number_before (graph, op);
  high = first_number (graph, end);
  if (low == G_MAXUINT32 || high <= low || (high - low) / (n + 1) == 0)
    return FALSE;
  for (guint32 last = low, step = (high - low) / (n + 1); op != end; op = op->next)
    last = number_op (graph, op, last, step);
  return TRUE;
}

static void
number_created (TsGraph *graph, const GPtrArray *created)
{
  numbers_grow (graph);
  for (guint i = 0; i < created->len; i++)
    {
      TsOp *op = g_ptr_array_index (created, i);
      const TsOp *parent = op->block != NULL ? op->block->region->op : NULL;

      if (has_number (graph, op) || op->block == NULL || (parent != NULL && !has_number (graph, parent)))
        continue;
      if (!number_run (graph, op))
        {
          number_all (graph);
          return;
        }
    }
}

/* --- changes --------------------------------------------------------------------------------------------------------------- */

static gboolean
is_inside (const TsOp *op, const TsOp *outer)
{
  while (op != NULL && op != outer)
    op = op->block->region->op;
  return op != NULL;
}

gboolean
ts_graph_comes_before (const TsGraph *graph, const TsOp *a, const TsOp *b)
{
  if (a == b)
    return FALSE;
  if (a->block == b->block)
    return graph->numbers[a->id] < graph->numbers[b->id];
  return graph->numbers[a->id] < graph->numbers[b->id] ? !is_inside (a, b) : is_inside (b, a);
}

static void
add_use (TsValue *value, gpointer data)
{
  UseVisit *visit = data;
  TsGraphUserList *list = list_of (visit->graph->uses, value);

  list->changed = visit->graph->uses->serial;
  ts_user_list_add (list, visit->op);
}

static void
remove_use (TsValue *value, gpointer data)
{
  UseVisit *visit = data;
  TsGraphUserList *list = list_of (visit->graph->uses, value);

  list->changed = visit->graph->uses->serial;
  ts_user_list_remove (list, visit->graph, visit->op, visit->graph->uses->serial);
}

/* Of an operation that has left. */
static void
forget_use (TsValue *value, gpointer data)
{
  UseVisit *visit = data;
  TsGraphUserList *list = list_of (visit->graph->uses, value);

  list->changed = visit->graph->uses->serial;
  ts_user_list_forget (list);
}

static void
foreach_use (TsGraph *graph, TsOp *op, TsValueVisitor visitor)
{
  UseVisit visit = { graph, op };

  ts_op_foreach_use (op, visitor, &visit);
}

static gboolean
add_to_set (TsOp *op, gpointer set)
{
  g_hash_table_add (set, op);
  return TRUE;
}

typedef struct
{
  GPtrArray  *list;
  GHashTable *known;
} Unique;

static gboolean
add_once (TsOp *op, gpointer data)
{
  Unique *unique = data;

  if (g_hash_table_add (unique->known, op))
    g_ptr_array_add (unique->list, op);
  return TRUE;
}

static void
add_changed (Unique *changed, const TsGraphTouched *touched, TsOp *op)
{
  if (!g_hash_table_contains (touched->gone, op))
    add_once (op, changed);
}

TsGraphTouched *
ts_graph_track_before (TsGraph *graph, const GPtrArray *switched, const GPtrArray *updated, const GPtrArray *created,
                       const GPtrArray *erased)
{
  TsGraphTouched *touched = g_new0 (TsGraphTouched, 1);
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL), known_created = g_hash_table_new (NULL, NULL);
  Unique changed = { touched->changed = g_ptr_array_new (), known };
  Unique all_created = { touched->created = g_ptr_array_new (), known_created };

  graph->uses->serial++;
  touched->gone = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < erased->len; i++)
    {
      add_to_set (g_ptr_array_index (erased, i), touched->gone);
      ts_op_walk_regions (g_ptr_array_index (erased, i), add_to_set, touched->gone);
    }
  for (guint i = 0; i < switched->len; i++)
    {
      guint n;
      TsOp *const *users = ts_graph_users (graph->uses, g_ptr_array_index (switched, i), &n);

      for (guint k = 0; k < n; k++)
        add_changed (&changed, touched, users[k]);
    }
  for (guint i = 0; i < updated->len; i++)
    add_changed (&changed, touched, g_ptr_array_index (updated, i));
  for (guint i = 0; i < created->len; i++)
    {
      add_once (g_ptr_array_index (created, i), &all_created);
      ts_op_walk_regions (g_ptr_array_index (created, i), add_once, &all_created);
    }
  for (guint i = 0; i < touched->changed->len; i++)
    foreach_use (graph, g_ptr_array_index (touched->changed, i), remove_use);
  return touched;
}

static void
mark (GHashTable *table, gconstpointer key, guint serial)
{
  g_hash_table_insert (table, (gpointer) key, GUINT_TO_POINTER (serial));
}

static gboolean
is_marked (GHashTable *table, gconstpointer key, guint since)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (table, key)) > since;
}

/* What may be reached from one rewrite before everything counts as reached. */
#define FARTHEST 8192u

typedef struct
{
  TsGraphUses *uses;
  GPtrArray   *queue;
} Spread;

static void
reach (Spread *spread, TsOp *op)
{
  if (is_marked (spread->uses->ops, GINT_TO_POINTER (op->id), spread->uses->serial - 1))
    return;
  mark (spread->uses->ops, GINT_TO_POINTER (op->id), spread->uses->serial);
  if (op->block != NULL)
    mark (spread->uses->blocks, op->block, spread->uses->serial);
  g_ptr_array_add (spread->queue, op);
}

static void
reach_users (Spread *spread, const TsValue *value)
{
  guint n;
  TsOp *const *users = users_of (spread->uses, value, &n);

  for (guint i = 0; i < n; i++)
    reach (spread, users[i]);
}

/* Through results, through arguments of what is inside, and from a terminator to what it hands values to. */
static void
reach_from (Spread *spread, const TsOp *op)
{
  for (guint i = 0; i < op->n_results; i++)
    reach_users (spread, op->results[i]);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      {
        const TsBlock *block = op->regions[r].blocks[b];

        mark (spread->uses->blocks, block, spread->uses->serial);
        for (guint i = 0; i < block->n_args; i++)
          reach_users (spread, block->args[i]);
      }
  for (guint s = 0; s < op->n_successors; s++)
    for (guint i = 0; i < op->successors[s]->n_args; i++)
      reach_users (spread, op->successors[s]->args[i]);
  if (op->block != NULL && op->next == NULL && op->block->region->op != NULL)
    reach (spread, op->block->region->op);
}

static void
spread_changes (TsGraph *graph, const TsGraphTouched *touched)
{
  TsGraphUses *uses = graph->uses;
  Spread spread = { uses, g_ptr_array_new () };

  for (guint i = 0; i < touched->changed->len; i++)
    reach (&spread, g_ptr_array_index (touched->changed, i));
  for (guint i = 0; i < spread.queue->len && spread.queue->len < FARTHEST; i++)
    reach_from (&spread, g_ptr_array_index (spread.queue, i));
  if (spread.queue->len >= FARTHEST)
    uses->all_changed = uses->serial;
  g_ptr_array_unref (spread.queue);
  for (guint i = 0; i < touched->created->len; i++)
    {
      TsOp *op = g_ptr_array_index (touched->created, i);

      g_ptr_array_add (uses->created, op);
      if (op->block == NULL)
        continue;
      mark (uses->blocks, op->block, uses->serial);
      if (op->code == TS_OP_TT_LOAD || op->code == TS_OP_TT_STORE)
        mark (uses->accesses, op->block, uses->serial);
    }
}

static void
forget_gone (TsGraph *graph, GHashTable *gone)
{
  GHashTableIter iter;
  gpointer op;

  g_hash_table_iter_init (&iter, gone);
  while (g_hash_table_iter_next (&iter, &op, NULL))
    {
      foreach_use (graph, op, forget_use);
      graph->numbers[((const TsOp *) op)->id] = G_MAXUINT32;
      if (((const TsOp *) op)->block != NULL)
        mark (graph->uses->blocks, ((const TsOp *) op)->block, graph->uses->serial);
    }
}

void
ts_graph_track_after (TsGraph *graph, TsGraphTouched *touched)
{
  forget_gone (graph, touched->gone);
  uses_grow (graph->uses, graph->module->n_values);
  number_created (graph, touched->created);
  for (guint i = 0; i < touched->created->len; i++)
    foreach_use (graph, g_ptr_array_index (touched->created, i), add_use);
  for (guint i = 0; i < touched->changed->len; i++)
    foreach_use (graph, g_ptr_array_index (touched->changed, i), add_use);
  spread_changes (graph, touched);
  g_ptr_array_unref (touched->changed);
  g_ptr_array_unref (touched->created);
  g_hash_table_unref (touched->gone);
  g_free (touched);
}

guint
ts_graph_serial (const TsGraph *graph)
{
  return graph->uses->serial;
}

const GPtrArray *
ts_graph_created (const TsGraph *graph)
{
  return graph->uses->created;
}

gboolean
ts_graph_op_changed (const TsGraph *graph, const TsOp *op, guint since)
{
  return graph->uses->all_changed > since || is_marked (graph->uses->ops, GINT_TO_POINTER (op->id), since);
}

gboolean
ts_graph_block_changed (const TsGraph *graph, const TsBlock *block, guint since)
{
  return graph->uses->all_changed > since || is_marked (graph->uses->blocks, block, since);
}

gboolean
ts_graph_block_got_access (const TsGraph *graph, const TsBlock *block, guint since)
{
  return is_marked (graph->uses->accesses, block, since);
}

void
ts_graph_reads_begin (TsGraph *graph, TsGraphReads *reads)
{
  ts_graph_reads_clear (reads);
  graph->uses->reads = reads;
}

void
ts_graph_reads_end (TsGraph *graph)
{
  graph->uses->reads = NULL;
}

void
ts_graph_reads_op (TsGraph *graph, const TsOp *op)
{
  if (graph->uses->reads != NULL)
    note_id (&graph->uses->reads->ops, op->id);
}

gboolean
ts_graph_reads_changed (const TsGraph *graph, const TsGraphReads *reads, guint since)
{
  for (guint i = 0; reads->values != NULL && i < reads->values->len; i++)
    if (graph->uses->users[g_array_index (reads->values, gint32, i)].changed > since)
      return TRUE;
  for (guint i = 0; reads->ops != NULL && i < reads->ops->len; i++)
    if (is_marked (graph->uses->ops, GINT_TO_POINTER (g_array_index (reads->ops, gint32, i)), since))
      return TRUE;
  return FALSE;
}

void
ts_graph_reads_clear (TsGraphReads *reads)
{
  g_clear_pointer (&reads->values, g_array_unref);
  g_clear_pointer (&reads->ops, g_array_unref);
}

/* --- everything ------------------------------------------------------------------------------------------------------------ */

void
ts_graph_track_all (TsGraph *graph)
{
  find_uses (graph);
  number_all (graph);
}

void
ts_graph_track_free (TsGraph *graph)
{
  if (graph->uses != NULL)
    {
      uses_clear (graph->uses);
      g_array_unref (graph->uses->noted);
      g_free (graph->uses->users);
      g_hash_table_unref (graph->uses->ops);
      g_hash_table_unref (graph->uses->blocks);
      g_hash_table_unref (graph->uses->accesses);
      g_ptr_array_unref (graph->uses->created);
      g_clear_pointer (&graph->uses, g_free);
    }
  g_free (graph->numbers);
  g_clear_pointer (&graph->numbered, g_array_unref);
}
