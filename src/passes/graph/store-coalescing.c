/* SPDX-License-Identifier: GPL-3.0-or-later */
/* StoreCoalescing: stores to adjacent intervals of one buffer become one store at the last of them. Source: spec graph-optimize
 * section 8. */
#include <stdlib.h>
#include <string.h>

#include "passes/graph/candidates.h"
#include "passes/graph/edit.h"
#include "passes/graph/interval.h"

extern const TsGraphRule ts_graph_store_coalescing;

typedef struct
{
  TsOp          *op;
  TsStaticAccess access;
  guint          order;    /* program order */
  guint          hash;     /* of the bucket */
  guint          position; /* among what can be in the way; once that is known */
} Store;

/* Two stores or more that reach one interval together. */
typedef struct
{
  Store  **stores;  /* in address order; a part of its bucket */
  guint    n_stores;
  TsOp    *anchor;  /* last in program order */
  guint32  capacity;
  gint64   elements, element_bytes;
} Run;

/* What is known of the stores of the function, after the rewrite of that serial. */
typedef struct
{
  TsGraphCandidates *candidates;
  GPtrArray   *buckets;   /* GPtrArray of Store, in order of their first stores */
  GPtrArray   *runs;      /* Run: all, whether they can become one store or not */
  TsObstacles *obstacles; /* NULL: nobody asked */
  GHashTable  *in_the_way; /* operations that keep a run from becoming one store */
  guint        serial;    /* 0: nothing is known yet */
} Stores;

