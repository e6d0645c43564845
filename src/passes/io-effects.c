/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order between accesses of one memory, under whatever names.
 *
 * Accesses whose windows can be compared (offsets that differ only in constants) go to a grid of cells, so that an access meets
 * only what lies near it. An access that cannot be compared takes an edge from everything since the last such access and becomes a
 * barrier for what follows: the number of edges stays linear. */
#include "passes/io-effects.h"

#include "base/number.h"
#include "ir/op-info.h"
#include "passes/window.h"

#define NONE G_MAXUINT32
/* Cells one window may touch, and accesses that may share a cell, before it counts as not comparable. */
#define MAX_CELLS 16
#define MAX_CHAIN 64

typedef struct
{
  guint32  op;
  guint32  frame; /* whose indices the window counts in */
  gboolean store;
  TsWindow window;
} Access;

/* An access in a cell; cells are lists within one array. */
typedef struct
{
  guint32 access; /* NONE: dropped, because a later store covers it */
  guint32 next;
} CellEntry;

/* What is known of the variables of one class that the block uses under more than one name or more than once. */
typedef struct
{
  guint32  class;
  guint32  barrier; /* every later access follows this statement; NONE: there is none */
  GArray  *accesses; /* guint32: since the barrier */
  guint    n_stores;
  gboolean mixed;   /* loads that cannot be compared with each other are among them */
} Memory;

struct TsIoEffects
{
  const TsModule   *module;
  const TsFunction *function;
  const TsAliases  *aliases;
  Memory          **memories;  /* by class: those of the block at hand */
  GPtrArray        *listed;    /* Memory: the same */
  GPtrArray        *written;   /* TsValue: of the operation at hand */
  guint8           *n_defs;    /* by value id; made when first needed */
  GArray           *accesses;  /* Access */
  GHashTable       *cells;     /* hash of class and cell to index of its first entry plus 1 */
  GArray           *entries;   /* CellEntry */
  GArray           *edges;
  guint32           current;
};

static void
memory_free (gpointer data)
{
  Memory *memory = data;
  g_array_unref (memory->accesses);
  g_free (memory);
}

static guint
hash_cell (gconstpointer key)
{
  guint64 h = *(const guint64 *) key;
  return (guint) (h ^ (h >> 32));
}

static gboolean
equal_cell (gconstpointer a, gconstpointer b)
{
  return *(const guint64 *) a == *(const guint64 *) b;
}

TsIoEffects *
ts_io_effects_new (const TsModule *module, const TsFunction *function, const TsAliases *aliases)
{
  TsIoEffects *effects = g_new0 (TsIoEffects, 1);
  effects->module = module;
  effects->function = function;
  effects->aliases = aliases;
  effects->memories = g_new0 (Memory *, aliases->n_classes);
  effects->listed = g_ptr_array_new_with_free_func (memory_free);
  effects->written = g_ptr_array_new ();
  effects->accesses = g_array_new (FALSE, FALSE, sizeof (Access));
  effects->cells = g_hash_table_new_full (hash_cell, equal_cell, g_free, NULL);
  effects->entries = g_array_new (FALSE, FALSE, sizeof (CellEntry));
  return effects;
}

void
ts_io_effects_free (TsIoEffects *effects)
{
  if (effects == NULL)
    return;
  g_free (effects->n_defs);
  g_free (effects->memories);
  g_ptr_array_unref (effects->listed);
  g_ptr_array_unref (effects->written);
  g_array_unref (effects->accesses);
  g_hash_table_unref (effects->cells);
  g_array_unref (effects->entries);
  g_free (effects);
}

/* --- what an operation touches ----------------------------------------------------------------------------------------------- */

gboolean
ts_op_releases (const TsOp *op)
{
  return op->code == TS_OP_SYSTEM_TFREE_TO_AIC || op->code == TS_OP_SYSTEM_TFREE_TO_AIV;
}

