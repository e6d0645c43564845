/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SVG text. Numbers are written by hand, in hundredths of a pixel: printf of doubles would cost most of the time. */
#include "draw/svg.h"

#include <math.h>

#include "base/number.h"
#include "draw/theme.h"

/* Two decimals, trailing zeros dropped; what is not finite or absurd becomes 0. */
static void
append_number (GString *out, double value)
{
  gint64 hundredths;
  gint64 whole, part;

  if (!isfinite (value) || fabs (value) > 1e12)
    value = 0;
  hundredths = llround (value * 100);
  if (hundredths < 0)
    {
      g_string_append_c (out, '-');
      hundredths = -hundredths;
    }
  whole = hundredths / 100;
  part = hundredths % 100;
  ts_append_int (out, whole);
  if (part == 0)
    return;
  g_string_append_c (out, '.');
  g_string_append_c (out, (char) ('0' + part / 10));
  if (part % 10 != 0)
    g_string_append_c (out, (char) ('0' + part % 10));
}

static void
append_attribute (GString *out, const char *name, double value)
{
  g_string_append_c (out, ' ');
  g_string_append (out, name);
  g_string_append (out, "=\"");
  append_number (out, value);
  g_string_append_c (out, '"');
}

static void
append_color (GString *out, const char *name, TsColor color)
{
  static const char HEX[] = "0123456789abcdef";

  g_string_append_c (out, ' ');
  g_string_append (out, name);
  if ((color & 0xFF) == 0)
    {
      g_string_append (out, "=\"none\"");
      return;
    }
  g_string_append (out, "=\"#");
  for (gint shift = 28; shift >= 8; shift -= 4)
    g_string_append_c (out, HEX[(color >> shift) & 0xF]);
  g_string_append_c (out, '"');
  if ((color & 0xFF) != 0xFF)
    {
      g_string_append_c (out, ' ');
      g_string_append (out, name);
      g_string_append (out, "-opacity=\"");
      append_number (out, ts_color_alpha (color));
      g_string_append_c (out, '"');
    }
}

static void
append_stroke (GString *out, TsPaint paint)
{
  const double *dashes;
  guint n;

  if ((paint.stroke & 0xFF) == 0)
    return;
  append_color (out, "stroke", paint.stroke);
  if (paint.width != 1)
    append_attribute (out, "stroke-width", paint.width);
  dashes = ts_dash_pattern (paint.dash, &n);
  if (n > 0)
    {
      g_string_append (out, " stroke-dasharray=\"");
      for (guint i = 0; i < n; i++)
        {
          if (i > 0)
            g_string_append_c (out, ' ');
          append_number (out, dashes[i]);
        }
      g_string_append_c (out, '"');
    }
}

static void
append_box (GString *out, double x, double y, double w, double h)
{
  append_attribute (out, "x", x);
  append_attribute (out, "y", y);
  append_attribute (out, "width", w);
  append_attribute (out, "height", h);
}

void
ts_xml_append (GString *out, const char *text)
{
  const char *end;

  if (text == NULL)
    return;
  while (*text != '\0')
    {
      gunichar sign = g_utf8_get_char_validated (text, -1);

      if (sign == (gunichar) -1 || sign == (gunichar) -2)
        {
          g_string_append (out, "\uFFFD");
          text++;
          continue;
        }
      end = g_utf8_next_char (text);
      if (sign == '<')
        g_string_append (out, "&lt;");
      else if (sign == '>')
        g_string_append (out, "&gt;");
      else if (sign == '&')
        g_string_append (out, "&amp;");
      else if (sign == '"')
        g_string_append (out, "&quot;");
      else if (sign == '\r')
        g_string_append (out, "&#13;"); /* a bare CR would be read back as a line feed */
      else if ((sign < 0x20 && sign != '\n' && sign != '\t') || (sign >= 0x7F && sign < 0xA0) || sign == 0xFFFE || sign == 0xFFFF)
        g_string_append (out, "\uFFFD");
      else
        g_string_append_len (out, text, end - text);
      text = end;
    }
}

