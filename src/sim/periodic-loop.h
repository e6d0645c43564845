/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops with many iterations, of which only the first and the last are executed. */
#pragma once

#include "sim/execute-private.h"

G_BEGIN_DECLS

#define TS_MAX_PERIOD 64 /* iterations after which instructions may be the same again */

/* What is known of a value that a loop carries: how it goes on, and what it was. */
typedef struct
{
  guint8 change; /* ChangeKind: what this iteration takes for granted */
  guint8 tries;
  guint8 number;
  guint8 moves[TS_MAX_LEVELS]; /* how it changes from one iteration of an outer loop to the next is not the same in each of ours */
  gint64 stride;
  gint64 history[2 * TS_MAX_PERIOD]; /* of iteration k at k % length: the number, or what tells other values apart */
} Carried;

/* One execution of a loop that may turn out to repeat itself. */
typedef struct PeriodicLoop
{
  guint    level;     /* index in x->levels; TS_MAX_LEVELS: it is not looked at */
  gboolean over;      /* nothing is left out any more */
  gint32   loop;
  const TsOp *op;
  gint64   trips, k;  /* iterations; the one at hand */
  gint64   base;      /* the first one since something was left out */
  gint64   settle;    /* iterations to execute from there before the rest is left out */
  guint    patience;
  gint64   period;    /* iterations until the instructions are the same again */
  gint64   failed_at, unsettled_at; /* last iteration in which something depended on what cannot be told; or a guess was changed */
  guint32  began, iteration; /* epochs */
  gint64   steps, base_steps;
  gint64   horizon[TS_MAX_PERIOD]; /* of each of the last iterations: the first one in which a comparison will come out otherwise */
  GArray  *starts;    /* guint: first instruction of each iteration since `base` */
  Carried *carried;
  guint    n_carried;
  gint64   popped;    /* pops of the core when it began */
  gint64   omitted;   /* iterations left out so far */
} PeriodicLoop;

void   periodic_loop_begin (PeriodicLoop *p, Exec *x, const Node *node, gint64 trips, guint n_carried);
/* Before iteration k: how many iterations to leave out. */
gint64 periodic_loop_visit (PeriodicLoop *p, Exec *x, gint64 k);
/* A value is carried to the next iteration: marks `cell` with how it changes. */
void   periodic_loop_carry (PeriodicLoop *p, guint i, const Cell *old, Cell *cell);
void   periodic_loop_end (PeriodicLoop *p, Exec *x);
/* Least common multiple of periods; 0 when it is too long to be of use. */
gint64 periodic_join (gint64 a, gint64 b);
/* The induction variable. */
void   periodic_loop_mark (const PeriodicLoop *p, gint64 step, Cell *cell);

/* Something that shapes the instructions depends on a value: on none that changes, on one that comes round, or on one that does
 * not. */
void   periodic_decide (Exec *x, const Cell *cell);
/* An offset into global memory may also move on evenly. */
void   periodic_place (Exec *x, const Cell *cell);
/* A variable has been read into `cell`: what is known of its changes is put into terms of the loops that run now. */
void   periodic_read (Exec *x, Cell *cell);
/* How the result of an operator changes. */
void   periodic_combine (Exec *x, TsOperator op, const Cell *a, const Cell *b, Cell *result);
/* The same with numbers of its own choice instead of the cells' values. */
void   periodic_combine_numbers (Exec *x, TsOperator op, const Cell *a, gint64 value_a, const Cell *b, gint64 value_b,
    Cell *result);
/* The result is that of one operand. */
void   periodic_copy (const Cell *from, Cell *result);
/* The result depends on an operand in a way that is not followed. */
void   periodic_lose (Exec *x, const Cell *operand, Cell *result);
/* The result stays as it is while the sign of `value` (which changes as `cell` does) stays: < 0 or >= 0. */
void   periodic_watch_sign (Exec *x, const Cell *cell, gint64 value);

G_END_DECLS
