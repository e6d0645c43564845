/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row per snapshot: mark, name, a bar of cycles, a bar of bytes, each with its number and the difference to the row before. */
#include "draw/bill-chart.h"

#include <math.h>

#include "draw/scale.h"
#include "draw/words.h"

#define MARGIN 16.0
#define ROW 26.0
#define HEAD 22.0
#define NAME_SHARE 0.32
#define GAP 24.0
/* Room beside a bar for "12 345  -1 234". */
#define WORDS 118.0

typedef struct
{
  const TsBillInput *input;
  const TsTheme     *theme;
  TsMeasurer        *measurer;
  TsScene           *scene;
  double             top, row, name_width, bar_width;
  gint64             most_cycles, most_bytes;
} BillDrawing;

static void
append_delta (GString *out, gint64 delta, gboolean bytes)
{
  g_string_append (out, delta > 0 ? "+" : delta < 0 ? "−" : "=");
  if (delta == 0)
    return;
  if (bytes)
    ts_append_bytes (out, ABS (delta));
  else
    ts_append_cycles (out, ABS (delta));
}

/* Behind the cycles of a simulation that was cut. */
static const char cut_mark[] = " (cut)";

char *
ts_bill_describe (const TsBillBar *row)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "%u %s, %s", row->index, row->pass,
                          row->failed ? _ ("failed") : row->changed ? _ ("changed") : _ ("no change"));
  if (row->cycles >= 0)
    {
      g_string_append (out, ", ");
      ts_append_cycles (out, row->cycles);
      g_string_append_printf (out, " %s%s", _ ("cycles"), row->cut ? cut_mark : "");
      if (row->has_delta_cycles && row->delta_cycles != 0)
        {
          g_string_append (out, " (");
          append_delta (out, row->delta_cycles, FALSE);
          g_string_append (out, ")");
        }
    }
  else if (row->problem != NULL)
    g_string_append_printf (out, ", %s", row->problem);
  if (row->bytes >= 0)
    {
      g_string_append (out, ", ");
      ts_append_bytes (out, row->bytes);
    }
  return g_string_free (out, FALSE);
}

/* A bar with its number and difference behind it. Worse is marked by a sign and a triangle, not by colour alone. */
static void
draw_bar (const BillDrawing *d, double x, double y, gint64 value, gint64 most, gboolean has_delta, gint64 delta, gboolean bytes,
          TsColor fill, const char *mark)
{
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_START };
  double width = most > 0 ? MAX ((double) value / (double) most * d->bar_width, 1) : 1;
  g_autoptr (GString) words = g_string_new (NULL);
  double used;

  ts_scene_rect (d->scene, x, y + 5, width, d->row - 10, (TsPaint) { .fill = fill, .radius = 2 });
  if (bytes)
    ts_append_bytes (words, value);
  else
    ts_append_cycles (words, value);
  g_string_append (words, mark);
  used = ts_put_text (d->scene, d->measurer, x + width + 6, y + d->row / 2 + style.size * 0.36, 0, style, words->str);
  if (!has_delta || delta == 0)
    return;
  g_string_truncate (words, 0);
  append_delta (words, delta, bytes);
  if (delta > 0)
    {
      g_string_append (words, " ▲");
      style.color = d->theme->alert;
    }
  else
    style.color = d->theme->text_soft;
  style.weight = TS_WEIGHT_MEDIUM;
  ts_put_text (d->scene, d->measurer, x + width + 12 + used, y + d->row / 2 + style.size * 0.36, 0, style, words->str);
}

/* Full circle: changed; ring: not; cross: failed. */
static void
draw_mark (const BillDrawing *d, const TsBillBar *row, double x, double y)
{
  if (row->failed)
    {
      ts_scene_line (d->scene, x - 4, y - 4, x + 4, y + 4, (TsPaint) { .stroke = d->theme->alert, .width = 2 });
      ts_scene_line (d->scene, x - 4, y + 4, x + 4, y - 4, (TsPaint) { .stroke = d->theme->alert, .width = 2 });
      return;
    }
  ts_scene_rect (d->scene, x - 4, y - 4, 8, 8,
                 (TsPaint) { .fill = row->changed ? d->theme->select : TS_COLOR_NONE, .stroke = d->theme->select, .width = 1.5f,
                             .radius = 4 });
}

