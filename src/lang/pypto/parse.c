/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entry points: text to module. */
#include "lang/pypto/pypto.h"

#include <string.h>

#include "lang/pypto/source.h"

static const char header[] = "# pypto.program:";

gboolean
ts_has_dump_header (const char *text, gsize length)
{
  if (length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0)
    {
      text += 3;
      length -= 3;
    }
  return length >= sizeof header - 1 && memcmp (text, header, sizeof header - 1) == 0;
}

static void
reader_init (TsReader *reader, TsSource *source, TsStrings *strings, const TsPyptoOptions *options, TsDiagList *diags)
{
  gsize length;
  const char *text = ts_source_text (source, &length);

  memset (reader, 0, sizeof *reader);
  reader->module = ts_module_new (TS_LANGUAGE_PYPTO, strings);
  reader->module->prefix = ts_module_intern (reader->module, "pl");
  reader->source = source;
  reader->file = ts_module_add_source (reader->module, source);
  reader->diags = diags;
  reader->lexicon = ts_lexicon_new (strings);
  reader->parser = ts_parser_new (source, reader->file, reader->lexicon, diags);
  reader->pool = ts_parser_pool (reader->parser);
  reader->bindings = g_array_new (FALSE, FALSE, sizeof (TsBinding));
  reader->forward = g_ptr_array_new ();
  reader->comments = g_ptr_array_new ();
  reader->tags = g_ptr_array_new ();
  reader->tag_index = g_hash_table_new (NULL, NULL);
  reader->declared = g_hash_table_new (NULL, NULL);
  reader->reported = g_hash_table_new (NULL, NULL);
  reader->noted = g_hash_table_new (NULL, NULL);
  reader->cancellable = options != NULL ? options->cancellable : NULL;
  if (options == NULL || options->mode == TS_PYPTO_AUTO)
    reader->dump = ts_has_dump_header (text, length);
  else
    reader->dump = options->mode == TS_PYPTO_DUMP;
  if (reader->dump)
    {
      reader->types = ts_type_cache_new ();
      ts_parser_set_type_lookup (reader->parser, ts_type_cache_find, reader);
    }
}

static void
reader_clear (TsReader *reader)
{
  ts_type_cache_free (reader->types);
  ts_eval_free (reader->eval);
  if (reader->kernels != NULL)
    g_hash_table_unref (reader->kernels);
  if (reader->inlines != NULL)
    g_hash_table_unref (reader->inlines);
  if (reader->aliases != NULL)
    g_hash_table_unref (reader->aliases);
  if (reader->used != NULL)
    g_hash_table_unref (reader->used);
  if (reader->pending != NULL)
    g_ptr_array_unref (reader->pending);
  ts_parser_free (reader->parser);
  ts_lexicon_free (reader->lexicon);
  g_array_unref (reader->bindings);
  g_ptr_array_unref (reader->forward);
  g_ptr_array_unref (reader->comments);
  g_ptr_array_unref (reader->tags);
  g_hash_table_unref (reader->tag_index);
  g_hash_table_unref (reader->declared);
  g_hash_table_unref (reader->reported);
  g_hash_table_unref (reader->noted);
}

static TsModule *parse (TsSource *source, TsStrings *strings, const TsPyptoOptions *options, TsDiagList *diags, gboolean is_text);

/* A kernel in a string of the file. */
static TsModule *
parse_text (TsSource *text, TsStrings *strings, const TsPyptoOptions *options, TsDiagList *diags)
{
  TsPyptoOptions inner = { .mode = TS_PYPTO_AUTO };

  if (options != NULL)
    inner = *options;
  inner.mode = TS_PYPTO_AUTO;
  return parse (text, strings, &inner, diags, TRUE);
}

static TsModule *
parse (TsSource *source, TsStrings *strings, const TsPyptoOptions *options, TsDiagList *diags, gboolean is_text)
{
  TsReader reader;
  TsModule *module;
  g_autoptr (TsSource) text = NULL;

  reader_init (&reader, source, strings, options, diags);
  module = reader.module;
  reader.is_text = is_text;
  if (reader.dump)
    ts_read_module (&reader);
  else
    ts_read_source (&reader, options);
  text = g_steal_pointer (&reader.text);
  reader_clear (&reader);
  if (module->n_functions > 0)
    return module;
  if (text != NULL)
    {
      ts_module_free (module);
      return parse_text (text, strings, options, diags);
    }
  if (!ts_diag_list_has_errors (diags))
    ts_diag_add (diags, TS_SEVERITY_ERROR, "nothing-to-open", source, TS_SPAN_NONE,
                 "nothing to open: no class decorated with @pl.program and no function decorated with @pl.function");
  ts_module_free (module);
  return NULL;
}

TsModule *
ts_pypto_parse (TsSource *source, TsStrings *strings, const TsPyptoOptions *options, TsDiagList *diags)
{
  return parse (source, strings, options, diags, FALSE);
}

gboolean
ts_pypto_is_printed (const char *text, gsize length)
{
  return ts_has_dump_header (text, length);
}

gboolean
ts_pypto_recognise (const char *text, gsize length)
{
  static const char *const marks[] = { "@pl.program", "@pl.function", "@pl.jit", "@pl.inline", "import pypto", "from pypto" };

  if (ts_has_dump_header (text, length))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    if (g_strstr_len (text, (gssize) length, marks[i]) != NULL)
      return TRUE;
  return FALSE;
}
