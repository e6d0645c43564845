/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes operations whose syntax is more than a pattern: the mirror of parse-structured.c. */
#include <string.h>

#include "ir/op-info.h"
#include "lang/ttir/info.h"
#include "lang/ttir/lexer.h"
#include "lang/ttir/print-private.h"

static gboolean
hide_none (const TsOp *op, const TsAttr *attr)
{
  return FALSE;
}

static gboolean
hide_for (const TsOp *op, const TsAttr *attr)
{
  return strcmp (attr->key, "unsignedCmp") == 0;
}

static gboolean
hide_cond_br (const TsOp *op, const TsAttr *attr)
{
  return strcmp (attr->key, "operandSegmentSizes") == 0 || strcmp (attr->key, "branch_weights") == 0;
}

static gboolean
hide_constant (const TsOp *op, const TsAttr *attr)
{
  return strcmp (attr->key, "value") == 0;
}

static gboolean
hide_slice (const TsOp *op, const TsAttr *attr)
{
  return strcmp (attr->key, "operandSegmentSizes") == 0 || strcmp (attr->key, "static_offsets") == 0
         || strcmp (attr->key, "static_sizes") == 0 || strcmp (attr->key, "static_strides") == 0;
}

static void
write_typed_operands (TtPrinter *t, const TsOp *op, guint first, guint n)
{
  if (n == 0)
    return;
  tp_operands (t, op, first, n);
  g_string_append (t->out, " : ");
  for (guint i = 0; i < n; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "");
      tp_type (t->out, ts_op_operand_type (op, first + i));
    }
}

static void
write_result_types (TtPrinter *t, const TsOp *op, gboolean brackets)
{
  if (brackets)
    g_string_append_c (t->out, '(');
  for (guint i = 0; i < op->n_results; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "");
      tp_type (t->out, op->results[i]->type);
    }
  if (brackets)
    g_string_append_c (t->out, ')');
}

static void
write_assignments (TtPrinter *t, const TsOp *op, TsValue *const *args, guint first, guint n)
{
  g_string_append_c (t->out, '(');
  for (guint i = 0; i < n; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "");
      tp_value (t, args[i]);
      g_string_append (t->out, " = ");
      tp_operand (t, op->operands[first + i]);
    }
  g_string_append_c (t->out, ')');
}

static void
write_for (TtPrinter *t, const TsOp *op)
{
  const TsBlock *body = ts_op_body (op, 0);
  const TsType *type = body->args[0]->type;

  g_string_append (t->out, ts_op_attr (op, "unsignedCmp") != NULL ? "scf.for unsigned " : "scf.for ");
  tp_value (t, body->args[0]);
  g_string_append (t->out, " = ");
  tp_operand (t, op->operands[0]);
  g_string_append (t->out, " to ");
  tp_operand (t, op->operands[1]);
  g_string_append (t->out, " step ");
  tp_operand (t, op->operands[2]);
  if (op->n_operands > 3)
    {
      g_string_append (t->out, " iter_args");
      write_assignments (t, op, body->args + 1, 3, op->n_operands - 3);
      g_string_append (t->out, " -> ");
      write_result_types (t, op, TRUE);
    }
  if (!ts_type_is_scalar (type) || type->dtype != TS_DTYPE_INDEX)
    {
      g_string_append (t->out, "  : ");
      tp_type (t->out, type);
    }
  g_string_append_c (t->out, ' ');
  tp_region (t, &op->regions[0], FALSE, TRUE);
  tp_dict (t, op, hide_for);
}

static void
write_if (TtPrinter *t, const TsOp *op)
{
  g_string_append (t->out, "scf.if ");
  tp_operand (t, op->operands[0]);
  if (op->n_results > 0)
    {
      g_string_append (t->out, " -> ");
      write_result_types (t, op, TRUE);
    }
  g_string_append_c (t->out, ' ');
  tp_region (t, &op->regions[0], FALSE, TRUE);
  if (op->n_regions > 1)
    {
      g_string_append (t->out, " else ");
      tp_region (t, &op->regions[1], FALSE, TRUE);
    }
  tp_dict (t, op, hide_none);
}

static void
write_while (TtPrinter *t, const TsOp *op)
{
  const TsBlock *before = ts_op_body (op, 0);

  g_string_append (t->out, "scf.while ");
  if (op->n_operands > 0)
    {
      write_assignments (t, op, before->args, 0, op->n_operands);
      g_string_append_c (t->out, ' ');
    }
  g_string_append (t->out, ": (");
  for (guint i = 0; i < op->n_operands; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "");
      tp_type (t->out, ts_op_operand_type (op, i));
    }
  g_string_append (t->out, ") -> ");
  write_result_types (t, op, op->n_results != 1);
  g_string_append_c (t->out, ' ');
  tp_region (t, &op->regions[0], FALSE, FALSE);
  g_string_append (t->out, " do ");
  tp_region (t, &op->regions[1], TRUE, TRUE);
  if (op->n_attrs > 0)
    {
      g_string_append (t->out, " attributes");
      tp_dict (t, op, hide_none);
    }
}

