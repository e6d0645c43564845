/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processor time, for the benchmarks: other load on the machine is not ours. */
#pragma once

#include <time.h>

/* Milliseconds of this thread. */
static inline double
cpu_ms (void)
{
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}
