/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bytes of which buffer a tile occupies. Source: spec simulator.md section 2, `Buffers`; passes-memory 1.2, 3.2. */
#include "sim/execute-private.h"

#include "base/limits.h"
#include "base/number.h"
#include "ir/memory-facts.h"

/* --- sizes -------------------------------------------------------------------------------------------------------------- */

gboolean
exec_dims (Exec *x, const TsType *type, gboolean valid, gint64 *dims, guint *rank)
{
  gboolean known = TRUE;
  guint n = MIN (type->rank, TS_MAX_RANK);

  for (guint d = 0; d < n; d++)
    {
      gint64 v;
      if (!ts_type_const_dim (type, d, &dims[d]) && !exec_int (x, type->dims[d], &dims[d]))
        {
          known = FALSE;
          dims[d] = 1;
        }
      dims[d] = MAX (dims[d], 0);
      if (valid && type->view != NULL && type->view->valid_shape != NULL && d < type->view->n_valid
          && exec_int (x, type->view->valid_shape[d], &v))
        dims[d] = CLAMP (v, 0, dims[d]);
    }
  *rank = n;
  return known;
}

gint64
exec_tile_bytes (Exec *x, const TsType *type, gboolean valid)
{
  gint64 dims[TS_MAX_RANK], count = 1, bytes;
  guint rank;

  if (!valid && ts_type_bytes (type, ts_machine_acc_rows (x->machine, type->dtype), &bytes))
    return bytes;
  if (!exec_dims (x, type, valid, dims, &rank))
    return 0;
  for (guint d = 0; d < rank; d++)
    count = ts_mul_sat (count, dims[d]);
  return ts_dtype_bytes (type->dtype, count);
}

/* --- allocations -------------------------------------------------------------------------------------------------------- */

gint32
exec_private_buffer (Exec *x, TsSpace space, const char *base, const char *label, gint32 statement, gint64 address)
{
  TsBuffer buffer = { .base = base, .label = label, .space = (guint8) space, .core = (guint8) x->core, .statement = statement,
                      .address = address };
  return ts_stream_builder_add_buffer (x->builder, &buffer);
}

typedef struct
{
  const TsValue *base;
  guint8         space;
  gint64         from, to;
} BaseRange;

typedef struct
{
  GHashTable *index; /* base id + 1 to index + 1 */
  GArray     *ranges; /* BaseRange */
} BaseRanges;

static void
note_memref (BaseRanges *r, const TsType *type)
{
  const TsMemRef *m;
  gint64 offset;

  if (!ts_type_is_tile (type) || type->memref == NULL || type->memref->declared || type->space == TS_SPACE_NONE)
    return;
  m = type->memref;
  /* Of slots, also those chosen at run time, the whole ring counts. */
  if (!ts_memref_start (m, &offset) || offset < 0)
    return;
  gint32 k = GPOINTER_TO_INT (g_hash_table_lookup (r->index, GINT_TO_POINTER (m->base->id + 1))) - 1;
  gint64 to = ts_add_sat (offset, ts_mul_sat (m->size, MAX (m->slots, 1)));
  if (k < 0)
    {
      BaseRange range = { .base = m->base, .space = type->space, .from = offset, .to = to };
      g_array_append_val (r->ranges, range);
      g_hash_table_insert (r->index, GINT_TO_POINTER (m->base->id + 1), GINT_TO_POINTER ((gint) r->ranges->len));
      return;
    }
  BaseRange *range = &g_array_index (r->ranges, BaseRange, k);
  range->from = MIN (range->from, offset);
  range->to = MAX (range->to, to);
}

static gboolean
note_op (TsOp *op, gpointer data)
{
  for (guint i = 0; i < op->n_results; i++)
    note_memref (data, op->results[i]->type);
  return TRUE;
}

static gint
compare_ranges (gconstpointer a, gconstpointer b)
{
  const BaseRange *p = a, *q = b;

  if (p->space != q->space)
    return p->space < q->space ? -1 : 1;
  if (p->from != q->from)
    return p->from < q->from ? -1 : 1;
  return p->base->id < q->base->id ? -1 : p->base->id > q->base->id;
}

/* Before addresses are assigned every allocation begins at 0; afterwards offsets are addresses, and two allocations that share some
 * (the DSA planner lets them) must be one buffer here. */
void
exec_find_placed (Exec *x, const TsFunction *function)
{
  BaseRanges r = { .index = g_hash_table_new (NULL, NULL), .ranges = g_array_new (FALSE, FALSE, sizeof (BaseRange)) };
  gboolean placed = FALSE;

  if (!g_hash_table_add (x->noted, (gpointer) function))
    {
      g_hash_table_unref (r.index);
      g_array_unref (r.ranges);
      return;
    }
  for (guint i = 0; i < function->n_params; i++)
    note_memref (&r, function->params[i]->type);
  ts_region_walk ((TsRegion *) &function->body, note_op, &r);
  for (guint i = 0; i < r.ranges->len; i++)
    placed |= g_array_index (r.ranges, BaseRange, i).from > 0;
  g_array_sort (r.ranges, compare_ranges);
  for (guint i = 0; placed && i < r.ranges->len; i++)
    {
      const BaseRange *range = &g_array_index (r.ranges, BaseRange, i);
      PlacedGroup *last = x->placed->len > 0 && i > 0 ? &g_array_index (x->placed, PlacedGroup, x->placed->len - 1) : NULL;
      if (last != NULL && last->space == range->space && range->from < last->to)
        last->to = MAX (last->to, range->to);
      else
        {
          PlacedGroup group = { .name = range->base->hint, .space = range->space, .from = range->from, .to = range->to };
          for (guint k = 0; k < TS_MAX_CORES; k++)
            group.buffer[k] = -1;
          g_array_append_val (x->placed, group);
        }
      g_hash_table_insert (x->groups, GINT_TO_POINTER (range->base->id + 1), GINT_TO_POINTER ((gint) x->placed->len));
    }
  g_hash_table_unref (r.index);
  g_array_unref (r.ranges);
}

