/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assignments of user code: types found or checked, tuples unpacked, submits taken apart. Source: spec dsl 4.3, 4.8, section 5. */
#include <string.h>

#include "base/limits.h"
#include "ir/infer.h"
#include "lang/pypto/reader.h"
#include "lang/pypto/source.h"

/* --- annotations --------------------------------------------------------------------------------------------------------- */

static const char *
kind_name (const TsType *type)
{
  switch ((TsTypeKind) type->kind)
    {
    case TS_TYPE_SCALAR: return "a scalar";
    case TS_TYPE_TENSOR: return "a tensor";
    case TS_TYPE_TILE: return "a tile";
    case TS_TYPE_ARRAY: return "an array";
    case TS_TYPE_TUPLE: return "a tuple";
    case TS_TYPE_PTR: return "a pointer";
    default: return "another type";
    }
}

static gboolean
mismatch (TsReader *reader, const TsNode *node, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
mismatch (TsReader *reader, const TsNode *node, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  ts_diag_add_valist (reader->diags, TS_SEVERITY_ERROR, "annotation-mismatch", reader->source,
                      ts_reader_span (reader, node->offset, node->end), format, args);
  va_end (args);
  return FALSE;
}

gboolean
ts_reader_check_declared (TsReader *reader, const TsNode *node, const char *what, const TsType *annotation, const TsType *type)
{
  gboolean index_fits = annotation->dtype == TS_DTYPE_INDEX && ts_dtype_is_integer ((TsDtype) type->dtype);

  if (type->kind == TS_TYPE_MARKER || annotation->kind == TS_TYPE_MARKER)
    return TRUE;
  if (annotation->kind != type->kind)
    return mismatch (reader, node, "%s is %s, expression is %s", what, kind_name (annotation), kind_name (type));
  if (annotation->dtype != type->dtype && !index_fits
      && !(type->dtype == TS_DTYPE_INDEX && ts_dtype_is_integer ((TsDtype) annotation->dtype)))
    return mismatch (reader, node, "%s has dtype %s, expression %s", what, ts_dtype_name ((TsDtype) annotation->dtype),
                     ts_dtype_name ((TsDtype) type->dtype));
  if (annotation->kind == TS_TYPE_TUPLE)
    return annotation->n_elems == type->n_elems
           || mismatch (reader, node, "%s has %u items, expression %u", what, annotation->n_elems, type->n_elems);
  if (annotation->rank != type->rank)
    return mismatch (reader, node, "%s has rank %u, expression %u", what, annotation->rank, type->rank);
  for (guint i = 0; i < annotation->rank; i++)
    {
      gint64 a, b;

      if (ts_type_const_dim (annotation, i, &a) && ts_type_const_dim (type, i, &b) && a != b)
        return mismatch (reader, node, "%s has shape dimension %u = %" G_GINT64_FORMAT ", expression %" G_GINT64_FORMAT, what,
                         i, a, b);
    }
  return TRUE;
}

static gboolean
check_annotation (TsReader *reader, const TsNode *node, const TsType *annotation, const TsType *type)
{
  return ts_reader_check_declared (reader, node, "annotation", annotation, type);
}

/* The type of what is returned; NULL when it is not known. */
static const TsType *
returned_type (TsReader *reader, const TsNode *node, const TsExpr *value)
{
  gboolean failed;

  if (value->kind == TS_EXPR_CALL && value->call->code == TS_OP_CALL)
    return ts_reader_result_type (reader, value->call, node, &failed);
  return ts_reader_type_of (reader, value);
}

void
ts_reader_check_return (TsReader *reader, const TsNode *node, TsExpr *const *values, guint n)
{
  const TsFunction *function = reader->function;
  const TsNode *each = n > 1 ? node->first : node;
  const TsType *only = n == 1 ? returned_type (reader, node, values[0]) : NULL;
  gboolean is_tuple = ts_type_is (only, TS_TYPE_TUPLE) && only->n_elems == function->n_returns && function->returns_tuple;

  if (function->n_returns == 0 || is_tuple || (n == 1 && only == NULL))
    return;
  if (n != function->n_returns)
    {
      mismatch (reader, node, "the function declares %u result%s, %u %s returned", function->n_returns,
                function->n_returns == 1 ? "" : "s", n, n == 1 ? "is" : "are");
      return;
    }
  for (guint i = 0; i < n && each != NULL; i++, each = each->next)
    {
      const TsType *type = returned_type (reader, each, values[i]);

      if (type != NULL)
        ts_reader_check_declared (reader, each, "the declared result", function->returns[i], type);
    }
}

/* The annotation adds what inference does not know: MemRef, space, view. */
static const TsType *
merge (TsReader *reader, const TsType *annotation, const TsType *type)
{
  const TsType *result = type;

  if (type->kind == TS_TYPE_MARKER || annotation->kind == TS_TYPE_SCALAR || annotation->kind == TS_TYPE_MARKER)
    return type->kind == TS_TYPE_SCALAR && annotation->kind == TS_TYPE_SCALAR && type->dtype != annotation->dtype
             && annotation->dtype == TS_DTYPE_INDEX ? type : annotation;
  if (annotation->space != TS_SPACE_NONE && annotation->space != result->space && ts_type_is_tile (result))
    result = ts_type_with_space (reader->module, result, (TsSpace) annotation->space);
  if (annotation->memref != NULL)
    result = ts_type_with_memref (reader->module, result, annotation->memref);
  if (annotation->view != NULL)
    result = ts_type_with_view (reader->module, result, annotation->view);
  return result;
}

/* A bare integer takes the integer type it is annotated with. */
static TsExpr *
retype_literal (TsReader *reader, TsExpr *value, const TsType *annotation)
{
  if (value->kind == TS_EXPR_INT && value->dtype == TS_DTYPE_INDEX && ts_type_is_scalar (annotation)
      && ts_dtype_is_integer ((TsDtype) annotation->dtype))
    return ts_expr_int (reader->module, value->i, (TsDtype) annotation->dtype);
  return value;
}

/* --- right-hand sides ---------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsOp         *op;     /* NULL: an error, reported */
  const TsType *type;   /* NULL: it gives nothing that could be assigned */
} RightSide;

