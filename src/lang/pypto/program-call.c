/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of functions: self.f(...), bare names of kernels outside the class, submits. Source: spec dsl 4.5, 4.8. */
#include <string.h>

#include "base/limits.h"
#include "lang/pypto/near-name.h"
#include "lang/pypto/source.h"

typedef struct
{
  TsReader   *reader;
  TsFunction *callee;
  TsExpr    **operands;
  guint       n;        /* slots in use: the highest position given, plus one */
  guint       capacity;
  GArray     *no_dep;   /* positions wrapped in pl.no_dep() */
} ProgramCall;

static gpointer
undefined_function (TsReader *reader, const TsNode *callee, const char *name)
{
  TsNearName near = { name, NULL, 0 };
  TsDiag *diag;

  diag = ts_reader_note (reader, TS_SEVERITY_ERROR, "undefined-name", callee, "function '%s' not defined in program", name);
  if (!ts_reader_may_suggest (reader))
    return NULL;
  for (guint i = 0; i < reader->module->n_functions; i++)
    ts_near_name_consider (&near, reader->module->functions[i]->name);
  if (near.best != NULL)
    diag->help = g_strdup_printf ("did you mean '%s'?", near.best);
  return NULL;
}

/* The function that a callee names; a kernel outside the class joins the program. */
static TsFunction *
find_callee (TsReader *reader, const TsNode *callee)
{
  TsKernel *kernel;
  TsFunction *function;

  if (ts_name_meaning (reader->lexicon, callee->name) == TS_MEANING_METHOD)
    {
      function = ts_module_find_function (reader->module, callee->name->rest);
      return function != NULL ? function : undefined_function (reader, callee, callee->name->rest);
    }
  kernel = ts_reader_join (reader, callee);
  return kernel != NULL ? kernel->function : NULL;
}

static gboolean
put (ProgramCall *call, guint position, TsExpr *value, const TsNode *node)
{
  if (position >= call->capacity)
    return ts_reader_error (call->reader, "bad-argument", node, "'%s' takes %u arguments", call->callee->name,
                            call->callee->n_params)
           != NULL;
  if (call->operands[position] != NULL)
    return ts_reader_error (call->reader, "bad-argument", node, "an argument of '%s' is given twice", call->callee->name) != NULL;
  call->operands[position] = value;
  call->n = MAX (call->n, position + 1);
  return TRUE;
}

/* pl.no_dep(x) is x, and a note of the position. */
static const TsNode *
unwrap_no_dep (ProgramCall *call, const TsNode *node, gint64 position)
{
  if (node->kind != TS_NODE_CALL || node->first->kind != TS_NODE_NAME || node->n != 2
      || ts_name_meaning (call->reader->lexicon, node->first->name) != TS_MEANING_NO_DEP)
    return node;
  g_array_append_val (call->no_dep, position);
  return node->first->next;
}

static gint
parameter_index (const TsFunction *function, const char *name)
{
  for (guint i = 0; i < function->n_params; i++)
    if (strcmp (function->params[i]->hint, name) == 0)
      return (gint) i;
  return -1;
}

/* Keywords of calls of the program's functions, in the order in which they print. Source: spec dsl 4.7, 4.8. */
static const char *const call_keywords[] = { "device", NULL };
static const char *const submit_keywords[] = { "device", "deps", "dumps", "allow_early_resolve", "predicate", NULL };
static const char *const spmd_submit_keywords[] = { "device", "deps", "dumps", "core_num", "sync_start", "allow_early_resolve",
                                                    "predicate", NULL };
static const char *const call_attrs[] = { "dump_vars", "arg_directions", NULL };

static const char *const *
keywords_of (const TsOp *op)
{
  return op->code == TS_OP_CALL ? call_keywords : op->code == TS_OP_SUBMIT ? submit_keywords : spmd_submit_keywords;
}

static void
order_parts (TsOp *op)
{
  ts_reader_order (op->keywords, op->n_keywords, keywords_of (op));
  if (op->code == TS_OP_CALL)
    ts_reader_order (op->attrs, op->n_attrs, call_attrs);
}

static gboolean
take_argument (ProgramCall *call, const TsNode *argument, guint *position, TsOp *op)
{
  TsReader *reader = call->reader;
  gint index = argument->kind == TS_NODE_KEYWORD ? parameter_index (call->callee, argument->name->text) : (gint) *position;
  const TsNode *node;
  TsExpr *value;

  if (argument->kind == TS_NODE_STAR || argument->kind == TS_NODE_DOUBLE_STAR)
    return ts_reader_unsupported (reader, argument) != NULL;
  if (argument->kind == TS_NODE_KEYWORD && index < 0)
    {
      if (strcmp (argument->name->text, "attrs") == 0)
        return ts_read_attrs (reader, op, argument->first);
      if (op->code == TS_OP_CALL && strcmp (argument->name->text, "deps") == 0)
        return ts_reader_error (reader, "bad-argument", argument, "deps belongs to pl.submit, not to a plain call") != NULL;
      if (!g_strv_contains (keywords_of (op), argument->name->text))
        return ts_reader_error (reader, "unknown-keyword", argument, "'%s' has no parameter '%s'", call->callee->name,
                                argument->name->text) != NULL;
      if (op->n_keywords >= TS_MAX_KEYWORDS)
        return ts_reader_error (reader, "limit", argument, "more than %u keywords", TS_MAX_KEYWORDS) != NULL;
      value = ts_read_keyword_argument (reader, argument->first);
      if (value != NULL)
        ts_op_add_keyword (reader->module, op, argument->name->text, value);
      return value != NULL;
    }
  node = unwrap_no_dep (call, argument->kind == TS_NODE_KEYWORD ? argument->first : argument, index);
  value = ts_read_expr (reader, node);
  if (argument->kind != TS_NODE_KEYWORD)
    (*position)++;
  return value != NULL && put (call, (guint) index, value, argument);
}

