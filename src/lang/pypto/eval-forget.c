/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code of which it is not known whether it runs: whatever it could bind or change is opaque afterwards. */
#include <string.h>

#include "lang/pypto/eval-private.h"

/* Functions within functions that are looked into for what they might do. */
#define MAX_FORGETTING 50u
/* Calls that are looked at so, for one statement of a module. They are no steps of evaluation: when those are used up, what remains
 * has to be looked at all the same. */
#define MAX_FORGET_STEPS 20000u

/* --- names in expressions ------------------------------------------------------------------------------------------------ */

/* What a name, or the object behind an expression, stands for, without running anything; NULL when that is not plain. */
static const TsConst *
standing_for (TsEval *eval, TsScope *scope, const TsNode *node)
{
  TsName *name;

  while (node->kind == TS_NODE_ATTRIBUTE || node->kind == TS_NODE_SUBSCRIPT || node->kind == TS_NODE_STAR
         || node->kind == TS_NODE_DOUBLE_STAR || (node->kind == TS_NODE_KEYWORD && node->first != NULL))
    node = node->first;
  if (node->kind != TS_NODE_NAME)
    return NULL;
  for (name = node->name; name->parent != NULL;)
    name = name->parent;
  return ts_eval_lookup (eval, scope, name);
}

/* The object a dotted name names, as far as that is one we hold: the object itself, or the last of those before it. */
static const TsConst *
object_of (TsEval *eval, TsScope *scope, TsName *name)
{
  const TsConst *base, *value = NULL;

  if (name->parent == NULL)
    return ts_eval_lookup (eval, scope, name);
  base = object_of (eval, scope, name->parent);
  if (base == NULL)
    return NULL;
  if (base->kind == TS_CONST_INSTANCE && base->fields != NULL)
    value = g_hash_table_lookup (base->fields, name->last);
  else if (base->kind == TS_CONST_CLASS)
    value = ts_class_member (eval, base->class, ts_eval_intern (eval, name->last));
  else if (base->kind == TS_CONST_MODULE && base->scope != NULL)
    value = ts_scope_get (base->scope, ts_eval_intern (eval, name->last));
  return value != NULL ? value : base->kind == TS_CONST_MODULE ? NULL : base;
}

/* The reason tells its own place. */
static void
open_for (TsEval *eval, const TsConst *object, const TsConst *why)
{
  TsScope place = { .source = why->source };

  ts_const_open (eval, &place, why->offset, object, "%s", why->text);
}

static void
open_object (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *why)
{
  const TsConst *object = node->kind == TS_NODE_NAME ? object_of (eval, scope, node->name) : standing_for (eval, scope, node);

  if (object != NULL && object->kind != TS_CONST_MODULE && object->kind != TS_CONST_CLASS)
    open_for (eval, object, why);
}

/* Every object that the expression mentions. */
static void
open_mentioned (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *why)
{
  if (node->kind == TS_NODE_NAME)
    open_object (eval, scope, node, why);
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    open_mentioned (eval, scope, child, why);
}

/* --- functions ----------------------------------------------------------------------------------------------------------- */

/* Functions of others that do nothing to what they are given, or so we hope: they print it. */
static gboolean
is_harmless (const TsName *name)
{
  static const char *const words[] = { "print", "info", "debug", "warning", "error", "log", "pprint", "write", "warn", "repr",
                                       "str", "len", "isinstance", "sleep", "seed", "manual_seed", "exit", "simplefilter", NULL };

  return name != NULL && g_strv_contains (words, name->last);
}

/* Functions of others that are known to change what they are given, and to be called for their result as well. */
static gboolean
is_changing (const TsName *name)
{
  static const char *const modules[] = { "random", "heapq", "bisect", "itertools", "operator", "setattr", "delattr", "iter", "next",
                                         "heappush", "heappop", "insort", "shuffle", NULL };

  if (name == NULL)
    return FALSE;
  if (g_strv_contains (modules, name->last))
    return TRUE;
  while (name->parent != NULL)
    name = name->parent;
  return g_strv_contains (modules, name->last);
}

/* A builtin only reads what it is given; so does what prints it. */
static gboolean
call_touches (const TsNode *call)
{
  const TsName *name = call->first->kind == TS_NODE_NAME ? call->first->name : NULL;

  return name == NULL || is_changing (name) || !(is_harmless (name) || ts_eval_is_builtin (name->text));
}

static gboolean
node_touches (const TsNode *node)
{
  if (node->kind == TS_NODE_CALL && call_touches (node))
    return TRUE;
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    if (node_touches (child))
      return TRUE;
  return FALSE;
}

/* Could the statements change an object that they are given? Calls of other functions count: they may pass it on. */
static gboolean
touches (const TsStatement *statement)
{
  for (; statement != NULL; statement = statement->next)
    {
      gboolean is_loop = statement->kind == TS_STATEMENT_FOR || statement->kind == TS_STATEMENT_ASSIGN;

      if (statement->kind == TS_STATEMENT_AUGMENTED || statement->kind == TS_STATEMENT_OTHER)
        return TRUE;
      for (const TsNode *target = is_loop ? statement->targets : NULL; target != NULL; target = target->next)
        if (target->kind != TS_NODE_TUPLE && !ts_node_is_plain_name (target))
          return TRUE;
      if (statement->value != NULL && node_touches (statement->value))
        return TRUE;
      for (const TsStatement *arm = statement; statement->has_suite && arm != NULL; arm = arm->otherwise)
        if (touches (arm->body))
          return TRUE;
    }
  return FALSE;
}

