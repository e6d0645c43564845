/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structural comparison up to renaming. Definitions of the two sides pair one-to-one; uses must follow the pairs. Source: dsl
 * 8.1. */

#include "ir/compare.h"

#include <string.h>

#include "base/number.h"

typedef struct
{
  const TsModule *a, *b;
  TsCompareFlags  flags;
  const TsValue **to_b;  /* by id in a */
  const TsValue **to_a;  /* by id in b */
  const char     *where; /* part of the operation that is being compared, for the reason */
  const TsOp     *op_a, *op_b;
  char           *reason;
} Comparison;

static gboolean same_op (Comparison *c, const TsOp *a, const TsOp *b);
static gboolean same_type (Comparison *c, const TsType *a, const TsType *b);

/* --- words for the reason --------------------------------------------------------------------------------------------------- */

#define MAX_WORDS 120u

/* A short form of an expression: enough to see the difference, not the printed form of a language. */
static void
describe_expr (GString *out, const TsExpr *e)
{
  if (out->len > MAX_WORDS)
    return;
  switch ((TsExprKind) e->kind)
    {
    case TS_EXPR_INT:
      if (e->dtype == TS_DTYPE_BOOL)
        g_string_append (out, e->i != 0 ? "True" : "False");
      else if (e->n == 1)
        g_string_append_printf (out, "%" G_GUINT64_FORMAT, (guint64) e->i);
      else
        ts_append_int (out, e->i);
      break;
    case TS_EXPR_FLOAT:
      ts_append_double (out, e->f);
      break;
    case TS_EXPR_VALUE:
      g_string_append (out, e->value->hint[0] != '\0' ? e->value->hint : "%");
      break;
    case TS_EXPR_STRING:
    case TS_EXPR_ENUM:
    case TS_EXPR_TEXT:
      g_string_append (out, e->text);
      break;
    case TS_EXPR_DTYPE:
      g_string_append (out, ts_dtype_name (e->dtype));
      break;
    case TS_EXPR_NONE:
      g_string_append (out, "None");
      break;
    case TS_EXPR_UNARY:
      g_string_append_printf (out, "%s ", ts_operator_symbol (e->op));
      describe_expr (out, e->items[0]);
      break;
    case TS_EXPR_BINARY:
      g_string_append_c (out, '(');
      describe_expr (out, e->items[0]);
      g_string_append_printf (out, " %s ", ts_operator_symbol (e->op));
      describe_expr (out, e->items[1]);
      g_string_append_c (out, ')');
      break;
    case TS_EXPR_CAST:
      g_string_append (out, "cast ");
      describe_expr (out, e->items[0]);
      break;
    case TS_EXPR_GET:
      describe_expr (out, e->items[0]);
      g_string_append_printf (out, "[%u]", e->n);
      break;
    case TS_EXPR_LIST:
      g_string_append_c (out, '[');
      for (guint i = 0; i < e->n && out->len <= MAX_WORDS; i++)
        {
          g_string_append (out, i > 0 ? ", " : "");
          describe_expr (out, e->list[i]);
        }
      g_string_append_c (out, ']');
      break;
    case TS_EXPR_CALL:
      g_string_append_printf (out, "%s(...)", e->call->name != NULL ? e->call->name : "call");
      break;
    case TS_EXPR_MEMBERSHIP:
      for (guint i = 0; i < e->n; i++)
        g_string_append_printf (out, "%s%d:%d", i > 0 ? ";" : "", e->pairs[i].group, e->pairs[i].stage);
      break;
    }
}

static char *
describe (const TsExpr *e)
{
  GString *out = g_string_new (NULL);

  describe_expr (out, e);
  if (out->len > MAX_WORDS)
    {
      g_string_truncate (out, MAX_WORDS);
      g_string_append (out, "...");
    }
  return g_string_free (out, FALSE);
}

