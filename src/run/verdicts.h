/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "Why not": what the rules of a pass said of one operation, found from any snapshot through provenance. Read from the steps that
 * the pass recorded, so nothing here knows the rules. */
#pragma once

#include "run/run.h"

G_BEGIN_DECLS

typedef enum { TS_VERDICT_NOT_CONSIDERED, TS_VERDICT_REJECTED, TS_VERDICT_APPLIED, TS_VERDICT_FAILED } TsVerdictKind;

/* One rule's word on one operation. Texts belong to the run. */
typedef struct
{
  guint         snapshot;  /* that the pass made; the pass saw the one before */
  gint32        op;        /* there: what the asked-for operation was when the pass began */
  const char   *rule;
  const char   *part;      /* of the operation, "operand A"; or NULL */
  TsVerdictKind kind;
  const char   *reason;    /* word for programs, or NULL when applied */
  const char   *why;       /* plain words, or NULL when applied */
  gint32        at;        /* operation the proof failed at, before the pass; -1: none */
  const char   *operation; /* its name, or NULL */
  guint         epoch;     /* rewrites of the function before this one */
} TsVerdict;

/* By snapshot, operation and rule; empty when no pass of the run judges such operations. Cancelled: what was found until then.
 * The first call for a run repeats those passes with recording on. Free with g_array_unref. */
GArray *ts_run_verdicts (TsRun *run, guint index, gint32 op, GCancellable *cancellable);

G_END_DECLS
