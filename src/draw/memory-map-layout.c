/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things stand in a memory map: a panel per space, buffers as columns in it, tiles as boxes from their definition to their
 * last use. */
#include <math.h>

#include "draw/memory-map-private.h"

#define HEADER 40.0
#define HEADER_LINE 18.0
#define SPACE_HEAD 34.0
#define PANEL_GAP TS_MAP_PANEL_GAP
#define LEAST_PANEL 96.0
#define ROW 22.0
#define MOST_ROW 34.0
#define MOST_HEIGHT 1400.0
/* A memory used less than this share of its capacity is drawn as far as it is used. */
#define SHOW_CAPACITY 0.25
/* Closest zoom: a row of this height, the narrowest buffer of this width; and however small that is, no closer than this. */
#define CLOSE_ROW 40.0
#define CLOSE_BUFFER 110.0
#define MOST_ZOOM 4096.0

void
ts_map_view_init (TsMapView *view)
{
  *view = (TsMapView) { .width = 1000, .zoom_x = 1, .zoom_y = 1, .highlight_stage = -1, .cursor = -1, .titles = TRUE,
                        .header = TRUE, .legend = TRUE };
}

gboolean
ts_map_has_several_groups (const TsMemoryFacts *facts)
{
  for (guint i = 1; i < facts->n_stages; i++)
    if (facts->stages[i].group != facts->stages[0].group)
      return TRUE;
  return FALSE;
}

gboolean
ts_map_subtitle_is_beside (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer)
{
  const char *title = view->title != NULL ? view->title : input->title != NULL ? input->title : "";

  return input->subtitle == NULL
         || ts_measure (measurer, title, TS_FONT_TITLE, TS_WEIGHT_BOLD) + TS_MAP_TO_SUBTITLE
                + ts_measure (measurer, input->subtitle, TS_FONT_SIZE, TS_WEIGHT_NORMAL)
              <= view->width - 2 * TS_MAP_MARGIN;
}

static double
head_height (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer)
{
  if (!view->header)
    return 6;
  return HEADER + (ts_map_subtitle_is_beside (input, view, measurer) ? 0 : HEADER_LINE);
}

static double
foot_height (const TsMapLayout *l, TsMeasurer *measurer)
{
  return 8 + (l->view->legend ? ts_map_legend_height (l, measurer) : 0) + (l->view->caption != NULL ? 20 : 0);
}

/* Statements in front of the first tile only allocate. */
static void
find_rows (TsMapLayout *l)
{
  const TsMemoryFacts *facts = l->input->facts;
  guint32 first = G_MAXUINT32, last = 0;

  for (guint i = 0; i < facts->n_tiles; i++)
    {
      first = MIN (first, facts->tiles[i].def);
      last = MAX (last, facts->tiles[i].last);
    }
  if (first > last)
    first = last = 0;
  l->first_row = first;
  l->n_rows = MAX (MIN (last, facts->n_positions) - MIN (first, last) + 1, 1u);
}

/* Bytes a panel shows, and where each buffer begins: its address, or after the one before while there is none. */
static void
measure_spaces (TsMapLayout *l)
{
  const TsMemoryFacts *facts = l->input->facts;
  gint64 used[TS_N_SPACES] = { 0 };

  /* The reserved bytes come first, also before there are addresses. */
  for (guint s = 0; s < facts->n_spaces; s++)
    used[facts->spaces[s].space] = facts->spaces[s].reserved;
  for (guint b = 0; b < facts->n_buffers; b++)
    {
      const TsMemoryBuffer *buffer = &facts->buffers[b];

      l->starts[b] = buffer->address != TS_MEMORY_UNPLACED ? buffer->address : used[buffer->space];
      used[buffer->space] = MAX (used[buffer->space], l->starts[b] + buffer->size);
    }
  for (guint s = 0; s < facts->n_spaces; s++)
    {
      const TsMemorySpace *space = &facts->spaces[s];
      gint64 high = MAX (MAX (used[space->space], space->high_water), 1);

      l->panel_of[space->space] = (guint8) s;
      l->panels[s].span = space->capacity > 0 && (double) high >= SHOW_CAPACITY * (double) space->capacity
                            ? MAX (space->capacity, high) : high;
    }
}

