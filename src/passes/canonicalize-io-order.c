/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CanonicalizeIOOrder: within pipeline loops, address arithmetic and loads first, each stage drained after its compute.
 * Source: spec passes-schedule section 7. */
#include <string.h>

#include "ir/build.h"
#include "ir/deps.h"
#include "ir/op-info.h"
#include "passes/io-effects.h"
#include "passes/io-keys.h"
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
  TsAliases    **aliases;         /* of the module; made for the first function that needs them */
  TsIoEffects   *effects;
  const char    *membership_key;  /* interned */
  guint          depth;           /* pipeline loops around */
  gboolean       overlap_stores;  /* policies of the nearest one */
  gboolean       double_buffer_c;
  GHashTable    *inside;          /* operation with blocks inside to what they hold: Holds */
  GArray        *barriers;        /* guint32: statements of the block at hand that may leave it */
  GArray        *messages;        /* guint32: those that send or receive */
  GArray        *releases;        /* guint32: those that release what was received */
  guint          holds;           /* of the block at hand */
  gboolean       changed, failed;
} Ordering;

/* What a statement does besides making values. */
typedef enum
{
  LEAVES_LOOP = 1 << 0, /* may end the trip, or the loop */
  LEAVES_FUNCTION = 1 << 1,
  LEAVES = LEAVES_LOOP | LEAVES_FUNCTION,
  EXCHANGES = 1 << 2, /* messages with another core */
  RELEASES = 1 << 3,  /* a received message */
} Holds;

/* One block. */
typedef struct
{
  Ordering      *ordering;
  TsBlock       *block;
  TsOp         **ops;
  guint          n;       /* without the terminator */
  TsDeps        *deps;
  GArray        *extra;   /* TsOrderEdge */
  TsIoRanking   *ranking;
  const guint32 *rank_of; /* by index */
  const guint32 *at_rank; /* index by rank */
} Sequence;

/* --- keys -------------------------------------------------------------------------------------------------------------------- */

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
take_membership (const Ordering *ordering, const TsOp *op, TsIoKey *key)
{
  const TsExpr *value = ts_op_attr_interned (op, ordering->membership_key);
  if (value == NULL || value->kind != TS_EXPR_MEMBERSHIP || value->n == 0)
    return FALSE;
  key->pairs = value->pairs;
  key->n_pairs = value->n;
  return TRUE;
}

/* Own membership; else that of the first argument that a tagged statement of this block defines. */
static void
find_stage (const Ordering *ordering, const TsOp *op, TsIoKey *key)
{
  if (take_membership (ordering, op, key) || !ts_op_is_any_call (op))
    return;
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsValue *value = ts_expr_as_value (op->operands[i]);
      if (value != NULL && value->def != NULL && value->def->block == op->block && take_membership (ordering, value->def, key))
        return;
    }
}

static TsIoKey
make_key (const Ordering *ordering, const TsOp *op)
{
  TsIoKey key = { .category = category_of (ordering, op), .stage = -1 };
  key.tier = key.category == TS_CATEGORY_SCALAR ? 0 : key.category == TS_CATEGORY_LOAD ? 1 : 2;
  key.sub = key.category == TS_CATEGORY_STORE;
  if (key.tier == 2)
    find_stage (ordering, op, &key);
  if (key.n_pairs > 0 && ordering->double_buffer_c)
    key.stage = key.pairs[0].stage;
  return key;
}

/* --- steps ------------------------------------------------------------------------------------------------------------------- */

/* What the statement defines, as it prints before the pass, so that copies can be told apart; else what it does. */
static const char *
name_of (const TsSteps *steps, const TsOp *op)
{
  return op->n_results > 0 && op->results[0]->hint[0] != '\0' ? ts_step_name_of (steps, op->results[0]) : op->name;
}

