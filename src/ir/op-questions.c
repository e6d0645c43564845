/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions about one operation in its context: pipe, category, memory of the result. Source: spec ops.md 1, passes-memory 3
 * and 5.4, simulator.md 1. */
#include "ir/op-info.h"

#include <string.h>

/* --- routes between spaces --------------------------------------------------------------------------------------------------- */

typedef struct
{
  guint8   from, to;
  guint8   pipe;
  gboolean a5_only;
} TransferEdge;

/* The edges of both memory graphs. Without a backend every edge counts, so that nothing a machine might do is refused. */
static const TransferEdge transfer_edges[] = {
  { TS_SPACE_DDR, TS_SPACE_VEC, TS_PIPE_MTE2, FALSE },
  { TS_SPACE_DDR, TS_SPACE_MAT, TS_PIPE_MTE2, FALSE },
  { TS_SPACE_VEC, TS_SPACE_DDR, TS_PIPE_MTE3, FALSE },
  { TS_SPACE_VEC, TS_SPACE_MAT, TS_PIPE_MTE3, TRUE },
  { TS_SPACE_MAT, TS_SPACE_LEFT, TS_PIPE_MTE1, FALSE },
  { TS_SPACE_MAT, TS_SPACE_RIGHT, TS_PIPE_MTE1, FALSE },
  { TS_SPACE_MAT, TS_SPACE_BIAS, TS_PIPE_MTE1, FALSE },
  { TS_SPACE_MAT, TS_SPACE_LEFT_SCALE, TS_PIPE_MTE1, TRUE },
  { TS_SPACE_MAT, TS_SPACE_RIGHT_SCALE, TS_PIPE_MTE1, TRUE },
  { TS_SPACE_ACC, TS_SPACE_DDR, TS_PIPE_FIX, FALSE },
  { TS_SPACE_ACC, TS_SPACE_VEC, TS_PIPE_FIX, TRUE },
  { TS_SPACE_ACC, TS_SPACE_MAT, TS_PIPE_FIX, FALSE },
};

TsPipe
ts_transfer_pipe (TsSpace from, TsSpace to, TsBackend backend)
{
  for (guint i = 0; i < G_N_ELEMENTS (transfer_edges); i++)
    {
      const TransferEdge *edge = &transfer_edges[i];
      if (edge->from == from && edge->to == to)
        return edge->a5_only && backend == TS_BACKEND_A2A3 ? TS_PIPE_NONE : (TsPipe) edge->pipe;
    }
  return TS_PIPE_NONE;
}

/* --- where the operands and the result of an operation live ------------------------------------------------------------------ */

static const TsType *
operand_type (const TsExpr *e)
{
  const TsType *type;
  if (e == NULL)
    return NULL;
  if (e->kind == TS_EXPR_VALUE)
    return e->value->type;
  if (e->kind != TS_EXPR_GET)
    return NULL;
  type = e->items[0]->kind == TS_EXPR_VALUE ? e->items[0]->value->type : NULL;
  return ts_type_is (type, TS_TYPE_TUPLE) && e->n < type->n_elems ? type->elems[e->n] : NULL;
}

typedef struct
{
  guint    spaces;     /* bit of each space some operand lives in */
  guint    n_tiles;    /* operands that are tiles */
  gboolean outside_vec; /* some tile operand is not in Vec */
  gboolean unplaced;   /* some tile operand has no space yet */
} Operands;

/* A nested call has no result with a type yet; what kind of operation it is says enough. */
static void
survey_call (Operands *o, const TsOp *call)
{
  const TsOpInfo *info = ts_op_info (call->code);
  const gboolean unknown = info->dialect == TS_DIALECT_UNKNOWN && call->name != NULL && g_str_has_prefix (call->name, "tile.");
  if ((info->dialect != TS_DIALECT_TILE && !unknown) || info->result == TS_RESULT_INDEX || info->result == TS_RESULT_ELEMENT)
    return;
  const TsSpace space = !unknown && (info->flags & TS_OPF_SPACE_INHERIT) == 0 ? ts_op_result_space (call) : TS_SPACE_NONE;
  if (space != TS_SPACE_NONE)
    o->spaces |= 1u << space;
  if (space == TS_SPACE_DDR)
    return;
  o->n_tiles++;
  o->outside_vec |= space != TS_SPACE_VEC;
  o->unplaced |= space == TS_SPACE_NONE;
}

