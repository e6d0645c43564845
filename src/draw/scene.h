/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scene: the display list of one view at one size. Layouts write it; back ends and hit tests read it. Source: design.md 6. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* 0xRRGGBBAA, not premultiplied; alpha 0 means "not painted". */
typedef guint32 TsColor;
#define TS_COLOR_NONE ((TsColor) 0)
#define TS_RGB(rgb) ((TsColor) (((guint32) (rgb) << 8) | 0xFFu))
static inline double ts_color_red (TsColor c) { return (double) (c >> 24) / 255.0; }
static inline double ts_color_green (TsColor c) { return (double) ((c >> 16) & 0xFF) / 255.0; }
static inline double ts_color_blue (TsColor c) { return (double) ((c >> 8) & 0xFF) / 255.0; }
static inline double ts_color_alpha (TsColor c) { return (double) (c & 0xFF) / 255.0; }

/* Line patterns over an area: one per wait cause, and those that tell repeated stage colours apart. */
typedef enum
{
  TS_HATCH_NONE,
#define TS_HATCH(id, name) TS_HATCH_##id,
#include "draw/hatches.def"
#undef TS_HATCH
  TS_N_HATCHES,
} TsHatch;

const char *ts_hatch_name (TsHatch hatch); /* "up": stable, used in ids of SVG patterns */
/* Edge of the square tile the pattern repeats with, in pixels; tiles are anchored at the scene's origin. */
#define TS_HATCH_TILE 8.0
/* One stroke of a pattern's tile: a line, or a dot when both ends are equal (then of radius `width`). */
typedef struct { double x1, y1, x2, y2, width; } TsHatchStroke;
const TsHatchStroke *ts_hatch_strokes (TsHatch hatch, guint *n);

/* What a mark stands for. Prefixes of element ids are in scene.c (table of kinds). */
typedef enum
{
  TS_LINK_NONE,
  TS_LINK_EVENT,  /* a bar: event, op, lane, from, to */
  TS_LINK_GAP,    /* idle time directly before `event`: cause, other = event it waited for (-1 none), from, to, lane */
  TS_LINK_DENSE,  /* merged bars: count, first event, lane, from, to */
  TS_LINK_LANE,   /* lane */
  TS_LINK_LOOP,   /* op = the loop, count = part (0 prologue, 1 steady, 2 epilogue), from, to */
  TS_LINK_FILL,   /* iterations filled in by period: op = the loop, lane, count = first of them in the timeline, from, to */
  TS_LINK_MARKER, /* count = index in the view's markers, from */
  TS_LINK_RULER,
  TS_LINK_NODE,   /* op */
  TS_LINK_EDGE,   /* op to other (operation ids; events in a timeline: `event` to `other`), cause = its kind */
  TS_LINK_GROUP,  /* op that owns the group, or -1; count = group number */
  TS_LINK_BUFFER, /* count = buffer index in the memory facts; op = the definition; from, to = bytes */
  TS_LINK_SPACE,  /* lane = memory space; from, to = bytes */
  TS_LINK_PASS,   /* count = snapshot index */
  TS_N_LINKS,
} TsLinkKind;

typedef struct
{
  guint8 kind;  /* TsLinkKind */
  guint8 cause; /* of a gap: the simulator's wait cause; of an edge: TsEdgeKind */
  gint16 lane;  /* row group the thing is in, or -1 */
  gint32 op;    /* operation id within the snapshot's module, or -1 */
  gint32 event; /* event id, or -1 */
  gint32 other; /* the other end, or -1 */
  gint32 count;
  gint64 from, to; /* cycles [from, to), or bytes */
} TsLink;

#define TS_LINK_INIT { .lane = -1, .op = -1, .event = -1, .other = -1 }

/* Something with an identity: primitives of a mark are one thing for pointer, tooltip and screen reader. */
typedef struct
{
  TsLink      link;
  const char *title;  /* tooltip and alt text; NULL: ask the view's describe function */
  const char *prefix; /* of the element id; "" but in scenes put together from several */
} TsMark;

/* Appends the stable element id ("e12", "w12", "n34", "l2"). It depends on the link only, never on order of drawing. */
void ts_link_append_id (const TsLink *link, GString *out);
gboolean ts_link_equal (const TsLink *a, const TsLink *b);

typedef enum
{
  TS_PRIM_RECT,    /* box; paint.radius rounds corners */
  TS_PRIM_HATCH,   /* box filled with a pattern in paint.stroke */
  TS_PRIM_LINE,    /* (x, y) to (x + w, y + h) */
  TS_PRIM_POLYGON, /* n points, closed */
  TS_PRIM_CURVE,   /* 1 + 3k points: cubic pieces; may carry an arrow head at its end */
  TS_PRIM_TEXT,    /* baseline at y; x is the anchor; w is the measured width, h the width of the box it must fit (0: free) */
  TS_PRIM_STRIP,   /* box of n columns of equal width: density of merged bars */
  TS_PRIM_CLIP,    /* until the matching UNCLIP nothing outside the box is painted or hit */
  TS_PRIM_UNCLIP,
} TsPrimKind;

typedef enum { TS_DASH_NONE, TS_DASH_DASHED, TS_DASH_DOTTED } TsDash;
typedef enum { TS_ANCHOR_START, TS_ANCHOR_MIDDLE, TS_ANCHOR_END } TsAnchor;
typedef enum { TS_WEIGHT_NORMAL = 400, TS_WEIGHT_MEDIUM = 600, TS_WEIGHT_BOLD = 700 } TsWeight;

