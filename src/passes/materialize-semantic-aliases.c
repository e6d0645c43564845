/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MaterializeSemanticAliases: lets what a loop yields be made where the carried value lives. Source: spec passes-memory 4. */
#include "base/map.h"
#include "ir/op-info.h"
#include "passes/allocations.h"
#include "passes/base-accesses.h"
#include "passes/memory-repairs.h"

#define NONE G_MAXUINT32
/* Pairs of what is made in one buffer that are looked at, before the next one is refused. */
#define MAX_PAIRS 4000000

typedef struct
{
  const TsMemRef *memref;
  TsSpace         space;
} Target;

typedef struct
{
  Target         target;
  const TsValue *value;
  guint32        before; /* the plan it replaced, or NONE */
} Plan;

/* What an operation makes straight in the target. */
typedef struct
{
  const TsValue *value;
  guint32        next; /* of those planned onto the same base before, or NONE */
} Product;

typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  TsBaseAccesses accesses;
  guint64        carried_base; /* of the carried value at hand: what it counts as before an outer loop's plan moved it */
  GArray        *plans;        /* Plan */
  TsMap          plan_of;      /* value id to index in `plans` */
  GArray        *products;     /* Product: also of plans that were taken back or replaced since */
  TsMap          last_product; /* id of the base it goes to, to the last of them */
  guint          n_pairs;
  TsMap          visited;      /* value id to the number of the attempt that saw it */
  guint32        attempt;
  GArray        *stack;        /* Frame */
  const char    *refusal;      /* why the current attempt failed first: static text */
  const TsValue *refused;      /* the variable it failed at */
  guint          since_check;
} Aliases;

/* --- plans -------------------------------------------------------------------------------------------------------------- */

static Target
current_target (const Aliases *a, const TsValue *value)
{
  guint32 plan = (guint32) ts_map_get (&a->plan_of, (guint32) value->id, NONE);
  if (plan != NONE)
    return g_array_index (a->plans, Plan, plan).target;
  return (Target) { ts_tile_memref (value), value->type->space };
}

static void
plan (Aliases *a, const TsValue *value, Target target)
{
  Plan entry = { target, value, (guint32) ts_map_get (&a->plan_of, (guint32) value->id, NONE) };
  ts_map_set (&a->plan_of, (guint32) value->id, a->plans->len);
  g_array_append_val (a->plans, entry);
}

/* Forgets the plans from number `n` on. */
static void
take_back (Aliases *a, guint n)
{
  for (guint i = a->plans->len; i-- > n;)
    {
      const Plan *entry = &g_array_index (a->plans, Plan, i);
      ts_map_set (&a->plan_of, (guint32) entry->value->id, entry->before);
    }
  g_array_set_size (a->plans, n);
}

static gboolean
refuse (Aliases *a, const TsValue *value, const char *why)
{
  if (a->refusal == NULL)
    {
      a->refusal = why;
      a->refused = value;
    }
  return FALSE;
}

/* --- one attempt, with an explicit stack: chains of accumulations are as long as the program -------------------------------- */

typedef enum { AFTER_NOTHING, AFTER_SOURCE, AFTER_THEN, AFTER_ELSE, AFTER_YIELD, AFTER_INIT } Stage;

typedef struct
{
  const TsValue *value;
  Stage          stage;
  gboolean       ok;
  guint          n_plans; /* when it was pushed */
  guint          fence;   /* frame of the innermost loop whose yield this is about: only what is made inside of it may move, since
                             its initial value is to lie there too; NONE: there is none */
} Frame;

static const TsValue *
yielded (const TsOp *op, guint region, guint index)
{
  TsOp *yield = region < op->n_regions ? ts_block_yield (ts_op_body (op, region)) : NULL;
  return yield != NULL && index < yield->n_operands ? ts_expr_as_value (yield->operands[index]) : NULL;
}

static const TsValue *
operand_value (const TsOp *op, guint index)
{
  return index < op->n_operands ? ts_expr_as_value (op->operands[index]) : NULL;
}

