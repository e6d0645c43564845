/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slots: computed once, by whoever asks first. */

#include "run/run-private.h"

/* How often a thread that waits for another looks whether it was cancelled. */
#define WAIT_MICROSECONDS (30 * G_TIME_SPAN_MILLISECOND)

void
ts_slot_init (TsSlot *slot)
{
  g_mutex_init (&slot->lock);
  g_cond_init (&slot->cond);
  slot->value = NULL;
  slot->busy = FALSE;
}

void
ts_slot_clear (TsSlot *slot)
{
  g_mutex_clear (&slot->lock);
  g_cond_clear (&slot->cond);
}

gboolean
ts_slot_begin (TsSlot *slot, GCancellable *cancellable, gpointer *value)
{
  gboolean cancelled = FALSE;

  *value = NULL;
  g_mutex_lock (&slot->lock);
  while (slot->busy && !cancelled)
    {
      g_cond_wait_until (&slot->cond, &slot->lock, g_get_monotonic_time () + WAIT_MICROSECONDS);
      cancelled = g_cancellable_is_cancelled (cancellable);
    }
  if (!cancelled)
    {
      *value = slot->value;
      slot->busy = slot->value == NULL;
    }
  g_mutex_unlock (&slot->lock);
  return !cancelled;
}

gpointer
ts_slot_peek (TsSlot *slot)
{
  gpointer value;

  g_mutex_lock (&slot->lock);
  value = slot->value;
  g_mutex_unlock (&slot->lock);
  return value;
}

gpointer
ts_slot_end (TsSlot *slot, gpointer value)
{
  g_mutex_lock (&slot->lock);
  slot->value = value;
  slot->busy = FALSE;
  g_cond_broadcast (&slot->cond);
  g_mutex_unlock (&slot->lock);
  return value;
}
