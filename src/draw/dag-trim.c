/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to a graph once it is read: edges from outside, one edge per pair, neighbourhood, cut, boxes of stages. */
#include <stdlib.h>
#include <string.h>

#include "draw/dag-private.h"
#include "draw/words.h"

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const TsDagPlace *x = a, *y = b;

  if (x->op != y->op)
    return x->op < y->op ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static int
compare_edges (gconstpointer a, gconstpointer b)
{
  const TsDagEdge *x = a, *y = b;

  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  if (x->to != y->to)
    return x->to < y->to ? -1 : 1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  if (x->carried != y->carried)
    return x->carried < y->carried ? -1 : 1;
  if (x->binding != y->binding)
    return x->binding > y->binding ? -1 : 1;
  return strcmp (x->label, y->label);
}

/* One edge per pair, kind and direction in time. */
static void
unique_edges (TsDagReader *r)
{
  GArray *edges = r->edges;
  guint n = 0;

  g_array_sort (edges, compare_edges);
  for (guint i = 0; i < edges->len; i++)
    {
      TsDagEdge edge = g_array_index (edges, TsDagEdge, i);
      const TsDagEdge *last = n > 0 ? &g_array_index (edges, TsDagEdge, n - 1) : NULL;

      if (last != NULL && last->from == edge.from && last->to == edge.to && last->kind == edge.kind
          && last->carried == edge.carried)
        continue;
      g_array_index (edges, TsDagEdge, n++) = edge;
    }
  g_array_set_size (edges, n);
}

static gint32
find_place (const TsDagReader *r, gint32 op)
{
  guint low = 0, high = r->places->len;

  /* The last one: what was taken out of a statement has its id and stands before it. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (r->places, TsDagPlace, middle).op <= op)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 && g_array_index (r->places, TsDagPlace, low - 1).op == op
             ? (gint32) g_array_index (r->places, TsDagPlace, low - 1).node
             : -1;
}

static void
add_extra_edges (TsDagReader *r)
{
  for (guint i = 0; i < r->input->n_extra; i++)
    {
      const TsDagExtraEdge *extra = &r->input->extra[i];
      gint32 from = find_place (r, extra->from), to = find_place (r, extra->to);
      TsDagEdge edge = {
        .from = (guint32)from, .to = (guint32)to, .kind = (guint8)extra->kind, .binding = (guint8)extra->binding, .route = -1
      };

      if (from < 0 || to < 0 || from == to)
        continue;
      edge.label = ts_dag_keep (r, extra->label != NULL ? extra->label : "");
      g_array_append_val (r->edges, edge);
    }
}

/* Keeps the marked nodes only; edges, places and groups follow. */
static void
keep_nodes (TsDagReader *r, const guint8 *kept)
{
  g_autofree guint32 *map = g_new (guint32, MAX (r->nodes->len, 1));
  guint n = 0, m = 0, p = 0;

  for (guint i = 0; i < r->nodes->len; i++)
    {
      map[i] = kept[i] ? n : G_MAXUINT32;
      if (kept[i])
        g_array_index (r->nodes, TsDagNode, n++) = g_array_index (r->nodes, TsDagNode, i);
    }
  for (guint i = 0; i < r->edges->len; i++)
    {
      TsDagEdge edge = g_array_index (r->edges, TsDagEdge, i);

      if (map[edge.from] == G_MAXUINT32 || map[edge.to] == G_MAXUINT32)
        continue;
      edge.from = map[edge.from];
      edge.to = map[edge.to];
      g_array_index (r->edges, TsDagEdge, m++) = edge;
    }
  for (guint i = 0; i < r->places->len; i++)
    {
      TsDagPlace place = g_array_index (r->places, TsDagPlace, i);

      if (map[place.node] == G_MAXUINT32)
        continue;
      place.node = map[place.node];
      g_array_index (r->places, TsDagPlace, p++) = place;
    }
  g_array_set_size (r->nodes, n);
  g_array_set_size (r->edges, m);
  g_array_set_size (r->places, p);
}

static void
keep_neighbourhood (TsDagReader *r)
{
  gint32 start = find_place (r, r->input->focus);
  guint n = r->nodes->len;
  g_autofree guint8 *kept = g_new0 (guint8, MAX (n, 1));
  g_autofree guint8 *next = NULL;

  if (r->input->hops == 0 || start < 0)
    return;
  kept[start] = TRUE;
  /* One round per hop over all edges: hops are few. */
  for (guint hop = 0; hop < MIN (r->input->hops, n); hop++)
    {
      gboolean grew = FALSE;

      g_free (next);
      next = g_memdup2 (kept, n);
      for (guint i = 0; i < r->edges->len; i++)
        {
          const TsDagEdge *edge = &g_array_index (r->edges, TsDagEdge, i);

          if (kept[edge->from] != kept[edge->to])
            next[edge->from] = next[edge->to] = grew = TRUE;
        }
      memcpy (kept, next, n);
      if (!grew)
        break;
    }
  keep_nodes (r, kept);
}

static void
cut (TsDagReader *r, guint max)
{
  g_autofree guint8 *kept = NULL;

  if (r->nodes->len <= max)
    return;
  r->dag->n_hidden = r->nodes->len - max;
  kept = g_new0 (guint8, r->nodes->len);
  memset (kept, TRUE, max);
  keep_nodes (r, kept);
}

/* Groups that hold nothing any more go; numbers of the rest close up. */
static void
drop_empty_groups (TsDagReader *r)
{
  guint n = 0;
  g_autofree guint8 *used = g_new0 (guint8, MAX (r->groups->len, 1));
  g_autofree gint32 *map = g_new (gint32, MAX (r->groups->len, 1));

  for (guint i = 0; i < r->nodes->len; i++)
    for (gint32 g = g_array_index (r->nodes, TsDagNode, i).group; g >= 0 && !used[g];
         g = g_array_index (r->groups, TsDagGroup, g).parent)
      used[g] = TRUE;
  for (guint g = 0; g < r->groups->len; g++)
    {
      TsDagGroup group = g_array_index (r->groups, TsDagGroup, g);

      map[g] = used[g] ? (gint32) n : -1;
      if (!used[g])
        continue;
      group.parent = group.parent >= 0 ? map[group.parent] : -1;
      g_array_index (r->groups, TsDagGroup, n++) = group;
    }
  for (guint i = 0; i < r->nodes->len; i++)
    {
      gint32 *group = &g_array_index (r->nodes, TsDagNode, i).group;

      *group = *group >= 0 ? map[*group] : -1;
    }
  g_array_set_size (r->groups, n);
}

/* Would the stages, each drawn as one box, depend on each other in a circle? Forward edges only: what goes to the next iteration
 * does not count. Kahn's algorithm over boxes and loose nodes. */
static gboolean
stages_are_acyclic (const TsDagReader *r, const gint32 *box, guint n_boxes)
{
  guint n = n_boxes + r->nodes->len, done = 0, alive = 0;
  g_autofree guint *missing = g_new0 (guint, n);
  g_autofree guint *start = g_new0 (guint, n + 1);
  g_autofree guint *list = g_new (guint, MAX (r->edges->len, 1));
  g_autofree guint *queue = g_new (guint, n);
  g_autofree guint *cursor = NULL;
  g_autofree guint8 *present = g_new0 (guint8, n);

#define BOX(node) (box[node] >= 0 ? (guint) box[node] : n_boxes + (node))
  for (guint i = 0; i < r->nodes->len; i++)
    present[BOX (i)] = TRUE;
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint e = 0; e < r->edges->len; e++)
        {
          const TsDagEdge *edge = &g_array_index (r->edges, TsDagEdge, e);
          guint a = BOX (edge->from), b = BOX (edge->to);

          if (a == b || edge->carried || edge->kind != TS_EDGE_VALUE)
            continue;
          if (pass == 0)
            {
              start[a + 1]++;
              missing[b]++;
            }
          else
            list[cursor[a]++] = b;
        }
      if (pass == 0)
        {
          for (guint i = 0; i < n; i++)
            start[i + 1] += start[i];
          cursor = g_memdup2 (start, sizeof (guint) * (n + 1));
        }
    }
