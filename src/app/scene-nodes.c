/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scene as GTK render nodes.
 *
 * Boxes, straight lines and texts become nodes of their own: they are many, cheap, and the renderer culls them. Everything else
 * (hatches, curves, polygons, strips) comes in runs, and a run is one cairo node painted by the same code that writes PNG files. */
#include "app/scene-nodes.h"

#include "draw/cairo.h"
#include "draw/theme.h"

/* Corners below this many pixels of width are not worth a clip. */
#define MIN_ROUNDED 6.0
/* Texts kept; far more than one frame shows. */
#define MAX_LAYOUTS 4096u

struct TsSceneNodes
{
  GtkWidget  *widget; /* not owned: the widget owns us */
  GHashTable *layouts; /* "size/weight/text" to PangoLayout */
};

TsSceneNodes *
ts_scene_nodes_new (GtkWidget *widget)
{
  TsSceneNodes *nodes = g_new0 (TsSceneNodes, 1);

  nodes->widget = widget;
  nodes->layouts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  return nodes;
}

void
ts_scene_nodes_free (TsSceneNodes *nodes)
{
  g_hash_table_unref (nodes->layouts);
  g_free (nodes);
}

void
ts_scene_nodes_reset (TsSceneNodes *nodes)
{
  g_hash_table_remove_all (nodes->layouts);
}

static GdkRGBA
rgba (TsColor color)
{
  return (GdkRGBA) { (float) ts_color_red (color), (float) ts_color_green (color), (float) ts_color_blue (color),
                     (float) ts_color_alpha (color) };
}

static graphene_rect_t
rect_of (double x, double y, double w, double h)
{
  return GRAPHENE_RECT_INIT ((float) x, (float) y, (float) w, (float) h);
}

static void
append_rect (const TsPrim *prim, GtkSnapshot *snapshot)
{
  graphene_rect_t box = rect_of (prim->x, prim->y, prim->w, prim->h);
  gboolean rounded = prim->paint.radius > 0 && prim->w >= MIN_ROUNDED && prim->h >= MIN_ROUNDED;
  float radius = rounded ? (float) MIN (prim->paint.radius, MIN (prim->w, prim->h) / 2) : 0.0f;
  GskRoundedRect outline;

  if (prim->w <= 0 || prim->h <= 0)
    return;
  gsk_rounded_rect_init_from_rect (&outline, &box, radius);
  if (ts_color_alpha (prim->paint.fill) > 0)
    {
      GdkRGBA fill = rgba (prim->paint.fill);

      if (rounded)
        gtk_snapshot_push_rounded_clip (snapshot, &outline);
      gtk_snapshot_append_color (snapshot, &fill, &box);
      if (rounded)
        gtk_snapshot_pop (snapshot);
    }
  if (ts_color_alpha (prim->paint.stroke) > 0)
    {
      float width = prim->paint.width > 0 ? prim->paint.width : 1.0f;
      GdkRGBA stroke = rgba (prim->paint.stroke);

      /* A stroke lies half outside its path, a border node all inside its outline. */
      gsk_rounded_rect_shrink (&outline, -width / 2, -width / 2, -width / 2, -width / 2);
      gtk_snapshot_append_border (snapshot, &outline, (float[4]) { width, width, width, width },
                                  (GdkRGBA[4]) { stroke, stroke, stroke, stroke });
    }
}

static void
append_straight_line (const TsPrim *prim, GtkSnapshot *snapshot)
{
  double width = prim->paint.width > 0 ? prim->paint.width : 1.0;
  double x = MIN (prim->x, prim->x + prim->w), y = MIN (prim->y, prim->y + prim->h);
  GdkRGBA color = rgba (prim->paint.stroke);
  graphene_rect_t box = prim->w == 0 ? rect_of (x - width / 2, y, width, fabs (prim->h))
                                     : rect_of (x, y - width / 2, fabs (prim->w), width);

  gtk_snapshot_append_color (snapshot, &color, &box);
}

