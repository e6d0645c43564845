/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/interval.h"

/* --- one operation --------------------------------------------------------------------------------------------------------- */

static gboolean
is_access (const TsOp *op)
{
  return op->code == TS_OP_TT_LOAD || op->code == TS_OP_TT_STORE;
}

/* What keeps everything from moving over the operation, other than being an access. */
static TsGraphReason
check_effects (const TsOp *op)
{
  if (op->n_regions > 0)
    return TS_GRAPH_REGION_OPERATION;
  if (op->code == TS_OP_CALL)
    return TS_GRAPH_CALL_OPERATION;
  if (ts_graph_is_barrier (op))
    return TS_GRAPH_BARRIER_OPERATION;
  if (is_access (op) || ts_graph_is_pure (op))
    return TS_GRAPH_PROVEN;
  return (ts_op_info ((TsOpCode) op->code)->flags & (TS_OPF_READS | TS_OPF_WRITES)) != 0 ? TS_GRAPH_INTERVENING_MEMORY_EFFECT
                                                                                         : TS_GRAPH_UNKNOWN_MEMORY_EFFECT;
}

TsGraphReason
ts_graph_interval (const TsOp *after, const TsOp *before, const TsOp **at)
{
  if (after->block != before->block)
    return TS_GRAPH_DIFFERENT_BLOCKS;
  for (const TsOp *op = after->next; op != NULL && op != before; op = op->next)
    {
      TsGraphReason reason = check_effects (op);

      *at = op;
      if (reason == TS_GRAPH_PROVEN && is_access (op))
        reason = TS_GRAPH_INTERVENING_MEMORY_EFFECT;
      if (reason != TS_GRAPH_PROVEN)
        return reason;
    }
  return TS_GRAPH_PROVEN;
}

/* --- all of them ----------------------------------------------------------------------------------------------------------- */

/* An operation that can be in the way. What comes next is a position behind this one, or the number of positions: none. */
typedef struct
{
  const TsOp     *op;
  TsGraphReason   reason;  /* in everybody's way, or TS_GRAPH_PROVEN: an access, in the way of some */
  TsGraphReason   unknown; /* why it is not known where it reaches, or TS_GRAPH_PROVEN */
  const TsValue  *root;    /* the argument it reaches through, or NULL */
  TsStaticAccess  access;
  guint next_wall;         /* in everybody's way */
  guint next_rootless;     /* access without a root */
  guint next_foreign;      /* access of another base or origin, or of unknown ones */
  guint next_near;         /* the same, of this root */
  guint next_touching;     /* access of the same base and origin that reaches something this one reaches */
} Place;

struct TsObstacles
{
  GArray  *places; /* Place, in program order */
  gboolean roots_are_apart; /* different arguments never overlap: an ABI promise, of kernels only */
};

static Place *
nth (const TsObstacles *obstacles, guint i)
{
  return &g_array_index (obstacles->places, Place, i);
}

/* --- roots ----------------------------------------------------------------------------------------------------------------- */

/* A chain of pointer arithmetic may be as long as the function, with an access at each link: one link in so many is remembered. */
#define LINKS 16u

/* `known`: TsValue to its root. */
static const TsValue *
root_of (const TsExpr *pointer, GHashTable *known)
{
  const TsExpr *first = pointer;
  gpointer root = NULL;
  guint n = 0;

  for (; pointer != NULL; pointer = ts_graph_pointer_source (pointer), n++)
    if (n > 0 && n % LINKS == 0 && g_hash_table_lookup_extended (known, ts_expr_as_value (pointer), NULL, &root))
      break;
    else if (ts_graph_pointer_source (pointer) == NULL)
      {
        root = ts_graph_pointer_argument (pointer);
        break;
      }
  for (guint i = 0; i + LINKS <= n; first = ts_graph_pointer_source (first), i++)
    if (i > 0 && i % LINKS == 0)
      g_hash_table_insert (known, ts_expr_as_value (first), root);
  return root;
}

/* --- building -------------------------------------------------------------------------------------------------------------- */

