/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Taking calls out of expressions. The reference does it in FlattenCallExpr. */
#include "ir/nested-calls.h"

#include <string.h>

#include "ir/build.h"
#include "ir/clone.h"
#include "ir/infer.h"
#include "ir/op-info.h"

/* Nodes of the expressions of one statement that are looked at: what an expression shares may be there many times on paper. */
#define MAX_NODES 100000u

/* One function. */
typedef struct
{
  TsModule        *module;
  TsCallTakenApart told;
  gpointer         data;
  gint64           number;    /* of the next variable */
  guint            n_made;
  const TsOp      *statement; /* whose expressions are taken apart */
  TsBlock         *block;     /* where what is taken out goes: at its end, or before `anchor` */
  TsOp            *anchor;
  guint            budget;
} Apart;

static void take_block (Apart *apart, TsBlock *block);

/* --- which calls ------------------------------------------------------------------------------------------------------------- */

/* Asks for a number that costs nothing: the index of the block, an extent. */
static gboolean
is_question (const TsOp *call)
{
  const TsOpInfo *info = ts_op_info (call->code);
  return info->result == TS_RESULT_INDEX && ts_op_pipe (call, TS_BACKEND_NONE, NULL) == TS_PIPE_NONE;
}

static gboolean holds_call (const TsExpr *e, gboolean allowed, guint *budget);

static gboolean
any_holds_call (TsExpr *const *list, guint n, gboolean allowed, guint *budget)
{
  for (guint i = 0; i < n; i++)
    if (holds_call (list[i], allowed, budget))
      return TRUE;
  return FALSE;
}

static gboolean
any_attr_holds_call (const TsAttr *attrs, guint n, guint *budget)
{
  for (guint i = 0; i < n; i++)
    if (holds_call (attrs[i].value, TRUE, budget))
      return TRUE;
  return FALSE;
}

/* `allowed`: a call that costs nothing may stand here. */
static gboolean
holds_call (const TsExpr *e, gboolean allowed, guint *budget)
{
  if (e == NULL || !e->has_values || *budget == 0)
    return FALSE;
  --*budget;
  switch ((int) e->kind)
    {
    case TS_EXPR_CALL:
      return !allowed || !is_question (e->call) || any_holds_call (e->call->operands, e->call->n_operands, FALSE, budget);
    case TS_EXPR_BINARY:
      return holds_call (e->items[0], FALSE, budget) || holds_call (e->items[1], FALSE, budget);
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
      return holds_call (e->items[0], FALSE, budget);
    case TS_EXPR_GET:
      return holds_call (e->items[0], TRUE, budget);
    case TS_EXPR_LIST:
      return any_holds_call (e->list, e->n, TRUE, budget);
    default:
      return FALSE;
    }
}

