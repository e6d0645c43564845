/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops, branches and yields. Source: spec dsl 5.1, 5.2. */
#include "lang/pypto/reader.h"

#include <string.h>

#include "base/limits.h"

/* --- yields -------------------------------------------------------------------------------------------------------------- */

/* Where a yield goes: the loop or branch around it, through scopes. */
static TsOuter *
begin_outer (TsReader *reader, TsOuter *outer, TsOp *op)
{
  *outer = (TsOuter) { .up = reader->outer, .op = op };
  reader->outer = outer;
  return outer;
}

static void
end_outer (TsReader *reader)
{
  reader->outer = reader->outer->up;
}

static const TsNode *
nth_target (const TsNode *targets, guint i)
{
  if (targets == NULL || targets->kind != TS_NODE_TUPLE)
    return i == 0 ? targets : NULL;
  targets = targets->first;
  while (targets != NULL && i-- > 0)
    targets = targets->next;
  return targets;
}

static guint
count_targets (const TsNode *targets)
{
  return targets == NULL ? 0 : targets->kind == TS_NODE_TUPLE ? targets->n : 1;
}

/* The type of what is yielded, for results that carry no annotation. */
static const TsType *
yielded_type (TsReader *reader, const TsExpr *e)
{
  const TsValue *value = ts_expr_as_value (e);

  if (value != NULL)
    return value->type;
  if (!reader->dump)
    {
      const TsType *type = ts_reader_type_of (reader, e);

      return type != NULL ? type : ts_type_marker (reader->module, "pl.UnknownType");
    }
  return e->dtype != TS_DTYPE_NONE ? ts_type_scalar (reader->module, (TsDtype) e->dtype)
         : ts_type_marker (reader->module, "pl.UnknownType");
}

/* The first yield of a loop or branch makes its results. */
static gboolean
make_results (TsReader *reader, TsOuter *outer, const TsStatement *statement, TsOp *yield, const TsType *annotation)
{
  guint n = count_targets (statement->targets);

  if (outer->has_yield)
    {
      if (n == outer->n_targets || outer->is_broken)
        return TRUE;
      ts_reader_error_at (reader, "yield-mismatch", statement->offset, statement->end,
                          "this yield names %u result%s, the one before %u", n, n == 1 ? "" : "s", outer->n_targets);
      return FALSE;
    }
  outer->targets = ts_arena_array (reader->module->arena, TsName *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      const TsNode *target = nth_target (statement->targets, i);

      if (target->kind != TS_NODE_NAME || target->name->parent != NULL)
        return ts_reader_error (reader, "syntax", target, "a yield is assigned to plain names") != NULL;
      outer->targets[i] = target->name;
      ts_op_add_result (reader->module, outer->op, target->name->text,
                        annotation != NULL ? annotation : yielded_type (reader, yield->operands[i]));
    }
  outer->n_targets = n;
  outer->has_yield = TRUE;
  return TRUE;
}

/* A yield that cannot be read still names the results. */
static void
break_results (TsReader *reader, const TsStatement *statement)
{
  TsOuter *outer = reader->outer;
  guint n = count_targets (statement->targets);

  ts_reader_poison (reader, statement->targets);
  if (outer == NULL || outer->has_yield)
    return;
  outer->targets = ts_arena_array (reader->module->arena, TsName *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      const TsNode *target = nth_target (statement->targets, i);

      if (ts_node_is_plain_name (target))
        outer->targets[outer->n_targets++] = target->name;
    }
  outer->has_yield = outer->is_broken = TRUE;
}

static guint
count_carried (const TsOp *op)
{
  return op->code == TS_OP_FOR ? ts_for_n_carried (op) : op->code == TS_OP_WHILE ? op->n_operands : 0;
}

/* The value of the carried variable `i` at the start of each turn. */
static TsValue *
carried_value (const TsOp *op, guint i)
{
  const TsBlock *body = op->regions[0].blocks[0];

  return body->args[body->n_args - count_carried (op) + i];
}