/* A pattern has one stroke colour; every pair of hatch and colour in use becomes one definition. */
typedef struct { guint8 hatch; TsColor color; } PatternKey;

static gint
compare_patterns (gconstpointer a, gconstpointer b)
{
  const PatternKey *x = a, *y = b;

  if (x->hatch != y->hatch)
    return x->hatch < y->hatch ? -1 : 1;
  return x->color < y->color ? -1 : x->color > y->color;
}

static void
append_pattern_id (GString *out, guint8 hatch, TsColor color)
{
  g_string_append_printf (out, "h-%s-%08x", ts_hatch_name (hatch), color);
}

static void
append_pattern (GString *out, PatternKey key)
{
  guint n;
  const TsHatchStroke *strokes = ts_hatch_strokes (key.hatch, &n);

  g_string_append (out, "<pattern id=\"");
  append_pattern_id (out, key.hatch, key.color);
  g_string_append_printf (out, "\" width=\"%g\" height=\"%g\" patternUnits=\"userSpaceOnUse\">", TS_HATCH_TILE, TS_HATCH_TILE);
  for (guint i = 0; i < n; i++)
    {
      const TsHatchStroke *s = &strokes[i];

      if (s->x1 == s->x2 && s->y1 == s->y2)
        {
          g_string_append (out, "<circle");
          append_attribute (out, "cx", s->x1);
          append_attribute (out, "cy", s->y1);
          append_attribute (out, "r", s->width);
          append_color (out, "fill", key.color);
        }
      else
        {
          g_string_append (out, "<line");
          append_attribute (out, "x1", s->x1);
          append_attribute (out, "y1", s->y1);
          append_attribute (out, "x2", s->x2);
          append_attribute (out, "y2", s->y2);
          append_color (out, "stroke", key.color);
          append_attribute (out, "stroke-width", s->width);
        }
      g_string_append (out, "/>");
    }
  g_string_append (out, "</pattern>\n");
}

/* Patterns and clip paths, before anything that uses them. Clips are numbered in order. */
static void
append_definitions (GString *out, const TsScene *scene)
{
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (PatternKey));
  gboolean open = FALSE;
  guint clips = 0;

  for (guint i = 0; i < scene->n_prims; i++)
    if (scene->prims[i].kind == TS_PRIM_HATCH)
      {
        PatternKey key = { scene->prims[i].hatch, scene->prims[i].paint.stroke };
        const PatternKey *last = keys->len > 0 ? &g_array_index (keys, PatternKey, keys->len - 1) : NULL;

        if (last == NULL || compare_patterns (last, &key) != 0)
          g_array_append_val (keys, key);
      }
  g_array_sort (keys, compare_patterns);
  for (guint i = 0; i < keys->len; i++)
    {
      PatternKey key = g_array_index (keys, PatternKey, i);

      if (i > 0 && compare_patterns (&key, &g_array_index (keys, PatternKey, i - 1)) == 0)
        continue;
      g_string_append (out, open ? "" : "<defs>\n");
      open = TRUE;
      append_pattern (out, key);
    }
  for (guint i = 0; i < scene->n_prims; i++)
    if (scene->prims[i].kind == TS_PRIM_CLIP)
      {
        const TsPrim *p = &scene->prims[i];

        g_string_append (out, open ? "" : "<defs>\n");
        open = TRUE;
        g_string_append_printf (out, "<clipPath id=\"clip%u\"><rect", ++clips);
        append_box (out, p->x, p->y, p->w, p->h);
        g_string_append (out, "/></clipPath>\n");
      }
  g_string_append (out, open ? "</defs>\n" : "");
}

static void
append_points (GString *out, const TsPoint *points, guint n, gboolean cubic)
{
  for (guint i = 0; i < n; i++)
    {
      g_string_append (out, i == 0 ? "M" : !cubic ? "L" : i % 3 == 1 ? "C" : " ");
      append_number (out, points[i].x);
      g_string_append_c (out, ' ');
      append_number (out, points[i].y);
    }
  if (!cubic)
    g_string_append_c (out, 'Z');
}

