/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NormalizeReturnOrder: return k is the k-th Out or InOut parameter. Source: spec passes-schedule section 3. */
#include "ir/build.h"
#include "ir/deps.h"
#include "ir/op-info.h"
#include "passes/loops.h"

/* What is known of a function. */
typedef struct
{
  TsFunction *function;
  GPtrArray  *returns;      /* its RETURN operations */
  gint       *param_of;     /* per declared return: index of the parameter it is, -1 unknown; NULL: not looked at yet */
  guint       n_returns;
  gboolean    busy;         /* being traced: a cycle of calls ends here */
  guint      *permutation;  /* return i moves to permutation[i]; NULL: stays */
} Signature;

typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  GHashTable    *by_name;   /* function name to Signature */
  GPtrArray     *signatures;
  gboolean       changed;
} Normalization;

static void find_return_params (Normalization *n, Signature *signature);

static gboolean
collect_return (TsOp *op, gpointer data)
{
  if (op->code == TS_OP_RETURN)
    g_ptr_array_add (data, op);
  return TRUE;
}

static void
signature_free (gpointer data)
{
  Signature *signature = data;
  g_ptr_array_unref (signature->returns);
  g_free (signature->param_of);
  g_free (signature->permutation);
  g_free (signature);
}

/* --- tracing ----------------------------------------------------------------------------------------------------------------- */

/* The argument of a call that comes back as its return `k`. */
static TsValue *
returned_argument (Normalization *n, const TsOp *call, guint k)
{
  Signature *callee = ts_op_is_user_call (call) ? g_hash_table_lookup (n->by_name, call->name) : NULL;
  if (callee == NULL)
    return NULL;
  find_return_params (n, callee);
  if (callee->param_of == NULL || k >= callee->n_returns || callee->param_of[k] < 0
      || (guint) callee->param_of[k] >= call->n_operands)
    return NULL;
  return ts_expr_as_value (call->operands[callee->param_of[k]]);
}

/* What a loop's carried value starts as. */
static TsValue *
loop_init (const TsOp *loop, guint carried)
{
  guint operand = carried + (loop->code == TS_OP_FOR ? TS_FOR_INITS : 0);
  return operand < loop->n_operands ? ts_expr_as_value (loop->operands[operand]) : NULL;
}

static TsValue *
trace_result (Normalization *n, const TsValue *value)
{
  const TsOp *def = value->def;
  if (def == NULL)
    return NULL;
  switch ((int) def->code)
    {
    case TS_OP_ASSIGN:
      if (def->operands[0]->kind == TS_EXPR_GET)
        {
          const TsValue *tuple = ts_expr_as_value (def->operands[0]->items[0]);
          return tuple != NULL && tuple->def != NULL ? returned_argument (n, tuple->def, def->operands[0]->n) : NULL;
        }
      return ts_expr_as_value (def->operands[0]);
    case TS_OP_FOR:
    case TS_OP_WHILE:
      return loop_init (def, value->index);
    case TS_OP_CALL:
      return ts_type_is (value->type, TS_TYPE_TUPLE) ? NULL : returned_argument (n, def, 0);
    default:
      {
        /* Write-back operations return the buffer they wrote to; views, allocations and scalars stay what they are. */
        const TsOpInfo *info = ts_op_info (def->code);
        if (info->buffer == TS_BUFFER_REUSES && info->reuse_arg < def->n_operands)
          return ts_expr_as_value (def->operands[info->reuse_arg]);
        return NULL;
      }
    }
}