/* The initial value of a carried variable. */
static const TsValue *
initial_value (const TsValue *carried)
{
  const TsOp *loop = carried->block != NULL ? carried->block->region->op : NULL;
  if (ts_op_is (loop, TS_OP_FOR) && carried->index >= 1)
    return operand_value (loop, TS_FOR_INITS + carried->index - 1);
  return ts_op_is (loop, TS_OP_WHILE) ? operand_value (loop, carried->index) : NULL;
}

/* Does the operation read what is on the base in a way that its result may not lie there? */
static gboolean
forbids_place (const Aliases *a, const TsOp *op, guint64 base)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsMemRef *read = ts_tile_memref (ts_expr_as_value (op->operands[i]));
      if (read != NULL && ts_base_accesses_base (&a->accesses, read) == base
          && ts_op_forbids_alias (op, i, ts_machine_backend (a->context->machine)))
        return TRUE;
    }
  return FALSE;
}

/* May the operation write its result over what is on the base, where nothing else is in the way? */
static gboolean
may_write_over (Aliases *a, const TsValue *value, guint64 base)
{
  if (forbids_place (a, value->def, base))
    return refuse (a, value, "not in-place safe");
  return ts_base_touched_later (&a->accesses, value->def, base) ? refuse (a, value, "the buffer is still in use after it") : TRUE;
}

/* May both be made in one buffer, although neither is there yet? One branch may hand on what was made before the IF while the other
 * makes its own from it, or reads it after that. */
static gboolean
may_follow_each_other (Aliases *a, const TsValue *value, const TsValue *other)
{
  gboolean later = ts_base_accesses_end (&a->accesses, value->def) > ts_base_accesses_end (&a->accesses, other->def);
  const TsOp *first = later ? other->def : value->def, *second = later ? value->def : other->def;
  guint64 base = ts_base_accesses_base (&a->accesses, ts_tile_memref (later ? other : value));
  if (++a->n_pairs > MAX_PAIRS)
    return refuse (a, value, "more pairs of tiles in one buffer than are looked at");
  if (forbids_place (a, second, base))
    return refuse (a, value, "not in-place safe with what else is to lie there");
  if (ts_base_needed_after (&a->accesses, first, second, base))
    return refuse (a, value, "what else is to lie there is read after it is written over");
  return TRUE;
}

static gboolean
may_join_products (Aliases *a, const TsValue *value, const TsMemRef *target)
{
  guint32 k = (guint32) ts_map_get (&a->last_product, (guint32) target->base->id, NONE);
  for (; k != NONE; k = g_array_index (a->products, Product, k).next)
    {
      const TsValue *other = g_array_index (a->products, Product, k).value;
      if (ts_memref_same_base (current_target (a, other).memref, target) && !may_follow_each_other (a, value, other))
        return FALSE;
    }
  return TRUE;
}

static void
plan_product (Aliases *a, const TsValue *value, Target target)
{
  guint64 base = (guint32) target.memref->base->id;
  Product product = { value, (guint32) ts_map_get (&a->last_product, base, NONE) };
  ts_map_set (&a->last_product, base, a->products->len);
  g_array_append_val (a->products, product);
  plan (a, value, target);
}

/* May the operation write its result straight into the target? The carried values of the loops this is about go there with it,
 * whatever buffer they are still said to have: of the loop that was asked for, and of those further in up to the operation. */
static gboolean
may_produce_there (Aliases *a, const TsValue *value, Target target, guint fence)
{
  TsSpace space = ts_op_result_space (value->def);
  if (space != TS_SPACE_NONE && space != target.space)
    return refuse (a, value, "memory space");
  if (!may_write_over (a, value, ts_base_accesses_base (&a->accesses, target.memref))
      || !may_write_over (a, value, a->carried_base))
    return FALSE;
  for (; fence != NONE; fence = g_array_index (a->stack, Frame, fence).fence)
    {
      const TsValue *result = g_array_index (a->stack, Frame, fence).value;
      const TsMemRef *carried = ts_tile_memref (ts_for_carried (result->def, result->index));
      if (carried != NULL && !may_write_over (a, value, ts_base_accesses_base (&a->accesses, carried)))
        return FALSE;
    }
  return may_join_products (a, value, target.memref);
}

