/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A second scheduler, slow and plain: it looks at every earlier instruction, byte by byte. Written from spec simulator.md
 * section 3. */
#pragma once

#include "sim/schedule.h"

typedef struct
{
  gboolean done;
  gint64   dispatch, start, end, visible, wait;
  gint32   on, through;
  TsCause  cause;
} SlowEvent;

/* One event per instruction; free with g_free. *stuck: some were never reached. */
SlowEvent *slow_schedule (const TsStream *stream, const TsMachineTiming *timing, gboolean *stuck);