/* Keeps the first reason. Always FALSE, so that callers can return it. */
G_GNUC_PRINTF (2, 3)
static gboolean
differ (Comparison *c, const char *format, ...)
{
  va_list args;

  if (c->reason != NULL)
    return FALSE;
  va_start (args, format);
  if (c->where != NULL)
    {
      g_autofree char *text = g_strdup_vprintf (format, args);

      c->reason = g_strdup_printf ("%s: %s", c->where, text);
    }
  else
    c->reason = g_strdup_vprintf (format, args);
  va_end (args);
  return FALSE;
}

/* --- variables --------------------------------------------------------------------------------------------------------------- */

static gboolean
is_symbol (const TsValue *value)
{
  return value->kind == TS_VALUE_SYMBOL;
}

static gboolean
same_value (Comparison *c, const TsValue *a, const TsValue *b)
{
  if (c->to_b[a->id] == b && c->to_a[b->id] == a)
    return TRUE;
  if (c->to_b[a->id] != NULL || c->to_a[b->id] != NULL || is_symbol (a) != is_symbol (b))
    return differ (c, "%s against %s", a->hint, b->hint);
  if ((c->flags & TS_COMPARE_VALUES) && strcmp (a->hint, b->hint) != 0)
    return differ (c, "name %s against %s", a->hint, b->hint);
  /* Also a use in front of its definition: signatures may name variables of the body. */
  c->to_b[a->id] = b;
  c->to_a[b->id] = a;
  return TRUE;
}

static gboolean
same_definition (Comparison *c, const TsValue *a, const TsValue *b)
{
  return same_value (c, a, b) && same_type (c, a->type, b->type);
}

/* --- expressions ------------------------------------------------------------------------------------------------------------- */

typedef enum { DTYPE_COUNTS, DTYPE_IGNORED } DtypeRule;

static gboolean same_expr (Comparison *c, const TsExpr *a, const TsExpr *b, DtypeRule rule);

static gboolean
same_items (Comparison *c, TsExpr *const *a, guint n_a, TsExpr *const *b, guint n_b, DtypeRule rule)
{
  if (n_a != n_b)
    return differ (c, "%u entries against %u", n_a, n_b);
  for (guint i = 0; i < n_a; i++)
    if (!same_expr (c, a[i], b[i], rule))
      return FALSE;
  return TRUE;
}

static gboolean
same_pairs (const TsExpr *a, const TsExpr *b)
{
  return a->n == b->n && (a->n == 0 || memcmp (a->pairs, b->pairs, a->n * sizeof *a->pairs) == 0)
    && g_strcmp0 (a->raw, b->raw) == 0;
}

/* Leaves of equal kind. */
static gboolean
same_leaf (const TsExpr *a, const TsExpr *b, DtypeRule rule)
{
  switch ((TsExprKind) a->kind)
    {
    case TS_EXPR_INT:
      return a->i == b->i && a->n == b->n && (rule == DTYPE_IGNORED || a->dtype == b->dtype);
    case TS_EXPR_FLOAT:
      return memcmp (&a->f, &b->f, sizeof a->f) == 0 && (rule == DTYPE_IGNORED || a->dtype == b->dtype);
    case TS_EXPR_STRING:
    case TS_EXPR_ENUM:
    case TS_EXPR_TEXT:
      return strcmp (a->text, b->text) == 0;
    case TS_EXPR_DTYPE:
      return a->dtype == b->dtype;
    case TS_EXPR_MEMBERSHIP:
      return same_pairs (a, b);
    default:
      return TRUE;
    }
}

static gboolean
differ_exprs (Comparison *c, const TsExpr *a, const TsExpr *b)
{
  g_autofree char *text_a = describe (a), *text_b = describe (b);

  if (strcmp (text_a, text_b) == 0)
    return differ (c, "%s, as %s against %s", text_a, ts_dtype_name (a->dtype), ts_dtype_name (b->dtype));
  return differ (c, "%s against %s", text_a, text_b);
}

