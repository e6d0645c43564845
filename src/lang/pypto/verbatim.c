/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Re-indents a piece of the source to column 0. */
#include "lang/pypto/verbatim.h"

#include <string.h>

static gsize
indentation_of (const char *line)
{
  return strspn (line, " \t");
}

static gboolean
is_blank (const char *line)
{
  return line[indentation_of (line)] == '\0';
}

char *
ts_verbatim_suite (TsSource *source, guint32 start, guint32 end)
{
  gsize length, least = G_MAXSIZE;
  const char *text = ts_source_text (source, &length);
  g_autofree char *piece = NULL;
  g_autofree char *valid = NULL;
  g_auto (GStrv) lines = NULL;
  GString *out = g_string_new (NULL);
  guint n, first = 0;

  start = MIN (start, (guint32) length);
  end = CLAMP (end, start, (guint32) length);
  piece = g_strndup (text + start, end - start);
  valid = g_utf8_make_valid (piece, -1);
  lines = g_strsplit (valid, "\n", -1);
  n = g_strv_length (lines);
  for (guint i = 0; i < n; i++)
    g_strchomp (lines[i]);
  while (first < n && is_blank (lines[first]))
    first++;
  while (n > first && is_blank (lines[n - 1]))
    n--;
  for (guint i = first; i < n; i++)
    if (!is_blank (lines[i]))
      least = MIN (least, indentation_of (lines[i]));
  for (guint i = first; i < n; i++)
    {
      if (i > first)
        g_string_append_c (out, '\n');
      if (!is_blank (lines[i]))
        g_string_append (out, lines[i] + least);
    }
  return g_string_free (out, FALSE);
}
