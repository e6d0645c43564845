/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instruction stream: what each core executes, in program order, as columns. Source: spec simulator.md section 2.
 *
 * Whatever repeats (statements, costs, buffer ranges, shapes of windows) is stored once and named by index, so that an
 * instruction costs a few integers. A stream knows nothing of time; the scheduler (schedule.h) reads only this and the machine's
 * figures. Build one from a function with execute.h, or by hand (tests, benchmarks) with the functions at the end. */
#pragma once

#include "base/diag.h"
#include "base/intern.h"
#include "machine/machine.h"
#include "sim/sort.h"

G_BEGIN_DECLS

#define TS_MAX_CORES 3

typedef enum
{
  TS_CORE_SINGLE, /* a function on its own: "core0" */
  TS_CORE_CUBE,   /* of a group: "cube0" */
  TS_CORE_VECTOR, /* "vector0", "vector1" */
} TsCoreKind;

typedef struct
{
  const char *name;     /* "core0" */
  guint8      kind;     /* TsCoreKind */
  gint32      function; /* TsFunction id of what it runs */
  gint64      subblock; /* what get_subblock_idx() gives here */
  guint       first;    /* instructions first .. first + n - 1 of the stream are this core's, in program order */
  guint       n;
  gboolean    cut;      /* it did not come to its end */
} TsCore;

/* What a statement does on its pipe: flags and barriers move and compute nothing. They keep their place in the pipe's order and
 * hold the pipe for their own cycles, but take no place among the transfers in flight and are no vector operation. */
typedef enum
{
  TS_SYNC_NONE,    /* an operation */
  TS_SYNC_SET,     /* sets a flag once everything in front of it on its pipe is over */
  TS_SYNC_WAIT,    /* waits for a flag */
  TS_SYNC_BARRIER,
} TsSync;

/* A statement as it stands in the snapshot, on one core. One that a called function contributes has a site per call. */
typedef struct
{
  gint32      statement; /* operation id in the module */
  gint32      function;  /* TsFunction id */
  guint       line;      /* in the source, from 1; 0: no place */
  const char *name;      /* "tile.load", "assign"; never NULL */
  const char *result;    /* hint of the first result, or NULL */
  gint32      loop;      /* innermost loop around it: index in `loops`; -1 none */
  gint32      stage;     /* innermost pipeline membership; -1: never tagged */
  gint32      group;
  guint32     stages, n_stages; /* all of it, innermost first: entries of the stream's `stages` */
  guint8      pipe;      /* TsPipe; never NONE */
  guint8      core;      /* index in `cores` */
  guint8      sync;      /* TsSync; one that is not NONE has neither accesses nor windows, and its signal with it */
  guint8      code_known;/* FALSE: an operation no table knows, priced as `unknown` */
} TsSite;

/* A loop as it stands in the snapshot, on one core. */
typedef struct
{
  gint32      statement;
  guint       line;
  const char *var;     /* hint of the loop variable; "" for a while */
  gint32      parent;  /* enclosing loop, -1 none */
  guint8      core;
  guint8      kind;    /* TsLoopKind */
  guint8      is_while;
  gint32      depth;   /* 0: outermost */
  gint64      stages;  /* pipeline_stages as declared; 0 none */
  guint       carried; /* tiles and numbers that one iteration hands to the next; tensors and pointers are no chain */
} TsLoop;

/* One iteration of one execution of a loop. The iteration vector of an instruction is the chain of parents, innermost first. Only
 * iterations with instructions have one. Entries are in order of execution: a parent stands before its children. */
typedef struct
{
  gint32 parent; /* entry of the enclosing loop's iteration; -1 none */
  gint32 loop;   /* index in `loops` */
  gint64 index;  /* 0, 1, 2, ...: how often this execution of the loop has gone round */
} TsIteration;

typedef enum { TS_ACCESS_READ = 1, TS_ACCESS_WRITE = 2 } TsAccessKind; /* a bit each */

/* A buffer of a core: an allocation, a private tile, the ring of a FIFO, a tensor carried in a core's own memory. */
typedef struct
{
  const char *base;      /* name of the allocation; NULL: private to one static definition */
  const char *label;     /* for people: `base`, or the hint of the tile it is private to */
  guint8      space;     /* TsSpace */
  guint8      core;
  guint8      is_ring;   /* slots of a FIFO, taken in turn */
  gint32      statement; /* that defines it: the allocation or the private tile's definition; -1 unknown */
  gint64      size;      /* bytes: the furthest end of any access */
  gint64      address;   /* byte offset of its base in the space where known (allocated snapshots), -1 otherwise */
} TsBuffer;

/* Half-open byte range of a buffer. */
typedef struct
{
  gint32 buffer;
  guint8 access; /* TsAccessKind bits */
  gint64 begin;
  gint64 end;
} TsAccess;

