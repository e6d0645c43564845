/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operation table itself, and its look-up by name. */
#include "ir/op-info.h"

#include <string.h>

/* Shorthands of ops.def. A group macro sets the fields its operations share, so that no row sets a field twice. */
#define ARGS(min, max, text) .min_args = min, .max_args = max, .args = text
#define KEYS(text) .keywords = text
#define CALL(text) .call = text
#define IN(text) .in_spaces = text
#define RESULT(rule) .result = TS_RESULT_##rule
#define COST(class) .cost = TS_COST_##class
#define CATEGORY(category_) .category = TS_CATEGORY_##category_
#define SPACE(space) .out_space = TS_SPACE_##space
#define FLAGS(bits) .flags = (bits)
#define NO_ALIAS(bits) .no_alias = (bits)
#define A(k) (1 << (k))
#define VIEW .buffer = TS_BUFFER_VIEW
#define REUSES(k) .buffer = TS_BUFFER_REUSES, .reuse_arg = k
#define WRITES(k) .writes = 1 << (k)
#define NO_BUFFER .buffer = TS_BUFFER_NONE
#define DTYPES(text) .dtypes = text
#define CHECKS(bits) .checks = (bits)
#define HELP(text) .help = text
#define N TS_OPF_NOT_IN_PLACE
#define U TS_OPF_UNKNOWN_EVIDENCE
#define KEYWORD TS_OPF_SPACE_KEYWORD
#define INHERIT TS_OPF_SPACE_INHERIT
#define ROW_MAJOR (TS_OPF_ROW_MAJOR_IN | TS_OPF_ROW_MAJOR_OUT)
#define ROW_MAJOR_ARGS TS_OPF_ROW_MAJOR_IN
#define ROW_MAJOR_RESULT TS_OPF_ROW_MAJOR_OUT

#define TILE .dialect = TS_DIALECT_TILE
#define VEC TILE, SPACE (VEC)
#define CUBE TILE, SPACE (ACC), COST (MATMUL)
#define META TILE, SPACE (NONE), FLAGS (TS_OPF_NO_PIPE | INHERIT)
#define QUERY TILE, SPACE (NONE), NO_BUFFER
#define TENSOR .dialect = TS_DIALECT_TENSOR, SPACE (DDR)
#define TENSOR_META TENSOR, FLAGS (TS_OPF_NO_PIPE)
#define TENSOR_SCALAR .dialect = TS_DIALECT_TENSOR, SPACE (NONE), NO_BUFFER
#define TENSOR_QUERY TENSOR_SCALAR, FLAGS (TS_OPF_NO_PIPE)
#define ARRAY_OP .dialect = TS_DIALECT_ARRAY, SPACE (NONE)
#define SYSTEM .dialect = TS_DIALECT_SYSTEM, SPACE (NONE), NO_BUFFER
#define PLD .dialect = TS_DIALECT_PLD

#define IS_TERMINATOR(code) ((code) == TS_OP_YIELD || (code) == TS_OP_RETURN || (code) == TS_OP_BREAK || (code) == TS_OP_CONTINUE)

