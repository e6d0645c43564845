/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bump allocation in blocks that grow, so that small modules stay small and large ones need few system calls. Blocks of arenas that
 * have grown large are mapped with huge pages: walking a module of a million operations then misses in the memory's own tables far
 * less, and there is one page fault where there were 512. */
#include "base/arena.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_BLOCK (4u * 1024u)
#define LARGEST_BLOCK (1024u * 1024u)
/* Size and alignment of huge pages, of the blocks made of them, and what an arena must hold before it gets some. */
#define HUGE_PAGE (2u * 1024u * 1024u)
#define HUGE_BLOCK (2u * HUGE_PAGE)
#define HUGE_FROM (3u * 1024u * 1024u)

/* The address sanitizer does not look for pointers in mappings it has not made: everything held by an arena would seem leaked. */
#if defined (MADV_HUGEPAGE) && !defined (__SANITIZE_ADDRESS__)
#define USE_HUGE_PAGES 1
#else
#define USE_HUGE_PAGES 0
#endif

typedef struct Block Block;
struct Block
{
  Block  *next;
  gsize   mapped; /* bytes of a mapping; 0: from the allocator */
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

      if (block->mapped > 0)
        munmap (block, block->mapped);
      else
        g_free (block);
      block = next;
    }
  g_free (arena);
}

/* HUGE_BLOCK zeroed bytes on a huge page's boundary; NULL when they cannot be had. */
static Block *
map_huge_block (void)
{
#if USE_HUGE_PAGES
  char *mapping = mmap (NULL, HUGE_BLOCK + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  gsize before;

  if (mapping == MAP_FAILED)
    return NULL;
  before = (HUGE_PAGE - GPOINTER_TO_SIZE (mapping) % HUGE_PAGE) % HUGE_PAGE;
  if (before > 0)
    munmap (mapping, before);
  if (before < HUGE_PAGE)
    munmap (mapping + before + HUGE_BLOCK, HUGE_PAGE - before);
  madvise (mapping + before, HUGE_BLOCK, MADV_HUGEPAGE); /* only advice: small pages work too */
  ((Block *) (mapping + before))->mapped = HUGE_BLOCK;
  return (Block *) (mapping + before);
#else
  return NULL;
#endif
}

/* The next block to fill; *size is what it holds for its user. */
static Block *
next_block (TsArena *arena, gsize *size)
{
  Block *block = arena->total >= HUGE_FROM ? map_huge_block () : NULL;

  *size = HUGE_BLOCK - sizeof (Block);
  if (block == NULL)
    {
      *size = arena->next_size;
      block = g_malloc0 (sizeof (Block) + *size);
      arena->next_size = MIN (arena->next_size * 2, LARGEST_BLOCK);
    }
  return block;
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
      gsize room;
      Block *block;

      if (size > arena->next_size / 4)
        return alloc_large (arena, size);
      block = next_block (arena, &room);
      block->next = arena->blocks;
      arena->blocks = block;
      arena->cursor = (char *) block->payload;
      arena->end = arena->cursor + room;
      arena->total += sizeof (Block) + room;
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