#undef BOX
  for (guint i = 0; i < n; i++)
    {
      alive += present[i];
      if (present[i] && missing[i] == 0)
        queue[done++] = i;
    }
  for (guint k = 0; k < done; k++)
    for (guint e = start[queue[k]]; e < start[queue[k] + 1]; e++)
      if (--missing[list[e]] == 0)
        queue[done++] = list[e];
  return done == alive;
}

/* Puts the nodes of each stage of a group into a box of their own, where there are two or more stages and the boxes can be ordered.
 */
static void
group_stages (TsDagReader *r)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree gint32 *box = g_new (gint32, MAX (r->nodes->len, 1));
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (TsDagGroup));
  guint first = r->groups->len;

  for (guint i = 0; i < r->nodes->len; i++)
    {
      const TsDagNode *node = &g_array_index (r->nodes, TsDagNode, i);
      gint64 key = (gint64) (node->group + 1) << 32 | (guint32) node->stage;
      gpointer found;

      box[i] = -1;
      if (node->stage < 0 || node->folded)
        continue;
      found = g_hash_table_lookup (known, &key);
      if (found == NULL)
        {
          g_autofree char *title = g_strdup_printf (_ ("stage %d"), node->stage);
          TsDagGroup group = {
            .title = ts_dag_keep (r, title), .parent = node->group, .op = -1, .stage = node->stage, .number = node->stage
          };

          g_array_append_val (boxes, group);
          found = GUINT_TO_POINTER (boxes->len);
          g_hash_table_insert (known, g_memdup2 (&key, sizeof key), found);
        }
      box[i] = (gint32) GPOINTER_TO_UINT (found) - 1;
    }
  if (boxes->len < 2 || !stages_are_acyclic (r, box, boxes->len))
    return;
  g_array_append_vals (r->groups, boxes->data, boxes->len);
  for (guint i = 0; i < r->nodes->len; i++)
    if (box[i] >= 0)
      g_array_index (r->nodes, TsDagNode, i).group = (gint32) first + box[i];
}

static void
hand_over (TsDagReader *r)
{
  TsDag *dag = r->dag;
  TsArena *arena = dag->arena;

  dag->nodes = ts_arena_memdup (arena, r->nodes->data, sizeof (TsDagNode) * r->nodes->len);
  dag->n_nodes = r->nodes->len;
  dag->edges = ts_arena_memdup (arena, r->edges->data, sizeof (TsDagEdge) * r->edges->len);
  dag->n_edges = r->edges->len;
  dag->groups = ts_arena_memdup (arena, r->groups->data, sizeof (TsDagGroup) * r->groups->len);
  dag->n_groups = r->groups->len;
  dag->places = ts_arena_memdup (arena, r->places->data, sizeof (TsDagPlace) * r->places->len);
  dag->n_places = r->places->len;
}

void
ts_dag_trim (TsDagReader *r, guint max)
{
  g_array_sort (r->places, compare_places);
  add_extra_edges (r);
  unique_edges (r);
  keep_neighbourhood (r);
  cut (r, max);
  if (r->input->group_by_stage)
    group_stages (r);
  drop_empty_groups (r);
  hand_over (r);
}
