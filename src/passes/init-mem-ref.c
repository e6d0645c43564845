/* SPDX-License-Identifier: GPL-3.0-or-later */
/* InitMemRef: gives every tile and tensor a MemRef and prepends the alloc statements. Source: spec passes-memory 3. */
#include "base/map.h"
#include "base/number.h"
#include "ir/build.h"
#include "ir/op-info.h"
#include "passes/allocations.h"
#include "passes/declared-allocations.h"
#include "passes/memory-takeovers.h"

typedef struct
{
  TsPassContext  *context;
  TsModule       *module;
  TsFunction     *function;
  TsDeclarations *declarations;
  guint           next_id; /* one counter for all spaces; restarts in every function */
  guint           since_check;
  gboolean        failed;
} Init;

static void init_block (Init *init, TsBlock *block);

static void
step (Init *init, const char *kind, const TsOp *op, const TsValue *value, const char *rule)
{
  TsSteps *steps = init->context->steps;
  const TsMemRef *memref = value->type->memref;
  if (steps == NULL)
    return;
  ts_step_begin (steps, kind, init->module, init->function, op);
  ts_step_value (steps, "variable", value);
  ts_step_text (steps, "rule", rule);
  if (memref != NULL)
    {
      gint64 offset;
      ts_step_text (steps, "base", memref->base->hint);
      if (ts_expr_as_int (memref->offset, &offset))
        ts_step_int (steps, "offset", offset);
      ts_step_int (steps, "bytes", memref->size);
    }
}

static void
fail_static_shape (Init *init, const TsOp *op, const TsValue *value)
{
  ts_report_about (init->context, init->module, init->function, op, TS_SEVERITY_ERROR, "static-shape", value->hint,
                   "tile '%s' needs a static shape of positive dimensions to get a buffer", value->hint);
  init->failed = TRUE;
}

static gboolean
physical_bytes (Init *init, const TsOp *op, const TsValue *value, gint64 *bytes)
{
  *bytes = 0;
  if (ts_type_is_tile (value->type))
    {
      if (ts_tile_bytes (init->context->machine, value->type, bytes))
        return TRUE;
      fail_static_shape (init, op, value);
      return FALSE;
    }
  if (!ts_type_bytes (value->type, 1, bytes))
    *bytes = 0; /* a dynamic tensor */
  return TRUE;
}

static const TsMemRef *
fresh_memref (Init *init, const TsOp *op, const TsValue *value)
{
  gint64 bytes;
  if (!physical_bytes (init, op, value, &bytes))
    return NULL;
  TsSpace space = ts_type_is_tile (value->type) && value->type->space != TS_SPACE_NONE ? value->type->space : TS_SPACE_DDR;
  g_autofree char *name = g_strdup_printf ("mem_%s_%u", ts_space_lower_name (space), init->next_id++);
  TsValue *base = ts_value_new (init->module, TS_VALUE_BASE, name, ts_type_ptr (init->module));
  return ts_memref_new (init->module, base, ts_expr_bytes (init->module, 0), bytes);
}

/* --- slices ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsExpr  *symbolic; /* sum of the terms that are not constants, in bytes, or NULL */
  gint64   constant; /* bytes; elements while `packed` */
  gboolean ok;
} Offset;

static void
add_term (TsModule *module, Offset *offset, TsExpr *index, TsExpr *factor)
{
  gint64 i, f, term;
  if (ts_expr_fold_int (index, &i) && ts_expr_fold_int (factor, &f))
    {
      offset->ok = offset->ok && ts_mul (i, f, &term) && ts_add (offset->constant, term, &offset->constant);
      return;
    }
  if (ts_expr_fold_int (index, &i) && i == 0)
    return;
  TsExpr *e = ts_expr_fold_int (factor, &f) && f == 1 ? index : ts_expr_binary (module, TS_OPERATOR_MUL, index, factor);
  offset->symbolic = offset->symbolic != NULL ? ts_expr_binary (module, TS_OPERATOR_ADD, offset->symbolic, e) : e;
}

