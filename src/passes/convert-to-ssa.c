/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ConvertToSSA: one definition per variable; loops carry what they change, branches join it.
 * Source: spec dsl section 6 for the names, issue "The kernel language, whole" for the scope. */
#include <string.h>

#include "ir/build.h"
#include "ir/nested-calls.h"
#include "ir/op-info.h"
#include "passes/first-values.h"
#include "passes/loops.h"
#include "passes/structure-jumps.h"

/* One function. Variables of the input are looked up by id; those made here have larger ids and stand for themselves. */
typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  TsCloner      *cloner;    /* what a variable is at this point: the same map as `current` */
  guint          n_old;     /* variables of the input */
  TsValue      **current;   /* by id; NULL: not assigned yet, or not visible */
  GArray        *trail;     /* Change */
  guint8        *assigned;  /* by id: some statement of the function assigns it */
  guint32       *last_read; /* by id: position of the last statement that reads it */
  GHashTable    *positions; /* operation with regions to the position of the last statement inside */
  guint32        position;
  GHashTable    *versions;  /* base name to the next number */
  const TsOp    *reading;
  const TsOp *const *unassigned; /* by id: where the input may read it too early */
  guint          n_input;   /* entries of that: flags of jumps have larger ids */
  guint          n_written; /* variables as the kernel was written; then those made for nested calls */
  gboolean       failed;
} Conversion;

typedef struct
{
  gint32   id;
  TsValue *old;
} Change;

static void convert_block (Conversion *c, TsBlock *block);

/* --- names ------------------------------------------------------------------------------------------------------------------- */

/* base__role_vN, numbered per base in program order. */
static char *
versioned_name (Conversion *c, const char *hint, const char *role)
{
  const char *cut = strstr (hint, "__");
  g_autofree char *base = cut != NULL && cut != hint ? g_strndup (hint, cut - hint) : g_strdup (hint);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (c->versions, base));
  char *name = g_strdup_printf ("%s__%s_v%u", base, role, number);
  g_hash_table_insert (c->versions, g_steal_pointer (&base), GUINT_TO_POINTER (number + 1));
  return name;
}

/* A variable made for a nested call has the name it is to have. */
static char *
name_of_version (Conversion *c, const TsValue *variable, const char *role)
{
  if ((guint) variable->id >= c->n_written && g_str_has_prefix (variable->hint, TS_NESTED_CALL_PREFIX))
    return g_strdup (variable->hint);
  return versioned_name (c, variable->hint, role);
}

static TsValue *
new_version (Conversion *c, const TsValue *variable, TsValueKind kind, const char *role)
{
  g_autofree char *name = name_of_version (c, variable, role);
  return ts_value_new (c->module, kind, name, ts_cloner_type (c->cloner, variable->type));
}

/* --- the map ----------------------------------------------------------------------------------------------------------------- */

static void
set_current (Conversion *c, gint32 id, const TsValue *variable, TsValue *version)
{
  Change change = { id, c->current[id] };
  g_array_append_val (c->trail, change);
  c->current[id] = version;
  ts_cloner_set (c->cloner, variable, version != NULL ? ts_expr_value (c->module, version) : NULL);
}

static void
bind (Conversion *c, const TsValue *variable, TsValue *version)
{
  set_current (c, variable->id, variable, version);
}

/* A trail entry knows only the id; the cloner wants a value: any with that id will do. */
static void
undo_to (Conversion *c, guint mark)
{
  while (c->trail->len > mark)
    {
      Change change = g_array_index (c->trail, Change, c->trail->len - 1);
      g_array_set_size (c->trail, c->trail->len - 1);
      c->current[change.id] = change.old;
      TsValue key = { .id = change.id };
      ts_cloner_set (c->cloner, &key, change.old != NULL ? ts_expr_value (c->module, change.old) : NULL);
    }
}

