/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws memory facts. Where things stand is in memory-map-layout.c, what is said of them in memory-map-describe.c. */
#include <math.h>
#include <string.h>

#include "draw/memory-map-private.h"
#include "draw/words.h"

#define MARGIN TS_MAP_MARGIN
/* Level of detail: tiles drawn as boxes in the window and in files; the rest is a picture of cells of this edge. */
#define MAX_BOXES 2500u
#define MAX_TITLED_BOXES 5000u
#define CELL 3.0

static void
begin (const TsMapDrawing *d, const TsLink *link)
{
  g_autofree char *title = d->view->titles ? ts_map_describe (d->input, link) : NULL;

  ts_scene_begin (d->scene, link, title);
}

/* --- spaces ------------------------------------------------------------------------------------------------------------------ */

/* The worst diagnostic about a space, or NULL. */
static const TsMapRemark *
worst_remark (const TsMapDrawing *d, const char *name)
{
  const TsMapRemark *worst = NULL;

  for (guint i = 0; i < d->input->n_remarks; i++)
    if (ts_map_remark_is_about (&d->input->remarks[i], name)
        && (worst == NULL || d->input->remarks[i].severity < worst->severity))
      worst = &d->input->remarks[i];
  return worst;
}

/* "32 KiB / 512 KiB · too much", where that has no room "32/512 KiB", and at last "32 KiB"; the tooltip tells all of it. */
static char *
use_words (const TsMemorySpace *space, gboolean placed, guint form)
{
  g_autoptr (GString) used = g_string_new (NULL);
  g_autoptr (GString) of = g_string_new (NULL);
  gboolean too_much = space->capacity > 0 && space->high_water > space->capacity;
  const char *unit;

  ts_append_bytes (used, space->high_water);
  if (form == 2 || (space->capacity <= 0 && (form > 0 || placed)))
    return g_string_free (g_steal_pointer (&used), FALSE);
  if (space->capacity <= 0)
    return g_strdup_printf ("%s · %s", used->str, _ ("no addresses yet"));
  ts_append_bytes (of, space->capacity);
  if (form == 0)
    return g_strdup_printf ("%s / %s%s%s", used->str, of->str, too_much || !placed ? " · " : "",
                            too_much ? _ ("too much") : placed ? "" : _ ("no addresses yet"));
  unit = strchr (used->str, ' ');
  if (unit != NULL && g_str_has_suffix (of->str, unit))
    g_string_truncate (used, (gsize) (unit - used->str));
  return g_strdup_printf ("%s/%s", used->str, of->str);
}

static void
draw_use (const TsMapDrawing *d, const TsMemorySpace *space, double x, double room, TsTextStyle style)
{
  double put = 0;

  for (guint form = 0; form < 3 && put == 0; form++)
    {
      g_autofree char *words = use_words (space, d->input->facts->placed, form);

      put = form < 2 ? ts_put_text_whole (d->scene, d->measurer, x, d->at.y - 7, room, style, words)
                     : ts_put_text (d->scene, d->measurer, x, d->at.y - 7, room, style, words);
    }
}

