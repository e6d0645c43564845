/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements of Python, run in order; what cannot be decided leaves the names it would have bound opaque. */
#include <string.h>

#include "lang/pypto/eval-private.h"

/* --- assignment ---------------------------------------------------------------------------------------------------------- */

/* A module-level assignment gives way to -D NAME=VALUE and -D module.NAME=VALUE. */
static const TsConst *
overridden (TsEval *eval, TsScope *scope, const char *name, const TsConst *value)
{
  const TsConst *given = NULL;

  if (scope->is_module && g_hash_table_size (eval->defines) > 0)
    {
      g_autofree char *full = g_strconcat (scope->module, ".", name, NULL);

      given = ts_eval_define (eval, full);
      if (given == NULL)
        given = ts_eval_define (eval, name);
    }
  return given != NULL ? given : value;
}

/* self.x = value, while an object is being made. */
static void
assign_attribute (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value)
{
  const TsConst *object;

  if (target->kind != TS_NODE_NAME || target->name->parent == NULL || target->name->parent->parent != NULL)
    return;
  object = ts_eval_lookup (eval, scope, target->name->parent);
  if (object != NULL && object->kind == TS_CONST_INSTANCE && object->fields != NULL)
    g_hash_table_replace (object->fields, (gpointer) ts_eval_intern (eval, target->name->last), (gpointer) value);
}

/* Where a plain name is bound, seen from `scope`: an object is changed wherever it lives. */
static TsScope *
home_of (TsScope *scope, const TsName *name)
{
  TsScope *home = scope;

  while (home != NULL && ts_scope_get (home, name->text) == NULL)
    home = home->up;
  return home != NULL ? home : scope;
}

/* Another value for the container that `node` names. */
static void
replace_container (TsEval *eval, TsScope *scope, const TsNode *node, TsName *name, const TsConst *value)
{
  TsNode target = { .kind = TS_NODE_NAME, .name = name, .offset = node->offset, .end = node->end };

  if (value == NULL)
    value = ts_const_opaque (eval, scope, node->offset, "'%s' is changed in place", name->text);
  if (name->parent == NULL)
    ts_scope_set (home_of (scope, name), name->text, value);
  else
    assign_attribute (eval, scope, &target, value);
}

/* container[key] = value */
static void
assign_entry (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value)
{
  const TsConst *container, *key;

  if (target->first->kind != TS_NODE_NAME)
    return;
  container = ts_eval_node (eval, scope, target->first);
  key = ts_eval_node (eval, scope, target->first->next);
  if (container->kind == TS_CONST_DICT || container->kind == TS_CONST_LIST)
    replace_container (eval, scope, target, target->first->name, ts_eval_with_entry (eval, container, key, value));
}

static void
unpack (TsEval *eval, TsScope *scope, const TsNode *targets, const TsConst *value)
{
  const TsConst *items = ts_const_iterate (eval, value);
  guint i = 0;

  for (const TsNode *target = targets->first; target != NULL; target = target->next, i++)
    {
      const TsConst *item = value;

      if (value->kind != TS_CONST_OPAQUE)
        item = items != NULL && items->n == targets->n && target->kind != TS_NODE_STAR
                 ? items->items[i] : ts_const_opaque (eval, scope, target->offset, "unpacking %s", ts_const_kind_name (value));
      ts_eval_assign (eval, scope, target->kind == TS_NODE_STAR ? target->first : target, item);
    }
}

void
ts_eval_assign (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value)
{
  switch ((TsNodeKind) target->kind)
    {
    case TS_NODE_NAME:
      if (target->name->parent == NULL)
        ts_scope_set (scope, target->name->text, overridden (eval, scope, target->name->text, value));
      else
        assign_attribute (eval, scope, target, value);
      break;
    case TS_NODE_TUPLE:
    case TS_NODE_LIST:
      unpack (eval, scope, target, value);
      break;
    case TS_NODE_SUBSCRIPT:
      assign_entry (eval, scope, target, value);
      break;
    default:
      break;
    }
}

static void
run_assign (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const TsConst *value;

  if (statement->value == NULL)
    return;
  value = ts_eval_node (eval, scope, statement->value);
  for (const TsNode *target = statement->targets; target != NULL; target = target->next)
    ts_eval_assign (eval, scope, target, value);
}

static void
run_augmented (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const TsConst *before = ts_eval_node (eval, scope, statement->targets);
  const TsConst *value = ts_eval_node (eval, scope, statement->value);

  ts_eval_assign (eval, scope, statement->targets,
                  ts_eval_operator (eval, scope, statement->targets, statement->op, before, value));
}

/* --- calls for what they do ---------------------------------------------------------------------------------------------- */

