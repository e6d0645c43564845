/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CanonicalizeIOOrder: within pipeline loops, address arithmetic and loads first, each stage drained after its compute.
 * Source: spec passes-schedule section 7. */
#include <stdlib.h>
#include <string.h>

#include "ir/build.h"
#include "ir/deps.h"
#include "ir/op-info.h"
#include "passes/io-effects.h"
#include "passes/loops.h"
#include "passes/ready-queue.h"

/* Ready statements one step lists at most: the ready set of a large body is as large as the body. */
#define MAX_READY_SHOWN 32

/* One function. */
typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  TsDepsBuilder *deps;
  TsIoEffects   *effects;
  TsTagCache     rotated;
  guint          depth;           /* pipeline loops around */
  gboolean       overlap_stores;  /* policies of the nearest one */
  gboolean       double_buffer_c;
  gboolean       changed, failed;
} Ordering;

/* What decides the place of a statement among those that are ready. Compared field by field, then by index. */
typedef struct
{
  guint8         tier;     /* 0 scalar, 1 load, 2 the rest */
  guint8         sub;      /* 1: store */
  guint8         category; /* for the steps */
  guint32        index;
  gint32         stage;    /* double-buffered accumulator: number of the first pair, -1 without; else unused */
  guint32        n_pairs;
  const TsStage *pairs;    /* tier 2: membership that counts */
} Key;

typedef struct
{
  Ordering *ordering;
  TsBlock  *block;
  TsOp    **ops;   /* without the terminator */
  guint     n;
  TsDeps   *deps;
  GArray   *extra; /* TsOrderEdge */
  Key      *keys;
  guint32  *rank_of; /* by index */
  guint32  *at_rank; /* index by rank */
} Sequence;

/* --- keys ------------------------------------------------------------------------------------------------------------------------- */

static const char *const category_names[] = { "compute", "load", "store", "scalar" };

static TsCategory
category_of (const Ordering *ordering, const TsOp *op)
{
  TsCategory category = ts_op_category (op);
  if (category == TS_CATEGORY_ASSEMBLE)
    return ordering->double_buffer_c ? TS_CATEGORY_STORE : TS_CATEGORY_COMPUTE;
  if (category == TS_CATEGORY_STORE && !ordering->overlap_stores && !ordering->double_buffer_c)
    return TS_CATEGORY_COMPUTE;
  return category;
}

static gboolean
stands_here (const Sequence *sequence, const TsValue *value)
{
  return value != NULL && value->def != NULL && value->def->block == sequence->block;
}

/* Own membership; else that of the first argument that a tagged statement of this sequence defines. */
static void
find_stage (const Sequence *sequence, const TsOp *op, Key *key)
{
  key->pairs = ts_op_membership (op, &key->n_pairs);
  if (key->n_pairs > 0 || !ts_op_is_any_call (op))
    return;
  for (guint i = 0; i < op->n_operands && key->n_pairs == 0; i++)
    {
      const TsValue *value = ts_expr_as_value (op->operands[i]);
      if (stands_here (sequence, value))
        key->pairs = ts_op_membership (value->def, &key->n_pairs);
    }
}

static void
make_key (Sequence *sequence, guint index)
{
  const TsOp *op = sequence->ops[index];
  Key *key = &sequence->keys[index];
  *key = (Key) { .index = index, .stage = -1, .category = category_of (sequence->ordering, op) };
  key->tier = key->category == TS_CATEGORY_SCALAR ? 0 : key->category == TS_CATEGORY_LOAD ? 1 : 2;
  key->sub = key->category == TS_CATEGORY_STORE;
  if (key->tier == 2)
    find_stage (sequence, op, key);
  if (key->n_pairs > 0 && sequence->ordering->double_buffer_c)
    key->stage = key->pairs[0].stage;
}

static gint
compare_pairs (const Key *a, const Key *b)
{
  if (a->pairs == b->pairs)
    return 0;
  for (guint i = 0; i < a->n_pairs && i < b->n_pairs; i++)
    {
      if (a->pairs[i].group != b->pairs[i].group)
        return a->pairs[i].group < b->pairs[i].group ? -1 : 1;
      if (a->pairs[i].stage != b->pairs[i].stage)
        return a->pairs[i].stage < b->pairs[i].stage ? -1 : 1;
    }
  return (gint) a->n_pairs - (gint) b->n_pairs;
}

