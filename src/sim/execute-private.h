/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of symbolic execution, shared by its files. */
#pragma once

#include "sim/execute.h"

G_BEGIN_DECLS

#define TS_MAX_CALL_DEPTH 64u
#define TS_MAX_LEVELS 4u         /* loops inside each other of which iterations may be left out */
#define TS_MAX_PLACE_RANK 3u     /* axes of an index tensor of Triton IR that are followed */
#define TS_MAX_TTIR_OPERANDS 16u /* of one operation that are looked at */
#define TS_MAX_CHANNELS 256u /* FIFOs, and flags, of one simulation; hardware has a handful */
#define TS_SIZE_LIMIT ((gint64) 1 << 53) /* bytes, rows, elements: beyond it prices no longer count in ones */
#define TS_COST_LIMIT ((gint64) 9000000000000000) /* what the machine holds the price of one operation at */
#define TS_EVAL_BUDGET 100000u /* nodes of one expression; a tree may be a graph, so its size on paper can be exponential */

typedef struct Node  Node;
typedef struct Frame Frame;
typedef struct Cell  Cell;

/* What a variable holds while the function runs. */
typedef enum
{
  CELL_NONE,   /* nothing yet */
  CELL_SCALAR,
  CELL_TILE,   /* bytes begin .. end of buffer `ref` */
  CELL_TENSOR, /* tensor `ref`; `whole`: a view of it whose place is not followed */
  CELL_TUPLE,
  CELL_OTHER,  /* pointers, tokens */
} CellKind;

/* How a number changes from one iteration to the next of a loop that may be shortened (periodic-loop.h). */
typedef enum
{
  CHANGE_NONE,
  CHANGE_EVEN,  /* by `stride` */
  CHANGE_ROUND, /* the same again after `stride` iterations */
  CHANGE_ANY,
} ChangeKind;

/* What the lanes of an index tensor, a pointer tensor or a mask of Triton IR hold. */
typedef enum
{
  PLACE_NONE,  /* not followed */
  PLACE_KNOWN, /* lane i, j, k is `offset` + `steps` . (i, j, k), in elements */
  PLACE_STEPS, /* the same, but `offset` is known only at run time */
  PLACE_MASK,  /* a mask: the first `steps` lanes of each axis */
} PlaceKind;

struct Cell
{
  guint8  kind;
  guint8  known;    /* SCALAR: `value` holds */
  guint8  whole;
  guint8  placed;   /* Triton IR: PlaceKind */
  guint8  assumed;  /* Triton IR: an open argument that was given a default has a part in it */
  gint32  ref;
  gint32  producer; /* SCALAR: instruction that makes it, -1: costs nothing */
  gint32  channel;  /* TILE: popped from it, -1 */
  guint32 epoch;    /* of the iteration that set it */
  guint32 maker;    /* TILE of Triton IR: 1 + the instruction that wrote it, 0 none */
  union
  {
    guint8  change[TS_MAX_LEVELS]; /* ChangeKind of `value`, of `offset` where it is a place; by level */
    guint32 changes;               /* all of them: 0 none */
  };
  gint64  stride[TS_MAX_LEVELS];
  gint64  offset, steps[TS_MAX_PLACE_RANK];
  union
  {
    gint64 value;
    gint64 begin;
  };
  union
  {
    gint64 end;
    Cell  *items; /* TUPLE: `ref` of them */
  };
};

typedef enum
{
  DO_NOTHING,  /* no pipe, no result that matters */
  DO_ISSUE,    /* one instruction */
  DO_TTIR,     /* whatever Triton IR says */
  DO_BIND,     /* no instruction; the result is an argument, a view of it or a fresh tile */
  DO_QUERY,    /* no instruction; a scalar the simulator knows */
  DO_ASSIGN,
  DO_CALL,
  DO_FOR,
  DO_WHILE,
  DO_COND,
  DO_WHILE_REGIONS, /* scf.while */
  DO_BRANCH,
  DO_IF,
  DO_YIELD,
  DO_RETURN,
  DO_BREAK,
  DO_CONTINUE,
  DO_SCOPE,
  DO_OPEN_PIPE,
  DO_RELEASE,
} Action;

