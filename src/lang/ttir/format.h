/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The patterns of formats.def and clauses.def, as both reader and printer see them. */
#pragma once

#include "ir/op.h"

typedef enum { TT_CLAUSE_WORD, TT_CLAUSE_NUMBER64, TT_CLAUSE_NUMBER32, TT_CLAUSE_UNIT, TT_CLAUSE_STRING } TtClauseForm;

typedef struct
{
  const char  *name, *attribute;
  TtClauseForm form;
  const char  *before;   /* printed before the word */
  const char  *words;
  const char  *fallback; /* default word; "*": optional, absent by default; "": required */
  guint        first;    /* number of the first word in generic form */
} TtClause;

/* NULL: the operation has no pattern (its syntax is code, or it has only the generic form). */
const char     *tt_format_of (TsOpCode code);
const TtClause *tt_clause_find (const char *name, gsize length);
/* Position of a word among the clause's words; -1. */
gint            tt_clause_word_index (const TtClause *clause, const char *word);
/* Word by position, newly allocated; NULL past the end. */
char           *tt_clause_word (const TtClause *clause, gint index);
/* Is this attribute shown by a clause of the pattern, so that the dictionary leaves it out? */
gboolean        tt_format_shows (const char *format, const char *attribute);
/* Next item of a pattern: returns its start and length, moves *cursor; NULL at the end. */
const char     *tt_format_next (const char **cursor, gsize *length);

/* i1 in the shape of `type`. */
const TsType   *tt_bool_like (TsModule *module, const TsType *type);
/* What a load through a value of this pointer type gives; NULL when it is no pointer. */
const TsType   *tt_pointee (TsModule *module, const TsType *type);
