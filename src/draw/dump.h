/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scene as text, a line per primitive: what golden tests compare. */
#pragma once

#include "draw/scene.h"

G_BEGIN_DECLS

/* Coordinates with at most one decimal; marks as their ids. Free with g_free. */
char *ts_scene_dump (const TsScene *scene);

G_END_DECLS