static gboolean
same_expr (Comparison *c, const TsExpr *a, const TsExpr *b, DtypeRule rule)
{
  if (a == b && !a->has_values)
    return TRUE;
  if (a->kind != b->kind)
    return differ_exprs (c, a, b);
  switch ((TsExprKind) a->kind)
    {
    case TS_EXPR_VALUE:
      return same_value (c, a->value, b->value);
    case TS_EXPR_UNARY:
      if (a->op != b->op)
        return differ_exprs (c, a, b);
      return same_expr (c, a->items[0], b->items[0], DTYPE_COUNTS);
    case TS_EXPR_BINARY:
      if (a->op != b->op)
        return differ_exprs (c, a, b);
      return same_expr (c, a->items[0], b->items[0], DTYPE_COUNTS) && same_expr (c, a->items[1], b->items[1], DTYPE_COUNTS);
    case TS_EXPR_CAST:
      if (a->dtype != b->dtype)
        return differ (c, "cast to %s against %s", ts_dtype_name (a->dtype), ts_dtype_name (b->dtype));
      return same_expr (c, a->items[0], b->items[0], DTYPE_COUNTS);
    case TS_EXPR_GET:
      if (a->n != b->n)
        return differ (c, "item %u against %u", a->n, b->n);
      return same_expr (c, a->items[0], b->items[0], DTYPE_COUNTS);
    case TS_EXPR_LIST:
      if (g_strcmp0 (a->raw, b->raw) != 0)
        return differ (c, "%s against %s", a->raw != NULL ? a->raw : "list", b->raw != NULL ? b->raw : "list");
      return same_items (c, a->list, a->n, b->list, b->n, rule);
    case TS_EXPR_CALL:
      return same_op (c, a->call, b->call);
    default:
      return same_leaf (a, b, rule) ? TRUE : differ_exprs (c, a, b);
    }
}

/* --- types ------------------------------------------------------------------------------------------------------------------- */

/* A static dimension counts by its value. */
static gboolean
same_dims (Comparison *c, TsExpr *const *a, guint n_a, TsExpr *const *b, guint n_b)
{
  if (n_a != n_b)
    return differ (c, "%u dimensions against %u", n_a, n_b);
  for (guint i = 0; i < n_a; i++)
    if (!same_expr (c, a[i], b[i], DTYPE_IGNORED))
      return FALSE;
  return TRUE;
}

/* The valid shape of a view, NULL when it is the shape itself: the two print alike. */
static TsExpr *const *
effective_valid (const TsType *type)
{
  const TsView *view = type->view;

  if (view->valid_shape == NULL || view->n_valid != type->rank)
    return view->valid_shape;
  for (guint i = 0; i < type->rank; i++)
    {
      gint64 x, y;

      if (ts_expr_as_int (view->valid_shape[i], &x) && ts_expr_as_int (type->dims[i], &y) ? x != y
                                                    : !ts_expr_equal (view->valid_shape[i], type->dims[i]))
        return view->valid_shape;
    }
  return NULL;
}

static gboolean
same_optional_dims (Comparison *c, TsExpr *const *a, guint n_a, TsExpr *const *b, guint n_b)
{
  if ((a == NULL || n_a == 0) != (b == NULL || n_b == 0))
    return differ (c, "one has it, the other has not");
  return a == NULL || n_a == 0 || same_dims (c, a, n_a, b, n_b);
}

static gboolean
same_view (Comparison *c, const TsType *a, const TsType *b)
{
  const TsView *x = a->view, *y = b->view;

  if ((x == NULL) != (y == NULL))
    return differ (c, "view in one, none in the other");
  if (x == NULL)
    return TRUE;
  if (x->layout != y->layout || x->blayout != y->blayout || x->slayout != y->slayout || x->pad != y->pad || x->compact != y->compact
      || x->fractal != y->fractal)
    return differ (c, "views of different layout");
  return same_optional_dims (c, effective_valid (a), x->n_valid, effective_valid (b), y->n_valid)
         && same_optional_dims (c, x->stride, x->n_stride, y->stride, y->n_stride)
         && same_optional_dims (c, x->start_offset, x->n_start_offset, y->start_offset, y->n_start_offset);
}

