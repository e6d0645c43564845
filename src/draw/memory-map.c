/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws memory facts: a panel per space, buffers as columns in it, tiles as boxes from their definition to their last use. */
#include "draw/memory-map.h"

#include <math.h>
#include <string.h>

#include "draw/words.h"

#define MARGIN 16.0
#define HEADER 40.0
#define SPACE_HEAD 34.0
#define AXIS_WIDTH 40.0
#define PANEL_GAP 18.0
#define LEAST_PANEL 96.0
#define LEGEND 26.0
#define ROW 22.0
#define LEAST_ROW 2.0
#define MOST_HEIGHT 1400.0
/* A memory used less than this share of its capacity is drawn as far as it is used. */
#define SHOW_CAPACITY 0.25

typedef struct
{
  double x, width;  /* of the panel */
  gint64 span;      /* bytes across */
} Panel;

typedef struct
{
  const TsMapInput *input;
  const TsMapView  *view;
  const TsTheme    *theme;
  TsMeasurer       *measurer;
  TsScene          *scene;
  Panel             panels[TS_N_SPACES];
  gint64           *starts;     /* per buffer: first byte in its panel */
  guint8           *collapsed;  /* per tile */
  double            per_byte, per_row, top, bottom;
  gint32            max_stage;
} MapDrawing;

void
ts_map_view_init (TsMapView *view)
{
  *view = (TsMapView) { .width = 1000, .selected_op = -1, .highlight_stage = -1, .cursor = -1, .titles = TRUE, .header = TRUE,
                        .legend = TRUE };
}

static const char *
tile_name (const TsMapInput *input, const TsMemoryTile *tile)
{
  const char *printed = NULL;

  if (input->names != NULL && tile->value->id >= 0 && (guint) tile->value->id < input->names->len)
    printed = g_ptr_array_index (input->names, tile->value->id);
  return printed != NULL ? printed : tile->value->hint;
}

static gint32
tile_stage (const TsMemoryTile *tile)
{
  return tile->n_stages > 0 ? tile->stages[0].stage : -1;
}

/* --- places ----------------------------------------------------------------------------------------------------------------------
 */

static double
head_height (const TsMapView *view)
{
  return (view->header ? HEADER : 6) + SPACE_HEAD;
}

static double
foot_height (const TsMapView *view)
{
  return 8 + (view->legend ? LEGEND : 0) + (view->caption != NULL ? 20 : 0);
}

static double
row_height (const TsMapInput *input, const TsMapView *view)
{
  double rows = MAX (input->facts->n_positions, 1u);

  if (view->height > 0)
    return MAX (view->height - head_height (view) - foot_height (view), 20) / rows;
  return CLAMP (MOST_HEIGHT / rows, LEAST_ROW, ROW);
}

gint64
ts_map_position_at (const TsMapInput *input, const TsMapView *view, double y)
{
  double row = (y - head_height (view)) / row_height (input, view);

  return row >= 0 && row < input->facts->n_positions ? (gint64) row : -1;
}

/* Bytes a panel shows, and where each buffer begins: its address, or after the one before while there is none. */
static void
measure_spaces (MapDrawing *d)
{
  const TsMemoryFacts *facts = d->input->facts;
  gint64 used[TS_N_SPACES] = { 0 };

  for (guint b = 0; b < facts->n_buffers; b++)
    {
      const TsMemoryBuffer *buffer = &facts->buffers[b];

      d->starts[b] = buffer->address != TS_MEMORY_UNPLACED ? buffer->address : used[buffer->space];
      used[buffer->space] = MAX (used[buffer->space], d->starts[b] + buffer->size);
    }
  for (guint s = 0; s < facts->n_spaces; s++)
    {
      const TsMemorySpace *space = &facts->spaces[s];
      gint64 high = MAX (MAX (used[space->space], space->high_water), 1);

      d->panels[s].span = space->capacity > 0 && (double) high >= SHOW_CAPACITY * (double) space->capacity
                            ? MAX (space->capacity, high) : high;
    }
}

