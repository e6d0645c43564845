/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expression trees: constructors, constant evaluation, walking, equality. */
#include "ir/expr.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "ir/module-private.h"

static const struct
{
  const char *symbol;
  guint       precedence;
} operator_rows[TS_N_OPERATORS] = {
#define TS_OPERATOR(id, name, prec, sym) [TS_OPERATOR_##id] = { sym, prec },
#include "ir/operators.def"
#undef TS_OPERATOR
};

const char *
ts_operator_symbol (TsOperator op)
{
  return operator_rows[op].symbol;
}

guint
ts_operator_precedence (TsOperator op)
{
  return operator_rows[op].precedence;
}

/* --- constructors ---------------------------------------------------------------------------------------------------------- */

static TsExpr *
new_expr (TsModule *module, TsExprKind kind, TsDtype dtype)
{
  TsExpr *e = ts_arena_new0 (module->arena, TsExpr);

  e->kind = kind;
  e->dtype = dtype;
  return e;
}

TsExpr *
ts_expr_int (TsModule *module, gint64 value, TsDtype dtype)
{
  TsModuleCache *cache = module->cache;
  TsExpr **shared = NULL;
  TsExpr *e;

  if (dtype == TS_DTYPE_INDEX && value >= 0 && value < TS_SMALL_INTS)
    shared = &cache->index_ints[value];
  else if (dtype == TS_DTYPE_BOOL && (value == 0 || value == 1))
    shared = &cache->bools[value];
  if (shared != NULL && *shared != NULL)
    return *shared;
  e = new_expr (module, TS_EXPR_INT, dtype);
  e->i = value;
  if (shared != NULL)
    *shared = e;
  return e;
}

TsExpr *
ts_expr_uint64 (TsModule *module, guint64 value)
{
  TsExpr *e;

  if (value <= G_MAXINT64)
    return ts_expr_int (module, (gint64) value, TS_DTYPE_UINT64);
  e = new_expr (module, TS_EXPR_INT, TS_DTYPE_UINT64);
  e->i = (gint64) value;
  e->n = 1;
  return e;
}

TsExpr *
ts_expr_index (TsModule *module, gint64 value)
{
  return ts_expr_int (module, value, TS_DTYPE_INDEX);
}

TsExpr *
ts_expr_bool (TsModule *module, gboolean value)
{
  return ts_expr_int (module, value ? 1 : 0, TS_DTYPE_BOOL);
}

TsExpr *
ts_expr_float (TsModule *module, double value, TsDtype dtype)
{
  TsExpr *e = new_expr (module, TS_EXPR_FLOAT, dtype);

  e->f = isnan (value) ? (double) NAN : value; /* its sign and payload do not print */
  return e;
}

static TsExpr *
new_text (TsModule *module, TsExprKind kind, const char *text)
{
  TsExpr *e = new_expr (module, kind, TS_DTYPE_NONE);

  e->text = ts_module_intern (module, text);
  return e;
}

TsExpr *
ts_expr_string (TsModule *module, const char *text)
{
  return new_text (module, TS_EXPR_STRING, text);
}

TsExpr *
ts_expr_text (TsModule *module, const char *text)
{
  return new_text (module, TS_EXPR_TEXT, text);
}

TsExpr *
ts_expr_enum (TsModule *module, const char *spelling)
{
  return new_text (module, TS_EXPR_ENUM, spelling);
}

TsExpr *
ts_expr_space (TsModule *module, TsSpace space)
{
  g_autofree char *spelling = g_strconcat ("Mem.", ts_space_name (space), NULL);

  return ts_expr_enum (module, spelling);
}

TsExpr *
ts_expr_none (TsModule *module)
{
  return new_expr (module, TS_EXPR_NONE, TS_DTYPE_NONE);
}

TsExpr *
ts_expr_dtype (TsModule *module, TsDtype dtype)
{
  return new_expr (module, TS_EXPR_DTYPE, dtype);
}

