/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control flow, and the regions that combine. */
#include "toy.h"

#include <string.h>

#include "toy-private.h"

#define MAX_OPERATIONS 2000000

/* --- values ---------------------------------------------------------------------------------------------------------------- */

gboolean
toy_fail (Toy *toy, const TsOp *op, const char *what)
{
  if (toy->why == NULL)
    toy->why = g_strdup_printf ("%s (operation %d): %s", op->name, op->id, what);
  return FALSE;
}

ToyElement
toy_element (const TsType *type)
{
  const TsType *e = ts_type_element (type);

  if (e->kind == TS_TYPE_POINTER)
    return ts_type_is (e->elems[0], TS_TYPE_RANKED) ? toy_element (e->elems[0]) : (ToyElement) { 64, FALSE };
  if (e->dtype == TS_DTYPE_BOOL)
    return (ToyElement) { 1, FALSE };
  return (ToyElement) { ts_dtype_bits ((TsDtype) e->dtype), ts_dtype_is_float ((TsDtype) e->dtype) };
}

guint
toy_n_lanes (const TsType *type)
{
  gint64 n = 1;

  if (ts_type_is (type, TS_TYPE_POINTER) && type->elems[0]->kind == TS_TYPE_RANKED)
    return 1 + 3 * type->elems[0]->rank;
  for (guint i = 0; ts_type_is (type, TS_TYPE_RANKED) && i < type->rank; i++)
    n *= type->dims[i]->i;
  return (guint) n;
}

guint64 *
toy_in (Toy *toy, const TsOp *op, guint i)
{
  return toy->values[ts_expr_as_value (op->operands[i])->id];
}

static guint64 *
fresh (Toy *toy, const TsValue *value)
{
  guint64 *lanes = g_new0 (guint64, toy_n_lanes (value->type));

  g_ptr_array_add (toy->garbage, lanes);
  return lanes;
}

guint64 *
toy_out (Toy *toy, const TsOp *op, guint i)
{
  return toy->values[op->results[i]->id] = fresh (toy, op->results[i]);
}

/* Lanes never change once they are made, but for results that are being made. */
void
toy_set (Toy *toy, const TsValue *value, const guint64 *lanes)
{
  toy->values[value->id] = (guint64 *) lanes;
}

/* Hands values on, all at once. */
static void
hand_on (Toy *toy, const TsOp *op, guint from, TsValue *const *to, guint n)
{
  g_autofree guint64 **lanes = g_new (guint64 *, n + 1);

  for (guint i = 0; i < n; i++)
    lanes[i] = toy_in (toy, op, from + i);
  for (guint i = 0; i < n; i++)
    toy_set (toy, to[i], lanes[i]);
}

/* --- regions that combine -------------------------------------------------------------------------------------------------- */

static const TsOp *run_block (Toy *toy, const TsBlock *block);

/* What an axis is among the lanes: `inner` lanes lie between two neighbours on it. */
typedef struct
{
  guint extent, inner, lines;
} Axis;

static Axis
axis_of (const TsOp *op)
{
  const TsType *type = ts_op_operand_type (op, 0);
  guint axis = (guint) ts_op_attr_int (op, "axis", 0);
  Axis a = { (guint) type->dims[axis]->i, 1, 0 };

  for (guint i = axis + 1; i < type->rank; i++)
    a.inner *= (guint) type->dims[i]->i;
  a.lines = toy_n_lanes (type) / a.extent;
  return a;
}

static gboolean
combine (Toy *toy, const TsOp *op, guint64 *so_far, guint lane)
{
  const TsBlock *body = ts_op_body (op, 0);
  const TsOp *last;
  guint n = op->n_operands;

  for (guint i = 0; i < n; i++)
    {
      guint64 *x = fresh (toy, body->args[i]), *y = fresh (toy, body->args[n + i]);

      x[0] = so_far[i];
      y[0] = toy_in (toy, op, i)[lane];
      toy_set (toy, body->args[i], x);
      toy_set (toy, body->args[n + i], y);
    }
  last = run_block (toy, body);
  for (guint i = 0; last != NULL && i < n; i++)
    so_far[i] = toy_in (toy, last, i)[0];
  return last != NULL;
}

static gboolean
run_combining (Toy *toy, const TsOp *op)
{
  Axis axis = axis_of (op);
  g_autofree guint64 *so_far = g_new (guint64, op->n_operands);
  gboolean scan = op->code == TS_OP_TT_SCAN, reverse = ts_op_attr_bool (op, "reverse", FALSE);

  for (guint i = 0; i < op->n_results; i++)
    toy_out (toy, op, i);
  for (guint line = 0; line < axis.lines; line++)
    for (guint k = 0; k < axis.extent; k++)
      {
        guint at = reverse ? axis.extent - 1 - k : k;
        guint lane = (line / axis.inner * axis.extent + at) * axis.inner + line % axis.inner;

        for (guint i = 0; i < op->n_operands && k == 0; i++)
          so_far[i] = toy_in (toy, op, i)[lane];
        if (k > 0 && !combine (toy, op, so_far, lane))
          return FALSE;
        for (guint i = 0; i < op->n_results; i++)
          toy->values[op->results[i]->id][scan ? lane : line] = so_far[i];
      }
  return TRUE;
}

/* --- control flow ---------------------------------------------------------------------------------------------------------- */

static gboolean run_function (Toy *toy, const TsFunction *function);

