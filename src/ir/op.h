/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations, blocks, regions and values: module > function > region > block > operation. */
#pragma once

#include "base/source.h"
#include "ir/expr.h"

G_BEGIN_DECLS

/* Structural operations first, then every row of ops.def, then those of Triton IR. */
typedef enum
{
  TS_OP_INVALID,
#define TS_STRUCTURAL(id, name) TS_OP_##id,
#include "ir/structural.def"
#undef TS_STRUCTURAL
#define TS_OP_ROW(id, name, ...) TS_OP_##id,
#include "ir/ops.def"
#include "ir/ops-ttir.def"
#undef TS_OP_ROW
  TS_OP_UNKNOWN, /* an operation no table knows: kept, printed back, drawn; `name` says which */
  TS_N_OP_CODES,
} TsOpCode;

typedef enum { TS_LOOP_SEQUENTIAL, TS_LOOP_PARALLEL, TS_LOOP_UNROLL, TS_LOOP_PIPELINE } TsLoopKind;

/* Scopes of the kernel language (spec dsl 5.3). Header arguments are keywords of the operation, in printed order. */
typedef enum
{
  TS_SCOPE_AT,         /* with pl.at(level=..., ...) [as tid]: results[0] is tid */
  TS_SCOPE_CLUSTER,    /* with pl.cluster(...) */
  TS_SCOPE_SPMD,       /* with pl.spmd(4, ...) [as tid] : operand 0 is the count */
  TS_SCOPE_SPMD_FOR,   /* for i in pl.spmd(4, ...): block argument 0 is i */
  TS_SCOPE_SPLIT_AIV,  /* for h in pl.split_aiv(2, mode=...): block argument 0 is h, operand 0 the count */
  TS_SCOPE_AUTO,       /* with pl.scope() */
  TS_SCOPE_MANUAL,     /* with pl.scope(mode=pl.ScopeMode.MANUAL) */
} TsScopeKind;

/* Where an operation or value comes from, in the snapshot before. `op` is an id there, -1: new. */
typedef struct
{
  gint32        op;
  gint32        clone;    /* which copy: k of LowerPipelineLoops and UnrollLoops, 0 otherwise */
  const gint32 *more;     /* further operations it was made from (merged), -1 ended; usually NULL */
} TsOrigin;

struct TsAttr
{
  const char *key; /* interned */
  TsExpr     *value;
  gboolean    is_discardable; /* Triton IR, generic form: stood in {...}, not among the properties <{...}> */
  const char *written; /* Triton IR: how the file spells the value when that has an alias, interned, or NULL */
};

typedef enum
{
  TS_VALUE_PARAM,
  TS_VALUE_RESULT,    /* of `def`; before SSA one variable may be the result of several operations, `def` is the first */
  TS_VALUE_BLOCK_ARG, /* loop variable, carried value, Triton block argument */
  TS_VALUE_SYMBOL,    /* dynamic dimension, a file-level constant that stayed open */
  TS_VALUE_BASE,      /* base of a MemRef that no statement of the body defines ("mem_ddr_0") */
  TS_VALUE_FREE,      /* used but defined nowhere (NAME__FREE_VAR) */
} TsValueKind;

struct TsValue
{
  TsExpr        expr;  /* the operand that reads it, see ts_expr_value(): who walks operands has the variable at hand */
  gint32        id;    /* dense within the module */
  guint32       index; /* which result, parameter or block argument */
  const TsType *type;  /* NULL only while a source file is being read */
  const char   *hint;  /* name as read or given by a pass, interned; printing resolves clashes. May be "" in Triton IR */
  TsOp         *def;   /* RESULT */
  TsBlock      *block; /* BLOCK_ARG */
  gconstpointer extra; /* language-private and immutable, in the module's shared arena */
  guint8        kind;
};

struct TsOp
{
  TsOp       *prev, *next;
  TsBlock    *block;   /* NULL: detached, or nested in an expression */
  guint16     code;    /* TsOpCode */
  guint8      sub;     /* TsLoopKind of FOR, TsScopeKind of SCOPE */
  guint8      flags;   /* TsOpFlags */
  gint32      id;      /* dense within the module, never reused */
  guint16     n_keywords, n_attrs;
  guint16     n_regions, n_comments;
  guint32     n_operands, n_results;
  const char *name;    /* interned: table name ("tile.load"), callee of CALL and SUBMIT, unknown operation's name */
  TsExpr    **operands;
  TsValue   **results;
  TsAttr     *keywords; /* op(..., key=value) in stored order */
  TsAttr     *attrs;    /* attrs={...} in stored order; Triton IR attributes. A lone one may be shared between operations */
  TsRegion   *regions;  /* array of n_regions */
  const char **comments; /* lines above the statement, without "# " */
  TsSpan      span;     /* in the user's source */
  guint32     n_successors;
  TsBlock   **successors; /* Triton IR branches: blocks of the same region; which operands go to which is an attribute */
  TsOrigin    origin;
  gconstpointer extra;  /* language-private and immutable, in the module's shared arena: clones copy the pointer */
};

