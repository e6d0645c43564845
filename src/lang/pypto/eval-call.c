/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls: the file's own functions, run as written; comprehensions. Builtins are in eval-builtin.c. */
#include <string.h>

#include "lang/pypto/eval-private.h"

/* --- arguments ----------------------------------------------------------------------------------------------------------- */

typedef struct
{
  GPtrArray     *values, *keywords;
  const TsConst *open;
} Reading;

static void
take_argument (Reading *r, const TsConst *value, const char *keyword)
{
  g_ptr_array_add (r->values, (gpointer) value);
  g_ptr_array_add (r->keywords, (gpointer) keyword);
}

/* Takes apart what stands behind ** (`named`) or *. FALSE: it cannot be. */
static gboolean
spread (TsEval *eval, Reading *r, const TsConst *value, gboolean named)
{
  if (!named)
    value = ts_const_iterate (eval, value);
  if (value == NULL || (named && value->kind != TS_CONST_DICT))
    return FALSE;
  for (guint i = 0; i < value->n; i += named ? 2 : 1)
    {
      if (named && value->items[i]->kind != TS_CONST_STRING)
        return FALSE;
      take_argument (r, value->items[named ? i + 1 : i], named ? value->items[i]->text : NULL);
    }
  return TRUE;
}

static void
read_arguments (TsEval *eval, TsScope *scope, const TsNode *call, Reading *r)
{
  for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
    if (argument->kind == TS_NODE_STAR || argument->kind == TS_NODE_DOUBLE_STAR)
      {
        const TsConst *value = ts_eval_node (eval, scope, argument->first);

        if (!spread (eval, r, value, argument->kind == TS_NODE_DOUBLE_STAR) && r->open == NULL)
          r->open = value->kind == TS_CONST_OPAQUE ? value
                    : ts_const_opaque (eval, scope, argument->offset, "%s behind a star", ts_const_kind_name (value));
      }
    else
      {
        gboolean named = argument->kind == TS_NODE_KEYWORD;

        take_argument (r, ts_eval_node (eval, scope, named ? argument->first : argument), named ? argument->name->text : NULL);
      }
}

/* Positional ones first: f (a=1, *rest) has them the other way round. */
void
ts_eval_arguments (TsEval *eval, TsScope *scope, const TsNode *call, TsArguments *out)
{
  Reading r = { g_ptr_array_new (), g_ptr_array_new (), NULL };
  guint at = 0;

  read_arguments (eval, scope, call, &r);
  *out = (TsArguments) { .n = r.values->len, .open = r.open };
  out->items = g_new (const TsConst *, (gsize) out->n + 1);
  out->keywords = g_new (const char *, (gsize) out->n + 1);
  for (guint named = 0; named < 2; named++)
    {
      for (guint i = 0; i < out->n; i++)
        if ((r.keywords->pdata[i] != NULL) == (named == 1))
          {
            out->items[at] = r.values->pdata[i];
            out->keywords[at++] = r.keywords->pdata[i];
          }
      out->n_positional = named == 0 ? at : out->n_positional;
    }
  g_ptr_array_unref (r.values);
  g_ptr_array_unref (r.keywords);
}

void
ts_arguments_clear (TsArguments *arguments)
{
  g_free (arguments->items);
  g_free (arguments->keywords);
}

static const TsConst *
argument_named (const TsArguments *arguments, const char *name)
{
  for (guint i = 0; i < arguments->n; i++)
    if (arguments->keywords[i] == name)
      return arguments->items[i];
  return NULL;
}

static const TsConst *
nth_positional (const TsArguments *arguments, guint index)
{
  for (guint i = 0; i < arguments->n; i++)
    if (arguments->keywords[i] == NULL && index-- == 0)
      return arguments->items[i];
  return NULL;
}

/* --- functions ----------------------------------------------------------------------------------------------------------- */

/* What is left behind *args. */
static const TsConst *
rest_of (TsEval *eval, const TsArguments *arguments, guint index)
{
  g_autoptr (GPtrArray) rest = g_ptr_array_new ();
  const TsConst *value;

  while ((value = nth_positional (arguments, index++)) != NULL)
    g_ptr_array_add (rest, (gpointer) value);
  return ts_const_items (eval, TS_CONST_TUPLE, (const TsConst *const *) rest->pdata, rest->len);
}