static gboolean
count_definition (TsOp *op, gpointer data)
{
  guint8 *n_defs = data;
  for (guint i = 0; i < op->n_results; i++)
    if (n_defs[op->results[i]->id] < 2)
      n_defs[op->results[i]->id]++;
  return TRUE;
}

static const guint8 *
definitions (TsIoEffects *effects)
{
  if (effects->n_defs == NULL)
    {
      effects->n_defs = g_new0 (guint8, MAX (effects->module->n_values, 1));
      ts_region_walk ((TsRegion *) &effects->function->body, count_definition, effects->n_defs);
    }
  return effects->n_defs;
}

static void
list_window (TsIoEffects *effects, TsWindow *window, const TsExpr *offsets, const TsExpr *extents)
{
  if (extents->kind == TS_EXPR_LIST)
    ts_window_init (window, offsets, extents->list, extents->n, definitions (effects));
}

/* Offsets and extents of the part of operand `arg` that the operation reads or writes; extents NULL: one element. */
typedef struct
{
  TsOpCode code;
  guint8   arg, n_operands; /* in this form of the operation only */
  guint8   offsets;         /* operand */
  gint8    extents;         /* operand; ONE element or that of a TILE or tensor */
  guint8   source;          /* operand whose dimensions are the extents */
} WindowRule;

enum { ONE = -1, DIMS = -2 };

static const WindowRule window_rules[] = {
  { TS_OP_TILE_LOAD, 0, 0, 1, 2, 0 },       { TS_OP_TILE_STORE, 2, 3, 1, DIMS, 0 },  { TS_OP_TILE_READ, 0, 0, 1, ONE, 0 },
  { TS_OP_TILE_WRITE, 0, 0, 1, ONE, 0 },    { TS_OP_TENSOR_READ, 0, 0, 1, ONE, 0 },  { TS_OP_TENSOR_WRITE, 0, 0, 1, ONE, 0 },
  { TS_OP_TILE_ASSEMBLE, 0, 3, 2, DIMS, 1 }, { TS_OP_TENSOR_ASSEMBLE, 0, 3, 2, DIMS, 1 },
};

/* The window of the access to `value`; rank 0 (all of it) unless the operation is one of those that name it. */
static void
find_window (TsIoEffects *effects, const TsOp *op, const TsValue *value, TsWindow *window)
{
  window->rank = 0;
  for (guint i = 0; i < G_N_ELEMENTS (window_rules); i++)
    {
      const WindowRule *rule = &window_rules[i];
      if (rule->code != op->code)
        continue;
      gint last = MAX (MAX (rule->arg, rule->offsets), rule->extents);
      if ((gint) op->n_operands <= last || (rule->n_operands != 0 && op->n_operands != rule->n_operands)
          || ts_expr_as_value (op->operands[rule->arg]) != value)
        return;
      const TsValue *source = rule->extents == DIMS ? ts_expr_as_value (op->operands[rule->source]) : NULL;
      if (rule->extents >= 0)
        list_window (effects, window, op->operands[rule->offsets], op->operands[rule->extents]);
      else if (rule->extents == ONE)
        ts_window_init (window, op->operands[rule->offsets], NULL, 0, definitions (effects));
      else if (source != NULL && (ts_type_is_tile (source->type) || ts_type_is_tensor (source->type)))
        ts_window_init (window, op->operands[rule->offsets], source->type->dims, source->type->rank, definitions (effects));
      return;
    }
}

