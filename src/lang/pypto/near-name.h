/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "Did you mean ...?": the nearest of many names. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *wanted;
  const char *best;     /* NULL: nothing near enough */
  guint       distance; /* of `best` */
} TsNearName;

/* Takes the candidate when it is nearer than the best so far: at most a third of the letters changed. */
void ts_near_name_consider (TsNearName *search, const char *candidate);

G_END_DECLS
