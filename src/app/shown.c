/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything the views need of one snapshot, made on a worker thread. */
#include "app/shown.h"

#include <glib/gi18n.h>

#include "draw/pictures.h"

/* Statements beyond which the graph first shows the surroundings of the selection only. */
#define MAX_GRAPH_NODES 5000u
/* The pane of the graph is about three times as wide as high: the direction that is larger in it is chosen, if the graph is small
 * enough to be laid out twice. */
#define PANE_WIDTH 880.0
#define PANE_HEIGHT 290.0
#define MAX_LAID_OUT_TWICE 1000u

TsShowRequest *
ts_show_request_new (TsRun *run, guint index, const char *function)
{
  TsShowRequest *request = g_new0 (TsShowRequest, 1);

  request->run = ts_run_ref (run);
  request->index = index;
  request->function = g_strdup (function);
  request->anchor_op = -1;
  return request;
}

void
ts_show_request_free (gpointer data)
{
  TsShowRequest *request = data;

  ts_run_unref (request->run);
  g_free (request->function);
  g_clear_pointer (&request->previous_dag, ts_dag_unref);
  g_free (request);
}

TsShown *
ts_shown_ref (TsShown *shown)
{
  g_atomic_int_inc (&shown->refs);
  return shown;
}

void
ts_shown_unref (gpointer data)
{
  TsShown *shown = data;

  if (!g_atomic_int_dec_and_test (&shown->refs))
    return;
  g_clear_pointer (&shown->timeline, ts_timeline_unref);
  g_clear_pointer (&shown->dag, ts_dag_unref);
  g_clear_pointer (&shown->map, ts_picture_map_free);
  g_clear_pointer (&shown->followed, g_array_unref);
  g_free (shown->function);
  g_free (shown->no_schedule);
  g_free (shown->no_graph);
  g_free (shown->no_map);
  ts_run_unref (shown->run);
  g_free (shown);
}

/* A sentence of the engine as a sentence of ours: capital letter and period are the caller's business. */
static char *
sentence (const GError *error, const char *otherwise)
{
  return g_strdup (error != NULL ? error->message : otherwise);
}

/* The function to draw: the wanted one if it is here, else the one that would be simulated, else any with a body. */
static void
choose_function (TsShown *shown, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  const char *picked = ts_run_pick_function (shown->run, shown->index, wanted, &error);
  const TsRunFunction *found = NULL;

  if (picked == NULL && wanted == NULL)
    shown->no_schedule = sentence (error, _("no function here uses a unit of the core"));
  for (guint i = 0; i < shown->n_functions; i++)
    {
      const TsRunFunction *function = &shown->functions[i];

      if (g_strcmp0 (function->name, picked != NULL ? picked : wanted) == 0)
        found = function;
    }
  if (found == NULL && shown->n_functions > 0)
    found = &shown->functions[0];
  if (found == NULL)
    return;
  shown->function = g_strdup (found->name);
  shown->ir = found->function;
  if (!found->can_simulate && shown->no_schedule == NULL)
    shown->no_schedule = g_strdup (found->why_not != NULL ? found->why_not : _("this function uses no unit of the core"));
}

static void
make_timeline (TsShown *shown, const TsShowRequest *request, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;

  if (shown->no_schedule != NULL || shown->function == NULL)
    return;
  shown->simulation = ts_run_simulate (shown->run, shown->index, shown->function, cancellable, request->progress,
                                       request->progress_data, &error);
  if (shown->simulation != NULL)
    shown->timeline = ts_picture_timeline (shown->run, shown->index, shown->simulation, FALSE, cancellable);
  if (shown->timeline == NULL)
    {
      shown->simulation = NULL;
      shown->no_schedule = sentence (error, _("it was cancelled"));
    }
}

static gboolean
count_op (TsOp *op, gpointer data)
{
  *(guint *) data += 1;
  return TRUE;
}

static double
zoom_in_pane (const TsDag *dag)
{
  double width, height;

  ts_dag_size (dag, &width, &height);
  return MIN (PANE_WIDTH / MAX (width, 1), PANE_HEIGHT / MAX (height, 1));
}

/* Takes the graph that runs down and returns it, or the one to the right where that can be read better. */
static TsDag *
choose_direction (TsShown *shown, TsDag *down, const TsDagOptions *options, TsMeasurer *measurer, GCancellable *cancellable)
{
  TsDagOptions turned = *options;
  TsDag *right;

  if (down == NULL || ts_dag_n_nodes (down) > MAX_LAID_OUT_TWICE || zoom_in_pane (down) >= 1.0)
    return down;
  turned.left_to_right = TRUE;
  right = ts_picture_dag (shown->run, shown->index, shown->ir, shown->simulation, &turned, measurer, cancellable);
  if (right == NULL || zoom_in_pane (right) <= zoom_in_pane (down))
    {
      g_clear_pointer (&right, ts_dag_unref);
      return down;
    }
  ts_dag_unref (down);
  shown->left_to_right = TRUE;
  return right;
}

