/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory maps of made-up facts: zoom, hits, level of detail, layers, words. The map of a real kernel is in graph.c. */
#include <math.h>
#include <string.h>

#include "draw/memory-map.h"
#include "sample.h"

typedef struct
{
  TsMemoryFacts  facts;
  TsValue       *values;
  TsStage       *stages;
  guint32       *by_buffer;
  TsMapInput     input;
} Made;

/* `n_buffers` of 256 bytes one after the other, `per_buffer` tiles in each, which live one after the other; stages 0, 1, 2. */
static Made *
make (guint n_buffers, guint per_buffer, gint64 capacity)
{
  Made *made = g_new0 (Made, 1);
  TsMemoryFacts *facts = &made->facts;
  guint n = n_buffers * per_buffer;

  made->values = g_new0 (TsValue, n);
  made->stages = g_new0 (TsStage, n);
  made->by_buffer = g_new0 (guint32, n);
  facts->placed = TRUE;
  facts->tiles = g_new0 (TsMemoryTile, n);
  facts->n_tiles = n;
  facts->buffers = g_new0 (TsMemoryBuffer, n_buffers);
  facts->n_buffers = n_buffers;
  facts->spaces = g_new0 (TsMemorySpace, 1);
  facts->n_spaces = 1;
  facts->collapses = g_new0 (TsMemoryCollapse, 1);
  facts->n_positions = 10 + 4 * n;
  facts->by_buffer = made->by_buffer;
  facts->spaces[0] = (TsMemorySpace) { .space = TS_SPACE_VEC, .capacity = capacity, .high_water = 256 * (gint64) n_buffers,
                                       .n_buffers = n_buffers };
  for (guint b = 0; b < n_buffers; b++)
    facts->buffers[b] = (TsMemoryBuffer) { .name = "mem_vec", .space = TS_SPACE_VEC, .size = 256, .address = 256 * (gint64) b,
                                           .slots = 1, .def = 10 + 4 * b,
                                           .last = facts->n_positions - 1, .first_tile = b * per_buffer,
                                           .n_tiles = per_buffer };
  for (guint i = 0; i < n; i++)
    {
      guint b = i % n_buffers, k = i / n_buffers;

      made->values[i].id = (gint32) i;
      made->values[i].hint = "tile";
      made->stages[i] = (TsStage) { .group = 0, .stage = (gint32) (i % 3) };
      facts->tiles[i] = (TsMemoryTile) { .value = &made->values[i], .op = (gint32) i, .buffer = b, .size = 256,
                                         .address = 256 * (gint64) b, .def = 10 + 4 * i, .last = 12 + 4 * i,
                                         .role = k > 0 ? TS_MEMORY_REUSE : TS_MEMORY_OWN,
                                         .source = k > 0 ? i - n_buffers : TS_MEMORY_NONE, .stages = &made->stages[i],
                                         .n_stages = 1 };
      made->by_buffer[b * per_buffer + k] = i;
    }
  made->input = (TsMapInput) { .facts = facts, .title = "made" };
  return made;
}

static void
made_free (Made *made)
{
  g_free (made->values);
  g_free (made->stages);
  g_free (made->by_buffer);
  g_free (made->facts.tiles);
  g_free (made->facts.buffers);
  g_free (made->facts.spaces);
  g_free (made->facts.collapses);
  g_free (made);
}

static TsMapView
window_view (double width, double height)
{
  TsMapView view;

  ts_map_view_init (&view);
  view.width = width;
  view.height = height;
  view.header = view.titles = FALSE;
  return view;
}

static guint
count_kind (const TsScene *scene, TsLinkKind kind)
{
  guint n = 0;

  for (guint i = 1; i < scene->n_marks; i++)
    n += scene->marks[i].link.kind == kind;
  return n;
}

static gboolean
says (const TsScene *scene, const char *words)
{
  for (guint i = 0; i < scene->n_prims; i++)
    if (scene->prims[i].kind == TS_PRIM_TEXT && strstr (scene->prims[i].text, words) != NULL)
      return TRUE;
  return FALSE;
}

/* Rows in front of the first tile, where nothing lives, take no room. */
static void
test_rows (void)
{
  Made *made = make (4, 2, 2048);
  TsMapView view = window_view (800, 400);
  double x, y, w, h, ax, ay, aw, ah;

  ts_map_area (&made->input, &view, &ax, &ay, &aw, &ah);
  ts_map_tile_box (&made->input, &view, 0, &x, &y, &w, &h);
  g_assert_cmpfloat (y - ay, <, h);
  g_assert_cmpint (ts_map_position_at (&made->input, &view, ay + 0.5), ==, 10);
  g_assert_cmpint (ts_map_position_at (&made->input, &view, ay - 0.5), ==, -1);
  g_assert_cmpint (ts_map_position_at (&made->input, &view, ay + ah + 0.5), ==, -1);
  made_free (made);
}

