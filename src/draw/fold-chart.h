/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steady state of a loop wrapped onto one initiation interval, prologue left and epilogue right of it. Source: ux.md 4.3. */
#pragma once

#include "draw/timeline.h"

G_BEGIN_DECLS

typedef struct
{
  gint32      loop;       /* operation of the loop; -1: the one with the longest steady state */
  gint64      res_mii;    /* cycles an iteration holds its fullest unit; 0: not known */
  const char *res_unit;   /* that unit, or NULL */
  gint64      rec_mii;    /* longest circle of dependences; 0: none, negative: not known */
  const char *binding;    /* "resource", "recurrence" or NULL */
  double      width, height;
  const char *title, *caption;
  gboolean    titles;
} TsFoldInput;

/* The loop that would be folded, or -1 when no loop of the timeline has a steady state with an interval. */
gint32   ts_fold_loop (const TsTimeline *timeline, gint32 wanted);
/* Fills `scene` (which is reset); without such a loop it says so. */
void     ts_fold_scene (const TsTimeline *timeline, const TsFoldInput *input, const TsTheme *theme, TsMeasurer *measurer,
                        TsScene *scene);

G_END_DECLS
