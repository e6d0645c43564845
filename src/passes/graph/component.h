/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A component of LoadStoreTranspose: the operations whose axes are relabelled together, as matching finds and rewriting needs it.
 */
#pragma once

#include "ir/dominance.h"
#include "passes/graph/affine.h"
#include "passes/graph/edit.h"

G_BEGIN_DECLS

typedef struct
{
  guint         n_owners;
  TsOp         *loop;      /* the scf.for, or NULL: block form */
  TsBlock      *block;     /* its body, or the block */
  TsOp         *anchor;    /* what rebuilt values go before: the loop, or the first load */
  TsPermutation order;     /* P */
  GPtrArray    *selected;  /* operations of the component in program order (block form: the set; loop form: the whole body) */
  GHashTable   *in_set;    /* the same as a set */
  GPtrArray    *outside;   /* rank-R values from outside to rebuild, in order */
  GHashTable   *outside_set;
  GHashTable   *heights;   /* rank-R values that can be rebuilt: TsValue to the length of its longest chain, from 1 */
  GPtrArray    *reductions; /* loop form: tt.reduce of rank-R results */
  GPtrArray    *asserts;   /* overflow assertions whose condition is rebuilt */
  GPtrArray    *retired;   /* old address producers to erase, last first */
  guint         endpoints; /* loads and stores of rank R */
} TsComponent;

TsComponent *ts_component_new (void);
TsComponent *ts_component_share (TsComponent *component);
void         ts_component_free (gpointer component); /* by its last owner */

/* Dominance of the graph's function: no rewrite of the phases changes blocks. */
TsDominance *ts_component_dominance (TsGraph *graph);
/* Can this value of rank R be made anew in front of the anchor? TS_GRAPH_PROVEN, or why not: then *at, which comes in as the
 * operation that uses the value, is where it fails. */
TsGraphReason ts_component_rebuildable (TsComponent *component, TsDominance *dominance, const TsValue *value,
                                        const TsOp **at);
/* The overflow assertions in front of the anchor that share the addresses of the component, and what retires with them: fills
 * `asserts` and `retired`. TS_GRAPH_PROVEN or why the component cannot be taken. */
TsGraphReason ts_component_asserts (TsGraph *graph, TsComponent *component, const TsOp **at);
/* May an operation of the component be copied with permuted axes? */
gboolean      ts_component_clonable (const TsOp *op, guint rank);
/* A chain of expand_dims from a rank-1 source with one axis of its own: that source and the axis; NULL when it is none. */
TsExpr       *ts_component_expand_source (const TsOp *expand, guint *axis);
static inline gboolean
ts_component_has_rank (const TsComponent *component, const TsValue *value)
{
  return value != NULL && ts_type_is (value->type, TS_TYPE_RANKED) && value->type->rank == component->order.rank;
}

gboolean ts_component_rewrite (TsGraph *graph, const TsComponent *component);

G_END_DECLS
