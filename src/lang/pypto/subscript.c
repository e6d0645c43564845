/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subscripts of tensors, tiles, arrays and tuples: sugar that is never printed. Source: spec dsl 4.4. */
#include <string.h>

#include "base/number.h"
#include "ir/infer.h"
#include "ir/op-info.h"
#include "lang/pypto/reader.h"

/* One dimension of a window. */
typedef struct
{
  TsExpr  *offset;
  TsExpr  *extent;
  gboolean dropped; /* an index, not a slice: the dimension disappears */
} Window;

static const TsNode *
index_at (const TsNode *index, guint i)
{
  if (index->kind != TS_NODE_TUPLE)
    return i == 0 ? index : NULL;
  index = index->first;
  while (index != NULL && i-- > 0)
    index = index->next;
  return index;
}

static guint
count_indices (const TsNode *index)
{
  return index->kind == TS_NODE_TUPLE ? index->n : 1;
}

/* --- symbolic difference ------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsExpr *e;
  gint64  factor;
} Term;

/* A sum as its constant and its other terms, each once. */
typedef struct
{
  gint64  constant;
  GArray *terms; /* Term */
} Sum;

static gboolean
add_term (Sum *sum, TsExpr *e, gint64 factor)
{
  for (guint i = 0; i < sum->terms->len; i++)
    {
      Term *term = &g_array_index (sum->terms, Term, i);

      if (ts_expr_equal (term->e, e))
        return ts_add (term->factor, factor, &term->factor);
    }
  Term term = { e, factor };
  g_array_append_val (sum->terms, term);
  return TRUE;
}

/* Adds factor x e, products with constants taken apart: (i + 1) * 16 is 16 x i + 16. FALSE: it does not fit in 64 bits. */
static gboolean
add_terms (Sum *sum, TsExpr *e, gint64 factor)
{
  gint64 value;

  if (ts_expr_as_int (e, &value))
    return ts_mul (value, factor, &value) && ts_add (sum->constant, value, &sum->constant);
  if (e->kind == TS_EXPR_BINARY && e->op == TS_OPERATOR_ADD)
    return add_terms (sum, e->items[0], factor) && add_terms (sum, e->items[1], factor);
  if (e->kind == TS_EXPR_BINARY && e->op == TS_OPERATOR_SUB)
    return add_terms (sum, e->items[0], factor) && factor != G_MININT64 && add_terms (sum, e->items[1], -factor);
  for (guint i = 0; e->kind == TS_EXPR_BINARY && e->op == TS_OPERATOR_MUL && i < 2; i++)
    if (ts_expr_as_int (e->items[i], &value))
      return ts_mul (value, factor, &value) && add_terms (sum, e->items[1 - i], value);
  return add_term (sum, e, factor);
}

static gboolean
is_constant (const Sum *sum)
{
  for (guint i = 0; i < sum->terms->len; i++)
    if (g_array_index (sum->terms, Term, i).factor != 0)
      return FALSE;
  return TRUE;
}

/* upper - lower, a number where equal terms cancel: r + 64 - r is 64, and so is (i + 1) * 64 - i * 64. */
static TsExpr *
difference (TsReader *reader, const TsNode *node, TsExpr *upper, TsExpr *lower)
{
  g_autoptr (GArray) terms = g_array_new (FALSE, FALSE, sizeof (Term));
  Sum sum = { 0, terms };
  gint64 zero;

  if (ts_expr_as_int (lower, &zero) && zero == 0)
    return upper;
  if (!add_terms (&sum, upper, 1) || !add_terms (&sum, lower, -1))
    return ts_reader_error (reader, "limit", node, "an extent that does not fit in 64 bits");
  if (is_constant (&sum))
    return ts_expr_index (reader->module, sum.constant);
  return ts_typed_binary (reader, node, TS_OPERATOR_SUB, upper, lower);
}

/* --- windows ------------------------------------------------------------------------------------------------------------- */

static gboolean
read_bound (TsReader *reader, const TsNode *node, TsExpr *fallback, TsExpr **out)
{
  gint64 value;

  *out = node->kind == TS_NODE_EMPTY ? fallback : ts_read_whole_number (reader, node);
  if (*out == NULL)
    return FALSE;
  if (ts_expr_as_int (*out, &value) && value < 0)
    return ts_reader_error (reader, "unsupported", node, "a negative start or end of a slice is not supported") != NULL;
  return TRUE;
}

