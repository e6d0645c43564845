/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/loop-growth.h"

#include "base/number.h"

#define FEW 16u

typedef struct
{
  gint64 depth[FEW];
} Few;

/* Iteration i at i % TS_GROWTH_WINDOW. */
typedef struct
{
  gint64 depth[TS_GROWTH_WINDOW];
} Many;

void
ts_growth_store_init (TsGrowthStore *store)
{
  ts_column_init (&store->few, sizeof (Few));
  ts_column_init (&store->many, sizeof (Many));
}

void
ts_growth_store_clear (TsGrowthStore *store)
{
  ts_column_clear (&store->few);
  ts_column_clear (&store->many);
}

/* The depths of entry *number - 1 of a column; a fresh one where there is none yet. */
static gint64 *
depths_of (TsColumn *column, guint *number)
{
  static const Many none = { 0 };

  if (*number == 0)
    {
      ts_column_append (column, &none, column->size);
      *number = column->len;
    }
  return ts_column_at (column, *number - 1);
}

/* Keeps the depth of iteration `index`, which follows the last one kept. */
static void
keep (TsGrowthStore *store, TsGrowth *growth, gint64 index, gint64 depth)
{
  gint64 *few = growth->n <= FEW ? depths_of (&store->few, &growth->few) : NULL, *many;

  if (growth->n < FEW)
    few[growth->n++] = depth;
  else
    {
      many = depths_of (&store->many, &growth->many);
      for (guint i = 0; growth->n == FEW && i < FEW; i++)
        many[(guint64) (index - FEW + i) % TS_GROWTH_WINDOW] = few[i];
      many[(guint64) index % TS_GROWTH_WINDOW] = depth;
      growth->n = MIN (growth->n + 1, TS_GROWTH_WINDOW);
    }
}

void
ts_growth_begin (TsGrowthStore *store, TsGrowth *growth, gint64 index, gint64 depth)
{
  ts_growth_settle (store, growth);
  growth->index = index;
  growth->depth = depth;
  growth->distance = 0;
  growth->n = 0;
}

void
ts_growth_again (TsGrowthStore *store, TsGrowth *growth, gint64 index, gint64 depth)
{
  gint64 distance = index - growth->index;

  /* Most statements of straight code run once: nothing is kept of them. */
  if (growth->n == 0 || distance >= TS_GROWTH_WINDOW)
    {
      growth->n = 0;
      keep (store, growth, growth->index, growth->depth);
    }
  for (gint64 i = growth->index + 1; distance < TS_GROWTH_WINDOW && i < index; i++)
    keep (store, growth, i, growth->depth);
  if (distance < TS_GROWTH_WINDOW)
    keep (store, growth, index, depth);
  else
    growth->n = 0;
  growth->before = growth->depth;
  growth->distance = distance;
  growth->index = index;
  growth->depth = depth;
}

/* Do the last `n` differences between iterations `distance` apart agree? */
static gboolean
grows_evenly (const gint64 *depths, guint n_depths, guint distance, guint n)
{
  const gint64 *last = depths + n_depths - 1;

  for (guint i = 1; i < n; i++)
    if (*(last - i) - *(last - i - distance) != *last - *(last - distance))
      return FALSE;
  return TRUE;
}

/* A chain that spans several iterations grows in steps, as often as it comes round: the shortest distance over which it grows
 * evenly, always or at least in the later half, tells its rate; where none does, all iterations there are. */
static gint64
rate_of (const gint64 *depths, guint n)
{
  guint distance = 0;

  for (guint d = 1; distance == 0 && d + 2 <= n; d++)
    distance = grows_evenly (depths, n, d, n - d) ? d : 0;
  for (guint d = 1; distance == 0 && d + MAX (MAX (d, n / 2), 2) <= n; d++)
    distance = grows_evenly (depths, n, d, MAX (MAX (d, n / 2), 2)) ? d : 0;
  distance = distance > 0 ? distance : n - 1;
  return MAX (ts_ceil_div (depths[n - 1] - depths[n - 1 - distance], distance), 0);
}

gint64
ts_growth_settle (const TsGrowthStore *store, TsGrowth *growth)
{
  gint64 depths[TS_GROWTH_WINDOW];

  if (growth->n >= 2 && growth->n <= FEW)
    growth->growth = rate_of (ts_column_at (&store->few, growth->few - 1), growth->n);
  else if (growth->n > FEW)
    {
      const gint64 *many = ts_column_at (&store->many, growth->many - 1);
      for (guint i = 0; i < growth->n; i++)
        depths[i] = many[(guint64) (growth->index - growth->n + 1 + i) % TS_GROWTH_WINDOW];
      growth->growth = rate_of (depths, growth->n);
    }
  else if (growth->distance > 0)
    growth->growth = MAX (ts_ceil_div (growth->depth - growth->before, growth->distance), 0);
  growth->n = 0;
  growth->distance = 0;
  return growth->growth;
}
