/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every spelled name of one text, once: its interned text, what it means in the language, what it is bound to. */
#pragma once

#include "base/intern.h"
#include "ir/op.h"

G_BEGIN_DECLS

typedef enum
{
  TS_ROOT_NONE, /* an ordinary name */
  TS_ROOT_PL,   /* begins with "pl." (or the prefix the file imports it under) */
  TS_ROOT_PLD,
  TS_ROOT_SELF,
} TsNameRoot;

/* A plain identifier or a dotted chain written without blanks ("pl.tile.load"): the usual call is one look-up. */
typedef struct TsName TsName;
struct TsName
{
  const char *text;    /* interned, whole spelling */
  const char *last;    /* what follows the last dot; `text` for a plain identifier */
  TsName     *parent;  /* what precedes the last dot; NULL for a plain identifier */
  TsName     *chain;   /* next in the hash bucket */
  guint32     hash;
  guint32     length;
  guint8      parts;   /* identifiers in it, at most TS_MAX_NAME_PARTS */
  guint8      keyword; /* TsTokenKind of a Python keyword, or 0 */
  guint8      meaning; /* TsNameMeaning, 0 until asked (meaning.h) */
  guint8      root;    /* TsNameRoot, valid once `meaning` is */
  guint8      detail;  /* dtype, function type, ...: depends on `meaning` */
  guint16     code;    /* TsOpCode of an operation */
  const char *rest;    /* after the root: "tile.load"; interned, valid once `meaning` is */
  TsExpr     *constant; /* the expression it stands for, when it is a constant of the language; cached for one module */
  TsValue    *value;   /* variable of the function being read */
  TsValue    *symbol;  /* file-level dynamic symbol */
  gpointer    closure; /* file-level constant, private to the evaluator */
};

typedef struct TsLexicon TsLexicon;

/* `strings` is referenced. */
TsLexicon *ts_lexicon_new (TsStrings *strings);
void     ts_lexicon_free (TsLexicon *lexicon);

/* The hash that ts_lexicon_find() expects, to be computed while scanning. */
#define TS_NAME_HASH_START G_GUINT64_CONSTANT (0xcbf29ce484222325)
static inline guint64
ts_name_hash_step (guint64 hash, guchar c)
{
  return (hash ^ c) * G_GUINT64_CONSTANT (0x100000001b3);
}

/* The one entry of a text; made when new, and so are those of everything before its dots. O(1) expected. A text of more than
 * TS_MAX_NAME_PARTS parts is a plain name, dots and all: who reads it from a file refuses it. */
TsName  *ts_lexicon_find (TsLexicon *lexicon, const char *text, gsize length, guint64 hash);
TsName  *ts_lexicon_get (TsLexicon *lexicon, const char *text, gsize length);
/* `parent` + "." + `last`, which may be dotted itself; NULL when that has more than TS_MAX_NAME_PARTS parts. */
TsName  *ts_lexicon_join (TsLexicon *lexicon, TsName *parent, const TsName *last);

/* The name under which the language is imported: "pl" unless set. Must be set before names with it are asked for their meaning. */
const char *ts_lexicon_prefix (const TsLexicon *lexicon);
void        ts_lexicon_set_prefix (TsLexicon *lexicon, const char *prefix);
/* The same of its distributed part: "pld" unless set. */
const char *ts_lexicon_distributed_prefix (const TsLexicon *lexicon);
void        ts_lexicon_set_distributed_prefix (TsLexicon *lexicon, const char *prefix);
TsStrings  *ts_lexicon_strings (TsLexicon *lexicon);

/* Calls `visit` for every name, in the order they were first met. */
void     ts_lexicon_foreach (TsLexicon *lexicon, void (*visit) (TsName *name, gpointer data), gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsLexicon, ts_lexicon_free)

G_END_DECLS
