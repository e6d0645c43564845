/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The legend of a memory map: what occurs in it, in as many lines as the width asks for. Nothing is left out. */
#include "draw/memory-map-private.h"
#include "draw/words.h"

#define LINE_HEIGHT 20.0
#define GAP 18.0
/* Edge of a swatch, and from the left of it to its words. */
#define SWATCH 12.0
#define TO_WORDS 19.0
#define LINE_TO_WORDS 11.0
/* Stage colours told one by one: with the ninth they begin again, with a texture. */
#define MAX_STAGES 16
#define MAX_ENTRIES (MAX_STAGES + 12)

typedef enum { SIGN_SWATCH, SIGN_NOTCH, SIGN_HATCH, SIGN_LINE, SIGN_NONE } Sign;

typedef struct
{
  Sign     sign;
  TsPaint  paint;
  gint32   stage; /* whose texture the swatch has, -1: none */
  char    *words;
  double   x, y;  /* from the left of the picture, from the top of the legend */
  double   room;  /* for the words; 0: they fit */
} Entry;

typedef struct
{
  Entry entries[MAX_ENTRIES];
  guint n;
} Legend;

static void
add (Legend *legend, Sign sign, TsPaint paint, gint32 stage, const char *words)
{
  Entry *entry;

  if (legend->n == MAX_ENTRIES)
    return;
  entry = &legend->entries[legend->n++];
  *entry = (Entry) { .sign = sign, .paint = paint, .stage = stage, .words = g_strdup (words) };
}

static void
clear (Legend *legend)
{
  for (guint i = 0; i < legend->n; i++)
    g_free (legend->entries[i].words);
  legend->n = 0;
}

/* How far the words stand from the left of the sign. */
static double
sign_width (const Entry *entry)
{
  return entry->sign == SIGN_NONE ? 0 : entry->sign == SIGN_LINE ? LINE_TO_WORDS : TO_WORDS;
}

static void
add_stages (Legend *legend, const TsMapLayout *l, const TsTheme *theme)
{
  const TsMemoryFacts *facts = l->input->facts;
  gint32 most = -1;
  gboolean untagged = FALSE;

  for (guint i = 0; i < facts->n_tiles; i++)
    {
      most = MAX (most, ts_map_tile_stage (&facts->tiles[i]));
      untagged |= ts_map_tile_stage (&facts->tiles[i]) < 0;
    }
  for (gint32 stage = 0; stage <= MIN (most, MAX_STAGES - 1); stage++)
    {
      g_autofree char *words = g_strdup_printf (stage == MAX_STAGES - 1 && most > stage ? _ ("stage %d and so on") : _ ("stage %d"),
                                                stage);

      add (legend, SIGN_SWATCH, (TsPaint) { .fill = ts_theme_stage_color (theme, stage) }, stage, words);
    }
  if (untagged)
    add (legend, SIGN_SWATCH, (TsPaint) { .fill = theme->bytes, .stroke = theme->outline }, -1, _ ("no stage"));
}

static void
add_roles (Legend *legend, const TsMapLayout *l, const TsTheme *theme)
{
  guint roles = 0;

  for (guint i = 0; i < l->input->facts->n_tiles; i++)
    roles |= 1u << l->input->facts->tiles[i].role;
  if ((roles >> TS_MEMORY_VIEW & 1) != 0)
    add (legend, SIGN_SWATCH, (TsPaint) { .stroke = theme->text_soft, .dash = TS_DASH_DASHED }, -1, _ ("view"));
  if ((roles >> TS_MEMORY_INPLACE & 1) != 0)
    add (legend, SIGN_SWATCH, (TsPaint) { .stroke = theme->text_soft, .dash = TS_DASH_DOTTED }, -1, _ ("in place"));
  if ((roles >> TS_MEMORY_REUSE & 1) != 0)
    add (legend, SIGN_NOTCH, (TsPaint) { .stroke = theme->outline }, -1, _ ("reuses bytes"));
}

