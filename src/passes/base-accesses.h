/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who reads and writes the allocations of a function, and when: by position in a pre-order walk. Source: spec passes-memory 4. */
#pragma once

#include "base/map.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* Accesses of every base, as they are before anything is moved. Answers hold as long as the function does not change. */
typedef struct
{
  GArray *rows;       /* Access, those of one base in a row, by ascending position */
  TsMap   first_of;   /* base id to its first access in `rows` */
  TsMap   last_of;    /* and to its last one */
  TsMap   later_base; /* base id of a copy, or of the result of a while loop, to the base id it will be moved onto */
  TsMap   start_of;   /* id of an operation with regions to its own position */
  TsMap   end_of;     /* operation id to the last position of its regions, its own where it has none */
  TsMap   birth_of;   /* value id to the position from which on its contents are there; absent: since before the function */
  guint32 position;   /* of the next operation */
  guint64 n_looked;   /* accesses looked at one by one */
} TsBaseAccesses;

/* Collects the accesses of a function. To be given back with ts_base_accesses_clear. O(operands). */
void     ts_base_accesses_init (TsBaseAccesses *a, const TsFunction *function);
void     ts_base_accesses_clear (TsBaseAccesses *a);

/* Id of the base a MemRef will be on in the end. A copy, and the result of a while loop (3.3), may have a base of its own, but a
 * later repair puts them onto that of the source or the initial value: who reads them reads that one. */
guint64  ts_base_accesses_base (const TsBaseAccesses *a, const TsMemRef *memref);

/* Last position of an operation; later operations have greater ones. */
guint32  ts_base_accesses_end (const TsBaseAccesses *a, const TsOp *op);

/* Does a later sibling, in any sequence from the operation's own out to the body of the nearest FOR, touch the base? */
gboolean ts_base_touched_later (const TsBaseAccesses *a, const TsOp *op, guint64 base);

/* Is what `first` left on the base still needed once `second`, a later operation, has written: behind it, or in the next trip of a
 * loop that contains `second` but not `first`? What only comes about later on the same base (the result of an IF or loop around
 * `second`) is something else and does not count. TRUE, too, when it would take too long to tell. */
gboolean ts_base_needed_after (TsBaseAccesses *a, const TsOp *first, const TsOp *second, guint64 base);

G_END_DECLS