/* What the result of a plain operation depends on: the argument it is written over, NULL when it stands for itself. Sets *ok. */
static const TsValue *
producer_source (Aliases *a, const TsValue *value, Target target, guint fence, gboolean *ok)
{
  const TsOp *op = value->def;
  const TsOpInfo *info = ts_op_info (op->code);
  *ok = FALSE;
  if (op->code == TS_OP_UNKNOWN || info->dialect == TS_DIALECT_STRUCTURAL || info->dialect == TS_DIALECT_UNKNOWN)
    {
      refuse (a, value, "not made by a known operation");
      return NULL;
    }
  gint k = ts_op_shared_argument (op);
  const TsValue *source = k >= 0 ? operand_value (op, k) : NULL;
  if (info->buffer == TS_BUFFER_VIEW && op->code != TS_OP_TILE_TRANSPOSE)
    {
      if (op->code != TS_OP_TILE_SET_VALIDSHAPE || !ts_memref_same_base (ts_tile_memref (value), ts_tile_memref (source)))
        {
          refuse (a, value, "a view");
          return NULL;
        }
      *ok = TRUE;
      return source;
    }
  if (info->buffer == TS_BUFFER_REUSES)
    {
      *ok = source != NULL;
      if (source == NULL)
        refuse (a, value, "written over something that is no variable");
      return source;
    }
  *ok = may_produce_there (a, value, target, fence);
  return NULL;
}

static void
push (Aliases *a, const TsValue *value, guint fence)
{
  Frame frame = { value, AFTER_NOTHING, TRUE, a->plans->len, fence };
  g_array_append_val (a->stack, frame);
}

/* Is the variable made before the loop of the fence? */
static gboolean
is_outside_fence (const Aliases *a, const TsValue *value, guint fence)
{
  const TsOp *at = value->def;
  if (fence == NONE)
    return FALSE;
  while (at != NULL && at != g_array_index (a->stack, Frame, fence).value->def)
    at = ts_op_parent (at);
  return at == NULL;
}

/* The fence for the initial value of a carried one: that loop's own, where it yields what it carries in this very place. */
static guint
fence_of_init (const Aliases *a, const TsValue *carried, guint fence)
{
  const Frame *loop = fence != NONE ? &g_array_index (a->stack, Frame, fence) : NULL;
  gboolean own = loop != NULL && carried->block->region->op == loop->value->def && carried->index == loop->value->index + 1;
  return own ? loop->fence : fence;
}

/* First look at a variable. Returns TRUE when it is decided (then *result), FALSE when something was pushed. */
static gboolean
begin (Aliases *a, guint at, Target target, gboolean *result)
{
#define FRAME g_array_index (a->stack, Frame, at)
  const TsValue *value = FRAME.value;
  *result = FALSE;
  if (value == NULL || ts_tile_memref (value) == NULL)
    return refuse (a, value, "no variable with a buffer"), TRUE;
  if (ts_memref_same_base (current_target (a, value).memref, target.memref))
    {
      *result = TRUE;
      return TRUE;
    }
  if (ts_map_get (&a->visited, (guint32) value->id, 0) == a->attempt)
    return refuse (a, value, "seen before"), TRUE;
  ts_map_set (&a->visited, (guint32) value->id, a->attempt);
  if (value->kind == TS_VALUE_BLOCK_ARG)
    {
      FRAME.stage = AFTER_SOURCE;
      push (a, initial_value (value), fence_of_init (a, value, FRAME.fence));
      return FALSE;
    }
  if (value->kind != TS_VALUE_RESULT || value->def == NULL || value->def->code == TS_OP_WHILE)
    return refuse (a, value, "not made in this function"), TRUE;
  if (is_outside_fence (a, value, FRAME.fence))
    return refuse (a, value, "made before the inner loop, whose initial value would take its place"), TRUE;
  if (value->def->code == TS_OP_IF || value->def->code == TS_OP_FOR)
    {
      FRAME.stage = value->def->code == TS_OP_IF ? AFTER_THEN : AFTER_YIELD;
      push (a, yielded (value->def, 0, value->index), value->def->code == TS_OP_FOR ? at : FRAME.fence);
      return FALSE;
    }
  gboolean ok;
  const TsValue *source = producer_source (a, value, target, FRAME.fence, &ok);
  if (ok && source != NULL)
    {
      FRAME.stage = AFTER_SOURCE;
      push (a, source, FRAME.fence);
      return FALSE;
    }
  if (ok)
    plan_product (a, value, target);
  *result = ok;
  return TRUE;
#undef FRAME
}

