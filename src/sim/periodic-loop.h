/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops with many iterations, of which only the first and the last are executed. */
#pragma once

#include "sim/execute-private.h"

G_BEGIN_DECLS

/* One execution of a loop that may turn out to repeat itself. */
typedef struct PeriodicLoop
{
  gboolean active;
  gint32   loop;
  const TsOp *op;
  gint64   trips, settle; /* iterations; how many to execute before the rest is left out */
  gint64   period;        /* iterations until the instructions are the same again */
  guint    signals;
  guint    boundary[TS_REPEAT_BOUNDARIES];
} PeriodicLoop;

void   periodic_loop_begin (PeriodicLoop *p, Exec *x, const Node *node, gint64 trips);
/* Before iteration k: how many iterations to leave out. */
gint64 periodic_loop_visit (PeriodicLoop *p, Exec *x, gint64 k);
void   periodic_loop_end (PeriodicLoop *p, Exec *x);

/* Something that shapes the instructions depends on a value: on none that changes, on one that comes round, or on one that does
 * not. */
void   periodic_decide (Exec *x, const Cell *cell);
/* An offset into global memory may also move on evenly. */
void   periodic_place (Exec *x, const Cell *cell);
/* A variable is read: fails when an earlier iteration left it. */
void   periodic_read (Exec *x, const Cell *cell);
/* How the result of an operator changes. */
void   periodic_combine (TsOperator op, const Cell *a, const Cell *b, Cell *result);

G_END_DECLS
