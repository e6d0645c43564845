/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which variables are certainly assigned where, by one walk that knows what each path has assigned so far. */
#include "passes/first-values.h"

#include <string.h>

#include "base/number.h"
#include "ir/build.h"
#include "ir/op-info.h"
#include "passes/loops.h"

/* A loop that is looked at. */
typedef struct LoopPath
{
  struct LoopPath *outer;
  guint            mark;     /* of the trail where the loop begins */
  gboolean         has_end;  /* some trip ends, or breaks off */
  GArray          *common;   /* guint32: assigned at every end of a trip so far */
  GArray          *promoted; /* guint32: what stores in it make of known buffers; ConvertToSSA lets those start as the buffer */
} LoopPath;

typedef struct
{
  guint      n;
  gboolean   as_converted; /* as ConvertToSSA sees it: any loop may run no trip, a jump is a statement like others */
  guint8    *assigned_anywhere, *known; /* by id */
  const TsOp **unassigned; /* by id: the first statement that may read it too early */
  const TsOp *reading;
  guint32   *stamp;        /* by id */
  guint32    tick;
  GArray    *trail;        /* guint32: ids that became known */
  gboolean   dead;         /* control does not come here */
  LoopPath  *loop;
} Walk;

static void walk_block (Walk *w, TsBlock *block);

static void
assign (Walk *w, gint32 id)
{
  if ((guint) id >= w->n || w->known[id])
    return;
  w->known[id] = 1;
  g_array_append_val (w->trail, id);
}

static void
undo_to (Walk *w, guint mark)
{
  for (guint i = mark; i < w->trail->len; i++)
    w->known[g_array_index (w->trail, guint32, i)] = 0;
  g_array_set_size (w->trail, mark);
}

static void
read_value (TsValue *value, gpointer data)
{
  Walk *w = data;
  guint id = (guint) value->id;
  if (id < w->n && w->assigned_anywhere[id] && !w->known[id] && w->unassigned[id] == NULL)
    w->unassigned[id] = w->reading;
}

/* What became known since `mark`. */
static GArray *
since (const Walk *w, guint mark)
{
  GArray *ids = g_array_sized_new (FALSE, FALSE, sizeof (guint32), w->trail->len - mark);
  if (w->trail->len > mark)
    g_array_append_vals (ids, &g_array_index (w->trail, guint32, mark), w->trail->len - mark);
  return ids;
}

static void
assign_all (Walk *w, const GArray *ids)
{
  for (guint i = 0; i < ids->len; i++)
    assign (w, (gint32) g_array_index (ids, guint32, i));
}

/* --- branches ---------------------------------------------------------------------------------------------------------------- */

static GArray *
walk_arm (Walk *w, TsOp *op, guint region, gboolean *dead)
{
  guint mark = w->trail->len;
  if (region < op->n_regions)
    walk_block (w, ts_op_body (op, region));
  GArray *ids = since (w, mark);
  undo_to (w, mark);
  *dead = w->dead;
  w->dead = FALSE;
  return ids;
}

static void
walk_if (Walk *w, TsOp *op)
{
  gboolean dead[2];
  g_autoptr (GArray) then = walk_arm (w, op, 0, &dead[0]);
  g_autoptr (GArray) other = walk_arm (w, op, 1, &dead[1]);
  w->dead = dead[0] && dead[1];
  if (dead[0] || dead[1])
    {
      assign_all (w, dead[0] ? other : then);
      return;
    }
  w->tick++;
  for (guint i = 0; i < then->len; i++)
    w->stamp[g_array_index (then, guint32, i)] = w->tick;
  for (guint i = 0; i < other->len; i++)
    if (w->stamp[g_array_index (other, guint32, i)] == w->tick)
      assign (w, (gint32) g_array_index (other, guint32, i));
}

/* --- loops ------------------------------------------------------------------------------------------------------------------- */

static void
end_trip (Walk *w)
{
  LoopPath *loop = w->loop;
  if (!loop->has_end)
    {
      loop->has_end = TRUE;
      loop->common = since (w, loop->mark);
      return;
    }
  guint kept = 0;
  for (guint i = 0; i < loop->common->len; i++)
    {
      guint32 id = g_array_index (loop->common, guint32, i);
      if (w->known[id])
        g_array_index (loop->common, guint32, kept++) = id;
    }
  g_array_set_size (loop->common, kept);
}

static gboolean
certainly_runs (const TsOp *loop)
{
  gint64 start, stop, step;
  return loop->code == TS_OP_FOR && ts_expr_as_int (loop->operands[TS_FOR_START], &start)
         && ts_expr_as_int (loop->operands[TS_FOR_STOP], &stop) && ts_expr_as_int (loop->operands[TS_FOR_STEP], &step)
         && ts_trip_count (start, stop, step) > 0;
}