/* What is left for **kw: the keywords that are no parameters. */
static const TsConst *
keywords_of (TsEval *eval, const TsConst *function, const TsArguments *arguments)
{
  g_autoptr (GPtrArray) rest = g_ptr_array_new ();

  for (guint i = 0; i < arguments->n; i++)
    {
      const TsParameter *param = function->def->params;

      while (param != NULL && (param->name == NULL || param->stars != 0 || param->name->text != arguments->keywords[i]))
        param = param->next;
      if (arguments->keywords[i] == NULL || param != NULL)
        continue;
      g_ptr_array_add (rest, (gpointer) ts_const_text (eval, TS_CONST_STRING, arguments->keywords[i]));
      g_ptr_array_add (rest, (gpointer) arguments->items[i]);
    }
  return ts_const_items (eval, TS_CONST_DICT, (const TsConst *const *) rest->pdata, rest->len);
}

static const TsConst *
default_value (TsEval *eval, const TsConst *function, const TsParameter *param)
{
  const TsConst *value = function->fields != NULL ? g_hash_table_lookup (function->fields, param->name->text) : NULL;

  return value != NULL || param->value == NULL ? value : ts_eval_node (eval, function->scope, param->value);
}

/* Parameters in order: positional ones up to a star, then those that only keywords reach. An opaque value: the call is wrong. */
static const TsConst *
bind_parameters (TsEval *eval, const TsConst *function, const TsArguments *arguments, TsScope *inner)
{
  guint index = 0;
  const TsConst *self = function->self;
  gboolean by_keyword = FALSE, takes_rest = FALSE, takes_keywords = FALSE;

  for (const TsParameter *param = function->def->params; param != NULL; param = param->next)
    {
      const TsConst *value = NULL;

      by_keyword = by_keyword || param->stars == 1;
      takes_rest = takes_rest || (param->stars == 1 && param->name != NULL);
      takes_keywords = takes_keywords || param->stars == 2;
      if (param->name == NULL)
        continue;
      if (param->stars == 1)
        value = rest_of (eval, arguments, index);
      else if (param->stars == 2)
        value = keywords_of (eval, function, arguments);
      else if (self != NULL)
        {
          value = self;
          self = NULL;
        }
      else
        {
          value = by_keyword ? NULL : nth_positional (arguments, index++);
          if (value == NULL)
            value = argument_named (arguments, param->name->text);
          if (value == NULL)
            value = default_value (eval, function, param);
        }
      if (value == NULL)
        return ts_const_opaque (eval, function->scope, param->offset, "'%s' is called without its argument '%s'",
                                function->def->name->text, param->name->text);
      if (ts_const_is_sequence (value) && value->detail >= TS_ITEMS_VIEW)
        value = ts_const_opaque (eval, function->scope, param->offset, "an iterator or a view, kept for later");
      ts_scope_set (inner, param->name->text, value);
    }
  if ((!takes_rest && nth_positional (arguments, index) != NULL)
      || (!takes_keywords && keywords_of (eval, function, arguments)->n > 0))
    return ts_const_opaque (eval, function->scope, function->def->offset, "'%s' is called with arguments that it does not have",
                            function->def->name != NULL ? function->def->name->text : "a lambda");
  return NULL;
}

/* The innermost function that asks for what nobody said: it gives its defaults, and we say so once. Source: spec dsl 9.1. */
static void
note_unknown_reads (TsEval *eval, const TsConst *function, guint reads_before)
{
  const TsStatement *def = function->def;
  TsSpan span = { def->offset, def->end - def->offset, 0 };

  if (eval->n_unknown_reads == reads_before)
    return;
  eval->n_unknown_reads = reads_before;
  if (g_hash_table_add (eval->noted, function->def))
    ts_diag_add (eval->diags, TS_SEVERITY_NOTE, "assumed-default", function->scope->source, span,
                 "'%s' reads the command line or the environment, which say nothing here: what it gives without them is taken; "
                 "-D NAME=VALUE overrides", def->name != NULL ? def->name->text : "a lambda");
}

/* A helper we cannot follow, but which says what it gives when nothing else is known: take that, and say so once. */
static const TsConst *
default_of (TsEval *eval, const TsConst *function, TsScope *inner)
{
  for (const TsParameter *param = function->def->params; param != NULL; param = param->next)
    {
      const TsConst *value;
      TsSpan span = { function->def->offset, function->def->end - function->def->offset, 0 };

      if (param->name == NULL || strstr (param->name->text, "default") == NULL)
        continue;
      value = ts_scope_get (inner, param->name->text);
      if (value == NULL || value->kind == TS_CONST_OPAQUE)
        continue;
      if (g_hash_table_add (eval->noted, function->def))
        ts_diag_add (eval->diags, TS_SEVERITY_NOTE, "assumed-default", function->scope->source, span,
                     "'%s' is not followed: its '%s' is taken; -D NAME=VALUE overrides", function->def->name->text,
                       param->name->text);
      return value;
    }
  return NULL;
}

