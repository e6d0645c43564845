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
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  double x, y, w, h, ax, ay, aw, ah;

  ts_map_area (&made->input, &view, measurer, &ax, &ay, &aw, &ah);
  ts_map_tile_box (&made->input, &view, measurer, 0, &x, &y, &w, &h);
  g_assert_cmpfloat (y - ay, <, h);
  g_assert_cmpint (ts_map_position_at (&made->input, &view, measurer, ay + 0.5), ==, 10);
  g_assert_cmpint (ts_map_position_at (&made->input, &view, measurer, ay - 0.5), ==, -1);
  g_assert_cmpint (ts_map_position_at (&made->input, &view, measurer, ay + ah + 0.5), ==, -1);
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
      ts_map_area (&made->input, &view, measurer, &ax, &ay, &aw, &ah);
      for (guint32 i = 0; i < made->facts.n_tiles; i++)
        {
          const TsMark *mark = ts_scene_find (scene, TS_LINK_BUFFER, (gint32) i, -1);
          double x, y, w, h, mx, my;

          ts_map_tile_box (&made->input, &view, measurer, i, &x, &y, &w, &h);
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
          g_assert_cmpint (ts_map_tile_at (&made->input, &view, measurer, mx, my), ==, i);
        }
      g_assert_cmpuint (seen, ==, count_kind (scene, TS_LINK_BUFFER));
      g_assert_cmpint (ts_map_tile_at (&made->input, &view, measurer, ax - 3, ay + ah / 2), ==, -1);
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
      ts_map_tile_box (&made->input, &view, measurer, made->facts.n_tiles / 2, &x, &y, &w, &h);
      found = ts_map_tile_at (&made->input, &view, measurer, x + w / 2, y + h / 2);
      g_assert_cmpint (found, >=, 0);
      /* From as close as it goes, tiles are boxes with names. */
      ts_map_most_zoom (&made->input, &view, measurer, &most_x, &most_y);
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
        ts_map_buffer_box (&made->input, &view, measurer, highlights[k].index, &x, &y, &w, &h);
      else
        ts_map_tile_box (&made->input, &view, measurer, highlights[k].index, &x, &y, &w, &h);
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

            ts_map_tile_box (&made->input, &view, measurer, t, &x, &y, &w, &h);
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

/* Everything that a legend can speak of. */
static Made *
make_all (gboolean placed)
{
  static const TsMemoryStage groups[] = { { .group = 0 }, { .group = 1 } };
  Made *made = make (12, 2, 4096);

  made->facts.stages = (TsMemoryStage *) groups;
  made->facts.n_stages = G_N_ELEMENTS (groups);
  for (guint i = 0; i < made->facts.n_tiles; i++)
    made->stages[i].stage = (gint32) (i % 10);
  made->facts.tiles[1].role = TS_MEMORY_VIEW;
  made->facts.tiles[2].role = TS_MEMORY_INPLACE;
  made->facts.tiles[1].source = made->facts.tiles[2].source = 0;
  made->facts.tiles[3].n_stages = 0;
  made->facts.spaces[0].reserved = 512;
  made->facts.spaces[0].high_water += 512;
  made->facts.placed = placed;
  for (guint b = 0; b < made->facts.n_buffers; b++)
    made->facts.buffers[b].address = placed ? 512 + 256 * (gint64) b : TS_MEMORY_UNPLACED;
  made->facts.collapses[0] = (TsMemoryCollapse) { .stage_a = 0, .stage_b = 2, .tile_a = 0, .tile_b = 12, .bytes = 256 };
  made->facts.n_collapses = 1;
  made->facts.tiles[0].collapsed = made->facts.tiles[12].collapsed = TRUE;
  made->input.subtitle = "made · after AllocateMemoryAddr · ascend910b";
  return made;
}

/* The text of these words below the map; all of it, and in the picture. */
static const TsPrim *
find_in_legend (const TsScene *scene, const char *words, double below)
{
  for (guint i = 0; i < scene->n_prims; i++)
    {
      const TsPrim *prim = &scene->prims[i];

      if (prim->kind != TS_PRIM_TEXT || prim->y < below || strcmp (prim->text, words) != 0)
        continue;
      g_assert_cmpfloat (prim->x + prim->w, <=, scene->width);
      g_assert_cmpfloat (prim->y, <, scene->height);
      return prim;
    }
  return NULL;
}

