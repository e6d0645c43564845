/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map: address across, program order down, one byte scale for all spaces. Source: design.md section 6. */
#pragma once

#include "draw/scale.h"
#include "draw/scene.h"
#include "draw/text.h"
#include "draw/theme.h"
#include "ir/memory-facts.h"

G_BEGIN_DECLS

typedef struct
{
  const TsMemoryFacts *facts;
  const GPtrArray     *names;         /* printed names of values by id, entries may be NULL; NULL: their hints */
  const char *const   *notes;         /* per collapse of the facts: "since MemoryReuse"; entries and the array may be NULL */
  const char          *title, *subtitle;
} TsMapInput;

typedef struct
{
  double   width, height;        /* height 0: as needed */
  gint32   selected_op;          /* definition of a tile; -1: none */
  gint     highlight_stage;      /* -1: none */
  gint64   cursor;               /* position in program order, -1: none */
  gboolean titles, header, legend;
  const char *title, *caption;
} TsMapView;

void ts_map_view_init (TsMapView *view);
/* Fills `scene` (which is reset). O(tiles); what is smaller than a pixel merges. Links: TS_LINK_BUFFER with count = tile. */
void ts_map_scene (const TsMapInput *input, const TsMapView *view, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene);
/* Tooltip. Free with g_free. */
char *ts_map_describe (const TsMapInput *input, const TsLink *link);
/* Position in program order under a y of the picture; -1 outside. For cursors and range selection. */
gint64 ts_map_position_at (const TsMapInput *input, const TsMapView *view, double y);

G_END_DECLS
