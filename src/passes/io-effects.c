/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order between accesses of one variable in memory.
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
/* Views of views that are followed. */
#define MAX_VIEWS 16

typedef struct
{
  guint32  op;
  gboolean store;
  TsWindow window;
} Access;

/* An access in a cell; cells are lists within one array. */
typedef struct
{
  guint32 access; /* NONE: dropped, because a later store covers it */
  guint32 next;
} CellEntry;

/* What is known of one variable that some statement of the block stores to. */
typedef struct
{
  guint32  barrier; /* every later access follows this statement; NONE: there is none */
  GArray  *accesses; /* guint32: since the barrier */
  guint    n_stores;
  gboolean mixed;   /* loads that cannot be compared with each other are among them */
} Variable;

struct TsIoEffects
{
  const TsModule   *module;
  const TsFunction *function;
  GPtrArray        *stored_to; /* TsValue: destinations of the block, noted while each store is at hand */
  GHashTable       *variables; /* TsValue to Variable: those that the block uses more than once */
  guint8           *n_defs;    /* by value id; made when first needed */
  GArray           *accesses;  /* Access */
  GHashTable       *cells;     /* hash of variable and cell to index of its first entry plus 1 */
  GArray           *entries;   /* CellEntry */
  GArray           *edges;
  guint32           current;
  gboolean          has_releases; /* of the block */
};

