/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes, scales, text, themes and back ends, without a display. */
#include <math.h>
#include <string.h>

#include "draw/cairo.h"
#include "draw/dump.h"
#include "draw/figure.h"
#include "draw/scale.h"
#include "draw/svg.h"
#include "draw/text.h"
#include "draw/theme.h"
#include "sample.h"

static void
test_scale_round_trip (void)
{
  TsScale scale = { G_GINT64_CONSTANT (1) << 40, (G_GINT64_CONSTANT (1) << 40) + 1000, 130, 1000 };

  for (gint64 at = scale.from; at < scale.to; at += 7)
    {
      g_assert_cmpint (ts_scale_to_value (scale, ts_scale_to_x (scale, at) + 0.5), ==, at);
      g_assert_cmpfloat (fabs (ts_scale_to_x (scale, at) - 130 - (double) (at - scale.from)), <, 1e-6);
    }
  g_assert_cmpfloat (ts_scale_to_x (scale, G_MININT64), ==, 130 - 1000);
  g_assert_cmpfloat (ts_scale_to_x (scale, G_MAXINT64), ==, 130 + 2000);
  scale.to = scale.from;
  g_assert_cmpint (ts_scale_to_value (scale, 500), ==, scale.from);
}

static void
test_scale_steps (void)
{
  static const struct { gint64 span; double width, room; gint64 step; } ROWS[] = {
    { 1512, 1026, 64, 100 }, { 10, 1000, 64, 1 }, { 3, 1000, 64, 1 }, { 1000000, 1000, 60, 100000 }, { 1, 100, 500, 5 },
    { G_MAXINT64, 1000, 64, G_GINT64_CONSTANT (1000000000000000000) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ROWS); i++)
    {
      TsScale scale = { 0, ROWS[i].span, 0, ROWS[i].width };

      g_assert_cmpint (ts_scale_step (scale, ROWS[i].room), ==, ROWS[i].step);
    }
  g_assert_cmpint (ts_scale_step_bytes ((TsScale) { 0, 65536, 0, 640 }, 64), ==, 8192);
  g_assert_cmpint (ts_scale_first_tick (101, 100), ==, 200);
  g_assert_cmpint (ts_scale_first_tick (200, 100), ==, 200);
  g_assert_cmpint (ts_scale_first_tick (-5, 10), ==, 0);
}

static void
test_scale_zoom (void)
{
  TsScale scale = { 0, 1000000, 0, 1000 };

  /* Zooming in ends where a cycle is 80 pixels wide, never stalls, and keeps the anchor within a pixel. */
  for (guint i = 0; i < 200; i++)
    {
      double before = ts_scale_to_x (scale, 333333);

      scale = ts_scale_zoom (scale, 1.25, 333333, 1000000);
      g_assert_cmpfloat (fabs (ts_scale_to_x (scale, 333333) - before), <=, MAX (1.0, ts_scale_per_unit (scale)));
    }
  g_assert_cmpint (scale.to - scale.from, ==, 13);
  for (guint i = 0; i < 200; i++)
    scale = ts_scale_zoom (scale, 1 / 1.25, 333333, 1000000);
  g_assert_cmpint (scale.from, ==, 0);
  g_assert_cmpint (scale.to, ==, 1000000);
  scale = ts_scale_pan ((TsScale) { 10, 110, 0, 100 }, -50, 1000);
  g_assert_cmpint (scale.from, ==, 0);
  scale = ts_scale_pan (scale, 5000, 1000);
  g_assert_cmpint (scale.to, ==, 1000);
}

static void
test_numbers (void)
{
  static const struct { gint64 value; const char *cycles, *bytes; } ROWS[] = {
    { 0, "0", "0 B" }, { 512, "512", "512 B" }, { 1512, "1512", "1.5 KiB" }, { 12345, "12\u202f345", "12.1 KiB" },
    { 1234567, "1\u202f234\u202f567", "1.2 MiB" }, { 65536, "65\u202f536", "64 KiB" }, { -12345, "-12\u202f345", "-12.1 KiB" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ROWS); i++)
    {
      g_autoptr (GString) out = g_string_new (NULL);

      ts_append_cycles (out, ROWS[i].value);
      g_assert_cmpstr (out->str, ==, ROWS[i].cycles);
      g_string_truncate (out, 0);
      ts_append_bytes (out, ROWS[i].value);
      g_assert_cmpstr (out->str, ==, ROWS[i].bytes);
    }
}

