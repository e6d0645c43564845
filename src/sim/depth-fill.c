/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The longest chain through loops that were filled in: what one copy does to the depths of values is a matrix over (max, +), many
 * copies are a power of it. Values are what lies in segments of buffers, in scalars and in FIFOs. Loops that were filled in inside
 * a copy are powers within its matrix. */
#include "sim/depth-private.h"

#include <string.h>

#include "base/number.h"

#define NEVER (G_MININT64 / 4)
#define MAX_VARIABLES 128u
#define MAX_SYMBOLIC 10000000u
#define QUEUE ((gint64) 1 << 60) /* keys of what is in a FIFO begin here */

/* Keys: segment + 1; -(instruction + 1) for a scalar it makes; a place in the queue of a channel. */
typedef struct
{
  GHashTable *index; /* key to index + 1 */
  GArray     *keys;  /* gint64 */
} Variables;

/* One copy of the n-th fill on every core, executed on rows: entry c of a row is what lies between variable c before the copy and
 * the value at hand; the last entry counts from nothing. */
typedef struct
{
  Depth     *d;
  guint      n;              /* fill */
  gboolean   general;        /* what it only reads is a variable as well: it may differ from copy to copy of something around it */
  Variables  v;
  guint      width;
  gint64    *rows;           /* of each variable now */
  gint64    *made[TS_MAX_CORES]; /* rows of each instruction from .. at - 1 of each core */
  GArray   **queues;         /* per channel and producer: rows */
  guint     *heads;          /* per channel, producer and consumer: the next row to pop */
  guint      pos[TS_MAX_CORES], signal[TS_MAX_CORES];
  guint      inner;          /* next fill inside */
  gboolean   too_large;
} Copy;

static gint64
key_of_queue (guint channel, guint core, guint place)
{
  return QUEUE | (gint64) channel << 40 | (gint64) core << 32 | place;
}

static guint
variable_of (const Variables *v, gint64 key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (v->index, GSIZE_TO_POINTER ((gsize) key)));
}

static void
add_variable (Variables *v, gint64 key)
{
  if (variable_of (v, key) > 0)
    return;
  g_array_append_val (v->keys, key);
  g_hash_table_insert (v->index, GSIZE_TO_POINTER ((gsize) key), GUINT_TO_POINTER (v->keys->len));
}

/* --- what a copy reads and writes ------------------------------------------------------------------------------------------- */

static guint
period_length (const Copy *c, guint core)
{
  const TsFill *fill = depth_fill (c->d, core, c->n);
  const TsRepeat *repeat = &c->d->a->stream->repeats[c->d->first_fill[core] + c->n];

  return fill->at - repeat->boundary[1];
}

/* Where the scalar operand `k` of instruction i comes from: an instruction of this copy, or of the one before (then *before), or
 * from outside, always the same (*fixed). */
static gint64
scalar_source (const Copy *c, guint core, guint i, guint32 k, gboolean *before, gboolean *fixed)
{
  const TsStream *s = c->d->a->stream;
  const TsFill *fill = depth_fill (c->d, core, c->n);
  guint length = period_length (c, core);
  gint64 from = s->scalars[s->scalar_start[i] + k];

  *before = *fixed = FALSE;
  if (from >= (gint64) fill->from)
    return from;
  *fixed = i >= length && s->scalar_start[i - length] + k < s->scalar_start[i - length + 1]
           && s->scalars[s->scalar_start[i - length] + k] == from;
  *before = !*fixed;
  return *fixed ? from : from + (fill->at - fill->from);
}

static void
collect_instruction (Copy *c, guint core, guint i)
{
  const TsStream *s = c->d->a->stream;
  gint32 list = s->accesses[i];
  gboolean before, fixed;

  for (guint32 k = list < 0 ? 0 : s->access_start[list]; list >= 0 && k < s->access_start[list + 1]; k++)
    for (guint32 g = c->d->x.segment_first[k]; g < c->d->x.segment_end[k]; g++)
      if (c->general || (s->access[k].access & TS_ACCESS_WRITE) != 0)
        add_variable (&c->v, (gint64) g + 1);
  for (guint32 k = 0; k < s->scalar_start[i + 1] - s->scalar_start[i]; k++)
    {
      gint64 from = scalar_source (c, core, i, k, &before, &fixed);
      if (before || (fixed && c->general))
        add_variable (&c->v, -(from + 1));
    }
}

