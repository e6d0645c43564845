/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window at work. */
#include "harness.h"

int
main (int argc, char **argv)
{
  harness_init (&argc, &argv);
  return g_test_run ();
}