/* One scale for all: the panels share what width is left, narrow ones keep room for their head. */
static void
place_panels (MapDrawing *d)
{
  const TsMemoryFacts *facts = d->input->facts;
  double room = d->view->width - 2 * MARGIN - AXIS_WIDTH - PANEL_GAP * (facts->n_spaces > 0 ? facts->n_spaces - 1 : 0);
  double x = MARGIN + AXIS_WIDTH;
  gboolean narrow[TS_N_SPACES] = { FALSE }, all_narrow = TRUE;

  /* A panel that is too narrow at the common scale takes its least width; the others share the rest, until none is. */
  for (guint round = 0; round <= facts->n_spaces; round++)
    {
      double left = room, bytes = 0;
      gboolean changed = FALSE;

      for (guint s = 0; s < facts->n_spaces; s++)
        if (narrow[s])
          left -= LEAST_PANEL;
        else
          bytes += (double) d->panels[s].span;
      d->per_byte = bytes > 0 ? MAX (left, 40) / bytes : d->per_byte;
      for (guint s = 0; s < facts->n_spaces; s++)
        if (!narrow[s] && (double) d->panels[s].span * d->per_byte < LEAST_PANEL)
          changed = narrow[s] = TRUE;
      if (!changed)
        break;
    }
  for (guint s = 0; s < facts->n_spaces; s++)
    all_narrow &= narrow[s];
  /* Where every panel is narrow, the largest sets the scale. */
  for (guint s = 0; s < facts->n_spaces && all_narrow; s++)
    d->per_byte = MIN (d->per_byte, LEAST_PANEL / (double) d->panels[s].span);
  for (guint s = 0; s < facts->n_spaces; s++)
    {
      d->panels[s].x = x;
      d->panels[s].width = MAX ((double) d->panels[s].span * d->per_byte, LEAST_PANEL);
      x += d->panels[s].width + PANEL_GAP;
    }
}

static guint
panel_of (const MapDrawing *d, TsSpace space)
{
  for (guint s = 0; s < d->input->facts->n_spaces; s++)
    if (d->input->facts->spaces[s].space == space)
      return s;
  return 0;
}

static void
mark_collapsed (MapDrawing *d)
{
  const TsMemoryFacts *facts = d->input->facts;

  for (guint c = 0; c < facts->n_collapses; c++)
    d->collapsed[facts->collapses[c].tile_a] = d->collapsed[facts->collapses[c].tile_b] = TRUE;
}

/* --- words -----------------------------------------------------------------------------------------------------------------------
 */

static void
describe_tile (const TsMapInput *input, guint32 index, GString *out)
{
  const TsMemoryFacts *facts = input->facts;
  const TsMemoryTile *tile = &facts->tiles[index];
  const TsMemoryBuffer *buffer = &facts->buffers[tile->buffer];
  static const char *const ROLES[] = { "", N_ ("a view of"), N_ ("written over"), N_ ("reuses the bytes of") };

  g_string_append_printf (out, _ ("%s in %s (%s), "), tile_name (input, tile), buffer->name, ts_space_name (buffer->space));
  ts_append_bytes (out, tile->size);
  if (tile->address != TS_MEMORY_UNPLACED)
    g_string_append_printf (out, _ (" at %" G_GINT64_FORMAT), tile->address);
  g_string_append_printf (out, _ (", live from statement %u to %u"), tile->def, tile->last);
  if (tile_stage (tile) >= 0)
    g_string_append_printf (out, _ (", stage %d"), tile_stage (tile));
  if (tile->role != TS_MEMORY_OWN && tile->role < G_N_ELEMENTS (ROLES) && tile->source != TS_MEMORY_NONE)
    {
      g_string_append (out, ", ");
      g_string_append_printf (out, "%s %s", _ (ROLES[tile->role]), tile_name (input, &facts->tiles[tile->source]));
    }
  for (guint c = 0; c < facts->n_collapses; c++)
    if (facts->collapses[c].tile_a == index || facts->collapses[c].tile_b == index)
      {
        const char *note = input->notes != NULL ? input->notes[c] : NULL;

        g_string_append_printf (out, _ ("\nstages %d and %d share "), facts->collapses[c].stage_a, facts->collapses[c].stage_b);
        ts_append_bytes (out, facts->collapses[c].bytes);
        if (note != NULL)
          g_string_append_printf (out, ", %s", note);
        break;
      }
}

static void
describe_space (const TsMapInput *input, gint index, GString *out)
{
  const TsMemorySpace *space;

  if (index < 0 || (guint) index >= input->facts->n_spaces)
    return;
  space = &input->facts->spaces[index];
  g_string_append_printf (out, _ ("%s: %u buffers, "), ts_space_name (space->space), space->n_buffers);
  ts_append_bytes (out, space->high_water);
  if (space->capacity > 0)
    {
      g_string_append (out, _ (" of "));
      ts_append_bytes (out, space->capacity);
    }
  g_string_append (out, _ (", at most "));
  ts_append_bytes (out, space->live_max);
  g_string_append (out, _ (" live at once"));
}

