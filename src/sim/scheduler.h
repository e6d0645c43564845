/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the scheduler, shared by its files: the state that decides when the next instruction may start. */
#pragma once

#include "sim/schedule.h"
#include "sim/sort.h"

G_BEGIN_DECLS

/* Times stay below 2^61, figures below 2^60: no sum of a few of them leaves 64 bits. */
#define TS_TIME_LIMIT ((gint64) 1 << 61)
#define TS_FIGURE_LIMIT ((gint64) 1 << 60)

/* The constraint that decides so far. */
typedef struct
{
  gint64 time;
  gint32 on;
  gint32 through; /* buffer, tensor or channel */
  guint8 cause;
} TsConstraint;

/* An instruction with the time that matters of it. Times are copied into the state (rather than looked up by index), so that
 * filling in a periodic loop can shift the state and leave the columns alone. */
typedef struct
{
  gint64 time;
  gint32 on; /* -1: none */
} TsMark;

/* Bytes of a buffer that every access touches as a whole. Ends on one pipe never go back, so the last reader and writer of each
 * pipe stand for all earlier ones. */
typedef struct
{
  TsMark reader[TS_N_PIPES]; /* end */
  TsMark writer[TS_N_PIPES]; /* end */
  TsMark producer;           /* last writer of all: when its result is visible */
  guint8 producer_pipe;
  guint8 readers, writers;   /* bit per pipe */
} TsSegment;

/* The last few of a row of marks: as many as somebody looks back. */
typedef struct
{
  TsMark *marks;
  guint32 mask; /* capacity - 1 */
  gint64  n;    /* so far */
} TsMarkRing;

typedef struct
{
  TsMarkRing starts;  /* of all its instructions: they pass through the queue; only where it has one */
  TsMarkRing ends;    /* of operations alone (flags and barriers take no place among what is in flight); only where several are */
  gint64     queue;   /* Q, 0 where in-order */
  gint64     flight;
  gint64     end;     /* nothing so far holds it any more */
  TsMark     next;    /* nothing overtakes the last instruction: the next one starts then at the earliest */
  TsMark     last;    /* the last operation: ended and visible */
  TsMark     empty;   /* all of it so far is over: ended and to be seen by others, flags set */
  TsMark     barrier; /* a barrier holds the pipe until then */
} TsPipeState;

/* One access of a core to global memory that may still order something. */
typedef struct
{
  gint64  end, visible;
  gint64  horizon; /* largest of end and visible up to this entry */
  gint32  on;
  guint32 window;
  const gint64 *shift; /* elements to add to the window's offsets (it stands for a copy in a filled loop); NULL: none */
} TsWindowMark;

typedef struct
{
  TsWindowMark *marks;
  guint         head, n, capacity;
} TsWindowQueue;

/* By use (0 read, 1 write) and pipe. */
typedef struct
{
  TsWindowQueue queue[2][TS_N_PIPES];
  guint8        pipes[2]; /* bit per pipe that has a queue */
} TsTensorState;

typedef struct
{
  guint         pos, end;    /* next instruction, one past the last */
  guint         signal, signal_end;
  gint64        dispatch;    /* of the last instruction; 0 before any */
  gint32        dispatched;  /* that instruction; -1 none */
  TsMark        dispatcher;  /* S holds it until then */
  TsPipeState   pipes[TS_N_PIPES];
  TsTensorState *tensors;    /* per tensor */
  TsFill       *fills;       /* so far */
  guint         n_fills;
  GArray       *late;        /* TsLateFlag, so far */
} TsCoreState;

/* Pushes, pops and releases so far, per core: when they take effect. Flags use pushes (SET) and pops (WAIT). */
typedef struct
{
  GArray *pushes[TS_MAX_CORES]; /* TsMark: visible */
  GArray *pops[TS_MAX_CORES];   /* TsMark: end */
  GArray *releases[TS_MAX_CORES]; /* TsMark */
  guint   pops_end[TS_MAX_CORES]; /* behind the last instruction that pops or waits; 0: none does */
} TsChannelState;

typedef struct
{
  const TsStream        *stream;
  const TsMachineTiming *timing;
  TsSortStop     stop; /* asked while it is set up: tells progress; TRUE: cancelled */
  gconstpointer  stop_data;
  gint64         max_sync;
  gint64        *dispatch, *start, *end, *wait;
  gint32        *on, *buffer;
  guint8        *cause;
  TsSegment     *segments;
  guint32       *segment_first, *segment_end; /* per entry of stream->access */
  guint          n_segments;
  gint64        *segment_bytes; /* per segment */
  gboolean      *tensor_written;
  TsCoreState    cores[TS_MAX_CORES];
  TsChannelState *channels;
} TsScheduler;

static inline void
ts_mark_ring_add (TsMarkRing *ring, TsMark mark)
{
  ring->marks[(guint64) ring->n++ & ring->mask] = mark;
}

/* The k-th last one, k = 1 being the last; NULL: there were not so many. */
static inline const TsMark *
ts_mark_ring_back (const TsMarkRing *ring, gint64 k)
{
  return ring->n >= k ? &ring->marks[(guint64) (ring->n - k) & ring->mask] : NULL;
}

static inline void
ts_constraint_offer (TsConstraint *best, gint64 time, TsCause cause, gint32 on, gint32 through)
{
  if (time < best->time)
    return;
  if (time > best->time || cause < best->cause || (cause == best->cause && on > best->on))
    *best = (TsConstraint) { .time = time, .on = on, .through = through, .cause = cause };
}

