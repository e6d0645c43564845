/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR: what control flow and messages ask of their operands and regions. Terminators against what is around them:
 * verify-ttir.c. Source: spec ttir sections 5 and 7, 2. */
#include "ir/verify-ttir-private.h"

static gboolean
is_condition (const TsType *type)
{
  return ts_ttir_is_open (type) || ts_ttir_is_scalar (type, TS_DTYPE_BOOL);
}

/* May this value stand where that type is asked for? */
static gboolean
agrees (const TsType *type, const TsType *asked)
{
  return ts_ttir_is_open (type) || ts_ttir_is_open (asked) || ts_type_equal (type, asked);
}

/* Bounds and step are those of the loop's variable; each carried value keeps one type through start, body and result. */
char *
ts_ttir_check_for (const TsOp *op)
{
  const TsBlock *body = ts_op_body (op, 0);
  const TsType *index = body->n_args > 0 ? body->args[0]->type : NULL;

  if (op->n_operands < 3 || body->n_args + 2 != op->n_operands || op->n_results + 3 != op->n_operands)
    return g_strdup ("two bounds, a step and one start for each carried value are needed");
  if (!ts_type_is (index, TS_TYPE_SCALAR) || index->dtype == TS_DTYPE_BOOL || !ts_dtype_is_integer ((TsDtype) index->dtype))
    return g_strdup ("bounds must be integers or index");
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsType *asked = i < 3 ? index : body->args[i - 2]->type;

      if (!agrees (ts_op_operand_type (op, i), asked))
        return g_strdup_printf ("operand %u has another type than the region's argument", i);
      if (i >= 3 && !agrees (ts_op_result_type (op, i - 3), asked))
        return g_strdup_printf ("result %u has another type than the region's argument", i - 3);
    }
  return NULL;
}

char *
ts_ttir_check_if (const TsOp *op)
{
  if (op->n_operands != 1 || op->n_regions < 1 || op->n_regions > 2)
    return g_strdup ("one condition and one or two regions are needed");
  if (!is_condition (ts_op_operand_type (op, 0)))
    return g_strdup ("the condition must be i1");
  for (guint i = 0; i < op->n_regions; i++)
    if (ts_op_body (op, i)->n_args > 0)
      return g_strdup ("its regions have no arguments");
  return op->n_results == 0 || op->n_regions == 2 ? NULL : g_strdup ("with results both arms are needed");
}

/* The first region gets the starts, the second what the first's condition hands on: the results. */
char *
ts_ttir_check_while (const TsOp *op)
{
  const TsBlock *before = ts_op_body (op, 0), *after = ts_op_body (op, 1);

  if (before->n_args != op->n_operands || after->n_args != op->n_results)
    return g_strdup ("the first region needs an argument for each operand, the second for each result");
  for (guint i = 0; i < before->n_args; i++)
    if (!agrees (ts_op_operand_type (op, i), before->args[i]->type))
      return g_strdup_printf ("operand %u has another type than the first region's argument", i);
  for (guint i = 0; i < after->n_args; i++)
    if (!agrees (ts_op_result_type (op, i), after->args[i]->type))
      return g_strdup_printf ("result %u has another type than the second region's argument", i);
  return NULL;
}

char *
ts_ttir_check_condition (const TsOp *op)
{
  return is_condition (ts_op_operand_type (op, 0)) ? NULL : g_strdup ("the condition must be i1");
}

char *
ts_ttir_check_br (const TsOp *op)
{
  return op->n_successors == 1 ? NULL : g_strdup ("one target is needed");
}

char *
ts_ttir_check_cond_br (const TsOp *op)
{
  if (op->n_successors != 2)
    return g_strdup ("two targets are needed");
  return ts_ttir_check_condition (op);
}

/* A string attribute that the operation cannot be without. */
static char *
check_string (const TsOp *op, const char *key)
{
  const TsExpr *value = ts_op_attr (op, key);

  return value != NULL && value->kind == TS_EXPR_STRING ? NULL : g_strdup_printf ("%s must be a string", key);
}

/* What a call calls is its name; one that does not say it in a generic form calls nobody. */
char *
ts_ttir_check_call (const TsOp *op)
{
  return op->code == TS_OP_CALL ? NULL : g_strdup ("callee must be the name of a function");
}

char *
ts_ttir_check_assert (const TsOp *op)
{
  return check_string (op, "message");
}

char *
ts_ttir_check_print (const TsOp *op)
{
  return check_string (op, "prefix");
}
