/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overflow assertions on the addresses of a component. Source: spec graph-optimize 6.2, `Overflow asserts`. */
#include <string.h>

#include "passes/graph/component.h"
#include "passes/graph/track.h"

typedef struct
{
  TsGraph     *graph;
  TsComponent *component;
  GHashTable  *address; /* producers of addresses, and of the conditions that share one: TsOp */
  GPtrArray   *fresh;   /* of those: users not looked at yet */
  GHashTable  *passed;  /* operations on the way from an address to a condition */
  GTree       *found;   /* number to assertion: those that share, not taken yet */
  guint32      last;    /* number of the assertion taken last, plus one */
} Search;

static gboolean
is_overflow_assert (const TsOp *op)
{
  const TsExpr *message = ts_op_attr (op, "message");

  return op->code == TS_OP_TT_ASSERT && ts_op_attr (op, "tt.auto_overflow_assert") != NULL && message != NULL
         && message->kind == TS_EXPR_STRING && strstr (message->text, "overflow detected for operation") != NULL;
}

static gboolean
note_block (TsOp *op, gpointer blocks)
{
  if (is_overflow_assert (op))
    g_hash_table_add (blocks, op->block);
  return TRUE;
}

static gpointer
build_blocks (TsGraph *graph)
{
  GHashTable *blocks = g_hash_table_new (NULL, NULL);

  ts_region_walk (&graph->function->body, note_block, blocks);
  return blocks;
}

/* Blocks that hold an overflow assertion: most hold none, and then nothing is asked. */
static GHashTable *
blocks_with_asserts (TsGraph *graph)
{
  static const TsGraphAnalysis analysis = { build_blocks, (GDestroyNotify) g_hash_table_unref };

  return ts_graph_analysis (graph, &analysis);
}

/* The rank-R producers of a value. Only values that can be rebuilt are asked for: their chains are short. */
static void
add_producers (Search *s, const TsValue *value)
{
  const TsOp *def = value != NULL && value->kind == TS_VALUE_RESULT ? value->def : NULL;

  if (def == NULL || !ts_component_has_rank (s->component, value) || g_hash_table_contains (s->component->in_set, def)
      || !g_hash_table_add (s->address, (gpointer) def))
    return;
  if (def->code != TS_OP_ARITH_CONSTANT)
    g_ptr_array_add (s->fresh, (gpointer) def);
  for (guint i = 0; i < def->n_operands; i++)
    add_producers (s, ts_graph_operand (def, i));
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  return GPOINTER_TO_UINT (a) < GPOINTER_TO_UINT (b) ? -1 : GPOINTER_TO_UINT (a) > GPOINTER_TO_UINT (b);
}

static void
see_user (Search *s, TsOp *user, const TsValue *value)
{
  const TsOp *anchor = s->component->anchor;
  guint32 number = s->graph->numbers[user->id];

  if (user->block == anchor->block && number >= s->graph->numbers[anchor->id])
    return;
  if (is_overflow_assert (user))
    {
      if (user->block == anchor->block && number >= s->last && ts_graph_operand (user, 0) == value)
        g_tree_insert (s->found, GUINT_TO_POINTER (number), user);
    }
  else if (!g_hash_table_contains (s->component->in_set, user) && g_hash_table_add (s->passed, user))
    g_ptr_array_add (s->fresh, user);
}

/* From new producers down to the assertions whose conditions rest on them. */
static void
see_users (Search *s)
{
  while (s->fresh->len > 0)
    {
      const TsOp *op = g_ptr_array_steal_index_fast (s->fresh, s->fresh->len - 1);

      for (guint r = 0; r < op->n_results; r++)
        {
          guint n;
          TsOp *const *users = ts_graph_users (s->graph->uses, op->results[r], &n);

          for (guint i = 0; i < n && ts_component_has_rank (s->component, op->results[r]); i++)
            see_user (s, users[i], op->results[r]);
        }
    }
}