/* The second arm of a branch names what the first one does. */
static gboolean
check_names (TsReader *reader, const TsStatement *statement, const TsOuter *outer)
{
  for (guint i = 0; i < outer->n_targets && i < count_targets (statement->targets); i++)
    {
      const TsNode *target = nth_target (statement->targets, i);

      if (ts_node_is_plain_name (target) && target->name != outer->targets[i])
        return ts_reader_error (reader, "yield-mismatch", target, "the yield before this one names the result '%s', this one '%s'",
                                outer->targets[i]->text, target->name->text) != NULL;
    }
  return TRUE;
}

/* As many values as are carried, each of its kind; the arms of a branch give the same results. */
static gboolean
check_yield (TsReader *reader, const TsStatement *statement, const TsNode *call, TsExpr *const *values, guint n)
{
  const TsOuter *outer = reader->outer;
  guint n_carried = count_carried (outer->op);
  const TsNode *argument = call->first->next;

  if (reader->dump || outer->is_broken)
    return TRUE;
  if (n_carried > 0 && n != n_carried)
    return ts_reader_error_at (reader, "yield-mismatch", statement->offset, statement->end,
                               "the loop carries %u value%s, this yield gives %u", n_carried, n_carried == 1 ? "" : "s", n) != NULL;
  if (outer->has_yield && !check_names (reader, statement, outer))
    return FALSE;
  for (guint i = 0; i < n; i++, argument = argument->next)
    {
      const TsValue *before = n_carried > 0 ? carried_value (outer->op, i)
                              : outer->has_yield && i < outer->op->n_results ? outer->op->results[i] : NULL;

      if (before != NULL
          && !ts_reader_check_declared (reader, argument, n_carried > 0 ? "what the loop carries" : "the result of the other arm",
                                        before->type, yielded_type (reader, values[i])))
        return FALSE;
    }
  return TRUE;
}

void
ts_read_yield (TsReader *reader, TsStatement *statement, const TsNode *call)
{
  guint n = 0, n_targets = count_targets (statement->targets);
  TsExpr **values = ts_pool_array (reader->pool, TsExpr *, call->n);
  const TsType *annotation = NULL;
  TsOp *yield;

  for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
    if (argument->kind == TS_NODE_KEYWORD || (values[n++] = ts_read_expr (reader, argument)) == NULL)
      {
        if (argument->kind == TS_NODE_KEYWORD)
          ts_reader_error (reader, "bad-argument", argument, "pl.yield_ takes no keyword");
        break_results (reader, statement);
        return;
      }
  if (statement->annotation != NULL && (annotation = ts_read_type (reader, statement->annotation)) == NULL)
    {
      break_results (reader, statement);
      return;
    }
  if (n_targets > 0 && n_targets != n)
    {
      break_results (reader, statement);
      ts_reader_error_at (reader, "yield-mismatch", statement->offset, statement->end, "%u name%s for %u yielded value%s",
                          n_targets,
                          n_targets == 1 ? "" : "s", n, n == 1 ? "" : "s");
      return;
    }
  yield = ts_op_new (reader->module, TS_OP_YIELD, NULL, values, n);
  if ((n_targets > 0 || reader->splice != NULL) && reader->outer == NULL)
    {
      ts_reader_error_at (reader, "syntax", statement->offset, statement->end,
                          "pl.yield_%s stands in a loop or a branch", n_targets > 0 ? " with a result" : "");
      return;
    }
  if (n_targets == 0 && !reader->dump && reader->outer != NULL && count_carried (reader->outer->op) > 0)
    {
      ts_reader_error (reader, "syntax", call, "in a loop with init_values a yield is assigned to the names of the results");
      return;
    }
  if (reader->outer != NULL && !check_yield (reader, statement, call, values, n))
    {
      break_results (reader, statement);
      return;
    }
  if (reader->outer != NULL && !make_results (reader, reader->outer, statement, yield, annotation))
    return;
  ts_reader_emit (reader, yield, statement);
}