/* As the verifier of NoNestedCalls has it. */
static gboolean
is_allowed_in (const TsOp *op, guint operand)
{
  switch ((int) op->code)
    {
    case TS_OP_FOR:
      return operand >= TS_FOR_INITS;
    case TS_OP_ASSIGN:
    case TS_OP_YIELD:
    case TS_OP_RETURN:
    case TS_OP_WHILE:
    case TS_OP_SCOPE:
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
statement_holds_call (const TsOp *op)
{
  guint budget = MAX_NODES;
  for (guint i = 0; i < op->n_operands; i++)
    if (holds_call (op->operands[i], is_allowed_in (op, i), &budget))
      return TRUE;
  return any_attr_holds_call (op->keywords, op->n_keywords, &budget) || any_attr_holds_call (op->attrs, op->n_attrs, &budget);
}

static gboolean
find_holder (TsOp *op, gpointer data)
{
  const TsOp **found = data;
  if (*found == NULL && statement_holds_call (op))
    *found = op;
  return *found == NULL;
}

const TsOp *
ts_find_nested_calls (const TsFunction *function)
{
  const TsOp *found = NULL;
  if (function->body_kind == TS_BODY_STATEMENTS)
    ts_region_walk ((TsRegion *) &function->body, find_holder, &found);
  return found;
}

/* --- making statements ------------------------------------------------------------------------------------------------------- */

static void
emit (Apart *apart, TsOp *op)
{
  if (apart->anchor != NULL)
    ts_block_insert_before (apart->anchor, op);
  else
    ts_block_append (apart->block, op);
  apart->n_made++;
  if (apart->told != NULL)
    apart->told (op, apart->statement, apart->data);
}

static TsOp *
made_for (TsOp *op, const TsOp *source)
{
  op->span = source->span;
  op->origin = source->origin;
  return op;
}

static void
emit_assign (Apart *apart, TsValue *to, TsExpr *value)
{
  TsOp *op = ts_op_new (apart->module, TS_OP_ASSIGN, NULL, &value, 1);
  ts_op_add_result_value (apart->module, op, to);
  emit (apart, made_for (op, apart->statement));
}

static TsValue *
new_flag (const Apart *apart, const char *hint)
{
  return ts_value_new (apart->module, TS_VALUE_RESULT, hint, ts_type_scalar (apart->module, TS_DTYPE_BOOL));
}

/* What a call gives; NULL: nothing, or nobody knows. Misuse was reported where the call was read. */
static const TsType *
type_of_call (const Apart *apart, const TsOp *call)
{
  if (call->code == TS_OP_CALL)
    {
      const TsFunction *callee = call->name != NULL ? ts_module_find_function (apart->module, call->name) : NULL;
      if (callee == NULL || callee->n_returns == 0)
        return NULL;
      return callee->n_returns == 1 && !callee->returns_tuple ? callee->returns[0]
                                                              : ts_type_tuple (apart->module, callee->returns, callee->n_returns);
    }
  g_autoptr (TsDiagList) misuse = ts_diag_list_new ();
  return ts_infer_result (apart->module, call, misuse, call->span);
}

/* --- expressions ------------------------------------------------------------------------------------------------------------- */

static TsExpr *take_expr (Apart *apart, TsExpr *e, gboolean allowed);

/* A valid shape that was filled in is the shape once more, and stands for the same numbers. */
static void
take_operands (Apart *apart, TsOp *op)
{
  g_autofree TsExpr **written = g_memdup2 (op->operands, sizeof (TsExpr *) * op->n_operands);
  for (guint i = 0; i < op->n_operands; i++)
    {
      gboolean again = i > 0 && written[i] != NULL && written[i]->kind == TS_EXPR_LIST && written[i] != op->operands[i - 1]
                       && written[i - 1] != op->operands[i - 1] && ts_expr_equal (written[i], written[i - 1]);
      op->operands[i] = again ? op->operands[i - 1] : take_expr (apart, written[i], is_allowed_in (op, i));
    }
  for (guint i = 0; i < op->n_keywords; i++)
    op->keywords[i].value = take_expr (apart, op->keywords[i].value, TRUE);
}

static TsExpr *
take_call (Apart *apart, TsExpr *e, gboolean allowed)
{
  TsOp *call = e->call;
  take_operands (apart, call);
  if (allowed && is_question (call))
    return e;
  const TsType *type = type_of_call (apart, call);
  if (type == NULL)
    return e;
  g_autofree char *name = g_strdup_printf (TS_NESTED_CALL_PREFIX "%" G_GINT64_FORMAT, apart->number++);
  TsValue *value = ts_op_add_result (apart->module, call, name, type);
  call->origin = apart->statement->origin; /* what snapshots know is the statement */
  if (ts_span_is_none (call->span))
    call->span = apart->statement->span;
  emit (apart, call);
  return ts_expr_value (apart->module, value);
}

/* `a and f(b)`: `both = a`, `if both: both = f(b)`. */
static TsExpr *
take_decided (Apart *apart, TsExpr *e)
{
  TsModule *module = apart->module;
  gboolean is_and = e->op == TS_OPERATOR_AND;
  TsExpr *left = take_expr (apart, e->items[0], FALSE);
  TsValue *flag = new_flag (apart, is_and ? "both" : "either");
  emit_assign (apart, flag, left);
  TsExpr *condition = ts_expr_value (module, flag);
  if (!is_and)
    condition = ts_expr_unary (module, TS_OPERATOR_NOT, condition);
  TsOp *branch = made_for (ts_op_new (module, TS_OP_IF, NULL, &condition, 1), apart->statement);
  TsBlock *then = ts_op_add_region (module, branch);
  emit (apart, branch);

  TsBlock *block = apart->block;
  TsOp *anchor = apart->anchor;
  apart->block = then;
  apart->anchor = NULL;
  emit_assign (apart, flag, take_expr (apart, e->items[1], FALSE));
  apart->block = block;
  apart->anchor = anchor;
  return ts_expr_value (module, flag);
}

static TsExpr *
take_binary (Apart *apart, TsExpr *e)
{
  guint budget = MAX_NODES;
  if ((e->op == TS_OPERATOR_AND || e->op == TS_OPERATOR_OR) && holds_call (e->items[1], FALSE, &budget))
    return take_decided (apart, e);
  TsExpr *a = take_expr (apart, e->items[0], FALSE);
  TsExpr *b = take_expr (apart, e->items[1], FALSE);
  if (a == e->items[0] && b == e->items[1])
    return e;
  TsExpr *copy = ts_expr_binary (apart->module, (TsOperator) e->op, a, b);
  copy->dtype = e->dtype != TS_DTYPE_NONE ? e->dtype : copy->dtype;
  return copy;
}

static TsExpr *
take_unary (Apart *apart, TsExpr *e)
{
  TsExpr *x = take_expr (apart, e->items[0], e->kind == TS_EXPR_GET);
  if (x == e->items[0])
    return e;
  switch ((int) e->kind)
    {
    case TS_EXPR_CAST:
      return ts_expr_cast (apart->module, x, (TsDtype) e->dtype);
    case TS_EXPR_GET:
      return ts_expr_get (apart->module, x, e->n);
    default:
      return ts_expr_unary (apart->module, (TsOperator) e->op, x);
    }
}

static TsExpr *
take_list (Apart *apart, TsExpr *e)
{
  g_autofree TsExpr **items = g_new (TsExpr *, (gsize) e->n + 1);
  gboolean changed = FALSE;
  for (guint i = 0; i < e->n; i++)
    {
      items[i] = take_expr (apart, e->list[i], TRUE);
      changed |= items[i] != e->list[i];
    }
  return changed ? ts_expr_list_like (apart->module, e, items, e->n) : e;
}

static TsExpr *
take_expr (Apart *apart, TsExpr *e, gboolean allowed)
{
  if (e == NULL || !e->has_values || apart->budget == 0)
    return e;
  apart->budget--;
  switch ((int) e->kind)
    {
    case TS_EXPR_CALL:
      return take_call (apart, e, allowed);
    case TS_EXPR_BINARY:
      return take_binary (apart, e);
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET:
      return take_unary (apart, e);
    case TS_EXPR_LIST:
      return take_list (apart, e);
    default:
      return e;
    }
}

/* --- statements -------------------------------------------------------------------------------------------------------------- */

/* A type that took an extent from a call says what the extent is called now. */
static void
type_again (Apart *apart, TsOp *op)
{
  guint budget = MAX_NODES;
  const TsType *type = op->n_results == 1 && op->results[0]->def == op ? op->results[0]->type : NULL;
  if (type == NULL || !type->has_values
      || !(any_holds_call (type->dims, type->dims != NULL ? type->rank : 0, FALSE, &budget)
           || (type->view != NULL && type->view->valid_shape != NULL
               && any_holds_call (type->view->valid_shape, type->view->n_valid, FALSE, &budget))))
    return;
  g_autoptr (TsDiagList) misuse = ts_diag_list_new ();
  const TsType *again = ts_infer_result (apart->module, op, misuse, op->span);
  if (again != NULL)
    op->results[0]->type = again;
}

/* What carries or joins the result of a call that nobody had given a type has the type of the call. */
static void
hand_on_types (TsExpr *const *operands, TsValue *const *to, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      const TsValue *from = ts_expr_as_value (operands[i]);
      if (from != NULL && from->type != NULL && (to[i]->type == NULL || to[i]->type->kind != from->type->kind))
        to[i]->type = from->type;
    }
}

static void
hand_on (const TsOp *op)
{
  const TsOp *parent = op->code == TS_OP_YIELD ? ts_op_parent (op) : NULL;
  guint first = op->code == TS_OP_FOR ? TS_FOR_INITS : 0, shift = op->code == TS_OP_FOR ? 1 : 0;
  if (parent != NULL && parent->n_results == op->n_operands)
    hand_on_types (op->operands, parent->results, op->n_operands);
  if ((op->code == TS_OP_FOR || op->code == TS_OP_WHILE) && op->n_operands >= first
      && ts_op_body (op, 0)->n_args == op->n_operands - first + shift)
    hand_on_types (op->operands + first, ts_op_body (op, 0)->args + shift, op->n_operands - first);
}

static void
take_statement (Apart *apart, TsOp *op)
{
  if (statement_holds_call (op))
    {
      apart->statement = op;
      apart->block = op->block;
      apart->anchor = op;
      apart->budget = MAX_NODES;
      take_operands (apart, op);
      for (guint i = 0; i < op->n_attrs; i++)
        {
          TsExpr *value = take_expr (apart, op->attrs[i].value, TRUE);
          if (value != op->attrs[i].value) /* a lone attribute may be shared */
            {
              op->attrs = op->n_attrs == 1 ? ts_arena_memdup (apart->module->arena, op->attrs, sizeof *op->attrs) : op->attrs;
              op->attrs[i].value = value;
            }
        }
      hand_on (op);
    }
  type_again (apart, op);
}

/* --- conditions of while loops ----------------------------------------------------------------------------------------------- */

/* `going = condition` before `anchor`, or at the end of `block`; carried variables read as `values`. */
static void
ask (Apart *apart, const TsOp *loop, TsBlock *block, TsOp *anchor, TsValue *going, TsExpr *condition, TsExpr *const *values)
{
  g_autoptr (TsCloner) cloner = ts_cloner_new (apart->module);
  const TsBlock *body = ts_op_body (loop, 0);
  for (guint i = 0; values != NULL && i < body->n_args; i++)
    ts_cloner_set (cloner, body->args[i], values[i]);
  apart->statement = body->first;
  apart->block = block;
  apart->anchor = anchor;
  emit_assign (apart, going, ts_cloner_expr (cloner, condition));
}

static void
ask_before_continues (Apart *apart, const TsOp *loop, TsBlock *block, TsValue *going, TsExpr *condition)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      if (op->code == TS_OP_CONTINUE)
        ask (apart, loop, block, op, going, condition, NULL);
      for (guint r = 0; op->code != TS_OP_FOR && op->code != TS_OP_WHILE && r < op->n_regions; r++)
        ask_before_continues (apart, loop, ts_op_body (op, r), going, condition);
    }
}

