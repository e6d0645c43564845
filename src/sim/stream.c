/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of an instruction stream and the builder that fills them. */
#include "sim/stream.h"

#include <string.h>

#include "sim/column.h"

#define N_COLUMNS 22

/* A stream that the builder made owns its columns. While it is built they grow without being moved; finishing leaves blocks of
 * the size they need, which the public struct points to. */
typedef struct
{
  TsStream   public;
  TsStrings *strings;
  gsize      bytes; /* of all columns */
  TsColumn   site, iteration, cost, accesses, window_start, scalar_start;
  TsColumn   sites, loops, iterations, costs, access_start, access, buffers, tensors, window_shapes, windows, offsets;
  TsColumn   scalars, signals, channels, repeats, stages;
} OwnedStream;

struct TsStreamBuilder
{
  OwnedStream *stream;
  gint64       max;
  GHashTable  *cost_index;   /* hash of an entry to its index + 1, chained through *_next: equal entries are kept once */
  GHashTable  *list_index;
  GHashTable  *shape_index;
  TsColumn     cost_next, list_next, shape_next;
};

/* Every array with the place of its pointer in the public struct, so that growing, counting and freeing need no list of their
 * own. */
static void
columns (OwnedStream *s, TsColumn **arrays, gconstpointer **slots)
{
  TsColumn *a[N_COLUMNS] = { &s->site, &s->iteration, &s->cost, &s->accesses, &s->window_start, &s->scalar_start, &s->sites,
                            &s->loops, &s->iterations, &s->costs, &s->access_start, &s->access, &s->buffers, &s->tensors,
                            &s->window_shapes, &s->windows, &s->offsets, &s->scalars, &s->signals, &s->channels,
                            &s->repeats, &s->stages };
  TsStream *p = &s->public;
  gconstpointer *q[N_COLUMNS] = { (gconstpointer *) &p->site, (gconstpointer *) &p->iteration, (gconstpointer *) &p->cost,
                                  (gconstpointer *) &p->accesses, (gconstpointer *) &p->window_start,
                                  (gconstpointer *) &p->scalar_start, (gconstpointer *) &p->sites, (gconstpointer *) &p->loops,
                                  (gconstpointer *) &p->iterations, (gconstpointer *) &p->costs,
                                  (gconstpointer *) &p->access_start, (gconstpointer *) &p->access, (gconstpointer *) &p->buffers,
                                  (gconstpointer *) &p->tensors, (gconstpointer *) &p->window_shapes,
                                  (gconstpointer *) &p->windows, (gconstpointer *) &p->offsets, (gconstpointer *) &p->scalars,
                                  (gconstpointer *) &p->signals, (gconstpointer *) &p->channels,
                                  (gconstpointer *) &p->repeats, (gconstpointer *) &p->stages };

  for (guint i = 0; i < N_COLUMNS; i++)
    {
      arrays[i] = a[i];
      slots[i] = q[i];
    }
}

static const guint column_sizes[N_COLUMNS] = {
  sizeof (gint32), sizeof (gint32), sizeof (gint32), sizeof (gint32), sizeof (guint32), sizeof (guint32), sizeof (TsSite),
  sizeof (TsLoop), sizeof (TsIteration), sizeof (TsCost), sizeof (guint32), sizeof (TsAccess), sizeof (TsBuffer), sizeof (TsTensor),
  sizeof (TsWindowShape), sizeof (TsWindow), sizeof (gint64), sizeof (gint32), sizeof (TsSignal), sizeof (TsChannel),
  sizeof (TsRepeat), sizeof (TsStage)
};

static OwnedStream *
owned_stream_new (TsStrings *strings)
{
  OwnedStream *s = g_new0 (OwnedStream, 1);
  TsColumn *arrays[N_COLUMNS];
  gconstpointer *slots[N_COLUMNS];
  guint32 zero = 0;

  s->strings = strings != NULL ? ts_strings_ref (strings) : NULL;
  columns (s, arrays, slots);
  for (guint i = 0; i < N_COLUMNS; i++)
    ts_column_init (arrays[i], column_sizes[i]);
  ts_column_add (&s->access_start, zero);
  return s;
}

