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

static gboolean
has_several_groups (const TsMemoryFacts *facts)
{
  for (guint i = 1; i < facts->n_stages; i++)
    if (facts->stages[i].group != facts->stages[0].group)
      return TRUE;
  return FALSE;
}

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

static void
append_use (const TsMemorySpace *space, gboolean placed, GString *words)
{
  ts_append_bytes (words, space->high_water);
  if (space->capacity > 0)
    {
      g_string_append (words, " / ");
      ts_append_bytes (words, space->capacity);
    }
  if (space->capacity > 0 && space->high_water > space->capacity)
    g_string_append_printf (words, " · %s", _ ("too much"));
  else if (!placed)
    g_string_append_printf (words, " · %s", _ ("no addresses yet"));
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
  g_autoptr (GString) words = g_string_new (NULL);
  double used;

  append_use (space, d->input->facts->placed, words);
  if (space->capacity > 0 && space->high_water > space->capacity)
    soft.color = d->theme->alert;
  used = ts_put_text (d->scene, d->measurer, x, d->at.y - 20, room, strong, ts_space_name (space->space)) + 8;
  x += used;
  if (remark != NULL && ts_put_text_whole (d->scene, d->measurer, x + 11, d->at.y - 20, room - used - 11, loud, remark->code) > 0)
    ts_scene_polygon (d->scene, (TsPoint[]) { { x, d->at.y - 20 }, { x + 8, d->at.y - 20 }, { x + 4, d->at.y - 28 } }, 3,
                      (TsPaint) { .fill = d->theme->alert });
  ts_put_text (d->scene, d->measurer, x - used, d->at.y - 7, room, soft, words->str);
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
  draw_space_head (d, s, left, MIN (end, ts_map_right_edge (d)) - left);
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

static double
legend_entry (const TsMapDrawing *d, double x, double y, TsPaint paint, gint32 stage, const char *words)
{
  TsTextStyle style = { TS_FONT_SIZE, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_START };
  double width = ts_measure (d->measurer, words, style.size, style.weight);

  if (x + 19 + width > d->view->width - MARGIN)
    return x;
  paint.radius = 3;
  ts_scene_rect (d->scene, x + 0.5, y + 0.5, 12, 12, paint);
  ts_scene_hatch (d->scene, x + 1, y + 1, 11, 11, ts_theme_stage_texture (stage), (ts_theme_text_on (paint.fill) & ~0xFFu) | 0x60);
  ts_put_text (d->scene, d->measurer, x + 19, y + 6 + style.size * 0.36, 0, style, words);
  return x + 19 + width + 18;
}

static double
legend_words (const TsMapDrawing *d, double x, double y, const char *words)
{
  TsTextStyle style = { TS_FONT_SIZE, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_START };

  double room = d->view->width - MARGIN - x;

  return x + 18 + ts_put_text_whole (d->scene, d->measurer, x, y + 6 + style.size * 0.36, room, style, words);
}

static double
legend_line (const TsMapDrawing *d, double x, double y, TsDash dash, const char *words)
{
  TsTextStyle style = { TS_FONT_SIZE, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_START };
  double width = ts_measure (d->measurer, words, style.size, style.weight);

  if (x + 10 + width > d->view->width - MARGIN)
    return x;
  ts_scene_line (d->scene, x + 3, y - 1, x + 3, y + 14, (TsPaint) { .stroke = d->theme->alert, .width = 1.5f, .dash = dash });
  ts_put_text (d->scene, d->measurer, x + 11, y + 6 + style.size * 0.36, 0, style, words);
  return x + 11 + width + 18;
}

static double
legend_roles (const TsMapDrawing *d, double x, double y, guint roles)
{
  double at;

  if ((roles >> TS_MEMORY_VIEW & 1) != 0)
    x = legend_entry (d, x, y, (TsPaint) { .stroke = d->theme->text_soft, .dash = TS_DASH_DASHED }, -1, _ ("view"));
  if ((roles >> TS_MEMORY_INPLACE & 1) != 0)
    x = legend_entry (d, x, y, (TsPaint) { .stroke = d->theme->text_soft, .dash = TS_DASH_DOTTED }, -1, _ ("in place"));
  if ((roles >> TS_MEMORY_REUSE & 1) == 0)
    return x;
  at = x;
  x = legend_entry (d, x, y, (TsPaint) { .stroke = d->theme->outline }, -1, _ ("reuses bytes"));
  if (x > at)
    ts_scene_polygon (d->scene, (TsPoint[]) { { at + 1, y + 1 }, { at + 8, y + 1 }, { at + 1, y + 8 } }, 3,
                      (TsPaint) { .fill = d->theme->text });
  return x;
}

static void
draw_legend (const TsMapDrawing *d)
{
  const TsMemoryFacts *facts = d->input->facts;
  double x = MARGIN, y = d->at.y + d->at.height + 12;
  gboolean within = FALSE, beyond = FALSE, untagged = FALSE;
  guint roles = 0;

  for (guint i = 0; i < facts->n_tiles; i++)
    {
      roles |= 1u << facts->tiles[i].role;
      untagged |= ts_map_tile_stage (&facts->tiles[i]) < 0;
    }
  for (guint s = 0; s < facts->n_spaces; s++)
    {
      within |= facts->spaces[s].capacity > 0 && facts->spaces[s].capacity <= d->at.panels[s].span;
      beyond |= facts->spaces[s].capacity > d->at.panels[s].span;
    }
  for (gint32 stage = 0; stage <= MIN (d->max_stage, 9); stage++)
    {
      g_autofree char *words = g_strdup_printf (_ ("stage %d"), stage);

      x = legend_entry (d, x, y, (TsPaint) { .fill = ts_theme_stage_color (d->theme, stage) }, stage, words);
    }
  if (untagged)
    x = legend_entry (d, x, y, (TsPaint) { .fill = d->theme->bytes, .stroke = d->theme->outline }, -1, _ ("no stage"));
  if (facts->n_collapses > 0)
    x = legend_entry (d, x, y, (TsPaint) { .stroke = d->theme->alert, .width = 2 }, -1, _ ("stages share bytes"));
  if (d->several_groups)
    x = legend_words (d, x, y, _ ("g, s: group, stage"));
  x = legend_roles (d, x, y, roles);
  if (within)
    x = legend_line (d, x, y, TS_DASH_DASHED, _ ("capacity"));
  if (beyond)
    legend_line (d, x, y, TS_DASH_DOTTED, _ ("capacity lies further right"));
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
      used = ts_put_text (d->scene, d->measurer, MARGIN, 26, room, strong, title) + 12;
      if (d->input->subtitle != NULL)
        ts_put_text (d->scene, d->measurer, MARGIN + used, 26, room - used, soft, d->input->subtitle);
    }
  if (d->view->legend)
    draw_legend (d);
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
      TsPaint paint = { .stroke = blamed ? d->theme->alert : d->theme->select, .width = highlight->kind == TS_MAP_DEFINED ? 3 : 2,
                        .radius = 3, .dash = highlight->kind == TS_MAP_READ ? TS_DASH_DASHED : TS_DASH_NONE };
      double grow = blamed ? 4 : 1, x, y;

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

  ts_map_layout_init (&d.at, input, view);
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
  d.several_groups = has_several_groups (facts);
  for (guint i = 0; i < facts->n_tiles; i++)
    d.max_stage = MAX (d.max_stage, ts_map_tile_stage (&facts->tiles[i]));
  ts_map_layout_init (&d.at, input, view);
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
