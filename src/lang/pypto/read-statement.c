/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simple statements and suites. Source: spec dsl section 5. */
#include "lang/pypto/reader.h"

#include <string.h>

#include "base/limits.h"
#include "ir/infer.h"
#include "ir/op-info.h"
#include "lang/pypto/source.h"

void
ts_reader_emit (TsReader *reader, TsOp *op, const TsStatement *statement)
{
  op->span = ts_reader_span (reader, statement->offset, statement->end);
  for (guint i = 0; i < reader->comments->len; i++)
    ts_op_add_comment (reader->module, op, reader->comments->pdata[i]);
  g_ptr_array_set_size (reader->comments, 0);
  ts_block_append (reader->block, op);
}

void
ts_reader_queue_comments (TsReader *reader, const char *const *comments, guint n)
{
  for (guint i = 0; i < n && reader->comments->len < TS_MAX_KEYWORDS; i++)
    g_ptr_array_add (reader->comments, (gpointer) ts_module_intern (reader->module, comments[i]));
}

static void
queue_docstring (TsReader *reader, const TsNode *node)
{
  g_auto (GStrv) lines = g_strsplit (node->text, "\n", -1);
  guint n = g_strv_length (lines), first = 0;

  for (guint i = 0; i < n; i++)
    g_strstrip (lines[i]);
  while (first < n && lines[first][0] == '\0')
    first++;
  while (n > first && lines[n - 1][0] == '\0')
    n--;
  ts_reader_queue_comments (reader, (const char *const *) lines + first, n - first);
}

/* --- assignments --------------------------------------------------------------------------------------------------------- */

/* An operation that hides its name from print takes it from what it is assigned to. Passes rename that: cut at the first "__". */
static void
restore_hidden_name (TsReader *reader, TsOp *op, const TsNode *target)
{
  const char *end;
  g_autofree char *name = NULL;

  if (op->code != TS_OP_PLD_TENSOR_ALLOC_WINDOW_BUFFER || ts_op_keyword (op, "name") != NULL)
    return;
  end = strstr (target->name->text, "__");
  name = end != NULL && end > target->name->text ? g_strndup (target->name->text, (gsize) (end - target->name->text))
                                                 : g_strdup (target->name->text);
  ts_op_add_keyword (reader->module, op, "name", ts_expr_string (reader->module, name));
}

/* The right-hand side as an operation: a call, or an ASSIGN of an expression. */
static TsOp *
read_value (TsReader *reader, const TsNode *node)
{
  gboolean is_expr = TRUE;
  TsExpr *value;

  if (node->kind == TS_NODE_CALL)
    {
      TsOp *op = ts_read_call (reader, node, &is_expr);

      if (!is_expr)
        return op;
    }
  value = ts_read_expr (reader, node);
  return value != NULL ? ts_op_new (reader->module, TS_OP_ASSIGN, NULL, &value, 1) : NULL;
}

void
ts_reader_define_result (TsReader *reader, TsOp *op, const TsNode *target, const TsType *type)
{
  TsValue *value = ts_reader_define (reader, target, type);
  guint32 index = value->index;

  ts_op_add_result_value (reader->module, op, value);
  if (value->kind != TS_VALUE_RESULT)
    {
      /* A parameter or carried variable that is assigned again stays what it is. */
      value->def = NULL;
      value->index = index;
    }
}

/* Dumps in concise form leave the types out. */
static const TsType *
concise_type (TsReader *reader, const TsOp *op)
{
  g_autoptr (TsDiagList) silent = ts_diag_list_new ();
  const TsType *type = op->code == TS_OP_ASSIGN ? ts_reader_type_of (reader, op->operands[0])
                                                : ts_infer_result (reader->module, op, silent, TS_SPAN_NONE);

  return type != NULL ? type : ts_type_marker (reader->module, "pl.UnknownType");
}

