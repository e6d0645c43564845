/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MemoryReuse: lets tiles whose lives do not meet share a buffer. Source: spec passes-memory 5. */
#include "base/number.h"
#include "passes/allocations.h"
#include "passes/declared-allocations.h"
#include "passes/memory-gate.h"
#include "passes/memory-repairs.h"
#include "passes/memory-steps.h"

/* Buffers a placement step lists with what blocked them; the rest is counted. */
#define MAX_TRIED 32u
/* Placements of discarded packings that steps tell, per function. */
#define MAX_DISCARDED 4096u
/* Members of a buffer a step looks at to name the one in the way. */
#define MAX_LOOKED 4096u

typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  TsLifetimes   *life;
  TsConstraints *constraints;
  guint          merged;
  guint          n_discarded; /* placements of discarded packings told so far */
} Reuse;

/* --- steps -------------------------------------------------------------------------------------------------------------- */

/* Why interval `i` did not go into a buffer: the first of its earlier-placed members that stands in the way. */
static char *
blocker (const Reuse *reuse, const TsPackSpace *space, const TsPacking *packing, TsStageRule rule, guint32 i, guint32 buffer)
{
  guint32 looked = 0;
  for (guint32 k = packing->head[buffer]; k != TS_LIFE_NONE && looked < MAX_LOOKED; k = packing->next[k], looked++)
    {
      const char *why = k < i ? ts_pack_blocked (space, rule, i, k) : NULL;
      if (why != NULL)
        return g_strdup_printf ("%s: %s with %s", reuse->life->intervals[space->order[packing->first[buffer]]].base->hint, why,
                                reuse->life->intervals[space->order[k]].base->hint);
    }
  return NULL;
}

/* What let stages of one group into one buffer: the first earlier member of another stage, and the rule; NULL for none. */
static char *
stages_allowed (const TsPackSpace *space, const TsPacking *packing, TsStageRule rule, guint32 i)
{
  guint32 looked = 0;
  for (guint32 m = packing->head[packing->buffer_of[i]]; m != TS_LIFE_NONE && looked < MAX_LOOKED; m = packing->next[m], looked++)
    for (guint32 k = space->key_start[i]; m < i && k < space->key_start[i + 1]; k++)
      for (guint32 e = space->key_start[m]; e < space->key_start[m + 1]; e++)
        {
          const TsPackGroup *group = &space->groups[space->keys[k].group];
          if (space->keys[k].group != space->keys[e].group || space->keys[k].ordinal == space->keys[e].ordinal)
            continue;
          if (rule == TS_STAGES_GATED)
            return g_strdup_printf ("stages %d and %d of group %d: depth %u of %u", space->keys[e].stage, space->keys[k].stage,
                                    group->group, group->depth, group->n_stages);
          return g_strdup_printf ("stages %d and %d of group %d: %s", space->keys[e].stage, space->keys[k].stage, group->group,
                                  rule == TS_STAGES_LEGACY ? "neither is a load" : "not kept apart in this space");
        }
  return NULL;
}

/* One placement of the packing that is kept (`attempt` 0), or of one that was thrown away: that one went "into" a buffer only in
 * thought. */