static gboolean
read_window (TsReader *reader, const TsType *type, guint axis, const TsNode *node, Window *out)
{
  TsExpr *upper;

  if (node == NULL)
    {
      *out = (Window) { ts_expr_index (reader->module, 0), type->dims[axis], FALSE };
      return TRUE;
    }
  if (node->kind == TS_NODE_ELLIPSIS)
    return ts_reader_error (reader, "unsupported", node, "an ellipsis in a subscript is not supported") != NULL;
  if (node->kind != TS_NODE_SLICE)
    {
      *out = (Window) { ts_read_whole_number (reader, node), ts_expr_index (reader->module, 1), TRUE };
      return out->offset != NULL;
    }
  if (node->first->next->next->kind != TS_NODE_EMPTY)
    return ts_reader_error (reader, "unsupported", node, "a slice step is not supported") != NULL;
  out->dropped = FALSE;
  if (!read_bound (reader, node->first, ts_expr_index (reader->module, 0), &out->offset)
      || !read_bound (reader, node->first->next, type->dims[axis], &upper))
    return FALSE;
  out->extent = difference (reader, node, upper, out->offset);
  return out->extent != NULL;
}

/* The window of each dimension, in the pool; NULL on error. */
static Window *
read_windows (TsReader *reader, const TsType *type, const TsNode *index)
{
  Window *windows = ts_pool_array (reader->pool, Window, MAX (type->rank, 1));

  if (count_indices (index) > type->rank)
    return ts_reader_error (reader, "bad-argument", index, "too many indices: %u for %u dimensions", count_indices (index),
                            type->rank);
  for (guint i = 0; i < type->rank; i++)
    if (!read_window (reader, type, i, index_at (index, i), &windows[i]))
      return NULL;
  return windows;
}