/* After a loop or branch: its results under their names. */
static void
bind_results (TsReader *reader, const TsOuter *outer)
{
  for (guint i = 0; i < outer->n_targets; i++)
    ts_reader_bind (reader, outer->targets[i], outer->is_broken ? &reader->poison : outer->op->results[i]);
}

/* --- headers of loops ---------------------------------------------------------------------------------------------------- */

typedef struct
{
  const TsNode *variable; /* NULL in a while_ */
  const TsNode *carried;  /* a TUPLE, or NULL */
} LoopTargets;

/* i, or i, (a, b); in a while_ (a, b). */
static gboolean
split_targets (TsReader *reader, const TsNode *targets, gboolean has_variable, LoopTargets *out)
{
  *out = (LoopTargets) { has_variable ? targets : NULL, has_variable ? NULL : targets };
  if (has_variable && targets->kind == TS_NODE_TUPLE && targets->n == 2)
    *out = (LoopTargets) { targets->first, targets->first->next };
  if (has_variable && (out->variable->kind != TS_NODE_NAME || out->variable->name->parent != NULL))
    return ts_reader_error (reader, "syntax", targets, "a loop reads 'for i in ...' or 'for i, (a, b) in ...'") != NULL;
  if (out->carried == NULL)
    return TRUE;
  if (out->carried->kind != TS_NODE_TUPLE)
    return ts_reader_error (reader, "syntax", out->carried, "the target must be a tuple with init_values") != NULL;
  for (const TsNode *name = out->carried->first; name != NULL; name = name->next)
    if (name->kind != TS_NODE_NAME || name->name->parent != NULL)
      return ts_reader_error (reader, "syntax", name, "a carried variable is a plain name") != NULL;
  return TRUE;
}

/* Carried values, made from init_values. The names stay bound until the caller undoes them. */
static gboolean
read_inits (TsReader *reader, TsOp *op, const TsNode *call, const TsNode *carried, TsBlock *body)
{
  const TsNode *inits = ts_node_keyword (call, "init_values");
  guint n = 0, n_carried = carried != NULL ? carried->n : 0;
  TsExpr **items = NULL;
  const TsNode *name;

  if (inits != NULL && inits->kind != TS_NODE_TUPLE && inits->kind != TS_NODE_LIST)
    return ts_reader_error (reader, "bad-argument", inits, "init_values is a tuple, as in (x,)") != NULL;
  if (inits != NULL && (items = ts_read_items (reader, inits, &n)) == NULL)
    return FALSE;
  if (n > 0 && carried == NULL)
    return ts_reader_error (reader, "init-mismatch", inits,
                            "with init_values the target names what is carried: for i, (a,) in ...") != NULL;
  if (n != n_carried)
    return ts_reader_error (reader, "init-mismatch", inits != NULL ? inits : carried, "%u iter_args but %u init_values", n_carried,
                            n)
           != NULL;
  name = carried != NULL ? carried->first : NULL;
  for (guint i = 0; i < n; i++, name = name->next)
    {
      TsValue *value = ts_block_add_arg (reader->module, body, name->name->text, yielded_type (reader, items[i]));

      ts_op_add_operand (reader->module, op, items[i]);
      ts_reader_bind (reader, name->name, value);
    }
  return TRUE;
}

/* start, stop, step from one to three arguments. */
static gboolean
read_bounds (TsReader *reader, const TsNode *call, TsExpr **bounds)
{
  TsExpr *given[3];
  guint n = 0;

  for (const TsNode *argument = call->first->next; argument != NULL && argument->kind != TS_NODE_KEYWORD; argument = argument->next)
    {
      if (n == 3)
        return ts_reader_error (reader, "bad-argument", argument, "a loop takes start, stop and step") != NULL;
      if ((given[n++] = reader->dump ? ts_read_expr (reader, argument) : ts_read_whole_number (reader, argument)) == NULL)
        return FALSE;
    }
  if (n == 0)
    return ts_reader_error (reader, "bad-argument", call, "a loop needs its bound") != NULL;
  bounds[TS_FOR_START] = n > 1 ? given[0] : ts_expr_index (reader->module, 0);
  bounds[TS_FOR_STOP] = n > 1 ? given[1] : given[0];
  bounds[TS_FOR_STEP] = n > 2 ? given[2] : ts_expr_index (reader->module, 1);
  return TRUE;
}

