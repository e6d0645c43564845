/* SPDX-License-Identifier: GPL-3.0-or-later */
/* StoreCoalescing: stores to adjacent intervals of one buffer become one store at the last of them. Source: spec graph-optimize
 * section 8. */
#include <string.h>

#include "passes/graph/candidates.h"
#include "passes/graph/edit.h"
#include "passes/graph/static-access.h"

extern const TsGraphRule ts_graph_store_coalescing;

typedef struct
{
  TsOp          *op;
  TsStaticAccess access;
  guint          order; /* program order */
  guint          hash;  /* of the bucket */
} Store;

typedef struct
{
  GArray  *stores;  /* Store, in address order */
  TsOp    *anchor;  /* last in program order */
  guint32  capacity;
  gint64   elements, element_bytes;
} Run;

static void
run_free (gpointer data)
{
  Run *run = data;

  g_array_unref (run->stores);
  g_free (run);
}

/* --- candidates ------------------------------------------------------------------------------------------------------------ */

/* Stores of one bucket have one hash: of what same_bucket() compares by identity or name. */
static guint
bucket_hash (const Store *store)
{
  guint hash = g_direct_hash (store->op->block) * 31u + g_direct_hash (store->access.base);

  hash = hash * 31u + g_direct_hash (store->access.origin);
  hash = hash * 31u + (guint) ts_op_operand_type (store->op, 1)->dtype;
  for (guint i = 0; i < store->op->n_attrs; i++)
    hash = hash * 31u + g_str_hash (store->op->attrs[i].key);
  return hash;
}

static TsGraphReason
check_store (TsOp *op, Store *store, const TsOp **at)
{
  const TsType *value = ts_op_operand_type (op, 1);
  guint bits;
  TsGraphReason reason;

  *at = op;
  if (!ts_graph_is_plain_tensor (value))
    return ts_type_is (value, TS_TYPE_RANKED) && value->text != NULL ? TS_GRAPH_UNSUPPORTED_ENCODING : TS_GRAPH_DYNAMIC_SHAPE;
  bits = value->elems[0]->kind == TS_TYPE_SCALAR ? ts_dtype_bits ((TsDtype) value->dtype) : 0;
  if (bits == 0 || bits % 8 != 0 || value->dtype == TS_DTYPE_BOOL || value->dtype == TS_DTYPE_INDEX)
    return TS_GRAPH_UNSUPPORTED_ELEMENT;
  store->op = op;
  reason = ts_static_access (op, &store->access, at);
  if (reason == TS_GRAPH_PROVEN)
    store->hash = bucket_hash (store);
  if (reason == TS_GRAPH_PROVEN && store->access.last - store->access.first + 1 != store->access.count)
    return TS_GRAPH_NON_ROW_MAJOR;
  return reason;
}

static guint
hash_bucket (gconstpointer store)
{
  return ((const Store *) store)->hash;
}

static gboolean
same_bucket (gconstpointer x, gconstpointer y)
{
  const Store *a = x, *b = y;

  if (a->op->block != b->op->block || a->access.base != b->access.base || a->access.origin != b->access.origin
      || !ts_type_equal (ts_op_operand_type (a->op, 1)->elems[0], ts_op_operand_type (b->op, 1)->elems[0])
      || a->op->n_attrs != b->op->n_attrs)
    return FALSE;
  for (guint i = 0; i < a->op->n_attrs; i++)
    if (strcmp (a->op->attrs[i].key, b->op->attrs[i].key) != 0 || !ts_expr_equal (a->op->attrs[i].value, b->op->attrs[i].value))
      return FALSE;
  return TRUE;
}

