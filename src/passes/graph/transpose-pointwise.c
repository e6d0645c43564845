/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TransposePointwiseReorder: dot (op (trans (x))) becomes dot (trans (op (x))). Source: spec graph-optimize section 7. */
#include "passes/graph/candidates.h"
#include "passes/graph/edit.h"
#include "passes/graph/values.h"

#define MAX_CHAIN 4096

typedef struct
{
  guint     n_owners;
  TsOp     *dot;
  guint     operand;
  TsOp     *trans;
  GPtrArray *chain; /* from next to the transpose to next to the dot */
} Match;

extern const TsGraphRule ts_graph_transpose_pointwise;

static Match *
match_share (Match *match)
{
  match->n_owners++;
  return match;
}

static void
match_free (gpointer data)
{
  Match *match = data;

  if (match == NULL || --match->n_owners > 0)
    return;
  g_ptr_array_unref (match->chain);
  g_free (match);
}

static gboolean
is_cast (const TsOp *op)
{
  return op->code == TS_OP_ARITH_TRUNCF || op->code == TS_OP_ARITH_EXTF || op->code == TS_OP_ARITH_BITCAST;
}

static TsGraphReason
check_link (TsGraph *graph, const TsOp *op, const TsOp *dot)
{
  const TsType *from = ts_op_operand_type (op, 0);

  if (op->block != dot->block)
    return TS_GRAPH_DIFFERENT_BLOCKS;
  if (op->n_operands != 1 || op->n_results != 1 || op->n_regions > 0)
    return TS_GRAPH_OPERAND_COUNT;
  if (!ts_graph_is_pure (op))
    return TS_GRAPH_UNKNOWN_MEMORY_EFFECT;
  if (ts_graph_n_uses (graph->uses, op->results[0]) != 1)
    return TS_GRAPH_SEVERAL_USES;
  if (!ts_graph_is_plain_tensor (from) || !ts_graph_is_plain_tensor (op->results[0]->type))
    return ts_type_is (from, TS_TYPE_RANKED) && from->text != NULL ? TS_GRAPH_UNSUPPORTED_ENCODING : TS_GRAPH_DYNAMIC_SHAPE;
  if (!ts_graph_same_shape (from, op->results[0]->type) || (!is_cast (op) && !ts_type_equal (from, op->results[0]->type)))
    return TS_GRAPH_TYPE_CHANGE;
  return TS_GRAPH_PROVEN;
}

static TsGraphReason
check_trans (TsGraph *graph, const TsOp *trans, const TsOp *dot)
{
  TsPermutation order;

  if (trans->block != dot->block)
    return TS_GRAPH_DIFFERENT_BLOCKS;
  if (ts_graph_n_uses (graph->uses, trans->results[0]) != 1)
    return TS_GRAPH_SEVERAL_USES;
  if (!ts_graph_is_plain_tensor (ts_op_operand_type (trans, 0)) || !ts_graph_is_plain_tensor (trans->results[0]->type))
    return TS_GRAPH_UNSUPPORTED_ENCODING;
  if (!ts_permutation_from_order (trans, &order) || order.rank != trans->results[0]->type->rank)
    return TS_GRAPH_UNSUPPORTED_RANK;
  for (guint i = 0; i < order.rank; i++)
    if (ts_graph_extent (trans->results[0]->type, i) != ts_graph_extent (ts_op_operand_type (trans, 0), order.axes[i]))
      return TS_GRAPH_TYPE_CHANGE;
  return TS_GRAPH_PROVEN;
}

/* NULL: no match; *reason and *at say why. */
static Match *
match_operand (TsGraph *graph, TsOp *dot, guint operand, TsGraphReason *reason, const TsOp **at)
{
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  TsOp *op = ts_graph_def (dot->operands[operand]);
  Match *match;

  *at = dot;
  for (; op != NULL && (is_cast (op) || ts_graph_is_elementwise (op)) && chain->len < MAX_CHAIN;
       op = ts_graph_def (op->operands[0]))
    {
      *at = op;
      *reason = check_link (graph, op, dot);
      if (*reason != TS_GRAPH_PROVEN)
        return NULL;
      g_ptr_array_insert (chain, 0, op);
    }
  if (op != NULL)
    *at = op;
  *reason = TS_GRAPH_NOT_A_CHAIN;
  if (op == NULL || op->code != TS_OP_TT_TRANS)
    return NULL;
  *reason = chain->len == 0 ? TS_GRAPH_EMPTY_CHAIN : check_trans (graph, op, dot);
  if (*reason != TS_GRAPH_PROVEN)
    return NULL;
  match = g_new0 (Match, 1);
  *match = (Match) { 1, dot, operand, op, g_steal_pointer (&chain) };
  return match;
}

static gboolean
takes (const TsOp *op)
{
  return op->code == TS_OP_TT_DOT;
}

static gpointer
build_candidates (TsGraph *graph)
{
  static const TsGraphCandidateKind dots = { takes, match_free };

  return ts_graph_candidates_new (graph, &dots);
}