/* Global memory. A tensor is a name for one stretch of it: parameters that alias share one entry. */
typedef struct
{
  const char *name;
  gint32      value; /* TsValue id of the parameter or definition */
  guint8      dtype; /* TsDtype */
} TsTensor;

/* What a window has in common with others: the tensor, how it is used and how far it reaches in each dimension. */
typedef struct
{
  gint32 tensor;
  guint8 access; /* TsAccessKind: READ of a load, WRITE of a store, both for an atomic one */
  guint8 rank;   /* 0: the whole tensor (offsets not concrete, or the machine says gm-alias = tensor) */
  gint64 extent[8]; /* elements per dimension */
} TsWindowShape;
#define TS_MAX_WINDOW_RANK 8u

typedef struct
{
  gint32  shape;   /* index in `window_shapes` */
  guint32 offsets; /* index in `offsets` of the first of `rank` element offsets */
} TsWindow;

/* Cross-core FIFOs (push, pop, release of a slot), flags and barriers: events that stand in a core's program order. */
typedef enum
{
  TS_SIGNAL_PUSH,    /* of instruction `at` */
  TS_SIGNAL_POP,     /* of instruction `at` */
  TS_SIGNAL_RELEASE, /* before instruction `at`: the slot popped k-th is free once its readers have ended; not an instruction */
  TS_SIGNAL_SET,     /* instruction `at` sets a flag, once everything in front of it on its pipe is over */
  TS_SIGNAL_WAIT,    /* instruction `at` waits for the matching SET and its way from pipe to pipe */
  TS_SIGNAL_BARRIER, /* instruction `at` starts after everything before it on the pipes of `mask` is over (ended and visible) and
                        the barrier's cost; they go on after it */
} TsSignalKind;

typedef struct
{
  guint  at;      /* instruction of the whole stream; RELEASE may name one past the core's last */
  guint8 kind;
  gint32 channel; /* index in `channels`; -1 for BARRIER */
  guint  mask;    /* BARRIER: bit per pipe */
  gint32 accesses;/* RELEASE: access list of the slot; -1 none */
  gint32 site;    /* the statement it stands for */
} TsSignal;

typedef struct
{
  const char *name;      /* of the slot buffer, or "flag 3 MTE2 to V" */
  guint8      is_fifo;   /* FALSE: a flag */
  guint       producers; /* bit per core */
  guint       consumers;
  gint64      slots;     /* of a FIFO; 0: no bound known */
  guint8      releases;  /* a slot becomes free by RELEASE; FALSE: by the pop itself */
} TsChannel;

/* Iterations of a periodic loop that are left out: the scheduler fills them in by shifting time, if its state allows. Only in
 * streams of one core. */
#define TS_REPEAT_BOUNDARIES 13
typedef struct
{
  gint32 loop;
  guint  at;         /* what is left out would stand before this instruction */
  gint64 omitted;    /* iterations left out; a multiple of TS_REPEAT_UNIT periods */
  gint64 period;     /* iterations after which the instructions are the same again */
  guint  n_boundaries;
  guint  boundary[TS_REPEAT_BOUNDARIES]; /* [k]: first instruction of the k-th last period before `at`; [0] is `at` */
} TsRepeat;
#define TS_REPEAT_UNIT 120 /* the scheduler may need 1, 2, 3, 4, 5, 6, 8, 10 or 12 periods until its state returns */

/* Columns. Entry i of every array of n_instructions belongs to instruction i; the *_start arrays have one entry more. Owned by the
 * stream; strings live in the module's pool, which the stream holds. Read-only for everyone but the builder. */
typedef struct
{
  guint          n_instructions;
  const gint32  *site;        /* index in `sites` */
  const gint32  *iteration;   /* index in `iterations`; -1: in no loop */
  const gint32  *cost;        /* index in `costs` */
  const gint32  *accesses;    /* access list: index for access_start; -1 none */
  const guint32 *window_start;/* windows[window_start[i] .. window_start[i + 1] - 1] */
  const guint32 *scalar_start;/* scalars[scalar_start[i] ..]: instructions that make scalars it needs */

  const TsSite        *sites;         guint n_sites;
  const TsStage       *stages;
  const TsLoop        *loops;         guint n_loops;
  const TsIteration   *iterations;    guint n_iterations;
  const TsCost        *costs;         guint n_costs;
  const guint32       *access_start;  guint n_access_lists; /* n_access_lists + 1 entries */
  const TsAccess      *access;
  const TsBuffer      *buffers;       guint n_buffers;
  const TsTensor      *tensors;       guint n_tensors;
  const TsWindowShape *window_shapes; guint n_window_shapes;
  const TsWindow      *windows;       guint n_windows;
  const gint64        *offsets;       guint n_offsets;
  const gint32        *scalars;       guint n_scalars;
  const TsSignal      *signals;       guint n_signals; /* sorted by core, then by `at` */
  const TsChannel     *channels;      guint n_channels;
  const TsRepeat      *repeats;       guint n_repeats;  /* by `at` */
  TsCore               cores[TS_MAX_CORES];
  guint                n_cores;

  gboolean             truncated; /* the bound was reached: what lies beyond is missing */
  gint64               steps;     /* statements and loop iterations executed, instructions included */
} TsStream;

