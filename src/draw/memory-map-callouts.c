/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which stages share bytes, told in words beside the place where they meet: one callout for all stages that share a buffer. */
#include <string.h>

#include "draw/memory-map-private.h"
#include "draw/words.h"

/* Sharings told in words; of more, the tooltips tell. Pairs of stages beyond this many are not looked at. */
#define MAX_SHARINGS 24u
#define MAX_PAIRS 4096u
/* Of one sharing: stages and buffers named, tiles beside which the words may stand. */
#define MAX_STAGES 12u
#define MAX_BUFFERS 3u
#define MAX_ANCHORS 8u
/* Words are broken into lines rather than laid on something. */
#define MAX_LINES 4u
#define LINE_HEIGHT 13.0
#define PADDING 4.0
#define GAP 6.0

typedef struct
{
  gint32      group;
  TsSpace     space;
  const char *note;
  gint32      stages[MAX_STAGES]; /* ascending */
  guint       n_stages;           /* may be more than are kept */
  guint32     buffers[MAX_BUFFERS];
  guint       n_buffers;
  guint32     anchors[MAX_ANCHORS];
  guint       n_anchors;
  guint32     partner;            /* of a pair whose addresses overlap; else the buffer itself */
} Sharing;

static void
add_stage (Sharing *s, gint32 stage)
{
  guint kept = MIN (s->n_stages, MAX_STAGES), at = 0;

  while (at < kept && s->stages[at] < stage)
    at++;
  if (at < kept && s->stages[at] == stage)
    return;
  s->n_stages++;
  if (at == MAX_STAGES)
    return;
  memmove (&s->stages[at + 1], &s->stages[at], (MIN (kept, MAX_STAGES - 1) - at) * sizeof *s->stages);
  s->stages[at] = stage;
}

static void
add_pair (Sharing *s, const TsMemoryCollapse *c)
{
  add_stage (s, c->stage_a);
  add_stage (s, c->stage_b);
  for (guint i = 0; i < s->n_anchors; i++)
    if (s->anchors[i] == c->tile_b)
      return;
  if (s->n_anchors < MAX_ANCHORS)
    s->anchors[s->n_anchors++] = c->tile_b;
}

static const char *
note_of (const TsMapDrawing *d, guint collapse)
{
  return d->input->notes != NULL ? d->input->notes[collapse] : NULL;
}

/* Pairs of stages in one buffer are one sharing: of three stages there are three pairs. */
static void
find_sharings (const TsMapDrawing *d, GArray *sharings)
{
  const TsMemoryFacts *facts = d->input->facts;

  for (guint i = 0; i < MIN (facts->n_collapses, MAX_PAIRS); i++)
    {
      const TsMemoryCollapse *c = &facts->collapses[i];
      Sharing *found = NULL;

      for (guint k = 0; k < sharings->len && found == NULL; k++)
        {
          Sharing *s = &g_array_index (sharings, Sharing, k);

          if (s->group == c->group && s->buffers[0] == c->buffer_a && s->partner == c->buffer_b
              && g_strcmp0 (s->note, note_of (d, i)) == 0)
            found = s;
        }
      if (found == NULL && sharings->len < MAX_SHARINGS)
        {
          Sharing fresh = { .group = c->group, .space = facts->buffers[c->buffer_a].space, .note = note_of (d, i),
                            .buffers = { c->buffer_a }, .n_buffers = 1, .partner = c->buffer_b };

          if (c->buffer_b != c->buffer_a)
            fresh.buffers[fresh.n_buffers++] = c->buffer_b;
          g_array_append_val (sharings, fresh);
          found = &g_array_index (sharings, Sharing, sharings->len - 1);
        }
      if (found != NULL)
        add_pair (found, c);
    }
}

static gboolean
same_stages (const Sharing *a, const Sharing *b)
{
  return a->group == b->group && a->space == b->space && a->n_stages == b->n_stages && g_strcmp0 (a->note, b->note) == 0
         && memcmp (a->stages, b->stages, MIN (a->n_stages, MAX_STAGES) * sizeof *a->stages) == 0;
}

