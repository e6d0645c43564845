/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Iterations that were filled in by period have no bars; their time is shown as what it is, not as idleness. Fills too close to
 * be told apart are drawn as one. */
#include "draw/timeline-private.h"
#include "draw/words.h"

#define LEAST_PX 2.0

/* Neighbouring fills [first, first + n) that make one box. */
typedef struct
{
  guint  first, n;
  gint64 from, to;
  double x0, x1; /* of the visible part */
} FillRun;

/* The next box at or after fill *i that is seen; FALSE: none. */
static gboolean
next_run (const TsTimelineDrawing *d, guint *i, FillRun *run)
{
  const TsTimelineInput *data = &d->timeline->data;
  TsScale axis = d->geometry.axis;

  while (*i < data->n_fills && data->fills[*i].to <= d->from)
    (*i)++;
  if (*i >= data->n_fills || data->fills[*i].from >= d->to)
    return FALSE;
  *run = (FillRun) { .first = *i, .from = data->fills[*i].from };
  do
    {
      run->to = data->fills[*i].to;
      run->x1 = ts_scale_to_x (axis, run->to);
      run->n++;
      (*i)++;
    }
  while (*i < data->n_fills && data->fills[*i].from < d->to && ts_scale_to_x (axis, data->fills[*i].from) < run->x1 + LEAST_PX);
  run->x0 = MAX (ts_scale_to_x (axis, run->from), axis.x);
  run->x1 = CLAMP (run->x1, run->x0 + LEAST_PX, MAX (axis.x + axis.width, run->x0 + LEAST_PX));
  return TRUE;
}

void
ts_timeline_fill_words (const TsTimeline *timeline, guint first, guint n, GString *iterations, GString *rest)
{
  const TsTimelineFill *fills = timeline->data.fills + first;
  g_autoptr (GString) number = g_string_new (NULL), cycles = g_string_new (NULL), step = g_string_new (NULL);
  const TsTimelineFill *longest = fills;
  gboolean same = TRUE, one_loop = TRUE;
  gint64 sum = 0;

  for (guint i = 0; i < n; i++)
    {
      sum = ts_add_sat (sum, fills[i].iterations);
      same &= fills[i].step == fills[0].step && fills[i].cycles == fills[0].cycles;
      one_loop &= fills[i].op == fills[0].op;
      if (fills[i].to - fills[i].from > longest->to - longest->from)
        longest = &fills[i];
    }
  if (!one_loop) /* iterations of different loops are no sum */
    sum = longest->iterations;
  ts_append_cycles (number, sum);
  ts_append_cycles (cycles, fills[0].cycles);
  ts_append_cycles (step, fills[0].step);
  g_string_append_printf (iterations, _ ("× %s iterations"), number->str);
  if (!same)
    g_string_append (rest, _ ("filled in by period"));
  else if (fills[0].step == 1)
    g_string_append_printf (rest, _ ("every %s cycles, filled in by period"), cycles->str);
  else
    g_string_append_printf (rest, _ ("%s every %s cycles, filled in by period"), step->str, cycles->str);
}

static TsLink
link_of (const TsTimelineDrawing *d, const FillRun *run, guint lane)
{
  return (TsLink) { TS_LINK_FILL, 0, (gint16) lane, d->timeline->data.fills[run->first].op, -1, -1, (gint32) run->first, run->from,
                    run->to };
}

static void
begin_mark (const TsTimelineDrawing *d, const TsLink *link)
{
  g_autofree char *title = (d->view->parts & TS_TIMELINE_TITLES) != 0 ? ts_timeline_describe (d->timeline, link) : NULL;

  ts_scene_begin (d->scene, link, title);
}

void
ts_timeline_draw_fill (const TsTimelineDrawing *d, guint lane, double y, double height)
{
  FillRun run;

  if (d->timeline->data.lanes[lane].busy == 0)
    return;
  for (guint i = 0; next_run (d, &i, &run);)
    {
      TsLink link = link_of (d, &run, lane);
      double w = run.x1 - run.x0;

      begin_mark (d, &link);
      ts_scene_rect (d->scene, run.x0, y + 0.5, w, height - 1,
                     (TsPaint) { .fill = d->theme->panel_strong, .stroke = d->theme->outline, .width = 1, .dash = TS_DASH_DASHED });
      ts_scene_end (d->scene);
    }
}

void
ts_timeline_draw_fill_words (const TsTimelineDrawing *d)
{
  TsTextStyle strong = { d->size, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_MIDDLE };
  TsTextStyle soft = { d->size, TS_WEIGHT_NORMAL, d->theme->text, TS_ANCHOR_MIDDLE };
  FillRun run;

  for (guint i = 0; next_run (d, &i, &run);)
    {
      g_autoptr (GString) iterations = g_string_new (NULL), rest = g_string_new (NULL);
      double room = run.x1 - run.x0 - 12, middle = (run.x0 + run.x1) / 2, y = d->geometry.lanes_y + d->geometry.lanes_h / 2;
      double first, second, width, line = d->size + 4;
      TsLink link = link_of (d, &run, 0);

      ts_timeline_fill_words (d->timeline, run.first, run.n, iterations, rest);
      first = ts_measure (d->measurer, iterations->str, d->size, TS_WEIGHT_BOLD);
      second = ts_measure (d->measurer, rest->str, d->size, TS_WEIGHT_NORMAL);
      if (first > room || line + 4 > d->geometry.lanes_h)
        continue;
      if (second > room || 2 * line + 4 > d->geometry.lanes_h)
        second = 0;
      width = MAX (first, second) + 16;
      link.lane = -1;
      begin_mark (d, &link);
      ts_scene_rect (d->scene, middle - width / 2, y - (second > 0 ? line : line / 2) - 4, width, (second > 0 ? 2 : 1) * line + 8,
                     (TsPaint) { .fill = d->theme->background, .stroke = d->theme->outline, .width = 1, .radius = 4 });
      ts_put_text (d->scene, d->measurer, middle, y + (second > 0 ? -4 : d->size * 0.36), 0, strong, iterations->str);
      if (second > 0)
        ts_put_text (d->scene, d->measurer, middle, y + line - 4, 0, soft, rest->str);
      ts_scene_end (d->scene);
    }
}