/* Stages of accumulators come in twos; no stage stands before stage 0. */
static gint32
chunk (gint32 stage)
{
  return stage < 0 ? -1 : stage / 2;
}

/* Everything but the index. The three ways of comparing tell which field decided, for the steps. */
static gint
compare_keys (const Key *a, const Key *b, gboolean double_buffer_c, const char **decided_by)
{
  gint by_tier = (gint) a->tier - (gint) b->tier;
  gint by_stage = double_buffer_c ? chunk (a->stage) - chunk (b->stage) : compare_pairs (a, b);
  gint by_sub = (gint) a->sub - (gint) b->sub;
  gint by_number = double_buffer_c ? (a->stage > b->stage) - (a->stage < b->stage) : 0;
  *decided_by = by_tier != 0 ? "tier" : by_stage != 0 ? "stage" : by_sub != 0 ? "sub" : by_number != 0 ? "stage number" : "index";
  return by_tier != 0 ? by_tier : by_stage != 0 ? by_stage : by_sub != 0 ? by_sub : by_number;
}

/* A class holds the statements that only their index tells apart. Bodies have few classes and long runs of each. */
typedef struct
{
  const Key *key;
  guint32    n;    /* members; then the rank of the next one */
  gboolean   double_buffer_c;
} Class;

static int
compare_classes (gconstpointer a, gconstpointer b)
{
  const Class *x = *(Class *const *) a, *y = *(Class *const *) b;
  const char *decided_by;
  return compare_keys (x->key, y->key, x->double_buffer_c, &decided_by);
}

static guint
hash_key (gconstpointer data)
{
  const Key *key = ((const Class *) data)->key;
  guint h = key->tier * 2u + key->sub + 31u * (guint) key->stage;
  for (guint i = 0; i < key->n_pairs; i++)
    h = (h * 31u + (guint) key->pairs[i].group) * 31u + (guint) key->pairs[i].stage;
  return h;
}

static gboolean
equal_key (gconstpointer a, gconstpointer b)
{
  const Class *x = a, *y = b;
  const char *decided_by;
  return compare_keys (x->key, y->key, x->double_buffer_c, &decided_by) == 0;
}

static Class *
find_class (GHashTable *table, GPtrArray *classes, const Key *key, gboolean double_buffer_c)
{
  Class probe = { key, 0, double_buffer_c };
  Class *found = g_hash_table_lookup (table, &probe);
  if (found == NULL)
    {
      found = g_memdup2 (&probe, sizeof probe);
      g_hash_table_add (table, found);
      g_ptr_array_add (classes, found);
    }
  return found;
}

/* Ranks of all statements by key: a counting sort over the few classes. */
static void
rank_statements (Sequence *sequence)
{
  gboolean double_buffer_c = sequence->ordering->double_buffer_c;
  g_autoptr (GHashTable) table = g_hash_table_new (hash_key, equal_key);
  g_autoptr (GPtrArray) classes = g_ptr_array_new_with_free_func (g_free);
  g_autofree Class **class_of = g_new (Class *, sequence->n);

  for (guint i = 0; i < sequence->n; i++)
    {
      class_of[i] = find_class (table, classes, &sequence->keys[i], double_buffer_c);
      class_of[i]->n++;
    }
  g_ptr_array_sort (classes, compare_classes);
  guint32 next = 0;
  for (guint i = 0; i < classes->len; i++)
    {
      Class *c = classes->pdata[i];
      guint32 n = c->n;
      c->n = next;
      next += n;
    }
  for (guint i = 0; i < sequence->n; i++)
    {
      sequence->rank_of[i] = class_of[i]->n++;
      sequence->at_rank[sequence->rank_of[i]] = i;
    }
}

/* --- steps ------------------------------------------------------------------------------------------------------------------------ */

