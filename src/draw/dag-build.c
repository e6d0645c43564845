/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a function into a graph. Every operation is a node; loops, branches and scopes are groups; a value leads from the operation
 * that made it to those that use it, through carried values and results of regions, which are no nodes themselves. */
#include <string.h>

#include "draw/dag-private.h"
#include "draw/words.h"
#include "ir/op-info.h"

#define DEFAULT_MAX_NODES 20000u
#define CANCEL_STRIDE 4096u
/* Operations under one that are counted and drawn; deeper nesting is bounded by the parser (TS_MAX_NESTING). */
#define NODE_PAD 10.0
#define LEAST_WIDTH 72.0
#define MOST_WIDTH 220.0

const char *
ts_dag_keep (TsDagReader *r, const char *text)
{
  return ts_arena_strndup (r->dag->arena, text, strlen (text));
}

static const char *
value_name (const TsDagReader *r, const TsValue *value)
{
  const char *printed = NULL;

  if (r->input->names != NULL && value->id >= 0 && (guint) value->id < r->input->names->len)
    printed = g_ptr_array_index (r->input->names, value->id);
  return printed != NULL ? printed : value->hint != NULL ? value->hint : "";
}

static gboolean
is_group (const TsOp *op)
{
  return op->n_regions > 0 && (op->code == TS_OP_FOR || op->code == TS_OP_WHILE || op->code == TS_OP_IF || op->code == TS_OP_SCOPE);
}

static gint32
stage_of (const TsDagReader *r, const TsOp *op)
{
  guint n = 0;
  const TsStage *pairs = ts_op_membership (op, &n);

  if (n == 0 && r->input->stages != NULL)
    pairs = r->input->stages (op->id, &n, r->input->stages_data);
  return n > 0 ? pairs[0].stage : -1;
}

/* --- nodes --------------------------------------------------------------------------------------------------------------- */

static void
size_node (TsDagReader *r, TsDagNode *node)
{
  double name = ts_measure (r->measurer, node->name, TS_FONT_SIZE, TS_WEIGHT_NORMAL);
  double unit = ts_measure (r->measurer, node->unit, TS_FONT_SMALL, TS_WEIGHT_NORMAL);

  /* Slanted shapes need room at the ends of the text. */
  node->width = CLAMP (MAX (name, unit) + 2 * NODE_PAD + (node->stage >= 0 ? TS_DAG_BAND + 4 : 0) + 8, LEAST_WIDTH, MOST_WIDTH);
  node->height = TS_DAG_NODE_HEIGHT;
}

static const char *
node_detail (TsDagReader *r, const TsOp *op, TsPipe pipe)
{
  GString *out = g_string_new (op->name != NULL ? op->name : "");
  guint line = ts_module_line (r->input->module, op->span);
  const char *kept;
  gint64 bytes;

  if (pipe < TS_N_PIPES)
    g_string_append_printf (out, ", %s", ts_pipe_name (pipe));
  if (op->n_results > 0 && op->results[0]->type != NULL && ts_type_is_tile (op->results[0]->type)
      && ts_type_bytes (op->results[0]->type, 1, &bytes))
    g_string_append_printf (out, _ (", %" G_GINT64_FORMAT " bytes in %s"), bytes,
                            ts_space_name ((TsSpace) op->results[0]->type->space));
  if (line > 0)
    g_string_append_printf (out, _ (", line %u"), line);
  kept = ts_dag_keep (r, out->str);
  g_string_free (out, TRUE);
  return kept;
}

static char *
op_name (const TsDagReader *r, const TsOp *op)
{
  const char *verb = op->name != NULL ? ts_op_verb (op->name) : "";
  const char *result = op->n_results > 0 ? value_name (r, op->results[0]) : "";

  if (op->code == TS_OP_TEXT)
    return g_strdup (op->name != NULL ? op->name : "");
  if (result[0] == '\0')
    return g_strdup (verb);
  if (op->code == TS_OP_ASSIGN)
    return g_strdup (result);
  return g_strdup_printf ("%s %s", verb, result);
}