/* INDEX, or INT64 when every constant bound is. */
static TsDtype
variable_dtype (TsExpr *const *bounds)
{
  gboolean any = FALSE;

  for (guint i = 0; i < TS_FOR_INITS; i++)
    {
      gint64 value;

      if (!ts_expr_as_int (bounds[i], &value))
        continue;
      if (bounds[i]->dtype != TS_DTYPE_INT64)
        return TS_DTYPE_INDEX;
      any = TRUE;
    }
  return any ? TS_DTYPE_INT64 : TS_DTYPE_INDEX;
}

/* Attributes are a map of unique keys, and stage= is one of them; the policies are truth values. Source: spec passes-schedule
 * section 0. */
static gboolean
check_pipeline_attrs (TsReader *reader, const TsOp *op, const TsNode *call)
{
  static const char *const policies[] = { TS_ATTR_OVERLAP_STORES, TS_ATTR_DOUBLE_BUFFER_C };
  guint n_stages = 0;

  for (guint i = 0; i < op->n_attrs; i++)
    n_stages += strcmp (op->attrs[i].key, TS_ATTR_STAGES) == 0;
  if (n_stages > 1)
    return ts_reader_error (reader, "bad-argument", call, "the number of stages is given twice: by stage= and by '%s'",
                            TS_ATTR_STAGES)
           != NULL;
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++)
    {
      const TsExpr *value = ts_op_attr (op, policies[i]);

      if (value != NULL && (value->kind != TS_EXPR_INT || value->dtype != TS_DTYPE_BOOL))
        return ts_reader_error (reader, "bad-argument", call, "'%s' takes True or False", policies[i]) != NULL;
    }
  return TRUE;
}

/* What source mode demands beyond the grammar: constant stages and unroll bounds, no step of 0. */
static gboolean
check_loop (TsReader *reader, const TsOp *op, const TsNode *call)
{
  TsExpr *stages = ts_op_attr (op, TS_ATTR_STAGES);
  gint64 value;

  if (!check_pipeline_attrs (reader, op, call))
    return FALSE;
  if (ts_expr_fold_int (op->operands[TS_FOR_STEP], &value) && value == 0)
    return ts_reader_error (reader, "bad-argument", call, "the step of a loop cannot be 0") != NULL;
  if (stages != NULL
      && (stages->dtype == TS_DTYPE_BOOL || !ts_expr_fold_int (stages, &value) || value < 1 || value > TS_MAX_STAGES))
    return ts_reader_error (reader, "bad-argument", call, "pl.pipeline() stage must be >= 1, a constant integer of at most %u",
                            TS_MAX_STAGES)
           != NULL;
  if (op->sub != TS_LOOP_UNROLL || reader->dump)
    return TRUE;
  for (guint i = 0; i < TS_FOR_INITS; i++)
    if (!ts_expr_fold_int (op->operands[i], &value))
      return ts_reader_error (reader, "bad-argument", call, "pl.unroll needs constant bounds") != NULL;
  if (ts_for_n_carried (op) > 0)
    return ts_reader_error (reader, "bad-argument", call, "pl.unroll() cannot be combined with init_values") != NULL;
  return TRUE;
}