/* A call may leave out nothing, a submit its Out arguments at the end. */
static gboolean
check_complete (ProgramCall *call, const TsNode *node, const TsOp *op)
{
  for (guint i = 0; i < call->callee->n_params; i++)
    if (call->operands[i] == NULL
        && (i < call->n || op->code == TS_OP_CALL || call->callee->directions[i] != TS_DIRECTION_OUT))
      return ts_reader_error (call->reader, "bad-argument", node, "'%s' is called without its argument '%s'", call->callee->name,
                              call->callee->params[i]->hint) != NULL;
  return TRUE;
}

static void
add_overrides (ProgramCall *call, TsOp *op)
{
  TsExpr **positions = ts_pool_array (call->reader->pool, TsExpr *, MAX (call->no_dep->len, 1));

  if (call->no_dep->len == 0)
    return;
  for (guint i = 0; i < call->no_dep->len; i++)
    positions[i] = ts_expr_index (call->reader->module, g_array_index (call->no_dep, gint64, i));
  ts_op_add_attr (call->reader->module, op, "arg_direction_overrides",
                  ts_expr_list (call->reader->module, positions, call->no_dep->len));
}

static TsOp *
read_arguments (TsReader *reader, TsOpCode code, TsFunction *callee, const TsNode *node, const TsNode *first)
{
  g_autoptr (GArray) no_dep = g_array_new (FALSE, FALSE, sizeof (gint64));
  ProgramCall call = { .reader = reader, .callee = callee, .capacity = callee->n_params, .no_dep = no_dep };
  TsOp *op = ts_op_new (reader->module, code, callee->name, NULL, 0);
  guint position = 0;
  gboolean good = TRUE;

  call.operands = ts_pool_array (reader->pool, TsExpr *, MAX (call.capacity, 1));
  for (const TsNode *argument = first; argument != NULL; argument = argument->next)
    good = take_argument (&call, argument, &position, op) && good;
  if (!good || !check_complete (&call, node, op))
    return NULL;
  ts_op_set_operands (reader->module, op, call.operands, call.n);
  add_overrides (&call, op);
  ts_tag_consumer (reader, op, reader->tags->len);
  order_parts (op);
  return op;
}

/* --- results that nobody declared ------------------------------------------------------------------------------------------ */

/* The first `return` with a value, at any depth; parsing bounds the depth. */
static const TsStatement *
find_return (const TsStatement *statement)
{
  const TsStatement *found = NULL;

  for (; statement != NULL && found == NULL; statement = statement->next)
    {
      if (statement->kind == TS_STATEMENT_RETURN && statement->value != NULL && statement->value->kind != TS_NODE_NONE)
        return statement;
      found = find_return (statement->body);
      if (found == NULL)
        found = find_return (statement->otherwise);
    }
  return found;
}

/* What the signature would say: the type of the parameter that is returned, as it is written. NULL: another value. Free with
 * g_free. */
static char *
returned_parameter_type (TsReader *reader, const TsFunction *callee, const TsNode *value)
{
  if (!ts_node_is_plain_name (value))
    return NULL;
  for (guint i = 0; i < callee->n_params; i++)
    if (strcmp (callee->params[i]->hint, value->name->text) == 0)
      return ts_pypto_print_type (reader->module, callee->params[i]->type);
  return NULL;
}

void
ts_warn_undeclared_result (TsReader *reader, const TsOp *op, const TsNode *node)
{
  gboolean is_call = op->code == TS_OP_CALL || op->code == TS_OP_SUBMIT || op->code == TS_OP_SPMD_SUBMIT;
  const TsKernel *kernel = is_call ? g_hash_table_lookup (reader->kernels, op->name) : NULL;
  const TsStatement *given = kernel != NULL && kernel->function->n_returns == 0 ? find_return (kernel->def->body) : NULL;
  g_autofree char *type = NULL;
  TsDiag *diag;

  if (given == NULL)
    return;
  type = returned_parameter_type (reader, kernel->function, given->value);
  diag = ts_reader_note (reader, TS_SEVERITY_WARNING, "undeclared-result", node,
                         "'%s' returns a value that its signature does not declare, so what is assigned here has no type",
                         op->name);
  diag->help = g_strdup_printf ("declare it: def %s(...) -> %s:", op->name, type != NULL ? type : "TYPE");
}

TsOp *
ts_read_program_call (TsReader *reader, const TsNode *node)
{
  TsFunction *callee = find_callee (reader, node->first);

  return callee != NULL ? read_arguments (reader, TS_OP_CALL, callee, node, node->first->next) : NULL;
}

TsOp *
ts_read_program_submit (TsReader *reader, const TsNode *node)
{
  const TsNode *callee = node->first->next;
  TsOpCode code = (TsOpCode) (TS_OP_SUBMIT + node->first->name->detail);
  TsFunction *function;

  if (callee == NULL || callee->kind != TS_NODE_NAME)
    return ts_reader_error (reader, "bad-argument", node, "%s takes a function of the program first", node->first->name->text);
  function = find_callee (reader, callee);
  return function != NULL ? read_arguments (reader, code, function, node, callee->next) : NULL;
}
