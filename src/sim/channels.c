/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations that synchronise: pushes and pops between the cores of a group, flags and barriers within a core. */
#include "sim/execute-private.h"

#include <string.h>

gboolean
exec_is_channel_op (const TsOp *op)
{
  const TsOpInfo *info = ts_op_info (op->code);

  return (info->flags & (TS_OPF_PUSH | TS_OPF_POP)) != 0 || exec_sync (op) != TS_SYNC_NONE;
}

TsSync
exec_sync (const TsOp *op)
{
  switch (op->code)
    {
    case TS_OP_SYSTEM_SYNC_SRC:
      return TS_SYNC_SET;
    case TS_OP_SYSTEM_SYNC_DST:
      return TS_SYNC_WAIT;
    case TS_OP_SYSTEM_BAR_V:
    case TS_OP_SYSTEM_BAR_M:
    case TS_OP_SYSTEM_BAR_ALL:
    case TS_OP_SYSTEM_SYNCALL:
      return TS_SYNC_BARRIER;
    default:
      return TS_SYNC_NONE;
    }
}

/* --- FIFOs -------------------------------------------------------------------------------------------------------------- */

static gint64
keyword_int (Exec *x, const TsOp *op, const char *key, gint64 fallback)
{
  gint64 value = fallback;
  const TsExpr *e = ts_op_keyword (op, key);

  if (e != NULL)
    exec_int (x, e, &value);
  return value;
}

/* Which cores of a group push and pop, as bits. Core 0 is the cube core. */
static guint
side_mask (const Exec *x, gboolean vector)
{
  return x->alone ? 0 : vector ? 6u : 1u;
}

static Fifo *
find_fifo (Exec *x, gboolean to_vector, gint64 id)
{
  for (guint i = 0; i < x->fifos->len; i++)
    {
      Fifo *fifo = &g_array_index (x->fifos, Fifo, i);
      if (fifo->id == id && fifo->to_vector == to_vector)
        return fifo;
    }
  if (x->fifos->len >= TS_MAX_CHANNELS)
    {
      exec_note (x, "channels", TS_SEVERITY_WARNING, "too-many-channels", NULL,
                 "more than %u FIFOs: the further ones are taken for the last", TS_MAX_CHANNELS);
      return &g_array_index (x->fifos, Fifo, x->fifos->len - 1);
    }
  Fifo fresh = { .id = id, .to_vector = to_vector };
  TsChannel channel = { .name = to_vector ? "cube to vector" : "vector to cube", .is_fifo = TRUE,
                        .producers = side_mask (x, !to_vector), .consumers = side_mask (x, to_vector) };
  fresh.channel = ts_stream_builder_add_channel (x->builder, &channel);
  for (guint k = 0; k < TS_MAX_CORES; k++)
    fresh.ring[k] = -1;
  g_array_append_val (x->fifos, fresh);
  return &g_array_index (x->fifos, Fifo, x->fifos->len - 1);
}

/* The two sides have to lay out a FIFO the same way: else one writes where the other does not look. */
static void
note_mismatch (Exec *x, const TsOp *op, const TsValue *value, const char *what, gint64 here, gint64 there)
{
  if (here > 0 && there > 0 && here != there)
    exec_note (x, ts_op_keyword (op, what), TS_SEVERITY_WARNING, "fifo-layout", op,
               "%s of %s is %" G_GINT64_FORMAT " here and %" G_GINT64_FORMAT " on the other side: the larger is taken", what,
               value != NULL ? value->hint : "this FIFO", here, there);
}

