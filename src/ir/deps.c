/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of definitions and uses between the operations of one block. Source: spec passes-schedule section 1. */
#include "ir/deps.h"

#include <stdlib.h>
#include <string.h>

#include "ir/build.h"

/* Who defined a value last, in the block of run `epoch`, and how often it was used there: an entry of an older epoch counts as
 * none, so that nothing is cleared. Eight bytes: large tables are read at random. */
typedef struct
{
  guint32 epoch;
  guint32 op : 30; /* OUTSIDE: not defined in the block */
  guint32 uses : 2; /* 3: three or more */
} Definer;

#define OUTSIDE 0x3fffffffu

struct TsDepsBuilder
{
  const TsModule *module;
  Definer        *definers; /* by value id */
  guint           n_definers;
  guint32         epoch;

  const guint32 *groups;    /* by value id below n_grouped, 0: in none */
  guint          n_grouped, n_groups;
  guint32       *entered;   /* by group: the last run that used a member from outside */
  guint32       *forked;    /* by group: the last run that used it otherwise than along one chain */
  GArray        *forks;     /* guint32: groups of the run at hand */

  /* During a run. */
  TsDeps        *deps;
  const TsBlock *block;
  guint32        current;
  guint32 *preds;
  gsize    n_preds, capacity;
  guint32 *last_user; /* by operation: the last one that has it as predecessor, plus 1 */
};

TsDepsBuilder *
ts_deps_builder_new (const TsModule *module)
{
  TsDepsBuilder *builder = g_new0 (TsDepsBuilder, 1);
  builder->module = module;
  builder->forks = g_array_new (FALSE, FALSE, sizeof (guint32));
  return builder;
}

void
ts_deps_builder_free (TsDepsBuilder *builder)
{
  if (builder == NULL)
    return;
  g_free (builder->definers);
  g_free (builder->entered);
  g_free (builder->forked);
  g_array_unref (builder->forks);
  g_free (builder);
}

void
ts_deps_builder_watch (TsDepsBuilder *builder, const guint32 *groups, guint n_values, guint n_groups)
{
  g_free (builder->entered);
  g_free (builder->forked);
  builder->groups = groups;
  builder->n_grouped = n_values;
  builder->n_groups = n_groups;
  builder->entered = g_new0 (guint32, MAX (n_groups, 1));
  builder->forked = g_new0 (guint32, MAX (n_groups, 1));
}

/* A second use of one member, or a second member from outside: uses of the group no longer follow one chain of values. */
static void
watch_use (TsDepsBuilder *builder, guint32 group, const Definer *before)
{
  gboolean forks = before->uses > 0 || (before->op == OUTSIDE && builder->entered[group] == builder->epoch);
  if (before->op == OUTSIDE)
    builder->entered[group] = builder->epoch;
  if (forks && builder->forked[group] != builder->epoch)
    {
      builder->forked[group] = builder->epoch;
      g_array_append_val (builder->forks, group);
    }
}

void
ts_deps_builder_foreach_forked (const TsDepsBuilder *builder, TsGroupFunc func, gpointer data)
{
  for (guint i = 0; i < builder->forks->len; i++)
    func (g_array_index (builder->forks, guint32, i), data);
}

static void
see_from_outside (TsDepsBuilder *builder, const TsValue *value)
{
  const TsOp *def = value->kind == TS_VALUE_RESULT ? value->def : NULL;
  if (def != NULL && def->block == builder->block && def != builder->deps->ops[builder->current] && builder->deps->too_early < 0)
    builder->deps->too_early = (gint32) builder->current;
}

static void
add_use (TsValue *value, gpointer data)
{
  TsDepsBuilder *builder = data;
  Definer *definer = &builder->definers[value->id];

  if (definer->epoch != builder->epoch)
    *definer = (Definer) { builder->epoch, OUTSIDE, 0 };
  if ((guint) value->id < builder->n_grouped && builder->groups[value->id] != 0)
    watch_use (builder, builder->groups[value->id], definer);
  if (definer->uses < 3)
    definer->uses++;
  if (definer->op == OUTSIDE)
    {
      see_from_outside (builder, value);
      return;
    }
  if (definer->op == builder->current || builder->last_user[definer->op] == builder->current + 1)
    return;
  builder->last_user[definer->op] = builder->current + 1;
  if (builder->n_preds == builder->capacity)
    {
      builder->capacity *= 2;
      builder->preds = g_renew (guint32, builder->preds, builder->capacity);
    }
  builder->preds[builder->n_preds++] = definer->op;
}

static gboolean
add_uses (TsOp *op, gpointer data)
{
  ts_op_foreach_use (op, add_use, data);
  return TRUE;
}