/* The heads stay in sight while the map below moves. */
static void
draw_space_head (const TsMapDrawing *d, guint s, double x, double room)
{
  const TsMemorySpace *space = &d->input->facts->spaces[s];
  const TsMapRemark *remark = worst_remark (d, ts_space_name (space->space));
  TsTextStyle strong = { TS_FONT_SIZE, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  TsTextStyle loud = { TS_FONT_SMALL, TS_WEIGHT_MEDIUM, d->theme->alert, TS_ANCHOR_START };
  double used;

  if (space->capacity > 0 && space->high_water > space->capacity)
    soft.color = d->theme->alert;
  used = ts_put_text (d->scene, d->measurer, x, d->at.y - 20, room, strong, ts_space_name (space->space)) + 8;
  x += used;
  if (remark != NULL && ts_put_text_whole (d->scene, d->measurer, x + 11, d->at.y - 20, room - used - 11, loud, remark->code) > 0)
    ts_scene_polygon (d->scene, (TsPoint[]) { { x, d->at.y - 20 }, { x + 8, d->at.y - 20 }, { x + 4, d->at.y - 28 } }, 3,
                      (TsPaint) { .fill = d->theme->alert });
  draw_use (d, space, x - used, room, soft);
}

static void
draw_space (const TsMapDrawing *d, guint s)
{
  const TsMapPanel *panel = &d->at.panels[s];
  TsLink link = { TS_LINK_SPACE, 0, (gint16) s, -1, -1, -1, 0, 0, panel->span };
  double left = ts_map_to_x (&d->at, s, 0), right = ts_map_to_x (&d->at, s, (double) panel->span);
  double end = left + panel->width * d->at.zoom_x;

  if (end <= d->at.x || left >= ts_map_right_edge (d))
    return;
  left = MAX (left, d->at.x);
  begin (d, &link);
  /* As wide as its bytes: what is beyond, under the words, is no memory. */
  if (right > left)
    ts_scene_rect (d->scene, left, d->at.y, MIN (right, ts_map_right_edge (d)) - left, d->at.height,
                   (TsPaint) { .fill = d->theme->panel });
  /* Words may reach into the gap behind the panel. */
  draw_space_head (d, s, left, MIN (end + TS_MAP_PANEL_GAP - 6, ts_map_right_edge (d) + MARGIN - 4) - left);
  ts_scene_end (d->scene);
}

/* Bytes that reserve_buffer has taken at the start. */
static void
draw_reserved (const TsMapDrawing *d, guint s)
{
  gint64 reserved = d->input->facts->spaces[s].reserved;
  double x = ts_map_to_x (&d->at, s, 0), w = ts_map_to_x (&d->at, s, (double) reserved) - x;

  if (reserved <= 0)
    return;
  ts_scene_hatch (d->scene, x, d->at.y, MAX (w, 2), d->at.height, TS_HATCH_UP, d->theme->outline);
  ts_scene_no_hit (d->scene);
}

/* A dashed line at the capacity; where that is beyond the picture, a dotted one at its edge with a head that points there. */
static void
draw_capacity (const TsMapDrawing *d, guint s)
{
  const TsMemorySpace *space = &d->input->facts->spaces[s];
  const TsMapPanel *panel = &d->at.panels[s];
  gboolean beyond = space->capacity > panel->span;
  double x = ts_map_to_x (&d->at, s, (double) MIN (space->capacity, panel->span)), y = d->at.y;

  if (space->capacity <= 0 || x < d->at.x || x > ts_map_right_edge (d) + 1)
    return;
  ts_scene_line (d->scene, x, y - 4, x, y + d->at.height,
                 (TsPaint) { .stroke = d->theme->alert, .width = 1.5f, .dash = beyond ? TS_DASH_DOTTED : TS_DASH_DASHED });
  ts_scene_no_hit (d->scene);
  if (beyond)
    ts_scene_polygon (d->scene, (TsPoint[]) { { x + 2, y }, { x + 9, y + 4 }, { x + 2, y + 8 } }, 3,
                      (TsPaint) { .fill = d->theme->alert });
}

/* Program order at the left: no number twice, enough room between them. */
static void
draw_axis (const TsMapDrawing *d)
{
  double row = d->at.per_row * d->at.zoom_y;
  TsScale scale = { d->at.first_row, (gint64) d->at.first_row + d->at.n_rows, 0, row * d->at.n_rows };
  gint64 step = ts_scale_step (scale, 18);
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_END };

  ts_put_text (d->scene, d->measurer, d->at.x - 6, d->at.y - 7, TS_MAP_AXIS_WIDTH + 10, style, _ ("order"));
  for (gint64 at = ts_scale_first_tick (scale.from + (gint64) (d->at.origin_y / row), step); at < scale.to; at += step)
    {
      g_autoptr (GString) words = g_string_new (NULL);
      double y = ts_map_to_y (&d->at, (double) at);

      if (y > d->at.y + d->at.height - row / 2)
        break;
      if (y < d->at.y)
        continue;
      ts_append_cycles (words, at);
      ts_scene_line (d->scene, d->at.x - 4, y, ts_map_right_edge (d), y, (TsPaint) { .stroke = d->theme->grid });
      ts_scene_no_hit (d->scene);
      ts_put_text (d->scene, d->measurer, d->at.x - 7, y + MIN (row, 18) / 2 + TS_FONT_SMALL * 0.36, TS_MAP_AXIS_WIDTH + 8, style,
                   words->str);
    }
}