static const char *
name_of (const TsOp *op)
{
  return op->n_results > 0 && op->results[0]->hint[0] != '\0' ? op->results[0]->hint : op->name;
}

/* (tier, stage, sub, index) */
static char *
key_text (const Sequence *sequence, guint index)
{
  const Key *key = &sequence->keys[index];
  if (sequence->ordering->double_buffer_c)
    return g_strdup_printf ("(%u, %d, %u, %d, %u)", key->tier, chunk (key->stage), key->sub, key->stage, index);
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "(%u, \"", key->tier);
  for (guint i = 0; i < key->n_pairs; i++)
    g_string_append_printf (text, "%s%d:%d", i > 0 ? ";" : "", key->pairs[i].group, key->pairs[i].stage);
  g_string_append_printf (text, "\", %u, %u)", key->sub, index);
  return g_string_free (text, FALSE);
}

static void
record_statements (const Sequence *sequence)
{
  const Ordering *ordering = sequence->ordering;
  TsSteps *steps = ordering->context->steps;
  for (guint i = 0; i < sequence->n; i++)
    {
      g_autofree char *key = key_text (sequence, i);
      ts_step_begin (steps, "category", ordering->module, ordering->function, sequence->ops[i]);
      ts_step_text (steps, "name", name_of (sequence->ops[i]));
      ts_step_text (steps, "category", category_names[sequence->keys[i].category]);
      ts_step_text (steps, "key", key);
    }
  for (guint i = 0; i < sequence->n; i++)
    {
      const TsDeps *deps = sequence->deps;
      g_autoptr (GArray) on = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      for (guint p = deps->pred_start[i]; p < deps->pred_start[i + 1]; p++)
        {
          gint64 id = sequence->ops[deps->preds[p]]->origin.op;
          g_array_append_val (on, id);
          g_ptr_array_add (names, (gpointer) name_of (sequence->ops[deps->preds[p]]));
        }
      if (on->len == 0)
        continue;
      ts_step_begin (steps, "depends", ordering->module, ordering->function, sequence->ops[i]);
      ts_step_text (steps, "name", name_of (sequence->ops[i]));
      ts_step_ints (steps, "on", (const gint64 *) on->data, on->len);
      ts_step_texts (steps, "on_names", (const char *const *) names->pdata, names->len);
    }
  for (guint i = 0; i < sequence->extra->len; i++)
    {
      TsOrderEdge edge = g_array_index (sequence->extra, TsOrderEdge, i);
      gint64 id = sequence->ops[edge.from]->origin.op;
      ts_step_begin (steps, "memory-order", ordering->module, ordering->function, sequence->ops[edge.to]);
      ts_step_text (steps, "name", name_of (sequence->ops[edge.to]));
      ts_step_ints (steps, "on", &id, 1);
    }
}

/* The ready set in key order, the statement taken, the one it beat and by what. */
static void
record_emission (const Sequence *sequence, const TsReadyQueue *ready, guint position, guint32 chosen_rank, guint n_ready)
{
  const Ordering *ordering = sequence->ordering;
  TsSteps *steps = ordering->context->steps;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  guint32 second = TS_READY_NONE;
  for (guint32 rank = chosen_rank; rank != TS_READY_NONE && names->len < MAX_READY_SHOWN; rank = ts_ready_queue_next (ready, rank))
    {
      guint32 index = sequence->at_rank[rank];
      g_ptr_array_add (names, (gpointer) name_of (sequence->ops[index]));
      g_ptr_array_add (keys, key_text (sequence, index));
      if (names->len == 2)
        second = rank;
    }

  const TsOp *op = sequence->ops[sequence->at_rank[chosen_rank]];
  ts_step_begin (steps, "emit", ordering->module, ordering->function, op);
  ts_step_int (steps, "position", position);
  ts_step_text (steps, "name", name_of (op));
  ts_step_texts (steps, "ready", (const char *const *) names->pdata, names->len);
  ts_step_texts (steps, "keys", (const char *const *) keys->pdata, keys->len);
  ts_step_int (steps, "ready_count", n_ready);
  if (second != TS_READY_NONE)
    {
      const char *decided_by;
      compare_keys (&sequence->keys[sequence->at_rank[chosen_rank]], &sequence->keys[sequence->at_rank[second]],
                    ordering->double_buffer_c, &decided_by);
      ts_step_text (steps, "beat", name_of (sequence->ops[sequence->at_rank[second]]));
      ts_step_text (steps, "decided_by", decided_by);
    }
}