static gint
compare_address (gconstpointer a, gconstpointer b)
{
  const Store *x = a, *y = b;

  if (x->access.first != y->access.first)
    return x->access.first < y->access.first ? -1 : 1;
  if (x->access.last != y->access.last)
    return x->access.last < y->access.last ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static gint
compare_order (gconstpointer a, gconstpointer b)
{
  const Store *x = *(const Store *const *) a, *y = *(const Store *const *) b;

  return x->order < y->order ? -1 : x->order > y->order;
}

/* Is the value an argument of the anchor's block, or made in it before the anchor? */
static gboolean
is_at_hand (TsGraph *graph, const TsValue *value, const TsOp *anchor)
{
  if (value == NULL)
    return TRUE;
  if (value->kind == TS_VALUE_PARAM) /* arguments of the function are those of its entry block */
    return anchor->block == ts_function_block (graph->function);
  if (value->kind == TS_VALUE_BLOCK_ARG)
    return value->block == anchor->block;
  return value->def != NULL && value->def->block == anchor->block && graph->numbers[value->def->id] < graph->numbers[anchor->id];
}

/* The whole prefix S[0 .. i-1] is delayed over the gap before S[i]. */
static TsGraphReason
check_gaps (TsGraph *graph, const GArray *stores, const TsOp **at)
{
  g_autoptr (GPtrArray) ordered = g_ptr_array_new ();
  g_autoptr (TsDelayed) delayed
      = ts_delayed_new (graph, g_array_index (stores, Store, 0).op, &g_array_index (stores, Store, 0).access);
  const TsOp *before = NULL;
  gboolean is_sorted = TRUE;

  for (guint i = 0; i < stores->len; i++)
    g_ptr_array_add (ordered, &g_array_index (stores, Store, i));
  for (guint i = 1; i < ordered->len && is_sorted; i++)
    is_sorted = compare_order (&ordered->pdata[i - 1], &ordered->pdata[i]) < 0;
  if (!is_sorted)
    g_ptr_array_sort (ordered, compare_order);
  for (guint i = 0; i < ordered->len; i++)
    {
      const Store *store = g_ptr_array_index (ordered, i);
      TsGraphReason reason
          = before != NULL ? ts_graph_interval (graph->function, before, store->op, delayed, at) : TS_GRAPH_PROVEN;

      if (reason != TS_GRAPH_PROVEN)
        return reason;
      before = store->op;
      ts_delayed_add (delayed, store->access.first, store->access.last);
    }
  return TS_GRAPH_PROVEN;
}

static TsGraphReason
check_run (TsGraph *graph, const GArray *stores, Run *run, const TsOp **at)
{
  const Store *first = &g_array_index (stores, Store, 0), *last = &g_array_index (stores, Store, stores->len - 1);
  guint latest = 0;

  *at = first->op;
  if (stores->len < 2)
    return TS_GRAPH_NO_NEIGHBOUR;
  for (guint i = 0; i < stores->len; i++)
    {
      const Store *store = &g_array_index (stores, Store, i);

      if (store->order >= latest)
        {
          latest = store->order;
          run->anchor = store->op;
        }
    }
  run->elements = last->access.last - first->access.first + 1;
  run->element_bytes = ts_dtype_bits ((TsDtype) ts_op_operand_type (first->op, 1)->dtype) / 8;
  run->capacity = graph->options.ub_capacity;
  if (last->access.last + 1 > G_MAXINT32 || first->access.first < G_MININT32)
    return TS_GRAPH_OFFSET_OVERFLOW;
  if (run->elements > (gint64) run->capacity / run->element_bytes)
    return TS_GRAPH_CAPACITY;
  for (guint i = 0; i < stores->len; i++)
    {
      const Store *store = &g_array_index (stores, Store, i);

      *at = store->op;
      if (!is_at_hand (graph, ts_graph_operand (store->op, 1), run->anchor) || !is_at_hand (graph, store->access.base, run->anchor)
          || !is_at_hand (graph, store->access.origin, run->anchor))
        return TS_GRAPH_VALUE_FROM_OUTSIDE;
    }
  return check_gaps (graph, stores, at);
}

static void
try_run (TsGraph *graph, const GArray *bucket, guint from, guint to, GPtrArray *plans)
{
  Run *run = g_new0 (Run, 1);
  const TsOp *at;
  TsGraphReason reason;

  run->stores = g_array_new (FALSE, FALSE, sizeof (Store));
  g_array_append_vals (run->stores, &g_array_index (bucket, Store, from), to - from);
  reason = check_run (graph, run->stores, run, &at);
  if (reason == TS_GRAPH_PROVEN)
    {
      ts_graph_add_plan (plans, &ts_graph_store_coalescing, run->anchor, run->stores->len - 1, run);
      return;
    }
  for (guint i = from; i < to; i++)
    ts_graph_reject (graph, &ts_graph_store_coalescing, g_array_index (bucket, Store, i).op, 0, reason, at);
  run_free (run);
}

/* Most programs store in order. */
static void
sort_by_address (GArray *stores)
{
  for (guint i = 1; i < stores->len; i++)
    if (compare_address (&g_array_index (stores, Store, i - 1), &g_array_index (stores, Store, i)) > 0)
      {
        g_array_sort (stores, compare_address);
        return;
      }
}

/* Sorted by address: an overlap discards the whole bucket, a gap ends a run. */
static void
split_bucket (TsGraph *graph, GArray *bucket, GPtrArray *plans)
{
  guint from = 0;

  sort_by_address (bucket);
  for (guint i = 1; i < bucket->len; i++)
    if (g_array_index (bucket, Store, i).access.first <= g_array_index (bucket, Store, i - 1).access.last)
      {
        for (guint k = 0; k < bucket->len; k++)
          ts_graph_reject (graph, &ts_graph_store_coalescing, g_array_index (bucket, Store, k).op, 0,
                           TS_GRAPH_OVERLAPPING_ACCESS_RANGE, g_array_index (bucket, Store, i).op);
        return;
      }
  for (guint i = 1; i <= bucket->len; i++)
    if (i == bucket->len || g_array_index (bucket, Store, i).access.first != g_array_index (bucket, Store, i - 1).access.last + 1)
      {
        try_run (graph, bucket, from, i, plans);
        from = i;
      }
}

static gboolean
takes (const TsOp *op)
{
  return op->code == TS_OP_TT_STORE;
}

static gpointer
build_candidates (TsGraph *graph)
{
  static const TsGraphCandidateKind stores = { takes, g_free };

  return ts_graph_candidates_new (graph, &stores);
}

/* Stores of the function in program order, each with its access or why it is none to merge. */
static const GPtrArray *
judged_stores (TsGraph *graph)
{
  static const TsGraphAnalysis analysis = { build_candidates, (GDestroyNotify) ts_graph_candidates_free };
  TsGraphCandidates *candidates = ts_graph_analysis (graph, &analysis);
  const GPtrArray *list = ts_graph_candidates_refresh (candidates, graph);

  for (guint i = 0; i < list->len; i++)
    {
      TsGraphCandidate *candidate = g_ptr_array_index (list, i);
      Store store = { 0 };

      if (!ts_graph_candidate_judge (candidates, graph, candidate))
        continue;
      candidate->at[0] = candidate->op;
      candidate->reason[0] = candidate->op->block->region->op != NULL
                                 ? TS_GRAPH_NESTED
                                 : check_store (candidate->op, &store, &candidate->at[0]);
      if (candidate->reason[0] == TS_GRAPH_PROVEN)
        candidate->found[0] = g_memdup2 (&store, sizeof store);
      ts_graph_candidate_judged (graph, candidate);
    }
  return list;
}

/* By block, base and so on: GArray of Store, in order of their first stores. */
static GPtrArray *
fill_buckets (const GPtrArray *candidates)
{
  GPtrArray *buckets = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GHashTable) by_key = g_hash_table_new (hash_bucket, same_bucket);

  for (guint i = 0; i < candidates->len; i++)
    {
      Store *store = ((TsGraphCandidate *) g_ptr_array_index (candidates, i))->found[0];
      GArray *bucket;

      if (store == NULL)
        continue;
      store->order = i;
      bucket = g_hash_table_lookup (by_key, store);
      if (bucket == NULL)
        {
          bucket = g_array_new (FALSE, FALSE, sizeof (Store));
          g_ptr_array_add (buckets, bucket);
          g_hash_table_insert (by_key, store, bucket);
        }
      g_array_append_val (bucket, *store);
    }
  return buckets;
}

