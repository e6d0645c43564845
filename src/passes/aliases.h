/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which variables may name the same memory, and which operations write to it: copies, views, results of branches and loops, carried
 * values, in-place results and what a callee returns of its output arguments are followed. Source: spec passes-schedule sections
 * 4 and 7, quirks, Ours. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Classes of variables of one module as it is now. Near-linear in its size. */
typedef struct
{
  guint    n_values;  /* when it was made: newer values are in no class */
  guint    n_classes; /* class numbers are below; 0 stands for memory that nothing writes to after it is made */
  guint32 *class_of;  /* by value id */
  guint32 *frame_of;  /* by value id: members of one frame also count their elements alike, so that windows can be compared */
} TsAliases;

TsAliases *ts_aliases_new (const TsModule *module);
void       ts_aliases_free (TsAliases *aliases);

static inline guint32
ts_aliases_class (const TsAliases *aliases, const TsValue *value)
{
  return (guint) value->id < aliases->n_values ? aliases->class_of[value->id] : 0;
}

typedef void (*TsWrittenFunc) (TsValue *value, gpointer data);
/* The variables whose memory the statement writes to or gives back: by the operation table, by the directions of a callee's
 * parameters, calls inside of its arguments included, but not operations inside of its blocks. */
void ts_op_foreach_written (const TsModule *module, const TsOp *op, TsWrittenFunc func, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsAliases, ts_aliases_free)

G_END_DECLS
