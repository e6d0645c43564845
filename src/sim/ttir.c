/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic execution of Triton IR: one program of a launch, its ids bound or 0. Source: spec simulator.md sections 1 and 2. */
#include "sim/ttir-private.h"

#include "base/number.h"
#include "sim/periodic-loop.h"

#define MAX_RESULTS 16u /* of one operation that are followed */

/* --- types -------------------------------------------------------------------------------------------------------------- */

const TsType *
ttir_lanes (const TsType *type)
{
  return ts_type_is (type, TS_TYPE_POINTER) && type->n_elems > 0 && ts_type_is (type->elems[0], TS_TYPE_RANKED) ? type->elems[0]
                                                                                                                : type;
}

guint
ttir_extents (const TsType *type, gint64 *out)
{
  type = ttir_lanes (type);
  if (!ts_type_is (type, TS_TYPE_RANKED) || type->rank > TS_MAX_PLACE_RANK)
    return 0;
  for (guint d = 0; d < type->rank; d++)
    if (!ts_type_const_dim (type, d, &out[d]) || out[d] < 1)
      out[d] = 1;
  return type->rank;
}

gint64
ttir_count (const TsType *type)
{
  gint64 n = 1, v;

  type = ttir_lanes (type);
  for (guint d = 0; ts_type_is (type, TS_TYPE_RANKED) && d < type->rank; d++)
    n = ts_mul_sat (n, ts_type_const_dim (type, d, &v) && v > 0 ? v : 1);
  return n;
}

TsDtype
ttir_dtype (const TsType *type)
{
  while (type != NULL && (type->kind == TS_TYPE_RANKED || type->kind == TS_TYPE_POINTER) && type->n_elems > 0)
    type = type->elems[0];
  return ts_type_is_scalar (type) ? (TsDtype) type->dtype : TS_DTYPE_INT64;
}

gboolean
ttir_is_pointer (const TsType *type)
{
  if (ts_type_is (type, TS_TYPE_RANKED))
    type = type->elems[0];
  return ts_type_is (type, TS_TYPE_POINTER);
}