typedef struct
{
  Node    *nodes;
  guint    n;
  gboolean ready; /* prepared: happens when a block is first entered */
} Body;

/* A statement as it stands in one call of one function on one core. */
struct Node
{
  const TsOp     *op;
  const TsOpInfo *info;
  guint8          action; /* Action */
  guint8          pipe;
  guint8          known;  /* the pipe and the operation are known */
  guint8          fixed;  /* its cost never changes: `cost` holds */
  gint8           scratch;/* argument that it writes as scratch space, -1 none */
  gint32          site;   /* -1: not issued yet */
  gint32          buffer; /* private buffer of its result, -1 none yet */
  gint32          cost;
  gint32          loop;   /* of a FOR or WHILE */
  const TsStage  *stages; /* its own, or those of what it stands in */
  guint           n_stages;
  Body            body[2];
  Frame          *callee;
  Cell           *items;  /* of a tuple result */
  guint32         visits, entry; /* of a conditional branch: how often it was open in this entry of its function */
};

struct Frame
{
  const TsFunction *function;
  Body             *blocks; /* one per block; NULL until entered */
};

/* A loop that is being executed. */
typedef struct
{
  gint32 loop;
  gint64 index;
  gint32 iteration; /* entry in the stream, -1: this iteration has no instruction yet */
  gint64 trips;     /* iterations in all; -1 not known */
} LoopFrame;

typedef enum { FLOW_NEXT, FLOW_YIELD, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_BRANCH, FLOW_STOP } Flow;

typedef struct
{
  gint64  id;        /* channel id of the operations */
  gboolean to_vector;/* cube to vector cores */
  gint32  channel;
  gint64  slots, slot_size;
  gint64  popped[TS_MAX_CORES];
  gint32  ring[TS_MAX_CORES]; /* buffer of the slots on each core, -1 none */
} Fifo;

typedef struct
{
  const TsModule     *module;
  const TsFunction   *function;
  const TsMachine    *machine;
  const TsSimOptions *options;
  TsDiagList         *diags;
  GArray             *bindings;
  GCancellable       *cancellable;
  TsBackend           backend;
  TsGmAlias           gm_alias;
  TsStreamBuilder    *builder;
  TsArena            *arena;
  Cell               *env;          /* by value id */
  GArray             *yields;       /* Cell: what the last YIELD or RETURN gave */
  GArray             *loops;        /* LoopFrame, outermost first */
  GArray             *scalars;      /* gint32: producers met while evaluating operands */
  GArray             *pending;      /* gint32: producers that control flow waits for: the next instruction does */
  GArray             *accesses;     /* TsAccess of the instruction at hand */
  GHashTable         *buffer_of;    /* MemRef base (value id + 1) to buffer + 1, on this core */
  GHashTable         *tensor_of;    /* value id + 1 to tensor + 1 */
  GHashTable         *noted;        /* what was reported once: static string or op pointer */
  GHashTable         *groups;       /* placed bases whose addresses overlap: base id + 1 to index + 1 in `placed` */
  GArray             *placed;       /* PlacedGroup */
  GArray             *fifos;        /* Fifo */
  GArray             *flags;        /* Flag */
  GHashTable         *shown;        /* name as it is shown, interned, to how many names that may be open are shown so; NULL until
                                       asked for */
  GHashTable         *bound_uses;   /* value to how loops use it as a bound, see default_of; NULL until asked for */
  struct TtirUses    *uses;         /* what values of Triton IR are for (ttir-uses.c); NULL until asked for */
  Node               *branch;       /* the one that FLOW_BRANCH speaks of */
  guint32             entries;      /* functions entered so far */
  gint64              prepared;     /* statements made ready so far, over all call paths */
  GHashTable         *nested_nodes; /* call in an expression to its Node */
  guint               nested_depth, call_depth;
  const TsOp         *at;           /* the statement at hand: where notes about its operands point */
  guint               core;
  guint               core_kind;
  gint64              subblock;
  gint64              steps;
  gint64              limit;        /* instructions of the core at hand */
  gint64              idle_limit;   /* statements and iterations of each core that may pass without any */
  gint64              idle_before;  /* statements without an instruction when it began */
  GString            *cuts;         /* where cores were cut, in words */
  guint               unlooked;     /* work since the last look at the cancellable */
  guint               eval_budget, eval_depth;
  GHashTable         *nested;       /* call in an expression to its Cell: each is executed once per statement */
  struct PeriodicLoop *levels[TS_MAX_LEVELS]; /* loops that may turn out to repeat themselves, outermost first */
  guint               n_levels;
  guint32             epoch;        /* counts iterations of all loops */
  guint               n_repeats;    /* of the core at hand */
  gint64              popped;       /* pops of the core at hand */
  const TsExecPlan   *plan;
  gboolean            cancelled;
  gboolean            alone;        /* not in a group: peers are not simulated */
} Exec;

