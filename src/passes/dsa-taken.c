/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the first gap without looking at every buffer.
 *
 * What stands in the way of a buffer is kept as a few sets of taken bytes, each a list of stretches: a thousand buffers that are
 * live together and lie side by side are one stretch, one step. The sets are
 *  - by time: over the moments of each pool goes a segment tree. A life is cut into O(log n) nodes of it; the buffers whose lives
 *    meet it have a part below one of these nodes (`inside`) or a part above (`cover`). As all lives are known beforehand, only
 *    nodes that some life is cut into have sets at all, and each knows the next one above it.
 *  - by kind: of the buffers that a kind must never, or never for nothing, share bytes with (`closed`); and, for kinds where only
 *    one order of the two costs something, of those of the other kind that are over before a moment, or begin after it: Fenwick
 *    trees over their ends and their begins.
 *  - buffers that share with nobody, and those that a pair names.
 * An address is free when it is in none of the sets that the buffer asks; each raises it in turn until all agree. */
#include "passes/dsa-taken.h"

#include <stdlib.h>

#include "base/number.h"
#include "passes/dsa-ranges.h"

#define NONE 0u /* set 0 is never filled */

typedef struct
{
  TsDsaRanges ranges;
  guint32     asked;  /* number of the last question it was part of */
} Set;

/* A node of the segment tree over time. */
typedef struct
{
  guint32 inside, cover;           /* sets */
  guint32 next_inside, next_cover; /* nodes above with such a set; 0: none */
} Moment;

typedef struct
{
  guint32 leaves;   /* a power of two */
  Moment *moments;  /* 2 * leaves, the root is 1 */
  guint32 all, exclusive; /* sets */
} Timeline;

/* The buffers of one pool and kind. */
typedef struct
{
  guint32 n;
  guint32 closed;          /* set */
  guint32 ends, begins;    /* first of n sets, a Fenwick tree; NONE: no kind asks */
  guint32 first;           /* of the sorted ends and begins below */
} Cell;

/* A set that a question asks, and how far it has been read. */
typedef struct
{
  const TsDsaRanges *ranges;
  guint32            at;
} Cursor;

struct _TsDsaTaken
{
  const TsDsaRelations *relations;
  const TsDsaProblem   *problem;
  gboolean  soft;
  Timeline *timelines;            /* per pool */
  guint32  *first, *last;         /* per buffer: its life in leaves of its pool, half open */
  guint32  *cell_of;              /* per pool and kind; 0: no buffers */
  GArray   *cells;                /* Cell; the first is not used */
  guint32  *ends, *begins;        /* sorted within each cell */
  guint32  *end_rank, *begin_rank; /* per buffer, within its cell */
  Set      *sets;
  guint32   n_sets;
  gint64   *starts;               /* per buffer; -1: not placed */
  TsDsaRanges pairs;              /* of the question at hand */
  GArray   *cursors;
  guint32   asking;
  guint64   work;
};

#define cell_at(t, i) (&g_array_index ((t)->cells, Cell, i))

static gint64
aligned_size (const TsDsaBuffer *buffer)
{
  return ts_round_up (buffer->size, TS_DSA_ALIGNMENT);
}

static guint32
new_sets (TsDsaTaken *t, guint32 n)
{
  t->n_sets += n;
  return t->n_sets - n;
}

/* --- by time ------------------------------------------------------------------------------------------------------------ */

#define MAX_PARTS 64u

/* The nodes that leaves [l, r) are cut into. */
static guint
cut (guint32 l, guint32 r, guint32 leaves, guint32 *parts)
{
  guint n = 0;
  for (l += leaves, r += leaves; l < r; l >>= 1, r >>= 1)
    {
      if ((l & 1) != 0)
        parts[n++] = l++;
      if ((r & 1) != 0)
        parts[n++] = --r;
    }
  return n;
}

static int
compare_keys (gconstpointer x, gconstpointer y)
{
  guint64 a = *(const guint64 *) x, b = *(const guint64 *) y;
  return a < b ? -1 : a > b;
}