/* A generator or a coroutine: what it returns is not what a call of it gives. */
static gboolean
yields (const TsNode *node)
{
  if (node->kind == TS_NODE_LAMBDA)
    return FALSE;
  if (node->kind == TS_NODE_OTHER)
    return TRUE;
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    if (yields (child))
      return TRUE;
  return FALSE;
}

static gboolean
is_generator (const TsStatement *statement)
{
  for (; statement != NULL; statement = statement->next)
    {
      if (statement->kind == TS_STATEMENT_DEF || statement->kind == TS_STATEMENT_CLASS)
        continue;
      if (statement->value != NULL && statement->kind == TS_STATEMENT_EXPRESSION && yields (statement->value))
        return TRUE;
      for (const TsStatement *arm = statement; statement->has_suite && arm != NULL; arm = arm->otherwise)
        if (is_generator (arm->body))
          return TRUE;
    }
  return FALSE;
}

static const TsConst *
run_body (TsEval *eval, const TsConst *function, TsScope *inner, guint32 offset)
{
  const TsConst *result = eval->none, *fallback;
  guint trying = eval->trying, reads = eval->n_unknown_reads;
  TsFlow flow;

  eval->trying = 0;
  flow = ts_eval_statements (eval, inner, function->def->body, NULL, &result);
  eval->trying = trying;
  if (flow == TS_FLOW_UNKNOWN)
    result = ts_const_opaque (eval, function->scope, offset, "a call to %s, which is not straight-line code",
                              function->def->name->text);
  else if (flow == TS_FLOW_RAISE)
    result = ts_const_raises (eval, function->scope, offset, "a call to %s, which raises an exception", function->def->name->text);
  if (result->kind == TS_CONST_OPAQUE && (fallback = default_of (eval, function, inner)) != NULL)
    result = fallback;
  if (result->kind != TS_CONST_OPAQUE)
    note_unknown_reads (eval, function, reads);
  return result;
}

const TsConst *
ts_eval_function (TsEval *eval, const TsConst *function, const TsArguments *arguments, guint32 offset)
{
  const TsConst *result;
  TsScope *inner = ts_scope_new (eval, function->scope, function->scope->source);

  if (eval->depth >= TS_EVAL_DEPTH || !ts_eval_step (eval))
    {
      result = eval->depth < TS_EVAL_DEPTH
                 ? ts_eval_exhausted (eval, function->scope, offset)
                 : ts_eval_give_up (eval, ts_const_opaque (eval, function->scope, offset, "calls nested deeper than %u",
                                                           TS_EVAL_DEPTH));
      ts_eval_forget_body (eval, inner, function->def->body, result);
      for (guint i = 0; i < arguments->n; i++)
        if (arguments->items[i]->kind != TS_CONST_CLASS && arguments->items[i]->kind != TS_CONST_MODULE)
          ts_const_open (eval, function->scope, offset, arguments->items[i], "perhaps changed by a call to %s",
                         function->def->name != NULL ? function->def->name->text : "a lambda");
      return result;
    }
  eval->depth++;
  inner->running = function;
  result = bind_parameters (eval, function, arguments, inner);
  if (result == NULL && is_generator (function->def->body))
    {
      result = ts_const_opaque (eval, function->scope, offset, "a call to %s, a generator", function->def->name->text);
      ts_eval_forget_body (eval, inner, function->def->body, result);
    }
  else if (result == NULL)
    result = run_body (eval, function, inner, offset);
  eval->depth--;
  return result;
}

/* --- calls --------------------------------------------------------------------------------------------------------------- */

/* pl.dynamic("M"), unless -D gives it a value. */
static const TsConst *
call_language (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsNode *argument = node->first->next;
  const TsConst *name;
  TsConst *value;

  switch (ts_name_meaning (eval->lexicon, node->first->name))
    {
    case TS_MEANING_DYNAMIC:
      name = argument != NULL ? ts_eval_node (eval, scope, argument) : NULL;
      if (name == NULL || name->kind != TS_CONST_STRING)
        return ts_const_opaque (eval, scope, node->offset, "a dynamic dimension without a constant name");
      return ts_eval_define (eval, name->text) != NULL ? ts_eval_define (eval, name->text)
                                                       : ts_const_text (eval, TS_CONST_DYNAMIC, name->text);
    case TS_MEANING_TYPE:
    case TS_MEANING_VIEW:
    case TS_MEANING_MEMREF:
    case TS_MEANING_DIRECTION:
      value = ts_const_new (eval, TS_CONST_SYNTAX);
      value->node = node;
      value->scope = scope;
      return value;
    default:
      return ts_const_opaque (eval, scope, node->offset, "a call to %s", node->first->name->text);
    }
}