static TsOp *
read_call (TsReader *reader, const TsNode *node, TsExpr **value)
{
  gboolean is_expr;

  if (node->first->kind == TS_NODE_NAME)
    switch (ts_name_meaning (reader->lexicon, node->first->name))
      {
      case TS_MEANING_SUBMIT:
        return ts_read_program_submit (reader, node);
      case TS_MEANING_CONST:
        *value = ts_read_expr (reader, node);
        return NULL;
      default:
        break;
      }
  /* A call of the file's own Python is a constant. */
  if ((*value = ts_read_constant (reader, node)) != NULL)
    return NULL;
  return ts_read_user_call (reader, node, &is_expr, value);
}

static const TsType *type_of_value (TsReader *reader, const TsNode *node, const TsExpr *value);

/* (a, b) as one value. */
static const TsType *
type_of_list (TsReader *reader, const TsNode *node, const TsExpr *list)
{
  const TsType **elems = ts_pool_array (reader->pool, const TsType *, MAX (list->n, 1));

  for (guint i = 0; i < list->n; i++)
    if ((elems[i] = type_of_value (reader, node, list->list[i])) == NULL)
      return NULL;
  return ts_type_tuple (reader->module, elems, list->n);
}

static const TsType *
type_of_value (TsReader *reader, const TsNode *node, const TsExpr *value)
{
  if (value->kind == TS_EXPR_LIST)
    return type_of_list (reader, node, value);
  if (value->kind == TS_EXPR_STRING || value->kind == TS_EXPR_DTYPE || value->kind == TS_EXPR_ENUM)
    return ts_reader_error (reader, "unsupported", node, "%s cannot be a variable of a kernel",
                            ts_node_kind_name ((TsNodeKind) node->kind));
  return ts_infer_expr (reader->module, value, reader->diags, ts_reader_span (reader, node->offset, node->end));
}

static gboolean
count_dimension (const TsExpr *e, guint *n)
{
  if (++*n > TS_MAX_TYPE_PARTS)
    return FALSE;
  switch ((TsExprKind) e->kind)
    {
    case TS_EXPR_BINARY: return count_dimension (e->items[0], n) && count_dimension (e->items[1], n);
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET: return count_dimension (e->items[0], n);
    default: return TRUE;
    }
}

