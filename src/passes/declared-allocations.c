/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collecting declared allocations: slot size, slot count, and every way to get them wrong. */
#include "passes/declared-allocations.h"

#include <string.h>

#include "base/map.h"
#include "base/number.h"
#include "ir/op-info.h"
#include "passes/allocations.h"

typedef struct
{
  TsValue *base;
  TsSpace  space;
  gint64   slot_size;
  gint64   slots;
} Declaration;

struct TsDeclarations
{
  GHashTable *by_base; /* TsValue* to Declaration* (owned) */
  GHashTable *by_name; /* interned name to TsValue* */
};

typedef struct
{
  TsPassContext  *context;
  TsModule       *module;
  TsFunction     *function;
  TsDeclarations *declarations;
  gboolean        failed;
} Collect;

void
ts_declarations_free (TsDeclarations *declarations)
{
  if (declarations == NULL)
    return;
  g_hash_table_unref (declarations->by_base);
  g_hash_table_unref (declarations->by_name);
  g_free (declarations);
}

/* `name` of the declaration that is at fault. */
static void G_GNUC_PRINTF (5, 6)
refuse (Collect *collect, const TsOp *op, const char *code, const char *name, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  ts_report_about (collect->context, collect->module, collect->function, op, TS_SEVERITY_ERROR, code, name, "%s", message);
  collect->failed = TRUE;
}

/* Checks one binding by itself; its physical size goes to *bytes. */
static gboolean
check_binding (Collect *collect, const TsValue *value, const TsOp *op, gint64 *bytes)
{
  const TsType *type = value->type;
  const TsMemRef *memref = type->memref;
  const char *name = memref->base->hint;
  gint64 index;
  if (op == NULL)
    refuse (collect, op, "declaration-parameter", name, "parameter '%s' is bound to the declared allocation '%s': a "
            "declaration in a parameter is refused, the caller owns that memory", value->hint, name);
  else if (!ts_tile_bytes (collect->context->machine, type, bytes))
    refuse (collect, op, "static-shape", name, "tile '%s' bound to '%s' needs a static shape", value->hint, name);
  else if (type->space == TS_SPACE_NONE)
    refuse (collect, op, "memory-space", name, "tile '%s' bound to '%s' needs an explicit memory space", value->hint, name);
  else if (memref->slots < 1)
    refuse (collect, op, "slot-count", name, "declared allocation '%s' has slots=%" G_GINT64_FORMAT ": it needs at least one slot",
            name, memref->slots);
  else if (memref->slots == 1 && memref->slot_index != NULL)
    refuse (collect, op, "slot-index", name, "declared allocation '%s' has a single slot: it takes no subscript", name);
  else if (memref->slot_index != NULL && ts_expr_fold_int (memref->slot_index, &index) && (index < 0 || index >= memref->slots))
    refuse (collect, op, "slot-index", name, "slot index %" G_GINT64_FORMAT " of '%s' is out of range: it has %" G_GINT64_FORMAT
            " slots", index, name, memref->slots);
  else if (memref->slots == 1 && collect->context->planner == TS_PLANNER_PTOAS)
    refuse (collect, op, "declaration-planner", name, "single-slot declaration '%s' is refused under the planner ptoas", name);
  else
    return TRUE;
  return FALSE;
}

static void
merge_binding (Collect *collect, const TsValue *value, const TsOp *op, gint64 bytes)
{
  const TsMemRef *memref = value->type->memref;
  const char *name = memref->base->hint;
  TsDeclarations *all = collect->declarations;
  TsValue *namesake = g_hash_table_lookup (all->by_name, name);
  if (namesake != NULL && namesake != memref->base)
    {
      refuse (collect, op, "declaration-name", name, "two declarations both resolve to the name '%s'", name);
      return;
    }
  g_hash_table_insert (all->by_name, (gpointer) name, memref->base);
  Declaration *known = g_hash_table_lookup (all->by_base, memref->base);
  if (known == NULL)
    {
      known = g_new0 (Declaration, 1);
      *known = (Declaration) { memref->base, value->type->space, bytes, memref->slots };
      g_hash_table_insert (all->by_base, memref->base, known);
    }
  if (known->space != value->type->space)
    refuse (collect, op, "memory-space", name, "tiles bound to '%s' must be in the same memory space: %s and %s", name,
            ts_space_name (known->space), ts_space_name (value->type->space));
  else if (known->slots != memref->slots)
    refuse (collect, op, "slot-count", name, "tiles bound to '%s' disagree on how many slots it has: %" G_GINT64_FORMAT " and %"
            G_GINT64_FORMAT, name, known->slots, memref->slots);
  known->slot_size = MAX (known->slot_size, bytes);
}

