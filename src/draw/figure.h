/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a figure was made from: ordered keys and values, written into the file and read back to reopen the same view.
 * Source: cli.md, export. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct TsFigureInfo TsFigureInfo;

#define TS_FIGURE_ERROR ts_figure_error_quark ()
typedef enum
{
  TS_FIGURE_ERROR_NOT_A_FIGURE, /* no metadata of ours in it */
  TS_FIGURE_ERROR_BROKEN,       /* not well formed, or over a limit */
  TS_FIGURE_ERROR_VERSION,      /* written by a newer version */
} TsFigureError;
GQuark ts_figure_error_quark (void);

/* Keys everybody agrees on. Others may be added by views. A list (bindings, overrides) is one item per entry, same key. */
#define TS_FIGURE_INPUT "input"        /* path or sample:NAME as given */
#define TS_FIGURE_SHA256 "sha256"      /* of the input's bytes */
#define TS_FIGURE_SOURCE "source"      /* the input's text, when small enough to carry along */
#define TS_FIGURE_FUNCTION "function"
#define TS_FIGURE_MACHINE "machine"
#define TS_FIGURE_OVERRIDE "set"       /* KEY=VALUE, repeated */
#define TS_FIGURE_BINDING "define"     /* NAME=VALUE, repeated */
#define TS_FIGURE_ARG "arg"            /* repeated */
#define TS_FIGURE_PLANNER "planner"
#define TS_FIGURE_PASSES "passes"
#define TS_FIGURE_PASS "pass"          /* name of the snapshot's pass */
#define TS_FIGURE_SNAPSHOT "snapshot"  /* index */
#define TS_FIGURE_VIEW "view"
#define TS_FIGURE_RANGE "range"        /* A..B in cycles */
#define TS_FIGURE_THEME "theme"
#define TS_FIGURE_COLOR_BY "color-by"
#define TS_FIGURE_WIDTH "width"
#define TS_FIGURE_HEIGHT "height"
#define TS_FIGURE_TITLE "title"
#define TS_FIGURE_CAPTION "caption"
#define TS_FIGURE_HIGHLIGHT "highlight"
#define TS_FIGURE_MARKER "marker"      /* CYCLE NAME, repeated */
#define TS_FIGURE_PROGRAM "program"    /* "Tilescope 0.1.0" */

TsFigureInfo   *ts_figure_new (void);
void        ts_figure_free (TsFigureInfo *figure);
/* Appends; NULL value: nothing is added. Keys are lower-case words with dashes. */
void        ts_figure_add (TsFigureInfo *figure, const char *key, const char *value);
void        ts_figure_add_int (TsFigureInfo *figure, const char *key, gint64 value);
/* First value of a key, or NULL. */
const char *ts_figure_get (const TsFigureInfo *figure, const char *key);
guint       ts_figure_length (const TsFigureInfo *figure);
/* Entry `i`; both strings live as long as the figure. */
void        ts_figure_item (const TsFigureInfo *figure, guint i, const char **key, const char **value);
/* All values of a key, NULL-terminated; free with g_strfreev. */
char      **ts_figure_get_all (const TsFigureInfo *figure, const char *key);

/* Appends the <metadata> element. */
void        ts_figure_append_svg (const TsFigureInfo *figure, GString *out);
/* Does this text look like an SVG with our metadata? Cheap: looks at the first kilobytes. */
gboolean    ts_figure_sniff (const char *text, gsize length);
/* Reads it back from the text of an SVG. Hostile input is refused with a TS_FIGURE_ERROR. */
TsFigureInfo   *ts_figure_read (const char *text, gsize length, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsFigureInfo, ts_figure_free)

G_END_DECLS
