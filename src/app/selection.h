/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one selection that every view of a document shares. */
#pragma once

#include <glib-object.h>

#include "app/types.h"

G_BEGIN_DECLS

/* What is selected in the snapshot that is shown. Small, passed by value. */
typedef struct
{
  gint32   op;    /* operation id, -1: none */
  gint32   event; /* one bar of the timeline, -1: all of the operation's */
  gboolean gap;   /* the idle time before `event` rather than the bar */
} TsPick;

#define TS_PICK_NONE ((TsPick) { -1, -1, FALSE })

#define TS_TYPE_SELECTION (ts_selection_get_type ())
G_DECLARE_FINAL_TYPE (TsSelection, ts_selection, TS, SELECTION, GObject)

/* Signal "changed" without arguments. */
TsSelection  *ts_selection_new (void);

TsPick        ts_selection_get (TsSelection *self);
/* Selects one thing of snapshot `index`. Nothing happens when it already is. */
void          ts_selection_pick (TsSelection *self, guint index, TsPick pick);
/* Picks in a snapshot that is not shown yet: nothing is selected until it is, and the pick followed. */
void          ts_selection_aim (TsSelection *self, guint index, gint32 op);
void          ts_selection_clear (TsSelection *self);

/* What the user picked last, whatever is shown now: the place from which a selection is followed through the passes.
 * FALSE when nothing is picked. */
gboolean      ts_selection_anchor (TsSelection *self, guint *index, gint32 *op);
/* Another snapshot is shown: there the anchor is `ops` (ascending, may be empty). */
void          ts_selection_follow (TsSelection *self, const gint32 *ops, guint n_ops);
/* All operations that are selected, the picked one among them. */
const gint32 *ts_selection_ops (TsSelection *self, guint *n);
gboolean      ts_selection_contains (TsSelection *self, gint32 op);

G_END_DECLS
