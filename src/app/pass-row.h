/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row of the bill: a pass, whether it changed anything, and what it costs. */
#pragma once

#include <gtk/gtk.h>

#include "run/run.h"

G_BEGIN_DECLS

/* The item of the list: a snapshot of the document's run. */
#define TS_TYPE_PASS_ITEM (ts_pass_item_get_type ())
G_DECLARE_FINAL_TYPE (TsPassItem, ts_pass_item, TS, PASS_ITEM, GObject)

TsPassItem       *ts_pass_item_new (const TsSnapshot *snapshot);
/* Where the compiler that wrote a folder of dumps stopped: stands behind snapshot `index`, which is what it shows. */
TsPassItem       *ts_pass_item_new_stopped (guint index, const char *name, const char *problem);
guint             ts_pass_item_get_index (TsPassItem *self);
const char       *ts_pass_item_get_name (TsPassItem *self);
gboolean          ts_pass_item_is_changed (TsPassItem *self); /* also the input and what failed */
/* Why it failed, or NULL. */
const char       *ts_pass_item_get_problem (TsPassItem *self);
/* Emits "changed". The row lives as long as the run. */
void              ts_pass_item_set_row (TsPassItem *self, const TsBillRow *row);

/* What the pass had to say, a line each; NULL: nothing. */
const char       *ts_pass_item_get_remarks (TsPassItem *self);

/* What stands before the name: "●" changed, "○" no change, "▲" costs cycles, "✕" failed. */
const char       *ts_pass_item_mark (TsPassItem *self);

#define TS_TYPE_PASS_ROW (ts_pass_row_get_type ())
G_DECLARE_FINAL_TYPE (TsPassRow, ts_pass_row, TS, PASS_ROW, GtkWidget)

GtkWidget        *ts_pass_row_new (void);
/* NULL: none. */
void              ts_pass_row_set_item (TsPassRow *self, TsPassItem *item);

G_END_DECLS
