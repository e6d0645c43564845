/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of what a file offers, for people to choose from. */
#include <string.h>

#include "lang/pypto/source.h"

static void
clear_entry (gpointer data)
{
  TsPyptoEntry *entry = data;

  g_free ((char *) entry->name);
  g_free ((char *) entry->problem);
}

static const char *
kind_of (const TsOffer *offer)
{
  if (offer->meaning == TS_MEANING_JIT)
    return "jit";
  if (offer->n_outer > 0)
    return "factory";
  return offer->meaning == TS_MEANING_PROGRAM ? "program" : offer->meaning == TS_MEANING_INLINE ? "inline" : "function";
}

/* A dump may be large and holds one program, or functions one after the other: nothing is kept, bodies are passed over. */
static GArray *
find_dump_offers (TsLexicon *lexicon, TsParser *parser)
{
  GArray *offers = g_array_new (FALSE, TRUE, sizeof (TsOffer));
  TsStatement *statement;

  while (offers->len < TS_MAX_OFFERS && (statement = ts_parser_top (parser)) != NULL)
    {
      g_autoptr (GArray) found = NULL;

      ts_read_prefix (lexicon, statement);
      found = ts_find_offers (lexicon, statement);
      g_array_append_vals (offers, found->data, found->len);
      if (found->len > 0 && g_array_index (found, TsOffer, 0).meaning == TS_MEANING_PROGRAM)
        break;
      ts_suite_skip (parser, statement);
    }
  return offers;
}

static void
add_entries (GArray *entries, TsSource *source, const GArray *offers, const char *kind)
{
  for (guint i = 0; i < offers->len; i++)
    {
      const TsOffer *offer = &g_array_index (offers, TsOffer, i);
      TsPyptoEntry entry = {
        .name = kind != NULL ? g_strdup (offer->def->name->text) : ts_offer_name (offers, i),
        .kind = kind != NULL ? kind : kind_of (offer),
        .line = ts_source_line_of (source, offer->def->offset),
        .problem = ts_offer_problem (offer),
      };

      g_array_append_val (entries, entry);
    }
}

/* One file; the kernels in its strings too, but not what strings hold in theirs. */
static void
list_source (GArray *entries, TsSource *source, TsStrings *strings, gboolean is_text)
{
  g_autoptr (TsLexicon) lexicon = ts_lexicon_new (strings);
  g_autoptr (TsDiagList) silent = ts_diag_list_new ();
  g_autoptr (TsParser) parser = ts_parser_new (source, 0, lexicon, silent);
  g_autoptr (GPtrArray) texts = NULL;
  g_autoptr (GArray) offers = NULL;
  gsize length;
  const char *text = ts_source_text (source, &length);

  if (ts_has_dump_header (text, length))
    offers = find_dump_offers (lexicon, parser);
  else
    {
      TsStatement *file = ts_parser_file (parser);

      ts_read_prefix (lexicon, file);
      offers = ts_find_offers (lexicon, file);
      texts = is_text ? NULL : ts_find_texts (source, file);
    }
  add_entries (entries, source, offers, is_text ? "text" : NULL);
  for (guint i = 0; texts != NULL && i < texts->len && entries->len < TS_MAX_OFFERS; i++)
    list_source (entries, texts->pdata[i], strings, TRUE);
}

GArray *
ts_pypto_list_entries (TsSource *source, TsStrings *strings)
{
  GArray *entries = g_array_new (FALSE, TRUE, sizeof (TsPyptoEntry));

  g_array_set_clear_func (entries, clear_entry);
  list_source (entries, source, strings, FALSE);
  return entries;
}

/* --- kernels in strings -------------------------------------------------------------------------------------------------- */

static guint
count_matches (TsSource *text, TsStrings *strings, const char *name)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, TRUE, sizeof (TsPyptoEntry));
  guint n = 0;

  g_array_set_clear_func (entries, clear_entry);
  list_source (entries, text, strings, TRUE);
  for (guint i = 0; i < entries->len; i++)
    n += name == NULL || strcmp (g_array_index (entries, TsPyptoEntry, i).name, name) == 0;
  return n;
}

TsSource *
ts_choose_text (TsSource *source, TsStrings *strings, const TsStatement *file, const char *name, guint *n)
{
  g_autoptr (GPtrArray) texts = ts_find_texts (source, file);
  TsSource *first = NULL;

  *n = 0;
  for (guint i = 0; i < texts->len; i++)
    if (count_matches (texts->pdata[i], strings, name) > 0)
      {
        if (first == NULL)
          first = ts_source_ref (texts->pdata[i]);
        (*n)++;
      }
  return first;
}
