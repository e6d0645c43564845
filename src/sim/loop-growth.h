/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast the longest chain through a statement grows, per iteration of a loop around it. Source: spec simulator.md section 4,
 * `rec_mii`.
 *
 * Only the last TS_GROWTH_WINDOW iterations of an execution decide. They are the same whether the iterations before were executed
 * or filled in: these and a period on either side are executed behind every gap (periodic-loop.c), and depths are exact there. */
#pragma once

#include "sim/column.h"

G_BEGIN_DECLS

#define TS_GROWTH_WINDOW 32u /* iterations */

/* Depths of one statement by iteration, the last ones of an execution of the loop. Zeroed: nothing is known. */
typedef struct
{
  gint64 index;      /* iteration in which it ran last, */
  gint64 depth;      /* and the chain that ended with it then, cycles */
  gint64 before;     /* the chain that ended with it the time before, */
  gint64 distance;   /* so many iterations earlier; 0: it ran once in this execution */
  gint64 growth;     /* per iteration, rounded up, of the last execution in which it came round */
  guint  few, many;  /* entries + 1 of the columns below; 0: none yet */
  guint  n;          /* depths kept, one per iteration up to `index`: of one where it did not run, the one before */
} TsGrowth;

/* Depths kept of statements that ran a few times, and of those that ran often. */
typedef struct
{
  TsColumn few, many;
} TsGrowthStore;

void ts_growth_store_init (TsGrowthStore *store);
void ts_growth_store_clear (TsGrowthStore *store);
/* The statement runs for the first time in an execution of the loop. What the execution before told is settled first. */
void ts_growth_begin (TsGrowthStore *store, TsGrowth *growth, gint64 index, gint64 depth);
/* It runs again, in a later iteration of the same execution. */
void ts_growth_again (TsGrowthStore *store, TsGrowth *growth, gint64 index, gint64 depth);
/* Cycles per iteration, rounded up, that the chain grew by in the last execution in which the statement came round; 0: in none. */
gint64 ts_growth_settle (const TsGrowthStore *store, TsGrowth *growth);

G_END_DECLS
