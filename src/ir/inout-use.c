/* SPDX-License-Identifier: GPL-3.0-or-later */
/* InOut-use discipline: a variable handed to a callee for writing is dead afterwards; the returned value is read instead.
 * Source: spec passes-schedule section 1, `Check`, with the improvements marked Ours. */
#include "ir/deps.h"

/* The state is an array by value id with a trail of what changed, so that a branch costs only what it changes. */
typedef struct
{
  gint32      id;
  const TsOp *old;
} Change;

typedef struct
{
  const TsModule   *module;
  const TsFunction *function;
  TsDiagList       *diags;
  const TsOp      **killer;   /* by value id: the call that took it for writing; NULL: alive */
  TsValue         **same;     /* by value id: what a bare copy copies; NULL: itself */
  guint8           *defs;     /* by value id: number of definitions, at most 2 */
  GArray           *trail;    /* Change */
  GHashTable       *kill_sets; /* FOR or WHILE to GArray of Change (`old` holds the killer) */
  guint32          *touched;  /* by value id: number of the last branch that was seen to change it */
  guint32           n_branches;
  gboolean          silent;   /* computing a kill set: nothing is reported */
  const TsOp       *reading;
  guint             n_reports;
} Check;

static void check_block (Check *check, const TsBlock *block);

static TsValue *
canonical (Check *check, TsValue *value)
{
  TsValue *same = check->same[value->id];
  return same != NULL ? same : value;
}

static void
set_killer (Check *check, gint32 id, const TsOp *by)
{
  if (check->killer[id] == by)
    return;
  Change change = { id, check->killer[id] };
  g_array_append_val (check->trail, change);
  check->killer[id] = by;
}

static void
kill_value (Check *check, TsValue *value, const TsOp *by)
{
  value = canonical (check, value);
  if (check->killer[value->id] == NULL)
    set_killer (check, value->id, by);
}

static void
revive (Check *check, TsValue *value)
{
  if (canonical (check, value) == value)
    set_killer (check, value->id, NULL);
}

/* The variable that a carried value starts as; NULL: it carries nothing, or starts as an expression, which no call writes to. */
static TsValue *
initial_of (const TsValue *value)
{
  const TsOp *loop = value->kind == TS_VALUE_BLOCK_ARG ? value->block->region->op : NULL;
  guint at = value->index;
  if (loop == NULL || (loop->code != TS_OP_WHILE && (loop->code != TS_OP_FOR || at == 0)))
    return NULL;
  at += loop->code == TS_OP_FOR ? TS_FOR_INITS - 1 : 0;
  return at < loop->n_operands ? ts_expr_as_value (loop->operands[at]) : NULL;
}

static void
report_read (Check *check, const TsValue *value, const TsOp *by)
{
  check->n_reports++;
  if (check->silent || check->diags == NULL)
    return;

  const TsOp *op = check->reading;
  g_autofree char *where = NULL;
  guint line = ts_module_line (check->module, by->span);
  if (line > 0)
    where = g_strdup_printf ("on line %u", line);
  TsDiag *diag = ts_diag_add (check->diags, TS_SEVERITY_ERROR, "0", ts_module_source (check->module, op->span), op->span,
                              "'%s' is read after the call of '%s' %s took it for writing (function '%s')", value->hint, by->name,
                              where != NULL ? where : "before it", check->function->name);
  diag->rule = g_strdup ("InOutUseDiscipline");
  diag->help = g_strdup_printf ("read the value that '%s' returned instead of '%s'", by->name, value->hint);
  diag->function = g_strdup (check->function->name);
  diag->op = op->id;
}

/* Who reads a carried value reads what it starts as, too: in the first trip it is that. */
static void
read_value (TsValue *value, gpointer data)
{
  Check *check = data;
  for (; value != NULL; value = initial_of (value))
    {
      const TsOp *by = check->killer[canonical (check, value)->id];
      if (by != NULL)
        report_read (check, value, by);
    }
}

/* Arguments whose parameter is Out or InOut die with the call. */
static void
kill_arguments (Check *check, const TsOp *call)
{
  const TsFunction *callee = ts_module_find_function (check->module, call->name);
  if (callee == NULL)
    return;
  for (guint i = 0; i < call->n_operands && i < callee->n_params; i++)
    {
      TsValue *value = ts_expr_as_value (call->operands[i]);
      if (value != NULL && callee->directions[i] != TS_DIRECTION_IN)
        kill_value (check, value, call);
    }
}

