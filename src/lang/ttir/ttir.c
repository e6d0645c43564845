/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front door: sections of a file, recognition, reading one section. */
#include "lang/ttir/ttir.h"

#include <string.h>

#include "lang/ttir/parser-private.h"

/* A separator is a line that holds nothing but "// -----" (more dashes are allowed). */
static gboolean
is_separator (const char *line, gsize length)
{
  while (length > 0 && g_ascii_isspace (line[length - 1]))
    length--;
  if (length < 8 || memcmp (line, "// -----", 8) != 0)
    return FALSE;
  for (gsize i = 8; i < length; i++)
    if (line[i] != '-')
      return FALSE;
  return TRUE;
}

guint
ts_ttir_n_sections (TsSource *source)
{
  guint n = 1;

  for (guint line = 1; line <= ts_source_n_lines (source); line++)
    {
      gsize length;
      const char *text = ts_source_line (source, line, &length);

      n += is_separator (text, length);
    }
  return n;
}

static gboolean
section_range (TsSource *source, guint section, guint32 *start, guint32 *end)
{
  gsize total;
  guint at = 0;

  ts_source_text (source, &total);
  *start = 0;
  *end = (guint32) total;
  for (guint line = 1; line <= ts_source_n_lines (source); line++)
    {
      gsize length;
      const char *text = ts_source_line (source, line, &length);

      if (!is_separator (text, length))
        continue;
      if (at == section)
        {
          *end = ts_source_line_offset (source, line);
          return TRUE;
        }
      at++;
      *start = ts_source_line_offset (source, line + 1);
    }
  return at == section;
}

/* Names and raw text are C strings from here on: a NUL byte would cut them short without a word. Says where it is, and returns
 * where reading has to stop. */
static guint32
text_end (TsSource *source, guint32 start, guint32 end, TsDiagList *diags)
{
  const char *text = ts_source_text (source, NULL);
  const char *nul = memchr (text + start, '\0', end - start);

  if (nul == NULL)
    return end;
  end = (guint32) (nul - text);
  ts_diag_add (diags, TS_SEVERITY_ERROR, "syntax", source, (TsSpan) { .offset = end, .length = 1 },
               "a NUL byte: this is not text, or it is cut short");
  return end;
}

TsModule *
ts_ttir_parse (TsSource *source, guint section, TsStrings *strings, GCancellable *cancellable, TsDiagList *diags)
{
  TtParser p = { .source = source, .diags = diags, .cancellable = cancellable };
  guint32 start, end;

  if (!section_range (source, section, &start, &end))
    {
      ts_diag_add (diags, TS_SEVERITY_ERROR, "no-section", source, TS_SPAN_NONE, "the file has %u modules, there is no number %u",
                   ts_ttir_n_sections (source), section);
      return NULL;
    }
  p.module = ts_module_new (TS_LANGUAGE_TTIR, strings);
  p.module->is_program = TRUE;
  p.module->shared = ts_arena_new ();
  ts_module_add_source (p.module, source);
  p.uses = g_array_new (FALSE, FALSE, sizeof (TtUse));
  p.types = g_hash_table_new (NULL, NULL);
  p.value_spans = g_hash_table_new (NULL, NULL);
  end = text_end (source, start, end, diags);
  tt_lexer_init (&p.lexer, ts_source_text (source, NULL), start, end);
  tt_aliases_collect (&p, start, end);
  tt_parse_section (&p);
  tt_aliases_free (p.aliases);
  g_array_unref (p.uses);
  g_hash_table_unref (p.types);
  g_hash_table_unref (p.value_spans);
  if (p.module->n_functions == 0 && !ts_diag_list_has_errors (diags))
    ts_diag_add (diags, TS_SEVERITY_ERROR, "empty", source, TS_SPAN_NONE, "there is no function in this file");
  if (p.module->n_functions == 0 || g_cancellable_is_cancelled (cancellable))
    {
      ts_module_free (p.module);
      return NULL;
    }
  return p.module;
}

gboolean
ts_ttir_recognise (const char *text, gsize length)
{
  static const char *const signs[] = { "tt.func", "module {", "module attributes", "module @", "\"builtin.module\"" };
  gsize window = MIN (length, 64u * 1024u);

  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (g_strstr_len (text, (gssize) window, signs[i]) != NULL)
      return TRUE;
  return FALSE;
}
