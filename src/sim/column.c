/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks that double in size: an entry's block follows from its number alone. */
#include "sim/column.h"

#define PIECE ((gsize) 256 * 1024) /* bytes copied between two questions */

static gsize
block_entries (guint block)
{
  return (gsize) TS_COLUMN_FIRST << block;
}

void
ts_column_init (TsColumn *column, guint size)
{
  *column = (TsColumn) { .size = size };
}

void
ts_column_clear (TsColumn *column)
{
  for (guint b = 0; b < TS_COLUMN_BLOCKS; b++)
    g_free (column->blocks[b]);
  ts_column_init (column, column->size);
}

void
ts_column_grow (TsColumn *column)
{
  guint block = 0;

  while (column->blocks[block] != NULL)
    block++;
  column->blocks[block] = g_malloc (block_entries (block) * column->size);
  column->next = column->blocks[block];
  column->left = (guint) block_entries (block);
}

/* FALSE: told to leave off. */
static gboolean
copy_pieces (char *to, const char *from, gsize bytes, TsSortStop stop, gconstpointer stop_data)
{
  for (gsize at = 0; at < bytes; at += PIECE)
    {
      if (stop != NULL && at > 0 && stop (stop_data))
        return FALSE;
      memcpy (to + at, from + at, MIN (PIECE, bytes - at));
    }
  return TRUE;
}

gpointer
ts_column_take (TsColumn *column, TsSortStop stop, gconstpointer stop_data)
{
  gsize left = (gsize) column->len * column->size, at = 0;
  char *all = g_malloc (MAX (left, 1));
  gboolean going = TRUE;

  for (guint b = 0; left > 0 && going; b++)
    {
      gsize bytes = MIN (left, block_entries (b) * column->size);
      going = copy_pieces (all + at, column->blocks[b], bytes, stop, stop_data) && (stop == NULL || !stop (stop_data));
      g_clear_pointer (&column->blocks[b], g_free);
      at += bytes;
      left -= bytes;
    }
  ts_column_clear (column);
  if (!going)
    g_clear_pointer (&all, g_free);
  return all;
}
