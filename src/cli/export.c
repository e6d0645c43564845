/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilescope-cli export: draws one view and writes it whole. */

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/export.h"
#include "draw/cairo.h"
#include "draw/pictures.h"
#include "draw/svg.h"
#include "draw/timeline.h"

#define LEAST_SIZE 16
#define MOST_SIZE 100000
#define LEAST_SCALE 0.1
#define MOST_SCALE 32

static const TsExportView *
find_view (const char *name)
{
  guint n;
  const TsExportView *views = ts_export_views (&n);

  for (guint i = 0; i < n; i++)
    if (strcmp (views[i].name, name) == 0)
      return &views[i];
  return NULL;
}

/* "svg" of "a/b.svg" when the view can be written so; NULL otherwise. */
static const char *
format_of (const TsExportView *view, const char *path)
{
  g_auto (GStrv) formats = g_strsplit (view->formats, " ", -1);
  const char *dot = strrchr (path, '.');

  return dot != NULL && g_strv_contains ((const char *const *) formats, dot + 1) ? dot + 1 : NULL;
}

/* "A..B" in cycles. */
static gboolean
parse_range (TsExportOptions *options)
{
  g_auto (GStrv) parts = g_strsplit (options->range, "..", 2);

  return parts[0] != NULL && parts[1] != NULL && ts_parse_int64 (parts[0], &options->from)
    && ts_parse_int64 (parts[1], &options->to)
         && options->from >= 0 && options->to > options->from;
}

/* Was it given, and is it sensible? */
static gboolean
in_range (double value, double least, double most)
{
  return value == TS_CLI_UNSET || (value >= least && value <= most);
}

static double
or_default (double value)
{
  return value == TS_CLI_UNSET ? 0 : value;
}

static gboolean
understand (const TsCli *cli, TsExportOptions *options, TsExit *status)
{
  TsColorBy by;
  gint64 stage;

  if (options->range != NULL && !parse_range (options))
    *status = ts_cli_usage (cli, "“%s” is not a range of cycles like 100..400", options->range);
  else if (options->theme_name != NULL && !ts_theme_from_name (options->theme_name, &options->theme))
    *status = ts_cli_usage (cli, "there is no theme “%s”; there are light, dark and print", options->theme_name);
  else if (options->color_by != NULL && !ts_color_by_from_name (options->color_by, &by))
    *status = ts_cli_usage (cli, "colours go by unit, stage, iteration or op, not by “%s”", options->color_by);
  else if (options->highlight != NULL && (!ts_parse_int64 (options->highlight, &stage) || stage < 0 || stage > G_MAXINT16))
    *status = ts_cli_usage (cli, "--highlight takes the number of a stage, not “%s”", options->highlight);
  else if (!in_range (options->width, LEAST_SIZE, MOST_SIZE) || !in_range (options->height, LEAST_SIZE, MOST_SIZE))
    *status = ts_cli_usage (cli, "--width and --height are pixels from %d to %d", LEAST_SIZE, MOST_SIZE);
  else if (!in_range (options->scale, LEAST_SCALE, MOST_SCALE))
    *status = ts_cli_usage (cli, "--scale goes from %g to %d", LEAST_SCALE, MOST_SCALE);
  else
    {
      options->width = or_default (options->width);
      options->height = or_default (options->height);
      options->scale = or_default (options->scale);
      return TRUE;
    }
  return FALSE;
}

/* What the picture shows beside the run, so that it reopens the same. */
static TsFigureInfo *
figure_of (const TsExportJob *job, const TsExportView *view)
{
  const TsExportOptions *options = job->options;
  TsFigureInfo *figure = ts_picture_figure (job->cli->run, job->index, job->function, view->name);

  ts_figure_add (figure, TS_FIGURE_RANGE, options->range);
  ts_figure_add (figure, TS_FIGURE_THEME, options->theme_name);
  ts_figure_add (figure, TS_FIGURE_COLOR_BY, options->color_by);
  ts_figure_add (figure, TS_FIGURE_HIGHLIGHT, options->highlight);
  ts_figure_add (figure, TS_FIGURE_TITLE, options->title);
  ts_figure_add (figure, TS_FIGURE_CAPTION, options->caption);
  return figure;
}

static GBytes *
encode (TsExportJob *job, const TsExportView *view, const char *format, GError **error)
{
  g_autoptr (TsFigureInfo) figure = NULL;
  g_autoptr (TsScene) scene = NULL;
  GString *out;

  if (view->text != NULL && strcmp (format, "svg") != 0 && strcmp (format, "png") != 0 && strcmp (format, "pdf") != 0)
    {
      out = g_string_new (NULL);
      if (view->text (job, format, out, error))
        return g_string_free_to_bytes (out);
      g_string_free (out, TRUE);
      return NULL;
    }
  scene = view->draw (job, error);
  if (scene == NULL)
    return NULL;
  figure = figure_of (job, view);
  if (strcmp (format, "png") == 0)
    return ts_scene_to_png (scene, figure, job->options->scale > 0 ? job->options->scale : 2, error);
  if (strcmp (format, "pdf") == 0)
    return ts_scene_to_pdf (scene, figure, error);
  out = g_string_new (NULL);
  ts_svg_append (scene, figure, out);
  return g_string_free_to_bytes (out);
}

static gboolean
write_picture (TsExportJob *job, const TsExportView *view, const char *format, TsExit *status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = encode (job, view, format, &error);
  gsize length;
  const char *data;

  if (bytes == NULL)
    {
      *status = ts_cli_fail (error);
      return FALSE;
    }
  data = g_bytes_get_data (bytes, &length);
  if (ts_file_write (job->options->output, data, length, &error))
    return TRUE;
  *status = ts_cli_fail (error);
  return FALSE;
}