/* Types share their parts, so that [v, v] again and again doubles what would be printed. */
static gboolean
count_type (const TsType *type, guint *n)
{
  if (++*n > TS_MAX_TYPE_PARTS)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (!count_dimension (type->dims[i], n))
      return FALSE;
  for (guint i = 0; i < type->n_elems; i++)
    if (!count_type (type->elems[i], n))
      return FALSE;
  return TRUE;
}

static RightSide read_any_right_side (TsReader *reader, const TsNode *node, const TsType *annotation);

/* Nothing is left out in silence: what gives no operation has been reported, here or where its parts were defined. */
static RightSide
read_right_side (TsReader *reader, const TsNode *node, const TsType *annotation)
{
  RightSide right = read_any_right_side (reader, node, annotation);
  guint n = 0;

  if (right.op != NULL && right.type != NULL && !count_type (right.type, &n))
    {
      ts_reader_error (reader, "limit", node, "a type of more than %u parts", TS_MAX_TYPE_PARTS);
      right.op = NULL;
    }
  if (right.op == NULL && !ts_diag_list_has_errors (reader->diags))
    ts_reader_error (reader, "unsupported", node, "%s gives no value that a variable could hold",
                     ts_node_kind_name ((TsNodeKind) node->kind));
  return right;
}

static RightSide
read_any_right_side (TsReader *reader, const TsNode *node, const TsType *annotation)
{
  RightSide right = { NULL, NULL };
  TsExpr *value = NULL;
  gboolean failed;

  if (node->kind == TS_NODE_CALL)
    right.op = read_call (reader, node, &value);
  else if (node->kind == TS_NODE_SUBSCRIPT && ts_reader_closure (reader, node) == NULL)
    right.op = ts_read_subscript (reader, node, &value);
  else
    value = ts_read_expr (reader, node);
  if (right.op != NULL)
    {
      right.type = ts_reader_result_type (reader, right.op, node, &failed);
      if (failed)
        right.op = NULL;
      else
        ts_warn_undeclared_result (reader, right.op, node);
      return right;
    }
  if (value == NULL)
    return right;
  if (annotation != NULL)
    value = retype_literal (reader, value, annotation);
  if (value->kind == TS_EXPR_NONE)
    right.op = ts_op_new (reader->module, TS_OP_SYSTEM_TASK_INVALID, NULL, NULL, 0);
  else
    right.op = ts_op_new (reader->module, TS_OP_ASSIGN, NULL, &value, 1);
  right.type = value->kind == TS_EXPR_NONE ? ts_type_scalar (reader->module, TS_DTYPE_TASK_ID)
      : type_of_value (reader, node, value);
  if (right.type == NULL && annotation == NULL)
    right.op = NULL;
  return right;
}

TsOp *
ts_read_right_side (TsReader *reader, const TsNode *node, const TsType **type)
{
  RightSide right = read_right_side (reader, node, NULL);

  *type = right.type;
  return right.op;
}

/* --- targets ------------------------------------------------------------------------------------------------------------- */

/* FALSE (reported) when the name has another type already, or strict_ssa forbids a second definition. */
static gboolean
check_target (TsReader *reader, const TsNode *target, const TsType *type)
{
  TsName *name = target->name;
  TsValue *value = name->value;
  TsDiag *diag;

  if (ts_reader_may_retype (reader, name))
    return TRUE;
  if (reader->function->strict_ssa)
    {
      diag = ts_reader_note (reader, TS_SEVERITY_ERROR, "already-defined", target,
                             "'%s' is already defined, and strict_ssa allows one definition",
                             name->text);
      if (value->def != NULL && !ts_span_is_none (value->def->span))
        diag->help = g_strdup_printf ("the earlier one stands in line %u", ts_module_line (reader->module, value->def->span));
      return FALSE;
    }
  if (ts_types_agree (value->type, type))
    return TRUE;
  {
    g_autofree char *before = ts_pypto_print_type (reader->module, value->type);
    g_autofree char *after = ts_pypto_print_type (reader->module, type);

    ts_reader_error (reader, "type-mismatch", target, "cannot reassign '%s' with a different type: it is %s, the expression %s",
                     name->text,
                     before, after);
  }
  return FALSE;
}