/* In program order; what an assertion adds counts for those behind it. */
static TsGraphReason
take_asserts (Search *s, const TsOp **at)
{
  TsComponent *c = s->component;

  for (;;)
    {
      GTreeNode *node;
      TsOp *op;
      TsGraphReason reason;

      see_users (s);
      node = g_tree_node_first (s->found);
      if (node == NULL)
        return TS_GRAPH_PROVEN;
      *at = op = g_tree_node_value (node);
      s->last = s->graph->numbers[op->id] + 1;
      ts_graph_reads_op (s->graph, op);
      g_tree_remove (s->found, g_tree_node_key (node));
      if (!ts_component_has_rank (c, ts_graph_operand (op, 0)))
        return TS_GRAPH_UNSUPPORTED_RANK;
      reason = ts_component_rebuildable (c, ts_component_dominance (s->graph), ts_graph_operand (op, 0), at);
      if (reason != TS_GRAPH_PROVEN)
        return reason;
      g_ptr_array_add (c->asserts, op);
      add_producers (s, ts_graph_operand (op, 0));
    }
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  return (*(const TsOp *const *) a)->id - (*(const TsOp *const *) b)->id;
}

static gint
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint32 *numbers = data;
  guint32 x = numbers[(*(const TsOp *const *) a)->id], y = numbers[(*(const TsOp *const *) b)->id];

  return x > y ? -1 : x < y;
}

/* Everything of the address but constants, in order of ids: a table has no order. */
static GPtrArray *
producers (const Search *s)
{
  GPtrArray *ops = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer op;

  g_hash_table_iter_init (&iter, s->address);
  while (g_hash_table_iter_next (&iter, &op, NULL))
    if (((const TsOp *) op)->code != TS_OP_ARITH_CONSTANT)
      g_ptr_array_add (ops, op);
  g_ptr_array_sort (ops, compare_ids);
  return ops;
}

/* Producers may be used only by each other, the loop or the selected operations, and the assertions. */
static TsGraphReason
check_side_uses (const Search *s, GPtrArray *ops, const TsOp **at)
{
  TsComponent *c = s->component;
  g_autoptr (GHashTable) asserts = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < c->asserts->len; i++)
    g_hash_table_add (asserts, g_ptr_array_index (c->asserts, i));
  g_ptr_array_sort_with_data (ops, compare_places, s->graph->numbers);
  for (guint k = 0; k < ops->len; k++)
    {
      TsOp *op = g_ptr_array_index (ops, k);
      guint n;
      TsOp *const *users = ts_graph_users (s->graph->uses, op->results[0], &n);

      *at = op;
      if (!ts_graph_is_pure (op))
        return TS_GRAPH_SIDE_USE;
      for (guint i = 0; i < n; i++)
        {
          *at = users[i];
          if (!g_hash_table_contains (s->address, users[i]) && users[i] != c->loop && !g_hash_table_contains (c->in_set, users[i])
              && !g_hash_table_contains (asserts, users[i]))
            return TS_GRAPH_SIDE_USE;
        }
      g_ptr_array_add (c->retired, op);
    }
  return TS_GRAPH_PROVEN;
}

static TsGraphReason
search (Search *s, const TsOp **at)
{
  TsComponent *c = s->component;
  g_autoptr (GPtrArray) ops = NULL;
  TsGraphReason reason;

  for (guint i = 0; i < c->outside->len; i++)
    add_producers (s, g_ptr_array_index (c->outside, i));
  reason = take_asserts (s, at);
  if (reason != TS_GRAPH_PROVEN || c->asserts->len == 0)
    return reason;
  ops = producers (s);
  for (guint i = 0; i < ops->len; i++)
    {
      *at = g_ptr_array_index (ops, i);
      if ((*at)->block != c->anchor->block)
        return TS_GRAPH_DIFFERENT_BLOCKS;
    }
  return check_side_uses (s, ops, at);
}

TsGraphReason
ts_component_asserts (TsGraph *graph, TsComponent *component, const TsOp **at)
{
  Search s = { .graph = graph, .component = component };
  const TsOp *failed = NULL;
  TsGraphReason reason;

  if (!g_hash_table_contains (blocks_with_asserts (graph), component->anchor->block))
    return TS_GRAPH_PROVEN;
  s.address = g_hash_table_new (NULL, NULL);
  s.fresh = g_ptr_array_new ();
  s.passed = g_hash_table_new (NULL, NULL);
  s.found = g_tree_new (compare_numbers);
  reason = search (&s, &failed);
  if (reason != TS_GRAPH_PROVEN)
    *at = failed;
  g_hash_table_unref (s.address);
  g_ptr_array_unref (s.fresh);
  g_hash_table_unref (s.passed);
  g_tree_unref (s.found);
  return reason;
}
