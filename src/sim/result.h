/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a schedule amounts to: utilisation, idle time by cause, bounds, loops, overlap, critical path, memory.
 * Source: spec simulator.md section 4; shape of the figures: cli.md, simulate --json. Cycles and bytes are int64. */
#pragma once

#include "ir/memory-facts.h"
#include "ir/module.h"
#include "sim/schedule.h"

G_BEGIN_DECLS

/* One pipe of one core that has instructions. busy + the sum of idle + done == makespan. */
typedef struct
{
  guint8 core;
  guint8 pipe;         /* TsPipe */
  guint8 lane;         /* TsLane */
  gint64 instructions;
  gint64 busy;         /* cycles with at least one instruction on it */
  double utilization;  /* busy / makespan */
  gint64 idle[TS_N_CAUSES]; /* before a start, by the cause of that start (PIPE and NONE stay 0) */
  gint64 done;         /* after its last instruction */
  gint64 resource;     /* least cycles the pipe needs for its instructions (sum of occupancies, for one in flight) */
} TsPipeResult;

typedef enum { TS_BINDING_NONE, TS_BINDING_RESOURCE, TS_BINDING_RECURRENCE } TsBinding;
const char *ts_binding_name (TsBinding binding);

#define TS_REC_UNKNOWN (-1)
typedef struct
{
  gint32 loop;       /* index in stream->loops */
  gint64 executions; /* how often the loop was entered */
  gint64 iterations; /* of one execution: the longest */
  gint64 total;      /* iterations of all executions */
  gint64 interval;   /* steady-state initiation interval: the largest of pipe_interval (a loop is as fast as its slowest pipe; what
                        other pipes are given ahead does not decide); 0: one iteration only */
  gint64 pipe_interval[TS_N_PIPES]; /* median distance of the same statement on that pipe in consecutive iterations; 0 none */
  gint64 res_mii;    /* cycles one iteration holds its fullest pipe */
  guint8 res_pipe;   /* that pipe, TS_PIPE_NONE */
  gint64 rec_mii;    /* growth of the longest RAW chain per iteration: loop-carried values, whatever the buffers; 0: there is
                        no such chain; TS_REC_UNKNOWN: there may be one that takes more iterations than there were to come round */
  guint8 binding;    /* TsBinding: the larger of the two */
  /* Of the longest execution. begin <= steady_begin <= steady_end <= end. */
  gint64 begin, steady_begin, steady_end, end;
} TsLoopResult;

typedef struct
{
  gint64 time;  /* from this cycle on ... */
  gint64 bytes; /* ... so many bytes are live */
} TsLivePoint;

/* Stages of one group that share bytes: what replication gained is lost again. What counts as that is decided in
 * ir/memory-facts.h, of the program as it stands, also where this run did not come by. */
typedef struct
{
  const char   *base;    /* the buffer */
  const char   *with;    /* the other buffer, where addresses of two overlap; NULL: one buffer */
  gint32        group;
  const gint32 *stages;  /* ascending */
  guint         n_stages;
  gint64        bytes;   /* shared */
  gint32        op, other; /* two statements of different stages that share them */
} TsCollapsed;

/* One memory space of one core. */
typedef struct
{
  guint8             core;
  guint8             space;      /* TsSpace */
  gint64             capacity;   /* 0: no limit known */
  gint64             high_water; /* bytes its buffers take: the top of their addresses, or their sum while they have none;
                                 of the whole program, also where this run did not come by */
  gint64             live_max;   /* most bytes live at one time: from a value's first write to its last use */
  guint              n_buffers;
  const TsLivePoint *live;       /* steps over time; thinned to at most a few thousand points, peaks kept */
  guint              n_live;
  const TsCollapsed *collapsed;
  guint              n_collapsed;
} TsMemoryResult;

typedef struct
{
  gint64 makespan;
  gint64 resource, dependence, bound; /* lower bounds; source: section 4 */
  double efficiency;                  /* bound / makespan; 1 when both are 0 */
  guint  bound_pipe, bound_core;      /* of the resource bound */
  gint64 overlap[TS_N_LANES + 1];     /* cycles in which exactly n lanes are busy (of all cores together, capped at TS_N_LANES) */
  const TsPipeResult   *pipes;    guint n_pipes; /* by core, then lane order */
  const TsLoopResult   *loops;    guint n_loops; /* in source order */
  const TsMemoryResult *memory;   guint n_memory;/* by core, then space */
  const guint32        *critical; guint n_critical; /* instructions, in order of time */
} TsResult;

/* NULL only when cancelled. The schedule was made with the timing of `machine`; capacities come from it too. `progress` (may be
 * NULL) hears of "results" in rising steps. O(n log n). */
TsResult *ts_result_new (const TsStream *stream, const TsSchedule *schedule, const TsMachine *machine, GCancellable *cancellable,
                         TsSimProgress progress, gpointer data);
/* Adds what the functions of the cores take as programs, as a run may not come by every buffer: the high-water marks, and the
 * stages that share bytes. `stages` tells the pipeline membership of an operation (NULL: its attribute). */
void      ts_result_take_facts (TsResult *result, const TsModule *module, const TsStream *stream, TsStageLookup stages,
                                gpointer data);
void      ts_result_free (TsResult *result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsResult, ts_result_free)

G_END_DECLS
