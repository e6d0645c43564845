/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inline kernels: the body of an @pl.inline function stands where it is called, with the names its own file gives it. Variables of
 * the caller and of the body never meet; the printer tells equal names apart. Source: spec dsl 2.3, 4.5. */
#include <string.h>

#include "base/limits.h"
#include "lang/pypto/source.h"

#define MAX_SPLICE_DEPTH 64u
#define MAX_SPLICED_STATEMENTS 200000u

typedef struct
{
  const TsParameter *param;
  const TsConst     *constant; /* known without the kernel's variables */
  TsExpr            *value;    /* stands for the parameter wherever it is read */
  TsOp              *op;       /* must be computed once, before the body; its type */
  const TsType      *type;
} Argument;

typedef struct
{
  TsReader      *reader;
  const TsConst *kernel;
  const TsNode  *call;
  Argument      *arguments;
  guint          n;
} Splice;

/* --- what is called ------------------------------------------------------------------------------------------------------ */

static gboolean
is_inline (TsReader *reader, const TsConst *value)
{
  TsName *decorator;

  if (value == NULL || value->kind != TS_CONST_KERNEL || value->def->kind != TS_STATEMENT_DEF)
    return FALSE;
  decorator = ts_read_decorator (reader, value->def->decorators);
  return decorator != NULL && decorator->meaning == TS_MEANING_INLINE;
}

const TsConst *
ts_reader_inline_of (TsReader *reader, const TsNode *call)
{
  const TsNode *callee = call->first;
  const TsConst *value = NULL;

  if (callee->kind != TS_NODE_NAME)
    return NULL;
  switch (ts_name_meaning (reader->lexicon, callee->name))
    {
    case TS_MEANING_METHOD:
      return g_hash_table_lookup (reader->inlines, callee->name->rest);
    case TS_MEANING_PLAIN:
      if (callee->name->value == NULL)
        value = ts_eval_node (reader->eval, reader->scope, callee);
      return is_inline (reader, value) ? value : NULL;
    default:
      return NULL;
    }
}

/* --- arguments ----------------------------------------------------------------------------------------------------------- */