char *
ts_map_describe (const TsMapInput *input, const TsLink *link)
{
  GString *out = g_string_new (NULL);

  if (link->kind == TS_LINK_BUFFER && link->count >= 0 && (guint) link->count < input->facts->n_tiles)
    describe_tile (input, (guint32) link->count, out);
  else if (link->kind == TS_LINK_SPACE)
    describe_space (input, link->lane, out);
  else if (link->kind == TS_LINK_DENSE)
    g_string_append_printf (out, _ ("%d tiles"), link->count);
  return g_string_free (out, FALSE);
}

/* --- drawing
 * ---------------------------------------------------------------------------------------------------------------------- */

static double
to_y (const MapDrawing *d, double position)
{
  return d->top + position * d->per_row;
}

static void
begin (const MapDrawing *d, const TsLink *link)
{
  g_autofree char *title = d->view->titles ? ts_map_describe (d->input, link) : NULL;

  ts_scene_begin (d->scene, link, title);
}

static void
draw_space (const MapDrawing *d, guint s)
{
  const TsMemorySpace *space = &d->input->facts->spaces[s];
  const Panel *panel = &d->panels[s];
  TsLink link = { TS_LINK_SPACE, 0, (gint16) s, -1, -1, -1, 0, 0, panel->span };
  TsTextStyle strong = { TS_FONT_SIZE, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  g_autoptr (GString) words = g_string_new (NULL);
  gboolean over = space->capacity > 0 && space->high_water > space->capacity;

  ts_append_bytes (words, space->high_water);
  if (space->capacity > 0)
    {
      g_string_append (words, " / ");
      ts_append_bytes (words, space->capacity);
    }
  if (over)
    {
      g_string_append_printf (words, " · %s", _ ("too much"));
      soft.color = d->theme->alert;
    }
  begin (d, &link);
  /* As wide as its bytes: what is beyond, under the words, is no memory. */
  ts_scene_rect (d->scene, panel->x, d->top, (double) panel->span * d->per_byte, d->bottom - d->top,
                 (TsPaint) { .fill = d->theme->panel });
  ts_put_text (d->scene, d->measurer, panel->x, d->top - 20, panel->width, strong, ts_space_name (space->space));
  ts_put_text (d->scene, d->measurer, panel->x, d->top - 7, panel->width, soft, words->str);
  ts_scene_end (d->scene);
}

static void
draw_capacity (const MapDrawing *d, guint s)
{
  const TsMemorySpace *space = &d->input->facts->spaces[s];
  const Panel *panel = &d->panels[s];
  double x = panel->x + (double) space->capacity * d->per_byte;

  if (space->capacity <= 0 || x > panel->x + panel->width + 1)
    return;
  ts_scene_line (d->scene, x, d->top - 4, x, d->bottom,
                 (TsPaint) { .stroke = d->theme->alert, .width = 1.5f, .dash = TS_DASH_DASHED });
}

/* Program order at the left: no number twice, enough room between them. */
static void
draw_axis (const MapDrawing *d)
{
  TsScale scale = { 0, MAX (d->input->facts->n_positions, 1u), d->top, d->bottom - d->top };
  gint64 step = ts_scale_step (scale, 18);
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_END };

  ts_put_text (d->scene, d->measurer, MARGIN + AXIS_WIDTH - 6, d->top - 7, AXIS_WIDTH + 10, style, _ ("order"));
  for (gint64 at = 0; at < scale.to; at += step)
    {
      g_autoptr (GString) words = g_string_new (NULL);
      double y = to_y (d, (double) at);

      ts_append_cycles (words, at);
      ts_scene_line (d->scene, MARGIN + AXIS_WIDTH - 4, y, d->view->width - MARGIN, y, (TsPaint) { .stroke = d->theme->grid });
      ts_scene_no_hit (d->scene);
      ts_put_text (d->scene, d->measurer, MARGIN + AXIS_WIDTH - 7, y + d->per_row / 2 + TS_FONT_SMALL * 0.36, AXIS_WIDTH + 8, style,
                   words->str);
    }
}

