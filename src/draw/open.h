/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening whatever both programs open, exported figures included: a figure leads back to the input it was made from. */
#pragma once

#include "draw/figure.h"
#include "run/run.h"

G_BEGIN_DECLS

/* ts_input_load(), and for an exported SVG the input that it names: its text where the figure carries it, else the file, looked
 * for as named and beside the figure. *figure is what the SVG was made from (with view, range, theme ...), NULL for other
 * inputs. An input that has changed since is opened with a warning among its diagnostics. Errors: those of ts_input_load(),
 * TS_FIGURE_ERROR. */
TsInput *ts_open (const char *spec, const char *format, TsFigureInfo **figure, GCancellable *cancellable, GError **error);

/* Storage for what ts_figure_fill_options() points at. */
typedef struct
{
  char **lists[3];
} TsFigureOptions;

/* Fills the options that are still unset from a figure; they point into the figure and into `keep`. */
void     ts_figure_fill_options (const TsFigureInfo *figure, TsRunOptions *options, TsFigureOptions *keep);
void     ts_figure_options_clear (TsFigureOptions *keep);

G_END_DECLS