/* One scale for all: the panels share what width is left, narrow ones keep room for their head. */
static void
place_panels (TsMapLayout *l)
{
  guint n = l->input->facts->n_spaces;
  double room = l->width - PANEL_GAP * (n > 0 ? n - 1 : 0), x = 0;
  gboolean narrow[TS_N_SPACES] = { FALSE }, all_narrow = TRUE;
  double least = MIN (LEAST_PANEL, room / MAX (n, 1u) * 0.8);

  /* A panel that is too narrow at the common scale takes its least width; the others share the rest, until none is. */
  for (guint round = 0; round <= n; round++)
    {
      double left = room, bytes = 0;
      gboolean changed = FALSE;

      for (guint s = 0; s < n; s++)
        if (narrow[s])
          left -= least;
        else
          bytes += (double) l->panels[s].span;
      l->per_byte = bytes > 0 ? MAX (left, 20) / bytes : l->per_byte;
      for (guint s = 0; s < n; s++)
        if (!narrow[s] && (double) l->panels[s].span * l->per_byte < least)
          changed = narrow[s] = TRUE;
      if (!changed)
        break;
    }
  for (guint s = 0; s < n; s++)
    all_narrow &= narrow[s];
  /* Where every panel is narrow, the largest sets the scale. */
  for (guint s = 0; s < n && all_narrow; s++)
    l->per_byte = MIN (l->per_byte, least / (double) l->panels[s].span);
  for (guint s = 0; s < n; s++)
    {
      l->panels[s].x = x;
      l->panels[s].width = MAX ((double) l->panels[s].span * l->per_byte, least);
      x += l->panels[s].width + PANEL_GAP;
    }
}

/* Rows as high as the picture has room for them. */
static void
place_rows (TsMapLayout *l)
{
  double room = MAX (l->view->height - l->y - l->foot, 20);

  l->per_row = l->view->height > 0 ? MIN (room / l->n_rows, MOST_ROW) : MIN (MOST_HEIGHT / l->n_rows, ROW);
  l->height = l->per_row * l->n_rows;
  if (l->view->height > 0 && l->zoom_y > 1)
    l->height = MIN (l->height * l->zoom_y, room);
}

void
ts_map_layout_init (TsMapLayout *l, const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer)
{
  *l = (TsMapLayout) { .input = input, .view = view, .per_byte = 1, .zoom_x = MAX (view->zoom_x, 1),
                       .zoom_y = MAX (view->zoom_y, 1) };
  l->starts = g_new0 (gint64, MAX (input->facts->n_buffers, 1));
  find_rows (l);
  measure_spaces (l);
  l->head = head_height (input, view, measurer);
  l->foot = foot_height (l, measurer);
  l->x = TS_MAP_MARGIN + TS_MAP_AXIS_WIDTH;
  l->y = l->head + SPACE_HEAD;
  l->width = MAX (view->width - l->x - TS_MAP_MARGIN, 40);
  place_rows (l);
  place_panels (l);
  /* What lies outside is never so much that emptiness is seen at the other side. */
  l->origin_x = CLAMP (view->left * l->width * l->zoom_x, 0, l->width * (l->zoom_x - 1));
  l->origin_y = CLAMP (view->top * l->per_row * l->n_rows * l->zoom_y, 0,
                       MAX (l->per_row * l->n_rows * l->zoom_y - l->height, 0));
}

void
ts_map_layout_clear (TsMapLayout *l)
{
  g_clear_pointer (&l->starts, g_free);
}

double
ts_map_layout_height (const TsMapLayout *l)
{
  return MAX (l->view->height, l->y + l->height + l->foot);
}

double
ts_map_to_x (const TsMapLayout *l, guint panel, double byte)
{
  return l->x + (l->panels[panel].x + byte * l->per_byte) * l->zoom_x - l->origin_x;
}

double
ts_map_to_y (const TsMapLayout *l, double position)
{
  return l->y + (position - l->first_row) * l->per_row * l->zoom_y - l->origin_y;
}

/* A statement reads before it writes: a life begins and ends in the middle of a row, so that a tile written over another touches it
 * and does not cover it. */
static void
set_life (const TsMapLayout *l, TsMapBox *box, guint32 def, guint32 last)
{
  box->y = ts_map_to_y (l, def + 0.5);
  box->h = MAX (ts_map_to_y (l, MAX ((double) last, def + 0.5) + 0.5) - box->y, 1);
}

/* A slot chosen at run time may be any: all of the buffer. */
TsMapBox
ts_map_layout_tile (const TsMapLayout *l, guint32 index)
{
  const TsMemoryTile *tile = &l->input->facts->tiles[index];
  const TsMemoryBuffer *buffer = &l->input->facts->buffers[tile->buffer];
  gint64 from = l->starts[tile->buffer] + MAX (tile->offset, 0);
  gint64 size = tile->offset >= 0 ? tile->size : buffer->size;
  TsMapBox box = { .x = ts_map_to_x (l, l->panel_of[buffer->space], (double) from),
                   .w = MAX ((double) size * l->per_byte * l->zoom_x, 1) };

  set_life (l, &box, tile->def, tile->last);
  return box;
}

TsMapBox
ts_map_layout_buffer (const TsMapLayout *l, guint32 index)
{
  const TsMemoryBuffer *buffer = &l->input->facts->buffers[index];
  TsMapBox box = { .x = ts_map_to_x (l, l->panel_of[buffer->space], (double) l->starts[index]),
                   .w = MAX ((double) buffer->size * l->per_byte * l->zoom_x, 1) };

  set_life (l, &box, buffer->def, buffer->last);
  return box;
}

