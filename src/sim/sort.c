/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting millions of entries in pieces, so that it can be cancelled. */
#include "sim/analysis.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 32768u

typedef struct
{
  char        *data, *spare;
  gsize        size; /* of an entry */
  gsize        n;
  GCompareFunc compare;
} Sort;

/* Merges [from, middle) and [middle, to) of data into spare. */
static void
merge (Sort *s, gsize from, gsize middle, gsize to)
{
  gsize i = from, j = middle;

  for (gsize k = from; k < to; k++)
    {
      gboolean left = i < middle && (j >= to || s->compare (s->data + i * s->size, s->data + j * s->size) <= 0);
      gsize source = left ? i++ : j++;
      memcpy (s->spare + k * s->size, s->data + source * s->size, s->size);
    }
}

static gboolean
is_sorted (const Sort *s)
{
  for (gsize i = 1; i < s->n; i++)
    if (s->compare (s->data + (i - 1) * s->size, s->data + i * s->size) > 0)
      return FALSE;
  return TRUE;
}

void
ts_analysis_sort (GArray *array, GCompareFunc compare, GCancellable *cancellable)
{
  Sort s = { .data = array->data, .size = g_array_get_element_size (array), .n = array->len, .compare = compare };
  g_autofree char *buffer = NULL;
  gboolean swapped = FALSE;

  if (is_sorted (&s))
    return;
  buffer = g_malloc (s.size * s.n);
  s.spare = buffer;
  for (gsize from = 0; from < s.n && !g_cancellable_is_cancelled (cancellable); from += BLOCK)
    qsort (s.data + from * s.size, MIN (BLOCK, s.n - from), s.size, compare);
  for (gsize width = BLOCK; width < s.n; width *= 2)
    {
      for (gsize from = 0; from < s.n; from += 2 * width)
        {
          if (g_cancellable_is_cancelled (cancellable))
            return;
          merge (&s, from, MIN (from + width, s.n), MIN (from + 2 * width, s.n));
        }
      char *t = s.data;
      s.data = s.spare;
      s.spare = t;
      swapped = !swapped;
    }
  if (swapped)
    memcpy (array->data, s.data, s.size * s.n);
}