static void
add_spaces (Legend *legend, const TsMapLayout *l, const TsTheme *theme)
{
  const TsMemoryFacts *facts = l->input->facts;
  TsPaint line = { .stroke = theme->alert, .width = 1.5f };
  gboolean within = FALSE, beyond = FALSE, reserved = FALSE;

  for (guint s = 0; s < facts->n_spaces; s++)
    {
      within |= facts->spaces[s].capacity > 0 && facts->spaces[s].capacity <= l->panels[s].span;
      beyond |= facts->spaces[s].capacity > l->panels[s].span;
      reserved |= facts->spaces[s].reserved > 0;
    }
  if (reserved)
    add (legend, SIGN_HATCH, (TsPaint) { .fill = theme->panel, .stroke = theme->outline }, -1, _ ("reserved"));
  line.dash = TS_DASH_DASHED;
  if (within)
    add (legend, SIGN_LINE, line, -1, _ ("capacity"));
  line.dash = TS_DASH_DOTTED;
  if (beyond)
    add (legend, SIGN_LINE, line, -1, _ ("capacity lies further right"));
}

/* Entries follow each other in lines; one that is wider than the picture gets a line of its own and is shortened. Returns how many
 * lines. */
static guint
flow (Legend *legend, const TsMapLayout *l, TsMeasurer *measurer)
{
  double left = TS_MAP_MARGIN, right = l->view->width - TS_MAP_MARGIN, x = left;
  guint line = 0;

  for (guint i = 0; i < legend->n; i++)
    {
      Entry *entry = &legend->entries[i];
      double width = sign_width (entry) + ts_measure (measurer, entry->words, TS_FONT_SIZE, TS_WEIGHT_NORMAL);

      if (x > left && x + width > right)
        {
          line++;
          x = left;
        }
      entry->x = x;
      entry->y = line * LINE_HEIGHT;
      entry->room = x + width > right ? MAX (right - x - sign_width (entry), 1) : 0;
      x += width + GAP;
    }
  return line + 1;
}

static guint
build (Legend *legend, const TsMapLayout *l, const TsTheme *theme, TsMeasurer *measurer)
{
  legend->n = 0;
  add_stages (legend, l, theme);
  if (l->input->facts->n_collapses > 0)
    add (legend, SIGN_SWATCH, (TsPaint) { .stroke = theme->alert, .width = 2 }, -1, _ ("stages share bytes"));
  if (ts_map_has_several_groups (l->input->facts))
    add (legend, SIGN_NONE, (TsPaint) { 0 }, -1, _ ("g, s: group, stage"));
  add_roles (legend, l, theme);
  add_spaces (legend, l, theme);
  return flow (legend, l, measurer);
}

double
ts_map_legend_height (const TsMapLayout *l, TsMeasurer *measurer)
{
  Legend legend;
  guint lines = build (&legend, l, ts_theme (TS_THEME_LIGHT), measurer);

  clear (&legend);
  return TS_MAP_LEGEND + (lines - 1) * LINE_HEIGHT;
}

static void
draw_sign (const TsMapDrawing *d, const Entry *entry, double y)
{
  TsPaint paint = entry->paint;
  double x = entry->x;

  if (entry->sign == SIGN_NONE)
    return;
  if (entry->sign == SIGN_LINE)
    {
      ts_scene_line (d->scene, x + 3, y - 1, x + 3, y + 14, paint);
      return;
    }
  paint.radius = 3;
  ts_scene_rect (d->scene, x + 0.5, y + 0.5, SWATCH, SWATCH, paint);
  if (entry->sign == SIGN_HATCH)
    ts_scene_hatch (d->scene, x + 1, y + 1, SWATCH - 1, SWATCH - 1, TS_HATCH_UP, d->theme->outline);
  else
    ts_scene_hatch (d->scene, x + 1, y + 1, SWATCH - 1, SWATCH - 1, ts_theme_stage_texture (entry->stage),
                    (ts_theme_text_on (paint.fill) & ~0xFFu) | 0x60);
  if (entry->sign == SIGN_NOTCH)
    ts_scene_polygon (d->scene, (TsPoint[]) { { x + 1, y + 1 }, { x + 8, y + 1 }, { x + 1, y + 8 } }, 3,
                      (TsPaint) { .fill = d->theme->text });
}

void
ts_map_draw_legend (const TsMapDrawing *d)
{
  TsTextStyle style = { TS_FONT_SIZE, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_START };
  double top = d->at.y + d->at.height + 12;
  Legend legend;

  build (&legend, &d->at, d->theme, d->measurer);
  for (guint i = 0; i < legend.n; i++)
    {
      const Entry *entry = &legend.entries[i];

      draw_sign (d, entry, top + entry->y);
      ts_put_text (d->scene, d->measurer, entry->x + sign_width (entry), top + entry->y + 6 + style.size * 0.36, entry->room, style,
                   entry->words);
    }
  clear (&legend);
}