/* A flag between two pipes of one core. */
typedef struct
{
  const char *name;
  guint       core;
  gint32      channel;
} Flag;

/* Allocations of a placed function that share addresses count as one buffer. */
typedef struct
{
  const char *name;
  guint8      space;
  gint64      from, to;
  gint32      buffer[TS_MAX_CORES]; /* -1: not used yet */
} PlacedGroup;

/* execute.c */
Flow   exec_body (Exec *x, Body *body);
Cell   exec_nested (Exec *x, const TsOp *op);
/* The core at hand ends here: the bound is reached. */
/* The core at hand ends here: the bound is reached. `idle`: by statements that issue nothing. */
void   exec_cut (Exec *x, gboolean idle);
/* Counts a step; FALSE: stop (bound reached or cancelled). */
gboolean exec_step (Exec *x);
/* Reports something once. */
void   exec_note (Exec *x, gconstpointer once, TsSeverity severity, const char *code, const TsOp *op, const char *format, ...)
  G_GNUC_PRINTF (6, 7);

/* Runs a region of a statement. */
Flow   exec_region (Exec *x, Node *node, guint region);
/* The next instruction has to wait for what decided control flow. */
void   exec_scalars_pending (Exec *x);

/* execute-loops.c */
Flow   exec_for (Exec *x, Node *node);
Flow   exec_while (Exec *x, Node *node);
Flow   exec_cond (Exec *x, Node *node);
/* The pieces of them that scf.while needs too. */
void   exec_enter_loop (Exec *x, Node *node, gint64 trips); /* trips: -1 not known */
gboolean exec_count_iteration (Exec *x, guint before);
/* Gives the variables what the last yield gave; `loop`: whose they are, NULL where it is none that repeats itself. */
void   exec_carry (Exec *x, TsValue *const *to, guint n, struct PeriodicLoop *loop);
/* How often a loop did not settle in earlier executions. */
guint  exec_patience (const Exec *x, const TsOp *op);
/* Iterations that the loop at hand may leave out: as many as its like on the other cores. */
gint64 exec_plan_omitted (const Exec *x, gint64 omitted);
/* Iterations of a loop whose bound is known only at run time; says so. */
gint64 exec_open_loop (Exec *x, const Node *node);

/* evaluate.c: expressions and variables */
/* One operator on two known integers; FALSE: no 64-bit result. */
gboolean exec_apply (TsOperator op, gint64 a, gint64 b, gint64 *out);
/* Says at the statement at hand why two known operands give no number. */
void     exec_note_no_value (Exec *x, TsOperator op, gint64 divisor);
void     exec_set (Exec *x, const TsValue *value, const Cell *cell);
/* As exec_int, for a place in global memory. */
gboolean exec_place (Exec *x, const TsExpr *e, gint64 *out);
Cell    *exec_cell (Exec *x, TsValue *value);
Cell     exec_operand (Exec *x, const TsExpr *e);
/* FALSE: not known. Producers of scalars on the way are added to x->scalars. */
gboolean exec_int (Exec *x, const TsExpr *e, gint64 *out);
/* An entry of a list operand, or the operand itself when it is no list. */
gboolean exec_item_int (Exec *x, const TsExpr *list, guint i, gint64 *out);
guint    exec_list_length (const TsExpr *list);
const TsExpr *exec_list_item (const TsExpr *list, guint i);
/* The variable a name binds: options first, then the default. */
Cell     exec_open_scalar (Exec *x, TsValue *value);
/* Where a core stands among its like; names of named.def, which options may bind. */
typedef enum
{
#define TS_NAMED(id, name, fallback) NAMED_##id,
#include "sim/named.def"
#undef TS_NAMED
} Named;
/* Bound by option, or the fallback of the table. */
gint64   exec_named (Exec *x, Named which);

