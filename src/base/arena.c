/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bump allocation in blocks that grow, so that small modules stay small and large ones need few system calls. */
#include "base/arena.h"

#include <string.h>

#define FIRST_BLOCK (4u * 1024u)
#define LARGEST_BLOCK (1024u * 1024u)

typedef struct Block Block;
struct Block
{
  Block *next;
  guint64 payload[];
};

struct TsArena
{
  gatomicrefcount refs;
  Block *blocks;
  char  *cursor;
  char  *end;
  gsize  next_size;
  gsize  total;
};

TsArena *
ts_arena_new (void)
{
  TsArena *arena = g_new0 (TsArena, 1);

  g_atomic_ref_count_init (&arena->refs);
  arena->next_size = FIRST_BLOCK;
  return arena;
}

TsArena *
ts_arena_ref (TsArena *arena)
{
  g_atomic_ref_count_inc (&arena->refs);
  return arena;
}

void
ts_arena_free (TsArena *arena)
{
  if (arena == NULL || !g_atomic_ref_count_dec (&arena->refs))
    return;
  for (Block *block = arena->blocks; block != NULL;)
    {
      Block *next = block->next;

      g_free (block);
      block = next;
    }
  g_free (arena);
}

/* A request larger than a block gets a block of its own, put behind the current one so that the rest of that stays usable. */
static gpointer
alloc_large (TsArena *arena, gsize size)
{
  Block *block = g_malloc0 (sizeof (Block) + size);

  arena->total += sizeof (Block) + size;
  if (arena->blocks == NULL)
    arena->blocks = block;
  else
    {
      block->next = arena->blocks->next;
      arena->blocks->next = block;
    }
  return block->payload;
}

gpointer
ts_arena_alloc (TsArena *arena, gsize size)
{
  g_assert (size < G_MAXSSIZE / 2);
  size = (MAX (size, 1) + 7u) & ~(gsize) 7u;
  if (G_UNLIKELY ((gsize) (arena->end - arena->cursor) < size))
    {
      Block *block;

      if (size > arena->next_size / 4)
        return alloc_large (arena, size);
      block = g_malloc0 (sizeof (Block) + arena->next_size);
      block->next = arena->blocks;
      arena->blocks = block;
      arena->cursor = (char *) block->payload;
      arena->end = arena->cursor + arena->next_size;
      arena->total += sizeof (Block) + arena->next_size;
      arena->next_size = MIN (arena->next_size * 2, LARGEST_BLOCK);
    }
  gpointer result = arena->cursor;
  arena->cursor += size;
  return result;
}

gpointer
ts_arena_memdup (TsArena *arena, gconstpointer data, gsize size)
{
  gpointer copy;

  if (data == NULL || size == 0)
    return NULL;
  copy = ts_arena_alloc (arena, size);
  memcpy (copy, data, size);
  return copy;
}

char *
ts_arena_strndup (TsArena *arena, const char *text, gsize length)
{
  char *copy = ts_arena_alloc (arena, length + 1);

  if (length > 0)
    memcpy (copy, text, length);
  return copy;
}

gsize
ts_arena_bytes (const TsArena *arena)
{
  return arena->total;
}
