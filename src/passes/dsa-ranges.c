/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/dsa-ranges.h"

#include <string.h>

guint32
ts_dsa_ranges_first_behind (const TsDsaRanges *r, guint32 from, gint64 at)
{
  guint32 low = from, step = 1;
  while (low < r->n && r->at[low].end <= at)
    { /* all before `low` end too early; ever longer steps, as the next one asked for is often near */
      from = low + 1;
      low = step < r->n - low ? low + step : r->n;
      step *= 2;
    }
  while (from < low)
    {
      guint32 middle = from + (low - from) / 2;
      if (r->at[middle].end <= at)
        from = middle + 1;
      else
        low = middle;
    }
  return from;
}

static void
insert_at (TsDsaRanges *r, guint32 k, TsDsaRange range)
{
  if (r->n == r->room)
    {
      r->room = r->room > 0 ? r->room * 2 : 1;
      r->at = g_renew (TsDsaRange, r->at, r->room);
    }
  memmove (r->at + k + 1, r->at + k, sizeof (TsDsaRange) * (r->n - k));
  r->at[k] = range;
  r->n++;
}

void
ts_dsa_ranges_add (TsDsaRanges *r, gint64 start, gint64 end)
{
  /* Most orders fill a pool from below: the last stretch is looked at first. */
  guint32 first = r->n > 0 && r->at[r->n - 1].start <= start ? r->n - 1 : 0, behind;
  first = ts_dsa_ranges_first_behind (r, first, start - 1);
  for (behind = first; behind < r->n && r->at[behind].start <= end; behind++)
    {
      start = MIN (start, r->at[behind].start);
      end = MAX (end, r->at[behind].end);
    }
  if (behind == first)
    {
      insert_at (r, first, (TsDsaRange) { start, end });
      return;
    }
  r->at[first] = (TsDsaRange) { start, end };
  if (behind > first + 1)
    memmove (r->at + first + 1, r->at + behind, sizeof (TsDsaRange) * (r->n - behind));
  r->n -= behind - first - 1;
}

void
ts_dsa_ranges_clear (TsDsaRanges *r)
{
  g_free (r->at);
  *r = (TsDsaRanges) { 0 };
}