typedef enum
{
  TS_OP_FLAG_ELSE_EMPTY = 1 << 0, /* IF: an else arm is present though empty ("else: pass") */
  TS_OP_FLAG_TUPLE_UNPACK = 1 << 1, /* source mode only */
  TS_OP_FLAG_GENERIC = 1 << 2, /* Triton IR: was written in generic form */
} TsOpFlags;

struct TsBlock
{
  TsRegion   *region;
  TsOp       *first, *last;
  guint32     n_ops;
  guint32     n_args;
  TsValue   **args;  /* FOR: loop variable, then carried values; WHILE: carried values */
  const char *label; /* Triton IR ^bb0; NULL otherwise */
  guint32     index; /* in its region */
};

struct TsRegion
{
  TsOp       *op;       /* owner, or NULL: a function's body */
  TsFunction *function; /* owner when op is NULL */
  TsBlock   **blocks;
  guint32     n_blocks;
  guint32     blocks_capacity;
};

/* --- shape of the structural operations --------------------------------------------------------------------------------
 * ASSIGN    results[0] = operands[0], any expression (copies, scalar arithmetic, tuple items)
 * CALL      results? = self.NAME(operands); name is the callee
 * SUBMIT    results[0] = pl.submit(self.NAME, operands, keywords); SPMD_SUBMIT likewise
 * FOR       operands: start, stop, step, init values; regions[0]: loop variable and carried values; results: after the loop
 * WHILE     operands: init values; regions[0]: carried values, first operation is COND; results
 * COND      operands[0]: the condition of the while around it
 * IF        operands[0]: condition; regions[0] then, regions[1] else (n_regions 1: no else); results
 * YIELD     operands: what the results of the enclosing FOR, WHILE, IF become
 * RETURN    operands;  BREAK, CONTINUE: none
 * SCOPE     sub says which; operands, keywords; regions[0]; results[0]: task id, if bound
 * TEXT      name is a statement kept as written (several lines possible)
 * Everything else is a row of the op table: results (0 or 1 in the kernel language), operands in positional order, keywords.
 * A call that is not assigned has no result, or (spec: "Eval") none at all.
 * ---------------------------------------------------------------------------------------------------------------------- */
enum { TS_FOR_START = 0, TS_FOR_STOP = 1, TS_FOR_STEP = 2, TS_FOR_INITS = 3 };

/* What follows the last dot of an operation's name: "load" of "tile.load". Points into `name`. */
const char *ts_op_verb (const char *name);

/* Orders pointers to TsValue* by name, then by id: for g_ptr_array_sort(). */
gint ts_value_compare_hints (gconstpointer a, gconstpointer b);

static inline gboolean ts_op_is (const TsOp *op, TsOpCode code) { return op != NULL && op->code == code; }
/* Type of operand `i` when that is a variable, of result `i`; NULL when there is none. */
static inline const TsType *
ts_op_operand_type (const TsOp *op, guint i)
{
  const TsValue *value = i < op->n_operands ? ts_expr_as_value (op->operands[i]) : NULL;

  return value != NULL ? value->type : NULL;
}

static inline const TsType *
ts_op_result_type (const TsOp *op, guint i)
{
  return i < op->n_results ? op->results[i]->type : NULL;
}

/* A call of a function of the program, in whatever way it is started. */
static inline gboolean
ts_op_is_user_call (const TsOp *op)
{
  return op->code == TS_OP_CALL || op->code == TS_OP_SUBMIT || op->code == TS_OP_SPMD_SUBMIT;
}

static inline TsBlock *ts_op_body (const TsOp *op, guint region) { return op->regions[region].blocks[0]; }
static inline guint    ts_for_n_carried (const TsOp *op) { return op->n_operands - TS_FOR_INITS; }
static inline TsValue *ts_for_var (const TsOp *op) { return ts_op_body (op, 0)->args[0]; }
static inline TsValue *ts_for_carried (const TsOp *op, guint i) { return ts_op_body (op, 0)->args[1 + i]; }