static void
report_refused (TsGraph *graph, const GPtrArray *candidates)
{
  for (guint i = 0; graph->pass->steps != NULL && i < candidates->len; i++)
    {
      const TsGraphCandidate *candidate = g_ptr_array_index (candidates, i);

      if (candidate->found[0] == NULL)
        ts_graph_reject (graph, &ts_graph_store_coalescing, candidate->op, 0, candidate->reason[0], candidate->at[0]);
    }
}

static gboolean
refuse_store (TsOp *op, gpointer graph)
{
  if (takes (op))
    ts_graph_reject (graph, &ts_graph_store_coalescing, op, 0, TS_GRAPH_NO_CAPACITY, op);
  return TRUE;
}

static void
find (TsGraph *graph, GPtrArray *plans)
{
  const GPtrArray *candidates;
  g_autoptr (GPtrArray) buckets = NULL;

  if (graph->options.ub_capacity == 0) /* asks for no analysis */
    {
      ts_region_walk (&graph->function->body, refuse_store, graph);
      return;
    }
  candidates = judged_stores (graph);
  report_refused (graph, candidates);
  buckets = fill_buckets (candidates);
  for (guint i = 0; i < buckets->len; i++)
    split_bucket (graph, g_ptr_array_index (buckets, i), plans);
}

