/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in a memory map words can stand beside tiles: a grid of what is taken, asked for any box in constant time. */
#include <math.h>

#include "draw/memory-map-private.h"

/* Edge of a cell of the grid, pixels. */
#define CELL 2.0
/* Farther than this from the map nothing is asked. */
#define MAX_CELLS 2000000u
/* Steps of the search over the whole map. */
#define STEP_X 10.0
#define STEP_Y 6.0
/* Words across the line of a capacity can be read, but better not. */
#define COST_OF_LINE 1.0
/* Steps along the side of a tile, and how much of it words at its side touch at least. */
#define SIDE_STEP 3.0
#define MIN_TOUCH 8.0
/* The map begins and ends with half an empty row: words may reach a little beyond. */
#define BEYOND 2.0

struct TsMapPlaces
{
  const TsMapDrawing *d;
  guint    across, down;
  guint32 *sums;   /* (across + 1) * (down + 1): taken cells above and to the left */
  GArray  *words;  /* TsMapBox: words that were placed */
};

typedef struct { guint x1, y1, x2, y2; } Cells;

/* The cells a box touches, [x1, x2) by [y1, y2), cut to the grid. */
static Cells
cells_of (const TsMapPlaces *p, TsMapBox box)
{
  double left = (box.x - p->d->at.x) / CELL, top = (box.y - p->d->at.y) / CELL;

  return (Cells) { (guint) CLAMP (floor (left), 0, p->across), (guint) CLAMP (floor (top), 0, p->down),
                   (guint) CLAMP (ceil (left + box.w / CELL), 0, p->across),
                   (guint) CLAMP (ceil (top + box.h / CELL), 0, p->down) };
}

/* Marks the corners of a box; the sums over them tell how often a cell is covered. */
static void
cover (TsMapPlaces *p, gint32 *corners, TsMapBox box)
{
  Cells c = cells_of (p, box);
  const gsize row = p->across + 1;

  if (c.x1 >= c.x2 || c.y1 >= c.y2)
    return;
  corners[c.y1 * row + c.x1]++;
  corners[c.y1 * row + c.x2]--;
  corners[c.y2 * row + c.x1]--;
  corners[c.y2 * row + c.x2]++;
}

/* What no words shall stand on: tiles, and the hatch of the reserved bytes. */
static void
cover_all (TsMapPlaces *p, gint32 *corners)
{
  const TsMapLayout *l = &p->d->at;
  const TsMemoryFacts *facts = l->input->facts;

  for (guint32 i = 0; i < facts->n_tiles; i++)
    {
      TsMapBox box = ts_map_layout_tile (l, i);

      if (ts_map_in_sight (l, box))
        cover (p, corners, box);
    }
  for (guint s = 0; s < facts->n_spaces; s++)
    {
      double from = ts_map_to_x (l, s, 0), to = ts_map_to_x (l, s, (double) facts->spaces[s].reserved);

      cover (p, corners, (TsMapBox) { from, l->y, to - from, l->height });
    }
}

/* From corners to how often a cell is covered, and from there to the sums of the cells that are. */
static void
sum_up (TsMapPlaces *p, gint32 *corners)
{
  const gsize row = p->across + 1;

  for (guint y = 0; y < p->down; y++)
    for (guint x = 0; x < p->across; x++)
      {
        const gsize at = y * row + x;

        corners[at] += x > 0 ? corners[at - 1] : 0;
        corners[at] += y > 0 ? corners[at - row] - (x > 0 ? corners[at - row - 1] : 0) : 0;
        p->sums[at + row + 1] = (corners[at] > 0) + p->sums[at + row] + p->sums[at + 1] - p->sums[at];
      }
}

