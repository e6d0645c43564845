/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions of Python over constants. */
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

static gboolean
float_operator (guint8 op, double a, double b, double *out)
{
  switch (op)
    {
    case TS_OPERATOR_ADD: *out = a + b; return TRUE;
    case TS_OPERATOR_SUB: *out = a - b; return TRUE;
    case TS_OPERATOR_MUL: *out = a * b; return TRUE;
    case TS_OPERATOR_DIV: *out = a / b; return b != 0;
    case TS_OPERATOR_FLOOR_DIV: *out = floor (a / b); return b != 0;
    case TS_OPERATOR_FLOOR_MOD: *out = a - floor (a / b) * b; return b != 0;
    case TS_OPERATOR_POW: *out = pow (a, b); return isfinite (*out);
    default: return FALSE;
    }
}

static const TsConst *
compare_values (TsEval *eval, guint8 op, const TsConst *a, const TsConst *b)
{
  gint order;

  if (op == TS_OPERATOR_EQ || op == TS_SYNTAX_IS)
    return ts_const_bool (eval, ts_const_equal (a, b));
  if (op == TS_OPERATOR_NE || op == TS_SYNTAX_IS_NOT)
    return ts_const_bool (eval, !ts_const_equal (a, b));
  if (ts_const_is_number (a) && ts_const_is_number (b))
    order = ts_const_as_double (a) < ts_const_as_double (b) ? -1 : ts_const_as_double (a) > ts_const_as_double (b);
  else if (a->kind == TS_CONST_STRING && b->kind == TS_CONST_STRING)
    order = strcmp (a->text, b->text);
  else
    return NULL;
  return ts_const_bool (eval, op == TS_OPERATOR_LT ? order < 0 : op == TS_OPERATOR_LE ? order <= 0
                              : op == TS_OPERATOR_GT ? order > 0 : order >= 0);
}

static gboolean
is_environment (const TsConst *value)
{
  return value->kind == TS_CONST_MODULE && g_strcmp0 (value->text, "os.environ") == 0;
}

static const TsConst *
contains (TsEval *eval, const TsConst *item, const TsConst *container)
{
  const TsConst *items;

  if (container->kind == TS_CONST_STRING && item->kind == TS_CONST_STRING)
    return ts_const_bool (eval, strstr (container->text, item->text) != NULL);
  if (is_environment (container) && item->kind == TS_CONST_STRING)
    return ts_const_bool (eval, ts_eval_define (eval, item->text) != NULL);
  if ((items = ts_const_iterate (eval, container)) == NULL)
    return NULL;
  for (guint i = 0; i < items->n; i++)
    if (ts_const_equal (items->items[i], item))
      return ts_const_bool (eval, TRUE);
  return ts_const_bool (eval, FALSE);
}

static const TsConst *
join_sequences (TsEval *eval, const TsConst *a, const TsConst *b)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  if (a->n + b->n > TS_EVAL_ITEMS)
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

static const TsConst *
arithmetic (TsEval *eval, guint8 op, const TsConst *a, const TsConst *b)
{
  gint64 i;
  double f;

  if (ts_const_is_number (a) && ts_const_is_number (b))
    {
      gboolean floats = a->kind == TS_CONST_FLOAT || b->kind == TS_CONST_FLOAT || op == TS_OPERATOR_DIV
                        || (op == TS_OPERATOR_POW && b->kind != TS_CONST_FLOAT && b->i < 0);

      if (floats)
        return float_operator (op, ts_const_as_double (a), ts_const_as_double (b), &f) ? ts_const_float (eval, f) : NULL;
      return int_operator (op, a->i, b->i, &i) ? ts_const_int (eval, i) : NULL;
    }
  if (op == TS_OPERATOR_ADD && a->kind == b->kind && ts_const_is_sequence (a))
    return join_sequences (eval, a, b);
  if (op == TS_OPERATOR_ADD && a->kind == TS_CONST_STRING && b->kind == TS_CONST_STRING)
    {
      g_autofree char *joined = strlen (a->text) + strlen (b->text) < TS_EVAL_ITEMS ? g_strconcat (a->text, b->text, NULL) : NULL;

      return joined != NULL ? ts_const_text (eval, TS_CONST_STRING, joined) : NULL;
    }
  if (op == TS_OPERATOR_MUL && ts_const_is_sequence (a) && b->kind == TS_CONST_INT)
    return repeat_sequence (eval, a, b->i);
  if (op == TS_OPERATOR_MUL && a->kind == TS_CONST_STRING && b->kind == TS_CONST_INT)
    return repeat_text (eval, a->text, b->i);
  return NULL;
}