static void
read_assignment (TsReader *reader, TsStatement *statement)
{
  const TsNode *target = statement->targets;
  const TsType *type;
  TsOp *op;

  if (statement->n_targets > 1)
    {
      ts_reader_error (reader, "unsupported", target, "chained assignment is not supported: write one statement for each name");
      for (const TsNode *each = target; each != NULL; each = each->next)
        ts_reader_poison (reader, each);
      return;
    }
  if (!ts_node_is_plain_name (target) || statement->value == NULL)
    {
      ts_reader_error (reader, "syntax", target, "a printed statement reads 'name: type = value'");
      ts_reader_poison (reader, target);
      return;
    }
  op = read_value (reader, statement->value);
  if (statement->annotation != NULL)
    type = ts_read_type (reader, statement->annotation);
  else
    type = op != NULL ? concise_type (reader, op) : NULL;
  if (op == NULL || type == NULL)
    {
      ts_reader_poison (reader, target);
      return;
    }
  restore_hidden_name (reader, op, target);
  ts_reader_define_result (reader, op, target, type);
  ts_reader_emit (reader, op, statement);
}

/* --- other simple statements --------------------------------------------------------------------------------------------- */

static gboolean
is_call_meaning (TsReader *reader, const TsNode *node, TsNameMeaning meaning)
{
  return node != NULL && node->kind == TS_NODE_CALL && node->first->kind == TS_NODE_NAME
         && ts_name_meaning (reader->lexicon, node->first->name) == meaning;
}

static void
read_cond (TsReader *reader, TsStatement *statement)
{
  const TsNode *condition = statement->value->first->next;
  TsExpr *value;

  if (reader->outer == NULL || reader->outer->op->code != TS_OP_WHILE)
    ts_reader_error (reader, "syntax", statement->value, "pl.cond stands in a pl.while_ loop only");
  else if (condition == NULL || condition->next != NULL)
    ts_reader_error (reader, "bad-argument", statement->value, "pl.cond takes one condition");
  else if ((value = ts_read_condition (reader, condition)) != NULL)
    ts_reader_emit (reader, ts_op_new (reader->module, TS_OP_COND, NULL, &value, 1), statement);
}

static TsOp *
read_call_statement (TsReader *reader, const TsNode *node, gboolean *is_expr)
{
  TsExpr *value = NULL;
  gboolean failed;
  TsOp *op;

  if (reader->dump)
    return ts_read_call (reader, node, is_expr);
  if (is_call_meaning (reader, node, TS_MEANING_SUBMIT))
    {
      *is_expr = FALSE;
      return ts_read_program_submit (reader, node);
    }
  op = ts_read_user_call (reader, node, is_expr, &value);
  if (op == NULL)
    return NULL;
  ts_reader_result_type (reader, op, node, &failed);
  return failed ? NULL : op;
}

/* An inline kernel called for what it does; what it returns may go unused. */
static gboolean
read_spliced_statement (TsReader *reader, TsStatement *statement)
{
  const TsConst *kernel = !reader->dump && statement->value->kind == TS_NODE_CALL
                            ? ts_reader_inline_of (reader, statement->value) : NULL;
  TsSpliced result;

  if (kernel == NULL)
    return FALSE;
  if (ts_read_splice (reader, kernel, statement->value, &result) && result.op != NULL)
    ts_reader_emit (reader, result.op, statement);
  return TRUE;
}

static void
read_expression_statement (TsReader *reader, TsStatement *statement)
{
  const TsNode *node = statement->value;
  gboolean is_expr;
  TsOp *op;

  if (node->kind == TS_NODE_STRING)
    queue_docstring (reader, node);
  else if (is_call_meaning (reader, node, TS_MEANING_YIELD))
    ts_read_yield (reader, statement, node);
  else if (is_call_meaning (reader, node, TS_MEANING_COND))
    read_cond (reader, statement);
  else if (is_call_meaning (reader, node, TS_MEANING_FUNC_ATTR))
    ts_reader_error (reader, "syntax", node, "pl.func_attr stands first in a function");
  else if (!reader->dump && is_call_meaning (reader, node, TS_MEANING_STATIC))
    ts_read_static (reader, node);
  else if (read_spliced_statement (reader, statement))
    return;
  else if (node->kind == TS_NODE_OTHER)
    ts_reader_unsupported (reader, node);
  else if (node->kind != TS_NODE_CALL)
    ts_reader_error (reader, "unsupported", node, "%s is no statement", ts_node_kind_name ((TsNodeKind) node->kind));
  else if ((op = read_call_statement (reader, node, &is_expr)) != NULL)
    ts_reader_emit (reader, op, statement);
  else if (is_expr)
    ts_reader_error (reader, "unsupported", node, "the value of '%s' is not used", node->first->name->text);
}

