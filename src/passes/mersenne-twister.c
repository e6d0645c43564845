/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mt19937_64 with its published parameters. */
#include "passes/mersenne-twister.h"

#define MIDDLE 156
#define MATRIX G_GUINT64_CONSTANT (0xb5026f5aa96619e9)
#define LOWER G_GUINT64_CONSTANT (0x7fffffff)

void
ts_twister_seed (TsTwister *twister, guint64 seed)
{
  guint64 *s = twister->state;
  s[0] = seed;
  for (guint i = 1; i < TS_TWISTER_WORDS; i++)
    s[i] = G_GUINT64_CONSTANT (6364136223846793005) * (s[i - 1] ^ (s[i - 1] >> 62)) + i;
  twister->at = TS_TWISTER_WORDS;
}

static void
refill (TsTwister *twister)
{
  guint64 *s = twister->state;
  for (guint i = 0; i < TS_TWISTER_WORDS; i++)
    {
      guint64 x = (s[i] & ~LOWER) | (s[(i + 1) % TS_TWISTER_WORDS] & LOWER);
      s[i] = s[(i + MIDDLE) % TS_TWISTER_WORDS] ^ (x >> 1) ^ (x & 1 ? MATRIX : 0);
    }
  twister->at = 0;
}

guint64
ts_twister_next (TsTwister *twister)
{
  if (twister->at == TS_TWISTER_WORDS)
    refill (twister);
  guint64 x = twister->state[twister->at++];
  x ^= (x >> 29) & G_GUINT64_CONSTANT (0x5555555555555555);
  x ^= (x << 17) & G_GUINT64_CONSTANT (0x71d67fffeda60000);
  x ^= (x << 37) & G_GUINT64_CONSTANT (0xfff7eee000000000);
  return x ^ (x >> 43);
}

guint64
ts_twister_below (TsTwister *twister, guint64 bound)
{
  unsigned __int128 product = (unsigned __int128) ts_twister_next (twister) * bound;
  if ((guint64) product < bound)
    { /* the part of the range that would favour small results is drawn again */
      guint64 threshold = -bound % bound;
      while ((guint64) product < threshold)
        product = (unsigned __int128) ts_twister_next (twister) * bound;
    }
  return (guint64) (product >> 64);
}

static void
swap (guint32 *v, guint32 a, guint64 b)
{
  guint32 x = v[a];
  v[a] = v[b];
  v[b] = x;
}

void
ts_twister_shuffle (TsTwister *twister, guint32 *v, guint32 n)
{
  if (n < 2)
    return;
  guint32 i = 1;
  if (n % 2 == 0)
    {
      swap (v, 1, ts_twister_below (twister, 2));
      i = 2;
    }
  for (; i < n; i += 2)
    {
      guint64 bound = (guint64) i + 2, x = ts_twister_below (twister, (guint64) (i + 1) * bound);
      swap (v, i, x / bound);
      swap (v, i + 1, x % bound);
    }
}