/* Bytes from the source's start to the slice's first element: sum over dimensions of index times elements per step times bytes. */
static Offset
slice_offset (TsModule *module, const TsType *source, const TsExpr *indices)
{
  Offset offset = { NULL, 0, TRUE };
  guint bits = ts_dtype_bits (source->dtype);
  gboolean packed = bits < 8;
  gint64 constant = packed ? 1 : bits / 8;
  TsExpr *rest = NULL; /* product of the dynamic dimensions further in */
  for (guint i = MIN (source->rank, indices->n); i-- > 0;)
    {
      TsExpr *factor = ts_expr_index (module, constant);
      if (rest != NULL)
        factor = ts_expr_binary (module, TS_OPERATOR_MUL, rest, factor);
      add_term (module, &offset, indices->list[i], factor);
      gint64 dim;
      if (!ts_type_const_dim (source, i, &dim))
        rest = rest != NULL ? ts_expr_binary (module, TS_OPERATOR_MUL, source->dims[i], rest) : source->dims[i];
      else
        offset.ok = ts_mul (constant, dim, &constant) && offset.ok;
    }
  if (packed)
    offset.ok = offset.ok && offset.symbolic == NULL && offset.constant >= 0 && offset.constant % 2 == 0;
  if (packed)
    offset.constant /= 2;
  return offset;
}

/* Bytes from the first to the last element of a slice of `shape` inside a source of these dimensions. */
static gboolean
packed_envelope (const TsType *source, const TsExpr *shape, gint64 *bytes)
{
  gint64 stride = 1, last = 0;
  for (guint i = MIN (source->rank, shape->n); i-- > 0;)
    {
      gint64 size, dim, reach;
      if (!ts_expr_fold_int (shape->list[i], &size) || size <= 0 || !ts_mul (size - 1, stride, &reach)
          || !ts_add (last, reach, &last))
        return FALSE;
      if (i > 0 && (!ts_type_const_dim (source, i, &dim) || !ts_mul (stride, dim, &stride)))
        return FALSE;
    }
  if (last == G_MAXINT64)
    return FALSE;
  *bytes = ts_dtype_bytes (source->dtype, last + 1);
  return TRUE;
}

static TsExpr *
add_offsets (TsModule *module, TsExpr *source, const Offset *slice)
{
  gint64 at, sum;
  gboolean constant = ts_expr_as_int (source, &at);
  if (slice->symbolic == NULL && slice->constant == 0)
    return source;
  if (slice->symbolic == NULL && constant && ts_add (at, slice->constant, &sum))
    return ts_expr_index (module, sum);
  TsExpr *e = slice->symbolic;
  if (e == NULL)
    e = ts_expr_index (module, slice->constant);
  else if (slice->constant != 0)
    e = ts_expr_binary (module, TS_OPERATOR_ADD, e, ts_expr_index (module, slice->constant));
  return constant && at == 0 ? e : ts_expr_binary (module, TS_OPERATOR_ADD, source, e);
}

static const TsMemRef *
share_memref (Init *init, const TsOp *op, const TsValue *source)
{
  const TsMemRef *memref = source->type->memref;
  if ((op->code != TS_OP_TILE_SLICE && op->code != TS_OP_TENSOR_SLICE) || op->n_operands < 3
      || op->operands[1]->kind != TS_EXPR_LIST || op->operands[2]->kind != TS_EXPR_LIST)
    return memref;
  Offset offset = slice_offset (init->module, source->type, op->operands[2]);
  if (!offset.ok)
    {
      ts_report_about (init->context, init->module, init->function, op, TS_SEVERITY_ERROR, "byte-aligned", memref->base->hint,
                       "slice of '%s' (%s) needs a byte-aligned origin: constant, not negative, within 64 bits, and even for "
                       "four-bit elements", source->hint, ts_dtype_name (source->type->dtype));
      init->failed = TRUE;
      return memref;
    }
  gint64 size = memref->size;
  packed_envelope (source->type, op->operands[1], &size);
  TsExpr *at = add_offsets (init->module, memref->offset, &offset);
  if (size == memref->size && (at == memref->offset || ts_expr_equal (at, memref->offset)))
    return memref;
  return ts_memref_at (init->module, memref, memref->base, at, size);
}

/* --- assignments -------------------------------------------------------------------------------------------------------- */