/* --- tiles ------------------------------------------------------------------------------------------------------------------- */

/* Area from which on a tile is a box of its own: so chosen that not more than the bound are. */
static double
choose_least_area (const TsMapDrawing *d)
{
  guint most = d->view->max_boxes > 0 ? d->view->max_boxes : d->view->titles ? MAX_TITLED_BOXES : MAX_BOXES;
  guint counts[64] = { 0 }, sum = 0;
  const int low = -16;

  for (guint i = 0; i < d->input->facts->n_tiles; i++)
    {
      TsMapBox box = ts_map_layout_tile (&d->at, i);

      if (ts_map_in_sight (&d->at, box))
        counts[CLAMP (ilogb (box.w * box.h) - low, 0, 63)]++;
    }
  for (int k = 63; k >= 0; k--)
    {
      sum += counts[k];
      if (sum > most)
        return ldexp (1, k + 1 + low);
    }
  return 0;
}

static TsPaint
tile_paint (const TsMapDrawing *d, guint32 index, TsColor *fill)
{
  const TsMemoryTile *tile = &d->input->facts->tiles[index];
  gint32 stage = ts_map_tile_stage (tile);
  gboolean muted = d->view->highlight_stage >= 0 && stage != d->view->highlight_stage;
  TsPaint paint = { .fill = muted ? d->theme->muted : ts_theme_stage_color (d->theme, stage), .radius = 2 };

  *fill = paint.fill;
  if (stage < 0)
    {
      paint.stroke = d->theme->outline;
      paint.fill = *fill = muted ? d->theme->muted : d->theme->bytes;
    }
  if (ts_map_is_view (tile))
    {
      /* The bytes are another tile's: an outline, and a tint, since that one may have ended. */
      paint.fill = *fill = ts_color_mix (*fill, d->theme->panel, tile->role == TS_MEMORY_VIEW ? 0.75 : 0.45);
      paint.stroke = d->theme->text_soft;
      paint.dash = tile->role == TS_MEMORY_VIEW ? TS_DASH_DASHED : TS_DASH_DOTTED;
    }
  if (tile->collapsed)
    {
      paint.stroke = d->theme->alert;
      paint.width = 2;
      paint.dash = TS_DASH_NONE;
    }
  return paint;
}

static void
draw_tile (const TsMapDrawing *d, guint32 index, TsMapBox box)
{
  const TsMemoryTile *tile = &d->input->facts->tiles[index];
  const TsMemoryBuffer *buffer = &d->input->facts->buffers[tile->buffer];
  gint64 from = d->at.starts[tile->buffer] + MAX (tile->offset, 0);
  TsLink link = { TS_LINK_BUFFER, tile->role, d->at.panel_of[buffer->space], tile->op, -1, -1, (gint32) index, from,
                  from + tile->size };
  TsColor fill;
  TsPaint paint = tile_paint (d, index, &fill);
  double inset = ts_map_is_view (tile) ? 2 : 0, x = box.x, y = box.y, w = box.w, h = box.h;
  gboolean notch = tile->role == TS_MEMORY_REUSE && w > 8 && h > 6;

  begin (d, &link);
  ts_scene_rect (d->scene, x + 0.5 + inset, y + 0.5 + inset, MAX (w - 1 - 2 * inset, 0.5), MAX (h - 1 - 2 * inset, 0.5), paint);
  if (!ts_map_is_view (tile) && h > 4 && ts_theme_stage_texture (ts_map_tile_stage (tile)) != TS_HATCH_NONE)
    {
      ts_scene_hatch (d->scene, x + 1, y + 1, w - 2, h - 2, ts_theme_stage_texture (ts_map_tile_stage (tile)),
                      (ts_theme_text_on (fill) & ~0xFFu) | 0x60);
      ts_scene_no_hit (d->scene);
    }
  if (notch)
    /* A notch in the corner: these bytes were another's before. */
    ts_scene_polygon (d->scene, (TsPoint[]) { { x + 1, y + 1 }, { x + 8, y + 1 }, { x + 1, y + 8 } }, 3,
                      (TsPaint) { .fill = tile->collapsed ? d->theme->alert : ts_theme_text_on (fill) });
  inset += notch ? 6 : 0;
  ts_map_put_tile_words (d, index, (TsMapBox) { x + inset, y, w - inset, h }, ts_theme_text_on (fill));
  ts_scene_end (d->scene);
}