void
ts_stream_free (TsStream *stream)
{
  OwnedStream *s = (OwnedStream *) stream;
  TsColumn *arrays[N_COLUMNS];
  gconstpointer *slots[N_COLUMNS];

  if (s == NULL)
    return;
  columns (s, arrays, slots);
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      ts_column_clear (arrays[i]);
      g_free ((gpointer) *slots[i]);
    }
  g_clear_pointer (&s->strings, ts_strings_unref);
  g_free (s);
}

gsize
ts_stream_bytes (const TsStream *stream)
{
  return sizeof (OwnedStream) + ((const OwnedStream *) stream)->bytes;
}

guint
ts_stream_iteration_vector (const TsStream *stream, guint instruction, gint64 *out, guint max)
{
  guint depth = 0;

  for (gint32 k = stream->iteration[instruction]; k >= 0; k = stream->iterations[k].parent)
    depth++;
  guint at = depth;
  for (gint32 k = stream->iteration[instruction]; k >= 0; k = stream->iterations[k].parent)
    if (--at < max)
      out[at] = stream->iterations[k].index;
  return depth;
}

gboolean
ts_stream_windows_overlap (const TsStream *stream, guint a, guint b)
{
  const TsWindow *w = &stream->windows[a], *v = &stream->windows[b];
  const TsWindowShape *ws = &stream->window_shapes[w->shape], *vs = &stream->window_shapes[v->shape];

  if (ws->tensor != vs->tensor)
    return FALSE;
  if (ws->rank != vs->rank)
    return TRUE;
  for (guint d = 0; d < ws->rank; d++)
    {
      gint64 wo = stream->offsets[w->offsets + d], vo = stream->offsets[v->offsets + d];
      /* The builder keeps offsets and extents far from the ends of the range, so these sums do not wrap. */
      if (wo + ws->extent[d] <= vo || vo + vs->extent[d] <= wo)
        return FALSE;
    }
  return TRUE;
}

/* --- building ------------------------------------------------------------------------------------------------------------- */

TsStreamBuilder *
ts_stream_builder_new (TsStrings *strings, gint64 max)
{
  TsStreamBuilder *b = g_new0 (TsStreamBuilder, 1);

  b->stream = owned_stream_new (strings);
  b->max = CLAMP (max, 0, G_MAXINT32 - 1);
  b->cost_index = g_hash_table_new (NULL, NULL);
  b->list_index = g_hash_table_new (NULL, NULL);
  b->shape_index = g_hash_table_new (NULL, NULL);
  ts_column_init (&b->cost_next, sizeof (gint32));
  ts_column_init (&b->list_next, sizeof (gint32));
  ts_column_init (&b->shape_next, sizeof (gint32));
  return b;
}

void
ts_stream_builder_free (TsStreamBuilder *b)
{
  if (b == NULL)
    return;
  if (b->stream != NULL)
    ts_stream_free (&b->stream->public);
  g_hash_table_unref (b->cost_index);
  g_hash_table_unref (b->list_index);
  g_hash_table_unref (b->shape_index);
  ts_column_clear (&b->cost_next);
  ts_column_clear (&b->list_next);
  ts_column_clear (&b->shape_next);
  g_free (b);
}

guint
ts_stream_builder_begin_core (TsStreamBuilder *b, const TsCore *core)
{
  TsStream *p = &b->stream->public;

  g_return_val_if_fail (p->n_cores < TS_MAX_CORES, TS_MAX_CORES - 1);
  p->cores[p->n_cores] = *core;
  p->cores[p->n_cores].first = b->stream->site.len;
  p->cores[p->n_cores].n = 0;
  return p->n_cores++;
}

TsCore *
ts_stream_builder_core (TsStreamBuilder *b)
{
  return &b->stream->public.cores[b->stream->public.n_cores - 1];
}

const TsLoop *
ts_stream_builder_loop (const TsStreamBuilder *b, gint32 loop)
{
  return &ts_column_index (&b->stream->loops, TsLoop, loop);
}

static gint32
append (TsColumn *column, gconstpointer entry)
{
  ts_column_append (column, entry, column->size);
  return (gint32) column->len - 1;
}

gint32
ts_stream_builder_add_site (TsStreamBuilder *b, const TsSite *site, const TsStage *stages, guint n_stages)
{
  TsSite full = *site;

  full.stage = n_stages > 0 ? stages[0].stage : -1;
  full.group = n_stages > 0 ? stages[0].group : -1;
  full.stages = b->stream->stages.len;
  full.n_stages = n_stages;
  for (guint i = 0; i < n_stages; i++)
    append (&b->stream->stages, &stages[i]);
  return append (&b->stream->sites, &full);
}