/* Why an operator gave nothing: too large, divided by zero, or not for such operands. */
static const TsConst *
no_result (TsEval *eval, TsScope *scope, const TsNode *node, guint8 op, const TsConst *a, const TsConst *b)
{
  gboolean divides = op == TS_OPERATOR_DIV || op == TS_OPERATOR_FLOOR_DIV || op == TS_OPERATOR_FLOOR_MOD;
  const char *symbol = op < TS_N_OPERATORS ? ts_operator_symbol ((TsOperator) op) : op == TS_SYNTAX_AT ? "@" : "in";

  if (divides && ts_const_is_number (a) && ts_const_is_number (b) && ts_const_as_double (b) == 0)
    return ts_const_opaque (eval, scope, node->offset, "a division by zero");
  if (ts_const_is_number (a) && ts_const_is_number (b) && a->kind != TS_CONST_FLOAT && b->kind != TS_CONST_FLOAT)
    return ts_const_opaque (eval, scope, node->offset, "the result of '%s' is no integer of 64 bits", symbol);
  if ((ts_const_is_sequence (a) || a->kind == TS_CONST_STRING)
      && ((op == TS_OPERATOR_ADD && a->kind == b->kind) || (op == TS_OPERATOR_MUL && b->kind == TS_CONST_INT)))
    return ts_const_opaque (eval, scope, node->offset, "%s longer than %u", ts_const_kind_name (a), TS_EVAL_ITEMS);
  return ts_const_opaque (eval, scope, node->offset, "'%s' of %s and %s is not evaluated", symbol, ts_const_kind_name (a),
                          ts_const_kind_name (b));
}

const TsConst *
ts_eval_operator (TsEval *eval, TsScope *scope, const TsNode *node, guint8 op, const TsConst *a, const TsConst *b)
{
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
      result = contains (eval, a, b);
      if (result != NULL && op == TS_SYNTAX_NOT_IN)
        result = ts_const_bool (eval, result->i == 0);
      break;
    default:
      result = arithmetic (eval, op, a, b);
      break;
    }
  return result != NULL ? result : no_result (eval, scope, node, op, a, b);
}

/* --- the other operators ------------------------------------------------------------------------------------------------- */

static const TsConst *
eval_unary (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *x = ts_eval_node (eval, scope, node->first);
  gint truth = ts_const_truth (x);
  gint64 negated;

  if (x->kind == TS_CONST_OPAQUE)
    return x;
  if (node->op == TS_OPERATOR_NOT)
    return ts_const_bool (eval, truth == 0);
  if (node->op == TS_OPERATOR_NEG && x->kind == TS_CONST_FLOAT)
    return ts_const_float (eval, -x->f);
  if (node->op == TS_OPERATOR_NEG && ts_const_is_number (x) && ts_sub (0, x->i, &negated))
    return ts_const_int (eval, negated);
  if (node->op == TS_OPERATOR_BIT_NOT && ts_const_is_number (x) && x->kind != TS_CONST_FLOAT)
    return ts_const_int (eval, ~x->i);
  if (node->op == TS_SYNTAX_PLUS && ts_const_is_number (x))
    return x;
  return ts_const_opaque (eval, scope, node->offset, "an operator on %s", ts_const_kind_name (x));
}

static const TsConst *
eval_binary (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *a = ts_eval_node (eval, scope, node->first);
  gint truth = ts_const_truth (a);

  if (node->op == TS_OPERATOR_AND || node->op == TS_OPERATOR_OR)
    {
      if (truth < 0)
        return a;
      return (truth == 1) == (node->op == TS_OPERATOR_OR) ? a : ts_eval_node (eval, scope, node->first->next);
    }
  return ts_eval_operator (eval, scope, node, node->op, a, ts_eval_node (eval, scope, node->first->next));
}

