/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the memory map share: where things stand, and what is being drawn. */
#pragma once

#include "draw/memory-map.h"

#define TS_MAP_MARGIN 16.0
#define TS_MAP_AXIS_WIDTH 40.0
#define TS_MAP_LEGEND 26.0 /* of one line */
#define TS_MAP_PANEL_GAP 18.0
#define TS_MAP_TO_SUBTITLE 12.0 /* from the end of the title */

typedef struct
{
  double x, width; /* of the panel, from the left edge of the map, at zoom 1 */
  gint64 span;     /* bytes across */
} TsMapPanel;

typedef struct
{
  const TsMapInput *input;
  const TsMapView  *view;
  TsMapPanel        panels[TS_N_SPACES];
  guint8            panel_of[TS_N_SPACES];
  gint64           *starts;            /* per buffer: first byte in its panel */
  double            per_byte, per_row; /* pixels, at zoom 1 */
  double            head, foot;        /* heights of what stands above and below the map */
  guint32           first_row, n_rows; /* positions shown: before the first tile and after the last one nothing lives */
  double            x, y, width, height; /* part of the picture in which the map is seen */
  double            zoom_x, zoom_y, origin_x, origin_y;
} TsMapLayout;

typedef struct { double x, y, w, h; } TsMapBox;

/* The measurer tells how many lines title and legend need. */
void     ts_map_layout_init (TsMapLayout *layout, const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer);
void     ts_map_layout_clear (TsMapLayout *layout);
/* Height of the whole picture. */
double   ts_map_layout_height (const TsMapLayout *layout);

/* Place of a byte of a panel, and of a position in program order (the upper edge of its row). */
double   ts_map_to_x (const TsMapLayout *layout, guint panel, double byte);
double   ts_map_to_y (const TsMapLayout *layout, double position);
TsMapBox ts_map_layout_tile (const TsMapLayout *layout, guint32 tile);
TsMapBox ts_map_layout_buffer (const TsMapLayout *layout, guint32 buffer);
gboolean ts_map_in_sight (const TsMapLayout *layout, TsMapBox box);

/* Stage of a tile's innermost pipeline; -1: none. */
static inline gint32
ts_map_tile_stage (const TsMemoryTile *tile)
{
  return tile->n_stages > 0 ? tile->stages[0].stage : -1;
}

/* A view shows bytes that are another tile's. */
static inline gboolean
ts_map_is_view (const TsMemoryTile *tile)
{
  return tile->role == TS_MEMORY_VIEW || tile->role == TS_MEMORY_INPLACE;
}

/* Pipelines of more than one group: words name the group too. */
gboolean ts_map_has_several_groups (const TsMemoryFacts *facts);
/* Does the subtitle stand beside the title, or does it need a line of its own? */
gboolean ts_map_subtitle_is_beside (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer);
/* Height of the legend; of a layout whose panels are measured. */
double   ts_map_legend_height (const TsMapLayout *layout, TsMeasurer *measurer);

typedef struct
{
  const TsMapInput *input;
  const TsMapView  *view;
  const TsTheme    *theme;
  TsMeasurer       *measurer;
  TsScene          *scene;
  TsMapLayout       at;
  double            least_area; /* of a tile that is a box of its own, in pixels */
  gint32            max_stage;
  gboolean          several_groups;
  GArray           *unnamed;    /* tiles drawn as boxes whose name found no room inside: indices */
} TsMapDrawing;

static inline double
ts_map_right_edge (const TsMapDrawing *d)
{
  return d->at.x + d->at.width;
}

void     ts_map_draw_legend (const TsMapDrawing *d);
/* Name and stage of a tile, in the part of its box that is seen; `color` can be read on it. A name that finds no room is noted in
 * `unnamed`. */
void     ts_map_put_tile_words (const TsMapDrawing *d, guint32 tile, TsMapBox box, TsColor color);
/* Beside the tiles, where nothing stands: which stages share bytes, then the names that found no room. */
void     ts_map_put_words_beside (const TsMapDrawing *d);

/* --- places for words beside tiles (memory-map-places.c) --------------------------------------------------------------------- */

typedef struct TsMapPlaces TsMapPlaces;

/* What is taken: tiles and reserved bytes. O(tiles + pixels). The drawing must outlive it. */
TsMapPlaces *ts_map_places_new (const TsMapDrawing *d);
void         ts_map_places_free (TsMapPlaces *places);
/* Finds and takes a place for words of this size that covers nothing: at the right of the tile, at its left, below or above it. */
gboolean     ts_map_place_beside (TsMapPlaces *places, TsMapBox tile, double width, double height, double gap, TsMapBox *place);
/* The same in the whole map, as near as possible, where a straight line to the tile crosses nothing. */
gboolean     ts_map_place_anywhere (TsMapPlaces *places, TsMapBox tile, double width, double height, TsMapBox *place);
/* Does the line of a capacity run through the box? */
gboolean     ts_map_crosses_capacity (const TsMapDrawing *d, TsMapBox box);
/* A line from the words to the nearest edge of the tile. */
void         ts_map_put_leader (const TsMapDrawing *d, TsMapBox tile, TsMapBox words, TsColor color);

/* Which stages share bytes. */
void         ts_map_put_callouts (const TsMapDrawing *d, TsMapPlaces *places);
