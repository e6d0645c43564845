/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words in a memory map: names and stages in the tiles, and beside them what found no room there. */
#include "draw/memory-map-private.h"

/* Names beside narrow tiles, and how many tiles the map may have for them: among more, names are a clutter. */
#define MAX_BESIDE 64u
#define MAX_TILES_BESIDE 800u
/* Names that may stand away from their tiles, with a line to them. */
#define MAX_ANYWHERE 24u
#define NAME_HEIGHT 12.0
#define NAME_GAP 4.0
/* Lines of a name that is too long for its tile. */
#define MAX_LINES 4u
#define LINE_HEIGHT 11.0
/* Narrower than this a name is not broken: letters below each other are no word. */
#define MIN_BREAK 22.0

/* --- in the tile ------------------------------------------------------------------------------------------------------------- */

/* Lengths of the lines into which a name is broken so that each fits into `room`: behind an underscore rather than between letters.
 * 0: it needs more than MAX_LINES. */
static guint
break_name (const TsMapDrawing *d, const char *name, float size, double room, gsize *lengths)
{
  guint n = 0;

  while (*name != '\0' && n < MAX_LINES)
    {
      const char *at = name, *end = name, *soft = NULL;

      while (*at != '\0')
        {
          const char *next = g_utf8_next_char (at);
          g_autofree char *part = g_strndup (name, (gsize) (next - name));

          if (ts_measure (d->measurer, part, size, TS_WEIGHT_NORMAL) > room)
            break;
          end = next;
          if (*at == '_')
            soft = next;
          at = next;
        }
      if (end == name)
        return 0;
      if (*end != '\0' && soft != NULL)
        end = soft;
      lengths[n++] = (gsize) (end - name);
      name = end;
    }
  return *name == '\0' ? n : 0;
}

typedef struct
{
  double used;     /* width of the first line, 0: no name */
  double baseline; /* of the last line */
} Put;

/* The name in one line, in a smaller one, or in several. */
static Put
put_name (const TsMapDrawing *d, const char *name, double left, double top, double w, double h, TsTextStyle style)
{
  double middle = top + MIN (h, 22) / 2;
  gsize lengths[MAX_LINES];
  double used;
  Put put = { 0, middle + style.size * 0.36 };
  guint n;

  for (float size = style.size; size >= 9 && put.used == 0; size -= 1)
    {
      style.size = size;
      put.used = ts_put_text_whole (d->scene, d->measurer, left, middle + size * 0.36, w, style, name);
    }
  if (put.used > 0 || w < MIN_BREAK || h < 2 * LINE_HEIGHT + 4)
    return put;
  style.size = 9;
  n = break_name (d, name, style.size, w, lengths);
  if (n == 0 || n * LINE_HEIGHT + 4 > h)
    return put;
  put.baseline = top + 4 + style.size * 0.72;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *line = g_strndup (name, lengths[i]);

      put.baseline += i > 0 ? LINE_HEIGHT : 0;
      used = ts_put_text (d->scene, d->measurer, left, put.baseline, 0, style, line);
      put.used = MAX (put.used, used);
      name += lengths[i];
    }
  return put;
}

/* "g1 s0 · g0 s1" where there are several groups, outermost first; `level` 1: the innermost alone; 2: "s1". */
static char *
stage_tag (const TsMapDrawing *d, const TsMemoryTile *tile, guint level)
{
  GString *tag = g_string_new (NULL);

  if (d->several_groups && level < 2)
    for (guint i = level == 0 ? tile->n_stages : 1; i-- > 0;)
      g_string_append_printf (tag, "%sg%d s%d", tag->len > 0 ? " · " : "", tile->stages[i].group, tile->stages[i].stage);
  else
    g_string_append_printf (tag, "s%d", ts_map_tile_stage (tile));
  return g_string_free (tag, FALSE);
}

