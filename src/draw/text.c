/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text widths, from a table or from pango, and text shortened to its room. */
#include "draw/text.h"

#include <math.h>
#include <string.h>

#include <pango/pangocairo.h>

#include "draw/theme.h"

#define FIRST_ASCII 0x20
#define N_ASCII 95
/* Sizes and weights with an advance table of their own; a window uses about five. */
#define MAX_FACES 12
/* Texts beyond ASCII whose widths are kept. */
#define MAX_KEPT 4096
/* Letters of a text that are looked at; what is longer is cut before measuring, so that hostile names cost nothing. */
#define MAX_LETTERS 2000

/* Advances of DejaVu Sans in thousandths of the size, U+0020 to U+007E: the widest of the families in TS_FONT_FAMILY. */
static const guint16 REGULAR[N_ASCII] = {
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636, 636,
  636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787,
  695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278,
  579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};
static const guint16 BOLD[N_ASCII] = {
  348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696, 696, 696, 696, 696,
  696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850, 733, 850,
  770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343,
  665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
};

/* Signs that the views use beside ASCII. */
static const struct { gunichar sign; guint16 advance; } SIGNS[] = {
  { 0x00A0, 348 }, { 0x00B7, 380 }, { 0x00D7, 838 }, { 0x0394, 774 }, { 0x2009, 200 }, { 0x200B, 0 }, { 0x202F, 200 },
  { 0x2013, 500 }, { 0x2014, 1000 }, { 0x2026, 1000 }, { 0x2190, 838 }, { 0x2192, 838 }, { 0x2212, 838 }, { 0x25B2, 770 },
};
/* Anything else narrow: as wide as the widest common letters, so that the estimate errs to the safe side. */
#define OTHER_ADVANCE 850

typedef struct
{
  float    size;
  TsWeight weight;
  float    advance[N_ASCII];
} Face;

struct TsMeasurer
{
  PangoContext         *context; /* NULL: fixed */
  PangoLayout          *layout;
  PangoFontDescription *font;
  Face                  faces[MAX_FACES];
  guint                 n_faces;
  guint                 next_face; /* to be replaced when all are taken */
  GHashTable           *kept;      /* "size weight text" to a double */
};

TsMeasurer *
ts_measurer_new_fixed (void)
{
  return g_new0 (TsMeasurer, 1);
}

TsMeasurer *
ts_measurer_new_pango (const char *family)
{
  TsMeasurer *measurer = g_new0 (TsMeasurer, 1);
  cairo_font_options_t *options = cairo_font_options_create ();

  measurer->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  /* Advances rounded to pixels would differ from what GTK and SVG renderers draw. */
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options (measurer->context, options);
  pango_context_set_round_glyph_positions (measurer->context, FALSE);
  cairo_font_options_destroy (options);
  measurer->layout = pango_layout_new (measurer->context);
  measurer->font = pango_font_description_new ();
  pango_font_description_set_family (measurer->font, family != NULL ? family : TS_FONT_FAMILY);
  measurer->kept = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return measurer;
}

void
ts_measurer_free (TsMeasurer *measurer)
{
  if (measurer == NULL)
    return;
  g_clear_object (&measurer->layout);
  g_clear_object (&measurer->context);
  g_clear_pointer (&measurer->font, pango_font_description_free);
  g_clear_pointer (&measurer->kept, g_hash_table_unref);
  g_free (measurer);
}

static double
pango_width (TsMeasurer *measurer, const char *text, float size, TsWeight weight)
{
  int width;

  pango_font_description_set_absolute_size (measurer->font, (double) size * PANGO_SCALE);
  pango_font_description_set_weight (measurer->font, (PangoWeight) weight);
  pango_layout_set_font_description (measurer->layout, measurer->font);
  pango_layout_set_single_paragraph_mode (measurer->layout, TRUE);
  pango_layout_set_text (measurer->layout, text, -1);
  pango_layout_get_size (measurer->layout, &width, NULL);
  return (double) width / PANGO_SCALE;
}

static const Face *
find_face (TsMeasurer *measurer, float size, TsWeight weight)
{
  Face *face;

  for (guint i = 0; i < measurer->n_faces; i++)
    if (measurer->faces[i].weight == weight && fabsf (measurer->faces[i].size - size) < 0.01f)
      return &measurer->faces[i];
  if (measurer->n_faces < MAX_FACES)
    face = &measurer->faces[measurer->n_faces++];
  else
    face = &measurer->faces[measurer->next_face++ % MAX_FACES];
  face->size = size;
  face->weight = weight;
  for (guint i = 0; i < N_ASCII; i++)
    {
      char letter[2] = { (char) (FIRST_ASCII + i), '\0' };
      const guint16 *table = weight >= TS_WEIGHT_MEDIUM ? BOLD : REGULAR;

      face->advance[i] = measurer->context != NULL ? (float) pango_width (measurer, letter, size, weight)
                                                   : (float) table[i] * size / 1000.0f;
    }
  return face;
}