static PangoLayout *
layout_for (TsSceneNodes *nodes, const TsPrim *prim)
{
  g_autofree char *key = g_strdup_printf ("%.2f/%u/%s", (double) prim->size, (guint) prim->weight, prim->text);
  PangoLayout *layout = g_hash_table_lookup (nodes->layouts, key);
  PangoFontDescription *font;

  if (layout != NULL)
    return layout;
  if (g_hash_table_size (nodes->layouts) >= MAX_LAYOUTS)
    g_hash_table_remove_all (nodes->layouts);
  layout = gtk_widget_create_pango_layout (nodes->widget, prim->text);
  font = pango_font_description_from_string (TS_FONT_FAMILY);
  pango_font_description_set_weight (font, (PangoWeight) prim->weight);
  pango_font_description_set_absolute_size (font, prim->size * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_font_description_free (font);
  g_hash_table_insert (nodes->layouts, g_steal_pointer (&key), layout);
  return layout;
}

static void
append_text (TsSceneNodes *nodes, const TsPrim *prim, GtkSnapshot *snapshot)
{
  PangoLayout *layout = layout_for (nodes, prim);
  double baseline = pango_layout_get_baseline (layout) / (double) PANGO_SCALE;
  double x = prim->x;
  int width = 0;
  GdkRGBA color = rgba (prim->paint.fill);

  pango_layout_get_pixel_size (layout, &width, NULL);
  if (prim->anchor == TS_ANCHOR_MIDDLE)
    x -= width / 2.0;
  else if (prim->anchor == TS_ANCHOR_END)
    x -= width;
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) x, (float) (prim->y - baseline)));
  gtk_snapshot_append_layout (snapshot, layout, &color);
  gtk_snapshot_restore (snapshot);
}

static gboolean
has_own_node (const TsPrim *prim)
{
  switch (prim->kind)
    {
    case TS_PRIM_RECT:
      return prim->paint.dash == TS_DASH_NONE && prim->hatch == TS_HATCH_NONE;
    case TS_PRIM_LINE:
      return prim->paint.dash == TS_DASH_NONE && (prim->w == 0 || prim->h == 0);
    case TS_PRIM_TEXT:
    case TS_PRIM_CLIP:
    case TS_PRIM_UNCLIP:
      return TRUE;
    default:
      return FALSE;
    }
}

static void
append_own_node (TsSceneNodes *nodes, const TsPrim *prim, GtkSnapshot *snapshot)
{
  graphene_rect_t box = rect_of (prim->x, prim->y, MAX (prim->w, 0), MAX (prim->h, 0));

  switch (prim->kind)
    {
    case TS_PRIM_RECT:
      append_rect (prim, snapshot);
      break;
    case TS_PRIM_LINE:
      append_straight_line (prim, snapshot);
      break;
    case TS_PRIM_TEXT:
      append_text (nodes, prim, snapshot);
      break;
    case TS_PRIM_CLIP:
      gtk_snapshot_push_clip (snapshot, &box);
      break;
    default:
      gtk_snapshot_pop (snapshot);
      break;
    }
}

/* Index after the run of primitives from `first` on that are painted by one cairo node; *bounds is what they cover. */
static guint
run_end (const TsScene *scene, guint first, graphene_rect_t *bounds)
{
  guint i;

  for (i = first; i < scene->n_prims && !has_own_node (&scene->prims[i]); i++)
    {
      /* Strokes and arrow heads reach past the box of the points. */
      double x, y, w, h, pad = 8.0 + scene->prims[i].paint.width;
      graphene_rect_t box;

      ts_prim_box (&scene->prims[i], &x, &y, &w, &h);
      box = rect_of (x - pad, y - pad, w + 2 * pad, h + 2 * pad);
      if (i == first)
        *bounds = box;
      else
        graphene_rect_union (bounds, &box, bounds);
    }
  return i;
}

void
ts_scene_nodes_append (TsSceneNodes *nodes, const TsScene *scene, GtkSnapshot *snapshot)
{
  graphene_rect_t whole = rect_of (0, 0, scene->width, scene->height);
  guint i = 0;

  if (ts_color_alpha (scene->background) > 0)
    {
      GdkRGBA color = rgba (scene->background);

      gtk_snapshot_append_color (snapshot, &color, &whole);
    }
  while (i < scene->n_prims)
    {
      if (has_own_node (&scene->prims[i]))
        append_own_node (nodes, &scene->prims[i++], snapshot);
      else
        {
          graphene_rect_t bounds = whole;
          guint end = run_end (scene, i, &bounds);

          if (graphene_rect_intersection (&bounds, &whole, &bounds))
            {
              cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);

              ts_scene_paint_range (scene, cr, NULL, i, end);
              cairo_destroy (cr);
            }
          i = end;
        }
    }
}
