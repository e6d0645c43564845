/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The display list: growing arrays, one arena for texts and points, and hit tests over them. */
#include "draw/scene.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"


typedef struct
{
  TsArena *arena;
  guint    prims_capacity;
  guint    marks_capacity;
  guint32  current; /* mark that new primitives belong to */
} ScenePrivate;

/* Prefix of element ids, and which number of the link follows it. */
static const struct
{
  const char *prefix;
  enum { BY_NOTHING, BY_EVENT, BY_OP, BY_COUNT, BY_LANE, BY_OP_COUNT, BY_OPS, BY_LANE_FROM } number;
} LINK_IDS[TS_N_LINKS] = {
  [TS_LINK_NONE] = { "none", BY_NOTHING },     [TS_LINK_EVENT] = { "e", BY_EVENT },
  [TS_LINK_GAP] = { "w", BY_EVENT },           [TS_LINK_DENSE] = { "dense", BY_LANE_FROM },
  [TS_LINK_LANE] = { "lane", BY_LANE },        [TS_LINK_LOOP] = { "loop", BY_OP_COUNT },
  [TS_LINK_FILL] = { "filled", BY_LANE_FROM },
  [TS_LINK_MARKER] = { "marker", BY_COUNT },   [TS_LINK_RULER] = { "ruler", BY_NOTHING },
  [TS_LINK_NODE] = { "n", BY_OP },             [TS_LINK_EDGE] = { "edge", BY_OPS },
  [TS_LINK_GROUP] = { "group", BY_OP_COUNT },  [TS_LINK_BUFFER] = { "b", BY_COUNT },
  [TS_LINK_SPACE] = { "space", BY_LANE },      [TS_LINK_PASS] = { "pass", BY_COUNT },
};

static const char *const HATCH_NAMES[TS_N_HATCHES] = {
  [TS_HATCH_NONE] = "none",
#define TS_HATCH(id, name) [TS_HATCH_##id] = name,
#include "draw/hatches.def"
#undef TS_HATCH
};

/* Diagonals run a little beyond the tile so that neighbouring tiles join without a notch. */
static const TsHatchStroke STROKES_UP[] = { { 0, 8, 8, 0, 1 }, { -1, 1, 1, -1, 1 }, { 7, 9, 9, 7, 1 } };
static const TsHatchStroke STROKES_DOWN[] = { { 0, 0, 8, 8, 1 }, { -1, 7, 1, 9, 1 }, { 7, -1, 9, 1, 1 } };
static const TsHatchStroke STROKES_CROSS[] = { { 0, 8, 8, 0, 0.8 }, { 0, 0, 8, 8, 0.8 } };
static const TsHatchStroke STROKES_HORIZONTAL[] = { { 0, 2, 8, 2, 1 }, { 0, 6, 8, 6, 1 } };
static const TsHatchStroke STROKES_VERTICAL[] = { { 2, 0, 2, 8, 1 }, { 6, 0, 6, 8, 1 } };
static const TsHatchStroke STROKES_DOTS[] = { { 2, 2, 2, 2, 1 }, { 6, 6, 6, 6, 1 } };
static const TsHatchStroke STROKES_GRID[] = { { 4, 0, 4, 8, 0.8 }, { 0, 4, 8, 4, 0.8 } };
static const TsHatchStroke STROKES_ZIGZAG[] = { { 0, 6, 4, 2, 1 }, { 4, 2, 8, 6, 1 } };
static const TsHatchStroke STROKES_SPARSE_UP[] = { { 2, 6, 6, 2, 1.2 } };
static const TsHatchStroke STROKES_SPARSE_DOWN[] = { { 2, 2, 6, 6, 1.2 } };

static const struct
{
  const TsHatchStroke *strokes;
  guint                n;
} HATCH_STROKES[TS_N_HATCHES] = {
#define TS_HATCH(id, name) [TS_HATCH_##id] = { STROKES_##id, G_N_ELEMENTS (STROKES_##id) },
#include "draw/hatches.def"
#undef TS_HATCH
};

const char *
ts_hatch_name (TsHatch hatch)
{
  return (guint) hatch < TS_N_HATCHES ? HATCH_NAMES[hatch] : HATCH_NAMES[TS_HATCH_NONE];
}

const TsHatchStroke *
ts_hatch_strokes (TsHatch hatch, guint *n)
{
  if ((guint) hatch >= TS_N_HATCHES)
    hatch = TS_HATCH_NONE;
  *n = HATCH_STROKES[hatch].n;
  return HATCH_STROKES[hatch].strokes;
}

