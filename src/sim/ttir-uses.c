/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What values of Triton IR are for: data, or only a description of accesses (where lanes go, which of them); a transpose that a
 * product reads in place; slices of a larger tensor that are written where they belong. Decided once, before a function is
 * executed. Source: spec simulator.md section 1. */
#include "sim/ttir-private.h"

#include "base/number.h"

#define MAX_CHAIN 64u /* insertions into one tensor that are looked at */

typedef struct TtirUses TtirUses;

struct TtirUses
{
  GHashTable *data;      /* TsValue: more than part of an address */
  GHashTable *elsewhere; /* TsValue, a transpose: used by more than products */
  GHashTable *count;     /* TsValue: uses, of what insertions join */
  GHashTable *slices;    /* TsValue to the insertion that places it */
  GPtrArray  *open;      /* values just found to be data, whose origin is to be followed */
};

/* --- data or address ---------------------------------------------------------------------------------------------------------- */

static gboolean
counts (const TsType *type)
{
  TsDtype dtype = ttir_dtype (type);

  return ts_dtype_is_integer (dtype) || dtype == TS_DTYPE_BOOL;
}

/* Operations on lanes that addresses and masks are made with: their operands are for what their result is for. */
static gboolean
describes (const TsOp *op)
{
  const TsOpInfo *info = ts_op_info (op->code);

  switch (op->code)
    {
    case TS_OP_TT_MAKE_RANGE:
    case TS_OP_TT_SPLAT:
    case TS_OP_TT_BROADCAST:
    case TS_OP_TT_EXPAND_DIMS:
    case TS_OP_TT_TRANS:
    case TS_OP_TT_RESHAPE:
    case TS_OP_TT_ADDPTR:
      return op->n_results == 1;
    default:
      return info->dialect == TS_DIALECT_TTIR && op->n_results == 1 && op->n_operands > 0 && (info->flags & TS_OPF_ELEMENTWISE) != 0
             && counts (op->results[0]->type) && counts (ts_op_operand_type (op, op->n_operands - 1));
    }
}

static gboolean
is_shape_only (guint code)
{
  return code == TS_OP_TT_MAKE_RANGE || code == TS_OP_TT_SPLAT || code == TS_OP_TT_BROADCAST || code == TS_OP_TT_EXPAND_DIMS
         || code == TS_OP_TT_TRANS || code == TS_OP_TT_RESHAPE;
}