/* At every zoom a tile is found where it is drawn, and nothing is drawn of what lies outside. */
static void
test_zoom (void)
{
  static const struct { double zoom_x, zoom_y, left, top; } cases[]
      = { { 1, 1, 0, 0 }, { 2, 3, 0.1, 0.3 }, { 8, 16, 0.8, 0.9 }, { 1, 64, 0, 0.5 }, { 32, 1, 0.99, 0 }, { 4, 4, 7, -3 } };
  Made *made = make (6, 5, 2048);
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      TsMapView view = window_view (900, 500);
      double ax, ay, aw, ah;
      guint seen = 0;

      view.zoom_x = cases[c].zoom_x;
      view.zoom_y = cases[c].zoom_y;
      view.left = cases[c].left;
      view.top = cases[c].top;
      ts_map_scene (&made->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
      g_assert_cmpfloat (scene->height, ==, 500);
      ts_map_area (&made->input, &view, &ax, &ay, &aw, &ah);
      for (guint32 i = 0; i < made->facts.n_tiles; i++)
        {
          const TsMark *mark = ts_scene_find (scene, TS_LINK_BUFFER, (gint32) i, -1);
          double x, y, w, h, mx, my;

          ts_map_tile_box (&made->input, &view, i, &x, &y, &w, &h);
          mx = (MAX (x, ax) + MIN (x + w, ax + aw)) / 2;
          my = (MAX (y, ay) + MIN (y + h, ay + ah)) / 2;
          if (x >= ax + aw || x + w <= ax || y >= ay + ah || y + h <= ay)
            {
              g_assert_null (mark);
              continue;
            }
          seen++;
          g_assert_nonnull (mark);
          g_assert_true (ts_scene_hit (scene, mx, my, 0) == mark);
          g_assert_cmpint (ts_map_tile_at (&made->input, &view, mx, my), ==, i);
        }
      g_assert_cmpuint (seen, ==, count_kind (scene, TS_LINK_BUFFER));
      g_assert_cmpint (ts_map_tile_at (&made->input, &view, ax - 3, ay + ah / 2), ==, -1);
    }
  made_free (made);
}

