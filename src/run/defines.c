/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names given with -D: each once, and of something that is there. */
#include <string.h>

#include "ir/provenance.h"
#include "run/run-private.h"
#include "sim/simulate.h"

static gsize
name_length (const char *define)
{
  return strcspn (define, "=");
}

gboolean
ts_run_check_defines (const char *const *defines, GError **error)
{
  for (gsize i = 0; defines != NULL && defines[i] != NULL; i++)
    {
      gsize length = name_length (defines[i]);

      if (defines[i][length] != '=' || length == 0)
        {
          g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "“%s” is not of the form NAME=VALUE", defines[i]);
          return FALSE;
        }
      for (gsize k = 0; k < i; k++)
        if (name_length (defines[k]) == length && strncmp (defines[k], defines[i], length) == 0)
          {
            g_set_error (error, TS_RUN_ERROR, TS_RUN_ERROR_USAGE, "%.*s is given twice: %s and %s", (int) length, defines[i],
                         defines[k], defines[i]);
            return FALSE;
          }
    }
  return TRUE;
}

/* A dump may have numbered a name: `n` is found as n__ssa_v0. */
static gboolean
is_in_input (const TsInput *input, const char *word)
{
  guint n;
  const TsDumpFile *dumps = ts_input_dumps (input, &n);

  for (guint i = 0; i < n; i++)
    if (dumps[i].source != NULL && ts_source_has_word (dumps[i].source, word, "__ssa"))
      return TRUE;
  return ts_input_source (input) != NULL && ts_source_has_word (ts_input_source (input), word, "__ssa");
}

/* A file's own Python: who reads it knows what each -D has reached, and has said so. */
static gboolean
is_reported (const TsRun *run)
{
  gsize size;
  const char *text;

  if (run->language != TS_LANGUAGE_PYPTO || ts_input_source (run->input) == NULL)
    return FALSE;
  text = ts_source_text (ts_input_source (run->input), &size);
  return !ts_pypto_is_printed (text, size);
}

static const TsModule *
first_module (TsRun *run)
{
  for (guint i = 0; i < run->snaps->len; i++)
    if (ts_run_snap (run, i)->public.module != NULL)
      return ts_run_snap (run, i)->public.module;
  return NULL;
}

/* In Triton IR only arguments can be bound by name, not what the body computes. */
static gboolean
is_argument (const TsModule *module, const char *name)
{
  for (guint i = 0; i < module->n_functions; i++)
    for (guint k = 0; k < module->functions[i]->n_params; k++)
      if (strcmp (module->functions[i]->params[k]->hint, name) == 0)
        return TRUE;
  return FALSE;
}

static char *
why_no_argument (const TsRun *run, const TsModule *module, const char *name)
{
  if (is_argument (module, name))
    return NULL;
  return g_strdup_printf ("no function of %s has an argument %s; the launch is bound by program_id and num_programs, program_id_y, "
                          "...",
                          ts_input_title (run->input), name);
}

/* Why the name binds nothing, to be freed; NULL when it binds something, or may. */
static char *
problem_of (TsRun *run, const char *name)
{
  const TsModule *module = first_module (run);
  const char *dot = strrchr (name, '.'); /* module.NAME */
  char *why;

  if (ts_simulate_knows_name (name))
    return NULL;
  if (run->language == TS_LANGUAGE_TTIR && module != NULL)
    return why_no_argument (run, module, name);
  if (module != NULL && ts_pypto_binds (module, name))
    return NULL;
  if (module != NULL && (why = ts_pypto_why_unbound (module, name)) != NULL)
    return why;
  return is_in_input (run->input, dot != NULL ? dot + 1 : name) ? NULL
         : g_strdup_printf ("%s has no such name", ts_input_title (run->input));
}

/* What the parameter of this name in the input is called in a snapshot of the same function; NULL: as there, or it has none. Passes
 * rename: of block__size ConvertToSSA keeps "block". */
static const char *
renamed (const TsFunction *first, const TsFunction *now, const char *name)
{
  if (first == NULL || first->n_params != now->n_params)
    return NULL;
  for (guint i = 0; i < first->n_params; i++)
    if (strcmp (first->params[i]->hint, name) == 0)
      return ts_name_answers (now->params[i]->hint, name, strlen (name)) ? NULL : now->params[i]->hint;
  return NULL;
}

char **
ts_run_defines_for (TsRun *run, const TsFunction *function)
{
  const char *const *defines = run->options.defines;
  const TsModule *module = first_module (run);
  const TsFunction *first = module != NULL ? ts_module_find_function (module, function->name) : NULL;
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();

  for (gsize i = 0; defines != NULL && defines[i] != NULL; i++)
    {
      gsize length = name_length (defines[i]);
      g_autofree char *name = g_strndup (defines[i], length);
      const char *now = renamed (first, function, name);
      g_autofree char *define = now != NULL ? g_strconcat (now, defines[i] + length, NULL) : g_strdup (defines[i]);

      g_strv_builder_add (all, define);
    }
  return g_strv_builder_end (all);
}

void
ts_run_warn_defines (TsRun *run)
{
  if (is_reported (run))
    return;
  for (gsize i = 0; run->options.defines != NULL && run->options.defines[i] != NULL; i++)
    {
      g_autofree char *name = g_strndup (run->options.defines[i], name_length (run->options.defines[i]));
      g_autofree char *why = problem_of (run, name);

      if (why != NULL)
        ts_diag_add (run->diags, TS_SEVERITY_WARNING, "unused-define", NULL, TS_SPAN_NONE, "-D %s binds nothing: %s",
                     run->options.defines[i], why);
    }
}
