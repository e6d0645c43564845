/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scene as GTK render nodes: the back end of the window. */
#pragma once

#include <gtk/gtk.h>

#include "draw/scene.h"

G_BEGIN_DECLS

/* Keeps laid-out texts between frames. Belongs to one widget. */
typedef struct TsSceneNodes TsSceneNodes;

TsSceneNodes *ts_scene_nodes_new (GtkWidget *widget);
void          ts_scene_nodes_free (TsSceneNodes *nodes);
/* Forget the texts: the font or the scale of the display changed. */
void          ts_scene_nodes_reset (TsSceneNodes *nodes);

/* Appends everything the scene holds, its background too unless that is not painted. */
void          ts_scene_nodes_append (TsSceneNodes *nodes, const TsScene *scene, GtkSnapshot *snapshot);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSceneNodes, ts_scene_nodes_free)

G_END_DECLS