static gboolean
read_loop_keywords (TsReader *reader, TsOp *op, const TsNode *call)
{
  gboolean good = TRUE;

  for (const TsNode *keyword = call->first->next; keyword != NULL; keyword = keyword->next)
    {
      const char *key = keyword->kind == TS_NODE_KEYWORD ? keyword->name->text : NULL;
      TsExpr *value;

      if (key == NULL || strcmp (key, "init_values") == 0)
        continue;
      if (strcmp (key, "stage") == 0 && op->sub == TS_LOOP_PIPELINE)
        {
          value = ts_read_keyword_argument (reader, keyword->first);
          if (value != NULL)
            ts_op_add_attr (reader->module, op, TS_ATTR_STAGES, value);
          good = good && value != NULL;
        }
      else if (strcmp (key, "attrs") == 0)
        good = ts_read_attrs (reader, op, keyword->first) && good;
      else if (strcmp (key, "stage") == 0)
        good = ts_reader_error (reader, "bad-argument", keyword, "stage= is only supported on pl.pipeline()") != NULL;
      else
        good = ts_reader_error (reader, "unknown-keyword", keyword, "unknown keyword argument '%s' in %s()", key,
                                call->first->name->text)
               != NULL;
    }
  if (op->sub == TS_LOOP_PIPELINE && ts_op_attr (op, TS_ATTR_STAGES) == NULL && good)
    good = ts_reader_error (reader, "bad-argument", call, "pl.pipeline() requires stage=") != NULL;
  return good && (op->code != TS_OP_FOR || check_loop (reader, op, call));
}

/* The names of a header that is broken: using them is silent. The variable of a loop is one in any case. */
static void
silence_targets (TsReader *reader, const TsNode *target)
{
  if (target == NULL)
    return;
  if (target->kind == TS_NODE_NAME && target->name->parent == NULL)
    ts_reader_bind (reader, target->name, &reader->poison);
  else if (target->kind == TS_NODE_TUPLE || target->kind == TS_NODE_LIST)
    for (const TsNode *part = target->first; part != NULL; part = part->next)
      silence_targets (reader, part);
}

/* --- for ----------------------------------------------------------------------------------------------------------------- */

/* A loop that carries values and yields none gives them as they are at the end of its body, under the names NAME_out. */
static void
yield_carried (TsReader *reader, TsOuter *outer, TsBlock *body)
{
  guint n = count_carried (outer->op);
  TsExpr **values = ts_pool_array (reader->pool, TsExpr *, MAX (n, 1));
  TsOp *yield;

  outer->targets = ts_arena_array (reader->module->arena, TsName *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      TsValue *value = carried_value (outer->op, i);
      const TsName *name = ts_lexicon_get (reader->lexicon, value->hint, strlen (value->hint));
      g_autofree char *result = g_strdup_printf ("%s_out", value->hint);

      if (name->value != NULL && name->value != &reader->poison && ts_types_agree (name->value->type, value->type))
        value = name->value;
      values[i] = ts_expr_value (reader->module, value);
      outer->targets[i] = ts_lexicon_get (reader->lexicon, result, strlen (result));
      ts_op_add_result (reader->module, outer->op, outer->targets[i]->text, value->type);
    }
  outer->n_targets = n;
  outer->has_yield = TRUE;
  yield = ts_op_new (reader->module, TS_OP_YIELD, NULL, values, n);
  yield->span = outer->op->span;
  ts_block_append (body, yield);
}

/* Reads the body with the names bound since `mark`, then takes those that are local away again: all of them where values are
 * carried, only the loop's own variable elsewhere (what a plain loop assigns stays visible behind it). */
static void
read_body (TsReader *reader, TsStatement *statement, TsOp *op, TsBlock *body, guint mark, TsBinding variable)
{
  gboolean leaks = body->n_args == (op->code == TS_OP_FOR ? 1 : 0);
  TsOuter outer;

  begin_outer (reader, &outer, op);
  ts_reader_emit (reader, op, statement);
  ts_read_suite (reader, statement, body);
  end_outer (reader);
  if (!outer.has_yield && count_carried (op) > 0)
    yield_carried (reader, &outer, body);
  if (!reader->dump && !leaks)
    ts_reader_undo (reader, mark);
  else if (!reader->dump && variable.name != NULL)
    ts_reader_bind (reader, variable.name, variable.before);
  bind_results (reader, &outer);
}

