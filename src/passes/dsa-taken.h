/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bytes a buffer cannot have, or not for nothing, given those placed before it. For dsa-place.c only. */
#pragma once

#include "passes/dsa-place.h"

G_BEGIN_DECLS

typedef struct _TsDsaTaken TsDsaTaken;

TsDsaTaken *ts_dsa_taken_new (const TsDsaRelations *relations);
void        ts_dsa_taken_free (TsDsaTaken *taken);
/* Forgets all that is placed. `soft`: bytes that cost something are taken as well. */
void        ts_dsa_taken_reset (TsDsaTaken *taken, gboolean soft);
/* Buffer i lies at `start`, which is aligned, from now on. */
void        ts_dsa_taken_add (TsDsaTaken *taken, guint32 i, gint64 start);
/* The lowest address from `lowest` on where buffer i, with its aligned size, gets no taken bytes; some address above `limit` when
 * there is none up to there. */
gint64      ts_dsa_taken_first_gap (TsDsaTaken *taken, guint32 i, gint64 lowest, gint64 limit);
/* Steps taken so far. */
guint64     ts_dsa_taken_work (const TsDsaTaken *taken);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDsaTaken, ts_dsa_taken_free)

G_END_DECLS