static const TsOpInfo op_table[TS_N_OP_CODES] = {
  [TS_OP_INVALID] = { .name = "invalid", .dialect = TS_DIALECT_UNKNOWN, SPACE (NONE), NO_BUFFER, FLAGS (TS_OPF_NO_PIPE) },
#define TS_STRUCTURAL(id, name_) \
  [TS_OP_##id] = { .name = name_, .dialect = TS_DIALECT_STRUCTURAL, SPACE (NONE), NO_BUFFER, \
                   COST (NONE), FLAGS (IS_TERMINATOR (TS_OP_##id) ? TS_OPF_TERMINATOR : 0) },
#include "ir/structural.def"
#undef TS_STRUCTURAL
#define TS_OP_ROW(id, name_, ...) [TS_OP_##id] = { .name = name_, __VA_ARGS__ },
#include "ir/ops.def"
#include "ir/ops-ttir.def"
#undef TS_OP_ROW
  [TS_OP_UNKNOWN] = { .name = "unknown", .dialect = TS_DIALECT_UNKNOWN, SPACE (NONE), COST (UNKNOWN),
                      FLAGS (TS_OPF_VARIADIC | TS_OPF_UNKNOWN_EVIDENCE), HELP ("an operation the table does not know") },
};

const TsOpInfo *
ts_op_info (TsOpCode code)
{
  return &op_table[(guint) code < TS_N_OP_CODES ? code : TS_OP_UNKNOWN];
}

/* Open addressing over the rows that stand for names of calls. Filled once and never changed, hence safe to share. */
#define NAME_SLOTS 2048u
G_STATIC_ASSERT (TS_N_OP_CODES < NAME_SLOTS / 2);

static guint
name_hash (const char *name, gsize length)
{
  guint32 hash = 2166136261u;
  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guchar) name[i]) * 16777619u;
  return (hash ^ hash >> 15) % NAME_SLOTS;
}

static const guint16 *
name_slots (void)
{
  static guint16 slots[NAME_SLOTS];
  static gsize   filled;
  if (g_once_init_enter (&filled))
    {
      for (guint code = TS_OP_INVALID + 1; code < TS_OP_UNKNOWN; code++)
        {
          guint slot;
          if (op_table[code].dialect == TS_DIALECT_STRUCTURAL)
            continue;
          slot = name_hash (op_table[code].name, strlen (op_table[code].name));
          while (slots[slot] != 0)
            slot = (slot + 1) % NAME_SLOTS;
          slots[slot] = (guint16) code;
        }
      g_once_init_leave (&filled, 1);
    }
  return slots;
}

TsOpCode
ts_op_code_from_name (const char *name, gssize length)
{
  const gsize    n = length < 0 ? strlen (name) : (gsize) length;
  const guint16 *slots = name_slots ();
  for (guint slot = name_hash (name, n); slots[slot] != 0; slot = (slot + 1) % NAME_SLOTS)
    {
      const char *candidate = op_table[slots[slot]].name;
      if (strncmp (candidate, name, n) == 0 && candidate[n] == '\0')
        return slots[slot];
    }
  return TS_OP_UNKNOWN;
}

static const char *const pipe_names[TS_N_PIPES + 1] = { "S", "MTE2", "MTE1", "M", "V", "MTE3", "FIX", "none" };
static const char *const lane_names[TS_N_LANES] = { "scalar", "mte-in", "cube", "vector", "mte-out" };
static const TsLane      pipe_lanes[TS_N_PIPES] = { TS_LANE_SCALAR, TS_LANE_MTE_IN, TS_LANE_MTE_IN, TS_LANE_CUBE, TS_LANE_VECTOR,
                                                    TS_LANE_MTE_OUT, TS_LANE_MTE_OUT };

const char *
ts_pipe_name (TsPipe pipe)
{
  return pipe_names[(guint) pipe < TS_N_PIPES ? pipe : TS_PIPE_NONE];
}

gboolean
ts_pipe_from_name (const char *name, TsPipe *out)
{
  for (guint i = 0; i < TS_N_PIPES; i++)
    if (g_ascii_strcasecmp (name, pipe_names[i]) == 0)
      {
        *out = i;
        return TRUE;
      }
  return FALSE;
}

const char *
ts_lane_name (TsLane lane)
{
  return (guint) lane < TS_N_LANES ? lane_names[lane] : "none";
}

TsLane
ts_pipe_lane (TsPipe pipe)
{
  return (guint) pipe < TS_N_PIPES ? pipe_lanes[pipe] : TS_LANE_SCALAR;
}

const char *
ts_cost_class_name (TsCostClass c)
{
  static const char *const names[] = {
#define TS_COST_CLASS(id, name) name,
#include "ir/cost-classes.def"
#undef TS_COST_CLASS
  };
  return (guint) c < TS_N_COST_CLASSES ? names[c] : names[TS_COST_UNKNOWN];
}

const char *
ts_backend_name (TsBackend backend)
{
  static const char *const names[] = { "none", "a2a3", "a5" };
  return (guint) backend < G_N_ELEMENTS (names) ? names[backend] : names[0];
}