/* The parameter a tensor is, through copies, loops, write-backs and calls; -1 when it is none. */
static gint
trace_param (Normalization *n, const TsFunction *function, const TsValue *value)
{
  /* Values are followed to earlier ones; the bound only matters for a module that is not in SSA form. */
  for (gint32 left = n->module->n_values; value != NULL && ts_type_is_tensor (value->type) && left >= 0; left--)
    {
      switch ((TsValueKind) value->kind)
        {
        case TS_VALUE_PARAM:
          for (guint i = 0; i < function->n_params; i++)
            if (function->params[i] == value)
              return (gint) i;
          return -1;
        case TS_VALUE_BLOCK_ARG:
          {
            const TsOp *loop = value->block->region->op;
            guint first = loop != NULL && loop->code == TS_OP_FOR ? 1 : 0;
            if (loop == NULL || (loop->code != TS_OP_FOR && loop->code != TS_OP_WHILE) || value->index < first)
              return -1;
            value = loop_init (loop, value->index - first);
            break;
          }
        case TS_VALUE_RESULT:
          value = trace_result (n, value);
          break;
        default:
          return -1;
        }
    }
  return -1;
}

/* Items of a forwarded tuple: each must be a tensor parameter. NULL otherwise. */
static gint *
trace_tuple (Normalization *n, const TsFunction *function, const TsExpr *e)
{
  const TsValue *tuple = ts_expr_as_value (e);
  if (tuple == NULL || tuple->def == NULL || !ts_op_is_user_call (tuple->def) || !ts_type_is (tuple->type, TS_TYPE_TUPLE)
      || tuple->type->n_elems != function->n_returns || function->n_returns < 2)
    return NULL;
  g_autofree gint *params = g_new (gint, function->n_returns);
  for (guint k = 0; k < function->n_returns; k++)
    {
      params[k] = ts_type_is_tensor (tuple->type->elems[k])
                    ? trace_param (n, function, returned_argument (n, tuple->def, k)) : -1;
      if (params[k] < 0)
        return NULL;
    }
  return g_steal_pointer (&params);
}

static void
find_return_params (Normalization *n, Signature *signature)
{
  if (signature->param_of != NULL || signature->busy || signature->returns->len == 0)
    return;
  signature->busy = TRUE;
  const TsFunction *function = signature->function;
  const TsOp *first = signature->returns->pdata[0];
  gint *params = first->n_operands == 1 ? trace_tuple (n, function, first->operands[0]) : NULL;
  signature->n_returns = params != NULL ? function->n_returns : first->n_operands;
  if (params == NULL)
    {
      params = g_new (gint, first->n_operands + 1);
      for (guint i = 0; i < first->n_operands; i++)
        params[i] = trace_param (n, function, ts_expr_as_value (first->operands[i]));
    }
  /* Several returns must agree, else nothing is known. */
  for (guint r = 1; r < signature->returns->len; r++)
    {
      const TsOp *other = signature->returns->pdata[r];
      for (guint i = 0; i < signature->n_returns; i++)
        if (i >= other->n_operands || trace_param (n, function, ts_expr_as_value (other->operands[i])) != params[i])
          params[i] = -1;
    }
  signature->param_of = params;
  signature->busy = FALSE;
}

/* --- 1: returns become parameters -------------------------------------------------------------------------------------------- */