static void
draw_row (const BillDrawing *d, guint i)
{
  const TsBillBar *row = &d->input->rows[i];
  TsLink link = { TS_LINK_PASS, 0, -1, -1, -1, -1, (gint32) row->index, 0, 0 };
  double y = d->top + i * d->row, x = MARGIN + d->name_width + GAP, baseline = y + d->row / 2 + TS_FONT_SIZE * 0.36;
  g_autofree char *title = d->input->titles ? ts_bill_describe (row) : NULL;
  g_autofree char *number = g_strdup_printf ("%u", row->index);
  TsTextStyle name = { TS_FONT_SIZE, row->changed ? TS_WEIGHT_MEDIUM : TS_WEIGHT_NORMAL,
                       row->changed ? d->theme->text : d->theme->text_soft, TS_ANCHOR_START };
  TsTextStyle soft = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_END };

  ts_scene_begin (d->scene, &link, title);
  ts_scene_rect (d->scene, MARGIN, y, d->input->width - 2 * MARGIN, d->row,
                 (TsPaint) { .fill = (gint) i == d->input->selected ? d->theme->panel_strong
                                     : i % 2 == 0                   ? d->theme->panel
                                                                    : TS_COLOR_NONE });
  ts_put_text (d->scene, d->measurer, MARGIN + 22, baseline, 20, soft, number);
  draw_mark (d, row, MARGIN + 36, y + d->row / 2);
  ts_put_text (d->scene, d->measurer, MARGIN + 48, baseline, d->name_width - 48, name, row->pass);
  if (row->cycles >= 0)
    draw_bar (d, x, y, row->cycles, d->most_cycles, row->has_delta_cycles, row->delta_cycles, FALSE, d->theme->stage[0],
              row->cut ? cut_mark : "");
  else if (row->problem != NULL)
    {
      soft.anchor = TS_ANCHOR_START;
      ts_put_text (d->scene, d->measurer, x, baseline, d->bar_width + WORDS, soft, row->problem);
    }
  if (row->bytes >= 0)
    draw_bar (d, x + d->bar_width + WORDS + GAP, y, row->bytes, d->most_bytes, row->has_delta_bytes, row->delta_bytes, TRUE,
              d->theme->stage[1], "");
  ts_scene_end (d->scene);
}

static void
draw_frame (const BillDrawing *d)
{
  const TsBillInput *input = d->input;
  TsTextStyle strong = { TS_FONT_TITLE, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { TS_FONT_SIZE, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  TsTextStyle head = { TS_FONT_SMALL, TS_WEIGHT_MEDIUM, d->theme->text_soft, TS_ANCHOR_START };
  double room = input->width - 2 * MARGIN, x = MARGIN + d->name_width + GAP, used;
  g_autofree char *name = g_strdup_printf (_ ("Passes of %s: cycles and bytes after each"),
                                           input->title != NULL ? input->title : "");

  ts_scene_set_name (d->scene, name);
  if (input->title != NULL)
    {
      used = ts_put_text (d->scene, d->measurer, MARGIN, 26, room, strong, input->title) + 12;
      if (input->subtitle != NULL)
        ts_put_text (d->scene, d->measurer, MARGIN + used, 26, room - used, soft, input->subtitle);
    }
  ts_put_text (d->scene, d->measurer, MARGIN + 48, d->top - 7, d->name_width - 48, head, _ ("pass"));
  ts_put_text (d->scene, d->measurer, x, d->top - 7, d->bar_width + WORDS, head, _ ("cycles"));
  if (d->most_bytes > 0)
    ts_put_text (d->scene, d->measurer, x + d->bar_width + WORDS + GAP, d->top - 7, d->bar_width + WORDS, head,
                 _ ("bytes on chip"));
  if (input->caption != NULL)
    ts_put_text (d->scene, d->measurer, MARGIN, d->scene->height - 8, room, soft, input->caption);
}

void
ts_bill_scene (const TsBillInput *input, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  BillDrawing d = { .input = input, .theme = theme, .measurer = measurer, .scene = scene };
  double foot = 10 + (input->caption != NULL ? 22 : 0);

  for (guint i = 0; i < input->n_rows; i++)
    {
      d.most_cycles = MAX (d.most_cycles, input->rows[i].cycles);
      d.most_bytes = MAX (d.most_bytes, input->rows[i].bytes);
      d.name_width = MAX (d.name_width, 50 + ts_measure (measurer, input->rows[i].pass, TS_FONT_SIZE, TS_WEIGHT_MEDIUM));
    }
  d.name_width = MIN (d.name_width, input->width * NAME_SHARE);
  d.top = (input->title != NULL ? 40 : 0) + HEAD;
  d.row = input->height > 0 && input->n_rows > 0 ? CLAMP ((input->height - d.top - foot) / input->n_rows, 14, 2 * ROW) : ROW;
  d.bar_width = MAX ((input->width - 2 * MARGIN - d.name_width - 2 * GAP) / 2 - WORDS, 20);
  ts_scene_reset (scene, input->width, d.top + input->n_rows * d.row + foot, theme->background);
  for (guint i = 0; i < input->n_rows; i++)
    draw_row (&d, i);
  draw_frame (&d);
}
