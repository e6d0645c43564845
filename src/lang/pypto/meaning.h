/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a spelled name means in the language, found once per name. Source: spec dsl 2.2, 3, 4.5. */
#pragma once

#include "ir/module.h"
#include "lang/pypto/lexicon.h"

G_BEGIN_DECLS

typedef enum
{
  TS_MEANING_UNASKED,
#define TS_MEANING(id) TS_MEANING_##id,
#include "lang/pypto/meanings.def"
#undef TS_MEANING
} TsNameMeaning;

typedef enum
{
  TS_TYPE_WORD_SCALAR,
  TS_TYPE_WORD_TENSOR,
  TS_TYPE_WORD_DISTRIBUTED,
  TS_TYPE_WORD_TILE,
  TS_TYPE_WORD_ARRAY,
  TS_TYPE_WORD_TUPLE,
  TS_TYPE_WORD_POINTER,
  TS_TYPE_WORD_TASK,
} TsTypeWord;

typedef enum { TS_STATIC_PRINT, TS_STATIC_ASSERT, TS_STATIC_DUMP_TAG } TsStaticWord;

/* O(1) after the first call for a name. */
TsNameMeaning ts_name_ask (TsLexicon *lexicon, TsName *name);

static inline TsNameMeaning
ts_name_meaning (TsLexicon *lexicon, TsName *name)
{
  return G_LIKELY (name->meaning != TS_MEANING_UNASKED) ? (TsNameMeaning) name->meaning : ts_name_ask (lexicon, name);
}

/* The member of an enumeration: `name->rest` is "Mem.Vec" whatever way it was spelled; this is "Vec". */
static inline const char *
ts_name_member (const TsName *name)
{
  const char *dot = strrchr (name->rest, '.');

  return dot != NULL ? dot + 1 : name->rest;
}

/* Is it a member of the family, say "Level"? */
gboolean      ts_name_is_of (const TsName *name, const char *family);

G_END_DECLS