static gboolean
same_memref (Comparison *c, const TsMemRef *a, const TsMemRef *b)
{
  if ((a == NULL) != (b == NULL))
    return differ (c, "MemRef in one, none in the other");
  if (a == NULL)
    return TRUE;
  if (a->size != b->size || a->slots != b->slots || a->declared != b->declared)
    return differ (c, "MemRef of %" G_GINT64_FORMAT " bytes against %" G_GINT64_FORMAT, a->size, b->size);
  if ((a->slot_index == NULL) != (b->slot_index == NULL) || (a->offset == NULL) != (b->offset == NULL))
    return differ (c, "MemRefs of different form");
  return same_value (c, a->base, b->base) && (a->offset == NULL || same_expr (c, a->offset, b->offset, DTYPE_IGNORED))
         && (a->slot_index == NULL || same_expr (c, a->slot_index, b->slot_index, DTYPE_COUNTS));
}

static gboolean
same_type (Comparison *c, const TsType *a, const TsType *b)
{
  if (a == b && (a == NULL || !a->has_values))
    return TRUE;
  if (a == NULL || b == NULL || a->kind != b->kind)
    return differ (c, "types of different kind");
  if (a->dtype != b->dtype)
    return differ (c, "%s against %s", ts_dtype_name (a->dtype), ts_dtype_name (b->dtype));
  if (a->space != b->space)
    return differ (c, "memory space %s against %s", ts_space_name (a->space), ts_space_name (b->space));
  if (a->distributed != b->distributed || a->address_space != b->address_space || a->n_elems != b->n_elems)
    return differ (c, "types of different form");
  if (g_strcmp0 (a->text, b->text) != 0)
    return differ (c, "type %s against %s", a->text != NULL ? a->text : "none", b->text != NULL ? b->text : "none");
  if (!same_dims (c, a->dims, a->rank, b->dims, b->rank) || !same_view (c, a, b))
    return FALSE;
  for (guint i = 0; i < a->n_elems; i++)
    if (!same_type (c, a->elems[i], b->elems[i]))
      return FALSE;
  return !(c->flags & TS_COMPARE_VALUES) || same_memref (c, a->memref, b->memref);
}

/* --- operations -------------------------------------------------------------------------------------------------------------- */

static const TsExpr *
find_attr (const TsAttr *attrs, guint n, const char *key)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (attrs[i].key, key) == 0)
      return attrs[i].value;
  return NULL;
}

/* Unordered maps of unique keys. */
static gboolean
same_attrs (Comparison *c, const char *what, const TsAttr *a, guint n_a, const TsAttr *b, guint n_b, DtypeRule rule)
{
  for (guint i = 0; i < n_a; i++)
    {
      const TsExpr *other = find_attr (b, n_b, a[i].key);

      c->where = a[i].key;
      if (other == NULL)
        return differ (c, "%s in the first only", what);
      if (!same_expr (c, a[i].value, other, rule))
        return FALSE;
    }
  for (guint i = 0; i < n_b; i++)
    if (find_attr (a, n_a, b[i].key) == NULL)
      {
        c->where = b[i].key;
        return differ (c, "%s in the second only", what);
      }
  c->where = NULL;
  return TRUE;
}

static const char *
op_word (const TsOp *op)
{
  static const char *const names[] = {
#define TS_STRUCTURAL(id, name) [TS_OP_##id] = name,
#include "ir/structural.def"
#undef TS_STRUCTURAL
  };

  if (op->code < G_N_ELEMENTS (names) && names[op->code] != NULL)
    return names[op->code];
  return op->name != NULL ? op->name : "operation";
}

static gboolean
has_else (const TsOp *op)
{
  return op->n_regions > 1 || (op->flags & TS_OP_FLAG_ELSE_EMPTY) != 0;
}

