/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paints scenes with cairo and pango, and encodes PNG and PDF. */
#include "draw/cairo.h"

#include <math.h>

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

#include "draw/theme.h"

/* Largest image side cairo can hold. */
#define MAX_SIDE 32767.0
/* Coordinates beyond overflow cairo's fixed point. */
#define MAX_COORDINATE 1.0e6

typedef struct
{
  cairo_t              *cr;
  PangoLayout          *layout;
  PangoFontDescription *font;
  float                 size;   /* of the font set in the layout */
  guint                 weight;
  cairo_pattern_t      *hatches[TS_N_HATCHES]; /* of the colour in hatch_color */
  TsColor               hatch_color[TS_N_HATCHES];
} Painter;

static void
set_color (cairo_t *cr, TsColor c)
{
  cairo_set_source_rgba (cr, ts_color_red (c), ts_color_green (c), ts_color_blue (c), ts_color_alpha (c));
}

static double
bounded (double value)
{
  return isfinite (value) ? CLAMP (value, -MAX_COORDINATE, MAX_COORDINATE) : 0;
}

static void
draw_strokes (cairo_t *cr, TsHatch hatch, double dx, double dy)
{
  guint n;
  const TsHatchStroke *strokes = ts_hatch_strokes (hatch, &n);

  for (guint i = 0; i < n; i++)
    {
      const TsHatchStroke *s = &strokes[i];

      if (s->x1 == s->x2 && s->y1 == s->y2)
        {
          cairo_new_sub_path (cr);
          cairo_arc (cr, dx + s->x1, dy + s->y1, s->width, 0, 2 * G_PI);
          cairo_fill (cr);
          continue;
        }
      cairo_set_line_width (cr, s->width);
      cairo_move_to (cr, dx + s->x1, dy + s->y1);
      cairo_line_to (cr, dx + s->x2, dy + s->y2);
      cairo_stroke (cr);
    }
}

/* One tile as a recording repeated by cairo: vector in PDF, cheap on images. */
static cairo_pattern_t *
hatch_pattern (Painter *painter, TsHatch hatch, TsColor color)
{
  cairo_rectangle_t extents = { 0, 0, TS_HATCH_TILE, TS_HATCH_TILE };
  cairo_surface_t *tile;
  cairo_t *cr;

  if (painter->hatches[hatch] != NULL && painter->hatch_color[hatch] == color)
    return painter->hatches[hatch];
  g_clear_pointer (&painter->hatches[hatch], cairo_pattern_destroy);
  tile = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, &extents);
  cr = cairo_create (tile);
  set_color (cr, color);
  draw_strokes (cr, hatch, 0, 0);
  cairo_destroy (cr);
  painter->hatches[hatch] = cairo_pattern_create_for_surface (tile);
  cairo_pattern_set_extend (painter->hatches[hatch], CAIRO_EXTEND_REPEAT);
  cairo_surface_destroy (tile);
  painter->hatch_color[hatch] = color;
  return painter->hatches[hatch];
}

static void
rounded_rectangle (cairo_t *cr, double x, double y, double w, double h, double radius)
{
  radius = MIN (radius, MIN (w, h) / 2);
  if (radius <= 0)
    {
      cairo_rectangle (cr, x, y, w, h);
      return;
    }
  cairo_new_sub_path (cr);
  cairo_arc (cr, x + w - radius, y + radius, radius, -G_PI / 2, 0);
  cairo_arc (cr, x + w - radius, y + h - radius, radius, 0, G_PI / 2);
  cairo_arc (cr, x + radius, y + h - radius, radius, G_PI / 2, G_PI);
  cairo_arc (cr, x + radius, y + radius, radius, G_PI, 3 * G_PI / 2);
  cairo_close_path (cr);
}

/* Fills and strokes the current path, and clears it. */
static void
paint_path (cairo_t *cr, TsPaint paint)
{
  if ((paint.fill & 0xFF) != 0)
    {
      set_color (cr, paint.fill);
      cairo_fill_preserve (cr);
    }
  if ((paint.stroke & 0xFF) != 0)
    {
      guint n;
      const double *dashes = ts_dash_pattern (paint.dash, &n);

      set_color (cr, paint.stroke);
      cairo_set_line_width (cr, paint.width);
      cairo_set_dash (cr, dashes, (int) n, 0);
      cairo_stroke_preserve (cr);
    }
  cairo_new_path (cr);
}

static void
paint_points (cairo_t *cr, const TsPrim *prim)
{
  TsPoint head[3];

  cairo_move_to (cr, bounded (prim->points[0].x), bounded (prim->points[0].y));
  if (prim->kind == TS_PRIM_POLYGON)
    {
      for (guint i = 1; i < prim->n; i++)
        cairo_line_to (cr, bounded (prim->points[i].x), bounded (prim->points[i].y));
      cairo_close_path (cr);
    }
  else
    for (guint i = 1; i + 2 < prim->n; i += 3)
      cairo_curve_to (cr, bounded (prim->points[i].x), bounded (prim->points[i].y), bounded (prim->points[i + 1].x),
                      bounded (prim->points[i + 1].y), bounded (prim->points[i + 2].x), bounded (prim->points[i + 2].y));
  paint_path (cr, prim->paint);
  if (!ts_prim_arrow (prim, head))
    return;
  for (guint i = 0; i < 3; i++)
    cairo_line_to (cr, bounded (head[i].x), bounded (head[i].y));
  cairo_close_path (cr);
  set_color (cr, prim->paint.stroke);
  cairo_fill (cr);
}

