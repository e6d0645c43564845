/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edit distance with transpositions, over short names only. */
#include "lang/pypto/near-name.h"

#include <string.h>

#define MAX_LENGTH 64u

static guint
distance_between (const char *a, gsize n_a, const char *b, gsize n_b)
{
  guint8 rows[3][MAX_LENGTH + 1];

  for (gsize j = 0; j <= n_b; j++)
    rows[0][j] = (guint8) j;
  for (gsize i = 1; i <= n_a; i++)
    {
      guint8 *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

      row[0] = (guint8) i;
      for (gsize j = 1; j <= n_b; j++)
        {
          guint best = above[j - 1] + (a[i - 1] != b[j - 1]);

          best = MIN (best, MIN (above[j], row[j - 1]) + 1u);
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            best = MIN (best, two_above[j - 2] + 1u);
          row[j] = (guint8) best;
        }
    }
  return rows[n_a % 3][n_b];
}

void
ts_near_name_consider (TsNearName *search, const char *candidate)
{
  gsize n_a = strlen (search->wanted), n_b = strlen (candidate);
  guint limit, distance;

  if (n_a > MAX_LENGTH || n_b > MAX_LENGTH || n_b == 0)
    return;
  limit = (guint) MAX (n_a, n_b) / 3;
  if ((n_a > n_b ? n_a - n_b : n_b - n_a) > limit)
    return;
  distance = distance_between (search->wanted, n_a, candidate, n_b);
  if (distance == 0 || distance > limit || (search->best != NULL && distance >= search->distance))
    return;
  search->best = candidate;
  search->distance = distance;
}
