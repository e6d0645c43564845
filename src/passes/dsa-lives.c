/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/dsa-lives.h"

#include <string.h>

static void
insert_at (TsDsaLife *lives, guint32 n, guint32 at, TsDsaLife life)
{
  memmove (lives + at + 1, lives + at, sizeof (TsDsaLife) * (n - at));
  lives[at] = life;
}

static void
make_room (TsDsaLives *l, guint32 n)
{
  if (n <= l->room)
    return;
  l->room = MAX (MAX (l->room * 2, n), 4);
  l->sorted = g_renew (TsDsaLife, l->sorted, l->room);
}

/* Late lives go to their places, from the end, so that nothing moves twice. */
static void
merge_late (TsDsaLives *l)
{
  guint32 a = l->n_sorted, b = l->n_late, to = a + b;
  make_room (l, to);
  while (b > 0)
    {
      to--;
      if (a > 0 && l->sorted[a - 1].begin > l->late[b - 1].begin)
        l->sorted[to] = l->sorted[--a];
      else
        l->sorted[to] = l->late[--b];
    }
  l->n_sorted += l->n_late;
  l->n_late = 0;
}

void
ts_dsa_lives_add (TsDsaLives *l, TsDsaLife life)
{
  guint32 at = ts_dsa_lives_first_after (l->sorted, l->n_sorted, life.begin);
  if (l->n_sorted - at <= TS_DSA_LATE)
    {
      make_room (l, l->n_sorted + 1);
      insert_at (l->sorted, l->n_sorted++, at, life);
      return;
    }
  if (l->late == NULL)
    l->late = g_new (TsDsaLife, TS_DSA_LATE);
  insert_at (l->late, l->n_late, ts_dsa_lives_first_after (l->late, l->n_late, life.begin), life);
  if (++l->n_late == TS_DSA_LATE)
    merge_late (l);
}

static guint32
count_over (const TsDsaLife *lives, guint32 n, guint32 kind, guint32 moment)
{
  guint32 count = 0, over = ts_dsa_lives_first_after (lives, n, moment);
  for (guint32 i = 0; i < over; i++)
    count += lives[i].kind == kind;
  return count;
}

guint32
ts_dsa_lives_over (const TsDsaLives *l, guint32 kind, guint32 moment)
{
  return count_over (l->sorted, l->n_sorted, kind, moment) + count_over (l->late, l->n_late, kind, moment);
}

void
ts_dsa_lives_clear (TsDsaLives *l)
{
  g_free (l->sorted);
  g_free (l->late);
}