static void read_while_for (TsReader *reader, TsStatement *statement);

/* A loop with a broken header is still a loop: its body is read, for its own errors and for what it defines. */
static void
read_loop (TsReader *reader, TsStatement *statement, guint8 kind, const LoopTargets *targets, TsExpr *const *bounds)
{
  guint mark = ts_reader_mark (reader);
  TsBinding name = { NULL, NULL };
  TsOp *op;
  TsBlock *body;
  TsValue *variable;

  if (!ts_reader_enter (reader, statement))
    return;
  op = ts_op_new (reader->module, TS_OP_FOR, NULL, bounds, 3);
  op->sub = kind;
  body = ts_op_add_region (reader->module, op);
  variable = ts_block_add_arg (reader->module, body, targets != NULL ? targets->variable->name->text : "i",
                               ts_type_scalar (reader->module, variable_dtype (bounds)));
  if (targets == NULL)
    silence_targets (reader, statement->targets);
  else
    {
      const TsNode *call = statement->value;

      if (!read_inits (reader, op, call, targets->carried, body))
        silence_targets (reader, targets->carried);
      read_loop_keywords (reader, op, call);
      name = (TsBinding) { targets->variable->name, targets->variable->name->value };
      ts_reader_bind (reader, name.name, variable);
    }
  read_body (reader, statement, op, body, mark, name);
  ts_reader_leave (reader);
}

static void
default_bounds (TsReader *reader, TsExpr **bounds)
{
  bounds[TS_FOR_START] = ts_expr_index (reader->module, 0);
  bounds[TS_FOR_STOP] = bounds[TS_FOR_STEP] = ts_expr_index (reader->module, 1);
}

void
ts_read_strange_for (TsReader *reader, TsStatement *statement)
{
  TsExpr *bounds[3];

  ts_reader_error (reader, "syntax", statement->value,
                   "a for loop goes over pl.range(), pl.parallel(), pl.unroll() or pl.pipeline()");
  default_bounds (reader, bounds);
  read_loop (reader, statement, TS_LOOP_SEQUENTIAL, NULL, bounds);
}

void
ts_read_for (TsReader *reader, TsStatement *statement)
{
  const TsNode *call = statement->value;
  LoopTargets targets;
  TsExpr *bounds[3];
  gboolean good;

  if (ts_reader_is_call_of (reader, call, TS_MEANING_WHILE))
    {
      read_while_for (reader, statement);
      return;
    }
  if (!ts_reader_is_call_of (reader, call, TS_MEANING_LOOP))
    {
      ts_read_strange_for (reader, statement);
      return;
    }
  good = split_targets (reader, statement->targets, TRUE, &targets);
  if (!read_bounds (reader, call, bounds))
    default_bounds (reader, bounds);
  read_loop (reader, statement, call->first->name->detail, good ? &targets : NULL, bounds);
}

/* --- conditions ---------------------------------------------------------------------------------------------------------- */

TsExpr *
ts_read_condition (TsReader *reader, const TsNode *node)
{
  TsExpr *condition = ts_read_expr (reader, node);

  if (condition != NULL && !reader->dump && condition->dtype != TS_DTYPE_BOOL && condition->dtype != TS_DTYPE_NONE)
    return ts_reader_error (reader, "type-mismatch", node, "a condition must be Bool, not %s",
                            ts_dtype_name ((TsDtype) condition->dtype));
  return condition;
}

/* --- while --------------------------------------------------------------------------------------------------------------- */