/* Goes on with the frame below after `result` of the one above. Returns TRUE when it is decided, too. */
static gboolean
resume (Aliases *a, guint at, Target target, gboolean *result)
{
  Frame *frame = &g_array_index (a->stack, Frame, at);
  const TsValue *value = frame->value;
  gboolean in_loop = frame->stage == AFTER_YIELD || frame->stage == AFTER_INIT;
  /* What an inner loop makes was only looked at within that loop: unless the whole of it moves, with what it starts from, the
   * buffer may still be in use around it. */
  if (in_loop && !*result)
    take_back (a, frame->n_plans);
  switch (frame->stage)
    {
    case AFTER_THEN: /* both branches are tried; what one of them planned stays planned */
      frame->ok = *result;
      frame->stage = AFTER_ELSE;
      if (value->def->n_regions > 1)
        {
          push (a, yielded (value->def, 1, value->index), frame->fence);
          return FALSE;
        }
      *result = TRUE;
      G_GNUC_FALLTHROUGH;
    case AFTER_ELSE:
      *result = *result && frame->ok;
      break;
    case AFTER_YIELD:
      if (!*result)
        return TRUE;
      frame->stage = AFTER_INIT;
      push (a, operand_value (value->def, TS_FOR_INITS + value->index), frame->fence);
      return FALSE;
    case AFTER_INIT:
      if (*result && value->index < ts_for_n_carried (value->def))
        plan (a, ts_for_carried (value->def, value->index), target);
      break;
    default:
      break;
    }
  if (*result)
    plan (a, value, target);
  return TRUE;
}

static gboolean
try_value (Aliases *a, const TsValue *value, Target target)
{
  gboolean result = FALSE;
  a->attempt++;
  a->refusal = NULL;
  g_array_set_size (a->stack, 0);
  push (a, value, NONE);
  while (a->stack->len > 0)
    {
      guint at = a->stack->len - 1;
      gboolean decided = g_array_index (a->stack, Frame, at).stage == AFTER_NOTHING ? begin (a, at, target, &result)
                                                                                    : resume (a, at, target, &result);
      if (decided)
        g_array_set_size (a->stack, at);
    }
  return result;
}

static void
try_carry (Aliases *a, TsOp *loop, guint index)
{
  const TsValue *carried = ts_for_carried (loop, index), *value = yielded (loop, 0, index);
  Target target = current_target (a, carried);
  TsSteps *steps = a->context->steps;
  if (!ts_type_is_tile (carried->type) || target.memref == NULL || value == NULL)
    return;
  gboolean same = ts_memref_same_base (current_target (a, value).memref, target.memref);
  a->carried_base = ts_base_accesses_base (&a->accesses, carried->type->memref);
  gboolean ok = try_value (a, value, target);
  if (steps == NULL)
    return;
  ts_step_begin (steps, "alias", a->module, a->function, loop);
  ts_step_value (steps, "carried", carried);
  ts_step_value (steps, "yielded", value);
  ts_step_text (steps, "base", target.memref->base->hint);
  ts_step_text (steps, "outcome", same ? "already there" : ok ? "forced" : "refused");
  if (!ok && a->refusal != NULL)
    {
      ts_step_text (steps, "reason", a->refusal);
      if (a->refused != NULL)
        ts_step_value (steps, "at", a->refused);
    }
}

/* FOR loops in pre-order, through everything but WHILE. */
static gboolean
walk_loops (Aliases *a, TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      if ((++a->since_check & 4095) == 0 && ts_pass_cancelled (a->context))
        return FALSE;
      if (op->code == TS_OP_WHILE)
        continue;
      if (op->code == TS_OP_FOR)
        for (guint i = 0; i < ts_for_n_carried (op); i++)
          try_carry (a, op, i);
      for (guint r = 0; r < op->n_regions; r++)
        if (!walk_loops (a, ts_op_body (op, r)))
          return FALSE;
    }
  return TRUE;
}

