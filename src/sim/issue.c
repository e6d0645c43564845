/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a statement to one instruction: the bytes it touches, its windows of global memory, its scalar operands, its cost. */
#include "sim/execute-private.h"

#include "base/limits.h"

#define WINDOW_LIMIT ((gint64) 1 << 60)
#define CELLS_ON_STACK 16u

/* --- the pieces --------------------------------------------------------------------------------------------------------- */

void
exec_add_access (Exec *x, const Cell *tile, guint access)
{
  TsAccess a = { .buffer = tile->ref, .access = (guint8) access, .begin = tile->begin, .end = tile->end };

  if (tile->kind != CELL_TILE)
    return;
  /* The same bytes read and written by one instruction are one access (as far as one looks at a reasonable number of operands). */
  for (guint i = 0; i < x->accesses->len && i < 64; i++)
    {
      TsAccess *b = &g_array_index (x->accesses, TsAccess, i);
      if (b->buffer == a.buffer && b->begin == a.begin && b->end == a.end)
        {
          b->access |= a.access;
          return;
        }
    }
  g_array_append_val (x->accesses, a);
}

gint32
exec_iteration (Exec *x)
{
  guint n = x->loops->len, from = n;

  while (from > 0 && g_array_index (x->loops, LoopFrame, from - 1).iteration < 0)
    from--;
  for (guint k = from; k < n; k++)
    {
      LoopFrame *frame = &g_array_index (x->loops, LoopFrame, k);
      TsIteration it = { .parent = k > 0 ? g_array_index (x->loops, LoopFrame, k - 1).iteration : -1, .loop = frame->loop,
                         .index = frame->index };
      frame->iteration = ts_stream_builder_add_iteration (x->builder, &it);
    }
  return n > 0 ? g_array_index (x->loops, LoopFrame, n - 1).iteration : -1;
}

gint32
exec_site (Exec *x, Node *node)
{
  const TsOp *op = node->op;

  if (node->site >= 0)
    return node->site;
  TsSite site = { .statement = op->id, .function = x->function->id, .line = ts_module_line (x->module, op->span),
                  .name = op->name != NULL && *op->name != '\0' ? op->name : "assign",
                  .result = op->n_results > 0 ? op->results[0]->hint : NULL,
                  .loop = x->loops->len > 0 ? g_array_index (x->loops, LoopFrame, x->loops->len - 1).loop : -1,
                  .pipe = node->pipe, .core = (guint8) x->core, .sync = (guint8) exec_sync (op),
                  .code_known = op->code != TS_OP_UNKNOWN };
  TsFunction *function = ts_op_function (op);
  if (function != NULL)
    site.function = function->id;
  node->site = ts_stream_builder_add_site (x->builder, &site, node->stages, node->n_stages);
  return node->site;
}

static void
add_scalars (Exec *x, GArray *from)
{
  for (guint i = 0; i < from->len; i++)
    {
      gint32 k = g_array_index (from, gint32, i);
      gboolean seen = FALSE;
      for (guint j = i > 32 ? i - 32 : 0; j < i && !seen; j++)
        seen = g_array_index (from, gint32, j) == k;
      if (!seen)
        ts_stream_builder_scalar (x->builder, k);
    }
}

gboolean
exec_emit (Exec *x, Node *node, gint32 cost)
{
  gint32 list = ts_stream_builder_access_list (x->builder, (const TsAccess *) (gpointer) x->accesses->data, x->accesses->len);

  if (ts_stream_builder_core (x->builder)->n >= x->limit
      || !ts_stream_builder_emit (x->builder, exec_site (x, node), exec_iteration (x), cost, list))
    {
      exec_cut (x, FALSE);
      return FALSE;
    }
  g_array_append_vals (x->scalars, x->pending->data, x->pending->len);
  add_scalars (x, x->scalars);
  g_array_set_size (x->pending, 0);
  return TRUE;
}

/* Sizes and prices that were held at a limit are said to be: the figures that follow from them are none. */
static void
note_limits (Exec *x, const Node *node, const TsWork *work, const TsCost *cost)
{
  gint64 sizes[] = { work->rows, work->row_bytes, work->bytes, work->m, work->n, work->k, exec_ttir_most_bytes (node) };
  gint64 most = 0;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    most = MAX (most, sizes[i]);
  if (most >= TS_SIZE_LIMIT || MAX (cost->occupancy, cost->latency) >= TS_COST_LIMIT)
    exec_note (x, (const char *) node->op + 3, TS_SEVERITY_WARNING, "size-limit", node->op,
               "%s is larger than what can be counted: it is taken as %" G_GINT64_FORMAT " cycles, and figures that depend on it "
               "mean nothing", node->op->name != NULL ? node->op->name : "this operation", cost->latency);
}

