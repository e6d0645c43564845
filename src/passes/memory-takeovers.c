/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds takeovers of bytes that are still needed. Every tile has a parent: the tile whose bytes it gets (its source for views,
 * copies and what is written in place, its initial value for a carried value, what the then branch yields for the result of an
 * IF). Tiles of one tree lie in one buffer. A takeover is a subtree that something is written into; it clashes with a read of the
 * rest of the tree that can come after it. Then the subtree gets a copy and becomes a tree of its own. */
#include "passes/memory-takeovers.h"

#include "base/map.h"
#include "ir/build.h"
#include "ir/op-info.h"
#include "passes/aliases.h"
#include "passes/allocations.h"
#include "passes/loops.h"

#define NONE G_MAXUINT32
/* Reads looked at before the rest of the takeovers count as clashing: the safe answer, at the price of a copy. */
#define MAX_LOOKED G_GUINT64_CONSTANT (200000000)

typedef struct
{
  TsValue *value;
  guint32  parent;
  guint32  first_child, next_sibling;
  guint32  in, out;     /* of a walk over the tree: its subtree is in .. out */
  guint32  tree;        /* root it was built under: index of its reads */
  guint32  rigid;       /* carried value, result of an IF or root that it cannot be separated from */
  guint32  group;       /* nodes of one buffer; copies make new ones */
  guint32  def;         /* position */
  guint32  first_write; /* position of the first write into the subtree, NONE: there is none */
} Node;

typedef struct
{
  guint32  node, position;
  gboolean written; /* and written to, in place */
} Read;

typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  GArray        *nodes;     /* Node: parents stand before their children */
  GArray        *reads;     /* Read, by position; sorted by tree afterwards, then position */
  guint32       *read_start; /* by root node: its reads */
  guint32       *by_in;     /* node at each number of the walk */
  TsMap          node_of;   /* value id to node */
  TsMap          position_of, end_of; /* op id to its position, and to the last one of its regions */
  guint32        position;   /* of the next operation */
  guint32        at;         /* of the operation at hand: the last of its regions, once these are done */
  guint32        n_groups;
  guint64        n_looked;
  TsMap          slot_of_group; /* of the loop at hand */
  guint          n_copies;
} Takeovers;

static Node *
node_at (const Takeovers *t, guint32 index)
{
  return &g_array_index (t->nodes, Node, index);
}

static guint32
node_of (const Takeovers *t, const TsValue *value)
{
  return value != NULL ? (guint32) ts_map_get (&t->node_of, (guint32) value->id, NONE) : NONE;
}

static guint32
position_of (const Takeovers *t, const TsOp *op)
{
  return (guint32) ts_map_get (&t->position_of, (guint32) op->id, 0);
}

static guint32
end_of (const Takeovers *t, const TsOp *op)
{
  return (guint32) ts_map_get (&t->end_of, (guint32) op->id, 0);
}

/* --- trees -------------------------------------------------------------------------------------------------------------- */

static void
add_node (Takeovers *t, TsValue *value, const TsValue *source, gboolean separable)
{
  guint32 index = t->nodes->len;
  if (!ts_type_is_tile (value->type) || node_of (t, value) != NONE)
    return;
  Node node = { .value = value, .parent = node_of (t, source), .first_child = NONE, .next_sibling = NONE, .tree = index,
                .rigid = index, .def = t->at, .first_write = NONE };
  ts_map_set (&t->node_of, (guint32) value->id, index);
  g_array_append_val (t->nodes, node);
  if (node.parent == NONE)
    return;
  node_at (t, index)->tree = node_at (t, node.parent)->tree;
  if (!separable)
    node_at (t, index)->rigid = node_at (t, node.parent)->rigid;
  node_at (t, index)->next_sibling = node_at (t, node.parent)->first_child;
  node_at (t, node.parent)->first_child = index;
}

