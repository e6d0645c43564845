/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From an exported figure back to the input it was made from. */

#include "draw/open.h"

#include <string.h>

#include "base/file.h"

static TsInput *
from_source (const TsFigureInfo *figure, GError **error)
{
  const char *source = ts_figure_get (figure, TS_FIGURE_SOURCE), *name = ts_figure_get (figure, TS_FIGURE_INPUT);

  return ts_input_from_text (name != NULL ? name : "figure", source, strlen (source), NULL, error);
}

/* The input as the figure names it, or the file of that name beside the figure. */
static TsInput *
from_name (const char *svg, const TsFigureInfo *figure, GCancellable *cancellable, GError **error)
{
  const char *name = ts_figure_get (figure, TS_FIGURE_INPUT);
  g_autofree char *folder = NULL, *base = NULL, *beside = NULL;
  g_autoptr (GError) cause = NULL;
  TsInput *input;

  /* A name that leads to standard input or to another figure would hang or never end. */
  if (name == NULL || strcmp (name, "-") == 0 || g_str_has_suffix (name, ".svg"))
    {
      g_set_error (error, TS_FIGURE_ERROR, TS_FIGURE_ERROR_BROKEN, "%s: the figure does not say what it was made from", svg);
      return NULL;
    }
  input = ts_input_load (name, NULL, cancellable, &cause);
  if (input != NULL || !g_error_matches (cause, TS_INPUT_ERROR, TS_INPUT_ERROR_READ))
    {
      if (input == NULL)
        g_propagate_error (error, g_steal_pointer (&cause));
      return input;
    }
  folder = g_path_get_dirname (svg);
  base = g_path_get_basename (name);
  beside = g_build_filename (folder, base, NULL);
  input = ts_input_load (beside, NULL, cancellable, NULL);
  if (input == NULL)
    g_set_error (error, TS_FIGURE_ERROR, TS_FIGURE_ERROR_BROKEN, "%s: it was made from %s, which is not there", svg, name);
  return input;
}

static TsFigureInfo *
read_figure (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GBytes) bytes = ts_file_read (path, cancellable, error);
  gsize length = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  return bytes != NULL ? ts_figure_read (text != NULL ? text : "", length, error) : NULL;
}

TsInput *
ts_open (const char *spec, const char *format, TsFigureInfo **figure, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TsFigureInfo) found = NULL;
  TsInput *input = ts_input_load (spec, format, cancellable, &cause);
  const char *hash;

  *figure = NULL;
  if (input != NULL)
    return input;
  if (!g_error_matches (cause, TS_INPUT_ERROR, TS_INPUT_ERROR_FIGURE) || strcmp (spec, "-") == 0)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }
  found = read_figure (spec, cancellable, error);
  if (found == NULL)
    return NULL;
  input = ts_figure_get (found, TS_FIGURE_SOURCE) != NULL ? from_source (found, error)
    : from_name (spec, found, cancellable, error);
  if (input == NULL)
    return NULL;
  hash = ts_figure_get (found, TS_FIGURE_SHA256);
  if (hash != NULL && strcmp (hash, ts_input_sha256 (input)) != 0)
    ts_input_warn (input, "figure-changed", "The input has changed since the figure was made");
  *figure = g_steal_pointer (&found);
  return input;
}

void
ts_figure_fill_options (const TsFigureInfo *figure, TsRunOptions *options, TsFigureOptions *keep)
{
  struct { const char *key; const char *const **list; } lists[] = {
    { TS_FIGURE_BINDING, &options->defines }, { TS_FIGURE_ARG, &options->args }, { TS_FIGURE_OVERRIDE, &options->overrides },
  };
  const char *planner = ts_figure_get (figure, TS_FIGURE_PLANNER);

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (*lists[i].list == NULL)
      {
        keep->lists[i] = ts_figure_get_all (figure, lists[i].key);
        *lists[i].list = (const char *const *) keep->lists[i];
      }
  if (options->function == NULL)
    options->function = ts_figure_get (figure, TS_FIGURE_FUNCTION);
  if (options->machine == NULL)
    options->machine = ts_figure_get (figure, TS_FIGURE_MACHINE);
  if (options->passes == NULL)
    options->passes = ts_figure_get (figure, TS_FIGURE_PASSES);
  if (options->planner == TS_PLANNER_PYPTO && planner != NULL)
    ts_planner_from_name (planner, &options->planner);
}

void
ts_figure_options_clear (TsFigureOptions *keep)
{
  for (guint i = 0; i < G_N_ELEMENTS (keep->lists); i++)
    g_strfreev (keep->lists[i]);
}