static void
check_read (TsValue *value, gpointer data)
{
  Conversion *c = data;
  if ((guint) value->id >= c->n_old || c->failed || !c->assigned[value->id] || c->current[value->id] != NULL)
    return;
  c->failed = TRUE;
  const TsOp *too_early = (guint) value->id < c->n_input ? c->unassigned[value->id] : NULL;
  if (too_early != NULL)
    ts_pass_fail (c->context, c->module, too_early, "maybe-unassigned",
                  "'%s' is read here but assigned only in an inner block that may not have run; assign it before", value->hint);
  else
    ts_pass_fail (c->context, c->module, c->reading, "maybe-unassigned",
                  "'%s' is read here but assigned only in inner blocks that end with a jump or in a loop, and there is no empty "
                  "value of its type to begin with; assign it before", value->hint);
}

static void
rewrite_uses (Conversion *c, TsOp *op)
{
  c->reading = op;
  ts_op_foreach_use (op, check_read, c);
  for (guint i = 0; i < op->n_operands; i++)
    op->operands[i] = ts_cloner_expr (c->cloner, op->operands[i]);
  for (guint i = 0; i < op->n_keywords; i++)
    op->keywords[i].value = ts_cloner_expr (c->cloner, op->keywords[i].value);
  for (guint i = 0; i < op->n_attrs; i++)
    op->attrs[i].value = ts_cloner_expr (c->cloner, op->attrs[i].value);
}

/* Every result becomes a new version of its variable. */
static void
rename_results (Conversion *c, TsOp *op, const char *role)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      TsValue *variable = op->results[i];
      TsValue *version = new_version (c, variable, TS_VALUE_RESULT, role);
      version->def = op;
      version->index = i;
      op->results[i] = version;
      bind (c, variable, version);
    }
}

static void
rename_arg (Conversion *c, TsBlock *block, guint i, const char *role)
{
  TsValue *variable = block->args[i];
  TsValue *version = new_version (c, variable, TS_VALUE_BLOCK_ARG, role);
  version->block = block;
  version->index = i;
  block->args[i] = version;
  bind (c, variable, version);
}

/* --- sets of variables ------------------------------------------------------------------------------------------------------- */

typedef struct
{
  Conversion *c;
  GPtrArray  *variables;
  GHashTable *seen;
} Collection;

static gboolean
collect_assigned (TsOp *op, gpointer data)
{
  Collection *collection = data;
  for (guint i = 0; i < op->n_results; i++)
    if (g_hash_table_add (collection->seen, op->results[i]))
      g_ptr_array_add (collection->variables, op->results[i]);
  return TRUE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  const TsValue *x = *(TsValue *const *) a, *y = *(TsValue *const *) b;
  int by_name = strcmp (x->hint, y->hint);
  return by_name != 0 ? by_name : x->id - y->id;
}

/* Variables that the regions of an operation assign, in order of their names, as the compiler carries them. */
static GPtrArray *
assigned_inside (Conversion *c, TsOp *op)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  Collection collection = { c, g_ptr_array_new (), seen };
  ts_op_walk_regions (op, collect_assigned, &collection);
  g_ptr_array_sort (collection.variables, compare_names);
  return collection.variables;
}

static gboolean
read_after (const Conversion *c, const TsOp *op, const TsValue *variable)
{
  guint32 end = GPOINTER_TO_UINT (g_hash_table_lookup (c->positions, op));
  return c->last_read[variable->id] > end;
}

/* --- loops ------------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  const TsValue *variable;
  TsOp          *first;
} FirstStore;

static gboolean
find_first_store (TsOp *op, gpointer data)
{
  FirstStore *find = data;
  for (guint i = 0; i < op->n_results && find->first == NULL; i++)
    if (op->results[i] == find->variable)
      find->first = op;
  return find->first == NULL;
}

/* A variable that the loop assigns first and that is read behind it: when it is what a store makes of a buffer known before the
 * loop (`out = store(t, at, c)`), it starts as that buffer and takes its place in the store. */