/* A narrow legend has more lines, but no fewer entries, and none stands on another. */
static void
test_legend (void)
{
  static const char *const entries[] = { "stage 0", "stage 7", "stage 8", "stage 9", "no stage", "stages share bytes",
                                         "g, s: group, stage", "view", "in place", "reuses bytes", "reserved", "capacity" };
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  Made *made = make_all (TRUE);

  for (double width = 200; width < 1900; width += 60)
    for (guint given = 0; given < 2; given++)
      {
        const TsPrim *found[G_N_ELEMENTS (entries)];
        TsMapView view = window_view (width, given ? 600 : 0);
        double x, y, w, h;

        view.header = !given;
        ts_map_scene (&made->input, &view, ts_theme (TS_THEME_LIGHT), measurer, scene);
        ts_map_area (&made->input, &view, measurer, &x, &y, &w, &h);
        g_assert_true (!given || scene->height == 600);
        for (guint e = 0; e < G_N_ELEMENTS (entries); e++)
          {
            g_test_message ("%g wide: %s", width, entries[e]);
            found[e] = find_in_legend (scene, entries[e], y + h);
            g_assert_nonnull (found[e]);
            for (guint k = 0; k < e; k++)
              g_assert_true (found[e]->y > found[k]->y + 12 || found[e]->x > found[k]->x + found[k]->w);
          }
        g_assert_true (given || width < 300 || says (scene, made->input.subtitle));
      }
  made_free (made);
}

/* Nobody stands on reserved bytes, with addresses or before. */
static void
test_reserved (void)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();

  for (guint placed = 0; placed < 2; placed++)
    {
      Made *made = make_all (placed == 1);
      TsMapView view = window_view (1000, 600);
      double ax, ay, aw, ah, x, y, w, h;

      ts_map_area (&made->input, &view, measurer, &ax, &ay, &aw, &ah);
      ts_map_tile_box (&made->input, &view, measurer, 0, &x, &y, &w, &h);
      g_assert_cmpfloat (fabs (x - ax - aw * 512 / 4096), <, 0.01);
      made_free (made);
    }
}

/* --- callouts ---------------------------------------------------------------------------------------------------------------- */

/* Two buffers with four stages each, every pair of which shares. */
static Made *
make_sharing (void)
{
  static const gint32 pairs[][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
  Made *made = make (8, 4, 2560);
  guint n = 0;

  g_free (made->facts.collapses);
  made->facts.collapses = g_new0 (TsMemoryCollapse, 2 * G_N_ELEMENTS (pairs));
  for (guint p = 0; p < G_N_ELEMENTS (pairs); p++)
    for (guint b = 2; b < 4; b++)
      {
        TsMemoryCollapse *c = &made->facts.collapses[n++];

        *c = (TsMemoryCollapse) { .stage_a = pairs[p][0], .stage_b = pairs[p][1], .buffer_a = b, .buffer_b = b,
                                  .tile_a = (guint32) pairs[p][0] * 8 + b, .tile_b = (guint32) pairs[p][1] * 8 + b, .bytes = 256 };
        made->facts.tiles[c->tile_a].collapsed = made->facts.tiles[c->tile_b].collapsed = TRUE;
      }
  made->facts.buffers[2].name = "mem_vec_2";
  made->facts.buffers[3].name = "mem_vec_3";
  made->facts.n_collapses = n;
  return made;
}

typedef struct { double x, y, w, h; } Box;

static gboolean
overlap (Box a, Box b)
{
  return a.x < b.x + b.w - 0.01 && b.x < a.x + a.w - 0.01 && a.y < b.y + b.h - 0.01 && b.y < a.y + a.h - 0.01;
}

/* Covers a callout anything: a tile, other words, another callout? Returns how many callouts there are. */
static guint
check_callouts (const Made *made, const TsMapView *view, TsMeasurer *measurer, const TsScene *scene, const TsTheme *theme)
{
  Box callouts[64];
  guint n = 0;

  for (guint i = 0; i < scene->n_prims && n < G_N_ELEMENTS (callouts); i++)
    {
      const TsPrim *prim = &scene->prims[i];

      if (prim->kind != TS_PRIM_RECT || prim->paint.fill != theme->background || prim->paint.stroke != theme->alert)
        continue;
      callouts[n] = (Box) { prim->x, prim->y, prim->w, prim->h };
      for (guint k = 0; k < n; k++)
        g_assert_false (overlap (callouts[k], callouts[n]));
      n++;
    }
  for (guint k = 0; k < n; k++)
    {
      for (guint32 t = 0; t < made->facts.n_tiles; t++)
        {
          Box box;

          ts_map_tile_box (&made->input, view, measurer, t, &box.x, &box.y, &box.w, &box.h);
          g_assert_false (overlap (callouts[k], box));
        }
      for (guint i = 0; i < scene->n_prims; i++)
        {
          Box box;
          gboolean inside;

          if (scene->prims[i].kind != TS_PRIM_TEXT)
            continue;
          ts_prim_box (&scene->prims[i], &box.x, &box.y, &box.w, &box.h);
          inside = box.x >= callouts[k].x && box.x + box.w <= callouts[k].x + callouts[k].w && box.y > callouts[k].y - 4
                   && box.y + box.h < callouts[k].y + callouts[k].h + 4;
          g_test_message ("%g wide: '%s'", view->width, scene->prims[i].text);
          g_assert_true (inside || !overlap (callouts[k], box));
        }
    }
  return n;
}

/* Of all stages in one buffer one sentence; it covers nothing, in any width, and answers as the tile does. */
static void
test_callouts (void)
{
  static const char *const notes[] = { "since MemoryReuse", "since MemoryReuse", "since MemoryReuse", "since MemoryReuse",
                                       "since MemoryReuse", "since MemoryReuse", "since MemoryReuse", "since MemoryReuse",
                                       "since MemoryReuse", "since MemoryReuse", "since MemoryReuse", "since MemoryReuse" };
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);

  for (guint t = 0; t < TS_N_THEMES; t++)
    for (double width = 200; width < 1900; width += 100)
      for (double height = 0; height < 800; height += 350)
        {
          const TsTheme *theme = ts_theme ((TsThemeId) t);
          Made *made = make_sharing ();
          TsMapView view = window_view (width, height);
          guint n;

          made->input.notes = notes;
          ts_map_scene (&made->input, &view, theme, measurer, scene);
          n = check_callouts (made, &view, measurer, scene, theme);
          g_assert_cmpuint (n, <=, 1);
          if (width >= 500 && height != 350)
            g_assert_cmpuint (n, ==, 1);
          if (width >= 1000 && height != 350)
            g_assert_true (says (scene, "stages 0, 1, 2 and 3 share mem_vec_2, mem_vec_3, since MemoryReuse"));
          made_free (made);
        }
}

