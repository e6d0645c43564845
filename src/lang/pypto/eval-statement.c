/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements of Python, run in order; what cannot be decided leaves the names it would have bound opaque. */
#include <string.h>

#include "lang/pypto/eval-private.h"

/* --- assignment ---------------------------------------------------------------------------------------------------------- */

/* An assignment to a part of something we do not hold: `vars (a)["x"] = 1` changes `a` all the same. */
static void
open_behind (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *object;

  for (; node != NULL; node = node->kind == TS_NODE_CALL ? node->first->next : node->first)
    if (node->kind == TS_NODE_NAME)
      for (TsName *name = node->name; name != NULL; name = name->parent)
        {
          object = name->parent == NULL ? ts_eval_lookup (eval, scope, name) : NULL;
          if (object != NULL && object->kind != TS_CONST_MODULE)
            ts_const_open (eval, scope, node->offset, object, "'%s' is changed in place", name->text);
        }
}

/* object.x = value; value NULL: del object.x */
static void
assign_attribute (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value)
{
  TsNode base = { .kind = TS_NODE_NAME, .offset = target->offset, .end = target->end };
  const TsNode *node = target->kind == TS_NODE_ATTRIBUTE ? target->first : &base;
  const char *name = target->kind == TS_NODE_ATTRIBUTE ? target->name->text : target->name->last;

  if (target->kind == TS_NODE_NAME)
    base.name = target->name->parent;
  if (ts_eval_set_attribute (eval, scope, target->offset, ts_eval_node (eval, scope, node), name, value))
    return;
  open_behind (eval, scope, node);
  /* sys.modules[__name__].K = 5: an object we do not hold, perhaps this module. */
  if (node->kind == TS_NODE_SUBSCRIPT || node->kind == TS_NODE_CALL)
    ts_scope_open_name (eval, scope, ts_eval_intern (eval, name),
                        ts_const_opaque (eval, scope, target->offset, "'%s' of something that is not known is set", name));
}

/* container[key] = value; value NULL: del container[key] */
static void
assign_entry (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value)
{
  const TsConst *container = ts_eval_node (eval, scope, target->first);
  const TsNode *index = target->first->next;
  const TsConst *key = index->kind == TS_NODE_SLICE ? eval->none : ts_eval_node (eval, scope, index);

  ts_eval_set_entry (eval, scope, target, container, key, value);
  if (container->kind == TS_CONST_OPAQUE)
    open_behind (eval, scope, target->first);
}

/* A name, *rest, a name: which item goes where. */
static void
unpack_items (TsEval *eval, TsScope *scope, const TsNode *targets, const TsConst *items)
{
  guint i = 0, n_rest = items->n + 1 - targets->n;

  for (const TsNode *target = targets->first; target != NULL; target = target->next)
    if (target->kind == TS_NODE_STAR)
      {
        ts_eval_assign (eval, scope, target->first, ts_const_items (eval, TS_CONST_LIST, items->items + i, n_rest));
        i += n_rest;
      }
    else
      ts_eval_assign (eval, scope, target, items->items[i++]);
}

static void
unpack (TsEval *eval, TsScope *scope, const TsNode *targets, const TsConst *value)
{
  const TsConst *items = ts_const_iterate (eval, value);
  guint n_stars = 0;

  for (const TsNode *target = targets->first; target != NULL; target = target->next)
    n_stars += target->kind == TS_NODE_STAR;
  if (items != NULL && (n_stars == 0 ? items->n == targets->n : n_stars == 1 && items->n + 1 >= targets->n))
    {
      unpack_items (eval, scope, targets, items);
      return;
    }
  for (const TsNode *target = targets->first; target != NULL; target = target->next)
    ts_eval_assign (eval, scope, target->kind == TS_NODE_STAR ? target->first : target,
                    value->kind == TS_CONST_OPAQUE ? value : ts_const_opaque (eval, scope, target->offset, "unpacking %s",
                                                                              ts_const_kind_name (value)));
}