/* The same stages in other buffers of the space are told in the same sentence. */
static void
join_sharings (GArray *sharings)
{
  for (guint i = 0; i < sharings->len; i++)
    for (guint k = i + 1; k < sharings->len;)
      {
        Sharing *a = &g_array_index (sharings, Sharing, i);
        const Sharing *b = &g_array_index (sharings, Sharing, k);

        if (!same_stages (a, b))
          {
            k++;
            continue;
          }
        if (a->n_buffers < MAX_BUFFERS)
          a->buffers[a->n_buffers] = b->buffers[0];
        a->n_buffers++;
        for (guint n = 0; n < b->n_anchors && a->n_anchors < MAX_ANCHORS; n++)
          a->anchors[a->n_anchors++] = b->anchors[n];
        g_array_remove_index (sharings, k);
      }
}

/* --- words ------------------------------------------------------------------------------------------------------------------- */

/* "0, 2 and 4", without "and" for the last one, which the sentence names. */
static char *
stages_before_last (const Sharing *s, gint32 *last)
{
  GString *list = g_string_new (NULL);
  guint kept = MIN (s->n_stages, MAX_STAGES);

  for (guint i = 0; i + 1 < kept; i++)
    g_string_append_printf (list, "%s%d", i > 0 ? ", " : "", s->stages[i]);
  *last = s->stages[kept - 1];
  return g_string_free (list, FALSE);
}

static void
append_other_buffers (const TsMapDrawing *d, const Sharing *s, GString *words)
{
  for (guint i = 1; i < MIN (s->n_buffers, MAX_BUFFERS); i++)
    g_string_append_printf (words, ", %s", d->input->facts->buffers[s->buffers[i]].name);
  if (s->n_buffers > MAX_BUFFERS)
    g_string_append_printf (words, _ (" and %u more"), s->n_buffers - MAX_BUFFERS);
}

typedef enum { FORM_FULL, FORM_NOTE, FORM_BRIEF, N_FORMS } Form;

/* "group 1: stages 0 and 1 share mem_left_8, mem_left_10, since MemoryReuse"; in little room without the buffers, beside which the
 * words stand, and at last no more than the stages. */
static char *
sharing_words (const TsMapDrawing *d, const Sharing *s, Form form)
{
  GString *words = g_string_new (NULL);
  gint32 last;
  g_autofree char *stages = stages_before_last (s, &last);

  if (d->several_groups)
    g_string_append_printf (words, _ ("group %d: "), s->group);
  if (form == FORM_FULL)
    {
      g_string_append_printf (words, _ ("stages %s and %d share %s"), stages, last, d->input->facts->buffers[s->buffers[0]].name);
      append_other_buffers (d, s, words);
    }
  else
    g_string_append_printf (words, _ ("stages %s and %d share"), stages, last);
  if (s->note != NULL && form != FORM_BRIEF)
    g_string_append_printf (words, ", %s", s->note);
  return g_string_free (words, FALSE);
}

/* Words broken into lines, and the room these need. */
typedef struct
{
  char  *lines[MAX_LINES];
  guint  n;
  double width, height;
} Block;

static void
block_clear (Block *block)
{
  for (guint i = 0; i < block->n; i++)
    g_free (block->lines[i]);
  block->n = 0;
}

/* The longest beginning of `words` that fits into `room`, up to a blank; all of it when there is none. */
static gsize
line_end (const TsMapDrawing *d, const char *words, TsTextStyle style, double room)
{
  gsize best = 0, length = strlen (words);

  for (gsize at = 1; at <= length; at++)
    {
      g_autofree char *part = NULL;

      if (at < length && words[at] != ' ')
        continue;
      part = g_strndup (words, at);
      if (best > 0 && ts_measure (d->measurer, part, style.size, style.weight) > room)
        break;
      best = at;
    }
  return best > 0 ? best : length;
}

/* FALSE: in this width there are more lines than that. */
static gboolean
fill_lines (const TsMapDrawing *d, const char *words, TsTextStyle style, double room, guint most, Block *block)
{
  while (*words != '\0')
    {
      gsize end;

      if (block->n == most)
        return FALSE;
      end = line_end (d, words, style, room);
      block->lines[block->n] = g_strndup (words, end);
      block->width = MAX (block->width, ts_measure (d->measurer, block->lines[block->n], style.size, style.weight));
      block->n++;
      words += end;
      while (*words == ' ')
        words++;
    }
  return TRUE;
}