/* A buffer that outlives its tiles is seen through the pauses between them. */
static void
draw_buffer_ground (const TsMapDrawing *d, guint32 b)
{
  TsMapBox box = ts_map_layout_buffer (&d->at, b);

  if (d->input->facts->buffers[b].n_tiles < 2 || box.w * box.h < d->least_area || !ts_map_in_sight (&d->at, box))
    return;
  ts_scene_rect (d->scene, box.x, box.y, box.w, box.h,
                 (TsPaint) { .fill = ts_color_mix (d->theme->panel, d->theme->panel_strong, 0.5) });
  ts_scene_no_hit (d->scene);
}

typedef struct { guint x1, y1, x2, y2; } CellRange;

typedef struct
{
  guint      across, down;
  TsColor   *colors;
  guint8    *loud;   /* a collapsed tile is in the cell: nothing paints over it */
  guint     *counts; /* tiles that begin in a row of cells */
  CellRange *last; /* per buffer: what its last tile has painted */
} Cells;

static void
add_to_cells (const TsMapDrawing *d, Cells *cells, guint32 index, TsMapBox box)
{
  TsColor fill;
  TsPaint paint = tile_paint (d, index, &fill);
  const TsMemoryTile *tile = &d->input->facts->tiles[index];
  gboolean loud = tile->collapsed;
  double left = box.x - d->at.x, top = box.y - d->at.y;
  CellRange r = { (guint) (MAX (left, 0) / CELL), (guint) (MAX (top, 0) / CELL), (guint) (MIN (left + box.w, d->at.width) / CELL),
                  (guint) (MIN (top + box.h, d->at.height) / CELL) };
  CellRange *last = &cells->last[d->input->facts->tiles[index].buffer];

  if (r.y1 < cells->down)
    cells->counts[r.y1]++;
  /* Thousands that follow each other in a few cells cost one. */
  if (!loud && r.x1 >= last->x1 && r.x2 <= last->x2 && r.y1 >= last->y1 && r.y2 <= last->y2)
    return;
  *last = r;
  for (guint y = r.y1; y <= MIN (r.y2, cells->down - 1); y++)
    for (guint x = r.x1; x <= MIN (r.x2, cells->across - 1); x++)
      {
        gsize cell = (gsize) y * cells->across + x;

        /* A view says nothing new of a cell that its source has painted. */
        if ((cells->loud[cell] || (ts_map_is_view (tile) && cells->colors[cell] != TS_COLOR_NONE)) && !loud)
          continue;
        cells->loud[cell] |= loud;
        cells->colors[cell] = loud ? d->theme->alert : paint.fill;
      }
}

static void
paint_cells (const TsMapDrawing *d, const Cells *cells)
{
  for (guint y = 0; y < cells->down; y++)
    {
      const TsColor *row = &cells->colors[(gsize) y * cells->across];
      TsLink link = { TS_LINK_DENSE, 0, -1, -1, -1, -1, (gint32) cells->counts[y], y, y + 1 };
      guint first = 0, end = cells->across;
      TsColumn *columns;

      while (first < end && row[first] == TS_COLOR_NONE)
        first++;
      while (end > first && row[end - 1] == TS_COLOR_NONE)
        end--;
      if (first == end)
        continue;
      begin (d, &link);
      columns = ts_scene_strip (d->scene, d->at.x + first * CELL, d->at.y + y * CELL, (end - first) * CELL, CELL, end - first);
      for (guint x = first; x < end; x++)
        columns[x - first] = (TsColumn) { row[x], row[x] != TS_COLOR_NONE ? 255 : 0 };
      ts_scene_end (d->scene);
    }
}