static gboolean
same_run (const Run *a, const Run *b)
{
  if (a->stores->len != b->stores->len || a->anchor != b->anchor)
    return FALSE;
  for (guint i = 0; i < a->stores->len; i++)
    if (g_array_index (a->stores, Store, i).op != g_array_index (b->stores, Store, i).op)
      return FALSE;
  return TRUE;
}

/* Would the store break the run up, or belong to it? */
static gboolean
meets (const Store *store, const Run *run)
{
  const Store *first = &g_array_index (run->stores, Store, 0);

  return store->access.last >= first->access.first - 1 && store->access.first <= first->access.first + run->elements
         && same_bucket (store, first);
}

/* The stores of the run as they are now, when no other has come among them. */
static GArray *
collect_again (TsGraph *graph, const Run *old)
{
  const GPtrArray *candidates = judged_stores (graph);
  GArray *stores = g_array_new (FALSE, FALSE, sizeof (Store));

  for (guint i = 0; i < candidates->len; i++)
    {
      const Store *store = ((const TsGraphCandidate *) g_ptr_array_index (candidates, i))->found[0];

      if (store != NULL && meets (store, old))
        g_array_append_val (stores, *store);
    }
  sort_by_address (stores);
  return stores;
}

static gboolean
revalidate (TsGraph *graph, const TsGraphPlan *plan)
{
  Run again = { 0 };
  const TsOp *at;
  gboolean same;

  again.stores = collect_again (graph, plan->data);
  same = again.stores->len > 0 && check_run (graph, again.stores, &again, &at) == TS_GRAPH_PROVEN
         && same_run (&again, plan->data);
  for (guint i = 1; same && i < again.stores->len; i++)
    same = g_array_index (again.stores, Store, i).access.first == g_array_index (again.stores, Store, i - 1).access.last + 1;
  g_array_unref (again.stores);
  return same;
}

/* --- rewrite --------------------------------------------------------------------------------------------------------------- */