static gint32
alloc_statement (const TsValue *base)
{
  return base->def != NULL ? base->def->id : -1;
}

/* Buffer of an allocation; *shift is what to take off an offset. */
static gint32
buffer_of_base (Exec *x, const TsMemRef *m, TsSpace space, gint64 *shift)
{
  gpointer key = GINT_TO_POINTER (m->base->id + 1);
  gint32 g = GPOINTER_TO_INT (g_hash_table_lookup (x->groups, key)) - 1, b;

  *shift = 0;
  if (g >= 0)
    {
      PlacedGroup *group = &g_array_index (x->placed, PlacedGroup, g);
      if (group->buffer[x->core] < 0)
        group->buffer[x->core] = exec_private_buffer (x, space, group->name, group->name, alloc_statement (m->base), group->from);
      *shift = group->from;
      return group->buffer[x->core];
    }
  b = GPOINTER_TO_INT (g_hash_table_lookup (x->buffer_of, key)) - 1;
  if (b < 0)
    {
      b = exec_private_buffer (x, space, m->base->hint, m->base->hint, alloc_statement (m->base), -1);
      g_hash_table_insert (x->buffer_of, key, GINT_TO_POINTER (b + 1));
    }
  return b;
}

/* --- tiles -------------------------------------------------------------------------------------------------------------- */

static Cell
tile_cell (gint32 buffer, gint64 begin, gint64 bytes)
{
  begin = CLAMP (begin, 0, G_MAXINT64 / 4);
  return (Cell) { .kind = CELL_TILE, .ref = buffer, .producer = -1, .channel = -1, .begin = begin,
                  .end = begin + CLAMP (bytes, 1, G_MAXINT64 / 4) };
}

/* A declared ring is not laid out yet: its slots are as large as this tile. */
static gint64
memref_offset (Exec *x, const TsMemRef *m, gint64 bytes)
{
  gint64 offset = 0, slot = 0;

  if (m->declared)
    {
      if (m->slot_index != NULL)
        exec_int (x, m->slot_index, &slot);
      return ts_mul_sat (MAX (slot, 0), bytes);
    }
  if (!ts_expr_as_int (m->offset, &offset))
    exec_int (x, m->offset, &offset);
  return MAX (offset, 0);
}

Cell
exec_fresh_tile (Exec *x, const TsType *type, const TsOp *op, const char *hint, gint32 *buffer)
{
  gint64 bytes = exec_tile_bytes (x, type, FALSE), shift;

  if (type->memref != NULL)
    {
      const TsMemRef *m = type->memref;
      gint32 b = buffer_of_base (x, m, (TsSpace) type->space, &shift);
      return tile_cell (b, memref_offset (x, m, bytes) - shift,
                        m->size > 0 && !m->declared ? MIN (bytes > 0 ? bytes : m->size, m->size) : bytes);
    }
  if (*buffer < 0)
    *buffer = exec_private_buffer (x, (TsSpace) type->space, NULL, hint, op != NULL ? op->id : -1, -1);
  return tile_cell (*buffer, 0, bytes);
}

/* Bytes of a packed slice from its first to its last element; FALSE: not followed, the whole source counts. */
static gboolean
slice_range (Exec *x, const TsType *from, const TsExpr *offsets, const TsType *to, gint64 *begin, gint64 *bytes)
{
  gint64 dims[TS_MAX_RANK], window[TS_MAX_RANK], stride = 1, first = 0, last = 0, o;
  guint rank, window_rank;

  if (!exec_dims (x, from, FALSE, dims, &rank) || !exec_dims (x, to, FALSE, window, &window_rank) || rank == 0
      || window_rank != rank || exec_list_length (offsets) != rank)
    return FALSE;
  for (guint d = rank; d-- > 0;)
    {
      if (!exec_item_int (x, offsets, d, &o) || o < 0 || window[d] < 1)
        return FALSE;
      first = ts_add_sat (first, ts_mul_sat (o, stride));
      last = ts_add_sat (last, ts_mul_sat (ts_add_sat (o, window[d] - 1), stride));
      stride = ts_mul_sat (stride, dims[d]);
    }
  if (last >= stride)
    return FALSE;
  *begin = first < TS_SIZE_LIMIT ? ts_dtype_bits (from->dtype) * first / 8 : ts_dtype_bytes (from->dtype, first);
  *bytes = ts_dtype_bytes (from->dtype, last - first + 1);
  return TRUE;
}

Cell
exec_view (Exec *x, const TsOp *op, const Cell *source)
{
  const TsType *to = op->results[0]->type, *from = NULL;
  TsValue *value = op->n_operands > 0 ? ts_expr_as_value (op->operands[0]) : NULL;
  Cell cell = *source;
  gint64 begin, bytes;

  if (source->kind == CELL_TENSOR)
    {
      cell.whole |= op->code != TS_OP_ASSIGN && op->code != TS_OP_TENSOR_SET_VALIDSHAPE;
      return cell;
    }
  if (source->kind != CELL_TILE)
    return cell;
  from = value != NULL ? value->type : NULL;
  if (op->code == TS_OP_TILE_SLICE && op->n_operands > 2 && ts_type_is_tile (from)
      && slice_range (x, from, op->operands[2], to, &begin, &bytes))
    {
      cell.begin = MIN (ts_add_sat (source->begin, begin), source->end - 1);
      cell.end = MIN (ts_add_sat (cell.begin, MAX (bytes, 1)), source->end);
    }
  return cell;
}