static void
draw_tiles (const TsMapDrawing *d)
{
  const TsMemoryFacts *facts = d->input->facts;
  Cells cells = { (guint) ceil (d->at.width / CELL), (guint) ceil (d->at.height / CELL), NULL, NULL, NULL, NULL };
  gboolean crowd = d->least_area > 0;

  for (guint32 b = 0; b < facts->n_buffers; b++)
    draw_buffer_ground (d, b);
  if (crowd)
    {
      cells.colors = g_new0 (TsColor, (gsize) cells.across * cells.down);
      cells.loud = g_new0 (guint8, (gsize) cells.across * cells.down);
      cells.counts = g_new0 (guint, cells.down);
      cells.last = g_new (CellRange, MAX (facts->n_buffers, 1u));
      for (guint32 b = 0; b < facts->n_buffers; b++)
        cells.last[b] = (CellRange) { G_MAXUINT, G_MAXUINT, 0, 0 };
      for (guint32 i = 0; i < facts->n_tiles; i++)
        {
          TsMapBox box = ts_map_layout_tile (&d->at, i);

          if (ts_map_in_sight (&d->at, box) && box.w * box.h < d->least_area)
            add_to_cells (d, &cells, i, box);
        }
      paint_cells (d, &cells);
      g_free (cells.colors);
      g_free (cells.loud);
      g_free (cells.counts);
      g_free (cells.last);
    }
  /* Views lie on what they show, which is defined before them. */
  for (guint32 i = 0; i < facts->n_tiles; i++)
    {
      TsMapBox box = ts_map_layout_tile (&d->at, i);

      if (ts_map_in_sight (&d->at, box) && box.w * box.h >= d->least_area)
        draw_tile (d, i, box);
    }
}

/* --- frame ------------------------------------------------------------------------------------------------------------------- */

/* Beside the title, or in a line of its own, there in smaller letters where that makes it fit. */
static void
draw_subtitle (const TsMapDrawing *d, double used, double room, TsTextStyle style)
{
  const char *words = d->input->subtitle;
  double line = d->at.head - 40 + 26;

  if (words == NULL)
    return;
  if (ts_map_subtitle_is_beside (d->input, d->view, d->measurer))
    {
      ts_put_text (d->scene, d->measurer, MARGIN + used, 26, room - used, style, words);
      return;
    }
  if (ts_put_text_whole (d->scene, d->measurer, MARGIN, line, room, style, words) > 0)
    return;
  style.size = TS_FONT_SMALL;
  ts_put_text (d->scene, d->measurer, MARGIN, line, room, style, words);
}

