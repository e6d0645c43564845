/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the dependence bound, shared by its files. */
#pragma once

#include "sim/analysis.h"
#include "sim/scheduler.h"

G_BEGIN_DECLS

typedef struct
{
  TsAnalysis  *a;
  TsScheduler  x;           /* only its segments are used: producer.time is the depth of the value there */
  guint        pos[TS_MAX_CORES];
  guint        signal[TS_MAX_CORES], signal_end[TS_MAX_CORES];
  guint        signal_first[TS_MAX_CORES];
  GArray     **pushes;      /* per channel and core: gint64 depths in order */
  guint       *pops;        /* per channel and core */
  guint        first_fill[TS_MAX_CORES], n_fills[TS_MAX_CORES]; /* of each core, in the schedule */
  guint        passed;      /* fills of each core that lie behind */
  gint64       longest;
} Depth;

/* The n-th fill of a core. */
static inline const TsFill *
depth_fill (const Depth *d, guint core, guint n)
{
  return &d->a->schedule->fills[d->first_fill[core] + n];
}

static inline guint
depth_channel (guint channel, guint core)
{
  return channel * TS_MAX_CORES + core;
}

/* depth-fill.c: all cores have come to the end of their n-th fill; its copies are gone through. */
void depth_pass_fill (Depth *d, guint n);

G_END_DECLS