/* The calls of a condition are made again for each trip: the loop asks a variable that is set before it and at its end. */
static void
take_condition (Apart *apart, TsOp *loop)
{
  TsBlock *body = ts_op_body (loop, 0);
  TsOp *cond = body->first;
  if (!ts_op_is (cond, TS_OP_COND) || !statement_holds_call (cond))
    return;
  TsExpr *condition = cond->operands[0];
  TsValue *going = new_flag (apart, "going");
  TsOp *yield = ts_block_yield (body);
  gboolean carries = body->n_args > 0 && yield != NULL && yield->n_operands == body->n_args && loop->n_operands == body->n_args;
  ask (apart, loop, loop->block, loop, going, condition, carries ? loop->operands : NULL);
  take_statement (apart, loop->prev);
  ask_before_continues (apart, loop, body, going, condition);
  if (!ts_op_is (body->last, TS_OP_CONTINUE) && !ts_op_is (body->last, TS_OP_BREAK) && !ts_op_is (body->last, TS_OP_RETURN))
    ask (apart, loop, body, yield, going, condition, carries ? yield->operands : NULL);
  cond->operands[0] = ts_expr_value (apart->module, going);
}

/* --- functions --------------------------------------------------------------------------------------------------------------- */

static void
take_block (Apart *apart, TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      take_statement (apart, op);
      if (op->code == TS_OP_WHILE)
        take_condition (apart, op);
      for (guint r = 0; r < op->n_regions; r++)
        for (guint b = 0; b < op->regions[r].n_blocks; b++)
          take_block (apart, op->regions[r].blocks[b]);
    }
}