static void
draw_frame (const TsMapDrawing *d)
{
  const char *title = d->view->title != NULL ? d->view->title : d->input->title != NULL ? d->input->title : "";
  TsTextStyle strong = { TS_FONT_TITLE, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { TS_FONT_SIZE, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  g_autofree char *name = g_strdup_printf (_ ("Memory map of %s: %u buffers"), title, d->input->facts->n_buffers);
  double room = d->view->width - 2 * MARGIN, used;

  ts_scene_set_name (d->scene, name);
  if (d->view->header)
    {
      used = ts_put_text (d->scene, d->measurer, MARGIN, 26, room, strong, title) + TS_MAP_TO_SUBTITLE;
      draw_subtitle (d, used, room, soft);
    }
  if (d->view->legend)
    ts_map_draw_legend (d);
  if (d->view->caption != NULL)
    ts_put_text (d->scene, d->measurer, MARGIN, d->scene->height - 8, room, soft, d->view->caption);
}

/* --- layers ------------------------------------------------------------------------------------------------------------------ */

static void
draw_highlights (const TsMapDrawing *d)
{
  const TsMapLayout *l = &d->at;

  for (guint i = 0; i < d->view->n_highlights; i++)
    {
      const TsMapHighlight *highlight = &d->view->highlights[i];
      gboolean blamed = highlight->kind == TS_MAP_BLAMED;
      TsMapBox box = highlight->whole_buffer ? ts_map_layout_buffer (l, highlight->index)
                                             : ts_map_layout_tile (l, highlight->index);
      /* The ring of what is blamed goes round the ring of what is selected, and ends before a neighbour's name begins. */
      TsPaint paint = { .stroke = blamed ? d->theme->alert : d->theme->select, .radius = 3,
                        .width = blamed ? 1.5f : highlight->kind == TS_MAP_DEFINED ? 3 : 2,
                        .dash = highlight->kind == TS_MAP_READ ? TS_DASH_DASHED : TS_DASH_NONE };
      double grow = blamed ? 3 : 1, x, y;

      if (ts_map_in_sight (l, box))
        {
          ts_scene_rect (d->scene, box.x - grow, box.y - grow, box.w + 2 * grow, box.h + 2 * grow, paint);
          continue;
        }
      /* Off a side of the picture: where to look for it. */
      x = CLAMP (box.x + box.w / 2, l->x + 5, l->x + l->width - 5);
      y = CLAMP (box.y + box.h / 2, l->y + 5, l->y + l->height - 5);
      ts_scene_polygon (d->scene, (TsPoint[]) { { x - 5, y }, { x, y - 5 }, { x + 5, y }, { x, y + 5 } }, 4,
                        (TsPaint) { .fill = paint.stroke });
    }
}

static void
draw_cursor (const TsMapDrawing *d)
{
  double y = ts_map_to_y (&d->at, (double) d->view->cursor + 0.5);

  if (d->view->cursor >= 0 && y >= d->at.y && y <= d->at.y + d->at.height)
    ts_scene_line (d->scene, d->at.x - 4, y, ts_map_right_edge (d), y, (TsPaint) { .stroke = d->theme->select });
}

static void
clip_to_map (const TsMapDrawing *d)
{
  ts_scene_clip (d->scene, d->at.x - 5, d->at.y - 5, d->at.width + 10, d->at.height + 10);
}

void
ts_map_overlay (const TsMapInput *input, const TsMapView *view, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  TsMapDrawing d = { .input = input, .view = view, .theme = theme, .measurer = measurer, .scene = scene };

  ts_map_layout_init (&d.at, input, view, measurer);
  ts_scene_reset (scene, view->width, ts_map_layout_height (&d.at), TS_COLOR_NONE);
  clip_to_map (&d);
  draw_highlights (&d);
  draw_cursor (&d);
  ts_scene_unclip (scene);
  ts_map_layout_clear (&d.at);
}

void
ts_map_scene (const TsMapInput *input, const TsMapView *view, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  const TsMemoryFacts *facts = input->facts;
  TsMapDrawing d = { .input = input, .view = view, .theme = theme, .measurer = measurer, .scene = scene, .max_stage = -1 };
  gboolean part = view->zoom_x > 1 || view->zoom_y > 1;

  d.unnamed = g_array_new (FALSE, FALSE, sizeof (guint32));
  d.several_groups = ts_map_has_several_groups (facts);
  for (guint i = 0; i < facts->n_tiles; i++)
    d.max_stage = MAX (d.max_stage, ts_map_tile_stage (&facts->tiles[i]));
  ts_map_layout_init (&d.at, input, view, measurer);
  ts_scene_reset (scene, view->width, ts_map_layout_height (&d.at), theme->background);
  d.least_area = choose_least_area (&d);
  for (guint s = 0; s < facts->n_spaces; s++)
    draw_space (&d, s);
  draw_axis (&d);
  if (part)
    ts_scene_clip (scene, d.at.x, d.at.y, d.at.width, d.at.height);
  for (guint s = 0; s < facts->n_spaces; s++)
    draw_reserved (&d, s);
  draw_tiles (&d);
  if (part)
    ts_scene_unclip (scene);
  for (guint s = 0; s < facts->n_spaces; s++)
    draw_capacity (&d, s);
  ts_map_put_words_beside (&d);
  draw_highlights (&d);
  draw_cursor (&d);
  draw_frame (&d);
  ts_map_layout_clear (&d.at);
  g_array_unref (d.unnamed);
}