/* The container that a call may change in place (sizes.append(4)): its name, or NULL. */
static TsName *
changed_by (const TsNode *node)
{
  TsName *callee = node->kind == TS_NODE_CALL && node->first->kind == TS_NODE_NAME ? node->first->name : NULL;

  return callee != NULL && callee->parent != NULL && ts_eval_changes (callee->last) ? callee->parent : NULL;
}

static void
run_expression (TsEval *eval, TsScope *scope, const TsNode *node)
{
  TsName *name = changed_by (node);
  TsNode target = { .kind = TS_NODE_NAME, .name = name, .offset = node->offset, .end = node->end };
  const TsConst *container = name != NULL ? ts_eval_node (eval, scope, &target) : NULL;
  TsArguments arguments;

  if (node->kind != TS_NODE_CALL)
    return;
  if (container == NULL || (container->kind != TS_CONST_DICT && container->kind != TS_CONST_LIST))
    {
      ts_eval_node (eval, scope, node);
      return;
    }
  ts_eval_arguments (eval, scope, node, &arguments);
  replace_container (eval, scope, node, name, ts_eval_changed (eval, container, node->first->name->last, &arguments));
  ts_arguments_clear (&arguments);
}

/* --- what is not decided ------------------------------------------------------------------------------------------------- */

static void
forget_targets (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *why)
{
  for (; target != NULL; target = target->next)
    ts_eval_assign (eval, scope, target, why);
}

/* Every name that the statements could bind becomes opaque. */
static void
forget_statements (TsEval *eval, TsScope *scope, const TsStatement *statement, const TsConst *why)
{
  for (; statement != NULL; statement = statement->next)
    {
      if (statement->kind == TS_STATEMENT_ASSIGN || statement->kind == TS_STATEMENT_AUGMENTED
          || statement->kind == TS_STATEMENT_FOR || statement->kind == TS_STATEMENT_BAD)
        forget_targets (eval, scope, statement->targets, why);
      if (statement->kind == TS_STATEMENT_EXPRESSION && changed_by (statement->value) != NULL)
        replace_container (eval, scope, statement->value, changed_by (statement->value), why);
      if (statement->kind == TS_STATEMENT_DEF || statement->kind == TS_STATEMENT_CLASS)
        ts_scope_set (scope, statement->name->text, why);
      else if (statement->has_suite)
        for (const TsStatement *arm = statement; arm != NULL; arm = arm->otherwise)
          forget_statements (eval, scope, arm->body, why);
    }
}

/* Does a return, break or continue stand in it? Then what follows is not known either. */
static gboolean
may_leave (const TsStatement *statement)
{
  for (; statement != NULL; statement = statement->next)
    {
      if (statement->kind == TS_STATEMENT_RETURN || statement->kind == TS_STATEMENT_BREAK
          || statement->kind == TS_STATEMENT_CONTINUE)
        return TRUE;
      if (statement->kind == TS_STATEMENT_DEF || statement->kind == TS_STATEMENT_CLASS)
        continue;
      for (const TsStatement *arm = statement; statement->has_suite && arm != NULL; arm = arm->otherwise)
        if (may_leave (arm->body))
          return TRUE;
    }
  return FALSE;
}

/* --- compound statements ------------------------------------------------------------------------------------------------- */

static TsFlow
run_if (TsEval *eval, TsScope *scope, TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  for (; statement != NULL; statement = statement->otherwise)
    {
      const TsConst *condition = statement->kind == TS_STATEMENT_IF ? ts_eval_node (eval, scope, statement->value) : NULL;
      gint truth = condition != NULL ? ts_const_truth (condition) : 1;

      if (truth == 1)
        return ts_eval_statements (eval, scope, statement->body, until, result);
      if (truth < 0)
        {
          const TsConst *why = ts_const_opaque (eval, scope, statement->offset, "assigned under a condition that is not known");
          gboolean leaves = FALSE;

          for (; statement != NULL; statement = statement->otherwise)
            {
              forget_statements (eval, scope, statement->body, why);
              leaves = leaves || may_leave (statement->body);
            }
          return leaves ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
        }
    }
  return TS_FLOW_NEXT;
}

static TsFlow
run_for (TsEval *eval, TsScope *scope, TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  const TsConst *items = ts_const_iterate (eval, ts_eval_node (eval, scope, statement->value));

  if (items == NULL)
    {
      forget_targets (eval, scope, statement->targets,
                      ts_const_opaque (eval, scope, statement->offset, "a loop that is not known"));
      forget_statements (eval, scope, statement->body,
                         ts_const_opaque (eval, scope, statement->offset, "assigned in a loop that is not known"));
      return may_leave (statement->body) ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
    }
  for (guint i = 0; i < items->n; i++)
    {
      TsFlow flow;

      if (!ts_eval_step (eval))
        return TS_FLOW_UNKNOWN;
      ts_eval_assign (eval, scope, statement->targets, items->items[i]);
      flow = ts_eval_statements (eval, scope, statement->body, until, result);
      if (flow == TS_FLOW_BREAK)
        break;
      if (flow != TS_FLOW_NEXT && flow != TS_FLOW_CONTINUE)
        return flow;
    }
  return TS_FLOW_NEXT;
}

