/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the benchmarks have in common: processor time (other load on the machine is not ours) and the answer to --help. */
#pragma once

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Milliseconds of this thread. */
static inline double
cpu_ms (void)
{
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/* Prints the usage where it is asked for, or where an option is not `known` (the only one there is; NULL: none). Returns the exit
 * status then, -1 to go on. */
static inline int
bench_usage (int argc, char **argv, const char *known, const char *usage)
{
  for (int i = 1; i < argc; i++)
    {
      int asked = strcmp (argv[i], "--help") == 0 || strcmp (argv[i], "-h") == 0;
      if (argv[i][0] != '-' || (known != NULL && strcmp (argv[i], known) == 0))
        continue;
      fprintf (asked ? stdout : stderr, "usage: %s\n", usage);
      return asked ? 0 : 2;
    }
  return -1;
}