static void
add_places (TsObstacles *obstacles, const TsGraph *graph)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);

  for (guint b = 0; b < graph->function->body.n_blocks; b++)
    for (const TsOp *op = graph->function->body.blocks[b]->first; op != NULL; op = op->next)
      {
        Place place = { .op = op, .reason = check_effects (op) };
        const TsOp *at;

        if (place.reason == TS_GRAPH_PROVEN && !is_access (op))
          continue;
        if (place.reason == TS_GRAPH_PROVEN && ts_static_attributes (op) != TS_GRAPH_PROVEN)
          place.reason = TS_GRAPH_UNSUPPORTED_INTERVENING_ACCESS;
        if (place.reason == TS_GRAPH_PROVEN)
          {
            place.unknown = ts_static_access (op, &place.access, &at);
            place.root = root_of (op->operands[0], known);
          }
        g_array_append_val (obstacles->places, place);
      }
}

/* Do two accesses reach places that can be compared? */
static gboolean
are_akin (const Place *a, const Place *b)
{
  return a->unknown == TS_GRAPH_PROVEN && b->unknown == TS_GRAPH_PROVEN && a->access.base == b->access.base
         && a->access.origin == b->access.origin;
}

static guint
hash_access (gconstpointer place)
{
  const TsStaticAccess *access = &((const Place *) place)->access;

  return (guint) access->base->id * 31u + (access->origin != NULL ? (guint) access->origin->id + 1 : 0);
}

static gboolean
same_access (gconstpointer a, gconstpointer b)
{
  return are_akin (a, b);
}

/* --- who touches whom ------------------------------------------------------------------------------------------------------ */

/* Elements [first, last], and the position of the first access behind that reaches them. */
typedef struct
{
  gint64 first, last;
  guint  position;
} Piece;

static gint
compare_pieces (gconstpointer a, gconstpointer b, gpointer data)
{
  const Piece *x = a, *y = b;

  return x->first < y->first ? -1 : x->first > y->first;
}

static void
add_piece (GTree *pieces, gint64 first, gint64 last, guint position)
{
  const Piece piece = { first, last, position };
  Piece *key;

  if (first > last)
    return;
  key = g_memdup2 (&piece, sizeof piece);
  g_tree_insert (pieces, key, key);
}

/* The last piece that begins before the end of the interval, if it reaches into it. The pieces are disjoint. */
static Piece *
find_piece (GTree *pieces, gint64 first, gint64 last)
{
  const Piece end = { .first = last };
  GTreeNode *behind = g_tree_upper_bound (pieces, &end);
  GTreeNode *node = behind != NULL ? g_tree_node_previous (behind) : g_tree_node_last (pieces);
  Piece *piece = node != NULL ? g_tree_node_value (node) : NULL;

  return piece != NULL && piece->last >= first ? piece : NULL;
}

/* From the last access to the first: what this one reaches is its own from here on. */
static guint
take_pieces (GTree *pieces, gint64 first, gint64 last, guint position, guint none)
{
  guint next = none;
  Piece *found;

  while ((found = find_piece (pieces, first, last)) != NULL)
    {
      const Piece piece = *found;

      next = MIN (next, piece.position);
      g_tree_remove (pieces, &piece);
      add_piece (pieces, piece.first, first - 1, piece.position);
      add_piece (pieces, last + 1, piece.last, piece.position);
    }
  add_piece (pieces, first, last, position);
  return next;
}

/* By base and origin: a tree of pieces. */
static void
link_touching (TsObstacles *obstacles)
{
  g_autoptr (GHashTable) trees = g_hash_table_new_full (hash_access, same_access, NULL, (GDestroyNotify) g_tree_destroy);
  guint n = obstacles->places->len;

  for (guint i = n; i-- > 0;)
    {
      Place *place = nth (obstacles, i);
      GTree *pieces;

      place->next_touching = n;
      if (place->reason != TS_GRAPH_PROVEN || place->unknown != TS_GRAPH_PROVEN)
        continue;
      pieces = g_hash_table_lookup (trees, place);
      if (pieces == NULL)
        {
          pieces = g_tree_new_full (compare_pieces, NULL, g_free, NULL);
          g_hash_table_insert (trees, place, pieces);
        }
      place->next_touching = take_pieces (pieces, place->access.first, place->access.last, i, n);
    }
}

