/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/affine.h"

#include "base/number.h"

#define MAX_DEPTH 64

/* --- scales ---------------------------------------------------------------------------------------------------------------- */

static gboolean
add_symbol (TsScaleTerm *scale, TsValue *symbol)
{
  guint at = scale->n_symbols;

  if (scale->n_symbols >= TS_AFFINE_SYMBOLS)
    return FALSE;
  for (guint i = 0; i < scale->n_symbols; i++)
    if (scale->symbols[i] == symbol) /* N x N cannot be compared with anything useful */
      return FALSE;
  while (at > 0 && scale->symbols[at - 1]->id > symbol->id)
    {
      scale->symbols[at] = scale->symbols[at - 1];
      at--;
    }
  scale->symbols[at] = symbol;
  scale->n_symbols++;
  return TRUE;
}

static TsGraphReason
multiply_constant (TsScaleTerm *scale, gint64 constant)
{
  if (constant <= 0)
    return constant == 0 ? TS_GRAPH_ZERO_STRIDE : TS_GRAPH_NEGATIVE_STRIDE;
  return ts_mul (scale->factor, constant, &scale->factor) ? TS_GRAPH_PROVEN : TS_GRAPH_DYNAMIC_STRIDE;
}

/* Multiplies a scalar into the scale: constants, flag-free products, and symbols. */
static TsGraphReason
multiply_scalar (TsScaleTerm *scale, const TsExpr *scalar, guint depth)
{
  const TsOp *def = ts_graph_def (scalar);
  TsValue *value = ts_expr_as_value (scalar);
  TsGraphReason reason;
  gint64 constant;

  if (depth > MAX_DEPTH || value == NULL)
    return TS_GRAPH_DYNAMIC_STRIDE;
  if (ts_graph_const_scalar (scalar, &constant))
    return multiply_constant (scale, constant);
  if (def != NULL && def->code == TS_OP_ARITH_MULI && !ts_graph_has_flags (def))
    {
      reason = multiply_scalar (scale, def->operands[0], depth + 1);
      return reason != TS_GRAPH_PROVEN ? reason : multiply_scalar (scale, def->operands[1], depth + 1);
    }
  if (!ts_type_is_scalar (value->type) || !ts_dtype_is_integer ((TsDtype) value->type->dtype) || !add_symbol (scale, value))
    return TS_GRAPH_DYNAMIC_STRIDE;
  return TS_GRAPH_PROVEN;
}

/* A uniform tensor: splat of a scalar, or a dense splat integer. */
static TsGraphReason
multiply_uniform (TsScaleTerm *scale, const TsExpr *uniform)
{
  const TsOp *def = ts_graph_def (uniform);
  gint64 constant;

  if (ts_graph_const_splat (uniform, &constant))
    return multiply_constant (scale, constant);
  return def != NULL && def->code == TS_OP_TT_SPLAT ? multiply_scalar (scale, def->operands[0], 0) : TS_GRAPH_DYNAMIC_STRIDE;
}

/* Are a's symbols a sub-multiset of b's? (No symbol occurs twice.) */
static gboolean
symbols_within (const TsScaleTerm *a, const TsScaleTerm *b)
{
  guint k = 0;

  for (guint i = 0; i < a->n_symbols; i++, k++)
    {
      while (k < b->n_symbols && b->symbols[k] != a->symbols[i])
        k++;
      if (k == b->n_symbols)
        return FALSE;
    }
  return TRUE;
}

/* a is certainly larger than b. */
static gboolean
exceeds (const TsScaleTerm *a, const TsScaleTerm *b)
{
  if (!symbols_within (b, a))
    return FALSE;
  return a->n_symbols > b->n_symbols || a->factor > b->factor;
}

/* --- lanes ----------------------------------------------------------------------------------------------------------------- */

static gboolean
cone_has_range (const TsExpr *e, guint depth, guint *budget)
{
  const TsOp *def = ts_graph_def (e);

  if (def == NULL || depth > MAX_DEPTH || *budget == 0)
    return FALSE;
  (*budget)--;
  if (def->code == TS_OP_TT_MAKE_RANGE)
    return TRUE;
  if (!ts_graph_is_pure (def) || def->n_regions > 0)
    return FALSE;
  for (guint i = 0; i < def->n_operands; i++)
    if (cone_has_range (def->operands[i], depth + 1, budget))
      return TRUE;
  return FALSE;
}

static gboolean
lane_axis (const TsExpr *lane, guint rank, guint *axis)
{
  const TsType *type = ts_expr_as_value (lane) != NULL ? ts_expr_as_value (lane)->type : NULL;
  guint found = 0, budget = 256;

  if (!ts_graph_is_plain_tensor (type) || type->rank != rank)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    if (ts_graph_extent (type, i) != 1)
      {
        *axis = i;
        found++;
      }
  return found == 1 && cone_has_range (lane, 0, &budget);
}