/* op->next, for walks over long blocks: what the operations of a block consist of mostly lies in their order in the arena, some 350
 * bytes for each, so that the part which the walk reaches in a few steps can be fetched ahead. */
static inline TsOp *
ts_op_next_ahead (const TsOp *op)
{
  guintptr ahead = (guintptr) op->next + 2800;
  for (guint i = 0; i < 384; i += 64)
    __builtin_prefetch ((const void *) (ahead + i));
  return op->next;
}

/* For loops over an array of operations that do not fit in the cache: fetches what the loop will look at a few rounds later, in
 * three steps, each of which needs the one before. */
#define TS_OPS_AHEAD 24
static inline void
ts_ops_prefetch (TsOp *const *ops, guint n, guint i)
{
  if (i + TS_OPS_AHEAD >= n)
    return;
  __asm__ volatile (""); /* a function that does nothing but fetch ahead counts as pure, and calls of it are dropped */
  __builtin_prefetch (ops[i + TS_OPS_AHEAD]);
  __builtin_prefetch ((const char *) ops[i + TS_OPS_AHEAD] + 64);
  const TsOp *next = ops[i + 16];
  __builtin_prefetch (next->operands);
  __builtin_prefetch (next->results);
  __builtin_prefetch (next->attrs);
  next = ops[i + 8];
  for (guint k = 0; k < next->n_operands && k < 4; k++)
    __builtin_prefetch (next->operands[k]);
  if (next->n_results > 0)
    __builtin_prefetch (next->results[0]);
}

/* The operation whose region this one stands in; NULL at the top of a function. */
TsOp       *ts_op_parent (const TsOp *op);
TsFunction *ts_op_function (const TsOp *op);
/* The trailing YIELD of a block, or NULL. */
TsOp       *ts_block_yield (const TsBlock *block);
/* YIELD, RETURN, BREAK, CONTINUE (and Triton IR terminators). */
gboolean    ts_op_is_terminator (const TsOp *op);

/* Keyword or attribute by key; NULL when absent. */
TsExpr     *ts_op_keyword (const TsOp *op, const char *key);
TsExpr     *ts_op_attr (const TsOp *op, const char *key);
/* The same for a key that is interned in the module's pool: no comparing of texts. */
static inline TsExpr *
ts_op_attr_interned (const TsOp *op, const char *key)
{
  for (guint i = 0; i < op->n_attrs; i++)
    if (op->attrs[i].key == key)
      return op->attrs[i].value;
  return NULL;
}
gint64      ts_op_attr_int (const TsOp *op, const char *key, gint64 fallback);
gboolean    ts_op_attr_bool (const TsOp *op, const char *key, gboolean fallback);
/* Replaces at its place or appends last. */
void        ts_op_set_attr (TsModule *module, TsOp *op, const char *key, TsExpr *value);
void        ts_op_set_keyword (TsModule *module, TsOp *op, const char *key, TsExpr *value);
/* Returns whether it was there. */
gboolean    ts_op_remove_attr (TsOp *op, const char *key);

/* Names of attributes several layers speak of. */
#define TS_ATTR_STAGES "pipeline_stages"           /* of a FOR: prints as stage=N */
#define TS_ATTR_OVERLAP_STORES "pipeline_overlap_stores"
#define TS_ATTR_DOUBLE_BUFFER_C "pipeline_double_buffer_c"
#define TS_ATTR_MEMBERSHIP "pipeline_membership"

/* Pipeline membership, innermost pair first; *n is 0 when there is none. */
const TsStage *ts_op_membership (const TsOp *op, guint *n);

/* Every variable the operation itself reads: operands, keywords, attributes; not its regions, not its types. */
void        ts_op_foreach_use (const TsOp *op, TsValueVisitor visit, gpointer data);

/* Pre-order walk over an operation's regions or a whole region. Return FALSE to skip the regions of `op`. */
typedef gboolean (*TsOpVisitor) (TsOp *op, gpointer data);
void        ts_op_walk_regions (TsOp *op, TsOpVisitor visit, gpointer data);
void        ts_region_walk (TsRegion *region, TsOpVisitor visit, gpointer data);
void        ts_block_walk (TsBlock *block, TsOpVisitor visit, gpointer data);

G_END_DECLS
