/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map: address across, program order (or time) down, one byte scale for all spaces. */
#pragma once

#include "draw/scale.h"
#include "draw/scene.h"
#include "draw/text.h"
#include "draw/theme.h"
#include "ir/type.h"

G_BEGIN_DECLS

/* A tile's stay in memory. */
typedef struct
{
  const char *name;      /* "x_0" */
  const char *base;      /* "mem_vec_3" */
  const char *type;      /* "[128] FP32" */
  gint64      address;   /* first byte within the space; -1: not placed yet, drawn at its base's place */
  gint64      bytes;
  gint64      first, last; /* program order (or cycles), inclusive */
  gint32      op;        /* defining operation, or -1 */
  gint32      reuses;    /* index of the buffer whose bytes it takes over, or -1 */
  gint16      stage;     /* or -1 */
  gint16      group;     /* or -1 */
  guint8      space;     /* TsSpace */
  guint8      view;      /* a view of another tile: drawn dashed */
  guint8      clash;     /* overlaps a live one */
  guint8      collapsed; /* shares bytes with another stage of its group */
  const char *note;      /* "shared since MemoryReuse (rule ...)", or NULL */
} TsMapBuffer;

typedef struct
{
  gint64 capacity;       /* 0: unknown */
  gint64 high_water;
  guint8 space;          /* TsSpace */
} TsMapSpace;

typedef struct
{
  const TsMapBuffer *buffers;
  guint              n_buffers;
  const TsMapSpace  *spaces;
  guint              n_spaces;
  gint64             last;       /* end of the vertical axis, exclusive */
  gboolean           in_cycles;  /* the vertical axis is time */
  const char        *title, *subtitle;
} TsMapInput;

typedef struct
{
  double   width, height;        /* height 0: as needed */
  gint     selected;             /* buffer, or -1 */
  gint32   selected_op;          /* -1: none */
  gint     highlight_stage;      /* -1: none */
  gint64   cursor;               /* program order, -1: none */
  gboolean titles, header, legend;
  const char *title, *caption;
} TsMapView;

void ts_map_view_init (TsMapView *view);
/* Fills `scene` (which is reset). O(buffers); merges what is smaller than a pixel. */
void ts_map_scene (const TsMapInput *input, const TsMapView *view, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene);
/* Tooltip. Free with g_free. */
char *ts_map_describe (const TsMapInput *input, const TsLink *link);

G_END_DECLS