/* What a name can keep: an iterator is spent when it is used, and a view changes with its dictionary. */
static const TsConst *
kept (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value)
{
  if (ts_const_is_sequence (value) && value->detail >= TS_ITEMS_VIEW)
    return ts_const_opaque (eval, scope, target->offset, "an iterator or a view, kept for later");
  return value;
}

void
ts_eval_assign (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value)
{
  TsScope *home;

  switch ((TsNodeKind) target->kind)
    {
    case TS_NODE_NAME:
      if (target->name->parent != NULL)
        {
          assign_attribute (eval, scope, target, value);
          break;
        }
      home = ts_scope_home (scope, target->name->text);
      value = kept (eval, scope, target, value);
      ts_scope_set (home, target->name->text, ts_eval_overridden (eval, home, target->name->text, value));
      break;
    case TS_NODE_TUPLE:
    case TS_NODE_LIST:
      unpack (eval, scope, target, value);
      break;
    case TS_NODE_SUBSCRIPT:
      assign_entry (eval, scope, target, value);
      break;
    case TS_NODE_ATTRIBUTE:
      assign_attribute (eval, scope, target, value);
      break;
    default:
      break;
    }
}

/* name := value; in a comprehension the name is that of the function around. */
const TsConst *
ts_eval_walrus (TsEval *eval, TsScope *scope, const TsNode *node)
{
  const TsConst *value = ts_eval_node (eval, scope, node->first->next);

  while (scope->is_comprehension && scope->up != NULL)
    scope = scope->up;
  ts_eval_assign (eval, scope, node->first, value);
  return value;
}

/* A value was needed inside a try block: does the block end here, or perhaps? */
static TsFlow
tried (TsEval *eval, const TsConst *value)
{
  if (eval->trying == 0 || value->kind != TS_CONST_OPAQUE)
    return TS_FLOW_NEXT;
  if (value->detail == TS_OPAQUE_RAISES)
    return TS_FLOW_RAISE;
  eval->may_fail = TRUE;
  return TS_FLOW_NEXT;
}

static TsFlow
run_assign (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const TsConst *value;

  if (statement->value == NULL)
    return TS_FLOW_NEXT;
  value = ts_eval_node (eval, scope, statement->value);
  if (tried (eval, value) == TS_FLOW_RAISE)
    return TS_FLOW_RAISE;
  for (const TsNode *target = statement->targets; target != NULL; target = target->next)
    ts_eval_assign (eval, scope, target, value);
  return TS_FLOW_NEXT;
}

static TsFlow
run_augmented (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const TsConst *before = ts_eval_node (eval, scope, statement->targets);
  const TsConst *value = ts_eval_node (eval, scope, statement->value);
  const TsConst *after = ts_eval_augment (eval, scope, statement->targets, statement->op, before, value);

  if (after == NULL)
    after = ts_eval_operator (eval, scope, statement->targets, statement->op, before, value);
  if (tried (eval, after) == TS_FLOW_RAISE)
    return TS_FLOW_RAISE;
  ts_eval_assign (eval, scope, statement->targets, after);
  return TS_FLOW_NEXT;
}

static TsFlow
run_expression (TsEval *eval, TsScope *scope, const TsNode *node)
{
  eval->discarded = node;
  return tried (eval, ts_eval_node (eval, scope, node));
}

/* return, with the value that *result gets */
static TsFlow
run_return (TsEval *eval, TsScope *scope, const TsStatement *statement, const TsConst **result)
{
  const TsConst *value = statement->value != NULL ? ts_eval_node (eval, scope, statement->value) : eval->none;

  if (tried (eval, value) == TS_FLOW_RAISE)
    return TS_FLOW_RAISE;
  *result = value;
  return TS_FLOW_RETURN;
}

