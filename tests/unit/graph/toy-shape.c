/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What moves lanes about, and products of matrices. */
#include <string.h>

#include "toy-private.h"

#define MAX_RANK 8

typedef struct
{
  guint  rank;
  gint64 extents[MAX_RANK];
} Shape;

static Shape
shape_of (const TsType *type)
{
  Shape s = { 0 };

  for (guint i = 0; ts_type_is (type, TS_TYPE_RANKED) && i < type->rank && i < MAX_RANK; i++)
    s.extents[s.rank++] = type->dims[i]->i;
  return s;
}

static void
unravel (const Shape *s, guint lane, gint64 *index)
{
  for (guint i = s->rank; i-- > 0;)
    {
      index[i] = lane % s->extents[i];
      lane /= (guint) s->extents[i];
    }
}

static guint
ravel (const Shape *s, const gint64 *index)
{
  guint lane = 0;

  for (guint i = 0; i < s->rank; i++)
    lane = lane * (guint) s->extents[i] + (guint) index[i];
  return lane;
}

static gboolean
run_range (Toy *toy, const TsOp *op)
{
  gint64 start = ts_op_attr_int (op, "start", 0);
  guint64 *out = toy_out (toy, op, 0);

  for (guint i = 0; i < toy_n_lanes (op->results[0]->type); i++)
    out[i] = (guint64) (start + i) & G_MAXUINT32;
  return TRUE;
}

static gboolean
run_splat (Toy *toy, const TsOp *op)
{
  guint64 *x = toy_in (toy, op, 0), *out = toy_out (toy, op, 0);

  for (guint i = 0; i < toy_n_lanes (op->results[0]->type); i++)
    out[i] = x[0];
  return TRUE;
}

static gboolean
run_broadcast (Toy *toy, const TsOp *op)
{
  Shape from = shape_of (ts_op_operand_type (op, 0)), to = shape_of (op->results[0]->type);
  guint64 *x = toy_in (toy, op, 0), *out = toy_out (toy, op, 0);
  gint64 index[MAX_RANK];

  for (guint i = 0; i < toy_n_lanes (op->results[0]->type); i++)
    {
      unravel (&to, i, index);
      for (guint k = 0; k < from.rank; k++)
        index[k] = from.extents[k] == 1 ? 0 : index[k];
      out[i] = x[ravel (&from, index)];
    }
  return TRUE;
}

static gboolean
run_trans (Toy *toy, const TsOp *op)
{
  Shape from = shape_of (ts_op_operand_type (op, 0)), to = shape_of (op->results[0]->type);
  const TsExpr *order = ts_op_attr (op, "order");
  guint64 *x = toy_in (toy, op, 0), *out = toy_out (toy, op, 0);
  gint64 index[MAX_RANK], source[MAX_RANK];

  for (guint i = 0; i < toy_n_lanes (op->results[0]->type); i++)
    {
      unravel (&to, i, index);
      for (guint k = 0; k < to.rank; k++)
        source[order->list[k]->i] = index[k];
      out[i] = x[ravel (&from, source)];
    }
  return TRUE;
}

static gboolean
run_as_it_is (Toy *toy, const TsOp *op)
{
  toy_set (toy, op->results[0], toy_in (toy, op, 0));
  return TRUE;
}

static gboolean
run_dot (Toy *toy, const TsOp *op)
{
  const TsType *a = ts_op_operand_type (op, 0), *b = ts_op_operand_type (op, 1), *c = op->results[0]->type;
  guint64 *x = toy_in (toy, op, 0), *y = toy_in (toy, op, 1), *z = toy_in (toy, op, 2), *out = toy_out (toy, op, 0);
  gint64 rows = a->dims[a->rank - 2]->i, depth = a->dims[a->rank - 1]->i, columns = b->dims[b->rank - 1]->i;
  ToyElement in = toy_element (a), other = toy_element (b), e = toy_element (c);

  for (guint i = 0; i < toy_n_lanes (c); i++)
    {
      gint64 column = i % columns, row = i / columns % rows, batch = i / columns / rows;
      double sum = e.is_float ? toy_get_float (e, z[i]) : 0;
      gint64 total = toy_signed (e, z[i]);

      for (gint64 k = 0; k < depth; k++)
        {
          guint64 left = x[(batch * rows + row) * depth + k], right = y[(batch * depth + k) * columns + column];

          if (e.is_float)
            sum += toy_get_float (in, left) * toy_get_float (other, right);
          else
            total += toy_signed (in, left) * toy_signed (other, right);
        }
      out[i] = e.is_float ? toy_put_float (e, sum) : (guint64) total & toy_mask (e.bits);
    }
  return TRUE;
}

static gboolean
run_insert_slice (Toy *toy, const TsOp *op)
{
  const TsExpr *offsets = ts_op_attr (op, "static_offsets"), *strides = ts_op_attr (op, "static_strides");
  Shape from = shape_of (ts_op_operand_type (op, 0)), to = shape_of (op->results[0]->type);
  guint64 *x = toy_in (toy, op, 0), *into = toy_in (toy, op, 1), *out = toy_out (toy, op, 0);
  gint64 index[MAX_RANK];

  memcpy (out, into, sizeof *out * toy_n_lanes (op->results[0]->type));
  for (guint i = 0; i < toy_n_lanes (ts_op_operand_type (op, 0)); i++)
    {
      unravel (&from, i, index);
      for (guint k = 0; k < to.rank; k++)
        index[k] = offsets->list[k]->i + index[k] * strides->list[k]->i;
      out[ravel (&to, index)] = x[i];
    }
  return TRUE;
}

gboolean
toy_run_shape (Toy *toy, const TsOp *op)
{
  switch ((int) op->code)
    {
    case TS_OP_TT_MAKE_RANGE:
      return run_range (toy, op);
    case TS_OP_TT_SPLAT:
      return run_splat (toy, op);
    case TS_OP_TT_BROADCAST:
      return run_broadcast (toy, op);
    case TS_OP_TT_TRANS:
      return run_trans (toy, op);
    case TS_OP_TT_EXPAND_DIMS:
    case TS_OP_TT_RESHAPE:
      return run_as_it_is (toy, op);
    case TS_OP_TT_DOT:
      return run_dot (toy, op);
    case TS_OP_TENSOR_INSERT_SLICE:
      return run_insert_slice (toy, op);
    case TS_OP_TENSOR_EMPTY: /* open: something that no stored value is likely to be */
      memset (toy_out (toy, op, 0), 0x5a, sizeof (guint64) * toy_n_lanes (op->results[0]->type));
      return TRUE;
    default:
      return FALSE;
    }
}