static gboolean
is_uniform (const TsExpr *e)
{
  const TsOp *def = ts_graph_def (e);
  gint64 ignored;

  return def != NULL && (def->code == TS_OP_TT_SPLAT || ts_graph_const_splat (e, &ignored));
}

/* broadcast (lane), broadcast (lane x u), broadcast (u x lane) */
static TsGraphReason
read_lane_term (const TsOp *broadcast, TsAffine *out, gboolean *seen)
{
  const TsExpr *lane = broadcast->operands[0];
  const TsOp *muli = ts_graph_def (lane);
  TsScaleTerm scale = { .factor = 1 };
  TsGraphReason reason;
  guint axis;

  if (muli != NULL && muli->code == TS_OP_ARITH_MULI && is_uniform (muli->operands[0]) != is_uniform (muli->operands[1]))
    {
      gboolean left = is_uniform (muli->operands[0]);

      lane = muli->operands[left ? 1 : 0];
      reason = multiply_uniform (&scale, muli->operands[left ? 0 : 1]);
      if (reason != TS_GRAPH_PROVEN)
        return reason;
    }
  if (!lane_axis (lane, out->rank, &axis))
    return TS_GRAPH_INVALID_EXPAND_DIMS_CHAIN;
  if (seen[axis])
    return TS_GRAPH_DUPLICATE_AXIS_PROVENANCE;
  seen[axis] = TRUE;
  out->scales[axis] = scale;
  out->lanes[axis] = ts_expr_as_value (lane);
  return TS_GRAPH_PROVEN;
}

static TsGraphReason
read_terms (const TsExpr *e, TsAffine *out, gboolean *seen, guint *n, guint depth, const TsOp **at)
{
  const TsOp *def = ts_graph_def (e);
  TsGraphReason reason;

  if (def == NULL || depth > MAX_DEPTH)
    return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
  *at = def;
  if (def->code == TS_OP_ARITH_ADDI)
    {
      reason = read_terms (def->operands[0], out, seen, n, depth + 1, at);
      return reason != TS_GRAPH_PROVEN ? reason : read_terms (def->operands[1], out, seen, n, depth + 1, at);
    }
  if (def->code == TS_OP_TT_SPLAT)
    return TS_GRAPH_PROVEN;
  if (def->code != TS_OP_TT_BROADCAST)
    return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
  (*n)++;
  return read_lane_term (def, out, seen);
}

/* --- layout ---------------------------------------------------------------------------------------------------------------- */

static TsGraphReason
sort_axes (TsAffine *out)
{
  gboolean taken[TS_GRAPH_MAX_RANK] = { FALSE };

  out->order.rank = out->rank;
  for (guint k = 0; k < out->rank; k++)
    {
      guint best = out->rank;

      for (guint a = 0; a < out->rank && best == out->rank; a++)
        {
          gboolean largest = !taken[a];

          for (guint b = 0; b < out->rank && largest; b++)
            largest = b == a || taken[b] || exceeds (&out->scales[a], &out->scales[b]);
          if (largest)
            best = a;
        }
      if (best == out->rank)
        return TS_GRAPH_INCOMPARABLE_STRIDES;
      taken[best] = TRUE;
      out->order.axes[k] = (guint8) best;
    }
  return ts_permutation_is_identity (&out->order) ? TS_GRAPH_INTEGER_IDENTITY : TS_GRAPH_PROVEN;
}

TsGraphReason
ts_affine_layout (const TsExpr *pointer, TsAffine *out, const TsOp **at)
{
  TsValue *value = ts_expr_as_value (pointer);
  const TsType *type = value != NULL ? value->type : NULL;
  const TsOp *addptr = ts_graph_def (pointer), *splat;
  gboolean seen[TS_GRAPH_MAX_RANK] = { FALSE };
  guint n = 0;
  TsGraphReason reason;

  *out = (TsAffine) { 0 };
  if (!ts_graph_is_pointer_tensor (type))
    return TS_GRAPH_UNSUPPORTED_POINTER_TYPE;
  if (!ts_graph_is_plain_tensor (type))
    return type->text != NULL ? TS_GRAPH_UNSUPPORTED_ENCODING : TS_GRAPH_DYNAMIC_SHAPE;
  if (type->rank < 2 || type->rank > TS_GRAPH_MAX_RANK)
    return TS_GRAPH_UNSUPPORTED_RANK;
  if (addptr == NULL || addptr->code != TS_OP_TT_ADDPTR)
    return TS_GRAPH_UNRESOLVED_POINTER;
  *at = addptr;
  splat = ts_graph_def (addptr->operands[0]);
  if (splat == NULL || splat->code != TS_OP_TT_SPLAT)
    return TS_GRAPH_UNSUPPORTED_POINTER_FORM;
  out->rank = type->rank;
  for (guint i = 0; i < out->rank; i++)
    out->shape[i] = ts_graph_extent (type, i);
  reason = read_terms (addptr->operands[1], out, seen, &n, 0, at);
  if (reason != TS_GRAPH_PROVEN)
    return reason;
  if (n != out->rank)
    return TS_GRAPH_UNSUPPORTED_AFFINE_OFFSET;
  return sort_axes (out);
}