/* Names that are there already are not given again. */
static gboolean
find_number (TsOp *op, gpointer data)
{
  gint64 *next = data;
  for (guint i = 0; i < op->n_results; i++)
    if (g_str_has_prefix (op->results[i]->hint, TS_NESTED_CALL_PREFIX))
      {
        gint64 number = g_ascii_strtoll (op->results[i]->hint + strlen (TS_NESTED_CALL_PREFIX), NULL, 10);
        *next = MAX (*next, CLAMP (number, 0, G_MAXINT32) + 1);
      }
  return TRUE;
}

guint
ts_take_calls_apart (TsModule *module, TsFunction *function, TsCallTakenApart told, gpointer data)
{
  Apart apart = { .module = module, .told = told, .data = data };
  if (!ts_has_nested_calls (function))
    return 0;
  ts_region_walk (&function->body, find_number, &apart.number);
  for (guint b = 0; b < function->body.n_blocks; b++)
    take_block (&apart, function->body.blocks[b]);
  return apart.n_made;
}

/* --- modules ----------------------------------------------------------------------------------------------------------------- */

static void
count_as_statement (TsOp *made, const TsOp *statement, G_GNUC_UNUSED gpointer data)
{
  made->id = statement->id;
}

TsModule *
ts_module_with_calls_apart (const TsModule *module, const TsFunction **function)
{
  gboolean nested = FALSE;
  for (guint i = 0; i < module->n_functions && !nested; i++)
    nested = ts_has_nested_calls (module->functions[i]);
  if (!nested)
    return NULL;
  TsModule *copy = ts_module_clone (module);
  const TsFunction *counterpart = NULL;
  for (guint i = 0; i < copy->n_functions; i++)
    {
      ts_take_calls_apart (copy, copy->functions[i], count_as_statement, NULL);
      if (module->functions[i] == *function)
        counterpart = copy->functions[i];
    }
  *function = counterpart != NULL ? counterpart : *function;
  return copy;
}