void
ts_eval_give_away (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const TsNode *first = statement->value->kind == TS_NODE_TUPLE ? statement->value->first : statement->value;
  gboolean is_global = strcmp (statement->what, "global") == 0;

  for (const TsNode *node = first; node != NULL; node = first == statement->value ? NULL : node->next)
    {
      TsScope *home = scope->up;

      if (!ts_node_is_plain_name (node) || scope->is_module)
        continue;
      while (home != NULL && home->up != NULL && (is_global ? !home->is_module : ts_scope_get (home, node->name->text) == NULL))
        home = home->up;
      if (home == NULL)
        continue;
      if (scope->elsewhere == NULL)
        scope->elsewhere = ts_eval_table (eval);
      g_hash_table_replace (scope->elsewhere, (gpointer) node->name->text, ts_scope_home (home, node->name->text));
    }
}

static void
run_delete (TsEval *eval, TsScope *scope, const TsNode *target)
{
  TsScope *home;

  switch ((TsNodeKind) target->kind)
    {
    case TS_NODE_NAME:
      if (target->name->parent != NULL)
        {
          assign_attribute (eval, scope, target, NULL);
          break;
        }
      home = ts_scope_home (scope, target->name->text);
      if (ts_scope_get (home, target->name->text) != NULL)
        ts_scope_set (home, target->name->text,
                      ts_const_opaque (eval, scope, target->offset, "'%s' is deleted", target->name->text));
      break;
    case TS_NODE_ATTRIBUTE:
      assign_attribute (eval, scope, target, NULL);
      break;
    case TS_NODE_SUBSCRIPT:
      assign_entry (eval, scope, target, NULL);
      break;
    case TS_NODE_TUPLE:
    case TS_NODE_LIST:
      for (const TsNode *item = target->first; item != NULL; item = item->next)
        run_delete (eval, scope, item);
      break;
    default:
      break;
    }
}

static TsFlow
run_other (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  /* A module that ends here is looked at all the same. */
  if (strcmp (statement->what, "raise") == 0)
    return scope->is_module && eval->trying == 0 ? TS_FLOW_NEXT : TS_FLOW_RAISE;
  if (statement->value == NULL)
    return TS_FLOW_NEXT;
  if (strcmp (statement->what, "del") == 0)
    run_delete (eval, scope, statement->value);
  else
    ts_eval_give_away (eval, scope, statement);
  return TS_FLOW_NEXT;
}

/* --- what is not decided ------------------------------------------------------------------------------------------------- */

/* Does a return, break, continue or raise stand in it? Then what follows is not known either. */
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

/* Does a return stand in it? A loop keeps break and continue to itself. */
static gboolean
may_return (const TsStatement *statement)
{
  for (; statement != NULL; statement = statement->next)
    {
      if (statement->kind == TS_STATEMENT_RETURN)
        return TRUE;
      if (statement->kind == TS_STATEMENT_DEF || statement->kind == TS_STATEMENT_CLASS)
        continue;
      for (const TsStatement *arm = statement; statement->has_suite && arm != NULL; arm = arm->otherwise)
        if (may_return (arm->body))
          return TRUE;
    }
  return FALSE;
}

/* A loop whose trips are not known, or not any more. */
static TsFlow
forget_loop (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const TsConst *why = ts_const_opaque (eval, scope, statement->offset, "assigned in a loop that is not known");
  TsStatement alone = *statement;

  alone.next = NULL;
  ts_eval_forget_body (eval, scope, &alone, why);
  return may_return (&alone) ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
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
              ts_eval_forget_body (eval, scope, statement->body, why);
              leaves = leaves || may_leave (statement->body);
            }
          return leaves ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
        }
    }
  return TS_FLOW_NEXT;
}

/* What stands behind `else` of a loop that ran to its end. */
static TsFlow
end_loop (TsEval *eval, TsScope *scope, const TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  return statement->otherwise != NULL ? ts_eval_statements (eval, scope, statement->otherwise->body, until, result) : TS_FLOW_NEXT;
}