/* for (a,) in pl.while_(init_values=(x,)): the condition is a statement of the body. */
static void
read_while_for (TsReader *reader, TsStatement *statement)
{
  guint mark = ts_reader_mark (reader), errors;
  LoopTargets targets;
  TsOp *op;
  TsBlock *body;
  gboolean good = split_targets (reader, statement->targets, FALSE, &targets);

  if (!ts_reader_enter (reader, statement))
    return;
  op = ts_op_new (reader->module, TS_OP_WHILE, NULL, NULL, 0);
  body = ts_op_add_region (reader->module, op);
  if (!good || !read_inits (reader, op, statement->value, targets.carried, body))
    silence_targets (reader, statement->targets);
  if (good)
    read_loop_keywords (reader, op, statement->value);
  errors = ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR);
  read_body (reader, statement, op, body, mark, (TsBinding) { NULL, NULL });
  if (!ts_op_is (body->first, TS_OP_COND) && ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR) == errors)
    ts_reader_error_at (reader, "syntax", statement->offset, statement->end,
                        "the first statement of pl.while_ must be pl.cond()");
  ts_reader_leave (reader);
}

void
ts_read_while (TsReader *reader, TsStatement *statement)
{
  guint mark = ts_reader_mark (reader);
  TsExpr *condition;
  TsOp *op, *cond;
  TsBlock *body;

  reader->in_condition = TRUE;
  condition = ts_read_condition (reader, statement->value);
  reader->in_condition = FALSE;
  if (!ts_reader_enter (reader, statement))
    return;
  /* The body of a loop whose condition is broken is still read, for its own errors. */
  if (condition == NULL)
    condition = ts_expr_bool (reader->module, TRUE);
  op = ts_op_new (reader->module, TS_OP_WHILE, NULL, NULL, 0);
  body = ts_op_add_region (reader->module, op);
  cond = ts_op_new (reader->module, TS_OP_COND, NULL, &condition, 1);
  cond->span = ts_reader_span (reader, statement->offset, statement->end);
  ts_block_append (body, cond);
  read_body (reader, statement, op, body, mark, (TsBinding) { NULL, NULL });
  ts_reader_leave (reader);
}

/* --- if ------------------------------------------------------------------------------------------------------------------ */

static void read_branch (TsReader *reader, TsStatement *statement, const TsStatement *place);

/* The arm behind `else`; an `elif` is an `if` nested in it. */
static void
read_otherwise (TsReader *reader, TsStatement *clause, TsOp *op)
{
  TsBlock *arm = ts_op_add_region (reader->module, op), *before = reader->block;

  ts_reader_queue_comments (reader, clause->comments, clause->n_comments);
  if (clause->kind == TS_STATEMENT_IF)
    {
      reader->block = arm;
      read_branch (reader, clause, clause);
      reader->block = before;
      return;
    }
  ts_read_suite (reader, clause, arm);
  if (arm->first == NULL)
    op->flags |= TS_OP_FLAG_ELSE_EMPTY;
}

static void
read_branch (TsReader *reader, TsStatement *statement, const TsStatement *place)
{
  guint mark = ts_reader_mark (reader);
  TsExpr *condition = ts_read_condition (reader, statement->value);
  TsStatement *clause;
  TsOuter outer;
  TsOp *op;

  if (!ts_reader_enter (reader, statement))
    {
      while ((statement = ts_suite_otherwise (reader->parser, statement)) != NULL)
        ts_suite_skip (reader->parser, statement);
      return;
    }
  /* The arms of a branch whose condition is broken are still read, for their own errors. */
  if (condition == NULL)
    condition = ts_expr_bool (reader->module, TRUE);
  op = ts_op_new (reader->module, TS_OP_IF, NULL, &condition, 1);
  begin_outer (reader, &outer, op);
  ts_reader_emit (reader, op, place);
  ts_read_suite (reader, statement, ts_op_add_region (reader->module, op));
  if ((clause = ts_suite_otherwise (reader->parser, statement)) != NULL)
    read_otherwise (reader, clause, op);
  end_outer (reader);
  if (!reader->dump && outer.n_targets > 0)
    ts_reader_undo (reader, mark);
  bind_results (reader, &outer);
  ts_reader_leave (reader);
}

void
ts_read_if (TsReader *reader, TsStatement *statement)
{
  read_branch (reader, statement, statement);
}