static gboolean
has_explicit_returns (const TsFunction *function)
{
  switch (function->type)
    {
    case TS_FUNCTION_INCORE:
    case TS_FUNCTION_AIC:
    case TS_FUNCTION_AIV:
    case TS_FUNCTION_GROUP:
    case TS_FUNCTION_SPMD:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Wrappers forward what their callee got for writing; everybody else must not read it again (spec section 1). */
static gboolean
is_disciplined (Normalization *n, const TsFunction *function)
{
  gboolean forwards = function->type == TS_FUNCTION_GROUP || function->type == TS_FUNCTION_SPMD;
  return forwards || ts_check_inout_use (n->module, function, NULL);
}

static void
keep_return (Normalization *n, const Signature *signature, guint position)
{
  ts_step_begin (n->context->steps, "kept", n->module, signature->function, signature->returns->pdata[0]);
  ts_step_int (n->context->steps, "position", position);
  ts_step_text (n->context->steps, "reason", "a call took the parameter for writing: what it returned is read instead");
}

/* A forwarded tuple; only a function with one return has one. */
static void
expand_tuple (Normalization *n, Signature *signature, TsOp *op, gboolean watched)
{
  TsExpr *tuple = op->operands[0];
  ts_op_set_operands (n->module, op, NULL, 0);
  for (guint i = 0; i < signature->n_returns; i++)
    ts_op_add_operand (n->module, op, ts_expr_value (n->module, signature->function->params[signature->param_of[i]]));
  if (watched && !is_disciplined (n, signature->function))
    {
      ts_op_set_operands (n->module, op, &tuple, 1);
      signature->n_returns = 1;
      signature->param_of[0] = -1;
      keep_return (n, signature, 0);
      return;
    }
  n->changed = TRUE;
  ts_step_begin (n->context->steps, "forward", n->module, signature->function, op);
  ts_step_int (n->context->steps, "returns", signature->n_returns);
  const TsValue *value = ts_expr_as_value (tuple);
  ts_step_text (n->context->steps, "callee", value != NULL && value->def != NULL ? value->def->name : NULL);
}

/* Exchanges the values at the positions [from, to) of every return for `with`, which then holds what was there. */
static void
exchange_values (const Signature *signature, guint from, guint to, TsExpr **with)
{
  for (guint r = 0; r < signature->returns->len; r++)
    {
      TsOp *op = signature->returns->pdata[r];
      for (guint i = from; i < to && op->n_operands == signature->n_returns; i++)
        {
          TsExpr **slot = &with[r * signature->n_returns + i], *old = op->operands[i];
          op->operands[i] = *slot;
          *slot = old;
        }
    }
}

static void
record_returns (Normalization *n, const Signature *signature, guint from, guint to, TsExpr *const *before)
{
  for (guint r = 0; r < signature->returns->len; r++)
    {
      const TsOp *op = signature->returns->pdata[r];
      for (guint i = from; i < to && op->n_operands == signature->n_returns; i++)
        if (op->operands[i] != before[r * signature->n_returns + i])
          {
            ts_step_begin (n->context->steps, "return", n->module, signature->function, op);
            ts_step_int (n->context->steps, "position", i);
            ts_step_value (n->context->steps, "parameter", signature->function->params[signature->param_of[i]]);
            n->changed = TRUE;
          }
    }
}

/* Puts the parameters at the positions [from, to). FALSE, and nothing is changed: they would be read after a call took one. */
static gboolean
put_params (Normalization *n, const Signature *signature, guint from, guint to, gboolean watched)
{
  guint count = signature->n_returns;
  g_autofree TsExpr **values = g_new (TsExpr *, (gsize) count * signature->returns->len + 1);
  for (guint r = 0; r < signature->returns->len; r++)
    {
      const TsOp *op = signature->returns->pdata[r];
      for (guint i = from; i < to && op->n_operands == count; i++)
        {
          gint param = signature->param_of[i];
          values[r * count + i] = param < 0 ? op->operands[i] : ts_expr_value (n->module, signature->function->params[param]);
        }
    }
  exchange_values (signature, from, to, values);
  if (watched && !is_disciplined (n, signature->function))
    {
      exchange_values (signature, from, to, values);
      return FALSE;
    }
  record_returns (n, signature, from, to, values);
  return TRUE;
}

static void
make_explicit (Normalization *n, Signature *signature)
{
  TsOp *first = signature->returns->pdata[0];
  gboolean watched = is_disciplined (n, signature->function); /* who breaks the discipline already has no more to lose */
  if (first->n_operands != signature->n_returns && signature->returns->len == 1)
    {
      expand_tuple (n, signature, first, watched);
      return;
    }
  if (put_params (n, signature, 0, signature->n_returns, watched))
    return;
  for (guint i = 0; i < signature->n_returns; i++)
    if (!put_params (n, signature, i, i + 1, TRUE))
      keep_return (n, signature, i);
}

/* --- 2: order ---------------------------------------------------------------------------------------------------------------- */

/* Position of each return among the Out and InOut parameters; NULL when they need no change or cannot be put in order, which
 * *reason says. */
static guint *
find_permutation (const Signature *signature, const char **reason)
{
  const TsFunction *function = signature->function;
  guint n = signature->n_returns, n_outputs = 0;
  g_autofree guint *position = g_new0 (guint, function->n_params + 1);
  for (guint p = 0; p < function->n_params; p++)
    if (function->directions[p] != TS_DIRECTION_IN)
      position[p] = n_outputs++;
  *reason = n_outputs == 0 ? "it has no output parameters"
            : n_outputs > n ? "it has more output parameters than returns"
            : function->n_returns != n ? "it declares another number of returns" : NULL;
  if (*reason != NULL)
    return NULL;

  g_autofree guint *permutation = g_new (guint, n);
  g_autofree guint8 *taken = g_new0 (guint8, n);
  gboolean identity = TRUE;
  for (guint i = 0; i < n; i++)
    {
      gint p = signature->param_of[i];
      permutation[i] = p >= 0 && function->directions[p] != TS_DIRECTION_IN ? position[p] : i;
      if (taken[permutation[i]])
        {
          *reason = "two returns would take one position";
          return NULL;
        }
      taken[permutation[i]] = 1;
      identity &= permutation[i] == i;
    }
  *reason = identity ? "its returns stand in the order of its parameters" : NULL;
  return identity ? NULL : g_steal_pointer (&permutation);
}

static void
permute_returns (Normalization *n, Signature *signature)
{
  TsFunction *function = signature->function;
  guint count = signature->n_returns;
  const char *reason = NULL;
  for (guint r = 0; r < signature->returns->len; r++)
    if (((TsOp *) signature->returns->pdata[r])->n_operands != count)
      reason = "its return statements differ in their number of values";
  if (reason == NULL)
    signature->permutation = find_permutation (signature, &reason);
  if (signature->permutation == NULL)
    {
      ts_step_begin (n->context->steps, "kept", n->module, function,
                     signature->returns->len > 0 ? signature->returns->pdata[0] : NULL);
      ts_step_text (n->context->steps, "reason", reason);
      return;
    }

  g_autofree TsExpr **values = g_new (TsExpr *, count);
  for (guint r = 0; r < signature->returns->len; r++)
    {
      TsOp *op = signature->returns->pdata[r];
      for (guint i = 0; i < count; i++)
        values[signature->permutation[i]] = op->operands[i];
      ts_op_set_operands (n->module, op, values, count);
    }
  g_autofree const TsType **types = g_new (const TsType *, count);
  for (guint i = 0; i < count; i++)
    types[signature->permutation[i]] = function->returns[i];
  ts_function_set_returns (n->module, function, types, count);

  g_autofree gint64 *shown = g_new (gint64, count);
  for (guint i = 0; i < count; i++)
    shown[i] = signature->permutation[i];
  ts_step_begin (n->context->steps, "permute", n->module, function, signature->returns->pdata[0]);
  ts_step_ints (n->context->steps, "permutation", shown, count);
  n->changed = TRUE;
}

/* --- 3: callers -------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  Normalization *n;
  TsFunction    *function;
  GHashTable    *tuples; /* TsValue to the Signature whose call it holds now */
} Caller;

static const TsType *
permute_tuple_type (Normalization *n, const TsType *type, const Signature *callee)
{
  if (!ts_type_is (type, TS_TYPE_TUPLE) || type->n_elems < callee->n_returns)
    return type;
  g_autofree const TsType **elems = g_new (const TsType *, type->n_elems);
  for (guint i = 0; i < type->n_elems; i++)
    elems[i < callee->n_returns ? callee->permutation[i] : i] = type->elems[i];
  return ts_type_tuple (n->module, elems, type->n_elems);
}

static gboolean
remap_items (TsOp *op, gpointer data)
{
  Caller *caller = data;
  for (guint i = 0; i < op->n_operands; i++)
    {
      TsExpr *e = op->operands[i];
      TsValue *tuple = e->kind == TS_EXPR_GET ? ts_expr_as_value (e->items[0]) : NULL;
      const Signature *callee = tuple != NULL ? g_hash_table_lookup (caller->tuples, tuple) : NULL;
      if (callee == NULL || e->n >= callee->n_returns || callee->permutation[e->n] == e->n)
        continue;
      ts_step_begin (caller->n->context->steps, "item", caller->n->module, caller->function, op);
      ts_step_int (caller->n->context->steps, "from", e->n);
      ts_step_int (caller->n->context->steps, "to", callee->permutation[e->n]);
      op->operands[i] = ts_expr_get (caller->n->module, e->items[0], callee->permutation[e->n]);
      caller->n->changed = TRUE;
    }
  for (guint i = 0; i < op->n_results; i++)
    g_hash_table_remove (caller->tuples, op->results[i]);
  Signature *callee = ts_op_is_user_call (op) && op->n_results == 1 ? g_hash_table_lookup (caller->n->by_name, op->name) : NULL;
  if (callee != NULL && callee->permutation != NULL)
    {
      g_hash_table_insert (caller->tuples, op->results[0], callee);
      op->results[0]->type = permute_tuple_type (caller->n, op->results[0]->type, callee);
    }
  return TRUE;
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  Normalization n = { .context = context, .module = module };
  n.by_name = g_hash_table_new (g_str_hash, g_str_equal);
  n.signatures = g_ptr_array_new_with_free_func (signature_free);
  for (guint i = 0; i < module->n_functions; i++)
    {
      Signature *signature = g_new0 (Signature, 1);
      signature->function = module->functions[i];
      signature->returns = g_ptr_array_new ();
      ts_region_walk (&signature->function->body, collect_return, signature->returns);
      g_ptr_array_add (n.signatures, signature);
      g_hash_table_insert (n.by_name, (gpointer) signature->function->name, signature);
    }
  /* All are traced before any changes: what a callee returns is looked up by its first order. */
  for (guint i = 0; i < n.signatures->len; i++)
    find_return_params (&n, n.signatures->pdata[i]);
  gboolean permuted = FALSE;
  for (guint i = 0; i < n.signatures->len; i++)
    {
      Signature *signature = n.signatures->pdata[i];
      if (signature->param_of == NULL || !has_explicit_returns (signature->function))
        continue;
      make_explicit (&n, signature);
      if (ts_function_is_on_core (signature->function))
        permute_returns (&n, signature);
      permuted |= signature->permutation != NULL;
    }
  for (guint i = 0; permuted && i < module->n_functions; i++)
    {
      g_autoptr (GHashTable) tuples = g_hash_table_new (NULL, NULL);
      Caller caller = { &n, module->functions[i], tuples };
      ts_region_walk (&module->functions[i]->body, remap_items, &caller);
    }
  g_hash_table_unref (n.by_name);
  g_ptr_array_unref (n.signatures);
  return n.changed ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

const TsPassInfo ts_pass_normalize_return_order = {
  .name = "NormalizeReturnOrder",
  .id = "normalize-return-order",
  .summary = "Return the k-th output parameter at position k",
  .help = "Tensor results of kernels that are one of the parameters (through copies, loops, stores and calls) are returned as "
          "that parameter. InCore, AIC and AIV functions then return in the order of their Out and InOut parameters; callers, "
          "submits included, read the items at their new positions.\n"
          "\n"
          "Different from the compiler: where a call took the parameter for writing, the value that the call returned stays: the "
          "parameter must not be read again.",
  .language = TS_LANGUAGE_PYPTO,
  .required = TS_PROPERTY_BIT (TS_PROPERTY_SPLIT_INCORE_ORCH) | TS_PROPERTY_BIT (TS_PROPERTY_INCORE_TILE_OPS),
  .produced = TS_PROPERTY_BIT (TS_PROPERTY_RETURN_PARAMS_EXPLICIT),
  .planners = TS_PLANNERS_ALL,
  .in_default = TRUE,
  .whole_module = TRUE,
  .run = run,
};