/* The lives of one pool in leaves: from one moment at which something begins or ends to the next. */
static void
find_leaves (TsDsaTaken *t, const guint32 *members, guint32 n, Timeline *timeline)
{
  const TsDsaBuffer *buffers = t->problem->buffers;
  g_autofree guint64 *keys = g_new (guint64, (gsize) n * 2 + 1);
  guint32 leaf = 0;
  for (guint32 k = 0; k < n; k++)
    {
      keys[2 * (gsize) k] = (guint64) buffers[members[k]].begin << 32 | k;
      keys[2 * (gsize) k + 1] = (guint64) buffers[members[k]].end << 32 | k;
    }
  qsort (keys, (gsize) n * 2, sizeof (guint64), compare_keys);
  for (gsize k = 0; k < (gsize) n * 2; k++)
    {
      guint32 i = members[(guint32) keys[k]], moment = (guint32) (keys[k] >> 32);
      leaf += k > 0 && moment != (guint32) (keys[k - 1] >> 32);
      *(moment == buffers[i].begin ? &t->first[i] : &t->last[i]) = leaf;
    }
  timeline->leaves = 1;
  while (timeline->leaves < leaf)
    timeline->leaves *= 2;
}

/* Sets for the nodes that will be asked. */
static void
make_timeline (TsDsaTaken *t, const guint32 *members, guint32 n, Timeline *timeline)
{
  guint32 parts[MAX_PARTS];
  *timeline = (Timeline) { .all = new_sets (t, 1), .exclusive = new_sets (t, 1) };
  find_leaves (t, members, n, timeline);
  Moment *moments = timeline->moments = g_new0 (Moment, (gsize) timeline->leaves * 2);
  for (guint32 k = 0; k < n; k++)
    for (guint part = cut (t->first[members[k]], t->last[members[k]], timeline->leaves, parts); part-- > 0;)
      moments[parts[part]].inside = 1;
  for (guint32 node = timeline->leaves * 2 - 1; node > 1; node--) /* `cover`, for now: is there anybody below to ask? */
    moments[node / 2].cover |= moments[node].cover | moments[node].inside;
  for (guint32 node = 1; node < timeline->leaves * 2; node++)
    {
      const Moment *above = &moments[node / 2];
      Moment *moment = &moments[node];
      moment->cover = moment->cover != 0 && moment->inside != 0 ? new_sets (t, 1) : NONE;
      moment->inside = moment->inside != 0 ? new_sets (t, 1) : NONE;
      moment->next_inside = above->inside != NONE ? node / 2 : above->next_inside;
      moment->next_cover = above->cover != NONE ? node / 2 : above->next_cover;
    }
}

static void
make_timelines (TsDsaTaken *t)
{
  const TsDsaProblem *p = t->problem;
  g_autofree guint32 *start = g_new0 (guint32, (gsize) p->n_pools + 2), *members = g_new (guint32, (gsize) p->n + 1);
  t->timelines = g_new0 (Timeline, (gsize) p->n_pools + 1);
  t->first = g_new0 (guint32, (gsize) p->n + 1);
  t->last = g_new0 (guint32, (gsize) p->n + 1);
  for (guint32 i = 0; i < p->n; i++)
    start[p->buffers[i].pool + 1]++;
  for (guint32 k = 0; k < p->n_pools; k++)
    start[k + 1] += start[k];
  g_autofree guint32 *at = g_memdup2 (start, sizeof (guint32) * ((gsize) p->n_pools + 1));
  for (guint32 i = 0; i < p->n; i++)
    members[at[p->buffers[i].pool]++] = i;
  for (guint32 k = 0; k < p->n_pools; k++)
    make_timeline (t, members + start[k], start[k + 1] - start[k], &t->timelines[k]);
}

/* --- by kind ------------------------------------------------------------------------------------------------------------ */

static Cell *
find_cell (const TsDsaTaken *t, guint32 pool, guint32 kind)
{
  guint32 index = t->cell_of[(gsize) pool * t->problem->n_kinds + kind];
  return index != 0 ? cell_at (t, index) : NULL;
}

