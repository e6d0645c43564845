/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours and sizes of drawings: light, dark, high contrast and print. Static tables; nothing here depends on a display. */
#pragma once

#include "draw/scene.h"
#include "ir/op-info.h"

G_BEGIN_DECLS

typedef enum { TS_THEME_LIGHT, TS_THEME_DARK, TS_THEME_HIGH_CONTRAST, TS_THEME_PRINT, TS_N_THEMES } TsThemeId;

/* Stage colours are told apart by colour-blind readers; after the eighth they repeat with a texture. Source: mock/README.md. */
#define TS_N_STAGE_COLORS 8

typedef struct
{
  const char *name;        /* "light" */
  TsColor background;
  TsColor panel;           /* lane and group backgrounds */
  TsColor panel_strong;    /* steady state, headers */
  TsColor text;            /* titles, lane names */
  TsColor text_soft;       /* secondary text: still 4.5:1 on the background */
  TsColor grid;            /* ruler lines */
  TsColor outline;         /* edges of boxes: 3:1 on the background */
  TsColor hatch;           /* wait hatches */
  TsColor edge;            /* value edges, dependency arrows */
  TsColor edge_soft;       /* order edges */
  TsColor alert;           /* binding buffer edges, capacity, clashes */
  TsColor select;          /* selection ring */
  TsColor critical;        /* critical path */
  TsColor marker;
  TsColor bytes;           /* live bytes */
  TsColor untagged;        /* bars and nodes without a stage */
  TsColor muted;           /* everything a highlight leaves out */
  TsColor stage[TS_N_STAGE_COLORS];
  TsColor lane[TS_N_LANES];
  float   bar_outline;     /* width of the outline of bars; 0: none */
} TsTheme;

/* Never NULL; an unknown id gives light. */
const TsTheme *ts_theme (TsThemeId id);
const char    *ts_theme_name (TsThemeId id);
gboolean       ts_theme_from_name (const char *name, TsThemeId *out);

/* Fill and texture of a stage (>= 0); a negative stage is untagged. */
TsColor        ts_theme_stage_color (const TsTheme *theme, gint stage);
TsHatch        ts_theme_stage_texture (gint stage);
/* What to write with on a fill. */
TsColor        ts_theme_text_on (TsColor fill); /* white where it has 4.5:1, else black */
/* `a` towards `b` by `share` of 0..1. */
TsColor        ts_color_mix (TsColor a, TsColor b, double share);
/* Contrast ratio 1..21 of two opaque colours. */
double         ts_color_contrast (TsColor a, TsColor b);

/* Family list of all text, for SVG and pango alike. */
#define TS_FONT_FAMILY "Cantarell, Noto Sans, DejaVu Sans, Noto Sans CJK SC, sans-serif"
#define TS_FONT_SIZE 12.0f
#define TS_FONT_SMALL 10.0f
#define TS_FONT_TITLE 16.0f

G_END_DECLS