static void
walk_loop (Walk *w, TsOp *op)
{
  LoopPath loop = { .outer = w->loop, .mark = w->trail->len, .promoted = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  TsBlock *body = ts_op_body (op, 0);
  w->loop = &loop;
  for (guint i = 0; i < body->n_args; i++)
    assign (w, body->args[i]->id);
  walk_block (w, body);
  if (!w->dead)
    end_trip (w);
  undo_to (w, loop.mark);
  w->loop = loop.outer;
  w->dead = FALSE;
  if (w->as_converted)
    assign_all (w, loop.promoted);
  else if (certainly_runs (op))
    {
      w->dead = !loop.has_end;
      if (loop.has_end)
        assign_all (w, loop.common);
    }
  g_clear_pointer (&loop.common, g_array_unref);
  g_array_unref (loop.promoted);
}

/* --- statements -------------------------------------------------------------------------------------------------------------- */

/* The buffer that the result of a store is; NULL: the operation makes a value of its own. */
static TsValue *
buffer_of (const TsOp *op)
{
  gint arg = ts_op_shared_argument (op);
  return arg >= 0 && (guint) arg < op->n_operands && op->n_results == 1 ? ts_expr_as_value (op->operands[arg]) : NULL;
}

static void
walk_jump (Walk *w, const TsOp *op)
{
  if (w->as_converted)
    return;
  if (ts_op_is_jump (op) && w->loop != NULL)
    end_trip (w);
  w->dead = TRUE;
}

static void
walk_op (Walk *w, TsOp *op)
{
  w->reading = op;
  ts_op_foreach_use (op, read_value, w);
  if (ts_op_is_loop (op))
    walk_loop (w, op);
  else if (op->code == TS_OP_IF)
    walk_if (w, op);
  else if (ts_op_is_jump (op) || op->code == TS_OP_RETURN)
    walk_jump (w, op);
  else
    for (guint r = 0; r < op->n_regions; r++)
      for (guint b = 0; b < op->regions[r].n_blocks; b++)
        walk_block (w, op->regions[r].blocks[b]);

  const TsValue *buffer = w->as_converted && w->loop != NULL && op->n_regions == 0 ? buffer_of (op) : NULL;
  if (buffer != NULL && (guint) buffer->id < w->n && (!w->assigned_anywhere[buffer->id] || w->known[buffer->id]))
    for (LoopPath *loop = w->loop; loop != NULL; loop = loop->outer)
      g_array_append_val (loop->promoted, op->results[0]->id);
  for (guint i = 0; i < op->n_results; i++)
    assign (w, op->results[i]->id);
}

static void
walk_block (Walk *w, TsBlock *block)
{
  for (guint i = 0; i < block->n_args; i++)
    assign (w, block->args[i]->id);
  for (TsOp *op = block->first; op != NULL && !w->dead; op = op->next)
    walk_op (w, op);
}

static gboolean
note_assigned (TsOp *op, gpointer data)
{
  Walk *w = data;
  for (guint i = 0; i < op->n_results; i++)
    if ((guint) op->results[i]->id < w->n)
      w->assigned_anywhere[op->results[i]->id] = 1;
  return TRUE;
}

static const TsOp **
find_unassigned (TsFunction *function, guint n, gboolean as_converted)
{
  Walk w = { .n = n, .as_converted = as_converted, .trail = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  w.assigned_anywhere = g_new0 (guint8, n + 1);
  w.known = g_new0 (guint8, n + 1);
  w.unassigned = g_new0 (const TsOp *, n + 1);
  w.stamp = g_new0 (guint32, n + 1);
  ts_region_walk (&function->body, note_assigned, &w);
  for (guint i = 0; i < function->n_params; i++)
    assign (&w, function->params[i]->id);
  for (guint b = 0; b < function->body.n_blocks; b++)
    walk_block (&w, function->body.blocks[b]);
  g_free (w.assigned_anywhere);
  g_free (w.known);
  g_free (w.stamp);
  g_array_unref (w.trail);
  return w.unassigned;
}

const TsOp **
ts_unassigned_reads (TsFunction *function, guint n)
{
  return find_unassigned (function, n, FALSE);
}

/* --- first values ------------------------------------------------------------------------------------------------------------ */

/* Where a variable occurs. */
typedef struct
{
  TsValue *variable;
  TsBlock *around;  /* the innermost block with every occurrence */
  TsOp    *first;   /* the statement of that block with the first one */
  TsOp    *store;   /* a statement that defines it */
} Place;

typedef struct
{
  const TsOp  **needed; /* by id: NULL for those that need none */
  guint         n;
  GHashTable   *places; /* id to Place */
  GPtrArray    *order;  /* Place */
  TsOp         *op;
} Placing;

static guint
depth_of (const TsBlock *block)
{
  guint depth = 0;
  for (const TsOp *op = block->region->op; op != NULL; op = op->block->region->op)
    depth++;
  return depth;
}

static void
add_occurrence (TsValue *value, gpointer data)
{
  Placing *p = data;
  if ((guint) value->id >= p->n || p->needed[value->id] == NULL)
    return;
  Place *place = g_hash_table_lookup (p->places, GINT_TO_POINTER (value->id));
  if (place == NULL)
    {
      place = g_new0 (Place, 1);
      *place = (Place) { .variable = value, .around = p->op->block, .first = p->op };
      g_hash_table_insert (p->places, GINT_TO_POINTER (value->id), place);
      g_ptr_array_add (p->order, place);
      return;
    }
  TsBlock *other = p->op->block;
  guint a = depth_of (place->around), b = depth_of (other);
  while (place->around != other)
    {
      if (b > a)
        {
          other = other->region->op->block;
          b--;
          continue;
        }
      place->first = place->around->region->op;
      place->around = place->first->block;
      a--;
    }
}

static gboolean
find_occurrences (TsOp *op, gpointer data)
{
  Placing *p = data;
  p->op = op;
  ts_op_foreach_use (op, add_occurrence, p);
  for (guint i = 0; i < op->n_results; i++)
    {
      add_occurrence (op->results[i], p);
      Place *place = g_hash_table_lookup (p->places, GINT_TO_POINTER (op->results[i]->id));
      if (place != NULL && place->store == NULL)
        place->store = op;
    }
  return TRUE;
}

typedef struct
{
  const TsFunction *function;
  gboolean          known;
} TypeNames;

static void
check_name (TsValue *value, gpointer data)
{
  TypeNames *names = data;
  gboolean is_param = FALSE;
  for (guint i = 0; i < names->function->n_params; i++)
    is_param |= names->function->params[i] == value;
  names->known &= is_param;
}

/* Constants and parameters in the type: nothing else has to be known yet where the tile is made. */
static gboolean
is_known_early (const TsFunction *function, const TsType *type)
{
  TypeNames names = { function, type->memref == NULL };
  ts_type_foreach_value (type, check_name, &names);
  return names.known;
}

static TsOp *
make_tile (TsModule *module, const TsType *type)
{
  TsExpr *shape = ts_expr_list (module, type->dims, type->rank);
  TsOp *op = ts_op_new (module, TS_OP_TILE_CREATE, NULL, &shape, 1);
  ts_op_add_keyword (module, op, "dtype", ts_expr_dtype (module, type->dtype));
  ts_op_add_keyword (module, op, "target_memory",
                     ts_expr_space (module, type->space != TS_SPACE_NONE ? (TsSpace) type->space : TS_SPACE_VEC));
  return op;
}

/* A statement without result; NULL when there is no value of such a type. */
static TsOp *
make_value (TsModule *module, const TsFunction *function, const Place *place)
{
  const TsType *type = place->variable->type;
  TsExpr *value = NULL;
  if (ts_type_is_tile (type))
    return is_known_early (function, type) ? make_tile (module, type) : NULL;
  if (ts_type_is_scalar (type) && type->dtype == TS_DTYPE_BOOL)
    value = ts_expr_bool (module, FALSE);
  else if (ts_type_is_scalar (type) && (ts_dtype_is_integer (type->dtype)))
    value = ts_expr_int (module, 0, (TsDtype) type->dtype);
  else if (ts_type_is_scalar (type) && ts_dtype_is_float (type->dtype))
    value = ts_expr_float (module, 0.0, (TsDtype) type->dtype);
  else if (place->store != NULL)
    {
      TsValue *buffer = buffer_of (place->store);
      for (guint i = 0; i < function->n_params; i++)
        if (buffer == function->params[i] && ts_type_equal (buffer->type, type))
          value = ts_expr_value (module, buffer);
    }
  return value != NULL ? ts_op_new (module, TS_OP_ASSIGN, NULL, &value, 1) : NULL;
}

static void
give_value (TsPassContext *context, TsModule *module, const TsFunction *function, const Place *place)
{
  TsOp *op = make_value (module, function, place);
  if (op == NULL)
    return;
  ts_op_add_result_value (module, op, place->variable);
  ts_op_made_from (op, place->first);
  ts_block_insert_before (place->first, op);
  ts_step_begin (context->steps, "first-value", module, function, place->first);
  ts_step_text (context->steps, "variable", place->variable->hint);
  ts_step_text (context->steps, "reason", "every path assigns it before it is read, but no branch or loop around does so alone");
}

void
ts_give_first_values (TsPassContext *context, TsModule *module, TsFunction *function, const TsOp *const *unassigned,
                      guint n)
{
  g_autofree const TsOp **needed = find_unassigned (function, n, TRUE);
  gboolean any = FALSE;
  for (guint i = 0; i < n; i++)
    {
      needed[i] = unassigned[i] == NULL ? needed[i] : NULL;
      any |= needed[i] != NULL;
    }
  if (!any)
    return;
  g_autoptr (GHashTable) places = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  Placing p = { needed, n, places, order, NULL };
  ts_region_walk (&function->body, find_occurrences, &p);
  for (guint i = 0; i < order->len; i++)
    give_value (context, module, function, order->pdata[i]);
}
