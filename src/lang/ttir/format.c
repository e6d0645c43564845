/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/ttir/format.h"

#include <string.h>

#include "ir/module.h"

static const char *const formats[TS_N_OP_CODES] = {
#define TT_FORMAT(code, pattern) [TS_OP_##code] = pattern,
#include "lang/ttir/formats.def"
#undef TT_FORMAT
};

static const TtClause clauses[] = {
#define TT_CLAUSE(name, attribute, form, before, words, fallback, first)                                                           \
  { name, attribute, TT_CLAUSE_##form, before, words, fallback, first },
#include "lang/ttir/clauses.def"
#undef TT_CLAUSE
};

const char *
tt_format_of (TsOpCode code)
{
  return code < TS_N_OP_CODES ? formats[code] : NULL;
}

const TtClause *
tt_clause_find (const char *name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (clauses); i++)
    if (strlen (clauses[i].name) == length && memcmp (clauses[i].name, name, length) == 0)
      return &clauses[i];
  return NULL;
}

const char *
tt_format_next (const char **cursor, gsize *length)
{
  const char *start = *cursor;

  while (*start == ' ')
    start++;
  if (*start == '\0')
    return NULL;
  *length = strcspn (start, " ");
  *cursor = start + *length;
  return start;
}

gint
tt_clause_word_index (const TtClause *clause, const char *word)
{
  const char *cursor = clause->words, *item;
  gsize length;

  for (gint i = 0; (item = tt_format_next (&cursor, &length)) != NULL; i++)
    if (strlen (word) == length && memcmp (item, word, length) == 0)
      return i;
  return -1;
}

char *
tt_clause_word (const TtClause *clause, gint index)
{
  const char *cursor = clause->words, *item;
  gsize length;

  for (gint i = 0; (item = tt_format_next (&cursor, &length)) != NULL; i++)
    if (i == index)
      return g_strndup (item, length);
  return NULL;
}

gboolean
tt_format_shows (const char *format, const char *attribute)
{
  const char *cursor = format, *item;
  gsize length;

  while ((item = tt_format_next (&cursor, &length)) != NULL)
    {
      const TtClause *clause = item[0] == 'V' ? tt_clause_find (item + 1, length - 1) : NULL;

      if (clause != NULL && strcmp (clause->attribute, attribute) == 0)
        return TRUE;
      if (item[0] == 'F' && length == 1 && (strcmp (attribute, "overflowFlags") == 0 || strcmp (attribute, "fastmath") == 0))
        return TRUE;
    }
  return FALSE;
}

static const TsType *
with_element (TsModule *module, const TsType *type, const TsType *elem)
{
  g_autofree gint64 *shape = g_new (gint64, MAX (type->rank, 1u));

  for (guint i = 0; i < type->rank; i++)
    shape[i] = type->dims[i]->i;
  return ts_type_ranked (module, shape, type->rank, elem, type->text);
}

const TsType *
tt_bool_like (TsModule *module, const TsType *type)
{
  const TsType *boolean = ts_type_scalar (module, TS_DTYPE_BOOL);

  return ts_type_is (type, TS_TYPE_RANKED) ? with_element (module, type, boolean) : boolean;
}

const TsType *
tt_pointee (TsModule *module, const TsType *type)
{
  if (ts_type_is (type, TS_TYPE_POINTER))
    return type->elems[0];
  if (ts_type_is (type, TS_TYPE_RANKED) && type->elems[0]->kind == TS_TYPE_POINTER)
    return with_element (module, type, type->elems[0]->elems[0]);
  return NULL;
}