static void
make_graph (TsShown *shown, const TsShowRequest *request, GCancellable *cancellable)
{
  TsDagOptions options = { .previous = request->previous_dag, .focus = -1 };
  g_autoptr (TsMeasurer) measurer = NULL;
  guint n = 0;

  if (shown->ir == NULL || shown->ir->body_kind != TS_BODY_STATEMENTS)
    {
      shown->no_graph = g_strdup (_("this function has no statements of its own"));
      return;
    }
  ts_region_walk ((TsRegion *) &shown->ir->body, count_op, &n);
  if (n == 0)
    {
      shown->no_graph = g_strdup (_("this function is empty"));
      return;
    }
  if (n > MAX_GRAPH_NODES && shown->followed->len > 0)
    {
      options.focus = g_array_index (shown->followed, gint32, 0);
      options.hops = 3;
    }
  measurer = ts_measurer_new_fixed ();
  options.left_to_right = shown->left_to_right = request->direction == TS_DIRECTION_RIGHT;
  shown->dag = ts_picture_dag (shown->run, shown->index, shown->ir, shown->simulation, &options, measurer, cancellable);
  if (request->direction == TS_DIRECTION_BY_SHAPE)
    shown->dag = choose_direction (shown, shown->dag, &options, measurer, cancellable);
  if (shown->dag == NULL)
    shown->no_graph = g_strdup (_("it was cancelled"));
}

/* The nearest snapshot in a direction that has buffers. */
static gint
find_map (const TsShown *shown, int step, GCancellable *cancellable)
{
  gint n = (gint) ts_run_n_snapshots (shown->run);

  for (gint i = (gint) shown->index + step; i >= 0 && i < n && !g_cancellable_is_cancelled (cancellable); i += step)
    if (ts_run_snapshot (shown->run, (guint) i)->module != NULL
        && ts_run_memory (shown->run, (guint) i, shown->function, cancellable, NULL) != NULL)
      return i;
  return -1;
}

/* Buffers exist from InitMemRef on; after a pass that failed one looks at what it was given. */
static void
make_map (TsShown *shown, GCancellable *cancellable)
{
  gboolean failed = shown->snapshot->module == NULL;
  g_autofree char *title = NULL;

  shown->map_at = -1;
  if (!failed && shown->function != NULL)
    shown->map = ts_picture_map (shown->run, shown->index, shown->function, cancellable, NULL);
  if (shown->map != NULL)
    return;
  shown->map_at = find_map (shown, failed ? -1 : 1, cancellable);
  title = shown->map_at >= 0 ? ts_picture_snapshot_title (ts_run_snapshot (shown->run, (guint) shown->map_at)) : NULL;
  if (failed && title != NULL)
    shown->no_map = g_strdup_printf (_("this snapshot has no program; the last map is the one %s"), title);
  else if (title != NULL)
    shown->no_map = g_strdup_printf (_("no tile has a buffer yet; the first map is the one %s"), title);
  else if (!failed && shown->snapshot->module->language == TS_LANGUAGE_TTIR)
    shown->no_map = g_strdup (_("Triton IR names no buffers: which bytes its tensors get is decided after it"));
  else
    shown->no_map = g_strdup (_("no tile of this function has a buffer in any snapshot"));
}

static void
follow_selection (TsShown *shown, const TsShowRequest *request)
{
  if (request->anchor_op >= 0 && shown->snapshot->module != NULL)
    shown->followed = ts_run_trace (shown->run, request->anchor_index, request->anchor_op, shown->index, &shown->inferred);
  if (shown->followed == NULL)
    shown->followed = g_array_new (FALSE, FALSE, sizeof (gint32));
}

gpointer
ts_show_work (gpointer data, GCancellable *cancellable, GError **error)
{
  const TsShowRequest *request = data;
  g_autoptr (TsShown) shown = g_new0 (TsShown, 1);

  shown->refs = 1;
  shown->run = ts_run_ref (request->run);
  shown->index = request->index;
  shown->snapshot = ts_run_snapshot (request->run, request->index);
  shown->text = ts_run_text (request->run, request->index, cancellable, NULL);
  shown->functions = ts_run_functions (request->run, request->index, &shown->n_functions);
  follow_selection (shown, request);
  if (shown->snapshot->module == NULL)
    {
      shown->no_schedule = g_strdup (shown->snapshot->info != NULL ? _("this pass failed") : _("this file has errors"));
      shown->no_graph = g_strdup (shown->no_schedule);
    }
  else
    {
      choose_function (shown, request->function);
      make_timeline (shown, request, cancellable);
      make_graph (shown, request, cancellable);
    }
  make_map (shown, cancellable);
  /* Where there is a way on, that is what to say. */
  if (shown->no_schedule != NULL && ts_run_advice (request->run) != NULL)
    {
      g_free (shown->no_schedule);
      shown->no_schedule = g_strdup (ts_run_advice (request->run));
    }
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  return g_steal_pointer (&shown);
}

char *
ts_shown_op_name (const TsShown *shown, const TsOp *op)
{
  return ts_picture_op_name (op, shown->text != NULL ? shown->text->names : NULL);
}

const TsOp *
ts_shown_op (const TsShown *shown, gint32 op)
{
  return op >= 0 && shown->snapshot->module != NULL ? ts_run_op (shown->run, shown->index, op) : NULL;
}
