/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operation table: the one place that knows what a name means. Parser, verifier, passes, simulator, colours and help read it.
 * Rows stand in ops.def (tile, tensor, system, array and pld operations; spec ops.md) and ops-ttir.def (Triton IR). */
#pragma once

#include "ir/op.h"

G_BEGIN_DECLS

/* How the result relates to the memory of the arguments (spec ops.md section 1, `Buffer column`). */
typedef enum
{
  TS_BUFFER_FRESH,       /* blank: its own buffer; may be written over a dying input unless forbidden below */
  TS_BUFFER_VIEW,        /* V: shares argument 0's allocation (inherit-input of InitMemRef, except tile.transpose) */
  TS_BUFFER_REUSES,      /* R(k): the result is argument k's allocation */
  TS_BUFFER_NONE,        /* the result has no buffer at all: MemRef-less pops, scalars */
} TsBufferRule;

/* Unit that executes an operation (spec simulator.md section 1). The order is that of the lanes, data-flow order. */
typedef enum
{
  TS_PIPE_S,
  TS_PIPE_MTE2,
  TS_PIPE_MTE1,
  TS_PIPE_M,
  TS_PIPE_V,
  TS_PIPE_MTE3,
  TS_PIPE_FIX,
  TS_N_PIPES,
  TS_PIPE_NONE = TS_N_PIPES, /* no hardware access */
} TsPipe;

typedef enum { TS_LANE_SCALAR, TS_LANE_MTE_IN, TS_LANE_CUBE, TS_LANE_VECTOR, TS_LANE_MTE_OUT, TS_N_LANES } TsLane;

const char *ts_pipe_name (TsPipe pipe);  /* "MTE2" */
gboolean    ts_pipe_from_name (const char *name, TsPipe *out);
const char *ts_lane_name (TsLane lane);  /* "mte-in" */
TsLane      ts_pipe_lane (TsPipe pipe);

/* Categories of CanonicalizeIOOrder (spec passes-schedule section 7). */
typedef enum
{
  TS_CATEGORY_COMPUTE,
  TS_CATEGORY_LOAD,
  TS_CATEGORY_STORE,
  TS_CATEGORY_SCALAR,
  TS_CATEGORY_EXTRACT,  /* table only: LOAD when it reads Mat and target_memory is Left or Right, else COMPUTE */
  TS_CATEGORY_ASSEMBLE, /* STORE where the accumulator is double-buffered, else COMPUTE */
} TsCategory;

/* Class that selects the cost formula of a machine file (spec machines.md b; simulator.md section 5). */
typedef enum
{
#define TS_COST_CLASS(id, name) TS_COST_##id,
#include "ir/cost-classes.def"
#undef TS_COST_CLASS
  TS_N_COST_CLASSES,
} TsCostClass;

const char *ts_cost_class_name (TsCostClass c);

typedef enum { TS_DIALECT_STRUCTURAL, TS_DIALECT_TILE, TS_DIALECT_TENSOR, TS_DIALECT_SYSTEM, TS_DIALECT_ARRAY, TS_DIALECT_PLD,
               TS_DIALECT_TTIR, TS_DIALECT_UNKNOWN } TsDialect;

typedef enum
{
  TS_OPF_NO_PIPE = 1 << 0,          /* marked 0: no hardware access */
  TS_OPF_NOT_IN_PLACE = 1 << 1,     /* N: the output may alias no argument */
  TS_OPF_UNKNOWN_EVIDENCE = 1 << 2, /* DSA_RP access evidence is unknown (ops.md 12) */
  TS_OPF_SPACE_KEYWORD = 1 << 3,    /* result space from target_memory; default in `out_space` */
  TS_OPF_SPACE_INHERIT = 1 << 4,    /* result space is argument 0's */
  TS_OPF_ROW_MAJOR_IN = 1 << 5,     /* layout needs of ops.md 12 */
  TS_OPF_ROW_MAJOR_OUT = 1 << 6,
  TS_OPF_VARIADIC = 1 << 7,         /* max_args is only the number of named ones */
  TS_OPF_SIDE_EFFECT = 1 << 8,      /* must not be dropped or reordered against its own kind: push, pop, sync, prints */
  TS_OPF_TERMINATOR = 1 << 9,
  TS_OPF_CUBE_CORE = 1 << 10,       /* fixed core affinity (ops.md 11) */
  TS_OPF_VECTOR_CORE = 1 << 11,
  TS_OPF_WRITES_ARG0 = 1 << 12,     /* argument 0 is read and written though the result is a fresh buffer (tile.write) */
  TS_OPF_MATMUL = 1 << 13,          /* name begins with tile.matmul */
  TS_OPF_PUSH = 1 << 14,
  TS_OPF_POP = 1 << 15,
  TS_OPF_PURE = 1 << 16,            /* effects of Triton IR operations (spec ttir.md 5): none of the three means unknown */
  TS_OPF_READS = 1 << 17,
  TS_OPF_WRITES = 1 << 18,
  TS_OPF_ELEMENTWISE = 1 << 19,     /* E: the trait GraphOptimize looks through */
  TS_OPF_REGION_OP = 1 << 20,       /* carries regions: blocks every proof over an interval */
} TsOpInfoFlags;