gint32
ts_stream_builder_add_loop (TsStreamBuilder *b, const TsLoop *loop)
{
  return append (&b->stream->loops, loop);
}

gint32
ts_stream_builder_add_iteration (TsStreamBuilder *b, const TsIteration *iteration)
{
  return append (&b->stream->iterations, iteration);
}

gint32
ts_stream_builder_add_buffer (TsStreamBuilder *b, const TsBuffer *buffer)
{
  return append (&b->stream->buffers, buffer);
}

gint32
ts_stream_builder_add_tensor (TsStreamBuilder *b, const TsTensor *tensor)
{
  return append (&b->stream->tensors, tensor);
}

gint32
ts_stream_builder_add_channel (TsStreamBuilder *b, const TsChannel *channel)
{
  return append (&b->stream->channels, channel);
}

TsChannel *
ts_stream_builder_channel (TsStreamBuilder *b, gint32 channel)
{
  return &ts_column_index (&b->stream->channels, TsChannel, channel);
}

static inline guint64
mix (guint64 h, guint64 x)
{
  h ^= x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdu;
}

static inline gpointer
hash_key (guint64 h)
{
  return GSIZE_TO_POINTER ((gsize) (h ^ (h >> 29)));
}

/* First entry of a chain with this hash, -1 none. */
static inline gint32
chain_first (GHashTable *index, guint64 h)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (index, hash_key (h))) - 1;
}

static void
chain_add (GHashTable *index, TsColumn *next, guint64 h, gint32 entry)
{
  gint32 first = chain_first (index, h);

  ts_column_add (next, first);
  g_hash_table_insert (index, hash_key (h), GINT_TO_POINTER (entry + 1));
}

gint32
ts_stream_builder_cost (TsStreamBuilder *b, const TsCost *cost)
{
  guint64 h = mix (mix (mix (1, (guint64) cost->occupancy), (guint64) cost->latency), (guint64) cost->transfer);

  for (gint32 k = chain_first (b->cost_index, h); k >= 0; k = ts_column_index (&b->cost_next, gint32, k))
    {
      const TsCost *c = &ts_column_index (&b->stream->costs, TsCost, k);
      if (c->occupancy == cost->occupancy && c->latency == cost->latency && c->transfer == cost->transfer)
        return k;
    }
  gint32 entry = append (&b->stream->costs, cost);
  chain_add (b->cost_index, &b->cost_next, h, entry);
  return entry;
}

static gboolean
access_equal (const TsAccess *a, const TsAccess *b)
{
  return a->buffer == b->buffer && a->access == b->access && a->begin == b->begin && a->end == b->end;
}

gint32
ts_stream_builder_access_list (TsStreamBuilder *b, const TsAccess *accesses, guint n)
{
  OwnedStream *s = b->stream;
  guint64 h = n;

  if (n == 0)
    return -1;
  for (guint i = 0; i < n; i++)
    h = mix (mix (mix (h, (guint64) accesses[i].buffer << 2 | accesses[i].access), (guint64) accesses[i].begin),
             (guint64) accesses[i].end);
  for (gint32 k = chain_first (b->list_index, h); k >= 0; k = ts_column_index (&b->list_next, gint32, k))
    {
      guint32 from = ts_column_index (&s->access_start, guint32, k), to = ts_column_index (&s->access_start, guint32, k + 1);
      gboolean same = to - from == n;
      for (guint i = 0; same && i < n; i++)
        same = access_equal (&ts_column_index (&s->access, TsAccess, from + i), &accesses[i]);
      if (same)
        return k;
    }
  for (guint i = 0; i < n; i++)
    {
      TsBuffer *buffer = &ts_column_index (&s->buffers, TsBuffer, accesses[i].buffer);
      buffer->size = MAX (buffer->size, accesses[i].end);
      append (&s->access, &accesses[i]);
    }
  gint32 entry = append (&s->access_start, &s->access.len) - 1;
  chain_add (b->list_index, &b->list_next, h, entry);
  return entry;
}