const double *
ts_dash_pattern (TsDash dash, guint *n)
{
  static const double DASHED[] = { 5.0, 3.0 };
  static const double DOTTED[] = { 1.5, 3.0 };

  *n = dash == TS_DASH_NONE ? 0 : 2;
  return dash == TS_DASH_DASHED ? DASHED : DOTTED;
}

static void
append_dashed (GString *out, gint64 a, gint64 b)
{
  ts_append_int (out, a);
  g_string_append_c (out, '-');
  ts_append_int (out, b);
}

void
ts_link_append_id (const TsLink *link, GString *out)
{
  guint kind = link->kind < TS_N_LINKS ? link->kind : TS_LINK_NONE;

  g_string_append (out, LINK_IDS[kind].prefix);
  switch (LINK_IDS[kind].number)
    {
    case BY_EVENT:
      ts_append_int (out, link->event);
      break;
    case BY_OP:
      ts_append_int (out, link->op);
      break;
    case BY_COUNT:
      ts_append_int (out, link->count);
      break;
    case BY_LANE:
      ts_append_int (out, link->lane);
      break;
    case BY_OP_COUNT:
      append_dashed (out, link->op, link->count);
      break;
    case BY_OPS: /* edges of one pair differ by kind and by the bars they join */
      if (link->event >= 0)
        g_string_append_printf (out, "-e%d-e%d", link->event, link->other);
      else
        {
          g_string_append_c (out, '-');
          append_dashed (out, link->op, link->other);
          g_string_append_c (out, '-');
          ts_append_int (out, link->cause);
        }
      break;
    case BY_LANE_FROM:
      append_dashed (out, link->lane, link->from);
      break;
    case BY_NOTHING:
    default:
      break;
    }
}

gboolean
ts_link_equal (const TsLink *a, const TsLink *b)
{
  return a->kind == b->kind && a->cause == b->cause && a->lane == b->lane && a->op == b->op && a->event == b->event
         && a->other == b->other && a->count == b->count && a->from == b->from && a->to == b->to;
}

/* --- building ------------------------------------------------------------------------------------------------------------ */

TsScene *
ts_scene_new (double width, double height, TsColor background)
{
  TsScene *scene = g_new0 (TsScene, 1);

  scene->private_data = g_new0 (ScenePrivate, 1);
  ts_scene_reset (scene, width, height, background);
  return scene;
}

void
ts_scene_free (TsScene *scene)
{
  ScenePrivate *private;

  if (scene == NULL)
    return;
  private = scene->private_data;
  ts_arena_free (private->arena);
  g_free (private);
  g_free (scene->prims);
  g_free (scene->marks);
  g_free (scene);
}

void
ts_scene_reset (TsScene *scene, double width, double height, TsColor background)
{
  ScenePrivate *private = scene->private_data;

  ts_arena_free (private->arena);
  private->arena = ts_arena_new ();
  private->current = 0;
  if (private->marks_capacity == 0)
    {
      private->marks_capacity = 64;
      scene->marks = g_new0 (TsMark, private->marks_capacity);
    }
  scene->marks[0] = (TsMark) { .link = TS_LINK_INIT, .prefix = "" };
  scene->n_marks = 1;
  scene->n_prims = 0;
  scene->width = width;
  scene->height = height;
  scene->background = background;
  scene->name = "";
}

/* Valid UTF-8 without control characters, which have no shape and which XML forbids; line breaks stay when asked for. */
static const char *
copy_clean (TsScene *scene, const char *text, gboolean keep_breaks)
{
  ScenePrivate *private = scene->private_data;
  g_autofree char *valid = NULL;
  char *copy;

  if (text == NULL)
    text = "";
  if (!g_utf8_validate (text, -1, NULL))
    text = valid = g_utf8_make_valid (text, -1);
  copy = ts_arena_strndup (private->arena, text, strlen (text));
  for (char *p = copy; *p != '\0'; p++)
    if (((guchar) *p < 0x20 && !(keep_breaks && *p == '\n')) || *p == 0x7F)
      *p = ' ';
  return copy;
}

const char *
ts_scene_strdup (TsScene *scene, const char *text)
{
  return copy_clean (scene, text, FALSE);
}

const char *
ts_scene_printf (TsScene *scene, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return ts_scene_strdup (scene, text);
}

void
ts_scene_set_name (TsScene *scene, const char *name)
{
  scene->name = ts_scene_strdup (scene, name);
}