/* Does the body assign the name in a loop or branch? Then it must be a variable: what it is there depends on the way taken. */
static gboolean
assigns_name (const TsNode *targets, const TsName *name)
{
  for (; targets != NULL; targets = targets->next)
    {
      if (targets->kind == TS_NODE_NAME && targets->name == name)
        return TRUE;
      if ((targets->kind == TS_NODE_TUPLE || targets->kind == TS_NODE_LIST || targets->kind == TS_NODE_SUBSCRIPT)
          && assigns_name (targets->first, name))
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_assigned_within (const TsStatement *statement, const TsName *name, gboolean nested)
{
  for (; statement != NULL; statement = statement->next)
    {
      if (nested && statement->kind != TS_STATEMENT_FOR && assigns_name (statement->targets, name))
        return TRUE;
      for (const TsStatement *arm = statement; statement->has_suite && arm != NULL; arm = arm->otherwise)
        if (is_assigned_within (arm->body, name, TRUE))
          return TRUE;
    }
  return FALSE;
}

/* What stands for the parameter: a constant, a variable or list of the caller, or what is computed first. */
static gboolean
read_argument (Splice *splice, Argument *argument, const TsNode *node, TsScope *scope)
{
  TsReader *reader = splice->reader;
  TsScope *before = reader->scope;
  gboolean is_variable = is_assigned_within (splice->kernel->def->body, argument->param->name, FALSE);
  gboolean good;

  reader->scope = scope;
  argument->constant = ts_reader_closure (reader, node);
  if (argument->constant != NULL && !is_variable)
    good = TRUE;
  else if (node->kind == TS_NODE_TUPLE || node->kind == TS_NODE_LIST)
    good = (argument->value = ts_read_expr (reader, node)) != NULL;
  else
    {
      argument->op = ts_read_right_side (reader, node, &argument->type);
      good = argument->op != NULL;
      if (good && argument->op->code == TS_OP_ASSIGN && argument->op->operands[0]->kind == TS_EXPR_VALUE && !is_variable)
        {
          argument->value = argument->op->operands[0];
          argument->op = NULL;
        }
    }
  reader->scope = before;
  return good;
}

static Argument *
find_argument (Splice *splice, const TsNode *node, guint *position)
{
  if (node->kind != TS_NODE_KEYWORD)
    return *position < splice->n ? &splice->arguments[(*position)++] : NULL;
  for (guint i = 0; i < splice->n; i++)
    if (splice->arguments[i].param->name == node->name)
      return &splice->arguments[i];
  return NULL;
}

static gboolean
is_given (const Argument *argument)
{
  return argument->constant != NULL || argument->value != NULL || argument->op != NULL;
}

static gboolean
read_arguments (Splice *splice)
{
  TsReader *reader = splice->reader;
  const char *name = splice->kernel->def->name->text;
  guint position = 0;

  for (const TsNode *node = splice->call->first->next; node != NULL; node = node->next)
    {
      Argument *argument;

      if (node->kind == TS_NODE_STAR || node->kind == TS_NODE_DOUBLE_STAR)
        return ts_reader_unsupported (reader, node) != NULL;
      argument = find_argument (splice, node, &position);
      if (argument == NULL && node->kind == TS_NODE_KEYWORD)
        return ts_reader_error (reader, "unknown-keyword", node, "'%s' has no parameter '%s'", name, node->name->text) != NULL;
      if (argument == NULL)
        return ts_reader_error (reader, "bad-argument", node, "'%s' takes %u arguments", name, splice->n) != NULL;
      if (is_given (argument))
        return ts_reader_error (reader, "bad-argument", node, "an argument of '%s' is given twice", name) != NULL;
      if (!read_argument (splice, argument, node->kind == TS_NODE_KEYWORD ? node->first : node, reader->scope))
        return FALSE;
    }
  for (guint i = 0; i < splice->n; i++)
    {
      Argument *argument = &splice->arguments[i];

      if (is_given (argument))
        continue;
      if (argument->param->value == NULL)
        return ts_reader_error (reader, "bad-argument", splice->call, "'%s' is called without its argument '%s'", name,
                                argument->param->name->text) != NULL;
      if (!read_argument (splice, argument, argument->param->value, splice->kernel->scope))
        return FALSE;
    }
  return TRUE;
}

/* One slot for each parameter; FALSE (reported) when there is a starred one. */
static gboolean
collect_parameters (Splice *splice)
{
  const TsParameter *first = splice->kernel->def->params;
  guint n = 0;

  if (first != NULL && first->annotation == NULL && first->name != NULL && strcmp (first->name->text, "self") == 0)
    first = first->next;
  for (const TsParameter *param = first; param != NULL; param = param->next)
    {
      if (param->stars != 0)
        return ts_reader_error (splice->reader, "unsupported", splice->call, "'%s' has a starred parameter",
                                splice->kernel->def->name->text) != NULL;
      n++;
    }
  splice->arguments = ts_pool_array (splice->reader->pool, Argument, MAX (n, 1));
  memset (splice->arguments, 0, sizeof (Argument) * n);
  for (const TsParameter *param = first; param != NULL; param = param->next)
    splice->arguments[splice->n++].param = param;
  return TRUE;
}

/* --- names --------------------------------------------------------------------------------------------------------------- */

/* The body sees none of the caller's variables. */
static void
hide_variables (TsReader *reader)
{
  guint n = reader->bindings->len;

  for (guint i = 0; i < n; i++)
    {
      TsName *name = g_array_index (reader->bindings, TsBinding, i).name;

      if (name->value != NULL)
        ts_reader_bind (reader, name, NULL);
    }
}

static void
emit_from (TsReader *reader, TsOp *op, const TsNode *node)
{
  TsStatement place = { .offset = node->offset, .end = node->end };

  ts_reader_emit (reader, op, &place);
}

static void
bind_argument (Splice *splice, const Argument *argument)
{
  TsReader *reader = splice->reader;
  TsNode target = { .kind = TS_NODE_NAME, .name = argument->param->name };
  TsValue *alias;

  if (argument->op != NULL)
    {
      ts_reader_define_result (reader, argument->op, &target,
                               argument->type != NULL ? argument->type : ts_type_marker (reader->module, "pl.UnknownType"));
      emit_from (reader, argument->op, splice->call);
    }
  else if (argument->value != NULL)
    {
      const TsType *type = ts_reader_type_of (reader, argument->value);

      alias = ts_value_new (reader->module, TS_VALUE_RESULT, argument->param->name->text,
                            type != NULL ? type : ts_type_marker (reader->module, "pl.UnknownType"));
      g_hash_table_insert (reader->aliases, alias, argument->value);
      ts_reader_bind (reader, argument->param->name, alias);
    }
  else
    ts_scope_set (reader->scope, argument->param->name->text, argument->constant);
}

/* --- the body ------------------------------------------------------------------------------------------------------------ */

/* A returned operation that is not the only result is computed under a name of its own. */
static TsExpr *
name_result (TsReader *reader, TsOp *op, const TsType *type, const TsNode *node)
{
  TsValue *value;

  if (op->code == TS_OP_ASSIGN)
    return op->operands[0];
  if (type == NULL)
    type = ts_type_marker (reader->module, "pl.UnknownType");
  value = ts_op_add_result (reader->module, op, "ret__tmp_v0", type);
  emit_from (reader, op, node);
  return ts_expr_value (reader->module, value);
}

static gboolean
read_results (TsReader *reader, const TsNode *node, TsSpliced *out)
{
  TsExpr **items;
  const TsType *type;
  guint n = 0;

  if (node == NULL || node->kind == TS_NODE_NONE)
    return TRUE;
  if (node->kind != TS_NODE_TUPLE)
    {
      TsOp *op = ts_read_right_side (reader, node, &type);

      if (op == NULL)
        return FALSE;
      if (op->code == TS_OP_ASSIGN)
        out->value = op->operands[0];
      else
        out->op = op;
      return TRUE;
    }
  items = ts_pool_array (reader->pool, TsExpr *, MAX (node->n, 1));
  for (const TsNode *item = node->first; item != NULL; item = item->next)
    {
      TsOp *op = ts_read_right_side (reader, item, &type);

      if (op == NULL)
        return FALSE;
      items[n++] = name_result (reader, op, type, item);
    }
  out->value = ts_expr_list (reader->module, items, n);
  return TRUE;
}

static gboolean
read_body (Splice *splice, TsSpliced *out)
{
  TsReader *reader = splice->reader;
  guint errors = ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR);
  TsSuite suite;
  TsStatement *statement;
  gboolean first = TRUE;

  ts_suite_open (&suite, reader->parser, splice->kernel->def);
  while ((statement = ts_reader_next (reader, &suite)) != NULL)
    {
      /* Its docstring says what the kernel is, not what happens at the call. */
      gboolean is_docstring = first && statement->kind == TS_STATEMENT_EXPRESSION && statement->value->kind == TS_NODE_STRING;

      first = FALSE;
      if (++reader->n_spliced > MAX_SPLICED_STATEMENTS)
        {
          reader->stopped = TRUE;
          return ts_reader_error (reader, "limit", splice->call, "inline kernels of more than %u statements together",
                                  MAX_SPLICED_STATEMENTS) != NULL;
        }
      if (statement->kind == TS_STATEMENT_RETURN)
        return read_results (reader, statement->value, out)
               && ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR) == errors;
      if (!is_docstring)
        ts_read_statement (reader, statement);
    }
  return !reader->stopped && ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR) == errors;
}