static void
test_themes (void)
{
  for (guint id = 0; id < TS_N_THEMES; id++)
    {
      const TsTheme *theme = ts_theme ((TsThemeId) id);
      TsThemeId back;

      g_assert_true (ts_theme_from_name (theme->name, &back));
      g_assert_cmpint (back, ==, id);
      g_assert_cmpfloat (ts_color_contrast (theme->text, theme->background), >=, 7);
      g_assert_cmpfloat (ts_color_contrast (theme->text, theme->panel_strong), >=, 4.5);
      g_assert_cmpfloat (ts_color_contrast (theme->text_soft, theme->background), >=, 4.5);
      g_assert_cmpfloat (ts_color_contrast (theme->alert, theme->background), >=, 4.5);
      g_assert_cmpfloat (ts_color_contrast (theme->select, theme->background), >=, 4.5);
      g_assert_cmpfloat (ts_color_contrast (theme->outline, theme->background), >=, 3);
      g_assert_cmpfloat (ts_color_contrast (theme->hatch, theme->panel), >=, 3);
      g_assert_cmpfloat (ts_color_contrast (theme->edge, theme->background), >=, 4.5);
      for (guint s = 0; s < TS_N_STAGE_COLORS; s++)
        {
          g_assert_cmpfloat (ts_color_contrast (ts_theme_text_on (theme->stage[s]), theme->stage[s]), >=, 4.5);
          for (guint k = 0; k < s; k++)
            g_assert_cmpuint (theme->stage[s], !=, theme->stage[k]);
        }
      g_assert_cmpfloat (ts_color_contrast (ts_theme_text_on (theme->untagged), theme->untagged), >=, 4.5);
      g_assert_cmpfloat (ts_color_contrast (ts_theme_text_on (theme->muted), theme->muted), >=, 4.5);
    }
  g_assert_cmpint (ts_theme_stage_texture (7), ==, TS_HATCH_NONE);
  g_assert_cmpint (ts_theme_stage_texture (8), !=, TS_HATCH_NONE);
  g_assert_cmpint (ts_theme_stage_texture (16), !=, ts_theme_stage_texture (8));
  g_assert_cmpuint (ts_theme_stage_color (ts_theme (TS_THEME_LIGHT), 8), ==, ts_theme (TS_THEME_LIGHT)->stage[0]);
}

static void
test_text (void)
{
  g_autoptr (TsMeasurer) fixed = ts_measurer_new_fixed ();
  g_autoptr (TsMeasurer) pango = ts_measurer_new_pango (NULL);
  TsMeasurer *both[] = { fixed, pango };
  g_autofree char *huge = g_strnfill (1000000, 'x');

  for (guint i = 0; i < G_N_ELEMENTS (both); i++)
    {
      static const char *const TEXTS[] = { "load x_0", "装载矩阵块", "a", "\xff\xfe\xfd", "mixed 中文 text·", "" };

      for (guint t = 0; t < G_N_ELEMENTS (TEXTS); t++)
        for (double room = 0; room < 120; room += 7)
          {
            g_autofree char *cut = ts_measure_fit (both[i], TEXTS[t], 12, TS_WEIGHT_NORMAL, room);

            g_assert_true (g_utf8_validate (cut, -1, NULL));
            g_assert_cmpfloat (ts_measure (both[i], cut, 12, TS_WEIGHT_NORMAL), <=, room);
          }
      g_assert_cmpfloat (ts_measure (both[i], huge, 12, TS_WEIGHT_NORMAL), >, 1000);
    }
  /* The table is for the widest family of the list: never narrower than what this machine's fonts give, but for rounding. */
  g_assert_cmpfloat (ts_measure (fixed, "The quick brown fox, 0123456789", 12, TS_WEIGHT_NORMAL) * 1.02, >=,
                     ts_measure (pango, "The quick brown fox, 0123456789", 12, TS_WEIGHT_NORMAL));
}

