/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SSAForm and UseAfterDef: where variables may be read. One walk, two policies. Source: spec passes-schedule section 8. */
#include "ir/verify-private.h"

/* Visibility is a flag per value with a trail, so that leaving a scope costs what was defined in it. */
typedef struct
{
  TsVerifier *verifier;
  gboolean    ssa;      /* SSAForm; FALSE: UseAfterDef */
  gint32      first_id; /* least id of a value that the function defines: functions are read one after the other, so that the ids of
                           one lie together */
  guint32     n_ids;
  guint8     *visible;  /* by value id from first_id on */
  guint8     *defined;  /* SSA: has a definition already */
  GArray     *trail;    /* guint32: slots made visible, in order */
  const TsOp *reading;
} Scopes;

static const char *
value_name (const TsValue *value)
{
  return value->hint != NULL && value->hint[0] != '\0' ? value->hint : "?";
}

/* Place of a value in the tables; n_ids for one that the function does not define. */
static guint32
slot_of (const Scopes *scopes, const TsValue *value)
{
  guint32 slot = (guint32) value->id - (guint32) scopes->first_id;
  return MIN (slot, scopes->n_ids);
}

static void
show (Scopes *scopes, const TsValue *value)
{
  guint32 slot = slot_of (scopes, value);
  if (slot == scopes->n_ids || scopes->visible[slot])
    return;
  scopes->visible[slot] = 1;
  g_array_append_val (scopes->trail, slot);
}

static void
hide_to (Scopes *scopes, guint mark)
{
  for (guint i = mark; i < scopes->trail->len; i++)
    scopes->visible[g_array_index (scopes->trail, guint32, i)] = 0;
  g_array_set_size (scopes->trail, mark);
}

static void
show_in_type (TsValue *value, gpointer data)
{
  show (data, value);
}

/* What is defined outside of functions: dynamic symbols and bases of buffers that no statement allocates. */
static gboolean
is_global (const TsValue *value)
{
  return value->kind == TS_VALUE_SYMBOL || value->kind == TS_VALUE_BASE;
}

static void
read_value (TsValue *value, gpointer data)
{
  Scopes *scopes = data;
  guint32 slot = slot_of (scopes, value);
  if (is_global (value) || (slot < scopes->n_ids && scopes->visible[slot]))
    return;
  if (scopes->ssa)
    ts_verifier_error (scopes->verifier, scopes->reading, "6", "Variable '%s' is used outside its defining scope",
                       value_name (value));
  else
    ts_verifier_error (scopes->verifier, scopes->reading, "401", "Variable '%s' is used before definition",
                       value_name (value));
}

/* SSAForm lets the variables of a type join the scope; UseAfterDef counts them as uses. */
static void
see_type (Scopes *scopes, const TsType *type)
{
  if (type == NULL || !type->has_values)
    return;
  ts_type_foreach_value (type, scopes->ssa ? show_in_type : read_value, scopes);
}

static void
define (Scopes *scopes, const TsOp *op, TsValue *value)
{
  see_type (scopes, value->type);
  if (scopes->ssa && scopes->defined[slot_of (scopes, value)])
    ts_verifier_error (scopes->verifier, op, "1", "Variable '%s' is defined more than once", value_name (value));
  scopes->defined[slot_of (scopes, value)] = 1;
  show (scopes, value);
}

static void check_block (Scopes *scopes, const TsBlock *block);

/* --- yields ------------------------------------------------------------------------------------------------------------------ */

/* The last statement of a body; scopes that only group are looked through. */
static const TsOp *
last_statement (const TsBlock *block)
{
  const TsOp *last = block->last;
  while (last != NULL && last->code == TS_OP_SCOPE && last->n_regions == 1
         && (last->sub == TS_SCOPE_AUTO || last->sub == TS_SCOPE_MANUAL || last->sub == TS_SCOPE_SPLIT_AIV))
    last = ts_op_body (last, 0)->last;
  return last;
}

