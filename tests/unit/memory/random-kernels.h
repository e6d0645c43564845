/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels in the shorthand of kernel.h, from random numbers. Every tile is 64 by 64 FP32; none is read before it is made. The
 * caller owns the text. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Loops and branches that yield a tile made for that. */
char *ts_random_kernel (GRand *rand);
/* Loops of both kinds and branches, with several results, that start with and yield whatever is in scope; copies, and tiles written
 * over in place. */
char *ts_random_wild_kernel (GRand *rand);
/* The same with pipeline loops. */
char *ts_random_pipeline_kernel (GRand *rand);
/* Loops within loops that begin with what is around them, and end with what an inner loop or a branch hands on. */
char *ts_random_nest_kernel (GRand *rand);
/* Sums of the cube, carried, nested and seeded in branches. */
char *ts_random_cube_kernel (GRand *rand);

G_END_DECLS
