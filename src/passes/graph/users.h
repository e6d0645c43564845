/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The users of one value, in walk order: kept untidy by rewrites, tidied when somebody asks, so that a rewrite pays for what it
 * touched even where thousands use the value. */
#pragma once

#include "passes/graph/graph.h"

G_BEGIN_DECLS

/* All zero: no users. */
typedef struct
{
  guint32 n_uses;   /* an operation that reads the value twice counts twice */
  guint32 n, room;  /* entries, and places for them; 0: the one in place */
  guint32 n_sorted; /* so many of the first are in walk order */
  guint32 has_gone : 1; /* some entries are no users any more */
  guint32 tidied : 31;  /* serial of the rewrite that was the last when the list was tidied */
  guint32 changed;  /* serial of the last rewrite that changed the users */
  union
  {
    TsOp  *one;
    TsOp **many;
  } ops;
} TsGraphUserList;

void ts_user_list_clear (TsGraphUserList *list);
/* One use more by an operation that comes behind all there are. */
void ts_user_list_append (TsGraphUserList *list, TsOp *op);
/* One use more by an operation wherever it stands. */
void ts_user_list_add (TsGraphUserList *list, TsOp *op);
/* One use less by an operation that stays in the function; `serial` of the rewrite that is under way. */
void ts_user_list_remove (TsGraphUserList *list, const TsGraph *graph, const TsOp *op, guint serial);
/* One use less by an operation that has left the function. */
void ts_user_list_forget (TsGraphUserList *list);
/* Each once, in walk order. Valid until the list changes. */
TsOp *const *ts_user_list_get (TsGraphUserList *list, const TsGraph *graph, guint serial, guint *n);

G_END_DECLS
