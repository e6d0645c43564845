/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verifiers of the memory passes. Source: spec passes-memory 3.2, 3.3, 3.6, 5.7 and 6.2. */
#include "base/number.h"
#include "ir/memory-facts.h"
#include "ir/reserved-bytes.h"
#include "ir/op-info.h"
#include "ir/verify-private.h"

/* Pops bring their data in a buffer of the pipe; what only looks at such a tile has none of its own either. */
static gboolean
is_bufferless (const TsOp *op)
{
  if (op->code == TS_OP_TILE_TPOP_FROM_AIC || op->code == TS_OP_TILE_TPOP_FROM_AIV)
    return TRUE;
  gint k = ts_op_shared_argument (op);
  const TsValue *source = k >= 0 && (guint) k < op->n_operands ? ts_expr_as_value (op->operands[k]) : NULL;
  return source != NULL && ts_type_is_tile (source->type) && source->type->memref == NULL;
}

static gboolean
check_mem_refs (TsOp *op, gpointer data)
{
  for (guint i = 0; i < op->n_results && op->n_regions == 0; i++)
    {
      const TsValue *value = op->results[i];
      if (ts_type_is_tile (value->type) && value->type->memref == NULL && !is_bufferless (op))
        ts_verifier_error (data, op, "0", "Tile '%s' has no MemRef", value->hint);
    }
  return TRUE;
}

void
ts_verify_has_mem_refs (TsVerifier *verifier)
{
  ts_region_walk ((TsRegion *) &verifier->function->body, check_mem_refs, verifier);
}

/* --- what lies in place ------------------------------------------------------------------------------------------------- */

static const TsMemRef *
memref_of (const TsValue *value)
{
  return value != NULL && ts_type_is_tile (value->type) ? value->type->memref : NULL;
}

/* `value` has to lie where `source` does; `part`: anywhere on its allocation. Tiles without a buffer cannot contradict. */
static void
check_place (TsVerifier *verifier, const TsOp *op, const TsValue *value, const TsValue *source, gboolean part)
{
  const TsMemRef *is = memref_of (value), *has_to = memref_of (source);
  if (is == NULL || has_to == NULL || (part ? is->base == has_to->base : ts_memref_same_place (is, has_to)))
    return;
  gint64 at = 0, from = 0;
  ts_memref_start (is, &at);
  ts_memref_start (has_to, &from);
  ts_verifier_error (verifier, op, "0", "Tile '%s' lies on '%s' at %" G_GINT64_FORMAT ", but has to lie where '%s' does, on '%s' "
                     "at %" G_GINT64_FORMAT, value->hint, is->base->hint, at, source->hint, has_to->base->hint, from);
}

static const TsValue *
operand_of (const TsOp *op, guint index)
{
  return op != NULL && index < op->n_operands ? ts_expr_as_value (op->operands[index]) : NULL;
}

static void
check_loop (TsVerifier *verifier, const TsOp *op)
{
  guint first_init = op->code == TS_OP_FOR ? TS_FOR_INITS : 0, first_arg = op->code == TS_OP_FOR ? 1 : 0;
  const TsBlock *body = ts_op_body (op, 0);
  const TsOp *yield = ts_block_yield (body);
  for (guint i = 0; first_init + i < op->n_operands && first_arg + i < body->n_args; i++)
    {
      const TsValue *init = operand_of (op, first_init + i), *yielded = operand_of (yield, i);
      check_place (verifier, op, body->args[first_arg + i], init, FALSE);
      /* Kept quirk of MemoryReuse: a yielded carried value is never moved. */
      if (yielded != NULL && yielded->kind != TS_VALUE_BLOCK_ARG)
        check_place (verifier, yield, yielded, init, FALSE);
      if (i < op->n_results)
        check_place (verifier, op, op->results[i], init, FALSE);
    }
}

static void
check_branches (TsVerifier *verifier, const TsOp *op)
{
  for (guint r = 0; r < op->n_regions; r++)
    {
      const TsOp *yield = ts_block_yield (ts_op_body (op, r));
      for (guint i = 0; i < op->n_results; i++)
        check_place (verifier, yield, operand_of (yield, i), op->results[i], FALSE);
    }
}

static gboolean
check_in_place (TsOp *op, gpointer data)
{
  gint k = op->n_results == 1 && op->code != TS_OP_TILE_TRANSPOSE ? ts_op_shared_argument (op) : -1;
  if (op->code == TS_OP_FOR || op->code == TS_OP_WHILE)
    check_loop (data, op);
  else if (op->code == TS_OP_IF)
    check_branches (data, op);
  else if (k >= 0) /* a view may begin further on */
    check_place (data, op, op->results[0], operand_of (op, (guint) k), ts_op_info (op->code)->buffer == TS_BUFFER_VIEW);
  return TRUE;
}

void
ts_verify_in_place_tiles (TsVerifier *verifier)
{
  if (verifier->function->type != TS_FUNCTION_ORCHESTRATION) /* the memory passes leave those alone */
    ts_region_walk ((TsRegion *) &verifier->function->body, check_in_place, verifier);
}

/* --- addresses ---------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsVerifier *verifier;
  gint64      used[TS_N_SPACES]; /* highest end of a tile, all slots of it */
} Addresses;

static void
note_end (Addresses *a, const TsType *type)
{
  const TsMemRef *memref = type->memref;
  gint64 start, bytes = ts_mul_sat (memref->size, MAX (memref->slots, 1));
  if (type->space < TS_N_SPACES && ts_memref_start (memref, &start))
    a->used[type->space] = MAX (a->used[type->space], ts_add_sat (start, bytes));
}

static gboolean
check_addresses (TsOp *op, gpointer data)
{
  Addresses *addresses = data;
  TsVerifier *verifier = addresses->verifier;
  for (guint i = 0; i < op->n_results; i++)
    {
      const TsType *type = op->results[i]->type;
      gint64 address;
      if (!ts_type_is_tile (type) || type->memref == NULL || type->space == TS_SPACE_DDR)
        continue;
      if (type->memref->declared || type->memref->offset == NULL)
        ts_verifier_error (verifier, op, "1", "Tile '%s' has no address", op->results[i]->hint);
      else if (ts_expr_as_int (type->memref->offset, &address) && address < 0)
        ts_verifier_error (verifier, op, "1", "Tile '%s' has the negative address %" G_GINT64_FORMAT, op->results[i]->hint,
                           address);
      else
        note_end (addresses, type);
    }
  return TRUE;
}

void
ts_verify_allocated_memory_addr (TsVerifier *verifier)
{
  TsFunctionType type = verifier->function->type;
  Addresses addresses = { .verifier = verifier };
  if (type != TS_FUNCTION_INCORE && type != TS_FUNCTION_AIC && type != TS_FUNCTION_AIV)
    return;
  ts_region_walk ((TsRegion *) &verifier->function->body, check_addresses, &addresses);
  for (guint space = 0; verifier->capacity != NULL && space < TS_N_SPACES; space++)
    if (verifier->capacity[space] > 0 && addresses.used[space] > verifier->capacity[space])
      {
        g_autofree char *used = ts_bytes_text (addresses.used[space]);
        ts_verifier_error (verifier, NULL, "1", "%s buffer usage (%s) exceeds platform limit (%" G_GINT64_FORMAT " bytes)",
                           ts_space_name (space), used, verifier->capacity[space]);
      }
}
