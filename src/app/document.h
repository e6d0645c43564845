/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One opened input: its run, the snapshot that is shown, the bill, the selection. All work is done on other threads; what is shown
 * stays until its successor is complete. */
#pragma once

#include <gio/gio.h>

#include "app/selection.h"
#include "app/shown.h"

G_BEGIN_DECLS

#define TS_TYPE_DOCUMENT (ts_document_get_type ())
G_DECLARE_FINAL_TYPE (TsDocument, ts_document, TS, DOCUMENT, GObject)

/* Signals, all without arguments but the one noted:
 * "run-changed"    another run: other snapshots
 * "shown-changed"  another snapshot, function or run is complete and to be drawn
 * "pass-changed"   the wanted snapshot moved (its picture comes later)
 * "bill-changed" (guint index)  a row of the bill is known
 * "problem-changed" opening failed, or no longer has
 * "busy-changed"   work started, progressed or ended */
TsDocument         *ts_document_new (void);

/* Opens an input; the machine is a shipped name or a path, NULL the default. Whatever is open stays until the new one is complete,
 * and also when the new one cannot be opened. */
void                ts_document_open (TsDocument *self, const char *spec, const char *machine);
/* Opens another of the things the file offers; NULL: the one it opens by itself. */
void                ts_document_open_entry (TsDocument *self, const char *entry);
/* What the file opened last offers: TsPyptoEntry, or NULL. */
const GArray       *ts_document_get_entries (TsDocument *self);
void                ts_document_reload (TsDocument *self);
void                ts_document_set_machine (TsDocument *self, const char *machine);
/* NAME=VALUE texts for names that the input leaves open; they go away with the input. NULL: none. */
void                ts_document_set_defines (TsDocument *self, const char *const *defines);
const char *const  *ts_document_get_defines (TsDocument *self);
void                ts_document_cancel (TsDocument *self);

TsRun              *ts_document_get_run (TsDocument *self);   /* NULL: nothing is open */
TsShown            *ts_document_get_shown (TsDocument *self); /* NULL: nothing is complete yet */
TsSelection        *ts_document_get_selection (TsDocument *self);
/* Why the last opening failed: NULL when it did not. */
const GError       *ts_document_get_problem (TsDocument *self);
/* The sentence that says it best: the first error in the input, else the problem's own. NULL: no problem. */
const char         *ts_document_get_problem_reason (TsDocument *self);
/* What was found in the input that could not be opened; may be empty, or NULL. */
const TsDiagList   *ts_document_get_problem_diags (TsDocument *self);
/* Name of what the problem is about. */
const char         *ts_document_get_problem_spec (TsDocument *self);

gboolean            ts_document_is_busy (TsDocument *self);
/* What is being done, for people, or NULL; *fraction is negative when it is not known. */
const char         *ts_document_get_progress (TsDocument *self, double *fraction);

/* The snapshot wanted; its picture may still be under way. */
guint               ts_document_get_index (TsDocument *self);
void                ts_document_show_snapshot (TsDocument *self, guint index);
const char         *ts_document_get_function (TsDocument *self); /* wanted, or NULL: the usual one */
void                ts_document_show_function (TsDocument *self, const char *function);
/* Which way the graph runs; by its shape until somebody chooses. */
void                ts_document_turn_graph (TsDocument *self);
/* Row of the bill, or NULL while it is not known. */
const TsBillRow    *ts_document_get_bill_row (TsDocument *self, guint index);

/* Diagnostics of the run, of the input, of the shown snapshot and of its simulation, in that order. Free with ts_diag_list_free. */
TsDiagList         *ts_document_collect_diags (TsDocument *self);

/* Selects in the shown snapshot. */
void                ts_document_pick (TsDocument *self, TsPick pick);
void                ts_document_pick_op (TsDocument *self, gint32 op);
/* Selects an operation of any snapshot and shows that snapshot. */
void                ts_document_go_to_op (TsDocument *self, guint index, gint32 op);

G_END_DECLS