/* What somebody has still to pop. */
static guint
in_queue (const Depth *d, guint channel, guint producer, guint *first)
{
  const TsStream *s = d->a->stream;
  guint pushed = d->pushes[depth_channel (channel, producer)]->len, least = pushed;

  for (guint q = 0; q < s->n_cores; q++)
    if ((s->channels[channel].consumers >> q & 1) != 0)
      least = MIN (least, d->pops[depth_channel (channel, q)]);
  *first = least;
  return pushed - least;
}

static void
collect (Copy *c)
{
  const TsStream *s = c->d->a->stream;
  guint first;

  for (guint k = 0; k < s->n_cores; k++)
    for (guint i = c->d->n_fills[k] > 0 ? depth_fill (c->d, k, c->n)->from : 0;
         c->d->n_fills[k] > 0 && i < depth_fill (c->d, k, c->n)->at && c->v.keys->len <= MAX_VARIABLES; i++)
      collect_instruction (c, k, i);
  for (guint channel = 0; channel < s->n_channels; channel++)
    for (guint p = 0; p < s->n_cores; p++)
      for (guint n = (s->channels[channel].producers >> p & 1) != 0 ? MIN (in_queue (c->d, channel, p, &first), MAX_VARIABLES)
          : 0, i = 0;
           i < n; i++)
        add_variable (&c->v, key_of_queue (channel, p, i));
}

/* --- rows ------------------------------------------------------------------------------------------------------------------- */

static inline void
raise_row (gint64 *to, const gint64 *from, guint n, gint64 by)
{
  for (guint k = 0; k < n; k++)
    if (from[k] > NEVER && by > NEVER)
      to[k] = MAX (to[k], ts_add_sat (from[k], by));
}

static gint64 *
blank_row (Copy *c, gint64 *row)
{
  for (guint k = 0; k < c->width; k++)
    row[k] = NEVER;
  return row;
}

/* What is known of a variable without any copy. */
static gint64
value_of (const Depth *d, gint64 key)
{
  const TsMark *producer;

  if (key < 0)
    return d->a->depth[-key - 1];
  if (key < QUEUE)
    {
      producer = &d->x.segments[key - 1].producer;
      return producer->on >= 0 ? producer->time : NEVER;
    }
  guint channel = (guint) (key >> 40 & 0xfffff), core = (guint) (key >> 32 & 0xff), first;
  in_queue (d, channel, core, &first);
  return g_array_index (d->pushes[depth_channel (channel, core)], gint64, first + (guint) (key & 0xffffffff));
}

/* The row that stands for a key now; `spare` is filled in where it is a constant. NULL: nothing ever came of it. */
static gint64 *
row_of (Copy *c, gint64 key, gint64 *spare)
{
  guint at = variable_of (&c->v, key);

  if (key < 0)
    for (guint k = 0; k < c->d->a->stream->n_cores; k++)
      if (c->made[k] != NULL && -key - 1 >= (gint64) depth_fill (c->d, k, c->n)->from && -key - 1 < (gint64) c->pos[k])
        return c->made[k] + (gsize) (-key - 1 - depth_fill (c->d, k, c->n)->from) * c->width;
  if (key >= QUEUE)
    {
      guint channel = (guint) (key >> 40 & 0xfffff), core = (guint) (key >> 32 & 0xff), least = G_MAXUINT;
      const GArray *queue = c->queues[depth_channel (channel, core)];
      for (guint q = 0; q < c->d->a->stream->n_cores; q++)
        if ((c->d->a->stream->channels[channel].consumers >> q & 1) != 0)
          least = MIN (least, c->heads[depth_channel (channel, core) * TS_MAX_CORES + q]);
      gsize row = ((gsize) least + (gsize) (key & 0xffffffff)) * c->width;
      return least != G_MAXUINT && row < queue->len ? &g_array_index (queue, gint64, row) : NULL;
    }
  if (at > 0)
    return c->rows + (gsize) (at - 1) * c->width;
  blank_row (c, spare);
  spare[c->width - 1] = value_of (c->d, key);
  return spare;
}

/* The first core that has fills. */
static guint
lead_of (const Depth *d)
{
  guint k = 0;

  while (d->n_fills[k] == 0)
    k++;
  return k;
}

