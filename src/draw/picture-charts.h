/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a run to the inputs of memory map, bill and fold; see pictures.h for timeline and graph. */
#pragma once

#include "draw/bill-chart.h"
#include "draw/fold-chart.h"
#include "draw/memory-map.h"
#include "run/run.h"

G_BEGIN_DECLS

/* What a map is drawn from; the run must outlive it. */
typedef struct
{
  TsMapInput input; /* without notes: they take a walk over earlier snapshots */
  char      *title, *subtitle;
  GArray    *remarks;
} TsPictureMap;

/* NULL with a TsRunError (or cancelled) when the function has no buffers in this snapshot. `function` NULL: the picked one. */
TsPictureMap *ts_picture_map (TsRun *run, guint index, const char *function, GCancellable *cancellable, GError **error);
void          ts_picture_map_free (TsPictureMap *map);

/* Per collapse of the facts: "since MemoryReuse", and the step that allowed it; entries may be NULL. */
typedef struct
{
  char **since, **rules;
  guint  n;
} TsPictureNotes;

/* Never NULL; when cancelled the rest is missing. Simulates earlier snapshots. */
TsPictureNotes *ts_picture_notes (TsRun *run, guint index, const TsMemoryFacts *facts, GCancellable *cancellable);
void            ts_picture_notes_free (TsPictureNotes *notes);

/* The pass since which two operations share a buffer, its snapshot in *since, and in *rule the step that allowed it, in words, or
 * NULL. NULL: they have shared it from the start. `buffer` NULL: any. Free both with g_free. */
char *ts_picture_sharing (TsRun *run, guint index, const char *function, gint32 op, gint32 on, const char *buffer, guint *since,
                          char **rule, GCancellable *cancellable);

/* The bill of a function over all snapshots; simulates each. Bytes are those of the on-chip spaces together. */
typedef struct
{
  TsBillInput input;
  GArray     *rows;      /* TsBillBar; texts belong to the run */
  char       *title, *subtitle;
} TsPictureBill;

/* NULL only when cancelled. */
TsPictureBill *ts_picture_bill (TsRun *run, const char *function, GCancellable *cancellable);
void           ts_picture_bill_free (TsPictureBill *bill);

/* Bounds of the loop that the fold of this timeline shows. */
void           ts_picture_fold (const TsSimulation *simulation, const TsTimeline *timeline, TsFoldInput *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPictureMap, ts_picture_map_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPictureNotes, ts_picture_notes_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPictureBill, ts_picture_bill_free)

G_END_DECLS