static void
collect_value (TsValue *value, TsOp *op, gpointer data)
{
  Collect *collect = data;
  if (collect->failed || !ts_type_is_tile (value->type) || value->type->memref == NULL || !value->type->memref->declared)
    return;
  if (value->kind == TS_VALUE_BLOCK_ARG || ts_op_is (op, TS_OP_FOR) || ts_op_is (op, TS_OP_IF) || ts_op_is (op, TS_OP_WHILE))
    return; /* control flow passes its source's MemRef on */
  gint64 bytes = 0;
  if (check_binding (collect, value, op, &bytes))
    merge_binding (collect, value, op, bytes);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 ((*(const Declaration *const *) a)->base->hint, (*(const Declaration *const *) b)->base->hint);
}

/* All slots together must have a size: checked once the largest tile is known, in order of names so that the same input fails
 * alike. */
static void
check_totals (Collect *collect)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, collect->declarations->by_base);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (sorted, value);
  g_ptr_array_sort (sorted, compare_names);
  for (guint i = 0; i < sorted->len && !collect->failed; i++)
    {
      const Declaration *d = sorted->pdata[i];
      gint64 total;
      if (!ts_mul (d->slot_size, d->slots, &total))
        refuse (collect, NULL, "slot-overflow", d->base->hint, "%" G_GINT64_FORMAT " slots of %" G_GINT64_FORMAT " bytes of '%s' "
                "overflows a 64-bit size", d->slots, d->slot_size, d->base->hint);
    }
}

TsDeclarations *
ts_declarations_new (TsPassContext *context, TsModule *module, TsFunction *function)
{
  TsDeclarations *declarations = g_new0 (TsDeclarations, 1);
  declarations->by_base = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  declarations->by_name = g_hash_table_new (NULL, NULL);
  Collect collect = { context, module, function, declarations, FALSE };
  ts_function_foreach_value (function, collect_value, &collect);
  check_totals (&collect);
  if (!collect.failed)
    return declarations;
  ts_declarations_free (declarations);
  return NULL;
}

gint64
ts_declarations_bytes (const TsDeclarations *declarations, const TsValue *base)
{
  const Declaration *d = g_hash_table_lookup (declarations->by_base, base);
  return d != NULL ? d->slot_size * d->slots : 0;
}

const TsMemRef *
ts_declarations_resolve (const TsDeclarations *declarations, TsModule *module, const TsType *type)
{
  const TsMemRef *memref = type->memref;
  const Declaration *d = memref != NULL && memref->declared ? g_hash_table_lookup (declarations->by_base, memref->base) : NULL;
  if (d == NULL)
    return NULL;
  gint64 index = 0;
  TsExpr *offset;
  if (memref->slot_index == NULL || ts_expr_fold_int (memref->slot_index, &index))
    offset = ts_expr_bytes (module, index * d->slot_size);
  else
    offset = ts_expr_binary (module, TS_OPERATOR_MUL, memref->slot_index, ts_expr_index (module, d->slot_size));
  TsMemRef *resolved = (TsMemRef *) ts_memref_copy (module, memref);
  resolved->offset = offset;
  resolved->size = d->slot_size;
  resolved->declared = FALSE;
  resolved->pinned = FALSE;
  return resolved;
}

/* --- lives of declared buffers -------------------------------------------------------------------------------------------- */

typedef struct
{
  guint32 tile; /* bound by itself, neither view nor in-place result */
  guint32 last; /* last use of it and of all that shares its bytes through it */
  gint64  offset;
} Bound;

static int
compare_bound (gconstpointer x, gconstpointer y)
{
  const Bound *a = x, *b = y;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return a->tile < b->tile ? -1 : a->tile > b->tile;
}