static void
add_read (TsValue *value, gpointer data)
{
  Takeovers *t = data;
  Read read = { node_of (t, value), t->position, FALSE };
  if (read.node != NONE)
    g_array_append_val (t->reads, read);
}

static void
write_into (Takeovers *t, guint32 node, guint32 position)
{
  if (node != NONE)
    node_at (t, node)->first_write = MIN (node_at (t, node)->first_write, position);
}

static void
add_write (TsValue *value, gpointer data)
{
  Takeovers *t = data;
  Read written = { node_of (t, value), t->position, TRUE };
  write_into (t, written.node, t->position);
  if (written.node != NONE)
    g_array_append_val (t->reads, written);
}

static TsValue *
operand_value (const TsOp *op, guint index)
{
  return op != NULL && index < op->n_operands ? ts_expr_as_value (op->operands[index]) : NULL;
}

/* Do the two lie in one buffer whatever is separated? */
static gboolean
is_one_tile (const Takeovers *t, guint32 a, guint32 b)
{
  return a != NONE && b != NONE && node_at (t, a)->rigid == node_at (t, b)->rigid;
}

static gboolean
is_carried_by (const TsOp *loop, const TsValue *value)
{
  return value->kind == TS_VALUE_BLOCK_ARG && value->block == ts_op_body (loop, 0);
}

/* No unit copies within Acc and the operands of the cube. */
static gboolean
is_copied (TsSpace space)
{
  return space == TS_SPACE_VEC || space == TS_SPACE_MAT;
}

static void scan_block (Takeovers *t, const TsBlock *block);

/* At the end of a trip what is yielded is moved to where the carried value lives, unless it is there. */
static void
scan_loop (Takeovers *t, const TsOp *op)
{
  TsBlock *body = ts_op_body (op, 0);
  TsCarries c = ts_loop_carries (op);
  for (guint i = 0; i < c.n; i++)
    add_node (t, body->args[c.first_arg + i], operand_value (op, c.first_init + i), TRUE);
  t->position++;
  scan_block (t, body);
  const TsOp *yield = ts_block_yield (body);
  for (guint i = 0; i < c.n && yield != NULL; i++)
    {
      const TsValue *value = operand_value (yield, i);
      guint32 carried = node_of (t, body->args[c.first_arg + i]);
      if (value != NULL && !is_carried_by (op, value) && !is_one_tile (t, node_of (t, value), carried))
        write_into (t, carried, position_of (t, yield));
    }
  t->at = t->position - 1;
  for (guint i = 0; i < c.n && i < op->n_results; i++)
    add_node (t, op->results[i], body->args[c.first_arg + i], FALSE);
}

/* What the else branch yields is moved to where the then branch leaves its own. */
static void
scan_if (Takeovers *t, const TsOp *op)
{
  t->position++;
  for (guint r = 0; r < op->n_regions; r++)
    scan_block (t, ts_op_body (op, r));
  const TsOp *then = op->n_regions == 2 ? ts_block_yield (ts_op_body (op, 0)) : NULL;
  const TsOp *other = op->n_regions == 2 ? ts_block_yield (ts_op_body (op, 1)) : NULL;
  t->at = t->position - 1;
  for (guint i = 0; i < op->n_results; i++)
    {
      const TsValue *rules = operand_value (then, i), *moved = operand_value (other, i);
      add_node (t, op->results[i], rules, TRUE);
      if (rules != NULL && moved != NULL && !is_one_tile (t, node_of (t, rules), node_of (t, moved)))
        write_into (t, node_of (t, op->results[i]), position_of (t, other));
    }
}

/* Is the operation's result written over its argument, of which settle_in_place() may put a copy there? */
static gboolean
is_settled_in_place (const TsOp *op)
{
  guint n_pairs;
  return ts_op_info (op->code)->buffer == TS_BUFFER_REUSES && op->n_results == 1 && is_copied (op->results[0]->type->space)
         && ts_op_membership (op, &n_pairs) != NULL;
}