static Operands
survey_operands (const TsOp *op)
{
  Operands o = { 0 };
  for (guint i = 0; i < op->n_operands; i++)
    {
      if (op->operands[i] != NULL && op->operands[i]->kind == TS_EXPR_CALL)
        survey_call (&o, op->operands[i]->call);
      const TsType *type = operand_type (op->operands[i]);
      if (ts_type_is_tensor (type))
        o.spaces |= 1u << TS_SPACE_DDR;
      if (!ts_type_is_tile (type))
        continue;
      o.n_tiles++;
      o.outside_vec |= type->space != TS_SPACE_VEC;
      o.unplaced |= type->space == TS_SPACE_NONE;
      if (type->space != TS_SPACE_NONE)
        o.spaces |= 1u << type->space;
    }
  return o;
}

TsSpace
ts_op_result_space (const TsOp *op)
{
  const TsOpInfo *info = ts_op_info (op->code);
  const TsExpr   *target;
  const char     *member;
  if ((info->flags & TS_OPF_SPACE_KEYWORD) == 0)
    return info->out_space;
  target = ts_op_keyword (op, "target_memory");
  if (target == NULL)
    return info->out_space;
  /* pl.Mem.Vec, and pl.MemorySpace.Vec as users may write it */
  member = target->kind == TS_EXPR_ENUM ? strchr (target->text, '.') : NULL;
  return member != NULL ? ts_space_from_name (member + 1, -1) : TS_SPACE_NONE;
}

/* The space the result is in by its type, or by the operation while types carry none. */
static TsSpace
actual_result_space (const TsOp *op)
{
  const TsType *type = ts_op_result_type (op, 0);
  if (ts_type_is_tensor (type))
    return TS_SPACE_DDR;
  if (ts_type_is_tile (type) && type->space != TS_SPACE_NONE)
    return type->space;
  return ts_op_result_space (op);
}

/* --- pipes ------------------------------------------------------------------------------------------------------------------- */

static TsPipe
answer (TsPipe pipe, gboolean is_known, gboolean *known)
{
  if (known != NULL)
    *known = is_known;
  return pipe;
}

/* simulator.md 1, for snapshots whose tiles have no spaces yet. */
static TsPipe
unplaced_pipe (const TsOpInfo *info)
{
  if (info->category == TS_CATEGORY_LOAD)
    return TS_PIPE_MTE2;
  if (info->category == TS_CATEGORY_STORE && info->out_space == TS_SPACE_DDR)
    return TS_PIPE_MTE3;
  return info->cost == TS_COST_MATMUL ? TS_PIPE_M : TS_PIPE_V;
}

/* Rule 2 of ops.md 1. A pair without a route has no pipe, which is no knowledge. */
static TsPipe
move_pipe (const Operands *o, TsSpace to, TsBackend backend, gboolean *known)
{
  const TsSpace from = o->spaces != 0 ? (TsSpace) g_bit_nth_lsf (o->spaces, -1) : TS_SPACE_NONE;
  TsPipe        pipe;
  if (from == to && to != TS_SPACE_DDR)
    return answer (TS_PIPE_V, TRUE, known);
  pipe = ts_transfer_pipe (from, to, backend);
  return answer (pipe, pipe != TS_PIPE_NONE, known);
}

/* Rule 4: the result is on chip. FALSE: it does not say. */
static gboolean
on_chip_pipe (const Operands *o, TsSpace to, TsBackend backend, TsPipe *pipe)
{
  const guint vec_like = 1u << TS_SPACE_VEC | 1u << TS_SPACE_SCALAR_LOCAL;
  const guint differing = o->spaces & ~(1u << to);
  guint       l0 = 0;
  for (guint space = 0; space < TS_N_SPACES; space++)
    if (ts_space_is_l0 (space))
      l0 |= 1u << space;

  if ((o->spaces & 1u << TS_SPACE_DDR) != 0)
    *pipe = ts_transfer_pipe (TS_SPACE_DDR, to, backend);
  else if (differing != 0 && (differing & (differing - 1)) == 0)
    *pipe = ts_transfer_pipe (g_bit_nth_lsf (differing, -1), to, backend);
  else
    *pipe = TS_PIPE_NONE;
  if (*pipe == TS_PIPE_NONE && to == TS_SPACE_VEC && (o->spaces & ~vec_like) == 0)
    *pipe = TS_PIPE_V;
  if (*pipe == TS_PIPE_NONE && ts_space_is_l0 (to) && o->spaces != 0 && (o->spaces & ~l0) == 0)
    *pipe = TS_PIPE_M;
  return *pipe != TS_PIPE_NONE;
}