/* --- sorting ----------------------------------------------------------------------------------------------------------------------- */

/* Edges turned round: successors of i are to[start[i]] .. to[start[i + 1] - 1]. Counts predecessors on the way. */
typedef struct
{
  guint32 *start, *to, *n_preds;
} Successors;

static void
find_successors (const Sequence *sequence, Successors *s)
{
  const TsDeps *deps = sequence->deps;
  guint n = sequence->n;
  guint n_edges = deps->pred_start[n] + sequence->extra->len;
  s->start = g_new0 (guint32, n + 2);
  s->to = g_new (guint32, MAX (n_edges, 1));
  s->n_preds = g_new0 (guint32, n);

  for (guint i = 0; i < n; i++)
    {
      s->n_preds[i] = deps->pred_start[i + 1] - deps->pred_start[i];
      for (guint p = deps->pred_start[i]; p < deps->pred_start[i + 1]; p++)
        s->start[deps->preds[p] + 2]++;
    }
  for (guint e = 0; e < sequence->extra->len; e++)
    {
      TsOrderEdge edge = g_array_index (sequence->extra, TsOrderEdge, e);
      s->n_preds[edge.to]++;
      s->start[edge.from + 2]++;
    }
  /* start[i + 1] runs ahead while the rows are filled and ends as the start of row i + 1. */
  for (guint i = 2; i < n + 2; i++)
    s->start[i] += s->start[i - 1];
  for (guint i = 0; i < n; i++)
    for (guint p = deps->pred_start[i]; p < deps->pred_start[i + 1]; p++)
      s->to[s->start[deps->preds[p] + 1]++] = i;
  for (guint e = 0; e < sequence->extra->len; e++)
    {
      TsOrderEdge edge = g_array_index (sequence->extra, TsOrderEdge, e);
      s->to[s->start[edge.from + 1]++] = edge.to;
    }
}

static void
successors_clear (Successors *s)
{
  g_free (s->start);
  g_free (s->to);
  g_free (s->n_preds);
}

/* Emits, again and again, the ready statement with the least key. Returns how many were emitted: fewer than there are only for a
 * cyclic graph. */
static guint
emit_all (Sequence *sequence, TsOp **order)
{
  Successors s;
  find_successors (sequence, &s);
  TsReadyQueue *ready = ts_ready_queue_new (sequence->n);
  guint n_ready = 0, emitted = 0;
  for (guint i = 0; i < sequence->n; i++)
    if (s.n_preds[i] == 0)
      {
        ts_ready_queue_add (ready, sequence->rank_of[i]);
        n_ready++;
      }
  while (n_ready > 0)
    {
      guint32 rank = ts_ready_queue_first (ready);
      guint32 index = sequence->at_rank[rank];
      if (sequence->ordering->context->steps != NULL)
        record_emission (sequence, ready, emitted, rank, n_ready);
      ts_ready_queue_remove (ready, rank);
      n_ready--;
      order[emitted++] = sequence->ops[index];
      for (guint e = s.start[index]; e < s.start[index + 1]; e++)
        if (--s.n_preds[s.to[e]] == 0)
          {
            ts_ready_queue_add (ready, sequence->rank_of[s.to[e]]);
            n_ready++;
          }
      if (emitted % 4096 == 0 && ts_pass_cancelled (sequence->ordering->context))
        break;
    }
  ts_ready_queue_free (ready);
  successors_clear (&s);
  return emitted;
}