static guint32
add_place (TsDagReader *r, gint32 op, guint32 node)
{
  TsDagPlace place = { op, node };

  g_array_append_val (r->places, place);
  return node;
}

static guint32
add_node (TsDagReader *r, const TsOp *op, const char *name, const char *unit, TsLane lane, gint32 stage, gboolean folded,
          TsPipe pipe)
{
  TsDagNode node = { .name = ts_dag_keep (r, name),
                     .unit = ts_dag_keep (r, unit),
                     .op = op != NULL ? op->id : -1,
                     .stage = stage,
                     .group = r->group,
                     .lane = (guint8)lane,
                     .folded = (guint8)folded };

  node.detail = op != NULL ? node_detail (r, op, pipe) : "";
  size_node (r, &node);
  r->dag->max_stage = MAX (r->dag->max_stage, stage);
  g_array_append_val (r->nodes, node);
  return r->nodes->len - 1;
}

static gboolean
stage_is_folded (const TsDagReader *r, gint32 stage)
{
  for (guint i = 0; i < r->input->n_folded_stages; i++)
    if (r->input->folded_stages[i] == stage)
      return TRUE;
  return FALSE;
}

/* The one node of a folded stage within the current group. */
static guint32
folded_stage_node (TsDagReader *r, gint32 stage)
{
  gint64 key = (gint64) (r->group + 1) << 32 | (guint32) stage;
  gpointer found = g_hash_table_lookup (r->stage_nodes, &key);
  g_autofree char *name = NULL;
  guint32 node;

  if (found != NULL)
    return GPOINTER_TO_UINT (found) - 1;
  name = g_strdup_printf (_ ("stage %d"), stage);
  node = add_node (r, NULL, name, _ ("folded"), TS_N_LANES, stage, TRUE, TS_PIPE_NONE);
  g_hash_table_insert (r->stage_nodes, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (node + 1));
  return node;
}

/* The node for an operation: its own, or the one that swallows it. */
static guint32
node_for (TsDagReader *r, const TsOp *op)
{
  gboolean known;
  TsPipe pipe = ts_op_pipe (op, r->input->backend, &known);
  TsLane lane = pipe < TS_N_PIPES ? ts_pipe_lane (pipe) : TS_N_LANES;
  gint32 stage = stage_of (r, op);
  g_autofree char *name = NULL;

  if (r->inside >= 0)
    return add_place (r, op->id, (guint32) r->inside);
  if (stage >= 0 && stage_is_folded (r, stage))
    return add_place (r, op->id, folded_stage_node (r, stage));
  name = op_name (r, op);
  return add_place (r, op->id,
                    add_node (r, op, name, lane < TS_N_LANES ? ts_lane_name (lane) : _ ("no unit"), lane, stage, FALSE, pipe));
}

/* --- edges
 * ------------------------------------------------------------------------------------------------------------------------- */

typedef struct { TsDagReader *r; guint32 node; } UseContext;

static void
add_edge (TsDagReader *r, gint32 from, guint32 to, const TsValue *value, gboolean carried)
{
  TsDagEdge edge = { .from = (guint32)from, .to = to, .label = "", .kind = TS_EDGE_VALUE, .carried = (guint8)carried, .route = -1 };

  if (from < 0 || (guint32) from == to)
    return;
  if (value != NULL)
    edge.label = ts_dag_keep (r, value_name (r, value));
  g_array_append_val (r->edges, edge);
}

static void
visit_use (TsValue *value, gpointer data)
{
  UseContext *context = data;
  TsDagReader *r = context->r;

  if (value->id < 0 || value->id >= r->input->module->n_values)
    return;
  for (guint k = 0; k < 2; k++)
    add_edge (r, r->makers[value->id].node[k], context->node, value, FALSE);
  if (value->kind == TS_VALUE_BLOCK_ARG && value->block != NULL && value->block->region->op != NULL)
    {
      TsDagCarriedUse use = { value, context->node };

      g_array_append_val (r->carried, use);
    }
}

