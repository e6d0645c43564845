/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks with the least sum of edge lengths: network simplex after Gansner, Koutsofios, North and Vo. Starts from any feasible
 * ranks, keeps them feasible, and stops after a bounded amount of work. */
#include <string.h>

#include "base/disjoint.h"
#include "draw/layered.h"

/* Nodes and edges looked at before it stops where it is: about a third of a second. */
#define MAX_WORK 40000000u
/* Tree edges with a negative cut value among which the most negative is taken. */
#define CHOICE 30u
#define NO_EDGE G_MAXUINT32

/* Items of one part are joined by a tree of tight edges. `lim` numbers them so that a subtree is the range low .. lim. */
typedef struct
{
  const TsLayered *l;
  gint64  *rank;
  guint32 *start, *list; /* edges at each item, both ends: compressed rows */
  guint8  *in_tree;      /* per edge */
  gint64  *cut;          /* per edge of the tree */
  guint32 *parent;       /* per item: tree edge towards the root; NO_EDGE at a root */
  guint32 *low, *lim;    /* per item */
  guint32 *by_lim;       /* item with that number */
  guint32 *stack;        /* scratch: items */
  guint32 *cursor;       /* scratch: per item */
  guint64  work;
  guint    next_edge;    /* where the search for a leaving edge goes on */
} Simplex;

static guint32
tail (const Simplex *s, guint32 e)
{
  return s->l->edges[e].reversed ? s->l->edges[e].to : s->l->edges[e].from;
}

static guint32
head (const Simplex *s, guint32 e)
{
  return s->l->edges[e].reversed ? s->l->edges[e].from : s->l->edges[e].to;
}

static guint32
other_end (const Simplex *s, guint32 e, guint32 item)
{
  return s->l->edges[e].from == item ? s->l->edges[e].to : s->l->edges[e].from;
}

static gint64
slack (const Simplex *s, guint32 e)
{
  return s->rank[head (s, e)] - s->rank[tail (s, e)] - 1;
}

static gint64
weight (const Simplex *s, guint32 e)
{
  return MAX ((gint64) (s->l->edges[e].weight + 0.5f), 1);
}

/* --- a spanning tree of tight edges ---------------------------------------------------------------------------------------- */

/* Trees that grow together, as a forest of disjoint sets; each tree's items are a linked list. */
typedef struct
{
  guint32 *set;   /* union-find */
  guint32 *next;  /* list of a tree's items */
  guint32 *last;  /* per tree */
  guint32 *size;
  GArray  *heap;  /* guint64: size << 32 | tree; old sizes are skipped */
} Trees;