static TsFlow
run_for (TsEval *eval, TsScope *scope, TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  const TsConst *items = ts_const_iterate (eval, ts_eval_node (eval, scope, statement->value));
  guint n = items != NULL ? items->n : 0;

  if (items == NULL)
    return forget_loop (eval, scope, statement);
  for (guint i = 0; i < n; i++)
    {
      TsFlow flow;

      /* A list that its own loop makes shorter or longer is not followed. */
      if (!ts_eval_step (eval) || !ts_const_is_sequence (items) || items->n != n)
        return forget_loop (eval, scope, statement);
      ts_eval_assign (eval, scope, statement->targets, items->items[i]);
      flow = ts_eval_statements (eval, scope, statement->body, until, result);
      if (flow == TS_FLOW_BREAK)
        return TS_FLOW_NEXT;
      if (flow == TS_FLOW_UNKNOWN)
        return forget_loop (eval, scope, statement);
      if (flow != TS_FLOW_NEXT && flow != TS_FLOW_CONTINUE)
        return flow;
    }
  if (n > 0 && (!ts_const_is_sequence (items) || items->n != n))
    return forget_loop (eval, scope, statement);
  return end_loop (eval, scope, statement, until, result);
}

static TsFlow
run_while (TsEval *eval, TsScope *scope, TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  for (;;)
    {
      gint truth = ts_const_truth (ts_eval_node (eval, scope, statement->value));
      TsFlow flow;

      if (truth == 0)
        return end_loop (eval, scope, statement, until, result);
      if (truth < 0 || !ts_eval_step (eval))
        return forget_loop (eval, scope, statement);
      flow = ts_eval_statements (eval, scope, statement->body, until, result);
      if (flow == TS_FLOW_BREAK)
        return TS_FLOW_NEXT;
      if (flow == TS_FLOW_UNKNOWN)
        return forget_loop (eval, scope, statement);
      if (flow != TS_FLOW_NEXT && flow != TS_FLOW_CONTINUE)
        return flow;
    }
}

/* A statement that could not be read: what it would have bound has no value, and one that binds nothing may have been a return. */
static TsFlow
run_bad (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const TsConst *why = ts_const_opaque (eval, scope, statement->offset, "in a statement that cannot be read");
  TsStatement alone = *statement;

  alone.next = NULL;
  ts_eval_forget_body (eval, scope, &alone, why);
  return statement->targets == NULL && statement->name == NULL && !scope->is_module ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
}

static gboolean
is_except (const TsStatement *clause)
{
  return clause->kind == TS_STATEMENT_BLOCK && strcmp (clause->what, "except") == 0;
}

/* What stands behind a try: the first `except` when it failed, `else` when it did not, `finally` always. */
static TsFlow
run_clauses (TsEval *eval, TsScope *scope, TsStatement *clause, gboolean failed, TsFlow flow, const TsStatement *until,
             const TsConst **result)
{
  gboolean handled = FALSE;

  for (; clause != NULL && flow != TS_FLOW_STOP; clause = clause->otherwise)
    {
      gboolean runs = is_except (clause) ? failed && !handled
                      : clause->kind == TS_STATEMENT_ELSE ? !failed && flow == TS_FLOW_NEXT : TRUE;
      TsFlow after = runs ? ts_eval_statements (eval, scope, clause->body, until, result) : TS_FLOW_NEXT;

      if (runs && (is_except (clause) || after != TS_FLOW_NEXT))
        flow = after;
      handled = handled || is_except (clause);
    }
  return flow;
}

static gboolean
has_except (const TsStatement *clause)
{
  for (; clause != NULL; clause = clause->otherwise)
    if (is_except (clause))
      return TRUE;
  return FALSE;
}