static void
write_named_operands (TtPrinter *t, const TsOp *op, const char *name)
{
  g_string_append (t->out, name);
  tp_dict (t, op, hide_none);
  if (op->n_operands > 0)
    g_string_append_c (t->out, ' ');
  write_typed_operands (t, op, 0, op->n_operands);
}

static void
write_condition (TtPrinter *t, const TsOp *op)
{
  g_string_append (t->out, "scf.condition(");
  tp_operand (t, op->operands[0]);
  g_string_append_c (t->out, ')');
  tp_dict (t, op, hide_none);
  if (op->n_operands > 1)
    g_string_append_c (t->out, ' ');
  write_typed_operands (t, op, 1, op->n_operands - 1);
}

static void
write_call (TtPrinter *t, const TsOp *op)
{
  const TsFunction *callee = ts_module_find_function (t->module, op->name);
  const TsTtirFunctionInfo *info = callee != NULL ? callee->extra : NULL;

  g_string_append (t->out, "tt.call @");
  tp_key (t->out, info != NULL && info->symbol != NULL ? info->symbol : op->name);
  g_string_append_c (t->out, '(');
  tp_operands (t, op, 0, op->n_operands);
  g_string_append_c (t->out, ')');
  tp_dict (t, op, hide_none);
  g_string_append (t->out, " : (");
  for (guint i = 0; i < op->n_operands; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "");
      tp_type (t->out, ts_op_operand_type (op, i));
    }
  g_string_append (t->out, ") -> ");
  write_result_types (t, op, op->n_results != 1);
}

static void
write_successor (TtPrinter *t, const TsOp *op, guint successor, guint first, guint n)
{
  tp_block_name (t, op->successors[successor]);
  if (n == 0)
    return;
  g_string_append_c (t->out, '(');
  write_typed_operands (t, op, first, n);
  g_string_append_c (t->out, ')');
}

static void
write_br (TtPrinter *t, const TsOp *op)
{
  g_string_append (t->out, "cf.br ");
  write_successor (t, op, 0, 0, op->n_operands);
  tp_dict (t, op, hide_none);
}

static void
write_cond_br (TtPrinter *t, const TsOp *op)
{
  const TsExpr *sizes = ts_op_attr (op, "operandSegmentSizes");
  const TsExpr *weights = ts_op_attr (op, "branch_weights");
  guint n_true = sizes != NULL && sizes->kind == TS_EXPR_LIST && sizes->n == 3
                     ? (guint) CLAMP (sizes->list[1]->i, 0, op->n_operands - 1)
                     : 0;

  g_string_append (t->out, "cf.cond_br ");
  tp_operand (t, op->operands[0]);
  if (weights != NULL && weights->kind == TS_EXPR_TEXT)
    g_string_append_printf (t->out, " weights%s", weights->text);
  g_string_append (t->out, ", ");
  write_successor (t, op, 0, 1, n_true);
  g_string_append (t->out, ", ");
  write_successor (t, op, 1, 1 + n_true, op->n_operands - 1 - n_true);
  tp_dict (t, op, hide_cond_br);
}

static void
write_constant (TtPrinter *t, const TsOp *op)
{
  const TsExpr *value = ts_op_attr (op, "value");
  const TsType *type = ts_op_result_type (op, 0);

  g_string_append (t->out, "arith.constant");
  tp_dict (t, op, hide_constant);
  g_string_append_c (t->out, ' ');
  if (value == NULL)
    g_string_append (t->out, "unit");
  else
    tp_attribute (t->out, value);
  if (value != NULL && (value->kind == TS_EXPR_INT || value->kind == TS_EXPR_FLOAT))
    return; /* the number carries its type */
  if (value != NULL && value->kind == TS_EXPR_TEXT && g_strcmp0 (value->raw, TT_TYPED_ALIAS) == 0)
    return; /* and so does the alias */
  g_string_append (t->out, " : ");
  tp_type (t->out, type);
}

static void
write_select (TtPrinter *t, const TsOp *op)
{
  const TsType *condition = ts_op_operand_type (op, 0);

  g_string_append (t->out, "arith.select ");
  tp_operands (t, op, 0, op->n_operands);
  tp_dict (t, op, hide_none);
  g_string_append (t->out, " : ");
  if (!ts_type_is_scalar (condition))
    {
      tp_type (t->out, condition);
      g_string_append (t->out, ", ");
    }
  tp_type (t->out, ts_op_result_type (op, 0));
}

static void
write_addui_extended (TtPrinter *t, const TsOp *op)
{
  g_string_append (t->out, "arith.addui_extended ");
  tp_operands (t, op, 0, op->n_operands);
  tp_dict (t, op, hide_none);
  g_string_append (t->out, " : ");
  write_result_types (t, op, FALSE);
}

static void
write_make_tensor_ptr (TtPrinter *t, const TsOp *op)
{
  guint rank = (op->n_operands - 1) / 3;

  g_string_append (t->out, "tt.make_tensor_ptr ");
  tp_operand (t, op->operands[0]);
  for (guint i = 0; i < 3; i++)
    {
      g_string_append (t->out, ", [");
      tp_operands (t, op, 1 + i * rank, i < 2 ? rank : op->n_operands - 1 - 2 * rank);
      g_string_append_c (t->out, ']');
    }
  tp_dict (t, op, hide_none);
  g_string_append (t->out, " : ");
  tp_type (t->out, ts_op_result_type (op, 0));
}