/* Where a tile stands: left edge and width in pixels. A slot chosen at run time may be any: all of the buffer. */
static void
tile_extent (const MapDrawing *d, const TsMemoryTile *tile, double *x, double *w)
{
  const TsMemoryBuffer *buffer = &d->input->facts->buffers[tile->buffer];
  const Panel *panel = &d->panels[panel_of (d, buffer->space)];
  gint64 from = d->starts[tile->buffer] + (tile->offset >= 0 ? tile->offset : 0);
  gint64 size = tile->offset >= 0 ? tile->size : buffer->size;

  *x = panel->x + (double) from * d->per_byte;
  *w = MAX ((double) size * d->per_byte, 1);
}

/* A statement reads before it writes: a life begins and ends in the middle of a row, so that a tile written over another touches it
 * and does not cover it. */
static double
life_top (const MapDrawing *d, guint32 def)
{
  return to_y (d, def + 0.5);
}

static double
life_bottom (const MapDrawing *d, guint32 def, guint32 last)
{
  return to_y (d, MAX ((double) last, def + 0.5) + 0.5);
}

static TsPaint
tile_paint (const MapDrawing *d, guint32 index, TsColor *fill)
{
  const TsMemoryTile *tile = &d->input->facts->tiles[index];
  gint32 stage = tile_stage (tile);
  gboolean muted = d->view->highlight_stage >= 0 && stage != d->view->highlight_stage;
  TsPaint paint = { .fill = muted ? d->theme->muted : ts_theme_stage_color (d->theme, stage), .radius = 2 };

  *fill = paint.fill;
  if (stage < 0)
    {
      paint.stroke = d->theme->outline;
      paint.fill = *fill = muted ? d->theme->muted : d->theme->bytes;
    }
  if (tile->role == TS_MEMORY_VIEW || tile->role == TS_MEMORY_INPLACE)
    {
      /* The bytes are another tile's: an outline only. */
      paint.fill = TS_COLOR_NONE;
      paint.stroke = d->theme->text_soft;
      paint.dash = tile->role == TS_MEMORY_VIEW ? TS_DASH_DASHED : TS_DASH_DOTTED;
      *fill = d->theme->panel;
    }
  if (d->collapsed[index])
    {
      paint.stroke = d->theme->alert;
      paint.width = 2;
      paint.dash = TS_DASH_NONE;
    }
  return paint;
}

static void
draw_tile_text (const MapDrawing *d, const TsMemoryTile *tile, double x, double y, double w, double h, TsColor fill)
{
  TsTextStyle style = { (float) MIN (TS_FONT_SIZE, h - 2), TS_WEIGHT_NORMAL, ts_theme_text_on (fill), TS_ANCHOR_START };
  g_autofree char *tag = tile_stage (tile) >= 0 ? g_strdup_printf ("s%d", tile_stage (tile)) : NULL;
  double used = 0, baseline = y + MIN (h, 22) / 2 + style.size * 0.36;

  if (style.size < 7 || w < 10)
    return;
  if (tile->role == TS_MEMORY_VIEW || tile->role == TS_MEMORY_INPLACE)
    style.color = d->theme->text;
  if (tag != NULL)
    {
      TsTextStyle small = style;

      small.size = MIN (style.size, TS_FONT_SMALL);
      small.anchor = TS_ANCHOR_END;
      used = ts_put_text_whole (d->scene, d->measurer, x + w - 4, baseline, w - 8, small, tag);
    }
  if (w - 8 - used > 20)
    ts_put_text (d->scene, d->measurer, x + 4, baseline, w - 12 - used, style, tile_name (d->input, tile));
}