TsExpr *
ts_expr_value (TsModule *module, TsValue *value)
{
  TsExpr *e = &value->expr;

  e->kind = TS_EXPR_VALUE;
  e->value = value;
  e->has_values = TRUE;
  /* The type of a variable may be set or changed after its first use. */
  e->dtype = ts_type_is_scalar (value->type) ? value->type->dtype : TS_DTYPE_NONE;
  return e;
}

static TsDtype
wider (TsDtype a, TsDtype b)
{
  return ts_dtype_bits (b) > ts_dtype_bits (a) ? b : a;
}

static TsDtype
binary_dtype (TsOperator op, TsDtype a, TsDtype b)
{
  switch ((int) op)
    {
    case TS_OPERATOR_EQ:
    case TS_OPERATOR_NE:
    case TS_OPERATOR_LT:
    case TS_OPERATOR_LE:
    case TS_OPERATOR_GT:
    case TS_OPERATOR_GE:
    case TS_OPERATOR_AND:
    case TS_OPERATOR_OR:
    case TS_OPERATOR_XOR:
      return TS_DTYPE_BOOL;
    default:
      return wider (a, b);
    }
}

TsExpr *
ts_expr_unary (TsModule *module, TsOperator op, TsExpr *x)
{
  TsExpr *e = new_expr (module, TS_EXPR_UNARY, op == TS_OPERATOR_NOT ? TS_DTYPE_BOOL : (TsDtype) x->dtype);

  e->op = op;
  e->items[0] = x;
  e->has_values = x->has_values;
  return e;
}

TsExpr *
ts_expr_binary (TsModule *module, TsOperator op, TsExpr *a, TsExpr *b)
{
  TsExpr *e = new_expr (module, TS_EXPR_BINARY, binary_dtype (op, (TsDtype) a->dtype, (TsDtype) b->dtype));

  e->op = op;
  e->items[0] = a;
  e->items[1] = b;
  e->has_values = a->has_values || b->has_values;
  return e;
}

TsExpr *
ts_expr_cast (TsModule *module, TsExpr *x, TsDtype dtype)
{
  TsExpr *e = new_expr (module, TS_EXPR_CAST, dtype);

  e->items[0] = x;
  e->has_values = x->has_values;
  return e;
}

TsExpr *
ts_expr_list (TsModule *module, TsExpr *const *items, guint n)
{
  TsExpr *e = new_expr (module, TS_EXPR_LIST, TS_DTYPE_NONE);

  e->n = n;
  e->list = ts_arena_memdup (module->arena, items, sizeof (TsExpr *) * n);
  for (guint i = 0; i < n && !e->has_values; i++)
    e->has_values = items[i]->has_values;
  return e;
}

TsExpr *
ts_expr_list_like (TsModule *module, const TsExpr *list, TsExpr *const *items, guint n)
{
  TsExpr *e = ts_expr_list (module, items, n);

  e->raw = list->raw;
  e->dtype = list->dtype;
  return e;
}

TsExpr *
ts_expr_dict (TsModule *module, TsExpr *const *items, guint n)
{
  TsExpr *e = ts_expr_list (module, items, n);

  e->raw = ts_module_intern (module, TS_EXPR_DICT_RAW);
  return e;
}

gboolean
ts_expr_is_dict (const TsExpr *e)
{
  return e != NULL && e->kind == TS_EXPR_LIST && e->raw != NULL && strcmp (e->raw, TS_EXPR_DICT_RAW) == 0;
}

TsExpr *
ts_expr_get (TsModule *module, TsExpr *tuple, guint index)
{
  TsDtype dtype = TS_DTYPE_NONE;
  TsValue *value = ts_expr_as_value (tuple);
  TsExpr *e;

  if (value != NULL && ts_type_is (value->type, TS_TYPE_TUPLE) && index < value->type->n_elems
      && ts_type_is_scalar (value->type->elems[index]))
    dtype = value->type->elems[index]->dtype;
  e = new_expr (module, TS_EXPR_GET, dtype);
  e->n = index;
  e->items[0] = tuple;
  e->has_values = tuple->has_values;
  return e;
}