void ts_stream_free (TsStream *stream);
/* Bytes held, all columns and tables. */
gsize ts_stream_bytes (const TsStream *stream);

static inline const TsSite *
ts_stream_site (const TsStream *stream, guint instruction)
{
  return &stream->sites[stream->site[instruction]];
}

/* Every stage of every pipeline around a site, innermost first. */
static inline const TsStage *
ts_stream_stages (const TsStream *stream, const TsSite *site, guint *n)
{
  *n = site->n_stages;
  return stream->stages + site->stages;
}

/* The access list of an instruction; *n may be 0. */
static inline const TsAccess *
ts_stream_accesses (const TsStream *stream, guint instruction, guint *n)
{
  gint32 list = stream->accesses[instruction];
  *n = list < 0 ? 0 : stream->access_start[list + 1] - stream->access_start[list];
  return list < 0 ? NULL : stream->access + stream->access_start[list];
}

/* The iteration vector, outermost loop first; writes at most `max` entries and returns how many there are. */
guint    ts_stream_iteration_vector (const TsStream *stream, guint instruction, gint64 *out, guint max);
/* Do two windows overlap (same tensor, every dimension)? Window shapes of rank 0 and of different ranks overlap everything of their
 * tensor. */
gboolean ts_stream_windows_overlap (const TsStream *stream, guint a, guint b);

/* --- building ------------------------------------------------------------------------------------------------------------- */

typedef struct TsStreamBuilder TsStreamBuilder;

/* `strings` is referenced; `max` bounds the number of instructions. */
TsStreamBuilder *ts_stream_builder_new (TsStrings *strings, gint64 max);
void             ts_stream_builder_free (TsStreamBuilder *builder);
/* The core at hand; to be changed in place. */
TsCore          *ts_stream_builder_core (TsStreamBuilder *builder);
/* Of the loops added so far. */
const TsLoop    *ts_stream_builder_loop (const TsStreamBuilder *builder, gint32 loop);
/* Instructions and signals added from now on belong to this core; cores come one after the other. Returns its index. */
guint            ts_stream_builder_begin_core (TsStreamBuilder *builder, const TsCore *core);
/* Each returns the index of the new entry. Strings must live in the pool given (or be static). */
/* `stages` as an operation's membership gives them; the site's own fields for them are filled in here. */
gint32           ts_stream_builder_add_site (TsStreamBuilder *builder, const TsSite *site, const TsStage *stages, guint n_stages);
gint32           ts_stream_builder_add_loop (TsStreamBuilder *builder, const TsLoop *loop);
gint32           ts_stream_builder_add_iteration (TsStreamBuilder *builder, const TsIteration *iteration);
gint32           ts_stream_builder_add_buffer (TsStreamBuilder *builder, const TsBuffer *buffer);
gint32           ts_stream_builder_add_tensor (TsStreamBuilder *builder, const TsTensor *tensor);
gint32           ts_stream_builder_add_channel (TsStreamBuilder *builder, const TsChannel *channel);
TsChannel       *ts_stream_builder_channel (TsStreamBuilder *builder, gint32 channel);
/* Equal entries are kept once. An access list of none is -1. */
gint32           ts_stream_builder_cost (TsStreamBuilder *builder, const TsCost *cost);
gint32           ts_stream_builder_access_list (TsStreamBuilder *builder, const TsAccess *accesses, guint n);
gint32           ts_stream_builder_window_shape (TsStreamBuilder *builder, const TsWindowShape *shape);

/* Adds an instruction; windows and scalars are added to the one last emitted. FALSE when the bound is reached (nothing is added,
 * the stream is marked truncated). */
gboolean         ts_stream_builder_emit (TsStreamBuilder *builder, gint32 site, gint32 iteration, gint32 cost, gint32 accesses);
void             ts_stream_builder_window (TsStreamBuilder *builder, gint32 shape, const gint64 *offsets);
void             ts_stream_builder_scalar (TsStreamBuilder *builder, gint32 instruction);
/* `signal->at` is set by the call: the last emitted instruction, or the next one for RELEASE. */
void             ts_stream_builder_signal (TsStreamBuilder *builder, const TsSignal *signal);
void             ts_stream_builder_repeat (TsStreamBuilder *builder, const TsRepeat *repeat);
guint            ts_stream_builder_length (const TsStreamBuilder *builder);
/* Frees the builder. `stop` (may be NULL) is asked between pieces of the copying that this takes; NULL: it said so. */
TsStream        *ts_stream_builder_finish (TsStreamBuilder *builder, gint64 steps, gboolean truncated, TsSortStop stop,
                                           gconstpointer stop_data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsStream, ts_stream_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsStreamBuilder, ts_stream_builder_free)

G_END_DECLS
