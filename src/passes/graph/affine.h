/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which the axes of a pointer tensor walk memory (spec graph-optimize 6.1): one scale per axis, a constant times
 * scalar symbols, put in order; and the proof that lanes have addresses of their own. */
#pragma once

#include "passes/graph/values.h"

G_BEGIN_DECLS

#define TS_AFFINE_SYMBOLS 6

/* constant > 0 times the symbols, sorted by value id. */
typedef struct
{
  gint64   factor;
  guint    n_symbols;
  TsValue *symbols[TS_AFFINE_SYMBOLS];
} TsScaleTerm;

typedef struct
{
  guint         rank;
  gint64        shape[TS_GRAPH_MAX_RANK];
  TsScaleTerm   scales[TS_GRAPH_MAX_RANK]; /* by axis */
  TsValue      *lanes[TS_GRAPH_MAX_RANK];  /* the lane value of each axis: rank R, one extent */
  TsPermutation order;                     /* outermost first: P[new] = old */
} TsAffine;

/* Layout of a pointer tensor. TS_GRAPH_PROVEN with an order that is not the identity, or why not (INTEGER_IDENTITY: the axes
 * already follow memory). */
TsGraphReason ts_affine_layout (const TsExpr *pointer, TsAffine *out, const TsOp **at);
/* Are addresses of different lanes different, given the mask (NULL: none)? */
TsGraphReason ts_affine_domain (const TsAffine *affine, const TsExpr *mask, const TsGraphUses *uses, const TsOp **at);

G_END_DECLS