/* A constraint through data: sync between pipes, and within V the barrier after the operation before (flags do not count). */
static inline void
ts_constraint_data (TsConstraint *best, const TsScheduler *x, const TsCoreState *core, TsMark mark, guint from, guint pipe,
                    TsCause cause, gint32 through)
{
  if (from != pipe)
    {
      ts_constraint_offer (best, mark.time + x->timing->sync[from][pipe], cause, mark.on, through);
      return;
    }
  ts_constraint_offer (best, mark.time, cause, mark.on, through);
  if (pipe == TS_PIPE_V && x->timing->sync[TS_PIPE_V][TS_PIPE_V] > 0 && core->pipes[TS_PIPE_V].last.on == mark.on)
    ts_constraint_offer (best, mark.time + x->timing->sync[TS_PIPE_V][TS_PIPE_V], TS_CAUSE_BARRIER, mark.on, through);
}

/* When the result of a scheduled operation can be read (as its column says: not shifted by a fill). */
gint64 ts_scheduler_visible (const TsScheduler *x, guint k);

/* buffers: segments.c */
/* `marks`: with the state of every segment, not only its place. When cancelled no access touches any. */
void ts_segments_init (TsScheduler *x, gboolean marks);
void ts_segments_clear (TsScheduler *x);
void ts_segments_constrain (const TsScheduler *x, const TsCoreState *core, guint i, guint pipe, TsConstraint *best);
void ts_segments_update (TsScheduler *x, guint i, guint pipe, gint64 end, gint64 visible);
/* When everyone who reads or writes the ranges of an access list has ended. */
void ts_segments_last_use (const TsScheduler *x, gint32 list, TsMark *mark);

/* global memory: windows.c */
void ts_windows_init (TsScheduler *x);
void ts_windows_free (TsScheduler *x);
void ts_windows_constrain (const TsScheduler *x, const TsCoreState *core, guint i, guint pipe, TsConstraint *best);
gboolean ts_windows_overlap (const TsScheduler *x, guint32 window, const TsWindowMark *mark);
void ts_windows_update (TsScheduler *x, TsCoreState *core, guint i, guint pipe, gint64 end, gint64 visible);

/* FIFOs, flags, barriers: signals.c */
void     ts_signals_init (TsScheduler *x);
void     ts_signals_free (TsScheduler *x);
/* Constraints of the signals that stand at the next instruction; FALSE: it has to wait for another core (nothing has changed). */
gboolean ts_signals_constrain (TsScheduler *x, guint core, guint pipe, TsConstraint *best);
/* After it was scheduled. */
void     ts_signals_update (TsScheduler *x, guint core, guint i, gint64 end, gint64 visible);
/* Releases that stand after the last instruction of a core. */
void     ts_signals_drain (TsScheduler *x, guint core);
gboolean ts_signals_describe (const TsScheduler *x, guint core, TsBlocked *blocked);

/* When a scalar made by instruction `k` is known. Instructions of a loop that was filled in happened once more at its end. */
gint64 ts_scheduler_known (const TsScheduler *x, const TsCoreState *core, gint32 k);

/* steady state: periodic.c, periodic-state.c */
typedef struct TsPeriodic TsPeriodic;
typedef enum
{
  TS_PERIODIC_GO,
  TS_PERIODIC_WAIT,    /* for the other cores to come to the same place */
  TS_PERIODIC_FAILED,  /* the state did not return where it had to */
  TS_PERIODIC_TOO_LONG,/* times leave 64 bits */
} TsPeriodicStep;
TsPeriodic    *ts_periodic_new (const TsScheduler *x);
void           ts_periodic_free (TsPeriodic *periodic);
/* To be called before the next instruction of core `k` is scheduled, and when it has none. */
TsPeriodicStep ts_periodic_visit (TsPeriodic *periodic, TsScheduler *x, guint k);
/* Does any core wait? */
gboolean       ts_periodic_waits (const TsPeriodic *periodic);
/* The repeat of the stream at which it failed; -1. */
gint32         ts_periodic_failed (const TsPeriodic *periodic);

/* How many of each there were on one core at one time. */
typedef struct
{
  guint pushes, pops, releases;
} TsTraffic;

/* One core at a boundary. */
typedef struct
{
  GArray    *numbers;  /* gint64: what decides about its next start, in terms that do not depend on when and where */
  TsTraffic *traffic;  /* per channel */
  gint64     dispatch;
  guint      pos;
} TsBoundaryState;

/* What a period uses: anything else is the same before and after it. */
typedef struct
{
  GArray *touched; /* guint32: segments */
  guint   pipes;   /* bit per pipe */
  guint   busy;    /* the same, with operations on it: not flags and barriers alone */
  guint   length;  /* instructions */
} TsPeriodUse;

void     ts_period_use_find (TsPeriodUse *use, const TsScheduler *x, const TsRepeat *repeat);
void     ts_boundary_state_write (TsBoundaryState *state, const TsScheduler *x, guint k, const TsPeriodUse *use);
void     ts_boundary_state_clear (TsBoundaryState *state);
/* Are the FIFOs and flags of all cores the same at two boundaries, each core in its own state there? `n` states, by core; numbers
 * NULL: that core has no part in it. */
gboolean ts_boundary_same_channels (const TsScheduler *x, const TsBoundaryState *const *a, const TsBoundaryState *const *b,
    guint n);

G_END_DECLS
