/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timeline: lanes of units in data-flow order, bars, waits, loop band, ruler, live bytes. Source: design.md 6, ux.md 2.
 *
 * Two steps. ts_timeline_new() sorts the events of a schedule into rows and builds a pyramid per row, once, in a worker.
 * ts_timeline_scene() then draws any range at any zoom from it in time that depends on the width only. */
#pragma once

#include <gio/gio.h>

#include "draw/scale.h"
#include "draw/scene.h"
#include "draw/text.h"
#include "draw/theme.h"
#include "sim/simulate.h"

G_BEGIN_DECLS

/* How a wait looks: rows of waits.def, one per cause of the simulator. */
typedef struct
{
  const char *letter; /* "R"; "" for none */
  TsHatch     hatch;
  const char *words;  /* "waits for data" */
} TsWaitLook;
const TsWaitLook *ts_wait_look (TsCause cause);

#define TS_TIMELINE_NO_LANE 255u

/* One bar as the timeline keeps it. Strings stand in the input's tables. */
typedef struct
{
  gint64 start, end;    /* holds its unit: [start, end) */
  gint64 idle_from;     /* the unit stood idle over [idle_from, start); equals start when it did not */
  gint32 op;            /* operation id, or -1 */
  gint32 on;            /* event it waited for, or -1 */
  gint32 name;          /* index into names: "load x_0" */
  gint32 buffer;        /* index into names of the binding buffer, or -1 */
  gint32 iteration;     /* of the innermost loop, or -1 */
  gint32 line;          /* in the source, 0: no place */
  gint16 stage;         /* or -1 */
  guint8 lane;          /* index into lanes; TS_TIMELINE_NO_LANE: takes an id but is not drawn */
  guint8 cause;         /* TsCause of the wait */
  gint32 around;        /* stages of the pipelines around the innermost one: two names, for tags ("s1·") and in words, the first
                           one's index + 1; 0: none */
} TsTimelineEvent;

typedef struct
{
  const char *name;     /* "mte-in" */
  const char *detail;   /* "MTE2": pipe, and core when there are several */
  gint64      busy;     /* cycles */
  guint8      unit;     /* TsLane */
  guint8      core;
} TsTimelineLane;

/* A part of the loop band. */
typedef struct
{
  gint64 from, to;
  gint64 iterations;    /* of the whole loop */
  gint64 interval;      /* of the steady part, 0 otherwise */
  gint32 op;            /* the loop */
  guint8 depth;         /* row of the band */
  guint8 part;          /* 0 prologue, 1 steady state, 2 epilogue */
} TsTimelineLoop;

/* Iterations of a loop that were not simulated one by one: its steady state, copied. No events stand for them. */
typedef struct
{
  gint64 from, to;
  gint64 iterations;    /* left out */
  gint64 step, cycles;  /* so many iterations take so many cycles, again and again */
  gint32 op;            /* the loop */
} TsTimelineFill;

typedef struct { gint64 at; gint64 bytes; } TsTimelineBytes; /* from `at` on */

typedef struct
{
  const char            *name;      /* "Vec" */
  gint64                 capacity;  /* 0: unknown */
  const TsTimelineBytes *steps;     /* sorted by `at` */
  guint                  n_steps;
} TsTimelineSpace;

/* Everything to draw, in columns the caller owns; copied where it must outlive the call. Events in id order. */
typedef struct
{
  const TsTimelineEvent *events;
  guint                  n_events;
  const TsTimelineLane  *lanes;     /* in data-flow order */
  guint                  n_lanes;
  const char *const     *names;
  guint                  n_names;
  guint                  first_since; /* names from here on say "BUFFER, since PASS"; 0: none do */
  const TsTimelineLoop  *loops;     /* outer ones first */
  guint                  n_loops;
  const TsTimelineFill  *fills;     /* in order of time, one after the other */
  guint                  n_fills;
  const TsTimelineSpace *spaces;
  guint                  n_spaces;
  const gint32          *critical;  /* event ids along the critical path */
  guint                  n_critical;
  const guint32         *dep_start; /* n_events + 1, or NULL: predecessors of event i are deps[dep_start[i]] .. */
  const gint32          *deps;
  gint64                 makespan;
  const char            *title;     /* "pingpong" */
  const char            *subtitle;  /* "after CanonicalizeIOOrder · teaching, simulated · 1512 cycles · ..." */
} TsTimelineInput;

/* Immutable once made: may be read from several threads. */
typedef struct TsTimeline TsTimeline;

/* What a statement is called; free with g_free. NULL: by its operation and the hint of its result. */
typedef char *(*TsTimelineNamer) (gint32 op, gpointer data);

/* Since which pass two statements wait for each other through a buffer, or NULL. */
typedef const char *(*TsTimelineSince) (gint32 op, gint32 on, gpointer data);

/* The timeline of a simulation: one lane per pipe in use, idle lanes kept, data dependencies from the buffers. Event ids are
 * instruction indices. `title` NULL: the function's name; `subtitle` NULL: none (pictures.h words one). `namer` and `since` (for
 * waits until a buffer is free) may be NULL. NULL when cancelled. */
TsTimeline *ts_timeline_from_simulation (const TsSimulation *simulation, const char *title, const char *subtitle,
                                         TsTimelineNamer namer, TsTimelineSince since, gpointer data, GCancellable *cancellable);
/* Sorts and indexes. O(n log n). NULL when cancelled. */
TsTimeline *ts_timeline_new (const TsTimelineInput *input, GCancellable *cancellable);
TsTimeline *ts_timeline_ref (TsTimeline *timeline);
void        ts_timeline_unref (TsTimeline *timeline);

