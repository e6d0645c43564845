/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bill: cycles and bytes after every pass, as bars with their differences. Source: ux.md 4.2, cli.md export view `passes`. */
#pragma once

#include "draw/scene.h"
#include "draw/text.h"
#include "draw/theme.h"

G_BEGIN_DECLS

typedef struct
{
  const char *pass;
  guint       index;        /* snapshot */
  gboolean    changed, failed;
  gint64      cycles, bytes;/* -1: not known */
  gint64      interval;     /* -1: none */
  gint64      delta_cycles, delta_bytes;
  gboolean    has_delta_cycles, has_delta_bytes;
  const char *problem;      /* why there are no cycles; may be NULL */
  gboolean    cut;          /* the simulation was cut: cycles of what was simulated */
} TsBillBar;

typedef struct
{
  const TsBillBar *rows;
  guint            n_rows;
  const char      *title, *subtitle, *caption; /* may be NULL */
  double           width, height;              /* height 0: as needed */
  gint             selected;                   /* row, or -1 */
  gboolean         titles;                     /* a title per row: for files */
} TsBillInput;

/* Fills `scene` (which is reset). Links: TS_LINK_PASS with count = snapshot. */
void  ts_bill_scene (const TsBillInput *input, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene);
/* One row in words. Free with g_free. */
char *ts_bill_describe (const TsBillBar *row);

G_END_DECLS
