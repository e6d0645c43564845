/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random instruction streams and random timing figures, for property tests. */
#pragma once

#include "sim/schedule.h"

typedef struct
{
  guint    n;         /* instructions per core */
  guint    cores;     /* 1 to 3 */
  gboolean sync;      /* flag, barrier and dispatch costs */
  gboolean signals;   /* FIFOs, flags, barriers */
  gint     queue;     /* queue depth of all pipes, -1: any, each its own */
  gboolean flight;    /* several transfers in flight on some pipes */
  guint32  between;   /* flags and barriers put between the operations, which stay the same: the seed that says where; 0: none */
} RandomOptions;

TsStream *random_stream (GRand *rand, const RandomOptions *options);
void      random_timing (GRand *rand, const RandomOptions *options, TsMachineTiming *timing);
