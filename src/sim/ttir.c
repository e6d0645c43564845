/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic execution of Triton IR: index tensors are followed as an offset and a step per axis, so that a load or store is priced
 * by the access it describes. Source: spec simulator.md section 1; the launch of one program, ids bound or 0. */
#include "sim/execute-private.h"

#include "base/number.h"

/* --- types -------------------------------------------------------------------------------------------------------------- */

static const TsType *
operand_type (const TsOp *op, guint i)
{
  TsValue *value = i < op->n_operands ? ts_expr_as_value (op->operands[i]) : NULL;

  return value != NULL ? value->type : NULL;
}

static guint
extents (const TsType *type, gint64 *out)
{
  if (!ts_type_is (type, TS_TYPE_RANKED) || type->rank > TS_MAX_PLACE_RANK)
    return 0;
  for (guint d = 0; d < type->rank; d++)
    if (!ts_type_const_dim (type, d, &out[d]) || out[d] < 1)
      out[d] = 1;
  return type->rank;
}

static gint64
element_count (const TsType *type)
{
  gint64 n = 1, v;

  for (guint d = 0; ts_type_is (type, TS_TYPE_RANKED) && d < type->rank; d++)
    n = ts_mul_sat (n, ts_type_const_dim (type, d, &v) && v > 0 ? v : 1);
  return n;
}

/* Element type behind tensors and pointers. */
static TsDtype
element_dtype (const TsType *type)
{
  while (type != NULL && (type->kind == TS_TYPE_RANKED || type->kind == TS_TYPE_POINTER) && type->n_elems > 0)
    type = type->elems[0];
  return ts_type_is_scalar (type) ? (TsDtype) type->dtype : TS_DTYPE_INT64;
}

static gboolean
is_pointer (const TsType *type)
{
  if (ts_type_is (type, TS_TYPE_RANKED))
    type = type->elems[0];
  return ts_type_is (type, TS_TYPE_POINTER);
}

static gint64
tensor_bytes (const TsType *type)
{
  return ts_dtype_bytes (element_dtype (type), element_count (type));
}

/* --- scalars ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  guint16 code;
  guint8  op;       /* TsOperator */
  guint8  unsigned_;/* holds for operands that are not negative only */
} Arithmetic;

static const Arithmetic arithmetic[] = {
  { TS_OP_ARITH_ADDI, TS_OPERATOR_ADD, 0 },       { TS_OP_ARITH_SUBI, TS_OPERATOR_SUB, 0 },
  { TS_OP_ARITH_MULI, TS_OPERATOR_MUL, 0 },       { TS_OP_ARITH_SHLI, TS_OPERATOR_SHL, 0 },
  { TS_OP_ARITH_DIVSI, TS_OPERATOR_FLOOR_DIV, 1 }, { TS_OP_ARITH_DIVUI, TS_OPERATOR_FLOOR_DIV, 1 },
  { TS_OP_ARITH_REMSI, TS_OPERATOR_FLOOR_MOD, 1 }, { TS_OP_ARITH_REMUI, TS_OPERATOR_FLOOR_MOD, 1 },
  { TS_OP_ARITH_FLOORDIVSI, TS_OPERATOR_FLOOR_DIV, 0 }, { TS_OP_ARITH_ANDI, TS_OPERATOR_BIT_AND, 0 },
  { TS_OP_ARITH_ORI, TS_OPERATOR_BIT_OR, 0 },     { TS_OP_ARITH_XORI, TS_OPERATOR_BIT_XOR, 0 },
  { TS_OP_ARITH_SHRSI, TS_OPERATOR_SHR, 0 },      { TS_OP_ARITH_SHRUI, TS_OPERATOR_SHR, 1 },
  { TS_OP_ARITH_MAXSI, TS_OPERATOR_MAX, 0 },      { TS_OP_ARITH_MAXUI, TS_OPERATOR_MAX, 1 },
  { TS_OP_ARITH_MINSI, TS_OPERATOR_MIN, 0 },      { TS_OP_ARITH_MINUI, TS_OPERATOR_MIN, 1 },
};

