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

typedef struct
{
  guint32 start, end;
} Section;

static gboolean
has_words (const char *text, guint32 start, guint32 end)
{
  TtLexer lexer;

  tt_lexer_init (&lexer, text, start, end);
  return lexer.token.kind != TT_TOKEN_END;
}

static void
add_section (GArray *sections, const char *text, guint32 start, guint32 end)
{
  Section section = { start, end };

  if (has_words (text, start, end))
    g_array_append_val (sections, section);
}

/* Those with something in them; a file without any has one. */
static GArray *
find_sections (TsSource *source)
{
  GArray *sections = g_array_new (FALSE, FALSE, sizeof (Section));
  gsize total;
  const char *all = ts_source_text (source, &total);
  guint32 start = 0;

  for (guint line = 1; line <= ts_source_n_lines (source); line++)
    {
      gsize length;
      const char *text = ts_source_line (source, line, &length);

      if (!is_separator (text, length))
        continue;
      add_section (sections, all, start, ts_source_line_offset (source, line));
      start = (guint32) (text + length - all);
    }
  add_section (sections, all, start, (guint32) total);
  if (sections->len == 0)
    g_array_append_val (sections, ((Section) { 0, (guint32) total }));
  return sections;
}

guint
ts_ttir_n_sections (TsSource *source)
{
  g_autoptr (GArray) sections = find_sections (source);

  return sections->len;
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

/* What is known of one section means nothing in another: all tables are fresh. */
static const TsTtirModuleInfo *
parse_section (TtParser *p, Section section)
{
  const TsTtirModuleInfo *info;

  section.end = text_end (p->source, section.start, section.end, p->diags);
  p->types = g_hash_table_new (NULL, NULL);
  p->type_parts = g_hash_table_new (NULL, NULL);
  p->has_large_type = FALSE;
  tt_lexer_init (&p->lexer, ts_source_text (p->source, NULL), section.start, section.end);
  tt_aliases_collect (p, section.start, section.end);
  info = tt_parse_section (p);
  tt_aliases_free (p->aliases);
  g_hash_table_unref (p->types);
  g_hash_table_unref (p->type_parts);
  return info;
}

static void
parse_sections (TtParser *p, const GArray *sections, guint wanted)
{
  TsTtirFileInfo *file = ts_arena_new0 (p->module->shared, TsTtirFileInfo);
  g_autoptr (GPtrArray) modules = g_ptr_array_new ();

  p->uses = g_array_new (FALSE, FALSE, sizeof (TtUse));
  p->symbols = g_hash_table_new (g_str_hash, g_str_equal);
  p->value_spans = g_hash_table_new (NULL, NULL);
  p->given = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < sections->len && !g_cancellable_is_cancelled (p->cancellable); i++)
    if (wanted == TS_TTIR_ALL_SECTIONS || i == wanted)
      g_ptr_array_add (modules, (gpointer) parse_section (p, g_array_index (sections, Section, i)));
  g_array_unref (p->uses);
  g_hash_table_unref (p->symbols);
  g_hash_table_unref (p->value_spans);
  g_hash_table_unref (p->given);
  file->modules = ts_arena_memdup (p->module->shared, modules->pdata, sizeof (gpointer) * modules->len);
  file->n_modules = modules->len;
  p->module->extra = file;
}

TsModule *
ts_ttir_parse (TsSource *source, guint section, TsStrings *strings, GCancellable *cancellable, TsDiagList *diags)
{
  TtParser p = { .source = source, .diags = diags, .cancellable = cancellable };
  g_autoptr (GArray) sections = find_sections (source);

  if (section != TS_TTIR_ALL_SECTIONS && section >= sections->len)
    {
      ts_diag_add (diags, TS_SEVERITY_ERROR, "no-section", source, TS_SPAN_NONE, "the file has %u modules, there is no number %u",
                   sections->len, section);
      return NULL;
    }
  p.module = ts_module_new (TS_LANGUAGE_TTIR, strings);
  p.module->is_program = TRUE;
  p.module->shared = ts_arena_new ();
  ts_module_add_source (p.module, source);
  parse_sections (&p, sections, section);
  if (p.module->n_functions == 0 && !ts_diag_list_has_errors (diags))
    {
      gsize end;

      ts_source_text (source, &end);
      ts_diag_add (diags, TS_SEVERITY_ERROR, "empty", source, (TsSpan) { (guint32) end, 0, 0 },
                   "there is no function in this file");
    }
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