gint32
ts_stream_builder_window_shape (TsStreamBuilder *b, const TsWindowShape *shape)
{
  TsWindowShape key = { .tensor = shape->tensor, .access = shape->access, .rank = shape->rank };
  guint64 h = mix ((guint64) shape->tensor, (guint64) shape->access << 8 | shape->rank);

  for (guint d = 0; d < shape->rank; d++)
    {
      key.extent[d] = shape->extent[d];
      h = mix (h, (guint64) shape->extent[d]);
    }
  for (gint32 k = chain_first (b->shape_index, h); k >= 0; k = ts_column_index (&b->shape_next, gint32, k))
    {
      const TsWindowShape *w = &ts_column_index (&b->stream->window_shapes, TsWindowShape, k);
      if (w->tensor == key.tensor && w->access == key.access && w->rank == key.rank
          && memcmp (w->extent, key.extent, sizeof key.extent) == 0)
        return k;
    }
  gint32 entry = append (&b->stream->window_shapes, &key);
  chain_add (b->shape_index, &b->shape_next, h, entry);
  return entry;
}

gboolean
ts_stream_builder_emit (TsStreamBuilder *b, gint32 site, gint32 iteration, gint32 cost, gint32 accesses)
{
  OwnedStream *s = b->stream;

  if ((gint64) s->site.len >= b->max)
    {
      s->public.truncated = TRUE;
      return FALSE;
    }
  ts_column_add (&s->site, site);
  ts_column_add (&s->iteration, iteration);
  ts_column_add (&s->cost, cost);
  ts_column_add (&s->accesses, accesses);
  ts_column_add (&s->window_start, s->windows.len);
  ts_column_add (&s->scalar_start, s->scalars.len);
  s->public.cores[s->public.n_cores - 1].n++;
  return TRUE;
}

void
ts_stream_builder_window (TsStreamBuilder *b, gint32 shape, const gint64 *offsets)
{
  OwnedStream *s = b->stream;
  TsWindow window = { .shape = shape, .offsets = s->offsets.len };

  for (guint d = 0, rank = ts_column_index (&s->window_shapes, TsWindowShape, shape).rank; d < rank; d++)
    ts_column_add (&s->offsets, offsets[d]);
  ts_column_add (&s->windows, window);
}

void
ts_stream_builder_scalar (TsStreamBuilder *b, gint32 instruction)
{
  append (&b->stream->scalars, &instruction);
}

void
ts_stream_builder_signal (TsStreamBuilder *b, const TsSignal *signal)
{
  TsSignal copy = *signal;

  copy.at = b->stream->site.len - (signal->kind == TS_SIGNAL_RELEASE ? 0 : 1);
  append (&b->stream->signals, &copy);
}

void
ts_stream_builder_repeat (TsStreamBuilder *b, const TsRepeat *repeat)
{
  append (&b->stream->repeats, repeat);
}

guint
ts_stream_builder_length (const TsStreamBuilder *b)
{
  return b->stream->site.len;
}

/* FALSE: told to leave off. */
static gboolean
publish (OwnedStream *s, TsSortStop stop, gconstpointer stop_data)
{
  TsColumn *arrays[N_COLUMNS];
  gconstpointer *slots[N_COLUMNS];
  TsStream *p = &s->public;

  columns (s, arrays, slots);
  p->n_instructions = s->site.len;
  p->n_sites = s->sites.len;
  p->n_loops = s->loops.len;
  p->n_iterations = s->iterations.len;
  p->n_costs = s->costs.len;
  p->n_access_lists = s->access_start.len - 1;
  p->n_buffers = s->buffers.len;
  p->n_tensors = s->tensors.len;
  p->n_window_shapes = s->window_shapes.len;
  p->n_windows = s->windows.len;
  p->n_offsets = s->offsets.len;
  p->n_scalars = s->scalars.len;
  p->n_signals = s->signals.len;
  p->n_channels = s->channels.len;
  p->n_repeats = s->repeats.len;
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      s->bytes += (gsize) arrays[i]->len * column_sizes[i];
      *slots[i] = ts_column_take (arrays[i], stop, stop_data);
      if (*slots[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

TsStream *
ts_stream_builder_finish (TsStreamBuilder *b, gint64 steps, gboolean truncated, TsSortStop stop, gconstpointer stop_data)
{
  OwnedStream *s = g_steal_pointer (&b->stream);

  append (&s->window_start, &s->windows.len);
  append (&s->scalar_start, &s->scalars.len);
  ts_stream_builder_free (b);
  if (!publish (s, stop, stop_data))
    {
      ts_stream_free (&s->public);
      return NULL;
    }
  s->public.steps = steps;
  s->public.truncated |= truncated;
  return &s->public;
}