/* Operands that only say where an access goes and which lanes take part. */
static gboolean
is_address_operand (const TsOp *op, guint i)
{
  switch (op->code)
    {
    case TS_OP_TT_LOAD:
      return i < 2;
    case TS_OP_TT_STORE:
    case TS_OP_TT_ATOMIC_RMW:
      return i == 0 || i == 2;
    case TS_OP_TT_ATOMIC_CAS:
      return i == 0;
    case TS_OP_TT_ADDPTR:
    case TS_OP_TT_MAKE_TENSOR_PTR:
    case TS_OP_TT_ADVANCE:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Carried and yielded values are for what the loop's and the branch's variables are for. */
static gboolean
passes_on (const TsOp *op, guint i)
{
  const TsOp *parent = ts_op_parent (op);

  switch (op->code)
    {
    case TS_OP_FOR:
      return i >= TS_FOR_INITS;
    case TS_OP_SCF_WHILE:
      return TRUE;
    case TS_OP_SCF_CONDITION:
      return i > 0;
    case TS_OP_YIELD:
      return ts_op_is (parent, TS_OP_FOR) || ts_op_is (parent, TS_OP_IF) || ts_op_is (parent, TS_OP_SCF_WHILE);
    default:
      return FALSE;
    }
}

static void
mark_data (TtirUses *uses, const TsExpr *e)
{
  TsValue *value = ts_expr_as_value (e);

  if (value != NULL && g_hash_table_add (uses->data, value))
    g_ptr_array_add (uses->open, value);
}

static void
mark_operand (TtirUses *uses, const TsOp *op, guint i)
{
  if (op != NULL && i < op->n_operands)
    mark_data (uses, op->operands[i]);
}

static const TsOp *
last_of (const TsOp *op, guint region)
{
  return op != NULL && region < op->n_regions && op->regions[region].n_blocks > 0 ? ts_op_body (op, region)->last : NULL;
}

static void
follow_result (TtirUses *uses, const TsValue *value)
{
  const TsOp *op = value->def;
  guint k = value->index;

  switch (op->code)
    {
    case TS_OP_FOR:
      mark_operand (uses, op, TS_FOR_INITS + k);
      mark_operand (uses, last_of (op, 0), k);
      break;
    case TS_OP_IF:
      mark_operand (uses, last_of (op, 0), k);
      mark_operand (uses, last_of (op, 1), k);
      break;
    case TS_OP_SCF_WHILE:
      mark_operand (uses, last_of (op, 0), 1 + k);
      break;
    default:
      for (guint i = 0; describes (op) && !is_address_operand (op, i) && i < op->n_operands; i++)
        mark_operand (uses, op, i);
    }
}

static void
follow_argument (TtirUses *uses, const TsValue *value)
{
  const TsOp *op = value->block != NULL && value->block->region != NULL ? value->block->region->op : NULL;
  guint k = value->index;

  if (ts_op_is (op, TS_OP_FOR) && k > 0)
    {
      mark_operand (uses, op, TS_FOR_INITS + k - 1);
      mark_operand (uses, last_of (op, 0), k - 1);
    }
  else if (ts_op_is (op, TS_OP_SCF_WHILE) && value->block->region == &op->regions[0])
    {
      mark_operand (uses, op, k);
      mark_operand (uses, last_of (op, 1), k);
    }
  else if (ts_op_is (op, TS_OP_SCF_WHILE))
    mark_operand (uses, last_of (op, 0), 1 + k);
}

/* --- transposes and slices ---------------------------------------------------------------------------------------------------- */

static void
count_use (TtirUses *uses, const TsOp *op, guint i, TsValue *value)
{
  gpointer n = g_hash_table_lookup (uses->count, value);

  g_hash_table_insert (uses->count, value, GUINT_TO_POINTER (GPOINTER_TO_UINT (n) + 1));
  if (ts_op_is (value->def, TS_OP_TT_TRANS) && !(op->code == TS_OP_TT_DOT && i < 2))
    g_hash_table_add (uses->elsewhere, value);
  if (op->code == TS_OP_TENSOR_INSERT_SLICE && i == 0)
    g_hash_table_insert (uses->slices, value, (gpointer) op);
}

static gboolean
survey_op (TsOp *op, gpointer data)
{
  TtirUses *uses = data;

  for (guint i = 0; i < op->n_operands; i++)
    {
      TsValue *value = ts_expr_as_value (op->operands[i]);
      if (value == NULL)
        continue;
      count_use (uses, op, i, value);
      if (!is_address_operand (op, i) && !passes_on (op, i) && !describes (op))
        mark_data (uses, op->operands[i]);
    }
  return TRUE;
}

static TtirUses *
uses_of (Exec *x)
{
  if (x->uses != NULL)
    return x->uses;
  TtirUses *uses = x->uses = g_new0 (TtirUses, 1);
  uses->data = g_hash_table_new (NULL, NULL);
  uses->elsewhere = g_hash_table_new (NULL, NULL);
  uses->count = g_hash_table_new (NULL, NULL);
  uses->slices = g_hash_table_new (NULL, NULL);
  uses->open = g_ptr_array_new ();
  for (guint f = 0; f < x->module->n_functions; f++)
    ts_region_walk (&x->module->functions[f]->body, survey_op, uses);
  while (uses->open->len > 0)
    {
      const TsValue *value = g_ptr_array_remove_index_fast (uses->open, uses->open->len - 1);
      if (value->kind == TS_VALUE_RESULT && value->def != NULL)
        follow_result (uses, value);
      else if (value->kind == TS_VALUE_BLOCK_ARG)
        follow_argument (uses, value);
    }
  return uses;
}

void
exec_ttir_uses_free (TtirUses *uses)
{
  g_hash_table_unref (uses->data);
  g_hash_table_unref (uses->elsewhere);
  g_hash_table_unref (uses->count);
  g_hash_table_unref (uses->slices);
  g_ptr_array_unref (uses->open);
  g_free (uses);
}

/* --- insertions --------------------------------------------------------------------------------------------------------------- */

static guint
use_count (const TtirUses *uses, const TsValue *value)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (uses->count, value));
}