/* Demands on the arguments beyond count and space, checked by infer.c. */
typedef enum
{
#define TS_OP_CHECK(id, bit) TS_CHECK_##id = 1 << bit,
#include "ir/op-checks.def"
#undef TS_OP_CHECK
} TsOpChecks;

/* Rule by which source mode and the verifier find the result's type: see infer.h. */
typedef enum
{
#define TS_RESULT_RULE(id, function) TS_RESULT_##id,
#include "ir/result-rules.def"
#undef TS_RESULT_RULE
} TsResultRule;

typedef struct
{
  const char *name;        /* "tile.load" */
  guint8      dialect;     /* TsDialect */
  guint8      buffer;      /* TsBufferRule */
  guint8      reuse_arg;   /* k of R(k) */
  guint8      writes;      /* bit k set: argument k is written to, beside what buffer, category and flags say: see
                              ts_op_written_arguments() */
  guint8      no_alias;    /* bit k set: the output may not alias argument k (A(k)); see ts_op_forbids_alias() for cast and a5 */
  guint8      out_space;   /* fixed TsSpace, or the default of target_memory; TS_SPACE_NONE: inherit or not a tile */
  guint8      category;    /* TsCategory */
  guint8      cost;        /* TsCostClass */
  guint8      result;      /* TsResultRule */
  guint8      min_args, max_args;
  guint32     flags;       /* TsOpInfoFlags */
  const char *args;        /* names in order, comma separated; optional ones end in '?', `name=other` is filled in from another
                              argument: "lhs,rhs,tmp?", "tensor,offsets,shapes,valid_shape=shapes" */
  const char *keywords;    /* in canonical printed order; `key` optional, `key!` required, `key=default` filled in as printed:
                              "target_memory=pl.Mem.Vec,clamp". NULL: none */
  const char *call;        /* order of parameters in a user's call; NULL: `args`, then `keywords` */
  const char *in_spaces;   /* required space per argument, comma separated, "*" for any, "Vec|Acc" for either; arguments past the
                              end of the list take any: "Vec,Vec". NULL: none stated */
  const char *dtypes;      /* element types allowed for the first tile (or the dtype keyword), comma separated, or "integer";
                              NULL: any */
  guint32     checks;      /* TsOpChecks */
  const char *help;        /* one line for people */
} TsOpInfo;

/* Never NULL; TS_OP_UNKNOWN has a row too (cost class UNKNOWN, fresh buffer). O(1). */
const TsOpInfo *ts_op_info (TsOpCode code);
/* "tile.load" to TS_OP_TILE_LOAD; TS_OP_UNKNOWN when no table has it. Structural names are not found. O(1) expected. */
TsOpCode        ts_op_code_from_name (const char *name, gssize length);

/* --- questions about one operation in its context ------------------------------------------------------------------------ */

/* Target families of passes and machines. */
typedef enum { TS_BACKEND_NONE, TS_BACKEND_A2A3, TS_BACKEND_A5 } TsBackend;

const char *ts_backend_name (TsBackend backend); /* "a2a3" */

/* Pipe of a data transfer between two spaces; TS_PIPE_NONE when the backend has no such edge. Source: ops.md 1,
 * passes-memory 1.1. */
TsPipe     ts_transfer_pipe (TsSpace from, TsSpace to, TsBackend backend);
/* The pipe by the rules of ops.md section 1, in order. *known is FALSE when only the fallback answers (rule 6). Scalar assignments
 * are S; control flow, yields, returns are NONE. */
TsPipe     ts_op_pipe (const TsOp *op, TsBackend backend, gboolean *known);
/* Category for reordering, without the loop's overlap and double-buffer settings: EXTRACT is resolved, ASSEMBLE is kept. */
TsCategory ts_op_category (const TsOp *op);
/* May the output not share memory with argument k? N, A(k), the cast rule (wider output), and the exception of a5 for prelu.
 * Source: passes-memory 5.4. */
gboolean   ts_op_forbids_alias (const TsOp *op, guint arg, TsBackend backend);
/* The argument whose allocation the result is: reuses-input or view; -1 when fresh. Scalars and copies included (ASSIGN of a tile
 * variable gives 0). */
gint       ts_op_shared_argument (const TsOp *op);
/* Bit k set: the operation writes to the memory of argument k, or gives it back: in-place results, stores, writes of elements,
 * transfers to other ranks. Callees are not looked at. */
guint      ts_op_written_arguments (const TsOp *op);
/* Is the result's space set by the operation (fixed or target_memory)? TS_SPACE_NONE when it inherits or is unknown. */
TsSpace    ts_op_result_space (const TsOp *op);

G_END_DECLS