static void
use_values (TsDagReader *r, const TsOp *op, guint32 node)
{
  UseContext context = { r, node };

  ts_op_foreach_use (op, visit_use, &context);
}

static void
set_maker (TsDagReader *r, const TsValue *value, gint32 a, gint32 b)
{
  if (value->id >= 0 && value->id < r->input->module->n_values)
    r->makers[value->id] = (TsDagMakers) { { a, a == b ? -1 : b } };
}

static TsDagMakers
makers_of (const TsDagReader *r, const TsExpr *expr)
{
  const TsValue *value = ts_expr_as_value (expr);

  if (value == NULL || value->id < 0 || value->id >= r->input->module->n_values)
    return (TsDagMakers) { { -1, -1 } };
  return r->makers[value->id];
}

/* --- regions
 * ----------------------------------------------------------------------------------------------------------------------- */

static gboolean read_block (TsDagReader *r, const TsBlock *block);

static char *
group_title (const TsDagReader *r, const TsOp *op)
{
  gint64 start, stop, step;

  switch (op->code)
    {
    case TS_OP_FOR:
      {
        const char *var = value_name (r, ts_for_var (op));

        if (ts_expr_fold_int (op->operands[TS_FOR_START], &start) && ts_expr_fold_int (op->operands[TS_FOR_STOP], &stop)
            && ts_expr_fold_int (op->operands[TS_FOR_STEP], &step))
          return g_strdup_printf (_ ("for %s in %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT " step %" G_GINT64_FORMAT), var, start,
                                  stop, step);
        return g_strdup_printf (_ ("for %s"), var);
      }
    case TS_OP_WHILE:
      return g_strdup (_ ("while"));
    case TS_OP_IF:
      return g_strdup (_ ("if"));
    default:
      return g_strdup (op->name != NULL && op->name[0] != '\0' ? op->name : _ ("scope"));
    }
}

static gint32
open_group (TsDagReader *r, const TsOp *op, const char *title, gint32 number)
{
  TsDagGroup group = { .title = ts_dag_keep (r, title), .parent = r->group, .op = op->id, .stage = -1, .number = number };

  g_array_append_val (r->groups, group);
  return (gint32) r->groups->len - 1;
}

typedef struct { gboolean any; TsDagReader *r; } MakerProbe;

static void
probe_use (TsValue *value, gpointer data)
{
  MakerProbe *probe = data;

  if (value->id >= 0 && value->id < probe->r->input->module->n_values && probe->r->makers[value->id].node[0] >= 0)
    probe->any = TRUE;
}

/* Bounds or a condition that something computes: a small node at the head of the group takes those edges. Initial values are passed
 * on to their users instead. */
static void
read_head (TsDagReader *r, const TsOp *op)
{
  guint n = op->code == TS_OP_FOR ? TS_FOR_INITS : op->code == TS_OP_WHILE ? 0 : op->n_operands;
  MakerProbe probe = { FALSE, r };
  UseContext context = { .r = r };

  for (guint i = 0; i < n; i++)
    ts_expr_foreach_value (op->operands[i], probe_use, &probe);
  if (!probe.any || r->inside >= 0)
    return;
  context.node = add_place (r, op->id, add_node (r, op, op->code == TS_OP_IF ? _ ("condition") : _ ("bounds"),
                                                 ts_lane_name (TS_LANE_SCALAR), TS_LANE_SCALAR, -1, FALSE, TS_PIPE_NONE));
  for (guint i = 0; i < n; i++)
    ts_expr_foreach_value (op->operands[i], visit_use, &context);
}

/* Carried values: inside, first what was passed in; the yield closes the circle and gives the results. */
static void
pass_in (TsDagReader *r, const TsOp *op)
{
  guint first = op->code == TS_OP_FOR ? TS_FOR_INITS : 0, skip = op->code == TS_OP_FOR ? 1 : 0;
  const TsBlock *body = ts_op_body (op, 0);

  if (op->code != TS_OP_FOR && op->code != TS_OP_WHILE)
    return;
  for (guint i = first; i < op->n_operands && i - first + skip < body->n_args; i++)
    {
      TsDagMakers makers = makers_of (r, op->operands[i]);

      set_maker (r, body->args[i - first + skip], makers.node[0], makers.node[1]);
    }
}

static void
pass_out (TsDagReader *r, const TsOp *op, guint region, guint first_use)
{
  const TsBlock *body = ts_op_body (op, region);
  const TsOp *yield = ts_block_yield (body);
  guint skip = op->code == TS_OP_FOR ? 1 : 0;

  for (guint i = 0; yield != NULL && i < yield->n_operands; i++)
    {
      TsDagMakers makers = makers_of (r, yield->operands[i]);

      if (i < op->n_results)
        {
          TsDagMakers before = region > 0 ? r->makers[op->results[i]->id] : makers;

          set_maker (r, op->results[i], before.node[0], region > 0 ? makers.node[0] : makers.node[1]);
        }
      if (op->code == TS_OP_IF || i + skip >= body->n_args)
        continue;
      for (guint k = first_use; k < r->carried->len; k++)
        {
          const TsDagCarriedUse *use = &g_array_index (r->carried, TsDagCarriedUse, k);

          if (use->value == body->args[i + skip])
            add_edge (r, makers.node[0], use->node, use->value, TRUE);
        }
    }
}

static guint
count_below (const TsOp *op)
{
  guint n = 0;

  for (guint i = 0; i < op->n_regions; i++)
    for (guint b = 0; b < op->regions[i].n_blocks; b++)
      for (const TsOp *inner = op->regions[i].blocks[b]->first; inner != NULL; inner = inner->next)
        n += 1 + count_below (inner);
  return n;
}

static gboolean
read_group (TsDagReader *r, const TsOp *op)
{
  gint32 outer = r->group, outer_inside = r->inside;
  guint first_use = r->carried->len;
  gboolean whole = TRUE;
  g_autofree char *title = group_title (r, op);

  if (r->inside < 0 && g_hash_table_contains (r->folded, GINT_TO_POINTER (op->id + 1)))
    {
      g_autofree char *unit = g_strdup_printf (_ ("%u operations"), count_below (op));

      r->inside = (gint32) add_node (r, op, title, unit, TS_N_LANES, -1, TRUE, TS_PIPE_NONE);
    }
  if (r->inside >= 0)
    {
      add_place (r, op->id, (guint32) r->inside);
      use_values (r, op, (guint32) r->inside);
    }
  else
    {
      r->group = open_group (r, op, title, 0);
      read_head (r, op);
    }
  pass_in (r, op);
  for (guint i = 0; i < op->n_regions && whole; i++)
    {
      gint32 around = r->group;

      if (op->code == TS_OP_IF && op->n_regions > 1 && r->inside < 0)
        r->group = open_group (r, op, i == 0 ? _ ("then") : _ ("else"), (gint32) i + 1);
      for (guint b = 0; b < op->regions[i].n_blocks && whole; b++)
        whole = read_block (r, op->regions[i].blocks[b]);
      r->group = around;
      if (whole)
        pass_out (r, op, i, first_use);
    }
  /* A result that nothing inside makes (or that a loop of no iterations leaves as it was) still comes from somewhere. */
  if (r->inside >= 0)
    for (guint i = 0; i < op->n_results; i++)
      set_maker (r, op->results[i], r->inside, -1);
  g_array_set_size (r->carried, first_use);
  r->group = outer;
  r->inside = outer_inside;
  return whole;
}

static gboolean
read_op (TsDagReader *r, const TsOp *op)
{
  guint32 node;

  if (++r->seen % CANCEL_STRIDE == 0 && g_cancellable_is_cancelled (r->cancellable))
    return FALSE;
  if (is_group (op))
    return read_group (r, op);
  if (ts_op_is_terminator (op) || op->code == TS_OP_COND)
    return TRUE;
  node = node_for (r, op);
  use_values (r, op, node);
  for (guint i = 0; i < op->n_results; i++)
    set_maker (r, op->results[i], (gint32) node, -1);
  return TRUE;
}

static gboolean
read_block (TsDagReader *r, const TsBlock *block)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    if (!read_op (r, op))
      return FALSE;
  return TRUE;
}