static void
step_placement (const Reuse *reuse, const TsPackSpace *space, const TsPacking *packing, TsStageRule rule, guint32 i, guint attempt)
{
  TsSteps *steps = reuse->context->steps;
  const TsLifeInterval *interval = &reuse->life->intervals[space->order[i]];
  guint32 buffer = packing->buffer_of[i], tried = 0;
  g_autoptr (GPtrArray) blocked = g_ptr_array_new_with_free_func (g_free);
  for (guint32 b = 0; b < buffer && !interval->pinned; b++)
    {
      if (packing->first[b] > i)
        continue;
      char *text = tried++ < MAX_TRIED ? blocker (reuse, space, packing, rule, i, b) : NULL;
      if (text != NULL)
        g_ptr_array_add (blocked, text);
    }
  ts_step_begin (steps, attempt == 0 ? "place" : "discarded", reuse->module, reuse->function,
                 reuse->life->tiles[interval->representative].op);
  if (attempt > 0)
    ts_step_int (steps, "attempt", attempt);
  ts_step_text (steps, "base", interval->base->hint);
  ts_step_text (steps, "space", ts_space_name (space->space));
  ts_step_text (steps, "outcome", packing->first[buffer] == i ? interval->pinned ? "closed" : "opened" : "joined");
  ts_step_text (steps, attempt == 0 ? "buffer" : "into",
                reuse->life->intervals[space->order[packing->first[buffer]]].base->hint);
  ts_step_text (steps, "stages", rule == TS_STAGES_GATED ? "gated" : rule == TS_STAGES_LEGACY ? "legacy" : "free");
  g_autofree char *allowed = stages_allowed (space, packing, rule, i);
  if (allowed != NULL)
    ts_step_text (steps, "allowed", allowed);
  ts_step_int (steps, "tried", tried);
  ts_step_texts (steps, "blocked", (const char *const *) blocked->pdata, blocked->len);
  ts_step_listed (steps, MAX_TRIED, tried);
}

static void
step_discarded (const TsPackSpace *space, const TsPacking *packing, TsStageRule rule, guint attempt, gpointer data)
{
  Reuse *reuse = data;
  for (guint32 i = 0; i < space->n && reuse->n_discarded < MAX_DISCARDED; i++)
    {
      step_placement (reuse, space, packing, rule, i, attempt);
      if (++reuse->n_discarded < MAX_DISCARDED)
        continue;
      ts_step_begin (reuse->context->steps, "limit", reuse->module, reuse->function, NULL);
      ts_step_textf (reuse->context->steps, "message", "the first %u placements of discarded packings are told", MAX_DISCARDED);
    }
}

/* --- rewriting ---------------------------------------------------------------------------------------------------------- */

/* Where a member of a merged interval goes: NULL after an error. */
static const TsMemRef *
member_memref (const Reuse *reuse, const TsLifeTile *tile, const TsMemRef *leader, const TsMemRef *target)
{
  const TsMemRef *own = tile->value->type->memref;
  gint64 at, from, to, delta, end;
  if (!ts_expr_as_int (own->offset, &at) || !ts_expr_as_int (leader->offset, &from) || !ts_expr_as_int (target->offset, &to))
    return target;
  if (!ts_sub (at, from, &delta) || delta < 0 || !ts_add (delta, own->size, &end) || end > MAX (target->size, leader->size)
      || !ts_add (to, delta, &to))
    {
      ts_pass_fail (reuse->context, reuse->module, tile->op, "internal", "'%s' lies outside of its buffer '%s'", tile->value->hint,
                    own->base->hint);
      return NULL;
    }
  if (delta == 0 && own->size == leader->size)
    return target;
  TsExpr *offset = delta == 0 ? target->offset : ts_expr_int (reuse->module, to, own->offset->dtype);
  return ts_memref_at (reuse->module, own, target->base, offset, own->size);
}

static gboolean
move_interval (Reuse *reuse, guint32 from, guint32 to)
{
  const TsLifeInterval *interval = &reuse->life->intervals[from], *buffer = &reuse->life->intervals[to];
  const TsMemRef *leader = reuse->life->tiles[interval->representative].value->type->memref;
  const TsMemRef *target = reuse->life->tiles[buffer->representative].value->type->memref;
  for (guint32 t = interval->representative; t != TS_LIFE_NONE; t = reuse->life->tiles[t].next_member)
    {
      const TsLifeTile *tile = &reuse->life->tiles[t];
      const TsMemRef *memref = t == interval->representative ? target : member_memref (reuse, tile, leader, target);
      if (memref == NULL)
        return FALSE;
      ts_value_set_memref (reuse->module, tile->value, memref);
    }
  reuse->merged++;
  return TRUE;
}