TsExpr *
ts_expr_call (TsModule *module, TsOp *call)
{
  TsExpr *e = new_expr (module, TS_EXPR_CALL, TS_DTYPE_NONE);

  e->call = call;
  e->has_values = TRUE; /* a copy of the statement needs its own call */
  return e;
}

TsExpr *
ts_expr_membership (TsModule *module, const TsStage *pairs, guint n, const char *raw)
{
  TsExpr *e = new_expr (module, TS_EXPR_MEMBERSHIP, TS_DTYPE_NONE);

  e->n = n;
  e->pairs = ts_arena_memdup (module->arena, pairs, sizeof (TsStage) * n);
  e->raw = raw != NULL ? ts_module_intern (module, raw) : NULL;
  return e;
}

/* A token is exactly int:int; the number must fit 32 bits, as the reference's does. */
static gboolean
parse_stage (const char *token, TsStage *out)
{
  const char *colon = strchr (token, ':');
  g_autofree char *left = colon != NULL ? g_strndup (token, (gsize) (colon - token)) : NULL;
  gint64 group, stage;

  if (colon == NULL || !g_ascii_string_to_signed (left, 10, G_MININT32, G_MAXINT32, &group, NULL)
      || !g_ascii_string_to_signed (colon + 1, 10, G_MININT32, G_MAXINT32, &stage, NULL))
    return FALSE;
  out->group = (gint32) group;
  out->stage = (gint32) stage;
  return TRUE;
}

TsExpr *
ts_expr_membership_from_text (TsModule *module, const char *text)
{
  g_auto (GStrv) tokens = g_strsplit (text, ";", -1);
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (TsStage));
  g_autoptr (GString) canonical = g_string_new (NULL);

  for (guint i = 0; tokens[i] != NULL; i++)
    {
      TsStage stage;

      if (!parse_stage (tokens[i], &stage))
        continue;
      g_string_append_printf (canonical, "%s%d:%d", canonical->len > 0 ? ";" : "", stage.group, stage.stage);
      g_array_append_val (pairs, stage);
    }
  return ts_expr_membership (module, (const TsStage *) (gpointer) pairs->data, pairs->len,
                             strcmp (canonical->str, text) == 0 ? NULL : text);
}

TsExpr *
ts_expr_offset (TsModule *module, TsExpr *e, gint64 n)
{
  gint64 sum;

  if (n == 0)
    return e;
  if (e->kind == TS_EXPR_INT && e->n == 0 && ts_add (e->i, n, &sum))
    return ts_expr_int (module, sum, (TsDtype) e->dtype);
  return ts_expr_binary (module, TS_OPERATOR_ADD, e,
                         ts_expr_int (module, n, e->dtype == TS_DTYPE_INT64 ? TS_DTYPE_INT64 : TS_DTYPE_INDEX));
}

/* --- constants --------------------------------------------------------------------------------------------------------------- */

gboolean
ts_expr_as_int (const TsExpr *e, gint64 *out)
{
  if (e == NULL)
    return FALSE;
  if (e->kind == TS_EXPR_INT)
    {
      *out = e->i;
      return e->n == 0;
    }
  if (e->kind == TS_EXPR_UNARY && e->op == TS_OPERATOR_NEG && e->items[0]->kind == TS_EXPR_INT && e->items[0]->n == 0)
    return ts_sub (0, e->items[0]->i, out);
  return FALSE;
}

