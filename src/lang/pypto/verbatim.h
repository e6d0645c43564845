/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text kept as written. */
#pragma once

#include "base/source.h"

G_BEGIN_DECLS

/* The lines of a suite between its header's ':' (`start` is the byte after it) and `end`, without their common indentation,
 * without blank lines at both ends. Free with g_free. */
char *ts_verbatim_suite (TsSource *source, guint32 start, guint32 end);

G_END_DECLS
