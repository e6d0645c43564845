/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting millions of entries in pieces, so that it can be cancelled. */
#include "sim/sort.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 4096u /* entries sorted or merged between two looks: about a millisecond */

typedef struct
{
  char         *data, *spare;
  gsize         size; /* of an entry */
  gsize         n;
  GCompareFunc  compare;
  TsSortStop    stop;
  gconstpointer stop_data;
} Sort;

static gboolean
stopped (const Sort *s, gsize k)
{
  return k % BLOCK == 0 && s->stop (s->stop_data);
}

/* Merges [from, middle) and [middle, to) of data into spare. */
static gboolean
merge (Sort *s, gsize from, gsize middle, gsize to)
{
  gsize i = from, j = middle;

  for (gsize k = from; k < to; k++)
    {
      if (stopped (s, k))
        return FALSE;
      gboolean left = i < middle && (j >= to || s->compare (s->data + i * s->size, s->data + j * s->size) <= 0);
      gsize source = left ? i++ : j++;
      memcpy (s->spare + k * s->size, s->data + source * s->size, s->size);
    }
  return TRUE;
}

static gboolean
is_sorted (const Sort *s)
{
  for (gsize i = 1; i < s->n; i++)
    if (stopped (s, i) || s->compare (s->data + (i - 1) * s->size, s->data + i * s->size) > 0)
      return FALSE;
  return TRUE;
}

gboolean
ts_sort_pieces (gpointer data, gsize n, gsize size, GCompareFunc compare, TsSortStop stop, gconstpointer stop_data)
{
  Sort s = { .data = data, .size = size, .n = n, .compare = compare, .stop = stop, .stop_data = stop_data };
  g_autofree char *buffer = NULL;

  if (is_sorted (&s))
    return TRUE;
  buffer = g_malloc (s.size * s.n);
  s.spare = buffer;
  for (gsize from = 0; from < s.n; from += BLOCK)
    {
      if (stopped (&s, from))
        return FALSE;
      qsort (s.data + from * s.size, MIN (BLOCK, s.n - from), s.size, compare);
    }
  for (gsize width = BLOCK; width < s.n; width *= 2)
    {
      for (gsize from = 0; from < s.n; from += 2 * width)
        if (!merge (&s, from, MIN (from + width, s.n), MIN (from + 2 * width, s.n)))
          return FALSE;
      char *t = s.data;
      s.data = s.spare;
      s.spare = t;
    }
  for (gsize from = 0; s.data != (char *) data && from < s.n; from += BLOCK)
    {
      if (stopped (&s, from))
        return FALSE;
      memcpy ((char *) data + from * s.size, s.data + from * s.size, s.size * MIN (BLOCK, s.n - from));
    }
  return TRUE;
}