/* A function that is perhaps called: what it changes outside, and what it may change of what it gets. */
static void
forget_function (TsEval *eval, TsScope *scope, const TsNode *call, const TsConst *function, const TsConst *why)
{
  /* Once is enough for what it changes outside: functions that call themselves, or each other many times over, come to an end. */
  if (g_hash_table_lookup (eval->forgotten, function->def) != function->scope)
    {
      TsScope *inner = ts_scope_new (eval, function->scope, function->scope->source);

      g_hash_table_replace (eval->forgotten, function->def, function->scope);
      for (const TsParameter *param = function->def->params; param != NULL; param = param->next)
        if (param->name != NULL)
          ts_scope_set (inner, param->name->text, why);
      ts_eval_forget_body (eval, inner, function->def->body, why);
    }
  if (!touches (function->def->body))
    return;
  for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
    open_mentioned (eval, scope, argument, why);
  if (call->first->kind == TS_NODE_NAME && call->first->name->parent != NULL)
    {
      const TsConst *self = object_of (eval, scope, call->first->name->parent);

      if (self != NULL && self->kind == TS_CONST_INSTANCE)
        open_for (eval, self, why);
    }
}

/* exec ("K = 5"), globals ().update (...) */
static gboolean
opens_scope (const TsNode *call)
{
  const TsNode *callee = call->first;

  if (callee->kind == TS_NODE_NAME)
    return ts_node_is_name (callee, "exec") || ts_node_is_name (callee, "eval");
  return callee->kind == TS_NODE_ATTRIBUTE && callee->first->kind == TS_NODE_CALL && ts_eval_changes (callee->name->text)
         && (ts_node_is_name (callee->first->first, "globals") || ts_node_is_name (callee->first->first, "vars")
             || ts_node_is_name (callee->first->first, "locals"));
}

/* setattr (sys.modules[__name__], "K", 5): an object we do not hold, perhaps this module. */
static void
forget_setattr (TsEval *eval, TsScope *scope, const TsNode *call, const TsConst *why)
{
  const TsNode *name = call->n > 2 ? call->first->next->next : NULL;
  const char *text = name != NULL && name->kind == TS_NODE_STRING ? ts_eval_intern (eval, name->text) : NULL;

  if (text == NULL)
    ts_scope_open (eval, scope, call->offset, why->text);
  else
    ts_scope_open_name (eval, scope, text, why);
}

void
ts_eval_forget_call (TsEval *eval, TsScope *scope, const TsNode *call, gboolean is_discarded, const TsConst *why)
{
  TsName *name = call->first->kind == TS_NODE_NAME ? call->first->name : NULL;
  const TsConst *callee = name != NULL ? object_of (eval, scope, name) : NULL;

  if (why == NULL)
    why = ts_const_opaque (eval, scope, call->offset, "perhaps changed by a call%s%s", name != NULL ? " to " : "",
                           name != NULL ? name->text : "");
  if (eval->forgetting == 0)
    g_hash_table_remove_all (eval->forgotten);
  if (eval->forgetting >= MAX_FORGETTING || ++eval->forget_steps > MAX_FORGET_STEPS)
    {
      ts_scope_open (eval, scope, call->offset, why->text);
      return;
    }
  eval->forgetting++;
  if (opens_scope (call))
    ts_scope_open (eval, scope, call->offset, why->text);
  else if (name != NULL && (strcmp (name->last, "setattr") == 0 || strcmp (name->last, "delattr") == 0))
    {
      forget_setattr (eval, scope, call, why);
      if (call->first->next != NULL)
        open_mentioned (eval, scope, call->first->next, why);
    }
  else if (callee != NULL && callee->kind == TS_CONST_FUNCTION)
    forget_function (eval, scope, call, callee, why);
  else if (name != NULL && name->parent != NULL && ts_eval_changes (name->last))
    {
      const TsConst *object = object_of (eval, scope, name->parent);

      if (strcmp (name->parent->text, "os.environ") == 0
          || (object != NULL && object->kind == TS_CONST_MODULE && g_strcmp0 (object->text, "os.environ") == 0))
        ts_eval_open_environment (eval);
      else if (object != NULL)
        open_for (eval, object, why);
    }
  else if (call->first->kind == TS_NODE_ATTRIBUTE && ts_eval_changes (call->first->name->text))
    open_object (eval, scope, call->first->first, why);
  else if (callee == NULL && ((is_discarded && !is_harmless (name)) || is_changing (name)))
    for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
      open_mentioned (eval, scope, argument, why);
  eval->forgetting--;
}

/* --- statements ---------------------------------------------------------------------------------------------------------- */