void
ts_scene_begin (TsScene *scene, const TsLink *link, const char *title)
{
  ScenePrivate *private = scene->private_data;

  if (scene->n_marks == private->marks_capacity)
    {
      private->marks_capacity *= 2;
      scene->marks = g_renew (TsMark, scene->marks, private->marks_capacity);
    }
  private->current = scene->n_marks++;
  scene->marks[private->current] = (TsMark) {
    .link = *link,
    .title = title != NULL ? copy_clean (scene, title, TRUE) : NULL,
    .prefix = "",
  };
}

void
ts_scene_end (TsScene *scene)
{
  ScenePrivate *private = scene->private_data;

  private->current = 0;
}

static TsPrim *
add_prim (TsScene *scene, TsPrimKind kind, double x, double y, double w, double h, TsPaint paint)
{
  ScenePrivate *private = scene->private_data;
  TsPrim *prim;

  if (scene->n_prims == private->prims_capacity)
    {
      private->prims_capacity = MAX (256u, private->prims_capacity * 2);
      scene->prims = g_renew (TsPrim, scene->prims, private->prims_capacity);
    }
  prim = &scene->prims[scene->n_prims++];
  *prim = (TsPrim) { .kind = kind, .mark = private->current, .x = x, .y = y, .w = w, .h = h, .paint = paint };
  if (paint.stroke != TS_COLOR_NONE && paint.width <= 0)
    prim->paint.width = 1;
  return prim;
}

void
ts_scene_rect (TsScene *scene, double x, double y, double w, double h, TsPaint paint)
{
  add_prim (scene, TS_PRIM_RECT, x, y, w, h, paint);
}

void
ts_scene_hatch (TsScene *scene, double x, double y, double w, double h, TsHatch hatch, TsColor color)
{
  if (hatch != TS_HATCH_NONE)
    add_prim (scene, TS_PRIM_HATCH, x, y, w, h, (TsPaint) { .stroke = color })->hatch = hatch;
}

void
ts_scene_line (TsScene *scene, double x1, double y1, double x2, double y2, TsPaint paint)
{
  add_prim (scene, TS_PRIM_LINE, x1, y1, x2 - x1, y2 - y1, paint);
}

/* Copies the points and sets the box around them. */
static void
set_points (TsScene *scene, TsPrim *prim, const TsPoint *points, guint n)
{
  ScenePrivate *private = scene->private_data;
  double left = points[0].x, right = left, top = points[0].y, bottom = top;

  for (guint i = 1; i < n; i++)
    {
      left = MIN (left, points[i].x);
      right = MAX (right, points[i].x);
      top = MIN (top, points[i].y);
      bottom = MAX (bottom, points[i].y);
    }
  prim->points = ts_arena_memdup (private->arena, points, sizeof *points * n);
  prim->n = n;
  prim->x = left;
  prim->y = top;
  prim->w = right - left;
  prim->h = bottom - top;
}

void
ts_scene_polygon (TsScene *scene, const TsPoint *points, guint n, TsPaint paint)
{
  if (n >= 2)
    set_points (scene, add_prim (scene, TS_PRIM_POLYGON, 0, 0, 0, 0, paint), points, n);
}

void
ts_scene_curve (TsScene *scene, const TsPoint *points, guint n, TsPaint paint)
{
  if (n >= 4 && n % 3 == 1)
    set_points (scene, add_prim (scene, TS_PRIM_CURVE, 0, 0, 0, 0, paint), points, n);
}

void
ts_scene_clip (TsScene *scene, double x, double y, double w, double h)
{
  add_prim (scene, TS_PRIM_CLIP, x, y, MAX (w, 0), MAX (h, 0), (TsPaint) { 0 })->mark = 0;
}

void
ts_scene_unclip (TsScene *scene)
{
  add_prim (scene, TS_PRIM_UNCLIP, 0, 0, 0, 0, (TsPaint) { 0 })->mark = 0;
}

TsColumn *
ts_scene_strip (TsScene *scene, double x, double y, double w, double h, guint n)
{
  ScenePrivate *private = scene->private_data;
  TsColumn *columns = ts_arena_array (private->arena, TsColumn, n);
  TsPrim *prim = add_prim (scene, TS_PRIM_STRIP, x, y, w, h, (TsPaint) { 0 });

  prim->n = n;
  prim->columns = columns;
  return columns;
}

static TsPoint *
moved_points (TsScene *scene, const TsPrim *prim, double dx, double dy)
{
  ScenePrivate *private = scene->private_data;
  TsPoint *points = ts_arena_memdup (private->arena, prim->points, sizeof *points * prim->n);

  for (guint i = 0; i < prim->n; i++)
    points[i] = (TsPoint) { points[i].x + dx, points[i].y + dy };
  return points;
}