/* Calls nested in an expression kill too; expression trees are bounded in depth. */
static void
kill_nested (Check *check, const TsExpr *e)
{
  if (e == NULL || !e->has_values)
    return;
  switch ((int) e->kind)
    {
    case TS_EXPR_CALL:
      for (guint i = 0; i < e->call->n_operands; i++)
        kill_nested (check, e->call->operands[i]);
      if (ts_op_is_user_call (e->call))
        kill_arguments (check, e->call);
      break;
    case TS_EXPR_BINARY:
      kill_nested (check, e->items[0]);
      kill_nested (check, e->items[1]);
      break;
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET:
      kill_nested (check, e->items[0]);
      break;
    case TS_EXPR_LIST:
      for (guint i = 0; i < e->n; i++)
        kill_nested (check, e->list[i]);
      break;
    default:
      break;
    }
}

/* --- branches ---------------------------------------------------------------------------------------------------------------- */

static void
undo_to (Check *check, guint mark)
{
  while (check->trail->len > mark)
    {
      Change change = g_array_index (check->trail, Change, check->trail->len - 1);
      g_array_set_size (check->trail, check->trail->len - 1);
      check->killer[change.id] = change.old;
    }
}

/* What the entries changed since `mark` are now, as changes to make again. */
static GArray *
changes_since (Check *check, guint mark)
{
  GArray *now = g_array_new (FALSE, FALSE, sizeof (Change));
  for (guint i = mark; i < check->trail->len; i++)
    {
      gint32 id = g_array_index (check->trail, Change, i).id;
      Change change = { id, check->killer[id] };
      g_array_append_val (now, change);
    }
  return now;
}

/* Dead by `change.old` unless it is alive there or dead already: the first killer wins. */
static void
bury (Check *check, Change change)
{
  if (change.old != NULL && check->killer[change.id] == NULL)
    set_killer (check, change.id, change.old);
}

/* Dead afterwards is what either arm leaves dead. */
static void
check_if (Check *check, const TsOp *op)
{
  guint mark = check->trail->len;
  check_block (check, ts_op_body (op, 0));
  g_autoptr (GArray) then_state = changes_since (check, mark);
  undo_to (check, mark);

  if (op->n_regions > 1)
    check_block (check, ts_op_body (op, 1));
  check->n_branches++;
  for (guint i = 0; i < then_state->len; i++)
    check->touched[g_array_index (then_state, Change, i).id] = check->n_branches;
  /* What the else arm revived stays dead when the then arm did not touch it: the state before is what the then arm leaves. */
  for (guint i = mark, end = check->trail->len; i < end; i++)
    {
      Change change = g_array_index (check->trail, Change, i);
      if (check->touched[change.id] == check->n_branches)
        continue;
      /* The first change of each: later ones know what the else arm itself killed and revived. */
      check->touched[change.id] = check->n_branches;
      bury (check, change);
    }
  for (guint i = 0; i < then_state->len; i++)
    bury (check, g_array_index (then_state, Change, i));
}

/* --- loops ------------------------------------------------------------------------------------------------------------------- */

static void
revive_carried (Check *check, const TsOp *op)
{
  const TsBlock *body = ts_op_body (op, 0);
  for (guint i = 0; i < body->n_args; i++)
    revive (check, body->args[i]);
}

static void
check_loop (Check *check, const TsOp *op)
{
  const GArray *set = g_hash_table_lookup (check->kill_sets, op);
  for (guint i = 0; i < set->len; i++)
    bury (check, g_array_index (set, Change, i));
  revive_carried (check, op);
  /* While a kill set is computed nothing is reported, and the body adds nothing that the set does not hold. */
  if (!check->silent)
    check_block (check, ts_op_body (op, 0));
  revive_carried (check, op);
}

/* --- statements -------------------------------------------------------------------------------------------------------------- */

static void
note_copy (Check *check, const TsOp *op)
{
  if (op->code != TS_OP_ASSIGN || op->n_results != 1)
    return;
  TsValue *from = ts_expr_as_value (op->operands[0]), *to = op->results[0];
  /* Variables with several definitions stand for different values at different places: not followed. */
  if (from != NULL && from != to && check->defs[from->id] <= 1 && check->defs[to->id] <= 1)
    {
      TsValue *root = canonical (check, from);
      check->same[to->id] = root != to ? root : NULL;
    }
}