/* --- domain ---------------------------------------------------------------------------------------------------------------- */

/* Bounds that a mask puts on lanes: lane < B or B > lane, B uniform. */
typedef struct
{
  const TsAffine *affine;
  TsScaleTerm     bounds[TS_GRAPH_MAX_RANK];
  gboolean        bounded[TS_GRAPH_MAX_RANK];
} Mask;

static void
note_bound (Mask *mask, const TsExpr *lane, const TsExpr *bound)
{
  TsScaleTerm scale = { .factor = 1 };

  if (multiply_uniform (&scale, bound) != TS_GRAPH_PROVEN)
    return;
  for (guint i = 0; i < mask->affine->rank; i++)
    if (mask->affine->lanes[i] == ts_expr_as_value (lane))
      {
        mask->bounds[i] = scale;
        mask->bounded[i] = TRUE;
      }
}

static void
read_compare (Mask *mask, const TsOp *cmp)
{
  enum { SLT = 2, SGT = 4, ULT = 6, UGT = 8 };
  gint64 predicate = ts_op_attr_int (cmp, "predicate", -1);

  if (predicate == SLT || predicate == ULT)
    note_bound (mask, cmp->operands[0], cmp->operands[1]);
  else if (predicate == SGT || predicate == UGT)
    note_bound (mask, cmp->operands[1], cmp->operands[0]);
}

/* A tree of cmpi, andi and broadcast: a node that has another user is shared, and rejects. The root is used by the accesses. */
static gboolean
read_mask (Mask *mask, const TsExpr *e, const TsGraphUses *uses, guint depth)
{
  const TsOp *def = ts_graph_def (e);

  if (def == NULL || depth > MAX_DEPTH || (depth > 0 && ts_graph_n_uses (uses, ts_expr_as_value (e)) > 1))
    return FALSE;
  switch ((int) def->code)
    {
    case TS_OP_ARITH_CMPI:
      read_compare (mask, def);
      return TRUE;
    case TS_OP_ARITH_ANDI:
      return read_mask (mask, def->operands[0], uses, depth + 1) && read_mask (mask, def->operands[1], uses, depth + 1);
    case TS_OP_TT_BROADCAST:
      return read_mask (mask, def->operands[0], uses, depth + 1);
    default:
      return FALSE;
    }
}

/* outer >= inner x capacity, with the same symbols on both sides. */
static gboolean
covers (const TsScaleTerm *outer, const TsScaleTerm *inner, const TsScaleTerm *capacity)
{
  TsScaleTerm product = *inner;

  if (!ts_mul (product.factor, capacity->factor, &product.factor))
    return FALSE;
  for (guint i = 0; i < capacity->n_symbols; i++)
    if (!add_symbol (&product, capacity->symbols[i]))
      return FALSE;
  return product.n_symbols == outer->n_symbols && symbols_within (&product, outer) && outer->factor >= product.factor;
}

static TsGraphReason
constant_domain (const TsAffine *affine)
{
  gint64 reach = 0;

  for (guint k = affine->rank; k-- > 0;)
    {
      guint axis = affine->order.axes[k];

      if (affine->scales[axis].factor <= reach)
        return TS_GRAPH_NON_INJECTIVE_LANES;
      reach = ts_add_sat (reach, ts_mul_sat (affine->scales[axis].factor, affine->shape[axis] - 1));
    }
  return TS_GRAPH_PROVEN;
}

TsGraphReason
ts_affine_domain (const TsAffine *affine, const TsExpr *expr, const TsGraphUses *uses, const TsOp **at)
{
  Mask mask = { .affine = affine };
  gboolean symbolic = FALSE;

  for (guint i = 0; i < affine->rank; i++)
    symbolic = symbolic || affine->scales[i].n_symbols > 0;
  if (!symbolic)
    {
      TsValue *value = expr != NULL ? ts_expr_as_value (expr) : NULL;

      if (value != NULL && (!ts_graph_is_plain_tensor (value->type) || value->type->rank != affine->rank))
        return TS_GRAPH_NO_DOMAIN_PROOF;
      return constant_domain (affine);
    }
  if (expr == NULL || !read_mask (&mask, expr, uses, 0))
    return TS_GRAPH_NO_DOMAIN_PROOF;
  *at = ts_graph_def (expr);
  for (guint k = 0; k + 1 < affine->rank; k++)
    {
      guint outer = affine->order.axes[k], inner = affine->order.axes[k + 1];
      TsScaleTerm extent = { .factor = affine->shape[inner] };

      if (!covers (&affine->scales[outer], &affine->scales[inner], &extent)
          && !(mask.bounded[inner] && covers (&affine->scales[outer], &affine->scales[inner], &mask.bounds[inner])))
        return TS_GRAPH_NO_DOMAIN_PROOF;
    }
  return TS_GRAPH_PROVEN;
}