/* Begins or ends of all buffers, sorted within each cell, and the place of each buffer among them. */
static void
sort_cells (TsDsaTaken *t, gboolean ends, guint32 *sorted, guint32 *rank)
{
  const TsDsaProblem *p = t->problem;
  g_autofree guint64 *keys = g_new (guint64, (gsize) p->n + 1);
  g_autofree guint32 *filled = g_new0 (guint32, (gsize) t->cells->len + 1);
  for (guint32 i = 0; i < p->n; i++)
    keys[i] = (guint64) (ends ? p->buffers[i].end : p->buffers[i].begin) << 32 | i;
  qsort (keys, p->n, sizeof (guint64), compare_keys);
  for (guint32 k = 0; k < p->n; k++)
    {
      guint32 i = (guint32) keys[k];
      guint32 index = t->cell_of[(gsize) p->buffers[i].pool * p->n_kinds + p->buffers[i].kind];
      rank[i] = filled[index]++;
      sorted[cell_at (t, index)->first + rank[i]] = (guint32) (keys[k] >> 32);
    }
}

/* Is there anything to pay when `earlier` comes before `later`, but nothing in the other order? */
static gboolean
one_way (const TsDsaTaken *t, guint32 earlier, guint32 later)
{
  return ts_dsa_relation (t->relations, earlier, later) > 0 && ts_dsa_relation (t->relations, later, earlier) == 0;
}

/* Fenwick trees for the cells that another kind asks at some moment. */
static void
make_trees (TsDsaTaken *t, guint32 pool, guint32 kind, Cell *cell)
{
  const TsDsaRelations *r = t->relations;
  guint32 family = t->problem->family[kind];
  for (guint32 k = r->first_member[family]; k < r->first_member[family + 1] && (cell->ends == NONE || cell->begins == NONE); k++)
    {
      guint32 other = r->members[k];
      if (find_cell (t, pool, other) == NULL)
        continue;
      if (cell->ends == NONE && one_way (t, kind, other))
        cell->ends = new_sets (t, cell->n);
      if (cell->begins == NONE && one_way (t, other, kind))
        cell->begins = new_sets (t, cell->n);
    }
}

static void
make_cells (TsDsaTaken *t)
{
  const TsDsaProblem *p = t->problem;
  Cell none = { 0 };
  guint32 first = 0;
  t->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  t->cell_of = g_new0 (guint32, (gsize) p->n_pools * p->n_kinds + 1);
  t->ends = g_new (guint32, (gsize) p->n + 1);
  t->begins = g_new (guint32, (gsize) p->n + 1);
  t->end_rank = g_new (guint32, (gsize) p->n + 1);
  t->begin_rank = g_new (guint32, (gsize) p->n + 1);
  g_array_append_val (t->cells, none);
  if (p->relation == NULL)
    return;
  for (guint32 i = 0; i < p->n; i++)
    {
      guint32 *index = &t->cell_of[(gsize) p->buffers[i].pool * p->n_kinds + p->buffers[i].kind];
      if (*index == 0)
        {
          *index = t->cells->len;
          g_array_append_val (t->cells, none);
        }
      cell_at (t, *index)->n++;
    }
  for (guint32 k = 1; k < t->cells->len; k++)
    {
      cell_at (t, k)->closed = new_sets (t, 1);
      cell_at (t, k)->first = first;
      first += cell_at (t, k)->n;
    }
  sort_cells (t, TRUE, t->ends, t->end_rank);
  sort_cells (t, FALSE, t->begins, t->begin_rank);
  for (guint32 pool = 0; pool < p->n_pools; pool++)
    for (guint32 kind = 0; kind < p->n_kinds; kind++)
      if (find_cell (t, pool, kind) != NULL)
        make_trees (t, pool, kind, find_cell (t, pool, kind));
}

/* --- what is placed ----------------------------------------------------------------------------------------------------- */

static void
add_to (TsDsaTaken *t, guint32 set, gint64 start, gint64 end)
{
  ts_dsa_ranges_add (&t->sets[set].ranges, start, end);
  t->work++;
}

static void
add_by_time (TsDsaTaken *t, guint32 i, gint64 start, gint64 end)
{
  const Timeline *timeline = &t->timelines[t->problem->buffers[i].pool];
  guint32 parts[MAX_PARTS];
  for (guint part = cut (t->first[i], t->last[i], timeline->leaves, parts); part-- > 0;)
    {
      const Moment *moment = &timeline->moments[parts[part]];
      if (moment->cover != NONE)
        add_to (t, moment->cover, start, end);
      add_to (t, moment->inside, start, end);
      for (guint32 above = moment->next_inside; above != 0; above = timeline->moments[above].next_inside)
        add_to (t, timeline->moments[above].inside, start, end);
    }
}

