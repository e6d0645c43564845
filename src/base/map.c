/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers to numbers, by open addressing with linear probing; at most half full. */
#include "base/map.h"

void
ts_map_clear (TsMap *map)
{
  g_free (map->keys);
  g_free (map->values);
  *map = (TsMap) { NULL, NULL, 0, 0 };
}

static void
grow (TsMap *map)
{
  TsMap larger = { .mask = map->mask == 0 ? 15 : map->mask * 2 + 1, .n = map->n };
  larger.keys = g_new0 (guint64, larger.mask + 1);
  larger.values = g_new (guint64, larger.mask + 1);
  for (gsize i = 0; map->keys != NULL && i <= map->mask; i++)
    {
      if (map->keys[i] == 0)
        continue;
      gsize k = ts_map_slot (&larger, map->keys[i] - 1);
      while (larger.keys[k] != 0)
        k = (k + 1) & larger.mask;
      larger.keys[k] = map->keys[i];
      larger.values[k] = map->values[i];
    }
  g_free (map->keys);
  g_free (map->values);
  *map = larger;
}

void
ts_map_set (TsMap *map, guint64 key, guint64 value)
{
  if (map->keys == NULL || map->n * 2 > map->mask)
    grow (map);
  gsize i = ts_map_slot (map, key);
  while (map->keys[i] != 0 && map->keys[i] != key + 1)
    i = (i + 1) & map->mask;
  if (map->keys[i] == 0)
    map->n++;
  map->keys[i] = key + 1;
  map->values[i] = value;
}
