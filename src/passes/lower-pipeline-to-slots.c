/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LowerPipelineToSlots: instead of copying the body, the loads of a pipeline loop take turns on the slots of one allocation.
 * Source: spec passes-schedule section 5. */
#include "base/limits.h"
#include "base/number.h"
#include "ir/build.h"
#include "ir/op-info.h"
#include "passes/loops.h"

#define MAX_SLOTS 16

/* One function. */
typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  gint64         committed[TS_N_SPACES]; /* bytes that declared buffers and accepted loops hold */
  GHashTable    *names;                  /* base names in use */
  gboolean       changed;
} Slotting;

/* Why a loop is not taken: the gate and the value that failed it. */
typedef struct
{
  const char *gate; /* NULL: none failed */
  char       *value;
  const TsOp *op;
} Refusal;

/* Records that a gate was passed or not; the first that is not refuses the loop. Takes over `value`. Returns `passed`. */
static gboolean
gate (Slotting *s, Refusal *refusal, const char *name, const TsOp *op, gboolean passed, char *value)
{
  ts_step_begin (s->context->steps, "gate", s->module, s->function, op);
  ts_step_text (s->context->steps, "gate", name);
  ts_step_bool (s->context->steps, "passed", passed);
  ts_step_text (s->context->steps, "value", value);
  if (passed || refusal->gate != NULL)
    {
      g_free (value);
      return passed;
    }
  *refusal = (Refusal) { name, value, op };
  return FALSE;
}

/* --- what is committed ------------------------------------------------------------------------------------------------------- */

static gboolean
tile_bytes (const Slotting *s, const TsType *type, gint64 *out)
{
  return ts_type_bytes (type, s->context->machine != NULL ? ts_machine_acc_rows (s->context->machine, type->dtype) : 1, out);
}

typedef struct
{
  Slotting   *s;
  GHashTable *bases; /* TsValue to index + 1 in sizes */
  GArray     *sizes; /* Pinned */
} Pins;

typedef struct
{
  TsSpace space;
  gint64  bytes;
} Pinned;

static gboolean
note_pinned (TsOp *op, gpointer data)
{
  Pins *pins = data;
  for (guint i = 0; i < op->n_results; i++)
    {
      const TsType *type = op->results[i]->type;
      gint64 bytes;
      if (type == NULL || type->memref == NULL)
        continue;
      g_hash_table_add (pins->s->names, (gpointer) type->memref->base->hint);
      if (!ts_type_is_tile (type) || !type->memref->pinned || type->space >= TS_N_SPACES || !tile_bytes (pins->s, type, &bytes))
        continue;
      bytes = ts_mul_sat (bytes, MAX (type->memref->slots, 1));
      guint at = GPOINTER_TO_UINT (g_hash_table_lookup (pins->bases, type->memref->base));
      if (at == 0)
        {
          Pinned pinned = { type->space, bytes };
          g_array_append_val (pins->sizes, pinned);
          g_hash_table_insert (pins->bases, type->memref->base, GUINT_TO_POINTER (pins->sizes->len));
        }
      else
        g_array_index (pins->sizes, Pinned, at - 1).bytes = MAX (g_array_index (pins->sizes, Pinned, at - 1).bytes, bytes);
    }
  return TRUE;
}

static void
seed_committed (Slotting *s)
{
  g_autoptr (GHashTable) bases = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (Pinned));
  Pins pins = { s, bases, sizes };
  ts_region_walk (&s->function->body, note_pinned, &pins);
  for (guint i = 0; i < sizes->len; i++)
    {
      Pinned pinned = g_array_index (sizes, Pinned, i);
      s->committed[pinned.space] = ts_add_sat (s->committed[pinned.space], pinned.bytes);
    }
}

/* --- gates ------------------------------------------------------------------------------------------------------------------- */

static gboolean
is_candidate (const TsOp *op)
{
  return op->code == TS_OP_TILE_LOAD && op->n_results == 1 && ts_type_is_tile (op->results[0]->type)
         && op->results[0]->type->memref == NULL;
}