/* Every call in an expression, and every name it binds. */
static void
forget_node (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *why, gboolean is_discarded)
{
  if (node->kind == TS_NODE_CALL)
    ts_eval_forget_call (eval, scope, node, is_discarded, why);
  if (node->kind == TS_NODE_WALRUS && node->first != NULL && node->first->kind == TS_NODE_NAME)
    ts_eval_assign (eval, scope, node->first, why);
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    forget_node (eval, scope, child, why, FALSE);
}

void
ts_eval_forget_expression (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *why)
{
  forget_node (eval, scope, node, why, FALSE);
}

const TsConst *
ts_eval_perhaps (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *decider, const TsNode *rest)
{
  const TsConst *why = ts_const_undecided (eval, scope, node->offset, decider);

  for (; rest != NULL; rest = rest->next)
    forget_node (eval, scope, rest, why, FALSE);
  return why;
}

static void
forget_targets (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *why)
{
  for (; target != NULL; target = target->next)
    if (target->kind == TS_NODE_TUPLE || target->kind == TS_NODE_LIST)
      forget_targets (eval, scope, target->first, why);
    else if (target->kind == TS_NODE_STAR)
      forget_targets (eval, scope, target->first, why);
    else if (ts_node_is_plain_name (target))
      ts_eval_assign (eval, scope, target, why);
    else if (target->kind == TS_NODE_NAME)
      {
        const TsConst *object = object_of (eval, scope, target->name->parent);

        if (object == NULL || !ts_eval_set_attribute (eval, scope, target->offset, object, target->name->last, why))
          continue;
      }
    else if (target->kind == TS_NODE_SUBSCRIPT && ts_node_is_name (target->first, "os.environ"))
      ts_eval_open_environment (eval);
    else if (target->first == NULL) /* of a statement that could not be read: a number, a string */
      continue;
    else if (target->first->kind == TS_NODE_CALL)
      ts_scope_open (eval, scope, target->offset, why->text); /* globals ()["K"] = 5 */
    else
      open_object (eval, scope, target->first, why);
}

/* The objects that an in-place operator may change, and the names behind global. */
static void
forget_other (TsEval *eval, TsScope *scope, const TsStatement *statement, const TsConst *why)
{
  if (statement->kind == TS_STATEMENT_AUGMENTED && statement->targets->kind == TS_NODE_NAME)
    {
      const TsConst *before = object_of (eval, scope, statement->targets->name);

      if (before != NULL && (before->kind == TS_CONST_LIST || before->kind == TS_CONST_DICT))
        open_for (eval, before, why);
    }
  if (statement->kind != TS_STATEMENT_OTHER || statement->value == NULL)
    return;
  if (strcmp (statement->what, "del") == 0)
    forget_targets (eval, scope, statement->value, why);
  else if (strcmp (statement->what, "raise") != 0)
    ts_eval_give_away (eval, scope, statement);
}

/* A module is there or not, whatever decides it: it is what its file says. A name that had another meaning has either. */
static void
forget_import (TsEval *eval, TsScope *scope, const TsStatement *statement, const TsConst *why)
{
  g_autoptr (GPtrArray) before = g_ptr_array_new ();

  for (const TsImport *import = statement->imports; import != NULL; import = import->next)
    {
      const TsName *name = import->alias != NULL ? import->alias : import->name;
      const TsConst *value = name != NULL ? ts_scope_get (scope, name->text) : NULL;

      if (value != NULL && value->kind != TS_CONST_MODULE)
        g_ptr_array_add (before, (gpointer) name->text);
    }
  ts_eval_import (eval, scope, statement);
  for (guint i = 0; i < before->len; i++)
    ts_scope_set (scope, before->pdata[i], why);
}

void
ts_eval_forget_body (TsEval *eval, TsScope *scope, const TsStatement *statement, const TsConst *why)
{
  for (; statement != NULL; statement = statement->next)
    {
      if (statement->value != NULL)
        forget_node (eval, scope, statement->value, why, statement->kind == TS_STATEMENT_EXPRESSION);
      if (statement->kind == TS_STATEMENT_ASSIGN || statement->kind == TS_STATEMENT_AUGMENTED
          || statement->kind == TS_STATEMENT_FOR || statement->kind == TS_STATEMENT_WITH || statement->kind == TS_STATEMENT_BAD)
        forget_targets (eval, scope, statement->targets, why);
      forget_other (eval, scope, statement, why);
      if (statement->kind == TS_STATEMENT_IMPORT || statement->kind == TS_STATEMENT_FROM)
        forget_import (eval, scope, statement, why);
      if (statement->kind == TS_STATEMENT_DEF || statement->kind == TS_STATEMENT_CLASS
          || (statement->kind == TS_STATEMENT_BAD && statement->name != NULL))
        ts_scope_set (ts_scope_home (scope, statement->name->text), statement->name->text, why);
      else if (statement->has_suite)
        for (const TsStatement *arm = statement; arm != NULL; arm = arm->otherwise)
          {
            if (arm != statement && arm->value != NULL)
              forget_node (eval, scope, arm->value, why, FALSE);
            ts_eval_forget_body (eval, scope, arm->body, why);
          }
    }
}
