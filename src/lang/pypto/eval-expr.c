/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions of Python over constants. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "lang/pypto/eval-format.h"

/* --- the other operators ------------------------------------------------------------------------------------------------- */

static const TsConst *
eval_unary (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *value = ts_eval_node (eval, scope, node->first);
  /* ~ of a member of IntFlag is that of the flags there are. */
  const TsConst *x = node->op != TS_OPERATOR_BIT_NOT ? ts_const_plain (value) : value;
  gint truth = ts_const_truth (x);
  gint64 negated;

  if (x->kind == TS_CONST_OPAQUE)
    return x;
  if (node->op == TS_OPERATOR_NOT)
    return truth < 0 ? ts_const_undecided (eval, scope, node->offset, x) : ts_const_bool (eval, truth == 0);
  if (node->op == TS_OPERATOR_NEG && x->kind == TS_CONST_FLOAT)
    return ts_const_float (eval, -x->f);
  if (node->op == TS_OPERATOR_NEG && ts_const_is_number (x) && ts_sub (0, x->i, &negated))
    return ts_const_int (eval, negated);
  if (node->op == TS_OPERATOR_BIT_NOT && ts_const_is_number (x) && x->kind != TS_CONST_FLOAT)
    return ts_const_int (eval, ~x->i);
  if (node->op == TS_SYNTAX_PLUS && ts_const_is_number (x))
    return x->kind == TS_CONST_BOOL ? ts_const_int (eval, x->i) : x;
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
        return ts_eval_perhaps (eval, scope, node, a, node->first->next);
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
      if (ts_const_truth (result) < 0)
        return ts_eval_perhaps (eval, scope, node, result, pair->next);
      if (ts_const_truth (result) == 0)
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
    return ts_eval_perhaps (eval, scope, node, condition, node->first->next);
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

const TsConst *
ts_const_set (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *const *items, guint n)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new ();
  const TsConst *set;

  for (guint i = 0; i < n; i++)
    if (!ts_const_put_member (eval, members, items[i]))
      return ts_const_opaque (eval, scope, offset, "a set whose members are not all known");
  set = ts_const_items (eval, TS_CONST_LIST, (const TsConst *const *) members->pdata, members->len);
  if (set->kind == TS_CONST_LIST)
    ((TsConst *) set)->detail = TS_ITEMS_SET;
  return set;
}

static const TsConst *
eval_set (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *list = eval_sequence (eval, scope, node, TS_CONST_LIST);

  return list->kind == TS_CONST_LIST ? ts_const_set (eval, scope, node->offset, list->items, list->n) : list;
}

static const TsConst *
eval_dict (TsEval *eval, TsScope *scope, const TsNode *node)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  for (const TsNode *key = node->first; key != NULL; key = key->next)
    {
      const TsConst *name = ts_eval_node (eval, scope, key->kind == TS_NODE_DOUBLE_STAR ? key->first : key);
      gboolean known;

      if (key->kind == TS_NODE_DOUBLE_STAR)
        known = name->kind == TS_CONST_DICT && ts_const_put_all (eval, items, name);
      else
        {
          key = key->next;
          known = ts_const_put (eval, items, name, ts_eval_node (eval, scope, key));
        }
      if (!known)
        return ts_const_opaque (eval, scope, node->offset, "a dictionary whose keys are not all known");
    }
  return ts_const_items (eval, TS_CONST_DICT, (const TsConst *const *) items->pdata, items->len);
}

/* --- subscripts ---------------------------------------------------------------------------------------------------------- */

/* One of the three parts; FALSE when it is no integer. */
static gboolean
slice_part (TsEval *eval, TsScope *scope, const TsNode *node, gboolean *given, gint64 *out)
{
  const TsConst *value = node->kind != TS_NODE_EMPTY ? ts_eval_node (eval, scope, node) : eval->none;

  value = ts_const_plain (value);
  *given = ts_const_is_integer (value);
  *out = *given ? value->i : 0;
  return *given || value->kind == TS_CONST_NONE;
}

