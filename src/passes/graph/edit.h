/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rewrite as a transaction: create and check everything first, then switch uses, then erase. Until ts_graph_edit_commit() the old
 * IR is untouched, and a failure takes every created operation away again. Source: spec graph-optimize section 2, `Transaction`. */
#pragma once

#include "ir/clone.h"
#include "passes/graph/graph.h"

G_BEGIN_DECLS

typedef struct
{
  TsGraph   *graph;
  TsModule  *module;
  GPtrArray *created;  /* in order */
  GPtrArray *erased;   /* in the order they are to go */
  TsCloner  *switches; /* old value to new */
  GPtrArray *switched; /* the old values */
  GPtrArray *updated;  /* operations that get another operand */
  GArray    *operands; /* which one: Operand, as many */
  gboolean   failed;
} TsGraphEdit;

void  ts_graph_edit_begin (TsGraphEdit *edit, TsGraph *graph);
/* A new operation before `anchor`, with one result of `type` (NULL: none). It comes from `from` (provenance and location). It is
 * checked by ts_graph_edit_check() or at once when `complete`. NULL after a failure: callers may go on, nothing more happens. */
TsOp *ts_graph_create (TsGraphEdit *edit, TsOp *anchor, TsOpCode code, TsExpr *const *operands, guint n, const TsType *type,
                       const TsOp *from);
/* A copy of `op` with its regions, not placed anywhere yet. */
TsOp *ts_graph_edit_copy (TsGraphEdit *edit, const TsOp *op);
/* A copy of `op` before `anchor` with other operands and result type; keeps attributes, and regions as they are. */
TsOp *ts_graph_create_like (TsGraphEdit *edit, TsOp *anchor, const TsOp *op, TsExpr *const *operands, const TsType *type);
/* Attributes are set after creation; then this verifies the operation. */
gboolean ts_graph_edit_check (TsGraphEdit *edit, TsOp *op);
TsExpr *ts_graph_result (TsGraphEdit *edit, TsOp *op); /* of a created operation; NULL after a failure */
/* Takes over an operation made elsewhere (a loop) as created. */
void  ts_graph_edit_adopt (TsGraphEdit *edit, TsOp *op);

void  ts_graph_edit_switch (TsGraphEdit *edit, const TsValue *from, TsExpr *to);
/* The operation stays and gets another operand. */
void  ts_graph_edit_set_operand (TsGraphEdit *edit, TsOp *op, guint index, TsExpr *to);
void  ts_graph_edit_erase (TsGraphEdit *edit, TsOp *op);
void  ts_graph_edit_fail (TsGraphEdit *edit, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* TRUE: everything is done. FALSE: rolled back. Frees what the edit holds either way. */
gboolean ts_graph_edit_commit (TsGraphEdit *edit);

/* Shorthands. Each gives the result, or NULL after a failure. */
TsExpr *ts_graph_make_constant (TsGraphEdit *edit, TsOp *anchor, gint64 value, TsDtype dtype, const TsOp *from);
TsExpr *ts_graph_make_unary (TsGraphEdit *edit, TsOp *anchor, TsOpCode code, TsExpr *x, const TsType *type, const TsOp *from);
TsExpr *ts_graph_make_binary (TsGraphEdit *edit, TsOp *anchor, TsOpCode code, TsExpr *a, TsExpr *b, const TsType *type,
                              const TsOp *from);
TsExpr *ts_graph_make_range (TsGraphEdit *edit, TsOp *anchor, gint64 start, gint64 end, const TsOp *from);
TsExpr *ts_graph_make_expand_dims (TsGraphEdit *edit, TsOp *anchor, TsExpr *x, guint axis, const TsOp *from);
/* broadcast when the shape differs, else x itself. */
TsExpr *ts_graph_make_broadcast (TsGraphEdit *edit, TsOp *anchor, TsExpr *x, const TsType *type, const TsOp *from);
const TsType *ts_graph_type_of (const TsExpr *x);

G_END_DECLS