static void
set_up (Copy *c)
{
  const TsStream *s = c->d->a->stream;
  guint n_queues = s->n_channels * TS_MAX_CORES;

  c->width = c->v.keys->len + 1;
  c->rows = g_new (gint64, (gsize) c->width * c->width);
  for (guint k = 0; k < c->v.keys->len; k++)
    blank_row (c, c->rows + (gsize) k * c->width)[k] = 0;
  c->queues = g_new0 (GArray *, n_queues + 1);
  c->heads = g_new0 (guint, (gsize) n_queues * TS_MAX_CORES + 1);
  for (guint q = 0; q < n_queues; q++)
    c->queues[q] = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint channel = 0; channel < s->n_channels; channel++)
    for (guint p = 0; p < s->n_cores; p++)
      {
        guint first = 0, n = (s->channels[channel].producers >> p & 1) != 0 ? in_queue (c->d, channel, p, &first) : 0;
        for (guint i = 0; i < n; i++)
          g_array_append_vals (c->queues[depth_channel (channel, p)],
                               c->rows + (gsize) (variable_of (&c->v, key_of_queue (channel, p, i)) - 1) * c->width, c->width);
        for (guint q = 0; q < s->n_cores; q++)
          c->heads[depth_channel (channel, p) * TS_MAX_CORES + q]
              = (s->channels[channel].consumers >> q & 1) != 0 ? c->d->pops[depth_channel (channel, q)] - first : 0;
      }
  for (guint k = 0; k < s->n_cores; k++)
    {
      const TsFill *fill = c->d->n_fills[k] > 0 ? depth_fill (c->d, k, c->n) : NULL;
      guint lo = c->d->signal_first[k], hi = c->d->signal_end[k];
      c->pos[k] = fill != NULL ? fill->from : G_MAXUINT;
      c->made[k] = fill != NULL ? g_new (gint64, (gsize) (fill->at - fill->from) * c->width) : NULL;
      while (lo < hi) /* the first one that stands at `pos` or behind */
        {
          guint mid = lo + (hi - lo) / 2;
          if (s->signals[mid].at < c->pos[k])
            lo = mid + 1;
          else
            hi = mid;
        }
      c->signal[k] = lo;
    }
  guint lead = lead_of (c->d);
  for (c->inner = c->n; c->inner > 0 && depth_fill (c->d, lead, c->inner - 1)->at > depth_fill (c->d, lead, c->n)->from; c->inner--)
    ;
}

static void
tear_down (Copy *c)
{
  const TsStream *s = c->d->a->stream;

  for (guint q = 0; c->queues != NULL && q < s->n_channels * TS_MAX_CORES; q++)
    g_array_unref (c->queues[q]);
  for (guint k = 0; k < TS_MAX_CORES; k++)
    g_free (c->made[k]);
  g_free (c->queues);
  g_free (c->heads);
  g_free (c->rows);
  g_hash_table_unref (c->v.index);
  g_array_unref (c->v.keys);
}

/* --- one copy --------------------------------------------------------------------------------------------------------------- */

/* Raises `row` to what instruction i reads; FALSE: it pops what has not been pushed. */
static gboolean
read_row (Copy *c, guint core, guint i, gint64 *row, gint64 *spare)
{
  const TsStream *s = c->d->a->stream;
  gint32 list = s->accesses[i];
  const gint64 *from;
  gboolean before, fixed;

  for (guint at = c->signal[core]; at < c->d->signal_end[core] && s->signals[at].at <= i; at++)
    for (guint p = 0; s->signals[at].at == i && s->signals[at].kind == TS_SIGNAL_POP && p < s->n_cores; p++)
      if ((s->channels[s->signals[at].channel].producers >> p & 1) != 0)
        {
          guint queue = depth_channel ((guint) s->signals[at].channel, p);
          gsize head = (gsize) c->heads[queue * TS_MAX_CORES + core] * c->width;
          if (head >= c->queues[queue]->len)
            return FALSE;
          raise_row (row, &g_array_index (c->queues[queue], gint64, head), c->width, 0);
        }
  for (guint32 k = 0; k < s->scalar_start[i + 1] - s->scalar_start[i]; k++)
    {
      gint64 source = scalar_source (c, core, i, k, &before, &fixed);
      from = source >= (gint64) depth_fill (c->d, core, c->n)->from && !before
                 ? c->made[core] + (gsize) (source - depth_fill (c->d, core, c->n)->from) * c->width
             : variable_of (&c->v, -(source + 1)) > 0 ? c->rows + (gsize) (variable_of (&c->v, -(source + 1)) - 1) * c->width
                                                      : row_of (c, -(source + 1), spare);
      raise_row (row, from, c->width, 0);
    }
  for (guint32 k = list < 0 ? 0 : s->access_start[list]; list >= 0 && k < s->access_start[list + 1]; k++)
    for (guint32 g = c->d->x.segment_first[k]; (s->access[k].access & TS_ACCESS_READ) != 0 && g < c->d->x.segment_end[k]; g++)
      raise_row (row, row_of (c, (gint64) g + 1, spare), c->width, 0);
  return TRUE;
}