/* The empty tensor that a chain of insertions fills: nobody else sees what is in between. NULL: it is no such chain. */
static const TsValue *
chain_root (const TtirUses *uses, const TsOp *insert)
{
  guint left = MAX_CHAIN;

  for (const TsOp *op = insert;
       left-- > 0 && ts_op_is (op, TS_OP_TENSOR_INSERT_SLICE) && op->n_operands == 2 && op->n_results == 1;)
    {
      const TsValue *into = ts_expr_as_value (op->operands[1]);
      if (into == NULL || into->def == NULL || use_count (uses, into) != 1)
        return NULL;
      if (into->def->code == TS_OP_TENSOR_EMPTY)
        return into;
      op = into->def;
    }
  return NULL;
}

static gboolean
list_int (const TsOp *op, const char *key, guint i, gint64 *out)
{
  const TsExpr *list = ts_op_attr (op, key);

  return list != NULL && list->kind == TS_EXPR_LIST && i < list->n && ts_expr_as_int (list->list[i], out) && *out >= 0;
}

/* From the first byte of the slice to the last; FALSE: not constant, or outside. */
static gboolean
slice_bytes (const TsOp *insert, gint64 *begin, gint64 *end)
{
  const TsType *whole = insert->results[0]->type;
  gint64 first = 0, last = 0, size = MAX (ts_dtype_bytes (ttir_dtype (whole), 1), 1);

  if (!ts_type_is (whole, TS_TYPE_RANKED))
    return FALSE;
  for (guint d = 0; d < whole->rank; d++)
    {
      gint64 dim, offset, extent, step;
      if (!ts_type_const_dim (whole, d, &dim) || !list_int (insert, "static_offsets", d, &offset)
          || !list_int (insert, "static_sizes", d, &extent) || !list_int (insert, "static_strides", d, &step) || extent < 1
          || step != 1 || offset > dim - extent)
        return FALSE;
      first = ts_add_sat (ts_mul_sat (first, dim), offset);
      last = ts_add_sat (ts_mul_sat (last, dim), offset + extent - 1);
    }
  *begin = ts_mul_sat (first, size);
  *end = ts_mul_sat (ts_add_sat (last, 1), size);
  return *begin < *end;
}

/* Results of operations that write a tensor anew; views and carried values have their place already. */
static gboolean
is_written_anew (const TsValue *value)
{
  return value->kind == TS_VALUE_RESULT && value->def != NULL && ts_op_info (value->def->code)->dialect == TS_DIALECT_TTIR
         && ts_op_pipe (value->def, TS_BACKEND_NONE, NULL) != TS_PIPE_NONE;
}

gboolean
exec_ttir_packed (Exec *x, const TsValue *value, const TsValue **whole, gint64 *begin, gint64 *end)
{
  const TtirUses *uses = uses_of (x);
  const TsOp *insert = g_hash_table_lookup (uses->slices, value);

  if (insert == NULL || use_count (uses, value) != 1 || !is_written_anew (value) || insert->block != value->def->block)
    return FALSE;
  *whole = chain_root (uses, insert);
  return *whole != NULL && slice_bytes (insert, begin, end);
}

/* --- pipes -------------------------------------------------------------------------------------------------------------------- */

TsPipe
exec_ttir_pipe (Exec *x, const TsOp *op, TsPipe pipe)
{
  const TsValue *result = op->n_results == 1 ? op->results[0] : NULL, *whole;
  gint64 begin, end;

  if (pipe != TS_PIPE_V || result == NULL)
    return pipe;
  const TtirUses *uses = uses_of (x);
  if (op->code == TS_OP_TT_TRANS && !g_hash_table_contains (uses->elsewhere, result) && use_count (uses, result) > 0)
    return TS_PIPE_NONE; /* the matrix unit reads it transposed */
  if (op->code == TS_OP_TENSOR_INSERT_SLICE && op->n_operands > 0 && ts_expr_as_value (op->operands[0]) != NULL
      && exec_ttir_packed (x, ts_expr_as_value (op->operands[0]), &whole, &begin, &end))
    return TS_PIPE_NONE; /* written there in the first place */
  if (g_hash_table_contains (uses->data, result) || !describes (op) || !counts (result->type))
    return pipe;
  return is_shape_only (op->code) ? TS_PIPE_NONE : TS_PIPE_S;
}
