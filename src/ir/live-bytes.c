/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lives are cut into changes; summed in order they are the curve. */
#include "ir/live-bytes.h"

#include "base/number.h"

typedef struct
{
  guint32 position;
  gint64  change;
} Event;

static gint
compare_events (gconstpointer x, gconstpointer y)
{
  const Event *a = x, *b = y;
  return a->position < b->position ? -1 : a->position > b->position;
}

GArray *
ts_live_bytes_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (Event));
}

void
ts_live_bytes_add (GArray *events, guint32 from, guint32 end, gint64 bytes)
{
  Event up = { from, bytes }, down = { end, -bytes };
  g_array_append_val (events, up);
  g_array_append_val (events, down);
}

guint32
ts_live_bytes_curve (GArray *events, TsLiveBytes *steps, gint64 *peak, guint32 *peak_at)
{
  gint64 bytes = 0, last = 0, most = 0;
  guint32 n = 0, at = 0;
  g_array_sort (events, compare_events);
  for (guint i = 0; i < events->len; i++)
    {
      const Event *event = &g_array_index (events, Event, i);
      bytes = ts_add_sat (bytes, event->change);
      if (i + 1 < events->len && g_array_index (events, Event, i + 1).position == event->position)
        continue; /* what ends where another begins was not live with it */
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
  if (peak != NULL)
    *peak = most;
  if (peak_at != NULL)
    *peak_at = at;
  return n;
}