gint32
exec_cost (Exec *x, Node *node)
{
  TsWork work;
  TsCost cost;

  if (node->fixed && node->cost >= 0)
    return node->cost;
  /* Shapes may mention scalars; they are no operands. */
  guint scalars = x->scalars->len;
  exec_work (x, node, &work);
  g_array_set_size (x->scalars, scalars);
  cost = ts_machine_cost (x->machine, &work);
  cost.occupancy = MAX (cost.occupancy, 0);
  cost.latency = MAX (cost.latency, 0);
  cost.transfer = MAX (cost.transfer, 0);
  note_limits (x, node, &work, &cost);
  node->cost = ts_stream_builder_cost (x->builder, &cost);
  return node->cost;
}

/* --- windows ------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  TsWindowShape shape;
  gint64        offsets[TS_MAX_WINDOW_RANK];
} Window;

static void
window_of (Exec *x, const Cell *tensor, guint access, const TsExpr *offsets, const gint64 *extent, guint rank, Window *w)
{
  gboolean exact = !tensor->whole && rank > 0 && rank <= TS_MAX_WINDOW_RANK && exec_list_length (offsets) == rank
                   && x->gm_alias != TS_GM_ALIAS_TENSOR;

  *w = (Window) { .shape = { .tensor = tensor->ref, .access = (guint8) access } };
  for (guint d = 0; d < rank && exact; d++)
    {
      exact = exec_place (x, exec_list_item (offsets, d), &w->offsets[d]) && ABS (w->offsets[d]) < WINDOW_LIMIT
              && extent[d] < WINDOW_LIMIT && w->offsets[d] > -WINDOW_LIMIT;
      w->shape.extent[d] = extent[d];
    }
  if (exact)
    w->shape.rank = (guint8) rank;
}

static void
add_window (Exec *x, Window *w)
{
  ts_stream_builder_window (x->builder, ts_stream_builder_window_shape (x->builder, &w->shape), w->offsets);
}

static guint
extents_of_list (Exec *x, const TsExpr *list, gint64 *extent)
{
  guint n = exec_list_length (list);

  for (guint d = 0; d < n && d < TS_MAX_WINDOW_RANK; d++)
    if (!exec_item_int (x, list, d, &extent[d]) || extent[d] < 0)
      return 0;
  return n <= TS_MAX_WINDOW_RANK ? n : 0;
}

/* The window of operand `i`, a tensor. Loads and stores say where; everything else may touch it all. */
static void
operand_window (Exec *x, const Node *node, guint i, const Cell *tensor, guint access, Window *w)
{
  const TsOp *op = node->op;
  gint64 extent[TS_MAX_RANK] = { 0 };
  guint rank = 0, saved = x->scalars->len;
  const TsExpr *offsets = op->n_operands > 1 ? op->operands[1] : NULL;

  if (op->code == TS_OP_TILE_LOAD && i == 0 && op->n_operands > 2)
    rank = extents_of_list (x, op->operands[2], extent);
  else if (op->code == TS_OP_TILE_STORE && i == 2 && op->n_operands > 3)
    rank = extents_of_list (x, op->operands[3], extent);
  else if (op->code == TS_OP_TILE_STORE && i == 2 && ts_expr_as_value (op->operands[0]) != NULL)
    {
      const TsType *type = ts_expr_as_value (op->operands[0])->type;
      if (!ts_type_is_tile (type) || type->rank > TS_MAX_WINDOW_RANK || !exec_dims (x, type, TRUE, extent, &rank))
        rank = 0;
    }
  else if ((op->code == TS_OP_TENSOR_READ || op->code == TS_OP_TENSOR_WRITE) && i == 0)
    {
      rank = exec_list_length (offsets);
      for (guint d = 0; d < rank && d < TS_MAX_RANK; d++)
        extent[d] = 1;
    }
  window_of (x, tensor, access, offsets, extent, rank, w);
  g_array_set_size (x->scalars, saved); /* the offsets were looked at as operands already */
}

/* --- operands and results ----------------------------------------------------------------------------------------------- */

typedef struct
{
  Node   *node;
  Cell   *cells; /* per operand */
  gint    shared; /* argument that the result is, -1 */
  Window  windows[4];
  guint   n_windows;
} Issue;

static void
touch_tensor (Exec *x, Issue *issue, guint i, const Cell *tensor)
{
  const Node *node = issue->node;
  guint access = TS_ACCESS_READ;

  if (issue->n_windows >= G_N_ELEMENTS (issue->windows))
    return;
  if ((gint) i == issue->shared || (node->op->code == TS_OP_TENSOR_WRITE && i == 0))
    access = ts_op_keyword (node->op, "atomic") != NULL ? TS_ACCESS_READ | TS_ACCESS_WRITE : TS_ACCESS_WRITE;
  if (node->op->code == TS_OP_UNKNOWN)
    access = TS_ACCESS_READ | TS_ACCESS_WRITE;
  operand_window (x, node, i, tensor, access, &issue->windows[issue->n_windows++]);
}