static void
paint_strip (cairo_t *cr, const TsPrim *prim)
{
  double step = prim->n > 0 ? prim->w / prim->n : 0;

  for (guint i = 0; i < prim->n;)
    {
      TsColumn column = prim->columns[i];
      guint end = i + 1;

      while (end < prim->n && prim->columns[end].color == column.color && prim->columns[end].share == column.share)
        end++;
      if (column.share > 0)
        {
          double height = prim->h * column.share / 255.0;

          set_color (cr, column.color);
          cairo_rectangle (cr, prim->x + i * step, prim->y + prim->h - height, (end - i) * step, height);
          cairo_fill (cr);
        }
      i = end;
    }
}

static void
paint_text (Painter *painter, const TsPrim *prim)
{
  int width;
  double x = prim->x;

  if (painter->size != prim->size || painter->weight != prim->weight)
    {
      painter->size = prim->size;
      painter->weight = prim->weight;
      pango_font_description_set_absolute_size (painter->font, (double) prim->size * PANGO_SCALE);
      pango_font_description_set_weight (painter->font, (PangoWeight) prim->weight);
      pango_layout_set_font_description (painter->layout, painter->font);
    }
  pango_layout_set_text (painter->layout, prim->text, -1);
  if (prim->anchor != TS_ANCHOR_START)
    {
      pango_layout_get_size (painter->layout, &width, NULL);
      x -= (double) width / PANGO_SCALE * (prim->anchor == TS_ANCHOR_MIDDLE ? 0.5 : 1.0);
    }
  set_color (painter->cr, prim->paint.fill);
  cairo_move_to (painter->cr, bounded (x), bounded (prim->y));
  pango_cairo_show_layout_line (painter->cr, pango_layout_get_line_readonly (painter->layout, 0));
  cairo_new_path (painter->cr);
}

static void
paint_prim (Painter *painter, const TsPrim *prim)
{
  cairo_t *cr = painter->cr;
  double x = bounded (prim->x), y = bounded (prim->y), w = bounded (prim->w), h = bounded (prim->h);

  switch (prim->kind)
    {
    case TS_PRIM_RECT:
      rounded_rectangle (cr, x, y, w, h, prim->paint.radius);
      paint_path (cr, prim->paint);
      break;
    case TS_PRIM_HATCH:
      cairo_rectangle (cr, x, y, w, h);
      cairo_set_source (cr, hatch_pattern (painter, prim->hatch, prim->paint.stroke));
      cairo_fill (cr);
      break;
    case TS_PRIM_LINE:
      cairo_move_to (cr, x, y);
      cairo_line_to (cr, x + w, y + h);
      paint_path (cr, prim->paint);
      break;
    case TS_PRIM_POLYGON:
    case TS_PRIM_CURVE:
      paint_points (cr, prim);
      break;
    case TS_PRIM_TEXT:
      paint_text (painter, prim);
      break;
    case TS_PRIM_STRIP:
      paint_strip (cr, prim);
      break;
    case TS_PRIM_CLIP:
      cairo_save (cr);
      cairo_rectangle (cr, x, y, w, h);
      cairo_clip (cr);
      break;
    case TS_PRIM_UNCLIP:
      cairo_restore (cr);
      break;
    default:
      break;
    }
}

void
ts_scene_paint_range (const TsScene *scene, cairo_t *cr, const char *family, guint first, guint last)
{
  Painter painter = { .cr = cr };
  cairo_font_options_t *options = cairo_font_options_create ();

  painter.layout = pango_cairo_create_layout (cr);
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF); /* as measured, see text.c */
  pango_cairo_context_set_font_options (pango_layout_get_context (painter.layout), options);
  pango_context_set_round_glyph_positions (pango_layout_get_context (painter.layout), FALSE);
  cairo_font_options_destroy (options);
  pango_layout_set_single_paragraph_mode (painter.layout, TRUE);
  painter.font = pango_font_description_new ();
  pango_font_description_set_family (painter.font, family != NULL ? family : TS_FONT_FAMILY);
  cairo_save (cr);
  for (guint i = first; i < MIN (last, scene->n_prims); i++)
    paint_prim (&painter, &scene->prims[i]);
  cairo_restore (cr);
  for (guint i = 0; i < TS_N_HATCHES; i++)
    g_clear_pointer (&painter.hatches[i], cairo_pattern_destroy);
  pango_font_description_free (painter.font);
  g_object_unref (painter.layout);
}

