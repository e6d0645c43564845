/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators of two operands, over constants. Source: spec dsl 9.2, item 1. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "lang/pypto/eval-private.h"

/* --- arithmetic ---------------------------------------------------------------------------------------------------------- */

static gboolean
int_power (gint64 base, gint64 exponent, gint64 *out)
{
  gint64 result = 1;

  if (exponent < 0)
    return FALSE;
  for (; exponent > 0; exponent >>= 1)
    {
      if ((exponent & 1) != 0 && !ts_mul (result, base, &result))
        return FALSE;
      if (exponent > 1 && !ts_mul (base, base, &base))
        return FALSE;
    }
  *out = result;
  return TRUE;
}

static gboolean
int_operator (guint8 op, gint64 a, gint64 b, gint64 *out)
{
  switch (op)
    {
    case TS_OPERATOR_ADD: return ts_add (a, b, out);
    case TS_OPERATOR_SUB: return ts_sub (a, b, out);
    case TS_OPERATOR_MUL: return ts_mul (a, b, out);
    case TS_OPERATOR_FLOOR_DIV: return ts_floor_div (a, b, out);
    case TS_OPERATOR_FLOOR_MOD: return ts_floor_mod (a, b, out);
    case TS_OPERATOR_BIT_AND: *out = a & b; return TRUE;
    case TS_OPERATOR_BIT_OR: *out = a | b; return TRUE;
    case TS_OPERATOR_BIT_XOR: *out = a ^ b; return TRUE;
    case TS_OPERATOR_SHL: return b >= 0 && b < 63 && ts_mul (a, G_GINT64_CONSTANT (1) << b, out);
    case TS_OPERATOR_SHR: *out = b > 63 ? (a < 0 ? -1 : 0) : a >> b; return b >= 0;
    case TS_OPERATOR_POW: return int_power (a, b, out);
    default: return FALSE;
    }
}

/* As the interpreter does it: the quotient is corrected from the rest, for a / b may round up to an integer. */
static gboolean
float_divmod (gboolean rest_wanted, double a, double b, double *out)
{
  double rest = fmod (a, b), quotient = (a - rest) / b, whole;

  if (rest != 0 && (b < 0) != (rest < 0))
    {
      rest += b;
      quotient -= 1;
    }
  else if (rest == 0)
    rest = copysign (0.0, b);
  whole = quotient != 0 ? floor (quotient) : copysign (0.0, a / b); /* -0.0 // 1.0 is -0.0 */
  if (quotient - whole > 0.5)
    whole += 1;
  *out = rest_wanted ? rest : whole;
  return TRUE;
}

static gboolean
float_operator (guint8 op, double a, double b, double *out)
{
  switch (op)
    {
    case TS_OPERATOR_ADD: *out = a + b; return TRUE;
    case TS_OPERATOR_SUB: *out = a - b; return TRUE;
    case TS_OPERATOR_MUL: *out = a * b; return TRUE;
    case TS_OPERATOR_DIV: *out = a / b; return b != 0;
    case TS_OPERATOR_FLOOR_DIV:
    case TS_OPERATOR_FLOOR_MOD: return b != 0 && float_divmod (op == TS_OPERATOR_FLOOR_MOD, a, b, out);
    case TS_OPERATOR_POW: *out = pow (a, b); return isfinite (*out);
    default: return FALSE;
    }
}

/* a is b: objects are themselves, small values are one, and of others nobody can tell. */
static gint
is_same (const TsConst *a, const TsConst *b)
{
  gboolean small = a->kind == TS_CONST_NONE || a->kind == TS_CONST_BOOL || a->kind == TS_CONST_ENUM || a->kind == TS_CONST_DTYPE
                   || a->kind == TS_CONST_CLASS || (a->kind == TS_CONST_INT && a->i >= -5 && a->i <= 256);

  if (a->kind == TS_CONST_NONE || b->kind == TS_CONST_NONE)
    return a->kind == b->kind;
  if (a == b && a->kind != TS_CONST_FLOAT && a->kind != TS_CONST_INT)
    return 1;
  if (a->kind != b->kind)
    return 0;
  if (small)
    return ts_const_equal (a, b);
  return a->kind == TS_CONST_LIST || a->kind == TS_CONST_DICT || ts_const_equal (a, b) == 0 ? 0 : -1;
}

static const TsConst *
compare_values (TsEval *eval, guint8 op, const TsConst *a, const TsConst *b)
{
  gint order, same;

  if (op == TS_OPERATOR_EQ || op == TS_OPERATOR_NE || op == TS_SYNTAX_IS || op == TS_SYNTAX_IS_NOT)
    {
      same = op == TS_OPERATOR_EQ || op == TS_OPERATOR_NE ? ts_const_equal (a, b) : is_same (a, b);
      return same < 0 ? NULL : ts_const_bool (eval, same == (op == TS_OPERATOR_EQ || op == TS_SYNTAX_IS));
    }
  if (ts_const_is_number (a) && ts_const_is_number (b) && (isnan (ts_const_as_double (a)) || isnan (ts_const_as_double (b))))
    return ts_const_bool (eval, FALSE);
  if (!ts_const_order (a, b, &order))
    return NULL;
  return ts_const_bool (eval, op == TS_OPERATOR_LT ? order < 0 : op == TS_OPERATOR_LE ? order <= 0
                              : op == TS_OPERATOR_GT ? order > 0 : order >= 0);
}

