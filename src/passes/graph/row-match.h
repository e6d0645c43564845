/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RowCoalescing: what matching finds. Source: spec graph-optimize section 9. */
#pragma once

#include "passes/graph/edit.h"
#include "passes/graph/values.h"

G_BEGIN_DECLS

typedef struct
{
  TsOp    *pid;    /* tt.get_program_id */
  TsOp    *guard;  /* arith.cmpi sge, %pid, %count */
  TsOp    *branch; /* cf.cond_br on it */
  TsBlock *work;
  TsValue *count;
  gint64   axis;
  gint64   rows;   /* H */
} TsRowMatch;

/* NULL with a reason, or a match to be freed with g_free. `graph->uses` must be of this epoch. */
TsRowMatch *ts_row_match (TsGraph *graph, TsGraphReason *reason, const TsOp **at);
gboolean    ts_row_rewrite (TsGraph *graph, const TsRowMatch *match);

#define TS_ROW_FACTOR "hacc.coalesce_factor"
#define TS_ROW_AXIS "hacc.coalesce_axis"
#define TS_ROW_CEIL_DIV "hacc.coalesce_grid_ceil_div"

G_END_DECLS
