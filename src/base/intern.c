/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open addressing over arena copies: a look-up by (text, length) needs no terminated copy, as GLib's tables would. */
#include "base/intern.h"

#include <string.h>

#include "base/arena.h"

typedef struct
{
  const char *text;
  guint32     hash;
  guint32     length;
} Slot;

struct TsStrings
{
  gatomicrefcount refs;
  GMutex          lock;
  TsArena        *arena;
  Slot           *slots;
  gsize           n_slots; /* a power of two */
  gsize           n_used;
};

TsStrings *
ts_strings_new (void)
{
  TsStrings *strings = g_new0 (TsStrings, 1);

  g_atomic_ref_count_init (&strings->refs);
  g_mutex_init (&strings->lock);
  strings->arena = ts_arena_new ();
  strings->n_slots = 256;
  strings->slots = g_new0 (Slot, strings->n_slots);
  return strings;
}

TsStrings *
ts_strings_ref (TsStrings *strings)
{
  g_atomic_ref_count_inc (&strings->refs);
  return strings;
}

void
ts_strings_unref (TsStrings *strings)
{
  if (strings == NULL || !g_atomic_ref_count_dec (&strings->refs))
    return;
  g_mutex_clear (&strings->lock);
  ts_arena_free (strings->arena);
  g_free (strings->slots);
  g_free (strings);
}

static guint32
hash_text (const char *text, gsize length)
{
  guint64 h = 0xcbf29ce484222325u ^ length;

  while (length >= 8)
    {
      guint64 word;

      memcpy (&word, text, 8);
      h = (h ^ word) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
      text += 8;
      length -= 8;
    }
  for (gsize i = 0; i < length; i++)
    h = (h ^ (guchar) text[i]) * 0x100000001b3u;
  h ^= h >> 32;
  return (guint32) h;
}

static Slot *
find_slot (Slot *slots, gsize n_slots, guint32 hash, const char *text, gsize length)
{
  gsize i = hash & (n_slots - 1);

  while (slots[i].text != NULL
         && (slots[i].hash != hash || slots[i].length != length || memcmp (slots[i].text, text, length) != 0))
    i = (i + 1) & (n_slots - 1);
  return &slots[i];
}

static void
grow (TsStrings *strings)
{
  gsize n_slots = strings->n_slots * 2;
  Slot *slots = g_new0 (Slot, n_slots);

  for (gsize i = 0; i < strings->n_slots; i++)
    {
      const Slot *old = &strings->slots[i];

      if (old->text != NULL)
        *find_slot (slots, n_slots, old->hash, old->text, old->length) = *old;
    }
  g_free (strings->slots);
  strings->slots = slots;
  strings->n_slots = n_slots;
}

const char *
ts_intern_n (TsStrings *strings, const char *text, gsize length)
{
  guint32 hash = hash_text (text, length);
  const char *result;
  Slot *slot;

  g_mutex_lock (&strings->lock);
  slot = find_slot (strings->slots, strings->n_slots, hash, text, length);
  if (slot->text == NULL)
    {
      slot->text = ts_arena_strndup (strings->arena, text, length);
      slot->hash = hash;
      slot->length = (guint32) length;
      result = slot->text;
      if (++strings->n_used * 2 > strings->n_slots)
        grow (strings);
    }
  else
    result = slot->text;
  g_mutex_unlock (&strings->lock);
  return result;
}

const char *
ts_intern (TsStrings *strings, const char *text)
{
  return ts_intern_n (strings, text, strlen (text));
}