static gboolean
is_pop (const TsOp *op)
{
  return op->code == TS_OP_TILE_TPOP_FROM_AIC || op->code == TS_OP_TILE_TPOP_FROM_AIV;
}

/* The variable whose allocation the result takes, by operation: views, in-place operations, copies of plain tiles. */
static const TsValue *
shared_source (const TsOp *op, const TsValue *target)
{
  if (op->code == TS_OP_ASSIGN)
    {
      const TsValue *from = op->n_operands == 1 ? ts_expr_as_value (op->operands[0]) : NULL;
      gboolean plain = from != NULL && ts_type_is_tile (from->type) && from->kind != TS_VALUE_BLOCK_ARG;
      return plain ? from : NULL;
    }
  if (op->code == TS_OP_TILE_TRANSPOSE)
    return NULL; /* inherits the space only */
  gint k = ts_op_shared_argument (op);
  const TsValue *from = k >= 0 && (guint) k < op->n_operands ? ts_expr_as_value (op->operands[k]) : NULL;
  return from != NULL && (ts_type_is_tile (from->type) || ts_type_is_tensor (from->type)) ? from : NULL;
}

static const char *
sharing_rule (const TsOp *op)
{
  if (op->code == TS_OP_ASSIGN)
    return "copy";
  return ts_op_info (op->code)->buffer == TS_BUFFER_REUSES ? "in-place" : "view";
}

static void
assign_bufferless (Init *init, const TsOp *op, TsValue *target)
{
  gint64 bytes;
  if (!physical_bytes (init, op, target, &bytes))
    return;
  ts_value_set_memref (init->module, target, NULL);
  step (init, "bufferless", op, target, is_pop (op) ? "pop" : sharing_rule (op));
}

static void
assign_own (Init *init, const TsOp *op, TsValue *target)
{
  const TsMemRef *memref = ts_declarations_resolve (init->declarations, init->module, target->type);
  const char *rule = memref != NULL ? "declared" : "fresh";
  if (memref == NULL)
    memref = fresh_memref (init, op, target);
  if (memref == NULL)
    return;
  ts_value_set_memref (init->module, target, memref);
  step (init, "base", op, target, rule);
}

static void
assign (Init *init, const TsOp *op, TsValue *target)
{
  gboolean tile = ts_type_is_tile (target->type);
  if (!tile && !ts_type_is_tensor (target->type))
    return;
  const TsValue *source = shared_source (op, target);
  if (op->code == TS_OP_TILE_TRANSPOSE && target->type->space == TS_SPACE_NONE && op->n_operands > 0)
    {
      const TsValue *from = ts_expr_as_value (op->operands[0]);
      if (from != NULL && ts_type_is_tile (from->type))
        target->type = ts_type_with_space (init->module, target->type, from->type->space);
    }
  if (is_pop (op) || (tile && source != NULL && ts_type_is_tile (source->type) && source->type->memref == NULL))
    assign_bufferless (init, op, target);
  else if (source != NULL && op->code != TS_OP_ASSIGN && target->type->memref != NULL && target->type->memref->declared)
    {
      ts_report_about (init->context, init->module, init->function, op, TS_SEVERITY_ERROR, "bound-output",
                       target->type->memref->base->hint, "'%s' is bound to '%s', but the output of %s lands in the allocation of "
                       "'%s': bind the source tile instead", target->hint, target->type->memref->base->hint, op->name,
                       source->hint);
      init->failed = TRUE;
    }
  else if (source != NULL && source->type->memref != NULL)
    {
      ts_value_set_memref (init->module, target, share_memref (init, op, source));
      step (init, "share", op, target, sharing_rule (op));
    }
  else
    assign_own (init, op, target);
}

/* --- control flow ------------------------------------------------------------------------------------------------------- */

static gboolean
has_memory (const TsValue *value)
{
  return ts_type_is_tile (value->type) || ts_type_is_tensor (value->type);
}

static void
follow (Init *init, const TsOp *op, TsValue *value, const TsValue *source, const char *rule)
{
  gboolean tiles = ts_type_is_tile (value->type) && ts_type_is_tile (source->type);
  if (tiles && value->type->space != source->type->space)
    value->type = ts_type_with_space (init->module, value->type, source->type->space);
  ts_value_set_memref (init->module, value, source->type->memref);
  step (init, "share", op, value, rule);
}

