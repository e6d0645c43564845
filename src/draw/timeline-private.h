/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the timeline share: rows with their pyramids, and the state of one drawing. */
#pragma once

#include "base/arena.h"
#include "base/number.h"
#include "draw/timeline.h"

G_BEGIN_DECLS

/* Events of a pyramid's node. */
#define TS_PYRAMID_FAN 16u
#define TS_PYRAMID_LEVELS 8u
/* Of each cause: names of buffers and passes that the legend tells. */
#define TS_TIMELINE_MAX_SINCE 3u

/* One node: which of its events is longest, and how long the longest gap before one of them is. */
typedef struct
{
  guint32 longest; /* position in the row */
  gint64  gap;
} TsPyramidNode;

/* A sub-row: events that do not overlap, so both starts and ends ascend. Positions index the arrays. */
typedef struct
{
  guint          n;
  const gint64  *start;
  const gint64  *end;
  const gint64  *busy;  /* n + 1: cycles of all events before a position */
  const gint32  *event;
  TsPyramidNode *levels[TS_PYRAMID_LEVELS];
  guint          n_level[TS_PYRAMID_LEVELS];
  guint          n_levels;
  guint          lane;
} TsRow;

struct TsTimeline
{
  gatomicrefcount   ref_count;
  TsArena          *arena;
  TsTimelineInput   data;       /* copies */
  gint32           *position;   /* per event: its position in its row */
  guint32          *row_of;     /* per event */
  TsRow            *rows;       /* by lane, then sub-row */
  guint             n_rows;
  guint            *lane_first; /* n_lanes + 1: rows of each lane */
  guint32          *succ_start; /* n_events + 1: dependents */
  gint32           *succ;
  gint32           *op_start;   /* n_ops + 1: events of operation k are op_events[op_start[k]] .. , in order of start */
  gint32           *op_events;
  gint32            n_ops;
  gint32            max_stage;  /* -1: nothing is tagged */
  gboolean          untagged;   /* some event has no stage */
  guint             causes;     /* bit per TsCause that occurs */
  gint32            since[TS_CAUSE_NONE][TS_TIMELINE_MAX_SINCE]; /* names "BUFFER, since PASS" of its waits, all different */
  guint             n_since[TS_CAUSE_NONE];
};

/* First position whose end lies after `cycle`; n when there is none. */
guint ts_row_first_ending_after (const TsRow *row, gint64 cycle);
/* The same from position `from` on, by steps that double: fast where the answer is near. */
guint ts_row_next_ending_after (const TsRow *row, guint from, gint64 cycle);
/* First position whose start is at or after `cycle`; n when there is none. */
guint ts_row_first_starting_at (const TsRow *row, gint64 cycle);
/* First position >= `from` whose event is at least `length` long, or `limit`. O(log n). */
guint ts_row_next_long (const TsRow *row, guint from, guint limit, gint64 length);
/* First position >= `from` with a gap of at least `length` cycles before it, or `limit`. O(log n). */
guint ts_row_next_gap (const TsRow *row, guint from, guint limit, gint64 length);
/* Position of the longest event in [from, to), from < to. O(log n). */
guint ts_row_longest (const TsRow *row, guint from, guint to);

/* Events of an operation, in order of start, and the position among them of the first that starts at or after a cycle. O(log n). */
const gint32 *ts_timeline_events_of_op (const TsTimeline *timeline, gint32 op, guint *n);
guint         ts_timeline_op_position (const TsTimeline *timeline, gint32 op, gint64 from);

/* State of one drawing. */
typedef struct
{
  const TsTimeline     *timeline;
  const TsTimelineView *view;
  const TsTheme        *theme;
  TsMeasurer           *measurer;
  TsScene              *scene;
  TsTimelineGeometry    geometry;
  double                row_height;  /* of one sub-row, gap included */
  double               *lane_y;      /* per lane: top; -1: hidden */
  float                 size, small; /* text sizes */
  gint64                from, to;
} TsTimelineDrawing;

gboolean ts_timeline_lane_shown (const TsTimeline *timeline, const TsTimelineView *view, guint lane);
/* Top and height of an event's bar. */
void     ts_timeline_bar_box (const TsTimelineDrawing *d, gint32 event, double *x, double *y, double *w, double *h);
TsColor  ts_timeline_bar_color (const TsTimelineDrawing *d, const TsTimelineEvent *event);
void     ts_timeline_draw_lanes (TsTimelineDrawing *d);
/* Iterations that were filled in: the ground of one lane, under its bars; then the words, over all lanes. */
void     ts_timeline_draw_fill (const TsTimelineDrawing *d, guint lane, double y, double height);
void     ts_timeline_draw_fill_words (const TsTimelineDrawing *d);
/* "× 99998000 iterations", and what follows: "every 120 cycles, filled in by period". `n` fills from `first` on. */
void     ts_timeline_fill_words (const TsTimeline *timeline, guint first, guint n, GString *iterations, GString *rest);
void     ts_timeline_draw_overlay (TsTimelineDrawing *d);
void     ts_timeline_draw_loops (TsTimelineDrawing *d);
void     ts_timeline_draw_ruler (TsTimelineDrawing *d);
void     ts_timeline_draw_bytes (TsTimelineDrawing *d);
void     ts_timeline_draw_legend (TsTimelineDrawing *d, double y);
/* Height that the legend needs over the picture's width. */
double   ts_timeline_legend_height (const TsTimeline *timeline, const TsTimelineView *view, TsMeasurer *measurer);

#define TS_TIMELINE_MARGIN 16.0

G_END_DECLS