void
ts_scene_paint (const TsScene *scene, cairo_t *cr, const char *family)
{
  if ((scene->background & 0xFF) != 0)
    {
      set_color (cr, scene->background);
      cairo_rectangle (cr, 0, 0, scene->width, scene->height);
      cairo_fill (cr);
    }
  ts_scene_paint_range (scene, cr, family, 0, scene->n_prims);
}

static cairo_status_t
append_bytes (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static gboolean
check_size (const TsScene *scene, double scale, GError **error)
{
  double w = ceil (scene->width * scale), h = ceil (scene->height * scale);

  if (w >= 1 && h >= 1 && w <= MAX_SIDE && h <= MAX_SIDE)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               "A picture of %.0f x %.0f pixels cannot be made; each side may have 1 to %.0f", w, h, MAX_SIDE);
  return FALSE;
}

static gboolean
check_status (cairo_status_t status, GError **error)
{
  if (status == CAIRO_STATUS_SUCCESS)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "The picture cannot be drawn: %s", cairo_status_to_string (status));
  return FALSE;
}

/* --- PNG ----------------------------------------------------------------------------------------------------------------- */

static guint32
png_crc (const guint8 *data, gsize length)
{
  guint32 crc = 0xFFFFFFFFu;

  for (gsize i = 0; i < length; i++)
    {
      crc ^= data[i];
      for (guint bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
    }
  return ~crc;
}

static void
append_be32 (GByteArray *out, guint32 value)
{
  guint32 swapped = GUINT32_TO_BE (value);

  g_byte_array_append (out, (const guint8 *) &swapped, sizeof swapped);
}

/* The figure's items as one international text chunk behind the header, where other readers look for comments. */
static void
insert_png_figure (GByteArray *png, const TsFigureInfo *figure)
{
  const gsize header_end = 8 + 25; /* signature, then the IHDR chunk of fixed size */
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GByteArray) chunk = g_byte_array_new ();
  g_autoptr (GByteArray) tail = g_byte_array_new ();
  static const guint8 KEYWORD[] = "Tilescope\0\0\0\0"; /* keyword, no compression, no language, no translated keyword */

  ts_figure_append_svg (figure, text);
  g_byte_array_append (chunk, (const guint8 *) "iTXt", 4);
  g_byte_array_append (chunk, KEYWORD, sizeof KEYWORD);
  g_byte_array_append (chunk, (const guint8 *) text->str, (guint) text->len);
  g_byte_array_append (tail, png->data + header_end, png->len - header_end);
  g_byte_array_set_size (png, header_end);
  append_be32 (png, chunk->len - 4);
  g_byte_array_append (png, chunk->data, chunk->len);
  append_be32 (png, png_crc (chunk->data, chunk->len));
  g_byte_array_append (png, tail->data, tail->len);
}

GBytes *
ts_scene_to_png (const TsScene *scene, const TsFigureInfo *figure, double scale, GError **error)
{
  g_autoptr (GByteArray) png = g_byte_array_new ();
  cairo_surface_t *surface;
  cairo_t *cr;
  cairo_status_t status;

  if (!check_size (scene, scale, error))
    return NULL;
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) ceil (scene->width * scale), (int) ceil (scene->height * scale));
  cr = cairo_create (surface);
  cairo_scale (cr, scale, scale);
  ts_scene_paint (scene, cr, NULL);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream (surface, append_bytes, png);
  cairo_surface_destroy (surface);
  if (!check_status (status, error))
    return NULL;
  if (figure != NULL)
    insert_png_figure (png, figure);
  return g_byte_array_free_to_bytes (g_steal_pointer (&png));
}

/* --- PDF ----------------------------------------------------------------------------------------------------------------- */

/* cairo of our floor has no custom entries: the subject says in words what the figure was made from. */
static void
append_pdf_subject (const TsFigureInfo *figure, GString *out)
{
  for (guint i = 0; i < ts_figure_length (figure); i++)
    {
      const char *key, *value;

      ts_figure_item (figure, i, &key, &value);
      if (g_str_equal (key, TS_FIGURE_SOURCE))
        continue;
      g_string_append (out, out->len > 0 ? "; " : "");
      g_string_append_printf (out, "%s: %s", key, value);
    }
}

GBytes *
ts_scene_to_pdf (const TsScene *scene, const TsFigureInfo *figure, GError **error)
{
  g_autoptr (GByteArray) pdf = g_byte_array_new ();
  cairo_surface_t *surface;
  cairo_t *cr;
  cairo_status_t status;

  if (!check_size (scene, 1, error))
    return NULL;
  /* A pixel of ours is 1/96 inch, a PDF point 1/72. */
  surface = cairo_pdf_surface_create_for_stream (append_bytes, pdf, scene->width * 0.75, scene->height * 0.75);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE, scene->name);
  /* No dates: the same scene must give the same bytes. An empty date removes the entry. */
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
  if (figure != NULL)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      append_pdf_subject (figure, text);
      cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_SUBJECT, text->str);
    }
  cr = cairo_create (surface);
  cairo_scale (cr, 0.75, 0.75);
  ts_scene_paint (scene, cr, NULL);
  status = cairo_status (cr);
  cairo_destroy (cr);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (!check_status (status, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&pdf));
}