static void
draw_tile (const MapDrawing *d, guint32 index)
{
  const TsMemoryTile *tile = &d->input->facts->tiles[index];
  const TsMemoryBuffer *buffer = &d->input->facts->buffers[tile->buffer];
  TsLink link = { TS_LINK_BUFFER, tile->role, (gint16) panel_of (d, buffer->space), tile->op, -1, -1, (gint32) index,
                  d->starts[tile->buffer] + MAX (tile->offset, 0), d->starts[tile->buffer] + MAX (tile->offset, 0) + tile->size };
  double x, w, y = life_top (d, tile->def), h = MAX (life_bottom (d, tile->def, tile->last) - y, 1);
  TsColor fill;
  TsPaint paint = tile_paint (d, index, &fill);
  double inset = tile->role == TS_MEMORY_VIEW || tile->role == TS_MEMORY_INPLACE ? 2 : 0;

  tile_extent (d, tile, &x, &w);
  begin (d, &link);
  ts_scene_rect (d->scene, x + 0.5 + inset, y + 0.5 + inset, MAX (w - 1 - 2 * inset, 0.5), MAX (h - 1 - 2 * inset, 0.5), paint);
  if (paint.fill != TS_COLOR_NONE && h > 4 && ts_theme_stage_texture (tile_stage (tile)) != TS_HATCH_NONE)
    {
      ts_scene_hatch (d->scene, x + 1, y + 1, w - 2, h - 2, ts_theme_stage_texture (tile_stage (tile)),
                      (ts_theme_text_on (fill) & ~0xFFu) | 0x60);
      ts_scene_no_hit (d->scene);
    }
  if (tile->role == TS_MEMORY_REUSE && w > 8 && h > 6)
    /* A notch in the corner: these bytes were another's before. */
    ts_scene_polygon (d->scene, (TsPoint[]) { { x + 1, y + 1 }, { x + 8, y + 1 }, { x + 1, y + 8 } }, 3,
                      (TsPaint) { .fill = d->collapsed[index] ? d->theme->alert : ts_theme_text_on (fill) });
  draw_tile_text (d, tile, x + (tile->role == TS_MEMORY_REUSE ? 6 : inset), y, w - (tile->role == TS_MEMORY_REUSE ? 6 : 2 * inset),
                  h, fill);
  if (d->view->selected_op >= 0 && tile->op == d->view->selected_op)
    ts_scene_rect (d->scene, x - 1, y - 1, w + 2, h + 2, (TsPaint) { .stroke = d->theme->select, .width = 3, .radius = 3 });
  ts_scene_end (d->scene);
}

/* Tiles of one buffer in order of definition; those that end within the pixel row where they begin merge. */
static void
draw_buffer (const MapDrawing *d, guint32 b)
{
  const TsMemoryFacts *facts = d->input->facts;
  const TsMemoryBuffer *buffer = &facts->buffers[b];
  const Panel *panel = &d->panels[panel_of (d, buffer->space)];
  double x = panel->x + (double) d->starts[b] * d->per_byte, w = MAX ((double) buffer->size * d->per_byte, 1);

  ts_scene_rect (d->scene, x, life_top (d, buffer->def), w,
                 MAX (life_bottom (d, buffer->def, buffer->last) - life_top (d, buffer->def), 1),
                 (TsPaint) { .fill = ts_color_mix (d->theme->panel, d->theme->panel_strong, 0.5) });
  ts_scene_no_hit (d->scene);
  for (guint32 k = 0; k < buffer->n_tiles;)
    {
      guint32 first = k;
      double y = life_top (d, facts->tiles[facts->by_buffer[buffer->first_tile + k]].def);

      while (k < buffer->n_tiles)
        {
          const TsMemoryTile *tile = &facts->tiles[facts->by_buffer[buffer->first_tile + k]];

          if (life_bottom (d, tile->def, tile->last) > y + 2 || d->collapsed[facts->by_buffer[buffer->first_tile + k]])
            break;
          k++;
        }
      if (k <= first + 1)
        {
          draw_tile (d, facts->by_buffer[buffer->first_tile + first]);
          k = first + 1;
          continue;
        }
      {
        const TsMemoryTile *tile = &facts->tiles[facts->by_buffer[buffer->first_tile + first]];
        TsLink link = { TS_LINK_DENSE, 0, (gint16) panel_of (d, buffer->space), tile->op, -1, -1, (gint32) (k - first), tile->def,
                        tile->def + 1 };

        begin (d, &link);
        ts_scene_rect (d->scene, x, y, w, 2, (TsPaint) { .fill = ts_theme_stage_color (d->theme, tile_stage (tile)) });
        ts_scene_end (d->scene);
      }
    }
}

/* Says which stages share, beside the place where they meet. */
static void
draw_collapses (const MapDrawing *d)
{
  const TsMemoryFacts *facts = d->input->facts;
  double last_y = -G_MAXDOUBLE;

  for (guint c = 0; c < facts->n_collapses; c++)
    {
      const TsMemoryCollapse *collapse = &facts->collapses[c];
      const TsMemoryTile *tile = &facts->tiles[collapse->tile_b];
      const char *note = d->input->notes != NULL ? d->input->notes[c] : NULL;
      g_autofree char *words = g_strdup_printf (_ ("stages %d and %d share %s"), collapse->stage_a, collapse->stage_b,
                                                facts->buffers[collapse->buffer_a].name);
      g_autofree char *full = note != NULL ? g_strdup_printf ("%s, %s", words, note) : g_strdup (words);
      TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_MEDIUM, d->theme->alert, TS_ANCHOR_START };
      double x, w, y = life_top (d, tile->def) - 2, width;

      tile_extent (d, tile, &x, &w);
      width = ts_measure (d->measurer, full, style.size, style.weight);
      x = MIN (x, d->view->width - MARGIN - width - 8);
      if (x < MARGIN || y - last_y < 18)
        continue;
      ts_scene_rect (d->scene, x, y - 13, width + 8, 15,
                     (TsPaint) { .fill = d->theme->background, .stroke = d->theme->alert, .radius = 3 });
      ts_scene_no_hit (d->scene);
      ts_put_text (d->scene, d->measurer, x + 4, y - 2, 0, style, full);
      last_y = y;
    }
}