static TsFlow
run_while (TsEval *eval, TsScope *scope, TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  for (;;)
    {
      gint truth = ts_const_truth (ts_eval_node (eval, scope, statement->value));
      TsFlow flow;

      if (truth == 0)
        return TS_FLOW_NEXT;
      if (truth < 0 || !ts_eval_step (eval))
        {
          forget_statements (eval, scope, statement->body,
                             ts_const_opaque (eval, scope, statement->offset, "assigned in a loop that is not known"));
          return may_leave (statement->body) ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
        }
      flow = ts_eval_statements (eval, scope, statement->body, until, result);
      if (flow == TS_FLOW_BREAK)
        return TS_FLOW_NEXT;
      if (flow != TS_FLOW_NEXT && flow != TS_FLOW_CONTINUE)
        return flow;
    }
}

/* A statement that could not be read: what it would have bound has no value, and one that binds nothing may have been a return. */
static TsFlow
run_bad (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const TsConst *why = ts_const_opaque (eval, scope, statement->offset, "in a statement that cannot be read");

  if (statement->targets != NULL)
    forget_targets (eval, scope, statement->targets, why);
  if (statement->name != NULL)
    ts_scope_set (scope, statement->name->text, why);
  return statement->targets == NULL && statement->name == NULL && !scope->is_module ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
}

/* Did the statements leave a name without a value? What a try guards has then failed, as far as we can tell. */
static gboolean
left_open (TsScope *scope, const TsStatement *statement)
{
  for (; statement != NULL; statement = statement->next)
    for (const TsNode *target = statement->kind == TS_STATEMENT_ASSIGN ? statement->targets : NULL; target != NULL;
         target = target->next)
      {
        const TsConst *value = ts_node_is_plain_name (target) ? ts_scope_get (scope, target->name->text) : NULL;

        if (value != NULL && value->kind == TS_CONST_OPAQUE)
          return TRUE;
      }
  return FALSE;
}

/* What stands behind a try: the first `except` when it failed, `else` when it did not, `finally` always. */
static TsFlow
run_clauses (TsEval *eval, TsScope *scope, TsStatement *clause, gboolean failed, TsFlow flow, const TsStatement *until,
             const TsConst **result)
{
  gboolean handled = FALSE;

  for (; clause != NULL && flow != TS_FLOW_STOP; clause = clause->otherwise)
    {
      gboolean is_except = clause->kind == TS_STATEMENT_BLOCK && strcmp (clause->what, "except") == 0;
      gboolean runs = is_except ? failed && !handled : clause->kind == TS_STATEMENT_ELSE ? !failed && flow == TS_FLOW_NEXT : TRUE;
      TsFlow after = runs ? ts_eval_statements (eval, scope, clause->body, until, result) : TS_FLOW_NEXT;

      if (runs && (is_except || after != TS_FLOW_NEXT))
        flow = after;
      handled = handled || is_except;
    }
  return flow;
}

/* try: its body, and where that has no value what stands behind `except`. Of match and async blocks nothing is followed. */
static TsFlow
run_block (TsEval *eval, TsScope *scope, TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  gboolean failed;
  TsFlow flow;

  if (strcmp (statement->what, "finally") == 0)
    return ts_eval_statements (eval, scope, statement->body, until, result);
  if (strcmp (statement->what, "try") != 0)
    {
      forget_statements (eval, scope, statement->body,
                         ts_const_opaque (eval, scope, statement->offset, "assigned in a block that is not followed"));
      return may_leave (statement->body) ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
    }
  flow = ts_eval_statements (eval, scope, statement->body, until, result);
  if (flow == TS_FLOW_RETURN)
    failed = (*result)->kind == TS_CONST_OPAQUE;
  else
    failed = flow == TS_FLOW_UNKNOWN || left_open (scope, statement->body);
  return run_clauses (eval, scope, statement->otherwise, failed, flow, until, result);
}

/* --- definitions --------------------------------------------------------------------------------------------------------- */

static gboolean
is_kernel (TsEval *eval, const TsStatement *def)
{
  for (const TsNode *decorator = def->decorators; decorator != NULL; decorator = decorator->next)
    {
      const TsNode *callee = decorator->kind == TS_NODE_CALL ? decorator->first : decorator;

      if (callee->kind == TS_NODE_NAME)
        switch (ts_name_meaning (eval->lexicon, callee->name))
          {
          case TS_MEANING_PROGRAM:
          case TS_MEANING_FUNCTION:
          case TS_MEANING_INLINE:
          case TS_MEANING_JIT:
            return callee->name->root == TS_ROOT_PL;
          default:
            break;
          }
    }
  return FALSE;
}

