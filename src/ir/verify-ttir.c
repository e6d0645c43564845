/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR: the structure of functions. What each operation asks of its types: verify-ttir-ops.c. Source: spec ttir section 7. */
#include "ir/verify-ttir.h"

#include <string.h>

#include "ir/dominance.h"
#include "ir/op-info.h"
#include "ir/verify-private.h"
#include "ir/verify-ttir-private.h"

/* --- structure ------------------------------------------------------------------------------------------------------------- */

/* Where a terminator may stand: in a region of this operation; TS_OP_UNKNOWN: of the function itself. */
static const struct
{
  TsOpCode    terminator, parents[3];
  guint       n_parents;
  const char *where;
} places[] = {
  { TS_OP_RETURN, { TS_OP_UNKNOWN }, 1, "a function" },
  { TS_OP_YIELD, { TS_OP_FOR, TS_OP_IF, TS_OP_SCF_WHILE }, 3, "scf.for, scf.if or scf.while" },
  { TS_OP_SCF_CONDITION, { TS_OP_SCF_WHILE }, 1, "scf.while" },
  { TS_OP_TT_REDUCE_RETURN, { TS_OP_TT_REDUCE }, 1, "tt.reduce" },
  { TS_OP_TT_SCAN_RETURN, { TS_OP_TT_SCAN }, 1, "tt.scan" },
};

static gboolean
check_place (TsVerifier *verifier, const TsOp *op)
{
  const TsOp *parent = ts_op_parent (op);
  TsOpCode code = parent != NULL ? (TsOpCode) parent->code : TS_OP_UNKNOWN;
  gboolean right = parent != NULL && code == TS_OP_UNKNOWN; /* nobody knows what may stand there */

  for (guint i = 0; i < G_N_ELEMENTS (places) && !right; i++)
    {
      if (places[i].terminator != op->code)
        continue;
      for (guint k = 0; k < places[i].n_parents; k++)
        right = right || places[i].parents[k] == code;
      /* Of the two regions of scf.while the first ends with a condition, the second with a yield. */
      if (right && code == TS_OP_SCF_WHILE)
        right = (op->block->region == &parent->regions[0]) == (op->code == TS_OP_SCF_CONDITION);
      if (!right)
        ts_verifier_error (verifier, op, "terminator", "%s ends a block of %s", op->name, places[i].where);
      return right;
    }
  return TRUE;
}

/* The types a terminator must hand on, from operand *first on. NULL: nothing is asked. Free with g_ptr_array_unref. */
static GPtrArray *
expected_types (const TsFunction *function, const TsOp *op, guint *first)
{
  const TsOp *parent = ts_op_parent (op);
  GPtrArray *types = g_ptr_array_new ();

  *first = 0;
  switch ((int) op->code)
    {
    case TS_OP_RETURN:
      for (guint i = 0; i < function->n_returns; i++)
        g_ptr_array_add (types, (gpointer) function->returns[i]);
      return types;
    case TS_OP_YIELD:
      if (parent->code == TS_OP_SCF_WHILE)
        for (guint i = 0; i < parent->n_operands; i++)
          g_ptr_array_add (types, (gpointer) ts_op_operand_type (parent, i));
      else
        for (guint i = 0; i < parent->n_results; i++)
          g_ptr_array_add (types, (gpointer) parent->results[i]->type);
      return types;
    case TS_OP_SCF_CONDITION:
      *first = 1;
      for (guint i = 0; i < parent->n_results; i++)
        g_ptr_array_add (types, (gpointer) parent->results[i]->type);
      return types;
    case TS_OP_TT_REDUCE_RETURN:
    case TS_OP_TT_SCAN_RETURN:
      for (guint i = 0; i < parent->n_operands; i++)
        g_ptr_array_add (types, (gpointer) ts_type_element (ts_op_operand_type (parent, i)));
      return types;
    default:
      g_ptr_array_unref (types);
      return NULL;
    }
}

static void
check_handed_on (TsVerifier *verifier, const TsOp *op, guint first, guint n, const TsType *const *types, guint n_types)
{
  if (n != n_types)
    {
      ts_verifier_error (verifier, op, "terminator", "%u values are handed on where %u are expected", n, n_types);
      return;
    }
  for (guint i = 0; i < n; i++)
    if (!ts_ttir_is_open (ts_op_operand_type (op, first + i)) && types[i] != NULL && !ts_ttir_is_open (types[i])
        && !ts_type_equal (ts_op_operand_type (op, first + i), types[i]))
      ts_verifier_error (verifier, op, "terminator", "value %u has another type than what is around it expects", i);
}