static const TsConst *
eval_chain (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *result = NULL;

  for (const TsNode *pair = node->first; pair != NULL; pair = pair->next)
    {
      result = ts_eval_node (eval, scope, pair);
      if (ts_const_truth (result) != 1)
        return result;
    }
  return result;
}

static const TsConst *
eval_conditional (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *condition = ts_eval_node (eval, scope, node->first);
  gint truth = ts_const_truth (condition);

  if (truth < 0)
    return condition;
  return ts_eval_node (eval, scope, truth == 1 ? node->first->next : node->first->next->next);
}

static const TsConst *
eval_sequence (TsEval *eval, TsScope *scope, const TsNode *node, TsConstKind kind)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  for (const TsNode *child = node->first; child != NULL; child = child->next)
    {
      const TsConst *value = ts_eval_node (eval, scope, child->kind == TS_NODE_STAR ? child->first : child);

      if (child->kind != TS_NODE_STAR)
        g_ptr_array_add (items, (gpointer) value);
      else if ((value = ts_const_iterate (eval, value)) == NULL)
        return ts_const_opaque (eval, scope, child->offset, "a starred value that is no sequence");
      else
        for (guint i = 0; i < value->n; i++)
          g_ptr_array_add (items, (gpointer) value->items[i]);
    }
  return ts_const_items (eval, kind, (const TsConst *const *) items->pdata, items->len);
}

static const TsConst *
eval_dict (TsEval *eval, TsScope *scope, const TsNode *node)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  for (const TsNode *key = node->first; key != NULL; key = key->next)
    {
      if (key->kind == TS_NODE_DOUBLE_STAR)
        {
          const TsConst *other = ts_eval_node (eval, scope, key->first);

          for (guint i = 0; other->kind == TS_CONST_DICT && i < other->n; i++)
            g_ptr_array_add (items, (gpointer) other->items[i]);
          continue;
        }
      g_ptr_array_add (items, (gpointer) ts_eval_node (eval, scope, key));
      key = key->next;
      g_ptr_array_add (items, (gpointer) ts_eval_node (eval, scope, key));
    }
  return ts_const_items (eval, TS_CONST_DICT, (const TsConst *const *) items->pdata, items->len);
}

/* --- subscripts ---------------------------------------------------------------------------------------------------------- */

static gboolean
slice_bound (TsEval *eval, TsScope *scope, const TsNode *node, gint64 n, gint64 fallback, gint64 *out)
{
  const TsConst *value;

  *out = fallback;
  if (node->kind == TS_NODE_EMPTY)
    return TRUE;
  value = ts_eval_node (eval, scope, node);
  if (value->kind == TS_CONST_NONE)
    return TRUE;
  if (value->kind != TS_CONST_INT)
    return FALSE;
  *out = CLAMP (value->i < 0 ? value->i + n : value->i, 0, n);
  return TRUE;
}

static const TsConst *
eval_slice (TsEval *eval, TsScope *scope, const TsConst *base, const TsNode *slice)
{
  gint64 n = base->n, from, to;

  if (!ts_const_is_sequence (base) || slice->first->next->next->kind != TS_NODE_EMPTY
      || !slice_bound (eval, scope, slice->first, n, 0, &from) || !slice_bound (eval, scope, slice->first->next, n, n, &to))
    return ts_const_opaque (eval, scope, slice->offset, "a slice of %s", ts_const_kind_name (base));
  return ts_const_items (eval, (TsConstKind) base->kind, base->items + from, to > from ? (guint) (to - from) : 0);
}

static gboolean
is_language_type (TsEval *eval, const TsNode *node)
{
  TsNameMeaning meaning;

  if (node->kind != TS_NODE_NAME)
    return FALSE;
  meaning = ts_name_meaning (eval->lexicon, node->name);
  return node->name->parent != NULL
         && (meaning == TS_MEANING_TYPE || meaning == TS_MEANING_VIEW || meaning == TS_MEANING_MEMREF
             || meaning == TS_MEANING_DIRECTION);
}

