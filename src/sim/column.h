/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of millions of entries that grow without ever moving what they hold: an array that is copied to twice its place keeps
 * whoever waits for a cancelled simulation waiting for as long as all of it takes to copy. */
#pragma once

#include <string.h>

#include "sim/sort.h"

G_BEGIN_DECLS

#define TS_COLUMN_FIRST 64u  /* entries of the first block; each block has twice as many as the one before */
#define TS_COLUMN_BLOCKS 26u /* enough for 2^31 entries */

typedef struct
{
  char *blocks[TS_COLUMN_BLOCKS];
  char *next;   /* where the next entry goes, */
  guint left;   /* and how many more fit behind it */
  guint len;
  guint size;   /* of an entry, bytes */
} TsColumn;

/* An empty column; free what it holds with ts_column_clear() or take it out with ts_column_take(). */
void ts_column_init (TsColumn *column, guint size);
void ts_column_clear (TsColumn *column);
/* Room for one more entry in a fresh block. */
void ts_column_grow (TsColumn *column);
/* All entries one after the other, owned by the caller (g_free), and the column is empty. `stop` (may be NULL) is asked between
 * pieces of a few hundred kilobytes; NULL: it said so, and the entries are gone. Never NULL otherwise. */
gpointer ts_column_take (TsColumn *column, TsSortStop stop, gconstpointer stop_data);

/* Copies `size` bytes, the size of an entry, behind the last one. */
static inline void
ts_column_append (TsColumn *column, gconstpointer entry, gsize size)
{
  if (G_UNLIKELY (column->left == 0))
    ts_column_grow (column);
  memcpy (column->next, entry, size);
  column->next += size;
  column->left--;
  column->len++;
}

#define ts_column_add(column, value) ts_column_append ((column), &(value), sizeof (value))

/* Entry `i`, which stays where it is for as long as the column holds it. */
static inline gpointer
ts_column_at (const TsColumn *column, guint i)
{
  guint64 k = (guint64) i + TS_COLUMN_FIRST;
  guint block = (guint) (63 - __builtin_clzll (k)) - (guint) __builtin_ctz (TS_COLUMN_FIRST);

  return column->blocks[block] + (gsize) (k - ((guint64) TS_COLUMN_FIRST << block)) * column->size;
}

#define ts_column_index(column, type, i) (*(type *) ts_column_at ((column), (guint) (i)))

G_END_DECLS