/* At the right of the first line, or below the name: the colour says it as well. */
static void
put_tag (const TsMapDrawing *d, const TsMemoryTile *tile, Put name, double right, double top, double w, double h, TsTextStyle style)
{
  double first = top + MIN (h, 22) / 2 + style.size * 0.36, below = name.baseline + LINE_HEIGHT + 1, put = 0;

  style.anchor = TS_ANCHOR_END;
  for (guint level = 0; level < 3 && put == 0; level++)
    {
      g_autofree char *tag = stage_tag (d, tile, level);

      if (name.baseline <= first + 1)
        put = ts_put_text_whole (d->scene, d->measurer, right, first, w - (name.used > 0 ? name.used + 6 : 0), style, tag);
      if (put == 0 && name.used > 0 && below + 3 <= top + h)
        put = ts_put_text_whole (d->scene, d->measurer, right, below, w, style, tag);
    }
}

void
ts_map_put_tile_words (const TsMapDrawing *d, guint32 index, TsMapBox box, TsColor color)
{
  const TsMemoryTile *tile = &d->input->facts->tiles[index];
  const char *name = ts_map_tile_name (d->input, tile);
  double left = MAX (box.x, d->at.x), right = MIN (box.x + box.w, ts_map_right_edge (d));
  double top = MAX (box.y, d->at.y), bottom = MIN (box.y + box.h, d->at.y + d->at.height), w = right - left, h = bottom - top;
  TsTextStyle style = { (float) MIN (TS_FONT_SIZE, h - 2), TS_WEIGHT_NORMAL, color, TS_ANCHOR_START };
  TsTextStyle small = { (float) MIN (TS_FONT_SMALL, h - 2), TS_WEIGHT_NORMAL, color, TS_ANCHOR_START };
  Put put = { 0, top };

  if (w <= 0 || h <= 0)
    return;
  if (style.size >= 9 && w >= 10)
    put = put_name (d, name, left + 4, top, w - 7, h, style);
  if (put.used == 0 && d->unnamed->len < MAX_BESIDE)
    g_array_append_val (d->unnamed, index);
  if (ts_map_tile_stage (tile) >= 0 && small.size >= 7 && w >= 10)
    put_tag (d, tile, put, right - 4, top, w - 8, h, small);
}

/* --- beside it ------------------------------------------------------------------------------------------------------------- */

/* Where nothing else stands. */
static void
put_names (const TsMapDrawing *d, TsMapPlaces *places)
{
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_START };

  /* Each search over the whole map costs as much as the map has places: not for a crowd. */
  gboolean few = d->unnamed->len <= MAX_ANYWHERE;

  for (guint i = 0; i < d->unnamed->len; i++)
    {
      guint32 index = g_array_index (d->unnamed, guint32, i);
      TsMapBox tile = ts_map_layout_tile (&d->at, index), place;
      const char *name = ts_map_tile_name (d->input, &d->input->facts->tiles[index]);
      double width = ts_measure (d->measurer, name, style.size, style.weight) + 2;

      if (!ts_map_place_beside (places, tile, width, NAME_HEIGHT, NAME_GAP, &place)
          && !(few && ts_map_place_anywhere (places, tile, width, NAME_HEIGHT, &place)))
        continue;
      ts_map_put_leader (d, tile, place, d->theme->text_soft);
      /* Letters on the line of a capacity cannot be told from it. */
      if (ts_map_crosses_capacity (d, place))
        ts_scene_rect (d->scene, place.x, place.y, place.w, place.h, (TsPaint) { .fill = d->theme->background });
      ts_put_text (d->scene, d->measurer, place.x + 1, place.y + 9.5, 0, style, name);
      ts_scene_no_hit (d->scene);
    }
}

void
ts_map_put_words_beside (const TsMapDrawing *d)
{
  TsMapPlaces *places;

  gboolean names = d->unnamed->len > 0 && d->input->facts->n_tiles <= MAX_TILES_BESIDE;

  if (!names && d->input->facts->n_collapses == 0)
    return;
  places = ts_map_places_new (d);
  ts_map_put_callouts (d, places);
  if (names)
    put_names (d, places);
  ts_map_places_free (places);
}
