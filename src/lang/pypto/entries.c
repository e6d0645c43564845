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

GArray *
ts_pypto_list_entries (TsSource *source, TsStrings *strings)
{
  g_autoptr (TsLexicon) lexicon = ts_lexicon_new (strings);
  g_autoptr (TsDiagList) silent = ts_diag_list_new ();
  g_autoptr (TsParser) parser = ts_parser_new (source, 0, lexicon, silent);
  g_autoptr (GArray) offers = NULL;
  GArray *entries = g_array_new (FALSE, TRUE, sizeof (TsPyptoEntry));
  gsize length;
  const char *text = ts_source_text (source, &length);

  if (ts_has_dump_header (text, length))
    offers = find_dump_offers (lexicon, parser);
  else
    {
      TsStatement *file = ts_parser_file (parser);

      ts_read_prefix (lexicon, file);
      offers = ts_find_offers (lexicon, file);
    }
  g_array_set_clear_func (entries, clear_entry);
  for (guint i = 0; i < offers->len; i++)
    {
      const TsOffer *offer = &g_array_index (offers, TsOffer, i);
      TsPyptoEntry entry = {
        .name = g_strdup (offer->def->name->text),
        .kind = kind_of (offer),
        .line = ts_source_line_of (source, offer->def->offset),
        .problem = ts_offer_problem (offer),
      };

      g_array_append_val (entries, entry);
    }
  return entries;
}