TsMapPlaces *
ts_map_places_new (const TsMapDrawing *d)
{
  TsMapPlaces *p = g_new0 (TsMapPlaces, 1);
  gint32 *corners;
  gsize n;

  p->d = d;
  p->across = (guint) MAX (ceil (d->at.width / CELL), 1);
  p->down = (guint) MAX (ceil (d->at.height / CELL), 1);
  p->words = g_array_new (FALSE, FALSE, sizeof (TsMapBox));
  n = (gsize) (p->across + 1) * (p->down + 1);
  if (n > MAX_CELLS)
    return p;
  p->sums = g_new0 (guint32, n);
  corners = g_new0 (gint32, n);
  cover_all (p, corners);
  sum_up (p, corners);
  g_free (corners);
  return p;
}

void
ts_map_places_free (TsMapPlaces *p)
{
  g_array_unref (p->words);
  g_free (p->sums);
  g_free (p);
}

static gboolean
boxes_meet (TsMapBox a, TsMapBox b)
{
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

static gboolean
is_free (const TsMapPlaces *p, TsMapBox box)
{
  const gsize row = p->across + 1;
  Cells c = cells_of (p, box);

  for (guint i = 0; i < p->words->len; i++)
    if (boxes_meet (box, g_array_index (p->words, TsMapBox, i)))
      return FALSE;
  if (c.x1 >= c.x2 || c.y1 >= c.y2)
    return TRUE;
  return p->sums[c.y2 * row + c.x2] + p->sums[c.y1 * row + c.x1] == p->sums[c.y1 * row + c.x2] + p->sums[c.y2 * row + c.x1];
}

/* How many lines of capacities words in this place would cross. */
static guint
lines_through (const TsMapLayout *l, TsMapBox box)
{
  guint n = 0;

  for (guint s = 0; s < l->input->facts->n_spaces; s++)
    {
      gint64 capacity = l->input->facts->spaces[s].capacity;
      double x = ts_map_to_x (l, s, (double) MIN (capacity, l->panels[s].span));

      n += capacity > 0 && x > box.x && x < box.x + box.w;
    }
  return n;
}

gboolean
ts_map_crosses_capacity (const TsMapDrawing *d, TsMapBox box)
{
  return lines_through (&d->at, box) > 0;
}

/* Lines of a capacity that words in this place would cross; negative: they do not fit into the picture, or lie on something. */
static double
cost_of_place (const TsMapPlaces *p, TsMapBox box)
{
  const TsMapLayout *l = &p->d->at;

  if (box.x < l->x || box.x + box.w > l->x + l->width + TS_MAP_MARGIN - 4 || box.y < l->y - BEYOND
      || box.y + box.h > l->y + l->height + BEYOND || !is_free (p, box))
    return -1;
  return COST_OF_LINE * lines_through (l, box);
}

static gboolean
take (TsMapPlaces *p, double least, TsMapBox best, TsMapBox *place)
{
  if (least == G_MAXDOUBLE)
    return FALSE;
  g_array_append_val (p->words, best);
  *place = best;
  return TRUE;
}

typedef struct
{
  TsMapBox box;
  double   cost, shift; /* G_MAXDOUBLE: none found yet */
} Best;

/* Cheaper, or as cheap on the same side and nearer to where it would stand best. */
static void
try_place (const TsMapPlaces *p, Best *best, TsMapBox box, gboolean same_side, double shift)
{
  double cost = cost_of_place (p, box);

  if (cost < 0 || cost > best->cost || (cost == best->cost && !(same_side && shift < best->shift)))
    return;
  *best = (Best) { box, cost, shift };
}

/* Along a side of the tile, so far as the words still touch it: level with its first line where there is room. */
static void
try_side (const TsMapPlaces *p, Best *best, TsMapBox tile, TsMapBox box)
{
  double touch = MIN (MIN (tile.h, box.h), MIN_TOUCH), level = tile.y + MIN (tile.h, 22) / 2 - box.h / 2;
  gboolean found = FALSE;

  for (double y = tile.y - box.h + touch; y <= tile.y + tile.h - touch; y += SIDE_STEP)
    {
      Best before = *best;

      box.y = y;
      try_place (p, best, box, found, fabs (y - level));
      found |= best->cost < before.cost;
    }
  box.y = level;
  try_place (p, best, box, found, 0);
}

gboolean
ts_map_place_beside (TsMapPlaces *p, TsMapBox tile, double width, double height, double gap, TsMapBox *place)
{
  const double above = tile.y - height - gap + 1, below = tile.y + tile.h + gap - 1, end = tile.x + tile.w - width;
  Best best = { .cost = G_MAXDOUBLE };

  if (p->sums == NULL)
    return FALSE;
  try_side (p, &best, tile, (TsMapBox) { tile.x + tile.w + gap, 0, width, height });
  try_side (p, &best, tile, (TsMapBox) { tile.x - width - gap, 0, width, height });
  try_place (p, &best, (TsMapBox) { tile.x, below, width, height }, FALSE, 0);
  try_place (p, &best, (TsMapBox) { end, below, width, height }, FALSE, 0);
  try_place (p, &best, (TsMapBox) { tile.x, above, width, height }, FALSE, 0);
  try_place (p, &best, (TsMapBox) { end, above, width, height }, FALSE, 0);
  return take (p, best.cost, best.box, place);
}

/* The shortest way from the words to the tile. */
static void
way_between (TsMapBox words, TsMapBox tile, TsPoint *from, TsPoint *to)
{
  to->x = CLAMP (words.x + words.w / 2, tile.x, tile.x + tile.w);
  to->y = CLAMP (words.y + words.h / 2, tile.y, tile.y + tile.h);
  from->x = CLAMP (to->x, words.x, words.x + words.w);
  from->y = CLAMP (to->y, words.y, words.y + words.h);
}

/* Nothing but the words and the tile themselves lies on the way. */
static gboolean
way_is_free (const TsMapPlaces *p, TsMapBox tile, TsPoint from, TsPoint to)
{
  double length = hypot (to.x - from.x, to.y - from.y);

  for (double at = 0; at < length; at += CELL)
    {
      TsMapBox dot = { from.x + (to.x - from.x) * at / length, from.y + (to.y - from.y) * at / length, 0.5, 0.5 };

      if (!boxes_meet (dot, (TsMapBox) { tile.x - CELL, tile.y - CELL, tile.w + 2 * CELL, tile.h + 2 * CELL }) && !is_free (p, dot))
        return FALSE;
    }
  return TRUE;
}

gboolean
ts_map_place_anywhere (TsMapPlaces *p, TsMapBox tile, double width, double height, TsMapBox *place)
{
  const TsMapLayout *l = &p->d->at;
  double least = G_MAXDOUBLE;
  TsMapBox best = { 0 };

  if (p->sums == NULL)
    return FALSE;
  for (double y = l->y + 2; y + height <= l->y + l->height; y += STEP_Y)
    for (double x = l->x + 4; x + width <= l->x + l->width - 2; x += STEP_X)
      {
        TsMapBox box = { x, y, width, height };
        TsPoint from, to;
        double away, cost;

        way_between (box, tile, &from, &to);
        away = hypot (to.x - from.x, to.y - from.y);
        /* A margin, so that neighbours and their words are told apart. */
        if (away >= least || !is_free (p, (TsMapBox) { x - 3, y - 3, width + 6, height + 6 }))
          continue;
        cost = cost_of_place (p, box);
        if (cost < 0 || away + 30 * cost >= least || !way_is_free (p, tile, from, to))
          continue;
        least = away + 30 * cost;
        best = box;
      }
  return take (p, least, best, place);
}

void
ts_map_put_leader (const TsMapDrawing *d, TsMapBox tile, TsMapBox words, TsColor color)
{
  TsPoint from, to;

  way_between (words, tile, &from, &to);
  ts_scene_line (d->scene, from.x, from.y, to.x, to.y, (TsPaint) { .stroke = color });
  ts_scene_no_hit (d->scene);
}
