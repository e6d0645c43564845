/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bit set with summaries: bit i of level k + 1 says whether word i of level k holds anything. */
#include "passes/ready-queue.h"

/* 64^6 exceeds 32 bits. */
#define MAX_LEVELS 6

struct TsReadyQueue
{
  guint    n_levels;
  guint64 *levels[MAX_LEVELS];
  gsize    n_words[MAX_LEVELS];
};

TsReadyQueue *
ts_ready_queue_new (guint32 n)
{
  TsReadyQueue *queue = g_new0 (TsReadyQueue, 1);
  gsize words = n;
  do
    {
      words = (words + 63) / 64;
      if (words == 0)
        words = 1;
      queue->levels[queue->n_levels] = g_new0 (guint64, words);
      queue->n_words[queue->n_levels++] = words;
    }
  while (words > 1);
  return queue;
}

void
ts_ready_queue_free (TsReadyQueue *queue)
{
  if (queue == NULL)
    return;
  for (guint i = 0; i < queue->n_levels; i++)
    g_free (queue->levels[i]);
  g_free (queue);
}

void
ts_ready_queue_add (TsReadyQueue *queue, guint32 number)
{
  for (guint i = 0; i < queue->n_levels; i++, number /= 64)
    queue->levels[i][number / 64] |= G_GUINT64_CONSTANT (1) << (number % 64);
}

void
ts_ready_queue_remove (TsReadyQueue *queue, guint32 number)
{
  for (guint i = 0; i < queue->n_levels; i++, number /= 64)
    {
      queue->levels[i][number / 64] &= ~(G_GUINT64_CONSTANT (1) << (number % 64));
      if (queue->levels[i][number / 64] != 0)
        return;
    }
}

/* Down from a word of a level that is known to hold something. */
static guint32
descend (const TsReadyQueue *queue, guint level, gsize word)
{
  for (;; level--)
    {
      word = word * 64 + (gsize) __builtin_ctzll (queue->levels[level][word]);
      if (level == 0)
        return (guint32) word;
    }
}

guint32
ts_ready_queue_first (const TsReadyQueue *queue)
{
  guint top = queue->n_levels - 1;
  return queue->levels[top][0] != 0 ? descend (queue, top, 0) : TS_READY_NONE;
}

guint32
ts_ready_queue_next (const TsReadyQueue *queue, guint32 number)
{
  gsize at = number;
  for (guint i = 0; i < queue->n_levels; i++, at /= 64)
    {
      guint bit = (guint) (at % 64);
      guint64 above = bit == 63 ? 0 : queue->levels[i][at / 64] & (~G_GUINT64_CONSTANT (0) << (bit + 1));
      if (above == 0)
        continue;
      gsize found = at / 64 * 64 + (gsize) __builtin_ctzll (above);
      return i == 0 ? (guint32) found : descend (queue, i - 1, found);
    }
  return TS_READY_NONE;
}