/* Rule 5: the result is in global memory, one local input space. */
static gboolean
to_global_pipe (const Operands *o, TsBackend backend, TsPipe *pipe)
{
  const guint local = o->spaces & ~(1u << TS_SPACE_DDR);
  if (local == 0 || (local & (local - 1)) != 0)
    return FALSE;
  *pipe = ts_transfer_pipe (g_bit_nth_lsf (local, -1), TS_SPACE_DDR, backend);
  return *pipe != TS_PIPE_NONE;
}

static TsPipe
tile_pipe (const TsOp *op, const TsOpInfo *info, TsBackend backend, gboolean *known)
{
  const Operands o = survey_operands (op);
  const TsType  *type = ts_op_result_type (op, 0);
  const TsSpace  to = actual_result_space (op);
  TsPipe         pipe;

  /* A scalar read from a tile is work of the scalar unit (simulator.md 1), though the compiler's own table does not know it. */
  if (ts_type_is_scalar (type))
    return answer (TS_PIPE_S, FALSE, known);
  if (o.unplaced || (ts_type_is_tile (type) && type->space == TS_SPACE_NONE))
    return answer (unplaced_pipe (info), TRUE, known);
  if (op->code == TS_OP_TILE_MOVE)
    return move_pipe (&o, to, backend, known);
  if (to == TS_SPACE_SCALAR_LOCAL)
    return answer (TS_PIPE_S, TRUE, known);
  if (to == TS_SPACE_DDR ? to_global_pipe (&o, backend, &pipe)
                         : to != TS_SPACE_NONE && on_chip_pipe (&o, to, backend, &pipe))
    return answer (pipe, TRUE, known);
  return answer (o.n_tiles > 0 && !o.outside_vec ? TS_PIPE_V : TS_PIPE_S, FALSE, known);
}

/* Triton IR: tensors of pointers only describe the access of the load or store that uses them. */
static TsPipe
ttir_pipe (const TsOp *op, const TsOpInfo *info, gboolean *known)
{
  const TsType *type = ts_op_result_type (op, 0);
  if (info->category == TS_CATEGORY_LOAD)
    return answer (TS_PIPE_MTE2, TRUE, known);
  if (info->category == TS_CATEGORY_STORE || info->cost == TS_COST_TRANSFER) /* atomic ones add on the way out */
    return answer (TS_PIPE_MTE3, TRUE, known);
  if (info->cost == TS_COST_MATMUL)
    return answer (TS_PIPE_M, TRUE, known);
  if (ts_type_is (type, TS_TYPE_RANKED))
    {
      const gboolean pointers = ts_type_is (type->elems[0], TS_TYPE_POINTER);
      return answer (pointers ? TS_PIPE_NONE : TS_PIPE_V, TRUE, known);
    }
  /* A reduction of a whole tensor to a scalar. */
  const TsValue *first = op->n_operands > 0 ? ts_expr_as_value (op->operands[0]) : NULL;
  if (type != NULL && first != NULL && ts_type_is (first->type, TS_TYPE_RANKED) && (info->flags & TS_OPF_REGION_OP) != 0)
    return answer (TS_PIPE_V, TRUE, known);
  return answer (type != NULL ? TS_PIPE_S : TS_PIPE_NONE, TRUE, known);
}

static TsPipe
structural_pipe (const TsOp *op)
{
  if (op->code != TS_OP_ASSIGN || op->n_operands == 0)
    return TS_PIPE_NONE;
  return ts_type_is_scalar (ts_op_result_type (op, 0)) ? TS_PIPE_S : TS_PIPE_NONE;
}