static void
find (TsGraph *graph, GPtrArray *plans)
{
  static const TsGraphAnalysis analysis = { build_candidates, (GDestroyNotify) ts_graph_candidates_free };
  TsGraphCandidates *candidates = ts_graph_analysis (graph, &analysis);
  const GPtrArray *list = ts_graph_candidates_refresh (candidates, graph);

  for (guint i = 0; i < list->len; i++)
    {
      TsGraphCandidate *dot = g_ptr_array_index (list, i);
      gboolean anew = ts_graph_candidate_judge (candidates, graph, dot);

      for (guint operand = 0; operand < 2 && anew; operand++)
        dot->found[operand] = match_operand (graph, dot->op, operand, &dot->reason[operand], &dot->at[operand]);
      if (anew)
        ts_graph_candidate_judged (graph, dot);
      for (guint operand = 0; operand < 2; operand++)
        if (dot->found[operand] != NULL)
          {
            Match *match = match_share (dot->found[operand]);

            ts_graph_add_plan (plans, &ts_graph_transpose_pointwise, dot->op, match->chain->len, match);
          }
        else if (graph->pass->steps != NULL)
          ts_graph_reject (graph, &ts_graph_transpose_pointwise, dot->op, operand, dot->reason[operand], dot->at[operand]);
    }
}

static gboolean
revalidate (TsGraph *graph, const TsGraphPlan *plan)
{
  const Match *old = plan->data;
  TsGraphReason reason;
  const TsOp *at;
  Match *again = match_operand (graph, old->dot, old->operand, &reason, &at);
  gboolean same = again != NULL && again->trans == old->trans && again->chain->len == old->chain->len;

  for (guint i = 0; same && i < old->chain->len; i++)
    same = g_ptr_array_index (again->chain, i) == g_ptr_array_index (old->chain, i);
  match_free (again);
  return same;
}

static gboolean
apply (TsGraph *graph, const TsGraphPlan *plan)
{
  const Match *match = plan->data;
  const TsType *target = ts_op_operand_type (match->dot, match->operand);
  TsExpr *x = match->trans->operands[0];
  TsGraphEdit edit;
  TsOp *trans;

  ts_graph_edit_begin (&edit, graph);
  for (guint i = 0; i < match->chain->len; i++)
    {
      const TsOp *op = g_ptr_array_index (match->chain, i);
      const TsType *from = ts_graph_type_of (x);
      const TsType *type = from;

      if (from != NULL && is_cast (op))
        {
          gint64 shape[TS_GRAPH_MAX_RANK];

          for (guint k = 0; k < from->rank && k < TS_GRAPH_MAX_RANK; k++)
            shape[k] = ts_graph_extent (from, k);
          type = ts_graph_tensor_type (graph->module, shape, from->rank, op->results[0]->type->elems[0]);
        }
      x = ts_graph_result (&edit, ts_graph_create_like (&edit, match->trans, op, &x, type));
    }
  trans = ts_graph_create_like (&edit, match->trans, match->trans, &x, target);
  ts_graph_edit_switch (&edit, ts_graph_operand (match->dot, match->operand), ts_graph_result (&edit, trans));
  for (guint i = match->chain->len; i-- > 0;)
    ts_graph_edit_erase (&edit, g_ptr_array_index (match->chain, i));
  ts_graph_edit_erase (&edit, match->trans);
  return ts_graph_edit_commit (&edit);
}

static void
append_type (GString *out, const TsType *type)
{
  for (guint i = 0; i < type->rank; i++)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "x", ts_graph_extent (type, i));
  g_string_append (out, ts_dtype_ttir_name ((TsDtype) type->dtype));
}

static void
describe (const TsGraphPlan *plan, GString *out)
{
  const Match *match = plan->data;
  TsPermutation order = { 0 };

  ts_permutation_from_order (match->trans, &order);
  g_string_append_printf (out, " operand=%c order=", match->operand == 0 ? 'A' : 'B');
  ts_permutation_append (&order, out);
  g_string_append_printf (out, " unary-count=%u unary-ops=[", match->chain->len);
  for (guint i = 0; i < match->chain->len; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? "," : "", ((const TsOp *) g_ptr_array_index (match->chain, i))->name);
  g_string_append (out, "] source-type=");
  append_type (out, ts_op_operand_type (match->trans, 0));
  g_string_append (out, " result-type=");
  append_type (out, ((const TsOp *) g_ptr_array_index (match->chain, match->chain->len - 1))->results[0]->type);
  g_string_append_printf (out, " created=%u erased=%u", match->chain->len + 1, match->chain->len + 1);
}

static void
members (const TsGraphPlan *plan, GPtrArray *ops)
{
  g_ptr_array_add (ops, ((const Match *) plan->data)->dot);
}

static guint
part (const TsGraphPlan *plan)
{
  return ((const Match *) plan->data)->operand;
}

const TsGraphRule ts_graph_transpose_pointwise = {
  .bit = 2,
  .name = "TransposePointwiseReorder",
  .candidates = "dots",
  .takes = takes,
  .n_parts = 2,
  .members = members,
  .part = part,
  .find = find,
  .revalidate = revalidate,
  .apply = apply,
  .describe = describe,
  .free_data = match_free,
};