static void
scan_statement (Takeovers *t, TsOp *op)
{
  gint k = op->code == TS_OP_TILE_TRANSPOSE ? -1 : ts_op_shared_argument (op);
  const TsValue *source = k >= 0 ? operand_value (op, (guint) k) : NULL;
  for (guint i = 0; i < op->n_results; i++)
    add_node (t, op->results[i], source, is_settled_in_place (op));
  ts_op_foreach_written (t->module, op, add_write, t);
  t->position++;
}

static void
scan_block (Takeovers *t, const TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      ts_map_set (&t->position_of, (guint32) op->id, t->position);
      t->at = t->position;
      ts_op_foreach_use (op, add_read, t);
      if (op->code == TS_OP_FOR || op->code == TS_OP_WHILE)
        scan_loop (t, op);
      else if (op->code == TS_OP_IF)
        scan_if (t, op);
      else if (op->n_regions == 0)
        scan_statement (t, op);
      else
        {
          t->position++;
          for (guint r = 0; r < op->n_regions; r++)
            scan_block (t, ts_op_body (op, r));
        }
      ts_map_set (&t->end_of, (guint32) op->id, t->position - 1);
    }
}

/* Numbers every tree, so that a subtree is a range, and tells parents what is written below them. */
static void
number_trees (Takeovers *t)
{
  t->by_in = g_new (guint32, (gsize) t->nodes->len + 1);
  g_autofree guint32 *size = g_new (guint32, (gsize) t->nodes->len + 1);
  guint32 next = 0;
  for (guint32 i = t->nodes->len; i-- > 0;)
    {
      Node *node = node_at (t, i);
      size[i] = 1;
      for (guint32 c = node->first_child; c != NONE; c = node_at (t, c)->next_sibling)
        {
          size[i] += size[c];
          node->first_write = MIN (node->first_write, node_at (t, c)->first_write);
        }
    }
  for (guint32 i = 0; i < t->nodes->len; i++)
    {
      Node *node = node_at (t, i);
      if (node->parent == NONE)
        {
          node->in = next;
          next += size[i];
        }
      node->out = node->in + size[i] - 1;
      node->group = node->tree;
      t->by_in[node->in] = i;
      guint32 at = node->in + 1;
      for (guint32 c = node->first_child; c != NONE; c = node_at (t, c)->next_sibling)
        {
          node_at (t, c)->in = at;
          at += size[c];
        }
    }
  t->n_groups = t->nodes->len;
}

/* Rows of reads by tree; within one by position, as they came. */
static void
sort_reads (Takeovers *t)
{
  guint32 n = t->nodes->len;
  GArray *rows = g_array_sized_new (FALSE, FALSE, sizeof (Read), t->reads->len + 1);
  g_array_set_size (rows, t->reads->len);
  t->read_start = g_new0 (guint32, (gsize) n + 2);
  for (guint32 i = 0; i < t->reads->len; i++)
    t->read_start[node_at (t, g_array_index (t->reads, Read, i).node)->tree + 2]++;
  for (guint32 i = 2; i < n + 2; i++)
    t->read_start[i] += t->read_start[i - 1];
  for (guint32 i = 0; i < t->reads->len; i++)
    {
      Read read = g_array_index (t->reads, Read, i);
      g_array_index (rows, Read, t->read_start[node_at (t, read.node)->tree + 1]++) = read;
    }
  g_array_unref (t->reads);
  t->reads = rows;
}

/* --- clashes ------------------------------------------------------------------------------------------------------------ */

/* A node that takes over what its group holds. */
typedef struct
{
  guint32  node, group;
  gboolean quiet;   /* nothing is written into it: then only writes in place of the rest of the group clash with it */
  guint32  ignored; /* node whose reads do not count, or NONE */
  guint32  before;  /* only reads of what is defined before this position count */
} Takeover;

static Takeover
takeover_of (const Takeovers *t, guint32 node, const TsOp *op)
{
  return (Takeover) { node, node_at (t, node)->group, node_at (t, node)->first_write > end_of (t, op),
                      NONE, NONE };
}

