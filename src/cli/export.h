/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Views that `export` draws. */
#pragma once

#include "cli/cli.h"
#include "draw/scene.h"
#include "draw/text.h"
#include "draw/theme.h"

G_BEGIN_DECLS

/* What was asked for beside the view. */
typedef struct
{
  char    *view, *output, *range, *theme_name, *color_by, *title, *caption, *highlight, *with, *with_after;
  double   width, height, scale; /* 0: as the view needs; scale 0: 2 */
  TsThemeId theme;
  gint64   from, to;
} TsExportOptions;

/* One picture under way. */
typedef struct
{
  TsCli                 *cli;
  const TsExportOptions *options;
  guint                  index;
  const char            *function;  /* picked */
  const TsSimulation    *simulation; /* NULL where the view needs none */
  TsMeasurer            *measurer;
} TsExportJob;

typedef struct TsExportView TsExportView;

struct TsExportView
{
  const char *name;
  const char *summary;
  const char *formats;    /* "svg pdf png json csv" */
  gboolean    simulates;  /* needs a schedule of the snapshot */
  /* Draws into a fresh scene. NULL: not there yet. */
  TsScene  *(*draw) (TsExportJob *job, GError **error);
  /* Writes a text format of its own; NULL: it has none. */
  gboolean  (*text) (TsExportJob *job, const char *format, GString *out, GError **error);
};

const TsExportView *ts_export_views (guint *n);

G_END_DECLS
