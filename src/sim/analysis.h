/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the results, shared by its files. */
#pragma once

#include "sim/result.h"

G_BEGIN_DECLS

/* Loops that were filled in are looked at "glued": as if the iterations left out did not exist. What happens in the last period
 * before the gap then counts once for itself and once for every copy. */
typedef struct
{
  const TsStream        *stream;
  const TsSchedule      *schedule;
  const TsMachine       *machine;
  const TsMachineTiming *timing;
  GCancellable          *cancellable;
  gint64                *depth; /* per instruction: longest RAW chain that ends with it, cycles */
} TsAnalysis;

/* How often an instruction counts. `fill` is a cursor: start with 0 and ask in ascending order. */
static inline gint64
ts_analysis_weight (const TsAnalysis *a, guint i, guint *fill)
{
  while (*fill < a->schedule->n_fills && a->schedule->fills[*fill].at <= i)
    (*fill)++;
  return *fill < a->schedule->n_fills && a->schedule->fills[*fill].from <= i ? 1 + a->schedule->fills[*fill].times : 1;
}

/* What the fills before instruction i have added to its times. */
static inline gint64
ts_analysis_shift (const TsAnalysis *a, guint i, guint *fill, gint64 *shift)
{
  while (*fill < a->schedule->n_fills && a->schedule->fills[*fill].at <= i)
    {
      *shift += a->schedule->fills[*fill].times * a->schedule->fills[*fill].cycles;
      (*fill)++;
    }
  return *shift;
}

/* Stable, by merging sorted blocks; looks at the cancellable between them and then leaves the array half sorted. */
void ts_analysis_sort (GArray *array, GCompareFunc compare, GCancellable *cancellable);
static inline gboolean
ts_analysis_stop (const TsAnalysis *a, guint i)
{
  return i % 65536 == 0 && g_cancellable_is_cancelled (a->cancellable);
}

/* depth.c: fills a->depth; returns the longest chain of all, fills counted. */
gint64 ts_analyse_depth (TsAnalysis *a);
/* loops.c; the array is of stream->n_loops entries at most, *n those that had instructions. NULL when cancelled. */
TsLoopResult *ts_analyse_loops (const TsAnalysis *a, guint *n);
/* memory.c; arrays inside are owned by the result. */
TsMemoryResult *ts_analyse_memory (const TsAnalysis *a, guint *n);
void            ts_memory_results_free (TsMemoryResult *memory, guint n);

G_END_DECLS