/* Accumulators of a double-buffered loop take turns on two buffers, whatever the number of stages. */
static void
rotate_accumulators (Ordering *ordering, TsOp *const *ops, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      guint n_pairs;
      const TsStage *pairs = ts_op_membership (ops[i], &n_pairs);
      if (n_pairs == 0 || !ts_op_is_accumulation (ops[i]) || pairs[0].stage % 2 == pairs[0].stage)
        continue;
      g_autofree TsStage *turned = g_memdup2 (pairs, sizeof *pairs * n_pairs);
      turned[0].stage %= 2;
      ts_op_set_attr (ordering->module, ops[i], TS_ATTR_MEMBERSHIP, ts_expr_membership (ordering->module, turned, n_pairs, NULL));
      ordering->changed = TRUE;
      ts_step_begin (ordering->context->steps, "rotate", ordering->module, ordering->function, ops[i]);
      ts_step_int (ordering->context->steps, "stage", pairs[0].stage);
      ts_step_int (ordering->context->steps, "buffer", turned[0].stage);
    }
}

static void
sort_sequence (Sequence *sequence)
{
  Ordering *ordering = sequence->ordering;
  TsBlock *block = sequence->block;
  sequence->keys = g_new (Key, sequence->n);
  sequence->rank_of = g_new (guint32, sequence->n);
  sequence->at_rank = g_new (guint32, sequence->n);
  sequence->extra = g_array_new (FALSE, FALSE, sizeof (TsOrderEdge));
  for (guint i = 0; i < sequence->n; i++)
    make_key (sequence, i);
  ts_io_effects_find (ordering->effects, sequence->ops, sequence->n, sequence->extra);
  rank_statements (sequence);
  if (ordering->context->steps != NULL)
    record_statements (sequence);

  /* A terminator stays last. */
  g_autofree TsOp **order = g_new (TsOp *, block->n_ops);
  guint emitted = emit_all (sequence, order);
  if (ts_pass_cancelled (ordering->context))
    ordering->failed = TRUE;
  else if (emitted < sequence->n)
    {
      ts_pass_fail (ordering->context, ordering->module, sequence->ops[0], "cyclic",
                    "%u of %u statements wait for each other in a circle", sequence->n - emitted, sequence->n);
      ordering->failed = TRUE;
    }
  else if (memcmp (order, sequence->ops, sizeof *order * sequence->n) != 0)
    {
      if (sequence->n < block->n_ops)
        order[sequence->n] = block->last;
      ts_block_set_order (block, order, block->n_ops);
      ordering->changed = TRUE;
    }
  if (!ordering->failed && ordering->double_buffer_c)
    rotate_accumulators (ordering, order, sequence->n);
  g_array_unref (sequence->extra);
  g_free (sequence->keys);
  g_free (sequence->rank_of);
  g_free (sequence->at_rank);
}

static void
sort_block (Ordering *ordering, TsBlock *block)
{
  guint n = block->n_ops;
  if (block->last != NULL && ts_op_is_terminator (block->last))
    n--;
  if (n < 2)
    return;
  g_autoptr (TsDeps) deps = ts_deps_builder_run (ordering->deps, block);
  if (deps->too_early >= 0)
    {
      ts_pass_fail (ordering->context, ordering->module, deps->ops[deps->too_early], "ill-formed",
                    "The statement reads a variable that a later statement of the same block defines");
      ordering->failed = TRUE;
      return;
    }
  Sequence sequence = { .ordering = ordering, .block = block, .ops = deps->ops, .n = n, .deps = deps };
  sort_sequence (&sequence);
}

/* --- walking ------------------------------------------------------------------------------------------------------------------------ */

static void order_block (Ordering *ordering, TsBlock *block);

static void
order_regions (Ordering *ordering, TsOp *op)
{
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      order_block (ordering, op->regions[r].blocks[b]);
}

static void
order_op (Ordering *ordering, TsOp *op)
{
  if (op->code != TS_OP_FOR || op->sub != TS_LOOP_PIPELINE)
    {
      order_regions (ordering, op);
      return;
    }
  gboolean overlap_stores = ordering->overlap_stores, double_buffer_c = ordering->double_buffer_c;
  ordering->overlap_stores = ts_op_attr_bool (op, TS_ATTR_OVERLAP_STORES, TRUE);
  ordering->double_buffer_c = ts_op_attr_bool (op, TS_ATTR_DOUBLE_BUFFER_C, FALSE);
  ordering->depth++;
  ts_step_begin (ordering->context->steps, "loop", ordering->module, ordering->function, op);
  ts_step_bool (ordering->context->steps, "overlap_stores", ordering->overlap_stores);
  ts_step_bool (ordering->context->steps, "double_buffer_c", ordering->double_buffer_c);
  order_regions (ordering, op);
  ordering->depth--;
  ordering->overlap_stores = overlap_stores;
  ordering->double_buffer_c = double_buffer_c;

  ts_loop_demote (op);
  ts_loop_strip_policy (op);
  ordering->changed = TRUE;
}