static void
variable_free (gpointer data)
{
  Variable *variable = data;
  g_array_unref (variable->accesses);
  g_free (variable);
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
ts_io_effects_new (const TsModule *module, const TsFunction *function)
{
  TsIoEffects *effects = g_new0 (TsIoEffects, 1);
  effects->module = module;
  effects->function = function;
  effects->stored_to = g_ptr_array_new ();
  effects->variables = g_hash_table_new_full (NULL, NULL, NULL, variable_free);
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
  g_ptr_array_unref (effects->stored_to);
  g_hash_table_unref (effects->variables);
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

/* The variable a store writes to, or whose bytes are given back; NULL when the operation is neither. */
static TsValue *
destination (const TsOp *op)
{
  const TsOpInfo *info = ts_op_info (op->code);
  if (ts_op_releases (op))
    return op->n_operands > 0 ? ts_expr_as_value (op->operands[0]) : NULL;
  if (info->category != TS_CATEGORY_STORE)
    return NULL;
  gint arg = (info->flags & TS_OPF_WRITES_ARG0) != 0 ? 0 : ts_op_shared_argument (op);
  return arg >= 0 && (guint) arg < op->n_operands ? ts_expr_as_value (op->operands[arg]) : NULL;
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

/* The window of the access to `value`; rank 0 (all of it) unless the operation is one of the four that name it. */
static void
find_window (TsIoEffects *effects, const TsOp *op, const TsValue *value, TsWindow *window)
{
  window->rank = 0;
  if (op->n_operands < 2)
    return;
  switch ((int) op->code)
    {
    case TS_OP_TILE_LOAD:
      if (ts_expr_as_value (op->operands[0]) == value && op->n_operands >= 3)
        list_window (effects, window, op->operands[1], op->operands[2]);
      break;
    case TS_OP_TILE_STORE:
      if (op->n_operands == 3 && ts_expr_as_value (op->operands[2]) == value)
        {
          const TsValue *tile = ts_expr_as_value (op->operands[0]);
          if (tile != NULL && ts_type_is_tile (tile->type))
            ts_window_init (window, op->operands[1], tile->type->dims, tile->type->rank, definitions (effects));
        }
      break;
    case TS_OP_TILE_READ:
    case TS_OP_TILE_WRITE:
      if (ts_expr_as_value (op->operands[0]) == value)
        ts_window_init (window, op->operands[1], NULL, 0, definitions (effects));
      break;
    default:
      break;
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
find_cells (const TsWindow *window, const TsWindow *first, const TsValue *value, Cells *cells)
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
      guint64 h = (guint64) value->id * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
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
order_after_all (TsIoEffects *effects, Variable *variable)
{
  for (guint i = 0; i < variable->accesses->len; i++)
    add_edge (effects, g_array_index (effects->accesses, Access, g_array_index (variable->accesses, guint32, i)).op);
  g_array_set_size (variable->accesses, 0);
  variable->barrier = effects->current;
  variable->n_stores = 0;
  variable->mixed = FALSE;
}

/* Can the access be told from the others by its window? Enters it into the grid if so. */
static gboolean
enter_grid (TsIoEffects *effects, Variable *variable, const TsValue *value, guint32 index)
{
  const Access *access = &g_array_index (effects->accesses, Access, index);
  if (access->window.rank == 0 || variable->mixed)
    return FALSE;
  const Access *first = variable->accesses->len > 0
                          ? &g_array_index (effects->accesses, Access, g_array_index (variable->accesses, guint32, 0)) : access;
  Cells cells;
  if (!ts_window_comparable (&access->window, &first->window) || !find_cells (&access->window, &first->window, value, &cells))
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
  Variable *variable = g_hash_table_lookup (effects->variables, value);
  if (variable == NULL)
    return;
  Access access = { .op = effects->current, .store = store };
  find_window (effects, op, value, &access.window);
  guint32 index = effects->accesses->len;
  g_array_append_val (effects->accesses, access);
  add_edge (effects, variable->barrier);

  if (!enter_grid (effects, variable, value, index))
    {
      /* Loads need no order among themselves: they only wait together for the next store. */
      if (store || variable->n_stores > 0)
        {
          order_after_all (effects, variable);
          return;
        }
      variable->mixed = TRUE;
    }
  g_array_append_val (variable->accesses, index);
  variable->n_stores += store ? 1 : 0;
}

typedef struct
{
  TsIoEffects   *effects;
  const TsOp    *op;
  const TsValue *stored; /* counted once, as a store */
} Visit;

/* The tile that a tile is a view of. */
static TsValue *
viewed (const TsValue *value)
{
  const TsOp *def = value->kind == TS_VALUE_RESULT && ts_type_is_tile (value->type) ? value->def : NULL;
  gint arg = def != NULL ? ts_op_shared_argument (def) : -1;
  return arg >= 0 && (guint) arg < def->n_operands ? ts_expr_as_value (def->operands[arg]) : NULL;
}

static void
visit_use (TsValue *value, gpointer data)
{
  Visit *visit = data;
  if (value != visit->stored)
    add_access (visit->effects, visit->op, value, FALSE);
  if (!visit->effects->has_releases)
    return;
  /* Whoever reads a view reads bytes that may be given back. */
  guint n = 0;
  for (TsValue *of = viewed (value); of != NULL && n < MAX_VIEWS; of = viewed (of), n++)
    add_access (visit->effects, visit->op, of, FALSE);
}

static gboolean
visit_op (TsOp *op, gpointer data)
{
  Visit visit = { data, op, destination (op) };
  ts_op_foreach_use (op, visit_use, &visit);
  if (visit.stored != NULL)
    add_access (data, op, visit.stored, TRUE);
  return TRUE;
}

/* --- one block --------------------------------------------------------------------------------------------------------------- */

void
ts_io_effects_begin (TsIoEffects *effects)
{
  g_ptr_array_set_size (effects->stored_to, 0);
  effects->has_releases = FALSE;
}

static gboolean
note_destination (TsOp *op, gpointer data)
{
  TsIoEffects *effects = data;
  TsValue *value = destination (op);
  if (value != NULL)
    g_ptr_array_add (effects->stored_to, value);
  effects->has_releases |= ts_op_releases (op);
  return TRUE;
}

void
ts_io_effects_note (TsIoEffects *effects, TsOp *op)
{
  note_destination (op, effects);
  if (op->n_regions > 0)
    ts_op_walk_regions (op, note_destination, effects);
}

static void
find_variables (TsIoEffects *effects, const TsDepsBuilder *uses)
{
  g_hash_table_remove_all (effects->variables);
  for (guint i = 0; i < effects->stored_to->len; i++)
    {
      TsValue *value = effects->stored_to->pdata[i];
      /* One use is the store itself. */
      if ((ts_deps_builder_uses (uses, value) < 2 && !effects->has_releases) || g_hash_table_contains (effects->variables, value))
        continue;
      Variable *variable = g_new0 (Variable, 1);
      variable->barrier = NONE;
      variable->accesses = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_hash_table_insert (effects->variables, value, variable);
    }
}

void
ts_io_effects_find (TsIoEffects *effects, const TsDepsBuilder *uses, TsOp *const *ops, guint n, GArray *edges)
{
  find_variables (effects, uses);
  if (g_hash_table_size (effects->variables) == 0)
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