/* How a shape is painted; a field left 0 means "not". */
typedef struct
{
  TsColor fill;
  TsColor stroke;
  float   width;  /* of the stroke, pixels; 0 with a stroke: 1 */
  float   radius; /* of a rectangle's corners */
  guint8  dash;   /* TsDash */
  guint8  arrow;  /* CURVE: head at the end */
} TsPaint;

typedef struct { double x, y; } TsPoint;

/* One column of a strip: painted from the bottom, `share` of 255 high. */
typedef struct { TsColor color; guint8 share; } TsColumn;

typedef struct
{
  guint8  kind;   /* TsPrimKind */
  guint8  hatch;  /* TsHatch */
  guint8  anchor; /* TsAnchor */
  guint8  no_hit; /* decoration: the pointer looks through it */
  guint16 weight; /* TsWeight */
  float   size;   /* of text, pixels */
  guint32 mark;   /* index into marks; 0: none */
  guint32 n;      /* points or columns */
  double  x, y, w, h;
  TsPaint paint;  /* text is painted in `fill` */
  union
  {
    const char     *text; /* clean UTF-8: no control characters */
    const TsPoint  *points;
    const TsColumn *columns;
  };
} TsPrim;

/* Owns everything in it. Read the arrays directly; write through the functions. Not thread-safe. */
typedef struct
{
  double      width, height;
  TsColor     background;
  const char *name;        /* alt text of the whole picture */
  TsPrim     *prims;
  guint       n_prims;
  TsMark     *marks;       /* [0] is "no mark" */
  guint       n_marks;
  gpointer    private_data;
} TsScene;

TsScene *ts_scene_new (double width, double height, TsColor background);
void     ts_scene_free (TsScene *scene);
/* Empties it for the next frame, keeping memory. */
void     ts_scene_reset (TsScene *scene, double width, double height, TsColor background);
void     ts_scene_set_name (TsScene *scene, const char *name);

/* Primitives added until ts_scene_end() belong to this mark. `title` is copied and cleaned; may be NULL. Marks do not nest. */
void     ts_scene_begin (TsScene *scene, const TsLink *link, const char *title);
void     ts_scene_end (TsScene *scene);

void     ts_scene_rect (TsScene *scene, double x, double y, double w, double h, TsPaint paint);
void     ts_scene_hatch (TsScene *scene, double x, double y, double w, double h, TsHatch hatch, TsColor color);
void     ts_scene_line (TsScene *scene, double x1, double y1, double x2, double y2, TsPaint paint);
void     ts_scene_polygon (TsScene *scene, const TsPoint *points, guint n, TsPaint paint);
/* `n` = 1 + 3k. */
void     ts_scene_curve (TsScene *scene, const TsPoint *points, guint n, TsPaint paint);
void     ts_scene_clip (TsScene *scene, double x, double y, double w, double h);
void     ts_scene_unclip (TsScene *scene);
/* The returned columns are zeroed and to be filled by the caller. */
TsColumn *ts_scene_strip (TsScene *scene, double x, double y, double w, double h, guint n);
/* Copies another scene's primitives and marks to the end, moved by (dx, dy); ids of its elements get the prefix. */
void     ts_scene_append (TsScene *scene, const TsScene *other, double dx, double dy, const char *prefix);
/* Makes the last primitive invisible to the pointer. */
void     ts_scene_no_hit (TsScene *scene);

/* Text style. */
typedef struct
{
  float    size;
  TsWeight weight;
  TsColor  color;
  TsAnchor anchor;
} TsTextStyle;

/* `text` is copied and cleaned (control characters and broken UTF-8 replaced). `width` is its measured width, `box` the room it was
 * fitted into (0: no limit); text.h has the functions that measure, shorten and place. */
void     ts_scene_text (TsScene *scene, double x, double baseline, TsTextStyle style, const char *text, double width, double box);

/* Copies a text into the scene's memory, cleaned. */
const char *ts_scene_strdup (TsScene *scene, const char *text);
const char *ts_scene_printf (TsScene *scene, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Topmost mark at a point, within `slop` pixels of thin things; NULL when there is none. O(primitives). */
const TsMark *ts_scene_hit (const TsScene *scene, double x, double y, double slop);
/* The mark whose link has this kind and operation or event (whichever is not -1), first drawn first; NULL when absent. O(marks). */
const TsMark *ts_scene_find (const TsScene *scene, TsLinkKind kind, gint32 op, gint32 event);
/* Union of the boxes of a mark's primitives; FALSE when it has none. O(primitives). */
gboolean ts_scene_mark_box (const TsScene *scene, const TsMark *mark, double *x, double *y, double *w, double *h);
/* Box of one primitive (text by its measured width and size). */
void     ts_prim_box (const TsPrim *prim, double *x, double *y, double *w, double *h);
/* Corners of the arrow head at the end of a CURVE; returns FALSE when it has none. */
gboolean ts_prim_arrow (const TsPrim *prim, TsPoint head[3]);
/* Pattern of a dash, in pixels; n = 0 for a solid line. */
const double *ts_dash_pattern (TsDash dash, guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsScene, ts_scene_free)

G_END_DECLS
