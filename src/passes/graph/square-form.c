/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The early form of LoadStoreTranspose: a load and a store of row-major squares get column-major lanes. A proof of mechanism that
 * gains nothing, run instead of the other form when the option square-form asks for it. Source: spec graph-optimize 6.4. */
#include "passes/graph/edit.h"
#include "passes/graph/interval.h"

#include "base/number.h"

extern const TsGraphRule ts_graph_square_form;

#define MAX_CHAIN 4096

typedef struct
{
  TsOp   *load, *store;
  guint   chain; /* element-wise operations between */
  gint64  n;     /* the squares are n x n */
  const TsOp *load_pointer, *store_pointer;
} Square;

typedef struct
{
  TsGraph      *graph;
  TsGraphReason reason;
  const TsOp   *at;
} Matcher;

static gboolean
refuse (Matcher *m, TsGraphReason reason, const TsOp *at)
{
  m->reason = reason;
  m->at = at;
  return FALSE;
}

/* --- chain ----------------------------------------------------------------------------------------------------------------- */

static gboolean
check_link (Matcher *m, const TsOp *op, const TsOp *load)
{
  const TsType *type = load->results[0]->type;

  if (op->block != load->block)
    return refuse (m, TS_GRAPH_DIFFERENT_BLOCKS, op);
  if (!ts_graph_is_elementwise (op) || !ts_graph_is_pure (op) || op->n_regions > 0 || op->n_results != 1)
    return refuse (m, TS_GRAPH_NOT_A_CHAIN, op);
  if (op->n_operands != 1)
    return refuse (m, TS_GRAPH_OPERAND_COUNT, op);
  return ts_type_equal (op->results[0]->type, type) || refuse (m, TS_GRAPH_TYPE_CHANGE, op);
}

/* Follows the loaded value through its only users to the store. */
static gboolean
follow_chain (Matcher *m, TsOp *load, Square *out)
{
  const TsValue *value = load->results[0];

  for (out->chain = 0; out->chain < MAX_CHAIN; out->chain++)
    {
      guint n;
      TsOp *const *users = ts_graph_users (m->graph->uses, value, &n);

      if (n == 0)
        return refuse (m, TS_GRAPH_NO_DATA_PATH, value->def);
      if (n > 1 || ts_graph_n_uses (m->graph->uses, value) > 1)
        return refuse (m, TS_GRAPH_SEVERAL_USES, value->def);
      if (users[0]->code == TS_OP_TT_STORE && ts_graph_operand (users[0], 1) == value)
        {
          out->store = users[0];
          if (out->store->block != load->block)
            return refuse (m, TS_GRAPH_DIFFERENT_BLOCKS, out->store);
          return out->chain > 0 || refuse (m, TS_GRAPH_EMPTY_CHAIN, out->store);
        }
      if (!check_link (m, users[0], load))
        return FALSE;
      value = users[0]->results[0];
    }
  return refuse (m, TS_GRAPH_NOT_A_CHAIN, load);
}

/* --- pointers -------------------------------------------------------------------------------------------------------------- */

static gboolean
check_square (Matcher *m, const TsOp *access)
{
  const TsType *type = ts_op_operand_type (access, 0);

  if (!ts_type_is (type, TS_TYPE_RANKED) || type->rank != 2)
    return refuse (m, TS_GRAPH_UNSUPPORTED_RANK, access);
  if (!ts_graph_is_plain_tensor (type))
    return refuse (m, type->text != NULL ? TS_GRAPH_UNSUPPORTED_ENCODING : TS_GRAPH_DYNAMIC_SHAPE, access);
  if (ts_graph_extent (type, 0) != ts_graph_extent (type, 1) || ts_graph_extent (type, 0) < 2)
    return refuse (m, TS_GRAPH_NOT_SQUARE, access);
  return TRUE;
}

/* Section 5.2: in ascending order each stride exceeds what the axes before it reach. */
static TsGraphReason
injective (const TsStaticLanes *lanes)
{
  guint low = lanes->axes[0].stride < lanes->axes[1].stride ? 0 : 1;
  const TsStaticAxis *inner = &lanes->axes[low], *outer = &lanes->axes[1 - low];
  gint64 reach = ts_mul_sat (inner->end - inner->start - 1, inner->stride), all;

  if (inner->stride == outer->stride)
    return TS_GRAPH_DUPLICATE_STRIDE;
  if (outer->stride <= reach)
    return TS_GRAPH_NON_INJECTIVE_LANES;
  all = ts_add_sat (reach, ts_mul_sat (outer->end - outer->start - 1, outer->stride));
  return all > G_MAXINT32 ? TS_GRAPH_OFFSET_OVERFLOW : TS_GRAPH_PROVEN;
}