static void
write_advance (TtPrinter *t, const TsOp *op)
{
  g_string_append (t->out, "tt.advance ");
  tp_operand (t, op->operands[0]);
  g_string_append (t->out, ", [");
  tp_operands (t, op, 1, op->n_operands - 1);
  g_string_append_c (t->out, ']');
  tp_dict (t, op, hide_none);
  g_string_append (t->out, " : ");
  tp_type (t->out, ts_op_result_type (op, 0));
}

static void
write_empty (TtPrinter *t, const TsOp *op)
{
  g_string_append (t->out, "tensor.empty(");
  tp_operands (t, op, 0, op->n_operands);
  g_string_append_c (t->out, ')');
  tp_dict (t, op, hide_none);
  g_string_append (t->out, " : ");
  tp_type (t->out, ts_op_result_type (op, 0));
}

static guint
write_mixed_list (TtPrinter *t, const TsOp *op, const char *attribute, guint next)
{
  const TsExpr *list = ts_op_attr (op, attribute);

  g_string_append_c (t->out, '[');
  for (guint i = 0; list != NULL && list->kind == TS_EXPR_LIST && i < list->n; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "");
      if (list->list[i]->i == G_MININT64 && next < op->n_operands)
        tp_operand (t, op->operands[next++]);
      else
        g_string_append_printf (t->out, "%" G_GINT64_FORMAT, list->list[i]->i);
    }
  g_string_append_c (t->out, ']');
  return next;
}

static void
write_slice (TtPrinter *t, const TsOp *op)
{
  gboolean insert = op->code == TS_OP_TENSOR_INSERT_SLICE;
  guint next = insert ? 2 : 1;

  g_string_append_printf (t->out, "%s ", op->name);
  tp_operand (t, op->operands[0]);
  if (insert)
    {
      g_string_append (t->out, " into ");
      tp_operand (t, op->operands[1]);
    }
  next = write_mixed_list (t, op, "static_offsets", next);
  g_string_append_c (t->out, ' ');
  next = write_mixed_list (t, op, "static_sizes", next);
  g_string_append_c (t->out, ' ');
  write_mixed_list (t, op, "static_strides", next);
  tp_dict (t, op, hide_slice);
  g_string_append (t->out, " : ");
  tp_type (t->out, ts_op_operand_type (op, 0));
  g_string_append (t->out, insert ? " into " : " to ");
  tp_type (t->out, ts_op_result_type (op, 0));
}

/* The own syntax of loops and branches, read again, ends a body that has no terminator with a yield: a body that lacks one, as only
 * the generic form can say, stays in it. An else that is empty is none. */
static gboolean
is_terminated (const TsOp *op)
{
  for (guint i = 0; i < op->n_regions; i++)
    {
      const TsOp *last = ts_op_body (op, i)->last;

      if (tp_names_entry (&op->regions[i]))
        return FALSE;
      if (last == NULL ? i == 0 || op->code != TS_OP_IF : !ts_op_is_terminator (last))
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_structured (TtPrinter *t, const TsOp *op)
{
  if ((op->code == TS_OP_FOR || op->code == TS_OP_IF || op->code == TS_OP_SCF_WHILE) && !is_terminated (op))
    return FALSE;
  switch ((int) op->code)
    {
    case TS_OP_FOR: write_for (t, op); return TRUE;
    case TS_OP_IF: write_if (t, op); return TRUE;
    case TS_OP_YIELD: write_named_operands (t, op, "scf.yield"); return TRUE;
    case TS_OP_RETURN: write_named_operands (t, op, "tt.return"); return TRUE;
    case TS_OP_CALL: write_call (t, op); return TRUE;
    case TS_OP_SCF_WHILE: write_while (t, op); return TRUE;
    case TS_OP_SCF_CONDITION: write_condition (t, op); return TRUE;
    case TS_OP_CF_BR: write_br (t, op); return TRUE;
    case TS_OP_CF_COND_BR: write_cond_br (t, op); return TRUE;
    case TS_OP_ARITH_CONSTANT: write_constant (t, op); return TRUE;
    case TS_OP_ARITH_SELECT: write_select (t, op); return TRUE;
    case TS_OP_ARITH_ADDUI_EXTENDED: write_addui_extended (t, op); return TRUE;
    case TS_OP_TT_MAKE_TENSOR_PTR: write_make_tensor_ptr (t, op); return TRUE;
    case TS_OP_TT_ADVANCE: write_advance (t, op); return TRUE;
    case TS_OP_TENSOR_EMPTY: write_empty (t, op); return TRUE;
    case TS_OP_TENSOR_INSERT_SLICE:
    case TS_OP_TENSOR_EXTRACT_SLICE: write_slice (t, op); return TRUE;
    default: return FALSE;
    }
}
