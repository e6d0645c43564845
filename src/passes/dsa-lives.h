/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lives of which no two meet, in order of time, as buffers at one address have them. For dsa-place.c only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint32 begin, end, kind;
} TsDsaLife;

/* Zero-initialise to make an empty one. Most orders add at the end; what comes in between goes to `late` and is merged from time
 * to time, so that adding never moves all that is there. */
typedef struct
{
  TsDsaLife *sorted, *late; /* both ascending */
  guint32    n_sorted, n_late, room;
} TsDsaLives;

/* Time a merge takes is shared by this many additions. */
#define TS_DSA_LATE 512u

void ts_dsa_lives_add (TsDsaLives *lives, TsDsaLife life);
void ts_dsa_lives_clear (TsDsaLives *lives);
/* How many lives of the kind are over at `moment`. O(lives). */
guint32 ts_dsa_lives_over (const TsDsaLives *lives, guint32 kind, guint32 moment);

/* The first of n ascending lives that is not over at `moment`. Most orders follow time: the end is looked at first. */
static inline guint32
ts_dsa_lives_first_after (const TsDsaLife *lives, guint32 n, guint32 moment)
{
  guint32 low = 0, high = n;
  if (n == 0 || lives[n - 1].end <= moment)
    return n;
  if (lives[n - 1].begin <= moment)
    return n - 1;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (lives[middle].end <= moment)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Does [begin, end) meet one of the lives? O(log lives). */
static inline gboolean
ts_dsa_lives_meet_any (const TsDsaLives *lives, guint32 begin, guint32 end)
{
  guint32 at = ts_dsa_lives_first_after (lives->sorted, lives->n_sorted, begin);
  if (at < lives->n_sorted && lives->sorted[at].begin < end)
    return TRUE;
  at = ts_dsa_lives_first_after (lives->late, lives->n_late, begin);
  return at < lives->n_late && lives->late[at].begin < end;
}

G_END_DECLS
