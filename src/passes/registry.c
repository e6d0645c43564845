/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one table of passes, in the order of the default pipelines. A new pass is one line in passes.def. */
#include <string.h>

#include "passes/pass.h"

#define TS_PASS(symbol) extern const TsPassInfo symbol;
#include "passes/passes.def"
#undef TS_PASS

static const TsPassInfo *const registry[] = {
#define TS_PASS(symbol) &symbol,
#include "passes/passes.def"
#undef TS_PASS
};

const TsPassInfo *const *
ts_pass_registry (guint *n)
{
  *n = G_N_ELEMENTS (registry);
  return registry;
}

const TsPassInfo *
ts_pass_find (const char *name)
{
  guint n;
  const TsPassInfo *const *passes = ts_pass_registry (&n);
  for (guint i = 0; i < n; i++)
    if (strcmp (passes[i]->name, name) == 0 || strcmp (passes[i]->id, name) == 0)
      return passes[i];
  return NULL;
}

char *
ts_pass_option_names (const TsPassInfo *pass)
{
  g_autoptr (GString) names = g_string_new (NULL);

  if (pass->n_options == 0)
    return NULL;
  for (guint i = 0; i < pass->n_options; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? "," : "", pass->options[i].name);
  return g_string_free (g_steal_pointer (&names), FALSE);
}

const TsPassOption *
ts_pass_find_option (const TsPassInfo *pass, const char *name)
{
  for (guint i = 0; i < pass->n_options; i++)
    if (strcmp (pass->options[i].name, name) == 0)
      return &pass->options[i];
  return NULL;
}

char *
ts_pass_option_read (const TsPassOption *option, const char *text, guint64 *value)
{
  if (option->kind == TS_PASS_OPTION_NUMBER)
    return g_ascii_string_to_unsigned (text, 10, 0, option->highest, value, NULL)
               ? NULL
               : g_strdup_printf ("a number from 0 to %" G_GUINT64_FORMAT, option->highest);
  if (strcmp (text, "true") != 0 && strcmp (text, "false") != 0)
    return g_strdup ("true or false");
  *value = text[0] == 't';
  return NULL;
}
