/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words in a memory map: names and stages in the tiles, and beside them what found no room there. */
#include "draw/memory-map-private.h"
#include "draw/words.h"

/* Places where stages meet that are told in words; of more, the tooltips tell. */
#define MAX_CALLOUTS 24u
#define CALLOUT_HEIGHT 15.0
/* Names beside narrow tiles, and how many tiles the map may have for them: every place is held against all of them. */
#define MAX_BESIDE 64u
#define MAX_TILES_BESIDE 800u
#define NAME_HEIGHT 12.0
/* Buffers named in one callout. */
#define MAX_NAMED 3u
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

typedef struct
{
  TsMapBox boxes[MAX_CALLOUTS + MAX_BESIDE];
  guint    n;
} Taken;

static gboolean
boxes_meet (TsMapBox a, TsMapBox b)
{
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/* Words across the line of a capacity can be read, but better not. */
#define COST_OF_LINE 1.0
#define HUGE_COST 1e12

/* How many pixels of tiles words in this place would cover; negative: they do not fit into the picture, or lie on others. */
static double
cost_of_place (const TsMapDrawing *d, TsMapBox box, const Taken *taken)
{
  double cost = 0;

  if (box.x < d->at.x || box.x + box.w > ts_map_right_edge (d) + TS_MAP_MARGIN - 4 || box.y < d->at.y - 2
      || box.y + box.h > d->at.y + d->at.height + 2)
    return -1;
  for (guint i = 0; i < taken->n; i++)
    if (boxes_meet (box, taken->boxes[i]))
      return -1;
  for (guint s = 0; s < d->input->facts->n_spaces; s++)
    {
      gint64 capacity = d->input->facts->spaces[s].capacity;
      double x = ts_map_to_x (&d->at, s, (double) MIN (capacity, d->at.panels[s].span));

      cost += capacity > 0 && x > box.x && x < box.x + box.w ? COST_OF_LINE : 0;
    }
  for (guint32 i = 0; i < d->input->facts->n_tiles; i++)
    {
      TsMapBox tile = ts_map_layout_tile (&d->at, i);

      if (boxes_meet (box, tile))
        cost += (MIN (box.x + box.w, tile.x + tile.w) - MAX (box.x, tile.x))
                * (MIN (box.y + box.h, tile.y + tile.h) - MAX (box.y, tile.y));
    }
  return cost;
}

/* Right of the tile, left of it, below, above: the first place that covers least; `most`: pixels it may cover. */
static gboolean
place_words (const TsMapDrawing *d, TsMapBox tile, double width, double height, double gap, double most, Taken *taken)
{
  double least = G_MAXDOUBLE, step = MAX (height, tile.h / 8);
  TsMapBox best = { 0 };

  for (guint side = 0; side < 4; side++)
    for (double down = 0; down == 0 || (side < 2 && most < HUGE_COST && down + height <= tile.h); down += step)
      {
        double x = side == 0 ? tile.x + tile.w + gap : side == 1 ? tile.x - width - gap : tile.x;
        double y = side == 2 ? tile.y + tile.h + gap - 2 : side == 3 ? tile.y - height - gap + 2
                                                        : tile.y + MIN (tile.h, 22) / 2 - height / 2 + down;

        for (guint end = 0; end < (side < 2 ? 1u : 2u); end++)
          {
            TsMapBox box = { end == 0 ? x : tile.x + tile.w - width, y, width, height };
            double cost = cost_of_place (d, box, taken);

            if (cost < 0 || cost > most || cost >= least)
              continue;
            least = cost;
            best = box;
          }
      }
  if (least == G_MAXDOUBLE)
    return FALSE;
  taken->boxes[taken->n++] = best;
  return TRUE;
}

static const char *
note_of (const TsMapDrawing *d, guint collapse)
{
  return d->input->notes != NULL ? d->input->notes[collapse] : NULL;
}

/* How many collapses from `first` on are told in one sentence: the same stages, in other buffers of the space. */
static guint
count_alike (const TsMapDrawing *d, guint first)
{
  const TsMemoryFacts *facts = d->input->facts;
  const TsMemoryCollapse *a = &facts->collapses[first];
  guint n = 1;

  for (; first + n < facts->n_collapses; n++)
    {
      const TsMemoryCollapse *b = &facts->collapses[first + n];

      if (b->group != a->group || b->stage_a != a->stage_a || b->stage_b != a->stage_b
          || facts->buffers[b->buffer_a].space != facts->buffers[a->buffer_a].space
          || g_strcmp0 (note_of (d, first), note_of (d, first + n)) != 0)
        break;
    }
  return n;
}

/* "group 1: stages 0 and 1 share mem_left_8, mem_left_10, since MemoryReuse" */
static char *
collapse_words (const TsMapDrawing *d, guint first, guint n)
{
  const TsMemoryFacts *facts = d->input->facts;
  const TsMemoryCollapse *a = &facts->collapses[first];
  GString *words = g_string_new (NULL);

  if (d->several_groups)
    g_string_append_printf (words, _ ("group %d: "), a->group);
  g_string_append_printf (words, _ ("stages %d and %d share %s"), a->stage_a, a->stage_b, facts->buffers[a->buffer_a].name);
  for (guint i = 1; i < MIN (n, MAX_NAMED); i++)
    g_string_append_printf (words, ", %s", facts->buffers[facts->collapses[first + i].buffer_a].name);
  if (n > MAX_NAMED)
    g_string_append_printf (words, _ (" and %u more"), n - MAX_NAMED);
  if (note_of (d, first) != NULL)
    g_string_append_printf (words, ", %s", note_of (d, first));
  return g_string_free (words, FALSE);
}

static gboolean
place_callout (const TsMapDrawing *d, TsMapBox tile, char **words, guint collapse, TsTextStyle style, Taken *taken)
{
  const TsMemoryCollapse *c = &d->input->facts->collapses[collapse];

  if (place_words (d, tile, ts_measure (d->measurer, *words, style.size, style.weight) + 8, CALLOUT_HEIGHT, 6, HUGE_COST, taken))
    return TRUE;
  /* In a narrow picture the tooltip tells the rest. */
  g_free (*words);
  *words = g_strdup_printf (_ ("stages %d and %d share"), c->stage_a, c->stage_b);
  return place_words (d, tile, ts_measure (d->measurer, *words, style.size, style.weight) + 8, CALLOUT_HEIGHT, 6, HUGE_COST, taken);
}

/* Says which stages share, beside the place where they meet. */
static void
put_callouts (const TsMapDrawing *d, Taken *taken)
{
  const TsMemoryFacts *facts = d->input->facts;
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_MEDIUM, d->theme->alert, TS_ANCHOR_START };

  for (guint c = 0, n; c < facts->n_collapses && taken->n < MAX_CALLOUTS; c += n)
    {
      TsMapBox tile = ts_map_layout_tile (&d->at, facts->collapses[c].tile_b), box;
      g_autofree char *words = NULL;

      n = count_alike (d, c);
      if (!ts_map_in_sight (&d->at, tile))
        continue;
      words = collapse_words (d, c, n);
      if (!place_callout (d, tile, &words, c, style, taken))
        continue;
      box = taken->boxes[taken->n - 1];
      ts_scene_rect (d->scene, box.x, box.y, box.w, box.h,
                     (TsPaint) { .fill = d->theme->background, .stroke = d->theme->alert, .radius = 3 });
      ts_scene_no_hit (d->scene);
      ts_put_text (d->scene, d->measurer, box.x + 4, box.y + 11, 0, style, words);
      ts_scene_no_hit (d->scene);
    }
}

