/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/source.h"

#include <string.h>

struct TsSource
{
  gatomicrefcount refs;
  char           *name;
  char           *text; /* terminated copy: scanners may look one byte ahead */
  gsize           length;
  guint32        *line_offsets;
  guint           n_lines;
};

static void
index_lines (TsSource *source)
{
  GArray *offsets = g_array_new (FALSE, FALSE, sizeof (guint32));
  const char *p = source->text;
  const char *end = p + source->length;
  guint32 first = 0;

  g_array_append_val (offsets, first);
  while ((p = memchr (p, '\n', (gsize) (end - p))) != NULL)
    {
      guint32 offset = (guint32) (++p - source->text);

      g_array_append_val (offsets, offset);
    }
  source->n_lines = offsets->len;
  source->line_offsets = (guint32 *) (gpointer) g_array_free (offsets, FALSE);
}

TsSource *
ts_source_new (const char *name, GBytes *bytes)
{
  TsSource *source = g_new0 (TsSource, 1);
  gconstpointer data;

  g_atomic_ref_count_init (&source->refs);
  source->name = g_strdup (name);
  data = g_bytes_get_data (bytes, &source->length);
  source->text = g_malloc (source->length + 1);
  if (source->length > 0)
    memcpy (source->text, data, source->length);
  source->text[source->length] = '\0';
  index_lines (source);
  return source;
}

TsSource *
ts_source_new_text (const char *name, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ts_source_new (name, bytes);
}

TsSource *
ts_source_ref (TsSource *source)
{
  g_atomic_ref_count_inc (&source->refs);
  return source;
}

void
ts_source_unref (TsSource *source)
{
  if (source == NULL || !g_atomic_ref_count_dec (&source->refs))
    return;
  g_free (source->name);
  g_free (source->text);
  g_free (source->line_offsets);
  g_free (source);
}

const char *
ts_source_name (const TsSource *source)
{
  return source->name;
}

const char *
ts_source_text (const TsSource *source, gsize *length)
{
  if (length != NULL)
    *length = source->length;
  return source->text;
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (guchar) c >= 0x80;
}

gboolean
ts_source_has_word (const TsSource *source, const char *word, const char *ending)
{
  const gsize length = strlen (word);
  const char *text = source->text, *end = text + source->length;

  for (const char *p = text; (p = g_strstr_len (p, end - p, word)) != NULL; p++)
    if ((p == text || !is_word (p[-1])) && (!is_word (p[length]) || (ending != NULL && g_str_has_prefix (p + length, ending))))
      return TRUE;
  return FALSE;
}

guint
ts_source_n_lines (const TsSource *source)
{
  return source->n_lines;
}

guint32
ts_source_line_offset (const TsSource *source, guint line)
{
  if (line < 1 || line > source->n_lines)
    return (guint32) source->length;
  return source->line_offsets[line - 1];
}

const char *
ts_source_line (const TsSource *source, guint line, gsize *length)
{
  guint32 start = ts_source_line_offset (source, line);
  guint32 end = ts_source_line_offset (source, line + 1);

  if (end > start && source->text[end - 1] == '\n')
    end--;
  if (end > start && source->text[end - 1] == '\r')
    end--;
  *length = end - start;
  return source->text + start;
}

guint
ts_source_line_of (const TsSource *source, guint32 offset)
{
  guint low = 0, high = source->n_lines;

  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;

      if (source->line_offsets[middle] <= offset)
        low = middle;
      else
        high = middle;
    }
  return low + 1;
}

TsPlace
ts_source_place (const TsSource *source, guint32 offset)
{
  TsPlace place;
  guint32 start;

  offset = (guint32) MIN (offset, source->length);
  place.line = ts_source_line_of (source, offset);
  start = source->line_offsets[place.line - 1];
  place.column = 1;
  for (guint32 i = start; i < offset; i++)
    if (((guchar) source->text[i] & 0xc0) != 0x80) /* not a UTF-8 continuation byte */
      place.column++;
  return place;
}