/* {aic,aiv}_initialize_pipe: both sides say the same; dir_mask bit 0 is cube to vector, bit 1 back. */
void
exec_open_pipe (Exec *x, const TsOp *op)
{
  gint64 mask = keyword_int (x, op, "dir_mask", 3), slots = keyword_int (x, op, "slot_num", 0);
  gint64 size = keyword_int (x, op, "slot_size", 0), id = keyword_int (x, op, "id", 0);

  if (ts_op_keyword (op, "slot_num") != NULL && slots <= 0 && keyword_int (x, op, "slot_num", 1) <= 0)
    exec_note (x, op, TS_SEVERITY_ERROR, "slot-count", op,
               "slot_num is %" G_GINT64_FORMAT ": a FIFO has one slot at least, nothing could ever be pushed", slots);
  if (size < 0)
    exec_note (x, ts_op_keyword (op, "slot_size"), TS_SEVERITY_ERROR, "slot-size", op,
               "slot_size is %" G_GINT64_FORMAT ": a slot holds no fewer than 0 bytes", size);
  for (guint side = 0; side < 2; side++)
    if ((mask >> side & 1) != 0)
      {
        Fifo *fifo = find_fifo (x, side == 0, id);
        TsValue *value = op->n_operands > side ? ts_expr_as_value (op->operands[side]) : NULL;
        TsChannel *channel = ts_stream_builder_channel (x->builder, fifo->channel);
        gint64 bytes;
        if (value != NULL)
          channel->name = value->hint;
        if (slots <= 0 && size > 0 && value != NULL && value->def != NULL && ts_op_keyword (value->def, "size") != NULL
            && (bytes = keyword_int (x, value->def, "size", 0)) > 0)
          slots = bytes / size;
        note_mismatch (x, op, value, "slot_num", slots, fifo->slots);
        note_mismatch (x, op, value, "slot_size", size, fifo->slot_size);
        fifo->slots = MAX (slots, fifo->slots);
        fifo->slot_size = MAX (size, fifo->slot_size);
        channel->slots = fifo->slots;
      }
}

static Flow
push (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  Fifo *fifo = find_fifo (x, op->code == TS_OP_TILE_TPUSH_TO_AIV, keyword_int (x, op, "id", 0));
  TsSignal signal = { .kind = TS_SIGNAL_PUSH, .channel = fifo->channel, .accesses = -1 };
  Cell tile = op->n_operands > 0 ? exec_operand (x, op->operands[0]) : (Cell) { .kind = CELL_NONE };

  exec_add_access (x, &tile, TS_ACCESS_READ);
  if (!exec_emit (x, node, exec_cost (x, node)))
    return FLOW_STOP;
  signal.site = node->site;
  ts_stream_builder_signal (x->builder, &signal);
  return FLOW_NEXT;
}

/* What is popped lies in the FIFO's own slots; they come round in turn. */
static Cell
popped_tile (Exec *x, Node *node, Fifo *fifo)
{
  const TsOp *op = node->op;
  const TsType *type = op->results[0]->type;
  gint64 slot = fifo->slots > 0 ? fifo->popped[x->core] % fifo->slots : 0;
  const char *name = ts_stream_builder_channel (x->builder, fifo->channel)->name;

  if (!ts_type_is_tile (type))
    return (Cell) { .kind = CELL_OTHER, .producer = -1, .channel = fifo->channel };
  if (fifo->slots <= 0 || fifo->slot_size <= 0)
    {
      Cell cell = exec_fresh_tile (x, type, op, op->results[0]->hint, &node->buffer);
      cell.channel = fifo->channel;
      return cell;
    }
  if (fifo->ring[x->core] < 0)
    {
      TsBuffer ring = { .base = name,
                        .label = name,
                        .space = type->space,
                        .core = (guint8) x->core,
                        .is_ring = TRUE,
                        .statement = -1,
                        .address = -1 };
      fifo->ring[x->core] = ts_stream_builder_add_buffer (x->builder, &ring);
    }
  gint64 begin = slot * fifo->slot_size, bytes = exec_tile_bytes (x, type, FALSE);
  return (Cell) { .kind = CELL_TILE, .ref = fifo->ring[x->core], .producer = -1, .channel = fifo->channel, .begin = begin,
                  .end = begin + CLAMP (bytes, 1, fifo->slot_size) };
}

static Flow
pop (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  Fifo *fifo = find_fifo (x, op->code == TS_OP_TILE_TPOP_FROM_AIC, keyword_int (x, op, "id", 0));
  TsSignal signal = { .kind = TS_SIGNAL_POP, .channel = fifo->channel, .accesses = -1 };
  Cell tile = { .kind = CELL_NONE };

  if (op->n_results > 0)
    tile = popped_tile (x, node, fifo);
  exec_add_access (x, &tile, TS_ACCESS_WRITE);
  if (!exec_emit (x, node, exec_cost (x, node)))
    return FLOW_STOP;
  fifo->popped[x->core]++;
  x->popped++;
  signal.site = node->site;
  ts_stream_builder_signal (x->builder, &signal);
  if (op->n_results > 0)
    exec_set (x, op->results[0], &tile);
  return FLOW_NEXT;
}

