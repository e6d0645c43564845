/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AllocateMemoryAddr: gives every buffer its address. Source: spec passes-memory 6. */
#include <string.h>

#include "base/number.h"
#include "passes/address-dsa.h"
#include "passes/memory-overflow.h"

typedef struct
{
  TsValue *base;
  TsSpace  space;
  gint64   slot;    /* bytes: largest member, or all slots of a declared one */
  gint64   address;
} Buffer;

typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  TsReserved     reserved;
  TsMap          buffer_of;  /* base id to index in `buffers` */
  GArray        *buffers;
  TsMap          addresses;  /* base id to address */
  guint          n_retyped;
} Allocate;

/* --- what is there ------------------------------------------------------------------------------------------------------ */

static void
collect_value (TsValue *value, TsOp *op, gpointer data)
{
  Allocate *a = data;
  const TsMemRef *memref = ts_tile_memref (value);
  if (memref == NULL || value->kind == TS_VALUE_PARAM || value->type->space == TS_SPACE_DDR || value->type->space >= TS_N_SPACES)
    return;
  guint64 key = (guint32) memref->base->id;
  guint32 index = (guint32) ts_map_get (&a->buffer_of, key, G_MAXUINT32);
  if (index == G_MAXUINT32)
    {
      Buffer buffer = { memref->base, value->type->space, 0, 0 };
      TsOp *alloc = ts_alloc_of (memref->base);
      if (alloc != NULL && ts_alloc_is_pinned (alloc))
        ts_alloc_bytes (alloc, &buffer.slot);
      index = a->buffers->len;
      g_array_append_val (a->buffers, buffer);
      ts_map_set (&a->buffer_of, key, index);
    }
  Buffer *buffer = &g_array_index (a->buffers, Buffer, index);
  buffer->slot = MAX (buffer->slot, memref->size);
}

static int
compare_buffers (gconstpointer x, gconstpointer y)
{
  const Buffer *a = x, *b = y;
  if (a->space != b->space)
    return a->space < b->space ? -1 : 1;
  int order = strcmp (a->base->hint, b->base->hint);
  return order != 0 ? order : a->base->id < b->base->id ? -1 : a->base->id > b->base->id;
}

/* --- one after the other ------------------------------------------------------------------------------------------------ */

static void
fail_capacity (Allocate *a, TsSpace space, gint64 used, gint64 limit)
{
  g_autofree char *note = ts_reserved_note (a->function, &a->reserved, space), *text = ts_bytes_text (used);
  TsDiag *diag = ts_report_about (a->context, a->module, a->function, NULL, TS_SEVERITY_ERROR, "capacity", ts_space_name (space),
                                  "%s buffer usage (%s) exceeds platform limit (%" G_GINT64_FORMAT " bytes)%s",
                                  ts_space_name (space), text, limit, note);
  diag->help = ts_overflow_help (a->module, a->function, space);
}

static void
step_address (const Allocate *a, const Buffer *buffer)
{
  TsSteps *steps = a->context->steps;
  ts_step_begin (steps, "address", a->module, a->function, ts_alloc_of (buffer->base));
  ts_step_text (steps, "base", buffer->base->hint);
  ts_step_text (steps, "space", ts_space_name (buffer->space));
  ts_step_int (steps, "address", buffer->address);
  ts_step_int (steps, "bytes", buffer->slot);
}

static gboolean
check_space (Allocate *a, TsSpace space, gint64 used)
{
  gint64 limit = ts_machine_capacity (a->context->machine, space);
  if (a->context->steps != NULL)
    {
      ts_step_begin (a->context->steps, limit > 0 && used > limit ? "overflow" : "space", a->module, a->function, NULL);
      ts_step_text (a->context->steps, "space", ts_space_name (space));
      ts_step_int (a->context->steps, "bytes", used);
      ts_step_int (a->context->steps, "capacity", limit);
    }
  if (limit == 0 || used <= limit)
    return TRUE;
  fail_capacity (a, space, used, limit);
  return FALSE;
}

/* FALSE when some space is too small: every one of them is told. */
static gboolean
place_in_order (Allocate *a)
{
  gint64 cursor = 0, used = 0;
  gboolean fits = TRUE;
  g_array_sort (a->buffers, compare_buffers);
  for (guint i = 0; i < a->buffers->len; i++)
    {
      Buffer *buffer = &g_array_index (a->buffers, Buffer, i);
      if (i == 0 || buffer->space != g_array_index (a->buffers, Buffer, i - 1).space)
        cursor = buffer->space == a->reserved.space ? a->reserved.end : 0;
      if (buffer->slot <= 0)
        {
          ts_report_about (a->context, a->module, a->function, ts_alloc_of (buffer->base), TS_SEVERITY_ERROR, "internal",
                           buffer->base->hint, "buffer '%s' has no size", buffer->base->hint);
          return FALSE;
        }
      buffer->address = cursor;
      used = ts_add_sat (cursor, buffer->slot);
      cursor = ts_round_up (used, TS_BUFFER_ALIGNMENT);
      ts_map_set (&a->addresses, (guint32) buffer->base->id, (guint64) buffer->address);
      step_address (a, buffer);
      gboolean last = i + 1 == a->buffers->len || g_array_index (a->buffers, Buffer, i + 1).space != buffer->space;
      if (last && !check_space (a, buffer->space, used))
        fits = FALSE;
    }
  return fits;
}