static void
push_tree (Trees *t, guint32 tree)
{
  guint64 entry = (guint64) t->size[tree] << 32 | tree;
  guint at = t->heap->len;

  g_array_append_val (t->heap, entry);
  while (at > 0 && g_array_index (t->heap, guint64, (at - 1) / 2) > entry)
    {
      g_array_index (t->heap, guint64, at) = g_array_index (t->heap, guint64, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  g_array_index (t->heap, guint64, at) = entry;
}

static guint64
pop_tree (Trees *t)
{
  guint64 top = g_array_index (t->heap, guint64, 0), last = g_array_index (t->heap, guint64, t->heap->len - 1);
  guint at = 0, n = t->heap->len - 1;

  g_array_set_size (t->heap, n);
  while (2 * at + 1 < n)
    {
      guint child = 2 * at + 1;

      if (child + 1 < n && g_array_index (t->heap, guint64, child + 1) < g_array_index (t->heap, guint64, child))
        child++;
      if (g_array_index (t->heap, guint64, child) >= last)
        break;
      g_array_index (t->heap, guint64, at) = g_array_index (t->heap, guint64, child);
      at = child;
    }
  if (n > 0)
    g_array_index (t->heap, guint64, at) = last;
  return top;
}

static void
join_trees (Trees *t, guint32 into, guint32 tree)
{
  t->next[t->last[into]] = tree;
  t->last[into] = t->last[tree];
  t->size[into] += t->size[tree];
  t->set[tree] = into;
}

/* The edge of least slack that leads out of a tree; NO_EDGE when the tree is a whole part. */
static guint32
nearest_edge (Simplex *s, Trees *t, guint32 tree)
{
  guint32 best = NO_EDGE;
  gint64 least = G_MAXINT64;

  for (guint32 item = tree; item != G_MAXUINT32; item = t->next[item])
    for (guint32 k = s->start[item]; k < s->start[item + 1]; k++)
      {
        guint32 e = s->list[k];

        s->work++;
        if (slack (s, e) < least && ts_disjoint_root (t->set, other_end (s, e, item)) != tree)
          {
            least = slack (s, e);
            best = e;
          }
      }
  return best;
}

/* The smallest tree moves to its nearest neighbour and joins it, until each part is one tree. Every item is moved at most as often
 * as its tree doubles. */
static void
grow_trees (Simplex *s)
{
  guint n = s->l->n_items;
  Trees t = { g_new (guint32, n), g_new (guint32, n), g_new (guint32, n), g_new (guint32, n),
              g_array_new (FALSE, FALSE, sizeof (guint64)) };

  for (guint i = 0; i < n; i++)
    {
      t.set[i] = t.last[i] = i;
      t.next[i] = G_MAXUINT32;
      t.size[i] = 1;
    }
  for (guint i = 0; i < n; i++)
    push_tree (&t, i);
  while (t.heap->len > 0)
    {
      guint64 entry = pop_tree (&t);
      guint32 tree = (guint32) entry, e, from, into;
      gint64 by;

      if (t.set[tree] != tree || t.size[tree] != entry >> 32)
        continue;
      e = nearest_edge (s, &t, tree);
      if (e == NO_EDGE)
        continue;
      from = ts_disjoint_root (t.set, tail (s, e));
      into = from == tree ? ts_disjoint_root (t.set, head (s, e)) : from;
      by = from == tree ? slack (s, e) : -slack (s, e);
      for (guint32 item = tree; by != 0 && item != G_MAXUINT32; item = t.next[item])
        s->rank[item] += by;
      s->in_tree[e] = TRUE;
      join_trees (&t, into, tree);
      push_tree (&t, into);
    }
  g_free (t.set);
  g_free (t.next);
  g_free (t.last);
  g_free (t.size);
  g_array_unref (t.heap);
}

/* --- numbering and cut values ------------------------------------------------------------------------------------------------- */

/* Numbers the subtree of `root` from `first` on, in post-order, and sets the way to the root. */
static void
number_subtree (Simplex *s, guint32 root, guint32 parent, guint32 first)
{
  guint depth = 0;
  guint32 number = first;

  s->parent[root] = parent;
  s->low[root] = number;
  s->cursor[root] = s->start[root];
  s->stack[depth++] = root;
  while (depth > 0)
    {
      guint32 item = s->stack[depth - 1];

      s->work++;
      if (s->cursor[item] == s->start[item + 1])
        {
          s->by_lim[number] = item;
          s->lim[item] = number++;
          depth--;
          continue;
        }
      {
        guint32 e = s->list[s->cursor[item]++];
        guint32 next = other_end (s, e, item);

        if (!s->in_tree[e] || e == s->parent[item])
          continue;
        s->parent[next] = e;
        s->low[next] = number;
        s->cursor[next] = s->start[next];
        s->stack[depth++] = next;
      }
    }
}

static gboolean
is_below (const Simplex *s, guint32 item, guint32 top)
{
  return s->low[top] <= s->lim[item] && s->lim[item] <= s->lim[top];
}

/* Cut value of the tree edge above `item`, from those below: weights of edges across in its direction minus against. */
static gint64
cut_value (const Simplex *s, guint32 item)
{
  guint32 up = s->parent[item];
  gboolean downwards = tail (s, up) == item; /* the edge leaves the subtree */
  gint64 sum = weight (s, up);

  for (guint32 k = s->start[item]; k < s->start[item + 1]; k++)
    {
      guint32 e = s->list[k], other = other_end (s, e, item);
      gboolean leaves = tail (s, e) == item;

      if (e == up)
        continue;
      if (is_below (s, other, item))
        {
          /* Inside: what was counted across the child's edge no longer crosses, the edge itself never did. */
          gint64 inner = (s->in_tree[e] ? s->cut[e] : 0) - weight (s, e);

          sum += leaves == downwards ? -inner : inner;
        }
      else
        sum += leaves == downwards ? weight (s, e) : -weight (s, e);
    }
  return sum;
}

static void
number_all (Simplex *s)
{
  guint32 number = 0;
  g_autofree guint8 *seen = g_new0 (guint8, s->l->n_items);

  for (guint i = 0; i < s->l->n_items; i++)
    {
      guint32 first = number;

      if (seen[i])
        continue;
      number_subtree (s, i, NO_EDGE, first);
      number = s->lim[i] + 1;
      for (guint32 k = first; k < number; k++)
        seen[s->by_lim[k]] = TRUE;
    }
  /* Post-order: whatever is below an item has been done before it. */
  for (guint32 k = 0; k < number; k++)
    if (s->parent[s->by_lim[k]] != NO_EDGE)
      s->cut[s->parent[s->by_lim[k]]] = cut_value (s, s->by_lim[k]);
}

/* --- pivots ---------------------------------------------------------------------------------------------------------------------
 */

static guint32
leaving_edge (Simplex *s)
{
  guint32 best = NO_EDGE;
  guint found = 0, n = s->l->n_edges;

  for (guint k = 0; k < n; k++)
    {
      guint32 e = s->next_edge;

      s->next_edge = e + 1 == n ? 0 : e + 1;
      s->work++;
      if (!s->in_tree[e] || s->cut[e] >= 0)
        continue;
      if (best == NO_EDGE || s->cut[e] < s->cut[best])
        best = e;
      if (++found == CHOICE)
        break;
    }
  return best;
}

/* The end of a tree edge that is further from the root. */
static guint32
lower_end (const Simplex *s, guint32 e)
{
  return s->parent[tail (s, e)] == e ? tail (s, e) : head (s, e);
}

/* The edge of least slack that crosses the cut the other way. */
static guint32
entering_edge (Simplex *s, guint32 leaving)
{
  guint32 top = lower_end (s, leaving), best = NO_EDGE;
  gboolean wants_in = tail (s, leaving) == top;
  gint64 least = G_MAXINT64;

  for (guint32 k = s->low[top]; k <= s->lim[top]; k++)
    {
      guint32 item = s->by_lim[k];

      for (guint32 i = s->start[item]; i < s->start[item + 1]; i++)
        {
          guint32 e = s->list[i];

          s->work++;
          if (s->in_tree[e] || (head (s, e) == item) != wants_in || slack (s, e) >= least
              || is_below (s, other_end (s, e, item), top))
            continue;
          best = e;
          least = slack (s, e);
        }
    }
  return best;
}

/* Changes cut values on the way from `item` up to the first that has `other` below it; returns that one. */
static guint32
update_path (Simplex *s, guint32 item, guint32 other, gint64 cut, gboolean forward)
{
  while (!is_below (s, other, item))
    {
      guint32 e = s->parent[item];

      s->cut[e] += (tail (s, e) == item) == forward ? cut : -cut;
      item = other_end (s, e, item);
      s->work++;
    }
  return item;
}

static void
pivot (Simplex *s, guint32 leaving, guint32 entering)
{
  guint32 top = lower_end (s, leaving), meet;
  gint64 by = slack (s, entering), cut = s->cut[leaving];

  for (guint32 k = s->low[top]; by != 0 && k <= s->lim[top]; k++)
    s->rank[s->by_lim[k]] += tail (s, leaving) == top ? -by : by;
  meet = update_path (s, tail (s, entering), head (s, entering), cut, TRUE);
  update_path (s, head (s, entering), tail (s, entering), cut, FALSE);
  s->cut[entering] = -cut;
  s->in_tree[leaving] = FALSE;
  s->in_tree[entering] = TRUE;
  number_subtree (s, meet, s->parent[meet], s->low[meet]);
}

/* --- in and out ------------------------------------------------------------------------------------------------------------------
 */

static void
index_edges (Simplex *s)
{
  const TsLayered *l = s->l;
  g_autofree guint32 *cursor = NULL;

  s->start = g_new0 (guint32, l->n_items + 1);
  s->list = g_new (guint32, 2 * MAX (l->n_edges, 1));
  for (guint e = 0; e < l->n_edges; e++)
    if (ts_layered_edge_ranks (l, &l->edges[e]))
      {
        s->start[l->edges[e].from + 1]++;
        s->start[l->edges[e].to + 1]++;
      }
  for (guint i = 0; i < l->n_items; i++)
    s->start[i + 1] += s->start[i];
  cursor = g_memdup2 (s->start, sizeof (guint32) * (l->n_items + 1));
  for (guint e = 0; e < l->n_edges; e++)
    if (ts_layered_edge_ranks (l, &l->edges[e]))
      {
        s->list[cursor[l->edges[e].from]++] = e;
        s->list[cursor[l->edges[e].to]++] = e;
      }
}

/* Each part begins in the first rank. */
static void
normalise (Simplex *s, TsLayered *l)
{
  for (guint32 k = 0; k < l->n_items;)
    {
      /* The root has the last number of its part. */
      guint32 end = k;
      gint64 least = G_MAXINT64;

      while (s->parent[s->by_lim[end]] != NO_EDGE)
        end++;
      for (guint32 i = k; i <= end; i++)
        least = MIN (least, s->rank[s->by_lim[i]]);
      for (guint32 i = k; i <= end; i++)
        l->items[s->by_lim[i]].rank = (guint32) (s->rank[s->by_lim[i]] - least);
      k = end + 1;
    }
}

void
ts_layered_shorten (TsLayered *l)
{
  Simplex s = { .l = l };
  guint n = MAX (l->n_items, 1), m = MAX (l->n_edges, 1);

  if (l->n_items == 0 || l->n_edges == 0)
    return;
  index_edges (&s);
  s.rank = g_new (gint64, n);
  s.in_tree = g_new0 (guint8, m);
  s.cut = g_new0 (gint64, m);
  s.parent = g_new (guint32, n);
  s.low = g_new (guint32, n);
  s.lim = g_new (guint32, n);
  s.by_lim = g_new (guint32, n);
  s.stack = g_new (guint32, n);
  s.cursor = g_new (guint32, n);
  for (guint i = 0; i < l->n_items; i++)
    s.rank[i] = l->items[i].rank;
  grow_trees (&s);
  number_all (&s);
  while (s.work < MAX_WORK && !g_cancellable_is_cancelled (l->cancellable))
    {
      guint32 leaving = leaving_edge (&s), entering;

      if (leaving == NO_EDGE)
        break;
      entering = entering_edge (&s, leaving);
      if (entering == NO_EDGE)
        break;
      pivot (&s, leaving, entering);
    }
  normalise (&s, l);
  g_free (s.rank);
  g_free (s.start);
  g_free (s.list);
  g_free (s.in_tree);
  g_free (s.cut);
  g_free (s.parent);
  g_free (s.low);
  g_free (s.lim);
  g_free (s.by_lim);
  g_free (s.stack);
  g_free (s.cursor);
}