static const TsConst *
eval_slice (TsEval *eval, TsScope *scope, const TsConst *base, const TsNode *slice)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  const TsConst *all = base->kind == TS_CONST_STRING || ts_const_is_sequence (base) ? ts_const_iterate (eval, base) : NULL;
  gboolean has[3];
  gint64 part[3], n = all != NULL ? all->n : 0, low, high;
  const TsNode *node = slice->first;

  for (guint k = 0; k < 3 && all != NULL; k++, node = node->next)
    if (!slice_part (eval, scope, node, &has[k], &part[k]))
      all = NULL;
  if (all == NULL || all->detail != TS_ITEMS_PLAIN || (has[2] && part[2] == 0))
    return ts_const_opaque (eval, scope, slice->offset, "a slice of %s", ts_const_kind_name (base));
  part[2] = has[2] ? CLAMP (part[2], -(gint64) TS_EVAL_ITEMS, (gint64) TS_EVAL_ITEMS) : 1;
  low = part[2] > 0 ? 0 : -1;
  high = part[2] > 0 ? n : n - 1;
  for (guint k = 0; k < 2; k++)
    part[k] = !has[k] ? ((k == 0) == (part[2] > 0) ? low : high)
                      : CLAMP (part[k] < 0 ? MAX (part[k], -n - 1) + n : part[k], low, high);
  for (gint64 i = part[0]; part[2] > 0 ? i < part[1] : i > part[1]; i += part[2])
    g_ptr_array_add (items, (gpointer) all->items[i]);
  if (base->kind != TS_CONST_STRING)
    return ts_const_items (eval, (TsConstKind) base->kind, (const TsConst *const *) items->pdata, items->len);
  {
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < items->len; i++)
      g_string_append (text, ((const TsConst *) items->pdata[i])->text);
    return ts_const_text (eval, TS_CONST_STRING, text->str);
  }
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

  if (given == NULL && eval->environment_is_open)
    return ts_const_opaque (eval, scope, node->offset, "the file sets variables of the environment in a way that is not followed");
  eval->n_unknown_reads += given == NULL;
  return given != NULL ? given : ts_const_raises (eval, scope, node->offset,
                                                  "the environment variable '%s', which has no default", name);
}

static const TsConst *
entry_of (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *dict, const TsConst *key)
{
  for (guint i = 0; i < dict->n; i += 2)
    {
      gint same = ts_const_equal (dict->items[i], key);

      if (same != 0)
        return same > 0 ? dict->items[i + 1] : ts_const_opaque (eval, scope, node->offset, "a key that is not decided");
    }
  return ts_const_raises (eval, scope, node->offset, "an index that a dictionary does not have");
}

