/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verifiers of the memory passes. Source: spec passes-memory 3.6 and 6.2. */
#include "base/number.h"
#include "ir/memory-facts.h"
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
        ts_verifier_error (verifier, op, "1", "Function '%s': tile '%s' has no address", verifier->function->name,
                           op->results[i]->hint);
      else if (ts_expr_as_int (type->memref->offset, &address) && address < 0)
        ts_verifier_error (verifier, op, "1", "Function '%s': tile '%s' has the negative address %" G_GINT64_FORMAT,
                           verifier->function->name, op->results[i]->hint, address);
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
      ts_verifier_error (verifier, NULL, "1", "Function '%s': %s buffer usage (%" G_GINT64_FORMAT " bytes) exceeds platform limit "
                         "(%" G_GINT64_FORMAT " bytes)", verifier->function->name, ts_space_name (space), addresses.used[space],
                         verifier->capacity[space]);
}
