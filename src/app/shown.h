/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything the views need of one snapshot, made on a worker thread and never changed afterwards. */
#pragma once

#include <gio/gio.h>

#include "draw/dag.h"
#include "draw/picture-charts.h"
#include "draw/timeline.h"
#include "run/run.h"
#include "sim/simulate.h"

G_BEGIN_DECLS

/* Which way a graph runs. */
typedef enum { TS_DIRECTION_BY_SHAPE, TS_DIRECTION_DOWN, TS_DIRECTION_RIGHT } TsDirectionChoice;

typedef struct
{
  gint                  refs;         /* atomic */
  TsRun                *run;
  guint                 index;
  const TsSnapshot     *snapshot;     /* the rest is owned by the run, or by this */
  const TsSnapshotText *text;         /* NULL: there is none, see `problem` */
  const TsRunFunction  *functions;
  guint                 n_functions;
  char                 *function;     /* the one that is drawn, or NULL */
  const TsFunction     *ir;           /* of `function`, or NULL */
  const TsSimulation   *simulation;   /* NULL: cannot be simulated, see `no_schedule` */
  char                 *no_schedule;  /* one sentence: why there is no timeline */
  char                 *no_graph;     /* one sentence: why there is no graph */
  TsTimeline           *timeline;     /* NULL together with `simulation` */
  TsDag                *dag;          /* NULL: see `no_graph` */
  gboolean              left_to_right; /* direction of the graph */
  TsPictureMap         *map;          /* NULL: see `no_map` */
  char                 *no_map;       /* one sentence: why there is no memory map */
  gint                  map_at;       /* ... and the snapshot that has one; -1: none */
  GArray               *followed;     /* gint32: what the selection's anchor is here */
  gboolean              inferred;     /* ... which was found by matching, not recorded */
} TsShown;

typedef struct
{
  TsRun           *run;
  guint            index;
  char            *function;     /* wanted, or NULL */
  gint32           anchor_op;    /* selection to follow, -1 none */
  guint            anchor_index;
  TsDag           *previous_dag; /* or NULL */
  TsDirectionChoice direction;
  TsRunProgress    progress;
  gpointer         progress_data;
} TsShowRequest;

TsShowRequest *ts_show_request_new (TsRun *run, guint index, const char *function);
void           ts_show_request_free (gpointer request);

/* A TsJobWork: TsShowRequest to TsShown. Fails only when cancelled: whatever cannot be made is named instead. */
gpointer       ts_show_work (gpointer request, GCancellable *cancellable, GError **error);

TsShown       *ts_shown_ref (TsShown *shown);
void           ts_shown_unref (gpointer shown);

/* "load x_0": what an operation is called in lists and titles. Free with g_free. */
char          *ts_shown_op_name (const TsShown *shown, const TsOp *op);
const TsOp    *ts_shown_op (const TsShown *shown, gint32 op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsShown, ts_shown_unref)

G_END_DECLS
