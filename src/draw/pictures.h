/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a run to what the views draw: the one place that knows the simulator's results and the inputs of the layouts. */
#pragma once

#include <gio/gio.h>

#include "draw/dag.h"
#include "draw/figure.h"
#include "draw/timeline.h"
#include "run/run.h"
#include "sim/simulate.h"

G_BEGIN_DECLS

/* "load x_0", "exp": what an operation is called on bars, nodes and in lists. `names` are the printed names of values by id, as in
 * TsSnapshotText, or NULL. Free with g_free. */
char       *ts_picture_op_name (const TsOp *op, const GPtrArray *names);
/* "after CanonicalizeIOOrder", "as parsed". Free with g_free. */
char       *ts_picture_snapshot_title (const TsSnapshot *snapshot);
/* "1 404 cycles · interval 468 · bound 1 080 (vector) · 77 %". Free with g_free. */
char       *ts_picture_figures (const TsSimulation *simulation);
/* The line under a title: "main · after CanonicalizeIOOrder · ascend910b, simulated · 1 404 cycles · ...". `simulation` NULL: up to
 * the machine. Free with g_free. */
char       *ts_picture_subtitle (TsRun *run, guint index, const char *function, const TsSimulation *simulation);

/* What a figure of this view remembers, among it the input's text where that is small (draw/open.h reads it back); range, theme and
 * sizes are added by whoever draws. Free with ts_figure_free. */
TsFigureInfo   *ts_picture_figure (TsRun *run, guint index, const char *function, const char *view);

/* The timeline of a simulation of snapshot `index`. NULL only when cancelled. O(instructions x log). */
TsTimeline *ts_picture_timeline (TsRun *run, guint index, const TsSimulation *simulation, gboolean since,
                                 GCancellable *cancellable);

/* What may be asked of a graph; zero is the default. */
typedef struct
{
  const struct TsDag *previous; /* keeps places; may be NULL */
  gint32              focus;    /* operation; with hops > 0 only its neighbourhood is drawn */
  guint               hops;
  gboolean            left_to_right;
} TsDagOptions;

/* The graph of a function, with the buffer and memory edges that decided a start in `simulation` (which may be NULL). NULL only
 * when cancelled. `function` must stand in the snapshot's module. */
TsDag      *ts_picture_dag (TsRun *run, guint index, const TsFunction *function, const TsSimulation *simulation,
                            const TsDagOptions *options, TsMeasurer *measurer, GCancellable *cancellable);

G_END_DECLS
