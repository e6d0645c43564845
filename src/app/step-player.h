/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of the inspector: the decisions of the shown snapshot's pass, one after the other. The pass is run again with recording on
 * when somebody opens the list. */
#pragma once

#include <gtk/gtk.h>

#include "app/document.h"

G_BEGIN_DECLS

#define TS_TYPE_STEP_PLAYER (ts_step_player_get_type ())
G_DECLARE_FINAL_TYPE (TsStepPlayer, ts_step_player, TS, STEP_PLAYER, GtkWidget)

/* Watches the document; call once. */
void     ts_step_player_set_document (TsStepPlayer *self, TsDocument *document);
/* Opens the list, or goes `by` steps forward (negative: back) and selects what the step is about. */
void     ts_step_player_step (TsStepPlayer *self, int by);
/* Are steps being recorded? */
gboolean ts_step_player_is_busy (TsStepPlayer *self);
/* Adds what it shows. */
void     ts_step_player_append_text (TsStepPlayer *self, GString *out);

G_END_DECLS