static gboolean
fold_binary (TsOperator op, gint64 a, gint64 b, gint64 *out)
{
  switch ((int) op)
    {
    case TS_OPERATOR_ADD: return ts_add (a, b, out);
    case TS_OPERATOR_SUB: return ts_sub (a, b, out);
    case TS_OPERATOR_MUL: return ts_mul (a, b, out);
    case TS_OPERATOR_DIV: /* of integers: stays integer (spec dsl 4.3) */
    case TS_OPERATOR_FLOOR_DIV: return ts_floor_div (a, b, out);
    case TS_OPERATOR_FLOOR_MOD: return ts_floor_mod (a, b, out);
    case TS_OPERATOR_MIN: *out = MIN (a, b); return TRUE;
    case TS_OPERATOR_MAX: *out = MAX (a, b); return TRUE;
    case TS_OPERATOR_BIT_AND: *out = a & b; return TRUE;
    case TS_OPERATOR_BIT_OR: *out = a | b; return TRUE;
    case TS_OPERATOR_BIT_XOR: *out = a ^ b; return TRUE;
    case TS_OPERATOR_AND: *out = a != 0 && b != 0; return TRUE;
    case TS_OPERATOR_OR: *out = a != 0 || b != 0; return TRUE;
    case TS_OPERATOR_XOR: *out = (a != 0) != (b != 0); return TRUE;
    case TS_OPERATOR_EQ: *out = a == b; return TRUE;
    case TS_OPERATOR_NE: *out = a != b; return TRUE;
    case TS_OPERATOR_LT: *out = a < b; return TRUE;
    case TS_OPERATOR_LE: *out = a <= b; return TRUE;
    case TS_OPERATOR_GT: *out = a > b; return TRUE;
    case TS_OPERATOR_GE: *out = a >= b; return TRUE;
    case TS_OPERATOR_SHL:
      return b >= 0 && b < 63 && ts_mul (a, G_GINT64_CONSTANT (1) << b, out);
    case TS_OPERATOR_SHR:
      if (b < 0)
        return FALSE;
      *out = a >> MIN (b, 63);
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
fold_unary (TsOperator op, gint64 a, gint64 *out)
{
  switch ((int) op)
    {
    case TS_OPERATOR_NEG: return ts_sub (0, a, out);
    case TS_OPERATOR_ABS: return a >= 0 ? ts_add (a, 0, out) : ts_sub (0, a, out);
    case TS_OPERATOR_NOT: *out = a == 0; return TRUE;
    case TS_OPERATOR_BIT_NOT: *out = ~a; return TRUE;
    default: return FALSE;
    }
}

gboolean
ts_expr_fold_int (const TsExpr *e, gint64 *out)
{
  gint64 a, b;

  if (e == NULL || e->has_values)
    return FALSE;
  switch ((int) e->kind)
    {
    case TS_EXPR_INT:
      *out = e->i;
      return e->n == 0;
    case TS_EXPR_UNARY:
      return ts_expr_fold_int (e->items[0], &a) && fold_unary ((TsOperator) e->op, a, out);
    case TS_EXPR_BINARY:
      return ts_expr_fold_int (e->items[0], &a) && ts_expr_fold_int (e->items[1], &b)
             && fold_binary ((TsOperator) e->op, a, b, out);
    case TS_EXPR_CAST:
      return ts_dtype_is_integer ((TsDtype) e->dtype) && ts_expr_fold_int (e->items[0], out);
    default:
      return FALSE;
    }
}

/* --- walking ----------------------------------------------------------------------------------------------------------------- */

guint
ts_expr_depth (const TsExpr *e)
{
  guint deepest = 0;

  switch ((int) e->kind)
    {
    case TS_EXPR_BINARY:
      deepest = MAX (ts_expr_depth (e->items[0]), ts_expr_depth (e->items[1]));
      break;
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET:
      deepest = ts_expr_depth (e->items[0]);
      break;
    case TS_EXPR_LIST:
      for (guint i = 0; i < e->n; i++)
        deepest = MAX (deepest, ts_expr_depth (e->list[i]));
      break;
    case TS_EXPR_CALL:
      for (guint i = 0; i < e->call->n_operands; i++)
        deepest = MAX (deepest, ts_expr_depth (e->call->operands[i]));
      break;
    default:
      break;
    }
  return deepest + 1;
}

void
ts_expr_foreach_value (const TsExpr *e, TsValueVisitor visit, gpointer data)
{
  if (e == NULL || !e->has_values)
    return;
  switch ((int) e->kind)
    {
    case TS_EXPR_VALUE:
      visit (e->value, data);
      break;
    case TS_EXPR_BINARY:
      ts_expr_foreach_value (e->items[0], visit, data);
      ts_expr_foreach_value (e->items[1], visit, data);
      break;
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET:
      ts_expr_foreach_value (e->items[0], visit, data);
      break;
    case TS_EXPR_LIST:
      for (guint i = 0; i < e->n; i++)
        ts_expr_foreach_value (e->list[i], visit, data);
      break;
    case TS_EXPR_CALL:
      ts_op_foreach_use (e->call, visit, data);
      break;
    default:
      break;
    }
}

static void
foreach_value_in (TsExpr *const *exprs, guint n, TsValueVisitor visit, gpointer data)
{
  for (guint i = 0; exprs != NULL && i < n; i++)
    ts_expr_foreach_value (exprs[i], visit, data);
}

void
ts_type_foreach_value (const TsType *type, TsValueVisitor visit, gpointer data)
{
  if (type == NULL || !type->has_values)
    return;
  foreach_value_in (type->dims, type->rank, visit, data);
  if (type->view != NULL)
    {
      foreach_value_in (type->view->valid_shape, type->view->n_valid, visit, data);
      foreach_value_in (type->view->stride, type->view->n_stride, visit, data);
      foreach_value_in (type->view->start_offset, type->view->n_start_offset, visit, data);
    }
  if (type->memref != NULL)
    {
      visit (type->memref->base, data);
      ts_expr_foreach_value (type->memref->offset, visit, data);
      ts_expr_foreach_value (type->memref->slot_index, visit, data);
    }
  for (guint i = 0; i < type->n_elems; i++)
    ts_type_foreach_value (type->elems[i], visit, data);
}

/* --- equality ---------------------------------------------------------------------------------------------------------------- */

static gboolean
attrs_equal (const TsAttr *a, const TsAttr *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (a[i].key, b[i].key) != 0 || !ts_expr_equal (a[i].value, b[i].value))
      return FALSE;
  return TRUE;
}

static gboolean
calls_equal (const TsOp *a, const TsOp *b)
{
  if (a->code != b->code || a->n_operands != b->n_operands || a->n_keywords != b->n_keywords || a->n_attrs != b->n_attrs
      || g_strcmp0 (a->name, b->name) != 0)
    return FALSE;
  for (guint i = 0; i < a->n_operands; i++)
    if (!ts_expr_equal (a->operands[i], b->operands[i]))
      return FALSE;
  return attrs_equal (a->keywords, b->keywords, a->n_keywords) && attrs_equal (a->attrs, b->attrs, a->n_attrs);
}

gboolean
ts_expr_equal (const TsExpr *a, const TsExpr *b)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL || a->kind != b->kind || a->dtype != b->dtype || a->op != b->op)
    return FALSE;
  switch ((TsExprKind) a->kind)
    {
    case TS_EXPR_INT:
      return a->i == b->i && a->n == b->n;
    case TS_EXPR_FLOAT:
      return memcmp (&a->f, &b->f, sizeof a->f) == 0;
    case TS_EXPR_STRING:
    case TS_EXPR_ENUM:
    case TS_EXPR_TEXT:
      return strcmp (a->text, b->text) == 0;
    case TS_EXPR_NONE:
    case TS_EXPR_DTYPE:
      return TRUE;
    case TS_EXPR_VALUE:
      return a->value == b->value;
    case TS_EXPR_BINARY:
      return ts_expr_equal (a->items[0], b->items[0]) && ts_expr_equal (a->items[1], b->items[1]);
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
      return ts_expr_equal (a->items[0], b->items[0]);
    case TS_EXPR_GET:
      return a->n == b->n && ts_expr_equal (a->items[0], b->items[0]);
    case TS_EXPR_LIST:
      if (a->n != b->n || g_strcmp0 (a->raw, b->raw) != 0)
        return FALSE;
      for (guint i = 0; i < a->n; i++)
        if (!ts_expr_equal (a->list[i], b->list[i]))
          return FALSE;
      return TRUE;
    case TS_EXPR_CALL:
      return calls_equal (a->call, b->call);
    case TS_EXPR_MEMBERSHIP:
      return a->n == b->n && g_strcmp0 (a->raw, b->raw) == 0
             && (a->n == 0 || memcmp (a->pairs, b->pairs, sizeof (TsStage) * a->n) == 0);
    }
  return FALSE;
}
