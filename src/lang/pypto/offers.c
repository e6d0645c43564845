/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user's file offers to open: everything decorated, also inside functions. Source: spec dsl 2.2, 9.3, 9.4. */
#include <string.h>

#include "lang/pypto/source.h"

/* The full name of what an import brings in; to be freed. */
static char *
imported (const TsStatement *statement, const TsImport *import)
{
  if (import->name == NULL)
    return NULL;
  if (statement->kind == TS_STATEMENT_IMPORT)
    return g_strdup (import->name->text);
  if (statement->name == NULL || statement->level != 0)
    return NULL;
  return g_strconcat (statement->name->text, ".", import->name->text, NULL);
}

/* The name by which the file speaks of it: what follows `as`; else the name itself, and of `import a.b` the whole of it. */
static void
set_prefix (TsLexicon *lexicon, const TsStatement *statement)
{
  for (const TsImport *import = statement->imports; import != NULL; import = import->next)
    {
      g_autofree char *full = imported (statement, import);
      const char *name = full == NULL ? NULL : import->alias != NULL ? import->alias->text : import->name->text;

      if (g_strcmp0 (full, "pypto.language") == 0)
        ts_lexicon_set_prefix (lexicon, name);
      else if (g_strcmp0 (full, "pypto.language.distributed") == 0)
        ts_lexicon_set_distributed_prefix (lexicon, name);
    }
}

void
ts_read_prefix (TsLexicon *lexicon, const TsStatement *file)
{
  for (const TsStatement *statement = file; statement != NULL; statement = statement->next)
    if (statement->kind == TS_STATEMENT_IMPORT || statement->kind == TS_STATEMENT_FROM)
      set_prefix (lexicon, statement);
}

static gboolean
offer_of (TsLexicon *lexicon, TsStatement *def, TsOffer *offer)
{
  for (const TsNode *decorator = def->decorators; decorator != NULL; decorator = decorator->next)
    {
      const TsNode *callee = decorator->kind == TS_NODE_CALL ? decorator->first : decorator;
      TsNameMeaning meaning;

      if (callee->kind != TS_NODE_NAME)
        continue;
      meaning = ts_name_meaning (lexicon, callee->name);
      if (callee->name->root != TS_ROOT_PL || meaning < TS_MEANING_PROGRAM)
        continue;
      *offer = (TsOffer) { .def = def, .meaning = meaning, .decorator = callee->name->text };
      return TRUE;
    }
  return FALSE;
}

static void
search (TsLexicon *lexicon, TsStatement *statement, TsStatement **outer, guint n_outer, GArray *offers)
{
  for (; statement != NULL && offers->len < TS_MAX_OFFERS; statement = statement->next)
    {
      TsOffer offer;

      if (!statement->has_suite)
        continue;
      if ((statement->kind == TS_STATEMENT_DEF || statement->kind == TS_STATEMENT_CLASS) && offer_of (lexicon, statement, &offer))
        {
          offer.n_outer = n_outer;
          for (guint i = 0; i < n_outer; i++)
            offer.outer[i] = outer[i];
          g_array_append_val (offers, offer);
          continue;
        }
      if (statement->kind == TS_STATEMENT_DEF)
        {
          if (n_outer < G_N_ELEMENTS (offer.outer))
            {
              outer[n_outer] = statement;
              search (lexicon, statement->body, outer, n_outer + 1, offers);
            }
          continue;
        }
      for (TsStatement *arm = statement; arm != NULL; arm = arm->otherwise)
        search (lexicon, arm->body, outer, n_outer, offers);
    }
}

GArray *
ts_find_offers (TsLexicon *lexicon, TsStatement *file)
{
  GArray *offers = g_array_new (FALSE, TRUE, sizeof (TsOffer));
  TsStatement *outer[G_N_ELEMENTS (((TsOffer *) NULL)->outer)];

  search (lexicon, file, outer, 0, offers);
  return offers;
}

char *
ts_offer_name (const GArray *offers, guint index)
{
  const TsName *name = g_array_index (offers, TsOffer, index).def->name;
  guint place = 0, n = 0;

  for (guint i = 0; i < offers->len; i++)
    if (g_array_index (offers, TsOffer, i).def->name == name)
      {
        n++;
        place = i == index ? n : place;
      }
  return n > 1 ? g_strdup_printf ("%s#%u", name->text, place) : g_strdup (name->text);
}

char *
ts_offer_problem (const TsOffer *offer)
{
  if (offer->meaning != TS_MEANING_JIT)
    return NULL;
  return g_strdup_printf ("@%s kernels are recognised but not specialised yet: compile it with PyPTO's dump_passes and open the "
                          "passes_dump folder", offer->decorator);
}