/* From the name to the nearest edge of its tile. */
static void
put_leader (const TsMapDrawing *d, TsMapBox tile, TsMapBox words)
{
  double x = CLAMP (words.x + words.w / 2, tile.x, tile.x + tile.w), y = CLAMP (words.y + words.h / 2, tile.y, tile.y + tile.h);

  ts_scene_line (d->scene, CLAMP (x, words.x, words.x + words.w), CLAMP (y, words.y, words.y + words.h), x, y,
                 (TsPaint) { .stroke = d->theme->text_soft });
  ts_scene_no_hit (d->scene);
}

/* Where nothing else stands. */
static void
put_names (const TsMapDrawing *d, Taken *taken)
{
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_START };

  for (guint i = 0; i < d->unnamed->len && d->input->facts->n_tiles <= MAX_TILES_BESIDE; i++)
    {
      guint32 index = g_array_index (d->unnamed, guint32, i);
      TsMapBox tile = ts_map_layout_tile (&d->at, index);
      const char *name = ts_map_tile_name (d->input, &d->input->facts->tiles[index]);

      if (!place_words (d, tile, ts_measure (d->measurer, name, style.size, style.weight) + 2, NAME_HEIGHT, 4, 2 * COST_OF_LINE,
                        taken))
        continue;
      put_leader (d, tile, taken->boxes[taken->n - 1]);
      ts_put_text (d->scene, d->measurer, taken->boxes[taken->n - 1].x + 1, taken->boxes[taken->n - 1].y + 9.5, 0, style, name);
      ts_scene_no_hit (d->scene);
    }
}

void
ts_map_put_words_beside (const TsMapDrawing *d)
{
  Taken taken = { .n = 0 };

  put_callouts (d, &taken);
  put_names (d, &taken);
}
