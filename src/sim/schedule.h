/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schedule of a stream: when each instruction is dispatched, starts and ends, and which constraint decided it.
 * Source: spec simulator.md section 3. Knows nothing of the IR. Linear in the number of instructions.
 *
 * Where the specification leaves room, this holds (the slow scheduler of the tests does the same):
 * - S is the dispatcher itself: an instruction on S is dispatched in the cycle in which it starts, whatever the queue depth.
 * - One transfer in flight: end = start + occupancy, visible = start + latency. Several: end = visible = max (start + latency,
 * end of the one before on the pipe + transfer), and a start also waits for the end of the n-th previous one.
 * - A pipe is an in-order queue (machines.md b): also with several in flight none starts before the one in front of it.
 * - Flags and barriers are instructions of their pipe: they pass through its queue in order, and the next one waits for their end.
 * They move and compute nothing: they take no place among what is in flight, and are no vector operation. A flag is set when all
 * that stands before it on its pipe is over (ended and visible), and its own cycles; it does not hold the pipe until then. One that
 * is waited for is seen the flag cost later.
 * - Among equal times the cause earlier in TsCause wins; among equal causes the later instruction; then the access listed first.
 * - A vector operation that depends on the vector operation before it pays the barrier cost, whatever flags stand between them;
 * that constraint is BARRIER.
 * - Global memory is ordered within a core; between cores only FIFOs order anything. */
#pragma once

#include <gio/gio.h>

#include "sim/stream.h"

G_BEGIN_DECLS

/* In the order in which ties are decided. */
typedef enum
{
  TS_CAUSE_RAW,
  TS_CAUSE_WAR,
  TS_CAUSE_WAW,
  TS_CAUSE_MEMORY,   /* global memory */
  TS_CAUSE_FIFO,     /* full or empty FIFO; a flag */
  TS_CAUSE_BARRIER,
  TS_CAUSE_PIPE,     /* the pipe is busy */
  TS_CAUSE_SCALAR,   /* a scalar operand */
  TS_CAUSE_QUEUE,    /* the pipe's queue is full */
  TS_CAUSE_DISPATCH, /* in-order dispatch */
  TS_CAUSE_NONE,     /* starts at 0: nothing held it */
  TS_N_CAUSES,
} TsCause;

const char *ts_cause_name (TsCause cause); /* "raw", ..., "none" */

#define TS_TIME_NONE ((gint64) -1)

/* What stopped a core for good. */
typedef struct
{
  guint  core;
  gint32 site;     /* the statement that waits; -1 none */
  guint  instruction;
  gint32 channel;
  gboolean is_push;
  gint64 count;    /* it is the count-th push or pop (from 0) of this core on the channel */
} TsBlocked;

/* How the scheduler dealt with a TsRepeat of the stream. */
typedef struct
{
  guint  from;  /* instructions from .. at - 1 stand for themselves and `times` more copies of them */
  guint  at;
  guint  core;
  gint32 parent;/* fill that this one lies in: its copies hold ours again; -1 none */
  gint64 times;
  gint64 cycles;/* each copy takes so long; everything from `at` on is later by times x cycles */
  gint64 time;  /* when instruction `at` would have been the next to dispatch, had nothing been left out (earlier fills counted) */
} TsFill;

/* A flag that is set later than its instruction ends: what stands before that on the pipe is not over yet. */
typedef struct
{
  guint  instruction;
  gint32 on;      /* the instruction before it that is over last */
  gint64 visible; /* when it is set */
} TsLateFlag;

typedef enum
{
  TS_SCHEDULE_DONE,
  TS_SCHEDULE_DEADLOCK,  /* cores wait for each other, or for a push or pop that never comes: see `blocked` */
  TS_SCHEDULE_CANCELLED, /* what was scheduled so far stands */
  TS_SCHEDULE_NOT_PERIODIC, /* the state did not return at a TsRepeat: simulate the loop in full instead */
  TS_SCHEDULE_OVERFLOW,  /* times left 64 bits: absurd costs */
} TsScheduleStatus;

/* Columns, entry i for instruction i. Times in cycles. Instructions that were never reached have dispatch, start and end
 * TS_TIME_NONE. */
typedef struct
{
  guint         n_instructions;
  const gint64 *dispatch;
  const gint64 *start;
  const gint64 *end;     /* bar on the timeline: [start, end) */
  const gint64 *wait;    /* cycles the pipe stood idle directly before the start */
  const gint32 *on;      /* instruction that the binding constraint refers to; -1 none */
  const gint32 *buffer;  /* buffer it goes through (RAW, WAR, WAW, BARRIER); tensor for MEMORY; channel for FIFO; -1 none */
  const guint8 *cause;   /* TsCause */
  gint64        makespan;/* when everything has ended and every result is visible */
  TsScheduleStatus status;
  TsBlocked     blocked[TS_MAX_CORES];
  guint         n_blocked;
  const TsFill *fills;   /* one per repeat of the stream, in their order; cores of a group have the same ones */
  guint         n_fills;
  const TsLateFlag *late;/* by instruction */
  guint         n_late;
  gint32        failed;  /* NOT_PERIODIC: the repeat of the stream at which the state did not return; -1: cores are not in step */
} TsSchedule;

typedef void (*TsSimProgress) (const char *what, gint64 done, gint64 total, gpointer data);

/* Never NULL; `status` says whether it is whole: one that was cancelled has no instructions. Looks at `cancellable` (may be
 * NULL) every few thousand instructions. */
TsSchedule *ts_schedule_new (const TsStream *stream, const TsMachineTiming *timing, GCancellable *cancellable,
                             TsSimProgress progress, gpointer data);
void        ts_schedule_free (TsSchedule *schedule);
gsize       ts_schedule_bytes (const TsSchedule *schedule);

/* NULL: the flag is set when its instruction ends (or it is none). O(log n). */
const TsLateFlag *ts_schedule_late (const TsSchedule *schedule, guint i);

/* When the result of an instruction can be read (a flag: when it is set); TS_TIME_NONE when it was never reached. */
static inline gint64
ts_schedule_visible (const TsSchedule *schedule, const TsStream *stream, const TsMachineTiming *timing, guint i)
{
  if (schedule->start[i] < 0)
    return TS_TIME_NONE;
  const TsSite *site = ts_stream_site (stream, i);
  const TsLateFlag *late = site->sync == TS_SYNC_SET ? ts_schedule_late (schedule, i) : NULL;
  if (late != NULL)
    return late->visible;
  if (timing->in_flight[site->pipe] > 1 && site->sync == TS_SYNC_NONE)
    return schedule->end[i];
  return schedule->start[i] + stream->costs[stream->cost[i]].latency;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSchedule, ts_schedule_free)

G_END_DECLS