const TsConst *
ts_eval_kernel (TsEval *eval, TsScope *scope, TsStatement *def)
{
  TsConst *value = ts_const_new (eval, is_kernel (eval, def) ? TS_CONST_KERNEL : TS_CONST_FUNCTION);

  value->def = def;
  value->scope = scope;
  return value;
}

static void
run_definition (TsEval *eval, TsScope *scope, TsStatement *def)
{
  const TsStatement *bad = NULL;

  /* A class that lacks a member is another class. */
  for (const TsStatement *member = def->body; def->kind == TS_STATEMENT_CLASS && member != NULL; member = member->next)
    bad = member->kind == TS_STATEMENT_BAD ? member : bad;
  if (bad != NULL && !is_kernel (eval, def))
    ts_scope_set (scope, def->name->text, ts_const_opaque (eval, scope, bad->offset, "a class that cannot be read whole"));
  else if (def->kind == TS_STATEMENT_CLASS && !is_kernel (eval, def))
    ts_scope_set (scope, def->name->text, ts_eval_class (eval, scope, def));
  else
    ts_scope_set (scope, def->name->text, ts_eval_kernel (eval, scope, def));
}

static void
run_assert (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const TsConst *message;

  if (!scope->is_module || ts_const_truth (ts_eval_node (eval, scope, statement->value)) != 0)
    return;
  message = statement->annotation != NULL ? ts_eval_node (eval, scope, statement->annotation) : NULL;
  ts_diag_add (eval->diags, TS_SEVERITY_WARNING, "assertion-failed", scope->source,
               (TsSpan) { statement->offset, statement->end - statement->offset, 0 }, "this assertion of the module is false%s%s",
               message != NULL && message->kind == TS_CONST_STRING ? ": " : "",
               message != NULL && message->kind == TS_CONST_STRING ? message->text : "");
}

static TsFlow
run_compound (TsEval *eval, TsScope *scope, TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  switch ((TsStatementKind) statement->kind)
    {
    case TS_STATEMENT_IF: return run_if (eval, scope, statement, until, result);
    case TS_STATEMENT_FOR: return run_for (eval, scope, statement, until, result);
    case TS_STATEMENT_WHILE: return run_while (eval, scope, statement, until, result);
    case TS_STATEMENT_DEF:
    case TS_STATEMENT_CLASS:
      run_definition (eval, scope, statement);
      return TS_FLOW_NEXT;
    case TS_STATEMENT_BLOCK: return run_block (eval, scope, statement, until, result);
    default: return ts_eval_statements (eval, scope, statement->body, until, result); /* a `with` */
    }
}

TsFlow
ts_eval_statements (TsEval *eval, TsScope *scope, TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  for (; statement != NULL; statement = statement->next)
    {
      TsFlow flow = TS_FLOW_NEXT;

      if (statement == until)
        return TS_FLOW_STOP;
      if (scope->is_module && eval->depth == 0)
        ts_eval_renew_steps (eval);
      if (!ts_eval_step (eval))
        {
          forget_statements (eval, scope, statement,
                             ts_const_opaque (eval, scope, statement->offset, "more than %u steps of evaluation", TS_EVAL_STEPS));
          return TS_FLOW_UNKNOWN;
        }
      switch ((TsStatementKind) statement->kind)
        {
        case TS_STATEMENT_ASSIGN: run_assign (eval, scope, statement); break;
        case TS_STATEMENT_AUGMENTED: run_augmented (eval, scope, statement); break;
        case TS_STATEMENT_EXPRESSION: run_expression (eval, scope, statement->value); break;
        case TS_STATEMENT_ASSERT: run_assert (eval, scope, statement); break;
        case TS_STATEMENT_IMPORT:
        case TS_STATEMENT_FROM: ts_eval_import (eval, scope, statement); break;
        case TS_STATEMENT_RETURN:
          *result = statement->value != NULL ? ts_eval_node (eval, scope, statement->value) : eval->none;
          return TS_FLOW_RETURN;
        case TS_STATEMENT_BAD: flow = run_bad (eval, scope, statement); break;
        case TS_STATEMENT_BREAK: return TS_FLOW_BREAK;
        case TS_STATEMENT_CONTINUE: return TS_FLOW_CONTINUE;
        default:
          if (statement->has_suite)
            flow = run_compound (eval, scope, statement, until, result);
          break;
        }
      if (flow != TS_FLOW_NEXT)
        return flow;
    }
  return TS_FLOW_NEXT;
}