const TsConst *
ts_eval_apply (TsEval *eval, TsScope *scope, const TsConst *callee, const TsArguments *arguments, guint32 offset)
{
  switch ((TsConstKind) callee->kind)
    {
    case TS_CONST_FUNCTION: return ts_eval_function (eval, callee, arguments, offset);
    case TS_CONST_CLASS: return ts_eval_construct (eval, callee, arguments, scope, offset);
    case TS_CONST_BUILTIN: return ts_eval_builtin (eval, scope, callee, arguments, offset);
    default: return NULL;
    }
}

/* setattr (object, "name", value) and delattr, where the object is one we hold. */
static gboolean
call_setattr (TsEval *eval, TsScope *scope, const TsNode *node, const TsArguments *arguments)
{
  gboolean sets = ts_node_is_name (node->first, "setattr");

  if ((!sets && !ts_node_is_name (node->first, "delattr")) || arguments->n != (sets ? 3 : 2)
      || arguments->items[1]->kind != TS_CONST_STRING)
    return FALSE;
  return ts_eval_set_attribute (eval, scope, node->offset, arguments->items[0], arguments->items[1]->text,
                                sets ? arguments->items[2] : NULL);
}

/* globals () as a value: the names of the module. */
static const TsConst *
call_globals (TsEval *eval, TsScope *scope, const TsNode *node)
{
  TsConst *value;

  if (node->n != 1 || (!ts_node_is_name (node->first, "globals") && !ts_node_is_name (node->first, "vars")
                       && !ts_node_is_name (node->first, "locals")))
    return NULL;
  while (ts_node_is_name (node->first, "globals") && scope->up != NULL)
    scope = scope->up;
  value = ts_const_new (eval, TS_CONST_MODULE);
  value->text = "globals";
  value->scope = scope;
  return value;
}

/* A call that is not made: what it might change is open, what its arguments do is done. */
static const TsConst *
call_unknown (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *callee, gboolean is_discarded)
{
  TsName *name = node->first->kind == TS_NODE_NAME ? node->first->name : NULL;
  const TsConst *result;
  TsArguments arguments;
  gboolean done;

  ts_eval_arguments (eval, scope, node, &arguments);
  done = call_setattr (eval, scope, node, &arguments);
  if (!done)
    ts_eval_forget_call (eval, scope, node, is_discarded, NULL);
  result = name != NULL ? ts_const_opaque (eval, scope, node->offset, "a call to %s", name->text) : callee;
  result = done ? eval->none : ts_const_derived (eval, result, arguments.items, arguments.n);
  ts_arguments_clear (&arguments);
  return result;
}

/* An argument whose evaluation raises an exception: the call is never made, whether or not it would use it. */
static const TsConst *
raising_argument (const TsArguments *arguments)
{
  for (guint i = 0; i < arguments->n; i++)
    if (arguments->items[i]->kind == TS_CONST_OPAQUE && arguments->items[i]->detail == TS_OPAQUE_RAISES)
      return arguments->items[i];
  return NULL;
}

/* super ().name (...) */
static gboolean
is_super_call (const TsNode *node)
{
  return node->first->kind == TS_NODE_ATTRIBUTE && node->first->first->kind == TS_NODE_CALL
         && ts_node_is_name (node->first->first->first, "super");
}