static void
define (TsReader *reader, TsStatement *statement, TsOp *op, const TsNode *target, const TsType *type)
{
  if (!check_target (reader, target, type))
    return;
  if (op->code == TS_OP_PLD_TENSOR_ALLOC_WINDOW_BUFFER && ts_op_keyword (op, "name") == NULL)
    ts_op_add_keyword (reader->module, op, "name", ts_expr_string (reader->module, target->name->text));
  ts_reader_define_result (reader, op, target, type);
  ts_reader_emit (reader, op, statement);
}

static gboolean
is_submit (TsReader *reader, const TsNode *value)
{
  return value->kind == TS_NODE_CALL && value->first->kind == TS_NODE_NAME
         && ts_name_meaning (reader->lexicon, value->first->name) == TS_MEANING_SUBMIT;
}

static void
assign_name (TsReader *reader, TsStatement *statement)
{
  const TsNode *target = statement->targets;
  const TsType *annotation = statement->annotation != NULL ? ts_read_type (reader, statement->annotation) : NULL;
  RightSide right = { NULL, NULL };

  if (is_submit (reader, statement->value) && statement->annotation == NULL)
    ts_reader_error (reader, "unpack-mismatch", target, "a submit gives results and a task: write 'y, task = pl.submit(...)'");
  else if (statement->annotation == NULL || annotation != NULL)
    right = read_right_side (reader, statement->value, annotation);
  if (right.op == NULL || (right.type != NULL && annotation != NULL
                           && !check_annotation (reader, statement->annotation, annotation, right.type)))
    {
      ts_reader_poison (reader, target);
      return;
    }
  if (right.type == NULL)
    right.type = annotation != NULL ? annotation : ts_type_marker (reader->module, "pl.UnknownType");
  else if (annotation != NULL)
    right.type = merge (reader, annotation, right.type);
  define (reader, statement, right.op, target, right.type);
}

/* --- several targets ----------------------------------------------------------------------------------------------------- */

/* The plain names among nested targets, in order; FALSE (reported) when there is anything else. */
static gboolean
collect_names (TsReader *reader, const TsNode *targets, GPtrArray *names)
{
  for (const TsNode *target = targets->first; target != NULL; target = target->next)
    {
      if (target->kind == TS_NODE_TUPLE || target->kind == TS_NODE_LIST)
        {
          if (!collect_names (reader, target, names))
            return FALSE;
        }
      else if (!ts_node_is_plain_name (target))
        return ts_reader_error (reader, "unsupported", target, "unpacking goes into plain names") != NULL;
      else
        g_ptr_array_add (names, (gpointer) target);
    }
  return TRUE;
}

/* What a submit gives: the results of its function, then the task. */
static const TsType *
submit_type (TsReader *reader, const TsOp *op)
{
  const TsFunction *callee = ts_module_find_function (reader->module, op->name);
  guint n = callee != NULL ? callee->n_returns : 0;
  const TsType **elems = ts_pool_array (reader->pool, const TsType *, n + 1);

  for (guint i = 0; i < n; i++)
    elems[i] = callee->returns[i];
  elems[n] = ts_type_scalar (reader->module, TS_DTYPE_TASK_ID);
  return ts_type_tuple (reader->module, elems, n + 1);
}

/* name: TUPLE = call; a: T = name[0]; ... */
static void
take_apart (TsReader *reader, TsStatement *statement, TsOp *op, const TsType *type, const GPtrArray *names, const char *hint)
{
  TsValue *whole;

  if (!ts_type_is (type, TS_TYPE_TUPLE) || type->n_elems != names->len)
    {
      ts_reader_error_at (reader, "unpack-mismatch", statement->offset, statement->end, "%u names for %u values", names->len,
                          ts_type_is (type, TS_TYPE_TUPLE) ? type->n_elems : 1);
      ts_reader_poison (reader, statement->targets);
      return;
    }
  whole = ts_op_add_result (reader->module, op, hint, type);
  ts_reader_emit (reader, op, statement);
  for (guint i = 0; i < names->len; i++)
    {
      TsExpr *item = ts_expr_get (reader->module, ts_expr_value (reader->module, whole), i);

      define (reader, statement, ts_op_new (reader->module, TS_OP_ASSIGN, NULL, &item, 1), names->pdata[i], type->elems[i]);
    }
}

static gboolean
mentions (const TsNode *node, const TsName *name)
{
  if (node->kind == TS_NODE_NAME && node->name == name)
    return TRUE;
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    if (mentions (child, name))
      return TRUE;
  return FALSE;
}