/* --- folding until it fits
 * ------------------------------------------------------------------------------------------------------------ */

typedef struct { gint32 op; guint size; guint depth; } Foldable;

static void
list_foldable (const TsBlock *block, guint depth, GArray *out, guint *total)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    {
      (*total)++;
      if (!is_group (op))
        continue;
      {
        Foldable entry = { op->id, count_below (op), depth };

        g_array_append_val (out, entry);
      }
      for (guint i = 0; i < op->n_regions; i++)
        for (guint b = 0; b < op->regions[i].n_blocks; b++)
          list_foldable (op->regions[i].blocks[b], depth + 1, out, total);
    }
}

static int
compare_foldable (gconstpointer a, gconstpointer b)
{
  const Foldable *x = a, *y = b;

  if (x->depth != y->depth)
    return x->depth > y->depth ? -1 : 1;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return x->op < y->op ? -1 : x->op > y->op;
}

/* Folds innermost loops, the largest first, until the rest is small enough. */
static void
fold_until_it_fits (TsDagReader *r, const TsBlock *block, guint max)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (Foldable));
  guint total = 0;

  list_foldable (block, 0, list, &total);
  if (total <= max)
    return;
  g_array_sort (list, compare_foldable);
  for (guint i = 0; i < list->len && total > max; i++)
    {
      const Foldable *entry = &g_array_index (list, Foldable, i);

      g_hash_table_add (r->folded, GINT_TO_POINTER (entry->op + 1));
      total -= MIN (total, entry->size);
    }
}