static gboolean
promote_escaping (Conversion *c, TsOp *loop, TsValue *variable)
{
  FirstStore find = { variable, NULL };
  ts_op_walk_regions (loop, find_first_store, &find);
  gint arg = find.first != NULL ? ts_op_shared_argument (find.first) : -1;
  TsValue *buffer = arg >= 0 && (guint) arg < find.first->n_operands ? ts_expr_as_value (find.first->operands[arg]) : NULL;
  if (buffer == NULL || (guint) buffer->id >= c->n_old || c->current[buffer->id] == NULL)
    return FALSE;
  bind (c, variable, c->current[buffer->id]);
  find.first->operands[arg] = ts_expr_value (c->module, variable);
  ts_step_begin (c->context->steps, "escaping", c->module, c->function, loop);
  ts_step_text (c->context->steps, "variable", variable->hint);
  ts_step_text (c->context->steps, "starts_as", buffer->hint);
  return TRUE;
}

/* What the loop must carry: assigned inside and known before, or promoted. */
static GPtrArray *
find_carried (Conversion *c, TsOp *loop)
{
  g_autoptr (GPtrArray) inside = assigned_inside (c, loop);
  GPtrArray *carried = g_ptr_array_new ();
  for (guint i = 0; i < inside->len && !c->failed; i++)
    {
      TsValue *variable = inside->pdata[i];
      if (c->current[variable->id] != NULL || (read_after (c, loop, variable) && promote_escaping (c, loop, variable)))
        g_ptr_array_add (carried, variable);
    }
  return carried;
}

/* Left by ts_structure_jumps() where values are yielded by hand. */
static gboolean
refuse_jumps (Conversion *c, TsOp *loop, const GPtrArray *carried)
{
  TsOp *jump = carried->len > 0 ? ts_jump_of (loop) : NULL;
  if (jump == NULL)
    return FALSE;
  c->failed = TRUE;
  ts_pass_fail (c->context, c->module, jump, "jump-in-carrying-loop",
                "'%s' leaves a loop that changes '%s' and yields values by hand; carry '%s' by hand too, or leave out the yields",
                jump->code == TS_OP_BREAK ? "break" : "continue", ((TsValue *) carried->pdata[0])->hint,
                ((TsValue *) carried->pdata[0])->hint);
  return TRUE;
}

static void
append_to_yield (Conversion *c, TsBlock *block, TsValue *value, const TsOp *source)
{
  TsOp *yield = ts_block_yield (block);
  if (yield == NULL)
    {
      yield = ts_build_yield (c->module, block, NULL, 0);
      ts_op_made_from (yield, source);
    }
  ts_op_add_operand (c->module, yield, ts_expr_value (c->module, value));
}

static void
record_join (Conversion *c, const char *kind, const TsOp *op, const TsValue *variable, const TsValue *result)
{
  ts_step_begin (c->context->steps, kind, c->module, c->function, op);
  ts_step_text (c->context->steps, "variable", variable->hint);
  ts_step_text (c->context->steps, "result", result->hint);
}