/* a, b = x, y: one after the other, unless one reads what another writes. */
static void
assign_pairwise (TsReader *reader, TsStatement *statement, const GPtrArray *names)
{
  const TsNode *value = statement->value->first;
  guint i = 0;

  for (const TsNode *each = value; each != NULL; each = each->next)
    for (guint k = 0; k < names->len; k++)
      if (mentions (each, ((const TsNode *) names->pdata[k])->name))
        {
          ts_reader_error (reader, "unsupported", each,
                           "a parallel assignment that reads what it assigns; write it as several statements");
          return;
        }
  for (; value != NULL; value = value->next, i++)
    {
      RightSide right = read_right_side (reader, value, NULL);

      if (right.op == NULL || right.type == NULL)
        ts_reader_poison (reader, names->pdata[i]);
      else
        define (reader, statement, right.op, names->pdata[i], right.type);
    }
}

/* The results of an inline kernel are there one by one. */
static void
assign_items (TsReader *reader, TsStatement *statement, const TsExpr *list, const GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++)
    {
      TsExpr *item = list->list[i];
      const TsType *type = type_of_value (reader, statement->value, item);

      if (type != NULL)
        define (reader, statement, ts_op_new (reader->module, TS_OP_ASSIGN, NULL, &item, 1), names->pdata[i], type);
      else
        ts_reader_poison (reader, names->pdata[i]);
    }
}

static void
assign_tuple (TsReader *reader, TsStatement *statement)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  gboolean submitted;
  RightSide right;

  if (!collect_names (reader, statement->targets, names))
    return;
  if (statement->value->kind == TS_NODE_TUPLE && statement->value->n == names->len)
    {
      assign_pairwise (reader, statement, names);
      return;
    }
  right = read_right_side (reader, statement->value, NULL);
  if (right.op == NULL)
    {
      ts_reader_poison (reader, statement->targets);
      return;
    }
  if (right.op->code == TS_OP_ASSIGN && right.op->operands[0]->kind == TS_EXPR_LIST
      && right.op->operands[0]->n == names->len)
    {
      assign_items (reader, statement, right.op->operands[0], names);
      return;
    }
  submitted = right.op->code == TS_OP_SUBMIT || right.op->code == TS_OP_SPMD_SUBMIT;
  if (submitted)
    right.type = submit_type (reader, right.op);
  take_apart (reader, statement, right.op, right.type, names, submitted ? "_submit_tmp" : "_tuple_tmp");
}

/* ping = pl.MemRef(), pong = ping: names for types that follow, no statements. */
static gboolean
declares_memref (TsReader *reader, TsStatement *statement)
{
  const TsNode *value = statement->value;
  const TsConst *constant = value->kind == TS_NODE_NAME && ts_name_meaning (reader->lexicon, value->name) == TS_MEANING_PLAIN
                              ? ts_reader_closure (reader, value) : NULL;

  if (constant != NULL && constant->kind == TS_CONST_SYNTAX)
    value = constant->node;
  if (!ts_reader_is_call_of (reader, value, TS_MEANING_MEMREF))
    return FALSE;
  reader->scope = ts_eval_bind (reader->eval, reader->scope, statement->targets,
                                ts_eval_node (reader->eval, reader->scope, statement->value));
  return TRUE;
}

void
ts_read_source_assignment (TsReader *reader, TsStatement *statement)
{
  const TsNode *target = statement->targets;

  if (statement->n_targets > 1)
    {
      ts_reader_error (reader, "unsupported", target, "chained assignment is not supported: write one statement for each name");
      for (const TsNode *each = target; each != NULL; each = each->next)
        ts_reader_poison (reader, each);
    }
  else if (statement->value == NULL)
    ts_reader_error (reader, "syntax", target, "a declaration without a value");
  else if (ts_node_is_plain_name (target))
    {
      if (!declares_memref (reader, statement))
        assign_name (reader, statement);
    }
  else if (target->kind == TS_NODE_TUPLE || target->kind == TS_NODE_LIST)
    assign_tuple (reader, statement);
  else if (target->kind == TS_NODE_SUBSCRIPT)
    ts_read_subscript_store (reader, statement);
  else
    ts_reader_error (reader, "unsupported", target, "%s cannot be assigned to", ts_node_kind_name ((TsNodeKind) target->kind));
}