static void
read_return (TsReader *reader, TsStatement *statement)
{
  const TsNode *node = statement->value;
  TsExpr **values = NULL;
  TsExpr *single;
  guint n = 0;

  if (reader->splice != NULL)
    {
      ts_reader_error_at (reader, "unsupported", statement->offset, statement->end,
                          "an inline kernel returns once, as its last statement");
      return;
    }
  if (node != NULL && node->kind == TS_NODE_TUPLE)
    {
      if ((values = ts_read_items (reader, node, &n)) == NULL)
        return;
    }
  else if (node != NULL)
    {
      if ((single = ts_read_expr (reader, node)) == NULL)
        return;
      values = &single;
      n = 1;
    }
  reader->has_return = TRUE;
  if (!reader->dump && node != NULL)
    ts_reader_check_return (reader, node, values, n);
  else if (!reader->dump && reader->function->n_returns > 0)
    ts_reader_error_at (reader, "annotation-mismatch", statement->offset, statement->end,
                        "the function declares %u result%s, nothing is returned", reader->function->n_returns,
                        reader->function->n_returns == 1 ? "" : "s");
  ts_reader_emit (reader, ts_op_new (reader->module, TS_OP_RETURN, NULL, values, n), statement);
}

/* Only loops that run in order can be left: range, pipeline, while. */
static void
read_jump (TsReader *reader, TsStatement *statement)
{
  gboolean is_break = statement->kind == TS_STATEMENT_BREAK;
  const TsOuter *loop = reader->outer;

  while (loop != NULL && loop->op->code == TS_OP_IF)
    loop = loop->up;
  if (!reader->dump && loop == NULL)
    ts_reader_error_at (reader, "syntax", statement->offset, statement->end, "'%s' outside a loop", is_break ? "break"
                        : "continue");
  else if (!reader->dump && loop->op->code == TS_OP_FOR
           && (loop->op->sub == TS_LOOP_PARALLEL || loop->op->sub == TS_LOOP_UNROLL))
    ts_reader_error_at (reader, "unsupported", statement->offset, statement->end, "'%s' not supported in %s loops",
                        is_break ? "break" : "continue", loop->op->sub == TS_LOOP_PARALLEL ? "parallel" : "unroll");
  else
    ts_reader_emit (reader, ts_op_new (reader->module, is_break ? TS_OP_BREAK : TS_OP_CONTINUE, NULL, NULL, 0), statement);
}

static void
refuse_statement (TsReader *reader, const TsStatement *statement)
{
  static const struct { guint8 kind; const char *what, *help; } names[] = {
    { TS_STATEMENT_AUGMENTED, "an augmented assignment", "write it out: a = a + b" },
    { TS_STATEMENT_IMPORT, "an import", "imports stand above the kernel" }, { TS_STATEMENT_FROM, "an import",
                                                                              "imports stand above the kernel" },
    { TS_STATEMENT_ASSERT, "an assert", "pl.static_assert(condition, \"...\") checks constants" },
    { TS_STATEMENT_DEF, "a nested function", "make it a function of the program, or @pl.inline above it" },
    { TS_STATEMENT_CLASS, "a nested class", "classes stand above the kernel; their constants can be used in it" },
    { TS_STATEMENT_ELSE, "an 'else' without its 'if'", NULL },
  };
  const char *what = statement->what, *help = NULL;
  TsDiag *diag;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].kind == statement->kind)
      {
        what = what != NULL ? what : names[i].what;
        help = names[i].help;
      }
  diag = ts_reader_refuse (reader, statement->offset, statement->end, "%s cannot stand in a kernel",
                           what != NULL ? what : "this statement");
  if (help == NULL)
    help = ts_reader_way_round (what);
  diag->help = g_strdup (help);
}

/* --- dispatch ------------------------------------------------------------------------------------------------------------ */

static void
read_loop (TsReader *reader, TsStatement *statement)
{
  if (is_call_meaning (reader, statement->value, TS_MEANING_SCOPE))
    ts_read_scope_for (reader, statement);
  else
    ts_read_for (reader, statement);
}