static void
convert_loop (Conversion *c, TsOp *loop)
{
  TsModule *module = c->module;
  TsBlock *body = ts_op_body (loop, 0);
  guint n_old_args = body->n_args, n_old_results = loop->n_results;
  g_autoptr (GPtrArray) carried = find_carried (c, loop);
  if (c->failed || refuse_jumps (c, loop, carried))
    return;

  g_autofree TsValue **results = g_new (TsValue *, carried->len + 1);
  guint mark = c->trail->len;
  for (guint i = 0; i < n_old_args; i++)
    rename_arg (c, body, i, loop->code == TS_OP_FOR && i == 0 ? "idx" : "iter");
  for (guint i = 0; i < carried->len; i++)
    {
      TsValue *variable = carried->pdata[i];
      ts_op_add_operand (module, loop, ts_expr_value (module, c->current[variable->id]));
      g_autofree char *name = versioned_name (c, variable->hint, "iter");
      TsValue *arg = ts_block_add_arg (module, body, name, ts_cloner_type (c->cloner, variable->type));
      results[i] = new_version (c, variable, TS_VALUE_RESULT, "rv");
      bind (c, variable, arg);
    }
  convert_block (c, body);
  for (guint i = 0; i < carried->len && !c->failed; i++)
    append_to_yield (c, body, c->current[((TsValue *) carried->pdata[i])->id], loop);

  undo_to (c, mark);
  rename_results (c, loop, "rv");
  g_return_if_fail (loop->n_results == n_old_results);
  for (guint i = 0; i < carried->len; i++)
    {
      ts_op_add_result_value (module, loop, results[i]);
      bind (c, carried->pdata[i], results[i]);
      record_join (c, "carried", loop, carried->pdata[i], results[i]);
    }
}

/* --- branches ---------------------------------------------------------------------------------------------------------------- */

/* Converts an arm and remembers what each of the variables is at its end. */
static void
convert_arm (Conversion *c, TsBlock *block, const GPtrArray *variables, TsValue **after)
{
  guint mark = c->trail->len;
  if (block != NULL)
    convert_block (c, block);
  for (guint i = 0; i < variables->len; i++)
    after[i] = c->current[((TsValue *) variables->pdata[i])->id];
  undo_to (c, mark);
}

/* Joined is what either arm changes and both know; what only the arms know is joined when it is read later. */
static gboolean
needs_phi (const Conversion *c, const TsOp *op, const TsValue *variable, const TsValue *then_value, const TsValue *else_value)
{
  if (then_value == NULL || else_value == NULL || then_value == else_value)
    return FALSE;
  return c->current[variable->id] != NULL || read_after (c, op, variable);
}

static void
convert_if (Conversion *c, TsOp *op)
{
  TsModule *module = c->module;
  g_autoptr (GPtrArray) variables = assigned_inside (c, op);
  g_autofree TsValue **after_then = g_new (TsValue *, variables->len + 1);
  g_autofree TsValue **after_else = g_new (TsValue *, variables->len + 1);
  convert_arm (c, ts_op_body (op, 0), variables, after_then);
  convert_arm (c, op->n_regions > 1 ? ts_op_body (op, 1) : NULL, variables, after_else);
  if (c->failed)
    return;

  rename_results (c, op, "phi");
  for (guint i = 0; i < variables->len; i++)
    {
      TsValue *variable = variables->pdata[i];
      if (!needs_phi (c, op, variable, after_then[i], after_else[i]))
        continue;
      if (op->n_regions < 2)
        ts_op_add_region (module, op);
      append_to_yield (c, ts_op_body (op, 0), after_then[i], op);
      append_to_yield (c, ts_op_body (op, 1), after_else[i], op);
      TsValue *phi = new_version (c, variable, TS_VALUE_RESULT, "phi");
      ts_op_add_result_value (module, op, phi);
      bind (c, variable, phi);
      record_join (c, "phi", op, variable, phi);
    }
}

/* --- statements -------------------------------------------------------------------------------------------------------------- */

static void
convert_op (Conversion *c, TsOp *op)
{
  rewrite_uses (c, op);
  if (c->failed)
    return;
  switch ((int) op->code)
    {
    case TS_OP_FOR:
    case TS_OP_WHILE:
      convert_loop (c, op);
      break;
    case TS_OP_IF:
      convert_if (c, op);
      break;
    default:
      /* A scope only groups: what it assigns is known behind it. */
      for (guint r = 0; r < op->n_regions; r++)
        for (guint b = 0; b < op->regions[r].n_blocks; b++)
          {
            for (guint i = 0; i < op->regions[r].blocks[b]->n_args; i++)
              rename_arg (c, op->regions[r].blocks[b], i, "idx");
            convert_block (c, op->regions[r].blocks[b]);
          }
      rename_results (c, op, "ssa");
      break;
    }
}