/* Code 7 is only worth saying when the last yield is sound. */
static void
check_early_yields (TsVerifier *verifier, const TsBlock *block)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    if (op->code == TS_OP_YIELD && op->next != NULL)
      ts_verifier_error (verifier, op, "7", "YieldStmt before the terminating position of its block");
}

static void
check_yield (TsVerifier *verifier, const TsOp *op, const TsBlock *block, guint expected, const char *what)
{
  const TsOp *last = last_statement (block);
  if (!ts_op_is (last, TS_OP_YIELD))
    {
      if (expected > 0)
        ts_verifier_error (verifier, op, "3", "%s must have YieldStmt as its last statement", what);
      return;
    }
  if (last->n_operands != expected)
    ts_verifier_error (verifier, last, "5",
                       "YieldStmt value count (%u) does not match the %u results of its %s", last->n_operands, expected, what);
  else
    check_early_yields (verifier, block);
}

static void
check_loop_shape (TsVerifier *verifier, const TsOp *op)
{
  gboolean is_for = op->code == TS_OP_FOR;
  guint n_carried = ts_op_body (op, 0)->n_args - (is_for ? 1 : 0);
  if (n_carried != op->n_results)
    ts_verifier_error (verifier, op, "4", "iter_args count (%u) does not match return_vars count (%u)", n_carried,
                       op->n_results);
  if (n_carried > 0 || op->n_results > 0)
    check_yield (verifier, op, ts_op_body (op, 0), op->n_results, is_for ? "ForStmt with iter_args" : "WhileStmt with iter_args");
}

static void
check_if_shape (TsVerifier *verifier, const TsOp *op)
{
  if (op->n_results == 0)
    return;
  if (op->n_regions < 2)
    ts_verifier_error (verifier, op, "3", "IfStmt with return_vars must have else branch");
  for (guint r = 0; r < op->n_regions; r++)
    check_yield (verifier, op, ts_op_body (op, r), op->n_results, r == 0 ? "then branch" : "else branch");
}

static void
check_shape (TsVerifier *verifier, const TsOp *op)
{
  if (op->n_regions == 0)
    return;
  if (op->code == TS_OP_FOR || op->code == TS_OP_WHILE)
    check_loop_shape (verifier, op);
  else if (op->code == TS_OP_IF)
    check_if_shape (verifier, op);
}

static gboolean
visit_shape (TsOp *op, gpointer data)
{
  check_shape (data, op);
  return TRUE;
}

void
ts_verify_yields_valid (TsVerifier *verifier)
{
  ts_region_walk ((TsRegion *) &verifier->function->body, visit_shape, verifier);
}

/* --- statements -------------------------------------------------------------------------------------------------------------- */

static void
check_region (Scopes *scopes, const TsOp *op, guint r)
{
  for (guint b = 0; b < op->regions[r].n_blocks; b++)
    {
      const TsBlock *block = op->regions[r].blocks[b];
      for (guint i = 0; i < block->n_args; i++)
        define (scopes, op, block->args[i]);
      check_block (scopes, block);
    }
}

/* UseAfterDef: without results, what the regions define is visible afterwards (an if: what either arm defines). */
static void
check_regions (Scopes *scopes, const TsOp *op)
{
  gboolean transparent = op->code == TS_OP_SCOPE;
  gboolean leaks = transparent || (!scopes->ssa && op->n_results == 0);
  g_autoptr (GArray) leaked = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint r = 0; r < op->n_regions; r++)
    {
      guint mark = scopes->trail->len;
      check_region (scopes, op, r);
      if (leaks)
        g_array_append_vals (leaked, scopes->trail->data + mark * sizeof (guint32), scopes->trail->len - mark);
      hide_to (scopes, mark);
    }
  for (guint i = 0; i < leaked->len; i++)
    {
      guint32 slot = g_array_index (leaked, guint32, i);
      if (!scopes->visible[slot])
        {
          scopes->visible[slot] = 1;
          g_array_append_val (scopes->trail, slot);
        }
    }
}