/* tfree costs nothing: the slot is free when everything that used it before has ended. */
void
exec_release (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  Fifo *fifo = find_fifo (x, op->code == TS_OP_SYSTEM_TFREE_TO_AIC, keyword_int (x, op, "id", 0));
  Cell tile = op->n_operands > 0 ? exec_operand (x, op->operands[0]) : (Cell) { .kind = CELL_NONE };
  TsSignal signal = { .kind = TS_SIGNAL_RELEASE, .channel = fifo->channel, .accesses = -1 };

  node->pipe = TS_PIPE_S; /* of a site that never becomes an instruction */
  g_array_set_size (x->accesses, 0);
  exec_add_access (x, &tile, TS_ACCESS_READ);
  signal.accesses = ts_stream_builder_access_list (x->builder, (const TsAccess *) (gpointer) x->accesses->data, x->accesses->len);
  signal.site = exec_site (x, node);
  ts_stream_builder_signal (x->builder, &signal);
  ts_stream_builder_channel (x->builder, fifo->channel)->releases = TRUE;
}

/* --- flags and barriers ------------------------------------------------------------------------------------------------- */

static TsPipe
keyword_pipe (const TsOp *op, const char *key, TsPipe fallback)
{
  const TsExpr *e = ts_op_keyword (op, key);
  const char *text
      = e != NULL && (e->kind == TS_EXPR_ENUM || e->kind == TS_EXPR_STRING || e->kind == TS_EXPR_TEXT) ? e->text : NULL;
  const char *dot = text != NULL ? strrchr (text, '.') : NULL;
  TsPipe pipe;

  return text != NULL && ts_pipe_from_name (dot != NULL ? dot + 1 : text, &pipe) ? pipe : fallback;
}

static gint32
flag_channel (Exec *x, const TsOp *op)
{
  TsPipe from = keyword_pipe (op, "set_pipe", TS_PIPE_S), to = keyword_pipe (op, "wait_pipe", TS_PIPE_S);
  g_autofree char *name = g_strdup_printf ("flag %" G_GINT64_FORMAT " %s to %s", keyword_int (x, op, "event_id", 0),
                                           ts_pipe_name (from), ts_pipe_name (to));
  const char *interned = ts_intern (x->module->strings, name);
  guint n = x->flags->len;

  for (guint i = 0; i < n; i++)
    if (g_array_index (x->flags, Flag, i).name == interned && g_array_index (x->flags, Flag, i).core == x->core)
      return g_array_index (x->flags, Flag, i).channel;
  if (n >= TS_MAX_CHANNELS * TS_MAX_CORES)
    {
      exec_note (x, "flags", TS_SEVERITY_WARNING, "too-many-channels", op,
                 "more than %u flags: the further ones are taken for the last", TS_MAX_CHANNELS * TS_MAX_CORES);
      return g_array_index (x->flags, Flag, n - 1).channel;
    }
  TsChannel channel = { .name = interned, .producers = 1u << x->core, .consumers = 1u << x->core };
  Flag flag = { .name = interned, .core = x->core, .channel = ts_stream_builder_add_channel (x->builder, &channel) };
  g_array_append_val (x->flags, flag);
  return flag.channel;
}

static Flow
synchronise (Exec *x, Node *node)
{
  const TsOp *op = node->op;
  TsSignal signal = { .channel = -1, .accesses = -1 };

  switch (op->code)
    {
    case TS_OP_SYSTEM_SYNC_SRC:
      node->pipe = (guint8) keyword_pipe (op, "set_pipe", TS_PIPE_S);
      signal.kind = TS_SIGNAL_SET;
      signal.channel = flag_channel (x, op);
      break;
    case TS_OP_SYSTEM_SYNC_DST:
      node->pipe = (guint8) keyword_pipe (op, "wait_pipe", TS_PIPE_S);
      signal.kind = TS_SIGNAL_WAIT;
      signal.channel = flag_channel (x, op);
      break;
    case TS_OP_SYSTEM_BAR_V:
    case TS_OP_SYSTEM_BAR_M:
      node->pipe = op->code == TS_OP_SYSTEM_BAR_V ? TS_PIPE_V : TS_PIPE_M;
      signal.kind = TS_SIGNAL_BARRIER;
      signal.mask = 1u << node->pipe;
      break;
    default:
      signal.kind = TS_SIGNAL_BARRIER;
      signal.mask = (1u << TS_N_PIPES) - 1;
      break;
    }
  if (!exec_emit (x, node, exec_cost (x, node)))
    return FLOW_STOP;
  signal.site = node->site;
  ts_stream_builder_signal (x->builder, &signal);
  return FLOW_NEXT;
}

Flow
exec_channel_op (Exec *x, Node *node)
{
  if ((node->info->flags & TS_OPF_PUSH) != 0)
    return push (x, node);
  if ((node->info->flags & TS_OPF_POP) != 0)
    return pop (x, node);
  return synchronise (x, node);
}
