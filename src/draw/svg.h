/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scene to SVG text: real text, inline attributes only, no style sheet, no script; one <g> with id and <title> per mark. */
#pragma once

#include "draw/figure.h"
#include "draw/scene.h"

G_BEGIN_DECLS

/* `figure` may be NULL. Same scene, same bytes. O(primitives). */
void ts_svg_append (const TsScene *scene, const TsFigureInfo *figure, GString *out);
/* Appends text for XML content or a quoted attribute: special characters escaped, what XML 1.0 forbids replaced by U+FFFD. */
void ts_xml_append (GString *out, const char *text);

G_END_DECLS
