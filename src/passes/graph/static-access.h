/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a load or store reaches, when that is a constant interval of one base (spec graph-optimize 5.1). */
#pragma once

#include "passes/graph/values.h"

G_BEGIN_DECLS

typedef struct
{
  TsValue *base;
  TsValue *origin; /* dynamic part of the offset, or NULL */
  guint    rank;
  gint64   first, last; /* element offsets from the origin, both inclusive */
  gint64   count;
} TsStaticAccess;

/* Of a load or store. TS_GRAPH_PROVEN, or why not; *at is the operation the proof failed at. */
TsGraphReason ts_static_access (const TsOp *access, TsStaticAccess *out, const TsOp **at);

/* A pointer of rank 2 and up as one term for each axis: any positive strides, in any order. */
typedef struct
{
  gboolean    seen;
  gint64      stride, start, end;
  const TsOp *range;
} TsStaticAxis;

typedef struct
{
  TsValue     *base;
  const TsOp  *addptr;
  guint        rank;
  TsStaticAxis axes[TS_GRAPH_MAX_RANK];
} TsStaticLanes;

/* Steps 2 and 4 of section 5.1. */
TsGraphReason ts_static_lanes (const TsExpr *pointer, TsStaticLanes *out, const TsOp **at);
/* Step 1: no mask, other, boundaryCheck, padding, volatile. */
TsGraphReason ts_static_attributes (const TsOp *access);

G_END_DECLS