/* Every operation that builds the pointer, from the addptr to the ranges, stands in the access's block. */
static gboolean
check_block (Matcher *m, const TsOp *op, const TsOp *access, const TsValue *base)
{
  if (op == NULL)
    return TRUE;
  if (op->block != access->block)
    return refuse (m, TS_GRAPH_DIFFERENT_BLOCKS, op);
  for (guint i = 0; i < op->n_operands; i++)
    if (ts_graph_operand (op, i) != base && !check_block (m, ts_graph_def (op->operands[i]), access, base))
      return FALSE;
  return TRUE;
}

static gboolean
check_access (Matcher *m, const TsOp *access, TsStaticLanes *lanes)
{
  TsGraphReason reason = ts_static_attributes (access);

  m->at = access;
  if (reason != TS_GRAPH_PROVEN)
    return refuse (m, reason, access);
  if (!check_square (m, access))
    return FALSE;
  reason = ts_static_lanes (access->operands[0], lanes, &m->at);
  if (reason == TS_GRAPH_PROVEN && (lanes->axes[0].start != 0 || lanes->axes[1].start != 0))
    reason = TS_GRAPH_INVALID_MAKE_RANGE;
  if (reason == TS_GRAPH_PROVEN)
    reason = injective (lanes);
  if (reason == TS_GRAPH_PROVEN && (lanes->axes[1].stride != 1 || lanes->axes[0].stride != lanes->axes[0].end))
    reason = TS_GRAPH_NON_ROW_MAJOR;
  if (reason != TS_GRAPH_PROVEN)
    return refuse (m, reason, m->at);
  return check_block (m, lanes->addptr, access, lanes->base);
}

/* The two accesses build their addresses each for itself. */
static gboolean
check_apart (Matcher *m, const TsOp *store, const TsStaticLanes *a, const TsStaticLanes *b)
{
  if (a->addptr == b->addptr || ts_graph_operand (a->addptr, 1) == ts_graph_operand (b->addptr, 1))
    return refuse (m, TS_GRAPH_SHARED_POINTER, store);
  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < 2; k++)
      if (a->axes[i].range == b->axes[k].range)
        return refuse (m, TS_GRAPH_DUPLICATE_RANGE_SOURCE, store);
  if (!ts_type_equal (a->addptr->results[0]->type, b->addptr->results[0]->type))
    return refuse (m, TS_GRAPH_UNSUPPORTED_POINTER_TYPE, store);
  return TRUE;
}

static gboolean
check_interval (Matcher *m, const Square *square)
{
  TsGraphReason reason = ts_graph_interval (square->load, square->store, &m->at);

  if (reason != TS_GRAPH_PROVEN)
    return refuse (m, reason, m->at);
  for (const TsOp *op = square->load->next; op != NULL && op != square->store; op = op->next)
    if (op->code == TS_OP_TT_TRANS)
      return refuse (m, TS_GRAPH_INTERVENING_TRANSPOSE, op);
  return TRUE;
}

static gboolean
match (Matcher *m, TsOp *load, Square *out)
{
  TsStaticLanes from, to;

  out->load = load;
  if (!check_access (m, load, &from) || !follow_chain (m, load, out) || !check_access (m, out->store, &to)
      || !check_apart (m, out->store, &from, &to) || !check_interval (m, out))
    return FALSE;
  out->n = from.axes[0].end;
  out->load_pointer = from.addptr;
  out->store_pointer = to.addptr;
  return TRUE;
}

/* --- rewrite --------------------------------------------------------------------------------------------------------------- */

/* One term: the lane of a new axis, which walks what the other axis walked, times that axis's stride. */
static TsExpr *
make_term (TsGraphEdit *edit, TsOp *anchor, const Square *square, guint axis, const TsOp *from)
{
  const gint64 shape[] = { square->n, square->n };
  gint64 stride = axis == 0 ? 1 : square->n;
  const TsType *i32 = ts_type_scalar (edit->module, TS_DTYPE_INT32);
  TsExpr *range = ts_graph_make_range (edit, anchor, 0, square->n, from);
  TsExpr *lane = ts_graph_make_expand_dims (edit, anchor, range, 1 - axis, from);
  const TsType *type = ts_graph_type_of (lane);
  TsExpr *factor = ts_graph_make_constant (edit, anchor, stride, TS_DTYPE_INT32, from);
  TsExpr *splat = ts_graph_make_unary (edit, anchor, TS_OP_TT_SPLAT, factor, type, from);
  TsExpr *scaled = ts_graph_make_binary (edit, anchor, TS_OP_ARITH_MULI, lane, splat, type, from);

  return ts_graph_make_broadcast (edit, anchor, scaled, ts_graph_tensor_type (edit->module, shape, 2, i32), from);
}

