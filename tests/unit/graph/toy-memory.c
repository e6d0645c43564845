/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads, stores and atomics, through pointers to elements and to blocks. */
#include <string.h>

#include "toy-private.h"

static gboolean
touch (Toy *toy, const TsOp *op, guint64 address, guint bytes)
{
  for (guint i = 0; i < toy->memory->n_ranges; i++)
    if ((gint64) address >= toy->memory->ranges[i].from && (gint64) address + bytes <= toy->memory->ranges[i].to)
      return TRUE;
  return toy_fail (toy, op, "touches what belongs to nobody");
}

static guint
bytes_of (ToyElement e)
{
  return MAX (1, e.bits / 8);
}

static gboolean
peek (Toy *toy, const TsOp *op, guint64 address, ToyElement e, guint64 *out)
{
  *out = 0;
  if (!touch (toy, op, address, bytes_of (e)))
    return FALSE;
  memcpy (out, toy->memory->bytes + address, bytes_of (e)); /* little-endian, here and in memory */
  *out = GUINT64_FROM_LE (*out) & toy_mask (e.bits);
  return TRUE;
}

static gboolean
poke (Toy *toy, const TsOp *op, guint64 address, ToyElement e, guint64 x)
{
  guint64 little = GUINT64_TO_LE (x);

  if (!touch (toy, op, address, bytes_of (e)))
    return FALSE;
  memcpy (toy->memory->bytes + address, &little, bytes_of (e));
  return TRUE;
}

/* --- pointers to blocks ---------------------------------------------------------------------------------------------------- */

/* Lanes of such a pointer: the base, then extents, strides and offsets, one for each axis. */
static guint
block_rank (const TsType *pointer)
{
  return pointer->elems[0]->rank;
}

static gboolean
run_make_tensor_ptr (Toy *toy, const TsOp *op)
{
  guint64 *out = toy_out (toy, op, 0);

  for (guint i = 0; i < op->n_operands; i++)
    out[i] = (guint64) toy_signed (toy_element (ts_op_operand_type (op, i)), toy_in (toy, op, i)[0]);
  return TRUE;
}

static gboolean
run_advance (Toy *toy, const TsOp *op)
{
  guint rank = block_rank (op->results[0]->type);
  guint64 *p = toy_in (toy, op, 0), *out = toy_out (toy, op, 0);

  memcpy (out, p, sizeof *out * (1 + 3 * rank));
  for (guint i = 0; i < rank; i++)
    out[1 + 2 * rank + i] += (guint64) toy_signed (toy_element (ts_op_operand_type (op, 1 + i)), toy_in (toy, op, 1 + i)[0]);
  return TRUE;
}

static gboolean
is_checked (const TsOp *op, guint axis)
{
  const TsExpr *axes = ts_op_attr (op, "boundaryCheck");

  for (guint i = 0; axes != NULL && axes->kind == TS_EXPR_LIST && i < axes->n; i++)
    if (axes->list[i]->i == (gint64) axis)
      return TRUE;
  return FALSE;
}

/* Address of a lane; FALSE where a checked axis is left. */
static gboolean
block_address (const TsOp *op, const TsType *pointer, const guint64 *p, guint lane, guint64 *address)
{
  guint rank = block_rank (pointer);
  guint64 bytes = bytes_of (toy_element (pointer->elems[0]));
  gboolean inside = TRUE;

  *address = p[0];
  for (guint i = rank; i-- > 0;)
    {
      guint extent = (guint) pointer->elems[0]->dims[i]->i;
      gint64 index = (gint64) p[1 + 2 * rank + i] + lane % extent;

      lane /= extent;
      inside = inside && (!is_checked (op, i) || (index >= 0 && index < (gint64) p[1 + i]));
      *address += (guint64) index * p[1 + rank + i] * bytes;
    }
  return inside;
}

/* --- accesses -------------------------------------------------------------------------------------------------------------- */

/* Where a lane of a load or store goes; FALSE: nowhere. */
static gboolean
lane_address (Toy *toy, const TsOp *op, guint lane, guint mask, guint64 *address)
{
  const TsType *pointer = ts_op_operand_type (op, 0);
  guint64 *p = toy_in (toy, op, 0);

  if (op->n_operands > mask && (toy_in (toy, op, mask)[lane] & 1) == 0)
    return FALSE;
  if (ts_type_is (pointer, TS_TYPE_POINTER) && pointer->elems[0]->kind == TS_TYPE_RANKED)
    return block_address (op, pointer, p, lane, address);
  *address = p[lane];
  return TRUE;
}

static gboolean
run_load (Toy *toy, const TsOp *op)
{
  const TsType *type = op->results[0]->type;
  guint64 *other = op->n_operands > 2 ? toy_in (toy, op, 2) : NULL, *out = toy_out (toy, op, 0), address;
  gboolean each = ts_type_is (ts_op_operand_type (op, 2), TS_TYPE_RANKED);

  for (guint i = 0; i < toy_n_lanes (type); i++)
    if (!lane_address (toy, op, i, 1, &address))
      out[i] = other != NULL ? other[each ? i : 0] : 0;
    else if (!peek (toy, op, address, toy_element (type), &out[i]))
      return FALSE;
  return TRUE;
}

static gboolean
run_store (Toy *toy, const TsOp *op)
{
  const TsType *type = ts_op_operand_type (op, 1);
  guint64 *value = toy_in (toy, op, 1), address;

  for (guint i = 0; i < toy_n_lanes (type); i++)
    if (lane_address (toy, op, i, 2, &address) && !poke (toy, op, address, toy_element (type), value[i]))
      return FALSE;
  return TRUE;
}

/* Every atomic is an addition of integers here. */
static gboolean
run_atomic (Toy *toy, const TsOp *op)
{
  const TsType *type = op->results[0]->type;
  guint64 *value = toy_in (toy, op, 1), *out = toy_out (toy, op, 0), address;
  ToyElement e = toy_element (type);

  for (guint i = 0; i < toy_n_lanes (type); i++)
    if (!lane_address (toy, op, i, 2, &address))
      out[i] = 0;
    else if (!peek (toy, op, address, e, &out[i]) || !poke (toy, op, address, e, (out[i] + value[i]) & toy_mask (e.bits)))
      return FALSE;
  return TRUE;
}

static gboolean
run_assert (Toy *toy, const TsOp *op)
{
  guint64 *x = toy_in (toy, op, 0);

  for (guint i = 0; i < toy_n_lanes (ts_op_operand_type (op, 0)); i++)
    if ((x[i] & 1) == 0)
      return toy_fail (toy, op, "does not hold");
  return TRUE;
}

gboolean
toy_run_memory (Toy *toy, const TsOp *op)
{
  switch ((int) op->code)
    {
    case TS_OP_TT_LOAD:
      return run_load (toy, op);
    case TS_OP_TT_STORE:
      return run_store (toy, op);
    case TS_OP_TT_ATOMIC_RMW:
      return run_atomic (toy, op);
    case TS_OP_TT_MAKE_TENSOR_PTR:
      return run_make_tensor_ptr (toy, op);
    case TS_OP_TT_ADVANCE:
      return run_advance (toy, op);
    case TS_OP_TT_ASSERT:
      return run_assert (toy, op);
    case TS_OP_GPU_BARRIER:
      return TRUE;
    default:
      return FALSE;
    }
}
