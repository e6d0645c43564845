/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alloc statements, MemRefs of variables and what else the memory passes share. */
#include "passes/allocations.h"

#include <string.h>

#include "base/map.h"
#include "ir/build.h"

void
ts_value_set_memref (TsModule *module, TsValue *value, const TsMemRef *memref)
{
  if (value->type->memref != memref)
    value->type = ts_type_with_memref (module, value->type, memref);
}

TsExpr *
ts_expr_bytes (TsModule *module, gint64 bytes)
{
  return ts_expr_int (module, bytes, TS_DTYPE_INT64);
}

const TsMemRef *
ts_memref_at (TsModule *module, const TsMemRef *memref, TsValue *base, TsExpr *offset, gint64 size)
{
  TsMemRef *moved = (TsMemRef *) ts_memref_copy (module, memref);
  moved->base = base;
  moved->offset = offset;
  moved->size = size;
  return moved;
}

gboolean
ts_tile_bytes (const TsMachine *machine, const TsType *type, gint64 *out)
{
  gint64 rows = type->space == TS_SPACE_ACC ? ts_machine_acc_rows (machine, type->dtype) : 1;
  return ts_type_bytes (type, rows, out);
}

TsDiag *
ts_report_about (TsPassContext *context, const TsModule *module, const TsFunction *function, const TsOp *op, TsSeverity severity,
                 const char *code, const char *subject, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  TsDiag *diag = ts_pass_report (context, module, op, severity, NULL, code, "%s", message);
  TsSource *source = ts_module_source (module, function->span);
  g_free (diag->subject);
  diag->subject = g_strdup (subject);
  if (diag->function == NULL)
    diag->function = g_strdup (function->name);
  if (op == NULL && diag->source == NULL && source != NULL)
    {
      diag->source = ts_source_ref (source);
      diag->span = function->span;
    }
  return diag;
}

gboolean
ts_alloc_bytes (const TsOp *alloc, gint64 *out)
{
  return alloc->n_operands >= 2 && ts_expr_as_int (alloc->operands[1], out) && *out > 0;
}

TsPassResult
ts_run_on_functions (TsPassContext *context, TsModule *module, TsFunctionPass run_function)
{
  guint changes = 0;
  gboolean ok = TRUE;
  for (guint i = 0; i < module->n_functions && !ts_pass_cancelled (context); i++)
    {
      TsFunction *function = module->functions[i];
      if (function->type == TS_FUNCTION_ORCHESTRATION || function->body_kind != TS_BODY_STATEMENTS)
        continue;
      ok = run_function (context, module, function, &changes) && ok; /* what is wrong with one hides no other */
    }
  if (!ok || ts_pass_cancelled (context))
    return TS_PASS_FAILED;
  return changes > 0 ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

/* --- variables ---------------------------------------------------------------------------------------------------------- */

static void
visit_block (TsBlock *block, TsOp *owner, TsValueVisit visit, gpointer data)
{
  for (guint i = 0; i < block->n_args; i++)
    visit (block->args[i], owner, data);
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      for (guint r = 0; r < op->n_regions; r++)
        for (guint b = 0; b < op->regions[r].n_blocks; b++)
          visit_block (op->regions[r].blocks[b], op, visit, data);
      for (guint i = 0; i < op->n_results; i++)
        visit (op->results[i], op, data);
    }
}

void
ts_function_foreach_value (TsFunction *function, TsValueVisit visit, gpointer data)
{
  for (guint i = 0; i < function->n_params; i++)
    visit (function->params[i], NULL, data);
  visit_block (ts_function_block (function), NULL, visit, data);
}

static void
mark_base (TsValue *value, TsOp *op, gpointer data)
{
  const TsMemRef *memref = value->type != NULL ? value->type->memref : NULL;
  if (memref != NULL && memref->base != NULL)
    ts_map_set (data, (guint32) memref->base->id, TRUE);
}

guint
ts_remove_dead_allocs (TsFunction *function)
{
  g_auto (TsMap) used = { 0 };
  ts_function_foreach_value (function, mark_base, &used);
  guint removed = 0;
  for (TsOp *op = ts_function_block (function)->first, *next; op != NULL; op = next)
    {
      next = op->next;
      if (op->n_results == 1 && ts_alloc_of (op->results[0]) == op && !ts_map_get (&used, (guint32) op->results[0]->id, FALSE))
        {
          ts_op_unlink (op);
          removed++;
        }
    }
  return removed;
}