/* As narrow as so many lines allow. */
static Block
break_words (const TsMapDrawing *d, const char *words, TsTextStyle style, guint lines)
{
  double whole = ts_measure (d->measurer, words, style.size, style.weight);
  Block block = { .n = 0 };

  for (double room = whole / lines; ; room += MAX (whole / 20, 4))
    {
      if (fill_lines (d, words, style, room, lines, &block))
        break;
      block_clear (&block);
      block.width = 0;
    }
  block.width += 2 * PADDING;
  block.height = block.n * LINE_HEIGHT + 2;
  return block;
}

/* --- places ------------------------------------------------------------------------------------------------------------------ */

static void
draw_callout (const TsMapDrawing *d, guint32 tile, TsMapBox box, const Block *block, TsTextStyle style, gboolean far)
{
  const TsMemoryTile *t = &d->input->facts->tiles[tile];
  gint16 panel = d->at.panel_of[d->input->facts->buffers[t->buffer].space];
  TsLink link = { TS_LINK_BUFFER, t->role, panel, t->op, -1, -1, (gint32) tile, 0, 0 };
  g_autofree char *title = d->view->titles ? ts_map_describe (d->input, &link) : NULL;

  if (far)
    ts_map_put_leader (d, ts_map_layout_tile (&d->at, tile), box, d->theme->alert);
  /* The words belong to the tile: the pointer finds it in both. */
  ts_scene_begin (d->scene, &link, title);
  ts_scene_rect (d->scene, box.x, box.y, box.w, box.h,
                 (TsPaint) { .fill = d->theme->background, .stroke = d->theme->alert, .radius = 3 });
  for (guint i = 0; i < block->n; i++)
    ts_put_text (d->scene, d->measurer, box.x + PADDING, box.y + 11 + i * LINE_HEIGHT, 0, style, block->lines[i]);
  ts_scene_end (d->scene);
}

/* Beside one of the tiles, or, farther away, with a line to the first that is seen. */
static gboolean
place_block (const TsMapDrawing *d, TsMapPlaces *places, const Sharing *s, const Block *block, gboolean far, guint32 *tile,
             TsMapBox *place)
{
  for (guint i = 0; i < s->n_anchors; i++)
    {
      TsMapBox box = ts_map_layout_tile (&d->at, s->anchors[i]);

      *tile = s->anchors[i];
      if (!ts_map_in_sight (&d->at, box))
        continue;
      if (far ? ts_map_place_anywhere (places, box, block->width, block->height, place)
              : ts_map_place_beside (places, box, block->width, block->height, GAP, place))
        return TRUE;
    }
  return FALSE;
}

static gboolean
put_words (const TsMapDrawing *d, TsMapPlaces *places, const Sharing *s, const char *words, TsTextStyle style)
{
  for (guint far = 0; far < 2; far++)
    for (guint lines = 1; lines <= MAX_LINES; lines++)
      {
        Block block = break_words (d, words, style, lines);
        TsMapBox place;
        guint32 tile;
        gboolean put = place_block (d, places, s, &block, far, &tile, &place);

        if (put)
          draw_callout (d, tile, place, &block, style, far);
        block_clear (&block);
        if (put)
          return TRUE;
      }
  return FALSE;
}

void
ts_map_put_callouts (const TsMapDrawing *d, TsMapPlaces *places)
{
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_MEDIUM, d->theme->alert, TS_ANCHOR_START };
  GArray *sharings = g_array_new (FALSE, FALSE, sizeof (Sharing));

  find_sharings (d, sharings);
  join_sharings (sharings);
  for (guint i = 0; i < sharings->len; i++)
    {
      const Sharing *s = &g_array_index (sharings, Sharing, i);
      gboolean put = FALSE;

      /* Where not even the brief form has room, the red edge of the tiles and their tooltips tell. */
      for (Form form = FORM_FULL; form < N_FORMS && !put; form++)
        {
          g_autofree char *words = sharing_words (d, s, form);

          put = put_words (d, places, s, words, style);
        }
    }
  g_array_unref (sharings);
}