static void
append_path (GString *out, const TsPrim *prim)
{
  TsPoint head[3];

  g_string_append (out, "<path d=\"");
  append_points (out, prim->points, prim->n, prim->kind == TS_PRIM_CURVE);
  g_string_append_c (out, '"');
  append_color (out, "fill", prim->paint.fill);
  append_stroke (out, prim->paint);
  g_string_append (out, "/>");
  if (!ts_prim_arrow (prim, head))
    return;
  g_string_append (out, "<path d=\"");
  append_points (out, head, 3, FALSE);
  g_string_append_c (out, '"');
  append_color (out, "fill", prim->paint.stroke);
  g_string_append (out, "/>");
}

static void
append_text (GString *out, const TsPrim *prim)
{
  g_string_append (out, "<text");
  append_attribute (out, "x", prim->x);
  append_attribute (out, "y", prim->y);
  append_color (out, "fill", prim->paint.fill);
  if (prim->size != TS_FONT_SIZE)
    append_attribute (out, "font-size", prim->size);
  if (prim->weight != TS_WEIGHT_NORMAL)
    append_attribute (out, "font-weight", prim->weight);
  if (prim->anchor != TS_ANCHOR_START)
    g_string_append (out, prim->anchor == TS_ANCHOR_MIDDLE ? " text-anchor=\"middle\"" : " text-anchor=\"end\"");
  g_string_append_c (out, '>');
  ts_xml_append (out, prim->text);
  g_string_append (out, "</text>");
}

static void
append_strip (GString *out, const TsPrim *prim)
{
  double step = prim->n > 0 ? prim->w / prim->n : 0;

  for (guint i = 0; i < prim->n;)
    {
      TsColumn column = prim->columns[i];
      double height = prim->h * column.share / 255.0;
      guint end = i + 1;

      while (end < prim->n && prim->columns[end].color == column.color && prim->columns[end].share == column.share)
        end++;
      if (column.share > 0)
        {
          g_string_append (out, "<rect");
          append_box (out, prim->x + i * step, prim->y + prim->h - height, (end - i) * step, height);
          append_color (out, "fill", column.color);
          g_string_append (out, "/>");
        }
      i = end;
    }
}

static void
append_prim (GString *out, const TsPrim *prim)
{
  switch (prim->kind)
    {
    case TS_PRIM_RECT:
    case TS_PRIM_HATCH:
      g_string_append (out, "<rect");
      append_box (out, prim->x, prim->y, prim->w, prim->h);
      if (prim->paint.radius > 0)
        append_attribute (out, "rx", prim->paint.radius);
      if (prim->kind == TS_PRIM_HATCH)
        {
          g_string_append (out, " fill=\"url(#");
          append_pattern_id (out, prim->hatch, prim->paint.stroke);
          g_string_append (out, ")\"");
        }
      else if ((prim->paint.fill & 0xFF) == 0 && (prim->paint.stroke & 0xFF) == 0)
        g_string_append (out, " fill-opacity=\"0\""); /* answers the pointer, which "none" would not */
      else
        {
          append_color (out, "fill", prim->paint.fill);
          append_stroke (out, prim->paint);
        }
      g_string_append (out, "/>");
      break;
    case TS_PRIM_LINE:
      g_string_append (out, "<line");
      append_attribute (out, "x1", prim->x);
      append_attribute (out, "y1", prim->y);
      append_attribute (out, "x2", prim->x + prim->w);
      append_attribute (out, "y2", prim->y + prim->h);
      append_stroke (out, prim->paint);
      g_string_append (out, "/>");
      break;
    case TS_PRIM_POLYGON:
    case TS_PRIM_CURVE:
      append_path (out, prim);
      break;
    case TS_PRIM_TEXT:
      append_text (out, prim);
      break;
    case TS_PRIM_STRIP:
      append_strip (out, prim);
      break;
    default:
      break;
    }
}

