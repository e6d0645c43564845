/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of a scene that golden files hold. */
#include "draw/dump.h"

#include <math.h>

static void
append_number (GString *out, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  double rounded = round (value * 10) / 10;

  g_string_append_c (out, ' ');
  g_string_append (out, g_ascii_formatd (buffer, sizeof buffer, rounded == floor (rounded) ? "%.0f" : "%.1f",
                                         rounded == 0 ? 0.0 : rounded));
}

static void
append_numbers (GString *out, double a, double b, double c, double d)
{
  append_number (out, a);
  append_number (out, b);
  append_number (out, c);
  append_number (out, d);
}

static void
append_paint (GString *out, TsPaint paint)
{
  static const char *const DASHES[] = { "", " dashed", " dotted" };

  if ((paint.fill & 0xFF) != 0)
    g_string_append_printf (out, " fill %08x", paint.fill);
  if ((paint.stroke & 0xFF) == 0)
    return;
  g_string_append_printf (out, " stroke %08x", paint.stroke);
  append_number (out, paint.width);
  g_string_append (out, DASHES[paint.dash % G_N_ELEMENTS (DASHES)]);
  g_string_append (out, paint.arrow ? " arrow" : "");
}

static void
append_points (GString *out, const TsPrim *prim)
{
  for (guint i = 0; i < prim->n; i++)
    {
      append_number (out, prim->points[i].x);
      append_number (out, prim->points[i].y);
    }
}

static void
append_columns (GString *out, const TsPrim *prim)
{
  for (guint i = 0; i < prim->n;)
    {
      guint end = i + 1;

      while (end < prim->n && prim->columns[end].color == prim->columns[i].color
             && prim->columns[end].share == prim->columns[i].share)
        end++;
      g_string_append_printf (out, " %ux%08x/%u", end - i, prim->columns[i].color, prim->columns[i].share);
      i = end;
    }
}

static void
append_prim (GString *out, const TsPrim *prim)
{
  static const char *const NAMES[] = { "rect", "hatch", "line", "polygon", "curve", "text", "strip", "clip", "unclip" };
  static const char *const ANCHORS[] = { "start", "middle", "end" };

  g_string_append (out, NAMES[prim->kind]);
  switch (prim->kind)
    {
    case TS_PRIM_RECT:
    case TS_PRIM_CLIP:
    case TS_PRIM_LINE:
      append_numbers (out, prim->x, prim->y, prim->w, prim->h);
      append_paint (out, prim->paint);
      break;
    case TS_PRIM_HATCH:
      append_numbers (out, prim->x, prim->y, prim->w, prim->h);
      g_string_append_printf (out, " %s %08x", ts_hatch_name (prim->hatch), prim->paint.stroke);
      break;
    case TS_PRIM_POLYGON:
    case TS_PRIM_CURVE:
      append_points (out, prim);
      append_paint (out, prim->paint);
      break;
    case TS_PRIM_TEXT:
      append_number (out, prim->x);
      append_number (out, prim->y);
      g_string_append_printf (out, " %s %u", ANCHORS[prim->anchor % G_N_ELEMENTS (ANCHORS)], prim->weight);
      append_number (out, prim->size);
      g_string_append_printf (out, " %08x \"%s\"", prim->paint.fill, prim->text);
      break;
    case TS_PRIM_STRIP:
      append_numbers (out, prim->x, prim->y, prim->w, prim->h);
      append_columns (out, prim);
      break;
    default:
      break;
    }
}

char *
ts_scene_dump (const TsScene *scene)
{
  GString *out = g_string_new ("scene");
  guint32 current = 0;

  append_number (out, scene->width);
  append_number (out, scene->height);
  g_string_append_printf (out, " background %08x \"%s\"\n", scene->background, scene->name);
  for (guint i = 0; i < scene->n_prims; i++)
    {
      const TsPrim *prim = &scene->prims[i];

      if (prim->mark != current && prim->mark != 0)
        {
          g_string_append (out, "mark ");
          g_string_append (out, scene->marks[prim->mark].prefix);
          ts_link_append_id (&scene->marks[prim->mark].link, out);
          if (scene->marks[prim->mark].title != NULL)
            {
              g_auto (GStrv) lines = g_strsplit (scene->marks[prim->mark].title, "\n", -1);
              g_autofree char *title = g_strjoinv (" / ", lines);

              g_string_append_printf (out, " \"%s\"", title);
            }
          g_string_append_c (out, '\n');
        }
      current = prim->mark;
      g_string_append (out, current != 0 ? "  " : "");
      append_prim (out, prim);
      g_string_append_c (out, '\n');
    }
  return g_string_free (out, FALSE);
}
