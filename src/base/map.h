/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers to numbers, by open addressing: what a dense array by id cannot do when a function uses few of a module's many ids. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Keys are any 64-bit numbers but G_MAXUINT64. Zero-initialise to make an empty one; no entry is ever removed. */
typedef struct
{
  guint64 *keys;   /* key + 1; 0: free */
  guint64 *values;
  gsize    mask;   /* slots - 1; slots is a power of two, 0 while empty */
  gsize    n;
} TsMap;

void ts_map_clear (TsMap *map);
/* Inserts or replaces. Amortised O(1). */
void ts_map_set (TsMap *map, guint64 key, guint64 value);

/* Mixes all bits of the key (multiplication by 2^64 over the golden ratio), so that dense ids spread. */
static inline gsize
ts_map_slot (const TsMap *map, guint64 key)
{
  guint64 h = (key + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (gsize) (h ^ (h >> 32)) & map->mask;
}

static inline guint64
ts_map_get (const TsMap *map, guint64 key, guint64 fallback)
{
  if (map->n == 0)
    return fallback;
  for (gsize i = ts_map_slot (map, key); map->keys[i] != 0; i = (i + 1) & map->mask)
    if (map->keys[i] == key + 1)
      return map->values[i];
  return fallback;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TsMap, ts_map_clear)

G_END_DECLS