static gboolean
same_head (Comparison *c, const TsOp *a, const TsOp *b)
{
  if (a->code != b->code || g_strcmp0 (a->name, b->name) != 0)
    return differ (c, "%s%s%s against %s%s%s", op_word (a), a->code == TS_OP_CALL ? " of " : "", a->code == TS_OP_CALL ? a->name
                   : "",
                   op_word (b), b->code == TS_OP_CALL ? " of " : "", b->code == TS_OP_CALL ? b->name : "");
  if (a->sub != b->sub)
    return differ (c, "%s of different kinds", op_word (a));
  if (a->n_operands != b->n_operands)
    return differ (c, "%u operands against %u", a->n_operands, b->n_operands);
  if (a->n_results != b->n_results)
    return differ (c, "%u results against %u", a->n_results, b->n_results);
  if (a->code == TS_OP_IF && has_else (a) != has_else (b))
    return differ (c, "else arm in the %s only", has_else (a) ? "first" : "second");
  if (a->n_successors != b->n_successors)
    return differ (c, "%u successors against %u", a->n_successors, b->n_successors);
  for (guint i = 0; i < a->n_successors; i++)
    if (a->successors[i]->index != b->successors[i]->index)
      return differ (c, "successor %u: block %u against block %u", i + 1, a->successors[i]->index, b->successors[i]->index);
  if (a->code != TS_OP_IF && a->n_regions != b->n_regions)
    return differ (c, "%u regions against %u", a->n_regions, b->n_regions);
  return TRUE;
}

static gboolean
same_uses (Comparison *c, const TsOp *a, const TsOp *b)
{
  /* Printed sizes carry no dtype. */
  gboolean bare = a->name != NULL && g_str_has_suffix (a->name, ".alloc");

  for (guint i = 0; i < a->n_operands; i++)
    {
      g_autofree char *where = g_strdup_printf ("operand %u", i + 1);
      gboolean same;

      c->where = where;
      same = same_expr (c, a->operands[i], b->operands[i], bare ? DTYPE_IGNORED : DTYPE_COUNTS);
      c->where = NULL;
      if (!same)
        return FALSE;
    }
  return same_attrs (c, "keyword", a->keywords, a->n_keywords, b->keywords, b->n_keywords, DTYPE_IGNORED)
         && same_attrs (c, "attribute", a->attrs, a->n_attrs, b->attrs, b->n_attrs, DTYPE_COUNTS);
}

static gboolean
same_block (Comparison *c, const TsBlock *a, const TsBlock *b)
{
  const TsOp *x = a != NULL ? a->first : NULL, *y = b != NULL ? b->first : NULL;

  for (; x != NULL && y != NULL; x = x->next, y = y->next)
    if (!same_op (c, x, y))
      return FALSE;
  if (x == NULL && y == NULL)
    return TRUE;
  c->op_a = x;
  c->op_b = y;
  return differ (c, "the %s goes on with %s where the other ends", x != NULL ? "first" : "second", op_word (x != NULL ? x : y));
}

static gboolean
same_block_args (Comparison *c, const TsBlock *a, const TsBlock *b)
{
  if (a->n_args != b->n_args)
    return differ (c, "%u block arguments against %u", a->n_args, b->n_args);
  c->where = "variable of the block";
  for (guint i = 0; i < a->n_args; i++)
    if (!same_definition (c, a->args[i], b->args[i]))
      return FALSE;
  c->where = NULL;
  return TRUE;
}

static gboolean
same_region (Comparison *c, const TsRegion *a, const TsRegion *b)
{
  if (a->n_blocks != b->n_blocks)
    return differ (c, "%u blocks against %u", a->n_blocks, b->n_blocks);
  for (guint i = 0; i < a->n_blocks; i++)
    if (!same_block_args (c, a->blocks[i], b->blocks[i]) || !same_block (c, a->blocks[i], b->blocks[i]))
      return FALSE;
  return TRUE;
}