static Store *
nth_store (const GPtrArray *stores, guint i)
{
  return g_ptr_array_index (stores, i);
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
  const Store *x = *(const Store *const *) a, *y = *(const Store *const *) b;

  if (x->access.first != y->access.first)
    return x->access.first < y->access.first ? -1 : 1;
  if (x->access.last != y->access.last)
    return x->access.last < y->access.last ? -1 : 1;
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

/* Every store of a bucket stands where obstacles are known. In program order, both lists. */
static void
find_obstacles (TsGraph *graph, Stores *stores, const GPtrArray *candidates)
{
  guint position = 0;

  stores->obstacles = ts_obstacles_new (graph);
  for (guint i = 0; i < candidates->len; i++)
    {
      Store *store = ((TsGraphCandidate *) g_ptr_array_index (candidates, i))->found[0];

      if (store != NULL)
        store->position = position = ts_obstacles_position (stores->obstacles, store->op, position);
    }
}

static gint
compare_positions (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;

  return x < y ? -1 : x > y;
}

/* The whole prefix S[0 .. i-1] is delayed over the gap before S[i]. */
static TsGraphReason
check_gaps (const Stores *stores, const Run *run, const TsOp **at)
{
  g_autofree guint *positions = g_new (guint, run->n_stores);
  gboolean is_sorted = TRUE;

  for (guint i = 0; i < run->n_stores; i++)
    {
      positions[i] = run->stores[i]->position;
      is_sorted = is_sorted && (i == 0 || positions[i - 1] < positions[i]);
    }
  if (!is_sorted)
    qsort (positions, run->n_stores, sizeof *positions, compare_positions);
  return ts_obstacles_find (stores->obstacles, positions, run->n_stores, at);
}

static TsGraphReason
check_run (TsGraph *graph, const Stores *stores, const Run *run, const TsOp **at)
{
  const Store *first = run->stores[0], *last = run->stores[run->n_stores - 1];

  *at = first->op;
  if (last->access.last + 1 > G_MAXINT32 || first->access.first < G_MININT32)
    return TS_GRAPH_OFFSET_OVERFLOW;
  if (run->elements > (gint64) run->capacity / run->element_bytes)
    return TS_GRAPH_CAPACITY;
  for (guint i = 0; i < run->n_stores; i++)
    {
      const Store *store = run->stores[i];

      *at = store->op;
      if (!is_at_hand (graph, ts_graph_operand (store->op, 1), run->anchor) || !is_at_hand (graph, store->access.base, run->anchor)
          || !is_at_hand (graph, store->access.origin, run->anchor))
        return TS_GRAPH_VALUE_FROM_OUTSIDE;
    }
  return check_gaps (stores, run, at);
}

static void
reject_all (TsGraph *graph, Store *const *stores, guint n, TsGraphReason reason, const TsOp *at)
{
  for (guint i = 0; graph->pass->steps != NULL && i < n; i++)
    ts_graph_reject (graph, &ts_graph_store_coalescing, stores[i]->op, 0, reason, at);
}

static Run *
run_new (const TsGraph *graph, Store **stores, guint n)
{
  Run *run = g_new0 (Run, 1);
  const Store *latest = stores[0];

  run->stores = stores;
  run->n_stores = n;
  for (guint i = 1; i < n; i++)
    if (stores[i]->order > latest->order)
      latest = stores[i];
  run->anchor = latest->op;
  run->elements = stores[n - 1]->access.last - stores[0]->access.first + 1;
  run->element_bytes = ts_dtype_bits ((TsDtype) ts_op_operand_type (stores[0]->op, 1)->dtype) / 8;
  run->capacity = graph->options.ub_capacity;
  return run;
}

static void
try_run (TsGraph *graph, Stores *stores, const GPtrArray *candidates, Store **found, guint n, GPtrArray *plans)
{
  Run *run;
  const TsOp *at;
  TsGraphReason reason;

  if (n < 2)
    {
      reject_all (graph, found, n, TS_GRAPH_NO_NEIGHBOUR, found[0]->op);
      return;
    }
  if (stores->obstacles == NULL)
    find_obstacles (graph, stores, candidates);
  run = run_new (graph, found, n);
  g_ptr_array_add (stores->runs, run);
  reason = check_run (graph, stores, run, &at);
  if (reason == TS_GRAPH_PROVEN)
    {
      ts_graph_add_plan (plans, &ts_graph_store_coalescing, run->anchor, n - 1, run);
      return;
    }
  g_hash_table_add (stores->in_the_way, (gpointer) at);
  reject_all (graph, found, n, reason, at);
}

/* Most programs store in order. */
static void
sort_by_address (GPtrArray *stores)
{
  for (guint i = 1; i < stores->len; i++)
    if (compare_address (&stores->pdata[i - 1], &stores->pdata[i]) > 0)
      {
        g_ptr_array_sort (stores, compare_address);
        return;
      }
}

/* Sorted by address: an overlap discards the whole bucket, a gap ends a run. */
static void
split_bucket (TsGraph *graph, Stores *stores, const GPtrArray *candidates, GPtrArray *bucket, GPtrArray *plans)
{
  guint from = 0;

  sort_by_address (bucket);
  for (guint i = 1; i < bucket->len; i++)
    if (nth_store (bucket, i)->access.first <= nth_store (bucket, i - 1)->access.last)
      {
        reject_all (graph, (Store **) bucket->pdata, bucket->len, TS_GRAPH_OVERLAPPING_ACCESS_RANGE, nth_store (bucket, i)->op);
        return;
      }
  for (guint i = 1; i <= bucket->len; i++)
    if (i == bucket->len || nth_store (bucket, i)->access.first != nth_store (bucket, i - 1)->access.last + 1)
      {
        try_run (graph, stores, candidates, (Store **) bucket->pdata + from, i - from, plans);
        from = i;
      }
}

static gboolean
takes (const TsOp *op)
{
  return op->code == TS_OP_TT_STORE;
}

static gpointer
build_stores (TsGraph *graph)
{
  static const TsGraphCandidateKind kind = { takes, g_free };
  Stores *stores = g_new0 (Stores, 1);

  stores->candidates = ts_graph_candidates_new (graph, &kind);
  stores->buckets = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  stores->runs = g_ptr_array_new_with_free_func (g_free);
  stores->in_the_way = g_hash_table_new (NULL, NULL);
  return stores;
}

/* Everything but the candidates. */
static void
forget_runs (Stores *stores)
{
  g_ptr_array_set_size (stores->runs, 0);
  g_ptr_array_set_size (stores->buckets, 0);
  g_clear_pointer (&stores->obstacles, ts_obstacles_free);
  g_hash_table_remove_all (stores->in_the_way);
  stores->serial = 0;
}

static void
stores_free (gpointer data)
{
  Stores *stores = data;

  forget_runs (stores);
  g_ptr_array_unref (stores->runs);
  g_ptr_array_unref (stores->buckets);
  g_hash_table_unref (stores->in_the_way);
  ts_graph_candidates_free (stores->candidates);
  g_free (stores);
}

static const TsGraphAnalysis stores_analysis = { build_stores, stores_free };

/* Stores of the function in program order, each with its access or why it is none to merge. */
static const GPtrArray *
judge_stores (TsGraph *graph, TsGraphCandidates *candidates)
{
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

/* By block, base and so on. */
static void
fill_buckets (Stores *stores, const GPtrArray *candidates)
{
  g_autoptr (GHashTable) by_key = g_hash_table_new (hash_bucket, same_bucket);

  for (guint i = 0; i < candidates->len; i++)
    {
      Store *store = ((TsGraphCandidate *) g_ptr_array_index (candidates, i))->found[0];
      GPtrArray *bucket;

      if (store == NULL)
        continue;
      store->order = i;
      bucket = g_hash_table_lookup (by_key, store);
      if (bucket == NULL)
        {
          bucket = g_ptr_array_new ();
          g_ptr_array_add (stores->buckets, bucket);
          g_hash_table_insert (by_key, store, bucket);
        }
      g_ptr_array_add (bucket, store);
    }
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
  Stores *stores;

  if (graph->options.ub_capacity == 0) /* asks for no analysis */
    {
      ts_region_walk (&graph->function->body, refuse_store, graph);
      return;
    }
  stores = ts_graph_analysis (graph, &stores_analysis);
  forget_runs (stores);
  candidates = judge_stores (graph, stores->candidates);
  report_refused (graph, candidates);
  fill_buckets (stores, candidates);
  for (guint i = 0; i < stores->buckets->len; i++)
    split_bucket (graph, stores, candidates, g_ptr_array_index (stores->buckets, i), plans);
  stores->serial = ts_graph_serial (graph);
}

/* Each store is proven anew; the rest is as it was found, since nothing has changed from then on but for runs that became one. */
static gboolean
revalidate (TsGraph *graph, const TsGraphPlan *plan)
{
  const Run *run = plan->data;
  const Stores *stores = ts_graph_analysis (graph, &stores_analysis);
  gint64 next = run->stores[0]->access.first;
  const TsOp *at;

  if (stores->serial != ts_graph_serial (graph))
    return FALSE;
  for (guint i = 0; i < run->n_stores; i++)
    {
      const Store *store = run->stores[i];
      Store again = { 0 };

      if (check_store (store->op, &again, &at) != TS_GRAPH_PROVEN || !same_bucket (&again, run->stores[0])
          || again.access.first != next || again.access.last != store->access.last)
        return FALSE;
      next = again.access.last + 1;
    }
  return check_run (graph, stores, run, &at) == TS_GRAPH_PROVEN;
}

/* One store at the anchor has come in place of the run. It matters to other runs only where a store of this one was in their
 * way: at the anchor it reaches more than the last store did, but nothing that another plan delays over it. For that other store
 * would stand either before or behind the one of this run that reaches the same; one of the two would be in the way of the other,
 * and both runs are proven. The merged store is no run itself: a neighbour would have belonged to it. */
static gboolean
keeps (TsGraph *graph, const TsGraphPlan *plan)
{
  const Run *run = plan->data;
  Stores *stores = ts_graph_analysis (graph, &stores_analysis);

  if (stores->serial + 1 != ts_graph_serial (graph))
    return FALSE;
  for (guint i = 0; i < run->n_stores; i++)
    if (g_hash_table_contains (stores->in_the_way, run->stores[i]->op))
      return FALSE;
  stores->serial++;
  return TRUE;
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

  for (guint i = 0; i < run->n_stores; i++)
    {
      const Store *store = run->stores[i];
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
  const Store *first = run->stores[0];
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
  const Store *first = run->stores[0];
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
  const Store *first = run->stores[0];
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
  for (guint i = 0; i < run->n_stores; i++)
    ts_graph_edit_erase (&edit, run->stores[i]->op);
  return ts_graph_edit_commit (&edit);
}

static void
describe (const TsGraphPlan *plan, GString *out)
{
  const Run *run = plan->data;
  const Store *first = run->stores[0];

  g_string_append_printf (out,
                          " ub-capacity-bytes=%u stores=%u program-stores=%u elements=%" G_GINT64_FORMAT " bytes=%" G_GINT64_FORMAT
                          " element-bytes=%" G_GINT64_FORMAT
                          " dynamic-origin=%s address-order=ascending program-order=preserved offsets=[%" G_GINT64_FORMAT
                          ",%" G_GINT64_FORMAT ") erased=%u",
                          run->capacity, run->n_stores, run->n_stores, run->elements, run->elements * run->element_bytes,
                          run->element_bytes, first->access.origin != NULL ? "true" : "false", first->access.first,
                          first->access.first + run->elements, run->n_stores);
}

static void
members (const TsGraphPlan *plan, GPtrArray *ops)
{
  const Run *run = plan->data;

  for (guint i = 0; i < run->n_stores; i++)
    g_ptr_array_add (ops, run->stores[i]->op);
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
  .keeps = keeps,
  .describe = describe,
};