gboolean
ts_dag_build (TsDag *dag, const TsDagInput *input, TsMeasurer *measurer, GCancellable *cancellable)
{
  guint max = input->max_nodes > 0 ? input->max_nodes : DEFAULT_MAX_NODES;
  TsDagReader r = {
    .dag = dag, .input = input, .measurer = measurer, .cancellable = cancellable, .group = -1, .inside = -1,
    .nodes = g_array_new (FALSE, TRUE, sizeof (TsDagNode)), .edges = g_array_new (FALSE, TRUE, sizeof (TsDagEdge)),
    .groups = g_array_new (FALSE, TRUE, sizeof (TsDagGroup)), .places = g_array_new (FALSE, TRUE, sizeof (TsDagPlace)),
    .carried = g_array_new (FALSE, TRUE, sizeof (TsDagCarriedUse)),
    .makers = g_new (TsDagMakers, MAX (input->module->n_values, 1)),
    .folded = g_hash_table_new (NULL, NULL),
    .stage_nodes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
  };
  const TsRegion *body = &input->function->body;
  gboolean whole = TRUE;

  for (gint32 i = 0; i < input->module->n_values; i++)
    r.makers[i] = (TsDagMakers) { { -1, -1 } };
  for (guint i = 0; i < input->n_folded; i++)
    g_hash_table_add (r.folded, GINT_TO_POINTER (input->folded[i] + 1));
  if (input->block != NULL)
    {
      fold_until_it_fits (&r, input->block, max);
      whole = read_block (&r, input->block);
    }
  else
    for (guint b = 0; b < body->n_blocks && whole; b++)
      {
        fold_until_it_fits (&r, body->blocks[b], max);
        whole = read_block (&r, body->blocks[b]);
      }
  if (whole)
    ts_dag_trim (&r, max);
  g_array_unref (r.nodes);
  g_array_unref (r.edges);
  g_array_unref (r.groups);
  g_array_unref (r.places);
  g_array_unref (r.carried);
  g_free (r.makers);
  g_hash_table_unref (r.folded);
  g_hash_table_unref (r.stage_nodes);
  return whole;
}