static void
read_compound (TsReader *reader, TsStatement *statement)
{
  TsStatement *clause;

  switch (statement->kind)
    {
    case TS_STATEMENT_FOR:
      read_loop (reader, statement);
      break;
    case TS_STATEMENT_WHILE:
      ts_read_while (reader, statement);
      break;
    case TS_STATEMENT_WITH:
      ts_read_with (reader, statement);
      break;
    case TS_STATEMENT_IF:
      if (!statement->is_elif)
        {
          ts_read_if (reader, statement);
          return;
        }
      G_GNUC_FALLTHROUGH;
    default:
      refuse_statement (reader, statement);
      ts_suite_skip (reader->parser, statement);
      break;
    }
  while ((clause = ts_suite_otherwise (reader->parser, statement)) != NULL)
    {
      if (statement->kind != TS_STATEMENT_BLOCK)
        ts_reader_error_at (reader, "unsupported", clause->offset, clause->end, "an 'else' of a loop cannot stand in a kernel");
      ts_suite_skip (reader->parser, clause);
      statement = clause;
    }
}

void
ts_read_statement (TsReader *reader, TsStatement *statement)
{
  ts_check_comm_domain (reader, statement);
  ts_reader_queue_comments (reader, statement->comments, statement->n_comments);
  if (statement->has_suite)
    {
      read_compound (reader, statement);
      return;
    }
  switch ((TsStatementKind) statement->kind)
    {
    case TS_STATEMENT_ASSIGN:
      if (is_call_meaning (reader, statement->value, TS_MEANING_YIELD))
        ts_read_yield (reader, statement, statement->value);
      else if (reader->dump)
        read_assignment (reader, statement);
      else
        ts_read_source_assignment (reader, statement);
      break;
    case TS_STATEMENT_EXPRESSION:
      read_expression_statement (reader, statement);
      break;
    case TS_STATEMENT_RETURN:
      read_return (reader, statement);
      break;
    case TS_STATEMENT_BREAK:
    case TS_STATEMENT_CONTINUE:
      read_jump (reader, statement);
      break;
    case TS_STATEMENT_PASS:
      break;
    case TS_STATEMENT_BAD:
      /* Of the file itself the parser has spoken, of its siblings nobody. */
      if (reader->file > 0)
        ts_reader_error_at (reader, "syntax", statement->offset, statement->end, "this statement cannot be read");
      break;
    default:
      refuse_statement (reader, statement);
      break;
    }
}

/* A million statements take a second; looking every so often is enough. */
#define CANCEL_EVERY 1024u

TsStatement *
ts_reader_next (TsReader *reader, TsSuite *suite)
{
  TsStatement *statement;

  if (++reader->n_statements % CANCEL_EVERY == 0 && g_cancellable_is_cancelled (reader->cancellable))
    reader->stopped = TRUE;
  if (reader->stopped)
    return NULL;
  statement = ts_suite_next (suite);
  if (statement == NULL || (guint) reader->module->n_ops < TS_MAX_OPS)
    return statement;
  reader->stopped = TRUE;
  return ts_reader_error_at (reader, "limit", statement->offset, statement->end, "more than %u operations", TS_MAX_OPS);
}

void
ts_read_suite (TsReader *reader, TsStatement *header, TsBlock *block)
{
  TsBlock *before = reader->block;
  TsSuite suite;

  reader->block = block;
  ts_suite_open (&suite, reader->parser, header);
  for (;;)
    {
      TsPoolMark mark = ts_pool_mark (reader->pool);
      TsStatement *statement = ts_reader_next (reader, &suite);

      if (statement == NULL)
        break;
      ts_read_statement (reader, statement);
      if (!header->is_read)
        ts_pool_release (reader->pool, mark);
    }
  reader->block = before;
}

gboolean
ts_reader_enter (TsReader *reader, TsStatement *header)
{
  if (reader->nesting >= TS_MAX_NESTING)
    {
      ts_reader_error_at (reader, "limit", header->offset, header->end, "regions nested deeper than %u", TS_MAX_NESTING);
      ts_suite_skip (reader->parser, header);
      return FALSE;
    }
  reader->nesting++;
  return TRUE;
}

void
ts_reader_leave (TsReader *reader)
{
  reader->nesting--;
}