/* The next place that is not akin, given the next one of the kind asked for and that one's own answer. */
static guint
next_stranger (const TsObstacles *obstacles, const Place *place, guint next, guint beyond)
{
  return next < obstacles->places->len && are_akin (place, nth (obstacles, next)) ? beyond : next;
}

static void
link_places (TsObstacles *obstacles)
{
  g_autoptr (GHashTable) of_root = g_hash_table_new (NULL, NULL); /* root to the next position + 1 */
  guint n = obstacles->places->len, wall = n, rootless = n, access = n;

  for (guint i = n; i-- > 0;)
    {
      Place *place = nth (obstacles, i);
      guint near = GPOINTER_TO_UINT (g_hash_table_lookup (of_root, place->root));

      place->next_wall = wall;
      place->next_rootless = rootless;
      near = near > 0 ? near - 1 : n;
      place->next_foreign = next_stranger (obstacles, place, access, access < n ? nth (obstacles, access)->next_foreign : n);
      place->next_near = next_stranger (obstacles, place, near, near < n ? nth (obstacles, near)->next_near : n);
      if (place->reason != TS_GRAPH_PROVEN)
        {
          wall = i;
          continue;
        }
      access = i;
      g_hash_table_insert (of_root, (gpointer) place->root, GUINT_TO_POINTER (i + 1));
      if (place->root == NULL)
        rootless = i;
    }
}

TsObstacles *
ts_obstacles_new (const TsGraph *graph)
{
  TsObstacles *obstacles = g_new0 (TsObstacles, 1);

  obstacles->places = g_array_new (FALSE, FALSE, sizeof (Place));
  obstacles->roots_are_apart = graph->is_entry;
  add_places (obstacles, graph);
  link_places (obstacles);
  link_touching (obstacles);
  return obstacles;
}

void
ts_obstacles_free (TsObstacles *obstacles)
{
  g_array_unref (obstacles->places);
  g_free (obstacles);
}

/* --- asking ---------------------------------------------------------------------------------------------------------------- */

guint
ts_obstacles_position (const TsObstacles *obstacles, const TsOp *op, guint from)
{
  while (from < obstacles->places->len && nth (obstacles, from)->op != op)
    from++;
  return from;
}

/* The first access between that is none of the stores: where nothing is known of where they reach, each is in the way. */
static guint
first_outsider (const TsObstacles *obstacles, const guint *positions, guint n)
{
  guint place = positions[0] + 1;

  for (guint i = 1; i < n && place == positions[i]; i++)
    place++;
  return place;
}

static guint
first_in_the_way (const TsObstacles *obstacles, const guint *positions, guint n)
{
  const Place *first = nth (obstacles, positions[0]);
  guint place = first->next_wall;

  if (first->root == NULL)
    place = MIN (place, first_outsider (obstacles, positions, n));
  else if (!obstacles->roots_are_apart)
    place = MIN (place, first->next_foreign);
  else
    place = MIN (place, MIN (first->next_rootless, first->next_near));
  for (guint i = 0; i + 1 < n; i++)
    place = MIN (place, nth (obstacles, positions[i])->next_touching);
  return place;
}

/* Why the access `place` is in the way of `store` and others that are akin to it. */
static TsGraphReason
reason_of (const Place *place, const Place *store)
{
  if (place->reason != TS_GRAPH_PROVEN)
    return place->reason;
  if (place->root == NULL || place->root != store->root)
    return TS_GRAPH_DIFFERENT_ACCESS_BASE;
  if (place->unknown != TS_GRAPH_PROVEN)
    return TS_GRAPH_UNSUPPORTED_INTERVENING_ACCESS;
  return are_akin (place, store) ? TS_GRAPH_OVERLAPPING_ACCESS_RANGE : TS_GRAPH_DIFFERENT_ACCESS_BASE;
}

TsGraphReason
ts_obstacles_find (const TsObstacles *obstacles, const guint *positions, guint n, const TsOp **at)
{
  guint place = first_in_the_way (obstacles, positions, n);

  if (place >= positions[n - 1])
    return TS_GRAPH_PROVEN;
  *at = nth (obstacles, place)->op;
  return reason_of (nth (obstacles, place), nth (obstacles, positions[0]));
}