/* May it be spliced here at all? */
static gboolean
check_place (Splice *splice)
{
  TsReader *reader = splice->reader;
  const char *name = splice->kernel->def->name->text;
  guint depth = 0;

  for (const TsSpliceFrame *frame = reader->splice; frame != NULL; frame = frame->up, depth++)
    if (frame->def == splice->kernel->def || depth >= MAX_SPLICE_DEPTH)
      return ts_reader_error (reader, "recursion", splice->call, frame->def == splice->kernel->def
                                ? "inline kernel '%s' calls itself" : "inline kernel '%s' is called too deep in others", name)
             != NULL;
  if (reader->in_condition)
    return ts_reader_error (reader, "unsupported", splice->call,
                            "inline kernel '%s' cannot be called in the condition of a while loop", name) != NULL;
  return TRUE;
}

gboolean
ts_read_splice (TsReader *reader, const TsConst *kernel, const TsNode *call, TsSpliced *out)
{
  Splice splice = { .reader = reader, .kernel = kernel, .call = call };
  TsSpliceFrame frame = { reader->splice, kernel->def, reader->source, call };
  TsScope *scope = reader->scope;
  TsOuter *outer = reader->outer;
  guint mark = ts_reader_mark (reader);
  gboolean good;

  *out = (TsSpliced) { NULL, NULL };
  g_hash_table_add (reader->used, kernel->def);
  /* What is wrong with the body itself is said at the first call. */
  if (!check_place (&splice) || !collect_parameters (&splice) || !read_arguments (&splice)
      || g_hash_table_contains (reader->noted, kernel->def))
    return FALSE;
  hide_variables (reader);
  reader->scope = ts_scope_new (reader->eval, kernel->scope, ts_scope_source (kernel->scope));
  for (guint i = 0; i < splice.n; i++)
    bind_argument (&splice, &splice.arguments[i]);
  reader->splice = &frame;
  reader->outer = NULL;
  ts_reader_set_source (reader, ts_scope_source (kernel->scope));
  good = read_body (&splice, out);
  ts_reader_set_source (reader, frame.source);
  reader->splice = frame.up;
  reader->outer = outer;
  reader->scope = scope;
  ts_reader_undo (reader, mark);
  if (!good && !reader->stopped && g_hash_table_add (reader->noted, kernel->def))
    ts_reader_note (reader, TS_SEVERITY_NOTE, "called-here", call, "in this call of the inline kernel '%s'",
                    kernel->def->name->text);
  return good;
}

/* --- calls --------------------------------------------------------------------------------------------------------------- */

TsOp *
ts_read_spliced_call (TsReader *reader, const TsConst *kernel, const TsNode *call, gboolean *is_expr, TsExpr **expr)
{
  TsSpliced result;

  *is_expr = FALSE;
  if (!ts_read_splice (reader, kernel, call, &result))
    return NULL;
  if (result.op == NULL && result.value == NULL)
    return ts_reader_error (reader, "unsupported", call, "inline kernel '%s' returns nothing that could be used here",
                            kernel->def->name->text);
  *is_expr = result.op == NULL;
  *expr = result.value;
  return result.op;
}