static double
legend_entry (const MapDrawing *d, double x, double y, TsPaint paint, gint32 stage, const char *words)
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

static void
draw_legend (const MapDrawing *d)
{
  double x = MARGIN, y = d->bottom + 12;
  guint roles = 0;

  for (guint i = 0; i < d->input->facts->n_tiles; i++)
    roles |= 1u << d->input->facts->tiles[i].role;
  for (gint32 stage = 0; stage <= MIN (d->max_stage, 9); stage++)
    {
      g_autofree char *words = g_strdup_printf (_ ("stage %d"), stage);

      x = legend_entry (d, x, y, (TsPaint) { .fill = ts_theme_stage_color (d->theme, stage) }, stage, words);
    }
  x = legend_entry (d, x, y, (TsPaint) { .fill = d->theme->bytes, .stroke = d->theme->outline }, -1, _ ("no stage"));
  if ((roles >> TS_MEMORY_VIEW & 1) != 0)
    x = legend_entry (d, x, y, (TsPaint) { .stroke = d->theme->text_soft, .dash = TS_DASH_DASHED }, -1, _ ("view"));
  if ((roles >> TS_MEMORY_INPLACE & 1) != 0)
    x = legend_entry (d, x, y, (TsPaint) { .stroke = d->theme->text_soft, .dash = TS_DASH_DOTTED }, -1, _ ("in place"));
  if ((roles >> TS_MEMORY_REUSE & 1) != 0)
    {
      double at = x;

      x = legend_entry (d, x, y, (TsPaint) { .stroke = d->theme->outline }, -1, _ ("reuses bytes"));
      if (x > at)
        ts_scene_polygon (d->scene, (TsPoint[]) { { at + 1, y + 1 }, { at + 8, y + 1 }, { at + 1, y + 8 } }, 3,
                          (TsPaint) { .fill = d->theme->text });
    }
  if (d->input->facts->n_collapses > 0)
    legend_entry (d, x, y, (TsPaint) { .stroke = d->theme->alert, .width = 2 }, -1, _ ("stages share bytes"));
}

static void
draw_frame (const MapDrawing *d)
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

void
ts_map_scene (const TsMapInput *input, const TsMapView *view, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  const TsMemoryFacts *facts = input->facts;
  MapDrawing d = {
    .input = input, .view = view, .theme = theme, .measurer = measurer, .scene = scene, .per_byte = 1, .max_stage = -1
  };

  d.starts = g_new0 (gint64, MAX (facts->n_buffers, 1));
  d.collapsed = g_new0 (guint8, MAX (facts->n_tiles, 1));
  for (guint i = 0; i < facts->n_tiles; i++)
    d.max_stage = MAX (d.max_stage, tile_stage (&facts->tiles[i]));
  d.per_row = row_height (input, view);
  d.top = head_height (view);
  d.bottom = d.top + d.per_row * MAX (facts->n_positions, 1u);
  ts_scene_reset (scene, view->width, d.bottom + foot_height (view), theme->background);
  measure_spaces (&d);
  place_panels (&d);
  mark_collapsed (&d);
  for (guint s = 0; s < facts->n_spaces; s++)
    draw_space (&d, s);
  draw_axis (&d);
  for (guint32 b = 0; b < facts->n_buffers; b++)
    draw_buffer (&d, b);
  for (guint s = 0; s < facts->n_spaces; s++)
    draw_capacity (&d, s);
  draw_collapses (&d);
  if (view->cursor >= 0 && view->cursor < facts->n_positions)
    ts_scene_line (scene, MARGIN + AXIS_WIDTH - 4, to_y (&d, (double) view->cursor + 0.5), view->width - MARGIN,
                   to_y (&d, (double) view->cursor + 0.5), (TsPaint) { .stroke = theme->select });
  draw_frame (&d);
  g_free (d.starts);
  g_free (d.collapsed);
}