static void
convert_block (Conversion *c, TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL && !c->failed; op = op->next)
    convert_op (c, op);
}

/* --- functions --------------------------------------------------------------------------------------------------------------- */

static void
note_read (TsValue *value, gpointer data)
{
  Conversion *c = data;
  c->last_read[value->id] = c->position;
}

/* Positions number statements in program order; an operation with regions ends where its last inner statement does. */
static void
survey_region (Conversion *c, const TsRegion *region)
{
  for (guint b = 0; b < region->n_blocks; b++)
    for (const TsOp *op = region->blocks[b]->first; op != NULL; op = op->next)
      {
        c->position++;
        ts_op_foreach_use (op, note_read, c);
        for (guint i = 0; i < op->n_results; i++)
          {
            c->assigned[op->results[i]->id] = 1;
            if (op->results[i]->type != NULL)
              ts_type_foreach_value (op->results[i]->type, note_read, c);
          }
        for (guint r = 0; r < op->n_regions; r++)
          survey_region (c, &op->regions[r]);
        if (op->n_regions > 0)
          g_hash_table_insert (c->positions, (gpointer) op, GUINT_TO_POINTER (c->position));
      }
}

static void
rename_params (Conversion *c)
{
  TsFunction *function = c->function;
  for (guint i = 0; i < function->n_params; i++)
    {
      TsValue *variable = function->params[i];
      TsValue *version = new_version (c, variable, TS_VALUE_PARAM, "ssa");
      version->index = i;
      function->params[i] = version;
      bind (c, variable, version);
    }
  /* A type may name a later parameter. */
  for (guint i = 0; i < function->n_params; i++)
    function->params[i]->type = ts_cloner_type (c->cloner, function->params[i]->type);
  for (guint i = 0; i < function->n_returns; i++)
    function->returns[i] = ts_cloner_type (c->cloner, function->returns[i]);
  for (guint i = 0; i < function->n_attrs; i++)
    function->attrs[i].value = ts_cloner_expr (c->cloner, function->attrs[i].value);
}

static gboolean
convert_function (TsPassContext *context, TsModule *module, TsFunction *function, const TsOp *const *unassigned, guint n_input,
                  guint n_written)
{
  gsize n = MAX ((gsize) module->n_values, 1);
  g_autoptr (TsCloner) cloner = ts_cloner_new (module);
  Conversion c = { .context = context, .module = module, .function = function, .cloner = cloner, .n_old = (guint) n,
                   .unassigned = unassigned, .n_input = n_input, .n_written = n_written };
  c.current = g_new0 (TsValue *, n);
  c.assigned = g_new0 (guint8, n);
  c.last_read = g_new0 (guint32, n);
  c.trail = g_array_new (FALSE, FALSE, sizeof (Change));
  c.positions = g_hash_table_new (NULL, NULL);
  c.versions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  survey_region (&c, &function->body);
  rename_params (&c);
  for (guint b = 0; b < function->body.n_blocks; b++)
    convert_block (&c, function->body.blocks[b]);

  g_free (c.current);
  g_free (c.assigned);
  g_free (c.last_read);
  g_array_unref (c.trail);
  g_hash_table_unref (c.positions);
  g_hash_table_unref (c.versions);
  return !c.failed;
}

typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
} Flattening;

static void
record_nested (TsOp *made, const TsOp *statement, gpointer data)
{
  const Flattening *f = data;
  if (made->code == TS_OP_ASSIGN || made->code == TS_OP_IF)
    return; /* stands for a condition: its calls are recorded */
  ts_step_begin (f->context->steps, "nested-call", f->module, f->function, statement);
  ts_step_text (f->context->steps, "call", made->name);
  ts_step_value (f->context->steps, "result", made->results[0]);
}

