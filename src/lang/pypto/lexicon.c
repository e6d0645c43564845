/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table private to one reading: the shared pool takes a lock, and a statement has some thirty names. */
#include "lang/pypto/lexicon.h"

#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "lang/pypto/token.h"

struct TsLexicon
{
  TsStrings  *strings;
  TsArena    *arena;
  TsName    **buckets;
  gsize       n_buckets; /* a power of two */
  GPtrArray  *all;
  const char *prefix, *distributed;
};

static const struct { const char *text; guint8 kind; } keywords[] = {
#define TS_KEYWORD(id, text) { text, TS_TOKEN_##id },
#include "lang/pypto/keywords.def"
#undef TS_KEYWORD
};

TsLexicon *
ts_lexicon_new (TsStrings *strings)
{
  TsLexicon *lexicon = g_new0 (TsLexicon, 1);

  lexicon->strings = ts_strings_ref (strings);
  lexicon->arena = ts_arena_new ();
  lexicon->n_buckets = 1024;
  lexicon->buckets = g_new0 (TsName *, lexicon->n_buckets);
  lexicon->all = g_ptr_array_new ();
  lexicon->prefix = "pl";
  lexicon->distributed = "pld";
  for (guint i = 0; i < G_N_ELEMENTS (keywords); i++)
    ts_lexicon_get (lexicon, keywords[i].text, strlen (keywords[i].text))->keyword = keywords[i].kind;
  return lexicon;
}

void
ts_lexicon_free (TsLexicon *lexicon)
{
  if (lexicon == NULL)
    return;
  ts_strings_unref (lexicon->strings);
  ts_arena_free (lexicon->arena);
  g_free (lexicon->buckets);
  g_ptr_array_unref (lexicon->all);
  g_free (lexicon);
}

static void
grow (TsLexicon *lexicon)
{
  gsize n = lexicon->n_buckets * 4;
  TsName **buckets = g_new0 (TsName *, n);

  for (guint i = 0; i < lexicon->all->len; i++)
    {
      TsName *name = g_ptr_array_index (lexicon->all, i);
      TsName **bucket = &buckets[name->hash & (n - 1)];

      name->chain = *bucket;
      *bucket = name;
    }
  g_free (lexicon->buckets);
  lexicon->buckets = buckets;
  lexicon->n_buckets = n;
}

static guint
count_parts (const char *text, gsize length)
{
  guint n = 1;

  for (const char *dot = text; (dot = memchr (dot, '.', length - (gsize) (dot - text))) != NULL; dot++)
    n++;
  return n;
}

static TsName *
add (TsLexicon *lexicon, const char *text, gsize length, guint32 hash)
{
  TsName *name = ts_arena_new0 (lexicon->arena, TsName);
  const char *dot = g_strrstr_len (text, (gssize) length, ".");

  name->text = ts_intern_n (lexicon->strings, text, length);
  name->last = name->text;
  name->hash = hash;
  name->length = (guint32) length;
  name->parts = 1;
  if (dot != NULL && count_parts (text, length) <= TS_MAX_NAME_PARTS)
    {
      name->parent = ts_lexicon_get (lexicon, text, (gsize) (dot - text));
      name->last = ts_intern_n (lexicon->strings, dot + 1, length - (gsize) (dot + 1 - text));
      name->parts = (guint8) (name->parent->parts + 1);
    }
  if (lexicon->all->len >= lexicon->n_buckets)
    grow (lexicon);
  name->chain = lexicon->buckets[hash & (lexicon->n_buckets - 1)];
  lexicon->buckets[hash & (lexicon->n_buckets - 1)] = name;
  g_ptr_array_add (lexicon->all, name);
  return name;
}

TsName *
ts_lexicon_find (TsLexicon *lexicon, const char *text, gsize length, guint64 hash)
{
  guint32 short_hash = (guint32) (hash ^ (hash >> 32));
  TsName *name = lexicon->buckets[short_hash & (lexicon->n_buckets - 1)];

  while (name != NULL && (name->hash != short_hash || name->length != length || memcmp (name->text, text, length) != 0))
    name = name->chain;
  return name != NULL ? name : add (lexicon, text, length, short_hash);
}

TsName *
ts_lexicon_get (TsLexicon *lexicon, const char *text, gsize length)
{
  guint64 hash = TS_NAME_HASH_START;

  for (gsize i = 0; i < length; i++)
    hash = ts_name_hash_step (hash, (guchar) text[i]);
  return ts_lexicon_find (lexicon, text, length, hash);
}

TsName *
ts_lexicon_join (TsLexicon *lexicon, TsName *parent, const TsName *last)
{
  g_autofree char *text = NULL;

  if (parent->parts + last->parts > (gint) TS_MAX_NAME_PARTS)
    return NULL;
  text = g_strconcat (parent->text, ".", last->text, NULL);
  return ts_lexicon_get (lexicon, text, strlen (text));
}

const char *
ts_lexicon_prefix (const TsLexicon *lexicon)
{
  return lexicon->prefix;
}

void
ts_lexicon_set_prefix (TsLexicon *lexicon, const char *prefix)
{
  lexicon->prefix = ts_intern (lexicon->strings, prefix);
}

const char *
ts_lexicon_distributed_prefix (const TsLexicon *lexicon)
{
  return lexicon->distributed;
}

void
ts_lexicon_set_distributed_prefix (TsLexicon *lexicon, const char *prefix)
{
  lexicon->distributed = ts_intern (lexicon->strings, prefix);
}

TsStrings *
ts_lexicon_strings (TsLexicon *lexicon)
{
  return lexicon->strings;
}

void
ts_lexicon_foreach (TsLexicon *lexicon, void (*visit) (TsName *name, gpointer data), gpointer data)
{
  for (guint i = 0; i < lexicon->all->len; i++)
    visit (g_ptr_array_index (lexicon->all, i), data);
}
