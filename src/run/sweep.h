/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage depths x machines: what each combination costs. Source: cli.md, sweep. */
#pragma once

#include "run/run.h"

G_BEGIN_DECLS

typedef struct
{
  guint    n;          /* entries of `groups` and `depths` */
  gint32  *groups;     /* pipeline group */
  gint64  *depths;     /* stages of that group whose buffers are all apart */
} TsSweepDepths;

typedef struct
{
  char    *machine;
  gint     stages;
  gint64   cycles, bound, interval, instructions; /* -1 unknown */
  gint64   copies;     /* of the body in an iteration of the loop that `interval` is of (TsBillRow); -1 unknown */
  double   per_copy;   /* interval / copies: cycles for each iteration as the program has it, whatever the stages; -1 unknown */
  double   efficiency;
  gint64   bytes[TS_N_SPACES]; /* high-water mark; -1 unknown */
  TsSweepDepths depths;
  char    *binding;    /* what binds the steady state: "resource", "recurrence", "none"; or NULL */
  char    *busiest;    /* pipe with the most busy cycles, or NULL */
  gboolean truncated;  /* the stream was cut: the figures are those of the part that was simulated */
  char    *problem;    /* why there are no figures (a pass failed, cannot be simulated, deadlock), or NULL */
  TsDiagList *diags;   /* of that combination; never NULL */
} TsSweepRow;

/* Rows ordered by machine, then depth. `machines` NULL: the one of `options`. Depths are first..last, both included (1 to
 * TS_MAX_STAGES). A combination that fails is a row with a problem. NULL only when cancelled or on wrong use. Rows are freed
 * with the array. */
GPtrArray *ts_sweep (TsInput *input, const TsRunOptions *options, const char *const *machines, gint first, gint last,
                     GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error);

G_END_DECLS
