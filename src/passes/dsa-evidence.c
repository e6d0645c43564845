/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the accesses of every buffer off the operations. */
#include "passes/dsa-evidence.h"

#include "passes/allocations.h"

typedef struct
{
  const TsLifetimes *life;
  TsBackend          backend;
  TsPipeEvidence    *evidence;
  guint8            *seen, *poisoned; /* per interval */
  guint32            n_paths, path;
  guint32            position;
  gboolean           in_loop;
} Gather;

/* The variable covers its whole allocation, and all of it is valid. */
static gboolean
is_whole (const Gather *g, const TsValue *value, guint32 interval)
{
  const TsType *type = value->type;
  gint64 offset;
  if (!ts_expr_as_int (type->memref->offset, &offset) || offset != 0 || type->memref->size != g->life->intervals[interval].size
      || type->memref->slots > 1)
    return FALSE;
  for (guint i = 0; type->view != NULL && type->view->valid_shape != NULL && i < type->rank; i++)
    if (i >= type->view->n_valid || !ts_expr_equal (type->view->valid_shape[i], type->dims[i]))
      return FALSE;
  return TRUE;
}

static void
access_value (Gather *g, const TsValue *value, gboolean write, TsPipe pipe, gboolean known)
{
  guint32 i = ts_tile_interval (g->life, value);
  if (i == TS_LIFE_NONE)
    return;
  TsPipeEvidence *e = &g->evidence[i];
  if (!known || pipe >= TS_N_PIPES || !is_whole (g, value, i) || (g->seen[i] ? e->path != g->path : !write))
    g->poisoned[i] = TRUE;
  if (!g->seen[i])
    {
      g->seen[i] = TRUE;
      e->path = g->path;
      e->in_loop = g->in_loop;
      e->first_pipe = pipe;
    }
  if (pipe < TS_N_PIPES)
    e->pipes |= 1u << pipe;
}

static gboolean
same_shape (const TsType *a, const TsType *b)
{
  if (a->rank != b->rank)
    return FALSE;
  for (guint i = 0; i < a->rank; i++)
    if (!ts_expr_equal (a->dims[i], b->dims[i]))
      return FALSE;
  return TRUE;
}

/* Operations whose evidence is unknown in general but plain in their simplest form. */
static gboolean
is_promoted (const Gather *g, const TsOp *op)
{
  if (op->code == TS_OP_TILE_STORE)
    {
      const TsValue *tile = op->n_operands == 3 ? ts_expr_as_value (op->operands[0]) : NULL;
      guint32 i = ts_tile_interval (g->life, tile);
      return i != TS_LIFE_NONE && is_whole (g, tile, i);
    }
  if (op->code != TS_OP_TILE_ASSEMBLE || op->n_operands < 3 || op->operands[2]->kind != TS_EXPR_LIST)
    return FALSE;
  const TsValue *target = ts_expr_as_value (op->operands[0]), *source = ts_expr_as_value (op->operands[1]);
  for (guint i = 0; i < op->operands[2]->n; i++)
    {
      gint64 at;
      if (!ts_expr_as_int (op->operands[2]->list[i], &at) || at != 0)
        return FALSE;
    }
  return target != NULL && source != NULL && ts_type_is_tile (target->type) && ts_type_is_tile (source->type)
         && same_shape (target->type, source->type);
}

static void
gather_op (Gather *g, const TsOp *op)
{
  const TsOpInfo *info = ts_op_info (op->code);
  if ((info->flags & TS_OPF_NO_PIPE) != 0 || info->dialect == TS_DIALECT_STRUCTURAL)
    {
      if (op->code != TS_OP_CALL && op->code != TS_OP_SUBMIT && op->code != TS_OP_SPMD_SUBMIT && op->code != TS_OP_TEXT)
        return; /* copies, yields and views touch nothing */
    }
  gboolean known_pipe = FALSE;
  TsPipe pipe = ts_op_pipe (op, g->backend, &known_pipe);
  gboolean known = known_pipe && ((info->flags & TS_OPF_UNKNOWN_EVIDENCE) == 0 || is_promoted (g, op))
                   && info->dialect != TS_DIALECT_UNKNOWN;
  for (guint i = 0; i < op->n_operands; i++)
    access_value (g, ts_expr_as_value (op->operands[i]), FALSE, pipe, known);
  for (guint i = 0; i < op->n_results; i++)
    access_value (g, op->results[i], TRUE, pipe, known);
}

/* Positions as ts_lifetimes_new() hands them out. */
static void
gather_block (Gather *g, const TsBlock *block)
{
  guint32 path = g->path;
  gboolean in_loop = g->in_loop;
  for (TsOp *op = block->first; op != NULL; op = op->next)
    {
      if (g->position < g->life->n_positions && g->life->ops[g->position] == op)
        {
          gather_op (g, op);
          g->position++;
          continue;
        }
      for (guint r = 0; r < op->n_regions; r++)
        {
          if (op->code != TS_OP_SCOPE)
            g->path = ++g->n_paths;
          g->in_loop = in_loop || op->code == TS_OP_FOR || op->code == TS_OP_WHILE;
          gather_block (g, ts_op_body (op, r));
          g->path = path;
          g->in_loop = in_loop;
        }
    }
}

TsPipeEvidence *
ts_pipe_evidence_new (const TsPassContext *context, const TsFunction *function, const TsLifetimes *life)
{
  Gather g = { .life = life, .backend = ts_machine_backend (context->machine) };
  g.evidence = g_new0 (TsPipeEvidence, (gsize) life->n_intervals + 1);
  g.seen = g_new0 (guint8, (gsize) life->n_intervals + 1);
  g.poisoned = g_new0 (guint8, (gsize) life->n_intervals + 1);
  gather_block (&g, ts_function_block (function));
  for (guint32 i = 0; i < life->n_intervals; i++)
    g.evidence[i].usable = g.seen[i] && !g.poisoned[i];
  g_free (g.seen);
  g_free (g.poisoned);
  return g.evidence;
}

/* Lives that do not meet settle all orders in time: every access of the earlier one comes before every access of the later one, but
 * for the operation that reads the former for the last time and writes the latter, and that is on one pipe. */
gboolean
ts_pipe_evidence_penalises (const TsPipeEvidence *a, const TsPipeEvidence *b)
{
  if (!a->usable || !b->usable || a->path != b->path)
    return FALSE;
  /* Around the loop it is the other way: the next iteration's earlier one waits for the later one's last access. */
  return (a->pipes & ~(1u << b->first_pipe)) != 0 || (a->in_loop && (b->pipes & ~(1u << a->first_pipe)) != 0);
}