static void
order_block (Ordering *ordering, TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL && !ordering->failed; op = op->next)
    if (op->n_regions > 0)
      order_op (ordering, op);
  if (ordering->depth > 0 && !ordering->failed)
    sort_block (ordering, block);
}

static gboolean
find_pipeline (TsOp *op, gpointer data)
{
  const TsOp **found = data;
  if (*found == NULL && op->code == TS_OP_FOR && op->sub == TS_LOOP_PIPELINE)
    *found = op;
  return *found == NULL;
}

static void
order_function (Ordering *ordering)
{
  TsOp *first = NULL;
  ts_region_walk (&ordering->function->body, find_pipeline, &first);
  if (first == NULL)
    return;
  if (!ts_check_inout_use (ordering->module, ordering->function, NULL))
    {
      TsDiag *diag = ts_pass_report (ordering->context, ordering->module, first, TS_SEVERITY_WARNING, NULL, "inout-use",
                                     "Function '%s' is left as it is: it reads a variable after a call took it for writing",
                                     ordering->function->name);
      g_free (diag->help);
      diag->help = g_strdup ("read the returned value instead; until then its pipeline loops stay pipeline loops");
      ts_step_begin (ordering->context->steps, "skipped", ordering->module, ordering->function, first);
      ts_step_text (ordering->context->steps, "reason", "InOut-use discipline is violated");
      return;
    }
  for (guint b = 0; b < ordering->function->body.n_blocks; b++)
    order_block (ordering, ordering->function->body.blocks[b]);
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  g_autoptr (TsDepsBuilder) deps = ts_deps_builder_new (module);
  gboolean changed = FALSE;
  for (guint i = 0; i < module->n_functions; i++)
    {
      g_autoptr (TsIoEffects) effects = ts_io_effects_new (module, module->functions[i]);
      Ordering ordering = { .context = context, .module = module, .function = module->functions[i], .deps = deps, .effects = effects };
      order_function (&ordering);
      if (ordering.failed)
        return TS_PASS_FAILED;
      changed |= ordering.changed;
    }
  return changed ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

const TsPassInfo ts_pass_canonicalize_io_order = {
  .name = "CanonicalizeIOOrder",
  .id = "canonicalize-io-order",
  .summary = "Order pipeline bodies: scalars, loads, then each stage's compute and stores",
  .help = "Inside pipeline loops every block is sorted: of the statements whose inputs are there, the one with the least key goes next. "
          "The key is (tier, stage, sub, index): scalars are tier 0, loads 1, the rest 2; the stage is the statement's membership, or "
          "that of its first tagged argument; sub puts stores after compute. With pipeline_overlap_stores=False stores count as compute; "
          "with pipeline_double_buffer_c=True stages go in twos and accumulators take turns on two buffers. The loops become "
          "sequential.\n"
          "\n"
          "Different from the compiler: stages compare as numbers, not as text, and a store keeps its place against other accesses of "
          "the same variable unless their windows cannot overlap.\n"
          "\n"
          "Kept as the compiler does it: a statement without a stage goes before those with one; the order follows the innermost pair of "
          "a membership; a function that breaks the InOut-use discipline is left as it is (with a warning).",
  .language = TS_LANGUAGE_PYPTO,
  .required = TS_PROPERTIES_TILE,
  .produced = TS_PROPERTIES_TILE | TS_PROPERTY_BIT (TS_PROPERTY_PIPELINE_RESOLVED),
  .planners = TS_PLANNERS_ALL,
  .in_default = TRUE,
  .run = run,
};