static void
init_carried (Init *init, TsOp *op, guint first_init, guint first_arg)
{
  TsBlock *body = ts_op_body (op, 0);
  for (guint i = first_init; i < op->n_operands && i - first_init + first_arg < body->n_args; i++)
    {
      TsValue *carried = body->args[i - first_init + first_arg];
      const TsValue *from = ts_expr_as_value (op->operands[i]);
      if (!has_memory (carried))
        continue;
      if (from == NULL || !has_memory (from))
        {
          assign_own (init, op, carried);
          continue;
        }
      follow (init, op, carried, from, "carry");
    }
}

/* Results of a loop. A tile of a FOR lives where its carried value does, and burns an id all the same; everything else is fresh. */
static void
init_loop_results (Init *init, TsOp *op)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      TsValue *result = op->results[i];
      if (!has_memory (result))
        continue;
      if (op->code == TS_OP_FOR && ts_type_is_tile (result->type) && i < ts_for_n_carried (op))
        {
          init->next_id++;
          follow (init, op, result, ts_for_carried (op, i), "loop-result");
        }
      else
        assign_own (init, op, result);
    }
}

static const TsValue *
yielded (const TsOp *op, guint region, guint index)
{
  TsOp *yield = region < op->n_regions ? ts_block_yield (ts_op_body (op, region)) : NULL;
  const TsValue *value = yield != NULL && index < yield->n_operands ? ts_expr_as_value (yield->operands[index]) : NULL;
  return value != NULL && has_memory (value) ? value : NULL;
}

static void
init_if_results (Init *init, TsOp *op)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      TsValue *result = op->results[i];
      if (!has_memory (result))
        continue;
      const TsValue *source = yielded (op, 0, i) != NULL ? yielded (op, 0, i) : yielded (op, 1, i);
      if (ts_type_is_tile (result->type) && source != NULL)
        {
          init->next_id++;
          follow (init, op, result, source, "phi");
        }
      else
        assign_own (init, op, result);
    }
}

static void
init_op (Init *init, TsOp *op)
{
  if (op->code == TS_OP_FOR)
    init_carried (init, op, TS_FOR_INITS, 1);
  else if (op->code == TS_OP_WHILE)
    init_carried (init, op, 0, 0);
  for (guint r = 0; r < op->n_regions; r++)
    init_block (init, ts_op_body (op, r));
  if (op->code == TS_OP_FOR || op->code == TS_OP_WHILE)
    init_loop_results (init, op);
  else if (op->code == TS_OP_IF)
    init_if_results (init, op);
  else
    for (guint i = 0; i < op->n_results; i++)
      assign (init, op, op->results[i]);
}

static void
init_block (Init *init, TsBlock *block)
{
  for (TsOp *op = block->first; op != NULL && !init->failed; op = op->next)
    {
      if ((++init->since_check & 4095) == 0 && ts_pass_cancelled (init->context))
        init->failed = TRUE;
      else
        init_op (init, op);
    }
}

/* --- alloc statements --------------------------------------------------------------------------------------------------- */

typedef struct
{
  Init    *init;
  TsMap    space_of; /* by base id: TsSpace of the alloc made */
  GArray  *allocs;   /* TsOp * in order of first encounter */
} Allocs;