static void
define (TsDepsBuilder *builder, const TsValue *value)
{
  Definer *definer = &builder->definers[value->id];
  guint uses = definer->epoch == builder->epoch ? definer->uses : 0;

  *definer = (Definer) { builder->epoch, builder->current, uses };
}

static gboolean
add_definitions (TsOp *op, gpointer data)
{
  TsDepsBuilder *builder = data;

  for (guint i = 0; i < op->n_results; i++)
    define (builder, op->results[i]);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      {
        const TsBlock *block = op->regions[r].blocks[b];
        for (guint i = 0; i < block->n_args; i++)
          define (builder, block->args[i]);
      }
  return TRUE;
}

/* Predecessors of one operation are few: insertion sort. Long rows (a block that reads everything before it) go to the library. */
static int
compare_index (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  return (x > y) - (x < y);
}

static void
sort_row (guint32 *row, gsize n)
{
  if (n > 16)
    {
      qsort (row, n, sizeof *row, compare_index);
      return;
    }
  for (gsize i = 1; i < n; i++)
    {
      guint32 v = row[i];
      gsize j = i;
      for (; j > 0 && row[j - 1] > v; j--)
        row[j] = row[j - 1];
      row[j] = v;
    }
}

static void
begin_run (TsDepsBuilder *builder, guint n_ops)
{
  guint needed = (guint) builder->module->n_values;
  if (needed > builder->n_definers || builder->definers == NULL)
    {
      guint n = MAX (needed, builder->n_definers + builder->n_definers / 2);
      builder->definers = g_renew (Definer, builder->definers, MAX (n, 1));
      memset (builder->definers + builder->n_definers, 0, sizeof (Definer) * (n - builder->n_definers));
      builder->n_definers = n;
    }
  if (++builder->epoch == 0)
    {
      memset (builder->definers, 0, sizeof (Definer) * builder->n_definers);
      for (guint i = 0; i < builder->n_groups; i++)
        builder->entered[i] = builder->forked[i] = 0;
      builder->epoch = 1;
    }
  g_array_set_size (builder->forks, 0);
  builder->n_preds = 0;
  builder->capacity = 2 * (gsize) n_ops + 8;
  builder->preds = g_new (guint32, builder->capacity);
  builder->last_user = g_new0 (guint32, MAX (n_ops, 1));
}

void
ts_deps_builder_begin (TsDepsBuilder *builder, const TsBlock *block, TsOp **ops, guint n)
{
  TsDeps *deps = g_new0 (TsDeps, 1);
  deps->n_ops = n;
  deps->ops = ops;
  deps->pred_start = g_new (guint32, n + 1);
  deps->too_early = -1;
  builder->deps = deps;
  builder->block = block;
  builder->current = 0;
  begin_run (builder, n);
}

void
ts_deps_builder_add (TsDepsBuilder *builder)
{
  TsDeps *deps = builder->deps;
  g_return_if_fail (builder->current < deps->n_ops);
  TsOp *op = deps->ops[builder->current];
  deps->pred_start[builder->current] = (guint32) builder->n_preds;
  add_uses (op, builder);
  if (op->n_regions > 0)
    ts_op_walk_regions (op, add_uses, builder);
  add_definitions (op, builder);
  if (op->n_regions > 0)
    ts_op_walk_regions (op, add_definitions, builder);
  sort_row (builder->preds + deps->pred_start[builder->current], builder->n_preds - deps->pred_start[builder->current]);
  builder->current++;
}

TsDeps *
ts_deps_builder_end (TsDepsBuilder *builder)
{
  TsDeps *deps = g_steal_pointer (&builder->deps);
  deps->pred_start[deps->n_ops] = (guint32) builder->n_preds;
  deps->preds = g_steal_pointer (&builder->preds);
  g_clear_pointer (&builder->last_user, g_free);
  return deps;
}

TsDeps *
ts_deps_builder_run (TsDepsBuilder *builder, const TsBlock *block)
{
  ts_deps_builder_begin (builder, block, ts_block_ops (block), block->n_ops);
  for (guint i = 0; i < block->n_ops; i++)
    ts_deps_builder_add (builder);
  return ts_deps_builder_end (builder);
}

TsDeps *
ts_deps_new (const TsModule *module, const TsBlock *block)
{
  g_autoptr (TsDepsBuilder) builder = ts_deps_builder_new (module);
  return ts_deps_builder_run (builder, block);
}

void
ts_deps_free (TsDeps *deps)
{
  if (deps == NULL)
    return;
  g_free (deps->ops);
  g_free (deps->pred_start);
  g_free (deps->preds);
  g_free (deps);
}