/* Is something of the group, but not of the taking subtree, read at a position in [from, until], defined before `defined`? */
static gboolean
read_between (Takeovers *t, Takeover over, guint32 from, guint32 until, guint32 defined)
{
  const Node *taker = node_at (t, over.node);
  guint32 low = t->read_start[taker->tree], end = t->read_start[taker->tree + 1], high = end;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (g_array_index (t->reads, Read, middle).position >= from)
        high = middle;
      else
        low = middle + 1;
    }
  for (; low < end && g_array_index (t->reads, Read, low).position <= until; low++)
    {
      const Read *read = &g_array_index (t->reads, Read, low);
      const Node *node = node_at (t, read->node);
      if (++t->n_looked > MAX_LOOKED)
        return TRUE;
      if (node->group == over.group && (node->in < taker->in || node->in > taker->out) && node->def < defined
          && node->def < over.before && read->node != over.ignored && (read->written || !over.quiet))
        return TRUE;
    }
  return FALSE;
}

/* Is the rest of the group read behind the operation, or in the next trip of a loop around it? */
static gboolean
read_behind (Takeovers *t, Takeover over, const TsOp *op)
{
  for (const TsOp *at = op; at != NULL; at = ts_op_parent (at))
    {
      const TsOp *around = ts_op_parent (at);
      if (read_between (t, over, end_of (t, at) + 1, end_of (t, at->block->last), NONE))
        return TRUE;
      if (around != NULL && ts_op_is_loop (around)
          && read_between (t, over, position_of (t, around) + 1, end_of (t, around), position_of (t, around)))
        return TRUE;
    }
  return FALSE;
}

/* --- copies ------------------------------------------------------------------------------------------------------------- */

/* What made the tile whose buffer the node has; NULL: a parameter. */
static const TsOp *
root_maker (const Takeovers *t, guint32 node)
{
  const TsValue *root = node_at (t, node_at (t, node)->tree)->value;
  return root->kind == TS_VALUE_RESULT ? root->def : NULL;
}

/* Tiles in a pipe's own memory have no buffer that could be taken. */
static gboolean
is_popped (const Takeovers *t, guint32 node)
{
  const TsOp *maker = root_maker (t, node);
  return maker != NULL && (ts_op_info (maker->code)->flags & TS_OPF_POP) != 0;
}

static gboolean
may_copy (const Takeovers *t, guint32 node)
{
  return !is_popped (t, node) && is_copied (node_at (t, node)->value->type->space);
}

static void
warn (Takeovers *t, const TsOp *op, const TsValue *lost, const char *help, const char *format, const char *other)
{
  TsSpace space = lost->type->space;
  g_autoptr (GString) text = g_string_new (NULL);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  g_string_append_printf (text, format, lost->hint, other);
#pragma GCC diagnostic pop
  TsDiag *diag = ts_report_about (t->context, t->module, t->function, op, TS_SEVERITY_WARNING, "overwritten",
                                  ts_space_name (space), "%s", text->str);
  g_free (diag->help);
  diag->help = g_strdup (help);
}

/* Puts a copy of what `user` reads as its operand `index` before it, and lets it read that. */
static TsValue *
insert_copy (Takeovers *t, TsOp *user, guint index, const char *reason)
{
  TsValue *from = ts_expr_as_value (user->operands[index]);
  TsOp *move = ts_op_new (t->module, TS_OP_TILE_MOVE, NULL, &user->operands[index], 1);
  ts_op_add_keyword (t->module, move, "target_memory", ts_expr_space (t->module, from->type->space));
  g_autofree char *name = g_strdup_printf ("%s_mv", from->hint);
  TsValue *copy = ts_op_add_result (t->module, move, name, ts_type_with_memref (t->module, from->type, NULL));
  move->span = user->span;
  move->origin.op = -1;
  ts_block_insert_before (user, move);
  user->operands[index] = ts_expr_value (t->module, copy);
  t->n_copies++;
  ts_step_begin (t->context->steps, "copy", t->module, t->function, user);
  ts_step_value (t->context->steps, "variable", from);
  ts_step_value (t->context->steps, "copy", copy);
  ts_step_text (t->context->steps, "reason", reason);
  return copy;
}