const TsConst *
ts_eval_call_node (TsEval *eval, TsScope *scope, const TsNode *node)
{
  TsName *name = node->first->kind == TS_NODE_NAME ? node->first->name : NULL;
  gboolean is_discarded = eval->discarded == node;
  const TsConst *callee, *result;
  TsArguments arguments;

  eval->discarded = NULL;
  if (is_super_call (node) && (result = ts_eval_super (eval, scope, node)) != NULL)
    return result;
  if (name != NULL && name->parent != NULL && strcmp (name->last, "get_byte") == 0
      && ts_name_meaning (eval->lexicon, name->parent) == TS_MEANING_DTYPE)
    return ts_const_int (eval, ts_dtype_bits ((TsDtype) name->parent->detail) / 8);
  if (name != NULL && ts_name_meaning (eval->lexicon, name) != TS_MEANING_PLAIN && name->root != TS_ROOT_NONE
      && name->root != TS_ROOT_SELF)
    return call_language (eval, scope, node);
  callee = ts_eval_node (eval, scope, node->first);
  if (callee->kind == TS_CONST_OPAQUE && (result = call_globals (eval, scope, node)) != NULL)
    return result;
  if (callee->kind == TS_CONST_OPAQUE)
    return call_unknown (eval, scope, node, callee, is_discarded);
  ts_eval_arguments (eval, scope, node, &arguments);
  result = raising_argument (&arguments);
  if (result == NULL && arguments.open != NULL)
    {
      ts_eval_forget_call (eval, scope, node, is_discarded, NULL);
      result = ts_const_derived (eval, arguments.open, arguments.items, arguments.n);
    }
  if (result == NULL)
    result = ts_eval_apply (eval, scope, callee, &arguments, node->offset);
  ts_arguments_clear (&arguments);
  if (result == NULL && callee->kind == TS_CONST_INSTANCE)
    ts_const_open (eval, scope, node->offset, callee, "perhaps changed by a call of it");
  return result != NULL ? result : ts_const_opaque (eval, scope, node->offset, "a call of %s", ts_const_kind_name (callee));
}

/* --- comprehensions ------------------------------------------------------------------------------------------------------ */

typedef struct
{
  TsEval       *eval;
  TsScope      *scope;
  const TsNode *node;
  GPtrArray    *items;
  const TsConst *failure;
} Comprehension;

static void
run_clause (Comprehension *c, const TsNode *clause)
{
  const TsNode *iterable;
  const TsConst *items;

  if (clause == NULL)
    {
      const TsNode *element = c->node->first;
      const TsConst *key = ts_eval_node (c->eval, c->scope, element);

      if (c->node->op != TS_NODE_DICT)
        g_ptr_array_add (c->items, (gpointer) key);
      else if (!ts_const_put (c->eval, c->items, key, ts_eval_node (c->eval, c->scope, element->next)))
        c->failure = ts_const_opaque (c->eval, c->scope, c->node->offset, "a dictionary whose keys are not all known");
      return;
    }
  iterable = clause->first->next;
  items = ts_const_iterate (c->eval, ts_eval_node (c->eval, c->scope, iterable));
  if (items == NULL)
    {
      c->failure = ts_const_opaque (c->eval, c->scope, clause->offset, "a comprehension over something that is not constant");
      return;
    }
  for (guint i = 0, n = items->n; i < n && c->failure == NULL; i++)
    {
      gint truth = 1;

      if (!ts_const_is_sequence (items) || items->n != n)
        {
          c->failure = ts_const_opaque (c->eval, c->scope, clause->offset, "a comprehension over a list that it changes");
          return;
        }
      ts_eval_assign (c->eval, c->scope, clause->first, items->items[i]);
      for (const TsNode *condition = iterable->next; condition != NULL && truth == 1; condition = condition->next)
        truth = ts_const_truth (ts_eval_node (c->eval, c->scope, condition));
      if (truth < 0 || !ts_eval_step (c->eval) || c->items->len > TS_EVAL_ITEMS)
        c->failure = ts_const_opaque (c->eval, c->scope, clause->offset, "a comprehension too long or with an unknown condition");
      else if (truth == 1)
        run_clause (c, clause->next);
    }
}

const TsConst *
ts_eval_comprehension (TsEval *eval, TsScope *scope, const TsNode *node)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  const TsConst *made;
  Comprehension c = { eval, ts_scope_new (eval, scope, scope->source), node, items, NULL };
  const TsNode *clause = node->first;

  c.scope->is_comprehension = TRUE;
  while (clause->kind != TS_NODE_CLAUSE)
    clause = clause->next;
  run_clause (&c, clause);
  if (c.failure != NULL)
    {
      ts_eval_forget_expression (eval, scope, node, c.failure);
      return c.failure;
    }
  if (node->op == TS_NODE_SET)
    return ts_const_set (eval, scope, node->offset, (const TsConst *const *) items->pdata, items->len);
  made = ts_const_items (eval,
                         node->op == TS_NODE_DICT ? TS_CONST_DICT : node->op == TS_NODE_TUPLE ? TS_CONST_TUPLE : TS_CONST_LIST,
                         (const TsConst *const *) items->pdata, items->len);
  if (made->kind == TS_CONST_TUPLE)
    ((TsConst *) made)->detail = TS_ITEMS_ITERATOR;
  return made;
}
