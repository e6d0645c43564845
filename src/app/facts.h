/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the inspector says, as data: headings, sentences and rows. Needs no window. */
#pragma once

#include "app/selection.h"
#include "app/shown.h"

G_BEGIN_DECLS

typedef enum
{
  TS_FACT_HEADING,  /* text */
  TS_FACT_SENTENCE, /* text */
  TS_FACT_ROW,      /* key and text */
} TsFactKind;

typedef struct
{
  TsFactKind kind;
  char      *key;  /* of a row */
  char      *text;
  gint32     op;   /* what it speaks of, to be selected by a click; -1: nothing */
} TsFact;

/* Lists of facts are GPtrArrays of TsFact that own them. */

/* About the selection, or about the whole snapshot when nothing is selected. `n_ops` counts what is selected. Never empty. */
GPtrArray  *ts_facts_new (const TsShown *shown, TsPick pick, guint n_ops);

/* "mte-in stood idle 96 cycles before load x_1. It waits until exp has read buffer mem_vec_3 (write after read)."
 * NULL when the event did not wait. Free with g_free. */
char       *ts_facts_why (const TsShown *shown, gint32 event);
/* The on-chip buffer through which an event waited; NULL when there is none. */
const TsBuffer *ts_facts_blamed_buffer (const TsShown *shown, gint32 event);
/* The pair of operations whose sharing of a buffer is behind the wait of an event; FALSE when no buffer is. */
gboolean    ts_facts_shared_pair (const TsShown *shown, gint32 event, gint32 *op, gint32 *on);

G_END_DECLS