/* --- cells ------------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  guint   n;
  guint64 hashes[MAX_CELLS];
} Cells;

/* Cells have the size of the first window seen of the variable. FALSE: too many. */
static gboolean
find_cells (const TsWindow *window, const TsWindow *first, guint32 class, Cells *cells)
{
  gint64 lo[TS_WINDOW_RANK], hi[TS_WINDOW_RANK];
  guint64 total = 1;
  for (guint i = 0; i < window->rank; i++)
    {
      gint64 last = ts_add_sat (window->offset[i].constant, window->extent[i] - 1);
      ts_floor_div (window->offset[i].constant, first->extent[i], &lo[i]);
      ts_floor_div (last, first->extent[i], &hi[i]);
      guint64 count = (guint64) hi[i] - (guint64) lo[i] + 1;
      if (count > MAX_CELLS || (total *= count) > MAX_CELLS)
        return FALSE;
    }
  cells->n = (guint) total;
  for (guint c = 0; c < cells->n; c++)
    {
      guint rest = c;
      guint64 h = (guint64) class * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
      for (guint i = 0; i < window->rank; i++)
        {
          guint64 count = (guint64) hi[i] - (guint64) lo[i] + 1;
          h = (h ^ ((guint64) lo[i] + rest % count)) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
          h ^= h >> 29;
          rest /= (guint) count;
        }
      cells->hashes[c] = h;
    }
  return TRUE;
}

static void
add_edge (TsIoEffects *effects, guint32 from)
{
  if (from == NONE || from == effects->current)
    return;
  TsOrderEdge edge = { from, effects->current };
  g_array_append_val (effects->edges, edge);
}

/* Edges from what the new access meets in one cell; what a store covers is dropped, since its order now goes through the store.
 * FALSE: the cell is too full. */
static gboolean
meet_cell (TsIoEffects *effects, guint64 hash, const Access *access)
{
  guint32 at = GPOINTER_TO_UINT (g_hash_table_lookup (effects->cells, &hash));
  for (guint length = 0; at != 0; length++)
    {
      CellEntry *entry = &g_array_index (effects->entries, CellEntry, at - 1);
      at = entry->next;
      if (entry->access == NONE)
        continue;
      if (length >= MAX_CHAIN)
        return FALSE;
      const Access *other = &g_array_index (effects->accesses, Access, entry->access);
      if (!(access->store || other->store) || !ts_window_overlaps (&access->window, &other->window))
        continue;
      add_edge (effects, other->op);
      if (access->store && ts_window_covers (&access->window, &other->window))
        entry->access = NONE;
    }
  return TRUE;
}

static void
enter_cell (TsIoEffects *effects, guint64 hash, guint32 access)
{
  CellEntry entry = { access, GPOINTER_TO_UINT (g_hash_table_lookup (effects->cells, &hash)) };
  /* Skip dropped entries at the head, so that a cell that is overwritten again and again stays short. */
  while (entry.next != 0 && g_array_index (effects->entries, CellEntry, entry.next - 1).access == NONE)
    entry.next = g_array_index (effects->entries, CellEntry, entry.next - 1).next;
  g_array_append_val (effects->entries, entry);
  g_hash_table_insert (effects->cells, g_memdup2 (&hash, sizeof hash), GUINT_TO_POINTER (effects->entries->len));
}

/* --- accesses ---------------------------------------------------------------------------------------------------------------- */

static void
order_after_all (TsIoEffects *effects, Memory *memory)
{
  for (guint i = 0; i < memory->accesses->len; i++)
    add_edge (effects, g_array_index (effects->accesses, Access, g_array_index (memory->accesses, guint32, i)).op);
  g_array_set_size (memory->accesses, 0);
  memory->barrier = effects->current;
  memory->n_stores = 0;
  memory->mixed = FALSE;
}

/* Can the access be told from the others by its window? Enters it into the grid if so. */
static gboolean
enter_grid (TsIoEffects *effects, Memory *memory, guint32 index)
{
  const Access *access = &g_array_index (effects->accesses, Access, index);
  if (access->window.rank == 0 || memory->mixed)
    return FALSE;
  const Access *first = memory->accesses->len > 0
                          ? &g_array_index (effects->accesses, Access, g_array_index (memory->accesses, guint32, 0)) : access;
  Cells cells;
  if (access->frame != first->frame || !ts_window_comparable (&access->window, &first->window)
      || !find_cells (&access->window, &first->window, memory->class, &cells))
    return FALSE;
  for (guint i = 0; i < cells.n; i++)
    if (!meet_cell (effects, cells.hashes[i], access))
      return FALSE;
  for (guint i = 0; i < cells.n; i++)
    enter_cell (effects, cells.hashes[i], index);
  return TRUE;
}