/* --- writing back ------------------------------------------------------------------------------------------------------- */

static void
retype (TsValue *value, TsOp *op, gpointer data)
{
  Allocate *a = data;
  const TsMemRef *memref = ts_tile_memref (value);
  guint64 address = memref != NULL ? ts_map_get (&a->addresses, (guint32) memref->base->id, G_MAXUINT64) : G_MAXUINT64;
  gint64 old, sum;
  if (address == G_MAXUINT64)
    return;
  TsExpr *offset = ts_expr_bytes (a->module, (gint64) address);
  TsOp *alloc = ts_alloc_of (memref->base);
  if (ts_expr_as_int (memref->offset, &old) && ts_add ((gint64) address, old, &sum))
    offset = ts_expr_bytes (a->module, sum);
  else if (alloc != NULL && ts_alloc_is_pinned (alloc))
    offset = ts_expr_binary (a->module, TS_OPERATOR_ADD, offset, memref->offset);
  a->n_retyped++;
  if (!ts_expr_equal (offset, memref->offset))
    ts_value_set_memref (a->module, value, ts_memref_at (a->module, memref, memref->base, offset, memref->size));
}

static gboolean
run_function (TsPassContext *context, TsModule *module, TsFunction *function, guint *changes)
{
  Allocate a = { .context = context, .module = module, .function = function };
  gboolean ok = FALSE;
  a.buffers = g_array_new (FALSE, FALSE, sizeof (Buffer));
  a.reserved = ts_reserved_bytes_choose (module, function);
  if (a.reserved.overlap)
    ts_report_about (context, module, function, NULL, TS_SEVERITY_ERROR, "internal", ts_space_name (a.reserved.space),
                     "function '%s' has overlapping reserve_buffer ranges", function->name);
  else if (context->planner == TS_PLANNER_DSA_RP)
    ok = ts_place_dsa (context, module, function, &a.reserved, &a.addresses);
  else
    {
      ts_function_foreach_value (function, collect_value, &a);
      ok = place_in_order (&a);
    }
  if (ok)
    ts_function_foreach_value (function, retype, &a);
  *changes += a.n_retyped + a.reserved.n_chosen;
  if (ok && context->planner == TS_PLANNER_DSA_RP)
    *changes += ts_strip_membership (function) + ts_remove_dead_allocs (function);
  g_array_unref (a.buffers);
  ts_map_clear (&a.buffer_of);
  ts_map_clear (&a.addresses);
  return ok;
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  guint changes = 0;
  gboolean ok = TRUE;
  for (guint i = 0; i < module->n_functions && !ts_pass_cancelled (context); i++)
    {
      TsFunction *function = module->functions[i];
      if (!ts_function_is_on_core (function) || function->body_kind != TS_BODY_STATEMENTS)
        continue;
      ok = run_function (context, module, function, &changes) && ok; /* what is wrong with one hides no other */
    }
  if (!ok || ts_pass_cancelled (context))
    return TS_PASS_FAILED;
  return changes > 0 ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

#define P(id) TS_PROPERTY_BIT (TS_PROPERTY_##id)

const TsPassInfo ts_pass_allocate_memory_addr = {
  .name = "AllocateMemoryAddr",
  .id = "allocate-memory-addr",
  .summary = "Gives every buffer its address",
  .help = "Under pypto, the buffers of each memory space are placed one after the other in the order of their names, behind the "
          "bytes that reserve_buffer takes, each aligned to 32. Under dsa-rp, addresses may overlap where lives do not: several "
          "orders are tried, and the placement with the fewest penalties (one pipe waiting for another), then the smallest one, "
          "is kept. The result must fit the memory space.\n"
          "Functions that do not run on a core are left alone.",
  .language = TS_LANGUAGE_PYPTO,
  .required = P (SPLIT_INCORE_ORCH) | P (INCORE_TILE_OPS) | P (HAS_MEM_REFS) | P (TILE_OPS_2D),
  .produced = P (ALLOCATED_MEMORY_ADDR) | P (IN_PLACE_TILES),
  .planners = 1u << TS_PLANNER_PYPTO | 1u << TS_PLANNER_DSA_RP,
  .in_default = TRUE,
  .whole_module = FALSE,
  .run = run,
};