gint64      ts_timeline_makespan (const TsTimeline *timeline);
guint       ts_timeline_n_events (const TsTimeline *timeline);
guint       ts_timeline_n_lanes (const TsTimeline *timeline);
const TsTimelineLane  *ts_timeline_lane (const TsTimeline *timeline, guint lane);
const TsTimelineEvent *ts_timeline_event (const TsTimeline *timeline, gint32 event);
const char *ts_timeline_name (const TsTimeline *timeline, gint32 name);
/* "s1·" for an event in a pipeline inside another one's stage 1; "" for others. */
const char *ts_timeline_around_tag (const TsTimeline *timeline, const TsTimelineEvent *event);

typedef enum { TS_COLOR_BY_STAGE, TS_COLOR_BY_UNIT, TS_COLOR_BY_ITERATION, TS_COLOR_BY_OP, TS_N_COLOR_BY } TsColorBy;
const char *ts_color_by_name (TsColorBy by);
gboolean    ts_color_by_from_name (const char *name, TsColorBy *out);

/* Parts of the picture, so that a window can give each a widget of its own. */
typedef enum
{
  TS_TIMELINE_HEADER = 1 << 0,  /* title and subtitle */
  TS_TIMELINE_LOOPS = 1 << 1,   /* loop band */
  TS_TIMELINE_RULER = 1 << 2,
  TS_TIMELINE_LABELS = 1 << 3,  /* names of lanes, left */
  TS_TIMELINE_LANES = 1 << 4,   /* bars and waits */
  TS_TIMELINE_BYTES = 1 << 5,   /* live bytes */
  TS_TIMELINE_LEGEND = 1 << 6,
  TS_TIMELINE_OVERLAY = 1 << 7, /* selection, its dependencies, critical path, markers, cursor, selected range */
  TS_TIMELINE_CAPTION = 1 << 8,
  TS_TIMELINE_TITLES = 1 << 9,  /* a title text per mark: for files; the window asks ts_timeline_describe() instead */
  TS_TIMELINE_FIGURE = TS_TIMELINE_TITLES | ((1 << 9) - 1),
  TS_TIMELINE_WINDOW = TS_TIMELINE_LOOPS | TS_TIMELINE_RULER | TS_TIMELINE_LABELS | TS_TIMELINE_LANES | TS_TIMELINE_BYTES
                       | TS_TIMELINE_OVERLAY,
} TsTimelineParts;

typedef struct { gint64 at; const char *name; } TsTimelineMarker;

/* What to show. Zero everything, then ts_timeline_view_init(). */
typedef struct
{
  guint     parts;            /* TsTimelineParts */
  guint     room_for;         /* parts that have their place in the picture but are drawn by another layer */
  double    width;            /* pixels */
  double    height;           /* 0: as high as its lanes need at `lane_height` */
  double    label_width;      /* room left for names; 0: as needed */
  double    lane_height;      /* of one sub-row; 0: 34 */
  double    text_scale;       /* 1: 12 px text */
  gint64    from, to;         /* cycles shown; from >= to: everything */
  TsColorBy color_by;
  gint      highlight_stage;  /* others are muted; -1: none */
  gint32    selected_event;   /* -1: none */
  gint32    selected_op;      /* all its bars; -1: none */
  guint     hops;             /* dependency arrows of the selected event, this many steps each way; G_MAXUINT: all */
  gboolean  critical_path;
  gboolean  hide_idle_lanes;
  guint     max_bars;         /* level of detail: bars and gaps at most; 0: 3000, with titles 20000 */
  gint64    cursor;           /* -1: none */
  gint64    range_from, range_to; /* selected range; from >= to: none */
  const TsTimelineMarker *markers;
  guint     n_markers;
  guint64   hidden_lanes;     /* bit per lane */
  const char *title;          /* instead of the input's */
  const char *caption;
} TsTimelineView;

void        ts_timeline_view_init (TsTimelineView *view);

/* Where things stand for a view: the same numbers the scene uses. */
typedef struct
{
  TsScale axis;               /* cycles to x */
  double  band_y, band_h;     /* loop band */
  double  ruler_y, ruler_h;
  double  lanes_y, lanes_h;
  double  bytes_y, bytes_h;
  double  height;             /* of the whole picture */
} TsTimelineGeometry;
TsTimelineGeometry ts_timeline_geometry (const TsTimeline *timeline, const TsTimelineView *view, TsMeasurer *measurer);

/* Fills `scene` (which is reset). O(width x rows), not O(events): at most a few thousand primitives. */
void        ts_timeline_scene (const TsTimeline *timeline, const TsTimelineView *view, const TsTheme *theme, TsMeasurer *measurer,
                               TsScene *scene);
/* Tooltip of anything in it: full name, start, duration, wait with its cause, event and buffer. Free with g_free. */
char       *ts_timeline_describe (const TsTimeline *timeline, const TsLink *link);

/* For keys and pointer: the event at a cycle of a lane (-1 none), neighbours in a lane, nearest bar edge for snapping. O(log n). */
gint32      ts_timeline_event_at (const TsTimeline *timeline, guint lane, gint64 cycle);
gint32      ts_timeline_neighbour (const TsTimeline *timeline, gint32 event, gint step);
gint64      ts_timeline_nearest_edge (const TsTimeline *timeline, gint lane, gint64 cycle);
/* First event of an operation that starts at or after a cycle; -1 when it has none. O(log n). */
gint32      ts_timeline_event_of_op (const TsTimeline *timeline, gint32 op, gint64 from);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsTimeline, ts_timeline_unref)

G_END_DECLS