/* --- applying ----------------------------------------------------------------------------------------------------------- */

typedef struct
{
  Aliases *a;
  TsMoves *moves;
} Apply;

static void
apply_value (TsValue *value, TsOp *op, gpointer data)
{
  Apply *apply = data;
  guint32 index = (guint32) ts_map_get (&apply->a->plan_of, (guint32) value->id, NONE);
  if (index == NONE)
    return;
  Target target = g_array_index (apply->a->plans, Plan, index).target;
  ts_moves_add (apply->moves, value, target.memref, target.space);
}

static void
apply_plans (Aliases *a)
{
  TsMoves moves;
  ts_moves_init (&moves, a->module, a->function);
  Apply apply = { a, &moves };
  ts_function_foreach_value (a->function, apply_value, &apply);
  ts_moves_follow (&moves);
  ts_moves_clear (&moves);
}

/* The planners without MemoryReuse get its repairs here. */
static gboolean
repair (TsPassContext *context, TsModule *module, TsFunction *function, guint *changes)
{
  guint moves = 0;
  if (context->planner == TS_PLANNER_PTOAS)
    {
      gboolean ok = ts_fix_yields (context, module, function, TS_FIX_LOOPS, &moves);
      *changes += moves;
      return ok;
    }
  if (context->planner != TS_PLANNER_DSA_RP)
    return TRUE;
  *changes += ts_settle_in_place (context, module, function);
  if (!ts_fix_yields (context, module, function, TS_FIX_LOOPS | TS_FIX_IF | TS_FIX_COPIES, &moves))
    return FALSE;
  *changes += moves + ts_repair_identity_copies (module, function);
  return TRUE;
}

static gboolean
run_function (TsPassContext *context, TsModule *module, TsFunction *function, guint *changes)
{
  Aliases a = { .context = context, .module = module, .function = function };
  ts_base_accesses_init (&a.accesses, function);
  a.products = g_array_new (FALSE, FALSE, sizeof (Product));
  a.plans = g_array_new (FALSE, FALSE, sizeof (Plan));
  a.stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  gboolean ok = walk_loops (&a, ts_function_block (function));
  if (ok && a.plans->len > 0)
    apply_plans (&a);
  *changes += a.plans->len;
  ts_base_accesses_clear (&a.accesses);
  g_array_unref (a.products);
  g_array_unref (a.plans);
  g_array_unref (a.stack);
  TsMap *maps[] = { &a.last_product, &a.plan_of, &a.visited };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    ts_map_clear (maps[i]);
  return ok && repair (context, module, function, changes);
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  return ts_run_on_functions (context, module, run_function);
}

#define P(id) TS_PROPERTY_BIT (TS_PROPERTY_##id)

const TsPassInfo ts_pass_materialize_semantic_aliases = {
  .name = "MaterializeSemanticAliases",
  .id = "materialize-semantic-aliases",
  .summary = "Lets what a loop yields be made in the carried value's buffer",
  .help = "For each carried tile of a for loop, follows what is yielded to the operation that makes it, through in-place "
          "operations, branches and inner loops, and lets it write straight into the buffer of the carried value where nothing "
          "reads or writes that buffer afterwards. This saves a move per iteration.\n"
          "Kept as the compiler does it: while loops are left alone; of an if whose one branch cannot be changed the other still "
          "is.\n"
          "Under dsa-rp and ptoas, which skip MemoryReuse, its repairs of yields run here.",
  .language = TS_LANGUAGE_PYPTO,
  .required = P (SPLIT_INCORE_ORCH) | P (INCORE_TILE_OPS) | P (HAS_MEM_REFS) | P (TILE_OPS_2D) | P (NORMALIZED_STMT_STRUCTURE),
  .produced = P (NORMALIZED_STMT_STRUCTURE),
  .planners = (1u << TS_N_PLANNERS) - 1,
  .in_default = TRUE,
  .whole_module = FALSE,
  .run = run,
};
