/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of variables and expressions during symbolic execution; what the user binds and what is assumed. */
#include "sim/execute-private.h"

#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "ir/provenance.h"
#include "sim/periodic-loop.h"

/* --- names that are left open ------------------------------------------------------------------------------------------------ */

/* By the name itself, then as it was written: the user says `n`, a dump says `n__ssa_v0`. */
static gboolean
find_define (const Exec *x, const char *name, gint64 *out)
{
  const gsize lengths[] = { strlen (name), ts_name_written (name) };

  for (guint pass = 0; pass < G_N_ELEMENTS (lengths); pass++)
    for (const char *const *d = x->options->defines; d != NULL && *d != NULL; d++)
      if (strncmp (*d, name, lengths[pass]) == 0 && (*d)[lengths[pass]] == '=' && ts_parse_int64 (*d + lengths[pass] + 1, out))
        return TRUE;
  return FALSE;
}

/* One more name that is shown like this. */
static void
count_shown (Exec *x, const char *name)
{
  gpointer shown = (gpointer) ts_intern_n (x->module->strings, name, ts_name_written (name));

  g_hash_table_insert (x->shown, shown, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (x->shown, shown)) + 1));
}

/* As the user wrote it, unless another name that may be open was written the same. */
static const char *
shown_name (Exec *x, const char *name)
{
  const char *shown = ts_intern_n (x->module->strings, name, ts_name_written (name));

  if (x->shown == NULL)
    {
      x->shown = g_hash_table_new (NULL, NULL);
      for (guint i = 0; i < x->function->n_params; i++)
        count_shown (x, x->function->params[i]->hint);
      for (guint i = 0; i < x->module->n_symbols; i++)
        count_shown (x, x->module->symbols[i]->hint);
    }
  return GPOINTER_TO_UINT (g_hash_table_lookup (x->shown, shown)) > 1 ? name : shown;
}

static void
remember_binding (Exec *x, const char *name, gint64 value, gboolean assumed)
{
  TsBoundName bound = { .name = name, .shown = shown_name (x, name), .value = value, .assumed = assumed };

  for (guint i = 0; i < x->bindings->len; i++)
    if (strcmp (g_array_index (x->bindings, TsBoundName, i).name, name) == 0)
      return;
  g_array_append_val (x->bindings, bound);
}

static const struct
{
  const char *name;
  gint64      fallback;
} named[] = {
#define TS_NAMED(id, name, fallback) { name, fallback },
#include "sim/named.def"
#undef TS_NAMED
};

