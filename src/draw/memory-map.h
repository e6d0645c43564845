/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map: address across, program order down, one byte scale for all spaces. Source: design.md section 6.
 * A picture may show a part of the map only, and what depends on the selection may be a layer of its own: for the window. */
#pragma once

#include "base/diag.h"
#include "draw/scale.h"
#include "draw/scene.h"
#include "draw/text.h"
#include "draw/theme.h"
#include "ir/memory-facts.h"

G_BEGIN_DECLS

/* A diagnostic that speaks of a memory space or of a buffer. */
typedef struct
{
  const char *subject; /* name of either */
  const char *code;    /* "PH-MR-001" */
  const char *message;
  TsSeverity  severity;
} TsMapRemark;

typedef struct
{
  const TsMemoryFacts *facts;
  const GPtrArray     *names;         /* printed names of values by id, entries may be NULL; NULL: their hints */
  const char *const   *notes;         /* per collapse of the facts: "since MemoryReuse"; entries and the array may be NULL */
  const char *const   *rules;         /* per collapse: the step that allowed it; likewise */
  const TsMapRemark   *remarks;
  guint                n_remarks;
  const char          *title, *subtitle;
} TsMapInput;

typedef enum
{
  TS_MAP_DEFINED, /* what the selection makes */
  TS_MAP_READ,    /* what it reads */
  TS_MAP_BLAMED,  /* what it waits for */
} TsMapHighlightKind;

typedef struct
{
  TsMapHighlightKind kind;
  gboolean           whole_buffer; /* rather than one tile in it */
  guint32            index;        /* of the tile or buffer */
} TsMapHighlight;

typedef struct
{
  double   width, height;        /* height 0: as needed, everything is seen */
  double   zoom_x, zoom_y;       /* 1: all of it has room */
  double   left, top;            /* with a zoom: shares of the map that lie outside at these sides */
  const TsMapHighlight *highlights;
  guint    n_highlights;
  gint     highlight_stage;      /* -1: none */
  gint64   cursor;               /* position in program order, -1: none */
  guint    max_boxes;            /* level of detail: tiles drawn as boxes, the largest first; 0: 2500, with titles 5000 */
  gboolean titles, header, legend;
  const char *title, *caption;
} TsMapView;

void ts_map_view_init (TsMapView *view);
/* Fills `scene` (which is reset). O(tiles); tiles that are too small or too many merge into a density picture. Links:
 * TS_LINK_BUFFER with count = tile. */
void ts_map_scene (const TsMapInput *input, const TsMapView *view, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene);
/* Only what changes with selection and pointer, at the places of ts_map_scene(): highlights and cursor. */
void ts_map_overlay (const TsMapInput *input, const TsMapView *view, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene);
/* Printed name of a tile. */
const char *ts_map_tile_name (const TsMapInput *input, const TsMemoryTile *tile);
/* Whether a diagnostic speaks of something of this name. */
gboolean    ts_map_remark_is_about (const TsMapRemark *remark, const char *name);
/* Tooltip. Free with g_free. */
char *ts_map_describe (const TsMapInput *input, const TsLink *link);

/* Questions about places take the measurer that the scene is drawn with: title and legend need more or fewer lines by it. */

/* Position in program order under a y of the picture; -1 outside. */
gint64   ts_map_position_at (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, double y);
/* The tile at a point, also where it is merged with others; of several the smallest. -1: none. O(tiles). */
gint64   ts_map_tile_at (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, double x, double y);
/* Box of a tile in the picture, or of a whole buffer over its life; may lie outside of what is seen. */
void     ts_map_tile_box (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, guint32 tile, double *x, double *y,
                          double *w, double *h);
void     ts_map_buffer_box (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, guint32 buffer, double *x,
                            double *y, double *w, double *h);
/* The part of the picture in which the map lies, between its headings. */
void     ts_map_area (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, double *x, double *y, double *w,
                      double *h);
/* How close it is worth going: rows and the narrowest buffer are then wide enough for their names. At least 1. */
void     ts_map_most_zoom (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, double *zoom_x, double *zoom_y);
/* For arrow keys: the nearest tile from `tile` to dx, dy in {-1, 0, 1}; -1 when there is none. O(tiles). */
gint64   ts_map_neighbour (const TsMapInput *input, guint32 tile, gint dx, gint dy);

G_END_DECLS