static char *
key_text (const Sequence *sequence, guint index)
{
  return ts_io_key_text (ts_io_ranking_key (sequence->ranking, index), sequence->ordering->double_buffer_c, index);
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
      ts_step_text (steps, "name", name_of (steps, sequence->ops[i]));
      ts_step_text (steps, "category", category_names[ts_io_ranking_key (sequence->ranking, i)->category]);
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
          g_ptr_array_add (names, (gpointer) name_of (steps, sequence->ops[deps->preds[p]]));
        }
      if (on->len == 0)
        continue;
      ts_step_begin (steps, "depends", ordering->module, ordering->function, sequence->ops[i]);
      ts_step_text (steps, "name", name_of (steps, sequence->ops[i]));
      ts_step_ints (steps, "on", (const gint64 *) on->data, on->len);
      ts_step_texts (steps, "on_names", (const char *const *) names->pdata, names->len);
    }
  for (guint i = 0; i < sequence->extra->len; i++)
    {
      TsOrderEdge edge = g_array_index (sequence->extra, TsOrderEdge, i);
      gint64 id = sequence->ops[edge.from]->origin.op;
      ts_step_begin (steps, "memory-order", ordering->module, ordering->function, sequence->ops[edge.to]);
      const char *name = name_of (steps, sequence->ops[edge.from]);
      ts_step_text (steps, "name", name_of (steps, sequence->ops[edge.to]));
      ts_step_ints (steps, "on", &id, 1);
      ts_step_texts (steps, "on_names", &name, 1);
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
  gint64 ids[MAX_READY_SHOWN];
  guint32 second = TS_READY_NONE;
  for (guint32 rank = chosen_rank; rank != TS_READY_NONE && names->len < MAX_READY_SHOWN; rank = ts_ready_queue_next (ready, rank))
    {
      guint32 index = sequence->at_rank[rank];
      ids[names->len] = sequence->ops[index]->origin.op;
      g_ptr_array_add (names, (gpointer) name_of (steps, sequence->ops[index]));
      g_ptr_array_add (keys, key_text (sequence, index));
      if (names->len == 2)
        second = rank;
    }

  const TsOp *op = sequence->ops[sequence->at_rank[chosen_rank]];
  ts_step_begin (steps, "emit", ordering->module, ordering->function, op);
  ts_step_int (steps, "position", position);
  ts_step_text (steps, "name", name_of (steps, op));
  ts_step_texts (steps, "ready", (const char *const *) names->pdata, names->len);
  ts_step_ints (steps, "ready_statements", ids, names->len);
  ts_step_texts (steps, "keys", (const char *const *) keys->pdata, keys->len);
  ts_step_int (steps, "ready_count", n_ready);
  if (second != TS_READY_NONE)
    {
      const TsOp *beaten = sequence->ops[sequence->at_rank[second]];
      const char *decided_by;
      ts_io_key_compare (ts_io_ranking_key (sequence->ranking, sequence->at_rank[chosen_rank]),
                         ts_io_ranking_key (sequence->ranking, sequence->at_rank[second]), ordering->double_buffer_c, &decided_by);
      ts_step_text (steps, "beat", name_of (steps, beaten));
      ts_step_int (steps, "beat_statement", beaten->origin.op);
      ts_step_text (steps, "decided_by", decided_by);
    }
}

/* --- sorting ----------------------------------------------------------------------------------------------------------------- */

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
relink (Sequence *sequence, TsOp **order)
{
  TsBlock *block = sequence->block;
  if (memcmp (order, sequence->ops, sizeof *order * sequence->n) == 0)
    return;
  if (sequence->n < block->n_ops) /* a terminator stays last */
    order[sequence->n] = block->last;
  ts_block_set_order (block, order, block->n_ops);
  sequence->ordering->changed = TRUE;
}

/* Nothing passes a statement that may keep the rest from running: edges from all since the one before it, and to all up to the
 * next. */
static void
add_barriers (Sequence *sequence)
{
  const Ordering *ordering = sequence->ordering;
  guint32 before = G_MAXUINT32; /* the barrier before */
  if (ordering->barriers->len == 0)
    return;
  for (guint i = 0, b = 0; i < sequence->n && b <= ordering->barriers->len; i++)
    {
      guint32 next = b < ordering->barriers->len ? g_array_index (ordering->barriers, guint32, b) : G_MAXUINT32;
      TsOrderEdge from = { before, i }, to = { i, next };
      if (before != G_MAXUINT32)
        g_array_append_val (sequence->extra, from);
      if (i == next)
        {
          ts_step_begin (ordering->context->steps, "barrier", ordering->module, ordering->function, sequence->ops[i]);
          ts_step_text (ordering->context->steps, "reason", "what stands behind it runs only when it does not leave the block");
          before = next;
          b++;
        }
      else if (next != G_MAXUINT32 && next < sequence->n)
        g_array_append_val (sequence->extra, to);
    }
}

/* Messages go, come and are released in the order in which the other core expects it. */
static void
add_chain (Sequence *sequence, const GArray *chain)
{
  for (guint i = 1; i < chain->len; i++)
    {
      TsOrderEdge edge = { g_array_index (chain, guint32, i - 1), g_array_index (chain, guint32, i) };
      if (edge.to < sequence->n)
        g_array_append_val (sequence->extra, edge);
    }
}

