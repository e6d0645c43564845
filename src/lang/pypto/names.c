/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table private to one reading: the shared pool takes a lock, and a statement has some thirty names. */
#include "lang/pypto/names.h"

#include <string.h>

#include "base/arena.h"
#include "lang/pypto/token.h"

struct TsNames
{
  TsStrings  *strings;
  TsArena    *arena;
  TsName    **buckets;
  gsize       n_buckets; /* a power of two */
  GPtrArray  *all;
  const char *prefix;
};

static const struct { const char *text; guint8 kind; } keywords[] = {
#define TS_KEYWORD(id, text) { text, TS_TOKEN_##id },
#include "lang/pypto/keywords.def"
#undef TS_KEYWORD
};

TsNames *
ts_names_new (TsStrings *strings)
{
  TsNames *names = g_new0 (TsNames, 1);

  names->strings = ts_strings_ref (strings);
  names->arena = ts_arena_new ();
  names->n_buckets = 1024;
  names->buckets = g_new0 (TsName *, names->n_buckets);
  names->all = g_ptr_array_new ();
  names->prefix = "pl";
  for (guint i = 0; i < G_N_ELEMENTS (keywords); i++)
    ts_names_get (names, keywords[i].text, strlen (keywords[i].text))->keyword = keywords[i].kind;
  return names;
}

void
ts_names_free (TsNames *names)
{
  if (names == NULL)
    return;
  ts_strings_unref (names->strings);
  ts_arena_free (names->arena);
  g_free (names->buckets);
  g_ptr_array_unref (names->all);
  g_free (names);
}

static void
grow (TsNames *names)
{
  gsize n = names->n_buckets * 4;
  TsName **buckets = g_new0 (TsName *, n);

  for (guint i = 0; i < names->all->len; i++)
    {
      TsName *name = g_ptr_array_index (names->all, i);
      TsName **bucket = &buckets[name->hash & (n - 1)];

      name->chain = *bucket;
      *bucket = name;
    }
  g_free (names->buckets);
  names->buckets = buckets;
  names->n_buckets = n;
}

static TsName *
add (TsNames *names, const char *text, gsize length, guint32 hash)
{
  TsName *name = ts_arena_new0 (names->arena, TsName);
  const char *dot = memrchr (text, '.', length);

  name->text = ts_intern_n (names->strings, text, length);
  name->last = name->text;
  name->hash = hash;
  name->length = (guint32) length;
  if (dot != NULL)
    {
      name->parent = ts_names_get (names, text, (gsize) (dot - text));
      name->last = ts_intern_n (names->strings, dot + 1, length - (gsize) (dot + 1 - text));
    }
  if (names->all->len >= names->n_buckets)
    grow (names);
  name->chain = names->buckets[hash & (names->n_buckets - 1)];
  names->buckets[hash & (names->n_buckets - 1)] = name;
  g_ptr_array_add (names->all, name);
  return name;
}

TsName *
ts_names_find (TsNames *names, const char *text, gsize length, guint64 hash)
{
  guint32 short_hash = (guint32) (hash ^ (hash >> 32));
  TsName *name = names->buckets[short_hash & (names->n_buckets - 1)];

  while (name != NULL && (name->hash != short_hash || name->length != length || memcmp (name->text, text, length) != 0))
    name = name->chain;
  return name != NULL ? name : add (names, text, length, short_hash);
}

TsName *
ts_names_get (TsNames *names, const char *text, gsize length)
{
  guint64 hash = TS_NAME_HASH_START;

  for (gsize i = 0; i < length; i++)
    hash = ts_name_hash_step (hash, (guchar) text[i]);
  return ts_names_find (names, text, length, hash);
}

TsName *
ts_names_join (TsNames *names, TsName *parent, const char *last)
{
  g_autofree char *text = g_strconcat (parent->text, ".", last, NULL);

  return ts_names_get (names, text, strlen (text));
}

const char *
ts_names_prefix (const TsNames *names)
{
  return names->prefix;
}

void
ts_names_set_prefix (TsNames *names, const char *prefix)
{
  names->prefix = ts_intern (names->strings, prefix);
}

TsStrings *
ts_names_strings (TsNames *names)
{
  return names->strings;
}

void
ts_names_foreach (TsNames *names, void (*visit) (TsName *name, gpointer data), gpointer data)
{
  for (guint i = 0; i < names->all->len; i++)
    visit (g_ptr_array_index (names->all, i), data);
}
