/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The views of `export`: a row each, with the function that draws it. */

#include <string.h>

#include "cli/export.h"
#include "draw/compare-chart.h"
#include "draw/dag.h"
#include "draw/picture-charts.h"
#include "draw/pictures.h"
#include "draw/timeline.h"

/* --- timeline ---------------------------------------------------------------------------------------------------------------- */

static TsScene *
draw_timeline (TsExportJob *job, GError **error)
{
  const TsExportOptions *options = job->options;
  g_autoptr (TsTimeline) timeline = ts_picture_timeline (job->cli->run, job->index, job->simulation, TRUE, NULL);
  TsScene *scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsTimelineView view = { 0 };

  ts_timeline_view_init (&view);
  view.parts = TS_TIMELINE_FIGURE;
  view.width = options->width > 0 ? options->width : 1200;
  view.height = options->height;
  view.from = options->from;
  view.to = options->to;
  view.title = options->title;
  view.caption = options->caption;
  if (options->color_by != NULL)
    ts_color_by_from_name (options->color_by, &view.color_by);
  if (options->highlight != NULL)
    view.highlight_stage = (gint) g_ascii_strtoll (options->highlight, NULL, 10);
  ts_timeline_scene (timeline, &view, ts_theme (options->theme), job->measurer, scene);
  return scene;
}

static gboolean
text_timeline (TsExportJob *job, const char *format, GString *out, GError **error)
{
  const TsStream *stream = job->simulation->stream;
  const TsSchedule *schedule = job->simulation->schedule;
  TsSimContext context = { .snapshot = job->index, .pass = ts_run_snapshot (job->cli->run, job->index)->pass };

  if (strcmp (format, "json") == 0)
    {
      ts_simulation_to_trace (job->simulation, &context, out);
      return TRUE;
    }
  g_string_append (out, "id,core,pipe,lane,line,op,result,dispatch,start,end,stage,group,cause,wait,on\n");
  for (guint i = 0; i < stream->n_instructions; i++)
    {
      const TsSite *site = ts_stream_site (stream, i);

      g_string_append_printf (out, "%u,%s,%s,%s,%u,%s,%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%d,%d,%s,%"
                              G_GINT64_FORMAT ",%d\n",
                              i, stream->cores[site->core].name, ts_pipe_name (site->pipe),
                                ts_lane_name (ts_pipe_lane (site->pipe)),
                              site->line, site->name, site->result != NULL ? site->result : "", schedule->dispatch[i],
                                schedule->start[i],
                              schedule->end[i], site->stage, site->group, ts_cause_name (schedule->cause[i]), schedule->wait[i],
                              schedule->on[i]);
    }
  return TRUE;
}

/* --- graph ------------------------------------------------------------------------------------------------------------------- */

/* With the edges that decided a start, where the function can be simulated. */
static TsDag *
make_dag (TsExportJob *job, GError **error)
{
  const TsModule *module = ts_run_snapshot (job->cli->run, job->index)->module;
  const TsSimulation *simulation = ts_run_simulate (job->cli->run, job->index, job->function, NULL, NULL, NULL, NULL);
  const TsFunction *function = ts_module_find_function (module, job->function);
  const TsDagOptions options = { .focus = -1 };

  return ts_picture_dag (job->cli->run, job->index, function, simulation, &options, job->measurer, NULL);
}

static TsScene *
draw_dag (TsExportJob *job, GError **error)
{
  const TsExportOptions *options = job->options;
  g_autofree char *subtitle = ts_picture_subtitle (job->cli->run, job->index, job->function, NULL);
  g_autoptr (TsDag) dag = make_dag (job, error);
  TsScene *scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsDagView view = { 0 };

  ts_dag_view_init (&view);
  view.width = options->width;
  view.height = options->height;
  view.fit = options->width > 0 || options->height > 0;
  view.titles = TRUE;
  view.legend = TRUE;
  view.title = options->title != NULL ? options->title : ts_input_title (ts_run_input (job->cli->run));
  view.subtitle = subtitle;
  view.caption = options->caption;
  if (options->highlight != NULL)
    view.highlight_stage = (gint) g_ascii_strtoll (options->highlight, NULL, 10);
  ts_dag_scene (dag, &view, ts_theme (options->theme), job->measurer, scene);
  return scene;
}

static gboolean
text_dag (TsExportJob *job, const char *format, GString *out, GError **error)
{
  g_autoptr (TsDag) dag = make_dag (job, error);

  ts_dag_append_dot (dag, out);
  return TRUE;
}

/* --- memory, bill, fold, comparison ------------------------------------------------------------------------------------------ */

static gint
highlight_of (const TsExportOptions *options)
{
  return options->highlight != NULL ? (gint) g_ascii_strtoll (options->highlight, NULL, 10) : -1;
}