/* The subtree lies in a buffer of its own from now on. */
static void
cut (Takeovers *t, guint32 node)
{
  guint32 old = node_at (t, node)->group, fresh = t->n_groups++;
  for (guint32 i = node_at (t, node)->in; i <= node_at (t, node)->out; i++)
    if (node_at (t, t->by_in[i])->group == old)
      node_at (t, t->by_in[i])->group = fresh;
}

static void
settle_carried (Takeovers *t, TsOp *op, const TsCarries *c, guint i)
{
  guint32 carried = node_of (t, ts_op_body (op, 0)->args[c->first_arg + i]);
  if (carried == NONE || node_at (t, carried)->parent == NONE || is_popped (t, carried))
    return;
  Takeover over = takeover_of (t, carried, op);
  gboolean copies = may_copy (t, node_at (t, carried)->parent);
  /* What tile.create leaves is nothing that anybody could miss: later loops may start from it too, only what earlier ones made
   * of it is lost. */
  if (!copies && ts_op_is (root_maker (t, carried), TS_OP_TILE_CREATE))
    {
      over.ignored = node_at (t, carried)->tree;
      over.before = position_of (t, op);
    }
  if (!read_between (t, over, position_of (t, op) + 1, end_of (t, op), NONE) && !read_behind (t, over, op))
    return;
  if (!copies)
    {
      warn (t, op, operand_value (op, c->first_init + i), "start the loop from a tile that nothing else reads",
            "'%s' shares its bytes with '%s', which the loop writes to, and is read again: what is read then is no longer the "
            "initial value, and no unit can copy it", node_at (t, carried)->value->hint);
      return;
    }
  insert_copy (t, op, c->first_init + i, "the initial value is read after the loop took over its bytes");
  cut (t, carried);
}

/* Of what the branches yield, the then branch's place is written to at the end of the else branch. */
static void
settle_result (Takeovers *t, TsOp *op, guint i)
{
  guint32 result = node_of (t, op->results[i]);
  TsOp *then = ts_block_yield (ts_op_body (op, 0)), *other = ts_block_yield (ts_op_body (op, 1));
  if (result == NONE || node_at (t, result)->parent == NONE || !may_copy (t, node_at (t, result)->parent))
    return;
  Takeover over = takeover_of (t, result, op);
  if (!read_between (t, over, position_of (t, other), position_of (t, other), NONE) && !read_behind (t, over, op))
    return;
  insert_copy (t, then, i, "what the branch yields is read after the other branch took over its bytes");
  cut (t, result);
}

/* A carried value is left where it is when it is yielded in the place of another one; of a loop further out it gets a copy, where a
 * unit can make one. */
static gboolean
is_never_moved (const Takeovers *t, const TsOp *op, guint32 node, guint32 carried)
{
  const TsValue *value = node_at (t, node)->value;
  return is_carried_by (op, value)
         || (value->kind == TS_VALUE_BLOCK_ARG && !may_copy (t, node) && carried != NONE
             && node_at (t, node)->group != node_at (t, carried)->group);
}

/* All that is yielded is moved to the carried values in turn: what lies where another one of them goes has to be saved before.
 * A carried value of this very loop that is yielded in another place is never moved (kept quirk, 5.7). */