TsPipe
ts_op_pipe (const TsOp *op, TsBackend backend, gboolean *known)
{
  const TsOpInfo *info = ts_op_info (op->code);

  if ((info->flags & TS_OPF_NO_PIPE) != 0)
    return answer (TS_PIPE_NONE, TRUE, known);
  switch ((TsDialect) info->dialect)
    {
    case TS_DIALECT_STRUCTURAL:
      return answer (structural_pipe (op), TRUE, known);
    case TS_DIALECT_TTIR:
      return ttir_pipe (op, info, known);
    case TS_DIALECT_TILE:
      return tile_pipe (op, info, backend, known);
    case TS_DIALECT_UNKNOWN:
      return answer (tile_pipe (op, info, backend, NULL), FALSE, known);
    case TS_DIALECT_TENSOR:
      /* Tensor code has no units before it is tiled; only scalar accesses to global memory remain in tiled kernels. */
      return answer (info->cost == TS_COST_SCALAR ? TS_PIPE_S : TS_PIPE_NONE, info->cost == TS_COST_SCALAR, known);
    case TS_DIALECT_PLD:
      if (info->cost == TS_COST_TRANSFER)
        return tile_pipe (op, info, backend, known);
      G_GNUC_FALLTHROUGH;
    case TS_DIALECT_SYSTEM:
    case TS_DIALECT_ARRAY:
    default:
      return answer (TS_PIPE_S, TRUE, known);
    }
}

/* --- category and memory of the result --------------------------------------------------------------------------------------- */

static gboolean
is_l0_extract (const TsOp *op)
{
  const TsType *source = op->n_operands > 0 ? operand_type (op->operands[0]) : NULL;
  const TsSpace to = ts_op_result_space (op);
  return ts_type_is_tile (source) && source->space == TS_SPACE_MAT && (to == TS_SPACE_LEFT || to == TS_SPACE_RIGHT);
}

TsCategory
ts_op_category (const TsOp *op)
{
  const TsOpInfo *info = ts_op_info (op->code);
  const gboolean  is_assignment = info->dialect != TS_DIALECT_STRUCTURAL || op->code == TS_OP_ASSIGN || op->code == TS_OP_CALL;
  if (info->category == TS_CATEGORY_EXTRACT)
    return is_l0_extract (op) ? TS_CATEGORY_LOAD : TS_CATEGORY_COMPUTE;
  if (info->category != TS_CATEGORY_COMPUTE)
    return info->category;
  return is_assignment && ts_type_is_scalar (ts_op_result_type (op, 0)) ? TS_CATEGORY_SCALAR : TS_CATEGORY_COMPUTE;
}

/* cast writes elements in order; a wider output would run over input not read yet. */
static gboolean
widens (const TsOp *op)
{
  const TsType *from = op->n_operands > 0 ? operand_type (op->operands[0]) : NULL;
  const TsType *to = ts_op_result_type (op, 0);
  return from != NULL && to != NULL && ts_dtype_bits (to->dtype) > ts_dtype_bits (from->dtype);
}

gboolean
ts_op_forbids_alias (const TsOp *op, guint arg, TsBackend backend)
{
  const TsOpInfo *info = ts_op_info (op->code);
  if (op->code == TS_OP_TILE_PRELU && backend == TS_BACKEND_A5)
    return arg < 2;
  if (op->code == TS_OP_TILE_CAST && arg == 0)
    return widens (op);
  return (info->flags & TS_OPF_NOT_IN_PLACE) != 0 || (arg < 8 && (info->no_alias >> arg & 1) != 0);
}

guint
ts_op_written_arguments (const TsOp *op)
{
  const TsOpInfo *info = ts_op_info (op->code);
  guint mask = info->writes;
  if (info->buffer == TS_BUFFER_REUSES)
    mask |= 1u << info->reuse_arg;
  if (info->category == TS_CATEGORY_ASSEMBLE || (info->flags & TS_OPF_WRITES_ARG0) != 0)
    mask |= 1u;
  return mask;
}

gint
ts_op_shared_argument (const TsOp *op)
{
  const TsOpInfo *info = ts_op_info (op->code);
  if (op->code == TS_OP_ASSIGN)
    return op->n_operands > 0 && op->operands[0]->kind == TS_EXPR_VALUE ? 0 : -1;
  if (info->buffer == TS_BUFFER_VIEW)
    return 0;
  return info->buffer == TS_BUFFER_REUSES ? info->reuse_arg : -1;
}