/* However many tiles: a bounded number of boxes, the rest a picture of cells; a tile among them is still found. */
static void
test_crowd (void)
{
  static const guint sizes[][2] = { { 100, 100 }, { 5000, 4 }, { 4, 5000 }, { 1, 20000 }, { 20000, 1 } };
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);

  for (guint c = 0; c < G_N_ELEMENTS (sizes); c++)
    {
      Made *made = make (sizes[c][0], sizes[c][1], 256 * (gint64) sizes[c][0]);
      TsMapView view = window_view (1000, 600);
      double x, y, w, h, most_x, most_y;
      gint64 start = g_get_monotonic_time (), found;

      ts_map_scene (&made->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
      g_test_message ("%u x %u tiles: %u primitives, %.1f ms", sizes[c][0], sizes[c][1], scene->n_prims,
                      (double) (g_get_monotonic_time () - start) / 1e3);
      g_assert_cmpuint (scene->n_prims, <, 6000);
      g_assert_cmpuint (count_kind (scene, TS_LINK_BUFFER), <=, 2500);
      g_assert_cmpuint (count_kind (scene, TS_LINK_DENSE), >, 0);
      ts_map_tile_box (&made->input, &view, made->facts.n_tiles / 2, &x, &y, &w, &h);
      found = ts_map_tile_at (&made->input, &view, x + w / 2, y + h / 2);
      g_assert_cmpint (found, >=, 0);
      /* From as close as it goes, tiles are boxes with names. */
      ts_map_most_zoom (&made->input, &view, &most_x, &most_y);
      view.zoom_x = most_x;
      view.zoom_y = most_y;
      ts_map_scene (&made->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
      g_assert_cmpuint (count_kind (scene, TS_LINK_DENSE), ==, 0);
      g_assert_cmpuint (count_kind (scene, TS_LINK_BUFFER), >, 0);
      made_free (made);
    }
}

/* Rings lie on the boxes; what is outside is pointed to. */
static void
test_overlay (void)
{
  const TsMapHighlight highlights[] = { { TS_MAP_DEFINED, FALSE, 3 }, { TS_MAP_READ, FALSE, 1 }, { TS_MAP_BLAMED, TRUE, 2 } };
  Made *made = make (4, 4, 2048);
  TsMapView view = window_view (800, 500);
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  guint rings = 0, pointers = 0;

  view.highlights = highlights;
  view.n_highlights = G_N_ELEMENTS (highlights);
  view.cursor = 12;
  ts_map_overlay (&made->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  g_assert_cmpuint (scene->background, ==, TS_COLOR_NONE);
  for (guint k = 0; k < G_N_ELEMENTS (highlights); k++)
    {
      double x, y, w, h;

      if (highlights[k].whole_buffer)
        ts_map_buffer_box (&made->input, &view, highlights[k].index, &x, &y, &w, &h);
      else
        ts_map_tile_box (&made->input, &view, highlights[k].index, &x, &y, &w, &h);
      for (guint i = 0; i < scene->n_prims; i++)
        rings += scene->prims[i].kind == TS_PRIM_RECT && fabs (scene->prims[i].x - x) < 5 && fabs (scene->prims[i].y - y) < 5
                 && fabs (scene->prims[i].w - w) < 10 && fabs (scene->prims[i].h - h) < 10;
    }
  g_assert_cmpuint (rings, ==, 3);
  view.zoom_x = view.zoom_y = 8;
  view.left = view.top = 0.85;
  ts_map_overlay (&made->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  for (guint i = 0; i < scene->n_prims; i++)
    pointers += scene->prims[i].kind == TS_PRIM_POLYGON;
  g_assert_cmpuint (pointers, >=, 2);
  made_free (made);
}

/* Where stages meet, words stand beside the tile, cover none, and name the pass; the tooltip tells the step. */
static void
test_collapse (void)
{
  static const char *const notes[] = { "since MemoryReuse" }, *const rules[] = { "step 10: a goes into b" };
  static const TsMapRemark remarks[] = { { "Vec", "PH-MR-001", "one of two fits", TS_SEVERITY_NOTE },
                                         { "mem_vec", "odd", "a word about a buffer", TS_SEVERITY_WARNING } };
  Made *made = make (4, 2, 2048);
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsLink link = TS_LINK_INIT;
  g_autofree char *words = NULL, *heir = NULL, *space = NULL;

  made->facts.collapses[0] = (TsMemoryCollapse) { .stage_a = 0, .stage_b = 1, .tile_a = 0, .tile_b = 4, .bytes = 256 };
  made->facts.n_collapses = 1;
  made->facts.tiles[0].collapsed = made->facts.tiles[4].collapsed = TRUE;
  made->input.notes = notes;
  made->input.rules = rules;
  made->input.remarks = remarks;
  made->input.n_remarks = G_N_ELEMENTS (remarks);
  for (double width = 700; width < 1500; width += 150)
    {
      TsMapView view = window_view (width, 500);
      guint covered = 0;

      ts_map_scene (&made->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
      g_assert_true (says (scene, "stages 0 and 1 share mem_vec, since MemoryReuse"));
      g_assert_true (says (scene, "PH-MR-001"));
      g_assert_true (says (scene, "capacity"));
      for (guint i = 0; i < scene->n_prims; i++)
        for (guint32 t = 0; t < made->facts.n_tiles && scene->prims[i].kind == TS_PRIM_TEXT
                            && strstr (scene->prims[i].text, "since") != NULL; t++)
          {
            double x, y, w, h, px, py, pw, ph;

            ts_map_tile_box (&made->input, &view, t, &x, &y, &w, &h);
            ts_prim_box (&scene->prims[i], &px, &py, &pw, &ph);
            covered += px < x + w && x < px + pw && py < y + h && y < py + ph;
          }
      g_assert_cmpuint (covered, ==, 0);
    }
  link.kind = TS_LINK_BUFFER;
  link.count = 4;
  words = ts_map_describe (&made->input, &link);
  g_assert_nonnull (strstr (words, "reuses the bytes of"));
  g_assert_nonnull (strstr (words, "at 0–256"));
  g_assert_nonnull (strstr (words, "stages 0 and 1 of group 0 share"));
  g_assert_nonnull (strstr (words, "since MemoryReuse"));
  g_assert_nonnull (strstr (words, "step 10"));
  g_assert_nonnull (strstr (words, "a word about a buffer"));
  link.count = 0;
  heir = ts_map_describe (&made->input, &link);
  g_assert_nonnull (strstr (heir, "its bytes are given to tile"));
  link.kind = TS_LINK_SPACE;
  link.lane = 0;
  space = ts_map_describe (&made->input, &link);
  g_assert_nonnull (strstr (space, "one of two fits"));
  made_free (made);
}

/* The colour of what is painted last under a point, before the given primitive. */
static TsColor
ground_at (const TsScene *scene, guint before, double x, double y, const TsTheme *theme)
{
  TsColor ground = theme->background;

  for (guint i = 0; i < before; i++)
    {
      double left, top, w, h;

      if (scene->prims[i].kind != TS_PRIM_RECT || scene->prims[i].paint.fill == TS_COLOR_NONE)
        continue;
      ts_prim_box (&scene->prims[i], &left, &top, &w, &h);
      if (x >= left && x <= left + w && y >= top && y <= top + h)
        ground = scene->prims[i].paint.fill;
    }
  return ground;
}

/* Views whose source has ended, narrow and low tiles, several groups, names in other scripts, every theme and many widths: all
 * words can be read on what is under them, and every name is there, if need be beside its tile. */
static void
test_legible (void)
{
  static const TsStage nested[] = { { 0, 1 }, { 1, 0 } };
  static const TsMemoryStage groups[] = { { .group = 0 }, { .group = 1 } };
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);

  for (guint t = 0; t < TS_N_THEMES; t++)
    for (double width = 300; width < 1500; width += 200)
      for (guint n = 4; n <= 16; n += 12)
        {
          const TsTheme *theme = ts_theme ((TsThemeId) t);
          Made *made = make (n, 1, 256 * (gint64) n);
          TsMapView view = window_view (width, 500);

          for (guint i = 0; i < n; i++)
            made->values[i].hint = i % 4 == 0 ? "accumulator_of_the_block" : i % 4 == 1 ? "累加器缓冲区" : i % 4 == 2 ? "a_l1_1" : "t";
          made->facts.stages = (TsMemoryStage *) groups;
          made->facts.n_stages = G_N_ELEMENTS (groups);
          made->facts.tiles[2].role = TS_MEMORY_VIEW;
          made->facts.tiles[2].source = 0;
          made->facts.tiles[3].role = TS_MEMORY_INPLACE;
          made->facts.tiles[3].source = 1;
          made->facts.tiles[1].stages = nested;
          made->facts.tiles[1].n_stages = G_N_ELEMENTS (nested);
          ts_map_scene (&made->input, &view, theme, measurer, scene);
          for (guint i = 0; i < scene->n_prims; i++)
            {
              const TsPrim *prim = &scene->prims[i];
              double x, y, w, h;

              if (prim->kind != TS_PRIM_TEXT)
                continue;
              ts_prim_box (prim, &x, &y, &w, &h);
              g_test_message ("%s, %g wide, %u tiles: '%s'", theme->name, width, n, prim->text);
              g_assert_cmpfloat (ts_color_contrast (prim->paint.fill, ground_at (scene, i, x + w / 2, y + h / 2, theme)), >=, 4.4);
            }
          if (n == 4)
            for (guint i = 2; i < n; i++)
              g_assert_true (says (scene, made->values[i].hint));
          if (width > 600 && n == 4)
            g_assert_true (says (scene, "g1 s0 · g0 s1"));
          made_free (made);
        }
}

/* A capacity that the picture does not reach is said to lie beyond. */
static void
test_capacity (void)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsMapView view = window_view (800, 400);
  Made *within = make (4, 2, 1200), *beyond = make (4, 2, 1 << 20), *over = make (4, 2, 512);

  ts_map_scene (&within->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  g_assert_false (says (scene, "further right"));
  ts_map_scene (&beyond->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  g_assert_true (says (scene, "capacity lies further right"));
  ts_map_scene (&over->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
  g_assert_true (says (scene, "too much"));
  made_free (within);
  made_free (beyond);
  made_free (over);
}

/* Keys reach every tile, and come back. */
static void
test_neighbours (void)
{
  Made *made = make (3, 3, 1024);
  gint64 right = ts_map_neighbour (&made->input, 0, 1, 0), down = ts_map_neighbour (&made->input, 0, 0, 1);

  g_assert_cmpint (right, ==, 1);
  g_assert_cmpint (ts_map_neighbour (&made->input, (guint32) right, -1, 0), ==, 0);
  g_assert_cmpint (down, >, 0);
  g_assert_cmpint (ts_map_neighbour (&made->input, 0, -1, 0), ==, -1);
  g_assert_cmpint (ts_map_neighbour (&made->input, 0, 0, -1), ==, -1);
  made_free (made);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/map/rows", test_rows);
  g_test_add_func ("/render/map/zoom", test_zoom);
  g_test_add_func ("/render/map/crowd", test_crowd);
  g_test_add_func ("/render/map/overlay", test_overlay);
  g_test_add_func ("/render/map/collapse", test_collapse);
  g_test_add_func ("/render/map/legible", test_legible);
  g_test_add_func ("/render/map/capacity", test_capacity);
  g_test_add_func ("/render/map/neighbours", test_neighbours);
  return g_test_run ();
}
