/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/users.h"

#include <stdlib.h>
#include <string.h>

#include "passes/graph/track.h"

static TsOp **
entries (TsGraphUserList *list)
{
  return list->room > 0 ? list->ops.many : &list->ops.one;
}

/* An entry of an operation that stays in the function, but uses the value no more, keeps its place until the list is tidied. */
static gboolean
is_struck (const TsOp *entry)
{
  return (GPOINTER_TO_SIZE (entry) & 1) != 0;
}

static TsOp *
strike (TsOp *entry)
{
  return GSIZE_TO_POINTER (GPOINTER_TO_SIZE (entry) | 1);
}

static const TsOp *
op_of (const TsOp *entry)
{
  return GSIZE_TO_POINTER (GPOINTER_TO_SIZE (entry) & ~(gsize) 1);
}

void
ts_user_list_clear (TsGraphUserList *list)
{
  guint32 changed = list->changed;

  if (list->room > 0)
    g_free (list->ops.many);
  *list = (TsGraphUserList) { .changed = changed };
}

static void
push (TsGraphUserList *list, TsOp *op)
{
  if (list->room == 0 && list->n == 1)
    {
      TsOp *one = list->ops.one;

      list->room = 4;
      list->ops.many = g_new (TsOp *, list->room);
      list->ops.many[0] = one;
    }
  else if (list->room > 0 && list->n == list->room)
    {
      list->room *= 2;
      list->ops.many = g_renew (TsOp *, list->ops.many, list->room);
    }
  entries (list)[list->n++] = op;
}

void
ts_user_list_append (TsGraphUserList *list, TsOp *op)
{
  list->n_uses++;
  if (list->n == 0 || entries (list)[list->n - 1] != op)
    push (list, op);
  list->n_sorted = list->n;
}

void
ts_user_list_add (TsGraphUserList *list, TsOp *op)
{
  list->n_uses++;
  push (list, op);
}

void
ts_user_list_forget (TsGraphUserList *list)
{
  list->n_uses--;
  list->has_gone = TRUE;
}

/* --- order ----------------------------------------------------------------------------------------------------------------- */

static gint
compare_places (gconstpointer a, gconstpointer b, gpointer graph)
{
  const TsOp *x = *(const TsOp *const *) a, *y = *(const TsOp *const *) b;

  return x == y ? 0 : ts_graph_comes_before (graph, x, y) ? -1 : 1;
}

static void
drop_gone (TsGraphUserList *list, const TsGraph *graph)
{
  TsOp **ops = entries (list);
  guint kept = 0, n_sorted = 0;

  for (guint i = 0; i < list->n; i++)
    if (!is_struck (ops[i]) && graph->numbers[ops[i]->id] != G_MAXUINT32)
      {
        n_sorted += i < list->n_sorted;
        ops[kept++] = ops[i];
      }
  list->n = kept;
  list->n_sorted = n_sorted;
}

/* The sorted ones and the new ones, which are sorted too, become one. */
static void
merge (TsOp **ops, guint n_sorted, guint n, const TsGraph *graph)
{
  g_autofree TsOp **fresh = NULL;
  guint old = n_sorted, new = n - n_sorted;

  if (n_sorted == 0 || compare_places (&ops[n_sorted - 1], &ops[n_sorted], (gpointer) graph) < 0)
    return;
  fresh = g_memdup2 (ops + n_sorted, sizeof *ops * new);
  for (guint at = n; new > 0; at--)
    if (old > 0 && compare_places (&ops[old - 1], &fresh[new - 1], (gpointer) graph) > 0)
      ops[at - 1] = ops[--old];
    else
      ops[at - 1] = fresh[--new];
}

static void
drop_repeated (TsGraphUserList *list)
{
  TsOp **ops = entries (list);
  guint kept = 0;

  for (guint i = 0; i < list->n; i++)
    if (kept == 0 || ops[kept - 1] != ops[i])
      ops[kept++] = ops[i];
  list->n = kept;
}

static void
tidy (TsGraphUserList *list, const TsGraph *graph, guint serial)
{
  if (list->has_gone)
    drop_gone (list, graph);
  if (list->n_sorted < list->n)
    {
      g_qsort_with_data (entries (list) + list->n_sorted, (gint) (list->n - list->n_sorted), sizeof (TsOp *), compare_places,
                         (gpointer) graph);
      merge (entries (list), list->n_sorted, list->n, graph);
      drop_repeated (list);
    }
  list->n_sorted = list->n;
  list->has_gone = FALSE;
  list->tidied = serial;
}

void
ts_user_list_remove (TsGraphUserList *list, const TsGraph *graph, const TsOp *op, guint serial)
{
  guint low = 0, high;

  list->n_uses--;
  if (list->n_sorted < list->n || (list->has_gone && list->tidied != serial))
    tidy (list, graph, serial);
  for (high = list->n; low < high;)
    {
      guint middle = low + (high - low) / 2;

      if (ts_graph_comes_before (graph, op_of (entries (list)[middle]), op))
        low = middle + 1;
      else
        high = middle;
    }
  if (low == list->n || op_of (entries (list)[low]) != op)
    return;
  entries (list)[low] = strike (entries (list)[low]);
  list->has_gone = TRUE;
  list->tidied = serial; /* those that are struck still have their places */
}

TsOp *const *
ts_user_list_get (TsGraphUserList *list, const TsGraph *graph, guint serial, guint *n)
{
  if (list->has_gone || list->n_sorted < list->n)
    tidy (list, graph, serial);
  *n = list->n;
  return list->n > 0 ? entries (list) : NULL;
}