static void
write_row (Copy *c, guint core, guint i, const gint64 *row)
{
  const TsStream *s = c->d->a->stream;
  gint32 list = s->accesses[i];

  for (guint32 k = list < 0 ? 0 : s->access_start[list]; list >= 0 && k < s->access_start[list + 1]; k++)
    for (guint32 g = c->d->x.segment_first[k]; (s->access[k].access & TS_ACCESS_WRITE) != 0 && g < c->d->x.segment_end[k]; g++)
      memcpy (c->rows + (gsize) (variable_of (&c->v, (gint64) g + 1) - 1) * c->width, row, sizeof (gint64) * c->width);
  for (; c->signal[core] < c->d->signal_end[core] && s->signals[c->signal[core]].at <= i; c->signal[core]++)
    {
      const TsSignal *signal = &s->signals[c->signal[core]];
      if (signal->at < i || signal->channel < 0)
        continue;
      if (signal->kind == TS_SIGNAL_PUSH)
        g_array_append_vals (c->queues[depth_channel ((guint) signal->channel, core)], row, c->width);
      for (guint p = 0; signal->kind == TS_SIGNAL_POP && p < s->n_cores; p++)
        c->heads[depth_channel ((guint) signal->channel, p) * TS_MAX_CORES + core]++;
    }
}

static gboolean
copy_instruction (Copy *c, guint core, gint64 *spare)
{
  const TsStream *s = c->d->a->stream;
  guint i = c->pos[core];
  gint64 *row = blank_row (c, c->made[core] + (gsize) (i - depth_fill (c->d, core, c->n)->from) * c->width);
  gint64 latency = s->costs[s->cost[i]].latency;

  row[c->width - 1] = 0;
  if (!read_row (c, core, i, row, spare))
    return FALSE;
  for (guint k = 0; k < c->width; k++)
    row[k] = row[k] > NEVER ? ts_add_sat (row[k], latency) : NEVER;
  write_row (c, core, i, row);
  c->pos[core]++;
  return TRUE;
}

static gboolean make_power (Depth *d, guint n, Copy *c, gint64 **matrix);

/* All cores have come to the end of a fill inside: its copies change the rows of what they touch. */
static void
pass_inner (Copy *c)
{
  Copy in = { 0 };
  g_autofree gint64 *power = NULL, *spare = g_new (gint64, c->width);

  if (!make_power (c->d, c->inner, &in, &power))
    {
      c->too_large = TRUE;
      return;
    }
  guint n = in.v.keys->len, width = in.width;
  g_autofree gint64 *fresh = g_new (gint64, (gsize) (n + 1) * c->width);
  for (guint r = 0; r < n; r++)
    {
      gint64 *row = blank_row (c, fresh + (gsize) r * c->width);
      for (guint k = 0; k < n; k++)
        {
          const gint64 *from = power[r * width + k] > NEVER ? row_of (c, g_array_index (in.v.keys, gint64, k), spare) : NULL;
          if (from != NULL)
            raise_row (row, from, c->width, power[r * width + k]);
        }
      row[c->width - 1] = MAX (row[c->width - 1], power[r * width + n]);
    }
  for (guint r = 0; r < n; r++)
    {
      gint64 *row = row_of (c, g_array_index (in.v.keys, gint64, r), spare);
      if (row != NULL && row != spare)
        memcpy (row, fresh + (gsize) r * c->width, sizeof (gint64) * c->width);
    }
  tear_down (&in);
}

/* Runs all cores to the end of the copy, stopping together where a fill inside ends. */
static void
run_copy (Copy *c)
{
  const TsStream *s = c->d->a->stream;
  g_autofree gint64 *spare = g_new (gint64, c->width);
  gboolean moved = TRUE;

  while (moved && !c->too_large && !g_cancellable_is_cancelled (c->d->a->cancellable))
    {
      gboolean all = TRUE;
      moved = FALSE;
      for (guint k = 0; k < s->n_cores; k++)
        {
          guint until = c->made[k] != NULL ? depth_fill (c->d, k, c->inner)->at : 0;
          while (c->made[k] != NULL && c->pos[k] < until && copy_instruction (c, k, spare))
            moved = TRUE;
          all &= c->made[k] == NULL || c->pos[k] >= until;
        }
      if (all && c->inner < c->n)
        {
          pass_inner (c);
          c->inner++;
          moved = TRUE;
        }
    }
}

