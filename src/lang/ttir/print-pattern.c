/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes what stands behind an operation's name by its pattern: the mirror of format-parse.c. */
#include <string.h>

#include "lang/ttir/format.h"
#include "lang/ttir/lexer.h"
#include "lang/ttir/print-private.h"

static gboolean
shown_by_pattern (const TsOp *op, const TsAttr *attr)
{
  return tt_format_shows (tt_format_of ((TsOpCode) op->code), attr->key);
}

static void
write_flags (TtPrinter *t, const TsOp *op)
{
  static const char *const attributes[] = { "overflowFlags", "fastmath" };

  for (guint i = 0; i < G_N_ELEMENTS (attributes); i++)
    {
      const TsExpr *value = ts_op_attr (op, attributes[i]);

      if (value != NULL && value->kind == TS_EXPR_TEXT && g_str_has_prefix (value->text, "#arith."))
        g_string_append_printf (t->out, " %s", value->text + strlen ("#arith."));
    }
}

static void
write_clause (TtPrinter *t, const TsOp *op, const TtClause *clause)
{
  const TsExpr *value = ts_op_attr (op, clause->attribute);
  g_autofree char *word = NULL;

  if (clause->form == TT_CLAUSE_STRING)
    {
      g_string_append_c (t->out, ' ');
      tt_append_quoted (t->out, value != NULL && value->kind == TS_EXPR_STRING ? value->text : "");
      return;
    }
  if (value == NULL && (clause->fallback[0] != '\0' || clause->form == TT_CLAUSE_UNIT))
    return;
  if (clause->form == TT_CLAUSE_UNIT)
    {
      g_string_append (t->out, clause->before);
      return;
    }
  if (value != NULL && value->kind == TS_EXPR_INT)
    word = tt_clause_word (clause, (gint) CLAMP (value->i - (clause->form == TT_CLAUSE_WORD ? clause->first : 0), -1, 1000));
  else if (value != NULL && value->text != NULL && value->kind == TS_EXPR_TEXT)
    word = g_strdup (value->text);
  if (word == NULL)
    word = tt_clause_word (clause, 0);
  g_string_append (t->out, clause->before[0] != '\0' ? clause->before : " ");
  g_string_append (t->out, word);
}

/* Types of T01r: any of those it names; they agree. */
static const TsType *
type_of_item (const TsOp *op, char which)
{
  return which == 'r' ? ts_op_result_type (op, 0) : ts_op_operand_type (op, (guint) (which - '0'));
}

static void
write_type_item (TtPrinter *t, const TsOp *op, const char *item)
{
  g_string_append_c (t->out, ' ');
  if (item[1] == '*')
    for (guint i = 0; i < op->n_operands; i++)
      {
        g_string_append (t->out, i > 0 ? ", " : "");
        tp_type (t->out, ts_op_operand_type (op, i));
      }
  else if (item[1] == 'R')
    for (guint i = 0; i < op->n_results; i++)
      {
        g_string_append (t->out, i > 0 ? ", " : "");
        tp_type (t->out, op->results[i]->type);
      }
  else
    tp_type (t->out, type_of_item (op, item[1]));
}

static void
write_function_type (TtPrinter *t, const TsOp *op)
{
  g_string_append (t->out, " (");
  for (guint i = 0; i < op->n_operands; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "");
      tp_type (t->out, ts_op_operand_type (op, i));
    }
  g_string_append (t->out, ") -> ");
  if (op->n_results == 1)
    tp_type (t->out, op->results[0]->type);
  else
    {
      g_string_append_c (t->out, '(');
      for (guint i = 0; i < op->n_results; i++)
        {
          g_string_append (t->out, i > 0 ? ", " : "");
          tp_type (t->out, op->results[i]->type);
        }
      g_string_append_c (t->out, ')');
    }
}

static void
write_print_args (TtPrinter *t, const TsOp *op)
{
  if (op->n_operands == 0)
    return;
  g_string_append (t->out, " : ");
  tp_operands (t, op, 0, op->n_operands);
  g_string_append (t->out, " :");
  write_type_item (t, op, "T*");
}

static void
write_item (TtPrinter *t, const TsOp *op, const char *item, gsize length)
{
  if (length == 2 && (item[0] == '-' || item[0] == 't'))
    {
      g_string_append_printf (t->out, " %.2s", item);
      return;
    }
  switch (item[0])
    {
    case '?':
      if ((guint) (item[1] - '0') < op->n_operands)
        {
          g_string_append (t->out, ", ");
          tp_operand (t, op->operands[item[1] - '0']);
        }
      break;
    case '*':
      if (op->n_operands > 0)
        g_string_append_c (t->out, ' ');
      tp_operands (t, op, 0, op->n_operands);
      break;
    case 'x':
      g_string_append (t->out, " *");
      break;
    case 'T':
      write_type_item (t, op, item);
      break;
    case 'B':
    case 'L':
      break;
    case 'G':
      write_function_type (t, op);
      break;
    case 'F':
      write_flags (t, op);
      break;
    case 'D':
      tp_dict (t, op, shown_by_pattern);
      break;
    case 'V':
      {
        const TtClause *clause = tt_clause_find (item + 1, length - 1);

        if (clause != NULL)
          write_clause (t, op, clause);
        else
          write_print_args (t, op);
        break;
      }
    case ',':
    case '[':
    case ']':
      g_string_append_c (t->out, item[0]);
      break;
    case ':':
      g_string_append (t->out, " :");
      break;
    default:
      if ((guint) (item[0] - '0') < op->n_operands)
        {
          if (t->out->len > 0 && t->out->str[t->out->len - 1] != '[')
            g_string_append_c (t->out, ' ');
          tp_operand (t, op->operands[item[0] - '0']);
        }
    }
}

void
tp_pattern (TtPrinter *t, const TsOp *op, const char *format)
{
  const char *cursor = format, *item;
  gsize length;

  while ((item = tt_format_next (&cursor, &length)) != NULL)
    write_item (t, op, item, length);
}