static const TsConst *
contains (TsEval *eval, const TsConst *item, const TsConst *container)
{
  const TsConst *items;

  if (container->kind == TS_CONST_STRING && item->kind == TS_CONST_STRING)
    return ts_const_bool (eval, strstr (container->text, item->text) != NULL);
  if (ts_const_is_environment (container) && item->kind == TS_CONST_STRING)
    return ts_eval_has_variable (eval, item->text);
  if (container->kind == TS_CONST_STRING || (items = ts_const_members (eval, container)) == NULL)
    return NULL;
  for (guint i = 0; i < items->n; i++)
    {
      gint same = items->items[i] == item && item->kind != TS_CONST_OPAQUE ? 1 : ts_const_equal (items->items[i], item);

      if (same != 0)
        return same > 0 ? ts_const_bool (eval, TRUE) : NULL;
    }
  return ts_const_bool (eval, FALSE);
}

static const TsConst *
join_sequences (TsEval *eval, const TsConst *a, const TsConst *b)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  if (a->detail != TS_ITEMS_PLAIN || b->detail != TS_ITEMS_PLAIN || a->n + b->n > TS_EVAL_ITEMS)
    return NULL;
  for (guint i = 0; i < a->n; i++)
    g_ptr_array_add (items, (gpointer) a->items[i]);
  for (guint i = 0; i < b->n; i++)
    g_ptr_array_add (items, (gpointer) b->items[i]);
  return ts_const_items (eval, (TsConstKind) a->kind, (const TsConst *const *) items->pdata, items->len);
}

static const TsConst *
repeat_sequence (TsEval *eval, const TsConst *a, gint64 times)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  if (times > 0 && (gint64) a->n > (gint64) TS_EVAL_ITEMS / times)
    return NULL;
  for (gint64 k = 0; k < times; k++)
    for (guint i = 0; i < a->n; i++)
      g_ptr_array_add (items, (gpointer) a->items[i]);
  return ts_const_items (eval, (TsConstKind) a->kind, (const TsConst *const *) items->pdata, items->len);
}

static const TsConst *
repeat_text (TsEval *eval, const char *text, gint64 times)
{
  g_autoptr (GString) repeated = g_string_new (NULL);

  if (times > 0 && (gint64) strlen (text) > (gint64) TS_EVAL_ITEMS / times)
    return NULL;
  for (gint64 k = 0; k < times && *text != '\0'; k++)
    g_string_append (repeated, text);
  return ts_const_text (eval, TS_CONST_STRING, repeated->str);
}

/* What makes a bool of two bools. */
static gboolean
is_bitwise (guint8 op)
{
  return op == TS_OPERATOR_BIT_AND || op == TS_OPERATOR_BIT_OR || op == TS_OPERATOR_BIT_XOR;
}

static const TsConst *
arithmetic (TsEval *eval, guint8 op, const TsConst *a, const TsConst *b)
{
  gint64 i;
  double f;

  if (ts_const_is_number (a) && ts_const_is_number (b))
    {
      gboolean floats = a->kind == TS_CONST_FLOAT || b->kind == TS_CONST_FLOAT || op == TS_OPERATOR_DIV
                        || (op == TS_OPERATOR_POW && b->kind != TS_CONST_FLOAT && b->i < 0);

      /* Beyond 2^53 not every integer is a float, and the quotient of two would be rounded twice. */
      if (op == TS_OPERATOR_DIV && ((a->kind != TS_CONST_FLOAT && fabs ((double) a->i) > 9007199254740992.0)
                                    || (b->kind != TS_CONST_FLOAT && fabs ((double) b->i) > 9007199254740992.0)))
        return NULL;
      if (floats)
        return float_operator (op, ts_const_as_double (a), ts_const_as_double (b), &f) ? ts_const_float (eval, f) : NULL;
      if (!int_operator (op, a->i, b->i, &i))
        return NULL;
      return a->kind == TS_CONST_BOOL && b->kind == TS_CONST_BOOL && is_bitwise (op) ? ts_const_bool (eval, i != 0)
                                                                                    : ts_const_int (eval, i);
    }
  if (op == TS_OPERATOR_ADD && a->kind == b->kind && ts_const_is_sequence (a))
    return join_sequences (eval, a, b);
  if (op == TS_OPERATOR_ADD && a->kind == TS_CONST_STRING && b->kind == TS_CONST_STRING)
    {
      g_autofree char *joined = strlen (a->text) + strlen (b->text) < TS_EVAL_ITEMS ? g_strconcat (a->text, b->text, NULL) : NULL;

      return joined != NULL ? ts_const_text (eval, TS_CONST_STRING, joined) : NULL;
    }
  if (op == TS_OPERATOR_MUL && ts_const_is_integer (a) && (ts_const_is_sequence (b) || b->kind == TS_CONST_STRING))
    return arithmetic (eval, op, b, a);
  if (op == TS_OPERATOR_MUL && ts_const_is_sequence (a) && a->detail == TS_ITEMS_PLAIN && ts_const_is_integer (b))
    return repeat_sequence (eval, a, b->i);
  if (op == TS_OPERATOR_MUL && a->kind == TS_CONST_STRING && ts_const_is_integer (b))
    return repeat_text (eval, a->text, b->i);
  return NULL;
}

