/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The 64-bit Mersenne twister (mt19937_64) and a shuffle on top of it: placements of other tools can only be reproduced with
 * exactly their random numbers. Source: spec passes-memory 6.3. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define TS_TWISTER_WORDS 312

typedef struct
{
  guint64 state[TS_TWISTER_WORDS];
  guint   at;
} TsTwister;

void    ts_twister_seed (TsTwister *twister, guint64 seed);
guint64 ts_twister_next (TsTwister *twister);
/* Uniform in [0, bound), bound > 0, without bias. */
guint64 ts_twister_below (TsTwister *twister, guint64 bound);
/* Fisher-Yates with two indices drawn from one number. n < 2^32. */
void    ts_twister_shuffle (TsTwister *twister, guint32 *v, guint32 n);

G_END_DECLS