static void
check_op (Check *check, const TsOp *op)
{
  check->reading = op;
  ts_op_foreach_use (op, read_value, check);
  for (guint i = 0; i < op->n_operands; i++)
    kill_nested (check, op->operands[i]);
  if (ts_op_is_user_call (op))
    kill_arguments (check, op);

  switch ((int) op->code)
    {
    case TS_OP_IF:
      check_if (check, op);
      break;
    case TS_OP_FOR:
    case TS_OP_WHILE:
      check_loop (check, op);
      break;
    default:
      for (guint r = 0; r < op->n_regions; r++)
        for (guint b = 0; b < op->regions[r].n_blocks; b++)
          check_block (check, op->regions[r].blocks[b]);
      break;
    }
  for (guint i = 0; i < op->n_results; i++)
    revive (check, op->results[i]);
}

static void
check_block (Check *check, const TsBlock *block)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    check_op (check, op);
}

/* What the body of a loop leaves dead when nothing is dead before: once per loop, inner loops first. `killer` is all NULL. */
static void
find_kill_set (Check *check, const TsOp *op)
{
  GArray *set = g_array_new (FALSE, FALSE, sizeof (Change));
  check_block (check, ts_op_body (op, 0));
  for (guint i = 0; i < check->trail->len; i++)
    {
      gint32 id = g_array_index (check->trail, Change, i).id;
      Change change = { id, check->killer[id] };
      if (change.old == NULL)
        continue;
      g_array_append_val (set, change);
      check->killer[id] = NULL; /* listed once, and clean for the next loop */
    }
  g_array_set_size (check->trail, 0);
  g_hash_table_insert (check->kill_sets, (gpointer) op, set);
}

static void
find_kill_sets (Check *check, const TsRegion *region)
{
  for (guint b = 0; b < region->n_blocks; b++)
    for (const TsOp *op = region->blocks[b]->first; op != NULL; op = op->next)
      {
        for (guint r = 0; r < op->n_regions; r++)
          find_kill_sets (check, &op->regions[r]);
        if (op->code == TS_OP_FOR || op->code == TS_OP_WHILE)
          find_kill_set (check, op);
      }
}

static gboolean
count_definitions (TsOp *op, gpointer data)
{
  Check *check = data;
  for (guint i = 0; i < op->n_results; i++)
    if (check->defs[op->results[i]->id] < 2)
      check->defs[op->results[i]->id]++;
  return TRUE;
}

static gboolean
note_copies (TsOp *op, gpointer data)
{
  note_copy (data, op);
  return TRUE;
}

static gboolean
has_call (const TsExpr *e)
{
  if (e == NULL || !e->has_values)
    return FALSE;
  switch ((int) e->kind)
    {
    case TS_EXPR_CALL:
      return TRUE;
    case TS_EXPR_BINARY:
      return has_call (e->items[0]) || has_call (e->items[1]);
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET:
      return has_call (e->items[0]);
    case TS_EXPR_LIST:
      for (guint i = 0; i < e->n; i++)
        if (has_call (e->list[i]))
          return TRUE;
      return FALSE;
    default:
      return FALSE;
    }
}

/* A function that calls none of the program's functions can kill nothing: the common kernel is checked in no time. */
static gboolean
find_callee (TsOp *op, gpointer data)
{
  gboolean *found = data;
  *found = *found || ts_op_is_user_call (op);
  for (guint i = 0; i < op->n_operands && !*found; i++)
    *found = has_call (op->operands[i]);
  return !*found;
}

gboolean
ts_check_inout_use (const TsModule *module, const TsFunction *function, TsDiagList *diags)
{
  TsRegion *body = (TsRegion *) &function->body;
  gboolean calls = FALSE;
  if (module->n_functions > 1) /* a function does not call itself */
    ts_region_walk (body, find_callee, &calls);
  if (!calls)
    return TRUE;

  gsize n = MAX ((gsize) module->n_values, 1);
  Check check = { .module = module, .function = function, .diags = diags };
  check.killer = g_new0 (const TsOp *, n);
  check.same = g_new0 (TsValue *, n);
  check.defs = g_new0 (guint8, n);
  check.touched = g_new0 (guint32, n);
  check.trail = g_array_new (FALSE, FALSE, sizeof (Change));
  check.kill_sets = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  for (guint i = 0; i < function->n_params; i++)
    check.defs[function->params[i]->id] = 1;
  ts_region_walk (body, count_definitions, &check);
  ts_region_walk (body, note_copies, &check);

  check.silent = TRUE;
  find_kill_sets (&check, body);
  check.silent = FALSE;
  check.n_reports = 0;
  for (guint b = 0; b < body->n_blocks; b++)
    check_block (&check, body->blocks[b]);

  g_hash_table_unref (check.kill_sets);
  g_array_unref (check.trail);
  g_free (check.killer);
  g_free (check.same);
  g_free (check.defs);
  g_free (check.touched);
  return check.n_reports == 0;
}