static void
sort_sequence (Sequence *sequence)
{
  Ordering *ordering = sequence->ordering;
  sequence->extra = g_array_new (FALSE, FALSE, sizeof (TsOrderEdge));
  ts_io_effects_find (ordering->effects, ordering->deps, sequence->ops, sequence->n, sequence->extra);
  ts_io_ranking_finish (sequence->ranking, &sequence->rank_of, &sequence->at_rank);
  if (ordering->context->steps != NULL)
    record_statements (sequence);
  add_barriers (sequence);
  add_chain (sequence, ordering->messages);
  add_chain (sequence, ordering->releases);

  g_autofree TsOp **order = g_new (TsOp *, sequence->block->n_ops);
  guint emitted = emit_all (sequence, order);
  if (ts_pass_cancelled (ordering->context))
    ordering->failed = TRUE;
  else if (emitted < sequence->n)
    {
      ts_pass_fail (ordering->context, ordering->module, sequence->ops[0], "cyclic",
                    "%u of %u statements wait for each other in a circle", sequence->n - emitted, sequence->n);
      ordering->failed = TRUE;
    }
  else
    relink (sequence, order);
  if (!ordering->failed && ordering->double_buffer_c)
    rotate_accumulators (ordering, order, sequence->n);
  g_array_unref (sequence->extra);
}

static guint
what_holds (const Ordering *ordering, const TsOp *op)
{
  switch ((int) op->code)
    {
    case TS_OP_BREAK:
    case TS_OP_CONTINUE:
    case TS_OP_COND: /* ends its loop when it does not hold */
      return LEAVES_LOOP;
    case TS_OP_RETURN:
      return LEAVES_FUNCTION;
    default:
      if (op->n_regions > 0)
        return GPOINTER_TO_UINT (g_hash_table_lookup (ordering->inside, op));
      if (ts_op_releases (op))
        return RELEASES;
      return (ts_op_info (op->code)->flags & (TS_OPF_PUSH | TS_OPF_POP)) != 0 ? EXCHANGES : 0;
    }
}

static void
note_effects (Ordering *ordering, const TsOp *op, guint32 index)
{
  guint holds = what_holds (ordering, op);
  ordering->holds |= holds;
  if ((holds & LEAVES) != 0)
    g_array_append_val (ordering->barriers, index);
  if ((holds & EXCHANGES) != 0)
    g_array_append_val (ordering->messages, index);
  if ((holds & RELEASES) != 0)
    g_array_append_val (ordering->releases, index);
}

/* What the block holds, the operation around it holds too: all but jumps to the end of a loop. */
static void
pass_on_effects (Ordering *ordering, const TsBlock *block)
{
  TsOp *parent = block->first != NULL && ordering->holds != 0 ? ts_op_parent (block->first) : NULL;
  guint holds = ordering->holds & (parent != NULL && ts_op_is_loop (parent) ? ~(guint) LEAVES_LOOP : G_MAXUINT);
  if (parent != NULL && holds != 0)
    g_hash_table_insert (ordering->inside, parent,
                         GUINT_TO_POINTER (holds | GPOINTER_TO_UINT (g_hash_table_lookup (ordering->inside, parent))));
}

/* One look at every statement, for its uses, its definitions and its key: those of a large body do not stay in the cache. Stops and
 * returns FALSE at a statement with blocks inside unless they are in order already. */
static gboolean
survey_block (Ordering *ordering, TsBlock *block, gboolean inner_done, TsIoRanking *ranking, guint n)
{
  guint n_listed = 0;
  TsOp *lead = block->first; /* runs ahead, so that what the statements point to can be fetched before it is their turn */
  TsOp **ops = g_new0 (TsOp *, block->n_ops);
  ts_deps_builder_begin (ordering->deps, block, ops, block->n_ops);
  for (guint i = 0; i < block->n_ops; i++)
    {
      for (; n_listed < block->n_ops && n_listed <= i + TS_OPS_AHEAD; lead = ts_op_next_ahead (lead))
        ops[n_listed++] = lead;
      ts_ops_prefetch (ops, block->n_ops, i);
      TsOp *op = ops[i];
      if (op->n_regions > 0 && !inner_done)
        return FALSE;
      ts_deps_builder_add (ordering->deps);
      note_effects (ordering, op, i);
      if (i < n)
        {
          TsIoKey key = make_key (ordering, op);
          ts_io_ranking_add (ranking, &key);
        }
    }
  return TRUE;
}