/* A view that needs no schedule shows any function: the one asked for, else the one that would be simulated, else the first. */
static const char *
pick_any_function (TsCli *cli, guint index, GError **error)
{
  const char *wanted = ts_run_options (cli->run)->function, *picked;
  guint n;
  const TsRunFunction *functions = ts_run_functions (cli->run, index, &n);

  for (guint i = 0; wanted != NULL && i < n; i++)
    if (strcmp (functions[i].name, wanted) == 0)
      return functions[i].name;
  picked = ts_run_pick_function (cli->run, index, wanted, error);
  if (picked != NULL || wanted != NULL || n == 0)
    return picked;
  g_clear_error (error);
  return functions[0].name;
}

/* Opens, picks the snapshot, simulates where the view needs it, and draws. */
static TsExit
export (TsCli *cli, const TsExportOptions *options, const TsExportView *view, const char *format)
{
  g_autoptr (TsMeasurer) measurer = NULL;
  g_autoptr (GError) error = NULL;
  TsExportJob job = { .cli = cli, .options = options };
  TsExit status = TS_EXIT_DONE;

  if (!ts_cli_open (cli, &status))
    return status;
  ts_cli_print_shown_diags (cli, cli->run);
  if (!ts_cli_pick_snapshot (cli, cli->run, &job.index, &status))
    return status;
  if (view->simulates)
    {
      job.simulation = ts_run_simulate (cli->run, job.index, NULL, NULL, NULL, NULL, &error);
      if (job.simulation == NULL)
        return ts_cli_fail (error);
      ts_cli_print_diags (cli, job.simulation->diags);
      if (options->range != NULL && options->from >= job.simulation->result->makespan)
        return ts_cli_usage (cli, "--range %s lies outside the run, which has cycles 0..%" G_GINT64_FORMAT, options->range,
                             job.simulation->result->makespan);
      job.function = job.simulation->function;
    }
  else
    {
      job.function = pick_any_function (cli, job.index, &error);
      if (job.function == NULL)
        return ts_cli_fail (error);
    }
  measurer = ts_measurer_new_fixed ();
  job.measurer = measurer;
  return write_picture (&job, view, format, &status) ? TS_EXIT_DONE : status;
}

static void
options_clear (TsExportOptions *options)
{
  g_free (options->view);
  g_free (options->output);
  g_free (options->range);
  g_free (options->theme_name);
  g_free (options->color_by);
  g_free (options->title);
  g_free (options->caption);
  g_free (options->highlight);
  g_free (options->with);
  g_free (options->with_after);
}

static TsExit
check_and_export (TsCli *cli, TsExportOptions *options)
{
  const TsExportView *view = options->view != NULL ? find_view (options->view) : NULL;
  const char *format;
  TsExit status = TS_EXIT_DONE;

  if (options->view == NULL || options->output == NULL)
    return ts_cli_usage (cli, "export needs --view VIEW and -o OUT");
  if (view == NULL)
    return ts_cli_usage (cli, "there is no view “%s”; see tilescope-cli list views", options->view);
  if (view->draw == NULL)
    return ts_cli_usage (cli, "the view “%s” is not there yet", view->name);
  format = format_of (view, options->output);
  if (format == NULL)
    return ts_cli_usage (cli, "%s: the view “%s” is written as one of: %s (by extension)", options->output, view->name,
                         view->formats);
  if (!understand (cli, options, &status))
    return status;
  return export (cli, options, view, format);
}

TsExit
ts_command_export (TsCli *cli, int argc, char **argv)
{
  TsExportOptions options = { .theme = TS_THEME_LIGHT, .width = TS_CLI_UNSET, .height = TS_CLI_UNSET, .scale = TS_CLI_UNSET };
  const GOptionEntry entries[] = {
    { "view", 0, 0, G_OPTION_ARG_STRING, &options.view, "timeline, dag, memory, fold, passes, compare", "VIEW" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "File to write; its extension is the format", "OUT" },
    { "range", 0, 0, G_OPTION_ARG_STRING, &options.range, "Cycles to show", "A..B" },
    { "width", 0, 0, G_OPTION_ARG_DOUBLE, &options.width, "Width in pixels", "N" },
    { "height", 0, 0, G_OPTION_ARG_DOUBLE, &options.height, "Height in pixels", "N" },
    { "theme", 0, 0, G_OPTION_ARG_STRING, &options.theme_name, "light, dark, print", "NAME" },
    { "color-by", 0, 0, G_OPTION_ARG_STRING, &options.color_by, "unit, stage, iteration, op", "WHAT" },
    { "highlight", 0, 0, G_OPTION_ARG_STRING, &options.highlight, "Mute all stages but this one", "STAGE" },
    { "title", 0, 0, G_OPTION_ARG_STRING, &options.title, "Title of the figure", "TEXT" },
    { "caption", 0, 0, G_OPTION_ARG_STRING, &options.caption, "Line under the figure", "TEXT" },
    { "scale", 0, 0, G_OPTION_ARG_DOUBLE, &options.scale, "Pixels per unit of a PNG; default: 2", "N" },
    { "with", 0, 0, G_OPTION_ARG_FILENAME, &options.with, "compare: the other input", "FILE" },
    { "with-after", 0, 0, G_OPTION_ARG_STRING, &options.with_after, "compare: the other snapshot", "PASS" },
    G_OPTION_ENTRY_NULL,
  };
  TsExit status = TS_EXIT_DONE;

  if (ts_cli_parse (cli, TS_CLI_RUN | TS_CLI_SNAPSHOT, entries, 1, 1, argc, argv, &status))
    status = check_and_export (cli, &options);
  options_clear (&options);
  return status;
}
