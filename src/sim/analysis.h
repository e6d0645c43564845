/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the results, shared by its files. */
#pragma once

#include "base/number.h"
#include "sim/column.h"
#include "sim/result.h"

G_BEGIN_DECLS

/* How far the results are, for whoever waits for them. */
typedef struct
{
  TsSimProgress tell; /* may be NULL */
  gpointer      data;
  guint         phase; /* of TS_ANALYSIS_PHASES, each as long as the stream */
  gint64        done;  /* said last: it never goes back */
} TsAnalysisProgress;
#define TS_ANALYSIS_PHASES 8u
#define TS_ANALYSIS_LOOK_EVERY 4096u /* instructions, or entries, between two looks at the cancellable */

/* Loops that were filled in are looked at "glued": as if the iterations left out did not exist. What happens in the last period
 * before the gap then counts once for itself and once for every copy. */
typedef struct
{
  const TsStream        *stream;
  const TsSchedule      *schedule;
  const TsMachine       *machine;
  const TsMachineTiming *timing;
  GCancellable          *cancellable;
  TsAnalysisProgress    *progress;
  gint64                *depth; /* per instruction: longest RAW chain that ends with it, cycles */
} TsAnalysis;

/* What the instructions of one pipe ask of it, together. */
typedef struct
{
  gint64 occupancy;         /* of all of them */
  gint64 transfer, latency; /* of operations: what passes through the places in flight */
  gint64 sync;              /* occupancy of flags and barriers: they take no such place */
} TsPipeNeed;

static inline void
ts_pipe_need_add (TsPipeNeed *need, const TsSite *site, const TsCost *cost, gint64 weight)
{
  gint64 occupancy = ts_mul_sat (cost->occupancy, weight);

  need->occupancy = ts_add_sat (need->occupancy, occupancy);
  if (site->sync != TS_SYNC_NONE)
    {
      need->sync = ts_add_sat (need->sync, occupancy);
      return;
    }
  need->transfer = ts_add_sat (need->transfer, ts_mul_sat (cost->transfer, weight));
  need->latency = ts_add_sat (need->latency, ts_mul_sat (cost->latency, weight));
}

/* With several in flight a pipe needs at least its bandwidth, each of its places the operations that pass through it, and flags and
 * barriers one after the other. */
static inline gint64
ts_pipe_need_cycles (const TsPipeNeed *need, const TsMachineTiming *timing, guint pipe)
{
  gint64 flight = MAX (timing->in_flight[pipe], 1);

  if (flight == 1)
    return need->occupancy;
  return MAX (MAX (need->transfer, need->sync), ts_ceil_div (need->latency, flight));
}

/* Start with zeros and ask in ascending order. */
typedef struct
{
  guint  next;  /* the first fill that ends behind the instruction asked for last */
  guint  core;
  gint64 shift; /* what the fills of that core have added so far */
} TsFillCursor;

/* How often an instruction counts: once for itself and for every copy, also of the copies of what it lies in. */
static inline gint64
ts_analysis_weight (const TsAnalysis *a, guint i, TsFillCursor *cursor)
{
  const TsFill *fills = a->schedule->fills;
  gint64 weight = 1;

  while (cursor->next < a->schedule->n_fills && fills[cursor->next].at <= i)
    cursor->next++;
  for (gint32 f = cursor->next < a->schedule->n_fills ? (gint32) cursor->next : -1; f >= 0; f = fills[f].parent)
    if (fills[f].from <= i)
      weight = ts_mul_sat (weight, 1 + fills[f].times);
  return weight;
}

/* What the fills of its core before instruction i have added to its times. */
static inline gint64
ts_analysis_shift (const TsAnalysis *a, guint i, TsFillCursor *cursor)
{
  for (; cursor->next < a->schedule->n_fills && a->schedule->fills[cursor->next].at <= i; cursor->next++)
    {
      const TsFill *fill = &a->schedule->fills[cursor->next];
      cursor->shift = (fill->core == cursor->core ? cursor->shift : 0) + fill->times * fill->cycles;
      cursor->core = fill->core;
    }
  return cursor->shift != 0 && ts_stream_site (a->stream, i)->core == cursor->core ? cursor->shift : 0;
}

/* The entries of a column in order, owned by the caller (g_free), the column then empty: NULL when cancelled, and *n is 0. */
gpointer ts_analysis_sort (const TsAnalysis *a, TsColumn *column, GCompareFunc compare, guint *n);
/* Says that instruction (or entry) `i` of the phase has been reached; TRUE: cancelled. */
gboolean ts_analysis_look (const TsAnalysis *a, guint i);

/* The same for a TsSortStop: `analysis` is a TsAnalysis. */
gboolean ts_analysis_stop_sorting (gconstpointer analysis);

/* As ts_analysis_look(), every few thousand entries: a millisecond at most. Every loop over the stream asks. */
static inline gboolean
ts_analysis_stop (const TsAnalysis *a, guint i)
{
  return i % TS_ANALYSIS_LOOK_EVERY == 0 && ts_analysis_look (a, i);
}

/* depth.c: fills a->depth; returns the longest chain of all, fills counted. */
gint64 ts_analyse_depth (TsAnalysis *a);
/* loops.c; the array is of stream->n_loops entries at most, *n those that had instructions. NULL when cancelled. */
TsLoopResult *ts_analyse_loops (const TsAnalysis *a, guint *n);
/* memory.c; arrays inside are owned by the result. */
TsMemoryResult *ts_analyse_memory (const TsAnalysis *a, guint *n);
void            ts_memory_results_free (TsMemoryResult *memory, guint n);

G_END_DECLS
