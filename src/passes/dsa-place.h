/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the next buffer of an order fits, given those placed before it. For dsa-rp.c only. */
#pragma once

#include "passes/dsa-rp.h"

G_BEGIN_DECLS

/* The relations of kinds as tables, and the pairs by buffer. */
typedef struct
{
  const TsDsaProblem *problem;
  guint32  *local;       /* per kind: its number within its family */
  guint32  *family_size; /* per family */
  guint32  *members, *first_member; /* kinds by family; n_kinds + 1 */
  gint64  **table;       /* per family: relation by (earlier, later); NULL: too large, ask */
  guint32  *pair_start;  /* per buffer: its pairs, both directions; n + 1 */
  TsDsaPair *pairs;      /* `a` is the buffer itself */
} TsDsaRelations;

void ts_dsa_relations_init (TsDsaRelations *relations, const TsDsaProblem *problem);
void ts_dsa_relations_clear (TsDsaRelations *relations);
/* For kinds of one family. */
gint64 ts_dsa_relation (const TsDsaRelations *relations, guint32 earlier, guint32 later);

typedef struct _TsDsaPlacer TsDsaPlacer;

TsDsaPlacer *ts_dsa_placer_new (const TsDsaRelations *relations);
void         ts_dsa_placer_free (TsDsaPlacer *placer);
/* Forgets all that is placed. `first_fit`: penalties do not count in the choice. */
void         ts_dsa_placer_reset (TsDsaPlacer *placer, gboolean first_fit);
/* Places buffer i at the address of the least (penalty, address). FALSE: none is free. `added` gets the penalty. */
gboolean     ts_dsa_placer_place (TsDsaPlacer *placer, guint32 i, gint64 *offset, gint64 *added);
/* Steps taken so far, over all orders: what a bound can be put on. */
guint64      ts_dsa_placer_work (const TsDsaPlacer *placer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDsaPlacer, ts_dsa_placer_free)

G_END_DECLS