static gboolean
check_bounds (Slotting *s, const TsOp *loop, gint64 stages, Refusal *refusal)
{
  gint64 step = 0, start = 0;
  gboolean known = ts_expr_as_int (loop->operands[TS_FOR_STEP], &step);
  if (!gate (s, refusal, "stages", loop, stages >= 2 && stages <= MAX_SLOTS,
             g_strdup_printf ("%" G_GINT64_FORMAT " of 2 to %d", stages, MAX_SLOTS)))
    return FALSE;
  if (!gate (s, refusal, "step", loop, known && step == 1,
             known ? g_strdup_printf ("%" G_GINT64_FORMAT, step) : g_strdup ("not a constant")))
    return FALSE;
  known = ts_expr_as_int (loop->operands[TS_FOR_START], &start);
  return gate (s, refusal, "start", loop, known && start % stages == 0,
               known ? g_strdup_printf ("%" G_GINT64_FORMAT " in units of %" G_GINT64_FORMAT, start, stages)
                     : g_strdup ("not a constant"));
}

static gboolean
check_tile (Slotting *s, const TsOp *op, Refusal *refusal)
{
  const TsType *type = op->results[0]->type;
  gboolean known_space = type->space == TS_SPACE_VEC || type->space == TS_SPACE_MAT || type->space == TS_SPACE_ACC;
  if (!gate (s, refusal, "space", op, known_space,
             g_strdup (type->space < TS_N_SPACES ? ts_space_name (type->space) : "not known")))
    return FALSE;
  guint n_constant = 0, rank = MIN (type->rank, 2);
  for (guint i = 0; i < rank; i++)
    {
      gboolean has_valid = type->view != NULL && type->view->valid_shape != NULL && i < type->view->n_valid;
      gint64 value;
      n_constant += ts_expr_as_int (has_valid ? type->view->valid_shape[i] : type->dims[i], &value);
    }
  return gate (s, refusal, "valid-shape", op, n_constant == rank,
               g_strdup_printf ("%u of %u extents are constants", n_constant, rank));
}

typedef struct
{
  Slotting   *s;
  GHashTable *aliases; /* TsValue of a candidate, or a copy of one */
  Refusal    *refusal;
} Escape;

static gboolean
holds (const Escape *escape, const TsExpr *e)
{
  const TsValue *value = ts_expr_as_value (e);
  return value != NULL && g_hash_table_contains (escape->aliases, value);
}

/* A slot is written again F iterations later: nothing may keep it beyond its own iteration, or write through it. */
static gboolean
check_use (TsOp *op, gpointer data)
{
  Escape *escape = data;
  guint first = op->code == TS_OP_FOR ? TS_FOR_INITS : 0;
  if (escape->refusal->gate != NULL)
    return FALSE;
  switch ((int) op->code)
    {
    case TS_OP_ASSIGN:
      if (op->n_results == 1 && holds (escape, op->operands[0]))
        g_hash_table_add (escape->aliases, op->results[0]);
      break;
    case TS_OP_YIELD:
    case TS_OP_FOR:
    case TS_OP_WHILE:
      for (guint i = first; i < op->n_operands; i++)
        if (holds (escape, op->operands[i]))
          {
            return gate (escape->s, escape->refusal, op->code == TS_OP_YIELD ? "yield" : "nested-init", op, FALSE,
                         g_strdup (ts_expr_as_value (op->operands[i])->hint));
          }
      break;
    default:
      {
        gint shared = ts_op_shared_argument (op);
        if (shared >= 0 && (guint) shared < op->n_operands && holds (escape, op->operands[shared]))
          return gate (escape->s, escape->refusal, "shared-buffer", op, FALSE, g_strdup (op->name));
        break;
      }
    }
  return TRUE;
}