/* FALSE when inner blocks come first. */
static gboolean
sort_block (Ordering *ordering, TsBlock *block, gboolean inner_done)
{
  guint n = block->n_ops;
  if (n > 0 && ts_op_is_terminator (block->last))
    n--;
  ordering->holds = 0;
  g_array_set_size (ordering->barriers, 0);
  g_array_set_size (ordering->messages, 0);
  g_array_set_size (ordering->releases, 0);
  if (n < 2)
    {
      for (const TsOp *op = block->first; op != NULL && inner_done; op = op->next)
        note_effects (ordering, op, 0);
      return FALSE;
    }
  g_autoptr (TsIoRanking) ranking = ts_io_ranking_new (n, ordering->double_buffer_c);
  gboolean whole = survey_block (ordering, block, inner_done, ranking, n);
  g_autoptr (TsDeps) deps = ts_deps_builder_end (ordering->deps);
  if (!whole)
    return FALSE;
  if (deps->too_early >= 0)
    {
      ts_pass_fail (ordering->context, ordering->module, deps->ops[deps->too_early], "ill-formed",
                    "The statement reads a variable that a later statement of the same block defines");
      ordering->failed = TRUE;
      return TRUE;
    }
  Sequence sequence = { .ordering = ordering, .block = block, .ops = deps->ops, .n = n, .deps = deps, .ranking = ranking };
  sort_sequence (&sequence);
  return TRUE;
}

/* --- walking ----------------------------------------------------------------------------------------------------------------- */

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

/* Inner blocks first. Then this one, when it stands in a pipeline loop. Most blocks have none inside: they are tried at once. */
static void
order_block (Ordering *ordering, TsBlock *block)
{
  if (ordering->depth > 0 && sort_block (ordering, block, FALSE))
    {
      pass_on_effects (ordering, block);
      return;
    }
  for (TsOp *op = block->first; op != NULL && !ordering->failed; op = op->next)
    if (op->n_regions > 0)
      order_op (ordering, op);
  if (ordering->depth > 0 && !ordering->failed)
    {
      sort_block (ordering, block, TRUE);
      pass_on_effects (ordering, block);
    }
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
  if (*ordering->aliases == NULL)
    {
      *ordering->aliases = ts_aliases_new (ordering->module);
      ts_deps_builder_watch (ordering->deps, (*ordering->aliases)->class_of, (*ordering->aliases)->n_values,
                             (*ordering->aliases)->n_classes);
    }
  g_autoptr (TsIoEffects) effects = ts_io_effects_new (ordering->module, ordering->function, *ordering->aliases);
  g_autoptr (GHashTable) inside = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) barriers = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) messages = g_array_new (FALSE, FALSE, sizeof (guint32));
  ordering->effects = effects;
  ordering->inside = inside;
  g_autoptr (GArray) releases = g_array_new (FALSE, FALSE, sizeof (guint32));
  ordering->messages = messages;
  ordering->releases = releases;
  ordering->barriers = barriers;
  for (guint b = 0; b < ordering->function->body.n_blocks; b++)
    order_block (ordering, ordering->function->body.blocks[b]);
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  g_autoptr (TsAliases) aliases = NULL;
  g_autoptr (TsDepsBuilder) deps = ts_deps_builder_new (module);
  gboolean changed = FALSE;
  for (guint i = 0; i < module->n_functions; i++)
    {
      Ordering ordering = { .context = context, .module = module, .function = module->functions[i], .deps = deps,
                            .aliases = &aliases };
      ordering.membership_key = ts_module_intern (module, TS_ATTR_MEMBERSHIP);
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
  .help = "Inside pipeline loops every block is sorted: of the statements whose inputs are there, the one with the least key "
          "goes next. The key is (tier, stage, sub, index): scalars are tier 0, loads 1, the rest 2; the stage is the "
          "statement's membership, or that of its first tagged argument; sub puts stores after compute. With "
          "pipeline_overlap_stores=False stores count as compute; with pipeline_double_buffer_c=True stages go in twos and "
          "accumulators take turns on two buffers. The loops become sequential.\n"
          "\n"
          "Different from the compiler: stages compare as numbers, not as text, and whatever writes to memory (stores, writes of "
          "elements, operations in place, calls) keeps its place against other accesses of the same memory under any of its names "
          "unless their windows cannot overlap; nothing passes a statement that may leave its "
          "block (a break, continue or return inside, the condition of a while loop); messages between cores keep their order "
          "and are released behind their last use.\n"
          "\n"
          "Kept as the compiler does it: a statement without a stage goes before those with one; the order follows the "
          "innermost pair of a membership; a function that breaks the InOut-use discipline is left as it is (with a warning), "
          "where reading a carried value also reads the variable that it starts as; a store of an untagged accumulator goes at "
          "once, whatever the policy of stores.",
  .language = TS_LANGUAGE_PYPTO,
  .required = TS_PROPERTIES_TILE,
  .produced = TS_PROPERTIES_TILE | TS_PROPERTY_BIT (TS_PROPERTY_PIPELINE_RESOLVED),
  .planners = TS_PLANNERS_ALL,
  .in_default = TRUE,
  .run = run,
};