static gboolean
reuse_space (Reuse *reuse, TsSpace id, const TsReserved *reserved)
{
  g_autoptr (TsPackSpace) space = ts_pack_space_new (reuse->life, reuse->constraints, id);
  if (space->n == 0)
    return TRUE;
  TsGate gate = { .context = reuse->context, .module = reuse->module, .function = reuse->function,
                  .reserved = id == reserved->space ? reserved->end : 0, .discarded = step_discarded, .data = reuse };
  TsStageRule rule;
  g_autoptr (TsPacking) packing = ts_gate_pack (&gate, space, &rule);
  if (packing == NULL)
    return FALSE;
  for (guint32 i = 0; i < space->n && reuse->context->steps != NULL; i++)
    step_placement (reuse, space, packing, rule, i, 0);
  for (guint32 i = 0; i < space->n; i++)
    {
      guint32 first = packing->first[packing->buffer_of[i]];
      if (first != i && !move_interval (reuse, space->order[i], space->order[first]))
        return FALSE;
    }
  return TRUE;
}

/* --- the pass ----------------------------------------------------------------------------------------------------------- */

static gboolean
repair (const Reuse *reuse, guint *changes)
{
  TsModule *module = reuse->module;
  TsFunction *function = reuse->function;
  guint moves;
  if (reuse->merged > 0)
    *changes += ts_align_loop_carries (module, function);
  if (!ts_fix_yields (reuse->context, module, function, TS_FIX_LOOPS | TS_FIX_IF | TS_FIX_COPIES, &moves))
    return FALSE;
  *changes += moves + ts_repair_identity_copies (module, function);
  *changes += ts_remove_dead_allocs (function);
  *changes += ts_strip_membership (function);
  return TRUE;
}

static gboolean
run_function (TsPassContext *context, TsModule *module, TsFunction *function, guint *changes)
{
  /* Before the packing, not after it: a seed that moves onto an accumulator takes the bytes of everything later in the chain
   * along, and what was packed into them meanwhile would be lost. */
  *changes += ts_settle_in_place (context, module, function);
  g_autoptr (TsLifetimes) life = ts_lifetimes_new (module, function, TS_LIFETIMES_DEFAULT);
  if (life->n_tiles == 0)
    return TRUE; /* kept quirk: membership stays */
  if (!ts_check_declared_lives (context, module, function, life))
    return FALSE;
  g_autoptr (TsConstraints) constraints = ts_constraints_new (context, function, life);
  Reuse reuse = { context, module, function, life, constraints, 0, 0 };
  TsReserved reserved = ts_reserved_bytes (function);
  for (guint32 i = 0; i < life->n_intervals && context->steps != NULL; i++)
    ts_step_interval (context, module, function, life, &life->intervals[i]);
  for (guint space = 0; space < TS_N_SPACES; space++)
    if (!reuse_space (&reuse, space, &reserved))
      return FALSE;
  *changes += reuse.merged;
  return repair (&reuse, changes);
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  return ts_run_on_functions (context, module, run_function);
}

#define P(id) TS_PROPERTY_BIT (TS_PROPERTY_##id)

const TsPassInfo ts_pass_memory_reuse = {
  .name = "MemoryReuse",
  .id = "memory-reuse",
  .summary = "Lets tiles whose lives do not meet share a buffer",
  .help = "Finds when each buffer is live, sorts them by size and puts each into the first buffer it may join: lives may touch "
          "but not overlap (except in different branches of an if), an operation must not write over an operand it still needs, "
          "and pipeline stages stay apart as deep as the memory space allows. Where it is too small, the group with the largest "
          "tiles gives up depth first; where even that does not help, an older rule that only protects loads takes over, with a "
          "warning.\n"
          "Afterwards carries, branches and copies are put in agreement with moves where they must be, unused allocations go, "
          "and the membership attributes with them.\n"
          "Kept as the compiler does it: a function without tiles keeps its attributes; a yielded carried value is never moved; "
          "several moves before one yield run in their order.",
  .language = TS_LANGUAGE_PYPTO,
  .required = P (SPLIT_INCORE_ORCH) | P (INCORE_TILE_OPS) | P (HAS_MEM_REFS) | P (TILE_OPS_2D) | P (NORMALIZED_STMT_STRUCTURE),
  .produced = P (NORMALIZED_STMT_STRUCTURE) | P (IN_PLACE_TILES),
  .planners = 1u << TS_PLANNER_PYPTO,
  .in_default = TRUE,
  .whole_module = FALSE,
  .run = run,
};