/* Functions in SSA form stay so, unless jumps or the condition of a loop need a variable that changes. */
static TsPassResult
convert (TsPassContext *context, TsModule *module, TsFunction *function)
{
  guint n_written = (guint) module->n_values;
  gboolean structured;
  Flattening flattening = { context, module, function };
  gboolean flattened = ts_take_calls_apart (module, function, record_nested, &flattening) > 0;
  TsPassResult untouched = flattened ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
  gboolean done = ts_verify_function (module, function, TS_PROPERTY_SSA_FORM, NULL);
  if (done && !ts_has_jumps (function))
    return untouched;
  guint n = (guint) module->n_values;
  g_autofree const TsOp **unassigned = ts_unassigned_reads (function, n);
  if (!ts_structure_jumps (context, module, function, &structured))
    return TS_PASS_FAILED;
  if (done && !structured)
    return untouched;
  ts_give_first_values (context, module, function, unassigned, n);
  return convert_function (context, module, function, unassigned, n, n_written) ? TS_PASS_CHANGED : TS_PASS_FAILED;
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  gboolean changed = FALSE, failed = FALSE;
  for (guint i = 0; i < module->n_functions; i++)
    {
      TsFunction *function = module->functions[i];
      if (function->body_kind != TS_BODY_STATEMENTS)
        continue;
      TsPassResult result = convert (context, module, function);
      changed |= result == TS_PASS_CHANGED;
      failed |= result == TS_PASS_FAILED; /* one function's fault does not hide another's */
    }
  return failed ? TS_PASS_FAILED : changed ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

const TsPassInfo ts_pass_convert_to_ssa = {
  .name = "ConvertToSSA",
  .id = "convert-to-ssa",
  .summary = "Give every variable one definition",
  .help = "Functions in which a variable is assigned more than once get one variable per assignment, named base__ssa_vN; loops "
          "carry what they change (base__iter_vN, base__rv_vN) and branches join it (base__phi_vN), in order of the names. "
          "Functions already in SSA form are left untouched, but for nested calls and the jumps below.\n"
          "\n"
          "Calls that stand in other calls or in expressions become statements of their own first, in the order in which Python "
          "makes them, with results named t__tmp_vN: y = store(exp(load(x)), at, y) is three statements. What `and` and `or` may "
          "leave out goes into a branch; the condition of a while loop is asked again at the end of each trip. The compiler does "
          "this in its FlattenCallExpr. A call whose result nobody knows stays where it stands, which --verify full reports.\n"
          "\n"
          "A variable that a loop assigns first and that is read behind it is carried when it is the result of a store to a "
          "buffer known before. Otherwise every path must assign a variable before it is read: a loop counts that certainly runs, "
          "a branch of which one arm jumps counts as the other. Where that takes it, a value that nobody reads is assigned "
          "first: 0, an empty tile, the buffer.\n"
          "\n"
          "A loop that carries values is not left in its middle, nor is a pipeline loop, whose body is going to be copied: what "
          "stands behind a break or continue goes into the other arm of its branch, or into a branch on a flag (skip, done); done "
          "empties the trips after a break, or ends a while loop. The compiler does this in its CtrlFlowTransform. A break or "
          "continue in another loop that carries nothing stays, unless a branch beside it joins values, and so it does beside "
          "values yielded by hand. Guards nest up to a hundred levels; behind that each piece between two of them has a branch of "
          "its own. Refused is only a loop that yields some values by hand and changes others.",
  .language = TS_LANGUAGE_PYPTO,
  .produced = TS_PROPERTY_BIT (TS_PROPERTY_SSA_FORM) | TS_PROPERTY_BIT (TS_PROPERTY_NO_NESTED_CALLS),
  .invalidated = TS_PROPERTY_BIT (TS_PROPERTY_NORMALIZED_STMT_STRUCTURE),
  .planners = TS_PLANNERS_ALL,
  .in_default = TRUE,
  .whole_module = TRUE,
  .run = run,
};