static gboolean
run_for (Toy *toy, const TsOp *op)
{
  const TsBlock *body = ts_op_body (op, 0);
  ToyElement e = toy_element (body->args[0]->type);
  gint64 from = toy_signed (e, toy_in (toy, op, 0)[0]), to = toy_signed (e, toy_in (toy, op, 1)[0]);
  gint64 step = toy_signed (e, toy_in (toy, op, 2)[0]);

  if (step <= 0)
    return toy_fail (toy, op, "goes backwards");
  hand_on (toy, op, 3, body->args + 1, op->n_results);
  for (gint64 i = from; i < to; i += step)
    {
      guint64 *variable = fresh (toy, body->args[0]);
      const TsOp *last;

      variable[0] = (guint64) i & toy_mask (e.bits);
      toy_set (toy, body->args[0], variable);
      last = run_block (toy, body);
      if (last == NULL)
        return FALSE;
      hand_on (toy, last, 0, body->args + 1, op->n_results);
    }
  for (guint i = 0; i < op->n_results; i++)
    toy_set (toy, op->results[i], toy->values[body->args[1 + i]->id]);
  return TRUE;
}

static gboolean
run_if (Toy *toy, const TsOp *op)
{
  guint arm = (toy_in (toy, op, 0)[0] & 1) != 0 ? 0 : 1;
  const TsOp *last;

  if (arm >= op->n_regions)
    return TRUE;
  last = run_block (toy, ts_op_body (op, arm));
  if (last != NULL)
    hand_on (toy, last, 0, op->results, op->n_results);
  return last != NULL;
}

static gboolean
run_while (Toy *toy, const TsOp *op)
{
  const TsBlock *before = ts_op_body (op, 0), *after = ts_op_body (op, 1);
  const TsOp *last;

  hand_on (toy, op, 0, before->args, before->n_args);
  for (;;)
    {
      last = run_block (toy, before);
      if (last == NULL)
        return FALSE;
      if ((toy_in (toy, last, 0)[0] & 1) == 0)
        break;
      hand_on (toy, last, 1, after->args, after->n_args);
      last = run_block (toy, after);
      if (last == NULL)
        return FALSE;
      hand_on (toy, last, 0, before->args, before->n_args);
    }
  hand_on (toy, last, 1, op->results, op->n_results);
  return TRUE;
}

/* Functions return nothing here. */
static gboolean
run_call (Toy *toy, const TsOp *op)
{
  const TsFunction *callee = ts_module_find_function (toy->module, op->name);

  if (callee == NULL || op->n_results > 0)
    return toy_fail (toy, op, "cannot be called");
  hand_on (toy, op, 0, callee->params, callee->n_params);
  return run_function (toy, callee);
}

static gboolean
run_op (Toy *toy, const TsOp *op)
{
  if (toy->budget-- == 0)
    return toy_fail (toy, op, "has run too often");
  switch ((int) op->code)
    {
    case TS_OP_FOR:
      return run_for (toy, op);
    case TS_OP_IF:
      return run_if (toy, op);
    case TS_OP_SCF_WHILE:
      return run_while (toy, op);
    case TS_OP_CALL:
      return run_call (toy, op);
    case TS_OP_TT_REDUCE:
    case TS_OP_TT_SCAN:
      return run_combining (toy, op);
    default:
      return toy_run_pointwise (toy, op) || toy_run_shape (toy, op) || toy_run_memory (toy, op)
             || toy_fail (toy, op, "is not known here");
    }
}

/* Returns the terminator, which is not run; NULL: failed. */
static const TsOp *
run_block (Toy *toy, const TsBlock *block)
{
  for (const TsOp *op = block->first; op != block->last; op = op->next)
    if (!run_op (toy, op) || toy->why != NULL)
      return NULL;
  return block->last;
}

static gboolean
run_function (Toy *toy, const TsFunction *function)
{
  const TsBlock *block = function->body.blocks[0];

  for (guint n = 0; n < 1000; n++)
    {
      const TsOp *last = run_block (toy, block);
      guint arm = 0, from = 0;

      if (last == NULL || last->n_successors == 0)
        return last != NULL;
      if (last->code == TS_OP_CF_COND_BR)
        {
          arm = (toy_in (toy, last, 0)[0] & 1) != 0 ? 0 : 1;
          from = 1 + (arm == 1 ? last->successors[0]->n_args : 0);
        }
      block = last->successors[arm];
      hand_on (toy, last, from, block->args, block->n_args);
    }
  return toy_fail (toy, block->last, "is reached too often");
}

/* --- programs -------------------------------------------------------------------------------------------------------------- */

char *
toy_run (const TsModule *module, const TsFunction *function, const guint64 *args, guint n_programs, ToyMemory *memory)
{
  Toy toy = { .module = module, .memory = memory, .n_programs = n_programs, .budget = MAX_OPERATIONS };

  toy.values = g_new0 (guint64 *, module->n_values);
  toy.garbage = g_ptr_array_new_with_free_func (g_free);
  for (toy.program = 0; toy.program < n_programs && toy.why == NULL; toy.program++)
    {
      g_ptr_array_set_size (toy.garbage, 0);
      for (guint i = 0; i < function->n_params; i++)
        {
          guint64 *lanes = fresh (&toy, function->params[i]);

          lanes[0] = args[i];
          toy_set (&toy, function->params[i], lanes);
        }
      run_function (&toy, function);
    }
  g_ptr_array_unref (toy.garbage);
  g_free (toy.values);
  return toy.why;
}

guint
toy_n_programs (const TsModule *module, guint n)
{
  for (guint i = 0; i < module->parts[0].n_attrs; i++)
    if (strcmp (module->parts[0].attrs[i].key, "hacc.coalesce_factor") == 0)
      {
        guint factor = (guint) module->parts[0].attrs[i].value->i;

        return (n + factor - 1) / factor;
      }
  return n;
}
