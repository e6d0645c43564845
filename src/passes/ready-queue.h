/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of small numbers with a fast minimum: a tree of bit words, 64 children to a node. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define TS_READY_NONE G_MAXUINT32

typedef struct TsReadyQueue TsReadyQueue;

/* Numbers 0 .. n - 1; empty at first. Every operation takes O(log64 n). */
TsReadyQueue *ts_ready_queue_new (guint32 n);
void          ts_ready_queue_free (TsReadyQueue *queue);
void          ts_ready_queue_add (TsReadyQueue *queue, guint32 number);
void          ts_ready_queue_remove (TsReadyQueue *queue, guint32 number);
/* The least number; TS_READY_NONE when the set is empty. */
guint32       ts_ready_queue_first (const TsReadyQueue *queue);
/* The least number above `number`; TS_READY_NONE when there is none. */
guint32       ts_ready_queue_next (const TsReadyQueue *queue, guint32 number);

G_END_DECLS