static TsScene *
small_scene (void)
{
  TsScene *scene = ts_scene_new (200, 100, TS_RGB (0xFFFFFF));
  TsLink bar = { TS_LINK_EVENT, 0, 0, 7, 3, -1, 0, 10, 20 };
  TsLink edge = { TS_LINK_EDGE, 0, -1, 7, -1, 8, 0, 0, 0 };

  ts_scene_set_name (scene, "small & <simple>");
  ts_scene_clip (scene, 0, 0, 100, 100);
  ts_scene_begin (scene, &bar, "bar <7>");
  ts_scene_rect (scene, 10, 10, 50, 20, (TsPaint) { .fill = TS_RGB (0x0072B2), .radius = 4 });
  ts_scene_hatch (scene, 10, 10, 50, 20, TS_HATCH_UP, 0xFFFFFF60);
  ts_scene_text (scene, 14, 24, (TsTextStyle) { 12, TS_WEIGHT_NORMAL, TS_RGB (0xFFFFFF), TS_ANCHOR_START }, "ld\001<x>", 30, 42);
  ts_scene_end (scene);
  ts_scene_unclip (scene);
  ts_scene_begin (scene, &edge, NULL);
  ts_scene_curve (scene, (TsPoint[]) { { 60, 20 }, { 90, 20 }, { 90, 80 }, { 150, 80 } }, 4,
                  (TsPaint) { .stroke = TS_RGB (0x333333), .dash = TS_DASH_DASHED, .arrow = TRUE });
  ts_scene_end (scene);
  ts_scene_polygon (scene, (TsPoint[]) { { 150, 10 }, { 190, 10 }, { 170, 40 } }, 3, (TsPaint) { .fill = TS_RGB (0xE69F00) });
  ts_scene_line (scene, 0, 95, 200, 95, (TsPaint) { .stroke = TS_RGB (0x999999), .width = 2 });
  {
    TsColumn *columns = ts_scene_strip (scene, 100, 50, 40, 20, 4);

    columns[0] = columns[1] = (TsColumn) { TS_RGB (0x009E73), 128 };
    columns[3] = (TsColumn) { TS_RGB (0xCC79A7), 255 };
  }
  return scene;
}

static void
test_hit (void)
{
  g_autoptr (TsScene) scene = small_scene ();
  const TsMark *mark = ts_scene_hit (scene, 20, 15, 2);
  double x, y, w, h;

  g_assert_nonnull (mark);
  g_assert_cmpint (mark->link.kind, ==, TS_LINK_EVENT);
  g_assert_cmpint (mark->link.event, ==, 3);
  g_assert_true (ts_scene_mark_box (scene, mark, &x, &y, &w, &h));
  g_assert_cmpfloat (x, ==, 10);
  g_assert_cmpfloat (w, ==, 50);
  g_assert_true (ts_scene_find (scene, TS_LINK_EVENT, 7, -1) == mark);
  g_assert_null (ts_scene_find (scene, TS_LINK_NODE, 7, -1));
  mark = ts_scene_hit (scene, 149, 80.5, 2);
  g_assert_cmpint (mark->link.kind, ==, TS_LINK_EDGE);
  g_assert_null (ts_scene_hit (scene, 170, 20, 2));
  g_assert_null (ts_scene_hit (scene, 5, 60, 2));
  /* Half-open: the pixel at the end belongs to what follows. */
  g_assert_null (ts_scene_hit (scene, 60, 12, 0));
}

static void
test_hit_respects_clip (void)
{
  g_autoptr (TsScene) scene = ts_scene_new (100, 100, TS_COLOR_NONE);
  TsLink link = { TS_LINK_EVENT, 0, 0, 1, 1, -1, 0, 0, 0 };

  ts_scene_clip (scene, 0, 0, 100, 100);
  ts_scene_clip (scene, 0, 0, 50, 50);
  ts_scene_unclip (scene);
  ts_scene_clip (scene, 0, 0, 30, 30);
  ts_scene_begin (scene, &link, NULL);
  ts_scene_rect (scene, 0, 0, 100, 100, (TsPaint) { .fill = TS_RGB (1) });
  ts_scene_end (scene);
  ts_scene_unclip (scene);
  ts_scene_unclip (scene);
  g_assert_nonnull (ts_scene_hit (scene, 29, 29, 0));
  g_assert_null (ts_scene_hit (scene, 31, 20, 0));
}