static gboolean
strip (TsOp *op, gpointer data)
{
  if (ts_op_remove_attr (op, TS_ATTR_MEMBERSHIP))
    ++*(guint *) data;
  return TRUE;
}

TsValue *
ts_alloc_new (TsModule *module, TsFunction *function, TsSpace space, gint64 bytes)
{
  TsBlock *body = ts_function_block (function);
  guint64 number = 0;
  TsOp *last = NULL;
  for (TsOp *op = body->first; op != NULL; op = op->next)
    {
      const char *digits = op->n_results == 1 && ts_alloc_of (op->results[0]) == op ? strrchr (op->results[0]->hint, '_') : NULL;
      guint64 taken;
      if (digits != NULL && g_ascii_string_to_unsigned (digits + 1, 10, 0, G_MAXUINT32, &taken, NULL))
        number = MAX (number, taken + 1);
      if (op->n_results == 1 && ts_alloc_of (op->results[0]) == op)
        last = op;
    }
  TsExpr *operands[2] = { ts_expr_space (module, space), ts_expr_index (module, bytes) };
  TsOp *alloc = ts_op_new (module, space == TS_SPACE_DDR ? TS_OP_TENSOR_ALLOC : TS_OP_TILE_ALLOC, NULL, operands, 2);
  alloc->origin.op = -1;
  g_autofree char *name = g_strdup_printf ("mem_%s_%" G_GUINT64_FORMAT, ts_space_lower_name (space), number);
  TsValue *base = ts_op_add_result (module, alloc, name, ts_type_ptr (module));
  if (last != NULL)
    ts_block_insert_after (last, alloc);
  else if (body->first != NULL)
    ts_block_insert_before (body->first, alloc);
  else
    ts_block_append (body, alloc);
  return base;
}

guint
ts_strip_membership (TsFunction *function)
{
  guint n = 0;
  ts_region_walk (&function->body, strip, &n);
  return n;
}

/* --- reserved bytes ----------------------------------------------------------------------------------------------------- */

/* Is this reserved range the ring between a cube core and its vector cores? Its name says so, inside the kernel it is named
 * after. */
static gboolean
is_pipe_ring (const TsFunction *function, const char *name)
{
  static const char *const cores[] = { "_aic", "_aiv" }, *const rings[] = { "_c2v_slot_buffer", "_v2c_slot_buffer" };
  for (guint i = 0; i < G_N_ELEMENTS (cores); i++)
    {
      if (!g_str_has_suffix (function->name, cores[i]))
        continue;
      gsize kernel = strlen (function->name) - strlen (cores[i]);
      for (guint k = 0; k < G_N_ELEMENTS (rings); k++)
        if (strlen (name) == kernel + strlen (rings[k]) && strncmp (name, function->name, kernel) == 0
            && strcmp (name + kernel, rings[k]) == 0)
          return TRUE;
    }
  return FALSE;
}

typedef struct
{
  const TsFunction *function;
  gboolean          found;
} Ring;

static gboolean
find_ring (TsOp *op, gpointer data)
{
  Ring *ring = data;
  TsExpr *name = op->code == TS_OP_SYSTEM_RESERVE_BUFFER ? ts_op_keyword (op, "name") : NULL;
  ring->found = ring->found || (name != NULL && name->kind == TS_EXPR_STRING && is_pipe_ring (ring->function, name->text));
  return TRUE;
}

char *
ts_reserved_note (const TsFunction *function, const TsReserved *reserved, TsSpace space)
{
  Ring ring = { function, FALSE };
  if (reserved->end <= 0 || reserved->space != space)
    return g_strdup ("");
  ts_region_walk (&((TsFunction *) function)->body, find_ring, &ring);
  return g_strdup_printf ("; the first %" G_GINT64_FORMAT " bytes are reserved by system.reserve_buffer%s", reserved->end,
                          ring.found ? ", the cross-core pipe ring: pl.cross_core_slot(slot_num=N) makes it smaller" : "");
}