/* Where nothing beside the tiles is free, the words stand farther away, and a line leads to them that crosses no tile. */
static void
test_leader (void)
{
  g_autoptr (TsMeasurer) measurer = ts_measurer_new_fixed ();
  g_autoptr (TsScene) scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  const TsTheme *theme = ts_theme (TS_THEME_LIGHT);
  Made *made = make (24, 1, 256 * 30);
  TsMapView view = window_view (900, 600);
  guint leaders = 0;

  /* A short tile in a wall of long ones; only below all of them is room for words. */
  for (guint i = 0; i < 24; i++)
    {
      made->facts.tiles[i].def = made->facts.buffers[i].def = 10;
      made->facts.tiles[i].last = made->facts.buffers[i].last = i == 12 ? 14 : i == 23 ? 58 : 34;
    }
  made->facts.n_positions = 60;
  made->facts.collapses[0] = (TsMemoryCollapse) { .stage_a = 0, .stage_b = 1, .buffer_a = 12, .buffer_b = 12, .tile_b = 12,
                                                  .bytes = 256 };
  made->facts.n_collapses = 1;
  ts_map_scene (&made->input, &view, theme, measurer, scene);
  g_assert_cmpuint (check_callouts (made, &view, measurer, scene, theme), ==, 1);
  for (guint i = 0; i < scene->n_prims; i++)
    {
      const TsPrim *prim = &scene->prims[i];

      if (prim->kind != TS_PRIM_LINE || prim->paint.stroke != theme->alert || prim->paint.dash != TS_DASH_NONE)
        continue;
      leaders++;
      for (guint32 t = 0; t < made->facts.n_tiles; t++)
        {
          Box box, middle = { prim->x + prim->w / 2, prim->y + prim->h / 2, 0.1, 0.1 };

          ts_map_tile_box (&made->input, &view, measurer, t, &box.x, &box.y, &box.w, &box.h);
          g_assert_false (overlap (box, middle));
        }
    }
  g_assert_cmpuint (leaders, ==, 1);
  made_free (made);
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
  g_test_add_func ("/render/map/legend", test_legend);
  g_test_add_func ("/render/map/reserved", test_reserved);
  g_test_add_func ("/render/map/callouts", test_callouts);
  g_test_add_func ("/render/map/leader", test_leader);
  g_test_add_func ("/render/map/neighbours", test_neighbours);
  return g_test_run ();
}