static void
touch_operand (Exec *x, Issue *issue, guint i, const Cell *cell)
{
  const Node *node = issue->node;
  guint access = TS_ACCESS_READ;

  if (cell->kind == CELL_TENSOR)
    touch_tensor (x, issue, i, cell);
  if (cell->kind == CELL_TUPLE)
    for (gint32 k = 0; k < cell->ref; k++)
      touch_operand (x, issue, i, &cell->items[k]);
  if (cell->kind != CELL_TILE)
    return;
  if ((gint) i == node->scratch)
    access = TS_ACCESS_WRITE;
  if ((gint) i == issue->shared || ((node->info->flags & TS_OPF_WRITES_ARG0) != 0 && i == 0))
    access = TS_ACCESS_READ | TS_ACCESS_WRITE;
  exec_add_access (x, cell, access);
}

static void
evaluate_operands (Exec *x, Issue *issue)
{
  const TsOp *op = issue->node->op;

  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsExpr *e = op->operands[i];
      issue->cells[i] = exec_operand (x, e);
      /* Entries of a list are operands too: several tiles of a concat, offsets. */
      for (guint k = 0; e != NULL && e->kind == TS_EXPR_LIST && k < e->n; k++)
        if (ts_expr_as_value (e->list[k]) != NULL)
          touch_operand (x, issue, i, exec_cell (x, e->list[k]->value));
      touch_operand (x, issue, i, &issue->cells[i]);
    }
  for (guint i = 0; i < op->n_keywords; i++)
    if (op->keywords[i].value->has_values)
      exec_operand (x, op->keywords[i].value);
}

/* A tuple of tiles has a buffer for each. */
static Cell
tuple_result (Exec *x, Node *node, const TsType *type)
{
  const TsOp *op = node->op;
  Cell cell = { .kind = CELL_TUPLE, .ref = (gint32) MIN (type->n_elems, 1024), .producer = -1, .channel = -1 };

  if (node->items == NULL)
    {
      node->items = ts_arena_array (x->arena, Cell, cell.ref);
      for (gint32 k = 0; k < cell.ref; k++)
        {
          gint32 buffer = -1;
          if (ts_type_is_tile (type->elems[k]))
            node->items[k] = exec_fresh_tile (x, type->elems[k], op, op->results[0]->hint, &buffer);
          else
            node->items[k] = (Cell) { .kind = CELL_SCALAR, .producer = -1, .channel = -1 };
        }
    }
  for (gint32 k = 0; k < cell.ref; k++)
    exec_add_access (x, &node->items[k], TS_ACCESS_WRITE);
  cell.items = node->items;
  return cell;
}

static Cell
make_result (Exec *x, Issue *issue)
{
  Node *node = issue->node;
  const TsOp *op = node->op;
  const TsType *type = op->results[0]->type;
  Cell cell = { .kind = CELL_OTHER, .producer = -1, .channel = -1 };

  if (issue->shared >= 0 && (guint) issue->shared < op->n_operands)
    {
      cell = issue->cells[issue->shared];
      if (cell.kind == CELL_TILE || cell.kind == CELL_TENSOR)
        return cell;
    }
  if (ts_type_is_tensor (type) && op->n_operands > 0 && issue->cells[0].kind == CELL_TENSOR)
    return issue->cells[0];
  if (ts_type_is_tensor (type))
    return *exec_cell (x, op->results[0]);
  if (ts_type_is_tile (type))
    {
      cell = exec_fresh_tile (x, type, op, op->results[0]->hint, &node->buffer);
      exec_add_access (x, &cell, TS_ACCESS_WRITE);
      return cell;
    }
  if (ts_type_is (type, TS_TYPE_TUPLE))
    return tuple_result (x, node, type);
  if (ts_type_is_scalar (type) || type == NULL)
    cell.kind = CELL_SCALAR;
  return cell;
}

Flow
exec_issue (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  Cell on_stack[CELLS_ON_STACK];
  g_autofree Cell *on_heap = op->n_operands > CELLS_ON_STACK ? g_new (Cell, op->n_operands) : NULL;
  Issue issue = { .node = node, .cells = on_heap != NULL ? on_heap : on_stack, .shared = ts_op_shared_argument (op) };
  Cell result = { .kind = CELL_NONE };

  evaluate_operands (x, &issue);
  if (op->n_results > 0)
    result = make_result (x, &issue);
  if (!exec_emit (x, node, exec_cost (x, node)))
    return FLOW_STOP;
  for (guint i = 0; i < issue.n_windows; i++)
    add_window (x, &issue.windows[i]);
  if (result.kind == CELL_SCALAR)
    result.producer = (gint32) ts_stream_builder_length (x->builder) - 1;
  if (op->n_results > 0)
    exec_set (x, op->results[0], &result);
  return FLOW_NEXT;
}