static const TsConst *
syntax_value (TsEval *eval, TsScope *scope, const TsNode *node)
{
  TsConst *value = ts_const_new (eval, TS_CONST_SYNTAX);

  value->node = node;
  value->scope = scope;
  return value;
}

/* os.environ["N"]: text that only -D can give. */
static const TsConst *
variable_of_environment (TsEval *eval, TsScope *scope, const TsNode *node, const char *name)
{
  const TsConst *given = ts_eval_variable (eval, name);

  return given != NULL ? given : ts_const_opaque (eval, scope, node->offset,
                                                  "the environment variable '%s', which has no default", name);
}

static const TsConst *
eval_subscript (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsNode *index = node->first->next;
  const TsConst *base, *key;

  if (is_language_type (eval, node->first))
    return syntax_value (eval, scope, node);
  base = ts_eval_node (eval, scope, node->first);
  if (base->kind == TS_CONST_OPAQUE)
    return base;
  if (base->kind == TS_CONST_SYNTAX)
    return syntax_value (eval, scope, node);
  if (index->kind == TS_NODE_SLICE)
    return eval_slice (eval, scope, base, index);
  key = ts_eval_node (eval, scope, index);
  if (key->kind == TS_CONST_OPAQUE)
    return key;
  if (ts_const_is_sequence (base) && key->kind == TS_CONST_INT)
    {
      gint64 i = key->i < 0 ? key->i + base->n : key->i;

      if (i >= 0 && i < base->n)
        return base->items[i];
    }
  if (base->kind == TS_CONST_DICT)
    for (guint i = base->n; i >= 2; i -= 2)
      if (ts_const_equal (base->items[i - 2], key))
        return base->items[i - 1];
  if (is_environment (base) && key->kind == TS_CONST_STRING)
    return variable_of_environment (eval, scope, node, key->text);
  return ts_const_opaque (eval, scope, node->offset, "an index that %s does not have", ts_const_kind_name (base));
}

/* --- names and attributes ------------------------------------------------------------------------------------------------ */