/* Adds to a Fenwick tree of n sets. */
static void
add_ranked (TsDsaTaken *t, guint32 sets, guint32 n, guint32 rank, gint64 start, gint64 end)
{
  for (guint32 k = rank + 1; k <= n; k += k & -k)
    add_to (t, sets + k - 1, start, end);
}

static void
add_by_kind (TsDsaTaken *t, guint32 i, gint64 start, gint64 end)
{
  const TsDsaBuffer *buffer = &t->problem->buffers[i];
  const TsDsaRelations *r = t->relations;
  const Cell *cell = find_cell (t, buffer->pool, buffer->kind);
  guint32 family = t->problem->family[buffer->kind];
  for (guint32 k = r->first_member[family]; cell != NULL && k < r->first_member[family + 1]; k++)
    {
      gint64 before = ts_dsa_relation (r, buffer->kind, r->members[k]);
      gboolean closed = before < 0 || (t->soft && before > 0 && ts_dsa_relation (r, r->members[k], buffer->kind) > 0);
      const Cell *other = closed ? find_cell (t, buffer->pool, r->members[k]) : NULL;
      if (other != NULL)
        add_to (t, other->closed, start, end);
    }
  if (cell != NULL && t->soft && cell->ends != NONE)
    add_ranked (t, cell->ends, cell->n, t->end_rank[i], start, end);
  if (cell != NULL && t->soft && cell->begins != NONE)
    add_ranked (t, cell->begins, cell->n, cell->n - 1 - t->begin_rank[i], start, end);
}

void
ts_dsa_taken_add (TsDsaTaken *t, guint32 i, gint64 start)
{
  const TsDsaBuffer *buffer = &t->problem->buffers[i];
  gint64 end = ts_add_sat (start, aligned_size (buffer));
  t->starts[i] = start;
  add_to (t, t->timelines[buffer->pool].all, start, end);
  if (buffer->exclusive)
    {
      add_to (t, t->timelines[buffer->pool].exclusive, start, end);
      return;
    }
  add_by_time (t, i, start, end);
  add_by_kind (t, i, start, end);
}

/* --- questions ---------------------------------------------------------------------------------------------------------- */

static void
ask (TsDsaTaken *t, guint32 index)
{
  Set *set = &t->sets[index];
  if (set->ranges.n == 0 || set->asked == t->asking)
    return;
  Cursor cursor = { &set->ranges, 0 };
  set->asked = t->asking;
  g_array_append_val (t->cursors, cursor);
}

static void
ask_by_time (TsDsaTaken *t, guint32 i)
{
  const Timeline *timeline = &t->timelines[t->problem->buffers[i].pool];
  guint32 parts[MAX_PARTS];
  for (guint part = cut (t->first[i], t->last[i], timeline->leaves, parts); part-- > 0;)
    {
      const Moment *moment = &timeline->moments[parts[part]];
      ask (t, moment->inside);
      for (guint32 above = moment->next_cover; above != 0; above = timeline->moments[above].next_cover)
        ask (t, timeline->moments[above].cover);
    }
}

/* The first `n` of a Fenwick tree. */
static void
ask_ranked (TsDsaTaken *t, guint32 sets, guint32 n)
{
  for (; n > 0; n -= n & -n)
    ask (t, sets + n - 1);
}