/* Operands of a branch against the arguments of its target. */
static void
check_branch (TsVerifier *verifier, const TsOp *op)
{
  const TsExpr *sizes = ts_op_attr (op, "operandSegmentSizes");
  guint first = op->code == TS_OP_CF_COND_BR ? 1 : 0, n_true = op->n_operands - first;

  if (op->code == TS_OP_CF_COND_BR)
    n_true = sizes != NULL && sizes->kind == TS_EXPR_LIST && sizes->n == 3
                 ? (guint) CLAMP (sizes->list[1]->i, 0, (gint64) op->n_operands - 1)
                 : 0;
  for (guint s = 0; s < op->n_successors; s++)
    {
      const TsBlock *target = op->successors[s];
      guint n = s == 0 ? n_true : op->n_operands - first - n_true;
      g_autofree const TsType **types = g_new (const TsType *, MAX (target->n_args, 1u));

      for (guint i = 0; i < target->n_args; i++)
        types[i] = target->args[i]->type;
      check_handed_on (verifier, op, first + (s == 0 ? 0 : n_true), n, types, target->n_args);
    }
}

static void
check_terminator (TsVerifier *verifier, const TsOp *op)
{
  g_autoptr (GPtrArray) types = NULL;
  const TsOp *parent = ts_op_parent (op);
  guint first;

  if (op->code == TS_OP_CF_BR || op->code == TS_OP_CF_COND_BR)
    check_branch (verifier, op);
  if (!check_place (verifier, op) || (parent != NULL && parent->code == TS_OP_UNKNOWN))
    return;
  types = expected_types (verifier->function, op, &first);
  if (types != NULL)
    check_handed_on (verifier, op, first, op->n_operands - MIN (first, op->n_operands), (const TsType *const *) types->pdata,
                     types->len);
}

typedef struct
{
  TsVerifier        *verifier;
  TsDominance *dominance;
} Walk;

typedef struct
{
  Walk       *walk;
  const TsOp *op;
} Use;

static void
check_use (TsValue *value, gpointer data)
{
  const Use *use = data;

  if (!ts_dominance_value (use->walk->dominance, value, use->op))
    ts_verifier_error (use->walk->verifier, use->op, "dominance", "'%%%s' is used where it is not defined yet", value->hint);
}

static void
check_block (TsVerifier *verifier, const TsBlock *block)
{
  const TsOp *owner = block->region->op;

  if (block->last == NULL || !ts_op_is_terminator (block->last))
    {
      /* Regions of operations that no table knows may end as they like, and what no table knows may end a block. */
      if (ts_op_is (block->last, TS_OP_UNKNOWN))
        return;
      if (owner == NULL || owner->code != TS_OP_UNKNOWN)
        ts_verifier_error (verifier, block->last != NULL ? block->last : owner, "terminator", "a block must end with a terminator");
    }
  for (const TsOp *op = block->first; op != NULL && op->next != NULL; op = op->next)
    if (ts_op_is_terminator (op))
      ts_verifier_error (verifier, op, "terminator", "nothing may follow a terminator");
}

static gboolean
check_op (TsOp *op, gpointer data)
{
  Walk *walk = data;
  Use use = { walk, op };
  g_autofree char *problem = ts_ttir_check_op (op);

  if (problem != NULL)
    ts_verifier_error (walk->verifier, op, "type", "%s: %s", op->name, problem);
  ts_op_foreach_use (op, check_use, &use);
  if (ts_op_is_terminator (op))
    check_terminator (walk->verifier, op);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      check_block (walk->verifier, op->regions[r].blocks[b]);
  return TRUE;
}

static void
check_call (TsVerifier *verifier, const TsOp *op)
{
  const TsFunction *callee = ts_module_find_function (verifier->module, op->name);

  if (callee == NULL || callee->part != verifier->function->part)
    ts_verifier_error (verifier, op, "undefined-function", "function '@%s' is not defined", op->name);
  else if (callee->n_params != op->n_operands || callee->n_returns != op->n_results)
    ts_verifier_error (verifier, op, "call", "'@%s' has another signature", op->name);
  else
    {
      for (guint i = 0; i < op->n_operands; i++)
        if (!ts_ttir_is_open (ts_op_operand_type (op, i)) && !ts_type_equal (ts_op_operand_type (op, i), callee->params[i]->type))
          ts_verifier_error (verifier, op, "call", "argument %u of '@%s' has another type", i, op->name);
      for (guint i = 0; i < op->n_results; i++)
        if (!ts_type_equal (op->results[i]->type, callee->returns[i]))
          ts_verifier_error (verifier, op, "call", "result %u of '@%s' has another type", i, op->name);
    }
}

static gboolean
check_calls (TsOp *op, gpointer data)
{
  if (op->code == TS_OP_CALL)
    check_call (data, op);
  return TRUE;
}

void
ts_verify_ttir (TsVerifier *verifier)
{
  const TsFunction *function = verifier->function;
  g_autoptr (TsDominance) dominance = NULL;
  Walk walk = { .verifier = verifier };

  if (verifier->module->language != TS_LANGUAGE_TTIR || ts_function_block (function)->first == NULL)
    return;
  dominance = ts_dominance_new (function);
  walk.dominance = dominance;
  for (guint b = 0; b < function->body.n_blocks; b++)
    check_block (verifier, function->body.blocks[b]);
  ts_region_walk ((TsRegion *) &function->body, check_op, &walk);
  ts_region_walk ((TsRegion *) &function->body, check_calls, verifier);
}