static TsExpr *
window_list (TsReader *reader, const Window *windows, guint n, gboolean extents)
{
  TsExpr **items = ts_pool_array (reader->pool, TsExpr *, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    items[i] = extents ? windows[i].extent : windows[i].offset;
  return ts_expr_list (reader->module, items, n);
}

static TsOp *
new_op (TsReader *reader, const TsType *type, const char *word, TsExpr *const *operands, guint n)
{
  g_autofree char *name = g_strconcat (ts_type_is_tile (type) ? "tile." : "tensor.", word, NULL);

  return ts_op_new (reader->module, ts_op_code_from_name (name, -1), name, operands, n);
}

/* x[0:8, :] and x[3]: shape, offset, and for dropped dimensions an empty valid shape and their numbers. */
static TsOp *
read_slice (TsReader *reader, TsExpr *base, const TsType *type, const TsNode *index)
{
  Window *windows = read_windows (reader, type, index);
  TsExpr *operands[5] = { base }, **dropped = ts_pool_array (reader->pool, TsExpr *, MAX (type->rank, 1));
  guint n_dropped = 0;
  gint64 value;

  if (windows == NULL)
    return NULL;
  for (guint i = 0; i < type->rank; i++)
    {
      if (ts_type_is_tile (type) && !ts_expr_as_int (windows[i].extent, &value))
        return ts_reader_error (reader, "bad-argument", index, "a slice of a tile has constant extents");
      if (windows[i].dropped && !(ts_type_is_tile (type) && type->rank - n_dropped <= 2))
        dropped[n_dropped++] = ts_expr_index (reader->module, i);
    }
  operands[1] = window_list (reader, windows, type->rank, TRUE);
  operands[2] = window_list (reader, windows, type->rank, FALSE);
  operands[3] = ts_expr_list (reader->module, NULL, 0);
  operands[4] = ts_expr_list (reader->module, dropped, n_dropped);
  return new_op (reader, type, "slice", operands, n_dropped > 0 ? 5 : 3);
}

static gboolean
has_slice (const TsNode *index)
{
  for (guint i = 0; i < count_indices (index); i++)
    if (index_at (index, i)->kind == TS_NODE_SLICE || index_at (index, i)->kind == TS_NODE_ELLIPSIS)
      return TRUE;
  return FALSE;
}

static TsOp *
read_element (TsReader *reader, TsExpr *base, const TsType *type, const TsNode *index)
{
  TsExpr **items = ts_pool_array (reader->pool, TsExpr *, MAX (type->rank, 1));
  TsExpr *operands[2] = { base };

  for (guint i = 0; i < type->rank; i++)
    if ((items[i] = ts_read_whole_number (reader, index_at (index, i))) == NULL)
      return NULL;
  operands[1] = ts_expr_list (reader->module, items, type->rank);
  return new_op (reader, type, "read", operands, 2);
}

/* --- all kinds of values ------------------------------------------------------------------------------------------------- */

static TsExpr *
read_tuple_item (TsReader *reader, TsExpr *base, const TsType *type, const TsNode *index)
{
  TsExpr *e = ts_read_expr (reader, index);
  gint64 i;

  if (e == NULL)
    return NULL;
  if (!ts_expr_as_int (e, &i))
    return ts_reader_error (reader, "bad-argument", index, "a tuple is indexed by a constant");
  if (i < 0 || (type != NULL && i >= type->n_elems))
    return ts_reader_error (reader, "bad-argument", index, "the tuple has no item %" G_GINT64_FORMAT, i);
  return ts_expr_get (reader->module, base, (guint) i);
}

TsOp *
ts_read_subscript (TsReader *reader, const TsNode *node, TsExpr **expr)
{
  const TsNode *index = node->first->next;
  TsExpr *base = ts_read_expr (reader, node->first);
  const TsType *type = base != NULL ? ts_reader_type_of (reader, base) : NULL;
  TsExpr *operands[2] = { base };

  *expr = NULL;
  if (base == NULL)
    return NULL;
  if (base->kind == TS_EXPR_LIST || ts_type_is (type, TS_TYPE_TUPLE))
    {
      gint64 i;

      *expr = read_tuple_item (reader, base, type, index);
      if (*expr != NULL && base->kind == TS_EXPR_LIST && ts_expr_as_int (ts_read_expr (reader, index), &i) && i < base->n)
        *expr = base->list[i];
      return NULL;
    }
  if (ts_type_is (type, TS_TYPE_ARRAY))
    {
      if ((operands[1] = ts_read_whole_number (reader, index)) == NULL)
        return NULL;
      return ts_op_new (reader->module, TS_OP_ARRAY_GET_ELEMENT, NULL, operands, 2);
    }
  if (!ts_type_is_tensor (type) && !ts_type_is_tile (type))
    return ts_reader_error (reader, "unsupported", node, "only tensors, tiles, arrays and tuples have subscripts");
  if (count_indices (index) > type->rank)
    return ts_reader_error (reader, "bad-argument", index, "too many indices: %u for %u dimensions", count_indices (index),
                            type->rank);
  if (count_indices (index) == type->rank && !has_slice (index))
    return read_element (reader, base, type, index);
  return read_slice (reader, base, type, index);
}

/* --- stores -------------------------------------------------------------------------------------------------------------- */

/* What a tile or tensor holds along a dimension: its valid extent where its view says one. NULL: not a constant. */
static gboolean
stored_extent (const TsType *type, guint axis, gint64 *extent)
{
  if (type->view != NULL && type->view->valid_shape != NULL
      && ts_expr_as_int (type->view->valid_shape[axis], extent))
    return TRUE;
  return ts_type_const_dim (type, axis, extent);
}

/* A window that provably leaves the base is an error, as for pl.load(); it is not cut off as Python's are. FALSE: reported. */
static gboolean
check_inside (TsReader *reader, const TsNode *node, const Window *window, const TsType *base, guint axis)
{
  gint64 start, length, end, dim;

  if (!ts_expr_as_int (window->offset, &start) || !ts_expr_as_int (window->extent, &length)
      || !ts_type_const_dim (base, axis, &dim)
      || (!__builtin_add_overflow (start, length, &end) && start >= 0 && length >= 0 && end <= dim))
    return TRUE;
  return ts_reader_error (reader, "out-of-bounds", node,
                          "past the end of dimension %u: %" G_GINT64_FORMAT " + %" G_GINT64_FORMAT " is more than "
                          "%" G_GINT64_FORMAT, axis, start, length, dim) != NULL;
}

/* The value fills the window, with or without the dimensions that an index picked. Dimensions that are no constants may fit.
 * FALSE: reported. Source: spec dsl 4.4. */
static gboolean
check_stored (TsReader *reader, const TsNode *node, const Window *windows, guint rank, const TsType *type)
{
  guint n_kept = 0, axis = 0;

  for (guint i = 0; i < rank; i++)
    n_kept += !windows[i].dropped;
  if (!ts_type_is_tensor (type) && !ts_type_is_tile (type))
    return ts_reader_error (reader, "type-mismatch", node, "a window is filled with a tensor or a tile, not with %s",
                            ts_type_is_scalar (type) ? "a scalar" : "this") != NULL;
  if (type->rank != rank && type->rank != n_kept)
    return ts_reader_error (reader, "shape-mismatch", node, "the window has %u dimensions, the value %u", n_kept,
                            type->rank) != NULL;
  for (guint i = 0; i < rank; i++)
    {
      gint64 wanted, extent, whole;

      if (windows[i].dropped && type->rank != rank)
        continue;
      if (ts_expr_as_int (windows[i].extent, &wanted) && ts_type_const_dim (type, axis, &whole) && whole != wanted
          && stored_extent (type, axis, &extent) && extent != wanted)
        return ts_reader_error (reader, "shape-mismatch", node,
                                "dimension %u of the window is %" G_GINT64_FORMAT ", of the value %" G_GINT64_FORMAT, i, wanted,
                                extent) != NULL;
      axis++;
    }
  return TRUE;
}

static TsOp *
make_store (TsReader *reader, TsStatement *statement, TsExpr *base, const TsType *type, TsExpr *value)
{
  const TsNode *index = statement->targets->first->next;
  TsExpr *operands[3] = { base, value };
  const TsType *stored;
  Window *windows;

  if (ts_type_is (type, TS_TYPE_ARRAY))
    {
      operands[1] = ts_read_whole_number (reader, index);
      operands[2] = value;
      return operands[1] != NULL ? ts_op_new (reader->module, TS_OP_ARRAY_UPDATE_ELEMENT, NULL, operands, 3) : NULL;
    }
  if (!ts_type_is_tensor (type) && !ts_type_is_tile (type))
    return ts_reader_error (reader, "unsupported", statement->targets, "only tensors, tiles and arrays can be stored into");
  if (!has_slice (index))
    return ts_reader_error (reader, "unsupported", statement->targets,
                            "a single element cannot be stored by subscript; use pl.write()");
  if ((windows = read_windows (reader, type, index)) == NULL)
    return NULL;
  for (guint i = 0; i < type->rank; i++)
    if (!check_inside (reader, statement->targets, &windows[i], type, i))
      return NULL;
  stored = ts_reader_type_of (reader, value);
  if (stored != NULL && !check_stored (reader, statement->value, windows, type->rank, stored))
    return NULL;
  operands[2] = window_list (reader, windows, type->rank, FALSE);
  return new_op (reader, type, "assemble", operands, 3);
}

void
ts_read_subscript_store (TsReader *reader, TsStatement *statement)
{
  const TsNode *target = statement->targets->first;
  TsExpr *base, *value;
  const TsType *type;
  TsOp *op;

  if (target->kind != TS_NODE_NAME || target->name->parent != NULL)
    {
      ts_reader_error (reader, "unsupported", target, "only a variable can be stored into");
      return;
    }
  if (reader->function->strict_ssa)
    {
      ts_reader_error (reader, "already-defined", statement->targets,
                       "a store by subscript assigns '%s' again, which strict_ssa forbids",
                       target->name->text);
      return;
    }
  base = ts_read_expr (reader, target);
  value = ts_read_expr (reader, statement->value);
  if (base == NULL || value == NULL)
    return;
  type = ts_reader_type_of (reader, base);
  if ((op = make_store (reader, statement, base, type, value)) == NULL)
    return;
  ts_reader_define_result (reader, op, target, type);
  ts_reader_emit (reader, op, statement);
}