/* A try whose body raises an exception, or not: whatever it and its clauses bind is open. */
static TsFlow
forget_try (TsEval *eval, TsScope *scope, TsStatement *statement, TsFlow flow)
{
  const TsConst *why = ts_const_opaque (eval, scope, statement->offset, "assigned where an exception may be raised");
  TsStatement alone = *statement;

  alone.next = NULL;
  ts_eval_forget_body (eval, scope, &alone, why);
  return flow == TS_FLOW_RETURN || flow == TS_FLOW_STOP ? flow : may_leave (&alone) ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
}

/* try: its body, and where that raises what stands behind `except`. Of match and async blocks nothing is followed. */
static TsFlow
run_block (TsEval *eval, TsScope *scope, TsStatement *statement, const TsStatement *until, const TsConst **result)
{
  gboolean before = eval->may_fail, may_fail;
  TsFlow flow;

  if (strcmp (statement->what, "finally") == 0)
    return ts_eval_statements (eval, scope, statement->body, until, result);
  if (strcmp (statement->what, "try") != 0)
    {
      ts_eval_forget_body (eval, scope, statement->body,
                           ts_const_opaque (eval, scope, statement->offset, "assigned in a block that is not followed"));
      return may_leave (statement->body) ? TS_FLOW_UNKNOWN : TS_FLOW_NEXT;
    }
  eval->trying++;
  eval->may_fail = FALSE;
  flow = ts_eval_statements (eval, scope, statement->body, until, result);
  eval->trying--;
  may_fail = eval->may_fail || flow == TS_FLOW_UNKNOWN;
  eval->may_fail = before;
  if (flow == TS_FLOW_STOP)
    return flow;
  if (may_fail && has_except (statement->otherwise))
    return forget_try (eval, scope, statement, flow);
  return run_clauses (eval, scope, statement->otherwise, flow == TS_FLOW_RAISE, flow, until, result);
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

const TsConst *
ts_eval_lambda (TsEval *eval, TsScope *scope, TsStatement *def)
{
  TsConst *value = (TsConst *) ts_eval_kernel (eval, scope, def);

  if (value->kind != TS_CONST_FUNCTION)
    return value;
  for (const TsParameter *param = def->params; param != NULL; param = param->next)
    if (param->name != NULL && param->value != NULL)
      {
        if (value->fields == NULL)
          value->fields = ts_eval_table (eval);
        g_hash_table_replace (value->fields, (gpointer) param->name->text, (gpointer) ts_eval_node (eval, scope, param->value));
      }
  return value;
}

/* Decorators that leave a function what it is, as far as its value is concerned. */
static gboolean
is_plain_decorator (TsEval *eval, const TsNode *decorator)
{
  static const char *const words[] = {
    "property", "cached_property", "staticmethod", "classmethod", "lru_cache", "cache", "wraps", "abstractmethod", "override",
    "final", "overload", "dataclass", "no_grad", "inference_mode", "total_ordering", "unique", "runtime_checkable", NULL,
  };
  const TsNode *callee = decorator->kind == TS_NODE_CALL ? decorator->first : decorator;
  const TsName *root;

  if (callee->kind != TS_NODE_NAME)
    return FALSE;
  ts_name_meaning (eval->lexicon, callee->name);
  for (root = callee->name; root->parent != NULL;)
    root = root->parent;
  return g_strv_contains (words, callee->name->last) || root->root == TS_ROOT_PL || callee->name->root == TS_ROOT_PL
         || callee->name->root == TS_ROOT_PLD;
}

/* @x.setter: the property keeps its name. */
static gboolean
is_accessor (const TsStatement *def)
{
  static const char *const words[] = { "setter", "deleter", NULL };
  const TsNode *decorator = def->decorators;

  return decorator != NULL && decorator->kind == TS_NODE_NAME && decorator->name->parent != NULL
         && g_strv_contains (words, decorator->name->last);
}

/* The last decorator comes first. */
static const TsConst *
decorate (TsEval *eval, TsScope *scope, const TsNode *decorator, const TsConst *value)
{
  const char *keyword = NULL;
  TsArguments arguments = { &value, &keyword, 1, 1 };
  const TsConst *function, *result = NULL;

  if (decorator == NULL)
    return value;
  value = decorate (eval, scope, decorator->next, value);
  if (is_plain_decorator (eval, decorator))
    return value;
  function = ts_eval_node (eval, scope, decorator);
  if (function->kind == TS_CONST_FUNCTION)
    result = ts_eval_function (eval, function, &arguments, decorator->offset);
  return result != NULL ? result : ts_const_opaque (eval, scope, decorator->offset, "decorated in a way that is not followed");
}

static void
run_definition (TsEval *eval, TsScope *scope, TsStatement *def)
{
  const TsStatement *bad = NULL;
  const TsConst *value;

  if (is_accessor (def))
    return;
  /* A class that lacks a member is another class. */
  for (const TsStatement *member = def->body; def->kind == TS_STATEMENT_CLASS && member != NULL; member = member->next)
    bad = member->kind == TS_STATEMENT_BAD ? member : bad;
  if (bad != NULL && !is_kernel (eval, def))
    value = ts_const_opaque (eval, scope, bad->offset, "a class that cannot be read whole");
  else if (def->kind == TS_STATEMENT_CLASS && !is_kernel (eval, def))
    value = ts_eval_class (eval, scope, def);
  else
    value = ts_eval_lambda (eval, scope, def);
  if (value->kind != TS_CONST_KERNEL)
    value = decorate (eval, scope, def->decorators, value);
  ts_scope_set (ts_scope_home (scope, def->name->text), def->name->text, value);
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
  TsFlow flow;

  switch ((TsStatementKind) statement->kind)
    {
    case TS_STATEMENT_IF: return run_if (eval, scope, statement, until, result);
    case TS_STATEMENT_FOR:
    case TS_STATEMENT_WHILE:
      eval->looping++;
      flow = (statement->kind == TS_STATEMENT_FOR ? run_for : run_while) (eval, scope, statement, until, result);
      eval->looping--;
      return flow;
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
      if (eval->depth == eval->base_depth && eval->looping == 0)
        ts_eval_renew_steps (eval);
      if (!ts_eval_step (eval))
        {
          ts_eval_forget_body (eval, scope, statement, ts_eval_exhausted (eval, scope, statement->offset));
          return TS_FLOW_UNKNOWN;
        }
      switch ((TsStatementKind) statement->kind)
        {
        case TS_STATEMENT_ASSIGN: flow = run_assign (eval, scope, statement); break;
        case TS_STATEMENT_AUGMENTED: flow = run_augmented (eval, scope, statement); break;
        case TS_STATEMENT_EXPRESSION: flow = run_expression (eval, scope, statement->value); break;
        case TS_STATEMENT_ASSERT: run_assert (eval, scope, statement); break;
        case TS_STATEMENT_IMPORT:
        case TS_STATEMENT_FROM: ts_eval_import (eval, scope, statement); break;
        case TS_STATEMENT_RETURN: flow = run_return (eval, scope, statement, result); break;
        case TS_STATEMENT_BAD: flow = run_bad (eval, scope, statement); break;
        case TS_STATEMENT_OTHER: flow = run_other (eval, scope, statement); break;
        case TS_STATEMENT_BREAK: return TS_FLOW_BREAK;
        case TS_STATEMENT_CONTINUE: return TS_FLOW_CONTINUE;
        default:
          if (statement->has_suite)
            flow = run_compound (eval, scope, statement, until, result);
          break;
        }
      if (flow == TS_FLOW_UNKNOWN)
        ts_eval_forget_body (eval, scope, statement->next,
                             ts_const_opaque (eval, scope, statement->offset, "assigned behind a condition that is not known"));
      if (flow != TS_FLOW_NEXT)
        return flow;
    }
  return TS_FLOW_NEXT;
}