static TsScene *
draw_memory (TsExportJob *job, GError **error)
{
  const TsExportOptions *options = job->options;
  g_autoptr (TsPictureMap) map = ts_picture_map (job->cli->run, job->index, job->function, NULL, error);
  g_autoptr (TsPictureNotes) notes = NULL;
  TsMapView view;
  TsScene *scene;

  if (map == NULL)
    return NULL;
  notes = ts_picture_notes (job->cli->run, job->index, map->input.facts, NULL);
  map->input.notes = (const char *const *) notes->since;
  map->input.rules = (const char *const *) notes->rules;
  ts_map_view_init (&view);
  view.width = options->width > 0 ? options->width : view.width;
  view.height = options->height;
  view.title = options->title;
  view.caption = options->caption;
  view.highlight_stage = highlight_of (options);
  scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  ts_map_scene (&map->input, &view, ts_theme (options->theme), job->measurer, scene);
  return scene;
}

static TsScene *
draw_bill (TsExportJob *job, GError **error)
{
  const TsExportOptions *options = job->options;
  g_autoptr (TsPictureBill) bill = ts_picture_bill (job->cli->run, job->function, NULL);
  TsScene *scene = ts_scene_new (1, 1, TS_COLOR_NONE);

  bill->input.width = options->width > 0 ? options->width : bill->input.width;
  bill->input.height = options->height;
  bill->input.title = options->title != NULL ? options->title : bill->input.title;
  bill->input.caption = options->caption;
  ts_bill_scene (&bill->input, ts_theme (options->theme), job->measurer, scene);
  return scene;
}

static TsScene *
draw_fold (TsExportJob *job, GError **error)
{
  const TsExportOptions *options = job->options;
  g_autoptr (TsTimeline) timeline = ts_picture_timeline (job->cli->run, job->index, job->simulation, TRUE, NULL);
  TsScene *scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  TsFoldInput input;

  ts_picture_fold (job->simulation, timeline, &input);
  input.width = options->width > 0 ? options->width : input.width;
  input.height = options->height;
  input.title = options->title;
  input.caption = options->caption;
  ts_fold_scene (timeline, &input, ts_theme (options->theme), job->measurer, scene);
  return scene;
}

/* The run and snapshot to compare with: another file, or another snapshot of this one. */
static gboolean
find_other (TsExportJob *job, TsRun **run, guint *index, GError **error)
{
  const TsExportOptions *options = job->options;
  TsExit status;
  gint found;

  if (options->with == NULL && options->with_after == NULL)
    {
      g_set_error_literal (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "compare needs --with FILE or --with-after PASS");
      return FALSE;
    }
  *run = options->with != NULL ? ts_cli_open_run (job->cli, options->with, &status) : ts_run_ref (job->cli->run);
  if (*run == NULL)
    {
      g_set_error (error, TS_RUN_ERROR, status == TS_EXIT_USAGE ? TS_RUN_ERROR_USAGE : TS_RUN_ERROR_INPUT,
                   "%s cannot be compared with", options->with);
      return FALSE;
    }
  *index = ts_run_last_snapshot (*run);
  if (options->with_after == NULL)
    return TRUE;
  found = ts_run_find_snapshot (*run, options->with_after);
  if (found < 0)
    g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "there is no snapshot after “%s”", options->with_after);
  else
    *index = (guint) found;
  return found >= 0;
}

static TsScene *
draw_compare (TsExportJob *job, GError **error)
{
  const TsExportOptions *options = job->options;
  g_autoptr (TsRun) run = NULL;
  g_autoptr (TsTimeline) timeline = NULL, other = NULL;
  const TsSimulation *simulation;
  TsTimelineView view;
  TsScene *scene;
  guint index;

  if (!find_other (job, &run, &index, error))
    return NULL;
  simulation = ts_run_simulate (run, index, NULL, NULL, NULL, NULL, error);
  if (simulation == NULL)
    return NULL;
  timeline = ts_picture_timeline (job->cli->run, job->index, job->simulation, TRUE, NULL);
  other = ts_picture_timeline (run, index, simulation, TRUE, NULL);
  ts_timeline_view_init (&view);
  view.width = options->width > 0 ? options->width : 1200;
  view.height = options->height;
  view.from = options->from;
  view.to = options->to;
  view.caption = options->caption;
  view.highlight_stage = highlight_of (options);
  if (options->color_by != NULL)
    ts_color_by_from_name (options->color_by, &view.color_by);
  scene = ts_scene_new (1, 1, TS_COLOR_NONE);
  ts_compare_scene (timeline, other, &view, ts_theme (options->theme), job->measurer, scene);
  return scene;
}

/* --- the table --------------------------------------------------------------------------------------------------------------- */

static const TsExportView views[] = {
  { "timeline", "units over time, with what each waits for", "svg pdf png json csv", TRUE, draw_timeline, text_timeline },
  { "dag", "operations and what they depend on", "svg pdf png dot", FALSE, draw_dag, text_dag },
  { "memory", "buffers by address and program order", "svg pdf png", FALSE, draw_memory, NULL },
  { "fold", "all iterations of a loop on top of each other", "svg pdf png", TRUE, draw_fold, NULL },
  { "passes", "the bill: cycles and bytes after every pass", "svg pdf png", FALSE, draw_bill, NULL },
  { "compare", "two timelines on one scale", "svg pdf png", TRUE, draw_compare, NULL },
};

const TsExportView *
ts_export_views (guint *n)
{
  *n = G_N_ELEMENTS (views);
  return views;
}