static TsExpr *
make_pointer (TsGraphEdit *edit, TsOp *access, const Square *square, const TsOp *from)
{
  const TsOp *old_splat = ts_graph_def (from->operands[0]);
  const TsType *pointers = from->results[0]->type;
  TsExpr *rows = make_term (edit, access, square, 0, from), *columns = make_term (edit, access, square, 1, from);
  TsExpr *offset = ts_graph_make_binary (edit, access, TS_OP_ARITH_ADDI, rows, columns, ts_graph_type_of (rows), from);
  TsExpr *base = ts_graph_make_unary (edit, access, TS_OP_TT_SPLAT, old_splat->operands[0], pointers, from);

  return ts_graph_make_binary (edit, access, TS_OP_TT_ADDPTR, base, offset, pointers, from);
}

/* The new pointer reaches the same square, one column after the other. */
static void
prove_again (TsGraphEdit *edit, const TsExpr *pointer, const TsOp *old, gint64 n)
{
  TsStaticLanes lanes;
  const TsOp *at;

  if (edit->failed)
    return;
  if (ts_static_lanes (pointer, &lanes, &at) != TS_GRAPH_PROVEN || injective (&lanes) != TS_GRAPH_PROVEN
      || lanes.base != ts_graph_operand (ts_graph_def (old->operands[0]), 0) || lanes.axes[0].stride != 1
      || lanes.axes[1].stride != n)
    ts_graph_edit_fail (edit, "the new pointer does not prove to reach the same square");
}

static gboolean
rewrite (TsGraph *graph, const Square *square)
{
  TsGraphEdit edit;
  TsExpr *from, *to;

  ts_graph_edit_begin (&edit, graph);
  from = make_pointer (&edit, square->load, square, square->load_pointer);
  to = make_pointer (&edit, square->store, square, square->store_pointer);
  prove_again (&edit, from, square->load_pointer, square->n);
  prove_again (&edit, to, square->store_pointer, square->n);
  ts_graph_edit_set_operand (&edit, square->load, 0, from);
  ts_graph_edit_set_operand (&edit, square->store, 0, to);
  return ts_graph_edit_commit (&edit);
}

/* --- rule ------------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  TsGraph   *graph;
  GPtrArray *plans;
} Finder;

static gboolean
find_load (TsOp *op, gpointer data)
{
  Finder *finder = data;
  Matcher m = { finder->graph, TS_GRAPH_PROVEN, NULL };
  Square square = { 0 };

  if (op->code != TS_OP_TT_LOAD)
    return TRUE;
  if (match (&m, op, &square))
    ts_graph_add_plan (finder->plans, &ts_graph_square_form, op, 1, g_memdup2 (&square, sizeof square));
  else
    ts_graph_reject (finder->graph, &ts_graph_square_form, op, 0, m.reason, m.at);
  return TRUE;
}

static void
find (TsGraph *graph, GPtrArray *plans)
{
  Finder finder = { graph, plans };

  ts_region_walk (&graph->function->body, find_load, &finder);
}

static gboolean
revalidate (TsGraph *graph, const TsGraphPlan *plan)
{
  const Square *old = plan->data;
  Matcher m = { graph, TS_GRAPH_PROVEN, NULL };
  Square again = { 0 };

  return match (&m, old->load, &again) && again.store == old->store && again.chain == old->chain
         && again.load_pointer == old->load_pointer && again.store_pointer == old->store_pointer;
}

static gboolean
apply (TsGraph *graph, const TsGraphPlan *plan)
{
  return rewrite (graph, plan->data);
}

static void
describe (const TsGraphPlan *plan, GString *out)
{
  const Square *square = plan->data;

  g_string_append_printf (out, " scope=square rank=2 permutation=[1,0] endpoints=2 extent=%" G_GINT64_FORMAT " closure-ops=%u",
                          square->n, square->chain);
}

static gboolean
takes (const TsOp *op)
{
  return op->code == TS_OP_TT_LOAD || op->code == TS_OP_TT_STORE;
}

static void
members (const TsGraphPlan *plan, GPtrArray *ops)
{
  const Square *square = plan->data;

  g_ptr_array_add (ops, square->load);
  g_ptr_array_add (ops, square->store);
}

const TsGraphRule ts_graph_square_form = {
  .bit = 1,
  .name = "LoadStoreTranspose",
  .candidates = "loads and stores",
  .takes = takes,
  .members = members,
  .find = find,
  .revalidate = revalidate,
  .apply = apply,
  .describe = describe,
  .free_data = g_free,
};