static double
sign_advance (gunichar sign)
{
  if (g_unichar_iszerowidth (sign))
    return 0;
  if (g_unichar_iswide (sign))
    return 1000;
  for (guint i = 0; i < G_N_ELEMENTS (SIGNS); i++)
    if (SIGNS[i].sign == sign)
      return SIGNS[i].advance;
  return OTHER_ADVANCE;
}

/* Width of a text that is not all ASCII, by pango, remembered. */
static double
kept_width (TsMeasurer *measurer, const char *text, float size, TsWeight weight)
{
  g_autofree char *key = g_strdup_printf ("%d %d %s", (int) (size * 100), (int) weight, text);
  double *width = g_hash_table_lookup (measurer->kept, key);

  if (width == NULL)
    {
      if (g_hash_table_size (measurer->kept) >= MAX_KEPT)
        g_hash_table_remove_all (measurer->kept);
      width = g_new (double, 1);
      *width = pango_width (measurer, text, size, weight);
      g_hash_table_insert (measurer->kept, g_steal_pointer (&key), width);
    }
  return *width;
}

/* Text that is valid and of bounded length: the text itself where it already is. */
static const char *
bounded (const char *text, char **store)
{
  gsize length;

  if (text == NULL)
    return "";
  length = strlen (text);
  if (length > MAX_LETTERS * 4)
    {
      const char *end = g_utf8_find_prev_char (text, text + MAX_LETTERS * 4);

      *store = g_utf8_make_valid (text, end != NULL ? end - text : 0);
      return *store;
    }
  if (g_utf8_validate (text, (gssize) length, NULL))
    return text;
  *store = g_utf8_make_valid (text, (gssize) length);
  return *store;
}

static double
measure_valid (TsMeasurer *measurer, const char *text, float size, TsWeight weight)
{
  const Face *face = find_face (measurer, size, weight);
  double width = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      guchar c = (guchar) *p;

      if (c >= FIRST_ASCII && c < FIRST_ASCII + N_ASCII)
        width += face->advance[c - FIRST_ASCII];
      else if (measurer->context != NULL && c >= 0x80)
        return kept_width (measurer, text, size, weight);
      else if (c >= 0x80)
        width += sign_advance (g_utf8_get_char (p)) * size / 1000.0;
      else
        width += face->advance[0]; /* control characters are drawn as spaces */
    }
  return width;
}

double
ts_measure (TsMeasurer *measurer, const char *text, float size, TsWeight weight)
{
  g_autofree char *store = NULL;

  return measure_valid (measurer, bounded (text, &store), size, weight);
}

char *
ts_measure_fit (TsMeasurer *measurer, const char *text, float size, TsWeight weight, double room)
{
  g_autofree char *store = NULL;
  const char *valid = bounded (text, &store);
  g_autoptr (GString) cut = NULL;
  glong low = 0, high;

  if (measure_valid (measurer, valid, size, weight) <= room)
    return g_strdup (valid);
  /* Binary search for the longest beginning that fits together with the dots. */
  cut = g_string_new (NULL);
  high = g_utf8_strlen (valid, -1) - 1;
  while (low < high)
    {
      glong middle = (low + high + 1) / 2;

      g_string_truncate (cut, 0);
      g_string_append_len (cut, valid, g_utf8_offset_to_pointer (valid, middle) - valid);
      g_string_append (cut, "…");
      if (measure_valid (measurer, cut->str, size, weight) <= room)
        low = middle;
      else
        high = middle - 1;
    }
  if (low <= 0)
    return g_strdup ("");
  g_string_truncate (cut, 0);
  g_string_append_len (cut, valid, g_utf8_offset_to_pointer (valid, low) - valid);
  while (cut->len > 0 && cut->str[cut->len - 1] == ' ')
    g_string_truncate (cut, cut->len - 1);
  g_string_append (cut, "…");
  return g_string_free (g_steal_pointer (&cut), FALSE);
}

double
ts_put_text (TsScene *scene, TsMeasurer *measurer, double x, double baseline, double box, TsTextStyle style, const char *text)
{
  double width = box < 0 ? 0 : ts_measure (measurer, text, style.size, style.weight);
  g_autofree char *cut = NULL;

  if (box < 0)
    return 0;
  if (box > 0 && width > box)
    {
      cut = ts_measure_fit (measurer, text, style.size, style.weight, box);
      if (cut[0] == '\0')
        return 0;
      text = cut;
      width = ts_measure (measurer, text, style.size, style.weight);
    }
  if (text == NULL || text[0] == '\0')
    return 0;
  ts_scene_text (scene, x, baseline, style, text, width, box);
  return width;
}

double
ts_put_text_whole (TsScene *scene, TsMeasurer *measurer, double x, double baseline, double box, TsTextStyle style,
                   const char *text)
{
  double width = ts_measure (measurer, text, style.size, style.weight);

  if (width <= 0 || width > box)
    return 0;
  ts_scene_text (scene, x, baseline, style, text, width, box);
  return width;
}