void
ts_scene_append (TsScene *scene, const TsScene *other, double dx, double dy, const char *prefix)
{
  ScenePrivate *private = scene->private_data;
  guint first = scene->n_marks;
  const char *kept = ts_scene_strdup (scene, prefix);

  for (guint i = 1; i < other->n_marks; i++)
    {
      ts_scene_begin (scene, &other->marks[i].link, other->marks[i].title);
      scene->marks[scene->n_marks - 1].prefix = kept;
    }
  ts_scene_end (scene);
  for (guint i = 0; i < other->n_prims; i++)
    {
      TsPrim copy = other->prims[i];
      TsPrim *prim = add_prim (scene, (TsPrimKind) copy.kind, 0, 0, 0, 0, copy.paint);

      copy.x += dx;
      copy.y += dy;
      copy.mark = copy.mark != 0 ? first + copy.mark - 1 : 0;
      if (copy.kind == TS_PRIM_TEXT)
        copy.text = ts_scene_strdup (scene, copy.text);
      else if (copy.kind == TS_PRIM_STRIP)
        copy.columns = ts_arena_memdup (private->arena, copy.columns, sizeof (TsColumn) * copy.n);
      else if (copy.kind == TS_PRIM_POLYGON || copy.kind == TS_PRIM_CURVE)
        copy.points = moved_points (scene, &copy, dx, dy);
      *prim = copy;
    }
}

void
ts_scene_no_hit (TsScene *scene)
{
  if (scene->n_prims > 0)
    scene->prims[scene->n_prims - 1].no_hit = TRUE;
}

void
ts_scene_text (TsScene *scene, double x, double baseline, TsTextStyle style, const char *text, double width, double box)
{
  TsPrim *prim = add_prim (scene, TS_PRIM_TEXT, x, baseline, width, box, (TsPaint) { .fill = style.color });

  prim->anchor = style.anchor;
  prim->size = style.size;
  prim->weight = style.weight;
  prim->text = ts_scene_strdup (scene, text);
}

/* --- reading ------------------------------------------------------------------------------------------------------------- */

void
ts_prim_box (const TsPrim *prim, double *x, double *y, double *w, double *h)
{
  *x = prim->x;
  *y = prim->y;
  *w = prim->w;
  *h = prim->h;
  if (prim->kind == TS_PRIM_TEXT)
    {
      *x -= prim->anchor == TS_ANCHOR_MIDDLE ? prim->w / 2 : prim->anchor == TS_ANCHOR_END ? prim->w : 0;
      *y -= prim->size * 0.93;
      *h = prim->size * 1.2;
    }
  else if (prim->kind == TS_PRIM_LINE)
    {
      *x = MIN (prim->x, prim->x + prim->w);
      *y = MIN (prim->y, prim->y + prim->h);
      *w = fabs (prim->w);
      *h = fabs (prim->h);
    }
}

gboolean
ts_prim_arrow (const TsPrim *prim, TsPoint head[3])
{
  const double length = 7.0, half = 3.2;
  TsPoint tip, from;
  double dx, dy, norm;

  if (prim->kind != TS_PRIM_CURVE || !prim->paint.arrow)
    return FALSE;
  tip = prim->points[prim->n - 1];
  from = prim->points[prim->n - 2];
  dx = tip.x - from.x;
  dy = tip.y - from.y;
  norm = hypot (dx, dy);
  if (norm < 1e-6)
    {
      /* The last control point sits on the tip: take the direction of the whole piece. */
      dx = tip.x - prim->points[prim->n - 4].x;
      dy = tip.y - prim->points[prim->n - 4].y;
      norm = hypot (dx, dy);
    }
  if (norm < 1e-6)
    return FALSE;
  dx /= norm;
  dy /= norm;
  head[0] = tip;
  head[1] = (TsPoint) { tip.x - dx * length - dy * half, tip.y - dy * length + dx * half };
  head[2] = (TsPoint) { tip.x - dx * length + dy * half, tip.y - dy * length - dx * half };
  return TRUE;
}

static double
distance_to_segment (double x, double y, TsPoint a, TsPoint b)
{
  double dx = b.x - a.x, dy = b.y - a.y;
  double length = dx * dx + dy * dy;
  double t = length > 0 ? CLAMP (((x - a.x) * dx + (y - a.y) * dy) / length, 0.0, 1.0) : 0.0;

  return hypot (x - a.x - t * dx, y - a.y - t * dy);
}

static TsPoint
cubic_at (const TsPoint *p, double t)
{
  double u = 1 - t;
  double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;

  return (TsPoint) { a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x, a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y };
}