static gboolean
same_regions (Comparison *c, const TsOp *a, const TsOp *b)
{
  for (guint i = 0; i < MAX (a->n_regions, b->n_regions); i++)
    {
      /* An arm that is marked empty and one that is an empty region are the same. */
      const TsBlock *x = i < a->n_regions && a->regions[i].n_blocks > 0 ? ts_op_body (a, i) : NULL;
      const TsBlock *y = i < b->n_regions && b->regions[i].n_blocks > 0 ? ts_op_body (b, i) : NULL;

      if (i < a->n_regions && i < b->n_regions ? !same_region (c, &a->regions[i], &b->regions[i]) : !same_block (c, x, y))
        return FALSE;
    }
  return TRUE;
}

static gboolean
same_op (Comparison *c, const TsOp *a, const TsOp *b)
{
  c->op_a = a;
  c->op_b = b;
  if (!same_head (c, a, b) || !same_uses (c, a, b))
    return FALSE;
  c->where = a->n_results > 0 ? "result" : NULL;
  for (guint i = 0; i < a->n_results; i++)
    if (!same_definition (c, a->results[i], b->results[i]))
      return FALSE;
  c->where = NULL;
  return same_regions (c, a, b);
}

/* --- functions and modules --------------------------------------------------------------------------------------------------- */

static gboolean
same_params (Comparison *c, const TsFunction *a, const TsFunction *b)
{
  if (a->n_params != b->n_params)
    return differ (c, "%u parameters against %u", a->n_params, b->n_params);
  for (guint i = 0; i < a->n_params; i++)
    {
      g_autofree char *where = g_strdup_printf ("parameter %s", a->params[i]->hint);
      gboolean same;

      c->where = where;
      same = a->directions[i] == b->directions[i] ? same_definition (c, a->params[i], b->params[i])
                                                  : differ (c, "parameters of different direction");
      c->where = NULL;
      if (!same)
        return FALSE;
    }
  return TRUE;
}

static gboolean
same_signature (Comparison *c, const TsFunction *a, const TsFunction *b)
{
  if (a->type != b->type)
    return differ (c, "function type %s against %s", ts_function_type_name (a->type), ts_function_type_name (b->type));
  if (g_strcmp0 (a->level, b->level) != 0 || g_strcmp0 (a->role, b->role) != 0)
    return differ (c, "level or role: %s, %s against %s, %s", a->level != NULL ? a->level : "none", a->role != NULL ? a->role
                   : "none",
                   b->level != NULL ? b->level : "none", b->role != NULL ? b->role : "none");
  if (a->auto_scope != b->auto_scope || a->is_inline != b->is_inline || g_strcmp0 (a->external_source, b->external_source) != 0)
    return differ (c, "decorators differ");
  if (a->body_kind != b->body_kind || g_strcmp0 (a->body_text, b->body_text) != 0)
    return differ (c, "bodies of different kind");
  if (a->n_returns != b->n_returns || a->returns_tuple != b->returns_tuple)
    return differ (c, "%u returned values against %u", a->n_returns, b->n_returns);
  if (!same_params (c, a, b))
    return FALSE;
  if (g_strcmp0 (a->written_attrs, b->written_attrs) != 0)
    return differ (c, "attributes of arguments or results: %s against %s", a->written_attrs != NULL ? a->written_attrs : "none",
                   b->written_attrs != NULL ? b->written_attrs : "none");
  c->where = "return type";
  for (guint i = 0; i < a->n_returns; i++)
    if (!same_type (c, a->returns[i], b->returns[i]))
      return FALSE;
  c->where = NULL;
  return same_attrs (c, "function attribute", a->attrs, a->n_attrs, b->attrs, b->n_attrs, DTYPE_COUNTS);
}

static void
difference_free (gpointer data)
{
  TsDifference *difference = data;

  g_free (difference->reason);
  g_free (difference);
}

