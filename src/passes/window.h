/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows of memory as linear forms: which bytes of a tensor or tile an operation touches, as far as it can be known. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

#define TS_WINDOW_RANK 4
#define TS_WINDOW_TERMS 4

/* Sum of coefficient times variable, plus a constant. Terms are sorted by variable id. */
typedef struct
{
  guint8 n;
  gint32 ids[TS_WINDOW_TERMS];
  gint64 factors[TS_WINDOW_TERMS];
  gint64 constant;
} TsLinear;

/* FALSE when the tree is no linear form of at most TS_WINDOW_TERMS variables or does not fit in 64 bits. Scalars that are assigned
 * once (`n_defs` by value id is 1) are replaced by what they are assigned. */
gboolean ts_linear_from_expr (const TsExpr *e, const guint8 *n_defs, TsLinear *out);

typedef struct
{
  guint8   rank;  /* 0: not known, the whole */
  TsLinear offset[TS_WINDOW_RANK];
  gint64   extent[TS_WINDOW_RANK];
} TsWindow;

/* From lists of offsets and extents; `extents` NULL: one element. rank 0 when something is not known. */
void     ts_window_init (TsWindow *window, const TsExpr *offsets, TsExpr *const *extents, guint n_extents, const guint8 *n_defs);
/* Do the offsets differ only in constants? Only then can two windows be told apart. */
gboolean ts_window_comparable (const TsWindow *a, const TsWindow *b);
/* Of comparable windows. */
gboolean ts_window_overlaps (const TsWindow *a, const TsWindow *b);
gboolean ts_window_covers (const TsWindow *outer, const TsWindow *inner);

G_END_DECLS