/* The tiles of one interval that are bound by themselves, with the reach of their views. */
static GArray *
bound_tiles (const TsLifetimes *life, const TsLifeInterval *interval)
{
  GArray *bound = g_array_new (FALSE, FALSE, sizeof (Bound));
  g_auto (TsMap) root_of = { 0 }; /* tile to its entry in `bound` */
  for (guint32 t = interval->representative; t != TS_LIFE_NONE; t = life->tiles[t].next_member)
    {
      const TsLifeTile *tile = &life->tiles[t];
      gint k = tile->op != NULL ? ts_op_shared_argument (tile->op) : -1;
      const TsValue *source = k >= 0 && (guint) k < tile->op->n_operands ? ts_expr_as_value (tile->op->operands[k]) : NULL;
      guint32 from = source != NULL ? ts_lifetimes_tile (life, source) : TS_LIFE_NONE;
      guint32 root = from != TS_LIFE_NONE ? (guint32) ts_map_get (&root_of, from, TS_LIFE_NONE) : TS_LIFE_NONE;
      if (root == TS_LIFE_NONE && ts_memref_same_base (ts_tile_memref (source), tile->value->type->memref))
        continue; /* continues a carried value or a branch */
      if (root == TS_LIFE_NONE)
        {
          Bound fresh = { t, tile->last, 0 };
          root = bound->len;
          if (ts_expr_as_int (tile->value->type->memref->offset, &fresh.offset))
            g_array_append_val (bound, fresh);
          else
            continue; /* a slot chosen at run time is not checked */
        }
      ts_map_set (&root_of, t, root);
      g_array_index (bound, Bound, root).last = MAX (g_array_index (bound, Bound, root).last, tile->last);
    }
  return bound;
}

/* Clones of one tile have its name: the stages tell them apart. */
static char *
name_both (const TsLifeTile *first, const TsLifeTile *second)
{
  const char *a = first->value->hint, *b = second->value->hint;
  if (strcmp (a, b) != 0)
    return g_strdup_printf ("tiles '%s' and '%s' are", a, b);
  guint n_first = 0, n_second = 0;
  const TsStage *of_first = first->op != NULL ? ts_op_membership (first->op, &n_first) : NULL;
  const TsStage *of_second = second->op != NULL ? ts_op_membership (second->op, &n_second) : NULL;
  for (guint i = 0; i < MIN (n_first, n_second); i++)
    if (of_first[i].group == of_second[i].group && of_first[i].stage != of_second[i].stage)
      return g_strdup_printf ("two copies of tile '%s' (stages %d and %d of pipeline group %d) are", a, of_first[i].stage,
                              of_second[i].stage, of_first[i].group);
  return g_strdup_printf ("two definitions of tile '%s' are", a);
}

static gboolean
check_interval (TsPassContext *context, const TsModule *module, const TsFunction *function, const TsLifetimes *life,
                const TsLifeInterval *interval)
{
  gint64 bytes;
  if (!ts_alloc_bytes (interval->alloc, &bytes))
    {
      ts_report_about (context, module, function, interval->alloc, TS_SEVERITY_ERROR, "internal", interval->base->hint,
                       "the size of the declared allocation '%s' is no positive constant", interval->base->hint);
      return FALSE;
    }
  g_autoptr (GArray) bound = bound_tiles (life, interval);
  g_array_sort (bound, compare_bound);
  for (guint i = 1; i < bound->len; i++)
    {
      const Bound *a = &g_array_index (bound, Bound, i - 1), *b = &g_array_index (bound, Bound, i);
      const TsLifeTile *first = &life->tiles[a->tile], *second = &life->tiles[b->tile];
      if (a->offset != b->offset || a->last <= second->def)
        continue;
      g_autofree char *both = name_both (first, second);
      ts_report_about (context, module, function, second->op, TS_SEVERITY_ERROR, "co-live-slots", interval->base->hint,
                       "%s live at the same time, but both are bound to the same slot of '%s' (byte %" G_GINT64_FORMAT ")", both,
                       interval->base->hint, a->offset);
      return FALSE;
    }
  return TRUE;
}

gboolean
ts_check_declared_lives (TsPassContext *context, const TsModule *module, const TsFunction *function, const TsLifetimes *life)
{
  for (guint32 i = 0; i < life->n_intervals; i++)
    if (life->intervals[i].alloc != NULL && ts_alloc_is_pinned (life->intervals[i].alloc)
        && !check_interval (context, module, function, life, &life->intervals[i]))
      return FALSE;
  return TRUE;
}