gboolean
ts_map_in_sight (const TsMapLayout *l, TsMapBox box)
{
  return box.x < l->x + l->width && box.x + box.w > l->x && box.y < l->y + l->height && box.y + box.h > l->y;
}

/* --- questions --------------------------------------------------------------------------------------------------------------- */

gint64
ts_map_position_at (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, double y)
{
  TsMapLayout l;
  double row;
  gboolean inside;

  ts_map_layout_init (&l, input, view, measurer);
  row = l.first_row + (y - l.y + l.origin_y) / (l.per_row * l.zoom_y);
  inside = y >= l.y && y < l.y + l.height && row < l.first_row + l.n_rows;
  ts_map_layout_clear (&l);
  return inside ? (gint64) row : -1;
}

gint64
ts_map_tile_at (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, double x, double y)
{
  TsMapLayout l;
  gint64 found = -1;
  double least = G_MAXDOUBLE;

  ts_map_layout_init (&l, input, view, measurer);
  for (guint i = 0; i < input->facts->n_tiles && x >= l.x && x < l.x + l.width && y >= l.y && y < l.y + l.height; i++)
    {
      TsMapBox box = ts_map_layout_tile (&l, i);

      if (x < box.x || x >= box.x + box.w || y < box.y || y >= box.y + box.h || box.w * box.h > least)
        continue;
      least = box.w * box.h;
      found = i;
    }
  ts_map_layout_clear (&l);
  return found;
}

static void
give_box (TsMapBox box, double *x, double *y, double *w, double *h)
{
  *x = box.x;
  *y = box.y;
  *w = box.w;
  *h = box.h;
}

void
ts_map_tile_box (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, guint32 tile, double *x, double *y,
                 double *w, double *h)
{
  TsMapLayout l;

  g_return_if_fail (tile < input->facts->n_tiles);

  ts_map_layout_init (&l, input, view, measurer);
  give_box (ts_map_layout_tile (&l, tile), x, y, w, h);
  ts_map_layout_clear (&l);
}

void
ts_map_buffer_box (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, guint32 buffer, double *x, double *y,
                   double *w, double *h)
{
  TsMapLayout l;

  g_return_if_fail (buffer < input->facts->n_buffers);

  ts_map_layout_init (&l, input, view, measurer);
  give_box (ts_map_layout_buffer (&l, buffer), x, y, w, h);
  ts_map_layout_clear (&l);
}

void
ts_map_area (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, double *x, double *y, double *w, double *h)
{
  TsMapLayout l;

  ts_map_layout_init (&l, input, view, measurer);
  give_box ((TsMapBox) { l.x, l.y, l.width, l.height }, x, y, w, h);
  ts_map_layout_clear (&l);
}

void
ts_map_most_zoom (const TsMapInput *input, const TsMapView *view, TsMeasurer *measurer, double *zoom_x, double *zoom_y)
{
  TsMapLayout l;
  gint64 least = G_MAXINT64;

  ts_map_layout_init (&l, input, view, measurer);
  for (guint b = 0; b < input->facts->n_buffers; b++)
    if (input->facts->buffers[b].size > 0)
      least = MIN (least, input->facts->buffers[b].size);
  *zoom_x = CLAMP (CLOSE_BUFFER / ((double) least * l.per_byte), 1, MOST_ZOOM);
  *zoom_y = CLAMP (CLOSE_ROW / l.per_row, 1, MOST_ZOOM);
  ts_map_layout_clear (&l);
}

gint64
ts_map_neighbour (const TsMapInput *input, guint32 tile, gint dx, gint dy)
{
  TsMapView view;
  TsMapLayout l;
  TsMapBox from;
  gint64 found = -1;
  double nearest = G_MAXDOUBLE;

  g_return_val_if_fail (tile < input->facts->n_tiles, -1);

  ts_map_view_init (&view);
  view.header = view.legend = FALSE; /* there is nothing to measure */
  ts_map_layout_init (&l, input, &view, NULL);
  from = ts_map_layout_tile (&l, tile);
  for (guint i = 0; i < input->facts->n_tiles; i++)
    {
      TsMapBox box = ts_map_layout_tile (&l, i);
      double across = box.x + box.w / 2 - from.x - from.w / 2, down = box.y - from.y;
      double ahead = dx != 0 ? across * dx : down * dy, aside = dx != 0 ? fabs (down) : fabs (across);

      if (i == tile || ahead <= 0.01 || ahead + 2 * aside >= nearest)
        continue;
      nearest = ahead + 2 * aside;
      found = i;
    }
  ts_map_layout_clear (&l);
  return found;
}
