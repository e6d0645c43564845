/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions about single values and operations of Triton IR that several rules ask. */
#pragma once

#include "passes/graph/graph.h"

G_BEGIN_DECLS

/* The operation that makes an operand; NULL for arguments. */
TsOp        *ts_graph_def (const TsExpr *operand);
TsValue     *ts_graph_operand (const TsOp *op, guint i);
/* A ranked tensor whose extents are all known and that has no encoding. */
gboolean     ts_graph_is_plain_tensor (const TsType *type);
gint64       ts_graph_extent (const TsType *type, guint axis);
gint64       ts_graph_n_elements (const TsType *type);
/* Same extents in order. */
gboolean     ts_graph_same_shape (const TsType *a, const TsType *b);
/* A tensor type with another shape or element, without encoding. */
const TsType *ts_graph_tensor_type (TsModule *module, const gint64 *shape, guint rank, const TsType *elem);
gboolean     ts_graph_is_pointer_tensor (const TsType *type);

/* Scalar integer constant, or a dense splat of one. */
gboolean     ts_graph_const_scalar (const TsExpr *operand, gint64 *out);
gboolean     ts_graph_const_splat (const TsExpr *operand, gint64 *out);
gboolean     ts_graph_has_flags (const TsOp *op); /* overflow<...> */
gboolean     ts_graph_is_elementwise (const TsOp *op);
gboolean     ts_graph_is_pure (const TsOp *op);   /* no memory effects, no regions with any */
gboolean     ts_graph_is_barrier (const TsOp *op);
/* isVolatile, boundaryCheck, padding present and not default. */
gboolean     ts_graph_is_volatile (const TsOp *op);
gboolean     ts_graph_has_boundary_check (const TsOp *op);
gboolean     ts_graph_has_padding (const TsOp *op);
guint        ts_graph_mask_index (const TsOp *op); /* operand number of the mask of a load or store */

/* Without a visibility a function is public. */
gboolean     ts_graph_is_public (const TsFunction *function);
/* Aliasing (section 5.4): what a pointer is derived from, or NULL; and the entry argument that a pointer is, or NULL when it is
 * none that other arguments may be told from. The second at the end of the first is the root. */
const TsExpr *ts_graph_pointer_source (const TsExpr *pointer);
TsValue      *ts_graph_pointer_argument (const TsExpr *pointer);

/* Permutations: P[new] = old. Source: section 3. */
#define TS_GRAPH_MAX_RANK 8
typedef struct
{
  guint  rank;
  guint8 axes[TS_GRAPH_MAX_RANK];
} TsPermutation;
gboolean ts_permutation_from_order (const TsOp *trans, TsPermutation *out);
TsPermutation ts_permutation_inverse (const TsPermutation *p);
gboolean ts_permutation_is_identity (const TsPermutation *p);
gboolean ts_permutation_equal (const TsPermutation *a, const TsPermutation *b);
void     ts_permutation_append (const TsPermutation *p, GString *out); /* "[1,0]" */

G_END_DECLS
