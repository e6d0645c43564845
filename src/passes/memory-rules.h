/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of intervals that must not share bytes whatever their lives: the no-alias table of the operations and the hazard of pops.
 * Source: spec passes-memory 5.3 (2), 5.3 (3), 5.4. */
#pragma once

#include "ir/lifetimes.h"
#include "passes/pass.h"

G_BEGIN_DECLS

typedef enum
{
  TS_CONSTRAINT_NO_ALIAS,      /* an operation may not write over this operand */
  TS_CONSTRAINT_TARGET_HAZARD, /* a2a3, split vector core: result beside a popped tile over a loaded input */
} TsConstraintKind;

const char *ts_constraint_name (TsConstraintKind kind); /* "no-alias" */

typedef struct
{
  guint32 interval; /* the other one */
  guint32 op;       /* position of the operation that forbids it */
  guint8  kind;     /* TsConstraintKind */
} TsConstraint;

/* Constraints of interval i: entries start[i] .. start[i + 1] - 1, in program order; both directions are present. */
typedef struct
{
  guint32      *start;
  TsConstraint *entries;
  guint32       n_intervals;
} TsConstraints;

TsConstraints *ts_constraints_new (const TsPassContext *context, const TsFunction *function, const TsLifetimes *lifetimes);
void           ts_constraints_free (TsConstraints *constraints);

/* Do the two belong to different stages of one pipeline group? */
gboolean       ts_stages_differ (const TsLifeInterval *a, const TsLifeInterval *b);

/* A function that is split over both vector cores: attribute split_aiv, or a split mode. */
gboolean       ts_function_is_split (const TsFunction *function);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsConstraints, ts_constraints_free)

G_END_DECLS