static void
add_difference (GPtrArray *list, const char *function, const TsOp *a, const TsOp *b, char *reason)
{
  TsDifference *difference = g_new0 (TsDifference, 1);

  difference->function = *function != '\0' ? function : TS_DIFFERENCE_MODULE; /* text beside the functions has no name */
  difference->a = a;
  difference->b = b;
  difference->reason = reason;
  g_ptr_array_add (list, difference);
}

static void
compare_functions (Comparison *c, const TsFunction *a, const TsFunction *b, GPtrArray *list)
{
  c->op_a = c->op_b = NULL;
  c->where = NULL;
  c->reason = NULL;
  if (same_signature (c, a, b) && same_region (c, &a->body, &b->body))
    return;
  add_difference (list, a->name, c->op_a, c->op_b, c->reason);
}

/* Attributes of the modules of a Triton IR file: num-warps, what rewrites of rows leave there. */
static void
compare_parts (Comparison *c, GPtrArray *list)
{
  static const TsModulePart none = { 0 };

  for (guint i = 0; i < MAX (c->a->n_parts, c->b->n_parts); i++)
    {
      const TsModulePart *a = i < c->a->n_parts ? &c->a->parts[i] : &none, *b = i < c->b->n_parts ? &c->b->parts[i] : &none;

      c->op_a = c->op_b = NULL;
      c->where = NULL;
      c->reason = NULL;
      if (!same_attrs (c, "module attribute", a->attrs, a->n_attrs, b->attrs, b->n_attrs, DTYPE_COUNTS))
        add_difference (list, TS_DIFFERENCE_MODULE, NULL, NULL, c->reason);
    }
}

/* The functions of a module by name, those of one name in their order: what stands beside the functions of Triton IR (kept as
   text) has no name at all, and may be there many times. */
static GHashTable *
functions_by_name (const TsModule *module)
{
  GHashTable *by_name = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_queue_free);

  for (guint i = 0; i < module->n_functions; i++)
    {
      GQueue *queue = g_hash_table_lookup (by_name, module->functions[i]->name);

      if (queue == NULL)
        g_hash_table_insert (by_name, (gpointer) module->functions[i]->name, queue = g_queue_new ());
      g_queue_push_tail (queue, module->functions[i]);
    }
  return by_name;
}

GPtrArray *
ts_module_compare (const TsModule *a, const TsModule *b, TsCompareFlags flags)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (difference_free);
  g_autofree const TsValue **to_b = g_new0 (const TsValue *, (gsize) MAX (a->n_values, 1));
  g_autofree const TsValue **to_a = g_new0 (const TsValue *, (gsize) MAX (b->n_values, 1));
  g_autoptr (GHashTable) left = functions_by_name (b);
  Comparison c = { a, b, flags, to_b, to_a, NULL, NULL, NULL, NULL };

  for (guint i = 0; i < a->n_functions; i++)
    {
      GQueue *queue = g_hash_table_lookup (left, a->functions[i]->name);
      const TsFunction *other = queue != NULL ? g_queue_pop_head (queue) : NULL;

      if (other != NULL)
        compare_functions (&c, a->functions[i], other, list);
      else
        add_difference (list, a->functions[i]->name, NULL, NULL, g_strdup ("only the first has this function"));
    }
  for (guint i = 0; i < b->n_functions; i++)
    {
      GQueue *queue = g_hash_table_lookup (left, b->functions[i]->name);

      if (g_queue_peek_head (queue) != b->functions[i])
        continue;
      g_queue_pop_head (queue);
      add_difference (list, b->functions[i]->name, NULL, NULL, g_strdup ("only the second has this function"));
    }
  compare_parts (&c, list);
  return list;
}

gboolean
ts_module_equal (const TsModule *a, const TsModule *b, TsCompareFlags flags)
{
  g_autoptr (GPtrArray) list = ts_module_compare (a, b, flags);

  return list->len == 0;
}