static void
encounter (TsValue *value, TsOp *op, gpointer data)
{
  Allocs *allocs = data;
  Init *init = allocs->init;
  const TsMemRef *memref = ts_tile_memref (value);
  if (memref == NULL || init->failed)
    return;
  TsSpace space = value->type->space == TS_SPACE_NONE ? TS_SPACE_DDR : value->type->space;
  TsSpace known = (TsSpace) ts_map_get (&allocs->space_of, (guint32) memref->base->id, TS_SPACE_NONE);
  if (known != TS_SPACE_NONE)
    {
      if (known != space)
        {
          ts_report_about (init->context, init->module, init->function, op, TS_SEVERITY_ERROR, "memory-space", memref->base->hint,
                           "allocation '%s' is used in two memory spaces: %s and %s", memref->base->hint, ts_space_name (known),
                           ts_space_name (space));
          init->failed = TRUE;
        }
      return;
    }
  ts_map_set (&allocs->space_of, (guint32) memref->base->id, space);
  gint64 declared = ts_declarations_bytes (init->declarations, memref->base);
  TsModule *module = init->module;
  TsExpr *operands[2] = { ts_expr_space (module, space), ts_expr_index (module, declared > 0 ? declared : memref->size) };
  TsOp *alloc = ts_op_new (module, space == TS_SPACE_DDR ? TS_OP_TENSOR_ALLOC : TS_OP_TILE_ALLOC, NULL, operands, 2);
  alloc->origin.op = -1;
  memref->base->kind = TS_VALUE_RESULT;
  memref->base->type = ts_type_ptr (module);
  ts_op_add_result_value (module, alloc, memref->base);
  if (declared > 0)
    ts_op_add_keyword (module, alloc, "pinned", ts_expr_bool (module, TRUE));
  g_array_append_val (allocs->allocs, alloc);
}

static void
prepend_allocs (Init *init)
{
  Allocs allocs = { init, { 0 }, g_array_new (FALSE, FALSE, sizeof (TsOp *)) };
  ts_function_foreach_value (init->function, encounter, &allocs);
  TsBlock *body = ts_function_block (init->function);
  TsOp *head = body->first;
  for (guint i = 0; i < allocs.allocs->len; i++)
    {
      TsOp *alloc = g_array_index (allocs.allocs, TsOp *, i);
      if (head != NULL)
        ts_block_insert_before (head, alloc);
      else
        ts_block_append (body, alloc);
    }
  ts_map_clear (&allocs.space_of);
  g_array_unref (allocs.allocs);
}

static gboolean
init_function (TsPassContext *context, TsModule *module, TsFunction *function)
{
  g_autoptr (TsDeclarations) declarations = ts_declarations_new (context, module, function);
  if (declarations == NULL)
    return FALSE;
  ts_separate_takeovers (context, module, function);
  Init init = { context, module, function, declarations, 0, 0, FALSE };
  for (guint i = 0; i < function->n_params && !init.failed; i++)
    if (has_memory (function->params[i]))
      assign_own (&init, NULL, function->params[i]);
  init_block (&init, ts_function_block (function));
  if (!init.failed)
    {
      prepend_allocs (&init);
      ts_remove_dead_allocs (function); /* of an earlier run, in a dump that already had buffers */
    }
  return !init.failed;
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  gboolean ok = TRUE;
  for (guint i = 0; i < module->n_functions && ok; i++)
    if (module->functions[i]->body_kind == TS_BODY_STATEMENTS)
      ok = init_function (context, module, module->functions[i]);
  return ok ? TS_PASS_CHANGED : TS_PASS_FAILED;
}

#define P(id) TS_PROPERTY_BIT (TS_PROPERTY_##id)

const TsPassInfo ts_pass_init_mem_ref = {
  .name = "InitMemRef",
  .id = "init-mem-ref",
  .summary = "Gives every tile and tensor a buffer and adds the allocations",
  .help = "Visits parameters, then the body, and gives each tile and tensor a MemRef: its own, that of the tile it is a view of, "
          "or that of the argument it is written over. Declared allocations are resolved: the largest tile bound to a name gives "
          "the size of a slot.\n"
          "Different from the compiler: a tile in Vec or Mat that is still read after a loop or a branch takes over its bytes "
          "is copied for it (tile.move), so that whoever reads it finds it as it was.\n"
          "Kept as the compiler does it: tile.write gets a buffer of its own though it writes its argument; the result of a "
          "while loop gets a fresh buffer; every tile result of a for or if burns a number.",
  .language = TS_LANGUAGE_PYPTO,
  .required = P (SSA_FORM) | P (SPLIT_INCORE_ORCH) | P (INCORE_TILE_OPS) | P (TILE_OPS_2D) | P (TILE_MEMORY_INFERRED),
  .produced = P (HAS_MEM_REFS) | P (NORMALIZED_STMT_STRUCTURE),
  .invalidated = P (SSA_FORM),
  .planners = (1u << TS_N_PLANNERS) - 1,
  .in_default = TRUE,
  .whole_module = TRUE,
  .run = run,
};
