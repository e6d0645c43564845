/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lives are cut into changes. Over the changes in order of position goes a segment tree of the places where ranges begin or end:
 * each node knows how often all of it is covered and how many of its bytes are. */
#include "ir/live-bytes.h"

#include "base/number.h"

typedef struct
{
  guint32 from, end;
  gint64  low, high;
} Life;

typedef struct
{
  guint32 position;
  guint32 life;
  gint32  change; /* +1: begins, -1: ends */
} Event;

/* Heap order: the children of node i are 2 i and 2 i + 1; the root is 1. */
typedef struct
{
  guint32 covers;
  gint64  bytes;
} Node;

typedef struct
{
  const gint64 *places; /* ascending, each once; leaf k lies between places k and k + 1 */
  guint32       n_places;
  guint32       width;  /* leaves: a power of two */
  Node         *nodes;
} Cover;

GArray *
ts_live_bytes_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (Life));
}

void
ts_live_bytes_add (GArray *lives, guint32 from, guint32 end, gint64 low, gint64 high)
{
  Life life = { from, end, low, high };
  if (from < end && low < high)
    g_array_append_val (lives, life);
}

/* --- the places --------------------------------------------------------------------------------------------------------- */

static gint
compare_places (gconstpointer x, gconstpointer y)
{
  gint64 a = *(const gint64 *) x, b = *(const gint64 *) y;
  return a < b ? -1 : a > b;
}

static GArray *
collect_places (const GArray *lives)
{
  GArray *places = g_array_sized_new (FALSE, FALSE, sizeof (gint64), lives->len * 2);
  guint n = 0;
  for (guint i = 0; i < lives->len; i++)
    {
      const Life *life = &g_array_index (lives, Life, i);
      g_array_append_val (places, life->low);
      g_array_append_val (places, life->high);
    }
  g_array_sort (places, compare_places);
  for (guint i = 0; i < places->len; i++)
    if (i == 0 || g_array_index (places, gint64, i) != g_array_index (places, gint64, n - 1))
      g_array_index (places, gint64, n++) = g_array_index (places, gint64, i);
  g_array_set_size (places, n);
  return places;
}

static guint32
place_of (const Cover *c, gint64 at)
{
  guint32 low = 0, high = c->n_places;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (c->places[middle] < at)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* --- covering ----------------------------------------------------------------------------------------------------------- */

static gint64
bytes_between (const Cover *c, guint32 first, guint32 end)
{
  gint64 bytes;
  first = MIN (first, c->n_places - 1);
  end = MIN (end, c->n_places - 1);
  return ts_sub (c->places[end], c->places[first], &bytes) ? bytes : G_MAXINT64;
}

/* Leaves from .. end - 1 are covered once more or once less; the node has leaves first .. first + width - 1. The depth is the
 * logarithm of the number of places. */
static void
cover (Cover *c, guint32 node, guint32 first, guint32 width, guint32 from, guint32 end, gint32 change)
{
  Node *n = &c->nodes[node];
  if (end <= first || first + width <= from)
    return;
  if (from <= first && first + width <= end)
    n->covers = (guint32) ((gint32) n->covers + change);
  else
    {
      cover (c, 2 * node, first, width / 2, from, end, change);
      cover (c, 2 * node + 1, first + width / 2, width / 2, from, end, change);
    }
  if (n->covers > 0)
    n->bytes = bytes_between (c, first, first + width);
  else
    n->bytes = width > 1 ? ts_add_sat (c->nodes[2 * node].bytes, c->nodes[2 * node + 1].bytes) : 0;
}

/* --- the curve ---------------------------------------------------------------------------------------------------------- */

static gint
compare_events (gconstpointer x, gconstpointer y)
{
  const Event *a = x, *b = y;
  if (a->position != b->position)
    return a->position < b->position ? -1 : 1;
  return a->life < b->life ? -1 : a->life > b->life;
}

static GArray *
collect_events (const GArray *lives)
{
  GArray *events = g_array_sized_new (FALSE, FALSE, sizeof (Event), lives->len * 2);
  for (guint i = 0; i < lives->len; i++)
    {
      const Life *life = &g_array_index (lives, Life, i);
      Event begin = { life->from, i, 1 }, end = { life->end, i, -1 };
      g_array_append_val (events, begin);
      g_array_append_val (events, end);
    }
  g_array_sort (events, compare_events);
  return events;
}

guint32
ts_live_bytes_curve (const GArray *lives, TsLiveBytes *steps, gint64 *peak, guint32 *peak_at)
{
  g_autoptr (GArray) places = collect_places (lives), events = collect_events (lives);
  Cover c = { .places = (const gint64 *) (gconstpointer) places->data, .n_places = places->len, .width = 1 };
  gint64 last = 0, most = 0;
  guint32 n = 0, at = 0;
  while (c.width < places->len)
    c.width *= 2;
  c.nodes = g_new0 (Node, (gsize) c.width * 2);
  for (guint i = 0; i < events->len; i++)
    {
      const Event *event = &g_array_index (events, Event, i);
      const Life *life = &g_array_index (lives, Life, event->life);
      cover (&c, 1, 0, c.width, place_of (&c, life->low), place_of (&c, life->high), event->change);
      if (i + 1 < events->len && g_array_index (events, Event, i + 1).position == event->position)
        continue; /* what ends where another begins was not live with it */
      gint64 bytes = c.nodes[1].bytes;
      if ((n == 0 || last != bytes) && steps != NULL)
        steps[n] = (TsLiveBytes) { event->position, bytes };
      n += n == 0 || last != bytes;
      last = bytes;
      if (bytes > most)
        {
          most = bytes;
          at = event->position;
        }
    }
  g_free (c.nodes);
  if (peak != NULL)
    *peak = most;
  if (peak_at != NULL)
    *peak_at = at;
  return n;
}