static void
add_access (TsIoEffects *effects, const TsOp *op, const TsValue *value, gboolean store)
{
  Memory *memory = effects->memories[ts_aliases_class (effects->aliases, value)];
  if (memory == NULL)
    return;
  Access access = { .op = effects->current, .store = store, .frame = effects->aliases->frame_of[value->id] };
  find_window (effects, op, value, &access.window);
  guint32 index = effects->accesses->len;
  g_array_append_val (effects->accesses, access);
  add_edge (effects, memory->barrier);

  if (!enter_grid (effects, memory, index))
    {
      /* Loads need no order among themselves: they only wait together for the next store. */
      if (store || memory->n_stores > 0)
        {
          order_after_all (effects, memory);
          return;
        }
      memory->mixed = TRUE;
    }
  g_array_append_val (memory->accesses, index);
  memory->n_stores += store ? 1 : 0;
}

typedef struct
{
  TsIoEffects *effects;
  const TsOp  *op;
  guint        n_seen; /* bit k: the use that is written to, the k-th of them, went by: it is no further read */
} Visit;

static void
visit_use (TsValue *value, gpointer data)
{
  Visit *visit = data;
  const GPtrArray *written = visit->effects->written;
  for (guint i = 0; i < written->len && i < 32; i++)
    if (written->pdata[i] == value && (visit->n_seen >> i & 1) == 0)
      {
        visit->n_seen |= 1u << i;
        return;
      }
  add_access (visit->effects, visit->op, value, FALSE);
}

static void
list_written (TsValue *value, gpointer data)
{
  g_ptr_array_add (data, value);
}

static gboolean
visit_op (TsOp *op, gpointer data)
{
  TsIoEffects *effects = data;
  Visit visit = { effects, op, 0 };
  g_ptr_array_set_size (effects->written, 0);
  ts_op_foreach_written (effects->module, op, list_written, effects->written);
  ts_op_foreach_use (op, visit_use, &visit);
  for (guint i = 0; i < effects->written->len; i++)
    add_access (effects, op, effects->written->pdata[i], TRUE);
  return TRUE;
}

/* --- one block --------------------------------------------------------------------------------------------------------------- */

static void
forget_memories (TsIoEffects *effects)
{
  for (guint i = 0; i < effects->listed->len; i++)
    effects->memories[((Memory *) effects->listed->pdata[i])->class] = NULL;
  g_ptr_array_set_size (effects->listed, 0);
}

static void
list_memory (guint32 class, gpointer data)
{
  TsIoEffects *effects = data;
  Memory *memory = g_new0 (Memory, 1);
  memory->class = class;
  memory->barrier = NONE;
  memory->accesses = g_array_new (FALSE, FALSE, sizeof (guint32));
  effects->memories[class] = memory;
  g_ptr_array_add (effects->listed, memory);
}

void
ts_io_effects_find (TsIoEffects *effects, const TsDepsBuilder *uses, TsOp *const *ops, guint n, GArray *edges)
{
  forget_memories (effects);
  ts_deps_builder_foreach_forked (uses, list_memory, effects);
  if (effects->listed->len == 0)
    return;
  g_hash_table_remove_all (effects->cells);
  g_array_set_size (effects->accesses, 0);
  g_array_set_size (effects->entries, 0);
  effects->edges = edges;
  for (guint i = 0; i < n; i++)
    {
      effects->current = i;
      visit_op (ops[i], effects);
      if (ops[i]->n_regions > 0)
        ts_op_walk_regions (ops[i], visit_op, effects);
    }
}