gint64
ttir_bytes (const TsType *type)
{
  return ts_dtype_bytes (ttir_dtype (type), ttir_count (type));
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

gboolean
ttir_binary (const TsOp *op, gint64 a, gint64 b, gint64 *out)
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

TsOperator
ttir_operator (const TsOp *op)
{
  gint64 predicate = ts_op_attr_int (op, "predicate", -1);

  if (op->code == TS_OP_ARITH_CMPI && predicate >= 0 && predicate < (gint64) G_N_ELEMENTS (predicates))
    return (TsOperator) predicates[predicate];
  for (guint i = 0; i < G_N_ELEMENTS (arithmetic); i++)
    if (arithmetic[i].code == op->code)
      return (TsOperator) arithmetic[i].op;
  return TS_N_OPERATORS;
}

gboolean
ttir_is_unsigned (const TsOp *op)
{
  if (op->code == TS_OP_ARITH_CMPI)
    return ts_op_attr_int (op, "predicate", -1) >= 6;
  for (guint i = 0; i < G_N_ELEMENTS (arithmetic); i++)
    if (arithmetic[i].code == op->code)
      return arithmetic[i].unsigned_;
  return TRUE;
}

gboolean
ttir_passes_through (guint code)
{
  return code == TS_OP_ARITH_EXTSI || code == TS_OP_ARITH_EXTUI || code == TS_OP_ARITH_TRUNCI || code == TS_OP_ARITH_INDEX_CAST
         || code == TS_OP_ARITH_INDEX_CASTUI || code == TS_OP_ARITH_BITCAST || code == TS_OP_TT_BITCAST;
}

void
ttir_combine (Exec *x, const TsOp *op, const Cell *a, gint64 value_a, const Cell *b, gint64 value_b, Cell *result)
{
  if ((a->changes | b->changes) == 0)
    return;
  if (ttir_operator (op) == TS_N_OPERATORS)
    {
      periodic_lose (x, a, result);
      periodic_lose (x, b, result);
      return;
    }
  /* What is not signed is followed only while it is not negative. */
  if (ttir_is_unsigned (op))
    {
      periodic_watch_sign (x, a, value_a);
      periodic_watch_sign (x, b, value_b);
    }
  periodic_combine_numbers (x, ttir_operator (op), a, value_a, b, value_b, result);
}

static void
scalar_value (Exec *x, const TsOp *op, const Cell *cells, Cell *result)
{
  gint64 value = 0;

  result->kind = CELL_SCALAR;
  for (guint i = 0; i < op->n_operands && i < TS_MAX_TTIR_OPERANDS; i++)
    result->assumed |= cells[i].assumed;
  if (op->n_operands == 1 && ttir_passes_through (op->code))
    {
      result->known = cells[0].kind == CELL_SCALAR && cells[0].known;
      result->value = cells[0].value;
      periodic_copy (&cells[0], result);
    }
  else if (op->n_operands == 2 && cells[0].kind == CELL_SCALAR && cells[1].kind == CELL_SCALAR && cells[0].known && cells[1].known)
    {
      result->known = ttir_binary (op, cells[0].value, cells[1].value, &value) != FALSE;
      if (!result->known && ttir_operator (op) != TS_N_OPERATORS)
        exec_note_no_value (x, ttir_operator (op), cells[1].value);
      result->value = value;
      ttir_combine (x, op, &cells[0], cells[0].value, &cells[1], cells[1].value, result);
    }
  else if (op->code == TS_OP_ARITH_SELECT && op->n_operands == 3 && cells[0].known)
    {
      const Cell *chosen = &cells[cells[0].value != 0 ? 1 : 2];
      periodic_decide (x, &cells[0]);
      periodic_copy (chosen, result);
      result->known = chosen->kind == CELL_SCALAR && chosen->known;
      result->value = chosen->value;
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
      cell.placed = PLACE_KNOWN;
      cell.offset = v;
    }
  return cell;
}

static Cell
program_number (Exec *x, const TsOp *op)
{
  gint64 axis = CLAMP (ts_op_attr_int (op, "axis", 0), 0, 2);
  Named first = op->code == TS_OP_TT_GET_PROGRAM_ID ? NAMED_PROGRAM_ID : NAMED_NUM_PROGRAMS;

  return (Cell) { .kind = CELL_SCALAR, .known = TRUE, .producer = -1, .channel = -1,
                  .value = exec_named (x, (Named) (first + axis)) };
}

/* A pointer keeps the tensor it points into; of a selection the side that is known to be taken, else the first. */
static void
pointer_result (const TsOp *op, const Cell *cells, Cell *result)
{
  guint from = 0;

  if (op->code == TS_OP_ARITH_SELECT)
    from = cells[0].kind == CELL_SCALAR && cells[0].known && cells[0].value == 0 ? 2 : 1;
  for (guint i = from; i < MIN (op->n_operands, TS_MAX_TTIR_OPERANDS); i++)
    if (cells[i].kind == CELL_TENSOR)
      {
        *result = cells[i];
        break;
      }
}

/* The latest of the instructions that the operands of an address come from. */
static gint32
latest_producer (const TsOp *op, const Cell *cells)
{
  gint32 latest = -1;

  for (guint i = 0; i < MIN (op->n_operands, TS_MAX_TTIR_OPERANDS); i++)
    {
      if (cells[i].kind != CELL_NONE)
        latest = MAX (latest, cells[i].producer);
      if (cells[i].kind == CELL_TILE)
        latest = MAX (latest, (gint32) cells[i].maker - 1);
    }
  return latest;
}

static gint64
whole_bytes (const TsType *type)
{
  return MAX (ttir_bytes (type), 1);
}

/* Results without an instruction: another name of operand 0, or what is known of an address. */
static void
bind_result (Exec *x, const TsOp *op, const Cell *cells)
{
  Cell cell = { .kind = CELL_OTHER, .producer = -1, .channel = -1 };

  if (op->code == TS_OP_ARITH_CONSTANT)
    cell = constant (op);
  else if (op->code == TS_OP_TT_GET_PROGRAM_ID || op->code == TS_OP_TT_GET_NUM_PROGRAMS)
    cell = program_number (x, op);
  else
    {
      const TsType *type = op->results[0]->type;
      if (ttir_is_pointer (type))
        pointer_result (op, cells, &cell);
      else if (op->n_operands > 0 && cells[0].kind != CELL_NONE && (cells[0].kind != CELL_SCALAR || ts_type_is_scalar (type)))
        cell = cells[0];
      cell.offset = op->n_operands > 0 ? cells[0].offset : 0;
      ttir_place (x, op, cells, &cell);
      if (cell.kind == CELL_TILE)
        cell.end = op->code == TS_OP_TENSOR_INSERT_SLICE ? (cell.begin = 0, whole_bytes (type)) : cell.end;
      else if (!ts_type_is_scalar (type))
        cell.producer = latest_producer (op, cells);
      cell.whole = cell.kind == CELL_TENSOR && cell.placed != PLACE_KNOWN;
    }
  exec_set (x, op->results[0], &cell);
}

/* The buffer of a tensor that is filled slice by slice. */
static gint32
packed_buffer (Exec *x, const TsValue *whole)
{
  gpointer key = GINT_TO_POINTER (whole->id + 1);
  gint32 buffer = GPOINTER_TO_INT (g_hash_table_lookup (x->buffer_of, key)) - 1;

  if (buffer < 0)
    {
      buffer = exec_private_buffer (x, TS_SPACE_NONE, NULL, whole->hint, whole->def->id, -1);
      g_hash_table_insert (x->buffer_of, key, GINT_TO_POINTER (buffer + 1));
    }
  return buffer;
}

static Cell
fresh_result (Exec *x, Node *node, guint i)
{
  const TsOp *op = node->op;
  const TsValue *whole;
  Cell cell = { .kind = CELL_TILE, .producer = -1, .channel = -1 };
  gint32 *buffer = &node->buffer;

  if (exec_ttir_packed (x, op->results[i], &whole, &cell.begin, &cell.end))
    {
      cell.ref = packed_buffer (x, whole);
      return cell;
    }
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
  cell.begin = 0;
  cell.end = whole_bytes (op->results[i]->type);
  return cell;
}

/* A tensor that is data has bytes of its own; an address has a place; everything else is a scalar. */
static Cell
issued_result (Exec *x, Node *node, const Cell *cells, guint i)
{
  const TsOp *op = node->op;
  const TsType *type = op->results[i]->type;
  Cell cell = { .kind = CELL_SCALAR, .producer = -1, .channel = -1 };

  if (ts_type_is (type, TS_TYPE_RANKED) && node->pipe != TS_PIPE_S)
    cell = fresh_result (x, node, i);
  else if (ts_type_is (type, TS_TYPE_RANKED) || (ttir_is_pointer (type) && node->pipe == TS_PIPE_S))
    {
      cell.kind = CELL_OTHER;
      if (ttir_is_pointer (type))
        pointer_result (op, cells, &cell);
    }
  else if (i == 0)
    scalar_value (x, op, cells, &cell);
  if (op->n_results == 1 && cell.kind != CELL_SCALAR && (node->info->flags & TS_OPF_READS) == 0)
    {
      cell.offset = op->n_operands > 0 ? cells[0].offset : 0;
      ttir_place (x, op, cells, &cell);
      cell.whole = cell.kind == CELL_TENSOR && cell.placed != PLACE_KNOWN;
    }
  return cell;
}

static Flow
issue (Exec *x, Node *node, const Cell *cells)
{
  const TsOp *op = node->op;
  guint n_results = MIN (op->n_results, MAX_RESULTS), flags = node->info->flags;
  Cell results[MAX_RESULTS];

  for (guint i = 0; i < op->n_operands && i < TS_MAX_TTIR_OPERANDS; i++)
    exec_add_access (x, &cells[i], TS_ACCESS_READ);
  for (guint i = 0; i < n_results; i++)
    {
      results[i] = issued_result (x, node, cells, i);
      exec_add_access (x, &results[i], TS_ACCESS_WRITE);
    }
  if (!exec_emit (x, node, exec_cost (x, node)))
    return FLOW_STOP;
  if (op->n_operands > 0 && (flags & (TS_OPF_READS | TS_OPF_WRITES)) != 0)
    ttir_add_window (x, op, &cells[0],
                     ((flags & TS_OPF_READS) != 0 ? TS_ACCESS_READ : 0u) | ((flags & TS_OPF_WRITES) != 0 ? TS_ACCESS_WRITE : 0u));
  for (guint i = 0; i < n_results; i++)
    {
      gint32 maker = (gint32) ts_stream_builder_length (x->builder) - 1;
      if (results[i].kind == CELL_TILE)
        results[i].maker = (guint32) maker + 1;
      else /* a scalar, or an address that was computed */
        results[i].producer = maker;
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
  if (node->pipe != TS_PIPE_NONE)
    return issue (x, node, cells);
  if (op->n_results > 0)
    bind_result (x, op, cells);
  return FLOW_NEXT;
}