static const TsConst *
torch_dtype (TsEval *eval, const char *name)
{
  static const struct { const char *name; TsDtype dtype; } dtypes[] = {
    { "float32", TS_DTYPE_FP32 }, { "float", TS_DTYPE_FP32 }, { "float16", TS_DTYPE_FP16 }, { "half", TS_DTYPE_FP16 },
    { "bfloat16", TS_DTYPE_BF16 }, { "int8", TS_DTYPE_INT8 }, { "int16", TS_DTYPE_INT16 }, { "int32", TS_DTYPE_INT32 },
    { "int", TS_DTYPE_INT32 }, { "int64", TS_DTYPE_INT64 }, { "long", TS_DTYPE_INT64 }, { "uint8", TS_DTYPE_UINT8 },
    { "bool", TS_DTYPE_BOOL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (strcmp (dtypes[i].name, name) == 0)
      {
        TsConst *value = ts_const_new (eval, TS_CONST_DTYPE);

        value->detail = (guint8) dtypes[i].dtype;
        return value;
      }
  return NULL;
}

/* An attribute of a module that is not ours to load. */
static const TsConst *
foreign_attribute (TsEval *eval, TsScope *scope, guint32 offset, const char *module, const char *name)
{
  g_autofree char *full = g_strconcat (module, ".", name, NULL);
  TsConst *value;

  if (strcmp (full, "sys.argv") == 0)
    {
      const TsConst *program = ts_const_text (eval, TS_CONST_STRING, ts_source_name (scope->source));

      return ts_const_items (eval, TS_CONST_LIST, &program, 1);
    }
  if (strcmp (full, "math.pi") == 0)
    return ts_const_float (eval, G_PI);
  if (strcmp (full, "math.e") == 0)
    return ts_const_float (eval, G_E);
  if (strcmp (full, "math.inf") == 0)
    return ts_const_float (eval, (double) INFINITY);
  if (strcmp (module, "torch") == 0 && torch_dtype (eval, name) != NULL)
    return torch_dtype (eval, name);
  if (strcmp (full, "os.environ") == 0)
    return ts_const_text (eval, TS_CONST_MODULE, full);
  if (!ts_eval_is_builtin (full))
    return ts_const_opaque (eval, scope, offset, "'%s' comes from a module that is not loaded", full);
  value = ts_const_new (eval, TS_CONST_BUILTIN);
  value->text = ts_eval_intern (eval, full);
  return value;
}

static const TsConst *
bind_self (TsEval *eval, const TsConst *function, const TsConst *self)
{
  TsConst *bound = ts_const_new (eval, TS_CONST_FUNCTION);

  *bound = *function;
  bound->self = self;
  return bound;
}

static gboolean
has_decorator (const TsStatement *def, const char *name)
{
  for (const TsNode *decorator = def->decorators; decorator != NULL; decorator = decorator->next)
    if (decorator->kind == TS_NODE_NAME && strcmp (decorator->name->last, name) == 0)
      return TRUE;
  return FALSE;
}

/* A member reached through an object: functions get the object, properties are called. */
static const TsConst *
member_of (TsEval *eval, const TsConst *member, const TsConst *self, guint32 offset)
{
  static const TsArguments nothing = { NULL, NULL, 0, 0 };

  if (member->kind != TS_CONST_FUNCTION || member->self != NULL)
    return member;
  if (has_decorator (member->def, "staticmethod"))
    return member;
  if (has_decorator (member->def, "property") || has_decorator (member->def, "cached_property"))
    return ts_eval_function (eval, bind_self (eval, member, self), &nothing, offset);
  return bind_self (eval, member, self);
}

static const TsConst *
instance_attribute (TsEval *eval, guint32 offset, const TsConst *base, const char *name)
{
  const TsConst *value = base->fields != NULL ? g_hash_table_lookup (base->fields, name) : NULL;

  if (value != NULL)
    return value;
  value = base->class != NULL ? ts_class_member (eval, base->class, name) : NULL;
  return value != NULL ? member_of (eval, value, base, offset) : NULL;
}

const TsConst *
ts_eval_attribute (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *base, const char *name)
{
  const TsConst *value = NULL;
  TsConst *method;

  switch ((TsConstKind) base->kind)
    {
    case TS_CONST_OPAQUE:
      return base;
    case TS_CONST_MODULE:
      if (base->scope == NULL)
        return foreign_attribute (eval, scope, offset, base->text, name);
      value = ts_scope_get (base->scope, name);
      break;
    case TS_CONST_INSTANCE:
      value = instance_attribute (eval, offset, base, name);
      break;
    case TS_CONST_CLASS:
      value = ts_class_member (eval, base->class, name);
      if (value != NULL && value->kind == TS_CONST_FUNCTION && has_decorator (value->def, "classmethod"))
        value = bind_self (eval, value, base);
      break;
    default:
      {
        g_autofree char *full = g_strconcat (".", name, NULL);

        if (ts_eval_is_builtin (full))
          {
            method = ts_const_new (eval, TS_CONST_BUILTIN);
            method->text = ts_eval_intern (eval, full);
            method->self = base;
            return method;
          }
      }
      break;
    }
  if (value != NULL)
    return value;
  return ts_const_opaque (eval, scope, offset, "%s has no attribute '%s'", ts_const_kind_name (base), name);
}

/* A name of the language itself: an element type, an enumeration. */
static const TsConst *
language_name (TsEval *eval, TsScope *scope, const TsNode *node)
{
  TsConst *value;

  switch (ts_name_meaning (eval->lexicon, node->name))
    {
    case TS_MEANING_DTYPE:
      value = ts_const_new (eval, TS_CONST_DTYPE);
      value->detail = node->name->detail;
      return value;
    case TS_MEANING_ENUM:
      return ts_const_text (eval, TS_CONST_ENUM, node->name->rest);
    case TS_MEANING_TYPE:
    case TS_MEANING_MARKER:
      return syntax_value (eval, scope, node);
    default:
      return ts_const_opaque (eval, scope, node->offset, "'%s' has no constant value", node->name->text);
    }
}

static const TsConst *
eval_dotted (TsEval *eval, TsScope *scope, const TsNode *node, TsName *name)
{
  /* -D ARGS.rows=64 */
  if (name->parent != NULL && g_hash_table_size (eval->defines) > 0 && ts_eval_define (eval, name->text) != NULL)
    return ts_eval_define (eval, name->text);
  if (name->parent != NULL)
    return ts_eval_attribute (eval, scope, node->offset, eval_dotted (eval, scope, node, name->parent), name->last);
  {
    const TsConst *value = ts_eval_lookup (eval, scope, name);

    if (value != NULL)
      return value;
  }
  if (ts_eval_is_builtin (name->text))
    return ts_const_text (eval, TS_CONST_BUILTIN, name->text);
  return ts_const_opaque (eval, scope, node->offset, "nothing assigns '%s'", name->text);
}

static const TsConst *
eval_name (TsEval *eval, TsScope *scope, const TsNode *node)
{
  ts_name_meaning (eval->lexicon, node->name);
  if (node->name->parent != NULL && node->name->root != TS_ROOT_NONE && node->name->root != TS_ROOT_SELF)
    return language_name (eval, scope, node);
  return eval_dotted (eval, scope, node, node->name);
}

static const TsConst *
eval_fstring (TsEval *eval, TsScope *scope, const TsNode *node)
{
  if (strchr (node->text, '{') != NULL)
    return ts_const_opaque (eval, scope, node->offset, "an f-string");
  return ts_const_text (eval, TS_CONST_STRING, node->text);
}

static const TsConst *
eval_any (TsEval *eval, TsScope *scope, const TsNode *node)
{
  switch ((TsNodeKind) node->kind)
    {
    case TS_NODE_NAME: return eval_name (eval, scope, node);
    case TS_NODE_INT:
      return node->i >= 0 ? ts_const_int (eval, node->i) : ts_const_opaque (eval, scope, node->offset, "an integer beyond 64 bits");
    case TS_NODE_FLOAT: return ts_const_float (eval, node->f);
    case TS_NODE_STRING: return ts_const_text (eval, TS_CONST_STRING, node->text);
    case TS_NODE_FSTRING: return eval_fstring (eval, scope, node);
    case TS_NODE_TRUE: return ts_const_bool (eval, TRUE);
    case TS_NODE_FALSE: return ts_const_bool (eval, FALSE);
    case TS_NODE_NONE: return eval->none;
    case TS_NODE_TUPLE: return eval_sequence (eval, scope, node, TS_CONST_TUPLE);
    case TS_NODE_LIST:
    case TS_NODE_SET: return eval_sequence (eval, scope, node, TS_CONST_LIST);
    case TS_NODE_DICT: return eval_dict (eval, scope, node);
    case TS_NODE_UNARY: return eval_unary (eval, scope, node);
    case TS_NODE_BINARY: return eval_binary (eval, scope, node);
    case TS_NODE_CHAIN: return eval_chain (eval, scope, node);
    case TS_NODE_CALL: return ts_eval_call_node (eval, scope, node);
    case TS_NODE_SUBSCRIPT: return eval_subscript (eval, scope, node);
    case TS_NODE_ATTRIBUTE:
      return ts_eval_attribute (eval, scope, node->offset, ts_eval_node (eval, scope, node->first), node->name->text);
    case TS_NODE_CONDITIONAL: return eval_conditional (eval, scope, node);
    case TS_NODE_COMPREHENSION: return ts_eval_comprehension (eval, scope, node);
    case TS_NODE_LAMBDA: return ts_eval_kernel (eval, scope, node->lambda);
    default: return ts_const_opaque (eval, scope, node->offset, "%s is not evaluated", ts_node_kind_name ((TsNodeKind) node->kind));
    }
}

const TsConst *
ts_eval_node (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *value;

  if (!ts_eval_step (eval))
    return ts_const_opaque (eval, scope, node->offset, "more than %u steps of evaluation", TS_EVAL_STEPS);
  if (eval->nesting >= TS_EVAL_NESTING)
    return ts_const_opaque (eval, scope, node->offset, "an evaluation nested deeper than %u", TS_EVAL_NESTING);
  eval->nesting++;
  value = eval_any (eval, scope, node);
  eval->nesting--;
  return value;
}
