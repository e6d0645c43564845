/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two timelines under each other on one scale of cycles. Source: cli.md export view `compare`, ux.md row 9. */
#pragma once

#include "draw/timeline.h"

G_BEGIN_DECLS

/* Fills `scene` (which is reset). `view` holds for both; its range is taken in both alike, its height is shared. Ids of the lower
 * one's elements begin with "b-". */
void ts_compare_scene (const TsTimeline *a, const TsTimeline *b, const TsTimelineView *view, const TsTheme *theme,
                       TsMeasurer *measurer, TsScene *scene);

G_END_DECLS