gboolean
ts_simulate_knows_name (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (named); i++)
    if (strcmp (named[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

gint64
exec_named (Exec *x, Named which)
{
  gint64 value = named[which].fallback;

  if (find_define (x, named[which].name, &value))
    remember_binding (x, named[which].name, value, FALSE);
  return value;
}

/* Bit 0: the value is the start of a loop, 1 the stop, 2 the step. */
static gboolean
visit_bounds (TsOp *op, gpointer data)
{
  for (guint i = 0; op->code == TS_OP_FOR && i < TS_FOR_INITS; i++)
    {
      TsValue *value = ts_expr_as_value (op->operands[i]);
      if (value != NULL)
        g_hash_table_insert (data, value, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (data, value)) | 1u << i));
    }
  return TRUE;
}

/* An open bound of a loop is 8; what only stands as a start is 0, as a step 1, so that the loop has iterations to show. */
static gint64
default_of (Exec *x, TsValue *value)
{
  if (x->bound_uses == NULL)
    {
      x->bound_uses = g_hash_table_new (NULL, NULL);
      for (guint f = 0; f < x->module->n_functions; f++)
        ts_region_walk (&x->module->functions[f]->body, visit_bounds, x->bound_uses);
    }
  guint uses = GPOINTER_TO_UINT (g_hash_table_lookup (x->bound_uses, value));
  if (uses == 1u << TS_FOR_START)
    return 0;
  if (uses == 1u << TS_FOR_STEP)
    return 1;
  return TS_SIM_DEFAULT_TRIPS;
}

static gboolean
is_integer (const TsType *type)
{
  return type == NULL || !ts_type_is_scalar (type) || ts_dtype_is_integer (type->dtype) || type->dtype == TS_DTYPE_BOOL
         || type->dtype == TS_DTYPE_NONE;
}

Cell
exec_open_scalar (Exec *x, TsValue *value)
{
  Cell cell = { .kind = CELL_SCALAR, .producer = -1, .channel = -1 };
  gint64 bound;

  if (find_define (x, value->hint, &bound))
    {
      remember_binding (x, value->hint, bound, FALSE);
      cell.known = TRUE;
      cell.value = bound;
    }
  else if (is_integer (value->type))
    {
      cell.known = TRUE;
      cell.value = default_of (x, value);
      cell.assumed = TRUE;
      remember_binding (x, value->hint, cell.value, TRUE);
      exec_note (x, value, TS_SEVERITY_NOTE, "assumed-value", NULL, "%s is not bound: taken as %" G_GINT64_FORMAT,
                 shown_name (x, value->hint), cell.value);
    }
  return cell;
}

/* --- variables ---------------------------------------------------------------------------------------------------------- */

static gint32
tensor_entry (Exec *x, const TsValue *value)
{
  gpointer key = GINT_TO_POINTER (value->id + 1);
  gint32 entry = GPOINTER_TO_INT (g_hash_table_lookup (x->tensor_of, key)) - 1;

  if (entry < 0)
    {
      TsTensor tensor = { .name = value->hint, .value = value->id, .dtype = value->type != NULL ? value->type->dtype : 0 };
      entry = ts_stream_builder_add_tensor (x->builder, &tensor);
      g_hash_table_insert (x->tensor_of, key, GINT_TO_POINTER (entry + 1));
    }
  return entry;
}

/* A variable nobody has defined on the way here: a parameter, a symbol, something free. */
static Cell
first_cell (Exec *x, TsValue *value)
{
  Cell cell = { .kind = CELL_OTHER, .producer = -1, .channel = -1, .ref = -1 };
  gint32 buffer = -1;

  if (ts_type_is_tensor (value->type) || ts_type_is (value->type, TS_TYPE_POINTER))
    {
      cell.kind = CELL_TENSOR;
      cell.ref = tensor_entry (x, value);
      cell.placed = PLACE_KNOWN;
    }
  else if (ts_type_is_tile (value->type))
    cell = exec_fresh_tile (x, value->type, value->def, value->hint, &buffer);
  else if (ts_type_is_scalar (value->type) || value->kind == TS_VALUE_SYMBOL)
    {
      if (value->kind == TS_VALUE_PARAM || value->kind == TS_VALUE_SYMBOL || value->kind == TS_VALUE_FREE)
        return exec_open_scalar (x, value);
      cell.kind = CELL_SCALAR;
    }
  return cell;
}

Cell *
exec_cell (Exec *x, TsValue *value)
{
  Cell *cell = &x->env[value->id];

  if (cell->kind == CELL_NONE)
    {
      Cell made = first_cell (x, value);
      cell = &x->env[value->id];
      *cell = made;
    }
  return cell;
}

void
exec_set (Exec *x, const TsValue *value, const Cell *cell)
{
  x->env[value->id] = *cell;
  x->env[value->id].epoch = x->epoch;
}

/* --- expressions -------------------------------------------------------------------------------------------------------- */

static Cell
scalar_cell (gboolean known, gint64 value)
{
  return (Cell) { .kind = CELL_SCALAR, .known = known != FALSE, .value = known ? value : 0, .producer = -1, .channel = -1 };
}

static gboolean
power (gint64 base, gint64 exponent, gint64 *out)
{
  gint64 r = 1;

  if (exponent < 0 || exponent > 64)
    return FALSE;
  while (exponent-- > 0)
    if (!ts_mul (r, base, &r))
      return FALSE;
  *out = r;
  return TRUE;
}

static gboolean
shift (gint64 a, gint64 b, gboolean left, gint64 *out)
{
  if (b < 0 || b > 62)
    return FALSE;
  if (left)
    return ts_mul (a, (gint64) 1 << b, out);
  *out = a >> b;
  return TRUE;
}

gboolean
exec_apply (TsOperator op, gint64 a, gint64 b, gint64 *out)
{
  switch (op)
    {
    case TS_OPERATOR_ADD:
      return ts_add (a, b, out);
    case TS_OPERATOR_SUB:
      return ts_sub (a, b, out);
    case TS_OPERATOR_MUL:
      return ts_mul (a, b, out);
    case TS_OPERATOR_FLOOR_DIV:
      return ts_floor_div (a, b, out);
    case TS_OPERATOR_FLOOR_MOD:
      return ts_floor_mod (a, b, out);
    case TS_OPERATOR_DIV:
      return b != 0 && !(a == G_MININT64 && b == -1) && a % b == 0 && ts_floor_div (a, b, out);
    case TS_OPERATOR_POW:
      return power (a, b, out);
    case TS_OPERATOR_SHL:
    case TS_OPERATOR_SHR:
      return shift (a, b, op == TS_OPERATOR_SHL, out);
    case TS_OPERATOR_BIT_AND:
      return *out = a & b, TRUE;
    case TS_OPERATOR_BIT_OR:
      return *out = a | b, TRUE;
    case TS_OPERATOR_BIT_XOR:
      return *out = a ^ b, TRUE;
    case TS_OPERATOR_XOR:
      return *out = (a != 0) != (b != 0), TRUE;
    case TS_OPERATOR_AND:
      return *out = a != 0 && b != 0, TRUE;
    case TS_OPERATOR_OR:
      return *out = a != 0 || b != 0, TRUE;
    case TS_OPERATOR_MIN:
      return *out = MIN (a, b), TRUE;
    case TS_OPERATOR_MAX:
      return *out = MAX (a, b), TRUE;
    case TS_OPERATOR_EQ:
      return *out = a == b, TRUE;
    case TS_OPERATOR_NE:
      return *out = a != b, TRUE;
    case TS_OPERATOR_LT:
      return *out = a < b, TRUE;
    case TS_OPERATOR_LE:
      return *out = a <= b, TRUE;
    case TS_OPERATOR_GT:
      return *out = a > b, TRUE;
    case TS_OPERATOR_GE:
      return *out = a >= b, TRUE;
    default:
      return FALSE;
    }
}

static gboolean
apply_unary (TsOperator op, gint64 a, gint64 *out)
{
  switch (op)
    {
    case TS_OPERATOR_NEG:
      return ts_sub (0, a, out);
    case TS_OPERATOR_NOT:
      return *out = a == 0, TRUE;
    case TS_OPERATOR_BIT_NOT:
      return *out = ~a, TRUE;
    case TS_OPERATOR_ABS:
      return a < 0 ? ts_sub (0, a, out) : (*out = a, TRUE);
    default:
      return FALSE;
    }
}

static Cell evaluate (Exec *x, const TsExpr *e);

void
exec_note_no_value (Exec *x, TsOperator op, gint64 divisor)
{
  gboolean divides = op == TS_OPERATOR_FLOOR_DIV || op == TS_OPERATOR_FLOOR_MOD || op == TS_OPERATOR_DIV;

  /* Keys of their own: the statement may have other things to say. */
  if (divides && divisor == 0)
    exec_note (x, (const char *) x->at + 1, TS_SEVERITY_WARNING, "division-by-zero", x->at,
               "this divides by 0: the result is taken as unknown");
  else if (op != TS_OPERATOR_DIV && op < TS_N_OPERATORS)
    exec_note (x, (const char *) x->at + 2, TS_SEVERITY_WARNING, "number-limit", x->at,
               "a number here is not whole or does not fit in 64 bits: it is taken as unknown");
}

static gboolean
decides (const Cell *cell, guint op)
{
  if (cell->kind != CELL_SCALAR || !cell->known)
    return FALSE;
  return (op == TS_OPERATOR_AND && cell->value == 0) || (op == TS_OPERATOR_OR && cell->value != 0);
}

static Cell
evaluate_binary (Exec *x, const TsExpr *e)
{
  Cell a = evaluate (x, e->items[0]), b = evaluate (x, e->items[1]);
  gint64 value = 0;

  /* One known side can be enough. */
  if (decides (&a, e->op) || decides (&b, e->op))
    {
      Cell result = scalar_cell (TRUE, e->op == TS_OPERATOR_OR);
      periodic_combine (x, (TsOperator) e->op, &a, &b, &result);
      return result;
    }
  gboolean whole = a.kind == CELL_SCALAR && b.kind == CELL_SCALAR && a.known && b.known;
  gboolean known = whole && exec_apply ((TsOperator) e->op, a.value, b.value, &value);
  if (whole && !known)
    exec_note_no_value (x, (TsOperator) e->op, b.value);
  Cell result = scalar_cell (known, value);
  periodic_combine (x, (TsOperator) e->op, &a, &b, &result);
  return result;
}

static Cell
evaluate_unary (Exec *x, const TsExpr *e)
{
  Cell a = evaluate (x, e->items[0]), zero = scalar_cell (TRUE, 0);
  gint64 value = 0;
  gboolean known = a.kind == CELL_SCALAR && a.known && apply_unary ((TsOperator) e->op, a.value, &value);
  Cell result = scalar_cell (known, value);

  periodic_combine (x, e->op == TS_OPERATOR_NEG ? TS_OPERATOR_SUB : TS_OPERATOR_XOR, &zero, &a, &result);
  return result;
}

static Cell
evaluate_value (Exec *x, TsValue *value)
{
  Cell *cell = exec_cell (x, value);

  if (cell->producer >= 0)
    g_array_append_val (x->scalars, cell->producer);
  Cell copy = *cell;
  periodic_read (x, &copy);
  return copy;
}

static Cell
evaluate_get (Exec *x, const TsExpr *e)
{
  Cell tuple = evaluate (x, e->items[0]);

  if (tuple.kind != CELL_TUPLE || (gint64) e->n >= tuple.ref)
    return scalar_cell (FALSE, 0);
  Cell item = tuple.items[e->n];
  item.epoch = tuple.epoch;
  periodic_read (x, &item);
  return item;
}

static Cell
evaluate_inside (Exec *x, const TsExpr *e)
{
  switch ((TsExprKind) e->kind)
    {
    case TS_EXPR_INT:
      return scalar_cell (e->n == 0, e->i);
    case TS_EXPR_VALUE:
      return evaluate_value (x, e->value);
    case TS_EXPR_UNARY:
      return evaluate_unary (x, e);
    case TS_EXPR_BINARY:
      return evaluate_binary (x, e);
    case TS_EXPR_CAST:
      return evaluate (x, e->items[0]);
    case TS_EXPR_GET:
      return evaluate_get (x, e);
    case TS_EXPR_CALL:
      return exec_nested (x, e->call);
    case TS_EXPR_LIST:
      for (guint i = 0; i < e->n; i++)
        evaluate (x, e->list[i]);
      return scalar_cell (FALSE, 0);
    default:
      return scalar_cell (FALSE, 0);
    }
}

static Cell
evaluate (Exec *x, const TsExpr *e)
{
  if (e == NULL || x->eval_budget == 0 || x->eval_depth >= 2 * TS_MAX_EXPR_DEPTH)
    return scalar_cell (FALSE, 0);
  x->eval_budget--;
  x->unlooked++;
  x->eval_depth++;
  Cell cell = evaluate_inside (x, e);
  x->eval_depth--;
  return cell;
}

Cell
exec_operand (Exec *x, const TsExpr *e)
{
  x->eval_budget = TS_EVAL_BUDGET;
  return evaluate (x, e);
}

gboolean
exec_int (Exec *x, const TsExpr *e, gint64 *out)
{
  Cell cell = exec_operand (x, e);

  if (cell.kind != CELL_SCALAR || !cell.known)
    return FALSE;
  periodic_decide (x, &cell);
  *out = cell.value;
  return TRUE;
}

gboolean
exec_place (Exec *x, const TsExpr *e, gint64 *out)
{
  Cell cell = exec_operand (x, e);

  if (cell.kind != CELL_SCALAR || !cell.known)
    return FALSE;
  periodic_place (x, &cell);
  *out = cell.value;
  return TRUE;
}

guint
exec_list_length (const TsExpr *list)
{
  if (list == NULL)
    return 0;
  return list->kind == TS_EXPR_LIST ? list->n : 1;
}

const TsExpr *
exec_list_item (const TsExpr *list, guint i)
{
  return list->kind == TS_EXPR_LIST ? list->list[i] : list;
}

gboolean
exec_item_int (Exec *x, const TsExpr *list, guint i, gint64 *out)
{
  return i < exec_list_length (list) && exec_int (x, exec_list_item (list, i), out);
}
