/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels in the strings of a file, as tests hold them: each is a file of its own. Source: spec dsl 9.4. */
#include <string.h>

#include "lang/pypto/source.h"

#define MAX_TEXTS 1000u

typedef struct
{
  TsSource  *source;
  GPtrArray *texts;
} Search;

/* The blanks that all lines begin with are those of the file around. */
static guint
common_indent (char *const *lines)
{
  guint common = G_MAXUINT;

  for (; *lines != NULL; lines++)
    {
      guint indent = (guint) strspn (*lines, " \t");

      if ((*lines)[indent] != '\0' && (*lines)[indent] != '\r')
        common = MIN (common, indent);
    }
  return common;
}

/* Empty lines in front, so that a line of the text has the number it has in the file. */
static TsSource *
source_of (const TsSource *file, const TsNode *string)
{
  g_auto (GStrv) lines = g_strsplit (string->text, "\n", -1);
  guint indent = common_indent (lines), line = ts_source_line_of (file, string->offset);
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_dump = ts_has_dump_header (string->text, strlen (string->text));

  /* A dump is told by its first line. */
  for (guint i = 1; i < line && !is_dump; i++)
    g_string_append_c (text, '\n');
  for (guint i = 0; lines[i] != NULL; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", strlen (lines[i]) > indent ? lines[i] + indent : "");
  return ts_source_new_text (ts_source_name (file), text->str);
}

static void
search_node (Search *search, const TsNode *node)
{
  gsize length;

  for (; node != NULL && search->texts->len < MAX_TEXTS; node = node->next)
    {
      if (node->kind == TS_NODE_STRING)
        {
          length = strlen (node->text);
          if (memchr (node->text, '\n', length) != NULL && ts_pypto_recognise (node->text, length)
              && strchr (node->text, '@') != NULL)
            g_ptr_array_add (search->texts, source_of (search->source, node));
        }
      else
        search_node (search, node->first);
    }
}

static void
search_statements (Search *search, const TsStatement *statement)
{
  for (; statement != NULL; statement = statement->next)
    {
      /* A docstring may show a kernel, but is none. */
      gboolean is_docstring = statement->kind == TS_STATEMENT_EXPRESSION && statement->value != NULL
                              && statement->value->kind == TS_NODE_STRING;

      if (statement->value != NULL && !is_docstring)
        {
          TsNode only = { .kind = TS_NODE_TUPLE, .first = statement->value };

          search_node (search, &only);
        }
      for (const TsStatement *arm = statement; statement->has_suite && arm != NULL; arm = arm->otherwise)
        search_statements (search, arm->body);
    }
}

GPtrArray *
ts_find_texts (TsSource *source, const TsStatement *file)
{
  Search search = { source, g_ptr_array_new_with_free_func ((GDestroyNotify) ts_source_unref) };

  search_statements (&search, file);
  return search.texts;
}