static gboolean
near_curve (const TsPrim *prim, double x, double y, double reach)
{
  const guint pieces = 16;

  for (guint i = 0; i + 3 < prim->n; i += 3)
    {
      TsPoint last = prim->points[i];

      for (guint k = 1; k <= pieces; k++)
        {
          TsPoint next = cubic_at (prim->points + i, (double) k / pieces);

          if (distance_to_segment (x, y, last, next) <= reach)
            return TRUE;
          last = next;
        }
    }
  return FALSE;
}

static gboolean
prim_contains (const TsPrim *prim, double x, double y, double slop)
{
  double bx, by, bw, bh;
  double reach = slop + prim->paint.width / 2;

  ts_prim_box (prim, &bx, &by, &bw, &bh);
  switch (prim->kind)
    {
    case TS_PRIM_LINE:
      return distance_to_segment (x, y, (TsPoint) { prim->x, prim->y }, (TsPoint) { prim->x + prim->w, prim->y + prim->h })
             <= reach;
    case TS_PRIM_CURVE:
      if (x < bx - reach || x > bx + bw + reach || y < by - reach || y > by + bh + reach)
        return FALSE;
      return near_curve (prim, x, y, reach);
    case TS_PRIM_RECT:
    case TS_PRIM_HATCH:
    case TS_PRIM_POLYGON:
    case TS_PRIM_TEXT:
    case TS_PRIM_STRIP:
      /* Narrow bars keep a target of a few pixels, taken evenly on both sides; wide ones are exact. */
      if (bw < 2 * slop)
        {
          bx -= slop - bw / 2;
          bw = 2 * slop;
        }
      return x >= bx && x < bx + bw && y >= by && y < by + bh;
    default:
      return FALSE;
    }
}

/* Is the point outside a clip that covers primitive `index`? Walks back over balanced pairs. */
static gboolean
clipped_away (const TsScene *scene, guint index, double x, double y)
{
  guint closed = 0;

  for (guint i = index; i-- > 0;)
    {
      const TsPrim *prim = &scene->prims[i];

      if (prim->kind == TS_PRIM_UNCLIP)
        closed++;
      else if (prim->kind == TS_PRIM_CLIP && closed > 0)
        closed--;
      else if (prim->kind == TS_PRIM_CLIP
               && (x < prim->x || x >= prim->x + prim->w || y < prim->y || y >= prim->y + prim->h))
        return TRUE;
    }
  return FALSE;
}

const TsMark *
ts_scene_hit (const TsScene *scene, double x, double y, double slop)
{
  const TsMark *near = NULL;

  /* An exact hit wins over one that only the slop reaches, whatever was drawn last. */
  for (guint i = scene->n_prims; i-- > 0;)
    {
      const TsPrim *prim = &scene->prims[i];

      if (prim->mark == 0 || prim->no_hit || !prim_contains (prim, x, y, slop) || clipped_away (scene, i, x, y))
        continue;
      if (prim->kind == TS_PRIM_LINE || prim->kind == TS_PRIM_CURVE || slop <= 0 || prim_contains (prim, x, y, 0))
        return &scene->marks[prim->mark];
      if (near == NULL)
        near = &scene->marks[prim->mark];
    }
  return near;
}

const TsMark *
ts_scene_find (const TsScene *scene, TsLinkKind kind, gint32 op, gint32 event)
{
  for (guint i = 1; i < scene->n_marks; i++)
    {
      const TsLink *link = &scene->marks[i].link;

      if (link->kind == kind && (op < 0 || link->op == op) && (event < 0 || link->event == event))
        return &scene->marks[i];
    }
  return NULL;
}

gboolean
ts_scene_mark_box (const TsScene *scene, const TsMark *mark, double *x, double *y, double *w, double *h)
{
  guint32 index = (guint32) (mark - scene->marks);
  gboolean found = FALSE;
  double right = 0, bottom = 0;

  for (guint i = 0; i < scene->n_prims; i++)
    {
      double bx, by, bw, bh;

      if (scene->prims[i].mark != index)
        continue;
      ts_prim_box (&scene->prims[i], &bx, &by, &bw, &bh);
      *x = found ? MIN (*x, bx) : bx;
      *y = found ? MIN (*y, by) : by;
      right = found ? MAX (right, bx + bw) : bx + bw;
      bottom = found ? MAX (bottom, by + bh) : by + bh;
      found = TRUE;
    }
  if (found)
    {
      *w = right - *x;
      *h = bottom - *y;
    }
  return found;
}