/* buffers.c: tiles and the bytes they occupy */
void     exec_find_placed (Exec *x, const TsFunction *function);
/* Bytes of a tile type; 0 when a dimension is not known. `valid`: only the valid part. */
gint64   exec_tile_bytes (Exec *x, const TsType *type, gboolean valid);
/* Dimensions, 1 at least; FALSE when one is not known (then it is taken as 1). */
gboolean exec_dims (Exec *x, const TsType *type, gboolean valid, gint64 *dims, guint *rank);
/* The tile that a definition makes: its MemRef, else a buffer private to `*buffer`. */
Cell     exec_fresh_tile (Exec *x, const TsType *type, const TsOp *op, const char *hint, gint32 *buffer);
/* The result of a view. */
Cell     exec_view (Exec *x, const TsOp *op, const Cell *source);
gint32   exec_private_buffer (Exec *x, TsSpace space, const char *base, const char *label, gint32 statement, gint64 address);

/* issue.c: one instruction */
Flow     exec_issue (Exec *x, Node *node);
/* The pieces of it that channels.c needs too. */
void     exec_add_access (Exec *x, const Cell *tile, guint access);
gint32   exec_site (Exec *x, Node *node);
gint32   exec_iteration (Exec *x);
/* Emits with the accesses collected; FALSE: the bound. */
gboolean exec_emit (Exec *x, Node *node, gint32 cost);
gint32   exec_cost (Exec *x, Node *node);

/* work.c: what an operation moves or computes */
/* Position of an argument by its name in the operation table, -1 none. */
gint     exec_argument (const TsOpInfo *info, const char *name);
/* Do shapes alone decide the cost, and are they constant? */
gboolean exec_work_is_fixed (const TsOp *op);
void     exec_work (Exec *x, const Node *node, TsWork *work);

/* ttir.c: operations of Triton IR */
Flow     exec_ttir (Exec *x, Node *node);

/* ttir-uses.c: what values are for, decided once */
/* The pipe of an operation given what its result is for; `pipe`: what the operation alone says. */
TsPipe   exec_ttir_pipe (Exec *x, const TsOp *op, TsPipe pipe);
/* Where a result is written as a slice of a larger tensor: the insertion chain's id and the byte range. FALSE: on its own. */
gboolean exec_ttir_packed (Exec *x, const TsValue *value, const TsValue **whole, gint64 *begin, gint64 *end);
void     exec_ttir_uses_free (struct TtirUses *uses);

/* ttir-access.c: what an operation moves or computes */
/* Of the largest tensor it takes or makes; 0 for other operations. */
gint64   exec_ttir_most_bytes (const Node *node);
void     exec_ttir_work (Exec *x, const TsOp *op, TsWork *work);

/* ttir-flow.c */
Flow     exec_while_regions (Exec *x, Node *node);
/* Where a branch goes, its arguments set; `entry` counts entries of functions. NULL: nowhere. */
TsBlock *exec_branch (Exec *x, Node *node, guint32 entry);

/* channels.c: FIFOs, flags, barriers */
gboolean exec_is_channel_op (const TsOp *op);
/* A flag, a barrier, or none of them. */
TsSync   exec_sync (const TsOp *op);
Flow     exec_channel_op (Exec *x, Node *node);
void     exec_open_pipe (Exec *x, const TsOp *op);
void     exec_release (Exec *x, Node *node);

G_END_DECLS
