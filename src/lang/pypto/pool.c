/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chunks are kept when released, so that reading a million statements asks the system for memory a few times. */
#include "lang/pypto/pool.h"

#include <string.h>

#define CHUNK_BYTES (64u * 1024u)

typedef struct
{
  char *data;
  gsize size;
} Chunk;

struct TsPool
{
  GArray *chunks;
  gsize   chunk; /* the one in use */
  gsize   used;  /* of it */
};

TsPool *
ts_pool_new (void)
{
  TsPool *pool = g_new0 (TsPool, 1);
  Chunk first = { g_malloc (CHUNK_BYTES), CHUNK_BYTES };

  pool->chunks = g_array_new (FALSE, FALSE, sizeof (Chunk));
  g_array_append_val (pool->chunks, first);
  return pool;
}

void
ts_pool_free (TsPool *pool)
{
  if (pool == NULL)
    return;
  for (guint i = 0; i < pool->chunks->len; i++)
    g_free (g_array_index (pool->chunks, Chunk, i).data);
  g_array_unref (pool->chunks);
  g_free (pool);
}

/* Goes to the next chunk that holds `size`; one too small for it is left unused until the next release. */
static void
next_chunk (TsPool *pool, gsize size)
{
  do
    {
      pool->chunk++;
      if (pool->chunk == pool->chunks->len)
        {
          gsize bytes = MAX (CHUNK_BYTES, size);
          Chunk chunk = { g_malloc (bytes), bytes };

          g_array_append_val (pool->chunks, chunk);
        }
    }
  while (g_array_index (pool->chunks, Chunk, pool->chunk).size < size);
  pool->used = 0;
}

gpointer
ts_pool_alloc (TsPool *pool, gsize size)
{
  gpointer result;

  size = (size + 7) & ~(gsize) 7;
  if (size > g_array_index (pool->chunks, Chunk, pool->chunk).size - pool->used)
    next_chunk (pool, size);
  result = g_array_index (pool->chunks, Chunk, pool->chunk).data + pool->used;
  pool->used += size;
  return memset (result, 0, size);
}

char *
ts_pool_strndup (TsPool *pool, const char *text, gsize length)
{
  char *copy = ts_pool_alloc (pool, length + 1);

  if (length > 0)
    memcpy (copy, text, length);
  return copy;
}

TsPoolMark
ts_pool_mark (const TsPool *pool)
{
  return (TsPoolMark) { pool->chunk, pool->used };
}

void
ts_pool_release (TsPool *pool, TsPoolMark mark)
{
  pool->chunk = mark.chunk;
  pool->used = mark.used;
}