static void
check_op (Scopes *scopes, const TsOp *op)
{
  scopes->reading = op;
  ts_op_foreach_use (op, read_value, scopes);
  if (op->n_regions > 0)
    {
      if (scopes->ssa)
        check_shape (scopes->verifier, op);
      check_regions (scopes, op);
      scopes->reading = op;
    }
  for (guint i = 0; i < op->n_results; i++)
    define (scopes, op, op->results[i]);
}

static void
check_block (Scopes *scopes, const TsBlock *block)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    check_op (scopes, op);
}

/* The range of ids of what a function defines, and of what its types mention. */
typedef struct
{
  gint32 first, last;
} IdRange;

static void
widen (TsValue *value, gpointer data)
{
  IdRange *range = data;
  range->first = MIN (range->first, value->id);
  range->last = MAX (range->last, value->id);
}

static gboolean
widen_by_op (TsOp *op, gpointer data)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      widen (op->results[i], data);
      if (op->results[i]->type != NULL && op->results[i]->type->has_values)
        ts_type_foreach_value (op->results[i]->type, widen, data);
    }
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      for (guint i = 0; i < op->regions[r].blocks[b]->n_args; i++)
        {
          widen (op->regions[r].blocks[b]->args[i], data);
          if (op->regions[r].blocks[b]->args[i]->type != NULL)
            ts_type_foreach_value (op->regions[r].blocks[b]->args[i]->type, widen, data);
        }
  return TRUE;
}

static IdRange
find_range (const TsFunction *function)
{
  IdRange range = { G_MAXINT32, -1 };
  for (guint i = 0; i < function->n_params; i++)
    {
      widen (function->params[i], &range);
      if (function->params[i]->type != NULL)
        ts_type_foreach_value (function->params[i]->type, widen, &range);
    }
  for (guint i = 0; i < function->n_returns; i++)
    if (function->returns[i] != NULL)
      ts_type_foreach_value (function->returns[i], widen, &range);
  ts_region_walk ((TsRegion *) &function->body, widen_by_op, &range);
  return range;
}

static void
check_scopes (TsVerifier *verifier, gboolean ssa)
{
  const TsFunction *function = verifier->function;
  IdRange range = find_range (function);
  Scopes scopes = { .verifier = verifier, .ssa = ssa };
  scopes.first_id = range.last >= 0 ? range.first : 0;
  scopes.n_ids = range.last >= 0 ? (guint32) (range.last - range.first) + 1 : 0;
  scopes.visible = g_new0 (guint8, scopes.n_ids + 1);
  scopes.defined = g_new0 (guint8, scopes.n_ids + 1);
  scopes.trail = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < function->n_params; i++)
    {
      show (&scopes, function->params[i]);
      scopes.defined[slot_of (&scopes, function->params[i])] = 1;
    }
  /* A signature may name later parameters and variables of the body (dumps do): its variables are visible everywhere. */
  for (guint i = 0; i < function->n_params; i++)
    if (function->params[i]->type != NULL)
      ts_type_foreach_value (function->params[i]->type, show_in_type, &scopes);
  for (guint i = 0; i < function->n_returns; i++)
    if (function->returns[i] != NULL)
      ts_type_foreach_value (function->returns[i], show_in_type, &scopes);
  if (!ssa)
    for (guint i = 0; i < function->n_attrs; i++)
      ts_expr_foreach_value (function->attrs[i].value, read_value, &scopes);
  for (guint b = 0; b < function->body.n_blocks; b++)
    check_block (&scopes, function->body.blocks[b]);

  g_free (scopes.visible);
  g_free (scopes.defined);
  g_array_unref (scopes.trail);
}

void
ts_verify_ssa_form (TsVerifier *verifier)
{
  check_scopes (verifier, TRUE);
}

void
ts_verify_use_after_def (TsVerifier *verifier)
{
  check_scopes (verifier, FALSE);
}