static gboolean
check_capacity (Slotting *s, const GPtrArray *loads, gint64 stages, gint64 needed[TS_N_SPACES], Refusal *refusal)
{
  for (guint i = 0; i < loads->len; i++)
    {
      const TsOp *op = loads->pdata[i];
      const TsType *type = op->results[0]->type;
      gint64 bytes = 0;
      gboolean known = tile_bytes (s, type, &bytes);
      if (!known)
        return gate (s, refusal, "size", op, FALSE, g_strdup ("not known"));
      needed[type->space] = ts_add_sat (needed[type->space], ts_mul_sat (bytes, stages));
      gint64 capacity = s->context->machine != NULL ? ts_machine_capacity (s->context->machine, type->space) : 0;
      gint64 total = ts_add_sat (s->committed[type->space], needed[type->space]);
      if (!gate (s, refusal, "capacity", op, capacity == 0 || total <= capacity,
                 g_strdup_printf ("%s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes", ts_space_name (type->space), total,
                                  capacity)))
        return FALSE;
    }
  return TRUE;
}

/* --- taking a loop ----------------------------------------------------------------------------------------------------------- */

/* Base names within a function name buffers: a clash takes the next free number. */
static TsValue *
fresh_base (Slotting *s, const char *hint)
{
  g_autofree char *stem = g_strconcat ("pipe_", hint, NULL);
  g_autofree char *name = g_strdup (stem);
  for (guint i = 1; g_hash_table_contains (s->names, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s_%u", stem, i);
    }
  TsValue *base = ts_value_new (s->module, TS_VALUE_BASE, name, ts_type_ptr (s->module));
  g_hash_table_add (s->names, (gpointer) base->hint);
  return base;
}

static void
give_slots (Slotting *s, const TsOp *loop, TsOp *load, gint64 stages)
{
  TsModule *module = s->module;
  TsValue *tile = load->results[0];
  TsExpr *variable = ts_expr_value (module, ts_for_var (loop));
  TsMemRef memref = {
    .base = fresh_base (s, tile->hint),
    .offset = ts_expr_int (module, 0, TS_DTYPE_INT64),
    .slots = stages,
    .slot_index = ts_expr_binary (module, TS_OPERATOR_FLOOR_MOD, variable, ts_literal_like (module, variable, stages)),
    .pinned = TRUE,
    .declared = TRUE,
  };
  tile->type = ts_type_with_memref (module, tile->type, ts_memref_copy (module, &memref));
  ts_step_begin (s->context->steps, "slots", module, s->function, load);
  ts_step_value (s->context->steps, "tile", tile);
  ts_step_text (s->context->steps, "base", memref.base->hint);
  ts_step_int (s->context->steps, "slots", stages);
}

static void
record_loop (Slotting *s, const TsOp *loop, gint64 stages, const Refusal *refusal)
{
  ts_step_begin (s->context->steps, "loop", s->module, s->function, loop);
  ts_step_int (s->context->steps, "stages", stages);
  ts_step_bool (s->context->steps, "accepted", refusal->gate == NULL);
  if (refusal->gate != NULL)
    {
      ts_step_text (s->context->steps, "gate", refusal->gate);
      ts_step_text (s->context->steps, "value", refusal->value);
      if (refusal->op != NULL && refusal->op != loop)
        ts_step_int (s->context->steps, "failed_statement", refusal->op->origin.op);
    }
}

static gboolean
take_loop (Slotting *s, TsOp *loop, gint64 stages, Refusal *refusal)
{
  TsBlock *body = ts_op_body (loop, 0);
  g_autoptr (GPtrArray) loads = g_ptr_array_new ();
  g_autoptr (GHashTable) aliases = g_hash_table_new (NULL, NULL);
  gint64 needed[TS_N_SPACES] = { 0 };

  if (!check_bounds (s, loop, stages, refusal))
    return FALSE;
  for (TsOp *op = body->first; op != NULL; op = op->next)
    if (is_candidate (op))
      {
        g_ptr_array_add (loads, op);
        g_hash_table_add (aliases, op->results[0]);
      }
  if (!gate (s, refusal, "candidates", loop, loads->len > 0, g_strdup_printf ("%u loads of its own without a buffer", loads->len)))
    return FALSE;
  for (guint i = 0; i < loads->len; i++)
    if (!check_tile (s, loads->pdata[i], refusal))
      return FALSE;
  Escape escape = { s, aliases, refusal };
  ts_block_walk (body, check_use, &escape);
  if (refusal->gate == NULL)
    gate (s, refusal, "uses", loop, TRUE, g_strdup ("no slot is kept or written through"));
  if (refusal->gate != NULL || !check_capacity (s, loads, stages, needed, refusal))
    return FALSE;

  for (guint i = 0; i < TS_N_SPACES; i++)
    s->committed[i] = ts_add_sat (s->committed[i], needed[i]);
  for (guint i = 0; i < loads->len; i++)
    give_slots (s, loop, loads->pdata[i], stages);
  ts_loop_demote (loop);
  s->changed = TRUE;
  return TRUE;
}

static void visit_region (Slotting *s, TsRegion *region, gboolean forbidden);

static void
visit_op (Slotting *s, TsOp *op, gboolean forbidden)
{
  if (ts_loop_is_pipeline (op))
    {
      gint64 stages = ts_op_attr_int (op, TS_ATTR_STAGES, 0);
      Refusal refusal = { 0 };
      if (stages == 1)
        gate (s, &refusal, "stages", op, FALSE, g_strdup ("one stage: nothing to buffer"));
      else if (forbidden)
        gate (s, &refusal, "ancestor", op, FALSE, g_strdup ("a pipeline loop around it was not taken"));
      else
        take_loop (s, op, stages, &refusal);
      record_loop (s, op, stages, &refusal);
      forbidden |= refusal.gate != NULL && stages != 1;
      g_free (refusal.value);
    }
  for (guint r = 0; r < op->n_regions; r++)
    visit_region (s, &op->regions[r], forbidden);
}

static void
visit_region (Slotting *s, TsRegion *region, gboolean forbidden)
{
  for (guint b = 0; b < region->n_blocks; b++)
    for (TsOp *op = region->blocks[b]->first; op != NULL; op = op->next)
      if (op->n_regions > 0)
        visit_op (s, op, forbidden);
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  gboolean changed = FALSE;
  if (context->planner != TS_PLANNER_PTOAS)
    {
      ts_step_begin (context->steps, "skipped", module, NULL, NULL);
      ts_step_text (context->steps, "reason", "only the planner ptoas places slots");
      return TS_PASS_UNCHANGED;
    }
  for (guint i = 0; i < module->n_functions && !ts_pass_cancelled (context); i++)
    {
      g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
      Slotting s = { .context = context, .module = module, .function = module->functions[i], .names = names };
      seed_committed (&s);
      visit_region (&s, &s.function->body, FALSE);
      changed |= s.changed;
    }
  return changed ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

const TsPassInfo ts_pass_lower_pipeline_to_slots = {
  .name = "LowerPipelineToSlots",
  .id = "lower-pipeline-to-slots",
  .summary = "Let the loads of a pipeline loop take turns on slots of one buffer (planner ptoas)",
  .help = "Under the planner ptoas a pipeline loop whose loads pass every gate keeps one body: each load gets a buffer of F "
          "slots and the slot (loop variable mod F), and the loop becomes sequential. Gates: 2 to 16 stages, step 1, start a "
          "multiple of F, no pipeline loop around it that was not taken; loads into Vec, Mat or Acc with constant extents, that "
          "neither leave the iteration nor are written through; and room for all slots. One load that fails leaves the whole "
          "loop to LowerPipelineLoops.\n"
          "\n"
          "Different from the compiler: a load that is stored directly passes (the store reuses its tensor, not the tile), and "
          "a machine without capacities refuses nothing.",
  .language = TS_LANGUAGE_PYPTO,
  .required = TS_PROPERTIES_TILE,
  .produced = TS_PROPERTIES_TILE,
  .planners = TS_PLANNERS_ALL,
  .in_default = TRUE,
  .run = run,
};
