/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which passes run: the default order, and the text of --passes. */
#include <string.h>

#include "passes/pipeline.h"

G_DEFINE_QUARK (ts-pass-error-quark, ts_pass_error)

static void
clear_planned (gpointer data)
{
  g_clear_pointer (&((TsPlannedPass *) data)->options, g_hash_table_unref);
}

static GArray *
plan_new (void)
{
  GArray *plan = g_array_new (FALSE, FALSE, sizeof (TsPlannedPass));
  g_array_set_clear_func (plan, clear_planned);
  return plan;
}

static void
append_default (GArray *plan, TsLanguage language, TsPlanner planner)
{
  guint n;
  const TsPassInfo *const *registry = ts_pass_registry (&n);
  for (guint i = 0; i < n; i++)
    {
      const TsPassInfo *pass = registry[i];
      if (!pass->in_default || pass->language != language || (pass->planners & (1u << planner)) == 0)
        continue;
      TsPlannedPass planned = { .pass = pass };
      g_array_append_val (plan, planned);
    }
}

GArray *
ts_pass_plan_default (TsLanguage language, TsPlanner planner)
{
  GArray *plan = plan_new ();
  append_default (plan, language, planner);
  return plan;
}

/* Characters of one spelling that also stand in the other, in order: a cheap likeness for "did you mean". */
static guint
likeness (const char *a, const char *b)
{
  guint n = 0;
  for (const char *p = a; *p != '\0' && *b != '\0'; b++)
    if (g_ascii_tolower (*p) == g_ascii_tolower (*b))
      {
        n++;
        p++;
      }
  return n;
}

static const TsPassInfo *
nearest (const char *name)
{
  guint n, best = 0;
  const TsPassInfo *found = NULL;
  const TsPassInfo *const *registry = ts_pass_registry (&n);
  for (guint i = 0; i < n; i++)
    {
      guint score = MAX (likeness (name, registry[i]->name), likeness (name, registry[i]->id));
      if (score > best && score * 2 >= strlen (name))
        {
          best = score;
          found = registry[i];
        }
    }
  return found;
}

/* Is there such an option, and may it have this value? */
static gboolean
check_option (const TsPassInfo *pass, const char *name, const char *text, GError **error)
{
  const TsPassOption *option = ts_pass_find_option (pass, name);
  g_autofree char *names = ts_pass_option_names (pass), *needed = NULL;
  guint64 value;

  if (names == NULL)
    g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_UNKNOWN_OPTION, "Pass %s takes no options, but “%s” is given", pass->id, name);
  else if (option == NULL)
    g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_UNKNOWN_OPTION, "Pass %s has no option “%s”; it has: %s", pass->id, name,
                 names);
  else if ((needed = ts_pass_option_read (option, text, &value)) != NULL)
    g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_OPTION_VALUE, "Option “%s” of pass %s cannot be “%s”: %s is needed", name,
                 pass->id, text, needed);
  else
    return TRUE;
  return FALSE;
}

/* "rule-mask=4 ub-capacity-bytes=64", or with commas between. */
static GHashTable *
parse_options (const TsPassInfo *pass, const char *text, GError **error)
{
  g_autoptr (GHashTable) options = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) words = g_strsplit_set (text, " \t,", -1);
  for (char **word = words; *word != NULL; word++)
    {
      if (**word == '\0')
        continue;
      char *equals = strchr (*word, '=');
      if (equals == NULL || equals == *word)
        {
          g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_SYNTAX, "“%s” of pass %s is not of the form NAME=VALUE", *word,
                       pass->id);
          return NULL;
        }
      *equals = '\0';
      if (!check_option (pass, *word, equals + 1, error))
        return NULL;
      if (g_hash_table_contains (options, *word))
        {
          g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_SYNTAX, "Option “%s” of pass %s is given twice", *word, pass->id);
          return NULL;
        }
      g_hash_table_insert (options, g_strdup (*word), g_strdup (equals + 1));
    }
  return g_steal_pointer (&options);
}

/* One word of the list: a name, perhaps with options in braces. */
static gboolean
append_word (GArray *plan, char *word, TsLanguage language, TsPlanner planner, GError **error)
{
  char *brace = strchr (word, '{');
  g_autofree char *options = NULL;
  if (brace != NULL)
    {
      options = g_strndup (brace + 1, strlen (brace + 1) - 1); /* split_words() saw the closing brace */
      *brace = '\0';
      g_strchomp (word);
    }
  if (brace == NULL && strcmp (word, "none") == 0)
    return TRUE;
  if (brace == NULL && strcmp (word, "default") == 0)
    {
      append_default (plan, language, planner);
      return TRUE;
    }

  const TsPassInfo *pass = ts_pass_find (word);
  if (pass == NULL)
    {
      const TsPassInfo *near = nearest (word);
      if (near != NULL)
        g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_UNKNOWN_PASS, "There is no pass “%s”; did you mean %s?", word, near->id);
      else
        g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_UNKNOWN_PASS, "There is no pass “%s”", word);
      return FALSE;
    }
  if (pass->language != language)
    {
      g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_LANGUAGE, "Pass %s works on %s only", pass->id,
                   pass->language == TS_LANGUAGE_TTIR ? "Triton IR" : "the kernel language");
      return FALSE;
    }
  TsPlannedPass planned = { .pass = pass };
  if (options != NULL)
    {
      planned.options = parse_options (pass, options, error);
      if (planned.options == NULL)
        return FALSE;
    }
  g_array_append_val (plan, planned);
  return TRUE;
}

/* Words between commas that stand outside braces; NULL with an error when braces do not match. */
static GPtrArray *
split_words (const char *text, GError **error)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  const char *start = text;
  gboolean inside = FALSE;
  for (const char *p = text;; p++)
    {
      gboolean ends = *p == '\0' || (*p == ',' && !inside);
      gboolean wrong = (*p == '{' && inside) || (*p == '}' && !inside) || (*p == '\0' && inside);
      if (!wrong && *p == '}')
        {
          const char *next = p + 1 + strspn (p + 1, " \t");
          wrong = *next != ',' && *next != '\0';
        }
      if (wrong)
        {
          g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_SYNTAX, "Braces do not match in the list of passes “%s”", text);
          return NULL;
        }
      if (*p == '{')
        inside = TRUE;
      else if (*p == '}')
        inside = FALSE;
      if (ends)
        {
          g_ptr_array_add (words, g_strstrip (g_strndup (start, p - start)));
          start = p + 1;
        }
      if (*p == '\0')
        return g_steal_pointer (&words);
    }
}

GArray *
ts_pass_plan_parse (const char *text, TsLanguage language, TsPlanner planner, GError **error)
{
  if (text == NULL)
    return ts_pass_plan_default (language, planner);

  g_autoptr (GPtrArray) words = split_words (text, error);
  if (words == NULL)
    return NULL;
  g_autoptr (GArray) plan = plan_new ();
  for (guint i = 0; i < words->len; i++)
    {
      char *word = words->pdata[i];
      if (*word == '\0')
        {
          g_set_error (error, TS_PASS_ERROR, TS_PASS_ERROR_SYNTAX, "There is an empty name in the list of passes “%s”", text);
          return NULL;
        }
      if (!append_word (plan, word, language, planner, error))
        return NULL;
    }
  return g_steal_pointer (&plan);
}