static guint32
count_up_to (const guint32 *sorted, guint32 n, guint64 limit)
{
  guint32 low = 0, high = n;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (sorted[middle] < limit)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
ask_by_kind (TsDsaTaken *t, const TsDsaBuffer *buffer)
{
  const TsDsaRelations *r = t->relations;
  guint32 family = t->problem->family[buffer->kind];
  const Cell *own = find_cell (t, buffer->pool, buffer->kind);
  if (own == NULL)
    return;
  ask (t, own->closed);
  for (guint32 k = r->first_member[family]; t->soft && k < r->first_member[family + 1]; k++)
    {
      const Cell *cell = find_cell (t, buffer->pool, r->members[k]);
      if (cell == NULL || (cell->ends == NONE && cell->begins == NONE))
        continue;
      if (one_way (t, r->members[k], buffer->kind))
        ask_ranked (t, cell->ends, count_up_to (t->ends + cell->first, cell->n, (guint64) buffer->begin + 1));
      if (one_way (t, buffer->kind, r->members[k]))
        ask_ranked (t, cell->begins, cell->n - count_up_to (t->begins + cell->first, cell->n, buffer->end));
    }
}

static void
ask_pairs (TsDsaTaken *t, guint32 i)
{
  const TsDsaRelations *r = t->relations;
  const TsDsaBuffer *buffers = t->problem->buffers;
  t->pairs.n = 0;
  for (guint32 k = r->pair_start[i]; k < r->pair_start[i + 1]; k++)
    {
      guint32 other = r->pairs[k].b;
      gboolean apart = r->pairs[k].weight < 0 || (t->soft && r->pairs[k].weight > 0);
      if (apart && t->starts[other] >= 0 && buffers[other].pool == buffers[i].pool)
        ts_dsa_ranges_add (&t->pairs, t->starts[other], ts_add_sat (t->starts[other], aligned_size (&buffers[other])));
    }
  Cursor cursor = { &t->pairs, 0 };
  if (t->pairs.n > 0)
    g_array_append_val (t->cursors, cursor);
}

/* The first address from `at` on where the set leaves `size` bytes free. */
static gint64
rise (TsDsaTaken *t, Cursor *cursor, gint64 at, gint64 size)
{
  const TsDsaRanges *r = cursor->ranges;
  guint32 k = ts_dsa_ranges_first_behind (r, cursor->at, at);
  for (; k < r->n && r->at[k].start - at < size; k++, t->work++)
    at = r->at[k].end;
  cursor->at = k;
  t->work++;
  return at;
}

gint64
ts_dsa_taken_first_gap (TsDsaTaken *t, guint32 i, gint64 lowest, gint64 limit)
{
  const TsDsaBuffer *buffer = &t->problem->buffers[i];
  gint64 at = lowest, size = aligned_size (buffer);
  t->asking++;
  g_array_set_size (t->cursors, 0);
  if (buffer->exclusive)
    ask (t, t->timelines[buffer->pool].all);
  else
    {
      ask_by_kind (t, buffer);
      ask (t, t->timelines[buffer->pool].exclusive);
      ask_by_time (t, i);
      ask_pairs (t, i);
    }
  guint n = t->cursors->len, agreed = 0;
  for (guint k = 0; agreed < n && at <= limit; k = k + 1 < n ? k + 1 : 0)
    {
      gint64 before = at;
      at = rise (t, &g_array_index (t->cursors, Cursor, k), at, size);
      agreed = at > before ? 1 : agreed + 1;
    }
  return at;
}

/* --- the whole ---------------------------------------------------------------------------------------------------------- */

TsDsaTaken *
ts_dsa_taken_new (const TsDsaRelations *relations)
{
  TsDsaTaken *t = g_new0 (TsDsaTaken, 1);
  t->relations = relations;
  t->problem = relations->problem;
  t->n_sets = NONE + 1;
  make_timelines (t);
  make_cells (t);
  t->sets = g_new0 (Set, t->n_sets);
  t->starts = g_new (gint64, (gsize) t->problem->n + 1);
  t->cursors = g_array_new (FALSE, FALSE, sizeof (Cursor));
  return t;
}

void
ts_dsa_taken_reset (TsDsaTaken *t, gboolean soft)
{
  t->soft = soft;
  t->asking = 0;
  for (guint32 s = 0; s < t->n_sets; s++)
    {
      t->sets[s].ranges.n = 0;
      t->sets[s].asked = 0;
    }
  for (guint32 i = 0; i < t->problem->n; i++)
    t->starts[i] = -1;
}

void
ts_dsa_taken_free (TsDsaTaken *t)
{
  gpointer arrays[] = { t->first, t->last, t->cell_of, t->ends, t->begins, t->end_rank, t->begin_rank, t->sets, t->starts };
  for (guint32 s = 0; s < t->n_sets; s++)
    ts_dsa_ranges_clear (&t->sets[s].ranges);
  ts_dsa_ranges_clear (&t->pairs);
  for (guint32 k = 0; k < t->problem->n_pools; k++)
    g_free (t->timelines[k].moments);
  g_free (t->timelines);
  for (guint k = 0; k < G_N_ELEMENTS (arrays); k++)
    g_free (arrays[k]);
  g_array_unref (t->cells);
  g_array_unref (t->cursors);
  g_free (t);
}

guint64
ts_dsa_taken_work (const TsDsaTaken *t)
{
  return t->work;
}