static const TsConst *
eval_index (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *base, const TsConst *key)
{
  const TsConst *items = base->kind == TS_CONST_STRING ? ts_const_iterate (eval, base) : base;
  const TsConst *value;

  if (ts_const_is_sequence (items))
    key = ts_const_plain (key);
  if ((ts_const_is_sequence (items)) && items->detail == TS_ITEMS_PLAIN
      && (key->kind == TS_CONST_INT || key->kind == TS_CONST_BOOL))
    {
      gint64 i = key->i < 0 ? key->i + items->n : key->i;

      return i >= 0 && i < items->n ? items->items[i]
                                    : ts_const_raises (eval, scope, node->offset, "an index that %s does not have",
                                                       ts_const_kind_name (base));
    }
  if (base->kind == TS_CONST_DICT)
    return entry_of (eval, scope, node, base, key);
  if (ts_const_is_environment (base) && key->kind == TS_CONST_STRING)
    return variable_of_environment (eval, scope, node, key->text);
  if (base->kind == TS_CONST_MODULE && base->scope != NULL && key->kind == TS_CONST_STRING
      && (value = ts_scope_get (base->scope, key->text)) != NULL)
    return value; /* globals ()["N"] */
  return ts_const_opaque (eval, scope, node->offset, "an index that %s does not have", ts_const_kind_name (base));
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
  return eval_index (eval, scope, node, base, key);
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
    return ts_eval_command_line (eval, scope, offset);
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
      if (value == NULL && !base->class->is_foreign && strcmp (name, "__setattr__") == 0)
        return foreign_attribute (eval, scope, offset, "object", name);
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
  if (value == NULL && base->kind == TS_CONST_MODULE && base->scope != NULL)
    value = ts_eval_perhaps_bound (base->scope, ts_eval_intern (eval, name));
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
  const TsConst *why;

  if (name->parent != NULL)
    {
      const TsConst *base = eval_dotted (eval, scope, node, name->parent), *given;

      /* -D ARGS.rows=64. A class has taken it already: the member of an enumeration is more than its value. */
      if (base->kind != TS_CONST_CLASS && g_hash_table_size (eval->defines) > 0
          && (given = ts_eval_define (eval, name->text)) != NULL)
        return given;
      return ts_eval_attribute (eval, scope, node->offset, base, name->last);
    }
  {
    const TsConst *value = ts_eval_lookup (eval, scope, name);

    if (value != NULL)
      return value;
  }
  if (strcmp (name->text, "object") == 0) /* for object.__setattr__ */
    return ts_const_text (eval, TS_CONST_MODULE, name->text);
  if (ts_eval_is_builtin (name->text))
    return ts_const_text (eval, TS_CONST_BUILTIN, name->text);
  if ((why = ts_eval_perhaps_bound (scope, name->text)) != NULL)
    return why;
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
eval_any (TsEval *eval, TsScope *scope, const TsNode *node)
{
  switch ((TsNodeKind) node->kind)
    {
    case TS_NODE_NAME: return eval_name (eval, scope, node);
    case TS_NODE_INT:
      return node->i >= 0 ? ts_const_int (eval, node->i) : ts_const_opaque (eval, scope, node->offset, "an integer beyond 64 bits");
    case TS_NODE_FLOAT: return ts_const_float (eval, node->f);
    case TS_NODE_STRING: return ts_const_text (eval, TS_CONST_STRING, node->text);
    case TS_NODE_FSTRING: return ts_eval_format (eval, scope, node, node->text);
    case TS_NODE_TRUE: return ts_const_bool (eval, TRUE);
    case TS_NODE_FALSE: return ts_const_bool (eval, FALSE);
    case TS_NODE_NONE: return eval->none;
    case TS_NODE_TUPLE: return eval_sequence (eval, scope, node, TS_CONST_TUPLE);
    case TS_NODE_LIST: return eval_sequence (eval, scope, node, TS_CONST_LIST);
    case TS_NODE_SET: return eval_set (eval, scope, node);
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
    case TS_NODE_WALRUS: return ts_eval_walrus (eval, scope, node);
    case TS_NODE_LAMBDA: return ts_eval_lambda (eval, scope, node->lambda);
    default: return ts_const_opaque (eval, scope, node->offset, "%s is not evaluated", ts_node_kind_name ((TsNodeKind) node->kind));
    }
}

/* An expression that is left alone, with whatever it would have changed. */
static const TsConst *
not_evaluated (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *why)
{
  ts_eval_forget_expression (eval, scope, node, why);
  return why;
}

const TsConst *
ts_eval_node (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *value;

  if (eval->nesting == 0 && eval->depth == 0 && eval->looping == 0)
    ts_eval_renew_steps (eval);
  if (!ts_eval_step (eval))
    return not_evaluated (eval, scope, node, ts_eval_exhausted (eval, scope, node->offset));
  if (eval->nesting >= TS_EVAL_NESTING)
    {
      value = ts_const_opaque (eval, scope, node->offset, "an evaluation nested deeper than %u", TS_EVAL_NESTING);
      return not_evaluated (eval, scope, node, ts_eval_give_up (eval, value));
    }
  eval->nesting++;
  value = eval_any (eval, scope, node);
  eval->nesting--;
  return value;
}