static void
set_slice (TsGraphEdit *edit, TsOp *op, gint64 offset, gint64 size)
{
  const struct
  {
    const char *key;
    gint64 value;
  } lists[] = { { "static_offsets", offset }, { "static_sizes", size }, { "static_strides", 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      TsExpr *item = ts_expr_int (edit->module, lists[i].value, TS_DTYPE_INT64);
      TsExpr *list = ts_expr_list (edit->module, &item, 1);

      list->raw = ts_module_intern (edit->module, "array");
      list->dtype = TS_DTYPE_INT64;
      ts_op_add_attr (edit->module, op, lists[i].key, list);
    }
}

/* The packed value: an empty tensor with each stored value inserted, in address order. */
static TsExpr *
pack_values (TsGraphEdit *edit, const Run *run, const TsType *packed_type)
{
  TsOp *anchor = run->anchor;
  TsExpr *packed = ts_graph_result (edit, ts_graph_create (edit, anchor, TS_OP_TENSOR_EMPTY, NULL, 0, packed_type, anchor));
  gint64 offset = 0;

  for (guint i = 0; i < run->stores->len; i++)
    {
      const Store *store = &g_array_index (run->stores, Store, i);
      TsExpr *value = store->op->operands[1];
      const TsType *flat = ts_graph_tensor_type (edit->module, &store->access.count, 1, packed_type->elems[0]);
      TsExpr *operands[2];
      TsOp *insert;

      if (ts_graph_type_of (value)->rank > 1)
        value = ts_graph_make_unary (edit, anchor, TS_OP_TT_RESHAPE, value, flat, store->op);
      operands[0] = value;
      operands[1] = packed;
      insert = ts_graph_create (edit, anchor, TS_OP_TENSOR_INSERT_SLICE, operands, 2, packed_type, store->op);
      if (insert == NULL)
        return NULL;
      set_slice (edit, insert, offset, store->access.count);
      packed = ts_graph_result (edit, insert);
      offset += store->access.count;
    }
  return packed;
}

static TsExpr *
make_pointer (TsGraphEdit *edit, const Run *run)
{
  const Store *first = &g_array_index (run->stores, Store, 0);
  TsOp *anchor = run->anchor;
  gint64 start = first->access.first, end = start + run->elements;
  TsExpr *offset = ts_graph_make_range (edit, anchor, start, end, anchor);
  const TsType *range_type = ts_graph_type_of (offset);
  TsExpr *base = ts_expr_value (edit->module, first->access.base);
  const TsType *pointers = ts_graph_tensor_type (edit->module, &run->elements, 1, first->access.base->type);

  if (first->access.origin != NULL)
    {
      TsExpr *origin = ts_graph_make_unary (edit, anchor, TS_OP_TT_SPLAT, ts_expr_value (edit->module, first->access.origin),
                                            range_type, anchor);

      offset = ts_graph_make_binary (edit, anchor, TS_OP_ARITH_ADDI, origin, offset, range_type, anchor);
    }
  base = ts_graph_make_unary (edit, anchor, TS_OP_TT_SPLAT, base, pointers, anchor);
  return ts_graph_make_binary (edit, anchor, TS_OP_TT_ADDPTR, base, offset, pointers, anchor);
}

/* The new store must reach exactly what the run reached. */
static void
prove_again (TsGraphEdit *edit, const Run *run, const TsOp *store)
{
  const Store *first = &g_array_index (run->stores, Store, 0);
  TsStaticAccess access;
  const TsOp *at;

  if (store == NULL || ts_static_access (store, &access, &at) != TS_GRAPH_PROVEN || access.base != first->access.base
      || access.origin != first->access.origin || access.first != first->access.first
      || access.last != first->access.first + run->elements - 1)
    ts_graph_edit_fail (edit, "the merged store does not prove to reach the same interval");
}

static gboolean
apply (TsGraph *graph, const TsGraphPlan *plan)
{
  const Run *run = plan->data;
  const Store *first = &g_array_index (run->stores, Store, 0);
  const TsType *packed_type
      = ts_graph_tensor_type (graph->module, &run->elements, 1, ts_op_operand_type (first->op, 1)->elems[0]);
  TsGraphEdit edit;
  TsExpr *operands[2];
  TsOp *store;

  ts_graph_edit_begin (&edit, graph);
  operands[1] = pack_values (&edit, run, packed_type);
  operands[0] = make_pointer (&edit, run);
  store = ts_graph_create_like (&edit, run->anchor, run->anchor, operands, NULL);
  ts_graph_edit_check (&edit, store);
  if (!edit.failed)
    prove_again (&edit, run, store);
  for (guint i = 0; i < run->stores->len; i++)
    ts_graph_edit_erase (&edit, g_array_index (run->stores, Store, i).op);
  return ts_graph_edit_commit (&edit);
}

static void
describe (const TsGraphPlan *plan, GString *out)
{
  const Run *run = plan->data;
  const Store *first = &g_array_index (run->stores, Store, 0);

  g_string_append_printf (out,
                          " ub-capacity-bytes=%u stores=%u program-stores=%u elements=%" G_GINT64_FORMAT " bytes=%" G_GINT64_FORMAT
                          " element-bytes=%" G_GINT64_FORMAT
                          " dynamic-origin=%s address-order=ascending program-order=preserved offsets=[%" G_GINT64_FORMAT
                          ",%" G_GINT64_FORMAT ") erased=%u",
                          run->capacity, run->stores->len, run->stores->len, run->elements, run->elements * run->element_bytes,
                          run->element_bytes, first->access.origin != NULL ? "true" : "false", first->access.first,
                          first->access.first + run->elements, run->stores->len);
}

static void
members (const TsGraphPlan *plan, GPtrArray *ops)
{
  const GArray *stores = ((const Run *) plan->data)->stores;

  for (guint i = 0; i < stores->len; i++)
    g_ptr_array_add (ops, g_array_index (stores, Store, i).op);
}

const TsGraphRule ts_graph_store_coalescing = {
  .bit = 4,
  .candidates = "stores",
  .takes = takes,
  .members = members,
  .name = "StoreCoalescing",
  .find = find,
  .revalidate = revalidate,
  .apply = apply,
  .describe = describe,
  .free_data = run_free,
};