/* Comparisons in the order of their codes: eq ne slt sle sgt sge, then the unsigned four. */
static const guint8 predicates[] = { TS_OPERATOR_EQ, TS_OPERATOR_NE, TS_OPERATOR_LT, TS_OPERATOR_LE, TS_OPERATOR_GT,
                                     TS_OPERATOR_GE, TS_OPERATOR_LT, TS_OPERATOR_LE, TS_OPERATOR_GT, TS_OPERATOR_GE };

static gboolean
binary_value (const TsOp *op, gint64 a, gint64 b, gint64 *out)
{
  gint64 predicate = ts_op_attr_int (op, "predicate", -1);

  if (op->code == TS_OP_ARITH_CMPI)
    return predicate >= 0 && predicate < (gint64) G_N_ELEMENTS (predicates) && (predicate < 6 || (a >= 0 && b >= 0))
           && exec_apply ((TsOperator) predicates[predicate], a, b, out);
  if (op->code == TS_OP_ARITH_CEILDIVSI || op->code == TS_OP_ARITH_CEILDIVUI)
    return a >= 0 && b > 0 ? (*out = ts_ceil_div (a, b), TRUE) : FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (arithmetic); i++)
    if (arithmetic[i].code == op->code)
      return (!arithmetic[i].unsigned_ || (a >= 0 && b >= 0)) && exec_apply ((TsOperator) arithmetic[i].op, a, b, out);
  return FALSE;
}

static gboolean
passes_through (guint code)
{
  return code == TS_OP_ARITH_EXTSI || code == TS_OP_ARITH_EXTUI || code == TS_OP_ARITH_TRUNCI || code == TS_OP_ARITH_INDEX_CAST
         || code == TS_OP_ARITH_INDEX_CASTUI || code == TS_OP_ARITH_BITCAST || code == TS_OP_TT_BITCAST;
}

static void
scalar_value (const TsOp *op, const Cell *cells, Cell *result)
{
  gint64 value = 0;

  result->kind = CELL_SCALAR;
  if (op->n_operands == 1 && passes_through (op->code))
    {
      result->known = cells[0].kind == CELL_SCALAR && cells[0].known;
      result->value = cells[0].value;
    }
  else if (op->n_operands == 2 && cells[0].kind == CELL_SCALAR && cells[1].kind == CELL_SCALAR && cells[0].known && cells[1].known)
    {
      result->known = binary_value (op, cells[0].value, cells[1].value, &value) != FALSE;
      result->value = value;
    }
  else if (op->code == TS_OP_ARITH_SELECT && op->n_operands == 3 && cells[0].known)
    {
      const Cell *chosen = &cells[cells[0].value != 0 ? 1 : 2];
      result->known = chosen->kind == CELL_SCALAR && chosen->known;
      result->value = chosen->value;
    }
}

/* --- places: offset + sum of step x index ---------------------------------------------------------------------------------- */

static gboolean
is_uniform (const Cell *cell)
{
  return cell->placed && cell->steps[0] == 0 && cell->steps[1] == 0 && cell->steps[2] == 0;
}

static gboolean
add_places (const Cell *a, const Cell *b, gint64 sign, Cell *out)
{
  gint64 more;

  if (!a->placed || !b->placed || !ts_mul (b->offset, sign, &more) || !ts_add (a->offset, more, &out->offset))
    return FALSE;
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    if (!ts_mul (b->steps[d], sign, &more) || !ts_add (a->steps[d], more, &out->steps[d]))
      return FALSE;
  return TRUE;
}

static gboolean
scale_place (const Cell *a, gint64 by, Cell *out)
{
  gboolean ok = ts_mul (a->offset, by, &out->offset);

  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    ok = ts_mul (a->steps[d], by, &out->steps[d]) && ok;
  return ok;
}