static void
test_svg (void)
{
  g_autoptr (TsScene) scene = small_scene ();
  g_autoptr (TsFigureInfo) figure = ts_figure_new ();
  g_autoptr (TsFigureInfo) back = NULL;
  g_autoptr (GString) out = g_string_new (NULL), again = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) defines = NULL;

  ts_figure_add (figure, TS_FIGURE_SHA256, "00ff");
  ts_figure_add (figure, TS_FIGURE_SOURCE, "def f(a):\n\tif a < 3 and \"x\" > '&':\n\t\tpass\r\n");
  ts_figure_add (figure, TS_FIGURE_BINDING, "n=8");
  ts_figure_add (figure, TS_FIGURE_BINDING, "m=9");
  ts_figure_add (figure, TS_FIGURE_MACHINE, NULL);
  ts_svg_append (scene, figure, out);
  ts_svg_append (scene, figure, again);
  g_assert_cmpstr (out->str, ==, again->str);
  g_assert_true (ts_figure_sniff (out->str, out->len));
  back = ts_figure_read (out->str, out->len, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_figure_length (back), ==, 4);
  g_assert_cmpstr (ts_figure_get (back, TS_FIGURE_SOURCE), ==, ts_figure_get (figure, TS_FIGURE_SOURCE));
  g_assert_null (ts_figure_get (back, TS_FIGURE_MACHINE));
  defines = ts_figure_get_all (back, TS_FIGURE_BINDING);
  g_assert_cmpuint (g_strv_length (defines), ==, 2);
  g_assert_cmpstr (defines[1], ==, "m=9");
  g_assert_null (strstr (out->str, "<style"));
  g_assert_null (strstr (out->str, "<script"));
  g_assert_null (strchr (out->str, '\001'));
  g_assert_nonnull (strstr (out->str, "<title>bar &lt;7&gt;</title>"));
  g_assert_nonnull (strstr (out->str, "id=\"e3\""));
  g_assert_nonnull (strstr (out->str, "aria-label=\"small &amp; &lt;simple&gt;\""));
  g_string_truncate (again, 0);
  ts_svg_append (scene, NULL, again);
  assert_golden ("scene.svg", again->str);
}

static void
test_figure_refuses (void)
{
  static const struct { const char *text; int code; } ROWS[] = {
    { "", TS_FIGURE_ERROR_NOT_A_FIGURE },
    { "<svg></svg>", TS_FIGURE_ERROR_NOT_A_FIGURE },
    { "<svg><metadata><tilescope:figure version=\"1\">", TS_FIGURE_ERROR_BROKEN },
    { "<svg><metadata><tilescope:figure version=\"1\"><tilescope:item key=\"a\">x</b></tilescope:figure>", TS_FIGURE_ERROR_BROKEN },
    { "<svg><metadata><tilescope:figure version=\"2\"></tilescope:figure></metadata></svg>", TS_FIGURE_ERROR_VERSION },
    { "<svg><!DOCTYPE x [<!ENTITY e \"e\">]><tilescope:figure>&e;</tilescope:figure>", TS_FIGURE_ERROR_BROKEN },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ROWS); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (ts_figure_read (ROWS[i].text, strlen (ROWS[i].text), &error));
      g_assert_error (error, TS_FIGURE_ERROR, ROWS[i].code);
    }
}

static void
test_dump (void)
{
  g_autoptr (TsScene) scene = small_scene ();
  g_autofree char *dump = ts_scene_dump (scene);

  assert_golden ("scene.txt", dump);
}