/* As messages name an operand: objects by their class. Free with g_free(). */
static char *
operand_name (const TsConst *value)
{
  if (value->kind != TS_CONST_INSTANCE || value->class == NULL)
    return g_strdup (ts_const_kind_name (value));
  return g_strdup_printf (value->class->is_enum ? "a member of the enumeration %s (its value is .value)" : "an object of %s",
                          value->class->name);
}

/* Why an operator gave nothing: too large, divided by zero, or not for such operands. */
static const TsConst *
no_result (TsEval *eval, TsScope *scope, const TsNode *node, guint8 op, const TsConst *a, const TsConst *b)
{
  gboolean divides = op == TS_OPERATOR_DIV || op == TS_OPERATOR_FLOOR_DIV || op == TS_OPERATOR_FLOOR_MOD;
  g_autofree char *left = operand_name (a), *right = operand_name (b);
  const char *symbol = op < TS_N_OPERATORS ? ts_operator_symbol ((TsOperator) op) : op == TS_SYNTAX_AT ? "@" : "in";

  if (divides && ts_const_is_number (a) && ts_const_is_number (b) && ts_const_as_double (b) == 0)
    return ts_const_raises (eval, scope, node->offset, "a division by zero");
  if (ts_const_is_number (a) && ts_const_is_number (b) && a->kind != TS_CONST_FLOAT && b->kind != TS_CONST_FLOAT)
    return ts_const_opaque (eval, scope, node->offset, "the result of '%s' is no integer of 64 bits", symbol);
  if ((ts_const_is_sequence (a) || a->kind == TS_CONST_STRING)
      && ((op == TS_OPERATOR_ADD && a->kind == b->kind) || (op == TS_OPERATOR_MUL && ts_const_is_integer (b))))
    return ts_const_opaque (eval, scope, node->offset, "%s longer than %u", ts_const_kind_name (a), TS_EVAL_ITEMS);
  return ts_const_opaque (eval, scope, node->offset, "'%s' of %s and %s is not evaluated", symbol, left, right);
}

/* A set may be looked for in a set all the same: Python makes a frozen one of it. */
static gboolean
is_unhashable (const TsConst *value, const TsConst *container)
{
  if (value->kind == TS_CONST_DICT)
    return TRUE;
  if (value->kind == TS_CONST_LIST)
    return value->detail == TS_ITEMS_PLAIN || (value->detail == TS_ITEMS_SET && container->kind == TS_CONST_DICT);
  for (guint i = 0; value->kind == TS_CONST_TUPLE && value->detail == TS_ITEMS_PLAIN && i < value->n; i++)
    if (is_unhashable (value->items[i], container))
      return TRUE;
  return FALSE;
}

static const TsConst *
membership (TsEval *eval, TsScope *scope, const TsNode *node, guint8 op, const TsConst *item, const TsConst *container)
{
  gboolean hashes = container->kind == TS_CONST_DICT || (ts_const_is_sequence (container) && container->detail == TS_ITEMS_SET);
  const TsConst *result;

  if (hashes && is_unhashable (item, container))
    return ts_const_raises (eval, scope, node->offset, "%s looked for among hashed values", ts_const_kind_name (item));
  result = contains (eval, item, container);
  return result != NULL && op == TS_SYNTAX_NOT_IN ? ts_const_bool (eval, result->i == 0) : result;
}

const TsConst *
ts_eval_operator (TsEval *eval, TsScope *scope, const TsNode *node, guint8 op, const TsConst *a, const TsConst *b)
{
  const TsConst *const both[2] = { a, b };
  const TsConst *result;

  if (a->kind == TS_CONST_OPAQUE)
    return a;
  if (b->kind == TS_CONST_OPAQUE)
    return b;
  switch (op)
    {
    case TS_OPERATOR_EQ:
    case TS_OPERATOR_NE:
    case TS_OPERATOR_LT:
    case TS_OPERATOR_LE:
    case TS_OPERATOR_GT:
    case TS_OPERATOR_GE:
    case TS_SYNTAX_IS:
    case TS_SYNTAX_IS_NOT:
      result = compare_values (eval, op, a, b);
      break;
    case TS_SYNTAX_IN:
    case TS_SYNTAX_NOT_IN:
      result = membership (eval, scope, node, op, a, b);
      break;
    default:
      result = arithmetic (eval, op, ts_const_plain (a), ts_const_plain (b));
      break;
    }
  return result != NULL ? result : ts_const_derived (eval, no_result (eval, scope, node, op, a, b), both, 2);
}