static void
settle_yield (Takeovers *t, TsOp *op, const TsCarries *c)
{
  TsBlock *body = ts_op_body (op, 0);
  TsOp *yield = ts_block_yield (body);
  ts_map_clear (&t->slot_of_group);
  for (guint i = 0; i < c->n; i++)
    {
      guint32 carried = node_of (t, body->args[c->first_arg + i]);
      if (carried != NONE && node_at (t, carried)->first_write <= end_of (t, op))
        ts_map_set (&t->slot_of_group, node_at (t, carried)->group, i);
    }
  for (guint i = 0; i < c->n && i < yield->n_operands; i++)
    {
      const TsValue *value = operand_value (yield, i), *carried = body->args[c->first_arg + i];
      guint32 node = node_of (t, value);
      if (node != NONE && value != carried && !is_popped (t, node) && is_never_moved (t, op, node, node_of (t, carried)))
        warn (t, yield, value, may_copy (t, node) ? "yield a copy of it, made in the loop"
                                                  : "no unit can copy it: yield what an operation of the loop makes",
              "'%s' is yielded in the place of '%s', but a carried value that is yielded is never moved: the next trip finds "
              "there what the last one found", carried->hint);
      if (node == NONE || is_carried_by (op, value) || !may_copy (t, node))
        continue;
      guint64 slot = ts_map_get (&t->slot_of_group, node_at (t, node)->group, i);
      if (slot != i)
        insert_copy (t, yield, i, "its bytes are those of another carried value, which changes with it");
      else if (value->kind == TS_VALUE_BLOCK_ARG)
        insert_copy (t, yield, i, "a carried value of a loop further out has to be moved to where this one lives");
    }
}

/* Copies that the pipeline passes made of a trip begin with what the trip before yields, not with a carried value: what wrote over
 * that in place would write over the yielded tile itself. */
static void
settle_in_place (Takeovers *t, TsOp *op)
{
  guint32 result = op->n_results == 1 ? node_of (t, op->results[0]) : NONE;
  gint k = ts_op_shared_argument (op);
  if (!is_settled_in_place (op) || result == NONE || node_at (t, result)->parent == NONE
      || !may_copy (t, node_at (t, result)->parent))
    return;
  Takeover over = { result, node_at (t, result)->group, FALSE, NONE, NONE };
  if (!read_behind (t, over, op))
    return;
  insert_copy (t, op, (guint) k, "it is read after an operation of this stage wrote over it in place");
  cut (t, result);
}

static void settle_block (Takeovers *t, TsBlock *block);

static void
settle_op (Takeovers *t, TsOp *op)
{
  TsCarries c = ts_loop_carries (op);
  for (guint i = 0; i < c.n; i++)
    settle_carried (t, op, &c, i);
  for (guint i = 0; i < op->n_results && op->code == TS_OP_IF && op->n_regions == 2; i++)
    if (operand_value (ts_block_yield (ts_op_body (op, 0)), i) != NULL && ts_block_yield (ts_op_body (op, 1)) != NULL)
      settle_result (t, op, i);
  for (guint r = 0; r < op->n_regions; r++)
    settle_block (t, ts_op_body (op, r));
  if (c.n > 0 && ts_block_yield (ts_op_body (op, 0)) != NULL)
    settle_yield (t, op, &c);
}

/* Loops further out first: what they separate is out of the way of those inside. */
static void
settle_block (Takeovers *t, TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    if (op->n_regions > 0)
      settle_op (t, op);
    else
      settle_in_place (t, op);
}

guint
ts_separate_takeovers (TsPassContext *context, TsModule *module, TsFunction *function)
{
  Takeovers t = { .context = context, .module = module, .function = function, .position = 1 };
  t.nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  t.reads = g_array_new (FALSE, FALSE, sizeof (Read));
  for (guint i = 0; i < function->n_params; i++)
    add_node (&t, function->params[i], NULL, FALSE);
  scan_block (&t, ts_function_block (function));
  number_trees (&t);
  sort_reads (&t);
  settle_block (&t, ts_function_block (function));
  g_array_unref (t.nodes);
  g_array_unref (t.reads);
  g_free (t.read_start);
  g_free (t.by_in);
  TsMap *maps[] = { &t.node_of, &t.position_of, &t.end_of, &t.slot_of_group };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    ts_map_clear (maps[i]);
  return t.n_copies;
}