static void
test_files (void)
{
  g_autoptr (TsScene) scene = small_scene ();
  g_autoptr (TsScene) large = ts_scene_new (40000, 10, TS_COLOR_NONE);
  g_autoptr (TsFigureInfo) figure = ts_figure_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) png = NULL, pdf = NULL, pdf_again = NULL;
  gsize length;
  const guint8 *data;

  ts_figure_add (figure, TS_FIGURE_MACHINE, "teaching");
  png = ts_scene_to_png (scene, figure, 2, &error);
  g_assert_no_error (error);
  data = g_bytes_get_data (png, &length);
  g_assert_cmpmem (data, 8, "\x89PNG\r\n\x1a\n", 8);
  /* Width 400 in the header; the figure stands in a text chunk. */
  g_assert_cmpuint (data[16] << 24 | data[17] << 16 | data[18] << 8 | data[19], ==, 400);
  g_assert_cmpmem (data + 37, 4, "iTXt", 4);
  pdf = ts_scene_to_pdf (scene, figure, &error);
  g_assert_no_error (error);
  pdf_again = ts_scene_to_pdf (scene, figure, &error);
  g_assert_true (g_bytes_equal (pdf, pdf_again));
  data = g_bytes_get_data (pdf, &length);
  g_assert_cmpmem (data, 5, "%PDF-", 5);
  g_assert_null (ts_scene_to_png (large, NULL, 1, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
}

/* What cairo paints is where the scene says: the bar's pixel is blue, outside the clip nothing is. */
static void
test_paint (void)
{
  g_autoptr (TsScene) scene = small_scene ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 200, 100);
  cairo_t *cr = cairo_create (surface);
  const guint32 *pixels;
  int stride;

  ts_scene_paint (scene, cr, NULL);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  pixels = (const guint32 *) (gconstpointer) cairo_image_surface_get_data (surface);
  stride = cairo_image_surface_get_stride (surface) / 4;
  g_assert_cmphex (pixels[12 * stride + 13] & 0xFF, >=, 0xB2);
  g_assert_cmphex (pixels[5 * stride + 5], ==, 0xFFFFFFFF);
  g_assert_cmphex (pixels[20 * stride + 170], ==, 0xFFE69F00);
  g_assert_cmphex (pixels[65 * stride + 105], ==, 0xFF009E73);
  g_assert_cmphex (pixels[55 * stride + 105], ==, 0xFFFFFFFF);
  cairo_surface_destroy (surface);
}

static void
test_ids (void)
{
  static const struct { TsLink link; const char *id; } ROWS[] = {
    { { TS_LINK_EVENT, 0, 0, 5, 12, -1, 0, 0, 0 }, "e12" },
    { { TS_LINK_GAP, 1, 0, 5, 12, 3, 0, 0, 0 }, "w12" },
    { { TS_LINK_NODE, 0, 0, 34, -1, -1, 0, 0, 0 }, "n34" },
    { { TS_LINK_EDGE, 2, 0, 3, -1, 4, 0, 0, 0 }, "edge-3-4-2" },
    { { TS_LINK_EDGE, 2, 0, 3, 6, 9, 0, 0, 0 }, "edge-e6-e9" },
    { { TS_LINK_LOOP, 0, -1, 9, -1, -1, 1, 0, 0 }, "loop9-1" },
    { { TS_LINK_DENSE, 0, 2, -1, 4, -1, 9, 100, 200 }, "dense2-100" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ROWS); i++)
    {
      g_autoptr (GString) out = g_string_new (NULL);

      ts_link_append_id (&ROWS[i].link, out);
      g_assert_cmpstr (out->str, ==, ROWS[i].id);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/scale/round-trip", test_scale_round_trip);
  g_test_add_func ("/render/scale/steps", test_scale_steps);
  g_test_add_func ("/render/scale/zoom", test_scale_zoom);
  g_test_add_func ("/render/scale/numbers", test_numbers);
  g_test_add_func ("/render/themes", test_themes);
  g_test_add_func ("/render/text", test_text);
  g_test_add_func ("/render/scene/hit", test_hit);
  g_test_add_func ("/render/scene/hit-clip", test_hit_respects_clip);
  g_test_add_func ("/render/scene/ids", test_ids);
  g_test_add_func ("/render/svg", test_svg);
  g_test_add_func ("/render/figure/refuses", test_figure_refuses);
  g_test_add_func ("/render/dump", test_dump);
  g_test_add_func ("/render/files", test_files);
  g_test_add_func ("/render/paint", test_paint);
  return g_test_run ();
}
