/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scopes: with pl.at(), pl.spmd(), ... Source: spec dsl 5.3. */
#include "lang/pypto/reader.h"

#include <string.h>

#include "base/limits.h"

static gboolean
is_scope_call (TsReader *reader, const TsNode *node)
{
  return node->kind == TS_NODE_CALL && node->first->kind == TS_NODE_NAME
         && ts_name_meaning (reader->lexicon, node->first->name) == TS_MEANING_SCOPE;
}

/* mode=pl.ScopeMode.MANUAL turns an automatic scope into a manual one and says nothing else. */
static gboolean
takes_mode (TsReader *reader, TsOp *op, const TsNode *keyword)
{
  const TsNode *value = keyword->first;

  if (op->sub != TS_SCOPE_AUTO || strcmp (keyword->name->text, "mode") != 0 || value->kind != TS_NODE_NAME
      || ts_name_meaning (reader->lexicon, value->name) != TS_MEANING_ENUM || !ts_name_is_of (value->name, "ScopeMode"))
    return FALSE;
  if (strcmp (ts_name_member (value->name), "MANUAL") == 0)
    op->sub = TS_SCOPE_MANUAL;
  return TRUE;
}

static gboolean
read_header_arguments (TsReader *reader, TsOp *op, const TsNode *call)
{
  gboolean good = TRUE;

  for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
    {
      gboolean is_keyword = argument->kind == TS_NODE_KEYWORD;
      TsExpr *value;

      if (is_keyword && takes_mode (reader, op, argument))
        continue;
      if (is_keyword && strcmp (argument->name->text, "attrs") == 0)
        {
          good = ts_read_attrs (reader, op, argument->first) && good;
          continue;
        }
      if (op->n_keywords >= TS_MAX_KEYWORDS)
        return ts_reader_error (reader, "limit", argument, "more than %u keywords", TS_MAX_KEYWORDS) != NULL;
      value = is_keyword ? ts_read_keyword_argument (reader, argument->first) : ts_read_expr (reader, argument);
      if (value == NULL)
        good = FALSE;
      else if (!is_keyword && op->sub == TS_SCOPE_AT && ts_op_keyword (op, "level") == NULL)
        ts_op_add_keyword (reader->module, op, "level", value);
      else if (is_keyword)
        ts_op_add_keyword (reader->module, op, argument->name->text, value);
      else
        ts_op_add_operand (reader->module, op, value);
    }
  return good;
}

/* Source mode only: inlining leaves such scopes in dumps. */
static void
check_scope (TsReader *reader, const TsOp *op, const TsNode *call)
{
  if (!reader->dump && op->sub == TS_SCOPE_AUTO && reader->function->auto_scope)
    ts_reader_error (reader, "unsupported", call, "a hand-placed pl.scope() needs auto_scope=False on the function");
}

/* A scope whose header is broken is still a scope: its body is read, for its own errors and for what it defines. */
void
ts_read_with (TsReader *reader, TsStatement *statement)
{
  const TsNode *call = statement->value, *target = statement->targets;
  gboolean is_scope = is_scope_call (reader, call) && call->first->name->detail != TS_SCOPE_SPLIT_AIV;
  TsBlock *body;
  TsOp *op;

  if (!is_scope)
    ts_reader_error (reader, "unsupported", call, "unknown context manager: a with block is pl.at(), pl.spmd(), pl.cluster(), "
                     "pl.scope() or pl.manual_scope()");
  if (target != NULL && (target->kind != TS_NODE_NAME || target->name->parent != NULL))
    {
      ts_reader_error (reader, "syntax", target, "a scope's task id is a plain name");
      ts_reader_poison (reader, target);
      target = NULL;
    }
  op = ts_op_new (reader->module, TS_OP_SCOPE, NULL, NULL, 0);
  op->sub = is_scope ? call->first->name->detail : TS_SCOPE_AUTO;
  if (is_scope && read_header_arguments (reader, op, call))
    check_scope (reader, op, call);
  if (!ts_reader_enter (reader, statement))
    {
      ts_reader_poison (reader, target);
      return;
    }
  body = ts_op_add_region (reader->module, op);
  if (target != NULL)
    ts_op_add_result_value (reader->module, op,
                            ts_reader_define (reader, target, ts_type_scalar (reader->module, TS_DTYPE_TASK_ID)));
  ts_reader_emit (reader, op, statement);
  ts_read_suite (reader, statement, body);
  ts_reader_leave (reader);
}

void
ts_read_scope_for (TsReader *reader, TsStatement *statement)
{
  const TsNode *call = statement->value, *target = statement->targets;
  TsScopeKind kind = (TsScopeKind) call->first->name->detail;
  TsValue *before, *variable;
  TsBlock *body;
  TsOp *op;

  if ((kind != TS_SCOPE_SPMD && kind != TS_SCOPE_SPLIT_AIV) || target->kind != TS_NODE_NAME || target->name->parent != NULL)
    {
      ts_read_strange_for (reader, statement);
      return;
    }
  if (!ts_reader_enter (reader, statement))
    return;
  op = ts_op_new (reader->module, TS_OP_SCOPE, NULL, NULL, 0);
  op->sub = kind == TS_SCOPE_SPMD ? TS_SCOPE_SPMD_FOR : TS_SCOPE_SPLIT_AIV;
  read_header_arguments (reader, op, call);
  body = ts_op_add_region (reader->module, op);
  variable = ts_block_add_arg (reader->module, body, target->name->text, ts_type_scalar (reader->module, TS_DTYPE_INDEX));
  before = target->name->value;
  ts_reader_bind (reader, target->name, variable);
  ts_reader_emit (reader, op, statement);
  ts_read_suite (reader, statement, body);
  ts_reader_bind (reader, target->name, before);
  ts_reader_leave (reader);
}