/* --- many copies ------------------------------------------------------------------------------------------------------------ */

static void
multiply (const gint64 *a, const gint64 *b, gint64 *out, guint n)
{
  for (guint r = 0; r < n; r++)
    {
      for (guint k = 0; k < n; k++)
        out[r * n + k] = NEVER;
      for (guint k = 0; k < n; k++)
        raise_row (out + (gsize) r * n, b + (gsize) k * n, n, a[r * n + k]);
    }
}

/* The matrix of `times` copies of the n-th fill. FALSE: it would be too large. */
static gboolean
make_power (Depth *d, guint n, Copy *c, gint64 **matrix)
{
  gint64 cells = 0;

  *c = (Copy) { .d = d, .n = n, .general = depth_fill (d, lead_of (d), n)->parent >= 0,
                .v = { g_hash_table_new (NULL, NULL), g_array_new (FALSE, FALSE, sizeof (gint64)) } };
  collect (c);
  for (guint k = 0; k < TS_MAX_CORES; k++)
    cells += d->n_fills[k] > 0 ? (gint64) (depth_fill (d, k, n)->at - depth_fill (d, k, n)->from) * (c->v.keys->len + 1) : 0;
  if (c->v.keys->len > MAX_VARIABLES || cells > MAX_SYMBOLIC)
    {
      tear_down (c);
      return FALSE;
    }
  set_up (c);
  run_copy (c);
  if (c->too_large)
    {
      tear_down (c);
      return FALSE;
    }
  guint width = c->width;
  g_autofree gint64 *base = g_new (gint64, (gsize) width * width), *next = g_new (gint64, (gsize) width * width), *spare =
      g_new (gint64, width);
  for (guint r = 0; r < width; r++)
    {
      const gint64 *row = r + 1 < width ? row_of (c, g_array_index (c->v.keys, gint64, r), spare) : NULL;
      for (guint k = 0; k < width; k++)
        base[r * width + k] = row != NULL ? row[k] : r == k ? 0 : NEVER;
    }
  *matrix = g_new (gint64, (gsize) width * width);
  for (guint r = 0; r < width; r++)
    for (guint k = 0; k < width; k++)
      (*matrix)[r * width + k] = r == k ? 0 : NEVER;
  for (gint64 times = depth_fill (d, lead_of (d), n)->times; times > 0
      && !g_cancellable_is_cancelled (d->a->cancellable); times >>= 1)
    {
      if ((times & 1) != 0)
        {
          multiply (base, *matrix, next, width);
          memcpy (*matrix, next, sizeof (gint64) * width * width);
        }
      multiply (base, base, next, width);
      memcpy (base, next, sizeof (gint64) * width * width);
    }
  return TRUE;
}

static void
set_value (Depth *d, gint64 key, gint64 value)
{
  guint first;

  d->longest = MAX (d->longest, value);
  if (value <= NEVER)
    return;
  if (key < 0)
    d->a->depth[-key - 1] = value;
  else if (key < QUEUE)
    d->x.segments[key - 1].producer.time = value;
  else
    {
      guint channel = (guint) (key >> 40 & 0xfffff), core = (guint) (key >> 32 & 0xff);
      in_queue (d, channel, core, &first);
      g_array_index (d->pushes[depth_channel (channel, core)], gint64, first + (guint) (key & 0xffffffff)) = value;
    }
}

void
depth_pass_fill (Depth *d, guint n)
{
  Copy c = { 0 };
  g_autofree gint64 *power = NULL;

  if (!make_power (d, n, &c, &power))
    return;
  guint width = c.width;
  g_autofree gint64 *now = g_new (gint64, width);
  for (guint k = 0; k + 1 < width; k++)
    now[k] = value_of (d, g_array_index (c.v.keys, gint64, k));
  now[width - 1] = 0;
  for (guint r = 0; r + 1 < width; r++)
    {
      gint64 value = NEVER;
      for (guint k = 0; k < width; k++)
        if (power[r * width + k] > NEVER && now[k] > NEVER)
          value = MAX (value, ts_add_sat (power[r * width + k], now[k]));
      set_value (d, g_array_index (c.v.keys, gint64, r), value);
    }
  tear_down (&c);
}