/* Ids given out so far; `id` is scratch, the texts stand in `chunk`. */
typedef struct
{
  GHashTable   *given;
  GStringChunk *chunk;
  GString      *id;
} Ids;

/* Is this the first time that the scratch id is given out? */
static gboolean
give_out (Ids *ids)
{
  if (g_hash_table_contains (ids->given, ids->id->str))
    return FALSE;
  return g_hash_table_add (ids->given, g_string_chunk_insert_len (ids->chunk, ids->id->str, (gssize) ids->id->len));
}

static void
open_mark (GString *out, const TsScene *scene, guint32 mark, Ids *ids)
{
  const TsMark *m = &scene->marks[mark];
  GString *id = ids->id;
  gboolean first;

  g_string_assign (id, m->prefix);
  ts_link_append_id (&m->link, id);
  first = give_out (ids);
  g_string_append (out, "<g");
  /* What is drawn in several places keeps its id for the first: ids must be unique. */
  if (first)
    {
      g_string_append (out, " id=\"");
      g_string_append_len (out, id->str, (gssize) id->len);
      g_string_append_c (out, '"');
    }
  if (m->title != NULL && m->title[0] != '\0' && first)
    {
      g_string_append (out, " role=\"img\"><title>");
      ts_xml_append (out, m->title);
      g_string_append (out, "</title>");
    }
  else
    g_string_append_c (out, '>');
}

void
ts_svg_append (const TsScene *scene, const TsFigureInfo *figure, GString *out)
{
  Ids ids = { g_hash_table_new (g_str_hash, g_str_equal), g_string_chunk_new (64 * 1024), g_string_new (NULL) };
  guint32 current = 0;
  guint clips = 0;

  g_string_append (out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
  append_attribute (out, "width", scene->width);
  append_attribute (out, "height", scene->height);
  g_string_append (out, " viewBox=\"0 0 ");
  append_number (out, scene->width);
  g_string_append_c (out, ' ');
  append_number (out, scene->height);
  g_string_append (out, "\" font-family=\"" TS_FONT_FAMILY "\"");
  append_attribute (out, "font-size", TS_FONT_SIZE);
  g_string_append (out, " role=\"img\" aria-label=\"");
  ts_xml_append (out, scene->name);
  g_string_append (out, "\">\n<title>");
  ts_xml_append (out, scene->name);
  g_string_append (out, "</title>\n");
  if (figure != NULL)
    ts_figure_append_svg (figure, out);
  append_definitions (out, scene);
  if ((scene->background & 0xFF) != 0)
    {
      g_string_append (out, "<rect width=\"100%\" height=\"100%\"");
      append_color (out, "fill", scene->background);
      g_string_append (out, "/>\n");
    }
  for (guint i = 0; i < scene->n_prims; i++)
    {
      const TsPrim *prim = &scene->prims[i];

      if (prim->mark != current)
        {
          g_string_append (out, current != 0 ? "</g>\n" : "");
          if (prim->mark != 0)
            open_mark (out, scene, prim->mark, &ids);
          current = prim->mark;
        }
      if (prim->kind == TS_PRIM_CLIP)
        g_string_append_printf (out, "<g clip-path=\"url(#clip%u)\">\n", ++clips);
      else if (prim->kind == TS_PRIM_UNCLIP)
        g_string_append (out, "</g>\n");
      else
        append_prim (out, prim);
      if (current == 0 && prim->kind != TS_PRIM_CLIP && prim->kind != TS_PRIM_UNCLIP)
        g_string_append_c (out, '\n');
    }
  g_string_append (out, current != 0 ? "</g>\n</svg>\n" : "</svg>\n");
  g_hash_table_unref (ids.given);
  g_string_chunk_free (ids.chunk);
  g_string_free (ids.id, TRUE);
}
