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

/* A dump lists its program the same way: it is decorated like a user's. */
GArray *
ts_pypto_list_entries (TsSource *source, TsStrings *strings)
{
  g_autoptr (TsLexicon) lexicon = ts_lexicon_new (strings);
  g_autoptr (TsDiagList) silent = ts_diag_list_new ();
  g_autoptr (TsParser) parser = ts_parser_new (source, 0, lexicon, silent);
  g_autoptr (GArray) offers = NULL;
  GArray *entries = g_array_new (FALSE, TRUE, sizeof (TsPyptoEntry));
  TsStatement *file = ts_parser_file (parser);

  ts_read_prefix (lexicon, file);
  offers = ts_find_offers (lexicon, file);
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