static void
expand_place (const TsOp *op, const Cell *source, Cell *out)
{
  gint64 axis = ts_op_attr_int (op, "axis", 0);

  for (gint64 d = 0, from = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = d == axis || from >= TS_MAX_PLACE_RANK ? 0 : source->steps[from++];
}

static void
permute_place (const TsOp *op, const Cell *source, Cell *out)
{
  const TsExpr *order = ts_op_attr (op, "order");

  out->placed = order != NULL && order->kind == TS_EXPR_LIST && order->n <= TS_MAX_PLACE_RANK;
  for (guint d = 0; out->placed && d < order->n; d++)
    {
      gint64 from = 0;
      out->placed = ts_expr_as_int (order->list[d], &from) && from >= 0 && from < TS_MAX_PLACE_RANK;
      out->steps[d] = out->placed ? source->steps[from] : 0;
    }
}

static void
place_of_one (const TsOp *op, const Cell *source, Cell *out)
{
  const TsType *from = operand_type (op, 0);
  gint64 dims[TS_MAX_PLACE_RANK];

  out->offset = source->offset;
  for (guint d = 0; d < TS_MAX_PLACE_RANK; d++)
    out->steps[d] = source->steps[d];
  switch (op->code)
    {
    case TS_OP_TT_SPLAT:
      out->placed = source->placed || (source->kind == CELL_SCALAR && source->known);
      if (source->kind == CELL_SCALAR)
        out->offset = source->value;
      break;
    case TS_OP_TT_EXPAND_DIMS:
      out->placed = source->placed && from->rank < TS_MAX_PLACE_RANK;
      expand_place (op, source, out);
      break;
    case TS_OP_TT_BROADCAST:
      out->placed = source->placed;
      for (guint d = 0, n = extents (from, dims); d < n; d++)
        out->steps[d] = dims[d] == 1 ? 0 : source->steps[d];
      break;
    case TS_OP_TT_TRANS:
      if (source->placed)
        permute_place (op, source, out);
      break;
    default:
      out->placed = source->placed && passes_through (op->code);
    }
}

/* What is known of an index or pointer tensor; `result` keeps its other fields. */
static void
find_place (const TsOp *op, const Cell *cells, Cell *result)
{
  Cell b;

  result->placed = FALSE;
  if (ts_type_is (op->results[0]->type, TS_TYPE_RANKED) && op->results[0]->type->rank > TS_MAX_PLACE_RANK)
    return;
  switch (op->code)
    {
    case TS_OP_TT_MAKE_RANGE:
      result->placed = TRUE;
      result->offset = ts_op_attr_int (op, "start", 0);
      result->steps[0] = 1;
      return;
    case TS_OP_ARITH_ADDI:
    case TS_OP_ARITH_SUBI:
      result->placed = add_places (&cells[0], &cells[1], op->code == TS_OP_ARITH_ADDI ? 1 : -1, result) != FALSE;
      return;
    case TS_OP_TT_ADDPTR:
      b = cells[1];
      if (b.kind == CELL_SCALAR && b.known)
        b = (Cell) { .placed = TRUE, .offset = b.value };
      result->placed = add_places (&cells[0], &b, 1, result) != FALSE;
      return;
    case TS_OP_ARITH_MULI:
      if (is_uniform (&cells[1]) && cells[0].placed)
        result->placed = scale_place (&cells[0], cells[1].offset, result) != FALSE;
      else if (is_uniform (&cells[0]) && cells[1].placed)
        result->placed = scale_place (&cells[1], cells[0].offset, result) != FALSE;
      return;
    default:
      if (op->n_operands == 1)
        place_of_one (op, &cells[0], result);
    }
}

/* --- address arithmetic --- */

/* Operations that find_place follows. */
static gboolean
makes_place (const TsOp *op)
{
  switch (op->code)
    {
    case TS_OP_TT_MAKE_RANGE:
    case TS_OP_TT_SPLAT:
    case TS_OP_TT_BROADCAST:
    case TS_OP_TT_EXPAND_DIMS:
    case TS_OP_TT_TRANS:
    case TS_OP_ARITH_ADDI:
    case TS_OP_ARITH_SUBI:
    case TS_OP_ARITH_MULI:
      return TRUE;
    default:
      return passes_through (op->code);
    }
}

static void
mark_data (TsValue *value, gpointer data)
{
  g_hash_table_add (data, value);
}

static gboolean
collect_op (TsOp *op, gpointer data)
{
  g_ptr_array_add (data, op);
  return TRUE;
}

static gboolean
is_index_tensor (const TsType *type)
{
  return ts_type_is (type, TS_TYPE_RANKED) && !is_pointer (type) && ts_dtype_is_integer (element_dtype (type));
}

/* Users stand behind definitions, so one walk from the end settles what each value is for. Carried values count as data. */
static void
find_data_values (Exec *x)
{
  g_autoptr (GPtrArray) ops = g_ptr_array_new ();

  x->data_values = g_hash_table_new (NULL, NULL);
  for (guint f = 0; f < x->module->n_functions; f++)
    ts_region_walk (&x->module->functions[f]->body, collect_op, ops);
  for (guint i = ops->len; i-- > 0;)
    {
      const TsOp *op = g_ptr_array_index (ops, i);
      gboolean place = op->n_results == 1 && makes_place (op) && !g_hash_table_contains (x->data_values, op->results[0]);
      if (op->code != TS_OP_TT_ADDPTR && !place)
        ts_op_foreach_use (op, mark_data, x->data_values);
    }
}

gboolean
exec_ttir_is_address (Exec *x, const TsOp *op)
{
  if (op->n_results != 1 || !is_index_tensor (op->results[0]->type) || !makes_place (op))
    return FALSE;
  if (x->data_values == NULL)
    find_data_values (x);
  return !g_hash_table_contains (x->data_values, op->results[0]);
}

/* --- accesses to global memory --------------------------------------------------------------------------------------------- */

typedef struct
{
  gint64 rows, run;    /* runs of so many elements that lie together, in the order of the axes */
  gint64 first, last;  /* elements from the pointer's base */
} AccessShape;

/* Runs grow from the last axis outwards while axes follow each other without a gap. */
static AccessShape
access_shape (const TsType *type, const Cell *pointer)
{
  gint64 dims[TS_MAX_PLACE_RANK];
  guint n = extents (type, dims);
  AccessShape shape = { .rows = 1, .run = 1, .first = pointer->offset, .last = pointer->offset };

  for (guint d = n; d-- > 0;)
    {
      gint64 reach = ts_mul_sat (pointer->steps[d], dims[d] - 1);
      if (reach < 0)
        shape.first = ts_add_sat (shape.first, reach);
      else
        shape.last = ts_add_sat (shape.last, reach);
      if (pointer->steps[d] == 0 || dims[d] == 1)
        continue; /* the same elements again */
      if (shape.rows == 1 && pointer->steps[d] == shape.run)
        shape.run = ts_mul_sat (shape.run, dims[d]);
      else
        shape.rows = ts_mul_sat (shape.rows, dims[d]);
    }
  return shape;
}

static void
add_access_window (Exec *x, const TsOp *op, const Cell *pointer, guint access)
{
  TsWindowShape window = { .tensor = pointer->ref, .access = (guint8) access };
  gint64 offset = 0;

  if (pointer->kind != CELL_TENSOR)
    return;
  if (pointer->placed && x->gm_alias != TS_GM_ALIAS_TENSOR)
    {
      AccessShape shape = access_shape (operand_type (op, 0), pointer);
      if (ABS (shape.first) < (gint64) 1 << 60 && shape.last < (gint64) 1 << 60)
        {
          window.rank = 1;
          window.extent[0] = shape.last - shape.first + 1;
          offset = shape.first;
        }
    }
  ts_stream_builder_window (x->builder, ts_stream_builder_window_shape (x->builder, &window), &offset);
}

static void
access_work (Exec *x, const TsOp *op, TsWork *work)
{
  const TsType *type = operand_type (op, 0);
  Cell pointer = op->n_operands > 0 ? exec_operand (x, op->operands[0]) : (Cell) { .kind = CELL_NONE };
  gint64 size = MAX (ts_dtype_bytes (element_dtype (type), 1), 1), count = element_count (type);

  work->from = work->pipe == TS_PIPE_MTE2 ? TS_SPACE_DDR : TS_SPACE_VEC;
  work->to = work->pipe == TS_PIPE_MTE2 ? TS_SPACE_VEC : TS_SPACE_DDR;
  work->dtype = work->out_dtype = element_dtype (type);
  if (pointer.kind == CELL_TENSOR && pointer.placed)
    {
      AccessShape shape = access_shape (type, &pointer);
      work->rows = shape.rows;
      work->row_bytes = ts_mul_sat (shape.run, size);
    }
  else
    {
      work->rows = 1;
      work->row_bytes = ts_mul_sat (count, size);
      exec_note (x, op, TS_SEVERITY_NOTE, "unknown-access", op, "where this access goes is not known: one contiguous run is taken");
    }
  work->bytes = ts_mul_sat (work->rows, work->row_bytes);
}

static void
dot_work (const TsOp *op, TsWork *work)
{
  const TsType *a = operand_type (op, 0), *b = operand_type (op, 1);
  gint64 v;

  work->dtype = element_dtype (a);
  if (!ts_type_is (a, TS_TYPE_RANKED) || !ts_type_is (b, TS_TYPE_RANKED) || a->rank < 2 || b->rank < 2)
    return;
  work->k = ts_type_const_dim (a, a->rank - 1, &v) ? v : 1;
  work->m = element_count (a) / MAX (work->k, 1);
  work->n = ts_type_const_dim (b, b->rank - 1, &v) ? v : 1;
}

void
exec_ttir_work (Exec *x, const TsOp *op, TsWork *work)
{
  const TsType *widest = op->n_results > 0 ? op->results[0]->type : NULL;
  gint64 v;

  if (ts_op_info (op->code)->cost == TS_COST_TRANSFER)
    {
      access_work (x, op, work);
      return;
    }
  if (work->cost == TS_COST_MATMUL)
    {
      dot_work (op, work);
      return;
    }
  for (guint i = 0; i < op->n_operands; i++)
    if (widest == NULL || tensor_bytes (operand_type (op, i)) > tensor_bytes (widest))
      widest = operand_type (op, i) != NULL ? operand_type (op, i) : widest;
  work->from = work->to = TS_SPACE_VEC;
  work->dtype = work->out_dtype
      = element_dtype (op->n_operands > 0 && operand_type (op, 0) != NULL ? operand_type (op, 0) : widest);
  work->bytes = tensor_bytes (widest);
  work->row_bytes = work->bytes;
  if (ts_type_is (widest, TS_TYPE_RANKED) && widest->rank > 0 && ts_type_const_dim (widest, widest->rank - 1, &v) && v > 0)
    {
      work->rows = element_count (widest) / v;
      work->row_bytes = ts_dtype_bytes (element_dtype (widest), v);
    }
}

/* --- operations --------------------------------------------------------------------------------------------------------------- */

static Cell
constant (const TsOp *op)
{
  const TsExpr *value = ts_op_attr (op, "value");
  Cell cell = { .kind = CELL_OTHER, .producer = -1, .channel = -1 };
  gint64 v;

  if (value == NULL)
    return cell;
  if (ts_type_is_scalar (op->results[0]->type))
    {
      cell.kind = CELL_SCALAR;
      cell.known = ts_expr_as_int (value, &v) != FALSE;
      cell.value = cell.known ? v : 0;
    }
  else if (value->kind == TS_EXPR_LIST && value->n == 1 && ts_expr_as_int (value->list[0], &v))
    {
      cell.placed = TRUE;
      cell.offset = v;
    }
  return cell;
}

static Cell
program_number (Exec *x, const TsOp *op)
{
  static const char *const ids[] = { "program_id", "program_id_y", "program_id_z" };
  static const char *const counts[] = { "num_programs", "num_programs_y", "num_programs_z" };
  gint64 axis = CLAMP (ts_op_attr_int (op, "axis", 0), 0, 2);
  gboolean is_id = op->code == TS_OP_TT_GET_PROGRAM_ID;

  return (Cell) { .kind = CELL_SCALAR, .known = TRUE, .producer = -1, .channel = -1,
                  .value = exec_named (x, is_id ? ids[axis] : counts[axis], is_id ? 0 : 1) };
}

/* Results without an instruction: another name of operand 0, as far as its place can be followed. */
static void
bind_result (Exec *x, const TsOp *op, const Cell *cells)
{
  Cell cell = { .kind = CELL_OTHER, .producer = -1, .channel = -1 };

  if (op->code == TS_OP_ARITH_CONSTANT)
    cell = constant (op);
  else if (op->code == TS_OP_TT_GET_PROGRAM_ID || op->code == TS_OP_TT_GET_NUM_PROGRAMS)
    cell = program_number (x, op);
  else if (op->n_operands > 0)
    {
      cell = cells[0];
      find_place (op, cells, &cell);
      if (is_pointer (op->results[0]->type) && cell.kind == CELL_TENSOR)
        cell.whole = !cell.placed;
    }
  exec_set (x, op->results[0], &cell);
}

static Cell
fresh_result (Exec *x, Node *node, guint i)
{
  const TsOp *op = node->op;
  Cell cell = { .kind = CELL_TILE, .producer = -1, .channel = -1 };
  gint32 *buffer = &node->buffer;

  if (node->items == NULL && op->n_results > 1)
    {
      node->items = ts_arena_array (x->arena, Cell, op->n_results);
      for (guint k = 0; k < op->n_results; k++)
        node->items[k].ref = -1;
    }
  if (i > 0)
    buffer = &node->items[i].ref;
  if (*buffer < 0)
    *buffer = exec_private_buffer (x, TS_SPACE_NONE, NULL, op->results[i]->hint, op->id, -1);
  cell.ref = *buffer;
  cell.end = MAX (tensor_bytes (op->results[i]->type), 1);
  return cell;
}

static Flow
issue (Exec *x, Node *node, const Cell *cells)
{
  const TsOp *op = node->op;
  guint n_results = MIN (op->n_results, 16);
  Cell results[16];

  for (guint i = 0; i < op->n_operands && i < TS_MAX_TTIR_OPERANDS; i++)
    exec_add_access (x, &cells[i], TS_ACCESS_READ);
  for (guint i = 0; i < n_results; i++)
    {
      results[i] = (Cell) { .kind = CELL_SCALAR, .producer = -1, .channel = -1 };
      if (ts_type_is (op->results[i]->type, TS_TYPE_RANKED) && node->pipe == TS_PIPE_S)
        {
          results[i].kind = CELL_OTHER; /* part of an address: no bytes of its own */
          find_place (op, cells, &results[i]);
        }
      else if (ts_type_is (op->results[i]->type, TS_TYPE_RANKED))
        results[i] = fresh_result (x, node, i);
      else if (i == 0 && is_pointer (op->results[0]->type) && op->n_operands > 0 && cells[0].kind == CELL_TENSOR)
        {
          results[0] = cells[0];
          find_place (op, cells, &results[0]);
          results[0].whole = !results[0].placed;
        }
      else if (i == 0)
        scalar_value (op, cells, &results[0]);
      exec_add_access (x, &results[i], TS_ACCESS_WRITE);
    }
  if (n_results == 1 && results[0].kind == CELL_TILE)
    find_place (op, cells, &results[0]);
  if (!exec_emit (x, node, exec_cost (x, node)))
    return FLOW_STOP;
  guint flags = node->info->flags;
  if (op->n_operands > 0 && (flags & (TS_OPF_READS | TS_OPF_WRITES)) != 0)
    add_access_window (x, op, &cells[0],
                       ((flags & TS_OPF_READS) != 0 ? TS_ACCESS_READ : 0u) | ((flags & TS_OPF_WRITES) != 0 ? TS_ACCESS_WRITE : 0u));
  for (guint i = 0; i < n_results; i++)
    {
      if (results[i].kind != CELL_TILE) /* a scalar, or a pointer that was computed */
        results[i].producer = (gint32) ts_stream_builder_length (x->builder) - 1;
      exec_set (x, op->results[i], &results[i]);
    }
  return FLOW_NEXT;
}

Flow
exec_ttir (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  Cell cells[TS_MAX_TTIR_OPERANDS] = { 0 };

  for (guint i = 0; i < op->n_operands && i < TS_MAX_TTIR_OPERANDS; i++)
    cells[i] = exec_operand (x, op->operands[i]);
  if (op->code == TS_OP_SCF_WHILE)
    exec_note (x, op, TS_SEVERITY_NOTE, "not-executed", op, "scf.while is not executed: what it would do is missing here");
  if (node->pipe != TS_PIPE_NONE)
    return issue (x, node, cells);
  if (op->n_results > 0)
    bind_result (x, op, cells);
  return FLOW_NEXT;
}
